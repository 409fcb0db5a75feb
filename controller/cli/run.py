"""``barpoint run``: the table on real hardware, with its pages."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

CONFIG = Path("barpoint.toml")


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command."""
    run = commands.add_parser("run", help="run the table: camera, board, API and pages")
    add_config(run)
    run.add_argument(
        "--or-simulate", action="store_true", help="show a simulated game where no camera or board is plugged in"
    )
    run.set_defaults(run=_run)


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the settings."""
    parser.add_argument("--config", type=Path, metavar="FILE", help=f"settings; {CONFIG} here if there is one")


def config_path(args: argparse.Namespace) -> Path | None:
    """Return the settings file that is meant, or None for the defaults."""
    if args.config is not None:
        given: Path = args.config
        return given
    return CONFIG if CONFIG.exists() else None


def _run(args: argparse.Namespace) -> int:
    import asyncio

    from controller.config import load_settings
    from controller.wiring import NO_HARDWARE, Simulation, camera_source, run_table

    settings = load_settings(config_path(args))
    simulation = None
    if args.or_simulate and not camera_source(settings):
        print(f"Note: {NO_HARDWARE}.")
        simulation = Simulation()
    asyncio.run(run_table(settings, simulation, lambda line: print(line, flush=True)))
    return 0
