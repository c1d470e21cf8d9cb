// SPDX-License-Identifier: Apache-2.0
// Hooks into vswitchd/bridge.c.  One inserted line a rule; bigtcp-overlay
// checks that each is there exactly once afterward.

@bridge_include@
@@
 #include "bfd.h"
+#include "vswitchd/bigtcp-bridge.h"

@bridge_init@
@@
 bridge_init(...)
 {
 ...
 rstp_init();
+bigtcp_bridge_init();
 ...
 }

@bridge_exit@
@@
 bridge_exit(...)
 {
 ...
+bigtcp_bridge_exit(delete_datapath);
 ovsdb_idl_destroy(idl);
 ...
 }

@bridge_reconfigure_global@
expression ovs_cfg;
@@
 bridge_reconfigure(...)
 {
 <...
 config_ofproto_types(&ovs_cfg->other_config);
+bigtcp_bridge_set_defaults(NULL, &ovs_cfg->other_config);
 ...>
 }

@bridge_reconfigure_defaults@
expression br;
@@
 bridge_reconfigure(...)
 {
 <...
 bridge_configure_datapath_id(br);
+bigtcp_bridge_set_defaults(br->name, &br->cfg->other_config);
 ...>
 }

@bridge_reconfigure_iface@
expression br, port;
identifier iface;
@@
 iface_set_mac(br, port, iface);
+bigtcp_bridge_configure(br->name, iface->netdev, &iface->cfg->other_config);

@bridge_reconfigure_commit@
expression managers;
@@
 bridge_reconfigure(...)
 {
 ...
 free(managers);
+bigtcp_bridge_commit();
 ...
 }

@iface_refresh_netdev_status@
identifier iface, smap;
@@
 iface_refresh_netdev_status(...)
 {
 <...
-if (!netdev_get_status(iface->netdev, &smap)) {
-    ovsrec_interface_set_status(iface->cfg, &smap);
-} else {
-    ovsrec_interface_set_status(iface->cfg, NULL);
-}
+bigtcp_bridge_refresh_status(iface->netdev, iface->cfg);
 ...>
 }

@bridge_run@
@@
 bridge_run(...)
 {
 <...
+bigtcp_bridge_run();
 run_stats_update();
 ...>
 }

@bridge_wait@
@@
 bridge_wait(...)
 {
 ...
 if_notifier_wait();
+bigtcp_bridge_wait();
 ...
 }

@iface_destroy__@
expression iface;
@@
+bigtcp_bridge_forget(iface->netdev);
 netdev_remove(iface->netdev);

@bridge_get_memory_usage@
@@
 bridge_get_memory_usage(...)
 {
 ...
 ovsdb_idl_get_memory_usage(idl, usage);
+bigtcp_bridge_get_memory_usage(usage);
 }
