"""Several parts behind one port: camera and sensor array as one watcher, all buttons as one source."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence

from controller.board import BarReading, Board, Observation, SiteReading
from controller.ports import BoardWatcher, Buttons, Pressed, Watched

PATIENCE_S = 1.5
"""How long the others may take to read the board anew after one watcher saw it change."""


def _sites(readings: Sequence[SiteReading]) -> SiteReading:
    seen = [each for each in readings if each.seen]
    if not seen:
        return SiteReading()
    values = tuple(sum(parts) for parts in zip(*(each.log_likelihoods for each in seen), strict=True))
    return SiteReading(values, True)


def _bars(readings: Sequence[BarReading]) -> BarReading:
    seen = [each for each in readings if each.seen]
    if not seen:
        return BarReading()
    values = tuple(sum(parts) for parts in zip(*(each.log_likelihoods for each in seen), strict=True))
    return BarReading(values, True)


def merged(readings: Sequence[Observation]) -> Observation:
    """Return what several readings of the same board say together.

    Each has made its mistakes for reasons of its own, so log-likelihoods add up; what one does not see the others
    tell. Dice, cube and picture are those of the first that has any, the time that of the oldest. The source is
    always ``"merged"``, so that a newer reading takes the place of an older one, whoever took part in it.

    Args:
        readings: at least one.
    """
    newest = max(readings, key=lambda each: each.at_s)
    first = next((each for each in readings if each.frame is not None), newest)
    return Observation(
        at_s=min(each.at_s for each in readings),
        sites=tuple(map(_sites, zip(*(each.sites for each in readings), strict=True))),
        bar=(_bars([each.bar[0] for each in readings]), _bars([each.bar[1] for each in readings])),
        dice=next((each.dice for each in readings if each.dice), ()),
        cube=next((each.cube for each in readings if each.cube is not None), None),
        hand=any(each.hand for each in readings),
        frame=first.frame,
        source="merged",
    )


class MergedWatcher:
    """Several watchers of one board as one (`BoardWatcher`).

    A reading goes out only when nobody sees anything move, and only of watchers that have read the board since it
    moved last; one that is lost, or slow, is left out until it reads again.

    Args:
        watchers: at least one.
        now_s: the table's monotonic clock.
        patience_s: how long a slower watcher is waited for, in real seconds.
    """

    def __init__(
        self,
        *watchers: BoardWatcher,
        now_s: Callable[[], float] = time.monotonic,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._watchers = watchers
        self._now_s = now_s
        self._patience_s = patience_s
        self._queue: asyncio.Queue[tuple[int, Observation | Watched | Exception | None]] = asyncio.Queue()
        self._moving: set[int] = set()
        self._awaited: set[int] = set()
        self._fresh: dict[int, Observation] = {}
        self._lost: set[int] = set()
        self._looked_s: dict[int, float] = {}
        self._told_s = 0.0
        self._due = False

    async def watch(self) -> AsyncIterator[Observation | Watched]:
        """Yield what all watchers say together, until each has ended."""
        tasks = [
            asyncio.create_task(self._follow(number, watcher), name=f"watcher-{number}")
            for number, watcher in enumerate(self._watchers)
        ]
        going = len(tasks)
        try:
            while going:
                try:
                    wait_s = self._patience_s if self._due and self._awaited else None
                    async with asyncio.timeout(wait_s):
                        number, item = await self._queue.get()
                except TimeoutError:
                    self._awaited.clear()
                else:
                    if isinstance(item, Exception):
                        raise item
                    if item is None:
                        going -= 1
                        self._forget(number)
                    elif isinstance(item, Watched) and item.kind == "still":
                        if (still := self._still(number, item)) is not None:
                            yield still
                    elif isinstance(item, Watched):
                        self._heard(number, item)
                        yield item
                    elif self._read(number, item):
                        yield item
                if self._due and not self._moving and not self._awaited and self._fresh:
                    self._due = False
                    both = merged([self._fresh[each] for each in sorted(self._fresh)])
                    self._told_s = max(self._told_s, both.at_s)
                    yield both
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self, number: int, watcher: BoardWatcher) -> None:
        try:
            async for item in watcher.watch():
                self._queue.put_nowait((number, item))
        except Exception as error:  # it is raised again where the readings are taken
            self._queue.put_nowait((number, error))
        self._queue.put_nowait((number, None))

    def _still(self, number: int, item: Watched) -> Watched | None:
        """Return until when all that have read the board have seen it stand still, when that is news."""
        self._looked_s[number] = item.at_s
        if self._moving or self._awaited or self._due or not self._fresh:
            return None
        at_s = min(max(seen.at_s, self._looked_s.get(each, 0.0)) for each, seen in self._fresh.items())
        if at_s <= self._told_s:
            return None
        self._told_s = at_s
        return Watched("still", at_s, item.detail, item.frame)

    def _heard(self, number: int, item: Watched) -> None:
        """Note movement, and who can see at all."""
        if item.kind in ("moving", "hand"):
            self._moving.add(number)
            self._fresh.clear()
            self._awaited = set(range(len(self._watchers))) - self._lost
        elif item.kind == "lost":
            self._forget(number)
            self._lost.add(number)
        elif item.kind == "found":
            self._lost.discard(number)

    def _read(self, number: int, seen: Observation) -> bool:
        """Take one watcher's reading; tell whether it goes out as it is, because a hand rests on the board."""
        self._lost.discard(number)
        if seen.hand:
            self._heard(number, Watched("hand", seen.at_s))
            return True
        self._moving.discard(number)
        self._awaited.discard(number)
        self._fresh[number] = seen
        self._due = True
        return False

    def _forget(self, number: int) -> None:
        self._moving.discard(number)
        self._awaited.discard(number)
        self._due = self._fresh.pop(number, None) is not None or self._due

    def confirm(self, board: Board) -> None:
        """Tell each watcher what stands on the board for certain."""
        for watcher in self._watchers:
            watcher.confirm(board)

    def read_again(self) -> None:
        """Let each watcher read the board once more."""
        for watcher in self._watchers:
            watcher.read_again()

    async def close(self) -> None:
        """Close each watcher."""
        for watcher in self._watchers:
            await watcher.close()


class MergedButtons:
    """Buttons on the board and on the Raspberry Pi as one source (`Buttons`)."""

    def __init__(self, *sources: Buttons) -> None:
        self._sources = sources

    async def presses(self) -> AsyncIterator[Pressed]:
        """Yield each press exactly once, in the order in which they arrive, until cancelled."""
        queue: asyncio.Queue[Pressed] = asyncio.Queue()

        async def follow(source: Buttons) -> None:
            async for press in source.presses():
                queue.put_nowait(press)

        tasks = [asyncio.create_task(follow(source), name="buttons") for source in self._sources]
        try:
            while True:
                yield await queue.get()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
