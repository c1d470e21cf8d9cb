/* SPDX-License-Identifier: Apache-2.0 */

/* Which hop stops big packets: pure functions over plain structures.
 * ofproto/bigtcp-ofproto-path.c finds the copies and reads the devices. */

#include <config.h>

#include "bigtcp/path.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "openvswitch/util.h"
#include "packets.h"
#include "util.h"

/* Length of a TCP header with the timestamp option, in bytes. */
enum { TCP_LEN = TCP_HEADER_LEN + 12 };

/* Returns the word for 'effect' in reports. */
const char *
bigtcp_path_effect_to_string(enum bigtcp_path_effect effect)
{
    switch (effect) {
    case BIGTCP_PATH_WHOLE:
        return "whole";
    case BIGTCP_PATH_SEGMENTED:
        return "segmented";
    case BIGTCP_PATH_RESEGMENTED:
        return "re-segmented";
    case BIGTCP_PATH_TRUNCATED:
        return "truncated";
    case BIGTCP_PATH_PIECES:
        return "pieces";
    }
    OVS_NOT_REACHED();
}

/* Length of the headers of 'packet' in front of its IP header, as skb->len
 * counts them: the outermost VLAN tag is beside the packet. */
static int
header_length(const struct bigtcp_path_packet *packet)
{
    return ((packet->ethernet ? ETH_HEADER_LEN : 0)
            + MAX(packet->n_vlans - 1, 0) * VLAN_HEADER_LEN
            + packet->n_mpls * MPLS_HLEN + packet->nsh);
}

/* Applies 'change' to 'packet'.  'length' is that of an NSH header, else
 * ignored.  What the packet does not have cannot be taken from it. */
void
bigtcp_path_packet_change(struct bigtcp_path_packet *packet,
                          enum bigtcp_path_change change, int length)
{
    int before = header_length(packet);

    switch (change) {
    case BIGTCP_PATH_PUSH_VLAN:
        packet->n_vlans++;
        break;
    case BIGTCP_PATH_POP_VLAN:
        packet->n_vlans = MAX(packet->n_vlans - 1, 0);
        break;
    case BIGTCP_PATH_PUSH_MPLS:
        packet->n_mpls++;
        break;
    case BIGTCP_PATH_POP_MPLS:
        packet->n_mpls = MAX(packet->n_mpls - 1, 0);
        break;
    case BIGTCP_PATH_PUSH_NSH:
        packet->nsh += length;
        break;
    case BIGTCP_PATH_POP_NSH:
        packet->nsh = 0;
        break;
    case BIGTCP_PATH_PUSH_ETH:
        packet->ethernet = true;
        break;
    case BIGTCP_PATH_POP_ETH:
        packet->ethernet = false;
        break;
    }
    packet->growth += header_length(packet) - before;
}

/* Returns true if skb->protocol of 'packet' is that of IPv6, which alone makes
 * the kernel take gso_max_size.  With two VLAN tags, MPLS or NSH it is theirs
 * (key_extract(), skb_vlan_push(), skb_mpls_push() and nsh_push()). */
static bool
protocol_is_ipv6(const struct bigtcp_path_packet *packet)
{
    return (packet->family == BIGTCP_PATH_IPV6 && packet->n_vlans < 2
            && !packet->n_mpls && !packet->nsh);
}

/* Returns the attribute of 'dev' that the kernel compares with the length of a
 * packet that is, or is not, IPv6 for it (netif_get_gso_max_size()), and that
 * bounds what the device sends of that family. */
static enum bigtcp_attr
gso_attr(const struct bigtcp_kernel *kernel,
         const struct bigtcp_path_device *dev, bool ipv6)
{
    return (!ipv6 && !kernel->one_limit
            && bigtcp_sizes_has(&dev->link->sizes, BIGTCP_GSO_IPV4_MAX_SIZE)
            ? BIGTCP_GSO_IPV4_MAX_SIZE : BIGTCP_GSO_MAX_SIZE);
}

