/* SPDX-License-Identifier: Apache-2.0 */

/* Between vswitchd/bridge.c and the registry of ports: tells the registry
 * what kind of port a netdev is, and offers the unixctl commands. */

#include <config.h>

#include "vswitchd/bigtcp-bridge.h"

#include <string.h>

#include "bigtcp/capabilities.h"
#include "bigtcp/compat.h"
#include "bigtcp/observe.h"
#include "bigtcp/port.h"
#include "bigtcp/provider.h"
#include "bigtcp/types.h"
#include "dirs.h"
#include "lib/vswitch-idl.h"
#include "netdev-vport.h"
#include "netdev.h"
#include "ofproto/bigtcp-ofproto-path.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/hmap.h"
#include "openvswitch/json.h"
#include "openvswitch/shash.h"
#include "simap.h"
#include "smap.h"
#include "sset.h"
#include "unixctl.h"
#include "util.h"

/* bigtcp_bridge_run() was called since bigtcp_bridge_wait(), which the bridge
 * does only while it is connected to the database and holds its lock. */
static bool has_run;

/* Stores in 'place' where 'netdev', a port of 'bridge', is.  'place' may point
 * into 'namebuf'.  The caller must free_place() it. */
static void
find_place(const char *bridge, const struct netdev *netdev,
           char namebuf[NETDEV_VPORT_NAME_BUFSIZE],
           struct bigtcp_port_place *place)
{
    const char *dpif_type = netdev_get_dpif_type(netdev);

    memset(place, 0, sizeof *place);
    place->bridge = bridge;
    place->internal = (!strcmp(netdev_get_type(netdev), "internal")
                       || !strcmp(netdev_get_type(netdev), "dummy-internal"));
    if (netdev_vport_is_patch(netdev)) {
        char *peer = netdev_vport_patch_peer(netdev);

        place->unsupported = "a patch port has no kernel device";
        place->peer = peer ? peer : xstrdup("");
    } else if (nullable_string_is_equal(dpif_type, "system")) {
        place->class = &bigtcp_rtnl_class;
    } else if (nullable_string_is_equal(dpif_type, "dummy")) {
        place->class = &bigtcp_dummy_class;
    } else {
        /* The local port of a userspace datapath has no type at all. */
        place->unsupported = "the bridge's datapath is not the kernel's";
    }
    if (place->class) {
        place->device = netdev_vport_get_dpif_port(
            netdev, namebuf, NETDEV_VPORT_NAME_BUFSIZE);
    }
}

static void
free_place(struct bigtcp_port_place *place)
{
    free(CONST_CAST(char *, place->peer));
}

/* Notes the keys in 'other_config' of the row of 'bridge' or, if that is NULL,
 * of Open_vSwitch. */
void
bigtcp_bridge_set_defaults(const char *bridge,
                           const struct smap *other_config)
{
    bigtcp_port_set_defaults(bridge, other_config);
}

/* Notes the keys in 'other_config' of the Interface of 'netdev', a port of
 * 'bridge'. */
void
bigtcp_bridge_configure(const char *bridge, struct netdev *netdev,
                        const struct smap *other_config)
{
    char namebuf[NETDEV_VPORT_NAME_BUFSIZE];
    struct bigtcp_port_place place;

    find_place(bridge, netdev, namebuf, &place);
    bigtcp_port_configure(netdev, &place, other_config);
    free_place(&place);
}

/* Applies what was noted since the last time.  Must be called after the last
 * bigtcp_bridge_configure() of a reconfiguration. */
void
bigtcp_bridge_commit(void)
{
    bigtcp_port_commit(true);
}

/* Notes that 'netdev' is no port any more. */
void
bigtcp_bridge_forget(const struct netdev *netdev)
{
    bigtcp_port_forget(netdev);
}

/* Does what the datapath's own changes of ports, time, routes, and devices
 * that go ask for. */
void
bigtcp_bridge_run(void)
{
    has_run = true;
    bigtcp_port_run();
    bigtcp_observe_run();
}

/* Wakes up when bigtcp_bridge_run() has something to do, unless that was not
 * called: then it will not be until something else wakes up the bridge. */
void
bigtcp_bridge_wait(void)
{
    if (has_run) {
        bigtcp_port_wait();
        bigtcp_observe_wait();
    }
    has_run = false;
}

/* Stores in 'status' what netdev_get_status() says of 'netdev', nothing if
 * that fails, and what is observed.  Returns the status of a port that is
 * managed, or NULL. */
static const struct smap *
get_status(const struct netdev *netdev, struct smap *status)
{
    if (netdev_get_status(netdev, status)) {
        smap_clear(status);
    }
    bigtcp_observe_get_status(netdev, status);
    return bigtcp_port_get_status(netdev);
}

/* Adds to 'status' what an earlier process left in 'old_status', if it managed
 * 'netdev', which is not configured yet.  Keeps all that it told: of two
 * transactions in a row the database client drops the second if that only
 * brings back what the first is about to take away. */
