/* SPDX-License-Identifier: Apache-2.0 */

#include <config.h>

#include "bigtcp/originals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "openvswitch/dynamic-string.h"
#include "util.h"

/* Appends to 'ds' the line that a file of this boot and network namespace
 * starts with. */
static void
put_header(struct ds *ds)
{
    struct ds boot = DS_EMPTY_INITIALIZER;
    unsigned long long int netns = 0;
    struct stat s;
    FILE *stream;

    stream = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (stream) {
        ds_get_line(&boot, stream);
        fclose(stream);
    }
    if (!stat("/proc/self/ns/net", &s)) {
        netns = s.st_ino;
    }
    ds_put_format(ds, "bigtcp-originals 1 boot=%s netns=%llu",
                  ds_cstr(&boot), netns);
    ds_destroy(&boot);
}

/* Reads 'file_name' into an array of '*n' elements that the caller frees with
 * bigtcp_originals_free().  Returns 0, also for a file of another boot or
 * network namespace (with none read), or a positive errno value: ENOENT if
 * there is no file, EPROTO if it has a line that is not understood (the
 * others are read). */
int
bigtcp_originals_read(const char *file_name,
                      struct bigtcp_original **originals, size_t *n)
{
    struct ds header = DS_EMPTY_INITIALIZER;
    struct ds line = DS_EMPTY_INITIALIZER;
    size_t allocated = 0;
    FILE *stream;
    int error = 0;

    *originals = NULL;
    *n = 0;

    stream = fopen(file_name, "r");
    if (!stream) {
        return errno;
    }
    put_header(&header);
    if (ds_get_line(&line, stream)
        || strcmp(ds_cstr(&line), ds_cstr(&header))) {
        goto exit;
    }
    while (!ds_get_line(&line, stream)) {
        struct bigtcp_original o;
        char device[32], class[16];
        int sizes_ofs = 0;

        if (!ovs_scan(ds_cstr(&line), "%31[^ ] %15[^ ] %d %n",
                      device, class, &o.ifindex, &sizes_ofs)
            || !sizes_ofs
            || !bigtcp_sizes_parse(&o.sizes, ds_cstr(&line) + sizes_ofs)) {
            error = EPROTO;
            continue;
        }
        o.device = xstrdup(device);
        o.class = xstrdup(class);
        if (*n >= allocated) {
            *originals = x2nrealloc(*originals, &allocated,
                                    sizeof **originals);
        }
        (*originals)[(*n)++] = o;
    }

exit:
    fclose(stream);
    ds_destroy(&header);
    ds_destroy(&line);
    return error;
}

/* Makes 'file_name' hold exactly the 'n' elements of 'originals', in one
 * step; without any it is removed.  Returns 0 or a positive errno value. */
int
bigtcp_originals_write(const char *file_name,
                       const struct bigtcp_original *originals, size_t n)
{
    struct ds text = DS_EMPTY_INITIALIZER;
    char *tmp_name;
    FILE *stream;
    int error = 0;

    if (!n) {
        return unlink(file_name) && errno != ENOENT ? errno : 0;
    }

    put_header(&text);
    ds_put_char(&text, '\n');
    for (const struct bigtcp_original *o = originals; o < originals + n;
         o++) {
        ds_put_format(&text, "%s %s %d ", o->device, o->class, o->ifindex);
        bigtcp_sizes_format(&o->sizes, &text);
        ds_put_char(&text, '\n');
    }

    tmp_name = xasprintf("%s.tmp", file_name);
    stream = fopen(tmp_name, "w");
    if (!stream) {
        error = errno;
    } else {
        if (fwrite(text.string, text.length, 1, stream) != 1) {
            error = errno;
        }
        if (fclose(stream) && !error) {
            error = errno;
        }
        if (!error && rename(tmp_name, file_name)) {
            error = errno;
        }
        if (error) {
            unlink(tmp_name);
        }
    }
    free(tmp_name);
    ds_destroy(&text);
    return error;
}

void
bigtcp_originals_free(struct bigtcp_original *originals, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(originals[i].device);
        free(originals[i].class);
    }
    free(originals);
}
