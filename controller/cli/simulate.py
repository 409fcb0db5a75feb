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
    simulate.add_argument(
        "--dice", choices=("camera", "electronic"), help="where rolls come from; else as in the settings"
    )
    simulate.add_argument(
        "--fault",
        metavar="LIST",
        help="what goes wrong with the board, such as drop=1000,garble=500,unplug@30+5,reset@60,cell=37@90: "
        "bytes per million, seconds from the start, and for how long",
    )
    simulate.set_defaults(run=_run)


def _speed(text: str) -> float:
    speed = float(text)
    if not 0.1 <= speed <= 8.0:
        raise argparse.ArgumentTypeError("the speed is 0.1 to 8")
    return speed


def _run(args: argparse.Namespace) -> int:
    import asyncio
    import dataclasses

    from controller.config import DiceSettings, load_settings
    from controller.hardware.faults import parse_faults
    from controller.wiring import Simulation, run_table

    settings = load_settings(config_path(args))
    if args.dice is not None:
        settings = dataclasses.replace(settings, dice=DiceSettings(args.dice))
    simulation = Simulation(args.seed, args.speed, parse_faults(args.fault) if args.fault else ())
    asyncio.run(run_table(settings, simulation, lambda line: print(line, flush=True)))
    return 0
