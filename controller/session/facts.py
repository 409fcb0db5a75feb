"""What the journal holds: one frozen value for each event that counts, with its JSON both ways.

A fact is what an input (`controller.session.events`) amounted to. The state of a match is what `ledger.apply`
makes of its facts; nothing else is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from controller.board import Board, Site
from controller.errors import InvalidNotationError
from controller.rules import Color, Roll
from controller.rules.scoring import Ending, Kind
from controller.session.codec import of_json, to_json
from controller.session.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted:
    """A match begins; everything that a replay needs to know stands here.

    Attributes:
        players: White's and Black's names.
        length: points to win; 0 for money play, or a single game where the rules know no money play.
        rules: name of the profile.
        keys: single keys of it that this event overrides.
        settings: how the table handles what happens.
        score: White's and Black's points to start from.
        position: what stands on the board when it is not the start position, else None.
        turn: who is on roll in `position`.
    """

    type: ClassVar[str] = "match_start"
    at_s: float = 0.0
    match_id: str
    players: tuple[str, str]
    length: int
    rules: str = "international"
    keys: Mapping[str, Any] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    score: tuple[int, int] = (0, 0)
    position: Board | None = None
    turn: Color | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStarted:
    """The checkers are set up for the next game."""

    type: ClassVar[str] = "game_start"
    at_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """The game is begun from this set-up, which is not the start position.

    It is put right by taking this out again, until the player who began begins his second turn (WBGT rules).
    """

    type: ClassVar[str] = "set_up"
    at_s: float = 0.0
    position: Board


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningRolled:
    """Both players rolled one die; equal dice are a tie and are rolled again."""

    type: ClassVar[str] = "opening_roll"
    at_s: float = 0.0
    white: int
    black: int
    source: str = "camera"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolled:
    """The player on turn rolled.

    Attributes:
        source: ``"electronic"``, ``"camera"``, ``"keyed"`` or ``"play"`` (told by the play alone).
        roll_id: names an electronic roll, so that it is never rolled twice.
    """

    type: ClassVar[str] = "roll"
    at_s: float = 0.0
    player: Color
    roll: Roll
    source: str = "camera"
    roll_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RollWithdrawn:
    """A roll does not count (cocked, fallen off the table, thrown too early); it stays in the record."""

    type: ClassVar[str] = "roll_withdrawn"
    at_s: float = 0.0
    player: Color
    roll: Roll
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One checker's move by sites, for arrows; `source` 25 is the bar, `target` 0 is off, whoever moves."""

    source: int
    target: int
    hit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A turn ended with these checkers on the board.

    Attributes:
        roll: its roll; None where a closed-out player ended his turn without one.
        play: in the mover's notation; ``"Cannot Move"`` for a dance.
        moves: the same by sites, for arrows.
        position: what stands on the board.
        illegal: no legal play leads there, and it stands all the same.
        roll_certain: False where several rolls allow this play and no dice told which.
        confidence: how sure the reading was, 0 to 1.
        frame: name of the picture.
        time_s: time the player used for this turn, None without a clock.
    """

    type: ClassVar[str] = "play"
    at_s: float = 0.0
    player: Color
    roll: Roll | None
    play: str
    position: Board
    moves: tuple[Moved, ...] = ()
    illegal: bool = False
    roll_certain: bool = True
    confidence: float = 1.0
    frame: str | None = None
    time_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """The computer says what it plays; its checkers are moved for it.

    Attributes:
        play: in its notation.
        moves: the same by sites, for arrows.
        position: what will stand on the board.
    """

    type: ClassVar[str] = "announced"
    at_s: float = 0.0
    player: Color
    play: str
    position: Board
    moves: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CubeTurned:
    """A cube action: ``"double"``, ``"take"``, ``"drop"``, ``"beaver"``, ``"raccoon"`` or ``"withdraw"``.

    Attributes:
        value: the value on offer, or agreed.
    """

    type: ClassVar[str] = "cube"
    at_s: float = 0.0
    player: Color
    action: Literal["double", "take", "drop", "beaver", "raccoon", "withdraw"]
    value: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Resigned:
    """A resignation was offered, accepted or refused, by `player`."""

    type: ClassVar[str] = "resignation"
    at_s: float = 0.0
    player: Color
    action: Literal["offer", "accept", "refuse"]
    level: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnded:
    """A game is over. Mostly told by the facts before it; said so that nobody has to work it out.

    Attributes:
        awarded: the director gave the game, or changed what it counted; then this fact decides.
    """

    type: ClassVar[str] = "game_end"
    at_s: float = 0.0
    winner: Color
    points: int
    kind: Kind
    ending: Ending
    awarded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded:
    """The match is over; `winner` is None where it was broken off or a money session was closed."""

    type: ClassVar[str] = "match_end"
    at_s: float = 0.0
    winner: Color | None
    score: tuple[int, int]
    reason: str = "won"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockSet:
    """Something happened to the clocks.

    Attributes:
        action: ``"hit"`` (`player` ended his time), ``"unhit"`` (he took that back), ``"start"`` (`player` runs),
            ``"pause"``, ``"resume"``, ``"edit"`` (by the director), ``"restart"`` (after a power cut) or
            ``"flag"`` (the time of `player` ran out).
        reason: why it was paused, or what the flag costs.
        reserve_s: White's and Black's reserve, set by the director.
    """

    type: ClassVar[str] = "clock"
    at_s: float = 0.0
    action: Literal["hit", "unhit", "start", "pause", "resume", "edit", "restart", "flag"]
    player: Color | None = None
    reason: str | None = None
    reserve_s: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One answer to a question.

    Attributes:
        text: the answer in players' words: a play, or ``"take"``.
        position: what would stand on the board, None where it is no play.
        roll: the roll it would need.
    """

    text: str
    position: Board | None = None
    roll: Roll | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The table is not sure and asks.

    Attributes:
        about: ``"play"``, ``"start"`` (the checkers are not set up right), ``"cube"``, ``"answer"`` (was the
            double taken?), ``"scan"`` (does the game go on from what stands there?) or ``"position"`` (what stands
            there explains nothing).
        text: one plain sentence.
        player: whose turn it is about.
        sites: where it is unclear.
        bars: whose side of the bar is unclear.
        choices: answers to choose from, likeliest first.
        frame: name of the picture.
    """

    type: ClassVar[str] = "question"
    at_s: float = 0.0
    about: Literal["play", "start", "cube", "answer", "scan", "position"]
    text: str
    player: Color | None = None
    sites: tuple[Site, ...] = ()
    bars: tuple[Color, ...] = ()
    choices: tuple[Choice, ...] = ()
    frame: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IllegalSeen:
    """What stands on the board is no legal play.

    Attributes:
        sites: where it differs from the nearest legal play, or from the board before where nobody has rolled.
        bars: whose side of the bar differs.
        nearest: that play, or None.
        nearest_position: what would stand on the board after it, or stood there where nobody has rolled.
        stands: what stands there, where it can be read for certain.
        audience: ``"table"``: everybody is told; ``"director"``: only the director's log.
    """

    type: ClassVar[str] = "illegal"
    at_s: float = 0.0
    player: Color
    sites: tuple[Site, ...] = ()
    bars: tuple[Color, ...] = ()
    nearest: str | None = None
    nearest_position: Board | None = None
    stands: Board | None = None
    audience: Literal["table", "director"] = "table"
    frame: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What was asked or called is put right; `how` says in a few words."""

    type: ClassVar[str] = "settled"
    at_s: float = 0.0
    how: str
    audience: Literal["table", "director"] = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class SightBlocked:
    """Something hides sites that matter, after the turn has ended."""

    type: ClassVar[str] = "obscured"
    at_s: float = 0.0
    sites: tuple[Site, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraChanged:
    """The camera or the board was moved, found again, or needs help."""

    type: ClassVar[str] = "camera_moved"
    at_s: float = 0.0
    state: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkChanged:
    """A part of the table answers again, or no longer."""

    type: ClassVar[str] = "link"
    at_s: float = 0.0
    part: str
    state: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """Everything from event `of` on is taken out of the record; what holds instead follows with new numbers.

    Attributes:
        of: number of the first event that no longer holds.
        until: number of the last event that was derived again; what comes later happened after the correction.
        undoes: number of the correction that it undoes, or None.
        by: who corrected: a director's name, or both players.
        why: one plain sentence.
        take_back: play goes on from before `of`.
    """

    type: ClassVar[str] = "correction"
    at_s: float = 0.0
    of: int
    until: int = 0
    undoes: int | None = None
    by: str = "director"
    why: str = ""
    take_back: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionSet:
    """The game goes on from this position: a scanned board, or one the director set."""

    type: ClassVar[str] = "position_set"
    at_s: float = 0.0
    position: Board
    turn: Color
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSet:
    """The director set the score."""

    type: ClassVar[str] = "score_set"
    at_s: float = 0.0
    score: tuple[int, int]
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A player left the table."""

    type: ClassVar[str] = "left"
    at_s: float = 0.0
    player: Color
    level: int = 1


Fact = (
    MatchStarted
    | GameStarted
    | SetUp
    | OpeningRolled
    | Rolled
    | RollWithdrawn
    | Played
    | Announced
    | CubeTurned
    | Resigned
    | GameEnded
    | MatchEnded
    | ClockSet
    | Asked
    | IllegalSeen
    | Settled
    | SightBlocked
    | CameraChanged
    | LinkChanged
    | Corrected
    | PositionSet
    | ScoreSet
    | Left
)

KINDS: Mapping[str, type[Fact]] = {kind.type: kind for kind in Fact.__args__}
"""The class of each ``type`` that stands in the journal."""


def fact_json(fact: Fact) -> dict[str, Any]:
    """Return a fact as the JSON object that the journal keeps, without its number."""
    return {"type": fact.type, **to_json(fact)}


def fact_of(body: Mapping[str, Any]) -> Fact:
    """Return the fact that a journal line describes; what it says beyond the fact is ignored.

    Raises:
        InvalidNotationError: an unknown type, or a value that is missing or wrong.
    """
    kind = KINDS.get(str(body.get("type")))
    if kind is None:
        raise InvalidNotationError(f"no event is of type {body.get('type')!r}")
    return of_json(kind, body)
