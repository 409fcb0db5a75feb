"""The desk's door on a real table with a real journal: every command goes through the session's own rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.app import create_app, create_desk_app
from api.door import Limits
from api.tokens import Person, Role, Tokens
from controller.rules import Color, Roll, legal_plays, write_play
from controller.storage import Journal
from controller.table import Table
from tests.api.serving import Served

LIMITS = Limits(burst=100_000, per_s=100_000)
START = {"players": {"white": "Ann", "black": "Bob"}, "length": 5, "clock": "singles"}


class Evening:
    """A table without camera or board, steered from the desk alone."""

    def __init__(self, folder: Path) -> None:
        self.journal = Journal.open(folder / "journal.sqlite")
        self.table = Table(self.journal, simulated=True)
        tokens = Tokens({})
        token = tokens.add(Person("Eve", Role.ADMIN))
        apps = create_app(self.table, limits=LIMITS), create_desk_app(self.table, tokens, limits=LIMITS)
        self.served = Served(*apps)
        self.viewer = httpx.Client(base_url=self.served.url)
        self.desk = httpx.Client(base_url=self.served.url_of(1), headers={"Authorization": f"Bearer {token}"})

    def give(self, name: str, body: Any = None, status: int = 200, based: bool = False) -> dict[str, Any]:
        headers = {"If-Match": self.snapshot_answer().headers["ETag"]} if based else {}
        answer = self.desk.post(f"/api/v1/desk/{name}", json=body or {}, headers=headers)
        assert answer.status_code == status, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def snapshot_answer(self) -> httpx.Response:
        return self.viewer.get("/api/v1/snapshot")

    def snapshot(self) -> dict[str, Any]:
        told: dict[str, Any] = self.snapshot_answer().json()
        return told

    def close(self) -> None:
        self.viewer.close()
        self.desk.close()
        self.served.close()
        self.journal.close()


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path)
    yield made
    made.close()


def play_once(evening: Evening, roll: tuple[int, int]) -> str:
    """Roll and play for whoever is on turn; return the play."""
    now = evening.snapshot()
    player = now["position"]["turn"]
    if now["roll"] is None:
        evening.give("roll", {"player": player, "roll": list(roll)})
    rolled = Roll.of(*evening.snapshot()["roll"])
    board = evening.table.snapshot().board
    play = next(iter(legal_plays(board.seen_by(Color(player)), rolled).values()))
    text = write_play(play)
    evening.give("play", {"player": player, "play": text})
    return text


def test_before_the_first_match_the_table_waits(evening: Evening) -> None:
    assert evening.snapshot()["phase"] == "waiting"
    assert evening.viewer.get("/api/v1/events").json() == []
    assert evening.viewer.get("/api/v1/record.mat").status_code == 404
    assert evening.viewer.get("/api/v1/match").json()["games"] == []
    assert evening.viewer.get("/api/v1/position.svg").status_code == 200


def test_a_match_is_played_corrected_and_kept_from_the_desk(evening: Evening) -> None:
    evening.give("start_match", {**START, "rules": "no_such_rules"}, 422)
    evening.give("start_match", {**START, "length": 3})
    evening.give("start_match", START)
    evening.give("opening_roll", {"white": 6, "black": 3})
    evening.give("start_match", START, 409)
    assert evening.snapshot()["roll"] == [6, 3]
    assert [evening.journal.last_seq(match) for match in evening.journal.matches()] == [3, 3]
    first = play_once(evening, (6, 3))
    assert evening.snapshot()["last_play"]["play"] == first
    assert evening.snapshot()["position"]["turn"] == "black"
    play_once(evening, (4, 2))
    play_once(evening, (5, 1))

    events = evening.viewer.get("/api/v1/events?limit=500").json()
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    second = [event for event in events if event["type"] == "play"][1]
    before = evening.table.snapshot_at(second["seq"] - 1)
    others = legal_plays(before.board.seen_by(Color.BLACK), Roll.of(4, 2))
    other = next(text for text in map(write_play, others.values()) if text != second["play"])
    evening.give("correct", {"of": second["seq"], "play": other, "why": "both agree"}, based=True)
    line = evening.viewer.get("/api/v1/games/1/events").json()
    assert [event["play"] for event in line if event["type"] == "play"][1] == other

    mat = evening.viewer.get("/api/v1/record.mat")
    assert mat.status_code == 200
    assert "5 point match" in mat.text
    assert "Ann" in mat.text
    assert mat.headers["Content-Disposition"].endswith('.mat"')
    assert evening.viewer.get("/api/v1/record.sgf").text.startswith("(;")
    assert evening.viewer.get("/api/v1/record.json").json()
    again = evening.viewer.get("/api/v1/record.mat", headers={"If-None-Match": mat.headers["ETag"]})
    assert again.status_code == 304


def test_the_cube_and_a_drop_end_the_game_and_the_next_begins(evening: Evening) -> None:
    evening.give("start_match", START)
    evening.give("opening_roll", {"white": 2, "black": 5})
    play_once(evening, (5, 2))
    evening.give("cube", {"player": "black", "action": "double"}, 409)
    evening.give("cube", {"player": "white", "action": "double"})
    assert evening.snapshot()["cube"]["offered_by"] == "white"
    evening.give("cube", {"player": "black", "action": "drop"})
    now = evening.snapshot()
    assert now["score"] == {"white": 1, "black": 0}
    evening.give("start_game")
    assert evening.snapshot()["game"] == 2
    match = evening.viewer.get("/api/v1/match").json()
    assert (match["games"][0]["winner"], match["games"][0]["points"]) == ("white", 1)
    evening.give("set_score", {"score": {"white": 3, "black": 2}, "why": "wrong sheet"}, based=True)
    assert evening.snapshot()["score"] == {"white": 3, "black": 2}
    evening.give("end_match", {"reason": "the club closes"})
    assert evening.snapshot()["phase"] == "match_over"


def test_cube_actions_results_scores_and_clocks_of_before_are_corrected_from_the_desk(evening: Evening) -> None:
    """Features 29, 44 and 58; what is corrected can be undone."""

    def number(kind: str) -> int:
        events = evening.viewer.get("/api/v1/games/1/events").json()
        return next(event["seq"] for event in reversed(events) if event["type"] == kind)

    evening.give("start_match", START)
    evening.give("clock", {"action": "edit", "reserve_s": [500, 400]})
    evening.give("opening_roll", {"white": 2, "black": 5})
    play_once(evening, (5, 2))
    evening.give("cube", {"player": "white", "action": "double"})
    evening.give("cube", {"player": "black", "action": "drop"})
    assert evening.snapshot()["score"] == {"white": 1, "black": 0}
    evening.give("correct", {"of": number("cube"), "action": "take"}, based=True)
    assert (evening.snapshot()["score"]["white"], evening.snapshot()["cube"]["value"]) == (0, 2)
    evening.give("correct", {"of": number("correction")}, based=True)
    assert evening.snapshot()["score"]["white"] == 1
    result = {"winner": "black", "points": 2, "kind": "gammon"}
    evening.give("correct", {"of": number("game_end"), "result": result}, based=True)
    assert evening.snapshot()["score"] == {"white": 0, "black": 2}
    evening.give("set_score", {"score": {"white": 3, "black": 2}}, based=True)
    evening.give("correct", {"of": number("score_set"), "score": {"white": 2, "black": 3}}, based=True)
    assert evening.snapshot()["score"] == {"white": 2, "black": 3}
    evening.give("correct", {"of": 3, "reserve_s": [450, 400]}, based=True)
    assert evening.snapshot()["clock"]["reserve_s"]["white"] == pytest.approx(450, abs=1)
    evening.give("correct", {"of": number("opening_roll"), "opening": {"white": 1, "black": 5}}, based=True)
    evening.give("correct", {"of": 1, "length": 7, "players": {"white": "Ann", "black": "Eve"}}, based=True)
    assert (evening.snapshot()["length"], evening.snapshot()["players"]["black"]) == (7, "Eve")
    evening.give("correct", {"of": number("play"), "score": {"white": 2, "black": 3}}, 409, based=True)


def test_the_same_players_play_again_and_call_the_director(evening: Evening) -> None:
    """Feature 98: whoever is at the table can call."""
    evening.give("rematch", status=409)
    evening.give("start_match", {**START, "length": 1, "moves": "responsible"})
    evening.give("rematch", status=409)
    evening.give("opening_roll", {"white": 2, "black": 5})
    evening.give("call_director", {"player": "white"})
    assert evening.snapshot()["clock"]["paused"] == "director"
    evening.give("resign", {"player": "white", "action": "offer"})
    evening.give("resign", {"player": "black", "action": "accept"})
    first = evening.snapshot()
    evening.give("rematch", {"length": 3})
    again = evening.snapshot()
    assert (again["players"], again["length"], again["score"]) == (START["players"], 3, {"white": 0, "black": 0})
    assert again["match_id"] != first["match_id"]
    assert evening.table.state.ledger.settings.moves == "responsible"


def test_the_clock_is_paused_edited_and_goes_on(evening: Evening) -> None:
    evening.give("start_match", START)
    evening.give("opening_roll", {"white": 2, "black": 5})
    assert evening.snapshot()["clock"]["reserve_s"]["white"] == pytest.approx(600, abs=1)
    evening.give("clock", {"action": "pause", "reason": "fallen dice"})
    assert evening.snapshot()["clock"]["paused"] == "fallen dice"
    evening.give("clock", {"action": "edit", "reserve_s": [500, 400]})
    evening.give("clock", {"action": "resume"})
    clock = evening.snapshot()["clock"]
    assert clock["paused"] is None
    assert clock["reserve_s"]["black"] == pytest.approx(400, abs=1)


def test_a_position_is_set_and_time_travel_still_knows_the_one_before(evening: Evening) -> None:
    evening.give("start_match", START)
    evening.give("opening_roll", {"white": 6, "black": 3})
    play_once(evening, (6, 3))
    seq = evening.snapshot()["seq"]
    points = [0] * 24
    points[0], points[23] = 2, -2
    evening.give("set_position", {"position": {"points": points}, "turn": "black"}, based=True)
    assert evening.snapshot()["position"]["off"] == {"white": 13, "black": 13}
    old = evening.viewer.get(f"/api/v1/position?seq={seq}").json()
    assert old["off"] == {"white": 0, "black": 0}


def test_a_condoned_play_goes_into_the_record(evening: Evening) -> None:
    evening.give("start_match", START)
    evening.give("opening_roll", {"white": 6, "black": 3})
    evening.give("play", {"player": "white", "play": "24/20 13/10"}, 409)
    evening.give("play", {"player": "white", "play": "24/20 13/10", "condoned": True})
    play = evening.viewer.get("/api/v1/events?limit=500").json()[-1]
    assert play["illegal"] is True
    assert evening.viewer.get("/api/v1/record.mat").status_code == 200
