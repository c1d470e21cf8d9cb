# SPDX-License-Identifier: Apache-2.0

# Files that go into the Open vSwitch tree, at the same path there, each in
# one list.  build-aux/bigtcp.mk says there what becomes of them.  Read by
# build-aux/bigtcp-overlay as well.

# In libopenvswitch, on all systems...
BIGTCP_LIB = \
	lib/bigtcp/bpf.h \
	lib/bigtcp/capabilities.c \
	lib/bigtcp/capabilities.h \
	lib/bigtcp/commit.c \
	lib/bigtcp/compat.h \
	lib/bigtcp/counts.c \
	lib/bigtcp/counts.h \
	lib/bigtcp/device.c \
	lib/bigtcp/dummy.c \
	lib/bigtcp/ethtool.h \
	lib/bigtcp/genl.h \
	lib/bigtcp/group.c \
	lib/bigtcp/group.h \
	lib/bigtcp/hazards.c \
	lib/bigtcp/hazards.h \
	lib/bigtcp/link-watch.h \
	lib/bigtcp/news.c \
	lib/bigtcp/news.h \
	lib/bigtcp/nl.h \
	lib/bigtcp/observe.c \
	lib/bigtcp/observe.h \
	lib/bigtcp/originals.c \
	lib/bigtcp/originals.h \
	lib/bigtcp/path-devices.c \
	lib/bigtcp/path-devices.h \
	lib/bigtcp/path-show.c \
	lib/bigtcp/path.c \
	lib/bigtcp/path.h \
	lib/bigtcp/policy.c \
	lib/bigtcp/policy.h \
	lib/bigtcp/port-private.h \
	lib/bigtcp/port.c \
	lib/bigtcp/port.h \
	lib/bigtcp/probe.h \
	lib/bigtcp/provider.h \
	lib/bigtcp/report.c \
	lib/bigtcp/report.h \
	lib/bigtcp/route.c \
	lib/bigtcp/route.h \
	lib/bigtcp/rtnl-msg.h \
	lib/bigtcp/rtnl-probe.h \
	lib/bigtcp/rtnl.h \
	lib/bigtcp/settings.c \
	lib/bigtcp/settings.h \
	lib/bigtcp/show.c \
	lib/bigtcp/tc.h \
	lib/bigtcp/topology.c \
	lib/bigtcp/types.c \
	lib/bigtcp/types.h
# ...on Linux...
BIGTCP_LIB_LINUX = \
	datapath/openvswitch_bigtcp.h \
	lib/bigtcp/bpf-program.c \
	lib/bigtcp/bpf.c \
	lib/bigtcp/ethtool.c \
	lib/bigtcp/genl.c \
	lib/bigtcp/link-watch.c \
	lib/bigtcp/nl.c \
	lib/bigtcp/probe.c \
	lib/bigtcp/rtnl-msg.c \
	lib/bigtcp/rtnl-probe.c \
	lib/bigtcp/rtnl.c \
	lib/bigtcp/tc.c
# ...and on others.
BIGTCP_LIB_OTHER = \
	lib/bigtcp/stub.c

# In libofproto and in ovs-vswitchd.
BIGTCP_OFPROTO = \
	ofproto/bigtcp-ofproto-path.c \
	ofproto/bigtcp-ofproto-path.h \
	ofproto/bigtcp-ofproto.c \
	ofproto/bigtcp-ofproto.h \
	ofproto/bigtcp-walk-actions.c \
	ofproto/bigtcp-walk-output.c \
	ofproto/bigtcp-walk-private.h \
	ofproto/bigtcp-walk.c \
	ofproto/bigtcp-walk.h
BIGTCP_VSWITCHD = \
	vswitchd/bigtcp-bridge.c \
	vswitchd/bigtcp-bridge.h

# Programs, what they consist of, and manual pages.
BIGTCP_UTILITIES = \
	utilities/ovs-bigtcp-bench.in \
	utilities/ovs-bigtcp.in
BIGTCP_RR = \
	utilities/ovs-bigtcp-rr.c
BIGTCP_COMPLETION = \
	utilities/ovs-bigtcp-bashcomp.bash
BIGTCP_TOOL = \
	python/bigtcp_tool/__init__.py \
	python/bigtcp_tool/findings.py \
	python/bigtcp_tool/host.py \
	python/bigtcp_tool/output.py \
	python/bigtcp_tool/switch.py \
	python/bigtcp_tool/watch.py
