/* SPDX-License-Identifier: Apache-2.0 */

/* Unit tests of lib/bigtcp/counts.c and of the program of lib/bigtcp/bpf.c,
 * which an interpreter runs here, and then the kernel where it may. */

#include <config.h>
#undef NDEBUG
#include "bigtcp/bpf.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "bigtcp/counts.h"
#include "bigtcp/provider.h"
#include "command-line.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "openvswitch/ofpbuf.h"
#include "ovstest.h"
#include "packets.h"
#include "random.h"
#include "util.h"

/* Size classes. */

static void
test_classify(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        uint32_t length;
        bool gso;
        const char *size_class;
    } rows[] = {
        { 0, false, "mss" },
        { 1500, false, "mss" },
        { 65536, false, "mss" }, /* The loopback device's MTU. */
        { 524280, false, "mss" },
        { 0, true, "64k" },
        { 1, true, "64k" },
        { 65535, true, "64k" },
        { 65536, true, "128k" },
        { 131071, true, "128k" },
        { 131072, true, "256k" },
        { 262143, true, "256k" },
        { 262144, true, "512k" },
        { 524280, true, "512k" },
        { UINT32_MAX, true, "512k" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *size_class = bigtcp_size_class_to_string(
            bigtcp_size_classify(rows[i].length, rows[i].gso));

        if (strcmp(size_class, rows[i].size_class)) {
            ovs_fatal(0, "%"PRIu32", %d: %s", rows[i].length, rows[i].gso,
                      size_class);
        }
    }
}

static struct bigtcp_count *
get_count(struct bigtcp_counts *counts, enum bigtcp_direction direction,
          enum bigtcp_family family, enum bigtcp_size_class size_class)
{
    return &counts->count[bigtcp_count_index(direction, family, size_class)];
}

static void
test_sums(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct bigtcp_counts counts;
    struct bigtcp_count all, big;
    struct ds ds = DS_EMPTY_INITIALIZER;

    memset(&counts, 0, sizeof counts);
    ovs_assert(bigtcp_counts_share(&counts) == 0);
    bigtcp_counts_format(&counts, &ds);
    ovs_assert(!strcmp(ds_cstr(&ds), "  no packets\n"));

    *get_count(&counts, BIGTCP_SENT, BIGTCP_IPV4, BIGTCP_SIZE_64K)
        = (struct bigtcp_count) { 2, 100000, 60000 };
    *get_count(&counts, BIGTCP_SENT, BIGTCP_IPV6, BIGTCP_SIZE_512K)
        = (struct bigtcp_count) { 1, 500000, 500000 };
    *get_count(&counts, BIGTCP_RECEIVED, BIGTCP_IPV6, BIGTCP_SIZE_128K)
        = (struct bigtcp_count) { 2, 160000, 80000 };
    *get_count(&counts, BIGTCP_RECEIVED, BIGTCP_OTHER, BIGTCP_SIZE_MSS)
        = (struct bigtcp_count) { 1000, 40000, 60 };

    bigtcp_counts_sum(&counts, BIGTCP_SENT, &all, &big);
    ovs_assert(all.packets == 3 && all.bytes == 600000
               && all.largest == 500000);
    ovs_assert(big.packets == 1 && big.bytes == 500000
               && big.largest == 500000);
    bigtcp_counts_sum(&counts, BIGTCP_RECEIVED, &all, &big);
    ovs_assert(all.packets == 1002 && all.bytes == 200000
               && all.largest == 80000);
    ovs_assert(big.packets == 2 && big.bytes == 160000
               && big.largest == 80000);
    ovs_assert(bigtcp_counts_share(&counts) == 82.5);
    ds_destroy(&ds);
}

/* An interpreter of the instructions that the program has.  Registers hold
 * addresses as they are. */

struct machine {
    uint32_t skb[sizeof(struct __sk_buff) / 4]; /* In host byte order. */
    const uint8_t *frame;
    size_t frame_size;          /* What bpf_skb_load_bytes() can reach, which
                                 * can be less than the packet. */
    int map_fd;
    struct bigtcp_counts counts;
};

static uint64_t
call_helper(struct machine *m, int32_t function, const uint64_t r[])
{
    switch (function) {
    case BPF_FUNC_map_lookup_elem: {
        uint32_t key;

        ovs_assert(r[1] == m->map_fd);
        memcpy(&key, (void *) (uintptr_t) r[2], sizeof key);
        ovs_assert(key < BIGTCP_N_COUNTS);
        return (uintptr_t) &m->counts.count[key];
    }

    case BPF_FUNC_skb_load_bytes:
        ovs_assert(r[1] == (uintptr_t) m->skb);
        if (r[2] + r[4] > m->frame_size) {
            return -EFAULT;
        }
        memcpy((void *) (uintptr_t) r[3], m->frame + r[2], r[4]);
        return 0;

    default:
        OVS_NOT_REACHED();
    }
}

