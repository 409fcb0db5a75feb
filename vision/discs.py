"""Compare discs of a picture with what may lie there: the empty surface, White's checkers, Black's checkers."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.calibration import (
    BRIGHT,
    POINTS,
    USUAL_SIGMA,
    Calibration,
    Look,
    Value,
    by_tint,
    disc_pixels,
    sample,
    shares,
    taken,
)
from vision.checkers import Floats, Plane, log_colors
from vision.field import Picture, rectify
from vision.heat import Heat, field_heat

LIGHT_STEP = 8
"""The change of light is smooth; it is worked out for every eighth pixel each way."""

LIGHT_PASSES = ((9.0, 0.5), (6.0, 0.25), (6.0, 0.12))
"""How the change of light is worked out, pass by pass: over about how many steps it is taken to be one, and how
far, in logarithms, the brightness of a pixel may be off to count: at first as far as a shadow makes it."""

LIGHT_TINT = 0.12
"""How far the tint of a pixel may be off to count: a shadow darkens and keeps the tint."""

NEWS_STEP = 3
"""What is new on the board is looked for at this fraction of the rectified picture."""

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

LAST_SIGMA = 0.03
"""How far a checker that nobody touched differs from one picture to the next at the same place."""

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
        change = light(flat, calibration.empty, calibration.sigma)
        found = field_heat(flat, calibration.field)
        return cls(flat, change, found, _gray_noise(flat, change, calibration))

    @property
    def colors(self) -> Plane:
        """Logarithms of the colors; shape of the rectified picture."""
        return log_colors(self.flat)

    @property
    def level(self) -> Plane:
        """The same in the light of the calibration."""
        return level(self.colors, self.change)

    def news(self, *bases: tuple[Plane, Plane | float]) -> npt.NDArray[np.uint8]:
        """Return 1 at every `NEWS_STEP`th pixel at which the picture differs from each of some others.

        Differences are averaged over a few of these pixels: noise does not count, not even where it is dark.

        Args:
            bases: logarithms of colors in the light of the calibration, shape of the rectified picture, each with
                how far they may be off, one standard deviation.
        """
        shown = level(log_colors(_few(self.flat)), self.change)
        blue, green, red = cv2.split(shown)
        dark = np.square(self.noise / 2 * cv2.exp(-cv2.min(cv2.min(blue, green), red)))
        new = np.ones(shown.shape[:2], np.bool_)
        for base, sigma in bases:
            blue, green, red = np.abs(cv2.split(cv2.blur(cv2.subtract(shown, _few(base)), (3, 3))))
            off = cv2.max(cv2.max(blue, green), red)
            wide = np.square(_few(sigma) if isinstance(sigma, np.ndarray) else np.float32(sigma))
            new &= np.square(off) > np.float32(2.5**2) * (wide + dark)
            new &= off > 3 * float(np.median(off[::4, ::4]))
        new = new.astype(np.uint8)
        return np.asarray(cv2.morphologyEx(new, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)


def _few(plane: npt.NDArray[Value]) -> npt.NDArray[Value]:
    """Return every `NEWS_STEP`th pixel."""
    size = (plane.shape[1] // NEWS_STEP, plane.shape[0] // NEWS_STEP)
    return np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_NEAREST_EXACT), plane.dtype)


@dataclass(frozen=True, eq=False)
class Merits:
    """How well discs agree with what may lie there, log-likelihoods, one for each disc.

    Attributes:
        empty: the empty surface.
        beyond: the empty surface, where a checker on the slot before hides part of it.
        white: one of White's checkers, its edge left out.
        black: one of Black's checkers, its edge left out.
        same: what was there when the position was last certain.
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


