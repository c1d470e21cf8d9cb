/* SPDX-License-Identifier: Apache-2.0 */

/* Sizes of the system's devices, and where tc sends what they receive, by
 * rtnetlink and, for what that cannot do, by lib/bigtcp/genl.h.  Nothing else
 * in this project knows rtnetlink. */

#include <config.h>

#include "bigtcp/probe.h"
#include "bigtcp/provider.h"
#include "bigtcp/rtnl.h"

#include <dirent.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_mirred.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "bigtcp/ethtool.h"
#include "bigtcp/genl.h"
#include "bigtcp/nl.h"
#include "coverage.h"
#include "dpif-netlink.h"
#include "hmapx.h"
#include "netlink.h"
#include "netlink-socket.h"
#include "netnsid.h"
#include "openvswitch/ofpbuf.h"
#include "openvswitch/shash.h"
#include "ovs-thread.h"
#include "simap.h"
#include "sset.h"
#include "util.h"

COVERAGE_DEFINE(bigtcp_rtnl_get);
COVERAGE_DEFINE(bigtcp_rtnl_dump);
COVERAGE_DEFINE(bigtcp_rtnl_filters);
COVERAGE_DEFINE(bigtcp_rtnl_set);
COVERAGE_DEFINE(bigtcp_rtnl_set_failed);

/* Attributes of include/uapi/linux/if_link.h.  They are enumerators there,
 * some of them younger than the headers that we may be built with, so that
 * neither their names nor #ifdef can be used. */
