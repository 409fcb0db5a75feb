"""A position taken from the board: every fault is named, what cannot be counted is asked, nothing is guessed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.board import START_BOARD, Board
from controller.rules import Color
from controller.session import events, facts
from controller.session.effects import Refuse
from controller.session.settings import Settings
from controller.session.state import State
from controller.session.step import step
from tests.simulated import bar_reading, observe, site_reading

MATCH = facts.MatchStarted(
    at_s=0.0, match_id="m", players=("A", "B"), length=3, settings=Settings(dice="keyed", next_game=False)
)


def scanned(seen: object) -> tuple[State, facts.Asked]:
    state, _ = step(State(), MATCH)
    state, _ = step(state, events.Observed(seen))  # type: ignore[arg-type]  # an observation, some with faults
    state, effects = step(state, events.Scanned(2.0))
    assert not [effect for effect in effects if isinstance(effect, Refuse)]
    question = state.ledger.question
    assert isinstance(question, facts.Asked)
    assert question.about == "scan"
    return state, question


def test_the_start_position_is_offered_to_both_players_and_counts_once_confirmed() -> None:
    state, question = scanned(observe(START_BOARD, 1.0))
    assert [choice.text for choice in question.choices] == ["white to roll", "black to roll", "no, leave it"]
    state, _ = step(state, events.Chosen(1, 3.0))
    game = state.ledger.game
    assert game is not None
    assert game.turn is Color.BLACK
    assert state.ledger.board == START_BOARD


def test_every_fault_is_named_and_there_is_nothing_to_confirm() -> None:
    seen = observe(START_BOARD, 1.0, hidden=frozenset({3, 4}))
    sites = list(seen.sites)
    sites[7] = site_reading(5)
    sites[8] = site_reading(2)
    _, question = scanned(replace(seen, sites=tuple(sites)))
    assert question.choices == ()
    assert question.sites == (3, 4)
    for words in ("site 3 cannot be read", "site 4 cannot be read", "White has 19 checkers"):
        assert words in question.text


def test_what_is_missing_is_off_or_on_the_stack_that_is_too_tall_to_count() -> None:
    points = [0] * 24
    points[5], points[4], points[18] = 7, 4, -4
    _, question = scanned(observe(Board(tuple(points)), 1.0))
    boards = {choice.position for choice in question.choices} - {None}
    assert {(board.points[5], board.off(Color.WHITE)) for board in boards if board} == {(5, 6), (11, 0)}
    assert {board.off(Color.BLACK) for board in boards if board} == {11}


def test_two_stacks_too_tall_to_count_have_to_be_set_by_hand() -> None:
    points = [0] * 24
    points[5], points[4], points[18] = 6, 6, -4
    _, question = scanned(observe(Board(tuple(points)), 1.0))
    assert question.choices == ()
    assert "by hand" in question.text


def test_an_unclear_count_is_a_fault_until_it_is_seen_clearly() -> None:
    seen = observe(START_BOARD, 1.0)
    values = list(seen.sites[0].log_likelihoods)
    values[-2 + 15] = values[-1 + 15] - 0.5
    blurred = replace(seen, sites=(replace(seen.sites[0], log_likelihoods=tuple(values)), *seen.sites[1:]))
    _, question = scanned(blurred)
    assert question.sites == (1,)
    assert question.choices == ()


def test_a_checker_on_the_bar_is_taken_over() -> None:
    seen = observe(START_BOARD, 1.0)
    sites = (*seen.sites[:23], site_reading(1))
    state, _ = scanned(replace(seen, sites=sites, bar=(bar_reading(1), bar_reading(0))))
    state, _ = step(state, events.Chosen(0, 3.0))
    assert state.ledger.board.bar == (1, 0)


@pytest.mark.parametrize("moved", [True, False])
def test_without_a_still_board_there_is_nothing_to_scan(moved: bool) -> None:
    state, _ = step(State(), MATCH)
    if moved:
        state, _ = step(state, events.Observed(observe(START_BOARD, 1.0)))
        state, _ = step(state, events.Observed(observe(START_BOARD, 1.5, hand=True)))
    state, effects = step(state, events.Scanned(2.0))
    assert [effect for effect in effects if isinstance(effect, Refuse)]
    assert state.ledger.question is None
