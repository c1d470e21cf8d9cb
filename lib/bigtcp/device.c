/* SPDX-License-Identifier: Apache-2.0 */

/* Kernel devices that ports are on, or that those depend on, and the record of
 * their original sizes. */

#include <config.h>

#include "bigtcp/port-private.h"

#include <errno.h>
#include <string.h>

#include "bigtcp/observe.h"
#include "bigtcp/originals.h"
#include "bigtcp/provider.h"
#include "bigtcp/settings.h"
#include "coverage.h"
#include "hash.h"
#include "netnsid.h"
#include "openvswitch/hmap.h"
#include "openvswitch/list.h"
#include "openvswitch/vlog.h"
#include "sset.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(bigtcp_device);

COVERAGE_DEFINE(bigtcp_read);

const struct bigtcp_class *const bigtcp_classes[BIGTCP_N_CLASSES] = {
    &bigtcp_rtnl_class,
    &bigtcp_dummy_class,
};

struct hmap bigtcp_devices = HMAP_INITIALIZER(&bigtcp_devices);
struct ovs_list bigtcp_touched_devices
    = OVS_LIST_INITIALIZER(&bigtcp_touched_devices);
struct ovs_list bigtcp_stale_devices
    = OVS_LIST_INITIALIZER(&bigtcp_stale_devices);

/* File for bigtcp_originals_read() and _write(), whether it was read, and
 * whether it must be written. */
static char *originals_file;
static bool originals_loaded;
static bool originals_changed;

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 20);

/* Original sizes are recorded in 'originals_file_'. */
void
bigtcp_devices_init(const char *originals_file_)
{
    originals_file = xstrdup(originals_file_);
}

/* Forgets all devices, which no port may be on. */
void
bigtcp_devices_exit(void)
{
    struct bigtcp_device *device;

    HMAP_FOR_EACH_SAFE (device, node, &bigtcp_devices) {
        bigtcp_device_destroy(device);
    }
    free(originals_file);
    originals_file = NULL;
}

static uint32_t
device_hash(const char *name, const struct bigtcp_class *class)
{
    return hash_pointer(class, hash_string(name, 0));
}

/* Returns the device 'name' of 'class', or NULL. */
struct bigtcp_device *
bigtcp_device_find(const char *name, const struct bigtcp_class *class)
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
struct bigtcp_device *
bigtcp_device_get(const char *name, const struct bigtcp_class *class)
{
    struct bigtcp_device *device = bigtcp_device_find(name, class);

    if (device) {
        return device;
    }
    device = xzalloc(sizeof *device);
    hmap_insert(&bigtcp_devices, &device->node, device_hash(name, class));
    ovs_list_init(&device->touched);
    ovs_list_init(&device->stale);
    ovs_list_init(&device->ports);
    device->name = xstrdup(name);
    device->class = class;
    sset_init(&device->lowers);
    sset_init(&device->ingress);
    bigtcp_report_init(&device->report);
    return device;
}

/* Makes the next commit look at 'device'. */
void
bigtcp_device_touch(struct bigtcp_device *device)
{
    if (ovs_list_is_empty(&device->touched)) {
        ovs_list_push_back(&bigtcp_touched_devices, &device->touched);
    }
}

/* Notes that something happened to 'device': the next commit reads it, and
 * looks at it if that brings news. */
void
bigtcp_device_set_stale(struct bigtcp_device *device)
{
    if (ovs_list_is_empty(&device->stale)) {
        ovs_list_push_back(&bigtcp_stale_devices, &device->stale);
    }
}

/* Notes that what bigtcp_port_get_status() says of the ports of 'device' may
 * have changed. */
void
bigtcp_device_forget_status(struct bigtcp_device *device)
{
    struct bigtcp_port *port;

    LIST_FOR_EACH (port, in_device, &device->ports) {
        bigtcp_port_forget_status(port);
    }
}

/* Notes that 'device' depends on others, or others on it.  What is below it
 * then does as well. */
