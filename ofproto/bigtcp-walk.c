/* SPDX-License-Identifier: Apache-2.0 */

/* Translates a flow as ofproto/trace does, but without a packet and so without
 * side effects, follows recirculation, and walks the datapath actions. */

#include <config.h>

#include "ofproto/bigtcp-walk.h"

#include <netinet/in.h>
#include <string.h>

#include "bigtcp.h"
#include "bigtcp-compat.h"
#include "bigtcp-hazards.h"
#include "bigtcp-path.h"
#include "bigtcp-path-devices.h"
#include "bigtcp-provider.h"
#include "bigtcp-route.h"
#include "dp-packet.h"
#include "dpif.h"
#include "flow.h"
#include "hash.h"
#include "netdev.h"
#include "netdev-vport.h"
#include "netlink.h"
#include "odp-execute.h"
#include "odp-util.h"
#include "ofproto/bigtcp-ofproto.h"
#include "ofproto/ofproto-dpif.h"
#include "ofproto/ofproto-dpif-rid.h"
#include "ofproto/ofproto-dpif-trace.h"
#include "ofproto/ofproto-dpif-xlate.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/list.h"
#include "openvswitch/ofp-port.h"
#include "openvswitch/ofpbuf.h"
#include "ovs-thread.h"
#include "packets.h"
#include "util.h"

enum {
    /* Translations for one command, as many as ofproto/trace follows
     * recirculations. */
    MAX_TRANSLATIONS = 4096,
};

/* A port of the datapath. */
struct dp_port {
    struct hmap_node node;      /* In 'dp_ports' of the walk, by 'odp_port'. */
    odp_port_t odp_port;
    char *name;                 /* Kernel device. */
    char *type;                 /* E.g. "vxlan". */
};

/* What ct() does to the packet that recirculates after it. */
struct ct {
    bool tracked;
    uint16_t zone;
    bool snat, dnat;
    struct in6_addr ip;         /* IPv4-mapped for IPv4, :: for none. */
    ovs_be16 port;              /* 0 for none. */
};

/* A packet at some action. */
struct state {
    struct dp_packet *packet;   /* Its headers and metadata. */
    struct bigtcp_path_packet size;
    struct bigtcp_path_steps steps;
    struct ct ct;               /* Of the last ct(). */
    bool has_tunnel;            /* The tunnel in the metadata is for output. */
    bool choice;                /* It is one of several. */
};

/* In how many translations of a job something was seen, and the last one. */
struct seen {
    size_t n;
    size_t last;
};

/* A flow to be translated. */
struct job {
    struct ovs_list node;       /* In 'jobs' of the walk. */
    struct flow flow;
    struct state state;         /* Without a packet. */
    struct seen seen;           /* In translations of the job before. */
};

/* A group of which a bucket was picked. */
struct choice {
    size_t n;                   /* Buckets. */
    size_t i;                   /* The one to pick in this translation. */
};

/* A translation, kept so that the recirculation IDs in its actions stay. */
struct translation {
    struct ovs_list node;       /* In 'translations' of the walk. */
    struct xlate_out xout;
};

/* All that belongs to one command. */
struct bigtcp_walk {
    struct ofproto_dpif *ofproto;
    struct bigtcp_path path;
    struct bigtcp_path_devices devices;
    struct hmap dp_ports;       /* Contains "struct dp_port"s. */
    struct ovs_list jobs;       /* Contains "struct job"s. */
    struct ovs_list translations; /* Contains "struct translation"s. */
    struct ovs_list *next_ct_states; /* "struct oftrace_next_ct_state"s. */
    size_t n_translations;
    bool has_ct;                /* A packet passes ct(). */

    struct seen *seen;          /* For each of 'path.copies', in translations
                                 * of the job that added it. */
    size_t allocated_seen;

    struct choice *choices;     /* Of the translation under way, in order. */
    size_t n_choices;
    size_t allocated_choices;
    size_t position;            /* Next of 'choices'. */
    const char *slow;           /* Of that translation, or NULL. */
};

/* The walk that is translating in this thread. */
DEFINE_STATIC_PER_THREAD_DATA(struct bigtcp_walk *, current, NULL);

static void walk_actions(struct bigtcp_walk *, struct state *,
                         const struct nlattr *actions, size_t actions_len);

