/* SPDX-License-Identifier: Apache-2.0 */

/* Registry of ports: what the database asks for, and what it is told.
 *
 * The devices that ports are on are in lib/bigtcp/device.c, what depends on
 * what in lib/bigtcp/topology.c, and what is done about it in
 * lib/bigtcp/commit.c.  All of that runs in the main thread, as do the hooks
 * and the unixctl commands that call it, so that there is no lock. */

#include <config.h>

#include "bigtcp/port-private.h"
#include "bigtcp/port.h"

#include <inttypes.h>
#include <net/if.h>
#include <string.h>

#include "bigtcp/hazards.h"
#include "bigtcp/observe.h"
#include "bigtcp/provider.h"
#include "bigtcp/route.h"
#include "bigtcp/settings.h"
#include "coverage.h"
#include "hash.h"
#include "netdev-provider.h"
#include "openvswitch/hmap.h"
#include "openvswitch/list.h"
#include "openvswitch/poll-loop.h"
#include "openvswitch/vlog.h"
#include "smap.h"
#include "sset.h"
#include "timeval.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(bigtcp_port);

COVERAGE_DEFINE(bigtcp_poll);
COVERAGE_DEFINE(bigtcp_tell);
COVERAGE_DEFINE(bigtcp_status);

/* All bridges and ports. */
struct hmap bigtcp_bridges = HMAP_INITIALIZER(&bigtcp_bridges);
struct hmap bigtcp_ports = HMAP_INITIALIZER(&bigtcp_ports);

/* Settings of the row of Open_vSwitch. */
static struct bigtcp_settings defaults;

/* Next time that all managed devices are read, LLONG_MAX for never. */
static long long int next_poll = LLONG_MAX;

/* A person asked for the next commit. */
static bool forced;

/* Ports are as the database has them: a port that is not there is not asked
 * for.  Not so before the first reconfiguration, nor after ports were
 * forgotten without one, since the lock of the database was lost. */
static bool configured;

/* Names of the ports without a device whose status an earlier process
 * wrote. */
static struct sset learned = SSET_INITIALIZER(&learned);

/* Ports may be 'untold', and bigtcp_port_run() was called since then. */
static bool has_untold;
static bool untold_waited;

static struct bigtcp_bridge *bridge_get(const char *name);
static void bridge_unref(struct bigtcp_bridge *);

static struct bigtcp_port *port_find(const struct netdev *);
static void port_resolve(struct bigtcp_port *);
static void port_detach(struct bigtcp_port *);
static bool port_check_stale(struct bigtcp_port *);

static void schedule_poll(void);

/* Initializes the registry.  Original sizes are recorded in
 * 'originals_file'. */
void
bigtcp_port_init(const char *originals_file)
{
    bigtcp_devices_init(originals_file);
}

/* Frees the registry.  If 'restore' is true, every device first gets its
 * original sizes back; otherwise it keeps what it has, as the datapath does,
 * for the daemon that follows. */
void
bigtcp_port_exit(bool restore)
{
    struct bigtcp_bridge *bridge;
    struct bigtcp_port *port;

    HMAP_FOR_EACH_SAFE (port, node, &bigtcp_ports) {
        bigtcp_port_forget(port->netdev);
    }
    if (restore) {
        bigtcp_port_commit(false);
    }
    bigtcp_topology_clear();
    bigtcp_devices_exit();
    HMAP_FOR_EACH_SAFE (bridge, node, &bigtcp_bridges) {
        bridge->n_ports = 1;
        bridge_unref(bridge);
    }
    bigtcp_settings_destroy(&defaults);
    bigtcp_settings_init(&defaults);
}

/* Brings 'settings', those of 'row', which is called 'name', up to date with
 * 'other_config', and logs what is newly rejected.  Returns true if anything
 * changed. */
