"""The live stream: snapshot on join, numbered events, resuming, slow viewers, stale tables."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator
from types import MethodType, SimpleNamespace
from typing import Any

import pytest

from api.app import create_app
from api.stream import RING, Hub, chunked_transport
from controller.session.facts import MatchStarted
from controller.session.snapshot import snapshot_json
from tests.api.scripted import ScriptedTable
from tests.api.serving import Served


class Stream:
    """Reads one live stream with the standard library alone."""

    def __init__(self, url: str, after: int | None = None, query: str = "") -> None:
        host, port = url.removeprefix("http://").split(":")
        self.connection = http.client.HTTPConnection(host, int(port), timeout=60)
        headers = {} if after is None else {"Last-Event-ID": str(after)}
        self.connection.request("GET", f"/api/v1/live{query}", headers=headers)
        self.response = self.connection.getresponse()

    def next(self, kind: str | None = None) -> dict[str, Any]:
        """Return the next message, or the next of one kind, as its fields."""
        while True:
            message: dict[str, Any] = {}
            while line := self.response.readline().decode().rstrip("\n"):
                name, _, value = line.partition(": ")
                message[name] = json.loads(value) if name == "data" else value
            assert message, "the stream ended"
            if "event" in message and kind in (None, message["event"]):
                return message

    def close(self) -> None:
        self.response.close()
        self.connection.close()


@pytest.fixture
def table() -> ScriptedTable:
    return ScriptedTable()


@pytest.fixture
def served(table: ScriptedTable) -> Iterator[Served]:
    server = Served(create_app(table, beat_s=1.0))
    yield server
    server.close()


def test_a_viewer_gets_the_snapshot_on_join_and_then_every_event_in_order(
    table: ScriptedTable, served: Served
) -> None:
    served.call(table.play_many(3))
    stream = Stream(served.url)
    first = stream.next("snapshot")
    assert first["data"]["seq"] == int(first["id"]) == table.snapshot().seq
    newest = served.call(table.play_many(4))
    numbers = []
    while not numbers or numbers[-1] < newest:
        numbers.append(stream.next("event")["data"]["seq"])
    assert numbers == list(range(first["data"]["seq"] + 1, newest + 1))
    assert stream.next("snapshot")["data"] == snapshot_json(table.snapshot())
    stream.close()


def test_last_event_id_resumes_without_a_gap(table: ScriptedTable, served: Served) -> None:
    newest = served.call(table.play_many(20))
    stream = Stream(served.url, after=newest - 7)
    numbers = [stream.next("event")["data"]["seq"] for _ in range(7)]
    assert numbers == list(range(newest - 6, newest + 1))
    assert stream.next("snapshot")["data"]["seq"] == newest
    stream.close()


def test_after_in_the_address_resumes_as_well(table: ScriptedTable, served: Served) -> None:
    newest = served.call(table.play_many(5))
    stream = Stream(served.url, query=f"?after={newest - 1}")
    assert stream.next()["data"]["seq"] == newest
    stream.close()


@pytest.mark.parametrize("value", ["-1", "1e9", "x", "9" * 16, "1 2", "\u0663".encode().decode("latin-1")])
def test_a_bad_last_event_id_is_a_problem_not_a_stream(served: Served, value: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", served.ports[0], timeout=60)
    connection.request("GET", "/api/v1/live", headers={"Last-Event-ID": value})
    response = connection.getresponse()
    assert response.status == 400
    assert response.headers["Content-Type"] == "application/problem+json"
    connection.close()


def test_an_id_from_a_future_or_another_match_gets_the_snapshot(served: Served) -> None:
    stream = Stream(served.url, after=99_999)
    assert stream.next()["event"] == "snapshot"
    stream.close()


def test_an_idle_stream_beats_and_says_when_the_table_is_stale(table: ScriptedTable, served: Served) -> None:
    stream = Stream(served.url)
    assert stream.next("beat")["data"]["state"] == "live"
    served.call(table.go_stale())
    beat = stream.next("beat")
    while beat["data"]["state"] == "live":
        beat = stream.next("beat")
    assert beat["data"]["state"] == "stale"
    assert beat["data"]["since"].endswith("Z")
    stream.close()


def test_the_stream_ends_when_the_server_stops(table: ScriptedTable) -> None:
    server = Served(create_app(table))
    stream = Stream(server.url)
    stream.next("snapshot")
    began = time.monotonic()
    server.close()
    assert time.monotonic() - began < 30
    stream.close()


def test_viewers_are_counted_and_forgotten(table: ScriptedTable, served: Served) -> None:
    hub = served.hub()
    streams = [Stream(served.url) for _ in range(5)]
    assert wait_for(served, lambda: hub.viewers == 5)
    for stream in streams:
        stream.close()
    assert wait_for(served, lambda: hub.viewers == 0)


def wait_for(served: Served, holds: Callable[[], bool]) -> bool:
    """Give the server up to ten seconds until something holds."""
    until = time.monotonic() + 10
    while not holds() and time.monotonic() < until:
        served.call(asyncio.sleep(0.02))
    return holds()


def test_a_stalled_viewer_gets_the_newest_snapshot_and_costs_the_others_nothing(
    table: ScriptedTable, served: Served
) -> None:
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.connect(("127.0.0.1", served.ports[0]))
    slow.sendall(b"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    good = Stream(served.url)
    good.next("snapshot")
    hub = served.hub()

    async def much() -> int:
        long = {"type": "note", "text": "x" * 20_000}
        for _ in range(60):
            await table.put(long)
            await asyncio.sleep(0)
        return await table.play()

    newest = served.call(much())
    while good.next("snapshot")["data"]["seq"] < newest:
        pass
    assert sum(viewer.behind_since_s is not None for viewer in hub.open_viewers()) == 1
    slow.settimeout(10)
    read = b""
    while f'"seq":{newest},"match_id"'.encode() not in read:
        piece = slow.recv(65536)
        assert piece, "the stream ended"
        read += piece
    slow.close()
    good.close()


def test_the_server_writes_shared_bytes_straight_to_the_connection(table: ScriptedTable, served: Served) -> None:
    stream = Stream(served.url)
    assert wait_for(served, lambda: served.hub().viewers == 1)
    assert served.hub().open_viewers()[0].transport is not None
    stream.close()


def test_a_viewer_without_the_fast_path_is_served_the_same() -> None:
    async def scenario() -> list[bytes]:
        table = ScriptedTable()
        hub = Hub(lambda: snapshot_json(table.snapshot()), table.events)
        table.add_publisher(hub)
        sent: list[bytes] = []
        gone = asyncio.Event()

        async def send(message: Any) -> None:
            sent.append(message.get("body", b""))

        async def receive() -> dict[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        scope = {"type": "http", "http_version": "1.1", "method": "GET", "headers": []}
        assert chunked_transport(scope, send) is None
        serving = asyncio.create_task(hub.serve(None, scope, receive, send, send))
        await asyncio.sleep(0.01)
        for _ in range(5):
            await table.play()
            await asyncio.sleep(0.01)
        gone.set()
        await serving
        assert hub.viewers == 0
        hub.close()
        return sent

    text = b"".join(asyncio.run(scenario())).decode()
    numbers = [int(line.removeprefix("id: ")) for line in text.splitlines() if line.startswith("id: ")]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(numbers[-1] + 1))


def test_all_viewers_share_the_same_bytes_and_own_no_queue() -> None:
    async def scenario() -> None:
        table = ScriptedTable()
        hub = Hub(lambda: snapshot_json(table.snapshot()), table.events)
        table.add_publisher(hub)
        await table.play()
        seq = table.snapshot().seq
        assert hub.since(seq - 1)[0] is hub.since(seq - 1)[0]
        for _ in range(RING):
            await table.play()
        plain, _ = hub.since(0)
        assert plain.count(b"event: snapshot") == 1
        assert b"event: event" not in plain, "what fell out of the ring is fetched, not kept per viewer"
        hub.close()

    asyncio.run(scenario())


def test_a_new_match_begins_a_new_numbering_for_everybody(table: ScriptedTable, served: Served) -> None:
    served.call(table.play_many(10))
    stream = Stream(served.url)
    stream.next("snapshot")
    start = MatchStarted(at_s=0, match_id="NEXT", players=("C", "D"), length=3)
    served.call(table.submit(start))
    assert stream.next("event")["data"]["seq"] == 1
    assert stream.next("snapshot")["data"]["match_id"] == "NEXT"
    late = Stream(served.url, after=15)
    assert late.next()["event"] == "snapshot"
    stream.close()
    late.close()


class Jammed:
    """A connection whose other side reads nothing."""

    def __init__(self) -> None:
        self.waiting = 0
        self.aborted = False

    def write(self, data: bytes) -> None:
        self.waiting += len(data)

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def is_closing(self) -> bool:
        return self.aborted

    def abort(self) -> None:
        self.aborted = True


def test_a_viewer_that_never_drains_is_ended_and_costs_one_frame_at_most() -> None:
    async def scenario() -> None:
        now = [0.0]
        table = ScriptedTable()
        hub = Hub(lambda: snapshot_json(table.snapshot()), table.events, stalled_s=30, now_s=lambda: now[0])
        table.add_publisher(hub)
        jammed = Jammed()
        cycle = SimpleNamespace(transport=jammed, chunked_encoding=True)

        async def send(_: object, message: Any) -> None:
            pass

        async def receive() -> dict[str, Any]:
            while not jammed.aborted:
                await asyncio.sleep(0.01)
            return {"type": "http.disconnect"}

        wire = MethodType(send, cycle)
        scope = {"type": "http", "http_version": "1.1", "method": "GET", "headers": []}
        assert chunked_transport(scope, wire) is jammed
        serving = asyncio.create_task(hub.serve(None, scope, receive, wire, wire))
        await asyncio.sleep(0.01)
        await table.play()
        await asyncio.sleep(0.01)
        once = jammed.waiting
        for _ in range(20):
            await table.play()
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        assert jammed.waiting == once
        now[0] = 31.0
        await asyncio.sleep(1.2)
        await serving
        assert jammed.aborted
        assert (hub.viewers, hub.dropped) == (0, 1)
        hub.close()

    asyncio.run(scenario())
