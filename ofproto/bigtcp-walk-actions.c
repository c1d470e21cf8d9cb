/* SPDX-License-Identifier: Apache-2.0 */

/* Follows a packet through datapath actions. */

#include <config.h>

#include "ofproto/bigtcp-walk-private.h"

#include <inttypes.h>
#include <string.h>

#include "bigtcp/compat.h"
#include "bigtcp/path.h"
#include "dp-packet.h"
#include "netlink.h"
#include "odp-execute.h"
#include "odp-util.h"
#include "openvswitch/dynamic-string.h"
#include "packets.h"
#include "util.h"

/* Lets 'a', an action that changes headers, change the packet of 'state'.
 * Returns false if that leaves no packet. */
static bool
apply_action(struct bigtcp_walk_state *state, const struct nlattr *a)
{
    struct dp_packet_batch batch;

    dp_packet_batch_init_packet(&batch, state->packet);
    odp_execute_actions(NULL, &batch, false, a, NLA_ALIGN(a->nla_len), NULL);
    if (dp_packet_batch_is_empty(&batch)) {
        /* It was freed. */
        state->packet = NULL;
        return false;
    }
    return true;
}

/* Returns the number of bytes of 'packet' from 'header' on, 0 if that is
 * NULL. */
static size_t
bytes_from(const struct dp_packet *packet, const void *header)
{
    return (header ? (const char *) dp_packet_tail(packet)
            - (const char *) header : 0);
}

/* Returns true if 'packet' has all of the header that a set() action changes
 * whose key is of 'type', or if that is no header: upstream's functions do not
 * look whether it is there. */
static bool
has_header(const struct dp_packet *packet, uint16_t type)
{
    static const struct {
        uint16_t type;
        size_t l3, l4;          /* Bytes that are needed. */
    } headers[] = {
        { OVS_KEY_ATTR_IPV4, IP_HEADER_LEN, 0 },
        { OVS_KEY_ATTR_IPV6, IPV6_HEADER_LEN, 0 },
        { OVS_KEY_ATTR_ARP, ARP_ETH_HEADER_LEN, 0 },
        { OVS_KEY_ATTR_NSH, NSH_M_TYPE1_LEN, 0 },
        { OVS_KEY_ATTR_TCP, 0, TCP_HEADER_LEN },
        { OVS_KEY_ATTR_UDP, 0, UDP_HEADER_LEN },
        { OVS_KEY_ATTR_SCTP, 0, SCTP_HEADER_LEN },
        { OVS_KEY_ATTR_ICMP, 0, ICMP_HEADER_LEN },
        { OVS_KEY_ATTR_ICMPV6, 0, ICMP6_HEADER_LEN },
        { OVS_KEY_ATTR_ND, 0, ND_MSG_LEN },
        { OVS_KEY_ATTR_ND_EXTENSIONS, 0, ND_MSG_LEN },
    };

    if (type == OVS_KEY_ATTR_ETHERNET) {
        return (dp_packet_is_eth(packet)
                && dp_packet_size(packet) >= ETH_HEADER_LEN);
    } else if (type == OVS_KEY_ATTR_MPLS) {
        return bytes_from(packet, dp_packet_l2_5(packet)) >= MPLS_HLEN;
    }
    for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
        if (headers[i].type == type) {
            return (bytes_from(packet, dp_packet_l3(packet)) >= headers[i].l3
                    && (bytes_from(packet, dp_packet_l4(packet))
                        >= headers[i].l4));
        }
    }
    return true;
}

/* Returns true if the packet of 'state' has what action 'type' takes for
 * granted: upstream's functions for it check that by assertions or not at
 * all. */
static bool
has_needed_headers(const struct bigtcp_walk_state *state,
                   enum ovs_action_attr type)
{
    const struct dp_packet *packet = state->packet;
    bool eth = dp_packet_is_eth(packet);

    return (type == OVS_ACTION_ATTR_PUSH_ETH ? !eth
            : type == OVS_ACTION_ATTR_POP_ETH ? eth && dp_packet_l3(packet)
            : type == OVS_ACTION_ATTR_PUSH_VLAN
            || type == OVS_ACTION_ATTR_POP_VLAN ? eth
            : type == OVS_ACTION_ATTR_POP_NSH
            ? has_header(packet, OVS_KEY_ATTR_NSH) : true);
}

