/* SPDX-License-Identifier: Apache-2.0 */

/* Which hop stops big packets, as text and as JSON. */

#include <config.h>

#include "bigtcp/path.h"

#include <inttypes.h>
#include <stdlib.h>

#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "util.h"

static const char *const family_names[] = {
    [BIGTCP_PATH_IPV4] = "ipv4",
    [BIGTCP_PATH_IPV6] = "ipv6",
    [BIGTCP_PATH_OTHER] = "other",
};

/* Appends to 'ds' what 'dev' is called. */
static void
format_device(const struct bigtcp_path_device *dev, struct ds *ds)
{
    if (!dev->port) {
        ds_put_format(ds, "device %s", dev->device);
    } else {
        ds_put_format(ds, "port %s of %s (device %s)", dev->port, dev->bridge,
                      dev->device);
    }
}

static void
format_steps(const struct bigtcp_path_steps *steps, struct ds *ds)
{
    for (size_t i = 0; i < steps->n; i++) {
        const struct bigtcp_path_step *step = &steps->steps[i];

        ds_put_format(ds, "%s%s", i ? ", " : "", step->action);
        if (step->detail) {
            ds_put_format(ds, "(%s)", step->detail);
        }
    }
}

/* Appends to 'ds' what 'hop' looked at. */
static void
format_hop(const struct bigtcp_path_hop *hop, struct ds *ds)
{
    switch (hop->verdict) {
    case BIGTCP_PATH_PASSES:
        ds_put_cstr(ds, (hop->hands_up ? "handed to the stack, of any size"
                         : "no size is looked at"));
        break;
    case BIGTCP_PATH_UNKNOWN:
        ds_put_cstr(ds, "its sizes cannot be read");
        break;
    case BIGTCP_PATH_SIZE:
        ds_put_format(ds, "%s %"PRIu32, bigtcp_attr_to_string(hop->attr),
                      hop->limit);
        break;
    case BIGTCP_PATH_CARRIES:
        ds_put_format(ds, "this kernel's %s carries %"PRIu32,
                      hop->dev->link->kind, hop->limit);
        break;
    case BIGTCP_PATH_OFFLOAD:
        ds_put_format(ds, "no %s", bigtcp_offload_to_string(hop->offload));
        break;
    case BIGTCP_PATH_TAGS:
        ds_put_cstr(ds, "two VLAN tags");
        break;
    case BIGTCP_PATH_LABELS:
        ds_put_cstr(ds, "MPLS labels");
        break;
    }
}

/* Appends to 'ds' what decides for 'copy', for a sentence. */
static void
format_decider(const struct bigtcp_path_copy *copy, struct ds *ds)
{
    if (copy->by < copy->n_hops) {
        const struct bigtcp_path_hop *hop = &copy->hops[copy->by];

        format_device(hop->dev, ds);
        ds_put_cstr(ds, ": ");
        format_hop(hop, ds);
    } else if (copy->effect == BIGTCP_PATH_TRUNCATED) {
        ds_put_format(ds, "trunc(%"PRIu32") before ",
                      copy->hops[0].packet.max_len);
        format_device(copy->hops[0].dev, ds);
    } else if (copy->slow) {
        ds_put_format(ds, "the slow path (%s)", copy->slow);
    } else {
        ds_put_cstr(ds, "user space");
    }
}

/* Appends to 'ds' what happens to what is larger than 'copy' lets pass. */
static void
format_effect(const struct bigtcp_path_copy *copy, struct ds *ds)
{
    switch (copy->effect) {
    case BIGTCP_PATH_WHOLE:
        ds_put_cstr(ds, "pass whole");
        break;
    case BIGTCP_PATH_SEGMENTED:
        ds_put_format(ds, "are segmented to the MSS at %s",
                      copy->hops[copy->by].dev->device);
        break;
    case BIGTCP_PATH_RESEGMENTED:
        ds_put_format(ds, "are cut into GSO packets that fit at %s",
                      copy->hops[copy->by].dev->device);
        break;
    case BIGTCP_PATH_TRUNCATED:
        ds_put_format(ds, "are truncated to %"PRIu32" bytes",
                      copy->hops[0].packet.max_len);
        break;
    case BIGTCP_PATH_PIECES:
        ds_put_cstr(ds, (copy->slow
                         ? "go through user space in pieces of an MSS"
                         : "are copied to user space in pieces of an MSS"));
        break;
    }
}

