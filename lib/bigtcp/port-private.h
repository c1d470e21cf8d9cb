/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_PORT_PRIVATE_H
#define BIGTCP_PORT_PRIVATE_H 1

/* What the registry of ports is made of, for its parts, for its reports
 * (lib/bigtcp/show.c) and for observation (lib/bigtcp/observe.c). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bigtcp/report.h"
#include "bigtcp/route.h"
#include "bigtcp/settings.h"
#include "openvswitch/hmap.h"
#include "openvswitch/list.h"
#include "smap.h"
#include "sset.h"

struct bigtcp_class;
struct bigtcp_observation;
struct netdev;

/* A kernel device that a port is or was on. */
struct bigtcp_device {
    struct hmap_node node;      /* In 'bigtcp_devices', by name and
                                 * class. */
    struct ovs_list touched;    /* In the list of those to look at, or
                                 * empty. */
    struct ovs_list stale;      /* In the list of those to read, or empty. */
    struct ovs_list ports;      /* Contains "struct bigtcp_port"s. */

    char *name;                 /* Kernel device. */
    const struct bigtcp_class *class;

    struct bigtcp_request request; /* Of all 'ports'. */
    struct bigtcp_report report;   /* What came of it. */
    bool internal;              /* An internal port. */
    bool remote;                /* In another network namespace when last
                                 * read, out of reach. */
    int netnsid;                /* Where it was when last decided upon. */
    int error;                  /* Of the last read, positive errno value. */
    struct bigtcp_link link;    /* Last read, if 'error' is 0. */
    struct sset lowers;         /* Names of the devices that send what this
                                 * one sends. */
    struct sset ingress;        /* Names of the devices that what this one
                                 * received goes through before its port. */

    /* Values from before the first change, of the attributes that were
     * changed, and the device that they belong to. */
    struct bigtcp_sizes original;
    int original_ifindex;

    /* What was decided at the last commit, and for which device.  A value that
     * differs while the decision is the same was changed by somebody else. */
    struct bigtcp_sizes settled;
    int settled_ifindex;
    bool refused;               /* The kernel did not take all of it. */
    unsigned int n_drifts;      /* Times that it was corrected. */
    int backoff;                /* Milliseconds, 0 if all is quiet. */
    long long int hold_until;   /* Not to be sent again before, in
                                 * milliseconds of time_msec(). */

    /* 'link', 'error' and 'remote' at the end of the last commit, which log
     * and status were told of. */
    struct bigtcp_link told;
    int told_error;
    bool told_remote;

    struct bigtcp_observation *observation; /* While it is observed
                                             * (lib/bigtcp/observe.h). */

    bool watched;               /* Others depend on it, or it on others: what
                                 * is decided is decided for all of them. */
    bool fresh;                 /* Read for the commit to come. */
    bool managed;               /* device_is_managed() at the last commit. */
    size_t index;               /* In the array of a commit. */
};

/* A bridge: what its ports have in common. */
struct bigtcp_bridge {
    struct hmap_node node;      /* In the registry, by 'name'. */
    char *name;
    size_t n_ports;             /* Ports that point here. */
    struct bigtcp_settings settings; /* Of its row. */

    /* A bridge of the same group or itself, and of that last one the group's
     * number and whether a port in it is 'auto'. */
    struct bigtcp_bridge *joined;
    size_t group;
    bool is_auto;
};

/* A port, i.e. an Interface of the database. */
struct bigtcp_port {
    struct hmap_node node;      /* In 'bigtcp_ports', by 'netdev'. */
    struct ovs_list in_device;  /* In 'device->ports' if 'device'. */

