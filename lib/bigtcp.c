/* SPDX-License-Identifier: Apache-2.0 */

/* BIG TCP policy: pure functions over plain structures.  lib/bigtcp-port.c
 * keeps the state and does the I/O. */

#include <config.h>

#include "bigtcp.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "bigtcp-report.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/util.h"
#include "smap.h"
#include "util.h"

static const char *attr_names[BIGTCP_N_ATTRS] = {
#define BIGTCP_ATTR(ENUM, NAME) [BIGTCP_##ENUM] = #NAME,
    BIGTCP_ATTRS
#undef BIGTCP_ATTR
};

/* The IPv4 attribute that the kernel sets along with 'attr' when 'attr' is
 * set to BIGTCP_LEGACY_SIZE or less, or BIGTCP_N_ATTRS
 * (netif_set_gso_max_size(), netif_set_gro_max_size()). */
static enum bigtcp_attr
ipv4_companion(enum bigtcp_attr attr)
{
    return (attr == BIGTCP_GSO_MAX_SIZE ? BIGTCP_GSO_IPV4_MAX_SIZE
            : attr == BIGTCP_GRO_MAX_SIZE ? BIGTCP_GRO_IPV4_MAX_SIZE
            : BIGTCP_N_ATTRS);
}

static bool
is_gso_size(enum bigtcp_attr attr)
{
    return attr == BIGTCP_GSO_MAX_SIZE || attr == BIGTCP_GSO_IPV4_MAX_SIZE;
}

static bool
is_gro_size(enum bigtcp_attr attr)
{
    return attr == BIGTCP_GRO_MAX_SIZE || attr == BIGTCP_GRO_IPV4_MAX_SIZE;
}

/* Returns the kernel's name of 'attr', e.g. "gso_max_size". */
const char *
bigtcp_attr_to_string(enum bigtcp_attr attr)
{
    return attr_names[attr];
}

/* Stores the attribute called 'name' in '*attr'.  Returns false if there is
 * none. */
bool
bigtcp_attr_from_string(const char *name, enum bigtcp_attr *attr)
{
    BIGTCP_FOR_EACH_ATTR (i) {
        if (!strcmp(name, attr_names[i])) {
            *attr = i;
            return true;
        }
    }
    return false;
}

/* Returns true if 'a' and 'b' have the same attributes and values. */
bool
bigtcp_sizes_equal(const struct bigtcp_sizes *a, const struct bigtcp_sizes *b)
{
    if (a->present != b->present) {
        return false;
    }
    BIGTCP_FOR_EACH_ATTR (attr) {
        if (bigtcp_sizes_has(a, attr) && a->value[attr] != b->value[attr]) {
            return false;
        }
    }
    return true;
}

/* Appends 'value' to 'ds' in decimal.  Where there are thousands of devices
 * with some numbers each, ds_put_format() takes most of the time. */
void
bigtcp_put_uint(struct ds *ds, uint32_t value)
{
    char digits[10];
    size_t n = 0;

    do {
        digits[sizeof digits - ++n] = '0' + value % 10;
        value /= 10;
    } while (value);
    ds_put_buffer(ds, &digits[sizeof digits - n], n);
}

/* Appends 'sizes' to 'ds' as "name=value" pairs separated by a space. */
void
bigtcp_sizes_format(const struct bigtcp_sizes *sizes, struct ds *ds)
{
    const char *separator = "";

    BIGTCP_FOR_EACH_ATTR (attr) {
        if (bigtcp_sizes_has(sizes, attr)) {
            ds_put_cstr(ds, separator);
            ds_put_cstr(ds, attr_names[attr]);
            ds_put_char(ds, '=');
            bigtcp_put_uint(ds, sizes->value[attr]);
            separator = " ";
        }
    }
}

/* Parses what bigtcp_sizes_format() wrote into 'sizes'.  Pairs with an
 * unknown name are passed over.  Returns false, with 'sizes' empty, if 's' is
 * anything else. */
bool
bigtcp_sizes_parse(struct bigtcp_sizes *sizes, const char *s)
{
    char *copy = xstrdup(s);
    char *save_ptr = NULL;
    bool ok = true;

    memset(sizes, 0, sizeof *sizes);
    for (char *pair = strtok_r(copy, " ", &save_ptr); pair;
         pair = strtok_r(NULL, " ", &save_ptr)) {
        char *value = strchr(pair, '=');
        enum bigtcp_attr attr;
        unsigned int number;

        if (!value) {
            ok = false;
            break;
        }
        *value++ = '\0';
        if (!str_to_uint(value, 10, &number)) {
            ok = false;
            break;
        }
        if (bigtcp_attr_from_string(pair, &attr)) {
            bigtcp_sizes_set(sizes, attr, number);
        }
    }
    if (!ok) {
        memset(sizes, 0, sizeof *sizes);
    }
    free(copy);
    return ok;
}

