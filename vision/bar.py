"""Read the bar: discs along its strip, at whatever height they lie."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from controller.board import BarReading
from vision.calibration import Calibration
from vision.checkers import Floats, Slots, raised
from vision.discs import STRANGE, Merits, View, round_evidence
from vision.field import MARGIN_PX, Field

BAR_HEIGHTS = (0.0, 0.3, 0.6)
"""How high the bar itself may be above the playing surface, in columns: a recess, or as high as the frame."""

SIDEWAYS = (-0.15, 0.0, 0.15)
"""How far a checker may lie from the middle of the bar, in columns."""

RARE = 3.0
"""How much less likely a checker is than none at a place of the bar, natural logarithm."""

MOST = 8
"""So many places of the bar are looked at in full."""

UNLIKELY = 8.0
"""How much less likely a checker is where nothing round lies, or something of other colors: a cube, a hinge."""

COLORED = 8.0
"""Colors alone speak no louder than this: where the cube lay at the start, the bar itself was never seen."""

POOR = 14.0
"""So much worse than checkers on the points no checker on the bar agrees with its side's look."""

BESIDE = 0.3
"""So far beside the bar, in columns, a checker on it may seem to lie: it is higher than the field."""

SURE = 8.0
"""Nothing on the bar is surer than this, natural logarithm."""


def read_bar(odds: Floats) -> tuple[BarReading, BarReading]:
    """Return how many checkers of White and of Black may lie on the bar.

    Args:
        odds: log-odds of a checker of White's and of Black's at places of the bar, shape ``(2, n)``.
    """
    if not odds.size:
        return BarReading(), BarReading()
    white, black = (_counts(1 / (1 + np.exp(-side))) for side in odds)
    return BarReading(white, True), BarReading(black, True)


def bar_odds(
    view: View, calibration: Calibration, places: Floats, merits: Merits, usual: tuple[float, float]
) -> Floats:
    """Return the log-odds of a checker of White's and of Black's at places of the bar, shape ``(2, n)``.

    Args:
        view: the picture.
        calibration: what is known of the board.
        places: where on the bar one may lie, as `bar_places` gives them, shape ``(n, 2)``.
        merits: how well these agree with what may lie there.
        usual: how well White's and Black's checkers on the points agree with their looks, log-likelihood.
    """
    rounds = view.heat.odds(places)
    lean = round_evidence(rounds, calibration.heat.odds(places), calibration)
    full, spread = calibration.round_full
    odd = (rounds < full - 2.5 * spread) | ((merits.strange > STRANGE).mean(axis=-1) > 0.2)
    lean = lean - np.where(odd, UNLIKELY, 0.0)
    colored = np.clip(np.stack([merits.white, merits.black]) - merits.empty, -COLORED, COLORED)
    odds = colored + lean - RARE
    poor = np.stack([merits.white, merits.black]) < np.array(usual)[:, None] - POOR
    odds = odds - np.where(poor, UNLIKELY, 0.0)
    rival = np.stack([merits.black - merits.white, merits.white - merits.black])
    return np.asarray(np.clip(np.minimum(odds, -np.logaddexp(-odds, rival)), -SURE, SURE))


def bar_places(view: View, calibration: Calibration) -> Floats:
    """Return the roundest places along the bar, apart from each other by at least most of a checker."""
    field, slots = calibration.field, calibration.slots
    xy, near = _line(field, slots)
    rounds = np.where(near, view.heat.odds(xy), -1.0)
    line = xy[rounds.argmax(axis=0), np.arange(rounds.shape[1])]
    y, apart = line[:, 1], 1.5 * slots.radius * field.column_px
    best = rounds.max(axis=0)
    chosen: list[int] = []
    while len(chosen) < min(MOST, best.size) and best[i := int(best.argmax())] > -np.inf:
        chosen.append(i)
        best[np.abs(y - y[i]) <= apart] = -np.inf
    return np.asarray(line[chosen])


@lru_cache(maxsize=4)
def _line(field: Field, slots: Slots) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return where tops of checkers on the bar may be seen, and which of these places are near enough to it.

    Shape ``(n, places along the bar, 2)``, and the same without the last; no places where there is no bar.
    """
    left, right = field.bar_px
    unit = field.column_px
    if right - left < 0.5 * unit:
        return np.zeros((1, 0, 2)), np.zeros((1, 0), np.bool_)
    y = np.arange(MARGIN_PX + 0.4 * unit, MARGIN_PX + field.height_px - 0.4 * unit, 3.0)
    across = (left + right) / 2 + np.array(SIDEWAYS)[:, None] * unit
    base = np.stack(np.broadcast_arrays(across, y), axis=-1)
    xy = np.concatenate([raised(base, field, slots.height + height) for height in BAR_HEIGHTS])
    return xy, (xy[..., 0] > left - BESIDE * unit) & (xy[..., 0] < right + BESIDE * unit)


def _counts(chances: Floats) -> tuple[float, ...]:
    """Return the log-likelihood of each count when each place holds a checker with its own chance."""
    count = len(BarReading().log_likelihoods)
    spread = np.zeros(count)
    spread[0] = 1.0
    for chance in chances:
        spread = np.convolve(spread, (1 - chance, chance))[:count]
    return tuple(np.log(np.maximum(spread, 1e-9)).tolist())
