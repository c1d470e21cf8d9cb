#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0

"""Tests how lib/bigtcp/ is put together: that files include only what comes
before them, and that nobody exports data that can be written to.

usage: structure.py TREE

TREE is a tree of Open vSwitch that was built with our files.  Prints TAP; exits
with 1 if a test failed.

The lists KNOWN_* below hold what is not yet as it should be.  They may only
shrink: what is in them and no longer found fails as well."""

import glob
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

# From the first layer to the last.  A file includes files of layers before its
# own and of its own.  A name stands for NAME.c and NAME.h, and need not exist.
LAYERS = (
    ("types", "types"),
    ("report", "report counts compat"),
    ("settings", "settings"),
    ("policy", "policy graph group"),
    ("provider", "provider"),
    ("kernel access", "bpf bpf-program dummy ethtool genl hazards link-watch nl"
                      " probe route rtnl rtnl-msg rtnl-probe stub tc"),
    ("originals", "originals"),
    ("registry", "registry"),
    ("topology", "topology"),
    ("engine", "engine port port-private device commit"),
    ("reports", "capabilities news observe path path-devices path-show show"),
)

# "FILE -> INCLUDED FILE".
KNOWN_INCLUDES = {
    "report.h -> settings.h",
    "commit.c -> news.h",
    "device.c -> observe.h",
    "port.c -> observe.h",
    "topology.c -> port-private.h",
}

# "MODULE MODULE...", sorted: these include each other in a circle.
KNOWN_CIRCLES = {"observe port"}

# "FILE: SYMBOL".
KNOWN_DATA = {
    "lib/bigtcp/device.c: bigtcp_devices",
    "lib/bigtcp/device.c: bigtcp_stale_devices",
    "lib/bigtcp/device.c: bigtcp_touched_devices",
    "lib/bigtcp/port.c: bigtcp_bridges",
    "lib/bigtcp/port.c: bigtcp_ports",
}

# What VLOG_DEFINE_THIS_MODULE and COVERAGE_DEFINE make.
MACROS_MAKE = re.compile(r"VLM_\w+|counter_\w+|this_module")

RANK = {name: rank for rank, (_, names) in enumerate(LAYERS)
        for name in names.split()}


def stem(name):
    return name.rsplit(".", 1)[0]


def read_includes(folder):
    """Returns, for each C file in 'folder', the files of it that it includes."""
    includes = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith((".c", ".h")):
            with open(os.path.join(folder, name)) as stream:
                includes[name] = re.findall(
                    r'^[ \t]*#[ \t]*include[ \t]+"(?:lib/)?bigtcp/([^"]+)"',
                    stream.read(), re.M)
    return includes


def not_in_table(includes):
    return {name for name in includes if stem(name) not in RANK}


def upward(includes):
    """Returns what includes something of a later layer."""
    return {"%s -> %s" % (name, other)
            for name, others in includes.items() for other in others
            if RANK.get(stem(other), len(LAYERS)) > RANK.get(stem(name), -1)
            and stem(other) != stem(name)}


def circles(includes):
    """Returns the sets of modules that include each other in a circle."""
    after = {}
    for name, others in includes.items():
        after.setdefault(stem(name), set()).update(
            stem(other) for other in others if stem(other) != stem(name))

    def reachable(start):
        found, todo = set(), [start]
        while todo:
            for module in after.get(todo.pop(), ()):
                if module not in found:
                    found.add(module)
                    todo.append(module)
        return found

    reach = {module: reachable(module) for module in after}
    return {" ".join(sorted(other for other in reach[module]
                            if module in reach.get(other, ())))
            for module in reach if module in reach[module]}


def objects(tree):
    """Returns, for each of our C files that is part of the daemon, its object
    files in 'tree'."""
    with open(os.path.join(tree, ".bigtcp/laid")) as stream:
        sources = [line for line in stream.read().split()
                   if re.fullmatch(r"(lib/bigtcp/|(ofproto|vswitchd)/bigtcp-)"
                                   r".*\.c", line)]
    return {source: glob.glob(os.path.join(
                tree, os.path.dirname(source),
                "*" + stem(os.path.basename(source)) + ".o"))
            for source in sources}


