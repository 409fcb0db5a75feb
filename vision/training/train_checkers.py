"""Train the checker net on scenes that `checker_scenes` draws, and write it as ONNX.

    python -m vision.training.train_checkers vision/checker_net.onnx [--scenes 14400] [--steps 6000] [--seed 1]

Needs PyTorch and onnx in an environment of its own (``pip install torch==2.13.0 onnx``); the table needs neither.
Takes about 25 minutes of one core, drawing half of them. The weights beside `vision.heat` came from the scenes and
steps of one call without options. `calibrate_checkers` then says what their log-odds mean.

The net looks at a rectified picture in which a column is 25 px wide and gives, for each 4x4 px cell, the
channels of `CHANNELS`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.training.checker_scenes import TILE_PX, CheckerTruth, draw_scene
from vision.training.loop import Arrays, Recipe, conv, focal, main

CHANNELS = ("checker", "dx", "dy", "foreign")
"""Logit of a checker's top centred here; offset of its centre in cells; logit of what hides the board."""

STRIDE = 4
CELLS = TILE_PX // STRIDE

SEEN = 0.55
"""A checker of whose top less than this is seen counts neither as one nor as none."""


def targets(checkers: list[CheckerTruth], hand: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the truth of one scene per cell: checker, dx, dy, weight, hand; shape ``(5, cells, cells)``."""
    out = np.zeros((5, CELLS, CELLS), np.float32)
    cell = (np.arange(CELLS) + 0.5) * STRIDE - 0.5
    best = np.full((CELLS, CELLS), np.inf)
    dx, dy = np.meshgrid(cell, cell)
    for checker in checkers:
        if not (-8 < checker.x < TILE_PX + 8 and -8 < checker.y < TILE_PX + 8):
            continue
        far = np.hypot(dx - checker.x, dy - checker.y)
        edge = min(checker.x, checker.y, TILE_PX - checker.x, TILE_PX - checker.y)
        if checker.visible < SEEN or edge < 7:
            out[3][far < 7] = -1.0
            continue
        out[0] = np.maximum(out[0], np.exp(-((far / 3.0) ** 2) / 2))
        core = (far < best) & (far < 6)
        best = np.where(core, far, best)
        out[1][core], out[2][core] = ((checker.x - dx) / STRIDE)[core], ((checker.y - dy) / STRIDE)[core]
        out[3][core] = 1.0
    for checker in checkers:
        if checker.visible >= SEEN and 0 <= checker.x < TILE_PX and 0 <= checker.y < TILE_PX:
            row, column = int(checker.y / STRIDE), int(checker.x / STRIDE)
            out[0][row, column] = max(out[0][row, column], 1.0 if out[3][row, column] == 1.0 else 0.0)
    out[4] = hand
    return out


def net(torch: Any) -> Any:
    """Return the untrained net: a picture as `vision.net` shows it in, `CHANNELS` out at a quarter of the size.

    The widest layers work at an eighth of the size, where a layer costs a quarter and sees twice as far; what they
    say is added to what is seen at a quarter. Behind the first layer, those that shrink do not overlap: that takes
    half the time.
    """
    nn = torch.nn

    class Net(nn.Module):  # type: ignore[misc, name-defined]  # PyTorch is no dependency of the table
        def __init__(self) -> None:
            super().__init__()
            self.near = nn.Sequential(*conv(torch, 3, 8, 3, 2), *conv(torch, 8, 16, 3, 2))
            self.far = nn.Sequential(
                *conv(torch, 16, 48, 2, 2),
                *conv(torch, 48, 48),
                *conv(torch, 48, 48),
                *conv(torch, 48, 48),
                *conv(torch, 48, 16, 1),
                nn.Upsample(scale_factor=2),
            )
            self.both = nn.Sequential(*conv(torch, 16, 16), nn.Conv2d(16, len(CHANNELS), 1))

        def forward(self, picture: Any) -> Any:
            near = self.near(picture)
            return self.both(near + self.far(near))

    return Net()


def loss_of(torch: Any, out: Any, truth: Any) -> Any:
    """Return the loss: focal for where checkers are, L1 for their centres, cross entropy for what hides them."""
    heat, weight = truth[:, 0], truth[:, 3]
    hit = (heat >= 0.999).float() * (weight > 0).float()
    found = focal(torch, out[:, 0], heat, hit, (weight >= 0).float())
    core = weight > 0
    place = (out[:, 1:3] - truth[:, 1:3]).abs().permute(0, 2, 3, 1)[core].mean()
    hand = torch.nn.functional.binary_cross_entropy_with_logits(out[:, 3], truth[:, 4])
    return found + 0.5 * place + 2 * hand


def varied(rng: np.random.Generator, images: NDArray[np.uint8], truth: NDArray[np.float32]) -> Arrays:
    """Return a batch mirrored and turned, with colors swapped and exposure changed."""
    images, truth = images.copy(), truth.copy()
    if rng.random() < 0.5:
        images, truth = images[:, :, ::-1], truth[:, :, :, ::-1].copy()
        truth[:, 1] *= -1
    if rng.random() < 0.5:
        images, truth = images[:, ::-1], truth[:, :, ::-1].copy()
        truth[:, 2] *= -1
    if rng.random() < 0.5:
        images, truth = images.transpose(0, 2, 1, 3), truth.transpose(0, 1, 3, 2)[:, [0, 2, 1, 3, 4]]
    if rng.random() < 0.3:
        images = images[..., rng.permutation(3)]
    gain = np.exp(rng.uniform(-0.6, 0.5, (len(images), 1, 1, 1))) * rng.uniform(0.9, 1.1, (len(images), 1, 1, 3))
    bright = np.clip(images * gain + rng.uniform(-12, 12, (len(images), 1, 1, 1)), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(bright), np.ascontiguousarray(truth)


RECIPE = Recipe(
    draw_scene,
    targets,
    net,
    loss_of,
    varied,
    scenes=14400,
    steps=6000,
    batch=24,
    rate=4e-3,
    tile_px=TILE_PX,
)

if __name__ == "__main__":
    main(RECIPE, __doc__)
