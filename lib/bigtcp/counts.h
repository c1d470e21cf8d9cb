/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_COUNTS_H
#define BIGTCP_COUNTS_H 1

/* Packets of a device, counted by direction, family and size.
 *
 * Nothing here does I/O or keeps state of its own.  All sizes are in bytes. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ds;
struct json;

/* Directions, as seen from the device: enumerator and name.  What the host
 * hands to an internal port is sent by it. */
#define BIGTCP_DIRECTIONS                               \
    BIGTCP_DIRECTION(SENT, sent)                        \
    BIGTCP_DIRECTION(RECEIVED, received)

enum bigtcp_direction {
#define BIGTCP_DIRECTION(ENUM, NAME) BIGTCP_##ENUM,
    BIGTCP_DIRECTIONS
#undef BIGTCP_DIRECTION
    BIGTCP_N_DIRECTIONS
};

/* Families, by the Ethertype behind at most BIGTCP_MAX_TAGS VLAN tags. */
#define BIGTCP_FAMILIES                                 \
    BIGTCP_FAMILY(IPV4, ipv4)                           \
    BIGTCP_FAMILY(IPV6, ipv6)                           \
    BIGTCP_FAMILY(OTHER, other)

enum bigtcp_family {
#define BIGTCP_FAMILY(ENUM, NAME) BIGTCP_##ENUM,
    BIGTCP_FAMILIES
#undef BIGTCP_FAMILY
    BIGTCP_N_FAMILIES
};

enum { BIGTCP_MAX_TAGS = 2 };

/* Size classes: enumerator, name, and the length that is too large for the
 * class.  A packet that is no GSO packet, i.e. that goes on the wire as it is,
 * is of class "mss" whatever its length.  For the others the length without
 * Ethernet header and VLAN tags decides, so that all above "64k" are packets
 * whose length does not fit into an IP header. */
#define BIGTCP_SIZE_CLASSES                             \
    BIGTCP_SIZE_CLASS(MSS, "mss", 0)                    \
    BIGTCP_SIZE_CLASS(64K, "64k", 65536)                \
    BIGTCP_SIZE_CLASS(128K, "128k", 131072)             \
    BIGTCP_SIZE_CLASS(256K, "256k", 262144)             \
    BIGTCP_SIZE_CLASS(512K, "512k", UINT32_MAX)

enum bigtcp_size_class {
#define BIGTCP_SIZE_CLASS(ENUM, NAME, BOUND) BIGTCP_SIZE_##ENUM,
    BIGTCP_SIZE_CLASSES
#undef BIGTCP_SIZE_CLASS
    BIGTCP_N_SIZE_CLASSES
};

const char *bigtcp_direction_to_string(enum bigtcp_direction);
const char *bigtcp_family_to_string(enum bigtcp_family);
const char *bigtcp_size_class_to_string(enum bigtcp_size_class);
uint32_t bigtcp_size_class_bound(enum bigtcp_size_class);
enum bigtcp_size_class bigtcp_size_classify(uint32_t length, bool gso);

/* Packets of one direction, family and size class.  Their lengths here are
 * the kernel's own, with Ethernet header and VLAN tags, as those of a device's
 * statistics and those that it compares with the GSO sizes. */
struct bigtcp_count {
    uint64_t packets;
    uint64_t bytes;
    uint64_t largest;           /* Of one packet, 0 if there was none. */
};

/* All of them have a number, by which the counting program knows them. */
enum {
    BIGTCP_N_COUNTS = (BIGTCP_N_DIRECTIONS * BIGTCP_N_FAMILIES
                       * BIGTCP_N_SIZE_CLASSES)
};

static inline size_t
bigtcp_count_index(enum bigtcp_direction direction, enum bigtcp_family family,
                   enum bigtcp_size_class size_class)
{
    return ((direction * BIGTCP_N_FAMILIES + family) * BIGTCP_N_SIZE_CLASSES
            + size_class);
}

/* Packets of a device. */
struct bigtcp_counts {
    struct bigtcp_count count[BIGTCP_N_COUNTS];
};

void bigtcp_count_add(struct bigtcp_count *, const struct bigtcp_count *);
void bigtcp_counts_sum(const struct bigtcp_counts *,
                       enum bigtcp_direction, struct bigtcp_count *all,
                       struct bigtcp_count *big);
double bigtcp_counts_share(const struct bigtcp_counts *);
void bigtcp_counts_format(const struct bigtcp_counts *, struct ds *);
void bigtcp_counts_to_json(const struct bigtcp_counts *, struct json *);

#endif /* lib/bigtcp/counts.h */