/* Returns what user space action 'a' is for. */
static const char *
userspace_purpose(const struct nlattr *a)
{
    const struct nlattr *data = nl_attr_find_nested(
        a, OVS_USERSPACE_ATTR_USERDATA);
    struct user_action_cookie cookie;

    if (!data || nl_attr_get_size(data) != sizeof cookie) {
        return NULL;
    }
    memcpy(&cookie, nl_attr_get(data), sizeof cookie);
    switch (cookie.type) {
    case USER_ACTION_COOKIE_SFLOW:
        return "sFlow";
    case USER_ACTION_COOKIE_SLOW_PATH:
        return "slow path";
    case USER_ACTION_COOKIE_FLOW_SAMPLE:
    case USER_ACTION_COOKIE_IPFIX:
        return "IPFIX";
    case USER_ACTION_COOKIE_CONTROLLER:
        return "controller";
    default:
        return NULL;
    }
}

static void
copy_to_userspace(struct bigtcp_walk *walk,
                  const struct bigtcp_walk_state *state,
                  const struct nlattr *a)
{
    struct bigtcp_path_copy copy = { .choice = state->choice };
    const char *purpose = userspace_purpose(a);

    bigtcp_path_steps_copy(&copy.steps, &state->steps);
    bigtcp_path_steps_add(&copy.steps, "userspace", purpose ? "%s" : NULL,
                          purpose);
    bigtcp_walk_add_copy(walk, &copy);
}

/* Notes in 'state' what ct() action 'a' does. */
static void
track(struct bigtcp_walk *walk, struct bigtcp_walk_state *state,
      const struct nlattr *a)
{
    const struct nlattr *zone = nl_attr_find_nested(a, OVS_CT_ATTR_ZONE);
    const struct nlattr *nat = nl_attr_find_nested(a, OVS_CT_ATTR_NAT);
    struct bigtcp_walk_ct *ct = &state->ct;

    memset(ct, 0, sizeof *ct);
    ct->tracked = true;
    ct->zone = zone ? nl_attr_get_u16(zone) : 0;
    if (nat) {
        const struct nlattr *ip = nl_attr_find_nested(nat,
                                                      OVS_NAT_ATTR_IP_MIN);
        const struct nlattr *port = nl_attr_find_nested(
            nat, OVS_NAT_ATTR_PROTO_MIN);

        ct->snat = nl_attr_find_nested(nat, OVS_NAT_ATTR_SRC) != NULL;
        if (ip && nl_attr_get_size(ip) == sizeof(ovs_be32)) {
            ct->ip = in6_addr_mapped_ipv4(nl_attr_get_be32(ip));
        } else if (ip) {
            ct->ip = nl_attr_get_in6_addr(ip);
        }
        ct->port = port ? htons(nl_attr_get_u16(port)) : 0;
    }
    walk->has_ct = true;
    bigtcp_path_steps_add(&state->steps, "ct", ct->zone ? "zone=%u" : NULL,
                          ct->zone);
}

/* Walks 'nested' with a copy of 'state'. */
static void
walk_nested(struct bigtcp_walk *walk, const struct bigtcp_walk_state *state,
            const struct nlattr *nested)
{
    struct bigtcp_walk_state copy;

    bigtcp_walk_state_clone(&copy, state);
    bigtcp_walk_actions(walk, &copy, nl_attr_get(nested),
                        nl_attr_get_size(nested));
    bigtcp_walk_state_destroy(&copy);
}

/* Follows check_pkt_len() action 'a' into the branches that packets of TCP can
 * take: the kernel looks at the length of their segments
 * (execute_check_pkt_len()), and so only at the MTU of who sends them. */