/* Adds "format" to what the user must know, once. */
static void OVS_PRINTF_FORMAT(2, 3)
add_note(struct bigtcp_walk *walk, const char *format, ...)
{
    struct bigtcp_path_steps *notes = &walk->path.notes;
    va_list args;
    char *text;

    va_start(args, format);
    text = xvasprintf(format, args);
    va_end(args);
    for (size_t i = 0; i < notes->n; i++) {
        if (!strcmp(notes->steps[i].detail, text)) {
            free(text);
            return;
        }
    }
    bigtcp_path_steps_add(notes, "note", "%s", text);
    free(text);
}

/* Packets and states. */

/* Returns a packet of 'flow', with the metadata of it. */
static struct dp_packet *
compose_packet(const struct flow *flow)
{
    struct dp_packet *packet = dp_packet_new(0);
    struct flow extracted;

    bigtcp_flow_compose(packet, flow);
    pkt_metadata_from_flow(&packet->md, flow);
    /* For the offsets of its headers. */
    flow_extract(packet, &extracted);
    return packet;
}

static void
state_clone(struct state *dst, const struct state *src)
{
    *dst = *src;
    dst->packet = src->packet ? dp_packet_clone(src->packet) : NULL;
    bigtcp_path_steps_copy(&dst->steps, &src->steps);
}

static void
state_destroy(struct state *state)
{
    dp_packet_delete(state->packet);
    bigtcp_path_steps_destroy(&state->steps);
}

/* Starts 'state' with what 'flow' is. */
static void
state_init(struct state *state, const struct flow *flow)
{
    memset(state, 0, sizeof *state);
    state->size.max_len = UINT32_MAX;
    state->size.ethernet = flow->packet_type == htonl(PT_ETH);
    state->size.family = (flow->dl_type == htons(ETH_TYPE_IP)
                          ? BIGTCP_PATH_IPV4
                          : flow->dl_type == htons(ETH_TYPE_IPV6)
                          ? BIGTCP_PATH_IPV6 : BIGTCP_PATH_OTHER);
    for (size_t i = 0; i < FLOW_MAX_VLAN_HEADERS; i++) {
        state->size.n_vlans += eth_type_vlan(flow->vlans[i].tpid)
                               || flow->vlans[i].tci;
    }
}

/* Lets 'a', an action that changes headers, change the packet of 'state'.
 * Returns false if that leaves no packet. */
static bool
apply_action(struct state *state, const struct nlattr *a)
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

static const struct dp_port *
find_dp_port(const struct bigtcp_walk *walk, odp_port_t odp_port)
{
    const struct dp_port *port;

    HMAP_FOR_EACH_WITH_HASH (port, node, hash_odp_port(odp_port),
                             &walk->dp_ports) {
        if (port->odp_port == odp_port) {
            return port;
        }
    }
    return NULL;
}

static void
read_dp_ports(struct bigtcp_walk *walk)
{
    struct dpif_port_dump dump;
    struct dpif_port dpif_port;

    DPIF_PORT_FOR_EACH (&dpif_port, &dump, walk->ofproto->backer->dpif) {
        struct dp_port *port = xmalloc(sizeof *port);

        port->odp_port = dpif_port.port_no;
        port->name = xstrdup(dpif_port.name);
        port->type = xstrdup(dpif_port.type);
        hmap_insert(&walk->dp_ports, &port->node,
                    hash_odp_port(port->odp_port));
    }
}

/* Copies. */

static bool
same_steps(const struct bigtcp_path_steps *a,
           const struct bigtcp_path_steps *b)
{
    if (a->n != b->n) {
        return false;
    }
    for (size_t i = 0; i < a->n; i++) {
        if (strcmp(a->steps[i].action, b->steps[i].action)
            || !nullable_string_is_equal(a->steps[i].detail,
                                         b->steps[i].detail)) {
            return false;
        }
    }
    return true;
}

static bool
same_packet(const struct bigtcp_path_packet *a,
            const struct bigtcp_path_packet *b)
{
    return (a->family == b->family && a->ethernet == b->ethernet
            && a->n_vlans == b->n_vlans && a->n_mpls == b->n_mpls
            && a->nsh == b->nsh && a->growth == b->growth
            && a->max_len == b->max_len);
}

