"""What the net says, looked up between its cells."""

import cv2
import numpy as np

from vision.heat import Heat

CELLS = np.random.default_rng(2).normal(0, 1, (4, 30, 40)).astype(np.float32)
HEAT = Heat(CELLS, (290, 230))


def test_offsets_are_those_of_planes_as_large_as_the_picture() -> None:
    x, y = np.meshgrid(np.arange(290.0), np.arange(230.0))
    offsets = HEAT.offset(np.stack([x, y], axis=-1))
    for i, cell_px in ((0, 290 / 40), (1, 230 / 30)):
        plane = cv2.resize(CELLS[1 + i], (290, 230), interpolation=cv2.INTER_LINEAR) * cell_px
        assert np.abs(offsets[..., i] - plane).max() < 1e-3


def test_places_beyond_the_rim_are_those_at_the_rim() -> None:
    beyond = HEAT.offset(np.array([[-9.0, -9.0], [400.0, 400.0]]))
    assert np.allclose(beyond, HEAT.offset(np.array([[0.0, 0.0], [289.0, 229.0]])))


def test_no_places_have_no_offsets() -> None:
    assert HEAT.offset(np.zeros((0, 2))).shape == (0, 2)
