"""Read the points: each slot is compared with three looks, and the slots of a point add up to its count.

A point with `n` checkers shows `n` checkers from the rim and nothing beyond; the log-likelihood of a count is the
sum over its slots.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from controller.board import COUNTS
from vision.calibration import POINTS, Calibration, counts_grid, disc_points, settle
from vision.checkers import SLOTS, Floats, Plane
from vision.discs import Merits, View, compare, round_evidence
from vision.field import Field
from vision.heat import Heat

MOVED = 2.0
"""How much less likely another checker is where one lay last, natural logarithm."""

BELIEVED = 0.5
"""How much the colors of checkers count while they are only believed: the net says whether something lies there,
and the colors whose it is."""

LEAST_DOUBTED, MOST_DOUBTED = 0.06, 0.5
"""How much the look of the empty surface counts then, where it contradicts the net and where it agrees with it."""

SURE_ODDS = 3.0
"""Log-odds from which on the net is sure."""

MOSTLY = 0.7
"""From this share on an empty slot counts as seen; less of it is guessed from other points of its color."""

GUESSED, SEEN = 4.0, 10.0
"""How loud colors are for or against an empty slot whose look is guessed or known, natural logarithm."""

FIRST_REACH, NEXT_REACH = 0.16, 0.3
"""How far from where it should lie, in columns, a checker is looked for: at the rim, and behind another one."""

Slotted = npt.NDArray[np.bool_]

NONE: Floats = np.zeros((0, 2))
"""No places."""

CAP = 9.0
"""No slot speaks louder than this, natural logarithm: a die or a glare may lie on it."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the slots of one picture say.

    Attributes:
        looks: log-likelihood of empty, white, black, and of empty beside a checker on the slot before, for each
            slot, shape ``(2, 12, SLOTS, 4)``.
        usual: how well White's and Black's checkers agree with their looks, log-likelihood, the poorer ones.
        others: how well other places agree with what may lie there.
    """

    looks: Floats
    usual: tuple[float, float]
    others: Merits


def evidence(view: View, calibration: Calibration, others: Floats = NONE) -> Evidence:
    """Return what the slots of a picture say.

    Args:
        view: the picture.
        calibration: what is known of the board.
        others: places that are compared in the same go, which is cheaper; field coordinates, shape ``(n, 2)``.
    """
    centers = calibration.slots.seen(calibration.field)
    found, rounds = follow_line(view.heat, centers, calibration.field)
    slots = found[..., 0].size
    stood = np.ones(slots + len(others), np.bool_)
    sides = _stood(calibration)
    stood[:slots] = (sides[0] | sides[1]).ravel()
    places = np.concatenate([found.reshape(-1, 2), others])
    everywhere = compare(view, calibration, places, _open(calibration, found), stood)
    merits = everywhere.part(slice(0, slots), found.shape[:-1])
    lean = round_evidence(rounds, calibration.round_empty, calibration)
    looks = np.stack([merits.empty, merits.white, merits.black, merits.beyond], axis=-1)
    if not calibration.certain:
        checker = looks[..., 1:3].max(axis=-1, keepdims=True)
        doubted = calibration.doubted
        looks = (looks - checker) * np.array([doubted, BELIEVED, BELIEVED, doubted])
    else:
        _remember(looks, merits.same, sides)
        _moderate(looks, np.where(calibration.seen < MOSTLY, GUESSED, SEEN))
    looks[..., 1:3] += lean[..., None]
    looks = np.maximum(looks, looks.max(axis=-1, keepdims=True) - CAP)
    usual = (_usual(merits.white, looks, 1), _usual(merits.black, looks, 2))
    return Evidence(looks, usual, everywhere.part(slice(slots, None)))


def _moderate(looks: Floats, most: Floats) -> None:
    """Let colors alone speak for or against the empty surface no louder than so much, changed in place."""
    checker = looks[..., 1:3].max(axis=-1)
    for index in (0, 3):
        looks[..., index] = checker + np.clip(looks[..., index] - checker, -most, most)


def follow_line(found: Heat, centers: Floats, field: Field) -> tuple[Floats, Floats]:
    """Return where along each point checkers' tops are likeliest, and the logits of that.

    Each is looked for behind the one before it, which may lie off its slot: lines sag, lean and are pushed up.

    Args:
        found: heat of the rectified picture.
        centers: where the slots are seen, shape ``(2, 12, SLOTS, 2)``.
        field: the playing surface.
    """
    places, logits = np.zeros(centers.shape), np.zeros(centers.shape[:-1])
    shift = np.zeros((*centers.shape[:2], 2))
    for slot in range(centers.shape[2]):
        reach = FIRST_REACH if slot == 0 else NEXT_REACH
        places[:, :, slot], logits[:, :, slot] = settle(found, centers[:, :, slot] + shift, field, reach)
        shift = places[:, :, slot] - centers[:, :, slot]
    return places, logits


def _usual(merit: Floats, looks: Floats, index: int) -> float:
    """Return the lower quartile of a side's agreement where it surely lies; minus infinity where it does not."""
    rest = np.maximum(looks[..., 0], looks[..., 3 - index])
    sure = merit[looks[..., index] > rest + 4]
    return float(np.sort(sure)[len(sure) // 4]) if len(sure) else -np.inf


def agreement(view: View, calibration: Calibration) -> float:
    """Return how much the empty surface's look is worth by how it agrees with the net where the net is sure."""
    centers = calibration.slots.seen(calibration.field)
    found, odds = settle(view.heat, centers, calibration.field)
    merits = compare(view, calibration, found.reshape(-1, 2)).part(slice(None), found.shape[:-1])
    empty = merits.empty > np.maximum(merits.white, merits.black)
    full, bare = odds > SURE_ODDS, odds < -SURE_ODDS
    if full.sum() < 3 or bare.sum() < 3:
        return LEAST_DOUBTED
    right = 0.5 * float((~empty[full]).mean() + empty[bare].mean())
    return float(np.interp(right, (0.8, 0.98), (LEAST_DOUBTED, MOST_DOUBTED)))


def _stood(calibration: Calibration) -> tuple[Slotted, Slotted]:
    """Return on which slots White's and Black's checkers stood when the position was last certain."""
    grid = counts_grid(calibration.board, calibration.field)[..., None]
    depth = np.arange(SLOTS)
    return depth < grid, depth < -grid


def _remember(looks: Floats, same: Floats, stood: tuple[Slotted, Slotted]) -> None:
    """Let slots that look as they did when the position was last certain speak for what lay there then.

    Args:
        looks: log-likelihoods of the slots, changed in place.
        same: how well the discs agree with how they looked then.
        stood: on which slots White's and Black's checkers stood.
    """
    for index, there in zip((1, 2), stood, strict=True):
        other = looks[..., index] - MOVED
        looks[..., index] = np.where(there, np.logaddexp(other, same), looks[..., index])


def _open(calibration: Calibration, found: Floats) -> Plane:
    """Return which places of each slot's disc a checker on the slot before would not hide, 1 or 0.

    Shape ``(n, POINTS)``, slot by slot. All count as open where that leaves hardly any.
    """
    field, slots = calibration.field, calibration.slots
    feet = slots.base(field)[:, :, :-1]
    off = (found[:, :, 1:] - feet).astype(np.float32)
    points = disc_points(calibration.disc_px).astype(np.float32)
    x, y = (off[..., axis, None] + points[:, axis] for axis in (0, 1))
    open_ = np.ones((*found.shape[:3], POINTS), np.float32)
    open_[:, :, 1:] = x * x + y * y > (1.06 * slots.radius * field.column_px) ** 2
    open_[open_.sum(axis=-1) < 8] = 1
    return open_.reshape(-1, POINTS)


def column_likelihoods(looks: Floats) -> Floats:
    """Return the log-likelihoods of the 31 signed counts of points from those of their slots.

    Args:
        looks: log-likelihood of each slot, as in `Evidence`, shape ``(…, SLOTS, 4)``.
    """
    bare = looks[..., 0]
    out = np.zeros((*looks.shape[:-2], len(COUNTS)))
    empty = bare.sum(axis=-1, keepdims=True)
    beyond = looks[..., 1:, 3] - bare[..., 1:]
    out[..., 15] = empty[..., 0]
    for sign, index in ((1, 1), (-1, 2)):
        counts = empty + np.cumsum(looks[..., index] - bare, axis=-1)
        counts[..., :-1] += beyond
        side = out[..., 16:] if sign == 1 else out[..., 14::-1]
        side[..., : counts.shape[-1]] = counts
        side[..., counts.shape[-1] :] = counts[..., -1:]
    return out
