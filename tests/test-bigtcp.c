/* SPDX-License-Identifier: Apache-2.0 */

/* Unit tests of settings, of the policy for one device, of the record of
 * original sizes, of log lines, and of the messages of rtnetlink and of
 * lib/bigtcp/genl.c. */

#include <config.h>
#undef NDEBUG
#include "bigtcp/policy.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_mirred.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bigtcp/genl.h"
#include "bigtcp/hazards.h"
#include "bigtcp/news.h"
#include "bigtcp/nl.h"
#include "bigtcp/originals.h"
#include "bigtcp/report.h"
#include "bigtcp/rtnl-msg.h"
#include "bigtcp/tc.h"
#include "command-line.h"
#include "netlink.h"
#include "netnsid.h"
#include "openvswitch/ofpbuf.h"
#include "ovstest.h"
#include "random.h"
#include "smap.h"
#include "svec.h"
#include "util.h"

/* Texts of keys. */

static void
check_value(enum bigtcp_attr attr, const char *text, int64_t expected)
{
    uint32_t value = 7;
    bool ok = bigtcp_value_parse(attr, text, &value);

    if (ok != (expected >= 0) || value != (ok ? expected : 7)) {
        ovs_fatal(0, "%s=\"%s\": got %d, %"PRIu32,
                  bigtcp_attr_to_string(attr), text, ok, value);
    }
}

static void
test_parse(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        const char *text;
        int64_t size;           /* As a size, -1 if bad. */
        int64_t segs;           /* As a number of segments. */
    } cases[] = {
        { "65536", 65536, -1 },
        { "65535", 65535, 65535 },
        { "524280", 524280, -1 },
        { "524281", -1, -1 },
        { "512", 512, 512 },
        { "511", -1, 511 },
        { "321", -1, 321 },
        { "1", -1, 1 },
        { "0", -1, -1 },
        { "-1", -1, -1 },
        { "+65535", -1, -1 },
        { "max", BIGTCP_VALUE_MAX, -1 },
        { "MAX", -1, -1 },
        { "max ", -1, -1 },
        { "", -1, -1 },
        { " ", -1, -1 },
        { " 65535", -1, -1 },
        { "65535 ", -1, -1 },
        { "\t65535", -1, -1 },
        { "abc", -1, -1 },
        { "65535a", -1, -1 },
        { "65535.5", -1, -1 },
        { "0xffff", -1, -1 },
        { "6e4", -1, -1 },
        { "65,535", -1, -1 },
        { "4294967295", -1, -1 },
        { "4294967296", -1, -1 },
        { "4295032832", -1, -1 }, /* 2**32 + 65536. */
        { "18446744073709617152", -1, -1 }, /* 2**64 + 65536. */
        { "99999999999999999999", -1, -1 },
        { "0065535", 65535, 65535 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        BIGTCP_FOR_EACH_ATTR (attr) {
            check_value(attr, cases[i].text,
                        (attr == BIGTCP_GSO_MAX_SEGS
                         ? cases[i].segs : cases[i].size));
        }
    }
}

static void
test_settings(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct bigtcp_settings settings;
    const struct bigtcp_setting *key = &settings.keys[BIGTCP_GSO_MAX_SIZE];
    struct smap smap = SMAP_INITIALIZER(&smap);
    struct ds ds = DS_EMPTY_INITIALIZER;
    uint32_t rejected;

    bigtcp_settings_init(&settings);
    ovs_assert(bigtcp_settings_is_empty(&settings));
    ovs_assert(!bigtcp_settings_parse(&settings, &smap, BIGTCP_ROW_INTERFACE,
                                      &rejected));

    /* A good value. */
    smap_add(&smap, "gso_max_size", "100000");
    smap_add(&smap, "unrelated", "abc");
    ovs_assert(bigtcp_settings_parse(&settings, &smap, BIGTCP_ROW_INTERFACE,
                                     &rejected));
    ovs_assert(!rejected && key->valid && key->value == 100000);
    ovs_assert(!bigtcp_settings_parse(&settings, &smap, BIGTCP_ROW_INTERFACE,
                                      &rejected));

    /* A bad one leaves it in force, and is told once. */
    smap_replace(&smap, "gso_max_size", "abc");
    ovs_assert(bigtcp_settings_parse(&settings, &smap, BIGTCP_ROW_INTERFACE,
                                     &rejected));
    ovs_assert(rejected == 1u << BIGTCP_GSO_MAX_SIZE);
    ovs_assert(key->valid && key->value == 100000
               && !strcmp(key->rejected, "abc"));
    ovs_assert(!bigtcp_settings_parse(&settings, &smap, BIGTCP_ROW_INTERFACE,
                                      &rejected));
    ovs_assert(!rejected);
    bigtcp_value_explain(BIGTCP_GSO_MAX_SIZE, key->rejected, &ds);
    ovs_assert(!strcmp(ds_cstr(&ds), "gso_max_size=\"abc\" is not valid "
                       "(512 to 524280 bytes, or max), ignored"));

    /* Another bad one is told again. */
    smap_replace(&smap, "gso_max_size", "1");
    ovs_assert(bigtcp_settings_parse(&settings, &smap, BIGTCP_ROW_INTERFACE,
                                     &rejected));
    ovs_assert(rejected == 1u << BIGTCP_GSO_MAX_SIZE);

    /* Mended. */
    smap_replace(&smap, "gso_max_size", "max");
    ovs_assert(bigtcp_settings_parse(&settings, &smap, BIGTCP_ROW_INTERFACE,
                                     &rejected));
    ovs_assert(!rejected && !key->rejected && key->value == BIGTCP_VALUE_MAX);

    /* Gone. */
    smap_clear(&smap);
    ovs_assert(bigtcp_settings_parse(&settings, &smap, BIGTCP_ROW_INTERFACE,
                                     &rejected));
    ovs_assert(bigtcp_settings_is_empty(&settings));

    ds_destroy(&ds);
    smap_destroy(&smap);
    bigtcp_settings_destroy(&settings);
}

/* Decisions. */

/* Parses "name=value ..." that may have "max" as a value. */
static void
parse_request(struct bigtcp_request *request, const char *s)
{
    struct smap smap = SMAP_INITIALIZER(&smap);
    struct bigtcp_settings settings;
    char *copy = xstrdup(s);
    char *save_ptr = NULL;
    uint32_t rejected;

    for (char *pair = strtok_r(copy, " ", &save_ptr); pair;
         pair = strtok_r(NULL, " ", &save_ptr)) {
        char *value = strchr(pair, '=');

        *value++ = '\0';
        smap_add(&smap, pair, value);
    }
    bigtcp_settings_init(&settings);
    bigtcp_settings_parse(&settings, &smap, BIGTCP_ROW_INTERFACE, &rejected);
    bigtcp_request_init(request);
    bigtcp_request_add(request, &settings);
    bigtcp_settings_destroy(&settings);
    smap_destroy(&smap);
    free(copy);
}

#define NEW_DEVICE "gso_max_size=65536 gso_ipv4_max_size=65536 " \
                   "gso_max_segs=65535 gro_max_size=65536 " \
                   "gro_ipv4_max_size=65536"

struct decision {
    const char *what;           /* What the case is about. */
    const char *kind;           /* Of the link. */
    const char *live;           /* Sizes of the link. */
    const char *original;       /* Originals, NULL for none. */
    const char *asked;          /* Keys. */
    const char *change;         /* Expected message. */
    enum bigtcp_state state;    /* Expected state. */
    const char *reason;         /* Part of the reason, NULL for no reason. */
};

