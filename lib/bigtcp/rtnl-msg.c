/* SPDX-License-Identifier: Apache-2.0 */

#include <config.h>

#include "bigtcp/rtnl-msg.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "coverage.h"
#include "netlink-socket.h"
#include "netlink.h"
#include "netnsid.h"
#include "openvswitch/ofpbuf.h"
#include "util.h"

COVERAGE_DEFINE(bigtcp_rtnl_get);

/* Attributes of include/uapi/linux/if_link.h.  They are enumerators there,
 * some of them younger than the headers that we may be built with, so that
 * neither their names nor #ifdef can be used. */
enum {
    BIGTCP_IFLA_LINK_NETNSID = 37,
    BIGTCP_IFLA_GSO_MAX_SEGS = 40,
    BIGTCP_IFLA_GSO_MAX_SIZE = 41,
    BIGTCP_IFLA_GRO_MAX_SIZE = 58,
    BIGTCP_IFLA_TSO_MAX_SIZE = 59,
    BIGTCP_IFLA_TSO_MAX_SEGS = 60,
    BIGTCP_IFLA_GSO_IPV4_MAX_SIZE = 63,
    BIGTCP_IFLA_GRO_IPV4_MAX_SIZE = 64,
};

/* RTEXT_FILTER_SKIP_STATS: leave the statistics out of the reply. */
#define BIGTCP_RTEXT_FILTER_SKIP_STATS (1 << 3)

static const uint16_t ifla_types[BIGTCP_N_ATTRS] = {
    [BIGTCP_TSO_MAX_SIZE] = BIGTCP_IFLA_TSO_MAX_SIZE,
    [BIGTCP_GSO_MAX_SIZE] = BIGTCP_IFLA_GSO_MAX_SIZE,
    [BIGTCP_GSO_IPV4_MAX_SIZE] = BIGTCP_IFLA_GSO_IPV4_MAX_SIZE,
    [BIGTCP_GSO_MAX_SEGS] = BIGTCP_IFLA_GSO_MAX_SEGS,
    [BIGTCP_GRO_MAX_SIZE] = BIGTCP_IFLA_GRO_MAX_SIZE,
    [BIGTCP_GRO_IPV4_MAX_SIZE] = BIGTCP_IFLA_GRO_IPV4_MAX_SIZE,
};

/* Composes in 'buf' a request for the link 'name', or for 'ifindex' if 'name'
 * is NULL, or for all links if there is neither, in network namespace
 * 'netnsid', as of lib/netnsid.h.  A kernel that checks requests strictly
 * accepts it too. */
void
bigtcp_rtnl_compose_get(struct ofpbuf *buf, const char *name, int ifindex,
                        int netnsid)
{
    struct ifinfomsg *ifi;

    nl_msg_put_nlmsghdr(buf, 0, RTM_GETLINK,
                        NLM_F_REQUEST | (name || ifindex ? 0 : NLM_F_DUMP));
    ifi = ofpbuf_put_zeros(buf, sizeof *ifi);
    ifi->ifi_family = AF_UNSPEC;
    ifi->ifi_index = name ? 0 : ifindex;
    if (name) {
        nl_msg_put_string(buf, IFLA_IFNAME, name);
    }
    nl_msg_put_u32(buf, IFLA_EXT_MASK, BIGTCP_RTEXT_FILTER_SKIP_STATS);
    if (netnsid_is_remote(netnsid)) {
        nl_msg_put_u32(buf, BIGTCP_IFLA_TARGET_NETNSID, netnsid);
    }
}

/* Composes in 'buf' a request that gives 'sizes' to the device 'ifindex'.
 *
 * The kernel checks all attributes before it applies any, and applies the
 * IPv6 sizes before the IPv4 ones whatever their order here. */
