/* SPDX-License-Identifier: Apache-2.0 */

/* What the running kernel can do: which sizes a device has, how large those of
 * each kind of device can be, whether our kernel module is there.  Of what can
 * be tried nothing is concluded from the kernel's version; faults that cannot
 * are told by it (lib/bigtcp/hazards.h). */

#include <config.h>

#include "bigtcp/capabilities.h"

#include <inttypes.h>
#include <unistd.h>

#include "bigtcp/genl.h"
#include "bigtcp/hazards.h"
#include "bigtcp/probe.h"
#include "bigtcp/provider.h"
#include "bigtcp/rtnl-probe.h"
#include "bigtcp/rtnl.h"
#include "bigtcp/types.h"
#include "netnsid.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "util.h"

/* Kinds of device to try, and the kernel module that each needs.  A kind whose
 * module is not loaded is not tried, because that would load it. */
static const struct {
    const char *kind;
    const char *module;
} kinds[] = {
    { "veth", "veth" },
    { "vxlan", "vxlan" },
    { "geneve", "geneve" },
    { "gretap", "ip_gre" },
};

struct capabilities {
    int error;                  /* Of reading a device at all: then there is
                                 * nothing else. */
    struct bigtcp_link lo;      /* The loopback device. */
    int probe_error;            /* Positive errno value if no device can be
                                 * made to try. */
    struct bigtcp_rtnl_probe probes[ARRAY_SIZE(kinds)];
    size_t n_probes;
    uint32_t internal_ceiling;  /* Highest tso_max_size of an internal port, 0
                                 * if there is none. */
    bool module;                /* openvswitch_bigtcp is loaded... */
    char module_version[32];    /* ...its own version, "" if not known... */
    uint32_t family_version;    /* ...and that of its generic netlink family,
                                 * 0 if it has none. */
    enum bigtcp_oversized oversized; /* Of a TCP packet, if 'oversized_error'
                                      * is 0. */
    int oversized_error;        /* 0 or a positive errno value. */
};

static bool
module_is_loaded(const char *module)
{
    char *dir = xasprintf("/sys/module/%s", module);
    bool loaded = !access(dir, F_OK);

    free(dir);
    return loaded;
}

/* Stores in 'version', of 'size' bytes, what 'module', which is loaded, says
 * of its version, "" if nothing. */
static void
get_module_version(const char *module, char *version, size_t size)
{
    char *file_name = xasprintf("/sys/module/%s/version", module);
    struct ds line = DS_EMPTY_INITIALIZER;
    FILE *stream = fopen(file_name, "r");

    if (stream && !ds_get_line(&line, stream)) {
        ovs_strlcpy(version, ds_cstr(&line), size);
    } else {
        version[0] = '\0';
    }
    if (stream) {
        fclose(stream);
    }
    ds_destroy(&line);
    free(file_name);
}

static void
probe(struct capabilities *caps)
{
    struct bigtcp_access read_lo = {
        .name = "lo", .netnsid = NETNSID_LOCAL, .link = &caps->lo,
    };

    memset(caps, 0, sizeof *caps);
    bigtcp_rtnl_class.get(&read_lo, 1);
    caps->error = read_lo.error;
    if (caps->error) {
        return;
    }

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (module_is_loaded(kinds[i].module)) {
            caps->probes[caps->n_probes++].kind = kinds[i].kind;
        }
    }
    caps->probe_error = bigtcp_rtnl_probe(caps->probes, caps->n_probes);
    bigtcp_rtnl_kind_ceiling(BIGTCP_KIND_INTERNAL, &caps->internal_ceiling);
    caps->module = module_is_loaded("openvswitch_bigtcp");
    get_module_version("openvswitch_bigtcp", caps->module_version,
                       sizeof caps->module_version);
    if (bigtcp_genl_get_version(&caps->family_version)) {
        caps->family_version = 0;
    }
    caps->oversized_error = bigtcp_probe_oversized(&caps->oversized);
}

