/* SPDX-License-Identifier: Apache-2.0 */

/* BIG TCP policy for devices that exchange packets: "bigtcp=auto". */

#include <config.h>

#include "bigtcp/group.h"

#include <inttypes.h>
#include <string.h>

#include "bigtcp/policy.h"
#include "bigtcp/report.h"
#include "openvswitch/dynamic-string.h"
#include "util.h"

/* Attributes by which a device judges what it sends.  Its own value of each is
 * the limit of a hop. */
enum { GSO_V6, GSO_V4, GSO_SEGS, N_LIMITS };

static const enum bigtcp_attr gso_attrs[N_LIMITS] = {
    [GSO_V6] = BIGTCP_GSO_MAX_SIZE,
    [GSO_V4] = BIGTCP_GSO_IPV4_MAX_SIZE,
    [GSO_SEGS] = BIGTCP_GSO_MAX_SEGS,
};

/* Attributes of what a device receives, which the hops behind it limit. */
static const enum bigtcp_attr gro_attrs[N_LIMITS] = {
    [GSO_V6] = BIGTCP_GRO_MAX_SIZE,
    [GSO_V4] = BIGTCP_GRO_IPV4_MAX_SIZE,
    [GSO_SEGS] = BIGTCP_N_ATTRS,
};

#define NOBODY SIZE_MAX

/* A limit, and the member that sets it or NOBODY. */
struct limit {
    uint32_t value;
    size_t by;
    enum bigtcp_cause cause;    /* What 'by' is to whom it limits. */
};

/* What a member comes to while the others are being looked at. */
struct state {
    struct limit hop[N_LIMITS]; /* What it lets pass as an egress. */
    struct limit lower[N_LIMITS]; /* What its lower devices let it have. */
    struct limit ingress[N_LIMITS]; /* What of what it receives gets to its
                                     * port whole. */
    bool ignores[N_LIMITS];     /* An internal port: was chosen without a
                                 * look at hops, since the kernel
                                 * re-segments. */
    bool carries_tunnel;        /* It is below a tunnel. */
    bool in_tunnel;             /* It is a tunnel, or a VLAN or the like on
                                 * one. */
};

/* The two smallest limits of a group, so that each of its devices can see the
 * smallest of the others. */
struct smallest {
    struct limit first, second;
};

static const struct limit no_limit = { UINT32_MAX, NOBODY,
                                       BIGTCP_CAUSE_PORT_LIMITS };

/* Makes 'limit' as small as 'value' of member 'by'. */
static void
limit_add(struct limit *limit, uint32_t value, size_t by)
{
    if (value < limit->value) {
        limit->value = value;
        limit->by = by;
    }
}

static void
smallest_add(struct smallest *s, uint32_t value, size_t by)
{
    if (value < s->first.value) {
        s->second = s->first;
        s->first = (struct limit) { value, by, BIGTCP_CAUSE_PORT_LIMITS };
    } else {
        limit_add(&s->second, value, by);
    }
}

/* Returns the smallest limit that is not of member 'self'. */
static const struct limit *
smallest_of_others(const struct smallest *s, size_t self)
{
    return s->first.by == self ? &s->second : &s->first;
}

/* Returns the smaller of 'ceiling' and 'limit', but never less than a key
 * could ask for. */
static uint32_t
limit_apply(uint32_t ceiling, uint32_t limit, enum bigtcp_attr attr)
{
    return MIN(ceiling, (attr == BIGTCP_GSO_MAX_SEGS ? MAX(limit, 1)
                         : MAX(limit, BIGTCP_MIN_SIZE)));
}

/* Returns true if a key asks for a value of 'attr', or for one of the IPv6
 * size that counts for 'attr', the IPv4 one, too. */
