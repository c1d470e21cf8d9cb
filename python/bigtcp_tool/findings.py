# SPDX-License-Identifier: Apache-2.0
"""What 'check' finds: what stops BIG TCP, and what would change that."""

import shlex

from bigtcp_tool.host import FAMILIES
from bigtcp_tool.host import MODULE
from bigtcp_tool.host import kernel_release
from bigtcp_tool.host import module_command

LEGACY = 65536                  # Bytes: GSO_LEGACY_MAX_SIZE.
MAX = 524280                    # Bytes: GSO_MAX_SIZE.
CT_HAZARD = "eaafdaa3e922"      # Kernel commit that mends flows with ct.


class Finding(object):
    """'severity' is "error", "warning" or "note"; 'commands' are ways to
    change it, any one of them."""

    def __init__(self, severity, bridge, interface, text, commands=()):
        self.severity = severity
        self.bridge = bridge
        self.interface = interface
        self.text = text
        self.commands = list(commands)

    def to_json(self):
        found = {"severity": self.severity, "text": self.text,
                 "commands": self.commands}
        if self.bridge:
            found["bridge"] = self.bridge
        if self.interface:
            found["interface"] = self.interface
        return found


def row_arguments(port, row):
    """'row', by the name of its table, of 'port' as arguments of
    ovs-vsctl."""
    return {"Interface": "Interface " + shlex.quote(port.name),
            "Bridge": "Bridge " + shlex.quote(port.bridge),
            "Open_vSwitch": "Open_vSwitch ."}[row]


def set_command(row, *pairs):
    return "ovs-vsctl set %s %s" % (row, " ".join(
        "other_config:%s=%s" % pair for pair in pairs))


def remove_command(row, *keys):
    return "ovs-vsctl remove %s other_config %s" % (row, " ".join(keys))


def check_kernel(host):
    """Findings about the kernel.  Returns whether it can at all."""
    capabilities = host.capabilities
    if "error" in capabilities:
        return [Finding("error", None, None, "cannot read devices: %s"
                        % capabilities["error"])], False
    attributes = capabilities["attributes"]
    if not attributes["tso_max_size"]:
        return [Finding("warning", None, None,
                        "Linux %s has no packets above 64 kB: that takes 5.19 "
                        "or later for IPv6, 6.3 or later for IPv4"
                        % kernel_release())], False
    if not attributes["gso_ipv4_max_size"]:
        return [Finding("warning", None, None,
                        "Linux %s has no packets above 64 kB over IPv4: that "
                        "takes 6.3 or later" % kernel_release())], True
    return [], True


def check_state(host, port):
    """Findings about what the daemon says of 'port'."""
    if port.state == "error":
        yield Finding("error", port.bridge, port.name, port.reason,
                      [remove_command(row_arguments(port, reason["row"]),
                                      reason["key"])
                       for reason in port.caused_by("value_rejected")])
    elif port.state == "drifted":
        commands = []
        if host.value_of(port, "bigtcp_enforce") == "false":
            commands.append(remove_command(
                host.row_of(port, "bigtcp_enforce"), "bigtcp_enforce"))
        else:
            commands.append("ovs-appctl bigtcp/refresh")
        yield Finding("error", port.bridge, port.name, port.reason, commands)
    elif port.state == "remote":
        small = any((port.size(name) or 0) <= LEGACY for _, name in FAMILIES)
        yield Finding("warning" if small else "note", port.bridge, port.name,
                      port.reason,
                      ["modprobe openvswitch_bigtcp",
                       "ip -n NAMESPACE link set %s gso_max_size %d "
                       "gso_ipv4_max_size %d" % (port.device, port.ceiling(),
                                                 port.ceiling())]
                      if small and port.ceiling() else [])
    elif port.state == "unsupported":
        keys = [key for key in port.shown if key in port.config]
        yield Finding("warning", port.bridge, port.name, port.reason,
                      [remove_command("Interface " + shlex.quote(port.name),
                                      *sorted(keys))] if keys else [])
    elif (port.state == "clamped" and not port.internal
          and port.ceiling() is not None):
        yield Finding("warning" if port.ceiling() <= LEGACY else "note",
                      port.bridge, port.name, port.reason)


