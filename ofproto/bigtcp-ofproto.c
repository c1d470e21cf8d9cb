/* SPDX-License-Identifier: Apache-2.0 */

/* Tells the registry of ports what the datapath tells ofproto: a device that
 * was replaced by another one of the same name starts with the sizes of a new
 * one, and the bridge's configuration does not change with that.
 *
 * Keeps which ports are members of a bond, for "bigtcp/path". */

#include <config.h>

#include "ofproto/bigtcp-ofproto.h"

#include "bigtcp/port.h"
#include "hash.h"
#include "ofproto/ofproto-provider.h"
#include "util.h"

/* All bonds. */
static struct hmap bonds = HMAP_INITIALIZER(&bonds);

/* 'netdev' is a port of a datapath now.  Of no interest while the bridge has
 * not configured it, i.e. when the bridge itself added it. */
void
bigtcp_ofproto_port_added(const struct netdev *netdev)
{
    bigtcp_port_touch(netdev);
}

/* The device behind 'netdev', a port of a datapath, changed or was
 * replaced. */
void
bigtcp_ofproto_port_modified(const struct netdev *netdev)
{
    bigtcp_port_touch(netdev);
}

/* Notes that 'aux' of 'ofproto' has 'settings', NULL if it is gone.  Only of
 * interest if it has several members. */
void
bigtcp_ofproto_bundle_set(const struct ofproto *ofproto, const void *aux,
                          const struct ofproto_bundle_settings *settings)
{
    uint32_t hash = hash_pointer(aux, 0);
    struct bigtcp_bond *bond;

    HMAP_FOR_EACH_WITH_HASH (bond, node, hash, &bonds) {
        if (bond->aux == aux && bond->ofproto == ofproto) {
            hmap_remove(&bonds, &bond->node);
            free(bond->members);
            free(bond);
            break;
        }
    }
    if (settings && settings->n_members > 1 && settings->bond) {
        bond = xmalloc(sizeof *bond);
        hmap_insert(&bonds, &bond->node, hash);
        bond->aux = aux;
        bond->ofproto = ofproto;
        bond->balance = settings->bond->balance;
        bond->n_members = settings->n_members;
        bond->members = xmemdup(settings->members,
                                settings->n_members
                                * sizeof *settings->members);
    }
}

/* Returns the bond after 'bond', or any if that is NULL, NULL after the
 * last. */
const struct bigtcp_bond *
bigtcp_ofproto_next_bond(const struct bigtcp_bond *bond)
{
    const struct hmap_node *node = (bond ? hmap_next(&bonds, &bond->node)
                                    : hmap_first(&bonds));

    return node ? CONTAINER_OF(node, struct bigtcp_bond, node) : NULL;
}

/* Returns the netdev of member 'i' of 'bond', NULL if it is not there. */
const struct netdev *
bigtcp_ofproto_bond_member(const struct bigtcp_bond *bond, size_t i)
{
    const struct ofport *ofport = ofproto_get_port(bond->ofproto,
                                                   bond->members[i]);

    return ofport ? ofport->netdev : NULL;
}