static bool
parse_settings(struct bigtcp_settings *settings,
               const struct smap *other_config, enum bigtcp_row row,
               const char *name)
{
    uint32_t rejected;
    bool changed = bigtcp_settings_parse(settings, other_config, row,
                                         &rejected);

    BIGTCP_FOR_EACH_KEY (key) {
        if (rejected & (1u << key)) {
            struct ds why = DS_EMPTY_INITIALIZER;

            bigtcp_value_explain(key, settings->keys[key].rejected, &why);
            VLOG_WARN("%s %s: other_config:%s", bigtcp_row_to_string(row),
                      name, ds_cstr(&why));
            ds_destroy(&why);
        }
    }
    return changed;
}

/* Seconds between two looks at all managed devices, 0 for none. */
static uint32_t
poll_interval(void)
{
    return bigtcp_settings_get(&defaults, BIGTCP_KEY_POLL_INTERVAL,
                               BIGTCP_DEFAULT_POLL_INTERVAL);
}

/* Notes that the keys in 'other_config' are the defaults of the ports of
 * 'bridge' or, if that is NULL, of all ports. */
void
bigtcp_port_set_defaults(const char *bridge, const struct smap *other_config)
{
    struct bigtcp_bridge *b = bridge ? bridge_get(bridge) : NULL;
    uint32_t interval = poll_interval();
    struct bigtcp_port *port;

    if (!parse_settings(b ? &b->settings : &defaults, other_config,
                        b ? BIGTCP_ROW_BRIDGE : BIGTCP_ROW_OPEN_VSWITCH,
                        b ? bridge : ".")) {
        return;
    }
    HMAP_FOR_EACH (port, node, &bigtcp_ports) {
        if (!b || port->bridge == b) {
            port_resolve(port);
            port->changed = true;
            if (port->device) {
                bigtcp_device_touch(port->device);
            } else if (!port->peer) {
                bigtcp_port_defer(port);
            }
        }
    }
    bigtcp_topology_change();
    if (poll_interval() != interval) {
        schedule_poll();
    }
}

/* Notes that 'netdev' is a port at 'place' with the keys in 'other_config'.
 * Cheap if nothing changed since the last call. */
void
bigtcp_port_configure(struct netdev *netdev,
                      const struct bigtcp_port_place *place,
                      const struct smap *other_config)
{
    struct bigtcp_bridge *bridge = bridge_get(place->bridge);
    struct bigtcp_port *port = port_find(netdev);
    bool resolve = false;
    bool changed;

    if (!port) {
        port = xzalloc(sizeof *port);
        hmap_insert(&bigtcp_ports, &port->node, hash_pointer(netdev, 0));
        port->netdev = netdev;
        port->changed = true;
        smap_init(&port->status);
        bigtcp_settings_init(&port->settings);
        resolve = true;
    }

    changed = parse_settings(&port->settings, other_config,
                             BIGTCP_ROW_INTERFACE, netdev_get_name(netdev));
    if (port->bridge != bridge) {
        bridge_unref(port->bridge);
        port->bridge = bridge;
        bridge->n_ports++;
        resolve = true;
    }
    if (!nullable_string_is_equal(port->peer, place->peer)) {
        free(port->peer);
        port->peer = nullable_xstrdup(place->peer);
        resolve = true;
    }
    if (changed || resolve) {
        port_resolve(port);
        bigtcp_topology_change();
    }
    if (!nullable_string_is_equal(port->unsupported, place->unsupported)) {
        bigtcp_port_forget_status(port);
        port->unsupported = place->unsupported;
    }
    port->internal = place->internal;

    if (port->device && (!place->class
                         || port->device->class != place->class
                         || strcmp(port->device->name, place->device))) {
        port_detach(port);
    }
    if (!port->device && place->class) {
        struct bigtcp_port *other;

        port->device = bigtcp_device_get(place->device, place->class);
        LIST_FOR_EACH (other, in_device, &port->device->ports) {
            other->changed = true;
        }
        ovs_list_push_back(&port->device->ports, &port->in_device);
        bigtcp_topology_change();
        changed |= bigtcp_port_asks(port);
    }

    if (!port->device) {
        /* What is left of the keys in its status must go with them. */
        if (sset_find_and_delete(&learned, netdev_get_name(netdev))
            || changed) {
            if (bigtcp_port_asks(port)) {
                VLOG_INFO("%s: %s (%s)", netdev_get_name(netdev),
                          bigtcp_state_to_string(BIGTCP_STATE_UNSUPPORTED),
                          port->unsupported);
            }
            bigtcp_port_defer(port);
        }
    } else if (changed) {
        port->changed = true;
        bigtcp_device_touch(port->device);
    } else if (port_check_stale(port) && netdev_get_tunnel_config(netdev)) {
        /* It may lead elsewhere now. */
        bigtcp_topology_change();
    }
}

