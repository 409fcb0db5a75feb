"""Dice: where they lie and what they show.

Two small nets look at close-ups, parts of the field from above with a usual die 20 px wide. There top faces are
squares whatever the angle of the camera, and side faces lie stretched beside them. The first is cheap: for each
cell it says whether a die may be there, too often rather than too seldom. The second looks around such places: is
the middle of a top face in this cell, how large is the die, is it cocked, and how likely is each value. Both are
trained on scenes drawn by `vision.training`; the weights lie beside this file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.board import DieReading
from vision.field import FIELD_WIDTH_PX, MARGIN_PX, Field
from vision.net import answer
from vision.news import NEWS_STEP

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]
Disc = tuple[float, float, float]
Box = tuple[int, int, int, int]
Color = tuple[float, float, float]

FINDER, NET = "dice_finder", "dice_net"

ZOOM = 1.2
"""Close-up pixels per pixel of the rectified picture: a die of 2.75 % of the field's width is 20 px wide."""

BORDER_PX = 28
"""What the close-up shows around the playing surface: dice that lean over the rim, and those that hit it."""

DIE_PX = 20
"""Edge of a usual die in the close-up."""

FINDER_STRIDE, STRIDE = 8, 4
"""Close-up pixels per cell of the first net and of the second."""

SUSPECTED = 0.25
"""Probability from which the second net looks at what the first one found."""

PART_PX, PART_CORE_PX = 80, 48
"""Side of the parts of a close-up that the first net sees, and of the middle of them that is meant.

Always the same, as another size takes a net longer than another picture."""

LOOK_PX, LOOK_CORE_PX = 48, 28
"""The same of what the second net sees around what the first one found: a cell of it sees 41 pixels far."""

FOUND = 0.3
"""Probability from which a cell is taken for the middle of a die; below it noise and ornaments begin."""

COCKED = 0.5
"""Probability from which a die is called cocked."""

SIZES_PX = (13.0, 30.0)
"""Edges that dice have in the close-up, with what height and perspective add."""

MOST_DICE = 8
"""No more than the surest of this many are told."""

MOST_FINDS = 40
"""More finds than this, faint as they are, are made of noise: boards gave up to 20, noise 109 and more."""

LEAST_SPOT = 9
"""Pixels, at a third of the close-up, that must be new where a die is: a quarter of the smallest."""

BESIDE_CHECKER = 1.2
"""Within so many radii of a checker's middle lie its edge and its shadow: nothing new is looked for there."""

SURE = 0.6
"""From this probability on a die is clear; two such dice make faint finds unlikely."""

FAINT = 0.5
"""Beside two such dice a find below this is none."""

TOWARD = 0.4
"""Cosine of the angle to the camera from which on what lies on a top face is taken for a side face."""

ON_CHECKER = 0.75
"""On a checker only such a find is taken for a (cocked) die: rims, rings and glints look like pips."""

BESIDE = 0.65
"""The same as a share of the second surest die's probability."""

RING = 0.36, 0.48
"""Radii of a ring, in edges of a die, that lies within its top face however it is turned, and around all pips."""

SHRINK = 3
"""What is new is looked at at this fraction of the close-up."""

CLEAR = 0.7
"""From this probability on a find is a die in practice, even where little is new."""

HALF_TRUSTED, TRUST_WIDTH = 0.43, 0.055
"""A logistic curve tells from the net's probability how often a find is a die and what it shows right. Of 599 new
finds on nine rendered sequences these were: 2 of 10 below 0.4, 6 of 10 up to 0.5, 13 of 15 up to 0.55, 23 of 26 up
to 0.6, 54 of 55 up to 0.7, 480 of 483 beyond."""

LEAST_TRUST = 0.002
"""Probability that is left to every face: even a clear picture of a die is misread this often."""


@dataclass(frozen=True, slots=True)
class Found:
    """One die in the close-up: centre of the top face, edge, what the net says about it, and its color as Lab."""

    x: float
    y: float
    size: float
    score: float
    cocked: float
    faces: tuple[float, ...]
    color: Color = (0.0, 0.0, 0.0)


