"""A relief and how a camera sees it: what stands on a board as a height above each place, lit and looked at.

A relief is a plan: per place its height, color, shine, roughness and which thing it is. `seen` follows the ray of
each pixel down to where it meets the relief, so that sides show and hide what lies behind, as in a picture taken
at a slant; `lit` adds what light does: shading, thrown shadows, corners that little light reaches, and windows and
lamps mirrored in what shines. Plan and picture have the same pixels on the playing surface, `FINE` to one of the
scene; heights have the same unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.float32]
Floats = NDArray[np.float64]
Rng = np.random.Generator

FINE = 1.5
"""Pixels of the plan to one of the rectified scene."""

STEPS, HALVINGS = 26, 3
"""How a ray is followed: levels from the top down to the field, then halvings between two of them."""


class Relief:
    """A plan under construction."""

    def __init__(self, side: int) -> None:
        self.height = np.zeros((side, side), np.float32)
        self.color = np.zeros((side, side, 3), np.float32)
        self.shine = np.zeros((side, side), np.float32)
        self.rough = np.full((side, side), 0.3, np.float32)
        self.ids = np.zeros((side, side), np.uint8)
        self.bump = np.zeros((side, side), np.float32)

    @property
    def side(self) -> int:
        """Width and height, pixels."""
        return int(self.height.shape[0])

    def window(self, x: float, y: float, reach: float) -> tuple[slice, slice, Plane, Plane] | None:
        """Return rows, columns, and offsets from a place for all pixels that near to it; None outside."""
        left, right = max(0, int(x - reach)), min(self.side, int(x + reach) + 2)
        top, bottom = max(0, int(y - reach)), min(self.side, int(y + reach) + 2)
        if left >= right or top >= bottom:
            return None
        dx = np.arange(left, right, dtype=np.float32)[None] - np.float32(x)
        dy = np.arange(top, bottom, dtype=np.float32)[:, None] - np.float32(y)
        return slice(top, bottom), slice(left, right), dx, dy

    def raise_to(
        self,
        at: tuple[slice, slice],
        height: Plane,
        inside: NDArray[np.bool_],
        color: Plane,
        shine: float,
        rough: float,
        number: int,
    ) -> None:
        """Put a thing on the plan wherever it is higher than what is there."""
        higher = inside & (height > self.height[at])
        np.copyto(self.height[at], height, where=higher)
        np.copyto(self.color[at], color, where=higher[..., None])
        self.shine[at][higher] = shine
        self.rough[at][higher] = rough
        self.ids[at][higher] = number


@dataclass(frozen=True)
class Eye:
    """A camera over the relief, pixels of the plan; its z is above the field."""

    x: float
    y: float
    z: float

    @classmethod
    def over(cls, side: int, tilt: float, around: float, far: float) -> Eye:
        """Return a camera so far from the middle of the plan, `tilt` off the vertical."""
        flat = far * np.sin(tilt)
        x, y = side / 2 + flat * np.cos(around), side / 2 + flat * np.sin(around)
        return cls(float(x), float(y), float(far * np.cos(tilt)))

    def on_field(self, xyz: Floats) -> Floats:
        """Return at which places of the field things above it are seen; ``(n, 3)`` in, ``(n, 2)`` out."""
        share = self.z / (self.z - xyz[:, 2:])
        eye = np.array([self.x, self.y])
        return np.asarray(eye + (xyz[:, :2] - eye) * share)

    def grown(self, z: float) -> float:
        """Return how much larger what lies at a height looks, measured on the field."""
        return self.z / (self.z - z)


@dataclass(frozen=True, eq=False)
class Seen:
    """Where the ray of each pixel ends: place on the plan, height, and the level of the plan there."""

    x: Plane
    y: Plane
    z: Plane
    top: Plane

    def of(self, plane: NDArray[np.float32]) -> Plane:
        """Return a property of the plan where the rays end."""
        return np.asarray(cv2.remap(plane, self.x, self.y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))

    def exactly(self, plane: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return numbers of the plan where the rays end."""
        return np.asarray(cv2.remap(plane, self.x, self.y, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE))


