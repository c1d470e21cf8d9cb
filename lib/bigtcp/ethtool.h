/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_ETHTOOL_H
#define BIGTCP_ETHTOOL_H 1

/* What a network device does itself, through the ethtool interface of the
 * kernel.  Linux only. */

#include <stdbool.h>
#include <stdint.h>

int bigtcp_ethtool_get_offloads(const char *device, uint32_t *offloads);
void bigtcp_ethtool_get_tso_lro(const char *device, bool *tso, bool *lro);

#endif /* lib/bigtcp/ethtool.h */
