"""Counts and chances: pip counts and their corrections, win chances of a race, shots at a blot.

All functions see a position from the player on roll. Adjusted counts are whole numbers; chances are 0 to 1.
"""

from __future__ import annotations

from math import erf, sqrt

from controller.rules.bearoff import chance_to_be_first, home_of
from controller.rules.plays import legal_plays
from controller.rules.position import ALL_ROLLS, Position, Roll


def is_race(position: Position) -> bool:
    """Tell whether the two sides have passed each other, so that nobody can hit or block any more."""
    own = max((place for place, n in enumerate(position.points) if n > 0), default=0)
    other = min((place for place, n in enumerate(position.points) if n < 0), default=25)
    return own < other or own == 0


def keith(position: Position) -> int:
    """Return the mover's Keith count.

    Pips, plus 2 for each checker beyond one on the ace point, 1 beyond one on the deuce, 1 beyond three on the
    three point, and 1 for each gap on the points 4, 5 and 6. The player on roll adds a seventh before comparing.

    Example:
        >>> from controller.rules.position import START
        >>> keith(START)
        169
    """
    own = position.points
    extra = 2 * max(0, own[1] - 1) + max(0, own[2] - 1) + max(0, own[3] - 3)
    return position.pips + extra + sum(own[point] <= 0 for point in (4, 5, 6))


def keith_on_roll(position: Position) -> float:
    """Return the Keith count of the player on roll with its seventh added, not rounded."""
    return keith(position) * 8 / 7


def keith_advice(position: Position) -> tuple[bool, bool, bool]:
    """Return whether the player on roll should double, should redouble, and whether the opponent should take.

    Double when the own count, a seventh added and rounded down, exceeds the opponent's by 4 at most, redouble
    by 3 at most; the opponent takes when it exceeds his by 2 at least.
    """
    count = keith(position)
    lead = count + count // 7 - keith(position.turned())
    return lead <= 4, lead <= 3, lead >= 2


def kleinman_metric(position: Position) -> float:
    """Return D / (2 sqrt S) of the player on roll, with D the lead plus 4 and S the sum of the counts minus 4."""
    return _metric(position.pips, position.opponent_pips)


def _metric(own: float, other: float) -> float:
    return (other - own + 4) / (2 * sqrt(max(1.0, other + own - 4)))


def kleinman(position: Position) -> float:
    """Return the win chance of the player on roll in a race by Kleinman's formula on plain pip counts.

    Example:
        >>> from controller.rules.position import parse_position
        >>> round(kleinman(parse_position("-BACA-E------------bcbabe-")), 4)
        0.6172
    """
    return (1 + erf(kleinman_metric(position))) / 2


def thorp(position: Position) -> int:
    """Return the mover's Thorp count.

    Pips, plus 2 for each checker and 1 for each on the ace point, minus 1 for each home point held.
    """
    own = position.points
    held = sum(own[point] > 0 for point in range(1, 7))
    return position.pips + 2 * position.on_board + max(0, own[1]) - held


def thorp_on_roll(position: Position) -> float:
    """Return the Thorp count of the player on roll, a tenth added where it is above 30."""
    count = thorp(position)
    return count * 1.1 if count > 30 else float(count)


def isight(position: Position) -> int:
    """Return the mover's Isight count, which compares both sides.

    Pips, plus 1 for each checker more than the opponent has, 2 for each beyond two on the ace, 1 beyond two on
    the deuce, 1 beyond three on the three point, 1 for each gap on 4, 5 and 6 where the opponent has none, and 1
    for each crossover more than the opponent needs.
    """
    own, other = position.points, position.turned().points
    extra = max(0, position.on_board - position.opponent_on_board)
    extra += 2 * max(0, own[1] - 2) + max(0, own[2] - 2) + max(0, own[3] - 3)
    extra += sum(own[point] <= 0 < other[point] for point in (4, 5, 6))
    return position.pips + extra + max(0, _crossovers(own) - _crossovers(other))


def _crossovers(points: tuple[int, ...]) -> int:
    """Return how many quarters the checkers must cross to come home; the bar is one behind the last."""
    return sum(n * ((place - 1) // 6) for place, n in enumerate(points) if n > 0)


def isight_chance(position: Position) -> float:
    """Return the win chance of the player on roll by Isight: 80 - L/3 + 2 (T - L) percent."""
    own, other = isight(position), isight(position.turned())
    return min(100.0, max(0.0, 80 - own / 3 + 2 * (other - own))) / 100


def lead(position: Position) -> float:
    """Return the lead of the player on roll as a share of his own pip count; negative when he trails."""
    return (position.opponent_pips - position.pips) / position.pips if position.pips else 0.0


def lead_advice(position: Position) -> tuple[bool, bool, bool]:
    """Return by the rule of 8, 9 and 12 percent whether to double, to redouble, and whether the other takes."""
    ahead = lead(position)
    return ahead >= 0.08, ahead >= 0.09, ahead <= 0.12


def last_take(pips: int) -> float:
    """Return by how many pips a player may trail and still take, by Trice's rule of 62.

    Args:
        pips: the count of the player on roll; up to 62 a low-wastage position is meant, above it a plain race.

    Example:
        >>> last_take(62), last_take(110)
        (8.142857142857142, 12.0)
    """
    return (pips - 5) / 7 if pips <= 62 else pips / 10 + 1


def race_chance(position: Position, *, exact: bool = True) -> float | None:
    """Return the win chance of the player on roll in a race, the best that is known, or None with contact.

    Exact roll distributions of both sides are used when both are home; else Kleinman's formula on Keith counts,
    which over 3,000 races of all kinds was the closest of the simple ones.

    Args:
        position: seen from the player on roll.
        exact: False for the formula alone. The first exact answer about many checkers works out some ten
            thousand boards, which takes seconds; later ones take microseconds.
    """
    if not is_race(position):
        return None
    other_view = position.turned()
    home, other = home_of(position), home_of(other_view)
    if exact and home is not None and other is not None:
        return chance_to_be_first(home, other)
    return (1 + erf(_metric(keith(position), keith(other_view)))) / 2


def hitting_rolls(position: Position, place: int) -> list[Roll]:
    """Return the rolls with which the player on roll has a legal play that hits the blot on `place`.

    Args:
        position: seen from the player on roll, who would hit.
        place: a point of his numbering with one checker of the opponent; any other gives no roll.
    """
    if position.points[place] != -1 or place == 0:
        return []
    return [
        rolled
        for rolled in ALL_ROLLS
        if any(result.points[place] >= 0 for result in legal_plays(position, rolled))
    ]


def shots(position: Position, place: int) -> int:
    """Return how many of the 36 rolls hit the blot on `place`, every legal play counted.

    Example:
        >>> from controller.rules.position import parse_position
        >>> shots(parse_position("------a-----A-------------"), 6)
        17
    """
    return sum(1 if rolled.is_double else 2 for rolled in hitting_rolls(position, place))


def shots_at(position: Position, point: int) -> int:
    """Return how many of the opponent's 36 rolls would hit the mover's own blot on `point` now."""
    return shots(position.turned(), 25 - point)


def hitting_shots(position: Position) -> int:
    """Return how many of the 36 rolls hit at least one blot."""
    blots = [place for place in range(1, 25) if position.points[place] == -1]
    found = {rolled for place in blots for rolled in hitting_rolls(position, place)}
    return sum(1 if rolled.is_double else 2 for rolled in found)
