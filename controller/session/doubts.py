"""Whether a wrong play could hide behind a legal one: in what is hidden, unclear, or cannot be counted."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from controller.board import Board
from controller.reconcile import TALL, Evidence
from controller.reconcile.hypotheses import results_of
from controller.rules.plays import MustUse
from controller.rules.position import CHECKERS, Color, Roll
from controller.session.standing import ALIKE, SURE

OVERLOOKED = 7.0
"""By how much, in natural logarithms, a lone checker may look like none for as long as it stands, or none like it:
as much as a lamp in a glossy one makes it."""

Counts = tuple[int, ...]
"""Signed counts of White's places: Black's side of the bar, the 24 sites, White's side of the bar."""


def doubtful(before: Board, after: Board, evidence: Evidence, earlier: Evidence | None = None) -> bool:
    """Tell whether a wrong play could hide behind what is not seen; then another look is worth waiting for.

    That is so when sites are hidden and the play itself is not seen clearly. It is so, too, when a site that the
    play used, or that has become unclear in this turn, may hold one checker more or less than the play says, and
    the play bore one off, or used a stack too tall to be counted: nowhere else would that checker be missed. And
    it is so when a site that the play used was misread before, and looks the same. And it is so when one checker
    looks as if it stood elsewhere: the play would be unfinished, or another one; or when a blot that the play did
    not touch has come to look like none: it may have been hit; or another site that it did not touch fuller or
    emptier: a stack too tall to be counted may have given or taken a checker.

    Args:
        before: the board before the turn.
        after: the board after the play that is in doubt.
        evidence: what the newest readings say.
        earlier: what the readings said with which the turn began; what was unclear then, on a site that the play
            did not use, tells nothing about this turn.
    """
    old, new = _counts(before), _counts(after)
    if evidence.hidden and _half_hidden(evidence, old, new):
        return True
    if earlier is not None and any(abs(old[p]) == 1 and old[p] == new[p] for p in changed_sites(after, evidence)):
        return True
    if earlier is not None and any(_unseen(evidence, earlier, old, new, sign) for sign in (1, -1)):
        return True
    return any(
        _strayed(evidence, earlier, old, new, sign)
        or _elsewhere(evidence, earlier, old, new, sign)
        or (earlier is not None and _from_a_stack(evidence, earlier, old, new, sign))
        for sign in (1, -1)
    )


def changed_sites(board: Board, evidence: Evidence) -> list[int]:
    """Return White's places that look, if only a little, more like something else than `board` says.

    Args:
        board: what may stand there.
        evidence: what the newest readings say, but for what they said wrongly when the turn began.
    """
    pairs = zip(evidence.rows, _counts(board), strict=True)
    return [place for place, (row, count) in enumerate(pairs) if row[count] < -ALIKE / 10]


def newly_unclear(evidence: Evidence, earlier: Evidence) -> bool:
    """Tell whether a site may hold what readings before spoke clearly against, and nothing hides it."""
    return any(
        value > -SURE and was <= -SURE
        for place, (row, before) in enumerate(zip(evidence.rows, earlier.rows, strict=True))
        if place not in evidence.hidden
        for value, was in zip(row, before, strict=True)
    )


def clearly_changed(before: Board, after: Board, evidence: Evidence) -> bool:
    """Tell whether each place that differs looks clearly as `after` says; too tall a stack never does."""
    return all(
        was == now or row[now] - row[was] >= SURE
        for row, was, now in zip(evidence.rows, _counts(before), _counts(after), strict=True)
    )


def contradicted(before: Board, after: Board, evidence: Evidence) -> bool:
    """Tell whether a place that differs speaks against `after`."""
    return any(
        was != now and row[now] < -SURE
        for row, was, now in zip(evidence.rows, _counts(before), _counts(after), strict=True)
    )


@dataclass(frozen=True, slots=True)
class OneSite:
    """The one site that tells a play from another legal one of the same roll.

    Attributes:
        count: what stands there after the play, as its player counts.
        other: what would stand there after the other play.
        margin: by how much it looks like `count`, natural logarithm.
    """

    count: int
    other: int
    margin: float

    @property
    def overlooked(self) -> bool:
        """Whether the other play may have been made, and a lone checker looks like none, or none like one."""
        return {abs(self.count), abs(self.other)} == {0, 1} and self.margin < OVERLOOKED


