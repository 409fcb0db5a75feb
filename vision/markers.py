"""Find the board: ArUco markers on the frame, or the start position itself.

Markers sit on the frame, 10 to 40 mm above the playing surface and outside it, so they only say roughly where the
field is; the checkers of the start position, or the points, say exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt

from controller.board import START_BOARD, Board
from controller.errors import CalibrationError
from vision.calibration import counts_grid, register_known, sample, settle
from vision.checkers import Slots, log_colors
from vision.field import USUAL_ASPECT, WHITE_HOMES, Field, Picture, check_picture, rectify
from vision.heat import field_heat, heat, tops

Floats = npt.NDArray[np.float64]

MARKER_IDS = (0, 1, 2, 3)
"""Markers at the far left, far right, near right and near left corner of the frame, as White sits."""

LEAST_SIDE_PX = 9.0
"""A marker smaller than this in the picture is noise."""

COLUMN_SHARES = (0.018, 0.024, 0.031, 0.041, 0.054)
"""Widths of a column that are tried, as shares of the picture's width."""

LEAST_LOGIT = 0.0
"""From this logit on a top counts when the field is looked for."""

MOST_TOPS = 44
"""So many of the surest tops are looked at: thirty, and some that are none."""

LEAST_TOPS = 16
"""With fewer tops than this nothing is tried."""

MOST_DROPPED = 10
"""So many outer tops are left out one after another."""

LATTICE_BAR = 1.0
"""Width of the bar in columns until it has been measured."""

ROUGH, GOOD = 0.3, 0.5
"""Merit from which on a guess is refined, and from which on it is believed."""

NOT_FOUND = (
    "the start position was not found in the picture; set up all thirty checkers, take hands and cups away, or "
    "give the four corners"
)


def find_markers(frame_bgr: Picture) -> dict[int, Floats]:
    """Return the corners of each of the four markers that is seen, in the picture; shape ``(4, 2)``."""
    gray = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(dictionary, settings)
    found: dict[int, Floats] = {}
    for zoom in (1, 2):
        view = gray if zoom == 1 else cv2.resize(gray, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
        corners, ids, _ = detector.detectMarkers(view)
        for square, number in zip(corners, [] if ids is None else ids.ravel(), strict=False):
            points = (np.asarray(square, np.float64).reshape(4, 2) + 0.5) / zoom - 0.5
            side = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1).min()
            if int(number) in MARKER_IDS and side >= LEAST_SIDE_PX:
                found.setdefault(int(number), points)
        if len(found) == len(MARKER_IDS):
            break
    return found


def find_field(frame_bgr: Picture, known: Board | None = START_BOARD, white_home: str | None = None) -> Field:
    """Find the field of the start position without being told its corners.

    In the start position the four corners of the lattice of slots are taken, so the outermost checkers are those
    at the corners of the field. Which corner is which, the pattern of stacks and colors says. Markers, where there
    are some, only bound where checkers are looked for.

    Args:
        frame_bgr: the picture.
        known: what stands there; None when that is not known.
        white_home: where White's home is in the rectified picture, if that is known.

    Raises:
        CalibrationError: the board was not found; the message says what helps.
    """
    check_picture(frame_bgr)
    if known != START_BOARD:
        raise CalibrationError("only the start position is found by itself; give the four corners")
    size = (frame_bgr.shape[1], frame_bgr.shape[0])
    inside = _inside_markers(find_markers(frame_bgr))
    best: tuple[float, Field] | None = None
    for column_px in _likely_columns(frame_bgr):
        found = heat(frame_bgr, column_px)
        xy, logits = tops(found, 0.7 * column_px, LEAST_LOGIT)
        keep = inside(xy)
        for quad in _quads(xy[keep][:MOST_TOPS], logits[keep][:MOST_TOPS]):
            for field in _fields(quad, size, white_home):
                merit = _merit(frame_bgr, field)
                if best is None or merit > best[0]:
                    best = (merit, field)
        if best is not None and best[0] > GOOD:
            break
    if best is None or best[0] < ROUGH:
        raise CalibrationError(NOT_FOUND)
    field = best[1]
    for _ in range(2):
        field, _slots = register_known(frame_bgr, field, START_BOARD, corner_px=0.01 * size[0])
    if _merit(frame_bgr, field) < GOOD:
        raise CalibrationError(NOT_FOUND)
    return field


