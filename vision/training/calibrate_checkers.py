"""Print what `vision.heat.EVEN` and `ODDS` must be for the checker net's log-odds to mean what they say.

    python -m vision.training.calibrate_checkers [--scenes 640] [--seed 9]

The net is asked in drawn scenes that it was not trained on, where checkers lie, and one checker's width beside
them where none does: the places that a reader asks about. Both kinds count the same, so that the log-odds are
those of evidence alone. The table says what share of both kinds got which log-odds with the present numbers.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.heat import EVEN, ODDS, heat
from vision.training.checker_scenes import COLUMN_PX, TILE_PX, CheckerTruth, draw_scene
from vision.training.train_checkers import SEEN

Floats = NDArray[np.float64]

REACH = 0.16 * COLUMN_PX
"""A place is where it should be up to this: the net's best answer so near to it counts, as when reading."""

INSIDE = 14
"""Nearer than this to the rim of a scene nothing is asked, pixels."""

EDGES = (-99, -6, -4, -2, -1, 0, 1, 2, 4, 6, 99)
"""Bounds of the rows of the table, log-odds."""


def asked(rng: np.random.Generator, checkers: list[CheckerTruth]) -> tuple[Floats, Floats]:
    """Return places with a checker that is seen, and places beside checkers where none is; pixels."""
    tops = np.array([(c.x, c.y) for c in checkers]).reshape(-1, 2)
    full = tops[[c.visible >= SEEN for c in checkers]]
    steps = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (0, 2), (2, 0)]) * COLUMN_PX
    bare = (tops[:, None] + steps[None]).reshape(-1, 2)
    near = np.hypot(*(bare[:, None] - tops[None]).transpose(2, 0, 1)).min(axis=1, initial=np.inf)
    both = [places + rng.normal(0, 1.0, places.shape) for places in (full, bare[near > 0.6 * COLUMN_PX])]
    kept = [p[(p.min(axis=1) > INSIDE) & (p.max(axis=1) < TILE_PX - INSIDE)] for p in both]
    return kept[0], kept[1]


def answers(job: tuple[int, int]) -> tuple[list[float], list[float]]:
    """Return what the net says where there are checkers and where there are none, in the scenes of one seed."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(job[0])
    said: tuple[list[float], list[float]] = ([], [])
    for _ in range(job[1]):
        tile, checkers, hand = draw_scene(rng)
        logit = heat(tile, COLUMN_PX).logit
        free = cv2.resize(hand, (TILE_PX, TILE_PX)) < 0.05
        for places, out in zip(asked(rng, checkers), said, strict=True):
            for x, y in places:
                if free[int(y), int(x)]:
                    rows, columns = (slice(round(v - REACH), round(v + REACH) + 1) for v in (y, x))
                    out.append(float(logit[rows, columns].max()))
    return said


def fitted(full: Floats, bare: Floats) -> tuple[float, float]:
    """Return EVEN and ODDS of the logistic curve that fits best, both kinds weighing the same."""
    best = (np.inf, 0.0, 1.0)
    for even in np.arange(-2.5, 2.5, 0.1):
        for odds in np.arange(0.5, 6, 0.1):
            loss = np.logaddexp(0, -odds * (full - even)).mean() + np.logaddexp(0, odds * (bare - even)).mean()
            best = min(best, (float(loss), float(even), float(odds)))
    return round(best[1], 1), round(best[2], 1)


def main() -> None:
    """Draw, ask, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=640)
    parser.add_argument("--seed", type=int, default=9)
    args = parser.parse_args()
    with ProcessPoolExecutor(2) as pool:
        parts = list(pool.map(answers, [(args.seed * 1000 + k, args.scenes // 16) for k in range(16)]))
    full, bare = (np.array([v for part in parts for v in part[kind]]) for kind in (0, 1))
    even, odds = fitted(full, bare)
    rows = []
    for low, high in pairwise(EDGES):
        share = [((ODDS * (v - EVEN) > low) & (ODDS * (v - EVEN) <= high)).mean() for v in (full, bare)]
        rows.append({"from": low, "to": high, "full": round(share[0], 4), "bare": round(share[1], 4)})
    wrong = {"missed": float((full <= even).mean()), "ghosts": float((bare > even).mean())}
    asked_of = {"full": len(full), "bare": len(bare)}
    sys.stdout.write(json.dumps({"even": even, "odds": odds, **asked_of, **wrong, "now": rows}) + "\n")


if __name__ == "__main__":
    main()
