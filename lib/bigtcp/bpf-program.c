/* SPDX-License-Identifier: Apache-2.0 */

/* The eBPF program that counts packets (lib/bigtcp/counts.h), put together
 * here so that neither a compiler for it nor a library is needed. */

#include <config.h>

#include "bigtcp/bpf.h"

#include <linux/bpf.h>
#include <linux/if_packet.h>
#include <netinet/in.h>

#include "bigtcp/counts.h"
#include "openvswitch/ofpbuf.h"
#include "packets.h"
#include "util.h"

/* Offsets in struct __sk_buff, which are the kernel's ABI. */
enum {
    SKB_LEN = 0,
    SKB_PKT_TYPE = 4,
    SKB_PROTOCOL = 16,
    SKB_GSO_SIZE = BIGTCP_SKB_GSO_SIZE,
};

/* Where jumps lead to. */
enum label {
    LABEL_TAG,                  /* r9 is the Ethertype of a VLAN tag... */
    LABEL_LAST_TAG = LABEL_TAG + BIGTCP_MAX_TAGS - 1,
    LABEL_PROTOCOL,             /* r7 knows the direction. */
    LABEL_FAMILY,               /* r9 is the Ethertype behind all tags. */
    LABEL_OTHER,                /* It is of neither family. */
    LABEL_SIZE,                 /* r7 knows direction and family. */
    LABEL_COUNT,                /* r7 is the number of a count. */
    LABEL_EXIT,
    N_LABELS
};

struct program {
    struct ofpbuf *insns;       /* "struct bpf_insn"s. */
    size_t labels[N_LABELS];    /* Index of the instruction at each label. */
};

static size_t
n_insns(const struct program *program)
{
    return program->insns->size / sizeof(struct bpf_insn);
}

/* Appends an instruction.  Of a jump, 'off' is an enum label until
 * resolve_labels(). */
static void
emit(struct program *program, uint8_t code, uint8_t dst, uint8_t src,
     int16_t off, int32_t imm)
{
    struct bpf_insn insn = {
        .code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm,
    };

    ofpbuf_put(program->insns, &insn, sizeof insn);
}

static void
put_label(struct program *program, enum label label)
{
    program->labels[label] = n_insns(program);
}

static void
resolve_labels(struct program *program)
{
    struct bpf_insn *insns = program->insns->data;

    for (size_t i = 0; i < n_insns(program); i++) {
        uint8_t op = BPF_OP(insns[i].code);

        if (BPF_CLASS(insns[i].code) == BPF_JMP
            && op != BPF_CALL && op != BPF_EXIT) {
            insns[i].off = program->labels[insns[i].off] - i - 1;
        }
    }
}