enum {
    BIGTCP_IFLA_GSO_MAX_SEGS = 40,
    BIGTCP_IFLA_GSO_MAX_SIZE = 41,
    BIGTCP_IFLA_TARGET_NETNSID = 46,
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
 * is NULL, or for all links if there is neither.  A kernel that checks
 * requests strictly accepts it too. */
void
bigtcp_rtnl_compose_get(struct ofpbuf *buf, const char *name, int ifindex)
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

/* Parses the RTM_NEWLINK message in 'buf' into 'link'.  Returns false, leaving
 * that alone, if it is none. */
bool
bigtcp_rtnl_parse(struct ofpbuf *buf, struct bigtcp_link *link)
{
    /* There are many more attributes, and none but the name is sure to be
     * there. */
    static const struct nl_policy policy[] = {
        [IFLA_IFNAME] = { .type = NL_A_STRING },
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
    static const struct nl_policy info_policy[] = {
        [IFLA_INFO_KIND] = { .type = NL_A_STRING, .optional = true },
    };
    struct nlattr *attrs[ARRAY_SIZE(policy)];
    struct nlattr *info[ARRAY_SIZE(info_policy)];
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
    if (attrs[IFLA_LINKINFO]
        && nl_parse_nested(attrs[IFLA_LINKINFO], info_policy, info,
                           ARRAY_SIZE(info_policy))
        && info[IFLA_INFO_KIND]) {
        ovs_strlcpy(link->kind, nl_attr_get_string(info[IFLA_INFO_KIND]),
                    sizeof link->kind);
    }
    if (attrs[IFLA_QDISC]) {
        ovs_strlcpy(link->qdisc, nl_attr_get_string(attrs[IFLA_QDISC]),
                    sizeof link->qdisc);
    }
    return true;
}

/* Composes in 'buf' a request for the tc filters of what the device 'ifindex'
 * receives. */
void
bigtcp_rtnl_compose_filters(struct ofpbuf *buf, int ifindex)
{
    struct tcmsg *tcm;

    nl_msg_put_nlmsghdr(buf, 0, RTM_GETTFILTER, NLM_F_REQUEST | NLM_F_DUMP);
    tcm = ofpbuf_put_zeros(buf, sizeof *tcm);
    tcm->tcm_family = AF_UNSPEC;
    tcm->tcm_ifindex = ifindex;
    /* TC_H_CLSACT and TC_H_MIN_INGRESS of linux/pkt_sched.h, which qdisc
     * 'ingress' takes, too. */
    tcm->tcm_parent = TC_H_MAKE(TC_H_INGRESS, 0xfff2);
}

/* If 'buf', an RTM_NEWQDISC message, is of a qdisc that can have filters of
 * what its device receives, returns the ifindex of that device, otherwise
 * 0. */
int
bigtcp_rtnl_parse_ingress(struct ofpbuf *buf)
{
    static const struct nl_policy policy[] = {
        [TCA_KIND] = { .type = NL_A_STRING },
    };
    struct nlattr *attrs[ARRAY_SIZE(policy)];
    const struct nlmsghdr *nlmsg = buf->data;
    const struct tcmsg *tcm;
    const char *kind;

    if (buf->size < NLMSG_HDRLEN + sizeof *tcm
        || nlmsg->nlmsg_type != RTM_NEWQDISC
        || !nl_policy_parse(buf, NLMSG_HDRLEN + sizeof *tcm, policy, attrs,
                            ARRAY_SIZE(policy))) {
        return 0;
    }
    tcm = ALIGNED_CAST(const struct tcmsg *, nlmsg + 1);
    kind = nl_attr_get_string(attrs[TCA_KIND]);
    return (!strcmp(kind, "ingress") || !strcmp(kind, "clsact")
            ? tcm->tcm_ifindex : 0);
}

/* Returns the ifindex of the device to which the tc filter in 'buf', an
 * RTM_NEWTFILTER message, redirects packets, by action 'mirred', for that to
 * send them.  Returns 0 if it is none or redirects nothing. */
int
bigtcp_rtnl_parse_redirect(struct ofpbuf *buf)
{
    /* Where each kind of filter has its actions: TCA_<KIND>_ACT of
     * linux/pkt_cls.h, of which Open vSwitch has a copy without some. */
    static const struct {
        const char *kind;
        uint16_t act;
    } kinds[] = {
        { "basic", 3 },
        { "bpf", 1 },
        { "flower", 3 },
        { "fw", 4 },
        { "matchall", 2 },
        { "u32", 7 },
    };
    /* Attributes of an action, of linux/pkt_cls.h. */
    enum { ACT_KIND = 1, ACT_OPTIONS = 2 };
    static const struct nl_policy policy[] = {
        [TCA_KIND] = { .type = NL_A_STRING },
        [TCA_OPTIONS] = { .type = NL_A_NESTED },
    };
    static const struct nl_policy act_policy[] = {
        [ACT_KIND] = { .type = NL_A_STRING },
        [ACT_OPTIONS] = { .type = NL_A_NESTED, .optional = true },
    };
    static const struct nl_policy mirred_policy[] = {
        [TCA_MIRRED_PARMS] = { .type = NL_A_UNSPEC,
                               .min_len = sizeof(struct tc_mirred) },
    };
    struct nlattr *attrs[ARRAY_SIZE(policy)];
    const struct nlmsghdr *nlmsg = buf->data;
    const struct nlattr *acts = NULL;
    const struct nlattr *act;
    size_t left;

    if (buf->size < NLMSG_HDRLEN + sizeof(struct tcmsg)
        || nlmsg->nlmsg_type != RTM_NEWTFILTER
        || !nl_policy_parse(buf, NLMSG_HDRLEN + sizeof(struct tcmsg), policy,
                            attrs, ARRAY_SIZE(policy))) {
        return 0;
    }
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (!strcmp(nl_attr_get_string(attrs[TCA_KIND]), kinds[i].kind)) {
            acts = nl_attr_find_nested(attrs[TCA_OPTIONS], kinds[i].act);
        }
    }
    if (!acts) {
        return 0;
    }
    NL_NESTED_FOR_EACH (act, left, acts) {
        struct nlattr *a[ARRAY_SIZE(act_policy)];
        struct nlattr *m[ARRAY_SIZE(mirred_policy)];

        if (nl_parse_nested(act, act_policy, a, ARRAY_SIZE(act_policy))
            && !strcmp(nl_attr_get_string(a[ACT_KIND]), "mirred")
            && a[ACT_OPTIONS]
            && nl_parse_nested(a[ACT_OPTIONS], mirred_policy, m,
                               ARRAY_SIZE(mirred_policy))) {
            const struct tc_mirred *mirred
                = nl_attr_get(m[TCA_MIRRED_PARMS]);

            if (mirred->eaction == TCA_EGRESS_REDIR) {
                return mirred->ifindex;
            }
        }
    }
    return 0;
}

/* Sends 'request', which asks for one device, and reads the reply into
 * 'link'.  Returns 0 or a positive errno value. */
static int
get_link(const struct ofpbuf *request, struct bigtcp_link *link)
{
    struct ofpbuf *reply;
    int error;

    error = nl_transact(NETLINK_ROUTE, request, &reply);
    COVERAGE_INC(bigtcp_rtnl_get);
    if (!error && !bigtcp_rtnl_parse(reply, link)) {
        error = EPROTO;
    }
    ofpbuf_delete(reply);
    return error;
}

/* Sends 'request', which asks for a dump, and calls 'cb' with 'aux' for each
 * reply.  Returns 0 or a positive errno value. */
static int
for_each_reply(const struct ofpbuf *request,
               void (*cb)(struct ofpbuf *reply, void *aux), void *aux)
{
    struct ofpbuf reply, buf;
    struct nl_dump dump;

    nl_dump_start(&dump, NETLINK_ROUTE, request);
    ofpbuf_init(&buf, NL_DUMP_BUFSIZE);
    while (nl_dump_next(&dump, &reply, &buf)) {
        cb(&reply, aux);
    }
    ofpbuf_uninit(&buf);
    return nl_dump_done(&dump);
}

/* Calls 'cb' with 'aux' for the link message of each device of this network
 * namespace.  Returns 0 or a positive errno value. */
static int
for_each_link(void (*cb)(struct ofpbuf *reply, void *aux), void *aux)
{
    struct ofpbuf request;
    int error;

    ofpbuf_init(&request, 64);
    bigtcp_rtnl_compose_get(&request, NULL, 0);
    error = for_each_reply(&request, cb, aux);
    ofpbuf_uninit(&request);
    COVERAGE_INC(bigtcp_rtnl_dump);
    return error;
}

static void
store_link(struct ofpbuf *reply, void *wanted)
{
    struct bigtcp_access *access;
    struct bigtcp_link link;

    if (bigtcp_rtnl_parse(reply, &link)
        && (access = shash_find_data(wanted, link.name))) {
        access->error = 0;
        *access->link = link;
    }
}

/* Stores in 'lowers' the names of the devices below 'device', of this network
 * namespace. */
static void
find_lowers(const char *device, struct sset *lowers)
{
    char *path = xasprintf("/sys/class/net/%s", device);
    const struct dirent *entry;
    DIR *dir = opendir(path);

    while (dir && (entry = readdir(dir))) {
        if (!strncmp(entry->d_name, "lower_", 6)) {
            sset_add(lowers, entry->d_name + 6);
        }
    }
    if (dir) {
        closedir(dir);
    }
    free(path);
}

/* Finds what takes a request of its own of the device of 'access', which was
 * read. */
static void
get_details(struct bigtcp_access *access)
{
    /* Kinds of device that have no queue or hardware of their own, but hand
     * what they send to other devices. */
    static const char *const kinds[] = {
        "bond", "dsa", "ipvlan", "macsec", "macvlan", "team", "vlan",
    };

    for (size_t i = 0; access->lowers && i < ARRAY_SIZE(kinds); i++) {
        if (!strcmp(access->link->kind, kinds[i])) {
            find_lowers(access->link->name, access->lowers);
        }
    }
    access->link->features = bigtcp_ethtool_get_features(access->link->name);
}

/* If device 'ifindex', of this network namespace, is an 'ifb' device, adds its
 * name to 'names'. */
static void
add_if_ifb(int ifindex, struct sset *names)
{
    char name[IFNAMSIZ];
    struct bigtcp_link link;
    struct ofpbuf request;

    if (!if_indextoname(ifindex, name)) {
        return;
    }
    ofpbuf_init(&request, 128);
    bigtcp_rtnl_compose_get(&request, name, 0);
    if (!get_link(&request, &link) && !strcmp(link.kind, "ifb")) {
        sset_add(names, name);
    }
    ofpbuf_uninit(&request);
}

/* Adds 'ifindex' to 'ifindexes' if it is one. */
static void
add_ifindex(int ifindex, struct hmapx *ifindexes)
{
    if (ifindex) {
        hmapx_add(ifindexes, (void *) (uintptr_t) ifindex);
    }
}

static void
add_redirect(struct ofpbuf *reply, void *targets)
{
    add_ifindex(bigtcp_rtnl_parse_redirect(reply), targets);
}

/* Stores in 'ingress' the names of the 'ifb' devices to which tc redirects
 * what device 'ifindex', of this network namespace, received.  Each sends it,
 * as any device does, and then hands it to the port of the first device.  A
 * redirection to anything else takes it away from the port. */
static void
find_ingress(int ifindex, struct sset *ingress)
{
    struct hmapx targets = HMAPX_INITIALIZER(&targets);
    struct hmapx_node *node;
    struct ofpbuf request;

    ofpbuf_init(&request, 64);
    bigtcp_rtnl_compose_filters(&request, ifindex);
    for_each_reply(&request, add_redirect, &targets);
    ofpbuf_uninit(&request);
    COVERAGE_INC(bigtcp_rtnl_filters);

    HMAPX_FOR_EACH (node, &targets) {
        add_if_ifb((uintptr_t) node->data, ingress);
    }
    hmapx_destroy(&targets);
}

static void
add_filtered(struct ofpbuf *reply, void *ifindexes)
{
    add_ifindex(bigtcp_rtnl_parse_ingress(reply), ifindexes);
}

/* Adds to 'ifindexes' the numbers of those devices of this network namespace
 * for which find_ingress() can find anything. */
static void
find_filtered(struct hmapx *ifindexes)
{
    struct ofpbuf request;

    ofpbuf_init(&request, 64);
    nl_msg_put_nlmsghdr(&request, 0, RTM_GETQDISC, NLM_F_REQUEST | NLM_F_DUMP);
    ofpbuf_put_zeros(&request, sizeof(struct tcmsg));
    for_each_reply(&request, add_filtered, ifindexes);
    ofpbuf_uninit(&request);
    COVERAGE_INC(bigtcp_rtnl_dump);
}

/* Reads the device of 'access', an internal port that is not in this network
 * namespace, where it is.  The datapath knows the number of that
 * namespace. */
static void
get_remote(struct bigtcp_access *access)
{
    struct dpif_netlink_vport vport;
    struct ofpbuf *buf, request;

    if (dpif_netlink_vport_get(access->name, &vport, &buf)) {
        return;
    }
    if (netnsid_is_remote(vport.netnsid)) {
        ofpbuf_init(&request, 128);
        bigtcp_rtnl_compose_get(&request, access->name, 0);
        nl_msg_put_u32(&request, BIGTCP_IFLA_TARGET_NETNSID, vport.netnsid);
        access->error = get_link(&request, access->link) ? ENODEV : 0;
        access->link->netnsid = vport.netnsid;
        ofpbuf_uninit(&request);
    }
    ofpbuf_delete(buf);
}

/* Returns the largest packet, in bytes, that the kernel's code for tunnels of
 * 'kind' takes, found by making one.
 *
 * A tunnel device's ceiling is no proof of that.  One that was made with a
 * lower device, on any kernel, has the ceiling of that
 * (netif_inherit_tso_max()), also if another program made it and Open vSwitch
 * took it over.  But the length fields of the outer IP and UDP headers have 16
 * bits, and a kernel must know what to do with more.  A driver that does says
 * so by itself: a new device without a lower device has 524280 (vxlan and
 * geneve from Linux 7.3 on), else 65536. */
static uint32_t
tunnel_carries(const char *kind)
{
    static struct simap known = SIMAP_INITIALIZER(&known);
    uint32_t carries = simap_get(&known, kind);

    if (!carries) {
        struct bigtcp_rtnl_probe probe = { .kind = kind };

        carries = BIGTCP_LEGACY_SIZE;
        if (!bigtcp_rtnl_probe(&probe, 1) && !probe.error) {
            carries = bigtcp_link_ceiling(&probe.link);
        }
        simap_put(&known, kind, carries);
    }
    return carries;
}

/* Completes what was read of a device by what the kernel does not say of
 * it. */
static void
add_carries(struct bigtcp_link *link)
{
    static const char *const kinds[] = { "vxlan", "geneve", "gretap" };

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (!strcmp(link->kind, kinds[i])
            && bigtcp_link_ceiling(link) > BIGTCP_LEGACY_SIZE) {
            uint32_t carries = tunnel_carries(link->kind);

            if (carries < bigtcp_link_ceiling(link)) {
                link->carries = carries;
            }
        }
    }
}