/* Appends what the running kernel can do to 'ds'. */
void
bigtcp_capabilities_format(struct ds *ds)
{
    const struct bigtcp_hazard *hazard;
    struct capabilities caps;

    probe(&caps);
    if (caps.error) {
        ds_put_format(ds, "cannot read devices: %s\n",
                      ovs_strerror(caps.error));
        return;
    }

    ds_put_cstr(ds, "attributes:\n");
    BIGTCP_FOR_EACH_ATTR (attr) {
        ds_put_format(ds, "  %s: %s\n", bigtcp_attr_to_string(attr),
                      bigtcp_sizes_has(&caps.lo.sizes, attr) ? "yes" : "no");
    }
    ds_put_cstr(ds, "largest GSO size of a device:\n");
    if (caps.internal_ceiling) {
        ds_put_format(ds, "  internal port: %"PRIu32"\n",
                      caps.internal_ceiling);
    } else {
        ds_put_cstr(ds, "  internal port: not known, there is none\n");
    }
    if (caps.probe_error) {
        ds_put_format(ds, "  others: not known, cannot make a network "
                      "namespace (%s)\n", ovs_strerror(caps.probe_error));
    } else {
        for (size_t i = 0; i < caps.n_probes; i++) {
            const struct bigtcp_rtnl_probe *p = &caps.probes[i];

            if (p->error) {
                ds_put_format(ds, "  %s: not known (%s)\n", p->kind,
                              ovs_strerror(p->error));
            } else {
                ds_put_format(ds, "  %s: %"PRIu32", above 64 kB for IPv6 %s, "
                              "for IPv4 %s\n", p->kind,
                              bigtcp_link_ceiling(&p->link),
                              (bigtcp_sizes_is_big(&p->link.sizes,
                                                   BIGTCP_GSO_MAX_SIZE)
                               ? "yes" : "no"),
                              (bigtcp_sizes_is_big(&p->link.sizes,
                                                   BIGTCP_GSO_IPV4_MAX_SIZE)
                               ? "yes" : "no"));
            }
        }
    }
    ds_put_format(ds, "module openvswitch_bigtcp: %s",
                  caps.module ? "loaded" : "not loaded");
    if (caps.module_version[0]) {
        ds_put_format(ds, ", version %s", caps.module_version);
    }
    if (caps.family_version) {
        ds_put_format(ds, ", family %s version %"PRIu32,
                      bigtcp_genl_family_name, caps.family_version);
    }
    ds_put_char(ds, '\n');

    ds_put_cstr(ds, "TCP packets larger than a device's GSO size: ");
    if (caps.oversized_error) {
        ds_put_format(ds, "not known (%s)\n",
                      ovs_strerror(caps.oversized_error));
    } else {
        ds_put_format(ds, "%s\n",
                      (caps.oversized == BIGTCP_OVERSIZED_WHOLE
                       ? "sent as they are"
                       : caps.oversized == BIGTCP_OVERSIZED_MSS
                       ? "cut down to the MSS"
                       : "cut into the largest that fit (re-segmentation)"));
    }

    ds_put_cstr(ds, "known hazards of this kernel's version, unless mended by "
                "its distributor:\n");
    if (!bigtcp_hazard_next(bigtcp_running_version(), NULL)) {
        ds_put_cstr(ds, "  none\n");
    }
    BIGTCP_FOR_EACH_HAZARD (hazard, bigtcp_running_version()) {
        ds_put_format(ds, "  %s (commit %s mends it)\n", hazard->text,
                      hazard->commit);
    }
}

/* Returns the same as a JSON object, which the caller owns. */
struct json *
bigtcp_capabilities_to_json(void)
{
    struct json *json = json_object_create();
    const struct bigtcp_hazard *hazard;
    struct json *object, *array;
    struct capabilities caps;

    probe(&caps);
    if (caps.error) {
        json_object_put_string(json, "error", ovs_strerror(caps.error));
        return json;
    }

    object = json_object_create();
    BIGTCP_FOR_EACH_ATTR (attr) {
        json_object_put(object, bigtcp_attr_to_string(attr),
                        json_boolean_create(bigtcp_sizes_has(&caps.lo.sizes,
                                                             attr)));
    }
    json_object_put(json, "attributes", object);

    object = json_object_create();
    if (caps.internal_ceiling) {
        struct json *kind = json_object_create();

        json_object_put(kind, "tso_max_size",
                        json_integer_create(caps.internal_ceiling));
        json_object_put(object, "internal", kind);
    }
    for (size_t i = 0; !caps.probe_error && i < caps.n_probes; i++) {
        const struct bigtcp_rtnl_probe *p = &caps.probes[i];
        struct json *kind = json_object_create();

        if (p->error) {
            json_object_put_string(kind, "error", ovs_strerror(p->error));
        } else {
            json_object_put(kind, "tso_max_size", json_integer_create(
                                bigtcp_link_ceiling(&p->link)));
            json_object_put(kind, "ipv6", json_boolean_create(
                                bigtcp_sizes_is_big(&p->link.sizes,
                                                    BIGTCP_GSO_MAX_SIZE)));
            json_object_put(kind, "ipv4", json_boolean_create(
                                bigtcp_sizes_is_big(
                                    &p->link.sizes,
                                    BIGTCP_GSO_IPV4_MAX_SIZE)));
        }
        json_object_put(object, p->kind, kind);
    }
    json_object_put(json, "kinds", object);
    if (caps.probe_error) {
        json_object_put_string(json, "kinds_error",
                               ovs_strerror(caps.probe_error));
    }
    json_object_put(json, "module", json_boolean_create(caps.module));
    if (caps.oversized_error) {
        json_object_put_string(json, "oversized_error",
                               ovs_strerror(caps.oversized_error));
    } else {
        json_object_put_string(json, "oversized",
                               (caps.oversized == BIGTCP_OVERSIZED_WHOLE
                                ? "whole"
                                : caps.oversized == BIGTCP_OVERSIZED_MSS
                                ? "mss" : "resegment"));
    }
    if (caps.module_version[0]) {
        json_object_put_string(json, "module_version", caps.module_version);
    }
    if (caps.family_version) {
        object = json_object_create();
        json_object_put_string(object, "name", bigtcp_genl_family_name);
        json_object_put(object, "version",
                        json_integer_create(caps.family_version));
        json_object_put(json, "family", object);
    }

    array = json_array_create_empty();
    BIGTCP_FOR_EACH_HAZARD (hazard, bigtcp_running_version()) {
        object = json_object_create();
        json_object_put_string(object, "text", hazard->text);
        json_object_put_string(object, "commit", hazard->commit);
        json_array_add(array, object);
    }
    json_object_put(json, "hazards", array);
    return json;
}