def one_site_apart(
    before: Board, after: Board, mover: Color, roll: Roll, evidence: Evidence, must_use: MustUse
) -> list[OneSite]:
    """Return what tells a play from those legal ones of the same roll from which one site alone tells it.

    The other checker was borne off, or stands on a stack too tall to be counted. Then a single reading of that
    site that is wrong makes one play of the other.
    """
    rows, points = evidence.rows_of(mover), after.seen_by(mover).points
    found = []
    for other in results_of(before.seen_by(mover), roll, must_use):
        places = zip(rows, points, other.points, strict=True)
        told = [OneSite(a, b, row[a] - row[b]) for row, a, b in places if a != b]
        told = [each for each in told if abs(each.margin) >= ALIKE / 10]
        if len(told) == 1:
            found += told
    return found


def one_site_short(before: Board, after: Board) -> bool:
    """Tell whether a single wrong reading of one site could make a play of a wrong one.

    That is so where it bore a checker off, or used a stack too tall to be counted: the checker that is missed on
    the other site may be there. Any other wrong play shows at two sites.
    """
    old, new = _counts(before), _counts(after)
    return any(
        0 <= min(new[place] * sign, (new[place] + by) * sign) < TALL and _forward(old, other, sign)
        for sign in (1, -1)
        for place in range(1, 25)
        for by in (sign, -sign)
        for other in _instead(old, new, place, by, sign)
    )


def _counts(board: Board) -> Counts:
    return (-board.bar[1], *board.points, board.bar[0])


def _home(counts: Counts, sign: int) -> bool:
    """Tell whether all checkers of one color are at home, so that they may be borne off."""
    return all(count * sign <= 0 for count in (counts[7:] if sign > 0 else counts[:19]))


def _off(counts: Counts, sign: int) -> int:
    """Return how many checkers of one color are off the board."""
    return CHECKERS - sum(max(0, count * sign) for count in counts)


def _half_hidden(evidence: Evidence, old: Counts, new: Counts) -> bool:
    """Tell whether sites are hidden and the play is not seen clearly.

    One of the sites it changed is hidden, or looks almost as it did before; or a checker that was borne off may
    stand on a hidden one at home.
    """
    for sign, home in ((1, range(1, 7)), (-1, range(19, 25))):
        if _off(new, sign) > _off(old, sign) and evidence.hidden.intersection(home):
            return True
    for place, row in enumerate(evidence.rows):
        rivals = [row[n] for n in range(-15, 16) if n != new[place] and abs(row[n] - row[new[place]]) > ALIKE / 10]
        unclear = bool(rivals) and row[new[place]] - max(rivals) < SURE
        alike = abs(row[old[place]] - row[new[place]]) < ALIKE
        if old[place] != new[place] and (place in evidence.hidden or unclear or alike):
            return True
    return False


def _unseen(evidence: Evidence, earlier: Evidence, old: Counts, new: Counts, sign: int) -> bool:
    """Tell whether a site that was misread before looks as it did, though the play used it.

    Then it tells nothing, and the checker may as well have come from, or gone to, a stack too tall to be counted,
    or have been borne off.
    """
    elsewhere = _off(new, sign) > _off(old, sign) or any(count * sign >= TALL for count in (*old, *new))
    return elsewhere and any(
        max(old[place] * sign, new[place] * sign) > 0
        and old[place] != new[place]
        and abs(row[old[place]] - row[new[place]]) < ALIKE / 10
        and before[old[place]] <= -ALIKE / 10
        for place, (row, before) in enumerate(zip(evidence.rows, earlier.rows, strict=True))
    )


def _strayed(evidence: Evidence, earlier: Evidence | None, old: Counts, new: Counts, sign: int) -> bool:
    """Tell whether an unclear site may hold a checker that the play put where none is counted.

    Where one was borne off, it may stand on a site at home instead; where a stack too tall to be counted was used,
    any other site may hold one more or one less; and where such a stack stands beside a site that was used, it may
    have taken the checker.
    """
    for place in range(1, 25):
        for by in (sign, -sign):
            unclear = _unclear(evidence, place, new[place], new[place] + by, sign)
            if unclear and earlier is not None and _unclear_before(earlier, place, old, new, sign):
                continue
            if unclear and any(_forward(old, other, sign) for other in _instead(old, new, place, by, sign)):
                return True
    return False


