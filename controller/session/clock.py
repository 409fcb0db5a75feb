"""The backgammon clock: simple delay and reserve, a limit for each turn, or none. Time comes in, none is read.

Instants are monotonic seconds that arrive with the events, so a step of the system clock changes nothing.
Nothing ticks: a clock is charged when something happens, with exactly the time since it was last charged.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from controller.errors import IllegalActionError
from controller.rules.position import Color
from controller.session.snapshot import ClockSnapshot

PAUSES = (
    "concession",
    "break",
    "fallen dice",
    "contest",
    "early dice",
    "director",
    "game over",
    "restart",
)
"""Why both clocks may stand still: US clock rules 5.2 (a) to (f), the end of a game (missing there), a restart."""


@dataclass(frozen=True, slots=True)
class ClockSetting:
    """How time is kept.

    Attributes:
        kind: ``"none"``, ``"delay"`` (free time each turn, then the reserve) or ``"turn"`` (a limit for each
            whole turn and no reserve).
        delay_s: free time of each turn with kind ``"delay"``; the limit with kind ``"turn"``.
        reserve_s_per_point: reserve for each point of the match length.
        reserve_s_per_scored: taken off for each point that either player has already scored when the clock
            is introduced.
        money_reserve_s: reserve where there is no match length.
        flag: what the flag costs: ``"match"``, ``"unless_lost"`` (the match, unless the opponent can no longer
            win it by points), ``"game"`` (the cube's value, twice when the opponent has borne off and the
            flagged player has not), ``"penalty"`` (two points and one for each further five minutes),
            ``"event"`` (it is called, and the director says) or ``"none"``.
    """

    kind: Literal["none", "delay", "turn"] = "none"
    delay_s: float = 12.0
    reserve_s_per_point: float = 120.0
    reserve_s_per_scored: float = 60.0
    money_reserve_s: float = 1800.0
    flag: Literal["match", "unless_lost", "game", "penalty", "event", "none"] = "match"

    def reserve_s(self, length: int, score: tuple[int, int]) -> float:
        """Return the reserve of each player when the clock is introduced at the start of a game.

        US backgammon clock rules of March 2013, 2.1: two minutes for each point of the length less one minute
        for each point already scored by either player; 2.2 for doubles: 2.5 and 1.25 minutes.

        Example:
            >>> ClockSetting("delay").reserve_s(11, (0, 0)) / 60
            22.0
            >>> ClockSetting("delay").reserve_s(11, (3, 2)) / 60
            17.0
        """
        if self.kind != "delay":
            return 0.0
        if length == 0:
            return self.money_reserve_s
        return max(0.0, length * self.reserve_s_per_point - sum(score) * self.reserve_s_per_scored)

    def to_json(self) -> dict[str, Any]:
        """Return the setting as JSON values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


SINGLES = ClockSetting("delay")
"""US standard for singles: 12 seconds a turn, two minutes a point."""

DOUBLES = ClockSetting("delay", delay_s=18.0, reserve_s_per_point=150.0, reserve_s_per_scored=75.0)
"""US standard for consulting doubles: 18 seconds a turn, two and a half minutes a point."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Both clocks after the last event.

    Attributes:
        setting: how time is kept.
        reserve_s: White's and Black's reserve, never negative.
        used_s: all time charged to White and Black so far, delay and reserve together.
        running: whose clock runs, or None.
        delay_left_s: what is left of the running player's delay at `since_s`.
        since_s: until when the running player has been charged.
        paused: why both stand still, or None.
        resume_to: whose clock runs on when the pause ends.
        flagged: whose flag has fallen, or None; it falls once, and again for each further `PENALTY_EVERY_S`
            where it costs points.
        over_s: how long the flagged player has used since.
        penalties: how often the flag has cost points.
    """

    setting: ClockSetting = field(default_factory=ClockSetting)
    reserve_s: tuple[float, float] = (0.0, 0.0)
    used_s: tuple[float, float] = (0.0, 0.0)
    running: Color | None = None
    delay_left_s: float = 0.0
    since_s: float = 0.0
    paused: str | None = None
    resume_to: Color | None = None
    flagged: Color | None = None
    over_s: float = 0.0
    penalties: int = 0


PENALTY_EVERY_S = 300.0
"""After how much more time a flag that costs points costs another one (World Cup 1996)."""


def _index(player: Color) -> int:
    return 0 if player is Color.WHITE else 1


def _changed(pair: tuple[float, float], player: Color, value: float) -> tuple[float, float]:
    return (value, pair[1]) if player is Color.WHITE else (pair[0], value)


