/* SPDX-License-Identifier: Apache-2.0 */

/* Unixctl command "bigtcp/path". */

#include <config.h>

#include "ofproto/bigtcp-ofproto-path.h"

#include <string.h>

#include "bigtcp/compat.h"
#include "bigtcp/path.h"
#include "bigtcp/provider.h"
#include "dp-packet.h"
#include "dpif.h"
#include "flow.h"
#include "odp-util.h"
#include "ofproto/bigtcp-walk.h"
#include "ofproto/ofproto-dpif-trace.h"
#include "ofproto/ofproto-dpif-xlate.h"
#include "ofproto/ofproto-dpif.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "openvswitch/list.h"
#include "openvswitch/ofp-flow.h"
#include "openvswitch/ofp-port.h"
#include "openvswitch/ofpbuf.h"
#include "packets.h"
#include "simap.h"
#include "unixctl.h"
#include "util.h"

/* Returns the datapath that 'args', 'n_args' of them, name before a flow, or
 * the only one if they name none, NULL if there is no such datapath.  Stores
 * in 'port_names' the numbers of its ports. */
static const struct dpif_backer *
find_backer(const char *args[], int n_args, struct simap *port_names)
{
    const struct dpif_backer *backer = NULL;

    if (n_args == 1 && shash_count(&all_dpif_backers) == 1) {
        backer = shash_first(&all_dpif_backers)->data;
    } else if (n_args == 2) {
        backer = shash_find_data(&all_dpif_backers,
                                 (!strncmp(args[0], "ovs-", 4) ? args[0] + 4
                                  : args[0]));
    }
    if (backer && backer->dpif) {
        struct dpif_port_dump dump;
        struct dpif_port port;

        DPIF_PORT_FOR_EACH (&port, &dump, backer->dpif) {
            simap_put(port_names, port.name, odp_to_u32(port.port_no));
        }
    }
    return backer;
}

/* Stores in '*ofproto' and 'flow' what 'key', a flow of 'backer', is.  Returns
 * NULL or an error message, which the caller must free. */
static char * OVS_WARN_UNUSED_RESULT
parse_datapath_flow(const struct dpif_backer *backer,
                    const struct ofpbuf *key, struct ofproto_dpif **ofproto,
                    struct flow *flow)
{
    char *error = NULL;

    if (odp_flow_key_to_flow(key->data, key->size, flow, &error)
        == ODP_FIT_ERROR) {
        return error;
    }
    *ofproto = xlate_lookup_ofproto(backer, flow, &flow->in_port.ofp_port,
                                    &error);
    if (!*ofproto) {
        return error;
    }
    flow->tunnel.metadata.tab = ofproto_get_tun_tab(&(*ofproto)->up);
    free(error);
    return NULL;
}

/* Stores in '*ofproto' the bridge 'name', and in 'flow' what 'text', a flow in
 * the syntax of ovs-ofctl, is there.  Returns NULL or an error message, which
 * the caller must free. */
static char * OVS_WARN_UNUSED_RESULT
parse_bridge_flow(const char *name, const char *text,
                  struct ofproto_dpif **ofproto, struct flow *flow)
{
    struct ofputil_port_map map = OFPUTIL_PORT_MAP_INITIALIZER(&map);
    char *error = NULL;
    char *problem;

    *ofproto = ofproto_dpif_lookup_by_name(name);
    if (!*ofproto) {
        return xasprintf("no bridge '%s'", name);
    }
    ofproto_append_ports_to_map(&map, (*ofproto)->up.ports);
    problem = parse_ofp_exact_flow(flow, NULL,
                                   ofproto_get_tun_tab(&(*ofproto)->up), text,
                                   &map);
    if (problem) {
        error = xasprintf("flow '%s': %s", text, problem);
        free(problem);
    }
    ofputil_port_map_destroy(&map);
    return error;
}

/* Stores in '*ofproto' and 'flow' what 'args', 'n_args' of them, say in one of
 * the forms of ofproto/trace:
 *
 *     BRIDGE FLOW [PACKET]
 *     [DATAPATH] DATAPATH-FLOW [PACKET]
 *
 * With 'no_packet' the last one is no packet, whatever it looks like.  Returns
 * NULL or an error message, which the caller must free. */
static char * OVS_WARN_UNUSED_RESULT
parse_flow(const char *args[], int n_args, bool no_packet,
           struct ofproto_dpif **ofproto, struct flow *flow)
{
    struct simap port_names = SIMAP_INITIALIZER(&port_names);
    const struct dpif_backer *backer;
    struct dp_packet *packet = NULL;
    struct ofpbuf key, mask;
    char *problem = NULL;
    char *error = NULL;
    const char *text;

    if (!no_packet && n_args > 1) {
        const char *bad_hex = eth_from_hex(args[n_args - 1], &packet);

        if (!bad_hex) {
            n_args--;
        } else if (n_args > 2) {
            return xasprintf("packet '%s': %s", args[n_args - 1], bad_hex);
        }
    }
    if (n_args < 1 || n_args > 2) {
        dp_packet_delete(packet);
        return xstrdup(n_args < 1 ? "a bridge and a flow are needed"
                       : "too many arguments");
    }
    text = args[n_args - 1];

    backer = find_backer(args, n_args, &port_names);
    ofpbuf_init(&key, 0);
    ofpbuf_init(&mask, 0);
    if (!odp_flow_from_string(text, &port_names, &key, &mask, &problem)) {
        error = (backer ? parse_datapath_flow(backer, &key, ofproto, flow)
                 : xstrdup(n_args == 1 ? "the datapath must be named"
                           : "no such datapath"));
    } else if (n_args == 1) {
        error = xasprintf("%s (or the name of the bridge is missing)",
                          problem);
    } else {
        error = parse_bridge_flow(args[0], text, ofproto, flow);
    }
    free(problem);
    if (!error && packet) {
        pkt_metadata_from_flow(&packet->md, flow);
        flow_extract(packet, flow);
    }
    dp_packet_delete(packet);
    ofpbuf_uninit(&key);
    ofpbuf_uninit(&mask);
    simap_destroy(&port_names);
    return error;
}

