/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_ETHTOOL_H
#define BIGTCP_ETHTOOL_H 1

/* What a network device does itself, through the ethtool interface of the
 * kernel.  Linux only. */

#include <stdint.h>

uint32_t bigtcp_ethtool_get_value(const char *device, uint32_t cmd,
                                  uint32_t default_value);
int bigtcp_ethtool_get_offloads(const char *device, uint32_t *offloads);

#endif /* lib/bigtcp-ethtool.h */