void
bigtcp_rtnl_compose_set(struct ofpbuf *buf, int ifindex,
                        const struct bigtcp_sizes *sizes)
{
    struct ifinfomsg *ifi;

    nl_msg_put_nlmsghdr(buf, 0, RTM_SETLINK, NLM_F_REQUEST | NLM_F_ACK);
    ifi = ofpbuf_put_zeros(buf, sizeof *ifi);
    ifi->ifi_family = AF_UNSPEC;
    ifi->ifi_index = ifindex;
    BIGTCP_FOR_EACH_ATTR (attr) {
        /* The kernel rejects a message with tso_max_size in it. */
        if (attr != BIGTCP_TSO_MAX_SIZE && bigtcp_sizes_has(sizes, attr)) {
            nl_msg_put_u32(buf, ifla_types[attr], sizes->value[attr]);
        }
    }
}

/* Copies the kind of link in 'linkinfo', an IFLA_LINKINFO attribute or NULL,
 * to 'kind', which has room for 16 bytes, "" if there is none. */
static void
parse_kind(const struct nlattr *linkinfo, char kind[16])
{
    static const struct nl_policy policy[] = {
        [IFLA_INFO_KIND] = { .type = NL_A_STRING, .optional = true },
    };
    struct nlattr *info[ARRAY_SIZE(policy)];

    kind[0] = '\0';
    if (linkinfo
        && nl_parse_nested(linkinfo, policy, info, ARRAY_SIZE(policy))
        && info[IFLA_INFO_KIND]) {
        ovs_strlcpy(kind, nl_attr_get_string(info[IFLA_INFO_KIND]), 16);
    }
}

/* Parses the RTM_NEWLINK message in 'buf' into 'link' and 'ties'.  Returns
 * false, leaving both alone, if it is none. */
bool
bigtcp_rtnl_parse(struct ofpbuf *buf, struct bigtcp_link *link,
                  struct bigtcp_rtnl_ties *ties)
{
    /* There are many more attributes, and none but the name is sure to be
     * there. */
    static const struct nl_policy policy[] = {
        [IFLA_IFNAME] = { .type = NL_A_STRING },
        [IFLA_LINK] = { .type = NL_A_U32, .optional = true },
        [IFLA_MASTER] = { .type = NL_A_U32, .optional = true },
        [BIGTCP_IFLA_LINK_NETNSID] = { .type = NL_A_U32, .optional = true },
        [IFLA_MTU] = { .type = NL_A_U32, .optional = true },
        [IFLA_QDISC] = { .type = NL_A_STRING, .optional = true },
        [IFLA_LINKINFO] = { .type = NL_A_NESTED, .optional = true },
        [BIGTCP_IFLA_GSO_MAX_SEGS] = { .type = NL_A_U32, .optional = true },
        [BIGTCP_IFLA_GSO_MAX_SIZE] = { .type = NL_A_U32, .optional = true },
        [BIGTCP_IFLA_GRO_MAX_SIZE] = { .type = NL_A_U32, .optional = true },
        [BIGTCP_IFLA_TSO_MAX_SIZE] = { .type = NL_A_U32, .optional = true },
        [BIGTCP_IFLA_TSO_MAX_SEGS] = { .type = NL_A_U32, .optional = true },
        [BIGTCP_IFLA_GSO_IPV4_MAX_SIZE] = { .type = NL_A_U32,
                                            .optional = true },
        [BIGTCP_IFLA_GRO_IPV4_MAX_SIZE] = { .type = NL_A_U32,
                                            .optional = true },
    };
    struct nlattr *attrs[ARRAY_SIZE(policy)];
    const struct nlmsghdr *nlmsg = buf->data;
    const struct ifinfomsg *ifi;

    if (buf->size < NLMSG_HDRLEN + sizeof *ifi
        || nlmsg->nlmsg_type != RTM_NEWLINK
        || !nl_policy_parse(buf, NLMSG_HDRLEN + sizeof *ifi, policy, attrs,
                            ARRAY_SIZE(policy))) {
        return false;
    }
    ifi = ALIGNED_CAST(const struct ifinfomsg *,
                       (const char *) buf->data + NLMSG_HDRLEN);

