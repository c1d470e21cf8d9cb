/* SPDX-License-Identifier: Apache-2.0 */

/* Registry of ports and their kernel devices: keeps what lib/bigtcp.h
 * decides upon and carries out what it decides, through lib/bigtcp-provider.h.
 *
 * Everything here runs in the main thread, as do the hooks and the unixctl
 * commands that call it, so that there is no lock. */

#include <config.h>

#include "bigtcp-port.h"
#include "bigtcp-port-private.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <string.h>

#include "bigtcp.h"
#include "bigtcp-group.h"
#include "bigtcp-hazards.h"
#include "bigtcp-news.h"
#include "bigtcp-observe.h"
#include "bigtcp-originals.h"
#include "bigtcp-provider.h"
#include "bigtcp-route.h"
#include "coverage.h"
#include "hash.h"
#include "netdev-provider.h"
#include "openvswitch/hmap.h"
#include "openvswitch/list.h"
#include "openvswitch/poll-loop.h"
#include "openvswitch/shash.h"
#include "openvswitch/vlog.h"
#include "seq.h"
#include "smap.h"
#include "sset.h"
#include "svec.h"
#include "timeval.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(bigtcp);

COVERAGE_DEFINE(bigtcp_read);
COVERAGE_DEFINE(bigtcp_change);
COVERAGE_DEFINE(bigtcp_failure);
COVERAGE_DEFINE(bigtcp_drift);
COVERAGE_DEFINE(bigtcp_poll);
COVERAGE_DEFINE(bigtcp_tell);

/* A device that another program keeps changing, or that refuses what is asked,
 * is tried again after a time that doubles with each turn. */
enum {
    MIN_BACKOFF = 10 * 1000,    /* Milliseconds. */
    MAX_BACKOFF = 320 * 1000,
};

/* All bridges, ports and devices. */
static struct hmap bridges = HMAP_INITIALIZER(&bridges);
struct hmap bigtcp_ports = HMAP_INITIALIZER(&bigtcp_ports);
struct hmap bigtcp_devices = HMAP_INITIALIZER(&bigtcp_devices);

/* Settings of the row of Open_vSwitch. */
static struct bigtcp_settings defaults;

/* Devices that bigtcp_port_commit() must look at. */
static struct ovs_list touched_devices
    = OVS_LIST_INITIALIZER(&touched_devices);

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

/* Next time that all managed devices are read, LLONG_MAX for never. */
static long long int next_poll = LLONG_MAX;

/* The commit under way was asked for by a person, who need not wait. */
static bool forced;

/* Interface status of all ports is written after the commit under way. */
static bool status_follows;

/* Ports may be 'untold', and bigtcp_port_run() was called since then. */
static bool has_untold;
static bool untold_waited;

/* File for bigtcp_originals_read() and _write(), whether it was read, and
 * whether it must be written. */
static char *originals_file;
static bool originals_loaded;
static bool originals_changed;

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 20);

static struct bigtcp_bridge *bridge_get(const char *name);
static void bridge_unref(struct bigtcp_bridge *);
static struct bigtcp_bridge *bridge_group(struct bigtcp_bridge *);

const struct bigtcp_class *const bigtcp_classes[BIGTCP_N_CLASSES] = {
    &bigtcp_rtnl_class,
    &bigtcp_dummy_class,
};

static struct bigtcp_port *port_find(const struct netdev *);
static void port_resolve(struct bigtcp_port *);
static bool port_asks(const struct bigtcp_port *);
static void port_detach(struct bigtcp_port *);
static void port_tell(struct bigtcp_port *);
static void port_defer(struct bigtcp_port *);
static bool port_is_stale(const struct bigtcp_port *);
static int port_compare(const void *, const void *);

static struct bigtcp_device *device_find(const char *name,
                                         const struct bigtcp_class *);
static struct bigtcp_device *device_get(const char *name,
                                        const struct bigtcp_class *);
static void device_touch(struct bigtcp_device *);
static void device_watch(struct bigtcp_device *);
static void device_destroy(struct bigtcp_device *);
static bool device_is_managed(const struct bigtcp_device *);

static void load_originals(void);
static void save_originals(void);
static void schedule_poll(void);
static bool is_touched(void);

/* Initializes the registry.  Original sizes are recorded in
 * 'originals_file_'. */
void
bigtcp_port_init(const char *originals_file_)
{
    originals_file = xstrdup(originals_file_);
}

/* Frees the registry.  If 'restore' is true, every device first gets its
 * original sizes back; otherwise it keeps what it has, as the datapath does,
 * for the daemon that follows. */
void
bigtcp_port_exit(bool restore)
{
    struct bigtcp_bridge *bridge;
    struct bigtcp_device *device;
    struct bigtcp_port *port;

    HMAP_FOR_EACH_SAFE (port, node, &bigtcp_ports) {
        bigtcp_port_forget(port->netdev);
    }
    if (restore) {
        bigtcp_port_commit(false);
    }
    free(topology.ports);
    memset(&topology, 0, sizeof topology);
    HMAP_FOR_EACH_SAFE (device, node, &bigtcp_devices) {
        device_destroy(device);
    }
    HMAP_FOR_EACH_SAFE (bridge, node, &bridges) {
        bridge->n_ports = 1;
        bridge_unref(bridge);
    }
    bigtcp_settings_destroy(&defaults);
    bigtcp_settings_init(&defaults);
    free(originals_file);
    originals_file = NULL;
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
                device_touch(port->device);
            } else if (!port->peer) {
                port_defer(port);
            }
        }
    }
    topology_changed = true;
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
        topology_changed = true;
    }
    port->unsupported = place->unsupported;
    port->internal = place->internal;

    if (port->device && (!place->class
                         || port->device->class != place->class
                         || strcmp(port->device->name, place->device))) {
        port_detach(port);
    }
    if (!port->device && place->class) {
        struct bigtcp_port *other;

        port->device = device_get(place->device, place->class);
        LIST_FOR_EACH (other, in_device, &port->device->ports) {
            other->changed = true;
        }
        ovs_list_push_back(&port->device->ports, &port->in_device);
        topology_changed = true;
        changed |= port_asks(port);
    }

    if (!port->device) {
        if (changed) {
            if (port_asks(port)) {
                VLOG_INFO("%s: %s (%s)", netdev_get_name(netdev),
                          bigtcp_state_to_string(BIGTCP_STATE_UNSUPPORTED),
                          port->unsupported);
            }
            port_defer(port);
        }
    } else if (changed) {
        port->changed = true;
        device_touch(port->device);
    } else if (device_is_managed(port->device) && port_is_stale(port)) {
        device_touch(port->device);
        if (netdev_get_tunnel_config(netdev)) {
            /* It may lead elsewhere now. */
            topology_changed = true;
        }
    }
}

