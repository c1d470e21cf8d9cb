# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# Shell functions of build-aux/kernel-*, to be read with '.'.
#
# The caller sets 'me' to its own name for messages and 'kernel_topdir' to the
# top of our sources, and runs with 'set -eu'.
# A FLAVOR is a kernel series that Debian has: 6.1, 6.12 or 7.3.  Nothing here
# knows a point release; apt says which one there is.
#
# Where a cached file is used, the name of its directory is the hash of all
# that it was made from, and its own hash is compared with the one that was
# written beside it.

kernel_cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/openvswitch-bigtcp/kernel
kernel_flavors="6.1 6.12 7.3"
kernel_start=$(date +%s)

# An older tool must not inherit these from a make that called us.
unset MAKEFLAGS MFLAGS MAKELEVEL KERNELRELEASE || :
export LC_ALL=C

# shellcheck disable=SC2154
die() {
    echo "$me: $*" >&2
    exit 1
}

# Reports a step on stderr with the seconds since the start.
say() {
    echo "$me: $(($(date +%s) - kernel_start)) s: $*" >&2
}

# Sets 'flavor' to $1, and 'suite' to where it comes from, or dies.
kernel_flavor() {
    flavor=$1
    # Up to 6.12 one package has the whole image; later there are several.
    case $flavor in
    6.1 | 6.12) suite=system split=0 ;;
    7.3) suite=trixie-backports split=1 ;;
    *) die "FLAVOR is '$flavor', must be one of: $kernel_flavors" ;;
    esac
}

# Waits for the lock $1, by default that of 'flavor', and keeps it until the
# script ends or takes another one.
kernel_lock() {
    mkdir -p "$kernel_cache"
    exec 8>"$kernel_cache/lock-${1-$flavor}"
    flock 8
}

# Runs apt-get install for the PACKAGE[=VERSION]s given.
kernel_apt_install() {
    say "installing $*"
    # What a package starts must not inherit our lock.
    DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o DPkg::Lock::Timeout=600 install --no-install-recommends "$@" \
        8>&- >&2 || die "cannot install $*"
}

# Installs those of the PACKAGEs given that are missing.
kernel_need() {
    missing=
    for package; do
        case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
        installed) ;;
        *) missing="$missing $package" ;;
        esac
    done
    # shellcheck disable=SC2086
    [ -z "$missing" ] || kernel_apt_install $missing
}

# Prints the SHA-256 of stdin, or of each file given on a line of its own.
kernel_hash() {
    sha256sum "$@" | cut -c1-64
}

# Prints the text of the functions named, from this file.
kernel_function() {
    for function; do
        # shellcheck disable=SC2154
        sed -n "/^$function() {/,/^}/p" \
            "$kernel_topdir/build-aux/kernel-common.sh"
    done
}

# Succeeds if directory $1 holds what the file $1/.sum says.  Otherwise removes
# it, and with it what has not been used for a month.
kernel_cached() {
    if [ -f "$1/.sum" ] &&
            (cd "$1" && sha256sum --status --strict -c .sum) 2>/dev/null; then
        touch "$1/.sum"
        return
    fi
    rm -rf "$1"
    find "$kernel_cache" -mindepth 2 -maxdepth 2 -name .sum -mtime +30 |
        while read -r old; do
            rm -rf "${old%/.sum}"
        done
    return 1
}

# Writes $1/.sum: the hashes of those regular files below $1 that find's
# expression in the other arguments selects.
kernel_seal() {
    sealed=$1
    shift
    rm -f "$sealed/.sum"
    (cd "$sealed" &&
     find . -type f "$@" -print0 | sort -z | xargs -0 sha256sum) \
        > "$sealed.sum.$$"
    mv "$sealed.sum.$$" "$sealed/.sum"
}

# Fetches the packages PACKAGE=VERSION given and prints their paths.
kernel_fetch() {
    "$kernel_topdir/build-aux/debian-fetch" "$suite" "$@" ||
        die "cannot get $* from $suite"
}