static void
format_size(uint32_t size, struct ds *ds)
{
    if (size == UINT32_MAX) {
        ds_put_cstr(ds, "any size");
    } else {
        ds_put_format(ds, "%"PRIu32" bytes", size);
    }
}

/* Appends to 'ds' what would change what decides for 'copy'. */
static void
format_remedy(const struct bigtcp_path_copy *copy, struct ds *ds)
{
    struct bigtcp_path_remedy remedy;

    bigtcp_path_find_remedy(copy, &remedy);
    if (remedy.key != BIGTCP_N_ATTRS) {
        const struct bigtcp_path_device *dev = copy->hops[copy->by].dev;
        const struct bigtcp_setting *setting
            = dev->settings ? &dev->settings->keys[remedy.key] : NULL;

        ds_put_format(ds, "ovs-vsctl set Interface %s other_config:%s"
                      "=%"PRIu32, dev->port,
                      bigtcp_attr_to_string(remedy.key), remedy.value);
        if (setting && setting->valid) {
            ds_put_cstr(ds, " (now ");
            bigtcp_value_format(remedy.key, setting->value, ds);
            ds_put_format(ds, ", %s)", bigtcp_row_to_string(setting->row));
        } else if (dev->settings && bigtcp_settings_is_auto(dev->settings)) {
            ds_put_format(
                ds, " (now bigtcp=auto, %s)",
                bigtcp_row_to_string(
                    dev->settings->keys[BIGTCP_KEY_MODE].row));
        }
    } else {
        ds_put_format(ds, "no key: %s", remedy.reason);
    }
    free(remedy.reason);
}

static void
format_copy(const struct bigtcp_path_copy *copy, size_t number, struct ds *ds)
{
    ds_put_format(ds, "%"PRIuSIZE". ", number);
    if (copy->n_hops) {
        format_device(copy->hops[0].dev, ds);
        if (copy->choice) {
            ds_put_cstr(ds, ", one of several");
        }
    } else {
        ds_put_cstr(ds, "user space");
    }
    ds_put_cstr(ds, ": ");
    format_size(copy->largest, ds);
    ds_put_char(ds, '\n');

    if (copy->steps.n) {
        ds_put_cstr(ds, "     after ");
        format_steps(&copy->steps, ds);
        ds_put_char(ds, '\n');
    }
    for (size_t i = 0; i < copy->n_hops; i++) {
        const struct bigtcp_path_hop *hop = &copy->hops[i];

        ds_put_cstr(ds, "     ");
        if (i) {
            format_device(hop->dev, ds);
            if (hop->tunnel != BIGTCP_PATH_NO_TUNNEL) {
                ds_put_format(ds, ", with %"PRIu32" bytes of encapsulation",
                              hop->overhead);
            }
            ds_put_cstr(ds, ": ");
        }
        format_hop(hop, ds);
        if (hop->packet.growth) {
            ds_put_format(ds, ", packets are %d bytes %s than at arrival",
                          abs(hop->packet.growth),
                          hop->packet.growth > 0 ? "longer" : "shorter");
        }
        ds_put_char(ds, '\n');
    }
    if (copy->effect != BIGTCP_PATH_WHOLE) {
        ds_put_cstr(ds, "     larger packets ");
        format_effect(copy, ds);
        ds_put_char(ds, '\n');
    }
}