def read_dice(
    frame_bgr: Image,
    field: Field,
    checker_radius_px: float | None = None,
    news: Image | None = None,
    occupied: Sequence[Disc] | None = None,
) -> tuple[DieReading, ...]:
    """Return the dice in a settled frame, those on the field first, the surest first.

    Args:
        frame_bgr: the picture as the camera gave it.
        field: where the board lies in it.
        checker_radius_px: radius of a checker in the rectified picture; a die is never as large.
        news: 1 where the rectified picture, at the scale of `news`, shows what the board without dice does not.
        occupied: discs ``(x, y, radius)`` in the rectified picture that hold checkers; a die on one is cocked.

    Returns:
        One reading per die. `DieReading.half` is None for dice that do not lie on the field; a die on the bar, the
        rim or a checker is cocked.
    """
    discs = [_in_closeup(disc) for disc in occupied or ()]
    width, height = _size_px(field)
    changed = _in_shrunk_closeup(news, (width, height)) if news is not None else None
    boxes = [(0, 0, width, height)]
    if changed is not None:
        boxes = _squares(_spots(changed, discs), (width, height), PART_PX, PART_CORE_PX)
    finds = find_dice([(box, take_closeup(frame_bgr, field, box)) for box in boxes])
    finds = _sorted_out(finds, field, changed, discs)
    if checker_radius_px is not None:
        finds = [f for f in finds if f.size < 1.7 * checker_radius_px * ZOOM]
    finds = _believable(finds)
    sets = _alike([f.color for f in finds])
    readings = [_reading(f, field, _on_any(f.x, f.y, discs), group) for f, group in zip(finds, sets, strict=True)]
    return tuple(sorted(readings, key=lambda r: r.half is None))


def take_closeup(frame_bgr: Image, field: Field, box: Box) -> Image:
    """Return a part of the close-up: the field from above, `ZOOM` times the scale of the rectified picture.

    Args:
        frame_bgr: the picture as the camera gave it.
        field: where the board lies in it.
        box: left, top, right and bottom of the part; the whole shows `BORDER_PX` around the playing surface.
    """
    left, top, right, bottom = box
    first, second = (table[top:bottom, left:right] for table in _maps(field))
    border = cv2.BORDER_REPLICATE
    return np.asarray(cv2.remap(frame_bgr, first, second, cv2.INTER_LINEAR, borderMode=border), np.uint8)


def _size_px(field: Field) -> tuple[int, int]:
    """Return width and height of the close-up."""
    width, height = (int(side * ZOOM) + 2 * BORDER_PX for side in (FIELD_WIDTH_PX, field.height_px))
    return -width % 8 + width, -height % 8 + height


@lru_cache(maxsize=4)
def _maps(field: Field) -> tuple[Any, Any]:
    width, height = _size_px(field)
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    flat = to_field(np.stack([x.ravel(), y.ravel()], axis=1).astype(np.float64))
    at = field.to_picture(flat).reshape(*x.shape, 2).astype(np.float32)
    return cv2.convertMaps(at, None, cv2.CV_16SC2)


