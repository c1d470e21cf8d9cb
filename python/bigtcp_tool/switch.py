# SPDX-License-Identifier: Apache-2.0
"""Access to the daemons, by the programs of Open vSwitch."""

import json
import subprocess


class Failure(Exception):
    """What could not be done, for the user."""


class Switch(object):
    """The ovs-vswitchd and the database that 'options' name."""

    def __init__(self, options):
        self.options = options
        self.ct = {}            # What has_ct() found, by bridge.

    def _run(self, args):
        # A little longer than the program's own limit, which says more.
        limit = self.options.timeout + 5 if self.options.timeout else None
        try:
            result = subprocess.run(args, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE,
                                    universal_newlines=True, timeout=limit)
        except OSError as error:
            raise Failure("cannot run %s: %s" % (args[0], error.strerror))
        except subprocess.TimeoutExpired:
            raise Failure("%s: no answer within %d s"
                          % (args[0], self.options.timeout))
        if result.returncode < 0:
            raise Failure("%s: ended by signal %d (no answer within %s s)"
                          % (args[0], -result.returncode,
                             self.options.timeout))
        if result.returncode:
            text = result.stderr.strip() or "exit status %d" \
                % result.returncode
            if "is not a valid command" in text:
                text = "this ovs-vswitchd is built without BIG TCP, or is " \
                    "older than this program: " + text.split("\n")[0]
            raise Failure(text)
        return result.stdout

    def _timeout(self):
        return (["--timeout=%d" % self.options.timeout]
                if self.options.timeout else [])

    def appctl(self, *args):
        target = (["--target=%s" % self.options.target]
                  if self.options.target else [])
        return self._run(["ovs-appctl"] + self._timeout() + target
                         + list(args))

    def appctl_json(self, command, *args):
        text = self.appctl(command, "--json", *args)
        try:
            return json.loads(text)
        except ValueError:
            raise Failure("%s: the answer is no JSON" % command)

    def rows(self, table, *columns):
        """The rows of 'table' in the database, a dict each."""
        db = ["--db=%s" % self.options.db] if self.options.db else []
        reply = json.loads(self._run(
            ["ovs-vsctl"] + self._timeout() + db
            + ["--format=json", "--columns=%s" % ",".join(columns),
               "list", table]))
        return [{name: plain(value)
                 for name, value in zip(reply["headings"], row)}
                for row in reply["data"]]

    def has_ct(self, bridge):
        """Whether 'bridge' has a flow with a ct action, None if it does not
        say."""
        if bridge not in self.ct:
            try:
                self.ct[bridge] = "ct(" in self._run(
                    ["ovs-ofctl"] + self._timeout() + ["dump-flows", bridge])
            except Failure:
                self.ct[bridge] = None
        return self.ct[bridge]


def plain(value):
    """'value', in the database's notation, as Python has it."""
    if isinstance(value, list) and value[:1] == ["map"]:
        return {plain(k): plain(v) for k, v in value[1]}
    if isinstance(value, list) and value[:1] == ["set"]:
        return [plain(v) for v in value[1]]
    if isinstance(value, list) and len(value) == 2:
        return value[1]
    return value