def seen(relief: Relief, eye: Eye, begin: int, size: int) -> Seen:
    """Follow the rays of the square of the field that begins at pixel `begin` both ways, `size` wide."""
    axis = np.arange(begin, begin + size, dtype=np.float32)
    field_x, field_y = np.meshgrid(axis, axis)
    lean_x, lean_y = (eye.x - field_x) / np.float32(eye.z), (eye.y - field_y) / np.float32(eye.z)

    def level(z: Plane | float) -> Plane:
        x, y = field_x + z * lean_x, field_y + z * lean_y
        return np.asarray(cv2.remap(relief.height, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))

    most = float(relief.height.max()) + 0.01
    step = most / STEPS
    z = np.zeros_like(field_x)
    for k in range(1, STEPS + 1):
        np.copyto(z, np.float32(k * step), where=level(k * step) >= k * step)
    half = step / 2
    z += half
    for _ in range(HALVINGS):
        half /= 2
        z += np.where(level(z) >= z, half, -half)
    z = np.maximum(z, 0)
    x, y = field_x + z * lean_x, field_y + z * lean_y
    slope_x, slope_y = slopes(relief.height, 1.0)
    up_x, up_y = (
        cv2.remap(s, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) for s in (slope_x, slope_y)
    )
    push = 1.3 / (np.hypot(up_x, up_y) + 1.0)
    x, y = x + push * up_x, y + push * up_y
    top = cv2.remap(relief.height, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return Seen(x, y, z, np.asarray(top))


def slopes(height: Plane, smooth: float) -> tuple[Plane, Plane]:
    """Return how steeply a plane rises along x and along y, after some smoothing."""
    soft = cv2.GaussianBlur(height, (0, 0), smooth)
    return (
        np.asarray(cv2.Sobel(soft, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)),
        np.asarray(cv2.Sobel(soft, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)),
    )


@dataclass(frozen=True, eq=False)
class Lamp:
    """A window or lamp as it is mirrored: direction to it and across, half its size, brightness, its shape."""

    axes: Floats
    half: tuple[float, float]
    bright: float
    round: bool
    panes: bool


@dataclass(frozen=True, eq=False)
class Light:
    """The light in a room."""

    toward: Floats
    direct: float
    ambient: float
    soft: float
    corners: float
    lamps: tuple[Lamp, ...]

    @classmethod
    def any(cls, rng: Rng) -> Light:
        """Return some light: a bare lamp, a window, an overcast room."""
        direction = _direction(rng, 22, 85)
        ambient = float(rng.uniform(0.25, 0.85))
        lamps = [
            _lamp(rng, direction if k == 0 else _direction(rng, 25, 88)) for k in range(int(rng.integers(1, 4)))
        ]
        return cls(
            direction,
            (1 - ambient) * float(rng.uniform(0.9, 1.4)),
            ambient,
            float(rng.choice([0.03, 0.1, 0.3, 0.6])),
            float(rng.uniform(0.3, 1.3)),
            tuple(lamps),
        )


def _direction(rng: Rng, low: float, high: float) -> Floats:
    up, around = np.deg2rad(rng.uniform(low, high)), rng.uniform(0, 2 * np.pi)
    return np.array([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)])


def _lamp(rng: Rng, toward: Floats) -> Lamp:
    turn = rng.normal(0, 1, 3)
    u = np.cross(toward, turn)
    u /= np.linalg.norm(u) + 1e-9
    half = np.exp(rng.uniform(np.log(0.04), np.log(0.5), 2))
    bright = float(np.exp(rng.uniform(np.log(1.5), np.log(30))))
    kind = rng.random()
    return Lamp(
        np.stack([toward, u, np.cross(toward, u)]), (half[0], half[1]), bright, bool(kind < 0.4), bool(kind > 0.8)
    )


