"""When the board may be read: nothing moves, no hand, arm or other thing that does not belong there is over it.

Each frame is compared with the board as it was calibrated and as it was last seen clear, in an *overview*: the
rectified field at a low scale with a wide margin, because hands come in over the rim. A changed light is taken out
first: a smooth gain per color, measured where the picture is the old one but brighter or darker. What remains is
either small (checkers, dice, cube), or it reaches in from outside: that is a hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Frame
from vision.field import FIELD_WIDTH_PX, MARGIN_PX, Field

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]
Floats = NDArray[np.float32]

VIEW_WIDTH_PX = 240
"""Width of the playing surface in the overview: a checker is about 16 px wide, a wrist 25."""

VIEW_MARGIN_PX = 48
"""What the overview shows around the surface: rim, trays and some of the table, about 2.5 columns."""

HIDDEN_SHARE = 0.28
"""A site with more than this share of its column under something foreign is not readable."""

QUIET_S = 0.4
"""So long nothing may move before a frame counts as settled: fingers pause shorter than this between moves."""

VIDEO_GAP_S = 0.6
"""Frames further apart than this are single pictures; that they differ says nothing about motion."""

MOTION_LEVEL = 14
"""Gray levels by which a pixel of the 320 px picture must change to count as motion: above sensor noise."""

MOTION_SHARE = 0.0008
"""Share of such pixels that means motion: about a third of a checker."""

DROWNED_LEVEL = 42
"""Where only more gray levels than this would count as motion, the light has changed too much to tell: dice and
checkers differ from the board by little more."""

SAME_SHARE = 0.00007
"""Share up to which a picture is still the last one: four pixels, less than the smallest die."""

LOW, HIGH = 0.15, 0.30
"""Log-ratios of brightness: what differs at all, and what certainly does. Noise is 0.02 to 0.08."""

PATTERN_LIKENESS = 0.8
"""Correlation of fine structure from which a place is the same board in other light; a hand reaches 0.7."""

PATTERN_NOISE = 0.5
"""Half of a shadow's pixels differ in fine structure by less than this share of the noise; 0.4 was seen. Of a hand
that keeps the tint, a gray sleeve, they differ by five times as much."""

SHADE_SHARE = 0.8
"""Of a shadow's pixels at least so many keep their tint."""

NEAR_LOW = 0.12
"""What counts as different beside a hand that was found."""


