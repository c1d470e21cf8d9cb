/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_PATH_H
#define BIGTCP_PATH_H 1

/* Which hop stops big packets
 * ===========================
 *
 * A packet that arrives at a bridge leaves it in copies.  Each copy is judged
 * by the devices that it leaves by, in the way of the kernel's transmit path
 * (netif_skb_features(), gso_features_check()).  What the copies are and what
 * the devices have goes in; the largest packet that passes whole, the hop that
 * decides, what happens above it and the key that would change it come out.
 *
 * Nothing here does I/O.
 *
 * Sizes are in bytes and those of the kernel's skb->len: with the Ethernet
 * header, without the outermost VLAN tag, which is kept beside the packet.
 * Unless said otherwise they are sizes of the packet as it arrives at the
 * bridge; encapsulation on the way adds to them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bigtcp/settings.h"
#include "openvswitch/compiler.h"

struct ds;
struct json;

/* What the flow is. */
enum bigtcp_path_family {
    BIGTCP_PATH_IPV4,
    BIGTCP_PATH_IPV6,
    BIGTCP_PATH_OTHER,          /* Not IP. */
};

/* A packet on its way, as far as the kernel looks at it. */
struct bigtcp_path_packet {
    enum bigtcp_path_family family;
    bool ethernet;              /* Has an Ethernet header. */
    int n_vlans;                /* VLAN tags. */
    int n_mpls;                 /* MPLS labels. */
    int nsh;                    /* Length of the NSH header, 0 for none. */
    int growth;                 /* Bytes longer than at arrival. */
    uint32_t max_len;           /* Cut to this at the next output, UINT32_MAX
                                 * for not at all; not at arrival, but now. */
};

/* What happens to a packet between the devices. */
enum bigtcp_path_change {
    BIGTCP_PATH_PUSH_VLAN,
    BIGTCP_PATH_POP_VLAN,
    BIGTCP_PATH_PUSH_MPLS,
    BIGTCP_PATH_POP_MPLS,
    BIGTCP_PATH_PUSH_NSH,       /* Length of the header. */
    BIGTCP_PATH_POP_NSH,
    BIGTCP_PATH_PUSH_ETH,
    BIGTCP_PATH_POP_ETH,
};

void bigtcp_path_packet_change(struct bigtcp_path_packet *,
                               enum bigtcp_path_change, int length);

/* How packets are encapsulated for a device. */
enum bigtcp_path_tunnel {
    BIGTCP_PATH_NO_TUNNEL,
    BIGTCP_PATH_UDP,            /* vxlan, geneve: without outer checksum... */
    BIGTCP_PATH_UDP_CSUM,       /* ...and with one. */
    BIGTCP_PATH_GRE,
    BIGTCP_PATH_GRE_CSUM,
};

/* A device, owned by the caller. */
struct bigtcp_path_device {
    const char *device;         /* Kernel device. */
    const char *port;           /* Its port, i.e. Interface, NULL if it is no
                                 * port of Open vSwitch... */
    const char *bridge;         /* ...and the bridge of that, or NULL. */
    bool internal;              /* An internal port... */
    bool tunnel;                /* ...or a tunnel. */
    const struct bigtcp_link *link; /* NULL if it cannot be read. */
    uint32_t offloads;          /* What it does itself. */
    uint32_t mtu;               /* Bytes, 0 if not known. */
    const struct bigtcp_path_device *const *lowers; /* Devices that send what
                                                     * it sends: those below a
                                                     * VLAN, a bond... */
    size_t n_lowers;
    bool managed;               /* Something is asked of it. */
    const struct bigtcp_settings *settings; /* What is asked of 'port' and by
                                             * which row, or NULL. */
};

/* Why a hop lets no more pass. */
enum bigtcp_path_verdict {
    BIGTCP_PATH_PASSES,         /* It looks at no size. */
    BIGTCP_PATH_UNKNOWN,        /* Its device cannot be read. */
    BIGTCP_PATH_SIZE,           /* 'attr' of its device. */
    BIGTCP_PATH_CARRIES,        /* The kernel's code for this tunnel. */
    BIGTCP_PATH_OFFLOAD,        /* Its device does not do 'offload', so that
                                 * all is cut to segments. */
    BIGTCP_PATH_TAGS,           /* The same for packets with two tags. */
    BIGTCP_PATH_LABELS,         /* The same for packets with MPLS labels. */
};

/* A device that a copy leaves by.  A tunnel's is followed by that which the
 * encapsulated packet leaves by, any other by a device below it. */
struct bigtcp_path_hop {
    /* In. */
    const struct bigtcp_path_device *dev;
    bool hands_up;              /* Output to an internal port: it hands the
                                 * packet to the stack and judges nothing. */
    struct bigtcp_path_packet packet; /* What leaves.  For the lower device of
                                       * a tunnel, what is encapsulated. */
    enum bigtcp_path_tunnel tunnel; /* How, or BIGTCP_PATH_NO_TUNNEL. */
    bool outer_ipv6;            /* The outer header is IPv6. */
    uint32_t overhead;          /* Bytes that encapsulation adds. */

