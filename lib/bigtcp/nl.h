/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_NL_H
#define BIGTCP_NL_H 1

/* Netlink requests whose refusal is told in the kernel's own words.
 *
 * nl_transact() keeps these to itself. */

#include <stddef.h>

struct bigtcp_access;
struct nl_sock;
struct ofpbuf;

int bigtcp_nl_exchange(struct nl_sock *, const struct ofpbuf *request,
                       struct ofpbuf *reply, char **message);
void bigtcp_nl_set(int protocol, struct bigtcp_access *accesses[],
                   struct ofpbuf *requests[], size_t n);

#endif /* lib/bigtcp/nl.h */
