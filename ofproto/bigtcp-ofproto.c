/* SPDX-License-Identifier: Apache-2.0 */

/* Tells the registry of ports what the datapath tells ofproto: a device that
 * was replaced by another one of the same name starts with the sizes of a new
 * one, and the bridge's configuration does not change with that. */

#include <config.h>

#include "ofproto/bigtcp-ofproto.h"

#include "bigtcp-port.h"

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
