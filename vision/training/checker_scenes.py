"""Small pictures of checkers on backgammon boards, drawn with exact truth, to train the checker net on.

A scene is a patch of a board: a row of points along a rim, columns of checkers on them, now and then dice, the
doubling cube, a hand. It is drawn through a pinhole camera, spoiled as a camera does it, and rectified like the
field. World coordinates: edge of a usual die = 1, z up, the playing surface at z = 0, the rim along x.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.dice_scenes import any_die, any_light, any_look, draw_die, spoil
from vision.training.shapes import (
    Canvas,
    CheckerLook,
    Color,
    Pinhole,
    any_checkers,
    any_color,
    clutter,
    draw_checker,
)

TILE_PX = 128
"""Side of a scene."""

COLUMN_PX = 25.0
"""Width of a column in a scene."""

COLUMN = 2.65
"""Width of a column in edges of a die."""

REACH = TILE_PX / COLUMN_PX * COLUMN / 2
"""Half the side of a scene."""

FOREIGN = 250
"""Mark of a hand in the id picture."""

Floats = NDArray[np.float64]
Rng = np.random.Generator


@dataclass(frozen=True)
class CheckerTruth:
    """One checker of a scene: where its top is seen, pixels, and the share of it that is seen."""

    x: float
    y: float
    visible: float


def draw_scene(rng: Rng) -> tuple[NDArray[np.uint8], list[CheckerTruth], NDArray[np.float32]]:
    """Return a rectified scene, the checkers in it, and the share of each 4x4 px cell that a hand hides."""
    tilt = np.deg2rad(rng.uniform(0, 52) if rng.random() < 0.6 else rng.uniform(0, 22))
    scale = float(np.exp(rng.uniform(np.log(7.5), np.log(14))))
    camera = Pinhole.looking_at(tilt, rng.uniform(0, 2 * np.pi), rng.uniform(32, 95), scale, REACH)
    canvas = Canvas.of(camera)
    light, ambient = any_light(rng)
    rim = float(rng.uniform(-1.1, 0.2) * REACH)
    ground, colors = board_texture(rng, rim)
    canvas.ground(ground, REACH * 2.2)
    tops, radius = _place(rng, canvas, rim, colors, light, ambient)
    if rng.random() < 0.25:
        draw_hand(rng, canvas)
    picture = spoil(rng, canvas.shrunk())
    tile = rectified(picture, camera, cv2.INTER_LINEAR)
    ids = canvas.ids[::3, ::3]
    hand = rectified((ids == FOREIGN).astype(np.uint8) * 255, camera, cv2.INTER_LINEAR)
    cells = cv2.resize(hand, (TILE_PX // 4, TILE_PX // 4), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    return tile, [_truth(canvas, number, top, radius) for number, top in enumerate(tops, start=1)], cells


def _truth(canvas: Canvas, number: int, top: Floats, radius: float) -> CheckerTruth:
    at = canvas.camera.to_tile(top[None], REACH, TILE_PX)[0]
    whole = np.zeros(canvas.ids.shape, np.uint8)
    cv2.fillConvexPoly(whole, np.round(canvas.camera.project(circle(top, radius))).astype(np.int32), 1)
    seen = float(((canvas.ids == number) & (whole > 0)).sum() / max(1, whole.sum()))
    return CheckerTruth(float(at[0]), float(at[1]), seen)


def circle(center: Floats, radius: float) -> Floats:
    """Return points on a level circle."""
    angle = np.linspace(0, 2 * np.pi, 28, endpoint=False)
    return np.stack([np.cos(angle) * radius, np.sin(angle) * radius, 0 * angle], axis=1) + center


def rectified(picture: NDArray[np.uint8], camera: Pinhole, how: int) -> NDArray[np.uint8]:
    """Return the playing surface of the scene from straight above."""
    matrix = camera.plane_to_tile(REACH, TILE_PX) @ np.linalg.inv(camera.shrunk_plane())
    size = (TILE_PX, TILE_PX)
    return np.asarray(
        cv2.warpPerspective(picture, matrix, size, flags=how, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def grain(rng: Rng, n: int, strength: float) -> NDArray[np.float32]:
    """Return a factor for each pixel that makes felt, cork or wood of a plain color."""
    cells = np.exp(rng.uniform(np.log(4), np.log(n), 2)).astype(int)
    noise = rng.normal(0, 1, (cells[0], cells[1])).astype(np.float32)
    return np.asarray(1 + strength * cv2.resize(noise, (n, n), interpolation=cv2.INTER_LINEAR), np.float32)


def near_color(rng: Rng, color: Color, by: float) -> Color:
    """Return a color that differs little from another."""
    return np.asarray(np.clip(color * np.exp(rng.normal(0, by, 3)) * np.exp(rng.normal(0, by)), 0, 255))


def board_texture(rng: Rng, rim: float, n: int = 384) -> tuple[NDArray[np.float32], list[Color]]:
    """Return the playing surface about a scene, and its colors: surface and the two kinds of points."""
    surface = any_color(rng)
    contrast = rng.random() < 0.25
    kinds = [near_color(rng, surface, 0.25) if contrast else any_color(rng) for _ in range(2)]
    image = np.ones((n, n, 3), np.float32) * surface.astype(np.float32)
    unit = n / (2 * REACH * 2.2)
    middle = n / 2
    length, half = rng.uniform(3.6, 4.9) * COLUMN, rng.uniform(0.38, 0.5) * COLUMN
    phase = rng.uniform(-0.5, 0.5) * COLUMN if rng.random() < 0.2 else 0.0
    outline = any_color(rng) if rng.random() < 0.25 else None
    mark = any_color(rng) if rng.random() < 0.12 else None
    for column in range(-5, 6):
        x = column * COLUMN + phase
        points = (
            np.array([[x - half, rim], [x + half, rim], [x + rng.normal(0, 0.03), rim + length]]) * unit + middle
        )
        fixed = [np.round(points * 16).astype(np.int32)]
        cv2.fillPoly(image, fixed, kinds[column % 2].tolist(), cv2.LINE_AA, 4)
        if outline is not None:
            cv2.polylines(image, fixed, True, outline.tolist(), int(rng.integers(1, 3)), cv2.LINE_AA, 4)
        if mark is not None:
            at = np.round(points[2] if rng.random() < 0.8 else points.mean(axis=0)).astype(int)
            cv2.circle(image, (int(at[0]), int(at[1])), int(rng.uniform(0.1, 0.5) * unit), mark.tolist(), -1)
    for _ in range(int(rng.integers(1, 3))):
        image *= grain(rng, n, float(rng.choice([0.02, 0.06, 0.12])))[..., None]
    return np.clip(image, 0, 255), [surface, *kinds]


def _looks(rng: Rng, colors: list[Color]) -> list[CheckerLook]:
    """Return the make of both sides' checkers; now and then they are colored like the board."""
    make = any_checkers(rng)
    looks = []
    for _ in range(2):
        look = any_checkers(rng) if rng.random() < 0.2 else make
        color = any_color(rng)
        if rng.random() < 0.35:
            color = near_color(rng, colors[int(rng.integers(3))], float(rng.choice([0.05, 0.15])))
        looks.append(CheckerLook(color, look.rings, look.dots, look.bevel, look.gloss))
    return looks


