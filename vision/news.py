"""What is new on the board: where a picture shows none of what the same places showed before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from vision.checkers import BRIGHTEST, LIMIT, Plane, log_colors
from vision.field import Picture

Value = TypeVar("Value", bound=np.generic)

NEWS_STEP = 3
"""What is new is looked for at this fraction of the rectified picture."""

AVERAGED = (3, 3)
"""Colors are averaged over so many of these pixels: noise does not count, not even where it is dark."""

CERTAIN = 2.5
"""A difference counts from so many standard deviations on."""

UNUSUAL = 3.0
"""And from so many times the usual difference between the two pictures on."""


@dataclass(frozen=True, eq=False)
class Base:
    """What the board showed at some time, made ready for telling what is new on it.

    Attributes:
        colors: logarithms of blue, green and red, averaged, at every `NEWS_STEP`th pixel, each a plane.
        variance: how far these may be off; shape ``(rows, columns)``, or the same everywhere.
    """

    colors: tuple[Plane, ...]
    variance: Plane | np.float32

    @classmethod
    def of(cls, colors: Plane, sigma: Plane | float) -> Base:
        """Return what the board showed.

        Args:
            colors: logarithms of its colors in the light of the calibration, shape of the rectified picture.
            sigma: how far each pixel may be off, or all of them, one standard deviation.
        """
        wide = few(sigma) if isinstance(sigma, np.ndarray) else np.float32(sigma)
        averaged = np.asarray(cv2.blur(few(colors), AVERAGED), np.float32)
        return cls(_planes(averaged), np.square(wide))


def _planes(colors: npt.NDArray[Value]) -> tuple[npt.NDArray[Value], ...]:
    """Return the planes of a picture, one for each color: what is done with them takes less time one by one."""
    return tuple(np.asarray(plane, colors.dtype) for plane in cv2.split(colors))


def few(plane: npt.NDArray[Value]) -> npt.NDArray[Value]:
    """Return every `NEWS_STEP`th pixel."""
    size = (plane.shape[1] // NEWS_STEP, plane.shape[0] // NEWS_STEP)
    return np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_NEAREST_EXACT), plane.dtype)


def news(flat_bgr: Picture, change: Plane, noise: float, *bases: Base) -> npt.NDArray[np.uint8]:
    """Return 1 at every `NEWS_STEP`th pixel at which the picture differs from each of the bases.

    What is brighter in this light than a camera shows is expected at the camera's limit.

    Args:
        flat_bgr: the rectified picture.
        change: change of light against the calibration: logarithms, at any scale.
        noise: of the picture, gray levels.
        bases: what the board showed at other times, in the light of the calibration.
    """
    size = (flat_bgr.shape[1] // NEWS_STEP, flat_bgr.shape[0] // NEWS_STEP)
    seen = few(flat_bgr)
    lights = [cv2.resize(lit, size) for lit in _planes(change)]
    shown = [cv2.subtract(log_colors(plane), lit) for plane, lit in zip(_planes(seen), lights, strict=True)]
    most = [BRIGHTEST - lit for lit in lights] if seen.max() >= LIMIT else None
    dark = np.square(noise / 2 * cv2.exp(-reduce(cv2.min, shown)))
    averaged = [cv2.blur(plane, AVERAGED) for plane in shown]
    new = np.ones(dark.shape, np.bool_)
    for base in bases:
        expected = map(cv2.min, base.colors, most) if most else base.colors
        off = reduce(cv2.max, map(cv2.absdiff, averaged, expected))
        new &= np.square(off) > np.float32(CERTAIN**2) * (base.variance + dark)
        some = off[::4, ::4].ravel()
        new &= off > UNUSUAL * np.partition(some, some.size // 2)[some.size // 2]
    return np.asarray(cv2.morphologyEx(new.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)
