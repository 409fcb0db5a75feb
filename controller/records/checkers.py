"""From written moves to a play: what they do on the board, whether that is legal, and why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from controller.rules.notation import write_play
from controller.rules.plays import MustUse, accepted_plays, legal_plays
from controller.rules.position import Move, Play, Position, Roll


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of one written play.

    Attributes:
        play: the moves, hits marked; single steps where the play is legal.
        after: the position after it, seen from the mover; None when the moves cannot be made at all.
        reason: why it is not legal, empty when it is.
    """

    play: Play
    after: Position | None
    reason: str = ""


def judge(position: Position, roll: Roll, moves: Sequence[Move], must_use: MustUse) -> Judged:
    """Return what `moves`, as written, do in `position`, and whether that is a legal play of `roll`.

    Moves may be written with several dice at once and without the points in between, in any order, and hits
    need not be marked; a hit on the way that is not written is found where only one legal play fits.
    """
    return _whole_play(position, roll, moves) or _any_play(position, roll, moves, must_use)


def _any_play(position: Position, roll: Roll, moves: Sequence[Move], must_use: MustUse) -> Judged:
    """Judge moves by all the legal plays there are."""
    legal = legal_plays(position, roll, must_use)
    made, after = _make(position, moves)
    if after is not None:
        if not made and legal:
            return Judged((), position, f"{_one_of(legal.values())} could be played")
        if after in legal:
            return Judged(made if len(made) == len(legal[after]) else legal[after], after)
        if not made:
            return Judged((), position)
        fitting = _unwritten_hits(after, legal)
        if len(fitting) == 1:
            return Judged(fitting[0][1], fitting[0][0])
        if position.on_board == 1 and after in accepted_plays(position, roll, must_use):
            return Judged(made, after)
    return Judged(made, after, _why(position, roll, moves, after, legal))


def _whole_play(position: Position, roll: Roll, moves: Sequence[Move]) -> Judged | None:
    """Judge a play that uses every number of the roll by single moves, which most do; None for any other.

    Under all rules such a play is legal when each of its moves is, so the others need not be generated.
    """
    if len(moves) != (4 if roll.is_double else 2):
        return None
    orders = (moves, moves[::-1]) if not roll.is_double else (sorted(moves, reverse=True),)
    dice = ((roll.high,) * 4,) if roll.is_double else ((roll.high, roll.low), (roll.low, roll.high))
    for order in orders:
        for numbers in dice:
            made, after = _each(position, order, numbers)
            if after is not None:
                return Judged(made, after)
    return None


def _each(position: Position, moves: Sequence[Move], numbers: Sequence[int]) -> tuple[Play, Position | None]:
    """Make each move with its number; None where one of them is not allowed."""
    points = list(position.points)
    made: list[Move] = []
    for (source, target, _), number in zip(moves, numbers, strict=True):
        if points[source] <= 0 or (points[25] and source != 25):
            return (), None
        if target:
            if source - target != number or points[target] < -1:
                return (), None
        elif source > number or any(n > 0 for n in points[(7 if source == number else source + 1) :]):
            return (), None
        hit = target > 0 and points[target] == -1
        points[source] -= 1
        if hit:
            points[target] = 1
            points[0] -= 1
        elif target:
            points[target] += 1
        made.append(Move(source, target, hit))
    return tuple(made), Position(tuple(points))


def forced_play(position: Position, roll: Roll, must_use: MustUse) -> Play | None:
    """Return the only legal play, empty for a dance, or None when there is a choice."""
    legal = legal_plays(position, roll, must_use)
    if not legal:
        return ()
    return next(iter(legal.values())) if len(legal) == 1 else None


def _make(position: Position, moves: Sequence[Move]) -> tuple[Play, Position | None]:
    """Make the moves, those whose checker is not there yet after the others; None when one cannot be made."""
    points = list(position.points)
    left = list(moves)
    made: list[Move] = []
    while left:
        for move in left:
            if points[move.source] > 0:
                break
        else:
            return (*made, *left), None
        left.remove(move)
        source, target = move.source, move.target
        hit = target > 0 and points[target] == -1
        if target > 0 and points[target] < -1:
            return (*made, move, *left), None
        points[source] -= 1
        if hit:
            points[target] = 1
            points[0] -= 1
        elif target > 0:
            points[target] += 1
        made.append(Move(source, target, hit))
    return tuple(made), Position(tuple(points))


def _unwritten_hits(after: Position, legal: dict[Position, Play]) -> list[tuple[Position, Play]]:
    """Return the legal plays that move the own checkers to the same places."""
    own = [max(n, 0) for n in after.points]
    return [(end, play) for end, play in legal.items() if [max(n, 0) for n in end.points] == own]


def _one_of(plays: Iterable[Play]) -> str:
    return write_play(next(iter(plays)))


def _why(
    position: Position, roll: Roll, moves: Sequence[Move], after: Position | None, legal: dict[Position, Play]
) -> str:
    """Say why moves that are no legal play are none; the first cause that a player would name."""
    if after is None:
        return _impossible(position, moves)
    entering = sum(move.source == 25 for move in moves)
    if entering < position.points[25] and any(move.source != 25 for move in moves):
        return "a checker on the bar must enter first"
    if not legal:
        return f"there is no legal play of {roll}"
    return _strange_numbers(roll, moves) or _not_allowed(roll, moves, legal)


def _not_allowed(roll: Roll, moves: Sequence[Move], legal: dict[Position, Play]) -> str:
    """Name the rule against moves that the numbers of the roll could make."""
    if any(move.target == 0 for move in moves) and not any(
        move.target == 0 for play in legal.values() for move in play
    ):
        return "a checker cannot be borne off"
    pips = sum(move.source - move.target for move in moves)
    if pips < max(sum(move.source - move.target for move in play) for play in legal.values()):
        return f"more of {roll} must be played, such as {_one_of(legal.values())}"
    return f"these moves are no legal play of {roll}"


def _impossible(position: Position, moves: Sequence[Move]) -> str:
    there = Counter({place: max(n, 0) for place, n in enumerate(position.points)})
    there.update(move.target for move in moves)
    for move in moves:
        if move.target and position.points[move.target] < -1:
            return f"point {move.target} is held by the opponent"
    for source, needed in Counter(move.source for move in moves).items():
        if there[source] < needed:
            where = "the bar" if source == 25 else f"point {source}"
            return f"there {'is no checker' if not there[source] else 'are too few checkers'} on {where}"
    return "these moves cannot be made one after the other"


def _strange_numbers(roll: Roll, moves: Sequence[Move]) -> str:
    """Name a move that no number of the roll, nor their sums, can make."""
    high, low = roll
    single = {high, low}
    sums = {high * n for n in (2, 3, 4)} if roll.is_double else {high + low}
    for move in moves:
        distance = move.source - move.target
        reach = single | sums
        if distance not in reach and not (move.target == 0 and distance < max(reach)):
            source = "bar" if move.source == 25 else str(move.source)
            return f"{source}/{move.target or 'off'} is no move with {roll}"
    total = (high + low) * (2 if roll.is_double else 1)
    if sum(move.source - move.target for move in moves) > total:
        return f"{roll} is used more than once"
    return ""
