"""One table on MQTT 5: every event, the newest snapshot, and whether the table is there, for the hub of a club.

The journal is the outbox. `MqttLink.publish` only wakes the sender, which reads from the journal what the broker
has not taken; a broker that is slow or away costs the table nothing. A broker's acknowledgement says that it has
a message in its memory, no more; so where a hub tells on the topic ``ack`` what it has stored, sending starts
again from there after every reconnect and whenever the hub falls silent. Events are named by match and number:
whoever gets one twice knows it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

import aiomqtt

from api.source import TableSource
from controller.errors import ConfigError
from controller.session.snapshot import snapshot_json

log = logging.getLogger(__name__)

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
ACK_WITHIN_S = 1.0
"""How long a connection waits for the hub's retained acknowledgement before it sends."""

WINDOW = 200
"""Events on their way to a hub that acknowledges; it may be away, and the broker must not fill up."""

SILENT_S = 3.0
"""How long the hub may be silent before what it has not acknowledged is sent again; twice as long each time."""

LONGEST_SILENCE_S = 60.0
LOOK_S = 5.0
"""How often the snapshot is looked at for what changes without an event: the states of the table's parts."""

KEEPALIVE_S = 15
"""A table that vanishes is ``offline`` after one and a half times this."""


class Outbox(Protocol):
    """What happened, as the journal keeps it."""

    def matches(self) -> list[str]:
        """Return the ids of all matches, oldest first."""

    def events(self, match_id: str, after: int = 0, limit: int | None = 100) -> list[dict[str, Any]]:
        """Return the events of a match with numbers above `after`."""

    def written_at(self, match_id: str, seq: int) -> str | None:
        """Return when an event became durable, RFC 3339."""


@dataclass(frozen=True)
class Broker:
    """How a broker is reached.

    Attributes:
        host: its name or address.
        port: 1883, or 8883 with TLS.
        tls: whether the connection is encrypted; the broker's certificate is checked.
        username: by default the table's name, to which the broker's access list gives its own topics.
        password: of it.
        ca: file with the certificate of the authority that signed the broker's; empty for those of the system.
    """

    host: str
    port: int = 1883
    tls: bool = False
    username: str = ""
    password: str = field(default="", repr=False)
    ca: str = ""


def broker_of(address: str, username: str = "", password: str = "", ca: str = "") -> Broker:
    """Return the broker at an address such as ``mqtt://hub.local`` or ``mqtts://hub.local:8883``.

    Raises:
        ConfigError: it is no such address.
    """
    parts = urlsplit(address)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or port == -1 or parts.username is not None:
        raise ConfigError(f"club.broker is {address!r}; accepted: mqtt://HOST[:PORT] or mqtts://HOST[:PORT]")
    tls = parts.scheme == "mqtts"
    return Broker(parts.hostname, port or (8883 if tls else 1883), tls, username, password, ca)


def topic_of(club: str, table_id: str, kind: str) -> str:
    """Return one of a table's topics.

    Example:
        >>> topic_of("club", "table-1", "event")
        'barpoint/v1/club/tables/table-1/event'
    """
    return f"barpoint/v1/{club}/tables/{table_id}/{kind}"


@dataclass(frozen=True)
class _Position:
    """How far a match has come: the number of its last event that was sent or acknowledged."""

    match_id: str
    seq: int