/* Notes that an earlier process managed 'netdev', at 'place', and takes its
 * original sizes from 'original', the text that the status of its Interface
 * has for them or NULL, unless they are known. */
void
bigtcp_port_learn(const struct netdev *netdev,
                  const struct bigtcp_port_place *place, const char *original)
{
    struct bigtcp_device *device;
    struct bigtcp_sizes sizes;
    int ifindex;

    if (!place->class) {
        sset_add(&learned, netdev_get_name(netdev));
        return;
    }
    device = bigtcp_device_get(place->device, place->class);
    if (!device->original.present && original
        && ovs_scan(original, "ifindex=%d", &ifindex)
        && bigtcp_sizes_parse(&sizes, original)) {
        device->original = sizes;
        device->original_ifindex = ifindex;
    }
    /* So that its status is written anew, keys or not. */
    bigtcp_device_touch(device);
}

/* Notes that 'netdev' is no port any more.  Its device gets its original
 * sizes back at the next commit unless another port still asks for some. */
void
bigtcp_port_forget(const struct netdev *netdev)
{
    struct bigtcp_port *port = port_find(netdev);

    configured = false;
    if (port) {
        if (port->device) {
            port_detach(port);
        }
        hmap_remove(&bigtcp_ports, &port->node);
        bigtcp_settings_destroy(&port->settings);
        bridge_unref(port->bridge);
        smap_destroy(&port->status);
        free(port->peer);
        free(port);
        bigtcp_topology_change();
    }
}

/* Makes the next commit read the device of 'netdev' if something happened to
 * it. */
void
bigtcp_port_touch(const struct netdev *netdev)
{
    struct bigtcp_port *port = port_find(netdev);

    if (port) {
        port_check_stale(port);
    }
}

/* Makes the next commit look at all managed devices. */
static void
touch_all(void)
{
    struct bigtcp_device *device;

    HMAP_FOR_EACH (device, node, &bigtcp_devices) {
        if (bigtcp_device_is_managed(device)) {
            bigtcp_device_touch(device);
        }
    }
}

/* Makes the next commit read all managed devices and send at once what they
 * lack. */
void
bigtcp_port_refresh(void)
{
    touch_all();
    forced = true;
}

/* Sets the time of the next poll: none if no device is managed. */
static void
schedule_poll(void)
{
    uint32_t interval = poll_interval();
    const struct bigtcp_device *device;

    next_poll = LLONG_MAX;
    if (interval) {
        HMAP_FOR_EACH (device, node, &bigtcp_devices) {
            if (bigtcp_device_is_managed(device)) {
                next_poll = time_msec() + interval * 1000LL;
                break;
            }
        }
    }
}

/* Reads all managed devices, and those that they depend on, for a commit that
 * must follow at once. */
static void
poll_devices(void)
{
    struct bigtcp_device **devs = xcalloc(hmap_count(&bigtcp_devices),
                                          sizeof *devs);
    struct bigtcp_device *device;
    size_t n = 0;

    COVERAGE_INC(bigtcp_poll);
    HMAP_FOR_EACH (device, node, &bigtcp_devices) {
        if (bigtcp_device_is_managed(device) || device->watched) {
            devs[n++] = device;
        }
    }
    bigtcp_devices_read_for_news(devs, n);
    free(devs);
}

/* Tells of ports whose status was not written after the commit, e.g. since an
 * earlier transaction with the database was under way. */
