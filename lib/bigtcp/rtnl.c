/* SPDX-License-Identifier: Apache-2.0 */

/* The system's devices, by rtnetlink and, for what that cannot do, by
 * lib/bigtcp/genl.h.  Nothing knows rtnetlink but this file and those that it
 * includes: rtnl-msg.h, rtnl-probe.h, link-watch.h and tc.h. */

#include <config.h>

#include "bigtcp/provider.h"
#include "bigtcp/rtnl.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "bigtcp/genl.h"
#include "bigtcp/link-watch.h"
#include "bigtcp/nl.h"
#include "bigtcp/probe.h"
#include "bigtcp/rtnl-msg.h"
#include "bigtcp/rtnl-probe.h"
#include "bigtcp/tc.h"
#include "coverage.h"
#include "dpif-netlink.h"
#include "hash.h"
#include "netlink-socket.h"
#include "netnsid.h"
#include "openvswitch/hmap.h"
#include "openvswitch/ofpbuf.h"
#include "openvswitch/shash.h"
#include "sset.h"
#include "util.h"

COVERAGE_DEFINE(bigtcp_rtnl_dump);
COVERAGE_DEFINE(bigtcp_rtnl_set);
COVERAGE_DEFINE(bigtcp_rtnl_set_failed);

/* A device that is being read. */
struct target {
    struct bigtcp_access *access;
    struct hmap_node by_index;  /* In "struct reading". */
    struct bigtcp_rtnl_ties ties;
    bool found;
    bool done;                  /* Its own namespace was looked into. */
};

/* A device that a dump named. */
struct seen {
    int ifindex;
    int master;
    char name[16];
};

/* Reading of some devices of one network namespace by a dump. */
struct reading {
    int netnsid;
    struct shash by_name;       /* Contains "struct target"s... */
    struct hmap by_index;       /* ...and those without a name. */
    struct seen *seen;          /* All devices of this network namespace. */
    size_t n_seen;
    size_t allocated_seen;
};

static void
reading_init(struct reading *reading, int netnsid)
{
    reading->netnsid = netnsid;
    shash_init(&reading->by_name);
    hmap_init(&reading->by_index);
    reading->seen = NULL;
    reading->n_seen = reading->allocated_seen = 0;
}

static void
reading_destroy(struct reading *reading)
{
    shash_destroy(&reading->by_name);
    hmap_destroy(&reading->by_index);
    free(reading->seen);
}

static void
reading_add(struct reading *reading, struct target *target)
{
    const struct bigtcp_access *access = target->access;

    target->found = false;
    if (access->name) {
        shash_add(&reading->by_name, access->name, target);
    } else {
        hmap_insert(&reading->by_index, &target->by_index,
                    hash_int(access->ifindex, 0));
    }
}

static void
start_reading(void *reading_)
{
    struct reading *reading = reading_;
    struct shash_node *node;
    struct target *target;

    SHASH_FOR_EACH (node, &reading->by_name) {
        target = node->data;
        target->found = false;
    }
    HMAP_FOR_EACH (target, by_index, &reading->by_index) {
        target->found = false;
    }
    reading->n_seen = 0;
}

static void
store(struct target *target, const struct bigtcp_link *link,
      const struct bigtcp_rtnl_ties *ties)
{
    target->found = true;
    target->ties = *ties;
    *target->access->link = *link;
}

static void
store_reply(struct ofpbuf *reply, void *reading_)
{
    struct reading *reading = reading_;
    struct bigtcp_rtnl_ties ties;
    struct bigtcp_link link;
    struct target *target;

    if (!bigtcp_rtnl_parse(reply, &link, &ties)) {
        return;
    }
    link.netnsid = reading->netnsid;
    target = shash_find_data(&reading->by_name, link.name);
    if (target && (!netnsid_is_remote(link.netnsid)
                   || bigtcp_link_is_internal(&link))) {
        store(target, &link, &ties);
    }
    HMAP_FOR_EACH_WITH_HASH (target, by_index, hash_int(link.ifindex, 0),
                             &reading->by_index) {
        if (target->access->ifindex == link.ifindex) {
            store(target, &link, &ties);
        }
    }
    if (!netnsid_is_remote(link.netnsid)) {
        struct seen *seen;

        if (reading->n_seen >= reading->allocated_seen) {
            reading->seen = x2nrealloc(reading->seen,
                                       &reading->allocated_seen,
                                       sizeof *reading->seen);
        }
        seen = &reading->seen[reading->n_seen++];
        seen->ifindex = link.ifindex;
        seen->master = ties.master;
        ovs_strlcpy(seen->name, link.name, sizeof seen->name);
    }
}

