/* SPDX-License-Identifier: Apache-2.0 */

/* Which ports and devices depend on each other: those of joined bridges on
 * which a port is 'auto', tunnels and what their packets leave by, and stacked
 * devices.  Hands policy (lib/bigtcp/group.h) what it decides upon. */

#include <config.h>

#include "bigtcp/port-private.h"

#include <stdlib.h>
#include <string.h>

#include "bigtcp/group.h"
#include "bigtcp/route.h"
#include "bigtcp/settings.h"
#include "netdev.h"
#include "openvswitch/hmap.h"
#include "openvswitch/list.h"
#include "openvswitch/shash.h"
#include "seq.h"
#include "sset.h"
#include "util.h"

/* Ports in groups, for policy. */
static struct topology {
    struct bigtcp_port **ports; /* All that have a device, sorted; none if no
                                 * device depends on another. */
    size_t n_ports;
    size_t n_groups;
} topology;

/* A port came, went or moved, or something else that 'topology' comes from
 * changed. */
static bool topology_changed;

/* Tunnel ports are managed, and routes at that time. */
static bool has_tunnels;
static uint64_t seen_routes;

/* Notes that bigtcp_topology_find() must be called. */
void
bigtcp_topology_change(void)
{
    topology_changed = true;
}

/* Returns true if bigtcp_topology_find() must be called. */
bool
bigtcp_topology_has_changed(void)
{
    return topology_changed;
}

/* Forgets which ports there are. */
void
bigtcp_topology_clear(void)
{
    free(topology.ports);
    memset(&topology, 0, sizeof topology);
}

/* Returns the bridge that stands for the group of 'bridge'. */
static struct bigtcp_bridge *
bridge_group(struct bigtcp_bridge *bridge)
{
    while (bridge->joined != bridge) {
        bridge->joined = bridge->joined->joined;
        bridge = bridge->joined;
    }
    return bridge;
}

/* Joins the bridges that patch ports connect. */
static void
join_bridges(void)
{
    struct shash names = SHASH_INITIALIZER(&names);
    struct bigtcp_bridge *bridge;
    struct bigtcp_port *port;

    HMAP_FOR_EACH (bridge, node, &bigtcp_bridges) {
        bridge->joined = bridge;
        bridge->is_auto = false;
    }
    HMAP_FOR_EACH (port, node, &bigtcp_ports) {
        if (port->peer) {
            shash_add(&names, netdev_get_name(port->netdev), port);
        }
    }
    HMAP_FOR_EACH (port, node, &bigtcp_ports) {
        struct bigtcp_port *peer = (port->peer
                                    ? shash_find_data(&names, port->peer)
                                    : NULL);

        if (peer && !strcmp(peer->peer, netdev_get_name(port->netdev))) {
            bridge_group(port->bridge)->joined = bridge_group(peer->bridge);
        }
    }
    shash_destroy(&names);
}

/* Returns true if what 'device' sends or receives goes through others. */
static bool
depends_on_others(const struct bigtcp_device *device)
{
    return (!sset_is_empty(&device->lowers)
            || !sset_is_empty(&device->ingress));
}

/* Finds the devices on which others depend, those of each group in which a
 * port is 'auto', those that packets of managed tunnels, VLANs and the like
 * leave by and those that received packets go through, and puts ports in
 * groups. */
