/* SPDX-License-Identifier: Apache-2.0 */

/* Devices in memory that follow the kernel's rules for their sizes
 * (validate_linkmsg(), do_setlink(), netif_set_gso_max_size()), and unixctl
 * commands to poke them.  Their packets are those that a command sends. */

#include <config.h>

#include "bigtcp/provider.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "bigtcp/counts.h"
#include "hash.h"
#include "netnsid.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/shash.h"
#include "packets.h"
#include "sset.h"
#include "unixctl.h"
#include "util.h"

struct dummy_tap {
    const struct dummy_device *device;
    int ifindex;                /* That the device had at first. */
    struct bigtcp_counts counts;
};

struct dummy_device {
    struct bigtcp_link link;    /* What 'get' tells. */
    struct sset lowers;         /* Devices below it. */
    struct sset ingress;        /* As in struct bigtcp_access. */
    bool gone;                  /* ENODEV for everything. */
    int fail_get;               /* errno value for the next 'get's, or 0. */
    int fail;                   /* errno value for the next 'set's, or 0. */
    enum bigtcp_attr fail_attr; /* Only if this is set, or BIGTCP_N_ATTRS. */
    unsigned int n_gets;        /* Calls that named this device. */
    unsigned int n_sets;
    struct dummy_tap *tap;      /* While its packets are counted. */
};

/* Contains "struct dummy_device"s by name. */
static struct shash dummies = SHASH_INITIALIZER(&dummies);

/* What bigtcp_probe_kernel() says of the system's devices. */
static enum bigtcp_answer resegments;

/* As if kernel module openvswitch_bigtcp were loaded. */
static bool module;

/* 'run' has something to tell. */
static bool changed;

/* Returns the device 'name', which is made with what the kernel gives to a
 * new device if it is not there. */
static struct dummy_device *
dummy_get(const char *name)
{
    struct dummy_device *dummy = shash_find_data(&dummies, name);

    if (!dummy) {
        dummy = xzalloc(sizeof *dummy);
        ovs_strlcpy(dummy->link.name, name, sizeof dummy->link.name);
        dummy->link.ifindex = hash_string(name, 0) & 0xffff;
        dummy->link.netnsid = NETNSID_LOCAL;
        dummy->link.tso_max_segs = BIGTCP_MAX_SEGS;
        dummy->fail_attr = BIGTCP_N_ATTRS;
        sset_init(&dummy->lowers);
        sset_init(&dummy->ingress);
        dummy->link.features = BIGTCP_OFFLOADS_ALL;
        dummy->link.mtu = ETH_PAYLOAD_MAX;
        BIGTCP_FOR_EACH_ATTR (attr) {
            bigtcp_sizes_set(&dummy->link.sizes, attr,
                             attr == BIGTCP_GSO_MAX_SEGS ? BIGTCP_MAX_SEGS
                             : BIGTCP_LEGACY_SIZE);
        }
        shash_add(&dummies, name, dummy);
    }
    return dummy;
}

/* Returns the device of 'access', NULL if that has no name and there is no
 * device of its number. */
static struct dummy_device *
dummy_find(const struct bigtcp_access *access)
{
    struct shash_node *node;

    if (access->name) {
        return dummy_get(access->name);
    }
    SHASH_FOR_EACH (node, &dummies) {
        struct dummy_device *dummy = node->data;

        if (!dummy->gone && dummy->link.ifindex == access->ifindex
            && dummy->link.netnsid == access->netnsid) {
            return dummy;
        }
    }
    return NULL;
}

static void
bigtcp_dummy_get(struct bigtcp_access *accesses, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct dummy_device *dummy = dummy_find(&accesses[i]);

        accesses[i].error = (!dummy || dummy->gone ? ENODEV
                             : dummy->fail_get);
        accesses[i].remote = false;
        if (dummy) {
            dummy->n_gets++;
        }
        if (!accesses[i].error) {
            dummy->link.settable = (module
                                    && bigtcp_link_is_internal(&dummy->link));
            accesses[i].remote = (netnsid_is_remote(dummy->link.netnsid)
                                  && !dummy->link.settable);
            *accesses[i].link = dummy->link;
            if (accesses[i].lowers) {
                sset_destroy(accesses[i].lowers);
                sset_clone(accesses[i].lowers, &dummy->lowers);
            }
            if (accesses[i].ingress) {
                sset_destroy(accesses[i].ingress);
                sset_clone(accesses[i].ingress, &dummy->ingress);
            }
        }
    }
}

