/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_POLICY_H
#define BIGTCP_POLICY_H 1

/* BIG TCP policy for one device
 * =============================
 *
 * What is asked of a device and what the kernel says of it go in, the sizes
 * that the device should have come out, with a report of why
 * (lib/bigtcp/report.h).  Nothing here does I/O or keeps state of its own. */

#include <stdint.h>

#include "bigtcp/settings.h"
#include "bigtcp/types.h"

struct bigtcp_report;

uint32_t bigtcp_gso_cap(const struct bigtcp_request *,
                        const struct bigtcp_link *,
                        const struct bigtcp_sizes *original);
void bigtcp_decide(const struct bigtcp_request *,
                   const struct bigtcp_link *,
                   const struct bigtcp_sizes *original,
                   struct bigtcp_sizes *wanted, struct bigtcp_report *);
void bigtcp_diff(const struct bigtcp_sizes *wanted,
                 const struct bigtcp_sizes *live,
                 struct bigtcp_sizes *change);

#endif /* lib/bigtcp/policy.h */
