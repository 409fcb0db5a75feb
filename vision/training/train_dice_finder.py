"""Train the net that says where dice may lie on scenes that `dice_scenes` draws, and write it as ONNX.

    python -m vision.training.train_dice_finder vision/dice_finder.onnx [--scenes 10240] [--steps 2400] [--seed 1]

Needs PyTorch and onnx in an environment of its own (``pip install torch==2.13.0 onnx``); the table needs neither.
The weights that lie beside `vision.dice` saw 6,400 scenes, 640 from each of ten seeds, in 2,400 steps: less than
two minutes of one core. One call of this makes weights of the same kind, not the same weights.

The net looks at a rectified picture in which a usual die is 20 px wide and gives, for each 8x8 px cell, the
channels of `CHANNELS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.dice import FINDER_STRIDE
from vision.training.dice_scenes import TILE_PX, DieTruth, draw_scene
from vision.training.loop import Arrays, Recipe, conv, focal, main

CHANNELS = ("die", "dx", "dy", "size")
"""Logit of a top face centred here; offset of its centre in cells; log of its edge over 20 px."""

CELLS = TILE_PX // FINDER_STRIDE


def targets(dice: Sequence[DieTruth]) -> NDArray[np.float32]:
    """Return the truth of one scene per cell: die, dx, dy, size, weight; ``(5, cells, cells)``."""
    out = np.zeros((5, CELLS, CELLS), np.float32)
    cell = (np.arange(CELLS) + 0.5) * FINDER_STRIDE - 0.5
    best = np.full((CELLS, CELLS), np.inf)
    for die in dice:
        if not (-8 < die.x < TILE_PX + 8 and -8 < die.y < TILE_PX + 8):
            continue
        far = np.hypot(cell[None] - die.x, cell[:, None] - die.y)
        if not (die.visible > 0.6 and 4 < die.x < TILE_PX - 4 and 4 < die.y < TILE_PX - 4):
            out[4][far < 0.6 * die.size] = -1.0
            continue
        at = np.unravel_index(int(np.argmin(far)), far.shape)
        out[0] = np.maximum(out[0], np.exp(-((far / (0.16 * die.size)) ** 2) / 2))
        out[0][at] = 1.0
        core = (far < best) & (far < 0.35 * die.size)
        core[at] = True
        best = np.where(core, far, best)
        dx, dy = np.meshgrid((die.x - cell) / FINDER_STRIDE, (die.y - cell) / FINDER_STRIDE)
        for channel, value in enumerate((dx, dy, np.full_like(dx, np.log(die.size / 20)), np.ones_like(dx)), 1):
            out[channel][core] = value[core]
    return out


def net(torch: Any) -> Any:
    """Return the untrained net: a picture as `vision.net` shows it in, `CHANNELS` out at an eighth of the size."""
    return torch.nn.Sequential(
        *conv(torch, 3, 16, 6, 4),
        *conv(torch, 16, 32, 3, 2),
        *conv(torch, 32, 32),
        *conv(torch, 32, 32),
        torch.nn.Conv2d(32, len(CHANNELS), 1),
    )


def loss_of(torch: Any, out: Any, truth: Any) -> Any:
    """Return the loss: focal for where dice are, L1 for their middle and edge."""
    heat, weight = truth[:, 0], truth[:, 4]
    hit = (heat == 1).float()
    found = focal(torch, out[:, 0], heat, hit, (weight >= 0).float())
    place = (out[:, 1:4] - truth[:, 1:4]).abs().permute(0, 2, 3, 1)[weight > 0].mean()
    return found + place


def varied(rng: np.random.Generator, images: NDArray[np.uint8], truth: NDArray[np.float32]) -> Arrays:
    """Return a batch mirrored, with colors swapped and exposure changed."""
    images, truth = images.copy(), truth.copy()
    if rng.random() < 0.5:
        images, truth = images[:, :, ::-1], truth[:, :, :, ::-1]
        truth[:, 1] *= -1
    if rng.random() < 0.5:
        images, truth = images[:, ::-1], truth[:, :, ::-1]
        truth[:, 2] *= -1
    if rng.random() < 0.5:
        images, truth = images.transpose(0, 2, 1, 3), truth.transpose(0, 1, 3, 2)[:, [0, 2, 1, 3, 4]]
    gain = rng.uniform(0.6, 1.5, (len(images), 1, 1, 1))
    bright = images[..., rng.permutation(3)] * gain + rng.uniform(-15, 15, gain.shape)
    bright = np.clip(bright, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(bright), np.ascontiguousarray(truth)


RECIPE = Recipe(
    draw_scene,
    targets,
    net,
    loss_of,
    varied,
    scenes=10240,
    steps=2400,
    batch=32,
    rate=3e-3,
    tile_px=TILE_PX,
)

if __name__ == "__main__":
    main(RECIPE, __doc__)
