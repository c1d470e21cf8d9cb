/* SPDX-License-Identifier: Apache-2.0 */

/* States and reasons, which policy and the registry of ports find. */

#include <config.h>

#include "bigtcp/report.h"

#include <stdarg.h>
#include <string.h>

#include "util.h"

/* Returns the name of 'state', e.g. "applied". */
const char *
bigtcp_state_to_string(enum bigtcp_state state)
{
    switch (state) {
#define BIGTCP_STATE(ENUM, NAME) case BIGTCP_STATE_##ENUM: return #NAME;
    BIGTCP_STATES
#undef BIGTCP_STATE
    }
    OVS_NOT_REACHED();
}

/* Returns the name of 'cause', e.g. "tso_off", or NULL if that is
 * BIGTCP_CAUSE_NONE. */
const char *
bigtcp_cause_to_string(enum bigtcp_cause cause)
{
    switch (cause) {
    case BIGTCP_CAUSE_NONE: return NULL;
#define BIGTCP_CAUSE(ENUM, NAME) case BIGTCP_CAUSE_##ENUM: return #NAME;
    BIGTCP_CAUSES
#undef BIGTCP_CAUSE
    }
    OVS_NOT_REACHED();
}

void
bigtcp_report_init(struct bigtcp_report *report)
{
    memset(report, 0, sizeof *report);
    report->state = BIGTCP_STATE_APPLIED;
    ds_init(&report->reason);
}

void
bigtcp_report_destroy(struct bigtcp_report *report)
{
    if (report) {
        bigtcp_report_clear(report);
        ds_destroy(&report->reason);
        free(report->reasons);
    }
}

/* Makes 'report' as bigtcp_report_init() does. */
void
bigtcp_report_clear(struct bigtcp_report *report)
{
    report->state = BIGTCP_STATE_APPLIED;
    ds_clear(&report->reason);
    for (size_t i = 0; i < report->n_reasons; i++) {
        free(report->reasons[i].text);
        free(CONST_CAST(char *, report->reasons[i].facts.name));
    }
    report->n_reasons = 0;
}

/* Adds the reason 'text', which it takes ownership of, to 'report', with a
 * copy of 'facts', and 'state' if it is worse than what the report has. */
static void
add_reason(struct bigtcp_report *report, enum bigtcp_state state,
           const struct bigtcp_facts *facts, char *text)
{
    struct bigtcp_reason *reason;

    if (report->n_reasons >= report->allocated_reasons) {
        report->reasons = x2nrealloc(report->reasons,
                                     &report->allocated_reasons,
                                     sizeof *report->reasons);
    }
    reason = &report->reasons[report->n_reasons++];
    reason->text = text;
    reason->facts = *facts;
    reason->facts.name = nullable_xstrdup(facts->name);

    report->state = MAX(report->state, state);
    if (report->reason.length) {
        ds_put_cstr(&report->reason, "; ");
    }
    ds_put_cstr(&report->reason, text);
}

/* Adds the reason 'format' to 'report', unless that is NULL, and 'state' if it
 * is worse than what the report has. */
void
bigtcp_report_add(struct bigtcp_report *report, enum bigtcp_state state,
                  const char *format, ...)
{
    if (report) {
        struct bigtcp_facts facts = { .cause = BIGTCP_CAUSE_NONE };
        va_list args;

        va_start(args, format);
        add_reason(report, state, &facts, xvasprintf(format, args));
        va_end(args);
    }
}

/* Does the same for a reason that is 'facts', which the caller keeps. */
void
bigtcp_report_add_facts(struct bigtcp_report *report, enum bigtcp_state state,
                        const struct bigtcp_facts *facts,
                        const char *format, ...)
{
    if (report) {
        va_list args;

        va_start(args, format);
        add_reason(report, state, facts, xvasprintf(format, args));
        va_end(args);
    }
}

/* Adds the reasons of 'other' to 'report', and its state if it is worse. */
void
bigtcp_report_append(struct bigtcp_report *report,
                     const struct bigtcp_report *other)
{
    report->state = MAX(report->state, other->state);
    for (size_t i = 0; i < other->n_reasons; i++) {
        const struct bigtcp_reason *reason = &other->reasons[i];

        add_reason(report, other->state, &reason->facts,
                   xstrdup(reason->text));
    }
}
