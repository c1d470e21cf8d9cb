/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_GROUP_H
#define BIGTCP_GROUP_H 1

/* BIG TCP policy for devices that exchange packets
 * ================================================
 *
 * lib/bigtcp/policy.h decides for one device.  Here it is decided for all
 * devices of bridges together, because how large a packet may become is up to
 * the device that sends it, and each device that it can leave by judges it.
 *
 * A group is a bridge with all the bridges that patch ports join to it.  A
 * device is in a group by its ports; a tunnel device can be in several.
 *
 * Nothing here does I/O. */

#include <stdbool.h>
#include <stddef.h>

#include "bigtcp/settings.h"

/* Where the packets of a tunnel, or of a VLAN, a bond and the like, leave
 * by. */
struct bigtcp_lower {
    size_t member;              /* Index of that device. */
    bool tunnel;                /* It sends the packets with other headers
                                 * around them, else as they are. */
    bool ipv6;                  /* The outer header is IPv6. */
    uint32_t overhead;          /* Bytes that encapsulation adds. */
};

/* A device, or the lower device of one, or one that takes part in what it
 * receives. */
struct bigtcp_member {
    /* In. */
    const char *name;           /* For reasons: the port's. */
    const struct bigtcp_link *link; /* NULL if the device cannot be read: then
                                     * nothing is decided for it, and it limits
                                     * nobody. */
    const struct bigtcp_sizes *original; /* As for bigtcp_decide(). */
    bool internal;              /* An internal port. */
    bool managed;               /* Something is asked of it, or was. */
    struct bigtcp_lower *lowers; /* All tunnels, or none. */
    size_t n_lowers;
    size_t *ingress;            /* Indexes of the 'ifb' devices that send what
                                 * this one received before its port gets
                                 * it. */
    size_t n_ingress;

    /* In, and out with what is chosen for it. */
    struct bigtcp_request request;
    struct bigtcp_report *report;

    /* Out. */
    struct bigtcp_sizes wanted; /* As of bigtcp_decide(). */
};

/* Device 'member' has a port in 'group'. */
struct bigtcp_membership {
    size_t member;
    size_t group;
};

void bigtcp_group_decide(struct bigtcp_member *, size_t n_members,
                         const struct bigtcp_membership *,
                         size_t n_memberships, size_t n_groups);

#endif /* lib/bigtcp/group.h */
