#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests what 'quickstart bench' makes of its arguments, with a guest that only
# writes down how it was called, and which kernel is
# chosen from mirrors that are made up.  Prints TAP; exits with 1 if a test
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
check "check-patches has no --quick" all_of \
      'refused check-patches --quick' 'grep -q "has no --quick" "$scratch/out"'
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

# Makes an apt of our own, whose only mirror has the PACKAGE=VERSIONs given.
export APT_CONFIG=$scratch/apt.conf
publish() {
    local package abi number=0
    rm -rf "$scratch/mirror" "$scratch/apt" "$scratch/deb"
    mkdir -p "$scratch/mirror" "$scratch/deb/DEBIAN" \
          "$scratch/apt/lists/partial" "$scratch/apt/cache/archives/partial"
    : > "$scratch/apt/status"
    cat > "$APT_CONFIG" <<END2
Dir::Etc::SourceList "$scratch/apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$scratch/apt/lists";
Dir::State::Status "$scratch/apt/status";
Dir::Cache "$scratch/apt/cache";
APT::Sandbox::User "root";
END2
    echo "deb [trusted=yes] file:$scratch/mirror ./" \
        > "$scratch/apt/sources.list"
    for package; do
        number=$((number + 1))
        printf '%s\n' "Package: ${package%=*}" "Version: ${package#*=}" \
               'Architecture: all' 'Maintainer: none' 'Description: none' \
               > "$scratch/deb/DEBIAN/control"
        # It must not be taken for a meta-package.
        case $package in
        linux-headers-*+deb12-amd64=*)
            abi=${package%-amd64=*}
            echo "Depends: $abi-common (= ${package#*=})" \
                >> "$scratch/deb/DEBIAN/control"
            ;;
        esac
        dpkg-deb -b "$scratch/deb" "$scratch/mirror/$number.deb"
    done > /dev/null
    (cd "$scratch/mirror" && dpkg-scanpackages -m . > Packages) 2> /dev/null
    apt-get -q update > "$scratch/out" 2>&1
}

# Prints the packages of each kernel 6.12.N given but its source and image.
headers() {
    local n
    for n; do
        echo linux-headers-6.12.$n+deb12-{amd64,rt-amd64,common}=6.12.$n-1 \
             linux-kbuild-6.12.$n+deb12=6.12.$n-1
    done
}

# Runs the arguments with the functions of build-aux/kernel-common.sh for
# FLAVOR '$1'.
kernel_common() {
    (set -eu
     me=test kernel_topdir=$tree
     . "$tree/build-aux/kernel-common.sh"
     kernel_flavor "$1"
     shift
     "$@"
     echo "release $release of $headers_version"
     echo "source $source_version"
     echo "image $image") > "$scratch/out" 2>&1
    status=$?
}

# Succeeds if the kernel of FLAVOR '$1' has the release, source and image given.
chooses() {
    kernel_common "$1" kernel_choose
    [ "$status" = 0 ] && grep -qxF "release $2" "$scratch/out" &&
        grep -qxF "source $3" "$scratch/out" &&
        grep -qxF "image $4" "$scratch/out"
}

image=linux-image-6.12
# shellcheck disable=SC2046
publish $(headers 117) linux-source-6.12=6.12.11{7,8}-1 \
        $image.117+deb12-amd64=6.12.117-1
check "newer source: the kernel that has all parts" all_of \
      'chooses 6.12 "6.12.117+deb12-amd64 of 6.12.117-1" 6.12.117-1 \
               $image.117+deb12-amd64=6.12.117-1'
fetched() {
    kernel_headers
    kernel_source
    dpkg-deb --show --showformat '${Package} ${Version}\n' "$headers_deb"
    dpkg-deb --show --showformat '${Package} ${Version}\n' "$source_deb"
}
XDG_CACHE_HOME=$scratch/cache kernel_common 6.12 fetched
check "... and just that is fetched" all_of \
      'grep -qxF "linux-headers-6.12.117+deb12-amd64 6.12.117-1" \
            "$scratch/out"' \
      'grep -qx "linux-source-6.12 6.12.117-1" "$scratch/out"'

