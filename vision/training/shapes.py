"""Camera, canvas and things for `vision.training.dice_scenes`: what is drawn, and through which eye."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.textures import part

Floats = NDArray[np.float64]
Color = NDArray[np.float64]
Rng = np.random.Generator

FINE_PX = 40.0
"""A die is at least this wide on the canvas."""

GRAINS = ("wood", "planks", "felt", "leather", "cork", "speckle", "cloud", "weave")
"""What playing surfaces are made of."""


@dataclass(frozen=True, eq=False)
class Pinhole:
    """A camera over the scene; canvas pixels are `fine` times finer than picture pixels."""

    position: Floats
    matrix: Floats
    scale: float
    size: int
    fine: int

    @classmethod
    def looking_at(cls, tilt: float, around: float, distance: float, scale: float, reach: float) -> Pinhole:
        """Return a camera that sees a die in the middle of the scene `scale` picture pixels wide."""
        toward = np.array([np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), np.cos(tilt)])
        forward = -toward
        right = np.array([-np.sin(around), np.cos(around), 0.0])
        down = np.cross(forward, right)
        fine = int(np.ceil(FINE_PX / scale))
        size = int(2 * (reach * 1.45 + 0.5) * scale * fine)
        focal = scale * fine * distance
        lens = np.array([[focal, 0, size / 2], [0, focal, size / 2], [0, 0, 1.0]])
        turn = np.stack([right, down, forward])
        position = toward * distance
        return cls(position, lens @ np.hstack([turn, -(turn @ position)[:, None]]), scale * fine, size, fine)

    def project(self, xyz: Floats) -> Floats:
        """Return canvas points of world points; shape ``(n, 3)`` in, ``(n, 2)`` out."""
        seen = xyz @ self.matrix[:, :3].T + self.matrix[:, 3]
        return np.asarray(seen[:, :2] / seen[:, 2:])

    def depth(self, xy: Floats) -> float:
        """Return how far a place on the field is from the camera."""
        return float(np.linalg.norm(np.array([*xy, 0.0]) - self.position))

    def plane(self) -> Floats:
        """Return the homography from the field's x, y to the canvas."""
        return self.matrix[:, [0, 1, 3]]

    def shrunk_plane(self) -> Floats:
        """Return the homography from the field's x, y to the picture."""
        half = (1 / self.fine - 1) / 2
        shrink = np.array([[1 / self.fine, 0, half], [0, 1 / self.fine, half], [0, 0, 1.0]])
        return np.asarray(shrink @ self.plane())

    def plane_to_tile(self, reach: float, tile_px: int) -> Floats:
        """Return the homography from the field's x, y to the rectified scene."""
        scale = tile_px / reach / 2
        return np.array([[scale, 0, tile_px / 2 - 0.5], [0, scale, tile_px / 2 - 0.5], [0, 0, 1.0]])

    def to_tile(self, xyz: Floats, reach: float, tile_px: int) -> Floats:
        """Return where world points are seen in the rectified scene."""
        at = self.project(xyz)
        matrix = self.plane_to_tile(reach, tile_px) @ np.linalg.inv(self.plane())
        moved = at @ matrix[:, :2].T + matrix[:, 2]
        return np.asarray(moved[:, :2] / moved[:, 2:])