# Chooses for 'flavor', from the lines "PACKAGE VERSION" on stdin, the newest
# kernel of which all parts are there: its image, signed or not, its headers,
# and its source.  They are not published at one time: an architecture's packages
# come hours after the source, and signed ones days.  Where no kernel has its
# own source, the newest that has an image and headers, and the newest source.
#
# Prints the lines "source VERSION", and unless there is none "release RELEASE"
# (as uname -r says it), "headers PACKAGE=VERSION..." (the first one has the
# configuration) and "image PACKAGE=VERSION...".
kernel_pick() {
    sort -k2,2V | awk -v flavor="$flavor" -v split_image="$split" '
        { has[$0]; name[NR] = $1; version[NR] = $2 }

        # Returns the first of the packages in "names" that has version "v".
        function one(names, v,    list, i, n) {
            n = split(names, list, " ")
            for (i = 1; i <= n; i++) {
                if ((list[i] " " v) in has) return list[i] "=" v
            }
            missing = 1
        }

        END {
            stem = "linux-headers-" flavor "."
            for (i = NR; i > 0; i--) {
                v = version[i]
                if (name[i] == "linux-source-" flavor && source == "") source = v
                if (index(name[i], stem) != 1 || name[i] !~ /-amd64$/ ||
                        name[i] ~ /-(cloud|rt)-amd64$/) continue
                missing = 0
                r = substr(name[i], length("linux-headers-") + 1)
                abi = substr(r, 1, length(r) - length("-amd64"))
                h = name[i] "=" v " " one("linux-headers-" abi "-common", v) \
                    " " one("linux-kbuild-" abi " linux-kbuild-" flavor, v)
                if (split_image) {
                    image = one("linux-binary-" r " linux-binary-unsigned-" r, v) \
                        " " one("linux-modules-" r, v) \
                        " " one("linux-base-" r, v)
                } else {
                    image = one("linux-image-" r " linux-image-" r "-unsigned", v)
                }
                if (missing) continue
                own = ("linux-source-" flavor " " v) in has
                if (release == "" || own) {
                    release = r; headers = h; images = image
                }
                if (own) { source = v; break }
            }
            if (source != "") print "source", source
            if (release != "") {
                print "release", release
                print "headers", headers
                print "image", images
            }
        }'
}

# Sets 'source_version', 'release', 'headers' and 'image' to what kernel_pick()
# prints for what 'suite' has.  If 'release' is empty, there is only a source.
kernel_choose() {
    [ "${chosen-}" != "$flavor" ] || return 0
    dots=$(echo "$flavor" | sed 's/\./\\./g')
    picked=$("$kernel_topdir/build-aux/debian-fetch" --list "$suite" \
                 "^linux-[a-z-]*-$dots(\.|\$)") || die "cannot ask for $suite"
    picked=$(echo "$picked" | kernel_pick)
    for field in source_version release headers image; do
        eval "$field=\$(echo \"\$picked\" |
                        sed -n 's/^${field%_version} //p')"
    done
    [ -n "$source_version" ] || die "$suite has no linux-source-$flavor"
    headers_version=${headers##*=}
    [ -z "$release" ] || [ "$source_version" = "$headers_version" ] ||
        say "$suite has no source of Linux $headers_version:" \
            "taking that of $source_version"
    chosen=$flavor
}

# Sets 'source_deb' and 'source_version' for 'flavor'.
kernel_source() {
    kernel_choose
    source_deb=$(kernel_fetch "linux-source-$flavor=$source_version")
}

# Sets 'headers_deb', 'headers_package', 'headers_version' and 'release' (the
# kernel's own name, as uname -r says it) for 'flavor', and 'parts' to the other
# packages of the same source that they need.
kernel_headers() {
    kernel_choose
    [ -n "$release" ] || die "$suite has no Linux $flavor with all its parts"
    # shellcheck disable=SC2086
    debs=$(kernel_fetch $headers)
    headers_deb=$(echo "$debs" | sed -n 1p)
    parts=$(echo "$debs" | sed 1d)
    headers_package=${headers%%=*}
}

# Unpacks the members of linux-source that tar's arguments select into $1.
# Members start with linux-source-FLAVOR/, which is taken off.
kernel_extract() {
    dest=$1
    shift
    mkdir -p "$dest"
    # dpkg-deb ends on SIGPIPE where tar has had enough; tar's word counts.
    dpkg-deb --fsys-tarfile "$source_deb" |
        tar -xOf - "./usr/src/linux-source-$flavor.tar.xz" | xz -dc -T2 |
        tar -C "$dest" --strip-components=1 --anchored --wildcards -xf - "$@" ||
        die "$source_deb: cannot unpack $*"
}

