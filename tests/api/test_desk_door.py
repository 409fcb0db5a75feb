"""The desk's door: tokens, roles, bases, keys, and what commands become."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import iter_route_contexts
from fastapi.staticfiles import StaticFiles
from starlette.routing import Mount, WebSocketRoute
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from api.app import create_app, create_desk_app
from api.door import Limits
from api.stream import LiveStream
from api.tokens import Person, Role, Tokens
from controller.errors import ConfigError
from controller.rules import Color, legal_plays, write_play
from controller.session.facts import CubeTurned, MatchStarted, Played, Rolled
from tests.api.scripted import ScriptedTable, with_clock
from tests.api.serving import Served

LIMITS = Limits(burst=100_000, per_s=100_000)


class Room:
    """A table, its desk door, and a token of each role."""

    def __init__(self) -> None:
        self.table = ScriptedTable()
        self.tokens = Tokens({})
        self.of = {role: self.tokens.add(Person(role.name.lower(), role)) for role in list(Role)[1:]}
        self.app = create_desk_app(self.table, self.tokens, limits=LIMITS)
        self.served = Served(self.app)
        self.client = httpx.Client(base_url=self.served.url)

    def post(self, name: str, body: Any, role: Role | None = Role.ADMIN, **headers: str) -> httpx.Response:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if role is not None:
            given["Authorization"] = f"Bearer {self.of[role]}"
        return self.client.post(f"/api/v1/desk/{name}", json=body, headers=given)

    def socket(self, origin: str | None = None) -> ClientConnection:
        address = self.served.url.replace("http", "ws") + "/api/v1/desk/socket"
        return connect(address, origin=origin, proxy=None)

    def tag(self) -> str:
        return self.client.get("/api/v1/snapshot").headers["ETag"]


@pytest.fixture
def room() -> Iterator[Room]:
    made = Room()
    yield made
    made.client.close()
    made.served.close()


def run(room: Room, turns: int = 1) -> None:
    """Let plays happen at the table."""
    room.served.call(room.table.play_many(turns))


START = {"players": {"white": "Ann", "black": "Bob"}, "length": 7}


def test_a_command_becomes_an_event_and_returns_its_number(room: Room) -> None:
    answer = room.post("start_match", START, Role.SCORER)
    assert answer.status_code == 200, answer.text
    receipt = answer.json()
    assert receipt["seq"] == room.table.snapshot().seq == 1
    assert receipt["event_id"] == f"{room.table.snapshot().match_id}:1"
    assert receipt["snapshot"]["players"] == START["players"]
    started = room.table.submitted[-1]
    assert isinstance(started, MatchStarted)
    assert (started.players, started.length, len(started.match_id)) == (("Ann", "Bob"), 7, 26)


def test_a_match_follows_its_rules_unless_the_desk_says_otherwise(room: Room) -> None:
    for more, moves, hints, clock in (
        ({"rules": "touch-move"}, "strict", "checkers", "turn"),
        ({"rules": "touch-move", "moves": "legal", "hints": "off", "clock": "none"}, "legal", "off", "none"),
        (
            {"keys": {"hints": "all", "illegal_plays": "responsible", "clock": "delay"}},
            "responsible",
            "all",
            "delay",
        ),
        ({"rules": "tournament", "clock": "singles"}, "legal", "off", "delay"),
    ):
        assert room.post("start_match", {**START, "length": 5, **more}, Role.SCORER).status_code == 200
        started = room.table.submitted[-1]
        assert isinstance(started, MatchStarted)
        settings = started.settings
        assert (settings.moves, settings.hints, settings.clock.kind) == (moves, hints, clock)
        assert started.keys == more.get("keys", {})
        assert settings.tournament is (started.rules == "tournament")
    answer = room.post("start_match", {**START, "keys": {"jacobi": True}}, Role.SCORER)
    assert (answer.status_code, "jacobi" in answer.text) == (422, True)


def test_nobody_acts_without_a_token(room: Room) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic YTpi"}):
        answer = room.client.post("/api/v1/desk/start_match", json=START, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert answer.headers["Content-Type"] == "application/problem+json"
    assert room.table.submitted == []


def test_a_token_in_the_address_or_a_cookie_is_no_token(room: Room) -> None:
    token = room.of[Role.ADMIN]
    assert room.client.post(f"/api/v1/desk/start_match?token={token}", json=START).status_code == 401
    cookie = {"Cookie": f"token={token}"}
    assert room.client.post("/api/v1/desk/start_match", json=START, headers=cookie).status_code == 401


def test_every_mutating_route_refuses_without_a_token_and_below_its_role(room: Room) -> None:
    document = room.client.get("/api/v1/openapi.json").json()
    mutating = [
        (method, path)
        for path, methods in document["paths"].items()
        for method in methods
        if method not in ("get", "head")
    ]
    assert len(mutating) > 15
    for method, path in mutating:
        bare = room.client.request(method, path.replace("{name}", "x"), json={})
        assert bare.status_code == 401, path
    director_only = ("correct", "set_score", "set_position", "condone", "end_match")
    for name in director_only:
        assert room.post(name, {}, Role.SCORER).status_code == 403
    assert room.post("people", {"name": "x", "role": "admin"}, Role.DIRECTOR).status_code == 403
    assert room.table.submitted == []


def test_the_viewers_door_has_no_mutating_route() -> None:
    app = create_app(ScriptedTable())
    for route in iter_route_contexts(app.router.routes):
        found = route.original_route
        assert not isinstance(found, WebSocketRoute)
        if isinstance(found, Mount):
            assert isinstance(found.app, StaticFiles)
        elif isinstance(getattr(found, "app", None), LiveStream):
            assert route.path.endswith("/live")
        else:
            assert route.methods
            assert set(route.methods) <= {"GET", "HEAD"}, route.path
    served = Served(app)
    client = httpx.Client(base_url=served.url)
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        for path in ("/", "/api/v1/live", "/api/v1/position", "/static/icon.svg", "/healthz"):
            assert client.request(method, path).status_code == 405, (method, path)
        assert client.request(method, "/api/v1/desk/start_match").status_code == 404
    client.close()
    served.close()


def test_guessing_tokens_is_slowed_down(room: Room) -> None:
    statuses = [
        room.client.get("/api/v1/desk/me", headers={"Authorization": f"Bearer {n}"}).status_code for n in range(8)
    ]
    assert statuses == [401] * 5 + [429] * 3
    good = {"Authorization": f"Bearer {room.of[Role.SCORER]}"}
    assert room.client.get("/api/v1/desk/me", headers=good).json() == {"name": "scorer", "role": "scorer"}


def test_what_the_session_refuses_is_a_conflict_with_its_reason(room: Room) -> None:
    answer = room.post("cube", {"player": "white", "action": "take"})
    assert answer.status_code == 409
    assert "not allowed" in answer.json()["detail"]


def test_a_write_based_on_an_old_event_is_refused(room: Room) -> None:
    run(room)
    old = room.tag()
    run(room)
    score = {"score": {"white": 1, "black": 2}}
    assert room.post("set_score", score).status_code == 428
    answer = room.post("set_score", score, if_match=old)
    assert answer.status_code == 412
    assert answer.headers["ETag"] == room.tag()
    assert room.post("set_score", score, if_match=room.tag()).status_code == 200
    assert room.table.snapshot().score == (1, 2)


def test_a_retry_with_the_same_key_is_not_done_twice(room: Room) -> None:
    run(room)
    turn = room.table.snapshot().turn
    assert turn is not None
    body = {"player": turn.value, "action": "double"}
    first = room.post("cube", body, idempotency_key="m:9")
    again = room.post("cube", body, idempotency_key="m:9")
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    assert sum(isinstance(event, CubeTurned) for event in room.table.submitted) == 1
    other = room.post("cube", {**body, "action": "take"}, idempotency_key="m:9")
    assert other.status_code == 422


def test_a_keyed_roll_and_play_reach_the_table(room: Room) -> None:
    run(room)
    turn = room.table.snapshot().turn
    assert turn is not None
    assert room.post("roll", {"player": turn.value, "roll": [3, 1]}).status_code == 200
    assert isinstance(room.table.submitted[-1], Rolled)
    roll = room.table.snapshot().roll
    assert roll is not None
    plays = legal_plays(room.table.snapshot().board.seen_by(turn), roll)
    after, play = next(iter(plays.items()))
    answer = room.post("play", {"player": turn.value, "play": write_play(play)})
    assert answer.status_code == 200, answer.text
    played = room.table.submitted[-1]
    assert isinstance(played, Played)
    assert not played.illegal
    assert played.position.seen_by(turn) == after


def test_an_illegal_play_is_refused_unless_it_is_condoned(room: Room) -> None:
    run(room)
    turn = room.table.snapshot().turn
    assert turn is not None
    room.post("roll", {"player": turn.value, "roll": [2, 1]})
    board = room.table.snapshot().board
    moved = board.seen_by(turn)
    source = max(point for point in range(1, 26) if moved.points[point] > 0)
    target = next(p for p in range(source - 4, 0, -1) if moved.points[p] >= 0)
    body = {"player": turn.value, "play": f"{source}/{target}"}
    assert room.post("play", body).status_code == 409
    assert room.post("play", {**body, "condoned": True}).status_code == 200
    played = room.table.submitted[-1]
    assert isinstance(played, Played)
    assert played.illegal


def test_the_clock_is_paused_with_a_reason(room: Room) -> None:
    room.served.call(room.table.put({"type": "clock"}, clock=with_clock()))
    assert room.post("clock", {"action": "pause", "reason": "fallen die"}).status_code == 200
    assert room.client.get("/api/v1/snapshot").json()["clock"]["paused"] == "fallen die"
    assert room.post("clock", {"action": "edit"}).status_code == 422
    assert room.post("clock", {"action": "hit"}).status_code == 422


def test_people_get_tokens_and_lose_them(room: Room) -> None:
    made = room.post("people", {"name": "Eve", "role": "scorer"})
    assert made.status_code == 201
    header = {"Authorization": f"Bearer {made.json()['token']}"}
    assert room.client.get("/api/v1/desk/me", headers=header).json() == {"name": "Eve", "role": "scorer"}
    admin = {"Authorization": f"Bearer {room.of[Role.ADMIN]}"}
    assert room.client.delete("/api/v1/desk/people/Eve", headers=admin).status_code == 204
    assert room.client.get("/api/v1/desk/me", headers=header).status_code == 401
    assert room.client.delete("/api/v1/desk/people/Eve", headers=admin).status_code == 404
    assert room.client.delete("/api/v1/desk/people/admin", headers=admin).status_code == 409


def test_the_first_token_is_shown_once_and_stored_as_a_hash(tmp_path: Path) -> None:
    path = tmp_path / "desk.json"
    tokens, first = Tokens.open(path)
    assert first is not None
    assert first not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    again, none = Tokens.open(path)
    assert none is None
    assert again.person(first) == tokens.person(first) == Person("admin", Role.ADMIN)
    path.write_text("{")
    with pytest.raises(ConfigError, match=r"desk\.json"):
        Tokens.open(path)


def test_the_socket_says_nothing_before_the_token(room: Room) -> None:
    with room.socket() as socket:
        socket.send(json.dumps({"token": "wrong"}))
        with pytest.raises(ConnectionClosed) as gone:
            socket.recv(5)
    assert gone.value.rcvd is not None
    assert gone.value.rcvd.code == 4401


def test_the_socket_refuses_a_page_of_another_origin(room: Room) -> None:
    with pytest.raises(InvalidStatus):
        room.socket("http://evil.example")


def test_the_socket_tells_everything_and_takes_commands(room: Room) -> None:
    hidden = {"type": "illegal", "audience": "director", "sites": [6]}
    room.served.call(room.table.put(hidden, turn=Color.WHITE))
    with room.socket(room.served.url) as socket:
        socket.send(json.dumps({"token": room.of[Role.SCORER]}))
        welcome = hear(socket)
        assert {**welcome, "rules": []} == {
            "kind": "welcome", "name": "scorer", "role": "scorer", "camera": False, "rules": []
        }  # fmt: skip
        assert "international" in welcome["rules"]
        assert hear(socket)["event"]["sites"] == [6]
        assert hear(socket)["snapshot"]["seq"] == 1
        say(socket, {"id": 1, "command": "cube", "body": {"player": "white", "action": "double"}})
        assert sorted(hear(socket)["kind"] for _ in range(3)) == ["event", "reply", "snapshot"]
        wrong = (
            ({"id": 2, "command": "nothing"}, 404),
            ({"id": 3, "command": "set_score", "body": {}}, 403),
            ({"id": 4, "command": "cube", "body": {"player": "red"}}, 422),
            ({"id": 5, "command": "cube", "body": {"player": "black", "action": "drop"}}, 409),
        )
        for message, status in wrong:
            say(socket, message)
            reply = hear(socket)
            assert (reply["id"], reply["problem"]["status"]) == (message["id"], status)
        socket.send("[" * 5000)
        assert hear(socket)["problem"]["status"] == 404


def say(socket: ClientConnection, message: dict[str, Any]) -> None:
    socket.send(json.dumps(message))


def hear(socket: ClientConnection) -> dict[str, Any]:
    heard: dict[str, Any] = json.loads(socket.recv(5))
    return heard


def test_what_is_for_the_director_alone_reaches_no_viewer(room: Room) -> None:
    secret = {"type": "illegal", "audience": "director", "sites": [6], "nearest": "13/7 8/7"}
    room.served.call(room.table.put(secret, question=secret))
    shown = room.client.get("/api/v1/events").json()
    assert shown == [{"seq": 1, "type": "withheld"}]
    assert room.client.get("/api/v1/snapshot").json()["question"] is None


def test_hints_reach_no_viewer(room: Room) -> None:
    room.served.call(room.table.put({"type": "note", "equity": 0.1, "win_chance": 0.6, "sub": [{"hint": "13/7"}]}))
    text = json.dumps(room.client.get("/api/v1/events").json())
    assert "equity" not in text
    assert "win_chance" not in text
    assert "hint" not in text
