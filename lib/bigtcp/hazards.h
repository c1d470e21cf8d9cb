/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_HAZARDS_H
#define BIGTCP_HAZARDS_H 1

/* Known faults of kernels that BIG TCP brings out.  No probe can see them, so
 * that the version must do: a distribution's kernel may have the fix
 * nevertheless. */

#include <stdbool.h>

struct bigtcp_sizes;

/* Version of a kernel as a number. */
#define BIGTCP_VERSION(MAJOR, MINOR, PATCH) \
    ((MAJOR) * 1000000 + (MINOR) * 1000 + (PATCH))

/* Faults that others ask for, by the kernel commit of the fix. */
#define BIGTCP_HAZARD_IN_CT "eaafdaa3e922"
#define BIGTCP_HAZARD_SIZE_IGNORED "24ab059d2ebd"

/* Which devices a fault matters to. */
enum bigtcp_hazard_scope {
    BIGTCP_HAZARD_OTHERS,       /* None that is managed. */
    BIGTCP_HAZARD_BIG_IPV6,     /* With an IPv6 size above 64 kB. */
    BIGTCP_HAZARD_BIG,          /* With any size above 64 kB. */
    BIGTCP_HAZARD_BIG_SENT,     /* With any GSO size above 64 kB. */
    BIGTCP_HAZARD_IPV4_ABOVE,   /* With an IPv4 GSO size above 64 kB and above
                                 * the IPv6 one. */
};

struct bigtcp_hazard {
    int since;                  /* First version that has it... */
    int fixed;                  /* ...and first that has not. */
    int backport;               /* A point release of an earlier series that is
                                 * known to have the fix, or 0. */
    enum bigtcp_hazard_scope scope;
    const char *commit;         /* Kernel commit of the fix. */
    const char *text;           /* What happens. */
};

int bigtcp_kernel_version(const char *release, const char *version);
int bigtcp_running_version(void);
bool bigtcp_hazard_applies(const struct bigtcp_hazard *,
                           const struct bigtcp_sizes *);
const struct bigtcp_hazard *bigtcp_hazard_next(int version,
                                               const struct bigtcp_hazard *);

/* Iterates over those of kernel VERSION. */
#define BIGTCP_FOR_EACH_HAZARD(HAZARD, VERSION)                 \
    for (HAZARD = bigtcp_hazard_next(VERSION, NULL); HAZARD;    \
         HAZARD = bigtcp_hazard_next(VERSION, HAZARD))

#endif /* lib/bigtcp/hazards.h */
