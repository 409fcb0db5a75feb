"""Legal plays: a map from each resulting position to a play that reaches it.

A board shows only results, so two orders of the same checkers are one play here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from controller.rules.position import Move, Play, Position, Roll, _unchecked

MustUse = Literal["strict", "old_english"]
"""How many numbers of a roll must be played: as many as possible (all modern rules), or rule 7 of the
old English rules, which lets the first number be played so that the second cannot be."""

Points = tuple[int, ...]


def legal_plays(position: Position, roll: Roll, must_use: MustUse = "strict") -> dict[Position, Play]:
    """Return every position that a legal play of `roll` leads to, with one play that reaches it.

    Positions stay in the mover's view. An empty map means that there is no legal play: the player dances.

    Example:
        >>> from controller.rules import START, Roll, write_play
        >>> sorted(write_play(play) for play in legal_plays(START, Roll.of(6, 5)).values())[:2]
        ['13/2', '13/7 13/8']
    """
    points = position.points
    if roll.high == roll.low:
        found = _double_plays(points, roll.high)
    elif must_use == "strict":
        found = _strict_plays(points, roll.high, roll.low)
    else:
        found = _old_english_plays(points, roll.high, roll.low)
    return {_unchecked(result): play for result, play in found.items()}


def first_steps(position: Position, roll: Roll, must_use: MustUse = "strict") -> list[tuple[int, int, int]]:
    """Return every single step (from, to, die) that begins at least one legal play.

    What a step begins is judged by where the play ends, so a step that an unlucky order would strand still
    counts when another order of the same checkers is legal.
    """
    lengths = {result.points: len(play) for result, play in legal_plays(position, roll, must_use).items()}
    dice = (roll.high,) * 4 if roll.is_double else (roll.high, roll.low)
    steps = []
    for die in dict.fromkeys(dice):
        for move, after in _steps(position.points, die, 25):
            if _reaches(after, _without(dice, die), 1, lengths):
                steps.append((move.source, move.target, die))
    return sorted(steps, reverse=True)


def _without(dice: tuple[int, ...], die: int) -> tuple[int, ...]:
    """Return `dice` with one of the value `die` taken out."""
    at = dice.index(die)
    return dice[:at] + dice[at + 1 :]


def _reaches(points: Points, dice: tuple[int, ...], moved: int, lengths: dict[Points, int]) -> bool:
    """Tell whether some of `dice` lead from `points` to a legal result in as many moves as its play has."""
    if lengths.get(points) == moved:
        return True
    return any(
        _reaches(after, _without(dice, die), moved + 1, lengths)
        for die in dict.fromkeys(dice)
        for _, after in _steps(points, die, 25)
    )


def _steps(points: Points, die: int, highest: int) -> Iterator[tuple[Move, Points]]:
    """Yield every move of one die from places up to `highest`, with the places after it.

    A checker on the bar must enter first. From a home board that holds all checkers left, a checker may be
    borne off by its exact number, or by a larger one when no checker stands higher.
    """
    if points[25]:
        sources: range | tuple[int, ...] = (25,)
    else:
        sources = range(min(highest, 24), 0, -1)
    rear = 0
    for source in range(25, 0, -1):
        if points[source] > 0:
            rear = source
            break
    for source in sources:
        if points[source] <= 0:
            continue
        target = source - die
        if target > 0:
            there = points[target]
            if there < -1:
                continue
            after = list(points)
            after[source] -= 1
            if there == -1:
                after[target] = 1
                after[0] -= 1
                yield Move(source, target, True), tuple(after)
            else:
                after[target] = there + 1
                yield Move(source, target), tuple(after)
        elif rear <= 6 and (target == 0 or source == rear):
            after = list(points)
            after[source] -= 1
            yield Move(source, 0), tuple(after)


def _double_plays(points: Points, die: int) -> dict[Points, Play]:
    """Return the plays of a double: as many of the four moves as can be made.

    All four moves have the same length, so any set of them can be made from the rear forwards; walking only in
    that order meets each resulting position once.
    """
    level: dict[Points, Play] = {points: ()}
    for _ in range(4):
        deeper: dict[Points, Play] = {}
        for at, play in level.items():
            highest = play[-1].source if play else 25
            for move, after in _steps(at, die, highest):
                deeper[after] = (*play, move)
        if not deeper:
            break
        level = deeper
    return level if points not in level else {}


def _two_dice(points: Points, first: int, second: int, found: dict[Points, Play]) -> list[tuple[Points, Play]]:
    """Add to `found` the plays of `first` then `second`; return the plays of `first` that strand `second`."""
    stranded: list[tuple[Points, Play]] = []
    for move, between in _steps(points, first, 25):
        more = False
        for last, after in _steps(between, second, 25):
            more = True
            if after not in found:
                found[after] = (move, last)
        if not more:
            stranded.append((between, (move,)))
    return stranded


def _strict_plays(points: Points, high: int, low: int) -> dict[Points, Play]:
    """Return the plays under the rule that both numbers must be used, or else the higher if it can be."""
    found: dict[Points, Play] = {}
    only_high = _two_dice(points, high, low, found)
    only_low = _two_dice(points, low, high, found)
    if found:
        return found
    return dict(only_high or only_low)


def _old_english_plays(points: Points, high: int, low: int) -> dict[Points, Play]:
    """Return the plays when only the number at its turn must be playable (rules/RULES.md, reading 2).

    The first number may be played so that the second cannot; when either but never both can be played, the
    higher one must be.
    """
    found: dict[Points, Play] = {}
    only_high = _two_dice(points, high, low, found)
    only_low = _two_dice(points, low, high, found)
    if not found:
        return dict(only_high or only_low)
    for result, play in (*only_high, *only_low):
        found.setdefault(result, play)
    return found
