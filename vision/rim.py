"""Where exactly the playing surface ends: by the points drawn on it and by the rim, not by what lies on it.

Checkers are pushed about by hand, and their tops lie above the surface. The slanted edges of the points and the
place where the points' colors end at the rim lie on the surface itself. A board whose points hardly differ from
its ground shows few of them; then the checkers have the say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from controller.board import Board
from vision.calibration import counts_grid, covered, settle
from vision.checkers import Found, Slots, fit, known_slots, log_colors
from vision.field import MARGIN_PX, Field, Picture, rectify
from vision.heat import field_heat

Floats = npt.NDArray[np.float64]
Plane = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

BASE, LENGTH = 0.47, 0.85
"""Half the width of a point at the rim in columns, and its length as a share of half the field: first guess."""

AIR = 0.02
"""Space between the outer points and the rim, and between the inner ones and the bar, columns."""

REACH = 0.22
"""How far from where it is expected an edge is looked for, columns."""

LEAST_CONTRAST = 0.15
"""Logarithms of colors must differ by this on both sides of an edge."""

LEAST_EDGES = 60
"""Fewer places on edges may be shadows or grain; a plain board shows about 400."""

EDGE_SIGMA, RIM_SIGMA = 0.02, 0.03
"""How far one place on an edge, and one on the rim, may be off, columns; neighbouring ones err alike."""

WALL, WALL_SIGMA = 0.35, 0.12
"""Height of the rim above the field, columns: it hides the end of the near points from a tilted camera."""

LEAST_RIM = 20.0
"""Neighbouring points must differ by this, gray levels over all colors, for the place where they end."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Places on the slanted edges of points.

    Attributes:
        picture_xy: shape ``(n, 2)``.
        row: 0 or 1.
        column: 0 to 11.
        side: -1 for the left edge, 1 for the right one.
    """

    picture_xy: Floats
    row: npt.NDArray[np.int64]
    column: npt.NDArray[np.int64]
    side: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ends:
    """Places where the points are seen to end at the rim.

    Attributes:
        picture_xy: shape ``(n, 2)``.
        row: 0 or 1.
    """

    picture_xy: Floats
    row: npt.NDArray[np.int64]


def refine(frame_bgr: Picture, field: Field, slots: Slots, known: Board, corner_px: float) -> tuple[Field, Slots]:
    """Return field and slots that fit the surface and the checkers of a known position.

    Args:
        frame_bgr: the picture.
        field: a guess that is off by a third of a column at most, with White's home.
        slots: first guess.
        known: what stands there.
        corner_px: how far the corners may be off in the picture, one standard deviation.
    """
    grid = counts_grid(known, field)
    where = known_slots(grid.tolist())
    for reach in (0.2, 0.16, 0.16):
        flat = rectify(frame_bgr, field)
        xy, logits = settle(field_heat(flat, field), slots.seen(field)[tuple(where.T)], field, reach)
        weight = np.maximum(1 / (1 + np.exp(-np.clip(logits, -6, 6))), 0.02)
        hidden = covered(field, slots, grid)
        colors = cv2.blur(log_colors(flat), (1, 5))
        surface = _surface(edges(colors, hidden, field), ends(colors, hidden, field))
        field, slots = fit(field, slots, Found(where, field.to_picture(xy), weight), corner_px, surface)
    return field, slots


def edges(colors: Plane, hidden: Flags, field: Field) -> Edges:
    """Return places on the edges of the points of a rectified picture.

    Args:
        colors: logarithms, a little smoothed along the points.
        hidden: what checkers cover.
        field: the playing surface.
    """
    unit = field.column_px
    length = LENGTH * field.height_px / 2
    row, column, side, along = (
        part.ravel()
        for part in np.meshgrid(
            [0, 1], range(12), [-1, 1], np.arange(0.5 * unit, 0.8 * length, 0.25 * unit), indexing="ij"
        )
    )
    middle = np.array([_middle(field, c) for c in range(12)])[column]
    y = np.where(row == 0, MARGIN_PX + along, MARGIN_PX + field.height_px - along)
    half = BASE * unit * (1 - along / length)
    steps = np.arange(-REACH * unit, REACH * unit + 0.5)
    x = middle[:, None] + side[:, None] * (half[:, None] + steps)
    inner = middle[:, None] + np.linspace(-0.3, 0.3, 7) * half[:, None]
    outer = middle[:, None] + side[:, None] * 0.5 * unit + np.linspace(-0.3, 0.3, 5) * (0.5 * unit - half)[:, None]
    profile, point, ground = (_sampled(colors, at, y) for at in (x, inner, outer))
    seen = ~_sampled(hidden.astype(np.float32), np.concatenate([x, inner, outer], axis=1), y).any(axis=1)
    point, ground = np.median(point, axis=1), np.median(ground, axis=1)
    share, contrast = _share(profile, point, ground)
    place, found = _crossing(share)
    keep = seen & found & (contrast > LEAST_CONTRAST)
    at = middle + side * (half + steps[0] + place)
    xy = np.stack([at, y], axis=1)[keep]
    return Edges(field.to_picture(xy), row[keep], column[keep], side[keep])


def ends(colors: Plane, hidden: Flags, field: Field) -> Ends:
    """Return places where neighbouring points cease to differ: at the rim; arguments as of `edges`.

    Of the light itself, not its logarithm: a dark rim mirrors the points faintly.
    """
    unit = field.column_px
    row, column = (part.ravel() for part in np.meshgrid([0, 1], [c for c in range(11) if c != 5], indexing="ij"))
    outward = np.arange(-unit, min(0.7 * unit, MARGIN_PX - 2.0))
    y = np.where(row[:, None] == 0, MARGIN_PX - outward, MARGIN_PX + field.height_px + outward)
    middles = np.array([_middle(field, c) for c in range(12)])
    width = np.linspace(-0.25, 0.25, 9) * unit
    shown = []
    clear = np.ones(len(row), np.bool_)
    on_field = outward < -0.1 * unit
    for beside in (0, 1):
        x = middles[column + beside][:, None, None] + width + np.zeros_like(y)[..., None]
        flat_y = np.repeat(y.ravel(), len(width)).reshape(x.shape)
        shown.append(_at(colors, x, flat_y).mean(axis=2))
        clear &= ~(_at(hidden.astype(np.float32), x, flat_y) > 0)[:, on_field].any(axis=(1, 2))
    differ = np.exp(shown[0]) - np.exp(shown[1])
    full = differ[:, (outward > -0.45 * unit) & (outward < -0.15 * unit)].mean(axis=1)
    share, contrast = _share(differ, full, np.zeros_like(full))
    place, found = _last_crossing(share, round(0.2 * unit))
    keep = clear & found & (contrast > LEAST_RIM)
    beyond = outward[0] + place
    end = np.where(row == 0, MARGIN_PX - beyond, MARGIN_PX + field.height_px + beyond)
    xy = np.stack([(middles[column] + middles[column + 1]) / 2, end], axis=1)[keep]
    return Ends(field.to_picture(xy), row[keep])


def _surface(found: Edges, last: Ends) -> Callable[[Field], Floats]:
    """Return a function that says how far a field is from what was found, in standard deviations."""

    def residuals(field: Field) -> Floats:
        off = [np.zeros(0)]
        if len(found.row) >= LEAST_EDGES:
            off.append(_robust(_edge_errors(found, field) / EDGE_SIGMA))
        if len(last.row):
            off.append(_robust(_end_errors(last, field)))
        return np.concatenate(off)

    return residuals


def _edge_errors(found: Edges, field: Field) -> Floats:
    """Return how far the places are from the edges of points of the shape that fits best, columns."""
    xy = field.to_field(found.picture_xy)
    middles = np.array([_middle(field, c) for c in range(12)])
    along = (
        np.where(found.row == 0, xy[:, 1] - MARGIN_PX, MARGIN_PX + field.height_px - xy[:, 1]) / field.column_px
    )
    half = found.side * (xy[:, 0] - middles[found.column]) / field.column_px
    design = np.stack([np.ones_like(along), -along], axis=1)
    weight = np.ones(len(half))
    error = half
    for _ in range(3):
        shape = np.linalg.lstsq(design * weight[:, None], half * weight, rcond=None)[0]
        error = half - design @ shape
        weight = 1 / np.sqrt(1 + (error / EDGE_SIGMA) ** 2)
    return np.asarray(error)


def _end_errors(last: Ends, field: Field) -> Floats:
    """Return how far the ends are from the rim in standard deviations; a near rim hides some of the field."""
    y = field.to_field(last.picture_xy)[:, 1]
    inside = np.where(last.row == 0, y - MARGIN_PX, MARGIN_PX + field.height_px - y) / field.column_px
    _, down, depth = field.lifted(1.0)
    foot = down / depth
    beyond = np.where(last.row == 0, MARGIN_PX - foot, foot - MARGIN_PX - field.height_px) / field.column_px
    slope = np.maximum(beyond, 0) * abs(depth)
    sigma = np.sqrt(RIM_SIGMA**2 + (WALL_SIGMA * slope) ** 2)
    return np.asarray((inside - WALL * slope) / sigma)


def _robust(off: Floats) -> Floats:
    return np.asarray(off / np.sqrt(1 + (off / 3) ** 2) ** 0.5)


def _middle(field: Field, column: int) -> float:
    """Return where the middle line of a point lies."""
    x0, _, x1, _ = field.column(0, column)
    return (x0 + x1) / 2 - 2 * AIR * (column % 6 - 2.5) / 6 * (x1 - x0)


def _sampled(values: Plane, x: Floats, y: Floats) -> Plane:
    """Return the values along rows of places, one height each; shape of `x` plus that of a pixel."""
    return _at(values, x, np.repeat(y[:, None], x.shape[1], axis=1))


def _at(values: Plane, x: Floats, y: Floats) -> Plane:
    """Return the values at places, interpolated; shape of `x` plus that of a pixel."""
    right, down = (part.reshape(len(x), -1).astype(np.float32) for part in (x, y))
    found = cv2.remap(values, right, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(found).reshape(*x.shape, *values.shape[2:])


def _share(profile: Plane, one: Plane, other: Plane) -> tuple[Plane, Plane]:
    """Return how much of `one` each place of a profile has, 1 to 0 at `other`, and how far both differ."""
    between = one - other
    contrast = np.linalg.norm(between, axis=1)
    share = np.einsum("nkc,nc->nk", profile - other[:, None], between) / (contrast[:, None] ** 2 + 1e-6)
    return share, contrast


def _crossing(share: Plane) -> tuple[Floats, Flags]:
    """Return where a profile falls through a half nearest to its middle, and whether it does."""
    falls = (share[:, :-1] >= 0.5) & (share[:, 1:] < 0.5)
    far = np.abs(np.arange(share.shape[1] - 1) - share.shape[1] / 2 + 1)
    chosen = np.where(falls, far, np.inf).argmin(axis=1)
    return _between(share, chosen), np.asarray(falls.any(axis=1))


def _last_crossing(share: Plane, quiet: int) -> tuple[Floats, Flags]:
    """Return where a profile first falls through a half and stays low for some places, and whether it does."""
    low = cv2.blur(share.astype(np.float32), (quiet, 1), anchor=(0, 0), borderType=cv2.BORDER_REPLICATE) < 0.3
    falls = (share[:, :-1] >= 0.5) & (share[:, 1:] < 0.5)
    stays = np.asarray(falls & low[:, 1:])
    stays[:, -quiet:] = False
    chosen = stays.argmax(axis=1)
    return _between(share, chosen), np.asarray(stays.any(axis=1))


def _between(share: Plane, chosen: npt.NDArray[np.int64]) -> Floats:
    rows = np.arange(len(share))
    before, after = share[rows, chosen], share[rows, chosen + 1]
    return np.asarray(chosen + (before - 0.5) / np.maximum(before - after, 1e-6), np.float64)
