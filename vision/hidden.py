"""What cannot be read: sites and bar under a hand, an arm, a cup or whatever else does not belong there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.calibration import Calibration
from vision.checkers import Floats, Plane
from vision.discs import View
from vision.field import Field, Picture
from vision.heat import COLUMN_PX, Heat, heat
from vision.settle import Foreign, find_foreign, overview

HIDDEN_SHARE, LONE_SHARE = 0.25, 0.34
"""From this share of its column on a site is not readable; the second one counts in a single picture, where a hand
looks a little larger than it is."""

FIVE_CHECKERS = 4.8
"""Length of the part of a column that is read, in columns."""

PERHAPS, SURE = -1.3, 0.0
"""Logit from which on a place may belong to something that hides the board, and from which on it surely does."""

CLOSER = (1.25, 1.5)
"""How much larger the net sees a single picture, too; the mean of all looks counts: it sees the same hand very
differently from one to the other."""

DOUBTED = -3.0
"""Logit up to which the net rules out that a place belongs to something that hides the board. Of 166 sites under a
rendered hand all but one had a quarter above it, and so had a third of 208 that only seemed to be."""

LEAST = 0.8
"""Such a thing surely covers so much at least, in squares of a column, four times what a die does; what hangs
together with that belongs to it."""

MOSTLY, RIM = 0.5, 0.06
"""A site beside one of which so much is hidden is hidden as much, from this share of its own on: the net sees the
middle of a hand before its rim."""

REACHED = 0.7
"""A site is hidden as much as the rim of the board at its end, from this share on: who reaches over that has his
fingers farther in, which are thin and seen less well."""


@dataclass(frozen=True, slots=True)
class Covered:
    """What of the board is covered by what does not belong there.

    Attributes:
        sites: whether each site is, so far that it is not readable; index 0 is site 1.
        bar: whether the bar is.
        hand: something reaches in.
    """

    sites: tuple[bool, ...]
    bar: bool
    hand: bool

    @classmethod
    def of(cls, foreign: Foreign) -> Covered:
        """Return what something over the board covers."""
        return cls.from_shares(foreign.hidden, max(foreign.bar_hidden), foreign.hand)

    @classmethod
    def from_shares(cls, sites: Sequence[float], bar: float, hand: bool, least: float = HIDDEN_SHARE) -> Covered:
        """Return what is covered where so much of each site and of the bar is, at least `least` of it."""
        return cls(tuple(share > least for share in sites), bar > least, hand)


def covered(frame_bgr: Picture, view: View, calibration: Calibration) -> Covered:
    """Return what is covered.

    In a single picture the net alone says it. Where pictures of the same board without a hand are known, the
    difference from them does, as far as the net does not rule it out: a cube that was turned and moved, its shadow
    and the checkers beside them may together look like something that reaches in.
    """
    field = calibration.field
    if not calibration.clear:
        return _covered_alone(view, field)
    found = find_foreign(overview(frame_bgr, field), calibration.clear, field)
    not_ruled_out = (view.heat.foreign > DOUBTED).astype(np.float32)
    columns, bar = _shares(not_ruled_out, view.heat, _columns(field)), _bar_share(not_ruled_out, view.heat, field)
    sites = tuple(min(shares) for shares in zip(found.hidden, columns, strict=True))
    return Covered.from_shares(sites, min(max(found.bar_hidden), bar), found.hand)


def _covered_alone(view: View, field: Field) -> Covered:
    """Return what is covered in a single picture.

    Of 166 hidden sites of such pictures, most of them under a hand, 162 are told, and of 4,058 that are seen 99
    are taken for hidden, most of these beside a hand.
    """
    mask = hiding(_looked_at_closer(view), (field.column_px * view.heat.zoom) ** 2)
    columns, ends = (_shares(mask, view.heat, boxes) for boxes in (_columns(field), _ends(field)))
    sites, bar = with_rims(columns, ends), _bar_share(mask, view.heat, field)
    return Covered.from_shares(sites, bar, bool(mask.any()), LONE_SHARE)


def _columns(field: Field) -> Floats:
    """Return the part of each site's column that is read: left, top, right and bottom; shape ``(24, 4)``."""
    length = FIVE_CHECKERS * field.column_px
    boxes, top = np.array(field.columns()), _at_top(field)
    boxes[top, 3] = np.minimum(boxes[top, 3], boxes[top, 1] + length)
    boxes[~top, 1] = np.maximum(boxes[~top, 1], boxes[~top, 3] - length)
    return boxes


def _ends(field: Field) -> Floats:
    """Return what the rectified picture shows of the rim at the end of each site's column, as `_columns` does."""
    boxes, top = np.array(field.columns()), _at_top(field)
    boxes[top, 3], boxes[~top, 1] = boxes[top, 1], boxes[~top, 3]
    boxes[top, 1], boxes[~top, 3] = 0, field.size_px[1]
    return boxes


def _at_top(field: Field) -> npt.NDArray[np.bool_]:
    return np.array([field.place(site)[0] == 0 for site in range(1, 25)])


def _bar_share(mask: Plane, look: Heat, field: Field) -> float:
    """Return how much of the bar a map says is covered."""
    left, right = field.bar_px
    return _shares(mask, look, np.array([[left, 0.0, right, float(field.size_px[1])]]))[0]


def with_rims(columns: Sequence[float], ends: Sequence[float]) -> tuple[float, ...]:
    """Return how much of each site is covered, with what is at the rim of that.

    Args:
        columns: share of each site's column that is seen to be covered.
        ends: share of the board's rim at the end of each.
    """
    sites = [max(share, end) if end > REACHED else share for share, end in zip(columns, ends, strict=True)]

    def beside(site: int) -> float:
        row = [other for other in (site - 1, site + 1) if 0 <= other < 24 and other // 12 == site // 12]
        return max(sites[other] for other in row)

    return tuple(
        max(share, beside(site)) if share > RIM and beside(site) > MOSTLY else share
        for site, share in enumerate(sites)
    )


def _shares(mask: Plane, look: Heat, boxes: Floats) -> list[float]:
    """Return how much of boxes in field coordinates a map says is covered."""
    corners = np.maximum(np.rint(look.on_map(boxes.reshape(-1, 2, 2))), 0).astype(int)
    return [
        float(mask[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)].mean()) for (x0, y0), (x1, y1) in corners.tolist()
    ]


def _looked_at_closer(view: View) -> Plane:
    """Return the mean logit of what hides the board as the net sees it, and as it sees it closer."""
    whole = _of_picture(view.heat, view.flat)
    size, looks = whole.shape[::-1], [whole]
    for times in CLOSER:
        closer = _of_picture(heat(view.flat, COLUMN_PX / (times * view.heat.zoom)), view.flat)
        looks.append(np.asarray(cv2.resize(closer, size, interpolation=cv2.INTER_LINEAR), np.float32))
    return np.asarray(np.mean(looks, axis=0), np.float32)


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
