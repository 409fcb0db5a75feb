"""Legal plays: laws, the hand-made cases, the data sets, and counts that a second engine confirms."""

import gzip
import json
import random
from pathlib import Path

import brute_force
import pytest
from make_sample import constructed_position, peer_results, played_positions

from controller.rules import (
    ALL_ROLLS,
    START,
    Move,
    Roll,
    accepted_plays,
    apply_move,
    apply_play,
    first_steps,
    legal_plays,
    next_steps,
    parse_position,
    write_play,
)

START_COUNTS = {
    "11": 42,
    "21": 15,
    "22": 75,
    "31": 16,
    "32": 17,
    "33": 73,
    "41": 14,
    "42": 18,
    "43": 17,
    "44": 52,
    "51": 8,
    "52": 8,
    "53": 9,
    "54": 9,
    "55": 4,
    "61": 10,
    "62": 14,
    "63": 14,
    "64": 14,
    "65": 7,
    "66": 11,
}
"""Distinct results of each roll from the start position, as gvformat.legality counts them."""


def written(board: str, high: int, low: int, rules: str = "strict") -> list[str]:
    plays = legal_plays(parse_position(board), Roll.of(high, low), rules)
    return sorted(write_play(play) for play in plays.values())


def random_positions(count: int, seed: int):
    chance = random.Random(seed)
    half = count // 2
    return [chance.choice(played_positions(chance)) for _ in range(half)] + [
        constructed_position(chance) for _ in range(half)
    ]


def test_counts_of_all_rolls_from_the_start_are_those_of_a_second_engine():
    counts = {str(roll): len(legal_plays(START, roll)) for roll in ALL_ROLLS}
    assert counts == {str(roll): len(peer_results(START, roll)) for roll in ALL_ROLLS}
    assert counts == START_COUNTS


def test_results_of_every_roll_from_random_positions_are_those_of_a_second_engine():
    for position in random_positions(12, seed=3):
        for roll in ALL_ROLLS:
            assert sorted(map(str, legal_plays(position, roll))) == peer_results(position, roll), (position, roll)


@pytest.mark.parametrize("must_use", ["strict", "old_english"])
def test_results_are_those_of_a_search_straight_from_the_rule_text(must_use):
    for position in random_positions(30, seed=13):
        for roll in ALL_ROLLS:
            found = set(legal_plays(position, roll, must_use))
            assert found == brute_force.results(position, roll, must_use), (str(position), roll)


def test_every_play_applied_gives_its_position_and_keeps_thirty_checkers():
    for position in random_positions(30, seed=5):
        for roll in ALL_ROLLS:
            for result, play in legal_plays(position, roll).items():
                assert apply_play(position, play) == result
                off = sum(move.target == 0 for move in play)
                assert position.on_board - result.on_board == off
                assert position.opponent_on_board == result.opponent_on_board
                assert [m.hit for m in play].count(True) == position.points[0] - result.points[0]


def test_first_steps_are_exactly_the_steps_that_some_order_of_a_legal_play_begins():
    for position in random_positions(16, seed=7):
        for roll in ALL_ROLLS:
            plays = legal_plays(position, roll)
            steps = {(source, target) for source, target, _ in first_steps(position, roll)}
            assert bool(steps) == bool(plays)
            for play in plays.values():
                assert tuple(play[0][:2]) in steps


def test_following_next_steps_always_ends_in_a_legal_play():
    chance = random.Random(9)
    for position in random_positions(30, seed=11):
        for must_use in ("strict", "old_english"):
            roll = chance.choice(ALL_ROLLS)
            plays = legal_plays(position, roll, must_use)
            made: tuple[Move, ...] = ()
            while steps := next_steps(position, roll, made, must_use):
                source, target, _ = chance.choice(steps)
                hit = target > 0 and apply_play(position, made).points[target] == -1
                made = (*made, Move(source, target, hit))
            assert apply_play(position, made) in plays if plays else not made


def test_sample_rows_have_exactly_their_results():
    with (Path(__file__).parent / "data" / "legal_plays.jsonl").open() as lines:
        for row in map(json.loads, lines):
            found = legal_plays(parse_position(row["board"]), Roll.of(*row["dice"]))
            assert sorted(map(str, found)) == row["results"], row


