"""Evidence: what one or several observations say about every count at every place, and about the roll.

Tables are kept in a player's own numbering (places 0 to 25, as `Position`), because legal plays are. A row holds
31 logarithms so that a signed count is its own index: ``row[n]`` with Python's negative indices.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import getitem

from controller.board import COUNTS, SITES, DieReading, Observation, Site
from controller.reconcile.settings import DEFAULT, Settings
from controller.rules.position import ALL_ROLLS, CHECKERS, Color, Roll

Row = tuple[float, ...]

NEVER = -1e4
"""Log-likelihood of what cannot be: White's checkers on Black's side of the bar."""


@dataclass(frozen=True)
class Evidence:
    """All observations of one still board, added up.

    Attributes:
        rows: 26 rows as White counts; 0.0 for the likeliest count of a place, negative for the others.
        hidden: White's places that no observation saw.
        dice: what all observations saw of the dice.
        hand: a hand was over the board in one of them.
    """

    rows: tuple[Row, ...]
    hidden: frozenset[int]
    dice: tuple[DieReading, ...] = ()
    hand: bool = False

    @classmethod
    def of(cls, seen: Observation | Sequence[Observation]) -> Evidence:
        """Add up observations that do not depend on each other: a camera and the sensors.

        Example:
            >>> from controller.board import BarReading, SiteReading
            >>> blind = Observation(0.0, (SiteReading(),) * 24, (BarReading(),) * 2)
            >>> len(Evidence.of(blind).hidden)
            26
            >>> Evidence.of([]).score((0,) * 26, Color.WHITE)
            0.0
        """
        observations = [seen] if isinstance(seen, Observation) else list(seen)
        if not observations:
            return cls((_FLAT,) * 26, frozenset(range(26)))
        rows = [_bar_row([o.bar[1].log_likelihoods for o in observations], -1)]
        for readings in zip(*(o.sites for o in observations), strict=True):
            rows.append(_site_row([each.log_likelihoods for each in readings]))
        rows.append(_bar_row([o.bar[0].log_likelihoods for o in observations], 1))
        hidden = {site for site in range(1, 25) if not any(o.sites[site - 1].seen for o in observations)}
        hidden |= {place for place, side in ((25, 0), (0, 1)) if not any(o.bar[side].seen for o in observations)}
        dice = tuple(die for o in observations for die in o.dice)
        return cls(tuple(rows), frozenset(hidden), dice, any(o.hand for o in observations))

    @cached_property
    def _turned(self) -> tuple[Row, ...]:
        return tuple([row[:1] + row[:0:-1] for row in reversed(self.rows)])

    def rows_of(self, player: Color) -> tuple[Row, ...]:
        """Return the 26 rows in the numbering of `player`, his checkers positive."""
        return self.rows if player is Color.WHITE else self._turned

    def score(self, points: tuple[int, ...], player: Color) -> float:
        """Return the log-likelihood of 26 counts as `player` sees them, 0.0 for the best there could be."""
        return sum(map(getitem, self.rows_of(player), points))

    def misfits(self, points: tuple[int, ...], player: Color, noise: float) -> dict[int, float]:
        """Return White's places where counts are contradicted, and by how much beyond `noise`."""
        found = {}
        for place, (row, count) in enumerate(zip(self.rows_of(player), points, strict=True)):
            if row[count] < -noise:
                found[place if player is Color.WHITE else 25 - place] = -noise - row[count]
        return found

    def without(self, places: frozenset[int]) -> Evidence:
        """Return the evidence with White's `places` taken as hidden."""
        rows = tuple(_FLAT if place in places else row for place, row in enumerate(self.rows))
        return Evidence(rows, self.hidden | places, self.dice, self.hand)

    def allowing(self, points: tuple[int, ...], places: frozenset[int]) -> Evidence:
        """Return the evidence in which White's `places` speak no longer against the counts `points`.

        A place that is misread stays misread while nothing there changes: the second picture says nothing new.
        """
        rows = list(self.rows)
        for place in places:
            row = list(rows[place])
            row[points[place]] = 0.0
            rows[place] = tuple(row)
        return Evidence(tuple(rows), self.hidden, self.dice, self.hand)

    def relative_to(self, earlier: Evidence, points: tuple[int, ...]) -> Evidence:
        """Return the evidence without what `earlier` readings had wrong about White's counts `points`.

        Where a place is still taken for the same count, what spoke against the true one then says nothing now.
        """
        rows = list(self.rows)
        for place in self.same_readings(earlier):
            count, row = points[place], rows[place]
            off = earlier.rows[place][count]
            if off < 0.0:
                changed = list(row)
                changed[count] = min(0.0, row[count] - off)
                rows[place] = tuple(changed)
        return Evidence(tuple(rows), self.hidden, self.dice, self.hand)

    def same_readings(self, other: Evidence) -> frozenset[int]:
        """Return White's places that both take for the same count."""
        pairs = zip(self.likeliest, other.likeliest, strict=True)
        return frozenset(place for place, (one, two) in enumerate(pairs) if one == two)

    @cached_property
    def likeliest(self) -> tuple[int, ...]:
        """The likeliest count of each of White's places; the smallest stack of equally likely ones."""
        return tuple([next(n for n in _SMALLEST_FIRST if row[n] == 0.0) for row in self.rows])