static bool
is_asked(const struct bigtcp_sizes *asked, enum bigtcp_attr attr)
{
    enum bigtcp_attr both = (attr == BIGTCP_GSO_IPV4_MAX_SIZE
                             ? BIGTCP_GSO_MAX_SIZE
                             : attr == BIGTCP_GRO_IPV4_MAX_SIZE
                             ? BIGTCP_GRO_MAX_SIZE : attr);

    return (bigtcp_sizes_has(asked, attr)
            || (bigtcp_sizes_has(asked, both)
                && asked->value[both] <= BIGTCP_LEGACY_SIZE));
}

/* Returns true if 'attr' of 'member' is to be chosen here. */
static bool
is_chosen(const struct bigtcp_member *member, enum bigtcp_attr attr)
{
    return (member->request.is_auto
            && member->link
            && attr != BIGTCP_N_ATTRS
            && bigtcp_sizes_has(&member->link->sizes, attr)
            && !is_asked(&member->request.asked, attr)
            && !(member->request.held & (1u << attr)));
}

/* Returns true if the GSO sizes of 'member' need not fit through small hops:
 * then this is asked for, or the kernel cuts what is too large to fit.
 *
 * It does so for what sockets send.  What GRO glues together can have a
 * frag_list, and is cut down to the MSS by any kernel: GRO sizes mind the
 * hops. */
static bool
gso_ignores_hops(const struct bigtcp_member *member)
{
    return (member->request.mixed
            || (member->request.resegments && !member->request.not_mixed));
}

/* Stores in 'hop' what 'member' can have if nobody else limits it, which is
 * what it lets pass. */
static void
find_own_limits(const struct bigtcp_member *member, size_t self,
                struct limit hop[N_LIMITS])
{
    struct bigtcp_request request = member->request;
    struct bigtcp_sizes wanted;

    for (size_t i = 0; i < N_LIMITS; i++) {
        if (is_chosen(member, gso_attrs[i])) {
            bigtcp_sizes_set(&request.asked, gso_attrs[i], BIGTCP_VALUE_MAX);
        }
    }
    bigtcp_decide(&request, member->link, member->original, &wanted, NULL);

    for (size_t i = 0; i < N_LIMITS; i++) {
        enum bigtcp_attr attr = gso_attrs[i];

        if (bigtcp_sizes_has(&wanted, attr)) {
            hop[i] = (struct limit) { wanted.value[attr], self,
                                      BIGTCP_CAUSE_PORT_LIMITS };
        } else if (i == GSO_V4 && bigtcp_sizes_has(&wanted,
                                                   BIGTCP_GSO_MAX_SIZE)) {
            /* Before Linux 6.3 one limit was for both families. */
            hop[i] = (struct limit) { wanted.value[BIGTCP_GSO_MAX_SIZE],
                                      self, BIGTCP_CAUSE_PORT_LIMITS };
        } else {
            hop[i] = no_limit;
        }
    }
}

/* Returns true if 'member' is a tunnel whose lower devices are known. */
static bool
is_tunnel(const struct bigtcp_member *member)
{
    return member->n_lowers && member->lowers[0].tunnel;
}

/* Finds which members have to do with tunnels. */
static void
find_tunnels(const struct bigtcp_member *members, size_t n_members,
             struct state *states)
{
    bool changed;

    do {
        changed = false;
        for (size_t i = 0; i < n_members; i++) {
            struct state *upper = &states[i];

            for (size_t j = 0; j < members[i].n_lowers; j++) {
                const struct bigtcp_lower *l = &members[i].lowers[j];
                struct state *lower = &states[l->member];

                if ((l->tunnel || lower->in_tunnel) && !upper->in_tunnel) {
                    upper->in_tunnel = changed = true;
                }
                if ((l->tunnel || upper->carries_tunnel)
                    && !lower->carries_tunnel) {
                    lower->carries_tunnel = changed = true;
                }
            }
        }
    } while (changed);
}