/* Returns true if 'link' is of a kind that passes packets with several VLAN
 * tags without cutting them: its driver's ndo_features_check is
 * passthru_features_check().  Others are held to vlan_features_check(). */
static bool
passes_tags(const struct bigtcp_link *link)
{
    static const char *const kinds[] = { "bond", "bridge", "macvlan", "netkit",
                                         "team", "tun", "veth" };

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (!strcmp(link->kind, kinds[i])) {
            return true;
        }
    }
    return false;
}

/* Returns true if 'link' is of a kind that passes packets with MPLS labels
 * without cutting them, which is those with GSO in mpls_features. */
static bool
passes_labels(const struct bigtcp_link *link)
{
    return !strcmp(link->kind, "veth") || !strcmp(link->kind, "netkit");
}

/* Stores in 'hop' what it would need its device to do for a TCP packet and the
 * device does not.  Returns false, with nothing stored, if there is no such
 * thing. */
static bool
find_missing(struct bigtcp_path_hop *hop)
{
    static const enum bigtcp_offload tunnels[] = {
        [BIGTCP_PATH_UDP] = BIGTCP_OFFLOAD_UDP,
        [BIGTCP_PATH_UDP_CSUM] = BIGTCP_OFFLOAD_UDP_CSUM,
        [BIGTCP_PATH_GRE] = BIGTCP_OFFLOAD_GRE,
        [BIGTCP_PATH_GRE_CSUM] = BIGTCP_OFFLOAD_GRE_CSUM,
    };
    const struct bigtcp_path_packet *packet = &hop->packet;
    uint32_t needed = 1u << (packet->family == BIGTCP_PATH_IPV6
                             ? BIGTCP_OFFLOAD_TSO6 : BIGTCP_OFFLOAD_TSO4);

    if (hop->tunnel != BIGTCP_PATH_NO_TUNNEL) {
        needed |= 1u << tunnels[hop->tunnel];
    } else {
        if (packet->n_vlans > 1 && !passes_tags(hop->dev->link)) {
            hop->verdict = BIGTCP_PATH_TAGS;
            return true;
        }
        if (packet->n_mpls && !passes_labels(hop->dev->link)) {
            hop->verdict = BIGTCP_PATH_LABELS;
            return true;
        }
        if (packet->n_mpls || packet->nsh) {
            /* can_checksum_protocol(): not one that it knows. */
            needed |= 1u << BIGTCP_OFFLOAD_CSUM;
        }
    }
    for (enum bigtcp_offload i = 0; i < BIGTCP_N_OFFLOADS; i++) {
        if (needed & ~hop->dev->offloads & (1u << i)) {
            hop->verdict = BIGTCP_PATH_OFFLOAD;
            hop->offload = i;
            return true;
        }
    }
    return false;
}

/* Returns the length of 'path's segments at arrival, that is, of the largest
 * packet that needs no segmentation at all, 0 if it is not known.  'dev' is
 * asked if the packet does not come from a device. */
static uint32_t
segment_length(const struct bigtcp_path *path,
               const struct bigtcp_path_device *dev)
{
    uint32_t mtu = (path->sender && path->sender->mtu ? path->sender->mtu
                    : dev ? dev->mtu : 0);

    return mtu ? mtu + ETH_HEADER_LEN : 0;
}

/* Returns the longest packet, at arrival, of 'n' segments, UINT32_MAX if it is
 * not known. */
static uint32_t
segments_length(const struct bigtcp_path *path,
                const struct bigtcp_path_device *dev, uint32_t n)
{
    uint32_t headers = ((path->family == BIGTCP_PATH_IPV6 ? IPV6_HEADER_LEN
                         : IP_HEADER_LEN) + TCP_LEN);
    uint32_t segment = segment_length(path, dev);

    return (segment > ETH_HEADER_LEN + headers
            ? MIN(ETH_HEADER_LEN + headers
                  + (uint64_t) n * (segment - ETH_HEADER_LEN - headers),
                  UINT32_MAX - 1)
            : UINT32_MAX);
}

