/* SPDX-License-Identifier: Apache-2.0 */

/* "bigtcp/observe": which devices of the registry of ports are observed, and
 * what was counted, as text, as JSON and for the database.  The counting
 * itself is behind lib/bigtcp/provider.h. */

#include <config.h>

#include "bigtcp/observe.h"

#include <string.h>

#include "bigtcp/counts.h"
#include "bigtcp/port-private.h"
#include "bigtcp/port.h"
#include "bigtcp/provider.h"
#include "netdev-provider.h"
#include "netnsid.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "openvswitch/poll-loop.h"
#include "openvswitch/shash.h"
#include "openvswitch/vlog.h"
#include "smap.h"
#include "sset.h"
#include "timeval.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(bigtcp_observe);

/* How often the database learns of a share that has changed, in
 * milliseconds. */
enum { TELL_INTERVAL = 5000 };

/* A device that is observed. */
struct bigtcp_observation {
    const struct bigtcp_tap_class *class;
    void *tap;                  /* Of 'class'. */
    char *device;               /* Name of the device. */
    int ifindex;
    long long int since;        /* In time_wall_msec()... */
    long long int begun;        /* ...and in time_msec(). */
    char *told;                 /* What status was last told, or NULL. */
};

/* Number of observations. */
static size_t n_observations;

/* Next time to look for shares that have changed, in time_msec(). */
static long long int next_tell;

/* Returns a text, which the caller frees, that one of 'names' is no port, or
 * NULL if all are. */
static char *
check_names(const struct sset *names)
{
    const char *name;

    SSET_FOR_EACH (name, names) {
        if (!bigtcp_port_exists(name, false)) {
            return xasprintf("no interface '%s'", name);
        }
    }
    return NULL;
}

static struct bigtcp_observation *
port_observation(const struct bigtcp_port *port)
{
    return port->device ? port->device->observation : NULL;
}

/* Lets the status of the ports of 'device' be written anew. */
static void
notify_ports(const struct bigtcp_device *device)
{
    const struct bigtcp_port *port;

    LIST_FOR_EACH (port, in_device, &device->ports) {
        netdev_change_seq_changed(port->netdev);
    }
}

static void
observation_free(struct bigtcp_observation *observation)
{
    observation->class->close(observation->tap);
    free(observation->device);
    free(observation->told);
    free(observation);
    n_observations--;
}

/* Ends 'observation', which may be NULL, and frees it. */
void
bigtcp_observation_destroy(struct bigtcp_observation *observation)
{
    if (observation) {
        VLOG_INFO("%s: no longer observed%s", observation->device,
                  (observation->class->is_gone(observation->tap)
                   ? ": the device is gone, or in another network namespace"
                   : ""));
        observation_free(observation);
    }
}

/* Ends the observation of 'device'. */
static void
device_stop(struct bigtcp_device *device)
{
    bigtcp_observation_destroy(device->observation);
    device->observation = NULL;
    notify_ports(device);
}

/* Reads the device of 'port' and returns why it cannot be observed, as a text
 * that the caller frees, or NULL if it can. */
static char *
explain_port(struct bigtcp_port *port)
{
    struct bigtcp_device *device = port->device;

    if (!device) {
        return xstrdup(port->unsupported);
    }
    bigtcp_devices_read(&device, 1);
    if (!device->error && netnsid_is_remote(device->link.netnsid)) {
        return xasprintf("%s is in another network namespace, where it cannot "
                         "be observed from here", device->name);
    } else if (device->error) {
        return xasprintf("cannot read device %s: %s", device->name,
                         ovs_strerror(device->error));
    }
    return NULL;
}

/* Begins to observe 'device', just read.  Returns NULL, or a text that says
 * why not and that the caller frees. */
static char *
device_start(struct bigtcp_device *device)
{
    const struct bigtcp_tap_class *class = device->class->tap;
    struct bigtcp_observation *observation;
    char *message = NULL;
    void *tap;

    if (class->open(device->name, device->link.ifindex, &tap, &message)) {
        return message;
    }
    observation = xzalloc(sizeof *observation);
    observation->class = class;
    observation->tap = tap;
    observation->device = xstrdup(device->name);
    observation->ifindex = device->link.ifindex;
    observation->since = time_wall_msec();
    observation->begun = time_msec();
    device->observation = observation;
    n_observations++;
    next_tell = MAX(next_tell, time_msec() + TELL_INTERVAL);
    return NULL;
}

