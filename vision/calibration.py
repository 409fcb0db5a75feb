"""What one camera's board looks like: field, slots, the empty surface, both kinds of checkers, and the light.

All colors are logarithms (`checkers.log_colors`), so that a change of light is an offset.
"""

from __future__ import annotations

import dataclasses
import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from controller.board import Board
from controller.errors import CalibrationError
from vision.checkers import (
    SLOTS,
    Floats,
    Found,
    Plane,
    Slots,
    fit,
    known_slots,
    log_colors,
    raised,
)
from vision.field import FIELD_WIDTH_PX, WHITE_HOMES, Field, Picture, rectify
from vision.heat import Heat, field_heat
from vision.light import USUAL_SIGMA, Unlit
from vision.news import Base
from vision.settle import overview

Grid = npt.NDArray[np.int64]
Value = TypeVar("Value", bound=np.generic)

DISC, BELIEVED_DISC = 0.9, 0.78
"""Share of a checker's radius that is compared where it is certain how they lie and where it is only believed.

The edge shows the color that glare hides in the middle, and what lies beside a checker that is off its slot."""

POINTS = 41
"""Places on a disc at which colors are compared."""

OTHER_SIDE = 1.2
"""How much lighter White's checkers are than Black's, logarithms, while only one side is seen."""

PITCH = 2.03
"""Distance between the centres of touching checkers in radii: there is always a little air."""

SURE_LOGIT = -1.0
"""From this logit on the net's word counts for where a top lies."""

USUAL_LOGITS = (-3.4, 7.4, 2.5)
"""Logit of an empty slot, of a checker, and how far both differ, while nothing is known of the board.

Of 3,291 slots on pictures of twelve rendered sequences 20 of 28 with a logit of 0 to 2 were empty, and 2 of 8 with
one of 2 to 3.
"""

LOGIT_SPREAD = 2.0
"""Logits of the same thing differ at least so much from place to place, one standard deviation."""

BESIDE, BESIDE_REACH = 1.0, 0.2
"""Mean logit of checkers by which places beside the field must be better to be believed, and reach in columns."""

BARS = (0.0, 0.04, 0.075, 0.11)
"""Widths of the bar that are tried, as shares of the field's width."""

BETTER_BAR = 0.3
"""Mean log-odds of checkers by which another width of the bar must be better to be believed."""

FIRST_REACH, NEXT_REACHES = 0.32, (0.2, 0.16)
"""How far from where they should be seen, in columns, known checkers are looked for, round by round."""

EDGE_PX = 0.3
"""How far an edge may be off in the rectified picture."""

LAST_SIGMA = 0.03
"""How far a checker that nobody touched differs from one picture to the next at the same place."""

BORROWED_SIGMA = 0.22
"""How far an empty point's colors may be off whose look is borrowed from other points of its color, logarithms."""


@dataclass(frozen=True, eq=False)
class Look:
    """What the tops of one side's checkers look like: some of them, each as it was seen.

    Attributes:
        discs: colors of each at the places of the disc, shape ``(n, POINTS, 3)``.
        places: where each was seen, shares of the field's width from the middle, shape ``(n, 2)``.
        slope: change of color along x and y (per field width), shape ``(2, 3)``: uneven light.
        sigma: how far two of them differ at the same place, logarithms.
        certain: False when they are only believed to be checkers: then none vouches for its own place.
    """

    discs: Plane
    places: Floats
    slope: Plane
    sigma: float
    certain: bool = True

    @cached_property
    def colors(self) -> Plane:
        """The discs as `by_tint` gives them, shape ``(3, n, POINTS)``."""
        return by_tint(self.discs)

    @cached_property
    def tones(self) -> Plane:
        """The color of each disc as a whole, shape ``(3, n)``."""
        return np.asarray(self.colors.mean(axis=-1))

    @cached_property
    def textures(self) -> Plane:
        """How colors on each disc differ from that, shape ``(n, 3 * POINTS)``."""
        flat = self.colors - self.tones[..., None]
        return np.ascontiguousarray(np.moveaxis(flat, 0, 1)).reshape(len(self.discs), -1)


