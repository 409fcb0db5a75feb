"""Counts and chances: the published figures, exact bear-offs, shots counted over 36 rolls."""

import itertools
import json
import math
from pathlib import Path

import pytest

from controller.errors import InvalidPositionError
from controller.rules import START, Position, Roll, legal_plays, parse_position
from controller.rules.bearoff import (
    chance_to_be_first,
    effective_pips,
    home_of,
    mean_rolls,
    rolls_to_bear_off,
    wastage,
)
from controller.rules.counts import (
    hitting_rolls,
    hitting_shots,
    is_race,
    isight,
    isight_chance,
    keith,
    keith_advice,
    keith_on_roll,
    kleinman,
    kleinman_metric,
    last_take,
    lead_advice,
    race_chance,
    shots,
    shots_at,
    thorp,
    thorp_on_roll,
)


def race(own: dict[int, int], other: dict[int, int]) -> Position:
    """Return a race from the counts of both sides by point, each in its own numbering."""
    points = [0] * 26
    for point, count in own.items():
        points[point] = count
    for point, count in other.items():
        points[25 - point] = -count
    return Position(tuple(points))


def test_each_side_starts_with_167_pips_and_they_are_seen_from_both_sides():
    assert (START.pips, START.opponent_pips, START.turned().pips) == (167, 167, 167)
    assert parse_position("a-----A------------------B").pips == 56


def test_kleinman_gives_the_published_example_and_metric():
    assert round((1 + math.erf(17 / (2 * math.sqrt(209)))) / 2, 3) == 0.797
    position = race({18: 5, 2: 5}, {19: 5, 3: 6})
    assert (position.pips, position.opponent_pips) == (100, 113)
    assert round(kleinman(position), 3) == 0.797
    assert round((2 * kleinman_metric(position)) ** 2, 2) == round(17 * 17 / 209, 2)


@pytest.mark.parametrize(
    ("metric", "chance"), [(0.5, 0.69), (0.7, 0.72), (1.0, 0.76), (1.2, 0.78), (1.4, 0.80), (2.0, 0.84)]
)
def test_the_published_table_of_the_kleinman_metric_holds(metric, chance):
    assert (1 + math.erf(math.sqrt(metric) / 2)) / 2 == pytest.approx(chance, abs=0.006)


def test_keith_advice_doubles_and_takes_at_the_published_edges():
    own, other = {6: 5, 5: 5, 4: 5}, {6: 5, 5: 5, 4: 5}
    even = race(own, other)
    assert keith(even) == 75
    assert keith_on_roll(even) == pytest.approx(75 * 8 / 7)
    assert keith_advice(even) == (False, False, True)


def test_the_rule_of_eight_nine_and_twelve_percent_has_its_edges_where_it_says():
    def ahead(percent: int) -> Position:
        return race({20: 5}, {20: 5, percent: 1})

    assert lead_advice(ahead(7)) == (False, False, True)
    assert lead_advice(ahead(8)) == (True, False, True)
    assert lead_advice(ahead(9)) == (True, True, True)
    assert lead_advice(ahead(12)) == (True, True, True)
    assert lead_advice(ahead(13)) == (True, True, False)


def test_the_rule_of_62_gives_the_last_take():
    assert last_take(40) == 5
    assert last_take(100) == 11


def test_thorp_and_isight_count_what_their_rules_say():
    position = race({1: 2, 6: 4}, {6: 5})
    assert thorp(position) == 26 + 12 + 2 - 2
    assert thorp_on_roll(position) == pytest.approx(38 * 1.1)
    assert isight(position) == 26 + 1 + 0 + 0
    assert isight_chance(position) == pytest.approx((80 - 27 / 3 + 2 * (30 - 27)) / 100)


def test_one_checker_bears_off_as_often_as_36_rolls_say():
    assert rolls_to_bear_off((0, 0, 0, 0, 0, 1)) == (0.0, 0.75, 0.25)
    assert rolls_to_bear_off((0, 0, 0, 0, 0, 0)) == (1.0,)
    assert rolls_to_bear_off((0, 0, 0, 0, 1, 0))[1] == pytest.approx(31 / 36)
    assert rolls_to_bear_off((1, 0, 0, 0, 0, 1))[1] == pytest.approx(15 / 36)


@pytest.mark.parametrize(
    ("home", "epc"), [((10, 0, 0, 0, 0, 0), 36.0), ((5, 4, 0, 0, 0, 0), 36.02), ((15, 0, 0, 0, 0, 0), 57.0)]
)
def test_the_published_effective_pip_counts_hold(home, epc):
    assert effective_pips(home) == pytest.approx(epc, abs=0.005)
    assert wastage(home) == pytest.approx(effective_pips(home) - sum((n + 1) * c for n, c in enumerate(home)))


def test_two_times_n_checkers_on_the_ace_take_seven_n_plus_one_pips():
    for n in range(1, 8):
        assert effective_pips((2 * n, 0, 0, 0, 0, 0)) == pytest.approx(7 * n + 1, abs=0.4)


def brute_force_mean(position: Position, known: dict[Position, float]) -> float:
    """Return the least mean number of rolls, by legal plays alone and no table."""
    if position.on_board == 0:
        return 0.0
    if position not in known:
        total = 0.0
        for high, low in itertools.product(range(1, 7), repeat=2):
            results = legal_plays(position, Roll.of(high, low))
            total += min(brute_force_mean(after, known) for after in results)
        known[position] = 1.0 + total / 36
    return known[position]


def test_the_table_agrees_with_a_search_through_legal_plays():
    known: dict[Position, float] = {}
    for home in ((1, 1, 1, 0, 0, 0), (0, 2, 0, 1, 0, 0), (0, 0, 0, 0, 1, 2)):
        position = Position((0, *home, *[0] * 17, -1, 0))
        assert mean_rolls(home) == pytest.approx(brute_force_mean(position, known), abs=1e-12)


