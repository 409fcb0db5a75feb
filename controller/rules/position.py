"""Positions, rolls, moves and plays, as the player on roll counts.

A position is always seen from one player, called the *mover* here: points 1 to 24 are his own numbering
(he moves from 24 down to 1), 25 is his bar, 0 is off. Who that player is, and where the board lies on the
table, is not known in this package.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, NewType

from controller.errors import InvalidNotationError, InvalidPositionError

Point = NewType("Point", int)

OFF = Point(0)
BAR = Point(25)
CHECKERS = 15

_OWN = "-ABCDEFGHIJKLMNO"
_OTHER = "-abcdefghijklmno"


class Color(Enum):
    """One of the two players; White is the one with the lighter checkers."""

    WHITE = "white"
    BLACK = "black"

    @property
    def opponent(self) -> Color:
        """The other player."""
        return Color.BLACK if self is Color.WHITE else Color.WHITE


class Roll(NamedTuple):
    """Two dice, the higher first. Make one with `Roll.of`, which checks and sorts."""

    high: int
    low: int

    @classmethod
    def of(cls, first: int, second: int) -> Roll:
        """Return the roll of two faces in either order.

        Raises:
            InvalidNotationError: a face is not 1 to 6.

        Example:
            >>> Roll.of(1, 6)
            Roll(high=6, low=1)
        """
        if first not in range(1, 7) or second not in range(1, 7):
            raise InvalidNotationError(f"a die shows 1 to 6, got {first} and {second}")
        return cls(max(first, second), min(first, second))

    @property
    def is_double(self) -> bool:
        """Whether both faces are equal."""
        return self.high == self.low

    def __str__(self) -> str:
        return f"{self.high}{self.low}"


ALL_ROLLS: tuple[Roll, ...] = tuple(Roll(high, low) for high in range(1, 7) for low in range(1, high + 1))
"""The 21 different rolls."""


class Move(NamedTuple):
    """One checker moved by one die; `target` 0 is off, `hit` tells whether a blot was hit there."""

    source: int
    target: int
    hit: bool = False


Play = tuple[Move, ...]
"""All moves of one turn in the order they are made, possibly none."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where all checkers stand, seen from the mover.

    Attributes:
        points: 26 signed counts: ``[1]`` to ``[24]`` the points in the mover's numbering, ``[25]`` his bar,
            ``[0]`` the opponent's bar; the mover's checkers are positive, the opponent's negative.
            What is missing to fifteen a side has been borne off.
    """

    points: tuple[int, ...]

    def __post_init__(self) -> None:
        points = self.points
        if len(points) != 26:
            raise InvalidPositionError(f"a position has 26 places, got {len(points)}")
        if points[0] > 0 or points[25] < 0:
            raise InvalidPositionError("place 0 is the opponent's bar and place 25 the mover's")
        for name, count in (("the mover", self.on_board), ("the opponent", self.opponent_on_board)):
            if count > CHECKERS:
                raise InvalidPositionError(f"{name} has {count} checkers on the board, a side has {CHECKERS}")

    @property
    def on_board(self) -> int:
        """How many of the mover's checkers are on the points and the bar."""
        return sum(n for n in self.points if n > 0)

    @property
    def opponent_on_board(self) -> int:
        """How many of the opponent's checkers are on the points and the bar."""
        return -sum(n for n in self.points if n < 0)

    @property
    def off(self) -> int:
        """How many checkers the mover has borne off."""
        return CHECKERS - self.on_board

    @property
    def opponent_off(self) -> int:
        """How many checkers the opponent has borne off."""
        return CHECKERS - self.opponent_on_board

    @property
    def pips(self) -> int:
        """The mover's pip count, a checker on the bar counting 25."""
        return sum(place * n for place, n in enumerate(self.points) if n > 0)

    @property
    def opponent_pips(self) -> int:
        """The opponent's pip count."""
        return sum((25 - place) * -n for place, n in enumerate(self.points) if n < 0)

    def turned(self) -> Position:
        """Return the same position seen from the opponent."""
        return _unchecked(tuple(-n for n in reversed(self.points)))

    def __str__(self) -> str:
        """Write the position as 26 characters, the first field of an XGID with the mover at the bottom."""
        return "".join(_OWN[n] if n >= 0 else _OTHER[-n] for n in self.points)


def _unchecked(points: tuple[int, ...]) -> Position:
    """Return a position from places that are known to be right; plays are made by the thousand."""
    position = object.__new__(Position)
    object.__setattr__(position, "points", points)
    return position


def parse_position(text: str) -> Position:
    """Read the 26 characters that `str(position)` writes.

    Raises:
        InvalidNotationError: not 26 characters of ``-A..Oa..o``.
        InvalidPositionError: more than fifteen checkers of a side.
    """
    if len(text) != 26:
        raise InvalidNotationError(f"a board text has 26 characters, got {len(text)}: {text!r}")
    try:
        points = tuple(_OWN.index(c) if c in _OWN else -_OTHER.index(c) for c in text)
    except ValueError:
        raise InvalidNotationError(f"a board text holds only '-', A..O and a..o: {text!r}") from None
    return Position(points)


START = parse_position("-b----E-C---eE---c-e----B-")


def apply_move(position: Position, move: Move) -> Position:
    """Return the position after one move; the rules of who may move where are not checked.

    Raises:
        InvalidPositionError: no checker of the mover on the source, or the target is held by the opponent.
    """
    points = list(position.points)
    source, target = move.source, move.target
    if points[source] <= 0:
        raise InvalidPositionError(f"no checker of the mover on place {source}")
    points[source] -= 1
    if target > 0:
        if points[target] == -1:
            points[target] = 1
            points[0] -= 1
        elif points[target] < 0:
            raise InvalidPositionError(f"place {target} is held by the opponent")
        else:
            points[target] += 1
    return _unchecked(tuple(points))


def apply_play(position: Position, play: Play) -> Position:
    """Return the position after all moves of a play, in order, still seen from the mover."""
    for move in play:
        position = apply_move(position, move)
    return position