/* Returns the largest GSO size, in bytes, that the kernel lets 'link' have.
 * A kernel that reports no tso_max_size (before 5.19) accepts more than the
 * driver can take, but nothing above BIGTCP_LEGACY_SIZE makes sense there. */
uint32_t
bigtcp_link_ceiling(const struct bigtcp_link *link)
{
    return (bigtcp_sizes_has(&link->sizes, BIGTCP_TSO_MAX_SIZE)
            ? link->sizes.value[BIGTCP_TSO_MAX_SIZE]
            : BIGTCP_LEGACY_SIZE);
}

/* Returns true if 'link' is that of an internal port. */
bool
bigtcp_link_is_internal(const struct bigtcp_link *link)
{
    return !strcmp(link->kind, BIGTCP_KIND_INTERNAL);
}

/* Returns true if the kernel says the same in 'a' and 'b'. */
bool
bigtcp_link_equal(const struct bigtcp_link *a, const struct bigtcp_link *b)
{
    return (a->ifindex == b->ifindex
            && a->netnsid == b->netnsid
            && a->settable == b->settable
            && !strcmp(a->kind, b->kind)
            && !strcmp(a->qdisc, b->qdisc)
            && a->tso_max_segs == b->tso_max_segs
            && a->tso_off == b->tso_off
            && a->lro_on == b->lro_on
            && a->carries == b->carries
            && bigtcp_sizes_equal(&a->sizes, &b->sizes));
}

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
    return key < BIGTCP_N_ATTRS ? attr_names[key] : key_classes[key].name;
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

/* Returns the ceiling, in bytes, that 'request' lets the device with 'link'
 * have, which had 'original': the one that it has unless it can be set. */
static uint32_t
wanted_ceiling(const struct bigtcp_request *request,
               const struct bigtcp_link *link,
               const struct bigtcp_sizes *original)
{
    const enum bigtcp_attr attr = BIGTCP_TSO_MAX_SIZE;

    if (link->settable) {
        if (bigtcp_sizes_has(&request->asked, attr)) {
            return MIN(request->asked.value[attr], BIGTCP_MAX_SIZE);
        } else if (bigtcp_sizes_has(original, attr)
                   && !(request->held & (1u << attr))) {
            return original->value[attr];
        }
    }
    return bigtcp_link_ceiling(link);
}

/* Returns the largest GSO size, in bytes, that makes sense for the device with
 * 'link' and 'original' if 'request' is granted.  Where the kernel reports no
 * ceiling, the driver's limit shows only in what the device started with. */
static uint32_t
device_ceiling(const struct bigtcp_request *request,
               const struct bigtcp_link *link,
               const struct bigtcp_sizes *original)
{
    uint32_t ceiling = wanted_ceiling(request, link, original);

    if (!bigtcp_sizes_has(&link->sizes, BIGTCP_TSO_MAX_SIZE)) {
        const struct bigtcp_sizes *start
            = (bigtcp_sizes_has(original, BIGTCP_GSO_MAX_SIZE)
               ? original : &link->sizes);

        ceiling = MIN(ceiling, start->value[BIGTCP_GSO_MAX_SIZE]);
    }
    return link->carries ? MIN(ceiling, link->carries) : ceiling;
}

/* The value that 'asked' for 'attr' comes to under 'ceiling'. */
static uint32_t
clamp(enum bigtcp_attr attr, uint32_t asked, const struct bigtcp_link *link,
      uint32_t ceiling)
{
    uint32_t limit = (is_gso_size(attr) ? ceiling
                      : attr == BIGTCP_GSO_MAX_SEGS ? link->tso_max_segs
                      : BIGTCP_MAX_SIZE);

    return MIN(asked, limit);
}

/* Adds to 'report' what became of 'asked' for 'attr' of 'request', which is
 * 'got'. */
