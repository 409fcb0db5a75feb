"""Positions as people type them: ``start``, a board of 26 characters, a GNU Position ID, or an XGID."""

from __future__ import annotations

from controller.errors import InvalidNotationError
from controller.rules import START, Position, parse_position

HELP = "start, a board of 26 characters (-A..Oa..o, mover below), a GNU Position ID, or an XGID"


def read_position(text: str) -> Position:
    """Return the position that a command line names, seen from the player on roll.

    Raises:
        InvalidNotationError: it is none of the accepted forms.
        InvalidPositionError: more than fifteen checkers of a side.
    """
    from controller.records.ids import parse_xgid, position_from_id

    if text.lower() == "start":
        return START
    if len(text) == 26:
        return parse_position(text)
    if text.upper().startswith("XGID="):
        return parse_xgid(text).position
    if len(text) == 14:
        return position_from_id(text)
    raise InvalidNotationError(f"not a position: {text!r}; give {HELP}")
