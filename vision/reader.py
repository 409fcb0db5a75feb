"""Read a picture: how likely is every count at every site.

Each slot of a point is compared with three looks: empty, White's checker, Black's checker. A point with `n`
checkers shows `n` checkers from the rim and nothing beyond; the log-likelihood of a count is the sum over slots.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from controller.board import COUNTS, BarReading, Board, Observation, SiteReading
from vision import calibration as calibration_
from vision.calibration import (
    DISC,
    POINTS,
    USUAL_SIGMA,
    Calibration,
    Look,
    calibrate,
    disc_points,
    sample,
    settle,
    shares,
)
from vision.checkers import Floats, Plane, edges, log_colors, roundness
from vision.field import Picture, rectify

__all__ = ["Evidence", "adapt", "calibrate", "evidence", "light", "read"]

INDEPENDENT = 10.0
"""How many independent looks the places of one disc are worth."""

WHOLE_SIGMA = 0.12
"""How far two checkers of a side differ in brightness as a whole: light differs over the board."""

STRANGE = 40.0
"""A place farther off than this from all that is known, in squared standard deviations, shows something else."""

EMPTY_WHOLE_SIGMA = 0.03
"""How far the empty surface differs in brightness as a whole; shade makes it differ more at times."""

ROUND_CAP = 6.0
"""The edge of a checker alone speaks no louder than this, natural logarithm."""

CAP = 9.0
"""No slot speaks louder than this, natural logarithm: a die or a glare may lie on it."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the slots of one picture say.

    Attributes:
        looks: log-likelihood of empty, white, black, and of empty beside a checker on the slot before, for each
            slot, shape ``(2, 12, SLOTS, 4)``.
        strange: share of the places of each slot that look like none of the three, shape ``(2, 12, SLOTS)``.
        light: change of light against the calibration at each pixel, logarithms, shape of the rectified picture.
    """

    looks: Floats
    strange: Floats
    light: Plane


def light(colors: Plane, empty: Plane, sigma: Plane) -> Plane:
    """Return how the light has changed between the calibrated board and a picture, as logarithms at each pixel.

    A cast and a gain are one color for the whole board; a shadow or a lamp is a smooth change of brightness. Both
    are taken from the pixels that agree with them, again and again, so that checkers and dice do not count.
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


def _disc_likelihood(
    off: Plane, pixel: Plane, whole: Plane | float, weight: Plane | None = None
) -> tuple[Floats, Plane]:
    """Return the log-likelihood of discs that differ by `off` from what is expected.

    The difference of a disc as a whole (light, shade, another checker of the side) and that of its single places
    (texture, edges, noise) are judged apart.

    Args:
        off: difference of colors, shape ``(…, POINTS, 3)``.
        pixel: standard deviation of a single place, shape ``(…, POINTS)``.
        whole: standard deviation of the brightness of the whole disc; its tint may differ half as much.
        weight: how far each place counts, shape ``(…, POINTS)``.

    Returns:
        The log-likelihood of each disc, and the squared difference of each place in standard deviations.
    """
    if weight is None:
        shift = np.median(off, axis=-2)
    else:
        share = weight / weight.sum(axis=-1, keepdims=True)
        shift = np.nanmedian(np.where(weight[..., None] > 0, off, np.nan), axis=-2)
    bright = shift.mean(axis=-1)
    tint = shift - bright[..., None]
    wide = np.sqrt(np.square(whole) + np.mean(np.square(pixel), axis=-1) / 8)
    far = (bright / wide) ** 2 + np.sum(tint * tint, axis=-1) / (0.5 * wide) ** 2
    total = -3.0 * np.log1p(far / 6) - 3 * np.log(wide)
    rest = off - shift[..., None, :]
    single = np.sum(rest * rest, axis=-1) / np.square(pixel)
    places = -2.0 * np.log1p(single / 4) - 1.5 * np.log(pixel)
    mean = places.mean(axis=-1) if weight is None else (places * share).sum(axis=-1)
    return total + INDEPENDENT * mean, single + (far / 3)[..., None]


def _gray_noise(rest: Plane, colors: Plane, sigma: Plane) -> float:
    """Return how far gray levels differ from the empty board where nothing has changed, one standard deviation."""
    step = 3
    gray = np.exp(colors[::step, ::step].mean(axis=2))
    sure = sigma[::step, ::step] <= 2 * USUAL_SIGMA
    off = (np.abs(rest[::step, ::step]).mean(axis=2) * gray)[sure]
    return float(np.clip(1.2 * np.quantile(off, 0.5), 1.5, 30.0)) if len(off) else 3.0


