// SPDX-License-Identifier: Apache-2.0
// Hooks into ofproto/ofproto-dpif-xlate.c.  One inserted line a rule;
// bigtcp-overlay checks that each is there exactly once afterward.

@xlate_include@
@@
 #include "ofproto/ofproto-dpif-trace.h"
+#include "ofproto/bigtcp-walk.h"

@xlate_group_action__@
expression ctx, group;
identifier bucket;
@@
 xlate_group_action__(...)
 {
 <...
 bucket = pick_select_group(ctx, group);
+bucket = bigtcp_walk_pick_bucket(group, bucket);
 ...>
 }
