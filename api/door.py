"""What stands before every route: host names, body size and time, request rate, security headers, counters."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.metrics import Metrics
from api.problems import Problem, send_problem

CSP = "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; frame-ancestors 'self'"

_HEADERS = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one client may ask for.

    Attributes:
        body_bytes: longest request body, counted while it is read.
        body_s: longest time a body may take to arrive, seconds.
        burst: requests one address may send at once; the files of the pages do not count.
        per_s: requests per second and address after that.
        streams: live streams of one address; a club behind one router shares it.
        viewers: live streams altogether.
        clients: addresses remembered for counting.
        guesses: wrong tokens that one address may send within a minute.
    """

    body_bytes: int = 64 * 1024
    body_s: float = 10.0
    burst: int = 300
    per_s: float = 60.0
    streams: int = 100
    viewers: int = 15_000
    clients: int = 4096
    guesses: int = 5


def own_names() -> frozenset[str]:
    """Return the names by which this computer is called on its network, in lower case."""
    name = socket.gethostname().lower()
    short = name.split(".", maxsplit=1)[0]
    return frozenset({"localhost", name, short, f"{short}.local"})


def host_allowed(host: str, names: Iterable[str]) -> bool:
    """Tell whether a Host header names this server: one of `names`, or an address, which no one can rebind.

    Example:
        >>> host_allowed("192.168.1.20:8080", ())
        True
        >>> host_allowed("evil.example", ("barpoint.local",))
        False
    """
    bare = host.strip().lower()
    if bare.startswith("["):
        bare, closed, _ = bare[1:].partition("]")
        if not closed:
            return False
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    if bare in names:
        return True
    try:
        ipaddress.ip_address(bare)
    except ValueError:
        return False
    return True


class Rate:
    """A token bucket for each client, for as many clients as fit; the one seen longest ago is forgotten first."""

    def __init__(
        self, burst: float, per_s: float, clients: int, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst = burst
        self._per_s = per_s
        self._clients = clients
        self._now_s = now_s
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, client: str) -> float:
        """Take one token; return 0, or the seconds after which there is one when there is none now."""
        now_s = self._now_s()
        left, at_s = self._buckets.pop(client, (self._burst, now_s))
        left = min(self._burst, left + (now_s - at_s) * self._per_s)
        wait = 0.0 if left >= 1 else (1 - left) / self._per_s
        self._buckets[client] = (left if wait else left - 1, now_s)
        while len(self._buckets) > self._clients:
            self._buckets.popitem(last=False)
        return wait


class Traffic:
    """Who asks how often and holds how many streams; shared by all doors in front of one application."""

    def __init__(self, limits: Limits) -> None:
        self.rate = Rate(limits.burst, limits.per_s, limits.clients)
        self.streams: dict[str, int] = {}


@dataclass
class Door:
    """Middleware on the bare ASGI interface, outside of everything else.

    Attributes:
        app: what stands behind the door.
        metrics: counts what goes through.
        names: host names that are answered, in lower case; addresses always are.
        limits: see `Limits`.
        traffic: counts who asks.
    """

    app: ASGIApp
    metrics: Metrics
    names: frozenset[str]
    limits: Limits
    traffic: Traffic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request or WebSocket in, or answer why not."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        host = next((value for name, value in scope["headers"] if name == b"host"), b"")
        if not host_allowed(host.decode("latin-1"), self.names):
            await _refuse(scope, send, 421, "this table does not answer to that host name", {})
            return
        client = scope["client"][0] if scope.get("client") else "-"
        counted = not scope["path"].startswith("/static/")
        if counted and (wait := self.traffic.rate.wait_s(client)):
            self.metrics.count("barpoint_rate_limited_total")
            retry = {"Retry-After": str(int(wait) + 1)}
            await _refuse(scope, send, 429, "too many requests from this address; wait a moment", retry)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
        elif scope["path"].endswith("/live"):
            await self._stream(client, scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _stream(self, client: str, scope: Scope, receive: Receive, send: Send) -> None:
        streams = self.traffic.streams
        if streams.get(client, 0) >= self.limits.streams:
            retry = {"Retry-After": "10"}
            await send_problem(send, 429, "too many live streams from this address", retry)
            return
        streams[client] = streams.get(client, 0) + 1
        try:
            await self._answer(scope, receive, send)
        finally:
            streams[client] -= 1
            if not streams[client]:
                del streams[client]

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = scope["method"]
        incoming = _Incoming(receive, self.limits, answered=method in ("GET", "HEAD"))

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                incoming.answered = True
                self.metrics.count_response(method, message["status"])
                present = {name for name, _ in message["headers"]}
                extra = [pair for pair in _HEADERS if pair[0] not in present]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        scope.setdefault("barpoint.wire", send)
        if method == "HEAD" and not scope["path"].endswith("/live"):
            scope = {**scope, "method": "GET"}  # the server itself leaves out the body
        await self.app(scope, incoming, dressed)


class _Incoming:
    """What a client sends as a body: counted in bytes and seconds, since a chunked one announces no length.

    Attributes:
        answered: nobody waits for a body: the answer has begun, or such a request has none; what comes is thrown
            away.
    """

    def __init__(self, receive: Receive, limits: Limits, *, answered: bool) -> None:
        self.answered = answered
        self._receive = receive
        self._limits = limits
        self._taken = 0
        self._ends_s: float | None = None
        self._done = False

    async def __call__(self) -> Message:
        """Return the next message.

        Raises:
            Problem: 408 and 413, as long as nothing has been answered.
        """
        if self._done or self.answered:
            return await self._rest()
        now_s = asyncio.get_running_loop().time()
        self._ends_s = self._ends_s or now_s + self._limits.body_s
        try:
            async with asyncio.timeout_at(self._ends_s):
                message = await self._receive()
        except TimeoutError:
            if self.answered:
                return await self._rest()
            raise Problem(408, "the body took too long to arrive", {"Connection": "close"}) from None
        if message["type"] == "http.request":
            self._taken += len(message.get("body", b""))
            self._done = not message.get("more_body", False)
            if self._taken > self._limits.body_bytes and not self.answered:
                limit = f"a body may have {self._limits.body_bytes} bytes"
                raise Problem(413, limit, {"Connection": "close"})
        return message

    async def _rest(self) -> Message:
        message = await self._receive()
        return {**message, "body": b""} if message["type"] == "http.request" else message


async def _refuse(scope: Scope, send: Send, status: int, detail: str, headers: dict[str, str]) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": detail})
    else:
        await send_problem(send, status, detail, headers)
