"""Records made of the events that a table sends."""

from dataclasses import replace
from typing import Any

from random_record import events_of, random_match, record_of

from controller.board import START_BOARD, Board
from controller.records import (
    CubeAction,
    GameRecord,
    MatchRecord,
    RecordBuilder,
    Resign,
    SetUp,
    Turn,
    record_from_events,
    replay_match,
)
from controller.rules import Color, Move, legal_plays, parse_steps, profile, write_play
from controller.rules.position import START, Roll

W, B = Color.WHITE, Color.BLACK


def play(seq: int, player: str, roll: list[int], text: str, **more: Any) -> dict[str, Any]:
    return {"seq": seq, "type": "play", "game": 1, "player": player, "roll": roll, "play": text, **more}


EVENTS = (
    {"seq": 1, "type": "opening_roll", "game": 1, "white": 3, "black": 1},
    play(2, "white", [3, 1], "8/5 6/5"),
    play(3, "black", [4, 2], "8/4 6/4"),
    {"seq": 4, "type": "cube", "game": 1, "player": "white", "action": "double", "value": 2},
    {"seq": 5, "type": "cube", "game": 1, "player": "black", "action": "drop", "value": 2},
    {"seq": 6, "type": "game_end", "game": 1, "winner": "white", "points": 1, "kind": "single"},
    {"seq": 7, "type": "question", "text": "?"},
    {"seq": 8, "type": "opening_roll", "game": 2, "white": 1, "black": 6},
)


def test_the_events_of_a_game_make_a_record() -> None:
    record = record_from_events(EVENTS, ("Ann", "Bob"), 5, date="2026-11-29")
    first, second = record.games
    assert [str(action) for action in first.actions] == ["31: 8/5 6/5", "42: 8/4 6/4", "double to 2", "drop"]
    assert (first.winner, first.points, first.how, first.score_after) == (W, 1, "drop", (1, 0))
    assert second.score == (1, 0)
    assert second.winner is None
    assert (record.players, record.length, record.date) == (("Ann", "Bob"), 5, "2026-11-29")


def test_a_correction_takes_the_events_from_its_number_out() -> None:
    builder = RecordBuilder(("Ann", "Bob"), 5)
    for event in EVENTS[:3]:
        builder.add(event)
    builder.add({"seq": 9, "type": "correction", "of": 2})
    builder.add(play(10, "white", [3, 1], "24/20"))
    (game,) = builder.record().games
    assert [str(action) for action in game.actions] == ["31: 24/20"]


def test_an_illegal_play_that_stands_is_kept_as_its_position() -> None:
    board = Board.of(START, W)
    wrong = Board(tuple(n - (at == 12) + (at == 2) for at, n in enumerate(board.points)))
    event = play(2, "white", [3, 1], "", illegal=True, position=wrong.to_json())
    (game,) = record_from_events([EVENTS[0], event], length=5).games
    assert game.actions == (Turn(player=W, dice=(3, 1), condoned=True, after=wrong),)


def test_a_withdrawn_double_and_roll_leave_no_trace() -> None:
    rolled = {"type": "roll", "player": "white", "roll": [6, 5]}
    withdrawn = [
        {"type": "cube", "player": "white", "action": "double", "value": 2},
        {"type": "cube", "player": "white", "action": "withdraw"},
        rolled,
        {"type": "roll_withdrawn", "player": "white", "roll": [6, 5], "reason": "cocked"},
    ]
    (game,) = record_from_events([*EVENTS[:3], *withdrawn]).games
    assert len(game.actions) == 2


def test_a_roll_before_a_resignation_is_kept() -> None:
    given_up = [
        {"type": "roll", "player": "white", "roll": [6, 5]},
        {"type": "resignation", "player": "white", "action": "offer", "level": 2},
        {"type": "resignation", "player": "black", "action": "accept", "level": 2},
        {"type": "game_end", "winner": "black", "points": 2, "kind": "gammon", "ending": "resignation"},
    ]
    (game,) = record_from_events([*EVENTS[:3], *given_up]).games
    assert game.actions[2:] == (Turn(player=W, dice=(6, 5)), Resign(player=W, level=2))
    assert (game.winner, game.points, game.how) == (B, 2, "resignation")