/* Begins to observe the devices of the ports called 'names', or of all ports
 * if there are no names.  Counts of a device that is observed already go on.
 *
 * Returns NULL, having added to 'results' for each port its name, with NULL if
 * this call began it, or else a text that says why not.  If a port that is
 * named cannot be observed, or if the kernel refuses any, observes none of
 * them and returns the reason.  The caller frees all texts. */
char *
bigtcp_observe_start(const struct sset *names, struct shash *results)
{
    struct bigtcp_device **started;
    struct bigtcp_port **ports;
    size_t n_started = 0;
    char *error;
    size_t n;

    error = check_names(names);
    if (error) {
        return error;
    }

    ports = bigtcp_port_list(names, false, &n);
    started = xcalloc(n + 1, sizeof *started);
    for (size_t i = 0; i < n && !error; i++) {
        struct bigtcp_port *port = ports[i];
        const char *name = netdev_get_name(port->netdev);
        bool is_new = false;
        char *why = NULL;

        for (size_t j = 0; j < n_started; j++) {
            is_new |= started[j] == port->device;
        }
        if (is_new) {
            /* By another port of the device. */
        } else if (port_observation(port)) {
            why = xstrdup("observed already");
        } else {
            why = explain_port(port);
            if (why && !sset_is_empty(names)) {
                error = xasprintf("%s: %s", name, why);
            } else if (!why) {
                char *message = device_start(port->device);

                if (message) {
                    error = xasprintf("%s: %s", name, message);
                    free(message);
                } else {
                    started[n_started++] = port->device;
                }
            }
        }
        shash_add(results, name, why);
    }

    for (size_t i = 0; i < n_started; i++) {
        if (error) {
            observation_free(started[i]->observation);
            started[i]->observation = NULL;
        } else {
            VLOG_INFO("%s: observed from now on", started[i]->name);
            notify_ports(started[i]);
        }
    }
    if (error) {
        shash_clear_free_data(results);
    }
    free(started);
    free(ports);
    return error;
}

/* Ends the observation of the devices of the ports called 'names', or of all
 * if there are no names.
 *
 * Returns NULL, having added to 'results' for each port that is named or was
 * observed its name, with NULL if this call ended it, or else a text that says
 * why not.  Returns an error if one of 'names' is no port.  The caller frees
 * all texts. */
char *
bigtcp_observe_stop(const struct sset *names, struct shash *results)
{
    char *error = check_names(names);

    if (!error) {
        size_t n;
        struct bigtcp_port **ports = bigtcp_port_list(names, false, &n);

        for (size_t i = 0; i < n; i++) {
            bool observed = port_observation(ports[i]) != NULL;

            if (observed || !sset_is_empty(names)) {
                shash_add(results, netdev_get_name(ports[i]->netdev),
                          observed ? NULL : xstrdup("not observed"));
            }
        }
        /* A device may have several of the ports. */
        for (size_t i = 0; i < n; i++) {
            if (port_observation(ports[i])) {
                device_stop(ports[i]->device);
            }
        }
        free(ports);
    }
    return error;
}

/* Returns NULL if bigtcp_observe_show_text() and bigtcp_observe_show_json()
 * can show all of 'names', else a text that says why not and that the caller
 * frees. */
char *
bigtcp_observe_check(const struct sset *names)
{
    char *error = check_names(names);

    if (!error && !sset_is_empty(names)) {
        size_t n;
        struct bigtcp_port **ports = bigtcp_port_list(names, false, &n);

        for (size_t i = 0; i < n && !error; i++) {
            if (!port_observation(ports[i])) {
                error = xasprintf("%s is not observed",
                                  netdev_get_name(ports[i]->netdev));
            }
        }
        free(ports);
    }
    return error;
}

static void
format_time(long long int when, struct ds *ds)
{
    ds_put_strftime_msec(ds, "%Y-%m-%dT%H:%M:%S.###Z", when, true);
}

/* Appends to 'ds' what was counted of the ports called 'names', or of all that
 * are observed if there are no names. */
