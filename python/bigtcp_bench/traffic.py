# SPDX-License-Identifier: Apache-2.0
"""One TCP flow by iperf3, and what it took."""

import contextlib
import json
import subprocess
import time

from bigtcp_bench import system
from bigtcp_bench.system import Failure

SERVER_PORT = 5201
CLIENT_PORT = 52010             # The same in each flow.

# What iperf3 says when the other end is not yet done with the last flow.
PASSING = ("busy", "Address already in use", "Cannot assign requested address",
           "Connection reset by peer")
ATTEMPTS = 5


def version():
    """iperf3's version, or None if it is not installed."""
    with contextlib.suppress(Failure, IndexError):
        return system.run("iperf3", "--version").split()[1]


def start_server(stack, netns, cpu):
    server = system.start(
        netns.command("iperf3", "-s", "-p", str(SERVER_PORT)), cpu,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stack.callback(system.stop, server)


def read_report(text):
    """What iperf3's JSON 'text' says: bits a second at the receiver, and
    segments that were sent again.  Raises Failure."""
    try:
        report = json.loads(text)
    except ValueError:
        raise Failure("iperf3: the report is no JSON: %r" % text[:200])
    if "error" in report:
        raise Failure("iperf3: " + report["error"])
    try:
        end = report["end"]
        return {"bits_per_second": end["sum_received"]["bits_per_second"],
                "retransmits": end["sum_sent"].get("retransmits")}
    except KeyError as error:
        raise Failure("iperf3: the report has no %s" % error)


def iperf3(netns, address, cpu, settings):
    command = netns.command(
        "iperf3", "-J", "-c", address, "-p", str(SERVER_PORT),
        "--cport", str(CLIENT_PORT), "-t", str(settings["seconds"]),
        "-O", str(settings["omit"]),
        *(["-l", str(settings["length"])] if "length" in settings else []))
    limit = settings["seconds"] + settings["omit"] + 120
    for attempt in range(ATTEMPTS):
        client = system.start(command, cpu, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE,
                              universal_newlines=True)
        try:
            output = client.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            raise Failure("iperf3: no end within %d s" % limit)
        finally:
            if client.poll() is None:
                system.stop(client)
        try:
            return read_report(output)
        except Failure as error:
            if (attempt == ATTEMPTS - 1
                    or not any(text in str(error) for text in PASSING)):
                raise
        time.sleep(1)


def flow(path, family, cpus, settings):
    """Sends over 'path' for settings 'seconds', after 'omit' seconds that do
    not count.

    Returns 'bits_per_second', 'retransmits', and for the whole time, with what
    is omitted: 'packets' and 'bytes' that left by the path's wire,
    'bytes_per_packet', the 'cpu_seconds' of 'cpus' and those for 10^9
    bytes."""
    before = system.read_link(*path.wire)
    cpu = system.cpu_seconds(set(cpus))
    values = iperf3(path.client, path.addresses[family], cpus[0], settings)
    cpu = system.cpu_seconds(set(cpus)) - cpu
    after = system.read_link(*path.wire)
    packets = after["tx_packets"] - before["tx_packets"]
    count = after["tx_bytes"] - before["tx_bytes"]
    values.update(packets=packets, bytes=count, cpu_seconds=cpu,
                  bytes_per_packet=count / packets if packets else None,
                  cpu_seconds_per_gb=cpu / (count / 1e9) if count else None)
    return values
