"""XGID, the position text of eXtreme Gammon, and the text of its position export."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from controller.errors import InvalidNotationError
from controller.records.ids import MatchState
from controller.rules.position import Color, Position, Roll, parse_position

Side = Literal["bottom", "top"]
Offer = Literal["doubled", "beavered", "raccooned"]

_SIDES: dict[str, Side | None] = {"1": "bottom", "0": None, "-1": "top"}
_OFFERS: dict[str, Offer] = {"D": "doubled", "B": "beavered", "R": "raccooned"}
_HIGHEST_CUBE = 15
_LONGEST = 32767


@dataclass(frozen=True, slots=True, kw_only=True)
class Xgid:
    """What an XGID holds.

    Attributes:
        bottom: the checkers as the player at the bottom (X) counts, whoever is on roll.
        on_roll: who rolls, has rolled, or made the offer.
        dice: both faces in the order written, or None.
        offer: a double, beaver or raccoon that waits for its answer, or None.
        cube_value: 1 to 32768.
        cube_owner: None for centered.
        length: match length, 0 for money.
        score: points of the bottom and the top player.
        crawford: this is the Crawford game (matches).
        jacoby: the Jacoby rule is on (money).
        beavers: beavers are allowed (money).
        highest_cube: logarithm to base 2 of the highest value of the cube.
    """

    bottom: Position
    on_roll: Side = "bottom"
    dice: tuple[int, int] | None = None
    offer: Offer | None = None
    cube_value: int = 1
    cube_owner: Side | None = None
    length: int = 0
    score: tuple[int, int] = (0, 0)
    crawford: bool = False
    jacoby: bool = False
    beavers: bool = False
    highest_cube: int = 10

    @property
    def position(self) -> Position:
        """The checkers as the player on roll counts."""
        return self.bottom if self.on_roll == "bottom" else self.bottom.turned()

    @property
    def roll(self) -> Roll | None:
        """The roll, the higher die first, or None."""
        return Roll.of(*self.dice) if self.dice else None

    def match_state(self) -> MatchState:
        """Return the rest as a `MatchState`; the player on roll becomes Black, the program's player 1."""
        bottom = Color.BLACK if self.on_roll == "bottom" else Color.WHITE
        owner = None if self.cube_owner is None else bottom if self.cube_owner == "bottom" else bottom.opponent
        below, above = self.score
        return MatchState(
            on_roll=Color.BLACK,
            to_decide=Color.WHITE if self.offer else Color.BLACK,
            roll=self.roll,
            cube_value=self.cube_value,
            cube_owner=owner,
            doubled=self.offer is not None,
            length=self.length,
            score=(above, below) if bottom is Color.BLACK else (below, above),
            crawford=self.crawford,
            jacoby=self.jacoby,
        )


def parse_xgid(text: str) -> Xgid:
    """Read an XGID, with or without ``XGID=`` before it and with or without its last field.

    Raises:
        InvalidNotationError: names the field that is wrong.
        InvalidPositionError: more than fifteen checkers of a side.
    """
    fields = text.strip().removeprefix("XGID=").split(":")
    if not 9 <= len(fields) <= 10:
        raise InvalidNotationError(f"an XGID has 10 fields, got {len(fields)}: {text.strip()!r}")
    length = _number(fields[8], "length", _LONGEST)
    rules = _number(fields[7], "Crawford or Jacoby field", 3)
    dice, offer = _dice(fields[4])
    if fields[2] not in _SIDES:
        raise InvalidNotationError(f"XGID field 3, the owner of the cube, is 1, 0 or -1, got {fields[2]!r}")
    on_roll = _SIDES.get(fields[3])
    if on_roll is None:
        raise InvalidNotationError(f"XGID field 4, the turn, is 1 or -1, got {fields[3]!r}")
    return Xgid(
        bottom=parse_position(fields[0]),
        on_roll=on_roll,
        dice=dice,
        offer=offer,
        cube_value=1 << _number(fields[1], "cube", _HIGHEST_CUBE),
        cube_owner=_SIDES[fields[2]],
        length=length,
        score=(_number(fields[5], "score", _LONGEST), _number(fields[6], "score", _LONGEST)),
        crawford=bool(length and rules & 1),
        jacoby=bool(not length and rules & 1),
        beavers=bool(not length and rules & 2),
        highest_cube=_number(fields[9], "highest cube", _HIGHEST_CUBE) if len(fields) == 10 else 10,
    )


def _number(text: str, name: str, most: int) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > most:
        raise InvalidNotationError(f"XGID {name} is a number of 0 to {most}, got {text!r}")
    return int(text)


def _dice(text: str) -> tuple[tuple[int, int] | None, Offer | None]:
    if text == "00":
        return None, None
    if text in _OFFERS:
        return None, _OFFERS[text]
    if re.fullmatch("[1-6][1-6]", text):
        return (int(text[0]), int(text[1])), None
    raise InvalidNotationError(f"XGID field 5, the dice, is 00, two faces, D, B or R, got {text!r}")


def write_xgid(xgid: Xgid) -> str:
    """Write an XGID with all ten fields.

    Example:
        >>> from controller.rules import START
        >>> write_xgid(Xgid(bottom=START, dice=(3, 1), length=7, score=(2, 0)))
        'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:0:0:7:10'
    """
    sides = {side: text for text, side in _SIDES.items()}
    letters = {offer: letter for letter, offer in _OFFERS.items()}
    first, second = xgid.dice or (0, 0)
    dice = letters[xgid.offer] if xgid.offer else f"{first}{second}"
    rules = int(xgid.crawford) if xgid.length else int(xgid.jacoby) + 2 * int(xgid.beavers)
    fields = (
        str(xgid.bottom),
        xgid.cube_value.bit_length() - 1,
        sides[xgid.cube_owner],
        sides[xgid.on_roll],
        dice,
        *xgid.score,
        rules,
        xgid.length,
        xgid.highest_cube,
    )
    return "XGID=" + ":".join(str(field) for field in fields)


@dataclass(frozen=True, slots=True)
class XgPosition:
    """What is read of XG's position export: its XGID and, where the line has its usual shape, the names.

    Attributes:
        xgid: the position; the only part of the text that does not depend on XG's language.
        players: names of the bottom (X) and the top player (O); empty where they were not found.
    """

    xgid: Xgid
    players: tuple[str, str]


def parse_xg_text(text: str) -> XgPosition:
    """Read the text that XG exports for one position, in any of its languages.

    Raises:
        InvalidNotationError: no XGID in it, or a wrong one.
    """
    found = re.search(r"XGID=\S+", text)
    if found is None:
        raise InvalidNotationError("no line of this text begins with XGID=")
    names = re.search(r"^X:(.*?)\s{2,}O:(.*?)\s*$", text, re.MULTILINE)
    players = (names[1].strip(), names[2].strip()) if names else ("", "")
    return XgPosition(parse_xgid(found[0]), players)