/* Notes that an earlier process managed the port at 'place', and takes its
 * original sizes from 'original', the text that the status of its Interface
 * has for them or NULL, unless they are known. */
void
bigtcp_port_learn(const struct bigtcp_port_place *place, const char *original)
{
    struct bigtcp_device *device;
    struct bigtcp_sizes sizes;
    int ifindex;

    if (!place->class) {
        return;
    }
    device = device_get(place->device, place->class);
    if (!device->original.present && original
        && ovs_scan(original, "ifindex=%d", &ifindex)
        && bigtcp_sizes_parse(&sizes, original)) {
        device->original = sizes;
        device->original_ifindex = ifindex;
    }
    /* So that its status is written anew, keys or not. */
    device_touch(device);
}

/* Notes that 'netdev' is no port any more.  Its device gets its original
 * sizes back at the next commit unless another port still asks for some. */
void
bigtcp_port_forget(const struct netdev *netdev)
{
    struct bigtcp_port *port = port_find(netdev);

    if (port) {
        if (port->device) {
            port_detach(port);
        }
        hmap_remove(&bigtcp_ports, &port->node);
        bigtcp_settings_destroy(&port->settings);
        bridge_unref(port->bridge);
        free(port->peer);
        free(port);
        topology_changed = true;
    }
}

/* Makes the next commit look at the device of 'netdev' if something happened
 * to it. */
void
bigtcp_port_touch(const struct netdev *netdev)
{
    const struct bigtcp_port *port = port_find(netdev);

    if (port && port->device && device_is_managed(port->device)
        && port_is_stale(port)) {
        device_touch(port->device);
    }
}