/* Returns 'length' of a packet that has grown by 'growth', at arrival. */
static uint32_t
at_arrival(uint32_t length, int growth)
{
    return MAX((int64_t) length - growth, 0);
}

/* Decides what passes 'hop'. */
static void
decide_hop(const struct bigtcp_path *path, struct bigtcp_path_hop *hop)
{
    const struct bigtcp_path_device *dev = hop->dev;
    bool ipv6 = (hop->tunnel == BIGTCP_PATH_NO_TUNNEL
                 ? protocol_is_ipv6(&hop->packet) : hop->outer_ipv6);
    int growth = hop->packet.growth + hop->overhead;
    const struct bigtcp_link *link = dev->link;
    uint32_t segs, segs_length;

    hop->verdict = BIGTCP_PATH_PASSES;
    hop->attr = BIGTCP_N_ATTRS;
    hop->limit = 0;
    hop->largest = UINT32_MAX;

    if (hop->hands_up) {
        return;
    }
    if (!link) {
        hop->verdict = BIGTCP_PATH_UNKNOWN;
        return;
    }
    if (path->tcp && path->family != BIGTCP_PATH_OTHER && find_missing(hop)) {
        hop->largest = segment_length(path, dev);
        return;
    }

    if (!path->kernel.ignores_size) {
        enum bigtcp_attr attr = gso_attr(&path->kernel, dev, ipv6);

        if (bigtcp_sizes_has(&link->sizes, attr)) {
            hop->attr = attr;
            hop->limit = link->sizes.value[attr];
            hop->verdict = BIGTCP_PATH_SIZE;
        }
        if (link->carries && (hop->attr == BIGTCP_N_ATTRS
                              || link->carries < hop->limit)) {
            hop->attr = BIGTCP_N_ATTRS;
            hop->limit = link->carries;
            hop->verdict = BIGTCP_PATH_CARRIES;
        }
        if (hop->verdict != BIGTCP_PATH_PASSES) {
            /* What is as long as the limit is segmented already. */
            hop->largest = (hop->limit ? at_arrival(hop->limit - 1, growth)
                            : 0);
        }
    }

    /* The number of segments: 16 bits of it are all that there can be, and no
     * limit of its own. */
    segs = (bigtcp_sizes_has(&link->sizes, BIGTCP_GSO_MAX_SEGS)
            ? link->sizes.value[BIGTCP_GSO_MAX_SEGS] : BIGTCP_MAX_SEGS);
    segs_length = segments_length(path, dev, segs);
    if (segs < BIGTCP_MAX_SEGS && segs_length < hop->largest) {
        hop->verdict = BIGTCP_PATH_SIZE;
        hop->attr = BIGTCP_GSO_MAX_SEGS;
        hop->limit = segs;
        hop->largest = segs_length;
    }
}

/* Returns true if the kernel cuts what is too large for 'hop' into GSO packets
 * that fit: TCP over IP, not encapsulated. */
static bool
is_resegmented(const struct bigtcp_path *path,
               const struct bigtcp_path_hop *hop)
{
    return (path->kernel.resegments == BIGTCP_YES
            && path->tcp
            && hop->verdict == BIGTCP_PATH_SIZE
            && hop->tunnel == BIGTCP_PATH_NO_TUNNEL
            && hop->packet.family != BIGTCP_PATH_OTHER
            && !hop->packet.n_mpls && !hop->packet.nsh);
}

