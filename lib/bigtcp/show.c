/* SPDX-License-Identifier: Apache-2.0 */

/* "bigtcp/show": the registry of ports as text and as JSON. */

#include <config.h>

#include "bigtcp/port-private.h"
#include "bigtcp/port.h"

#include <inttypes.h>
#include <string.h>

#include "netdev.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "sset.h"
#include "util.h"

/* Reads the devices of the 'n' ports in 'array' anew. */
static void
read_ports(struct bigtcp_port *array[], size_t n)
{
    struct bigtcp_device **devs = xcalloc(n, sizeof *devs);
    size_t n_devs = 0;

    for (size_t i = 0; i < n; i++) {
        struct bigtcp_device *device = array[i]->device;

        /* Once for all ports of a device. */
        if (device && (device->index >= n_devs
                       || devs[device->index] != device)) {
            device->index = n_devs;
            devs[n_devs++] = device;
        }
    }
    bigtcp_devices_read(devs, n_devs);
    free(devs);
}

/* Returns an array, which the caller frees, of the '*n' ports to show for
 * 'names', as bigtcp_port_list() does.  Their devices are read anew. */
static struct bigtcp_port **
ports_to_show(const struct sset *names, size_t *n)
{
    struct bigtcp_port **ports = bigtcp_port_list(names, true, n);

    read_ports(ports, *n);
    return ports;
}

/* Port, device, attributes, state and reason. */
enum { N_COLS = 4 + BIGTCP_N_ATTRS };

/* Returns true if 'bigtcp=auto' of 'port' decided the value of 'attr'. */
static bool
port_is_chosen(const struct bigtcp_port *port, enum bigtcp_attr attr)
{
    return (port->device && bigtcp_settings_is_auto(&port->effective)
            && !port->effective.keys[attr].valid
            && bigtcp_sizes_has(&port->device->request.asked, attr));
}

/* A table: its cells, row by row, and where in 'text' each of them ends. */
struct table {
    struct ds text;
    size_t *ends;
    size_t n;
};

static void
end_cell(struct table *table)
{
    table->ends[table->n++] = table->text.length;
}

static void
put_cell(struct table *table, const char *text)
{
    ds_put_cstr(&table->text, text);
    end_cell(table);
}

/* Appends the headings to 'table'. */
static void
put_head(struct table *table)
{
    put_cell(table, "port");
    put_cell(table, "device");
    BIGTCP_FOR_EACH_ATTR (attr) {
        put_cell(table, bigtcp_attr_to_string(attr));
    }
    put_cell(table, "state");
    put_cell(table, "reason");
}

/* Appends the row of 'port' to 'table'. */
static void
put_row(struct table *table, const struct bigtcp_port *port)
{
    const struct bigtcp_device *device = port->device;
    const struct bigtcp_settings *settings = &port->effective;
    const struct bigtcp_setting *mode = &settings->keys[BIGTCP_KEY_MODE];
    struct bigtcp_report report;
    struct ds *ds = &table->text;

    put_cell(table, netdev_get_name(port->netdev));
    put_cell(table, device ? device->name : "-");
    BIGTCP_FOR_EACH_ATTR (attr) {
        const struct bigtcp_setting *key = &settings->keys[attr];

        if (device && !device->error
            && bigtcp_sizes_has(&device->link.sizes, attr)) {
            bigtcp_put_uint(ds, device->link.sizes.value[attr]);
        } else {
            ds_put_char(ds, '-');
        }
        if (key->valid) {
            ds_put_cstr(ds, " (");
            bigtcp_value_format(attr, key->value, ds);
            ds_put_cstr(ds, ", ");
            ds_put_cstr(ds, bigtcp_row_to_string(key->row));
            ds_put_char(ds, ')');
        } else if (port_is_chosen(port, attr)) {
            ds_put_cstr(ds, " (auto, ");
            ds_put_cstr(ds, bigtcp_row_to_string(mode->row));
            ds_put_char(ds, ')');
        }
        end_cell(table);
    }

    bigtcp_report_init(&report);
    if (bigtcp_port_is_managed(port)) {
        bigtcp_port_report(port, &report);
    } else if (bigtcp_settings_is_off(settings)) {
        bigtcp_report_add(&report, BIGTCP_STATE_APPLIED, "bigtcp=off, %s",
                          bigtcp_row_to_string(mode->row));
    }
    put_cell(table, (bigtcp_port_is_managed(port)
                     ? bigtcp_state_to_string(report.state) : "-"));
    put_cell(table, ds_cstr_ro(&report.reason));
    bigtcp_report_destroy(&report);
}

