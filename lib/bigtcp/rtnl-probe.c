/* SPDX-License-Identifier: Apache-2.0 */

#include <config.h>

#include "bigtcp/rtnl-probe.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <string.h>

#include "bigtcp/nl.h"
#include "bigtcp/probe.h"
#include "bigtcp/rtnl-msg.h"
#include "netlink-socket.h"
#include "netlink.h"
#include "netnsid.h"
#include "openvswitch/ofpbuf.h"
#include "ovs-thread.h"
#include "util.h"

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
    struct bigtcp_rtnl_ties ties;
    struct bigtcp_sizes sizes;

    compose_new(request, device, probe->kind);
    probe->error = bigtcp_nl_exchange(sock, request, reply, NULL);

    for (int step = 0; step < 2 && !probe->error; step++) {
        ofpbuf_clear(request);
        bigtcp_rtnl_compose_get(request, device, 0, NETNSID_LOCAL);
        probe->error = bigtcp_nl_exchange(sock, request, reply, NULL);
        if (!probe->error
            && !bigtcp_rtnl_parse(reply, &probe->link, &ties)) {
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

/* A kind of tunnel that a probe tells more of than a device's ceiling. */
struct tunnel {
    const char *kind;
    struct bigtcp_attempt attempt;
    uint32_t carries;           /* Bytes, if 'attempt.error' is 0. */
};

/* Finds out the largest packet that the kernel's code for 'tunnel' takes, by
 * making one, unless that is known.
 *
 * A tunnel device's ceiling is no proof of that.  One that was made with a
 * lower device, on any kernel, has the ceiling of that
 * (netif_inherit_tso_max()), also if another program made it and Open vSwitch
 * took it over.  But the length fields of the outer IP and UDP headers have 16
 * bits, and a kernel must know what to do with more.  A driver that does says
 * so by itself: a new device without a lower device has 524280 (vxlan and
 * geneve from Linux 7.3 on), else 65536. */
static void
probe_tunnel(struct tunnel *tunnel)
{
    struct bigtcp_rtnl_probe probe = { .kind = tunnel->kind };
    int error;

    if (!bigtcp_attempt_is_due(&tunnel->attempt)) {
        return;
    }
    error = bigtcp_rtnl_probe(&probe, 1);
    if (!error) {
        error = probe.error;
    }
    tunnel->carries = error ? 0 : bigtcp_link_ceiling(&probe.link);
    bigtcp_attempt_done(&tunnel->attempt, error);
}

/* Completes 'link' by what the kernel does not say of it: 'carries' and
 * 'carries_error'. */
void
bigtcp_rtnl_probe_carries(struct bigtcp_link *link)
{
    static struct tunnel tunnels[] = {
        { .kind = "vxlan" },
        { .kind = "geneve" },
        { .kind = "gretap" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(tunnels); i++) {
        if (!strcmp(link->kind, tunnels[i].kind)
            && bigtcp_link_ceiling(link) > BIGTCP_LEGACY_SIZE) {
            struct tunnel *tunnel = &tunnels[i];

            probe_tunnel(tunnel);
            link->carries_error = tunnel->attempt.error;
            if (!tunnel->attempt.error
                && tunnel->carries < bigtcp_link_ceiling(link)) {
                link->carries = tunnel->carries;
            }
        }
    }
}
