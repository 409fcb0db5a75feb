"""What the net says, looked up between its cells and near a place."""

import cv2
import numpy as np
import pytest

from vision.field import Field
from vision.heat import COLUMN_PX, COLUMNS_PX, EVEN, MOST, Heat, field_heat, heat

CELLS = np.random.default_rng(2).normal(0, 1, (4, 30, 40)).astype(np.float32)
HEAT = Heat(CELLS, 0.5)
WIDTH, HEIGHT = 320, 240


def quiet(*tops: tuple[int, int, float, float]) -> Heat:
    """Return a heat without checkers but for some: row, column, and how far the centre lies off, in cells."""
    cells = np.zeros((4, 30, 40), np.float32)
    cells[0] = -9
    for row, column, right, down in tops:
        cells[:3, row, column] = EVEN + 5, right, down
    return Heat(cells, 0.5)


def test_offsets_are_those_of_planes_as_large_as_the_picture() -> None:
    x, y = np.meshgrid(np.arange(float(WIDTH)), np.arange(float(HEIGHT)))
    offsets = HEAT.offset(np.stack([x, y], axis=-1))
    for i in (0, 1):
        plane = cv2.resize(CELLS[1 + i], (WIDTH, HEIGHT), interpolation=cv2.INTER_LINEAR) * 8
        assert np.abs(offsets[..., i] - plane).max() < 1e-3


def test_places_beyond_the_rim_are_those_at_the_rim() -> None:
    beyond = HEAT.offset(np.array([[-9.0, -9.0], [400.0, 400.0]]))
    assert np.allclose(beyond, HEAT.offset(np.array([[0.0, 0.0], [WIDTH - 1.0, HEIGHT - 1.0]])))


def test_no_places_have_no_offsets_and_nothing_near() -> None:
    assert HEAT.offset(np.zeros((0, 2))).shape == (0, 2)
    places, odds = HEAT.best_near(np.zeros((0, 2)), 10.0)
    assert (places.shape, odds.shape) == ((0, 2), (0,))


def test_a_top_is_found_to_a_part_of_a_cell_and_only_nearby() -> None:
    found = quiet((10, 20, 0.25, -0.5))
    true = np.array([(20.5 + 0.25) * 8 - 0.5, (10.5 - 0.5) * 8 - 0.5])
    places, odds = found.best_near(true + np.array([[9, -7], [90, 0]]), 12.0)
    assert np.allclose(places[0], true)
    assert odds[0] == MOST
    assert odds[1] == -MOST


def test_of_two_tops_that_are_as_sure_the_nearer_one_is_found() -> None:
    places, _ = quiet((10, 20, 0, 0), (10, 23, 0, 0)).best_near(np.array([[22.3 * 8, 10.5 * 8]]), 40.0)
    assert places[0, 0] == pytest.approx(23.5 * 8 - 0.5)


@pytest.mark.parametrize("bar", [0.0, 0.04, 0.075, 0.11, 0.2])
def test_the_net_sees_columns_as_wide_as_it_learned(bar: float) -> None:
    corners = [(80.0, 60.0), (720.0, 60.0), (720.0, 580.0), (80.0, 580.0)]
    field = Field.of(corners, (800, 640)).with_(bar=(0.5 - bar / 2, 0.5 + bar / 2))
    found = field_heat(np.full((*field.size_px[::-1], 3), 120, np.uint8), field)
    assert COLUMNS_PX[0] <= field.column_px * found.zoom <= COLUMNS_PX[1]
    assert found.checker.shape[0] >= field.size_px[1] * found.zoom - 1
    assert found.checker.shape[1] >= field.size_px[0] * found.zoom - 1
    assert heat(np.full((64, 64, 3), 9, np.uint8), 46.0).zoom * 46 == COLUMN_PX


def test_the_playing_surface_alone_looks_as_it_does_in_the_whole_picture() -> None:
    corners = [(80.0, 60.0), (720.0, 60.0), (720.0, 580.0), (80.0, 580.0)]
    field = Field.of(corners, (800, 640))
    flat = np.random.default_rng(3).integers(0, 255, (*field.size_px[::-1], 3), np.uint8)
    flat = cv2.GaussianBlur(flat, (0, 0), 3)
    whole, narrow = field_heat(flat, field), field_heat(flat, field, narrow=True)
    assert [a - b for a, b in zip(whole.cells.shape, narrow.cells.shape, strict=True)] == [0, 4, 4]
    x, y = np.meshgrid(np.arange(160.0, field.size_px[0] - 160), np.arange(160.0, field.size_px[1] - 160))
    places = np.stack([x, y], axis=-1)
    assert np.ptp(whole.odds(places)) > 0.1
    assert np.allclose(narrow.odds(places), whole.odds(places), atol=1e-3)
    assert np.allclose(narrow.offset(places), whole.offset(places), atol=1e-2)
    assert np.allclose(narrow.in_picture(narrow.on_map(places)), places)
