#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: overlay.sh [OVS-SOURCE]...
#
# Tests of build-aux/bigtcp-overlay, each on every given Open vSwitch source, a
# folder or a tarball.  Default: what the package openvswitch-source installed.
# Prints TAP and a line with the totals; exit status 1 if a test failed.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# To run spatch takes a second or two, and the tests have it do mostly the same:
# what it made of a file is kept, by content.
cat >"$tmp/spatch" <<'EOF'
#!/bin/sh
# Arguments of build-aux/bigtcp-overlay: ... -o OUTPUT FILE
here=$(dirname "$0")
options= files= output= previous=
for word; do
    case $previous in
    -o) output=$word ;;
    *) if test -f "$word"; then
           files="$files $word"
       else
           options="$options $word"
       fi ;;
    esac
    previous=$word
done
# shellcheck disable=SC2086
key=$( (echo $options; sha256sum $files | cut -d ' ' -f 1) | sha256sum)
made=$here/spatched/${key%% *}
if ! test -e "$made"; then
    "$REAL_SPATCH" "$@" || exit
    test -e "$output" || : >"$output"
    cp "$output" "$made"
fi
cp "$made" "$output"
EOF
chmod +x "$tmp/spatch"
mkdir "$tmp/spatched"
export REAL_SPATCH="${SPATCH-spatch}" SPATCH="$tmp/spatch"

n=0 passed=0 failed=0

ok() {
    n=$((n + 1)) passed=$((passed + 1))
    echo "ok $n - $label: $*"
}

# not_ok DESCRIPTION [FILE]: with the end of FILE, what was seen.
not_ok() {
    n=$((n + 1)) failed=$((failed + 1))
    echo "not ok $n - $label: $1"
    test -z "${2-}" || tail -n 20 "$2" | sed 's/^/# /'
}

# expect DESCRIPTION STATUS COMMAND...: output goes to $tmp/out.
expect() {
    local description=$1 wanted=$2 status=0
    shift 2
    "$@" >"$tmp/out" 2>&1 || status=$?
    if test "$status" = "$wanted"; then
        ok "$description"
    else
        echo "exit status $status, wanted $wanted" >>"$tmp/out"
        not_ok "$description" "$tmp/out"
    fi
}

# says DESCRIPTION TEXT: whether $tmp/out has a line with TEXT.
says() {
    if grep -qF -- "$2" "$tmp/out"; then
        ok "$1"
    else
        echo "no line says: $2" >>"$tmp/out"
        not_ok "$1" "$tmp/out"
    fi
}

# same DESCRIPTION FILE FILE
same() {
    if diff "$2" "$3" >"$tmp/diff" 2>&1; then
        ok "$1"
    else
        not_ok "$1" "$tmp/diff"
    fi
}

# The names, inodes and times of change of all files below a folder.
stamps() {
    (cd "$1" && find . -printf '%p %i %T@\n' | LC_ALL=C sort)
}

