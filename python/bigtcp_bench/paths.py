# SPDX-License-Identifier: Apache-2.0
"""The ways from a sender to a receiver over which traffic is measured.

A path has network namespaces 'client' and 'server', 'addresses' of the server
by family, and a 'wire': namespace and name of the device that everything from
the client leaves by.  All of it is gone when the stack is closed that it was
made with.  Addresses are of the blocks for benchmarks (RFC 2544, RFC 5180)."""

import contextlib
import socket

from bigtcp_bench import rr
from bigtcp_bench import switch
from bigtcp_bench import system
from bigtcp_bench import traffic
from bigtcp_bench.system import LEGACY
from bigtcp_bench.system import MAX
from bigtcp_bench.system import Failure

# So that more than one large packet can be under way; that a flow does not
# inherit what the kernel learned from the one before; and that a flow can have
# the port numbers of the one before.
SYSCTLS = {"net.ipv4.tcp_wmem": "4096 1048576 33554432",
           "net.ipv4.tcp_rmem": "4096 1048576 33554432",
           "net.ipv4.tcp_no_metrics_save": "1",
           "net.ipv4.tcp_tw_reuse": "1"}

PORT = "bigtcp-bench0"          # The bridge's end of the veth pair.
PEER = "eth0"                   # An end in a namespace of ours.
UPLINK = "bigtcp-bench1"        # What tunnels leave by.
TUNNEL = "bigtcp-bench2"
KEY = 100                       # VNI.
# Room for what encapsulation adds, with IPv6 outside.
UPLINK_MTU = 1700


def subnet(number):
    """Addresses by family of a network's host 'number', with the length of
    the prefix, and the network's ordinal."""
    def address(host):
        return {"IPv4": "198.18.%d.%d/24" % (number, host),
                "IPv6": "2001:2:0:%d::%d/64" % (number, host)}

    return address


def set_sysctls(stack, netns):
    for name, value in SYSCTLS.items():
        with contextlib.suppress(FileNotFoundError):
            if netns.fd is None:
                # May be the host's own.
                stack.callback(system.write_sysctl, name,
                               system.read_sysctl(name))
            netns.call(system.write_sysctl, name, value)


def add_addresses(netns, device, addresses):
    for address in addresses.values():
        # Without 'nodad' an IPv6 address is not usable at once.
        nodad = ("nodad",) if ":" in address else ()
        netns.run("ip", "address", "add", address, "dev", device, *nodad)
    netns.run("ip", "link", "set", device, "up")


def add_veth(stack, netns, device, peer_netns, peer):
    netns.run("ip", "link", "add", device, "type", "veth", "peer", "name",
              peer, "netns", peer_netns.path())
    stack.callback(system.try_run,
                   *netns.command("ip", "link", "del", device))
    netns.run("ip", "link", "set", device, "up")


def gso(size, ipv4):
    sizes = {"gso_max_size": size}
    if ipv4:
        sizes["gso_ipv4_max_size"] = size
    return sizes


class Path(object):
    """What all paths share.  'ipv4' tells whether this kernel has sizes for
    IPv4 apart from those for IPv6."""

    client = system.Netns()     # The namespace that we are in.
    size = None                 # GSO size that is in force, bytes.

    def __init__(self, stack, cpus, ipv4):
        self.stack = stack
        self.cpus = cpus
        self.ipv4 = ipv4
        self.subnet = subnet(self.number)
        self.addresses = {family: address.split("/")[0] for family, address
                          in self.subnet(2).items()}
        self.make()

    def make_namespaces(self, *names):
        for name in names:
            netns = system.new_netns(self.stack)
            set_sysctls(self.stack, netns)
            setattr(self, name, netns)

    def serve(self):
        """Starts iperf3 as the server, and waits until it can be reached."""
        traffic.start_server(self.stack, self.server, self.cpus[1])
        self.wait_for(traffic.SERVER_PORT)

    def wait_for(self, port):
        def reachable():
            for address in self.addresses.values():
                try:
                    self.client.call(socket.create_connection,
                                     (address, port), 1).close()
                except OSError:
                    return False
            return True

        system.wait_until(reachable, 60, "port %d of the server" % port)

    def set_size(self, size):
        """Makes the sender's packets at most 'size' bytes long."""
        if self.size != size:
            self.apply(size)
            self.size = size

    def expect(self, device, size):
        """Raises Failure unless 'device' of the switch has GSO size 'size'."""
        sizes = system.read_link(self.client, device)
        for name in gso(size, self.ipv4):
            if sizes.get(name) != size:
                raise Failure("%s: %s is %s, not the %d asked for"
                              % (device, name, sizes.get(name), size))


class LoopbackPath(Path):
    number = 10

    def make(self):
        self.make_namespaces("server")
        self.client = self.server
        self.wire = (self.server, "lo")
        add_addresses(self.server, "lo", self.subnet(2))

    def apply(self, size):
        system.write_sizes(self.server, "lo", gso(size, self.ipv4))