static bool
compare(uint8_t op, uint64_t a, uint64_t b)
{
    switch (op) {
    case BPF_JEQ: return a == b;
    case BPF_JNE: return a != b;
    case BPF_JGE: return a >= b;
    case BPF_JLT: return a < b;
    default: OVS_NOT_REACHED();
    }
}

static uint64_t
load(uint8_t size, uint64_t address)
{
    const void *p = (void *) (uintptr_t) address;

    switch (size) {
    case BPF_H: return *(const uint16_t *) p;
    case BPF_W: return *(const uint32_t *) p;
    case BPF_DW: return *(const uint64_t *) p;
    default: OVS_NOT_REACHED();
    }
}

static void
store(uint8_t size, uint64_t address, uint64_t value)
{
    void *p = (void *) (uintptr_t) address;

    switch (size) {
    case BPF_W: *(uint32_t *) p = value; break;
    case BPF_DW: *(uint64_t *) p = value; break;
    default: OVS_NOT_REACHED();
    }
}

/* Runs the 'n' instructions at 'insns' and returns their result. */
static uint64_t
interpret(struct machine *m, const struct bpf_insn *insns, size_t n)
{
    uint64_t stack[512 / 8];
    uint64_t r[11] = { [1] = (uintptr_t) m->skb,
                       [10] = (uintptr_t) (stack + ARRAY_SIZE(stack)) };

    for (size_t pc = 0; pc < n; pc++) {
        const struct bpf_insn *i = &insns[pc];
        uint8_t class = BPF_CLASS(i->code);
        uint64_t *dst = &r[i->dst_reg];
        uint64_t operand = (BPF_SRC(i->code) == BPF_X
                            ? r[i->src_reg] : (uint64_t) (int64_t) i->imm);

        if (i->code == (BPF_LD | BPF_DW | BPF_IMM)) {
            *dst = i->imm;
            pc++;
        } else if (class == BPF_LDX) {
            *dst = load(BPF_SIZE(i->code), r[i->src_reg] + i->off);
        } else if (class == BPF_STX) {
            store(BPF_SIZE(i->code), *dst + i->off, r[i->src_reg]);
        } else if (i->code == (BPF_JMP | BPF_CALL)) {
            r[0] = call_helper(m, i->imm, r);
            r[1] = r[2] = r[3] = r[4] = r[5] = UINT64_MAX;
        } else if (i->code == (BPF_JMP | BPF_EXIT)) {
            return r[0];
        } else if (class == BPF_JMP) {
            if (compare(BPF_OP(i->code), *dst, operand)) {
                pc += i->off;
            }
        } else if (class == BPF_ALU64 && BPF_OP(i->code) == BPF_MOV) {
            *dst = operand;
        } else if (class == BPF_ALU64 && BPF_OP(i->code) == BPF_ADD) {
            *dst += operand;
        } else {
            ovs_fatal(0, "instruction %"PRIuSIZE": code %#x", pc, i->code);
        }
    }
    ovs_fatal(0, "no end");
}

/* Appends to 'frame' an Ethernet header, unless 'l2_size' is 0, and
 * 'n_tags' VLAN tags before 'ethertype'.  Returns the Ethertype that the
 * kernel says of the packet. */
static uint16_t
put_frame(struct ofpbuf *frame, uint32_t l2_size, int n_tags,
          uint16_t ethertype)
{
    uint16_t types[4];

    for (int i = 0; i < n_tags; i++) {
        types[i] = (i == n_tags - 1 ? ETH_TYPE_VLAN_8021Q
                    : ETH_TYPE_VLAN_8021AD);
    }
    types[n_tags] = ethertype;

    if (l2_size) {
        ovs_be16 type = htons(types[0]);

        ofpbuf_put_zeros(frame, 2 * ETH_ADDR_LEN);
        ofpbuf_put(frame, &type, sizeof type);
    }
    for (int i = 0; i < n_tags; i++) {
        ovs_be16 tag[2] = { htons(100 + i), htons(types[i + 1]) };

        ofpbuf_put(frame, tag, sizeof tag);
    }
    ofpbuf_put_zeros(frame, 40);
    return types[0];
}