def _inside_markers(found: dict[int, Floats]) -> Callable[[Floats], npt.NDArray[np.bool_]]:
    """Return a test for points between the markers; without three markers every point passes."""
    if len(found) < 3:
        return lambda xy: np.ones(len(xy), np.bool_)
    centers = {number: corners.mean(axis=0) for number, corners in found.items()}
    for number in MARKER_IDS:
        if number not in centers:
            across, left, right = (number + 2) % 4, (number + 1) % 4, (number + 3) % 4
            centers[number] = centers[left] + centers[right] - centers[across]
    hull = cv2.convexHull(np.array([centers[n] for n in MARKER_IDS], np.float32))

    def inside(xy: Floats) -> npt.NDArray[np.bool_]:
        tested = [cv2.pointPolygonTest(hull, (float(x), float(y)), False) >= 0 for x, y in xy]
        return np.array(tested, np.bool_)

    return inside


def _likely_columns(frame_bgr: Picture) -> list[float]:
    """Return widths of a column in the picture, those first at which the most checkers are seen."""
    width = frame_bgr.shape[1]
    scored = []
    for column_px in width * np.array(COLUMN_SHARES):
        _, logits = tops(heat(frame_bgr, float(column_px)), 0.7 * float(column_px), LEAST_LOGIT)
        scored.append((float(np.minimum(logits, 4.0)[:30].sum()), float(column_px)))
    return [column_px for _, column_px in sorted(scored, reverse=True)[:3]]


def _quads(xy: Floats, logits: Floats) -> Iterator[Floats]:
    """Yield the outermost four of the found tops, clockwise; then the same without the faintest outer ones."""
    xy, logits = xy.copy(), logits.copy()
    for _ in range(MOST_DROPPED):
        if len(xy) < LEAST_TOPS:
            return
        outer = cv2.convexHull(xy.astype(np.float32), returnPoints=False).ravel()
        hull = xy[outer]
        if len(hull) >= 4:
            yield _largest_quad(hull)
        drop = outer[int(np.argmin(logits[outer]))]
        xy, logits = np.delete(xy, drop, axis=0), np.delete(logits, drop)


def _largest_quad(hull: Floats) -> Floats:
    """Return the four points of a hull that span most, clockwise as seen in the picture."""
    best, area = hull[:4], -1.0
    for chosen in combinations(range(len(hull)), 4):
        quad = hull[list(chosen)]
        size = float(cv2.contourArea(quad.astype(np.float32)))
        if size > area:
            best, area = quad, size
    turn = float(cv2.contourArea(best.astype(np.float32), oriented=True))
    return best if turn > 0 else best[::-1].copy()


def _fields(quad: Floats, size: tuple[int, int], white_home: str | None) -> Iterator[Field]:
    """Yield the fields whose corner checkers lie at these four places: two ways round, and White's four homes."""
    wide, high = 12 + LATTICE_BAR, (12 + LATTICE_BAR) * USUAL_ASPECT
    lattice = np.array([(0.5, 0.485), (wide - 0.5, 0.485), (wide - 0.5, high - 0.485), (0.5, high - 0.485)])
    outline = np.array([[(0, 0), (wide, 0), (wide, high), (0, high)]], np.float32)
    middles = [(quad[i] + quad[(i + 1) % 4])[1] for i in range(4)]
    for first in (0, 1):
        begin = first if middles[first] <= middles[first + 2] else first + 2
        turned = np.roll(quad, -begin, axis=0)
        matrix = cv2.getPerspectiveTransform(lattice.astype(np.float32), turned.astype(np.float32))
        corners = cv2.perspectiveTransform(outline, matrix)[0]
        try:
            field = Field.of([(float(x), float(y)) for x, y in corners], size)
        except CalibrationError:
            continue
        for home in [white_home] if white_home else WHITE_HOMES:
            yield field.with_(white_home=home)


def _merit(frame_bgr: Picture, field: Field) -> float:
    """Return how well the start position agrees with the picture, at most 1; above `GOOD` it is proved."""
    flat = rectify(frame_bgr, field)
    slots = Slots()
    centers = slots.seen(field)[:, :, :5]
    _, logits = settle(field_heat(flat, field), centers, field, 0.3)
    grid = counts_grid(START_BOARD, field)
    depth = np.arange(5)
    white, black = depth < grid[..., None], depth < -grid[..., None]
    chance = 1 / (1 + np.exp(-np.clip(logits, -8, 8)))
    full = white | black
    discs = sample(log_colors(flat), centers, slots.radius_px(field) * 0.5).mean(axis=3)
    tones = discs.mean(axis=3)
    apart = (tones[white].mean() - tones[black].mean()) / (tones[white].std() + tones[black].std() + 0.05)
    spread = np.linalg.norm(discs[white].mean(axis=0) - discs[black].mean(axis=0))
    within = 0.5 * (discs[white].std(axis=0).mean() + discs[black].std(axis=0).mean()) + 0.05
    colored = float(np.tanh(spread / within / 3)) * float(np.tanh(2 * apart))
    return float(chance[full].mean() - chance[~full].mean()) * (0.6 + 0.4 * colored)
