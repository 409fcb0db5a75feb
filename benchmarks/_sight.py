"""What ``benchmarks/vision.py`` runs; apart, because that name hides the package."""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise

import cv2
import numpy as np

from controller.board import START_BOARD, Board, Scene
from vision.calibration import Calibration
from vision.camera import Frame
from vision.field import Field, Picture, rectify
from vision.jointly import marginals
from vision.reader import calibrate, read
from vision.settle import Gate
from vision.simulated import SimulatedCamera

GATE, READING, MEMORY_MB = 0.3, 3.0, 250.0
"""What is claimed: shares of the floor, and resident memory."""

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


def cpu_ms(work: Callable[[], object]) -> float:
    """Return the CPU time of one call in milliseconds."""
    begin = time.process_time()
    work()
    return (time.process_time() - begin) * 1000


def speed(camera: SimulatedCamera, calibration: Calibration, rounds: int) -> dict[str, float]:
    """Return the median CPU time in milliseconds of the floor, the gate and the full reading."""
    picture = camera.picture(Scene(any_board(random.Random(1))))
    jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])[1]
    gate = Gate(calibration.field, camera.picture(Scene(START_BOARD)))
    frames = [camera.picture(Scene(any_board(random.Random(2)))) for _ in range(4)]

    def floor() -> None:
        rectify(np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8), calibration.field)

    times: dict[str, list[float]] = {"floor": [], "gate": [], "reading": []}
    for i in range(rounds):
        frame = frames[i % len(frames)]
        times["floor"].append(cpu_ms(floor))
        times["gate"].append(cpu_ms(lambda f=frame, i=i: gate.look(Frame(f, i * 0.1, str(i)))))  # type: ignore[misc]
        times["reading"].append(cpu_ms(lambda f=frame: read(f, calibration)))  # type: ignore[misc]
    return {name: round(statistics.median(values), 2) for name, values in times.items()}


def reliability(camera: SimulatedCamera, calibration: Calibration, boards: int) -> list[tuple[float, bool]]:
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
    camera = SimulatedCamera(seed=1)
    start: Picture = camera.picture(Scene(START_BOARD))
    field = Field.of(camera.corners_px, (start.shape[1], start.shape[0]), "bottom-right")
    calibration = calibrate(start, field, START_BOARD)
    times = speed(camera, calibration, args.rounds)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    gate, reading = times["gate"] / times["floor"], times["reading"] / times["floor"]
    quick = gate <= GATE and reading <= READING and memory <= MEMORY_MB
    print(
        json.dumps(
            {
                "bench": "vision speed",
                "cpu_ms": times,
                "gate_floors": round(gate, 2),
                "reading_floors": round(reading, 2),
                "memory_mb": round(memory),
                "claim": f"gate <= {GATE}, reading <= {READING} floors, memory <= {MEMORY_MB:.0f} MB",
                "holds": quick,
            }
        )
    )
    told = reliability(camera, calibration, args.boards)
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
