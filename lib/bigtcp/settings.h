/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_SETTINGS_H
#define BIGTCP_SETTINGS_H 1

/* What rows of the database ask for.  Nothing here does I/O. */

#include <stdbool.h>
#include <stdint.h>

#include "bigtcp/types.h"

struct ds;
struct smap;

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
                                 * (lib/bigtcp/group.h). */
    bool rejected;              /* The value of 'bigtcp' is, which must be
                                 * told. */
    bool mixed;                 /* That choice ignores small hops. */
    bool not_mixed;             /* 'bigtcp_mixed=false' is set. */
    bool resegments;            /* The kernel cuts what is too large for a hop
                                 * into GSO packets that fit.  Not asked for,
                                 * but set by the caller. */
    bool enforce;               /* Drift is corrected. */
};

void bigtcp_request_init(struct bigtcp_request *);
void bigtcp_request_add(struct bigtcp_request *,
                        const struct bigtcp_settings *);
bool bigtcp_request_is_empty(const struct bigtcp_request *);

#endif /* lib/bigtcp/settings.h */
