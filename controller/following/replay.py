"""Take up a followed evening again from the events in its journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from controller.board import Observation
from controller.errors import StorageError
from controller.following.events import board_from_json
from controller.following.state import Following, remembered
from controller.following.tracks import Track
from controller.reconcile.evidence import Evidence
from controller.rules.position import Color


def resumed(state: Following, events: Iterable[Mapping[str, Any]]) -> tuple[Following, str | None]:
    """Return the state after the certain events of a journal, and the picture the last of them was seen on.

    Args:
        state: the beginning of the evening.
        events: all events so far, in order; what was asked is not taken up: the pictures will ask again.

    Raises:
        StorageError: an event that `follow` does not write.
    """
    frame: str | None = None
    try:
        for event in events:
            after = _after(state, event)
            if after is not None:
                state = after
                frame = frame if event["type"] == "cube" else event["frame"]
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(f"the journal holds an event that follow did not write: {error}") from error
    return state, frame


def _after(state: Following, event: Mapping[str, Any]) -> Following | None:
    """Return the state after one event, or None when it changes nothing."""
    if event["type"] == "game_end":
        score = event["score"]["white"], event["score"]["black"]
        return replace(state, between=True, score=score)
    if event["type"] == "cube" and event["action"] == "double":
        return replace(state, cube=event["value"], cube_owner=Color(event["player"]).opponent)
    if event["type"] == "play" or event.get("open"):
        if state.between or event["game"] != state.game:
            state = replace(state, between=False, turns=0, game=event["game"], cube=1, cube_owner=None)
        board, turn = board_from_json(event["position"]), event["position"]["turn"]
        player = Color(event["player"])
        track = Track(board, Color(turn) if turn else player.opponent, 0.0)
        return replace(state, tracks=(track,), turns=state.turns + 1)
    return None


def reminded(state: Following, seen: Observation) -> Following:
    """Return a resumed state that knows again what lay on the last picture it had taken in."""
    return replace(state, dice=remembered(state.dice, seen.dice), seen=Evidence.of(seen))
