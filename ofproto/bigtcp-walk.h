/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OFPROTO_BIGTCP_WALK_H
#define OFPROTO_BIGTCP_WALK_H 1

/* Where the packets of a flow leave, and what happens to them on the way
 * =======================================================================
 *
 * What comes of a walk is a path (lib/bigtcp/path.h).  Where one of several
 * buckets of a group, or members of a bond, carries a packet, all of them are
 * followed. */

struct bigtcp_class;
struct bigtcp_path;
struct bigtcp_walk;
struct flow;
struct group_dpif;
struct ofproto_dpif;
struct ofputil_bucket;
struct ovs_list;

struct bigtcp_walk *bigtcp_walk_flow(struct ofproto_dpif *,
                                     const struct bigtcp_class *,
                                     const struct flow *,
                                     struct ovs_list *next_ct_states);
const struct bigtcp_path *bigtcp_walk_get_path(const struct bigtcp_walk *);
void bigtcp_walk_destroy(struct bigtcp_walk *);

/* What the hook in ofproto/ofproto-dpif-xlate.c calls. */
struct ofputil_bucket *bigtcp_walk_pick_bucket(const struct group_dpif *,
                                               struct ofputil_bucket *);

#endif /* ofproto/bigtcp-walk.h */