/* Appends 'table' to 'ds', with cells of a column below each other. */
static void
format_table(const struct table *table, struct ds *ds)
{
    size_t widths[N_COLS];
    size_t begin = 0;

    memset(widths, 0, sizeof widths);
    for (size_t i = 0; i < table->n; i++) {
        size_t *width = &widths[i % N_COLS];

        *width = MAX(*width, table->ends[i] - begin);
        begin = table->ends[i];
    }

    begin = 0;
    for (size_t i = 0; i < table->n; i++) {
        size_t col = i % N_COLS;
        size_t length = table->ends[i] - begin;

        ds_put_cstr(ds, "  ");
        ds_put_buffer(ds, table->text.string + begin, length);
        begin = table->ends[i];
        if (col < N_COLS - 1) {
            ds_put_char_multiple(ds, ' ', widths[col] - length);
        } else {
            while (ds_chomp(ds, ' ')) {
                continue;
            }
            ds_put_char(ds, '\n');
        }
    }
}

/* Appends to 'ds' a table for each bridge with the ports that are called
 * 'names' or that are on a bridge that is, all if there are no names. */
void
bigtcp_port_show_text(const struct sset *names, struct ds *ds)
{
    size_t n;
    struct bigtcp_port **array = ports_to_show(names, &n);
    size_t i = 0;

    while (i < n) {
        const struct bigtcp_bridge *bridge = array[i]->bridge;
        struct table table = {
            .text = DS_EMPTY_INITIALIZER,
            .ends = xmalloc((n - i + 1) * N_COLS * sizeof *table.ends),
        };

        put_head(&table);
        for (; i < n && array[i]->bridge == bridge; i++) {
            put_row(&table, array[i]);
        }
        ds_put_format(ds, "%s:\n", bridge->name);
        format_table(&table, ds);
        ds_destroy(&table.text);
        free(table.ends);
    }
    free(array);
}

static void
json_put_uint(struct json *object, const char *name, uint32_t value)
{
    json_object_put(object, name, json_integer_create(value));
}

/* Adds 'facts' to 'object'. */
static void
facts_to_json(const struct bigtcp_facts *facts, struct json *object)
{
    struct json *attrs;

    switch (facts->cause) {
    case BIGTCP_CAUSE_NONE:
        return;
    case BIGTCP_CAUSE_PORT_LIMITS:
    case BIGTCP_CAUSE_LOWER_LIMITS:
    case BIGTCP_CAUSE_INGRESS_LIMITS:
        attrs = json_array_create_empty();
        BIGTCP_FOR_EACH_ATTR (attr) {
            if (facts->attrs & (1u << attr)) {
                json_array_add(attrs, json_string_create(
                                   bigtcp_attr_to_string(attr)));
            }
        }
        json_object_put(object, "attributes", attrs);
        json_put_uint(object, "limit", facts->limit);
        json_object_put_string(object, "by", facts->name);
        break;
    case BIGTCP_CAUSE_TSO_OFF:
    case BIGTCP_CAUSE_LRO_ON:
        break;
    case BIGTCP_CAUSE_QDISC_SEGMENTS:
        json_object_put_string(object, "qdisc", facts->name);
        break;
    case BIGTCP_CAUSE_KERNEL_HAZARD:
        json_object_put_string(object, "commit", facts->name);
        break;
    case BIGTCP_CAUSE_VALUE_REJECTED:
        json_object_put_string(object, "key", facts->name);
        json_object_put_string(object, "row",
                               bigtcp_row_to_string(facts->row));
        break;
    }
    json_object_put_string(object, "cause",
                           bigtcp_cause_to_string(facts->cause));
}

