/* SPDX-License-Identifier: Apache-2.0 */

/* Where the packets of a tunnel port leave by. */

#include <config.h>

#include "bigtcp/route.h"

#include <netinet/in.h>
#include <string.h>

#include "netdev.h"
#include "ovs-router.h"
#include "packets.h"
#include "util.h"

/* Bytes between the two IP headers, with the inner Ethernet header left out:
 * that is part of the packet before, too. */
static const struct {
    const char *type;
    uint32_t header;
} tunnels[] = {
    { "vxlan", 8 + 8 },         /* UDP, VXLAN. */
    { "geneve", 8 + 8 + 252 },  /* UDP, Geneve, all options that fit. */
    { "gre", 16 },              /* GRE with checksum, key and sequence. */
    { "ip6gre", 16 },
};

/* As much as the largest of the above. */
enum { OTHER_TUNNEL = 268 };

/* Bytes of an outer Ethernet and IP header. */
static uint32_t
outer_length(bool ipv6)
{
    return ETH_HEADER_LEN + (ipv6 ? IPV6_HEADER_LEN : IP_HEADER_LEN);
}

/* If 'netdev' is a tunnel port, stores in 'route' what is known of the way
 * that its packets take and returns true. */
bool
bigtcp_route_lookup(const struct netdev *netdev, struct bigtcp_route *route)
{
    const struct netdev_tunnel_config *config
        = netdev_get_tunnel_config(netdev);
    struct in6_addr remote, gateway;
    uint32_t header = OTHER_TUNNEL;

    memset(route, 0, sizeof *route);
    if (!config) {
        return false;
    }

    remote = config->ipv6_dst;
    if (config->ip_dst_flow) {
        /* Flows say where to; most of that goes by the default route. */
        remote = (ipv6_addr_is_set(&config->ipv6_src)
                  && !IN6_IS_ADDR_V4MAPPED(&config->ipv6_src)
                  ? in6addr_any : in6_addr_mapped_ipv4(0));
    }

    route->ipv6 = !IN6_IS_ADDR_V4MAPPED(&remote);
    for (size_t i = 0; i < ARRAY_SIZE(tunnels); i++) {
        if (!strcmp(netdev_get_type(netdev), tunnels[i].type)) {
            header = tunnels[i].header;
        }
    }
    route->overhead = outer_length(route->ipv6) + header;

    if (!ovs_router_lookup(config->set_egress_pkt_mark
                           ? config->egress_pkt_mark : 0,
                           &remote, route->device, NULL, &gateway)) {
        /* To a remote without a route nothing is sent. */
        route->device[0] = '\0';
        route->note = (config->ip_dst_flow
                       ? "remote_ip=flow: where packets leave by is not known"
                       : NULL);
    } else if (config->ip_dst_flow) {
        route->note = "remote_ip=flow: judged by the default route";
    }
    return true;
}

/* Bytes between the two IP headers that a tunnel of 'type' with 'tunnel' has,
 * as far as that tells. */
static uint32_t
header_length(const char *type, const struct flow_tnl *tunnel)
{
    if (!strcmp(type, "vxlan")) {
        return 8 + 8;
    } else if (!strcmp(type, "geneve")) {
        return 8 + 8 + (tunnel->flags & FLOW_TNL_F_UDPIF
                        ? tunnel->metadata.present.len : 0);
    } else if (!strcmp(type, "gre") || !strcmp(type, "ip6gre")) {
        return (4 + (tunnel->flags & FLOW_TNL_F_CSUM ? 4 : 0)
                + (tunnel->flags & FLOW_TNL_F_KEY ? 4 : 0));
    }
    return OTHER_TUNNEL;
}

/* Stores in 'route' the way of a packet with packet mark 'mark' that a tunnel
 * of 'type' encapsulates with 'tunnel', as the datapath's action has it. */
void
bigtcp_route_find(const char *type, const struct flow_tnl *tunnel,
                  uint32_t mark, struct bigtcp_route *route)
{
    struct in6_addr remote = flow_tnl_dst(tunnel);
    struct in6_addr gateway;

    memset(route, 0, sizeof *route);
    route->ipv6 = !IN6_IS_ADDR_V4MAPPED(&remote);
    route->overhead = (outer_length(route->ipv6)
                       + header_length(type, tunnel));
    if (!ovs_router_lookup(mark, &remote, route->device, NULL, &gateway)) {
        route->device[0] = '\0';
        route->note = "there is no route to the remote";
    }
}