/* Completes what was read of 'access', or not found, in this network
 * namespace.  '*module' says whether our kernel module is loaded, -1 if nobody
 * looked, and 'filtered' for which devices find_ingress() is needed. */
static void
complete_access(struct bigtcp_access *access, int *module,
                const struct hmapx *filtered)
{
    struct bigtcp_link *link = access->link;

    /* Its name may be that of another device here. */
    if (access->internal && access->name
        && (access->error == ENODEV
            || (!access->error && !bigtcp_link_is_internal(link)))) {
        get_remote(access);
    }

    access->remote = false;
    if (!access->error) {
        if (bigtcp_link_is_internal(link)) {
            if (*module < 0) {
                *module = bigtcp_genl_is_there();
            }
            link->settable = *module;
        }
        access->remote = (netnsid_is_remote(link->netnsid)
                          && !link->settable);
        add_carries(link);
        if (!netnsid_is_remote(link->netnsid)) {
            get_details(access);
        }
        if (access->ingress && !netnsid_is_remote(link->netnsid)
            && hmapx_contains(filtered,
                              (void *) (uintptr_t) link->ifindex)) {
            find_ingress(link->ifindex, access->ingress);
        }
    }
}

/* Reads the device of 'access' alone: one that has a name in this network
 * namespace, any other where it is. */