static bool
same_copy(const struct bigtcp_path_copy *a, const struct bigtcp_path_copy *b)
{
    if (a->n_hops != b->n_hops || !a->slow != !b->slow
        || !same_steps(&a->steps, &b->steps)) {
        return false;
    }
    for (size_t i = 0; i < a->n_hops; i++) {
        const struct bigtcp_path_hop *x = &a->hops[i];
        const struct bigtcp_path_hop *y = &b->hops[i];

        if (x->dev != y->dev || x->hands_up != y->hands_up
            || x->tunnel != y->tunnel || x->outer_ipv6 != y->outer_ipv6
            || x->overhead != y->overhead
            || !same_packet(&x->packet, &y->packet)) {
            return false;
        }
    }
    return true;
}

/* Notes in 'seen' that the translation under way leads there. */
static void
see(const struct bigtcp_walk *walk, struct seen *seen)
{
    if (seen->last != walk->n_translations) {
        seen->last = walk->n_translations;
        seen->n++;
    }
}

/* Adds 'copy', which it takes over, to the path, unless it is there. */
static void
add_copy(struct bigtcp_walk *walk, struct bigtcp_path_copy *copy)
{
    struct bigtcp_path *path = &walk->path;

    copy->slow = nullable_xstrdup(walk->slow);
    for (size_t i = 0; i < path->n_copies; i++) {
        if (same_copy(&path->copies[i], copy)) {
            path->copies[i].choice &= copy->choice;
            see(walk, &walk->seen[i]);
            bigtcp_path_steps_destroy(&copy->steps);
            free(copy->slow);
            return;
        }
    }
    *bigtcp_path_add_copy(path) = *copy;
    if (path->n_copies > walk->allocated_seen) {
        walk->seen = x2nrealloc(walk->seen, &walk->allocated_seen,
                                sizeof *walk->seen);
    }
    walk->seen[path->n_copies - 1] = (struct seen) { 0, 0 };
    see(walk, &walk->seen[path->n_copies - 1]);
}

/* Returns true if tunnel port 'netdev' can be the one that sends with
 * 'tunnel_'. */
static bool
sends_to(const struct netdev *netdev, const void *tunnel_)
{
    const struct netdev_tunnel_config *config
        = netdev_get_tunnel_config(netdev);
    const struct flow_tnl *tunnel = tunnel_;
    struct in6_addr remote = flow_tnl_dst(tunnel);

    return (config
            && (config->ip_dst_flow
                || ipv6_addr_equals(&config->ipv6_dst, &remote))
            && (config->out_key_flow
                || config->out_key == tunnel->tun_id));
}

/* Adds to 'copy', whose first hop is tunnel 'port', the device that the packet
 * of 'state' leaves by when it is encapsulated. */
static void
add_lower_hop(struct bigtcp_walk *walk, const struct state *state,
              const struct dp_port *port, struct bigtcp_path_copy *copy)
{
    const struct pkt_metadata *md = &state->packet->md;
    bool csum = (md->tunnel.flags & FLOW_TNL_F_CSUM) != 0;
    bool gre = strstr(port->type, "gre") != NULL;
    struct bigtcp_path_hop *hop;
    struct bigtcp_route route;

    bigtcp_route_find(port->type, &md->tunnel, md->pkt_mark, &route);
    if (!route.device[0]) {
        add_note(walk, "%s: %s", port->name, route.note);
        return;
    }
    hop = &copy->hops[copy->n_hops++];
    memset(hop, 0, sizeof *hop);
    hop->dev = bigtcp_path_devices_get(&walk->devices, route.device, NULL,
                                       NULL);
    hop->packet = state->size;
    hop->tunnel = (gre ? csum ? BIGTCP_PATH_GRE_CSUM : BIGTCP_PATH_GRE
                   : csum ? BIGTCP_PATH_UDP_CSUM : BIGTCP_PATH_UDP);
    hop->outer_ipv6 = route.ipv6;
    hop->overhead = route.overhead;
    if (hop->dev->internal) {
        add_note(walk, "what %s encapsulates goes on into bridge %s by %s, "
                 "where it is not followed", port->name, hop->dev->bridge,
                 hop->dev->port);
    }
}