    struct netdev *netdev;      /* Not a reference: the caller forgets the
                                 * port before it closes the netdev. */
    struct bigtcp_bridge *bridge; /* Where it is. */
    struct bigtcp_device *device; /* NULL if the port is 'unsupported'. */
    const char *unsupported;    /* Why, or NULL. */
    bool internal;              /* An internal port. */
    char *peer;                 /* Of a patch port its peer's name, or NULL. */
    struct bigtcp_route route;  /* Of a tunnel. */
    uint64_t seen_seq;          /* netdev_get_change_seq() when last read. */
    struct smap status;         /* What bigtcp_port_get_status() returns,
                                 * empty if it must be put together. */
    bool untold;                /* Its status must be written anew. */
    bool changed;               /* What is told of it may be out of date,
                                 * whatever becomes of the device. */

    struct bigtcp_settings settings;  /* Of its row. */
    struct bigtcp_settings effective; /* What that, the bridge's row and
                                       * Open_vSwitch's come to.  Bad texts in
                                       * it belong to those. */
};

/* lib/bigtcp/port.c: bridges and ports. */
extern struct hmap bigtcp_bridges;
extern struct hmap bigtcp_ports;

struct bigtcp_port **bigtcp_port_list(const struct sset *names, bool or_bridge,
                                      size_t *n);
bool bigtcp_port_asks(const struct bigtcp_port *);
bool bigtcp_port_is_managed(const struct bigtcp_port *);
void bigtcp_port_report(const struct bigtcp_port *, struct bigtcp_report *);
void bigtcp_port_tell(struct bigtcp_port *);
void bigtcp_port_defer(struct bigtcp_port *);
void bigtcp_port_forget_status(struct bigtcp_port *);
int bigtcp_port_compare(const void *, const void *);
struct bigtcp_device *bigtcp_port_device(const struct netdev *);

/* lib/bigtcp/device.c: devices, those of them that the next commit must look
 * at, and their classes. */
enum { BIGTCP_N_CLASSES = 2 };
extern const struct bigtcp_class *const bigtcp_classes[BIGTCP_N_CLASSES];
extern struct hmap bigtcp_devices;
extern struct ovs_list bigtcp_touched_devices;
extern struct ovs_list bigtcp_stale_devices;

void bigtcp_devices_init(const char *originals_file);
void bigtcp_devices_exit(void);
void bigtcp_devices_load(void);
void bigtcp_devices_save(void);
void bigtcp_devices_read(struct bigtcp_device *devs[], size_t n);
void bigtcp_devices_read_for_news(struct bigtcp_device *devs[], size_t n);
void bigtcp_devices_read_stale(void);
void bigtcp_devices_forget_fresh(void);

struct bigtcp_device *bigtcp_device_find(const char *name,
                                         const struct bigtcp_class *);
struct bigtcp_device *bigtcp_device_get(const char *name,
                                        const struct bigtcp_class *);
void bigtcp_device_touch(struct bigtcp_device *);
void bigtcp_device_set_stale(struct bigtcp_device *);
void bigtcp_device_forget_status(struct bigtcp_device *);
void bigtcp_device_watch(struct bigtcp_device *);
void bigtcp_device_destroy(struct bigtcp_device *);
bool bigtcp_device_is_managed(const struct bigtcp_device *);
void bigtcp_device_keep_originals(struct bigtcp_device *,
                                  const struct bigtcp_sizes *change);
void bigtcp_device_drop_originals(struct bigtcp_device *);
void bigtcp_device_release_originals(struct bigtcp_device *);
void bigtcp_device_follow_move(struct bigtcp_device *);

/* lib/bigtcp/topology.c: what depends on what. */
void bigtcp_topology_change(void);
bool bigtcp_topology_has_changed(void);
void bigtcp_topology_find(void);
void bigtcp_topology_touch(void);
void bigtcp_topology_decide(struct bigtcp_device *devs[], size_t n,
                            struct bigtcp_sizes wanted[]);
void bigtcp_topology_clear(void);
void bigtcp_topology_run(void);
void bigtcp_topology_wait(void);

/* lib/bigtcp/commit.c: what is done about it. */
bool bigtcp_commit_is_due(void);
void bigtcp_commit(bool status_follows, bool forced);

#endif /* lib/bigtcp/port-private.h */
