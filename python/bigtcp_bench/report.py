# SPDX-License-Identifier: Apache-2.0
"""Presents results as text in Markdown."""

import math

from bigtcp_bench import machine
from bigtcp_bench import stats

# What others have published, for comparison.
PUBLISHED = {
    "internal-port": "one iperf3 flow at 524280 bytes against 65536: +18.1 % "
                     "over IPv4, +34.7 % over IPv6",
    "rr": "7000 transactions/s at 65536 bytes, 8350 at 80000 and more (ratio "
          "1.19); p90 from 167 to 137 us, p99 from 188 to 147 us",
    "mixed": "51.6 Gbit/s without BIG TCP, 15.8 mixed and cut to the MSS "
             "(ratio 0.31), 52.6 mixed and re-segmented (1.02)",
    "tunnel": "139 Mbit/s where the uplink's limit is ignored, 8.68 Gbit/s "
              "where the tunnel inherits it",
}

TITLES = {
    "internal-port": "Internal port, bridge, veth: one TCP flow",
    "rr": "Request and response of 80000 bytes",
    "mixed": "BIG TCP into an egress of 65536 bytes",
    "tunnel": "Through a tunnel",
    "sweep": "By size, and what there is besides Open vSwitch",
    "control-plane": "Control plane",
}

CONTROL_PLANE = (
    ("one Open_vSwitch key applies to all", "apply", "s"),
    ("any other key of Open_vSwitch", "change", "s"),
    ("`ip -batch` sets the same", "ip_batch", "s"),
    ("one key applies to all: ratio to `ip -batch` (aim: at most 1)",
     "apply_ratio", ""),
    ("that ratio, less what any other key takes", "apply_added_ratio", ""),
    ("unrelated change, no key set (CPU)", "unrelated_off", "s"),
    ("ratio to Open vSwitch without this layer", "unrelated_off_ratio", ""),
    ("ratio until Interface status is up to date",
     "unrelated_off_told_ratio", ""),
    ("unrelated change with `bigtcp=auto` (CPU)", "unrelated_on", "s"),
    ("ratio to Open vSwitch without this layer (aim: at most 1.02)",
     "unrelated_on_ratio", ""),
    ("ratio until Interface status is up to date",
     "unrelated_on_told_ratio", ""),
    ("one poll (CPU; aim at 10,000 ports: 0.1 s)", "poll", "s"),
    ("`bigtcp/show` (CPU of the daemon beyond that for a command that does "
     "nothing; aim at 10,000 ports: 0.1 s)",
     "show_cpu", "s"),
    ("`bigtcp/show`, as its user waits", "show", "s"),
    ("memory a port", "memory_per_port", "B"),
    ("rounds that the figures are medians of", "rounds", ""),
)


# Figures.

def column(rounds, key):
    """'key' of the values by round, of the rounds that have it."""
    return {number: values[key] for number, values in rounds.items()
            if values.get(key) is not None}


def average(rounds, key):
    values = list(column(rounds, key).values())
    return stats.mean(values) if values else None


def number(value, form="%.3g", scale=1):
    return "-" if value is None else form % (value / scale)


def percent(value):
    return "-" if value is None else "%.1f %%" % (100 * value)


def ratio(base, rounds, key):
    """Text of the ratio of 'rounds' to 'base', with its interval."""
    if rounds is base:
        return "1" if column(base, key) else "-"
    middle, low, high = stats.ratio(column(base, key), column(rounds, key))
    if middle is None:
        return "-"
    if low is None:
        return "%.3f" % middle
    return "%.3f (%.3f to %.3f)" % (middle, low, high)


