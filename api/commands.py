"""What the desk may command: a schema, a role, and the event it becomes; nothing is decided here."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, model_validator

from api.schemas import START_POINTS, Player
from api.tokens import Role
from controller.board import Board
from controller.errors import IllegalActionError, RulesError
from controller.ports import Pressed
from controller.rules import Color, Move, Play, Roll, apply_play, legal_plays, parse_steps, write_play
from controller.rules.profiles import KEYS, PROFILES, profile
from controller.session import events, facts
from controller.session.clock import DOUBLES, SINGLES, ClockSetting
from controller.session.settings import settings_of
from controller.session.snapshot import Snapshot

Die = Literal[1, 2, 3, 4, 5, 6]
Reserve = Annotated[StrictFloat, Field(ge=0, le=86_400)]
Reserves = tuple[Reserve, Reserve]
"""What White and Black have left, seconds."""

_ULID = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Body(BaseModel):
    """A command's body; names it does not know are an error, so that a slip is not silently ignored."""

    model_config = ConfigDict(extra="forbid")


class Sides(Body):
    """A count for each player."""

    white: StrictInt = Field(default=0, ge=0, le=15)
    black: StrictInt = Field(default=0, ge=0, le=15)


class BoardIn(Body):
    """Where the checkers stand; `points[0]` is White's 1-point, White's checkers positive."""

    points: list[StrictInt] = Field(min_length=24, max_length=24, examples=[START_POINTS])
    bar: Sides = Sides()

    @model_validator(mode="after")
    def _fits(self) -> BoardIn:
        self.board()
        return self

    def board(self) -> Board:
        """Return the value the session works on."""
        return Board(tuple(self.points), (self.bar.white, self.bar.black))


class PlayersIn(Body):
    """Both names, as they shall be shown."""

    white: str = Field(min_length=1, max_length=60, examples=["Ann"])
    black: str = Field(min_length=1, max_length=60, examples=["Bob"])


class Points(Body):
    """The points of both players."""

    white: StrictInt = Field(ge=0, le=1000, examples=[3])
    black: StrictInt = Field(ge=0, le=1000, examples=[1])


class StartMatch(Body):
    """Start a match; `length` 0 is money play, `keys` are single rules that hold instead of the profile's.

    A match in progress ends first, unless nothing has been played in it yet: it makes room.
    """

    players: PlayersIn
    length: StrictInt = Field(ge=0, le=64, examples=[7])
    rules: str = Field(default="international", max_length=40, pattern=r"^[a-z0-9-]+$")
    score: Points = Points(white=0, black=0)
    keys: dict[str, bool | int | str | list[int] | None] = Field(default_factory=dict, max_length=len(KEYS))
    clock: Literal["rules", "none", "singles", "doubles"] = "rules"
    moves: Literal["rules", "strict", "legal", "responsible", "condoned"] = "rules"
    hints: Literal["rules", "off", "points", "checkers", "all"] = "rules"
    tournament: StrictBool = False

    @model_validator(mode="after")
    def _known(self) -> StartMatch:
        if self.rules not in PROFILES:
            raise ValueError(f"no rules are named {self.rules!r}; there are {', '.join(sorted(PROFILES))}")
        try:
            profile(self.rules, **self.keys)
        except RulesError as error:
            raise ValueError(str(error)) from None
        return self


class Rematch(Body):
    """Let the same players play another match by the same rules; without `length` one to the same length."""

    length: StrictInt | None = Field(default=None, ge=0, le=64, examples=[5])


class EndMatch(Body):
    """Break the match off, or close a money session."""

    reason: str = Field(min_length=1, max_length=200, examples=["time"])
    winner: Player | None = None


class StartGame(Body):
    """Begin the next game; the checkers are set up."""


class Scan(Body):
    """Ask whether the game goes on from what stands on the board; the question that comes names every fault."""


class OpeningRoll(Body):
    """Say what both players rolled to begin."""

    white: Die
    black: Die


class EnterRoll(Body):
    """Say what the player on turn rolled."""

    player: Player
    roll: tuple[Die, Die]


