/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_PORT_H
#define BIGTCP_PORT_H 1

/* Registry of ports and their kernel devices
 * ==========================================
 *
 * A port is what the database calls an Interface.  Several ports can share
 * one kernel device, e.g. tunnels with the same destination port; the device
 * is what has sizes.
 *
 * bigtcp_port_configure() and bigtcp_port_forget() only note what is wanted.
 * bigtcp_port_commit() reads the devices for which something changed, decides
 * (lib/bigtcp/policy.h), changes what differs and reads that back, in one
 * batch.  Where no port has a key, it does nothing.
 *
 * All functions must be called from the main thread. */

#include <stdbool.h>
#include <stddef.h>

#include "bigtcp/settings.h"

struct bigtcp_class;
struct json;
struct netdev;
struct simap;
struct smap;
struct sset;
struct ds;

/* Where a port is and what its device is, told by the caller. */
struct bigtcp_port_place {
    const char *bridge;         /* Name of the bridge. */
    const char *device;         /* Kernel device, NULL if it has none. */
    const struct bigtcp_class *class; /* Access to 'device', or NULL. */
    const char *unsupported;    /* Why there is no access, if 'class' is
                                 * NULL. */
    bool internal;              /* An internal port. */
    const char *peer;           /* Of a patch port its peer's name, "" if it
                                 * has none; else NULL. */
};

/* A port, for those who know its device. */
struct bigtcp_port_description {
    const struct netdev *netdev;
    const char *bridge;         /* Owned by the registry. */
    bool internal;              /* An internal port. */
    bool managed;               /* Something is asked of it. */
    struct bigtcp_settings settings; /* What the rows come to.  Not to be
                                      * destroyed. */
};

void bigtcp_port_init(const char *originals_file);
void bigtcp_port_exit(bool restore);

void bigtcp_port_set_defaults(const char *bridge,
                              const struct smap *other_config);
void bigtcp_port_configure(struct netdev *, const struct bigtcp_port_place *,
                           const struct smap *other_config);
void bigtcp_port_learn(const struct netdev *, const struct bigtcp_port_place *,
                       const char *original);
void bigtcp_port_forget(const struct netdev *);
void bigtcp_port_touch(const struct netdev *);
void bigtcp_port_refresh(void);
void bigtcp_port_commit(bool status_follows);
void bigtcp_port_run(void);
void bigtcp_port_wait(void);

bool bigtcp_port_is_configured(void);
bool bigtcp_port_is_known(const struct netdev *);
const struct smap *bigtcp_port_get_status(const struct netdev *);
bool bigtcp_port_exists(const char *name, bool or_bridge);
bool bigtcp_port_describe(const char *device, const struct bigtcp_class *,
                          bool (*matches)(const struct netdev *,
                                          const void *aux), const void *aux,
                          struct bigtcp_port_description *);
void bigtcp_port_show_text(const struct sset *names, struct ds *);
struct json *bigtcp_port_show_json(const struct sset *names);
size_t bigtcp_port_count(void);

/* Keys of Interface 'status', besides the attributes: state, why, and the
 * sizes from before the first change. */
#define BIGTCP_STATUS_STATE "bigtcp_state"
#define BIGTCP_STATUS_REASON "bigtcp_reason"
#define BIGTCP_STATUS_ORIGINAL "bigtcp_original"

#endif /* lib/bigtcp/port.h */