static void
get_one(struct bigtcp_access *access)
{
    struct ofpbuf request;

    ofpbuf_init(&request, 128);
    bigtcp_rtnl_compose_get(&request, access->name, access->ifindex);
    if (!access->name && netnsid_is_remote(access->netnsid)) {
        nl_msg_put_u32(&request, BIGTCP_IFLA_TARGET_NETNSID, access->netnsid);
    }
    access->error = get_link(&request, access->link);
    if (!access->error && !access->name
        && netnsid_is_remote(access->netnsid)) {
        access->link->netnsid = access->netnsid;
    }
    ofpbuf_uninit(&request);
}

/* One device is read by a request, several are by one dump. */
static void
bigtcp_rtnl_get(struct bigtcp_access *accesses, size_t n)
{
    struct hmapx filtered = HMAPX_INITIALIZER(&filtered);
    bool ingress = false;
    int module = -1;

    if (n == 1) {
        get_one(accesses);
    } else {
        struct shash wanted = SHASH_INITIALIZER(&wanted);
        int error;

        for (size_t i = 0; i < n; i++) {
            if (accesses[i].name) {
                accesses[i].error = ENODEV;
                shash_add(&wanted, accesses[i].name, &accesses[i]);
            }
        }
        error = for_each_link(store_link, &wanted);
        for (size_t i = 0; i < n; i++) {
            if (!accesses[i].name) {
                get_one(&accesses[i]);
            } else if (error) {
                accesses[i].error = error;
            }
        }
        shash_destroy(&wanted);
    }

    for (size_t i = 0; i < n; i++) {
        ingress = ingress || accesses[i].ingress;
    }
    if (ingress && !access("/sys/module/ifb", F_OK)) {
        find_filtered(&filtered);
    }
    for (size_t i = 0; i < n; i++) {
        complete_access(&accesses[i], &module, &filtered);
    }
    hmapx_destroy(&filtered);
}

