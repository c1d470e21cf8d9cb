/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_H
#define BIGTCP_H 1

/* BIG TCP policy
 * ==============
 *
 * Settings of a port and what the kernel says of its device go in, the sizes
 * that the device should have come out, with a report of why
 * (lib/bigtcp-report.h).  Nothing here does I/O or keeps state of its own.
 *
 * All sizes are in bytes. */

#include <stdbool.h>
#include <stdint.h>

#include "util.h"

struct bigtcp_report;
struct ds;
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

    /* Details (lib/bigtcp-provider.h). */
    bool tso_off;               /* It has NETIF_F_GSO_SOFTWARE at most. */
    bool lro_on;                /* NETIF_F_LRO. */
};

uint32_t bigtcp_link_ceiling(const struct bigtcp_link *);
bool bigtcp_link_is_internal(const struct bigtcp_link *);
bool bigtcp_link_equal(const struct bigtcp_link *, const struct bigtcp_link *);

/* Rows of the database that can hold the keys, the nearest to a port
 * first. */
enum bigtcp_row {
    BIGTCP_ROW_INTERFACE,
    BIGTCP_ROW_BRIDGE,
    BIGTCP_ROW_OPEN_VSWITCH,
    BIGTCP_N_ROWS
};
const char *bigtcp_row_to_string(enum bigtcp_row);

/* Keys in other_config, an 'int' each: one for each attribute, of the same
 * number and name, and those that are about all of them. */
enum {
    BIGTCP_KEY_MODE = BIGTCP_N_ATTRS,   /* "bigtcp": enum bigtcp_mode. */
    BIGTCP_KEY_MIXED,                   /* "bigtcp_mixed": 0 or 1. */
    BIGTCP_KEY_ENFORCE,                 /* "bigtcp_enforce": 0 or 1. */
    BIGTCP_KEY_POLL_INTERVAL,           /* "bigtcp_poll_interval": seconds, of
                                         * Open_vSwitch only. */
    BIGTCP_N_KEYS
};

#define BIGTCP_FOR_EACH_KEY(KEY)           \
    for (int KEY = 0; KEY < BIGTCP_N_KEYS; \
         KEY++)

const char *bigtcp_key_to_string(int key);

/* Values of BIGTCP_KEY_MODE. */
enum bigtcp_mode {
    BIGTCP_MODE_OFF,            /* Leave the port alone. */
    BIGTCP_MODE_AUTO,           /* The largest sizes that every hop takes. */
};

/* Defaults. */
enum {
    BIGTCP_DEFAULT_POLL_INTERVAL = 5,   /* Seconds. */
    BIGTCP_MAX_POLL_INTERVAL = 86400,
};

/* The value of a size that is "max". */
#define BIGTCP_VALUE_MAX UINT32_MAX

/* One key of a row, or what several rows come to. */
struct bigtcp_setting {
    bool valid;                 /* 'value' is asked for, by 'row'. */
    uint32_t value;             /* Or BIGTCP_VALUE_MAX. */
    enum bigtcp_row row;        /* Row that decided. */
    char *rejected;             /* Text that is no value of the key and is
                                 * ignored, else NULL. */
    enum bigtcp_row rejected_row; /* Row that has it. */
};

/* All keys of a row, or of a port. */
struct bigtcp_settings {
    struct bigtcp_setting keys[BIGTCP_N_KEYS];
};

void bigtcp_settings_init(struct bigtcp_settings *);
void bigtcp_settings_destroy(struct bigtcp_settings *);
bool bigtcp_settings_parse(struct bigtcp_settings *, const struct smap *,
                           enum bigtcp_row, uint32_t *rejected);
void bigtcp_settings_resolve(struct bigtcp_settings *,
                             const struct bigtcp_settings *const
                             rows[BIGTCP_N_ROWS]);
bool bigtcp_settings_is_empty(const struct bigtcp_settings *);
bool bigtcp_settings_asks(const struct bigtcp_settings *);
bool bigtcp_settings_is_auto(const struct bigtcp_settings *);
bool bigtcp_settings_is_off(const struct bigtcp_settings *);
uint32_t bigtcp_settings_get(const struct bigtcp_settings *, int key,
                             uint32_t default_value);

bool bigtcp_value_parse(int key, const char *, uint32_t *value);
void bigtcp_value_format(int key, uint32_t value, struct ds *);
void bigtcp_value_explain(int key, const char *rejected, struct ds *);

/* What all the ports of a device ask for together. */
struct bigtcp_request {
    struct bigtcp_sizes asked;  /* For each attribute the largest value. */
    uint32_t held;              /* Bit 1 << attribute for each whose key is
                                 * rejected and that has no earlier value:
                                 * it stays as it is. */
    bool is_auto;               /* What is neither asked nor held is chosen
                                 * (lib/bigtcp-group.h). */
    bool rejected;              /* The value of 'bigtcp' is, which must be
                                 * told. */
    bool mixed;                 /* That choice ignores small hops. */
    bool not_mixed;             /* 'bigtcp_mixed=false' is set. */
    bool resegments;            /* The kernel cuts what is too large for a hop
                                 * into GSO packets that fit.  Not asked for,
                                 * but set by the caller. */
    bool enforce;               /* Drift is put right. */
};

void bigtcp_request_init(struct bigtcp_request *);
void bigtcp_request_add(struct bigtcp_request *,
                        const struct bigtcp_settings *);
bool bigtcp_request_is_empty(const struct bigtcp_request *);

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

#endif /* lib/bigtcp.h */
