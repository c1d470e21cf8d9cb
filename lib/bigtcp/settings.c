/* SPDX-License-Identifier: Apache-2.0 */

/* Keys in other_config: what they can be, what a row has, and what rows come
 * to for a port and its device. */

#include <config.h>

#include "bigtcp/settings.h"

#include <inttypes.h>
#include <string.h>

#include "openvswitch/dynamic-string.h"
#include "openvswitch/util.h"
#include "smap.h"
#include "util.h"

/* Returns the name of the table that 'row' is in. */
const char *
bigtcp_row_to_string(enum bigtcp_row row)
{
    switch (row) {
    case BIGTCP_ROW_INTERFACE:
        return "Interface";
    case BIGTCP_ROW_BRIDGE:
        return "Bridge";
    case BIGTCP_ROW_OPEN_VSWITCH:
        return "Open_vSwitch";
    case BIGTCP_N_ROWS:
        break;
    }
    OVS_NOT_REACHED();
}

static const char *const mode_words[] = {
    [BIGTCP_MODE_OFF] = "off",
    [BIGTCP_MODE_AUTO] = "auto",
};
static const char *const bool_words[] = { "false", "true" };

/* What a value of each key can be: a word, or a number in a range. */
static const struct {
    const char *name;           /* NULL for an attribute. */
    const char *const *words;   /* Two, of value 0 and 1, or NULL. */
    uint32_t min;               /* Without words. */
    uint32_t max;
    const char *unit;
} key_classes[BIGTCP_N_KEYS] = {
#define BIGTCP_SIZE_KEY \
    { NULL, NULL, BIGTCP_MIN_SIZE, BIGTCP_MAX_SIZE, "bytes, or max" }
    [BIGTCP_TSO_MAX_SIZE] = BIGTCP_SIZE_KEY,
    [BIGTCP_GSO_MAX_SIZE] = BIGTCP_SIZE_KEY,
    [BIGTCP_GSO_IPV4_MAX_SIZE] = BIGTCP_SIZE_KEY,
    [BIGTCP_GRO_MAX_SIZE] = BIGTCP_SIZE_KEY,
    [BIGTCP_GRO_IPV4_MAX_SIZE] = BIGTCP_SIZE_KEY,
#undef BIGTCP_SIZE_KEY
    [BIGTCP_GSO_MAX_SEGS] = { NULL, NULL, 1, BIGTCP_MAX_SEGS, "segments" },
    [BIGTCP_KEY_MODE] = { "bigtcp", mode_words, 0, 0, NULL },
    [BIGTCP_KEY_MIXED] = { "bigtcp_mixed", bool_words, 0, 0, NULL },
    [BIGTCP_KEY_ENFORCE] = { "bigtcp_enforce", bool_words, 0, 0, NULL },
    [BIGTCP_KEY_POLL_INTERVAL] = { "bigtcp_poll_interval", NULL, 0,
                                   BIGTCP_MAX_POLL_INTERVAL, "seconds" },
};

/* Returns true if the value of 'key' is a number of bytes. */
static bool
key_is_size(int key)
{
    return key < BIGTCP_N_ATTRS && key != BIGTCP_GSO_MAX_SEGS;
}

static bool
is_decimal(const char *s)
{
    return s[0] && !s[strspn(s, "0123456789")];
}

/* Returns the name of 'key', e.g. "gso_max_size". */
const char *
bigtcp_key_to_string(int key)
{
    return (key < BIGTCP_N_ATTRS ? bigtcp_attr_to_string(key)
            : key_classes[key].name);
}

/* Parses 's', the text of 'key', into '*value'.  Only decimal digits are a
 * number: no sign, no space, no fraction, no other base.  Returns false and
 * leaves '*value' alone if 's' is no value of the key. */
bool
bigtcp_value_parse(int key, const char *s, uint32_t *value)
{
    const char *const *words = key_classes[key].words;
    unsigned int number;

    if (words) {
        for (uint32_t i = 0; i < 2; i++) {
            if (!strcmp(s, words[i])) {
                *value = i;
                return true;
            }
        }
        return false;
    }
    if (key_is_size(key) && !strcmp(s, "max")) {
        *value = BIGTCP_VALUE_MAX;
        return true;
    }
    if (!is_decimal(s) || !str_to_uint(s, 10, &number)
        || number < key_classes[key].min || number > key_classes[key].max) {
        return false;
    }
    *value = number;
    return true;
}