def _place(
    rng: Rng, canvas: Canvas, rim: float, colors: list[Color], light: Floats, ambient: float
) -> tuple[list[Floats], float]:
    """Paint rim, checkers, dice and clutter; return the centres of the tops by id, and the radius."""
    radius, high = COLUMN * rng.uniform(0.44, 0.495), COLUMN * rng.uniform(0.16, 0.27)
    looks = _looks(rng, colors)
    wall = partial(draw_wall, rng, canvas, rim, any_color(rng), float(rng.uniform(0.0, 0.45) * COLUMN))
    behind = canvas.camera.position[1] > rim
    if behind:
        wall()
    feet = any_points(rng, rim, radius)
    things: list[tuple[float, Any]] = []
    tops = []
    for number, (foot, lift, side) in enumerate(feet, start=1):
        if lift == 0.0:
            canvas.shadow(foot, radius, high, light)
        tops.append(np.array([*foot, lift + high]))
        paint = partial(_checker, rng, canvas, tops[-1], radius, high, ambient, light, looks[side], number)
        things.append((canvas.camera.depth(foot) - 30 * lift, paint))
    edge, make = float(rng.uniform(0.85, 1.2)), any_look(rng)
    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        xy = rng.uniform(-REACH, REACH, 2)
        if all(np.hypot(*(xy - foot)) > radius + 0.6 * edge for foot, _, _ in feet):
            die = any_die(rng, xy, edge, make, 0.0, False)
            canvas.shadow(xy, edge * 0.55, edge, light)
            things.append((canvas.camera.depth(xy), partial(draw_die, canvas, die, 240, light, ambient)))
    canvas.cast_shadows(rng)
    for _, paint in sorted(things, key=lambda thing: -thing[0]):
        paint()
    if rng.random() < 0.3:
        veins = cv2.resize(grain(rng, 256, float(rng.uniform(0.03, 0.12))), canvas.ids.shape[::-1])
        canvas.image *= np.where((canvas.ids > 0) & (canvas.ids < 200), veins, 1)[..., None]
    if not behind:
        wall()
    clutter(rng, canvas, REACH)
    return tops, radius


def _checker(
    rng: Rng,
    canvas: Canvas,
    top: Floats,
    radius: float,
    high: float,
    ambient: float,
    light: Floats,
    look: CheckerLook,
    number: int,
) -> None:
    """Draw one checker, on the field or on another one, and mark what it covers with its number."""
    lifted = Lifted(canvas, float(top[2] - high))
    draw_checker(rng, lifted, top[:2], radius, high, ambient, light, look)
    body = np.vstack([circle(top, radius), circle(top - np.array([0, 0, high]), radius)])
    hull = cv2.convexHull(canvas.camera.project(body).astype(np.float32))[:, 0]
    cv2.fillConvexPoly(canvas.ids, np.round(hull).astype(np.int32), 199)
    rim = np.round(canvas.camera.project(circle(top, radius))).astype(np.int32)
    cv2.fillConvexPoly(canvas.ids, rim, number)