@dataclass(frozen=True, slots=True, eq=False)
class Foreign:
    """What is over the board and does not belong there.

    Attributes:
        view: the overview it was looked for in.
        hand: a hand, an arm or something else reaches in over the rim.
        mask: 1 where it is, in the overview; shape of `overview`.
        hidden: share of each site's column that it hides, index 0 is site 1, 0 to 1.
        bar_hidden: share of the top and of the bottom half of the bar, as in the rectified picture.
    """

    view: Image
    hand: bool
    mask: Mask
    hidden: tuple[float, ...]
    bar_hidden: tuple[float, float]

    def hides(self, site: int) -> bool:
        """Tell whether a site can not be read because of it."""
        return self.hidden[site - 1] > HIDDEN_SHARE


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What the gate says about one frame.

    Attributes:
        state: ``"moving"``, ``"hand"`` or ``"settled"``.
        foreign: what is over the board; None while something moves.
        motion: share of the picture that changed since the frame before, 0 to 1.
        fresh: False when the picture is the same, up to noise, as the last one that was looked at.
    """

    state: str
    foreign: Foreign | None
    motion: float
    fresh: bool


@dataclass(frozen=True, eq=False)
class _Plan:
    """How the overview of a field is made and what lies where in it."""

    maps: tuple[Any, Any]
    shrink: int
    inside: Mask  # 1 where the camera sees the place
    away: NDArray[np.int16]  # distance from the playing surface, negative inside
    limit: Mask  # 1 along the end of what is seen
    columns: tuple[tuple[int, int, int, int], ...]
    bar: tuple[tuple[int, int, int, int], ...]

    def within(self, seen: Mask) -> _Plan:
        """Return the plan for what was also seen before."""
        inside = self.inside & seen
        return replace(self, inside=inside, limit=_end_of(inside))


def _end_of(inside: Mask) -> Mask:
    """Return 1 along the end of what is seen."""
    core = cv2.erode(inside, np.ones((7, 7), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(inside & (1 - core), np.uint8)


@lru_cache(maxsize=4)
def _plan(field: Field) -> _Plan:
    scale, m = VIEW_WIDTH_PX / FIELD_WIDTH_PX, VIEW_MARGIN_PX
    height = round(field.height_px * scale)
    x, y = np.meshgrid(np.arange(VIEW_WIDTH_PX + 2 * m), np.arange(height + 2 * m))
    flat = np.stack([((x - m) / scale + MARGIN_PX).ravel(), ((y - m) / scale + MARGIN_PX).ravel()], axis=1)
    shrink = max(1, round(field.picture_size_px[0] / 640))
    at = field.to_picture(flat).reshape(*x.shape, 2)
    size = np.array(field.picture_size_px)
    inside = np.all((at >= 0) & (at <= size - 1), axis=2).astype(np.uint8)
    at = (at + 0.5) / shrink - 0.5
    maps = cv2.convertMaps(at.astype(np.float32), None, cv2.CV_16SC2)
    away = np.maximum(np.maximum(m - x, x - (m + VIEW_WIDTH_PX - 1)), np.maximum(m - y, y - (m + height - 1)))

    def box(x0: float, y0: float, x1: float, y1: float) -> tuple[int, int, int, int]:
        left, top, right, bottom = (round((v - MARGIN_PX) * scale + m) for v in (x0, y0, x1, y1))
        return left, top, max(right, left + 1), max(bottom, top + 1)

    columns = []
    for site in range(1, 25):
        x0, y0, x1, y1 = field.column(*field.place(site))
        long = min(y1 - y0, 4.65 * field.column_px)  # five checkers
        columns.append(box(x0, y0, x1, y0 + long) if field.place(site)[0] == 0 else box(x0, y1 - long, x1, y1))
    middle = MARGIN_PX + field.height_px / 2
    left, right = field.bar_px
    bar = (box(left, MARGIN_PX, right, middle), box(left, middle, right, MARGIN_PX + field.height_px))
    return _Plan(maps, shrink, inside, away.astype(np.int16), _end_of(inside), tuple(columns), bar)


def overview(frame_bgr: Image, field: Field) -> Image:
    """Return the field from above at a low scale with a wide margin; BGR, black where the camera sees nothing.

    Slightly blurred, so that sensor noise does not count as change.
    """
    plan = _plan(field)
    small = frame_bgr
    if plan.shrink > 1:
        size = (frame_bgr.shape[1] // plan.shrink, frame_bgr.shape[0] // plan.shrink)
        small = np.asarray(cv2.resize(frame_bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
    flat = cv2.remap(small, plan.maps[0], plan.maps[1], cv2.INTER_LINEAR)
    return np.asarray(cv2.blur(flat, (3, 3)), np.uint8)


def inside_view(field: Field) -> Mask:
    """Return 1 where the camera sees the place, in the overview."""
    return _plan(field).inside


_LOGS = np.log(np.arange(256, dtype=np.float32) + 16)


def logs(view: Image) -> Floats:
    """Return the logarithms of an overview's colors."""
    return np.asarray(cv2.LUT(view, _LOGS), np.float32)


def log_ratio(view: Image, base: Image, inside: Mask) -> Floats:
    """Return how much brighter each pixel is than in `base` beyond the change of the light, per color.

    The light is the local median ratio, weighed by how uniform the ratio is within each block: under other light
    a piece of board stays itself times a factor, under a sleeve it does not.
    """
    difference = np.asarray(cv2.subtract(logs(view), logs(base)), np.float32)
    block, reach = 24, 5
    rows, cols = difference.shape[0] // block, difference.shape[1] // block
    cut = difference[: rows * block, : cols * block].reshape(rows, block, cols, block, 3)
    samples = cut[:, 3::6, :, 3::6].transpose(0, 2, 4, 1, 3).reshape(rows, cols, 3, -1)
    gain = _medians(samples)
    spread = _medians(np.abs(samples - gain[..., None])).max(axis=-1)
    seen = inside[: rows * block, : cols * block].reshape(rows, block, cols, block).min(axis=1).min(axis=-1)
    weight = np.exp(-spread / 0.06) * seen + 1e-6
    smooth = _weighted_medians(gain, weight, reach)
    light = cv2.resize(smooth, (cols * block, rows * block), interpolation=cv2.INTER_LINEAR)
    down, right = difference.shape[0] - rows * block, difference.shape[1] - cols * block
    light = cv2.copyMakeBorder(light, 0, down, 0, right, cv2.BORDER_REPLICATE)
    return np.asarray(cv2.subtract(difference, light), np.float32)


