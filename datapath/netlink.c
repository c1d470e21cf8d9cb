// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generic netlink family: reads the sizes of Open vSwitch's internal ports, in
 * any network namespace that the caller has an id for, and changes them, the
 * ceiling included.
 *
 * To read ports of its own namespace anybody may.  What is done in another one
 * needs CAP_NET_ADMIN there, as in rtnetlink, and so does each change.
 *
 * Values and their side effects are those of rtnetlink (do_setlink()), which
 * this family is to rtnetlink's users: a lower ceiling takes the GSO sizes down
 * with it, a GSO or GRO size of at most 64 KiB is the one for IPv4 as well, and
 * nothing goes up by itself.
 */

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/user_namespace.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <net/tcp.h>
#ifdef HAVE_NETDEV_LOCK_OPS
#include <net/netdev_lock.h>
#endif

#include "internal.h"
#include "openvswitch_bigtcp.h"

static struct genl_family bigtcp_family;

/*
 * Ranges, which older kernels (6.1) want writable.
 *
 * An ifindex is an int.
 */
static struct netlink_range_validation bigtcp_ifindex_range = {
	.min = 1,
	.max = INT_MAX,
};

/* What TCP needs at the least, as in rtnetlink. */
static struct netlink_range_validation bigtcp_gso_range = {
	.min = MAX_TCP_HEADER + 1,
	.max = GSO_MAX_SIZE,
};

static struct netlink_range_validation bigtcp_segs_range = {
	.min = 1,
	.max = GSO_MAX_SEGS,
};

/* 0 turns GRO into nothing, which rtnetlink allows. */
static struct netlink_range_validation bigtcp_gro_range = {
	.min = 0,
	.max = GRO_MAX_SIZE,
};

#define BIGTCP_PORT_POLICY						\
	[OVS_BIGTCP_A_IFINDEX] =					\
		NLA_POLICY_FULL_RANGE(NLA_U32, &bigtcp_ifindex_range),	\
	[OVS_BIGTCP_A_IFNAME] = {					\
		.type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 },		\
	[OVS_BIGTCP_A_NETNSID] = NLA_POLICY_MIN(NLA_S32, 0)

static const struct nla_policy
bigtcp_get_policy[OVS_BIGTCP_A_NETNSID + 1] = {
	BIGTCP_PORT_POLICY,
};

static const struct nla_policy bigtcp_set_policy[OVS_BIGTCP_A_MAX + 1] = {
	BIGTCP_PORT_POLICY,
	[OVS_BIGTCP_A_TSO_MAX_SIZE] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &bigtcp_gso_range),
	[OVS_BIGTCP_A_TSO_MAX_SEGS] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &bigtcp_segs_range),
	[OVS_BIGTCP_A_GSO_MAX_SIZE] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &bigtcp_gso_range),
	[OVS_BIGTCP_A_GSO_MAX_SEGS] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &bigtcp_segs_range),
	[OVS_BIGTCP_A_GRO_MAX_SIZE] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &bigtcp_gro_range),
	[OVS_BIGTCP_A_GSO_IPV4_MAX_SIZE] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &bigtcp_gso_range),
	[OVS_BIGTCP_A_GRO_IPV4_MAX_SIZE] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &bigtcp_gro_range),
};

static void bigtcp_lock_ops(struct net_device *dev)
{
#ifdef HAVE_NETDEV_LOCK_OPS
	netdev_lock_ops(dev);
#endif
}

static void bigtcp_unlock_ops(struct net_device *dev)
{
#ifdef HAVE_NETDEV_LOCK_OPS
	netdev_unlock_ops(dev);
#endif
}

/*
 * Returns, with a reference, the network namespace that @netnsid, which may be
 * NULL, stands for to the sender of @skb, if the sender may read there or, with
 * @write, change something.
 */
static struct net *bigtcp_get_net(struct sk_buff *skb,
				  const struct nlattr *netnsid, bool write,
				  struct netlink_ext_ack *extack)
{
	struct net *net = sock_net(skb->sk);

	if (netnsid)
		net = get_net_ns_by_id(net, nla_get_s32(netnsid));
	else
		get_net(net);

	if (!net) {
		NL_SET_ERR_MSG_ATTR(extack, netnsid,
				    "no network namespace has this id here");
		return ERR_PTR(-EINVAL);
	}

