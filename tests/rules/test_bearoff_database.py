"""The shared bear-off rows are those of a database that rounds every chance to 16 bits.

Our chances are exact; this second program rounds as that database does, with plays of its own, and must then meet
every printed digit. It shows that nothing but the rounding stands between the two.
"""

import json
from functools import cache
from pathlib import Path

import pytest

FULL = 65535
Home = tuple[int, ...]


def after_die(home: Home, die: int) -> set[Home]:
    """Return what one die can make of a home board; index 0 is the ace point."""
    top = max(point for point, count in enumerate(home) if count)
    found = set()
    for point, count in enumerate(home):
        target = point - die
        if not count or (target < -1 and point != top):
            continue
        after = list(home)
        after[point] -= 1
        if target >= 0:
            after[target] += 1
        found.add(tuple(after))
    return found


def after_roll(home: Home, first: int, second: int) -> set[Home]:
    orders = {(first,) * 4} if first == second else {(first, second), (second, first)}
    found: set[Home] = set()
    for order in orders:
        level = {home}
        for die in order:
            level = {after for each in level for after in (after_die(each, die) if any(each) else {each})}
        found |= level
    return found


@cache
def rounded(home: Home) -> tuple[int, ...]:
    """Return the chances of each number of rolls in 65535ths: fastest play on average, rounded at every level."""
    if not any(home):
        return FULL, *[0] * 31
    total = [0] * 32
    for first in range(1, 7):
        for second in range(1, first + 1):
            best = min(map(rounded, after_roll(home, first, second)), key=mean)
            for rolls in range(31):
                total[rolls + 1] += (1 if first == second else 2) * best[rolls]
    chances = [(each + 18) // 36 for each in total]
    chances[chances.index(max(chances))] -= sum(chances) - FULL
    return tuple(chances)


def mean(chances: tuple[int, ...]) -> int:
    return sum(rolls * chance for rolls, chance in enumerate(chances))


@pytest.mark.needs_shared
def test_with_its_database_s_rounding_every_shared_bear_off_is_met_to_the_printed_digit(shared: Path) -> None:
    rows = json.loads((shared / "rules/race.json").read_text())["bearoff"]
    small = [row for row in rows if row["pips"] <= 36]
    assert len(small) > 15
    for row in small:
        percents = {
            rolls: 100 * chance / FULL for rolls, chance in enumerate(rounded(tuple(row["home"]))) if chance
        }
        for rolls, percent in row["dist_percent"].items():
            assert percents.get(int(rolls), 0.0) == pytest.approx(percent, abs=0.00051)