# Builds the tree for 7.3 that $1 names: linux-source with the configuration
# and the symbol versions of the Debian kernel of the same version, made ready
# for external modules.  (Debian's own headers bring host programs that need a
# newer C library than this system has.)  If the source is of another version
# than that kernel, what modules are built from is taken from its headers.
kernel_prepare_tree() {
    tree=$1
    say "preparing a tree of linux-source-$flavor $source_version"
    top=linux-source-$flavor
    kernel_extract "$tree" \
        --exclude "$top/drivers/*.[chS]" --exclude "$top/sound/*.[ch]" \
        --exclude "$top/fs/*.[ch]" --exclude "$top/Documentation/*.rst" \
        --exclude "$top/arch/[!x]*/*.[chS]" --exclude "$top/arch/*.dts*" \
        --exclude "$top/tools/testing/*" --exclude "$top/tools/perf/*" \
        "$top"
    dpkg-deb --fsys-tarfile "$headers_deb" |
        tar -C "$tree" --strip-components=4 -xf - \
            "./usr/src/$headers_package/.config" \
            "./usr/src/$headers_package/Module.symvers" ||
        die "$headers_deb: no configuration"
    if [ "$source_version" != "$headers_version" ]; then
        common=$(echo "$parts" | sed -n 1p)
        from=./usr/src/$(dpkg-deb -f "$common" Package)
        rm -rf "$tree/include" "$tree/arch/x86/include"
        dpkg-deb --fsys-tarfile "$common" |
            tar -C "$tree" --strip-components=4 --wildcards -xf - \
                "$from/Makefile" "$from/include/*" \
                "$from/arch/x86/include/*" ||
            die "$common: no headers"
    fi
    base=$(make -s -C "$tree" kernelversion)
    {
        make -C "$tree" -j2 olddefconfig &&
            make -C "$tree" -j2 LOCALVERSION="${release#"$base"}" \
                modules_prepare
    } >"$tree.log" 2>&1 || {
        tail -n 30 "$tree.log" >&2
        die "cannot prepare $tree (log: $tree.log)"
    }
    made=$(cat "$tree/include/config/kernel.release")
    [ "$made" = "$release" ] ||
        die "$tree calls itself $made, must be $release"
    # These decide the layout of 'struct module' and the form of its symbols.
    for option in CONFIG_DEBUG_INFO_BTF_MODULES CONFIG_MODVERSIONS; do
        debian=$(dpkg-deb --fsys-tarfile "$headers_deb" |
                 tar -xOf - "./usr/src/$headers_package/.config" |
                 grep "^$option=" || :)
        ours=$(grep "^$option=" "$tree/.config" || :)
        [ "$ours" = "$debian" ] ||
            die "$tree/.config: $option is '$ours', Debian has '$debian'"
    done
}

# Unpacks 'headers_deb' and the packages of the same source that it needs, whose
# paths are given, into $1.  (To install them would install the kernel's image
# too, and make an initrd for minutes.)
kernel_unpack_headers() {
    say "unpacking $headers_package $headers_version"
    dest=$1
    shift
    for deb in "$headers_deb" "$@"; do
        dpkg-deb -x "$deb" "$dest" || die "cannot unpack $deb"
    done
    # The one absolute path.
    sed -i "s,^include /usr/src/,include $dest/usr/src/," \
        "$dest/usr/src/$headers_package/Makefile"
}

# Makes sure that external modules can be built for 'flavor' and sets 'builddir'
# to the directory for KERNELDIR, besides what kernel_headers() sets.
kernel_builddir() {
    kernel_headers
    case $suite in
    system)
        # pahole: the headers of 6.12 have a vmlinux to make BTF from.
        kernel_need make gcc gcc-12 libelf1 pahole
        # shellcheck disable=SC2086
        key=$( (kernel_hash "$headers_deb" $parts
                kernel_function kernel_unpack_headers
               ) | kernel_hash | cut -c1-16)
        headers=$kernel_cache/headers-$flavor-$key
        if ! kernel_cached "$headers"; then
            # shellcheck disable=SC2086
            kernel_unpack_headers "$headers" $parts
            kernel_seal "$headers" \( -name '*.h' -o -name Makefile \
                -o -name Module.symvers -o -perm /111 \)
        fi
        builddir=$headers/usr/src/$headers_package
        ;;
    *)
        # pahole too: without it the configuration would lose BTF.
        kernel_need make gcc libc6-dev bc bison flex libelf-dev libssl-dev \
            zlib1g-dev pahole xz-utils
        kernel_source
        # shellcheck disable=SC2086
        key=$( (kernel_hash "$source_deb" "$headers_deb" $parts
                gcc --version; ld --version; pahole --version
                kernel_function kernel_prepare_tree kernel_extract
               ) | kernel_hash | cut -c1-16)
        builddir=$kernel_cache/tree-$flavor-$key
        if ! kernel_cached "$builddir"; then
            kernel_prepare_tree "$builddir"
            kernel_seal "$builddir" \
                \( -name '*.h' -o -name Module.symvers -o -perm /111 \
                -o -path './include/config/*' \)
        fi
        ;;
    esac
    [ -f "$builddir/Module.symvers" ] || die "$builddir: no Module.symvers"
}