/* Returns 0 or the errno value with which the kernel or, for what only that
 * can do, its module refuses 'sizes', and the text in '*message'. */
static int
validate(const struct dummy_device *dummy, const struct bigtcp_sizes *sizes,
         char **message)
{
    uint32_t ceiling = (bigtcp_sizes_has(sizes, BIGTCP_TSO_MAX_SIZE)
                        ? sizes->value[BIGTCP_TSO_MAX_SIZE]
                        : bigtcp_link_ceiling(&dummy->link));

    BIGTCP_FOR_EACH_ATTR (attr) {
        uint32_t max = (attr == BIGTCP_GSO_MAX_SIZE
                        || attr == BIGTCP_GSO_IPV4_MAX_SIZE
                        ? ceiling
                        : attr == BIGTCP_GSO_MAX_SEGS
                        ? dummy->link.tso_max_segs
                        : BIGTCP_MAX_SIZE);

        if (bigtcp_sizes_has(sizes, attr)) {
            if (attr == BIGTCP_TSO_MAX_SIZE && !dummy->link.settable) {
                *message = xstrdup("Attribute failed policy validation");
                return EINVAL;
            }
            if (sizes->value[attr] > max) {
                *message = xasprintf("too big %s",
                                     bigtcp_attr_to_string(attr));
                return EINVAL;
            }
        }
    }
    if (dummy->fail && (dummy->fail_attr == BIGTCP_N_ATTRS
                        || bigtcp_sizes_has(sizes, dummy->fail_attr))) {
        *message = xstrdup("bigtcp-dummy/fail");
        return dummy->fail;
    }
    return 0;
}

/* Gives 'live' what 'sizes' has of 'attr', an IPv6 size, and of 'ipv4', which
 * follows a change of 'attr' up to BIGTCP_LEGACY_SIZE as in the kernel. */
static void
set_pair(struct bigtcp_sizes *live, const struct bigtcp_sizes *sizes,
         enum bigtcp_attr attr, enum bigtcp_attr ipv4)
{
    if (bigtcp_sizes_has(sizes, attr)
        && live->value[attr] != sizes->value[attr]) {
        live->value[attr] = sizes->value[attr];
        if (sizes->value[attr] <= BIGTCP_LEGACY_SIZE) {
            live->value[ipv4] = sizes->value[attr];
        }
    }
    if (bigtcp_sizes_has(sizes, ipv4)) {
        live->value[ipv4] = sizes->value[ipv4];
    }
}

/* Gives 'value' to the ceiling as netif_set_tso_max_size() does, which lowers
 * sizes with it and never raises them. */
static void
set_ceiling(struct bigtcp_sizes *live, uint32_t value)
{
    uint32_t *v = live->value;

    bigtcp_sizes_set(live, BIGTCP_TSO_MAX_SIZE, value);
    v[BIGTCP_GSO_MAX_SIZE] = MIN(v[BIGTCP_GSO_MAX_SIZE], value);
    v[BIGTCP_GSO_IPV4_MAX_SIZE] = MIN(v[BIGTCP_GSO_IPV4_MAX_SIZE], value);
}

static void
bigtcp_dummy_set(struct bigtcp_access *accesses, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct dummy_device *dummy = dummy_get(accesses[i].link->name);
        const struct bigtcp_sizes *sizes = &accesses[i].sizes;

        dummy->n_sets++;
        accesses[i].message = NULL;
        accesses[i].error = (dummy->gone ? ENODEV
                             : validate(dummy, sizes, &accesses[i].message));
        if (!accesses[i].error) {
            struct bigtcp_sizes *live = &dummy->link.sizes;

            if (bigtcp_sizes_has(sizes, BIGTCP_TSO_MAX_SIZE)) {
                set_ceiling(live, sizes->value[BIGTCP_TSO_MAX_SIZE]);
            }
            set_pair(live, sizes, BIGTCP_GSO_MAX_SIZE,
                     BIGTCP_GSO_IPV4_MAX_SIZE);
            set_pair(live, sizes, BIGTCP_GRO_MAX_SIZE,
                     BIGTCP_GRO_IPV4_MAX_SIZE);
            if (bigtcp_sizes_has(sizes, BIGTCP_GSO_MAX_SEGS)) {
                live->value[BIGTCP_GSO_MAX_SEGS]
                    = sizes->value[BIGTCP_GSO_MAX_SEGS];
            }
        }
    }
}