/* Adds the conntrack state 'text' to 'states'.  Returns NULL or an error
 * message, which the caller must free. */
static char * OVS_WARN_UNUSED_RESULT
parse_next_ct(const char *text, struct ovs_list *states)
{
    struct oftrace_next_ct_state *next;
    struct ds ds = DS_EMPTY_INITIALIZER;
    uint32_t state;

    if (!parse_ct_state(text, 0, &state, &ds)
        || !validate_ct_state(state, &ds)) {
        return ds_steal_cstr(&ds);
    }
    ds_destroy(&ds);
    next = xmalloc(sizeof *next);
    next->state = state;
    ovs_list_push_back(states, &next->node);
    return NULL;
}

/* Checks 'text', the payload of a packet that is to be generated, which means
 * nothing here.  Returns NULL or an error message, which the caller must
 * free. */
static char * OVS_WARN_UNUSED_RESULT
check_payload(const char *text)
{
    struct dp_packet payload;
    char *error = NULL;

    dp_packet_init(&payload, 0);
    if (dp_packet_put_hex(&payload, text, NULL)[0]) {
        error = xasprintf("--l7 '%s': not hexadecimal", text);
    }
    dp_packet_uninit(&payload);
    return error;
}

static char * OVS_WARN_UNUSED_RESULT
check_payload_length(const char *text)
{
    unsigned int length;

    return (str_to_uint(text, 10, &length) && length <= 64000 ? NULL
            : xasprintf("--l7-len '%s': not 0 to 64000 bytes", text));
}

/* Parses the arguments of the command, with the options of ofproto/trace.
 * Returns NULL or an error message, which the caller must free. */
static char * OVS_WARN_UNUSED_RESULT
parse_arguments(int argc, const char *argv[], bool *json,
                struct ovs_list *next_ct_states,
                struct ofproto_dpif **ofproto, struct flow *flow)
{
    const char *args[3];
    bool no_packet = false;
    int n_args = 0;

    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        char *error = NULL;

        if (!strcmp(arg, "--json")) {
            *json = true;
        } else if (!strcmp(arg, "-generate") || !strcmp(arg, "--generate")) {
            no_packet = true;
        } else if (!strcmp(arg, "-names") || !strcmp(arg, "--names")) {
            /* It is always done. */
        } else if (!strcmp(arg, "--l7") || !strcmp(arg, "--l7-len")
                   || !strcmp(arg, "--ct-next")) {
            if (++i >= argc) {
                return xasprintf("option '%s' needs an argument", arg);
            }
            error = (!strcmp(arg, "--l7") ? check_payload(argv[i])
                     : !strcmp(arg, "--l7-len")
                     ? check_payload_length(argv[i])
                     : parse_next_ct(argv[i], next_ct_states));
        } else if (arg[0] == '-') {
            return xasprintf("unknown option '%s'", arg);
        } else if (n_args >= ARRAY_SIZE(args)) {
            return xstrdup("too many arguments");
        } else {
            args[n_args++] = arg;
        }
        if (error) {
            return error;
        }
    }
    return parse_flow(args, n_args, no_packet, ofproto, flow);
}

/* The command. */

/* "bigtcp/path [--json] BRIDGE FLOW". */
static void
bigtcp_unixctl_path(struct unixctl_conn *conn, int argc, const char *argv[],
                    void *aux OVS_UNUSED)
{
    struct ovs_list next_ct_states = OVS_LIST_INITIALIZER(&next_ct_states);
    const struct bigtcp_class *class = NULL;
    struct oftrace_next_ct_state *next;
    bool json = bigtcp_wants_json(conn);
    struct ofproto_dpif *ofproto = NULL;
    struct flow flow;
    char *error;

    memset(&flow, 0, sizeof flow);
    error = parse_arguments(argc, argv, &json, &next_ct_states, &ofproto,
                            &flow);
    if (!error) {
        const char *type = ofproto->backer->type;

        class = (!strcmp(type, "system") ? &bigtcp_rtnl_class
                 : !strcmp(type, "dummy") ? &bigtcp_dummy_class : NULL);
        if (!class) {
            error = xasprintf("%s: the bridge's datapath is not the kernel's",
                              ofproto->up.name);
        }
    }

    if (error) {
        unixctl_command_reply_error(conn, error);
        free(error);
    } else {
        struct bigtcp_walk *walk = bigtcp_walk_flow(ofproto, class, &flow,
                                                    &next_ct_states);
        const struct bigtcp_path *path = bigtcp_walk_get_path(walk);

        if (json) {
            bigtcp_reply_json(conn, bigtcp_path_to_json(path));
        } else {
            struct ds ds = DS_EMPTY_INITIALIZER;

            bigtcp_path_format(path, &ds);
            unixctl_command_reply(conn, ds_cstr(&ds));
            ds_destroy(&ds);
        }
        bigtcp_walk_destroy(walk);
    }
    LIST_FOR_EACH_POP (next, node, &next_ct_states) {
        free(next);
    }
}

/* Makes the unixctl command. */
void
bigtcp_path_register(void)
{
    unixctl_command_register("bigtcp/path",
                             "[--json] {bridge br_flow | [dp_name] odp_flow} "
                             "[OPTIONS...] [-generate|packet]", 1, INT_MAX,
                             bigtcp_unixctl_path, NULL);
}
