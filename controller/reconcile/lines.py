"""Several plays at once: the next player rolled or moved before the last play was seen, or frames were missed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import getitem

from controller.board import Board, Observation
from controller.reconcile.evidence import Evidence
from controller.reconcile.hypotheses import (
    Hypothesis,
    bounds_after_reply,
    misfit,
    results_of,
    roll_weights,
    whole_plays,
)
from controller.reconcile.reach import Reach
from controller.reconcile.settings import DEFAULT, Settings
from controller.rules.plays import legal_plays
from controller.rules.position import ALL_ROLLS, Color, Play, Position, Roll

_FIRSTS = 48
"""How many first plays are followed up before one reply, likeliest first."""

MOST_BOARDS = 300
"""How many boards may have stood there at one time between missed turns; where more may, nobody can tell."""


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
    seen: Observation | Evidence,
    *,
    settings: Settings = DEFAULT,
    first_roll: Roll | None = None,
) -> Line | None:
    """Return the only line of two plays that leads from `before` to what is seen, or None: then ask."""
    evidence = seen if isinstance(seen, Evidence) else Evidence.of(seen)
    lines = two_plays(before, mover, evidence, settings=settings, first_roll=first_roll)
    return only_line(lines, settings)


def _ends(line: Line) -> tuple[Position, Position]:
    return line.first.position, line.second.position


def first_plays(
    before: Position,
    mover: Color,
    evidence: Evidence,
    settings: Settings,
    roll: Roll | None,
    replies: Sequence[Roll] = (),
) -> list[Hypothesis]:
    """Return the plays, and a dance where one is possible, after which replies could leave what is seen.

    Before one reply they are the likeliest ones; before several, none where they are more than `MOST_BOARDS`.

    Args:
        before: the last certain board, as the mover counts.
        mover: who was on roll there.
        evidence: the board after all turns.
        settings: thresholds.
        roll: the roll of the first play, where it is known.
        replies: the rolls of the turns after it; where they are not known it is one turn.
    """
    bounds = bounds_after_reply(evidence, mover)
    reach = Reach.of(evidence, settings)
    rolls = (roll,) if roll else ALL_ROLLS
    plays: dict[Position, Play] = {}
    weights: dict[Position, dict[Roll, float]] = {}
    for each, weight in roll_weights(roll, Evidence(evidence.rows, evidence.hidden), settings).items():
        if each not in rolls:
            continue
        results = legal_plays(before, each, settings.must_use) or {before: ()}
        for position, play in results.items():
            if reach.holds(position, mover, replies):
                plays.setdefault(position, play)
                weights.setdefault(position, {})[each] = weight
    found = [
        Hypothesis("play", mover, position, play, weights[position], sum(map(getitem, bounds, position.points)))
        for position, play in plays.items()
    ]
    likeliest = sorted(found, key=lambda h: -h.score)
    if len(replies) < 2:
        return likeliest[:_FIRSTS]
    return likeliest if len(likeliest) <= MOST_BOARDS else []


def before_last(
    boards: Iterable[Board],
    mover: Color,
    rolls: Sequence[Roll],
    evidence: Evidence,
    settings: Settings = DEFAULT,
) -> dict[Board, frozenset[Board]]:
    """Return what may have stood there before the last of several turns, of which only the end was seen.

    Args:
        boards: what may have stood there before the first of them.
        mover: whose turn that was.
        rolls: the rolls of all of them, at least one, in order.
        evidence: the board after all of them; the last turn may be unfinished.
        settings: thresholds.

    Returns:
        Those boards, with the `boards` each of them may have come from, and perhaps some more from which the last
        turn does not lead to what is seen. None where they are more than `MOST_BOARDS`.
    """
    reach = Reach.of(evidence, settings)
    found = {board.seen_by(mover): frozenset((board,)) for board in boards}
    for number, roll in enumerate(rolls[:-1], 1):
        later: dict[Position, frozenset[Board]] = {}
        for position, origins in found.items():
            for after in results_of(position, roll, settings.must_use):
                if reach.holds(after, mover, rolls[number:]):
                    turned = after.turned()
                    later[turned] = later.get(turned, frozenset()) | origins
            if len(later) > MOST_BOARDS:
                return {}
        found, mover = later, mover.opponent
    return {Board.of(position, mover): origins for position, origins in found.items()}
