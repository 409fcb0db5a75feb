"""Find the board: ArUco markers on the frame, or the start position itself.

Markers sit on the frame, 10 to 40 mm above the playing surface and outside it, so they only say roughly where the
field is; the checkers of the start position, or the points, say exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import cv2
import numpy as np
import numpy.typing as npt

from controller.board import START_BOARD, Board
from controller.errors import CalibrationError
from vision.calibration import counts_grid, register_known, sample, settle
from vision.checkers import Slots, log_colors
from vision.field import WHITE_HOMES, Field, Picture, check_picture, rectify
from vision.heat import field_heat, heat, tops
from vision.lattice import Tops, likeliest
from vision.rim import refine

Floats = npt.NDArray[np.float64]

MARKER_IDS = (0, 1, 2, 3)
"""Markers at the far left, far right, near right and near left corner of the frame, as White sits."""

LEAST_SIDE_PX = 9.0
"""A marker smaller than this in the picture is noise."""

COLUMN_SHARES = (0.018, 0.024, 0.031, 0.041, 0.054, 0.071)
"""Widths of a column that are tried, as shares of the picture's longer side."""

AT_ONCE = 3
"""Widths next to each other that are looked at together: a tilted board has near and far columns."""

LEAST_LOGIT = 0.0
"""From this logit on a top counts when the field is looked for."""

LEAST_TOPS = 12
"""With fewer tops than this nothing is tried."""

LEAST_SCORE = 6.0
"""So many more checkers must be met than tops are left over before a guess is looked at closer."""

ROUGH, GOOD, PROVED = 0.3, 0.5, 0.95
"""Merit from which on a guess is refined, from which on it is believed, and from which on no other is tried."""

NEAR = 0.01
"""How far the corners of a guess may be off, a share of the longer side of the picture."""

LEVEL = 0.15
"""Rows of a board seen from its short side are level when their middles differ by this share of its size."""

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

    Tops of checkers say roughly where it lies and which way; the points and the rim say exactly where it ends.
    Markers, where there are some, only bound where checkers are looked for.

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
    near_px = NEAR * max(frame_bgr.shape[:2])
    best: tuple[float, Field] | None = None
    for guess in _guesses(frame_bgr, white_home):
        judged = _judged(frame_bgr, guess)
        if ROUGH < judged[0] < PROVED:
            pulled, _ = register_known(frame_bgr, judged[1], START_BOARD, near_px)
            judged = _judged(frame_bgr, [pulled])
        if best is None or judged[0] > best[0]:
            best = judged
        if judged[0] > PROVED:
            break
    if best is None or best[0] < ROUGH:
        raise CalibrationError(NOT_FOUND)
    rough, _ = register_known(frame_bgr, best[1], START_BOARD, near_px)
    rough = rough.with_(lens=min(rough.lens, 0.0), focal_px=best[1].focal_px)
    field, _ = refine(frame_bgr, rough, Slots(), START_BOARD, near_px)
    if _judged(frame_bgr, [field])[0] < GOOD:
        raise CalibrationError(NOT_FOUND)
    return field


def _guesses(frame_bgr: Picture, white_home: str | None) -> Iterator[list[Field]]:
    """Yield places where the field may lie, the likeliest first; each with the homes White may have there."""
    size = (frame_bgr.shape[1], frame_bgr.shape[0])
    inside = _inside_markers(find_markers(frame_bgr))
    seen = []
    for column_px in max(size) * np.array(COLUMN_SHARES):
        xy, logits = tops(heat(frame_bgr, float(column_px)), 0.7 * float(column_px), LEAST_LOGIT)
        keep = inside(xy)
        seen.append((xy[keep], logits[keep], np.full(keep.sum(), float(column_px))))
    for first in reversed(range(len(seen) - AT_ONCE + 1)):
        xy, logits, column_px = (np.concatenate(part) for part in zip(*seen[first : first + AT_ONCE], strict=True))
        if len(xy) < LEAST_TOPS:
            continue
        found, scores = likeliest(Tops.of(xy, logits, column_px), size)
        for i in np.nonzero(scores > LEAST_SCORE)[0]:
            fields = list(_fields(found.corners()[i], float(found.bar[i]), size, white_home))
            if fields:
                yield fields


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


def _fields(corners: Floats, bar: float, size: tuple[int, int], white_home: str | None) -> Iterator[Field]:
    """Yield the fields with these corners, home boards between the second and third, upper row first."""
    share = bar / (12 + bar)
    rows = [corners[[i, (i + 1) % 4], 1].mean() for i in (0, 2)]
    level = abs(rows[0] - rows[1]) < LEVEL * np.ptp(corners[:, 1])
    for turned, side in ((0, "right"), (2, "left")):
        homes = [home for home in WHITE_HOMES if home.endswith(side) and white_home in (None, home)]
        upper = rows[0] <= rows[1] if turned == 0 else rows[0] > rows[1]
        if not homes or not (upper or (level and white_home)):
            continue
        ordered = [(float(x), float(y)) for x, y in np.roll(corners, -turned, axis=0)]
        try:
            field = Field.of(ordered, size)
        except CalibrationError:
            continue
        for home in homes:
            yield field.with_(white_home=home, bar=(0.5 - share / 2, 0.5 + share / 2))


def _judged(frame_bgr: Picture, fields: list[Field]) -> tuple[float, Field]:
    """Return how well the start position agrees with the picture in the best of some fields, and that field."""
    return max(((_merit(frame_bgr, field), field) for field in fields), key=lambda judged: judged[0])


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