@dataclass(frozen=True, eq=False)
class Calibration:
    """All that reading needs to know about one board under one camera.

    Attributes:
        field: the playing surface, refined.
        slots: where checkers lie on it.
        empty: what the empty board looks like, shape of the rectified picture.
        sigma: how far the empty board may differ from that at each pixel.
        known: which pixels of the empty board have been seen themselves, not borrowed.
        white: look of White's checkers.
        black: look of Black's checkers.
        round_empty: logit of a checker at each slot when it is empty, shape ``(2, 12, SLOTS)``.
        heat: heat of the picture it was learned from.
        round_full: mean and standard deviation of the logit of a checker.
        round_spread: standard deviation of the logit of an empty slot from `round_empty`.
        picture: the rectified picture it was learned from.
        last: colors of the last picture whose position was certain, in the light of the calibration.
        board: what stood there then.
        certain: False while the board is only believed; then the last picture proves nothing.
        doubted: how much the look of the empty surface counts while it is only believed, 0 to 1.
        clear: overviews of pictures without a hand: the first one, and the last certain one.
        unlit: the empty board, ready for telling how the light has changed; worked out while nobody waits.
        bases: the empty board and the last certain picture, ready for telling what is new.
        seen: how much of the surface on each slot has been seen itself, 0 to 1, shape ``(2, 12, SLOTS)``.
    """

    field: Field
    slots: Slots
    empty: Plane
    sigma: Plane
    known: npt.NDArray[np.bool_]
    white: Look
    black: Look
    round_empty: Floats
    heat: Heat
    round_full: tuple[float, float]
    round_spread: float
    picture: Picture
    last: Plane
    board: Board
    certain: bool
    clear: tuple[npt.NDArray[np.uint8], ...] = ()
    doubted: float = 0.12
    unlit: Unlit = dataclasses.field(init=False)
    bases: tuple[Base, Base] = dataclasses.field(init=False)
    seen: Floats = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        bases = Base.of(self.empty, self.sigma), Base.of(self.last, LAST_SIGMA)
        object.__setattr__(self, "unlit", Unlit.of(self.empty, self.sigma))
        object.__setattr__(self, "bases", bases)
        seen = sample(self.known, self.slots.seen(self.field), self.disc_px).mean(axis=-1)
        object.__setattr__(self, "seen", seen)

    @property
    def disc_px(self) -> float:
        """Radius of the part of a checker's top that is compared, in the rectified picture."""
        return self.slots.radius_px(self.field) * (DISC if self.certain else BELIEVED_DISC)


_N = np.arange(POINTS) + 0.5
_ANGLES = _N * np.pi * (3 - np.sqrt(5))
_FAR, _ACROSS, _DOWN = np.sqrt(_N / POINTS), np.cos(_ANGLES), np.sin(_ANGLES)


def disc_points(radius_px: float) -> Floats:
    """Return `POINTS` places spread evenly over a disc, as offsets from its centre; shape ``(POINTS, 2)``."""
    r = radius_px * _FAR
    return np.stack([r * _ACROSS, r * _DOWN], axis=1)


def disc_pixels(centers: Floats, radius_px: float, shape: tuple[int, ...]) -> Grid:
    """Return which pixels, counted row by row, lie at the places of discs; shape ``(…, POINTS)``.

    Args:
        centers: the discs' centres, shape ``(…, 2)``.
        radius_px: radius of the discs.
        shape: height and width of the picture; places beyond its rim are those at the rim.
    """
    points = disc_points(radius_px)
    x, y = (np.rint(centers[..., i, None] + points[:, i]) for i in (0, 1))
    for at, most in ((x, shape[1] - 1), (y, shape[0] - 1)):
        np.minimum(np.maximum(at, 0, out=at), most, out=at)
    return np.asarray(y * shape[1] + x, np.int64)


