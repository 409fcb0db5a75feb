"""Where the start position lies in a picture, from nothing but places that look like tops of checkers.

The thirty checkers of the start position lie on a lattice in perspective: rows of touching checkers, two, five,
three and five of them, along both long sides. Two such rows in the picture, taken for two of the lattice, give a
first guess; every guess is pulled over the tops it meets, and those that explain most of them are kept.

Lengths are in columns; the lattice is that of the tops, a little above the playing surface.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]

STACKS = ((1, 11, 2), (1, 6, 5), (1, 4, 3), (1, 0, 5), (0, 0, 5), (0, 4, 3), (0, 6, 5), (0, 11, 2))
"""Row, column and count of the stacks of the start position, home boards on the right."""

SLOTS = np.array([(row, column, slot) for row, column, count in STACKS for slot in range(count)])
"""Row, column and slot of its thirty checkers."""

FIRST, PITCH = 0.485, 0.96
"""From the rim to the centre of the first checker, and from one checker to the next."""

BARS, HEIGHTS = (0.5, 1.2), (10.6, 11.8, 13.2)
"""Widths of the bar and depths of the field that are tried first."""

FINE_BARS, FINE_HEIGHTS = (0.1, 0.5, 0.8, 1.1, 1.5), (10.6, 11.2, 11.8, 12.5, 13.3)
"""Those that are tried on a good guess."""

SAME = 0.45
"""Two tops nearer than this, in widths of a column at the place, are one."""

MOST_TOPS, MOST_CHAINS, MOST_GUESSES, MOST_PULLED, MOST_KEPT = 140, 24, 9000, 300, 5
"""How many of each are looked at, the best first."""

STRAY = 0.5
"""What a top on the field that the start position does not explain counts against a guess."""


@dataclass(frozen=True, eq=False)
class Tops:
    """Places that look like tops of checkers, the surest first.

    Attributes:
        xy: in the picture, shape ``(n, 2)``.
        weight: chance that it is one.
        column_px: width of a column at which it was seen.
    """

    xy: Floats
    weight: Floats
    column_px: Floats

    @classmethod
    def of(cls, xy: Floats, logits: Floats, column_px: Floats) -> Tops:
        """Return tops without the fainter of two at one place; arguments as of the attributes, any order."""
        order = np.argsort(-logits, kind="stable")
        xy, logits, column_px = xy[order], logits[order], column_px[order]
        far = np.linalg.norm(xy[:, None] - xy[None], axis=2)
        near = far < SAME * np.minimum(column_px[:, None], column_px[None])
        keep = np.zeros(len(xy), np.bool_)
        for i in range(len(xy)):
            keep[i] = not (near[i] & keep).any()
            if keep.sum() == MOST_TOPS:
                break
        return cls(xy[keep], 1 / (1 + np.exp(-logits[keep])), column_px[keep])


@dataclass(frozen=True, eq=False)
class Guesses:
    """Ways in which the start position may lie in the picture.

    Attributes:
        matrix: from the lattice to the picture, shape ``(n, 3, 3)``.
        bar: width of the bar, shape ``(n,)``.
        height: depth of the field, shape ``(n,)``.
    """

    matrix: Floats
    bar: Floats
    height: Floats

    def __len__(self) -> int:
        return len(self.matrix)

    def take(self, which: npt.NDArray[np.int64] | Flags | slice) -> Guesses:
        """Return some of them."""
        return Guesses(self.matrix[which], self.bar[which], self.height[which])

    def corners(self) -> Floats:
        """Return the corners of the field in the picture, clockwise from the far left; shape ``(n, 4, 2)``."""
        return _project(self.matrix, self._outline())

    def slots(self) -> Floats:
        """Return the places of the thirty checkers on the lattice; shape ``(n, 30, 2)``."""
        return _on_lattice(SLOTS, self.bar[:, None], self.height[:, None])

    def possible(self, size_px: tuple[int, int]) -> Flags:
        """Return which of them a camera can have seen: from above, not mirrored, mostly within the picture."""
        outline = self._outline()
        depth = np.einsum("mj,mnj->mn", self.matrix[:, 2], _with_ones(outline))
        corners = _project(self.matrix, outline)
        edges = np.roll(corners, -1, axis=1) - corners
        after = np.roll(edges, -1, axis=1)
        turns = edges[..., 0] * after[..., 1] - edges[..., 1] * after[..., 0]
        sides = np.linalg.norm(edges, axis=2) + 1e-9
        squeezed = np.maximum(sides[:, :2] / sides[:, 2:], sides[:, 2:] / sides[:, :2]).max(axis=1)
        slack = 0.25 * max(size_px)
        inside = ((corners > -slack) & (corners < np.array(size_px) + slack)).all(axis=(1, 2))
        before = (depth > 0).all(axis=1) | (depth < 0).all(axis=1)
        possible: Flags = before & (turns > 0).all(axis=1) & inside & (squeezed < 2.6)
        return possible

    def _outline(self) -> Floats:
        corners = np.zeros((len(self), 4, 2))
        corners[:, 1:3, 0] = 12 + self.bar[:, None]
        corners[:, 2:, 1] = self.height[:, None]
        return corners


@dataclass(frozen=True, eq=False)
class Met:
    """Which checkers of the start position are met by tops.

    Attributes:
        score: tops that are met less those on the field that are not, shape ``(n,)``.
        hit: shape ``(n, 30)``.
        top: index of the nearest top of each checker, shape ``(n, 30)``.
    """

    score: Floats
    hit: Flags
    top: Places


def likeliest(tops: Tops, size_px: tuple[int, int]) -> tuple[Guesses, Floats]:
    """Return the best few ways in which the start position explains the tops, and their scores, best first.

    The home boards are on the right of the lattice; the guesses differ by at least half a checker somewhere.

    Args:
        tops: what looks like tops of checkers.
        size_px: width and height of the picture.
    """
    guesses = _first(tops, size_px)
    met = _met_in_parts(guesses, tops, 0.6)
    guesses = guesses.take(np.argsort(-met)[:MOST_PULLED])
    for reach in (0.6, 0.55, 0.5, 0.5):
        guesses = _pull(guesses, tops, reach)
        guesses = guesses.take(guesses.possible(size_px))
    score = _met_in_parts(guesses, tops, 0.45)
    fine = [_fine(guesses.take(np.array([i])), tops) for i in _distinct(guesses, score, tops)]
    fine = [guess for guess in fine if len(guess)]
    if not fine:
        return guesses.take(slice(0)), np.zeros(0)
    best = Guesses(*(np.concatenate([getattr(g, name) for g in fine]) for name in ("matrix", "bar", "height")))
    score = _met(best, tops, 0.4).score
    order = np.argsort(-score)
    return best.take(order), score[order]


def _on_lattice(slots: Places, bar: npt.ArrayLike, height: npt.ArrayLike) -> Floats:
    """Return the places of checkers given by row, column and slot; shape of the arguments, joined, and 2."""
    row, column, slot = slots.T
    along = FIRST + PITCH * slot
    x = column + 0.5 + np.asarray(bar) * (column >= 6)
    y = np.where(row == 0, along, np.asarray(height) - along)
    return np.stack(np.broadcast_arrays(x, y), axis=-1)


def _chains(tops: Tops) -> list[list[int]]:
    """Return rows of three to five touching tops, the longest and straightest first."""
    xy, wide = tops.xy, tops.column_px
    far = np.linalg.norm(xy[:, None] - xy[None], axis=2)
    least, most = np.minimum(wide[:, None], wide[None]), np.maximum(wide[:, None], wide[None])
    touching = (far < 1.3 * least) & (far > 0.42 * least) & (most < 1.8 * least)
    found: dict[tuple[int, ...], float] = {}
    for i, j in zip(*np.nonzero(touching), strict=True):
        line = _followed(xy, [int(i), int(j)])
        for begin in range(max(1, len(line) - 4)):
            part = line[begin : begin + 5]
            if len(part) >= 3:
                found[tuple(part if part[0] < part[-1] else part[::-1])] = _bend(xy[part])
    whole = [chain for chain in found if not any(set(chain) < set(other) for other in found)]
    return [list(chain) for chain in sorted(whole, key=lambda chain: (-len(chain), found[chain]))]


def _followed(xy: Floats, line: list[int]) -> list[int]:
    """Return the row of tops that goes on from two of them."""
    while len(line) < 7:
        step = xy[line[-1]] - xy[line[-2]]
        if len(line) > 2:
            step = step + 0.5 * (step - (xy[line[-2]] - xy[line[-3]]))
        far = np.linalg.norm(xy - (xy[line[-1]] + step), axis=1)
        far[line] = np.inf
        following = int(np.argmin(far))
        if far[following] > 0.28 * np.hypot(*step):
            break
        line = [*line, following]
    return line


def _bend(xy: Floats) -> float:
    steps = np.diff(xy, axis=0)
    return float(np.abs(np.diff(steps, axis=0)).max() / np.linalg.norm(steps, axis=1).mean())


def _ends(count: int) -> Places:
    """Return the slots that the ends of a row of so many may be, either way round; shape ``(n, 2, 3)``."""
    found = []
    for row, column, full in STACKS:
        for first in range(full - count + 1):
            ends = [(row, column, first), (row, column, first + count - 1)]
            found += [ends, ends[::-1]]
    return np.array(found, np.int64).reshape(-1, 2, 3)


def _first(tops: Tops, size_px: tuple[int, int]) -> Guesses:
    """Return the guesses that two rows of touching tops give."""
    chains = _chains(tops)[:MOST_CHAINS]
    order = sorted(combinations(range(len(chains)), 2), key=lambda ij: (-sum(len(chains[k]) for k in ij), sum(ij)))
    guesses: list[Guesses] = []
    for i, j in order:
        one, other = chains[i], chains[j]
        if set(one) & set(other):
            continue
        ends = np.array([np.concatenate(pair) for pair in product(_ends(len(one)), _ends(len(other)))])
        ends = ends[ends[:, 0, 1] != ends[:, 2, 1]]
        seen = tops.xy[[one[0], one[-1], other[0], other[-1]]]
        for bar, height in product(BARS, HEIGHTS):
            lattice = _on_lattice(ends.reshape(-1, 3), bar, height).reshape(-1, 4, 2)
            matrix = _four_points(lattice, np.broadcast_to(seen, lattice.shape))
            full = np.ones(len(matrix))
            guess = Guesses(matrix, bar * full, height * full)
            guesses.append(guess.take(guess.possible(size_px)))
        if sum(len(guess) for guess in guesses) > MOST_GUESSES:
            break
    if not guesses:
        return Guesses(np.zeros((0, 3, 3)), np.zeros(0), np.zeros(0))
    return Guesses(*(np.concatenate([getattr(g, name) for g in guesses]) for name in ("matrix", "bar", "height")))


def _met_in_parts(guesses: Guesses, tops: Tops, reach: float) -> Floats:
    """Return the scores of many guesses."""
    parts = [_met(guesses.take(slice(i, i + 200)), tops, reach).score for i in range(0, len(guesses), 200)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _met(guesses: Guesses, tops: Tops, reach: float) -> Met:
    """Return which checkers of each guess are met: a top and a checker that are each other's nearest.

    Args:
        guesses: at least one.
        tops: at least one.
        reach: how far a top may be off, columns.
    """
    slots = guesses.slots()
    seen = _project(guesses.matrix, slots)
    wide, deep = (
        np.linalg.norm(_project(guesses.matrix, slots + half) - _project(guesses.matrix, slots - half), axis=2)
        for half in (np.array([0.5, 0]), np.array([0, 0.5]))
    )
    far = np.linalg.norm(seen[:, :, None] - tops.xy, axis=3) / np.sqrt(wide * deep)[:, :, None]
    top = far.argmin(axis=2)
    near = np.take_along_axis(far, top[..., None], axis=2)[..., 0]
    mutual = np.take_along_axis(far.argmin(axis=1), top, axis=1) == np.arange(len(SLOTS))
    hit = np.asarray(mutual & (near < reach))
    met = (hit * tops.weight[top] * (1 - 0.5 * (near / reach) ** 2)).sum(axis=1)
    back = _project(
        np.asarray(np.linalg.inv(guesses.matrix)), np.broadcast_to(tops.xy, (len(guesses), *tops.xy.shape))
    )
    limit = np.stack([12 + guesses.bar, guesses.height], axis=1)[:, None] - 0.1
    stray = np.asarray(((back > 0.1) & (back < limit)).all(axis=2))
    guess, slot = np.nonzero(hit)
    stray[guess, top[guess, slot]] = False
    return Met(met - STRAY * (stray @ tops.weight), hit, top)


def _pull(guesses: Guesses, tops: Tops, reach: float) -> Guesses:
    """Return the guesses pulled over the tops they meet; those that meet fewer than eight are dropped."""
    if not len(guesses):
        return guesses
    met = _met(guesses, tops, reach)
    enough = met.hit.sum(axis=1) >= 8
    guesses, hit, top = guesses.take(enough), met.hit[enough], met.top[enough]
    if not len(guesses):
        return guesses
    matrix = _fitted(guesses.slots(), tops.xy[top], hit * tops.weight[top])
    return Guesses(matrix, guesses.bar, guesses.height)


def _distinct(guesses: Guesses, score: Floats, tops: Tops) -> list[int]:
    """Return the best guesses that differ."""
    if not len(guesses):
        return []
    seen = _project(guesses.matrix, guesses.slots())
    least_px = 0.4 * float(np.median(tops.column_px))
    taken: list[int] = []
    for i in np.argsort(-score):
        if all(np.abs(seen[i] - seen[j]).max() > least_px for j in taken):
            taken.append(int(i))
        if len(taken) == MOST_KEPT:
            break
    return taken


def _fine(guess: Guesses, tops: Tops) -> Guesses:
    """Return a guess with the width of the bar and the depth that fit best."""
    best, best_score = guess, float(_met(guess, tops, 0.4).score[0])
    pairs = np.array(list(product(FINE_BARS, FINE_HEIGHTS)))
    for reach in (0.5, 0.4, 0.4):
        met = _met(guess, tops, reach)
        hit, top = met.hit[0], met.top[0]
        if hit.sum() < 8:
            break
        full = np.ones((len(pairs), 1))
        tried = Guesses(np.repeat(guess.matrix, len(pairs), axis=0), pairs[:, 0], pairs[:, 1])
        places, weight = tried.slots()[:, hit], full * tops.weight[top[hit]]
        matrix = _fitted(places, np.broadcast_to(tops.xy[top[hit]], places.shape), weight)
        off = np.sum((_project(matrix, places) - tops.xy[top[hit]]) ** 2, axis=2)
        chosen = int(np.argmin((weight * np.minimum(off, 225.0)).sum(axis=1)))
        guess = Guesses(matrix[[chosen]], pairs[[chosen], 0], pairs[[chosen], 1])
        score = float(_met(guess, tops, 0.4).score[0])
        if score > best_score:
            best, best_score = guess, score
    return best


def _with_ones(xy: Floats) -> Floats:
    return np.concatenate([xy, np.ones((*xy.shape[:-1], 1))], axis=-1)


def _project(matrix: Floats, xy: Floats) -> Floats:
    """Return points under a homography each; shapes ``(n, 3, 3)`` and ``(n, m, 2)``."""
    moved = np.einsum("nij,nmj->nmi", matrix, _with_ones(xy))
    return np.asarray(moved[..., :2] / moved[..., 2:])


def _equations(source: Floats, target: Floats) -> Floats:
    """Return the rows of the linear equations of homographies; shape ``(n, 2 m, 9)``."""
    x, y = source[..., 0], source[..., 1]
    u, v = target[..., 0], target[..., 1]
    one, zero = np.ones_like(x), np.zeros_like(x)
    across = np.stack([x, y, one, zero, zero, zero, -u * x, -u * y, -u], axis=-1)
    down = np.stack([zero, zero, zero, x, y, one, -v * x, -v * y, -v], axis=-1)
    return np.concatenate([across, down], axis=1)


def _four_points(source: Floats, target: Floats) -> Floats:
    """Return the homographies that take four points to four others, where they exist; shapes ``(n, 4, 2)``."""
    rows = _equations(source, target)
    scale = np.abs(rows[..., :8]).max(axis=(1, 2), keepdims=True)
    exists = np.abs(np.linalg.det(rows[..., :8] / scale)) > 1e-30
    rows = rows[exists]
    solved = np.linalg.solve(rows[..., :8], -rows[..., 8:])[..., 0]
    return np.concatenate([solved, np.ones((len(solved), 1))], axis=1).reshape(-1, 3, 3)


def _fitted(source: Floats, target: Floats, weight: Floats) -> Floats:
    """Return the homographies that take points closest to others; shapes ``(n, m, 2)`` and ``(n, m)``."""
    total = weight.sum(axis=1)[:, None]
    middle = (weight[..., None] * target).sum(axis=1) / total
    spread = np.sqrt((weight * np.sum((target - middle[:, None]) ** 2, axis=2)).sum(axis=1, keepdims=True) / total)
    near, scale = source.mean(axis=(0, 1)), float(source.std())
    rows = _equations((source - near) / scale, (target - middle[:, None]) / spread[..., None])
    rows *= np.concatenate([weight, weight], axis=1)[..., None]
    normal = np.einsum("nki,nkj->nij", rows, rows)
    inner = np.linalg.eigh(normal)[1][:, :, 0].reshape(-1, 3, 3)
    before = np.array([[1 / scale, 0, -near[0] / scale], [0, 1 / scale, -near[1] / scale], [0, 0, 1]])
    after = np.zeros_like(inner)
    after[:, 0, 0] = after[:, 1, 1] = spread[:, 0]
    after[:, :2, 2] = middle
    after[:, 2, 2] = 1
    matrix = after @ inner @ before
    return np.asarray(matrix / matrix[:, 2:, 2:])
