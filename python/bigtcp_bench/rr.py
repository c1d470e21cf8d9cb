# SPDX-License-Identifier: Apache-2.0
"""Request and response over one TCP connection, one transaction at a time:
what netperf calls TCP_RR.

A transaction takes from the call that sends the request to the arrival of the
response's last byte, and the next one begins at once.  As in netperf, socket
options are left alone, and each end reads until it has all bytes."""

import array
import contextlib
import gc
import json
import os
import socket
import struct
import subprocess
import time

from bigtcp_bench import stats
from bigtcp_bench import system
from bigtcp_bench.system import Failure

PORT = 5202
NETPERF_PORT = 5203
HEADER = struct.Struct("!II")   # Bytes of a request, of a response.


def receive(sock, view):
    """Fills 'view' from 'sock'.  Returns false if the other end closed."""
    size = len(view)
    # One call, so that Python takes little of the time.
    count = sock.recv_into(view, size, socket.MSG_WAITALL)
    while count < size:
        n = sock.recv_into(view[count:], size - count, socket.MSG_WAITALL)
        if not n:
            return False
        count += n
    return True


def serve(listener):
    """Answers one connection after another for good."""
    while True:
        sock = listener.accept()[0]
        with sock, contextlib.suppress(OSError):
            header = memoryview(bytearray(HEADER.size))
            if not receive(sock, header):
                continue
            request, response = HEADER.unpack(header)
            view = memoryview(bytearray(request))
            answer = bytes(response)
            while receive(sock, view):
                sock.sendall(answer)


def transact(sock, size, omit, seconds):
    """Exchanges 'size' bytes either way for 'seconds' after 'omit' seconds
    that do not count.  Returns nanoseconds of each transaction, and all of
    them together."""
    sock.sendall(HEADER.pack(size, size))
    request = bytes(size)
    view = memoryview(bytearray(size))
    clock = time.perf_counter_ns
    times = array.array("Q")
    gc.disable()
    for limit in omit, seconds:
        del times[:]
        begun = now = clock()
        end = begun + int(limit * 1e9)
        while now < end:
            before = now
            sock.sendall(request)
            if not receive(sock, view):
                raise OSError("the other end closed the connection")
            now = clock()
            times.append(now - before)
    return times, now - begun


def summary(times, total):
    """Transactions a second and latencies in microseconds of transactions
    that took 'times' nanoseconds each, and 'total' together."""
    times = sorted(times)
    if not times:
        raise Failure("no transaction was complete in time")
    values = {"transactions": len(times),
              "transactions_per_second": len(times) / (total / 1e9),
              "latency_min": times[0] / 1e3,
              "latency_mean": stats.mean(times) / 1e3}
    for percent in 50, 90, 99:
        values["latency_p%d" % percent] \
            = stats.percentile(times, percent) / 1e3
    return values


def fork(function, cpu):
    """Runs 'function' in a process of its own on 'cpu'.  Returns its number
    and where what it returns, as JSON, can be read from."""
    reader, writer = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, os.fdopen(reader)
    try:
        os.close(reader)
        system.die_with_parent()
        if os.getppid() == parent:
            os.sched_setaffinity(0, {cpu})
            try:
                result = function()
            except (OSError, Failure) as error:
                result = {"error": str(error)}
            os.write(writer, json.dumps(result).encode())
    finally:
        os._exit(0)


def end(pid):
    with contextlib.suppress(OSError):
        os.kill(pid, 9)
    with contextlib.suppress(OSError):
        os.waitpid(pid, 0)


def listen(family, address, port):
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen()
    return listener


def address_family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def start_server(stack, netns, address, cpu):
    listener = netns.call(listen, address_family(address), address, PORT)
    pid, reader = fork(lambda: serve(listener), cpu)
    listener.close()
    stack.callback(reader.close)
    stack.callback(end, pid)


def measure(path, family, cpus, size, settings):
    """Transactions of 'size' bytes either way over 'path'."""
    address = path.addresses[family]
    sock = path.client.call(socket.socket, address_family(address),
                            socket.SOCK_STREAM)
    with sock:
        sock.settimeout(30)
        try:
            sock.connect((address, PORT))
        except OSError as error:
            raise Failure("request/response: %s" % error)
        sock.settimeout(None)
        pid, reader = fork(
            lambda: summary(*transact(sock, size, settings["omit"],
                                      settings["seconds"])), cpus[0])
    with reader:
        try:
            text = reader.read()
        finally:
            end(pid)
    if not text:
        raise Failure("request/response: the client died")
    values = json.loads(text)
    if "error" in values:
        raise Failure("request/response: " + values["error"])
    return values


# The same by netperf, where it is installed.

OUTPUT = (("THROUGHPUT", "transactions_per_second"),
          ("MIN_LATENCY", "latency_min"), ("MEAN_LATENCY", "latency_mean"),
          ("P50_LATENCY", "latency_p50"), ("P90_LATENCY", "latency_p90"),
          ("P99_LATENCY", "latency_p99"))


def netperf_version():
    """netperf's version, or None if it is not installed."""
    with contextlib.suppress(Failure, IndexError):
        return system.run("netperf", "-V").split()[-1]


def start_netserver(stack, netns, address, cpu):
    # Takes a child process for each client, on the same CPU.
    server = system.start(
        netns.command("netserver", "-D", "-p", str(NETPERF_PORT),
                      "-6" if ":" in address else "-4"), cpu,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stack.callback(system.stop, server)


def read_netperf(text):
    """The figures in the last line of netperf's output 'text', which are in
    the order of OUTPUT.  Raises Failure."""
    words = text.strip().split("\n")[-1].split(",")
    try:
        return {name: float(word)
                for (_, name), word in zip(OUTPUT, words, strict=True)}
    except ValueError:
        raise Failure("netperf: cannot read %r" % text[-200:])


def measure_netperf(path, family, cpus, size, settings):
    """As measure(), by netperf."""
    address = path.addresses[family]
    seconds = str(max(1, round(settings["seconds"])))
    client = system.start(path.client.command(
        "netperf", "-6" if ":" in address else "-4", "-H", address,
        "-p", str(NETPERF_PORT), "-t", "TCP_RR", "-l", seconds, "-P", "0",
        "--", "-r", "%d,%d" % (size, size),
        "-o", ",".join(name for name, _ in OUTPUT)), cpus[0],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        universal_newlines=True)
    output = client.communicate()[0]
    if client.returncode:
        raise Failure("netperf: exit status %d: %s"
                      % (client.returncode, output.strip()[-200:]))
    return read_netperf(output)
