/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_COMPAT_H
#define BIGTCP_COMPAT_H 1

/* Differences between Open vSwitch releases.  The BIGTCP_HAVE_* macros come
 * from looking into the headers when the tree was made. */

#include "bigtcp-config.h"
#include "flow.h"
#include "openvswitch/json.h"
#include "unixctl.h"

/* Returns true if the client of 'conn' wants JSON ('--format json'). */
static inline bool
bigtcp_wants_json(struct unixctl_conn *conn OVS_UNUSED)
{
#if BIGTCP_HAVE_UNIXCTL_JSON
    return unixctl_command_get_output_format(conn) == UNIXCTL_OUTPUT_FMT_JSON;
#else
    return false;
#endif
}

/* Replies to 'conn' with 'json', which it takes over: as JSON to a client
 * that asked for it by '--format json', else as text. */
static inline void
bigtcp_reply_json(struct unixctl_conn *conn, struct json *json)
{
#if BIGTCP_HAVE_UNIXCTL_JSON
    if (bigtcp_wants_json(conn)) {
        unixctl_command_reply_json(conn, json);
        return;
    }
#endif
    char *s = json_to_string(json, JSSF_PRETTY | JSSF_SORT);

    unixctl_command_reply(conn, s);
    free(s);
    json_destroy(json);
}

/* Makes 'packet', which is empty, one of 'flow', without payload. */
static inline void
bigtcp_flow_compose(struct dp_packet *packet, const struct flow *flow)
{
#if BIGTCP_HAVE_COMPOSE_BAD_CSUM
    flow_compose(packet, flow, NULL, 0, false);
#else
    flow_compose(packet, flow, NULL, 0);
#endif
}

#endif /* lib/bigtcp/compat.h */
