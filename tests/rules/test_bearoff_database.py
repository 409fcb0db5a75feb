"""The shared bear-off rows are those of a database that rounds every chance to 16 bits.

Our chances are exact; this second program rounds as that database does, with plays of its own, and must then meet
every printed digit. It shows that nothing but the rounding stands between the two. What is known of that database
(GNU Backgammon, makebearoff.c): sums of 36 are divided with rounding, what is then missing or too much goes to the
likeliest number of rolls, and of plays that are equal after rounding the first one found is taken.
"""

import json
from functools import cache
from pathlib import Path

import pytest

FULL = 65535
Home = tuple[int, ...]


def after_die(home: Home, die: int) -> list[tuple[int, Home]]:
    """Return what one die can make of a home board, rear checker first, with the point it came from, 0 the ace."""
    top = max(point for point, count in enumerate(home) if count)
    found = []
    for point in range(top, -1, -1):
        target = point - die
        if not home[point] or (target < -1 and point != top):
            continue
        after = list(home)
        after[point] -= 1
        if target >= 0:
            after[target] += 1
        found.append((point, tuple(after)))
    return found


def after_roll(home: Home, first: int, second: int) -> Home:
    """Return what the best play of a roll makes of a home board, of equal ones the first that is found.

    The higher die comes first, the rear checker first; a double is played from the rear forwards.
    """
    if first == second:
        end = after_double(home, first, 4, 5)
        assert end is not None
        return end
    ends = [after_two(home, first, second), after_two(home, second, first)]
    return min(ends, key=mean)


def after_two(home: Home, die: int, last: int) -> Home:
    return min([after_one(after, last) for _, after in after_die(home, die)], key=mean)


@cache
def after_one(home: Home, die: int) -> Home:
    return min([after for _, after in after_die(home, die)], key=mean) if any(home) else home


@cache
def after_double(home: Home, die: int, moves: int, highest: int) -> Home | None:
    if not moves or not any(home):
        return home
    steps = [(point, after) for point, after in after_die(home, die) if point <= highest]
    ends = [after_double(after, die, moves - 1, point) for point, after in steps]
    return min([end for end in ends if end is not None], key=mean, default=None)


@cache
def rounded(home: Home) -> tuple[int, ...]:
    """Return the chances of each number of rolls in 65535ths: fastest play on average, rounded at every level."""
    if not any(home):
        return (FULL,)
    total = [0] * 32
    for first in range(1, 7):
        for second in range(1, first + 1):
            weight = 1 if first == second else 2
            for rolls, chance in enumerate(rounded(after_roll(home, first, second)), start=1):
                total[rolls] += weight * chance
    chances = [(each + 18) // 36 for each in total]
    chances[chances.index(max(chances))] -= sum(chances) - FULL
    while not chances[-1]:
        chances.pop()
    return tuple(chances)


@cache
def mean(home: Home) -> int:
    return sum(rolls * chance for rolls, chance in enumerate(rounded(home)))


@pytest.mark.needs_shared
def test_with_its_database_s_rounding_every_shared_bear_off_is_met_to_the_printed_digit(shared: Path) -> None:
    rows = json.loads((shared / "rules/race.json").read_text())["bearoff"]
    assert len(rows) >= 40
    for row in sorted(rows, key=lambda row: row["pips"]):
        percents = {
            rolls: 100 * chance / FULL for rolls, chance in enumerate(rounded(tuple(row["home"]))) if chance
        }
        for rolls, percent in row["dist_percent"].items():
            assert percents.get(int(rolls), 0.0) == pytest.approx(percent, abs=0.00051)