/* Appends 'value' of 'key' to 'ds'. */
void
bigtcp_value_format(int key, uint32_t value, struct ds *ds)
{
    if (key_classes[key].words) {
        ds_put_cstr(ds, key_classes[key].words[value]);
    } else if (value == BIGTCP_VALUE_MAX) {
        ds_put_cstr(ds, "max");
    } else {
        ds_put_format(ds, "%"PRIu32, value);
    }
}

/* Appends to 'ds' why 'rejected' is no value of 'key', with what would be. */
void
bigtcp_value_explain(int key, const char *rejected, struct ds *ds)
{
    const char *const *words = key_classes[key].words;

    ds_put_format(ds, "%s=\"%s\" is %s (", bigtcp_key_to_string(key), rejected,
                  !words && is_decimal(rejected) ? "out of range"
                  : "not valid");
    if (words) {
        ds_put_format(ds, "%s or %s", words[1], words[0]);
    } else {
        ds_put_format(ds, "%"PRIu32" to %"PRIu32" %s", key_classes[key].min,
                      key_classes[key].max, key_classes[key].unit);
    }
    ds_put_cstr(ds, "), ignored");
}

void
bigtcp_settings_init(struct bigtcp_settings *settings)
{
    memset(settings, 0, sizeof *settings);
}

void
bigtcp_settings_destroy(struct bigtcp_settings *settings)
{
    if (settings) {
        BIGTCP_FOR_EACH_KEY (i) {
            free(settings->keys[i].rejected);
        }
    }
}

/* Brings 'settings' up to date with 'smap', the other_config of 'row'.  A key
 * with a text that is no value keeps the value that it had.  Stores in
 * '*rejected' the keys, as bits, whose text is newly rejected.  Returns true
 * if anything changed. */
bool
bigtcp_settings_parse(struct bigtcp_settings *settings,
                      const struct smap *smap, enum bigtcp_row row,
                      uint32_t *rejected)
{
    bool changed = false;

    *rejected = 0;
    if (smap_is_empty(smap) && bigtcp_settings_is_empty(settings)) {
        return false;
    }
    BIGTCP_FOR_EACH_KEY (i) {
        struct bigtcp_setting *key = &settings->keys[i];
        const char *text = smap_get(smap, bigtcp_key_to_string(i));
        uint32_t value = key->value;
        bool valid = false;
        bool bad = false;

        if (i == BIGTCP_KEY_POLL_INTERVAL && row != BIGTCP_ROW_OPEN_VSWITCH) {
            continue;
        }
        if (text) {
            if (bigtcp_value_parse(i, text, &value)) {
                valid = true;
            } else {
                bad = true;
                valid = key->valid;
            }
        }

        if (valid != key->valid || (valid && value != key->value)) {
            key->valid = valid;
            key->value = value;
            key->row = row;
            changed = true;
        }
        if (!nullable_string_is_equal(bad ? text : NULL, key->rejected)) {
            free(key->rejected);
            key->rejected = bad ? xstrdup(text) : NULL;
            key->rejected_row = row;
            if (bad) {
                *rejected |= 1u << i;
            }
            changed = true;
        }
    }
    return changed;
}

/* Stores in 'settings' what 'rows', of which any may be NULL, come to for a
 * port: of each key the value of the nearest row that has a good one, and the
 * nearest bad text.  "bigtcp=off" hides the attributes that its own row, or
 * one further away, asks for.  The texts still belong to 'rows': 'settings'
 * must not be destroyed. */
