# SPDX-License-Identifier: Apache-2.0
"""Request and response over one TCP connection, one transaction at a time, by
ovs-bigtcp-rr: what netperf calls TCP_RR."""

import contextlib
import json
import subprocess

from bigtcp_bench import system
from bigtcp_bench.system import Failure

PROGRAM = "ovs-bigtcp-rr"
PORT = 5202
NETPERF_PORT = 5203
# Seconds that a client may take besides the transactions.
CONNECT = 30


def start_server(stack, netns, address, cpu):
    """Starts a server in 'netns'.  Returns its port when it listens."""
    server = system.start(
        netns.command(PROGRAM, "server", address, str(PORT)), cpu,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        universal_newlines=True)
    stack.callback(server.stderr.close)
    stack.callback(server.stdout.close)
    stack.callback(system.stop, server)
    line = server.stdout.readline()
    if not line:
        raise Failure("request/response: %s"
                      % (server.stderr.read().strip()
                         or "the server died"))
    return int(line)


def measure(path, family, cpus, size, settings):
    """Transactions of 'size' bytes either way over 'path', for settings
    'seconds' after 'omit' seconds that do not count.  Returns their number,
    how many there were in a second, and latencies in microseconds."""
    client = system.start(
        path.client.command(PROGRAM, "client", path.addresses[family],
                            str(PORT), str(size), str(settings["omit"]),
                            str(settings["seconds"])), cpus[0],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        universal_newlines=True)
    limit = settings["omit"] + settings["seconds"] + CONNECT
    try:
        output, errors = client.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise Failure("request/response: no end within %g s" % limit)
    finally:
        if client.poll() is None:
            system.stop(client)
    if client.returncode:
        raise Failure("request/response: %s"
                      % (errors.strip() or "the client died"))
    return json.loads(output)


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
