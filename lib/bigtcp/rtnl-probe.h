/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_RTNL_PROBE_H
#define BIGTCP_RTNL_PROBE_H 1

/* Finds out which sizes kinds of device can have, by making some. */

#include <stddef.h>

#include "bigtcp/types.h"

/* One kind of device to try. */
struct bigtcp_rtnl_probe {
    const char *kind;           /* In: e.g. "vxlan". */
    int error;                  /* Out: 0, or a positive errno value if no
                                 * device of the kind can be made. */
    struct bigtcp_link link;    /* Out: the device after asking for the
                                 * largest of each size. */
};

int bigtcp_rtnl_probe(struct bigtcp_rtnl_probe *, size_t n);
void bigtcp_rtnl_probe_carries(struct bigtcp_link *);

#endif /* lib/bigtcp/rtnl-probe.h */