void
bigtcp_observe_show_text(const struct sset *names, struct ds *ds)
{
    size_t n;
    struct bigtcp_port **ports = bigtcp_port_list(names, false, &n);

    for (size_t i = 0; i < n; i++) {
        const struct bigtcp_observation *o = port_observation(ports[i]);
        struct bigtcp_counts counts;
        int error;

        if (!o) {
            continue;
        }
        ds_put_format(ds, "%s: device %s, since ",
                      netdev_get_name(ports[i]->netdev), o->device);
        format_time(o->since, ds);
        ds_put_format(ds, " (%lld s)", (time_msec() - o->begun) / 1000);
        error = o->class->read(o->tap, &counts);
        if (error) {
            ds_put_format(ds, ": %s\n", ovs_strerror(error));
        } else {
            ds_put_format(ds, ", %.1f%% of bytes in packets above 64 kB\n",
                          bigtcp_counts_share(&counts));
            bigtcp_counts_format(&counts, ds);
        }
    }
    free(ports);
}

/* Returns the same as a JSON object keyed by port, which the caller owns. */
struct json *
bigtcp_observe_show_json(const struct sset *names)
{
    struct json *json = json_object_create();
    size_t n;
    struct bigtcp_port **ports = bigtcp_port_list(names, false, &n);

    for (size_t i = 0; i < n; i++) {
        const struct bigtcp_observation *o = port_observation(ports[i]);
        struct ds since = DS_EMPTY_INITIALIZER;
        struct bigtcp_counts counts;
        struct json *object;
        int error;

        if (!o) {
            continue;
        }
        object = json_object_create();
        json_object_put_string(object, "device", o->device);
        json_object_put(object, "ifindex", json_integer_create(o->ifindex));
        format_time(o->since, &since);
        json_object_put_string(object, "since", ds_cstr(&since));
        ds_destroy(&since);
        json_object_put(object, "duration_ms",
                        json_integer_create(time_msec() - o->begun));
        error = o->class->read(o->tap, &counts);
        if (error) {
            json_object_put_string(object, "error", ovs_strerror(error));
        } else {
            json_object_put(object, "share",
                            json_real_create(bigtcp_counts_share(&counts)));
            bigtcp_counts_to_json(&counts, object);
        }
        json_object_put(json, netdev_get_name(ports[i]->netdev), object);
    }
    free(ports);
    return json;
}

/* Returns the share that status is to tell of 'observation', or NULL if it
 * cannot be read.  The caller frees it. */
static char *
format_share(const struct bigtcp_observation *observation)
{
    struct bigtcp_counts counts;

    return (observation->class->read(observation->tap, &counts)
            ? NULL : xasprintf("%.1f%%", bigtcp_counts_share(&counts)));
}

/* Drops the devices that are gone or have no port left, and lets the database
 * learn of shares that have changed. */
void
bigtcp_observe_run(void)
{
    struct bigtcp_device *device;
    bool tell;

    if (!n_observations) {
        return;
    }
    tell = time_msec() >= next_tell;
    if (tell) {
        next_tell = time_msec() + TELL_INTERVAL;
    }
    HMAP_FOR_EACH (device, node, &bigtcp_devices) {
        const struct bigtcp_observation *o = device->observation;

        if (o && (ovs_list_is_empty(&device->ports)
                  || o->class->is_gone(o->tap))) {
            device_stop(device);
        } else if (o && tell) {
            char *share = format_share(o);

            if (!nullable_string_is_equal(share, o->told)) {
                notify_ports(device);
            }
            free(share);
        }
    }
}

/* Wakes up when bigtcp_observe_run() has something to do.  That a device is
 * gone wakes the main loop anyhow, which listens to the kernel's link
 * events. */
void
bigtcp_observe_wait(void)
{
    if (n_observations) {
        poll_timer_wait_until(next_tell);
    }
}

/* If 'netdev' is a port that is observed, adds what status is to tell of that
 * to 'status' and returns true. */
bool
bigtcp_observe_get_status(const struct netdev *netdev, struct smap *status)
{
    struct bigtcp_device *device;
    struct bigtcp_observation *o;

    if (!n_observations) {
        return false;
    }
    device = bigtcp_port_device(netdev);
    o = device ? device->observation : NULL;
    if (!o) {
        return false;
    }
    free(o->told);
    o->told = format_share(o);
    if (o->told) {
        smap_add(status, BIGTCP_STATUS_OBSERVED, o->told);
    }
    return o->told != NULL;
}

/* Returns the number of devices that are observed. */
size_t
bigtcp_observe_count(void)
{
    return n_observations;
}
