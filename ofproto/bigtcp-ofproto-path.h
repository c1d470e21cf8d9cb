/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OFPROTO_BIGTCP_OFPROTO_PATH_H
#define OFPROTO_BIGTCP_OFPROTO_PATH_H 1

/* "bigtcp/path": which hop stops big packets of a flow. */

void bigtcp_path_register(void);

#endif /* ofproto/bigtcp-ofproto-path.h */
