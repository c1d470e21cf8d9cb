# SPDX-License-Identifier: Apache-2.0
"""What BIG TCP costs ovs-vswitchd on a bridge with many ports.

With datapath 'dummy' devices exist only in the daemon: needs no root, leaves
the kernel's part out.  With 'system' they are veths, in network namespaces
that are made for this: needs root and the openvswitch module.

What is compared runs side by side and takes turns."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from bigtcp_bench import system
from bigtcp_bench.system import Failure

KEY = "other_config:bigtcp=auto"
# Lines for 'ip -batch': for each one that names a namespace it opens a file
# that it does not close, and it may have 1024.
BATCH = 500
BEGUN = time.monotonic()


def median(values):
    return sorted(values)[len(values) // 2]


def rounds_for(ports):
    """How often to measure with so many 'ports'.  What is measured takes so
    much longer with many that less of it is as reliable."""
    return max(3, min(11, 11000 // ports))


def progress(*words):
    print("    [%d s]" % (time.monotonic() - BEGUN), *words, file=sys.stderr,
          flush=True)


class Figures(dict):
    """Says what becomes known when it does: with many ports the last figure
    is long in coming."""

    def __setitem__(self, name, value):
        super().__setitem__(name, value)
        progress(name, value)


def ip_batch(lines, netns=None):
    """Has ip carry out 'lines' in 'netns', or here.  Returns its seconds."""
    with tempfile.NamedTemporaryFile("w", suffix=".batch") as stream:
        stream.write("".join(line + "\n" for line in lines))
        stream.flush()
        begun = time.monotonic()
        system.run("ip", *(["-n", netns] if netns else []), "-batch",
                   stream.name)
        return time.monotonic() - begun


def configuration(ports, datapath):
    """Operations for the database that configure a bridge with 'ports'.  In
    one transaction, and before there is a daemon: with ovs-vsctl and some
    hundred ports at a time, the database and the daemon go through all that
    there are each time, which takes most of an hour for 10,000."""
    rows = [("br0", "internal")]
    rows += [(port, "dummy" if datapath == "dummy" else "") for port in ports]
    operations = []
    for i, (name, kind) in enumerate(rows):
        operations += [
            {"op": "insert", "table": "Interface", "uuid-name": "i%d" % i,
             "row": {"name": name, "type": kind}},
            {"op": "insert", "table": "Port", "uuid-name": "p%d" % i,
             "row": {"name": name, "interfaces": ["named-uuid", "i%d" % i]}}]
    return operations + [
        {"op": "insert", "table": "Bridge", "uuid-name": "br0",
         "row": {"name": "br0", "datapath_type": datapath,
                 "fail_mode": "secure",
                 "ports": ["set", [["named-uuid", "p%d" % i]
                                   for i in range(len(rows))]]}},
        {"op": "mutate", "table": "Open_vSwitch", "where": [],
         "mutations": [["bridges", "insert",
                        ["set", [["named-uuid", "br0"]]]]]}]


class Switch(object):
    """Daemons of the build in 'tree' with one bridge of 'n' ports."""

    def __init__(self, tree, n, datapath):
        self.tree = tree
        self.datapath = datapath
        self.ports = ["p%d" % i for i in range(n)]
        self.dir = tempfile.mkdtemp(prefix="bigtcp-scale-")
        self.env = dict(os.environ, OVS_RUNDIR=self.dir, OVS_LOGDIR=self.dir,
                        OVS_DBDIR=self.dir, OVS_SYSCONFDIR=self.dir)
        self.processes = []
        self.netns = []
        try:
            self.set_up()
        except BaseException:
            self.stop()
            raise

    def set_up(self):
        if self.datapath == "system":
            for name in "ports", "peers":
                name = os.path.basename(self.dir) + "-" + name
                ip_batch(["netns add " + name])
                self.netns.append(name)
            for first in range(0, len(self.ports), BATCH):
                ip_batch(["link add %s type veth peer name %s netns %s"
                          % (port, port, self.netns[1])
                          for port in self.ports[first:first + BATCH]],
                         self.netns[0])
        db = os.path.join(self.dir, "conf.db")
        self.run("ovsdb/ovsdb-tool", "create", db,
                 os.path.join(self.tree, "vswitchd/vswitch.ovsschema"))
        self.start("ovsdb/ovsdb-server", db,
                   "--remote=punix:%s/db.sock" % self.dir)
        self.wait_for("db.sock")
        self.vsctl("--no-wait", "init")
        # Statistics would be read at any time between two measurements.
        self.vsctl("--no-wait", "set", "Open_vSwitch", ".",
                   "other_config:stats-update-interval=3600000")
        self.transact(configuration(self.ports, self.datapath))
        args = []
        if self.datapath == "dummy":
            args = ["--enable-dummy", "--disable-system",
                    "--disable-system-route"]
        self.daemon = self.start_daemon("vswitchd/ovs-vswitchd", "--pidfile",
                                        "-vconsole:off", "-vfile:off", *args)
        self.wait_for("ovs-vswitchd.pid")
        # Returns when the daemon has made what is configured.
        self.vsctl("set", "Open_vSwitch", ".", "external_ids:ready=true")
        self.settle()

    def transact(self, operations):
        """Has the database carry out 'operations', as RFC 7047 has them."""
        request = {"method": "transact", "id": 0,
                   "params": ["Open_vSwitch"] + operations}
        text = b""
        reply = None
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(os.path.join(self.dir, "db.sock"))
            sock.sendall(json.dumps(request).encode())
            while reply is None:
                data = sock.recv(1 << 24)
                if not data:
                    raise Failure("ovsdb-server closed the connection")
                text += data
                if text.endswith(b"}"):
                    # It is no JSON before its end.
                    with contextlib.suppress(ValueError):
                        reply = json.loads(text.decode())
        for result in reply["result"]:
            if result and "error" in result:
                raise Failure("ovsdb-server: %s" % result)

    def start_daemon(self, program, *args):
        return self.start(program, *args)

    def start(self, program, *args, wrapper=()):
        command = list(wrapper) + [os.path.join(self.tree, program)]
        command += args
        if self.netns:
            # Becomes the daemon: the process number stays.
            command = ["nsenter", "--net=/run/netns/" + self.netns[0]
                       ] + command
        process = system.start(command, env=self.env,
                               stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def run(self, program, *args):
        try:
            return subprocess.run(
                [os.path.join(self.tree, program)] + list(args), env=self.env,
                check=True, stdout=subprocess.PIPE).stdout.decode()
        except (OSError, subprocess.CalledProcessError) as error:
            raise Failure(str(error)[:300])

    def vsctl(self, *args):
        return self.run("utilities/ovs-vsctl",
                        "--db=unix:%s/db.sock" % self.dir, *args)

    def appctl(self, *args):
        return self.run("utilities/ovs-appctl", "-t",
                        "%s/ovs-vswitchd.%d.ctl" % (self.dir,
                                                    self.daemon.pid), *args)

    def wait_for(self, name):
        deadline = time.monotonic() + 60
        while not os.path.exists(os.path.join(self.dir, name)):
            if time.monotonic() > deadline:
                raise Failure("no %s after 60 s" % name)
            time.sleep(0.05)

    def settle(self):
        """Waits until the daemon has nothing to do any more: it wakes up once
        a second, and looks at each port then."""
        limit = 600 + len(self.ports) / 10
        idle = 0.05 + len(self.ports) / 50000
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            before = self.cpu()
            time.sleep(1)
            if self.cpu() - before < idle:
                return
        raise Failure("ovs-vswitchd is still busy after %d s" % limit)

    def cpu(self):
        """CPU seconds of the daemon's main thread."""
        with open("/proc/%d/task/%d/schedstat"
                  % (self.daemon.pid, self.daemon.pid)) as stream:
            return int(stream.read().split()[0]) / 1e9

    def work(self):
        """What the daemon's main thread has done: CPU seconds."""
        return self.cpu()

    def rss(self):
        """Resident memory of the daemon in bytes."""
        with open("/proc/%d/statm" % self.daemon.pid) as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cost(self, action, repeat):
        """Median of the daemon's work for 'action'."""
        costs = []
        for i in range(repeat):
            before = self.work()
            action(i)
            costs.append(self.work() - before)
        return median(costs)

    def unrelated(self, i):
        """Work of the daemon for a change of no interest to it: until it is in
        force, and until Interface status is up to date as well."""
        before = self.work()
        self.vsctl("set", "Bridge", "br0", "other_config:unrelated=%d" % i)
        in_force = self.work()
        self.pass_once()
        return in_force - before, self.work() - before

    def apply(self, *changes):
        """Seconds until a change of the row of Open_vSwitch is in force, as
        its user waits.  Returns when the daemon has told of it, too."""
        begun = time.monotonic()
        self.vsctl(*changes)
        waited = time.monotonic() - begun
        self.pass_once()
        return waited

    def pass_once(self):
        """Waits for the daemon's main loop, in which a change is followed by
        the status that comes of it."""
        self.appctl("version")

    def count(self, counter):
        return int(self.appctl("coverage/read-counter", counter))

    def poll(self, seconds):
        """CPU seconds of one poll: of the daemon with polls, less that of an
        idle one."""
        cpu = []
        for interval in 0, 1:
            self.vsctl("set", "Open_vSwitch", ".",
                       "other_config:bigtcp_poll_interval=%d" % interval)
            self.settle() if not interval else None
            polls = self.count("bigtcp_poll")
            before = self.cpu()
            time.sleep(seconds)
            cpu.append(self.cpu() - before)
            polls = self.count("bigtcp_poll") - polls
        self.vsctl("set", "Open_vSwitch", ".",
                   "other_config:bigtcp_poll_interval=0")
        return (cpu[1] - cpu[0]) / polls

    def show(self, repeat):
        """CPU seconds of the daemon for bigtcp/show, less those for a command
        that does nothing (its main loop looks at each port); and seconds that
        the user of bigtcp/show waits."""
        costs = []
        waits = []
        for _ in range(repeat):
            begun = time.monotonic()
            cost = self.cost(lambda i: self.appctl("bigtcp/show"), 1)
            waits.append(time.monotonic() - begun)
            costs.append(cost - self.cost(lambda i: self.pass_once(), 1))
        return median(costs), median(waits)

    def sizes(self, port):
        """What ip can set of the sizes that 'port' has.  Waits for the
        database to have them: with many ports the server takes a while."""
        known = subprocess.run(["ip", "link", "help"],
                               stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT).stdout.decode()
        sizes = []

        def told():
            status = self.vsctl("get", "Interface", port, "status")
            sizes[:] = ["%s %s" % pair for pair
                        in re.findall(r'(g[sr]o_\w+)="(\d+)"', status)
                        if pair[0] in known]
            return sizes

        system.wait_until(told, 600, "sizes in the status of " + port)
        return sizes

    def sizes_of_device(self, port, sizes):
        """The values that the device of 'port' has of what is in 'sizes'."""
        text = subprocess.run(["ip", "-n", self.netns[0], "-d", "link", "show",
                               "dev", port], check=True,
                              stdout=subprocess.PIPE).stdout.decode()
        names = [size.split()[0] for size in sizes]
        return [re.search(r"%s \d+" % name, text).group(0) for name in names]

    def ip_set(self, sizes):
        """Seconds that 'ip -batch' takes to give 'sizes' to all ports."""
        return ip_batch(("link set dev %s %s" % (port, " ".join(sizes))
                         for port in self.ports), self.netns[0])

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        if self.netns:
            subprocess.run(["nsenter", "--net=/run/netns/" + self.netns[0],
                            os.path.join(self.tree, "utilities/ovs-dpctl"),
                            "del-dp", "ovs-system"], env=self.env)
        for name in self.netns:
            ip_batch(["netns del " + name])
        shutil.rmtree(self.dir)


