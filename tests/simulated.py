"""Observations of a board that is known: with or without the noise of a camera."""

from __future__ import annotations

import random
from collections.abc import Sequence

from controller.board import BarReading, Board, DieReading, Observation, SiteReading
from controller.rules import Color, Move, Roll, apply_move, parse_steps

VISIBLE = 5
"""How many checkers of a stack a camera can tell; more look like five."""


def site_reading(count: int, rng: random.Random | None = None, sharpness: float = 9.0) -> SiteReading:
    """Return what a camera says about a site: sharply peaked, all stacks of five and more alike.

    Args:
        count: signed count that stands there.
        rng: noise; None for none.
        sharpness: how much a neighboring count is less likely, natural logarithm.
    """

    def seen(n: int) -> int:
        return max(-VISIBLE, min(VISIBLE, n))

    values = []
    noise = {n: rng.gauss(0, 0.8) if rng else 0.0 for n in range(-VISIBLE, VISIBLE + 1)}
    for n in range(-15, 16):
        distance = abs(seen(n) - seen(count)) + (1.5 if n * count < 0 else 0)
        values.append(-sharpness * min(distance, 3) + noise[seen(n)])
    return SiteReading(tuple(values), True)


def bar_reading(count: int, rng: random.Random | None = None) -> BarReading:
    values = tuple(-8.0 * min(abs(n - count), 3) + (rng.gauss(0, 0.5) if rng else 0.0) for n in range(16))
    return BarReading(values, True)


def die(value: int, xy_px: tuple[float, float], *, dice_set: int | None = 0, half: int | None = 1) -> DieReading:
    """Return a die that is read clearly."""
    return DieReading(xy_px, tuple(0.0 if face == value else -12.0 for face in range(1, 7)), False, half, dice_set)


def thrown(roll: Roll, dice_set: int = 0, at: tuple[float, float] = (600.0, 300.0)) -> tuple[DieReading, ...]:
    """Return two dice of one throw."""
    x, y = at
    half = 1 if dice_set == 0 else 0
    first = die(roll.high, (x, y), dice_set=dice_set, half=half)
    return (first, die(roll.low, (x + 60, y + 25), dice_set=dice_set, half=half))


def observe(
    board: Board,
    at_s: float,
    *,
    dice: Sequence[DieReading] = (),
    hand: bool = False,
    rng: random.Random | None = None,
    hidden: frozenset[int] = frozenset(),
    sharpness: float = 9.0,
) -> Observation:
    """Return one settled reading of `board`; `hidden` sites are not seen."""
    sites = tuple(
        SiteReading() if site in hidden else site_reading(board.points[site - 1], rng, sharpness)
        for site in range(1, 25)
    )
    return Observation(
        at_s=at_s,
        sites=sites,
        bar=(bar_reading(board.bar[0], rng), bar_reading(board.bar[1], rng)),
        dice=tuple(dice),
        hand=hand,
        source="simulated",
    )


def after(board: Board, mover: Color, text: str) -> Board:
    """Return the board after steps in the mover's notation, legal or not."""
    position = board.seen_by(mover)
    for source, target in parse_steps(text):
        position = apply_move(position, Move(source, target))
    return Board.of(position, mover)
