/* SPDX-License-Identifier: Apache-2.0 */

/* Sizes and links. */

#include <config.h>

#include "bigtcp/types.h"

#include <string.h>

#include "openvswitch/dynamic-string.h"
#include "openvswitch/util.h"
#include "util.h"

static const char *attr_names[BIGTCP_N_ATTRS] = {
#define BIGTCP_ATTR(ENUM, NAME) [BIGTCP_##ENUM] = #NAME,
    BIGTCP_ATTRS
#undef BIGTCP_ATTR
};

/* Returns the kernel's name of 'attr', e.g. "gso_max_size". */
const char *
bigtcp_attr_to_string(enum bigtcp_attr attr)
{
    return attr_names[attr];
}

/* Stores the attribute called 'name' in '*attr'.  Returns false if there is
 * none. */
bool
bigtcp_attr_from_string(const char *name, enum bigtcp_attr *attr)
{
    BIGTCP_FOR_EACH_ATTR (i) {
        if (!strcmp(name, attr_names[i])) {
            *attr = i;
            return true;
        }
    }
    return false;
}

/* Returns the name of 'offload' as 'ethtool -k' prints it. */
const char *
bigtcp_offload_to_string(enum bigtcp_offload offload)
{
    switch (offload) {
#define BIGTCP_OFFLOAD(ENUM, NAME) case BIGTCP_OFFLOAD_##ENUM: return NAME;
    BIGTCP_OFFLOADS
#undef BIGTCP_OFFLOAD
    case BIGTCP_N_OFFLOADS:
        break;
    }
    OVS_NOT_REACHED();
}

/* Returns true if 'a' and 'b' have the same attributes and values. */
bool
bigtcp_sizes_equal(const struct bigtcp_sizes *a, const struct bigtcp_sizes *b)
{
    if (a->present != b->present) {
        return false;
    }
    BIGTCP_FOR_EACH_ATTR (attr) {
        if (bigtcp_sizes_has(a, attr) && a->value[attr] != b->value[attr]) {
            return false;
        }
    }
    return true;
}

/* Appends 'value' to 'ds' in decimal.  Where there are thousands of devices
 * with some numbers each, ds_put_format() takes most of the time. */
void
bigtcp_put_uint(struct ds *ds, uint32_t value)
{
    char digits[10];
    size_t n = 0;

    do {
        digits[sizeof digits - ++n] = '0' + value % 10;
        value /= 10;
    } while (value);
    ds_put_buffer(ds, &digits[sizeof digits - n], n);
}

/* Appends 'sizes' to 'ds' as "name=value" pairs separated by a space. */
void
bigtcp_sizes_format(const struct bigtcp_sizes *sizes, struct ds *ds)
{
    const char *separator = "";

    BIGTCP_FOR_EACH_ATTR (attr) {
        if (bigtcp_sizes_has(sizes, attr)) {
            ds_put_cstr(ds, separator);
            ds_put_cstr(ds, attr_names[attr]);
            ds_put_char(ds, '=');
            bigtcp_put_uint(ds, sizes->value[attr]);
            separator = " ";
        }
    }
}

/* Returns true if a device can have 'value' of 'attr'.  GRO sizes have no
 * lower bound. */
static bool
is_possible(enum bigtcp_attr attr, uint32_t value)
{
    switch (attr) {
    case BIGTCP_GSO_MAX_SEGS:
        return value >= 1 && value <= BIGTCP_MAX_SEGS;
    case BIGTCP_GRO_MAX_SIZE:
    case BIGTCP_GRO_IPV4_MAX_SIZE:
        return value <= BIGTCP_MAX_SIZE;
    case BIGTCP_TSO_MAX_SIZE:
    case BIGTCP_GSO_MAX_SIZE:
    case BIGTCP_GSO_IPV4_MAX_SIZE:
        return value >= BIGTCP_FLOOR_SIZE && value <= BIGTCP_MAX_SIZE;
    case BIGTCP_N_ATTRS:
        break;
    }
    OVS_NOT_REACHED();
}

/* Parses what bigtcp_sizes_format() wrote into 'sizes'.  Pairs with an
 * unknown name are passed over.  Returns false, with 'sizes' empty, if 's' is
 * anything else, or if no device can have one of the values. */
bool
bigtcp_sizes_parse(struct bigtcp_sizes *sizes, const char *s)
{
    char *copy = xstrdup(s);
    char *save_ptr = NULL;
    bool ok = true;

    memset(sizes, 0, sizeof *sizes);
    for (char *pair = strtok_r(copy, " ", &save_ptr); pair;
         pair = strtok_r(NULL, " ", &save_ptr)) {
        char *value = strchr(pair, '=');
        enum bigtcp_attr attr;
        unsigned int number;

        if (!value) {
            ok = false;
            break;
        }
        *value++ = '\0';
        if (!str_to_uint(value, 10, &number)) {
            ok = false;
            break;
        }
        if (bigtcp_attr_from_string(pair, &attr)) {
            if (!is_possible(attr, number)) {
                ok = false;
                break;
            }
            bigtcp_sizes_set(sizes, attr, number);
        }
    }
    if (!ok) {
        memset(sizes, 0, sizeof *sizes);
    }
    free(copy);
    return ok;
}

/* Returns the largest GSO size, in bytes, that the kernel lets 'link' have.
 * A kernel that reports no tso_max_size (before 5.19) accepts more than the
 * driver can take, but nothing above BIGTCP_LEGACY_SIZE makes sense there. */
uint32_t
bigtcp_link_ceiling(const struct bigtcp_link *link)
{
    return (bigtcp_sizes_has(&link->sizes, BIGTCP_TSO_MAX_SIZE)
            ? link->sizes.value[BIGTCP_TSO_MAX_SIZE]
            : BIGTCP_LEGACY_SIZE);
}

/* Returns true if 'link' is that of an internal port. */
bool
bigtcp_link_is_internal(const struct bigtcp_link *link)
{
    return !strcmp(link->kind, BIGTCP_KIND_INTERNAL);
}

/* Returns true if the kernel says the same in 'a' and 'b'. */
bool
bigtcp_link_equal(const struct bigtcp_link *a, const struct bigtcp_link *b)
{
    return (!strcmp(a->name, b->name)
            && a->ifindex == b->ifindex
            && a->netnsid == b->netnsid
            && a->settable == b->settable
            && !strcmp(a->kind, b->kind)
            && !strcmp(a->qdisc, b->qdisc)
            && a->tso_max_segs == b->tso_max_segs
            && a->features == b->features
            && a->mtu == b->mtu
            && a->carries == b->carries
            && a->carries_error == b->carries_error
            && bigtcp_sizes_equal(&a->sizes, &b->sizes));
}
