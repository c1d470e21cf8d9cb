#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests 'quickstart demo --native' in a guest, which is a machine whose root we
# are and that has an openvswitch module: it works and leaves nothing behind,
# also when it is interrupted.  Prints TAP.  Needs a finished build.

set -u

top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)

if [ "${1-}" != inside ]; then
    module=$("$top/build-aux/kernel-module" 6.12) || {
        echo "Bail out! no module"
        exit 1
    }
    exec "$top/tests/guest/run" --kernel 6.12 --timeout 600 --memory 1024 \
        --module-override "openvswitch_bigtcp=$module" --cwd "$top" -- \
        "$0" inside
fi

# All temporary files go where no other process of the host writes.
export TMPDIR=/run/tmp
mkdir "$TMPDIR"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
. "$top/tests/guest/tap.sh"

# Prints all that the demo might leave behind.
snapshot() {
    ip -o link | sed 's/^[0-9]*: //'
    ip netns list
    cut -d ' ' -f 1 /proc/modules | sort
    cat /proc/sys/net/ipv4/tcp_wmem /proc/sys/net/ipv4/tcp_rmem
    find /run -path "$scratch" -prune -o -print | sort
    cut -d ' ' -f 2,3 /proc/mounts | sort
    cat /proc/[0-9]*/comm 2> /dev/null | grep -E '^(ovs|iperf3|unshare)'
}

no_trace() {
    snapshot > "$scratch/after"
    diff -u "$scratch/before" "$scratch/after"
}

modprobe dummy                  # A module that was there before.
# The first run may create this folder.
mkdir -p _quickstart
snapshot > "$scratch/before"

./quickstart demo --native --no-build > "$scratch/out" 2>&1
status=$?
sed 's/^/# /' "$scratch/out"
check "the demo succeeds" [ "$status" = 0 ]
check "it ends with a table" \
      grep -qE '^\| IPv6 \| .*bit/s \| .*bit/s \| .*%' "$scratch/out"
check "nothing is left behind" no_trace

: > "$scratch/out"
./quickstart demo --native --no-build > "$scratch/out" 2>&1 &
pid=$!
check "the demo sends" wait_until 120 grep -q '^round 1' "$scratch/out"
kill -TERM "$pid"
wait "$pid"
status=$?
check "the demo can be interrupted" [ "$status" = 143 ]
check "nothing is left behind by an interrupted demo" no_trace

tap_end
