"""A drawn camera for the wizard: a board in perspective whose true corners are known."""

from __future__ import annotations

import math

import cv2
import numpy as np

from controller.errors import CalibrationError
from controller.ports import Calibrated, Corners, Finding, Part, Picture

TRUE_CORNERS: Corners = ((212.0, 118.0), (1066.0, 126.0), (1152.0, 640.0), (130.0, 628.0))


def draw_board(width_px: int = 1280, height_px: int = 720) -> bytes:
    """Return a JPEG of a field with its points, seen at an angle."""
    flat = np.full((500, 840, 3), (62, 67, 36), np.uint8)
    for column in range(12):
        x = column * 65 + (60 if column >= 6 else 0)
        shade = (136, 184, 216) if column % 2 else (47, 69, 150)
        for rim, tip in ((0, 210), (500, 290)):
            cv2.fillPoly(flat, [np.array([[x, rim], [x + 65, rim], [x + 32, tip]], np.int32)], shade)
    cv2.rectangle(flat, (390, 0), (450, 500), (26, 47, 74), -1)
    source = np.array([[0, 0], [840, 0], [840, 500], [0, 500]], np.float32)
    warp = cv2.getPerspectiveTransform(source, np.array(TRUE_CORNERS, np.float32))
    picture = np.full((height_px, width_px, 3), (30, 60, 90), np.uint8)
    cv2.warpPerspective(flat, warp, (width_px, height_px), picture, borderMode=cv2.BORDER_TRANSPARENT)
    return bytes(cv2.imencode(".jpg", picture)[1])


class DrawnSetup:
    """Satisfies `controller.ports.Setup`: accepts corners that lie within ten pixels of the true ones."""

    def __init__(self) -> None:
        self.jpeg = draw_board()
        self.corners: Corners | None = None
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
            self.corners, self.white_home, (Finding("corners", True, "The corners fit the points."),)
        )

    async def calibrate(self, corners: Corners | None, white_home: str) -> Calibrated:
        found = corners or TRUE_CORNERS
        worst = max(math.dist(one, true) for one, true in zip(found, TRUE_CORNERS, strict=True))
        if worst > 10:
            raise CalibrationError(f"the corners do not fit the points: one is {worst:.0f} pixels off")
        self.corners, self.white_home = found, white_home
        return await self.calibration()

    async def marker_sheet(self) -> str:
        return '<svg xmlns="http://www.w3.org/2000/svg"/>'

    async def attempt(self, part: Part) -> Finding:
        self.attempted.append(part)
        return Finding(part, part != "dice", f"{part} looked at")
