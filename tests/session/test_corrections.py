"""Corrections: derived again, never erased; what viewers are sent is the new line."""

from __future__ import annotations

from typing import Any

import pytest

from controller.board import START_BOARD, Board
from controller.rules import Color, Roll
from controller.session import events, facts
from controller.session.clock import ClockSetting
from controller.session.effects import Emit, Refuse
from controller.session.events import Event
from controller.session.ledger import replayed
from controller.session.record import record_of
from controller.session.settings import Settings
from controller.session.state import State
from controller.session.step import step
from tests.simulated import after

W, B = Color.WHITE, Color.BLACK


class Desk:
    """A table that is only told things."""

    def __init__(self, *done: Event) -> None:
        self.state = State()
        self.lines: list[dict[str, Any]] = []
        self.at_s = 0.0
        for event in done:
            assert not self.tell(event)

    def tell(self, event: Event) -> list[str]:
        self.state, effects = step(self.state, event)
        self.lines += [dict(effect.body) for effect in effects if isinstance(effect, Emit)]
        assert replayed(self.lines) == self.state.ledger
        return [effect.reason for effect in effects if isinstance(effect, Refuse)]

    def seq(self, kind: str, number: int = 1) -> int:
        """Return the number of the n-th event of a type that still holds."""
        holds = {entry.seq for entry in self.state.ledger.line}
        return [line["seq"] for line in self.lines if line["type"] == kind and line["seq"] in holds][number - 1]


def _start(**policy: Any) -> facts.MatchStarted:
    return facts.MatchStarted(
        match_id="m", players=("A", "B"), length=5, settings=Settings(dice="keyed", **policy)
    )


def _play(player: Color, roll: Roll, board: Board, text: str, at_s: float = 0.0) -> facts.Played:
    return facts.Played(at_s=at_s, player=player, roll=roll, play=text, position=after(board, player, text))


def _two_plays() -> Desk:
    first = after(START_BOARD, W, "8/5 6/5")
    return Desk(
        _start(),
        facts.OpeningRolled(white=3, black=1),
        _play(W, Roll(3, 1), START_BOARD, "8/5 6/5"),
        facts.Rolled(player=B, roll=Roll(6, 2)),
        _play(B, Roll(6, 2), first, "24/18 13/11"),
    )


def test_everything_after_a_corrected_play_is_derived_again() -> None:
    desk = _two_plays()
    before = len(desk.lines)
    desk.tell(events.Correct(of=desk.seq("play", 1), content={"play": "24/23 13/10"}))
    sent = desk.lines[before:]
    assert [line["type"] for line in sent] == ["correction", "play", "roll", "play"]
    assert [line["seq"] for line in sent] == list(range(before + 1, before + 5))
    board = after(after(START_BOARD, W, "24/23 13/10"), B, "24/18 13/11")
    assert desk.state.ledger.board == board
    assert desk.lines[:before] == _two_plays().lines


def test_later_plays_keep_their_moves_and_lose_hits_that_did_not_happen() -> None:
    first = after(START_BOARD, W, "24/21 6/5")
    desk = Desk(
        _start(),
        facts.OpeningRolled(white=3, black=1),
        _play(W, Roll(3, 1), START_BOARD, "24/21 6/5"),
        facts.Rolled(player=B, roll=Roll(4, 1)),
        _play(B, Roll(4, 1), first, "8/4* 24/23"),
    )
    assert desk.state.ledger.board.bar == (1, 0)
    desk.tell(events.Correct(of=desk.seq("play", 1), content={"play": "24/20"}))
    last = desk.lines[-1]
    assert (last["type"], last["play"], last["illegal"]) == ("play", "24/23 8/4", False)
    assert desk.state.ledger.board.bar == (0, 0)


def test_an_order_that_cannot_be_carried_out_changes_nothing() -> None:
    desk = _two_plays()
    ledger = desk.state.ledger
    for order in (
        events.Correct(of=999, content={"play": "24/18"}),
        events.Correct(of=desk.seq("play", 1), content={"play": "24/10"}),
        events.Correct(of=desk.seq("play", 1), content={"play": "no move at all"}),
        events.Correct(of=desk.seq("roll", 1), content={"roll": [9, 9]}),
        events.Correct(of=1, content=None),
    ):
        assert desk.tell(order)
        assert desk.state.ledger is ledger


def test_a_roll_and_its_play_are_corrected_together() -> None:
    desk = _two_plays()
    desk.tell(events.Correct(of=desk.seq("play", 2), content={"play": "24/18 13/10", "roll": [6, 3]}))
    assert [line["type"] for line in desk.lines[-3:]] == ["correction", "roll", "play"]
    assert desk.lines[-1]["roll"] == [6, 3]


def test_a_corrected_result_changes_the_score_and_the_next_game() -> None:
    desk = _two_plays()
    desk.tell(facts.Resigned(player=W, action="offer", level=1))
    desk.tell(facts.Resigned(player=B, action="accept"))
    desk.tell(facts.GameStarted())
    assert desk.state.ledger.score() == (0, 1)
    desk.tell(events.Correct(of=desk.seq("game_end"), content={"points": 4, "kind": "gammon"}))
    assert desk.state.ledger.score() == (0, 4)
    assert desk.state.ledger.game is not None
    assert desk.state.ledger.game.crawford


def test_taking_back_goes_on_from_there_with_the_clock_of_then() -> None:
    first = after(START_BOARD, W, "8/5 6/5")
    desk = Desk(
        _start(clock=ClockSetting("delay", delay_s=10.0)),
        facts.OpeningRolled(at_s=100.0, white=3, black=1),
        _play(W, Roll(3, 1), START_BOARD, "8/5 6/5", at_s=130.0),
        facts.Rolled(at_s=140.0, player=B, roll=Roll(6, 2)),
        _play(B, Roll(6, 2), first, "24/18 13/11", at_s=160.0),
    )
    desk.tell(events.Correct(of=desk.seq("play", 1), take_back=True, at_s=500.0))
    clock = desk.state.ledger.clock
    assert clock.reserve_s == (600.0 - 20.0, 600.0)
    assert (clock.running, clock.since_s) == (W, 500.0)
    assert desk.state.ledger.board == START_BOARD


def test_a_record_holds_what_counts_after_all_corrections() -> None:
    desk = _two_plays()
    desk.tell(events.Correct(of=desk.seq("play", 1), content={"play": "24/23 13/10"}))
    desk.tell(facts.CubeTurned(player=W, action="double"))
    desk.tell(facts.CubeTurned(player=B, action="drop"))
    (game,) = record_of(desk.state.ledger).games
    assert [str(action) for action in game.actions] == [
        "31: 24/23 13/10",
        "62: 24/18 13/11",
        "double to 2",
        "drop",
    ]
    assert (game.winner, game.points, game.how) == (W, 1, "drop")


@pytest.mark.parametrize("content", [{"play": "8/5 6/4", "illegal": True}, {"play": "8/5 6/4"}])
def test_an_illegal_correction_must_say_so(content: dict[str, Any]) -> None:
    desk = _two_plays()
    refused = desk.tell(events.Correct(of=desk.seq("play", 1), content=content))
    assert bool(refused) != ("illegal" in content)
    if not refused:
        assert desk.state.ledger.board.points[3] == 1
