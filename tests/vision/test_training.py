"""The scenes that the nets are trained on are what their truth says, and the checker net knows its way in them."""

import cv2
import numpy as np
import pytest

from vision.heat import COLUMN_PX, heat
from vision.training.checker_scenes import TILE_PX, draw_scene
from vision.training.dice_scenes import TILE_PX as DICE_TILE_PX
from vision.training.dice_scenes import draw_scene as draw_dice
from vision.training.relief import FINE, Eye, Light, Relief, seen, shadows
from vision.training.train_checkers import CELLS, targets
from vision.training.train_dice import CELLS as DICE_CELLS
from vision.training.train_dice import targets as dice_targets
from vision.training.train_dice_finder import CELLS as FINDER_CELLS
from vision.training.train_dice_finder import targets as finder_targets


def cylinder(height: float) -> Relief:
    """Return a relief with one upright cylinder in the middle."""
    relief = Relief(200)
    window = relief.window(100, 100, 20)
    assert window is not None
    rows, columns, dx, dy = window
    far = np.hypot(dx, dy)
    color = np.full((*far.shape, 3), 200, np.float32)
    relief.raise_to((rows, columns), np.full_like(far, height), far <= 16, color, 0.0, 0.3, 1)
    return relief


@pytest.mark.parametrize("tilt", [0.0, 0.5, 1.0])
def test_a_top_is_seen_where_the_camera_projects_it(tilt: float) -> None:
    eye = Eye.over(200, tilt, 0.7, 900.0)
    rays = seen(cylinder(20.0), eye, 0, 200)
    y, x = np.nonzero(rays.z > 19.7)
    expected = eye.on_field(np.array([[100.0, 100.0, 20.0]]))[0]
    assert np.hypot(x.mean() - expected[0], y.mean() - expected[1]) < FINE
    assert len(x) == pytest.approx(np.pi * (16 * eye.grown(20.0)) ** 2, rel=0.15)


def test_a_slant_shows_the_side_that_faces_the_camera_and_hides_what_lies_behind() -> None:
    relief = cylinder(20.0)
    eye = Eye.over(200, 0.9, 0.0, 900.0)
    rays = seen(relief, eye, 0, 200)
    side = (rays.z > 2) & (rays.z < 18)
    assert rays.x[side].mean() > 110
    on_field = rays.z < 1
    assert not ((rays.x > 70) & (rays.x < 82) & (np.abs(rays.y - 100) < 4) & on_field).any()


def test_shadows_fall_away_from_the_light() -> None:
    light = Light(np.array([0.8, 0.0, 0.6]), 0.7, 0.3, 0.03, 1.0, ())
    dark = shadows(cylinder(20.0).height, light)
    assert dark[100, 75] > 0.9
    assert dark[100, 125] < 0.1


def test_the_same_seed_draws_the_same_scene() -> None:
    first, second = (draw_scene(np.random.default_rng([3, 1])) for _ in range(2))
    assert (first[0] == second[0]).all()
    assert first[1] == second[1]
    assert (first[2] == second[2]).all()
    assert first[0].shape == (TILE_PX, TILE_PX, 3)


def test_targets_mark_each_checker_once() -> None:
    rng = np.random.default_rng(8)
    for _ in range(6):
        _, checkers, hand = draw_scene(rng)
        truth = targets(checkers, hand)
        assert truth.shape == (5, CELLS, CELLS)
        whole = [c for c in checkers if c.visible >= 0.55 and min(c.x, c.y) > 8 and max(c.x, c.y) < TILE_PX - 8]
        marks = (truth[0] >= 0.999) & (truth[3] > 0)
        assert len(whole) <= marks.sum() <= len(whole) + 2


def test_the_net_finds_the_checkers_of_scenes_it_was_not_trained_on() -> None:
    rng = np.random.default_rng(77)
    right = asked = 0
    for _ in range(45):
        tile, checkers, hand = draw_scene(rng)
        found = heat(tile, COLUMN_PX)
        tops = np.array([(c.x, c.y) for c in checkers if c.visible > 0.85]).reshape(-1, 2)
        inside = tops[(tops.min(axis=1, initial=99) > 16) & (tops.max(axis=1, initial=0) < TILE_PX - 16)]
        at = np.rint(inside).astype(int)
        free = hand[at[:, 1] // 4, at[:, 0] // 4] == 0
        asked += int(free.sum())
        right += int((found.checker[at[:, 1], at[:, 0]] > 0)[free].sum())
    assert asked > 100
    assert right >= 0.9 * asked


def test_the_net_tells_what_hides_the_board_in_scenes_it_was_not_trained_on() -> None:
    rng = np.random.default_rng(78)
    hidden, free = [], []
    for _ in range(60):
        tile, _, share = draw_scene(rng)
        said = heat(tile, COLUMN_PX).cells[3] > -0.5
        hidden.append(said[share > 0.9])
        free.append(said[cv2.dilate(share, np.ones((3, 3))) == 0])
    assert np.concatenate(hidden).mean() > 0.6
    assert np.concatenate(free).mean() < 0.03


def test_the_same_seed_draws_the_same_dice() -> None:
    first, second = (draw_dice(np.random.default_rng([5, 2])) for _ in range(2))
    assert (first[0] == second[0]).all()
    assert first[1] == second[1]
    assert first[0].shape == (DICE_TILE_PX, DICE_TILE_PX, 3)


def test_dice_targets_mark_each_die_once_with_its_value() -> None:
    rng = np.random.default_rng(12)
    marked = 0
    for _ in range(40):
        _, dice = draw_dice(rng)
        truth = dice_targets(dice)
        assert truth.shape == (7, DICE_CELLS, DICE_CELLS)
        whole = [d for d in dice if d.visible > 0.55 and min(d.x, d.y) > 4 and max(d.x, d.y) < DICE_TILE_PX - 4]
        peaks = np.argwhere((truth[0] == 1) & (truth[6] > 0))
        assert len(peaks) <= len(whole)
        for row, column in peaks:
            x, y = (4 * (n + 0.5 + truth[k, row, column]) - 0.5 for n, k in ((column, 1), (row, 2)))
            die = min(whole, key=lambda d: np.hypot(d.x - x, d.y - y))
            assert np.hypot(die.x - x, die.y - y) < 0.01
            assert die.value == truth[5, row, column] + 1
        marked += len(peaks)
    assert marked > 20


def test_finder_targets_mark_each_open_die_once() -> None:
    rng = np.random.default_rng(12)
    marked = 0
    for _ in range(40):
        _, dice = draw_dice(rng)
        truth = finder_targets(dice)
        assert truth.shape == (5, FINDER_CELLS, FINDER_CELLS)
        marks = (truth[0] == 1) & (truth[4] > 0)
        whole = [d for d in dice if d.visible > 0.6 and min(d.x, d.y) > 4 and max(d.x, d.y) < DICE_TILE_PX - 4]
        assert marks.sum() <= len(whole)
        marked += int(marks.sum())
    assert marked > 20
