"""What a camera makes of a board, as far as its mistakes were measured."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from controller.board import BarReading, Board, DieReading, Observation, SiteReading

_AWAY = {
    seen: [min(abs(n - seen), 3) + (1.0 if n * seen < 0 else 0.0) for n in range(-5, 6)] for seen in range(-5, 6)
}
"""How far each count a camera tells apart is from the one there: a checker less or more, or the other color."""


SPOILED_COLOR = 0.5
"""How many of the wrong single readings of checkers are wrong in the color and not by a checker."""

VANISHED = 0.5
"""How many of the mistaken lone checkers are taken for no checker and not for the other player's."""

MOST_MISTAKEN = 2.0
"""By how much at most a mistaken lone checker looks more like what it is not, log-likelihood."""

MOST_GHOSTLY = 3.0
"""By how much at most an empty site looks more like a lone checker in a single reading, log-likelihood."""

STAYS = 0.5
"""How many wrong readings are repeated when a board that lies still is read again: one of the two measured was a
die's on a checker, which stays; of those that strong noise made, fewer were."""

MOST_BLURRED = 1.5
"""By how much more a blurred count still looks like itself, log-likelihood."""


@dataclass
class Camera:
    """Reads a board as the eyes do: mostly sharp, stacks above five alike, a few sites blurred, misread or hidden.

    By default it is as `benchmarks/sequences.py --noise` measured it on twelve rendered sequences. Of 1,265 counts
    that stood there for some time, one looked wrong as long as it stood, a lone checker (of 255), taken for the
    other player's by 0.2; eight were weak. Two of 4,481 readings of sites with checkers were wrong, one by 18 and
    in the color, under a die, one by 0.1; one of 4,567 of empty sites, by 2.9; none was hidden. Lone checkers that
    are mistaken are taken for none as often as for the other player's, and by more than was measured.

    Attributes:
        rng: source of noise.
        blurred: how often a count, once it stands on a site, is blurred: a neighboring one looks as likely.
        least: what the true count is then at least more likely by, log-likelihood; at most it is `MOST_BLURRED`.
        hidden: how often a site is not seen.
        sharpness: log-likelihood lost by a count that is one checker off, at the median.
        mistaken: how often a lone checker, once it stands on a site, is taken for none or the other player's.
        wrong: how often a count, once it stands on a site, is taken for a neighboring one.
        spoiled: how often a single reading of a site with checkers is wrong.
        ghosts: how often a single reading of an empty site is.
        again: source of noise of boards that are read again.
    """

    rng: random.Random
    blurred: float = 0.0063
    least: float = 0.0
    hidden: float = 0.0
    sharpness: float = 9.0
    mistaken: float = 0.0039
    wrong: float = 0.0
    spoiled: float = 0.00045
    ghosts: float = 0.00022
    again: random.Random = field(default_factory=lambda: random.Random(0))
    _standing: dict[tuple[int, int], tuple[int, float]] = field(default_factory=dict)
    _slips: dict[int, tuple[int, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, noise: str, rng: random.Random) -> Camera:
        """Return a camera with some noise.

        Args:
            noise: ``"measured"``; ``"blurred"``, which hides more, is less sharp and never sure of a wrong count;
                ``"harsh"``, which is sure of a count one checker off far more often than any that was measured.
            rng: source of noise.
        """
        if noise == "blurred":
            return cls(
                rng, blurred=0.004, least=-1.0, hidden=0.01, sharpness=8.0, mistaken=0.0, spoiled=0.0, ghosts=0.0
            )
        return cls(rng, wrong=0.002 if noise == "harsh" else 0.0)

    def look(
        self, board: Board, at_s: float, dice: Sequence[DieReading] = (), *, hand: bool = False
    ) -> Observation:
        self._slips.clear()
        return self._read(self.rng, board, at_s, dice, hand=hand)

    def reread(self, board: Board, at_s: float, dice: Sequence[DieReading] = ()) -> Observation:
        """Read a board once more that has not been touched since; some of what was misread still is."""
        for site in [site for site in self._slips if self.again.random() >= STAYS]:
            del self._slips[site]
        return self._read(self.again, board, at_s, dice)

    def _read(
        self,
        rng: random.Random,
        board: Board,
        at_s: float,
        dice: Sequence[DieReading],
        *,
        hand: bool = False,
    ) -> Observation:
        sites = tuple(self._site(rng, site, board.points[site - 1]) for site in range(1, 25))
        bar = (self._bar(rng, board.bar[0]), self._bar(rng, board.bar[1]))
        return Observation(at_s, sites, bar, tuple(dice), hand=hand, source="simulated")

    def _site(self, rng: random.Random, site: int, count: int) -> SiteReading:
        if rng.random() < self.hidden:
            return SiteReading()
        if (site, count) not in self._standing:
            stale = [key for key in self._standing if key[0] == site]
            for key in stale:
                del self._standing[key]
            self._standing[site, count] = self._drawn(rng, count)
        taken_for, margin = self._slips.get(site) or self._slip(rng, site, count) or self._standing[site, count]
        seen, other = (max(-5, min(5, n)) for n in (count, taken_for))
        chance, sharpness = rng.random, self.sharpness
        values = [-sharpness * away * (0.8 + 0.4 * chance()) for away in _AWAY[seen]]
        if other != seen:
            values[other + 5], values[seen + 5] = min(0.0, -margin), min(0.0, margin)
        return SiteReading((*values[:1] * 10, *values, *values[-1:] * 10), True)

    def _slip(self, rng: random.Random, site: int, count: int) -> tuple[int, float] | None:
        """Draw what a single reading wrongly takes a count for, and by how much less it looks itself, or None."""
        if count and rng.random() < self.spoiled:
            taken_for = -count if rng.random() < SPOILED_COLOR else count + rng.choice((-1, 1))
            self._slips[site] = taken_for, rng.uniform(-18.0, 0.0)
        elif not count and self.ghosts and rng.random() < self.ghosts:
            self._slips[site] = rng.choice((-1, 1)), rng.uniform(-MOST_GHOSTLY, 0.0)
        return self._slips.get(site)

    def _drawn(self, rng: random.Random, count: int) -> tuple[int, float]:
        """Draw what a count that has just come to stand is taken for, and by how much less it looks itself."""
        if rng.random() < self.blurred:
            return count + rng.choice((-1, 1)), rng.uniform(self.least, MOST_BLURRED)
        if abs(count) == 1 and rng.random() < self.mistaken:
            return 0 if rng.random() < VANISHED else -count, rng.uniform(-MOST_MISTAKEN, 0.0)
        if rng.random() < self.wrong:
            return count + rng.choice((-1, 1)), rng.uniform(-9.0, -1.0)
        return count, 0.0

    def _bar(self, rng: random.Random, count: int) -> BarReading:
        return BarReading(
            tuple([-7.0 * min(abs(n - count), 3) * (0.8 + 0.4 * rng.random()) for n in range(16)]), True
        )
