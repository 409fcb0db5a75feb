"""A rendered game, read by the eyes of a table: the dice told, seen, and hidden."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks._sequences import WAYS, Shot, followed, shots
from controller.ports import Watched
from controller.session import events, facts
from controller.session.effects import Emit, ReadAgain
from controller.session.settings import Settings
from controller.session.state import State
from controller.session.step import step


@pytest.fixture(scope="module")
def pictures(shared: Path) -> list[Shot]:
    return list(shots(shared / "vision" / "renders" / "seq01"))


@pytest.mark.needs_shared
@pytest.mark.parametrize("way", WAYS)
def test_every_play_that_can_be_told_is_right_and_none_is_wrong(pictures: list[Shot], way: str) -> None:
    found = followed(pictures, way)
    assert found["wrong"] == 0
    assert found["determined_right"] == found["determined"]
    assert found["right"] + found["asked"] == found["plays"] == 32


@pytest.mark.needs_shared
def test_a_table_plays_the_recording_too_when_quiet_time_ends_its_turns(pictures: list[Shot]) -> None:
    settings = Settings(dice="camera", signals=frozenset({"dice", "roll", "quiet"}), quiet_s=0.5)
    match = facts.MatchStarted(at_s=0.0, match_id="m", players=("A", "B"), length=5, settings=settings)
    state, _ = step(State(), match)
    recorded = []
    for shot in pictures:
        moved = Watched("moving", shot.seen.at_s)  # as a watcher says of single pictures
        said = [moved, events.Observed(shot.seen), Watched("still", shot.seen.at_s + 0.7)]
        for event in said:
            state, effects = step(state, event)
            if any(isinstance(effect, ReadAgain) for effect in effects):  # it reads the one there is
                said.append(events.Observed(replace(shot.seen, at_s=shot.seen.at_s + 0.7)))
            bodies = [effect.body for effect in effects if isinstance(effect, Emit)]
            recorded += [body["position"]["points"] for body in bodies if body["type"] == "play"]
    assert recorded == [list(shot.board.points) for shot in pictures if shot.mover is not None]
