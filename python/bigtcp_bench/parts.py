# SPDX-License-Identifier: Apache-2.0
"""What is measured, in parts that can be asked for by name."""

import collections

from bigtcp_bench import paths
from bigtcp_bench import rr
from bigtcp_bench import scale
from bigtcp_bench import system
from bigtcp_bench import traffic
from bigtcp_bench.system import LEGACY
from bigtcp_bench.system import MAX

# One measurement.  The runs of one round of a case, one for each state, make
# pairs.  'seconds' is an estimate.
Run = collections.namedtuple("Run", "part case state round seconds")

OVERHEAD = 1                    # Seconds that a flow takes besides itself.


class Skip(Exception):
    """Why a part cannot be measured here, for the user."""


class Context(object):
    """What the parts need: the Switch, two CPUs, settings (see SETTINGS in
    'runner') and the trees for the control plane."""

    def __init__(self, ovs, cpus, settings, repeat, tree, baseline):
        self.switch = ovs
        self.cpus = cpus
        self.settings = settings
        self.repeat = repeat
        self.tree = tree
        self.baseline = baseline

    def families(self, all_of_them=True):
        """IPv6 has been there longer, so that one stands for both."""
        return (["IPv4", "IPv6"] if all_of_them and self.switch.has_ipv4()
                else ["IPv6"])


def ordered(states, number):
    """The states of round 'number': each second round goes the other way, so
    that a drift of the machine favours none."""
    return states if number % 2 else states[::-1]


class Part(object):
    """A part of the benchmark.  Subclasses say in 'cases' which states are
    compared in which case, the first state being the one to compare with."""

    def __init__(self, context):
        self.context = context

    def runs(self):
        settings = self.context.settings[self.name]
        rounds = self.context.repeat or settings["repeat"]
        return [Run(self.name, case, state, number,
                    settings["seconds"] + settings["omit"] + OVERHEAD)
                for case, states in self.cases()
                for number in range(1, rounds + 1)
                for state in ordered(states, number)]

    def flow(self, path, family):
        return traffic.flow(path, family, self.context.cpus,
                            self.context.settings[self.name])

    def group(self, run):
        """Runs with the same value share what open() makes."""
        return None

    def open_switch(self, stack):
        """A path through the switch with an internal port that can have
        BIG TCP.  Raises Skip."""
        path = paths.SwitchPath(stack, self.context.cpus, self.context.switch)
        if path.ceiling <= LEGACY:
            raise Skip("internal ports of this kernel are held at %d bytes; "
                       "load the module openvswitch_bigtcp" % LEGACY)
        return path


class InternalPort(Part):
    name = "internal-port"

    def cases(self):
        return [(family, [str(LEGACY), str(MAX)])
                for family in self.context.families()]

    def open(self, stack, group):
        self.path = self.open_switch(stack)
        self.path.serve()

    def measure(self, run):
        self.path.set_size(int(run.state))
        return self.flow(self.path, run.case)


class RequestResponse(Part):
    name = "rr"
    SIZE = 80000                # Bytes of a request, and of a response.
    FAMILY = "IPv6"
    NETPERF = "IPv6, netperf"

    def cases(self):
        sizes = self.context.settings[self.name]["sizes"]
        names = [self.FAMILY]
        if rr.netperf_version():
            names.append(self.NETPERF)
        return [(name, [str(size) for size in sizes]) for name in names]

    def open(self, stack, group):
        self.path = self.open_switch(stack)
        self.path.both_ends = True
        self.path.serve_rr(self.FAMILY, bool(rr.netperf_version()))

    def measure(self, run):
        self.path.set_size(int(run.state))
        function = (rr.measure_netperf if run.case == self.NETPERF
                    else rr.measure)
        return function(self.path, self.FAMILY, self.context.cpus, self.SIZE,
                        self.context.settings[self.name])