def check_hazards(host, port):
    """Findings about faults of the kernel that matter to 'port'."""
    texts = {hazard["commit"]: hazard["text"]
             for hazard in host.capabilities["hazards"]}
    for reason in port.caused_by("kernel_hazard"):
        commit = reason["commit"]
        text = texts.get(commit, reason["text"])
        cure = "a kernel with commit %s mends it" % commit
        if commit == CT_HAZARD:
            # A packet may come there by a patch port.
            has_ct = {bridge: host.switch.has_ct(bridge)
                      for bridge in sorted(host.group(port.bridge))}
            some = [bridge for bridge in has_ct if has_ct[bridge]]
            if some:
                severity = "error"
                where = ", and %s has some" % some[0]
            elif None in has_ct.values():
                severity, where = "warning", ""
            else:
                severity = "note"
                where = ", of which %s has none now" % port.bridge
            yield Finding(severity, port.bridge, port.name,
                          "%s%s; %s" % (text, where, cure),
                          [] if severity == "note" else
                          [set_command("Bridge " + shlex.quote(port.bridge),
                                       ("gso_max_size", LEGACY),
                                       ("gro_max_size", LEGACY))])
        else:
            yield Finding("warning", port.bridge, port.name,
                          "%s; %s" % (text, cure))


def check_device(port):
    """Findings about what of the device of 'port' takes packets apart though
    its sizes do not."""
    device = shlex.quote(port.device)
    for reason in port.caused_by("tso_off", "lro_on", "qdisc_segments"):
        if reason["cause"] == "tso_off":
            text = "TSO is off: the kernel segments what the device sends"
            command = "ethtool -K %s tso on" % device
        elif reason["cause"] == "lro_on":
            text = "LRO is on: what it merges cannot be forwarded, unlike " \
                "what GRO merges"
            command = "ethtool -K %s lro off" % device
        else:
            text = "qdisc %s can segment what the device sends" \
                % reason["qdisc"]
            command = "tc qdisc replace dev %s root fq" % device
        yield Finding("warning", port.bridge, port.name, text, [command])


def check_ingress(port):
    """Findings about 'ifb' devices to which tc redirects what arrives at
    'port'."""
    for reason in port.caused_by("ingress_limits"):
        ifb = shlex.quote(reason["by"])
        yield Finding("note" if reason["limit"] > LEGACY else "warning",
                      port.bridge, port.name,
                      "what arrives goes through %s, which takes packets of "
                      "at most %d bytes" % (reason["by"], reason["limit"]),
                      ["ip link set %s gso_max_size %d gso_ipv4_max_size %d"
                       % (ifb, MAX, MAX),
                       "tc filter del dev %s ingress"
                       % shlex.quote(port.device)])


def check_internal(host, bridge):
    """Findings about the ceiling of internal ports."""
    ports = [port for port in host.ports[bridge]
             if port.internal and port.device
             and port.ceiling() is not None and port.ceiling() <= LEGACY]
    if not ports:
        return
    names = ", ".join(port.name for port in ports)
    if host.capabilities["module"]:
        yield Finding("warning", bridge, names,
                      "internal ports are held at %d bytes though %s is "
                      "loaded: see its parameter tso_max_size"
                      % (ports[0].ceiling(), MODULE),
                      ["modprobe -r %s && modprobe %s" % (MODULE, MODULE)])
    else:
        yield Finding("warning", bridge, names,
                      "this kernel holds internal ports at %d bytes, and the "
                      "module that lets them have more is not loaded"
                      % ports[0].ceiling(), [module_command()])


def raise_commands(host, port, attribute):
    """What lets 'port' have a larger 'attribute', as far as we can."""
    row = host.row_of(port, attribute)
    quoted = "Interface " + shlex.quote(port.name)
    if port.ceiling() and port.ceiling() > port.size(attribute):
        if row:
            return [set_command(row, (attribute, "max"))]
        if host.value_of(port, "bigtcp") == "off":
            return [remove_command(host.row_of(port, "bigtcp"), "bigtcp")]
        return [set_command(quoted, (attribute, "max"))]
    return []