    /* Out. */
    enum bigtcp_path_verdict verdict;
    enum bigtcp_attr attr;      /* What was looked at, or BIGTCP_N_ATTRS. */
    uint32_t limit;             /* Its value. */
    enum bigtcp_offload offload;
    uint32_t largest;           /* UINT32_MAX for no limit. */
};

/* What becomes of packets that are too large. */
enum bigtcp_path_effect {
    BIGTCP_PATH_WHOLE,          /* There are none. */
    BIGTCP_PATH_SEGMENTED,      /* Segmented to the MSS. */
    BIGTCP_PATH_RESEGMENTED,    /* Cut into the largest GSO packets that fit,
                                 * on a kernel that does so. */
    BIGTCP_PATH_TRUNCATED,      /* The rest is cut off, on purpose. */
    BIGTCP_PATH_PIECES,         /* Segmented to the MSS and copied to user
                                 * space. */
};
const char *bigtcp_path_effect_to_string(enum bigtcp_path_effect);

/* Something that lies between arrival and exit, for reports. */
struct bigtcp_path_step {
    const char *action;         /* Name of the datapath action. */
    char *detail;               /* Or NULL. */
};

struct bigtcp_path_steps {
    struct bigtcp_path_step *steps;
    size_t n;
    size_t allocated;
};

void bigtcp_path_steps_add(struct bigtcp_path_steps *, const char *action,
                           const char *format, ...) OVS_PRINTF_FORMAT(3, 4);
void bigtcp_path_steps_copy(struct bigtcp_path_steps *,
                            const struct bigtcp_path_steps *);
bool bigtcp_path_steps_equal(const struct bigtcp_path_steps *,
                             const struct bigtcp_path_steps *);
void bigtcp_path_steps_destroy(struct bigtcp_path_steps *);

enum { BIGTCP_PATH_MAX_HOPS = 8 };

/* One copy of the packet. */
struct bigtcp_path_copy {
    /* In. */
    struct bigtcp_path_steps steps; /* On the way to the exit. */
    struct bigtcp_path_hop hops[BIGTCP_PATH_MAX_HOPS];
    size_t n_hops;              /* 0 for a copy to user space. */
    bool choice;                /* One of several that the packet can leave
                                 * by: member of a bond or team, bucket of a
                                 * group. */
    char *slow;                 /* Why the flow is handled in user space, or
                                 * NULL. */

    /* Out. */
    enum bigtcp_path_effect effect; /* On what is larger. */
    uint32_t largest;           /* UINT32_MAX for no limit. */
    size_t by;                  /* Hop that decides, 'n_hops' if it is none of
                                 * them. */
};

/* All of it. */
struct bigtcp_path {
    /* In. */
    char *bridge;               /* Where the packet arrives. */
    char *flow;                 /* Text of the flow. */
    enum bigtcp_path_family family;
    bool tcp;                   /* TCP, or the protocol is not given. */
    struct bigtcp_kernel kernel;
    const struct bigtcp_path_device *sender; /* The device that it arrives by,
                                              * NULL if there is none. */
    struct bigtcp_path_copy *copies;
    size_t n_copies;
    size_t allocated_copies;
    struct bigtcp_path_steps notes; /* What else the user must know. */

    /* Out. */
    enum bigtcp_attr sends;     /* Size that bounds what arrives by 'sender',
                                 * BIGTCP_N_ATTRS if it has none... */
    uint32_t arrives;           /* ...and its value, or how large any packet
                                 * of the flow's protocol is. */
    size_t by;                  /* Copy that decides, 'n_copies' if none. */
    uint32_t largest;           /* UINT32_MAX for no limit. */
    enum bigtcp_path_effect effect;
};

void bigtcp_path_init(struct bigtcp_path *);
void bigtcp_path_destroy(struct bigtcp_path *);
struct bigtcp_path_copy *bigtcp_path_add_copy(struct bigtcp_path *);
void bigtcp_path_add_lowers(struct bigtcp_path *);
void bigtcp_path_decide(struct bigtcp_path *);
bool bigtcp_path_is_exceeded(const struct bigtcp_path *);

/* What would let larger packets pass at a hop. */
struct bigtcp_path_remedy {
    enum bigtcp_attr key;       /* Key of the Interface of the hop's port to be
                                 * set, BIGTCP_N_ATTRS for none. */
    uint32_t value;             /* Bytes, or segments, to set it to. */
    char *reason;               /* Why there is no key, or NULL. */
};

void bigtcp_path_find_remedy(const struct bigtcp_path_copy *,
                             struct bigtcp_path_remedy *);

/* lib/bigtcp/path-show.c. */
void bigtcp_path_format(const struct bigtcp_path *, struct ds *);
struct json *bigtcp_path_to_json(const struct bigtcp_path *);

#endif /* lib/bigtcp/path.h */
