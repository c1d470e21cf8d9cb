/* SPDX-License-Identifier: Apache-2.0 */

/* Unit tests of lib/bigtcp/group.c. */

#include <config.h>

#include "bigtcp/group.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bigtcp/report.h"
#include "command-line.h"
#include "ovstest.h"
#include "random.h"
#include "util.h"

enum { MAX_DEVICES = 24 };

/* A device and all that a member of the policy points to. */
struct device {
    char name[16];
    struct bigtcp_link link;
    struct bigtcp_sizes original;
    struct bigtcp_report report;
    struct bigtcp_lower lowers[4];
    size_t ingress[4];
};

struct world {
    struct device devices[MAX_DEVICES];
    struct bigtcp_member members[MAX_DEVICES];
    struct bigtcp_membership memberships[2 * MAX_DEVICES];
    size_t n, n_memberships;
};

static void
world_init(struct world *w)
{
    memset(w, 0, sizeof *w);
}

static void
world_destroy(struct world *w)
{
    for (size_t i = 0; i < w->n; i++) {
        bigtcp_report_destroy(&w->devices[i].report);
    }
}

/* Adds a device with 'ceiling' and the sizes of a new one. */
static struct bigtcp_member *
world_add(struct world *w, const char *name, uint32_t ceiling)
{
    struct bigtcp_member *m = &w->members[w->n];
    struct device *d = &w->devices[w->n];
    uint32_t start = MIN(ceiling, BIGTCP_LEGACY_SIZE);

    ovs_strlcpy(d->name, name, sizeof d->name);
    d->link.ifindex = w->n + 1;
    d->link.features = BIGTCP_OFFLOADS_ALL;
    d->link.tso_max_segs = BIGTCP_MAX_SEGS;
    bigtcp_sizes_set(&d->link.sizes, BIGTCP_TSO_MAX_SIZE, ceiling);
    bigtcp_sizes_set(&d->link.sizes, BIGTCP_GSO_MAX_SIZE, start);
    bigtcp_sizes_set(&d->link.sizes, BIGTCP_GSO_IPV4_MAX_SIZE, start);
    bigtcp_sizes_set(&d->link.sizes, BIGTCP_GSO_MAX_SEGS, BIGTCP_MAX_SEGS);
    bigtcp_sizes_set(&d->link.sizes, BIGTCP_GRO_MAX_SIZE, BIGTCP_LEGACY_SIZE);
    bigtcp_sizes_set(&d->link.sizes, BIGTCP_GRO_IPV4_MAX_SIZE,
                     BIGTCP_LEGACY_SIZE);
    bigtcp_report_init(&d->report);

    m->name = d->name;
    m->link = &d->link;
    m->original = &d->original;
    m->lowers = d->lowers;
    m->ingress = d->ingress;
    m->report = &d->report;
    bigtcp_request_init(&m->request);
    w->n++;
    return m;
}

static size_t
world_find(const struct world *w, const char *name)
{
    for (size_t i = 0; i < w->n; i++) {
        if (!strcmp(w->devices[i].name, name)) {
            return i;
        }
    }
    ovs_fatal(0, "no device %s", name);
}

static void
world_decide(struct world *w)
{
    bigtcp_group_decide(w->members, w->n, w->memberships, w->n_memberships,
                        8);
}

/* A line of devices, and what is expected of some of them.
 *
 * A device is KIND:NAME:CEILING[:OPTION]... where KIND is 'i' for an internal
 * port, 'p' for any other.  Options:
 *
 *     auto, mixed, notmixed
 *                        What the rows come to.
 *     resegs             The kernel re-segments.
 *     held               Key gso_max_size has a value that is ignored.
 *     gone               It cannot be read.
 *     gso6=N, gso4=N, gro6=N, tso=N, segs=N
 *                        A key, 0 for "max".
 *     live=N/N           The GSO sizes that it has.
 *     maxsegs=N          Its ceiling of segments.
 *     carries=N          What the kernel's tunnel code takes.
 *     old                No attribute for IPv4 (before Linux 6.3).
 *     g=N                Group, 0 if not given; more than one adds to it; -
 *                        for none.
 *     on=NAME            A VLAN or the like: NAME sends what it sends.
 *     over=NAME/N, over6=NAME/N
 *                        A tunnel: leaves by NAME, encapsulation of N bytes.
 *     ifb=NAME           What it receives goes through NAME.
 *
 * An expectation is NAME=GSO6/GSO4/GRO6/GRO4, then the state and, if it says
 * so, a part of the reason in brackets; none in them for no reason at all. */
struct group_case {
    const char *devices;
    const char *expect;
};

