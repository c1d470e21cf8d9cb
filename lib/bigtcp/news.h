/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_NEWS_H
#define BIGTCP_NEWS_H 1

/* What the log is told of devices.  Nothing here does I/O. */

#include <stdbool.h>
#include <stddef.h>

#include "bigtcp/report.h"
#include "bigtcp/types.h"

struct ds;
struct svec;

/* The most devices of one commit that get a line each. */
enum { BIGTCP_NEWS_EACH = 10 };

/* What a commit changed on one device. */
struct bigtcp_news {
    const char *device;         /* Name. */
    bool managed;               /* A port asks something of it. */
    enum bigtcp_state state;    /* If 'managed'... */
    const char *reason;         /* ...and why, "" for none. */
    struct bigtcp_sizes before; /* Sizes before... */
    struct bigtcp_sizes after;  /* ...and after. */
};

void bigtcp_news_format(const struct bigtcp_news *, size_t n,
                        struct svec *lines);
void bigtcp_news_format_one(const struct bigtcp_news *, struct ds *);

#endif /* lib/bigtcp/news.h */
