# SPDX-License-Identifier: Apache-2.0
"""The Open vSwitch that is measured: the one that runs on the host, or our own
from a built tree."""

import contextlib
import json
import os
import shutil
import subprocess
import time

from bigtcp_bench import system
from bigtcp_bench.system import Failure

BRIDGE = "bigtcp-bench"
OWNER = "ovs-bigtcp-bench"      # external_ids:owner of the bridge.
FOLDERS = ("utilities", "ovsdb", "vswitchd")
PROGRAMS = ("ovs-vswitchd", "ovsdb-server", "ovsdb-tool", "ovs-vsctl",
            "ovs-appctl", "ovs-ofctl")


def uptime():
    with open("/proc/uptime") as stream:
        return float(stream.read().split()[0])


class Switch(object):
    """Uses the Open vSwitch that runs, or starts the one that was built in
    'tree', in our network namespace and with its files in folder 'work'."""

    def __init__(self, tree=None, work=None):
        self.tree = tree
        self.work = work

    def start(self, stack):
        if self.tree:
            self._start_own(stack)
        else:
            # What a run that was killed may have left.
            for bridge in self.vsctl("--columns=name", "--bare", "find",
                                     "Bridge",
                                     "external_ids:owner=" + OWNER).split():
                self.vsctl("--if-exists", "del-br", bridge)
        self.capabilities = self._capabilities()

    def _start_own(self, stack):
        os.environ["PATH"] = os.pathsep.join(
            [os.path.join(self.tree, name) for name in FOLDERS]
            + [os.environ["PATH"]])
        for program in PROGRAMS:
            if not shutil.which(program):
                raise Failure("no %s: is %s a built Open vSwitch tree?"
                              % (program, self.tree))
        os.makedirs(self.work, exist_ok=True)
        os.environ.update(OVS_RUNDIR=self.work, OVS_LOGDIR=self.work,
                          OVS_DBDIR=self.work, OVS_SYSCONFDIR=self.work)
        database = os.path.join(self.work, "conf.db")
        server = "unix:%s/db.sock" % self.work
        system.run("ovsdb-tool", "create", database,
                   os.path.join(self.tree, "vswitchd/vswitch.ovsschema"))
        self._daemon(stack, "ovsdb-server", database, "--remote=p" + server)
        # OVS 3.1 looks up the number of CPUs at most every 10 s, and takes
        # the boot for such a look: started earlier, it has no threads for
        # upcalls.
        system.wait_until(lambda: uptime() > 11, 20, "10 s after boot")
        self.vsctl("--no-wait", "init")
        self._daemon(stack, "ovs-vswitchd", server)

    def _daemon(self, stack, name, *args):
        log = os.path.join(self.work, name + ".log")
        daemon = system.start(
            [name, "--pidfile", "--log-file", "-vconsole:off"] + list(args),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stack.callback(system.stop, daemon)
        control = os.path.join(self.work, "%s.%d.ctl" % (name, daemon.pid))
        pidfile = os.path.join(self.work, name + ".pid")

        def up():
            if daemon.poll() is not None:
                with open(log) as stream:
                    raise Failure("%s does not start: %s"
                                  % (name, stream.read()[-500:]))
            return os.path.exists(control) and os.path.exists(pidfile)

        system.wait_until(up, 60, "start of " + name)

    def vsctl(self, *args):
        return system.run("ovs-vsctl", "--timeout=60", *args)

    def appctl(self, *args):
        return system.run("ovs-appctl", "--timeout=60", *args)

    def _capabilities(self):
        try:
            return json.loads(self.appctl("bigtcp/capabilities", "--json"))
        except Failure as error:
            if "not a valid command" in str(error):
                raise Failure("this ovs-vswitchd is built without BIG TCP")
            raise

    def refresh(self):
        """Asks again what the kernel can do: kinds of devices whose module
        was not loaded were left out before."""
        self.capabilities = self._capabilities()

    def has_ipv4(self):
        return bool(self.capabilities["attributes"].get("gso_ipv4_max_size"))

    def ceiling(self, kind):
        """The largest size of a device of 'kind', 0 if there is none."""
        kind = self.capabilities["kinds"].get(kind, {})
        return kind.get("tso_max_size", 0)

    def resegments(self):
        return self.capabilities.get("oversized") == "resegment"

    def software(self):
        """What the results depend on."""
        daemon = (shutil.which("ovs-vswitchd") if self.tree
                  else "/proc/%s/exe" % self.pid())
        with contextlib.suppress(OSError):
            status = os.stat(daemon)
            daemon = "%d bytes of %s" % (
                status.st_size,
                time.strftime("%Y-%m-%dT%H:%M:%SZ",
                              time.gmtime(status.st_mtime)))
        return {"ovs": self.appctl("version").split("\n")[0]
                .replace("ovs-vswitchd (Open vSwitch) ", ""),
                "ovs_vswitchd": daemon,
                "module": bool(self.capabilities.get("module")),
                "resegments": self.resegments()}

    def pid(self):
        folder = os.environ.get("OVS_RUNDIR", "")
        for name in filter(None, (folder, "/var/run/openvswitch",
                                  "/usr/local/var/run/openvswitch")):
            with contextlib.suppress(OSError):
                with open(os.path.join(name, "ovs-vswitchd.pid")) as stream:
                    return stream.read().strip()
        return "none"

    # The bridge.

    def add_bridge(self, stack):
        stack.callback(self.vsctl, "--if-exists", "del-br", BRIDGE)
        self.vsctl("add-br", BRIDGE, "--", "set", "Bridge", BRIDGE,
                   "external_ids:owner=" + OWNER, "fail_mode=standalone",
                   "datapath_type=system")
        return BRIDGE

    def set_sizes(self, sizes):
        """Gives each Interface in 'sizes' a size, for IPv6 and IPv4."""
        args = []
        for interface, size in sizes.items():
            args += ["--", "set", "Interface", interface,
                     "other_config:gso_max_size=%d" % size]
            if self.has_ipv4():
                args += ["other_config:gso_ipv4_max_size=%d" % size]
        self.vsctl(*args[1:])

    def set_bigtcp(self, value):
        self.vsctl("set", "Bridge", BRIDGE, "other_config:bigtcp=" + value)
