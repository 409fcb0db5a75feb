"""What viewers may see of a table: later than it happens where the event says so, and never what is not for them.

Numbers stay gapless: an event that is not for viewers keeps its number and loses its content.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from api.source import TableSource
from controller.errors import IllegalActionError
from controller.ports import Publisher
from controller.session.snapshot import Snapshot

AIDS = frozenset(
    {"hint", "hints", "equity", "win_chance", "win_chances", "best_play", "evaluation", "analysis", "luck"}
)
"""Names under which anything that helps a player may stand; US rules 2008, 1.5, forbids it at the table."""


def without_aids(value: Any) -> Any:
    """Return JSON values without anything that helps a player.

    Example:
        >>> without_aids({"play": "13/7", "equity": 0.1, "more": [{"hint": 1}]})
        {'play': '13/7', 'more': [{}]}
    """
    if isinstance(value, Mapping):
        return {name: without_aids(item) for name, item in value.items() if name not in AIDS}
    if isinstance(value, list):
        return [without_aids(item) for item in value]
    return value


def is_for_viewers(body: Mapping[str, Any]) -> bool:
    """Tell whether an event, or what a snapshot asks, is for everybody and not for the director alone."""
    return bool(body.get("audience", "table") == "table")


def event_for_viewers(event: Mapping[str, Any], aids: bool) -> dict[str, Any]:
    """Return one event as viewers get it."""
    if not is_for_viewers(event):
        return {"seq": event["seq"], "type": "withheld"}
    return dict(event) if aids else dict(without_aids(event))


class PublicTable:
    """Stands before a table and satisfies `TableSource` for viewers.

    Args:
        table: the table itself.
        delay_s: how much later viewers see everything.
        aids: whether hints and the like may be seen, after the delay; never in a tournament without one.
        now_s: monotonic clock.
    """

    def __init__(
        self,
        table: TableSource,
        *,
        delay_s: float = 0.0,
        aids: bool = False,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._table = table
        self._aids = aids
        self._now_s = now_s
        self._publishers: list[Publisher] = []
        self._waiting: deque[tuple[float, Mapping[str, Any], Mapping[str, Any]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._open_s = now_s() + delay_s
        self._shown = table.snapshot().seq if delay_s == 0 else 0
        self._first = table.snapshot().seq
        self.delay_s = delay_s
        table.add_publisher(self)

    @property
    def table_id(self) -> str:
        """Name of the table."""
        return self._table.table_id

    @property
    def simulated(self) -> bool:
        """Whether nothing of this table is a real board."""
        return self._table.simulated

    @property
    def up_to(self) -> int:
        """Number of the newest event that viewers may see.

        What happened before this program started is shown one delay after the start: nobody knows when it was.
        """
        if self.delay_s and self._now_s() >= self._open_s:
            self._shown = max(self._shown, self._first)
        return self._shown

    @property
    def whole(self) -> bool:
        """Whether viewers see everything that has happened."""
        return self.up_to >= self._table.snapshot().seq

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot that viewers may see."""
        return self._table.snapshot() if not self.delay_s else self._table.snapshot_at(self.up_to)

    def snapshot_at(self, seq: int) -> Snapshot:
        """Return the table after event `seq`.

        Raises:
            IllegalActionError: there is no such event, or not yet for viewers.
        """
        if seq > self.snapshot().seq:
            raise IllegalActionError(f"there is no event {seq}")
        return self._table.snapshot_at(seq)

    def events(self, after: int = 0, limit: int = 100) -> list[dict[str, Any]]:
        """Return events as viewers get them, oldest first."""
        newest = self.snapshot().seq
        page = self._table.events(after, limit)
        return [event_for_viewers(event, self._aids) for event in page if event["seq"] <= newest]

    def add_publisher(self, publisher: Publisher) -> None:
        """Call `publisher` for each event when viewers may see it."""
        self._publishers.append(publisher)

    async def publish(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        """Take one event from the table, to pass on now or after the delay."""
        if not self.delay_s:
            await self._pass_on(event, snapshot)
            return
        self._waiting.append((self._now_s() + self.delay_s, event, snapshot))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._release())

    async def _release(self) -> None:
        while self._waiting:
            due_s, event, snapshot = self._waiting[0]
            await asyncio.sleep(max(0.0, due_s - self._now_s()))
            self._waiting.popleft()
            await self._pass_on(event, snapshot)

    async def _pass_on(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        self._shown = int(event["seq"])
        shown = snapshot_for_viewers(snapshot, self._aids)
        for publisher in self._publishers:
            await publisher.publish(event_for_viewers(event, self._aids), shown)


def snapshot_for_viewers(snapshot: Mapping[str, Any], aids: bool) -> dict[str, Any]:
    """Return a snapshot's JSON as viewers get it."""
    question = snapshot.get("question")
    if question is not None and not is_for_viewers(question):
        question = None
    shown = {**snapshot, "question": question}
    return shown if aids else dict(without_aids(shown))