static const struct group_case group_cases[] = {
    /* Nothing asked, nothing changed. */
    { "i:int0:524280 p:v:524280",
      "int0=65536/65536/65536/65536 applied; "
      "v=65536/65536/65536/65536 applied" },

    /* One sender, one hop. */
    { "i:int0:524280:auto p:v:524280:auto",
      "int0=524280/524280/65536/65536 applied; "
      "v=524280/524280/524280/524280 applied" },
    { "i:int0:524280:auto p:v:262143:auto",
      "int0=262143/262143/65536/65536 limited [port v takes no more]; "
      "v=262143/262143/524280/524280 applied" },
    { "i:int0:65536:auto p:v:524280:auto",
      "int0=65536/65536/65536/65536 clamped [openvswitch_bigtcp]; "
      "v=524280/524280/524280/524280 applied" },
    { "i:int0:65536:auto p:v:65536:auto",
      "int0=65536/65536/65536/65536 applied; "
      "v=65536/65536/524280/524280 applied" },
    { "i:int0:65536:auto p:v:16384:auto",
      "int0=16384/16384/65536/65536 limited [port v takes no more]; "
      "v=16384/16384/524280/524280 applied" },
    { "i:int0:524280:auto p:v:16385:auto",
      "int0=16385/16385/65536/65536 limited [16385: port v]" },
    /* Never below what a key could ask for. */
    { "i:int0:524280:auto p:v:400:auto",
      "int0=512/512/65536/65536 limited [512: port v]" },

    /* No hop at all: internal ports take all. */
    { "i:int0:524280:auto", "int0=524280/524280/65536/65536 applied" },
    { "i:int0:524280:auto i:int1:65536:auto",
      "int0=524280/524280/65536/65536 applied; "
      "int1=65536/65536/65536/65536 applied" },
    { "p:v:100000:auto", "v=100000/100000/524280/524280 applied" },
    { "p:v:100000:auto i:int0:65536",
      "v=100000/100000/524280/524280 applied; "
      "int0=65536/65536/65536/65536 applied" },

    /* Several hops: the smallest of the others. */
    { "i:int0:524280:auto p:a:300000:auto p:b:200000:auto p:c:400000:auto",
      "int0=200000/200000/65536/65536 limited [port b]; "
      "a=300000/300000/200000/200000 limited [port b]; "
      "b=200000/200000/300000/300000 limited [port a]; "
      "c=400000/400000/200000/200000 limited [port b]" },
    { "p:a:200000:auto p:b:200000:auto",
      "a=200000/200000/200000/200000 limited [port b]; "
      "b=200000/200000/200000/200000 limited [port a]" },
    { "i:int0:524280:auto i:int1:524280:auto p:tap:65536:auto",
      "int0=65536/65536/65536/65536 limited [65536: port tap]; "
      "int1=65536/65536/65536/65536 limited [65536: port tap]; "
      "tap=65536/65536/524280/524280 applied" },

    /* A TAP among veths, and the key that ignores it. */
    { "i:int0:524280:auto p:tap:65536:auto p:v1:524280:auto "
      "p:v2:524280:auto p:v3:524280:auto p:v4:524280:auto p:v5:524280:auto",
      "int0=65536/65536/65536/65536 limited [port tap]; "
      "tap=65536/65536/524280/524280 applied; "
      "v1=524280/524280/65536/65536 limited [port tap]; "
      "v5=524280/524280/65536/65536 limited [port tap]" },
    { "i:int0:524280:auto:mixed p:tap:65536:auto:mixed "
      "p:v1:524280:auto:mixed",
      "int0=524280/524280/65536/65536 applied; "
      "tap=65536/65536/524280/524280 applied; "
      "v1=524280/524280/524280/524280 applied" },
    { "i:int0:524280:auto:mixed p:tap:65536:auto p:v1:524280:auto",
      "int0=524280/524280/65536/65536 applied; "
      "v1=524280/524280/65536/65536 limited [port tap]" },
    { "i:int0:65536:auto:mixed p:v1:524280:auto:mixed",
      "int0=65536/65536/65536/65536 applied" },

    /* Ports that are left alone count with what they have. */
    { "i:int0:524280:auto p:v:524280",
      "int0=65536/65536/65536/65536 limited [65536: port v]; "
      "v=65536/65536/65536/65536 applied" },
    { "i:int0:524280:auto p:v:524280:live=200000/100000",
      "int0=200000/100000/65536/65536 limited [gso_max_size 200000: port v]; "
      "v=200000/100000/65536/65536 applied" },
    { "i:int0:524280:auto p:v:524280:live=100000/200000",
      "int0=100000/200000/65536/65536 limited "
      "[gso_ipv4_max_size 200000: port v]" },
    { "i:int0:524280:auto p:v:524280:live=30000/30000 p:u:524280:auto",
      "int0=30000/30000/65536/65536 limited [30000: port v]; "
      "u=524280/524280/30000/30000 limited [30000: port v]" },
    { "i:int0:524280 p:v:524280:auto",
      "int0=65536/65536/65536/65536 applied; "
      "v=524280/524280/524280/524280 applied" },
    /* One that cannot be read limits nobody and gets nothing. */
    { "i:int0:524280:auto p:v:524280:auto p:x:1000:auto:gone",
      "int0=524280/524280/65536/65536 applied; "
      "v=524280/524280/524280/524280 applied" },

    /* Keys take precedence, each for its own value. */
    { "i:int0:524280:auto:gso6=100000 p:v:524280:auto",
      "int0=100000/524280/65536/65536 applied" },
    { "i:int0:524280:auto:gso4=100000 p:v:524280:auto",
      "int0=524280/100000/65536/65536 applied" },
    { "i:int0:524280:auto:gso6=500000 p:v:200000:auto",
      "int0=500000/200000/65536/65536 limited "
      "[gso_ipv4_max_size 200000: port v]" },
    { "i:int0:524280:gso6=500000:gso4=500000 p:v:200000:auto",
      "int0=500000/500000/65536/65536 applied" },
    { "i:int0:524280:gso6=0 p:v:200000:auto",
      "int0=524280/65536/65536/65536 applied" },
    { "i:int0:65536:auto:gso6=500000 p:v:65536:auto",
      "int0=65536/65536/65536/65536 clamped [500000 asked]" },
    { "p:v:524280:auto:gro6=100000 p:u:524280:auto",
      "v=524280/524280/100000/524280 applied" },
    { "p:v:524280:auto:gso6=150000 p:u:524280:auto i:int0:524280:auto",
      "v=150000/524280/524280/524280 applied; "
      "u=524280/524280/150000/524280 limited [gro_max_size 150000: port v]; "
      "int0=150000/524280/65536/65536 limited [gso_max_size 150000: port v]" },
    /* Up to 64 kB, a size of IPv6 is one of IPv4, too, unless a key says
     * otherwise. */
    { "p:mon:524280:auto:gso6=65536 p:u:524280:auto",
      "mon=65536/65536/524280/524280 applied []; "
      "u=524280/524280/65536/65536 limited [gro_max_size, gro_ipv4_max_size "
      "65536: port mon takes no more]" },
    { "p:mon:524280:auto:gso6=65537 p:u:524280:auto",
      "mon=65537/524280/524280/524280 applied" },
    { "p:mon:524280:auto:gso6=2000:gso4=100000 p:u:524280:auto",
      "mon=2000/100000/524280/524280 applied" },
    { "p:mon:524280:auto:gro6=2000 p:u:524280:auto",
      "mon=524280/524280/2000/2000 applied []; "
      "u=524280/524280/524280/524280 applied" },
    { "i:int0:524280:auto:mixed p:mon:524280:auto:mixed:gso6=1500 "
      "p:u:524280:auto:mixed",
      "int0=524280/524280/65536/65536 applied []; "
      "mon=1500/1500/524280/524280 applied []; "
      "u=524280/524280/524280/524280 applied []" },
    /* A hop that is deliberately small. */
    { "p:mon:524280:gso6=2000:gso4=2000 p:u:524280:auto i:int0:524280:auto",
      "mon=2000/2000/65536/65536 applied; "
      "u=524280/524280/2000/2000 limited [2000: port mon]; "
      "int0=2000/2000/65536/65536 limited [2000: port mon]" },
    { "p:mon:524280:gso6=2000 p:u:524280:auto i:int0:524280:auto",
      "mon=2000/2000/65536/65536 applied; "
      "int0=2000/2000/65536/65536 limited [2000: port mon]" },
    { "p:mon:524280:gso6=2000:gso4=2000 p:u:524280:auto:mixed "
      "i:int0:524280:auto:mixed",
      "u=524280/524280/524280/524280 applied; "
      "int0=524280/524280/65536/65536 applied" },

    /* The key tso_max_size caps what is chosen, and what others see. */
    { "p:v:524280:auto:tso=200000 i:int0:524280:auto",
      "v=200000/200000/524280/524280 applied [200000 caps]; "
      "int0=200000/200000/65536/65536 limited [200000: port v]" },
    { "i:int0:524280:auto:tso=100000 p:v:524280:auto",
      "int0=100000/100000/65536/65536 applied" },
    { "i:int0:524280:auto:tso=60000 p:v:524280:auto",
      "int0=60000/60000/65536/65536 applied" },
    { "i:int0:524280:auto:tso=100000 p:v:50000:auto",
      "int0=50000/50000/65536/65536 limited [50000: port v]" },

    /* Segments. */
    { "i:int0:524280:auto p:v:65536:auto:maxsegs=64",
      "int0=65536/65536/65536/65536 limited [gso_max_segs 64: port v]" },
    { "i:int0:524280:auto p:v:524280:auto:segs=100",
      "int0=524280/524280/65536/65536 limited [gso_max_segs 100: port v]" },
    { "i:int0:524280:auto:segs=30 p:v:524280:auto:segs=100",
      "int0=524280/524280/65536/65536 applied" },

    /* Before Linux 6.3 one size was for both families. */
    { "i:int0:524280:auto:old p:v:524280:auto:old",
      "int0=524280/-/65536/- applied; v=524280/-/524280/- applied" },
    { "i:int0:524280:auto:old p:v:100000:auto:old",
      "int0=100000/-/65536/- limited [gso_max_size 100000: port v]" },

    /* Groups. */
    { "i:int0:524280:auto p:v:524280:auto p:w:65536:auto:g=1",
      "int0=524280/524280/65536/65536 applied; "
      "v=524280/524280/524280/524280 applied; "
      "w=65536/65536/524280/524280 applied" },
    { "i:int0:524280:auto p:v:300000:auto:g=0:g=1 p:w:200000:auto:g=1 "
      "i:int1:524280:auto:g=1",
      "int0=300000/300000/65536/65536 limited [port v]; "
      "int1=200000/200000/65536/65536 limited [port w]; "
      "v=300000/300000/200000/200000 limited [port w]" },
    { "i:int0:524280:auto:g=0:g=1 p:v:300000:auto p:w:200000:auto:g=1",
      "int0=200000/200000/65536/65536 limited [port w]" },
    { "i:int0:524280:auto p:v:300000:auto:g=- ",
      "int0=524280/524280/65536/65536 applied; "
      "v=300000/300000/524280/524280 applied" },

    /* Tunnels. */
    { "i:int0:524280:auto p:vx:524280:auto:over=eth0/50 p:eth0:262143:g=-",
      "int0=65486/65486/65536/65536 limited [port vx takes no more]; "
      "vx=65486/65486/524280/524280 limited [leaves by eth0, which takes "
      "65536 bytes]; eth0=65536/65536/65536/65536 applied" },
    { "i:int0:524280:auto p:vx:524280:auto:over=eth0/50 "
      "p:eth0:262143:auto:g=1",
      "int0=262093/262093/65536/65536 limited [port vx]; "
      "vx=262093/262093/524280/524280 limited [leaves by eth0]; "
      "eth0=262143/262143/524280/524280 applied" },
    { "i:int0:524280:auto p:vx:65536:auto:over=eth0/50 "
      "p:eth0:524280:auto:g=1",
      "int0=65536/65536/65536/65536 limited [port vx takes no more]; "
      "vx=65536/65536/524280/524280 applied" },
    { "p:vx:524280:auto:over=eth0/50 p:eth0:16385:auto:g=1",
      "vx=16335/16335/524280/524280 limited [16335: leaves by eth0, which "
      "takes 16385 bytes]" },
    { "p:vx:524280:auto:over=eth0/50 p:eth0:520:auto:g=1",
      "vx=512/512/524280/524280 limited [leaves by eth0]" },
    { "p:vx:524280:auto:over=eth0/50 p:eth0:524280:live=100000/80000:g=1",
      "vx=79950/79950/524280/524280 limited [leaves by eth0]" },
    { "p:vx:524280:auto:over6=eth0/70 p:eth0:524280:live=100000/80000:g=1",
      "vx=99930/99930/524280/524280 limited [leaves by eth0]" },
    /* A ceiling that is no proof. */
    { "p:vx:524280:auto:carries=65536 i:int0:524280:auto",
      "vx=65536/65536/524280/524280 applied; "
      "int0=65536/65536/65536/65536 limited [port vx takes no more]" },
    { "p:vx:524280:gso6=100000:carries=65536",
      "vx=65536/65536/65536/65536 clamped [65536 is what this kernel]" },
    /* Several remotes: the smallest. */
    { "p:vx:524280:auto:over=eth0/50:over=eth1/50 p:eth0:300000:auto:g=1 "
      "p:eth1:200000:auto:g=2",
      "vx=199950/199950/524280/524280 limited [leaves by eth1]" },
    /* A size that a key asks for is no way around that, but the device keeps
     * what nobody asks for. */
    { "p:vx:524280:gso6=400000:over=eth0/50 p:eth0:100000:auto:g=1",
      "vx=99950/65536/65536/65536 clamped [leaves by eth0]" },
    { "p:vx:524280:gso6=90000:over=eth0/50 p:eth0:100000:auto:g=1",
      "vx=90000/65536/65536/65536 applied" },
    { "p:vx:524280:over=eth0/50 p:eth0:20000:auto:g=1",
      "vx=65536/65536/65536/65536 applied" },
    { "p:vx:524280:auto:mixed:over=eth0/50 p:eth0:20000:auto:g=1",
      "vx=19950/19950/524280/524280 limited [leaves by eth0]" },
    /* The lower device is an internal port, itself limited by what is behind
     * it, and its bridge is joined to the tunnel's. */
    { "i:br-int:524280:auto p:gen:524280:auto:over=br-ex/302 "
      "i:br-ex:524280:auto:g=1 p:eth0:131072:auto:g=1",
      "br-ex=131072/131072/65536/65536 limited [port eth0]; "
      "gen=130770/130770/524280/524280 limited [leaves by br-ex, which takes "
      "131072 bytes]; "
      "br-int=130770/130770/65536/65536 limited [port gen]" },
    { "i:br-int:524280:auto p:gen:524280:auto:over=br-ex/302 "
      "i:br-ex:524280:auto p:eth0:131072:auto",
      "br-ex=131072/131072/65536/65536 limited [port eth0]; "
      "gen=130770/130770/131072/131072 limited [leaves by br-ex]; "
      "br-int=130770/130770/65536/65536 limited [port gen]; "
      "eth0=131072/131072/130770/130770 limited [port gen]" },
    /* A tunnel in a tunnel. */
    { "p:gre:524280:auto:over=vx/38 p:vx:524280:auto:over=eth0/50:g=1 "
      "p:eth0:100000:auto:g=2",
      "vx=99950/99950/524280/524280 limited [leaves by eth0]; "
      "gre=99912/99912/524280/524280 limited [leaves by vx, which takes "
      "99950 bytes]" },
    /* A VLAN, a bond and the like: those below are no ports. */
    { "i:int0:524280:auto p:v1:524280:auto:on=eth0 p:eth0:524280:g=-",
      "int0=65536/65536/65536/65536 limited [port v1 takes no more]; "
      "v1=65536/65536/524280/524280 limited [leaves by eth0, which takes "
      "65536 bytes]; eth0=65536/65536/65536/65536 applied" },
    { "p:v1:524280:auto:on=eth0 p:eth0:524280:live=300000/200000:g=-",
      "v1=300000/200000/524280/524280 limited [gso_ipv4_max_size 200000: "
      "leaves by eth0, which takes 200000 bytes]" },
    { "p:v1:524280:auto:on=eth0 p:eth0:524280:auto:g=1",
      "v1=524280/524280/524280/524280 applied" },
    { "p:v1:524280:auto:on=eth0 p:eth0:524280:auto:segs=100:g=1",
      "v1=524280/524280/524280/524280 limited [leaves by eth0, which takes "
      "100 segments]" },
    /* A stack: the device in it that limits is named. */
    { "i:int0:524280:auto p:v1:524280:auto:on=bond0 "
      "p:bond0:524280:live=524280/524280:g=-:on=eth0:on=eth1 "
      "p:eth0:524280:live=300000/200000:g=- "
      "p:eth1:524280:live=250000/250000:g=-",
      "v1=250000/200000/524280/524280 limited [leaves by eth1, which takes "
      "250000 bytes]; "
      "int0=250000/200000/65536/65536 limited [port v1 takes no more]" },
    /* A tunnel over such a stack. */
    { "p:vx:524280:auto:over=v1/50 p:v1:524280:live=524280/524280:g=-:on=eth0 "
      "p:eth0:524280:live=90000/80000:g=-",
      "vx=79950/79950/524280/524280 limited [leaves by v1, which takes 80000 "
      "bytes]" },
    /* A key, and 'bigtcp_mixed', beat that, but it is told. */
    { "p:v1:524280:gso6=400000:on=eth0 p:eth0:524280:g=-",
      "v1=400000/65536/65536/65536 applied [segmented above 65536: leaves by "
      "eth0, which takes 65536 bytes]" },
    { "p:v1:524280:auto:mixed:on=eth0 p:eth0:524280:g=-",
      "v1=524280/524280/524280/524280 applied [segmented above 65536]" },
    /* An 'ifb' device that what is received goes through. */
    { "i:int0:524280:auto p:v:524280:auto:ifb=ifb0 p:ifb0:65536:g=-",
      "int0=524280/524280/65536/65536 applied; "
      "v=524280/524280/65536/65536 limited [gro_max_size, gro_ipv4_max_size "
      "65536: arrives through ifb0, which takes 65536 bytes]; "
      "ifb0=65536/65536/65536/65536 applied" },
    { "p:v:524280:auto:ifb=ifb0 p:ifb0:524280:live=200000/100000:g=-",
      "v=524280/524280/200000/100000 limited [gro_ipv4_max_size 100000: "
      "arrives through ifb0, which takes 100000 bytes]" },
    { "p:v:524280:auto:ifb=ifb0 p:ifb0:524280:live=524280/524280:g=-",
      "v=524280/524280/524280/524280 applied" },
    { "p:v:524280:auto:ifb=ifb0:ifb=ifb1 p:ifb0:65536:g=- "
      "p:ifb1:65536:live=30000/40000:g=-",
      "v=524280/524280/30000/40000 limited [gro_max_size 30000: arrives "
      "through ifb1]" },
    /* The smaller one of a hop and of that is told. */
    { "p:v:524280:auto:ifb=ifb0 p:u:30000:auto p:ifb0:65536:g=-",
      "v=524280/524280/30000/30000 limited [30000: port u takes no more]" },
    { "p:v:524280:auto:ifb=ifb0 p:u:100000:auto p:ifb0:65536:g=-",
      "v=524280/524280/65536/65536 limited [65536: arrives through ifb0]; "
      "u=100000/100000/524280/524280 applied" },
    { "p:v:524280:auto:ifb=ifb0 p:ifb0:400:g=-",
      "v=524280/524280/512/512 limited [arrives through ifb0, which takes 400 "
      "bytes]" },
    /* A key, and 'bigtcp_mixed', beat it, but it is told. */
    { "p:v:524280:auto:gro6=100000:ifb=ifb0 p:ifb0:65536:g=-",
      "v=524280/524280/100000/65536 limited [segmented above 65536: arrives "
      "through ifb0, which takes 65536 bytes]" },
    { "p:v:524280:gro6=100000:ifb=ifb0 p:ifb0:65536:g=-",
      "v=65536/65536/100000/65536 applied [segmented above 65536: arrives]" },
    { "p:v:524280:gro6=60000:ifb=ifb0 p:ifb0:65536:g=-",
      "v=65536/65536/60000/60000 applied []" },
    { "p:v:524280:auto:mixed:ifb=ifb0 p:ifb0:65536:g=-",
      "v=524280/524280/524280/524280 applied [segmented above 65536: arrives "
      "through ifb0]" },
    /* Nothing is asked, or nothing about receiving. */
    { "p:v:524280:ifb=ifb0 p:ifb0:30000:g=-",
      "v=65536/65536/65536/65536 applied []" },
    { "p:v:524280:gso6=100000:ifb=ifb0 p:ifb0:65536:g=-",
      "v=100000/65536/65536/65536 applied []" },
    /* What others send to an internal port is cut on its way to the stack:
     * that makes it a hop. */
    { "i:int0:524280:auto:ifb=ifb0 i:int1:524280:auto p:v:524280:auto "
      "p:ifb0:65536:g=-",
      "int0=524280/524280/65536/65536 applied [segmented above 65536: arrives "
      "through ifb0, which takes 65536 bytes]; "
      "int1=65536/65536/65536/65536 limited [65536: port int0 takes no more]; "
      "v=524280/524280/65536/65536 limited [65536: port int0]" },
    { "p:v:524280:auto:ifb=ifb0 p:ifb0:1000:g=-:gone",
      "v=524280/524280/524280/524280 applied" },

    /* A kernel that re-segments, and one that is told what it does. */
    { "i:int0:524280:auto:resegs p:v:100000:auto:resegs "
      "p:u:524280:auto:resegs",
      "int0=524280/524280/65536/65536 applied []; "
      "u=524280/524280/100000/100000 limited [100000: port v]" },
    { "i:int0:524280:auto:resegs:notmixed p:v:100000:auto:resegs:notmixed",
      "int0=100000/100000/65536/65536 limited [100000: port v]" },
    { "i:int0:524280:auto:resegs:mixed p:v:100000:auto "
      "p:u:524280:auto:resegs:mixed",
      "int0=524280/524280/65536/65536 applied; "
      "u=524280/524280/524280/524280 applied" },
    /* It does not for what is encapsulated: a tunnel that leaves by such a
     * port minds the hops behind it, what is on the port without a tunnel
     * does not. */
    { "p:vx:524280:auto:resegs:over=br-ex/50 i:br-ex:524280:auto:resegs:g=1 "
      "p:eth0:131072:auto:resegs:g=1",
      "br-ex=524280/524280/65536/65536 applied []; "
      "vx=131022/131022/524280/524280 limited [131022: leaves by br-ex, which "
      "takes 131072 bytes]" },
    { "i:br-ex:524280:auto:resegs:g=1 p:eth0:131072:auto:resegs:g=1 "
      "p:vx:524280:auto:resegs:over=br-ex/50",
      "vx=131022/131022/524280/524280 limited [131022: leaves by br-ex, which "
      "takes 131072 bytes]" },
    { "p:vl:524280:auto:resegs:on=br-ex i:br-ex:524280:auto:resegs:g=1 "
      "p:eth0:131072:auto:resegs:g=1",
      "vl=524280/524280/524280/524280 applied []" },
    { "p:vx:524280:auto:over=br-ex/50 i:br-ex:524280:auto:mixed:g=1 "
      "p:eth0:131072:auto:g=1",
      "vx=524230/524230/524280/524280 limited [leaves by br-ex, which takes "
      "524280 bytes]" },
    /* What a key asks for is taken as it is. */
    { "p:vx:524280:auto:resegs:over=br-ex/50 "
      "i:br-ex:524280:auto:resegs:gso4=300000:g=1 "
      "p:eth0:131072:auto:resegs:g=1",
      "vx=299950/299950/524280/524280 limited [leaves by br-ex, which takes "
      "300000 bytes]" },
    /* One that nobody manages takes what it has. */
    { "p:vx:524280:auto:over=br-ex/50 i:br-ex:524280:live=300000/200000:g=1 "
      "p:eth0:131072:auto:g=1",
      "vx=199950/199950/524280/524280 limited [leaves by br-ex, which takes "
      "200000 bytes]" },

    /* The outer header decides, and what is told is about that. */
    { "p:vx:524280:auto:over=eth0/50 p:eth0:524280:live=50000/80000:g=1",
      "vx=79950/79950/524280/524280 limited [leaves by eth0, which takes "
      "80000 bytes]" },
    { "p:vx:524280:auto:over6=eth0/70 p:eth0:524280:live=50000/80000:g=1",
      "vx=49930/49930/524280/524280 limited [leaves by eth0, which takes "
      "50000 bytes]" },
    { "p:vx:524280:auto:over=eth0/50:over6=eth0/70 "
      "p:eth0:524280:live=80000/80000:g=1",
      "vx=79930/79930/524280/524280 limited [leaves by eth0, which takes "
      "80000 bytes]" },
    { "p:vx:524280:auto:over=eth0/600 p:eth0:520:auto:g=1",
      "vx=512/512/524280/524280 limited [512: leaves by eth0, which takes 520 "
      "bytes]" },
    { "p:vx:524280:auto:old:over=eth0/50 p:eth0:16385:auto:old:g=1",
      "vx=16335/-/524280/- limited [gso_max_size 16335: leaves by eth0]" },
    { "p:vx:524280:auto:over=eth0/50 p:eth0:524280:auto:maxsegs=100:g=1",
      "vx=524230/524230/524280/524280 limited [gso_max_segs 100: leaves by "
      "eth0, which takes 100 segments]" },
    /* Of an internal port below a VLAN below a tunnel, too, the tunnel is no
     * hop. */
    { "p:vl:524280:live=524280/524280:g=-:on=br-ex i:br-ex:524280:auto "
      "p:vx:524280:auto:over=vl/50 p:eth0:131072:auto",
      "br-ex=131072/131072/65536/65536 limited [131072: port eth0]; "
      "vx=131022/131022/131072/131072 limited [leaves by vl, which takes "
      "131072 bytes]" },

    /* In no bridge at all. */
    { "p:v1:524280:auto:g=-:on=eth0 p:eth0:524280:live=300000/200000:g=-",
      "v1=300000/200000/524280/524280 limited [leaves by eth0]" },
    /* Two ports of a device are one hop. */
    { "p:v:300000:auto:g=0:g=0 p:u:400000:auto",
      "v=300000/300000/400000/400000 limited [400000: port u]; "
      "u=400000/400000/300000/300000 limited [300000: port v]" },
    { "p:v:300000:auto:g=0:g=0 i:int0:524280:auto",
      "v=300000/300000/524280/524280 applied []; "
      "int0=300000/300000/65536/65536 limited [300000: port v]" },

    /* An internal port that is held below the hops, but above 64 kB or by a
     * key: nothing would raise it. */
    { "i:int0:200000:auto p:v:524280:auto",
      "int0=200000/200000/65536/65536 applied []" },
    { "i:int0:65536:auto:tso=65536 p:v:524280:auto",
      "int0=65536/65536/65536/65536 applied []" },
    { "i:int0:65536:auto p:v:600000:live=600000/600000",
      "int0=65536/65536/65536/65536 clamped [524280 asked]" },
    /* A key with a value that is ignored leaves its size alone. */
    { "i:int0:524280:auto:held p:v:524280:auto",
      "int0=65536/524280/65536/65536 applied; "
      "v=524280/524280/524280/524280 applied" },
    { "p:w:524280:auto:held p:v:524280:auto",
      "w=65536/524280/524280/524280 applied; "
      "v=524280/524280/65536/524280 limited [gro_max_size 65536: port w]" },
    /* Segments. */
    { "i:int0:524280:auto p:v:524280:maxsegs=0",
      "int0=65536/65536/65536/65536 limited [gso_max_segs 1: port v]" },
    { "i:int0:524280:auto:maxsegs=64 p:v:524280:auto:segs=100",
      "int0=524280/524280/65536/65536 applied []" },
    /* Nothing is asked of what is told to nobody. */
    { "i:int0:524280:ifb=ifb0 p:ifb0:65536:g=-",
      "int0=65536/65536/65536/65536 applied []" },
    { "i:int0:524280:auto:old:ifb=ifb0 p:ifb0:65536:old:g=-",
      "int0=524280/-/65536/- applied [segmented above 65536: arrives]" },

    /* Tunnels that lead into each other come to rest. */
    { "p:a:524280:auto:over=b/50 p:b:524280:auto:over=a/50 ",
      "a=*/*/*/* limited; b=*/*/*/* limited" },
};