/* Appends 'path', already decided, to 'ds' as text. */
void
bigtcp_path_format(const struct bigtcp_path *path, struct ds *ds)
{
    ds_put_format(ds, "Flow: %s\n", path->flow);
    ds_put_cstr(ds, "Arrives");
    if (path->sender) {
        ds_put_cstr(ds, " by ");
        format_device(path->sender, ds);
    }
    ds_put_cstr(ds, ": ");
    if (path->family == BIGTCP_PATH_OTHER) {
        ds_put_cstr(ds, "not IP, never larger than the MTU\n");
    } else {
        ds_put_format(ds, "%s, up to %"PRIu32" bytes",
                      path->family == BIGTCP_PATH_IPV6 ? "IPv6" : "IPv4",
                      path->arrives);
        if (path->sends != BIGTCP_N_ATTRS) {
            ds_put_format(ds, " (%s%s)", bigtcp_attr_to_string(path->sends),
                          path->tcp ? "" : ", not TCP");
        }
        ds_put_char(ds, '\n');
    }

    if (!path->n_copies) {
        ds_put_cstr(ds, "Leaves by no port: it is dropped\n");
    } else {
        ds_put_cstr(ds, "Leaves by:\n");
        for (size_t i = 0; i < path->n_copies; i++) {
            ds_put_cstr(ds, "  ");
            format_copy(&path->copies[i], i + 1, ds);
        }
        ds_put_cstr(ds, "Largest packet that passes whole: ");
        format_size(path->largest, ds);
        ds_put_char(ds, '\n');
    }
    if (path->by < path->n_copies) {
        const struct bigtcp_path_copy *copy = &path->copies[path->by];

        ds_put_cstr(ds, "Decided by: ");
        format_decider(copy, ds);
        ds_put_cstr(ds, "\nLarger packets ");
        format_effect(copy, ds);
        if (!bigtcp_path_is_exceeded(path)) {
            ds_put_cstr(ds, ", but none arrives");
        }
        ds_put_cstr(ds, "\nTo change it: ");
        format_remedy(copy, ds);
        ds_put_char(ds, '\n');
    }
    for (size_t i = 0; i < path->notes.n; i++) {
        const struct bigtcp_path_step *note = &path->notes.steps[i];

        ds_put_format(ds, "Note: %s\n", note->detail ? note->detail
                      : note->action);
    }
}

/* JSON. */

static void
json_put_uint(struct json *object, const char *name, uint32_t value)
{
    json_object_put(object, name, json_integer_create(value));
}

/* Adds 'size' to 'object', null if there is no limit. */
static void
json_put_size(struct json *object, const char *name, uint32_t size)
{
    json_object_put(object, name, (size == UINT32_MAX ? json_null_create()
                                   : json_integer_create(size)));
}

static void
json_put_bool(struct json *object, const char *name, bool value)
{
    json_object_put(object, name, json_boolean_create(value));
}

/* Adds what 'ds' holds to 'object' as a string, and empties 'ds'. */
static void
json_put_ds(struct json *object, const char *name, struct ds *ds)
{
    json_object_put_string(object, name, ds_cstr(ds));
    ds_clear(ds);
}

static struct json *
device_to_json(const struct bigtcp_path_device *dev)
{
    struct json *json = json_object_create();

    json_object_put_string(json, "device", dev->device);
    if (dev->port) {
        json_object_put_string(json, "port", dev->port);
        json_object_put_string(json, "bridge", dev->bridge);
        json_put_bool(json, "internal", dev->internal);
        json_put_bool(json, "managed", dev->managed);
    }
    return json;
}

static struct json *
steps_to_json(const struct bigtcp_path_steps *steps)
{
    struct json *json = json_array_create_empty();

    for (size_t i = 0; i < steps->n; i++) {
        const struct bigtcp_path_step *step = &steps->steps[i];
        struct json *object = json_object_create();

        json_object_put_string(object, "action", step->action);
        if (step->detail) {
            json_object_put_string(object, "detail", step->detail);
        }
        json_array_add(json, object);
    }
    return json;
}

static struct json *
hop_to_json(const struct bigtcp_path_hop *hop, struct ds *ds)
{
    struct json *json = device_to_json(hop->dev);

    if (hop->attr != BIGTCP_N_ATTRS) {
        json_object_put_string(json, "attribute",
                               bigtcp_attr_to_string(hop->attr));
    }
    if (hop->verdict == BIGTCP_PATH_SIZE
        || hop->verdict == BIGTCP_PATH_CARRIES) {
        json_put_uint(json, "limit", hop->limit);
    }
    if (hop->dev->link) {
        json_put_uint(json, "ceiling", bigtcp_link_ceiling(hop->dev->link));
    }
    format_hop(hop, ds);
    json_put_ds(json, "reason", ds);
    json_put_size(json, "largest", hop->largest);
    json_object_put(json, "growth", json_integer_create(hop->packet.growth));
    if (hop->tunnel != BIGTCP_PATH_NO_TUNNEL) {
        json_put_uint(json, "overhead", hop->overhead);
    }
    return json;
}

