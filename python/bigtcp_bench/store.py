# SPDX-License-Identifier: Apache-2.0
"""The file that holds what was measured."""

import datetime
import json
import os

from bigtcp_bench import machine
from bigtcp_bench.system import Failure

FORMAT = 1
NAME = "results.json"


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime(
        "%Y-%m-%dT%H:%M:%SZ")


class Results(object):
    """Runs of one machine with one set of software and settings."""

    def __init__(self, folder, data):
        self.folder = folder
        self.data = data

    def path(self):
        return os.path.join(self.folder, NAME)

    def save(self):
        """Writes the file.  It is whole at any time."""
        path = self.path()
        with open(path + ".new", "w") as stream:
            json.dump(self.data, stream, indent=1, sort_keys=True)
            stream.write("\n")
            stream.flush()
            os.fsync(stream.fileno())
        os.rename(path + ".new", path)

    def add(self, run, values):
        entry = {"part": run.part, "case": run.case, "state": run.state,
                 "round": run.round, "time": now(), "values": values}
        self.data["runs"].append(entry)
        self.data["skipped"].pop(run.part, None)
        self.save()

    def skip(self, part, reason):
        self.data["skipped"][part] = reason
        self.save()

    def has(self, run):
        return any(entry["part"] == run.part and entry["case"] == run.case
                   and entry["state"] == run.state
                   and entry["round"] == run.round
                   for entry in self.data["runs"])

    def drop_round(self, run):
        """Forgets the runs of the same round as 'run': what makes a pair must
        have been measured together."""
        self.data["runs"] = [
            entry for entry in self.data["runs"]
            if (entry["part"], entry["case"], entry["round"])
            != (run.part, run.case, run.round)]

    def parts(self):
        found = []
        for entry in self.data["runs"]:
            if entry["part"] not in found:
                found.append(entry["part"])
        return found

    def cases(self, part):
        found = []
        for entry in self.data["runs"]:
            if entry["part"] == part and entry["case"] not in found:
                found.append(entry["case"])
        return found

    def values(self, part, case):
        """A dict by state of dicts by round of what was measured."""
        found = {}
        for entry in self.data["runs"]:
            if entry["part"] == part and entry["case"] == case:
                found.setdefault(entry["state"], {})[entry["round"]] \
                    = entry["values"]
        return found


def read(path):
    """Returns the data of file 'path'.  Raises Failure."""
    try:
        with open(path) as stream:
            data = json.load(stream)
    except OSError as error:
        raise Failure("%s: %s" % (path, error.strerror))
    except ValueError as error:
        raise Failure("%s: no JSON: %s" % (path, error))
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise Failure("%s: not written by a program of this version" % path)
    return data


def load(folder):
    """The results in 'folder'.  Raises Failure."""
    return Results(folder, read(os.path.join(folder, NAME)))


def open_folder(folder, identity, version, restart):
    """The results in 'folder' of what 'identity' describes ('machine',
    'software', 'settings'), to be added to.  Others that are there, or all if
    'restart', are moved aside.  Returns the Results and the name of the file
    that was moved aside, or None."""
    ident = machine.digest(identity)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, NAME)
    aside = None
    if os.path.exists(path):
        try:
            old = read(path)
        except Failure:
            old = {"id": "damaged", "runs": [None]}
        if old.get("id") == ident and not restart:
            return Results(folder, old), None
        if old["runs"]:
            number = 0
            while aside is None or os.path.exists(aside):
                number += 1
                aside = os.path.join(folder, "results-%s-%d.json"
                                     % (old.get("id"), number))
            os.rename(path, aside)
    data = {"format": FORMAT, "program": version, "id": ident,
            "started": now(), "runs": [], "skipped": {}}
    data.update(identity)
    return Results(folder, data), aside
