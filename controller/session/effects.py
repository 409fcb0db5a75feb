"""What `step` wants done; the table carries it out, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controller.board import Board, Site
from controller.ports import Light
from controller.rules import Color, Roll
from controller.rules.match import Match
from controller.session.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Emit:
    """Make one event durable, then show it to everybody.

    Attributes:
        body: the journal line, with its number.
        match_id: the match it belongs to.
        ledger: the record after it.
    """

    body: Mapping[str, Any] = field(hash=False)
    match_id: str
    ledger: Ledger = field(repr=False)


@dataclass(frozen=True, slots=True)
class ShowLights:
    """Light exactly these sites and the turn light of `turn`."""

    lights: tuple[tuple[Site, Light], ...]
    turn: Color | None


@dataclass(frozen=True, slots=True)
class RollDice:
    """Throw the electronic dice for `player`, once for each `roll_id`; the result comes back as an event.

    Attributes:
        pressed_s: when he pressed his button, the player's own share in the roll.
        opening: both players' first dice: one for White, one for Black.
    """

    roll_id: int
    player: Color
    pressed_s: float
    opening: bool = False


@dataclass(frozen=True, slots=True)
class Consult:
    """Ask the computer what the player does whom it plays; the answer comes back as an event.

    Attributes:
        about: names what there is to decide.
        match: all that lies on the table.
        level: how well it plays.
    """

    about: str
    match: Match = field(repr=False)
    level: str


@dataclass(frozen=True, slots=True)
class ShowDice:
    """Show a roll on the electronic dice."""

    roll_id: int
    roll: Roll
    player: Color


@dataclass(frozen=True, slots=True)
class ClearDice:
    """Put out the electronic dice."""


@dataclass(frozen=True, slots=True)
class Buzz:
    """Sound ``"ok"``, ``"wrong"``, ``"call"`` or ``"flag"``."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Confirm:
    """Tell the watcher what stands on the board for certain."""

    board: Board


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """Have the board read once more as it lies there: what it means hangs on a single reading of it."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Nothing was done; `reason` is one sentence for whoever asked for it."""

    reason: str


Effect = Emit | ShowLights | RollDice | Consult | ShowDice | ClearDice | Buzz | Confirm | ReadAgain | Refuse
