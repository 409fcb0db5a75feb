"""What cannot be read: sites and bar under a hand, an arm, a cup or whatever else does not belong there."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.calibration import Calibration
from vision.checkers import Floats, Plane
from vision.discs import View
from vision.field import Field, Picture
from vision.heat import Heat, heat
from vision.settle import Foreign, find_foreign, overview

HIDDEN_SHARE = 0.25
"""From this share of its column on a site is not readable."""

FIVE_CHECKERS = 4.8
"""Length of the part of a column that is read, in columns."""

PERHAPS, SURE = -1.3, 0.0
"""Logit from which on a place may belong to something that hides the board, and from which on it surely does."""

CLOSER = 1.4
"""How much larger the net sees a single picture once more; the mean of both looks counts. Of 166 hidden sites of
such pictures, most of them under a hand, 161 are told then, and of 4,058 that are seen 80 are taken for hidden."""

DOUBTED = -3.0
"""Logit up to which the net rules out that a place belongs to something that hides the board. Of 166 sites under a
rendered hand all but one had a quarter above it, and so had a third of 208 that only seemed to be."""

LEAST = 2.0
"""Such a thing surely covers so much at least, in squares of a column, ten times what a die does; what hangs
together with that belongs to it."""

MOSTLY, RIM = 0.5, 0.06
"""A site beside one of which so much is hidden is hidden as much, from this share of its own on: the net sees the
middle of a hand before its rim."""


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

    In a single picture the net alone says it. Where pictures of the same board without a hand are known, the
    difference from them does, as far as the net does not rule it out: a cube that was turned and moved, its shadow
    and the checkers beside them may together look like something that reaches in.
    """
    field = calibration.field
    if not calibration.clear:
        mask = hiding(_looked_at_twice(view, field), (field.column_px * view.heat.zoom) ** 2)
        sites, bar = _shares(mask, view.heat, field)
        return Covered(with_rims(sites), bar, bool(mask.any()))
    found = Covered.of(find_foreign(overview(frame_bgr, field), calibration.clear, field))
    sites, bar = _shares((view.heat.foreign > DOUBTED).astype(np.float32), view.heat, field)
    both = tuple(min(shares) for shares in zip(found.sites, sites, strict=True))
    return Covered(both, min(found.bar, bar), found.hand)


def _shares(mask: Plane, look: Heat, field: Field) -> tuple[tuple[float, ...], float]:
    """Return how much of each site and of the bar a map says is covered."""
    length = FIVE_CHECKERS * field.column_px
    boxes = np.array(field.columns())
    top = np.array([field.place(site)[0] == 0 for site in range(1, 25)])
    boxes[top, 3] = np.minimum(boxes[top, 3], boxes[top, 1] + length)
    boxes[~top, 1] = np.maximum(boxes[~top, 1], boxes[~top, 3] - length)
    left, right = field.bar_px
    bar = np.array([left, 0.0, right, float(field.size_px[1])])
    return tuple(_share(mask, look, box) for box in boxes), _share(mask, look, bar)


def with_rims(sites: tuple[float, ...]) -> tuple[float, ...]:
    """Return the shares of sites, with those raised to their neighbors' that are at the rim of what hides them."""

    def beside(site: int) -> float:
        row = [other for other in (site - 1, site + 1) if 0 <= other < 24 and other // 12 == site // 12]
        return max(sites[other] for other in row)

    return tuple(
        max(share, beside(site)) if share > RIM and beside(site) > MOSTLY else share
        for site, share in enumerate(sites)
    )


def _share(mask: Plane, look: Heat, box: Floats) -> float:
    """Return how much of a box in field coordinates a map says is covered."""
    (x0, y0), (x1, y1) = np.maximum(np.rint(look.on_map(box.reshape(2, 2))), 0).astype(int).tolist()
    return float(mask[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)].mean())


def _looked_at_twice(view: View, field: Field) -> Plane:
    """Return the mean logit of what hides the board as the net sees it, and as it sees it closer."""
    once, again = view.heat, heat(view.flat, field.column_px / CLOSER)
    shown, closer = _of_picture(once, view.flat), _of_picture(again, view.flat)
    alike = cv2.resize(closer, shown.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return np.asarray((shown + alike) / 2, np.float32)


def _of_picture(look: Heat, picture: Picture) -> Plane:
    """Return the logit of what hides the board without what the net saw beyond the picture."""
    rows, columns = (round(side * look.zoom) for side in picture.shape[:2])
    return look.foreign[:rows, :columns]


def hiding(logit: Plane, square: float) -> Plane:
    """Return 1 where something hides the board: what may be that, and surely is in places.

    Args:
        logit: of what hides the board, at each place of a map.
        square: area of a square of a column there.
    """
    count, labels = cv2.connectedComponents((logit > PERHAPS).astype(np.uint8))
    large = np.bincount(labels[logit > SURE], minlength=count) >= LEAST * square
    return np.asarray(large[labels], np.float32)
