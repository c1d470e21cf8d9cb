/* SPDX-License-Identifier: Apache-2.0 */

#include <config.h>

#include "bigtcp/tc.h"

#include <errno.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_mirred.h>
#include <string.h>
#include <unistd.h>

#include "bigtcp/nl.h"
#include "bigtcp/rtnl-msg.h"
#include "coverage.h"
#include "hash.h"
#include "netlink-socket.h"
#include "netlink.h"
#include "netnsid.h"
#include "openvswitch/hmap.h"
#include "openvswitch/ofpbuf.h"
#include "openvswitch/vlog.h"
#include "sset.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(bigtcp_tc);

COVERAGE_DEFINE(bigtcp_rtnl_filters);
COVERAGE_DEFINE(bigtcp_rtnl_qdiscs);

/* A device that has a qdisc for filters of what it receives. */
struct filtered {
    struct hmap_node node;      /* In 'all_filtered', by 'ifindex'. */
    int ifindex;
    bool read;                  /* 'ingress' was found. */
    struct sset ingress;        /* Names of 'ifb' devices. */
};
static struct hmap all_filtered = HMAP_INITIALIZER(&all_filtered);

/* 'all_filtered' must be read before it is used. */
static bool stale = true;

/* Receives what the kernel announces of qdiscs and filters.  NULL before the
 * first call of bigtcp_tc_read(), or if there can be none. */
static struct nl_sock *notify_sock;

/* Composes in 'buf' a request for the tc filters of what the device 'ifindex'
 * receives. */
void
bigtcp_tc_compose_filters(struct ofpbuf *buf, int ifindex)
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
bigtcp_tc_parse_ingress(struct ofpbuf *buf)
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
bigtcp_tc_parse_redirect(struct ofpbuf *buf)
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

static struct filtered *
find_filtered(int ifindex)
{
    struct filtered *f;

    HMAP_FOR_EACH_WITH_HASH (f, node, hash_int(ifindex, 0), &all_filtered) {
        if (f->ifindex == ifindex) {
            return f;
        }
    }
    return NULL;
}

static void
forget(struct filtered *f)
{
    hmap_remove(&all_filtered, &f->node);
    sset_destroy(&f->ingress);
    free(f);
}

static void
forget_all(void *aux OVS_UNUSED)
{
    struct filtered *f;

    HMAP_FOR_EACH_SAFE (f, node, &all_filtered) {
        forget(f);
    }
}

static void
add_filtered(struct ofpbuf *reply, void *aux OVS_UNUSED)
{
    int ifindex = bigtcp_tc_parse_ingress(reply);

    if (ifindex && !find_filtered(ifindex)) {
        struct filtered *f = xzalloc(sizeof *f);

        f->ifindex = ifindex;
        sset_init(&f->ingress);
        hmap_insert(&all_filtered, &f->node, hash_int(ifindex, 0));
    }
}

/* Starts to listen, unless that was done. */
static void
start_listening(void)
{
    static bool tried;
    int error;

    if (tried) {
        return;
    }
    tried = true;
    error = bigtcp_nl_listen(NETLINK_ROUTE, RTNLGRP_TC, &notify_sock);
    if (error) {
        VLOG_WARN("cannot listen for changes of qdiscs: %s",
                  ovs_strerror(error));
    }
}

/* Brings up to date what bigtcp_tc_get_ingress() knows, after
 * bigtcp_tc_run(). */
void
bigtcp_tc_read(void)
{
    struct ofpbuf request;

    start_listening();
    if (notify_sock && !stale) {
        return;
    }
    if (access("/sys/module/ifb", F_OK)) {
        /* Nor can there be redirections to such devices. */
        forget_all(NULL);
        return;
    }
    ofpbuf_init(&request, 64);
    nl_msg_put_nlmsghdr(&request, 0, RTM_GETQDISC, NLM_F_REQUEST | NLM_F_DUMP);
    ofpbuf_put_zeros(&request, sizeof(struct tcmsg));
    stale = bigtcp_nl_dump(NETLINK_ROUTE, &request, forget_all, add_filtered,
                           NULL) != 0;
    ofpbuf_uninit(&request);
    COVERAGE_INC(bigtcp_rtnl_qdiscs);
}

