/* SPDX-License-Identifier: Apache-2.0 */

/* Counts the packets of a device in the kernel, by a packet socket with an
 * eBPF socket filter.  Nothing else in this project knows bpf(2).
 *
 * The filter adds each packet to a map and takes none, so that no packet is
 * queued to the socket and none is copied.  The kernel hands a sent packet to
 * the filter as a clone, which shares the data, and a received one as it is,
 * and goes on with the packet itself as if nobody had looked, but for one
 * case: data that the sender gave with MSG_ZEROCOPY are copied before anybody
 * may look at them (skb_orphan_frags_rx()). */

#include <config.h>

#include "bigtcp/bpf.h"
#include "bigtcp/provider.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bigtcp/counts.h"
#include "coverage.h"
#include "openvswitch/ofpbuf.h"
#include "packets.h"
#include "util.h"

COVERAGE_DEFINE(bigtcp_bpf_open);
COVERAGE_DEFINE(bigtcp_bpf_failed);
COVERAGE_DEFINE(bigtcp_bpf_read);

/* Of linux/if_ether.h, which does not go with packets.h. */
enum { BIGTCP_ETH_P_ALL = 0x0003 };

/* Of asm-generic/socket.h: the same on all machines that Linux 5.7 and Open
 * vSwitch run on but for parisc and sparc. */
#ifndef SO_ATTACH_BPF
#define SO_ATTACH_BPF 50
#endif

/* bpf(2). */

/* Calls bpf(2).  Returns its result or, if that is negative, a negative errno
 * value. */
static int
sys_bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
#ifdef __NR_bpf
    int retval = syscall(__NR_bpf, cmd, attr, sizeof *attr);

    return retval < 0 ? -errno : retval;
#else
    return -ENOSYS;
#endif
}

/* Returns what is missing if bpf(2) fails with 'error', a positive errno
 * value. */
static const char *
explain_bpf(int error)
{
    switch (error) {
    case ENOSYS:
        return "this kernel has no bpf(2) (CONFIG_BPF_SYSCALL), or a "
               "container's seccomp filter hides it";
    case EPERM:
        return "it takes CAP_BPF or CAP_SYS_ADMIN outside of user "
               "namespaces, which a container or option --user may have taken "
               "away, or sysctl kernel.unprivileged_bpf_disabled=0";
    case EINVAL:
    case EACCES:
    case E2BIG:
        return "it takes Linux 5.7 or later";
    case ENOMEM:
        return "no memory left";
    default:
        return "bpf(2) failed";
    }
}

/* Stores in '*message' that 'what' failed with 'error' and 'why'.  Returns
 * 'error'. */
static int
fail(const char *what, int error, const char *why, char **message)
{
    COVERAGE_INC(bigtcp_bpf_failed);
    *message = xasprintf("%s: %s (%s)", what, ovs_strerror(error), why);
    return error;
}

/* Creates the map.  Returns its file descriptor or a negative errno value. */
static int
create_map(void)
{
    union bpf_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.map_type = BPF_MAP_TYPE_PERCPU_ARRAY;
    attr.key_size = sizeof(uint32_t);
    attr.value_size = sizeof(struct bigtcp_count);
    attr.max_entries = BIGTCP_N_COUNTS;
    return sys_bpf(BPF_MAP_CREATE, &attr);
}

/* Loads the program that counts in 'map_fd'.  Returns its file descriptor or a
 * negative errno value. */
static int
load_program(int map_fd, uint32_t l2_size)
{
    struct ofpbuf insns;
    union bpf_attr attr;
    int fd;

    ofpbuf_init(&insns, 1024);
    bigtcp_bpf_compose(&insns, map_fd, l2_size);
    memset(&attr, 0, sizeof attr);
    attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
    attr.insns = (uintptr_t) insns.data;
    attr.insn_cnt = insns.size / sizeof(struct bpf_insn);
    attr.license = (uintptr_t) "Apache-2.0";
    fd = sys_bpf(BPF_PROG_LOAD, &attr);
    ofpbuf_uninit(&insns);
    return fd;
}