/* Adds a copy of the packet of 'state' that leaves by 'port'.  'choice' if
 * that is one of several. */
static void
output_to(struct bigtcp_walk *walk, const struct state *state,
          const struct dp_port *port, bool choice)
{
    struct bigtcp_path_copy copy = { .choice = choice || state->choice };
    const struct flow_tnl *tunnel = &state->packet->md.tunnel;
    struct bigtcp_path_hop *hop = &copy.hops[0];

    bigtcp_path_steps_copy(&copy.steps, &state->steps);
    if (state->size.max_len != UINT32_MAX) {
        bigtcp_path_steps_add(&copy.steps, "trunc", "%"PRIu32,
                              state->size.max_len);
    }
    copy.n_hops = 1;
    hop->dev = bigtcp_path_devices_get(&walk->devices, port->name,
                                       state->has_tunnel ? sends_to : NULL,
                                       tunnel);
    hop->hands_up = hop->dev->internal;
    hop->packet = state->size;
    if (state->has_tunnel && flow_tnl_dst_is_set(tunnel)
        && hop->dev->tunnel) {
        add_lower_hop(walk, state, port, &copy);
    }
    add_copy(walk, &copy);
}

/* Returns the port of the datapath that is called 'name', NULL if there is
 * none. */
static const struct dp_port *
find_dp_port_by_name(const struct bigtcp_walk *walk, const char *name)
{
    const struct dp_port *port;

    HMAP_FOR_EACH (port, node, &walk->dp_ports) {
        if (!strcmp(port->name, name)) {
            return port;
        }
    }
    return NULL;
}

/* Adds copies of the packet of 'state' for all members of 'bond' that are
 * up. */
static void
output_to_bond(struct bigtcp_walk *walk, const struct state *state,
               const struct bigtcp_bond *bond)
{
    const struct dp_port **ports = xcalloc(bond->n_members, sizeof *ports);
    size_t n = 0;

    for (size_t i = 0; i < bond->n_members; i++) {
        const struct netdev *netdev = bigtcp_ofproto_bond_member(bond, i);

        if (netdev && netdev_get_carrier(netdev)) {
            ports[n] = find_dp_port_by_name(walk, netdev_get_name(netdev));
            n += ports[n] != NULL;
        }
    }
    for (size_t i = 0; i < n; i++) {
        output_to(walk, state, ports[i], n > 1);
    }
    free(ports);
}

/* Output to 'odp_port': to all members if it is of a bond that spreads
 * packets. */
static void
output(struct bigtcp_walk *walk, struct state *state, odp_port_t odp_port)
{
    const struct dp_port *port = find_dp_port(walk, odp_port);
    const struct bigtcp_bond *bond = NULL;

    if (!port) {
        add_note(walk, "the datapath has no port %"PRIu32, odp_port);
        return;
    }
    while ((bond = bigtcp_ofproto_next_bond(bond))) {
        for (size_t i = 0; bond->balance != BM_AB && i < bond->n_members;
             i++) {
            const struct netdev *netdev = bigtcp_ofproto_bond_member(bond, i);

            if (netdev && !strcmp(netdev_get_name(netdev), port->name)) {
                output_to_bond(walk, state, bond);
                return;
            }
        }
    }
    output_to(walk, state, port, false);
}

/* Translation. */

/* For the hook in xlate_group_action__(): returns the bucket of select group
 * 'group' to go on with in place of 'bucket', which the flow's hash picked.
 * If that is NULL, there is none, or not yet. */
struct ofputil_bucket *
bigtcp_walk_pick_bucket(const struct group_dpif *group,
                        struct ofputil_bucket *bucket)
{
    struct bigtcp_walk *walk = *current_get();
    struct ofputil_bucket *b;
    size_t i = 0;

    if (OVS_LIKELY(!walk) || !bucket) {
        return bucket;
    }