/* Makes the next commit look at all managed devices. */
static void
touch_all(void)
{
    struct bigtcp_device *device;

    HMAP_FOR_EACH (device, node, &bigtcp_devices) {
        if (device_is_managed(device)) {
            device_touch(device);
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
            if (device_is_managed(device)) {
                next_poll = time_msec() + interval * 1000LL;
                break;
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

        if (port->device && device_is_managed(port->device)
            && bigtcp_route_lookup(port->netdev, &route)
            && (strcmp(route.device, port->route.device)
                || route.ipv6 != port->route.ipv6)) {
            topology_changed = true;
        }
    }
}

/* Returns true if 'device', just read, is not as the last commit left it, or
 * if that left something to do. */
static bool
device_has_news(const struct bigtcp_device *device)
{
    return (device->error != device->told_error
            || device->remote != device->told_remote
            || (!device->error
                && !bigtcp_link_equal(&device->link, &device->told))
            || device->backoff
            || device->report.state == BIGTCP_STATE_DRIFTED
            || device->report.state == BIGTCP_STATE_ERROR);
}

/* Reads all managed devices, and those that they depend on, and makes the next
 * commit, which must follow at once, look at those with news. */
static void
poll_devices(void)
{
    struct bigtcp_device **devs = xcalloc(hmap_count(&bigtcp_devices) + 1,
                                          sizeof *devs);

    COVERAGE_INC(bigtcp_poll);
    for (size_t i = 0; i < BIGTCP_N_CLASSES; i++) {
        struct bigtcp_device *device;
        size_t n = 0;

        HMAP_FOR_EACH (device, node, &bigtcp_devices) {
            if (device->class == bigtcp_classes[i]
                && (device_is_managed(device) || device->watched)) {
                devs[n++] = device;
            }
        }
        if (n) {
            bigtcp_devices_read(devs, n, false);
        }
        for (size_t j = 0; j < n; j++) {
            if (device_has_news(devs[j])) {
                device_touch(devs[j]);
            }
            devs[j]->fresh = true;
        }
    }
    free(devs);
}

static void
forget_fresh(void)
{
    struct bigtcp_device *device;

    HMAP_FOR_EACH (device, node, &bigtcp_devices) {
        device->fresh = false;
    }
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
            port_tell(port);
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

    if (has_tunnels && seq_read(tnl_conf_seq) != seen_routes) {
        seen_routes = seq_read(tnl_conf_seq);
        check_routes();
    }
    if (polled) {
        poll_devices();
        schedule_poll();
    }
    for (size_t i = 0; i < BIGTCP_N_CLASSES; i++) {
        if (bigtcp_classes[i]->run()) {
            touch_all();
        }
    }
    if (is_touched()) {
        bigtcp_port_commit(false);
    }
    tell_untold();
    if (polled) {
        forget_fresh();
    }
}

/* Wakes up when bigtcp_port_run() has something to do. */
void
bigtcp_port_wait(void)
{
    if (has_tunnels) {
        seq_wait(tnl_conf_seq, seen_routes);
    }
    if (next_poll != LLONG_MAX) {
        poll_timer_wait_until(next_poll);
    }
    for (size_t i = 0; i < BIGTCP_N_CLASSES; i++) {
        bigtcp_classes[i]->wait();
    }
    if (is_touched() || has_untold) {
        poll_immediate_wake();
    }
}

/* Returns true if bigtcp_port_commit() has something to do. */
static bool
is_touched(void)
{
    return topology_changed || !ovs_list_is_empty(&touched_devices);
}

/* Steps of a commit. */

/* Collects what the ports of 'device' ask for. */
static void
update_request(struct bigtcp_device *device)
{
    const struct bigtcp_port *port;

    bigtcp_request_init(&device->request);
    LIST_FOR_EACH (port, in_device, &device->ports) {
        bigtcp_request_add(&device->request, &port->effective);
    }
    if (device->request.is_auto && device->class->resegments) {
        device->request.resegments = device->class->resegments();
    }
}

/* Remembers the values that 'device' has now of what 'change' changes. */
static void
keep_originals(struct bigtcp_device *device, const struct bigtcp_sizes *change)
{
    BIGTCP_FOR_EACH_ATTR (attr) {
        if (bigtcp_sizes_has(change, attr)
            && !bigtcp_sizes_has(&device->original, attr)) {
            bigtcp_sizes_set(&device->original, attr,
                             device->link.sizes.value[attr]);
            device->original_ifindex = device->link.ifindex;
            originals_changed = true;
        }
    }
}

/* Forgets the original values of 'device' that it has again and that no port
 * asks to change; all of them if no port asks for anything, since what the
 * ceiling did not let come back will not.  A ceiling that nothing can set now
 * may come back later, and with it the rest. */
static void
drop_originals(struct bigtcp_device *device)
{
    const enum bigtcp_attr tso = BIGTCP_TSO_MAX_SIZE;

    if (bigtcp_sizes_has(&device->original, tso) && !device->link.settable
        && device->link.sizes.value[tso] != device->original.value[tso]) {
        return;
    }
    BIGTCP_FOR_EACH_ATTR (attr) {
        if (bigtcp_sizes_has(&device->original, attr)
            && !bigtcp_sizes_has(&device->request.asked, attr)
            && !(device->request.held & (1u << attr))
            && (!device->request.asked.present
                || (device->link.sizes.value[attr]
                    == device->original.value[attr]))) {
            bigtcp_sizes_clear(&device->original, attr);
            originals_changed = true;
        }
    }
}

/* Notes that 'device' is the one that it was, with another number, which is
 * that of a device in the network namespace that it was moved to. */
static void
follow_move(struct bigtcp_device *device)
{
    struct bigtcp_port *port;

    device->original_ifindex = device->link.ifindex;
    device->settled_ifindex = device->link.ifindex;
    originals_changed = true;
    LIST_FOR_EACH (port, in_device, &device->ports) {
        port->changed = true;
    }
}

static void
forget_originals(struct bigtcp_device *device)
{
    if (device->original.present) {
        memset(&device->original, 0, sizeof device->original);
        originals_changed = true;
    }
}

/* Adds to the report of 'device', just read, what is wrong with it.  If it is
 * another device than before, forgets what was known of that. */
static void
examine(struct bigtcp_device *device)
{
    if (device->error == ENODEV && device->internal) {
        bigtcp_report_add(&device->report, BIGTCP_STATE_REMOTE,
                          "%s is in another network namespace, which cannot "
                          "be read", device->name);
    } else if (device->remote) {
        bigtcp_report_add(&device->report, BIGTCP_STATE_REMOTE,
                          "%s is in another network namespace, which kernel "
                          "module openvswitch_bigtcp reaches",
                          device->name);
    } else if (device->error == ENODEV) {
        forget_originals(device);
        if (!ovs_list_is_empty(&device->ports)) {
            bigtcp_report_add(&device->report, BIGTCP_STATE_ERROR,
                              "there is no device %s", device->name);
        }
    } else if (device->error) {
        bigtcp_report_add(&device->report, BIGTCP_STATE_ERROR,
                          "cannot read %s: %s", device->name,
                          ovs_strerror(device->error));
        VLOG_WARN_RL(&rl, "%s", ds_cstr(&device->report.reason));
    } else if (device->original.present
               && device->original_ifindex != device->link.ifindex) {
        if (device->told.ifindex && device->netnsid != device->link.netnsid) {
            follow_move(device);
        } else {
            /* Another device of the same name. */
            forget_originals(device);
        }
    }
    if (!device->error && !device->remote) {
        device->netnsid = device->link.netnsid;
    }
}

/* Doubles the time before 'device' is sent the same again. */
static void
back_off(struct bigtcp_device *device)
{
    device->backoff = MIN(MAX(device->backoff * 2, MIN_BACKOFF), MAX_BACKOFF);
    device->hold_until = time_msec() + device->backoff;
}

/* Finds which of the sizes that 'device' lacks of 'wanted' it had, and lost to
 * another program.  Unless that is put right now, makes 'wanted' what is there
 * and says so in the report. */
static void
handle_drift(struct bigtcp_device *device, struct bigtcp_sizes *wanted)
{
    struct ds what = DS_EMPTY_INITIALIZER;
    bool put_right = (forced || (device->request.enforce
                                 && time_msec() >= device->hold_until));

    if (device->settled_ifindex != device->link.ifindex) {
        return;
    }
    BIGTCP_FOR_EACH_ATTR (attr) {
        uint32_t live = device->link.sizes.value[attr];

        if (bigtcp_sizes_has(wanted, attr)
            && bigtcp_sizes_has(&device->settled, attr)
            && wanted->value[attr] == device->settled.value[attr]
            && wanted->value[attr] != live
            && (bigtcp_sizes_has(&device->request.asked, attr)
                || bigtcp_sizes_has(&device->original, attr))) {
            ds_put_format(&what, "%s%s is %"PRIu32", not %"PRIu32,
                          what.length ? ", " : "",
                          bigtcp_attr_to_string(attr), live,
                          wanted->value[attr]);
            if (!put_right) {
                wanted->value[attr] = live;
            }
        }
    }

    if (what.length && put_right) {
        COVERAGE_INC(bigtcp_drift);
        device->n_drifts++;
        back_off(device);
        VLOG_WARN_RL(&rl, "%s: another program changed it: %s; put right "
                     "(for the %u. time)", device->name, ds_cstr(&what),
                     device->n_drifts);
    } else if (what.length && !device->request.enforce) {
        bigtcp_report_add(&device->report, BIGTCP_STATE_DRIFTED,
                          "another program changed it: %s "
                          "(bigtcp_enforce=false)", ds_cstr(&what));
    } else if (what.length) {
        bigtcp_report_add(&device->report, BIGTCP_STATE_DRIFTED,
                          "another program keeps changing it: %s "
                          "(put right %u times)", ds_cstr(&what),
                          device->n_drifts);
    } else if (time_msec() >= device->hold_until + device->backoff) {
        device->backoff = 0;
    }
    ds_destroy(&what);
}

/* Returns true if the kernel refused to bring 'device' to 'wanted' not long
 * ago, when it had the sizes that it has now. */
static bool
is_held(const struct bigtcp_device *device, const struct bigtcp_sizes *wanted)
{
    return (device->refused && !forced
            && time_msec() < device->hold_until
            && device->settled_ifindex == device->link.ifindex
            && bigtcp_sizes_equal(wanted, &device->settled)
            && bigtcp_sizes_equal(&device->told.sizes,
                                  &device->link.sizes));
}

/* Decides, after policy's 'wanted', what must be sent to 'device' and stores
 * it in 'change'.  'before' is the report of the last commit. */
static void
decide(struct bigtcp_device *device, struct bigtcp_sizes *wanted,
       struct bigtcp_sizes *change, const struct bigtcp_report *before)
{
    struct bigtcp_sizes settled = *wanted;

    memset(change, 0, sizeof *change);
    if (device->error || device->remote) {
        return;
    }
    if (is_held(device, wanted)) {
        bigtcp_report_clear(&device->report);
        bigtcp_report_append(&device->report, before);
        return;
    }
    if (!device->refused) {
        handle_drift(device, wanted);
    }
    bigtcp_diff(wanted, &device->link.sizes, change);
    device->settled = settled;
    device->settled_ifindex = device->link.ifindex;
    device->refused = false;
}

/* Adds to the report of 'device' that the kernel refused 'change'. */
static void
report_refusal(struct bigtcp_device *device,
               const struct bigtcp_access *access)
{
    struct ds what = DS_EMPTY_INITIALIZER;

    COVERAGE_INC(bigtcp_failure);
    bigtcp_sizes_format(&access->sizes, &what);
    bigtcp_report_add(&device->report, BIGTCP_STATE_ERROR,
                      "%s refused: %s%s%s%s", ds_cstr(&what),
                      ovs_strerror(access->error),
                      access->message ? " (" : "",
                      access->message ? access->message : "",
                      access->message ? ")" : "");
    VLOG_WARN_RL(&rl, "%s: %s", device->name,
                 ds_cstr(&device->report.reason));
    ds_destroy(&what);
}

/* Sends the changes in 'access' that the kernel refused together one by one,
 * in the order in which it would have applied them, so that only what is
 * really refused is missing.  Returns, as bits, what was refused. */
static uint32_t
set_one_by_one(struct bigtcp_device *device,
               const struct bigtcp_access *access)
{
    uint32_t refused = 0;

    BIGTCP_FOR_EACH_ATTR (attr) {
        struct bigtcp_access one = { .name = device->name,
                                     .link = &device->link };

        if (bigtcp_sizes_has(&access->sizes, attr)) {
            bigtcp_sizes_set(&one.sizes, attr, access->sizes.value[attr]);
            device->class->set(&one, 1);
            if (one.error) {
                report_refusal(device, &one);
                refused |= 1u << attr;
            }
            free(one.message);
        }
    }
    return refused;
}

/* Changes the 'n' devices in 'devs', which are of one class, by 'changes',
 * and reads back whether they have 'wanted'. */
static void
change_devices(struct bigtcp_device *devs[],
               const struct bigtcp_sizes changes[],
               const struct bigtcp_sizes wanted[], size_t n)
{
    struct bigtcp_access *accesses = xcalloc(n, sizeof *accesses);
    uint32_t *refused = xcalloc(n, sizeof *refused);

    for (size_t i = 0; i < n; i++) {
        accesses[i].name = devs[i]->name;
        accesses[i].link = &devs[i]->link;
        accesses[i].sizes = changes[i];
    }
    devs[0]->class->set(accesses, n);
    COVERAGE_ADD(bigtcp_change, n);

    for (size_t i = 0; i < n; i++) {
        if (accesses[i].error) {
            if (accesses[i].error != ENODEV
                && !is_pow2(accesses[i].sizes.present)) {
                refused[i] = set_one_by_one(devs[i], &accesses[i]);
            } else {
                report_refusal(devs[i], &accesses[i]);
                refused[i] = accesses[i].sizes.present;
            }
        }
        if (accesses[i].error) {
            devs[i]->refused = true;
            back_off(devs[i]);
        }
        free(accesses[i].message);
    }
    free(accesses);

    bigtcp_devices_read(devs, n, false);
    for (size_t i = 0; i < n; i++) {
        struct bigtcp_device *device = devs[i];

        if (device->error || device->remote) {
            continue;
        }
        BIGTCP_FOR_EACH_ATTR (attr) {
            if (bigtcp_sizes_has(&wanted[i], attr)
                && !(refused[i] & (1u << attr))
                && device->link.sizes.value[attr] != wanted[i].value[attr]) {
                COVERAGE_INC(bigtcp_failure);
                bigtcp_report_add(&device->report, BIGTCP_STATE_ERROR,
                                  "the kernel took %s=%"PRIu32" but the "
                                  "device has %"PRIu32,
                                  bigtcp_attr_to_string(attr),
                                  wanted[i].value[attr],
                                  device->link.sizes.value[attr]);
            }
        }
    }
    free(refused);
}

/* Returns true if 'device' has other sizes than those told of. */
static bool
has_moved(const struct bigtcp_device *device)
{
    BIGTCP_FOR_EACH_ATTR (attr) {
        if (!device->error
            && bigtcp_sizes_has(&device->told.sizes, attr)
            && (device->told.sizes.value[attr]
                != device->link.sizes.value[attr])) {
            return true;
        }
    }
    return false;
}

/* Tells the ports of 'device' what changed since the last commit, of which
 * 'before' is the report.  Returns true, with that in '*news', if anything
 * did. */
static bool
publish(struct bigtcp_device *device, const struct bigtcp_report *before,
        struct bigtcp_news *news)
{
    const char *reason = ds_cstr_ro(&device->report.reason);
    bool managed = device_is_managed(device);
    struct bigtcp_port *port;
    bool changed;

    changed = (managed != device->managed
               || (managed && (has_moved(device)
                               || device->report.state != before->state
                               || strcmp(reason,
                                         ds_cstr_ro(&before->reason)))));
    if (changed) {
        news->device = device->name;
        news->managed = managed;
        news->state = device->report.state;
        news->reason = reason;
        news->before = device->told.sizes;
        news->after = device->error ? news->before : device->link.sizes;
    }
    LIST_FOR_EACH (port, in_device, &device->ports) {
        port->seen_seq = netdev_get_change_seq(port->netdev);
        if (changed || port->changed) {
            port->changed = false;
            if (status_follows) {
                port_defer(port);
            } else {
                port_tell(port);
            }
        }
    }
    device->managed = managed;
    device->told_error = device->error;
    device->told_remote = device->remote;
    if (!device->error) {
        device->told = device->link;
    }
    return changed;
}

/* Logs what happened to 'n' devices. */
static void
log_news(const struct bigtcp_news *news, size_t n)
{
    struct svec lines = SVEC_EMPTY_INITIALIZER;
    const char *line;
    size_t i;

    bigtcp_news_format(news, n, &lines);
    SVEC_FOR_EACH (i, line, &lines) {
        VLOG_INFO("%s", line);
    }
    svec_destroy(&lines);

    if (n > BIGTCP_NEWS_EACH && VLOG_IS_DBG_ENABLED()) {
        for (i = 0; i < n; i++) {
            struct ds ds = DS_EMPTY_INITIALIZER;

            bigtcp_news_format_one(&news[i], &ds);
            VLOG_DBG("%s", ds_cstr(&ds));
            ds_destroy(&ds);
        }
    }
}

/* Joins the bridges that patch ports connect. */
static void
join_bridges(void)
{
    struct shash names = SHASH_INITIALIZER(&names);
    struct bigtcp_bridge *bridge;
    struct bigtcp_port *port;

    HMAP_FOR_EACH (bridge, node, &bridges) {
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

/* Finds the devices on which others depend, those of each group in which a
 * port is 'auto' and those that packets of managed tunnels, VLANs and the like
 * leave by, and puts ports in groups. */
static void
find_topology(void)
{
    struct bigtcp_device *device;
    struct bigtcp_bridge *bridge;
    struct bigtcp_port *port;
    bool is_needed = false;

    free(topology.ports);
    memset(&topology, 0, sizeof topology);
    topology_changed = false;
    has_tunnels = false;

    HMAP_FOR_EACH (device, node, &bigtcp_devices) {
        if (device->watched) {
            device->watched = false;
            device_touch(device);
        }
    }
    join_bridges();
    HMAP_FOR_EACH (port, node, &bigtcp_ports) {
        memset(&port->route, 0, sizeof port->route);
        if (port->device) {
            if (bigtcp_settings_is_auto(&port->effective)) {
                bridge_group(port->bridge)->is_auto = is_needed = true;
            }
            if (port_asks(port)) {
                has_tunnels |= bigtcp_route_lookup(port->netdev,
                                                   &port->route);
                is_needed |= !sset_is_empty(&port->device->lowers);
            }
        }
    }
    seen_routes = has_tunnels ? seq_read(tnl_conf_seq) : 0;
    is_needed |= has_tunnels;
    if (!is_needed) {
        return;
    }

    HMAP_FOR_EACH (bridge, node, &bridges) {
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
                || (port_asks(port)
                    && !sset_is_empty(&port->device->lowers))) {
                device_watch(port->device);
            }
            if (port->route.device[0]) {
                device_watch(port->device);
                device_watch(device_get(port->route.device,
                                        port->device->class));
            }
        }
    }
    qsort(topology.ports, topology.n_ports, sizeof *topology.ports,
          port_compare);
}

/* Makes this commit look at all devices that depend on each other if it looks
 * at any of them. */
static void
touch_watched(void)
{
    struct bigtcp_device *device;
    bool touched = false;

    LIST_FOR_EACH (device, touched, &touched_devices) {
        if (device->watched) {
            touched = true;
            break;
        }
    }
    if (touched) {
        HMAP_FOR_EACH (device, node, &bigtcp_devices) {
            if (device->watched) {
                device_touch(device);
            }
        }
    }
}

/* Stores in '*lower' where the 'n' devices in 'devs' have the one called
 * 'name', which the one with number 'upper' leaves by.  Returns true if they
 * have. */
static bool
find_lower(struct bigtcp_device *devs[], size_t n, size_t upper,
           const char *name, struct bigtcp_lower *lower)
{
    const struct bigtcp_device *device = device_find(name, devs[0]->class);

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

/* Has policy decide what the 'n' devices in 'devs', which are of one class and
 * were read, should have, and stores it in 'wanted'. */
static void
apply_policy(struct bigtcp_device *devs[], size_t n,
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
        members[i].managed = device_is_managed(device);
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
    }

    bigtcp_group_decide(members, n, memberships, n_memberships,
                        topology.n_groups);
    for (size_t i = 0; i < n; i++) {
        devs[i]->request = members[i].request;
        wanted[i] = members[i].wanted;
        free(members[i].lowers);
    }
    free(members);
    free(memberships);
}

/* Brings the 'n' devices in 'devs', all of one class, to what is wanted. */
static void
commit_devices(struct bigtcp_device *devs[], size_t n)
{
    struct bigtcp_sizes *changes = xcalloc(n, sizeof *changes);
    struct bigtcp_sizes *wanted = xcalloc(n, sizeof *wanted);
    struct bigtcp_device **some = xcalloc(n, sizeof *some);
    struct bigtcp_report *before = xcalloc(n, sizeof *before);
    struct bigtcp_news *news = xcalloc(n, sizeof *news);
    size_t n_some = 0;
    size_t n_news = 0;

    for (size_t i = 0; i < n; i++) {
        before[i] = devs[i]->report;
        bigtcp_report_init(&devs[i]->report);
        if (device_is_managed(devs[i]) || devs[i]->watched) {
            examine(devs[i]);
        }
    }
    apply_policy(devs, n, wanted);

    for (size_t i = 0; i < n; i++) {
        if (device_is_managed(devs[i])) {
            decide(devs[i], &wanted[i], &changes[i], &before[i]);
        }
        if (!devs[i]->managed
            || devs[i]->told.ifindex != devs[i]->link.ifindex) {
            devs[i]->told = devs[i]->link;
        }
        if (changes[i].present) {
            keep_originals(devs[i], &changes[i]);
            wanted[n_some] = wanted[i];
            changes[n_some] = changes[i];
            some[n_some++] = devs[i];
        }
    }

    /* First on record, then done: a daemon that is killed in between leaves
     * true originals. */
    save_originals();
    if (n_some) {
        change_devices(some, changes, wanted, n_some);
    }

    for (size_t i = 0; i < n; i++) {
        if (!devs[i]->error && !devs[i]->remote) {
            drop_originals(devs[i]);
        }
        n_news += publish(devs[i], &before[i], &news[n_news]);
        bigtcp_report_destroy(&before[i]);
    }
    log_news(news, n_news);
    for (size_t i = 0; i < n; i++) {
        if (ovs_list_is_empty(&devs[i]->ports) && !devs[i]->watched) {
            device_destroy(devs[i]);
        }
    }
    save_originals();

    free(news);
    free(before);
    free(some);
    free(wanted);
    free(changes);
}

/* Reads those devices to look at that were not read just now. */
static void
read_touched(void)
{
    struct bigtcp_device **devs = xcalloc(ovs_list_size(&touched_devices) + 1,
                                          sizeof *devs);

    for (size_t i = 0; i < BIGTCP_N_CLASSES; i++) {
        struct bigtcp_device *device;
        size_t n = 0;

        LIST_FOR_EACH (device, touched, &touched_devices) {
            if (device->class == bigtcp_classes[i] && !device->fresh
                && (device_is_managed(device) || device->watched)) {
                device->fresh = true;
                devs[n++] = device;
            }
        }
        if (n) {
            bigtcp_devices_read(devs, n, true);
        }
    }
    free(devs);
}

/* Does what the calls since the last commit ask for.  'status_follows_' says
 * that the caller has bigtcp_port_get_status() called for all ports soon. */
void
bigtcp_port_commit(bool status_follows_)
{
    struct bigtcp_device *device;
    struct ovs_list todo;
    size_t n;

    load_originals();
    if (!is_touched()) {
        return;
    }
    status_follows = status_follows_;

    /* To read a device can bring to light others that it depends on. */
    do {
        if (topology_changed) {
            find_topology();
        }
        touch_watched();
        LIST_FOR_EACH (device, touched, &touched_devices) {
            update_request(device);
        }
        read_touched();
    } while (topology_changed);
    n = ovs_list_size(&touched_devices);
    ovs_list_init(&todo);
    ovs_list_push_back_all(&todo, &touched_devices);

    struct bigtcp_device **devs = xcalloc(n, sizeof *devs);
    for (size_t i = 0; i < BIGTCP_N_CLASSES; i++) {
        n = 0;
        LIST_FOR_EACH_SAFE (device, touched, &todo) {
            if (device->class == bigtcp_classes[i]) {
                ovs_list_remove(&device->touched);
                ovs_list_init(&device->touched);
                devs[n++] = device;
            }
        }
        if (n) {
            commit_devices(devs, n);
        }
    }
    free(devs);
    forget_fresh();
    forced = false;
    if (next_poll == LLONG_MAX) {
        schedule_poll();
    }
}

/* Reads the 'n' devices in 'devs', which are of one class.  Unless 'details',
 * what takes a request for each of them is left out, except for the few that
 * have others below them. */
void
bigtcp_devices_read(struct bigtcp_device *devs[], size_t n, bool details)
{
    struct bigtcp_access *accesses = xcalloc(n, sizeof *accesses);
    struct bigtcp_link *links = xcalloc(n, sizeof *links);
    struct sset *lowers = xcalloc(n, sizeof *lowers);

    for (size_t i = 0; i < n; i++) {
        const struct bigtcp_port *port;

        devs[i]->internal = false;
        LIST_FOR_EACH (port, in_device, &devs[i]->ports) {
            devs[i]->internal |= port->internal;
        }
        accesses[i].name = devs[i]->name;
        accesses[i].internal = devs[i]->internal;
        accesses[i].link = &links[i];
        accesses[i].details = details || !sset_is_empty(&devs[i]->lowers);
        accesses[i].lowers = &lowers[i];
        sset_init(&lowers[i]);
    }
    devs[0]->class->get(accesses, n);
    COVERAGE_ADD(bigtcp_read, n);
    for (size_t i = 0; i < n; i++) {
        devs[i]->error = accesses[i].error;
        devs[i]->remote = accesses[i].remote;
        if (!accesses[i].error) {
            if (!accesses[i].details) {
                links[i].tso_off = devs[i]->link.tso_off;
                links[i].lro_on = devs[i]->link.lro_on;
            }
            devs[i]->link = links[i];
        }
        if (accesses[i].details
            && !sset_equals(&devs[i]->lowers, &lowers[i])) {
            sset_swap(&devs[i]->lowers, &lowers[i]);
            topology_changed = true;
        }
        sset_destroy(&lowers[i]);
        free(accesses[i].message);
    }
    free(lowers);
    free(links);
    free(accesses);
}

/* Bridges. */

/* Returns the bridge 'name', which is made if it is not known. */
static struct bigtcp_bridge *
bridge_get(const char *name)
{
    uint32_t hash = hash_string(name, 0);
    struct bigtcp_bridge *bridge;

    HMAP_FOR_EACH_WITH_HASH (bridge, node, hash, &bridges) {
        if (!strcmp(bridge->name, name)) {
            return bridge;
        }
    }

    bridge = xzalloc(sizeof *bridge);
    hmap_insert(&bridges, &bridge->node, hash);
    bridge->name = xstrdup(name);
    bridge->joined = bridge;
    bigtcp_settings_init(&bridge->settings);
    return bridge;
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

/* Takes a port off 'bridge', which goes with the last one. */
static void
bridge_unref(struct bigtcp_bridge *bridge)
{
    if (bridge && !--bridge->n_ports) {
        hmap_remove(&bridges, &bridge->node);
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
    LIST_FOR_EACH (other, in_device, &device->ports) {
        other->changed = true;
    }
    if (device_is_managed(device)) {
        device_touch(device);
    } else if (ovs_list_is_empty(&device->ports)) {
        device_destroy(device);
    }
}

/* Makes the bridge write Interface status of 'port' anew, and ofproto look at
 * the port, for which it asks the kernel several times: that must not bring us
 * back here. */
static void
port_tell(struct bigtcp_port *port)
{
    COVERAGE_INC(bigtcp_tell);
    port->untold = false;
    netdev_change_seq_changed(port->netdev);
    port->seen_seq = netdev_get_change_seq(port->netdev);
}

/* Notes that Interface status of 'port' must be written anew, which is done
 * for all ports after a reconfiguration, like the one that this is part of. */
static void
port_defer(struct bigtcp_port *port)
{
    port->untold = true;
    has_untold = true;
    untold_waited = false;
}

/* Returns true if something happened to the device of 'port' since it was last
 * read, maybe to its sizes.  A tunnel's netdev does not tell when its kernel
 * device is replaced. */
static bool
port_is_stale(const struct bigtcp_port *port)
{
    const struct bigtcp_device *device = port->device;

    return (netdev_get_change_seq(port->netdev) != port->seen_seq
            || (device->class == &bigtcp_rtnl_class
                && strcmp(device->name, netdev_get_name(port->netdev))
                && if_nametoindex(device->name) != device->link.ifindex));
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
}

/* Returns true if a row asks something of 'port'. */
static bool
port_asks(const struct bigtcp_port *port)
{
    return bigtcp_settings_asks(&port->effective);
}

/* Returns true if the keys for 'port', or what is left of them on its device,
 * are of interest. */
bool
bigtcp_port_is_managed(const struct bigtcp_port *port)
{
    return (port_asks(port)
            || (port->device && port->device->original.present));
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
        const struct bigtcp_port *other;

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
        LIST_FOR_EACH (other, in_device, &port->device->ports) {
            BIGTCP_FOR_EACH_ATTR (attr) {
                const struct bigtcp_setting *a = &settings->keys[attr];
                const struct bigtcp_setting *b = &other->effective.keys[attr];

                if (a->valid && b->valid && b->value > a->value) {
                    struct ds value = DS_EMPTY_INITIALIZER;

                    bigtcp_value_format(attr, b->value, &value);
                    bigtcp_report_add(report, BIGTCP_STATE_APPLIED,
                                      "port %s shares %s and asks for "
                                      "%s %s", netdev_get_name(other->netdev),
                                      port->device->name,
                                      bigtcp_attr_to_string(attr),
                                      ds_cstr(&value));
                    ds_destroy(&value);
                }
            }
        }
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

static uint32_t
device_hash(const char *name, const struct bigtcp_class *class)
{
    return hash_pointer(class, hash_string(name, 0));
}

/* Returns the device 'name' of 'class', or NULL. */
static struct bigtcp_device *
device_find(const char *name, const struct bigtcp_class *class)
{
    struct bigtcp_device *device;

    HMAP_FOR_EACH_WITH_HASH (device, node, device_hash(name, class),
                             &bigtcp_devices) {
        if (device->class == class && !strcmp(device->name, name)) {
            return device;
        }
    }
    return NULL;
}

/* Returns the device 'name' of 'class', which is made if it is not known. */
static struct bigtcp_device *
device_get(const char *name, const struct bigtcp_class *class)
{
    struct bigtcp_device *device = device_find(name, class);

    if (device) {
        return device;
    }
    device = xzalloc(sizeof *device);
    hmap_insert(&bigtcp_devices, &device->node, device_hash(name, class));
    ovs_list_init(&device->touched);
    ovs_list_init(&device->ports);
    device->name = xstrdup(name);
    device->class = class;
    sset_init(&device->lowers);
    bigtcp_report_init(&device->report);
    return device;
}

static void
device_touch(struct bigtcp_device *device)
{
    if (ovs_list_is_empty(&device->touched)) {
        ovs_list_push_back(&touched_devices, &device->touched);
    }
}

/* Notes that 'device' depends on others, or others on it.  What is below it
 * then does as well. */
static void
device_watch(struct bigtcp_device *device)
{
    const char *lower;

    if (!device->watched) {
        device->watched = true;
        device_touch(device);
        SSET_FOR_EACH (lower, &device->lowers) {
            device_watch(device_get(lower, device->class));
        }
    }
}

static void
device_destroy(struct bigtcp_device *device)
{
    ovs_assert(ovs_list_is_empty(&device->ports));
    hmap_remove(&bigtcp_devices, &device->node);
    ovs_list_remove(&device->touched);
    bigtcp_observation_destroy(device->observation);
    bigtcp_report_destroy(&device->report);
    sset_destroy(&device->lowers);
    free(device->name);
    free(device);
}

/* Returns true if a port of 'device' has a key or if the device has sizes to
 * give back. */
static bool
device_is_managed(const struct bigtcp_device *device)
{
    return (!bigtcp_request_is_empty(&device->request)
            || device->original.present);
}

/* Record of original sizes. */

static void
load_originals(void)
{
    struct bigtcp_original *originals;
    size_t n;
    int error;

    if (originals_loaded) {
        return;
    }
    originals_loaded = true;

    error = bigtcp_originals_read(originals_file, &originals, &n);
    if (error && error != ENOENT) {
        VLOG_WARN("%s: cannot read all original sizes of devices: %s",
                  originals_file, ovs_strerror(error));
    }
    for (size_t i = 0; i < n; i++) {
        const struct bigtcp_original *o = &originals[i];
        const struct bigtcp_class *class
            = (!strcmp(o->class, bigtcp_dummy_class.name)
               ? &bigtcp_dummy_class : &bigtcp_rtnl_class);
        struct bigtcp_device *device = device_get(o->device, class);

        device->original = o->sizes;
        device->original_ifindex = o->ifindex;
        device_touch(device);
    }
    bigtcp_originals_free(originals, n);
}

static void
save_originals(void)
{
    struct bigtcp_original *originals;
    struct bigtcp_device *device;
    size_t n = 0;
    int error;

    if (!originals_changed) {
        return;
    }
    originals_changed = false;

    originals = xcalloc(hmap_count(&bigtcp_devices), sizeof *originals);
    HMAP_FOR_EACH (device, node, &bigtcp_devices) {
        if (device->original.present) {
            originals[n++] = (struct bigtcp_original) {
                .device = xstrdup(device->name),
                .class = xstrdup(device->class->name),
                .ifindex = device->original_ifindex,
                .sizes = device->original,
            };
        }
    }
    error = bigtcp_originals_write(originals_file, originals, n);
    if (error) {
        VLOG_WARN_RL(&rl, "%s: cannot record original sizes of devices: %s",
                     originals_file, ovs_strerror(error));
    }
    bigtcp_originals_free(originals, n);
}

/* Reports. */

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

/* Adds to 'smap' the status of 'netdev'.  Returns false, with nothing added,
 * if it is not managed. */
bool
bigtcp_port_get_status(const struct netdev *netdev, struct smap *smap)
{
    const struct bigtcp_device *device;
    struct bigtcp_report report;
    struct bigtcp_port *port;

    port = port_find(netdev);
    if (port) {
        port->untold = false;
    }
    if (!port || !bigtcp_port_is_managed(port)) {
        return false;
    }

    device = port->device;
    if (device && !device->error) {
        BIGTCP_FOR_EACH_ATTR (attr) {
            if (bigtcp_sizes_has(&device->link.sizes, attr)) {
                struct ds ds = DS_EMPTY_INITIALIZER;

                bigtcp_put_uint(&ds, device->link.sizes.value[attr]);
                smap_add_nocopy(smap, xstrdup(bigtcp_attr_to_string(attr)),
                                ds_steal_cstr(&ds));
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
    return true;
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
    qsort(ports, *n, sizeof *ports, port_compare);
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
    const struct bigtcp_port *found = NULL;
    const struct bigtcp_device *device;
    const struct bigtcp_port *port;

    HMAP_FOR_EACH_WITH_HASH (device, node, device_hash(name, class),
                             &bigtcp_devices) {
        if (device->class != class || strcmp(device->name, name)) {
            continue;
        }
        LIST_FOR_EACH (port, in_device, &device->ports) {
            if ((!matches || matches(port->netdev, aux))
                && (!found || port_compare(&port, &found) < 0)) {
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
static int
port_compare(const void *a_, const void *b_)
{
    const struct bigtcp_port *const *a = a_;
    const struct bigtcp_port *const *b = b_;
    int cmp = ((*a)->bridge == (*b)->bridge ? 0
               : strcmp((*a)->bridge->name, (*b)->bridge->name));

    return cmp ? cmp : strcmp(netdev_get_name((*a)->netdev),
                              netdev_get_name((*b)->netdev));
}