/* Returns how many CPUs the kernel's copy of a per-CPU value may be for: at
 * least as many as it has. */
static size_t
max_cpus(void)
{
    static size_t n;

    if (!n) {
        FILE *stream = fopen("/sys/devices/system/cpu/possible", "r");
        unsigned int last;

        /* E.g. "0-3" or "0,2-7". */
        while (stream && fscanf(stream, "%u", &last) == 1) {
            n = last + 1;
            fgetc(stream);
        }
        if (stream) {
            fclose(stream);
        }
        n = n ? n : 8192;       /* The largest CONFIG_NR_CPUS there is. */
    }
    return n;
}

/* Stores in 'counts' what 'map_fd' has.  Returns 0 or a positive errno
 * value. */
static int
read_map(int map_fd, struct bigtcp_counts *counts)
{
    struct bigtcp_count *values = xcalloc(max_cpus(), sizeof *values);
    int error = 0;

    COVERAGE_INC(bigtcp_bpf_read);
    memset(counts, 0, sizeof *counts);
    for (uint32_t i = 0; i < BIGTCP_N_COUNTS && !error; i++) {
        union bpf_attr attr;

        memset(&attr, 0, sizeof attr);
        attr.map_fd = map_fd;
        attr.key = (uintptr_t) &i;
        attr.value = (uintptr_t) values;
        error = -sys_bpf(BPF_MAP_LOOKUP_ELEM, &attr);
        for (size_t cpu = 0; cpu < max_cpus() && !error; cpu++) {
            bigtcp_count_add(&counts->count[i], &values[cpu]);
        }
    }
    free(values);
    return error;
}

/* Makes the map and the program.  Returns 0 or a positive errno value, with
 * the reason in '*message'.  The caller closes both file descriptors,
 * '*map_fdp' and '*prog_fdp'. */
static int
load(uint32_t l2_size, int *map_fdp, int *prog_fdp, char **message)
{
    int map_fd, prog_fd;

    map_fd = create_map();
    if (map_fd < 0) {
        return fail("cannot make an eBPF map", -map_fd, explain_bpf(-map_fd),
                    message);
    }
    prog_fd = load_program(map_fd, l2_size);
    if (prog_fd < 0) {
        close(map_fd);
        return fail("cannot load an eBPF program", -prog_fd,
                    explain_bpf(-prog_fd), message);
    }
    *map_fdp = map_fd;
    *prog_fdp = prog_fd;
    return 0;
}

/* Lets the kernel run the program on the 'size' bytes at 'frame', which begin
 * with an Ethernet header, as a packet that was received and whose GSO size is
 * 'gso_size'.  Stores in 'counts' what was counted.  Returns 0 or a positive
 * errno value, with the reason in '*message'. */
int
bigtcp_bpf_test_run(const void *frame, size_t size, uint32_t gso_size,
                    struct bigtcp_counts *counts, char **message)
{
    /* As much of struct __sk_buff as the kernel must know. */
    uint32_t skb[BIGTCP_SKB_GSO_SIZE / 4 + 1] = {
        [BIGTCP_SKB_GSO_SIZE / 4] = gso_size
    };
    union bpf_attr attr;
    int map_fd, prog_fd;
    int error;

    /* The kernel takes the Ethernet header off. */
    error = load(0, &map_fd, &prog_fd, message);
    if (error) {
        return error;
    }
    memset(&attr, 0, sizeof attr);
    attr.test.prog_fd = prog_fd;
    attr.test.data_in = (uintptr_t) frame;
    attr.test.data_size_in = size;
    attr.test.ctx_in = (uintptr_t) skb;
    attr.test.ctx_size_in = sizeof skb;
    error = -MIN(sys_bpf(BPF_PROG_TEST_RUN, &attr), 0);
    if (error) {
        fail("cannot run an eBPF program", error, explain_bpf(error), message);
    } else if (attr.test.retval) {
        error = EPROTO;
        *message = xstrdup("the eBPF program takes packets");
    } else {
        error = read_map(map_fd, counts);
    }
    close(prog_fd);
    close(map_fd);
    return error;
}

