"""Pictures of what each step of a reading did, for people who set up a board or chase a mistake."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from controller.board import Observation
from controller.errors import CalibrationError
from vision.calibration import Calibration
from vision.checkers import DARK_OFFSET, Plane
from vision.discs import View
from vision.field import Picture

GREEN, YELLOW, RED = (60, 220, 60), (0, 230, 255), (60, 60, 255)


def save_steps(
    folder: Path, name: str, frame_bgr: Picture, calibration: Calibration, observation: Observation
) -> None:
    """Save ``NAME-1-field.png`` and so on: corners, rectified with readings, heat, light taken out, empty board.

    Args:
        folder: where to save; made when missing.
        name: beginning of the files' names.
        frame_bgr: the picture that was read.
        calibration: what it was read with.
        observation: what was read.

    Raises:
        CalibrationError: the folder cannot be written.
    """
    view = View.of(frame_bgr, calibration)
    steps = {
        "1-field": _outline(frame_bgr, calibration),
        "2-reading": _readings(view, calibration, observation),
        "3-heat": _map(view.heat.checker),
        "4-light": _colors(view.level),
        "5-empty": _colors(calibration.empty),
        "6-foreign": _map(view.heat.foreign),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for step, picture in steps.items():
            (folder / f"{name}-{step}.png").write_bytes(cv2.imencode(".png", picture)[1].tobytes())
    except OSError as error:
        raise CalibrationError(f"{folder}: {error.strerror}") from None


def _outline(frame_bgr: Picture, calibration: Calibration) -> Picture:
    picture = frame_bgr.copy()
    field = calibration.field
    corners = np.round(np.array(field.corners_px)).astype(np.int32)
    cv2.polylines(picture, [corners], True, GREEN, 2, cv2.LINE_AA)
    for site, (x0, y0, x1, y1) in enumerate(field.columns(), start=1):
        edge = y0 + 12 if y0 < field.center_px[1] - 1 else y1 - 12
        x, y = field.to_picture([[(x0 + x1) / 2, edge]])[0]
        at = (int(x) - 8, int(y) + 5)
        cv2.putText(picture, str(site), at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, YELLOW, 1, cv2.LINE_AA)
    return picture


def _readings(view: View, calibration: Calibration, observation: Observation) -> Picture:
    picture = _colors(view.colors)
    field = calibration.field
    radius = round(calibration.slots.radius_px(field))
    seen = calibration.slots.seen(field)
    for site, reading in enumerate(observation.sites, start=1):
        row, column = field.place(site)
        for x, y in seen[row, column, : min(abs(reading.best), 5)]:
            color = (255, 255, 255) if reading.best > 0 else (0, 0, 0)
            cv2.circle(picture, (round(float(x)), round(float(y))), radius, color, 2, cv2.LINE_AA)
        x, y = 2 * seen[row, column, -1] - seen[row, column, -2]
        text = f"{reading.best:+d} {reading.confidence:.2f}" if reading.seen else "?"
        color = RED if not reading.seen or reading.confidence < 0.9 else GREEN
        at = (int(x) - 22, int(y))
        cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.36, color, 1, cv2.LINE_AA)
    return picture


def _colors(logs: Plane) -> Picture:
    return np.asarray(np.clip(np.exp(logs) - DARK_OFFSET, 0, 255), np.uint8)


def _map(logit: Plane) -> Picture:
    shade = np.asarray(255 / (1 + np.exp(-np.clip(logit, -8, 8))), np.uint8)
    return np.asarray(cv2.applyColorMap(shade, cv2.COLORMAP_VIRIDIS), np.uint8)