def taken(values: npt.NDArray[Value], pixels: Grid) -> npt.NDArray[Value]:
    """Return the values of a picture at pixels counted row by row."""
    return values.reshape(-1, *values.shape[2:]).take(pixels, axis=0)


def sample(values: npt.NDArray[Value], centers: Floats, radius_px: float) -> npt.NDArray[Value]:
    """Return the values on the discs about some centres; shape ``(…, POINTS)`` plus that of a pixel."""
    return taken(values, disc_pixels(centers, radius_px, values.shape))


BRIGHT = np.float32(1 / np.sqrt(3))
"""Mean of blue, green and red per unit of the first of the colors that `by_tint` gives."""

_TINTS = np.array([(2, 2, 2), (6**0.5, 0, -(6**0.5)), (2**0.5, -(8**0.5), 2**0.5)], np.float32) / np.float32(
    12**0.5
)


def by_tint(colors: Plane) -> Plane:
    """Return colors turned so that the first is brightness and the others are tint, each as a plane of its own.

    Distances stay what they are. Shape ``(…, 3)`` in, ``(3, …)`` out.
    """
    return np.asarray(_TINTS @ colors.reshape(-1, 3).T, np.float32).reshape(3, *colors.shape[:-1])


def from_tint(colors: Plane) -> Plane:
    """Return blue, green and red of what `by_tint` gives; shape ``(3, …)`` in and out."""
    return np.asarray(np.tensordot(_TINTS.T, colors, axes=1), np.float32)


def counts_grid(board: Board, field: Field) -> Grid:
    """Return the signed counts by row and column of the rectified picture; shape ``(2, 12)``."""
    grid = np.zeros((2, 12), np.int64)
    for site, count in enumerate(board.points, start=1):
        grid[field.place(site)] = count
    return grid


def calibrate(frame_bgr: Picture, field: Field, known: Board) -> Calibration:
    """Learn the board from a picture in which the position is known.

    Where the field does not say where White's home is, the one of the four orientations is taken that the picture
    proves.

    Args:
        frame_bgr: the picture.
        field: its field, as given or found.
        known: what stands there, with checkers of both sides on its points.

    Raises:
        CalibrationError: the picture does not show that position, or shows it beside the field.
    """
    if min(sum(n > 0 for n in known.points), sum(n < 0 for n in known.points)) < 1:
        raise CalibrationError("a known position needs checkers of both sides on its points")
    if field.white_home is None:
        field = orient(frame_bgr, field, known)
    field, slots = register_known(frame_bgr, field, known)
    _refuse_beside(frame_bgr, field, slots, known)
    return learn(frame_bgr, field, slots, known)


def _refuse_beside(frame_bgr: Picture, field: Field, slots: Slots, known: Board) -> None:
    """Refuse a field that lies half a column beside the checkers; fitting may have moved it some of the way.

    Raises:
        CalibrationError: the checkers are clearly seen there, and not where the field has them.
    """
    places = slots.seen(field)[tuple(known_slots(counts_grid(known, field).tolist()).T)]
    warm = field_heat(rectify(frame_bgr, field), field)
    steps = np.array([0.0, -0.5, -0.25, 0.25, 0.5]) * field.column_px
    seen = [float(settle(warm, places + np.array([step, 0]), field, BESIDE_REACH)[1].mean()) for step in steps]
    if max(seen[1:]) > max(seen[0], 0.0) + BESIDE:
        raise CalibrationError("the checkers lie beside where these corners have them; set the corners again")


