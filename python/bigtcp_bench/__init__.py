# SPDX-License-Identifier: Apache-2.0
"""What ovs-bigtcp-bench(8) consists of.

'runner' goes through the runs of the 'parts', which make networks ('paths')
and send traffic over them ('traffic', 'rr') or load the daemon ('scale').
'store' keeps what they yield, 'report' and 'plot' present it, 'stats'
computes."""