static void
add_redirect(struct ofpbuf *reply, void *names)
{
    int ifindex = bigtcp_tc_parse_redirect(reply);
    struct bigtcp_rtnl_ties ties;
    struct bigtcp_link link;

    if (ifindex
        && !bigtcp_rtnl_get_link(NULL, ifindex, NETNSID_LOCAL, &link, &ties)
        && !strcmp(link.kind, "ifb")) {
        sset_add(names, link.name);
    }
}

/* Adds to 'names' those of the 'ifb' devices to which tc redirects what device
 * 'ifindex', of this network namespace, received.  Each sends it, as any
 * device does, and then hands it to the port of the first device.  A
 * redirection to anything else takes it away from the port. */
void
bigtcp_tc_get_ingress(int ifindex, struct sset *names)
{
    struct filtered *f = find_filtered(ifindex);
    const char *name;

    if (!f) {
        return;
    }
    if (!f->read) {
        struct ofpbuf request;

        ofpbuf_init(&request, 64);
        bigtcp_tc_compose_filters(&request, ifindex);
        f->read = !bigtcp_nl_dump(NETLINK_ROUTE, &request, NULL, add_redirect,
                                  &f->ingress);
        ofpbuf_uninit(&request);
        COVERAGE_INC(bigtcp_rtnl_filters);
    }
    SSET_FOR_EACH (name, &f->ingress) {
        sset_add(names, name);
    }
}

/* Notes what happened to a link of this network namespace. */
void
bigtcp_tc_see_link(const struct bigtcp_rtnl_event *event)
{
    struct filtered *f = find_filtered(event->ifindex);

    if (event->gone && f) {
        forget(f);
    }
    if (!strcmp(event->kind, "ifb")) {
        /* The kernel does not say whose filters used it. */
        stale = true;
    }
}

/* Notes what 'buf' announces.  Returns true if it is about a device for which
 * 'is_asked' and matters. */
static bool
see_notification(struct ofpbuf *buf, bool (*is_asked)(int ifindex))
{
    const struct nlmsghdr *nlmsg = buf->data;
    const struct tcmsg *tcm;
    struct filtered *f;

    if (buf->size < NLMSG_HDRLEN + sizeof *tcm) {
        return false;
    }
    tcm = ALIGNED_CAST(const struct tcmsg *, nlmsg + 1);
    f = find_filtered(tcm->tcm_ifindex);
    switch (nlmsg->nlmsg_type) {
    case RTM_NEWQDISC:
    case RTM_DELQDISC:
        /* A notification of a new qdisc that replaces another is one of both
         * kinds, so that what it is called does not matter. */
        stale |= (tcm->tcm_parent == TC_H_INGRESS);
        return ((tcm->tcm_parent == TC_H_INGRESS
                 || tcm->tcm_parent == TC_H_ROOT)
                && is_asked(tcm->tcm_ifindex));
    case RTM_NEWTFILTER:
        /* Those that Open vSwitch offloads are many.  Of a new 'matchall'
         * filter, the kernel announces no options: it can be one that
         * redirects. */
        if (!f || (nl_attr_find(buf, NLMSG_HDRLEN + sizeof *tcm, TCA_OPTIONS)
                   && !bigtcp_tc_parse_redirect(buf))) {
            return false;
        }
        break;
    case RTM_DELTFILTER:
        if (!f || sset_is_empty(&f->ingress)) {
            return false;
        }
        break;
    default:
        return false;
    }
    f->read = false;
    sset_clear(&f->ingress);
    return is_asked(tcm->tcm_ifindex);
}

/* Reads what the kernel announced since the last call.  Returns true if that
 * concerns a device of this network namespace for which 'is_asked'.  Does
 * nothing before the first bigtcp_tc_read().
 *
 * Nothing waits for this: with flows offloaded to tc, the kernel announces
 * each of them, and who cares for qdiscs reads devices every now and then
 * anyhow. */
bool
bigtcp_tc_run(bool (*is_asked)(int ifindex))
{
    bool changed = false;
    uint64_t stub[4096 / 8];
    struct ofpbuf buf;
    int error = 0;

    if (!notify_sock) {
        return false;
    }
    ofpbuf_use_stub(&buf, stub, sizeof stub);
    while (!error || error == ENOBUFS) {
        error = nl_sock_recv(notify_sock, &buf, NULL, false);
        if (!error) {
            changed |= see_notification(&buf, is_asked);
        } else if (error == ENOBUFS) {
            stale = changed = true;
        }
    }
    ofpbuf_uninit(&buf);
    return changed;
}
