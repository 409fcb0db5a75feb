"""Set-ups: every fault is named, and what has none is a position."""

import random

import pytest
from make_sample import constructed_position

from controller.errors import InvalidPositionError
from controller.rules import START, Position
from controller.rules.setup import faults_of_counts, faults_of_points, position_of_counts

START_SIDE = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]


def side(**changes: int) -> list[int]:
    """Return the start of one side with places changed, such as ``p6=6``."""
    counts = list(START_SIDE)
    for name, count in changes.items():
        counts[int(name[1:])] = count
    return counts


def codes(first: list[int], second: list[int]) -> list[str]:
    return [fault.code for fault in faults_of_counts(first, second)]


def test_the_start_has_no_fault_either_way():
    assert faults_of_points(START.points) == []
    assert position_of_counts(START_SIDE, START_SIDE) == START


def test_sixteen_checkers_are_named():
    assert [str(f) for f in faults_of_counts(side(p6=6), START_SIDE)] == ["White has 16 checkers, a side has 15"]
    assert codes(START_SIDE, side(p6=6)) == ["too_many"]


def test_checkers_that_are_nowhere_are_named():
    assert [str(f) for f in faults_of_counts(START_SIDE, side(p24=1))] == ["Black has 14 checkers, a side has 15"]


def test_both_colors_on_one_point_are_named_with_the_point():
    (fault,) = faults_of_counts(side(p13=4, p1=1), START_SIDE)
    assert (fault.code, fault.point, str(fault)) == (
        "both_on_point",
        1,
        "both colors stand on the 1-point of White",
    )


def test_both_sides_borne_off_cannot_be():
    gone = [15] + [0] * 25
    assert codes(gone, gone) == ["both_won"]
    assert codes(gone, START_SIDE) == ["game_over"]


def test_a_negative_number_of_checkers_is_named():
    assert codes(side(p6=-1), START_SIDE) == ["negative"]
    assert "Black has -2 checkers on the 24-point" in str(faults_of_counts(START_SIDE, side(p24=-2))[0])


def test_all_faults_are_named_at_once():
    assert codes(side(p6=6), side(p24=0, p19=1)) == ["too_many", "not_fifteen", "both_on_point"]


def test_both_on_the_bar_against_closed_boards_can_never_go_on():
    closed = [0, 2, 2, 2, 2, 2, 2] + [0] * 18 + [3]
    (fault,) = faults_of_counts(closed, closed)
    assert fault.code == "stuck"
    assert faults_of_counts(closed, [0, 2, 2, 2, 2, 2, 1] + [0] * 18 + [4]) == []


def test_lists_that_hold_no_counts_are_named():
    assert codes([0] * 25, START_SIDE) == ["places"]
    assert codes([*START_SIDE[:6], "5", *START_SIDE[7:]], START_SIDE) == ["not_a_count"]
    assert [f.code for f in faults_of_points([0] * 24)] == ["places"]
    assert [f.code for f in faults_of_points([0.5] + [0] * 25)] == ["not_a_count"]


def test_checkers_on_the_bar_of_the_other_side_are_named():
    points = list(START.points)
    points[0], points[25] = 1, -1
    assert [f.code for f in faults_of_points(points)][:2] == ["wrong_bar", "wrong_bar"]


def test_a_set_up_with_faults_is_no_position():
    with pytest.raises(InvalidPositionError, match="White has 16 checkers, a side has 15; both colors stand on"):
        position_of_counts(side(p6=5, p1=1), START_SIDE)


def test_every_position_in_play_has_no_fault():
    chance = random.Random(1)
    for _ in range(200):
        position = constructed_position(chance)
        assert faults_of_points(position.points) == []


def test_signed_points_and_two_lists_agree_on_what_is_a_position():
    chance = random.Random(2)
    for _ in range(200):
        position = constructed_position(chance)
        both = []
        for view in (position, position.turned()):
            both.append([view.off, *(max(0, n) for n in view.points[1:])])
        assert position_of_counts(*both) == Position(position.points)
