/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OFPROTO_BIGTCP_WALK_PRIVATE_H
#define OFPROTO_BIGTCP_WALK_PRIVATE_H 1

/* What the files of a walk share:
 *
 *   - ofproto/bigtcp-walk.c translates flows and follows recirculation.
 *   - ofproto/bigtcp-walk-actions.c follows datapath actions.
 *   - ofproto/bigtcp-walk-output.c finds the devices that a packet leaves
 *     by. */

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bigtcp/path-devices.h"
#include "bigtcp/path.h"
#include "odp-netlink.h"
#include "openvswitch/hmap.h"
#include "openvswitch/list.h"
#include "openvswitch/types.h"

struct bigtcp_bond;
struct dp_packet;
struct nlattr;
struct ofproto_dpif;

/* A port of the datapath. */
struct bigtcp_walk_port {
    struct hmap_node node;      /* In 'dp_ports' of the walk, by 'odp_port'. */
    odp_port_t odp_port;
    char *name;                 /* Kernel device. */
    char *type;                 /* E.g. "vxlan". */
};

/* What ct() does to the packet that recirculates after it. */
struct bigtcp_walk_ct {
    bool tracked;
    uint16_t zone;
    bool snat;                  /* 'ip' and 'port' are of the source, else of
                                 * the destination. */
    struct in6_addr ip;         /* IPv4-mapped for IPv4, :: for none. */
    ovs_be16 port;              /* 0 for none. */
};

/* A packet at some action. */
struct bigtcp_walk_state {
    struct dp_packet *packet;   /* Its headers and metadata. */
    struct bigtcp_path_packet size;
    struct bigtcp_path_steps steps;
    struct bigtcp_walk_ct ct;   /* Of the last ct(). */
    bool has_tunnel;            /* The tunnel in the metadata is for output. */
    bool choice;                /* It is one of several. */
};

/* In how many translations of a job something was seen, and the last one. */
struct bigtcp_walk_seen {
    size_t n;
    size_t last;
};

/* A group of which a bucket was picked. */
struct bigtcp_walk_choice {
    size_t n;                   /* Buckets. */
    size_t i;                   /* The one to pick in this translation. */
};

/* All that belongs to one command. */
struct bigtcp_walk {
    struct ofproto_dpif *ofproto;
    struct bigtcp_path path;
    struct bigtcp_path_devices devices;
    struct hmap dp_ports;       /* Contains "struct bigtcp_walk_port"s. */
    struct ovs_list jobs;       /* Contains "struct job"s. */
    struct ovs_list translations; /* Contains "struct translation"s. */
    struct ovs_list *next_ct_states; /* "struct oftrace_next_ct_state"s. */
    size_t n_translations;
    bool has_ct;                /* A packet passes ct(). */

    struct bigtcp_walk_seen *seen; /* For each of 'path.copies', in
                                    * translations of the job that added
                                    * it. */
    size_t allocated_seen;

    struct bigtcp_walk_choice *choices; /* Of the translation under way, in
                                         * order. */
    size_t n_choices;
    size_t allocated_choices;
    size_t position;            /* Next of 'choices'. */
    const char *slow;           /* Of that translation, or NULL. */
};

void bigtcp_walk_note(struct bigtcp_walk *, const char *format, ...)
    OVS_PRINTF_FORMAT(2, 3);

void bigtcp_walk_state_clone(struct bigtcp_walk_state *,
                             const struct bigtcp_walk_state *);
void bigtcp_walk_state_destroy(struct bigtcp_walk_state *);

void bigtcp_walk_see(const struct bigtcp_walk *, struct bigtcp_walk_seen *);
void bigtcp_walk_recirculate(struct bigtcp_walk *, struct bigtcp_walk_state *,
                             uint32_t recirc_id);

void bigtcp_walk_actions(struct bigtcp_walk *, struct bigtcp_walk_state *,
                         const struct nlattr *actions, size_t actions_len);

void bigtcp_walk_add_copy(struct bigtcp_walk *, struct bigtcp_path_copy *);
void bigtcp_walk_output(struct bigtcp_walk *, const struct bigtcp_walk_state *,
                        odp_port_t);
void bigtcp_walk_output_to_bond(struct bigtcp_walk *,
                                const struct bigtcp_walk_state *,
                                const struct bigtcp_bond *);

#endif /* ofproto/bigtcp-walk-private.h */
