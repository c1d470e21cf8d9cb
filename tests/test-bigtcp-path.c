/* SPDX-License-Identifier: Apache-2.0 */

/* Unit tests of lib/bigtcp/path.c and lib/bigtcp/path-show.c. */

#include <config.h>
#undef NDEBUG

#include "bigtcp/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command-line.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "ovstest.h"
#include "random.h"
#include "util.h"

enum { ANY = UINT32_MAX };

/* What a case says of a device.  0 is the default: 65536 for a size, 524280
 * for the ceiling, 65535 for segments. */
struct spec {
    const char *kind;           /* "" for hardware. */
    bool internal;
    bool no_port;               /* No port of Open vSwitch. */
    uint32_t v6, v4, gro6, gro4, ceiling, segs, carries;
    bool no_v4;                 /* A kernel without IPv4 sizes. */
    bool unreadable;
    uint32_t missing;           /* Offloads that it does not do. */
    uint32_t mtu;               /* 0 for 1500. */
};

static uint32_t
or(uint32_t value, uint32_t default_value)
{
    return value ? value : default_value;
}

static void
make_device(const struct spec *spec, const char *name,
            struct bigtcp_link *link, struct bigtcp_path_device *dev)
{
    memset(link, 0, sizeof *link);
    ovs_strlcpy(link->kind, spec->kind ? spec->kind : "", sizeof link->kind);
    link->features = BIGTCP_OFFLOADS_ALL;
    link->tso_max_segs = BIGTCP_MAX_SEGS;
    link->carries = spec->carries;
    bigtcp_sizes_set(&link->sizes, BIGTCP_TSO_MAX_SIZE,
                     or(spec->ceiling, BIGTCP_MAX_SIZE));
    bigtcp_sizes_set(&link->sizes, BIGTCP_GSO_MAX_SIZE, or(spec->v6, 65536));
    bigtcp_sizes_set(&link->sizes, BIGTCP_GRO_MAX_SIZE,
                     or(spec->gro6, 65536));
    if (!spec->no_v4) {
        bigtcp_sizes_set(&link->sizes, BIGTCP_GSO_IPV4_MAX_SIZE,
                         or(spec->v4, 65536));
        bigtcp_sizes_set(&link->sizes, BIGTCP_GRO_IPV4_MAX_SIZE,
                         or(spec->gro4, 65536));
    }
    bigtcp_sizes_set(&link->sizes, BIGTCP_GSO_MAX_SEGS,
                     or(spec->segs, BIGTCP_MAX_SEGS));

    memset(dev, 0, sizeof *dev);
    dev->device = name;
    if (!spec->no_port) {
        dev->port = name;
        dev->bridge = "br0";
    }
    dev->internal = spec->internal;
    dev->link = spec->unreadable ? NULL : link;
    dev->offloads = BIGTCP_OFFLOADS_ALL & ~spec->missing;
    dev->mtu = or(spec->mtu, 1500);
}

/* One copy, by one device or by a tunnel. */
struct test_case {
    const char *name;
    enum bigtcp_path_family family;
    bool not_tcp;
    struct bigtcp_kernel kernel;
    struct spec sender;
    bool no_sender;
    const char *changes;        /* "v" push VLAN, "V" pop, "m" and "M" MPLS,
                                 * "n" and "N" NSH, "e" and "E" Ethernet. */
    int n_vlans;                /* At arrival. */
    uint32_t max_len;           /* 0 for none. */
    const char *slow;
    struct spec egress;
    bool hands_up;
    enum bigtcp_path_tunnel tunnel; /* If any, 'lower' is used, too. */
    bool outer_ipv6;
    uint32_t overhead;
    struct spec lower;

    uint32_t largest;
    enum bigtcp_path_effect effect;
    const char *decider;        /* "egress", "lower", or NULL. */
    bool exceeded;
    const char *remedy;         /* "key=value" or a part of the reason. */
};

#define V4 BIGTCP_PATH_IPV4
#define V6 BIGTCP_PATH_IPV6
#define WHOLE BIGTCP_PATH_WHOLE
#define SEGMENTED BIGTCP_PATH_SEGMENTED
#define RESEGMENTED BIGTCP_PATH_RESEGMENTED
#define INTERNAL_BIG { .internal = true, .kind = "openvswitch", \
                       .v4 = 524280, .v6 = 524280 }