static void
add_device(struct world *w, char *text)
{
    char *save_ptr = NULL;
    const char *kind = strtok_r(text, ":", &save_ptr);
    const char *name = strtok_r(NULL, ":", &save_ptr);
    const char *ceiling = strtok_r(NULL, ":", &save_ptr);
    size_t self = w->n;
    struct bigtcp_member *m = world_add(w, name, atoi(ceiling));
    struct device *d = &w->devices[self];
    bool in_group = false;
    char *option;

    m->internal = kind[0] == 'i';
    if (m->internal) {
        ovs_strlcpy(d->link.kind, "openvswitch", sizeof d->link.kind);
    }
    while ((option = strtok_r(NULL, ":", &save_ptr)) != NULL) {
        struct bigtcp_sizes *asked = &m->request.asked;
        struct bigtcp_sizes *sizes = &d->link.sizes;
        unsigned int a, b;

        if (!strcmp(option, "auto")) {
            m->request.is_auto = true;
        } else if (!strcmp(option, "mixed")) {
            m->request.mixed = true;
        } else if (!strcmp(option, "notmixed")) {
            m->request.not_mixed = true;
        } else if (!strcmp(option, "resegs")) {
            m->request.resegments = true;
        } else if (!strcmp(option, "held")) {
            m->request.held |= 1u << BIGTCP_GSO_MAX_SIZE;
        } else if (!strcmp(option, "gone")) {
            m->link = NULL;
        } else if (!strcmp(option, "old")) {
            bigtcp_sizes_clear(sizes, BIGTCP_GSO_IPV4_MAX_SIZE);
            bigtcp_sizes_clear(sizes, BIGTCP_GRO_IPV4_MAX_SIZE);
        } else if (!strcmp(option, "g=-")) {
            in_group = true;
        } else if (ovs_scan(option, "g=%u", &a)) {
            w->memberships[w->n_memberships++]
                = (struct bigtcp_membership) { self, a };
            in_group = true;
        } else if (ovs_scan(option, "live=%u/%u", &a, &b)) {
            bigtcp_sizes_set(sizes, BIGTCP_GSO_MAX_SIZE, a);
            bigtcp_sizes_set(sizes, BIGTCP_GSO_IPV4_MAX_SIZE, b);
        } else if (ovs_scan(option, "carries=%u", &a)) {
            d->link.carries = a;
        } else if (ovs_scan(option, "maxsegs=%u", &a)) {
            d->link.tso_max_segs = a;
            bigtcp_sizes_set(sizes, BIGTCP_GSO_MAX_SEGS, a);
        } else if (ovs_scan(option, "gso6=%u", &a)) {
            bigtcp_sizes_set(asked, BIGTCP_GSO_MAX_SIZE,
                             a ? a : BIGTCP_VALUE_MAX);
        } else if (ovs_scan(option, "gso4=%u", &a)) {
            bigtcp_sizes_set(asked, BIGTCP_GSO_IPV4_MAX_SIZE, a);
        } else if (ovs_scan(option, "gro6=%u", &a)) {
            bigtcp_sizes_set(asked, BIGTCP_GRO_MAX_SIZE, a);
        } else if (ovs_scan(option, "tso=%u", &a)) {
            bigtcp_sizes_set(asked, BIGTCP_TSO_MAX_SIZE, a);
        } else if (ovs_scan(option, "segs=%u", &a)) {
            bigtcp_sizes_set(asked, BIGTCP_GSO_MAX_SEGS, a);
        } else if (strncmp(option, "over", 4) && strncmp(option, "on=", 3)
                   && strncmp(option, "ifb=", 4)) {
            ovs_fatal(0, "bad option %s", option);
        }
    }
    if (!in_group) {
        w->memberships[w->n_memberships++]
            = (struct bigtcp_membership) { self, 0 };
    }
    m->managed = !bigtcp_request_is_empty(&m->request);
}

