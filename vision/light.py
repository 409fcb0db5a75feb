"""How the light has changed since the board was learned, and how noisy a picture is.

A cast and a gain are one color for the whole board; a shadow or a lamp is a smooth change of brightness. Both are
taken from the pixels that agree with them, again and again, so that checkers and dice do not count.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.checkers import LOG_LIMIT, Plane, exp, log_colors
from vision.field import Picture

LIGHT_STEP = 8
"""The change of light is smooth; it is worked out for every eighth pixel each way."""

PASSES = ((9.0, 0.5), (6.0, 0.25), (6.0, 0.12))
"""How it is worked out, pass by pass: over about how many steps it is taken to be one, and how far, in logarithms,
the brightness of a pixel may be off to count: at first as far as a shadow makes it."""

TINT = 0.12
"""How far the tint of a pixel may be off to count: a shadow darkens and keeps the tint."""

TRUSTED_SIGMA = 0.04
"""Pixels that may be off so far, one standard deviation, count 1."""

CLIPPED_TRUST = 1e-3
"""How much of that is left to pixels at the limit of the camera: they tell only where nothing else does."""

PRIOR = 0.02
"""So much, in such pixels, speaks for no change of brightness anywhere."""

NARROWER = (0.5, 0.3, 0.2, 0.12, 0.12)
"""How far, in logarithms, from the most common change the pixels lie that say where that is, round by round."""

USUAL_SIGMA = 0.025
"""How far colors of the same thing differ between two pictures, in logarithms."""

NOISE = (1.5, 30.0)
"""Between how many gray levels the noise of a picture is taken to be, one standard deviation."""

_THIRDS = np.full(3, 1 / 3, np.float32)


@dataclass(frozen=True, eq=False)
class Unlit:
    """The empty board as it was learned, made ready for telling how the light has changed.

    Attributes:
        colors: logarithms of its colors at every `LIGHT_STEP`th pixel, shape ``(3, rows, columns)``.
        trust: how much each of these pixels counts.
        sharp: which of them are hardly ever off.
    """

    colors: Plane
    trust: Plane
    sharp: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, empty: Plane, sigma: Plane) -> Unlit:
        """Return the empty board, given logarithms of its colors and how far each pixel may be off."""
        each = slice(None, None, LIGHT_STEP)
        wide = sigma[each, each]
        return cls(_planes(empty[each, each]), (np.float32(TRUSTED_SIGMA) / wide) ** 2, wide <= 2 * USUAL_SIGMA)


def coarse(flat_bgr: Picture) -> Plane:
    """Return the logarithms of every `LIGHT_STEP`th pixel's colors; shape ``(3, rows, columns)``."""
    return _planes(log_colors(flat_bgr[::LIGHT_STEP, ::LIGHT_STEP]))


def _planes(colors: Plane) -> Plane:
    return np.ascontiguousarray(np.moveaxis(colors, -1, 0))


def light(colors: Plane, unlit: Unlit) -> Plane:
    """Return how the light has changed: logarithms, each `LIGHT_STEP`th pixel; shape ``(rows, columns, 3)``.

    Args:
        colors: of the picture, as `coarse` gives them.
        unlit: the board as it was learned.
    """
    change, shape = colors - unlit.colors, colors.shape[1:]
    trust = np.where(_clipped(colors), np.float32(CLIPPED_TRUST), 1) * unlit.trust
    cast = _mode(change[:, ::2, ::2].reshape(3, -1), trust[::2, ::2].ravel())
    change, trust = change.reshape(3, -1), trust.ravel()
    brightness = _THIRDS @ change
    tint = change - brightness
    tinted = np.square(tint).sum(axis=0)
    bright = np.zeros_like(brightness)
    for width, off in PASSES:
        tone = cast - cast.mean()
        far = (tinted - (2 * tone) @ tint + tone @ tone) * np.float32(1 / TINT**2)
        far += np.square((brightness - cast.mean() - bright) * np.float32(1 / off))
        weight = trust / np.square(1 + far)
        cast = (change @ weight - bright @ weight) / weight.sum()
        smooth = _smooth((weight * (brightness - cast.mean())).reshape(shape), width)
        bright = (smooth / (_smooth(weight.reshape(shape), width) + np.float32(PRIOR))).ravel()
    return np.ascontiguousarray((cast[:, None] + bright).T.reshape(*shape, 3))


def gray_noise(colors: Plane, change: Plane, unlit: Unlit) -> float:
    """Return how far gray levels differ from the empty board where nothing has changed, one standard deviation.

    Args:
        colors: of the picture, as `coarse` gives them.
        change: of the light, as `light` gives it.
        unlit: the board as it was learned.
    """
    rest = np.abs(colors - unlit.colors - change.transpose(2, 0, 1)).sum(axis=0)
    told = unlit.sharp & ~_clipped(colors)
    off = (rest * exp(colors.sum(axis=0) * _THIRDS[0]))[told] * _THIRDS[0]
    if not off.size:
        return 2 * NOISE[0]
    return min(max(1.2 * float(np.partition(off, off.size // 2)[off.size // 2]), NOISE[0]), NOISE[1])


def _clipped(colors: Plane) -> npt.NDArray[np.bool_]:
    """Return which pixels are at the camera's limit in some color; shape ``(3, rows, columns)`` in."""
    return np.asarray(colors.max(axis=0) >= LOG_LIMIT)


def _smooth(values: Plane, width: float) -> Plane:
    """Return the values averaged over about `width` pixels, one standard deviation."""
    size = 2 * round(width) + 1
    once = cv2.blur(values, (size, size), borderType=cv2.BORDER_CONSTANT)
    return np.asarray(cv2.blur(once, (size, size), borderType=cv2.BORDER_CONSTANT), np.float32)


def _mode(change: Plane, trust: Plane) -> Plane:
    """Return the most common change of color, shape ``(3,)``: the densest place of its distribution ``(3, n)``."""
    half = change.shape[1] // 2
    center = np.partition(change, half, axis=1)[:, half]
    squared = np.square(change).sum(axis=0)
    for width in NARROWER:
        distance = squared - (2 * center) @ change + center @ center
        weight = trust * exp(distance * np.float32(-0.5 / width**2))
        center = (change @ weight) / max(weight.sum(), np.float32(1e-6))
    return np.asarray(center, np.float32)
