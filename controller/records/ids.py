"""Positions and match states as short texts: Position ID, Match ID and GNUBg ID of GNU Backgammon.

A Position ID tells nothing about colors: it is relative to the player on roll, as `Position` is. In a Match ID
the program's player 0 is our White (the left player of a ``.mat``, ``O``), player 1 our Black (``X``).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from controller.errors import InvalidNotationError
from controller.rules.position import CHECKERS, Color, Position, Roll

GameState = Literal["none", "playing", "over", "resigned", "dropped"]
_STATES: tuple[GameState, ...] = ("none", "playing", "over", "resigned", "dropped")
_CENTERED = 3
_FIELDS = (4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1)
"""Widths in bits of the fields of a Match ID, from bit 0 on."""


def _bytes_of(text: str, what: str, length: int) -> bytes:
    """Return the bytes that `length` base64 characters stand for."""
    text = text.strip()
    if len(text) != length:
        raise InvalidNotationError(f"a {what} has {length} characters, got {len(text)}: {text!r}")
    try:
        found = base64.b64decode(text + "=" * (-length % 4), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidNotationError(f"a {what} holds only letters, digits, '+' and '/': {text!r}") from None
    if base64.b64encode(found).decode().rstrip("=") != text:
        raise InvalidNotationError(f"the last character of this {what} is impossible: {text!r}")
    return found


def position_id(position: Position) -> str:
    """Write the Position ID of a position; the mover is the player on roll.

    Example:
        >>> from controller.rules import START
        >>> position_id(START)
        '4HPwATDgc/ABMA'
    """
    bits = 0
    at = 0
    for side in (position.turned(), position):
        for place in range(1, 26):
            count = max(side.points[place], 0)
            bits |= ((1 << count) - 1) << at
            at += count + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode().rstrip("=")


def position_from_id(text: str) -> Position:
    """Return the position of a Position ID, seen from the player on roll.

    Raises:
        InvalidNotationError: not 14 base64 characters, more than fifteen checkers of a side, both sides on one
            point, or bits after the last checker.
    """
    text = text.strip()
    bits = int.from_bytes(_bytes_of(text, "Position ID", 14), "little")
    sides: list[list[int]] = []
    for _ in range(2):
        counts = []
        for _ in range(25):
            count = 0
            while bits & 1 and count <= CHECKERS:
                count += 1
                bits >>= 1
            bits >>= 1
            counts.append(count)
        if sum(counts) > CHECKERS:
            raise InvalidNotationError(f"Position ID {text!r} gives a side more than {CHECKERS} checkers")
        sides.append(counts)
    if bits:
        raise InvalidNotationError(f"Position ID {text!r} goes on after the last checker")
    other, own = sides
    points = [0] * 26
    points[0], points[25] = -other[24], own[24]
    for place in range(1, 25):
        if own[place - 1] and other[24 - place]:
            raise InvalidNotationError(f"Position ID {text!r} puts both sides on point {place}")
        points[place] = own[place - 1] - other[24 - place]
    return Position(tuple(points))


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchState:
    """What a Match ID holds: everything but the checkers.

    Attributes:
        on_roll: who rolls or has rolled.
        to_decide: whose decision it is; differs from `on_roll` while a double or a resignation is on offer.
        roll: the roll, or None when not rolled.
        cube_value: 1 to 32768, a power of two.
        cube_owner: None for centered.
        doubled: a double is on offer.
        resigned: the resignation on offer: 0 none, 1 single, 2 gammon, 3 backgammon.
        length: match length, 0 for money.
        score: White's and Black's points.
        crawford: this is the Crawford game.
        jacoby: the Jacoby rule is on; programs write it on for money only.
        state: the state of the game.
    """

    on_roll: Color = Color.BLACK
    to_decide: Color = Color.BLACK
    roll: Roll | None = None
    cube_value: int = 1
    cube_owner: Color | None = None
    doubled: bool = False
    resigned: int = 0
    length: int = 0
    score: tuple[int, int] = (0, 0)
    crawford: bool = False
    jacoby: bool = False
    state: GameState = "playing"


def _number(color: Color) -> int:
    return 0 if color is Color.WHITE else 1


def _color(number: int) -> Color:
    return Color.BLACK if number else Color.WHITE


def match_id(state: MatchState) -> str:
    """Write the Match ID of a state, with the bit that says whether the Jacoby rule is off.

    Raises:
        InvalidNotationError: a value does not fit its field, or the cube is no power of two.

    Example:
        >>> match_id(MatchState(roll=Roll.of(3, 1)))
        'cIkFAAAAAAAE'
    """
    cube = state.cube_value.bit_length() - 1
    if state.cube_value < 1 or state.cube_value != 1 << cube:
        raise InvalidNotationError(f"a cube shows a power of two, got {state.cube_value}")
    high, low = state.roll or (0, 0)
    values = (
        cube,
        _CENTERED if state.cube_owner is None else _number(state.cube_owner),
        _number(state.on_roll),
        int(state.crawford),
        _STATES.index(state.state),
        _number(state.to_decide),
        int(state.doubled),
        state.resigned,
        high,
        low,
        state.length,
        *state.score,
        int(not state.jacoby),
    )
    bits = at = 0
    for value, width in zip(values, _FIELDS, strict=True):
        if not 0 <= value < 1 << width:
            raise InvalidNotationError(f"a Match ID has no room for {value} in {width} bits")
        bits |= value << at
        at += width
    return base64.b64encode(bits.to_bytes(9, "little")).decode()


def _fields(bits: int) -> Iterator[int]:
    for width in _FIELDS:
        yield bits & ((1 << width) - 1)
        bits >>= width


def match_from_id(text: str) -> MatchState:
    """Return the state of a Match ID, with or without the bit for the Jacoby rule.

    Ids of older programs leave that bit 0, which reads as Jacoby on; it matters in money play alone.

    Raises:
        InvalidNotationError: not 12 base64 characters, or a field holds what no match can be.
    """
    text = text.strip()
    bits = int.from_bytes(_bytes_of(text, "Match ID", 12), "little")
    values = tuple(_fields(bits))
    cube, owner, on_roll, crawford, state, decides, doubled, resigned, die1, die2 = values[:10]
    length, white, black, jacoby_off = values[10:]
    if owner == 2:
        raise InvalidNotationError(f"Match ID {text!r} names no owner of the cube")
    if state >= len(_STATES):
        raise InvalidNotationError(f"Match ID {text!r} holds an unknown state of the game, {state}")
    if die1 > 6 or die2 > 6 or (die1 == 0) != (die2 == 0):
        raise InvalidNotationError(f"Match ID {text!r} holds dice {die1} and {die2}")
    if bits >> sum(_FIELDS):
        raise InvalidNotationError(f"Match ID {text!r} has bits set after its last field")
    return MatchState(
        on_roll=_color(on_roll),
        to_decide=_color(decides),
        roll=Roll.of(die1, die2) if die1 else None,
        cube_value=1 << cube,
        cube_owner=None if owner == _CENTERED else _color(owner),
        doubled=bool(doubled),
        resigned=resigned,
        length=length,
        score=(white, black),
        crawford=bool(crawford),
        jacoby=not jacoby_off,
        state=_STATES[state],
    )


def gnubg_id(position: Position, state: MatchState) -> str:
    """Write a GNUBg ID: Position ID and Match ID with a colon between."""
    return f"{position_id(position)}:{match_id(state)}"


def parse_gnubg_id(text: str) -> tuple[Position, MatchState]:
    """Return position (from the player on roll) and state of a GNUBg ID.

    Raises:
        InvalidNotationError: not two ids with a colon between, or one of them is wrong.
    """
    first, colon, second = text.strip().partition(":")
    if not colon:
        raise InvalidNotationError(f"a GNUBg ID is two ids with ':' between, got {text.strip()!r}")
    return position_from_id(first), match_from_id(second)
