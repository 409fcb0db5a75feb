"""`barpoint check FILE`: a record replayed by the rules."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from controller.records import Problem, Reading


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "check",
        help="replay a match file by the rules",
        description="Replay a match file (.mat, .txt, .sgf, .json) by the rules and name in each game the first "
        "action that is not legal, with its line and reason.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="the match file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def read_file(path: Path) -> Reading:
    """Read a match file from disk.

    Raises:
        InvalidNotationError: no such file, or nothing in it can be read.
    """
    from controller.errors import InvalidNotationError
    from controller.records import read_record

    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidNotationError(f"{path}: cannot be read: {error.strerror}") from None
    return read_record(data, str(path))


def report(reading: Reading) -> dict[str, Any]:
    """Return what checking a record found, as JSON values; players are 0 for White (left) and 1 for Black."""
    from controller.rules.position import Color

    number = {Color.WHITE: 0, Color.BLACK: 1, None: None}
    record = reading.record
    games = [
        {
            "winner": number[game.winner],
            "points": game.points,
            "turns": game.turns,
            "how": game.how,
            "problems": [_problem(each) for each in _of_game(reading, at)],
        }
        for at, game in enumerate(record.games, start=1)
    ]
    return {
        "length": record.length,
        "players": list(record.players),
        "games": games,
        "score": list(record.score),
        "problems": [_problem(each) for each in reading.problems if not each.game],
    }


def _of_game(reading: Reading, number: int) -> list[Problem]:
    """Return the first problem of one game in a list, or none."""
    return [each for each in reading.problems if each.game == number][:1]


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "line": problem.line or None,
        "turn": problem.turn or None,
        "player": problem.player.value if problem.player else None,
        "action": problem.action or None,
        "reason": problem.reason,
    }


def _run(args: argparse.Namespace) -> int:
    import json

    reading = read_file(args.file)
    if args.json:
        print(json.dumps(report(reading), ensure_ascii=False))
        return 0
    record = reading.record
    left, right = record.players
    length = f"match to {record.length}" if record.length else "money session"
    print(f"{left or 'White'} - {right or 'Black'}, {length}, score {record.score[0]}-{record.score[1]}")
    for at, game in enumerate(record.games, start=1):
        won = (
            f"{_name(record.players, game.winner)} wins {game.points} ({game.how})"
            if game.winner
            else "unfinished"
        )
        print(f"game {at}: {game.turns} turns, {won}")
        for problem in _of_game(reading, at):
            print(f"  {problem}")
    for problem in reading.problems:
        if not problem.game:
            print(problem)
    return 0


def _name(players: tuple[str, str], winner: object) -> str:
    from controller.rules.position import Color

    return (players[0] or "White") if winner is Color.WHITE else (players[1] or "Black")