def orient(frame_bgr: Picture, field: Field, known: Board) -> Field:
    """Return the field with the orientation in which the picture shows the known position.

    Raises:
        CalibrationError: no orientation is clearly better than the others.
    """
    flat = rectify(frame_bgr, field)
    colors = log_colors(flat)
    slots = Slots()
    discs = sample(colors, slots.seen(field)[:, :, :5], slots.radius_px(field) * BELIEVED_DISC).mean(axis=3)
    rounds = settle(field_heat(flat, field), slots.seen(field)[:, :, :5], field, 0.25)[1]
    merits = []
    for home in WHITE_HOMES:
        turned = field.with_(white_home=home)
        merits.append(_orientation_merit(discs, rounds, counts_grid(known, turned)))
    best, second = sorted(range(4), key=lambda i: -merits[i])[:2]
    full = counts_grid(known, field.with_(white_home=WHITE_HOMES[best]))[..., None]
    there = rounds[np.arange(5) < np.minimum(np.abs(full), 5)]
    if merits[best] - merits[second] < 0.15 or np.median(there) < 0:
        raise CalibrationError("the picture does not prove which way the board lies; say where White's home is")
    return field.with_(white_home=WHITE_HOMES[best])


def _orientation_merit(discs: Plane, rounds: Floats, grid: Grid) -> float:
    depth = np.arange(5)
    white = depth < np.clip(grid, 0, 5)[..., None]
    black = depth < np.clip(-grid, 0, 5)[..., None]
    full = white | black
    edge = (rounds[full].mean() - rounds[~full].mean()) / (rounds.std() + 1e-6)
    brighter = discs[white].mean() - discs[black].mean()
    spread = 0.5 * (discs[white].std(axis=0).mean() + discs[black].std(axis=0).mean()) + 0.05
    return float(0.5 * edge + np.clip(brighter / spread, -3, 3))


def register_known(frame_bgr: Picture, field: Field, known: Board, corner_px: float = 1.0) -> tuple[Field, Slots]:
    """Return field and slots that fit the checkers of a known position.

    Args:
        frame_bgr: the picture.
        field: first guess, with White's home.
        known: what stands there.
        corner_px: how far the corners may be off in the picture, one standard deviation.
    """
    slots = Slots()
    where = known_slots(counts_grid(known, field).tolist())
    found = field_heat(rectify(frame_bgr, field), field)
    begun = [field, *(field.with_(bar=(0.5 - width / 2, 0.5 + width / 2)) for width in BARS)]
    fitted = [_fitted(found, field, begin, slots, where, FIRST_REACH, corner_px) for begin in begun]
    seen = [_seen_at(found, field, *each, where) for each in fitted]
    best = int(np.argmax(seen))
    field, slots = fitted[best] if seen[best] > seen[0] + BETTER_BAR else fitted[0]
    for reach in NEXT_REACHES:
        found = field_heat(rectify(frame_bgr, field), field)
        field, slots = _fitted(found, field, field, slots, where, reach, corner_px)
    return field, slots


def _fitted(
    found: Heat,
    shown: Field,
    field: Field,
    slots: Slots,
    where: npt.NDArray[np.int64],
    reach: float,
    corner_px: float,
) -> tuple[Field, Slots]:
    """Return field and slots fitted to the checkers that are seen near where they lie.

    Args:
        found: heat of the rectified picture.
        shown: the field by which it was rectified; `field` may have another bar.
        field: first guess.
        slots: first guess.
        where: row, column and slot of the checkers, shape ``(n, 3)``.
        reach: how far from there to look, columns.
        corner_px: how far the corners may be off in the picture, one standard deviation.
    """
    xy, logits = settle(found, slots.seen(field)[tuple(where.T)], field, reach)
    weight = np.maximum(1 / (1 + np.exp(-np.clip(logits, -6, 6))), 0.02)
    field, slots = fit(field, slots, Found(where, shown.to_picture(xy), weight), corner_px)
    return field, replace(slots, radius=float(np.clip(slots.pitch / PITCH, 0.42, 0.5)))


