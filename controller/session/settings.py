"""What an event decides about its tables: signals, moves policy, clock, dice, hints; one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from controller.rules import Color
from controller.rules.profiles import Profile
from controller.session.clock import ClockSetting

Signal = Literal["clock", "dice", "roll", "quiet"]
"""What ends a turn: the clock button, lifted dice, the opponent's roll, a time without any change."""

MovesPolicy = Literal["strict", "legal", "responsible", "condoned"]
DiceMode = Literal["electronic", "camera", "keyed", "manual"]
Hints = Literal["off", "points", "checkers", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How one table handles what happens at it.

    Attributes:
        signals: what ends a turn.
        quiet_s: how long nothing may have changed for the signal ``"quiet"``, seconds.
        moves: wrong plays: ``"strict"`` (called at the table as soon as they stand there), ``"legal"`` (called
            at the table when the turn ends, must be corrected), ``"responsible"`` (only the opponent may point
            them out; the table is silent, the director's log knows), ``"condoned"`` (recorded as they stand,
            marked illegal).
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
        computer: whom the computer plays; the table throws his dice and says his plays, and the other player
            moves his checkers for him.
        level: how well the computer plays, a name of `controller.opponents.LEVELS`.
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
    computer: Color | None = None
    level: str = "medium"

    @property
    def shown_hints(self) -> Hints:
        """The hints that may be shown: none in a tournament."""
        return "off" if self.tournament else self.hints


def settings_of(rules: Profile, **chosen: Any) -> Settings:
    """Return how a table handles matches under `rules`; what an event has `chosen` stands over the rules' keys.

    Example:
        >>> from controller.rules.profiles import profile
        >>> settings_of(profile("touch-move")).clock.kind, settings_of(profile("match-play"), hints="off").hints
        ('turn', 'off')
    """
    policies: dict[str, MovesPolicy] = {"condone": "condoned"}
    by_rules: dict[str, Any] = {
        "moves": policies.get(rules.illegal_plays, rules.illegal_plays),
        "hints": rules.hints,
        "clock": clock_of(rules),
        "tournament": rules.name == "tournament",
        "level": rules.opponents[0] if rules.opponents else "medium",
    }
    return Settings(**{**by_rules, **chosen})


def clock_of(rules: Profile, turn_s: float | None = None) -> ClockSetting:
    """Return the clock of `rules`: where a whole turn has a limit, `turn_s`, else the longest of their choices."""
    if rules.clock == "turn" and rules.turn_times_s:
        limit_s = float(max(rules.turn_times_s)) if turn_s is None else turn_s
        return ClockSetting("turn", delay_s=limit_s, flag=rules.flag)
    if rules.clock == "delay":
        point_s = float(rules.reserve_s_per_point)
        return ClockSetting("delay", float(rules.delay_s), point_s, point_s / 2, flag=rules.flag)
    return ClockSetting(flag=rules.flag)
