"""What a whole board can be: a side has fifteen checkers, so that what lies at one site bears on the others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from controller.board import COUNTS, BarReading, Board, Observation

Floats = npt.NDArray[np.float64]

MOST = COUNTS[-1]
"""Checkers of one side."""

UNSEEN_MORE = 0.05
"""How much less likely one more checker is on a bar that is not seen."""

ALL_THERE = 0.5
"""How likely it is, before looking, that a side has borne off nothing; every other number is equally likely."""


def marginals(observation: Observation, most: tuple[int, int] = (MOST, MOST)) -> tuple[Floats, Floats]:
    """Return the probability of every count at every site, given that no side has more checkers than it owns.

    Args:
        observation: a reading.
        most: how many checkers White and Black play with.

    Returns:
        Probabilities of the 31 signed counts for 24 sites, shape ``(24, 31)``, and of the 16 counts on the bar for
        White and Black, shape ``(2, 16)``.
    """
    tables = [_table(np.array(site.log_likelihoods)) for site in observation.sites]
    bars = [_on_bar(bar) for bar in observation.bar]
    tables += [{(n, 0): float(p) for n, p in enumerate(bars[0]) if p > 1e-12}]
    tables += [{(0, n): float(p) for n, p in enumerate(bars[1]) if p > 1e-12}]
    ends = _prior(most)
    forward = [np.zeros_like(ends)]
    forward[0][0, 0] = 1.0
    for table in tables:
        forward.append(_add(forward[-1], table))
    backward = [ends]
    for table in reversed(tables):
        backward.append(_take(backward[-1], table))
    backward.reverse()
    sites = np.zeros((24, len(COUNTS)))
    bar = np.zeros((2, MOST + 1))
    for i, table in enumerate(tables):
        for (white, black), chance in table.items():
            shown = forward[i][: MOST + 1 - white, : MOST + 1 - black]
            share = chance * float(np.sum(shown * backward[i + 1][white:, black:]))
            if i < 24:
                sites[i, white - black + MOST] += share
            else:
                bar[i - 24, white + black] += share
    return _normed(sites), _normed(bar)


def likeliest(observation: Observation, most: tuple[int, int] = (MOST, MOST)) -> Board | None:
    """Return the board of the likeliest count at each site, or None where these are too many checkers together."""
    sites, bar = marginals(observation, most)
    points = tuple(int(n) - MOST for n in sites.argmax(axis=1))
    on_bar = (int(bar[0].argmax()), int(bar[1].argmax()))
    white = sum(n for n in points if n > 0) + on_bar[0]
    black = -sum(n for n in points if n < 0) + on_bar[1]
    return Board(points, on_bar) if max(white, black) <= MOST else None


def _on_bar(bar: BarReading) -> Floats:
    """Return the weight of each count on the bar; on one that is not seen, each more is so much less likely."""
    if not bar.seen:
        return np.asarray(UNSEEN_MORE ** np.arange(MOST + 1.0))
    logs = np.array(bar.log_likelihoods)
    return np.asarray(np.exp(logs - logs.max()))


def _table(logs: Floats) -> dict[tuple[int, int], float]:
    chance = np.exp(logs - logs.max())
    return {(max(n, 0), max(-n, 0)): float(p) for n, p in zip(COUNTS, chance, strict=True) if p > 1e-12}


def _prior(most: tuple[int, int]) -> Floats:
    side = []
    for owned in most:
        chance = np.zeros(MOST + 1)
        chance[: owned + 1] = (1 - ALL_THERE) / owned
        chance[owned] = ALL_THERE
        side.append(chance)
    return np.outer(*side)


def _add(states: Floats, table: dict[tuple[int, int], float]) -> Floats:
    total = np.zeros_like(states)
    for (white, black), chance in table.items():
        total[white:, black:] += chance * states[: MOST + 1 - white, : MOST + 1 - black]
    return total / max(float(total.max()), 1e-300)


def _take(states: Floats, table: dict[tuple[int, int], float]) -> Floats:
    total = np.zeros_like(states)
    for (white, black), chance in table.items():
        total[: MOST + 1 - white, : MOST + 1 - black] += chance * states[white:, black:]
    return total / max(float(total.max()), 1e-300)


def _normed(chances: Floats) -> Floats:
    total = chances.sum(axis=1, keepdims=True)
    even = np.full_like(chances, 1 / chances.shape[1])
    return np.where(total > 0, chances / np.maximum(total, 1e-300), even)