/* Dumps the links of network namespace 'netnsid'.  The rest is as for
 * bigtcp_nl_dump(). */
static int
dump_links(int netnsid, void (*start)(void *aux),
           void (*cb)(struct ofpbuf *reply, void *aux), void *aux)
{
    struct ofpbuf request;
    int error;

    ofpbuf_init(&request, 64);
    bigtcp_rtnl_compose_get(&request, NULL, 0, netnsid);
    error = bigtcp_nl_dump(NETLINK_ROUTE, &request, start, cb, aux);
    ofpbuf_uninit(&request);
    COVERAGE_INC(bigtcp_rtnl_dump);
    return error;
}

/* Returns true if a device of 'kind' has no queue or hardware of its own, but
 * hands what it sends to other devices. */
static bool
has_lowers(const char *kind)
{
    static const char *const kinds[] = {
        "bond", "dsa", "ipvlan", "macsec", "macvlan", "team", "vlan",
    };

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (!strcmp(kind, kinds[i])) {
            return true;
        }
    }
    return false;
}

/* Returns true if the devices below the device of 'target' are wanted and may
 * be known here. */
static bool
needs_lowers(const struct target *target)
{
    const struct bigtcp_access *access = target->access;

    return (access->lowers && !access->error
            && !netnsid_is_remote(access->link->netnsid)
            && has_lowers(access->link->kind));
}

static int
compare_seen(const void *a_, const void *b_)
{
    const struct seen *a = a_;
    const struct seen *b = b_;

    return a->ifindex < b->ifindex ? -1 : a->ifindex > b->ifindex;
}

/* Finds the devices below those of the 'n' targets, of which 'reading', of
 * this network namespace, saw all. */
static void
find_lowers(struct reading *reading, const struct target *targets, size_t n)
{
    bool sorted = false;

    for (size_t i = 0; i < n; i++) {
        const struct bigtcp_access *access = targets[i].access;
        struct seen key = { .ifindex = targets[i].ties.below };

        if (!needs_lowers(&targets[i])) {
            continue;
        }
        if (!strcmp(access->link->kind, "bond")
            || !strcmp(access->link->kind, "team")) {
            for (size_t j = 0; j < reading->n_seen; j++) {
                if (reading->seen[j].master == access->link->ifindex) {
                    sset_add(access->lowers, reading->seen[j].name);
                }
            }
        } else if (key.ifindex) {
            const struct seen *seen;

            if (!sorted) {
                qsort(reading->seen, reading->n_seen, sizeof *reading->seen,
                      compare_seen);
                sorted = true;
            }
            seen = bsearch(&key, reading->seen, reading->n_seen,
                           sizeof *reading->seen, compare_seen);
            if (seen) {
                sset_add(access->lowers, seen->name);
            }
        }
    }
}

/* Returns true if the device of 'target' is, or can be, in another network
 * namespace and was not found there yet. */
static bool
is_elsewhere(const struct target *target)
{
    const struct bigtcp_access *access = target->access;

    if (target->done) {
        return false;
    } else if (!access->name) {
        return netnsid_is_remote(access->netnsid);
    }
    /* Its name may be that of another device here. */
    return (access->internal
            && (access->error == ENODEV || access->error == EAGAIN
                || (!access->error
                    && !bigtcp_link_is_internal(access->link))));
}

/* Returns 'error', of a request for a device in another network namespace, as
 * it is to be told. */
static int
remote_error(int error)
{
    /* There is no such namespace. */
    return error == EINVAL ? ENODEV : error;
}

/* Reads the device of 'target' alone, in 'netnsid'. */
static void
read_one(struct target *target, int netnsid)
{
    struct bigtcp_access *access = target->access;
    struct bigtcp_rtnl_ties ties;
    struct bigtcp_link link;
    int error;

    error = bigtcp_rtnl_get_link(access->name, access->ifindex, netnsid,
                                 &link, &ties);
    if (!error && access->name && netnsid_is_remote(netnsid)
        && !bigtcp_link_is_internal(&link)) {
        error = ENODEV;
    }
    if (!error) {
        store(target, &link, &ties);
        access->error = 0;
    } else if (!access->name || !netnsid_is_remote(netnsid)) {
        access->error = netnsid_is_remote(netnsid) ? remote_error(error)
                                                   : error;
    }
}