    if (walk->position >= walk->n_choices) {
        struct choice *choice;

        if (walk->n_choices >= walk->allocated_choices) {
            walk->choices = x2nrealloc(walk->choices,
                                       &walk->allocated_choices,
                                       sizeof *walk->choices);
        }
        choice = &walk->choices[walk->n_choices++];
        choice->i = choice->n = 0;
        LIST_FOR_EACH (b, list_node, &group->up.buckets) {
            choice->n += b->weight > 0;
        }
    }
    LIST_FOR_EACH (b, list_node, &group->up.buckets) {
        if (b->weight > 0 && i++ == walk->choices[walk->position].i) {
            bucket = b;
            break;
        }
    }
    walk->position++;
    return bucket;
}

/* Goes on to the next combination of buckets.  Returns false if that was the
 * last one. */
static bool
next_choices(struct bigtcp_walk *walk)
{
    while (walk->n_choices) {
        struct choice *choice = &walk->choices[walk->n_choices - 1];

        if (++choice->i < choice->n) {
            return true;
        }
        walk->n_choices--;
    }
    return false;
}

/* Translates 'flow' into 'actions'.  Stores in '*slow' why the datapath does
 * not execute them by itself, or 0.  Returns false if that fails. */
static bool
translate(struct bigtcp_walk *walk, const struct flow *flow,
          struct ofpbuf *actions, enum slow_path_reason *slow)
{
    struct translation *translation = xmalloc(sizeof *translation);
    struct flow_wildcards wc;
    enum xlate_error error;
    struct xlate_in xin;

    memset(&xin, 0, sizeof xin);
    xlate_in_init(&xin, walk->ofproto,
                  ofproto_dpif_get_tables_version(walk->ofproto), flow,
                  flow->in_port.ofp_port, NULL, ntohs(flow->tcp_flags), NULL,
                  &wc, actions);
    walk->n_translations++;
    walk->position = 0;
    *current_get() = walk;
    error = xlate_actions(&xin, &translation->xout);
    *current_get() = NULL;
    ovs_list_push_back(&walk->translations, &translation->node);

    *slow = translation->xout.slow;
    if (error) {
        add_note(walk, "translation failed (%s), the packet is dropped",
                 xlate_strerror(error));
        return false;
    }
    return true;
}

/* Returns true if no more translations are allowed, and says so. */
static bool
is_exhausted(struct bigtcp_walk *walk)
{
    if (walk->n_translations >= MAX_TRANSLATIONS) {
        add_note(walk, "stopped after %d translations: there are more ways",
                 MAX_TRANSLATIONS);
        return true;
    }
    return false;
}

/* Follows the packet of 'state', with 'flow', to the bond that recirculation
 * ID 'recirc_id' is of: there a hash of the packet picks the member. */
static void
follow_bond(struct bigtcp_walk *walk, struct state *state, struct flow *flow,
            const struct recirc_id_node *recirc)
{
    const struct bigtcp_bond *bond = NULL;
    uint64_t stub[256 / 8];
    struct ofpbuf actions = OFPBUF_STUB_INITIALIZER(stub);
    enum slow_path_reason slow;
    bool found = false;

    /* By the rules that are there once that bond was used: for each value of
     * the hash one that outputs to a member, and output() adds the others. */
    flow->dp_hash = 1;
    if (translate(walk, flow, &actions, &slow)) {
        found = nl_attr_find__(actions.data, actions.size,
                               OVS_ACTION_ATTR_OUTPUT) != NULL;
        walk_actions(walk, state, actions.data, actions.size);
    }
    ofpbuf_uninit(&actions);
    if (found) {
        return;
    }

    /* Before that: any that does so. */
    while ((bond = bigtcp_ofproto_next_bond(bond))) {
        const struct ofproto_dpif *ofproto
            = CONTAINER_OF(bond->ofproto, struct ofproto_dpif, up);

        if (bond->balance == BM_TCP
            && uuid_equals(&ofproto->uuid, &recirc->state.ofproto_uuid)) {
            output_to_bond(walk, state, bond);
            found = true;
        }
    }
    if (!found) {
        add_note(walk, "the members of a bond are not known");
    }
}