def to_field(xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return field coordinates of close-up points; shape ``(n, 2)`` in and out."""
    return np.asarray((xy - BORDER_PX) / ZOOM + MARGIN_PX)


def _told(net: str, picture: Image) -> tuple[Floats, Floats]:
    """Return what a net says of each cell of a picture, and how likely each holds a die."""
    cells = answer(net, picture)
    return cells, 1 / (1 + np.exp(-cells[0]))


def suspected(picture: Image) -> list[Box]:
    """Return where in a picture the first net sees what may be a die, about as large as that.

    One that its rim cuts off is left out: it is whole in another part of the close-up, or not on the board.
    """
    height, width = picture.shape[:2]
    if min(height, width) < 2 * STRIDE:
        return []
    cells, score = _told(FINDER, picture)
    spots: list[Box] = []
    for row, column in np.argwhere(score >= SUSPECTED):
        x, y = (
            int((n + 0.5 + float(cells[channel, row, column])) * FINDER_STRIDE)
            for n, channel in ((column, 1), (row, 2))
        )
        spot = (x - DIE_PX // 2, y - DIE_PX // 2, x + DIE_PX // 2, y + DIE_PX // 2)
        if min(spot) >= 0 and spot[2] <= width and spot[3] <= height:
            spots.append(spot)
    return spots


def find_dice(parts: Sequence[tuple[Box, Image]]) -> list[Found]:
    """Return what the nets take for dice, the surest first.

    Args:
        parts: places of the close-up and what `take_closeup` shows of them.
    """
    finds: list[tuple[Found, Image, int, int]] = []
    for (left, top, _, _), picture in parts:
        spots = suspected(picture)
        size = (picture.shape[1], picture.shape[0])
        for x0, y0, x1, y1 in _squares(spots, size, LOOK_PX, LOOK_CORE_PX):
            peaks = [replace(f, x=f.x + x0, y=f.y + y0) for f in _peaks(picture[y0:y1, x0:x1])]
            finds += [(f, picture, left, top) for f in peaks if _is_near(f, spots)]
    once = _apart([replace(f, x=f.x + left, y=f.y + top) for f, _, left, top in finds])
    if len(once) > MOST_FINDS:
        return []
    seen = [
        (f if f.score >= CLEAR else _seen_again(picture, f), picture, left, top) for f, picture, left, top in finds
    ]
    return _apart(
        [
            replace(f, x=f.x + left, y=f.y + top, color=_color(picture, f.x, f.y, f.size))
            for f, picture, left, top in seen
            if f.score >= FOUND
        ]
    )


def _apart(finds: list[Found]) -> list[Found]:
    """Return the surest finds that are as large as dice and not one die seen twice, the surest first."""
    kept: list[Found] = []
    for find in sorted(finds, key=lambda f: -f.score):
        apart = all(math.hypot(find.x - k.x, find.y - k.y) > 0.55 * k.size for k in kept)
        if apart and SIZES_PX[0] <= find.size <= SIZES_PX[1]:
            kept.append(find)
    return kept


def _seen_again(picture: Image, find: Found) -> Found:
    """Return a find that is not clear as two looks see it, the second from between the cells of the first.

    What the second does not see is worth half.
    """
    x0, y0 = (
        max(0, min(round(at) // STRIDE * STRIDE + STRIDE // 2 - LOOK_PX // 2, size - LOOK_PX))
        for at, size in ((find.x, picture.shape[1]), (find.y, picture.shape[0]))
    )
    again = [replace(f, x=f.x + x0, y=f.y + y0) for f in _peaks(picture[y0 : y0 + LOOK_PX, x0 : x0 + LOOK_PX])]
    same = min(again, key=lambda f: math.hypot(f.x - find.x, f.y - find.y), default=None)
    if same is None or math.hypot(same.x - find.x, same.y - find.y) > 0.4 * find.size:
        return replace(find, score=find.score / 2)
    x, y, size, score, cocked = (
        (getattr(find, name) + getattr(same, name)) / 2 for name in ("x", "y", "size", "score", "cocked")
    )
    logs = np.mean([find.faces, same.faces], axis=0)
    faces = logs - np.log(np.exp(logs).sum())
    return Found(x, y, size, score, cocked, tuple(float(v) for v in faces))


def _is_near(find: Found, spots: Sequence[Box]) -> bool:
    """Tell whether the first net suspects a die where the second found one: not farther off than one edge."""
    return any(
        left - DIE_PX < find.x < right + DIE_PX and top - DIE_PX < find.y < bottom + DIE_PX
        for left, top, right, bottom in spots
    )


def _peaks(picture: Image) -> list[Found]:
    """Run the second net on a picture and return the cells that look most like a die, each with what it says."""
    cells, score = _told(NET, picture)
    peak = (score >= FOUND) & (score >= cv2.dilate(score, np.ones((3, 3), np.uint8)))
    return [_found(cells, score, int(row), int(column)) for row, column in np.argwhere(peak)]


def _sorted_out(finds: list[Found], field: Field, changed: Image | None, discs: Sequence[Disc]) -> list[Found]:
    """Return the finds that are new and neither side faces nor ornaments of checkers, surest first."""
    if changed is not None:
        finds = [f for f in finds if _is_new(changed, f)]
    finds = _without_sides(finds, field)
    finds = [f for f in finds if f.score >= ON_CHECKER or not _on_any(f.x, f.y, discs)]
    return sorted(finds, key=lambda f: -f.score)


def _believable(finds: list[Found]) -> list[Found]:
    """Return the finds that stand up beside the others: next to clear dice faint ones are none."""
    clear = [f.score for f in finds if f.score >= SURE]
    least = max(FAINT, BESIDE * clear[1]) if len(clear) >= 2 else FOUND
    return [f for f in finds if f.score >= least][:MOST_DICE]


def _without_sides(finds: list[Found], field: Field) -> list[Found]:
    """Return the finds without side faces, which a slanting camera sees beside the top faces.

    Seen in the close-up, a side face lies half the die's height and half its edge nearer to the camera than the
    top face. Two top faces can not be nearer to each other than one edge. The farthest are looked at first: a side
    face has no side face of its own.
    """
    lifted = [(find, _lift(find, field)) for find in finds]
    lifted.sort(key=lambda told: -float(np.hypot(*told[1])) / told[0].size)
    out: list[tuple[Found, NDArray[np.float64]]] = []
    for find, lift in lifted:
        tops = [t for t, its in out if t.score > 0.5 * find.score and _is_side(find, t, its)]
        close = any(np.hypot(find.x - t.x, find.y - t.y) < 0.95 * t.size for t in tops)
        # Behind each other two dice look alike, but then the nearer one shows a side face of its own.
        own_side = any(_is_side(f, find, lift) for f in finds if f not in tops)
        if not tops or (own_side and not close):
            out.append((find, lift))
    return [find for find, _ in out]


def _lift(find: Found, field: Field) -> NDArray[np.float64]:
    """Return by how much a die's top face is seen beside its foot, in the close-up."""
    at = to_field(np.array([[find.x, find.y]], np.float64))[0]
    return np.asarray((at - np.array(_foot(at, find.size / ZOOM, field))) * ZOOM)


def _is_side(find: Found, top: Found, lift: NDArray[np.float64]) -> bool:
    """Tell whether a find can be a side face of the die whose top face is the other, lifted by so much."""
    high = float(np.hypot(*lift))
    away = np.array([find.x - top.x, find.y - top.y])
    reach = float(np.hypot(*away))
    if find is top or high < 0.15 * top.size or reach > high + 2 * top.size:
        return False
    toward = -lift / high
    if reach < 0.95 * top.size:
        return float(away @ toward) > TOWARD * reach
    normal = away + 0.5 * lift
    length = float(np.hypot(*normal))
    return 0.25 * top.size < length < 0.75 * top.size and float(normal @ toward) > 0.4 * length


def _in_shrunk_closeup(news: Image, size_px: tuple[int, int]) -> Image:
    """Return what is new as a close-up of some width and height shows it, at a third of its size."""
    scale = ZOOM * NEWS_STEP / SHRINK
    shift = np.array([[scale, 0, (BORDER_PX - MARGIN_PX * ZOOM) / SHRINK]] * 2)
    shift[1, :2] = 0, scale
    size = (size_px[0] // SHRINK, size_px[1] // SHRINK)
    border = cv2.BORDER_REPLICATE
    return np.asarray(cv2.warpAffine(news, shift, size, flags=cv2.INTER_NEAREST, borderMode=border), np.uint8)


def _is_new(changed: Image, find: Found) -> bool:
    """Tell whether enough of its place changed: a third, less where the net is sure (dark dice on dark wood)."""
    half = find.size / 2 / SHRINK
    x, y = find.x / SHRINK, find.y / SHRINK
    part = changed[max(0, round(y - half)) : round(y + half) + 1, max(0, round(x - half)) : round(x + half) + 1]
    return part.size > 0 and float(part.mean()) > (0.33 if find.score < CLEAR else 0.08)


def _spots(changed: Image, discs: Sequence[Disc]) -> list[Box]:
    """Return where in the close-up something as large as a die is new beside the checkers."""
    free = changed.copy()
    for x, y, radius in discs:
        cv2.circle(free, (round(x / SHRINK), round(y / SHRINK)), round(BESIDE_CHECKER * radius / SHRINK), 0, -1)
    free = np.asarray(cv2.morphologyEx(free, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    spots = []
    for outline in cv2.findContours(free, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        x, y, w, h = cv2.boundingRect(outline)
        if cv2.contourArea(outline) + len(outline) / 2 + 1 >= LEAST_SPOT:
            spots.append((SHRINK * x, SHRINK * y, SHRINK * (x + w), SHRINK * (y + h)))
    return spots


def _squares(spots: Sequence[Box], size_px: tuple[int, int], side: int, core: int) -> list[Box]:
    """Return squares of a picture of some width and height that have every part of the spots in their middle.

    Args:
        spots: what must be in the middle of one of them.
        size_px: width and height of the picture; where that is smaller than a square, so is what is returned.
        side: of the squares.
        core: side of their middles.
    """
    groups: list[Box] = []
    for spot in spots:
        for i, group in enumerate(groups):
            both = _around(spot, group)
            if max(both[2] - both[0], both[3] - both[1]) <= core:
                groups[i] = both
                break
        else:
            groups.append(spot)
    return [
        (x, y, min(x + side, size_px[0]), min(y + side, size_px[1]))
        for left, top, right, bottom in groups
        for x in _begins(left, right, size_px[0], side, core)
        for y in _begins(top, bottom, size_px[1], side, core)
    ]


def _around(one: Box, other: Box) -> Box:
    """Return the box around two."""
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _begins(low: int, high: int, most: int, side: int, core: int) -> list[int]:
    """Return where squares begin, on one axis, so that their middles cover a spot."""
    count = -(-(high - low) // core)
    step = (high - low) / count
    begins = (low + (k + 0.5) * step - side / 2 for k in range(count))
    return [max(0, min(int(begin), most - side)) // STRIDE * STRIDE for begin in begins]


def _found(cells: Floats, score: Floats, row: int, column: int) -> Found:
    """Return the die at one peak; values are the weighed mean of what the cells around the middle say."""
    rows = slice(max(0, row - 1), row + 2)
    columns = slice(max(0, column - 1), column + 2)
    weight = score[rows, columns].ravel()
    weight = weight / weight.sum()
    edge, lean = cells[3:5, rows, columns].reshape(2, -1)
    logs = cells[5:, rows, columns].reshape(len(cells) - 5, -1)
    faces = (logs - np.log(np.exp(logs).sum(axis=0))) @ weight
    p = np.exp(faces - faces.max())
    trust = float(1 / (1 + np.exp((HALF_TRUSTED - score[row, column]) / TRUST_WIDTH))) * (1 - 6 * LEAST_TRUST)
    p = p / p.sum() * trust + (1 - trust) / 6
    at = cells[:, row, column]
    x = (column + 0.5 + float(at[1])) * STRIDE - 0.5
    y = (row + 0.5 + float(at[2])) * STRIDE - 0.5
    size = DIE_PX * math.exp(min(max(float(edge @ weight), -2.0), 2.0))
    cocked = float(1 / (1 + np.exp(-lean)) @ weight)
    return Found(x, y, size, float(score[row, column]), cocked, tuple(np.log(p).tolist()))


def _in_closeup(disc: Disc) -> Disc:
    x, y, radius = disc
    return (x - MARGIN_PX) * ZOOM + BORDER_PX, (y - MARGIN_PX) * ZOOM + BORDER_PX, radius * ZOOM


def _on_any(x: float, y: float, discs: Sequence[Disc]) -> bool:
    """Tell whether a place is on a checker, not just at its rim."""
    return any(np.hypot(x - cx, y - cy) < 0.85 * r for cx, cy, r in discs)


def _color(picture: Image, x: float, y: float, size: float) -> Color:
    """Return the color of a die's body as Lab: what most of a ring around the pips, within its top face, has.

    It is black where the ring lies outside the picture, or between its pixels.
    """
    half = max(2, int(size * RING[1]))
    rows, columns = (slice(max(0, round(v) - half), round(v) + half + 1) for v in (y, x))
    patch = picture[rows, columns]
    across, down = (
        np.arange(v.start, v.start + n) for v, n in zip((columns, rows), patch.shape[1::-1], strict=True)
    )
    far = np.hypot(across - x, down[:, None] - y) / size
    ring = patch[(far >= RING[0]) & (far <= RING[1])].reshape(1, -1, 3)
    if ring.size == 0:
        return 0.0, 0.0, 0.0
    lab = cv2.cvtColor(ring, cv2.COLOR_BGR2LAB)[0]
    split, _ = cv2.threshold(lab[:, 0], 0, 255, cv2.THRESH_OTSU)
    light = lab[:, 0] > split
    body = np.sort(lab[light if light.mean() > 0.5 else ~light], axis=0).astype(np.float64)
    lightness, a, b = ((body[(len(body) - 1) // 2] + body[len(body) // 2]) / 2).tolist()
    return lightness, a, b


def _alike(colors: Sequence[Color]) -> list[int | None]:
    """Return which dice look alike: 0 the lighter set, 1 the darker; None when only one set is seen.

    A number means the same in every picture that way: one set alone cannot be told to be the lighter one.
    """
    if not colors:
        return []
    light = np.array([c[0] for c in colors])
    order = np.argsort(light)
    gaps = [math.dist(colors[a], colors[b]) for a, b in pairwise(order)]
    if not gaps or max(gaps) < 40:
        return [None] * len(colors)
    split = light[order[int(np.argmax(gaps)) + 1]]
    return [0 if value >= split else 1 for value in light]


def _reading(find: Found, field: Field, on_checker: bool, group: int | None) -> DieReading:
    at = to_field(np.array([[find.x, find.y]], np.float64))
    x, y = _foot(at[0], find.size / ZOOM, field)
    px, py = field.to_picture(at)[0]
    left, right = field.bar_px
    slack = 0.35 * find.size / ZOOM
    on_field = (
        MARGIN_PX - slack < x < MARGIN_PX + FIELD_WIDTH_PX + slack
        and MARGIN_PX - slack < y < MARGIN_PX + field.height_px + slack
    )
    on_bar = left + slack < x < right - slack
    half = None if not on_field else int(x > (left + right) / 2)
    cocked = bool(find.cocked >= COCKED or on_checker or on_bar)
    on_top = on_checker and not on_bar
    return DieReading((float(px), float(py)), find.faces, cocked, half, group, on_top, find.color)


def _foot(top: NDArray[np.float64], edge: float, field: Field) -> tuple[float, float]:
    """Return the place below the middle of a top face that is seen at `top`, in field coordinates."""
    a, b, c = (float(v) for v in field.lifted(edge / field.column_px))
    return float(top[0] * (1 + c) - a), float(top[1] * (1 + c) - b)


def active_roll(dice: Sequence[DieReading]) -> tuple[DieReading, DieReading] | None:
    """Return the two dice that are the roll: flat, on one half of the field, alike; None when it is not clear."""
    flat = [d for d in dice if d.half is not None and not d.cocked]
    pairs = [
        (a, b)
        for i, a in enumerate(flat)
        for b in flat[i + 1 :]
        if a.half == b.half and (a.dice_set == b.dice_set or None in (a.dice_set, b.dice_set))
    ]
    if len(pairs) == 1:
        return pairs[0]
    return (flat[0], flat[1]) if not pairs and len(flat) == 2 else None
