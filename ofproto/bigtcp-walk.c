/* SPDX-License-Identifier: Apache-2.0 */

/* Translates a flow as ofproto/trace does, but without a packet and so without
 * side effects, follows recirculation, and walks the datapath actions. */

#include <config.h>

#include "ofproto/bigtcp-walk-private.h"
#include "ofproto/bigtcp-walk.h"

#include <netinet/in.h>
#include <string.h>

#include "bigtcp/compat.h"
#include "bigtcp/hazards.h"
#include "bigtcp/path-devices.h"
#include "bigtcp/path.h"
#include "bigtcp/provider.h"
#include "bigtcp/types.h"
#include "dp-packet.h"
#include "dpif.h"
#include "flow.h"
#include "hash.h"
#include "netdev-vport.h"
#include "netdev.h"
#include "netlink.h"
#include "odp-util.h"
#include "ofproto/bigtcp-ofproto.h"
#include "ofproto/ofproto-dpif-rid.h"
#include "ofproto/ofproto-dpif-trace.h"
#include "ofproto/ofproto-dpif-xlate.h"
#include "ofproto/ofproto-dpif.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/list.h"
#include "openvswitch/ofp-port.h"
#include "openvswitch/ofpbuf.h"
#include "ovs-thread.h"
#include "packets.h"
#include "unaligned.h"
#include "util.h"

enum {
    /* Translations for one command, as many as ofproto/trace follows
     * recirculations. */
    MAX_TRANSLATIONS = 4096,
};

/* A flow to be translated. */
struct job {
    struct ovs_list node;       /* In 'jobs' of the walk. */
    struct flow flow;
    struct bigtcp_walk_state state; /* Without a packet. */
    struct bigtcp_walk_seen seen; /* In translations of the job before. */
};

/* A translation, kept so that the recirculation IDs in its actions stay. */
struct translation {
    struct ovs_list node;       /* In 'translations' of the walk. */
    struct xlate_out xout;
};

/* The walk that is translating in this thread. */
DEFINE_STATIC_PER_THREAD_DATA(struct bigtcp_walk *, current, NULL);

/* Adds "format" to what the user must know, once. */
void
bigtcp_walk_note(struct bigtcp_walk *walk, const char *format, ...)
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

/* Appends to 'packet' the NSH header of 'flow', which flow_compose() leaves
 * out, without contexts. */
static void
compose_nsh(struct dp_packet *packet, const struct flow *flow)
{
    struct nsh_hdr *nsh = dp_packet_put_zeros(packet, NSH_M_TYPE1_LEN);

    nsh_set_flags_ttl_len(nsh, flow->nsh.flags, flow->nsh.ttl,
                          NSH_M_TYPE1_LEN);
    nsh->md_type = NSH_M_TYPE1;
    nsh->next_proto = flow->nsh.np;
    put_16aligned_be32(&nsh->path_hdr, flow->nsh.path_hdr);
}

/* Returns a packet of 'flow', with the metadata of it. */
static struct dp_packet *
compose_packet(const struct flow *flow)
{
    struct dp_packet *packet = dp_packet_new(0);
    struct flow extracted;

    bigtcp_flow_compose(packet, flow);
    if (flow->dl_type == htons(ETH_TYPE_NSH)) {
        compose_nsh(packet, flow);
    }
    if (flow->packet_type != htonl(PT_ETH)) {
        dp_packet_reset_packet(packet, ETH_HEADER_LEN);
        packet->packet_type = flow->packet_type;
    }
    pkt_metadata_from_flow(&packet->md, flow);
    /* For the offsets of its headers. */
    flow_extract(packet, &extracted);
    return packet;
}

void
bigtcp_walk_state_clone(struct bigtcp_walk_state *dst,
                        const struct bigtcp_walk_state *src)
{
    *dst = *src;
    dst->packet = src->packet ? dp_packet_clone(src->packet) : NULL;
    bigtcp_path_steps_copy(&dst->steps, &src->steps);
}

void
bigtcp_walk_state_destroy(struct bigtcp_walk_state *state)
{
    dp_packet_delete(state->packet);
    bigtcp_path_steps_destroy(&state->steps);
}

/* Starts 'state' with what 'flow' is. */
static void
state_init(struct bigtcp_walk_state *state, const struct flow *flow)
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