static const struct decision decisions[] = {
    { "nothing asked", "", "tso_max_size=524280 " NEW_DEVICE, NULL,
      "", "", BIGTCP_STATE_APPLIED, NULL },
    { "IPv6 size leaves IPv4 alone", "veth",
      "tso_max_size=524280 " NEW_DEVICE, NULL,
      "gso_max_size=524280", "gso_max_size=524280",
      BIGTCP_STATE_APPLIED, NULL },
    { "both families, one message", "veth",
      "tso_max_size=524280 " NEW_DEVICE, NULL,
      "gso_max_size=524280 gso_ipv4_max_size=150000",
      "gso_max_size=524280 gso_ipv4_max_size=150000",
      BIGTCP_STATE_APPLIED, NULL },
    { "IPv6 size up to 64 kB is the IPv4 one too", "veth",
      "tso_max_size=524280 " NEW_DEVICE, NULL,
      "gso_max_size=30000", "gso_max_size=30000 gso_ipv4_max_size=30000",
      BIGTCP_STATE_APPLIED, NULL },
    { "unless that has its own", "veth",
      "tso_max_size=524280 " NEW_DEVICE, NULL,
      "gso_max_size=30000 gso_ipv4_max_size=150000",
      "gso_max_size=30000 gso_ipv4_max_size=150000",
      BIGTCP_STATE_APPLIED, NULL },
    { "IPv6 at 64 kB does not reset IPv4", "veth",
      "tso_max_size=524280 gso_max_size=200000 gso_ipv4_max_size=65536",
      "gso_max_size=65536",
      "gso_max_size=65536 gso_ipv4_max_size=150000",
      "gso_max_size=65536 gso_ipv4_max_size=150000",
      BIGTCP_STATE_APPLIED, NULL },
    { "already there", "veth",
      "tso_max_size=524280 gso_max_size=524280", NULL,
      "gso_max_size=524280", "", BIGTCP_STATE_APPLIED, NULL },
    { "clamped to a stock internal port", "openvswitch",
      "tso_max_size=65536 " NEW_DEVICE, NULL,
      "gso_max_size=524280", "", BIGTCP_STATE_CLAMPED,
      "gso_max_size 524280 asked, 65536 is the device's ceiling "
      "(tso_max_size), which kernel module openvswitch_bigtcp raises" },
    { "clamped to ice", "",
      "tso_max_size=131072 " NEW_DEVICE, NULL,
      "gso_max_size=196608", "gso_max_size=131072", BIGTCP_STATE_CLAMPED,
      "gso_max_size 196608 asked, 131072 is the device's ceiling" },
    { "clamped below 64 kB sets IPv4 too", "",
      "tso_max_size=16384 gso_max_size=16000 gso_ipv4_max_size=16000", NULL,
      "gso_max_size=65536", "gso_max_size=16384 gso_ipv4_max_size=16384",
      BIGTCP_STATE_CLAMPED, "16384 is the device's ceiling" },
    { "max is the ceiling", "",
      "tso_max_size=131072 " NEW_DEVICE, NULL,
      "gso_max_size=max gso_ipv4_max_size=max",
      "gso_max_size=131072 gso_ipv4_max_size=131072",
      BIGTCP_STATE_APPLIED, NULL },
    { "GRO is not bounded by the TSO ceiling", "",
      "tso_max_size=65536 " NEW_DEVICE, NULL,
      "gro_max_size=max gro_ipv4_max_size=200000",
      "gro_max_size=524280 gro_ipv4_max_size=200000",
      BIGTCP_STATE_APPLIED, NULL },
    { "GRO up to 64 kB is for IPv4 too", "",
      "tso_max_size=65536 gro_max_size=65536 gro_ipv4_max_size=200000", NULL,
      "gro_max_size=30000", "gro_max_size=30000 gro_ipv4_max_size=30000",
      BIGTCP_STATE_APPLIED, NULL },
    { "GRO on an internal port", "openvswitch",
      "tso_max_size=65536 " NEW_DEVICE, NULL,
      "gro_max_size=200000", "gro_max_size=200000",
      BIGTCP_STATE_APPLIED, "gro_max_size has no effect on an internal" },
    { "segments", "", "tso_max_size=524280 " NEW_DEVICE, NULL,
      "gso_max_segs=100", "gso_max_segs=100", BIGTCP_STATE_APPLIED, NULL },
    { "tso_max_size caps", "", "tso_max_size=524280 " NEW_DEVICE, NULL,
      "tso_max_size=100000 gso_max_size=200000 gso_ipv4_max_size=max",
      "gso_max_size=100000 gso_ipv4_max_size=100000",
      BIGTCP_STATE_CLAMPED,
      "gso_max_size 200000 asked, other_config:tso_max_size caps it at "
      "100000" },
    { "tso_max_size alone caps what is there", "",
      "tso_max_size=524280 gso_max_size=200000 gso_ipv4_max_size=65536",
      NULL, "tso_max_size=100000", "gso_max_size=100000",
      BIGTCP_STATE_APPLIED, "100000 caps the GSO sizes" },
    { "tso_max_size above the ceiling", "openvswitch",
      "tso_max_size=65536 " NEW_DEVICE, NULL,
      "tso_max_size=524280", "", BIGTCP_STATE_CLAMPED,
      "tso_max_size 524280 asked, 65536 is the device's ceiling" },
    { "tso_max_size=max asks for nothing", "openvswitch",
      "tso_max_size=65536 " NEW_DEVICE, NULL,
      "tso_max_size=max", "", BIGTCP_STATE_APPLIED, NULL },
    { "tso_max_size without the module", "openvswitch",
      "tso_max_size=524280 " NEW_DEVICE, NULL,
      "tso_max_size=100000", "", BIGTCP_STATE_APPLIED,
      "tso_max_size stays 524280, which only kernel module "
      "openvswitch_bigtcp can set: 100000 caps the GSO sizes" },
    { "restore a ceiling without the module", "openvswitch",
      "tso_max_size=100000 gso_max_size=100000 gso_ipv4_max_size=30000",
      "tso_max_size=524280 gso_max_size=200000", "", "",
      BIGTCP_STATE_UNSUPPORTED,
      "tso_max_size was 524280, which only kernel module "
      "openvswitch_bigtcp can give back" },
    { "kernel before 6.3", "",
      "tso_max_size=524280 gso_max_size=65536 gso_max_segs=65535 "
      "gro_max_size=65536", NULL,
      "gso_max_size=524280 gso_ipv4_max_size=524280", "gso_max_size=524280",
      BIGTCP_STATE_UNSUPPORTED, "this kernel has no gso_ipv4_max_size" },
    { "kernel before 5.19 keeps the driver's limit", "",
      "gso_max_size=32000 gso_max_segs=65535", NULL,
      "gso_max_size=65536", "", BIGTCP_STATE_CLAMPED, "32000" },
    { "kernel before 5.19, lowered before", "",
      "gso_max_size=20000 gso_max_segs=65535", "gso_max_size=32000",
      "gso_max_size=65536", "gso_max_size=32000", BIGTCP_STATE_CLAMPED,
      "32000" },
    { "restore", "", "tso_max_size=524280 gso_max_size=524280 "
      "gso_ipv4_max_size=524280 gso_max_segs=100 gro_max_size=65536 "
      "gro_ipv4_max_size=65536",
      "gso_max_size=65536 gso_ipv4_max_size=30000 gso_max_segs=65535", "",
      "gso_max_size=65536 gso_ipv4_max_size=30000 gso_max_segs=65535",
      BIGTCP_STATE_APPLIED, NULL },
    { "restore one of two", "", "tso_max_size=524280 gso_max_size=524280 "
      "gso_ipv4_max_size=524280",
      "gso_max_size=65536 gso_ipv4_max_size=65536",
      "gso_max_size=524280", "gso_ipv4_max_size=65536",
      BIGTCP_STATE_APPLIED, NULL },
    { "restore under a ceiling that fell", "",
      "tso_max_size=20000 gso_max_size=10000 gso_ipv4_max_size=10000",
      "gso_max_size=65536", "",
      "gso_max_size=20000 gso_ipv4_max_size=10000",
      BIGTCP_STATE_APPLIED, NULL },
    { "ceiling came back", "",
      "tso_max_size=524280 gso_max_size=65536 gso_ipv4_max_size=65536",
      "gso_max_size=65536", "gso_max_size=524280", "gso_max_size=524280",
      BIGTCP_STATE_APPLIED, NULL },
    { "what nobody asked for is left alone", "",
      "tso_max_size=524280 gso_max_size=65536 gso_ipv4_max_size=65536 "
      "gro_max_size=12345 gro_ipv4_max_size=23456", NULL,
      "gso_max_size=200000", "gso_max_size=200000",
      BIGTCP_STATE_APPLIED, NULL },
    { "bad value without an earlier one holds", "",
      "tso_max_size=524280 gso_max_size=200000", "gso_max_size=65536",
      "gso_max_size=abc", "", BIGTCP_STATE_APPLIED, NULL },
    { "a bad IPv4 value is not set along with IPv6", "",
      "tso_max_size=524280 " NEW_DEVICE, NULL,
      "gso_max_size=30000 gso_ipv4_max_size=abc",
      "gso_max_size=30000 gso_ipv4_max_size=65536",
      BIGTCP_STATE_APPLIED, NULL },
};

