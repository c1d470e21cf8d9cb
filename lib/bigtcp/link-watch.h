/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_LINK_WATCH_H
#define BIGTCP_LINK_WATCH_H 1

/* What the kernel announces of links: whether something happened to one that
 * was asked for, and features of devices, which are kept until then. */

#include <stdbool.h>

struct bigtcp_link;

void bigtcp_link_watch_start(void);
void bigtcp_link_watch_ask(const char *name);
void bigtcp_link_watch_found(struct bigtcp_link *);
bool bigtcp_link_watch_is_asked(int ifindex);

bool bigtcp_link_watch_run(void);
void bigtcp_link_watch_wait(void);

#endif /* lib/bigtcp/link-watch.h */
