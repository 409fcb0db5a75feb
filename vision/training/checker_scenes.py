"""Small pictures of checkers on backgammon boards, made with exact truth, to train the checker net on.

A scene is a patch of a board: a row of points along a rim, columns of checkers on them, perhaps the bar or the end
of the board, now and then dice, the doubling cube, and often something that hides it all (`things`). It is built
as a relief (`relief`), seen at a slant, spoiled as a camera does it, and rectified like the field. Lengths are
pixels of the plan, `FINE` to one of the scene.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.relief import FINE, Eye, Light, Plane, Relief, lit, seen
from vision.training.shapes import Color, any_color
from vision.training.textures import KINDS, levels, part
from vision.training.things import draw_foreign

TILE_PX = 128
"""Side of a scene."""

COLUMN_PX = 25.0
"""Width of a column in a scene, give or take."""

MARGIN = 28
"""What the plan holds around the scene, pixels of the scene: what is high leans in from there."""

EDGE = 6
"""What the camera sees around the scene, pixels of the scene."""

FOREIGN = 250
"""Mark on the plan of what hides the board: a hand, a cup, whatever else."""

HIDING = 0.42
"""Share of the scenes in which something hides the board."""

CHECKERS = 190
"""Checkers are marked with 1 up to this."""

SIDE = int((TILE_PX + 2 * MARGIN) * FINE)
"""Width of the plan."""

COLUMN = COLUMN_PX * FINE
"""Usual width of a column on the plan."""

Floats = NDArray[np.float64]
Rng = np.random.Generator


@dataclass(frozen=True)
class CheckerTruth:
    """One checker of a scene: where its top is seen, pixels, and the share of it that is seen."""

    x: float
    y: float
    visible: float


@dataclass(frozen=True)
class Make:
    """The make of one side's checkers.

    Attributes:
        color: of the top.
        grain: color that its texture mixes in, by `mix`.
        texture: kind of its texture; it lies another way on each checker.
        mix: how strongly the texture shows.
        side: brightness of the side wall against the top.
        edge: how wide the edge is rounded, in radii.
        round_by: how much the edge falls, in heights.
        dish: how deep the top is hollow, negative where it bulges, in heights.
        rings: turned rings: radius in radii, depth in heights, brightness.
        dots: ornaments on a ring.
        shine, rough: how it mirrors.
        uneven: how much checkers of this make differ in brightness.
    """

    color: Color
    grain: Color
    texture: str
    mix: float
    side: float
    edge: float
    round_by: float
    dish: float
    rings: tuple[tuple[float, float, float], ...]
    dots: int
    shine: float
    rough: float
    uneven: float


@dataclass(frozen=True)
class Piece:
    """One checker: middle of its foot, height of its foot there, rise per pixel of its top, side."""

    x: float
    y: float
    foot: float
    rise: tuple[float, float]
    side: int


@dataclass(frozen=True, eq=False)
class Patch:
    """The board of a scene: width of a column, middles of the columns, where the rim is, sizes and colors."""

    column: float
    middles: tuple[float, ...]
    rim: float
    bar: tuple[float, float] | None
    wall: float
    bar_high: float
    radius: float
    thick: float
    colors: tuple[Color, ...]


def draw_scene(rng: Rng) -> tuple[NDArray[np.uint8], list[CheckerTruth], NDArray[np.float32]]:
    """Return a rectified scene, the checkers in it, and what share of each 4x4 px cell is hidden."""
    tilt = np.deg2rad(rng.uniform(0, 58) if rng.random() < 0.6 else rng.uniform(0, 25))
    column = COLUMN * float(np.exp(rng.uniform(-0.12, 0.12)))
    eye = Eye.over(SIDE, tilt, rng.uniform(0, 2 * np.pi), rng.uniform(11, 34) * column)
    light = Light.any(rng)
    relief = Relief(SIDE)
    patch = draw_board(rng, relief, column)
    makes = any_makes(rng, patch)
    pieces = any_pieces(rng, patch)
    for number, piece in enumerate(pieces, start=1):
        draw_checker(rng, relief, piece, makes[piece.side], patch, number)
    _things(rng, relief, patch, pieces)
    held = draw_foreign(rng, relief, FOREIGN) if rng.random() < HIDING else None
    if held is not None:
        piece = Piece(held[0], held[1], held[2], (rng.normal(0, 0.3), rng.normal(0, 0.3)), int(rng.integers(2)))
        draw_checker(rng, relief, piece, makes[piece.side], patch, CHECKERS + 1)
    rays = seen(relief, eye, int((MARGIN - EDGE) * FINE), int((TILE_PX + 2 * EDGE) * FINE))
    picture = lit(relief, rays, eye, light, sun(rng), float(rng.uniform(0.6, 1.6)))
    tile = photographed(rng, picture, tilt, column)
    inner = slice(int(EDGE * FINE), int((EDGE + TILE_PX) * FINE))
    ids = rays.exactly(relief.ids)[inner, inner]
    hand = (ids == FOREIGN).astype(np.float32)
    cells = cv2.resize(hand, (TILE_PX // 4, TILE_PX // 4), interpolation=cv2.INTER_AREA)
    z = rays.z[inner, inner]
    truth = [_truth(eye, ids, z, number, piece, patch) for number, piece in enumerate(pieces, start=1)]
    if held is not None:
        at = (eye.on_field(np.array([held]))[0] + 0.5) / FINE - 0.5 - MARGIN
        truth.append(CheckerTruth(float(at[0]), float(at[1]), 0.0))
    return tile, truth, np.asarray(cells, np.float32)


def _truth(eye: Eye, ids: NDArray[np.uint8], z: Plane, number: int, piece: Piece, patch: Patch) -> CheckerTruth:
    top = piece.foot + patch.thick
    at = (eye.on_field(np.array([[piece.x, piece.y, top]]))[0] + 0.5) / FINE - 0.5 - MARGIN
    whole = np.pi * (patch.radius * eye.grown(top)) ** 2
    level = top - 0.5 * patch.thick if piece.rise == (0.0, 0.0) else 0.0
    window = tuple(slice(max(0, int((v - 20) * FINE)), max(0, int((v + 20) * FINE))) for v in (at[1], at[0]))
    covered = int(((ids[window] == number) & (z[window] > level)).sum())
    return CheckerTruth(float(at[0]), float(at[1]), min(1.0, covered / whole))


STUFFS = np.array(
    [
        (225, 238, 245), (200, 222, 240), (165, 200, 225), (115, 165, 205), (95, 145, 195), (60, 105, 160),
        (45, 75, 120), (30, 50, 85), (35, 45, 110), (25, 25, 27), (45, 42, 40), (75, 75, 78), (130, 130, 130),
        (185, 185, 185), (45, 95, 35), (85, 95, 25), (95, 55, 25), (185, 115, 60), (45, 25, 105), (40, 35, 185),
        (110, 45, 80), (60, 110, 110),
    ],
    float,
)  # fmt: skip
"""What boards and checkers are made of, BGR: ivory, cream, maple, oak, walnut, black, gray, cloth and leather."""


def some_color(rng: Rng) -> Color:
    """Return a color of a board or checker: of a usual material, or any."""
    if rng.random() < 0.4:
        return any_color(rng)
    return near_color(rng, STUFFS[int(rng.integers(len(STUFFS)))], 0.1)


def near_color(rng: Rng, color: Color, by: float) -> Color:
    """Return a color that differs little from another."""
    return np.asarray(np.clip(color * np.exp(rng.normal(0, by, 3)) * np.exp(rng.normal(0, by)), 3, 255))


def _stuff(
    rng: Rng, color: Color, kind: str, high: int, wide: int, strength: float, turned: bool = False
) -> Plane:
    """Return a patch of some material of a color."""
    grain = np.linspace(-3, 3, 256)[:, None]
    other = near_color(rng, color, 0.25)
    mixed = color + (other - color) * np.clip(0.5 * grain, -1, 1) * min(1.0, 3 * strength)
    shades = np.clip(mixed * (1 + strength * grain), 2, 255).astype(np.float32)
    return np.take(shades, levels(rng, kind, high, wide, turned), axis=0)


GROUNDS = ("wood", "planks", "felt", "leather", "cork", "cloud")
"""What boards are made of."""


def draw_board(rng: Rng, relief: Relief, column: float) -> Patch:
    """Draw surface, points, rim and perhaps bar or end of a board."""
    side = relief.side
    rim = side / 2 + rng.uniform(-1.15, -0.2) * TILE_PX / 2 * FINE
    phase = rng.uniform(-0.5, 0.5) * column
    bar = None
    end = rng.random() < 0.2
    middle = side * rng.uniform(0.6, 0.9) if end else side / 2 + phase
    if end or rng.random() < 0.4:
        wide = rng.uniform(0.35, 1.5) * column
        bar = (middle - wide / 2, middle + wide / 2)
        right = [bar[1] + (k + 0.5) * column for k in range(0 if end else 6)]
        middles = [bar[0] - (k + 0.5) * column for k in range(6)] + right
        if end:
            bar = (bar[0], float(side))
    else:
        middles = [middle + k * column for k in range(-5, 6)]
    radius, thick = column * rng.uniform(0.425, 0.497), column * rng.uniform(0.13, 0.34)
    wall = column * (rng.uniform(0.0, 0.75) if rng.random() < 0.85 else 0.0)
    bar_high = wall * rng.uniform(0, 1.1)
    surface = some_color(rng)
    faint = rng.random() < 0.25
    kinds = [near_color(rng, surface, 0.25) if faint else some_color(rng) for _ in range(2)]
    frame = near_color(rng, surface, 0.3) if rng.random() < 0.4 else some_color(rng)
    patch = Patch(
        column, tuple(sorted(middles)), rim, bar, wall, bar_high, radius, thick, (surface, *kinds, frame)
    )
    _surface(rng, relief, patch)
    _frame(rng, relief, patch)
    return patch


def _surface(rng: Rng, relief: Relief, patch: Patch) -> None:
    surface, *kinds, _ = patch.colors
    kind = str(rng.choice(GROUNDS))
    strength = float(rng.choice([0.02, 0.04, 0.08, 0.14]))
    turned = bool(rng.random() < 0.5)
    relief.color[:] = _stuff(rng, surface, kind, relief.side, relief.side, strength, turned)
    _points(rng, relief, patch, kinds, kind, strength)
    if rng.random() < 0.6:
        relief.color *= (1 + np.float32(strength * 0.6) * part(rng, kind, relief.side, relief.side, turned))[
            ..., None
        ]
    relief.shine[:] = rng.uniform(0.2, 1.0) if rng.random() < 0.35 else 0.0
    relief.rough[:] = rng.uniform(0.08, 0.6)
    if kind in ("felt", "leather", "cork"):
        relief.bump += np.float32(rng.uniform(0.0, 0.35)) * part(rng, kind, relief.side, relief.side, turned)
    if rng.random() < 0.2:
        _logo(rng, relief.color, (rng.uniform(0, relief.side), patch.rim + rng.uniform(1, 7) * patch.column))


def _points(rng: Rng, relief: Relief, patch: Patch, kinds: list[Color], kind: str, strength: float) -> None:
    """Draw the points, each of its own piece of material."""
    column = patch.column
    length, half = rng.uniform(3.4, 4.9) * column, rng.uniform(0.36, 0.5) * column
    gap = rng.uniform(0.02, 0.2) * column if rng.random() < 0.25 else -2.0
    outline = some_color(rng) if rng.random() < 0.25 else None
    mark = some_color(rng) if rng.random() < 0.12 else None
    own = str(rng.choice(GROUNDS)) if rng.random() < 0.4 else kind
    same = (
        _stuff(rng, kinds[0], own, relief.side, relief.side, strength),
        _stuff(rng, kinds[1], own, relief.side, relief.side, strength),
    )
    cover = np.zeros(relief.height.shape, np.float32)
    for index, x in enumerate(patch.middles):
        base = patch.rim + gap
        corners = np.array([[x - half, base], [x + half, base], [x + rng.normal(0, 0.6), base + length]])
        fixed = [np.round(corners * 16).astype(np.int32)]
        cover[:] = 0
        cv2.fillPoly(cover, fixed, 1.0, cv2.LINE_AA, 4)
        at = (
            slice(max(0, int(base)), max(1, int(base + length) + 2)),
            slice(max(0, int(x - half) - 1), max(0, int(x + half) + 2)),
        )
        share = cover[at][..., None]
        relief.color[at] += share * (same[index % 2][at] * np.float32(rng.uniform(0.93, 1.07)) - relief.color[at])
        if outline is not None:
            cv2.polylines(relief.color, fixed, True, outline.tolist(), int(rng.integers(1, 4)), cv2.LINE_AA, 4)
        if mark is not None:
            spot = np.round(corners[2] if rng.random() < 0.8 else corners.mean(axis=0)).astype(int)
            size = int(rng.uniform(0.08, 0.42) * column)
            cv2.circle(relief.color, (int(spot[0]), int(spot[1])), size, mark.tolist(), -1, cv2.LINE_AA)


def _logo(rng: Rng, image: Plane, at: tuple[float, float]) -> None:
    """Print a ring, a disc or letters."""
    x, y = int(at[0]), int(at[1])
    size = int(rng.uniform(0.25, 1.2) * COLUMN)
    print_ = np.zeros(image.shape[:2], np.uint8)
    kind = rng.random()
    if kind < 0.6:
        cv2.circle(print_, (x, y), size, 255, int(rng.choice([-1, 1, 3, 8])), cv2.LINE_AA)
    if kind > 0.4:
        letters = "".join(rng.choice(list("ABCDEGKMNOQRSTX0689"), int(rng.integers(1, 6))))
        cv2.putText(print_, letters, (x - size, y), cv2.FONT_HERSHEY_DUPLEX, size / 25, 255, 2, cv2.LINE_AA)
    image += (print_[..., None] / np.float32(255)) * (some_color(rng).astype(np.float32) - image)


def _frame(rng: Rng, relief: Relief, patch: Patch) -> None:
    """Draw the rim, and the bar or the end of the board, with what is fixed to them."""
    *_, color = patch.colors
    side, rim = relief.side, int(np.clip(patch.rim, 0, relief.side))
    kind, strength = str(rng.choice(GROUNDS)), float(rng.choice([0.03, 0.08, 0.15]))
    material = _stuff(rng, color, kind, side, side, strength, True)
    shine, rough = (rng.uniform(0.2, 1.2), rng.uniform(0.05, 0.4)) if rng.random() < 0.5 else (0.0, 0.3)
    bevel = rng.uniform(0.01, 0.35) * patch.column
    y = np.arange(side, dtype=np.float32)[:, None]
    x = np.arange(side, dtype=np.float32)[None]

    def beam(far: Plane, high: float) -> None:
        """Raise all that lies beyond an edge; `far` is how far beyond."""
        inside = far > 0
        low = high - np.maximum(0, bevel - far) ** 2 / (2 * bevel) * min(1.0, high / bevel)
        inside_all = np.broadcast_to(inside, relief.height.shape)
        everywhere = (slice(0, side), slice(0, side))
        relief.height[inside_all] = np.maximum(relief.height, np.broadcast_to(low, relief.height.shape))[
            inside_all
        ]
        relief.color[inside_all] = material[everywhere][inside_all]
        relief.shine[inside_all], relief.rough[inside_all] = shine, rough

    if patch.bar is not None:
        left, right = patch.bar
        beam(np.asarray(np.minimum(x - left, right - x) + 0 * y, np.float32), patch.bar_high)
        if patch.bar_high < 0.02 * patch.column and rng.random() < 0.5:
            line = int(rng.integers(1, 4))
            for edge in (left, right):
                cv2.line(relief.color, (int(edge), 0), (int(edge), side), some_color(rng).tolist(), line)
        if right < side and rng.random() < 0.5:
            middle = (left + right) / 2
            cv2.line(
                relief.color,
                (int(middle), 0),
                (int(middle), side),
                (color * 0.3).tolist(),
                int(rng.integers(1, 4)),
            )
    beam(np.asarray(patch.rim - y + 0 * x, np.float32), patch.wall)
    wide = rng.uniform(0.35, 1.6) * patch.column
    outside = max(0, rim - int(wide))
    if outside > 0:
        relief.height[:outside] = rng.uniform(0, 0.6) * patch.wall if rng.random() < 0.6 else 0.0
        kind = str(rng.choice(KINDS))
        relief.color[:outside] = _stuff(rng, some_color(rng), kind, outside, side, float(rng.choice([0.03, 0.12])))
        relief.shine[:outside] = 0
    if patch.bar is not None and patch.bar[1] < side and rng.random() < 0.5:
        _hinge(rng, relief, patch)
    if patch.bar is not None and rng.random() < 0.15:
        _logo(rng, relief.color, ((patch.bar[0] + patch.bar[1]) / 2, patch.rim + rng.uniform(0, 5) * patch.column))


def _hinge(rng: Rng, relief: Relief, patch: Patch) -> None:
    assert patch.bar is not None
    x = (patch.bar[0] + patch.bar[1]) / 2
    y = patch.rim + rng.uniform(-0.3, 4.5) * patch.column
    half = np.array([rng.uniform(0.08, 0.3), rng.uniform(0.15, 0.45)]) * patch.column
    at = relief.window(x, y, float(half.max()) + 2)
    if at is None:
        return
    rows, columns, dx, dy = at
    inside = (np.abs(dx) < half[0]) & (np.abs(dy) < half[1])
    pin = np.maximum(0, 0.09 * patch.column - np.abs(dx)) * 0.8 + 0 * dy
    metal = np.array([70, 165, 205.0]) if rng.random() < 0.7 else np.array([150, 155, 160.0])
    color = np.ones((*inside.shape, 3), np.float32) * (metal * rng.uniform(0.5, 1.1)).astype(np.float32)
    for k in (-0.6, 0.6):
        screw = np.hypot(dx - half[0] * 0.6, dy - k * half[1]) < 2.2
        color[screw] *= 0.5
    level = relief.height[rows, columns] + 0.6 + pin
    relief.raise_to(
        (rows, columns), np.asarray(level, np.float32), inside, color, float(rng.uniform(1, 6)), 0.25, 206
    )


def any_make(rng: Rng, color: Color) -> Make:
    """Return some make of checkers of a color."""
    kind = str(rng.choice(["plain", "plain", "wood", "planks", "marble", "cloud", "speckle", "felt"]))
    rings: list[tuple[float, float, float]] = []
    r = rng.uniform(0.7, 0.95)
    for _ in range(int(rng.choice([0, 0, 1, 1, 2, 4]))):
        rings.append((float(r), float(rng.uniform(-0.1, 0.15)), float(rng.uniform(0.75, 1.25))))
        r *= rng.uniform(0.4, 0.92)
    if rng.random() < 0.15:
        rings.append((float(rng.uniform(0.06, 0.25)), 0.0, float(rng.uniform(0.2, 1.8))))
    glossy = rng.random() < 0.5
    edge = float(rng.uniform(0.05, 0.5))
    return Make(
        color=color,
        grain=near_color(rng, color, 0.5) if rng.random() < 0.7 else some_color(rng),
        texture=kind,
        mix=0.0 if kind == "plain" else float(rng.choice([0.05, 0.12, 0.25, 0.4])),
        side=float(rng.uniform(0.7, 1.1)),
        edge=edge,
        round_by=float(rng.uniform(0.1, 0.6)) * min(1.0, 3 * edge),
        dish=float(rng.choice([0.0, rng.uniform(0.0, 0.35), rng.uniform(-0.3, 0.0)])),
        rings=tuple(rings),
        dots=int(rng.integers(2, 9)) if rng.random() < 0.1 else 0,
        shine=float(rng.uniform(0.3, 1.4)) if glossy else float(rng.choice([0.0, 0.2])),
        rough=float(np.exp(rng.uniform(np.log(0.03), np.log(0.4)))),
        uneven=float(rng.choice([0.01, 0.04, 0.1])),
    )


def any_makes(rng: Rng, patch: Patch) -> tuple[Make, Make]:
    """Return the makes of both sides: most often alike but for the color; now and then colored like the board."""
    makes = []
    like = any_make(rng, some_color(rng))
    for _ in range(2):
        color = some_color(rng)
        if rng.random() < 0.35:
            color = near_color(rng, patch.colors[int(rng.integers(4))], float(rng.choice([0.05, 0.15])))
        make = any_make(rng, color)
        if rng.random() < 0.75:
            make = replace(like, color=color, grain=make.grain)
        makes.append(make)
    return makes[0], makes[1]


def any_counts(rng: Rng, columns: int) -> list[int]:
    """Return how many checkers stand on each column; full columns often stand side by side."""
    kind = rng.random()
    if kind < 0.06:
        return [0] * columns
    if kind < 0.5:
        crowd = rng.uniform(0.25, 0.85)
        some = rng.choice([1, 2, 3, 4, 5, 6, 8], columns, p=[0.2, 0.27, 0.2, 0.12, 0.15, 0.04, 0.02])
        return [int(n) if rng.random() < crowd else 0 for n in some]
    counts: list[int] = []
    while len(counts) < columns:
        block, full = int(rng.integers(1, 4)), rng.random() < 0.6
        low = int(rng.integers(1, 6))
        counts += [int(np.clip(low + rng.integers(-1, 2), 1, 7)) if full else 0 for _ in range(block)]
    return counts[:columns]


def any_pieces(rng: Rng, patch: Patch) -> list[Piece]:
    """Return the checkers of a scene, each after what it lies on."""
    out: list[Piece] = []
    pitch = patch.radius * rng.uniform(2.0, 2.12)
    gap = (rng.uniform(-0.02, 0.1) if rng.random() < 0.8 else rng.uniform(0, 0.6)) * patch.column
    loose = float(rng.choice([0.01, 0.03, 0.08])) * patch.column
    lean = rng.uniform(0, 0.4) if rng.random() < 0.4 else 0.0
    sides, stacked = rng.random(), rng.random() < 0.6
    for x, count in zip(patch.middles, any_counts(rng, len(patch.middles)), strict=True):
        side = int(rng.random() < sides)
        if rng.random() < 0.08:
            side = 1 - side
        y = patch.rim + gap + patch.radius
        shift = rng.normal(0, 0.4) * loose
        for k in range(count):
            layer = k // 5 if stacked else 0
            if stacked and k == 5:
                y = patch.rim + gap + patch.radius + rng.choice([0, 0.5]) * pitch
            at = np.array([x + shift, y]) + rng.normal(0, 0.5 * loose, 2)
            foot, rise, step = layer * patch.thick, (0.0, 0.0), pitch
            if 0 < k < 5 and rng.random() < lean:
                near = rng.uniform(1.3, 1.9) * patch.radius
                at[1] -= pitch - near
                foot, rise, step = patch.thick * patch.radius / near, (0.0, -patch.thick / near), near
                step = pitch - (pitch - near) + rng.uniform(0, 0.2) * pitch
            out.append(Piece(float(at[0]), float(at[1]), float(foot), rise, side))
            y = at[1] + step if rise != (0.0, 0.0) else y + pitch
    if patch.bar is not None and rng.random() < 0.25 and patch.bar[1] < SIDE:
        middle = sum(patch.bar) / 2
        y = rng.uniform(0.2, 0.9) * SIDE
        for k in range(int(rng.integers(1, 4))):
            out.append(
                Piece(
                    middle + rng.normal(0, 2), y + k * pitch, patch.bar_high, (0.0, 0.0), int(rng.random() < 0.5)
                )
            )
    for _ in range(int(rng.choice([0, 0, 0, 1, 2]))):
        foot = float(rng.choice([0.0, patch.thick]))
        at = rng.uniform(0.1, 0.9, 2) * SIDE
        if at[1] > patch.rim + patch.radius:
            out.append(Piece(float(at[0]), float(at[1]), foot, (0.0, 0.0), int(rng.random() < 0.5)))
    reach = SIDE + patch.radius
    return [p for p in out if -patch.radius < p.x < reach and -patch.radius < p.y < reach][:CHECKERS]


def draw_checker(rng: Rng, relief: Relief, piece: Piece, make: Make, patch: Patch, number: int) -> None:
    """Put one checker on the plan."""
    radius = patch.radius * float(rng.uniform(0.985, 1.01))
    at = relief.window(piece.x, piece.y, radius + 1)
    if at is None:
        return
    rows, columns, dx, dy = at
    far = np.sqrt(dx * dx + dy * dy) / np.float32(radius)
    inside = far <= 1
    edge = np.clip((far - (1 - make.edge)) / make.edge, 0, 1)
    fall = make.round_by * (1 - np.sqrt(1 - 0.98 * edge**2))
    hollow = make.dish * (1 - np.clip(far / (1 - 0.6 * make.edge), 0, 1) ** 2)
    bright = np.full_like(far, 1 + rng.normal(0, make.uneven))
    level = piece.foot + patch.thick * (1 - fall - hollow) + piece.rise[0] * dx + piece.rise[1] * dy
    for r, deep, shade in make.rings:
        level -= np.float32(deep * patch.thick) * (far < r)
        bright[far < r] *= np.float32(shade)
    begin = rng.uniform(0, 2 * np.pi)
    for k in range(make.dots):
        turn = begin + 2 * np.pi * k / make.dots
        spot = np.hypot(dx - 0.6 * radius * np.cos(turn), dy - 0.6 * radius * np.sin(turn)) < 0.12 * radius
        bright[spot] *= 0.5
    color = np.ones((*far.shape, 3), np.float32) * make.color.astype(np.float32)
    if make.mix:
        size = max(far.shape)
        grain = part(rng, make.texture, size, size, bool(rng.random() < 0.5))[: far.shape[0], : far.shape[1], None]
        other = make.grain.astype(np.float32)
        color += (other - color) * np.clip(np.float32(make.mix) * (grain + 0.7), 0, 1)
        color *= 1 + np.float32(0.25 * make.mix) * grain
    bright *= 1 + np.float32(make.side - 1) * np.clip((far - 0.93) / 0.05, 0, 1)
    color *= bright[..., None]
    relief.raise_to((rows, columns), level.astype(np.float32), inside, color, make.shine, make.rough, number)


def _things(rng: Rng, relief: Relief, patch: Patch, pieces: list[Piece]) -> None:
    """Put dice, the doubling cube and small things on the plan."""
    edge = patch.column * rng.uniform(0.28, 0.46)
    color = some_color(rng)
    for _ in range(int(rng.choice([0, 0, 1, 2, 3]))):
        at = rng.uniform(0.12, 0.88, 2) * SIDE
        if pieces and rng.random() < 0.4:
            piece = pieces[int(rng.integers(len(pieces)))]
            turn, far = rng.uniform(0, 2 * np.pi), (patch.radius + 0.55 * edge) * rng.choice([0.0, 0.6, 1.0, 1.0])
            at = np.array([piece.x + far * np.cos(turn), piece.y + far * np.sin(turn)])
        draw_box(rng, relief, at, edge, color, None)
    if rng.random() < 0.3:
        middle = SIDE / 2 if patch.bar is None else sum(patch.bar) / 2
        at = np.array([middle, rng.uniform(0.15, 0.85) * SIDE])
        if rng.random() < 0.5:
            at = np.array([rng.uniform(0.1, 0.9) * SIDE, patch.rim - rng.uniform(-0.5, 0.8) * patch.column])
        cube = some_color(rng) if rng.random() < 0.5 else rng.choice([25.0, 60.0, 225.0]) * np.ones(3)
        draw_box(
            rng, relief, at, patch.column * rng.uniform(0.45, 0.95), cube, str(rng.choice([2, 4, 8, 16, 32, 64]))
        )


PIPS = (
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
)
"""Where the pips of a face lie."""


def draw_box(rng: Rng, relief: Relief, at: Floats, edge: float, color: Color, text: str | None) -> None:
    """Put a die, or a doubling cube with its number, on whatever lies there; now and then it leans."""
    window = relief.window(float(at[0]), float(at[1]), edge)
    if window is None:
        return
    rows, columns, dx, dy = window
    turn = rng.uniform(0, 2 * np.pi)
    u = np.cos(turn) * dx + np.sin(turn) * dy
    v = -np.sin(turn) * dx + np.cos(turn) * dy
    corner = rng.uniform(0.05, 0.35) * edge
    out = np.hypot(np.maximum(0, np.abs(u) - edge / 2 + corner), np.maximum(0, np.abs(v) - edge / 2 + corner))
    inside = out < corner
    below = relief.height[rows, columns]
    foot = float(below[below.shape[0] // 2, below.shape[1] // 2])
    ink = 235.0 if color.mean() < 110 else 25.0
    paint = np.ones((*out.shape, 3), np.float32) * color.astype(np.float32)
    if text is None:
        for x, y in PIPS[int(rng.integers(6))]:
            paint[np.hypot(u - 0.27 * edge * x, v - 0.27 * edge * y) < 0.1 * edge] = ink
    else:
        face = np.zeros((64, 64), np.uint8)
        cv2.putText(
            face, text, (4 if len(text) > 1 else 18, 45), cv2.FONT_HERSHEY_SIMPLEX, 1.3, 255, 4, cv2.LINE_AA
        )
        to_face = [np.asarray(w / edge * 56 + 32, np.float32) for w in (u, v)]
        share = cv2.remap(face, to_face[0], to_face[1], cv2.INTER_LINEAR)[..., None] / np.float32(255)
        paint += share * (np.float32(ink) - paint)
    lean = rng.uniform(0.1, 0.5) * rng.choice([-1, 1], 2) if rng.random() < 0.12 else np.zeros(2)
    level = foot + edge - 0.35 * np.maximum(0, out - 0.5 * corner) + lean[0] * u + lean[1] * v * 0.5
    relief.raise_to(
        (rows, columns),
        np.asarray(level, np.float32),
        inside,
        paint,
        float(rng.choice([0.0, 0.5, 1.0])),
        0.15,
        240,
    )


def sun(rng: Rng) -> Plane:
    """Return the share of direct light per place: all, half a board in shadow, patches, a lamp's cone."""
    out = np.ones((SIDE, SIDE), np.float32)
    if rng.random() < 0.35:
        y, x = np.mgrid[:SIDE, :SIDE].astype(np.float32)
        for _ in range(int(rng.integers(1, 4))):
            turn, place = rng.uniform(0, 2 * np.pi), rng.uniform(0.15, 0.85) * SIDE
            across = np.cos(turn) * (x - place) + np.sin(turn) * (y - place)
            wide = rng.uniform(20, 150) if rng.random() < 0.6 else 1e6
            edge = np.exp(rng.uniform(np.log(1), np.log(60)))
            inside = np.minimum(across, wide - across) / np.float32(edge)
            out *= 1 - np.float32(rng.uniform(0.4, 1)) * (1 / (1 + np.exp(-np.clip(inside, -20, 20))))
        out *= np.float32(rng.uniform(1, 2.2))
    return out


