"""The exact field: points and rim on drawn boards."""

import numpy as np
import pytest

from controller.board import START_BOARD, Scene
from controller.errors import CalibrationError
from vision.calibration import calibrate, counts_grid, covered
from vision.checkers import Slots, log_colors
from vision.field import MARGIN_PX, Field, rectify
from vision.rim import LEAST_EDGES, edges, ends, refine
from vision.simulated import Look, SimulatedCamera, View

TILTED = SimulatedCamera(view=View(tilt_deg=24, azimuth_deg=35, height_mm=900), seed=3)
PLAIN = SimulatedCamera(
    Look(points_rgb=((196, 160, 112), (196, 160, 112)), markers=False), View(tilt_deg=12, azimuth_deg=90), seed=4
)


def picture_and_field(camera: SimulatedCamera) -> tuple[np.ndarray, Field]:
    picture = camera.picture(Scene(START_BOARD))
    return picture, Field.of(camera.corners_px, (picture.shape[1], picture.shape[0]), "bottom-right")


def beside(field: Field, columns: float) -> Field:
    """Return the field moved along its rows."""
    corners = field.to_field(field.corners_px) + np.array([columns * field.column_px, 0])
    moved = [(float(x), float(y)) for x, y in field.to_picture(corners)]
    return Field.of(moved, field.picture_size_px, field.white_home)


def off_radii(field: Field, true: Field) -> float:
    off = true.to_field(field.corners_px) - true.to_field(true.corners_px)
    return float(np.linalg.norm(off, axis=1).max() / (0.47 * true.column_px))


@pytest.mark.parametrize("camera", [TILTED, PLAIN])
def test_a_field_that_is_a_little_off_is_put_right(camera: SimulatedCamera) -> None:
    picture, true = picture_and_field(camera)
    nudges = ((4, -5), (-4, 3), (5, 4), (-3, -5))
    rough = Field.of(
        [(x + dx, y + dy) for (x, y), (dx, dy) in zip(true.corners_px, nudges, strict=True)],
        true.picture_size_px,
        true.white_home,
    )
    found, _ = refine(picture, rough, Slots(), START_BOARD, 12.0)
    assert off_radii(found, true) < 0.25


def test_edges_and_ends_lie_where_points_are_drawn() -> None:
    picture, field = picture_and_field(TILTED)
    hidden = covered(field, Slots(), counts_grid(START_BOARD, field))
    colors = log_colors(rectify(picture, field))
    seen = edges(colors, hidden, field)
    assert len(seen.row) > 150
    last = ends(colors, hidden, field)
    y = field.to_field(last.picture_xy)[:, 1]
    rims = np.where(last.row == 0, MARGIN_PX, MARGIN_PX + field.height_px)
    assert len(last.row) >= 4
    assert np.abs(y - rims).max() < 0.1 * field.column_px


def test_points_that_cannot_be_told_from_the_ground_show_no_edges() -> None:
    picture, field = picture_and_field(PLAIN)
    hidden = covered(field, Slots(), counts_grid(START_BOARD, field))
    assert len(edges(log_colors(rectify(picture, field)), hidden, field).row) < LEAST_EDGES


@pytest.mark.parametrize("columns", [-0.5, 0.5])
def test_corners_half_a_column_beside_the_board_are_refused(columns: float) -> None:
    picture, true = picture_and_field(TILTED)
    calibrate(picture, true, START_BOARD)
    with pytest.raises(CalibrationError, match="beside"):
        calibrate(picture, beside(true, columns), START_BOARD)