/* Adds what the "ifb", "on" and "over" options of 'text', the same text as for
 * add_device(), say, once all devices are there. */
static void
add_lowers(struct world *w, const char *text)
{
    char name[16], kind;
    const char *p = text;
    size_t self;

    ovs_assert(ovs_scan(text, "%c:%15[^:]", &kind, name));
    self = world_find(w, name);
    while ((p = strstr(p, ":over")) != NULL) {
        char lower[16];
        unsigned int overhead;
        bool ipv6 = p[5] == '6';

        p += 5 + ipv6;
        ovs_assert(ovs_scan(p, "=%15[^/]/%u", lower, &overhead));
        w->devices[self].lowers[w->members[self].n_lowers++]
            = (struct bigtcp_lower) { .member = world_find(w, lower),
                                      .tunnel = true,
                                      .ipv6 = ipv6,
                                      .overhead = overhead };
    }
    p = text;
    while ((p = strstr(p, ":on=")) != NULL) {
        char lower[16];

        p += 4;
        ovs_assert(ovs_scan(p, "%15[^: ]", lower));
        w->devices[self].lowers[w->members[self].n_lowers++]
            = (struct bigtcp_lower) { .member = world_find(w, lower) };
    }
    p = text;
    while ((p = strstr(p, ":ifb=")) != NULL) {
        char ifb[16];

        p += 5;
        ovs_assert(ovs_scan(p, "%15[^: ]", ifb));
        w->devices[self].ingress[w->members[self].n_ingress++]
            = world_find(w, ifb);
    }
}