class Canvas:
    """A float picture under construction, and beside it which thing each pixel shows."""

    def __init__(self, camera: Pinhole, image: Floats) -> None:
        self.camera = camera
        self.image = image
        self.ids = np.zeros(image.shape[:2], np.uint8)
        self.shade = np.zeros(image.shape[:2], np.float32)

    @classmethod
    def of(cls, camera: Pinhole) -> Canvas:
        """Return an empty canvas for a camera."""
        return cls(camera, np.zeros((camera.size, camera.size, 3), np.float32))

    def polygon(self, points: Floats, color: Color, number: int | None) -> None:
        """Fill a polygon; `number` marks its pixels in the id picture, None leaves them."""
        fixed = [np.round(points * 16).astype(np.int32)]
        cv2.fillPoly(self.image, fixed, [float(c) for c in np.clip(color, 0, 255)], cv2.LINE_8, 4)
        if number is not None:
            cv2.fillPoly(self.ids, fixed, number, cv2.LINE_8, 4)

    def ground(self, texture: NDArray[np.float32], reach: float) -> None:
        """Lay a texture on the field, `reach` to each side."""
        n = texture.shape[0]
        scale = np.array([[2 * reach / n, 0, -reach], [0, 2 * reach / n, -reach], [0, 0, 1.0]])
        size = (self.camera.size, self.camera.size)
        cv2.warpPerspective(texture, self.camera.plane() @ scale, size, self.image, borderMode=cv2.BORDER_REFLECT)

    def shadow(self, at: Floats, radius: float, height: float, light: Floats) -> None:
        """Add the shadow that something round and `height` tall throws on the field."""
        angle = np.linspace(0, 2 * np.pi, 16, endpoint=False)
        foot = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1) * radius + np.array([*at, 0])
        far = foot - np.array([*(light[:2] / max(0.35, light[2]) * height), 0])
        outline = cv2.convexHull(self.camera.project(np.vstack([foot, far])).astype(np.float32))
        cv2.fillConvexPoly(self.shade, np.round(outline[:, 0]).astype(np.int32), 1.0)

    def cast_shadows(self, rng: Rng) -> None:
        """Darken the ground where the shadows fall."""
        if not self.shade.any():
            return
        small = cv2.resize(self.shade, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
        soft = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(0.02, 0.25) * self.camera.scale / 4))
        dark = cv2.resize(soft, self.shade.shape[::-1], interpolation=cv2.INTER_LINEAR)
        self.image *= (1 - rng.uniform(0.1, 0.75) * dark)[..., None]

    def glow(self, at: Floats, radius: float, strength: float) -> None:
        """Add a highlight."""
        left, top = (max(0, int(v - 3 * radius)) for v in at)
        right, bottom = (max(0, int(v + 3 * radius) + 1) for v in at)
        part = self.image[top:bottom, left:right]
        y, x = np.ogrid[top : top + part.shape[0], left : left + part.shape[1]]
        part += (strength * np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / (2 * radius**2)))[..., None]

    def shrunk(self) -> Floats:
        """Return the picture at its own resolution."""
        side = self.camera.size // self.camera.fine
        whole = side * self.camera.fine
        cut = np.ascontiguousarray(self.image[:whole, :whole])
        return np.asarray(cv2.resize(cut, (side, side), interpolation=cv2.INTER_AREA))


@lru_cache(maxsize=64)
def _unit_hull(rounding: float) -> Floats:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    ball = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], float)
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    return np.asarray((signs[:, None] * (0.5 - rounding) + ball[None] * rounding).reshape(-1, 3))


def rounded_box_hull(rounding: float) -> Floats:
    """Return points whose hull is a cube of edge 1 with rounded edges and corners."""
    return _unit_hull(round(rounding, 2))


def rounded_square(half: float, rounding: float) -> Floats:
    """Return the outline of a square of side ``2 * half`` with rounded corners."""
    angle = np.linspace(0, np.pi / 2, 5)
    r = min(rounding, half)
    parts = []
    for k, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        a = angle + k * np.pi / 2
        parts.append(np.stack([x * (half - r) + r * np.cos(a), y * (half - r) + r * np.sin(a)], axis=1))
    return np.concatenate(parts)


def any_color(rng: Rng) -> Color:
    """Return a color as boards and checkers have it: wood, felt, white, black, or any."""
    kind = rng.random()
    if kind < 0.2:
        return np.asarray(rng.uniform(170, 250) * np.array([rng.uniform(0.7, 1), rng.uniform(0.9, 1), 1.0]))
    if kind < 0.4:
        return np.asarray(rng.uniform(5, 60, 3).mean() + rng.uniform(-6, 8, 3)).clip(0, 255)
    hue = rng.integers(5, 20) if kind < 0.65 else rng.integers(0, 180)
    hsv = np.array([[[hue, rng.integers(40, 240), rng.integers(40, 235)]]], np.uint8)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(float))


def ground_texture(rng: Rng, n: int = 256) -> NDArray[np.float32]:
    """Return a patch of playing surface: felt, leather, cork, wood or paint, with points, lines and lettering."""
    image = np.ones((n, n, 3), np.float32) * any_color(rng).astype(np.float32)
    for _ in range(rng.choice([0, 1, 2, 3])):
        base, tip = rng.uniform(-20, n + 20, 2), rng.uniform(-20, n + 20, 2)
        side = np.array([-(tip - base)[1], (tip - base)[0]])
        side = side / (np.linalg.norm(side) + 1e-6) * rng.uniform(15, 60)
        corners = np.round(np.stack([base + side, base - side, tip])).astype(np.int32)
        cv2.fillPoly(image, [corners], any_color(rng).tolist(), cv2.LINE_AA)
        if rng.random() < 0.3:
            cv2.polylines(image, [corners], True, any_color(rng).tolist(), int(rng.integers(1, 4)), cv2.LINE_AA)
    if rng.random() < 0.7:
        kind = GRAINS[int(rng.integers(len(GRAINS)))]
        fine = int(n * rng.uniform(0.5, 1.0))
        grain = cv2.resize(part(rng, kind, fine, fine, bool(rng.random() < 0.5)), (n, n))[..., None]
        image *= 1 + rng.uniform(0.02, 0.18) * grain
    else:
        cells = np.exp(rng.uniform(np.log(6), np.log(n), 2)).astype(int)
        grain = rng.normal(0, 1, (cells[0], cells[1], 1)).astype(np.float32)
        image *= 1 + rng.uniform(0.01, 0.12) * cv2.resize(grain, (n, n))[..., None]
    if rng.random() < 0.12:
        for _ in range(int(rng.integers(3, 25))):
            at = tuple(int(v) for v in rng.integers(0, n, 2))
            cv2.circle(image, at, int(rng.integers(2, 7)), any_color(rng).tolist(), -1, cv2.LINE_AA)
    if rng.random() < 0.12:
        ink = _lettering(rng, n)[..., None]
        image = image * (1 - ink) + any_color(rng).astype(np.float32) * ink
    return np.clip(image, 0, 255)


