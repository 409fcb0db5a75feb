"""The live stream: a snapshot on join, then numbered events, each with the snapshot it leads to.

A frame is serialised once and the same bytes go to every viewer. A viewer owns no queue: only the number of the
last event that was handed to its connection. One that reads too slowly gets, when its connection has drained,
the events it missed (as far as the shared ring goes back) and the newest snapshot, never an old one.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from starlette.types import Receive, Scope, Send

from api import problems

RING = 256
"""Events kept as bytes for those who join again or fell behind; a game has about a hundred."""

QUIET_S = 2.0
"""How long no event may have come before the tick takes a newer snapshot than the stream has sent."""

BURST = 500
"""Viewers served before the loop gets a turn; uvloop hands bytes to the kernel only at the end of a turn."""


STREAM_HEAD = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)


def message(kind: str, body: Any, seq: int | None = None) -> bytes:
    """Return one Server-Sent-Events message with a JSON body on a single line."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    number = "" if seq is None else f"id: {seq}\n"
    return f"{number}event: {kind}\ndata: {text}\n\n".encode()


class _Transport(Protocol):
    """The part of an asyncio transport that the shared-bytes path uses."""

    def write(self, data: bytes) -> None: ...

    def get_write_buffer_size(self) -> int: ...

    def is_closing(self) -> bool: ...

    def abort(self) -> None: ...


class Viewer:
    """One open stream.

    Attributes:
        seq: number of the newest event handed to the connection.
        wake: set when there may be something to send (the path that only uses ASGI).
        transport: where shared chunk bytes are written, or None on the path that only uses ASGI.
        behind_since_s: since when the connection has not drained, monotonic; None when it has.
    """

    __slots__ = ("beat", "behind_since_s", "gone", "seq", "transport", "wake")

    def __init__(self, seq: int, transport: _Transport | None) -> None:
        self.seq = seq
        self.transport = transport
        self.wake = asyncio.Event() if transport is None else None
        self.behind_since_s: float | None = None
        self.beat = False
        self.gone = False


def chunked_transport(scope: Scope, send: Send) -> _Transport | None:
    """Return the transport below `send` where the server is known to write HTTP/1.1 chunks on it, else None.

    This is a probe for an internal of uvicorn; whatever does not look exactly like it takes the ASGI path.
    """
    cycle = getattr(send, "__self__", None)
    transport = getattr(cycle, "transport", None)
    if scope.get("http_version") != "1.1" or getattr(cycle, "chunked_encoding", None) is not True:
        return None
    needed = ("write", "get_write_buffer_size", "is_closing", "abort")
    return transport if all(callable(getattr(transport, name, None)) for name in needed) else None


