"""Textures that drawn boards, checkers and sleeves are made of: gray fields of mean 0 and spread 1, made once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.float32]
Rng = np.random.Generator

SIDE = 640
"""Side of a texture, pixels; all that is drawn is a part of one."""

VARIANTS = 4
"""So many of each kind are made."""

KINDS = ("wood", "planks", "felt", "leather", "cork", "marble", "speckle", "cloud", "knit", "weave")
"""What a texture looks like."""


@lru_cache(maxsize=len(KINDS) * VARIANTS)
def texture(kind: str, variant: int) -> Plane:
    """Return one texture, shape ``(SIDE, SIDE)``; wood runs along y."""
    rng = np.random.default_rng([KINDS.index(kind), variant])
    plane = {
        "wood": _wood,
        "planks": _planks,
        "felt": _felt,
        "leather": _leather,
        "cork": _cork,
        "marble": _marble,
        "speckle": _speckle,
        "cloud": _cloud,
        "knit": _knit,
        "weave": _weave,
    }[kind](rng)
    plane -= plane.mean()
    return np.asarray(np.clip(plane / (plane.std() + 1e-6), -3, 3), np.float32)


@lru_cache(maxsize=len(KINDS) * VARIANTS)
def _levels(kind: str, variant: int) -> NDArray[np.uint8]:
    return np.asarray(np.round((texture(kind, variant) + 3) * (255 / 6)), np.uint8)


def part(rng: Rng, kind: str, high: int, wide: int, turned: bool = False) -> Plane:
    """Return a random part of a texture of some kind; `turned` lets its grain run along x."""
    return np.asarray(_cut(rng, texture(kind, int(rng.integers(VARIANTS))), high, wide, turned))


def levels(rng: Rng, kind: str, high: int, wide: int, turned: bool = False) -> NDArray[np.uint8]:
    """Return a random part of a texture in 256 levels, from -3 to 3."""
    return np.asarray(_cut(rng, _levels(kind, int(rng.integers(VARIANTS))), high, wide, turned))


def _cut(rng: Rng, whole: Any, high: int, wide: int, turned: bool) -> Any:
    whole = whole.T if turned else whole
    y, x = int(rng.integers(SIDE - high + 1)), int(rng.integers(SIDE - wide + 1))
    flips = rng.choice([-1, 1], 2)
    return np.ascontiguousarray(whole[y : y + high, x : x + wide][:: flips[0], :: flips[1]])


def noise(rng: Rng, rows: int, columns: int) -> Plane:
    """Return smooth noise with so many bumps over the whole side."""
    coarse = rng.normal(0, 1, (rows, columns)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC))


def _cloud(rng: Rng) -> Plane:
    return np.asarray(sum(noise(rng, n, n) / n**0.6 for n in (4, 8, 16, 32, 64, 128)), np.float32)


def _wood(rng: Rng) -> Plane:
    bend = noise(rng, 3, 8) * rng.uniform(0.5, 2.0) + noise(rng, 6, 30) * 0.2
    x = np.linspace(0, rng.uniform(6, 30), SIDE, dtype=np.float32)[None]
    rings = np.abs(((x + bend) % 1.0) - 0.5) * 2
    return np.asarray(rings ** rng.uniform(0.5, 2) + 0.5 * noise(rng, 6, 200) + 0.3 * noise(rng, 12, 400))


def _planks(rng: Rng) -> Plane:
    return np.asarray(noise(rng, 4, 120) + 0.7 * noise(rng, 10, 320) + 0.5 * noise(rng, 3, 20))


def _felt(rng: Rng) -> Plane:
    fine = rng.normal(0, 1, (SIDE, SIDE)).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(fine, (0, 0), float(rng.uniform(0.8, 1.6))) * 3 + 0.3 * _cloud(rng))


def _leather(rng: Rng) -> Plane:
    fine = cv2.GaussianBlur(rng.normal(0, 1, (SIDE, SIDE)).astype(np.float32), (0, 0), float(rng.uniform(1.8, 3)))
    fine /= fine.std()
    return np.asarray(-np.exp(-((fine / 0.5) ** 2)) + 0.2 * _cloud(rng), np.float32)


def _cork(rng: Rng) -> Plane:
    fine = cv2.GaussianBlur(rng.normal(0, 1, (SIDE, SIDE)).astype(np.float32), (0, 0), float(rng.uniform(2, 4)))
    return np.asarray(np.tanh(3 * fine / fine.std() - 1) + 0.5 * _felt(rng), np.float32)


def _marble(rng: Rng) -> Plane:
    field = noise(rng, 12, 12) + 0.6 * noise(rng, 30, 30) + 0.3 * noise(rng, 90, 90)
    return np.asarray(np.exp(-np.abs(field) * rng.uniform(3, 9)) + 0.3 * _cloud(rng), np.float32)


def _speckle(rng: Rng) -> Plane:
    grains = cv2.GaussianBlur(
        rng.normal(0, 1, (SIDE, SIDE)).astype(np.float32), (0, 0), float(rng.uniform(0.9, 2))
    )
    return np.asarray((grains > grains.std() * rng.uniform(0.8, 2)).astype(np.float32))


def _knit(rng: Rng) -> Plane:
    y, x = np.mgrid[:SIDE, :SIDE].astype(np.float32)
    wide = rng.uniform(5, 12)
    ribs = np.cos(2 * np.pi * x / wide)
    loops = np.cos(2 * np.pi * (y / wide * 1.3 + 0.35 * np.abs(ribs)))
    return np.asarray(ribs + 0.7 * loops + 0.3 * _felt(rng), np.float32)


def _weave(rng: Rng) -> Plane:
    y, x = np.mgrid[:SIDE, :SIDE].astype(np.float32)
    wide = rng.uniform(20, 70)
    checks = (np.sin(2 * np.pi * x / wide) > rng.uniform(-0.8, 0.8)).astype(np.float32)
    if rng.random() < 0.5:
        checks += np.sin(2 * np.pi * y / wide) > rng.uniform(-0.8, 0.8)
    return np.asarray(checks + 0.15 * _felt(rng), np.float32)
