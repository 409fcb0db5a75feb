"""What cannot be read: sites and bar under a hand, an arm or something else that does not belong there."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.calibration import Calibration
from vision.checkers import Plane
from vision.discs import View
from vision.field import MARGIN_PX, Picture
from vision.settle import Foreign, find_foreign, overview

HIDDEN_SHARE = 0.25
"""From this share of its column on a site is not readable."""

FIVE_CHECKERS = 4.8
"""Length of the part of a column that is read, in columns."""

PERHAPS_HAND, SURE_HAND = -1.5, 0.0
"""Logit from which on a place may belong to a hand, and from which on it surely does."""

LEAST_SURE = 60
"""A hand has so many sure places at least; what hangs together with them belongs to it."""

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
    mask = _hands(view.heat.foreign)
    length = FIVE_CHECKERS * field.column_px
    shares = []
    for site, (x0, y0, x1, y1) in enumerate(field.columns(), start=1):
        top, bottom = (y0, min(y1, y0 + length)) if field.place(site)[0] == 0 else (max(y0, y1 - length), y1)
        shares.append(float(mask[round(top) : round(bottom), round(x0) : round(x1)].mean()))
    left, right = field.bar_px
    strip = mask[:, round(left) : max(round(right), round(left) + 1)]
    hand = float(mask.mean()) > LEAST_HAND
    return Covered(tuple(shares) if hand else (0.0,) * 24, float(strip.mean()) if hand else 0.0, hand)


def _hands(logit: Plane) -> Plane:
    """Return 1 where a hand is: what may belong to one, surely does in places, and comes in over the rim."""
    count, labels = cv2.connectedComponents((logit > PERHAPS_HAND).astype(np.uint8))
    outside = np.ones(logit.shape, np.bool_)
    outside[MARGIN_PX:-MARGIN_PX, MARGIN_PX:-MARGIN_PX] = False
    sure = np.bincount(labels[logit > SURE_HAND], minlength=count) >= LEAST_SURE
    across = np.bincount(labels[outside], minlength=count) >= LEAST_SURE
    return np.asarray((sure & across)[labels], np.float32)