def compare(view: View, calibration: Calibration, xy: Floats, open_: Plane | None = None) -> Merits:
    """Return how well the discs about some centres agree with what may lie there.

    Args:
        view: the picture.
        calibration: what is known of the board.
        xy: field coordinates, shape ``(n, 2)``.
        open_: which places of the first of the discs a checker on the slot before would not hide, 1 or 0.
    """
    radius = calibration.disc_px
    at = disc_pixels(xy, radius, view.flat.shape)
    colors = by_tint(log_colors(taken(view.flat, at)))
    shown = colors - by_tint(sample(view.change, xy / LIGHT_STEP, radius / LIGHT_STEP))
    wide = taken(calibration.sigma, at)
    dark = np.square(view.noise * np.exp(colors[0] * -BRIGHT))
    whole = EMPTY_WHOLE_SIGMA + 1.5 * np.maximum(wide.mean(axis=-1) - USUAL_SIGMA, 0)
    bare, variance = shown - by_tint(taken(calibration.empty, at)), np.square(wide) + dark
    empty, strange = _disc_likelihood(bare, variance, whole, _EVEN, SHADE_CAP)
    beyond = empty.copy()
    if open_ is not None:
        some = np.flatnonzero(~open_.all(axis=-1))
        weight = open_[some] / open_[some].sum(axis=-1, keepdims=True)
        beyond[some], _ = _disc_likelihood(bare[:, some], variance[some], whole[some], weight, SHADE_CAP)
    share = shares(xy, calibration.field)
    white, off_white = _as_checker(shown, share, calibration.white, dark)
    black, off_black = _as_checker(shown, share, calibration.black, dark)
    before = shown - by_tint(taken(calibration.last, at))
    same, off_last = _disc_likelihood(before, np.float32(LAST_SIGMA**2) + dark, EMPTY_WHOLE_SIGMA, _EVEN)
    strange = np.minimum(np.minimum(strange, off_white), off_black)
    if calibration.certain:
        strange = np.minimum(strange, off_last)
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


def light(flat_bgr: Picture, empty: Plane, sigma: Plane) -> Plane:
    """Return how the light has changed between the calibrated board and a picture: logarithms, each sixth pixel.

    A cast and a gain are one color for the whole board; a shadow or a lamp is a smooth change of brightness. Both
    are taken from the pixels that agree with them, again and again, so that checkers and dice do not count.

    Args:
        flat_bgr: the rectified picture.
        empty: logarithms of the empty board's colors.
        sigma: how far that may be off at each pixel.
    """
    each = slice(None, None, LIGHT_STEP)
    change = np.ascontiguousarray(np.moveaxis(log_colors(flat_bgr[each, each]) - empty[each, each], -1, 0))
    trust = (np.float32(0.04) / sigma[each, each]) ** 2
    cast = _mode(change[:, ::2, ::2].reshape(3, -1), trust[::2, ::2].ravel()).reshape(3, 1, 1)
    bright = np.zeros(trust.shape, np.float32)
    for width, off in LIGHT_PASSES:
        rest = change - cast - bright
        brighter = rest.mean(axis=0)
        far = np.square(rest - brighter).sum(axis=0) / np.float32(LIGHT_TINT**2)
        far += np.square(brighter / np.float32(off))
        weight = trust / (1 + far) ** 2
        cast = cast + (rest * weight).sum(axis=(1, 2), keepdims=True) / weight.sum()
        total = _smooth(weight, width)
        smooth = _smooth(weight * (change - cast).mean(axis=0), width)
        prior = 0.02
        bright = smooth / (total + np.float32(prior))
    return np.ascontiguousarray(np.moveaxis(cast + bright, 0, -1), np.float32)


def _smooth(values: Plane, width: float) -> Plane:
    """Return the values averaged over about `width` pixels, one standard deviation."""
    size = 2 * round(width) + 1
    once = cv2.blur(values, (size, size), borderType=cv2.BORDER_CONSTANT)
    return np.asarray(cv2.blur(once, (size, size), borderType=cv2.BORDER_CONSTANT), np.float32)