def _lettering(rng: Rng, n: int) -> NDArray[np.float32]:
    """Return how much ink of some printed letters lies at each pixel, 0 to 1; shape ``(n, n)``."""
    ink = np.zeros((n, n), np.uint8)
    text = "".join(chr(v) for v in rng.integers(65, 91, int(rng.integers(1, 7))))
    at = tuple(int(v) for v in rng.integers(0, n, 2))
    large, thick = rng.uniform(0.5, 2.5), int(rng.integers(1, 5))
    cv2.putText(ink, text, at, cv2.FONT_HERSHEY_SIMPLEX, large, 255, thick, cv2.LINE_AA)
    return np.asarray(ink / np.float32(255))


def _ring(at: Floats, radius: float, height: float, n: int = 28) -> Floats:
    angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.stack([at[0] + radius * np.cos(angle), at[1] + radius * np.sin(angle), height + 0 * angle], axis=1)


@dataclass(frozen=True)
class CheckerLook:
    """The make of a set of checkers."""

    color: Color
    rings: tuple[tuple[float, float], ...]
    dots: int
    bevel: float
    gloss: float


def any_checkers(rng: Rng) -> CheckerLook:
    """Return checkers of some make: plain, turned, ornamented, shiny."""
    rings = []
    r = rng.uniform(0.8, 0.97)
    for _ in range(rng.choice([0, 1, 2, 3, 5])):
        rings.append((float(r), float(rng.uniform(0.7, 1.3))))
        r *= rng.uniform(0.4, 0.95)
    if rng.random() < 0.25:
        rings.append((float(rng.uniform(0.06, 0.2)), float(rng.uniform(0.2, 1.8))))
    return CheckerLook(
        any_color(rng),
        tuple(rings),
        dots=int(rng.integers(2, 9)) if rng.random() < 0.15 else 0,
        bevel=rng.uniform(0.05, 0.5) if rng.random() < 0.6 else 0.0,
        gloss=rng.uniform(0.1, 0.6) if rng.random() < 0.35 else 0.0,
    )


def draw_checker(
    rng: Rng,
    canvas: Canvas,
    at: Floats,
    radius: float,
    height: float,
    ambient: float,
    light: Floats,
    look: CheckerLook | None = None,
) -> None:
    """Draw one checker with its rim, rings, recess or ornament."""
    camera = canvas.camera
    look = look or any_checkers(rng)
    shade = (ambient + (1 - ambient) * max(0.0, float(light[2]))) * rng.uniform(0.93, 1.07)
    color = look.color * shade
    body = np.vstack([camera.project(_ring(at, radius, 0)), camera.project(_ring(at, radius, height))])
    canvas.polygon(cv2.convexHull(body.astype(np.float32))[:, 0], color * rng.uniform(0.5, 0.9), 201)
    canvas.polygon(camera.project(_ring(at, radius, height)), color, 201)
    if look.bevel:
        turn = light[:2] / (np.linalg.norm(light[:2]) + 1e-6) * radius * 0.06
        canvas.polygon(camera.project(_ring(at + turn, radius * 0.94, height)), color * (1 + look.bevel), 201)
        canvas.polygon(camera.project(_ring(at - turn, radius * 0.93, height)), color * (1 - look.bevel), 201)
        canvas.polygon(camera.project(_ring(at, radius * 0.9, height)), color, 201)
    for r, bright in look.rings:
        canvas.polygon(camera.project(_ring(at, radius * r, height)), color * bright, 201)
    begin = rng.uniform(0, 2 * np.pi)
    for k in range(look.dots):
        turn_at = begin + 2 * np.pi * k / look.dots
        spot = at + 0.55 * radius * np.array([np.cos(turn_at), np.sin(turn_at)])
        canvas.polygon(camera.project(_ring(spot, 0.12, height, 10)), color * 0.5, 201)
    if look.gloss:
        spot = at + rng.uniform(-0.5, 0.5, 2) * radius
        canvas.glow(camera.project(np.array([[*spot, height]]))[0], radius * camera.scale * 0.3, look.gloss * 200)


