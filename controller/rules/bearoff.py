"""Exact chances of bearing off alone: how many rolls a home board takes, and what that makes of a race.

A home board is six counts, those of the points 1 to 6. `rolls_to_bear_off` gives the exact chance of needing
each number of rolls when every play lowers the mean number of rolls as far as it can. Results are kept in
memory; only the boards that a question needs are worked out, and all 54,264 of them take some seconds.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

from controller.errors import InvalidPositionError
from controller.rules.position import CHECKERS, Position

Home = tuple[int, ...]
"""Checkers on the points 1 to 6."""

MEAN_ROLL_PIPS = 49 / 6
"""Mean pips of one roll, doubles counted fourfold."""

_ONE = (0, *(1 << 4 * (point - 1) for point in range(1, 7)))
"""One checker on each point in a board written as one number, four bits a point; off is nothing."""

_PAIRS = tuple(combinations(range(6), 2))


class _Table:
    """What is known so far of home boards, each written as one number; none needs a board of more pips.

    Attributes:
        mean: mean number of rolls.
        chances: chance of each number of rolls.
        best: for each number of moves less one, and each die less one: the board of least mean after them.
    """

    def __init__(self) -> None:
        self.mean: dict[int, float] = {0: 0.0}
        self.chances: dict[int, tuple[float, ...]] = {0: (1.0,)}
        self.best: tuple[tuple[dict[int, int], ...], ...] = tuple(
            tuple({0: 0} for _ in range(6)) for _ in range(3)
        )

    def solve(self, board: int) -> None:
        """Work out one board and all that it leads to.

        Boards still to do are put on a stack of our own; Python's is too short for them.
        """
        stack = [board]
        while stack:
            top = stack[-1]
            moves = _moves(top)
            missing = {after for die in moves for after in die if after not in self.mean}
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if top not in self.mean:
                self._settle(top, moves)

    def _settle(self, board: int, moves: list[list[int]]) -> None:
        """Work out one board, all boards that one move leads to being known."""
        mean = self.mean.__getitem__
        weights: dict[int, int] = {}
        once, twice, thrice = self.best
        for die, ends in enumerate(moves):
            once[die][board] = min(ends, key=mean)
            twice[die][board] = min([once[die][end] for end in ends], key=mean)
            thrice[die][board] = min([twice[die][end] for end in ends], key=mean)
            fourth = min([thrice[die][end] for end in ends], key=mean)
            weights[fourth] = weights.get(fourth, 0) + 1
        for low, high in _PAIRS:
            after_high, after_low = once[low], once[high]
            ends = [after_high[end] for end in moves[high]] + [after_low[end] for end in moves[low]]
            best = min(ends, key=mean)
            weights[best] = weights.get(best, 0) + 2
        self._weigh(board, weights)

    def _weigh(self, board: int, weights: dict[int, int]) -> None:
        """Put together the chances of a board from those of the boards that its 36 rolls lead to."""
        longest = max(len(self.chances[end]) for end in weights)
        chances = [0.0] * (longest + 1)
        for end, weight in weights.items():
            for rolls, chance in enumerate(self.chances[end], start=1):
                chances[rolls] += chance * weight
        self.chances[board] = tuple([chance / 36 for chance in chances])
        self.mean[board] = 1.0 + sum([self.mean[end] * weight for end, weight in weights.items()]) / 36


def _moves(board: int) -> list[list[int]]:
    """Return for each die the boards after one legal move of it; there is always one while a checker is left."""
    held = [point for point in range(1, 7) if board >> 4 * (point - 1) & 15]
    if not held:
        return [[0]] * 6
    overshot = board - _ONE[held[-1]]
    return [
        [board - _ONE[point] + _ONE[point - die] for point in held if point >= die] or [overshot]
        for die in range(1, 7)
    ]


_TABLE = _Table()


def _solved(home: Home) -> int:
    """Return the number of a home board that is worked out now."""
    if len(home) != 6 or min(home) < 0 or sum(home) > CHECKERS:
        raise InvalidPositionError(f"a home board has six counts of {CHECKERS} checkers at most, got {home}")
    board = sum(n << 4 * (point - 1) for point, n in enumerate(home, start=1))
    _TABLE.solve(board)
    return board


def rolls_to_bear_off(home: Home) -> tuple[float, ...]:
    """Return the chance of needing exactly 0, 1, 2, ... rolls to bear off everything.

    Raises:
        InvalidPositionError: not six counts of fifteen checkers at most.

    Example:
        >>> rolls_to_bear_off((0, 0, 0, 0, 0, 1))
        (0.0, 0.75, 0.25)
    """
    return _TABLE.chances[_solved(home)]


def mean_rolls(home: Home) -> float:
    """Return the mean number of rolls to bear off everything.

    Raises:
        InvalidPositionError: not six counts of fifteen checkers at most.
    """
    return _TABLE.mean[_solved(home)]


def effective_pips(home: Home) -> float:
    """Return the effective pip count (EPC): the mean number of rolls times the mean roll of 49/6 pips.

    Example:
        >>> round(effective_pips((10, 0, 0, 0, 0, 0)), 1)
        36.0
    """
    return mean_rolls(home) * MEAN_ROLL_PIPS


def wastage(home: Home) -> float:
    """Return how many pips more than its pip count a home board really takes."""
    return effective_pips(home) - sum(point * n for point, n in enumerate(home, start=1))


def home_of(position: Position) -> Home | None:
    """Return the mover's home board when all his checkers left are in it, else None."""
    if any(n > 0 for n in position.points[7:]):
        return None
    return tuple(max(0, n) for n in position.points[1:7])


@lru_cache(maxsize=4096)
def chance_to_be_first(home: Home, other: Home) -> float:
    """Return the chance of the player on roll to bear off before the other, both playing for speed alone.

    Args:
        home: home board of the player on roll.
        other: that of the opponent, in the opponent's numbering.

    Raises:
        InvalidPositionError: not six counts of fifteen checkers at most.

    Example:
        >>> chance_to_be_first((0, 0, 0, 0, 0, 1), (1, 0, 0, 0, 0, 0))
        0.75
    """
    own, theirs = rolls_to_bear_off(home), rolls_to_bear_off(other)
    total, left = 0.0, 1.0
    for rolls, chance in enumerate(own):
        total += chance * left
        left -= theirs[rolls] if rolls < len(theirs) else 0.0
    return min(1.0, max(0.0, total))
