"""``barpoint plays``: all legal plays of a roll, of one position or of a file of them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.errors import InvalidNotationError, RulesError
from controller.rules import (
    Position,
    Profile,
    Roll,
    first_steps,
    legal_plays,
    parse_position,
    parse_roll,
    profile,
    write_play,
)


def register(commands: Any) -> None:
    """Add the parser of this command."""
    from controller.cli.positions import HELP

    parser = commands.add_parser("plays", help="all legal plays of one roll", description=__doc__)
    parser.add_argument("position", nargs="?", metavar="POSITION", help=HELP)
    parser.add_argument("roll", nargs="?", metavar="ROLL", help="two faces, as in 63")
    parser.add_argument("--batch", metavar="FILE", type=Path, help="rows of {id, board, dice}, one JSON a line")
    parser.add_argument("--rules", metavar="NAME", default="international", help="rule profile (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    parser.set_defaults(run=_run, parser=parser)


def _run(args: argparse.Namespace) -> int:
    rules = profile(args.rules)
    if args.batch is not None:
        if args.position is not None:
            args.parser.error("give POSITION and ROLL, or --batch FILE, not both")
        for line in [json.dumps(batch_row(*row, rules)) for row in read_batch(args.batch)]:
            print(line)
        return 0
    if args.position is None or args.roll is None:
        args.parser.error("give POSITION and ROLL, or --batch FILE")
    from controller.cli.positions import read_position

    position, roll = read_position(args.position), parse_roll(args.roll)
    found = sorted(
        (write_play(play), str(result)) for result, play in legal_plays(position, roll, rules.must_use).items()
    )
    if args.json:
        print(json.dumps(_answer(position, roll, found, rules)))
    else:
        for play, result in found or [(write_play(()), str(position))]:
            print(f"{play:<32} {result}")
    return 0


def _answer(position: Position, roll: Roll, found: list[tuple[str, str]], rules: Profile) -> dict[str, Any]:
    """Return what ``plays --json`` prints of one position."""
    return {
        "board": str(position),
        "dice": list(roll),
        "rules": rules.name,
        "plays": [{"play": play, "result": result} for play, result in found],
        "first_steps": first_steps(position, roll, rules.must_use),
    }


def read_batch(path: Path) -> Iterator[tuple[Any, Position, Roll]]:
    """Yield id, position and roll of each row of a batch file; empty lines are left out.

    Raises:
        InvalidNotationError: the file cannot be read, or a row is wrong; the message names file and line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise InvalidNotationError(f"{path}: {reason}") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _row(line)
        except (RulesError, ValueError, KeyError, TypeError) as error:
            reason = f"no key {error}" if isinstance(error, KeyError) else str(error)
            raise InvalidNotationError(f"{path}, line {number}: {reason}") from None


def _row(line: str) -> tuple[Any, Position, Roll]:
    """Return one row of a batch file."""
    row = json.loads(line)
    if not isinstance(row, dict):
        raise InvalidNotationError("a row is a JSON object with id, board and dice")
    dice, board = row["dice"], row["board"]
    if not isinstance(board, str):
        raise InvalidNotationError("board is a text of 26 characters")
    if not isinstance(dice, list) or len(dice) != 2 or not all(type(die) is int for die in dice):
        raise InvalidNotationError("dice are two numbers, as in [6, 3]")
    return row["id"], parse_position(board), Roll.of(*dice)


def batch_row(name: Any, position: Position, roll: Roll, rules: Profile) -> dict[str, Any]:
    """Return the answer to one row: results sorted, one play for each, and the first steps."""
    found = sorted(
        (str(result), write_play(play)) for result, play in legal_plays(position, roll, rules.must_use).items()
    )
    return {
        "id": name,
        "results": [result for result, _ in found],
        "moves": [play for _, play in found],
        "first_steps": first_steps(position, roll, rules.must_use),
    }