class Lifted(Canvas):
    """A canvas whose world is lifted: what is drawn on its field lies higher up."""

    def __init__(self, canvas: Canvas, by: float) -> None:
        self.image, self.ids, self.shade = canvas.image, canvas.ids, canvas.shade
        camera = canvas.camera
        column = camera.matrix[:, 3] + by * camera.matrix[:, 2]
        matrix = np.column_stack([camera.matrix[:, :3], column])
        self.camera = Pinhole(camera.position, matrix, camera.scale, camera.size)


def any_points(rng: Rng, rim: float, radius: float) -> list[tuple[Floats, float, int]]:
    """Return foot, lift above the field and side of the checkers of a scene."""
    out: list[tuple[Floats, float, int]] = []
    if rng.random() < 0.08:
        return out
    pitch = radius * rng.uniform(2.0, 2.12)
    gap = rng.uniform(-0.02, 0.12) * COLUMN
    loose = float(rng.choice([0.02, 0.05, 0.1])) * COLUMN
    crowd = rng.uniform(0.25, 0.8)
    sides = rng.random()
    for column in range(-4, 5):
        if rng.random() > crowd:
            continue
        side = int(rng.random() < sides)
        count = int(rng.choice([1, 2, 3, 4, 5, 6, 8], p=[0.2, 0.27, 0.2, 0.12, 0.15, 0.04, 0.02]))
        for k in range(count):
            layer, place = (k // 5, k % 5) if count > 5 and sides < 0.6 else (0, k)
            foot = np.array([column * COLUMN, rim + gap + radius + place * pitch]) + rng.normal(0, loose, 2) * 0.5
            out.append((foot, layer * 0.22 * COLUMN, side))
    if rng.random() < 0.15:
        out.append(
            (rng.uniform(-REACH, REACH, 2), float(rng.choice([0.0, 0.4 * COLUMN])), int(rng.random() < 0.5))
        )
    return [c for c in out if np.abs(c[0]).max() < 1.35 * REACH][:190]


def draw_wall(rng: Rng, canvas: Canvas, rim: float, color: Color, high: float) -> None:
    """Draw the frame beyond the rim; its top is `high` above the field."""
    wide = rng.uniform(0.5, 1.5) * COLUMN
    far = 3 * REACH
    low = np.array([[-far, rim, 0], [far, rim, 0]])
    top = np.array([[-far, rim, high], [far, rim, high]])
    back = np.array([[far, rim - wide, high], [-far, rim - wide, high]])
    canvas.polygon(canvas.camera.project(np.vstack([low, top[::-1]])), color * rng.uniform(0.3, 0.9), 230)
    canvas.polygon(canvas.camera.project(np.vstack([top, back])), color, 230)
    outside = np.array([[far, rim - 9 * COLUMN, 0], [-far, rim - 9 * COLUMN, 0]])
    canvas.polygon(canvas.camera.project(np.vstack([back[::-1], outside])), any_color(rng), 230)


def draw_hand(rng: Rng, canvas: Canvas) -> None:
    """Draw an arm, the back of a hand and fingers that come in from outside."""
    skin = np.array([95, 135, 200.0]) * np.exp(rng.normal(0, 0.12, 3)) * rng.uniform(0.3, 1.2)
    sleeve = any_color(rng)
    scale = canvas.camera.scale
    inward = rng.uniform(0, 2 * np.pi)
    toward = np.array([np.cos(inward), np.sin(inward)])
    aside = np.array([-toward[1], toward[0]])
    palm = rng.uniform(-0.8, 0.8, 2) * REACH
    start = palm - toward * 4 * REACH
    wrist = palm - toward * rng.uniform(2.2, 5.0)

    def line(a: Floats, b: Floats, wide: float, color: Color) -> None:
        ends = canvas.camera.project(np.array([[*a, 1.2], [*b, 0.8]]))
        (ax, ay), (bx, by) = np.round(ends).astype(int).tolist()
        thick = max(2, int(wide * scale))
        cv2.line(canvas.image, (ax, ay), (bx, by), np.clip(color, 0, 255).tolist(), thick, cv2.LINE_AA)
        cv2.line(canvas.ids, (ax, ay), (bx, by), FOREIGN, thick)

    wide = float(rng.uniform(2.6, 4.5))
    line(start, wrist, wide, sleeve)
    line(wrist, palm, wide * 0.95, skin)
    for k in range(int(rng.integers(1, 6))):
        base = palm + aside * (k - 2) * wide * 0.22
        tip = base + toward * rng.uniform(1.5, 4.5) + aside * rng.normal(0, 0.8)
        line(base, tip, float(rng.uniform(0.8, 1.2)), skin * rng.uniform(0.85, 1.1))
    shine = cv2.GaussianBlur(grain(rng, 128, 0.2), (0, 0), 3)
    veil = cv2.resize(shine, canvas.ids.shape[::-1])
    canvas.image *= np.where(canvas.ids == FOREIGN, veil, 1)[..., None]
