/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_REPORT_H
#define BIGTCP_REPORT_H 1

/* What became of what is asked of a port or device
 * ================================================
 *
 * A state, in one word, and the reasons for it: sentences for a person and,
 * of those that a program may want to act upon, what they are about. */

#include <stddef.h>
#include <stdint.h>

#include "bigtcp/settings.h"
#include "openvswitch/compiler.h"
#include "openvswitch/dynamic-string.h"

/* States of a port, from the best to the worst: of several that hold, the
 * last is told. */
#define BIGTCP_STATES                                                       \
    /* What is asked is in force. */                                        \
    BIGTCP_STATE(APPLIED, applied)                                          \
    /* The device's own ceiling is lower than asked. */                     \
    BIGTCP_STATE(CLAMPED, clamped)                                          \
    /* 'bigtcp=auto': another hop is lower. */                              \
    BIGTCP_STATE(LIMITED, limited)                                          \
    /* This kernel, datapath type or device cannot. */                      \
    BIGTCP_STATE(UNSUPPORTED, unsupported)                                  \
    /* The device is in another network namespace, out of reach. */         \
    BIGTCP_STATE(REMOTE, remote)                                            \
    /* Another program changed it, which is not, or not yet, corrected. */  \
    BIGTCP_STATE(DRIFTED, drifted)                                          \
    /* The kernel refused, or a key's value is none. */                     \
    BIGTCP_STATE(ERROR, error)

enum bigtcp_state {
#define BIGTCP_STATE(ENUM, NAME) BIGTCP_STATE_##ENUM,
    BIGTCP_STATES
#undef BIGTCP_STATE
};
const char *bigtcp_state_to_string(enum bigtcp_state);

/* What a reason is about, with what 'name' of its facts then is. */
#define BIGTCP_CAUSES                                                       \
    /* A port that packets can leave by takes no more: that port. */        \
    BIGTCP_CAUSE(PORT_LIMITS, port_limits)                                  \
    /* A device below this one takes no more: that device. */               \
    BIGTCP_CAUSE(LOWER_LIMITS, lower_limits)                                \
    /* An 'ifb' device that received packets go through takes no more: that \
     * device. */                                                           \
    BIGTCP_CAUSE(INGRESS_LIMITS, ingress_limits)                            \
    /* TSO is off. */                                                       \
    BIGTCP_CAUSE(TSO_OFF, tso_off)                                          \
    /* LRO is on. */                                                        \
    BIGTCP_CAUSE(LRO_ON, lro_on)                                            \
    /* The queueing discipline segments: its kind. */                       \
    BIGTCP_CAUSE(QDISC_SEGMENTS, qdisc_segments)                            \
    /* The kernel has a fault: the commit that mends it. */                 \
    BIGTCP_CAUSE(KERNEL_HAZARD, kernel_hazard)                              \
    /* A value is ignored: the key. */                                      \
    BIGTCP_CAUSE(VALUE_REJECTED, value_rejected)

enum bigtcp_cause {
    BIGTCP_CAUSE_NONE,          /* Nothing that a program could act upon. */
#define BIGTCP_CAUSE(ENUM, NAME) BIGTCP_CAUSE_##ENUM,
    BIGTCP_CAUSES
#undef BIGTCP_CAUSE
};
const char *bigtcp_cause_to_string(enum bigtcp_cause);

/* A reason as facts. */
struct bigtcp_facts {
    enum bigtcp_cause cause;
    const char *name;           /* See BIGTCP_CAUSES.  NULL if it has none. */
    uint32_t attrs;             /* Of a limit: bit 1 << attribute for each
                                 * that is limited. */
    uint32_t limit;             /* Of a limit: what they are limited to, in
                                 * bytes, or segments for gso_max_segs. */
    enum bigtcp_row row;        /* Of BIGTCP_CAUSE_VALUE_REJECTED: the row
                                 * that has the key. */
};

struct bigtcp_reason {
    char *text;
    struct bigtcp_facts facts;  /* Owns its 'name'. */
};

struct bigtcp_report {
    enum bigtcp_state state;
    struct ds reason;           /* The text of all 'reasons', joined by
                                 * "; ". */
    struct bigtcp_reason *reasons;
    size_t n_reasons, allocated_reasons;
};

void bigtcp_report_init(struct bigtcp_report *);
void bigtcp_report_destroy(struct bigtcp_report *);
void bigtcp_report_clear(struct bigtcp_report *);
void bigtcp_report_add(struct bigtcp_report *, enum bigtcp_state,
                       const char *format, ...) OVS_PRINTF_FORMAT(3, 4);
void bigtcp_report_add_facts(struct bigtcp_report *, enum bigtcp_state,
                             const struct bigtcp_facts *,
                             const char *format, ...) OVS_PRINTF_FORMAT(4, 5);
void bigtcp_report_append(struct bigtcp_report *,
                          const struct bigtcp_report *);

#endif /* lib/bigtcp/report.h */
