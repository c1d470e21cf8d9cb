/* SPDX-License-Identifier: Apache-2.0 */
/* Empty definitions for spatch's --macro-file: Coccinelle does not parse a
 * function whose definition carries an annotation that it does not know. */

#define OVS_ACQUIRES(...)
#define OVS_ACQ_AFTER(...)
#define OVS_ACQ_BEFORE(...)
#define OVS_ACQ_RDLOCK(...)
#define OVS_ACQ_WRLOCK(...)
#define OVS_EXCLUDED(...)
#define OVS_GUARDED
#define OVS_GUARDED_BY(...)
#define OVS_LOCKABLE
#define OVS_NO_RETURN
#define OVS_NO_THREAD_SAFETY_ANALYSIS
#define OVS_PRINTF_FORMAT(...)
#define OVS_RELEASES(...)
#define OVS_REQUIRES(...)
#define OVS_REQ_RDLOCK(...)
#define OVS_REQ_WRLOCK(...)
#define OVS_RETURNS_NONNULL
#define OVS_TRY_LOCK(...)
#define OVS_TRY_RDLOCK(...)
#define OVS_TRY_WRLOCK(...)
#define OVS_UNUSED
#define OVS_WARN_UNUSED_RESULT
