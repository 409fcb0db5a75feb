"""Slots: where the tops of checkers are seen, and the grid that fits checkers that were found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.field import MARGIN_PX, Field, Picture

Plane = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Grid = npt.NDArray[np.int64]

SLOTS = 5
"""Slots that are looked at along a point: what lies beyond looks the same from above as what lies on top."""

CARELESS = 5.5
"""How far off a checker is put down by hand, in standard deviations of where it is seen: a sixth of a column."""

DARK_OFFSET = 12.0
"""Added to a brightness before its logarithm: sensor noise and haze make differences below it meaningless."""


LIMIT = 250
"""Gray level from which on a color may be at the camera's limit: what is there may be brighter still."""

_LOGS = np.log(np.arange(256, dtype=np.float32) + np.float32(DARK_OFFSET))


def log_colors(flat_bgr: Picture) -> Plane:
    """Return the natural logarithm of blue, green and red: a change of light is then a mere offset."""
    return np.asarray(cv2.LUT(flat_bgr, _LOGS), np.float32)


LOG_LIMIT, BRIGHTEST = np.float32(_LOGS[LIMIT]), np.float32(_LOGS[-1])
"""The logarithm of `LIMIT`, and the greatest of all: a camera shows nothing brighter."""


def log(values: Plane) -> Plane:
    """Return natural logarithms; OpenCV takes a quarter of NumPy's time."""
    return _by_rows(cv2.log, values)


def exp(values: Plane) -> Plane:
    """Return powers of e, sooner than NumPy, too."""
    return _by_rows(cv2.exp, values)


def _by_rows(function: Callable[[Plane], object], values: Plane) -> Plane:
    if not values.size:
        return values
    return np.asarray(function(values.reshape(len(values), -1)), np.float32).reshape(values.shape)


@dataclass(frozen=True, eq=False)
class Slots:
    """Where the tops of checkers are seen in the rectified picture.

    Attributes:
        height: height of a checker's top above the playing surface, in columns.
        radius: radius of a checker, in columns.
        gap: free space between the rim and the first checker, in columns.
        pitch: distance between the centres of neighbouring checkers along a point, in columns.
    """

    height: float = 0.21
    radius: float = 0.468
    gap: float = 0.015
    pitch: float = 0.96

    def radius_px(self, field: Field) -> float:
        """Return the radius at which a checker's top is seen."""
        return self.radius * field.column_px / (1 + float(field.lifted(self.height)[2]))

    def base(self, field: Field) -> Floats:
        """Return where the slots lie on the playing surface; shape ``(2 rows, 12 columns, SLOTS, 2)``."""
        return _places(self, field)[0]

    def seen(self, field: Field) -> Floats:
        """Return where the tops of checkers on the slots are seen; shape ``(2 rows, 12 columns, SLOTS, 2)``."""
        return _places(self, field)[1]


@lru_cache(maxsize=4)
def _places(slots: Slots, field: Field) -> tuple[Floats, Floats]:
    """Return where slots lie and where checkers' tops on them are seen; every reading asks for them again."""
    unit = field.column_px
    along = (slots.gap + slots.radius + np.arange(SLOTS) * slots.pitch) * unit
    base = np.zeros((2, 12, SLOTS, 2))
    base[..., 0] = field.middles_px[:, None]
    base[0, :, :, 1] = MARGIN_PX + along
    base[1, :, :, 1] = MARGIN_PX + field.height_px - along
    seen = raised(base, field, slots.height)
    for places in (base, seen):
        places.flags.writeable = False
    return base, seen


def raised(xy: Floats, field: Field, height: float) -> Floats:
    """Return where points at a height above the field (columns) are seen, in field coordinates."""
    lift = field.lifted(height)
    moved: Floats = (xy + lift[:2]) / (1 + lift[2])
    return moved


