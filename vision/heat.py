"""Where checkers' tops are, and what hides the board: a small net over the whole picture.

The net was trained on scenes drawn by `vision.training.checker_scenes`; it knows no board, no color, no position.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from vision.field import Field, Picture
from vision.net import answer

Plane = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

NET = "checker_net"

COLUMN_PX, COLUMNS_PX = 25.0, (22.0, 28.0)
"""Usual width of a column in the pictures the net was trained on, and between what it varied."""

CELL_PX, WHOLE_PX = 4, 8
"""Side of a cell of the net, and what the sides of its pictures are multiples of."""

EVEN, ODDS = -1.0, 3.3
"""Where the net is undecided, and how its answer becomes log-odds, as `training.calibrate_checkers` fits them."""

FARTHER = 0.15
"""How much a top counts less, in log-odds, where it is as far from where it is looked for as one is looked for."""

MOST = 8.0
"""Logarithms of odds beyond this are all the same to us."""


@dataclass(frozen=True, eq=False)
class Heat:
    """What the net says about one picture.

    Maps have a value for each pixel the net saw, which may be larger than those of the picture.

    Attributes:
        cells: its answer for each cell of `CELL_PX` such pixels: logit of a checker's top, how far right and below
            its centre is in cells, and logit of a hand, a cup or whatever else hides the board; shape
            ``(4, rows, columns)``.
        zoom: pixels the net saw per pixel of the picture.
        cut_px: so much of the picture it did not see, at the left and above.
    """

    cells: Plane
    zoom: float
    cut_px: int = 0

    @cached_property
    def logit(self) -> Plane:
        """What the net says of a checker's top centred at each place of the map."""
        return _between(self.cells[0])

    @property
    def checker(self) -> Plane:
        """The same as log-odds."""
        return _as_odds(self.logit)

    @cached_property
    def foreign(self) -> Plane:
        """Logit of what hides the board at each place of the map."""
        return _between(self.cells[3])

    def on_map(self, xy: Floats) -> Floats:
        """Return where places of the picture lie in a map."""
        return (xy + (0.5 - self.cut_px)) * self.zoom - 0.5

    def in_picture(self, xy: Floats) -> Floats:
        """Return where places of a map lie in the picture."""
        return (xy + 0.5) / self.zoom + (self.cut_px - 0.5)

    def odds(self, xy: Floats) -> Floats:
        """Return the log-odds of a checker's top centred at some places of the picture."""
        height, width = self.logit.shape
        at = np.rint(self.on_map(xy))
        x, y = (np.minimum(np.maximum(at[..., i], 0), side - 1) for i, side in ((0, width), (1, height)))
        return _as_odds(self.logit.ravel().take((y * width + x).astype(np.int64))).astype(np.float64)

    def best_near(self, xy: Floats, reach_px: float) -> tuple[Floats, Floats]:
        """Return where near some places of the picture a top is likeliest, and its log-odds.

        What is farther counts a little less.

        Args:
            xy: shape ``(n, 2)``.
            reach_px: how far to look along each axis; the cell that a place lies in counts in any case.
        """
        reach = reach_px * self.zoom / CELL_PX
        at = ((self.on_map(xy) + 0.5) / CELL_PX - 0.5)[..., None]
        around = np.arange(-int(reach + 0.5), int(reach + 0.5) + 1)
        last = np.array(self.cells.shape[:0:-1])[:, None] - 1
        near = np.minimum(np.maximum(np.rint(at) + around, 0), last)
        far = FARTHER * np.square((near - at) / max(reach, 1.0))
        column, row, width = near[:, 0], near[:, 1], self.cells.shape[2]
        cells = (row[:, :, None] * width + column[:, None]).astype(np.int64).reshape(len(xy), around.size**2)
        score = ODDS * self.cells[0].ravel().take(cells) - (far[:, 1, :, None] + far[:, 0, None]).reshape(
            cells.shape
        )
        cell = cells[np.arange(len(xy)), score.argmax(axis=1)]
        logit, right, down, _ = self.cells.reshape(len(self.cells), -1).take(cell, axis=1)
        place = np.array([cell % width + right, cell // width + down], np.float64).T
        return self.in_picture((place + 0.5) * CELL_PX - 0.5), _as_odds(logit).astype(np.float64)

    def offset(self, xy: Floats) -> Floats:
        """Return how far right of and below some places of the picture the centre of a top is, pixels."""
        last = np.array(self.cells.shape[:0:-1]) - 1
        at = np.clip((self.on_map(xy) + 0.5) / CELL_PX - 0.5, 0, last)
        low = np.minimum(at.astype(np.int64), last - 1)
        (x, y), (right, down) = np.moveaxis(low, -1, 0), np.moveaxis(at - low, -1, 0)
        offsets = self.cells[1:3]
        above = offsets[:, y, x] * (1 - right) + offsets[:, y, x + 1] * right
        below = offsets[:, y + 1, x] * (1 - right) + offsets[:, y + 1, x + 1] * right
        return np.asarray(np.moveaxis(above * (1 - down) + below * down, 0, -1) * (CELL_PX / self.zoom))


def _as_odds(logit: Plane) -> Plane:
    """Return what the net says of checkers' tops as log-odds."""
    odds = np.float32(ODDS) * (logit - np.float32(EVEN))
    return np.asarray(np.minimum(np.maximum(odds, np.float32(-MOST)), np.float32(MOST)), np.float32)


def _between(plane: Plane) -> Plane:
    """Return a map of values given for cells."""
    return np.asarray(cv2.resize(plane, None, fx=CELL_PX, fy=CELL_PX, interpolation=cv2.INTER_LINEAR), np.float32)


def heat(picture_bgr: Picture, column_px: float) -> Heat:
    """Return the heat of a picture in which a column is so wide."""
    return _zoomed(picture_bgr, COLUMN_PX / column_px)


def field_heat(flat_bgr: Picture, field: Field, *, narrow: bool = False) -> Heat:
    """Return the heat of a rectified picture.

    Args:
        flat_bgr: the picture.
        field: the playing surface.
        narrow: of the playing surface alone and what is close beside it, which takes less time.
    """
    times = max(1, round(field.column_px / COLUMN_PX))
    if not COLUMNS_PX[0] <= field.column_px / times <= COLUMNS_PX[1]:
        return heat(flat_bgr, field.column_px)
    cut_px = WHOLE_PX * times if narrow else 0
    rows, columns = (cut_px + (side - 2 * cut_px) // times * times for side in flat_bgr.shape[:2])
    return replace(_zoomed(flat_bgr[cut_px:rows, cut_px:columns], 1 / times), cut_px=cut_px)


def _zoomed(picture_bgr: Picture, zoom: float) -> Heat:
    """Return the heat of a picture made so much larger for the net.

    One over a whole number is soonest done, of sides that are its multiples.
    """
    size = [max(1, round(side * zoom)) for side in picture_bgr.shape[1::-1]]
    # By areas: of soft pictures too little is left otherwise.
    small = cv2.resize(picture_bgr, size, interpolation=cv2.INTER_AREA if zoom < 1 else cv2.INTER_LINEAR)
    right, down = (-side % WHOLE_PX for side in size)
    whole = np.asarray(cv2.copyMakeBorder(small, 0, down, 0, right, cv2.BORDER_REPLICATE), np.uint8)
    return Heat(answer(NET, whole), zoom)


def tops(found: Heat, apart_px: float, least: float = 0.0) -> tuple[Floats, Floats]:
    """Return the centres of the tops of checkers and their logits, the surest first.

    Args:
        found: the heat of a picture.
        apart_px: two checkers are never nearer to each other than this.
        least: logit from which on a place counts.
    """
    size = 2 * int(apart_px * found.zoom / 2) + 1
    odds = found.checker
    highest = cv2.dilate(odds, np.ones((size, size), np.uint8))
    y, x = np.nonzero((odds >= highest) & (odds > least))
    order = np.argsort(-odds[y, x])
    y, x = y[order], x[order]
    at = found.in_picture(np.stack([x, y], axis=1).astype(np.float64))
    xy = at + found.offset(at)
    keep: list[int] = []
    for i in range(len(xy)):
        if all(np.hypot(*(xy[i] - xy[j])) > apart_px for j in keep):
            keep.append(i)
    return xy[keep], odds[y, x][keep].astype(np.float64)
