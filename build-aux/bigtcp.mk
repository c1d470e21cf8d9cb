# SPDX-License-Identifier: Apache-2.0
# Included at the end of Open vSwitch's Makefile.am.

lib_libopenvswitch_la_SOURCES += \
	lib/bigtcp.c \
	lib/bigtcp.h \
	lib/bigtcp-bpf.h \
	lib/bigtcp-capabilities.c \
	lib/bigtcp-capabilities.h \
	lib/bigtcp-compat.h \
	lib/bigtcp-config.h \
	lib/bigtcp-counts.c \
	lib/bigtcp-counts.h \
	lib/bigtcp-dummy.c \
	lib/bigtcp-ethtool.h \
	lib/bigtcp-group.c \
	lib/bigtcp-group.h \
	lib/bigtcp-genl.h \
	lib/bigtcp-hazards.c \
	lib/bigtcp-hazards.h \
	lib/bigtcp-nl.h \
	lib/bigtcp-observe.c \
	lib/bigtcp-observe.h \
	lib/bigtcp-originals.c \
	lib/bigtcp-originals.h \
	lib/bigtcp-path.c \
	lib/bigtcp-path.h \
	lib/bigtcp-path-devices.c \
	lib/bigtcp-path-devices.h \
	lib/bigtcp-path-show.c \
	lib/bigtcp-port.c \
	lib/bigtcp-port.h \
	lib/bigtcp-port-private.h \
	lib/bigtcp-probe.h \
	lib/bigtcp-provider.h \
	lib/bigtcp-report.c \
	lib/bigtcp-report.h \
	lib/bigtcp-route.c \
	lib/bigtcp-route.h \
	lib/bigtcp-show.c \
	lib/bigtcp-rtnl.h
if LINUX
lib_libopenvswitch_la_SOURCES += \
	datapath/openvswitch_bigtcp.h \
	lib/bigtcp-bpf.c \
	lib/bigtcp-bpf-program.c \
	lib/bigtcp-ethtool.c \
	lib/bigtcp-genl.c \
	lib/bigtcp-nl.c \
	lib/bigtcp-probe.c \
	lib/bigtcp-rtnl.c
else
lib_libopenvswitch_la_SOURCES += lib/bigtcp-stub.c
endif

ofproto_libofproto_la_SOURCES += \
	ofproto/bigtcp-ofproto.c \
	ofproto/bigtcp-ofproto.h \
	ofproto/bigtcp-ofproto-path.c \
	ofproto/bigtcp-ofproto-path.h \
	ofproto/bigtcp-walk.c \
	ofproto/bigtcp-walk-actions.c \
	ofproto/bigtcp-walk-output.c \
	ofproto/bigtcp-walk-private.h \
	ofproto/bigtcp-walk.h

vswitchd_ovs_vswitchd_SOURCES += \
	vswitchd/bigtcp-bridge.c \
	vswitchd/bigtcp-bridge.h

MAN_FRAGMENTS += lib/bigtcp-unixctl.man

bin_SCRIPTS += utilities/ovs-bigtcp
completion_SCRIPTS += utilities/ovs-bigtcp-bashcomp.bash
man_MANS += utilities/ovs-bigtcp.8
MAN_ROOTS += utilities/ovs-bigtcp.8.in
CLEANFILES += utilities/ovs-bigtcp utilities/ovs-bigtcp.8
bigtcp_tooldir = $(pkgdatadir)/python/bigtcp_tool
bigtcp_tool_DATA = \
	python/bigtcp_tool/__init__.py \
	python/bigtcp_tool/findings.py \
	python/bigtcp_tool/host.py \
	python/bigtcp_tool/output.py \
	python/bigtcp_tool/switch.py \
	python/bigtcp_tool/watch.py

bin_SCRIPTS += utilities/ovs-bigtcp-bench
man_MANS += utilities/ovs-bigtcp-bench.8
MAN_ROOTS += utilities/ovs-bigtcp-bench.8.in
CLEANFILES += utilities/ovs-bigtcp-bench utilities/ovs-bigtcp-bench.8
bigtcp_benchdir = $(pkgdatadir)/python/bigtcp_bench
bigtcp_bench_DATA = \
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

if LINUX
tests_ovstest_SOURCES += \
	tests/test-bigtcp.c \
	tests/test-bigtcp-bpf.c \
	tests/test-bigtcp-group.c \
	tests/test-bigtcp-path.c
endif

TESTSUITE_AT += \
	tests/bigtcp-bench.at \
	tests/bigtcp.at \
	tests/bigtcp-observe.at \
	tests/bigtcp-path.at \
	tests/bigtcp-policy.at \
	tests/bigtcp-schema.at \
	tests/bigtcp-tool.at
SYSTEM_KMOD_TESTSUITE_AT += \
	tests/system-bigtcp-bench.at \
	tests/system-bigtcp.at \
	tests/system-bigtcp-module.at \
	tests/system-bigtcp-netlink.at \
	tests/system-bigtcp-observe.at \
	tests/system-bigtcp-path.at \
	tests/system-bigtcp-policy.at \
	tests/system-bigtcp-remote.at \
	tests/system-bigtcp-tool.at
EXTRA_DIST += \
	$(bigtcp_bench_DATA) \
	$(bigtcp_tool_DATA) \
	Documentation/schema/bigtcp-bench.schema.json \
	Documentation/schema/bigtcp-capabilities.schema.json \
	Documentation/schema/bigtcp-observe.schema.json \
	Documentation/schema/bigtcp-path.schema.json \
	Documentation/schema/bigtcp-show.schema.json \
	build-aux/bigtcp.mk \
	utilities/ovs-bigtcp-bashcomp.bash \
	utilities/ovs-bigtcp-bench.in \
	utilities/ovs-bigtcp.in
