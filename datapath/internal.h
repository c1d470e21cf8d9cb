/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _OPENVSWITCH_BIGTCP_INTERNAL_H
#define _OPENVSWITCH_BIGTCP_INTERNAL_H

#include <linux/netdevice.h>
#include <linux/string.h>
#include <net/rtnetlink.h>

static inline bool bigtcp_is_internal_port(const struct net_device *dev)
{
	return dev->rtnl_link_ops &&
	       !strcmp(dev->rtnl_link_ops->kind, "openvswitch");
}

void bigtcp_set_tso_max_size(struct net_device *dev, unsigned int size);
int bigtcp_netlink_init(void);
void bigtcp_netlink_exit(void);

#endif /* _OPENVSWITCH_BIGTCP_INTERNAL_H */
