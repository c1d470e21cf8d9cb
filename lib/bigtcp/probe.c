/* SPDX-License-Identifier: Apache-2.0 */

/* Sends a TCP packet that is too large for its device, in a network namespace
 * of its own, and looks at what the device gets.  What a kernel's version says
 * of that is nothing: it can have been built with datapath-patches/ or not. */

#include <config.h>

#include "bigtcp/probe.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bigtcp/hazards.h"
#include "bigtcp/types.h"
#include "csum.h"
#include "openvswitch/vlog.h"
#include "ovs-thread.h"
#include "packets.h"
#include "socket-util.h"
#include "timeval.h"
#include "unaligned.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(bigtcp_probe);

/* linux/virtio_net.h. */
struct vnet_hdr {
    uint8_t flags;
    uint8_t gso_type;
    uint16_t hdr_len;           /* Host byte order, as what follows. */
    uint16_t gso_size;
    uint16_t csum_start;
    uint16_t csum_offset;
};
#define VNET_HDR_F_NEEDS_CSUM 1
#define VNET_HDR_GSO_TCPV4 1

/* The packet: above BIGTCP_LEGACY_SIZE, which a new loopback device has as its
 * GSO size, with few segments and more than one of the size that fits. */
#define PROBE_MSS 8000
#define PROBE_PAYLOAD 69000
#define PROBE_HEADERS (ETH_HEADER_LEN + IP_HEADER_LEN + TCP_HEADER_LEN)

struct probe {
    enum bigtcp_oversized result;
    int error;                  /* 0 or a positive errno value. */
};

/* Brings up the loopback device of this thread's network namespace and stores
 * its index in '*ifindex'.  'fd' is any socket there.  Returns 0 or a positive
 * errno value. */
static int
probe_lo_up(int fd, int *ifindex)
{
    struct ifreq ifr;

    memset(&ifr, 0, sizeof ifr);
    ovs_strlcpy(ifr.ifr_name, "lo", sizeof ifr.ifr_name);
    if (ioctl(fd, SIOCGIFINDEX, &ifr)) {
        return errno;
    }
    *ifindex = ifr.ifr_ifindex;
    ifr.ifr_flags = IFF_UP;
    return ioctl(fd, SIOCSIFFLAGS, &ifr) ? errno : 0;
}

/* Opens a packet socket and stores it in '*fdp'.  It is bound to 'ifindex', or
 * to none if that is 0, and takes all packets if 'all' is true, else none.
 * Returns 0 or a positive errno value. */
static int
probe_socket(int ifindex, bool all, int *fdp)
{
    struct sockaddr_ll sll = {
        .sll_family = AF_PACKET,
        .sll_protocol = all ? htons(ETH_P_ALL) : 0,
        .sll_ifindex = ifindex,
    };
    int fd = socket(AF_PACKET, SOCK_RAW, 0);

    if (fd < 0) {
        return errno;
    }
    if (ifindex && bind(fd, (struct sockaddr *) &sll, sizeof sll)) {
        int error = errno;

        close(fd);
        return error;
    }
    *fdp = fd;
    return 0;
}

/* Sends the packet through 'fd'.  Returns 0 or a positive errno value. */
static int
probe_send(int fd)
{
    const size_t size = sizeof(struct vnet_hdr) + PROBE_HEADERS
                        + PROBE_PAYLOAD;
    /* A host that is not the one that it goes to: nobody answers. */
    static const struct eth_addr dst = ETH_ADDR_C(02, 00, 00, 00, 00, 01);
    static const int on = 1;
    struct tcp_header *tcp;
    struct vnet_hdr *vnet;
    struct eth_header *eth;
    struct ip_header *ip;
    uint32_t sum;
    int error = 0;
    char *data;

    if (setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on)) {
        return errno;
    }
    data = xzalloc(size);
    vnet = ALIGNED_CAST(struct vnet_hdr *, data);
    vnet->flags = VNET_HDR_F_NEEDS_CSUM;
    vnet->gso_type = VNET_HDR_GSO_TCPV4;
    vnet->hdr_len = PROBE_HEADERS;
    vnet->gso_size = PROBE_MSS;
    vnet->csum_start = ETH_HEADER_LEN + IP_HEADER_LEN;
    vnet->csum_offset = offsetof(struct tcp_header, tcp_csum);

    eth = ALIGNED_CAST(struct eth_header *, vnet + 1);
    eth->eth_dst = dst;
    eth->eth_type = htons(ETH_TYPE_IP);

    /* A length of 0, as in each IPv4 packet above 65535 bytes. */
    ip = ALIGNED_CAST(struct ip_header *, eth + 1);
    ip->ip_ihl_ver = IP_IHL_VER(5, 4);
    ip->ip_frag_off = htons(IP_DF);
    ip->ip_ttl = 1;
    ip->ip_proto = IPPROTO_TCP;
    put_16aligned_be32(&ip->ip_src, htonl(INADDR_LOOPBACK));
    put_16aligned_be32(&ip->ip_dst, htonl(INADDR_LOOPBACK));
    ip->ip_csum = csum(ip, IP_HEADER_LEN);

    tcp = ALIGNED_CAST(struct tcp_header *, ip + 1);
    tcp->tcp_ctl = TCP_CTL(TCP_ACK, TCP_HEADER_LEN / 4);
    sum = csum_add32(0, htonl(INADDR_LOOPBACK));
    sum = csum_add32(sum, htonl(INADDR_LOOPBACK));
    sum = csum_add16(sum, htons(IPPROTO_TCP));
    sum = csum_add32(sum, htonl(TCP_HEADER_LEN + PROBE_PAYLOAD));
    tcp->tcp_csum = ~csum_finish(sum);

    if (send(fd, data, size, 0) != size) {
        error = errno;
    }
    free(data);
    return error;
}