# The names and content of all files below a folder, but the records of
# bigtcp-overlay that tell one source from another.
contents() {
    (cd "$1" && find . -type f ! -path ./.bigtcp/source \
        ! -path ./.bigtcp/edited -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
}

# changed BEFORE AFTER: the files, not folders, whose stamps differ.
changed() {
    diff "$1" "$2" | sed -n 's/^[<>] \(.*\) [0-9]* [0-9.]*$/\1/p' | sort -u \
        | while read -r name; do
            test -d "$tree/$name" || echo "$name"
        done
}

# A copy of ours whose files a test may change, in $ours.
copy_ours() {
    rm -rf "$ours"
    mkdir "$ours"
    (cd "$top" && make_list | xargs tar -cf -) | tar -C "$ours" -xf -
    chmod -R u+w "$ours"
}

make_list() {
    grep -v '^#' "$top/build-aux/bigtcp-files.mk" | tr -s ' \t\\' '\n' | grep /
}

# copy_source: a copy of the source in $changed_source, sharing files with it;
# files must be replaced, not written to.
copy_source() {
    rm -rf "$changed_source"
    cp -al "$source" "$changed_source"
}

# edit FILE SED-SCRIPT: must change something.
edit() {
    cp "$1" "$tmp/before"
    sed -i -E "$2" "$1"
    if cmp -s "$1" "$tmp/before"; then
        not_ok "(test itself) '$2' changes nothing in $1"
    fi
}

append() {
    { cat "$1"; printf '%s\n' "$2"; } >"$1.new"
    mv "$1.new" "$1"
}

# mutate gone|double COCCI FILE: renames, or doubles, in FILE the text that
# each rule of COCCI hangs on and prints the rules.
mutate() {
    python3 - "$@" <<'EOF'
import os
import re
import sys

how, cocci, target = sys.argv[1:]
text = open(target).read()
rules = []
for m in re.finditer(r'^@(\w+)@$(.*?)^@@$(.*?)(?=^@|\Z)', open(cocci).read(),
                     re.M | re.S):
    rule, body = m.group(1), m.group(3)
    lines = [line for line in body.splitlines()
             if line and line[1:].strip() not in '{}' and '...' not in line]
    plus = [i for i, line in enumerate(lines) if line.startswith('+')][0]
    anchor = lines[plus - 1 if plus else plus + 1][1:].strip()
    pattern = re.compile(
        r'(?<!\w)' + r'\s*'.join(map(re.escape, re.findall(r'\w+|\S', anchor))))
    if how == 'gone':
        new, k = pattern.subn(
            lambda m: re.sub(r'^(#include ")?\w+', r'\g<0>_gone', m.group(0)),
            text)
    elif anchor.endswith(';'):
        new, k = pattern.subn(lambda m: m.group(0) + ' ' + m.group(0), text)
    elif anchor.startswith('#'):
        new, k = pattern.subn(lambda m: m.group(0) + '\n' + m.group(0), text)
    else:
        new, k = pattern.subn(
            lambda m: m.group(0) + ' + ' + m.group(0), text)
    if not k:
        sys.exit(f'{rule}: {anchor} is not in {target}')
    text = new
    rules.append(rule)
with open(target + '.new', 'w') as f:
    f.write(text)
os.rename(target + '.new', target)
print('\n'.join(rules))
EOF
}

rules() {
    sed -n 's/^@\([a-z_0-9]\{1,\}\)@$/\1/p' "$top"/*/bigtcp-*.cocci
}

test_check() {
    expect "check passes" 0 "$overlay" check "$given"
    rules | while read -r rule; do
        grep -qF " ok " "$tmp/out" && grep -qF "hook '$rule'" "$tmp/out" \
            || echo "$rule"
    done >"$tmp/missing"
    if test ! -s "$tmp/missing"; then
        ok "check names each of the $(rules | wc -l) hooks"
    else
        not_ok "check names each hook" "$tmp/missing"
    fi
    says "check names the anchors" "anchor '.so lib/memory-unixctl.man'"

    copy_source
    "$overlay" version "$given" >"$tmp/version"
    if test -d "$given"; then
        tar -C "$tmp" -czf "$tmp/other.tar.gz" source
        other=$tmp/other.tar.gz
    else
        other=$source
    fi
    expect "version of the folder and the tarball" 0 "$overlay" version "$other"
    same "... are the same" "$tmp/version" "$tmp/out"
}

# Every hook, its text gone or there twice.
test_hooks() {
    local how
    for how in gone double; do
        copy_source
        if ! {
            mutate $how "$top/vswitchd/bigtcp-bridge.cocci" \
                "$changed_source/vswitchd/bridge.c" \
            && mutate $how "$top/ofproto/bigtcp-ofproto.cocci" \
                "$changed_source/ofproto/ofproto.c" \
            && mutate $how "$top/ofproto/bigtcp-xlate.cocci" \
                "$changed_source/ofproto/ofproto-dpif-xlate.c"
        } >"$tmp/mutated" 2>&1; then
            not_ok "(test itself) mutate $how" "$tmp/mutated"
            continue
        fi
        expect "check fails where the hooks' text is $how" 1 \
            "$overlay" check "$changed_source"
        while read -r rule; do
            if grep -q "FAIL .*hook '$rule' .*, not 1" "$tmp/out"; then
                ok "... and names $rule"
            else
                not_ok "... and names $rule" "$tmp/out"
            fi
        done <"$tmp/mutated"
    done

    copy_source
    edit "$changed_source/vswitchd/bridge.c" 's/^bridge_wait\(/bridge_idle(/'
    expect "check fails where a hooked function was renamed" 1 \
        "$overlay" check "$changed_source"
    says "... and names the hook" \
        "FAIL vswitchd/bigtcp-bridge.cocci: hook 'bridge_wait' "
    if test "$(grep -c FAIL "$tmp/out")" = 1; then
        ok "... and no other"
    else
        not_ok "... and no other" "$tmp/out"
    fi
}

# Anchors that are gone, paths that upstream has.
test_anchors() {
    copy_source
    edit "$changed_source/vswitchd/vswitch.xml" \
        's/<group title="MTU">/<group title="Size">/'
    edit "$changed_source/vswitchd/ovs-vswitchd.8.in" '/memory-unixctl/d'
    mkdir "$changed_source/lib/bigtcp"
    cp "$top/LICENSE" "$changed_source/lib/bigtcp/policy.c"
    rm "$changed_source/tests/system-kmod-testsuite.at"
    expect "check fails where a file to be edited is missing" 1 \
        "$overlay" check "$changed_source"
    says "... and names it" "FAIL $changed_source: no tests/system-kmod-test"
    cp "$source/tests/system-kmod-testsuite.at" "$changed_source/tests/"
    expect "check fails without the anchors" 1 \
        "$overlay" check "$changed_source"
    says "... and names that of vswitch.xml" 'FAIL vswitchd/vswitch.xml: '\
'anchor table "Interface", group "MTU" is there 0 times'
    says "... and names that of the manual page" \
        "ovs-vswitchd.8.in: anchor '.so lib/memory-unixctl.man' is there 0"
    says "... and names a path that upstream has" \
        'FAIL lib/bigtcp/policy.c: upstream has a file of this name'
    if test "$(grep -c FAIL "$tmp/out")" = 3; then
        ok "... and nothing else"
    else
        not_ok "... and nothing else" "$tmp/out"
    fi

    copy_source
    edit "$changed_source/vswitchd/vswitch.xml" \
        's,<group title="MTU">,<group title="MTU"></group>&,'
    edit "$changed_source/vswitchd/ovs-vswitchd.8.in" \
        's/^\.so lib.memory-unixctl.man$/&\n&/'
    cp "$top/LICENSE" "$changed_source/lib/bigtcp-config.h"
    expect "check fails where an anchor is there twice" 1 \
        "$overlay" check "$changed_source"
    says "... and names that of vswitch.xml" 'FAIL vswitchd/vswitch.xml: '\
'anchor table "Interface", group "MTU" is there 2 times'
    says "... and names that of the manual page" \
        "ovs-vswitchd.8.in: anchor '.so lib/memory-unixctl.man' is there 2"
    says "... and a generated header that upstream has" \
        'FAIL lib/bigtcp-config.h: upstream has a file of this name'
}

# What we insert is there already.
test_already() {
    copy_source
    edit "$changed_source/vswitchd/bridge.c" \
        's/^    if_notifier_wait\(\);/    bigtcp_bridge_wait();\n&/'
    edit "$changed_source/ofproto/ofproto.c" \
        's,^#include "bundles.h",#include "ofproto/bigtcp-ofproto.h"\n&,'
    append "$changed_source/Makefile.am" 'include build-aux/bigtcp.mk'
    append "$changed_source/tests/testsuite.at" 'm4_include([tests/bigtcp.at])'
    append "$changed_source/vswitchd/ovs-vswitchd.8.in" \
        '.so lib/bigtcp-unixctl.man'
    edit "$changed_source/vswitchd/vswitch.xml" 's,<group title="MTU">,&'\
'<column name="other_config" key="gso_max_size">Mine.</column>,'
    expect "check fails where our text is there already" 1 \
        "$overlay" check "$changed_source"
    says "... and names a call" \
        "hook 'bridge_wait': vswitchd/bridge.c has 'bigtcp_bridge_wait();' alr"
    says "... and names a header" "hook 'ofproto_include': "
    says "... and names the line of Makefile.am" \
        "FAIL Makefile.am: has 'include build-aux/bigtcp.mk' already"
    says "... and names the line of testsuite.at" \
        "FAIL tests/testsuite.at: has 'm4_include([tests/bigtcp.at])' already"
    says "... and names the line of the manual page" \
        "ovs-vswitchd.8.in: has '.so lib/bigtcp-unixctl.man' already"
    says "... and names the column" 'FAIL vswitchd/vswitch.xml: has column '\
'other_config:gso_max_size of table "Interface" already'
}

test_sources() {
    mkdir "$tmp/empty"
    expect "a folder that is no Open vSwitch is refused" 1 \
        "$overlay" apply --source "$tmp/empty" --tree "$tmp/no"
    says "... by name" "bigtcp-overlay: $tmp/empty: "
    echo 'AC_INIT(openvpn, 3.1)' >"$tmp/empty/configure.ac"
    expect "another package is refused" 1 "$overlay" version "$tmp/empty"
    says "... by name" "$tmp/empty: not an Open vSwitch source"
    expect "a file that is no tarball is refused" 1 \
        "$overlay" version "$tmp/empty/configure.ac"
    says "... by name" "$tmp/empty/configure.ac: "
    expect "a source that does not exist is refused" 1 \
        "$overlay" version "$tmp/none"
    says "... by name" "$tmp/none"
    if grep -q Traceback "$tmp/out"; then
        not_ok "... without a Python traceback" "$tmp/out"
    else
        ok "... without a Python traceback"
    fi

    copy_source
    edit "$changed_source/configure.ac" \
        's/^(AC_INIT\(\[?openvswitch\]?, *\[?)[0-9.]+/\12.17.0/'
    expect "a source that is too old is refused" 1 \
        "$overlay" check "$changed_source"
    says "... by name" "$changed_source: Open vSwitch 2.17.0 is older than 3.1"

    copy_source
    touch "$changed_source/config.status"
    expect "a source that is configured is refused" 1 \
        "$overlay" apply --source "$changed_source" --tree "$tmp/no"
    says "... by name" "$changed_source: is configured"
    if test ! -e "$tmp/no"; then
        ok "none of these made a tree"
    else
        not_ok "none of these made a tree"
    fi
    rm -r "$tmp/empty"
}

test_apply() {
    copy_ours
    copy_source
    contents "$changed_source" >"$tmp/source1"
    stamps "$changed_source" >"$tmp/source1s"
    apply=("$ours/build-aux/bigtcp-overlay" apply --source "$changed_source"
           --tree "$tree")
    expect "apply" 0 "${apply[@]}"
    contents "$changed_source" >"$tmp/source2"
    stamps "$changed_source" >"$tmp/source2s"
    same "... leaves the content of the source alone" \
        "$tmp/source1" "$tmp/source2"
    same "... and its times" "$tmp/source1s" "$tmp/source2s"

    expect "apply from a tarball or folder" 0 "$overlay" apply \
        --source "$other" --tree "$tmp/tree2"
    contents "$tree" >"$tmp/a"
    contents "$tmp/tree2" >"$tmp/b"
    same "... gives the same tree" "$tmp/a" "$tmp/b"
    rm -rf "$tmp/tree2"

    stamps "$tree" >"$tmp/1"
    expect "apply again" 0 "${apply[@]}"
    stamps "$tree" >"$tmp/2"
    same "... changes nothing" "$tmp/1" "$tmp/2"

    append "$ours/lib/bigtcp/policy.c" '/* One more line. */'
    expect "apply after an edit of lib/bigtcp/policy.c" 0 "${apply[@]}"
    stamps "$tree" >"$tmp/3"
    changed "$tmp/2" "$tmp/3" >"$tmp/list"
    echo ./lib/bigtcp/policy.c >"$tmp/wanted"
    same "... changes that file alone" "$tmp/wanted" "$tmp/list"
    expect "... to ours" 0 cmp "$ours/lib/bigtcp/policy.c" "$tree/lib/bigtcp/policy.c"

    append "$ours/vswitchd/bigtcp-bridge.cocci" '// One more line.'
    cp "$tree/vswitchd/bridge.c" "$tmp/bridge.c"
    expect "apply after an edit of a semantic patch without effect" 0 "${apply[@]}"
    same "... has each hook once" "$tmp/bridge.c" "$tree/vswitchd/bridge.c"
    stamps "$tree" >"$tmp/4"
    changed "$tmp/3" "$tmp/4" >"$tmp/list"
    echo ./.bigtcp/edited >"$tmp/wanted"
    same "... and changes no file for make" "$tmp/wanted" "$tmp/list"

    edit "$ours/vswitchd/bigtcp-bridge.cocci" \
        's/bigtcp_bridge_wait\(\)/bigtcp_bridge_waits()/'
    expect "apply after an edit of a hook" 0 "${apply[@]}"
    stamps "$tree" >"$tmp/5"
    changed "$tmp/4" "$tmp/5" >"$tmp/list"
    printf '%s\n' ./.bigtcp/edited ./vswitchd/bridge.c >"$tmp/wanted"
    same "... changes the hooked file alone" "$tmp/wanted" "$tmp/list"
    sed 's/bigtcp_bridge_waits()/bigtcp_bridge_wait()/' \
        "$tree/vswitchd/bridge.c" >"$tmp/renamed.c"
    same "... and only the hook in it" "$tmp/bridge.c" "$tmp/renamed.c"

    edit "$ours/vswitchd/bigtcp-vswitch.xml" \
        '0,/^ +<p>$/s//        <p>One more sentence.<\/p>\n&/'
    stamps "$tree" >"$tmp/6"
    expect "apply after an edit of the column texts" 0 "${apply[@]}"
    stamps "$tree" >"$tmp/7"
    changed "$tmp/6" "$tmp/7" >"$tmp/list"
    printf '%s\n' ./.bigtcp/edited ./vswitchd/vswitch.xml >"$tmp/wanted"
    same "... changes vswitch.xml alone" "$tmp/wanted" "$tmp/list"
}

# An 'apply' that fails, and what comes after it.
test_failing_apply() {
    copy_ours
    contents "$tree" >/dev/null
    expect "apply our files as they are" 0 "${apply[@]}"
    stamps "$tree" >"$tmp/1"
    contents "$tree" >"$tmp/c1"

    # The first semantic patch holds, with other text, the second does not.
    cp -a "$ours" "$ours.good"
    edit "$ours/vswitchd/bigtcp-bridge.cocci" \
        's/bigtcp_bridge_wait\(\)/bigtcp_bridge_waits()/'
    edit "$ours/ofproto/bigtcp-ofproto.cocci" 's/ update_mtu/ update_foo/'
    append "$ours/lib/bigtcp/policy.c" '/* One more line. */'
    expect "apply with a hook that matches nothing fails" 1 "${apply[@]}"
    says "... and names it" "bigtcp-overlay: ofproto/bigtcp-ofproto.cocci: hook"
    stamps "$tree" >"$tmp/2"
    same "... and writes nothing" "$tmp/1" "$tmp/2"
    expect "apply fails once more" 1 "${apply[@]}"

    rm -rf "$ours"
    mv "$ours.good" "$ours"
    expect "apply after it was mended" 0 "${apply[@]}"
    contents "$tree" >"$tmp/c2"
    same "... gives the tree of before" "$tmp/c1" "$tmp/c2"

    append "$ours/vswitchd/bigtcp-bridge.cocci" '
@too_much@
@@
-bridge_run__();'
    expect "a semantic patch that does more than its hooks is refused" 1 "${apply[@]}"
    says "... by name" "changes more of vswitchd/bridge.c than its hooks"
    copy_ours

    # As after a write that was cut short.
    head -n 1000 "$tree/vswitchd/bridge.c" >"$tmp/half"
    cp "$tmp/half" "$tree/vswitchd/bridge.c"
    expect "apply to a tree with half of an edited file" 0 "${apply[@]}"
    contents "$tree" >"$tmp/c2"
    same "... mends it" "$tmp/c1" "$tmp/c2"
    mv "$tree/.bigtcp/pristine/ofproto/ofproto.c" "$tree/ofproto/ofproto.c"
    rm "$tree/.bigtcp/edited"
    expect "apply to a tree in which one file less was edited" 0 "${apply[@]}"
    contents "$tree" >"$tmp/c2"
    same "... mends it" "$tmp/c1" "$tmp/c2"
    rm "$tree/lib/bigtcp/policy.c" "$tree/lib/bigtcp-config.h"
    expect "apply to a tree that lacks files of ours" 0 "${apply[@]}"
    contents "$tree" >"$tmp/c2"
    same "... mends it" "$tmp/c1" "$tmp/c2"

    edit "$ours/build-aux/bigtcp-files.mk" 's,lib/bigtcp/compat.h,lib/bigtcp/none.h,'
    expect "apply without a file of the manifest fails" 1 "${apply[@]}"
    says "... and names it" "lib/bigtcp/none.h: listed in "
    edit "$ours/build-aux/bigtcp-files.mk" '/lib.bigtcp.none.h/d'
    expect "apply after a file left the manifest" 0 "${apply[@]}"
    if test ! -e "$tree/lib/bigtcp/compat.h" && test -e "$tree/lib/bfd.h"; then
        ok "... takes it out of the tree"
    else
        not_ok "... takes it out of the tree"
    fi
    copy_ours
    expect "apply after it came back" 0 "${apply[@]}"
    contents "$tree" >"$tmp/c2"
    same "... gives the tree of before" "$tmp/c1" "$tmp/c2"

    chmod 600 "$ours/lib/bigtcp/policy.c"
    expect "apply after a change of mode" 0 "${apply[@]}"
    if test "$(stat -c %a "$tree/lib/bigtcp/policy.c")" = 600; then
        ok "... changes the mode"
    else
        not_ok "... changes the mode"
    fi
    copy_ours
}

# When the tree is made anew, and when that is refused.
test_replace() {
    expect "apply" 0 "${apply[@]}"
    stamps "$tree" >"$tmp/1"
    mkdir -p "$changed_source/.git"
    touch "$changed_source/.git/index"
    expect "apply after a git command in the source" 0 "${apply[@]}"
    stamps "$tree" >"$tmp/2"
    same "... changes nothing" "$tmp/1" "$tmp/2"

    touch "$tree/.bigtcp/configured"
    append "$changed_source/NEWS" 'One more line.'
    expect "apply after a change of the source" 0 "${apply[@]}"
    if cmp -s "$changed_source/NEWS" "$tree/NEWS" \
        && test ! -e "$tree/.bigtcp/configured" && test ! -e "$tree/.git"; then
        ok "... makes the tree anew"
    else
        not_ok "... makes the tree anew"
    fi

    stamps "$changed_source" >"$tmp/1"
    expect "a tree that is the source is refused" 1 "$overlay" apply \
        --source "$changed_source" --tree "$changed_source"
    says "... by name" "overlaps $changed_source"
    expect "a tree in the source is refused" 1 "$overlay" apply \
        --source "$changed_source" --tree "$changed_source/_build"
    ln -sfn "$changed_source" "$tmp/link"
    expect "... also through a link" 1 "$overlay" apply \
        --source "$changed_source" --tree "$tmp/link/_build"
    stamps "$changed_source" >"$tmp/2"
    same "... and nothing is written there" "$tmp/1" "$tmp/2"
    mkdir "$tmp/others"
    echo precious >"$tmp/others/file"
    expect "a tree that is not of our making is refused" 1 "$overlay" apply \
        --source "$changed_source" --tree "$tmp/others"
    says "... by name" "$tmp/others: exists and was not made by"
    if test "$(cat "$tmp/others/file")" = precious; then
        ok "... and not deleted"
    else
        not_ok "... and not deleted"
    fi
    rm -rf "$tmp/others" "$tmp/link"
    if ls -d "$tmp"/*.tmp.* >/dev/null 2>&1; then
        not_ok "no scratch folders are left"
    else
        ok "no scratch folders are left"
    fi
}

ours=$tmp/ours
tree=$tmp/tree
source=$tmp/source
changed_source=$tmp/changed
overlay=$top/build-aux/bigtcp-overlay

if test $# = 0; then
    for given in /usr/src/openvswitch /usr/src/openvswitch/openvswitch.tar.gz; do
        if test -f "$given/vswitchd/bridge.c" || test -f "$given"; then
            set -- "$given"
            break
        fi
    done
fi
if test $# = 0; then
    echo "$0: no Open vSwitch source: install openvswitch-source or name one" >&2
    exit 1
fi

for given; do
    rm -rf "$source" "$tree"
    if test -d "$given"; then
        cp -a "$(cd "$given" && pwd -P)" "$source"
    elif test -e "$given"; then
        mkdir "$source"
        tar -C "$source" --strip-components=1 -xf "$given"
    else
        echo "$0: $given does not exist" >&2
        exit 1
    fi
    label=$("$overlay" version "$given")
    for t in check hooks anchors already sources apply failing_apply replace; do
        test_$t
    done
done
echo "1..$n"
echo "$passed passed, $failed failed, 0 skipped"
test $failed = 0