#define BIG { .kind = "veth", .v4 = 524280, .v6 = 524280 }

static const struct test_case cases[] = {
    { .name = "equal sizes: TCP stays below them",
      .sender = INTERNAL_BIG, .egress = BIG, .largest = 524279,
      .effect = SEGMENTED, .decider = "egress",
      .remedy = "524280 is the ceiling of egress (tso_max_size)" },
    { .name = "default sizes",
      .sender = { .internal = true }, .egress = { .kind = "veth" },
      .largest = 65535, .effect = SEGMENTED, .decider = "egress",
      .remedy = "gso_ipv4_max_size=524280" },
    { .name = "smaller egress",
      .sender = INTERNAL_BIG, .egress = { .kind = "veth" },
      .largest = 65535, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_ipv4_max_size=524280" },
    { .name = "smaller egress, on a kernel that re-segments",
      .kernel = { .resegments = true },
      .sender = INTERNAL_BIG, .egress = { .kind = "veth" },
      .largest = 65535, .effect = RESEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_ipv4_max_size=524280" },
    { .name = "smaller egress for one family only", .family = V6,
      .sender = INTERNAL_BIG, .egress = { .kind = "veth", .v4 = 200000 },
      .largest = 65535, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_max_size=524280" },
    { .name = "the other family", .family = V4,
      .sender = INTERNAL_BIG, .egress = { .kind = "veth", .v4 = 200000 },
      .largest = 199999, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_ipv4_max_size=524280" },
    { .name = "a kernel without IPv4 sizes",
      .sender = INTERNAL_BIG, .egress = { .no_v4 = true, .v6 = 70000 },
      .largest = 69999, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_max_size=524280" },
    { .name = "a kernel that takes one limit for both",
      .kernel = { .one_limit = true },
      .sender = INTERNAL_BIG, .egress = { .v6 = 80000, .v4 = 200000 },
      .largest = 79999, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_max_size=524280" },
    { .name = "a kernel that looks at no size",
      .kernel = { .ignores_size = true },
      .sender = INTERNAL_BIG, .egress = { .v6 = 80000, .v4 = 70000 },
      .largest = ANY, .effect = WHOLE },
    { .name = "at its ceiling",
      .sender = INTERNAL_BIG, .egress = { .ceiling = 65536 },
      .largest = 65535, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true,
      .remedy = "65536 is the ceiling of egress (tso_max_size)" },
    { .name = "output to an internal port",
      .sender = BIG, .egress = { .internal = true }, .hands_up = true,
      .largest = ANY, .effect = WHOLE },
    { .name = "what cannot be read",
      .sender = BIG, .egress = { .unreadable = true },
      .largest = ANY, .effect = WHOLE },
    { .name = "GRO size of a port that is not internal",
      .sender = { .gro4 = 100000 }, .egress = { .v4 = 70000 },
      .largest = 69999, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_ipv4_max_size=524280" },
    { .name = "GRO size that is not above",
      .sender = { .gro4 = 70000, .v4 = 524280 }, .egress = { .v4 = 70000 },
      .largest = 69999, .effect = SEGMENTED, .decider = "egress",
      .remedy = "gso_ipv4_max_size=524280" },
    { .name = "nothing but TCP is above 64 kB", .not_tcp = true,
      .sender = INTERNAL_BIG, .egress = { .v4 = 65536 },
      .largest = 65535, .effect = SEGMENTED, .decider = "egress",
      .remedy = "gso_ipv4_max_size=524280" },

    /* What the device does itself. */
    { .name = "no TSO",
      .sender = INTERNAL_BIG,
      .egress = { .kind = "tun", .v4 = 65536,
                  .missing = 1u << BIGTCP_OFFLOAD_TSO4 },
      .largest = 1514, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true,
      .remedy = "tx-tcp-segmentation of egress is off" },
    { .name = "no TSO for the other family", .family = V6,
      .sender = INTERNAL_BIG,
      .egress = { .v6 = 65536, .missing = 1u << BIGTCP_OFFLOAD_TSO4 },
      .largest = 65535, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_max_size=524280" },
    { .name = "no TSO and no TCP", .not_tcp = true,
      .sender = { .internal = true },
      .egress = { .missing = 1u << BIGTCP_OFFLOAD_TSO4 },
      .largest = 65535, .effect = SEGMENTED, .decider = "egress",
      .remedy = "gso_ipv4_max_size=524280" },
    { .name = "no TSO, jumbo frames",
      .sender = { .internal = true, .mtu = 9000 },
      .egress = { .missing = 1u << BIGTCP_OFFLOAD_TSO4 },
      .largest = 9014, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "tx-tcp-segmentation" },

    /* Number of segments. */
    { .name = "few segments", .sender = INTERNAL_BIG,
      .egress = { .kind = "veth", .v4 = 524280, .segs = 64 },
      .largest = 14 + 52 + 64 * 1448, .effect = SEGMENTED,
      .decider = "egress", .exceeded = true,
      .remedy = "gso_max_segs=65535" },
    { .name = "segments are not the limit", .sender = INTERNAL_BIG,
      .egress = { .kind = "veth", .v4 = 65536, .segs = 64 },
      .largest = 65535, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_ipv4_max_size=524280" },

    /* Headers. */
    { .name = "one VLAN tag is beside the packet", .family = V6,
      .sender = INTERNAL_BIG, .changes = "v",
      .egress = { .kind = "veth", .v6 = 100000 },
      .largest = 99999, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_max_size=524280" },
    { .name = "two VLAN tags are judged by the IPv4 limit", .family = V6,
      .sender = INTERNAL_BIG, .changes = "vv",
      .egress = { .kind = "veth", .v6 = 500000, .v4 = 100000 },
      .largest = 99999 - 4, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_ipv4_max_size=524280" },
    { .name = "a tag on one that is there", .family = V6, .n_vlans = 1,
      .sender = INTERNAL_BIG, .changes = "v",
      .egress = { .kind = "veth", .v6 = 500000, .v4 = 100000 },
      .largest = 99999 - 4, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_ipv4_max_size=524280" },
    { .name = "a tag taken from two", .family = V6, .n_vlans = 2,
      .sender = INTERNAL_BIG, .changes = "V",
      .egress = { .kind = "veth", .v6 = 100000 },
      .largest = 99999 + 4, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_max_size=524280" },
    { .name = "pushed and popped again", .family = V6,
      .sender = INTERNAL_BIG, .changes = "vvmVMVV",
      .egress = { .kind = "veth", .v6 = 100000 },
      .largest = 99999, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_max_size=524280" },
    { .name = "two VLAN tags, hardware", .sender = INTERNAL_BIG,
      .changes = "vv", .egress = { .v4 = 524280 },
      .largest = 1514, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "two VLAN tags" },
    { .name = "MPLS is judged by the IPv4 limit", .family = V6,
      .sender = INTERNAL_BIG, .changes = "mm",
      .egress = { .kind = "veth", .v6 = 524280, .v4 = 80000 },
      .largest = 79999 - 8, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_ipv4_max_size=524280" },
    { .name = "MPLS, hardware", .sender = INTERNAL_BIG, .changes = "m",
      .egress = { .v4 = 524280 },
      .largest = 1514, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "MPLS labels" },
    { .name = "NSH is judged by the IPv4 limit", .family = V6,
      .sender = INTERNAL_BIG, .changes = "En",
      .egress = { .kind = "veth", .v6 = 524280, .v4 = 80000 },
      .largest = 79999 - 24 + 14, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "gso_ipv4_max_size=524280" },
    { .name = "NSH, checksums of IP only", .sender = INTERNAL_BIG,
      .changes = "n",
      .egress = { .v4 = 524280, .missing = 1u << BIGTCP_OFFLOAD_CSUM },
      .largest = 1514, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "tx-checksum-ip-generic" },

    /* Truncation. */
    { .name = "truncated below the limit", .sender = INTERNAL_BIG,
      .max_len = 100, .egress = BIG, .largest = 100,
      .effect = BIGTCP_PATH_TRUNCATED, .exceeded = true,
      .remedy = "what the flow or the mirror asks for" },
    { .name = "truncated above the limit", .sender = INTERNAL_BIG,
      .max_len = 100000, .egress = { .kind = "veth" }, .largest = 65535,
      .effect = SEGMENTED, .decider = "egress", .exceeded = true,
      .remedy = "gso_ipv4_max_size=524280" },
    { .name = "truncated with a header more", .sender = INTERNAL_BIG,
      .changes = "m", .max_len = 1000, .egress = BIG, .largest = 996,
      .effect = BIGTCP_PATH_TRUNCATED, .exceeded = true,
      .remedy = "what the flow or the mirror asks for" },
    { .name = "truncated to an internal port", .sender = BIG,
      .max_len = 200, .egress = { .internal = true }, .hands_up = true,
      .largest = 200, .effect = BIGTCP_PATH_TRUNCATED, .exceeded = true,
      .remedy = "what the flow or the mirror asks for" },

    /* User space. */
    { .name = "slow path", .sender = INTERNAL_BIG, .slow = "because",
      .egress = BIG, .largest = 1514, .effect = BIGTCP_PATH_PIECES,
      .exceeded = true, .remedy = "user space takes no packet" },

    /* Tunnels. */
    { .name = "vxlan, limit of the tunnel device", .sender = INTERNAL_BIG,
      .egress = { .kind = "vxlan", .ceiling = 65536 },
      .tunnel = BIGTCP_PATH_UDP, .overhead = 50, .lower = BIG,
      .largest = 65535, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true, .remedy = "ceiling of egress" },
    { .name = "vxlan, limit of the uplink", .sender = INTERNAL_BIG,
      .egress = { .kind = "vxlan", .v4 = 524280 },
      .tunnel = BIGTCP_PATH_UDP, .overhead = 50,
      .lower = { .kind = "veth", .v4 = 65536 },
      .largest = 65535 - 50, .effect = SEGMENTED, .decider = "lower",
      .exceeded = true, .remedy = "gso_ipv4_max_size=524280" },
    { .name = "IPv6 in an IPv4 tunnel is IPv4 for the uplink", .family = V6,
      .sender = INTERNAL_BIG,
      .egress = { .kind = "vxlan", .v6 = 524280, .v4 = 1000 },
      .tunnel = BIGTCP_PATH_UDP, .overhead = 50,
      .lower = { .kind = "veth", .v6 = 524280, .v4 = 65536 },
      .largest = 65535 - 50, .effect = SEGMENTED, .decider = "lower",
      .exceeded = true, .remedy = "gso_ipv4_max_size=524280" },
    { .name = "IPv4 in an IPv6 tunnel is IPv6 for the uplink",
      .sender = INTERNAL_BIG, .outer_ipv6 = true,
      .egress = { .kind = "vxlan", .v4 = 524280 },
      .tunnel = BIGTCP_PATH_UDP_CSUM, .overhead = 70,
      .lower = { .kind = "veth", .v6 = 70000, .v4 = 65536 },
      .largest = 69999 - 70, .effect = SEGMENTED, .decider = "lower",
      .exceeded = true, .remedy = "gso_max_size=524280" },
    { .name = "an uplink that does not segment tunnels",
      .sender = { .internal = true },
      .egress = { .kind = "vxlan" },
      .tunnel = BIGTCP_PATH_UDP, .overhead = 50,
      .lower = { .missing = 1u << BIGTCP_OFFLOAD_UDP },
      .largest = 1514, .effect = SEGMENTED, .decider = "lower",
      .exceeded = true, .remedy = "tx-udp_tnl-segmentation of lower is off" },
    { .name = "an uplink that segments others than those",
      .sender = { .internal = true },
      .egress = { .kind = "gre" },
      .tunnel = BIGTCP_PATH_GRE_CSUM, .overhead = 42,
      .lower = { .missing = 1u << BIGTCP_OFFLOAD_UDP },
      .largest = 65535 - 42, .effect = SEGMENTED, .decider = "lower",
      .remedy = "gso_ipv4_max_size=524280" },
    { .name = "an uplink that is no port", .sender = INTERNAL_BIG,
      .egress = { .kind = "vxlan", .v4 = 524280 },
      .tunnel = BIGTCP_PATH_UDP, .overhead = 50,
      .lower = { .kind = "veth", .no_port = true },
      .largest = 65535 - 50, .effect = SEGMENTED, .decider = "lower",
      .exceeded = true,
      .remedy = "ip link set lower gso_ipv4_max_size 524280" },
    { .name = "what the kernel's vxlan carries", .sender = INTERNAL_BIG,
      .egress = { .kind = "vxlan", .v4 = 524280, .carries = 65536 },
      .tunnel = BIGTCP_PATH_UDP, .overhead = 50, .lower = BIG,
      .largest = 65535, .effect = SEGMENTED, .decider = "egress",
      .exceeded = true,
      .remedy = "65536 is what this kernel's vxlan carries" },

    /* Where it comes from. */
    { .name = "nobody sends it", .no_sender = true,
      .egress = { .kind = "veth" }, .largest = 65535, .effect = SEGMENTED,
      .decider = "egress", .exceeded = true,
      .remedy = "gso_ipv4_max_size=524280" },
    { .name = "not IP", .family = BIGTCP_PATH_OTHER,
      .sender = INTERNAL_BIG, .egress = { .kind = "veth" },
      .largest = 65535, .effect = SEGMENTED, .decider = "egress",
      .remedy = "gso_ipv4_max_size=524280" },
};

/* Changes 'packet' as 's' says. */
static void
change_packet(struct bigtcp_path_packet *packet, const char *s)
{
    static const char letters[] = "vVmMnNeE";

    for (; s && *s; s++) {
        const char *letter = strchr(letters, *s);

        ovs_assert(letter);
        bigtcp_path_packet_change(
            packet, (const enum bigtcp_path_change[]) {
                BIGTCP_PATH_PUSH_VLAN, BIGTCP_PATH_POP_VLAN,
                BIGTCP_PATH_PUSH_MPLS, BIGTCP_PATH_POP_MPLS,
                BIGTCP_PATH_PUSH_NSH, BIGTCP_PATH_POP_NSH,
                BIGTCP_PATH_PUSH_ETH, BIGTCP_PATH_POP_ETH,
            }[letter - letters], 24);
    }
}

static void
run_case(const struct test_case *c)
{
    struct bigtcp_link links[3];
    struct bigtcp_path_device devs[3];
    struct bigtcp_path_remedy remedy;
    struct bigtcp_path_copy *copy;
    struct bigtcp_path path;
    struct ds text = DS_EMPTY_INITIALIZER;
    const char *decider;
    char *s;

    make_device(&c->sender, "sender", &links[0], &devs[0]);
    make_device(&c->egress, "egress", &links[1], &devs[1]);
    make_device(&c->lower, "lower", &links[2], &devs[2]);

    bigtcp_path_init(&path);
    path.bridge = xstrdup("br0");
    path.flow = xstrdup("flow");
    path.family = c->family;
    path.tcp = c->family != BIGTCP_PATH_OTHER && !c->not_tcp;
    path.kernel = c->kernel;
    path.sender = c->no_sender ? NULL : &devs[0];
    copy = bigtcp_path_add_copy(&path);
    copy->n_hops = c->tunnel == BIGTCP_PATH_NO_TUNNEL ? 1 : 2;
    copy->slow = nullable_xstrdup(c->slow);
    copy->hops[0].dev = &devs[1];
    copy->hops[0].hands_up = c->hands_up;
    copy->hops[0].packet = (struct bigtcp_path_packet) {
        .family = c->family,
        .ethernet = true,
        .n_vlans = c->n_vlans,
        .max_len = c->max_len ? c->max_len : UINT32_MAX,
    };
    change_packet(&copy->hops[0].packet, c->changes);
    copy->hops[1].dev = &devs[2];
    copy->hops[1].packet = copy->hops[0].packet;
    copy->hops[1].tunnel = c->tunnel;
    copy->hops[1].outer_ipv6 = c->outer_ipv6;
    copy->hops[1].overhead = c->overhead;

    bigtcp_path_decide(&path);
    decider = (copy->by < copy->n_hops ? copy->hops[copy->by].dev->device
               : NULL);
    bigtcp_path_find_remedy(copy, &remedy);
    s = (remedy.key != BIGTCP_N_ATTRS
         ? xasprintf("%s=%"PRIu32, bigtcp_attr_to_string(remedy.key),
                     remedy.value)
         : remedy.reason ? xstrdup(remedy.reason) : NULL);
    if (path.largest != c->largest || path.effect != c->effect
        || copy->largest != c->largest || copy->effect != c->effect
        || !nullable_string_is_equal(decider, c->decider)
        || bigtcp_path_is_exceeded(&path) != c->exceeded
        || (s ? !c->remedy || !strstr(s, c->remedy) : !!c->remedy)) {
        ovs_fatal(0, "%s: largest %"PRIu32" effect %s decider %s exceeded %d "
                  "remedy %s", c->name, path.largest,
                  bigtcp_path_effect_to_string(path.effect),
                  decider ? decider : "-", bigtcp_path_is_exceeded(&path),
                  s ? s : "-");
    }

    /* Both forms can be made of it. */
    bigtcp_path_format(&path, &text);
    json_destroy(bigtcp_path_to_json(&path));

    ds_destroy(&text);
    free(s);
    free(remedy.reason);
    bigtcp_path_destroy(&path);
}

static void
test_cases(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        run_case(&cases[i]);
    }
}

/* Several copies: the smallest decides, user space does not count unless there
 * is nothing else. */
static void
test_copies(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        const char *name;
        int limits[4];          /* Of devices; -1 for user space, -2 for an
                                 * internal port, 0 ends the list. */
        uint32_t largest;
        size_t by;
        enum bigtcp_path_effect effect;
    } tests[] = {
        { "nothing", { 0 }, ANY, 0, WHOLE },
        { "two", { 80000, 70000 }, 69999, 1, SEGMENTED },
        { "the first of equals", { 70000, 70000 }, 69999, 0, SEGMENTED },
        { "user space beside a port", { -1, 70000 }, 69999, 1, SEGMENTED },
        { "user space beside an internal port", { -2, -1 }, ANY, 2, WHOLE },
        { "user space alone", { -1 }, 1514, 0, BIGTCP_PATH_PIECES },
        { "an internal port alone", { -2 }, ANY, 1, WHOLE },
        { "and beside others", { 524280, -2, 65536 }, 65535, 2, SEGMENTED },
    };

    for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
        struct spec sender = INTERNAL_BIG;
        struct bigtcp_path_device devs[5];
        struct bigtcp_link links[5];
        struct ds ds = DS_EMPTY_INITIALIZER;
        struct bigtcp_path path;

        bigtcp_path_init(&path);
        path.bridge = xstrdup("br0");
        path.flow = xstrdup("flow");
        path.tcp = true;
        make_device(&sender, "sender", &links[4], &devs[4]);
        path.sender = &devs[4];
        for (size_t j = 0; j < 4 && tests[i].limits[j]; j++) {
            struct bigtcp_path_copy *copy = bigtcp_path_add_copy(&path);
            int limit = tests[i].limits[j];
            struct spec spec = { .kind = "veth", .v4 = MAX(limit, 0) };

            make_device(&spec, "egress", &links[j], &devs[j]);
            if (limit != -1) {
                copy->n_hops = 1;
                copy->hops[0].dev = &devs[j];
                copy->hops[0].hands_up = limit == -2;
                copy->hops[0].packet.ethernet = true;
                copy->hops[0].packet.max_len = UINT32_MAX;
            }
        }
        bigtcp_path_decide(&path);
        if (path.largest != tests[i].largest || path.by != tests[i].by
            || path.effect != tests[i].effect) {
            ovs_fatal(0, "%s: largest %"PRIu32" by %"PRIuSIZE" effect %s",
                      tests[i].name, path.largest, path.by,
                      bigtcp_path_effect_to_string(path.effect));
        }
        bigtcp_path_format(&path, &ds);
        json_destroy(bigtcp_path_to_json(&path));
        ds_destroy(&ds);
        bigtcp_path_destroy(&path);
    }
}

/* A VLAN upon a bond upon two devices. */
static void
test_lowers(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        const char *changes;
        bool slow;
        uint32_t largest[2];    /* Of the two members. */
        const char *decider[2];
    } tests[] = {
        { "", false, { 199999, 79999 }, { "vlan", "m1" } },
        /* Two tags: judged by the IPv4 limit from the bond on. */
        { "v", false, { 99995, 79995 }, { "bond", "m1" } },
        { "", true, { 1514, 1514 }, { NULL, NULL } },
    };

    for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
        struct spec sender = INTERNAL_BIG;
        struct spec specs[] = {
            { .kind = "vlan", .v6 = 200000 },
            { .kind = "bond", .v6 = 300000, .v4 = 100000 },
            { .kind = "veth", .v6 = 300000, .v4 = 300000 },
            { .kind = "veth", .v6 = 80000, .v4 = 80000 },
        };
        static const char *const names[] = { "vlan", "bond", "m0", "m1" };
        const struct bigtcp_path_device *vlan_lowers[1], *bond_lowers[2];
        struct bigtcp_path_device devs[5];
        struct bigtcp_link links[5];
        struct bigtcp_path_copy *copy;
        struct bigtcp_path path;

        for (size_t j = 0; j < 4; j++) {
            make_device(&specs[j], names[j], &links[j], &devs[j]);
        }
        make_device(&sender, "sender", &links[4], &devs[4]);
        vlan_lowers[0] = &devs[1];
        bond_lowers[0] = &devs[2];
        bond_lowers[1] = &devs[3];
        devs[0].lowers = vlan_lowers;
        devs[0].n_lowers = 1;
        devs[1].lowers = bond_lowers;
        devs[1].n_lowers = 2;

        bigtcp_path_init(&path);
        path.family = V6;
        path.tcp = true;
        path.sender = &devs[4];
        copy = bigtcp_path_add_copy(&path);
        copy->n_hops = 1;
        copy->slow = tests[i].slow ? xstrdup("because") : NULL;
        copy->hops[0].dev = &devs[0];
        copy->hops[0].packet.family = V6;
        copy->hops[0].packet.ethernet = true;
        copy->hops[0].packet.max_len = UINT32_MAX;
        change_packet(&copy->hops[0].packet, tests[i].changes);
        bigtcp_path_steps_add(&copy->steps, "push_vlan", NULL);

        bigtcp_path_add_lowers(&path);
        bigtcp_path_decide(&path);
        ovs_assert(path.n_copies == 2);
        for (size_t j = 0; j < 2; j++) {
            const char *decider;

            copy = &path.copies[j];
            decider = (copy->by < copy->n_hops
                       ? copy->hops[copy->by].dev->device : NULL);
            if (copy->n_hops != 3 || !copy->choice || copy->steps.n != 1
                || copy->hops[2].dev != bond_lowers[j]
                || copy->largest != tests[i].largest[j]
                || !nullable_string_is_equal(decider,
                                             tests[i].decider[j])) {
                ovs_fatal(0, "%"PRIuSIZE" %"PRIuSIZE": largest %"PRIu32
                          " decider %s", i, j, copy->largest,
                          decider ? decider : "-");
            }
        }
        bigtcp_path_destroy(&path);
    }
}

/* What holds for any packet: more headers never let more pass, what is popped
 * is as if it had never been pushed, and a larger limit never hurts. */
static void
test_invariants(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    random_set_seed(1);
    for (int i = 0; i < 10000; i++) {
        uint32_t limits[2] = { 2000 + random_range(500000), 0 };
        struct spec sender = INTERNAL_BIG;
        struct bigtcp_path_device devs[3];
        struct bigtcp_link links[3];
        struct bigtcp_path path;
        uint32_t seen[4];

        limits[1] = limits[0] + random_range(10000);
        make_device(&sender, "sender", &links[2], &devs[2]);
        bigtcp_path_init(&path);
        path.family = random_range(2) ? V4 : V6;
        path.tcp = true;
        path.sender = &devs[2];
        for (int j = 0; j < 4; j++) {
            struct bigtcp_path_copy *copy = bigtcp_path_add_copy(&path);
            struct spec spec = { .kind = "veth", .v4 = limits[j == 3],
                                 .v6 = limits[j == 3] };
            struct bigtcp_path_packet *packet = &copy->hops[0].packet;

            make_device(&spec, "egress", &links[j == 3], &devs[j == 3]);
            copy->n_hops = 1;
            copy->hops[0].dev = &devs[j == 3];
            packet->family = path.family;
            packet->ethernet = true;
            packet->max_len = UINT32_MAX;
            change_packet(packet, (const char *[]) {
                              "", "vvm", "vvmVMVmMvV", "" }[j]);
        }
        bigtcp_path_decide(&path);
        for (int j = 0; j < 4; j++) {
            seen[j] = path.copies[j].largest;
        }
        ovs_assert(seen[0] == limits[0] - 1);
        ovs_assert(seen[1] == seen[0] - 8);
        ovs_assert(seen[2] == seen[0]);
        ovs_assert(seen[3] >= seen[0]);
        ovs_assert(path.largest == seen[1]);
        bigtcp_path_destroy(&path);
    }
}

/* Text as it is printed. */
static void
test_text(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct spec sender = INTERNAL_BIG;
    struct spec egress = { .kind = "veth" };
    struct spec tunnel = { .kind = "vxlan", .v4 = 524280 };
    struct bigtcp_path_device devs[4];
    struct bigtcp_link links[4];
    struct bigtcp_settings settings;
    struct ds ds = DS_EMPTY_INITIALIZER;
    struct bigtcp_path_copy *copy;
    struct bigtcp_path path;

    make_device(&sender, "sender", &links[0], &devs[0]);
    make_device(&egress, "egress", &links[1], &devs[1]);
    make_device(&tunnel, "vxlan_sys_4789", &links[2], &devs[2]);
    make_device(&egress, "lower", &links[3], &devs[3]);
    devs[3].port = NULL;
    devs[2].port = "t1";
    bigtcp_settings_init(&settings);
    settings.keys[BIGTCP_GSO_IPV4_MAX_SIZE] = (struct bigtcp_setting) {
        .valid = true, .value = 65536, .row = BIGTCP_ROW_BRIDGE,
    };
    devs[1].settings = &settings;

    bigtcp_path_init(&path);
    path.bridge = xstrdup("br0");
    path.flow = xstrdup("tcp,in_port=sender");
    path.tcp = true;
    path.sender = &devs[0];
    copy = bigtcp_path_add_copy(&path);
    copy->n_hops = 1;
    copy->hops[0].dev = &devs[1];
    copy->hops[0].packet.ethernet = true;
    copy->hops[0].packet.max_len = UINT32_MAX;
    change_packet(&copy->hops[0].packet, "vv");
    copy->choice = true;
    bigtcp_path_steps_add(&copy->steps, "ct", "zone=%d", 5);
    bigtcp_path_steps_add(&copy->steps, "push_vlan", NULL);
    bigtcp_path_steps_add(&copy->steps, "push_vlan", NULL);
    copy = bigtcp_path_add_copy(&path);
    copy->n_hops = 2;
    copy->hops[0].dev = &devs[2];
    copy->hops[0].packet.ethernet = true;
    copy->hops[0].packet.max_len = UINT32_MAX;
    copy->hops[1] = copy->hops[0];
    copy->hops[1].dev = &devs[3];
    copy->hops[1].tunnel = BIGTCP_PATH_UDP;
    copy->hops[1].overhead = 50;
    copy = bigtcp_path_add_copy(&path);
    bigtcp_path_steps_add(&copy->steps, "userspace", "controller");
    bigtcp_path_steps_add(&path.notes, "note", "something");
    bigtcp_path_decide(&path);
    bigtcp_path_format(&path, &ds);
    fputs(ds_cstr(&ds), stdout);
    ds_destroy(&ds);
    bigtcp_path_destroy(&path);
}

static void
test_bigtcp_path_main(int argc, char *argv[])
{
    static const struct ovs_cmdl_command commands[] = {
        { "cases", NULL, 0, 0, test_cases, OVS_RO },
        { "copies", NULL, 0, 0, test_copies, OVS_RO },
        { "lowers", NULL, 0, 0, test_lowers, OVS_RO },
        { "invariants", NULL, 0, 0, test_invariants, OVS_RO },
        { "text", NULL, 0, 0, test_text, OVS_RO },
        { NULL, NULL, 0, 0, NULL, OVS_RO },
    };
    struct ovs_cmdl_context ctx = { .argc = argc - 1, .argv = argv + 1 };

    set_program_name(argv[0]);
    ovs_cmdl_run_command(&ctx, commands);
}

OVSTEST_REGISTER("test-bigtcp-path", test_bigtcp_path_main);