	if ((netnsid || write) &&
	    !netlink_ns_capable(skb, net->user_ns, CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG(extack,
			       "CAP_NET_ADMIN is needed in the network namespace of the device");
		put_net(net);
		return ERR_PTR(-EPERM);
	}

	return net;
}

/* Returns the internal port in @net that @attrs name.  Needs RTNL. */
static struct net_device *bigtcp_get_port(struct net *net,
					  struct nlattr **attrs,
					  struct netlink_ext_ack *extack)
{
	const struct nlattr *ifindex = attrs[OVS_BIGTCP_A_IFINDEX];
	const struct nlattr *name = attrs[OVS_BIGTCP_A_IFNAME];
	struct net_device *dev;

	if (ifindex)
		dev = __dev_get_by_index(net, nla_get_u32(ifindex));
	else
		dev = __dev_get_by_name(net, nla_data(name));

	if (!dev) {
		NL_SET_ERR_MSG_ATTR(extack, ifindex ?: name, "no such device");
		return ERR_PTR(-ENODEV);
	}

	if (!bigtcp_is_internal_port(dev)) {
		NL_SET_ERR_MSG_ATTR(extack, ifindex ?: name,
				    "device is not an internal port of Open vSwitch");
		return ERR_PTR(-EOPNOTSUPP);
	}

	return dev;
}

static int bigtcp_check_port_attrs(struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;

	if (!attrs[OVS_BIGTCP_A_IFINDEX] && !attrs[OVS_BIGTCP_A_IFNAME]) {
		NL_SET_ERR_MSG(info->extack, "ifindex or ifname is missing");
		return -EINVAL;
	}

	if (attrs[OVS_BIGTCP_A_IFINDEX] && attrs[OVS_BIGTCP_A_IFNAME]) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[OVS_BIGTCP_A_IFNAME],
				    "ifindex and ifname exclude each other");
		return -EINVAL;
	}

	return 0;
}

/*
 * Appends to @skb a message about @dev, as part of a dump if @cb is not NULL.
 * Needs RTNL.
 */
static int bigtcp_put_port(struct sk_buff *skb, const struct net_device *dev,
			   const struct nlattr *netnsid, u32 portid, u32 seq,
			   struct netlink_callback *cb)
{
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &bigtcp_family,
			  cb ? NLM_F_MULTI : 0, OVS_BIGTCP_CMD_GET);
	if (!hdr)
		return -EMSGSIZE;

	if (cb)
		genl_dump_check_consistent(cb, hdr);

	if (nla_put_u32(skb, OVS_BIGTCP_A_IFINDEX, dev->ifindex) ||
	    nla_put_string(skb, OVS_BIGTCP_A_IFNAME, dev->name) ||
	    (netnsid && nla_put_s32(skb, OVS_BIGTCP_A_NETNSID,
				    nla_get_s32(netnsid))) ||
	    nla_put_u32(skb, OVS_BIGTCP_A_TSO_MAX_SIZE, dev->tso_max_size) ||
	    nla_put_u32(skb, OVS_BIGTCP_A_TSO_MAX_SEGS, dev->tso_max_segs) ||
	    nla_put_u32(skb, OVS_BIGTCP_A_GSO_MAX_SIZE, dev->gso_max_size) ||
	    nla_put_u32(skb, OVS_BIGTCP_A_GSO_MAX_SEGS, dev->gso_max_segs) ||
#ifdef HAVE_GSO_IPV4_MAX_SIZE
	    nla_put_u32(skb, OVS_BIGTCP_A_GSO_IPV4_MAX_SIZE,
			dev->gso_ipv4_max_size) ||
	    nla_put_u32(skb, OVS_BIGTCP_A_GRO_IPV4_MAX_SIZE,
			dev->gro_ipv4_max_size) ||
#endif
	    nla_put_u32(skb, OVS_BIGTCP_A_GRO_MAX_SIZE, dev->gro_max_size)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}

	genlmsg_end(skb, hdr);
	return 0;
}

static int bigtcp_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *netnsid = info->attrs[OVS_BIGTCP_A_NETNSID];
	struct net_device *dev;
	struct sk_buff *reply;
	struct net *net;
	int err;

	err = bigtcp_check_port_attrs(info);
	if (err)
		return err;

	reply = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;

	net = bigtcp_get_net(skb, netnsid, false, info->extack);
	if (IS_ERR(net)) {
		err = PTR_ERR(net);
		goto free_reply;
	}

	rtnl_lock();
	dev = bigtcp_get_port(net, info->attrs, info->extack);
	if (IS_ERR(dev))
		err = PTR_ERR(dev);
	else
		err = bigtcp_put_port(reply, dev, netnsid, info->snd_portid,
				      info->snd_seq, NULL);
	rtnl_unlock();
	put_net(net);
	if (err)
		goto free_reply;

	return genlmsg_reply(reply, info);

free_reply:
	nlmsg_free(reply);
	return err;
}

