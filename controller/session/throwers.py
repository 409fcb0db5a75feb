"""Whose dice are whose: which set each player throws and onto which half of the field, as their plays have told.

The rules have everybody roll onto the half at his right. Where both do, dice of one color are told apart by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from controller.board import DieReading
from controller.rules import Color, Roll

KEPT = 2
"""After so many throws onto one half a player is taken to keep to it."""

SELDOM = 10
"""He still is where one throw of so many lay on the other half."""


@dataclass(frozen=True, slots=True)
class Habit:
    """What is known of how one player throws.

    Attributes:
        dice_set: which dice he throws, by `DieReading.dice_set`; None while that is not known.
        halves: how many of his throws lay on the left half of the field, and on the right one.
    """

    dice_set: int | None = None
    halves: tuple[int, int] = (0, 0)

    @property
    def half(self) -> int | None:
        """The half he keeps to, as `DieReading.half`, or None."""
        more = int(self.halves[1] > self.halves[0])
        kept = self.halves[more] >= max(KEPT, SELDOM * self.halves[1 - more])
        return more if kept else None

    def seen(self, dice: Iterable[DieReading]) -> Habit:
        """Return what is known after `dice` turned out to be a throw of this player, or one die of his."""
        thrown = tuple(dice)
        sets, halves = {die.dice_set for die in thrown}, {die.half for die in thrown}
        number = sets.pop() if len(sets) == 1 else None
        left, right = self.halves
        counted = (left + (halves == {0}), right + (halves == {1}))
        return Habit(self.dice_set if number is None else number, counted)


Habits = tuple[Habit, Habit]
"""How White and Black throw."""


def learned(habits: Habits, player: Color, dice: Iterable[DieReading]) -> Habits:
    """Return what is known after `dice` turned out to be `player`'s."""
    white, black = habits
    return (white.seen(dice), black) if player is Color.WHITE else (white, black.seen(dice))


def told_apart(habits: Habits, starter: Color, roll: Roll, dice: Iterable[DieReading]) -> Habits:
    """Return what is known after each player threw one of the `dice`: the higher one is the starter's."""
    by_value = {die.value: die for die in dice}
    his, other = by_value.get(roll.high), by_value.get(roll.low)
    if his is None or other is None:
        return habits
    if his.dice_set == other.dice_set:
        his, other = replace(his, dice_set=None), replace(other, dice_set=None)
    return learned(learned(habits, starter, (his,)), starter.opponent, (other,))


def by_halves(habits: Habits) -> bool:
    """Tell whether the players keep to different halves of the field."""
    white, black = habits
    return white.half is not None and black.half is not None and white.half != black.half


def owner(habits: Habits, die: DieReading) -> Color | None:
    """Return who threw a die: its set tells, or else the half it lies on; None where neither does."""
    white, black = habits
    sets = (white.dice_set, black.dice_set)
    if die.dice_set is not None and None not in sets and sets[0] != sets[1]:
        return Color.WHITE if die.dice_set == white.dice_set else Color.BLACK
    if die.half is not None and by_halves(habits):
        return Color.WHITE if die.half == white.half else Color.BLACK
    return None


def thrown_by(habits: Habits, player: Color, dice: Iterable[DieReading]) -> tuple[DieReading, ...]:
    """Return which of the `dice` a player may have thrown: all but those known to be the other one's."""
    return tuple(die for die in dice if owner(habits, die) is not player.opponent)


def of_one_throw(habits: Habits, one: DieReading, other: DieReading) -> bool:
    """Tell whether two dice that lie there are known to have been thrown together."""
    if one.dice_set is not None and other.dice_set is not None:
        return one.dice_set == other.dice_set
    return by_halves(habits) and one.half == other.half