def check_limiter(host, port):
    """Findings about a port that holds others down, which 'port' names."""
    for reason in port.caused_by("port_limits"):
        other = host.find_port(port.bridge, reason["by"])
        if not other:
            continue
        # What a receiver may glue together is what others can send.
        attribute = reason["attributes"][0].replace("gro_", "gso_")
        commands = raise_commands(host, other, attribute)
        uplinks = other.caused_by("lower_limits")
        if uplinks:
            commands = ["ip link set %s gso_max_size %d gso_ipv4_max_size %d"
                        % (shlex.quote(uplinks[0]["by"]), MAX, MAX)]
        why = other.reason if uplinks else ""
        if not commands:
            why = "its device can have no more"
            commands = ["ovs-vsctl del-port %s %s"
                        % (shlex.quote(other.bridge),
                           shlex.quote(other.name)),
                        set_command("Bridge " + shlex.quote(port.bridge),
                                    ("bigtcp_mixed", "true"))]
        segments = attribute == "gso_max_segs"
        yield Finding("note" if not segments and reason["limit"] > LEGACY
                      else "warning", other.bridge, other.name,
                      "takes packets of at most %d %s, so that %s sends no "
                      "larger ones%s" % (reason["limit"],
                                         "segments" if segments else "bytes",
                                         port.name,
                                         " (%s)" % why if why else ""),
                      commands)


def check_cliffs(host, bridge):
    """Findings about ports that must segment what another one sends."""
    group = [port for name in sorted(host.group(bridge))
             for port in host.ports[name]]
    for family, attribute in FAMILIES:
        senders = [port for port in host.ports[bridge]
                   if port.internal and port.size(attribute)]
        if not senders:
            continue
        sender = max(senders, key=lambda port: port.size(attribute))
        if sender.size(attribute) <= LEGACY:
            continue
        for port in group:
            size = port.size(attribute)
            if port.internal or not size or size >= sender.size(attribute):
                continue
            mixed = host.value_of(sender, "bigtcp_mixed") == "true"
            # Without TSO there is nothing to cut them to but the MSS.
            resegmented = (host.capabilities.get("oversized") == "resegment"
                           and not port.caused_by("tso_off"))
            row = host.row_of(sender, attribute)
            yield Finding(
                "note" if mixed or resegmented else "error",
                port.bridge, port.name,
                "%s packets of up to %d bytes from %s are too large for it, "
                "which takes %d: they are %s"
                % (family, sender.size(attribute), sender.name, size,
                   "cut into the largest that fit" if resegmented else
                   "segmented in software down to the MSS"),
                raise_commands(host, port, attribute)
                or ([set_command(row, (attribute, size))] if row else []))


def check_bridge(host, bridge):
    ports = [port for port in host.ports[bridge] if port.device]
    if not host.is_kernel(bridge) or not ports:
        return [Finding("note", bridge, None, "is not on the kernel datapath, "
                        "where there is no BIG TCP")]
    findings = list(check_internal(host, bridge))
    if not any(port.asks() for port in ports):
        off = [port for port in ports
               if port.shown.get("bigtcp", {}).get("value") == "off"]
        if off:
            findings.append(Finding(
                "note", bridge, None, "BIG TCP is turned off",
                [remove_command(host.row_of(off[0], "bigtcp"), "bigtcp")]))
        else:
            findings.append(Finding(
                "warning", bridge, None, "BIG TCP is not turned on",
                [set_command("Bridge " + shlex.quote(bridge),
                             ("bigtcp", "auto")),
                 set_command("Open_vSwitch .", ("bigtcp", "auto"))]))
    for port in host.ports[bridge]:
        findings += check_state(host, port)
        findings += check_hazards(host, port)
        if port.device:
            findings += check_device(port)
            findings += check_ingress(port)
        if port.state == "limited":
            findings += check_limiter(host, port)
    findings += check_cliffs(host, bridge)
    return findings


def merge_findings(findings):
    """'findings' without those that say the same of the same port."""
    merged = {}
    for finding in findings:
        key = (finding.bridge, finding.interface, tuple(finding.commands),
               finding.severity if finding.commands else finding.text)
        merged.setdefault(key, finding)
    return list(merged.values())
