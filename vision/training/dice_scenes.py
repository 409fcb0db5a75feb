"""Small pictures of dice on backgammon boards, drawn with exact truth, to train the dice net on.

A scene is a patch of a board around a few dice: felt or wood, points, checkers, walls, the doubling cube, fingers.
It is drawn through a pinhole camera at the resolution of a real picture, spoiled as a camera does it, and then
rectified like the field, so that top faces are squares again and side faces lie stretched beside them.

World coordinates: edge of a usual die = 1, z up, the playing surface at z = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.shapes import (
    Canvas,
    Color,
    Pinhole,
    any_checkers,
    clutter,
    draw_box,
    draw_checker,
    ground_texture,
    rounded_box_hull,
    rounded_square,
)

TILE_PX = 96
"""Side of a scene."""

DIE_PX = 20.0
"""Edge of a usual die in a scene, on the playing surface."""

PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}
"""Where the pips of a face lie, in units of their distance from its middle lines."""

Floats = NDArray[np.float64]
Rng = np.random.Generator


@dataclass(frozen=True)
class DieTruth:
    """One die of a scene: centre of its top face and edge in pixels of the scene, its value, how it lies."""

    x: float
    y: float
    size: float
    value: int
    cocked: bool
    visible: float


@dataclass(frozen=True)
class DieLook:
    """The make of a set of dice."""

    body: Color
    pip: Color
    ones: Color
    rounding: float
    spread: float
    pip_radius: float
    clear: float
    gloss: float
    rim: float


def any_look(rng: Rng) -> DieLook:
    """Return dice of some make: ivory, black, any color, clear or solid."""
    kind = rng.random()
    if kind < 0.32:
        value = rng.uniform(170, 255)
        body = np.array([value * rng.uniform(0.7, 1.0), value * rng.uniform(0.92, 1.0), value])
    elif kind < 0.6:
        body = rng.uniform(8, 60) * np.ones(3) + rng.uniform(-8, 12, 3)
    else:
        hsv = np.array([[[rng.integers(0, 180), rng.integers(90, 255), rng.integers(50, 240)]]], np.uint8)
        body = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(float)
    bright = float(body @ [0.114, 0.587, 0.299])
    light_pips = bright < 110 or (bright < 150 and rng.random() < 0.5)
    pip = rng.uniform(200, 255) * np.ones(3) if light_pips else rng.uniform(0, 55) * np.ones(3)
    if rng.random() < 0.12:
        pip = np.array([120, 200, 230.0]) if light_pips else rng.uniform(0, 110, 3)
    ones = np.array([30, 30, 190.0]) if not light_pips and rng.random() < 0.12 else pip
    return DieLook(
        np.clip(body, 0, 255),
        pip,
        ones,
        rounding=rng.uniform(0.04, 0.24),
        spread=rng.uniform(0.22, 0.29),
        pip_radius=rng.uniform(0.07, 0.125),
        clear=rng.uniform(0.55, 0.9) if kind >= 0.6 and rng.random() < 0.25 else 1.0,
        gloss=rng.uniform(0, 0.5) if rng.random() < 0.3 else 0.0,
        rim=rng.uniform(0.85, 1.2),
    )


@dataclass(frozen=True)
class Die:
    """A die in the world: centre, rotation (columns are its axes; the third points most upward), edge, faces."""

    center: Floats
    axes: Floats
    edge: float
    top: int
    side: int
    look: DieLook
    cocked: bool

    def face_value(self, axis: int, sign: int) -> int:
        """Return the value on the face that looks along one of the axes; opposite faces sum to seven."""
        third = next(v for v in (1, 2, 3) if v not in (min(self.top, 7 - self.top), min(self.side, 7 - self.side)))
        value = (self.side, third, self.top)[axis]
        return value if sign > 0 else 7 - value


def any_die(rng: Rng, xy: Floats, edge: float, look: DieLook, height: float, cocked: bool) -> Die:
    """Return a die that lies at `xy` on something `height` above the field, flat or leaning."""
    yaw = rng.uniform(0, 2 * np.pi)
    axes = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1.0]])
    lift = height
    if cocked and height == 0.0:
        turn = rng.uniform(0.3, 0.75)
        about = rng.uniform(0, 2 * np.pi)
        axes = cv2.Rodrigues(turn * np.array([np.cos(about), np.sin(about), 0.0]))[0] @ axes
        lift = edge * 0.5 * (np.abs(axes[2]).sum() - 1)
    top = int(rng.integers(1, 7))
    side = int(rng.choice([v for v in range(1, 7) if v not in (top, 7 - top)]))
    return Die(np.array([*xy, lift + edge / 2]), axes, edge, top, side, look, cocked)


def draw_die(canvas: Canvas, die: Die, number: int, light: Floats, ambient: float) -> None:
    """Draw one die with its visible faces and their pips; its top face gets `number` in the id picture."""
    look, camera = die.look, canvas.camera
    before = canvas.image.copy() if look.clear < 1 else None
    hull = camera.project(die.center + die.edge * rounded_box_hull(look.rounding) @ die.axes.T)
    shades = []
    for axis in range(3):
        for sign in (1, -1):
            normal = sign * die.axes[:, axis]
            if normal @ (camera.position - die.center - normal * die.edge / 2) > 0:
                shades.append((axis, sign, normal, ambient + (1 - ambient) * max(0.0, float(normal @ light))))
    mean = sum(s[3] for s in shades) / len(shades)
    canvas.polygon(cv2.convexHull(hull.astype(np.float32))[:, 0], look.body * mean * look.rim, 200)
    for axis, sign, normal, shade in shades:
        u, v = die.axes[:, (axis + 1) % 3], die.axes[:, (axis + 2) % 3]
        middle = die.center + normal * die.edge / 2
        frame = np.stack([u, v]) * die.edge
        outline = _face_outline(look)
        top = axis == 2 and sign > 0
        canvas.polygon(camera.project(middle + outline @ frame), look.body * shade, number if top else 200)
        _draw_pips(canvas, die.face_value(axis, sign), middle, frame, look, shade)
    if before is not None:
        canvas.image[:] = look.clear * canvas.image + (1 - look.clear) * before
    if look.gloss:
        spot = camera.project(
            die.center[None] + die.axes[:, 2] * die.edge / 2 + 0.3 * (die.axes[:, 0] + light * 0.3)
        )
        canvas.glow(spot[0], die.edge * camera.scale * 0.3, look.gloss * 255)


def _face_outline(look: DieLook) -> Floats:
    """Return the flat part of a face of edge 1; what is round around it shows the light of two faces."""
    return rounded_square(0.5 - 0.45 * look.rounding, min(0.45, look.rounding * 1.3))


def _draw_pips(canvas: Canvas, value: int, middle: Floats, frame: Floats, look: DieLook, shade: float) -> None:
    angle = np.linspace(0, 2 * np.pi, 14, endpoint=False)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1) * look.pip_radius * (1.35 if value == 1 else 1.0)
    color = look.ones if value in (1, 4) else look.pip
    for place in PIPS[value]:
        points = middle + (np.array(place) * look.spread + circle) @ frame
        canvas.polygon(canvas.camera.project(points), color * (0.25 + 0.75 * shade), None)


def draw_scene(rng: Rng) -> tuple[NDArray[np.uint8], list[DieTruth]]:
    """Return a rectified scene, shape ``(TILE_PX, TILE_PX, 3)`` BGR, and the dice in it."""
    reach = TILE_PX / DIE_PX / 2
    camera = any_camera(rng, reach)
    canvas = Canvas.of(camera)
    light, ambient = any_light(rng)
    canvas.ground(ground_texture(rng), reach * 2.2)
    dice = _place(rng, canvas, reach, light, ambient)
    picture = spoil(rng, canvas.shrunk())
    tile = rectified(picture, camera, reach)
    truths = []
    for number, die in enumerate(dice, start=1):
        top = die.center + die.axes[:, 2] * die.edge / 2
        square = top + die.edge * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2 @ die.axes[:, :2].T
        at = camera.to_tile(np.vstack([top, square]), reach, TILE_PX)
        size = float(np.sqrt(abs(cv2.contourArea(at[1:].astype(np.float32)))))
        whole = np.zeros(canvas.ids.shape, np.uint8)
        outline = top + die.edge * _face_outline(die.look) @ die.axes[:, :2].T
        cv2.fillPoly(whole, [np.round(camera.project(outline)).astype(np.int32)], 1)
        visible = float(((canvas.ids == number) & (whole > 0)).sum() / max(1, whole.sum()))
        truths.append(DieTruth(at[0, 0], at[0, 1], size, die.top, die.cocked, min(1.0, visible)))
    return tile, truths


def any_camera(rng: Rng, reach: float) -> Pinhole:
    """Return a camera that looks at the scene from 28 to 75 dice away, up to 62 degrees off the vertical."""
    tilt = np.deg2rad(rng.uniform(20, 62) if rng.random() < 0.6 else rng.uniform(0, 25))
    scale = float(np.exp(rng.uniform(np.log(10.5), np.log(30))))
    return Pinhole.looking_at(tilt, rng.uniform(0, 2 * np.pi), rng.uniform(28, 75), scale, reach)


def any_light(rng: Rng) -> tuple[Floats, float]:
    """Return the direction towards the lamp and the share of light that comes from everywhere."""
    high, around = np.deg2rad(rng.uniform(25, 88)), rng.uniform(0, 2 * np.pi)
    light = np.array([np.cos(high) * np.cos(around), np.cos(high) * np.sin(around), np.sin(high)])
    return light, float(rng.uniform(0.25, 0.8))


def _place(rng: Rng, canvas: Canvas, reach: float, light: Floats, ambient: float) -> list[Die]:
    """Put checkers, walls, dice and clutter on the canvas; return the dice in the order of their ids."""
    edge = float(rng.uniform(0.82, 1.2))
    looks = [any_look(rng), any_look(rng)]
    radius, high = rng.uniform(1.1, 1.5), rng.uniform(0.5, 0.75)
    makes = [any_checkers(rng), any_checkers(rng)]
    checkers = any_columns(rng, reach, radius)
    things: list[tuple[float, Any]] = []
    if rng.random() < 0.2:
        draw_box(rng, canvas, reach)
    for at in checkers:
        canvas.shadow(at, radius, high, light)
        make = makes[int(rng.random() < 0.2)]
        draw = partial(draw_checker, rng, canvas, at, radius, high, ambient, light, make)
        things.append((canvas.camera.depth(at), draw))
    dice: list[Die] = []
    for _ in range(rng.choice([0, 1, 2, 2, 3, 3])):
        die = _next_die(rng, reach, edge, looks, checkers, radius, high, dice)
        if die is not None:
            dice.append(die)
            canvas.shadow(die.center[:2], die.edge * 0.55, die.center[2] + edge / 2, light)
    for number, die in enumerate(dice, start=1):
        lift = 20.0 if die.cocked else 0.0  # what lies on a checker is drawn after it
        order = canvas.camera.depth(die.center[:2]) - lift
        things.append((order, partial(draw_die, canvas, die, number, light, ambient)))
    canvas.cast_shadows(rng)
    for _, paint in sorted(things, key=lambda thing: -thing[0]):
        paint()
    clutter(rng, canvas, reach)
    return dice


def any_columns(rng: Rng, reach: float, radius: float) -> list[Floats]:
    """Return the places of checkers: none, a few, or columns of them that touch."""
    kind = rng.random()
    if kind < 0.3:
        return []
    if kind < 0.6:
        return [rng.uniform(-reach - 1, reach + 1, 2) for _ in range(rng.choice([1, 2, 4]))]
    turn = rng.uniform(0, 2 * np.pi)
    along = np.array([np.cos(turn), np.sin(turn)])
    across = np.array([-along[1], along[0]])
    begin = rng.uniform(-reach, reach, 2)
    return [
        begin + (2.02 * k * along + 2.1 * c * across) * radius + rng.normal(0, 0.04, 2)
        for c in range(int(rng.integers(1, 4)))
        for k in range(int(rng.integers(1, 5)))
    ]


def _next_die(
    rng: Rng,
    reach: float,
    edge: float,
    looks: list[DieLook],
    checkers: list[Floats],
    radius: float,
    high: float,
    dice: list[Die],
) -> Die | None:
    """Return one more die that touches no other and no checker, or leans or lies on one on purpose."""
    look = looks[0] if rng.random() < 0.75 else looks[1]
    if checkers and rng.random() < 0.12:
        base = checkers[int(rng.integers(len(checkers)))]
        return any_die(rng, base + rng.uniform(-0.5, 0.5, 2) * radius, edge, look, high, True)
    for _ in range(12):
        xy = rng.uniform(-reach + 0.3, reach - 0.3, 2)
        if dice and rng.random() < 0.35:
            around = rng.uniform(0, 2 * np.pi)
            xy = dice[-1].center[:2] + rng.uniform(1.0, 1.5) * edge * np.array([np.cos(around), np.sin(around)])
        free = all(np.hypot(*(xy - c)) > radius + 0.55 * edge for c in checkers)
        if free and all(np.hypot(*(xy - d.center[:2])) > 1.02 * edge for d in dice):
            return any_die(rng, xy, edge, look, 0.0, bool(rng.random() < 0.08))
    return None


def spoil(rng: Rng, image: Floats) -> NDArray[np.uint8]:
    """Return the picture as a camera gives it: exposure, cast, shade, blur, noise, sharpening, JPEG."""
    h, w = image.shape[:2]
    x = image.astype(np.float32)
    if rng.random() < 0.3:
        across = np.linspace(-1, 1, w)[None] * rng.normal() + np.linspace(-1, 1, h)[:, None] * rng.normal()
        edge = 1 / (1 + np.exp(np.clip(-(across - rng.normal() * 0.3) * rng.uniform(2, 60), -50, 50)))
        x *= (1 - rng.uniform(0.2, 0.65) * edge)[..., None].astype(np.float32)
    x *= np.float32(rng.uniform(0.85, 1.15, 3)) * np.float32(np.exp(rng.uniform(-0.7, 0.3)))
    x = cv2.GaussianBlur(x, (0, 0), float(rng.uniform(0.25, 0.85 if rng.random() < 0.85 else 1.3)))
    if rng.random() < 0.3:
        x += rng.uniform(0.3, 1.0) * (x - cv2.GaussianBlur(x, (0, 0), 1.2))
    x += rng.normal(0, rng.choice([1.0, 3.0, 7.0, 14.0], p=[0.4, 0.35, 0.17, 0.08]), x.shape)
    x8 = np.clip(x, 0, 255).astype(np.uint8)
    if rng.random() < 0.8:
        quality = int(rng.integers(55, 96))
        x8 = cv2.imdecode(cv2.imencode(".jpg", x8, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)
    return np.asarray(x8, np.uint8)


def rectified(picture: NDArray[np.uint8], camera: Pinhole, reach: float) -> NDArray[np.uint8]:
    """Return the playing surface of the scene from straight above."""
    matrix = camera.plane_to_tile(reach, TILE_PX) @ np.linalg.inv(camera.shrunk_plane())
    size = (TILE_PX, TILE_PX)
    flat = cv2.warpPerspective(picture, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, np.uint8)
