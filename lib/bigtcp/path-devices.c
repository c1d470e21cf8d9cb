/* SPDX-License-Identifier: Apache-2.0 */

/* The devices on a path, from the registry of ports and from the kernel. */

#include <config.h>

#include "bigtcp/path-devices.h"

#include <stdlib.h>

#include "bigtcp/path.h"
#include "bigtcp/port.h"
#include "bigtcp/provider.h"
#include "bigtcp/settings.h"
#include "netdev.h"
#include "netnsid.h"
#include "sset.h"
#include "util.h"

struct device {
    struct bigtcp_path_device up;
    struct bigtcp_link link;
    struct bigtcp_settings settings; /* Texts are owned by the registry. */
    struct sset lowers;         /* Names of the devices below it. */
    bool read;                  /* It was tried. */
};

/* Makes 'devices' empty, for those of 'class'. */
void
bigtcp_path_devices_init(struct bigtcp_path_devices *devices,
                         const struct bigtcp_class *class)
{
    devices->class = class;
    shash_init(&devices->devices);
}

void
bigtcp_path_devices_destroy(struct bigtcp_path_devices *devices)
{
    struct shash_node *node;

    SHASH_FOR_EACH (node, &devices->devices) {
        struct device *device = node->data;

        free(CONST_CAST(char *, device->up.device));
        free(CONST_CAST(char *, device->up.port));
        free(CONST_CAST(char *, device->up.bridge));
        free(CONST_CAST(void *, device->up.lowers));
        sset_destroy(&device->lowers);
    }
    shash_destroy_free_data(&devices->devices);
}

/* Returns the entry for kernel device 'name', which is made if it is not
 * there.  Of several ports on the device it is about the first, by name, for
 * which 'matches' is true with 'aux', or about the very first if 'matches' is
 * NULL or true for none. */
const struct bigtcp_path_device *
bigtcp_path_devices_get(struct bigtcp_path_devices *devices, const char *name,
                        bool (*matches)(const struct netdev *,
                                        const void *aux), const void *aux)
{
    struct bigtcp_port_description description;
    bool found = ((matches
                   && bigtcp_port_describe(name, devices->class, matches, aux,
                                           &description))
                  || bigtcp_port_describe(name, devices->class, NULL, NULL,
                                          &description));
    const char *port = found ? netdev_get_name(description.netdev) : NULL;
    /* No device has a slash in its name. */
    char *key = xasprintf("%s/%s", name, found ? port : "");
    struct device *device = shash_find_data(&devices->devices, key);

    if (!device) {
        device = xzalloc(sizeof *device);
        device->up.device = xstrdup(name);
        device->up.offloads = BIGTCP_OFFLOADS_ALL;
        sset_init(&device->lowers);
        if (found) {
            int mtu;

            device->up.port = xstrdup(port);
            device->up.bridge = xstrdup(description.bridge);
            device->up.internal = description.internal;
            device->up.tunnel
                = netdev_get_tunnel_config(description.netdev) != NULL;
            device->up.managed = description.managed;
            device->settings = description.settings;
            device->up.settings = &device->settings;
            if (!netdev_get_mtu(description.netdev, &mtu)) {
                device->up.mtu = mtu;
            }
        }
        shash_add(&devices->devices, key, device);
    }
    free(key);
    return &device->up;
}

/* Reads those of 'devices' that were not read, by one call.  Returns false if
 * there are none. */
static bool
read_some(struct bigtcp_path_devices *devices)
{
    size_t n = shash_count(&devices->devices);
    struct bigtcp_access *accesses = xcalloc(n + 1, sizeof *accesses);
    struct shash by_name = SHASH_INITIALIZER(&by_name);
    struct shash_node *node;
    size_t n_accesses = 0;

    /* Several ports can share a device. */
    SHASH_FOR_EACH (node, &devices->devices) {
        struct device *device = node->data;

        if (!device->read && !shash_find(&by_name, device->up.device)) {
            struct bigtcp_access *access = &accesses[n_accesses];

            access->name = device->up.device;
            access->internal = device->up.internal;
            access->netnsid = NETNSID_LOCAL;
            access->link = &device->link;
            access->lowers = &device->lowers;
            n_accesses++;
            shash_add(&by_name, device->up.device, access);
        }
    }
    if (n_accesses) {
        devices->class->get(accesses, n_accesses);
    }
    SHASH_FOR_EACH (node, &devices->devices) {
        struct device *device = node->data;
        const struct bigtcp_access *access
            = shash_find_data(&by_name, device->up.device);

        if (device->read) {
            continue;
        }
        device->read = true;
        if (!access->error) {
            if (access->link != &device->link) {
                device->link = *access->link;
                sset_destroy(&device->lowers);
                sset_clone(&device->lowers, access->lowers);
            }
            device->up.link = &device->link;
            device->up.offloads = device->link.features;
        }
    }
    for (size_t i = 0; i < n_accesses; i++) {
        free(accesses[i].message);
    }
    shash_destroy(&by_name);
    free(accesses);
    return n_accesses > 0;
}

/* Adds the devices below all 'devices'. */
static void
add_lowers(struct bigtcp_path_devices *devices)
{
    const struct shash_node **nodes = shash_sort(&devices->devices);
    size_t n = shash_count(&devices->devices);

    for (size_t i = 0; i < n; i++) {
        struct device *device = nodes[i]->data;

        if (!sset_is_empty(&device->lowers) && !device->up.lowers) {
            const char **names = sset_sort(&device->lowers);
            size_t n_lowers = sset_count(&device->lowers);
            const struct bigtcp_path_device **lowers
                = xcalloc(n_lowers, sizeof *lowers);

            for (size_t j = 0; j < n_lowers; j++) {
                lowers[j] = bigtcp_path_devices_get(devices, names[j], NULL,
                                                    NULL);
            }
            device->up.lowers = lowers;
            device->up.n_lowers = n_lowers;
            free(names);
        }
    }
    free(nodes);
}

/* Reads all 'devices', one call for a level of those that are below others. */
void
bigtcp_path_devices_read(struct bigtcp_path_devices *devices)
{
    while (read_some(devices)) {
        add_lowers(devices);
    }
}
