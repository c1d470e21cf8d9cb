/* SPDX-License-Identifier: Apache-2.0 */

/* Size classes of packets, and what was counted as text and as JSON. */

#include <config.h>

#include "bigtcp/counts.h"

#include <inttypes.h>

#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "util.h"

#define FOR_EACH_DIRECTION(VAR)                                 \
    for (enum bigtcp_direction VAR = 0; VAR < BIGTCP_N_DIRECTIONS; \
         VAR++)
#define FOR_EACH_FAMILY(VAR)                                    \
    for (enum bigtcp_family VAR = 0; VAR < BIGTCP_N_FAMILIES;   \
         VAR++)
#define FOR_EACH_SIZE_CLASS(VAR)                                        \
    for (enum bigtcp_size_class VAR = 0; VAR < BIGTCP_N_SIZE_CLASSES;   \
         VAR++)

const char *
bigtcp_direction_to_string(enum bigtcp_direction direction)
{
    static const char *const names[BIGTCP_N_DIRECTIONS] = {
#define BIGTCP_DIRECTION(ENUM, NAME) [BIGTCP_##ENUM] = #NAME,
        BIGTCP_DIRECTIONS
#undef BIGTCP_DIRECTION
    };

    return names[direction];
}

const char *
bigtcp_family_to_string(enum bigtcp_family family)
{
    static const char *const names[BIGTCP_N_FAMILIES] = {
#define BIGTCP_FAMILY(ENUM, NAME) [BIGTCP_##ENUM] = #NAME,
        BIGTCP_FAMILIES
#undef BIGTCP_FAMILY
    };

    return names[family];
}

const char *
bigtcp_size_class_to_string(enum bigtcp_size_class size_class)
{
    static const char *const names[BIGTCP_N_SIZE_CLASSES] = {
#define BIGTCP_SIZE_CLASS(ENUM, NAME, BOUND) [BIGTCP_SIZE_##ENUM] = NAME,
        BIGTCP_SIZE_CLASSES
#undef BIGTCP_SIZE_CLASS
    };

    return names[size_class];
}

/* Returns the smallest length that is too large for 'size_class', 0 for the
 * class that does not depend on it. */
uint32_t
bigtcp_size_class_bound(enum bigtcp_size_class size_class)
{
    static const uint32_t bounds[BIGTCP_N_SIZE_CLASSES] = {
#define BIGTCP_SIZE_CLASS(ENUM, NAME, BOUND) [BIGTCP_SIZE_##ENUM] = BOUND,
        BIGTCP_SIZE_CLASSES
#undef BIGTCP_SIZE_CLASS
    };

    return bounds[size_class];
}

/* Returns the class of a packet of 'length' bytes without Ethernet header and
 * VLAN tags, which is a GSO packet if 'gso' is true. */
enum bigtcp_size_class
bigtcp_size_classify(uint32_t length, bool gso)
{
    enum bigtcp_size_class size_class = BIGTCP_SIZE_MSS;

    if (gso) {
        do {
            size_class++;
        } while (size_class < BIGTCP_N_SIZE_CLASSES - 1
                 && length >= bigtcp_size_class_bound(size_class));
    }
    return size_class;
}

/* Adds 'b' to 'a'. */
void
bigtcp_count_add(struct bigtcp_count *a, const struct bigtcp_count *b)
{
    a->packets += b->packets;
    a->bytes += b->bytes;
    a->largest = MAX(a->largest, b->largest);
}

/* Stores in 'all' what 'counts' has for 'direction' and 'family'. */
static void
sum_family(const struct bigtcp_counts *counts,
           enum bigtcp_direction direction, enum bigtcp_family family,
           struct bigtcp_count *all)
{
    *all = (struct bigtcp_count) { .packets = 0 };
    FOR_EACH_SIZE_CLASS (class) {
        bigtcp_count_add(all, &counts->count[bigtcp_count_index(
                                  direction, family, class)]);
    }
}

/* Stores in 'all' what 'counts' has for 'direction', and in 'big' how much of
 * that is packets above 64 kB. */