/* Returns what 'lower' takes, of the 'k'th limit.
 *
 * Of a tunnel it looks at the outer header: one limit of it is for both
 * families of what is inside.  If it is an internal port that ignores small
 * hops, since the kernel cuts what is too large to fit, the tunnel minds them,
 * in 'limits', all the same: that is done for packets without encapsulation
 * only. */
static struct limit
lower_takes(const struct state *states, struct limit (*limits)[N_LIMITS],
            const struct bigtcp_lower *lower, size_t k)
{
    const struct state *below = &states[lower->member];
    size_t outer = (!lower->tunnel || k == GSO_SEGS ? k
                    : lower->ipv6 ? GSO_V6 : GSO_V4);
    struct limit takes = below->hop[outer];

    if (lower->tunnel && below->ignores[outer] && takes.by != NOBODY) {
        limit_add(&takes, limits[lower->member][outer].value, takes.by);
    }
    return takes;
}

/* Lowers what 'member' lets pass to what its lower devices take, by 'limits'.
 * Returns true if that changed anything. */
static bool
follow_lowers(const struct bigtcp_member *members, size_t i,
              struct limit (*limits)[N_LIMITS], struct state *states)
{
    const struct bigtcp_member *member = &members[i];
    struct state *state = &states[i];
    bool changed = false;

    for (size_t j = 0; j < member->n_lowers; j++) {
        const struct bigtcp_lower *lower = &member->lowers[j];

        for (size_t k = 0; k < N_LIMITS; k++) {
            struct limit takes = lower_takes(states, limits, lower, k);

            if (takes.by != NOBODY && k == GSO_SEGS) {
                limit_add(&state->lower[k], takes.value, lower->member);
            } else if (takes.by != NOBODY) {
                limit_add(&state->lower[k],
                          (takes.value > lower->overhead
                           ? takes.value - lower->overhead : 0),
                          lower->tunnel ? lower->member : takes.by);
            }
        }
    }
    for (size_t k = 0; k < N_LIMITS; k++) {
        uint32_t value = limit_apply(state->hop[k].value,
                                     state->lower[k].value, gso_attrs[k]);

        if (value < state->hop[k].value) {
            state->hop[k].value = value;
            if (!is_tunnel(member)) {
                /* Of a stack, the device in it that limits is of interest. */
                state->hop[k].by = state->lower[k].by;
            }
            changed = true;
        }
    }
    return changed;
}

/* Stores in 'limits' for each member the smallest hop among the other devices
 * of its groups that its packets can leave by.
 *
 * An internal port is no such hop: what it receives it hands to the stack
 * without looking at the size, unless tc has it take the way through an 'ifb'
 * device.  Of an internal port that a tunnel's packets
 * leave by, the tunnels are no hop either: they are above it, not behind. */
static void
find_egress_limits(const struct bigtcp_member *members, size_t n_members,
                   const struct bigtcp_membership *memberships,
                   size_t n_memberships, size_t n_groups,
                   const struct state *states,
                   struct limit (*limits)[N_LIMITS])
{
    struct smallest (*tunnels)[N_LIMITS] = xcalloc(n_groups, sizeof *tunnels);
    struct smallest (*others)[N_LIMITS] = xcalloc(n_groups, sizeof *others);

    for (size_t g = 0; g < n_groups; g++) {
        for (size_t k = 0; k < N_LIMITS; k++) {
            tunnels[g][k].first = tunnels[g][k].second = no_limit;
            others[g][k].first = others[g][k].second = no_limit;
        }
    }
    for (size_t i = 0; i < n_memberships; i++) {
        const struct bigtcp_membership *m = &memberships[i];
        const struct bigtcp_member *member = &members[m->member];
        struct smallest *s = (states[m->member].in_tunnel
                              ? tunnels : others)[m->group];

        for (size_t k = 0; member->link && k < N_LIMITS; k++) {
            const struct limit *hop = (member->internal
                                       ? &states[m->member].ingress[k]
                                       : &states[m->member].hop[k]);

            /* Two ports of a device are one hop. */
            if (hop->by != NOBODY && s[k].first.by != m->member
                && s[k].second.by != m->member) {
                smallest_add(&s[k], hop->value, m->member);
            }
        }
    }