def _weighted_medians(values: Floats, weights: NDArray[np.floating[Any]], reach: int) -> Floats:
    """Return the weighted median over the `reach` by `reach` neighbours of each block, per color."""
    edge, around = (reach // 2,) * 4, (reach, reach)
    padded = np.asarray(cv2.copyMakeBorder(values, *edge, cv2.BORDER_REPLICATE))
    heavy = np.asarray(cv2.copyMakeBorder(weights, *edge, cv2.BORDER_CONSTANT, value=0))
    near = np.lib.stride_tricks.sliding_window_view(padded, around, axis=(0, 1)).reshape(-1, reach**2)
    mass = np.lib.stride_tricks.sliding_window_view(heavy, around).reshape(-1, reach**2)
    order = np.argsort(near, axis=-1)
    each = np.arange(len(near))[:, None]
    total = np.cumsum(mass[each // values.shape[2], order], axis=-1)
    middle = (total >= total[:, -1:] / 2).argmax(axis=-1)
    at = order[each[:, 0], middle]
    return np.asarray(near[each[:, 0], at].reshape(values.shape), np.float32)


def _medians(values: Floats) -> Floats:
    """Return the medians along the last axis, which has an even length."""
    half = values.shape[-1] // 2
    ordered = np.sort(values, axis=-1)
    return np.asarray((ordered[..., half - 1] + ordered[..., half]) / 2, np.float32)


def _disc(diameter: int) -> Mask:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (diameter, diameter)), np.uint8)


_SQUARE, _DISC5, _BESIDE = np.ones((3, 3), np.uint8), _disc(5), np.ones((23, 23), np.uint8)


def find_foreign(view: Image, bases: Sequence[Image], field: Field, seen: Mask | None = None) -> Foreign:
    """Return what reaches in over the board.

    Args:
        view: overview of the frame.
        bases: overviews without anything foreign, oldest first: of the calibration, and the last clear one. A
            pixel must differ from all of them.
        field: where the board lies in the frame.
        seen: 1 where the bases show something, when the camera stood elsewhere then.
    """
    plan = _plan(field) if seen is None else _plan(field).within(seen)
    ratio = log_ratio(view, bases[-1], plan.inside)
    size = _size(ratio, plan)
    noise = _noise(size, plan)
    mask = _no_shadow(_reaching_in(size, noise, plan), view, bases[-1], _same_tint(ratio), noise)
    for base in bases[-2::-1]:
        if mask is None:
            break
        other = log_ratio(view, base, plan.inside)
        other_size = _size(other, plan)
        closer = other_size < size
        ratio = np.where(closer[..., None], other, ratio)
        size = np.minimum(other_size, size)
        noise = _noise(size, plan)
        mask = _no_shadow(_reaching_in(size, noise, plan), view, base, _same_tint(ratio), noise)
    if mask is None:
        return Foreign(view, False, np.zeros(size.shape, np.uint8), (0.0,) * 24, (0.0, 0.0))
    mask = _whole_hand(mask, ratio, size, noise)
    hidden = tuple(float(mask[y0:y1, x0:x1].mean()) for x0, y0, x1, y1 in plan.columns)
    top, bottom = (float(mask[y0:y1, x0:x1].mean()) for x0, y0, x1, y1 in plan.bar)
    return Foreign(view, True, mask, hidden, (top, bottom))


def _no_shadow(
    mask: Mask | None, view: Image, base: Image, same_tint: NDArray[np.bool_], noise: float
) -> Mask | None:
    """Return the mask without blobs in which the board itself goes on: edges of shadows and of sunlight.

    There its pattern is the same; or nearly all of the blob keeps its tint, and most of it its fine structure,
    but for checkers and dice that came or went in it.
    """
    if mask is None:
        return None
    count, labels = cv2.connectedComponents(mask, connectivity=8)
    kept = np.zeros(mask.shape, np.uint8)
    fine = [_pattern(picture) for picture in (view, base)]
    for i in range(1, count):
        blob = labels == i
        now, before = fine[0][blob], fine[1][blob]
        likeness = float((now * before).sum() / (np.linalg.norm(now) * np.linalg.norm(before) + 1e-6))
        still = float(np.median(np.abs(now - before))) < PATTERN_NOISE * noise
        if likeness < PATTERN_LIKENESS and not (still and same_tint[blob].mean() > SHADE_SHARE):
            kept |= blob.astype(np.uint8)
    return kept if kept.any() else None


def _pattern(picture: Image) -> Floats:
    """Return the fine structure of a picture in log brightness: what stays when only the light changes."""
    logs = np.asarray(cv2.LUT(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), _LOGS), np.float32)
    return np.asarray(logs - cv2.blur(logs, (9, 9)), np.float32)


