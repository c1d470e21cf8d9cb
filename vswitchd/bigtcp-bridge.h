/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VSWITCHD_BIGTCP_BRIDGE_H
#define VSWITCHD_BIGTCP_BRIDGE_H 1

/* What the hooks in vswitchd/bridge.c call.  Where no row has a key of ours,
 * each of them returns at once. */

#include <stdbool.h>

struct netdev;
struct ovsrec_interface;
struct simap;
struct smap;

void bigtcp_bridge_init(void);
void bigtcp_bridge_exit(bool delete_datapath);

void bigtcp_bridge_set_defaults(const char *bridge,
                                const struct smap *other_config);
void bigtcp_bridge_configure(const char *bridge, struct netdev *,
                             const struct smap *other_config);
void bigtcp_bridge_commit(void);
void bigtcp_bridge_forget(const struct netdev *);
void bigtcp_bridge_run(void);
void bigtcp_bridge_wait(void);

void bigtcp_bridge_refresh_status(const struct netdev *,
                                  const struct ovsrec_interface *);
void bigtcp_bridge_get_memory_usage(struct simap *);

#endif /* vswitchd/bigtcp-bridge.h */
