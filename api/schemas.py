"""The shapes of everything that leaves the API, with examples; OpenAPI and AsyncAPI are made from them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

START_POINTS = [-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2]

PositionExample: dict[str, Any] = {
    "points": START_POINTS,
    "bar": {"white": 0, "black": 0},
    "off": {"white": 0, "black": 0},
    "position_id": "4HPwATDgc/ABMA",
    "turn": "white",
}

PlayExample: dict[str, Any] = {
    "seq": 17,
    "type": "play",
    "game": 1,
    "player": "white",
    "roll": [6, 1],
    "play": "13/7 8/7",
    "position": PositionExample,
    "confidence": 0.998,
}

Player = Literal["white", "black"]


class Both(BaseModel):
    """A number for each player."""

    white: int
    black: int


class Names(BaseModel):
    """A name for each player; names are text as typed, never markup."""

    white: str
    black: str


class PositionOut(BaseModel):
    """Where all checkers stand. `points[0]` is White's 1-point; White's checkers positive, Black's negative."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [PositionExample]})

    points: list[int] = Field(min_length=24, max_length=24)
    bar: Both
    off: Both
    position_id: str | None = None
    turn: Player | None = None


class CubeOut(BaseModel):
    """The doubling cube; `owner` null is centered."""

    model_config = ConfigDict(extra="allow")

    value: int
    owner: Player | None
    offered_by: Player | None = None


class MoveOut(BaseModel):
    """One checker by one die, by sites, `"bar"` and `"off"`."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    source: int | str = Field(alias="from")
    to: int | str
    hit: bool


class LastPlayOut(BaseModel):
    """The play committed last, in the mover's notation and by sites."""

    model_config = ConfigDict(extra="allow")

    player: Player
    roll: list[int] | None
    play: str
    moves: list[MoveOut]


class ClockOut(BaseModel):
    """Both clocks when the snapshot was made; a display counts on from there by itself."""

    model_config = ConfigDict(extra="allow")

    reserve_s: dict[str, float]
    delay_s: float
    running: Player | None
    paused: str | None = None


class SnapshotOut(BaseModel):
    """The whole table after event `seq`: what a stream begins with, and what follows every event."""

    model_config = ConfigDict(extra="allow")

    seq: int
    match_id: str
    phase: str
    players: Names
    length: int
    score: Both
    settlement: Both | None = None
    game: int
    rules: str
    crawford: bool
    position: PositionOut
    roll: list[int] | None
    cube: CubeOut
    last_play: LastPlayOut | None
    pips: Both
    clock: ClockOut | None
    question: dict[str, Any] | None
    link: dict[str, str]
    simulated: bool


class EventOut(BaseModel):
    """One numbered event. Types and fields may be added; unknown ones are ignored by a reader."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [PlayExample]})

    seq: int
    type: str


class TableOut(BaseModel):
    """The table itself, without the game on it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "table_id": "table-1",
                    "simulated": True,
                    "match_id": "01JABCDEF",
                    "seq": 17,
                    "phase": "rolling",
                    "state": "live",
                    "since": "2026-11-30T18:30:00Z",
                    "delay_s": 0.0,
                    "links": {"position": "/api/v1/position", "live": "/api/v1/live"},
                }
            ]
        }
    )

    table_id: str
    simulated: bool
    match_id: str
    seq: int
    phase: str
    state: Literal["live", "stale"]
    since: str
    delay_s: float
    links: dict[str, str]


class GameOut(BaseModel):
    """One game in short; `winner`, `points` and `kind` are null while it lasts."""

    game: int
    first_seq: int
    last_seq: int
    plays: int
    winner: Player | None
    points: int | None
    kind: str | None


class MatchOut(BaseModel):
    """The match on the table in short; `length` 0 is money play, settled in points once it is over."""

    match_id: str
    seq: int
    phase: str
    players: Names
    length: int
    rules: str
    crawford: bool
    score: Both
    settlement: Both | None
    game: int
    games: list[GameOut]


class ReceiptOut(BaseModel):
    """What a command became: the number of its event, and the table after it."""

    seq: int
    event_id: str
    snapshot: SnapshotOut


class PersonOut(BaseModel):
    """Somebody who may act at the desk."""

    name: str
    role: Literal["viewer", "scorer", "director", "admin"]


class TokenOut(PersonOut):
    """A new token, told once."""

    token: str


class LegalPlayOut(BaseModel):
    """One legal play: its text, its moves by sites in order, and what stands on the board after it."""

    play: str
    moves: list[MoveOut]
    points: list[int]
    bar: Both


class SightOut(BaseModel):
    """What viewers may see; `waiting` is how many events they have not seen yet."""

    delay_s: float
    aids: bool
    tournament: bool
    waiting: int


class DiceOut(BaseModel):
    """What the electronic dice committed to before the match; the seed is told after it."""

    match_id: str | None
    commitment_sha256: str | None
    rolls: int
    seed: str | None
    log: str


class FindingOut(BaseModel):
    """One thing that was looked at, in plain words."""

    what: str
    ok: bool
    text: str


class CalibratedOut(BaseModel):
    """How the camera sees the board, in pixels of the capture; corners clockwise from one end of a row."""

    corners: list[tuple[float, float]] | None
    bar: list[tuple[float, float]] | None
    white_home: str
    findings: list[FindingOut]
    width_px: int | None
    height_px: int | None


class HealthOut(BaseModel):
    """Whether the process or the table answers."""

    status: str


class ProblemOut(BaseModel):
    """RFC 9457 problem details."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {"type": "about:blank", "title": "Not Found", "status": 404, "detail": "there is no event 900"}
            ]
        },
    )

    type: str = "about:blank"
    title: str
    status: int
    detail: str
