/* SPDX-License-Identifier: Apache-2.0 */

/* Generic netlink family of kernel module openvswitch_bigtcp.  Nothing else in
 * this project knows generic netlink. */

#include <config.h>

#include "bigtcp/genl.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <poll.h>
#include <string.h>

#include "bigtcp/nl.h"
#include "bigtcp/provider.h"
#include "bigtcp/types.h"
#include "coverage.h"
#include "datapath/openvswitch_bigtcp.h"
#include "netlink-socket.h"
#include "netlink.h"
#include "netnsid.h"
#include "openvswitch/ofpbuf.h"
#include "openvswitch/vlog.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(bigtcp_genl);

COVERAGE_DEFINE(bigtcp_genl_lookup);
COVERAGE_DEFINE(bigtcp_genl_set);
COVERAGE_DEFINE(bigtcp_genl_set_failed);

/* Name of the family. */
const char bigtcp_genl_family_name[] = OVS_BIGTCP_FAMILY_NAME;

static const uint16_t attr_types[BIGTCP_N_ATTRS] = {
    [BIGTCP_TSO_MAX_SIZE] = OVS_BIGTCP_A_TSO_MAX_SIZE,
    [BIGTCP_GSO_MAX_SIZE] = OVS_BIGTCP_A_GSO_MAX_SIZE,
    [BIGTCP_GSO_IPV4_MAX_SIZE] = OVS_BIGTCP_A_GSO_IPV4_MAX_SIZE,
    [BIGTCP_GSO_MAX_SEGS] = OVS_BIGTCP_A_GSO_MAX_SEGS,
    [BIGTCP_GRO_MAX_SIZE] = OVS_BIGTCP_A_GRO_MAX_SIZE,
    [BIGTCP_GRO_IPV4_MAX_SIZE] = OVS_BIGTCP_A_GRO_IPV4_MAX_SIZE,
};

/* Receives what the kernel announces of families that come and go.  NULL
 * before the first look for ours, or if there can be none. */
static struct nl_sock *notify_sock;

/* What is known of our family: its number, 0 if it is not there.  'stale' if
 * it must be looked up before it is used. */
static uint16_t family_id;
static bool stale = true;

/* It came or went since the last bigtcp_genl_run(). */
static bool changed;

/* Looks our family up.  Returns 0 or a positive errno value, ENOENT if it is
 * not there. */
static int
lookup_family(uint16_t *id, uint32_t *version)
{
    static const struct nl_policy policy[] = {
        [CTRL_ATTR_FAMILY_ID] = { .type = NL_A_U16 },
        [CTRL_ATTR_VERSION] = { .type = NL_A_U32 },
    };
    struct nlattr *attrs[ARRAY_SIZE(policy)];
    struct ofpbuf *reply = NULL;
    struct ofpbuf request;
    int error;

    ofpbuf_init(&request, 64);
    nl_msg_put_genlmsghdr(&request, 0, GENL_ID_CTRL, NLM_F_REQUEST,
                          CTRL_CMD_GETFAMILY, 1);
    nl_msg_put_string(&request, CTRL_ATTR_FAMILY_NAME,
                      OVS_BIGTCP_FAMILY_NAME);
    error = nl_transact(NETLINK_GENERIC, &request, &reply);
    ofpbuf_uninit(&request);
    COVERAGE_INC(bigtcp_genl_lookup);

    if (!error && !nl_policy_parse(reply, NLMSG_HDRLEN + GENL_HDRLEN, policy,
                                   attrs, ARRAY_SIZE(policy))) {
        error = EPROTO;
    }
    if (!error) {
        *id = nl_attr_get_u16(attrs[CTRL_ATTR_FAMILY_ID]);
        *version = nl_attr_get_u32(attrs[CTRL_ATTR_VERSION]);
    }
    ofpbuf_delete(reply);
    return error;
}

/* Starts to listen for families that come and go. */
static void
listen_for_families(void)
{
    unsigned int group;
    int error;

    error = nl_lookup_genl_mcgroup("nlctrl", "notify", &group);
    if (!error) {
        error = bigtcp_nl_listen(NETLINK_GENERIC, group, &notify_sock);
    }
    if (error) {
        static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(1, 1);

        VLOG_WARN_RL(&rl, "cannot listen for generic netlink families: %s",
                     ovs_strerror(error));
    }
}