/* Reads from 'fd' what the device was given of the packet, and stores in
 * '*result' what was done to it.  Returns 0 or a positive errno value. */
static int
probe_receive(int fd, enum bigtcp_oversized *result)
{
    size_t total = 0, largest = 0;

    /* All is there: the loopback device has no queue, and what it is given
     * passes packet sockets before it does. */
    for (;;) {
        struct sockaddr_ll sll;
        socklen_t sll_len = sizeof sll;
        char data[1];
        ssize_t n = recvfrom(fd, data, sizeof data, MSG_TRUNC | MSG_DONTWAIT,
                             (struct sockaddr *) &sll, &sll_len);

        if (n < 0) {
            if (errno != EAGAIN) {
                return errno;
            }
            break;
        }
        if (sll.sll_pkttype == PACKET_OUTGOING
            && sll.sll_protocol == htons(ETH_TYPE_IP) && n > PROBE_HEADERS) {
            total += n - PROBE_HEADERS;
            largest = MAX(largest, n - PROBE_HEADERS);
        }
    }
    if (total != PROBE_PAYLOAD) {
        return EPROTO;
    }
    *result = (largest == PROBE_PAYLOAD ? BIGTCP_OVERSIZED_WHOLE
               : largest > PROBE_MSS ? BIGTCP_OVERSIZED_GSO
               : BIGTCP_OVERSIZED_MSS);
    return 0;
}

static void *
probe_main(void *probe_)
{
    struct probe *probe = probe_;
    int sender = -1, receiver = -1, ifindex = 0;

    /* Of this thread alone.  The kernel removes it when the thread and its
     * sockets have ended. */
    if (unshare(CLONE_NEWNET)) {
        probe->error = errno;
        return NULL;
    }
    probe->error = probe_socket(0, false, &sender);
    if (probe->error) {
        return NULL;
    }
    probe->error = probe_lo_up(sender, &ifindex);
    if (!probe->error) {
        struct sockaddr_ll sll = {
            .sll_family = AF_PACKET,
            .sll_ifindex = ifindex,
        };

        probe->error = (bind(sender, (struct sockaddr *) &sll, sizeof sll)
                        ? errno : probe_socket(ifindex, true, &receiver));
    }
    if (!probe->error) {
        probe->error = probe_send(sender);
        if (!probe->error) {
            probe->error = probe_receive(receiver, &probe->result);
        }
        close(receiver);
    }
    close(sender);
    return NULL;
}

/* Finds out what becomes of TCP packets that are larger than their device
 * takes, and stores it in '*result'.  This is for plain TCP to a device that
 * does TSO; a kernel that re-segments may go down to the MSS for others.
 *
 * Returns 0 or a positive errno value: EPERM if no network namespace may be
 * made, EPROTO if the packet got lost. */
int
bigtcp_probe_oversized(enum bigtcp_oversized *result)
{
    struct probe probe = { .error = 0 };

    xpthread_join(ovs_thread_create("bigtcp_probe", probe_main, &probe),
                  NULL);
    *result = probe.result;
    return probe.error;
}

/* Milliseconds after which a probe that failed is made again. */
#define RETRY_INTERVAL (60 * 1000)

/* Returns true if a probe should be made: for the first time, or again after
 * it failed. */
bool
bigtcp_attempt_is_due(const struct bigtcp_attempt *attempt)
{
    return (!attempt->made
            || (attempt->error && time_msec() >= attempt->next));
}

/* Notes that a probe was just made, with 'error', 0 or a positive errno
 * value.  The first failure for each reason goes to the log. */
void
bigtcp_attempt_done(struct bigtcp_attempt *attempt, int error)
{
    static int errors[8];
    static size_t n_errors;
    size_t i = 0;

    attempt->made = true;
    attempt->error = error;
    attempt->next = time_msec() + RETRY_INTERVAL;
    if (!error) {
        return;
    }
    while (i < n_errors && errors[i] != error) {
        i++;
    }
    if (i == n_errors && i < ARRAY_SIZE(errors)) {
        errors[n_errors++] = error;
        VLOG_WARN("cannot find out what this kernel does with large packets, "
                  "which takes a network namespace to try it in: %s",
                  ovs_strerror(error));
    }
}

/* Finds out whether the running kernel re-segments.  Tries it the first time,
 * and again if that failed. */
static void
find_resegments(struct bigtcp_kernel *kernel)
{
    static struct bigtcp_attempt attempt;
    static enum bigtcp_oversized oversized;

    if (bigtcp_attempt_is_due(&attempt)) {
        bigtcp_attempt_done(&attempt, bigtcp_probe_oversized(&oversized));
    }
    kernel->error = attempt.error;
    kernel->resegments = (attempt.error ? BIGTCP_NOT_KNOWN
                          : oversized == BIGTCP_OVERSIZED_GSO ? BIGTCP_YES
                          : BIGTCP_NO);
}

/* Stores in '*kernel' what the running kernel does with packets: tried, or
 * known of its version. */
void
bigtcp_probe_kernel(struct bigtcp_kernel *kernel)
{
    const struct bigtcp_hazard *hazard;

    memset(kernel, 0, sizeof *kernel);
    find_resegments(kernel);
    BIGTCP_FOR_EACH_HAZARD (hazard, bigtcp_running_version()) {
        if (hazard->scope == BIGTCP_HAZARD_IPV4_ABOVE) {
            kernel->one_limit = true;
        } else if (!strcmp(hazard->commit, BIGTCP_HAZARD_SIZE_IGNORED)) {
            kernel->ignores_size = true;
        }
    }
}
