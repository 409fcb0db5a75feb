"""Events of `barpoint follow` as JSON values: built from what became certain, and read back from a journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from controller.board import Board, Site
from controller.following.tracks import Ply
from controller.records.ids import position_id
from controller.rules.notation import write_play
from controller.rules.position import Color, Roll

Event = dict[str, Any]


def position_json(board: Board, turn: Color | None) -> dict[str, Any]:
    """Return a position as DESIGN.md has it everywhere; without a turn the id is White's view."""
    seen_by = turn or Color.WHITE
    return {
        **board.to_json(),
        "position_id": position_id(board.seen_by(seen_by)),
        "turn": turn.value if turn else None,
    }


def board_from_json(position: dict[str, Any]) -> Board:
    """Read back the board of `position_json`.

    Raises:
        InvalidPositionError: it cannot stand on a board.
    """
    bar = position["bar"]
    return Board(tuple(position["points"]), (bar["white"], bar["black"]))


def play_event(ply: Ply, game: int, turn: Color | None, confidence: float) -> Event:
    """Return the event of a certain turn; `roll` is null where the dice were not seen and several rolls fit."""
    event: Event = {
        "type": "play",
        "game": game,
        "player": ply.player.value,
        "roll": list(ply.rolls[0]) if ply.roll_known else None,
        "play": write_play(ply.play),
        "position": position_json(ply.after, turn),
        "frame": ply.frame,
        "confidence": round(confidence, 4),
    }
    if not ply.roll_known:
        event["rolls"] = [list(roll) for roll in ply.rolls]
    return event


def opening_event(ply: Ply, game: int) -> Event:
    """Return the event of the opening roll, known once the first play is."""
    roll = list(ply.rolls[0]) if ply.roll_known else None
    return {
        "type": "opening_roll",
        "game": game,
        "player": ply.player.value,
        "roll": roll,
        "frame": ply.frame,
    }


def choice_json(plies: Sequence[Ply], board: Board, turn: Color, share: float) -> dict[str, Any]:
    """Return one course that a question offers: its turns, and where they lead."""
    return {
        "plays": [
            {"player": ply.player.value, "roll": list(ply.rolls[0]), "play": write_play(ply.play)}
            for ply in plies
            if not ply.gap
        ],
        "position": position_json(board, turn),
        "probability": round(share, 4),
    }


def drop_choice(winner: Color, points: int) -> dict[str, Any]:
    """Return the choice that a double was dropped, which ended the game."""
    return {"plays": [], "cube": "drop", "winner": winner.value, "points": points}


def question_event(
    kind: str,
    game: int,
    player: Color | None,
    reason: str,
    places: tuple[tuple[Site, ...], tuple[Color, ...]],
    frame: str | None,
    choices: Sequence[dict[str, Any]] = (),
) -> Event:
    """Return a `question`, `illegal` or `obscured` event: what is unclear, where, and what to choose from."""
    sites, bars = places
    return {
        "type": kind,
        "game": game,
        "player": player.value if player else None,
        "reason": reason,
        "sites": list(sites),
        "bars": [color.value for color in bars],
        "choices": list(choices),
        "frame": frame,
    }


def roll_from_json(value: Sequence[int] | None) -> Roll | None:
    """Read back a roll of an event."""
    return Roll.of(value[0], value[1]) if value else None


def cube_events(player: Color, value: int, game: int, frame: str | None) -> tuple[Event, Event]:
    """Return the double by `player` to `value`, and that his opponent took it."""
    common: Event = {"type": "cube", "game": game, "value": value, "frame": frame}
    double = common | {"player": player.value, "action": "double"}
    return double, common | {"player": player.opponent.value, "action": "take"}


def for_record(event: Event) -> Event:
    """Return an event as a record can hold it.

    A roll that is not known is taken for the likeliest that allows the play, and a board that no play explains is
    a position that was set up.
    """
    if event["type"] == "play" and event["roll"] is None and event.get("rolls"):
        return event | {"roll": event["rolls"][0]}
    if event.get("open"):
        return {"type": "position_set", "position": event["position"], "turn": event["position"]["turn"]}
    return event
