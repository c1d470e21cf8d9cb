/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_PROVIDER_H
#define BIGTCP_PROVIDER_H 1

/* Access to kernel devices: their sizes, and their packets. */

#include <stdbool.h>
#include <stddef.h>

#include "bigtcp/types.h"

struct bigtcp_counts;
struct sset;

/* One device in a call of a class. */
struct bigtcp_access {
    const char *name;           /* In: kernel device, owned by the caller.
                                 * NULL to look for it by 'ifindex' and
                                 * 'netnsid', after which 'link->name' says
                                 * what it is called. */
    int ifindex;                /* 'get': in, if 'name' is NULL. */
    int netnsid;                /* 'get': in, network namespace, as of
                                 * lib/netnsid.h.  With a 'name', where to
                                 * look if it is not in this one:
                                 * NETNSID_LOCAL unless it was found in
                                 * another one before. */
    bool internal;              /* 'get': in, it is an internal port, which
                                 * can be in another network namespace. */
    bool remote;                /* 'get': out, it was read in another network
                                 * namespace and cannot be changed there. */
    struct sset *lowers;        /* 'get': in, NULL if it is of no interest;
                                 * out, if 'error' is 0, names of the devices
                                 * below a VLAN, a bond and the like, which
                                 * send what it sends. */
    struct sset *ingress;       /* 'get': in, NULL if it is of no interest;
                                 * out, if 'error' is 0, names of the 'ifb'
                                 * devices to which tc redirects what the
                                 * device received, for these to hand it back
                                 * to its port. */
    struct bigtcp_link *link;   /* 'get': out, if 'error' is 0.
                                 * 'set': in, as 'get' left it. */
    struct bigtcp_sizes sizes;  /* 'set': in, what to change. */
    int error;                  /* Out: 0 or a positive errno value, ENODEV if
                                 * the device is certainly not there. */
    char *message;              /* Out: the kernel's own text for 'error', or
                                 * NULL.  The caller frees it. */
};

/* Counting of a device's packets. */
struct bigtcp_tap_class {
    /* Begins to count the packets of 'device', which has 'ifindex', and stores
     * in '*tapp' what the other functions take.  Returns 0 or a positive errno
     * value, and then stores in '*message' what failed and what is missing;
     * the caller frees it. */
    int (*open)(const char *device, int ifindex, void **tapp, char **message);

    /* Stores in 'counts' the packets since 'open'.  Returns 0 or a positive
     * errno value. */
    int (*read)(const void *tap, struct bigtcp_counts *counts);

    /* Returns true if the device is no longer there, or no longer in this
     * network namespace. */
    bool (*is_gone)(const void *tap);

    void (*close)(void *tap);
};

struct bigtcp_class {
    /* Name for logs and for the record of original sizes. */
    const char *name;

    /* Reads the 'n' devices in 'accesses', no two of which may have the same
     * name. */
    void (*get)(struct bigtcp_access *accesses, size_t n);

    /* Changes the 'n' devices in 'accesses', each by one message, all or
     * nothing for each device.  An attribute that the kernel does not have is
     * ignored without an error: read back.  tso_max_size may be among them if
     * 'link->settable'. */
    void (*set)(struct bigtcp_access *accesses, size_t n);

    /* Counting of packets. */
    const struct bigtcp_tap_class *tap;

    /* Stores in '*kernel' what the kernel does with these devices' packets.
     * Takes time at the first call only. */
    void (*get_kernel)(struct bigtcp_kernel *kernel);

    /* Returns true if devices should be read again, because since the last
     * call something that is announced happened to one that 'get' was asked
     * for, or to tc's qdiscs and filters, or what can be done with devices
     * changed.  The kernel announces no change of sizes.  Does nothing before
     * the first 'get'. */
    bool (*run)(void);

    /* Wakes up when 'run' has something to do. */
    void (*wait)(void);
};

/* Devices of the system, through rtnetlink and bpf(2).  EOPNOTSUPP
 * elsewhere. */
extern const struct bigtcp_class bigtcp_rtnl_class;
extern const struct bigtcp_tap_class bigtcp_bpf_tap_class;

/* Devices in memory, for tests. */
extern const struct bigtcp_class bigtcp_dummy_class;

/* Makes the unixctl commands that poke 'bigtcp_dummy_class'. */
void bigtcp_dummy_register(void);

#endif /* lib/bigtcp/provider.h */
