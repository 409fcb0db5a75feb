"""Plays, rolls and positions as text and back."""

import random

import pytest
from make_sample import constructed_position

from controller.errors import InvalidNotationError, InvalidPositionError
from controller.rules import (
    ALL_ROLLS,
    START,
    Move,
    Roll,
    legal_plays,
    parse_position,
    parse_roll,
    parse_steps,
    write_play,
)


def test_every_position_written_is_read_back():
    chance = random.Random(4)
    for _ in range(200):
        position = constructed_position(chance)
        assert parse_position(str(position)) == position


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-b----E", "a board text has 26 characters, got 7"),
        ("-b----E-C---eE---c-e----B?", "holds only"),
        ("-b----E-C---eE---c-e----P-", "holds only"),
    ],
)
def test_what_is_no_board_is_refused(text, message):
    with pytest.raises(InvalidNotationError, match=message):
        parse_position(text)


def test_sixteen_checkers_are_no_position():
    with pytest.raises(InvalidPositionError, match="the mover has 16 checkers"):
        parse_position("-b----F-C---eE---c-e----B-")
    with pytest.raises(InvalidPositionError, match="the opponent has 16 checkers"):
        parse_position("-b----E-C---fE---c-e----B-")


@pytest.mark.parametrize("text", ["63", "36", "6-3", " 3 6 ", "6,3", "6x3"])
def test_a_roll_is_read_in_any_order_and_spelling(text):
    assert parse_roll(text) == Roll(6, 3)


@pytest.mark.parametrize("text", ["", "7", "70", "631", "six-three"])
def test_what_is_no_roll_is_refused(text):
    with pytest.raises(InvalidNotationError, match="not a roll"):
        parse_roll(text)


def test_moves_of_one_checker_are_written_as_one_whatever_their_order():
    assert write_play((Move(14, 8), Move(19, 14))) == "19/8"
    assert write_play((Move(25, 20), Move(20, 15, hit=True))) == "bar/15*"
    assert write_play((Move(24, 20, hit=True), Move(20, 15, hit=True))) == "24/20*/15*"


def test_equal_moves_are_counted_and_share_their_hit():
    assert write_play((Move(6, 1, hit=True), Move(6, 1))) == "6/1*(2)"
    assert write_play((Move(13, 10), Move(10, 7), Move(13, 10))) == "13/7 13/10"


def test_no_play_is_written_and_read():
    assert write_play(()) == "Cannot Move"
    assert parse_steps("Cannot Move") == parse_steps("") == []


def test_steps_written_by_any_program_are_read():
    assert parse_steps("Bar/22 6/Off 8/5(2)") == [(25, 22), (6, 0), (8, 5), (8, 5)]
    assert parse_steps("24/20*/15*") == [(24, 20), (20, 15)]


@pytest.mark.parametrize("text", ["5/8", "26/20", "8-5", "8/5(", "bar", "8/8"])
def test_what_is_no_move_is_refused(text):
    with pytest.raises(InvalidNotationError, match="not a move"):
        parse_steps(text)


def test_no_two_results_of_a_roll_are_written_alike():
    chance = random.Random(6)
    for position in [START, *(constructed_position(chance) for _ in range(30))]:
        for roll in ALL_ROLLS:
            texts = [write_play(play) for play in legal_plays(position, roll).values()]
            assert len(texts) == len(set(texts)), (position, roll)
