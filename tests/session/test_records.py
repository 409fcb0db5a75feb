"""What the session recorded, as a record that other programs open."""

from __future__ import annotations

from typing import Any

from controller.board import START_BOARD, Board
from controller.records.mat_read import read_mat
from controller.records.mat_write import write_mat
from controller.records.record import MatchRecord, Resign, SetUp, Turn
from controller.records.replay import replay_match
from controller.rules import Color, Move, Roll, apply_play
from controller.session import facts
from controller.session.clock import ClockSetting
from controller.session.facts import (
    CubeTurned,
    Fact,
    GameEnded,
    GameStarted,
    OpeningRolled,
    Played,
    PositionSet,
    Resigned,
    Rolled,
)
from controller.session.ledger import Ledger, apply
from controller.session.record import record_of
from controller.session.settings import Settings
from tests.handling import Evening

WHITE, BLACK = Color.WHITE, Color.BLACK
OPENED = Board.of(apply_play(START_BOARD.seen_by(WHITE), (Move(8, 5), Move(6, 5))), WHITE)
OPENING = (
    OpeningRolled(white=3, black=1),
    Played(player=WHITE, roll=Roll(3, 1), play="8/5 6/5", position=OPENED, time_s=7.25),
)


def recorded(*told: Fact, **started: Any) -> MatchRecord:
    ledger = Ledger()
    first = facts.MatchStarted(**{"match_id": "m", "players": ("Ann", "Bob"), "length": 0, **started})
    for fact in (first, GameStarted(), *told):
        ledger = apply(ledger, fact)
    return record_of(ledger)


def test_the_keys_that_an_event_overrides_stand_in_the_record_with_its_profile() -> None:
    record = recorded(rules="classic", keys={"gammon": 2, "crawford": True}, length=3)
    assert record.rules == "classic gammon=2"
    assert record.crawford
    assert recorded(keys={"jacoby": "on"}).jacoby


def test_automatic_doubles_are_recorded_with_the_cube_they_leave() -> None:
    record = recorded(OpeningRolled(white=4, black=4), *OPENING, keys={"automatic_doubles": "1"})
    first, second = record.games[0].actions
    assert first == SetUp(board=START_BOARD, cube_value=2)
    assert isinstance(second, Turn)


def test_the_time_of_a_turn_is_recorded() -> None:
    """Feature 64."""
    record = recorded(*OPENING, settings=Settings(clock=ClockSetting("delay")))
    assert record.games[0].actions[0].note.used_s == 7.25


def test_a_roll_after_which_a_player_resigned_is_recorded_without_a_play() -> None:
    resigned = (
        Rolled(player=BLACK, roll=Roll(6, 6)),
        Resigned(player=BLACK, action="offer", level=2),
        Resigned(player=WHITE, action="accept", level=2),
        GameEnded(winner=WHITE, points=2, kind="gammon", ending="resignation"),
    )
    (game,) = recorded(*OPENING, *resigned).games
    assert game.actions[1:] == (Turn(player=BLACK, dice=(6, 6)), Resign(player=BLACK, level=2))
    assert (game.winner, game.points, game.how) == (WHITE, 2, "resignation")


def test_a_game_that_the_director_awards_says_so_whether_it_was_over_or_not() -> None:
    awarded = GameEnded(winner=BLACK, points=3, kind="backgammon", ending="resignation", awarded=True)
    dropped = (
        CubeTurned(player=BLACK, action="double", value=2),
        CubeTurned(player=WHITE, action="drop", value=2),
        GameEnded(winner=BLACK, points=1, kind="single", ending="drop"),
    )
    for before in ((), dropped):
        record = recorded(*OPENING, *before, awarded, length=7)
        (game,) = record.games
        assert (game.winner, game.points, game.how) == (BLACK, 3, "director")
        assert record.score == (0, 3)


def test_a_game_that_began_from_a_set_position_is_recorded_from_there() -> None:
    set_up = PositionSet(position=OPENED, turn=BLACK, why="start")
    (game,) = recorded(set_up, position=OPENED, turn=BLACK).games
    assert [(each.board, each.turn) for each in game.actions if isinstance(each, SetUp)] == [(OPENED, BLACK)]


def test_a_dance_without_dice_and_a_roll_told_by_the_play_are_recorded_as_such() -> None:
    closed = Board((*[0] * 5, 14, *[0] * 6, -3, *[0] * 5, *[-2] * 6), (1, 0))
    told = (
        PositionSet(position=closed, turn=WHITE),
        Played(player=WHITE, roll=None, play="Cannot Move", position=closed),
    )
    dance = recorded(*told).games[0].actions[-1]
    assert isinstance(dance, Turn)
    assert (dance.play, dance.note.comment) == ((), "danced, no dice were seen")
    played = Played(player=WHITE, roll=Roll(3, 1), play="8/5 6/5", position=OPENED, roll_certain=False)
    (turn,) = recorded(OPENING[0], played).games[0].actions
    assert turn.note.comment == "roll worked out from the play"


def test_a_condoned_play_is_marked_in_the_record_and_the_rest_replays() -> None:
    """Report 25: an illegal but condoned move made the upload fail."""
    evening = Evening(12, policy="condoned", illegal=0.2, dice="keyed")
    counts = evening.play()
    record = record_of(evening.state.ledger)
    (game,) = record.games
    condoned = [action for action in game.actions if getattr(action, "condoned", False)]
    assert condoned
    assert counts.wrong == 0
    replayed = replay_match(record)
    ends = [moment.after for moment in replayed.games[0].moments]
    assert ends[-1] == evening.truth[-1]
    assert game.winner is not None


def test_a_clean_game_comes_back_from_its_match_text() -> None:
    evening = Evening(31, illegal=0.0, dice="keyed")
    evening.play()
    record = record_of(evening.state.ledger)
    again = read_mat(write_mat(record).text)
    assert not again.problems
    assert [str(a) for a in again.record.games[0].actions] == [str(a) for a in record.games[0].actions]
