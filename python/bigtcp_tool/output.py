# SPDX-License-Identifier: Apache-2.0
"""Output to a terminal, or to something else."""

import json
import os
import shutil
import sys

COLOURS = {"red": "31", "green": "32", "yellow": "33", "bold": "1"}


class Paint(object):
    """Puts colour into texts where the user wants that."""

    def __init__(self, options):
        self.on = (options.color == "always"
                   or (options.color == "auto" and sys.stdout.isatty()
                       and not os.environ.get("NO_COLOR")
                       and os.environ.get("TERM") != "dumb"))

    def __call__(self, colour, text):
        if self.on and colour in COLOURS:
            return "\033[%sm%s\033[0m" % (COLOURS[colour], text)
        return text


def print_json(value):
    print(json.dumps(value, indent=2, sort_keys=True))


def short(size):
    """A size in bytes as people say it."""
    return "-" if size is None else "%dK" % round(size / 1024)


def yes_no(value):
    return "yes" if value else "no"


def screen():
    """(columns, lines) of the terminal, or (None, None)."""
    if not sys.stdout.isatty():
        return None, None
    return tuple(shutil.get_terminal_size((80, 24)))