# shellcheck disable=SC2046
publish $(headers 117 118) linux-source-6.12=6.12.11{7,8}-1 \
        $image.117+deb12-amd64{,-unsigned}=6.12.117-1
check "newer source and headers, no image: the last that has all parts" all_of \
      'chooses 6.12 "6.12.117+deb12-amd64 of 6.12.117-1" 6.12.117-1 \
               $image.117+deb12-amd64=6.12.117-1'

# shellcheck disable=SC2046
publish $(headers 117 118) linux-source-6.12=6.12.118-1 \
        $image.117+deb12-amd64{,-unsigned}=6.12.117-1 \
        $image.118+deb12-amd64-unsigned=6.12.118-1
check "only an unsigned image: that one" all_of \
      'chooses 6.12 "6.12.118+deb12-amd64 of 6.12.118-1" 6.12.118-1 \
               $image.118+deb12-amd64-unsigned=6.12.118-1'

# shellcheck disable=SC2046
publish $(headers 9 117) linux-source-6.12=6.12.118-1 \
        $image.9+deb12-amd64=6.12.9-1 $image.117+deb12-amd64=6.12.117-1
check "no such source: the newest kernel and the newest source" all_of \
      'chooses 6.12 "6.12.117+deb12-amd64 of 6.12.117-1" 6.12.118-1 \
               $image.117+deb12-amd64=6.12.117-1' \
      'grep -q "no source of Linux 6.12.117-1" "$scratch/out"'

publish linux-source-6.12=6.12.118-1 linux-source-6.1=6.1.192-3
kernel_common 6.12 kernel_source
check "only a source: it serves what needs no more" all_of \
      '[ "$status" = 0 ]' 'grep -qx "source 6.12.118-1" "$scratch/out"'
kernel_common 6.12 kernel_headers
check "... and the others say what is missing" all_of '[ "$status" != 0 ]' \
      'grep -q "has no Linux 6.12 with all its parts" "$scratch/out"'

publish linux-headers-6.1.0-5{6,7}-{amd64,cloud-amd64,common}=6.1.192-3 \
        linux-source-6.1=6.1.192-3 linux-image-6.1.0-57-amd64=6.1.192-3 \
        linux-kbuild-6.1=6.1.192-3 linux-source-6.12=6.12.118-1
check "6.1, whose parts have other names" all_of \
      'chooses 6.1 "6.1.0-57-amd64 of 6.1.192-3" 6.1.192-3 \
               linux-image-6.1.0-57-amd64=6.1.192-3'

# The index is of another suite, hence not by way of apt.
split_image() {
    kernel_pick > "$scratch/out" <<END2
linux-source-7.3 7.3.4-1
linux-source-7.3 7.3.5-1
$(for n in 4 5; do
    for part in headers-7.3.$n-amd64 headers-7.3.$n-common kbuild-7.3.$n \
                base-7.3.$n-amd64 image-7.3.$n-amd64 "$@"; do
        echo "linux-${part/N/$n} 7.3.$n-1"
    done
done)
linux-binary-7.3.4-amd64 7.3.4-1
linux-modules-7.3.4-amd64 7.3.4-1
END2
    release=$(sed -n 's/^release //p' "$scratch/out")
    headers_version= source_version= image=
}
kernel_common 7.3 split_image binary-7.3.N-amd64
check "7.3 without modules: the last that has all parts" all_of \
      'grep -q "^release 7.3.4-amd64 " "$scratch/out"'
kernel_common 7.3 split_image modules-7.3.N-amd64
check "7.3 without image: the last that has all parts" all_of \
      'grep -q "^release 7.3.4-amd64 " "$scratch/out"'
kernel_common 7.3 split_image modules-7.3.N-amd64 binary-unsigned-7.3.N-amd64
check "7.3 with an unsigned image: that one" all_of \
      'grep -q "^release 7.3.5-amd64 " "$scratch/out"'

# Whoever asks for a kernel asks kernel_choose().
check "nothing else asks for a kernel's packages" eval \
      '! grep -nE "debian-fetch.*linux-|linux-(image|headers|source)-[^ ]*amd64\"" \
           "$top/build-aux"/* "$top/tests/guest"/*'

tap_end
