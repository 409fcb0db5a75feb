"""The parts of a simulated table: drawn camera frames, virtual hardware, scripted players."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass

from controller.config import Settings
from controller.hardware.faults import FaultOrder, make_faults
from controller.hardware.link import SerialLink
from controller.hardware.merged import MergedWatcher
from controller.hardware.parts import SerialDice
from controller.hardware.peer import Peer
from controller.hardware.players import FROM_THE_START, HESITATION, Beginning, Hearing, games
from controller.hardware.sensors import SensorWatcher
from controller.hardware.simavr import EmulatedBoard, VirtualBoard, build, missing
from controller.hardware.simulated import LegibleDice, SimulatedTable
from controller.rules import Color
from controller.session.snapshot import Snapshot
from controller.wiring.evening import rules_in_force
from controller.wiring.parts import Parts, going_on
from vision.camera import Frame
from vision.field import Field
from vision.simulated import SimulatedCamera, SimulatedSource
from vision.watcher import CameraWatcher
from vision.wizard import Tapped


@dataclass(frozen=True, slots=True)
class Simulation:
    """How the simulated evening goes.

    Attributes:
        seed: makes the evening.
        speed: how much faster than real players.
        faults: what goes wrong with the board and its cable.
    """

    seed: int = 1
    speed: float = 1.0
    faults: tuple[FaultOrder, ...] = ()


def simulated_parts(
    settings: Settings, simulation: Simulation, known: Snapshot, owned: contextlib.ExitStack
) -> Parts:
    """Return the parts of a simulated table; its players go on where the journal ends."""
    began_s = time.monotonic()

    def table_s(real_s: float) -> float:
        return began_s + (real_s - began_s) * simulation.speed

    def now_s() -> float:
        return table_s(time.monotonic())

    lack = missing()
    if not lack:
        build()
    board: VirtualBoard = Peer() if lack else EmulatedBoard()
    owned.callback(board.close)
    note = f"the protocol's simulated peer ({lack})" if lack else "the real firmware, in simavr"
    link = SerialLink(board.devices, board.open)
    beginning = Beginning(known.board, known.turn, known.roll) if going_on(known) else FROM_THE_START
    dice = LegibleDice(SerialDice(link))
    told_by = dice.told if settings.dice.mode == "electronic" else None
    computer = settings.match.computer
    hearing = None if computer == "none" else Hearing(Color(computer))
    hesitation = HESITATION if rules_in_force(settings).commit == "explicit" else 0.0
    moments = games(simulation.seed + known.seq, hesitation, beginning, told_by, hearing)
    world = SimulatedTable(moments, board, simulation.speed, cells=settings.board.sensors)
    faults = make_faults(board, simulation.faults) if simulation.faults else None
    cells = SensorWatcher(link, now_s) if settings.board.sensors else None
    if cells is not None and settings.camera.source == "none":
        return Parts(cells, link, cells, dice, now_s, table_s, world, faults, note, hearing=hearing)
    camera = SimulatedCamera(seed=simulation.seed)
    source = SimulatedSource(camera, lambda: world.scene, settings.camera.frames_hz, now_s)

    def finder(frame: Frame) -> Field:
        size = frame.image.shape[1], frame.image.shape[0]
        return Field.of(camera.corners_px, size, "bottom-right")

    pictures = Tapped(source)
    eyes = CameraWatcher(pictures, finder, beginning.board, now_s)
    watcher = MergedWatcher(eyes, cells, now_s=now_s) if cells is not None else eyes
    return Parts(watcher, link, cells, dice, now_s, table_s, world, faults, note, eyes, pictures, hearing)
