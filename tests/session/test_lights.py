"""Lights: sites named, players walked back, hints in lessons only, and none in a tournament."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from controller.board import START_BOARD, Board, Site
from controller.rules import Color, Roll, legal_plays
from controller.session import facts
from controller.session.lights import lights_of, misplaced
from controller.session.settings import Settings
from controller.session.state import State
from controller.session.step import step
from tests.simulated import after

W, B = Color.WHITE, Color.BLACK


def _moving(board: Board, roll: Roll, **policy: Any) -> State:
    """Return a state in which White has to play `roll` from `board`."""
    state = State()
    settings = Settings(dice="keyed", **policy)
    for event in (
        facts.MatchStarted(match_id="m", players=("A", "B"), length=3, settings=settings),
        facts.PositionSet(position=board, turn=W),
        facts.Rolled(player=W, roll=roll, source="keyed"),
    ):
        state, _ = step(state, event)
    assert state.ledger.game is not None
    assert state.ledger.game.roll == roll
    return state


def _random_board(rng: random.Random) -> Board:
    """Return a board some random plays after the start."""
    position = START_BOARD.seen_by(W)
    for _ in range(rng.randint(0, 30)):
        plays = sorted(legal_plays(position, Roll.of(rng.randint(1, 6), rng.randint(1, 6))), key=str)
        after_play = rng.choice(plays) if plays else position
        if after_play.on_board < 3:
            break
        position = after_play.turned()
    return Board.of(position, W)


def test_in_tournament_mode_lights_depend_on_nothing_but_what_is_public() -> None:
    """Any two states with the same turn and the same call light the same, whatever can be played."""
    rng = random.Random(3)
    for _ in range(60):
        roll = Roll.of(rng.randint(1, 6), rng.randint(1, 6))
        one = _moving(_random_board(rng), roll, tournament=True, hints="all")
        shown = lights_of(one)
        assert shown.lights == ()
        assert shown.turn is W
        call = facts.IllegalSeen(player=W, sites=(Site(4), Site(5)), nearest="8/5 6/5")
        called = replace(one, ledger=replace(one.ledger, question=call))
        other_call = replace(call, nearest="13/9", nearest_position=_random_board(rng), stands=_random_board(rng))
        also_called = replace(one, ledger=replace(one.ledger, question=other_call))
        assert lights_of(called) == lights_of(also_called)
        assert [site for site, _ in lights_of(called).lights] == [4, 5]
        assert all(light.towards is None for _, light in lights_of(called).lights)


@pytest.mark.parametrize(
    ("level", "sites"),
    [
        ("off", []),
        ("checkers", [6, 8, 13, 24]),
        ("points", [4, 5, 6, 7, 11, 22, 23]),
    ],
)
def test_lessons_show_what_the_level_allows(level: str, sites: list[int]) -> None:
    state = _moving(START_BOARD, Roll(2, 1), hints=level)
    lit = [int(site) for site, _ in lights_of(state).lights]
    assert lit == sites


def test_players_are_walked_from_the_wrong_site_to_the_right_one() -> None:
    """Feature 28."""
    state = _moving(START_BOARD, Roll(3, 1))
    call = facts.IllegalSeen(
        player=W,
        sites=(Site(4), Site(5)),
        nearest_position=after(START_BOARD, W, "8/5 6/5"),
        stands=after(START_BOARD, W, "8/5 6/4"),
    )
    lights = dict(lights_of(replace(state, ledger=replace(state.ledger, question=call))).lights)
    assert (lights[Site(4)].effect, lights[Site(4)].towards) == ("chase", 5)
    assert misplaced(call.stands or START_BOARD, call.nearest_position or START_BOARD) == [(4, 5)]


def test_what_only_the_director_may_know_lights_nothing() -> None:
    state = _moving(START_BOARD, Roll(3, 1))
    call = facts.IllegalSeen(player=W, sites=(Site(4),), audience="director")
    assert lights_of(replace(state, ledger=replace(state.ledger, question=call))).lights == ()