/* Of an internal port whose ceiling can be set. */
static const struct decision settable_decisions[] = {
    { "ceiling raised, and sizes with it", "openvswitch",
      "tso_max_size=65536 " NEW_DEVICE, NULL,
      "tso_max_size=300000 gso_max_size=max gso_ipv4_max_size=200000",
      "tso_max_size=300000 gso_max_size=300000 gso_ipv4_max_size=200000",
      BIGTCP_STATE_APPLIED, NULL },
    { "ceiling raised, nothing else", "openvswitch",
      "tso_max_size=65536 " NEW_DEVICE, NULL,
      "tso_max_size=max", "tso_max_size=524280",
      BIGTCP_STATE_APPLIED, NULL },
    { "ceiling lowered takes sizes down", "openvswitch",
      "tso_max_size=524280 gso_max_size=200000 gso_ipv4_max_size=65536", NULL,
      "tso_max_size=100000", "tso_max_size=100000 gso_max_size=100000",
      BIGTCP_STATE_APPLIED, NULL },
    { "ceiling lowered below what is asked", "openvswitch",
      "tso_max_size=100000 gso_max_size=100000", NULL,
      "tso_max_size=100000 gso_max_size=200000", "",
      BIGTCP_STATE_CLAMPED,
      "gso_max_size 200000 asked, other_config:tso_max_size caps it at "
      "100000" },
    { "ceiling that can be set, but is not asked for", "openvswitch",
      "tso_max_size=65536 " NEW_DEVICE, NULL,
      "gso_max_size=200000", "", BIGTCP_STATE_CLAMPED,
      "65536 is the device's ceiling (tso_max_size), which "
      "other_config:tso_max_size raises" },
    { "restore the ceiling and what it took down", "openvswitch",
      "tso_max_size=100000 gso_max_size=100000 gso_ipv4_max_size=30000",
      "tso_max_size=524280 gso_max_size=200000", "",
      "tso_max_size=524280 gso_max_size=200000",
      BIGTCP_STATE_APPLIED, NULL },
    { "bad ceiling without an earlier one holds", "openvswitch",
      "tso_max_size=100000 gso_max_size=65536", "tso_max_size=524280",
      "tso_max_size=abc gso_max_size=max", "gso_max_size=100000",
      BIGTCP_STATE_APPLIED, NULL },
};

static void
check_decision(const struct decision *d, bool settable)
{
    struct bigtcp_sizes original, wanted, change, expected;
    struct bigtcp_request request;
    struct bigtcp_report report;
    struct bigtcp_link link;
    const char *reason;

    memset(&link, 0, sizeof link);
    link.features = BIGTCP_OFFLOADS_ALL;
    link.tso_max_segs = BIGTCP_MAX_SEGS;
    link.settable = settable;
    ovs_strlcpy(link.kind, d->kind, sizeof link.kind);
    ovs_assert(bigtcp_sizes_parse(&link.sizes, d->live));
    ovs_assert(bigtcp_sizes_parse(&original, d->original ? d->original : ""));
    ovs_assert(bigtcp_sizes_parse(&expected, d->change));
    parse_request(&request, d->asked);

    bigtcp_report_init(&report);
    bigtcp_decide(&request, &link, &original, &wanted, &report);
    bigtcp_diff(&wanted, &link.sizes, &change);

    reason = ds_cstr(&report.reason);
    if (memcmp(&change, &expected, sizeof change)
        || report.state != d->state
        || (d->reason ? !strstr(reason, d->reason) : reason[0] != '\0')) {
        struct ds ds = DS_EMPTY_INITIALIZER;

        bigtcp_sizes_format(&change, &ds);
        ovs_fatal(0, "%s: change \"%s\", state %s, reason \"%s\"", d->what,
                  ds_cstr(&ds), bigtcp_state_to_string(report.state), reason);
    }
    bigtcp_report_destroy(&report);
}

static void
test_decide(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    for (size_t i = 0; i < ARRAY_SIZE(decisions); i++) {
        check_decision(&decisions[i], false);
    }
    for (size_t i = 0; i < ARRAY_SIZE(settable_decisions); i++) {
        check_decision(&settable_decisions[i], true);
    }
}

/* The kernel's way to apply 'change' to 'live': the ceiling first, which takes
 * sizes down with it, then IPv6 sizes. */
