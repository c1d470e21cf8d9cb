#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: test-dkms.sh FLAVOR OVS-DIR
#
# Installs the module of datapath/ by DKMS in a guest with Debian's stock kernel
# FLAVOR (6.1 or 6.12) and its headers, as an administrator would, removes it
# and installs it again.  OVS-DIR is a folder in which Open vSwitch was built.
# Prints TAP; exits with 1 if a test failed.
#
# DKMS and the headers are unpacked, not installed: nothing of this reaches the
# machine itself.

set -u

me=${0##*/}
here=$(dirname "$(readlink -f "$0")")
top=${here%/tests/guest}

# As the guest's command: 'test-dkms.sh --inside DKMS-DEB HEADERS'.
if [ "${1-}" = --inside ]; then
    deb=$2 headers=$3
    release=$(uname -r)
    version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' \
                  "$top/datapath/dkms.conf")
    package=openvswitch-bigtcp/$version
    source=/usr/src/openvswitch-bigtcp-$version
    scratch=$(mktemp -d)
    . "$here/tap.sh"
    tap_explain() {
        cat "/var/lib/dkms/$package/build/make.log" 2> /dev/null
    }
    gone() {
        [ ! -d "/sys/module/$1" ]
    }
    # Checks that a new bridge has ceiling '$1'.
    new_bridge_has() {
        ovs-dpctl add-dp dp0 &&
            "$top/tests/helpers/bigtcp-link" dp0 | grep "^tso_max_size=$1 "
        local status=$?
        ovs-dpctl del-dp dp0
        return "$status"
    }
    # What the start of the machine comes to: somebody loads openvswitch, then
    # makes the first bridge.
    boots_with() {
        modprobe openvswitch && new_bridge_has "$1"
        local status=$?
        modprobe -r openvswitch
        return "$status"
    }
    installed() {
        dkms status "$package" -k "$release" | grep ': installed'
    }

    # Makes the modules of openvswitch, and what it needs, the only ones.  depmod,
    # which DKMS runs after each change, unpacks all that there are, and so
    # takes minutes of an emulated CPU for the 4000 of Debian.
    have_few_modules() {
        local all=/lib/modules/$release few=$scratch/modules
        mkdir "$few" &&
            (cd "$all" &&
             modprobe --show-depends openvswitch |
                 sed -n "s,^insmod $all/\([^ ]*\).*,\1,p" |
                 xargs cp --parents -t "$few" modules.order modules.builtin \
                     modules.builtin.modinfo) &&
            mount --bind "$few" "$all" && depmod
    }

    have_few_modules && dpkg-deb -x "$deb" / &&
        ln -s "$headers" "/lib/modules/$release/build" || exit
    check "a new bridge has the stock ceiling at first" boots_with 65536
    cp -r "$top/datapath" "$source"
    cp "$source/openvswitch-bigtcp.conf" /etc/modprobe.d/
    check "openvswitch loads while the module is missing" boots_with 65536
    check "dkms add" dkms add "$package"
    check "dkms build" dkms build "$package"
    check "dkms install" dkms install "$package"
    check "dkms status says installed" installed
    check "the file is that of DKMS, with its version" sh -c \
        "modinfo -F filename openvswitch_bigtcp | grep /updates/dkms/ &&
         modinfo -F version openvswitch_bigtcp | grep -x '$version'"
    check "the module is there before the first bridge" boots_with 524280
    # 'modprobe -r openvswitch' takes it along, as a soft dependency.
    check "it is gone with openvswitch" gone openvswitch_bigtcp
    check "dkms remove" dkms remove "$package" --all
    check "nothing is left of it" sh -c \
        "! modinfo openvswitch_bigtcp && ! dkms status | grep bigtcp &&
         ! find /lib/modules/$release -name 'openvswitch_bigtcp*' | grep ."
    check "a new bridge has the stock ceiling again" boots_with 65536
    check "dkms install again, in one step" sh -c \
        "dkms add '$package' && dkms install '$package'"
    check "the module is there again" boots_with 524280
    check "its netlink family answers" sh -c \
        "modprobe openvswitch_bigtcp &&
         '$top/tests/helpers/bigtcp-genl' family | grep -x version=1"
    check "no kernel before 5.19" sh -c \
        ". '$source/dkms.conf'
         for k in 5.10.0-30-amd64 5.18.0 4.19.0-1-amd64; do
             ! echo \$k | grep -E \"\$BUILD_EXCLUSIVE_KERNEL\" || exit
         done
         for k in 5.19.0-2-amd64 6.1.0-57-amd64 7.3.4+deb13-amd64 10.0.0; do
             echo \$k | grep -E \"\$BUILD_EXCLUSIVE_KERNEL\" || exit
         done"
    tap_end
    exit
fi

kernel_topdir=$top
. "$kernel_topdir/build-aux/kernel-common.sh"
[ $# = 2 ] || die "usage: $me FLAVOR OVS-DIR"
ovs=$(readlink -f "$2")
kernel_flavor "$1"
[ "$suite" = system ] || die "Debian's headers for $1 do not run here"
kernel_lock
kernel_builddir
deb=$("$top/build-aux/debian-fetch" system dkms) || die "no dkms"
exec 8>&-
# kernel-common.sh says what it found in 'builddir'.
# shellcheck disable=SC2154
"$here/run" --kernel "$flavor" --timeout 1800 --cwd "$top" \
    --env PATH="$ovs/utilities:/usr/sbin:/usr/bin:/sbin:/bin" -- "$here/test-dkms.sh" --inside "$deb" "$builddir"
