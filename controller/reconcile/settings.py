"""How sure is sure: every threshold of reconciling, in one value."""

from __future__ import annotations

from dataclasses import dataclass

from controller.rules.plays import MustUse


@dataclass(frozen=True, slots=True)
class Settings:
    """Thresholds of reconciling; logarithms are natural.

    Attributes:
        site_noise: how far a true count may fall below the likeliest one at one place before that counts as a
            contradiction; a reading blurred by a neighbor loses about this much.
        contradiction: how much contradiction, summed over the places beyond `site_noise`, makes a wrong play
            likelier than a reading error. Wrong plays happen in about 1 of 50 turns.
        margin: a verdict must be likelier than the second best by this much; 4.6 is a hundred times.
        dice_error: how often a pair of dice is read with full confidence and yet wrong.
        dice_conflict: how unlikely the seen dice may make the roll of the play that stands on the board,
            against the likeliest roll, before the players are asked.
        unmoved: probability, before looking, that nothing has moved.
        part: probability, before looking, that only some moves have been made.
        choices: how many choices a question offers at most.
        must_use: how many numbers of a roll must be played.
    """

    site_noise: float = 3.0
    contradiction: float = 6.0
    margin: float = 4.0
    dice_error: float = 0.02
    dice_conflict: float = 4.0
    unmoved: float = 0.25
    part: float = 0.25
    choices: int = 4
    must_use: MustUse = "strict"


DEFAULT = Settings()