class CountedSwitch(Switch):
    """The same with the daemon below callgrind, which counts instructions:
    they do not depend on what else the machine does."""

    def start_daemon(self, program, *args):
        if not shutil.which("callgrind_control"):
            raise Failure("to count instructions needs valgrind")
        return self.start(program, *args, wrapper=(
            "valgrind", "--tool=callgrind", "--separate-threads=yes",
            "--callgrind-out-file=%s/callgrind" % self.dir))

    def work(self):
        """What the daemon's main thread has done: instructions."""
        text = subprocess.run(
            ["callgrind_control", "-e", str(self.daemon.pid)], check=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
        return int(re.search(r"Th 1 +([\d,]+)", text).group(1).replace(",",
                                                                       ""))


def compare_unrelated(switch, baseline, repeat, result, name):
    """Adds to 'result', under 'name', the work of 'switch' for an unrelated
    change, and the ratio to that of 'baseline', which takes turns with it; the
    same with '_told' for all that follows."""
    costs = []
    ratios = []
    for i in range(repeat):
        costs.append(switch.unrelated(i))
        if baseline:
            ratios.append([ours / theirs for ours, theirs
                           in zip(costs[-1], baseline.unrelated(i))])
    for number, suffix in enumerate(("", "_told")):
        result[name + suffix] = median([cost[number] for cost in costs])
        result[name + suffix + "_ratio"] = \
            median([ratio[number] for ratio in ratios]) if baseline else None


def compare_apply(switch, rounds, result):
    """Adds to 'result' what it takes to apply one key to all ports, against
    any other change of the same row and, for devices of the system, 'ip
    -batch', which all take turns."""
    changes = []
    applies = []
    batches = []
    for i in range(rounds):
        changes.append(switch.apply("set", "Open_vSwitch", ".",
                                    "other_config:unrelated=%d" % i))
        applies.append(switch.apply("set", "Open_vSwitch", ".", KEY))
        if switch.datapath == "system" and not i:
            result["sizes"] = switch.sizes(switch.ports[0])
        switch.apply("remove", "Open_vSwitch", ".", "other_config", "bigtcp")
        switch.settle()
        if switch.datapath == "system":
            old = switch.sizes_of_device(switch.ports[0], result["sizes"])
            batches.append(switch.ip_set(result["sizes"]))
            switch.ip_set(old)

    result["change"] = median(changes)
    result["apply"] = median(applies)
    if batches:
        result["ip_batch"] = median(batches)
        result["apply_ratio"] = median(
            [apply / batch for apply, batch in zip(applies, batches)])
        result["apply_added_ratio"] = median(
            [(apply - change) / batch for apply, change, batch
             in zip(applies, changes, batches)])


def compare(switch, baseline, repeat, result):
    """Adds to 'result' what 'switch' needs, and what 'baseline' does if there
    is one."""
    progress("unrelated change, no key set")
    compare_unrelated(switch, baseline, repeat, result, "unrelated_off")
    rss = switch.rss()

    progress("apply", KEY)
    switch.vsctl("set", "Open_vSwitch", ".",
                 "other_config:bigtcp_poll_interval=0")
    switch.settle()
    before = switch.cpu()
    switch.vsctl("set", "Open_vSwitch", ".", KEY)
    result["apply_cpu"] = switch.cpu() - before
    switch.settle()
    result["apply_and_tell_cpu"] = switch.cpu() - before
    result["memory_per_port"] = (switch.rss() - rss) / len(switch.ports)

    progress("unrelated change")
    compare_unrelated(switch, baseline, repeat, result, "unrelated_on")
    progress("poll")
    result["poll"] = switch.poll(10)
    progress("bigtcp/show")
    result["show_cpu"], result["show"] = switch.show(11)

    progress("apply", KEY, "and ip -batch, in turns")
    switch.vsctl("remove", "Open_vSwitch", ".", "other_config", "bigtcp")
    switch.settle()
    compare_apply(switch, min(repeat, 5), result)


def compare_counts(switch, baseline, repeat, result):
    """Adds to 'result' the instructions for what is compared with 'baseline'
    and for 'bigtcp/show'."""
    progress("unrelated change, no key set")
    compare_unrelated(switch, baseline, repeat, result, "unrelated_off")
    switch.vsctl("set", "Open_vSwitch", ".",
                 "other_config:bigtcp_poll_interval=0")
    switch.unrelated(repeat)
    progress("apply", KEY)
    before = switch.work()
    switch.vsctl("set", "Open_vSwitch", ".", KEY)
    switch.pass_once()
    result["apply"] = switch.work() - before
    switch.settle()
    progress("unrelated change")
    compare_unrelated(switch, baseline, repeat, result, "unrelated_on")
    progress("bigtcp/show")
    result["show"] = switch.cost(lambda i: switch.appctl("bigtcp/show"),
                                 repeat)


def measure(tree, baseline, ports, datapath, repeat=None, count=False):
    """Seconds, bytes and ratios for a bridge with so many 'ports' of the build
    in 'tree', compared with that in 'baseline', if not None.  Medians are of
    'repeat' rounds, if not None.  With 'count' instructions in place of
    seconds."""
    repeat = repeat or rounds_for(ports)
    result = Figures(ports=ports, datapath=datapath, rounds=repeat,
                     kernel=os.uname().release)
    switches = []
    try:
        for folder in filter(None, (baseline, tree)):
            progress("%d ports, build in %s" % (ports, folder))
            switches.append((CountedSwitch if count else Switch)(
                folder, ports, datapath))
            progress("%d ports are up" % ports)
        (compare_counts if count else compare)(
            switches[-1], switches[0] if baseline else None, repeat, result)
    finally:
        for switch in switches:
            switch.stop()
    return result