class WithdrawRoll(Body):
    """Take a roll back: cocked, fallen, thrown too early."""

    player: Player
    reason: str = Field(min_length=1, max_length=200, examples=["cocked"])


class EnterPlay(Body):
    """Say what was played: in the mover's notation, or by what stands on the board."""

    player: Player
    play: str | None = Field(default=None, max_length=80, examples=["13/7 8/7"])
    position: BoardIn | None = None
    condoned: StrictBool = False

    @model_validator(mode="after")
    def _one(self) -> EnterPlay:
        if (self.play is None) == (self.position is None):
            raise ValueError("either play or position")
        return self


class Cube(Body):
    """A cube action."""

    player: Player
    action: Literal["double", "take", "drop", "beaver", "raccoon", "withdraw"]


class Resign(Body):
    """A resignation: offered at a level (1 single, 2 gammon, 3 backgammon), accepted or refused."""

    player: Player
    action: Literal["offer", "accept", "refuse"]
    level: Literal[1, 2, 3] = 1


class Clock(Body):
    """Something for the clocks; `reserve_s` with `edit`, a reason with `pause`."""

    action: Literal["hit", "start", "pause", "resume", "edit"]
    player: Player | None = None
    reason: str | None = Field(default=None, max_length=200, examples=["fallen dice"])
    reserve_s: Reserves | None = None

    @model_validator(mode="after")
    def _complete(self) -> Clock:
        if self.action in ("hit", "start") and self.player is None:
            raise ValueError(f"{self.action} names a player")
        if self.action == "edit" and self.reserve_s is None:
            raise ValueError("edit names reserve_s")
        return self


class CallDirector(Body):
    """Stop the clocks and call the director, as the director's button at a table does."""

    player: Player


class Answer(Body):
    """Answer the open question with one of its choices, by index."""

    choice: StrictInt = Field(ge=0, le=100)


class Result(Body):
    """How a game ended."""

    winner: Player
    points: StrictInt = Field(ge=0, le=1000, examples=[2])
    kind: Literal["single", "gammon", "backgammon"] = "single"


class Correction(Body):
    """Change what the record says about event `of`; without content the event is taken out.

    Where `of` is a correction, that is undone. Each kind of event has content of its own: a play `play`,
    `position`, `roll` and `illegal`; a roll `roll` and `player`; an opening roll `opening`; a cube action or a
    resignation `action` and `player`; the end of a game `result`; a score `score`; reserves `reserve_s`; the start
    of a match `length` and `players`.
    """

    of: StrictInt = Field(ge=1, le=10**9, examples=[17])
    play: str | None = Field(default=None, max_length=80, examples=["13/8 6/5"])
    roll: tuple[Die, Die] | None = None
    position: BoardIn | None = None
    player: Player | None = None
    illegal: StrictBool | None = None
    opening: OpeningRoll | None = None
    action: Literal["double", "take", "drop", "beaver", "raccoon", "offer", "accept", "refuse"] | None = None
    result: Result | None = None
    score: Points | None = None
    reserve_s: Reserves | None = None
    length: StrictInt | None = Field(default=None, ge=0, le=64)
    players: PlayersIn | None = None
    take_back: StrictBool = False
    why: str = Field(default="", max_length=300, examples=["the players agree"])


class Condone(Body):
    """Let the wrong play that stands on the board stand."""


class PointOut(Body):
    """Say that a player points out the opponent's wrong play."""

    player: Player


class SetPosition(Body):
    """Let the game go on from this position."""

    position: BoardIn
    turn: Player
    why: str = Field(default="", max_length=300)


