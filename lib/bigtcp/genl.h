/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_GENL_H
#define BIGTCP_GENL_H 1

/* Internal ports through kernel module openvswitch_bigtcp, which can set what
 * rtnetlink cannot: their ceiling, and all sizes of those in other network
 * namespaces. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bigtcp_access;
struct bigtcp_sizes;
struct ofpbuf;

extern const char bigtcp_genl_family_name[];

bool bigtcp_genl_is_there(void);
int bigtcp_genl_get_version(uint32_t *version);
void bigtcp_genl_set(struct bigtcp_access *accesses[], size_t n);

bool bigtcp_genl_run(void);
void bigtcp_genl_wait(void);

void bigtcp_genl_compose_set(struct ofpbuf *, uint16_t family, int netnsid,
                             int ifindex, const struct bigtcp_sizes *);

#endif /* lib/bigtcp/genl.h */
