"""The seat of the player whom the computer plays: the port that a table calls."""

from __future__ import annotations

import asyncio
import logging
from typing import Literal

from controller.errors import DeviceError
from controller.opponents import gnubg, player
from controller.ports import Decision
from controller.rules.match import Match

_log = logging.getLogger(__name__)

Engine = Literal["auto", "own", "gnubg"]
"""Who thinks: ``"auto"`` and ``"gnubg"``: GNU Backgammon at the levels that it plays, where it is installed."""


class Seat:
    """Decides in a thread, so that the table goes on meanwhile; a `controller.ports.Opponent`."""

    def __init__(self, engine: Engine = "auto") -> None:
        self._engine = engine

    async def decide(self, match: Match, level: str) -> Decision:
        """Return what the player who has to act does; the built-in player stands in where gnubg has no answer."""
        return await asyncio.to_thread(self._decide, match, level)

    def _decide(self, match: Match, level: str) -> Decision:
        asked = self._engine != "own" and gnubg.plays_level(match, level) and gnubg.program() is not None
        resigning = match.game is not None and match.game.resignation is not None
        if asked and not resigning:
            try:
                return gnubg.decide(match, level)
            except DeviceError as error:
                _log.warning("%s", error)
        return player.decide(match, level)
