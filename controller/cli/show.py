"""``barpoint show``: a position drawn in the terminal or as SVG, with its counts."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from controller.errors import InvalidNotationError
from controller.rules import Position
from controller.rules.counts import hitting_shots, is_race, keith, race_chance


def register(commands: Any) -> None:
    """Add the parser of this command."""
    from controller.cli.positions import HELP

    parser = commands.add_parser("show", help="draw a position", description=__doc__)
    parser.add_argument("position", metavar="POSITION", help=HELP)
    parser.add_argument("--svg", metavar="FILE", type=Path, help="write a picture instead of drawing with letters")
    parser.add_argument("--json", action="store_true", help="print its counts as JSON")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from controller.cli.drawing import draw_svg, draw_text
    from controller.cli.positions import read_position

    position = read_position(args.position)
    if args.svg is not None:
        try:
            args.svg.write_text(draw_svg(position, args.position), encoding="utf-8")
        except OSError as error:
            raise InvalidNotationError(f"{args.svg}: {error.strerror}") from None
    if args.json:
        print(json.dumps(counts_json(position)))
    elif args.svg is None:
        print(draw_text(position))
        print(_counts_text(position))
    return 0


def counts_json(position: Position) -> dict[str, Any]:
    """Return ids and counts of a position as JSON values; the player on roll is ``own``."""
    from controller.records.ids import position_id

    other = position.turned()
    return {
        "board": str(position),
        "position_id": position_id(position),
        "pips": {"own": position.pips, "opponent": other.pips},
        "off": {"own": position.off, "opponent": other.off},
        "keith": {"own": keith(position), "opponent": keith(other)},
        "race": is_race(position),
        "win_chance": race_chance(position),
        "shots": hitting_shots(position),
    }


def _counts_text(position: Position) -> str:
    chance = race_chance(position)
    if chance is not None:
        return f"A race; X on roll wins {100 * chance:.1f} %."
    return f"X hits a blot with {hitting_shots(position)} of 36 rolls."
