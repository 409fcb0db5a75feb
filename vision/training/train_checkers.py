"""Train the checker net on scenes that `checker_scenes` draws, and write it as ONNX.

    python -m vision.training.train_checkers vision/checker_net.onnx [--scenes 8000] [--minutes 20]

Needs PyTorch and onnx in an environment of its own (``pip install torch==2.13.0 onnx``); the table needs neither.
The net looks at a rectified picture in which a column is 25 px wide and gives, for each 4x4 px cell, the
channels of `CHANNELS`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.checker_scenes import TILE_PX, CheckerTruth, draw_scene

CHANNELS = ("checker", "dx", "dy", "foreign")
"""Logit of a checker's top centred here; offset of its centre in cells; logit of a hand."""

STRIDE = 4
CELLS = TILE_PX // STRIDE

SEEN = 0.55
"""A checker of whose top less than this is seen counts neither as one nor as none."""

Arrays = tuple[NDArray[np.uint8], NDArray[np.float32]]


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


def draw_many(job: tuple[int, int]) -> Arrays:
    """Return the scenes of one seed with their targets."""
    cv2.setNumThreads(1)
    seed, count = job
    rng = np.random.default_rng(seed)
    images = np.zeros((count, TILE_PX, TILE_PX, 3), np.uint8)
    truth = np.zeros((count, 5, CELLS, CELLS), np.float32)
    for i in range(count):
        images[i], checkers, hand = draw_scene(rng)
        truth[i] = targets(checkers, hand)
    return images, truth


def net(torch: Any) -> Any:
    """Return the untrained net: BGR of 0 to 255 in, `CHANNELS` out at a quarter of the size."""
    nn = torch.nn

    def step(inside: int, out: int, size: int = 3, stride: int = 1, dilation: int = 1) -> list[Any]:
        pad = dilation * (size // 2)
        conv = nn.Conv2d(inside, out, size, stride, pad, dilation=dilation, bias=False)
        return [conv, nn.BatchNorm2d(out), nn.ReLU()]

    scale = nn.Conv2d(3, 3, 1)  # fixed: brings 0..255 to about -2..2
    with torch.no_grad():
        scale.weight.copy_(torch.eye(3)[:, :, None, None] / 64)
        scale.bias.fill_(-1.8)
    scale.requires_grad_(False)
    return nn.Sequential(
        scale,
        *step(3, 16, 5, 2),
        *step(16, 32, 3, 2),
        *step(32, 40),
        *step(40, 40, dilation=2),
        *step(40, 40, dilation=2),
        *step(40, 40),
        nn.Conv2d(40, len(CHANNELS), 1),
    )


def loss_of(torch: Any, out: Any, truth: Any) -> Any:
    """Return the loss: focal for where checkers are, L1 for their centres, cross entropy for hands."""
    p = torch.sigmoid(out[:, 0]).clamp(1e-4, 1 - 1e-4)
    heat, weight = truth[:, 0], truth[:, 3]
    hit = (heat >= 0.999).float() * (weight > 0).float()
    found = -(hit * (1 - p) ** 2 * torch.log(p)).sum()
    empty = -((1 - hit) * (weight >= 0).float() * (1 - heat) ** 4 * p**2 * torch.log(1 - p)).sum()
    core = weight > 0
    place = (out[:, 1:3] - truth[:, 1:3]).abs().permute(0, 2, 3, 1)[core].mean()
    hand = torch.nn.functional.binary_cross_entropy_with_logits(out[:, 3], truth[:, 4])
    return (found + empty) / hit.sum().clamp(min=1) + 0.5 * place + 2 * hand


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
    if rng.random() < 0.6:
        images = images[..., rng.permutation(3)]
    gain = np.exp(rng.uniform(-0.6, 0.5, (len(images), 1, 1, 1))) * rng.uniform(0.9, 1.1, (len(images), 1, 1, 3))
    bright = np.clip(images * gain + rng.uniform(-12, 12, (len(images), 1, 1, 1)), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(bright), np.ascontiguousarray(truth)


def train(torch: Any, data: Arrays, minutes: float, seed: int, batch: int = 24) -> Any:
    """Return a net trained on the scenes for so long; says its loss now and then."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model = net(torch).to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], 2e-3, weight_decay=1e-4)
    begin, step, shown = time.monotonic(), 0, 0.0
    while (spent := (time.monotonic() - begin) / 60 / minutes) < 1:
        for group in optimizer.param_groups:
            group["lr"] = 4e-3 * min(1.0, (step + 1) / 100) * (0.5 + 0.5 * np.cos(np.pi * spent)) + 1e-5
        picked = rng.integers(0, len(data[0]), batch)
        images, truth = varied(rng, data[0][picked], data[1][picked])
        x = torch.from_numpy(images.transpose(0, 3, 1, 2).copy()).float()
        loss = loss_of(torch, model(x.contiguous(memory_format=torch.channels_last)), torch.from_numpy(truth))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step, shown = step + 1, 0.98 * shown + 0.02 * float(loss.detach())
        if step % 200 == 0:
            sys.stderr.write(f"step {step}: loss {shown:.3f}, {100 * spent:.0f} % of the time\n")
            sys.stderr.flush()
    return model.eval()


def write(torch: Any, model: Any, path: Path) -> None:
    """Write the net as ONNX with a free picture size."""
    torch.onnx.export(
        model,
        torch.zeros(1, 3, TILE_PX, TILE_PX),
        str(path),
        input_names=["picture"],
        output_names=["cells"],
        dynamic_axes={"picture": {0: "n", 2: "h", 3: "w"}, "cells": {0: "n", 2: "h", 3: "w"}},
        opset_version=17,
        dynamo=False,
    )


def main() -> None:
    """Draw, train, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scenes", type=int, default=8000)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    torch = importlib.import_module("torch")
    torch.set_num_threads(args.workers)
    parts = 32
    with ProcessPoolExecutor(args.workers) as pool:
        jobs = [(args.seed * 1000 + k, args.scenes // parts) for k in range(parts)]
        drawn = list(pool.map(draw_many, jobs))
    data = (np.concatenate([d[0] for d in drawn]), np.concatenate([d[1] for d in drawn]))
    write(torch, train(torch, data, args.minutes, args.seed), args.out)


if __name__ == "__main__":
    main()