void
bigtcp_topology_find(void)
{
    struct bigtcp_device *device;
    struct bigtcp_bridge *bridge;
    struct bigtcp_port *port;
    bool is_needed = false;

    bigtcp_topology_clear();
    topology_changed = false;
    has_tunnels = false;

    HMAP_FOR_EACH (device, node, &bigtcp_devices) {
        if (device->watched) {
            device->watched = false;
            bigtcp_device_touch(device);
        }
    }
    join_bridges();
    HMAP_FOR_EACH (port, node, &bigtcp_ports) {
        const char *note = port->route.note;

        memset(&port->route, 0, sizeof port->route);
        if (port->device) {
            if (bigtcp_settings_is_auto(&port->effective)) {
                bridge_group(port->bridge)->is_auto = is_needed = true;
            }
            if (bigtcp_port_asks(port)) {
                has_tunnels |= bigtcp_route_lookup(port->netdev,
                                                   &port->route);
                is_needed |= depends_on_others(port->device);
            }
        }
        if (port->route.note != note) {
            bigtcp_port_forget_status(port);
        }
    }
    seen_routes = has_tunnels ? seq_read(tnl_conf_seq) : 0;
    is_needed |= has_tunnels;
    if (!is_needed) {
        return;
    }

    HMAP_FOR_EACH (bridge, node, &bigtcp_bridges) {
        if (bridge->joined == bridge) {
            bridge->group = topology.n_groups++;
        }
    }
    topology.ports = xcalloc(hmap_count(&bigtcp_ports),
                             sizeof *topology.ports);
    HMAP_FOR_EACH (port, node, &bigtcp_ports) {
        if (port->device) {
            topology.ports[topology.n_ports++] = port;
            if (bridge_group(port->bridge)->is_auto
                || (bigtcp_port_asks(port)
                    && depends_on_others(port->device))) {
                bigtcp_device_watch(port->device);
            }
            if (port->route.device[0]) {
                bigtcp_device_watch(port->device);
                bigtcp_device_watch(
                    bigtcp_device_get(port->route.device,
                                      port->device->class));
            }
        }
    }
    qsort(topology.ports, topology.n_ports, sizeof *topology.ports,
          bigtcp_port_compare);
}

/* Makes this commit look at all devices that depend on each other if it looks
 * at any of them. */
void
bigtcp_topology_touch(void)
{
    struct bigtcp_device *device;
    bool touched = false;

    LIST_FOR_EACH (device, touched, &bigtcp_touched_devices) {
        if (device->watched) {
            touched = true;
            break;
        }
    }
    if (touched) {
        HMAP_FOR_EACH (device, node, &bigtcp_devices) {
            if (device->watched) {
                bigtcp_device_touch(device);
            }
        }
    }
}

/* Looks whether a tunnel's packets leave by another device than before. */
static void
check_routes(void)
{
    const struct bigtcp_port *port;

    HMAP_FOR_EACH (port, node, &bigtcp_ports) {
        struct bigtcp_route route;

        if (port->device && bigtcp_device_is_managed(port->device)
            && bigtcp_route_lookup(port->netdev, &route)
            && (strcmp(route.device, port->route.device)
                || route.ipv6 != port->route.ipv6)) {
            topology_changed = true;
        }
    }
}

/* Follows routes. */
void
bigtcp_topology_run(void)
{
    if (has_tunnels && seq_read(tnl_conf_seq) != seen_routes) {
        seen_routes = seq_read(tnl_conf_seq);
        check_routes();
    }
}

/* Wakes up when bigtcp_topology_run() has something to do. */
void
bigtcp_topology_wait(void)
{
    if (has_tunnels) {
        seq_wait(tnl_conf_seq, seen_routes);
    }
}

/* Stores in '*lower' where the 'n' devices in 'devs' have the one called
 * 'name', which the one with number 'upper' leaves by.  Returns true if they
 * have. */
static bool
find_lower(struct bigtcp_device *devs[], size_t n, size_t upper,
           const char *name, struct bigtcp_lower *lower)
{
    const struct bigtcp_device *device
        = bigtcp_device_find(name, devs[0]->class);

    memset(lower, 0, sizeof *lower);
    if (!device || device->index >= n || devs[device->index] != device
        || device->index == upper) {
        return false;
    }
    lower->member = device->index;
    return true;
}

/* Returns the '*n_lowers' lower devices of the one with number 'i' of the 'n'
 * devices in 'devs'.  The caller frees them. */
