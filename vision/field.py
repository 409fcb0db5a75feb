"""Where the playing surface lies in the picture: corners, lens, bar, and the rectified picture.

The *rectified picture* shows the playing surface from straight above at a fixed scale, with a margin around it.
Its coordinates (field coordinates, pixels) have the row of twelve points named first by the corners on top.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from controller.errors import CalibrationError

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

FIELD_WIDTH_PX = 600
"""Width of the playing surface in the rectified picture: a column is 42 to 50 px wide."""

MARGIN_PX = 40
"""What the rectified picture shows around the playing surface: tops of checkers lean over the rim."""

WHITE_HOMES = ("bottom-right", "bottom-left", "top-right", "top-left")
"""Where White's home board can lie in the rectified picture."""

USUAL_ASPECT = 0.85
"""Height of a playing surface divided by its width."""

USUAL_BAR = 0.07
"""Width of the bar as a share of the field, until it has been measured."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Field:
    """The playing surface in the pictures of one camera that stands still.

    Attributes:
        corners_px: four outer corners of the playing surface in the picture, clockwise; the first two end one row
            of twelve points, the top row of the rectified picture.
        picture_size_px: width and height of the pictures.
        white_home: one of `WHITE_HOMES`, or None while it is not known (then read as ``"bottom-right"``).
        bar: left and right edge of the bar as shares of the field's width, 0 to 1; equal where there is no bar.
        aspect: height of the playing surface divided by its width.
        lens: radial distortion (Brown's k1) about the picture's centre, radius in units of the focal length.
        focal_px: focal length.
    """

    corners_px: tuple[tuple[float, float], ...]
    picture_size_px: tuple[int, int]
    white_home: str | None = None
    bar: tuple[float, float] = (0.5 - USUAL_BAR / 2, 0.5 + USUAL_BAR / 2)
    aspect: float = 0.8
    lens: float = 0.0
    focal_px: float = 1000.0

    @classmethod
    def of(
        cls,
        corners_px: Sequence[tuple[float, float]],
        picture_size_px: tuple[int, int],
        white_home: str | None = None,
    ) -> Field:
        """Return the field with these corners; its proportions and the focal length are worked out from them.

        Raises:
            CalibrationError: not four corners, outside the picture, crossing, counter-clockwise or small.
        """
        check_corners(corners_px, picture_size_px)
        if white_home is not None and white_home not in WHITE_HOMES:
            raise CalibrationError(f"White's home is one of {', '.join(WHITE_HOMES)}, not {white_home!r}")
        corners = tuple((float(x), float(y)) for x, y in corners_px)
        focal, aspect = _proportions(corners, picture_size_px)
        return cls(corners, picture_size_px, white_home, aspect=aspect, focal_px=focal)

    def with_(self, **changes: Any) -> Field:
        """Return the same field with other attributes."""
        return replace(self, **changes)

    @property
    def height_px(self) -> int:
        """Height of the playing surface in the rectified picture."""
        return round(FIELD_WIDTH_PX * self.aspect)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the rectified picture, with its margin."""
        return FIELD_WIDTH_PX + 2 * MARGIN_PX, self.height_px + 2 * MARGIN_PX

    @property
    def bar_px(self) -> tuple[float, float]:
        """Left and right edge of the bar in field coordinates."""
        return MARGIN_PX + self.bar[0] * FIELD_WIDTH_PX, MARGIN_PX + self.bar[1] * FIELD_WIDTH_PX

    @property
    def column_px(self) -> float:
        """Mean width of one column in field coordinates."""
        return FIELD_WIDTH_PX * (1 - self.bar[1] + self.bar[0]) / 12

    @property
    def middles_px(self) -> Floats:
        """Middles of the twelve columns of a row, from left to right, in field coordinates."""
        (left, right), six = self.bar_px, np.arange(6)
        width, other = (left - MARGIN_PX) / 6, (MARGIN_PX + FIELD_WIDTH_PX - right) / 6
        begins = np.concatenate([MARGIN_PX + six * (left - MARGIN_PX) / 6, right + six * other])
        return np.asarray((begins + (begins + np.repeat((width, other), 6))) / 2)

    @cached_property
    def homography(self) -> Floats:
        """3x3 matrix from the picture, freed from lens distortion, to field coordinates."""
        source = self._straight(np.array(self.corners_px))
        x0, y0 = MARGIN_PX, MARGIN_PX
        x1, y1 = x0 + FIELD_WIDTH_PX, y0 + self.height_px
        target = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], np.float64)
        matrix: Floats = _homography(source, target)
        return matrix

    @cached_property
    def _back(self) -> Floats:
        """3x3 matrix from field coordinates to the picture, freed from lens distortion."""
        return np.asarray(np.linalg.inv(self.homography), np.float64)

    @cached_property
    def _maps(self) -> tuple[Any, Any]:
        width, height = self.size_px
        x, y = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
        at = self.to_picture(np.stack([x.ravel(), y.ravel()], axis=1)).reshape(height, width, 2)
        return cv2.convertMaps(at.astype(np.float32), None, cv2.CV_16SC2)

    def to_field(self, xy: Any) -> Floats:
        """Return field coordinates of picture points; shape ``(n, 2)`` in and out."""
        return _apply(self.homography, self._straight(np.asarray(xy, np.float64).reshape(-1, 2)))

    def to_picture(self, xy: Any) -> Floats:
        """Return picture points of field coordinates; shape ``(n, 2)`` in and out."""
        return self._bent(_apply(self._back, np.asarray(xy, np.float64).reshape(-1, 2)))

    def lifted(self, height_columns: float) -> Floats:
        """Return the 3-vector that moves field coordinates to where a point that high above the field is seen.

        A point ``(x, y)`` at this height is seen at ``(x + a, y + b) / (1 + c)`` in field coordinates.

        Args:
            height_columns: height above the playing surface, in widths of a column.
        """
        return self._lift * height_columns

    @cached_property
    def _lift(self) -> Floats:
        """What `lifted` returns for a height of one column."""
        inverse = np.linalg.inv(self.homography)
        u, v, f = self.picture_size_px[0] / 2, self.picture_size_px[1] / 2, self.focal_px
        camera = np.array([[f, 0, u], [0, f, v], [0, 0, 1.0]])
        pose = np.linalg.inv(camera) @ inverse
        scale = np.sqrt(np.linalg.norm(pose[:, 0]) * np.linalg.norm(pose[:, 1]))
        pose = pose / scale
        up = -np.cross(pose[:, 0], pose[:, 1])
        if (pose @ np.array([*self.center_px, 1.0]))[2] < 0:
            pose = -pose
        raised: Floats = self.homography @ camera @ (up * self.column_px * scale)
        return raised

    @property
    def center_px(self) -> tuple[float, float]:
        """Centre of the playing surface in field coordinates."""
        return MARGIN_PX + FIELD_WIDTH_PX / 2, MARGIN_PX + self.height_px / 2

    def columns(self) -> tuple[Box, ...]:
        """Return the boxes ``(x0, y0, x1, y1)`` of the 24 points in field coordinates, index 0 is site 1.

        A box reaches from the rim to the middle of the field.
        """
        return tuple(self.column(*self.place(site)) for site in range(1, 25))

    def place(self, site: int) -> tuple[int, int]:
        """Return row (0 top, 1 bottom) and column (0 left to 11 right) of a site in the rectified picture."""
        return self._sites[site - 1]

    @cached_property
    def _sites(self) -> tuple[tuple[int, int], ...]:
        """What `place` returns for each site."""
        home_row, home_side = (self.white_home or WHITE_HOMES[0]).split("-")
        near, far = (1, 0) if home_row == "bottom" else (0, 1)
        along = range(11, -1, -1) if home_side == "right" else range(12)
        return (*((near, column) for column in along), *((far, column) for column in reversed(along)))

    def site(self, row: int, column: int) -> int:
        """Return the site that lies in a row (0 top, 1 bottom) and column (0 left to 11 right)."""
        return next(site for site in range(1, 25) if self.place(site) == (row, column))

    def column(self, row: int, column: int) -> Box:
        """Return the box of one row and column, from the rim to the middle of the field."""
        left, right = self.bar_px
        if column < 6:
            step, x0 = (left - MARGIN_PX) / 6, MARGIN_PX + column * (left - MARGIN_PX) / 6
        else:
            step = (MARGIN_PX + FIELD_WIDTH_PX - right) / 6
            x0 = right + (column - 6) * step
        middle = MARGIN_PX + self.height_px / 2
        y0, y1 = (float(MARGIN_PX), middle) if row == 0 else (middle, float(MARGIN_PX + self.height_px))
        return x0, y0, x0 + step, y1

    def _straight(self, xy: Floats) -> Floats:
        if self.lens == 0.0:
            return xy
        center = np.array(self.picture_size_px) / 2
        bent = (xy - center) / self.focal_px
        flat = bent
        for _ in range(8):
            flat = bent / (1 + self.lens * np.sum(flat * flat, axis=1, keepdims=True))
        return flat * self.focal_px + center

    def _bent(self, xy: Floats) -> Floats:
        if self.lens == 0.0:
            return xy
        center = np.array(self.picture_size_px) / 2
        flat = (xy - center) / self.focal_px
        factor = 1 + self.lens * np.sum(flat * flat, axis=1, keepdims=True)
        return np.asarray(flat * factor * self.focal_px + center)


