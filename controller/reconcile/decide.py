"""From evidence to a verdict: pure, without clock, and never the nearest legal play for its own sake."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from controller.board import Board, Observation
from controller.reconcile.evidence import Evidence, roll_log_likelihoods, sites_and_bars
from controller.reconcile.hypotheses import (
    Hypothesis,
    log_sum,
    misfit,
    part_plays,
    roll_weights,
    unmoved,
    whole_plays,
)
from controller.reconcile.settings import DEFAULT, Settings
from controller.reconcile.verdicts import (
    Ambiguous,
    Completed,
    InProgress,
    Obscured,
    Unexplained,
    Unmoved,
    Verdict,
)
from controller.rules.position import Color, Position, Roll

CERTAIN_DICE = 0.95
"""The probability of the rolls that cannot be played from which an unmoved board is called a dance."""

TALL = 5
"""A stack of so many checkers looks like any higher one."""

_JUDGED = 24
"""How many of the likeliest hypotheses are looked at site by site."""


def reconcile(
    before: Board,
    mover: Color,
    roll: Roll | None,
    seen: Observation | Sequence[Observation] | Evidence,
    *,
    settings: Settings = DEFAULT,
    turn_ended: bool = False,
    opening: bool = False,
) -> Verdict:
    """Tell what happened on the board since `before`.

    Args:
        before: the last certain board; it also says what no camera can see.
        mover: whose turn it is.
        roll: his roll when it is known for certain; otherwise the dice in `seen` are weighed. Dice that were
            lying there before this turn must have been taken out of `seen` by the caller.
        seen: one observation, or several of the same still board by different sources.
        settings: thresholds.
        turn_ended: a signal has ended the turn, so that unfinished plays are unlikely.
        opening: this is the first turn of a game: no doubles, and one die of each player.

    Returns:
        A verdict; until the turn ends it is provisional.

    Example:
        >>> from controller.board import START_BOARD, BarReading, SiteReading
        >>> dark = Observation(0.0, (SiteReading(),) * 24, (BarReading(),) * 2)
        >>> type(reconcile(START_BOARD, Color.WHITE, Roll(6, 1), dark)).__name__
        'Obscured'
    """
    evidence = seen if isinstance(seen, Evidence) else Evidence.of(seen)
    if evidence.hand:
        return Obscured(())
    case = _Case(
        before.seen_by(mover), mover, evidence, roll_weights(roll, evidence, settings, opening=opening), settings
    )
    whole, _ = whole_plays(case.before, mover, case.weights, evidence, settings)
    still = unmoved(case.before, mover, evidence)
    found = _weighted(case, whole, still, turn_ended)
    best = found[0]
    disputed = roll is None and _dice_conflict(best, evidence, settings, opening)
    if misfit(best, evidence, settings) > settings.contradiction - settings.margin or disputed:
        parts = part_plays(case.before, mover, case.weights, evidence, settings)
        found = _sorted([*found, *_scaled(parts, 0.01 if turn_ended else settings.part)])
    if turn_ended:
        found = _without_the_untold(found, evidence)
    return _verdict(case, found, roll, opening)


@dataclass(frozen=True, slots=True)
class _Case:
    """What all steps of one verdict share."""

    before: Position
    mover: Color
    evidence: Evidence
    weights: Mapping[Roll, float]
    settings: Settings


def _sorted(hypotheses: Iterable[Hypothesis]) -> list[Hypothesis]:
    return sorted(hypotheses, key=lambda h: -h.score)


def _scaled(hypotheses: Iterable[Hypothesis], share: float) -> list[Hypothesis]:
    """Return the hypotheses with their weights multiplied by the probability of their kind."""
    factor = math.log(share)
    return [
        Hypothesis(h.kind, h.mover, h.position, h.play, {r: w + factor for r, w in h.rolls.items()}, h.fit)
        for h in hypotheses
    ]


def _weighted(case: _Case, whole: list[Hypothesis], still: Hypothesis, turn_ended: bool) -> list[Hypothesis]:
    """Weigh whole plays against the unmoved board, and decide whether an unmoved board is a dance."""
    settings = case.settings
    share = 0.02 if turn_ended else settings.unmoved
    plays = [h for h in whole if h.position != case.before]
    dances = [h for h in whole if h.position == case.before]
    rest = 1 - share if turn_ended else 1 - share - settings.part
    return _sorted([*_scaled(plays, rest), *_still(case, still, dances, share, turn_ended)])


def _without_the_untold(found: list[Hypothesis], evidence: Evidence) -> list[Hypothesis]:
    """Leave out unfinished plays that no reading could ever tell from the best whole play.

    They differ only in how high stacks are that look alike from five checkers on. Once the player has ended his
    turn he has played, and to ask whether he has would be a question about every checker that leaves such a stack.
    """
    best = next((h for h in found if h.kind == "play"), None)
    if best is None:
        return found
    rows = evidence.rows_of(best.mover)
    return [h for h in found if h.kind == "play" or not _told_apart_by_none(best, h, rows)]


def _told_apart_by_none(one: Hypothesis, other: Hypothesis, rows: Sequence[tuple[float, ...]]) -> bool:
    """Tell whether two boards differ only in stacks of one color that are too tall to be counted."""
    pairs = zip(one.position.points, other.position.points, rows, strict=True)
    return all(a == b or (min(abs(a), abs(b)) >= TALL and a * b > 0 and row[a] == row[b]) for a, b, row in pairs)


def _still(
    case: _Case, still: Hypothesis, dances: list[Hypothesis], share: float, turn_ended: bool
) -> list[Hypothesis]:
    """Return the unmoved board as a dance, as waiting, or as neither of them for certain.

    It is a dance when the roll is known or seen and cannot be played, or when no roll could be and the turn ended.
    """
    danced = math.exp(min(0.0, dances[0].prior)) if dances else 0.0
    thrown = len(case.weights) == 1 or any(d.half is not None and not d.cocked for d in case.evidence.dice)
    if dances and danced > CERTAIN_DICE and (thrown or turn_ended):
        return [dances[0]]
    return _scaled([still], share)


def _dice_conflict(best: Hypothesis, evidence: Evidence, settings: Settings, opening: bool) -> bool:
    """Tell whether the dice seen speak against every roll that allows a play."""
    if best.kind != "play":
        return False
    seen = roll_log_likelihoods(evidence.dice, settings, opening=opening)
    return max(seen[roll] for roll in best.rolls) < -settings.dice_conflict


def _verdict(case: _Case, found: list[Hypothesis], roll: Roll | None, opening: bool) -> Verdict:
    """Decide between weighted hypotheses, likeliest first."""
    settings, evidence = case.settings, case.evidence
    judged = found[:_JUDGED]
    doubts = [misfit(h, evidence, settings) for h in judged]
    wrong_play = max(h.score + _excused(case, h) for h in judged) - settings.contradiction
    whole = log_sum([*(h.score for h in found), wrong_play])
    fitting = [h for h, doubt in zip(judged, doubts, strict=True) if doubt <= settings.contradiction]
    if not fitting:
        return _unexplained(case, found, whole)
    best = fitting[0]
    close = [h for h in judged if h.score > best.score - settings.margin and h.position != best.position]
    if close:
        return _undecided(case, [best, *close], whole)
    nearest = _as_the_dice_say(case, best, opening) if roll is None else None
    if nearest is not None and nearest.position != best.position and best.kind == "play":
        return _undecided(case, [best, nearest], whole)
    if wrong_play > best.score - settings.margin:
        return _undecided(case, [best], whole)
    second = max([wrong_play, *(h.score for h in judged if h.position != best.position)])
    return _certain(best, math.exp(best.score - whole), best.score - second, settings)


def _excused(case: _Case, hypothesis: Hypothesis) -> float:
    """Return how much of what contradicts a hypothesis a wrong play would explain: what may stand there at all.

    A place that shows one checker of the opponent more than he has is misread, whatever was played.
    """
    player, points = hypothesis.mover, hypothesis.position.points
    misfits = case.evidence.misfits(points, player, case.settings.site_noise)
    likeliest = case.evidence.likeliest
    sign = -1 if player is Color.WHITE else 1
    seen = {place: max(0, likeliest[place] * sign) for place in misfits}
    known = {place: max(0, -points[place if player is Color.WHITE else 25 - place]) for place in misfits}
    more = {place for place in misfits if seen[place] > known[place]}
    if sum(seen.values()) <= sum(known.values()):
        return sum(misfits.values())
    return sum(by for place, by in misfits.items() if place not in more)


def _as_the_dice_say(case: _Case, best: Hypothesis, opening: bool) -> Hypothesis | None:
    """Return the best play of the rolls the dice show, when they contradict the best play; otherwise None."""
    if not _dice_conflict(best, case.evidence, case.settings, opening):
        return None
    seen = roll_log_likelihoods(case.evidence.dice, case.settings, opening=opening)
    likely = {r: w for r, w in case.weights.items() if seen[r] > -case.settings.dice_conflict}
    plays, _ = whole_plays(case.before, case.mover, likely, case.evidence, case.settings)
    return plays[0]


def _certain(best: Hypothesis, probability: float, margin: float, settings: Settings) -> Verdict:
    """Return the verdict for a hypothesis without a rival."""
    if best.kind == "unmoved":
        return Unmoved(probability, margin)
    if best.kind == "part":
        return InProgress(best.play, best.board, probability)
    rolls = best.best_rolls
    told = len(rolls) == 1 or best.rolls[rolls[0]] - best.rolls[rolls[1]] >= settings.margin / 2
    return Completed(best.play, rolls[0] if told else None, rolls, best.board, probability, margin)


def _undecided(case: _Case, rivals: list[Hypothesis], whole: float) -> Verdict:
    """Return the question between rivals: asked of the players, or of whoever stands in the way."""
    settings = case.settings
    choices = tuple(h.choice(math.exp(h.score - whole)) for h in rivals[: settings.choices])
    places: set[int] = set()
    for rival in rivals[1:]:
        places |= _differing(rivals[0], rival)
    if len(rivals) == 1:
        points = rivals[0].position.points
        places = set(case.evidence.misfits(points, rivals[0].mover, settings.site_noise))
    sites, bars = sites_and_bars(sorted(places))
    if places and places <= case.evidence.hidden:
        return Obscured(sites, choices)
    return Ambiguous(choices, sites, bars)


def _differing(one: Hypothesis, other: Hypothesis) -> set[int]:
    """Return White's places where two boards differ."""
    pairs = enumerate(zip(one.position.points, other.position.points, strict=True))
    return {place if one.mover is Color.WHITE else 25 - place for place, (a, b) in pairs if a != b}


def _unexplained(case: _Case, found: list[Hypothesis], whole: float) -> Unexplained:
    """Return where the nearest legal play is contradicted."""
    plays = [h for h in found if h.kind == "play"] or found
    nearest = max(plays, key=lambda h: h.fit)
    places = case.evidence.misfits(nearest.position.points, case.mover, case.settings.site_noise)
    sites, bars = sites_and_bars(sorted(places))
    return Unexplained(
        sites, bars, nearest.choice(math.exp(nearest.score - whole)) if nearest.kind == "play" else None
    )
