/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OFPROTO_BIGTCP_OFPROTO_H
#define OFPROTO_BIGTCP_OFPROTO_H 1

/* What the hooks in ofproto/ofproto.c call. */

struct netdev;

void bigtcp_ofproto_port_added(const struct netdev *);
void bigtcp_ofproto_port_modified(const struct netdev *);

#endif /* ofproto/bigtcp-ofproto.h */
