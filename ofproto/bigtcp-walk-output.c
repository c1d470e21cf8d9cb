/* SPDX-License-Identifier: Apache-2.0 */

/* Finds the devices that a packet leaves by. */

#include <config.h>

#include "ofproto/bigtcp-walk-private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bigtcp/path-devices.h"
#include "bigtcp/path.h"
#include "bigtcp/route.h"
#include "dp-packet.h"
#include "hash.h"
#include "netdev.h"
#include "odp-util.h"
#include "ofproto/bigtcp-ofproto.h"
#include "packets.h"
#include "util.h"

static bool
same_packet(const struct bigtcp_path_packet *a,
            const struct bigtcp_path_packet *b)
{
    return (a->family == b->family && a->ethernet == b->ethernet
            && a->n_vlans == b->n_vlans && a->n_mpls == b->n_mpls
            && a->nsh == b->nsh && a->growth == b->growth
            && a->max_len == b->max_len);
}

static bool
same_copy(const struct bigtcp_path_copy *a, const struct bigtcp_path_copy *b)
{
    if (a->n_hops != b->n_hops || !a->slow != !b->slow
        || !bigtcp_path_steps_equal(&a->steps, &b->steps)) {
        return false;
    }
    for (size_t i = 0; i < a->n_hops; i++) {
        const struct bigtcp_path_hop *x = &a->hops[i];
        const struct bigtcp_path_hop *y = &b->hops[i];

        if (x->dev != y->dev || x->hands_up != y->hands_up
            || x->tunnel != y->tunnel || x->outer_ipv6 != y->outer_ipv6
            || x->overhead != y->overhead
            || !same_packet(&x->packet, &y->packet)) {
            return false;
        }
    }
    return true;
}

/* Adds 'copy', which it takes over, to the path, unless it is there. */
void
bigtcp_walk_add_copy(struct bigtcp_walk *walk, struct bigtcp_path_copy *copy)
{
    struct bigtcp_path *path = &walk->path;

    copy->slow = nullable_xstrdup(walk->slow);
    for (size_t i = 0; i < path->n_copies; i++) {
        if (same_copy(&path->copies[i], copy)) {
            path->copies[i].choice &= copy->choice;
            bigtcp_walk_see(walk, &walk->seen[i]);
            bigtcp_path_steps_destroy(&copy->steps);
            free(copy->slow);
            return;
        }
    }
    *bigtcp_path_add_copy(path) = *copy;
    if (path->n_copies > walk->allocated_seen) {
        walk->seen = x2nrealloc(walk->seen, &walk->allocated_seen,
                                sizeof *walk->seen);
    }
    walk->seen[path->n_copies - 1] = (struct bigtcp_walk_seen) { 0, 0 };
    bigtcp_walk_see(walk, &walk->seen[path->n_copies - 1]);
}

/* Returns true if tunnel port 'netdev' can be the one that sends with
 * 'tunnel_'. */
static bool
sends_to(const struct netdev *netdev, const void *tunnel_)
{
    const struct netdev_tunnel_config *config
        = netdev_get_tunnel_config(netdev);
    const struct flow_tnl *tunnel = tunnel_;
    struct in6_addr remote = flow_tnl_dst(tunnel);

    return (config
            && (config->ip_dst_flow
                || ipv6_addr_equals(&config->ipv6_dst, &remote))
            && (config->out_key_flow
                || config->out_key == tunnel->tun_id));
}

/* Adds to 'copy', whose first hop is tunnel 'port', the device that the packet
 * of 'state' leaves by when it is encapsulated. */
static void
add_lower_hop(struct bigtcp_walk *walk, const struct bigtcp_walk_state *state,
              const struct bigtcp_walk_port *port,
              struct bigtcp_path_copy *copy)
{
    const struct pkt_metadata *md = &state->packet->md;
    bool csum = (md->tunnel.flags & FLOW_TNL_F_CSUM) != 0;
    bool gre = strstr(port->type, "gre") != NULL;
    struct bigtcp_path_hop *hop;
    struct bigtcp_route route;

