# SPDX-License-Identifier: Apache-2.0
"""On what a measurement is made."""

import hashlib
import json
import os
import re

from bigtcp_bench.system import Failure


def read(path):
    try:
        with open(path) as stream:
            return stream.read().strip()
    except OSError:
        return ""


def virtualization(cpuinfo, clocks, vendor, product):
    """The kind of machine: 'none', 'kvm', 'emulated', 'uml' or 'other'.

    'cpuinfo' is /proc/cpuinfo, 'clocks' the names of available clock sources,
    'vendor' and 'product' are what the firmware says."""
    if "User Mode Linux" in cpuinfo:
        return "uml"
    if "kvm-clock" in clocks.split() or "KVM" in product:
        return "kvm"
    if "QEMU" in vendor or "QEMU" in cpuinfo:
        return "emulated"
    if re.search(r"^flags\s*:.*\bhypervisor\b", cpuinfo, re.M):
        return "other"
    return "none"


DESCRIPTIONS = {
    "none": "no virtual machine",
    "kvm": "a guest with KVM",
    "emulated": "a guest without KVM: its processor is emulated, so that "
                "ratios are hints and absolute figures mean nothing",
    "uml": "User-Mode Linux",
    "other": "a virtual machine",
}


CLOCKS = {
    "time": "",
    "instructions": "  Its time is the number of instructions that it "
                    "executes, so that ratios are those of instructions, and "
                    "other work on the machine does not matter.",
}


def choose_cpus(topology, allowed):
    """A CPU for the sender and one for the receiver: of different cores of one
    package where there are, by 'topology', a dict of (package, core) by CPU,
    out of 'allowed'."""
    allowed = sorted(allowed)
    first = allowed[0]

    def distance(cpu):
        package, core = topology.get(cpu, (0, cpu))
        first_package, first_core = topology.get(first, (0, first))
        return (package != first_package,
                (package, core) == (first_package, first_core))

    others = sorted(allowed[1:], key=distance)
    return [first, others[0] if others else first]


def cpu_topology():
    topology = {}
    for cpu in os.sched_getaffinity(0):
        folder = "/sys/devices/system/cpu/cpu%d/topology/" % cpu
        package = read(folder + "physical_package_id")
        core = read(folder + "core_id")
        if package and core:
            topology[cpu] = (int(package), int(core))
    return topology


def describe(icount=False):
    """What does not change from run to run on one machine, whose time is the
    number of instructions that it executes if 'icount'.  Raises Failure if it
    cannot be."""
    cpuinfo = read("/proc/cpuinfo")
    model = re.search(r"^model name\s*:\s*(.*)$", cpuinfo, re.M)
    memory = re.search(r"^MemTotal:\s*(\d+) kB", read("/proc/meminfo"), re.M)
    dmi = "/sys/class/dmi/id/"
    kind = virtualization(
        cpuinfo, read("/sys/devices/system/clocksource/clocksource0/"
                      "available_clocksource"),
        read(dmi + "sys_vendor"), read(dmi + "product_name"))
    if icount and kind != "emulated":
        raise Failure("--icount: this is %s; only that of an emulated one can "
                      "be the instructions that it executes"
                      % DESCRIPTIONS[kind])
    return {"host": os.uname().nodename,
            "machine": os.uname().machine,
            "cpu": model.group(1) if model else os.uname().machine,
            "cpus": os.cpu_count(),
            # In GiB: what the kernel keeps for itself changes with it.
            "memory_gib": round(int(memory.group(1)) / 2**20) if memory
            else None,
            "virtualization": kind,
            "clock": "instructions" if icount else "time",
            "guest": kind != "none",
            "kvm": kind == "kvm"}


def digest(*parts):
    """A short name of all that results must have in common."""
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
