/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_ETHTOOL_H
#define BIGTCP_ETHTOOL_H 1

/* What a network device does itself, through the ethtool interface of the
 * kernel.  Linux only. */

#include <stdint.h>

uint32_t bigtcp_ethtool_get_features(const char *device);

#endif /* lib/bigtcp/ethtool.h */
