# SPDX-License-Identifier: Apache-2.0
"""Goes through the runs, tells how far it is, and goes on where it stopped."""

import collections
import contextlib
import time

from bigtcp_bench.parts import PARTS
from bigtcp_bench.parts import Skip
from bigtcp_bench.system import Failure

# By part: length of a flow and of what comes before and does not count, in
# seconds; rounds; and what else the part knows.  'length' is what the sender
# writes at a time, in bytes, where that is not iperf3's own 131072: too little
# to fill the largest packets while the path is idle.
# A socket takes the headers off the size of its device, so that 80000 bytes of
# data are one packet at 81920 and two at 80000.
SIZES = [65536, 80000, 81920, 131072, 196608, 262144, 524280]
SETTINGS = {
    "internal-port": {"seconds": 15, "omit": 5, "repeat": 6},
    "rr": {"seconds": 10, "omit": 1, "repeat": 6, "sizes": SIZES},
    "mixed": {"seconds": 15, "omit": 5, "repeat": 6, "families": "all"},
    "tunnel": {"seconds": 15, "omit": 5, "repeat": 6},
    "sweep": {"seconds": 10, "omit": 2, "repeat": 4, "length": 1048576,
              "sizes": [65536, 98304, 131072, 196608, 262144, 393216,
                        524280]},
    "control-plane": {"ports": [100, 1000, 10000]},
}
QUICK = {
    "internal-port": {"seconds": 2, "omit": 1, "repeat": 3},
    "rr": {"seconds": 1, "omit": 1, "repeat": 3,
           "sizes": [65536, 80000, 81920, 524280]},
    "mixed": {"seconds": 1, "omit": 1, "repeat": 3, "families": "one"},
    "tunnel": {"seconds": 1, "omit": 1, "repeat": 3},
    "sweep": {"seconds": 1, "omit": 1, "repeat": 3, "length": 1048576,
              "sizes": [65536, 196608, 524280]},
    "control-plane": {"ports": [100]},
}


def settings(quick, seconds, omit):
    """The settings of all parts, with other lengths of a flow where they are
    not None."""
    chosen = {}
    for name, values in (QUICK if quick else SETTINGS).items():
        chosen[name] = dict(values)
        if "seconds" in values:
            if seconds is not None:
                chosen[name]["seconds"] = seconds
            if omit is not None:
                chosen[name]["omit"] = omit
    return chosen


def identity_of(chosen, cpus):
    """What of the settings 'chosen' must be the same for results to be
    compared with each other."""
    return {"cpus": list(cpus),
            "flows": {name: [values["seconds"], values["omit"],
                             values.get("length", 0)]
                      for name, values in chosen.items()
                      if "seconds" in values}}


def duration(seconds):
    seconds = int(round(seconds))
    if seconds < 100:
        return "%d s" % seconds
    return "%d min" % round(seconds / 60)


def headline(values):
    """What to say of a run's 'values' while others go on."""
    if "bits_per_second" in values:
        text = "%.3f Gbit/s" % (values["bits_per_second"] / 1e9)
        if values.get("bytes_per_packet"):
            text += ", %d bytes a packet" % values["bytes_per_packet"]
        return text
    if "transactions_per_second" in values:
        return ("%.0f transactions/s, 99 %% within %.0f us"
                % (values["transactions_per_second"], values["latency_p99"]))
    return "all sizes set within %.2f s" % values["apply"]


class Progress(object):
    """Estimates the time left by how long runs took against the guess."""

    def __init__(self, runs, say, clock=time.monotonic):
        self.left = total_seconds(runs)
        self.say = say
        self.clock = clock
        self.begun = clock()
        self.guessed = self.spent = 0.0
        self.since = self.begun

    def done(self, run, values):
        now = self.clock()
        self.spent += now - self.since
        self.since = now
        self.guessed += run.seconds
        self.left -= run.seconds
        self.line("%s, %s, round %d, %s: %s"
                  % (run.part, run.case, run.round, run.state,
                     headline(values)))

    def dropped(self, runs):
        """Says that 'runs' will not be."""
        self.left -= total_seconds(runs)

    def line(self, text):
        factor = self.spent / self.guessed if self.guessed else 1
        self.say("[%s, %s left] %s" % (duration(self.clock() - self.begun),
                                       duration(max(self.left, 0) * factor),
                                       text))


def total_seconds(runs):
    return sum(run.seconds for run in runs)


def missing(results, runs):
    """Those of 'runs' that 'results' do not have, with all others of the same
    round, which are forgotten."""
    rounds = collections.OrderedDict()
    for run in runs:
        rounds.setdefault((run.case, run.round), []).append(run)
    todo = []
    for members in rounds.values():
        if not all(results.has(run) for run in members):
            results.drop_round(members[0])
            todo += members
    return todo


def grouped(part, runs):
    """'runs' in lists of those for which 'part' makes one network."""
    groups = collections.OrderedDict()
    for run in runs:
        groups.setdefault(part.group(run), []).append(run)
    return list(groups.items())


def go(context, results, names, say, parts=None):
    """Measures the parts 'names' and adds to 'results'.  Returns true if
    nothing failed."""
    plan = []
    for name in names:
        part = (parts or PARTS)[name](context)
        try:
            plan.append((part, missing(results, part.runs())))
        except Skip as reason:
            results.skip(name, str(reason))
            say("%s: left out: %s" % (name, reason))
    progress = Progress([run for _, runs in plan for run in runs], say)
    good = True
    for part, runs in plan:
        for group, members in grouped(part, runs):
            todo = list(members)
            try:
                with contextlib.ExitStack() as stack:
                    part.open(stack, group)
                    while todo:
                        values = part.measure(todo[0])
                        results.add(todo[0], values)
                        progress.done(todo.pop(0), values)
            except Skip as reason:
                results.skip(part.name, str(reason))
                progress.line("%s: left out: %s" % (part.name, reason))
            except Failure as error:
                good = False
                results.skip(part.name, "failed: %s" % error)
                progress.line("%s: FAILED: %s" % (part.name, error))
            progress.dropped(todo)
    results.save()
    return good