static void
tell_untold(void)
{
    struct bigtcp_port *port;

    if (!has_untold) {
        return;
    }
    if (!untold_waited) {
        /* The status is written after this. */
        untold_waited = true;
        return;
    }
    HMAP_FOR_EACH (port, node, &bigtcp_ports) {
        if (port->untold) {
            bigtcp_port_tell(port);
        }
    }
    has_untold = false;
}

/* Does what time, routes and the module ask for.  The kernel tells nobody when
 * the sizes of a device change, so that they must be read every now and
 * then. */
void
bigtcp_port_run(void)
{
    bool polled = time_msec() >= next_poll;

    if (!configured) {
        return;
    }
    bigtcp_topology_run();
    if (polled) {
        poll_devices();
        schedule_poll();
    }
    for (size_t i = 0; i < BIGTCP_N_CLASSES; i++) {
        if (bigtcp_classes[i]->run()) {
            touch_all();
        }
    }
    if (bigtcp_commit_is_due()) {
        bigtcp_port_commit(false);
    }
    tell_untold();
    if (polled) {
        bigtcp_devices_forget_fresh();
    }
}

/* Wakes up when bigtcp_port_run() has something to do. */
void
bigtcp_port_wait(void)
{
    if (!configured) {
        return;
    }
    bigtcp_topology_wait();
    if (next_poll != LLONG_MAX) {
        poll_timer_wait_until(next_poll);
    }
    for (size_t i = 0; i < BIGTCP_N_CLASSES; i++) {
        bigtcp_classes[i]->wait();
    }
    if (bigtcp_commit_is_due() || has_untold) {
        poll_immediate_wake();
    }
}

/* Does what the calls since the last commit ask for.  'status_follows' says
 * that the caller has bigtcp_port_get_status() called for all ports soon. */
void
bigtcp_port_commit(bool status_follows)
{
    configured |= status_follows;
    bigtcp_devices_load();
    if (bigtcp_commit_is_due()) {
        bigtcp_commit(status_follows, forced);
        forced = false;
        if (next_poll == LLONG_MAX) {
            schedule_poll();
        }
    }
}

/* Bridges. */

/* Returns the bridge 'name', which is made if it is not known. */
static struct bigtcp_bridge *
bridge_get(const char *name)
{
    uint32_t hash = hash_string(name, 0);
    struct bigtcp_bridge *bridge;

    HMAP_FOR_EACH_WITH_HASH (bridge, node, hash, &bigtcp_bridges) {
        if (!strcmp(bridge->name, name)) {
            return bridge;
        }
    }

    bridge = xzalloc(sizeof *bridge);
    hmap_insert(&bigtcp_bridges, &bridge->node, hash);
    bridge->name = xstrdup(name);
    bridge->joined = bridge;
    bigtcp_settings_init(&bridge->settings);
    return bridge;
}

/* Takes a port off 'bridge', which goes with the last one. */
static void
bridge_unref(struct bigtcp_bridge *bridge)
{
    if (bridge && !--bridge->n_ports) {
        hmap_remove(&bigtcp_bridges, &bridge->node);
        bigtcp_settings_destroy(&bridge->settings);
        free(bridge->name);
        free(bridge);
    }
}

/* Ports. */

static struct bigtcp_port *
port_find(const struct netdev *netdev)
{
    struct bigtcp_port *port;

    HMAP_FOR_EACH_WITH_HASH (port, node, hash_pointer(netdev, 0),
                             &bigtcp_ports) {
        if (port->netdev == netdev) {
            return port;
        }
    }
    return NULL;
}

/* Takes 'port' off its device. */
static void
port_detach(struct bigtcp_port *port)
{
    struct bigtcp_device *device = port->device;

    struct bigtcp_port *other;

    ovs_list_remove(&port->in_device);
    port->device = NULL;
    bigtcp_port_forget_status(port);
    LIST_FOR_EACH (other, in_device, &device->ports) {
        other->changed = true;
    }
    if (bigtcp_device_is_managed(device)) {
        bigtcp_device_touch(device);
    } else if (ovs_list_is_empty(&device->ports)) {
        bigtcp_device_destroy(device);
    }
}

/* Makes the bridge write Interface status of 'port' anew, and ofproto look at
 * the port, for which it asks the kernel several times: that must not bring us
 * back here. */