static bool
size_matches(const struct bigtcp_sizes *sizes, enum bigtcp_attr attr,
             const char *text)
{
    return (!strcmp(text, "*") ? true
            : !strcmp(text, "-") ? !bigtcp_sizes_has(sizes, attr)
            : (bigtcp_sizes_has(sizes, attr)
               && sizes->value[attr] == strtoul(text, NULL, 10)));
}

/* Returns true if the facts of 'reason' are what its text says. */
static bool
facts_match_text(const struct bigtcp_reason *reason)
{
    const struct bigtcp_facts *facts = &reason->facts;
    bool ingress = facts->cause == BIGTCP_CAUSE_INGRESS_LIMITS;
    bool lower = ingress || facts->cause == BIGTCP_CAUSE_LOWER_LIMITS;
    struct ds ds = DS_EMPTY_INITIALIZER;
    bool ok;

    if (!lower && facts->cause != BIGTCP_CAUSE_PORT_LIMITS) {
        return !facts->name && !facts->attrs && !facts->limit;
    }
    if (lower && !strncmp(reason->text, "segmented above", 15)) {
        ds_put_cstr(&ds, "segmented above, ");
    } else {
        BIGTCP_FOR_EACH_ATTR (attr) {
            if (facts->attrs & (1u << attr)) {
                ds_put_format(&ds, "%s, ", bigtcp_attr_to_string(attr));
            }
        }
    }
    ds_truncate(&ds, ds.length - 2);
    ds_put_format(&ds, " %"PRIu32": %s %s%s", facts->limit,
                  ingress ? "arrives through" : lower ? "leaves by" : "port",
                  facts->name,
                  lower ? ", which takes " : " takes no more");
    ok = facts->attrs && !strncmp(reason->text, ds_cstr(&ds), ds.length);
    ds_destroy(&ds);
    return ok;
}