def test_larger_die_must_be_played_when_only_one_fits():
    """Feature 41."""
    assert written("------------b-------A--ef-", 5, 3) == ["20/15"]


def test_both_numbers_must_be_played_when_one_order_allows_it():
    assert written("---------------b----A--ef-", 5, 3) == ["20/12"]


def test_a_checker_on_the_bar_enters_before_anything_else_moves():
    assert all(text.startswith("bar/") for text in written("-b----E-C---eE---c-e----AA", 6, 3))


def test_nobody_enters_a_closed_board():
    assert written("-----E-----------A-bbbbbbA", 6, 5) == []


def test_a_larger_number_bears_off_from_the_highest_point_only():
    assert written("--AA----------------------", 6, 5) == ["3/off 2/off"]
    assert written("--Ab--A-------------------", 3, 3) == []


def test_the_game_ends_with_the_last_checker_whatever_is_left_to_play():
    assert written("-AA------------------ccde-", 3, 3) == ["2/off 1/off"]


def test_old_english_rules_let_the_first_number_strand_the_second():
    board = "-bA---A-----------------e-"
    assert written(board, 5, 2) == ["6/off"]
    assert written(board, 5, 2, "old_english") == ["2/off", "6/off"]


def test_old_english_rules_still_demand_the_higher_number_when_only_one_fits():
    assert written("------------b-------A--ef-", 5, 3, "old_english") == ["20/15"]


def test_a_win_with_one_number_is_accepted_from_a_board_but_not_offered():
    last = parse_position("-aA---------------------m-")
    offered, accepted = legal_plays(last, Roll.of(4, 1)), accepted_plays(last, Roll.of(4, 1))
    assert [write_play(play) for play in offered.values()] == ["2/1*/off"]
    assert sorted(write_play(play) for play in accepted.values()) == ["2/1*/off", "2/off"]


def test_a_blot_in_the_way_can_be_hit_or_passed_and_both_are_plays():
    assert written("---------------a----A---e-", 5, 3) == ["20/12", "20/15*/12"]


def test_a_move_from_an_empty_point_is_refused():
    with pytest.raises(ValueError, match="no checker of the mover on place 2"):
        apply_move(START, Move(2, 1))


@pytest.mark.needs_shared
def test_all_hand_made_cases_hold(shared: Path):
    cases = json.loads((shared / "rules" / "tricky.json").read_text())["plays"]
    assert cases
    for case in cases:
        rule = "old_english" if case["rule"] == "old_english" else "strict"
        plays = legal_plays(parse_position(case["board"]), Roll.of(*case["dice"]), rule)
        by_board = {str(position): write_play(play) for position, play in plays.items()}
        assert sorted(by_board) == sorted(case["results"]), case["name"]
        for board, move in zip(case["results"], case["moves"], strict=True):
            assert move is None or by_board[board] == move, case["name"]
        assert max(map(len, plays.values()), default=0) == case["dice_used"], case["name"]


@pytest.mark.needs_shared
def test_all_rows_of_the_shared_positions_are_exact(shared: Path):
    with gzip.open(shared / "rules" / "legal_positions.jsonl.gz", "rt") as lines:
        for row in map(json.loads, lines):
            position, roll = parse_position(row["board"]), Roll.of(*row["dice"])
            found = sorted((str(result), write_play(play)) for result, play in legal_plays(position, roll).items())
            assert [board for board, _ in found] == row["results"], row["id"]
            assert [text for _, text in found] == row["moves"], row["id"]
            assert [list(step) for step in first_steps(position, roll)] == row["first_steps"], row["id"]


@pytest.mark.needs_shared
def test_all_rows_of_the_old_english_positions_are_exact(shared: Path):
    with gzip.open(shared / "rules" / "old_english.jsonl.gz", "rt") as lines:
        for row in map(json.loads, lines):
            position, roll = parse_position(row["board"]), Roll.of(*row["dice"])
            assert sorted(map(str, legal_plays(position, roll))) == sorted(row["standard"])
            assert sorted(map(str, legal_plays(position, roll, "old_english"))) == sorted(row["old_english"])