/* State of a dump, in cb->ctx. */
struct bigtcp_dump {
	struct net *net;		/* With a reference. */
	const struct nlattr *netnsid;	/* In the request, or NULL. */
	unsigned int skip;		/* Devices that are done. */
};

static struct nlattr **bigtcp_dump_attrs(struct netlink_callback *cb)
{
#ifdef HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

static int bigtcp_get_start(struct netlink_callback *cb)
{
	struct bigtcp_dump *dump = (void *)cb->ctx;
	struct nlattr **attrs = bigtcp_dump_attrs(cb);
	const struct nlattr *port;
	struct net *net;

	BUILD_BUG_ON(sizeof(*dump) > sizeof(cb->ctx));

	port = attrs[OVS_BIGTCP_A_IFINDEX] ?: attrs[OVS_BIGTCP_A_IFNAME];
	if (port) {
		NL_SET_ERR_MSG_ATTR(cb->extack, port,
				    "a dump is of all ports, not of one");
		return -EINVAL;
	}

	net = bigtcp_get_net(cb->skb, attrs[OVS_BIGTCP_A_NETNSID], false,
			     cb->extack);
	if (IS_ERR(net))
		return PTR_ERR(net);

	dump->net = net;
	dump->netnsid = attrs[OVS_BIGTCP_A_NETNSID];
	return 0;
}

static int bigtcp_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct bigtcp_dump *dump = (void *)cb->ctx;
	unsigned int done = 0;
	struct net_device *dev;
	int err = 0;

	rtnl_lock();
	/* Tells the caller if devices came or went since the last part. */
	cb->seq = dump->net->dev_base_seq;
	for_each_netdev(dump->net, dev) {
		if (done++ < dump->skip || !bigtcp_is_internal_port(dev))
			continue;

		err = bigtcp_put_port(skb, dev, dump->netnsid,
				      NETLINK_CB(cb->skb).portid,
				      cb->nlh->nlmsg_seq, cb);
		if (err) {
			done--;
			break;
		}
	}
	rtnl_unlock();

	dump->skip = done;
	return skb->len ?: err;
}

static int bigtcp_get_done(struct netlink_callback *cb)
{
	struct bigtcp_dump *dump = (void *)cb->ctx;

	put_net(dump->net);
	return 0;
}

/*
 * Checks against @dev all that the policy cannot.  A new ceiling counts for the
 * sizes that come with it.  Needs RTNL.
 */
static int bigtcp_check_set(const struct net_device *dev,
			    struct nlattr **attrs,
			    struct netlink_ext_ack *extack)
{
	unsigned int max_size = dev->tso_max_size;
	unsigned int max_segs = dev->tso_max_segs;
	const struct nlattr *attr;

#ifndef HAVE_GSO_IPV4_MAX_SIZE
	attr = attrs[OVS_BIGTCP_A_GSO_IPV4_MAX_SIZE] ?:
	       attrs[OVS_BIGTCP_A_GRO_IPV4_MAX_SIZE];
	if (attr) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "this kernel has no sizes of their own for IPv4");
		return -EOPNOTSUPP;
	}
#endif

	attr = attrs[OVS_BIGTCP_A_TSO_MAX_SIZE];
	if (attr)
		max_size = nla_get_u32(attr);

	attr = attrs[OVS_BIGTCP_A_TSO_MAX_SEGS];
	if (attr)
		max_segs = nla_get_u32(attr);

	attr = attrs[OVS_BIGTCP_A_GSO_MAX_SIZE];
	if (attr && nla_get_u32(attr) > max_size) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "gso_max_size is above tso_max_size");
		return -EINVAL;
	}

	attr = attrs[OVS_BIGTCP_A_GSO_IPV4_MAX_SIZE];
	if (attr && nla_get_u32(attr) > max_size) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "gso_ipv4_max_size is above tso_max_size");
		return -EINVAL;
	}

	attr = attrs[OVS_BIGTCP_A_GSO_MAX_SEGS];
	if (attr && nla_get_u32(attr) > max_segs) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "gso_max_segs is above tso_max_segs");
		return -EINVAL;
	}

	return 0;
}

/*
 * Gives @dev what @attrs hold, which bigtcp_check_set() found good.  Cannot
 * fail.  The fields are read without a lock where packets are made.  Needs RTNL
 * and, where there is one, the lock for the operations of @dev.
 */
