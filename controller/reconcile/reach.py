"""From which boards turns that nobody saw can have led to what is seen: what need not be looked through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import getitem

from controller.board import COUNTS
from controller.reconcile.evidence import Evidence
from controller.reconcile.hypotheses import bounds_after_reply
from controller.reconcile.settings import Settings
from controller.rules.position import Color, Position, Roll


@dataclass(frozen=True, slots=True)
class Reach:
    """What the evidence does not contradict, as far as it tells where checkers must have come from.

    Attributes:
        least: per player and point, in his own numbering, how few of his checkers may stand there.
        most: how many may.
        doubts: per player, place and count, how much any one reply of his opponent must leave contradicted.
        contradiction: how much may be, summed over all places.
    """

    least: Mapping[Color, tuple[int, ...]]
    most: Mapping[Color, tuple[int, ...]]
    doubts: Mapping[Color, tuple[tuple[float, ...], ...]]
    contradiction: float

    @classmethod
    def of(cls, evidence: Evidence, settings: Settings) -> Reach:
        """Return what can be told from the board after all turns."""
        lowest = -settings.site_noise - settings.contradiction
        counts = {
            player: [[max(0, n) for n in COUNTS if row[n] >= lowest] for row in evidence.rows_of(player)[1:25]]
            for player in Color
        }
        doubts = {
            player: tuple(
                tuple(max(0.0, -value - settings.site_noise) for value in row)
                for row in bounds_after_reply(evidence, player)
            )
            for player in Color
        }
        least = {player: tuple(map(min, each)) for player, each in counts.items()}
        most = {player: tuple(map(max, each)) for player, each in counts.items()}
        return cls(least, most, doubts, settings.contradiction)

    def holds(self, after: Position, mover: Color, replies: Sequence[Roll]) -> bool:
        """Tell whether turns may lead from a board to what is seen; False only where they cannot.

        Args:
            after: what stands there after a play of `mover`, as he counts.
            mover: who made it.
            replies: the rolls of the turns after it, the opponent's first; none for one turn of any roll.
        """
        if len(replies) < 2 and sum(map(getitem, self.doubts[mover], after.points)) > self.contradiction:
            return False
        if not replies:
            return True
        moves, own = [sum(4 if roll.is_double else 2 for roll in replies[first::2]) for first in (0, 1)]
        other = after.turned().points
        return self._suffice(after.points, mover, own, moves) and self._suffice(other, mover.opponent, moves, own)

    def _suffice(self, points: tuple[int, ...], player: Color, own: int, others: int) -> bool:
        """Tell whether `own` moves of a player, and `others` of his opponent, suffice for what is seen of his.

        A move takes one checker of its player to another point, and at most one of the other's to the bar: a blot.
        """
        came = gone = left = 0
        for n, least, most in zip(points[1:25], self.least[player], self.most[player], strict=True):
            if n < least:
                came += least - max(0, n)
            elif n > most:
                gone += n - most
                left += n - max(1, most)
        return came <= own and left <= own and gone <= own + others
