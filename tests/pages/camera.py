"""A drawn camera for the wizard: a board in perspective whose true corners are known."""

from __future__ import annotations

import math

import cv2
import numpy as np

from controller.errors import CalibrationError
from controller.ports import BarEdges, Calibrated, Corners, Finding, Part, Picture

TRUE_CORNERS: Corners = ((212.0, 118.0), (1066.0, 126.0), (1152.0, 640.0), (130.0, 628.0))

FLAT = ((0.0, 0.0), (840.0, 0.0), (840.0, 500.0), (0.0, 500.0))
BAR_X = (340, 430)


def _seen(x: float, y: float) -> tuple[float, float]:
    """Return where a spot of the flat board lies in the picture."""
    warp = cv2.getPerspectiveTransform(np.array(FLAT, np.float32), np.array(TRUE_CORNERS, np.float32))
    seen = cv2.perspectiveTransform(np.array([[[x, y]]], np.float32), warp)[0, 0]
    return float(seen[0]), float(seen[1])


TRUE_BAR: BarEdges = (_seen(BAR_X[0], 250), _seen(BAR_X[1], 250))


def draw_board(width_px: int = 1280, height_px: int = 720) -> bytes:
    """Return a JPEG of a field with its points, seen at an angle."""
    flat = np.full((500, 840, 3), (62, 67, 36), np.uint8)
    for column in range(12):
        wide = BAR_X[0] / 6 if column < 6 else (840 - BAR_X[1]) / 6
        x = column * wide if column < 6 else BAR_X[1] + (column - 6) * wide
        shade = (136, 184, 216) if column % 2 else (47, 69, 150)
        for rim, tip in ((0, 210), (500, 290)):
            cv2.fillPoly(flat, [np.array([[x, rim], [x + wide, rim], [x + wide / 2, tip]], np.int32)], shade)
    cv2.rectangle(flat, (BAR_X[0], 0), (BAR_X[1], 500), (26, 47, 74), -1)
    warp = cv2.getPerspectiveTransform(np.array(FLAT, np.float32), np.array(TRUE_CORNERS, np.float32))
    picture = np.full((height_px, width_px, 3), (30, 60, 90), np.uint8)
    cv2.warpPerspective(flat, warp, (width_px, height_px), picture, borderMode=cv2.BORDER_TRANSPARENT)
    return bytes(cv2.imencode(".jpg", picture)[1])


class DrawnSetup:
    """Satisfies `controller.ports.Setup`: accepts corners that lie within ten pixels of the true ones."""

    def __init__(self) -> None:
        self.jpeg = draw_board()
        self.corners: Corners | None = None
        self.bar: BarEdges | None = None
        self.white_home = "auto"
        self.attempted: list[Part] = []

    async def picture(self) -> Picture | None:
        return Picture(self.jpeg, 1280, 720, "f001.jpg")

    async def settled_picture(self) -> Picture | None:
        return await self.picture()

    async def calibration(self) -> Calibrated:
        if self.corners is None:
            return Calibrated(None, "auto", (Finding("corners", False, "The corners are not known yet."),))
        return Calibrated(
            self.corners, self.white_home, (Finding("corners", True, "The corners fit the points."),), self.bar
        )

    async def calibrate(self, corners: Corners | None, white_home: str, bar: BarEdges | None = None) -> Calibrated:
        found = corners or TRUE_CORNERS
        worst = max(math.dist(one, true) for one, true in zip(found, TRUE_CORNERS, strict=True))
        if worst > 10:
            raise CalibrationError(f"the corners do not fit the points: one is {worst:.0f} pixels off")
        for given, true in zip(bar or (), TRUE_BAR, strict=False):
            if math.dist(given, true) > 10:
                raise CalibrationError("the edges of the bar lie beside it")
        self.corners, self.white_home, self.bar = found, white_home, bar or TRUE_BAR
        return await self.calibration()

    async def marker_sheet(self) -> str:
        return '<svg xmlns="http://www.w3.org/2000/svg"/>'

    async def attempt(self, part: Part) -> Finding:
        self.attempted.append(part)
        return Finding(part, part != "dice", f"{part} looked at")