void
bigtcp_port_tell(struct bigtcp_port *port)
{
    COVERAGE_INC(bigtcp_tell);
    port->untold = false;
    netdev_change_seq_changed(port->netdev);
    port->seen_seq = netdev_get_change_seq(port->netdev);
}

/* Notes that Interface status of 'port' must be written anew, which is done
 * for all ports after a reconfiguration, like the one that this is part of. */
void
bigtcp_port_defer(struct bigtcp_port *port)
{
    port->untold = true;
    has_untold = true;
    untold_waited = false;
}

/* Notes that what bigtcp_port_get_status() says of 'port' may have changed. */
void
bigtcp_port_forget_status(struct bigtcp_port *port)
{
    smap_clear(&port->status);
}

/* Returns true if the device of 'port' is managed and something happened to it
 * since it was last read, maybe to its sizes.  The next commit reads it then.
 * A tunnel's netdev does not tell when its kernel device is replaced. */
static bool
port_check_stale(struct bigtcp_port *port)
{
    struct bigtcp_device *device = port->device;
    uint64_t seq = netdev_get_change_seq(port->netdev);

    if (!device || !bigtcp_device_is_managed(device)
        || (seq == port->seen_seq
            && (device->class != &bigtcp_rtnl_class
                || !strcmp(device->name, netdev_get_name(port->netdev))
                || if_nametoindex(device->name) == device->link.ifindex))) {
        return false;
    }
    port->seen_seq = seq;
    bigtcp_device_set_stale(device);
    return true;
}

/* Finds anew what the rows of 'port', its bridge and Open_vSwitch come to.
 * Defaults are not meant for a patch port. */
static void
port_resolve(struct bigtcp_port *port)
{
    const struct bigtcp_settings *const rows[BIGTCP_N_ROWS] = {
        [BIGTCP_ROW_INTERFACE] = &port->settings,
        [BIGTCP_ROW_BRIDGE] = port->peer ? NULL : &port->bridge->settings,
        [BIGTCP_ROW_OPEN_VSWITCH] = port->peer ? NULL : &defaults,
    };

    bigtcp_settings_resolve(&port->effective, rows);
    if (port->device) {
        bigtcp_device_forget_status(port->device);
    } else {
        bigtcp_port_forget_status(port);
    }
}

/* Returns true if a row asks something of 'port'. */
bool
bigtcp_port_asks(const struct bigtcp_port *port)
{
    return bigtcp_settings_asks(&port->effective);
}

/* Returns true if the keys for 'port', or what is left of them on its device,
 * are of interest. */
bool
bigtcp_port_is_managed(const struct bigtcp_port *port)
{
    return (bigtcp_port_asks(port)
            || (port->device && port->device->original.present));
}

/* Adds to 'report' which ports that share the device of 'port' ask for more
 * than it, by name the first few of them. */
static void
report_sharing(const struct bigtcp_port *port, struct bigtcp_report *report)
{
    enum { MAX_NAMED = 3 };
    const struct bigtcp_port *other;
    size_t n = 0;

    LIST_FOR_EACH (other, in_device, &port->device->ports) {
        bool more = false;

        BIGTCP_FOR_EACH_ATTR (attr) {
            const struct bigtcp_setting *a = &port->effective.keys[attr];
            const struct bigtcp_setting *b = &other->effective.keys[attr];

            if (!a->valid || !b->valid || b->value <= a->value) {
                continue;
            }
            more = true;
            if (n < MAX_NAMED) {
                struct ds value = DS_EMPTY_INITIALIZER;

                bigtcp_value_format(attr, b->value, &value);
                bigtcp_report_add(report, BIGTCP_STATE_APPLIED,
                                  "port %s shares %s and asks for %s %s",
                                  netdev_get_name(other->netdev),
                                  port->device->name,
                                  bigtcp_attr_to_string(attr),
                                  ds_cstr(&value));
                ds_destroy(&value);
            }
        }
        n += more;
    }
    if (n > MAX_NAMED) {
        bigtcp_report_add(report, BIGTCP_STATE_APPLIED,
                          "and %"PRIuSIZE" others", n - MAX_NAMED);
    }
}

