/* SPDX-License-Identifier: Apache-2.0 */

/* Says in a few lines what happened to many devices. */

#include <config.h>

#include "bigtcp/news.h"

#include <string.h>

#include "hash.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/hmap.h"
#include "svec.h"
#include "util.h"

/* Devices to which the same happened. */
struct group {
    struct hmap_node node;      /* By what happened. */
    const struct bigtcp_news *news; /* Of the one of them whose name is the
                                     * smallest. */
    size_t n;                   /* How many they are. */
};

/* Appends to 'ds' what happened to the device of 'news', without its name. */
static void
format_what(const struct bigtcp_news *news, struct ds *ds)
{
    const char *separator = ": ";

    ds_put_cstr(ds, (news->managed ? bigtcp_state_to_string(news->state)
                     : "not managed"));
    BIGTCP_FOR_EACH_ATTR (attr) {
        if (bigtcp_sizes_has(&news->before, attr)
            && news->before.value[attr] != news->after.value[attr]) {
            ds_put_cstr(ds, separator);
            ds_put_cstr(ds, bigtcp_attr_to_string(attr));
            ds_put_char(ds, ' ');
            bigtcp_put_uint(ds, news->before.value[attr]);
            ds_put_cstr(ds, " -> ");
            bigtcp_put_uint(ds, news->after.value[attr]);
            separator = ", ";
        }
    }
    if (news->reason[0]) {
        ds_put_format(ds, " (%s)", news->reason);
    }
}

/* Appends to 'ds' what happened to the device of 'news'. */
void
bigtcp_news_format_one(const struct bigtcp_news *news, struct ds *ds)
{
    ds_put_format(ds, "%s: ", news->device);
    format_what(news, ds);
}

static uint32_t
hash_what(const struct bigtcp_news *news)
{
    uint32_t hash = hash_2words(news->managed, news->state);

    hash = hash_bytes(&news->before, sizeof news->before, hash);
    hash = hash_bytes(&news->after, sizeof news->after, hash);
    return hash_string(news->reason, hash);
}

static bool
is_same(const struct bigtcp_news *a, const struct bigtcp_news *b)
{
    return (a->managed == b->managed
            && a->state == b->state
            && !memcmp(&a->before, &b->before, sizeof a->before)
            && !memcmp(&a->after, &b->after, sizeof a->after)
            && !strcmp(a->reason, b->reason));
}

/* Puts 'news' into the group in 'groups' that it belongs to.  If there is
 * none, makes 'group' that. */
static struct group *
group_add(struct hmap *groups, const struct bigtcp_news *news,
          struct group *group)
{
    uint32_t hash = hash_what(news);
    struct group *g;

    HMAP_FOR_EACH_WITH_HASH (g, node, hash, groups) {
        if (is_same(g->news, news)) {
            g->n++;
            if (strcmp(news->device, g->news->device) < 0) {
                g->news = news;
            }
            return g;
        }
    }
    hmap_insert(groups, &group->node, hash);
    group->news = news;
    group->n = 1;
    return group;
}

/* Adds to 'lines' what happened to the devices of the 'n' elements of 'news':
 * a line for each or, if they are more than BIGTCP_NEWS_EACH, one for all to
 * which the same happened. */
void
bigtcp_news_format(const struct bigtcp_news *news, size_t n,
                   struct svec *lines)
{
    bool summarize = n > BIGTCP_NEWS_EACH;
    struct group *array = xcalloc(n, sizeof *array);
    struct hmap groups = HMAP_INITIALIZER(&groups);
    size_t n_groups = 0;

    for (size_t i = 0; i < n; i++) {
        struct group *group = &array[n_groups];

        if (!summarize) {
            group->news = &news[i];
            group->n = 1;
        }
        if (!summarize || group_add(&groups, &news[i], group) == group) {
            n_groups++;
        }
    }
    for (size_t i = 0; i < n_groups; i++) {
        struct ds ds = DS_EMPTY_INITIALIZER;

        if (array[i].n == 1) {
            bigtcp_news_format_one(array[i].news, &ds);
        } else {
            ds_put_format(&ds, "%s and %"PRIuSIZE" other device%s: ",
                          array[i].news->device, array[i].n - 1,
                          array[i].n > 2 ? "s" : "");
            format_what(array[i].news, &ds);
        }
        svec_add_nocopy(lines, ds_steal_cstr(&ds));
    }
    hmap_destroy(&groups);
    free(array);
}
