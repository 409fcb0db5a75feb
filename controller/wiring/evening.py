"""What is played at the table: the match, its rules and how the table handles them, from the settings."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

from controller.config import Settings
from controller.errors import ConfigError, IllegalActionError
from controller.opponents import LEVELS, gnubg
from controller.rules import Color
from controller.rules.match import new_match
from controller.rules.profiles import Profile, profile, with_keys
from controller.session.clock import ClockSetting
from controller.session.events import Rematch
from controller.session.facts import MatchStarted
from controller.session.settings import Settings as TableRules
from controller.session.settings import clock_of, settings_of
from controller.table import Table


def rules_in_force(settings: Settings) -> Profile:
    """Return the rules of the settings: a profile, and the keys that hold instead.

    Raises:
        RulesError: there is no such profile.
    """
    return profile(settings.match.rules, **settings.rules)


def table_rules(settings: Settings) -> TableRules:
    """Return how the table handles what happens at it: as the rules say where the settings say nothing.

    Raises:
        ConfigError: a setting does not fit the rules.
    """
    accepted = {"clock", "dice", "roll", "quiet"}
    wrong = set(settings.turn.signals) - accepted
    if wrong:
        raise ConfigError(f"turn.signals has {', '.join(sorted(wrong))}; accepted: {', '.join(sorted(accepted))}")
    rules = rules_in_force(settings)
    chosen: dict[str, Any] = {
        "signals": frozenset(s for s in ("clock", "dice", "roll", "quiet") if s in settings.turn.signals),
        "quiet_s": settings.turn.quiet_s,
        "early_roll": settings.turn.early_roll,
        "sound": settings.turn.sound,
        "clock": _clock(settings, rules),
        "dice": settings.dice.mode,
        **_computer(settings, rules),
    }
    if settings.turn.moves_policy != "rules":
        chosen["moves"] = settings.turn.moves_policy
    if settings.turn.hints != "rules":
        chosen["hints"] = settings.turn.hints
    return settings_of(rules, **chosen)


def _clock(settings: Settings, rules: Profile) -> ClockSetting:
    """Return the clock of the settings.

    Raises:
        ConfigError: it is no clock, or a time for a whole turn that the rules do not offer.
    """
    kind = settings.clock.kind
    if kind == "rules":
        clock = clock_of(rules)
    elif kind in ("none", "delay"):
        clock = clock_of(with_keys(rules, {"clock": kind}))
    else:
        times = rules.turn_times_s
        if not kind.isdecimal() or int(kind) == 0 or (times and int(kind) not in times):
            offered = ", ".join(map(str, times)) or "a number of seconds for a whole turn"
            raise ConfigError(f"clock.kind is {kind!r}; accepted: rules, none, delay, {offered}")
        clock = clock_of(replace(rules, clock="turn", turn_times_s=(int(kind),)))
    if clock.kind == "delay" and settings.clock.delay_s >= 0:
        clock = replace(clock, delay_s=settings.clock.delay_s)
    if clock.kind == "delay" and settings.clock.minutes_a_point >= 0:
        point_s = settings.clock.minutes_a_point * 60
        clock = replace(clock, reserve_s_per_point=point_s, reserve_s_per_scored=point_s / 2)
    return clock


def _computer(settings: Settings, rules: Profile) -> dict[str, Any]:
    """Return whom the computer plays, and how well.

    Raises:
        ConfigError: the rules offer no such opponent, or there is none of that name.
    """
    match = settings.match
    if match.computer == "none":
        return {}
    offered = rules.opponents or tuple(LEVELS)
    level = match.level or offered[0]
    if level not in offered or level not in LEVELS:
        raise ConfigError(f"match.level is {level!r}; accepted: {', '.join(o for o in offered if o in LEVELS)}")
    if match.engine == "gnubg" and gnubg.program() is None:
        raise ConfigError(
            "match.engine is 'gnubg', which is not installed; accepted: auto, own, or apt install gnubg"
        )
    return {"computer": Color(match.computer), "level": level}


def match_started(settings: Settings, number: int) -> MatchStarted:
    """Return the beginning of the match that the settings describe.

    Raises:
        ConfigError: a setting does not fit the rules.
    """
    match, rules = settings.match, rules_in_force(settings)
    length = rules.default_length if match.length < 0 else match.length
    try:
        new_match(rules, None if length == 0 and rules.money else length)
    except IllegalActionError as error:
        raise ConfigError(f"match.length is {match.length}: {error}") from None
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return MatchStarted(
        match_id=f"{settings.table.id}-{stamp}-{number}",
        players=(match.white, match.black),
        length=length,
        rules=match.rules,
        keys={key: list(value) if isinstance(value, tuple) else value for key, value in settings.rules.items()},
        settings=table_rules(settings),
    )


async def keep_a_match(table: Table, settings: Settings) -> None:
    """Begin the match of the settings when none is in progress, and the next one when it is over.

    The next one is a rematch, where the rules know one; it makes room for any match that is started at the desk
    before somebody rolls.
    """
    number = 0
    while True:
        if table.snapshot().phase in ("waiting", "match_over"):
            number += 1
            first = match_started(settings, number)
            try:
                await table.submit(first if number == 1 else Rematch(first.match_id))
            except IllegalActionError:
                await table.submit(first)
        await asyncio.sleep(2.0)
