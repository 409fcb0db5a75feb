"""``barpoint simulate``: the same table, on a simulated board."""

from __future__ import annotations

import argparse
from typing import Any

from controller.cli.run import add_config, config_path


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command."""
    simulate = commands.add_parser("simulate", help="run the table on a simulated board, with scripted players")
    add_config(simulate)
    simulate.add_argument("--seed", type=int, default=1, metavar="N", help="makes the evening (default 1)")
    simulate.add_argument(
        "--speed", type=_speed, default=1.0, metavar="X", help="0.1 to 8 times as fast (default 1)"
    )
    simulate.set_defaults(run=_run)


def _speed(text: str) -> float:
    speed = float(text)
    if not 0.1 <= speed <= 8.0:
        raise argparse.ArgumentTypeError("the speed is 0.1 to 8")
    return speed


def _run(args: argparse.Namespace) -> int:
    import asyncio

    from controller.config import load_settings
    from controller.wiring import Simulation, run_table

    settings = load_settings(config_path(args))
    simulation = Simulation(args.seed, args.speed)
    asyncio.run(run_table(settings, simulation, lambda line: print(line, flush=True)))
    return 0
