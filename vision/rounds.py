"""How round what lies on the slots looks: what a net says of checkers' tops there, and what that is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.checkers import Floats
from vision.field import Field, Picture
from vision.heat import Heat, field_heat

SURE_LOGIT = -1.0
"""From this logit on the net's word counts for where a top lies."""

USUAL_LOGITS = (-3.4, 7.4, 2.5)
"""Logit of an empty slot, of a checker, and how far both differ, while nothing is known of the board.

Of 3,291 slots on pictures of twelve rendered sequences 20 of 28 with a logit of 0 to 2 were empty, and 2 of 8 with
one of 2 to 3.
"""

LOGIT_SPREAD = 2.0
"""Logits of the same thing differ at least so much from place to place, one standard deviation."""

ROUND_CAP = 12.0
"""The edge of a checker alone speaks no louder than this, natural logarithm."""


@dataclass(frozen=True, eq=False)
class Rounds:
    """What a net says of the board in the picture from which its looks were learned: logits of checkers' tops.

    Attributes:
        heat: heat of the picture.
        empty: logit of a checker at each slot when it is empty, shape ``(2, 12, SLOTS)``.
        empty_spread: standard deviation of the logit of an empty slot from that.
        full: mean and standard deviation of the logit of a checker.
    """

    heat: Heat
    empty: Floats
    empty_spread: float
    full: tuple[float, float]

    @classmethod
    def of(
        cls,
        flat_bgr: Picture,
        field: Field,
        centers: Floats,
        full: npt.NDArray[np.bool_],
        net: str,
        *,
        certain: bool,
    ) -> Rounds:
        """Return what a net says of a rectified picture.

        Args:
            flat_bgr: the picture.
            field: refined.
            centers: where the slots are seen, shape ``(2, 12, SLOTS, 2)``.
            full: on which of them checkers lie.
            net: the net.
            certain: False when that is only believed: then the usual logits count.
        """
        found = field_heat(flat_bgr, field, net)
        if not certain:
            bare, covering, spread = USUAL_LOGITS
            return cls(found, np.full(full.shape, bare), spread, (covering, spread))
        _, logits = settle(found, centers, field)
        shown = logits[full]
        empty = np.where(full, _usual(logits, full), logits)
        return cls(found, empty, LOGIT_SPREAD, (float(shown.mean()), float(max(shown.std(), LOGIT_SPREAD))))

    def evidence(self, logits: Floats, bare: Floats | float) -> Floats:
        """Return how much the edge of a disc speaks for a checker, natural logarithm.

        Args:
            logits: logit of a checker there.
            bare: the same when nothing lies there.
        """
        full, spread = self.full
        as_full = -0.5 * (np.minimum(logits - full, 0) / spread) ** 2
        as_bare = -0.5 * (np.maximum(logits - bare, 0) / self.empty_spread) ** 2
        return np.asarray(np.clip(as_full - as_bare, -ROUND_CAP, ROUND_CAP))


def _usual(logits: Floats, full: npt.NDArray[np.bool_]) -> Floats:
    """Return how round empty slots look at the same place of their points, row by row; shape ``(2, 1, SLOTS)``."""
    bare = np.where(full, np.nan, logits)
    usual = np.nanmean(bare, axis=1, keepdims=True)
    return np.where(np.isfinite(usual), usual, np.nanmean(bare))


def settle(found: Heat, centers: Floats, field: Field, reach: float = 0.16) -> tuple[Floats, Floats]:
    """Return where near each slot a checker's top is likeliest, and the logit of that.

    Args:
        found: heat of the rectified picture.
        centers: where the slots are seen, shape ``(…, 2)``.
        field: the playing surface.
        reach: how far from the slot to look, columns.
    """
    near = centers.reshape(-1, 2)
    places, logits = found.best_near(near, reach * field.column_px)
    places = np.where((logits > SURE_LOGIT)[:, None], places, near)
    return places.reshape(centers.shape), logits.reshape(centers.shape[:-1])