def draw_box(rng: Rng, canvas: Canvas, reach: float) -> None:
    """Draw a bar or wall that runs through the scene."""
    turn = rng.uniform(0, 2 * np.pi)
    along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    near, wide, high = rng.uniform(0.2, 1.0) * reach, rng.uniform(1.5, 4), rng.uniform(0, 1.2)
    color = any_color(rng)
    foot = [near * across + s * 3 * reach * along for s in (-1, 1)]
    back = [(near + wide) * across + s * 3 * reach * along for s in (1, -1)]
    low = np.array([[*p, 0.0] for p in foot])
    top = np.array([[*p, high] for p in foot])
    canvas.polygon(canvas.camera.project(np.vstack([low, top[::-1]])), color * rng.uniform(0.4, 0.9), 202)
    canvas.polygon(canvas.camera.project(np.vstack([top, [[*p, high] for p in back]])), color, 202)


def _doubling_cube(rng: Rng, canvas: Canvas, reach: float) -> None:
    edge, yaw = rng.uniform(1.2, 2.2), rng.uniform(0, 2 * np.pi)
    axes = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1.0]])
    center = np.array([*rng.uniform(-reach, reach, 2), edge / 2])
    color = any_color(rng)
    ink = np.zeros(3) if color.mean() > 110 else np.ones(3) * 230
    hull = canvas.camera.project(center + edge * rounded_box_hull(0.1) @ axes.T).astype(np.float32)
    canvas.polygon(cv2.convexHull(hull)[:, 0], color * 0.7, 203)
    flat = np.tile(np.clip(color, 0, 255).astype(np.uint8), (64, 64, 1))
    text = str(rng.choice([2, 4, 8, 16, 32, 64]))
    size = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 1.4, 4)[0]
    at = ((64 - size[0]) // 2, (64 + size[1]) // 2)
    cv2.putText(flat, text, at, cv2.FONT_HERSHEY_SIMPLEX, 1.4, ink.tolist(), 4, cv2.LINE_AA)
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 0.46
    for normal, u, v in ((axes[:, 2], axes[:, 0], axes[:, 1]), (axes[:, 0], axes[:, 1], axes[:, 2])):
        corners = canvas.camera.project(center + edge * (normal / 2 + square @ np.stack([u, v]))).astype(
            np.float32
        )
        source = np.array([[0, 0], [63, 0], [63, 63], [0, 63]], np.float32)
        matrix = cv2.getPerspectiveTransform(source, corners)
        size2 = (canvas.camera.size, canvas.camera.size)
        if normal @ (canvas.camera.position - center) > edge / 2:
            face = flat.astype(np.float32)
            cv2.warpPerspective(face, matrix, size2, canvas.image, borderMode=cv2.BORDER_TRANSPARENT)


def clutter(rng: Rng, canvas: Canvas, reach: float) -> None:
    """Now and then add what else lies on boards: the doubling cube, fingers, brass."""
    if rng.random() < 0.12:
        _doubling_cube(rng, canvas, reach)
    if rng.random() < 0.1:
        for _ in range(int(rng.integers(1, 4))):
            ends = np.hstack([rng.uniform(-reach * 1.3, reach * 1.3, (2, 2)), np.full((2, 1), 1.0)])
            a, b = (tuple(int(v) for v in p) for p in canvas.camera.project(ends))
            wide = int(rng.uniform(0.4, 1.6) * canvas.camera.scale)
            color = any_color(rng) if rng.random() < 0.4 else np.array([110, 140, 200]) * rng.uniform(0.3, 1.15)
            cv2.line(canvas.image, a, b, np.clip(color, 0, 255).tolist(), wide, cv2.LINE_AA)
            cv2.line(canvas.ids, a, b, 204, wide)
    if rng.random() < 0.08:
        at = rng.uniform(-reach, reach, 2)
        half = rng.uniform(0.2, 0.7, 2)
        square = np.array([[-1, -1, 0.05], [1, -1, 0.05], [1, 1, 0.05], [-1, 1, 0.05]]) * np.array([*half, 1])
        canvas.polygon(canvas.camera.project(square + np.array([*at, 0])), np.array([60, 170, 210.0]), 205)
