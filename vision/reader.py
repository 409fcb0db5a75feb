"""Read a picture: how likely is every count at every site.

Each slot of a point is compared with three looks: empty, White's checker, Black's checker. A point with `n`
checkers shows `n` checkers from the rim and nothing beyond; the log-likelihood of a count is the sum over slots.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

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
from vision.checkers import Floats, Plane, log_colors
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

EXAMPLES = 3
"""How many of the most similar examples a disc is compared with in full."""

SHADE_CAP = 20.0
"""Darkness of the empty surface without a change of tint, as a shadow makes it, costs no more than this."""

TINT = 0.5
"""Tints differ this much less than brightness does."""

ROUND_CAP = 9.0
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
        total = _smooth(weight, width)
        smooth = _smooth(weight * (change - cast).mean(axis=2), width)
        prior = 0.02
        bright = smooth / (total + prior)
    field = cast + bright[..., None]
    return np.asarray(cv2.resize(field, (colors.shape[1], colors.shape[0]), interpolation=cv2.INTER_LINEAR))


def _smooth(values: Plane, width: float) -> Plane:
    """Return the values averaged over about `width` pixels, one standard deviation."""
    size = 2 * round(width) + 1
    once = cv2.blur(values, (size, size), borderType=cv2.BORDER_CONSTANT)
    return np.asarray(cv2.blur(once, (size, size), borderType=cv2.BORDER_CONSTANT), np.float32)


def _mode(change: Plane, trust: Plane) -> Plane:
    """Return the most common change of color: the densest place of its distribution."""
    center = np.median(change, axis=0)
    for width in (0.5, 0.3, 0.2, 0.12, 0.12):
        distance = np.sum((change - center) ** 2, axis=1)
        weight = trust * np.exp(-distance / (2 * width**2))
        center = np.sum(change * weight[:, None], axis=0) / max(float(weight.sum()), 1e-6)
    return np.asarray(center, np.float32)


def _disc_likelihood(
    off: Plane, pixel: Plane, whole: Plane | float, weight: Plane, shade_cap: float = np.inf
) -> tuple[Floats, Plane]:
    """Return the log-likelihood of discs that differ by `off` from what is expected.

    Tint and brightness are judged apart, and in each the disc as a whole (light, shade, another checker of the
    side) apart from its single places (texture, edges, noise).

    Args:
        off: difference of colors, shape ``(…, POINTS, 3)``.
        pixel: standard deviation of a single place, shape ``(…, POINTS)``.
        whole: standard deviation of the brightness of the whole disc; its tint may differ less.
        weight: how far each place counts, shape ``(…, POINTS)``, together 1.
        shade_cap: a shadow darkens without changing the tint; that alone costs no more than this.

    Returns:
        The log-likelihood of each disc, and the squared difference of each place in standard deviations.
    """
    bright = off.mean(axis=-1)
    tint = off - bright[..., None]
    tone = np.sum(bright * weight, axis=-1)
    hue = np.einsum("...pc,...p->...c", tint, weight)
    wide = np.sqrt(np.square(whole) + np.sum(np.square(pixel) * weight, axis=-1) / 8)
    single = np.square((bright - tone[..., None]) / pixel)
    places = np.sum(np.log1p(single / 3) * weight, axis=-1)
    shade = 2.0 * np.log1p(np.square(tone / wide) / 4) + INDEPENDENT * 1.5 * places
    rest = tint - hue[..., None, :]
    colored = np.sum(rest * rest, axis=-1) / np.square(TINT * pixel)
    far = np.sum(hue * hue, axis=-1) / np.square(TINT * wide)
    color = 3.0 * np.log1p(far / 6) + INDEPENDENT * np.sum(np.log1p(colored / 4) * weight, axis=-1)
    norm = 3 * np.log(wide) + 0.9 * INDEPENDENT * np.sum(np.log(pixel) * weight, axis=-1)
    cap = np.where((tone < 0.12) & (tone > -0.9), shade_cap, np.inf)
    return -np.minimum(shade, cap) - color - norm, (single + colored) / 2 + (far / 3)[..., None]


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
    found, rounds = settle(calibration_.round_map(colors, radius), centers, field)
    level = colors - change
    shown = sample(level, found, radius * DISC)
    bare = sample(calibration.empty, found, radius * DISC)
    wide = sample(calibration.sigma, found, radius * DISC)
    noise = _gray_noise(level - calibration.empty, colors, calibration.sigma)
    dark = noise * np.exp(-sample(colors, found, radius * DISC).mean(axis=-1))
    pixel = np.sqrt(wide**2 + dark**2)
    whole = EMPTY_WHOLE_SIGMA + wide.mean(axis=-1) - USUAL_SIGMA
    even = np.full((1, POINTS), 1 / POINTS, np.float32)
    merit, strange = _disc_likelihood(shown - bare, pixel, whole, even, SHADE_CAP)
    after, _ = _disc_likelihood(shown - bare, pixel, whole, _beyond(calibration, found), SHADE_CAP)
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
    offset = np.einsum("...nk,kc->...nc", tilt, look.slope).astype(np.float32)
    similar = _most_similar(shown, look.discs, offset)
    expected = look.discs[similar] + np.take_along_axis(offset, similar[..., None], axis=-2)[..., None, :]
    pixel = np.sqrt(look.sigma**2 + dark**2)[..., None, :]
    even = np.full((1, POINTS), 1 / POINTS, np.float32)
    each, off = _disc_likelihood(shown[..., None, :, :] - expected, pixel, WHOLE_SIGMA, even)
    best = np.argmax(each, axis=-1)
    chosen = np.take_along_axis(off, best[..., None, None], axis=-2)[..., 0, :]
    top = each.max(axis=-1)
    return top + np.log(np.mean(np.exp(each - top[..., None]), axis=-1)), chosen


def _most_similar(shown: Plane, discs: Plane, offset: Plane) -> npt.NDArray[np.int64]:
    """Return the examples whose colors are nearest to each shown disc, shape ``(2, 12, SLOTS, EXAMPLES)``."""
    tones = shown.mean(axis=-2)[..., None, :] - discs.mean(axis=1) - offset
    flat = shown - shown.mean(axis=-2, keepdims=True)
    examples = (discs - discs.mean(axis=1, keepdims=True)).reshape(len(discs), -1)
    crossed = flat.reshape(*flat.shape[:3], -1) @ examples.T
    texture = np.square(examples).sum(axis=1) - 2 * crossed
    far = texture + len(discs[0]) * np.sum(tones * tones, axis=-1)
    return np.argsort(far, axis=-1)[..., :EXAMPLES]


def _round_evidence(rounds: Floats, calibration: Calibration) -> Floats:
    full, spread = calibration.round_full
    bare = calibration.round_empty
    as_full = -0.5 * (np.minimum(rounds - full, 0) / spread) ** 2
    as_bare = -0.5 * (np.maximum(rounds - bare, 0) / spread) ** 2
    return np.asarray(np.clip(as_full - as_bare, -ROUND_CAP, ROUND_CAP))


def _beyond(calibration: Calibration, found: Floats) -> Plane:
    """Return which places of each slot's disc would not be hidden by a checker on the slot before; together 1."""
    field, slots = calibration.field, calibration.slots
    feet = slots.base(field)[:, :, :-1, None]
    places = found[:, :, 1:, None] + disc_points(slots.radius_px(field) * DISC)
    far = np.linalg.norm(places - feet, axis=-1) > 1.06 * slots.radius * field.column_px
    open_ = np.ones((*found.shape[:3], POINTS), np.float32)
    open_[:, :, 1:] = np.where(far, 1.0, 0.0)
    few = open_.sum(axis=-1, keepdims=True) < 8
    open_ = np.where(few, np.float32(1.0), open_)
    return np.asarray(open_ / open_.sum(axis=-1, keepdims=True))


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
