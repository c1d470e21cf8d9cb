// SPDX-License-Identifier: GPL-2.0-only
/*
 * BIG TCP for the internal ports of Open vSwitch, beside a stock openvswitch.ko.
 *
 * rtnetlink lets nobody raise a device's GSO sizes above its 'tso_max_size',
 * and only kernel code can change that one.  openvswitch.ko leaves it at the
 * value that every device is born with, TSO_LEGACY_MAX_SIZE.  This module sets
 * it for every port; the sizes in force (gso_max_size, gso_ipv4_max_size) stay
 * what they are until somebody asks for more.  netlink.c lets a user change the
 * ceiling and the sizes of one port.
 *
 * The module knows internal ports by the kind of their rtnl_link_ops.  It sees
 * them through the netdev notifier chain: registering there replays
 * NETDEV_REGISTER for the devices of every network namespace, so ports that
 * exist already and ports that come later take the same way.  A port that moves
 * to another namespace is announced again, and keeps the ceiling that it has.
 *
 * Unloading leaves the ceilings in place.  Taking one back would cut down the
 * sizes in force on a live port, and nothing would bring them back when the
 * module is loaded again, for instance in an upgrade.  Loading, on the other
 * hand, sets the ceiling of every internal port to 'tso_max_size' whatever it
 * was before, so 'tso_max_size=65536' restores what openvswitch.ko had set.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/notifier.h>
#include <linux/string.h>

#include "internal.h"

/* Came with netif_set_tso_max_size() and with sizes above 64 KiB. */
#ifndef TSO_LEGACY_MAX_SIZE
#error "openvswitch_bigtcp needs netif_set_tso_max_size(): Linux 5.19 or later"
#endif

/* Ceiling for internal ports, in bytes.  0: leave them alone. */
static unsigned int tso_max_size __read_mostly = GSO_MAX_SIZE;

static int tso_max_size_set(const char *val, const struct kernel_param *kp)
{
	unsigned int size;

	if (kstrtouint(val, 0, &size) ||
	    (size && (size < TSO_LEGACY_MAX_SIZE || size > GSO_MAX_SIZE))) {
		pr_err("%s: '%s' is neither 0 nor a size of %u to %u bytes\n",
		       kp->name, val, TSO_LEGACY_MAX_SIZE, GSO_MAX_SIZE);
		return -EINVAL;
	}

	*(unsigned int *)kp->arg = size;
	return 0;
}

static const struct kernel_param_ops tso_max_size_ops = {
	.set = tso_max_size_set,
	.get = param_get_uint,
};

/* Not writable at run time: a new value would have to visit every port. */
module_param_cb(tso_max_size, &tso_max_size_ops, &tso_max_size, 0444);
MODULE_PARM_DESC(tso_max_size,
		 "tso_max_size to give to every OVS internal port, in bytes: 65536 to 524280 (default), or 0 to leave them alone; stays when the module is unloaded");

/*
 * Makes @size the ceiling of @dev.  The GSO sizes go down with it.
 *
 * For netif_set_tso_max_size(), one for IPv6 that comes down to 64 KiB or less
 * is one for IPv4, too, which may have been smaller: that one stays as it is.
 *
 * Needs RTNL and, where there is one, the lock for the operations of @dev.
 */
void bigtcp_set_tso_max_size(struct net_device *dev, unsigned int size)
{
#ifdef HAVE_GSO_IPV4_MAX_SIZE
	unsigned int ipv4 = min(dev->gso_ipv4_max_size, size);

	netif_set_tso_max_size(dev, size);
	if (dev->gso_ipv4_max_size != ipv4)
		WRITE_ONCE(dev->gso_ipv4_max_size, ipv4);
#else
	netif_set_tso_max_size(dev, size);
#endif
}

/*
 * Called with RTNL held, and with the instance lock of a device that has one
 * for its operations (Linux 6.15 and later).
 *
 * A move to another namespace takes a registered device off the chain and puts
 * it back without letting go of RTNL, so that one pointer tells it from a new
 * device.
 */
static int bigtcp_netdev_event(struct notifier_block *nb, unsigned long event,
			       void *ptr)
{
	static const struct net_device *moving;
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);

	switch (event) {
	case NETDEV_UNREGISTER:
		if (dev->reg_state == NETREG_REGISTERED)
			moving = dev;
		break;

	case NETDEV_REGISTER:
		if (dev == moving)
			moving = NULL;
		else if (tso_max_size && bigtcp_is_internal_port(dev))
			bigtcp_set_tso_max_size(dev, tso_max_size);
		break;
	}

	return NOTIFY_DONE;
}

static struct notifier_block bigtcp_netdev_notifier = {
	.notifier_call = bigtcp_netdev_event,
};

static int __init bigtcp_init(void)
{
	int err;

	err = register_netdevice_notifier(&bigtcp_netdev_notifier);
	if (err)
		return err;

	/* Who sees the family finds the ports done. */
	err = bigtcp_netlink_init();
	if (err)
		unregister_netdevice_notifier(&bigtcp_netdev_notifier);
	return err;
}

static void __exit bigtcp_exit(void)
{
	bigtcp_netlink_exit();
	unregister_netdevice_notifier(&bigtcp_netdev_notifier);
}

module_init(bigtcp_init);
module_exit(bigtcp_exit);

MODULE_DESCRIPTION("BIG TCP for Open vSwitch internal ports");
MODULE_VERSION(BIGTCP_VERSION);
MODULE_LICENSE("GPL");