/* Lets the packet of 'state' recirculate with 'recirc_id'. */
static void
recirculate(struct bigtcp_walk *walk, struct state *state, uint32_t recirc_id)
{
    const struct recirc_id_node *recirc = recirc_id_node_find(recirc_id);
    struct flow flow;
    struct job *job;

    if (!recirc) {
        add_note(walk, "recirculation ID %"PRIu32" is not known", recirc_id);
        return;
    }
    state->packet->md.recirc_id = recirc_id;
    flow_extract(state->packet, &flow);
    if (recirc->state.table_id == TBL_INTERNAL) {
        follow_bond(walk, state, &flow, recirc);
        return;
    }

    LIST_FOR_EACH (job, node, &walk->jobs) {
        if (flow_equal(&job->flow, &flow)
            && same_steps(&job->state.steps, &state->steps)) {
            see(walk, &job->seen);
            return;
        }
    }
    job = xmalloc(sizeof *job);
    job->flow = flow;
    job->seen = (struct seen) { 0, 0 };
    see(walk, &job->seen);
    job->state = *state;
    job->state.packet = NULL;
    job->state.has_tunnel = false;
    bigtcp_path_steps_copy(&job->state.steps, &state->steps);
    ovs_list_push_back(&walk->jobs, &job->node);
}

/* Gives 'flow' what ct() of 'ct' gives it: the state that the user asks for
 * next, else that of a new connection, and the first address and port of NAT's
 * ranges, as ofproto/trace does. */
static void
assume_ct(struct bigtcp_walk *walk, const struct ct *ct, struct flow *flow)
{
    bool ipv6 = flow->dl_type == htons(ETH_TYPE_IPV6);

    flow->ct_state = CS_TRACKED | CS_NEW;
    flow->ct_zone = ct->zone;
    if (!ovs_list_is_empty(walk->next_ct_states)) {
        struct oftrace_next_ct_state *next
            = CONTAINER_OF(ovs_list_pop_front(walk->next_ct_states),
                           struct oftrace_next_ct_state, node);

        flow->ct_state = next->state;
        free(next);
    }
    if (ipv6_addr_is_set(&ct->ip)) {
        if (ipv6) {
            *(ct->snat ? &flow->ipv6_src : &flow->ipv6_dst) = ct->ip;
        } else {
            *(ct->snat ? &flow->nw_src : &flow->nw_dst)
                = in6_addr_get_mapped_ipv4(&ct->ip);
        }
    }
    if (ct->port) {
        *(ct->snat ? &flow->tp_src : &flow->tp_dst) = ct->port;
    }
}

/* Translates the flow of 'job' in all ways and follows what comes of it. */
static void
run_job(struct bigtcp_walk *walk, struct job *job)
{
    size_t first_copy = walk->path.n_copies;
    struct ovs_list *last_job = walk->jobs.prev;
    struct ovs_list *list_node;
    size_t n = 0;

    if (job->state.ct.tracked) {
        assume_ct(walk, &job->state.ct, &job->flow);
        job->state.ct.tracked = false;
    }
    do {
        uint64_t stub[1024 / 8];
        struct ofpbuf actions = OFPBUF_STUB_INITIALIZER(stub);
        enum slow_path_reason slow;

        if (is_exhausted(walk)) {
            break;
        }
        if (translate(walk, &job->flow, &actions, &slow)) {
            struct state state;

            state_clone(&state, &job->state);
            state.packet = compose_packet(&job->flow);
            walk->slow = (slow ? slow_path_reason_to_explanation(
                                     rightmost_1bit(slow)) : NULL);
            walk_actions(walk, &state, actions.data, actions.size);
            walk->slow = NULL;
            state_destroy(&state);
        }
        n++;
        ofpbuf_uninit(&actions);
    } while (next_choices(walk));
    walk->n_choices = 0;

    /* Where only some of them lead is one of several. */
    for (size_t i = first_copy; i < walk->path.n_copies; i++) {
        walk->path.copies[i].choice |= walk->seen[i].n < n;
    }
    for (list_node = last_job->next; list_node != &walk->jobs;
         list_node = list_node->next) {
        struct job *next = CONTAINER_OF(list_node, struct job, node);

        next->state.choice |= next->seen.n < n;
    }
}

/* Walking of actions. */

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
copy_to_userspace(struct bigtcp_walk *walk, const struct state *state,
                  const struct nlattr *a)
{
    struct bigtcp_path_copy copy = { .choice = state->choice };
    const char *purpose = userspace_purpose(a);

    bigtcp_path_steps_copy(&copy.steps, &state->steps);
    bigtcp_path_steps_add(&copy.steps, "userspace", purpose ? "%s" : NULL,
                          purpose);
    add_copy(walk, &copy);
}

