# SPDX-License-Identifier: Apache-2.0
"""What ovs-bigtcp(8) consists of.

'switch' asks the daemons, 'host' keeps what they say, 'findings' judges it,
'output' presents it and 'watch' shows packets as they come."""