/* Decides what passes all of 'copy'. */
static void
decide_copy(const struct bigtcp_path *path, struct bigtcp_path_copy *copy)
{
    copy->effect = BIGTCP_PATH_WHOLE;
    copy->largest = UINT32_MAX;
    copy->by = copy->n_hops;

    if (!copy->n_hops || copy->slow) {
        /* queue_gso_packets(). */
        const struct bigtcp_path_device *dev
            = copy->n_hops ? copy->hops[0].dev : NULL;

        copy->effect = BIGTCP_PATH_PIECES;
        copy->largest = segment_length(path, dev);
    }
    for (size_t i = 0; i < copy->n_hops; i++) {
        struct bigtcp_path_hop *hop = &copy->hops[i];

        decide_hop(path, hop);
        if (hop->largest < copy->largest) {
            copy->largest = hop->largest;
            copy->effect = (is_resegmented(path, hop)
                            ? BIGTCP_PATH_RESEGMENTED
                            : BIGTCP_PATH_SEGMENTED);
            copy->by = i;
        }
    }
    if (copy->n_hops && copy->hops[0].packet.max_len != UINT32_MAX) {
        const struct bigtcp_path_packet *packet = &copy->hops[0].packet;
        uint32_t largest = at_arrival(packet->max_len, packet->growth);

        if (largest <= copy->largest) {
            copy->largest = largest;
            copy->effect = BIGTCP_PATH_TRUNCATED;
            copy->by = copy->n_hops;
        }
    }
}

/* Finds out what can arrive. */
static void
decide_arrival(struct bigtcp_path *path)
{
    const struct bigtcp_path_device *sender = path->sender;
    bool ipv6 = path->family == BIGTCP_PATH_IPV6;
    enum bigtcp_attr attr;

    path->sends = BIGTCP_N_ATTRS;
    path->arrives = BIGTCP_MAX_SIZE;
    if (path->family == BIGTCP_PATH_OTHER) {
        path->arrives = segment_length(path, NULL);
        return;
    }
    if (sender && sender->link) {
        if (sender->internal) {
            attr = gso_attr(&path->kernel, sender, ipv6);
        } else {
            attr = (!ipv6 && bigtcp_sizes_has(&sender->link->sizes,
                                              BIGTCP_GRO_IPV4_MAX_SIZE)
                    ? BIGTCP_GRO_IPV4_MAX_SIZE : BIGTCP_GRO_MAX_SIZE);
        }
        if (bigtcp_sizes_has(&sender->link->sizes, attr)) {
            path->sends = attr;
            path->arrives = sender->link->sizes.value[attr];
        }
    }
    if (!path->tcp) {
        /* GSO_LEGACY_MAX_SIZE is the end of it for all but TCP. */
        path->arrives = MIN(path->arrives, BIGTCP_LEGACY_SIZE);
    }
}

/* Returns true if what arrives at 'path', already decided, can be larger than
 * what passes whole. */
bool
bigtcp_path_is_exceeded(const struct bigtcp_path *path)
{
    /* TCP leaves room for headers in a packet that it makes
     * (MAX_TCP_HEADER + 1, at least 193 bytes), of which those that the packet
     * has at arrival fill 86 at most. */
    uint32_t slack = (path->tcp && path->sender && path->sender->internal
                      && path->sends != BIGTCP_N_ATTRS ? 193 - 86 : 1);

    return (path->effect != BIGTCP_PATH_WHOLE
            && path->arrives > path->largest
            && path->arrives - path->largest > slack);
}

/* Decides all that is to come out of 'path'.  A copy to user space of a packet
 * that goes on is no hop of that packet: it does not count for the whole
 * unless there is nothing else. */
void
bigtcp_path_decide(struct bigtcp_path *path)
{
    decide_arrival(path);

    path->largest = UINT32_MAX;
    path->effect = BIGTCP_PATH_WHOLE;
    path->by = path->n_copies;
    for (int round = 0; round < 2 && path->by == path->n_copies; round++) {
        for (size_t i = 0; i < path->n_copies; i++) {
            struct bigtcp_path_copy *copy = &path->copies[i];

            if (!round) {
                decide_copy(path, copy);
                if (!copy->n_hops) {
                    continue;
                }
            } else if (copy->n_hops) {
                /* There is something else, and it passes all. */
                return;
            }
            if (copy->largest < path->largest) {
                path->largest = copy->largest;
                path->effect = copy->effect;
                path->by = i;
            }
        }
    }
}

/* Stores in 'remedy' which key lets larger packets pass what decides for
 * 'copy', or why none does.  The caller must free its 'reason'. */
