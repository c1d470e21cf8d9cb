/* SPDX-License-Identifier: Apache-2.0 */

#include <config.h>

#include "bigtcp/nl.h"

#include <errno.h>

#include "bigtcp/provider.h"
#include "netlink.h"
#include "netlink-socket.h"
#include "openvswitch/ofpbuf.h"
#include "util.h"

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
        error = nl_sock_recv(sock, reply, NULL, true);
    }
    if (!error && nl_msg_nlmsgerr(reply, &nlmsg_error, &text)) {
        error = nlmsg_error;
    }
    if (message) {
        *message = nullable_xstrdup(text);
    }
    return error;
}

/* Sends 'request', which the kernel refused before, once more for the text
 * that it gives as the reason.  Returns 0 or a positive errno value, and
 * stores in '*message' the text or NULL. */
static int
repeat_for_message(int protocol, const struct ofpbuf *request, char **message)
{
    struct ofpbuf *reply;
    struct nl_sock *sock;
    int error;

    *message = NULL;
    error = nl_sock_create(protocol, &sock);
    if (!error) {
        reply = ofpbuf_new(1024);
        error = bigtcp_nl_exchange(sock, request, reply, message);
        ofpbuf_delete(reply);
        nl_sock_destroy(sock);
    }
    return error;
}

/* Sends the 'n' requests in 'requests' by 'protocol', of which each changes
 * the device of the access of the same number, in one batch.  Fills in 'error'
 * and 'message' of each access, and frees the requests. */
void
bigtcp_nl_set(int protocol, struct bigtcp_access *accesses[],
              struct ofpbuf *requests[], size_t n)
{
    struct nl_transaction *txns = xcalloc(n, sizeof *txns);
    struct nl_transaction **txnps = xcalloc(n, sizeof *txnps);

    for (size_t i = 0; i < n; i++) {
        txns[i].request = requests[i];
        txnps[i] = &txns[i];
    }
    nl_transact_multiple(protocol, txnps, n);

    for (size_t i = 0; i < n; i++) {
        accesses[i]->error = txns[i].error;
        accesses[i]->message = NULL;
        if (txns[i].error && txns[i].error != ENODEV) {
            accesses[i]->error = repeat_for_message(protocol, requests[i],
                                                    &accesses[i]->message);
        }
        ofpbuf_delete(requests[i]);
    }
    free(txns);
    free(txnps);
}