void
bigtcp_counts_sum(const struct bigtcp_counts *counts,
                  enum bigtcp_direction direction, struct bigtcp_count *all,
                  struct bigtcp_count *big)
{
    *all = *big = (struct bigtcp_count) { .packets = 0 };
    FOR_EACH_FAMILY (family) {
        FOR_EACH_SIZE_CLASS (class) {
            const struct bigtcp_count *c = &counts->count[
                bigtcp_count_index(direction, family, class)];

            bigtcp_count_add(all, c);
            if (class > BIGTCP_SIZE_64K) {
                bigtcp_count_add(big, c);
            }
        }
    }
}

static double
percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * part / whole : 0;
}

/* Returns how much of the bytes in 'counts', both directions together, is in
 * packets above 64 kB, in percent; 0 if there are none. */
double
bigtcp_counts_share(const struct bigtcp_counts *counts)
{
    struct bigtcp_count all[BIGTCP_N_DIRECTIONS], big[BIGTCP_N_DIRECTIONS];

    FOR_EACH_DIRECTION (direction) {
        bigtcp_counts_sum(counts, direction, &all[direction],
                          &big[direction]);
    }
    return percent(big[BIGTCP_SENT].bytes + big[BIGTCP_RECEIVED].bytes,
                   all[BIGTCP_SENT].bytes + all[BIGTCP_RECEIVED].bytes);
}

/* Appends to 'ds' a table of 'counts', a line for each direction, family and
 * size class that has packets, indented by two. */
void
bigtcp_counts_format(const struct bigtcp_counts *counts, struct ds *ds)
{
    bool header = false;

    FOR_EACH_DIRECTION (direction) {
        struct bigtcp_count all, big;

        bigtcp_counts_sum(counts, direction, &all, &big);
        FOR_EACH_FAMILY (family) {
            FOR_EACH_SIZE_CLASS (class) {
                const struct bigtcp_count *c = &counts->count[
                    bigtcp_count_index(direction, family, class)];

                if (!c->packets) {
                    continue;
                }
                if (!header) {
                    header = true;
                    ds_put_format(ds, "  %-9s  %-6s  %-5s  %12s  %16s  %7s  "
                                  "%7s\n", "direction", "family", "class",
                                  "packets", "bytes", "share", "largest");
                }
                ds_put_format(ds, "  %-9s  %-6s  %-5s  %12"PRIu64"  "
                              "%16"PRIu64"  %6.1f%%  %7"PRIu64"\n",
                              bigtcp_direction_to_string(direction),
                              bigtcp_family_to_string(family),
                              bigtcp_size_class_to_string(class),
                              c->packets, c->bytes,
                              percent(c->bytes, all.bytes), c->largest);
            }
        }
    }
    if (!header) {
        ds_put_cstr(ds, "  no packets\n");
    }
}

static struct json *
count_to_json(const struct bigtcp_count *count)
{
    struct json *json = json_object_create();

    json_object_put(json, "packets", json_integer_create(count->packets));
    json_object_put(json, "bytes", json_integer_create(count->bytes));
    json_object_put(json, "largest", json_integer_create(count->largest));
    return json;
}

/* Adds 'counts' to the JSON object 'json': a member for each direction, in it
 * one for each family, in that the sum and member "classes" with one for each
 * size class. */
void
bigtcp_counts_to_json(const struct bigtcp_counts *counts, struct json *json)
{
    FOR_EACH_DIRECTION (direction) {
        struct json *families = json_object_create();

        FOR_EACH_FAMILY (family) {
            struct json *classes = json_object_create();
            struct bigtcp_count all;
            struct json *object;

            FOR_EACH_SIZE_CLASS (class) {
                json_object_put(classes, bigtcp_size_class_to_string(class),
                                count_to_json(&counts->count[
                                    bigtcp_count_index(direction, family,
                                                       class)]));
            }
            sum_family(counts, direction, family, &all);
            object = count_to_json(&all);
            json_object_put(object, "classes", classes);
            json_object_put(families, bigtcp_family_to_string(family),
                            object);
        }
        json_object_put(json, bigtcp_direction_to_string(direction),
                        families);
    }
}