/* Reads those devices of 'targets' that are expected in 'netnsid', another
 * network namespace. */
static void
read_namespace(struct target *targets, size_t n, int netnsid)
{
    struct reading reading;
    int error;

    reading_init(&reading, netnsid);
    for (size_t i = 0; i < n; i++) {
        if (targets[i].access->netnsid == netnsid
            && is_elsewhere(&targets[i])) {
            targets[i].done = true;
            reading_add(&reading, &targets[i]);
        }
    }
    error = dump_links(netnsid, start_reading, store_reply, &reading);
    for (size_t i = 0; i < n; i++) {
        struct bigtcp_access *access = targets[i].access;

        if (!targets[i].done || access->netnsid != netnsid) {
            continue;
        } else if (targets[i].found) {
            access->error = 0;
        } else if (access->name) {
            /* The datapath knows. */
            targets[i].done = false;
        } else {
            access->error = error ? remote_error(error) : ENODEV;
        }
    }
    reading_destroy(&reading);
}

/* Reads the device of 'target', an internal port that is neither in this
 * network namespace nor where it was, where it is.  The datapath knows the
 * number of that namespace. */
static void
read_moved(struct target *target)
{
    struct dpif_netlink_vport vport;
    struct ofpbuf *buf;

    if (dpif_netlink_vport_get(target->access->name, &vport, &buf)) {
        return;
    }
    if (netnsid_is_remote(vport.netnsid)) {
        read_one(target, vport.netnsid);
    }
    ofpbuf_delete(buf);
}

/* Reads the 'n' devices, one by a request, several by one dump for each
 * network namespace. */
static void
read_targets(struct target *targets, size_t n)
{
    struct reading reading;

    reading_init(&reading, NETNSID_LOCAL);
    if (n == 1) {
        bool here = (targets->access->name
                     || !netnsid_is_remote(targets->access->netnsid));

        read_one(targets, here ? NETNSID_LOCAL : targets->access->netnsid);
        targets->done = !here;
        if (needs_lowers(targets)) {
            dump_links(NETNSID_LOCAL, start_reading, store_reply, &reading);
        }
    } else {
        int error;

        for (size_t i = 0; i < n; i++) {
            if (targets[i].access->name
                || !netnsid_is_remote(targets[i].access->netnsid)) {
                reading_add(&reading, &targets[i]);
            }
        }
        error = dump_links(NETNSID_LOCAL, start_reading, store_reply,
                           &reading);
        for (size_t i = 0; i < n; i++) {
            /* If it is EAGAIN, what was found is right. */
            targets[i].access->error = (targets[i].found ? 0
                                        : error ? error : ENODEV);
        }
    }
    find_lowers(&reading, targets, n);
    reading_destroy(&reading);

    for (size_t i = 0; i < n; i++) {
        int netnsid = targets[i].access->netnsid;

        if (is_elsewhere(&targets[i]) && netnsid_is_remote(netnsid)) {
            read_namespace(targets, n, netnsid);
        }
        if (is_elsewhere(&targets[i]) && targets[i].access->name) {
            read_moved(&targets[i]);
        }
    }
}

/* Completes what was read of 'access'.  '*module' says whether our kernel
 * module is loaded, -1 if nobody looked. */
static void
complete_access(struct bigtcp_access *access, int *module)
{
    struct bigtcp_link *link = access->link;

    access->remote = false;
    if (access->error) {
        return;
    }
    bigtcp_link_watch_found(link);
    if (bigtcp_link_is_internal(link)) {
        if (*module < 0) {
            *module = bigtcp_genl_is_there();
        }
        link->settable = *module;
    }
    access->remote = netnsid_is_remote(link->netnsid) && !link->settable;
    bigtcp_rtnl_probe_carries(link);
    if (access->ingress && !netnsid_is_remote(link->netnsid)) {
        bigtcp_tc_get_ingress(link->ifindex, access->ingress);
    }
}

/* What bigtcp_tc_run() told 'get', which must not get lost for 'run'. */
static bool tc_changed;

static bool
bigtcp_rtnl_run(void)
{
    bool changed = bigtcp_genl_run() | tc_changed;

    changed |= bigtcp_link_watch_run();
    changed |= bigtcp_tc_run(bigtcp_link_watch_is_asked);
    tc_changed = false;
    return changed;
}

