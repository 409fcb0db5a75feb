"""How many pixels a checker and a die get: board size, camera and height, by pinhole geometry.

Lengths of boards and angles of cameras are the makers' or usual ones; the rest is computed here. Run
``python hardware/generate.py`` to renew the table in README.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

MARGIN = 1.10
"""The field and a rim for markers and trays: this much more than the field must be in the picture."""

LEAST_CHECKER_PX = 22
LEAST_DIE_PX = 24
"""Below these, checkers of a stack run into one another and pips of a die vanish."""

LAYER_MM = 10.0
"""Height of one checker; one on top of another moves in the picture by this times the tangent of the view."""

LEAN = 0.5
"""How much of its radius a checker of the second layer may seem to be shifted."""


@dataclass(frozen=True)
class BoardSize:
    """A board by the size of its playing surface, bar included, millimetres."""

    name: str
    width_mm: float
    height_mm: float
    checker_mm: float
    die_mm: float


@dataclass(frozen=True)
class Camera:
    """A camera by its horizontal angle and the picture it is used with."""

    name: str
    angle_deg: float
    width_px: int
    height_px: int

    @property
    def focal_px(self) -> float:
        """Pixels per unit of slope."""
        return self.width_px / 2 / math.tan(math.radians(self.angle_deg) / 2)


BOARDS = (
    BoardSize("travel, 38 cm", 380, 300, 27, 11),
    BoardSize("club, 46 cm", 460, 390, 34, 13),
    BoardSize("tournament, 54 cm", 540, 460, 40, 15),
)

CAMERAS = (
    Camera("Pi Camera Module 3", 66, 2304, 1296),
    Camera("Pi Camera Module 3 Wide", 102, 2304, 1296),
    Camera("USB, 1080p, 70 deg", 70, 1920, 1080),
    Camera("USB, 720p, 55 deg", 55, 1280, 720),
)


def least_height_mm(board: BoardSize, camera: Camera) -> float:
    """Return the lowest height above the middle of the field from which all of it is in the picture."""
    across = board.width_mm * MARGIN / camera.width_px
    along = board.height_mm * MARGIN / camera.height_px
    return max(across, along) * camera.focal_px


def pixels(camera: Camera, height_mm: float, length_mm: float) -> float:
    """Return how long `length_mm` on the field is in the picture, straight below the camera."""
    return camera.focal_px / height_mm * length_mm


def steepest_deg(board: BoardSize, height_mm: float) -> float:
    """Return the angle from the vertical under which the far corner of the field is seen from above its middle."""
    return math.degrees(math.atan(math.hypot(board.width_mm, board.height_mm) / 2 / height_mm))


def tilt_limit_deg(board: BoardSize, camera: Camera, height_mm: float) -> float:
    """Return how far the camera may be moved to the side, as an angle from the vertical, looking at the middle.

    At the far edge a checker of the second layer must not seem shifted by more than `LEAN` of its radius along the
    row, and must still have `LEAST_CHECKER_PX`; the first is mostly what decides.
    """
    limit = 0
    for tilt in range(61):
        aside_mm = height_mm * math.tan(math.radians(tilt))
        slope = (aside_mm + board.height_mm / 2) / height_mm
        away_mm = math.hypot(height_mm, aside_mm + board.height_mm / 2)
        seen_px = camera.focal_px / away_mm * board.checker_mm
        if LAYER_MM * slope > LEAN * board.checker_mm / 2 or seen_px < LEAST_CHECKER_PX:
            break
        limit = tilt
    return limit


def table() -> str:
    """Return the table of README.md."""
    lines = [
        "| board | camera, picture | height | pixels per checker | per die | steepest view | tilt at most |",
        "|---|---|---|---|---|---|---|",
    ]
    for board in BOARDS:
        for camera in CAMERAS:
            least = math.ceil(least_height_mm(board, camera) / 50) * 50
            for height in (least, round(least * 1.4 / 50) * 50):
                lines.append(_row(board, camera, height))
    return "\n".join(lines)


def _row(board: BoardSize, camera: Camera, height_mm: float) -> str:
    checker = pixels(camera, height_mm, board.checker_mm)
    die = pixels(camera, height_mm, board.die_mm)
    few = " (too few)"
    cells = (
        board.name,
        f"{camera.name}, {camera.width_px}x{camera.height_px}",
        f"{height_mm / 10:.0f} cm",
        f"{checker:.0f}" + (few if checker < LEAST_CHECKER_PX else ""),
        f"{die:.0f}" + (few if die < LEAST_DIE_PX else ""),
        f"{steepest_deg(board, height_mm):.0f}°",
        f"{tilt_limit_deg(board, camera, height_mm):.0f}°",
    )
    return "| " + " | ".join(cells) + " |"