    for (size_t i = 0; i < n_members; i++) {
        for (size_t k = 0; k < N_LIMITS; k++) {
            limits[i][k] = no_limit;
        }
    }
    for (size_t i = 0; i < n_memberships; i++) {
        const struct bigtcp_membership *m = &memberships[i];

        for (size_t k = 0; k < N_LIMITS; k++) {
            const struct limit *l = smallest_of_others(&others[m->group][k],
                                                       m->member);

            limit_add(&limits[m->member][k], l->value, l->by);
            if (!states[m->member].carries_tunnel) {
                l = smallest_of_others(&tunnels[m->group][k], m->member);
                limit_add(&limits[m->member][k], l->value, l->by);
            }
        }
    }
    free(tunnels);
    free(others);
}

/* Asks, for 'member', 'ceiling' of 'attr' or what 'limit' leaves of it.  Notes
 * in 'by', if that is less, who limits. */
static void
choose(struct bigtcp_member *member, enum bigtcp_attr attr, uint32_t ceiling,
       const struct limit *limit, struct limit *by)
{
    uint32_t value = limit_apply(ceiling, limit->value, attr);

    if (value < ceiling) {
        bigtcp_sizes_set(&member->request.asked, attr, value);
        *by = (struct limit) { value, limit->by, limit->cause };
    } else if (member->internal && limit->by != NOBODY
               && attr != BIGTCP_GSO_MAX_SEGS
               && !bigtcp_sizes_has(&member->request.asked,
                                    BIGTCP_TSO_MAX_SIZE)
               && ceiling <= BIGTCP_LEGACY_SIZE
               && ceiling == bigtcp_link_ceiling(member->link)) {
        /* The hops would take more than the internal port can be given: to ask
         * for it makes the report say so. */
        bigtcp_sizes_set(&member->request.asked, attr,
                         MIN(limit->value, BIGTCP_MAX_SIZE));
    } else {
        bigtcp_sizes_set(&member->request.asked, attr, BIGTCP_VALUE_MAX);
    }
}

/* Returns how much of 'attr' the lower device, or the device of the ingress,
 * takes that sets 'limit' for 'member'. */
static uint32_t
limiter_takes(const struct bigtcp_member *member,
              struct limit (*limits)[N_LIMITS], const struct state *states,
              enum bigtcp_attr attr, const struct limit *limit)
{
    size_t k = (attr == BIGTCP_GSO_MAX_SEGS ? GSO_SEGS
                : attr == BIGTCP_GSO_IPV4_MAX_SIZE
                || attr == BIGTCP_GRO_IPV4_MAX_SIZE ? GSO_V4 : GSO_V6);
    uint32_t takes = UINT32_MAX;

    if (!is_tunnel(member) || limit->cause != BIGTCP_CAUSE_LOWER_LIMITS) {
        return states[limit->by].hop[k].value;
    }
    for (size_t j = 0; j < member->n_lowers; j++) {
        if (member->lowers[j].member == limit->by) {
            takes = MIN(takes, lower_takes(states, limits,
                                           &member->lowers[j], k).value);
        }
    }
    return takes;
}

/* Adds to the report of 'member', with 'state', that 'limit' holds for
 * 'attrs', bits of attributes: that they, or 'what' if it is not NULL, come to
 * no more. */