static void
bigtcp_rtnl_wait(void)
{
    bigtcp_genl_wait();
    bigtcp_link_watch_wait();
}

static void
bigtcp_rtnl_get(struct bigtcp_access *accesses, size_t n)
{
    struct target *targets = xcalloc(n, sizeof *targets);
    bool ingress = false;
    int module = -1;

    bigtcp_link_watch_start();
    for (size_t i = 0; i < n; i++) {
        targets[i].access = &accesses[i];
        accesses[i].message = NULL;
        if (accesses[i].name) {
            bigtcp_link_watch_ask(accesses[i].name);
        }
        if (accesses[i].lowers) {
            sset_clear(accesses[i].lowers);
        }
        if (accesses[i].ingress) {
            sset_clear(accesses[i].ingress);
            ingress = true;
        }
    }
    if (ingress) {
        tc_changed |= bigtcp_tc_run(bigtcp_link_watch_is_asked);
        bigtcp_tc_read();
    }
    read_targets(targets, n);
    for (size_t i = 0; i < n; i++) {
        complete_access(&accesses[i], &module);
    }
    free(targets);
}

/* Returns true if rtnetlink cannot do what 'access' asks for.  A request to
 * change a device in another network namespace would move it there. */
static bool
needs_module(const struct bigtcp_access *access)
{
    return (netnsid_is_remote(access->link->netnsid)
            || bigtcp_sizes_has(&access->sizes, BIGTCP_TSO_MAX_SIZE));
}

static void
bigtcp_rtnl_set(struct bigtcp_access *accesses, size_t n)
{
    struct bigtcp_access **through_rtnl = xcalloc(n, sizeof *through_rtnl);
    struct bigtcp_access **through_genl = xcalloc(n, sizeof *through_genl);
    struct ofpbuf **requests = xcalloc(n, sizeof *requests);
    size_t n_rtnl = 0;
    size_t n_genl = 0;

    for (size_t i = 0; i < n; i++) {
        if (needs_module(&accesses[i])) {
            through_genl[n_genl++] = &accesses[i];
        } else {
            requests[n_rtnl] = ofpbuf_new(128);
            bigtcp_rtnl_compose_set(requests[n_rtnl],
                                    accesses[i].link->ifindex,
                                    &accesses[i].sizes);
            through_rtnl[n_rtnl++] = &accesses[i];
        }
    }

    if (n_rtnl) {
        bigtcp_nl_set(NETLINK_ROUTE, through_rtnl, requests, n_rtnl);
        COVERAGE_ADD(bigtcp_rtnl_set, n_rtnl);
        for (size_t i = 0; i < n_rtnl; i++) {
            if (through_rtnl[i]->error) {
                COVERAGE_INC(bigtcp_rtnl_set_failed);
            }
        }
    }
    if (n_genl) {
        bigtcp_genl_set(through_genl, n_genl);
    }
    free(requests);
    free(through_genl);
    free(through_rtnl);
}

const struct bigtcp_class bigtcp_rtnl_class = {
    .name = "rtnl",
    .get = bigtcp_rtnl_get,
    .set = bigtcp_rtnl_set,
    .tap = &bigtcp_bpf_tap_class,
    .get_kernel = bigtcp_probe_kernel,
    .run = bigtcp_rtnl_run,
    .wait = bigtcp_rtnl_wait,
};

struct kind_ceiling {
    const char *kind;
    uint32_t ceiling;
};

static void
update_kind_ceiling(struct ofpbuf *reply, void *kind_ceiling_)
{
    struct kind_ceiling *kc = kind_ceiling_;
    struct bigtcp_rtnl_ties ties;
    struct bigtcp_link link;

    if (bigtcp_rtnl_parse(reply, &link, &ties)
        && !strcmp(link.kind, kc->kind)) {
        kc->ceiling = MAX(kc->ceiling, bigtcp_link_ceiling(&link));
    }
}

/* Stores in '*ceiling' the highest tso_max_size of the devices of 'kind' that
 * exist, 0 if there is none.  Returns 0 or a positive errno value. */
int
bigtcp_rtnl_kind_ceiling(const char *kind, uint32_t *ceiling)
{
    struct kind_ceiling kc = { .kind = kind };
    int error = dump_links(NETNSID_LOCAL, NULL, update_kind_ceiling, &kc);

    *ceiling = kc.ceiling;
    return error;
}