static void
check_pkt_len(struct bigtcp_walk *walk, const struct bigtcp_walk_state *state,
              const struct nlattr *a)
{
    static const struct {
        enum ovs_check_pkt_len_attr type;
        const char *text;
    } branches[] = {
        { OVS_CHECK_PKT_LEN_ATTR_ACTIONS_IF_LESS_EQUAL, "<=" },
        { OVS_CHECK_PKT_LEN_ATTR_ACTIONS_IF_GREATER, ">" },
    };
    uint16_t length = nl_attr_get_u16(
        nl_attr_find_nested(a, OVS_CHECK_PKT_LEN_ATTR_PKT_LEN));
    const struct bigtcp_path_device *sender = walk->path.sender;
    int64_t segment = (sender && sender->mtu
                       ? (int64_t) sender->mtu + ETH_HEADER_LEN
                         + state->size.growth : INT64_MAX);

    for (size_t i = 0; i < ARRAY_SIZE(branches); i++) {
        const struct nlattr *nested = nl_attr_find_nested(a,
                                                          branches[i].type);

        if (nested && (!i || segment > length)) {
            struct bigtcp_walk_state copy;

            bigtcp_walk_state_clone(&copy, state);
            bigtcp_path_steps_add(&copy.steps, "check_pkt_len",
                                  "%s %"PRIu16, branches[i].text, length);
            bigtcp_walk_actions(walk, &copy, nl_attr_get(nested),
                                nl_attr_get_size(nested));
            bigtcp_walk_state_destroy(&copy);
        }
    }
}

/* Applies 'a', which pushes or pops a header, to 'state', and adds it to the
 * steps.  Returns false if that leaves no packet. */
static bool
change_headers(struct bigtcp_walk_state *state, const struct nlattr *a)
{
    static const struct {
        enum ovs_action_attr type;
        enum bigtcp_path_change change;
        const char *name;
        const char *undoes;
    } changes[] = {
        { OVS_ACTION_ATTR_PUSH_VLAN, BIGTCP_PATH_PUSH_VLAN, "push_vlan",
          NULL },
        { OVS_ACTION_ATTR_POP_VLAN, BIGTCP_PATH_POP_VLAN, "pop_vlan",
          "push_vlan" },
        { OVS_ACTION_ATTR_PUSH_MPLS, BIGTCP_PATH_PUSH_MPLS, "push_mpls",
          NULL },
        { OVS_ACTION_ATTR_ADD_MPLS, BIGTCP_PATH_PUSH_MPLS, "add_mpls",
          NULL },
        { OVS_ACTION_ATTR_POP_MPLS, BIGTCP_PATH_POP_MPLS, "pop_mpls",
          "push_mpls" },
        { OVS_ACTION_ATTR_PUSH_NSH, BIGTCP_PATH_PUSH_NSH, "push_nsh", NULL },
        { OVS_ACTION_ATTR_POP_NSH, BIGTCP_PATH_POP_NSH, "pop_nsh",
          "push_nsh" },
        { OVS_ACTION_ATTR_PUSH_ETH, BIGTCP_PATH_PUSH_ETH, "push_eth", NULL },
        { OVS_ACTION_ATTR_POP_ETH, BIGTCP_PATH_POP_ETH, "pop_eth",
          "push_eth" },
    };
    struct bigtcp_path_steps *steps = &state->steps;
    uint32_t before = dp_packet_size(state->packet);

    if (!has_needed_headers(state, nl_attr_type(a))
        || !apply_action(state, a)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        if (nl_attr_type(a) == changes[i].type) {
            bigtcp_path_packet_change(&state->size, changes[i].change,
                                      dp_packet_size(state->packet) - before);
            if (changes[i].undoes && steps->n
                && !strcmp(steps->steps[steps->n - 1].action,
                           changes[i].undoes)) {
                /* Between two outputs: nothing is left of it. */
                free(steps->steps[--steps->n].detail);
            } else {
                bigtcp_path_steps_add(steps, changes[i].name, NULL);
            }
            return true;
        }
    }
    OVS_NOT_REACHED();
}

/* Applies set() action 'a' to 'state'.  Only a tunnel is of interest by
 * itself; the rest matters to flows after recirculation. */
