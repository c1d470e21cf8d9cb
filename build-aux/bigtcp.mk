# SPDX-License-Identifier: Apache-2.0
# Included at the end of Open vSwitch's Makefile.am.

include build-aux/bigtcp-files.mk

lib_libopenvswitch_la_SOURCES += $(BIGTCP_LIB) lib/bigtcp-config.h
if LINUX
lib_libopenvswitch_la_SOURCES += $(BIGTCP_LIB_LINUX)
else
lib_libopenvswitch_la_SOURCES += $(BIGTCP_LIB_OTHER)
endif
ofproto_libofproto_la_SOURCES += $(BIGTCP_OFPROTO)
vswitchd_ovs_vswitchd_SOURCES += $(BIGTCP_VSWITCHD)

bin_SCRIPTS += utilities/ovs-bigtcp utilities/ovs-bigtcp-bench
bigtcp_tooldir = $(pkgdatadir)/python/bigtcp_tool
bigtcp_tool_DATA = $(BIGTCP_TOOL)
bigtcp_benchdir = $(pkgdatadir)/python/bigtcp_bench
bigtcp_bench_DATA = $(BIGTCP_BENCH)
completion_SCRIPTS += $(BIGTCP_COMPLETION)
man_MANS += utilities/ovs-bigtcp.8 utilities/ovs-bigtcp-bench.8
MAN_ROOTS += $(BIGTCP_MAN_ROOTS)
MAN_FRAGMENTS += $(BIGTCP_MAN_FRAGMENTS)
CLEANFILES += \
	utilities/ovs-bigtcp \
	utilities/ovs-bigtcp.8 \
	utilities/ovs-bigtcp-bench \
	utilities/ovs-bigtcp-bench.8

if LINUX
pkglibexec_PROGRAMS = utilities/ovs-bigtcp-rr
utilities_ovs_bigtcp_rr_SOURCES = $(BIGTCP_RR)
utilities_ovs_bigtcp_rr_LDADD = lib/libopenvswitch.la
endif

# Open vSwitch's own rule for '.in' does not know $(pkglibexecdir).
utilities/ovs-bigtcp-bench: utilities/ovs-bigtcp-bench.in Makefile
	$(AM_V_GEN)sed \
	    -e 's,[@]PYTHON3[@],$(PYTHON3),g' \
	    -e 's,[@]VERSION[@],$(VERSION),g' \
	    -e 's,[@]pkgdatadir[@],$(pkgdatadir),g' \
	    -e 's,[@]pkglibexecdir[@],$(pkglibexecdir),g' \
	  < $(srcdir)/utilities/ovs-bigtcp-bench.in > $@.tmp
	$(AM_V_at)chmod +x $@.tmp && mv -f $@.tmp $@

if LINUX
tests_ovstest_SOURCES += $(BIGTCP_OVSTEST)
endif
TESTSUITE_AT += $(BIGTCP_TESTSUITE)
SYSTEM_KMOD_TESTSUITE_AT += $(BIGTCP_SYSTEM_TESTSUITE)

EXTRA_DIST += $(OVERLAY_FILES)
