"""Turns behind a blocked camera whose rolls were entered: recorded where exactly one line leads to the board."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

import pytest

from controller.board import START_BOARD, Board
from controller.ports import Pressed, Watched
from controller.reconcile import DEFAULT, Evidence
from controller.reconcile.lines import before_last
from controller.reconcile.reach import Reach
from controller.rules import Color, Move, Position, Roll, apply_play, legal_plays, parse_position
from controller.session import events, facts
from controller.session.settings import Settings
from controller.session.state import State
from controller.session.step import step
from tests.reconcile.random_games import turns
from tests.simulated import observe

Unseen = tuple[Board, Color, list[Roll], list[Board]]
"""A board, who is on turn, and the rolls of several turns with what stood there after each."""


def unseen_turns(seed: int, count: int) -> Unseen:
    """Return some turns in a row of a random game."""
    played = list(turns(seed))
    first = random.Random(seed).randrange(len(played) - count)
    some = played[first : first + count + 1]
    before, mover, _ = some[0]
    return before, mover, [roll for _, _, roll in some[:-1]], [board for board, _, _ in some[1:]]


def recorded(before: Board, mover: Color, rolls: Sequence[Roll], end: Board) -> list[Board]:
    """Return what the record says after each turn: all were played while the camera was blocked."""
    clock = itertools.count(1)
    settings = Settings(dice="keyed")
    start = facts.MatchStarted(
        match_id="m", players=("A", "B"), length=5, settings=settings, position=before, turn=mover
    )
    told: list[events.Event] = [start, events.Observed(observe(before, next(clock))), Watched("lost", next(clock))]
    for roll, player in zip(rolls, itertools.cycle((mover, mover.opponent)), strict=False):
        told.append(facts.Rolled(player=player, roll=roll, at_s=next(clock)))
        told.append(Pressed("clock", player, next(clock)))
    told += [Watched("found", next(clock)), events.Observed(observe(end, next(clock)))]
    state = State()
    for event in told:
        state, _ = step(state, event)
    return [entry.fact.position for entry in state.ledger.line if isinstance(entry.fact, facts.Played)]


def lines(position: Position, rolls: Sequence[Roll]) -> Iterator[tuple[Position, ...]]:
    """Yield what stands there after each turn of every line of legal plays, as its mover counts."""
    for after in legal_plays(position, rolls[0]) or {position: ()}:
        if len(rolls) == 1:
            yield (after,)
        else:
            yield from ((after, *rest) for rest in lines(after.turned(), rolls[1:]))


def looks(position: Position) -> tuple[int, ...]:
    """Return counts as a camera tells them apart: a stack of five looks like any higher one."""
    return tuple(max(-5, min(5, n)) for n in position.points)


@pytest.mark.parametrize("seed", range(12))
def test_three_unseen_turns_are_recorded_when_one_line_fits(seed: int) -> None:
    before, mover, rolls, played = unseen_turns(seed, 3)
    found = recorded(before, mover, rolls, played[-1])
    assert found == played[: len(found)]
    seen = looks(played[-1].seen_by(mover))
    fitting = [line for line in lines(before.seen_by(mover), rolls) if looks(line[-1]) == seen]
    if len(fitting) == 1:
        assert found[:2] == played[:2]  # the last turn is judged by what stands there, as any other


@pytest.mark.parametrize("count", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(100, 108))
def test_no_number_of_unseen_turns_is_recorded_otherwise_than_played(count: int, seed: int) -> None:
    before, mover, rolls, played = unseen_turns(seed, count)
    found = recorded(before, mover, rolls, played[-1])
    assert found == played[: len(found)]


@pytest.mark.parametrize(("seed", "count"), [(117, 4), (1010, 5)])
def test_unseen_turns_are_not_recorded_as_one_wrong_play(seed: int, count: int) -> None:
    before, mover, rolls, played = unseen_turns(seed, count)
    found = recorded(before, mover, rolls, played[-1])
    assert found == played[: len(found)]


def test_turns_are_not_followed_that_may_have_led_anywhere() -> None:
    unseen = Evidence.of([])
    boards = before_last([START_BOARD], Color.WHITE, [Roll(1, 1), Roll(2, 2), Roll(1, 1)], unseen)
    assert not boards
    firsts = before_last([START_BOARD], Color.WHITE, [Roll(2, 1), Roll(3, 1)], unseen)
    assert len(firsts) == len(legal_plays(START_BOARD.seen_by(Color.WHITE), Roll(2, 1)))


def test_who_was_seen_to_be_passed_by_did_not_move_first() -> None:
    before = Board.of(parse_position("-b----D-D---cE-A----bbbbbA"), Color.WHITE)
    answered = Board.of(apply_play(before.seen_by(Color.BLACK), (Move(24, 23), Move(24, 21))), Color.BLACK)
    after = Board.of(apply_play(answered.seen_by(Color.WHITE), (Move(25, 19), Move(15, 11))), Color.WHITE)
    settings = Settings(dice="manual")
    start = facts.MatchStarted(
        match_id="m", players=("A", "B"), length=5, settings=settings, position=before, turn=Color.WHITE
    )
    seen = ((before, 1.0), (answered, 2.0), (after, 3.0))
    told: list[events.Event] = [start, *(events.Observed(observe(board, at_s)) for board, at_s in seen)]
    state = State()
    for event in [*told, Pressed("clock", Color.WHITE, 4.0), events.Observed(observe(after, 4.2))]:
        state, _ = step(state, event)
    assert not any(isinstance(entry.fact, facts.Played) for entry in state.ledger.line)
    assert isinstance(state.ledger.question, facts.Asked)


@pytest.mark.parametrize("seed", range(200, 230))
def test_what_was_played_is_within_reach_of_what_is_seen(seed: int) -> None:
    _, mover, rolls, played = unseen_turns(seed, 5)
    reach = Reach.of(Evidence.of(observe(played[-1], 0.0)), DEFAULT)
    for number, board in enumerate(played[:-1], 1):
        assert reach.holds(board.seen_by(mover), mover, rolls[number:])
        mover = mover.opponent
