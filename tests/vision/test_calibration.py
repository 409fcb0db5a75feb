"""Learning a board from a picture: of the start position, of another one, and of none."""

import numpy as np
import pytest

from controller.board import START_BOARD, Board, Scene
from controller.errors import CalibrationError
from vision.calibration import calibrate, counts_grid, covered, orient
from vision.field import Field
from vision.markers import find_field, find_markers
from vision.simulated import Look, SimulatedCamera

CAMERA = SimulatedCamera(seed=2)
START = CAMERA.picture(Scene(START_BOARD))
SIZE = (START.shape[1], START.shape[0])
FIELD = Field.of(CAMERA.corners_px, SIZE, "bottom-right")


def test_the_start_position_proves_which_way_the_board_lies() -> None:
    assert orient(START, FIELD.with_(white_home=None), START_BOARD).white_home == "bottom-right"


def test_an_empty_board_proves_no_orientation() -> None:
    bare = CAMERA.picture(Scene(Board((0,) * 24), cube=None))
    with pytest.raises(CalibrationError, match="which way"):
        orient(bare, FIELD.with_(white_home=None), START_BOARD)


def test_a_position_without_checkers_of_both_sides_teaches_nothing() -> None:
    with pytest.raises(CalibrationError, match="both sides"):
        calibrate(START, FIELD, Board((2,) + (0,) * 23))


def test_calibrating_moves_the_corners_hardly_where_they_are_right() -> None:
    calibration = calibrate(START, FIELD, START_BOARD)
    off = np.array(calibration.field.corners_px) - np.array(CAMERA.corners_px)
    assert np.abs(off).max() < 5.0
    assert calibration.certain
    assert calibration.board == START_BOARD


@pytest.mark.parametrize("bar_mm", [0.0, 20.0, 60.0])
def test_the_width_of_the_bar_is_measured(bar_mm: float) -> None:
    camera = SimulatedCamera(Look(bar_w_mm=bar_mm), seed=3)
    picture = camera.picture(Scene(START_BOARD))
    field = Field.of(camera.corners_px, (picture.shape[1], picture.shape[0]), "bottom-right")
    left, right = calibrate(picture, field, START_BOARD).field.bar
    assert (right - left) * camera.look.width_mm == pytest.approx(bar_mm, abs=6.0)


def test_what_checkers_cover_is_borrowed_and_the_rest_is_known() -> None:
    calibration = calibrate(START, FIELD, START_BOARD)
    mask = covered(calibration.field, calibration.slots, counts_grid(START_BOARD, calibration.field))
    assert not calibration.known[mask].any()
    assert calibration.known[~mask].all()
    assert calibration.sigma[mask].mean() > calibration.sigma[~mask].mean()


def test_the_four_markers_of_the_frame_are_found() -> None:
    assert sorted(find_markers(START)) == [0, 1, 2, 3]


def test_the_field_is_found_by_the_start_position() -> None:
    field = find_field(START)
    off = np.linalg.norm(np.array(field.corners_px) - np.array(CAMERA.corners_px), axis=1)
    radius_px = 0.036 * np.linalg.norm(np.subtract(CAMERA.corners_px[1], CAMERA.corners_px[0]))
    assert off.max() < 0.35 * radius_px
    assert field.white_home == "bottom-right"


def test_a_picture_without_a_board_is_said_to_show_none() -> None:
    with pytest.raises(CalibrationError, match="not found"):
        find_field(np.full((720, 1280, 3), 90, np.uint8))
