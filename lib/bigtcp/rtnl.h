/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_RTNL_H
#define BIGTCP_RTNL_H 1

/* Probing of the kernel, and the messages of lib/bigtcp/rtnl.c for its unit
 * test.  Devices are read and changed through 'bigtcp_rtnl_class' of
 * lib/bigtcp/provider.h. */

#include <stdbool.h>

#include <stddef.h>

#include "bigtcp/types.h"

struct ofpbuf;

/* One kind of device to try. */
struct bigtcp_rtnl_probe {
    const char *kind;           /* In: e.g. "vxlan". */
    int error;                  /* Out: 0, or a positive errno value if no
                                 * device of the kind can be made. */
    struct bigtcp_link link;    /* Out: the device after asking for the
                                 * largest of each size. */
};

int bigtcp_rtnl_probe(struct bigtcp_rtnl_probe *, size_t n);
int bigtcp_rtnl_kind_ceiling(const char *kind, uint32_t *ceiling);

void bigtcp_rtnl_compose_get(struct ofpbuf *, const char *name, int ifindex);
void bigtcp_rtnl_compose_set(struct ofpbuf *, int ifindex,
                             const struct bigtcp_sizes *);
bool bigtcp_rtnl_parse(struct ofpbuf *, struct bigtcp_link *);
void bigtcp_rtnl_compose_filters(struct ofpbuf *, int ifindex);
int bigtcp_rtnl_parse_ingress(struct ofpbuf *);
int bigtcp_rtnl_parse_redirect(struct ofpbuf *);

#endif /* lib/bigtcp/rtnl.h */
