/* SPDX-License-Identifier: Apache-2.0 */

/* lib/bigtcp-rtnl.c for where there is no rtnetlink. */

#include <config.h>

#include "bigtcp-provider.h"
#include "bigtcp-rtnl.h"

#include <errno.h>

static void
refuse(struct bigtcp_access *accesses, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        accesses[i].error = EOPNOTSUPP;
        accesses[i].message = NULL;
    }
}

static int
refuse_offloads(const char *device OVS_UNUSED, uint32_t *offloads OVS_UNUSED)
{
    return EOPNOTSUPP;
}

const struct bigtcp_class bigtcp_rtnl_class = {
    .name = "rtnl",
    .get = refuse,
    .set = refuse,
    .get_offloads = refuse_offloads,
};

int
bigtcp_rtnl_probe(struct bigtcp_rtnl_probe *probes OVS_UNUSED,
                  size_t n OVS_UNUSED)
{
    return EOPNOTSUPP;
}

int
bigtcp_rtnl_kind_ceiling(const char *kind OVS_UNUSED,
                         uint32_t *ceiling OVS_UNUSED)
{
    return EOPNOTSUPP;
}
