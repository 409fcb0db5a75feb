"""Compare discs of a picture with what may lie there: the empty surface, White's checkers, Black's checkers."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.calibration import (
    BRIGHT,
    LAST_SIGMA,
    POINTS,
    Calibration,
    Look,
    by_tint,
    disc_pixels,
    from_tint,
    sample,
    shares,
    taken,
)
from vision.checkers import LIMIT, Floats, Plane, exp, log, log_colors
from vision.field import Picture, rectify
from vision.heat import Heat, field_heat
from vision.light import LIGHT_STEP, USUAL_SIGMA, coarse, gray_noise, light

INDEPENDENT = 10.0
"""How many independent looks the places of one disc are worth."""

WHOLE_SIGMA = 0.12
"""How far two checkers of a side differ in brightness as a whole: light differs over the board."""

EMPTY_WHOLE_SIGMA = 0.03
"""How far the empty surface differs in brightness as a whole; shade makes it differ more at times."""

ITSELF = 0.02
"""An example nearer than this, as a share of the field's width, is the checker itself."""

EXAMPLES = 3
"""How many of the most similar examples a disc is compared with in full."""

SHADE_CAP = 20.0
"""Darkness of the empty surface without a change of tint, as a shadow makes it, costs no more than this."""

TINT = 0.5
"""Tints differ this much less than brightness does."""

STRANGE = 40.0
"""A place farther off than this from all that is known, in squared standard deviations, shows something else."""

ROUND_CAP = 12.0
"""The edge of a checker alone speaks no louder than this, natural logarithm."""


@dataclass(frozen=True, eq=False)
class View:
    """One picture, made ready for comparing discs.

    Attributes:
        flat: the rectified picture.
        change: change of light against the calibration, for every `LIGHT_STEP`th pixel.
        heat: where checkers' tops are, as the net says.
        noise: noise of the picture, gray levels.
    """

    flat: Picture
    change: Plane
    heat: Heat
    noise: float

    @classmethod
    def of(cls, frame_bgr: Picture, calibration: Calibration) -> View:
        """Return the view of a picture through a calibration."""
        flat = rectify(frame_bgr, calibration.field)
        colors = coarse(flat)
        change = light(colors, calibration.unlit)
        found = field_heat(flat, calibration.field, narrow=calibration.certain)
        return cls(flat, change, found, gray_noise(colors, change, calibration.unlit))

    @property
    def colors(self) -> Plane:
        """Logarithms of the colors; shape of the rectified picture."""
        return log_colors(self.flat)

    @property
    def level(self) -> Plane:
        """The same in the light of the calibration."""
        return level(self.colors, self.change)


@dataclass(frozen=True, eq=False)
class Merits:
    """How well discs agree with what may lie there, log-likelihoods, one for each disc.

    Attributes:
        empty: the empty surface.
        beyond: the empty surface, where a checker on the slot before hides part of it.
        white: one of White's checkers, its edge left out.
        black: one of Black's checkers, its edge left out.
        same: what was there when the position was last certain, 0 where that was not asked.
        strange: squared distance of each place from all of these in standard deviations.
    """

    empty: Floats
    beyond: Floats
    white: Floats
    black: Floats
    same: Floats
    strange: Plane

    def part(self, which: slice, shape: tuple[int, ...] = (-1,)) -> Merits:
        """Return those of some of the discs, in some shape."""
        empty, beyond, white, black, same = (
            merit[which].reshape(shape) for merit in (self.empty, self.beyond, self.white, self.black, self.same)
        )
        return Merits(empty, beyond, white, black, same, self.strange[which].reshape(*shape, POINTS))


@dataclass(frozen=True, eq=False)
class Clipped:
    """Which colors of discs are at the camera's limit: what lies there may be brighter than it looks.

    Attributes:
        discs: which of the discs have such places.
        colors: which colors of each place of theirs, shape ``(3, len(discs), POINTS)``.
    """

    discs: npt.NDArray[np.int64]
    colors: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, pixels: Picture) -> Clipped:
        """Return this of the pixels of discs, shape ``(n, POINTS, 3)``."""
        discs = np.flatnonzero(pixels.reshape(len(pixels), 3 * POINTS).max(axis=1) >= LIMIT)
        return cls(discs, np.moveaxis(pixels[discs] >= LIMIT, -1, 0))

    def part(self, some: npt.NDArray[np.int64]) -> Clipped:
        """Return this of some of the discs, in ascending order."""
        kept = np.isin(self.discs, some)
        return Clipped(np.searchsorted(some, self.discs[kept]), self.colors[:, kept])

    def visible(self, off: Plane) -> Plane:
        """Return how far discs differ from what is expected, as `by_tint` gives it, as far as that can be seen.

        That a color at the limit is darker than expected says nothing. Shape ``(3, n, …, POINTS)`` in and out.
        """
        if not self.discs.size:
            return off
        clipped = self.colors.reshape(*self.colors.shape[:2], *(1,) * (off.ndim - 3), -1)
        differing = from_tint(off[:, self.discs])
        out = off.copy()
        out[:, self.discs] = by_tint(np.moveaxis(np.where(clipped, np.maximum(differing, 0), differing), 0, -1))
        return out