/* Returns true if the facts of all reasons of 'm' are what their texts say and
 * about attributes that it has, and no reason is told twice. */
static bool
reasons_are_sound(const struct bigtcp_member *m)
{
    for (size_t i = 0; i < m->report->n_reasons; i++) {
        const struct bigtcp_reason *reason = &m->report->reasons[i];

        if (!facts_match_text(reason)
            || (m->link && reason->facts.attrs & ~m->link->sizes.present)) {
            return false;
        }
        for (size_t j = 0; j < i; j++) {
            if (!strcmp(reason->text, m->report->reasons[j].text)) {
                return false;
            }
        }
    }
    return true;
}

/* Returns false, after saying so, if 'w' is not as 'text' expects. */
static bool
check_expectation(const struct world *w, const char *text)
{
    char name[16], gso6[16], gso4[16], gro6[16], gro4[16], state[16];
    const char *reason;
    const struct bigtcp_member *m;
    bool ok;

    text += strspn(text, " ");
    ovs_assert(ovs_scan(text, "%15[^=]=%15[^/]/%15[^/]/%15[^/]/%15s %15[a-z]",
                        name, gso6, gso4, gro6, gro4, state));
    m = &w->members[world_find(w, name)];
    reason = strchr(text, '[');
    ok = (size_matches(&m->wanted, BIGTCP_GSO_MAX_SIZE, gso6)
          && size_matches(&m->wanted, BIGTCP_GSO_IPV4_MAX_SIZE, gso4)
          && size_matches(&m->wanted, BIGTCP_GRO_MAX_SIZE, gro6)
          && size_matches(&m->wanted, BIGTCP_GRO_IPV4_MAX_SIZE, gro4)
          && !strcmp(bigtcp_state_to_string(m->report->state), state));
    if (reason) {
        char *part = xmemdup0(reason + 1, strcspn(reason + 1, "]"));

        ok = ok && (part[0] ? strstr(ds_cstr(&m->report->reason), part) != NULL
                    : !m->report->reason.length);
        free(part);
    }
    ok = ok && reasons_are_sound(m);
    if (!ok) {
        struct ds ds = DS_EMPTY_INITIALIZER;

        bigtcp_sizes_format(&m->wanted, &ds);
        printf("  expected %s\n  got %s: %s %s [%s]\n", text, name,
               ds_cstr(&ds), bigtcp_state_to_string(m->report->state),
               ds_cstr(&m->report->reason));
        ds_destroy(&ds);
    }
    return ok;
}

