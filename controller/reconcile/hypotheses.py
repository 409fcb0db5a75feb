"""Everything that may have happened since the last certain board, and how well the evidence fits it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import getitem

from controller.board import Board
from controller.reconcile.evidence import Evidence, prior_of, roll_log_likelihoods
from controller.reconcile.settings import Settings
from controller.reconcile.verdicts import Choice
from controller.rules.plays import MustUse, legal_plays, single_moves
from controller.rules.position import (
    ALL_ROLLS,
    CHECKERS,
    Color,
    Play,
    Position,
    Roll,
)

REACH = 40.0
"""A hypothesis this much less likely than the best one is not kept, in natural logarithms."""


@dataclass(frozen=True)
class Hypothesis:
    """One board that may stand there.

    Attributes:
        kind: ``"play"``, ``"part"`` or ``"unmoved"``.
        mover: whose turn it is.
        position: what would stand there, as the mover counts.
        play: the moves that lead to it.
        rolls: the logarithm of the weight of every roll that allows it.
        fit: log-likelihood of the board, 0.0 for the best that any board could have.
    """

    kind: str
    mover: Color
    position: Position
    play: Play
    rolls: Mapping[Roll, float]
    fit: float

    @cached_property
    def board(self) -> Board:
        """What would stand there, as everybody sees it."""
        return Board.of(self.position, self.mover)

    @cached_property
    def prior(self) -> float:
        """The logarithm of its probability before looking at the checkers."""
        return log_sum(list(self.rolls.values()))

    @property
    def score(self) -> float:
        """The logarithm of its probability but for a common constant."""
        return self.prior + self.fit

    @property
    def best_rolls(self) -> tuple[Roll, ...]:
        """The rolls that allow it, likeliest first."""
        return tuple(sorted(self.rolls, key=lambda roll: -self.rolls[roll])) if self.kind != "unmoved" else ()

    def choice(self, probability: float) -> Choice:
        """Return it as one choice of a question."""
        return Choice(self.kind, self.board, self.play, self.best_rolls, probability)


def log_sum(values: list[float]) -> float:
    """Return the logarithm of a sum of exponentials."""
    top = max(values)
    return top + math.log(sum(math.exp(value - top) for value in values))


def roll_weights(
    roll: Roll | None, evidence: Evidence, settings: Settings, *, opening: bool = False
) -> dict[Roll, float]:
    """Return the logarithm of the probability of each possible roll, known or judged by the dice seen.

    At the opening no double is possible: the players roll again.
    """
    if roll is not None:
        return {roll: 0.0}
    seen = roll_log_likelihoods(evidence.dice, settings, opening=opening)
    weights = {r: math.log(prior_of(r)) + seen[r] for r in ALL_ROLLS if not (opening and r.is_double)}
    whole = log_sum(list(weights.values()))
    return {r: value - whole for r, value in weights.items()}


@lru_cache(maxsize=512)
def results_of(before: Position, roll: Roll, must_use: MustUse) -> Mapping[Position, Play]:
    """Return the results of a roll, a dance leaving the board as it was; kept, as pictures repeat the question."""
    return legal_plays(before, roll, must_use) or {before: ()}


def forget() -> None:
    """Drop all results that are kept; a benchmark measures without them."""
    results_of.cache_clear()


def whole_plays(
    before: Position, mover: Color, weights: Mapping[Roll, float], evidence: Evidence, settings: Settings
) -> tuple[list[Hypothesis], int]:
    """Return the whole plays and dances that the evidence does not rule out, and how many there were."""
    rows = evidence.rows_of(mover)
    plays: dict[Position, tuple[Play, float]] = {}
    rolls: dict[Position, dict[Roll, float]] = {}
    best = -math.inf
    count = 0
    for roll, weight in weights.items():
        results = results_of(before, roll, settings.must_use)
        count += len(results)
        share = weight - math.log(len(results))
        for position, play in results.items():
            fit = sum(map(getitem, rows, position.points))
            if fit < best - REACH:
                continue
            best = max(best, fit)
            known = plays.get(position)
            if known is None or len(play) < len(known[0]):
                plays[position] = (play, fit)
            rolls.setdefault(position, {})[roll] = share
    found = [
        Hypothesis("play", mover, position, play, rolls[position], fit)
        for position, (play, fit) in plays.items()
        if fit >= best - REACH
    ]
    return sorted(found, key=lambda h: -h.score), count


def part_plays(
    before: Position, mover: Color, weights: Mapping[Roll, float], evidence: Evidence, settings: Settings
) -> list[Hypothesis]:
    """Return the boards with some moves of a play made and others still to make."""
    parts: dict[Position, Play] = {}
    rolls: dict[Position, dict[Roll, float]] = {}
    for roll, weight in weights.items():
        results = legal_plays(before, roll, settings.must_use)
        moves = max(map(len, results.values()), default=0)
        reached = dict(_parts_of(before, roll, moves))
        for position, play in reached.items():
            if position not in results:
                parts.setdefault(position, play)
                rolls.setdefault(position, {})[roll] = weight - math.log(len(reached))
    return [
        Hypothesis("part", mover, position, play, rolls[position], evidence.score(position.points, mover))
        for position, play in parts.items()
    ]


def _parts_of(before: Position, roll: Roll, moves: int) -> Iterator[tuple[Position, Play]]:
    """Yield what stands there after one move, or up to three of a double, when a play has `moves`."""
    level: dict[Position, Play] = {before: ()}
    for _ in range(1, moves):
        deeper: dict[Position, Play] = {}
        for at, play in level.items():
            for die in {roll.high, roll.low}:
                for move, after in single_moves(at, die):
                    deeper.setdefault(after, (*play, move))
        yield from deeper.items()
        level = deeper


def unmoved(before: Position, mover: Color, evidence: Evidence) -> Hypothesis:
    """Return the hypothesis that the board stands as it did."""
    return Hypothesis("unmoved", mover, before, (), {ALL_ROLLS[0]: 0.0}, evidence.score(before.points, mover))


def misfit(hypothesis: Hypothesis, evidence: Evidence, settings: Settings) -> float:
    """Return how much the evidence contradicts a hypothesis beyond its noise, summed over all places."""
    points = hypothesis.position.points
    return sum(evidence.misfits(points, hypothesis.mover, settings.site_noise).values())


def bounds_after_reply(evidence: Evidence, mover: Color) -> tuple[tuple[float, ...], ...]:
    """Return, per place and count of `mover`, the best log-likelihood that any reply of the opponent could leave.

    A reply takes away no checker of the mover but a blot, which it sends to the bar.
    """
    rows = evidence.rows_of(mover)
    bounds = []
    for place, row in enumerate(rows):
        open_to_reply = max(row[-n] for n in range(CHECKERS + 1))
        bound = [row[n] for n in range(CHECKERS + 1)] + [open_to_reply] * CHECKERS
        if place == 25:
            bound = [max(row[n : CHECKERS + 1]) for n in range(CHECKERS + 1)] + [open_to_reply] * CHECKERS
        else:
            bound[0] = open_to_reply
            bound[1] = max(row[1], open_to_reply)
        bounds.append(tuple(bound))
    return tuple(bounds)
