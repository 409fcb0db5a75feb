"""Where the doubling cube lies, as evidence for the session.

A game begins with the cube in the middle: on the bar, or halfway along the left or right rim. It is found by what
changes: it leaves its place, and something of its size appears at one player's end, or on the field when it is
offered. Its number is too small to read in most pictures; the session knows it from the doubles it saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.board import CubeReading
from vision.field import Field
from vision.settle import VIEW_MARGIN_PX, VIEW_WIDTH_PX, inside_view, log_ratio, logs

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

EDGE_COLUMNS = (0.4, 0.95)
"""Edge of a cube in widths of a column, with what its height adds; dice are smaller, checkers rounder."""

SQUARE_FILL = 0.83
"""How much of the smallest box around it a cube fills; a checker fills 0.79."""

STRIP_COLUMNS = 4.5
"""Only so far beside a place that the cube left are its ends looked for; the light is judged by that, too."""

DIFFERENT = 0.22
"""Log-ratio of brightness from which a place has changed."""


@dataclass(frozen=True, slots=True)
class _Blob:
    """Something new of a cube's size and shape: its middle in the overview."""

    x: float
    y: float


def read_cube(view: Image, field: Field, centered: Image, white_at_bottom: bool = True) -> CubeReading | None:
    """Return where the cube lies, or None where that is not certain.

    Args:
        view: overview of a settled picture without a hand.
        field: where the board lies.
        centered: overview of a picture of the same camera with the cube in the middle.
        white_at_bottom: White sits at the lower edge of the rectified picture.
    """
    touched = [place for place in _places(field) if not _untouched(view, centered, place, field)]
    changed = _changed(view, centered, touched, field)
    left = [place for place in touched if _differs(_around(place, changed, field), field)]
    if not left:
        return CubeReading(None, "center")
    ends = [blob for blob in _blobs(changed, field) if _at_end(blob, left[0], field)]
    if len(left) > 1 or len(ends) != 1:
        return None
    bottom = ends[0].y > view.shape[0] / 2
    return CubeReading(None, "white" if bottom == white_at_bottom else "black")


def _changed(view: Image, base: Image, places: Sequence[tuple[float, float]], field: Field) -> NDArray[np.uint8]:
    """Return 1 where the overview differs from the reference beyond a change of the light, near some columns."""
    inside = inside_view(field)
    changed = np.zeros(inside.shape, np.uint8)
    reach = STRIP_COLUMNS * field.column_px * VIEW_WIDTH_PX / 600
    for x, _ in places:
        strip = (slice(None), slice(max(0, round(x - reach)), round(x + reach)))
        ratio = log_ratio(view[strip], base[strip], inside[strip])
        changed[strip] |= _beyond(ratio, DIFFERENT) & (inside[strip] > 0)
    return changed


@lru_cache(maxsize=4)
def _places(field: Field) -> tuple[tuple[float, float], ...]:
    """Return the three places for a centered cube in the overview: bar, left rim, right rim."""
    scale = VIEW_WIDTH_PX / 600
    middle = VIEW_MARGIN_PX + field.height_px * scale / 2
    column = field.column_px * scale
    bar = VIEW_MARGIN_PX + (field.bar[0] + field.bar[1]) / 2 * VIEW_WIDTH_PX
    return (
        (bar, middle),
        (VIEW_MARGIN_PX - 0.8 * column, middle),
        (VIEW_MARGIN_PX + VIEW_WIDTH_PX + 0.8 * column, middle),
    )


def _untouched(view: Image, centered: Image, place: tuple[float, float], field: Field) -> bool:
    """Tell whether a place looks as it did, whatever the light: most often it does, and that is quickly seen."""
    now, before = (logs(_around(place, picture, field)) for picture in (view, centered))
    return not _differs(_beyond(now - before, DIFFERENT / 2), field)


def _beyond(ratio: Floats, most: float) -> Image:
    """Return 1 where the logarithm of any color is farther from 0 than so much."""
    within = cv2.inRange(ratio, (-most,) * 3, (most,) * 3)
    return np.asarray(within == 0, np.uint8)


def _around(place: tuple[float, float], picture: Image, field: Field) -> Image:
    """Return the part of an overview around a place in which a cube would lie."""
    half = 0.7 * field.column_px * VIEW_WIDTH_PX / 600
    x, y = place
    return picture[round(y - half) : round(y + half) + 1, max(0, round(x - half)) : round(x + half) + 1]


def _differs(changed: NDArray[np.uint8], field: Field) -> bool:
    """Tell whether so much of a place changed as a cube covers."""
    column = field.column_px * VIEW_WIDTH_PX / 600
    return bool(np.count_nonzero(changed) > 0.18 * column * column)


def _blobs(changed: NDArray[np.uint8], field: Field) -> list[_Blob]:
    """Return the compact new things of a cube's size."""
    column = field.column_px * VIEW_WIDTH_PX / 600
    whole = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    whole = cv2.morphologyEx(whole, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    out = []
    for outline in cv2.findContours(whole, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        (x, y), sides, _ = cv2.minAreaRect(outline)
        w, h = sides[0] + 1, sides[1] + 1
        area = cv2.contourArea(outline) + len(outline) / 2 + 1
        edge = float(np.sqrt(area))
        fits = EDGE_COLUMNS[0] * column < edge < EDGE_COLUMNS[1] * column and max(w, h) < 1.8 * min(w, h)
        if fits and area > SQUARE_FILL * w * h:
            out.append(_Blob(float(x), float(y)))
    return out


def _at_end(blob: _Blob, home: tuple[float, float], field: Field) -> bool:
    """Tell whether something lies on the strip of the place the cube left, at one of its ends."""
    column = field.column_px * VIEW_WIDTH_PX / 600
    height = field.height_px * VIEW_WIDTH_PX / 600
    along = abs(blob.y - home[1])
    return abs(blob.x - home[0]) < 0.9 * column and along > 0.25 * height