/* Stores in 'report' the state of 'port' and why. */
void
bigtcp_port_report(const struct bigtcp_port *port,
                   struct bigtcp_report *report)
{
    const struct bigtcp_settings *settings = &port->effective;

    if (!port->device) {
        bigtcp_report_add(report, BIGTCP_STATE_UNSUPPORTED, "%s",
                          port->unsupported);
    } else {
        bigtcp_report_append(report, &port->device->report);
        if (!port->device->error
            && port->device->class == &bigtcp_rtnl_class) {
            const struct bigtcp_hazard *hazard;

            BIGTCP_FOR_EACH_HAZARD (hazard, bigtcp_running_version()) {
                if (bigtcp_hazard_applies(hazard,
                                          &port->device->link.sizes)) {
                    struct bigtcp_facts facts = {
                        .cause = BIGTCP_CAUSE_KERNEL_HAZARD,
                        .name = hazard->commit,
                    };

                    bigtcp_report_add_facts(report, BIGTCP_STATE_APPLIED,
                                            &facts, "kernel hazard: %s",
                                            hazard->text);
                }
            }
        }
        if (port->route.note) {
            bigtcp_report_add(report, BIGTCP_STATE_APPLIED, "%s",
                              port->route.note);
        }
        report_sharing(port, report);
    }
    BIGTCP_FOR_EACH_KEY (i) {
        const struct bigtcp_setting *key = &settings->keys[i];

        if (key->rejected) {
            bool own = key->rejected_row == BIGTCP_ROW_INTERFACE;
            struct bigtcp_facts facts = {
                .cause = BIGTCP_CAUSE_VALUE_REJECTED,
                .name = bigtcp_key_to_string(i),
                .row = key->rejected_row,
            };
            struct ds why = DS_EMPTY_INITIALIZER;

            bigtcp_value_explain(i, key->rejected, &why);
            bigtcp_report_add_facts(report, BIGTCP_STATE_ERROR, &facts,
                                    "%s%s%s",
                                    (own ? ""
                                     : bigtcp_row_to_string(facts.row)),
                                    own ? "" : ": ", ds_cstr(&why));
            ds_destroy(&why);
        }
    }
}

/* Devices. */

/* Record of original sizes. */

/* Reports. */

/* Returns true if the ports are those of the database.  Otherwise nothing may
 * be concluded from a port that is not there. */
bool
bigtcp_port_is_configured(void)
{
    return configured;
}

/* Returns true if 'netdev' is a port. */
bool
bigtcp_port_is_known(const struct netdev *netdev)
{
    return port_find(netdev) != NULL;
}

/* Returns the device of 'netdev', or NULL if it has none or is no port. */
struct bigtcp_device *
bigtcp_port_device(const struct netdev *netdev)
{
    const struct bigtcp_port *port = port_find(netdev);

    return port ? port->device : NULL;
}

/* Adds to 'smap' the status of 'port'. */
static void
get_status(const struct bigtcp_port *port, struct smap *smap)
{
    const struct bigtcp_device *device = port->device;
    struct bigtcp_report report;

    COVERAGE_INC(bigtcp_status);
    if (device && !device->error) {
        BIGTCP_FOR_EACH_ATTR (attr) {
            if (bigtcp_sizes_has(&device->link.sizes, attr)) {
                smap_add_format(smap, bigtcp_attr_to_string(attr), "%"PRIu32,
                                device->link.sizes.value[attr]);
            }
        }
    }
    if (device && device->original.present) {
        struct ds ds = DS_EMPTY_INITIALIZER;

        ds_put_format(&ds, "ifindex=%d ", device->original_ifindex);
        bigtcp_sizes_format(&device->original, &ds);
        smap_add_nocopy(smap, xstrdup(BIGTCP_STATUS_ORIGINAL),
                        ds_steal_cstr(&ds));
    }

    bigtcp_report_init(&report);
    bigtcp_port_report(port, &report);
    smap_add(smap, BIGTCP_STATUS_STATE,
             bigtcp_state_to_string(report.state));
    if (report.reason.length) {
        smap_add(smap, BIGTCP_STATUS_REASON, ds_cstr(&report.reason));
    }
    bigtcp_report_destroy(&report);
}

