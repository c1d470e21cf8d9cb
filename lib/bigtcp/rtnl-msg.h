/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_RTNL_MSG_H
#define BIGTCP_RTNL_MSG_H 1

/* Messages of rtnetlink about links. */

#include <stdbool.h>

#include "bigtcp/types.h"

struct ofpbuf;

/* Which other links a link belongs to, by ifindex, 0 for none. */
struct bigtcp_rtnl_ties {
    int below;                  /* What a VLAN, a macvlan and the like is on,
                                 * if that is in the same namespace. */
    int master;                 /* The bond, team, bridge that it is in. */
};

/* What the kernel announces. */
struct bigtcp_rtnl_event {
    bool gone;                  /* The link left its network namespace. */
    int ifindex;
    char name[16];
    char kind[16];
};

/* IFLA_TARGET_NETNSID of linux/if_link.h. */
enum { BIGTCP_IFLA_TARGET_NETNSID = 46 };

void bigtcp_rtnl_compose_get(struct ofpbuf *, const char *name, int ifindex,
                             int netnsid);
void bigtcp_rtnl_compose_set(struct ofpbuf *, int ifindex,
                             const struct bigtcp_sizes *);
bool bigtcp_rtnl_parse(struct ofpbuf *, struct bigtcp_link *,
                       struct bigtcp_rtnl_ties *);
bool bigtcp_rtnl_parse_event(struct ofpbuf *, struct bigtcp_rtnl_event *);
int bigtcp_rtnl_get_link(const char *name, int ifindex, int netnsid,
                         struct bigtcp_link *, struct bigtcp_rtnl_ties *);

#endif /* lib/bigtcp/rtnl-msg.h */