def _seen_at(found: Heat, shown: Field, field: Field, slots: Slots, where: npt.NDArray[np.int64]) -> float:
    """Return the mean log-odds of checkers at the very places where they should be seen."""
    places = field.to_picture(slots.seen(field)[tuple(where.T)])
    return float(found.odds(shown.to_field(places)).mean())


def learn(frame_bgr: Picture, field: Field, slots: Slots, board: Board, certain: bool = True) -> Calibration:
    """Return the looks of a registered board from a picture.

    Args:
        frame_bgr: the picture.
        field: refined.
        slots: refined.
        board: what stands there.
        certain: False when that is only believed: then no place vouches for itself, all looks are borrowed.
    """
    flat = rectify(frame_bgr, field)
    colors = log_colors(flat)
    grid = counts_grid(board, field)
    centers, radius = slots.seen(field), slots.radius_px(field)
    warm = field_heat(flat, field, narrow=certain)
    found, rounds = settle(warm, centers, field)
    discs = sample(colors, found, radius * (DISC if certain else BELIEVED_DISC))
    full = np.arange(SLOTS) < np.minimum(np.abs(grid), 5)[..., None]
    sides = [full & (sign * grid > 0)[..., None] for sign in (1, -1)]
    looks = [_look(discs[side], shares(centers, field)[side], certain) if side.any() else None for side in sides]
    white, black = looks[0] or _other(looks[1], OTHER_SIDE), looks[1] or _other(looks[0], -OTHER_SIDE)
    empty, sigma = _empty_look(colors, field, slots, grid, certain)
    shown = rounds[full]
    if certain:
        round_empty = np.where(full, _usual_round(rounds, full), rounds)
        round_full = (float(shown.mean()), float(max(shown.std(), LOGIT_SPREAD)))
        round_spread = LOGIT_SPREAD
    else:
        bare, covering, round_spread = USUAL_LOGITS
        round_empty, round_full = np.full(rounds.shape, bare), (covering, round_spread)
    return Calibration(
        field,
        slots,
        empty,
        sigma,
        ~covered(field, slots, grid) & certain,
        white,
        black,
        round_empty,
        warm,
        round_full,
        round_spread,
        flat,
        colors,
        board,
        certain,
        (overview(frame_bgr, field),) if certain else (),
    )


def _usual_round(rounds: Floats, full: npt.NDArray[np.bool_]) -> Floats:
    """Return how round empty slots look at the same place of their points, row by row; shape ``(2, 1, SLOTS)``."""
    bare = np.where(full, np.nan, rounds)
    usual = np.nanmean(bare, axis=1, keepdims=True)
    return np.where(np.isfinite(usual), usual, np.nanmean(bare))


def settle(found: Heat, centers: Floats, field: Field, reach: float = 0.16) -> tuple[Floats, Floats]:
    """Return where near each slot a checker's top is likeliest, and the logit of that.

    Args:
        found: heat of the rectified picture.
        centers: where the slots are seen, shape ``(…, 2)``.
        field: the playing surface.
        reach: how far from the slot to look, columns.
    """
    near = centers.reshape(-1, 2)
    places, logits = found.best_near(near, reach * field.column_px)
    places = np.where((logits > SURE_LOGIT)[:, None], places, near)
    return places.reshape(centers.shape), logits.reshape(centers.shape[:-1])


def shares(xy: Floats, field: Field) -> Floats:
    """Return field coordinates as shares of the field's width from its middle."""
    return np.asarray((xy - np.array(field.center_px)) / FIELD_WIDTH_PX)


def _look(discs: Plane, places: Floats, certain: bool) -> Look:
    middle = np.median(discs, axis=0)
    off = np.median(discs - middle, axis=1)
    design = np.concatenate([places, np.ones((len(places), 1))], axis=1)
    ridge = np.diag([0.5, 0.5, 0.05])
    line = np.linalg.solve(design.T @ design + ridge, design.T @ off)
    tone = np.median(discs, axis=1, keepdims=True)
    apart = np.abs((discs - tone)[:, None] - (discs - tone)[None]).mean(axis=(2, 3))
    np.fill_diagonal(apart, np.inf)
    nearest = float(np.median(apart.min(axis=1))) if len(discs) > 1 else 0.06
    sigma = float(np.clip(1.25 * nearest, 0.03, 0.15))
    return Look(discs.astype(np.float32), places, line[:2].astype(np.float32), sigma, certain)


