/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_PATH_DEVICES_H
#define BIGTCP_PATH_DEVICES_H 1

/* The devices on a path (lib/bigtcp/path.h): which port a device is of, and
 * what the kernel says of it. */

#include <stdbool.h>

#include "openvswitch/shash.h"

struct bigtcp_class;
struct bigtcp_path_device;
struct netdev;

struct bigtcp_path_devices {
    const struct bigtcp_class *class; /* Access to all of them. */
    struct shash devices;       /* By device and port. */
};

void bigtcp_path_devices_init(struct bigtcp_path_devices *,
                              const struct bigtcp_class *);
void bigtcp_path_devices_destroy(struct bigtcp_path_devices *);
const struct bigtcp_path_device *
bigtcp_path_devices_get(struct bigtcp_path_devices *, const char *device,
                        bool (*matches)(const struct netdev *,
                                        const void *aux), const void *aux);
void bigtcp_path_devices_read(struct bigtcp_path_devices *);

#endif /* lib/bigtcp/path-devices.h */