def _mode(change: Plane, trust: Plane) -> Plane:
    """Return the most common change of color, shape ``(3,)``: the densest place of its distribution ``(3, n)``."""
    center = np.median(change, axis=1, keepdims=True)
    for width in (0.5, 0.3, 0.2, 0.12, 0.12):
        distance = np.square(change - center).sum(axis=0)
        weight = trust * np.exp(distance * np.float32(-0.5 / width**2))
        center = (change @ weight)[:, None] / np.maximum(weight.sum(), np.float32(1e-6))
    return np.asarray(center[:, 0], np.float32)


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
    apart = off - mean[..., None]
    apart *= apart
    tone = mean[0] * BRIGHT
    wide = np.sqrt(np.square(whole) + _weighed(variance, weight) / 8)
    single = apart[0] / (variance * np.float32(1 / BRIGHT**2))
    colored = (apart[1] + apart[2]) / (variance * np.float32(TINT**2))
    places = _weighed(np.log(1 + single * np.float32(1 / 3)), weight)
    shade = 2.0 * np.log1p(np.square(tone / wide) / 4) + INDEPENDENT * 1.5 * places
    far = (np.square(mean[1]) + np.square(mean[2])) / np.square(TINT * wide)
    color = 3.0 * np.log1p(far / 6) + INDEPENDENT * _weighed(np.log(1 + colored * np.float32(1 / 4)), weight)
    norm = 3 * np.log(wide) + 0.45 * INDEPENDENT * _weighed(np.log(variance), weight)
    cap = np.where((tone < 0.12) & (tone > -0.9), shade_cap, np.inf)
    return -np.minimum(shade, cap) - color - norm, (single + colored) * np.float32(0.5) + (far / 3)[..., None]


def _weighed(values: Plane, weight: Plane) -> Plane:
    """Return the weighed mean of values along their last axis."""
    return values @ weight if weight.ndim == 1 else np.einsum("...p,...p->...", values, weight)


def _gray_noise(flat_bgr: Picture, change: Plane, calibration: Calibration) -> float:
    """Return how far gray levels differ from the empty board where nothing has changed, one standard deviation."""
    each = slice(None, None, LIGHT_STEP)
    here = log_colors(flat_bgr[each, each])
    rest = np.abs(here - change - calibration.empty[each, each])
    off = (rest @ _THIRDS * np.exp(here @ _THIRDS))[calibration.sigma[each, each] <= 2 * USUAL_SIGMA]
    return float(np.clip(1.2 * np.median(off), 1.5, 30.0)) if len(off) else 3.0


_THIRDS = np.full(3, 1 / 3, np.float32)


def _as_checker(shown: Plane, at: Floats, look: Look, dark: Plane) -> tuple[Floats, Plane]:
    """Return how well discs agree with the most similar checkers of one side.

    Args:
        shown: colors of the discs as `by_tint` gives them, shape ``(3, n, POINTS)``.
        at: where they lie, shares of the field's width from its middle, shape ``(n, 2)``.
        look: the side's checkers.
        dark: variance of the noise at each place, logarithms, shape ``(n, POINTS)``.

    Returns:
        The log-likelihood of each disc over all examples, and how far each place is off from the best example.
    """
    tilt = at[:, None] - look.places
    offset = by_tint((tilt @ look.slope).astype(np.float32))
    similar = _most_similar(shown, look, offset, tilt)
    discs = np.arange(len(at))[:, None]
    expected = look.colors[:, similar] + offset[:, discs, similar][..., None]
    variance = (np.float32(look.sigma**2) + dark)[:, None]
    each, off = _disc_likelihood(shown[:, :, None] - expected, variance, WHOLE_SIGMA, _EVEN)
    top = each.max(axis=1, keepdims=True)
    merit = top[:, 0] + np.log(np.mean(np.exp(each - top), axis=1))
    return merit, off[discs[:, 0], np.argmax(each, axis=1)]


def _most_similar(shown: Plane, look: Look, offset: Plane, tilt: Floats) -> npt.NDArray[np.int64]:
    """Return the examples whose colors are nearest to each shown disc, shape ``(n, EXAMPLES)``."""
    tones = shown.mean(axis=-1)
    flat = np.moveaxis(shown - tones[..., None], 0, 1).reshape(shown.shape[1], -1)
    texture = np.square(look.textures).sum(axis=1) - 2 * flat @ look.textures.T
    far = texture + POINTS * np.square(tones[..., None] - look.tones[:, None] - offset).sum(axis=0)
    if not look.certain:
        far = np.where(np.sum(tilt * tilt, axis=-1) < ITSELF**2, np.inf, far)
    return np.argsort(far, axis=-1)[..., :EXAMPLES]
