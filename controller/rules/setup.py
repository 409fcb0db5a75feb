"""Check any set-up of checkers and name every fault, before it becomes a `Position`.

A director types a position, a page sends one, a camera sees one: each may be wrong in several ways at once, and
whoever corrects it wants to know all of them. `Position` itself raises at the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from controller.errors import InvalidPositionError
from controller.rules.position import CHECKERS, Position

Code = Literal[
    "places",
    "not_a_count",
    "negative",
    "too_many",
    "not_fifteen",
    "both_on_point",
    "wrong_bar",
    "both_won",
    "game_over",
    "stuck",
]
"""What is wrong; programs look at this, people read the sentence."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a set-up.

    Attributes:
        code: what kind of fault it is.
        message: one sentence for a person.
        point: the point where it is, in the numbering of the first player (0 and 25 are bars), or None.
    """

    code: Code
    message: str
    point: int | None = None

    def __str__(self) -> str:
        return self.message


def faults_of_points(points: Sequence[int], names: tuple[str, str] = ("the mover", "the opponent")) -> list[Fault]:
    """Return every fault of 26 signed counts, placed as in `Position`; none means that they are a position.

    Args:
        points: the first player's checkers positive; [0] is the opponent's bar, [25] the first player's.
        names: how the messages call the two players.

    Example:
        >>> [str(fault) for fault in faults_of_points([0, 16] + [0] * 24)]
        ['the mover has 16 checkers, a side has 15', 'the opponent has no checker left, so the game is over']
    """
    wrong = _not_counts(points, "the position", "places")
    if wrong:
        return wrong
    found = []
    if points[0] > 0:
        found.append(Fault("wrong_bar", f"{names[0]} has checkers on the bar of {names[1]}", 0))
    if points[25] < 0:
        found.append(Fault("wrong_bar", f"{names[1]} has checkers on the bar of {names[0]}", 25))
    own = [max(0, n) for n in points]
    other = [max(0, -points[25 - place]) for place in range(26)]
    for name, counts in zip(names, (own, other), strict=True):
        if sum(counts) > CHECKERS:
            found.append(Fault("too_many", f"{name} has {sum(counts)} checkers, a side has {CHECKERS}"))
    return found + _hopeless(own, other, names)


def faults_of_counts(
    first: Sequence[int], second: Sequence[int], names: tuple[str, str] = ("White", "Black")
) -> list[Fault]:
    """Return every fault of two sides counted apart; only here both colors can stand on one point.

    Args:
        first: 26 counts of the first player in his own numbering: [0] off, [1] to [24] points, [25] bar.
        second: the same of the second player, in the second player's own numbering.
        names: how the messages call the two players.

    Example:
        >>> start = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
        >>> faults_of_counts(start, start)
        []
    """
    found = []
    for name, counts in zip(names, (first, second), strict=True):
        found += _not_counts(counts, name, "counts")
    if found:
        return found
    for name, counts, is_first in zip(names, (first, second), (True, False), strict=True):
        for place, count in enumerate(counts):
            if count < 0:
                point = place if is_first else 25 - place
                found.append(Fault("negative", f"{name} has {count} checkers on {_place(place)}", point))
        if min(counts) >= 0 and sum(counts) != CHECKERS:
            code: Code = "too_many" if sum(counts) > CHECKERS else "not_fifteen"
            found.append(Fault(code, f"{name} has {sum(counts)} checkers, a side has {CHECKERS}"))
    for point in range(1, 25):
        if first[point] > 0 and second[25 - point] > 0:
            message = f"both colors stand on the {point}-point of {names[0]}"
            found.append(Fault("both_on_point", message, point))
    return found + _hopeless([0, *first[1:]], [0, *second[1:]], names)


def position_of_counts(
    first: Sequence[int], second: Sequence[int], names: tuple[str, str] = ("White", "Black")
) -> Position:
    """Return the position of two sides counted apart, seen from the first player.

    Raises:
        InvalidPositionError: names all faults, separated by semicolons.
    """
    found = faults_of_counts(first, second, names)
    if found:
        raise InvalidPositionError("; ".join(map(str, found)))
    return Position((-second[25], *(first[p] - second[25 - p] for p in range(1, 25)), first[25]))


def _place(place: int) -> str:
    return {0: "off", 25: "the bar"}.get(place, f"the {place}-point")


def _not_counts(counts: Sequence[int], what: str, unit: str) -> list[Fault]:
    """Return the faults of a list that is not 26 whole numbers."""
    if len(counts) != 26:
        return [Fault("places", f"{what} has {len(counts)} {unit}, there are 26")]
    return [
        Fault("not_a_count", f"{count!r} on {_place(place)} is no number of checkers", place)
        for place, count in enumerate(counts)
        if not isinstance(count, int) or isinstance(count, bool)
    ]


def _hopeless(own: Sequence[int], other: Sequence[int], names: tuple[str, str]) -> list[Fault]:
    """Return the faults of positions that are no moment of a game: it is over, or nobody can ever move.

    Args:
        own: 26 counts of the first player in his numbering, nothing at [0].
        other: the same of the second.
        names: of both.
    """
    left = (any(own), any(other))
    if left == (False, False):
        return [Fault("both_won", "both sides have borne off all checkers, and only one can have won")]
    for name, has in zip(names, left, strict=True):
        if not has:
            return [Fault("game_over", f"{name} has no checker left, so the game is over")]
    closed = [all(counts[point] > 1 for point in range(1, 7)) for counts in (own, other)]
    if all(closed) and own[25] > 0 and other[25] > 0:
        return [Fault("stuck", "both sides are on the bar against a closed board, so nobody can ever move")]
    return []
