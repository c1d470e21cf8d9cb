/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_ORIGINALS_H
#define BIGTCP_ORIGINALS_H 1

/* Record of original sizes
 * ========================
 *
 * A file in the run-time folder that holds, for each device that was changed,
 * the sizes from before the first change.  It is written before the change is
 * made, so that a daemon that follows one that was killed knows true
 * originals even where the database server went as well (Interface 'status'
 * is not kept on disk) or the port left the database in between.
 *
 * The file is bound to the boot of the host and to the network namespace: in
 * another one its devices mean nothing. */

#include <stddef.h>

#include "bigtcp/types.h"

struct bigtcp_original {
    char *device;               /* Kernel device. */
    char *class;                /* Name of its bigtcp_class. */
    int ifindex;                /* Tells it from a later one of that name. */
    struct bigtcp_sizes sizes;  /* Values to restore. */
};

int bigtcp_originals_read(const char *file_name, struct bigtcp_original **,
                          size_t *n);
int bigtcp_originals_write(const char *file_name,
                           const struct bigtcp_original *, size_t n);
void bigtcp_originals_free(struct bigtcp_original *, size_t n);

#endif /* lib/bigtcp/originals.h */
