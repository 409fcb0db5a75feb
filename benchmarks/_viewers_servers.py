"""The servers that benchmarks/viewers.py compares: ``python _viewers_servers.py KIND PORT RATE_HZ PAD_BYTES``.

All send the same content, an event and the snapshot after it, `RATE_HZ` times a second to all viewers.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, cast

import uvicorn
from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from fastapi.sse import EventSourceResponse, ServerSentEvent

from api.app import create_app
from api.door import Limits
from api.server import Listener, serve_all
from api.source import TableSource
from controller.board import START_BOARD
from controller.ports import Publisher
from controller.records import MatchRecord
from controller.rules import Color
from controller.session.facts import MatchStarted, ScoreSet
from controller.session.snapshot import Snapshot, snapshot_json
from controller.storage import Journal
from controller.table import Table

Send = Callable[[Mapping[str, Any], Mapping[str, Any]], Awaitable[None]]


class Ticking:
    """A table on which the same thing happens again and again; satisfies `api.source.TableSource`."""

    table_id = "table-1"
    simulated = True
    tournament = False

    def __init__(self, pad_bytes: int) -> None:
        self._pad = "x" * pad_bytes
        self._seq = 0
        self._publishers: list[Publisher] = []

    def snapshot(self) -> Snapshot:
        return Snapshot(
            seq=self._seq, match_id="01BENCH", phase="rolling", players=("Ann", "Bob"), length=7, score=(0, 0),
            game=1, rules="international", crawford=False, board=START_BOARD, turn=Color.WHITE, roll=None,
            cube_value=1, cube_owner=None, offered_by=None, last_play=None, clock=None, question=None,
            link={"camera": "ok"}, simulated=True,
        )  # fmt: skip

    def snapshot_at(self, seq: int) -> Snapshot:
        return self.snapshot()

    def events(self, after: int = 0, limit: int = 100) -> list[dict[str, Any]]:
        return []

    def record(self) -> MatchRecord:
        raise NotImplementedError

    def rolls(self) -> list[dict[str, Any]] | None:
        return None

    def add_publisher(self, publisher: Publisher) -> None:
        self._publishers.append(publisher)

    def next(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the next event and its snapshot; ``t`` is the instant it became known."""
        self._seq += 1
        event = {"seq": self._seq, "type": "note", "pad": self._pad, "t": time.monotonic_ns()}
        return event, snapshot_json(self.snapshot())

    async def run(self, rate_hz: float, send: Send | None = None) -> None:
        """Let it happen until cancelled."""
        due_s = time.monotonic()
        while True:
            due_s = max(due_s + 1 / rate_hz, time.monotonic())
            await asyncio.sleep(due_s - time.monotonic())
            event, snapshot = self.next()
            for publisher in self._publishers:
                await publisher.publish(event, snapshot)
            if send is not None:
                await send(event, snapshot)


async def ours(port: int, table: Ticking, rate_hz: float) -> None:
    """Serve what `barpoint run` serves."""
    limits = Limits(burst=10**9, per_s=10**9, streams=10**9, viewers=10**9)
    app = create_app(table, limits=limits)
    ticking = asyncio.create_task(table.run(rate_hz))
    await serve_all([Listener(app, "127.0.0.1", port)])
    ticking.cancel()


