"""Teach the checker net that reads what a larger one says of drawn scenes, and write it as ONNX.

    python -m vision.training.distil_checkers vision/checker_net.onnx [--scenes 14400] [--steps 6000] [--seed 1]

The large net is `LARGE`, as `train_checkers` makes it. The small one takes seven tenths of its time. What it says
of checkers is meant to be the same, so that the numbers of `vision.heat` keep their meaning; `calibrate_checkers`
tells. What hides the board it learns from the scenes themselves.

Needs what `train_checkers` needs. Takes about 25 minutes of one core, drawing more than half of them. The weights
beside `vision.heat` came from one call without options.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import heat
from vision.net import GRAY, SPREAD
from vision.training import train_checkers
from vision.training.checker_scenes import TILE_PX, draw_scene
from vision.training.loop import Arrays, Recipe, main
from vision.training.train_checkers import targets

Floats = NDArray[np.float32]
Layer = tuple[Floats, Floats]

LARGE = Path(heat.__file__).with_name(f"{heat.LARGE}.onnx")
"""The net that teaches."""

MATTERS = -5.0, 3.0
"""Between which logits of a checker it matters what the large net says: beyond them `vision.heat` takes all for
the same."""

STRIDES = (2, 2, 2, 1, 1, 1, 1, 1, 1)
"""By how much each layer shrinks."""

WIDE, WIDTH = range(2, 6), 40
"""Which layers are made narrower, and how wide they become."""

BLUNT = 0.5
"""Up to this difference of logits the loss grows with its square."""

BACKGROUND = 0.2
"""How much cells far from checkers count against those at them."""

RAW = 0.1
"""How much differences of logits count that do not matter: the best of several sure cells should be the same."""

FOREIGN = 4.0
"""How much it counts what hides the board."""


def net(torch: Any) -> Any:
    """Return the small net as it begins: as the large one, but narrow, and no layer that shrinks overlaps."""
    nn = torch.nn
    convs = [_convolution(torch, stride, *layer) for stride, layer in zip(STRIDES, narrowed(LARGE), strict=True)]

    class Net(nn.Module):  # type: ignore[misc, name-defined]  # PyTorch is no dependency of the table
        def __init__(self) -> None:
            super().__init__()
            self.near = nn.Sequential(*_rectified(nn, convs[:2]))
            self.far = nn.Sequential(*_rectified(nn, convs[2:7]), nn.Upsample(scale_factor=2))
            self.both = nn.Sequential(*_rectified(nn, convs[7:8]), convs[8])

        def forward(self, picture: Any) -> Any:
            near = self.near(picture)
            return self.both(near + self.far(near))

    return Net()


def _convolution(torch: Any, stride: int, weight: Floats, bias: Floats) -> Any:
    out, inside, size, _ = weight.shape
    layer = torch.nn.Conv2d(inside, out, size, stride, int(size == 3))
    layer.weight.data, layer.bias.data = torch.from_numpy(weight.copy()), torch.from_numpy(bias.copy())
    return layer


def _rectified(nn: Any, convs: list[Any]) -> list[Any]:
    return [layer for conv in convs for layer in (conv, nn.ReLU())]


def narrowed(path: Path) -> list[Layer]:
    """Return the layers of a net, without the channels that count least, and without overlap where they shrink."""
    onnx = importlib.import_module("onnx")
    graph = onnx.load(str(path)).graph
    values = {value.name: onnx.numpy_helper.to_array(value) for value in graph.initializer}
    layers = [(values[node.input[1]], values[node.input[2]]) for node in graph.node if node.op_type == "Conv"]
    layers = [(_halved(w) if stride == 2 else w, b) for stride, (w, b) in zip(STRIDES, layers, strict=True)]
    for i in WIDE:
        (weight, bias), (after, its) = layers[i : i + 2]
        counts = np.square(weight).sum(axis=(1, 2, 3)) * np.square(after).sum(axis=(0, 2, 3))
        kept = np.sort(np.argsort(-counts)[:WIDTH])
        layers[i : i + 2] = [(weight[kept], bias[kept]), (after[:, kept], its)]
    return layers


def _halved(weight: Floats) -> Floats:
    """Return 2x2 weights for those of 2x2 or 3x3: what lies before two pixels is taken to be like the first."""
    if weight.shape[2] == 2:
        return weight
    rows = np.stack([weight[:, :, 0] + weight[:, :, 1], weight[:, :, 2]], axis=2)
    return np.stack([rows[..., 0] + rows[..., 1], rows[..., 2]], axis=3)


@lru_cache(maxsize=1)
def _large() -> Any:
    return cv2.dnn.readNetFromONNX(str(LARGE), cv2.dnn.ENGINE_CLASSIC)


def varied(rng: np.random.Generator, images: NDArray[np.uint8], truth: NDArray[np.float32]) -> Arrays:
    """Return a batch as `train_checkers` varies it, what the large net says of it, and what hides it."""
    images, truth = train_checkers.varied(rng, images, truth)
    large = _large()
    large.setInput(cv2.dnn.blobFromImages(list(images), 1 / SPREAD, mean=(GRAY, GRAY, GRAY)))
    told = np.asarray(large.forward(), np.float32)
    return images, np.concatenate([told[:, :3], truth[:, 4:]], axis=1)


def loss_of(torch: Any, out: Any, told: Any) -> Any:
    """Return the loss: how far checkers are from what was told, and cross entropy for what hides the board."""
    near = torch.sigmoid(told[:, 0] + 1)
    weight = near + BACKGROUND
    checker = _apart(torch, out[:, 0], told[:, 0]) + RAW * _blunt(torch, out[:, 0] - told[:, 0])
    place = (out[:, 1:3] - told[:, 1:3]).abs().sum(dim=1)
    foreign = torch.nn.functional.binary_cross_entropy_with_logits(out[:, 3], told[:, 3])
    return (checker * weight).sum() / weight.sum() + (place * near).sum() / near.sum() + FOREIGN * foreign


def _apart(torch: Any, out: Any, told: Any) -> Any:
    """Return how far logits of checkers differ; those beyond the bounds are all the same."""
    low, high = MATTERS
    difference = out - told.clamp(low, high)
    difference = torch.where(told > high, difference.clamp(max=0), difference)
    return _blunt(torch, torch.where(told < low, difference.clamp(min=0), difference))


def _blunt(torch: Any, difference: Any) -> Any:
    size = difference.abs()
    return torch.where(size < BLUNT, size**2 / (2 * BLUNT), size - BLUNT / 2)


RECIPE = Recipe(
    draw_scene,
    targets,
    net,
    loss_of,
    varied,
    scenes=14400,
    steps=6000,
    batch=24,
    rate=2e-3,
    tile_px=TILE_PX,
)

if __name__ == "__main__":
    main(RECIPE, __doc__)