void
bigtcp_device_watch(struct bigtcp_device *device)
{
    const char *lower;

    if (!device->watched) {
        device->watched = true;
        bigtcp_device_touch(device);
        SSET_FOR_EACH (lower, &device->lowers) {
            bigtcp_device_watch(bigtcp_device_get(lower, device->class));
        }
        SSET_FOR_EACH (lower, &device->ingress) {
            bigtcp_device_watch(bigtcp_device_get(lower, device->class));
        }
    }
}

/* Forgets 'device', which no port may be on. */
void
bigtcp_device_destroy(struct bigtcp_device *device)
{
    ovs_assert(ovs_list_is_empty(&device->ports));
    hmap_remove(&bigtcp_devices, &device->node);
    ovs_list_remove(&device->touched);
    ovs_list_remove(&device->stale);
    bigtcp_observation_destroy(device->observation);
    bigtcp_report_destroy(&device->report);
    sset_destroy(&device->lowers);
    sset_destroy(&device->ingress);
    free(device->name);
    free(device);
}

/* Returns true if a port of 'device' has a key or if the device has sizes to
 * give back. */
bool
bigtcp_device_is_managed(const struct bigtcp_device *device)
{
    return (!bigtcp_request_is_empty(&device->request)
            || device->original.present);
}

/* Does what bigtcp_devices_read() does with devices of one class. */
static void
read_class(struct bigtcp_device *devs[], size_t n)
{
    struct bigtcp_access *accesses = xcalloc(n, sizeof *accesses);
    struct bigtcp_link *links = xcalloc(n, sizeof *links);
    struct sset *ingress = xcalloc(n, sizeof *ingress);
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
        accesses[i].netnsid = (devs[i]->link.ifindex ? devs[i]->link.netnsid
                               : NETNSID_LOCAL);
        accesses[i].lowers = &lowers[i];
        accesses[i].ingress = &ingress[i];
        sset_init(&lowers[i]);
        sset_init(&ingress[i]);
    }
    devs[0]->class->get(accesses, n);
    COVERAGE_ADD(bigtcp_read, n);
    for (size_t i = 0; i < n; i++) {
        if (!devs[i]->error != !accesses[i].error) {
            bigtcp_device_forget_status(devs[i]);
        }
        devs[i]->error = accesses[i].error;
        devs[i]->remote = accesses[i].remote;
        if (!accesses[i].error) {
            if (!bigtcp_link_equal(&devs[i]->link, &links[i])) {
                devs[i]->link = links[i];
                bigtcp_device_forget_status(devs[i]);
            }
        }
        if (!sset_equals(&devs[i]->lowers, &lowers[i])) {
            sset_swap(&devs[i]->lowers, &lowers[i]);
            bigtcp_topology_change();
        }
        if (!sset_equals(&devs[i]->ingress, &ingress[i])) {
            sset_swap(&devs[i]->ingress, &ingress[i]);
            bigtcp_topology_change();
        }
        sset_destroy(&lowers[i]);
        sset_destroy(&ingress[i]);
        free(accesses[i].message);
    }
    free(lowers);
    free(ingress);
    free(links);
    free(accesses);
}

