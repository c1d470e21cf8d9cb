/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * Generic netlink family of the kernel module openvswitch_bigtcp, described in
 * ovs-bigtcp.yaml.
 *
 * All sizes are in bytes.
 */

#ifndef _UAPI_LINUX_OPENVSWITCH_BIGTCP_H
#define _UAPI_LINUX_OPENVSWITCH_BIGTCP_H

#define OVS_BIGTCP_FAMILY_NAME		"ovs-bigtcp"
#define OVS_BIGTCP_FAMILY_VERSION	1

/* An internal port of Open vSwitch: which one, and its sizes. */
enum {
	OVS_BIGTCP_A_IFINDEX = 1,	/* u32, or... */
	OVS_BIGTCP_A_IFNAME,		/* ...string, one of them. */
	OVS_BIGTCP_A_NETNSID,		/* s32, id that the caller's network
					 * namespace has for the device's; left
					 * out, it is the caller's. */
	OVS_BIGTCP_A_TSO_MAX_SIZE,	/* u32, ceiling of the GSO sizes. */
	OVS_BIGTCP_A_TSO_MAX_SEGS,	/* u32, ceiling of GSO_MAX_SEGS. */
	OVS_BIGTCP_A_GSO_MAX_SIZE,	/* u32, see IFLA_GSO_MAX_SIZE... */
	OVS_BIGTCP_A_GSO_MAX_SEGS,	/* u32, ...and so on. */
	OVS_BIGTCP_A_GRO_MAX_SIZE,	/* u32 */
	OVS_BIGTCP_A_GSO_IPV4_MAX_SIZE,	/* u32, Linux 6.3 and later. */
	OVS_BIGTCP_A_GRO_IPV4_MAX_SIZE,	/* u32, Linux 6.3 and later. */

	__OVS_BIGTCP_A_MAX,
	OVS_BIGTCP_A_MAX = (__OVS_BIGTCP_A_MAX - 1)
};

enum {
	OVS_BIGTCP_CMD_GET = 1,
	OVS_BIGTCP_CMD_SET,

	__OVS_BIGTCP_CMD_MAX,
	OVS_BIGTCP_CMD_MAX = (__OVS_BIGTCP_CMD_MAX - 1)
};

#endif /* _UAPI_LINUX_OPENVSWITCH_BIGTCP_H */