def rectify(frame_bgr: Picture, field: Field) -> Picture:
    """Return the field as seen from straight above; shape ``(height, width, 3)`` of `Field.size_px`.

    Raises:
        CalibrationError: the picture has another size than those the field was found in.
    """
    check_picture(frame_bgr)
    size = (frame_bgr.shape[1], frame_bgr.shape[0])
    if size != field.picture_size_px:
        raise CalibrationError(
            f"the picture is {size[0]}x{size[1]}, the field was found in "
            f"{field.picture_size_px[0]}x{field.picture_size_px[1]}"
        )
    first, second = field._maps
    flat: Picture = cv2.remap(frame_bgr, first, second, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return flat


def check_picture(frame_bgr: Picture) -> None:
    """Check that a value is a colour picture that can be read.

    Raises:
        CalibrationError: it is not.
    """
    if frame_bgr.ndim != 3 or frame_bgr.shape[2] != 3 or frame_bgr.dtype != np.uint8:
        raise CalibrationError("a picture has height, width and three colours of 8 bits")
    if min(frame_bgr.shape[:2]) < 64:
        raise CalibrationError(f"a picture of {frame_bgr.shape[1]}x{frame_bgr.shape[0]} is too small to read")


def check_corners(corners_px: Sequence[tuple[float, float]], picture_size_px: tuple[int, int]) -> None:
    """Check four clicked or given corners.

    Raises:
        CalibrationError: not four finite points, outside the picture, crossing, counter-clockwise or small.
    """
    points = np.array(corners_px, np.float64)
    if points.shape != (4, 2) or not np.all(np.isfinite(points)):
        raise CalibrationError("corners are four points, eight numbers x,y,x,y,x,y,x,y")
    width, height = picture_size_px
    slack = 0.1 * max(width, height)
    low, high = points.min(axis=0), points.max(axis=0)
    if low.min() < -slack or high[0] > width + slack or high[1] > height + slack:
        raise CalibrationError(f"the corners lie outside the picture, which is {width}x{height}")
    edges = np.roll(points, -1, axis=0) - points
    turns = edges[:, 0] * np.roll(edges, -1, axis=0)[:, 1] - edges[:, 1] * np.roll(edges, -1, axis=0)[:, 0]
    if np.all(turns < 0):
        raise CalibrationError("the corners run counter-clockwise; give them clockwise as seen in the picture")
    if not np.all(turns > 0):
        raise CalibrationError("the corners cross or do not span a convex field; give them clockwise around it")
    if abs(float(cv2.contourArea(points.astype(np.float32)))) < 0.01 * width * height or turns.min() < 100:
        raise CalibrationError("the corners span hardly anything of the picture")


def _homography(source: Floats, target: Floats) -> Floats:
    rows = []
    for (x, y), (u, v) in zip(source, target, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, -u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, -v])
    matrix = np.linalg.svd(np.array(rows))[2][-1].reshape(3, 3)
    normed: Floats = matrix / matrix[2, 2]
    return normed


