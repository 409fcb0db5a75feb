"""Hands and arms over a board, as relief: fingers of three bones, a palm, a sleeve of any cloth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.training.relief import FINE, Relief
from vision.training.shapes import Color, any_color
from vision.training.textures import KINDS, part

Floats = NDArray[np.float64]
Rng = np.random.Generator

UNIT = 25.0 * FINE
"""Width of a column, pixels of the plan: a finger is half as wide, a palm two."""

SKINS = ((132, 172, 222), (105, 150, 210), (80, 120, 185), (55, 85, 140), (35, 55, 95))
"""Skin in full light, BGR, from fair to dark."""


def draw_hand(rng: Rng, relief: Relief, number: int) -> tuple[float, float, float] | None:
    """Draw an arm that comes in from outside; return where a checker is held, if one is: x, y and height."""
    skin = np.array(SKINS[int(rng.integers(len(SKINS)))], float) * np.exp(rng.normal(0, 0.08, 3))
    inward = rng.uniform(0, 2 * np.pi)
    toward = np.array([np.cos(inward), np.sin(inward), 0.0])
    aside = np.array([-toward[1], toward[0], 0.0]) * rng.choice([-1, 1])
    middle = relief.side / 2
    palm = np.array([*(middle + rng.uniform(-1.8, 1.8, 2) * UNIT), rng.uniform(0.5, 1.1) * UNIT])
    wrist = palm - toward * rng.uniform(1.2, 1.8) * UNIT + np.array([0, 0, rng.uniform(-0.2, 0.3) * UNIT])
    cuff = wrist - toward * rng.uniform(-0.3, 3.0) * UNIT
    start = palm - toward * 12 * UNIT
    size = UNIT * rng.uniform(0.85, 1.15)
    _limb(rng, relief, start, wrist, 0.62 * size, 0.55 * size, skin, "cloud", number)
    for k in (-0.42, 0.0, 0.42):
        _limb(
            rng,
            relief,
            wrist + aside * k * 0.5 * size,
            palm + aside * k * 1.5 * size,
            0.5 * size,
            0.42 * size,
            skin,
            "cloud",
            number,
        )
    tips = [
        _finger(rng, relief, palm, toward, aside, size, k, skin, number) for k in range(int(rng.integers(2, 6)))
    ]
    cloth = any_color(rng)
    kind = str(rng.choice(KINDS)) if rng.random() < 0.8 else "cloud"
    if rng.random() < 0.8:
        _limb(
            rng,
            relief,
            start,
            cuff,
            rng.uniform(0.8, 1.4) * size,
            rng.uniform(0.7, 1.0) * size,
            cloth,
            kind,
            number,
        )
    if rng.random() > 0.3 or len(tips) < 2:
        return None
    held = (tips[0] + tips[1]) / 2
    return float(held[0]), float(held[1]), float(max(0.0, held[2] - rng.uniform(0.0, 0.6) * size))


def _finger(
    rng: Rng,
    relief: Relief,
    palm: Floats,
    toward: Floats,
    aside: Floats,
    size: float,
    k: int,
    skin: Color,
    number: int,
) -> Floats:
    """Draw one finger, the thumb for 0; return its tip."""
    thumb = k == 0
    begin = palm + aside * (-0.9 if thumb else 0.42 * (k - 2.4)) * size + toward * (-0.1 if thumb else 0.5) * size
    spread = (0.6 if thumb else 0.12 * (k - 2.4)) * (-1 if thumb else 1) + rng.normal(0, 0.12)
    ahead = toward * np.cos(spread) + aside * np.sin(spread)
    bend = rng.uniform(0.1, 0.9)
    pitch = rng.uniform(-0.3, 0.4)
    at, thick = begin, rng.uniform(0.2, 0.27) * size
    for length in (0.75, 0.5, 0.42)[thumb:]:
        step = length * size * (ahead * np.cos(pitch) + np.array([0, 0, np.sin(pitch)]))
        after = at + step
        after[2] = max(after[2], thick)
        _limb(rng, relief, at, after, thick, thick * 0.9, skin * rng.uniform(0.92, 1.06), "cloud", number)
        at, thick, pitch = after, thick * 0.9, pitch - bend
    nail = relief.window(float(at[0]), float(at[1]), 0.12 * size)
    if nail is not None and rng.random() < 0.6:
        rows, columns, dx, dy = nail
        spot = (np.hypot(dx, dy) < 0.11 * size) & (relief.ids[rows, columns] == number)
        relief.color[rows, columns][spot] = (skin * np.array([1.05, 1.02, 1.08])).clip(0, 255).astype(np.float32)
        relief.shine[rows, columns][spot] = 0.5
    return at


def _limb(
    rng: Rng,
    relief: Relief,
    a: Floats,
    b: Floats,
    thick_a: float,
    thick_b: float,
    color: Color,
    kind: str,
    number: int,
) -> None:
    """Draw a rounded bone or tube from one place to another."""
    most = max(thick_a, thick_b)
    left, right = int(max(0, min(a[0], b[0]) - most)), int(min(relief.side, max(a[0], b[0]) + most + 1))
    top, bottom = int(max(0, min(a[1], b[1]) - most)), int(min(relief.side, max(a[1], b[1]) + most + 1))
    if left >= right or top >= bottom:
        return
    x = np.arange(left, right, dtype=np.float32)[None] - np.float32(a[0])
    y = np.arange(top, bottom, dtype=np.float32)[:, None] - np.float32(a[1])
    along = (b - a)[:2]
    length = float(np.hypot(*along)) + 1e-6
    t = np.clip((x * along[0] + y * along[1]) / length**2, 0, 1).astype(np.float32)
    off2 = (x - t * along[0]) ** 2 + (y - t * along[1]) ** 2
    thick = thick_a + (thick_b - thick_a) * t
    arch = thick**2 - off2
    inside = arch > 0
    level = a[2] + (b[2] - a[2]) * t + np.sqrt(np.maximum(arch, 0))
    skin_like = kind == "cloud"
    grain = part(rng, kind, bottom - top, right - left, bool(rng.random() < 0.5))
    strength = np.float32(0.05 if skin_like else rng.choice([0.06, 0.15, 0.3]))
    paint = color.astype(np.float32) * (1 + strength * grain[..., None])
    if not skin_like:
        level = level + 0.5 * grain + 1.5 * part(rng, "cloud", bottom - top, right - left)
    at = (slice(top, bottom), slice(left, right))
    shine = float(rng.choice([0.0, 0.3])) if skin_like else 0.0
    relief.raise_to(at, np.asarray(level, np.float32), inside, np.clip(paint, 0, 255), shine, 0.3, number)
