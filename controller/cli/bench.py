"""``barpoint bench``: the benchmarks of a checkout, JSON lines."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

import controller
from controller.errors import ConfigError


def register(commands: Any) -> None:
    """Add the parser of this command."""
    parser = commands.add_parser("bench", help="run the benchmarks of a checkout", description=__doc__)
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="one benchmark; without it all of them, one by one"
    )
    parser.add_argument("--list", action="store_true", help="print the names only")
    parser.add_argument("options", nargs=argparse.REMAINDER, metavar="...", help="options of that benchmark")
    parser.set_defaults(run=_run)


def benchmarks(checkout: Path) -> dict[str, Path]:
    """Return the scripts of a checkout by name.

    Raises:
        ConfigError: there are none; an installed package holds no benchmarks.
    """
    found = {path.stem: path for path in sorted((checkout / "benchmarks").glob("[a-z]*.py"))}
    if not found:
        raise ConfigError(
            f"no benchmarks beside {checkout.name or checkout}: run this in a checkout of the project"
        )
    return found


def _run(args: argparse.Namespace) -> int:
    scripts = benchmarks(Path(controller.__file__).resolve().parent.parent)
    if args.list:
        print("\n".join(scripts))
        return 0
    if args.name is not None and args.name not in scripts:
        raise ConfigError(f"no benchmark is named {args.name!r}; there are {', '.join(scripts)}")
    worst = 0
    for name in [args.name] if args.name else scripts:
        sys.stdout.flush()
        worst = max(
            worst, subprocess.run([sys.executable, str(scripts[name]), *args.options], check=False).returncode
        )
    return worst