def _apply(matrix: npt.NDArray[Any], xy: Floats) -> Floats:
    moved = xy @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(moved[:, :2] / moved[:, 2:])


def _proportions(corners: Sequence[tuple[float, float]], picture_size_px: tuple[int, int]) -> tuple[float, float]:
    """Return focal length (px) and aspect, assuming square pixels and a lens centred on the picture.

    The two vanishing points give the focal length where both axes of the board run away from the camera. Where
    only one does, the usual aspect of a board gives it; in a view from straight above it hardly matters.
    """
    width, height = picture_size_px
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64)
    source = np.array(corners, np.float64) - np.array([width / 2, height / 2])
    matrix = _homography(unit, source)
    across, down = matrix[:, 0], matrix[:, 1]
    usual = 0.9 * width
    slope = across[2] * down[2]
    squared = -(across[0] * down[0] + across[1] * down[1]) / slope if abs(slope) > 1e-12 else 0.0
    focal = float(np.sqrt(squared)) if squared > 0 else usual
    tilt = np.abs(matrix[2, :2]) * usual / np.linalg.norm(matrix[:2, :2], axis=0).mean()

    def length(v: Floats, focal: float) -> float:
        return float(np.sqrt((v[0] / focal) ** 2 + (v[1] / focal) ** 2 + v[2] ** 2))

    def aspect(focal: float) -> float:
        return length(down, focal) / length(across, focal)

    if not (0.55 * width < focal < 2.5 * width and tilt.min() > 0.08):
        choices = [usual, *(usual * np.geomspace(0.6, 1.7, 23))]
        focal = usual if tilt.max() < 0.25 else min(choices, key=lambda f: abs(aspect(f) - USUAL_ASPECT))
    return focal, float(np.clip(aspect(focal), 0.5, 1.3))
