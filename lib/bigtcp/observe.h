/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_OBSERVE_H
#define BIGTCP_OBSERVE_H 1

/* "bigtcp/observe": counting the packets of ports' devices by size.
 *
 * What is observed is the kernel device, so that it makes no difference by
 * which of several ports of it that was begun.  An observation ends with
 * bigtcp_observe_stop(), when no port is left that the device belongs to, when
 * the device is deleted or leaves this network namespace, and with the
 * process.
 *
 * All functions must be called from the main thread. */

#include <stdbool.h>
#include <stddef.h>

struct bigtcp_observation;
struct ds;
struct json;
struct netdev;
struct shash;
struct smap;
struct sset;

char *bigtcp_observe_start(const struct sset *names, struct shash *results);
char *bigtcp_observe_stop(const struct sset *names, struct shash *results);
char *bigtcp_observe_check(const struct sset *names);
void bigtcp_observe_show_text(const struct sset *names, struct ds *);
struct json *bigtcp_observe_show_json(const struct sset *names);

void bigtcp_observe_run(void);
void bigtcp_observe_wait(void);
bool bigtcp_observe_get_status(const struct netdev *, struct smap *);
size_t bigtcp_observe_count(void);

void bigtcp_observation_destroy(struct bigtcp_observation *);

/* Key of Interface 'status' while it is observed: how much of the bytes is in
 * packets above 64 kB, e.g. "99.6%". */
#define BIGTCP_STATUS_OBSERVED "bigtcp_observed"

#endif /* lib/bigtcp/observe.h */