def _other(look: Look | None, by: float) -> Look:
    """Return a look for a side of which nothing is seen: like the other side, but lighter or darker."""
    if look is None:
        raise CalibrationError("nothing that looks like checkers lies on the field")
    return replace(look, discs=look.discs + np.float32(by), certain=True)


def covered(field: Field, slots: Slots, grid: Grid) -> npt.NDArray[np.bool_]:
    """Return which pixels of the rectified picture show checkers of a known position, sides included."""
    mask = np.zeros(field.size_px[::-1], np.uint8)
    base = slots.base(field)
    tops = raised(base, field, slots.height)
    radius = 1.12 * slots.radius * field.column_px
    for row, column, slot in known_slots(grid.tolist()):
        foot, top = base[row, column, slot], tops[row, column, slot]
        for share in np.linspace(0, 1, 4):
            x, y = foot + share * (top - foot)
            cv2.circle(mask, (round(float(x)), round(float(y))), round(radius), 1, -1)
    return mask > 0


def _empty_look(
    colors: Plane, field: Field, slots: Slots, grid: Grid, certain: bool = True
) -> tuple[Plane, Plane]:
    """Return the empty board and how far it may be off.

    What checkers cover is borrowed from the same place of points of the same color in the same row, at the
    brightness of the strip between the rows; how far such points differ among themselves says how far to trust it.
    """
    hidden = covered(field, slots, grid)
    shown = np.where(hidden[..., None], np.nan, colors)
    empty = colors.copy()
    sigma = np.full(colors.shape[:2], USUAL_SIGMA, np.float32)
    for row in range(2):
        boxes = [_reach(field, row, column) for column in range(12)]
        width = max(x1 - x0 for x0, _, x1, _ in boxes)
        lefts = [int(np.clip(x0, 0, colors.shape[1] - width)) for x0, _, _, _ in boxes]
        y0, y1 = boxes[0][1], boxes[0][3]
        strip = slice(y1 - 24, y1) if row == 0 else slice(y0, y0 + 24)
        tone = np.array([np.nanmedian(shown[strip, x : x + width].mean(axis=2)) for x in lefts])
        tone = np.where(np.isfinite(tone), tone, np.nanmedian(tone))
        for column in range(12):
            area = (slice(y0, y1), slice(lefts[column], lefts[column] + width))
            fill = hidden[area] if certain else np.ones_like(hidden[area])
            if not fill.any():
                continue
            same = [c for c in range(12) if c != column and (c - column) % 2 == 0]
            others = [shown[y0:y1, lefts[c] : lefts[c] + width] + (tone[column] - tone[c]) for c in same]
            look, spread = _borrow(np.stack(others), _mirrored(shown, field, row, column, tone[column]))
            empty[area][fill] = look[fill]
            sigma[area][fill] = spread[fill]
    return empty, np.sqrt(sigma**2 + (EDGE_PX * steepness(empty)) ** 2)