class Hub:
    """Hands each event of one table to all viewers.

    Args:
        snapshot: returns the newest snapshot as JSON values.
        events: returns events after a number as JSON values, oldest first.
        now_s: monotonic clock.
    """

    def __init__(
        self,
        snapshot: Callable[[], Mapping[str, Any]],
        events: Callable[[int, int], list[dict[str, Any]]],
        *,
        beat_s: float = 10.0,
        stalled_s: float = 30.0,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read_snapshot = snapshot
        self._read_events = events
        self._beat_s = beat_s
        self._stalled_s = stalled_s
        self._now_s = now_s
        self._ring: deque[tuple[int, bytes]] = deque(maxlen=RING)
        self._snapshot = b""
        self._seq = -1
        self._published_s = -math.inf
        self._frames: dict[int, tuple[bytes, bytes]] = {}
        self._beat_frame = b""
        self._beat_chunk = b""
        self._viewers: dict[Viewer, None] = {}
        self._wake: asyncio.Event | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._state: tuple[str, str] = ("live", _now())
        self.sent = 0
        self.dropped = 0
        self.closed = False

    @property
    def viewers(self) -> int:
        """How many streams are open."""
        return len(self._viewers)

    def open_viewers(self) -> tuple[Viewer, ...]:
        """Return all open streams."""
        return tuple(self._viewers)

    async def publish(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        """Take one durable event; a task of the hub serves the viewers, so the table never waits for them."""
        self._published_s = self._now_s()
        self._take(int(event["seq"]), message("event", event, int(event["seq"])), snapshot)
        self._start()
        if self._wake is not None:
            self._wake.set()

    def _take(self, seq: int, frame: bytes | None, snapshot: Mapping[str, Any]) -> None:
        if seq <= self._seq:
            self._ring.clear()
            for viewer in self._viewers:
                viewer.seq = min(viewer.seq, seq - 1)
        if frame is not None:
            self._ring.append((seq, frame))
        self._seq = seq
        self._snapshot = message("snapshot", snapshot, seq)
        self._frames.clear()
        self._note_link(snapshot)

    def _note_link(self, snapshot: Mapping[str, Any]) -> bool:
        """Note whether the table is live; tells whether that changed."""
        state = link_state(snapshot)
        if state == self._state[0]:
            return False
        self._state = (state, _now())
        return True

    def state(self) -> dict[str, Any]:
        """Return whether the table is live, and since when, as the body of a beat."""
        state, since = self._state
        return {"seq": self._seq, "state": state, "since": since, "at": _now(), "every_s": self._beat_s}

    def _start(self) -> None:
        """Start the hub's tasks on the running loop, once."""
        if self._tasks or self.closed:
            return
        self._wake = asyncio.Event()
        self._tasks = [asyncio.create_task(self._pump()), asyncio.create_task(self._tick())]

    def join(self, after: int | None) -> tuple[int, bytes]:
        """Return the newest number and what a new stream begins with: missed events, if any, and the snapshot.

        The snapshot is a fresh one where it can be, so that clocks stand as they do now.
        """
        newest = self._read_snapshot()
        if self._seq < 0:
            self._take(int(newest["seq"]), None, newest)
        current = message("snapshot", newest, self._seq) if newest["seq"] == self._seq else self._snapshot
        missed = b""
        if after is not None and 0 <= self._seq - after <= RING:
            missed = b"".join(
                message("event", event, event["seq"])
                for event in self._read_events(after, RING)
                if event["seq"] <= self._seq
            )
        return self._seq, b"retry: 2000\n\n" + missed + current + message("beat", self.state())

    def since(self, seq: int) -> tuple[bytes, bytes]:
        """Return what follows event `seq`, plain and as one HTTP chunk; the same bytes for all viewers."""
        made = self._frames.get(seq)
        if made is None:
            events = [frame for number, frame in self._ring if number > seq]
            whole = bool(self._ring) and self._ring[0][0] <= seq + 1
            plain = b"".join([*(events if whole else []), self._snapshot])
            made = self._frames[seq] = (plain, b"%x\r\n%b\r\n" % (len(plain), plain))
        return made

    async def _pump(self) -> None:
        assert self._wake is not None
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self._offer_all()

    async def _offer_all(self) -> None:
        for count, viewer in enumerate(tuple(self._viewers), start=1):
            self._offer(viewer)
            if count % BURST == 0:
                await asyncio.sleep(0)

    def _offer(self, viewer: Viewer) -> None:
        """Hand the newest frame to one viewer, or leave it for later when its connection has not drained."""
        transport = viewer.transport
        if transport is None:
            assert viewer.wake is not None
            viewer.wake.set()
        elif viewer.seq < self._seq and not transport.is_closing():
            if transport.get_write_buffer_size():
                viewer.behind_since_s = viewer.behind_since_s or self._now_s()
            else:
                transport.write(self.since(viewer.seq)[1])
                viewer.seq = self._seq
                viewer.behind_since_s = None
                self.sent += 1

    async def _tick(self) -> None:
        """Serve those who fell behind, end those who stay there, and beat: a silent stream is a dead one."""
        beat_at_s = self._now_s() + self._beat_s
        while True:
            await asyncio.sleep(1.0)
            now_s = self._now_s()
            newest = self._read_snapshot()
            self._notice(newest, now_s)
            beat = self._note_link(newest) or now_s >= beat_at_s
            if beat:
                beat_at_s = now_s + self._beat_s
                self._beat_frame = message("beat", self.state())
                self._beat_chunk = b"%x\r\n%b\r\n" % (len(self._beat_frame), self._beat_frame)
            for count, viewer in enumerate(tuple(self._viewers), start=1):
                self._care_for(viewer, now_s, beat)
                if count % BURST == 0:
                    await asyncio.sleep(0)

    def _notice(self, newest: Mapping[str, Any], now_s: float) -> None:
        """Take up what has become visible without an event, as after a delay that began before the start."""
        quiet = now_s - self._published_s > QUIET_S
        if self._seq >= 0 and newest["seq"] > self._seq and quiet:
            self._take(int(newest["seq"]), None, newest)

    def _care_for(self, viewer: Viewer, now_s: float, beat: bool) -> None:
        if viewer.behind_since_s is not None and now_s - viewer.behind_since_s > self._stalled_s:
            self._drop(viewer)
        elif viewer.seq < self._seq:
            self._offer(viewer)
        elif beat and viewer.transport is None:
            viewer.beat = True
            self._offer(viewer)
        elif beat and viewer.transport is not None and not viewer.transport.get_write_buffer_size():
            viewer.transport.write(self._beat_chunk)

    def _drop(self, viewer: Viewer) -> None:
        """End a stream that has not drained for too long; the page reconnects by itself when it is back."""
        self.dropped += 1
        viewer.gone = True
        self._viewers.pop(viewer, None)
        if viewer.transport is not None:
            viewer.transport.abort()
        elif viewer.wake is not None:
            viewer.wake.set()

    def close(self) -> None:
        """End all streams; called when the server stops, so that it need not wait for them."""
        self.closed = True
        for task in self._tasks:
            task.cancel()
        for viewer in tuple(self._viewers):
            viewer.gone = True
            if viewer.transport is not None:
                viewer.transport.abort()
            elif viewer.wake is not None:
                viewer.wake.set()

    async def serve(self, after: int | None, scope: Scope, receive: Receive, send: Send, wire: Send) -> None:
        """Serve one viewer until it goes.

        Args:
            after: number of the last event it has, or None.
            scope: of the request.
            receive: of the request; its only further message is the disconnect.
            send: for the head of the response, with everything that middleware adds.
            wire: the server's own send, for the body.
        """
        self._start()
        await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEAD})
        seq, first = self.join(after)
        await wire({"type": "http.response.body", "body": first, "more_body": True})
        viewer = Viewer(seq, chunked_transport(scope, wire))
        self._viewers[viewer] = None
        self._offer(viewer)
        try:
            if viewer.transport is not None:
                await _disconnected(receive)
            else:
                await self._send_while_connected(viewer, receive, wire)
        finally:
            self._viewers.pop(viewer, None)
        await wire({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_while_connected(self, viewer: Viewer, receive: Receive, wire: Send) -> None:
        assert viewer.wake is not None
        watch = asyncio.create_task(self._note_disconnect(viewer, receive))
        try:
            while not viewer.gone:
                body = b""
                if viewer.seq < self._seq:
                    body, _ = self.since(viewer.seq)
                    viewer.seq = self._seq
                elif viewer.beat:
                    body = self._beat_frame
                viewer.beat = False
                if body:
                    viewer.behind_since_s = self._now_s()
                    await wire({"type": "http.response.body", "body": body, "more_body": True})
                    viewer.behind_since_s = None
                    self.sent += 1
                else:
                    viewer.wake.clear()
                    await viewer.wake.wait()
        finally:
            watch.cancel()

    async def _note_disconnect(self, viewer: Viewer, receive: Receive) -> None:
        await _disconnected(receive)
        viewer.gone = True
        if viewer.wake is not None:
            viewer.wake.set()


class LiveStream:
    """The ASGI endpoint of the stream.

    Args:
        hub: of the table.
        most_viewers: streams open at once; more are answered 503.
    """

    def __init__(self, hub: Hub, most_viewers: int) -> None:
        self._hub = hub
        self._most_viewers = most_viewers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] not in ("GET", "HEAD"):
            await problems.send_problem(send, 405, "the stream is read with GET", {"Allow": "GET, HEAD"})
        elif self._hub.closed or self._hub.viewers >= self._most_viewers:
            await problems.send_problem(send, 503, "no more viewers fit; try again soon", {"Retry-After": "10"})
        else:
            wire = scope.get("barpoint.wire", send)
            try:
                after = last_event_id(scope)
            except ValueError:
                await problems.send_problem(send, 400, "Last-Event-ID is the number of an event")
                return
            if scope["method"] == "HEAD":
                await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEAD})
                await send({"type": "http.response.body", "body": b""})
                return
            await self._hub.serve(after, scope, receive, send, wire)


def last_event_id(scope: Scope) -> int | None:
    """Return the number after which a stream resumes, from the header or from ``?after=``.

    Raises:
        ValueError: what stands there is no number of at most 15 digits.
    """
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    text = next((value for name, value in headers if name == b"last-event-id"), b"")
    for part in bytes(scope.get("query_string", b"")).split(b"&"):
        if part.startswith(b"after=") and not text:
            text = part.removeprefix(b"after=")
    if not text:
        return None
    if not text.isdigit() or len(text) > 15:
        raise ValueError(text)
    return int(text)


def link_state(snapshot: Mapping[str, Any]) -> str:
    """Return ``"stale"`` when the table does not see its board or cannot keep what happens, else ``"live"``."""
    fine = {"ok", "none", "simulated", "unknown", "found", "registered", "moving", "hand"}
    parts = snapshot.get("link") or {}
    lives_on = ("camera", "journal", "sensors")
    return "live" if all(parts.get(part, "ok") in fine for part in lives_on) else "stale"


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