static struct bigtcp_lower *
get_lowers(struct bigtcp_device *devs[], size_t n, size_t i, size_t *n_lowers)
{
    const struct bigtcp_device *device = devs[i];
    const struct bigtcp_port *port;
    struct bigtcp_lower *lowers;
    struct bigtcp_lower *lower;
    const char *name;

    lowers = xcalloc(ovs_list_size(&device->ports)
                     + sset_count(&device->lowers) + 1, sizeof *lowers);
    lower = lowers;
    LIST_FOR_EACH (port, in_device, &device->ports) {
        if (port->route.device[0]
            && find_lower(devs, n, i, port->route.device, lower)) {
            lower->tunnel = true;
            lower->ipv6 = port->route.ipv6;
            lower->overhead = port->route.overhead;
            lower++;
        }
    }
    SSET_FOR_EACH (name, &device->lowers) {
        lower += find_lower(devs, n, i, name, lower);
    }
    *n_lowers = lower - lowers;
    return lowers;
}

/* Returns where the 'n' devices in 'devs' have those, '*n_ingress' of them,
 * that what the one with number 'i' received goes through.  The caller frees
 * them. */
static size_t *
get_ingress(struct bigtcp_device *devs[], size_t n, size_t i,
            size_t *n_ingress)
{
    const struct bigtcp_device *device = devs[i];
    struct bigtcp_lower found;
    const char *name;
    size_t *ingress;

    *n_ingress = 0;
    if (sset_is_empty(&device->ingress)) {
        return NULL;
    }
    ingress = xcalloc(sset_count(&device->ingress), sizeof *ingress);
    SSET_FOR_EACH (name, &device->ingress) {
        if (find_lower(devs, n, i, name, &found)) {
            ingress[(*n_ingress)++] = found.member;
        }
    }
    return ingress;
}

/* Has policy decide what the 'n' devices in 'devs', which are of one class and
 * were read, should have, and stores it in 'wanted'. */
void
bigtcp_topology_decide(struct bigtcp_device *devs[], size_t n,
             struct bigtcp_sizes wanted[])
{
    struct bigtcp_membership *memberships
        = xcalloc(topology.n_ports, sizeof *memberships);
    struct bigtcp_member *members = xcalloc(n, sizeof *members);
    size_t n_memberships = 0;

    for (size_t i = 0; i < n; i++) {
        struct bigtcp_device *device = devs[i];
        const struct bigtcp_port *port;

        device->index = i;
        members[i].name = device->name;
        members[i].managed = bigtcp_device_is_managed(device);
        members[i].link = ((members[i].managed || device->watched)
                           && !device->error && !device->remote
                           ? &device->link : NULL);
        members[i].original = &device->original;
        members[i].request = device->request;
        members[i].report = &device->report;
        members[i].internal = device->internal;
        LIST_FOR_EACH (port, in_device, &device->ports) {
            if (ovs_list_is_singleton(&device->ports)) {
                members[i].name = netdev_get_name(port->netdev);
            }
        }
    }
    for (size_t i = 0; i < topology.n_ports; i++) {
        const struct bigtcp_port *port = topology.ports[i];
        const struct bigtcp_device *device = port->device;

        if (device->index < n && devs[device->index] == device) {
            memberships[n_memberships++] = (struct bigtcp_membership) {
                .member = device->index,
                .group = bridge_group(port->bridge)->group,
            };
        }
    }
    for (size_t i = 0; topology.n_ports && i < n; i++) {
        members[i].lowers = get_lowers(devs, n, i, &members[i].n_lowers);
        members[i].ingress = get_ingress(devs, n, i, &members[i].n_ingress);
    }

    bigtcp_group_decide(members, n, memberships, n_memberships,
                        topology.n_groups);
    for (size_t i = 0; i < n; i++) {
        devs[i]->request = members[i].request;
        wanted[i] = members[i].wanted;
        free(members[i].lowers);
        free(members[i].ingress);
    }
    free(members);
    free(memberships);
}
