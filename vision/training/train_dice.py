"""Train the dice net on scenes that `dice_scenes` draws, and write it as ONNX.

    python -m vision.training.train_dice vision/dice_net.onnx [--scenes 48000] [--steps 7400] [--seed 1]

Needs PyTorch and onnx in an environment of its own (``pip install torch==2.13.0 onnx``); the table needs neither.
The weights that lie beside `vision.dice` were not made by one call of this: they saw 46,000 scenes in about 7,400
steps, in three runs of 26, 22 and 9 minutes on a busy computer, each from the weights of the one before. 32,000 of
the scenes were drawn before checkers had bevels, dots and columns, all before grounds had grain and letters. One
call makes weights of the same kind, not the same weights.

The net looks at a rectified picture in which a usual die is 20 px wide and gives, for each 4x4 px cell, the
channels of `CHANNELS`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.training.dice_scenes import TILE_PX, DieTruth, draw_scene
from vision.training.loop import Arrays, Recipe, conv, focal, main

CHANNELS = ("die", "dx", "dy", "size", "cocked", "1", "2", "3", "4", "5", "6")
"""Logit of a top face centred here; offset of its centre in cells; log of its edge over 20 px; logits."""

STRIDE = 4
CELLS = TILE_PX // STRIDE

CUT_CELLS = 16
"""Side, in cells, of the part of a scene that one training step sees: three dice wide."""


def targets(dice: list[DieTruth]) -> NDArray[np.float32]:
    """Return the truth of one scene per cell: die, dx, dy, size, cocked, value, weight; ``(7, cells, cells)``."""
    out = np.zeros((7, CELLS, CELLS), np.float32)
    cell = (np.arange(CELLS) + 0.5) * STRIDE - 0.5
    best = np.full((CELLS, CELLS), np.inf)
    for die in dice:
        if not (-8 < die.x < TILE_PX + 8 and -8 < die.y < TILE_PX + 8):
            continue
        far = np.hypot(cell[None] - die.x, cell[:, None] - die.y)
        near = far < best
        inside = 4 < die.x < TILE_PX - 4 and 4 < die.y < TILE_PX - 4 and die.visible > 0.55
        heat = np.exp(-((far / (0.16 * die.size)) ** 2) / 2)
        if not inside:
            out[6][far < 0.6 * die.size] = -1.0
            continue
        out[0] = np.maximum(out[0], heat)
        core = near & (far < 0.3 * die.size)
        best = np.where(core, far, best)
        dx, dy = np.meshgrid((die.x - cell) / STRIDE, (die.y - cell) / STRIDE)
        values = (dx, dy, np.log(die.size / 20), float(die.cocked), die.value - 1, 1.0)
        for channel, value in enumerate(values, start=1):
            out[channel][core] = value[core] if isinstance(value, np.ndarray) else value
        at = np.unravel_index(int(np.argmin(far)), far.shape)
        out[0][at] = 1.0
    return out


def net(torch: Any) -> Any:
    """Return the untrained net: a picture as `vision.net` shows it in, `CHANNELS` out at a quarter of the size."""
    nn = torch.nn
    return nn.Sequential(
        *conv(torch, 3, 16, 5, 2),
        *conv(torch, 16, 32, 3, 2),
        *conv(torch, 32, 40),
        *conv(torch, 40, 48),
        *conv(torch, 48, 48, dilation=2),
        nn.Conv2d(48, 64, 1),
        nn.ReLU(),
        nn.Conv2d(64, len(CHANNELS), 1),
    )


def loss_of(torch: Any, out: Any, truth: Any) -> Any:
    """Return the loss: focal for where dice are, cross entropy and L1 for what they are."""
    functional = torch.nn.functional
    heat, weight = truth[:, 0], truth[:, 6]
    hit = (heat == 1).float()
    found = focal(torch, out[:, 0], heat, hit, (weight >= 0).float())
    core = weight > 0
    value = functional.cross_entropy(
        out[:, 5:].permute(0, 2, 3, 1)[core], truth[:, 5][core].long(), label_smoothing=0.02
    )
    place = (out[:, 1:4] - truth[:, 1:4]).abs().permute(0, 2, 3, 1)[core].mean()
    cocked = functional.binary_cross_entropy_with_logits(out[:, 4][core], truth[:, 4][core])
    return found + 2 * value + place + 0.5 * cocked


def cut_out(rng: np.random.Generator, images: NDArray[np.uint8], truth: NDArray[np.float32]) -> Arrays:
    """Return a part of each scene, most often around one of its dice."""
    out_images, out_truth = [], []
    for image, cells in zip(images, truth, strict=True):
        row, column = rng.integers(0, CELLS - CUT_CELLS + 1, 2)
        peaks = np.argwhere(cells[0] == 1)
        if len(peaks) and rng.random() < 0.75:
            at = peaks[rng.integers(len(peaks))] - rng.integers(3, CUT_CELLS - 3, 2)
            row, column = np.clip(at, 0, CELLS - CUT_CELLS)
        part = (slice(row, row + CUT_CELLS), slice(column, column + CUT_CELLS))
        pixels = tuple(slice(p.start * STRIDE, p.stop * STRIDE) for p in part)
        out_images.append(image[pixels])
        out_truth.append(cells[(slice(None), *part)])
    return np.stack(out_images), np.stack(out_truth)


def varied(rng: np.random.Generator, images: NDArray[np.uint8], truth: NDArray[np.float32]) -> Arrays:
    """Return a batch mirrored, with colors swapped and exposure changed; mirrored dice show the same value."""
    images, truth = images.copy(), truth.copy()
    if rng.random() < 0.5:
        images, truth = images[:, :, ::-1], truth[:, :, :, ::-1]
        truth[:, 1] *= -1
    if rng.random() < 0.5:
        images, truth = images[:, ::-1], truth[:, :, ::-1]
        truth[:, 2] *= -1
    if rng.random() < 0.5:
        images, truth = images.transpose(0, 2, 1, 3), truth.transpose(0, 1, 3, 2)
        truth = truth[:, [0, 2, 1, 3, 4, 5, 6]]
    images, truth = cut_out(rng, images, truth)
    images = images[..., rng.permutation(3)]
    gain = rng.uniform(0.6, 1.5, (len(images), 1, 1, 1))
    bright = np.clip(images * gain + rng.uniform(-15, 15, gain.shape), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(bright), np.ascontiguousarray(truth)


RECIPE = Recipe(
    draw_scene,
    targets,
    net,
    loss_of,
    varied,
    scenes=48000,
    steps=7400,
    batch=48,
    rate=3e-3,
    tile_px=TILE_PX,
)

if __name__ == "__main__":
    main(RECIPE, __doc__)
