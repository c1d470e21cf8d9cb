# SPDX-License-Identifier: Apache-2.0
"""Processes, network namespaces and sizes of devices."""

import array
import contextlib
import ctypes
import fcntl
import os
import shlex
import signal
import socket
import struct
import subprocess
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000       # linux/sched.h.
PR_SET_PDEATHSIG = 1            # linux/prctl.h.


class Failure(Exception):
    """What went wrong, for the user."""


# Processes.

def run(*args):
    """Runs 'args'; returns standard output.  Raises Failure."""
    try:
        result = subprocess.run(args, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE,
                                universal_newlines=True)
    except OSError as error:
        raise Failure("cannot run %s: %s" % (args[0], error.strerror))
    if result.returncode:
        raise Failure("'%s' failed (exit status %d): %s"
                      % (shlex.join(args), result.returncode,
                         (result.stderr or result.stdout).strip()))
    return result.stdout


def try_run(*args):
    """Runs 'args' and does not mind if that fails."""
    with contextlib.suppress(OSError):
        subprocess.run(args, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def die_with_parent():
    """Makes the kernel end this process when its parent ends, however that
    comes about."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start(args, cpu=None, **kwargs):
    """Starts 'args', on CPU 'cpu' only if there is one.  Returns the Popen
    object of a process that does not outlive us."""
    def prepare():
        die_with_parent()
        if cpu is not None:
            os.sched_setaffinity(0, {cpu})

    try:
        return subprocess.Popen(args, stdin=subprocess.DEVNULL,
                                preexec_fn=prepare, **kwargs)
    except OSError as error:
        raise Failure("cannot run %s: %s" % (args[0], error.strerror))


def stop(process):
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_until(condition, limit, what):
    """Waits at most 'limit' seconds for 'condition()' to be true."""
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise Failure("%s: not within %d s" % (what, limit))
        time.sleep(0.05)


def loaded_modules():
    with open("/proc/modules") as stream:
        return {line.split()[0] for line in stream}


def cpu_seconds(cpus):
    """Seconds that those of 'cpus' have not been idle since boot."""
    total = 0
    names = {"cpu%d" % cpu for cpu in cpus}
    with open("/proc/stat") as stream:
        for line in stream:
            words = line.split()
            if words[0] in names:
                # user nice system idle iowait irq softirq
                total += sum(int(words[i]) for i in (1, 2, 3, 6, 7))
    return total / os.sysconf("SC_CLK_TCK")


# Network namespaces.

class Netns(object):
    """A network namespace.  Without 'fd', the one that we are in."""

    def __init__(self, fd=None):
        self.fd = fd

    def path(self):
        return ("/proc/self/ns/net" if self.fd is None
                else "/proc/%d/fd/%d" % (os.getpid(), self.fd))

    def command(self, *args):
        """What runs command 'args' in here."""
        if self.fd is None:
            return list(args)
        return ["nsenter", "--net=" + self.path()] + list(args)

    def run(self, *args):
        return run(*self.command(*args))

    def call(self, function, *args):
        """Calls 'function' in here.  What is created there, e.g. a socket,
        stays here."""
        if self.fd is None:
            return function(*args)

        def enter():
            if LIBC.setns(self.fd, CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
            return function(*args)

        return in_thread(enter)

    def close(self):
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None


def in_thread(function):
    """Returns what 'function' does in a thread of its own: a namespace is a
    matter of the thread."""
    outcome = []

    def body():
        try:
            outcome.append((function(), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    value, error = outcome[0]
    if error:
        raise error
    return value


def new_netns(stack):
    """Returns a new network namespace that has no name: it goes with 'stack',
    and with us."""
    def make():
        if LIBC.unshare(CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "unshare")
        return os.open("/proc/thread-self/ns/net", os.O_RDONLY)

    netns = Netns(in_thread(make))
    stack.callback(netns.close)
    netns.run("ip", "link", "set", "lo", "up")
    return netns


def read_sysctl(name):
    with open("/proc/sys/" + name.replace(".", "/")) as stream:
        return " ".join(stream.read().split())


def write_sysctl(name, value):
    with open("/proc/sys/" + name.replace(".", "/"), "w") as stream:
        stream.write(value)


# Devices.  iproute2 before 6.3 does not know the sizes for IPv4.

# linux/if_link.h.
SIZES = {"tso_max_size": 59, "gso_max_size": 41, "gso_ipv4_max_size": 63,
         "gso_max_segs": 40, "gro_max_size": 58, "gro_ipv4_max_size": 64}
IFLA_IFNAME, IFLA_STATS64 = 3, 23
# linux/rtnetlink.h, linux/netlink.h.
RTM_GETLINK, RTM_SETLINK = 18, 19
NLM_F_REQUEST, NLM_F_ACK = 1, 4
NLMSG_ERROR = 2
# linux/sockios.h, linux/ethtool.h.
SIOCETHTOOL, ETHTOOL_STSO = 0x8946, 0x1f

MAX = 524280                    # Bytes: GSO_MAX_SIZE.
LEGACY = 65536                  # Bytes: GSO_LEGACY_MAX_SIZE.


def _attribute(kind, payload):
    data = struct.pack("=HH", 4 + len(payload), kind) + payload
    return data + bytes(-len(data) % 4)


def _transact(kind, flags, device, payload):
    message = (bytes(16) + _attribute(IFLA_IFNAME, device.encode() + b"\0")
               + payload)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                       socket.NETLINK_ROUTE) as sock:
        sock.send(struct.pack("=LHHLL", 16 + len(message), kind,
                              NLM_F_REQUEST | flags, 1, 0) + message)
        reply = sock.recv(65536)
    if struct.unpack_from("=H", reply, 4)[0] == NLMSG_ERROR:
        error = -struct.unpack_from("=i", reply, 16)[0]
        if error:
            raise Failure("%s: %s" % (device, os.strerror(error)))
    return reply


def read_link(netns, device):
    """The sizes of 'device' in 'netns', those that this kernel has, and what
    it sent: 'tx_packets', 'tx_bytes'."""
    reply = netns.call(_transact, RTM_GETLINK, 0, device, b"")
    names = {number: name for name, number in SIZES.items()}
    values = {}
    offset = 32
    while offset + 4 <= len(reply):
        length, kind = struct.unpack_from("=HH", reply, offset)
        if length < 4:
            break
        if kind in names:
            values[names[kind]] = struct.unpack_from("=L", reply,
                                                     offset + 4)[0]
        elif kind == IFLA_STATS64:
            # rx_packets tx_packets rx_bytes tx_bytes
            numbers = struct.unpack_from("=4Q", reply, offset + 4)
            values["tx_packets"], values["tx_bytes"] = numbers[1], numbers[3]
        offset += (length + 3) & ~3
    return values


def write_sizes(netns, device, sizes):
    """Gives 'device' the 'sizes', a dict.  IPv6 comes first, because the
    kernel lets that of IPv4 follow."""
    netns.call(_transact, RTM_SETLINK, NLM_F_ACK, device,
               b"".join(_attribute(number, struct.pack("=L", sizes[name]))
                        for name, number in SIZES.items() if name in sizes))


def set_tso(netns, device, on):
    """Turns segmentation of TCP by 'device' on or off."""
    def change():
        value = array.array("B", struct.pack("=II", ETHTOOL_STSO, on))
        request = struct.pack("16sP16x", device.encode(),
                              value.buffer_info()[0])
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            try:
                fcntl.ioctl(sock, SIOCETHTOOL, request)
            except OSError as error:
                raise Failure("%s: cannot turn TSO %s: %s"
                              % (device, "on" if on else "off",
                                 error.strerror))

    netns.call(change)