static void
kernel_apply(struct bigtcp_sizes *live, const struct bigtcp_sizes *change)
{
    static const enum bigtcp_attr pairs[][2] = {
        { BIGTCP_GSO_MAX_SIZE, BIGTCP_GSO_IPV4_MAX_SIZE },
        { BIGTCP_GRO_MAX_SIZE, BIGTCP_GRO_IPV4_MAX_SIZE },
    };

    if (bigtcp_sizes_has(change, BIGTCP_TSO_MAX_SIZE)) {
        uint32_t ceiling = change->value[BIGTCP_TSO_MAX_SIZE];

        live->value[BIGTCP_TSO_MAX_SIZE] = ceiling;
        for (size_t i = 0; i < 2; i++) {
            uint32_t *size = &live->value[pairs[0][i]];

            *size = MIN(*size, ceiling);
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
        enum bigtcp_attr ipv6 = pairs[i][0];
        enum bigtcp_attr ipv4 = pairs[i][1];

        if (bigtcp_sizes_has(change, ipv6)
            && live->value[ipv6] != change->value[ipv6]) {
            live->value[ipv6] = change->value[ipv6];
            if (change->value[ipv6] <= BIGTCP_LEGACY_SIZE) {
                live->value[ipv4] = change->value[ipv6];
            }
        }
        if (bigtcp_sizes_has(change, ipv4)) {
            live->value[ipv4] = change->value[ipv4];
        }
    }
    if (bigtcp_sizes_has(change, BIGTCP_GSO_MAX_SEGS)) {
        live->value[BIGTCP_GSO_MAX_SEGS] = change->value[BIGTCP_GSO_MAX_SEGS];
    }
}

static uint32_t
random_size(void)
{
    static const uint32_t sizes[] = { 512, 16384, 65535, 65536, 65537,
                                      131072, 196608, 524279, 524280 };

    return (random_range(2) ? sizes[random_range(ARRAY_SIZE(sizes))]
            : 512 + random_range(524280 - 511));
}

/* Whatever is asked of whatever device: nothing above the ceiling, one
 * message is enough, a second decision asks for nothing more, and without
 * keys the device ends as it was. */
static void
test_invariants(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    random_set_seed(1);
    for (int i = 0; i < 100000; i++) {
        struct bigtcp_sizes original, first, wanted, change;
        struct bigtcp_request request;
        struct bigtcp_report report;
        struct bigtcp_link link;
        uint32_t ceiling;

        memset(&link, 0, sizeof link);
        memset(&original, 0, sizeof original);
        bigtcp_request_init(&request);
        bigtcp_report_init(&report);
        link.settable = random_range(2);
        link.features = BIGTCP_OFFLOADS_ALL;
        link.tso_max_segs = 1 + random_range(BIGTCP_MAX_SEGS);
        bigtcp_sizes_set(&link.sizes, BIGTCP_TSO_MAX_SIZE, random_size());
        BIGTCP_FOR_EACH_ATTR (attr) {
            uint32_t size = random_size();
            uint32_t limit
                = (attr == BIGTCP_GSO_MAX_SEGS ? link.tso_max_segs
                   : attr == BIGTCP_GRO_MAX_SIZE
                   || attr == BIGTCP_GRO_IPV4_MAX_SIZE ? BIGTCP_MAX_SIZE
                   : link.sizes.value[BIGTCP_TSO_MAX_SIZE]);

            if (attr != BIGTCP_TSO_MAX_SIZE) {
                bigtcp_sizes_set(&link.sizes, attr, MIN(size, limit));
            }
            if (random_range(2)) {
                bigtcp_sizes_set(&request.asked, attr,
                                 (random_range(4) ? random_size()
                                  : BIGTCP_VALUE_MAX));
            }
        }
        first = link.sizes;

        bigtcp_decide(&request, &link, &original, &wanted, &report);
        ovs_assert(bigtcp_sizes_has(&wanted, BIGTCP_TSO_MAX_SIZE)
                   == link.settable);
        ceiling = (link.settable ? &wanted
                   : &link.sizes)->value[BIGTCP_TSO_MAX_SIZE];
        ovs_assert(ceiling <= BIGTCP_MAX_SIZE);
        ovs_assert(wanted.value[BIGTCP_GSO_MAX_SIZE] <= ceiling);
        ovs_assert(wanted.value[BIGTCP_GSO_IPV4_MAX_SIZE] <= ceiling);
        ovs_assert(wanted.value[BIGTCP_GSO_MAX_SEGS] <= link.tso_max_segs);
        ovs_assert(wanted.value[BIGTCP_GRO_MAX_SIZE] <= BIGTCP_MAX_SIZE);

        bigtcp_diff(&wanted, &link.sizes, &change);
        BIGTCP_FOR_EACH_ATTR (attr) {
            if (bigtcp_sizes_has(&change, attr)) {
                bigtcp_sizes_set(&original, attr, link.sizes.value[attr]);
            }
        }
        kernel_apply(&link.sizes, &change);
        bigtcp_diff(&wanted, &link.sizes, &change);
        ovs_assert(!change.present);

        bigtcp_decide(&request, &link, &original, &wanted, &report);
        bigtcp_diff(&wanted, &link.sizes, &change);
        ovs_assert(!change.present);

        bigtcp_request_init(&request);
        bigtcp_decide(&request, &link, &original, &wanted, &report);
        bigtcp_diff(&wanted, &link.sizes, &change);
        kernel_apply(&link.sizes, &change);
        ovs_assert(!memcmp(&link.sizes, &first, sizeof first));
        bigtcp_report_destroy(&report);
    }
}

static void
test_request(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct bigtcp_request a, b;
    struct bigtcp_settings settings;
    struct smap smap = SMAP_INITIALIZER(&smap);
    uint32_t rejected;

    /* The largest wins, "max" over all, and a good value over a bad one. */
    parse_request(&a, "gso_max_size=100000 gso_max_segs=5 "
                  "gso_ipv4_max_size=abc");
    smap_add(&smap, "gso_max_size", "200000");
    smap_add(&smap, "gso_max_segs", "4");
    smap_add(&smap, "gso_ipv4_max_size", "70000");
    smap_add(&smap, "gro_max_size", "max");
    bigtcp_settings_init(&settings);
    bigtcp_settings_parse(&settings, &smap, BIGTCP_ROW_INTERFACE, &rejected);
    bigtcp_request_add(&a, &settings);
    parse_request(&b, "gso_max_size=200000 gso_max_segs=5 "
                  "gso_ipv4_max_size=70000 gro_max_size=max");
    ovs_assert(!memcmp(&a, &b, sizeof a));

    bigtcp_settings_destroy(&settings);
    smap_destroy(&smap);
}

static void
test_resolve(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct bigtcp_settings rows[BIGTCP_N_ROWS], settings;
    const struct bigtcp_settings *const pointers[BIGTCP_N_ROWS] = {
        &rows[0], &rows[1], &rows[2],
    };
    const struct bigtcp_settings *const no_bridge[BIGTCP_N_ROWS] = {
        &rows[0], NULL, &rows[2],
    };
    const struct bigtcp_setting *size = &settings.keys[BIGTCP_GSO_MAX_SIZE];
    const struct bigtcp_setting *segs = &settings.keys[BIGTCP_GSO_MAX_SEGS];
    static const char *texts[BIGTCP_N_ROWS][2] = {
        [BIGTCP_ROW_INTERFACE] = { "abc", "5" },
        [BIGTCP_ROW_BRIDGE] = { "100000", NULL },
        [BIGTCP_ROW_OPEN_VSWITCH] = { "200000", "0" },
    };

    for (enum bigtcp_row row = 0; row < BIGTCP_N_ROWS; row++) {
        struct smap smap = SMAP_INITIALIZER(&smap);
        uint32_t rejected;

        if (texts[row][0]) {
            smap_add(&smap, "gso_max_size", texts[row][0]);
        }
        if (texts[row][1]) {
            smap_add(&smap, "gso_max_segs", texts[row][1]);
        }
        bigtcp_settings_init(&rows[row]);
        bigtcp_settings_parse(&rows[row], &smap, row, &rejected);
        smap_destroy(&smap);
    }

    /* The nearest good value, and the nearest bad text, of each key. */
    bigtcp_settings_resolve(&settings, pointers);
    ovs_assert(size->valid && size->value == 100000
               && size->row == BIGTCP_ROW_BRIDGE);
    ovs_assert(!strcmp(size->rejected, "abc")
               && size->rejected_row == BIGTCP_ROW_INTERFACE);
    ovs_assert(segs->valid && segs->value == 5
               && segs->row == BIGTCP_ROW_INTERFACE);
    ovs_assert(!strcmp(segs->rejected, "0")
               && segs->rejected_row == BIGTCP_ROW_OPEN_VSWITCH);

    bigtcp_settings_resolve(&settings, no_bridge);
    ovs_assert(size->value == 200000 && size->row == BIGTCP_ROW_OPEN_VSWITCH);

    for (enum bigtcp_row row = 0; row < BIGTCP_N_ROWS; row++) {
        bigtcp_settings_destroy(&rows[row]);
    }
}

/* Messages. */

static void
test_constants(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct bigtcp_sizes sizes;
    struct ofpbuf *buf = ofpbuf_new(0);
    static const struct {
        enum bigtcp_attr attr;
        uint16_t type;
    } types[] = {
        { BIGTCP_GSO_MAX_SIZE, 41 },
        { BIGTCP_GSO_IPV4_MAX_SIZE, 63 },
        { BIGTCP_GSO_MAX_SEGS, 40 },
        { BIGTCP_GRO_MAX_SIZE, 58 },
        { BIGTCP_GRO_IPV4_MAX_SIZE, 64 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        memset(&sizes, 0, sizeof sizes);
        bigtcp_sizes_set(&sizes, types[i].attr, 0x12345678);
        ofpbuf_clear(buf);
        bigtcp_rtnl_compose_set(buf, 5, &sizes);
        ovs_assert(nl_attr_get_u32(nl_attr_find(
                buf, NLMSG_HDRLEN + sizeof(struct ifinfomsg), types[i].type))
                == 0x12345678);
    }

    /* Those that every header has that we build with. */
    ovs_assert(IFLA_GSO_MAX_SEGS == 40);
    ovs_assert(IFLA_GSO_MAX_SIZE == 41);
    ofpbuf_delete(buf);
}

static void
test_compose(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const uint8_t get[] = {
        48, 0, 0, 0,  18, 0,  1, 0,  0, 0, 0, 0,  0, 0, 0, 0,
        0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0,
        8, 0, 3, 0, 'b', 'r', '0', 0,
        8, 0, 29, 0, 8, 0, 0, 0,
    };
    static const uint8_t dump[] = {
        40, 0, 0, 0,  18, 0,  1, 3,  0, 0, 0, 0,  0, 0, 0, 0,
        0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0,
        8, 0, 29, 0, 8, 0, 0, 0,
    };
    static const uint8_t set[] = {
        48, 0, 0, 0,  19, 0,  5, 0,  0, 0, 0, 0,  0, 0, 0, 0,
        0, 0, 0, 0,  7, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0,
        8, 0, 41, 0,  0xf8, 0xff, 0x07, 0,
        8, 0, 63, 0,  0xf0, 0x49, 0x02, 0,
    };
    static const uint8_t genl_set[] = {
        52, 0, 0, 0,  0x23, 0,  5, 0,  0, 0, 0, 0,  0, 0, 0, 0,
        2, 1, 0, 0,
        8, 0, 1, 0,  7, 0, 0, 0,
        8, 0, 4, 0,  0xf8, 0xff, 0x07, 0,
        8, 0, 6, 0,  0xf8, 0xff, 0x07, 0,
        8, 0, 9, 0,  0xf0, 0x49, 0x02, 0,
    };
    static const uint8_t genl_remote[] = {
        60, 0, 0, 0,  0x23, 0,  5, 0,  0, 0, 0, 0,  0, 0, 0, 0,
        2, 1, 0, 0,
        8, 0, 1, 0,  7, 0, 0, 0,
        8, 0, 3, 0,  5, 0, 0, 0,
        8, 0, 7, 0,  0xe8, 3, 0, 0,
        8, 0, 8, 0,  2, 0, 0, 0,
        8, 0, 10, 0,  3, 0, 0, 0,
    };
    struct ofpbuf *buf = ofpbuf_new(0);
    struct bigtcp_sizes sizes;

#if WORDS_BIGENDIAN
    exit(77);
#endif
    bigtcp_rtnl_compose_get(buf, "br0", 0, NETNSID_LOCAL);
    nl_msg_nlmsghdr(buf)->nlmsg_len = buf->size;
    ovs_assert(buf->size == sizeof get && !memcmp(buf->data, get, sizeof get));

    ofpbuf_clear(buf);
    bigtcp_rtnl_compose_get(buf, NULL, 0, NETNSID_LOCAL);
    nl_msg_nlmsghdr(buf)->nlmsg_len = buf->size;
    ovs_assert(buf->size == sizeof dump
               && !memcmp(buf->data, dump, sizeof dump));

    /* tso_max_size is in no message of rtnetlink. */
    ofpbuf_clear(buf);
    ovs_assert(bigtcp_sizes_parse(&sizes, "tso_max_size=524280 "
                                  "gso_max_size=524280 "
                                  "gso_ipv4_max_size=150000"));
    bigtcp_rtnl_compose_set(buf, 7, &sizes);
    nl_msg_nlmsghdr(buf)->nlmsg_len = buf->size;
    ovs_assert(buf->size == sizeof set && !memcmp(buf->data, set, sizeof set));

    /* It is in those to the module. */
    ofpbuf_clear(buf);
    bigtcp_genl_compose_set(buf, 0x23, NETNSID_LOCAL, 7, &sizes);
    nl_msg_nlmsghdr(buf)->nlmsg_len = buf->size;
    ovs_assert(buf->size == sizeof genl_set
               && !memcmp(buf->data, genl_set, sizeof genl_set));

    ofpbuf_clear(buf);
    ovs_assert(bigtcp_sizes_parse(&sizes, "gso_max_segs=1000 gro_max_size=2 "
                                  "gro_ipv4_max_size=3"));
    bigtcp_genl_compose_set(buf, 0x23, 5, 7, &sizes);
    nl_msg_nlmsghdr(buf)->nlmsg_len = buf->size;
    ovs_assert(buf->size == sizeof genl_remote
               && !memcmp(buf->data, genl_remote, sizeof genl_remote));
    ofpbuf_delete(buf);
}

static void
test_message(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct bigtcp_link link, unchanged;
    struct bigtcp_rtnl_ties ties;
    struct ofpbuf *buf = ofpbuf_new(0);
    struct ifinfomsg *ifi;
    struct ds ds = DS_EMPTY_INITIALIZER;
    size_t linkinfo;

    memset(&unchanged, 0x55, sizeof unchanged);
    link = unchanged;

    /* All of it, with things in between that are of no interest. */
    nl_msg_put_nlmsghdr(buf, 0, RTM_NEWLINK, 0);
    ifi = ofpbuf_put_zeros(buf, sizeof *ifi);
    ifi->ifi_index = 12;
    nl_msg_put_string(buf, IFLA_IFNAME, "br0");
    nl_msg_put_u32(buf, IFLA_MTU, 1500);
    nl_msg_put_u32(buf, IFLA_LINK, 3);
    nl_msg_put_u32(buf, IFLA_MASTER, 4);
    nl_msg_put_string(buf, IFLA_QDISC, "noqueue");
    nl_msg_put_u32(buf, 40, 65535);
    nl_msg_put_u32(buf, 41, 524280);
    nl_msg_put_u32(buf, 58, 65536);
    nl_msg_put_u32(buf, 59, 524280);
    nl_msg_put_u32(buf, 60, 65535);
    nl_msg_put_u32(buf, 63, 150000);
    nl_msg_put_u32(buf, 64, 65536);
    linkinfo = nl_msg_start_nested(buf, IFLA_LINKINFO);
    nl_msg_put_string(buf, IFLA_INFO_KIND, "openvswitch");
    nl_msg_end_nested(buf, linkinfo);
    nl_msg_put_u32(buf, 200, 1);
    nl_msg_nlmsghdr(buf)->nlmsg_len = buf->size;
    ovs_assert(bigtcp_rtnl_parse(buf, &link, &ties));
    ovs_assert(!strcmp(link.name, "br0") && link.ifindex == 12
               && link.mtu == 1500 && ties.below == 3 && ties.master == 4);
    ovs_assert(!strcmp(link.kind, "openvswitch")
               && !strcmp(link.qdisc, "noqueue")
               && link.tso_max_segs == 65535);
    bigtcp_sizes_format(&link.sizes, &ds);
    ovs_assert(!strcmp(ds_cstr(&ds), "tso_max_size=524280 gso_max_size=524280 "
                       "gso_ipv4_max_size=150000 gso_max_segs=65535 "
                       "gro_max_size=65536 gro_ipv4_max_size=65536"));

    /* Cut short anywhere: no crash, and either refused with nothing changed
     * or fewer sizes. */
    for (size_t size = 0; size < buf->size; size++) {
        struct ofpbuf *cut = ofpbuf_clone_data(buf->data, size);

        link = unchanged;
        if (!bigtcp_rtnl_parse(cut, &link, &ties)) {
            ovs_assert(!memcmp(&link, &unchanged, sizeof link));
        }
        ofpbuf_delete(cut);
    }

    /* An old kernel. */
    ofpbuf_clear(buf);
    nl_msg_put_nlmsghdr(buf, 0, RTM_NEWLINK, 0);
    ofpbuf_put_zeros(buf, sizeof *ifi);
    nl_msg_put_string(buf, IFLA_IFNAME, "eth0");
    nl_msg_put_u32(buf, 41, 65536);
    nl_msg_nlmsghdr(buf)->nlmsg_len = buf->size;
    ovs_assert(bigtcp_rtnl_parse(buf, &link, &ties));
    ovs_assert(link.sizes.present == 1u << BIGTCP_GSO_MAX_SIZE);
    ovs_assert(link.tso_max_segs == BIGTCP_MAX_SEGS && !link.kind[0]
               && !link.qdisc[0] && !link.mtu);
    ovs_assert(!ties.below && !ties.master);
    ovs_assert(bigtcp_link_ceiling(&link) == 65536);

    /* What it is on is in another network namespace. */
    nl_msg_put_u32(buf, IFLA_LINK, 3);
    nl_msg_put_u32(buf, 37, 0);
    nl_msg_nlmsghdr(buf)->nlmsg_len = buf->size;
    ovs_assert(bigtcp_rtnl_parse(buf, &link, &ties) && !ties.below);

    /* A size of the wrong length, and another message. */
    nl_msg_put_u64(buf, 58, 65536);
    nl_msg_nlmsghdr(buf)->nlmsg_len = buf->size;
    link = unchanged;
    ovs_assert(!bigtcp_rtnl_parse(buf, &link, &ties));
    ovs_assert(!memcmp(&link, &unchanged, sizeof link));
    nl_msg_nlmsghdr(buf)->nlmsg_type = RTM_DELLINK;
    ovs_assert(!bigtcp_rtnl_parse(buf, &link, &ties));

    ofpbuf_delete(buf);
    ds_destroy(&ds);
}

/* Events about links: of one that came, one that went, a port of a Linux
 * bridge, and of one cut short. */
static void
test_event(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct ofpbuf *buf = ofpbuf_new(0);
    struct bigtcp_rtnl_event event;
    struct ifinfomsg *ifi;
    size_t linkinfo;

    nl_msg_put_nlmsghdr(buf, 0, RTM_NEWLINK, 0);
    ifi = ofpbuf_put_zeros(buf, sizeof *ifi);
    ifi->ifi_index = 12;
    nl_msg_put_string(buf, IFLA_IFNAME, "ifb0");
    linkinfo = nl_msg_start_nested(buf, IFLA_LINKINFO);
    nl_msg_put_string(buf, IFLA_INFO_KIND, "ifb");
    nl_msg_end_nested(buf, linkinfo);
    nl_msg_nlmsghdr(buf)->nlmsg_len = buf->size;
    ovs_assert(bigtcp_rtnl_parse_event(buf, &event));
    ovs_assert(!event.gone && event.ifindex == 12
               && !strcmp(event.name, "ifb0") && !strcmp(event.kind, "ifb"));
    nl_msg_nlmsghdr(buf)->nlmsg_type = RTM_DELLINK;
    ovs_assert(bigtcp_rtnl_parse_event(buf, &event) && event.gone);
    for (size_t size = 0; size < buf->size; size++) {
        struct ofpbuf *cut = ofpbuf_clone_data(buf->data, size);

        bigtcp_rtnl_parse_event(cut, &event);
        ofpbuf_delete(cut);
    }
    nl_msg_nlmsghdr(buf)->nlmsg_type = RTM_NEWADDR;
    ovs_assert(!bigtcp_rtnl_parse_event(buf, &event));
    nl_msg_nlmsghdr(buf)->nlmsg_type = RTM_NEWLINK;
    ifi = ALIGNED_CAST(struct ifinfomsg *, nl_msg_nlmsghdr(buf) + 1);
    ifi->ifi_family = AF_BRIDGE;
    ovs_assert(!bigtcp_rtnl_parse_event(buf, &event));
    ofpbuf_delete(buf);
}

/* Appends to 'buf' a message of 'type' with 'flags' and 'seq'. */
static void
put_message(struct ofpbuf *buf, uint16_t type, uint16_t flags, uint32_t seq)
{
    struct nlmsghdr *nlmsg = ofpbuf_put_zeros(buf, sizeof *nlmsg + 4);

    nlmsg->nlmsg_len = sizeof *nlmsg + 4;
    nlmsg->nlmsg_type = type;
    nlmsg->nlmsg_flags = flags;
    nlmsg->nlmsg_seq = seq;
}

static void
count_reply(struct ofpbuf *reply OVS_UNUSED, void *n_)
{
    int *n = n_;

    *n += 1;
}

/* Dumps: whole, of which only the end says that it was interrupted, with
 * messages of an earlier one, refused, and cut short. */
static void
test_dump(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    enum { INTR = 0x10 };
    static const struct {
        struct {
            uint16_t type, flags;
            uint32_t seq;
        } messages[4];
        int n, error;
        bool interrupted;
    } cases[] = {
        { { { RTM_NEWLINK, 0, 7 }, { RTM_NEWLINK, 0, 7 } }, 2, 0, false },
        { { { RTM_NEWLINK, 0, 7 }, { NLMSG_DONE, 0, 7 } }, 1, EOF, false },
        { { { RTM_NEWLINK, INTR, 7 }, { RTM_NEWLINK, 0, 7 } }, 2, 0, true },
        { { { RTM_NEWLINK, 0, 7 }, { NLMSG_DONE, INTR, 7 } }, 1, EOF, true },
        { { { NLMSG_DONE, INTR, 6 }, { RTM_NEWLINK, 0, 7 } }, 1, 0, false },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct ofpbuf *buf = ofpbuf_new(0);
        bool interrupted = false;
        int n = 0;
        int error;

        for (size_t j = 0; cases[i].messages[j].type; j++) {
            put_message(buf, cases[i].messages[j].type,
                        cases[i].messages[j].flags, cases[i].messages[j].seq);
        }
        error = bigtcp_nl_parse_dump(buf, 7, count_reply, &n, &interrupted);
        ovs_assert(error == cases[i].error && n == cases[i].n
                   && interrupted == cases[i].interrupted);
        ofpbuf_delete(buf);
    }
    for (int error = 0; error <= EPERM; error += EPERM) {
        struct ofpbuf *buf = ofpbuf_new(0);
        struct nlmsghdr *nlmsg = ofpbuf_put_zeros(buf, NLMSG_HDRLEN
                                                  + sizeof(struct nlmsgerr));
        struct nlmsgerr *err = ALIGNED_CAST(struct nlmsgerr *, nlmsg + 1);
        bool interrupted = false;
        int n = 0;

        nlmsg->nlmsg_len = buf->size;
        nlmsg->nlmsg_type = NLMSG_ERROR;
        nlmsg->nlmsg_seq = 7;
        err->error = -error;
        ovs_assert(bigtcp_nl_parse_dump(buf, 7, count_reply, &n, &interrupted)
                   == (error ? error : EOF));
        ovs_assert(!n);
        ofpbuf_delete(buf);
    }
}

/* Composes in 'buf' a tc filter of 'kind', which has its actions in attribute
 * 'act', with 'n' actions 'mirred' of 'eaction', to devices 31 and up. */
static void
compose_filter(struct ofpbuf *buf, const char *kind, uint16_t act,
               int eaction, int n)
{
    struct tcmsg *tcm;
    size_t options, acts;

    ofpbuf_clear(buf);
    nl_msg_put_nlmsghdr(buf, 0, RTM_NEWTFILTER, 0);
    tcm = ofpbuf_put_zeros(buf, sizeof *tcm);
    tcm->tcm_ifindex = 12;
    nl_msg_put_string(buf, TCA_KIND, kind);
    options = nl_msg_start_nested(buf, TCA_OPTIONS);
    nl_msg_put_u32(buf, 20, 77);
    acts = nl_msg_start_nested(buf, act);
    for (int i = 0; i < n + 1; i++) {
        size_t action = nl_msg_start_nested(buf, i + 1);
        size_t parameters;

        nl_msg_put_string(buf, 1, i ? "mirred" : "gact");
        parameters = nl_msg_start_nested(buf, 2);
        if (i) {
            struct tc_mirred mirred = { .eaction = eaction,
                                        .ifindex = 30 + i };

            nl_msg_put_unspec(buf, TCA_MIRRED_PARMS, &mirred, sizeof mirred);
        }
        nl_msg_end_nested(buf, parameters);
        nl_msg_end_nested(buf, action);
    }
    nl_msg_end_nested(buf, acts);
    nl_msg_end_nested(buf, options);
    nl_msg_nlmsghdr(buf)->nlmsg_len = buf->size;
}

/* Makes 'buf' an RTM_NEWQDISC message of device 12. */
static void
compose_qdisc(struct ofpbuf *buf, const char *kind)
{
    struct tcmsg *tcm;

    ofpbuf_clear(buf);
    nl_msg_put_nlmsghdr(buf, 0, RTM_NEWQDISC, 0);
    tcm = ofpbuf_put_zeros(buf, sizeof *tcm);
    tcm->tcm_ifindex = 12;
    nl_msg_put_string(buf, TCA_KIND, kind);
    nl_msg_nlmsghdr(buf)->nlmsg_len = buf->size;
}

static void
test_filters(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        const char *kind;
        uint16_t act;
    } kinds[] = {
        { "basic", 3 }, { "bpf", 1 }, { "flower", 3 }, { "fw", 4 },
        { "matchall", 2 }, { "u32", 7 },
    };
    const char *qdiscs[] = { "ingress", "clsact", "htb", NULL };
    struct ofpbuf *buf = ofpbuf_new(0);
    const struct nlmsghdr *nlmsg;
    const struct tcmsg *tcm;

    bigtcp_tc_compose_filters(buf, 12);
    nlmsg = buf->data;
    tcm = ALIGNED_CAST(const struct tcmsg *,
                       (const char *) buf->data + NLMSG_HDRLEN);
    ovs_assert(nlmsg->nlmsg_type == RTM_GETTFILTER
               && (nlmsg->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP
               && tcm->tcm_ifindex == 12
               && tcm->tcm_parent == 0xfffffff2);

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        compose_filter(buf, kinds[i].kind, kinds[i].act, TCA_EGRESS_REDIR, 2);
        ovs_assert(bigtcp_tc_parse_redirect(buf) == 31);

        /* Cut short anywhere: no crash. */
        for (size_t size = 0; size < buf->size; size++) {
            struct ofpbuf *cut = ofpbuf_clone_data(buf->data, size);
            int ifindex = bigtcp_tc_parse_redirect(cut);

            ovs_assert(!ifindex || ifindex == 31);
            ofpbuf_delete(cut);
        }

        /* A copy, and no such action. */
        compose_filter(buf, kinds[i].kind, kinds[i].act, TCA_EGRESS_MIRROR,
                       1);
        ovs_assert(!bigtcp_tc_parse_redirect(buf));
        compose_filter(buf, kinds[i].kind, kinds[i].act, TCA_EGRESS_REDIR, 0);
        ovs_assert(!bigtcp_tc_parse_redirect(buf));
    }

    /* Qdiscs that have such filters, cut short anywhere. */
    for (const char **kind = qdiscs; *kind; kind++) {
        compose_qdisc(buf, *kind);
        ovs_assert(bigtcp_tc_parse_ingress(buf)
                   == (strcmp(*kind, "htb") ? 12 : 0));
        for (size_t size = 0; size < buf->size; size++) {
            struct ofpbuf *cut = ofpbuf_clone_data(buf->data, size);
            int ifindex = bigtcp_tc_parse_ingress(cut);

            ovs_assert(!ifindex || ifindex == 12);
            ofpbuf_delete(cut);
        }
        nl_msg_nlmsghdr(buf)->nlmsg_type = RTM_DELQDISC;
        ovs_assert(!bigtcp_tc_parse_ingress(buf));
    }

    /* Actions elsewhere, another kind, another message. */
    compose_filter(buf, "u32", 2, TCA_EGRESS_REDIR, 1);
    ovs_assert(!bigtcp_tc_parse_redirect(buf));
    compose_filter(buf, "nonesuch", 2, TCA_EGRESS_REDIR, 1);
    ovs_assert(!bigtcp_tc_parse_redirect(buf));
    compose_filter(buf, "matchall", 2, TCA_EGRESS_REDIR, 1);
    nl_msg_nlmsghdr(buf)->nlmsg_type = RTM_DELTFILTER;
    ovs_assert(!bigtcp_tc_parse_redirect(buf));
    ofpbuf_delete(buf);
}

/* Record of originals. */

static void
test_originals(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const char file_name[] = "bigtcp.originals";
    struct bigtcp_original originals[] = {
        { .device = CONST_CAST(char *, "br0"),
          .class = CONST_CAST(char *, "rtnl"), .ifindex = 12 },
        { .device = CONST_CAST(char *, "vxlan_sys_4789"),
          .class = CONST_CAST(char *, "dummy"), .ifindex = 7 },
    };
    struct bigtcp_original *back;
    char line[256];
    FILE *stream;
    size_t n;

    ovs_assert(bigtcp_sizes_parse(&originals[0].sizes, "gso_max_size=65536 "
                                  "gso_ipv4_max_size=30000"));
    ovs_assert(bigtcp_sizes_parse(&originals[1].sizes, "gro_max_size=0"));

    ovs_assert(bigtcp_originals_read(file_name, &back, &n) == ENOENT && !n);
    ovs_assert(!bigtcp_originals_write(file_name, originals, 2));
    ovs_assert(!bigtcp_originals_read(file_name, &back, &n));
    ovs_assert(n == 2);
    for (size_t i = 0; i < n; i++) {
        ovs_assert(!strcmp(back[i].device, originals[i].device));
        ovs_assert(!strcmp(back[i].class, originals[i].class));
        ovs_assert(back[i].ifindex == originals[i].ifindex);
        ovs_assert(!memcmp(&back[i].sizes, &originals[i].sizes,
                           sizeof back[i].sizes));
    }
    bigtcp_originals_free(back, n);

    /* A line that is not understood. */
    stream = fopen(file_name, "a");
    fputs("eth0 rtnl x gso_max_size=1\n", stream);
    fputs("eth1 rtnl 5 gso_max_size=big\n", stream);
    fputs("eth2 rtnl 5 gso_max_size=65536\n", stream);
    fclose(stream);
    ovs_assert(bigtcp_originals_read(file_name, &back, &n) == EPROTO
               && n == 3);
    bigtcp_originals_free(back, n);

    /* Another boot. */
    ovs_assert(!bigtcp_originals_write(file_name, originals, 2));
    stream = fopen(file_name, "r+");
    ovs_assert(fgets(line, sizeof line, stream));
    rewind(stream);
    line[strcspn(line, "=") + 1] ^= 1;
    fputs(line, stream);
    fclose(stream);
    ovs_assert(!bigtcp_originals_read(file_name, &back, &n) && !n);

    /* None left. */
    ovs_assert(!bigtcp_originals_write(file_name, NULL, 0));
    ovs_assert(access(file_name, F_OK) && errno == ENOENT);
    ovs_assert(!bigtcp_originals_write(file_name, NULL, 0));
    ovs_assert(bigtcp_originals_write("no-such-dir/file", originals, 2)
               == ENOENT);
}

/* Returns the number of known faults of the kernel that calls itself
 * 'release' and 'version', and stores in '*n_apply' how many of them matter to
 * a device with IPv6 and IPv4 GSO sizes 'ipv6' and 'ipv4'. */
static size_t
count_hazards(const char *release, const char *version,
              uint32_t ipv6, uint32_t ipv4, size_t *n_apply)
{
    const struct bigtcp_hazard *hazard;
    struct bigtcp_sizes sizes = { .present = 0 };
    size_t n = 0;

    bigtcp_sizes_set(&sizes, BIGTCP_GSO_MAX_SIZE, ipv6);
    bigtcp_sizes_set(&sizes, BIGTCP_GSO_IPV4_MAX_SIZE, ipv4);
    *n_apply = 0;
    BIGTCP_FOR_EACH_HAZARD (hazard, bigtcp_kernel_version(release, version)) {
        ovs_assert(hazard->text[0] && strlen(hazard->commit) == 12);
        n++;
        *n_apply += bigtcp_hazard_applies(hazard, &sizes);
    }
    return n;
}

static void
test_hazards(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        const char *release, *version;
        uint32_t ipv6, ipv4;
        size_t n, n_apply;
    } rows[] = {
        { "4.19.0", "", 524280, 524280, 0, 0 },
        { "6.1.20", "", 524280, 65536, 6, 5 },
        { "6.1.20", "", 65536, 65536, 6, 0 },
        { "6.1.63", "", 524280, 65536, 6, 5 },
        { "6.1.64", "", 524280, 65536, 5, 4 },
        { "6.1.192", "", 524280, 65536, 1, 1 },
        { "6.1.0-57-amd64", "#1 SMP Debian 6.1.192-3 (2026-11-26)", 524280,
          65536, 1, 1 },
        { "6.2.1", "", 65536, 100000, 6, 4 },
        { "6.4", "", 524280, 524280, 3, 2 },
        { "6.6.2", "", 524280, 524280, 3, 2 },
        { "6.6.3", "", 524280, 524280, 2, 1 },
        { "6.11.9-generic", "#1", 524280, 524280, 2, 0 },
        { "6.11.9-generic", "#1", 65536, 150000, 2, 1 },
        { "6.12.117+deb12-amd64", "#1 SMP Debian 6.12.117-1", 65536, 150000,
          0, 0 },
        { "7.3.4", "", 524280, 524280, 0, 0 },
        { "none", "", 524280, 524280, 0, 0 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        size_t n_apply;
        size_t n = count_hazards(rows[i].release, rows[i].version,
                                 rows[i].ipv6, rows[i].ipv4, &n_apply);

        if (n != rows[i].n || n_apply != rows[i].n_apply) {
            ovs_fatal(0, "%s: %"PRIuSIZE" hazards, %"PRIuSIZE" apply",
                      rows[i].release, n, n_apply);
        }
    }
}

/* Lines of the log. */

/* Checks that 'n' elements of 'news' give the lines in 'expected', joined by
 * line feeds. */
static void
check_news(const struct bigtcp_news *news, size_t n, const char *expected)
{
    struct svec lines = SVEC_EMPTY_INITIALIZER;
    char *joined;

    bigtcp_news_format(news, n, &lines);
    joined = svec_join(&lines, "\n", "");
    if (strcmp(joined, expected)) {
        ovs_fatal(0, "%"PRIuSIZE" devices: got\n%s\nnot\n%s", n, joined,
                  expected);
    }
    free(joined);
    svec_destroy(&lines);
}

static void
test_news(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    enum { N = BIGTCP_NEWS_EACH + 4 };
    struct bigtcp_news news[N];
    char names[N][8];

    memset(news, 0, sizeof news);
    for (size_t i = 0; i < N; i++) {
        /* The smallest name is not the first. */
        snprintf(names[i], sizeof names[i], "p%02d", (int) (N - i));
        news[i].device = names[i];
        news[i].managed = true;
        news[i].reason = "";
        bigtcp_sizes_set(&news[i].before, BIGTCP_GSO_MAX_SIZE, 65536);
        bigtcp_sizes_set(&news[i].after, BIGTCP_GSO_MAX_SIZE, 524280);
        bigtcp_sizes_set(&news[i].before, BIGTCP_GRO_MAX_SIZE, 65536);
        bigtcp_sizes_set(&news[i].after, BIGTCP_GRO_MAX_SIZE, 65536);
        /* As a kernel that has no such attribute. */
        news[i].after.value[BIGTCP_GSO_IPV4_MAX_SIZE] = 5;
    }
    check_news(news, 0, "");
    check_news(news, 2,
               "p14: applied: gso_max_size 65536 -> 524280\n"
               "p13: applied: gso_max_size 65536 -> 524280");
    for (size_t n = 3; n <= BIGTCP_NEWS_EACH + 1; n++) {
        struct svec lines = SVEC_EMPTY_INITIALIZER;

        bigtcp_news_format(news, n, &lines);
        ovs_assert(lines.n == (n <= BIGTCP_NEWS_EACH ? n : 1));
        svec_destroy(&lines);
    }

    /* What differs is told apart. */
    news[1].state = BIGTCP_STATE_LIMITED;
    news[1].reason = "gso_max_size 65536: port tap0 takes no more";
    news[1].after = news[1].before;
    news[3].after.value[BIGTCP_GRO_MAX_SIZE] = 0;
    news[4].before.value[BIGTCP_GSO_MAX_SIZE] = 70000;
    news[5].managed = news[6].managed = false;
    news[7].reason = "kernel hazard: x";
    check_news(news, N,
               "p01 and 7 other devices: applied: "
               "gso_max_size 65536 -> 524280\n"
               "p13: limited (gso_max_size 65536: port tap0 takes no more)\n"
               "p11: applied: gso_max_size 65536 -> 524280, "
               "gro_max_size 65536 -> 0\n"
               "p10: applied: gso_max_size 70000 -> 524280\n"
               "p08 and 1 other device: not managed: "
               "gso_max_size 65536 -> 524280\n"
               "p07: applied: gso_max_size 65536 -> 524280 "
               "(kernel hazard: x)");
}

static void
test_bigtcp_main(int argc, char *argv[])
{
    static const struct ovs_cmdl_command commands[] = {
        { "parse", NULL, 0, 0, test_parse, OVS_RO },
        { "settings", NULL, 0, 0, test_settings, OVS_RO },
        { "decide", NULL, 0, 0, test_decide, OVS_RO },
        { "invariants", NULL, 0, 0, test_invariants, OVS_RO },
        { "request", NULL, 0, 0, test_request, OVS_RO },
        { "resolve", NULL, 0, 0, test_resolve, OVS_RO },
        { "constants", NULL, 0, 0, test_constants, OVS_RO },
        { "compose", NULL, 0, 0, test_compose, OVS_RO },
        { "message", NULL, 0, 0, test_message, OVS_RO },
        { "event", NULL, 0, 0, test_event, OVS_RO },
        { "dump", NULL, 0, 0, test_dump, OVS_RO },
        { "filters", NULL, 0, 0, test_filters, OVS_RO },
        { "originals", NULL, 0, 0, test_originals, OVS_RO },
        { "hazards", NULL, 0, 0, test_hazards, OVS_RO },
        { "news", NULL, 0, 0, test_news, OVS_RO },
        { NULL, NULL, 0, 0, NULL, OVS_RO },
    };
    struct ovs_cmdl_context ctx = { .argc = argc - 1, .argv = argv + 1 };

    set_program_name(argv[0]);
    ovs_cmdl_run_command(&ctx, commands);
}

OVSTEST_REGISTER("test-bigtcp", test_bigtcp_main);
