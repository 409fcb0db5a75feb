"""How good a picture of a board is for reading, in plain words, and what to change before play starts."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.calibration import Calibration
from vision.checkers import DARK_OFFSET, Plane
from vision.field import Picture, rectify

LEAST_CONTRAST = 12.0
"""Difference of the two sides' checkers (CIE76 delta E) below which they are hard to tell apart."""

LEAST_CHECKER_PX = 22.0
"""Width of a checker in the picture below which counting suffers."""

LEAST_SHARPNESS = 0.8
"""Gray levels by which the picture loses when it is blurred a little; a blurred picture loses nothing."""

MOST_GLARE = 0.01
"""Share of the field that may be clipped white."""

DARKEST = 30.0
"""Median gray level of the field below which noise takes over."""

MOST_LEAN = 0.32
"""How far a checker's top may seem to lean, in columns; 0.2 is a camera about 40 degrees off the vertical."""


@dataclass(frozen=True, slots=True)
class Quality:
    """What was measured, and advice.

    Attributes:
        contrast: difference of the two sides' checkers, delta E.
        checker_px: width of the smallest checker in the picture, pixels.
        sharpness: gray levels lost by a little blur.
        glare: share of the field that is clipped white.
        brightness: median gray level of the field.
        lean: how far a checker's top seems to lean at most, columns.
        advice: sentences, the most important first; empty when all is well.
    """

    contrast: float
    checker_px: float
    sharpness: float
    glare: float
    brightness: float
    lean: float
    advice: tuple[str, ...]


def quality(frame_bgr: Picture, calibration: Calibration) -> Quality:
    """Return how well a calibrated picture can be read.

    Args:
        frame_bgr: the picture the calibration was made from, or a later one.
        calibration: of the same camera.
    """
    field, slots = calibration.field, calibration.slots
    flat = rectify(frame_bgr, field)
    gray = cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY).astype(np.float32)
    base, seen = slots.base(field)[:, :, :5], slots.seen(field)[:, :, :5]
    side = np.array([slots.radius_px(field), 0.0])
    left, right = field.to_picture(seen - side), field.to_picture(seen + side)
    width = float(np.linalg.norm(right - left, axis=1).min())
    contrast = _delta_e(calibration.white.discs, calibration.black.discs)
    sharpness = float(np.abs(gray - cv2.GaussianBlur(gray, (0, 0), 1.0)).mean())
    glare = float((flat.min(axis=2) >= 250).mean())
    brightness = float(np.median(gray))
    lean = float(np.linalg.norm(seen - base, axis=-1).max() / field.column_px)
    measured = Quality(contrast, width, sharpness, glare, brightness, lean, ())
    return Quality(contrast, width, sharpness, glare, brightness, lean, tuple(_advice(measured)))


def _delta_e(white: Plane, black: Plane) -> float:
    tones = [np.exp(np.median(discs, axis=(0, 1))) - DARK_OFFSET for discs in (white, black)]
    labs = cv2.cvtColor(np.array([tones], np.float32).clip(0, 255) / 255, cv2.COLOR_BGR2LAB)
    return float(np.linalg.norm(labs[0, 0] - labs[0, 1]))


def _advice(q: Quality) -> list[str]:
    out = []
    if q.contrast < LEAST_CONTRAST:
        out.append(
            f"The two sides' checkers look almost alike (difference {q.contrast:.0f}, at least "
            f"{LEAST_CONTRAST:.0f} is needed): use more light or another set of checkers."
        )
    if q.checker_px < LEAST_CHECKER_PX:
        out.append(
            f"A checker is only {q.checker_px:.0f} pixels wide ({LEAST_CHECKER_PX:.0f} are needed): move the "
            "camera nearer or use a higher resolution."
        )
    if q.sharpness < LEAST_SHARPNESS:
        out.append("The picture is blurred: focus the camera on the board, or clean the lens.")
    if q.glare > MOST_GLARE:
        out.append(
            f"{100 * q.glare:.0f} % of the field is white with glare: move the lamp, or the camera, so that the "
            "lamp is not mirrored in the board."
        )
    if q.brightness < DARKEST:
        out.append("The board is too dark: add light, or expose longer.")
    if q.lean > MOST_LEAN:
        out.append("The camera looks too much from the side: mount it higher, nearer to straight above the board.")
    return out
