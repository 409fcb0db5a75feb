"""Where checkers' tops are, and where a hand is: a small net over the whole picture.

The net was trained on scenes drawn by `vision.training.checker_scenes`; it knows no board, no color, no position.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
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

EVEN, ODDS = -1.1, 2.8
"""Where the net is undecided, and how its answer becomes log-odds, as `training.calibrate_checkers` fits them."""

MOST = 8.0
"""Logarithms of odds beyond this are all the same to us."""

_store = local()


@dataclass(frozen=True, eq=False)
class Heat:
    """What the net says about one picture.

    Attributes:
        cells: its answer for each cell: logit of a checker's top, how far right and below its centre is in cells,
            and logit of a hand; shape ``(4, rows, columns)``.
        size_px: width and height of the picture.
    """

    cells: Plane
    size_px: tuple[int, int]

    @property
    def logit(self) -> Plane:
        """What the net says of a checker's top centred at each pixel, shape of the picture."""
        return self._at_pixels(self.cells[0])

    @cached_property
    def checker(self) -> Plane:
        """The same as log-odds."""
        return np.asarray(np.clip(np.float32(ODDS) * (self.logit - np.float32(EVEN)), -MOST, MOST))

    @cached_property
    def foreign(self) -> Plane:
        """Logit of a hand or an arm at each pixel."""
        return self._at_pixels(self.cells[3])

    def offset(self, xy: Floats) -> Floats:
        """Return how far right of and below some places of the picture the centre of a top is, pixels."""
        last = np.array(self.cells.shape[:0:-1]) - 1
        cell = np.array(self.size_px) / (last + 1)
        at = np.clip((xy + 0.5) / cell - 0.5, 0, last)
        low = np.minimum(at.astype(np.int64), last - 1)
        (x, y), (right, down) = np.moveaxis(low, -1, 0), np.moveaxis(at - low, -1, 0)
        offsets = self.cells[1:3]
        above = offsets[:, y, x] * (1 - right) + offsets[:, y, x + 1] * right
        below = offsets[:, y + 1, x] * (1 - right) + offsets[:, y + 1, x + 1] * right
        return np.asarray(np.moveaxis(above * (1 - down) + below * down, 0, -1) * cell)

    def _at_pixels(self, plane: Plane) -> Plane:
        return np.asarray(cv2.resize(plane, self.size_px, interpolation=cv2.INTER_LINEAR), np.float32)


def heat(flat_bgr: Picture, column_px: float) -> Heat:
    """Return the heat of a picture in which a column is so wide."""
    height, width = flat_bgr.shape[:2]
    zoom = COLUMN_PX / column_px
    size = (max(8, round(width * zoom / 8) * 8), max(8, round(height * zoom / 8) * 8))
    # By areas, though that takes longer: of soft pictures too little is left otherwise.
    small = cv2.resize(flat_bgr, size, interpolation=cv2.INTER_AREA if zoom < 1 else cv2.INTER_LINEAR)
    net = _net()
    net.setInput(cv2.dnn.blobFromImage(small))
    return Heat(net.forward()[0], (width, height))


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
    at = np.stack([x, y], axis=1).astype(np.float64)
    xy = at + found.offset(at)
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