def evidence(frame_bgr: Picture, calibration: Calibration) -> Evidence:
    """Return what the slots of a picture say."""
    field, slots = calibration.field, calibration.slots
    colors = log_colors(rectify(frame_bgr, field))
    change = light(colors, calibration.empty, calibration.sigma)
    centers, radius = slots.seen(field), slots.radius_px(field)
    gx, gy = edges(colors)
    found, rounds = settle(roundness(gx, gy, radius), centers, field)
    level = colors - change
    shown = sample(level, found, radius * DISC)
    bare = sample(calibration.empty, found, radius * DISC)
    wide = sample(calibration.sigma, found, radius * DISC)
    noise = _gray_noise(level - calibration.empty, colors, calibration.sigma)
    dark = noise * np.exp(-sample(colors, found, radius * DISC).mean(axis=-1))
    pixel = np.sqrt(wide**2 + dark**2)
    whole = EMPTY_WHOLE_SIGMA + wide.mean(axis=-1) - USUAL_SIGMA
    merit, strange = _disc_likelihood(shown - bare, pixel, whole)
    after, _ = _disc_likelihood(shown - bare, pixel, whole, _beyond(calibration, found))
    looks = [merit]
    at = shares(found, field)
    for look in (calibration.white, calibration.black):
        merit, off = _as_checker(shown, at, look, dark)
        strange = np.minimum(strange, off)
        looks.append(merit)
    lean = _round_evidence(rounds, calibration)
    stacked = np.stack([looks[0], looks[1] + lean, looks[2] + lean, after], axis=-1)
    stacked = np.maximum(stacked, stacked.max(axis=-1, keepdims=True) - CAP)
    return Evidence(stacked, (strange > STRANGE).mean(axis=-1), change)


def _as_checker(shown: Plane, at: Floats, look: Look, dark: Plane) -> tuple[Floats, Plane]:
    """Return how well discs agree with the most similar checkers of one side.

    Args:
        shown: colors of the discs, shape ``(2, 12, SLOTS, POINTS, 3)``.
        at: where they lie, shares of the field's width from its middle.
        look: the side's checkers.
        dark: noise at each place, logarithms, shape ``(2, 12, SLOTS, POINTS)``.

    Returns:
        The log-likelihood of each disc over all examples, and how far each place is off from the best example.
    """
    tilt = at[..., None, :] - look.places
    expected = look.discs + np.einsum("...nk,kc->...nc", tilt, look.slope)[..., None, :]
    pixel = np.sqrt(look.sigma**2 + dark**2)[..., None, :]
    each, off = _disc_likelihood(shown[..., None, :, :] - expected, pixel, WHOLE_SIGMA)
    best = np.argmax(each, axis=-1)
    chosen = np.take_along_axis(off, best[..., None, None], axis=-2)[..., 0, :]
    top = each.max(axis=-1)
    return top + np.log(np.mean(np.exp(each - top[..., None]), axis=-1)), chosen


def _round_evidence(rounds: Floats, calibration: Calibration) -> Floats:
    full, spread = calibration.round_full
    bare = calibration.round_empty
    as_full = -0.5 * (np.minimum(rounds - full, 0) / spread) ** 2
    as_bare = -0.5 * (np.maximum(rounds - bare, 0) / spread) ** 2
    return np.asarray(np.clip(as_full - as_bare, -ROUND_CAP, ROUND_CAP))


def _beyond(calibration: Calibration, found: Floats) -> Plane:
    """Return which places of each slot's disc would not be hidden by a checker on the slot before; 0 or 1."""
    field, slots = calibration.field, calibration.slots
    feet = slots.base(field)[:, :, :-1, None]
    places = found[:, :, 1:, None] + disc_points(slots.radius_px(field) * DISC)
    far = np.linalg.norm(places - feet, axis=-1) > 1.06 * slots.radius * field.column_px
    open_ = np.ones((*found.shape[:3], POINTS), np.float32)
    open_[:, :, 1:] = np.where(far, 1.0, 0.0)
    few = open_.sum(axis=-1, keepdims=True) < 8
    return np.where(few, np.float32(1.0), open_)


def column_likelihoods(looks: Floats) -> Floats:
    """Return the log-likelihoods of the 31 signed counts of points from those of their slots.

    Args:
        looks: log-likelihood of each slot, as in `Evidence`, shape ``(…, SLOTS, 4)``.
    """
    bare = looks[..., 0]
    out = np.zeros((*looks.shape[:-2], len(COUNTS)))
    empty = bare[..., :5].sum(axis=-1)
    out[..., 15] = empty
    for sign, index in ((1, 1), (-1, 2)):
        gain = np.cumsum(looks[..., index] - bare, axis=-1)
        for count in range(1, 16):
            seen = min(count, 5)
            next_ = looks[..., seen, 3] - bare[..., seen] if seen < 5 else 0.0
            out[..., 15 + sign * count] = empty + gain[..., seen - 1] + next_
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