static int
dummy_tap_open(const char *name, int ifindex, void **tapp, char **message)
{
    struct dummy_device *dummy = dummy_get(name);
    struct dummy_tap *tap;

    if (dummy->fail) {
        *message = xasprintf("bigtcp-dummy/fail: %s",
                             ovs_strerror(dummy->fail));
        return dummy->fail;
    }
    ovs_assert(!dummy->tap);
    *tapp = dummy->tap = tap = xzalloc(sizeof *tap);
    tap->device = dummy;
    tap->ifindex = ifindex;
    return 0;
}

static int
dummy_tap_read(const void *tap_, struct bigtcp_counts *counts)
{
    const struct dummy_tap *tap = tap_;

    *counts = tap->counts;
    return 0;
}

static bool
dummy_tap_is_gone(const void *tap_)
{
    const struct dummy_tap *tap = tap_;

    return tap->device->gone || tap->device->link.ifindex != tap->ifindex;
}

static void
dummy_tap_close(void *tap_)
{
    struct dummy_tap *tap = tap_;

    CONST_CAST(struct dummy_device *, tap->device)->tap = NULL;
    free(tap);
}

static const struct bigtcp_tap_class dummy_tap_class = {
    .open = dummy_tap_open,
    .read = dummy_tap_read,
    .is_gone = dummy_tap_is_gone,
    .close = dummy_tap_close,
};

static void
bigtcp_dummy_get_kernel(struct bigtcp_kernel *kernel)
{
    *kernel = (struct bigtcp_kernel) {
        .resegments = resegments,
        .error = resegments == BIGTCP_NOT_KNOWN ? EPERM : 0,
    };
}

static bool
bigtcp_dummy_run(void)
{
    bool told = changed;

    changed = false;
    return told;
}

/* What changes a device wakes up the daemon already. */
static void
bigtcp_dummy_wait(void)
{
}

const struct bigtcp_class bigtcp_dummy_class = {
    .name = "dummy",
    .get = bigtcp_dummy_get,
    .set = bigtcp_dummy_set,
    .tap = &dummy_tap_class,
    .get_kernel = bigtcp_dummy_get_kernel,
    .run = bigtcp_dummy_run,
    .wait = bigtcp_dummy_wait,
};

static void
set_features(struct dummy_device *dummy, uint32_t features, const char *value)
{
    if (!strcmp(value, "on")) {
        dummy->link.features |= features;
    } else {
        dummy->link.features &= ~features;
    }
}

/* Lets 'dummy' do, or no longer do, what 'ethtool -k' calls 'name'.  Returns
 * false if there is no such thing. */
static bool
set_offload(struct dummy_device *dummy, const char *name, const char *value)
{
    for (enum bigtcp_offload i = 0; i < BIGTCP_N_OFFLOADS; i++) {
        if (!strcmp(name, bigtcp_offload_to_string(i))) {
            set_features(dummy, 1u << i, value);
            return true;
        }
    }
    return false;
}

/* Makes 'names' those in 'value', separated by ",", none if that is "none". */
static void
set_names(struct sset *names, const char *value)
{
    sset_destroy(names);
    sset_from_delimited_string(names, strcmp(value, "none") ? value : "",
                               ",");
}

/* Gives 'value' to what is called 'name' of 'dummy', other than a size.
 * Returns false if there is no such thing. */
static bool
set_other(struct dummy_device *dummy, const char *name, const char *value)
{
    if (!strcmp(name, "kind")) {
        ovs_strlcpy(dummy->link.kind, value, sizeof dummy->link.kind);
    } else if (!strcmp(name, "qdisc")) {
        ovs_strlcpy(dummy->link.qdisc, value, sizeof dummy->link.qdisc);
    } else if (!strcmp(name, "tso")) {
        set_features(dummy, BIGTCP_OFFLOADS_TSO, value);
    } else if (!strcmp(name, "lro")) {
        set_features(dummy, 1u << BIGTCP_OFFLOAD_LRO, value);
    } else if (!strcmp(name, "lowers")) {
        set_names(&dummy->lowers, value);
    } else if (!strcmp(name, "ingress")) {
        set_names(&dummy->ingress, value);
    } else if (!strcmp(name, "ifindex")) {
        dummy->link.ifindex = atoi(value);
    } else if (!strcmp(name, "netnsid")) {
        dummy->link.netnsid = atoi(value);
    } else if (!strcmp(name, "carries")) {
        dummy->link.carries = atoi(value);
    } else if (!strcmp(name, "carries-error")) {
        dummy->link.carries_error = atoi(value);
    } else if (!strcmp(name, "mtu")) {
        dummy->link.mtu = atoi(value);
    } else if (!strcmp(name, "tso_max_segs")) {
        dummy->link.tso_max_segs = atoi(value);
    } else {
        return set_offload(dummy, name, value);
    }
    return true;
}