    memset(link, 0, sizeof *link);
    link->ifindex = ifi->ifi_index;
    link->netnsid = NETNSID_LOCAL;
    ovs_strlcpy(link->name, nl_attr_get_string(attrs[IFLA_IFNAME]),
                sizeof link->name);
    link->features = BIGTCP_OFFLOADS_ALL;
    link->mtu = attrs[IFLA_MTU] ? nl_attr_get_u32(attrs[IFLA_MTU]) : 0;
    link->tso_max_segs = (attrs[BIGTCP_IFLA_TSO_MAX_SEGS]
                          ? nl_attr_get_u32(attrs[BIGTCP_IFLA_TSO_MAX_SEGS])
                          : BIGTCP_MAX_SEGS);
    BIGTCP_FOR_EACH_ATTR (attr) {
        const struct nlattr *nla = attrs[ifla_types[attr]];

        if (nla) {
            bigtcp_sizes_set(&link->sizes, attr, nl_attr_get_u32(nla));
        }
    }
    parse_kind(attrs[IFLA_LINKINFO], link->kind);
    if (attrs[IFLA_QDISC]) {
        ovs_strlcpy(link->qdisc, nl_attr_get_string(attrs[IFLA_QDISC]),
                    sizeof link->qdisc);
    }
    ties->below = (attrs[IFLA_LINK] && !attrs[BIGTCP_IFLA_LINK_NETNSID]
                   ? nl_attr_get_u32(attrs[IFLA_LINK]) : 0);
    ties->master = (attrs[IFLA_MASTER] ? nl_attr_get_u32(attrs[IFLA_MASTER])
                    : 0);
    return true;
}

/* Parses the message in 'buf', which the kernel sent to those who listen for
 * links, into 'event'.  Returns false if it is not about a link that came,
 * went or changed. */
bool
bigtcp_rtnl_parse_event(struct ofpbuf *buf, struct bigtcp_rtnl_event *event)
{
    static const struct nl_policy policy[] = {
        [IFLA_IFNAME] = { .type = NL_A_STRING },
        [IFLA_LINKINFO] = { .type = NL_A_NESTED, .optional = true },
    };
    struct nlattr *attrs[ARRAY_SIZE(policy)];
    const struct nlmsghdr *nlmsg = buf->data;
    const struct ifinfomsg *ifi;

    if (buf->size < NLMSG_HDRLEN + sizeof *ifi
        || (nlmsg->nlmsg_type != RTM_NEWLINK
            && nlmsg->nlmsg_type != RTM_DELLINK)
        || !nl_policy_parse(buf, NLMSG_HDRLEN + sizeof *ifi, policy, attrs,
                            ARRAY_SIZE(policy))) {
        return false;
    }
    ifi = ALIGNED_CAST(const struct ifinfomsg *, nlmsg + 1);
    if (ifi->ifi_family != AF_UNSPEC) {
        /* A port of a Linux bridge. */
        return false;
    }
    event->gone = nlmsg->nlmsg_type == RTM_DELLINK;
    event->ifindex = ifi->ifi_index;
    ovs_strlcpy(event->name, nl_attr_get_string(attrs[IFLA_IFNAME]),
                sizeof event->name);
    parse_kind(attrs[IFLA_LINKINFO], event->kind);
    return true;
}

/* Reads the device 'name', or 'ifindex' if 'name' is NULL, of network
 * namespace 'netnsid' into 'link' and 'ties'.  Returns 0 or a positive errno
 * value. */
int
bigtcp_rtnl_get_link(const char *name, int ifindex, int netnsid,
                     struct bigtcp_link *link, struct bigtcp_rtnl_ties *ties)
{
    struct ofpbuf *reply, request;
    int error;

    ofpbuf_init(&request, 128);
    bigtcp_rtnl_compose_get(&request, name, ifindex, netnsid);
    error = nl_transact(NETLINK_ROUTE, &request, &reply);
    COVERAGE_INC(bigtcp_rtnl_get);
    if (!error && !bigtcp_rtnl_parse(reply, link, ties)) {
        error = EPROTO;
    }
    if (!error) {
        link->netnsid = netnsid;
    }
    ofpbuf_delete(reply);
    ofpbuf_uninit(&request);
    return error;
}
