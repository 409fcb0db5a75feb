"""``barpoint dice verify``: check a published roll log against its commitment."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path
from typing import Any

from controller.errors import InvalidNotationError


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command."""
    dice = commands.add_parser("dice", help="check the electronic dice of a match")
    actions = dice.add_subparsers(dest="action", metavar="ACTION", required=True)
    verify = actions.add_parser("verify", help="replay a published roll log and check it against its commitment")
    verify.add_argument("file", type=Path, metavar="FILE", help="the roll log, JSON lines")
    verify.add_argument("--json", action="store_true", help="print the result as JSON")
    verify.set_defaults(run=_verify)


def _verify(args: argparse.Namespace) -> int:
    from controller.hardware import fair_dice

    try:
        text = args.file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidNotationError(f"{args.file}: cannot be read as a roll log ({error})") from None
    found = fair_dice.verify(fair_dice.read_log(text))
    if args.json:
        print(json.dumps({"valid": not found.problems, **dataclasses.asdict(found)}))
    else:
        _print_plainly(found)
    return 1 if found.problems else 0


def _print_plainly(found: Any) -> None:
    for problem in found.problems:
        print(f"NOT IN ORDER: {problem}.")
    if found.problems:
        print(f"The log holds {found.rolls} rolls; {len(found.problems)} things do not follow.")
        return
    print(f"Every one of the {found.rolls} rolls follows from the seed that was committed to before the match.")
    print("Nobody could choose a roll, and no roll was changed, dropped or added.")
    share = 100 * found.doubles / found.rolls if found.rolls else 0.0
    counts = ", ".join(f"{face}: {count}" for face, count in enumerate(found.faces, 1))
    print(f"Faces {counts}; doubles {found.doubles} ({share:.1f} %); voided rolls {found.voided}.")
