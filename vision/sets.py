"""Two sets of dice told apart: learned where both are seen together, known where only one is.

A single picture tells which of its dice look alike, and which set is the lighter one if it shows two. Eyes that
have seen both together know them again one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from controller.board import DieReading

Lab = tuple[float, float, float]
Pair = tuple[Lab, Lab]
"""What color the dice of set 0 and of set 1 have."""

NEARER = 0.5
"""Dice are of the one set whose color is at most this share as far from theirs as the other set's."""

SURELY_TWO = 3
"""So many dice of two colors are two sets; two dice may as well be one set in uneven light."""

NEWS = 0.3
"""How much of what is known of a color comes from the newest picture: light changes slowly."""


def told_apart(dice: Sequence[DieReading], known: Pair | None) -> tuple[tuple[DieReading, ...], Pair | None]:
    """Return dice with the numbers of their sets, as far as they can be told, and what is known of the sets now.

    Args:
        dice: what one picture shows, numbered where it shows two sets.
        known: the colors of both sets, or None before they were seen together.

    Example:
        >>> ivory, brown = (200.0, 128.0, 140.0), (60.0, 140.0, 150.0)
        >>> die = DieReading((0.0, 0.0), (0.0,) * 6, half=1, color=ivory)
        >>> [each.dice_set for each in told_apart([die], None)[0]]
        [None]
        >>> [each.dice_set for each in told_apart([die], (ivory, brown))[0]]
        [0]
    """
    seen = [_mean([die.color for die in dice if die.dice_set == number and die.color]) for number in (0, 1)]
    if seen[0] is not None and seen[1] is not None:
        if len(dice) < SURELY_TWO:
            return tuple(dice), known
        return tuple(dice), (_blend(known, 0, seen[0]), _blend(known, 1, seen[1]))
    alone = _mean([die.color for die in dice if die.color])
    if known is None or alone is None or any(die.dice_set is not None for die in dice):
        return tuple(dice), known
    near, far = sorted((0, 1), key=lambda number: math.dist(alone, known[number]))
    if math.dist(alone, known[near]) > NEARER * math.dist(alone, known[far]):
        return tuple(dice), known
    return tuple(replace(die, dice_set=near) for die in dice), known


def _mean(colors: Sequence[Lab]) -> Lab | None:
    if not colors:
        return None
    lightness, a, b = (sum(values) / len(colors) for values in zip(*colors, strict=True))
    return lightness, a, b


def _blend(known: Pair | None, number: int, new: Lab) -> Lab:
    if known is None:
        return new
    lightness, a, b = ((1 - NEWS) * old + NEWS * now for old, now in zip(known[number], new, strict=True))
    return lightness, a, b