class Stamped:
    """A table whose events carry the instant ``t`` at which they became durable, or were about to.

    Args:
        journal: the real one.
        before: take the instant before the journal writes instead of after it.
    """

    def __init__(self, journal: Journal, before: bool) -> None:
        self._journal = journal
        self._before = before
        self._at_ns = 0
        self.table = Table(self, table_id="table-1", simulated=True)

    def append(self, *events: Mapping[str, Any], match_id: str) -> int:
        """Write, and note when."""
        before_ns = time.monotonic_ns()
        seq = self._journal.append(*events, match_id=match_id)
        self._at_ns = before_ns if self._before else time.monotonic_ns()
        return seq

    def __getattr__(self, name: str) -> Any:
        """Return what the journal or the table has."""
        return getattr(self._journal if name in ("events", "matches") else self.table, name)

    def add_publisher(self, publisher: Publisher) -> None:
        """Call `publisher` with stamped events."""
        outer = self

        class Stamping:
            async def publish(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
                await publisher.publish({**event, "t": outer._at_ns}, snapshot)

        self.table.add_publisher(Stamping())

    async def run(self, rate_hz: float) -> None:
        """Let something happen again and again, as the desk commands it."""
        await self.table.submit(MatchStarted(match_id="01BENCH", players=("Ann", "Bob"), length=7))
        number = 0
        while True:
            await asyncio.sleep(1 / rate_hz)
            number += 1
            await self.table.submit(ScoreSet(score=(number % 4, 1), why="bench"))


async def real_table(port: int, rate_hz: float, before: bool) -> None:
    """Serve a real table with its journal on the disk."""
    limits = Limits(burst=10**9, per_s=10**9, streams=10**9, viewers=10**9)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        stamped = Stamped(Journal.open(Path(name) / "journal.sqlite"), before)
        app = create_app(cast(TableSource, stamped), limits=limits)
        ticking = asyncio.create_task(stamped.run(rate_hz))
        await serve_all([Listener(app, "127.0.0.1", port)])
        ticking.cancel()


async def durable(port: int, _: Ticking, rate_hz: float) -> None:
    """Serve a real table; ``t`` is when the journal had the event."""
    await real_table(port, rate_hz, before=False)


async def written(port: int, _: Ticking, rate_hz: float) -> None:
    """Serve a real table; ``t`` is when the journal began to write the event."""
    await real_table(port, rate_hz, before=True)


async def naive(port: int, table: Ticking, rate_hz: float) -> None:
    """Serve the WebSocket broadcast that tutorials show, compression off."""
    app = FastAPI()
    viewers: list[WebSocket] = []

    @app.websocket("/live")
    async def live(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_json({"hello": True})
        viewers.append(socket)
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                await socket.receive_text()
        viewers.remove(socket)

    async def send(event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        for socket in list(viewers):
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await socket.send_json({"event": event, "snapshot": snapshot})

    await _plain(app, port, table.run(rate_hz, send))


async def event_source(port: int, table: Ticking, rate_hz: float) -> None:
    """Serve FastAPI's own EventSourceResponse, a queue for each viewer."""
    app = FastAPI()
    queues: set[asyncio.Queue[dict[str, Any]]] = set()

    @app.get("/live", response_class=EventSourceResponse)
    async def live() -> AsyncIterator[ServerSentEvent]:
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(8)
        queues.add(queue)
        try:
            yield ServerSentEvent(data={"hello": True})
            while True:
                yield ServerSentEvent(data=await queue.get())
        finally:
            queues.discard(queue)

    async def send(event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        for queue in queues:
            with contextlib.suppress(asyncio.QueueFull):
                queue.put_nowait({"event": event, "snapshot": snapshot})

    await _plain(app, port, table.run(rate_hz, send))


async def _plain(app: FastAPI, port: int, work: Awaitable[None]) -> None:
    config = uvicorn.Config(
        app, port=port, log_level="error", access_log=False, ws_per_message_deflate=False, backlog=4096
    )
    ticking = asyncio.ensure_future(work)
    await uvicorn.Server(config).serve()
    ticking.cancel()


async def feed(port: int, table: Ticking, rate_hz: float) -> None:
    """Post each update to nginx with nchan, which fans it out."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def send(event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        body = json.dumps({"event": event, "snapshot": snapshot}, separators=(",", ":")).encode()
        head = f"POST /pub HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        writer.write(head + body)
        await writer.drain()

    async def drain() -> None:
        while await reader.read(65536):
            pass

    await asyncio.gather(table.run(rate_hz, send), drain())


KINDS = {
    "ours": ours,
    "durable": durable,
    "written": written,
    "naive": naive,
    "event_source": event_source,
    "feed": feed,
}

if __name__ == "__main__":
    kind, port, rate_hz, pad_bytes = sys.argv[1:]
    asyncio.run(KINDS[kind](int(port), Ticking(int(pad_bytes)), float(rate_hz)))