/* Packets of a device. */

struct bpf_tap {
    int map_fd;
    int sock;                   /* Packet socket. */
};

/* Stores in '*l2_size' the size of the Ethernet header of the packets of
 * 'device'.  Returns 0 or a positive errno value. */
static int
get_l2_size(int sock, const char *device, uint32_t *l2_size)
{
    struct ifreq ifr;

    memset(&ifr, 0, sizeof ifr);
    ovs_strlcpy(ifr.ifr_name, device, sizeof ifr.ifr_name);
    if (ioctl(sock, SIOCGIFHWADDR, &ifr)) {
        return errno;
    }
    *l2_size = ifr.ifr_hwaddr.sa_family == ARPHRD_ETHER ? ETH_HEADER_LEN : 0;
    return 0;
}

static int
bigtcp_bpf_open(const char *device, int ifindex, void **tapp, char **message)
{
    struct sockaddr_ll sll = {
        .sll_family = AF_PACKET,
        .sll_protocol = htons(BIGTCP_ETH_P_ALL),
        .sll_ifindex = ifindex,
    };
    int sock, map_fd, prog_fd, error;
    struct bpf_tap *tap;
    uint32_t l2_size = 0;

    /* Protocol 0: nothing arrives before the filter is there. */
    sock = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sock < 0) {
        error = errno;
        return fail("cannot make a packet socket", error,
                    (error == EPERM ? "it takes CAP_NET_RAW"
                     : error == EAFNOSUPPORT
                     ? "this kernel has none (CONFIG_PACKET)"
                     : "socket(2) failed"), message);
    }
    error = get_l2_size(sock, device, &l2_size);
    if (error) {
        fail("cannot read the device", error, "SIOCGIFHWADDR", message);
        goto fail_close;
    }
    error = load(l2_size, &map_fd, &prog_fd, message);
    if (error) {
        goto fail_close;
    }
    if (setsockopt(sock, SOL_SOCKET, SO_ATTACH_BPF, &prog_fd,
                   sizeof prog_fd)) {
        error = fail("cannot attach an eBPF program", errno,
                     "SO_ATTACH_BPF", message);
    }
    close(prog_fd);
    if (!error && bind(sock, (struct sockaddr *) &sll, sizeof sll)) {
        error = fail("cannot observe the device", errno, "bind(2) failed",
                     message);
    }
    if (error) {
        close(map_fd);
        goto fail_close;
    }

    COVERAGE_INC(bigtcp_bpf_open);
    tap = xmalloc(sizeof *tap);
    tap->map_fd = map_fd;
    tap->sock = sock;
    *tapp = tap;
    return 0;

fail_close:
    close(sock);
    return error;
}

static int
bigtcp_bpf_read(const void *tap_, struct bigtcp_counts *counts)
{
    const struct bpf_tap *tap = tap_;

    return read_map(tap->map_fd, counts);
}

static bool
bigtcp_bpf_is_gone(const void *tap_)
{
    const struct bpf_tap *tap = tap_;
    struct sockaddr_ll sll;
    socklen_t len = sizeof sll;

    /* The kernel takes the socket off a device that is deleted or moved to
     * another network namespace, before it tells anybody.  One that goes down
     * keeps it. */
    return (getsockname(tap->sock, (struct sockaddr *) &sll, &len)
            || sll.sll_ifindex <= 0);
}

static void
bigtcp_bpf_close(void *tap_)
{
    struct bpf_tap *tap = tap_;

    close(tap->sock);
    close(tap->map_fd);
    free(tap);
}

const struct bigtcp_tap_class bigtcp_bpf_tap_class = {
    .open = bigtcp_bpf_open,
    .read = bigtcp_bpf_read,
    .is_gone = bigtcp_bpf_is_gone,
    .close = bigtcp_bpf_close,
};
