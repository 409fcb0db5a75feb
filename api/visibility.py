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
from controller.records import MatchRecord
from controller.session.snapshot import snapshot_json

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
    """What one door shows of a table; everything it returns are JSON values fit for viewers.

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
        self._kept: dict[int, tuple[Mapping[str, Any], Mapping[str, Any]]] = {}
        self._task: asyncio.Task[None] | None = None
        self._open_s = now_s() + delay_s
        first = table.snapshot()
        self._first = first.seq
        self._match_id = first.match_id
        self._shown = 0
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
        if not self.delay_s:
            return self._table.snapshot().seq
        if not self._kept and self._now_s() >= self._open_s:
            self._shown = max(self._shown, self._first)
        return self._shown

    @property
    def whole(self) -> bool:
        """Whether viewers see everything that has happened in the match on the table."""
        now = self._table.snapshot()
        return not self.delay_s or (self._match_id == now.match_id and self.up_to >= now.seq)

    def snapshot(self) -> dict[str, Any]:
        """Return the newest snapshot that viewers may see."""
        return self.snapshot_at(self.up_to) if self.delay_s else self._fit(snapshot_json(self._table.snapshot()))

    def snapshot_at(self, seq: int) -> dict[str, Any]:
        """Return the table after event `seq`.

        Raises:
            IllegalActionError: there is no such event, or not yet for viewers.
        """
        if seq > self.up_to:
            raise IllegalActionError(f"there is no event {seq}; the newest is {self.up_to}")
        if seq in self._kept:
            return self._fit(self._kept[seq][1])
        if self._of_another_match():
            raise IllegalActionError(f"event {seq} of the match before is no longer here")
        return self._fit(snapshot_json(self._table.snapshot_at(seq)))

    def _of_another_match(self) -> bool:
        return bool(self.delay_s) and self._match_id != self._table.snapshot().match_id

    def events(self, after: int = 0, limit: int = 100) -> list[dict[str, Any]]:
        """Return events as viewers get them, oldest first."""
        if self._of_another_match():
            page = [event for seq, (event, _) in sorted(self._kept.items()) if seq > after][:limit]
        else:
            page = list(self._table.events(after, limit))
        return [event_for_viewers(event, self._aids) for event in page if event["seq"] <= self.up_to]

    def record(self) -> MatchRecord:
        """Return the match as a record.

        Raises:
            IllegalActionError: viewers have not seen all of it yet.
        """
        if not self.whole:
            raise IllegalActionError("the record follows when its last play has been shown")
        return self._table.record()

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
            self._keep(event, snapshot)
            await self._pass_on(event, snapshot)

    def _keep(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        """Keep what viewers have seen of a match, since the table may be at the next one already."""
        if snapshot["match_id"] != self._match_id:
            self._kept.clear()
            self._match_id = str(snapshot["match_id"])
        self._shown = int(event["seq"])
        self._kept[self._shown] = (event, snapshot)

    async def _pass_on(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        shown = self._fit(snapshot)
        for publisher in self._publishers:
            await publisher.publish(event_for_viewers(event, self._aids), shown)

    def _fit(self, snapshot: Mapping[str, Any]) -> dict[str, Any]:
        return snapshot_for_viewers(snapshot, self._aids)


def snapshot_for_viewers(snapshot: Mapping[str, Any], aids: bool) -> dict[str, Any]:
    """Return a snapshot's JSON as viewers get it."""
    question = snapshot.get("question")
    if question is not None and not is_for_viewers(question):
        question = None
    shown = {**snapshot, "question": question}
    return shown if aids else dict(without_aids(shown))