def table(heads, rows):
    """Markdown.  All columns but those of heads that begin with '<' are of
    numbers."""
    lines = ["| " + " | ".join(head.lstrip("<") for head in heads) + " |",
             "|" + "|".join(" --- " if head.startswith("<") else " ---: "
                            for head in heads) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


# Parts.

def flows(results, part):
    rows = []
    for case in results.cases(part):
        states = results.values(part, case)
        base = None
        for state, rounds in in_order(states):
            base = base or rounds
            rate = column(rounds, "bits_per_second")
            rows.append([
                case, state, "%d" % len(rounds),
                number(average(rounds, "bits_per_second"), "%.3f", 1e9),
                percent(stats.variation(list(rate.values()))),
                ratio(base, rounds, "bits_per_second"),
                number(average(rounds, "bytes_per_packet"), "%.0f"),
                number(average(rounds, "cpu_seconds_per_gb"), "%.3f"),
                ratio(base, rounds, "cpu_seconds_per_gb")])
    return table(["<case", "<state", "runs", "Gbit/s", "CV",
                  "ratio (95 % interval)", "bytes a packet", "CPU s/GB",
                  "ratio (95 % interval)"], rows)


def sort_key(state):
    return (0, int(state)) if state.isdigit() else (1, 0)


def in_order(states):
    """Items of 'states' with sizes first, by size, and others as they came
    first: the first round has them in order."""
    first = {state: position for position, state in enumerate(
        sorted(states, key=lambda state: min(states[state])))}
    return sorted(states.items(),
                  key=lambda item: (sort_key(item[0]), first[item[0]]))


def transactions(results, part):
    rows = []
    for case in results.cases(part):
        base = None
        for state, rounds in in_order(results.values(part, case)):
            base = base or rounds
            key = "transactions_per_second"
            rows.append(
                [case, state, "%d" % len(rounds),
                 number(average(rounds, key), "%.0f"),
                 percent(stats.variation(list(column(rounds, key).values()))),
                 ratio(base, rounds, key)]
                + [number(average(rounds, "latency_" + name), "%.0f")
                   for name in ("min", "p50", "p90", "p99")])
    return table(["<case", "size", "runs", "transactions/s", "CV",
                  "ratio (95 % interval)", "min us", "p50 us", "p90 us",
                  "p99 us"], rows)


def ports(results, part):
    """A dict of averages by number of ports, in order."""
    found = {}
    for case in results.cases(part):
        for rounds in results.values(part, case).values():
            found[int(case.split()[0])] = {
                key: average(rounds, key) for _, key, _ in CONTROL_PLANE}
    return dict(sorted(found.items()))


def power(by_ports, key):
    """Text of how 'key' grows with the ports, between the two largest
    numbers of them."""
    known = [(count, values[key]) for count, values in by_ports.items()
             if values[key] is not None and values[key] > 0]
    if len(known) < 2:
        return "-"
    (few, small), (many, large) = known[-2:]
    return "n^%.2f" % (math.log(large / small) / math.log(many / few))


def control_plane(results, part):
    by_ports = ports(results, part)
    rows = [[title] + [("%s %s" % (number(values[key]), unit)).strip()
                       if values[key] is not None else "-"
                       for values in by_ports.values()]
            + [power(by_ports, key) if unit == "s" else "-"]
            for title, key, unit in CONTROL_PLANE]
    return table(["<ports"] + ["%d" % count for count in by_ports]
                 + ["grows as"], rows)


def recommended(results):
    """From which size on throughput is the same within the noise."""
    lines = []
    for case in results.cases("sweep"):
        states = results.values("sweep", case)
        sizes = sorted((int(state) for state in states if state.isdigit()),
                       reverse=True)
        best = None
        for size in sizes:
            _, _, high = stats.ratio(
                column(states[str(sizes[0])], "bits_per_second"),
                column(states[str(size)], "bits_per_second"))
            if size != sizes[0] and (high is None or high < 1):
                break
            best = size
        if len(sizes) > 1 and best == sizes[-1]:
            lines.append("Throughput does not tell the sizes apart beyond "
                         "the noise.")
        elif len(sizes) > 1:
            lines.append("From %d bytes on, no size has less throughput than "
                         "%d beyond the noise." % (best, sizes[0]))
    return "".join(line + "\n" for line in lines)


def closeness(results):
    """How much of loopback's throughput Open vSwitch has."""
    lines = []
    for case in results.cases("sweep"):
        states = results.values("sweep", case)
        sizes = sorted(int(state) for state in states if state.isdigit())
        if "loopback" not in states or not sizes:
            continue
        for size in (sizes[-1], sizes[0]):
            lines.append(
                "Open vSwitch at %d bytes has %s times the throughput of "
                "loopback." % (size, ratio(states["loopback"],
                                           states[str(size)],
                                           "bits_per_second")))
    return "\n".join(lines) + "\n" if lines else ""


# The results that matter: title, part, case (or what it begins with), the
# states of the ratio, its key, and what others found.
SHORT = (
    ("One flow, IPv4: 524280 bytes against 65536", "internal-port", "IPv4",
     "65536", "524280", "bits_per_second", "1.181"),
    ("One flow, IPv6: 524280 bytes against 65536", "internal-port", "IPv6",
     "65536", "524280", "bits_per_second", "1.347"),
    ("Requests of 80000 bytes: at 81920 against 65536", "rr", "IPv6",
     "65536", "81920", "transactions_per_second", "1.19"),
    ("Requests of 80000 bytes: at 524280 against 65536", "rr", "IPv6",
     "65536", "524280", "transactions_per_second", "1.19"),
    ("BIG TCP cut to the MSS at a 64 kB egress, against none", "mixed", "",
     "no BIG TCP", "mixed", "bits_per_second", "0.31"),
    ("BIG TCP cut to the MSS at a 64 kB egress, against none", "mixed", "",
     "no BIG TCP", "mixed, cut to the MSS", "bits_per_second", "0.31"),
    ("BIG TCP re-segmented at a 64 kB egress, against none", "mixed", "",
     "no BIG TCP", "mixed, re-segmented", "bits_per_second", "1.02"),
    ("Tunnel that inherits its uplink's 16384 bytes, against not", "tunnel",
     "IPv6, vxlan, uplink 16384", "bigtcp=off", "bigtcp=auto",
     "bits_per_second", "62"),
    ("BIG TCP through vxlan, against none", "tunnel",
     "IPv6, vxlan, uplink 524280", "bigtcp=off", "bigtcp=auto",
     "bits_per_second", "-"),
    ("BIG TCP through geneve, against none", "tunnel",
     "IPv6, geneve, uplink 524280", "bigtcp=off", "bigtcp=auto",
     "bits_per_second", "-"),
    ("Open vSwitch at 524280 bytes, against loopback", "sweep", "",
     "loopback", "524280", "bits_per_second", "-"),
)


def short(results):
    """The results that matter, of those that there are."""
    rows = []
    for title, part, prefix, base, other, key, published in SHORT:
        for case in results.cases(part):
            states = results.values(part, case)
            if (case.startswith(prefix) and "netperf" not in case
                    and base in states and other in states):
                whole = title
                if not prefix and len(results.cases(part)) > 1:
                    whole += " (%s)" % case
                rows.append([whole, published,
                             ratio(states[base], states[other], key)])
    for count, values in ports(results, "control-plane").items():
        for title, key in (("one key applies to %d ports, against "
                            "`ip -batch`", "apply_ratio"),
                           ("what the key adds to a change that is made with "
                            "%d ports, against `ip -batch`",
                            "apply_added_ratio"),
                           ("unrelated change with %d ports, against Open "
                            "vSwitch without this layer (CPU)",
                            "unrelated_on_ratio")):
            if values[key] is not None:
                rows.append([(title[0].upper() + title[1:]) % count, "-",
                             number(values[key])])
    return table(["<ratio of", "published", "here"], rows) if rows else ""


TABLES = {"rr": transactions, "control-plane": control_plane}


def describe(data):
    """Where and with what it was measured, lines of Markdown."""
    where = data["machine"]
    lines = ["%s, %d CPUs, %s GiB; %s.%s"
             % (where["cpu"], where["cpus"], where["memory_gib"],
                machine.DESCRIPTIONS[where["virtualization"]],
                machine.CLOCKS[where.get("clock", "time")]),
             "Name of the machine: %s." % (where.get("label")
                                           or where["host"]),
             ", ".join("%s %s" % item for item in software(data)) + ".",
             "Begun %s, last run %s."
             % (data["started"], max(run["time"] for run in data["runs"])
                if data["runs"] else "none")]
    return "".join("* %s\n" % line for line in lines)


NAMES = (("kernel", "Linux"), ("ovs", "Open vSwitch"), ("iperf3", "iperf3"),
         ("netperf", "netperf"))


def software(data):
    return [(title, data["software"][key]) for key, title in NAMES
            if data["software"].get(key)]


def markdown(results, plots=()):
    """The report.  'plots' are names of files by part."""
    data = results.data
    plots = dict(plots)
    text = ["# BIG TCP through Open vSwitch: measurements\n",
            describe(data),
            "Runs of one round follow each other, and every second round goes "
            "the other way.\nCV: coefficient of variation.  A ratio is the "
            "geometric mean of the rounds' ratios to the\nfirst state, its "
            "interval is by Student's distribution of their logarithms.\n"]
    if results.parts():
        text += ["## In short\n", short(results)]
    for part in sorted(results.parts(), key=list(TITLES).index):
        text.append("## %s (%s)\n" % (TITLES[part], part))
        text.append(TABLES.get(part, flows)(results, part))
        if part == "sweep":
            text.append(recommended(results))
            text.append(closeness(results))
        if part in PUBLISHED:
            text.append("Published elsewhere: %s.\n" % PUBLISHED[part])
        if part in plots:
            text.append("![%s](%s)\n" % (TITLES[part], plots[part]))
    if data["skipped"]:
        text.append("## Not measured\n")
        text.append("".join("* %s: %s\n" % item
                            for item in sorted(data["skipped"].items())))
    return "\n".join(text)
