"""What lies on boards in life and hides them: dice cups, glasses, phones, pads and papers, as relief."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.hands import UNIT, draw_hand
from vision.training.relief import Relief
from vision.training.shapes import Color, any_color
from vision.training.textures import KINDS, part

Plane = NDArray[np.float32]
Floats = NDArray[np.float64]
Rng = np.random.Generator

AROUND = 2.6
"""Things lie up to so many columns from the middle of a scene."""

LINING = 0.8
"""Radius of a cup's inside as a share of that of its rim."""


def draw_foreign(rng: Rng, relief: Relief, number: int) -> tuple[float, float, float] | None:
    """Draw something that hides the board; return where a checker is held, if one is: x, y and height."""
    kind = rng.random()
    if kind < 0.55:
        return draw_hand(rng, relief, number)
    for _ in range(int(rng.integers(1, 3))):
        if kind < 0.7:
            _lying_cup(rng, relief, number)
        elif kind < 0.82:
            _standing_cup(rng, relief, number)
        elif kind < 0.88:
            _glass(rng, relief, number)
        else:
            _slab(rng, relief, number)
    return None


def _somewhere(rng: Rng, relief: Relief) -> Floats:
    return np.asarray(relief.side / 2 + rng.uniform(-AROUND, AROUND, 2) * UNIT)


def _dark_or_any(rng: Rng) -> Color:
    """Return the color of a cup or a phone: most are black or of dark leather."""
    if rng.random() < 0.5:
        return np.asarray(rng.uniform(12, 55) * np.exp(rng.normal(0, 0.15, 3)))
    return any_color(rng)


def _covered(rng: Rng, color: Color, shape: tuple[int, int]) -> Plane:
    """Return a patch of leather, cloth or whatever a thing of some color is covered with."""
    grain = part(rng, str(rng.choice(KINDS)), *shape)[..., None]
    return np.asarray(np.clip(color * (1 + rng.choice([0.02, 0.06, 0.15]) * grain), 2, 255), np.float32)


def _standing_cup(rng: Rng, relief: Relief, number: int) -> None:
    """Draw a cup that stands, open or upside down."""
    at, radius, high = _somewhere(rng, relief), rng.uniform(0.7, 1.25) * UNIT, rng.uniform(1.3, 2.6) * UNIT
    stretch, turn = rng.uniform(1.0, 1.35), rng.uniform(0, np.pi)
    window = relief.window(float(at[0]), float(at[1]), radius * stretch + 1)
    if window is None:
        return
    rows, columns, dx, dy = window
    u, v = np.cos(turn) * dx + np.sin(turn) * dy, np.cos(turn) * dy - np.sin(turn) * dx
    far = np.hypot(u / stretch, v) / np.float32(radius)
    level = np.full_like(far, high)
    paint = _covered(rng, _dark_or_any(rng), (far.shape[0], far.shape[1]))
    if rng.random() < 0.75:
        inside = far < LINING
        level[inside] = rng.uniform(0.1, 0.3) * UNIT
        paint[inside] = _covered(rng, _dark_or_any(rng), (far.shape[0], far.shape[1]))[inside]
    else:
        level -= np.float32(0.15 * UNIT) * np.clip((far - 0.8) / 0.2, 0, 1) ** 2
    relief.raise_to((rows, columns), level, far <= 1, paint, float(rng.choice([0.0, 0.4, 0.9])), 0.2, number)


def _lying_cup(rng: Rng, relief: Relief, number: int) -> None:
    """Draw a cup that lies on its side, a little wider at its mouth, which is open."""
    at, turn = _somewhere(rng, relief), rng.uniform(0, 2 * np.pi)
    long, wide, narrow = (rng.uniform(*span) * UNIT for span in ((1.6, 2.9), (0.75, 1.2), (0.65, 1.05)))
    window = relief.window(float(at[0]), float(at[1]), long / 2 + wide + 1)
    if window is None:
        return
    rows, columns, dx, dy = window
    along = np.cos(turn) * dx + np.sin(turn) * dy
    across = np.cos(turn) * dy - np.sin(turn) * dx
    t = np.clip(along / np.float32(long) + 0.5, 0, 1)
    radius = narrow + (wide - narrow) * t
    share = np.clip(1 - (across / radius) ** 2, 0, 1)
    bottom = rng.uniform(0.0, 0.5) * narrow
    # A mouth that faces up a little is seen as an ellipse.
    mouth = np.hypot((along - long / 2) / max(0.05, float(rng.uniform(0, 0.5))), across) / np.float32(wide)
    body = (np.abs(along) <= long / 2 - bottom * (1 - share) * (along < 0)) & (np.abs(across) <= radius)
    level = radius * (1 + np.sqrt(share))
    shape = (level.shape[0], level.shape[1])
    paint = _covered(rng, _dark_or_any(rng), shape)
    open_ = mouth < LINING
    paint[open_] = _covered(rng, _dark_or_any(rng), shape)[open_] * np.float32(rng.uniform(0.3, 1))
    level = np.where(open_, 0.6 * level, level)
    shine = float(rng.choice([0.0, 0.4, 0.9]))
    relief.raise_to(
        (rows, columns), np.asarray(level, np.float32), body | (mouth <= 1), paint, shine, 0.25, number
    )


