"""The sensor array as a `BoardWatcher`: cells under the board in, the same readings as a camera's out.

Each point has six cells in a row from the rim, each side of the bar eight, each tray sixteen; a cell tells empty,
White, Black or that it is broken. A point with more checkers than cells shows as many as it has cells, so the
reading gives all those counts the same likelihood, as far as that color has checkers that lie nowhere else.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from collections.abc import AsyncIterator, Callable, Sequence

from controller.board import COUNTS, SITES, BarReading, Board, Color, Observation, Site, SiteReading
from controller.errors import LinkError
from controller.hardware.link import SerialLink
from controller.ports import Watched
from controller.protocol import Booted, Cell, CellChanged, Event, Fault, FaultChanged, Snapshot

SLOTS = 6
"""Cells of one point, from the rim."""

BAR_SLOTS = 8
TRAY_SLOTS = 16
BAR_FIRST = {Color.WHITE: 24 * SLOTS, Color.BLACK: 24 * SLOTS + BAR_SLOTS}
TRAY_FIRST = {Color.WHITE: 24 * SLOTS + 2 * BAR_SLOTS, Color.BLACK: 24 * SLOTS + 2 * BAR_SLOTS + TRAY_SLOTS}
CELLS = 24 * SLOTS + 2 * BAR_SLOTS + 2 * TRAY_SLOTS

QUIET_S = 0.25
"""The array is read once no cell has changed for so long."""

REREAD_S = 5.0
"""Even without a change a reading is given this often: the snapshot is the truth, events are triggers."""

STILL_S = 0.25
"""How often the array is asked whether nothing has changed."""

WRONG_CELL = 9.0
"""What one cell that contradicts a count costs, natural logarithm: a cell hardly ever lies."""


def cells_of(site: Site) -> range:
    """Return the cells of a point, the one at the rim first."""
    return range((site - 1) * SLOTS, site * SLOTS)


def place_of(cell: int) -> str:
    """Return where a cell lies, in words.

    Example:
        >>> place_of(0), place_of(150), place_of(191)
        ('cell 1 of point 1', "cell 7 of White's bar", "cell 16 of Black's tray")
    """
    if cell < BAR_FIRST[Color.WHITE]:
        return f"cell {cell % SLOTS + 1} of point {cell // SLOTS + 1}"
    for name, first, count in (("bar", BAR_FIRST, BAR_SLOTS), ("tray", TRAY_FIRST, TRAY_SLOTS)):
        for color in Color:
            if first[color] <= cell < first[color] + count:
                return f"cell {cell - first[color] + 1} of {color.value.capitalize()}'s {name}"
    raise ValueError(f"there is no cell {cell}")


def unpack(packed: bytes) -> list[Cell]:
    """Return the cells of a snapshot: two bits a cell, the first in the lowest bits of the first byte."""
    return [Cell(packed[i // 4] >> 2 * (i % 4) & 3) for i in range(4 * len(packed))]


def _penalty(count: int, cells: Sequence[Cell], color: Cell, hidden: int) -> float:
    """Return how strongly cells speak against `count` checkers of one color lying on them.

    Args:
        count: of that color.
        cells: of one place.
        color: which.
        hidden: how many checkers of that color no cell shows: no more can lie on broken cells and in high stacks.
    """
    shown = sum(cell is color for cell in cells)
    other = sum(cell not in (color, Cell.EMPTY, Cell.FAULT) for cell in cells)
    broken = sum(cell is Cell.FAULT for cell in cells)
    expected = min(count, len(cells))
    missing = max(0, expected - shown - broken)
    surplus = max(0, shown - expected)
    too_many = max(0, count - shown - hidden - missing)
    return WRONG_CELL * (missing + surplus + other + too_many)


def site_reading(cells: Sequence[Cell], hidden: tuple[int, int] = (15, 15)) -> SiteReading:
    """Return what the cells of one point say, when so many white and black checkers are shown by no cell."""
    return _site_reading(tuple(cells), hidden)


@functools.lru_cache(maxsize=4096)
def _site_reading(cells: tuple[Cell, ...], hidden: tuple[int, int]) -> SiteReading:
    values = tuple(
        -_penalty(abs(count), cells, *((Cell.WHITE, hidden[0]) if count >= 0 else (Cell.BLACK, hidden[1])))
        if count
        else -WRONG_CELL * sum(cell in (Cell.WHITE, Cell.BLACK) for cell in cells)
        for count in COUNTS
    )
    return SiteReading(values, any(cell is not Cell.FAULT for cell in cells))


def bar_reading(cells: Sequence[Cell], color: Color, hidden: int = 15) -> BarReading:
    """Return what the cells of one side of the bar say, when so many of its checkers are shown by no cell."""
    return _bar_reading(tuple(cells), color, hidden)


@functools.lru_cache(maxsize=1024)
def _bar_reading(cells: tuple[Cell, ...], color: Color, hidden: int) -> BarReading:
    own = Cell.WHITE if color is Color.WHITE else Cell.BLACK
    values = tuple(-_penalty(count, cells, own, hidden) for count in range(16))
    return BarReading(values, any(cell is not Cell.FAULT for cell in cells))


def observation(cells: Sequence[Cell], at_s: float) -> Observation:
    """Return what the whole array says."""
    hidden = max(0, 15 - cells.count(Cell.WHITE)), max(0, 15 - cells.count(Cell.BLACK))
    sites = tuple(site_reading([cells[i] for i in cells_of(site)], hidden) for site in SITES)
    white, black = (
        bar_reading(cells[BAR_FIRST[color] : BAR_FIRST[color] + BAR_SLOTS], color, left)
        for color, left in zip((Color.WHITE, Color.BLACK), hidden, strict=True)
    )
    return Observation(at_s, sites, (white, black), source="sensors")


def cells_for(board: Board) -> list[Cell]:
    """Return what a faultless array shows of a board; what the simulated board puts on its cells."""
    cells = [Cell.EMPTY] * CELLS
    for site in SITES:
        count = board.at(site)
        for cell in cells_of(site)[: abs(count)]:
            cells[cell] = Cell.WHITE if count > 0 else Cell.BLACK
    for color, own in ((Color.WHITE, Cell.WHITE), (Color.BLACK, Cell.BLACK)):
        bar = board.bar[0 if color is Color.WHITE else 1]
        for first, count in ((BAR_FIRST[color], min(bar, BAR_SLOTS)), (TRAY_FIRST[color], board.off(color))):
            cells[first : first + count] = [own] * count
    return cells


class SensorWatcher:
    """Watches the board through the sensor array.

    Args:
        link: to the board.
        now_s: the table's monotonic clock.
        tell: called on the event loop with ``"failing"`` or ``"ok"`` and a sentence when a cell breaks or works
            again.
    """

    def __init__(
        self,
        link: SerialLink,
        now_s: Callable[[], float] = time.monotonic,
        tell: Callable[[str, str], None] | None = None,
    ) -> None:
        self._link = link
        self._now_s = now_s
        self.tell = tell
        self._changed = asyncio.Event()
        self._moved_s = 0.0
        self._unread = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False
        link.on_event(self._happened)
        link.on_restored(self._restored)

    def _restored(self) -> None:
        """Read the array once more: a board that starts feels its cells anew, and without events."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._note, 0.0)

    def _happened(self, event: Event, at_s: float) -> None:
        if self._loop is None:
            return
        if isinstance(event, CellChanged | Booted):
            self._loop.call_soon_threadsafe(self._note, at_s)
        elif isinstance(event, FaultChanged) and event.fault in (
            Fault.CELL_OPEN,
            Fault.CELL_SHORT,
            Fault.CELL_STUCK,
        ):
            what = "does not answer; the game goes on without it" if event.active else "works again"
            state = "failing" if event.active else "ok"
            self._loop.call_soon_threadsafe(self._say, state, f"{place_of(event.index)} {what}")

    def _note(self, at_s: float) -> None:
        self._moved_s = max(self._moved_s, at_s)
        self._changed.set()

    def _say(self, state: str, text: str) -> None:
        self._changed.set()
        if self.tell is not None:
            self.tell(state, text)

    async def watch(self) -> AsyncIterator[Observation | Watched]:
        """Yield a reading whenever the cells have come to rest, and every few seconds."""
        self._loop = asyncio.get_running_loop()
        try:
            async for seen in self._readings():
                yield seen
        finally:
            self._loop = None

    async def _readings(self) -> AsyncIterator[Observation | Watched]:
        lost = False
        last: bytes | None = None
        read_s = 0.0
        while not self._closed:
            if self._changed.is_set():
                yield Watched("moving", self._now_s())
                await self._settled()
                last = None
            asked_s = self._now_s()
            try:
                reply = await asyncio.wrap_future(self._link.ask(Snapshot()))
            except LinkError as error:
                if not lost:
                    yield Watched("lost", self._now_s(), str(error))
                lost = True
                await asyncio.sleep(0.5)
                continue
            if lost:
                yield Watched("found", self._now_s(), "the sensor array answers again")
                lost = False
            if self._changed.is_set():
                continue
            if reply.cells != last or asked_s - read_s >= REREAD_S or self._unread:
                last, read_s, self._unread = reply.cells, asked_s, False
                yield observation(unpack(reply.cells), asked_s)
            else:
                yield Watched("still", asked_s)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STILL_S):
                    await self._changed.wait()

    async def _settled(self) -> None:
        """Wait until no cell has changed for a while."""
        while self._changed.is_set():
            self._changed.clear()
            await asyncio.sleep(QUIET_S)

    def confirm(self, board: Board) -> None:
        """Take note of nothing: cells are calibrated on the empty board, not learned in play."""

    def read_again(self) -> None:
        """Yield what the cells say the next time they are asked, changed or not."""
        self._unread = True

    async def close(self) -> None:
        """Stop watching; the link is its owner's to close."""
        self._closed = True
        self._changed.set()
