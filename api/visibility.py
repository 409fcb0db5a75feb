"""What viewers may see of a table: later than it happens where the event says so, and never what is not for them.

Numbers stay gapless: an event that is not for viewers keeps its number and loses its content.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.source import TableSource
from controller.errors import ConfigError, IllegalActionError, StorageError
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


@dataclass(frozen=True, slots=True)
class Sight:
    """What viewers may see of a table, as the director decides.

    Attributes:
        delay_s: how much later than the table they see everything.
        aids: whether they may see hints and the like; never of a tournament.
    """

    delay_s: float = 0.0
    aids: bool = False


class SightFile:
    """Keeps what the director decided, so that a power cut does not show a delayed game at once.

    Args:
        path: the file, or None to keep nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def read(self, default: Sight) -> Sight:
        """Return what was decided last, else `default`.

        Raises:
            ConfigError: the file cannot be read, or is not one of ours.
        """
        if self._path is None or not self._path.exists():
            return default
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            return Sight(max(0.0, float(kept["delay_s"])), kept["aids"] is True)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{self._path}: does not say what viewers may see ({error}); remove it") from error

    def write(self, sight: Sight) -> None:
        """Keep a decision.

        Raises:
            StorageError: the file cannot be written.
        """
        if self._path is None:
            return
        fresh = self._path.with_suffix(".new")
        try:
            fresh.write_text(json.dumps({"delay_s": sight.delay_s, "aids": sight.aids}), encoding="utf-8")
            fresh.replace(self._path)
        except OSError as error:
            raise StorageError(f"{self._path}: cannot be written: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class _Waiting:
    """One event on its way to viewers: when it happened, and whether at a tournament."""

    at_s: float
    event: Mapping[str, Any]
    snapshot: Mapping[str, Any]
    tournament: bool


class PublicTable:
    """What one door shows of a table; everything it returns are JSON values fit for viewers.

    Args:
        table: the table itself.
        delay_s: how much later viewers see everything, until `see` decides otherwise.
        aids: whether hints and the like may be seen; never of a tournament.
        path: where decisions are kept over a restart.
        now_s: monotonic clock.
    """

    def __init__(
        self,
        table: TableSource,
        *,
        delay_s: float = 0.0,
        aids: bool = False,
        path: Path | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._table = table
        self._now_s = now_s
        self._file = SightFile(path)
        self._sight = self._file.read(Sight(delay_s, aids))
        self._publishers: list[Publisher] = []
        self._waiting: deque[_Waiting] = deque()
        self._kept: dict[int, tuple[Mapping[str, Any], Mapping[str, Any]]] = {}
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._shown = 0
        self._opens: tuple[float, int] | None = None
        self._match_id = ""
        self._tournament = False
        self._stay_at_newest(now_s() + self.delay_s)
        table.add_publisher(self)

    def _stay_at_newest(self, opens_s: float) -> None:
        """Let viewers see from `opens_s` on what has happened so far; what happens next follows with the delay."""
        now = self._table.snapshot()
        event = next(iter(self._table.events(now.seq - 1, 1)), None) if now.seq else None
        self._kept = {now.seq: (event, snapshot_json(now))} if event else {}
        self._match_id, self._tournament = now.match_id, self._table.tournament
        self._shown, self._opens = 0, (opens_s, now.seq)

    @property
    def sight(self) -> Sight:
        """What viewers may see now."""
        return self._sight

    @property
    def delay_s(self) -> float:
        """By how many seconds viewers lag behind the table."""
        return self._sight.delay_s

    @property
    def waiting(self) -> int:
        """How many events viewers have not seen yet."""
        return len(self._waiting)

    def see(self, sight: Sight) -> None:
        """Let viewers see otherwise from now on; what they have seen they keep.

        Raises:
            IllegalActionError: aids at a tournament.
            StorageError: the decision cannot be kept; then it does not hold.
        """
        if sight.aids and self._table.tournament:
            raise IllegalActionError("viewers of a tournament see no hints")
        self._file.write(sight)
        if sight.delay_s and not self.delay_s and not self._waiting:
            self._stay_at_newest(self._now_s())
        self._sight = sight
        self._changed.set()

    @property
    def table_id(self) -> str:
        """Name of the table."""
        return self._table.table_id

    @property
    def simulated(self) -> bool:
        """Whether nothing of this table is a real board."""
        return self._table.simulated

    @property
    def tournament(self) -> bool:
        """Whether the match on the table is played under tournament conditions."""
        return self._table.tournament

    @property
    def up_to(self) -> int:
        """Number of the newest event that viewers may see.

        What happened before this program started is shown one delay after the start: nobody knows when it was.
        """
        if not self.delay_s and not self._waiting:
            return self._table.snapshot().seq
        if self._opens is not None and self._now_s() >= self._opens[0]:
            self._shown, self._opens = max(self._shown, self._opens[1]), None
        return self._shown

    @property
    def whole(self) -> bool:
        """Whether viewers see everything that has happened in the match on the table."""
        now = self._table.snapshot()
        return not self._of_another_match() and self.up_to >= now.seq

    def snapshot(self) -> dict[str, Any]:
        """Return the newest snapshot that viewers may see."""
        if not self.delay_s and not self._waiting:
            return self._fit(snapshot_json(self._table.snapshot()))
        return self.snapshot_at(self.up_to)

    def snapshot_at(self, seq: int) -> dict[str, Any]:
        """Return the table after event `seq`.

        Raises:
            IllegalActionError: there is no such event, or not yet for viewers.
        """
        if seq > self.up_to:
            raise IllegalActionError(f"there is no event {seq}; the newest is {self.up_to}")
        if seq in self._kept and (self.delay_s or self._waiting):
            return self._fit(self._kept[seq][1])
        if seq and self._of_another_match():
            raise IllegalActionError(f"event {seq} of the match before is no longer here")
        return self._fit(snapshot_json(self._table.snapshot_at(seq)))

    def _of_another_match(self) -> bool:
        lags = bool(self.delay_s) or bool(self._waiting)
        return lags and self._match_id != self._table.snapshot().match_id

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

    def rolls(self) -> list[dict[str, Any]] | None:
        """Return the log of the electronic dice as far as viewers may see it; None where there are none."""
        lines = self._table.rolls()
        if lines is None or self.whole:
            return lines
        if self._of_another_match():
            return []
        shown = self.up_to
        return [line for line in lines if line["type"] != "reveal" and line.get("roll_id", 0) < shown]

    def add_publisher(self, publisher: Publisher) -> None:
        """Call `publisher` for each event when viewers may see it."""
        self._publishers.append(publisher)

    async def publish(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        """Take one event from the table, to pass on now or after the delay."""
        one = _Waiting(self._now_s(), event, snapshot, self._table.tournament)
        if not self.delay_s and (self._task is None or self._task.done()):
            await self._pass_on(one)
            return
        self._waiting.append(one)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._release())

    async def _release(self) -> None:
        """Pass on what is due, oldest first, until nothing waits."""
        while self._waiting:
            left_s = self._waiting[0].at_s + self.delay_s - self._now_s()
            if left_s > 0:
                self._changed.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(left_s):
                        await self._changed.wait()
                continue
            one = self._waiting[0]
            self._keep(one)
            self._waiting.popleft()
            await self._pass_on(one)

    def _keep(self, one: _Waiting) -> None:
        """Keep what viewers have seen of a match, since the table may be at the next one already."""
        if one.snapshot["match_id"] != self._match_id:
            self._kept.clear()
            self._match_id = str(one.snapshot["match_id"])
        self._opens, self._tournament = None, one.tournament
        self._shown = int(one.event["seq"])
        self._kept[self._shown] = (one.event, one.snapshot)

    async def _pass_on(self, one: _Waiting) -> None:
        aids = self._sight.aids and not one.tournament
        shown = snapshot_for_viewers(one.snapshot, aids)
        for publisher in self._publishers:
            await publisher.publish(event_for_viewers(one.event, aids), shown)

    @property
    def _aids(self) -> bool:
        tournament = self._tournament if self._of_another_match() else self._table.tournament
        return self._sight.aids and not tournament

    def _fit(self, snapshot: Mapping[str, Any]) -> dict[str, Any]:
        return snapshot_for_viewers(snapshot, self._aids)


def snapshot_for_viewers(snapshot: Mapping[str, Any], aids: bool) -> dict[str, Any]:
    """Return a snapshot's JSON as viewers get it."""
    question = snapshot.get("question")
    if question is not None and not is_for_viewers(question):
        question = None
    shown = {**snapshot, "question": question}
    return shown if aids else dict(without_aids(shown))