# Fails, showing them, if the log of a build named $1 has warnings.
kernel_no_warnings() {
    # The kernel's Makefile compares the version text of compilers that differ
    # only in a security update; that is no word on the code.
    if grep -in 'warning' "$1" |
            grep -v 'the compiler differs from the one used' >&2; then
        die "the build has warnings (log: $1)"
    fi
}

# Builds the external module in directory $1 without a warning, with W=1 or what
# else $2 says.  Log: $1.log.
kernel_build_module() {
    say "building $1 for $release"
    make -C "$builddir" M="$1" -j2 W="${2-1}" modules >"$1.log" 2>&1 || {
        tail -n 30 "$1.log" >&2
        die "the build failed (log: $1.log)"
    }
    kernel_no_warnings "$1.log"
}

# Prints the name of the compiler that builds modules in 'builddir'.
kernel_compiler() {
    config=$builddir/.config
    sed -n 's/^CONFIG_CC_VERSION_TEXT=//p' "$config"
    for cc in gcc gcc-12; do
        "$cc" --version 2>/dev/null | head -n 1 || :
    done
}

# Prints the path of each patch that applies to 'flavor', in order: those of
# datapath-patches/series, then those of datapath-patches/FLAVOR/series.
kernel_series() {
    for dir in "$kernel_topdir/datapath-patches" \
               "$kernel_topdir/datapath-patches/$flavor"; do
        [ -f "$dir/series" ] || continue
        sed 's/#.*//; s/[ 	]*$//; /^$/d' "$dir/series" |
        while read -r patch; do
            [ -f "$dir/$patch" ] || die "$dir/series: no patch '$patch'"
            echo "$dir/$patch"
        done
    done
}

# Prints the patch $1 without its message.
kernel_diff() {
    sed -n '/^diff --git /,$p' "$1"
}

# Prints the paths that the patches given change, inside the kernel's tree.
kernel_touched() {
    sed -n 's,^\(---\|+++\) [ab]/\([^	]*\).*,\2,p' "$@" | sort -u
}

# Prints the folders inside the kernel's tree that hold a module and that the
# patches given change.
kernel_module_folders() {
    kernel_touched "$@" |
        sed -n 's,^\(net/openvswitch\|drivers/.*\)/[^/]*$,\1,p' | sort -u
}

# Unpacks, from linux-source, checkpatch.pl, the modules that the PATCHes given
# change, and what else they change, and sets 'pristine' to that directory (not
# to be written to).  Needs kernel_source().
kernel_pristine() {
    touched=$(kernel_touched "$@")
    folders=$(kernel_module_folders "$@")
    key=$( (kernel_hash "$source_deb"; echo "$touched"
            kernel_function kernel_pristine kernel_extract \
                kernel_module_folders
           ) | kernel_hash | cut -c1-16)
    pristine=$kernel_cache/source-$flavor-$key
    kernel_cached "$pristine" && return
    say "unpacking parts of linux-source-$flavor $source_version"
    top=linux-source-$flavor
    # A patch may add a file, so only those that are asked for by name must
    # exist; patch(1) finds out about the others.
    printf '%s\n' "$top/scripts/checkpatch.pl" \
        "$top/scripts/spelling.txt" "$top/scripts/const_structs.checkpatch" \
        > "$pristine.members"
    printf '%s\n' "$folders" "$touched" | awk -v top="$top" '
        /./ { folder = $0; sub("/[^/]*$", "", folder)
              if (!(folder in seen)) print top "/" $0
              seen[$0] }' >> "$pristine.members"
    kernel_extract "$pristine" -T "$pristine.members"
    rm "$pristine.members"
    kernel_seal "$pristine"
}

# Runs git in directory $1 without anybody's configuration.
kernel_git() {
    (cd "$1" && shift &&
     GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
     git -c user.name=check -c user.email=check@localhost "$@")
}

# Applies the PATCHes $2... with 'git am' to a scratch repository of 'pristine'
# in the new directory $1.  The log goes to $1.log.
kernel_apply_git() {
    dest=$1
    shift
    cp -a "$pristine" "$dest"
    {
        kernel_git "$dest" init -q &&
            kernel_git "$dest" add . &&
            kernel_git "$dest" commit -q -m "linux-source $source_version" &&
            kernel_git "$dest" am "$@"
    } >"$dest.log" 2>&1
}

# Applies the PATCHes $2... with patch(1), without fuzz, to a copy of
# 'pristine' in the new directory $1.  The log goes to $1.log.
kernel_apply_patch() {
    dest=$1
    shift
    cp -a "$pristine" "$dest"
    for patch; do
        patch -d "$dest" -p1 --fuzz=0 --no-backup-if-mismatch --forward \
            --batch < "$patch" || return
    done >"$dest.log" 2>&1
}