_SMALLEST_FIRST = tuple(sorted(COUNTS, key=abs))
_FLAT: Row = (0.0,) * len(COUNTS)
_NONE: Row = (NEVER,) * CHECKERS


def _site_row(readings: Sequence[Row]) -> Row:
    """Add the readings of one site and bring the likeliest count to 0.0."""
    total = _added(readings)
    top = max(total)
    turned = total[CHECKERS:] + total[:CHECKERS]
    return turned if top == 0.0 else tuple([value - top for value in turned])


def _bar_row(readings: Sequence[Row], sign: int) -> Row:
    """Add the readings of one side of the bar; counts of `sign` only."""
    total = _added(readings)
    top = max(total)
    row = tuple([value - top for value in total])
    return row + _NONE if sign > 0 else row[:1] + _NONE + row[:0:-1]


def _added(readings: Sequence[Row]) -> Row:
    """Return the sum of readings of one place; mostly there is one."""
    return readings[0] if len(readings) == 1 else tuple(map(sum, zip(*readings, strict=True)))


def sites_and_bars(places: Sequence[int]) -> tuple[tuple[Site, ...], tuple[Color, ...]]:
    """Part White's places into sites and sides of the bar."""
    bars = tuple(color for color, place in ((Color.WHITE, 25), (Color.BLACK, 0)) if place in places)
    return tuple(site for site in SITES if site in places), bars


def roll_log_likelihoods(
    dice: Sequence[DieReading], settings: Settings = DEFAULT, *, opening: bool = False
) -> dict[Roll, float]:
    """Return how well each of the 21 rolls explains the dice seen, as logarithms; 0.0 everywhere claims nothing.

    Only dice that lie flat on the field count: cocked ones and those beside the board are left out. A roll is two
    dice that look alike and lie on the same half; where more lie there, every pair is weighed. Even a clear
    reading may be wrong (`Settings.dice_error`), so that no roll is ever excluded.

    Args:
        dice: what was seen.
        settings: `dice_error`.
        opening: each player threw one die, so that the two may look different and lie apart.

    Example:
        >>> clear = (-9.0, -9.0, -9.0, -9.0, -9.0, 0.0)
        >>> seen = roll_log_likelihoods([DieReading((0, 0), clear, half=1), DieReading((9, 0), clear, half=1)])
        >>> max(seen, key=seen.__getitem__)
        Roll(high=6, low=6)
    """
    flat = [_probabilities(die) for die in dice if die.half is not None and not die.cocked]
    lying = [die for die in dice if die.half is not None and not die.cocked]
    if not flat:
        return dict.fromkeys(ALL_ROLLS, 0.0)
    if len(flat) == 1:
        shares = {roll: _one_die(flat[0], roll) for roll in ALL_ROLLS}
    else:
        shares = dict.fromkeys(ALL_ROLLS, 0.0)
        weights = {
            (i, j): _pair_weight(lying[i], lying[j], opening)
            for i, j in itertools.combinations(range(len(flat)), 2)
        }
        whole = sum(weights.values())
        for (i, j), weight in weights.items():
            for roll in ALL_ROLLS:
                shares[roll] += weight / whole * _two_dice(flat[i], flat[j], roll)
    error = settings.dice_error
    found = {roll: math.log((1 - error) * share + error / 36) for roll, share in shares.items()}
    top = max(found.values())
    return {roll: value - top for roll, value in found.items()}


def _probabilities(die: DieReading) -> Row:
    """Return the probability of each face of one die."""
    top = max(die.log_likelihoods)
    weights = [math.exp(value - top) for value in die.log_likelihoods]
    whole = sum(weights)
    return tuple(weight / whole for weight in weights)


def _one_die(faces: Row, roll: Roll) -> float:
    """Return how likely one seen die is under a roll, the other die being anywhere."""
    return (faces[roll.high - 1] + faces[roll.low - 1]) / 2


def _two_dice(first: Row, second: Row, roll: Roll) -> float:
    """Return how likely two seen dice are under a roll, in either order."""
    high, low = roll.high - 1, roll.low - 1
    if high == low:
        return first[high] * second[high]
    return (first[high] * second[low] + first[low] * second[high]) / 2


def _pair_weight(one: DieReading, other: DieReading, opening: bool) -> float:
    """Return how well two dice make one throw: they look alike, lie on the same half, and are clearly dice.

    What is taken for a die and is none seldom shows a clear face.
    """
    weight = (max(_probabilities(one)) * max(_probabilities(other))) ** 2
    if not opening and one.dice_set is not None and other.dice_set is not None and one.dice_set != other.dice_set:
        weight *= 0.1
    if not opening and one.half != other.half:
        weight *= 0.1
    return weight


def prior_of(roll: Roll) -> float:
    """Return the probability of a roll of fair dice: 1/36 for a double, else 2/36."""
    return (1 if roll.is_double else 2) / 36
