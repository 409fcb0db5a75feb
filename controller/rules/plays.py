"""Legal plays: a map from each resulting position to a play that reaches it.

A board shows only results, so two orders of the same checkers are one play here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from controller.rules.position import Move, Play, Position, Roll, _unchecked, apply_play

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
        ['13/2', '13/7 8/3']
    """
    points = position.points
    if roll.high == roll.low:
        found = _double_plays(points, roll.high)
    elif must_use == "strict":
        found = _strict_plays(points, roll.high, roll.low)
    else:
        found = _old_english_plays(points, roll.high, roll.low)
    return {_unchecked(result): play for result, play in found.items()}


def accepted_plays(position: Position, roll: Roll, must_use: MustUse = "strict") -> dict[Position, Play]:
    """Return the legal plays and, besides, a win at once that leaves a number unplayed.

    The last checker borne off with one number ends the game, though another order might use both numbers.
    Engines differ there; from a board both are accepted, while displays offer `legal_plays`.

    Example:
        >>> from controller.rules import Roll, parse_position, write_play
        >>> last = parse_position("-aA---------------------m-")
        >>> sorted(write_play(play) for play in accepted_plays(last, Roll.of(4, 1)).values())
        ['2/1*/off', '2/off']
    """
    plays = legal_plays(position, roll, must_use)
    if position.on_board == 1:
        for die in roll:
            for move, after in _steps(position.points, die, 25):
                if move.target == 0:
                    plays.setdefault(_unchecked(after), (move,))
    return plays


def first_steps(position: Position, roll: Roll, must_use: MustUse = "strict") -> list[tuple[int, int, int]]:
    """Return every single step (from, to, die) that begins at least one legal play.

    What a step begins is judged by where the play ends, so a step that an unlucky order would strand still
    counts when another order of the same checkers is legal.
    """
    return next_steps(position, roll, (), must_use)


def next_steps(
    position: Position, roll: Roll, made: Play, must_use: MustUse = "strict"
) -> list[tuple[int, int, int]]:
    """Return every single step (from, to, die) that continues the moves `made` to at least one legal play.

    Args:
        position: where the turn began.
        roll: its roll.
        made: the moves made so far, one die each.
        must_use: how many numbers must be played.

    Returns:
        Steps, highest source first; none when the moves are a whole play or lead to no legal one.
    """
    return steps_towards(legal_plays(position, roll, must_use), position, roll, made, must_use)


def steps_towards(
    plays: Mapping[Position, Play], position: Position, roll: Roll, made: Play, must_use: MustUse = "strict"
) -> list[tuple[int, int, int]]:
    """Return what `next_steps` does, for a caller who has the legal plays of the roll already."""
    ends = _ends(plays, roll, must_use)
    dice = (roll.high,) * 4 if roll.is_double else (roll.high, roll.low)
    at = apply_play(position, made).points
    steps = set()
    for left in _dice_left(position.points, dice, made):
        for die in dict.fromkeys(left):
            for move, after in _steps(at, die, 25):
                if _reaches(after, _without(left, die), len(made) + 1, ends):
                    steps.add((move.source, move.target, die))
    return sorted(steps, reverse=True)


def single_moves(position: Position, die: int) -> Iterator[tuple[Move, Position]]:
    """Yield every move of one die with the position after it, whether or not another number could still be played.

    Example:
        >>> from controller.rules import START
        >>> [(move.source, move.target) for move, _ in single_moves(START, 6)]
        [(24, 18), (13, 7), (8, 2)]
    """
    for move, after in _steps(position.points, die, 25):
        yield move, _unchecked(after)


def _dice_left(points: Points, dice: tuple[int, ...], made: Play) -> set[tuple[int, ...]]:
    """Return the sets of dice that can be left after the moves `made`; either die may have borne a checker off."""
    if not made:
        return {dice}
    left: set[tuple[int, ...]] = set()
    for die in dict.fromkeys(dice):
        for move, after in _steps(points, die, 25):
            if (move.source, move.target) == made[0][:2]:
                left |= _dice_left(after, _without(dice, die), made[1:])
    return left


def _without(dice: tuple[int, ...], die: int) -> tuple[int, ...]:
    """Return `dice` with one of the value `die` taken out."""
    at = dice.index(die)
    return dice[:at] + dice[at + 1 :]


def _ends(plays: Mapping[Position, Play], roll: Roll, must_use: MustUse) -> set[tuple[Points, int]]:
    """Return the results of all legal plays, each with the number of moves after which it ends a turn.

    Where the first number may strand the second, a result ends the turn after one move as well as after two.
    """
    ends = {(result.points, len(play)) for result, play in plays.items()}
    if must_use == "old_english" and not roll.is_double:
        ends |= {(result.points, 1) for result in plays}
    return ends


def _reaches(points: Points, dice: tuple[int, ...], moved: int, ends: set[tuple[Points, int]]) -> bool:
    """Tell whether some of `dice` lead from `points`, after `moved` moves, to the end of a legal play."""
    if (points, moved) in ends:
        return True
    return any(
        _reaches(after, _without(dice, die), moved + 1, ends)
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
