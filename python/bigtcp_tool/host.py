# SPDX-License-Identifier: Apache-2.0
"""What is known of a host."""

import os
import shlex
import subprocess

from bigtcp_tool.switch import Failure

FAMILIES = (("IPv6", "gso_max_size"), ("IPv4", "gso_ipv4_max_size"))
MODULE = "openvswitch_bigtcp"


class Port(object):
    def __init__(self, name, bridge, shown, row):
        self.name = name
        self.bridge = bridge
        self.shown = shown
        self.device = shown.get("device")
        self.state = shown.get("state")
        self.reason = shown.get("reason", "")
        self.reasons = shown.get("reasons", [])
        self.config = row.get("other_config", {})
        self.peer = row.get("options", {}).get("peer")
        self.internal = (row.get("type") in ("internal", "dummy-internal")
                         or name == bridge)

    def size(self, attribute):
        """Size in force, or None."""
        return self.shown.get(attribute, {}).get("value")

    def ceiling(self):
        return self.size("tso_max_size")

    def caused_by(self, *causes):
        """The reasons with one of 'causes'."""
        return [reason for reason in self.reasons
                if reason.get("cause") in causes]

    def asks(self):
        """Whether a row asks for anything."""
        return (self.shown.get("bigtcp", {}).get("value") == "auto"
                or any("asked" in self.shown.get(name, {})
                       for _, name in FAMILIES))


class Host(object):
    """Everything that 'status' and 'check' look at."""

    def __init__(self, switch):
        self.switch = switch
        self.capabilities = switch.appctl_json("bigtcp/capabilities")
        self.shown = switch.appctl_json("bigtcp/show")
        if any("reason" in port and "reasons" not in port
               for ports in self.shown.values() for port in ports.values()):
            raise Failure("this ovs-vswitchd is older than this program")
        self.observed = switch.appctl_json("bigtcp/observe", "show")
        self.interfaces = {row["name"]: row for row in switch.rows(
            "Interface", "name", "type", "options", "other_config")}
        self.bridges = {row["name"]: row for row in switch.rows(
            "Bridge", "name", "datapath_type", "other_config")}
        self.config = {}
        for row in switch.rows("Open_vSwitch", "other_config"):
            self.config = row["other_config"]
        self.ports = {
            bridge: [Port(name, bridge, port, self.interfaces.get(name, {}))
                     for name, port in sorted(ports.items())]
            for bridge, ports in sorted(self.shown.items())}

    def find_port(self, bridge, name):
        """The port 'name' of the group of 'bridge', or None."""
        for member in [bridge] + sorted(self.group(bridge) - {bridge}):
            for port in self.ports.get(member, []):
                if port.name == name:
                    return port
        return None

    def deciding(self, port, key):
        """The row that decides 'key' of 'port', as arguments of ovs-vsctl, and
        its value there, or (None, None)."""
        bridge = self.bridges.get(port.bridge, {})
        for row, config in (
                ("Interface " + shlex.quote(port.name), port.config),
                ("Bridge " + shlex.quote(port.bridge),
                 bridge.get("other_config", {})),
                ("Open_vSwitch .", self.config)):
            if key in config:
                return row, config[key]
        return None, None

    def row_of(self, port, key):
        return self.deciding(port, key)[0]

    def value_of(self, port, key):
        return self.deciding(port, key)[1]

    def group(self, bridge):
        """'bridge' and those that patch ports join to it."""
        owners = {port.name: port.bridge
                  for ports in self.ports.values() for port in ports}
        group, todo = set(), [bridge]
        while todo:
            name = todo.pop()
            if name not in group:
                group.add(name)
                todo += [owners[port.peer]
                         for port in self.ports.get(name, [])
                         if port.peer in owners]
        return group

    def is_kernel(self, bridge):
        """Whether 'bridge' has ports with devices of ours to manage."""
        kind = self.bridges.get(bridge, {}).get("datapath_type", "")
        return kind != "netdev"

    def passing(self, bridge, attribute):
        """The largest packet that goes from an internal port of 'bridge' to
        all others in one piece, or None."""
        senders = [port.size(attribute) for port in self.ports[bridge]
                   if port.internal and port.size(attribute)]
        others = [port.size(attribute)
                  for name in self.group(bridge) for port in self.ports[name]
                  if not port.internal and port.size(attribute)]
        if not senders and not others:
            return None
        return min(([max(senders)] if senders else []) + others)


def kernel_release():
    return os.uname().release


def module_command():
    """What loads our kernel module, and installs it if need be."""
    try:
        known = subprocess.run(["modinfo", "-n", MODULE],
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        known = False
    if known:
        return "modprobe %s" % MODULE
    folder = "/usr/src/openvswitch-bigtcp-0.1.0"
    copy = "" if os.path.isdir(folder) else "cp -r datapath %s && " % folder
    return "%sdkms install openvswitch-bigtcp/0.1.0 && modprobe %s" \
        % (copy, MODULE)
