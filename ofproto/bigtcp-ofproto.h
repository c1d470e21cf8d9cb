/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OFPROTO_BIGTCP_OFPROTO_H
#define OFPROTO_BIGTCP_OFPROTO_H 1

/* What the hooks in ofproto/ofproto.c call, and what they learn. */

#include <stddef.h>

#include "ofproto/bond.h"
#include "openvswitch/hmap.h"
#include "openvswitch/types.h"

struct netdev;
struct ofproto;
struct ofproto_bundle_settings;

void bigtcp_ofproto_port_added(const struct netdev *);
void bigtcp_ofproto_port_modified(const struct netdev *);
void bigtcp_ofproto_bundle_set(const struct ofproto *, const void *aux,
                               const struct ofproto_bundle_settings *);

/* A bond, which ofproto-dpif keeps to itself. */
struct bigtcp_bond {
    struct hmap_node node;      /* By 'aux'. */
    const void *aux;            /* What the bridge knows it by. */
    const struct ofproto *ofproto;
    enum bond_mode balance;
    ofp_port_t *members;
    size_t n_members;
};

const struct bigtcp_bond *bigtcp_ofproto_next_bond(const struct bigtcp_bond *);
const struct netdev *bigtcp_ofproto_bond_member(const struct bigtcp_bond *,
                                                size_t i);

#endif /* ofproto/bigtcp-ofproto.h */
