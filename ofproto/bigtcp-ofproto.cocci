// SPDX-License-Identifier: Apache-2.0
// Hooks into ofproto/ofproto.c.  One inserted line a rule; bigtcp-overlay
// checks that each is there exactly once afterward.

@ofproto_include@
@@
 #include "bundles.h"
+#include "ofproto/bigtcp-ofproto.h"

@ofproto_bundle_register@
expression ofproto, aux, s;
@@
 ofproto_bundle_register(...)
 {
+bigtcp_ofproto_bundle_set(ofproto, aux, s);
 return (ofproto->ofproto_class->bundle_set
         ? ofproto->ofproto_class->bundle_set(ofproto, aux, s)
         : EOPNOTSUPP);
 }

@ofport_install@
expression p, ofport;
@@
 ofport_install(...)
 {
 <...
 update_mtu(p, ofport);
+bigtcp_ofproto_port_added(ofport->netdev);
 ...>
 }

@update_port@
expression ofproto, port;
@@
 update_port(...)
 {
 <...
 update_mtu(ofproto, port);
+bigtcp_ofproto_port_modified(port->netdev);
 ...>
 }
