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


def test_undoing_a_correction_lets_hold_again_what_it_took_out_and_keeps_what_came_since() -> None:
    """Feature 29: a double that was taken becomes a drop and a take again, with the plays after it."""
    desk = _two_plays()
    desk.tell(facts.CubeTurned(player=W, action="double"))
    desk.tell(facts.CubeTurned(player=B, action="take"))
    desk.tell(facts.Rolled(player=W, roll=Roll(6, 4)))
    before = desk.state.ledger
    desk.tell(events.Correct(of=desk.seq("cube", 2), content={"action": "drop"}))
    assert (desk.state.ledger.playing, desk.state.ledger.score()) == (False, (1, 0))
    undone = desk.state.ledger.changes[-1].seq
    assert not desk.tell(events.Correct(of=undone))
    assert desk.lines[-3]["undoes"] == undone
    assert desk.state.ledger.match == before.match
    desk.tell(_play(W, Roll(6, 4), desk.state.ledger.board, "24/14*"))
    desk.tell(events.Correct(of=desk.state.ledger.changes[-1].seq))
    assert desk.state.ledger.score() == (1, 0)
    desk.tell(events.Correct(of=desk.state.ledger.changes[-1].seq))
    assert [entry.fact.type for entry in desk.state.ledger.line[-3:]] == ["cube", "roll", "play"]


def test_what_was_taken_back_holds_again_when_that_is_undone() -> None:
    desk = _two_plays()
    before = desk.state.ledger
    desk.tell(events.Correct(of=desk.seq("play", 1), take_back=True))
    assert desk.state.ledger.board == START_BOARD
    assert not desk.tell(events.Correct(of=desk.state.ledger.changes[-1].seq))
    assert desk.state.ledger.match == before.match


def test_only_what_still_holds_as_it_was_corrected_can_be_undone() -> None:
    desk = _two_plays()
    desk.tell(events.Correct(of=desk.seq("play", 2), content={"play": "24/18 24/22"}))
    first = desk.state.ledger.changes[-1].seq
    desk.tell(events.Correct(of=desk.seq("play", 1), content={"play": "24/23 13/10"}))
    second = desk.state.ledger.changes[-1].seq
    assert desk.tell(events.Correct(of=first))
    assert desk.tell(events.Correct(of=second, take_back=True))
    assert not desk.tell(events.Correct(of=second))
    assert desk.tell(events.Correct(of=second))
    assert not desk.tell(events.Correct(of=first))
    assert desk.state.ledger.match == _two_plays().state.ledger.match


def test_a_match_that_was_not_won_after_all_goes_on() -> None:
    desk = _two_plays()
    desk.tell(facts.ScoreSet(score=(4, 4)))
    desk.tell(facts.Resigned(player=W, action="offer", level=1))
    desk.tell(facts.Resigned(player=B, action="accept"))
    assert desk.state.ledger.ended
    desk.tell(events.Correct(of=desk.seq("resignation", 2), content={"action": "refuse"}))
    assert (desk.state.ledger.ended, desk.state.ledger.playing) == (False, True)
    assert desk.lines[-1]["type"] == "resignation"


def test_scores_and_clocks_of_before_are_corrected_too() -> None:
    """Features 44 and 58: score and clock follow what the director says of an earlier event."""
    desk = _two_plays()
    desk.tell(facts.ScoreSet(score=(1, 3)))
    desk.tell(facts.Rolled(player=W, roll=Roll(6, 4)))
    desk.tell(events.Correct(of=desk.seq("score_set"), content={"score": [3, 1]}))
    assert desk.state.ledger.score() == (3, 1)
    assert desk.lines[-1]["type"] == "roll"
    clocked = Desk(
        _start(clock=ClockSetting("delay", delay_s=10.0)),
        facts.OpeningRolled(at_s=100.0, white=3, black=1),
        facts.ClockSet(at_s=120.0, action="edit", reserve_s=(60.0, 90.0)),
        _play(W, Roll(3, 1), START_BOARD, "8/5 6/5", at_s=125.0),
    )
    clocked.tell(events.Correct(of=clocked.seq("clock"), content={"reserve_s": [300.0, 90.0]}, at_s=130.0))
    assert clocked.state.ledger.clock.reserve_s == (295.0, 90.0)


def test_content_that_an_event_does_not_have_is_refused() -> None:
    desk = _two_plays()
    desk.tell(facts.ScoreSet(score=(1, 3)))
    for of, content in ((desk.seq("score_set"), {"white": 2}), (desk.seq("play", 1), {"action": "take"})):
        (reason,) = desk.tell(events.Correct(of=of, content=content))
        assert next(iter(content)) in reason


def test_a_play_that_hits_on_its_way_hits_there_after_every_correction() -> None:
    first = after(START_BOARD, W, "8/5 6/5")
    desk = Desk(
        _start(),
        facts.OpeningRolled(white=3, black=1),
        _play(W, Roll(3, 1), START_BOARD, "8/5 6/5"),
        facts.Rolled(player=B, roll=Roll(6, 2)),
        _play(B, Roll(6, 2), first, "24/22 13/7"),
    )
    desk.tell(facts.Rolled(player=W, roll=Roll(6, 4)))
    desk.tell(_play(W, Roll(6, 4), desk.state.ledger.board, "24/18* 18/14"))
    before = desk.state.ledger
    assert before.board.bar == (0, 1)
    for of in (desk.seq("opening_roll"), desk.seq("roll", 1), desk.seq("match_start")):
        desk.tell(events.Correct(of=of, content={}))
        assert desk.state.ledger.board == before.board
        assert desk.lines[-1]["play"] == "24/18*/14"


def test_time_that_was_taken_back_stays_off_the_clock_when_something_else_is_corrected() -> None:
    desk = Desk(
        _start(clock=ClockSetting("delay", delay_s=10.0)),
        facts.OpeningRolled(at_s=100.0, white=3, black=1),
        _play(W, Roll(3, 1), START_BOARD, "8/5 6/5", at_s=130.0),
    )
    desk.tell(events.Correct(of=desk.seq("play"), take_back=True, at_s=500.0))
    desk.tell(events.Correct(of=desk.seq("opening_roll"), content={"white": 4}, at_s=505.0))
    clock = desk.state.ledger.clock
    assert (clock.reserve_s, clock.running, clock.since_s) == ((580.0, 600.0), W, 500.0)


def test_the_start_of_a_match_is_corrected_and_that_is_undone() -> None:
    """Feature 52."""
    desk = _two_plays()
    before = desk.state.ledger
    desk.tell(events.Correct(of=1, content={"length": 7}))
    assert desk.state.ledger.match is not None
    assert desk.state.ledger.match.length == 7
    assert not desk.tell(events.Correct(of=desk.state.ledger.changes[-1].seq))
    assert desk.state.ledger.match == before.match
