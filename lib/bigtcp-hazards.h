/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_HAZARDS_H
#define BIGTCP_HAZARDS_H 1

/* Known faults of kernels that BIG TCP brings out.  No probe can see them, so
 * that the version must do: a stable or a distribution's kernel may have the
 * fix nevertheless. */

#define BIGTCP_VERSION(MAJOR, MINOR) ((MAJOR) * 1000 + (MINOR))

struct bigtcp_hazard {
    int since;                  /* First version that has it... */
    int fixed;                  /* ...and first that has not, as
                                 * BIGTCP_VERSION(). */
    const char *commit;         /* Kernel commit of the fix. */
    const char *text;           /* What happens. */
};

int bigtcp_kernel_version(const char *release);
const struct bigtcp_hazard *bigtcp_hazard_next(int version,
                                               const struct bigtcp_hazard *);

/* Iterates over those of kernel VERSION. */
#define BIGTCP_FOR_EACH_HAZARD(HAZARD, VERSION)                 \
    for (HAZARD = bigtcp_hazard_next(VERSION, NULL); HAZARD;    \
         HAZARD = bigtcp_hazard_next(VERSION, HAZARD))

#endif /* lib/bigtcp-hazards.h */