static void
report_limit(struct bigtcp_member *member, const struct bigtcp_member *members,
             struct limit (*limits)[N_LIMITS], const struct state *states,
             enum bigtcp_state state, uint32_t attrs, const char *what,
             const struct limit *limit)
{
    enum bigtcp_attr first = raw_ctz(attrs);
    struct bigtcp_facts facts = {
        .cause = limit->cause,
        .name = members[limit->by].name,
        .attrs = attrs,
        .limit = limit->value,
    };
    struct ds names = DS_EMPTY_INITIALIZER;

    BIGTCP_FOR_EACH_ATTR (attr) {
        if (!what && attrs & (1u << attr)) {
            ds_put_format(&names, "%s%s", names.length ? ", " : "",
                          bigtcp_attr_to_string(attr));
        }
    }
    ds_put_format(&names, "%s %"PRIu32, what ? what : "", limit->value);

    if (limit->cause == BIGTCP_CAUSE_PORT_LIMITS) {
        bigtcp_report_add_facts(member->report, state, &facts,
                                "%s: port %s takes no more", ds_cstr(&names),
                                facts.name);
    } else {
        bigtcp_report_add_facts(member->report, state, &facts,
                                "%s: %s %s, which takes %"PRIu32" %s",
                                ds_cstr(&names),
                                (limit->cause == BIGTCP_CAUSE_INGRESS_LIMITS
                                 ? "arrives through" : "leaves by"),
                                facts.name,
                                limiter_takes(member, limits, states, first,
                                              limit),
                                (first == BIGTCP_GSO_MAX_SEGS
                                 ? "segments" : "bytes"));
    }
    ds_destroy(&names);
}

/* Adds to the report of 'member', with 'state', who limits what, by 'by', as
 * report_limit() does. */
static void
report_limits(struct bigtcp_member *member,
              const struct bigtcp_member *members,
              struct limit (*limits)[N_LIMITS], const struct state *states,
              enum bigtcp_state state, const char *what,
              const struct limit by[BIGTCP_N_ATTRS])
{
    uint32_t told = 0;

    BIGTCP_FOR_EACH_ATTR (attr) {
        uint32_t attrs = 0;

        if (by[attr].by == NOBODY || told & (1u << attr)) {
            continue;
        }
        /* One sentence for all that the same port limits to the same value. */
        for (enum bigtcp_attr i = attr; i < BIGTCP_N_ATTRS; i++) {
            if (by[i].by == by[attr].by && by[i].value == by[attr].value
                && by[i].cause == by[attr].cause) {
                attrs |= 1u << i;
            }
        }
        report_limit(member, members, limits, states, state, attrs, what,
                     &by[attr]);
        told |= attrs;
    }
}

/* Lowers what is asked of 'member' to what its lower devices take: more would
 * be segmented there.  Of a tunnel also what a key asks for, i.e. what is not
 * 'chosen': its own ceiling says nothing of what the tunnel can carry. */
static void
cap_by_lowers(struct bigtcp_member *member,
              const struct bigtcp_member *members,
              struct limit (*limits)[N_LIMITS],
              const struct state *states, const struct state *state,
              const bool chosen[BIGTCP_N_ATTRS],
              struct limit by[BIGTCP_N_ATTRS])
{
    uint32_t cap = bigtcp_gso_cap(&member->request, member->link,
                                  member->original);
    struct limit segmented[BIGTCP_N_ATTRS];

    BIGTCP_FOR_EACH_ATTR (attr) {
        segmented[attr] = no_limit;
    }
    for (size_t k = 0; k < N_LIMITS; k++) {
        enum bigtcp_attr attr = gso_attrs[k];
        struct bigtcp_sizes *asked = &member->request.asked;
        struct limit limit = {
            .value = limit_apply(UINT32_MAX, state->lower[k].value, attr),
            .by = state->lower[k].by,
            .cause = BIGTCP_CAUSE_LOWER_LIMITS,
        };
        uint32_t own = (attr == BIGTCP_GSO_MAX_SEGS
                        ? member->link->tso_max_segs : cap);

        if (!bigtcp_sizes_has(asked, attr)
            || limit.value >= MIN(asked->value[attr], own)) {
            continue;
        }
        if (chosen[attr] ? !member->request.mixed || is_tunnel(member)
            : is_tunnel(member)) {
            asked->value[attr] = limit.value;
            by[attr] = limit;
        } else {
            segmented[attr] = limit;
        }
    }
    report_limits(member, members, limits, states, BIGTCP_STATE_APPLIED,
                  "segmented above", segmented);
}

