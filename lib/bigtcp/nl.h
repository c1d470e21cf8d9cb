/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_NL_H
#define BIGTCP_NL_H 1

/* Netlink requests whose refusal is told in the kernel's own words, and dumps
 * that notice if they were interrupted.
 *
 * nl_transact() and nl_dump_next() keep these to themselves. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bigtcp_access;
struct nl_sock;
struct ofpbuf;

int bigtcp_nl_listen(int protocol, unsigned int group, struct nl_sock **);
int bigtcp_nl_exchange(struct nl_sock *, const struct ofpbuf *request,
                       struct ofpbuf *reply, char **message);
void bigtcp_nl_set(int protocol, struct bigtcp_access *accesses[],
                   struct ofpbuf *requests[], size_t n);
int bigtcp_nl_dump(int protocol, const struct ofpbuf *request,
                   void (*start)(void *aux),
                   void (*cb)(struct ofpbuf *reply, void *aux), void *aux);
int bigtcp_nl_parse_dump(struct ofpbuf *buffer, uint32_t seq,
                         void (*cb)(struct ofpbuf *reply, void *aux),
                         void *aux, bool *interrupted);

#endif /* lib/bigtcp/nl.h */