static void
set_field(struct bigtcp_walk_state *state, const struct nlattr *a)
{
    const struct nlattr *key = nl_attr_get(a);

    if (has_header(state->packet, nl_attr_type(key))) {
        apply_action(state, a);
    }
    if (nl_attr_type(a) == OVS_ACTION_ATTR_SET
        && nl_attr_type(key) == OVS_KEY_ATTR_TUNNEL) {
        struct in6_addr remote = flow_tnl_dst(&state->packet->md.tunnel);
        struct ds ds = DS_EMPTY_INITIALIZER;

        ipv6_format_mapped(&remote, &ds);
        bigtcp_path_steps_add(&state->steps, "set_tunnel", "dst=%s",
                              ds_cstr(&ds));
        ds_destroy(&ds);
        state->has_tunnel = true;
    }
}

/* Follows the packet of 'state' through the 'actions_len' bytes of
 * 'actions'. */
void
bigtcp_walk_actions(struct bigtcp_walk *walk, struct bigtcp_walk_state *state,
                    const struct nlattr *actions, size_t actions_len)
{
    const struct nlattr *nested;
    const struct nlattr *a;
    unsigned int left;

    NL_ATTR_FOR_EACH (a, left, actions, actions_len) {
        int type = nl_attr_type(a);

        switch (type) {
        case OVS_ACTION_ATTR_OUTPUT:
            bigtcp_walk_output(walk, state, nl_attr_get_odp_port(a));
            state->size.max_len = UINT32_MAX;
            break;

        case OVS_ACTION_ATTR_USERSPACE:
            copy_to_userspace(walk, state, a);
            state->size.max_len = UINT32_MAX;
            break;

        case OVS_ACTION_ATTR_TRUNC:
            state->size.max_len
                = ((const struct ovs_action_trunc *) nl_attr_get(a))->max_len;
            break;

        case OVS_ACTION_ATTR_RECIRC:
            bigtcp_walk_recirculate(walk, state, nl_attr_get_u32(a));
            break;

        case OVS_ACTION_ATTR_HASH:
            /* Any: which value it has is up to the packet. */
            state->packet->md.dp_hash = 1;
            break;

        case OVS_ACTION_ATTR_CT:
            track(walk, state, a);
            break;

        case OVS_ACTION_ATTR_CT_CLEAR:
            memset(&state->ct, 0, sizeof state->ct);
            state->packet->md.ct_state = 0;
            break;

        case OVS_ACTION_ATTR_METER:
            bigtcp_path_steps_add(&state->steps, "meter", NULL);
            break;

        case OVS_ACTION_ATTR_CLONE:
            walk_nested(walk, state, a);
            break;

        case OVS_ACTION_ATTR_SAMPLE:
            nested = nl_attr_find_nested(a, OVS_SAMPLE_ATTR_ACTIONS);
            if (nested) {
                size_t n = state->steps.n;

                bigtcp_path_steps_add(&state->steps, "sample", NULL);
                walk_nested(walk, state, nested);
                state->steps.n = n;
            }
            break;

        case OVS_ACTION_ATTR_CHECK_PKT_LEN:
            check_pkt_len(walk, state, a);
            break;

        case OVS_ACTION_ATTR_SET:
        case OVS_ACTION_ATTR_SET_MASKED:
            set_field(state, a);
            break;

        case OVS_ACTION_ATTR_PUSH_VLAN:
        case OVS_ACTION_ATTR_POP_VLAN:
        case OVS_ACTION_ATTR_PUSH_MPLS:
        case OVS_ACTION_ATTR_ADD_MPLS:
        case OVS_ACTION_ATTR_POP_MPLS:
        case OVS_ACTION_ATTR_PUSH_NSH:
        case OVS_ACTION_ATTR_POP_NSH:
        case OVS_ACTION_ATTR_PUSH_ETH:
        case OVS_ACTION_ATTR_POP_ETH:
            if (!change_headers(state, a)) {
                return;
            }
            break;

        case OVS_ACTION_ATTR_DROP:
            return;

#if BIGTCP_HAVE_PSAMPLE
        case OVS_ACTION_ATTR_PSAMPLE:
            /* A copy of the first bytes of it for others to look at. */
            break;
#endif

        default:
            bigtcp_walk_note(walk, "datapath action %d is not known here",
                             type);
            break;
        }
    }
}
