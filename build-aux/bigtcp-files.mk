# SPDX-License-Identifier: Apache-2.0

# Files that go into the Open vSwitch tree, at the same path there.  Read by
# build-aux/bigtcp-overlay as well.
OVERLAY_FILES = \
	Documentation/schema/bigtcp-capabilities.schema.json \
	Documentation/schema/bigtcp-observe.schema.json \
	Documentation/schema/bigtcp-path.schema.json \
	Documentation/schema/bigtcp-show.schema.json \
	build-aux/bigtcp.mk \
	lib/bigtcp-bpf-program.c \
	lib/bigtcp-bpf.c \
	lib/bigtcp-bpf.h \
	lib/bigtcp-capabilities.c \
	lib/bigtcp-capabilities.h \
	lib/bigtcp-compat.h \
	lib/bigtcp-counts.c \
	lib/bigtcp-counts.h \
	lib/bigtcp-dummy.c \
	lib/bigtcp-ethtool.c \
	lib/bigtcp-ethtool.h \
	lib/bigtcp-group.c \
	lib/bigtcp-group.h \
	lib/bigtcp-hazards.c \
	lib/bigtcp-hazards.h \
	lib/bigtcp-observe.c \
	lib/bigtcp-observe.h \
	lib/bigtcp-originals.c \
	lib/bigtcp-originals.h \
	lib/bigtcp-path-devices.c \
	lib/bigtcp-path-devices.h \
	lib/bigtcp-path-show.c \
	lib/bigtcp-path.c \
	lib/bigtcp-path.h \
	lib/bigtcp-port-private.h \
	lib/bigtcp-port.c \
	lib/bigtcp-port.h \
	lib/bigtcp-probe.c \
	lib/bigtcp-probe.h \
	lib/bigtcp-provider.h \
	lib/bigtcp-route.c \
	lib/bigtcp-route.h \
	lib/bigtcp-rtnl.c \
	lib/bigtcp-rtnl.h \
	lib/bigtcp-show.c \
	lib/bigtcp-stub.c \
	lib/bigtcp-unixctl.man \
	lib/bigtcp.c \
	lib/bigtcp.h \
	ofproto/bigtcp-ofproto-path.c \
	ofproto/bigtcp-ofproto-path.h \
	ofproto/bigtcp-ofproto.c \
	ofproto/bigtcp-ofproto.h \
	ofproto/bigtcp-walk-actions.c \
	ofproto/bigtcp-walk-output.c \
	ofproto/bigtcp-walk-private.h \
	ofproto/bigtcp-walk.c \
	ofproto/bigtcp-walk.h \
	tests/bigtcp-fake \
	tests/bigtcp-genl \
	tests/bigtcp-link \
	tests/bigtcp-observe \
	tests/bigtcp-observe-compare \
	tests/bigtcp-observe.at \
	tests/bigtcp-path.at \
	tests/bigtcp-policy.at \
	tests/bigtcp-prove \
	tests/bigtcp-schema.at \
	tests/bigtcp-tap \
	tests/bigtcp-tcp \
	tests/bigtcp-tool.at \
	tests/bigtcp-validate \
	tests/bigtcp.at \
	tests/system-bigtcp-module.at \
	tests/system-bigtcp-netlink.at \
	tests/system-bigtcp-observe.at \
	tests/system-bigtcp-path.at \
	tests/system-bigtcp-policy.at \
	tests/system-bigtcp-tool.at \
	tests/system-bigtcp.at \
	tests/test-bigtcp-bpf.c \
	tests/test-bigtcp-group.c \
	tests/test-bigtcp-path.c \
	tests/test-bigtcp.c \
	utilities/ovs-bigtcp-bashcomp.bash \
	utilities/ovs-bigtcp.8.in \
	utilities/ovs-bigtcp.in \
	vswitchd/bigtcp-bridge.c \
	vswitchd/bigtcp-bridge.h

# What lays them there and edits upstream's files.
OVERLAY_TOOLS = \
	build-aux/bigtcp-annotations.h \
	build-aux/bigtcp-overlay \
	ofproto/bigtcp-ofproto.cocci \
	ofproto/bigtcp-xlate.cocci \
	vswitchd/bigtcp-bridge.cocci \
	vswitchd/bigtcp-vswitch.xml
