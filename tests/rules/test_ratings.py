"""Ratings: the published worked figures of the FIBS and Elo forms."""

import pytest

from controller.rules import profile
from controller.rules.ratings import (
    CLUB_RAMP,
    FIBS_RAMP,
    Ramp,
    elo_change,
    elo_expected,
    elo_factor,
    fibs_change,
    fibs_upset,
    is_rated,
)


def test_the_weaker_player_wins_five_points_against_200_more_in_374_of_1000():
    assert fibs_upset(200, 5) == pytest.approx(0.374, abs=5e-4)


@pytest.mark.parametrize(
    ("winner", "loser", "length", "experience", "gain"),
    [
        (1700, 1500, 5, 400, 3.35),
        (1500, 1700, 5, 400, 5.60),
        (1500, 1500, 1, 400, 2.0),
        (1500, 1500, 7, 400, 5.29),
        (1500, 1500, 5, 0, 22.4),
    ],
)
def test_fibs_changes_are_the_published_ones(winner, loser, length, experience, gain):
    found = fibs_change(winner, loser, length, (experience, experience))
    assert found[0] == pytest.approx(gain, abs=0.05 if gain > 20 else 0.005)
    assert found[1] == -found[0]


def test_each_player_moves_by_his_own_experience():
    gain, loss = fibs_change(1500, 1500, 5, (0, 400))
    assert gain == pytest.approx(-5 * loss)


def test_the_ramp_falls_to_one_and_may_count_the_match_itself():
    assert [FIBS_RAMP.factor(n, 5) for n in (0, 100, 250, 400, 1000)] == [5, 4, 2.5, 1, 1]
    assert [CLUB_RAMP.factor(n, 5) for n in (0, 200, 400)] == [2, 1.5, 1]
    assert Ramp(counts_this_match=True).factor(95, 5) == 4


@pytest.mark.parametrize(("winner", "loser", "gain"), [(1000, 1000, 16), (1000, 1200, 24.3), (1200, 1000, 7.7)])
def test_elo_changes_are_the_published_ones(winner, loser, gain):
    found = elo_change(winner, loser)
    assert found[0] == pytest.approx(gain, abs=0.05)
    assert found[1] == -found[0]


def test_elo_expects_what_is_published_and_slows_down_after_thirty_matches():
    assert elo_expected(1000, 1200) == pytest.approx(0.240, abs=5e-4)
    assert elo_expected(1000, 1200) + elo_expected(1200, 1000) == pytest.approx(1)
    assert [elo_factor(n) for n in (0, 29, 30)] == [32, 32, 16]
    assert elo_change(1000, 1000, (30, 0)) == (8, -16)


def test_matches_are_rated_between_people_where_the_rules_rate():
    assert is_rated(profile("touch-move"), only_people=True)
    assert not is_rated(profile("touch-move"), only_people=False)
    assert not is_rated(profile("shesh-besh"), only_people=True)
