/* SPDX-License-Identifier: Apache-2.0 */

/* Request and response over one TCP connection, one transaction at a time:
 * what netperf calls TCP_RR.  ovs-bigtcp-bench runs both ends of it.
 *
 * A transaction takes from the call that sends the request to the arrival of
 * the response's last byte, and the next one begins at once.  As in netperf,
 * socket options of the connection are left alone, and each end reads until it
 * has all bytes.  First of all the client sends a struct header. */

#include <config.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "command-line.h"
#include "openvswitch/json.h"
#include "packets.h"
#include "socket-util.h"
#include "timeval.h"
#include "util.h"

#define MAX_SIZE (1024 * 1024 * 1024)   /* Bytes one way. */
#define MIN_SECONDS 0.001
#define MAX_SECONDS 86400.0

/* How many bytes each transaction has. */
struct header {
    ovs_be32 request;
    ovs_be32 response;
};

/* Nanoseconds that each transaction took. */
struct times {
    uint64_t *ns;
    size_t n, allocated;
    uint64_t total;             /* All of them together. */
};

/* Sends the 'size' bytes at 'data'.  Returns 0 or a positive errno. */
static int
send_all(int fd, const void *data, size_t size)
{
    const char *p = data;

    while (size) {
        ssize_t n = send(fd, p, size, MSG_NOSIGNAL);

        if (n >= 0) {
            p += n;
            size -= n;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* Receives 'size' bytes into 'data'.  Returns 0, a positive errno, or EOF if
 * the other end closed the connection before. */
static int
receive_all(int fd, void *data, size_t size)
{
    char *p = data;

    while (size) {
        ssize_t n = recv(fd, p, size, MSG_WAITALL);

        if (n > 0) {
            p += n;
            size -= n;
        } else if (!n) {
            return EOF;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

static unsigned int
parse_number(const char *what, const char *s, unsigned int min,
             unsigned int max)
{
    unsigned int value;

    if (!str_to_uint(s, 10, &value) || value < min || value > max) {
        ovs_fatal(0, "%s '%s' is not a number from %u to %u",
                  what, s, min, max);
    }
    return value;
}

/* Returns nanoseconds. */
static uint64_t
parse_seconds(const char *what, const char *s, double min)
{
    double value;

    /* Written so that no NaN passes. */
    if (!str_to_double(s, &value) || !(value >= min && value <= MAX_SECONDS)) {
        ovs_fatal(0, "%s '%s' is not a number from %g to %g",
                  what, s, min, MAX_SECONDS);
    }
    return value * 1e9;
}

/* Sets '*ss' to 'address' and 'port'.  Returns its length. */
static socklen_t
parse_address(const char *address, const char *port, unsigned int min_port,
              struct sockaddr_storage *ss)
{
    unsigned int number = parse_number("port", port, min_port, UINT16_MAX);
    struct sockaddr_in *sin = ALIGNED_CAST(struct sockaddr_in *, ss);
    struct sockaddr_in6 *sin6 = ALIGNED_CAST(struct sockaddr_in6 *, ss);

    memset(ss, 0, sizeof *ss);
    if (ip_parse(address, &sin->sin_addr.s_addr)) {
        sin->sin_family = AF_INET;
        sin->sin_port = htons(number);
        return sizeof *sin;
    } else if (ipv6_parse(address, &sin6->sin6_addr)) {
        sin6->sin6_family = AF_INET6;
        sin6->sin6_port = htons(number);
        return sizeof *sin6;
    }
    ovs_fatal(0, "address '%s' is neither one of IPv4 nor of IPv6", address);
}

/* Answers what comes from 'fd' until the other end closes it or breaks it off:
 * that is the client's to report. */
static void
serve(int fd)
{
    char *request, *response;
    struct header header;
    uint32_t n, m;

    if (receive_all(fd, &header, sizeof header)) {
        return;
    }
    n = ntohl(header.request);
    m = ntohl(header.response);
    if (!n || n > MAX_SIZE || !m || m > MAX_SIZE) {
        ovs_error(0, "a client asks for %"PRIu32" and %"PRIu32" bytes, "
                  "not 1 to %d", n, m, MAX_SIZE);
        return;
    }

    request = xmalloc(n);
    response = xzalloc(m);
    while (!receive_all(fd, request, n) && !send_all(fd, response, m)) {
        continue;
    }
    free(request);
    free(response);
}

/* "server ADDRESS PORT".  Prints the port, which the kernel chooses if PORT is
 * 0, as soon as it listens. */
static void
cmd_server(struct ovs_cmdl_context *ctx)
{
    struct sockaddr_storage ss;
    socklen_t len = parse_address(ctx->argv[1], ctx->argv[2], 0, &ss);
    int fd = socket(ss.ss_family, SOCK_STREAM, 0);
    int on = 1;

    if (fd < 0) {
        ovs_fatal(errno, "cannot create a socket");
    }
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on)
        || bind(fd, (struct sockaddr *) &ss, len)
        || listen(fd, 10)
        || getsockname(fd, (struct sockaddr *) &ss, &len)) {
        ovs_fatal(errno, "cannot listen at %s port %s",
                  ctx->argv[1], ctx->argv[2]);
    }
    printf("%"PRIu16"\n", ss_get_port(&ss));
    fflush(stdout);

    for (;;) {
        int conn = accept(fd, NULL, NULL);

        if (conn >= 0) {
            serve(conn);
            close(conn);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            ovs_fatal(errno, "cannot accept a connection");
        }
    }
}

static uint64_t
now_ns(void)
{
    struct timespec ts;

    xclock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

/* Exchanges 'size' bytes either way over 'fd' until 'limit' nanoseconds have
 * passed.  Replaces 'times'. */
static void
transact(int fd, const void *request, void *response, size_t size,
         uint64_t limit, struct times *times)
{
    uint64_t begun = now_ns();
    uint64_t now = begun;

    times->n = 0;
    while (now - begun < limit) {
        uint64_t before = now;
        int error = send_all(fd, request, size);

        if (!error) {
            error = receive_all(fd, response, size);
        }
        if (error == EOF) {
            ovs_fatal(0, "the other end closed the connection");
        } else if (error) {
            ovs_fatal(error, "the connection broke");
        }
        now = now_ns();
        if (times->n == times->allocated) {
            times->ns = x2nrealloc(times->ns, &times->allocated,
                                   sizeof *times->ns);
        }
        times->ns[times->n++] = now - before;
    }
    times->total = now - begun;
}

static int
compare_ns(const void *a_, const void *b_)
{
    const uint64_t *a = a_;
    const uint64_t *b = b_;

    return *a < *b ? -1 : *a > *b;
}

/* Adds 'ns' to 'json' in microseconds. */
static void
put_latency(struct json *json, const char *name, double ns)
{
    json_object_put(json, name, json_real_create(ns / 1e3));
}

/* Prints transactions a second and latencies.  A percentile is the smallest of
 * 'times' such that so many of a hundred are not above it.  Sorts 'times'. */
static void
print_summary(struct times *times)
{
    static const int percents[] = { 50, 90, 99 };
    struct json *json = json_object_create();
    size_t n = times->n;
    char *text;

    qsort(times->ns, n, sizeof *times->ns, compare_ns);
    json_object_put(json, "transactions", json_integer_create(n));
    json_object_put(json, "transactions_per_second",
                    json_real_create(n / (times->total / 1e9)));
    put_latency(json, "latency_min", times->ns[0]);
    /* One begins when the one before it ends. */
    put_latency(json, "latency_mean", (double) times->total / n);
    for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
        size_t rank = DIV_ROUND_UP(n * percents[i], 100);
        char *name = xasprintf("latency_p%d", percents[i]);

        put_latency(json, name, times->ns[rank - 1]);
        free(name);
    }
    text = json_to_string(json, JSSF_SORT);
    puts(text);
    free(text);
    json_destroy(json);
}

/* "client ADDRESS PORT SIZE OMIT SECONDS". */
static void
cmd_client(struct ovs_cmdl_context *ctx)
{
    struct sockaddr_storage ss;
    socklen_t len = parse_address(ctx->argv[1], ctx->argv[2], 1, &ss);
    uint32_t size = parse_number("size", ctx->argv[3], 1, MAX_SIZE);
    uint64_t omit = parse_seconds("seconds to omit", ctx->argv[4], 0);
    uint64_t limit = parse_seconds("seconds", ctx->argv[5], MIN_SECONDS);
    struct header header = { htonl(size), htonl(size) };
    int fd = socket(ss.ss_family, SOCK_STREAM, 0);
    struct times times = { .ns = NULL };
    void *request, *response;
    int error;

    if (fd < 0) {
        ovs_fatal(errno, "cannot create a socket");
    }
    if (connect(fd, (struct sockaddr *) &ss, len)) {
        ovs_fatal(errno, "cannot connect to %s port %s",
                  ctx->argv[1], ctx->argv[2]);
    }
    error = send_all(fd, &header, sizeof header);
    if (error) {
        ovs_fatal(error, "the connection broke");
    }

    request = xzalloc(size);
    response = xmalloc(size);
    transact(fd, request, response, size, omit, &times);
    transact(fd, request, response, size, limit, &times);
    close(fd);
    print_summary(&times);
    free(times.ns);
    free(request);
    free(response);
}

static const struct ovs_cmdl_command commands[] = {
    { "server", "ADDRESS PORT", 2, 2, cmd_server, OVS_RO },
    { "client", "ADDRESS PORT SIZE OMIT SECONDS", 5, 5, cmd_client, OVS_RO },
    { NULL, NULL, 0, 0, NULL, OVS_RO },
};

static void
usage(void)
{
    printf("%s: requests and responses over TCP, for ovs-bigtcp-bench(8)\n"
           "usage: %s server ADDRESS PORT\n"
           "       %s client ADDRESS PORT SIZE OMIT SECONDS\n"
           "SIZE in bytes, one way; transactions of the first OMIT seconds do "
           "not count\n",
           program_name, program_name, program_name);
}

int
main(int argc, char *argv[])
{
    static const struct option options[] = {
        { "help", no_argument, NULL, 'h' },
        { "version", no_argument, NULL, 'V' },
        { NULL, 0, NULL, 0 },
    };
    struct ovs_cmdl_context ctx = { .argc = 0 };

    set_program_name(argv[0]);
    for (;;) {
        int c = getopt_long(argc, argv, "+hV", options, NULL);

        if (c == -1) {
            break;
        } else if (c == 'h') {
            usage();
            return 0;
        } else if (c == 'V') {
            ovs_print_version(0, 0);
            return 0;
        } else {
            return EXIT_FAILURE;
        }
    }
    if (optind == argc) {
        ovs_fatal(0, "missing command name; use --help for help");
    }
    ctx.argc = argc - optind;
    ctx.argv = argv + optind;
    ovs_cmdl_run_command(&ctx, commands);
    return 0;
}
