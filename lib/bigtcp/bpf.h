/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BIGTCP_BPF_H
#define BIGTCP_BPF_H 1

/* The program of lib/bigtcp/bpf.c, and what its unit test needs.  Devices are
 * observed through 'bigtcp_bpf_tap_class' of lib/bigtcp/provider.h. */

#include <stddef.h>
#include <stdint.h>

struct bigtcp_counts;
struct ofpbuf;

/* Offset of 'gso_size' in struct __sk_buff.  It is there since Linux 5.7,
 * which may be younger than the headers that we are built with. */
enum { BIGTCP_SKB_GSO_SIZE = 176 };

void bigtcp_bpf_compose(struct ofpbuf *, int map_fd, uint32_t l2_size);
int bigtcp_bpf_test_run(const void *frame, size_t size, uint32_t gso_size,
                        struct bigtcp_counts *, char **message);

#endif /* lib/bigtcp/bpf.h */
