/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_TYPES_H
#define BIGTCP_TYPES_H 1

/* Sizes of a device, and what the kernel says of it.
 *
 * All sizes are in bytes. */

#include <stdbool.h>
#include <stdint.h>

#include "util.h"

struct ds;

/* Bounds of a size. */
enum {
    /* Smallest size that a key accepts.  The kernel's own floor is
     * MAX_TCP_HEADER + 1, which depends on its configuration and on the size
     * of a cache line: 385 at most. */
    BIGTCP_MIN_SIZE = 512,

    /* GSO_LEGACY_MAX_SIZE and GRO_LEGACY_MAX_SIZE: what every device starts
     * with, and up to where the kernel lets an IPv6 size set the IPv4 one. */
    BIGTCP_LEGACY_SIZE = 65536,

    /* GSO_MAX_SIZE and GRO_MAX_SIZE of Linux 5.19 and later: GSO_MAX_SEGS
     * segments of the smallest TCP MSS, 8 bytes. */
    BIGTCP_MAX_SIZE = 8 * 65535,

    /* GSO_MAX_SEGS and TSO_MAX_SEGS. */
    BIGTCP_MAX_SEGS = 65535,
};

/* What is managed: enumerator and name, which is that of the key in
 * other_config, of the key in status and of 'ip -d link'. */
#define BIGTCP_ATTRS                                    \
    BIGTCP_ATTR(TSO_MAX_SIZE, tso_max_size)             \
    BIGTCP_ATTR(GSO_MAX_SIZE, gso_max_size)             \
    BIGTCP_ATTR(GSO_IPV4_MAX_SIZE, gso_ipv4_max_size)   \
    BIGTCP_ATTR(GSO_MAX_SEGS, gso_max_segs)             \
    BIGTCP_ATTR(GRO_MAX_SIZE, gro_max_size)             \
    BIGTCP_ATTR(GRO_IPV4_MAX_SIZE, gro_ipv4_max_size)

enum bigtcp_attr {
#define BIGTCP_ATTR(ENUM, NAME) BIGTCP_##ENUM,
    BIGTCP_ATTRS
#undef BIGTCP_ATTR
    BIGTCP_N_ATTRS
};

#define BIGTCP_FOR_EACH_ATTR(ATTR)                         \
    for (enum bigtcp_attr ATTR = 0; ATTR < BIGTCP_N_ATTRS; \
         ATTR++)

const char *bigtcp_attr_to_string(enum bigtcp_attr);
bool bigtcp_attr_from_string(const char *, enum bigtcp_attr *);

/* A set of attributes with a value each. */
struct bigtcp_sizes {
    uint32_t present;                   /* Bit 1 << attribute if it is set. */
    uint32_t value[BIGTCP_N_ATTRS];     /* Bytes; segments for
                                         * BIGTCP_GSO_MAX_SEGS. */
};

static inline bool
bigtcp_sizes_has(const struct bigtcp_sizes *sizes, enum bigtcp_attr attr)
{
    return (sizes->present & (1u << attr)) != 0;
}

static inline void
bigtcp_sizes_set(struct bigtcp_sizes *sizes, enum bigtcp_attr attr,
                 uint32_t value)
{
    sizes->present |= 1u << attr;
    sizes->value[attr] = value;
}

static inline void
bigtcp_sizes_clear(struct bigtcp_sizes *sizes, enum bigtcp_attr attr)
{
    sizes->present &= ~(1u << attr);
}

/* Returns true if 'sizes' has more than 64 kB for 'attr'. */
static inline bool
bigtcp_sizes_is_big(const struct bigtcp_sizes *sizes, enum bigtcp_attr attr)
{
    return (bigtcp_sizes_has(sizes, attr)
            && sizes->value[attr] > BIGTCP_LEGACY_SIZE);
}

bool bigtcp_sizes_equal(const struct bigtcp_sizes *,
                        const struct bigtcp_sizes *);
void bigtcp_sizes_format(const struct bigtcp_sizes *, struct ds *);
void bigtcp_put_uint(struct ds *, uint32_t);
bool bigtcp_sizes_parse(struct bigtcp_sizes *, const char *);

/* Kind of link of an internal port, as the kernel names it. */
#define BIGTCP_KIND_INTERNAL "openvswitch"

/* What the kernel says of a device. */
struct bigtcp_link {
    int ifindex;                /* Interface index. */
    int netnsid;                /* Network namespace, as of lib/netnsid.h. */
    bool settable;              /* 'tso_max_size' can be set, and all sizes
                                 * wherever the device is. */
    char kind[16];              /* Kind of link, e.g. BIGTCP_KIND_INTERNAL,
                                 * "" for hardware. */
    char qdisc[16];             /* Kind of its root queueing discipline. */
    uint32_t tso_max_segs;      /* Ceiling of gso_max_segs. */
    uint32_t carries;           /* Of a tunnel: largest packet, in bytes, that
                                 * the kernel's code for it takes, if that is
                                 * less than the ceiling; else 0. */
    struct bigtcp_sizes sizes;  /* Live values.  What is not present, this
                                 * kernel does not have. */

    /* Details (lib/bigtcp/provider.h). */
    bool tso_off;               /* It has NETIF_F_GSO_SOFTWARE at most. */
    bool lro_on;                /* NETIF_F_LRO. */
};

uint32_t bigtcp_link_ceiling(const struct bigtcp_link *);
bool bigtcp_link_is_internal(const struct bigtcp_link *);
bool bigtcp_link_equal(const struct bigtcp_link *, const struct bigtcp_link *);

#endif /* lib/bigtcp/types.h */