def steepness(colors: Plane) -> Plane:
    """Return how much colors change from one pixel to the next, logarithms."""
    gx, gy = cv2.Sobel(colors, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(colors, cv2.CV_32F, 0, 1, scale=1 / 8)
    return np.asarray(np.sqrt(_mean_color(gx * gx + gy * gy)))


def _mean_color(colors: Plane) -> Plane:
    """Return the mean of blue, green and red at each pixel."""
    return np.asarray(cv2.transform(colors, np.full((1, 3), 1 / 3, np.float32)), np.float32)


def _mirrored(shown: Plane, field: Field, row: int, column: int, tone: float) -> Plane:
    """Return the looks of points of the same color in the other row, turned to fit; NaN where hidden."""
    _, y0, _, y1 = _reach(field, row, column)
    width = max(_reach(field, r, c)[2] - _reach(field, r, c)[0] for r in range(2) for c in range(12))
    looks = []
    for other in range(12):
        if (other - column) % 2 == 0:
            continue
        left, top, _, bottom = _reach(field, 1 - row, other)
        left = int(np.clip(left, 0, shown.shape[1] - width))
        look = cv2.resize(shown[top:bottom, left : left + width][::-1], (width, y1 - y0))
        strip = look[-24:] if row == 0 else look[:24]
        looks.append(look + (tone - np.nanmedian(strip.mean(axis=2))))
    return np.stack(looks)


def _borrow(looks: Plane, spare: Plane) -> tuple[Plane, Plane]:
    """Return the middle of several looks of the same thing and how far they differ; NaN where one is hidden.

    Where fewer than two of them can be seen, the spare looks help out.
    """
    few = np.isfinite(looks[..., 0]).sum(axis=0) < 2
    looks = np.concatenate([looks, np.where(few[..., None], spare, np.nan)])
    seen = np.isfinite(looks[..., 0]).sum(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        middle = np.nanmedian(looks, axis=0)
        spread = np.nanmean(np.abs(looks - middle), axis=(0, 3))
    few = seen < 2
    spread = cv2.blur(
        np.where(few | ~np.isfinite(spread), BORROWED_SIGMA, 1.5 * spread).astype(np.float32), (9, 9)
    )
    fallback = np.nanmedian(looks.reshape(-1, 3), axis=0)
    middle = np.where(np.isfinite(middle), middle, fallback)
    return middle.astype(np.float32), np.where(seen == 0, 0.6, np.maximum(spread, USUAL_SIGMA)).astype(np.float32)


def _reach(field: Field, row: int, column: int) -> tuple[int, int, int, int]:
    x0, y0, x1, y1 = field.column(row, column)
    height, width = field.size_px[1], field.size_px[0]
    top, bottom = (0.0, y1) if row == 0 else (y0, float(height))
    return max(round(x0), 0), max(round(top), 0), min(round(x1), width), min(round(bottom), height)


def adapt(calibration: Calibration, frame_bgr: Picture, level: Plane, board: Board) -> Calibration:
    """Return the calibration with what a picture teaches whose position is certain.

    Surface that was covered so far and now lies open takes its own look; surface seen before follows slowly. Where
    a picture differs too much from what is expected, a die or a hand lies there, and nothing is learned.

    Args:
        calibration: what is known so far.
        frame_bgr: a settled picture.
        level: its colors in the light of the calibration.
        board: what stands there.
    """
    field, slots = calibration.field, calibration.slots
    change = level - calibration.empty
    off = np.sqrt(_mean_color(change * change))
    fresh = ~calibration.known
    usual = off < np.where(fresh, 2.5 * calibration.sigma + 0.1, 0.15)
    usual = cv2.erode(usual.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    learned = usual & ~covered(field, slots, counts_grid(board, field))
    rate = np.where(fresh, np.float32(1.0), np.float32(0.1)) * learned
    change *= rate[..., None].astype(np.float32)
    empty = calibration.empty + change
    sigma = calibration.sigma
    if (fresh & learned).any():
        sharp = np.sqrt(USUAL_SIGMA**2 + (EDGE_PX * steepness(empty)) ** 2)
        sigma = np.where(fresh & learned, sharp, sigma).astype(np.float32)
    known = calibration.known | learned
    clear = (*calibration.clear[:1], overview(frame_bgr, field))
    return replace(
        calibration,
        empty=empty,
        sigma=sigma,
        known=known,
        last=level,
        board=board,
        certain=True,
        clear=clear,
    )
