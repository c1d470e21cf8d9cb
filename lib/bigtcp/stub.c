/* SPDX-License-Identifier: Apache-2.0 */

/* lib/bigtcp/rtnl.c, lib/bigtcp/genl.c, lib/bigtcp/bpf.c and
 * lib/bigtcp/probe.c for where there is no netlink and no bpf(2). */

#include <config.h>

#include "bigtcp/genl.h"
#include "bigtcp/probe.h"
#include "bigtcp/provider.h"
#include "bigtcp/rtnl-probe.h"
#include "bigtcp/rtnl.h"

#include <errno.h>

static void
refuse(struct bigtcp_access *accesses, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        accesses[i].error = EOPNOTSUPP;
        accesses[i].message = NULL;
    }
}

static void
know_no_kernel(struct bigtcp_kernel *kernel)
{
    *kernel = (struct bigtcp_kernel) {
        .resegments = BIGTCP_NOT_KNOWN,
        .error = EOPNOTSUPP,
    };
}

static bool
never(void)
{
    return false;
}

static void
wait_for_nothing(void)
{
}

const struct bigtcp_class bigtcp_rtnl_class = {
    .name = "rtnl",
    .get = refuse,
    .set = refuse,
    .tap = &bigtcp_bpf_tap_class,
    .get_kernel = know_no_kernel,
    .run = never,
    .wait = wait_for_nothing,
};

static int
refuse_open(const char *device OVS_UNUSED, int ifindex OVS_UNUSED,
            void **tapp OVS_UNUSED, char **message)
{
    *message = xstrdup("packets can be counted on Linux only");
    return EOPNOTSUPP;
}

/* Nothing can be opened, so that there is nothing else to do. */
const struct bigtcp_tap_class bigtcp_bpf_tap_class = {
    .open = refuse_open,
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

const char bigtcp_genl_family_name[] = "";

int
bigtcp_probe_oversized(enum bigtcp_oversized *result OVS_UNUSED)
{
    return EOPNOTSUPP;
}

int
bigtcp_genl_get_version(uint32_t *version OVS_UNUSED)
{
    return EOPNOTSUPP;
}
