"""The simulated table: the scripted players' evening happens here in real time, at a chosen speed.

It holds what lies on the table now; the simulated camera draws it, the simulated buttons are pressed by the
players. What the rules or the match say is not known here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

from controller.board import START_BOARD, Scene
from controller.hardware.players import Moment
from controller.ports import Pressed


class SimulatedTable:
    """A board, two players and their buttons.

    Args:
        moments: what happens, from `controller.hardware.players.games` or a test's own list.
        clock: monotonic time in seconds.
        speed: how much faster than real players; 2 is twice as fast.
    """

    def __init__(self, moments: Iterator[Moment], clock: Callable[[], float], speed: float = 1.0) -> None:
        self._moments = moments
        self._clock = clock
        self._speed = speed
        self._scene = Scene(START_BOARD)
        self._pressed: asyncio.Queue[Pressed | None] = asyncio.Queue()
        self._going = asyncio.Event()
        self._going.set()

    @property
    def scene(self) -> Scene:
        """What lies on the table now; read by the camera from its own thread."""
        return self._scene

    async def run(self) -> None:
        """Let the evening happen until the moments end or the task is cancelled."""
        try:
            for moment in self._moments:
                await self._going.wait()
                self._scene = moment.scene
                if moment.press is not None:
                    await self._pressed.put(Pressed(moment.press, moment.player, self._clock()))
                await asyncio.sleep(moment.lasts_s / self._speed)
        finally:
            await self._pressed.put(None)

    def hold(self) -> None:
        """Let the players wait: the table has asked something."""
        self._going.clear()

    def go_on(self) -> None:
        """Let the players go on."""
        self._going.set()

    async def presses(self) -> AsyncIterator[Pressed]:
        """Yield each press exactly once, in order, until the evening ends."""
        while (press := await self._pressed.get()) is not None:
            yield press