def compare(
    view: View,
    calibration: Calibration,
    xy: Floats,
    open_: Plane | None = None,
    stood: npt.NDArray[np.bool_] | None = None,
) -> Merits:
    """Return how well the discs about some centres agree with what may lie there.

    Args:
        view: the picture.
        calibration: what is known of the board.
        xy: field coordinates, shape ``(n, 2)``.
        open_: which places of the first of the discs a checker on the slot before would not hide, 1 or 0.
        stood: which of the discs are compared with what was there when the position was last certain; the others
            differ from that by nothing. All by default.
    """
    radius = calibration.disc_px
    at = disc_pixels(xy, radius, view.flat.shape)
    pixels = taken(view.flat, at)
    clipped = Clipped.of(pixels)
    colors = by_tint(log_colors(pixels))
    shown = colors - by_tint(sample(view.change, xy / LIGHT_STEP, radius / LIGHT_STEP))
    wide = taken(calibration.sigma, at)
    dark = np.square(np.float32(view.noise) * exp(colors[0] * -BRIGHT))
    whole = EMPTY_WHOLE_SIGMA + 1.5 * np.maximum(wide @ _EVEN - USUAL_SIGMA, 0)
    bare, variance = clipped.visible(shown - by_tint(taken(calibration.empty, at))), np.square(wide) + dark
    empty, strange = _disc_likelihood(bare, variance, whole, _EVEN, SHADE_CAP)
    beyond = empty.copy()
    if open_ is not None:
        some = np.flatnonzero(~open_.all(axis=-1))
        weight = open_[some] / open_[some].sum(axis=-1, keepdims=True)
        beyond[some], _ = _disc_likelihood(bare[:, some], variance[some], whole[some], weight, SHADE_CAP)
    share = shares(xy, calibration.field)
    white, off_white = _as_checker(shown, share, calibration.white, dark, clipped)
    black, off_black = _as_checker(shown, share, calibration.black, dark, clipped)
    strange = np.minimum(np.minimum(strange, off_white), off_black)
    same = np.zeros(len(xy))
    if calibration.certain:
        some = np.arange(len(xy)) if stood is None else np.flatnonzero(stood)
        before = clipped.part(some).visible(shown[:, some] - by_tint(taken(calibration.last, at[some])))
        noisy = np.float32(LAST_SIGMA**2) + dark[some]
        same[some], off_last = _disc_likelihood(before, noisy, EMPTY_WHOLE_SIGMA, _EVEN)
        strange[some] = np.minimum(strange[some], off_last)
    return Merits(empty, beyond, white, black, same, strange)


def round_evidence(rounds: Floats, bare: Floats | float, calibration: Calibration) -> Floats:
    """Return how much the edge of a disc speaks for a checker, natural logarithm.

    Args:
        rounds: logit of a checker there.
        bare: the same when nothing lies there.
        calibration: what logits checkers have.
    """
    full, spread = calibration.round_full
    as_full = -0.5 * (np.minimum(rounds - full, 0) / spread) ** 2
    as_bare = -0.5 * (np.maximum(rounds - bare, 0) / calibration.round_spread) ** 2
    return np.asarray(np.clip(as_full - as_bare, -ROUND_CAP, ROUND_CAP))


def level(colors: Plane, change: Plane) -> Plane:
    """Return the colors of a picture in the light of the calibration; shape of the rectified picture."""
    return np.asarray(cv2.subtract(colors, cv2.resize(change, (colors.shape[1], colors.shape[0]))), np.float32)


_EVEN = np.full(POINTS, 1 / POINTS, np.float32)


