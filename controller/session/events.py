"""What can happen at a table: everything that `step` takes.

Sightings, buttons and time come from the ports. What a desk commands is the fact itself, such as
``CubeTurned(player=..., action="take")`` or ``ClockSet(action="pause", reason="break")``; `step` refuses one that
is not allowed now. The rest stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controller.board import Observation
from controller.ports import Decision, Pressed, Watched
from controller.rules import Color
from controller.session.facts import (
    ClockSet,
    CubeTurned,
    GameEnded,
    GameStarted,
    Left,
    LinkChanged,
    MatchEnded,
    MatchStarted,
    OpeningRolled,
    Played,
    PositionSet,
    Resigned,
    Rolled,
    RollWithdrawn,
    ScoreSet,
)


@dataclass(frozen=True, slots=True)
class Observed:
    """The board came to rest, and this was read."""

    observation: Observation


@dataclass(frozen=True, slots=True)
class TimePassed:
    """Nothing happened, but time went by; sent a few times a second."""

    at_s: float


@dataclass(frozen=True, slots=True)
class Chosen:
    """Somebody answered the open question.

    Attributes:
        choice: index into its choices.
    """

    choice: int
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Correct:
    """The director, or both players, change what the record says.

    Attributes:
        of: number of the event to change.
        content: what it should say, as the journal's JSON: only names that change need to stand there, such as
            ``{"play": "13/8 6/5"}`` or ``{"roll": [6, 2]}``; None takes the event out.
        take_back: drop everything after it too: play goes on from there.
        by: who corrects.
        why: one plain sentence.
    """

    of: int
    content: Mapping[str, Any] | None = field(default=None, hash=False)
    take_back: bool = False
    by: str = "director"
    why: str = ""
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Condoned:
    """The wrong play that stands on the board is let stand, by the director or both players."""

    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class PointedOut:
    """A player points out the opponent's wrong play."""

    player: Color
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Decided:
    """The computer answers a `Consult`.

    Attributes:
        about: what it was asked.
        decision: what the player does whom it plays.
    """

    about: str
    decision: Decision
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Scanned:
    """The desk asks whether the game goes on from what stands on the board."""

    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Rematch:
    """The same players play another match, by the same rules and as the last one was handled.

    Attributes:
        match_id: of the new match.
        length: of the new match; 0 for money play; None for the same as before.
    """

    match_id: str
    length: int | None = None
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Restarted:
    """The program started again on a journal: clocks stand still until somebody starts them."""

    at_s: float = 0.0


Command = (
    MatchStarted
    | GameStarted
    | OpeningRolled
    | Rolled
    | RollWithdrawn
    | Played
    | CubeTurned
    | Resigned
    | GameEnded
    | MatchEnded
    | ClockSet
    | PositionSet
    | ScoreSet
    | Left
    | LinkChanged
)
"""What a desk may command: facts that stand in the journal as they are."""

Event = (
    Observed
    | Watched
    | Pressed
    | TimePassed
    | Chosen
    | Correct
    | Condoned
    | PointedOut
    | Decided
    | Rematch
    | Restarted
    | Scanned
    | Command
)
