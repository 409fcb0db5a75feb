"""What ``benchmarks/vision.py`` runs; apart, because that name hides the package."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import TypeVar

import cv2
import numpy as np

from controller.board import START_BOARD, Board, Scene, SceneDie
from controller.rules import Color, Roll, legal_plays
from vision.calibration import Calibration
from vision.camera import Frame
from vision.eyes import Eyes
from vision.field import Field, Picture, rectify
from vision.jointly import marginals
from vision.reader import calibrate, read
from vision.settle import Gate
from vision.simulated import SimulatedCamera

Result = TypeVar("Result")

GATE, READING, MEMORY_MB, IDLE = 0.3, 3.0, 250.0, 0.1
"""What is claimed: shares of the floor, resident memory, and the share of a core that an unchanged board costs."""

FRAMES = 10
"""Pictures a second."""

SURE, RIGHT = 0.99, 0.99
"""Of the sites given at least this confidence, this share is right."""

LEVELS = (0.0, 0.5, 0.9, 0.99, 0.999, 1.01)


def any_board(rng: random.Random) -> Board:
    """Return a board with up to five checkers on a point."""
    points = [0] * 24
    for sign in (1, -1):
        left = 15 - rng.choice([0, 0, 0, 2, 5])
        free = [i for i in range(24) if points[i] == 0]
        rng.shuffle(free)
        for i in free:
            count = min(left, rng.randint(1, 5))
            points[i], left = sign * count, left - count
            if left == 0:
                break
    return Board(tuple(points))


def filmed(scenes: Connection) -> None:
    """Draw the scenes that come through a connection and send back the camera's corners and JPEGs."""
    camera = SimulatedCamera(seed=1)
    scenes.send(camera.corners_px)
    while (scene := scenes.recv()) is not None:
        scenes.send(cv2.imencode(".jpg", camera.picture(scene), [cv2.IMWRITE_JPEG_QUALITY, 90])[1])


class Film:
    """The simulated camera in a process of its own, as a real one is none of the eyes' memory.

    Attributes:
        corners_px: the field's corners in its pictures.
    """

    def __init__(self, scenes: Connection) -> None:
        self._scenes = scenes
        self.corners_px = scenes.recv()

    def jpeg(self, scene: Scene) -> Picture:
        """Return the file with a picture."""
        self._scenes.send(scene)
        return np.asarray(self._scenes.recv(), np.uint8)

    def picture(self, scene: Scene) -> Picture:
        """Return a picture."""
        return opened(self.jpeg(scene))


@contextmanager
def film() -> Iterator[Film]:
    """Start the simulated camera, and stop it in the end."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=filmed, args=(there,), daemon=True)
    process.start()
    yield Film(here)
    here.send(None)
    process.join()


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return what a call gives and its CPU time in milliseconds."""
    begin = time.process_time()
    result = work()
    return result, (time.process_time() - begin) * 1000


def opened(jpeg: Picture) -> Picture:
    """Return the picture of a JPEG."""
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)


def floor(jpeg: Picture, field: Field) -> Picture:
    """Return the rectified picture of a JPEG."""
    return rectify(opened(jpeg), field)


def any_game(rng: random.Random, turns: int) -> list[Scene]:
    """Return what lies on the table after each turn of random legal plays, with the dice of the turn."""
    board, mover, scenes = START_BOARD, Color.WHITE, []
    for _ in range(turns):
        roll = Roll.of(rng.randint(1, 6), rng.randint(1, 6))
        after = sorted(legal_plays(board.seen_by(mover), roll), key=str)
        board = Board.of(rng.choice(after), mover) if after else board
        x, y = rng.uniform(0.6, 0.85), rng.uniform(0.45, 0.55)
        dice = tuple(SceneDie(face, mover, x + 0.07 * i, y, rng.uniform(0, 90)) for i, face in enumerate(roll))
        scenes.append(Scene(board, dice))
        mover = mover.opponent
        if board.off(Color.WHITE) + board.off(Color.BLACK) > 0:
            board = START_BOARD
    return scenes


