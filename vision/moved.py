"""Notice that the camera or the board was moved, and find the field again by what the board itself looks like.

Corners and edges of the board (points, rim, markers) are followed from a picture in which the field is known to
the newest one. Checkers that were played, dice and hands are outvoted: the move of the board is one homography
that most features agree on, theirs are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.errors import CalibrationError
from vision.field import FIELD_WIDTH_PX, MARGIN_PX, Field, check_corners, rectify

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

SHIFT_RADII = 0.2
"""A move of a field corner by this many checker radii counts: a still board seems to move by up to 0.1, and from
0.27 on its edges, beside where they were, have been taken for something that reaches in."""

LEAST_FEATURES = 24
"""So many features must agree; random matches of a homography reach about 10."""

LEAST_SHARE = 0.35
"""Share of the features followed that must agree; up to half the board may be under a hand."""

REFRESH_SHARE = 0.6
"""When fewer of the features agree, the checkers have changed so much that a newer picture is remembered."""

SURE_LIKENESS = 0.55
"""Correlation of edges, field found again against reference, from which it is certainly the same field.

Half-turned or shifted by a column boards reach 0.3.
"""

CERTAIN_LIKENESS = 0.8
"""From here on no other guess is tried."""

WINDOW = (17, 17)


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """What became of the field.

    Attributes:
        state: ``"same"``, ``"moved"`` (and `field` is where it is now) or ``"unclear"`` (too little of
            the board is seen, or it went too far).
        field: the field in the new picture; the old one unless moved.
        radii: how far the farthest corner went, in checker radii; 0 when unclear.
        residual_px: median distance, in the picture, of the features from where `field` expects them.
        detail: one plain sentence.
    """

    state: str
    field: Field
    radii: float
    residual_px: float
    detail: str


@dataclass(frozen=True, slots=True, eq=False)
class _Followed:
    """Where the field went by what the features say, their median error in the picture, the share that agrees."""

    field: Field
    error_px: float
    share: float


class Anchor:
    """Remembers how the board looked where it was last known to be.

    Args:
        field: where the board lies in `reference_bgr`.
        reference_bgr: a picture without a hand.
    """

    def __init__(self, field: Field, reference_bgr: Image) -> None:
        self.field = field
        self._shrink = max(1, round(reference_bgr.shape[1] / 640))
        k = float(self._shrink)
        self._zoom = np.array([[k, 0, (k - 1) / 2], [0, k, (k - 1) / 2], [0, 0, 1.0]])
        self._remember(field, reference_bgr)

    def _remember(self, seen: Field, image_bgr: Image) -> None:
        """Follow features from this picture on, in which the field was measured to be at `seen`."""
        self._seen = seen
        self._gray = _even(image_bgr, self._shrink)
        self._flat = _edges(rectify(image_bgr, seen))
        self._points = _features(self._gray, seen, self._zoom)

    def check(self, frame_bgr: Image, clear: bool = True) -> Shift:
        """Compare a picture, best one in which nothing moves, with what is remembered.

        Args:
            frame_bgr: the picture. A black or foggy one is unclear, never moved.
            clear: it shows no hand, so it may be remembered when the checkers have changed much.
        """
        size = (frame_bgr.shape[1], frame_bgr.shape[0])
        if size != self.field.picture_size_px or len(self._points) < LEAST_FEATURES:
            return self._unclear("the picture has another size or the board shows no edges to hold on to")
        gray = _even(frame_bgr, self._shrink)
        near = self._followed(gray, np.eye(3))
        if near is not None and self._radii(near.field) < SHIFT_RADII:
            if clear and near.share < REFRESH_SHARE:
                self._remember(near.field, frame_bgr)
            return self._same(near)
        best = self._found_again(frame_bgr, gray, near)
        if best is None:
            return self._unclear("the board is not where it was and was not found again; set the corners anew")
        radii = self._radii(best.field)
        if radii < SHIFT_RADII:
            return self._same(best)
        detail = f"camera or board moved by {radii:.1f} checker radii; found again within {best.error_px:.1f} px"
        return Shift("moved", best.field, radii, best.error_px, detail)

    def _found_again(self, frame_bgr: Image, gray: Image, near: _Followed | None) -> _Followed | None:
        """Return the guess under which the field looks most as it did; None when none looks like it."""
        best, best_likeness = None, SURE_LIKENESS
        for guess in (None, *GUESSES):
            found = near if guess is None else self._followed(gray, guess(self._gray, gray))
            if found is None:
                continue
            likeness = _likeness(_edges(rectify(frame_bgr, found.field)), self._flat)
            if likeness > best_likeness:
                best, best_likeness = found, likeness
            if likeness > CERTAIN_LIKENESS:
                break
        return best

    def _same(self, seen: _Followed) -> Shift:
        return Shift("same", self.field, self._radii(seen.field), seen.error_px, "the board lies where it was")

    def _unclear(self, detail: str) -> Shift:
        return Shift("unclear", self.field, 0.0, 0.0, detail)

    def _radii(self, field: Field) -> float:
        went = np.linalg.norm(np.array(field.corners_px) - np.array(self.field.corners_px), axis=1).max()
        return float(went) / _radius_px(self.field)

    def _followed(self, gray: Image, start: Floats | None) -> _Followed | None:
        """Return where most features agree that the field went, begun at a guess; None when too few agree."""
        if start is None:
            return None
        points = self._points.reshape(-1, 1, 2)
        guess = _apply(start, self._points.astype(np.float64)).astype(np.float32).reshape(-1, 1, 2)
        flags = cv2.OPTFLOW_USE_INITIAL_FLOW
        stop = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 20, 0.03)
        there, ok, _ = cv2.calcOpticalFlowPyrLK(
            self._gray, gray, points, guess.copy(), winSize=WINDOW, maxLevel=3, criteria=stop, flags=flags
        )
        back, ok_back, _ = cv2.calcOpticalFlowPyrLK(
            gray, self._gray, there, points.copy(), winSize=WINDOW, maxLevel=3, criteria=stop, flags=flags
        )
        good = (ok[:, 0] > 0) & (ok_back[:, 0] > 0) & (np.linalg.norm(back - points, axis=2)[:, 0] < 1.0)
        if int(good.sum()) < LEAST_FEATURES:
            return None
        source, target = points[good, 0].astype(np.float64), there[good, 0].astype(np.float64)
        matrix, agreed = _best_model(source, target)
        if matrix is None:
            return None
        full = self._zoom @ matrix @ np.asarray(np.linalg.inv(self._zoom), np.float64)
        share = float(agreed.sum()) / len(self._points)
        if agreed.sum() < LEAST_FEATURES or agreed.mean() < LEAST_SHARE:
            return None
        field = _moved(self._seen, full) if _spread(_apply(self._zoom, source[agreed]), self._seen) else None
        if field is None:
            return None
        error = np.linalg.norm(_apply(matrix, source[agreed]) - target[agreed], axis=1)
        return _Followed(field, float(np.median(error)) * self._shrink, share)


def _best_model(source: Floats, target: Floats) -> tuple[Floats | None, NDArray[np.bool_]]:
    """Return the simplest motion that explains as many features as a homography does, and which they are.

    A small move of a camera is nearly a turn, shift and zoom; with fewer free numbers the corners, which lie
    outside most of the features, are found more exactly.
    """
    matrix, inliers = cv2.findHomography(source, target, cv2.RANSAC, 1.5, maxIters=500)
    if matrix is None:
        return None, np.zeros(len(source), bool)
    agreed = inliers[:, 0] > 0
    for simpler in (cv2.estimateAffinePartial2D, cv2.estimateAffine2D):
        flat, inliers = simpler(source, target, method=cv2.RANSAC, ransacReprojThreshold=1.5, maxIters=500)
        if flat is not None and inliers.sum() >= 0.95 * agreed.sum():
            return np.vstack([flat, [0, 0, 1.0]]), inliers[:, 0] > 0
    return np.asarray(matrix, np.float64), agreed


def _even(image_bgr: Image, shrink: int = 1) -> Image:
    """Return the picture in gray, smaller, with even contrast, so that the light does not matter."""
    gray = cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY)
    if shrink > 1:
        size = (gray.shape[1] // shrink, gray.shape[0] // shrink)
        gray = cv2.resize(gray, size, interpolation=cv2.INTER_AREA)
    gray = gray.astype(np.float32)
    smooth = cv2.blur(gray, (41, 41))
    spread = cv2.sqrt(cv2.max(cv2.blur(gray * gray, (41, 41)) - smooth * smooth, 0))
    even = (gray - smooth) / (spread + 6) * 45 + 128
    return np.asarray(np.clip(even, 0, 255), np.uint8)


def _edges(rectified: Image) -> NDArray[np.float32]:
    """Return the strength of edges in a rectified picture, blurred over a few pixels."""
    gray = _even(rectified).astype(np.float32)
    dx, dy = cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1)
    return np.asarray(cv2.GaussianBlur(cv2.magnitude(dx, dy), (0, 0), 2.0), np.float32)


def _likeness(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    x, y = a[::2, ::2].ravel(), b[::2, ::2].ravel()
    if x.std() < 1e-3 or y.std() < 1e-3:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


def _features(gray: Image, field: Field, zoom: Floats) -> NDArray[np.float32]:
    """Return corners on the board and its rim, spread over all of it; shape ``(n, 2)``."""
    out = 0.5 * field.column_px
    x0, y0 = MARGIN_PX - out, MARGIN_PX - out
    x1, y1 = MARGIN_PX + FIELD_WIDTH_PX + out, MARGIN_PX + field.height_px + out
    outline = field.to_picture(np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]))
    outline = _apply(np.asarray(np.linalg.inv(zoom), np.float64), outline)
    mask = np.zeros(gray.shape, np.uint8)
    cv2.fillPoly(mask, [np.round(outline).astype(np.int32)], 255)
    found = cv2.goodFeaturesToTrack(
        gray, 240, 0.02, max(4.0, 0.35 * _radius_px(field) / zoom[0, 0]), mask=mask, blockSize=3
    )
    if found is None:
        return np.zeros((0, 2), np.float32)
    return np.asarray(found, np.float32).reshape(-1, 2)


def _shifted(before: Image, after: Image) -> Floats | None:
    """Return the shift of the whole picture as a homography."""
    small = [cv2.resize(g, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) for g in (before, after)]
    window = cv2.createHanningWindow((small[0].shape[1], small[0].shape[0]), cv2.CV_32F)
    (dx, dy), _ = cv2.phaseCorrelate(small[0].astype(np.float32), small[1].astype(np.float32), window)
    return np.array([[1, 0, 2 * dx], [0, 1, 2 * dy], [0, 0, 1.0]])


def _matched(before: Image, after: Image) -> Floats | None:
    """Return the homography between two pictures by features that look alike, or None."""
    orb = cv2.ORB.create(1000)
    points_a, looks_a = orb.detectAndCompute(before, None)
    points_b, looks_b = orb.detectAndCompute(after, None)
    if looks_a is None or looks_b is None or len(points_a) < LEAST_FEATURES or len(points_b) < LEAST_FEATURES:
        return None
    pairs: Any = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(looks_a, looks_b)
    if len(pairs) < LEAST_FEATURES:
        return None
    source = np.array([points_a[p.queryIdx].pt for p in pairs])
    target = np.array([points_b[p.trainIdx].pt for p in pairs])
    matrix, inliers = cv2.findHomography(source, target, cv2.RANSAC, 4.0, maxIters=1000)
    if matrix is None or int(inliers.sum()) < LEAST_FEATURES:
        return None
    return np.asarray(matrix, np.float64)


GUESSES = (_shifted, _matched)
"""How to guess where the board may have gone, cheapest first."""


def _spread(points: Floats, field: Field) -> bool:
    """Tell whether points hold the whole field: some in at least three of its quarters."""
    x, y = (field.to_field(points) - np.array(field.center_px)).T
    quarters = (x > 0).astype(int) * 2 + (y > 0)
    return int((np.bincount(quarters, minlength=4) >= 3).sum()) >= 3


def _moved(field: Field, matrix: Floats) -> Field | None:
    """Return the field with its corners moved, or None when that is no field in the picture."""
    corners = _apply(matrix, np.array(field.corners_px))
    if not np.all(np.isfinite(corners)):
        return None
    new = tuple((float(x), float(y)) for x, y in corners)
    try:
        check_corners(new, field.picture_size_px)
    except CalibrationError:
        return None
    return field.with_(corners_px=new)


def _radius_px(field: Field) -> float:
    """Return about how large a checker's radius is in the picture."""
    corners = np.array(field.corners_px)
    edges = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return float(0.46 * field.column_px / FIELD_WIDTH_PX * (edges[0] + edges[2]) / 2)


def _apply(matrix: Floats, points: Floats) -> Floats:
    moved = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(moved[:, :2] / moved[:, 2:])
