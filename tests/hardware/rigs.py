"""Boards on which the contracts of the ports are tried: simulated, emulated, and a real one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from controller.board import Board
from controller.hardware.link import SerialLink
from controller.hardware.parts import configure
from controller.hardware.peer import Peer
from controller.hardware.sensors import cells_for
from controller.hardware.simavr import EmulatedBoard, VirtualBoard, build
from controller.protocol import Button, Cell, Event, Rolled
from tests.hardware.waiting import wait_for

LINKED = ("peer", "simavr")
REAL = ("real",) if os.environ.get("BARPOINT_PORT") else ()
"""The board that is plugged in there, where somebody says that one is."""

T = TypeVar("T")


class Rig:
    """A board, the link to it, and eyes and fingers where the board is not real."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.board: VirtualBoard | None = None
        if kind == "peer":
            self.board = Peer()
        elif kind == "simavr":
            build()
            self.board = EmulatedBoard()
        if self.board is not None:
            self.link = SerialLink(self.board.devices, self.board.open, bauds=(250_000,))
        else:
            self.link = SerialLink(lambda: [os.environ["BARPOINT_PORT"]])
        self.rolled: list[Rolled] = []
        self.link.on_event(self._happened)
        configure(self.link, brightness=255, sensors=True)
        self.link.start()
        wait_for(lambda: self.link.state.kind == "ok", timeout_s=30)

    def _happened(self, event: Event, at_s: float) -> None:
        if isinstance(event, Rolled):
            self.rolled.append(event)

    @property
    def lit(self) -> dict[int, tuple[int, ...]]:
        """The lights that are on, by their place in the chain."""
        assert self.board is not None
        shown = self.board.lights
        return {i: tuple(shown[3 * i : 3 * i + 3]) for i in range(52) if any(shown[3 * i : 3 * i + 3])}

    @property
    def sounded(self) -> bool:
        """Whether a pattern was asked of the simulated board, or the emulated one gives a tone now."""
        if isinstance(self.board, Peer):
            return bool(self.board.buzzed)
        assert isinstance(self.board, EmulatedBoard)
        return self.board.tone_hz > 0

    def press(self, button: Button) -> None:
        assert self.board is not None
        self.board.press(button)

    def put(self, board: Board) -> None:
        """Set the checkers up."""
        assert self.board is not None
        for index, cell in enumerate(cells_for(board)):
            self.board.set_cell(index, cell)

    def clear_cells(self) -> None:
        assert self.board is not None
        for index in range(192):
            self.board.set_cell(index, Cell.EMPTY)

    def close(self) -> None:
        self.link.close()
        if self.board is not None:
            self.board.close()


def take(source: AsyncIterator[T], do: Callable[[T], bool | None], timeout_s: float = 30.0) -> None:
    """Give each item to `do` until it returns True."""

    async def taking() -> None:
        async with asyncio.timeout(timeout_s):
            async for item in source:
                if await asyncio.to_thread(do, item):
                    return

    asyncio.run(taking())
