/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_ROUTE_H
#define BIGTCP_ROUTE_H 1

/* Where the packets of a tunnel port leave by, from Open vSwitch's own copy of
 * the kernel's routes. */

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

struct flow_tnl;
struct netdev;

struct bigtcp_route {
    char device[IFNAMSIZ];      /* Kernel device, "" if it is not known. */
    bool ipv6;                  /* The outer header is IPv6. */
    uint32_t overhead;          /* Bytes that encapsulation adds, or the most
                                 * that they can be. */
    const char *note;           /* What is uncertain about it, or NULL. */
};

bool bigtcp_route_lookup(const struct netdev *, struct bigtcp_route *);
void bigtcp_route_find(const char *type, const struct flow_tnl *,
                       uint32_t mark, struct bigtcp_route *);

#endif /* lib/bigtcp/route.h */
