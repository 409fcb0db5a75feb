"""Laws of reconciling: every legal play reconciles to itself, and nothing else reconciles to a legal play."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_games import one_pip_off, turns
from simulated_eyes import dice_reading, observe

from controller.board import SITES, START_BOARD, Board, point_at
from controller.reconcile import (
    DEFAULT,
    Ambiguous,
    Completed,
    InProgress,
    Obscured,
    Unexplained,
    Unmoved,
    reconcile,
)
from controller.rules import Color, Roll, apply_move, legal_plays, parse_position

WHITE, BLACK = Color.WHITE, Color.BLACK
TURNS = list(turns(seed=7, games=4))


def low(board: Board) -> bool:
    """Whether no stack is so tall that the sixth checker would hide on top of it."""
    return max(map(abs, board.points)) <= 5


def results(board: Board, mover: Color, roll: Roll) -> list[Board]:
    return [Board.of(position, mover) for position in legal_plays(board.seen_by(mover), roll)]


def differing(one: Board, other: Board) -> set[int]:
    return {site for site in SITES if one.at(site) != other.at(site)}


@settings(max_examples=150)
@given(turn=st.sampled_from(TURNS), seed=st.integers(0, 2**32), noise=st.floats(0, 0.1))
def test_every_legal_play_reconciles_to_itself(turn: tuple[Board, Color, Roll], seed: int, noise: float) -> None:
    """Feature 20: what stands on the board is matched against the legal plays."""
    before, mover, roll = turn
    rng = random.Random(seed)
    boards = results(before, mover, roll) or [before]
    after = rng.choice(boards)
    verdict = reconcile(before, mover, roll, observe(after, noise=noise, rng=rng))
    if all(low(board) for board in (before, *boards)):
        assert isinstance(verdict, Completed)
    if isinstance(verdict, Completed):
        assert verdict.board == after
        assert verdict.roll == roll
    else:
        assert isinstance(verdict, Ambiguous)
        assert after in [choice.board for choice in verdict.choices]


@settings(max_examples=60)
@given(turn=st.sampled_from(TURNS), seed=st.integers(0, 2**32))
def test_a_play_reconciles_to_itself_when_only_the_dice_tell_the_roll(
    turn: tuple[Board, Color, Roll], seed: int
) -> None:
    before, mover, roll = turn
    rng = random.Random(seed)
    boards = results(before, mover, roll)
    if not boards or not all(low(board) for board in (before, *boards)):
        return
    after = rng.choice(boards)
    verdict = reconcile(before, mover, None, observe(after, rng=rng, dice=dice_reading(roll, mover=mover)))
    assert isinstance(verdict, Completed)
    assert (verdict.board, verdict.roll) == (after, roll)


@settings(max_examples=150)
@given(turn=st.sampled_from(TURNS), seed=st.integers(0, 2**32))
def test_a_play_one_pip_off_is_unexplained_and_names_exactly_the_wrong_sites(
    turn: tuple[Board, Color, Roll], seed: int
) -> None:
    before, mover, roll = turn
    rng = random.Random(seed)
    boards = results(before, mover, roll)
    if not boards:
        return
    wrong = one_pip_off(rng.choice(boards), mover, rng)
    if wrong is None or not low(wrong) or not low(before) or wrong in boards:
        return
    verdict = reconcile(before, mover, roll, observe(wrong, rng=rng))
    assert not isinstance(verdict, Completed)
    if isinstance(verdict, Unexplained):
        assert verdict.nearest is not None
        if low(verdict.nearest.board):
            assert set(verdict.sites) == differing(wrong, verdict.nearest.board)


@settings(max_examples=100)
@given(turn=st.sampled_from(TURNS), seed=st.integers(0, 2**32))
def test_half_a_play_is_in_progress_and_never_stored(turn: tuple[Board, Color, Roll], seed: int) -> None:
    """Report 12: half of a play must never be taken for the play."""
    before, mover, roll = turn
    plays = legal_plays(before.seen_by(mover), roll)
    longest = max(plays.values(), key=len, default=())
    if len(longest) < 2 or not low(before):
        return
    half = Board.of(apply_move(before.seen_by(mover), longest[0]), mover)
    verdict = reconcile(before, mover, roll, observe(half, rng=random.Random(seed)))
    if isinstance(verdict, InProgress):
        assert verdict.board == half
        assert verdict.done == longest[:1]
    else:
        assert isinstance(verdict, Ambiguous | Obscured) or not low(half)


@settings(max_examples=60)
@given(turn=st.sampled_from(TURNS), seed=st.integers(0, 2**32))
def test_an_unmoved_board_is_never_a_play(turn: tuple[Board, Color, Roll], seed: int) -> None:
    """Feature 24: lifted and put back is nothing."""
    before, mover, roll = turn
    if not low(before) or not results(before, mover, roll):
        return
    verdict = reconcile(before, mover, roll, observe(before, rng=random.Random(seed)))
    assert isinstance(verdict, Unmoved)


@settings(max_examples=100)
@given(turn=st.sampled_from(TURNS), seed=st.integers(0, 2**32), hidden=st.sets(st.integers(1, 24), max_size=24))
def test_a_verdict_is_the_truth_or_no_verdict_whatever_is_hidden(
    turn: tuple[Board, Color, Roll], seed: int, hidden: set[int]
) -> None:
    before, mover, roll = turn
    rng = random.Random(seed)
    after = rng.choice(results(before, mover, roll) or [before])
    verdict = reconcile(before, mover, roll, observe(after, rng=rng, hidden=hidden), turn_ended=True)
    if isinstance(verdict, Completed):
        assert verdict.board == after


def test_boards_that_differ_only_where_nothing_is_seen_are_obscured() -> None:
    after = Board.of(parse_position("-b----E-C---eE---c-e----B-"), WHITE)
    verdict = reconcile(after, WHITE, Roll(6, 1), observe(after, hidden=range(1, 25)))
    assert isinstance(verdict, Obscured)
    assert verdict.sites


def test_a_hand_over_the_board_gives_no_verdict() -> None:
    verdict = reconcile(START_BOARD, WHITE, Roll(6, 1), observe(START_BOARD, hand=True))
    assert verdict == Obscured(())


def test_several_sources_are_added_up() -> None:
    after = results(START_BOARD, WHITE, Roll(6, 1))[0]
    left = observe(after, hidden=range(1, 13))
    right = observe(after, hidden=range(13, 25))
    verdict = reconcile(START_BOARD, WHITE, Roll(6, 1), [left, right])
    assert isinstance(verdict, Completed)
    assert verdict.board == after


@pytest.mark.parametrize("mover", [WHITE, BLACK])
def test_a_sixth_checker_on_a_stack_is_carried_by_the_position(mover: Color) -> None:
    before = Board.of(parse_position("----e-G-C---aC---c-e-----A"), mover)
    roll = Roll(5, 3)
    for after in results(before, mover, roll):
        verdict = reconcile(before, mover, roll, observe(after))
        if isinstance(verdict, Completed):
            assert verdict.board == after
        else:
            assert isinstance(verdict, Ambiguous)
            assert after in [choice.board for choice in verdict.choices]


def test_the_probability_is_calibrated() -> None:
    rng = random.Random(11)
    claimed, right = 0.0, 0
    verdicts = 0
    for before, mover, roll in turns(seed=5, games=2):
        after = rng.choice(results(before, mover, roll) or [before])
        verdict = reconcile(before, mover, roll, observe(after, noise=0.25, rng=rng))
        if isinstance(verdict, Completed):
            verdicts += 1
            claimed += verdict.probability
            right += verdict.board == after
    assert verdicts > 100
    assert right >= claimed - 1


def test_a_margin_below_the_setting_is_asked() -> None:
    blurred = observe(results(START_BOARD, WHITE, Roll(6, 5))[0], noise=0.45, rng=random.Random(3))
    for seed in range(30):
        seen = observe(results(START_BOARD, WHITE, Roll(6, 5))[0], noise=0.45, rng=random.Random(seed))
        verdict = reconcile(START_BOARD, WHITE, Roll(6, 5), seen)
        if isinstance(verdict, Completed):
            assert verdict.margin >= DEFAULT.margin
    assert blurred.source == "simulated"


def test_points_are_named_as_sites_for_both_players() -> None:
    points = list(START_BOARD.points)
    points[12 - 1], points[14 - 1] = -4, -1
    assert point_at(SITES[12 - 1], BLACK) == 13
    verdict = reconcile(START_BOARD, BLACK, Roll(6, 1), observe(Board(tuple(points))))
    assert isinstance(verdict, Unexplained | Ambiguous)
    assert 14 in verdict.sites