def new_clock(setting: ClockSetting, length: int, score: tuple[int, int] = (0, 0)) -> Clock:
    """Return both clocks standing still with their full reserve."""
    reserve_s = setting.reserve_s(length, score)
    return Clock(setting, (reserve_s, reserve_s))


def charged(clock: Clock, at_s: float) -> Clock:
    """Return the clock with everything up to `at_s` charged to the running player: delay first, then reserve.

    An instant before the last charge charges nothing.
    """
    if clock.running is None or clock.setting.kind == "none" or at_s <= clock.since_s:
        return clock
    elapsed_s = at_s - clock.since_s
    index = _index(clock.running)
    from_delay_s = min(elapsed_s, clock.delay_left_s)
    left_s = clock.reserve_s[index] - (elapsed_s - from_delay_s)
    reserve_s = max(0.0, left_s)
    return replace(
        clock,
        over_s=clock.over_s + max(0.0, -left_s),
        reserve_s=_changed(clock.reserve_s, clock.running, reserve_s),
        used_s=_changed(clock.used_s, clock.running, clock.used_s[index] + elapsed_s),
        delay_left_s=clock.delay_left_s - from_delay_s,
        since_s=at_s,
    )


def started(clock: Clock, player: Color, at_s: float) -> Clock:
    """Return the clock with `player` running from `at_s` and his delay whole; who ran before is charged.

    A paused clock stays paused and remembers whom to start.
    """
    if clock.setting.kind == "none":
        return clock
    if clock.paused is not None:
        return replace(clock, resume_to=player, delay_left_s=clock.setting.delay_s)
    return replace(
        charged(clock, at_s), running=player, delay_left_s=clock.setting.delay_s, since_s=max(at_s, clock.since_s)
    )


def stopped(clock: Clock, at_s: float) -> Clock:
    """Return the clock with nobody running, the one who ran charged."""
    return replace(charged(clock, at_s), running=None, resume_to=None, paused=None)


def paused(clock: Clock, reason: str, at_s: float) -> Clock:
    """Return the clock standing still for `reason`; what is left of the delay is kept, with or without reserve.

    Raises:
        IllegalActionError: the rules know no such reason.
    """
    if reason not in PAUSES:
        raise IllegalActionError(f"clocks stop for {', '.join(PAUSES)}; not for {reason!r}")
    if clock.paused is not None or clock.setting.kind == "none":
        return replace(clock, paused=reason if clock.paused else None)
    still = charged(clock, at_s)
    return replace(still, running=None, resume_to=clock.running, paused=reason)


def resumed(clock: Clock, at_s: float) -> Clock:
    """Return the clock running on after a pause, with what was left of the delay."""
    if clock.paused is None:
        return clock
    return replace(clock, running=clock.resume_to, resume_to=None, paused=None, since_s=at_s)


def restarted(clock: Clock) -> Clock:
    """Return the clock after a power cut: it stands still, and the time without power is charged to nobody."""
    if clock.running is None:
        return clock
    return replace(clock, running=None, resume_to=clock.running, paused="restart")


def edited(clock: Clock, reserve_s: tuple[float, float], at_s: float) -> Clock:
    """Return the clock with reserves set by the director.

    Raises:
        IllegalActionError: a negative reserve.
    """
    if min(reserve_s) < 0:
        raise IllegalActionError(f"a reserve is not negative, got {min(reserve_s):g} s")
    return replace(charged(clock, at_s), reserve_s=reserve_s, flagged=None, over_s=0.0, penalties=0)


def flag_at_s(clock: Clock) -> float | None:
    """Return the instant at which the running player's flag falls, or None when it cannot."""
    if clock.running is None or clock.setting.kind == "none":
        return None
    if clock.flagged is not None:
        again = clock.setting.flag == "penalty" and clock.flagged is clock.running
        left_s = clock.penalties * PENALTY_EVERY_S - clock.over_s
        return clock.since_s + clock.delay_left_s + left_s if again else None
    return clock.since_s + clock.delay_left_s + clock.reserve_s[_index(clock.running)]


def fallen(clock: Clock, at_s: float) -> Color | None:
    """Return whose flag has fallen by `at_s` and has not been called yet, or None."""
    instant_s = flag_at_s(clock)
    return clock.running if instant_s is not None and at_s >= instant_s else None


def seen_at(clock: Clock, at_s: float) -> ClockSnapshot | None:
    """Return what a display shows at `at_s`, or None without a clock."""
    if clock.setting.kind == "none":
        return None
    now = charged(clock, at_s)
    return ClockSnapshot(now.reserve_s, now.delay_left_s, now.running, now.paused)
