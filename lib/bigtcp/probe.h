/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_PROBE_H
#define BIGTCP_PROBE_H 1

/* Finds out how the running kernel sends packets, by sending one. */

struct bigtcp_kernel;

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
