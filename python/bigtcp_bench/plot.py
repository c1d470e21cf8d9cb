# SPDX-License-Identifier: Apache-2.0
"""Draws results as SVG, by gnuplot."""

import os
import shutil
import subprocess

from bigtcp_bench import report
from bigtcp_bench import stats
from bigtcp_bench.system import Failure

HEAD = """\
set terminal svg size 720,420 font "sans-serif,13" background "white"
set output "%s"
set title "%s"
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror out
set key outside bottom center horizontal
set errorbars lc rgb "#333333"
"""
COLOURS = ("#7f8c9b", "#0b6fb8", "#e08214", "#3a9d5d", "#8e5ea2", "#b8323c")


def quote(text):
    return '"%s"' % str(text).replace("\\", "\\\\").replace('"', '\\"')


def cell(value, scale=1):
    return "NaN" if value is None else "%.6g" % (value / scale)


def block(name, rows):
    """Data for gnuplot, a list of words a line."""
    return "$%s << END\n%sEND\n" % (
        name, "".join(" ".join(row) + "\n" for row in rows))


def spread(rounds, key, scale):
    """Mean of 'key' and half of its interval."""
    values = list(report.column(rounds, key).values())
    middle = stats.mean(values) if values else None
    half = stats.interval(values)
    return [cell(middle, scale), cell(half if half is not None else 0, scale)]


def bars(results, part):
    """Throughput by case, a bar for each state."""
    cases = results.cases(part)
    states = []
    for case in cases:
        for state, _ in report.in_order(results.values(part, case)):
            if state not in states:
                states.append(state)
    rows = []
    for case in cases:
        row = [quote(case)]
        values = results.values(part, case)
        for state in states:
            row += spread(values.get(state, {}), "bits_per_second", 1e9)
        rows.append(row)
    curves = ["$data using %d:%d%s title %s lc rgb '%s'"
              % (2 + 2 * i, 3 + 2 * i, ":xtic(1)" if not i else "",
                 quote(state + (" bytes" if state.isdigit() else "")),
                 COLOURS[i % len(COLOURS)])
              for i, state in enumerate(states)]
    return (block("data", rows)
            + "set style data histograms\n"
            "set style histogram errorbars gap 1 lw 1.5\n"
            "set style fill solid 0.85 noborder\n"
            "set yrange [0:*]\nset ylabel 'Gbit/s'\n"
            "plot " + ", \\\n".join(curves) + "\n")


def latencies(results, part):
    """Percentiles of the latency by size."""
    case = results.cases(part)[0]
    names = ("min", "p50", "p90", "p99")
    rows = [[quote(state)] + [cell(report.average(rounds, "latency_" + name))
                              for name in names]
            for state, rounds in report.in_order(results.values(part, case))]
    curves = ["$data using 0:%d%s with linespoints pt 7 lw 2 lc rgb '%s' "
              "title '%s'" % (2 + i, ":xtic(1)" if not i else "",
                              COLOURS[i], name)
              for i, name in enumerate(names)]
    return (block("data", rows)
            + "set yrange [0:*]\nset xrange [-0.5:%g]\n"
            "set xlabel 'bytes'\nset ylabel 'microseconds'\n"
            "plot " % (len(rows) - 0.5) + ", \\\n".join(curves) + "\n")


def sizes(results, part):
    """Throughput and CPU by size, and the throughput of other ways."""
    states = results.values(part, results.cases(part)[0])
    rows = []
    others = []
    for state, rounds in report.in_order(states):
        if state.isdigit():
            rows.append([state]
                        + spread(rounds, "bits_per_second", 1e9)
                        + spread(rounds, "cpu_seconds_per_gb", 1))
        else:
            others.append((state, report.average(rounds,
                                                 "bits_per_second")))
    curves = ["$data using ($1/1024):2:3 with yerrorlines pt 7 lw 2 "
              "lc rgb '%s' title 'Open vSwitch, Gbit/s'" % COLOURS[1],
              "$data using ($1/1024):4:5 axes x1y2 with yerrorlines pt 5 "
              "lw 2 lc rgb '%s' title 'CPU s/GB (right)'" % COLOURS[2]]
    curves += ["%s with lines dt 2 lw 1.5 lc rgb '%s' title '%s at 524280'"
               % (cell(value, 1e9), COLOURS[(3, 4, 5)[i % 3]], state)
               for i, (state, value) in enumerate(others)]
    return (block("data", rows)
            + "set border 11\nset y2tics out\n"
            "set yrange [0:*]\nset y2range [0:*]\nset xrange [0:530]\n"
            "set xlabel 'size, KiB'\nset ylabel 'Gbit/s'\n"
            "set y2label 'CPU s/GB'\n"
            "plot " + ", \\\n".join(curves) + "\n")


GROWTH = (("apply", "one key applies to all"), ("ip_batch", "ip -batch"),
          ("unrelated_on", "unrelated change (CPU)"), ("poll", "poll (CPU)"),
          ("show_cpu", "bigtcp/show (CPU)"))


def growth(results, part):
    """What the control plane takes, by number of ports."""
    rows = [["%d" % count] + [cell(values[key]) for key, _ in GROWTH]
            for count, values in report.ports(results, part).items()]
    curves = ["$data using 1:%d with linespoints pt 7 lw 2 lc rgb '%s' "
              "title '%s'" % (2 + i, COLOURS[i], title)
              for i, (_, title) in enumerate(GROWTH)]
    return (block("data", rows)
            + "set logscale xy\nset xlabel 'ports'\nset ylabel 'seconds'\n"
            "set format y '%g'\n"
            "plot " + ", \\\n".join(curves) + "\n")


PLOTS = {"internal-port": bars, "rr": latencies, "mixed": bars,
         "tunnel": bars, "sweep": sizes, "control-plane": growth}


def script(results, part, path):
    """What gnuplot has to do to write file 'path'."""
    where = results.data["machine"]["virtualization"]
    title = report.TITLES[part]
    if where == "emulated":
        title += (" (emulated guest, counted in instructions)"
                  if results.data["machine"].get("clock") == "instructions"
                  else " (emulated guest)")
    elif where != "none":
        title += " (%s)" % where
    return (HEAD % (path.replace('"', ''), title)
            + PLOTS[part](results, part))


def draw(results):
    """Writes an SVG file for each part that 'results' have.  Returns their
    names by part, or None if there is no gnuplot.  Raises Failure."""
    if not shutil.which("gnuplot"):
        return None
    names = {}
    for part in results.parts():
        name = part + ".svg"
        path = os.path.join(results.folder, name)
        done = subprocess.run(["gnuplot"], input=script(results, part,
                                                        path + ".new"),
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              universal_newlines=True)
        if done.returncode:
            raise Failure("gnuplot: %s" % done.stdout.strip()[-500:])
        os.rename(path + ".new", path)
        names[part] = name
    return names