static void
test_cases(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    size_t n_failed = 0;
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_SIZE(group_cases); i++) {
        const struct group_case *c = &group_cases[i];
        char *copy, *save_ptr = NULL;
        struct world w;
        bool ok = true;

        world_init(&w);
        copy = xstrdup(c->devices);
        for (char *d = strtok_r(copy, " ", &save_ptr); d;
             d = strtok_r(NULL, " ", &save_ptr)) {
            add_device(&w, d);
        }
        free(copy);
        copy = xstrdup(c->devices);
        for (char *d = strtok_r(copy, " ", &save_ptr); d;
             d = strtok_r(NULL, " ", &save_ptr)) {
            add_lowers(&w, d);
        }
        free(copy);

        world_decide(&w);
        copy = xstrdup(c->expect);
        for (char *e = strtok_r(copy, ";", &save_ptr); e;
             e = strtok_r(NULL, ";", &save_ptr)) {
            n++;
            ok &= check_expectation(&w, e);
        }
        free(copy);
        if (!ok) {
            printf("%s\n", c->devices);
            n_failed++;
        }
        world_destroy(&w);
    }
    ovs_assert(ARRAY_SIZE(group_cases) >= 100 && n >= ARRAY_SIZE(group_cases));
    ovs_assert(!n_failed);
}

/* Invariants, on random devices. */

static uint32_t
random_ceiling(void)
{
    static const uint32_t ceilings[] = {
        524280, 524280, 524280, 262143, 131072, 65536, 65536, 32000, 16385,
        600,
    };
    return ceilings[random_range(ARRAY_SIZE(ceilings))];
}

static void
random_world(struct world *w)
{
    bool resegments = !random_range(3);
    size_t n = 1 + random_range(10);

    world_init(w);
    for (size_t i = 0; i < n; i++) {
        char name[32];
        struct bigtcp_member *m;

        snprintf(name, sizeof name, "d%"PRIuSIZE, i);
        m = world_add(w, name, random_ceiling());
        m->internal = !random_range(3);
        m->request.is_auto = random_range(4) != 0;
        m->request.mixed = !random_range(8);
        m->request.not_mixed = !m->request.mixed && !random_range(4);
        m->request.resegments = m->request.is_auto && resegments;
        if (!random_range(6)) {
            w->devices[i].link.tso_max_segs = 1 + random_range(100);
            bigtcp_sizes_set(&w->devices[i].link.sizes, BIGTCP_GSO_MAX_SEGS,
                             w->devices[i].link.tso_max_segs);
        }
        if (!random_range(8)) {
            bigtcp_sizes_set(&m->request.asked, BIGTCP_GRO_MAX_SIZE,
                             BIGTCP_MIN_SIZE + random_range(500000));
        }
        if (i && !random_range(6)) {
            size_t ifb = random_range(i);

            /* An 'ifb' device is no internal port and on no other device. */
            if (!w->members[ifb].internal && !w->members[ifb].n_lowers) {
                w->devices[i].ingress[m->n_ingress++] = ifb;
            }
        }
        if (!random_range(5)) {
            bigtcp_sizes_set(&m->request.asked, BIGTCP_GSO_MAX_SIZE,
                             BIGTCP_MIN_SIZE + random_range(500000));
        }
        if (!random_range(8)) {
            bigtcp_sizes_set(&m->request.asked, BIGTCP_TSO_MAX_SIZE,
                             BIGTCP_MIN_SIZE + random_range(500000));
        }
        if (i && !m->internal && !random_range(4)) {
            /* Only devices that came before: no loop. */
            w->devices[i].lowers[0] = (struct bigtcp_lower) {
                .member = random_range(i),
                .tunnel = true,
            };
            /* What is on an internal port leads back into the bridges. */
            if (!w->members[w->devices[i].lowers[0].member].internal) {
                w->devices[i].lowers[0].tunnel = random_range(2);
            }
            if (w->devices[i].lowers[0].tunnel) {
                w->devices[i].lowers[0].ipv6 = random_range(2);
                w->devices[i].lowers[0].overhead = 50;
            }
            m->n_lowers = 1;
        }
        m->managed = !bigtcp_request_is_empty(&m->request);
        w->memberships[w->n_memberships++]
            = (struct bigtcp_membership) { i, random_range(3) };
    }
}

/* Returns true if 'a' is a tunnel or leads to one. */
static bool
in_tunnel(const struct world *w, size_t a)
{
    const struct bigtcp_member *m = &w->members[a];

    return (m->n_lowers
            && (m->lowers[0].tunnel || in_tunnel(w, m->lowers[0].member)));
}

/* Returns true if 'a' is below a tunnel. */
static bool
carries_tunnel(const struct world *w, size_t a)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->members[i].n_lowers && w->members[i].lowers[0].member == a
            && (w->members[i].lowers[0].tunnel || carries_tunnel(w, i))) {
            return true;
        }
    }
    return false;
}

/* Returns true if 'b' is an egress of 'a'. */
static bool
is_egress(const struct world *w, size_t a, size_t b)
{
    bool shared = false;

    for (size_t i = 0; i < w->n_memberships; i++) {
        for (size_t j = 0; j < w->n_memberships; j++) {
            shared |= (w->memberships[i].member == a
                       && w->memberships[j].member == b
                       && w->memberships[i].group == w->memberships[j].group);
        }
    }
    if (in_tunnel(w, b) && carries_tunnel(w, a)) {
        return false;
    }
    return shared && a != b && !w->members[b].internal;
}

/* Returns true if auto, as 'request' has it, gives GSO sizes without a look at
 * hops. */
static bool
ignores_hops(const struct bigtcp_request *request)
{
    return (request->mixed
            || (request->resegments && !request->not_mixed));
}

/* Returns true if a key in 'asked' decides on 'ipv4', the size for IPv4 of
 * 'ipv6', which counts for both up to 64 kB. */
static bool
ipv4_has_key(const struct bigtcp_sizes *asked, enum bigtcp_attr ipv6,
             enum bigtcp_attr ipv4)
{
    return (bigtcp_sizes_has(asked, ipv4)
            || (bigtcp_sizes_has(asked, ipv6)
                && asked->value[ipv6] <= BIGTCP_LEGACY_SIZE));
}

/* Checks that 'value', which a tunnel sends over device 'below' of 'w' in a
 * packet of the family of 'attr', leaves that whole if it is an internal
 * port. */
static void
check_tunnel_egress(const struct world *w, size_t below, uint32_t value,
                    enum bigtcp_attr attr,
                    const struct bigtcp_request *asked)
{
    for (size_t j = 0; j < w->n; j++) {
        if (w->members[below].internal && asked[below].is_auto
            && !asked[below].mixed
            && !bigtcp_sizes_has(&asked[below].asked, attr)
            && !ipv4_has_key(&asked[below].asked, BIGTCP_GSO_MAX_SIZE, attr)
            && is_egress(w, below, j)) {
            ovs_assert(value <= w->members[j].wanted.value[attr]
                       || value <= BIGTCP_MIN_SIZE + 50);
        }
    }
}

