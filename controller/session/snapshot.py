"""What everybody may see of a table at one moment: the one shape for REST, stream, pages and the hub."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from controller.board import Board
from controller.records.ids import position_id
from controller.rules.position import Color, Roll


@dataclass(frozen=True, slots=True)
class SiteMove:
    """One checker's move as everybody sees it, for arrows on a display.

    Attributes:
        source: site 1 to 24, or ``"bar"``.
        target: site 1 to 24, or ``"off"``.
        hit: whether a blot was hit there.
    """

    source: int | str
    target: int | str
    hit: bool

    def to_json(self) -> dict[str, Any]:
        """Return the move as JSON values."""
        return {"from": self.source, "to": self.target, "hit": self.hit}


@dataclass(frozen=True, slots=True)
class LastPlay:
    """The play committed last.

    Attributes:
        player: who made it.
        roll: its roll, or None where the dice were never seen.
        text: in the mover's notation, ``"Cannot Move"`` for a dance.
        moves: the same by sites.
    """

    player: Color
    roll: Roll | None
    text: str
    moves: tuple[SiteMove, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the play as JSON values."""
        return {
            "player": self.player.value,
            "roll": list(self.roll) if self.roll else None,
            "play": self.text,
            "moves": [move.to_json() for move in self.moves],
        }


@dataclass(frozen=True, slots=True)
class ClockSnapshot:
    """Both clocks at the moment of the snapshot; a display counts on from there by itself.

    Attributes:
        reserve_s: White's and Black's reserve, seconds, never negative.
        delay_s: what is left of the running player's delay, seconds.
        running: whose clock runs, or None.
        paused: why both stand still, or None.
    """

    reserve_s: tuple[float, float]
    delay_s: float
    running: Color | None
    paused: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the clocks as JSON values."""
        return {
            "reserve_s": {"white": round(self.reserve_s[0], 3), "black": round(self.reserve_s[1], 3)},
            "delay_s": round(self.delay_s, 3),
            "running": self.running.value if self.running else None,
            "paused": self.paused,
        }


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole table after event `seq`.

    Attributes:
        seq: number of the last event that is in it.
        match_id: names the match; event ids are ``match_id:seq``.
        phase: ``"waiting"`` (no match), ``"opening"``, ``"rolling"`` (turn begun, no roll yet), ``"moving"``,
            ``"offered"`` (a double or resignation is on offer), ``"game_over"``, ``"match_over"``.
        players: White's and Black's names.
        length: match length, 0 for money.
        score: White's and Black's points.
        game: number of the game, from 1.
        rules: name of the rule profile.
        crawford: whether this is the Crawford game.
        board: where the checkers stand.
        turn: who is on roll, or None.
        roll: the roll on the table, or None.
        cube_value: 1 to 64.
        cube_owner: None for centered.
        offered_by: who offers a double, or None.
        last_play: the play committed last, or None.
        announced: what the computer plays while its checkers are not moved yet, or None.
        clock: both clocks, or None where none is used.
        question: what the table asks, as the body of the `question` or `illegal` event, or None.
        link: states of camera and board link, such as ``{"camera": "ok", "board": "simulated"}``.
        simulated: nothing of this is a real board.
        settlement: what White and Black get for a money session or single game that is over, in points, negative
            for what they pay; None before that, and for a match to a length.
    """

    seq: int
    match_id: str
    phase: str
    players: tuple[str, str]
    length: int
    score: tuple[int, int]
    game: int
    rules: str
    crawford: bool
    board: Board
    turn: Color | None
    roll: Roll | None
    cube_value: int
    cube_owner: Color | None
    offered_by: Color | None
    last_play: LastPlay | None
    clock: ClockSnapshot | None
    question: dict[str, Any] | None
    link: dict[str, str]
    simulated: bool
    announced: LastPlay | None = None
    settlement: tuple[int, int] | None = None


def position_json(board: Board, turn: Color | None) -> dict[str, Any]:
    """Return the JSON of one position, as everywhere; its Position ID is seen from the player on roll."""
    return {
        **board.to_json(),
        "position_id": position_id(board.seen_by(turn or Color.WHITE)),
        "turn": turn.value if turn else None,
    }


def snapshot_json(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot as JSON values: what REST, stream, pages and hub all send."""
    white = snapshot.board.seen_by(Color.WHITE)
    return {
        "seq": snapshot.seq,
        "match_id": snapshot.match_id,
        "phase": snapshot.phase,
        "players": {"white": snapshot.players[0], "black": snapshot.players[1]},
        "length": snapshot.length,
        "score": _both(snapshot.score),
        "settlement": _both(snapshot.settlement) if snapshot.settlement else None,
        "game": snapshot.game,
        "rules": snapshot.rules,
        "crawford": snapshot.crawford,
        "position": position_json(snapshot.board, snapshot.turn),
        "roll": list(snapshot.roll) if snapshot.roll else None,
        "cube": {
            "value": snapshot.cube_value,
            "owner": snapshot.cube_owner.value if snapshot.cube_owner else None,
            "offered_by": snapshot.offered_by.value if snapshot.offered_by else None,
        },
        "last_play": snapshot.last_play.to_json() if snapshot.last_play else None,
        "announced": snapshot.announced.to_json() if snapshot.announced else None,
        "pips": {"white": white.pips, "black": white.opponent_pips},
        "clock": snapshot.clock.to_json() if snapshot.clock else None,
        "question": snapshot.question,
        "link": dict(snapshot.link),
        "simulated": snapshot.simulated,
    }


def _both(numbers: tuple[int, int]) -> dict[str, int]:
    return {"white": numbers[0], "black": numbers[1]}