/* Notes in 'state' what ct() action 'a' does. */
static void
track(struct bigtcp_walk *walk, struct state *state, const struct nlattr *a)
{
    const struct nlattr *zone = nl_attr_find_nested(a, OVS_CT_ATTR_ZONE);
    const struct nlattr *nat = nl_attr_find_nested(a, OVS_CT_ATTR_NAT);
    struct ct *ct = &state->ct;

    memset(ct, 0, sizeof *ct);
    ct->tracked = true;
    ct->zone = zone ? nl_attr_get_u16(zone) : 0;
    if (nat) {
        const struct nlattr *ip = nl_attr_find_nested(nat,
                                                      OVS_NAT_ATTR_IP_MIN);
        const struct nlattr *port = nl_attr_find_nested(
            nat, OVS_NAT_ATTR_PROTO_MIN);

        ct->snat = nl_attr_find_nested(nat, OVS_NAT_ATTR_SRC) != NULL;
        ct->dnat = nl_attr_find_nested(nat, OVS_NAT_ATTR_DST) != NULL;
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
walk_nested(struct bigtcp_walk *walk, const struct state *state,
            const struct nlattr *nested)
{
    struct state copy;

    state_clone(&copy, state);
    walk_actions(walk, &copy, nl_attr_get(nested), nl_attr_get_size(nested));
    state_destroy(&copy);
}

/* Follows check_pkt_len() action 'a' into the branches that packets of TCP can
 * take: the kernel looks at the length of their segments
 * (execute_check_pkt_len()), and so only at the MTU of who sends them. */
static void
check_pkt_len(struct bigtcp_walk *walk, const struct state *state,
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
            struct state copy;

            state_clone(&copy, state);
            bigtcp_path_steps_add(&copy.steps, "check_pkt_len",
                                  "%s %"PRIu16, branches[i].text, length);
            walk_actions(walk, &copy, nl_attr_get(nested),
                         nl_attr_get_size(nested));
            state_destroy(&copy);
        }
    }
}

/* Applies 'a', which pushes or pops a header, to 'state', and adds it to the
 * steps.  Returns false if that leaves no packet. */