def _glass(rng: Rng, relief: Relief, number: int) -> None:
    """Draw a glass or a mug seen from above: a shining wall, and a drink of some color."""
    at, radius = _somewhere(rng, relief), rng.uniform(0.6, 1.1) * UNIT
    high, full = rng.uniform(0.8, 2.4) * UNIT, rng.uniform(0.1, 0.9)
    window = relief.window(float(at[0]), float(at[1]), radius + 1)
    if window is None:
        return
    rows, columns, dx, dy = window
    far = np.hypot(dx, dy) / np.float32(radius)
    wall = far > rng.uniform(0.84, 0.94)
    below = relief.color[rows, columns]
    clear = np.float32(rng.uniform(0.2, 0.8) if rng.random() < 0.7 else 0.0)
    paint = np.where(wall[..., None], any_color(rng), any_color(rng)).astype(np.float32)
    paint = clear * below + (1 - clear) * paint
    level = np.where(wall, high, full * high).astype(np.float32)
    relief.raise_to((rows, columns), level, far <= 1, paint, float(rng.uniform(0.5, 1.5)), 0.08, number)


def _slab(rng: Rng, relief: Relief, number: int) -> None:
    """Draw something flat and square: a phone, a score pad, a sheet, a book."""
    at, turn = _somewhere(rng, relief), rng.uniform(0, np.pi)
    half = np.array([rng.uniform(0.7, 1.6), rng.uniform(1.3, 3.0)]) * UNIT
    window = relief.window(float(at[0]), float(at[1]), float(np.hypot(*half)) + 1)
    if window is None:
        return
    rows, columns, dx, dy = window
    u = np.cos(turn) * dx + np.sin(turn) * dy
    v = np.cos(turn) * dy - np.sin(turn) * dx
    corner = rng.uniform(0.0, 0.3) * half[0]
    out = np.hypot(np.maximum(0, np.abs(u) - half[0] + corner), np.maximum(0, np.abs(v) - half[1] + corner))
    inside = (out <= corner) & (np.abs(u) <= half[0]) & (np.abs(v) <= half[1])
    below = float(relief.height[rows, columns][inside].max(initial=0.0))
    thick = rng.uniform(0.02, 0.4) * UNIT
    phone = rng.random() < 0.5
    color = _dark_or_any(rng) if phone else rng.uniform(170, 250) * np.exp(rng.normal(0, 0.05, 3))
    paint = np.ones((*out.shape, 3), np.float32) * np.clip(color, 3, 255).astype(np.float32)
    if phone:
        screen = (np.abs(u) < 0.92 * half[0]) & (np.abs(v) < rng.uniform(0.85, 0.95) * half[1])
        paint[screen] = _dark_or_any(rng).astype(np.float32)
    else:
        _write(rng, paint, u, v, half)
    level = np.full_like(out, below + thick)
    shine = float(rng.uniform(0.4, 1.2)) if phone else 0.0
    relief.raise_to((rows, columns), level, inside, paint, shine, 0.06, number)


def _write(rng: Rng, paint: Plane, u: Plane, v: Plane, half: Floats) -> None:
    """Write on a sheet: rules, numbers; changed in place."""
    sheet = np.zeros((96, 64), np.uint8)
    step = int(rng.integers(6, 16))
    for y in range(step, 96, step):
        if rng.random() < 0.6:
            cv2.line(sheet, (3, y), (61, y), 120, 1)
        if rng.random() < 0.5:
            text = "".join(rng.choice(list("0123456789 xABCDEFGHIJK-"), int(rng.integers(1, 9))))
            cv2.putText(sheet, text, (4, y - 1), cv2.FONT_HERSHEY_SIMPLEX, step / 32, 255, 1, cv2.LINE_AA)
    to_sheet = [np.asarray((w / h + 1) / 2 * n, np.float32) for w, h, n in ((u, half[0], 64), (v, half[1], 96))]
    ink = cv2.remap(sheet, to_sheet[0], to_sheet[1], cv2.INTER_LINEAR)[..., None] / np.float32(255)
    paint += ink * (any_color(rng).astype(np.float32) * np.float32(0.5) - paint)