def _stop_if_cancelled() -> None:
    """Raise the cancellation of the task that runs, if it was lost.

    Python 3.11 loses one in `asyncio.wait_for`, with which the client waits, when the answer comes with it.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


class MqttLink:
    """A publisher of one table; `run` keeps the connection.

    Args:
        table: whose snapshot is shown.
        outbox: its journal.
        broker: where to.
        club: names the club in topics.
        tell: is told ``"ok"`` and ``"lost"`` as the broker comes and goes.
    """

    def __init__(
        self,
        table: TableSource,
        outbox: Outbox,
        broker: Broker,
        club: str,
        tell: Callable[[str], None] = lambda state: None,
    ) -> None:
        self._table = table
        self._outbox = outbox
        self._broker = broker
        self._club = club
        self._tell = tell
        self._wake = asyncio.Event()
        self._at: _Position | None = None
        self._acked: _Position | None = None
        self._heard = asyncio.Event()
        self._silent_s = SILENT_S
        self._heard_s = 0.0
        self._shown: dict[str, Any] | None = None
        self._lost = False

    async def publish(self, event: Any, snapshot: Any) -> None:
        """Note that there is something to send; returns at once."""
        self._wake.set()

    async def run(self) -> None:
        """Stay connected until cancelled; then the table is ``offline`` for everybody."""
        failures = 0
        while True:
            try:
                async with self._client() as client:
                    failures = 0
                    await self._talk(client)
            except aiomqtt.MqttError as error:
                self._note_lost(error)
            _stop_if_cancelled()
            longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**failures)
            failures = min(failures + 1, 10)
            await asyncio.sleep(longest * random.uniform(0.5, 1.0))

    def _client(self) -> aiomqtt.Client:
        broker = self._broker
        context = ssl.create_default_context(cafile=broker.ca or None) if broker.tls else None
        return aiomqtt.Client(
            broker.host,
            broker.port,
            identifier=self._table.table_id,
            username=(broker.username or self._table.table_id) if broker.password else None,
            password=broker.password or None,
            protocol=aiomqtt.ProtocolVersion.V5,
            will=aiomqtt.Will(self._topic("status"), "offline", qos=1, retain=True),
            keepalive=KEEPALIVE_S,
            tls_context=context,
            timeout=5.0,
        )

    def _topic(self, kind: str) -> str:
        return topic_of(self._club, self._table.table_id, kind)

    def _note_lost(self, error: Exception) -> None:
        """Say it once; the table goes on, and everything is sent later."""
        if not self._lost:
            log.warning("the club's broker at %s:%d: %s", self._broker.host, self._broker.port, error)
        self._lost = True
        self._tell("lost")

    async def _talk(self, client: aiomqtt.Client) -> None:
        """Send and hear on one connection until it ends."""
        self._heard.clear()
        self._shown = None
        await client.subscribe(self._topic("ack"), qos=1)
        await self._put(client, "status", "online", retain=True)
        if self._lost:
            log.warning("the club's broker answers again")
        self._lost = False
        self._tell("ok")
        tasks = [asyncio.create_task(self._hear(client)), asyncio.create_task(self._send(client))]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except asyncio.CancelledError:
            with suppress(aiomqtt.MqttError):
                await client.publish(self._topic("status"), "offline", qos=1, retain=True, timeout=2.0)
            raise
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _hear(self, client: aiomqtt.Client) -> None:
        """Take the hub's acknowledgements; what is none is ignored."""
        async for message in client.messages:
            try:
                told = json.loads(bytes(message.payload))
                acked = _Position(str(told["match_id"]), int(told["seq"]))
            except (ValueError, KeyError, TypeError, RecursionError):
                continue
            if acked != self._acked:
                self._silent_s = SILENT_S
            self._acked, self._heard_s = acked, time.monotonic()
            self._heard.set()
            self._wake.set()

    async def _send(self, client: aiomqtt.Client) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(ACK_WITHIN_S):
                await self._heard.wait()
        self._at = self._acked or self._at
        while True:
            self._wake.clear()
            self._go_back_after_silence()
            await self._send_events(client)
            await self._send_state(client)
            with suppress(TimeoutError):
                async with asyncio.timeout(min(LOOK_S, self._silent_s)):
                    await self._wake.wait()

    def _go_back_after_silence(self) -> None:
        """Send again what the hub has not acknowledged for too long."""
        if self._acked is None or self._acked == self._at:
            self._heard_s = time.monotonic()
        elif time.monotonic() - self._heard_s > self._silent_s:
            self._at, self._heard_s = self._acked, time.monotonic()
            self._silent_s = min(LONGEST_SILENCE_S, self._silent_s * 2)

    async def _send_events(self, client: aiomqtt.Client) -> None:
        """Send what the broker has not taken, match after match; one event at a time keeps their order."""
        matches = self._outbox.matches()
        if not matches:
            return
        if self._at is None or self._at.match_id not in matches:
            self._at = _Position(matches[-1], 0)
        for match_id in matches[matches.index(self._at.match_id) :]:
            if match_id != self._at.match_id:
                self._at = _Position(match_id, 0)
            while page := self._outbox.events(match_id, self._at.seq, 100):
                for event in page:
                    if self._window_is_full():
                        return
                    await self._put(client, "event", self._message(match_id, event))
                    self._at = _Position(match_id, event["seq"])

    async def _put(self, client: aiomqtt.Client, kind: str, payload: str | bytes, *, retain: bool = False) -> None:
        """Send one message, and return when the broker has it."""
        await client.publish(self._topic(kind), payload, qos=1, retain=retain)
        _stop_if_cancelled()

    def _window_is_full(self) -> bool:
        acked, at = self._acked, self._at
        if acked is None or at is None or acked.match_id != at.match_id:
            return False
        return at.seq - acked.seq >= WINDOW

    def _message(self, match_id: str, event: dict[str, Any]) -> bytes:
        """Return one event as bytes: what names it, and its body as everywhere."""
        seq = event["seq"]
        at = self._outbox.written_at(match_id, seq)
        head = {"event_id": f"{match_id}:{seq}", "match_id": match_id, "seq": seq, "type": event["type"], "at": at}
        return json.dumps({**head, "body": event}, ensure_ascii=False, separators=(",", ":")).encode()

    async def _send_state(self, client: aiomqtt.Client) -> None:
        """Send the newest snapshot, retained, where it says something new; clocks count on by themselves."""
        snapshot = snapshot_json(self._table.snapshot())
        shown = {**snapshot, "clock": None}
        if shown == self._shown:
            return
        text = json.dumps(snapshot, ensure_ascii=False, separators=(",", ":"))
        await self._put(client, "state", text.encode(), retain=True)
        self._shown = shown