static void bigtcp_apply_set(struct net_device *dev, struct nlattr **attrs)
{
	unsigned int gso_max_size = dev->gso_max_size;
	const struct nlattr *attr;

	attr = attrs[OVS_BIGTCP_A_TSO_MAX_SIZE];
	if (attr)
		bigtcp_set_tso_max_size(dev, nla_get_u32(attr));

	attr = attrs[OVS_BIGTCP_A_TSO_MAX_SEGS];
	if (attr)
		netif_set_tso_max_segs(dev, nla_get_u32(attr));

	attr = attrs[OVS_BIGTCP_A_GSO_MAX_SIZE];
	if (attr && nla_get_u32(attr) != gso_max_size) {
		WRITE_ONCE(dev->gso_max_size, nla_get_u32(attr));
#ifdef HAVE_GSO_IPV4_MAX_SIZE
		if (nla_get_u32(attr) <= GSO_LEGACY_MAX_SIZE)
			WRITE_ONCE(dev->gso_ipv4_max_size, nla_get_u32(attr));
#endif
	}

	attr = attrs[OVS_BIGTCP_A_GSO_MAX_SEGS];
	if (attr)
		WRITE_ONCE(dev->gso_max_segs, nla_get_u32(attr));

	attr = attrs[OVS_BIGTCP_A_GRO_MAX_SIZE];
	if (attr) {
		WRITE_ONCE(dev->gro_max_size, nla_get_u32(attr));
#ifdef HAVE_GSO_IPV4_MAX_SIZE
		if (nla_get_u32(attr) <= GRO_LEGACY_MAX_SIZE)
			WRITE_ONCE(dev->gro_ipv4_max_size, nla_get_u32(attr));
#endif
	}

#ifdef HAVE_GSO_IPV4_MAX_SIZE
	attr = attrs[OVS_BIGTCP_A_GSO_IPV4_MAX_SIZE];
	if (attr)
		WRITE_ONCE(dev->gso_ipv4_max_size, nla_get_u32(attr));

	attr = attrs[OVS_BIGTCP_A_GRO_IPV4_MAX_SIZE];
	if (attr)
		WRITE_ONCE(dev->gro_ipv4_max_size, nla_get_u32(attr));
#endif
}

static int bigtcp_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct net_device *dev;
	struct net *net;
	bool any = false;
	int err, i;

	err = bigtcp_check_port_attrs(info);
	if (err)
		return err;

	for (i = OVS_BIGTCP_A_TSO_MAX_SIZE; i <= OVS_BIGTCP_A_MAX; i++)
		any |= !!info->attrs[i];
	if (!any) {
		NL_SET_ERR_MSG(info->extack, "nothing to set");
		return -EINVAL;
	}

	net = bigtcp_get_net(skb, info->attrs[OVS_BIGTCP_A_NETNSID], true,
			     info->extack);
	if (IS_ERR(net))
		return PTR_ERR(net);

	rtnl_lock();
	dev = bigtcp_get_port(net, info->attrs, info->extack);
	if (IS_ERR(dev)) {
		err = PTR_ERR(dev);
	} else {
		bigtcp_lock_ops(dev);
		err = bigtcp_check_set(dev, info->attrs, info->extack);
		if (!err)
			bigtcp_apply_set(dev, info->attrs);
		bigtcp_unlock_ops(dev);
	}
	rtnl_unlock();
	put_net(net);

	return err;
}

static const struct genl_ops bigtcp_ops[] = {
	{
		.cmd	 = OVS_BIGTCP_CMD_GET,
		.doit	 = bigtcp_get_doit,
		.start	 = bigtcp_get_start,
		.dumpit	 = bigtcp_get_dumpit,
		.done	 = bigtcp_get_done,
		.policy	 = bigtcp_get_policy,
		.maxattr = ARRAY_SIZE(bigtcp_get_policy) - 1,
	},
	{
		.cmd	 = OVS_BIGTCP_CMD_SET,
		.doit	 = bigtcp_set_doit,
		.policy	 = bigtcp_set_policy,
		.maxattr = ARRAY_SIZE(bigtcp_set_policy) - 1,
	},
};

/*
 * Operations without '.validate' are checked strictly, dumps too.  RTNL is the
 * only lock needed, so those of genetlink are not.
 */
static struct genl_family bigtcp_family __ro_after_init = {
	.name		= OVS_BIGTCP_FAMILY_NAME,
	.version	= OVS_BIGTCP_FAMILY_VERSION,
	.module		= THIS_MODULE,
	.ops		= bigtcp_ops,
	.n_ops		= ARRAY_SIZE(bigtcp_ops),
	.netnsok	= true,
	.parallel_ops	= true,
};

int __init bigtcp_netlink_init(void)
{
	return genl_register_family(&bigtcp_family);
}

void bigtcp_netlink_exit(void)
{
	genl_unregister_family(&bigtcp_family);
}
