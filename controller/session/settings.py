"""What an event decides about its tables: signals, moves policy, clock, dice, hints; one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from controller.session.clock import ClockSetting

Signal = Literal["clock", "dice", "roll", "quiet"]
"""What ends a turn: the clock button, lifted dice, the opponent's roll, a time without any change."""

MovesPolicy = Literal["legal", "responsible", "condoned"]
DiceMode = Literal["electronic", "camera", "keyed", "manual"]
Hints = Literal["off", "points", "checkers", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How one table handles what happens at it.

    Attributes:
        signals: what ends a turn.
        quiet_s: how long nothing may have changed for the signal ``"quiet"``, seconds.
        moves: wrong plays: ``"legal"`` (called at the table, must be corrected), ``"responsible"`` (only the
            opponent may point them out; the table is silent, the director's log knows), ``"condoned"``
            (recorded as they stand, marked illegal).
        clock: how time is kept.
        dice: where rolls come from: ``"electronic"`` (the table's own dice), ``"camera"``, ``"keyed"`` (somebody
            enters them) or ``"manual"`` (nobody does; the play tells).
        hints: what teaching lights show; a tournament shows none, whatever stands here.
        tournament: tournament mode: lights show what is public and nothing else.
        sound: whether the table may sound.
        early_roll: a roll thrown before the opponent's turn ended: ``"stands"`` (US rules 2008, 4.6) or
            ``"withdrawn"`` (it is thrown again).
        alert_after_s: how long a wrong position must have stood before the table speaks of it without an
            end-of-turn signal, seconds.
        next_game: a new game begins by itself when the checkers are set up again.
    """

    signals: frozenset[Signal] = frozenset({"clock", "dice", "roll"})
    quiet_s: float = 4.0
    moves: MovesPolicy = "legal"
    clock: ClockSetting = field(default_factory=ClockSetting)
    dice: DiceMode = "camera"
    hints: Hints = "off"
    tournament: bool = False
    sound: bool = True
    early_roll: Literal["stands", "withdrawn"] = "stands"
    alert_after_s: float = 8.0
    next_game: bool = True

    @property
    def shown_hints(self) -> Hints:
        """The hints that may be shown: none in a tournament."""
        return "off" if self.tournament else self.hints
