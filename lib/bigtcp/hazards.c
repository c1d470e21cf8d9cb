/* SPDX-License-Identifier: Apache-2.0 */

/* Known faults of kernels that BIG TCP brings out. */

#include <config.h>

#include "bigtcp/hazards.h"

#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>

#include "bigtcp/types.h"
#include "util.h"

#define V BIGTCP_VERSION

/* 'since' and 'fixed' are the first releases of Linus's tree with the faulty
 * code and with the commit.  A 'backport' was read in the source of that
 * release (Debian's linux-source-6.1) unless said otherwise; earlier ones of
 * its series may have it, too. */
static const struct bigtcp_hazard hazards[] = {
    /* ovs_skb_network_trim() takes the payload length of the IPv6 header,
     * which is 0 above 64 kB.  6.1.192 does, too. */
    { V(5, 19, 0), V(6, 4, 0), 0, BIGTCP_HAZARD_BIG_IPV6, BIGTCP_HAZARD_IN_CT,
      "IPv6 packets above 64 kB lose their data in flows with ct" },

    /* tcp_gso_segment() keeps 16 bits of the length. */
    { V(5, 19, 0), V(6, 4, 0), V(6, 1, 192), BIGTCP_HAZARD_BIG,
      "82a01ab35bd0",
      "packets above 64 kB that are segmented in software get a wrong TCP "
      "checksum" },

    /* skb_copy_ubufs() has room for MAX_SKB_FRAGS pages. */
    { V(5, 19, 0), V(6, 4, 0), V(6, 1, 192), BIGTCP_HAZARD_BIG,
      "7e692df39336",
      "a copy of a zero-copy packet above 68 kB can crash the kernel" },

    /* The length that MPTCP notes for a packet has 16 bits.  The backports are
     * those of Debian's changelog for 6.1.64 and of the review of 6.6.3. */
    { V(5, 19, 0), V(6, 2, 0), V(6, 1, 64), BIGTCP_HAZARD_BIG_SENT,
      "9fce92f050f4", "data that MPTCP sends in packets above 64 kB is lost" },
    { V(6, 2, 0), V(6, 7, 0), V(6, 6, 3), BIGTCP_HAZARD_BIG_SENT,
      "9fce92f050f4", "data that MPTCP sends in packets above 64 kB is lost" },

    /* gso_features_check() does not look at the length. */
    { V(5, 19, 0), V(6, 7, 0), V(6, 1, 192), BIGTCP_HAZARD_BIG,
      BIGTCP_HAZARD_SIZE_IGNORED,
      "packets reach a driver that are larger than its device's GSO size" },

    /* It does, but at gso_max_size for both families. */
    { V(6, 7, 0), V(6, 12, 0), 0, BIGTCP_HAZARD_IPV4_ABOVE, "e609c959a939",
      "gso_ipv4_max_size has no effect above gso_max_size" },

    /* The policy of IFLA_GSO_MAX_SIZE has no minimum.  Never sent by us. */
    { V(5, 19, 0), V(6, 12, 0), V(6, 1, 192), BIGTCP_HAZARD_OTHERS,
      "9ab5cf19fb0e",
      "a GSO size below 321 bytes, set by another program, can crash the "
      "kernel" },
};

/* Returns the BIGTCP_VERSION() of a kernel that calls itself 'release' and
 * 'version', e.g. "6.1.0-57-amd64" and "#1 SMP Debian 6.1.192-3", where the
 * point release is in the latter.  Returns 0 if that is no version. */
int
bigtcp_kernel_version(const char *release, const char *version)
{
    const char *debian = strstr(version, "Debian ");
    int major, minor, patch = 0;

    if (debian && ovs_scan(debian, "Debian %d.%d.%d", &major, &minor,
                           &patch)) {
        return V(major, minor, patch);
    }
    if (ovs_scan(release, "%d.%d.%d", &major, &minor, &patch)
        || ovs_scan(release, "%d.%d", &major, &minor)) {
        return V(major, minor, patch);
    }
    return 0;
}

/* Returns the BIGTCP_VERSION() of the running kernel. */
int
bigtcp_running_version(void)
{
    static int version = -1;

    if (version < 0) {
        struct utsname utsname;

        version = (uname(&utsname) ? 0
                   : bigtcp_kernel_version(utsname.release, utsname.version));
    }
    return version;
}

/* Returns true if 'hazard' matters to a device with 'sizes'. */
bool
bigtcp_hazard_applies(const struct bigtcp_hazard *hazard,
                      const struct bigtcp_sizes *sizes)
{
    bool big_ipv6 = (bigtcp_sizes_is_big(sizes, BIGTCP_GSO_MAX_SIZE)
                     || bigtcp_sizes_is_big(sizes, BIGTCP_GRO_MAX_SIZE));

    switch (hazard->scope) {
    case BIGTCP_HAZARD_OTHERS:
        return false;
    case BIGTCP_HAZARD_BIG_IPV6:
        return big_ipv6;
    case BIGTCP_HAZARD_BIG:
        return (big_ipv6
                || bigtcp_sizes_is_big(sizes, BIGTCP_GSO_IPV4_MAX_SIZE)
                || bigtcp_sizes_is_big(sizes, BIGTCP_GRO_IPV4_MAX_SIZE));
    case BIGTCP_HAZARD_BIG_SENT:
        return (bigtcp_sizes_is_big(sizes, BIGTCP_GSO_MAX_SIZE)
                || bigtcp_sizes_is_big(sizes, BIGTCP_GSO_IPV4_MAX_SIZE));
    case BIGTCP_HAZARD_IPV4_ABOVE:
        return (bigtcp_sizes_is_big(sizes, BIGTCP_GSO_IPV4_MAX_SIZE)
                && (sizes->value[BIGTCP_GSO_IPV4_MAX_SIZE]
                    > sizes->value[BIGTCP_GSO_MAX_SIZE]));
    }
    OVS_NOT_REACHED();
}

static bool
has_hazard(int version, const struct bigtcp_hazard *hazard)
{
    return (version >= hazard->since && version < hazard->fixed
            && !(version / 1000 == hazard->backport / 1000
                 && version >= hazard->backport));
}

/* Returns the next after 'hazard', or the first if that is NULL, that kernel
 * 'version' has, NULL if there is none. */
const struct bigtcp_hazard *
bigtcp_hazard_next(int version, const struct bigtcp_hazard *hazard)
{
    size_t i = hazard ? hazard - hazards + 1 : 0;

    for (; i < ARRAY_SIZE(hazards); i++) {
        if (has_hazard(version, &hazards[i])) {
            return &hazards[i];
        }
    }
    return NULL;
}