/* Reads the 'n' devices in 'devs'. */
void
bigtcp_devices_read(struct bigtcp_device *devs[], size_t n)
{
    struct bigtcp_device **some = xcalloc(n, sizeof *some);

    for (size_t i = 0; i < BIGTCP_N_CLASSES; i++) {
        size_t n_some = 0;

        for (size_t j = 0; j < n; j++) {
            if (devs[j]->class == bigtcp_classes[i]) {
                some[n_some++] = devs[j];
            }
        }
        if (n_some) {
            read_class(some, n_some);
        }
    }
    free(some);
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

/* Does what bigtcp_devices_read() does, for a commit that must follow at once
 * and looks at those with news. */
void
bigtcp_devices_read_for_news(struct bigtcp_device *devs[], size_t n)
{
    bigtcp_devices_read(devs, n);
    for (size_t i = 0; i < n; i++) {
        if (device_has_news(devs[i])) {
            bigtcp_device_touch(devs[i]);
        }
        devs[i]->fresh = true;
    }
}

/* Reads the devices to which something happened, for a commit that must follow
 * at once.  That reads those that it looks at anyhow. */
void
bigtcp_devices_read_stale(void)
{
    struct bigtcp_device **devs = xcalloc(ovs_list_size(&bigtcp_stale_devices),
                                          sizeof *devs);
    struct bigtcp_device *device;
    size_t n = 0;

    LIST_FOR_EACH_SAFE (device, stale, &bigtcp_stale_devices) {
        ovs_list_remove(&device->stale);
        ovs_list_init(&device->stale);
        if (ovs_list_is_empty(&device->touched)) {
            devs[n++] = device;
        }
    }
    bigtcp_devices_read_for_news(devs, n);
    free(devs);
}

/* Makes the next commit read anew what was read until now. */
void
bigtcp_devices_forget_fresh(void)
{
    struct bigtcp_device *device;

    HMAP_FOR_EACH (device, node, &bigtcp_devices) {
        device->fresh = false;
    }
}

/* Original sizes. */

/* Remembers the values that 'device' has now of what 'change' changes. */
void
bigtcp_device_keep_originals(struct bigtcp_device *device,
                             const struct bigtcp_sizes *change)
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
 * asks to change.  If no port asks for anything, also those that its ceiling
 * did not let come back, since it will not; but not what the kernel refused.
 * A ceiling that nothing can set now may come back later, and with it the
 * rest. */
void
bigtcp_device_drop_originals(struct bigtcp_device *device)
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
            && (device->link.sizes.value[attr]
                == (device->request.asked.present
                    ? device->original.value[attr]
                    : device->settled.value[attr]))) {
            bigtcp_sizes_clear(&device->original, attr);
            originals_changed = true;
        }
    }
}

/* Notes that 'device' is the one that it was, with another number, which is
 * that of a device in the network namespace that it was moved to. */
void
bigtcp_device_follow_move(struct bigtcp_device *device)
{
    struct bigtcp_port *port;

    device->original_ifindex = device->link.ifindex;
    device->settled_ifindex = device->link.ifindex;
    originals_changed = true;
    LIST_FOR_EACH (port, in_device, &device->ports) {
        port->changed = true;
    }
}

/* Forgets the original values of 'device', whose name is not, or no longer,
 * that of the device that they belong to.  If that one has another name now,
 * they go on with that name.  If it is nowhere, they stay for as long as a
 * port waits for it, since what was moved to another network namespace can
 * come back. */
void
bigtcp_device_release_originals(struct bigtcp_device *device)
{
    struct bigtcp_link link;
    struct bigtcp_access access = {
        .ifindex = device->original_ifindex,
        .netnsid = device->netnsid,
        .link = &link,
    };

    if (!device->original.present) {
        return;
    }
    device->class->get(&access, 1);
    free(access.message);
    if (!access.error && strcmp(link.name, device->name)) {
        struct bigtcp_device *other = bigtcp_device_get(link.name,
                                                        device->class);

        if (!other->original.present) {
            other->original = device->original;
            other->original_ifindex = device->original_ifindex;
        }
        bigtcp_device_touch(other);
    } else if (device->error == ENODEV
               && (access.error != ENODEV
                   || !ovs_list_is_empty(&device->ports))) {
        return;
    }
    memset(&device->original, 0, sizeof device->original);
    originals_changed = true;
}

/* Reads the record of original sizes, unless that was done. */
void
bigtcp_devices_load(void)
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
        struct bigtcp_device *device = bigtcp_device_get(o->device, class);

        device->original = o->sizes;
        device->original_ifindex = o->ifindex;
        bigtcp_device_touch(device);
    }
    bigtcp_originals_free(originals, n);
}

/* Brings the record of original sizes up to date. */
void
bigtcp_devices_save(void)
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
