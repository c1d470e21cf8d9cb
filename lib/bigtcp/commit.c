/* SPDX-License-Identifier: Apache-2.0 */

/* One commit: reads the devices to look at, has policy decide, sends what they
 * lack, and tells what came of it. */

#include <config.h>

#include "bigtcp/port-private.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "bigtcp/news.h"
#include "bigtcp/policy.h"
#include "bigtcp/provider.h"
#include "coverage.h"
#include "netdev.h"
#include "openvswitch/list.h"
#include "openvswitch/vlog.h"
#include "svec.h"
#include "timeval.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(bigtcp);

COVERAGE_DEFINE(bigtcp_change);
COVERAGE_DEFINE(bigtcp_failure);
COVERAGE_DEFINE(bigtcp_drift);
COVERAGE_DEFINE(bigtcp_decide);

/* A device that another program keeps changing, or that refuses what is asked,
 * is tried again after a time that doubles with each turn. */
enum {
    MIN_BACKOFF = 10 * 1000,    /* Milliseconds. */
    MAX_BACKOFF = 320 * 1000,
};

/* Of the commit under way, see bigtcp_commit(). */
static bool status_follows;
static bool forced;

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 20);

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
        bigtcp_device_release_originals(device);
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
            bigtcp_device_follow_move(device);
        } else {
            /* Another device of the same name. */
            bigtcp_device_release_originals(device);
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
 * another program.  Unless that is corrected now, makes 'wanted' what is there
 * and says so in the report. */
static void
handle_drift(struct bigtcp_device *device, struct bigtcp_sizes *wanted)
{
    struct ds what = DS_EMPTY_INITIALIZER;
    bool correct = (forced || (device->request.enforce
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
            if (!correct) {
                wanted->value[attr] = live;
            }
        }
    }

    if (what.length && correct) {
        COVERAGE_INC(bigtcp_drift);
        device->n_drifts++;
        back_off(device);
        VLOG_WARN_RL(&rl, "%s: another program changed it: %s; corrected "
                     "(%u time%s)", device->name, ds_cstr(&what),
                     device->n_drifts, device->n_drifts == 1 ? "" : "s");
    } else if (what.length && !device->request.enforce) {
        bigtcp_report_add(&device->report, BIGTCP_STATE_DRIFTED,
                          "another program changed it: %s "
                          "(bigtcp_enforce=false)", ds_cstr(&what));
    } else if (what.length) {
        bigtcp_report_add(&device->report, BIGTCP_STATE_DRIFTED,
                          "another program keeps changing it: %s "
                          "(corrected %u time%s)", ds_cstr(&what),
                          device->n_drifts,
                          device->n_drifts == 1 ? "" : "s");
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

    bigtcp_devices_read(devs, n);
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
    bool managed = bigtcp_device_is_managed(device);
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
        bigtcp_port_forget_status(port);
        if (changed || port->changed) {
            port->changed = false;
            if (status_follows) {
                bigtcp_port_defer(port);
            } else {
                bigtcp_port_tell(port);
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

    COVERAGE_ADD(bigtcp_decide, n);
    for (size_t i = 0; i < n; i++) {
        before[i] = devs[i]->report;
        bigtcp_report_init(&devs[i]->report);
        if (bigtcp_device_is_managed(devs[i]) || devs[i]->watched) {
            examine(devs[i]);
        }
    }
    bigtcp_topology_decide(devs, n, wanted);

    for (size_t i = 0; i < n; i++) {
        if (bigtcp_device_is_managed(devs[i])) {
            decide(devs[i], &wanted[i], &changes[i], &before[i]);
        }
        if (!devs[i]->managed
            || devs[i]->told.ifindex != devs[i]->link.ifindex) {
            devs[i]->told = devs[i]->link;
        }
        if (changes[i].present) {
            bigtcp_device_keep_originals(devs[i], &changes[i]);
            wanted[n_some] = wanted[i];
            changes[n_some] = changes[i];
            some[n_some++] = devs[i];
        }
    }

    /* First on record, then done: a daemon that is killed in between leaves
     * true originals. */
    bigtcp_devices_save();
    if (n_some) {
        change_devices(some, changes, wanted, n_some);
    }

    for (size_t i = 0; i < n; i++) {
        if (!devs[i]->error && !devs[i]->remote) {
            bigtcp_device_drop_originals(devs[i]);
        }
        n_news += publish(devs[i], &before[i], &news[n_news]);
        bigtcp_report_destroy(&before[i]);
    }
    log_news(news, n_news);
    for (size_t i = 0; i < n; i++) {
        if (ovs_list_is_empty(&devs[i]->ports) && !devs[i]->watched
            && !devs[i]->original.present) {
            bigtcp_device_destroy(devs[i]);
        }
    }
    bigtcp_devices_save();

    free(news);
    free(before);
    free(some);
    free(wanted);
    free(changes);
}

/* Collects what the ports of 'device' ask for. */
static void
update_request(struct bigtcp_device *device)
{
    const struct bigtcp_port *port;

    bigtcp_request_init(&device->request);
    LIST_FOR_EACH (port, in_device, &device->ports) {
        bigtcp_request_add(&device->request, &port->effective);
    }
    if (device->request.is_auto) {
        struct bigtcp_kernel kernel;

        device->class->get_kernel(&kernel);
        device->request.resegments = kernel.resegments == BIGTCP_YES;
    }
}

/* Reads those devices to look at that were not read just now. */
static void
read_touched(void)
{
    struct bigtcp_device **devs
        = xcalloc(ovs_list_size(&bigtcp_touched_devices), sizeof *devs);
    struct bigtcp_device *device;
    size_t n = 0;

    LIST_FOR_EACH (device, touched, &bigtcp_touched_devices) {
        if (!device->fresh
            && (bigtcp_device_is_managed(device) || device->watched)) {
            device->fresh = true;
            devs[n++] = device;
        }
    }
    bigtcp_devices_read(devs, n);
    free(devs);
}

/* Returns true if bigtcp_commit() has something to do. */
bool
bigtcp_commit_is_due(void)
{
    return (bigtcp_topology_has_changed()
            || !ovs_list_is_empty(&bigtcp_touched_devices)
            || !ovs_list_is_empty(&bigtcp_stale_devices));
}

/* Does what the calls since the last commit ask for.  'status_follows_' says
 * that the caller has bigtcp_port_get_status() called for all ports soon,
 * 'forced_' that a person asked for it, who need not wait. */
void
bigtcp_commit(bool status_follows_, bool forced_)
{
    struct bigtcp_device *device;
    struct ovs_list todo;
    size_t n;

    status_follows = status_follows_;
    forced = forced_;

    bigtcp_devices_read_stale();

    /* To read a device can bring to light others that it depends on. */
    do {
        if (bigtcp_topology_has_changed()) {
            bigtcp_topology_find();
        }
        bigtcp_topology_touch();
        LIST_FOR_EACH (device, touched, &bigtcp_touched_devices) {
            update_request(device);
        }
        read_touched();
    } while (bigtcp_topology_has_changed());
    n = ovs_list_size(&bigtcp_touched_devices);
    ovs_list_init(&todo);
    ovs_list_push_back_all(&todo, &bigtcp_touched_devices);

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
    bigtcp_devices_forget_fresh();
}