/* "bigtcp-dummy/set DEVICE NAME=VALUE...": as a driver or another program
 * would.  "NAME=none" takes an attribute away.  Other NAMEs than those of
 * attributes: "carries", "carries-error", "ifindex", "ingress" and "lowers"
 * (names of devices, separated by ","), "kind", "lro", "mtu", "netnsid",
 * "qdisc", "tso", "tso_max_segs"; offloads are "on" or "off".  As in the
 * kernel, nobody is told of a change of sizes. */
static void
bigtcp_dummy_unixctl_set(struct unixctl_conn *conn, int argc,
                         const char *argv[], void *aux OVS_UNUSED)
{
    struct dummy_device *dummy = dummy_get(argv[1]);

    changed |= dummy->gone;
    dummy->gone = false;
    for (int i = 2; i < argc; i++) {
        char name[32], value[32];
        enum bigtcp_attr attr;

        if (!ovs_scan(argv[i], "%31[^=]=%31s", name, value)) {
            unixctl_command_reply_error(conn, argv[i]);
            return;
        } else if (set_other(dummy, name, value)) {
            changed = true;
        } else if (!bigtcp_attr_from_string(name, &attr)) {
            unixctl_command_reply_error(conn, name);
            return;
        } else if (!strcmp(value, "none")) {
            bigtcp_sizes_clear(&dummy->link.sizes, attr);
        } else if (attr == BIGTCP_TSO_MAX_SIZE) {
            set_ceiling(&dummy->link.sizes, atoi(value));
        } else {
            bigtcp_sizes_set(&dummy->link.sizes, attr, atoi(value));
        }
    }
    unixctl_command_reply(conn, NULL);
}

/* "bigtcp-dummy/fail DEVICE ERRNO [NAME]": lets changes, or only those of
 * NAME, and observation fail with ERRNO, until that is 0. */
static void
bigtcp_dummy_unixctl_fail(struct unixctl_conn *conn, int argc,
                          const char *argv[], void *aux OVS_UNUSED)
{
    struct dummy_device *dummy = dummy_get(argv[1]);

    dummy->fail = atoi(argv[2]);
    dummy->fail_attr = BIGTCP_N_ATTRS;
    if (argc > 3 && !bigtcp_attr_from_string(argv[3], &dummy->fail_attr)) {
        unixctl_command_reply_error(conn, argv[3]);
        return;
    }
    unixctl_command_reply(conn, NULL);
}

/* "bigtcp-dummy/fail-get DEVICE ERRNO": lets reading it fail with ERRNO, until
 * that is 0. */
static void
bigtcp_dummy_unixctl_fail_get(struct unixctl_conn *conn, int argc OVS_UNUSED,
                              const char *argv[], void *aux OVS_UNUSED)
{
    dummy_get(argv[1])->fail_get = atoi(argv[2]);
    unixctl_command_reply(conn, NULL);
}

/* "bigtcp-dummy/module load|unload": as if kernel module openvswitch_bigtcp
 * came or went.  Raises no ceiling. */
static void
bigtcp_dummy_unixctl_module(struct unixctl_conn *conn, int argc OVS_UNUSED,
                            const char *argv[], void *aux OVS_UNUSED)
{
    module = !strcmp(argv[1], "load");
    changed = true;
    unixctl_command_reply(conn, NULL);
}

/* "bigtcp-dummy/remove DEVICE". */
static void
bigtcp_dummy_unixctl_remove(struct unixctl_conn *conn, int argc OVS_UNUSED,
                            const char *argv[], void *aux OVS_UNUSED)
{
    dummy_get(argv[1])->gone = true;
    changed = true;
    unixctl_command_reply(conn, NULL);
}

/* "bigtcp-dummy/packets DEVICE DIRECTION FAMILY LENGTH GSO_SIZE N": lets the
 * device send or receive N packets of LENGTH bytes without Ethernet header and
 * of GSO_SIZE, which is 0 for a packet that is no GSO packet.  They go unseen
 * if the device is not observed. */
