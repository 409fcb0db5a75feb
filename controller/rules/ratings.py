"""Ratings as pure functions: the FIBS form and the Elo form.

Both return changes, not new ratings, so that a caller books them where he keeps his players.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from controller.rules.profiles import Profile

FIBS_START = 1500.0
ELO_START = 1000.0


def is_rated(rules: Profile, *, only_people: bool) -> bool:
    """Tell whether a match counts for a rating: the rules rate at all, and nobody at the table is a program.

    Example:
        >>> from controller.rules.profiles import profile
        >>> is_rated(profile("touch-move"), only_people=False)
        False
    """
    return rules.rating != "none" and only_people


@dataclass(frozen=True, slots=True)
class Ramp:
    """How much faster a newcomer's rating moves: K falls with experience to 1.

    Attributes:
        newcomer: K without experience; 5 on FIBS, 2 in some clubs.
        per: experience that lowers K by 1; 100 on FIBS, 400 in those clubs.
        counts_this_match: the experience includes the match being rated, as some programs have it.
    """

    newcomer: float = 5.0
    per: float = 100.0
    counts_this_match: bool = False

    def factor(self, experience: int, length: int) -> float:
        """Return K of a player with `experience` (sum of match lengths before this one)."""
        if self.counts_this_match:
            experience += length
        return max(1.0, self.newcomer - experience / self.per)


FIBS_RAMP = Ramp()
CLUB_RAMP = Ramp(newcomer=2.0, per=400.0)


def fibs_upset(difference: float, length: int) -> float:
    """Return the chance of the weaker player in a match to `length`, ratings `difference` apart.

    Example:
        >>> round(fibs_upset(200, 5), 3)
        0.374
    """
    return float(1.0 / (10.0 ** (abs(difference) * sqrt(length) / 2000.0) + 1.0))


def fibs_change(
    winner: float, loser: float, length: int, experience: tuple[int, int] = (400, 400), ramp: Ramp = FIBS_RAMP
) -> tuple[float, float]:
    """Return what the winner gains and what the loser loses (a negative number).

    Args:
        winner: rating of the winner before the match.
        loser: rating of the loser before the match.
        length: points of the match.
        experience: sums of the lengths of their earlier matches, winner's and loser's.
        ramp: how K depends on it; each player has his own K.

    Example:
        >>> gain, loss = fibs_change(1500, 1700, 5)
        >>> round(gain, 2), round(loss, 2)
        (5.6, -5.6)
    """
    upset = fibs_upset(winner - loser, length)
    share = upset if winner >= loser else 1.0 - upset
    base = 4.0 * sqrt(length) * share
    return base * ramp.factor(experience[0], length), -base * ramp.factor(experience[1], length)


def elo_expected(own: float, other: float) -> float:
    """Return the expected score of a player, 0 to 1.

    Example:
        >>> round(elo_expected(1000, 1200), 3)
        0.24
    """
    return float(1.0 / (1.0 + 10.0 ** ((other - own) / 400.0)))


def elo_factor(matches: int) -> float:
    """Return K of a player after `matches` rated matches: 32 for the first thirty, then 16."""
    return 32.0 if matches < 30 else 16.0


def elo_change(winner: float, loser: float, matches: tuple[int, int] = (0, 0)) -> tuple[float, float]:
    """Return what the winner gains and what the loser loses (a negative number), whatever the match length.

    Args:
        winner: rating of the winner before the match.
        loser: rating of the loser before the match.
        matches: how many rated matches each has played before, winner's and loser's.

    Example:
        >>> round(elo_change(1000, 1200)[0], 1)
        24.3
    """
    surprise = 1.0 - elo_expected(winner, loser)
    return elo_factor(matches[0]) * surprise, -elo_factor(matches[1]) * surprise
