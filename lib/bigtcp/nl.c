/* SPDX-License-Identifier: Apache-2.0 */

#include <config.h>

#include "bigtcp/nl.h"

#include <errno.h>

#include "bigtcp/provider.h"
#include "coverage.h"
#include "netlink-socket.h"
#include "netlink.h"
#include "openvswitch/ofpbuf.h"
#include "util.h"

COVERAGE_DEFINE(bigtcp_dump_interrupted);

/* NLM_F_DUMP_INTR of linux/netlink.h. */
#define BIGTCP_NLM_F_DUMP_INTR 0x10

/* Attempts at a dump. */
#define BIGTCP_NL_DUMP_TRIES 4

/* Stores in '*sockp' a socket for 'protocol', which is made the first time.
 * Only the main thread may use it.  Returns 0 or a positive errno value. */
static int
get_sock(int protocol, struct nl_sock **sockp)
{
    static struct nl_sock *socks[MAX(NETLINK_ROUTE, NETLINK_GENERIC) + 1];
    int error = 0;

    if (!socks[protocol]) {
        error = nl_sock_create(protocol, &socks[protocol]);
    }
    *sockp = socks[protocol];
    return error;
}

/* Stores in '*sockp' a socket that receives what the kernel announces to
 * multicast 'group' of 'protocol'.  Returns 0 or a positive errno value, with
 * NULL in '*sockp'. */
int
bigtcp_nl_listen(int protocol, unsigned int group, struct nl_sock **sockp)
{
    int error;

    error = nl_sock_create(protocol, sockp);
    if (!error) {
        error = nl_sock_join_mcgroup(*sockp, group);
        if (error) {
            nl_sock_destroy(*sockp);
            *sockp = NULL;
        }
    }
    return error;
}

/* Sends 'request' through 'sock' and waits for the reply, which goes into
 * 'reply'.  Returns 0 or a positive errno value.  Stores in '*message', if
 * that is not NULL, the kernel's text for the error or NULL; the caller frees
 * it.
 *
 * The sockets of nl_transact() belong to the network namespace that the
 * process started in; 'sock' can be of another one. */
int
bigtcp_nl_exchange(struct nl_sock *sock, const struct ofpbuf *request,
                   struct ofpbuf *reply, char **message)
{
    const char *text = NULL;
    int nlmsg_error;
    int error;

    error = nl_sock_send(sock, request, true);
    if (!error) {
        uint32_t seq = nl_msg_nlmsghdr(request)->nlmsg_seq;

        do {
            error = nl_sock_recv(sock, reply, NULL, true);
        } while (!error && nl_msg_nlmsghdr(reply)->nlmsg_seq != seq);
    }
    if (!error && nl_msg_nlmsgerr(reply, &nlmsg_error, &text)) {
        error = nlmsg_error;
    }
    if (message) {
        *message = nullable_xstrdup(text);
    }
    return error;
}

/* Sends the 'n' requests in 'requests' by 'protocol', of which each changes
 * the device of the access of the same number.  Fills in 'error' and 'message'
 * of each access, and frees the requests. */
void
bigtcp_nl_set(int protocol, struct bigtcp_access *accesses[],
              struct ofpbuf *requests[], size_t n)
{
    struct ofpbuf *reply = ofpbuf_new(1024);
    struct nl_sock *sock;
    int error;

    error = get_sock(protocol, &sock);
    for (size_t i = 0; i < n; i++) {
        accesses[i]->message = NULL;
        accesses[i]->error = (error ? error
                              : bigtcp_nl_exchange(sock, requests[i], reply,
                                                   &accesses[i]->message));
        ofpbuf_delete(requests[i]);
    }
    ofpbuf_delete(reply);
}

/* Calls 'cb' with 'aux' for each message in 'buffer', which was received for
 * the dump whose request had 'seq', and consumes it.  Sets '*interrupted' if
 * the kernel says that what it dumps changed meanwhile, so that something that
 * was there all the time can be missing: nl_dump_next() does not look at that.
 * Returns 0 if more will come, EOF at the end, or a positive errno value. */
int
bigtcp_nl_parse_dump(struct ofpbuf *buffer, uint32_t seq,
                     void (*cb)(struct ofpbuf *reply, void *aux), void *aux,
                     bool *interrupted)
{
    while (buffer->size) {
        struct ofpbuf reply;
        struct nlmsghdr *nlmsg = nl_msg_next(buffer, &reply);
        int error;

        if (!nlmsg) {
            return EPROTO;
        } else if (nlmsg->nlmsg_seq != seq) {
            continue;
        }
        *interrupted |= (nlmsg->nlmsg_flags & BIGTCP_NLM_F_DUMP_INTR) != 0;
        if (nlmsg->nlmsg_type == NLMSG_DONE) {
            return EOF;
        } else if (nl_msg_nlmsgerr(&reply, &error, NULL)) {
            return error ? error : EOF;
        }
        cb(&reply, aux);
    }
    return 0;
}

/* Does what bigtcp_nl_dump() does, once. */
static int
dump_once(struct nl_sock *sock, const struct ofpbuf *request,
          void (*cb)(struct ofpbuf *reply, void *aux), void *aux)
{
    bool interrupted = false;
    struct ofpbuf buffer;
    uint32_t seq;
    int error;

    error = nl_sock_send(sock, request, true);
    if (error) {
        return error;
    }
    seq = nl_msg_nlmsghdr(request)->nlmsg_seq;
    ofpbuf_init(&buffer, NL_DUMP_BUFSIZE);
    do {
        error = nl_sock_recv(sock, &buffer, NULL, true);
        if (!error) {
            error = bigtcp_nl_parse_dump(&buffer, seq, cb, aux, &interrupted);
        }
    } while (!error);
    ofpbuf_uninit(&buffer);
    if (error != EOF) {
        nl_sock_drain(sock);
        return error;
    }
    return interrupted ? EAGAIN : 0;
}

/* Sends 'request', which asks for a dump by 'protocol', and calls 'cb' with
 * 'aux' for each reply.  If the dump is interrupted, that is done again, a few
 * times at most, after a call of 'start' with 'aux', as before the first.
 * 'start' may be NULL.
 *
 * Returns 0 or a positive errno value, EAGAIN if what 'cb' got is right, but
 * something can be missing. */
int
bigtcp_nl_dump(int protocol, const struct ofpbuf *request,
               void (*start)(void *aux),
               void (*cb)(struct ofpbuf *reply, void *aux), void *aux)
{
    struct nl_sock *sock;
    int error;

    error = get_sock(protocol, &sock);
    if (error) {
        return error;
    }
    for (int tries = 0; tries < BIGTCP_NL_DUMP_TRIES; tries++) {
        if (start) {
            start(aux);
        }
        error = dump_once(sock, request, cb, aux);
        if (error != EAGAIN) {
            return error;
        }
        COVERAGE_INC(bigtcp_dump_interrupted);
    }
    return EAGAIN;
}