void
bigtcp_path_find_remedy(const struct bigtcp_path_copy *copy,
                        struct bigtcp_path_remedy *remedy)
{
    const struct bigtcp_path_hop *hop;
    const struct bigtcp_link *link;
    uint32_t ceiling;

    memset(remedy, 0, sizeof *remedy);
    remedy->key = BIGTCP_N_ATTRS;
    switch (copy->effect) {
    case BIGTCP_PATH_WHOLE:
        return;
    case BIGTCP_PATH_PIECES:
        remedy->reason = xstrdup("user space takes no packet above the MTU");
        return;
    case BIGTCP_PATH_TRUNCATED:
        remedy->reason = xstrdup("it is what the flow or the mirror asks for");
        return;
    case BIGTCP_PATH_SEGMENTED:
    case BIGTCP_PATH_RESEGMENTED:
        break;
    }

    hop = &copy->hops[copy->by];
    link = hop->dev->link;
    switch (hop->verdict) {
    case BIGTCP_PATH_PASSES:
    case BIGTCP_PATH_UNKNOWN:
        OVS_NOT_REACHED();
    case BIGTCP_PATH_OFFLOAD:
        remedy->reason = xasprintf("%s of %s is off: see ethtool(8)",
                                   bigtcp_offload_to_string(hop->offload),
                                   hop->dev->device);
        return;
    case BIGTCP_PATH_TAGS:
        remedy->reason = xasprintf("%s cuts all packets with two VLAN tags",
                                   hop->dev->device);
        return;
    case BIGTCP_PATH_LABELS:
        remedy->reason = xasprintf("%s cuts all packets with MPLS labels",
                                   hop->dev->device);
        return;
    case BIGTCP_PATH_CARRIES:
        remedy->reason = xasprintf("%"PRIu32" is what this kernel's %s "
                                   "carries", link->carries, link->kind);
        return;
    case BIGTCP_PATH_SIZE:
        break;
    }

    if (hop->attr == BIGTCP_GSO_MAX_SEGS) {
        ceiling = link->tso_max_segs;
    } else {
        ceiling = bigtcp_link_ceiling(link);
        if (link->carries) {
            ceiling = MIN(ceiling, link->carries);
        }
    }
    if (hop->limit >= ceiling) {
        remedy->reason = xasprintf(
            "%"PRIu32" is the ceiling of %s (%s)%s", ceiling, hop->dev->device,
            hop->attr == BIGTCP_GSO_MAX_SEGS ? "tso_max_segs" : "tso_max_size",
            (bigtcp_link_is_internal(link)
             && hop->attr != BIGTCP_GSO_MAX_SEGS
             ? ", which kernel module openvswitch_bigtcp raises" : ""));
    } else if (!hop->dev->port) {
        remedy->reason = xasprintf(
            "%s is no port of Open vSwitch: ip link set %s %s %"PRIu32,
            hop->dev->device, hop->dev->device,
            bigtcp_attr_to_string(hop->attr), ceiling);
    } else {
        remedy->key = hop->attr;
        remedy->value = ceiling;
    }
}

/* Steps. */

/* Adds 'action', a constant string, to 'steps', with the detail 'format' or,
 * if that is NULL, without. */
void
bigtcp_path_steps_add(struct bigtcp_path_steps *steps, const char *action,
                      const char *format, ...)
{
    struct bigtcp_path_step *step;

    if (steps->n >= steps->allocated) {
        steps->steps = x2nrealloc(steps->steps, &steps->allocated,
                                  sizeof *steps->steps);
    }
    step = &steps->steps[steps->n++];
    step->action = action;
    step->detail = NULL;
    if (format) {
        va_list args;

        va_start(args, format);
        step->detail = xvasprintf(format, args);
        va_end(args);
    }
}

/* Makes 'dst', which is uninitialized, a copy of 'src'. */
void
bigtcp_path_steps_copy(struct bigtcp_path_steps *dst,
                       const struct bigtcp_path_steps *src)
{
    memset(dst, 0, sizeof *dst);
    for (size_t i = 0; i < src->n; i++) {
        const struct bigtcp_path_step *step = &src->steps[i];

        bigtcp_path_steps_add(dst, step->action, NULL);
        dst->steps[i].detail = nullable_xstrdup(step->detail);
    }
}