/* Finds what the 'ifb' devices of 'member' take, to which tc redirects what it
 * received. */
static void
find_ingress(const struct bigtcp_member *member, struct state *states,
             struct limit ingress[N_LIMITS])
{
    for (size_t j = 0; j < member->n_ingress; j++) {
        const struct limit *hop = states[member->ingress[j]].hop;

        for (size_t k = 0; k < N_LIMITS; k++) {
            if (hop[k].by != NOBODY) {
                limit_add(&ingress[k], hop[k].value, member->ingress[j]);
            }
            ingress[k].cause = BIGTCP_CAUSE_INGRESS_LIMITS;
        }
    }
}

/* Lowers the GRO sizes of 'member' that are 'chosen' to what its ingress, with
 * 'state', takes: more would be segmented there.  Says so of those that a key
 * asks for, and of an internal port, which others send to. */
static void
cap_by_ingress(struct bigtcp_member *member,
               const struct bigtcp_member *members,
               struct limit (*limits)[N_LIMITS],
               const struct state *states, const struct state *state,
               const bool chosen[BIGTCP_N_ATTRS],
               struct limit by[BIGTCP_N_ATTRS])
{
    struct limit segmented[BIGTCP_N_ATTRS];

    BIGTCP_FOR_EACH_ATTR (attr) {
        segmented[attr] = no_limit;
    }
    for (size_t k = GSO_V6; k <= GSO_V4; k++) {
        struct bigtcp_sizes *asked = &member->request.asked;
        struct limit limit = state->ingress[k];
        enum bigtcp_attr attr = gro_attrs[k];

        if (limit.by == NOBODY) {
            continue;
        }
        limit.value = limit_apply(UINT32_MAX, limit.value, attr);
        if (member->internal) {
            if (bigtcp_sizes_has(&member->link->sizes, attr)) {
                segmented[attr] = limit;
            }
        } else if (bigtcp_sizes_has(asked, attr)
                   && limit.value < MIN(asked->value[attr],
                                        BIGTCP_MAX_SIZE)) {
            if (chosen[attr] && !member->request.mixed) {
                asked->value[attr] = limit.value;
                by[attr] = limit;
            } else {
                segmented[attr] = limit;
            }
        }
    }
    report_limits(member, members, limits, states, BIGTCP_STATE_APPLIED,
                  "segmented above", segmented);
}

/* Decides what each of the 'n_members' devices should have, which are in
 * 'n_groups' groups by 'memberships'.
 *
 * For one with 'bigtcp=auto':
 *
 *   - GSO sizes are the device's own ceiling, of an internal port at most the
 *     smallest hop among the devices that its packets can leave by.
 *
 *   - GRO sizes, which an internal port has no use for, are that smallest
 *     hop, and at most what the 'ifb' devices take that what was received goes
 *     through.
 *
 *   - A VLAN, a bond and the like get no more than the devices below them
 *     take, which are no ports and are left alone.
 *
 *   - 'bigtcp_mixed' makes all of these ignore the hops.  Where the kernel
 *     re-segments, the GSO sizes of internal ports ignore them unless it is
 *     false.  A tunnel over such a port does not.
 *
 * What a key asks for is taken as it is, and so is what devices have that
 * nothing is asked of.  Only a tunnel never gets more than what its lower
 * devices take, less the encapsulation. */
