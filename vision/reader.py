"""Read a picture: how likely is every count at every site.

Each slot of a point is compared with three looks: empty, White's checker, Black's checker. A point with `n` checkers
shows `n` checkers from the rim and nothing beyond; the log-likelihood of a count is the sum over its slots.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from controller.board import COUNTS, BarReading, Board, Observation, SiteReading
from vision import calibration as calibration_
from vision.calibration import (
    DISC,
    USUAL_SIGMA,
    Calibration,
    Look,
    calibrate,
    sample,
    settle,
    shares,
)
from vision.checkers import Floats, Plane, edges, log_colors, roundness
from vision.field import Picture, rectify

__all__ = ["Evidence", "adapt", "calibrate", "evidence", "light", "read"]

INDEPENDENT = 5.0
"""How many independent looks the places of one disc are worth."""

CHECKER_SIGMA = 0.10
"""How far two checkers of a side differ at the same place, in logarithms."""

STRANGE = -2.0
"""A place whose best log-likelihood is below this looks like neither the board nor a checker."""

CAP = 9.0
"""No slot speaks louder than this, natural logarithm: a die or a glare may lie on it."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the slots of one picture say.

    Attributes:
        looks: log-likelihood of empty, white, black for each slot, shape ``(2, 12, SLOTS, 3)``.
        strange: share of the places of each slot that look like none of the three, shape ``(2, 12, SLOTS)``.
        light: change of light against the calibration at each pixel, logarithms, shape of the rectified picture.
    """

    looks: Floats
    strange: Floats
    light: Plane


def light(colors: Plane, empty: Plane, sigma: Plane) -> Plane:
    """Return how the light has changed between the calibrated board and a picture, as logarithms at each pixel.

    A cast and a gain are one color for the whole board; a shadow or a lamp is a smooth change of brightness. Both are
    taken from the pixels that agree with them, again and again, so that checkers and dice do not count.
    """
    step = 4
    change = colors[::step, ::step] - empty[::step, ::step]
    trust = (0.04 / sigma[::step, ::step]) ** 2
    cast = _mode(change.reshape(-1, 3), trust.ravel())
    bright = np.zeros(change.shape[:2], np.float32)
    for width in (60.0, 30.0, 12.0):
        rest = change - cast - bright[..., None]
        distance = np.sqrt(np.mean(rest * rest, axis=2))
        weight = trust / (1 + (distance / 0.12) ** 2) ** 2
        for _ in range(2):
            cast = cast + np.sum(rest * weight[..., None], axis=(0, 1)) / weight.sum()
            rest = change - cast - bright[..., None]
        total = cv2.GaussianBlur(weight, (0, 0), width)
        smooth = cv2.GaussianBlur(weight * (change - cast).mean(axis=2), (0, 0), width)
        prior = 0.02
        bright = smooth / (total + prior)
    field = cast + bright[..., None]
    return np.asarray(cv2.resize(field, (colors.shape[1], colors.shape[0]), interpolation=cv2.INTER_LINEAR))


def _mode(change: Plane, trust: Plane) -> Plane:
    """Return the most common change of color: the densest place of its distribution."""
    center = np.median(change, axis=0)
    for width in (0.5, 0.3, 0.2, 0.12, 0.12):
        distance = np.sum((change - center) ** 2, axis=1)
        weight = trust * np.exp(-distance / (2 * width**2))
        center = np.sum(change * weight[:, None], axis=0) / max(float(weight.sum()), 1e-6)
    return np.asarray(center, np.float32)


def _agreement(difference: Plane, sigma: Plane | float, colors: Plane) -> Plane:
    """Return the log-likelihood of a difference of colors, heavy-tailed, for each place."""
    noise = 3.0 * np.exp(-colors.mean(axis=-1))
    bright = difference.mean(axis=-1)
    tint = difference - bright[..., None]
    wide = np.sqrt(np.square(sigma) + noise * noise)
    narrow = 0.6 * wide
    squared = (bright / (1.5 * wide)) ** 2 + np.sum(tint * tint, axis=-1) / narrow**2
    return np.asarray(-2.5 * np.log1p(squared / 4) - 3 * np.log(wide))


def _noise(rest: Plane, sigma: Plane) -> float:
    """Return how far a picture differs from the empty board where nothing has changed, one standard deviation."""
    sure = np.abs(rest[::3, ::3][sigma[::3, ::3] <= USUAL_SIGMA * 1.01])
    return float(np.clip(1.48 * np.quantile(sure, 0.4) / 0.78, 0.0, 0.3)) if len(sure) else 0.0


def evidence(frame_bgr: Picture, calibration: Calibration) -> Evidence:
    """Return what the slots of a picture say."""
    field, slots = calibration.field, calibration.slots
    colors = log_colors(rectify(frame_bgr, field))
    change = light(colors, calibration.empty, calibration.sigma)
    centers, radius = slots.seen(field), slots.radius_px(field)
    gx, gy = edges(colors)
    found, rounds = settle(roundness(gx, gy, radius), centers, field)
    shown = sample(colors - change, found, radius * DISC)
    bare = sample(calibration.empty, found, radius * DISC)
    wide = sample(calibration.sigma, found, radius * DISC)
    noise = _noise(colors - change - calibration.empty, calibration.sigma)
    bare_points = _agreement(shown - bare, np.sqrt(wide**2 + noise**2), shown)
    looks = [INDEPENDENT * bare_points.mean(axis=-1)]
    best = bare_points
    at = shares(found, field)
    for look in (calibration.white, calibration.black):
        full_points, merit = _as_checker(shown, at, look, noise)
        best = np.maximum(best, full_points)
        looks.append(merit)
    strange = (best < STRANGE).mean(axis=-1)
    stacked = np.stack(looks, axis=-1) + _round_evidence(rounds, calibration)
    stacked = np.maximum(stacked, stacked.max(axis=-1, keepdims=True) - CAP)
    return Evidence(stacked, strange, change)


def _as_checker(shown: Plane, at: Floats, look: Look, noise: float) -> tuple[Plane, Floats]:
    """Return how well discs agree with the most similar checkers of one side.

    Args:
        shown: colors of the discs, shape ``(2, 12, SLOTS, POINTS, 3)``.
        at: where they lie, shares of the field's width from its middle.
        look: the side's checkers.
        noise: of this picture.

    Returns:
        The log-likelihood at each place of the best example, and that of the whole disc over all examples.
    """
    tilt = at[..., None, :] - look.places
    expected = look.discs + np.einsum("...nk,kc->...nc", tilt, look.slope)[..., None, :]
    sigma = np.float32(np.sqrt(CHECKER_SIGMA**2 + noise**2))
    points = _agreement(shown[..., None, :, :] - expected, sigma, shown[..., None, :, :])
    each = INDEPENDENT * points.mean(axis=-1)
    best = np.argmax(each, axis=-1)
    chosen = np.take_along_axis(points, best[..., None, None], axis=-2)[..., 0, :]
    top = each.max(axis=-1)
    return chosen, top + np.log(np.mean(np.exp(each - top[..., None]), axis=-1))


def _round_evidence(rounds: Floats, calibration: Calibration) -> Floats:
    full, spread = calibration.round_full
    bare = calibration.round_empty
    as_full = -0.5 * (np.minimum(rounds - full, 0) / spread) ** 2
    as_bare = -0.5 * (np.maximum(rounds - bare, 0) / spread) ** 2
    lean = np.clip(as_full - as_bare, -3, 3)
    return np.stack([np.zeros_like(lean), lean, lean], axis=-1)


def column_likelihoods(looks: Floats) -> Floats:
    """Return the log-likelihoods of the 31 signed counts of points from those of their slots.

    Args:
        looks: log-likelihood of empty, white, black per slot, shape ``(…, SLOTS, 3)``.
    """
    bare = looks[..., 0]
    out = np.zeros((*looks.shape[:-2], len(COUNTS)))
    empty = bare[..., :5].sum(axis=-1)
    out[..., 15] = empty
    for sign, index in ((1, 1), (-1, 2)):
        gain = np.cumsum(looks[..., index] - bare, axis=-1)
        for count in range(1, 16):
            seen = min(count, 5)
            out[..., 15 + sign * count] = empty + gain[..., seen - 1]
    return out


def read(frame_bgr: Picture, calibration: Calibration, at_s: float = 0.0, frame: str | None = None) -> Observation:
    """Return what a picture shows.

    Args:
        frame_bgr: the picture, of the size the calibration was made with.
        calibration: what the board looks like.
        at_s: monotonic time of the picture.
        frame: its name.

    Raises:
        CalibrationError: the picture has another size.
    """
    seen = evidence(frame_bgr, calibration)
    likely = column_likelihoods(seen.looks)
    sites = []
    for site in range(1, 25):
        row, column = calibration.field.place(site)
        sites.append(SiteReading(tuple(float(v) for v in likely[row, column]), True))
    return Observation(at_s, tuple(sites), (BarReading(), BarReading()), frame=frame)


def adapt(calibration: Calibration, frame_bgr: Picture, board: Board) -> Calibration:
    """Return the calibration with what a settled picture teaches whose position is certain.

    Args:
        calibration: what is known so far.
        frame_bgr: a settled picture without a hand.
        board: what stands there for certain.
    """
    colors = log_colors(rectify(frame_bgr, calibration.field))
    return calibration_.adapt(calibration, frame_bgr, board, light(colors, calibration.empty, calibration.sigma))
