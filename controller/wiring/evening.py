"""What is played at the table: the match, its rules and how the table handles them, from the settings."""

from __future__ import annotations

import asyncio
import time

from controller.config import Settings
from controller.errors import ConfigError
from controller.session.clock import ClockSetting
from controller.session.facts import MatchStarted
from controller.session.settings import Settings as TableRules
from controller.table import Table


def table_rules(settings: Settings) -> TableRules:
    """Return how the table handles what happens at it, from the settings."""
    accepted = {"clock", "dice", "roll", "quiet"}
    wrong = set(settings.turn.signals) - accepted
    if wrong:
        raise ConfigError(f"turn.signals has {', '.join(sorted(wrong))}; accepted: {', '.join(sorted(accepted))}")
    kind = settings.clock.kind
    clock = ClockSetting()
    if kind == "delay":
        per_point = settings.clock.minutes_a_point * 60
        clock = ClockSetting("delay", settings.clock.delay_s, per_point, per_point / 2)
    elif kind in ("20", "40"):
        clock = ClockSetting("turn", float(kind), flag="game")
    return TableRules(
        signals=frozenset(s for s in ("clock", "dice", "roll", "quiet") if s in settings.turn.signals),
        quiet_s=settings.turn.quiet_s,
        moves=settings.turn.moves_policy,
        clock=clock,
        dice=settings.dice.mode,
        hints="all" if settings.turn.hints else "off",
        tournament=settings.match.rules == "tournament",
    )


def match_started(settings: Settings, number: int) -> MatchStarted:
    """Return the beginning of the match that the settings describe."""
    match = settings.match
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return MatchStarted(
        match_id=f"{settings.table.id}-{stamp}-{number}",
        players=(match.white, match.black),
        length=match.length,
        rules=match.rules,
        settings=table_rules(settings),
    )


async def keep_a_match(table: Table, settings: Settings) -> None:
    """Begin the match of the settings when none is in progress, and the next one when it is over."""
    number = 0
    while True:
        if table.snapshot().phase in ("waiting", "match_over"):
            number += 1
            await table.submit(match_started(settings, number))
        await asyncio.sleep(2.0)