static void
keep_status(const struct netdev *netdev, const struct smap *old_status,
            struct smap *status)
{
    char namebuf[NETDEV_VPORT_NAME_BUFSIZE];
    struct bigtcp_port_place place;
    const struct smap_node *node;
    enum bigtcp_attr attr;

    if (!smap_get(old_status, BIGTCP_STATUS_STATE)) {
        return;
    }
    SMAP_FOR_EACH (node, old_status) {
        if (!strncmp(node->key, "bigtcp_", 7)
            || bigtcp_attr_from_string(node->key, &attr)) {
            smap_replace(status, node->key, node->value);
        }
    }
    find_place("", netdev, namebuf, &place);
    bigtcp_port_learn(netdev, &place,
                      smap_get(old_status, BIGTCP_STATUS_ORIGINAL));
    free_place(&place);
}

/* Returns true if 'smap' has a node like 'node', which is in another one. */
static bool
smap_has(const struct smap *smap, const struct smap_node *node)
{
    const struct smap_node *n;

    HMAP_FOR_EACH_WITH_HASH (n, node, node->node.hash, &smap->map) {
        if (!strcmp(n->key, node->key)) {
            return !strcmp(n->value, node->value);
        }
    }
    return false;
}

/* Returns true if 'whole' has what 'part' has. */
static bool
smap_includes(const struct smap *whole, const struct smap *part)
{
    const struct smap_node *node;

    SMAP_FOR_EACH (node, part) {
        if (!smap_has(whole, node)) {
            return false;
        }
    }
    return true;
}

/* Brings status of 'cfg', the Interface of 'netdev', up to date: what
 * netdev_get_status() says and the keys of a port that is managed or observed.
 *
 * This is called for all ports after each reconfiguration.  The database's
 * client drops what is written again as it was, but only after it took a
 * multiple of the time that it takes to see that here. */
void
bigtcp_bridge_refresh_status(const struct netdev *netdev,
                             const struct ovsrec_interface *cfg)
{
    struct smap status = SMAP_INITIALIZER(&status);
    const struct smap *managed = get_status(netdev, &status);

    if (!bigtcp_port_is_known(netdev)) {
        keep_status(netdev, &cfg->status, &status);
    }
    if (smap_count(&cfg->status) != (smap_count(&status)
                                     + (managed ? smap_count(managed) : 0))
        || !smap_includes(&cfg->status, &status)
        || (managed && !smap_includes(&cfg->status, managed))) {
        const struct smap_node *node;

        if (managed) {
            SMAP_FOR_EACH (node, managed) {
                smap_replace(&status, node->key, node->value);
            }
        }
        ovsrec_interface_set_status(cfg, &status);
    }
    smap_destroy(&status);
}

/* Adds the number of managed ports and that of observed devices, if any, to
 * 'usage'. */
void
bigtcp_bridge_get_memory_usage(struct simap *usage)
{
    size_t n = bigtcp_port_count();

    if (n) {
        simap_increase(usage, "bigtcp ports", n);
    }
    n = bigtcp_observe_count();
    if (n) {
        simap_increase(usage, "bigtcp observed", n);
    }
}

/* unixctl commands. */

/* If the first of 'argv' is "--json", takes it away.  Returns true if the
 * reply must be JSON, by that or by the client's '--format json'. */
static bool
take_json_option(struct unixctl_conn *conn, int *argc, const char ***argv)
{
    if (*argc > 1 && !strcmp((*argv)[1], "--json")) {
        (*argc)--;
        (*argv)++;
        return true;
    }
    return bigtcp_wants_json(conn);
}

/* "bigtcp/show [--json] [bridge|interface]...". */
static void
bigtcp_unixctl_show(struct unixctl_conn *conn, int argc, const char *argv[],
                    void *aux OVS_UNUSED)
{
    bool json = take_json_option(conn, &argc, &argv);
    struct sset names = SSET_INITIALIZER(&names);

    for (int i = 1; i < argc; i++) {
        if (!bigtcp_port_exists(argv[i], true)) {
            char *error = xasprintf("no bridge or interface '%s'", argv[i]);

            unixctl_command_reply_error(conn, error);
            free(error);
            goto exit;
        }
        sset_add(&names, argv[i]);
    }

    if (json) {
        bigtcp_reply_json(conn, bigtcp_port_show_json(&names));
    } else {
        struct ds ds = DS_EMPTY_INITIALIZER;

        bigtcp_port_show_text(&names, &ds);
        unixctl_command_reply(conn, ds_cstr(&ds));
        ds_destroy(&ds);
    }

exit:
    sset_destroy(&names);
}

/* "bigtcp/refresh". */
static void
bigtcp_unixctl_refresh(struct unixctl_conn *conn, int argc OVS_UNUSED,
                       const char *argv[] OVS_UNUSED, void *aux OVS_UNUSED)
{
    if (!bigtcp_port_is_configured()) {
        unixctl_command_reply_error(conn, "the bridges are not configured: "
                                    "the database was not read yet, or "
                                    "another process holds its lock");
        return;
    }
    bigtcp_port_refresh();
    bigtcp_port_commit(false);
    unixctl_command_reply(conn, NULL);
}