void
bigtcp_settings_resolve(struct bigtcp_settings *settings,
                        const struct bigtcp_settings *const
                        rows[BIGTCP_N_ROWS])
{
    bigtcp_settings_init(settings);
    for (enum bigtcp_row row = 0; row < BIGTCP_N_ROWS; row++) {
        if (!rows[row]) {
            continue;
        }
        /* The mode first, then the attributes, under it. */
        for (int i = BIGTCP_N_KEYS - 1; i >= 0; i--) {
            const struct bigtcp_setting *from = &rows[row]->keys[i];
            struct bigtcp_setting *to = &settings->keys[i];

            if (i < BIGTCP_N_ATTRS && bigtcp_settings_is_off(settings)) {
                break;
            }
            if (from->valid && !to->valid) {
                to->valid = true;
                to->value = from->value;
                to->row = row;
            }
            if (from->rejected && !to->rejected) {
                to->rejected = from->rejected;
                to->rejected_row = row;
            }
        }
    }
}

/* Returns true if no key is set in 'settings', not even to a bad value. */
bool
bigtcp_settings_is_empty(const struct bigtcp_settings *settings)
{
    BIGTCP_FOR_EACH_KEY (i) {
        if (settings->keys[i].valid || settings->keys[i].rejected) {
            return false;
        }
    }
    return true;
}

/* Returns true if 'settings' ask something of a device: an attribute or a
 * mode, be it by a bad value, which must be told. */
bool
bigtcp_settings_asks(const struct bigtcp_settings *settings)
{
    BIGTCP_FOR_EACH_ATTR (attr) {
        if (settings->keys[attr].valid || settings->keys[attr].rejected) {
            return true;
        }
    }
    return (bigtcp_settings_is_auto(settings)
            || settings->keys[BIGTCP_KEY_MODE].rejected);
}

bool
bigtcp_settings_is_auto(const struct bigtcp_settings *settings)
{
    return bigtcp_settings_get(settings, BIGTCP_KEY_MODE, UINT32_MAX)
           == BIGTCP_MODE_AUTO;
}

bool
bigtcp_settings_is_off(const struct bigtcp_settings *settings)
{
    return bigtcp_settings_get(settings, BIGTCP_KEY_MODE, UINT32_MAX)
           == BIGTCP_MODE_OFF;
}

/* Returns the value of 'key' in 'settings', 'default_value' if it has none. */
uint32_t
bigtcp_settings_get(const struct bigtcp_settings *settings,
                    int key, uint32_t default_value)
{
    return (settings->keys[key].valid ? settings->keys[key].value
            : default_value);
}

void
bigtcp_request_init(struct bigtcp_request *request)
{
    memset(request, 0, sizeof *request);
    request->enforce = true;
}

/* Adds to 'request' what 'settings' ask for: of several ports that share a
 * device, the largest value of each attribute wins, and so does one that asks
 * for 'bigtcp=auto', for 'bigtcp_mixed=true' or for
 * 'bigtcp_enforce=false'. */
void
bigtcp_request_add(struct bigtcp_request *request,
                   const struct bigtcp_settings *settings)
{
    BIGTCP_FOR_EACH_ATTR (attr) {
        const struct bigtcp_setting *key = &settings->keys[attr];

        if (key->valid) {
            if (!bigtcp_sizes_has(&request->asked, attr)
                || key->value > request->asked.value[attr]) {
                bigtcp_sizes_set(&request->asked, attr, key->value);
            }
        } else if (key->rejected) {
            request->held |= 1u << attr;
        }
    }
    request->held &= ~request->asked.present;
    if (bigtcp_settings_is_auto(settings)) {
        request->is_auto = true;
    }
    if (settings->keys[BIGTCP_KEY_MODE].rejected) {
        request->rejected = true;
    }
    if (settings->keys[BIGTCP_KEY_MIXED].valid) {
        if (settings->keys[BIGTCP_KEY_MIXED].value) {
            request->mixed = true;
        } else {
            request->not_mixed = true;
        }
    }
    if (!bigtcp_settings_get(settings, BIGTCP_KEY_ENFORCE, true)) {
        request->enforce = false;
    }
}

/* Returns true if 'request' asks for nothing. */
bool
bigtcp_request_is_empty(const struct bigtcp_request *request)
{
    return (!request->asked.present && !request->held && !request->is_auto
            && !request->rejected);
}