def speed(camera: Film, calibration: Calibration, rounds: int) -> dict[str, float]:
    """Return the median CPU time in milliseconds of each step of a table's eyes.

    The pictures are those of a game, `FRAMES` a second and one second a turn: the gate for each of them, what it
    costs to judge one that is still and changed, the full reading of that (checkers, bar, dice and cube), and
    learning from it. A turn is all that is done with such a picture before it is learned from: whether the board
    was moved, too. Idle is all that one more picture of the last, unchanged board costs, its JPEG included.
    """
    start = Frame(camera.picture(Scene(START_BOARD)), -1.0, "start")
    gate, eyes = Gate(calibration.field, start.image), Eyes(calibration, start)
    times: dict[str, list[float]] = {
        step: [] for step in ("floor", "gate", "judging", "reading", "turn", "learning")
    }
    scenes = any_game(random.Random(1), rounds)
    for i, scene in enumerate(scenes):
        jpeg = camera.jpeg(scene)
        frame = Frame(opened(jpeg), float(i), str(i))
        times["floor"].append(timed(partial(floor, jpeg, calibration.field))[1])
        looks = [timed(partial(gate.look, replace(frame, at_s=i + k / FRAMES))) for k in range(FRAMES)]
        look, spent = next((look, ms) for look, ms in looks if look.fresh and look.foreign is not None)
        times["gate"] += [ms for _, ms in looks]
        times["judging"].append(spent)
        times["reading"].append(timed(partial(eyes.read, frame, look.foreign))[1])
        times["turn"].append(timed(partial(eyes.see, frame))[1])
        times["learning"].append(timed(partial(eyes.confirm, scene.board, frame))[1])
    times["idle"] = [idle(eyes, camera.jpeg(scenes[-1]), rounds + k / FRAMES) for k in range(2 * FRAMES)]
    return {name: round(statistics.median(values), 2) for name, values in times.items()}


def idle(eyes: Eyes, jpeg: Picture, at_s: float) -> float:
    """Return the CPU time in milliseconds of one more picture of a board, from its JPEG on."""
    return timed(lambda: eyes.see(Frame(opened(jpeg), at_s, str(at_s))))[1]


def reliability(camera: Film, calibration: Calibration, boards: int) -> list[tuple[float, bool]]:
    """Return confidence and whether it was right for every site of some drawn boards."""
    told = []
    for seed in range(boards):
        board = any_board(random.Random(seed))
        observation = read(camera.picture(Scene(board)), calibration)
        chances, _ = marginals(observation)
        told += [
            (float(row.max()), int(row.argmax()) - 15 == board.points[i])
            for i, row in enumerate(chances)
            if observation.sites[i].seen
        ]
    return told


def table(told: list[tuple[float, bool]]) -> list[dict[str, float]]:
    """Return how often what was told with each confidence was right."""
    rows = []
    for low, high in pairwise(LEVELS):
        right = [ok for sure, ok in told if low <= sure < high]
        if right:
            rows.append({"from": low, "sites": len(right), "right": round(sum(right) / len(right), 4)})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--boards", type=int, default=20)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    with film() as camera:
        return measured(camera, args.rounds, args.boards)


def measured(camera: Film, rounds: int, boards: int) -> int:
    """Print speed and reliability; return 1 when a claim does not hold."""
    start = camera.picture(Scene(START_BOARD))
    field = Field.of(camera.corners_px, (start.shape[1], start.shape[0]), "bottom-right")
    calibration = calibrate(start, field, START_BOARD)
    times = speed(camera, calibration, rounds)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    gate, reading = times["gate"] / times["floor"], times["reading"] / times["floor"]
    idle_share = times["idle"] * FRAMES / 1000
    quick = gate <= GATE and reading <= READING and memory <= MEMORY_MB and idle_share <= IDLE
    print(
        json.dumps(
            {
                "bench": "vision speed",
                "cpu_ms": times,
                "gate_floors": round(gate, 2),
                "reading_floors": round(reading, 2),
                "memory_mb": round(memory),
                "idle_core": round(idle_share, 3),
                "claim": f"gate <= {GATE}, reading <= {READING} floors, memory <= {MEMORY_MB:.0f} MB, "
                f"idle <= {IDLE:.0%} of a core",
                "holds": quick,
            }
        )
    )
    told = reliability(camera, calibration, boards)
    sure = [ok for confidence, ok in told if confidence >= SURE]
    share = sum(sure) / max(1, len(sure))
    print(
        json.dumps(
            {
                "bench": "vision reliability",
                "sites": len(told),
                "right": round(sum(ok for _, ok in told) / len(told), 4),
                "sure_right": round(share, 4),
                "table": table(told),
                "claim": f"of sites with confidence >= {SURE}, {RIGHT:.0%} are right",
                "holds": share >= RIGHT,
            }
        )
    )
    return 0 if quick and share >= RIGHT else 1


if __name__ == "__main__":
    sys.exit(main())