def _disc_likelihood(
    off: Plane, variance: Plane, whole: Plane | float, weight: Plane, shade_cap: float = np.inf
) -> tuple[Floats, Plane]:
    """Return the log-likelihood of discs that differ by `off` from what is expected.

    Tint and brightness are judged apart, and in each the disc as a whole (light, shade, another checker of the
    side) apart from its single places (texture, edges, noise).

    Args:
        off: difference of colors, as `by_tint` gives them, shape ``(3, …, POINTS)``.
        variance: of a single place, shape ``(…, POINTS)``.
        whole: standard deviation of the brightness of the whole disc; its tint may differ less.
        weight: how far each place counts, shape ``(…, POINTS)`` or ``(POINTS,)``, together 1.
        shade_cap: a shadow darkens without changing the tint; that alone costs no more than this.

    Returns:
        The log-likelihood of each disc, and the squared difference of each place in standard deviations.
    """
    mean = _weighed(off, weight)
    apart = np.square(off - mean[..., None])
    tone = mean[0] * BRIGHT
    wide = whole * whole + _weighed(variance, weight) / 8
    sure = 1 / variance
    single = apart[0] * (sure * BRIGHT**2)
    colored = (apart[1] + apart[2]) * (sure * np.float32(TINT**-2))
    shade = 2.0 * np.log1p(np.square(tone) / wide / 4) + INDEPENDENT * 1.5 * _weighed(_log1p(single, 3), weight)
    far = (np.square(mean[1]) + np.square(mean[2])) / (np.float32(TINT**2) * wide)
    color = 3.0 * np.log1p(far / 6) + INDEPENDENT * _weighed(_log1p(colored, 4), weight)
    norm = 1.5 * np.log(wide) + 0.45 * INDEPENDENT * _weighed(log(variance), weight)
    if np.isfinite(shade_cap):
        shade = np.where((tone < 0.12) & (tone > -0.9), np.minimum(shade, shade_cap), shade)
    single += colored
    single *= np.float32(0.5)
    single += (far / 3)[..., None]
    return -shade - color - norm, single


def _log1p(values: Plane, unit: float) -> Plane:
    """Return the logarithm of one and the values in some unit."""
    scaled = values * np.float32(1 / unit)
    scaled += 1
    return log(scaled)


def _weighed(values: Plane, weight: Plane) -> Plane:
    """Return the weighed mean of values along their last axis."""
    if weight.ndim > 1:
        return np.asarray(np.einsum("...p,...p->...", values, weight))
    return np.asarray(values.reshape(-1, weight.size) @ weight).reshape(values.shape[:-1])


def _as_checker(shown: Plane, at: Floats, look: Look, dark: Plane, clipped: Clipped) -> tuple[Floats, Plane]:
    """Return how well discs agree with the most similar checkers of one side.

    Args:
        shown: colors of the discs as `by_tint` gives them, shape ``(3, n, POINTS)``.
        at: where they lie, shares of the field's width from its middle, shape ``(n, 2)``.
        look: the side's checkers.
        dark: variance of the noise at each place, logarithms, shape ``(n, POINTS)``.
        clipped: which of their colors are at the camera's limit.

    Returns:
        The log-likelihood of each disc over all examples, and how far each place is off from the best example.
    """
    tilt = at[:, None] - look.places
    offset = by_tint((tilt @ look.slope).astype(np.float32))
    similar = _most_similar(shown, look, offset, tilt)
    discs = np.arange(len(at))[:, None]
    apart = look.colors.take(similar, axis=1)
    apart += offset.reshape(3, -1).take(discs * offset.shape[2] + similar, axis=1)[..., None]
    np.subtract(shown[:, :, None], apart, out=apart)
    apart = clipped.visible(apart)
    variance = (np.float32(look.sigma**2) + dark)[:, None]
    each, off = _disc_likelihood(apart, variance, WHOLE_SIGMA, _EVEN)
    top = each.max(axis=1, keepdims=True)
    merit = top[:, 0] + np.log(np.mean(np.exp(each - top), axis=1))
    return merit, off[discs[:, 0], np.argmax(each, axis=1)]


def _most_similar(shown: Plane, look: Look, offset: Plane, tilt: Floats) -> npt.NDArray[np.int64]:
    """Return the examples whose colors are nearest to each shown disc, shape ``(n, EXAMPLES)``."""
    tones = shown @ _EVEN
    flat = np.moveaxis(shown - tones[..., None], 0, 1).reshape(shown.shape[1], -1)
    texture = np.square(look.textures).sum(axis=1) - 2 * flat @ look.textures.T
    far = texture + POINTS * np.square(tones[..., None] - look.tones[:, None] - offset).sum(axis=0)
    if not look.certain:
        far = np.where(np.sum(tilt * tilt, axis=-1) < ITSELF**2, np.inf, far)
    return np.argsort(far, axis=-1)[..., :EXAMPLES]