class SetScore(Body):
    """Set the score of the match."""

    score: Points
    why: str = Field(default="", max_length=300)


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the desk.

    Attributes:
        name: last part of its path.
        body: its schema; its docstring says what it does.
        role: who may give it.
        event: makes the session's event of a body, the snapshot it is about, the giver's name and the time.
        based: whether the giver must name, with `If-Match`, the event it is based on.
    """

    name: str
    body: type[Body]
    role: Role
    event: Callable[[Any, Snapshot, str, float], events.Event]
    based: bool = False


def new_match_id(now_s: float | None = None) -> str:
    """Return a ULID: 48 bits of wall-clock milliseconds and 80 random bits, sortable and made without a network.

    Example:
        >>> new_match_id(0.0)[:10]
        '0000000000'
    """
    milliseconds = int((time.time() if now_s is None else now_s) * 1000)
    value = milliseconds << 80 | secrets.randbits(80)
    return "".join(_ULID[value >> shift & 31] for shift in range(125, -5, -5))


def play_of(board: Board, player: Color, text: str, roll: Roll | None) -> Play:
    """Return the play that `text` writes, with its hits, as it is made on `board`.

    Where the roll is known, steps that pass over points in between are found among its legal plays.

    Raises:
        InvalidNotationError: the text is no play.
        InvalidPositionError: there is no checker to move, or the target is held.
    """
    before = board.seen_by(player)
    steps = parse_steps(text)
    points = before.points
    play: list[Move] = []
    hits: set[int] = set()
    for source, target in steps:
        hit = target > 0 and points[target] == -1 and target not in hits
        if hit:
            hits.add(target)
        play.append(Move(source, target, hit))
    after = apply_play(before, tuple(play))
    if roll is not None:
        return legal_plays(before, roll).get(after, tuple(play))
    return tuple(play)


def _moved(play: Play, player: Color) -> tuple[facts.Moved, ...]:
    """Return a play by sites; 25 is the bar and 0 is off, whoever moves."""

    def site(point: int) -> int:
        return point if point in (0, 25) or player is Color.WHITE else 25 - point

    return tuple(facts.Moved(source=site(m.source), target=site(m.target), hit=m.hit) for m in play)


def _played(body: EnterPlay, snapshot: Snapshot, _: str, at_s: float) -> events.Event:
    player = Color(body.player)
    before = snapshot.board.seen_by(player)
    roll = snapshot.roll
    must_use = profile(snapshot.rules).must_use
    legal = legal_plays(before, roll, must_use) if roll is not None else {}
    play: Play | None = None
    if body.position is not None:
        after = body.position.board().seen_by(player)
        play = legal.get(after)
    else:
        play = play_of(snapshot.board, player, body.play or "", roll)
        after = apply_play(before, play)
    lawful = after in legal or (roll is not None and not legal and after == before)
    if not lawful and not body.condoned:
        rolled = f" with {roll}" if roll else "; no roll is on the table"
        raise IllegalActionError(f"that is no legal play{rolled}; say condoned to let it stand")
    text = body.play if play is None and body.play else write_play(play or ())
    return facts.Played(
        at_s=at_s,
        player=player,
        roll=roll,
        play=text,
        position=Board.of(after, player),
        moves=_moved(play or (), player),
        illegal=not lawful,
    )


def _correction(body: Correction, snapshot: Snapshot, by: str, at_s: float) -> events.Event:
    whole = ("play", "roll", "player", "illegal", "action", "reserve_s", "length")
    content: dict[str, Any] = {name: value for name in whole if (value := getattr(body, name)) is not None}
    if body.position is not None:
        content["position"] = body.position.board().to_json()
    for pair in ("score", "players"):
        if (sides := getattr(body, pair)) is not None:
            content[pair] = [sides.white, sides.black]
    for part in (body.opening, body.result):
        content.update(part.model_dump() if part is not None else {})
    return events.Correct(
        of=body.of, content=content or None, take_back=body.take_back, by=by, why=body.why, at_s=at_s
    )


def _start_match(body: StartMatch, _: Snapshot, __: str, at_s: float) -> events.Event:
    clocks = {"none": ClockSetting(), "singles": SINGLES, "doubles": DOUBLES}
    chosen: dict[str, Any] = {
        name: value for name in ("moves", "hints") if (value := getattr(body, name)) != "rules"
    }
    rules = profile(body.rules, **body.keys)
    if body.clock != "rules":
        chosen["clock"] = replace(clocks[body.clock], flag=rules.flag)
    settings = settings_of(rules, **chosen)
    settings = replace(settings, tournament=settings.tournament or body.tournament)
    return facts.MatchStarted(
        at_s=at_s,
        match_id=new_match_id(),
        players=(body.players.white, body.players.black),
        length=body.length,
        rules=body.rules,
        keys=body.keys,
        score=(body.score.white, body.score.black),
        settings=settings,
    )


def _end_match(body: EndMatch, snapshot: Snapshot, __: str, at_s: float) -> events.Event:
    winner = Color(body.winner) if body.winner else None
    return facts.MatchEnded(at_s=at_s, winner=winner, score=snapshot.score, reason=body.reason)


def _withdrawn(body: WithdrawRoll, snapshot: Snapshot, _: str, at_s: float) -> events.Event:
    if snapshot.roll is None:
        raise IllegalActionError("no roll is on the table")
    return facts.RollWithdrawn(at_s=at_s, player=Color(body.player), roll=snapshot.roll, reason=body.reason)


def _clock(body: Clock, _: Snapshot, __: str, at_s: float) -> events.Event:
    player = Color(body.player) if body.player else None
    return facts.ClockSet(
        at_s=at_s, action=body.action, player=player, reason=body.reason, reserve_s=body.reserve_s
    )


def _cube(body: Cube, _: Snapshot, __: str, at_s: float) -> events.Event:
    return facts.CubeTurned(at_s=at_s, player=Color(body.player), action=body.action)


def _resign(body: Resign, _: Snapshot, __: str, at_s: float) -> events.Event:
    return facts.Resigned(at_s=at_s, player=Color(body.player), action=body.action, level=body.level)


def _opening(body: OpeningRoll, _: Snapshot, __: str, at_s: float) -> events.Event:
    return facts.OpeningRolled(at_s=at_s, white=body.white, black=body.black, source="keyed")


def _rolled(body: EnterRoll, _: Snapshot, __: str, at_s: float) -> events.Event:
    return facts.Rolled(at_s=at_s, player=Color(body.player), roll=Roll.of(*body.roll), source="keyed")


def _position_set(body: SetPosition, _: Snapshot, __: str, at_s: float) -> events.Event:
    return facts.PositionSet(at_s=at_s, position=body.position.board(), turn=Color(body.turn), why=body.why)


def _score_set(body: SetScore, _: Snapshot, __: str, at_s: float) -> events.Event:
    return facts.ScoreSet(at_s=at_s, score=(body.score.white, body.score.black), why=body.why)


COMMANDS: tuple[Command, ...] = (
    Command("start_match", StartMatch, Role.SCORER, _start_match),
    Command(
        "rematch",
        Rematch,
        Role.SCORER,
        lambda body, _, __, at_s: events.Rematch(new_match_id(), body.length, at_s),
    ),
    Command("end_match", EndMatch, Role.DIRECTOR, _end_match),
    Command("start_game", StartGame, Role.SCORER, lambda _, __, ___, at_s: facts.GameStarted(at_s=at_s)),
    Command("opening_roll", OpeningRoll, Role.SCORER, _opening),
    Command("roll", EnterRoll, Role.SCORER, _rolled),
    Command("withdraw_roll", WithdrawRoll, Role.SCORER, _withdrawn),
    Command("play", EnterPlay, Role.SCORER, _played),
    Command("cube", Cube, Role.SCORER, _cube),
    Command("resign", Resign, Role.SCORER, _resign),
    Command("clock", Clock, Role.SCORER, _clock),
    Command(
        "call_director",
        CallDirector,
        Role.SCORER,
        lambda body, _, __, at_s: Pressed("director", Color(body.player), at_s),
    ),
    Command("answer", Answer, Role.SCORER, lambda body, _, __, at_s: events.Chosen(body.choice, at_s)),
    Command(
        "point_out", PointOut, Role.SCORER, lambda body, _, __, at_s: events.PointedOut(Color(body.player), at_s)
    ),
    Command("condone", Condone, Role.DIRECTOR, lambda _, __, ___, at_s: events.Condoned(at_s)),
    Command("correct", Correction, Role.DIRECTOR, _correction, based=True),
    Command("scan", Scan, Role.DIRECTOR, lambda _, __, ___, at_s: events.Scanned(at_s)),
    Command("set_position", SetPosition, Role.DIRECTOR, _position_set, based=True),
    Command("set_score", SetScore, Role.DIRECTOR, _score_set, based=True),
)