def test_chances_of_all_numbers_of_rolls_sum_to_one_and_give_the_mean():
    for home in itertools.product((0, 2), repeat=6):
        chances = rolls_to_bear_off(home)
        assert sum(chances) == pytest.approx(1.0, abs=1e-12)
        assert sum(n * chance for n, chance in enumerate(chances)) == pytest.approx(mean_rolls(home), abs=1e-9)


def test_a_home_board_of_sixteen_checkers_is_refused():
    with pytest.raises(InvalidPositionError, match="six counts of 15 checkers at most"):
        rolls_to_bear_off((16, 0, 0, 0, 0, 0))


def test_the_player_on_roll_wins_a_race_as_exactly_as_both_distributions_say():
    assert chance_to_be_first((1, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0)) == 1.0
    assert chance_to_be_first((0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 1)) == pytest.approx(0.75 + 0.25 * 0.25)
    assert race_chance(race({6: 1}, {1: 1})) == 0.75


def test_a_race_is_where_nobody_can_hit_any_more():
    assert is_race(race({6: 5}, {6: 5}))
    assert is_race(race({12: 1}, {12: 1}))
    assert not is_race(race({13: 1}, {13: 1}))
    assert not is_race(START)
    assert race_chance(START) is None


def test_a_race_not_yet_home_is_judged_by_adjusted_counts():
    level = race({10: 5, 6: 5}, {10: 5, 6: 5})
    assert 0.5 < race_chance(level) < 0.9


def test_the_formula_comes_close_to_the_exact_chance():
    for own, other in (({3: 2, 2: 1}, {3: 1, 2: 2}), ({4: 2, 3: 2}, {5: 2, 2: 2})):
        position = race(own, other)
        assert race_chance(position, exact=False) == pytest.approx(race_chance(position), abs=0.15)


INDIRECT = {7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3, 15: 1, 16: 1, 18: 1, 20: 1, 24: 0}


@pytest.mark.parametrize(("distance", "rolls"), [(1, 11), (2, 12), (3, 14), (4, 15), (5, 15), (6, 17)])
def test_a_blot_within_six_pips_is_hit_by_the_known_numbers_of_rolls(distance, rolls):
    assert shots(_blot_at(distance), 20 - distance) == rolls


@pytest.mark.parametrize(("distance", "rolls"), INDIRECT.items())
def test_a_blot_further_away_is_hit_by_six_rolls_at_most(distance, rolls):
    place = 1 if distance == 24 else 20 - distance
    expected = 0 if distance in (24, 20) else rolls
    if place < 1:
        return
    assert shots(_blot_at(distance), place) == expected


def _blot_at(distance: int) -> Position:
    points = [0] * 26
    points[20] = 2
    points[max(1, 20 - distance)] = -1
    return Position(tuple(points))


def test_blocked_points_take_shots_away_and_other_checkers_add_some():
    open_way = parse_position("------a-----A-------------")
    blocked = parse_position("------a-bbbbA-------------")
    assert (shots(open_way, 6), shots(blocked, 6)) == (17, 13)
    assert shots(parse_position("------a-----AA------------"), 6) > 17


def test_nothing_is_hit_where_no_blot_stands():
    assert hitting_rolls(START, 1) == []
    assert hitting_rolls(START, 6) == []
    assert hitting_shots(START) == 0


def test_an_own_blot_is_looked_at_from_the_other_side():
    position = parse_position("-b----EBA---eE---c-e----B-")
    assert shots_at(position, 8) == shots(position.turned(), 17)
    assert shots_at(position, 8) > 0


def test_all_blots_together_are_hit_by_each_roll_once():
    position = parse_position("----a-a-----A-------------")
    assert hitting_shots(position) < shots(position, 4) + shots(position, 6)


@pytest.mark.needs_shared
def test_all_counts_of_the_shared_races_are_exact(shared: Path):
    for row in json.loads((shared / "rules" / "race.json").read_text())["races"]:
        position = parse_position(row["board"])
        other = position.turned()
        assert (position.pips, other.pips) == (row["pips_on_roll"], row["pips_opponent"])
        assert (keith(position), keith(other)) == (row["keith_on_roll"], row["keith_opponent"])
        assert (thorp(position), thorp(other)) == (row["thorp_on_roll"], row["thorp_opponent"])
        assert (isight(position), isight(other)) == (row["isight_on_roll"], row["isight_opponent"])
        assert f"{keith_on_roll(position):.1f}" == f"{row['keith_on_roll_plus_7th']:.1f}"
        assert f"{kleinman_metric(position):.4g}" == f"{row['kleinman_K']:.4g}"
        assert round(kleinman(position), 4) == pytest.approx(row["kleinman_win"], abs=1e-9)


@pytest.mark.needs_shared
def test_shared_bear_offs_differ_from_the_exact_ones_by_the_rounding_of_their_database_only(shared: Path):
    """The rows come from a database that keeps each chance in 16 bits, so each is off by some 1/65536."""
    rows = json.loads((shared / "rules" / "race.json").read_text())["bearoff"]
    small = [row for row in rows if row["pips"] <= 30]
    assert len(small) > 10
    for row in small:
        home = tuple(row["home"])
        assert sum((n + 1) * count for n, count in enumerate(home)) == row["pips"]
        for rolls, chance in enumerate(rolls_to_bear_off(home)):
            assert chance == pytest.approx(row["dist_percent"].get(str(rolls), 0) / 100, abs=3 / 65536)
        assert mean_rolls(home) == pytest.approx(row["mean_rolls"], abs=3e-4)
        assert home_of(Position((0, *home, *[0] * 17, -1, 0))) == home