static void
report_clamp(enum bigtcp_attr attr, uint32_t asked, uint32_t got,
             const struct bigtcp_request *request,
             const struct bigtcp_link *link, struct bigtcp_report *report)
{
    const char *name = attr_names[attr];

    if (asked == BIGTCP_VALUE_MAX || got == asked) {
        return;
    }
    if (attr == BIGTCP_GSO_MAX_SEGS) {
        bigtcp_report_add(report, BIGTCP_STATE_CLAMPED,
                          "%s %"PRIu32" asked, %"PRIu32" is the device's "
                          "ceiling (tso_max_segs)", name, asked, got);
    } else if (link->carries && got == link->carries) {
        bigtcp_report_add(report, BIGTCP_STATE_CLAMPED,
                          "%s %"PRIu32" asked, %"PRIu32" is what this "
                          "kernel's %s carries", name, asked, got,
                          link->kind);
    } else if (bigtcp_sizes_has(&request->asked, BIGTCP_TSO_MAX_SIZE)
               && got == request->asked.value[BIGTCP_TSO_MAX_SIZE]) {
        bigtcp_report_add(report, BIGTCP_STATE_CLAMPED,
                          "%s %"PRIu32" asked, other_config:tso_max_size "
                          "caps it at %"PRIu32, name, asked, got);
    } else {
        bigtcp_report_add(report, BIGTCP_STATE_CLAMPED,
                          "%s %"PRIu32" asked, %"PRIu32" is the device's "
                          "ceiling (tso_max_size)%s", name, asked, got,
                          (!bigtcp_link_is_internal(link) ? "" : link->settable
                           ? ", which other_config:tso_max_size raises"
                           : ", which kernel module openvswitch_bigtcp "
                             "raises"));
    }
}

/* Adds to 'report' what becomes of the ceiling of the device with 'link' and
 * 'original' if 'request' is about it, but it cannot be set. */
static void
report_ceiling(const struct bigtcp_request *request,
               const struct bigtcp_link *link,
               const struct bigtcp_sizes *original,
               struct bigtcp_report *report)
{
    const enum bigtcp_attr attr = BIGTCP_TSO_MAX_SIZE;
    uint32_t ceiling = device_ceiling(request, link, original);

    if (link->settable) {
        return;
    } else if (bigtcp_sizes_has(&request->asked, attr)) {
        uint32_t asked = request->asked.value[attr];

        if (asked > ceiling) {
            report_clamp(attr, asked, ceiling, request, link, report);
        } else if (asked < ceiling) {
            bigtcp_report_add(report, BIGTCP_STATE_APPLIED,
                              "tso_max_size stays %"PRIu32", which %s can "
                              "set: %"PRIu32" caps the GSO sizes", ceiling,
                              (bigtcp_link_is_internal(link)
                               ? "only kernel module openvswitch_bigtcp"
                               : "nothing here"), asked);
        }
    } else if (bigtcp_sizes_has(original, attr)
               && original->value[attr] != bigtcp_link_ceiling(link)) {
        bigtcp_report_add(report, BIGTCP_STATE_UNSUPPORTED,
                          "tso_max_size was %"PRIu32", which only kernel "
                          "module openvswitch_bigtcp can give back",
                          original->value[attr]);
    }
}

/* Returns the largest GSO size, in bytes, that 'request' lets the device with
 * 'link' and 'original' have: its ceiling, or tso_max_size where that asks for
 * less. */
uint32_t
bigtcp_gso_cap(const struct bigtcp_request *request,
               const struct bigtcp_link *link,
               const struct bigtcp_sizes *original)
{
    uint32_t cap = device_ceiling(request, link, original);

    return (bigtcp_sizes_has(&request->asked, BIGTCP_TSO_MAX_SIZE)
            ? MIN(cap, request->asked.value[BIGTCP_TSO_MAX_SIZE]) : cap);
}

/* Adds to 'report' what of the device 'link' itself, other than its sizes,
 * keeps it from sending or receiving 'wanted' whole. */
static void
report_device(const struct bigtcp_link *link,
              const struct bigtcp_sizes *wanted,
              struct bigtcp_report *report)
{
    /* They have segmented packets above some size of theirs (tbf), by default
     * at low rates (cake, dualpi2), or to corrupt single segments (netem). */
    static const char *const qdiscs[] = { "tbf", "cake", "dualpi2", "netem" };
    struct bigtcp_facts facts = { .name = NULL };

    if (bigtcp_sizes_is_big(wanted, BIGTCP_GSO_MAX_SIZE)
        || bigtcp_sizes_is_big(wanted, BIGTCP_GSO_IPV4_MAX_SIZE)) {
        if (link->tso_off) {
            facts.cause = BIGTCP_CAUSE_TSO_OFF;
            bigtcp_report_add_facts(report, BIGTCP_STATE_APPLIED, &facts,
                                    "TSO is off: the kernel segments what the "
                                    "device sends");
        }
        for (size_t i = 0; i < ARRAY_SIZE(qdiscs); i++) {
            if (!strcmp(link->qdisc, qdiscs[i])) {
                facts.cause = BIGTCP_CAUSE_QDISC_SEGMENTS;
                facts.name = link->qdisc;
                bigtcp_report_add_facts(report, BIGTCP_STATE_APPLIED, &facts,
                                        "qdisc %s can segment what the device "
                                        "sends", link->qdisc);
                facts.name = NULL;
            }
        }
    }
    if (link->lro_on) {
        facts.cause = BIGTCP_CAUSE_LRO_ON;
        bigtcp_report_add_facts(report, BIGTCP_STATE_APPLIED, &facts,
                                "LRO is on: what it merges cannot be "
                                "forwarded (turn it off, GRO does the same)");
    }
}

