"""What is where on the table: sites, the board as everybody sees it, and what a camera or a sensor array says.

This is the one place where numberings are converted. Rules count points as the player on roll does (`Point`,
`Position`); everything that is lit, seen, shown or stored counts sites as White does (`Site`, `Board`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NewType

from controller.errors import InvalidPositionError
from controller.rules.position import BAR, CHECKERS, OFF, START, Color, Point, Position

Site = NewType("Site", int)

__all__ = [
    "COUNTS",
    "SITES",
    "START_BOARD",
    "BarReading",
    "Board",
    "Color",
    "CubeReading",
    "DieReading",
    "Observation",
    "Point",
    "Scene",
    "SceneDie",
    "Site",
    "SiteReading",
    "point_at",
    "site_at",
]

SITES: tuple[Site, ...] = tuple(Site(n) for n in range(1, 25))
"""All points of the board by their printed number, as White counts."""

COUNTS = range(-CHECKERS, CHECKERS + 1)
"""What one site can hold: White's checkers positive, Black's negative."""

_SMALLEST_FIRST = tuple(sorted(COUNTS, key=abs))


def point_at(site: Site, player: Color) -> Point:
    """Return the point that `site` is for `player`."""
    return Point(site if player is Color.WHITE else 25 - site)


def site_at(point: Point, player: Color) -> Site:
    """Return the site of one of the points 1 to 24 of `player`.

    Raises:
        InvalidPositionError: the bar or off, which are no sites.
    """
    if point in (BAR, OFF):
        raise InvalidPositionError("the bar and off are no sites")
    return Site(point if player is Color.WHITE else 25 - point)


@dataclass(frozen=True, slots=True)
class Board:
    """Where all thirty checkers stand, as White counts.

    Attributes:
        points: 24 signed counts, index 0 is site 1; White's checkers positive, Black's negative.
        bar: checkers on the bar, White's and Black's, both as plain counts.
            What is missing to fifteen a side has been borne off.
    """

    points: tuple[int, ...]
    bar: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        if len(self.points) != 24:
            raise InvalidPositionError(f"a board has 24 points, got {len(self.points)}")
        if min(self.bar) < 0:
            raise InvalidPositionError(f"the bar holds no negative number of checkers, got {self.bar}")
        for color in Color:
            if self.on_board(color) > CHECKERS:
                raise InvalidPositionError(
                    f"{color.value} has {self.on_board(color)} checkers on the board, a side has {CHECKERS}"
                )

    @classmethod
    def of(cls, position: Position, mover: Color) -> Board:
        """Return the board on which `mover` sees `position`."""
        white = position if mover is Color.WHITE else position.turned()
        return cls(white.points[1:25], (white.points[25], -white.points[0]))

    def seen_by(self, player: Color) -> Position:
        """Return the position as `player` counts it."""
        white = Position((-self.bar[1], *self.points, self.bar[0]))
        return white if player is Color.WHITE else white.turned()

    def on_board(self, color: Color) -> int:
        """Return how many checkers of `color` are on the points and the bar."""
        if color is Color.WHITE:
            return sum(n for n in self.points if n > 0) + self.bar[0]
        return -sum(n for n in self.points if n < 0) + self.bar[1]

    def off(self, color: Color) -> int:
        """Return how many checkers `color` has borne off."""
        return CHECKERS - self.on_board(color)

    def at(self, site: Site) -> int:
        """Return the signed count of one site."""
        return self.points[site - 1]

    def to_json(self) -> dict[str, Any]:
        """Return the board part of a position's JSON: points, bar, off."""
        return {
            "points": list(self.points),
            "bar": {"white": self.bar[0], "black": self.bar[1]},
            "off": {"white": self.off(Color.WHITE), "black": self.off(Color.BLACK)},
        }


START_BOARD = Board.of(START, Color.WHITE)


def _flat(values: range) -> tuple[float, ...]:
    return (0.0,) * len(values)


@dataclass(frozen=True, slots=True)
class SiteReading:
    """What was seen at one site.

    Attributes:
        log_likelihoods: 31 natural logarithms, index ``count + 15`` for the signed counts of `COUNTS`; only
            differences matter. Equal values claim nothing: a camera gives six and more on top of five the
            same value as five.
        seen: False when the site was hidden; then all values are equal.
    """

    log_likelihoods: tuple[float, ...] = _flat(COUNTS)
    seen: bool = False

    def of(self, count: int) -> float:
        """Return the log-likelihood of a signed count."""
        return self.log_likelihoods[count + CHECKERS]

    @property
    def best(self) -> int:
        """The most likely signed count; the smallest stack of equally likely ones."""
        values = self.log_likelihoods
        top = max(values)
        return next(n for n in _SMALLEST_FIRST if values[n + CHECKERS] == top)

    @property
    def confidence(self) -> float:
        """The probability of `best` among the counts that could be told apart, 0 to 1; 0 when not seen."""
        if not self.seen:
            return 0.0
        top = self.of(self.best)
        distinct = {round(v, 9) for v in self.log_likelihoods if v < top}
        return 1.0 / (1.0 + sum(math.exp(v - top) for v in distinct))