static void
bigtcp_dummy_unixctl_packets(struct unixctl_conn *conn, int argc OVS_UNUSED,
                             const char *argv[], void *aux OVS_UNUSED)
{
    struct dummy_tap *tap = dummy_get(argv[1])->tap;
    enum bigtcp_direction direction = 0;
    enum bigtcp_family family = 0;
    unsigned int length, gso_size, n;

    while (direction < BIGTCP_N_DIRECTIONS
           && strcmp(argv[2], bigtcp_direction_to_string(direction))) {
        direction++;
    }
    while (family < BIGTCP_N_FAMILIES
           && strcmp(argv[3], bigtcp_family_to_string(family))) {
        family++;
    }
    if (direction >= BIGTCP_N_DIRECTIONS || family >= BIGTCP_N_FAMILIES
        || !str_to_uint(argv[4], 10, &length)
        || !str_to_uint(argv[5], 10, &gso_size)
        || !str_to_uint(argv[6], 10, &n)) {
        unixctl_command_reply_error(conn, "bad argument");
        return;
    }
    if (tap && n) {
        enum bigtcp_size_class size_class
            = bigtcp_size_classify(length, gso_size != 0);
        struct bigtcp_count count = {
            .packets = n,
            .bytes = (uint64_t) n * (length + ETH_HEADER_LEN),
            .largest = length + ETH_HEADER_LEN,
        };

        bigtcp_count_add(&tap->counts.count[
                             bigtcp_count_index(direction, family,
                                                size_class)], &count);
    }
    unixctl_command_reply(conn, NULL);
}

/* "bigtcp-dummy/resegment yes|no|unknown". */
static void
bigtcp_dummy_unixctl_resegment(struct unixctl_conn *conn, int argc OVS_UNUSED,
                               const char *argv[], void *aux OVS_UNUSED)
{
    resegments = (!strcmp(argv[1], "yes") ? BIGTCP_YES
                  : !strcmp(argv[1], "no") ? BIGTCP_NO
                  : BIGTCP_NOT_KNOWN);
    unixctl_command_reply(conn, NULL);
}

/* "bigtcp-dummy/show": sizes and how often each device was read and
 * changed. */
static void
bigtcp_dummy_unixctl_show(struct unixctl_conn *conn, int argc OVS_UNUSED,
                          const char *argv[] OVS_UNUSED,
                          void *aux OVS_UNUSED)
{
    const struct shash_node **nodes = shash_sort(&dummies);
    struct ds ds = DS_EMPTY_INITIALIZER;

    for (size_t i = 0; i < shash_count(&dummies); i++) {
        const struct dummy_device *dummy = nodes[i]->data;

        ds_put_format(&ds, "%s: ", nodes[i]->name);
        if (dummy->gone) {
            ds_put_cstr(&ds, "gone");
        } else {
            bigtcp_sizes_format(&dummy->link.sizes, &ds);
        }
        ds_put_format(&ds, " sets=%u\n", dummy->n_sets);
    }
    free(nodes);
    unixctl_command_reply(conn, ds_cstr(&ds));
    ds_destroy(&ds);
}

/* Makes the unixctl commands that poke dummy devices. */
void
bigtcp_dummy_register(void)
{
    unixctl_command_register("bigtcp-dummy/set", "device name=value...",
                             2, INT_MAX, bigtcp_dummy_unixctl_set, NULL);
    unixctl_command_register("bigtcp-dummy/fail", "device errno [name]", 2, 3,
                             bigtcp_dummy_unixctl_fail, NULL);
    unixctl_command_register("bigtcp-dummy/fail-get", "device errno", 2, 2,
                             bigtcp_dummy_unixctl_fail_get, NULL);
    unixctl_command_register("bigtcp-dummy/module", "load|unload", 1, 1,
                             bigtcp_dummy_unixctl_module, NULL);
    unixctl_command_register("bigtcp-dummy/remove", "device", 1, 1,
                             bigtcp_dummy_unixctl_remove, NULL);
    unixctl_command_register("bigtcp-dummy/packets",
                             "device direction family length gso_size n",
                             6, 6, bigtcp_dummy_unixctl_packets, NULL);
    unixctl_command_register("bigtcp-dummy/resegment", "yes|no|unknown", 1, 1,
                             bigtcp_dummy_unixctl_resegment, NULL);
    unixctl_command_register("bigtcp-dummy/show", "", 0, 0,
                             bigtcp_dummy_unixctl_show, NULL);
}
