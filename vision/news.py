"""What is new on the board: where a picture shows none of what the same places showed before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from vision.checkers import Plane, log_colors
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
        colors: logarithms of its colors, averaged, at every `NEWS_STEP`th pixel; shape ``(rows, columns, 3)``.
        variance: how far these may be off; shape ``(rows, columns)``, or the same everywhere.
    """

    colors: Plane
    variance: Plane | np.float32

    @classmethod
    def of(cls, colors: Plane, sigma: Plane | float) -> Base:
        """Return what the board showed.

        Args:
            colors: logarithms of its colors in the light of the calibration, shape of the rectified picture.
            sigma: how far each pixel may be off, or all of them, one standard deviation.
        """
        wide = few(sigma) if isinstance(sigma, np.ndarray) else np.float32(sigma)
        return cls(np.asarray(cv2.blur(few(colors), AVERAGED), np.float32), np.square(wide))


def few(plane: npt.NDArray[Value]) -> npt.NDArray[Value]:
    """Return every `NEWS_STEP`th pixel."""
    size = (plane.shape[1] // NEWS_STEP, plane.shape[0] // NEWS_STEP)
    return np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_NEAREST_EXACT), plane.dtype)


def news(flat_bgr: Picture, change: Plane, noise: float, *bases: Base) -> npt.NDArray[np.uint8]:
    """Return 1 at every `NEWS_STEP`th pixel at which the picture differs from each of the bases.

    Args:
        flat_bgr: the rectified picture.
        change: change of light against the calibration: logarithms, at any scale.
        noise: of the picture, gray levels.
        bases: what the board showed at other times, in the light of the calibration.
    """
    colors = log_colors(few(flat_bgr))
    shown = cv2.subtract(colors, cv2.resize(change, (colors.shape[1], colors.shape[0])))
    blue, green, red = cv2.split(shown)
    dark = np.square(noise / 2 * cv2.exp(-cv2.min(cv2.min(blue, green), red)))
    averaged = cv2.blur(shown, AVERAGED)
    new = np.ones(dark.shape, np.bool_)
    for base in bases:
        blue, green, red = cv2.split(cv2.absdiff(averaged, base.colors))
        off = cv2.max(cv2.max(blue, green), red)
        new &= np.square(off) > np.float32(CERTAIN**2) * (base.variance + dark)
        some = off[::4, ::4].ravel()
        new &= off > UNUSUAL * np.partition(some, some.size // 2)[some.size // 2]
    return np.asarray(cv2.morphologyEx(new.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)