/* Returns true if rtnetlink cannot do what 'access' asks for.  A request to
 * change a device in another network namespace would move it there. */
static bool
needs_module(const struct bigtcp_access *access)
{
    return (netnsid_is_remote(access->link->netnsid)
            || bigtcp_sizes_has(&access->sizes, BIGTCP_TSO_MAX_SIZE));
}

static void
bigtcp_rtnl_set(struct bigtcp_access *accesses, size_t n)
{
    struct bigtcp_access **through_rtnl = xcalloc(n, sizeof *through_rtnl);
    struct bigtcp_access **through_genl = xcalloc(n, sizeof *through_genl);
    struct ofpbuf **requests = xcalloc(n, sizeof *requests);
    size_t n_rtnl = 0;
    size_t n_genl = 0;

    for (size_t i = 0; i < n; i++) {
        if (needs_module(&accesses[i])) {
            through_genl[n_genl++] = &accesses[i];
        } else {
            requests[n_rtnl] = ofpbuf_new(128);
            bigtcp_rtnl_compose_set(requests[n_rtnl],
                                    accesses[i].link->ifindex,
                                    &accesses[i].sizes);
            through_rtnl[n_rtnl++] = &accesses[i];
        }
    }

    if (n_rtnl) {
        bigtcp_nl_set(NETLINK_ROUTE, through_rtnl, requests, n_rtnl);
        COVERAGE_ADD(bigtcp_rtnl_set, n_rtnl);
        for (size_t i = 0; i < n_rtnl; i++) {
            if (through_rtnl[i]->error) {
                COVERAGE_INC(bigtcp_rtnl_set_failed);
            }
        }
    }
    if (n_genl) {
        bigtcp_genl_set(through_genl, n_genl);
    }
    free(requests);
    free(through_genl);
    free(through_rtnl);
}

