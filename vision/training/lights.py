"""Light that is easily taken for a thing: shadows of what is out of sight, patches of sun, glare on lacquer."""

from __future__ import annotations

import cv2
import numpy as np

from vision.training.hands import draw_hand
from vision.training.relief import Plane, Relief, Seen
from vision.training.textures import part

Rng = np.random.Generator

PATCHES, THROWN, GLEAMS = 0.35, 0.15, 0.15
"""Shares of the scenes with patches of shadow, with that of a hand that is out of sight, and with glare."""

FLAT = 1.5
"""Up to this height glare lies on the board, pixels of the plan: what stands on it is not polished with it."""


def sun(rng: Rng, side: int) -> Plane:
    """Return the share of direct light per place: all, half a board in shadow, patches, a hand's."""
    out = np.ones((side, side), np.float32)
    if rng.random() < PATCHES:
        y, x = np.mgrid[:side, :side].astype(np.float32)
        for _ in range(int(rng.integers(1, 4))):
            turn, place = rng.uniform(0, 2 * np.pi), rng.uniform(0.15, 0.85) * side
            across = np.cos(turn) * (x - place) + np.sin(turn) * (y - place)
            wide = rng.uniform(20, 150) if rng.random() < 0.6 else 1e6
            edge = np.exp(rng.uniform(np.log(1), np.log(60)))
            inside = np.minimum(across, wide - across) / np.float32(edge)
            out *= 1 - np.float32(rng.uniform(0.4, 1)) * (1 / (1 + np.exp(-np.clip(inside, -20, 20))))
        out *= np.float32(rng.uniform(1, 2.2))
    if rng.random() < THROWN:
        out *= 1 - np.float32(rng.uniform(0.5, 1)) * _thrown(rng, side)
        out *= np.float32(rng.uniform(1, 1.8))
    return out


def _thrown(rng: Rng, side: int) -> Plane:
    """Return the shadow of a hand, 0 to 1 per place."""
    caster = Relief(side)
    draw_hand(rng, caster, 1)
    soft = float(np.exp(rng.uniform(np.log(0.8), np.log(8))))
    return np.asarray(cv2.GaussianBlur((caster.ids == 1).astype(np.float32), (0, 0), soft))


def gleam(rng: Rng, at: Seen) -> Plane:
    """Return the light of a lamp or window that the lacquer of the board mirrors, often along its grain."""
    out = np.zeros_like(at.z)
    if rng.random() >= GLEAMS:
        return out
    size = len(out)
    y, x = np.mgrid[:size, :size].astype(np.float32)
    for _ in range(int(rng.integers(1, 3))):
        turn, (left, top) = rng.uniform(0, np.pi), rng.uniform(0.05, 0.95, 2) * size
        u = np.cos(turn) * (x - left) + np.sin(turn) * (y - top)
        v = np.cos(turn) * (y - top) - np.sin(turn) * (x - left)
        wide = np.exp(rng.uniform(np.log(5), np.log(70), 2))
        far = np.maximum(np.abs(u / wide[0]), np.abs(v / wide[1]))
        if rng.random() < 0.7:
            far = np.hypot(u / wide[0], v / wide[1])
        edge = np.exp(rng.uniform(np.log(0.1), np.log(3)))
        bright = np.exp(rng.uniform(np.log(60), np.log(900)))
        out += np.float32(bright) / (1 + np.exp(np.clip((far - 1) / np.float32(edge / 4), -20, 20)))
    if rng.random() < 0.6:
        grain = part(
            rng, str(rng.choice(("wood", "planks", "felt", "leather"))), size, size, bool(rng.random() < 0.5)
        )
        out *= np.clip(1 + np.float32(rng.uniform(0.1, 0.6)) * grain, 0, None)
    return np.asarray(out * (at.z < FLAT), np.float32)
