"""The simulated camera draws what lies on the table, where geometry says it must be."""

import cv2
import numpy as np
import pytest

from controller.board import START_BOARD, Board, Color, Scene, SceneDie
from vision.simulated import Look, SimulatedCamera, SimulatedSource, View

BARE = Scene(Board((0,) * 24), cube=None)


@pytest.fixture(scope="module")
def camera() -> SimulatedCamera:
    return SimulatedCamera()


def patch_mean(image: np.ndarray, xy: np.ndarray) -> np.ndarray:
    x, y = round(float(xy[0])), round(float(xy[1]))
    return image[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3).mean(axis=0)


def test_checkers_of_both_colors_lie_where_their_sites_are(camera: SimulatedCamera) -> None:
    image = camera.picture(Scene(START_BOARD))
    for site, color in ((6, "light"), (24, "light"), (1, "dark"), (19, "dark")):
        x, y = camera.site_xy_mm(site, 0)
        top = camera.project([[x, y, camera.look.checker_h_mm]])[0]
        brightness = patch_mean(image, top).mean()
        assert brightness > 150 if color == "light" else brightness < 90


def test_whites_one_point_is_at_the_bottom_right(camera: SimulatedCamera) -> None:
    x, y = camera.project([[*camera.site_xy_mm(1, 0), 0.0]])[0]
    bottom_right = camera.corners_px[2]
    assert np.hypot(x - bottom_right[0], y - bottom_right[1]) < 60


def test_markers_can_be_found_by_the_standard_detector(camera: SimulatedCamera) -> None:
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    _, ids, _ = detector.detectMarkers(camera.picture(Scene(START_BOARD)))
    assert sorted(ids.ravel().tolist()) == [0, 1, 2, 3]


def test_a_hand_a_die_and_the_cube_change_the_picture_only_around_themselves() -> None:
    camera = SimulatedCamera(view=View(noise=0.0))
    empty = camera.picture(BARE).astype(int)
    for scene in (
        Scene(BARE.board, (SceneDie(5, Color.WHITE, 0.7, 0.5, 30.0),), None),
        Scene(BARE.board, cube=(64, "center")),
        Scene(BARE.board, cube=None, hand=(0.3, 0.3)),
    ):
        changed = np.abs(camera.picture(scene).astype(int) - empty).max(axis=2) > 25
        assert 0.0001 < changed.mean() < 0.15
        assert not changed[:, -60:].any()


def test_the_same_seed_draws_the_same_pictures() -> None:
    first, second = SimulatedCamera(seed=3), SimulatedCamera(seed=3)
    assert np.array_equal(first.picture(Scene(START_BOARD)), second.picture(Scene(START_BOARD)))


def test_a_source_gives_new_pictures_until_it_is_closed() -> None:
    camera = SimulatedCamera(Look(), View(size_px=(320, 180)))
    source = SimulatedSource(camera, lambda: BARE, frames_hz=200.0)
    first, second = source.read(), source.read()
    assert first is not None
    assert second is not None
    assert second.at_s > first.at_s
    source.close()
    assert source.read() is None
