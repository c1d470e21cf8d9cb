/* SPDX-License-Identifier: Apache-2.0 */

#include <config.h>

#include "bigtcp/link-watch.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <string.h>

#include "bigtcp/ethtool.h"
#include "bigtcp/nl.h"
#include "bigtcp/rtnl-msg.h"
#include "bigtcp/tc.h"
#include "bigtcp/types.h"
#include "hash.h"
#include "netlink-socket.h"
#include "netnsid.h"
#include "openvswitch/hmap.h"
#include "openvswitch/ofpbuf.h"
#include "openvswitch/shash.h"
#include "openvswitch/vlog.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(bigtcp_link_watch);

/* A device that was asked for and found. */
struct device {
    struct hmap_node node;      /* In 'devices', by 'ifindex'. */
    int netnsid;
    int ifindex;
    bool has_features;          /* 'features' is known. */
    uint32_t features;
};
static struct hmap devices = HMAP_INITIALIZER(&devices);

/* Names that were asked for.  Each has the number of the call of
 * bigtcp_link_watch_start() after which that was last. */
static struct shash names = SHASH_INITIALIZER(&names);
static uintptr_t n_starts;

/* Receives what the kernel announces of links in this and other network
 * namespaces.  NULL before the first call of bigtcp_link_watch_start(), or if
 * there can be none. */
static struct nl_sock *notify_sock;

/* Something happened to a device that was asked for since
 * bigtcp_link_watch_run(). */
static bool changed;

static struct device *
find_device(int netnsid, int ifindex)
{
    struct device *device;

    HMAP_FOR_EACH_WITH_HASH (device, node, hash_int(ifindex, 0), &devices) {
        if (device->ifindex == ifindex && device->netnsid == netnsid) {
            return device;
        }
    }
    return NULL;
}

/* Starts to listen, unless that was done. */
static void
start_listening(void)
{
    static bool tried;
    int error;

    if (tried) {
        return;
    }
    tried = true;
    error = bigtcp_nl_listen(NETLINK_ROUTE, RTNLGRP_LINK, &notify_sock);
    if (error) {
        VLOG_WARN("cannot listen for changes of links: %s",
                  ovs_strerror(error));
        return;
    }
    /* Without it, changes in other network namespaces are found later. */
    error = nl_sock_listen_all_nsid(notify_sock, true);
    if (error) {
        VLOG_DBG("cannot listen in other network namespaces: %s",
                 ovs_strerror(error));
    }
}

/* Notes 'event', of network namespace 'netnsid'. */
static void
see_event(const struct bigtcp_rtnl_event *event, int netnsid)
{
    struct device *device = find_device(netnsid, event->ifindex);
    bool is_local = !netnsid_is_remote(netnsid);

    if (is_local) {
        bigtcp_tc_see_link(event);
    }
    if (device) {
        changed = true;
        device->has_features = false;
        if (event->gone) {
            hmap_remove(&devices, &device->node);
            free(device);
        }
    }
    if (is_local && shash_find(&names, event->name)) {
        changed = true;
    }
}

/* Forgets all features. */
static void
forget_features(void)
{
    struct device *device;

    HMAP_FOR_EACH (device, node, &devices) {
        device->has_features = false;
    }
}

/* Reads what the kernel announced since the last call. */
static void
read_notifications(void)
{
    uint64_t stub[4096 / 8];
    struct ofpbuf buf;
    int error = 0;

    if (!notify_sock) {
        forget_features();
        return;
    }
    ofpbuf_use_stub(&buf, stub, sizeof stub);
    while (!error || error == ENOBUFS) {
        struct bigtcp_rtnl_event event;
        int netnsid = NETNSID_LOCAL;

        error = nl_sock_recv(notify_sock, &buf, &netnsid, false);
        if (!error && bigtcp_rtnl_parse_event(&buf, &event)) {
            see_event(&event, netnsid);
        } else if (error == ENOBUFS) {
            forget_features();
            changed = true;
        }
    }
    ofpbuf_uninit(&buf);
}

/* Forgets the names of devices that were asked for last long ago.  Of those
 * that exist no more, some may be asked for once more after they went. */
static void
forget_names(void)
{
    struct shash_node *node;

    SHASH_FOR_EACH_SAFE (node, &names) {
        if (n_starts - (uintptr_t) node->data > 1000) {
            shash_delete(&names, node);
        }
    }
}

/* To be called before devices are read, so that no change of them is
 * missed. */
void
bigtcp_link_watch_start(void)
{
    start_listening();
    read_notifications();
    if (!(++n_starts % 1000)) {
        forget_names();
    }
}

/* Notes that the device 'name' was asked for. */
void
bigtcp_link_watch_ask(const char *name)
{
    shash_replace(&names, name, (void *) n_starts);
}

/* Notes that a device was asked for, and found as 'link'.  Stores in 'link'
 * what it does itself. */
void
bigtcp_link_watch_found(struct bigtcp_link *link)
{
    struct device *device = find_device(link->netnsid, link->ifindex);

    if (!device) {
        device = xzalloc(sizeof *device);
        device->netnsid = link->netnsid;
        device->ifindex = link->ifindex;
        hmap_insert(&devices, &device->node, hash_int(link->ifindex, 0));
    }
    if (netnsid_is_remote(link->netnsid)) {
        link->features = BIGTCP_OFFLOADS_ALL;
        return;
    }
    if (!device->has_features) {
        device->features = bigtcp_ethtool_get_features(link->name);
        device->has_features = true;
    }
    link->features = device->features;
}

/* Returns true if device 'ifindex' of this network namespace was asked
 * for. */
bool
bigtcp_link_watch_is_asked(int ifindex)
{
    return find_device(NETNSID_LOCAL, ifindex) != NULL;
}

/* Returns true if something happened to a device that was asked for.  Does
 * nothing before the first bigtcp_link_watch_start(). */
bool
bigtcp_link_watch_run(void)
{
    bool told;

    if (n_starts) {
        read_notifications();
    }
    told = changed;
    changed = false;
    return told;
}

/* Wakes up when bigtcp_link_watch_run() has something to do. */
void
bigtcp_link_watch_wait(void)
{
    if (notify_sock) {
        nl_sock_wait(notify_sock, POLLIN);
    }
}