/* "bigtcp/capabilities [--json]". */
static void
bigtcp_unixctl_capabilities(struct unixctl_conn *conn, int argc,
                            const char *argv[], void *aux OVS_UNUSED)
{
    bool json = take_json_option(conn, &argc, &argv);

    if (argc > 1) {
        char *error = xasprintf("unknown argument '%s'", argv[1]);

        unixctl_command_reply_error(conn, error);
        free(error);
        return;
    }

    if (json) {
        bigtcp_reply_json(conn, bigtcp_capabilities_to_json());
    } else {
        struct ds ds = DS_EMPTY_INITIALIZER;

        bigtcp_capabilities_format(&ds);
        unixctl_command_reply(conn, ds_cstr(&ds));
        ds_destroy(&ds);
    }
}

/* Replies to 'conn' with 'results': for each port NULL, in which case 'done'
 * holds for it, or why it does not. */
static void
reply_results(struct unixctl_conn *conn, const struct shash *results,
              const char *done, const char *done_text, bool want_json)
{
    const struct shash_node **nodes = shash_sort(results);
    struct json *json = json_object_create();
    struct ds ds = DS_EMPTY_INITIALIZER;

    for (size_t i = 0; i < shash_count(results); i++) {
        const char *why = nodes[i]->data;
        struct json *object = json_object_create();

        json_object_put(object, done, json_boolean_create(!why));
        if (why) {
            json_object_put_string(object, "reason", why);
        }
        json_object_put(json, nodes[i]->name, object);
        ds_put_format(&ds, "%s: %s\n", nodes[i]->name, why ? why : done_text);
    }
    free(nodes);
    if (want_json) {
        bigtcp_reply_json(conn, json);
    } else {
        unixctl_command_reply(conn, ds_cstr(&ds));
        json_destroy(json);
    }
    ds_destroy(&ds);
}

/* "bigtcp/observe [--json] start|stop|show [--json] [interface]...". */
static void
bigtcp_unixctl_observe(struct unixctl_conn *conn, int argc,
                       const char *argv[], void *aux OVS_UNUSED)
{
    bool json = take_json_option(conn, &argc, &argv);
    struct shash results = SHASH_INITIALIZER(&results);
    struct sset names = SSET_INITIALIZER(&names);
    const char *verb = argc > 1 ? argv[1] : "";
    char *error = NULL;

    if (argc > 1) {
        argc--;
        argv++;
        json = take_json_option(conn, &argc, &argv) || json;
    }
    for (int i = 1; i < argc; i++) {
        sset_add(&names, argv[i]);
    }

    if (!strcmp(verb, "start")) {
        error = bigtcp_observe_start(&names, &results);
        if (!error) {
            reply_results(conn, &results, "started", "observed from now on",
                          json);
        }
    } else if (!strcmp(verb, "stop")) {
        error = bigtcp_observe_stop(&names, &results);
        if (!error) {
            reply_results(conn, &results, "stopped", "no longer observed",
                          json);
        }
    } else if (!strcmp(verb, "show")) {
        error = bigtcp_observe_check(&names);
        if (!error && json) {
            bigtcp_reply_json(conn, bigtcp_observe_show_json(&names));
        } else if (!error) {
            struct ds ds = DS_EMPTY_INITIALIZER;

            bigtcp_observe_show_text(&names, &ds);
            unixctl_command_reply(conn, ds_cstr(&ds));
            ds_destroy(&ds);
        }
    } else {
        error = xasprintf("'%s' is none of start, stop, show", verb);
    }
    if (error) {
        unixctl_command_reply_error(conn, error);
        free(error);
    }
    shash_destroy_free_data(&results);
    sset_destroy(&names);
}

void
bigtcp_bridge_init(void)
{
    struct sset types = SSET_INITIALIZER(&types);
    char *originals_file = xasprintf("%s/bigtcp.originals", ovs_rundir());

    bigtcp_port_init(originals_file);
    free(originals_file);

    unixctl_command_register("bigtcp/show",
                             "[--json] [bridge|interface]...", 0, INT_MAX,
                             bigtcp_unixctl_show, NULL);
    unixctl_command_register("bigtcp/refresh", "", 0, 0,
                             bigtcp_unixctl_refresh, NULL);
    unixctl_command_register("bigtcp/capabilities", "[--json]", 0, 1,
                             bigtcp_unixctl_capabilities, NULL);
    unixctl_command_register("bigtcp/observe",
                             "[--json] start|stop|show [interface]...", 1,
                             INT_MAX, bigtcp_unixctl_observe, NULL);

    bigtcp_path_register();

    netdev_enumerate_types(&types);
    if (sset_contains(&types, "dummy")) {
        bigtcp_dummy_register();
    }
    sset_destroy(&types);
}

/* The bridges are gone.  With 'delete_datapath' the devices get their original
 * sizes back. */
void
bigtcp_bridge_exit(bool delete_datapath)
{
    bigtcp_port_exit(delete_datapath);
}