class VethPath(Path):
    number = 11

    def make(self):
        self.make_namespaces("server", "client")
        self.wire = (self.client, PEER)
        add_veth(self.stack, self.client, PEER, self.server, PEER)
        add_addresses(self.client, PEER, self.subnet(1))
        add_addresses(self.server, PEER, self.subnet(2))

    def apply(self, size):
        system.write_sizes(self.client, PEER, gso(size, self.ipv4))


class LinuxBridgePath(Path):
    """From Linux's own bridge, which has the address, as an internal port of
    Open vSwitch has."""

    number = 12

    def make(self):
        self.make_namespaces("server", "client")
        self.wire = (self.client, PORT)
        self.client.run("ip", "link", "add", "br0", "type", "bridge")
        add_veth(self.stack, self.client, PORT, self.server, PEER)
        self.client.run("ip", "link", "set", PORT, "master", "br0")
        add_addresses(self.client, "br0", self.subnet(1))
        add_addresses(self.server, PEER, self.subnet(2))

    def apply(self, size):
        # The bridge takes no more than its ports have.
        for device in PORT, "br0":
            system.write_sizes(self.client, device, gso(size, self.ipv4))


class SwitchPath(Path):
    """From an internal port over a bridge of Open vSwitch and a veth pair."""

    number = 0

    def __init__(self, stack, cpus, ovs):
        self.switch = ovs
        self.both_ends = False
        Path.__init__(self, stack, cpus, ovs.has_ipv4())

    def make(self):
        self.make_namespaces("server")
        set_sysctls(self.stack, self.client)
        self.wire = (self.client, PORT)
        bridge = self.switch.add_bridge(self.stack)
        add_veth(self.stack, self.client, PORT, self.server, PEER)
        self.switch.vsctl("add-port", bridge, PORT)
        add_addresses(self.client, bridge, self.subnet(1))
        add_addresses(self.server, PEER, self.subnet(2))
        self.ceiling = system.read_link(self.client,
                                        bridge).get("tso_max_size", LEGACY)
        self.egress = None
        self.set_egress(MAX)

    def set_egress(self, size):
        if self.egress != size:
            self.switch.set_sizes({PORT: size})
            self.expect(PORT, size)
            self.egress = size

    def set_egress_tso(self, on):
        system.set_tso(self.client, PORT, on)

    def apply(self, size):
        self.switch.set_sizes({switch.BRIDGE: size})
        self.expect(switch.BRIDGE, size)
        if self.both_ends:
            system.write_sizes(self.server, PEER, gso(size, self.ipv4))

    def serve_rr(self, family, netperf):
        """Starts a server for requests, by netperf as well if 'netperf'."""
        address = self.addresses[family]
        rr.start_server(self.stack, self.server, address, self.cpus[1])
        if netperf:
            rr.start_netserver(self.stack, self.server, address,
                               self.cpus[1])


class TunnelPath(Path):
    """From an internal port of Open vSwitch through a tunnel of type 'kind',
    which leaves by an uplink with GSO size 'uplink'."""

    number = 1
    NUMBERS = {"vxlan": 4789, "geneve": 6081}   # Ports of UDP.

    def __init__(self, stack, cpus, ovs, kind, uplink):
        self.switch = ovs
        self.kind = kind
        self.uplink = uplink
        Path.__init__(self, stack, cpus, ovs.has_ipv4())

    def make(self):
        self.make_namespaces("server")
        set_sysctls(self.stack, self.client)
        self.wire = (self.client, UPLINK)
        here, there = (subnet(2)(host)["IPv4"] for host in (1, 2))
        add_veth(self.stack, self.client, UPLINK, self.server, PEER)
        for netns, device, address in ((self.client, UPLINK, here),
                                       (self.server, PEER, there)):
            netns.run("ip", "link", "set", device, "mtu", str(UPLINK_MTU))
            add_addresses(netns, device, {"IPv4": address})
            system.write_sizes(netns, device, gso(self.uplink, self.ipv4))
        here, there = here.split("/")[0], there.split("/")[0]

        args = ["ip", "link", "add", "tunnel0", "type", self.kind, "id",
                str(KEY), "remote", here, "dstport",
                str(self.NUMBERS[self.kind])]
        if self.kind == "vxlan":
            args += ["local", there]
        self.server.run(*args)
        self.server.run("ip", "link", "set", "tunnel0", "mtu", "1500")
        add_addresses(self.server, "tunnel0", self.subnet(2))

        bridge = self.switch.add_bridge(self.stack)
        self.switch.vsctl("add-port", bridge, TUNNEL, "--", "set",
                          "Interface", TUNNEL, "type=" + self.kind,
                          "options:remote_ip=" + there,
                          "options:key=%d" % KEY)
        add_addresses(self.client, bridge, self.subnet(1))

    def apply(self, value):
        """'value' is one of key 'bigtcp'."""
        self.switch.set_bigtcp(value)

    def sizes(self):
        """The GSO sizes that Open vSwitch chose: of the internal port."""
        return system.read_link(self.client, switch.BRIDGE)
