"""The desk's side of one table: who asks, on what it is based, and that nothing is done twice."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from api.commands import Body, Command
from api.door import Rate
from api.metrics import Metrics
from api.problems import Problem
from api.source import DeskSource
from api.tokens import Person, Role, Tokens
from controller.errors import BoardError
from controller.session.snapshot import snapshot_json

REMEMBERED = 1000
"""Idempotency keys kept; a match has a few hundred commands."""


@dataclass
class Desk:
    """What the routes and the socket of the desk work on.

    Attributes:
        table: takes the commands.
        tokens: who may give them.
        metrics: counts them.
        now_s: monotonic clock, the table's.
        guesses: wrong tokens that one address may send within a minute.
    """

    table: DeskSource
    tokens: Tokens
    metrics: Metrics
    now_s: Callable[[], float] = time.monotonic
    guesses: int = 5
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _done: OrderedDict[str, tuple[str, dict[str, Any]]] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        self._guesses = Rate(self.guesses, self.guesses / 60, 4096, self.now_s)

    def admit(self, token: str | None, client: str, role: Role) -> Person:
        """Return whose token this is.

        Raises:
            Problem: 401 without a known token, 429 after too many wrong ones, 403 when the role is too low.
        """
        person = self.tokens.person(token) if token else None
        if person is None:
            wait = self._guesses.wait_s(client) if token else 0.0
            if wait:
                raise Problem(429, "too many wrong tokens from this address", {"Retry-After": str(int(wait) + 1)})
            raise Problem(401, "the desk needs a token: Authorization: Bearer …", {"WWW-Authenticate": "Bearer"})
        if person.role < role:
            needed = role.name.lower()
            raise Problem(403, f"this needs the role {needed}; {person.name} is {person.role.name.lower()}")
        return person

    async def give(
        self, command: Command, body: Body, person: Person, based_on: str | None = None, key: str | None = None
    ) -> dict[str, Any]:
        """Carry out one command and return its receipt.

        Args:
            command: which.
            body: its content.
            person: who gives it.
            based_on: the entity tag that the giver last saw, or None.
            key: names this command, so that a retry is not done twice, or None.

        Raises:
            Problem: 412 when the table has moved on, 422 when `key` was used for something else, 428 when the
                command needs `based_on`.
            IllegalActionError: the session refuses.
        """
        meant = hashlib.sha256(f"{person.name}:{command.name}:{body.model_dump_json()}".encode()).hexdigest()
        async with self._lock:
            if key is not None and key in self._done:
                before, receipt = self._done[key]
                if before != meant:
                    raise Problem(422, "this Idempotency-Key was used for another command")
                return receipt
            self._check_base(command, based_on)
            receipt = await self._submit(command, body, person)
            if key is not None:
                self._done[key] = (meant, receipt)
                while len(self._done) > REMEMBERED:
                    self._done.popitem(last=False)
            return receipt

    def _check_base(self, command: Command, based_on: str | None) -> None:
        if based_on is None:
            if command.based:
                raise Problem(428, 'name with If-Match the event this is based on, as in If-Match: "MATCH:17"')
            return
        if based_on.strip() != "*" and self.tag() not in [part.strip() for part in based_on.split(",")]:
            raise Problem(412, f"the table has moved on; it is at {self.tag()} now", {"ETag": self.tag()})

    async def _submit(self, command: Command, body: Body, person: Person) -> dict[str, Any]:
        try:
            event = command.event(body, self.table.snapshot(), person.name, self.now_s())
            seq = await self.table.submit(event)
        except BoardError:
            self.metrics.count("barpoint_commands_total", 'taken="no"')
            raise
        self.metrics.count("barpoint_commands_total", 'taken="yes"')
        now = self.table.snapshot()
        return {"seq": seq, "event_id": f"{now.match_id}:{seq}", "snapshot": snapshot_json(now)}

    def tag(self) -> str:
        """Return the entity tag of the table as it is now."""
        now = self.table.snapshot()
        return f'"{now.match_id}:{now.seq}"'
