"""The board is found by itself: drawn boards from all sides, and rendered ones."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.board import START_BOARD, Scene
from controller.errors import CalibrationError
from vision.field import Field
from vision.markers import find_field
from vision.simulated import Look, SimulatedCamera, View

BARE = Look(markers=False)
DARK = Look(
    (52, 58, 66), ((120, 30, 34), (190, 186, 176)), bar_w_mm=20, checkers_rgb=((225, 190, 90), (30, 60, 130))
)
TABLES = {
    "markers": SimulatedCamera(Look(), View(tilt_deg=14, azimuth_deg=20), seed=1),
    "tilted": SimulatedCamera(BARE, View(tilt_deg=32, azimuth_deg=-25, height_mm=950), seed=2),
    "beside": SimulatedCamera(DARK, View(tilt_deg=20, azimuth_deg=80, height_mm=1000), seed=3),
    "opposite": SimulatedCamera(DARK, View(tilt_deg=10, azimuth_deg=172), seed=4),
}


def off_radii(found: Field, true: list[tuple[float, float]]) -> float:
    """Return how far the farthest corner is off in radii of a checker, whichever corner comes first."""
    ring = np.array(true)
    radius = 0.47 * np.sqrt(cv2.contourArea(ring.astype(np.float32)) / 0.85) / 13
    got = np.array(found.corners_px)
    return float(min(np.linalg.norm(np.roll(got, k, axis=0) - ring, axis=1).max() for k in range(4)) / radius)


def white_corner(field: Field) -> tuple[float, float]:
    """Return the corner of the field at White's home."""
    return field.corners_px[("top-left", "top-right", "bottom-right", "bottom-left").index(str(field.white_home))]


@pytest.mark.parametrize("table", TABLES)
def test_a_drawn_board_is_found_exactly_and_the_right_way_round(table: str) -> None:
    camera = TABLES[table]
    found = find_field(camera.picture(Scene(START_BOARD)))
    assert off_radii(found, camera.corners_px) < 0.25
    assert np.hypot(*np.subtract(white_corner(found), camera.corners_px[2])) < 12


def test_the_home_that_was_named_is_kept_and_a_wrong_one_is_refused() -> None:
    picture = TABLES["markers"].picture(Scene(START_BOARD))
    assert find_field(picture, white_home="bottom-right").white_home == "bottom-right"
    with pytest.raises(CalibrationError, match="not found"):
        find_field(picture, white_home="bottom-left")


@pytest.mark.needs_shared
@pytest.mark.parametrize("sequence", [f"seq{number:02}" for number in range(1, 9)])
def test_rendered_boards_are_found_within_a_quarter_radius(shared: Path, sequence: str) -> None:
    folder = shared / "vision" / "renders" / sequence
    truth = json.loads((folder / "f000.json").read_text())
    ring = [tuple(truth["corners_px"]["field"][k]) for k in ("far_left", "far_right", "near_right", "near_left")]
    picture = cv2.imread(str(folder / "f000.jpg"))
    assert picture is not None
    assert off_radii(find_field(picture), ring) < 0.25
