/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_H
#define BIGTCP_H 1

/* BIG TCP policy
 * ==============
 *
 * Settings of a port and what the kernel says of its device go in, the sizes
 * that the device should have come out, with a state and a reason.  Nothing
 * here does I/O or keeps state of its own.
 *
 * All sizes are in bytes. */

#include <stdbool.h>
#include <stdint.h>

#include "openvswitch/compiler.h"
#include "openvswitch/dynamic-string.h"
#include "util.h"

struct smap;

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

void bigtcp_sizes_format(const struct bigtcp_sizes *, struct ds *);
bool bigtcp_sizes_parse(struct bigtcp_sizes *, const char *);

/* What the kernel says of a device. */
struct bigtcp_link {
    int ifindex;                /* Interface index. */
    char kind[16];              /* Kind of link, e.g. "openvswitch" for an
                                 * internal port, "" for hardware. */
    uint32_t tso_max_segs;      /* Ceiling of gso_max_segs. */
    struct bigtcp_sizes sizes;  /* Live values.  What is not present, this
                                 * kernel does not have. */
};

uint32_t bigtcp_link_ceiling(const struct bigtcp_link *);

/* Rows of the database that can hold the keys. */
enum bigtcp_row {
    BIGTCP_ROW_INTERFACE,
    BIGTCP_N_ROWS
};
const char *bigtcp_row_to_string(enum bigtcp_row);

/* The value of a size that is "max". */
#define BIGTCP_VALUE_MAX UINT32_MAX

/* One key of a port. */
struct bigtcp_setting {
    bool valid;                 /* 'value' is asked for, by 'row'. */
    uint32_t value;             /* Or BIGTCP_VALUE_MAX. */
    enum bigtcp_row row;        /* Row that decided. */
    char *rejected;             /* Text that is no value of the key and is
                                 * ignored, else NULL. */
};

/* All keys of a port. */
struct bigtcp_settings {
    struct bigtcp_setting keys[BIGTCP_N_ATTRS];
};

void bigtcp_settings_init(struct bigtcp_settings *);
void bigtcp_settings_destroy(struct bigtcp_settings *);
bool bigtcp_settings_parse(struct bigtcp_settings *, const struct smap *,
                           enum bigtcp_row, uint32_t *rejected);
bool bigtcp_settings_is_empty(const struct bigtcp_settings *);

bool bigtcp_value_parse(enum bigtcp_attr, const char *, uint32_t *value);
void bigtcp_value_format(uint32_t value, struct ds *);
void bigtcp_value_explain(enum bigtcp_attr, const char *rejected,
                          struct ds *);

/* What all the ports of a device ask for together. */
struct bigtcp_request {
    struct bigtcp_sizes asked;  /* For each attribute the largest value. */
    uint32_t held;              /* Bit 1 << attribute for each whose key is
                                 * rejected and that has no earlier value:
                                 * it stays as it is. */
};

void bigtcp_request_init(struct bigtcp_request *);
void bigtcp_request_add(struct bigtcp_request *,
                        const struct bigtcp_settings *);

/* States of a port, from the best to the worst: of several that hold, the
 * last is told. */
#define BIGTCP_STATES                                                       \
    /* What is asked is in force. */                                        \
    BIGTCP_STATE(APPLIED, applied)                                          \
    /* The device's own ceiling is lower than asked. */                     \
    BIGTCP_STATE(CLAMPED, clamped)                                          \
    /* This kernel, datapath type or device cannot. */                      \
    BIGTCP_STATE(UNSUPPORTED, unsupported)                                  \
    /* The device is in another network namespace, out of reach. */         \
    BIGTCP_STATE(REMOTE, remote)                                            \
    /* The kernel refused, or a key's value is none. */                     \
    BIGTCP_STATE(ERROR, error)

enum bigtcp_state {
#define BIGTCP_STATE(ENUM, NAME) BIGTCP_STATE_##ENUM,
    BIGTCP_STATES
#undef BIGTCP_STATE
};
const char *bigtcp_state_to_string(enum bigtcp_state);

/* A state and why.  Reasons are joined by "; ". */
struct bigtcp_report {
    enum bigtcp_state state;
    struct ds reason;
};

void bigtcp_report_init(struct bigtcp_report *);
void bigtcp_report_destroy(struct bigtcp_report *);
void bigtcp_report_clear(struct bigtcp_report *);
void bigtcp_report_add(struct bigtcp_report *, enum bigtcp_state,
                       const char *format, ...) OVS_PRINTF_FORMAT(3, 4);

void bigtcp_decide(const struct bigtcp_request *,
                   const struct bigtcp_link *,
                   const struct bigtcp_sizes *original,
                   struct bigtcp_sizes *wanted, struct bigtcp_report *);
void bigtcp_diff(const struct bigtcp_sizes *wanted,
                 const struct bigtcp_sizes *live,
                 struct bigtcp_sizes *change);

#endif /* lib/bigtcp.h */