def lit(relief: Relief, at: Seen, eye: Eye, light: Light, sun: Plane, rounding: float) -> Plane:
    """Return the picture of a relief: linear light, 255 is white paper in full light; shape of `at`.

    Args:
        relief: the plan.
        at: where the rays end.
        eye: the camera.
        light: the light in the room.
        sun: share of the direct light that reaches each place of the plan, before shadows.
        rounding: how round all edges are, pixels.
    """
    rise_x, rise_y = (at.of(s) for s in slopes(relief.height + relief.bump, rounding))
    norm = 1 / np.sqrt(rise_x**2 + rise_y**2 + 1)
    normal = (-rise_x * norm, -rise_y * norm, norm)
    facing = np.maximum(0, sum(n * np.float32(v) for n, v in zip(normal, light.toward, strict=True)))
    direct = at.of(sun * (1 - shadows(relief.height, light)))
    dark = at.of(corners(relief.height, light.corners))
    side = np.clip(1.2 * (at.top - at.z) / (np.maximum(at.top, 1)), 0, 1)
    dark *= 1 - min(0.6, 0.5 * light.corners) * side
    diffuse = light.direct * facing * direct + light.ambient * dark * (0.65 + 0.35 * norm)
    picture = at.of(relief.color) * diffuse[..., None]
    shine = at.of(relief.shine)
    if shine.max() > 0.02:
        picture += 255 * (shine * dark * mirrored(normal, at, eye, light, at.of(relief.rough)))[..., None]
    return np.asarray(picture, np.float32)


def shadows(height: Plane, light: Light) -> Plane:
    """Return the share of direct light that things take from each place of the plan."""
    small = cv2.resize(height, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    side = small.shape[0]
    dark = np.zeros_like(small)
    flat, rise = light.toward[:2], float(light.toward[2] / (np.hypot(*light.toward[:2]) + 1e-6))
    flat = flat / (np.hypot(*flat) + 1e-6)
    farthest = min(90.0, float(height.max()) / rise)
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    for far in np.linspace(1.5, max(2.0, farthest), 12).tolist():
        move = np.array([[1, 0, flat[0] * far / 2], [0, 1, flat[1] * far / 2]])
        there = cv2.warpAffine(small, move, (side, side), flags=how, borderMode=cv2.BORDER_REPLICATE)
        over = (there - small - np.float32(far * rise)) * np.float32(1 / (1.0 + light.soft * far))
        np.maximum(dark, over, out=dark)
    dark = cv2.GaussianBlur(np.minimum(dark, 1), (0, 0), 0.4 + 3 * light.soft)
    return np.asarray(cv2.resize(dark, height.shape[::-1], interpolation=cv2.INTER_LINEAR))


def corners(height: Plane, strength: float) -> Plane:
    """Return the share of the room's light that reaches each place beside higher things."""
    small = cv2.resize(height, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    deep = np.zeros_like(height)
    for reach in (1.5, 4.0, 9.0):
        around = cv2.resize(cv2.GaussianBlur(small, (0, 0), reach), height.shape[::-1])
        deep += np.maximum(0, around - height) / np.float32(6 * reach**0.7)
    return np.asarray(np.exp(-strength * deep))


def mirrored(normal: tuple[Plane, Plane, Plane], at: Seen, eye: Eye, light: Light, rough: Plane) -> Plane:
    """Return what shiny things mirror: a little of the room, and windows and lamps."""
    to_eye = np.array([eye.x - float(at.x.mean()), eye.y - float(at.y.mean()), eye.z])
    to_eye /= np.linalg.norm(to_eye)
    cosine = sum(n * np.float32(v) for n, v in zip(normal, to_eye, strict=True))
    cosine = np.clip(cosine, 0, 1)
    back = [2 * cosine * n - np.float32(v) for n, v in zip(normal, to_eye, strict=True)]
    room = np.full_like(cosine, 0.5 * light.ambient)
    for lamp in light.lamps:
        front, u, v = (sum(b * np.float32(a) for b, a in zip(back, axis, strict=True)) for axis in lamp.axes)
        soft = rough + 0.01
        if lamp.round:
            spot = np.exp(-(np.maximum(0, np.hypot(u, v) - lamp.half[0]) ** 2) / (2 * (0.5 * soft) ** 2))
        else:
            out = np.maximum(np.abs(u) - lamp.half[0], np.abs(v) - lamp.half[1])
            spot = 1 / (1 + np.exp(np.clip(out / (0.3 * soft), -20, 20)))
            if lamp.panes:
                spot *= np.minimum(1, 0.3 + np.minimum(np.abs(u), np.abs(v)) / (0.15 * min(lamp.half)))
        spread = (lamp.half[0] * lamp.half[1]) / (lamp.half[0] * lamp.half[1] + soft**2)
        room += lamp.bright * spread * spot * (front > 0)
    return np.asarray((0.04 + 0.96 * (1 - cosine) ** 5) * room, np.float32)
