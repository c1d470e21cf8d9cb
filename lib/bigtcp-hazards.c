/* SPDX-License-Identifier: Apache-2.0 */

/* Known faults of kernels that BIG TCP brings out. */

#include <config.h>

#include "bigtcp-hazards.h"

#include <stddef.h>

#include "util.h"

static const struct bigtcp_hazard hazards[] = {
    { BIGTCP_VERSION(5, 19), BIGTCP_VERSION(6, 4), "eaafdaa3e922",
      "IPv6 packets above 64 kB lose their data in conntrack" },
    { BIGTCP_VERSION(5, 19), BIGTCP_VERSION(6, 4), "82a01ab35bd0",
      "a packet above 64 kB that is segmented in software gets a wrong TCP "
      "checksum" },
    { BIGTCP_VERSION(5, 19), BIGTCP_VERSION(6, 4), "7e692df39336",
      "a copy of a zero-copy packet above 68 kB can crash the kernel" },
    { BIGTCP_VERSION(5, 19), BIGTCP_VERSION(6, 7), "24ab059d2ebd",
      "a packet larger than a device's GSO size is not segmented before it "
      "reaches the driver" },
    { BIGTCP_VERSION(6, 7), BIGTCP_VERSION(6, 12), "e609c959a939",
      "IPv4 packets are judged by gso_max_size: give both families the same "
      "size" },
    { BIGTCP_VERSION(5, 19), BIGTCP_VERSION(6, 12), "9ab5cf19fb0e",
      "a GSO size below 321 bytes, set by another program, can crash the "
      "kernel" },
};

/* Returns the BIGTCP_VERSION() of a kernel that calls itself 'release', e.g.
 * "6.12.117+deb12-amd64", or 0 if that is no version. */
int
bigtcp_kernel_version(const char *release)
{
    int major, minor;

    return (ovs_scan(release, "%d.%d", &major, &minor)
            ? BIGTCP_VERSION(major, minor) : 0);
}

/* Returns the next after 'hazard', or the first if that is NULL, that kernel
 * 'version' has, NULL if there is none. */
const struct bigtcp_hazard *
bigtcp_hazard_next(int version, const struct bigtcp_hazard *hazard)
{
    size_t i = hazard ? hazard - hazards + 1 : 0;

    for (; i < ARRAY_SIZE(hazards); i++) {
        if (version >= hazards[i].since && version < hazards[i].fixed) {
            return &hazards[i];
        }
    }
    return NULL;
}