/* Decides what the device that the kernel describes by 'link' should have.
 *
 * 'original' holds, for each attribute that this process or an earlier one
 * changed, the value from before the first change.
 *
 * Stores in 'wanted' a value for each attribute of 'link', for the ceiling
 * only if it can be set: what 'request' asks for within the device's ceiling;
 * for what is not asked, the original value if it was changed, else the live
 * one.
 * Adds to 'report' what of the request cannot be had, and why.  If the ceiling
 * cannot be set, tso_max_size caps the GSO sizes where it is below. */
void
bigtcp_decide(const struct bigtcp_request *request,
              const struct bigtcp_link *link,
              const struct bigtcp_sizes *original,
              struct bigtcp_sizes *wanted, struct bigtcp_report *report)
{
    const struct bigtcp_sizes *asked = &request->asked;
    uint32_t cap = bigtcp_gso_cap(request, link, original);

    memset(wanted, 0, sizeof *wanted);
    report_ceiling(request, link, original, report);

    BIGTCP_FOR_EACH_ATTR (attr) {
        bool has = bigtcp_sizes_has(&link->sizes, attr);
        bool is_asked = bigtcp_sizes_has(asked, attr);
        uint32_t live = link->sizes.value[attr];
        uint32_t value;

        if (attr == BIGTCP_TSO_MAX_SIZE) {
            if (link->settable) {
                bigtcp_sizes_set(wanted, attr,
                                 wanted_ceiling(request, link, original));
            }
            continue;
        }
        if (!has) {
            if (is_asked) {
                bigtcp_report_add(report, BIGTCP_STATE_UNSUPPORTED,
                                  "this kernel has no %s", attr_names[attr]);
            }
            continue;
        }

        if (is_asked) {
            value = clamp(attr, asked->value[attr], link, cap);
            report_clamp(attr, asked->value[attr], value, request, link,
                         report);
            if (is_gro_size(attr) && bigtcp_link_is_internal(link)) {
                bigtcp_report_add(report, BIGTCP_STATE_APPLIED,
                                  "%s has no effect on an internal port, "
                                  "which receives without GRO",
                                  attr_names[attr]);
            }
        } else if (request->held & (1u << attr)) {
            value = live;
        } else if (bigtcp_sizes_has(original, attr)) {
            value = clamp(attr, original->value[attr], link, cap);
        } else if (is_gso_size(attr)) {
            value = MIN(live, cap);
        } else {
            value = live;
        }
        bigtcp_sizes_set(wanted, attr, value);
    }

    /* As in the kernel, an IPv6 size up to 64 kB is the IPv4 one as well
     * unless that has a value of its own. */
    BIGTCP_FOR_EACH_ATTR (attr) {
        enum bigtcp_attr ipv4 = ipv4_companion(attr);

        if (ipv4 != BIGTCP_N_ATTRS
            && bigtcp_sizes_has(wanted, attr)
            && bigtcp_sizes_has(wanted, ipv4)
            && bigtcp_sizes_has(asked, attr)
            && !bigtcp_sizes_has(asked, ipv4)
            && !(request->held & (1u << ipv4))
            && wanted->value[attr] <= BIGTCP_LEGACY_SIZE) {
            bigtcp_sizes_set(wanted, ipv4, wanted->value[attr]);
        }
    }
    report_device(link, wanted, report);
}

/* Stores in 'change' what to send so that a device with sizes 'live' gets
 * 'wanted', nothing if it has them.  An IPv4 size goes along, changed or not,
 * with an IPv6 one that would set it too. */
void
bigtcp_diff(const struct bigtcp_sizes *wanted,
            const struct bigtcp_sizes *live, struct bigtcp_sizes *change)
{
    memset(change, 0, sizeof *change);
    BIGTCP_FOR_EACH_ATTR (attr) {
        if (bigtcp_sizes_has(wanted, attr)
            && wanted->value[attr] != live->value[attr]) {
            enum bigtcp_attr ipv4 = ipv4_companion(attr);

            bigtcp_sizes_set(change, attr, wanted->value[attr]);
            if (ipv4 != BIGTCP_N_ATTRS && bigtcp_sizes_has(wanted, ipv4)
                && wanted->value[attr] <= BIGTCP_LEGACY_SIZE) {
                bigtcp_sizes_set(change, ipv4, wanted->value[ipv4]);
            }
        }
    }
}
