/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_RTNL_H
#define BIGTCP_RTNL_H 1

/* What lib/bigtcp/rtnl.c has beside 'bigtcp_rtnl_class' of
 * lib/bigtcp/provider.h. */

#include <stdint.h>

int bigtcp_rtnl_kind_ceiling(const char *kind, uint32_t *ceiling);

#endif /* lib/bigtcp/rtnl.h */