/* Adds the state of 'report', and why, to 'object'. */
static void
report_to_json(const struct bigtcp_report *report, struct json *object)
{
    json_object_put_string(object, "state",
                           bigtcp_state_to_string(report->state));
    if (report->n_reasons) {
        struct json *reasons = json_array_create_empty();

        for (size_t i = 0; i < report->n_reasons; i++) {
            const struct bigtcp_reason *r = &report->reasons[i];
            struct json *reason = json_object_create();

            json_object_put_string(reason, "text", r->text);
            facts_to_json(&r->facts, reason);
            json_array_add(reasons, reason);
        }
        json_object_put_string(object, "reason", ds_cstr_ro(&report->reason));
        json_object_put(object, "reasons", reasons);
    }
}

static struct json *
port_to_json(const struct bigtcp_port *port)
{
    const struct bigtcp_device *device = port->device;
    struct json *json = json_object_create();
    const struct bigtcp_settings *settings = &port->effective;
    const struct bigtcp_setting *mode = &settings->keys[BIGTCP_KEY_MODE];

    if (device) {
        json_object_put_string(json, "device", device->name);
        if (!device->error) {
            json_object_put(json, "ifindex",
                            json_integer_create(device->link.ifindex));
        }
    }
    BIGTCP_FOR_EACH_ATTR (attr) {
        const struct bigtcp_setting *key = &settings->keys[attr];
        struct json *size = json_object_create();

        if (device && !device->error
            && bigtcp_sizes_has(&device->link.sizes, attr)) {
            json_put_uint(size, "value", device->link.sizes.value[attr]);
        }
        if (device && bigtcp_sizes_has(&device->original, attr)) {
            json_put_uint(size, "original", device->original.value[attr]);
        }
        if (key->valid) {
            if (key->value == BIGTCP_VALUE_MAX) {
                json_object_put_string(size, "asked", "max");
            } else {
                json_put_uint(size, "asked", key->value);
            }
            json_object_put_string(size, "row",
                                   bigtcp_row_to_string(key->row));
        } else if (port_is_chosen(port, attr)) {
            json_object_put_string(size, "asked", "auto");
            json_object_put_string(size, "row",
                                   bigtcp_row_to_string(mode->row));
        }
        if (key->rejected) {
            json_object_put_string(size, "rejected", key->rejected);
        }
        json_object_put(json, bigtcp_attr_to_string(attr), size);
    }
    if (mode->valid) {
        struct json *object = json_object_create();
        struct ds value = DS_EMPTY_INITIALIZER;

        bigtcp_value_format(BIGTCP_KEY_MODE, mode->value, &value);
        json_object_put_string(object, "value", ds_cstr(&value));
        json_object_put_string(object, "row", bigtcp_row_to_string(mode->row));
        json_object_put(json, bigtcp_key_to_string(BIGTCP_KEY_MODE), object);
        ds_destroy(&value);
    }
    if (device && device->n_drifts) {
        json_put_uint(json, "drifts", device->n_drifts);
    }
    if (bigtcp_port_is_managed(port)) {
        struct bigtcp_report report;

        bigtcp_report_init(&report);
        bigtcp_port_report(port, &report);
        report_to_json(&report, json);
        bigtcp_report_destroy(&report);
    }
    return json;
}

/* Returns the same as bigtcp_port_show_text() as a JSON object keyed by
 * bridge, then port.  The caller owns it. */
struct json *
bigtcp_port_show_json(const struct sset *names)
{
    struct json *json = json_object_create();
    struct json *bridge = NULL;
    size_t n;
    struct bigtcp_port **array = ports_to_show(names, &n);

    for (size_t i = 0; i < n; i++) {
        if (!i || array[i]->bridge != array[i - 1]->bridge) {
            bridge = json_object_create();
            json_object_put(json, array[i]->bridge->name, bridge);
        }
        json_object_put(bridge, netdev_get_name(array[i]->netdev),
                        port_to_json(array[i]));
    }
    free(array);
    return json;
}
