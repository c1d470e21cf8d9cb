/* SPDX-License-Identifier: Apache-2.0 */

/* What a network device does itself ('ethtool -k'). */

#include <config.h>

#include "bigtcp/ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>

#include "bigtcp/types.h"
#include "coverage.h"
#include "socket-util.h"
#include "util.h"

COVERAGE_DEFINE(bigtcp_ethtool);

/* Where the kernel keeps each of them among the features of all devices, -1 if
 * it does not know it, and how many features there are.  The same as long as
 * the kernel runs. */
static int positions[BIGTCP_N_OFFLOADS];
static size_t n_features;

static int
do_ethtool(const char *device, void *command, const char *name)
{
    struct ifreq ifr;

    memset(&ifr, 0, sizeof ifr);
    ifr.ifr_data = command;
    return af_inet_ifreq_ioctl(device, &ifr, SIOCETHTOOL, name);
}

/* Fills in 'positions' and 'n_features', with the names that the kernel tells
 * of 'device'.  Returns 0 or a positive errno value. */
static int
find_positions(const char *device)
{
    struct ethtool_sset_info *info;
    struct ethtool_gstrings *names;
    uint32_t n = 0;
    int error;

    info = xzalloc(sizeof *info + sizeof info->data[0]);
    info->cmd = ETHTOOL_GSSET_INFO;
    info->sset_mask = UINT64_C(1) << ETH_SS_FEATURES;
    error = do_ethtool(device, info, "ETHTOOL_GSSET_INFO");
    if (!error && info->sset_mask) {
        n = info->data[0];
    }
    free(info);
    if (error || !n) {
        return error ? error : EOPNOTSUPP;
    }

    names = xzalloc(sizeof *names + (size_t) n * ETH_GSTRING_LEN);
    names->cmd = ETHTOOL_GSTRINGS;
    names->string_set = ETH_SS_FEATURES;
    names->len = n;
    error = do_ethtool(device, names, "ETHTOOL_GSTRINGS");
    for (int i = 0; !error && i < BIGTCP_N_OFFLOADS; i++) {
        const char *feature = bigtcp_offload_to_string(i);

        positions[i] = -1;
        for (size_t j = 0; j < names->len; j++) {
            if (!strncmp((const char *) &names->data[j * ETH_GSTRING_LEN],
                         feature, ETH_GSTRING_LEN)) {
                positions[i] = j;
            }
        }
    }
    if (!error) {
        n_features = names->len;
    }
    free(names);
    return error;
}

/* Stores in '*active' the features of 'device' that are on, a bit each.
 * Returns 0 or a positive errno value. */
static int
get_features(const char *device, uint32_t *active)
{
    struct ethtool_gfeatures *features;
    size_t n_blocks;
    int error;

    *active = 0;
    if (!n_features) {
        error = find_positions(device);
        if (error) {
            return error;
        }
    }

    n_blocks = DIV_ROUND_UP(n_features, 32);
    features = xzalloc(sizeof *features
                       + n_blocks * sizeof features->features[0]);
    features->cmd = ETHTOOL_GFEATURES;
    features->size = n_blocks;
    error = do_ethtool(device, features, "ETHTOOL_GFEATURES");
    for (int i = 0; !error && i < BIGTCP_N_OFFLOADS; i++) {
        int position = positions[i];

        if (position >= 0
            && (features->features[position / 32].active
                & (1u << position % 32))) {
            *active |= 1u << i;
        }
    }
    free(features);
    return error;
}

/* Returns what 'device' does itself, bit 1 << enum bigtcp_offload for
 * each. */
uint32_t
bigtcp_ethtool_get_features(const char *device)
{
    uint32_t active;

    COVERAGE_INC(bigtcp_ethtool);
    return get_features(device, &active) ? BIGTCP_OFFLOADS_ALL : active;
}
