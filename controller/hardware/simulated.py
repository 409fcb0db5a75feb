"""The simulated table: the scripted players' evening happens here in real time, at a chosen speed.

It holds what lies on the table now; the simulated camera draws it, its cells feel it, and the players press the
buttons of a board that runs the real firmware or speaks its protocol. What the match says is not known here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from controller.board import START_BOARD, Scene
from controller.hardware.parts import BUTTONS
from controller.hardware.players import Moment, Shown
from controller.hardware.sensors import cells_for
from controller.hardware.simavr import VirtualBoard
from controller.ports import DiceSource
from controller.protocol import Cell
from controller.rules import Color, Roll


class LegibleDice:
    """Electronic dice that the simulated players can read (`DiceSource`).

    Args:
        dice: the dice themselves.
    """

    def __init__(self, dice: DiceSource) -> None:
        self._dice = dice
        self._shown: Shown | None = None

    def told(self) -> Shown | None:
        """Return the newest roll shown, also when the dice have been put out since."""
        return self._shown

    async def show(self, roll_id: int, roll: Roll, player: Color) -> None:
        """Show a roll."""
        await self._dice.show(roll_id, roll, player)
        self._shown = Shown(roll_id, roll, player)

    async def clear(self) -> None:
        """Put out all dice."""
        await self._dice.clear()


class SimulatedTable:
    """A board and two players.

    Args:
        moments: what happens, from `controller.hardware.players.games` or a test's own list.
        board: what the buttons and cells belong to.
        speed: how much faster than real players; 2 is twice as fast.
        cells: whether the checkers lie on a sensor array.
    """

    def __init__(
        self, moments: Iterator[Moment], board: VirtualBoard, speed: float = 1.0, *, cells: bool = False
    ) -> None:
        self._moments = moments
        self._board = board
        self._speed = speed
        self._scene = Scene(START_BOARD)
        self._felt: list[Cell] | None = [Cell.EMPTY] * 192 if cells else None
        self._going = asyncio.Event()
        self._going.set()

    @property
    def scene(self) -> Scene:
        """What lies on the table now; read by the camera from its own thread."""
        return self._scene

    async def run(self) -> None:
        """Let the evening happen until the moments end or the task is cancelled."""
        for moment in self._moments:
            await self._going.wait()
            self._show(moment.scene)
            if moment.press is not None:
                self._press(moment.press, moment.player)
            await asyncio.sleep(moment.lasts_s / self._speed)

    def hold(self) -> None:
        """Let the players wait: the table has asked something."""
        self._going.clear()

    def go_on(self) -> None:
        """Let the players go on."""
        self._going.set()

    def _show(self, scene: Scene) -> None:
        self._scene = scene
        if self._felt is None:
            return
        for index, cell in enumerate(cells_for(scene.board)):
            if cell is not self._felt[index]:
                self._board.set_cell(index, cell)
                self._felt[index] = cell

    def _press(self, name: str, player: Color) -> None:
        for button, meaning in BUTTONS.items():
            if meaning == (name, player):
                self._board.press(button)
