"""The command line: one module a command, each with `register`, which adds its parser and its `run`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from controller.errors import BoardError

COMMANDS = (
    "run",
    "simulate",
    "follow",
    "read",
    "calibrate",
    "plays",
    "rules",
    "show",
    "convert",
    "check",
    "dice",
    "flash",
    "doctor",
    "bench",
)
"""Modules of this package, in the order of ``barpoint --help``."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = argparse.ArgumentParser(prog="barpoint", description="Watch a real backgammon board and keep the game.")
    top.add_argument("--version", action="version", version=f"barpoint {version('barpoint')}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        importlib.import_module(f"controller.cli.{name}").register(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 on success, 2 on wrong usage, 1 with one line on stderr when the input is bad."""
    args = parser().parse_args(argv)
    try:
        status: int = args.run(args)
        sys.stdout.flush()
    except BoardError as error:
        print(f"barpoint: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return status
