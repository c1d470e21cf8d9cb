/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_PROBE_H
#define BIGTCP_PROBE_H 1

/* Finds out how the running kernel sends packets, by sending one. */

#include <stdbool.h>

struct bigtcp_kernel;

/* When a probe was made, which failed or not.  All zeros before that. */
struct bigtcp_attempt {
    bool made;
    int error;                  /* 0 or a positive errno value. */
    long long int next;         /* When to try again, if that is one. */
};

bool bigtcp_attempt_is_due(const struct bigtcp_attempt *);
void bigtcp_attempt_done(struct bigtcp_attempt *, int error);

/* What becomes of a TCP packet that is larger than the GSO size of the device
 * that it leaves by. */
enum bigtcp_oversized {
    BIGTCP_OVERSIZED_WHOLE,     /* The device gets it as it is. */
    BIGTCP_OVERSIZED_MSS,       /* It is cut into packets of the MSS. */
    BIGTCP_OVERSIZED_GSO,       /* It is cut into GSO packets that fit:
                                 * re-segmentation. */
};

int bigtcp_probe_oversized(enum bigtcp_oversized *);
void bigtcp_probe_kernel(struct bigtcp_kernel *);

#endif /* lib/bigtcp/probe.h */
