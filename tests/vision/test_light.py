"""The change of light between the calibrated board and a picture."""

import numpy as np
import pytest

from vision.checkers import log_colors
from vision.light import LIGHT_STEP, Unlit, coarse, light


@pytest.mark.parametrize("depth", [0.0, 0.3, 0.5])
def test_half_a_board_in_shadow_is_the_same_board(depth: float) -> None:
    rng = np.random.default_rng(1)
    board = rng.integers(110, 150, (660, 1000, 3)).astype(np.float32)
    board[:, ::83] *= 0.6
    shade = 1 - depth / (1 + np.exp(-(np.linspace(0, 1, 1000) - 0.5) * 60))
    played = board.copy()
    played[60:360, 100:160], played[300:600, 700:760] = 40, 220
    shown = (played * shade[None, :, None]).astype(np.uint8)
    sigma = np.full(board.shape[:2], 0.03, np.float32)
    found = light(coarse(shown), Unlit.of(log_colors(board.astype(np.uint8)), sigma))
    truth = log_colors((board * shade[None, :, None]).astype(np.uint8)) - log_colors(board.astype(np.uint8))
    off = np.abs(found - truth[::LIGHT_STEP, ::LIGHT_STEP]).mean(axis=2)
    assert float(np.quantile(off, 0.9)) < 0.1
