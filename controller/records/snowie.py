"""Snowie's one-line position, which a match text carries behind the words ``Illegal play``.

GNU Backgammon reads it there as the position that stands after the play: the positive numbers are the checkers of
the player who made it, in his own numbering, and the field of the turn names the other one.
"""

from __future__ import annotations

import re

from controller.board import Board
from controller.errors import InvalidNotationError
from controller.rules.position import Color, Position

_BEFORE_BOARD = 12
_FIELDS = 38


def illegal_play(board: Board, mover: Color, length: int, cube: int, owner: Color | None) -> str:
    """Write the words that stand for an illegal play of `mover` which left `board`."""
    points = board.seen_by(mover).points
    turn = 0 if mover is Color.BLACK else 1
    held = 0 if owner is None else 1 if owner is mover.opponent else -1
    fields = (length, 0, 0, 0, turn, "x", "o", 0, 0, 0, cube, held, *points, 0, 0)
    return "Illegal play (" + "".join(f"{field};" for field in fields) + ")"


def board_of_snowie(text: str) -> Board:
    """Read the position behind ``Illegal play``.

    Raises:
        InvalidNotationError: there is none, or its fields are not those of Snowie's line.
        InvalidPositionError: the checkers cannot stand so.
    """
    found = re.search(r"\((.*)\)?", text, re.DOTALL)
    fields = found[1].rstrip(") ").rstrip(";").split(";") if found else []
    if not _FIELDS <= len(fields) <= _FIELDS + 2:
        raise InvalidNotationError(f"it has {len(fields)} fields, a position of Snowie has {_FIELDS} or more")
    try:
        turn = int(fields[4])
        points = tuple(int(field) for field in fields[_BEFORE_BOARD : _BEFORE_BOARD + 26])
    except ValueError:
        raise InvalidNotationError("a number of the position cannot be read") from None
    if turn not in (0, 1):
        raise InvalidNotationError(f"the turn is 0 or 1, got {turn}")
    return Board.of(Position(points), Color.WHITE if turn else Color.BLACK)