def _noise(size: Floats, plan: _Plan) -> float:
    """Return the usual difference where nothing happened."""
    few = size[::4, ::4][plan.inside[::4, ::4] > 0]
    return float(np.median(few)) if few.size else 0.0


def _size(ratio: Floats, plan: _Plan) -> Floats:
    """Return the largest difference of the three colors; 0 where the camera sees nothing."""
    blue, green, red = cv2.split(cv2.absdiff(ratio, np.zeros_like(ratio)))
    return np.asarray(cv2.max(cv2.max(blue, green), red) * plan.inside, np.float32)


OUTSIDE_AREA = 200
"""A hand across the rim covers at least so much of the overview 1.5 checker radii outside the field; a checker
that leans over the rim, with its shadow on the wall, mostly covers less."""


def _reaching_in(size: Floats, noise: float, plan: _Plan) -> Mask | None:
    """Return the blobs that come from the end of what is seen up to the field, or cross its rim; None: none."""
    low, high = max(LOW, 3.5 * noise), max(HIGH, 6 * noise)
    blobs = cv2.morphologyEx((size > low).astype(np.uint8), cv2.MORPH_OPEN, _SQUARE)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(blobs, connectivity=8)
    strong = np.bincount(labels[size > high], minlength=count)
    mask = None
    for i in range(1, count):
        x, y, w, h, area = (int(v) for v in stats[i])
        if strong[i] < 30 or area < 100:
            continue
        part = (slice(y, y + h), slice(x, x + w))
        blob = labels[part] == i
        away = plan.away[part][blob]
        at_limit = int(plan.limit[part][blob].sum())
        # An arm that ends at the field: within 0.8 columns of it; dice and cubes there are smaller.
        arm = at_limit >= 8 and away.min() <= 14 and strong[i] >= 100 and area >= 250
        # A hand across the rim: broader than a die 1.5 checker radii outside, where no leaning checker reaches.
        across = int(((away >= 12) & (away < 14)).sum()) / 2
        crossing = across >= 8 and int((away >= 12).sum()) >= OUTSIDE_AREA and int((away <= -3).sum()) >= 30
        if arm or crossing:
            mask = np.zeros(size.shape, np.uint8) if mask is None else mask
            mask[part] |= blob.astype(np.uint8)
    return mask


def _same_tint(ratio: Floats) -> NDArray[np.bool_]:
    """Return where a picture is brighter or darker and has the same tint: shadows and light, mostly."""
    blue, green, red = cv2.split(ratio)
    spread = cv2.max(cv2.max(blue, green), red) - cv2.min(cv2.min(blue, green), red)
    return np.asarray(spread < 0.10 + 0.04 * np.abs(blue + green + red))


