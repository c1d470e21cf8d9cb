/* SPDX-License-Identifier: Apache-2.0 */

/* BIG TCP policy for one device: pure functions over plain structures. */

#include <config.h>

#include "bigtcp/policy.h"

#include <inttypes.h>
#include <string.h>

#include "bigtcp/report.h"
#include "openvswitch/dynamic-string.h"
#include "util.h"

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
    if (link->carries_error) {
        ceiling = MIN(ceiling, BIGTCP_LEGACY_SIZE);
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
    const char *name = bigtcp_attr_to_string(attr);

    if (asked == BIGTCP_VALUE_MAX || got == asked) {
        return;
    }
    if (attr == BIGTCP_GSO_MAX_SEGS) {
        bigtcp_report_add(report, BIGTCP_STATE_CLAMPED,
                          "%s %"PRIu32" asked, %"PRIu32" is the device's "
                          "ceiling (tso_max_segs)", name, asked, got);
    } else if (link->carries_error && got == BIGTCP_LEGACY_SIZE) {
        /* Said once for all sizes, below. */
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
        if (bigtcp_link_tso_off(link)) {
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
    if (bigtcp_link_lro_on(link)) {
        facts.cause = BIGTCP_CAUSE_LRO_ON;
        bigtcp_report_add_facts(report, BIGTCP_STATE_APPLIED, &facts,
                                "LRO is on: what it merges cannot be "
                                "forwarded (turn it off, GRO does the same)");
    }
}

/* Adds to 'report' that 'wanted' is lower than what the kernel's code for the
 * tunnel of 'link' may take, which cannot be found out, and why. */
static void
report_carries_error(const struct bigtcp_link *link,
                     const struct bigtcp_request *request,
                     struct bigtcp_report *report)
{
    const struct bigtcp_sizes *asked = &request->asked;

    if (link->carries_error
        && bigtcp_link_ceiling(link) > BIGTCP_LEGACY_SIZE
        && (request->is_auto
            || bigtcp_sizes_is_big(asked, BIGTCP_GSO_MAX_SIZE)
            || bigtcp_sizes_is_big(asked, BIGTCP_GSO_IPV4_MAX_SIZE))) {
        bigtcp_report_add(report, BIGTCP_STATE_UNSUPPORTED,
                          "whether this kernel's %s carries more than %d "
                          "bytes cannot be found out: %s", link->kind,
                          BIGTCP_LEGACY_SIZE,
                          ovs_strerror(link->carries_error));
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
                                  "this kernel has no %s",
                                  bigtcp_attr_to_string(attr));
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
                                  bigtcp_attr_to_string(attr));
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
    report_carries_error(link, request, report);
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
