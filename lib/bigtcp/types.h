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
    /* Smallest GSO size that is sent: the kernel's own floor, MAX_TCP_HEADER +
     * 1, at its largest.  It depends on configuration and cache lines. */
    BIGTCP_FLOOR_SIZE = 385,

    /* Smallest size that a key accepts. */
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

/* What a device does itself, as bits: 1 << one of these.  The names are those
 * of 'ethtool -k'. */
#define BIGTCP_OFFLOADS                                                 \
    BIGTCP_OFFLOAD(TSO4, "tx-tcp-segmentation")                         \
    BIGTCP_OFFLOAD(TSO6, "tx-tcp6-segmentation")                        \
    BIGTCP_OFFLOAD(CSUM, "tx-checksum-ip-generic")                      \
    BIGTCP_OFFLOAD(UDP, "tx-udp_tnl-segmentation")                      \
    BIGTCP_OFFLOAD(UDP_CSUM, "tx-udp_tnl-csum-segmentation")            \
    BIGTCP_OFFLOAD(GRE, "tx-gre-segmentation")                          \
    BIGTCP_OFFLOAD(GRE_CSUM, "tx-gre-csum-segmentation")            \
    BIGTCP_OFFLOAD(TSO_ECN, "tx-tcp-ecn-segmentation")                  \
    BIGTCP_OFFLOAD(TSO_MANGLEID, "tx-tcp-mangleid-segmentation")        \
    BIGTCP_OFFLOAD(LRO, "rx-lro")

enum bigtcp_offload {
#define BIGTCP_OFFLOAD(ENUM, NAME) BIGTCP_OFFLOAD_##ENUM,
    BIGTCP_OFFLOADS
#undef BIGTCP_OFFLOAD
    BIGTCP_N_OFFLOADS
};

/* What a device has that does not tell: all that does no harm. */
#define BIGTCP_OFFLOADS_ALL \
    (((1u << BIGTCP_N_OFFLOADS) - 1) & ~(1u << BIGTCP_OFFLOAD_LRO))

/* NETIF_F_ALL_TSO. */
#define BIGTCP_OFFLOADS_TSO                                             \
    (1u << BIGTCP_OFFLOAD_TSO4 | 1u << BIGTCP_OFFLOAD_TSO6              \
     | 1u << BIGTCP_OFFLOAD_TSO_ECN | 1u << BIGTCP_OFFLOAD_TSO_MANGLEID)

const char *bigtcp_offload_to_string(enum bigtcp_offload);

/* What the kernel says of a device. */
struct bigtcp_link {
    char name[16];              /* Its name in 'netnsid'. */
    int ifindex;                /* Interface index. */
    int netnsid;                /* Network namespace, as of lib/netnsid.h. */
    bool settable;              /* 'tso_max_size' can be set, and all sizes
                                 * wherever the device is. */
    char kind[16];              /* Kind of link, e.g. BIGTCP_KIND_INTERNAL,
                                 * "" for hardware. */
    char qdisc[16];             /* Kind of its root queueing discipline. */
    uint32_t features;          /* Bit 1 << enum bigtcp_offload for each that
                                 * it does. */
    uint32_t mtu;               /* Bytes, 0 if not known. */
    uint32_t tso_max_segs;      /* Ceiling of gso_max_segs. */
    uint32_t carries;           /* Of a tunnel: largest packet, in bytes, that
                                 * the kernel's code for it takes, if that is
                                 * less than the ceiling; else 0. */
    int carries_error;          /* Positive errno value if that cannot be found
                                 * out, else 0. */
    struct bigtcp_sizes sizes;  /* Live values.  What is not present, this
                                 * kernel does not have. */
};

/* Returns true if 'link' does no kind of TSO. */
static inline bool
bigtcp_link_tso_off(const struct bigtcp_link *link)
{
    return !(link->features & BIGTCP_OFFLOADS_TSO);
}

/* Returns true if 'link' does LRO. */
static inline bool
bigtcp_link_lro_on(const struct bigtcp_link *link)
{
    return (link->features & (1u << BIGTCP_OFFLOAD_LRO)) != 0;
}

uint32_t bigtcp_link_ceiling(const struct bigtcp_link *);
bool bigtcp_link_is_internal(const struct bigtcp_link *);
bool bigtcp_link_equal(const struct bigtcp_link *, const struct bigtcp_link *);

/* An answer to a question that cannot always be asked. */
enum bigtcp_answer {
    BIGTCP_NO,
    BIGTCP_YES,
    BIGTCP_NOT_KNOWN,
};

/* What the running kernel does with packets, whatever the device. */
struct bigtcp_kernel {
    enum bigtcp_answer resegments; /* It cuts TCP packets that are too large
                                    * into GSO packets that fit
                                    * (lib/bigtcp/probe.h). */
    int error;                  /* Why that is not known: a positive errno
                                 * value; else 0. */
    bool ignores_size;          /* It looks at no GSO size (before
                                 * 24ab059d2ebd). */
    bool one_limit;             /* It takes gso_max_size for IPv4, too (before
                                 * e609c959a939). */
};

#endif /* lib/bigtcp/types.h */
