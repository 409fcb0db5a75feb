"""What cannot be read: sites and bar under a hand, an arm or something else that does not belong there."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.calibration import Calibration
from vision.checkers import Floats, Plane
from vision.discs import View
from vision.field import MARGIN_PX, Field, Picture
from vision.heat import Heat
from vision.settle import Foreign, find_foreign, overview

HIDDEN_SHARE = 0.25
"""From this share of its column on a site is not readable."""

FIVE_CHECKERS = 4.8
"""Length of the part of a column that is read, in columns."""

PERHAPS_HAND, SURE_HAND = -1.5, 0.0
"""Logit from which on a place may belong to a hand, and from which on it surely does."""

LEAST_SURE = 0.028
"""A hand surely covers so much at least, in squares of a column; what hangs together with that belongs to it."""

LEAST_HAND = 0.012
"""Share of the field that a hand covers at least."""


@dataclass(frozen=True, slots=True)
class Covered:
    """How much of the board is covered by what does not belong there.

    Attributes:
        sites: share of each site's column, index 0 is site 1.
        bar: share of the bar.
        hand: something reaches in.
    """

    sites: tuple[float, ...]
    bar: float
    hand: bool

    @classmethod
    def of(cls, foreign: Foreign) -> Covered:
        """Return what something over the board covers."""
        return cls(foreign.hidden, max(foreign.bar_hidden), foreign.hand)


def covered_share(frame_bgr: Picture, view: View, calibration: Calibration) -> Covered:
    """Return how much of each site is covered.

    Where pictures of the same board without a hand are known, the difference from them says it; in a single
    picture the net alone does.
    """
    field = calibration.field
    if calibration.clear:
        return Covered.of(find_foreign(overview(frame_bgr, field), calibration.clear, field))
    heat = view.heat
    mask = _hands(heat, field)
    length = FIVE_CHECKERS * field.column_px
    boxes = np.array(field.columns())
    top = np.array([field.place(site)[0] == 0 for site in range(1, 25)])
    boxes[top, 3] = np.minimum(boxes[top, 3], boxes[top, 1] + length)
    boxes[~top, 1] = np.maximum(boxes[~top, 1], boxes[~top, 3] - length)
    shares = [_share(mask, heat, box) for box in boxes]
    left, right = field.bar_px
    bar = _share(mask, heat, np.array([left, 0.0, right, float(field.size_px[1])]))
    hand = float(mask.mean()) > LEAST_HAND
    return Covered(tuple(shares) if hand else (0.0,) * 24, bar if hand else 0.0, hand)


def _share(mask: Plane, heat: Heat, box: Floats) -> float:
    """Return how much of a box in field coordinates a map says is covered."""
    (x0, y0), (x1, y1) = np.rint(heat.on_map(box.reshape(2, 2))).astype(int).tolist()
    return float(mask[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)].mean())


def _hands(heat: Heat, field: Field) -> Plane:
    """Return 1 where a hand is: what may belong to one, surely does in places, and comes in over the rim."""
    logit = heat.foreign
    least = LEAST_SURE * (field.column_px * heat.zoom) ** 2
    count, labels = cv2.connectedComponents((logit > PERHAPS_HAND).astype(np.uint8))
    outside = np.ones(logit.shape, np.bool_)
    corners = np.array([(MARGIN_PX, MARGIN_PX), np.array(field.size_px) - MARGIN_PX], np.float64)
    (x0, y0), (x1, y1) = np.rint(heat.on_map(corners)).astype(int)
    outside[y0:y1, x0:x1] = False
    sure = np.bincount(labels[logit > SURE_HAND], minlength=count) >= least
    across = np.bincount(labels[outside], minlength=count) >= least
    return np.asarray((sure & across)[labels], np.float32)