static void
check_counts(const struct bigtcp_counts *got,
             const struct bigtcp_counts *expected, const char *what)
{
    for (size_t i = 0; i < BIGTCP_N_COUNTS; i++) {
        const struct bigtcp_count *a = &got->count[i];
        const struct bigtcp_count *b = &expected->count[i];

        if (a->packets != b->packets || a->bytes != b->bytes
            || a->largest != b->largest) {
            ovs_fatal(0, "%s: count %"PRIuSIZE": %"PRIu64" packets, "
                      "%"PRIu64" bytes, largest %"PRIu64"; not %"PRIu64", "
                      "%"PRIu64", %"PRIu64, what, i, a->packets, a->bytes,
                      a->largest, b->packets, b->bytes, b->largest);
        }
    }
}

static void
test_interpret(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const uint16_t ethertypes[] = {
        ETH_TYPE_IP, ETH_TYPE_IPV6, ETH_TYPE_ARP, ETH_TYPE_MPLS, ETH_TYPE_NSH,
    };
    static const uint32_t edges[] = {
        0, 1, 60, 1500, 65535, 65536, 131071, 131072, 262143, 262144, 524280,
    };

    ovs_assert(offsetof(struct __sk_buff, len) == 0
               && offsetof(struct __sk_buff, pkt_type) == 4
               && offsetof(struct __sk_buff, protocol) == 16
               && offsetof(struct __sk_buff, gso_size) == 176);

    for (uint32_t l2_size = 0; l2_size <= ETH_HEADER_LEN;
         l2_size += ETH_HEADER_LEN) {
        struct bigtcp_counts expected;
        struct machine m;
        struct ofpbuf insns;

        memset(&expected, 0, sizeof expected);
        memset(&m, 0, sizeof m);
        m.map_fd = 77;
        ofpbuf_init(&insns, 0);
        bigtcp_bpf_compose(&insns, m.map_fd, l2_size);

        for (int i = 0; i < 100000; i++) {
            uint16_t ethertype = ethertypes[random_range(
                                                ARRAY_SIZE(ethertypes))];
            int pkt_type = random_range(PACKET_OUTGOING + 1);
            uint32_t gso_size = random_range(2) ? 0 : 1 + random_range(9000);
            int n_tags = random_range(4);
            bool truncated = n_tags && !random_range(8);
            enum bigtcp_family family;
            struct ofpbuf frame;
            uint32_t length, bytes;
            struct bigtcp_count count;

            length = (random_range(2) ? edges[random_range(ARRAY_SIZE(edges))]
                      : random_range(600000));
            ofpbuf_init(&frame, 128);
            m.skb[offsetof(struct __sk_buff, protocol) / 4]
                = (OVS_FORCE uint16_t) htons(put_frame(&frame, l2_size, n_tags,
                                                       ethertype));
            m.frame = frame.data;
            m.frame_size = truncated ? l2_size + 3 : frame.size;

            /* Of a packet with more tags than are looked behind, or whose
             * first tag is not whole, no more than these can be taken off. */
            family = (truncated || n_tags > BIGTCP_MAX_TAGS ? BIGTCP_OTHER
                      : ethertype == ETH_TYPE_IP ? BIGTCP_IPV4
                      : ethertype == ETH_TYPE_IPV6 ? BIGTCP_IPV6
                      : BIGTCP_OTHER);
            bytes = (length + l2_size
                     + (truncated ? 0
                        : MIN(n_tags, BIGTCP_MAX_TAGS) * VLAN_HEADER_LEN));

            m.skb[offsetof(struct __sk_buff, len) / 4] = bytes;
            m.skb[offsetof(struct __sk_buff, pkt_type) / 4] = pkt_type;
            m.skb[offsetof(struct __sk_buff, gso_size) / 4] = gso_size;

            count = (struct bigtcp_count) { 1, bytes, bytes };
            bigtcp_count_add(get_count(&expected, (pkt_type == PACKET_OUTGOING
                                                   ? BIGTCP_SENT
                                                   : BIGTCP_RECEIVED),
                                       family,
                                       bigtcp_size_classify(length,
                                                            gso_size != 0)),
                             &count);
            ovs_assert(!interpret(&m, insns.data,
                                  insns.size / sizeof(struct bpf_insn)));
            ofpbuf_uninit(&frame);
        }
        check_counts(&m.counts, &expected, l2_size ? "Ethernet" : "bare");
        for (size_t i = 0; i < BIGTCP_N_COUNTS; i++) {
            ovs_assert(expected.count[i].packets);
        }
        ofpbuf_uninit(&insns);
    }
}

