/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_TC_H
#define BIGTCP_TC_H 1

/* Where tc sends what devices of this network namespace receive, as of
 * 'ingress' in lib/bigtcp/provider.h.  What was found is kept until the kernel
 * announces a change. */

#include <stdbool.h>

struct bigtcp_rtnl_event;
struct ofpbuf;
struct sset;

void bigtcp_tc_read(void);
void bigtcp_tc_get_ingress(int ifindex, struct sset *names);
void bigtcp_tc_see_link(const struct bigtcp_rtnl_event *);
bool bigtcp_tc_run(bool (*is_asked)(int ifindex));

void bigtcp_tc_compose_filters(struct ofpbuf *, int ifindex);
int bigtcp_tc_parse_ingress(struct ofpbuf *);
int bigtcp_tc_parse_redirect(struct ofpbuf *);

#endif /* lib/bigtcp/tc.h */