static void
check_invariants(const struct world *w, const struct bigtcp_request *asked)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct bigtcp_member *m = &w->members[i];
        const struct bigtcp_sizes *wanted = &m->wanted;
        uint32_t v6 = wanted->value[BIGTCP_GSO_MAX_SIZE];
        uint32_t v4 = wanted->value[BIGTCP_GSO_IPV4_MAX_SIZE];

        /* Never above the ceiling, never below the floor. */
        ovs_assert(v6 <= bigtcp_link_ceiling(m->link));
        ovs_assert(v4 <= bigtcp_link_ceiling(m->link));
        ovs_assert(v6 >= BIGTCP_MIN_SIZE && v4 >= BIGTCP_MIN_SIZE);
        ovs_assert(wanted->value[BIGTCP_GRO_MAX_SIZE] <= BIGTCP_MAX_SIZE);
        ovs_assert(wanted->value[BIGTCP_GRO_IPV4_MAX_SIZE] <= BIGTCP_MAX_SIZE);
        ovs_assert(wanted->value[BIGTCP_GSO_MAX_SEGS] >= 1
                   && (wanted->value[BIGTCP_GSO_MAX_SEGS]
                       <= m->link->tso_max_segs));
        ovs_assert(reasons_are_sound(m));
        ovs_assert(m->report->state == BIGTCP_STATE_APPLIED
                   || m->report->n_reasons);

        if (!m->managed) {
            ovs_assert(bigtcp_sizes_equal(wanted, &m->link->sizes)
                       || v6 == m->link->sizes.value[BIGTCP_GSO_MAX_SIZE]);
            continue;
        }

        /* 'auto' never above the smallest egress. */
        for (size_t j = 0; j < w->n; j++) {
            const struct bigtcp_sizes *hop = &w->members[j].wanted;

            if (!asked[i].is_auto || !is_egress(w, i, j)) {
                continue;
            }
            if (m->internal && !ignores_hops(&asked[i])) {
                ovs_assert(v4 <= hop->value[BIGTCP_GSO_IPV4_MAX_SIZE]
                           || v4 == BIGTCP_MIN_SIZE
                           || ipv4_has_key(&asked[i].asked,
                                           BIGTCP_GSO_MAX_SIZE,
                                           BIGTCP_GSO_IPV4_MAX_SIZE));
                ovs_assert(v6 <= hop->value[BIGTCP_GSO_MAX_SIZE]
                           || v6 == BIGTCP_MIN_SIZE
                           || bigtcp_sizes_has(&asked[i].asked,
                                               BIGTCP_GSO_MAX_SIZE));
            } else if (!m->internal && !asked[i].mixed) {
                ovs_assert((wanted->value[BIGTCP_GRO_MAX_SIZE]
                            <= hop->value[BIGTCP_GSO_MAX_SIZE])
                           || bigtcp_sizes_has(&asked[i].asked,
                                               BIGTCP_GRO_MAX_SIZE));
                ovs_assert((wanted->value[BIGTCP_GRO_IPV4_MAX_SIZE]
                            <= hop->value[BIGTCP_GSO_IPV4_MAX_SIZE])
                           || ipv4_has_key(&asked[i].asked,
                                           BIGTCP_GRO_MAX_SIZE,
                                           BIGTCP_GRO_IPV4_MAX_SIZE));
            }
        }
        /* Nor above what is in the way of what is received. */
        if (m->n_ingress && asked[i].is_auto && !m->internal
            && !asked[i].mixed
            && !bigtcp_sizes_has(&asked[i].asked, BIGTCP_GRO_MAX_SIZE)) {
            const struct bigtcp_member *ifb = &w->members[m->ingress[0]];

            ovs_assert(wanted->value[BIGTCP_GRO_MAX_SIZE]
                       <= ifb->wanted.value[BIGTCP_GSO_MAX_SIZE]);
        }
        /* Nor above a lower device. */
        if (m->n_lowers && !m->lowers[0].tunnel && asked[i].is_auto
            && !asked[i].mixed) {
            const struct bigtcp_sizes *lower
                = &w->members[m->lowers[0].member].wanted;

            ovs_assert(v4 <= lower->value[BIGTCP_GSO_IPV4_MAX_SIZE]
                       || ipv4_has_key(&asked[i].asked, BIGTCP_GSO_MAX_SIZE,
                                       BIGTCP_GSO_IPV4_MAX_SIZE));
            ovs_assert(v6 <= lower->value[BIGTCP_GSO_MAX_SIZE]
                       || bigtcp_sizes_has(&asked[i].asked,
                                           BIGTCP_GSO_MAX_SIZE));
        }
        if (m->n_lowers && m->lowers[0].tunnel && asked[i].is_auto) {
            const struct bigtcp_sizes *lower
                = &w->members[m->lowers[0].member].wanted;
            uint32_t limit = lower->value[m->lowers[0].ipv6
                                          ? BIGTCP_GSO_MAX_SIZE
                                          : BIGTCP_GSO_IPV4_MAX_SIZE];

            ovs_assert(v4 + 50 <= limit || v4 == BIGTCP_MIN_SIZE);
            ovs_assert(v6 + 50 <= limit || v6 == BIGTCP_MIN_SIZE);
            check_tunnel_egress(w, m->lowers[0].member, MAX(v4, v6) + 50,
                                m->lowers[0].ipv6 ? BIGTCP_GSO_MAX_SIZE
                                : BIGTCP_GSO_IPV4_MAX_SIZE, asked);
        }
    }
}

static void
test_invariants(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    random_set_seed(1);
    for (size_t round = 0; round < 20000; round++) {
        struct bigtcp_request asked[MAX_DEVICES];
        struct bigtcp_sizes first[MAX_DEVICES];
        struct world w;
        size_t n;

        random_world(&w);
        n = w.n;
        for (size_t i = 0; i < n; i++) {
            asked[i] = w.members[i].request;
        }
        world_decide(&w);
        check_invariants(&w, asked);

        /* The same again gives the same. */
        for (size_t i = 0; i < n; i++) {
            first[i] = w.members[i].wanted;
            w.members[i].request = asked[i];
            bigtcp_report_clear(w.members[i].report);
        }
        world_decide(&w);
        for (size_t i = 0; i < n; i++) {
            ovs_assert(bigtcp_sizes_equal(&first[i], &w.members[i].wanted));
            w.members[i].request = asked[i];
            bigtcp_report_clear(w.members[i].report);
        }

        /* And so it does once what was decided is in force. */
        for (size_t i = 0; i < n; i++) {
            BIGTCP_FOR_EACH_ATTR (attr) {
                if (bigtcp_sizes_has(&first[i], attr)) {
                    bigtcp_sizes_set(&w.devices[i].link.sizes, attr,
                                     first[i].value[attr]);
                }
            }
        }

        /* A port that does not limit changes nobody. */
        world_add(&w, "new", BIGTCP_MAX_SIZE)->request.is_auto = true;
        w.members[n].managed = true;
        w.memberships[w.n_memberships++] = (struct bigtcp_membership) { n, 0 };
        world_decide(&w);
        for (size_t i = 0; i < n; i++) {
            ovs_assert(bigtcp_sizes_equal(&first[i], &w.members[i].wanted));
        }
        world_destroy(&w);
    }
}

static void
test_bigtcp_group_main(int argc, char *argv[])
{
    static const struct ovs_cmdl_command commands[] = {
        { "cases", NULL, 0, 0, test_cases, OVS_RO },
        { "invariants", NULL, 0, 0, test_invariants, OVS_RO },
        { NULL, NULL, 0, 0, NULL, OVS_RO },
    };
    struct ovs_cmdl_context ctx = { .argc = argc - 1, .argv = argv + 1 };

    set_program_name(argv[0]);
    ovs_cmdl_run_command(&ctx, commands);
}

OVSTEST_REGISTER("test-bigtcp-group", test_bigtcp_group_main);