def _whole_hand(mask: Mask, ratio: Floats, size: Floats, noise: float) -> Mask:
    """Return the mask without its shadow, with what weaker differences beside it and holes belong to it."""
    shadow = ((ratio.max(axis=2) < 0) & _same_tint(ratio) & (size < 0.8)).astype(np.uint8)
    shadow = np.asarray(cv2.morphologyEx(shadow, cv2.MORPH_OPEN, _DISC5), np.uint8)
    weak = ((size > max(NEAR_LOW, 2.5 * noise)) & (shadow == 0)).astype(np.uint8)
    mask = mask & (1 - shadow)
    mask |= cv2.dilate(mask, _BESIDE) & cv2.morphologyEx(weak, cv2.MORPH_OPEN, _SQUARE)
    weak = np.asarray(cv2.morphologyEx(weak, cv2.MORPH_OPEN, _DISC5), np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(weak, connectivity=8)
    large = stats[:, 4] >= 350  # more than a checker and dice
    for _ in range(2):
        beside = np.unique(labels[cv2.dilate(mask, _BESIDE) > 0])
        chosen = np.zeros(len(stats), bool)
        chosen[beside] = large[beside]
        chosen[0] = False
        mask |= chosen[labels].astype(np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, _DISC5, iterations=4), np.uint8)
    _, holes, sizes, _ = cv2.connectedComponentsWithStats(1 - mask, connectivity=4)
    small = sizes[:, 4] < 500
    small[0] = False
    mask |= small[holes].astype(np.uint8)
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, _DISC5), np.uint8)


class Gate:
    """Looks at every frame and says when the board may be read.

    Args:
        field: where the board lies in the pictures.
        reference_bgr: a picture of the board without a hand, of the calibration.
    """

    def __init__(self, field: Field, reference_bgr: Image) -> None:
        self._field = field
        self._reference = overview(reference_bgr, field)
        self._seen: Mask | None = None
        self._clear: Image | None = None
        self._before: tuple[float, Image] | None = None
        self._still_since_s = 0.0
        self._judged: tuple[Image, Look] | None = None

    def restart(self, field: Field) -> None:
        """Go on with another field after the camera moved; what was known of the board stays known."""
        before = inside_view(self._field) if self._seen is None else self._seen
        self._seen = before & inside_view(field)
        self._field, self._judged = field, None

    def look(self, frame: Frame) -> Look:
        """Judge one frame; the pictures must come in order of time."""
        thumb = _thumb(frame.image)
        motion = self._motion(frame.at_s, thumb)
        if motion > MOTION_SHARE:
            self._still_since_s = frame.at_s
        video = self._before is not None and frame.at_s - self._before[0] < VIDEO_GAP_S
        self._before = (frame.at_s, thumb)
        if video and frame.at_s - self._still_since_s < QUIET_S:
            return Look("moving", None, motion, True)
        if self._judged is not None and _changed(self._judged[0], thumb) <= SAME_SHARE:
            last = self._judged[1]
            return Look(last.state, last.foreign, motion, False)
        return self._judge(frame, thumb, motion)

    def _judge(self, frame: Frame, thumb: Image, motion: float) -> Look:
        view = overview(frame.image, self._field)
        bases = [self._reference] if self._clear is None else [self._reference, self._clear]
        found = find_foreign(view, bases, self._field, self._seen)
        if not found.hand:
            self._clear = view
        look = Look("hand" if found.hand else "settled", found, motion, True)
        self._judged = (thumb, look)
        return look

    def _motion(self, at_s: float, thumb: Image) -> float:
        if self._before is None or at_s - self._before[0] >= VIDEO_GAP_S:
            return 0.0
        return _changed(self._before[1], thumb)


def _thumb(image: Image) -> Image:
    """Return the picture in gray, 320 px wide."""
    height = max(1, round(image.shape[0] * 320 / image.shape[1]))
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.resize(gray, (320, height), interpolation=cv2.INTER_AREA), np.uint8)


def _changed(before: Image, after: Image) -> float:
    """Return the share of pixels that changed beyond noise; a change of all of them alike is light, not motion.

    It is 1 where the light has changed so much that no motion could be told.
    """
    if before.shape != after.shape:
        return 1.0
    difference = cv2.subtract(after, before, dtype=cv2.CV_16S)
    few = difference[::4, ::4]
    middle = np.int16(np.median(few))
    noise = float(np.median(np.abs(few - middle))) * 1.5  # standard deviation, were it all noise
    if 5 * noise > DROWNED_LEVEL:
        return 1.0
    return float(np.mean(np.abs(difference - middle) > max(MOTION_LEVEL, 5 * noise)))