    bigtcp_route_find(port->type, &md->tunnel, md->pkt_mark, &route);
    if (!route.device[0]) {
        bigtcp_walk_note(walk, "%s: %s", port->name, route.note);
        return;
    }
    hop = &copy->hops[copy->n_hops++];
    memset(hop, 0, sizeof *hop);
    hop->dev = bigtcp_path_devices_get(&walk->devices, route.device, NULL,
                                       NULL);
    hop->packet = state->size;
    hop->tunnel = (gre ? csum ? BIGTCP_PATH_GRE_CSUM : BIGTCP_PATH_GRE
                   : csum ? BIGTCP_PATH_UDP_CSUM : BIGTCP_PATH_UDP);
    hop->outer_ipv6 = route.ipv6;
    hop->overhead = route.overhead;
    if (hop->dev->internal) {
        bigtcp_walk_note(walk, "what %s encapsulates goes on into bridge %s "
                         "by %s, where it is not followed", port->name,
                         hop->dev->bridge, hop->dev->port);
    }
}

/* Adds a copy of the packet of 'state' that leaves by 'port'.  'choice' if
 * that is one of several. */
static void
output_to(struct bigtcp_walk *walk, const struct bigtcp_walk_state *state,
          const struct bigtcp_walk_port *port, bool choice)
{
    struct bigtcp_path_copy copy = { .choice = choice || state->choice };
    const struct flow_tnl *tunnel = &state->packet->md.tunnel;
    struct bigtcp_path_hop *hop = &copy.hops[0];

    bigtcp_path_steps_copy(&copy.steps, &state->steps);
    if (state->size.max_len != UINT32_MAX) {
        bigtcp_path_steps_add(&copy.steps, "trunc", "%"PRIu32,
                              state->size.max_len);
    }
    copy.n_hops = 1;
    hop->dev = bigtcp_path_devices_get(&walk->devices, port->name,
                                       state->has_tunnel ? sends_to : NULL,
                                       tunnel);
    hop->hands_up = hop->dev->internal;
    hop->packet = state->size;
    if (state->has_tunnel && flow_tnl_dst_is_set(tunnel)
        && hop->dev->tunnel) {
        add_lower_hop(walk, state, port, &copy);
    }
    bigtcp_walk_add_copy(walk, &copy);
}

static const struct bigtcp_walk_port *
find_dp_port(const struct bigtcp_walk *walk, odp_port_t odp_port)
{
    const struct bigtcp_walk_port *port;

    HMAP_FOR_EACH_WITH_HASH (port, node, hash_odp_port(odp_port),
                             &walk->dp_ports) {
        if (port->odp_port == odp_port) {
            return port;
        }
    }
    return NULL;
}

/* Returns the port of the datapath that is called 'name', NULL if there is
 * none. */
static const struct bigtcp_walk_port *
find_dp_port_by_name(const struct bigtcp_walk *walk, const char *name)
{
    const struct bigtcp_walk_port *port;

    HMAP_FOR_EACH (port, node, &walk->dp_ports) {
        if (!strcmp(port->name, name)) {
            return port;
        }
    }
    return NULL;
}

/* Adds copies of the packet of 'state' for all members of 'bond' that are
 * up. */
void
bigtcp_walk_output_to_bond(struct bigtcp_walk *walk,
                           const struct bigtcp_walk_state *state,
                           const struct bigtcp_bond *bond)
{
    const struct bigtcp_walk_port **ports = xcalloc(bond->n_members,
                                                    sizeof *ports);
    size_t n = 0;

    for (size_t i = 0; i < bond->n_members; i++) {
        const struct netdev *netdev = bigtcp_ofproto_bond_member(bond, i);

        if (netdev && netdev_get_carrier(netdev)) {
            ports[n] = find_dp_port_by_name(walk, netdev_get_name(netdev));
            n += ports[n] != NULL;
        }
    }
    for (size_t i = 0; i < n; i++) {
        output_to(walk, state, ports[i], n > 1);
    }
    free(ports);
}

/* Output to 'odp_port': to all members if it is of a bond that spreads
 * packets. */
void
bigtcp_walk_output(struct bigtcp_walk *walk,
                   const struct bigtcp_walk_state *state,
                   odp_port_t odp_port)
{
    const struct bigtcp_walk_port *port = find_dp_port(walk, odp_port);
    const struct bigtcp_bond *bond = NULL;

    if (!port) {
        bigtcp_walk_note(walk, "the datapath has no port %"PRIu32, odp_port);
        return;
    }
    while ((bond = bigtcp_ofproto_next_bond(bond))) {
        for (size_t i = 0; bond->balance != BM_AB && i < bond->n_members;
             i++) {
            const struct netdev *netdev = bigtcp_ofproto_bond_member(bond, i);

            if (netdev && !strcmp(netdev_get_name(netdev), port->name)) {
                bigtcp_walk_output_to_bond(walk, state, bond);
                return;
            }
        }
    }
    output_to(walk, state, port, false);
}
