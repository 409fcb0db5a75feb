"""The parts of a table that a real one and a simulated one have in common."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from controller.board import START_BOARD, Board
from controller.hardware.link import SerialLink
from controller.hardware.players import Hearing
from controller.hardware.sensors import SensorWatcher
from controller.hardware.simulated import SimulatedTable
from controller.ports import BoardWatcher, DiceSource
from controller.session.snapshot import Snapshot
from vision.watcher import CameraWatcher
from vision.wizard import Tapped


@dataclass(frozen=True, slots=True)
class Parts:
    """What differs between a real table and a simulated one.

    Attributes:
        watcher: watches the checkers.
        link: to the board, or None without one.
        now_s: the table's monotonic clock.
        table_s: turns real monotonic time into the table's.
        world: the simulated players, or None at a real table.
        faults: what goes wrong at a simulated table, until all faults are over.
        note: what kind of board this is, for the person who started it.
        cells: the watcher of the sensor array, or None without one.
        dice: the electronic dice, or None.
        camera: the watcher of the camera, or None without one.
        pictures: what it reads from, for the wizard.
        hearing: what simulated players hear of the table where the computer is one of them, else None.
    """

    watcher: BoardWatcher
    link: SerialLink | None
    cells: SensorWatcher | None = None
    dice: DiceSource | None = None
    now_s: Callable[[], float] = time.monotonic
    table_s: Callable[[float], float] = float
    world: SimulatedTable | None = None
    faults: Coroutine[Any, Any, None] | None = None
    note: str = ""
    camera: CameraWatcher | None = None
    pictures: Tapped | None = None
    hearing: Hearing | None = None


def going_on(known: Snapshot) -> bool:
    """Tell whether a game is in progress after the newest event of the journal."""
    return known.phase in ("rolling", "moving", "offered") and known.turn is not None


def stands(known: Snapshot) -> Board:
    """Return what stands on the board when the table starts: the game in progress, else the start position."""
    return known.board if going_on(known) else START_BOARD