static bool
change_headers(struct state *state, const struct nlattr *a)
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

    if (!apply_action(state, a)) {
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
set_field(struct state *state, const struct nlattr *a)
{
    const struct nlattr *key = nl_attr_get(a);

    apply_action(state, a);
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
static void
walk_actions(struct bigtcp_walk *walk, struct state *state,
             const struct nlattr *actions, size_t actions_len)
{
    const struct nlattr *nested;
    const struct nlattr *a;
    unsigned int left;

    NL_ATTR_FOR_EACH (a, left, actions, actions_len) {
        int type = nl_attr_type(a);

        switch (type) {
        case OVS_ACTION_ATTR_OUTPUT:
            output(walk, state, nl_attr_get_odp_port(a));
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
            recirculate(walk, state, nl_attr_get_u32(a));
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
            add_note(walk, "datapath action %d is not known here", type);
            break;
        }
    }
}

/* Stores how the running kernel judges. */
static void
find_kernel(struct bigtcp_walk *walk)
{
    const struct bigtcp_hazard *hazard;

    if (walk->devices.class != &bigtcp_rtnl_class) {
        return;
    }
    BIGTCP_FOR_EACH_HAZARD (hazard, bigtcp_running_version()) {
        if (hazard->scope == BIGTCP_HAZARD_IPV4_ABOVE) {
            walk->path.kernel.one_limit = true;
        } else if (!strcmp(hazard->commit, BIGTCP_HAZARD_SIZE_IGNORED)) {
            walk->path.kernel.ignores_size = true;
        }
    }
}

/* Notes the faults of the kernel that matter to what arrives. */
static void
note_hazards(struct bigtcp_walk *walk)
{
    const struct bigtcp_path_device *sender = walk->path.sender;
    const struct bigtcp_hazard *hazard;

    if (walk->devices.class != &bigtcp_rtnl_class || !sender
        || !sender->link) {
        return;
    }
    BIGTCP_FOR_EACH_HAZARD (hazard, bigtcp_running_version()) {
        if (bigtcp_hazard_applies(hazard, &sender->link->sizes)
            && (walk->has_ct
                || strcmp(hazard->commit, BIGTCP_HAZARD_IN_CT))) {
            add_note(walk, "kernel hazard: %s", hazard->text);
        }
    }
}

static bool
is_netdev(const struct netdev *netdev, const void *other)
{
    return netdev == other;
}

/* Finds the device that packets from 'in_port' come from. */
static void
find_sender(struct bigtcp_walk *walk, ofp_port_t in_port)
{
    const struct ofport *ofport = ofproto_get_port(&walk->ofproto->up,
                                                   in_port);
    char namebuf[NETDEV_VPORT_NAME_BUFSIZE];

    if (ofport && !netdev_vport_is_patch(ofport->netdev)) {
        walk->path.sender = bigtcp_path_devices_get(
            &walk->devices,
            netdev_vport_get_dpif_port(ofport->netdev, namebuf,
                                       sizeof namebuf), is_netdev,
            ofport->netdev);
    }
}

/* Follows 'flow' through 'ofproto', whose datapath's devices 'class' reads,
 * and returns what comes of it, which the caller must destroy.  Takes the
 * states that ct() finds, each a struct oftrace_next_ct_state, from
 * 'next_ct_states'.  Changes nothing. */
struct bigtcp_walk *
bigtcp_walk_flow(struct ofproto_dpif *ofproto,
                 const struct bigtcp_class *class, const struct flow *flow,
                 struct ovs_list *next_ct_states)
{
    struct ofputil_port_map map = OFPUTIL_PORT_MAP_INITIALIZER(&map);
    struct bigtcp_walk *walk = xzalloc(sizeof *walk);
    struct bigtcp_path *path = &walk->path;
    struct job *job = xzalloc(sizeof *job);
    struct ds ds = DS_EMPTY_INITIALIZER;

    walk->ofproto = ofproto;
    walk->next_ct_states = next_ct_states;
    bigtcp_path_init(path);
    bigtcp_path_devices_init(&walk->devices, class);
    hmap_init(&walk->dp_ports);
    ovs_list_init(&walk->jobs);
    ovs_list_init(&walk->translations);

    ofproto_append_ports_to_map(&map, ofproto->up.ports);
    flow_format(&ds, flow, &map);
    ofputil_port_map_destroy(&map);
    path->flow = ds_steal_cstr(&ds);
    path->bridge = xstrdup(ofproto->up.name);

    read_dp_ports(walk);
    find_kernel(walk);
    find_sender(walk, flow->in_port.ofp_port);

    job->flow = *flow;
    state_init(&job->state, flow);
    path->family = job->state.size.family;
    path->tcp = (path->family != BIGTCP_PATH_OTHER
                 && (flow->nw_proto == IPPROTO_TCP || !flow->nw_proto));
    ovs_list_push_back(&walk->jobs, &job->node);
    while (!ovs_list_is_empty(&walk->jobs)) {
        job = CONTAINER_OF(ovs_list_pop_front(&walk->jobs), struct job, node);
        run_job(walk, job);
        state_destroy(&job->state);
        free(job);
    }

    bigtcp_path_devices_read(&walk->devices);
    bigtcp_path_add_lowers(path);
    note_hazards(walk);
    bigtcp_path_decide(path);
    return walk;
}

/* Returns the path that 'walk' found, already decided. */
const struct bigtcp_path *
bigtcp_walk_get_path(const struct bigtcp_walk *walk)
{
    return &walk->path;
}

void
bigtcp_walk_destroy(struct bigtcp_walk *walk)
{
    struct translation *translation;
    struct dp_port *port;

    bigtcp_path_destroy(&walk->path);
    LIST_FOR_EACH_POP (translation, node, &walk->translations) {
        xlate_out_uninit(&translation->xout);
        free(translation);
    }
    HMAP_FOR_EACH_POP (port, node, &walk->dp_ports) {
        free(port->name);
        free(port->type);
        free(port);
    }
    hmap_destroy(&walk->dp_ports);
    bigtcp_path_devices_destroy(&walk->devices);
    free(walk->seen);
    free(walk->choices);
    free(walk);
}