const struct bigtcp_class bigtcp_rtnl_class = {
    .name = "rtnl",
    .get = bigtcp_rtnl_get,
    .set = bigtcp_rtnl_set,
    .tap = &bigtcp_bpf_tap_class,
    .get_kernel = bigtcp_probe_kernel,
    .run = bigtcp_genl_run,
    .wait = bigtcp_genl_wait,
};

struct kind_ceiling {
    const char *kind;
    uint32_t ceiling;
};

static void
update_kind_ceiling(struct ofpbuf *reply, void *kind_ceiling_)
{
    struct kind_ceiling *kc = kind_ceiling_;
    struct bigtcp_link link;

    if (bigtcp_rtnl_parse(reply, &link)
        && !strcmp(link.kind, kc->kind)) {
        kc->ceiling = MAX(kc->ceiling, bigtcp_link_ceiling(&link));
    }
}

/* Stores in '*ceiling' the highest tso_max_size of the devices of 'kind' that
 * exist, 0 if there is none.  Returns 0 or a positive errno value. */
int
bigtcp_rtnl_kind_ceiling(const char *kind, uint32_t *ceiling)
{
    struct kind_ceiling kc = { .kind = kind };
    int error = for_each_link(update_kind_ceiling, &kc);

    *ceiling = kc.ceiling;
    return error;
}

/* Composes in 'buf' a request to make a device 'name' of 'kind', a tunnel as
 * OVS makes it: without a remote of its own. */
