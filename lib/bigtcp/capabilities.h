/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_CAPABILITIES_H
#define BIGTCP_CAPABILITIES_H 1

/* What the running kernel can do, found by trying it. */

struct ds;
struct json;

void bigtcp_capabilities_format(struct ds *);
struct json *bigtcp_capabilities_to_json(void);

#endif /* lib/bigtcp/capabilities.h */