/* Returns true if 'buf' announces something of our family. */
static bool
is_ours(struct ofpbuf *buf)
{
    static const struct nl_policy policy[] = {
        [CTRL_ATTR_FAMILY_NAME] = { .type = NL_A_STRING },
    };
    struct nlattr *attrs[ARRAY_SIZE(policy)];

    return (nl_policy_parse(buf, NLMSG_HDRLEN + GENL_HDRLEN, policy, attrs,
                            ARRAY_SIZE(policy))
            && !strcmp(nl_attr_get_string(attrs[CTRL_ATTR_FAMILY_NAME]),
                       OVS_BIGTCP_FAMILY_NAME));
}

/* Reads what the kernel announced since the last call.  Without a socket for
 * that, our family must be looked up each time. */
static void
read_notifications(void)
{
    uint64_t stub[512 / 8];
    struct ofpbuf buf;
    int error = 0;

    if (!notify_sock) {
        stale = true;
        return;
    }
    ofpbuf_use_stub(&buf, stub, sizeof stub);
    while (error != EAGAIN) {
        error = nl_sock_recv(notify_sock, &buf, NULL, false);
        if (error == ENOBUFS) {
            stale = true;
        } else if (!error && is_ours(&buf)) {
            stale = changed = true;
        }
        if (error && error != EAGAIN && error != ENOBUFS) {
            /* Not again until it is listened for anew. */
            nl_sock_destroy(notify_sock);
            notify_sock = NULL;
            break;
        }
    }
    ofpbuf_uninit(&buf);
}

/* Returns true if the module is loaded.  Asks the kernel only the first time
 * and when the module came or went. */
bool
bigtcp_genl_is_there(void)
{
    static bool looked;

    if (!notify_sock) {
        /* First listen, then look, so that nothing is missed. */
        listen_for_families();
        stale = true;
    }
    read_notifications();
    if (stale) {
        uint16_t id;
        uint32_t version;

        if (lookup_family(&id, &version)) {
            id = 0;
        }
        changed |= looked && id != family_id;
        family_id = id;
        looked = true;
        stale = false;
    }
    return family_id != 0;
}

/* Stores in '*version' the version of our family.  Returns 0 or a positive
 * errno value, ENOENT if the module is not loaded. */
int
bigtcp_genl_get_version(uint32_t *version)
{
    uint16_t id;

    return lookup_family(&id, version);
}

/* Composes in 'buf' a request that gives 'sizes' to the internal port
 * 'ifindex' in the network namespace 'netnsid', as of lib/netnsid.h, through
 * the family of number 'family'. */
void
bigtcp_genl_compose_set(struct ofpbuf *buf, uint16_t family, int netnsid,
                        int ifindex, const struct bigtcp_sizes *sizes)
{
    nl_msg_put_genlmsghdr(buf, 0, family, NLM_F_REQUEST | NLM_F_ACK,
                          OVS_BIGTCP_CMD_SET, OVS_BIGTCP_FAMILY_VERSION);
    nl_msg_put_u32(buf, OVS_BIGTCP_A_IFINDEX, ifindex);
    if (netnsid_is_remote(netnsid)) {
        nl_msg_put_u32(buf, OVS_BIGTCP_A_NETNSID, netnsid);
    }
    BIGTCP_FOR_EACH_ATTR (attr) {
        if (bigtcp_sizes_has(sizes, attr)) {
            nl_msg_put_u32(buf, attr_types[attr], sizes->value[attr]);
        }
    }
}

/* Changes the 'n' internal ports in 'accesses' as the operation 'set' of
 * "struct bigtcp_class" does. */
void
bigtcp_genl_set(struct bigtcp_access *accesses[], size_t n)
{
    struct ofpbuf **requests = xcalloc(n, sizeof *requests);

    for (size_t i = 0; i < n; i++) {
        const struct bigtcp_link *link = accesses[i]->link;

        requests[i] = ofpbuf_new(128);
        bigtcp_genl_compose_set(requests[i], family_id, link->netnsid,
                                link->ifindex, &accesses[i]->sizes);
    }
    bigtcp_nl_set(NETLINK_GENERIC, accesses, requests, n);
    COVERAGE_ADD(bigtcp_genl_set, n);
    for (size_t i = 0; i < n; i++) {
        if (accesses[i]->error) {
            COVERAGE_INC(bigtcp_genl_set_failed);
        }
    }
    free(requests);
}

/* Returns true if the module came or went since the last call.  Does nothing
 * unless somebody asked for it before. */
bool
bigtcp_genl_run(void)
{
    bool told;

    if (notify_sock) {
        bigtcp_genl_is_there();
    }
    told = changed;
    changed = false;
    return told;
}

/* Wakes up when bigtcp_genl_run() has something to tell. */
void
bigtcp_genl_wait(void)
{
    if (notify_sock) {
        nl_sock_wait(notify_sock, POLLIN);
    }
}