/* 'dst' = 'src'. */
static void
emit_mov(struct program *program, uint8_t dst, uint8_t src)
{
    emit(program, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

/* 'dst' = 'imm'. */
static void
emit_mov_imm(struct program *program, uint8_t dst, int32_t imm)
{
    emit(program, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

/* 'dst' += 'imm'. */
static void
emit_add_imm(struct program *program, uint8_t dst, int32_t imm)
{
    emit(program, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm);
}

/* Goes to 'label' if 'dst' OP 'imm', where 'op' is e.g. BPF_JEQ. */
static void
emit_jump(struct program *program, uint8_t op, uint8_t dst, int32_t imm,
          enum label label)
{
    emit(program, BPF_JMP | op | BPF_K, dst, 0, label, imm);
}

/* 'dst' = the 32-bit member of the packet at 'offset'. */
static void
emit_load_skb(struct program *program, uint8_t dst, int16_t offset)
{
    emit(program, BPF_LDX | BPF_MEM | BPF_W, dst, BPF_REG_6, offset, 0);
}

static void
emit_call(struct program *program, int32_t function)
{
    emit(program, BPF_JMP | BPF_CALL, 0, 0, 0, function);
}

/* Returns 'ethertype' as a program sees it: in network byte order. */
static int32_t
ethertype_imm(uint16_t ethertype)
{
    return (OVS_FORCE int32_t) htons(ethertype);
}

/* Adds 'src', or 1 if that is 0, to the 64-bit member at 'offset' of the
 * struct bigtcp_count that r0 points to. */
static void
emit_count(struct program *program, int16_t offset, uint8_t src)
{
    emit(program, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_0, offset, 0);
    if (src) {
        emit(program, BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_1, src, 0, 0);
    } else {
        emit_add_imm(program, BPF_REG_1, 1);
    }
    emit(program, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_1, offset, 0);
}

/* Appends to 'insns' the program, as "struct bpf_insn"s.  It adds each packet
 * to the count that it belongs to in 'map_fd', a per-CPU array of
 * BIGTCP_N_COUNTS, and returns 0, so that the socket takes none.  'l2_size' is
 * the size of the Ethernet header of the device's packets, 0 if they have
 * none.
 *
 * Plain additions do: the kernel sends and receives with bottom halves
 * disabled, so that no two packets are counted at a time on one CPU. */
void
bigtcp_bpf_compose(struct ofpbuf *insns, int map_fd, uint32_t l2_size)
{
    struct program p = { .insns = insns };

    emit_mov(&p, BPF_REG_6, BPF_REG_1);

    /* r7: number of the first count of the direction. */
    emit_load_skb(&p, BPF_REG_1, SKB_PKT_TYPE);
    emit_mov_imm(&p, BPF_REG_7, bigtcp_count_index(BIGTCP_SENT, 0, 0));
    emit_jump(&p, BPF_JEQ, BPF_REG_1, PACKET_OUTGOING, LABEL_PROTOCOL);
    emit_mov_imm(&p, BPF_REG_7, bigtcp_count_index(BIGTCP_RECEIVED, 0, 0));

    /* r8: length without Ethernet header and tags, r9: Ethertype.  A tag that
     * the kernel keeps beside the packet is in neither. */
    put_label(&p, LABEL_PROTOCOL);
    emit_load_skb(&p, BPF_REG_8, SKB_LEN);
    emit_add_imm(&p, BPF_REG_8, -(int32_t) l2_size);
    emit_load_skb(&p, BPF_REG_9, SKB_PROTOCOL);
    for (int i = 0; i < BIGTCP_MAX_TAGS; i++) {
        emit_jump(&p, BPF_JEQ, BPF_REG_9, ethertype_imm(ETH_TYPE_VLAN_8021Q),
                  LABEL_TAG + i);
        emit_jump(&p, BPF_JNE, BPF_REG_9, ethertype_imm(ETH_TYPE_VLAN_8021AD),
                  LABEL_FAMILY);
        put_label(&p, LABEL_TAG + i);
        emit_mov(&p, BPF_REG_1, BPF_REG_6);
        emit_mov_imm(&p, BPF_REG_2, l2_size + i * VLAN_HEADER_LEN + 2);
        emit_mov(&p, BPF_REG_3, BPF_REG_10);
        emit_add_imm(&p, BPF_REG_3, -8);
        emit_mov_imm(&p, BPF_REG_4, sizeof(uint16_t));
        emit_call(&p, BPF_FUNC_skb_load_bytes);
        emit_jump(&p, BPF_JNE, BPF_REG_0, 0, LABEL_OTHER);
        emit(&p, BPF_LDX | BPF_MEM | BPF_H, BPF_REG_9, BPF_REG_10, -8, 0);
        emit_add_imm(&p, BPF_REG_8, -VLAN_HEADER_LEN);
    }

    put_label(&p, LABEL_FAMILY);
    BUILD_ASSERT_DECL(BIGTCP_IPV4 == 0 && BIGTCP_IPV6 == 1
                      && BIGTCP_OTHER == 2 && BIGTCP_N_FAMILIES == 3);
    emit_jump(&p, BPF_JEQ, BPF_REG_9, ethertype_imm(ETH_TYPE_IP), LABEL_SIZE);
    emit_add_imm(&p, BPF_REG_7, BIGTCP_N_SIZE_CLASSES);
    emit_jump(&p, BPF_JEQ, BPF_REG_9, ethertype_imm(ETH_TYPE_IPV6),
              LABEL_SIZE);
    emit_add_imm(&p, BPF_REG_7, -BIGTCP_N_SIZE_CLASSES);
    put_label(&p, LABEL_OTHER);
    emit_add_imm(&p, BPF_REG_7, BIGTCP_OTHER * BIGTCP_N_SIZE_CLASSES);

    put_label(&p, LABEL_SIZE);
    emit_load_skb(&p, BPF_REG_1, SKB_GSO_SIZE);
    emit_jump(&p, BPF_JEQ, BPF_REG_1, 0, LABEL_COUNT);
    for (int i = BIGTCP_SIZE_64K; i < BIGTCP_N_SIZE_CLASSES; i++) {
        emit_add_imm(&p, BPF_REG_7, 1);
        if (i < BIGTCP_N_SIZE_CLASSES - 1) {
            emit_jump(&p, BPF_JLT, BPF_REG_8, bigtcp_size_class_bound(i),
                      LABEL_COUNT);
        }
    }

    put_label(&p, LABEL_COUNT);
    emit(&p, BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_7, -4, 0);
    emit_mov(&p, BPF_REG_2, BPF_REG_10);
    emit_add_imm(&p, BPF_REG_2, -4);
    emit(&p, BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0,
         map_fd);
    emit(&p, 0, 0, 0, 0, 0);    /* Upper half of 'map_fd'. */
    emit_call(&p, BPF_FUNC_map_lookup_elem);
    emit_jump(&p, BPF_JEQ, BPF_REG_0, 0, LABEL_EXIT);
    emit_load_skb(&p, BPF_REG_8, SKB_LEN);
    emit_count(&p, offsetof(struct bigtcp_count, packets), 0);
    emit_count(&p, offsetof(struct bigtcp_count, bytes), BPF_REG_8);
    emit(&p, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_0,
         offsetof(struct bigtcp_count, largest), 0);
    emit(&p, BPF_JMP | BPF_JGE | BPF_X, BPF_REG_1, BPF_REG_8, LABEL_EXIT, 0);
    emit(&p, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_8,
         offsetof(struct bigtcp_count, largest), 0);

    put_label(&p, LABEL_EXIT);
    emit_mov_imm(&p, BPF_REG_0, 0);
    emit(&p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
    resolve_labels(&p);
}
