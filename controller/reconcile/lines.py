"""Several plays at once: the next player rolled or moved before the last play was seen, or frames were missed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import getitem

from controller.board import Board, Observation
from controller.reconcile.evidence import Evidence
from controller.reconcile.hypotheses import (
    Hypothesis,
    bounds_after_reply,
    log_sum,
    misfit,
    roll_weights,
    whole_plays,
)
from controller.reconcile.settings import DEFAULT, Settings
from controller.rules.plays import legal_plays
from controller.rules.position import ALL_ROLLS, Color, Play, Position, Roll

_FIRSTS = 48
"""How many first plays are followed up; more than that are never left by a readable board."""


@dataclass(frozen=True, slots=True)
class Line:
    """Two plays, one by each player, of which only the end was seen.

    Attributes:
        first: the play of the player on roll; its `fit` is the bound it was kept by.
        second: the reply; its `fit` is that of the board seen.
        score: the logarithm of the probability of both but for a common constant.
        doubt: how much the evidence contradicts the board after both beyond its noise.
    """

    first: Hypothesis
    second: Hypothesis
    score: float
    doubt: float


def two_plays(
    before: Board,
    mover: Color,
    evidence: Evidence,
    *,
    settings: Settings = DEFAULT,
    first_roll: Roll | None = None,
) -> list[Line]:
    """Return the lines of two plays that the evidence does not contradict, likeliest first.

    Args:
        before: the last certain board.
        mover: who was on roll there.
        evidence: the board after both plays; its dice are those of the reply.
        settings: thresholds.
        first_roll: the roll of the first play, where it is known.
    """
    lines = []
    weights = roll_weights(None, evidence, settings)
    for first in first_plays(before.seen_by(mover), mover, evidence, settings, first_roll):
        replies, _ = whole_plays(first.position.turned(), mover.opponent, weights, evidence, settings)
        for second in replies:
            doubt = misfit(second, evidence, settings)
            if doubt <= settings.contradiction:
                lines.append(Line(first, second, first.prior + second.score, doubt))
    return sorted(lines, key=lambda line: -line.score)


def only_line(lines: Sequence[Line], settings: Settings = DEFAULT) -> Line | None:
    """Return the one line of plays that fits, or None where none or several do, or a wrong play is as likely.

    Lines are the same when both boards are; which rolls were made does not matter.
    """
    if not lines:
        return None
    best = lines[0]
    if best.doubt > settings.contradiction - settings.margin:
        return None
    rivals = (line for line in lines[1:] if (line.first.position, line.second.position) != _ends(best))
    if any(line.score > best.score - settings.margin for line in rivals):
        return None
    return best


def recover(
    before: Board,
    mover: Color,
    seen: Observation | Sequence[Observation],
    *,
    settings: Settings = DEFAULT,
    first_roll: Roll | None = None,
) -> Line | None:
    """Return the only line of two plays that leads from `before` to what is seen, or None: then ask."""
    lines = two_plays(before, mover, Evidence.of(seen), settings=settings, first_roll=first_roll)
    return only_line(lines, settings)


def _ends(line: Line) -> tuple[Position, Position]:
    return line.first.position, line.second.position


def first_plays(
    before: Position, mover: Color, evidence: Evidence, settings: Settings, roll: Roll | None
) -> list[Hypothesis]:
    """Return the plays, and a dance where one is possible, after which some reply could leave what is seen."""
    bounds = bounds_after_reply(evidence, mover)
    doubts = tuple(tuple(max(0.0, -value - settings.site_noise) for value in row) for row in bounds)
    rolls = (roll,) if roll else ALL_ROLLS
    plays: dict[Position, Play] = {}
    weights: dict[Position, dict[Roll, float]] = {}
    for each, weight in roll_weights(roll, Evidence(evidence.rows, evidence.hidden), settings).items():
        if each not in rolls:
            continue
        results = legal_plays(before, each, settings.must_use) or {before: ()}
        for position, play in results.items():
            if sum(map(getitem, doubts, position.points)) <= settings.contradiction:
                plays.setdefault(position, play)
                weights.setdefault(position, {})[each] = weight
    found = [
        Hypothesis("play", mover, position, play, weights[position], sum(map(getitem, bounds, position.points)))
        for position, play in plays.items()
    ]
    return sorted(found, key=lambda h: -(h.fit + log_sum(list(h.rolls.values()))))[:_FIRSTS]