static void
compose_new(struct ofpbuf *buf, const char *name, const char *kind)
{
    /* Of linux/if_link.h and linux/if_tunnel.h. */
    enum {
        VXLAN_COLLECT_METADATA = 25,
        GENEVE_COLLECT_METADATA = 6,
        GRE_COLLECT_METADATA = 18,
    };
    struct ifinfomsg *ifi;
    size_t linkinfo, data;

    nl_msg_put_nlmsghdr(buf, 0, RTM_NEWLINK, (NLM_F_REQUEST | NLM_F_ACK
                                              | NLM_F_CREATE | NLM_F_EXCL));
    ifi = ofpbuf_put_zeros(buf, sizeof *ifi);
    ifi->ifi_family = AF_UNSPEC;
    nl_msg_put_string(buf, IFLA_IFNAME, name);
    linkinfo = nl_msg_start_nested(buf, IFLA_LINKINFO);
    nl_msg_put_string(buf, IFLA_INFO_KIND, kind);
    data = nl_msg_start_nested(buf, IFLA_INFO_DATA);
    if (!strcmp(kind, "vxlan")) {
        nl_msg_put_u8(buf, VXLAN_COLLECT_METADATA, 1);
    } else if (!strcmp(kind, "geneve")) {
        nl_msg_put_flag(buf, GENEVE_COLLECT_METADATA);
    } else if (!strcmp(kind, "gretap")) {
        nl_msg_put_flag(buf, GRE_COLLECT_METADATA);
    }
    nl_msg_end_nested(buf, data);
    nl_msg_end_nested(buf, linkinfo);
}

/* Makes a device of the kind in 'probe' through 'sock', asks for the largest
 * of each size, and reads it. */
static void
probe_kind(struct nl_sock *sock, struct bigtcp_rtnl_probe *probe)
{
    char *device = xasprintf("p-%.12s", probe->kind);
    struct ofpbuf *request = ofpbuf_new(256);
    struct ofpbuf *reply = ofpbuf_new(4096);
    struct bigtcp_sizes sizes;

    compose_new(request, device, probe->kind);
    probe->error = bigtcp_nl_exchange(sock, request, reply, NULL);

    for (int step = 0; step < 2 && !probe->error; step++) {
        ofpbuf_clear(request);
        bigtcp_rtnl_compose_get(request, device, 0);
        probe->error = bigtcp_nl_exchange(sock, request, reply, NULL);
        if (!probe->error && !bigtcp_rtnl_parse(reply, &probe->link)) {
            probe->error = EPROTO;
        }
        if (!probe->error && !step) {
            memset(&sizes, 0, sizeof sizes);
            bigtcp_sizes_set(&sizes, BIGTCP_GSO_MAX_SIZE,
                             bigtcp_link_ceiling(&probe->link));
            bigtcp_sizes_set(&sizes, BIGTCP_GSO_IPV4_MAX_SIZE,
                             bigtcp_link_ceiling(&probe->link));
            bigtcp_sizes_set(&sizes, BIGTCP_GRO_MAX_SIZE, BIGTCP_MAX_SIZE);
            bigtcp_sizes_set(&sizes, BIGTCP_GRO_IPV4_MAX_SIZE,
                             BIGTCP_MAX_SIZE);
            ofpbuf_clear(request);
            bigtcp_rtnl_compose_set(request, probe->link.ifindex, &sizes);
            /* What is refused shows in what is read next. */
            bigtcp_nl_exchange(sock, request, reply, NULL);
        }
    }
    ofpbuf_delete(request);
    ofpbuf_delete(reply);
    free(device);
}

struct probe_thread {
    struct bigtcp_rtnl_probe *probes;
    size_t n;
    int error;
};

static void *
probe_main(void *aux_)
{
    struct probe_thread *aux = aux_;
    struct nl_sock *sock;

    /* Of this thread alone.  The kernel removes it with all that is in it
     * when the thread ends. */
    if (unshare(CLONE_NEWNET)) {
        aux->error = errno;
        return NULL;
    }
    aux->error = nl_sock_create(NETLINK_ROUTE, &sock);
    if (!aux->error) {
        for (size_t i = 0; i < aux->n; i++) {
            probe_kind(sock, &aux->probes[i]);
        }
        nl_sock_destroy(sock);
    }
    return NULL;
}

/* Tries the 'n' kinds of device in 'probes' in a network namespace that exists
 * only for that.  Returns 0 or a positive errno value if there can be none. */
int
bigtcp_rtnl_probe(struct bigtcp_rtnl_probe *probes, size_t n)
{
    struct probe_thread aux = { .probes = probes, .n = n };

    xpthread_join(ovs_thread_create("bigtcp_probe", probe_main, &aux), NULL);
    return aux.error;
}