def test_clock_and_time_come_with_a_play() -> None:
    event = play(2, "white", [3, 1], "8/5 6/5", time_s=4.5, clock_s=[80, 120], at="2026-11-29T20:00:00+00:00")
    (game,) = record_from_events([event]).games
    note = game.actions[0].note
    assert (note.used_s, note.clock_s, note.at) == (4.5, (80.0, 120.0), "2026-11-29T20:00:00+00:00")


def test_automatic_doubles_and_set_positions_are_kept() -> None:
    start = {"type": "match_start", "players": ["A", "B"], "length": 0, "keys": {"automatic_doubles": 1}}
    tie = {"type": "opening_roll", "white": 2, "black": 2}
    scanned = {"type": "position_set", "position": START_BOARD.to_json(), "turn": "black"}
    record = record_from_events([start, tie, tie, EVENTS[0], scanned])
    (game,) = record.games
    assert game.actions[0] == SetUp(board=START_BOARD, cube_value=2)
    assert game.actions[-1] == SetUp(board=START_BOARD, turn=B)
    assert record.rules == "international automatic_doubles=1"


def test_strange_events_are_skipped() -> None:
    strange: list[dict[str, Any]] = [
        {},
        {"type": None},
        {"type": "play"},
        {"type": "play", "player": "green", "roll": [1, 2]},
        {"type": "play", "player": "white", "roll": [0, 9]},
        {"type": "play", "player": "white", "roll": "65", "play": 4},
        {"type": "cube", "player": "white", "action": "steal"},
        {"type": "game_end"},
        {"type": "match_start", "players": 3, "length": "x", "score": [1]},
        {"type": "finish"},
        {"type": "take"},
    ]
    assert record_from_events(strange).games == ()


def test_the_record_of_a_random_match_has_its_score() -> None:
    for seed in range(20):
        played = random_match(profile("international"), seed, length=3)
        record = record_of(played)
        lost = played.match.results[-1].match_lost
        assert lost or record.score == tuple(played.match.score)
        assert [game.turns > 0 for game in record.games] == [True] * len(played.games)


def test_a_record_can_be_asked_for_after_every_event() -> None:
    builder = RecordBuilder()
    for event in events_of(random_match(profile("international"), 3, length=1)):
        builder.add(event)
        builder.record()
    assert builder.record().games[-1].winner is not None


def test_every_legal_opening_play_is_taken_as_its_text() -> None:
    for end, moves in legal_plays(START, Roll.of(6, 1)).items():
        event = play(1, "white", [6, 1], write_play(moves), position=Board.of(end, W).to_json())
        turn = record_from_events([event]).games[0].actions[0]
        assert isinstance(turn, Turn)
        assert not turn.condoned
        assert parse_steps(write_play(turn.play or ())) == parse_steps(write_play(moves))
        assert all(isinstance(move, Move) for move in turn.play or ())


def test_cube_actions_have_the_value_on_offer() -> None:
    (game, _) = record_from_events(EVENTS).games
    assert game.actions[2] == CubeAction(player=W, word="double", value=2)


def test_moves_of_an_illegal_play_are_kept_only_where_they_lead_to_its_position() -> None:
    board = Board.of(START, W)
    after = Board(tuple(n - (at in (12, 7)) + (at in (6, 4)) for at, n in enumerate(board.points)))
    moves = (Move(13, 7), Move(8, 5))
    other = Turn(player=W, dice=(3, 1), play=(Move(13, 12),), condoned=True, after=after)
    for turn, play in ((replace(other, play=moves), moves), (other, None)):
        record = replay_match(MatchRecord(games=(GameRecord(actions=(turn,)),))).record
        (kept,) = record.games[0].actions
        assert isinstance(kept, Turn)
        assert (kept.play, kept.condoned, kept.after) == (play, True, None if play else after)
