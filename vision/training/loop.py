"""How all nets are trained: draw scenes, vary them anew for each step, descend, average, write as ONNX.

PyTorch is imported only here and only when called; nothing at the table needs it.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.net import GRAY, SPREAD

Arrays = tuple[NDArray[np.uint8], NDArray[Any]]
Rng = np.random.Generator

PARTS = 32
"""The scenes are drawn in so many parts, each from its own seed: they are the same for any number of workers."""

WARM_UP = 100
"""Steps in which the rate rises from 0."""

MEMORY = 0.998
"""The weights that are written are an average over the last steps: what is left of the old ones after a step."""


@dataclass(frozen=True)
class Recipe:
    """What makes one net.

    Attributes:
        draw_scene: draws one scene, given chance: its picture, and what `targets` has to know.
        targets: makes the truth of a scene per cell.
        net: the untrained net, given PyTorch.
        loss: of PyTorch, what the net says and the targets.
        varied: a batch, changed as chance wants it.
        scenes, steps, batch, rate: how many scenes are drawn, how long and how fast is learned.
        tile_px: side of a scene.
    """

    draw_scene: Callable[[Rng], tuple[Any, ...]]
    targets: Callable[..., NDArray[np.float32]]
    net: Callable[[Any], Any]
    loss: Callable[[Any, Any, Any], Any]
    varied: Callable[[Rng, NDArray[np.uint8], NDArray[np.float32]], Arrays]
    scenes: int
    steps: int
    batch: int
    rate: float
    tile_px: int


def focal(torch: Any, logit: Any, heat: Any, hit: Any, counted: Any) -> Any:
    """Return the focal loss of where things are, for one thing.

    Args:
        torch: PyTorch.
        logit: what the net says of each cell.
        heat: 1 in the middle of a thing, falling off around it.
        hit: 1 where a thing is.
        counted: 1 where cells without one count.
    """
    p = torch.sigmoid(logit).clamp(1e-4, 1 - 1e-4)
    found = -(hit * (1 - p) ** 2 * torch.log(p)).sum()
    empty = -((1 - hit) * counted * (1 - heat) ** 4 * p**2 * torch.log(1 - p)).sum()
    return (found + empty) / hit.sum().clamp(min=1)


def conv(torch: Any, inside: int, out: int, size: int = 3, stride: int = 1, dilation: int = 1) -> list[Any]:
    """Return a convolution with its normalization and rectifier; ``stride`` divides the sides of the picture."""
    nn = torch.nn
    around = dilation * (size // 2) if size % 2 else (size - stride) // 2
    layer = nn.Conv2d(inside, out, size, stride, around, dilation=dilation, bias=False)
    return [layer, nn.BatchNorm2d(out), nn.ReLU()]


def drawn_part(recipe: Recipe, job: tuple[int, int]) -> Arrays:
    """Return so many scenes of one seed with their targets; runs in a process of its own."""
    cv2.setNumThreads(1)
    seed, count = job
    rng = np.random.default_rng(seed)
    scenes = (recipe.draw_scene(rng) for _ in range(count))
    images, truth = zip(*((image, recipe.targets(*told)) for image, *told in scenes), strict=True)
    return np.stack(images), np.stack(truth).astype(np.float16)


def drawn(recipe: Recipe, scenes: int, seed: int, workers: int) -> Arrays:
    """Return so many scenes with their targets."""
    jobs = [(seed * 1000 + k, -(-scenes // PARTS)) for k in range(PARTS)]
    with ProcessPoolExecutor(workers) as pool:
        parts = list(pool.map(partial(drawn_part, recipe), jobs))
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def train(torch: Any, recipe: Recipe, data: Arrays, steps: int, seed: int) -> Any:
    """Return a net trained on the scenes; says its loss now and then."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model = recipe.net(torch).to(memory_format=torch.channels_last)
    mean = copy.deepcopy(model)
    optimizer = torch.optim.AdamW(model.parameters(), recipe.rate, weight_decay=1e-4)
    shown = 0.0
    for step in range(steps):
        rate = recipe.rate * min(1.0, (step + 1) / WARM_UP) * (0.5 + 0.5 * np.cos(np.pi * step / steps)) + 1e-5
        for group in optimizer.param_groups:
            group["lr"] = rate
        picked = rng.integers(0, len(data[0]), recipe.batch)
        images, truth = recipe.varied(rng, data[0][picked], data[1][picked].astype(np.float32))
        x = (torch.from_numpy(images.transpose(0, 3, 1, 2).copy()).float() - GRAY) / SPREAD
        loss = recipe.loss(torch, model(x.contiguous(memory_format=torch.channels_last)), torch.from_numpy(truth))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        _average(torch, mean, model, min(MEMORY, step / (step + 10)))
        shown = 0.98 * shown + 0.02 * float(loss.detach())
        if step % 200 == 199:
            sys.stderr.write(
                f"step {step + 1} of {steps}: loss {shown:.3f}, {time.process_time() / 60:.1f} CPU min\n"
            )
            sys.stderr.flush()
    return mean.eval()


def _average(torch: Any, mean: Any, model: Any, memory: float) -> None:
    with torch.no_grad():
        for old, new in zip(mean.state_dict().values(), model.state_dict().values(), strict=True):
            if old.dtype.is_floating_point:
                old.lerp_(new, 1 - memory)
            else:
                old.copy_(new)


def write(torch: Any, model: Any, path: Path, tile_px: int) -> None:
    """Write the net as ONNX with a free picture size."""
    torch.onnx.export(
        model,
        torch.zeros(1, 3, tile_px, tile_px),
        str(path),
        input_names=["picture"],
        output_names=["cells"],
        dynamic_axes={"picture": {0: "n", 2: "h", 3: "w"}, "cells": {0: "n", 2: "h", 3: "w"}},
        opset_version=17,
        dynamo=False,
    )


def main(recipe: Recipe, about: str | None) -> None:
    """Draw, train, write, as the command line says."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scenes", type=int, default=recipe.scenes)
    parser.add_argument("--steps", type=int, default=recipe.steps)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)  # the same sums in the same order anywhere; two would wait for each other
    begin = time.monotonic()
    data = drawn(recipe, args.scenes, args.seed, args.workers)
    sys.stderr.write(f"{len(data[0])} scenes drawn in {(time.monotonic() - begin) / 60:.1f} min\n")
    write(torch, train(torch, recipe, data, args.steps, args.seed), args.out, recipe.tile_px)
    sys.stderr.write(f"all in {(time.monotonic() - begin) / 60:.1f} min\n")


__all__ = ["Arrays", "Recipe", "conv", "drawn", "drawn_part", "focal", "main", "train", "write"]