/* Adds to 'json' what 'copy' lets pass, by what, and the way out. */
static void
put_decision(const struct bigtcp_path_copy *copy, struct json *json,
             struct ds *ds)
{
    struct bigtcp_path_remedy remedy;

    json_put_size(json, "largest", copy->largest);
    json_object_put_string(json, "effect",
                           bigtcp_path_effect_to_string(copy->effect));
    if (copy->effect == BIGTCP_PATH_WHOLE) {
        return;
    }
    format_decider(copy, ds);
    json_put_ds(json, "decided_by", ds);

    bigtcp_path_find_remedy(copy, &remedy);
    if (remedy.key != BIGTCP_N_ATTRS) {
        const struct bigtcp_path_device *dev = copy->hops[copy->by].dev;
        const struct bigtcp_setting *setting
            = dev->settings ? &dev->settings->keys[remedy.key] : NULL;
        struct json *object = json_object_create();

        json_object_put_string(object, "interface", dev->port);
        json_object_put_string(object, "key",
                               bigtcp_attr_to_string(remedy.key));
        json_put_uint(object, "value", remedy.value);
        if (setting && setting->valid) {
            bigtcp_value_format(remedy.key, setting->value, ds);
            json_put_ds(object, "asked", ds);
            json_object_put_string(object, "row",
                                   bigtcp_row_to_string(setting->row));
        }
        json_object_put(json, "change", object);
    } else {
        json_object_put_string(json, "no_change", remedy.reason);
    }
    free(remedy.reason);
}

static struct json *
copy_to_json(const struct bigtcp_path_copy *copy, struct ds *ds)
{
    struct json *hops = json_array_create_empty();
    struct json *json = json_object_create();

    for (size_t i = 0; i < copy->n_hops; i++) {
        json_array_add(hops, hop_to_json(&copy->hops[i], ds));
    }
    json_object_put_string(json, "to", copy->n_hops ? "port" : "userspace");
    json_object_put(json, "steps", steps_to_json(&copy->steps));
    json_object_put(json, "hops", hops);
    json_put_bool(json, "choice", copy->choice);
    if (copy->slow) {
        json_object_put_string(json, "slow_path", copy->slow);
    }
    put_decision(copy, json, ds);
    return json;
}

/* Returns 'path', already decided, as a JSON object.  The caller owns it. */
struct json *
bigtcp_path_to_json(const struct bigtcp_path *path)
{
    struct json *copies = json_array_create_empty();
    struct json *notes = json_array_create_empty();
    struct json *json = json_object_create();
    struct ds ds = DS_EMPTY_INITIALIZER;
    struct json *arrival;

    json_object_put_string(json, "bridge", path->bridge);
    json_object_put_string(json, "flow", path->flow);
    json_object_put_string(json, "family", family_names[path->family]);
    json_put_bool(json, "tcp", path->tcp);

    arrival = (path->sender ? device_to_json(path->sender)
               : json_object_create());
    json_put_uint(arrival, "largest", path->arrives);
    if (path->sends != BIGTCP_N_ATTRS) {
        json_object_put_string(arrival, "attribute",
                               bigtcp_attr_to_string(path->sends));
    }
    json_object_put(json, "arrival", arrival);

    for (size_t i = 0; i < path->n_copies; i++) {
        json_array_add(copies, copy_to_json(&path->copies[i], &ds));
    }
    json_object_put(json, "copies", copies);

    if (path->by < path->n_copies) {
        json_put_uint(json, "copy", path->by);
        put_decision(&path->copies[path->by], json, &ds);
    } else {
        json_object_put(json, "largest", json_null_create());
        json_object_put_string(json, "effect",
                               (path->n_copies
                                ? bigtcp_path_effect_to_string(path->effect)
                                : "dropped"));
    }
    json_put_bool(json, "exceeded", bigtcp_path_is_exceeded(path));

    for (size_t i = 0; i < path->notes.n; i++) {
        const struct bigtcp_path_step *note = &path->notes.steps[i];

        json_array_add(notes, json_string_create(note->detail ? note->detail
                                                 : note->action));
    }
    json_object_put(json, "notes", notes);
    ds_destroy(&ds);
    return json;
}
