"""Where checkers' tops are, and where a hand is: a small net over the whole picture.

The net was trained on scenes drawn by `vision.training.checker_scenes`; it knows no board, no color, no position.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import local
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.field import Field, Picture

Plane = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

COLUMN_PX = 25.0
"""Width of a column in the pictures the net was trained on."""

STRIDE = 4
"""The net answers for cells of so many pixels each way."""

EVEN, ODDS = -1.1, 2.8
"""Where the net is undecided, and how its answer becomes log-odds, as `training.calibrate_checkers` fits them."""

MOST = 8.0
"""Logarithms of odds beyond this are all the same to us."""

_store = local()


@dataclass(frozen=True, eq=False)
class Heat:
    """What the net says about one picture.

    Attributes:
        checker: log-odds of a checker's top centred at each pixel, shape of the picture.
        dx: how far right of each pixel that centre is, pixels.
        dy: how far below.
        foreign: logit of a hand or an arm at each pixel.
    """

    checker: Plane
    dx: Plane
    dy: Plane
    foreign: Plane


def heat(flat_bgr: Picture, column_px: float) -> Heat:
    """Return the heat of a picture in which a column is so wide."""
    checker, dx, dy, foreign = answer(flat_bgr, column_px)
    return Heat(np.clip(ODDS * (checker - EVEN), -MOST, MOST), dx, dy, foreign)


def answer(flat_bgr: Picture, column_px: float) -> tuple[Plane, Plane, Plane, Plane]:
    """Return what the net says of each pixel: logit of a top, its centre's offset in pixels, logit of a hand."""
    height, width = flat_bgr.shape[:2]
    zoom = COLUMN_PX / column_px
    size = (max(8, round(width * zoom / 8) * 8), max(8, round(height * zoom / 8) * 8))
    small = cv2.resize(flat_bgr, size, interpolation=cv2.INTER_AREA if zoom < 1 else cv2.INTER_LINEAR)
    net = _net()
    net.setInput(cv2.dnn.blobFromImage(small))
    cells = net.forward()[0]
    checker, dx, dy, foreign = (
        cv2.resize(plane, (width, height), interpolation=cv2.INTER_LINEAR) for plane in cells
    )
    scale = (STRIDE * width / size[0], STRIDE * height / size[1])
    return checker, dx * scale[0], dy * scale[1], foreign


def field_heat(flat_bgr: Picture, field: Field) -> Heat:
    """Return the heat of a rectified picture."""
    return heat(flat_bgr, field.column_px)


def tops(found: Heat, apart_px: float, least: float = 0.0) -> tuple[Floats, Floats]:
    """Return the centres of the tops of checkers and their logits, the surest first.

    Args:
        found: the heat of a picture.
        apart_px: two checkers are never nearer to each other than this.
        least: logit from which on a place counts.
    """
    size = 2 * int(apart_px / 2) + 1
    highest = cv2.dilate(found.checker, np.ones((size, size), np.uint8))
    y, x = np.nonzero((found.checker >= highest) & (found.checker > least))
    order = np.argsort(-found.checker[y, x])
    y, x = y[order], x[order]
    xy = np.stack([x + found.dx[y, x], y + found.dy[y, x]], axis=1).astype(np.float64)
    keep: list[int] = []
    for i in range(len(xy)):
        if all(np.hypot(*(xy[i] - xy[j])) > apart_px for j in keep):
            keep.append(i)
    return xy[keep], found.checker[y, x][keep].astype(np.float64)


@lru_cache(maxsize=1)
def _weights() -> bytes:
    return (Path(__file__).parent / "checker_net.onnx").read_bytes()


def _net() -> Any:
    """Return this thread's net; OpenCV's nets must not be shared."""
    if not hasattr(_store, "net"):
        _store.net = cv2.dnn.readNetFromONNX(np.frombuffer(_weights(), np.uint8))
    return _store.net