static void
test_kernel(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        uint16_t ethertype;
        int n_tags;
        uint32_t gso_size;
        enum bigtcp_family family;
        enum bigtcp_size_class size_class;
    } rows[] = {
        { ETH_TYPE_IP, 0, 0, BIGTCP_IPV4, BIGTCP_SIZE_MSS },
        { ETH_TYPE_IP, 0, 500, BIGTCP_IPV4, BIGTCP_SIZE_64K },
        { ETH_TYPE_IPV6, 0, 0, BIGTCP_IPV6, BIGTCP_SIZE_MSS },
        { ETH_TYPE_IPV6, 0, 500, BIGTCP_IPV6, BIGTCP_SIZE_64K },
        { ETH_TYPE_ARP, 0, 0, BIGTCP_OTHER, BIGTCP_SIZE_MSS },
        { ETH_TYPE_IP, 1, 500, BIGTCP_IPV4, BIGTCP_SIZE_64K },
        { ETH_TYPE_IPV6, 1, 0, BIGTCP_IPV6, BIGTCP_SIZE_MSS },
        { ETH_TYPE_IPV6, 2, 500, BIGTCP_IPV6, BIGTCP_SIZE_64K },
        { ETH_TYPE_IP, 2, 0, BIGTCP_IPV4, BIGTCP_SIZE_MSS },
        { ETH_TYPE_IP, 3, 500, BIGTCP_OTHER, BIGTCP_SIZE_64K },
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct bigtcp_counts counts, expected;
        char *message, *what;
        struct ofpbuf frame;
        size_t size;
        int error;

        ofpbuf_init(&frame, 128);
        put_frame(&frame, ETH_HEADER_LEN, rows[i].n_tags, rows[i].ethertype);
        error = bigtcp_bpf_test_run(frame.data, frame.size, rows[i].gso_size,
                                    &counts, &message);
        if (error) {
            puts(message);
            exit(error == EPERM || error == ENOSYS ? 77 : 1);
        }

        /* The kernel has taken the Ethernet header off. */
        size = frame.size - ETH_HEADER_LEN;
        memset(&expected, 0, sizeof expected);
        *get_count(&expected, BIGTCP_RECEIVED, rows[i].family,
                   rows[i].size_class)
            = (struct bigtcp_count) { 1, size, size };
        what = xasprintf("row %"PRIuSIZE, i);
        check_counts(&counts, &expected, what);
        free(what);
        ofpbuf_uninit(&frame);
    }
}

/* Counts the packets of the devices that are named until the end of standard
 * input, then prints how many there were and how much of their bytes was in
 * packets above 64 kB.  For tests/bigtcp-observe-cost. */
static void
test_hold(struct ovs_cmdl_context *ctx)
{
    const struct bigtcp_tap_class *class = &bigtcp_bpf_tap_class;
    void **taps = xcalloc(ctx->argc, sizeof *taps);

    for (int i = 1; i < ctx->argc; i++) {
        char *message;

        if (class->open(ctx->argv[i], if_nametoindex(ctx->argv[i]), &taps[i],
                        &message)) {
            ovs_fatal(0, "%s: %s", ctx->argv[i], message);
        }
    }
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF) {
        continue;
    }
    for (int i = 1; i < ctx->argc; i++) {
        struct bigtcp_counts counts;
        struct bigtcp_count sent, received, big;

        ovs_assert(!class->read(taps[i], &counts));
        bigtcp_counts_sum(&counts, BIGTCP_SENT, &sent, &big);
        bigtcp_counts_sum(&counts, BIGTCP_RECEIVED, &received, &big);
        printf("%"PRIu64" %.1f\n", sent.packets + received.packets,
               bigtcp_counts_share(&counts));
        class->close(taps[i]);
    }
    free(taps);
}

static void
test_bigtcp_bpf_main(int argc, char *argv[])
{
    static const struct ovs_cmdl_command commands[] = {
        { "classify", NULL, 0, 0, test_classify, OVS_RO },
        { "sums", NULL, 0, 0, test_sums, OVS_RO },
        { "interpret", NULL, 0, 0, test_interpret, OVS_RO },
        { "kernel", NULL, 0, 0, test_kernel, OVS_RO },
        { "hold", NULL, 1, INT_MAX, test_hold, OVS_RO },
        { NULL, NULL, 0, 0, NULL, OVS_RO },
    };
    struct ovs_cmdl_context ctx = { .argc = argc - 1, .argv = argv + 1 };

    set_program_name(argv[0]);
    ovs_cmdl_run_command(&ctx, commands);
}

OVSTEST_REGISTER("test-bigtcp-bpf", test_bigtcp_bpf_main);
