"""Positions as people type them: ``start``, a board of 26 characters, a GNU Backgammon ID, or an XGID."""

from __future__ import annotations

from controller.errors import InvalidNotationError
from controller.rules import START, Position, parse_position

HELP = "start, a GNU Position ID, an XGID, or, after --, a board of 26 characters seen from the player on roll"


def read_position(text: str) -> Position:
    """Return the position that a command line names, seen from the player on roll.

    Raises:
        InvalidNotationError: it is none of the accepted forms.
        InvalidPositionError: more than fifteen checkers of a side.
    """
    from controller.records.ids import position_from_id
    from controller.records.xgid import parse_xgid

    text = text.strip()
    if text.lower() == "start":
        return START
    if text.upper().startswith("XGID=") or text.count(":") >= 8:
        return parse_xgid("XGID=" + text[5:] if text.upper().startswith("XGID=") else text).position
    if len(text) == 26:
        return parse_position(text)
    board, _, _ = text.partition(":")
    if len(board) == 14:
        return position_from_id(board)
    raise InvalidNotationError(f"not a position: {text!r}; give {HELP}")