@dataclass(frozen=True, slots=True)
class BarReading:
    """What was seen on one player's side of the bar.

    Attributes:
        log_likelihoods: 16 natural logarithms, index = number of that player's checkers.
        seen: False when that side of the bar was hidden.
    """

    log_likelihoods: tuple[float, ...] = (0.0,) * (CHECKERS + 1)
    seen: bool = False

    def of(self, count: int) -> float:
        """Return the log-likelihood of a count."""
        return self.log_likelihoods[count]

    @property
    def best(self) -> int:
        """The most likely count; the smallest of equally likely ones."""
        return self.log_likelihoods.index(max(self.log_likelihoods))


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die that was seen.

    Attributes:
        xy_px: centre of its top face in the picture, pixels.
        log_likelihoods: six natural logarithms, index ``face - 1``.
        cocked: it lies on a checker, a wall or on its edge, not flat on the field.
        half: the half of the field it lies on as seen in the rectified picture, 0 left, 1 right; None: not on
            the field (idle beside the board).
        dice_set: dice that look alike share a number, 0 or 1; None where it could not be told.
        on_checker: it lies on a checker, which some rules let count; `cocked` all the same.
        color: of its body, CIE Lab as OpenCV scales it (0 to 255); None where no camera saw it.
    """

    xy_px: tuple[float, float]
    log_likelihoods: tuple[float, ...]
    cocked: bool = False
    half: int | None = None
    dice_set: int | None = None
    on_checker: bool = False
    color: tuple[float, float, float] | None = None

    @property
    def value(self) -> int:
        """The most likely face."""
        return max(range(1, 7), key=lambda face: self.log_likelihoods[face - 1])


@dataclass(frozen=True, slots=True)
class CubeReading:
    """Where the doubling cube lies.

    Attributes:
        value: the face that is up, 2 to 64, or None where it could not be read.
        at: ``"center"``, ``"white"`` or ``"black"`` (that player's end), or ``"field"`` (offered).
    """

    value: int | None
    at: str


@dataclass(frozen=True, slots=True)
class Observation:
    """One settled reading of the whole board, from a camera or from the sensor array.

    Attributes:
        at_s: monotonic time of the picture or scan.
        sites: 24 readings, index 0 is site 1.
        bar: White's and Black's side of the bar.
        dice: dice seen, on the field and beside it.
        cube: the doubling cube, or None where it was not seen.
        hand: a hand, an arm or something else foreign is over the board.
        source: ``"camera"``, ``"sensors"`` or ``"simulated"``.
        frame: name of the picture, for the record.
    """

    at_s: float
    sites: tuple[SiteReading, ...]
    bar: tuple[BarReading, BarReading]
    dice: tuple[DieReading, ...] = ()
    cube: CubeReading | None = None
    hand: bool = False
    source: str = "camera"
    frame: str | None = None

    def log_likelihood(self, board: Board) -> float:
        """Return the natural log-likelihood of the whole board, dice left out."""
        return (
            sum(reading.of(n) for reading, n in zip(self.sites, board.points, strict=True))
            + self.bar[0].of(board.bar[0])
            + self.bar[1].of(board.bar[1])
        )


@dataclass(frozen=True, slots=True)
class SceneDie:
    """One die that physically lies on a simulated table.

    Attributes:
        face: the face that is up.
        player: whose die it is.
        x: place across the field, 0 left to 1 right as White sits; outside 0 to 1 it lies beside the board.
        y: place along the field, 0 at White's edge to 1 at Black's.
        angle_deg: how it is turned.
    """

    face: int
    player: Color
    x: float
    y: float
    angle_deg: float


@dataclass(frozen=True, slots=True)
class Scene:
    """What physically lies on a simulated table at one moment; a checker in a hand is on no point.

    Attributes:
        board: the checkers on the points and the bar.
        dice: all dice, on the field or beside it.
        cube: the doubling cube: value that is up, and ``"center"``, ``"white"`` or ``"black"``; None: no cube.
        hand: where a hand's fingers are, in the units of `SceneDie`, or None.
        hand_of: who reaches over the board.
    """

    board: Board
    dice: tuple[SceneDie, ...] = ()
    cube: tuple[int, str] | None = (64, "center")
    hand: tuple[float, float] | None = None
    hand_of: Color = Color.WHITE
