# SPDX-License-Identifier: Apache-2.0
"""Packets by size, as they come."""

CLASSES = ("mss", "64k", "128k", "256k", "512k")
BIG_CLASSES = CLASSES[2:]


def difference(new, old):
    """Packets and bytes by direction and class, all families together, that
    'new' has more than 'old'."""
    result = {}
    for direction in ("sent", "received"):
        classes = {}
        for name in CLASSES:
            classes[name] = {
                field: sum(family["classes"][name][field]
                           for family in new[direction].values())
                - sum(family["classes"][name][field]
                      for family in old[direction].values())
                for field in ("packets", "bytes")}
        result[direction] = classes
    return result


def bars(interface, shown, delta, seconds, width):
    """Lines that show 'delta', of 'seconds'."""
    total = sum(c["bytes"] for classes in delta.values()
                for c in classes.values())
    big = sum(classes[name]["bytes"] for classes in delta.values()
              for name in BIG_CLASSES)
    largest = max(family["largest"] for direction in ("sent", "received")
                  for family in shown[direction].values())
    lines = ["%s: device %s, %.1f%% of bytes above 64 kB, largest packet %d"
             % (interface, shown["device"],
                100.0 * big / total if total else 0, largest)]
    for direction, classes in delta.items():
        n_bytes = sum(c["bytes"] for c in classes.values())
        n_packets = sum(c["packets"] for c in classes.values())
        lines.append("%-8s %10.3f Gbit/s %12.0f packets/s"
                     % (direction, 8e-9 * n_bytes / seconds,
                        n_packets / seconds))
        for name in CLASSES:
            share = classes[name]["bytes"] / n_bytes if n_bytes else 0
            filled = int(share * width + 0.5)
            lines.append("  %5s |%s%s| %5.1f%% %12.0f packets/s"
                         % (name, "#" * filled, " " * (width - filled),
                            100 * share, classes[name]["packets"] / seconds))
    return lines
