"""What a camera would say about a board: likelihoods with noise, hidden sites and stacks that look like five."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

from controller.board import COUNTS, BarReading, Board, DieReading, Observation, Site, SiteReading
from controller.rules import Color, Roll


def site_reading(count: int, rng: random.Random, noise: float, visible: int = 5) -> SiteReading:
    """Read one site: log-likelihoods fall with the distance in checkers; what lies on top of five is not seen."""

    def shown(n: int) -> float:
        return math.copysign(min(abs(n), visible), n) if n else 0.0

    center = shown(count) + rng.gauss(0.0, noise)
    values = []
    for n in COUNTS:
        other_color = 9.0 if n * count < 0 else 0.0
        values.append(-0.5 * ((shown(n) - center) / 0.22) ** 2 - other_color)
    top = max(values)
    return SiteReading(tuple(max(v - top, -30.0) for v in values), seen=True)


def bar_reading(count: int, rng: random.Random, noise: float) -> BarReading:
    center = count + rng.gauss(0.0, noise)
    values = [-0.5 * ((n - center) / 0.22) ** 2 for n in range(16)]
    top = max(values)
    return BarReading(tuple(max(v - top, -30.0) for v in values), seen=True)


def die_reading(
    value: int,
    x: float = 0.0,
    *,
    sure: float = 8.0,
    half: int | None = 1,
    cocked: bool = False,
    dice_set: int | None = 0,
) -> DieReading:
    values = tuple(0.0 if face == value else -sure for face in range(1, 7))
    return DieReading((x, 0.0), values, cocked=cocked, half=half, dice_set=dice_set)


def dice_reading(
    roll: Roll | tuple[int, int], x: float = 0.0, mover: Color = Color.WHITE
) -> tuple[DieReading, ...]:
    half, dice_set = (1, 0) if mover is Color.WHITE else (0, 1)
    return tuple(die_reading(v, x + 30 * i, half=half, dice_set=dice_set) for i, v in enumerate(roll))


def observe(
    board: Board,
    *,
    noise: float = 0.05,
    rng: random.Random | None = None,
    hidden: Iterable[int] = (),
    dice: tuple[DieReading, ...] = (),
    hand: bool = False,
    frame: str | None = None,
) -> Observation:
    """Return what a camera would report of `board`; `noise` in checkers, `hidden` sites are not seen."""
    rng = rng or random.Random(0)
    out = set(hidden)
    sites = tuple(
        SiteReading() if site in out else site_reading(board.at(Site(site)), rng, noise) for site in range(1, 25)
    )
    bar = (bar_reading(board.bar[0], rng, noise), bar_reading(board.bar[1], rng, noise))
    return Observation(0.0, sites, bar, dice=dice, hand=hand, source="simulated", frame=frame)