void
bigtcp_group_decide(struct bigtcp_member *members, size_t n_members,
                    const struct bigtcp_membership *memberships,
                    size_t n_memberships, size_t n_groups)
{
    struct limit (*limits)[N_LIMITS] = xcalloc(n_members, sizeof *limits);
    struct state *states = xcalloc(n_members, sizeof *states);
    bool alone = !n_memberships;

    for (size_t i = 0; i < n_members; i++) {
        alone &= !members[i].n_lowers && !members[i].n_ingress;
    }
    for (size_t i = 0; i < n_members; i++) {
        for (size_t k = 0; k < N_LIMITS; k++) {
            states[i].hop[k] = states[i].lower[k] = no_limit;
            states[i].ingress[k] = limits[i][k] = no_limit;
            states[i].ignores[k] = (members[i].internal
                                    && !members[i].request.mixed
                                    && gso_ignores_hops(&members[i])
                                    && is_chosen(&members[i], gso_attrs[k]));
        }
        if (members[i].link && !alone) {
            find_own_limits(&members[i], i, states[i].hop);
        }
    }

    find_tunnels(members, n_members, states);

    /* From the outside in: internal ports by the devices behind them, tunnels
     * by their lower devices, which may be such internal ports, internal ports
     * by those tunnels.  Values only fall; tunnels in tunnels take a round for
     * each level, of which there are not more than devices. */
    for (size_t round = 0; !alone && round <= n_members; round++) {
        bool changed = false;

        for (size_t i = 0; i < n_members; i++) {
            find_ingress(&members[i], states, states[i].ingress);
        }
        find_egress_limits(members, n_members, memberships, n_memberships,
                           n_groups, states, limits);
        for (size_t i = 0; i < n_members; i++) {
            const struct bigtcp_member *member = &members[i];

            if (!member->link) {
                continue;
            }
            changed |= follow_lowers(members, i, limits, states);
            for (size_t k = 0; member->internal && k < N_LIMITS; k++) {
                uint32_t value = limit_apply(states[i].hop[k].value,
                                             limits[i][k].value,
                                             gso_attrs[k]);

                if (!gso_ignores_hops(member)
                    && is_chosen(member, gso_attrs[k])
                    && value < states[i].hop[k].value) {
                    states[i].hop[k].value = value;
                    changed = true;
                }
            }
        }
        if (!changed) {
            break;
        }
    }

    for (size_t i = 0; i < n_members; i++) {
        struct bigtcp_member *member = &members[i];
        struct limit by[BIGTCP_N_ATTRS];
        bool chosen[BIGTCP_N_ATTRS];

        memset(&member->wanted, 0, sizeof member->wanted);
        if (!member->link) {
            continue;
        }
        BIGTCP_FOR_EACH_ATTR (attr) {
            by[attr] = no_limit;
            chosen[attr] = is_chosen(member, attr);
        }
        for (size_t k = 0; k < N_LIMITS; k++) {
            bool free_gso = !member->internal || gso_ignores_hops(member);
            const struct limit *hop = &limits[i][k];
            enum bigtcp_attr gso = gso_attrs[k];
            enum bigtcp_attr gro = gro_attrs[k];

            if (chosen[gso]) {
                choose(member, gso,
                       (gso == BIGTCP_GSO_MAX_SEGS
                        ? member->link->tso_max_segs
                        : bigtcp_gso_cap(&member->request, member->link,
                                         member->original)),
                       free_gso ? &no_limit : hop, &by[gso]);
            }
            if (gro != BIGTCP_N_ATTRS && chosen[gro] && !member->internal) {
                choose(member, gro, BIGTCP_MAX_SIZE,
                       member->request.mixed ? &no_limit : hop, &by[gro]);
            }
        }
        if (member->managed) {
            cap_by_lowers(member, members, limits, states, &states[i], chosen,
                          by);
            cap_by_ingress(member, members, limits, states, &states[i],
                           chosen, by);
        }
        report_limits(member, members, limits, states,
                      (member->request.is_auto ? BIGTCP_STATE_LIMITED
                       : BIGTCP_STATE_CLAMPED), NULL, by);
        bigtcp_decide(&member->request, member->link, member->original,
                      &member->wanted, member->report);
    }
    free(states);
    free(limits);
}
