#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests what 'quickstart bench' makes of its arguments, with a guest that only
# writes down how it was called, and which versions of kernel packages are
# paired, with an index that is made up.  Prints TAP; exits with 1 if a test
# failed.

set -u

top=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

. "$top/tests/guest/tap.sh"
tap_explain() {
    cat "$scratch/out" "$scratch/called"
}

tree="$scratch/tree with space"
mkdir -p "$tree/tests/guest" "$tree/kernel" "$scratch/bin"
cp -r "$top/quickstart" "$top/build-aux" "$tree"
cat > "$tree/tests/guest/run" <<'END2'
#!/bin/sh
printf '[%s]\n' "$@" > "$CALLED"
END2
# Nothing is installed, built or fetched.
printf '#!/bin/sh\necho "ii "\n' > "$scratch/bin/dpkg-query"
printf '#!/bin/sh\necho /module.ko\n' > "$tree/build-aux/kernel-module"
printf '#!/bin/sh\nexit 0\n' > "$scratch/bin/make"
chmod +x "$tree/tests/guest/run" "$tree/build-aux/kernel-module" \
      "$scratch/bin"/*
export PATH=$scratch/bin:$PATH CALLED=$scratch/called

# Runs quickstart with the arguments.  Leaves 'status', 'out', and in 'called',
# one a line, the arguments of the guest.
quickstart() {
    : > "$CALLED"
    "$tree/quickstart" "$@" > "$scratch/out" 2>&1
    status=$?
}

# Succeeds if the arguments, or nothing, stand one after the other in those of
# the guest.
called_with() {
    local wanted
    wanted=$(printf '[%s]\n' "$@")
    case $'\n'$(cat "$CALLED")$'\n' in
    *$'\n'"$wanted"$'\n'*) ;;
    *) return 1 ;;
    esac
}

all_of() {
    local condition
    for condition; do
        eval "$condition" || return 1
    done
}

results=$tree/_quickstart/bench
quickstart bench --no-build --only rr
check "bench runs the benchmark in a guest with the module" all_of \
      '[ "$status" = 0 ]' \
      'called_with --module-override openvswitch_bigtcp=/module.ko' \
      'called_with --ovs-dir "$tree/_build/ovs" --output \
                   "$results/linux-6.12" --label' \
      'called_with --only rr' 'grep -q "^\[guest on " "$CALLED"'
check "with a clock, not with a count of instructions" \
      eval '! grep -q -e icount -e instructions -e --cpus "$CALLED"'

quickstart bench --no-build --icount --only rr --quick --repeat 2
check "--icount goes to the guest and to the benchmark" all_of \
      '[ "$status" = 0 ]' '[ "$(grep -cxF "[--icount]" "$CALLED")" = 2 ]' \
      '[ "$(grep -nxF -e "[--icount]" -e "[--]" "$CALLED" |
            cut -d : -f 2 | tr -d "\n")" = "[--icount][--][--icount]" ]' \
      'called_with --icount --cpus 1' 'called_with --quick --repeat 2'
check "what counts instructions has a label and a folder of its own" all_of \
      'grep -q "^\[guest that counts instructions on " "$CALLED"' \
      'called_with --output "$results/linux-6.12-icount"' \
      '[ -d "$results/linux-6.12-icount" ]'

quickstart bench --no-build --icount --kernel "$tree/kernel" --only mixed \
           --only tunnel --restart
check "--icount with the folder of a kernel, without the module" all_of \
      '[ "$status" = 0 ]' 'called_with --kernel "$tree/kernel"' \
      'called_with --output "$results/linux-kernel-icount"' \
      'called_with --only mixed --only tunnel --restart' \
      '! called_with --module-override'

quickstart bench --no-build --only control-plane
check "the control plane is compared with a build without our layer" all_of \
      '[ "$status" = 0 ]' \
      'called_with --baseline "$tree/_build/pristine" --only control-plane'

refused() {
    quickstart "$@"
    all_of '[ "$status" != 0 ]' '[ ! -s "$CALLED" ]'
}
check "--icount is no option of demo" all_of 'refused demo --icount' \
      '[ "$status" = 2 ]' 'grep -q "^usage: " "$scratch/out"'
check "--icount is no option of check" all_of 'refused check --icount' \
      '[ "$status" = 2 ]'
check "--icount has no value" all_of 'refused bench --icount=yes' \
      '[ "$status" = 2 ]'
check "--only takes parts that there are" all_of \
      'refused bench --only nonsense' \
      'grep -q "nonsense.*internal-port rr mixed" "$scratch/out"'
for number in 0 -1 x '' 10000; do
    check "--repeat '$number' is refused" all_of \
          'refused bench --repeat "$number"' \
          'grep -q "repeat needs a number of rounds" "$scratch/out"'
done
quickstart --help
check "--help tells of --icount" all_of '[ "$status" = 0 ]' \
      'grep -q "\[--icount\]" "$scratch/out"'

# A mirror where the source is newer than the signed packages.
packages=$scratch/packages
mkdir "$packages"
make_deb() {
    mkdir -p "$scratch/deb/DEBIAN"
    printf '%s\n' "Package: $1" "Version: $2" 'Architecture: all' \
           'Maintainer: none' 'Description: none' \
           > "$scratch/deb/DEBIAN/control"
    dpkg-deb -b "$scratch/deb" "$packages/$3" > /dev/null
}
make_deb linux-headers-6.12.117+deb12-amd64 6.12.117-1 linux-headers-6.12-amd64
make_deb linux-source-6.12 6.12.117-1 linux-source-6.12=6.12.117-1
make_deb linux-source-6.12 6.12.118-1 linux-source-6.12
cat > "$tree/build-aux/debian-fetch" <<END2
#!/bin/sh
test -e "$packages/\$2" && echo "$packages/\$2"
END2

# Runs the arguments with the functions of build-aux/kernel-common.sh.
kernel_common() {
    (set -eu
     me=test kernel_topdir=$tree
     . "$tree/build-aux/kernel-common.sh"
     kernel_flavor 6.12
     "$@"
     echo "$source_version ${headers_version-}") > "$scratch/out" 2>&1
    status=$?
}
paired() {
    kernel_headers
    kernel_source "$headers_version"
}
kernel_common paired
check "source of the version of the headers" all_of \
      'grep -qx "6.12.117-1 6.12.117-1" "$scratch/out"'
kernel_common kernel_source
check "newest source where nothing must match it" all_of \
      'grep -qx "6.12.118-1 " "$scratch/out"'
rm "$packages/linux-source-6.12=6.12.117-1"
kernel_common paired
check "no source of that version is told" all_of '[ "$status" != 0 ]' \
      'grep -q "cannot get linux-source-6.12 6.12.117-1" "$scratch/out"'

tap_end