@dataclass(frozen=True, eq=False)
class Found:
    """Checkers found by their edge.

    Attributes:
        slots: row, column and slot of each; shape ``(n, 3)``.
        picture_xy: centres of their tops in the picture, shape ``(n, 2)``.
        weight: how sure each is, 0 to 1.
    """

    slots: npt.NDArray[np.int64]
    picture_xy: Floats
    weight: Floats


def fit(
    field: Field,
    slots: Slots,
    found: Found,
    corner_px: float,
    surface: Callable[[Field], Floats] = lambda _: np.zeros(0),
) -> tuple[Field, Slots]:
    """Return the field and the slots that agree best with checkers that were found.

    Corners, bar, lens, focal length, height, gap and pitch are moved from where they are by damped least squares;
    each is held by how far it can reasonably be off.

    Args:
        field: first guess.
        slots: first guess.
        found: checkers in the picture.
        corner_px: how far the corners may be off in the picture, one standard deviation.
        surface: how far a field is from what is seen of the surface itself, in standard deviations.
    """
    start = np.zeros(16)
    size = np.array([*[corner_px] * 8, 0.02, 0.02, 0.06, 0.12, 0.03, 0.02, 0.02, 0.02])

    def build(step: Floats) -> tuple[Field, Slots]:
        v = step * size
        corners = tuple((x + v[2 * i], y + v[2 * i + 1]) for i, (x, y) in enumerate(field.corners_px))
        left, right = field.bar[0] + v[8], field.bar[1] + v[9]
        middle = (left + right) / 2
        new = field.with_(
            corners_px=corners,
            bar=(min(left, middle), max(right, middle)),
            lens=float(np.clip(field.lens + v[10], -0.35, 0.1)),
            focal_px=field.focal_px * float(np.exp(v[11])),
            aspect=field.aspect * float(np.exp(v[15])),
        )
        return new, Slots(
            max(slots.height + v[12], 0.02), slots.radius, max(slots.gap + v[13], -0.05), slots.pitch + v[14]
        )

    scale = 46.0 / _column_in_picture(field)
    tolerance_px = 1.5

    def residuals(step: Floats) -> Floats:
        new, grid = build(step)
        row, column, slot = found.slots.T
        places = new.to_picture(grid.seen(new)[row, column, slot])
        off = (places - found.picture_xy) * scale / tolerance_px
        far = np.sqrt(np.sum(off * off, axis=1))
        robust = np.sqrt(found.weight / (1 + (far / CARELESS) ** 2))
        return np.concatenate([(off * robust[:, None]).ravel(), step, surface(new)])

    best = _least_squares(residuals, start)
    return build(best)


def _column_in_picture(field: Field) -> float:
    corners = np.array(field.corners_px)
    return float(np.sqrt(cv2.contourArea(corners.astype(np.float32)) / field.aspect) / 13)


def _least_squares(residuals: object, start: Floats, rounds: int = 12) -> Floats:
    """Minimise the sum of squares by Levenberg and Marquardt's method with a numerical derivative."""
    assert callable(residuals)
    at, damping = start.copy(), 1e-2
    now = residuals(at)
    for _ in range(rounds):
        slope = np.stack([(residuals(at + h) - now) / 0.02 for h in 0.02 * np.eye(len(at))], axis=1)
        normal, gradient = slope.T @ slope, slope.T @ now
        for _ in range(5):
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), -gradient)
            new = residuals(at + step)
            if new @ new < now @ now:
                break
            damping *= 8
        else:
            break
        done = (now @ now - new @ new) < 1e-4 * (now @ now)
        at, now, damping = at + step, new, damping / 4
        if done:
            break
    return at


def known_slots(counts: Sequence[Sequence[int]]) -> npt.NDArray[np.int64]:
    """Return row, column and slot of the checkers that lie on the field; `counts` is ``[2 rows][12 columns]``."""
    listed = [
        (row, column, slot)
        for row in range(2)
        for column in range(12)
        for slot in range(min(abs(counts[row][column]), 5))
    ]
    return np.array(listed, np.int64).reshape(-1, 3)