/* Returns the status of 'netdev', which the caller must not keep, or NULL if
 * it is not managed.  Status of all ports is asked for after each
 * reconfiguration: it is put together only if something changed. */
const struct smap *
bigtcp_port_get_status(const struct netdev *netdev)
{
    struct bigtcp_port *port = port_find(netdev);

    if (!port) {
        return NULL;
    }
    port->untold = false;
    if (!bigtcp_port_is_managed(port)) {
        bigtcp_port_forget_status(port);
        return NULL;
    }
    if (smap_is_empty(&port->status)) {
        get_status(port, &port->status);
    }
    return &port->status;
}

/* Returns the number of managed ports. */
size_t
bigtcp_port_count(void)
{
    const struct bigtcp_port *port;
    size_t n = 0;

    HMAP_FOR_EACH (port, node, &bigtcp_ports) {
        n += bigtcp_port_is_managed(port);
    }
    return n;
}

/* Returns true if a port or, if 'or_bridge', the bridge of one is called
 * 'name'. */
bool
bigtcp_port_exists(const char *name, bool or_bridge)
{
    const struct bigtcp_port *port;

    HMAP_FOR_EACH (port, node, &bigtcp_ports) {
        if (!strcmp(netdev_get_name(port->netdev), name)
            || (or_bridge && !strcmp(port->bridge->name, name))) {
            return true;
        }
    }
    return false;
}

/* Returns an array, which the caller frees, of the '*n' ports whose name or,
 * if 'or_bridge', whose bridge's name is in 'names', of all ports if that is
 * empty, sorted by bridge and name. */
struct bigtcp_port **
bigtcp_port_list(const struct sset *names, bool or_bridge, size_t *n)
{
    struct bigtcp_port **ports = xcalloc(hmap_count(&bigtcp_ports) + 1,
                                         sizeof *ports);
    struct bigtcp_port *port;

    *n = 0;
    HMAP_FOR_EACH (port, node, &bigtcp_ports) {
        if (sset_is_empty(names)
            || sset_contains(names, netdev_get_name(port->netdev))
            || (or_bridge && sset_contains(names, port->bridge->name))) {
            ports[(*n)++] = port;
        }
    }
    qsort(ports, *n, sizeof *ports, bigtcp_port_compare);
    return ports;
}

/* Stores in 'description' the first port on 'device' of 'class', by name, for
 * which 'matches', unless it is NULL, returns true with 'aux'.  Returns false
 * if there is none. */
bool
bigtcp_port_describe(const char *name, const struct bigtcp_class *class,
                     bool (*matches)(const struct netdev *, const void *aux),
                     const void *aux,
                     struct bigtcp_port_description *description)
{
    const struct bigtcp_device *device = bigtcp_device_find(name, class);
    const struct bigtcp_port *found = NULL;
    const struct bigtcp_port *port;

    if (device) {
        LIST_FOR_EACH (port, in_device, &device->ports) {
            if ((!matches || matches(port->netdev, aux))
                && (!found || bigtcp_port_compare(&port, &found) < 0)) {
                found = port;
            }
        }
    }
    if (found) {
        description->netdev = found->netdev;
        description->bridge = found->bridge->name;
        description->internal = found->internal;
        description->managed = bigtcp_port_is_managed(found);
        description->settings = found->effective;
    }
    return found != NULL;
}

/* For qsort() of pointers to ports: by bridge, then by name. */
int
bigtcp_port_compare(const void *a_, const void *b_)
{
    const struct bigtcp_port *const *a = a_;
    const struct bigtcp_port *const *b = b_;
    int cmp = ((*a)->bridge == (*b)->bridge ? 0
               : strcmp((*a)->bridge->name, (*b)->bridge->name));

    return cmp ? cmp : strcmp(netdev_get_name((*a)->netdev),
                              netdev_get_name((*b)->netdev));
}