/* Returns true if 'a' and 'b' are the same. */
bool
bigtcp_path_steps_equal(const struct bigtcp_path_steps *a,
                        const struct bigtcp_path_steps *b)
{
    if (a->n != b->n) {
        return false;
    }
    for (size_t i = 0; i < a->n; i++) {
        if (strcmp(a->steps[i].action, b->steps[i].action)
            || !nullable_string_is_equal(a->steps[i].detail,
                                         b->steps[i].detail)) {
            return false;
        }
    }
    return true;
}

void
bigtcp_path_steps_destroy(struct bigtcp_path_steps *steps)
{
    if (steps) {
        for (size_t i = 0; i < steps->n; i++) {
            free(steps->steps[i].detail);
        }
        free(steps->steps);
    }
}

/* Paths. */

void
bigtcp_path_init(struct bigtcp_path *path)
{
    memset(path, 0, sizeof *path);
}

/* Frees what 'path' holds, but for the devices, which are the caller's. */
void
bigtcp_path_destroy(struct bigtcp_path *path)
{
    if (path) {
        for (size_t i = 0; i < path->n_copies; i++) {
            bigtcp_path_steps_destroy(&path->copies[i].steps);
            free(path->copies[i].slow);
        }
        free(path->copies);
        bigtcp_path_steps_destroy(&path->notes);
        free(path->bridge);
        free(path->flow);
    }
}

/* Adds an empty copy to 'path' and returns it.  It moves when the next one is
 * added. */
struct bigtcp_path_copy *
bigtcp_path_add_copy(struct bigtcp_path *path)
{
    struct bigtcp_path_copy *copy;

    if (path->n_copies >= path->allocated_copies) {
        path->copies = x2nrealloc(path->copies, &path->allocated_copies,
                                  sizeof *path->copies);
    }
    copy = &path->copies[path->n_copies++];
    memset(copy, 0, sizeof *copy);
    return copy;
}

/* Adds 'lower' to the hops of 'copy', as what sends for the last one. */
static void
add_lower(struct bigtcp_path_copy *copy,
          const struct bigtcp_path_device *lower)
{
    const struct bigtcp_path_hop *last = &copy->hops[copy->n_hops - 1];
    struct bigtcp_path_hop *hop = &copy->hops[copy->n_hops++];

    *hop = *last;
    hop->dev = lower;
    if (last->dev->link && !strcmp(last->dev->link->kind, "vlan")
        && hop->tunnel == BIGTCP_PATH_NO_TUNNEL) {
        bigtcp_path_packet_change(&hop->packet, BIGTCP_PATH_PUSH_VLAN, 0);
    }
}

/* Adds to the copies of 'path' the devices below the last ones that they leave
 * by, and a copy for each if there are several. */
void
bigtcp_path_add_lowers(struct bigtcp_path *path)
{
    /* Copies that are added come later and are looked at, too. */
    for (size_t i = 0; i < path->n_copies; i++) {
        for (;;) {
            struct bigtcp_path_copy *copy = &path->copies[i];
            const struct bigtcp_path_device *dev;

            if (!copy->n_hops || copy->hops[0].hands_up
                || copy->n_hops >= BIGTCP_PATH_MAX_HOPS) {
                break;
            }
            dev = copy->hops[copy->n_hops - 1].dev;
            if (!dev->n_lowers) {
                break;
            }
            copy->choice |= dev->n_lowers > 1;
            for (size_t j = 1; j < dev->n_lowers; j++) {
                struct bigtcp_path_copy *other = bigtcp_path_add_copy(path);

                copy = &path->copies[i];
                *other = *copy;
                bigtcp_path_steps_copy(&other->steps, &copy->steps);
                other->slow = nullable_xstrdup(copy->slow);
                add_lower(other, dev->lowers[j]);
            }
            add_lower(copy, dev->lowers[0]);
        }
    }
}