def own(source, paths):
    """Returns those of 'paths' that are objects of 'source' and not of a file
    whose name only ends alike."""
    base = stem(os.path.basename(source))
    return [path for path in paths
            if re.fullmatch(r"(lib\w+-)?" + re.escape(base) + r"\.o",
                            os.path.basename(path))]


def writable(symbols):
    """Returns the names of exported writable data in 'symbols', the output of
    'nm --format=sysv'.  Constants with addresses in them have class D too, but
    are made read-only before the program starts."""
    names = set()
    for line in symbols.splitlines():
        fields = [field.strip() for field in line.split("|")]
        if (len(fields) == 7 and fields[2] in "DBCGS" and fields[2]
                and not fields[6].startswith(".data.rel.ro")
                and not MACROS_MAKE.fullmatch(fields[0])):
            names.add(fields[0])
    return names


n_tests = 0
n_failed = 0


def check(title, found, known=frozenset()):
    """Reports test 'title', which passes if 'found' is just what is known."""
    global n_tests, n_failed
    n_tests += 1
    new, gone = set(found) - set(known), set(known) - set(found)
    n_failed += bool(new or gone)
    print("%s %d - %s" % ("not ok" if new or gone else "ok", n_tests, title))
    for item in sorted(new):
        print("# %s" % item)
    for item in sorted(gone):
        print("# no longer so, take it out of the list: %s" % item)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: structure.py TREE")
    tree = sys.argv[1]

    includes = read_includes(os.path.join(TOP, "lib/bigtcp"))
    check("files are there", set() if includes else {"no file in lib/bigtcp"})
    check("each file is in the table of layers", not_in_table(includes))
    check("files include what comes before them", upward(includes),
          KNOWN_INCLUDES)
    check("no modules include each other in a circle", circles(includes),
          KNOWN_CIRCLES)

    data, missing = set(), set()
    for source, paths in objects(tree).items():
        paths = own(source, paths)
        if not paths and source != "lib/bigtcp/stub.c":
            missing.add(source)
        for path in paths:
            symbols = subprocess.run(
                ["nm", "--format=sysv", "--extern-only", "--defined-only",
                 path], stdout=subprocess.PIPE, check=True).stdout.decode()
            data |= {"%s: %s" % (source, name) for name in writable(symbols)}
    check("each file has an object", missing)
    check("no object exports data that can be written to", data, KNOWN_DATA)

    # That these would find something.
    check("a file that is not in the table is found",
          not_in_table({"new.c": [], "rtnl.c": []}), {"new.c"})
    check("an include of a later layer is found",
          upward({"policy.c": ["policy.h", "rtnl.h"], "engine.c": ["tc.h"]}),
          {"policy.c -> rtnl.h"})
    check("a circle is found",
          circles({"tc.c": ["tc.h", "nl.h"], "nl.c": ["route.h"],
                   "route.h": ["tc.h"], "rtnl.c": ["tc.h"]}), {"nl route tc"})
    check("writable data are found, constants and macros' are not",
          writable("a|0|   D  |OBJECT|8|     |.data\n"
                   "b|0|   B  |OBJECT|8|     |.bss\n"
                   "c|8|   C  |OBJECT|8|     |*COM*\n"
                   "d|0|   D  |OBJECT|8|     |.data.rel.ro.local\n"
                   "e|0|   R  |OBJECT|8|     |.rodata\n"
                   "f|0|   T  |FUNC|8|     |.text\n"
                   "VLM_bigtcp|0|   D  |OBJECT|8|     |.data\n"
                   "counter_bigtcp_read|0|   D  |OBJECT|8|     |.data\n"),
          {"a", "b", "c"})

    print("1..%d" % n_tests)
    sys.exit(1 if n_failed else 0)


main()