BIGTCP_BENCH = \
	python/bigtcp_bench/__init__.py \
	python/bigtcp_bench/machine.py \
	python/bigtcp_bench/parts.py \
	python/bigtcp_bench/paths.py \
	python/bigtcp_bench/plot.py \
	python/bigtcp_bench/report.py \
	python/bigtcp_bench/rr.py \
	python/bigtcp_bench/runner.py \
	python/bigtcp_bench/scale.py \
	python/bigtcp_bench/stats.py \
	python/bigtcp_bench/store.py \
	python/bigtcp_bench/switch.py \
	python/bigtcp_bench/system.py \
	python/bigtcp_bench/traffic.py
BIGTCP_MAN_ROOTS = \
	utilities/ovs-bigtcp-bench.8.in \
	utilities/ovs-bigtcp.8.in
BIGTCP_MAN_FRAGMENTS = \
	lib/bigtcp-unixctl.man

# Schemas of JSON.
BIGTCP_SCHEMAS = \
	Documentation/schema/bigtcp-bench.schema.json \
	Documentation/schema/bigtcp-capabilities.schema.json \
	Documentation/schema/bigtcp-observe.schema.json \
	Documentation/schema/bigtcp-path.schema.json \
	Documentation/schema/bigtcp-show.schema.json

# Tests: in ovstest, of the two test suites, and what these run.  tests/README.rst
# says what is where.
BIGTCP_OVSTEST = \
	tests/test-bigtcp-bpf.c \
	tests/test-bigtcp-group.c \
	tests/test-bigtcp-path.c \
	tests/test-bigtcp.c
BIGTCP_TESTSUITE = \
	tests/bigtcp-bench.at \
	tests/bigtcp-observe.at \
	tests/bigtcp-path.at \
	tests/bigtcp-policy.at \
	tests/bigtcp-schema.at \
	tests/bigtcp-tool.at \
	tests/bigtcp.at
BIGTCP_SYSTEM_TESTSUITE = \
	tests/system-bigtcp-bench.at \
	tests/system-bigtcp-module.at \
	tests/system-bigtcp-netlink.at \
	tests/system-bigtcp-observe.at \
	tests/system-bigtcp-path.at \
	tests/system-bigtcp-policy.at \
	tests/system-bigtcp-remote.at \
	tests/system-bigtcp-tool.at \
	tests/system-bigtcp.at
BIGTCP_TEST_TOOLS = \
	tests/bigtcp-bench-unit \
	tests/helpers/bigtcp-fake \
	tests/helpers/bigtcp-genl \
	tests/helpers/bigtcp-link \
	tests/helpers/bigtcp-observe \
	tests/helpers/bigtcp-observe-compare \
	tests/helpers/bigtcp-prove \
	tests/helpers/bigtcp-tap \
	tests/helpers/bigtcp-tcp \
	tests/helpers/bigtcp-validate

# All of them.
OVERLAY_FILES = \
	build-aux/bigtcp-files.mk \
	build-aux/bigtcp.mk \
	$(BIGTCP_LIB) \
	$(BIGTCP_LIB_LINUX) \
	$(BIGTCP_LIB_OTHER) \
	$(BIGTCP_OFPROTO) \
	$(BIGTCP_VSWITCHD) \
	$(BIGTCP_UTILITIES) \
	$(BIGTCP_RR) \
	$(BIGTCP_COMPLETION) \
	$(BIGTCP_TOOL) \
	$(BIGTCP_BENCH) \
	$(BIGTCP_MAN_ROOTS) \
	$(BIGTCP_MAN_FRAGMENTS) \
	$(BIGTCP_SCHEMAS) \
	$(BIGTCP_OVSTEST) \
	$(BIGTCP_TESTSUITE) \
	$(BIGTCP_SYSTEM_TESTSUITE) \
	$(BIGTCP_TEST_TOOLS)

# What lays them there and edits upstream's files.
OVERLAY_TOOLS = \
	build-aux/bigtcp-annotations.h \
	build-aux/bigtcp-overlay \
	ofproto/bigtcp-ofproto.cocci \
	ofproto/bigtcp-xlate.cocci \
	vswitchd/bigtcp-bridge.cocci \
	vswitchd/bigtcp-vswitch.xml