static void
read_dp_ports(struct bigtcp_walk *walk)
{
    struct dpif_port_dump dump;
    struct dpif_port dpif_port;

    DPIF_PORT_FOR_EACH (&dpif_port, &dump, walk->ofproto->backer->dpif) {
        struct bigtcp_walk_port *port = xmalloc(sizeof *port);

        port->odp_port = dpif_port.port_no;
        port->name = xstrdup(dpif_port.name);
        port->type = xstrdup(dpif_port.type);
        hmap_insert(&walk->dp_ports, &port->node,
                    hash_odp_port(port->odp_port));
    }
}

/* Notes in 'seen' that the translation under way leads there. */
void
bigtcp_walk_see(const struct bigtcp_walk *walk, struct bigtcp_walk_seen *seen)
{
    if (seen->last != walk->n_translations) {
        seen->last = walk->n_translations;
        seen->n++;
    }
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
        struct bigtcp_walk_choice *choice;

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
        struct bigtcp_walk_choice *choice
            = &walk->choices[walk->n_choices - 1];

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
        bigtcp_walk_note(walk, "translation failed (%s), the packet is "
                         "dropped", xlate_strerror(error));
        return false;
    }
    return true;
}

/* Returns true if no more translations are allowed, and says so. */
static bool
is_exhausted(struct bigtcp_walk *walk)
{
    if (walk->n_translations >= MAX_TRANSLATIONS) {
        bigtcp_walk_note(walk, "stopped after %d translations: there are "
                         "more ways", MAX_TRANSLATIONS);
        return true;
    }
    return false;
}

/* Follows the packet of 'state', with 'flow', to the bond that 'recirc' is of:
 * there a hash of the packet picks the member. */
static void
follow_bond(struct bigtcp_walk *walk, struct bigtcp_walk_state *state,
            struct flow *flow, const struct recirc_id_node *recirc)
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
        bigtcp_walk_actions(walk, state, actions.data, actions.size);
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
            bigtcp_walk_output_to_bond(walk, state, bond);
            found = true;
        }
    }
    if (!found) {
        bigtcp_walk_note(walk, "the members of a bond are not known");
    }
}

/* Lets the packet of 'state' recirculate with 'recirc_id'. */
void
bigtcp_walk_recirculate(struct bigtcp_walk *walk,
                        struct bigtcp_walk_state *state, uint32_t recirc_id)
{
    const struct recirc_id_node *recirc = recirc_id_node_find(recirc_id);
    struct flow flow;
    struct job *job;

    if (!recirc) {
        bigtcp_walk_note(walk, "recirculation ID %"PRIu32" is not known",
                         recirc_id);
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
            && bigtcp_path_steps_equal(&job->state.steps, &state->steps)) {
            bigtcp_walk_see(walk, &job->seen);
            return;
        }
    }
    job = xmalloc(sizeof *job);
    job->flow = flow;
    job->seen = (struct bigtcp_walk_seen) { 0, 0 };
    bigtcp_walk_see(walk, &job->seen);
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
assume_ct(struct bigtcp_walk *walk, const struct bigtcp_walk_ct *ct,
          struct flow *flow)
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
            struct bigtcp_walk_state state;

            bigtcp_walk_state_clone(&state, &job->state);
            state.packet = compose_packet(&job->flow);
            walk->slow = (slow ? slow_path_reason_to_explanation(
                                     rightmost_1bit(slow)) : NULL);
            bigtcp_walk_actions(walk, &state, actions.data, actions.size);
            walk->slow = NULL;
            bigtcp_walk_state_destroy(&state);
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
            bigtcp_walk_note(walk, "kernel hazard: %s", hazard->text);
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
    walk->devices.class->get_kernel(&walk->path.kernel);
    find_sender(walk, flow->in_port.ofp_port);

    job->flow = *flow;
    if (flow->packet_type != htonl(PT_ETH)) {
        /* As flow_extract() does; a flow in text need not say it. */
        job->flow.dl_type = pt_ns_type_be(flow->packet_type);
    }
    state_init(&job->state, &job->flow);
    path->family = job->state.size.family;
    path->tcp = (path->family != BIGTCP_PATH_OTHER
                 && (flow->nw_proto == IPPROTO_TCP || !flow->nw_proto));
    ovs_list_push_back(&walk->jobs, &job->node);
    while (!ovs_list_is_empty(&walk->jobs)) {
        job = CONTAINER_OF(ovs_list_pop_front(&walk->jobs), struct job, node);
        run_job(walk, job);
        bigtcp_walk_state_destroy(&job->state);
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
    struct bigtcp_walk_port *port;

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
