"""The nets that look at pictures: what they weigh, and that they answer for every cell."""

from pathlib import Path

import numpy as np
import pytest

import vision
from vision.net import answer

FILES = sorted(Path(vision.__file__).parent.glob("*.onnx"))


def test_nets_are_small_enough_to_ship() -> None:
    assert len(FILES) == 3
    assert sum(file.stat().st_size for file in FILES) <= 2_000_000


@pytest.mark.parametrize("size", [(16, 16), (80, 80), (248, 344)])
@pytest.mark.parametrize("name", [file.stem for file in FILES])
def test_a_net_answers_for_every_cell(name: str, size: tuple[int, int]) -> None:
    cells = answer(name, np.full((*size, 3), 90, np.uint8))
    cell = 8 if name == "dice_finder" else 4
    assert cells.shape[1:] == (size[0] // cell, size[1] // cell)
    assert np.isfinite(cells).all()