class Mixed(Part):
    """Sizes of the internal port and, at the egress, 64 kB.  A kernel that
    re-segments does so only where the egress does TSO, so that without TSO it
    shows what others do."""

    name = "mixed"
    STATES = {"no BIG TCP": (LEGACY, True),
              "mixed, cut to the MSS": (MAX, False),
              "mixed": (MAX, True),
              "mixed, re-segmented": (MAX, True)}

    def cases(self):
        states = ["no BIG TCP"]
        if self.context.switch.resegments():
            states += ["mixed, cut to the MSS", "mixed, re-segmented"]
        else:
            states.append("mixed")
        everything = self.context.settings[self.name]["families"] == "all"
        return [(family, states)
                for family in self.context.families(everything)]

    def open(self, stack, group):
        self.path = self.open_switch(stack)
        self.path.set_egress(LEGACY)
        self.path.serve()

    def measure(self, run):
        size, tso = self.STATES[run.state]
        self.path.set_size(size)
        self.path.set_egress_tso(tso)
        return self.flow(self.path, run.case)


class Tunnel(Part):
    """An internal port behind a tunnel: the sizes that devices have by
    themselves against those that 'bigtcp=auto' chooses."""

    name = "tunnel"
    UPLINK = 16384              # Bytes.
    SMALL = "IPv6, vxlan, uplink %d" % UPLINK
    STATES = {"bigtcp=off": "off", "bigtcp=auto": "auto"}

    def cases(self):
        for kind in "vxlan", "geneve":
            system.try_run("modprobe", "-q", kind)
        self.context.switch.refresh()
        self.groups = {self.SMALL: ("vxlan", self.UPLINK)}
        for kind in "vxlan", "geneve":
            if self.context.switch.ceiling(kind) > LEGACY:
                self.groups["IPv6, %s, uplink %d" % (kind, MAX)] = (kind, MAX)
        return [(case, list(self.STATES)) for case in self.groups]

    def group(self, run):
        return self.groups[run.case]

    def open(self, stack, group):
        self.path = paths.TunnelPath(stack, self.context.cpus,
                                     self.context.switch, *group)
        self.path.serve()

    def measure(self, run):
        self.path.set_size(self.STATES[run.state])
        sizes = self.path.sizes()
        values = self.flow(self.path, "IPv6")
        values["gso_max_size"] = sizes["gso_max_size"]
        return values


class Sweep(Part):
    """One flow at each of several sizes, and at the largest over what there is
    besides Open vSwitch."""

    name = "sweep"
    FAMILY = "IPv6"
    OTHERS = {"Linux bridge": paths.LinuxBridgePath, "veth": paths.VethPath,
              "loopback": paths.LoopbackPath}

    def cases(self):
        sizes = self.context.settings[self.name]["sizes"]
        return [(self.FAMILY, [str(size) for size in sizes]
                 + list(self.OTHERS))]

    def open(self, stack, group):
        self.path = self.open_switch(stack)
        self.path.serve()
        self.others = {}
        for name, kind in self.OTHERS.items():
            self.others[name] = kind(stack, self.context.cpus,
                                     self.context.switch.has_ipv4())
            self.others[name].serve()

    def measure(self, run):
        path = self.others.get(run.state, self.path)
        path.set_size(MAX if path is not self.path else int(run.state))
        return self.flow(path, self.FAMILY)


class ControlPlane(Part):
    """What ovs-vswitchd has to do with many ports."""

    name = "control-plane"
    STATE = "with"

    def runs(self):
        if not self.context.tree:
            raise Skip("needs --ovs-dir: it starts daemons of its own")
        settings = self.context.settings[self.name]
        return [Run(self.name, "%d ports" % count, self.STATE, number,
                    40 + count / 20)
                for count in settings["ports"]
                for number in range(1, (self.context.repeat or 1) + 1)]

    def open(self, stack, group):
        pass

    def measure(self, run):
        return scale.measure(self.context.tree, self.context.baseline,
                             int(run.case.split()[0]), "system")


PARTS = collections.OrderedDict(
    (part.name, part) for part in (InternalPort, RequestResponse, Mixed,
                                   Tunnel, Sweep, ControlPlane))