def photographed(rng: Rng, picture: Plane, tilt: float, column: float) -> NDArray[np.uint8]:
    """Return the scene as a camera saw it and as it was rectified; `picture` holds `EDGE` around the scene."""
    size = picture.shape[0]
    zoom = float(np.exp(rng.uniform(np.log(18), np.log(48)))) / column
    turn = rng.uniform(0, 2 * np.pi)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    flat = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * size / 2 @ spin
    deep = 1 + flat[:, 1] * np.sin(tilt) / (rng.uniform(11, 40) * column)
    shot = np.stack([flat[:, 0], flat[:, 1] * np.cos(tilt)], axis=1) * zoom / deep[:, None]
    shot -= shot.min(axis=0)
    wide, high = (int(v) + 2 for v in shot.max(axis=0))
    source = np.array([[0, 0], [size - 1, 0], [size - 1, size - 1], [0, size - 1]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, (shot * 2 + 0.5).astype(np.float32))
    double = cv2.warpPerspective(picture, matrix, (2 * wide, 2 * high), borderMode=cv2.BORDER_REPLICATE)
    taken = spoil(rng, cv2.resize(double, (wide, high), interpolation=cv2.INTER_AREA))
    back = cv2.getPerspectiveTransform(shot.astype(np.float32), source)
    scale = 230 / (TILE_PX * FINE)
    to_tile = np.array([[scale, 0, -EDGE * FINE * scale], [0, scale, -EDGE * FINE * scale], [0, 0, 1.0]])
    large = cv2.warpPerspective(
        taken, to_tile @ back, (230, 230), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(cv2.resize(large, (TILE_PX, TILE_PX), interpolation=cv2.INTER_AREA), np.uint8)


def spoil(rng: Rng, image: Plane) -> NDArray[np.uint8]:
    """Return a picture as a camera gives it: exposure, cast, haze, blur, noise, sharpening, JPEG."""
    x = image
    kind = rng.random()
    gain = rng.uniform(110, 245) / (float(np.percentile(x[::4, ::4], 90)) + 8)
    if kind > 0.85:
        gain *= np.exp(rng.uniform(-1.2, 0.6))
    cast = np.exp(rng.normal(0, 0.06, 3)) if rng.random() < 0.75 else np.exp(rng.normal(0, 0.2, 3))
    x *= np.float32(min(gain, 2.5)) * cast.astype(np.float32)
    x = np.asarray(255 * (np.maximum(x, 0) / 255) ** np.float32(rng.uniform(0.6, 1.15)), np.float32)
    if rng.random() < 0.2:
        haze = np.float32(rng.uniform(0.1, 0.5))
        x = x * (1 - haze) + haze * np.float32(rng.uniform(30, 170))
    soft = float(rng.uniform(0.3, 0.75) if rng.random() < 0.85 else rng.uniform(0.75, 1.3))
    x = cv2.GaussianBlur(x, (0, 0), soft)
    if rng.random() < 0.06:
        trail = np.zeros((7, 7), np.float32)
        ends = rng.integers(0, 7, 4).tolist()
        cv2.line(trail, (ends[0], ends[1]), (ends[2], ends[3]), 1.0)
        x = cv2.filter2D(x, -1, trail / trail.sum())
    if rng.random() < 0.35:
        x += np.float32(rng.uniform(0.3, 1.2)) * (x - cv2.GaussianBlur(x, (0, 0), float(rng.uniform(0.8, 2))))
    strength = np.float32(rng.choice([1.0, 3.0, 7.0, 14.0], p=[0.45, 0.33, 0.15, 0.07]))
    x += strength * rng.standard_normal(x.shape, np.float32)
    x8 = np.clip(x, 0, 255).astype(np.uint8)
    if rng.random() < 0.8:
        quality = int(rng.integers(50, 96))
        x8 = cv2.imdecode(cv2.imencode(".jpg", x8, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)
    return np.asarray(x8, np.uint8)