def _elsewhere(evidence: Evidence, earlier: Evidence | None, old: Counts, new: Counts, sign: int) -> bool:
    """Tell whether the board looks more as if one checker stood on another site than the play says.

    It may look, too, as if the play had not brought it to others: then it may have been borne off. A site that
    the play did not use and that was unclear before tells nothing about it.
    """

    def gains(by: int) -> dict[int, float]:
        found = {place: _gain(evidence, place, new[place], by) for place in range(1, 25)}
        before = {place: _gain(earlier, place, old[place], by) for place in found} if earlier is not None else {}
        return {
            place: gain
            for place, gain in found.items()
            if min(new[place] * sign, (new[place] + by) * sign) >= 0
            and gain > -SURE
            and (old[place] != new[place] or before.get(place, -math.inf) < -ALIKE / 10)
        }

    less, more = gains(-sign), gains(sign)
    fewer = [place for place, gain in less.items() if gain > ALIKE / 10]
    if _home(new, sign) and any(old[place] not in (0, new[place]) for place in fewer):
        return True
    return any(
        a != b and less[a] + more[b] > ALIKE / 10 and _forward(old, _moved(new, b, a, sign), sign)
        for a in less
        for b in more
    )


def _from_a_stack(evidence: Evidence, earlier: Evidence, old: Counts, new: Counts, sign: int) -> bool:
    """Tell whether a site that the play did not use has come to look as if it held one checker more, or one less.

    A stack too tall to be counted may have given it, or taken it.
    """
    stacks = [place for place in range(1, 25) if new[place] * sign >= TALL]
    return any(
        place != stack
        and (new[stack] - by) * sign >= TALL
        and old[place] == new[place]
        and min(new[place] * sign, (new[place] + by) * sign) >= 0
        and _gain(evidence, place, new[place], by) > ALIKE / 10
        and _gain(earlier, place, old[place], by) <= -SURE
        and _forward(old, _moved(new, place, stack, by), sign)
        for place in range(1, 25)
        for stack in stacks
        for by in (sign, -sign)
    )


def _moved(counts: Counts, place: int, other: int, by: int) -> Counts:
    """Return counts with so many more on one place and so many fewer on the other."""
    return tuple(n + by * ((at == place) - (at == other)) for at, n in enumerate(counts))


def _gain(evidence: Evidence, place: int, count: int, by: int) -> float:
    """Return how much likelier it is that a place holds so many more than that it holds `count`."""
    row = evidence.rows[place]
    return row[count + by] - row[count] if abs(count + by) <= CHECKERS else -math.inf


def _instead(old: Counts, new: Counts, place: int, by: int, sign: int) -> Iterator[Counts]:
    """Yield what may stand there if one more, or one less, stands on `place`, and all else looks as it does."""
    used = {each for each in range(1, 25) if old[each] != new[each]}
    tall = {each for each in range(1, 25) if new[each] * sign >= TALL}
    other = (*new[:place], new[place] + by, *new[place + 1 :])
    home = range(1, 7) if sign > 0 else range(19, 25)
    if by == sign and place in home and _off(new, sign) > _off(old, sign):
        yield other
    beside = {place + 1, place - 1} if place in used else set()
    for stack in tall & (used | beside) - {place}:
        if (new[stack] - by) * sign >= TALL:
            yield (*other[:stack], new[stack] - by, *other[stack + 1 :])


def _forward(old: Counts, new: Counts, sign: int) -> bool:
    """Tell whether one color only moved forward from one board to the other; what of it was hit is not known."""
    bar, places = (25, range(25, 0, -1)) if sign > 0 else (0, range(25))
    if abs(new[bar]) > abs(old[bar]):
        return True
    gone = itertools.accumulate(max(0, old[each] * sign) - max(0, new[each] * sign) for each in places)
    return all(count >= 0 for count in gone)


def _unclear(evidence: Evidence, place: int, count: int, other: int, sign: int) -> bool:
    """Tell whether another count of one color is nearly as likely, though the two can be told apart."""
    if min(count * sign, other * sign) < 0 or min(count * sign, other * sign) >= TALL:
        return False
    row = evidence.rows[place]
    return row[count] - row[other] < SURE


def _unclear_before(earlier: Evidence, place: int, old: Counts, new: Counts, sign: int) -> bool:
    """Tell whether a site was unclear before the turn, so that it tells nothing about it.

    A site that the play used looks otherwise after it, unless its counts are never told apart: a sensor is dead.
    Then the other sites of the play tell it, but for a checker that was borne off.
    """
    count, row = old[place], earlier.rows[place]
    rivals = [count + by for by in (1, -1) if _unclear(earlier, place, count, count + by, sign)]
    if count == new[place]:
        return bool(rivals)
    return _off(new, sign) == _off(old, sign) and any(
        abs(row[count] - row[rival]) < ALIKE / 10 for rival in rivals
    )
