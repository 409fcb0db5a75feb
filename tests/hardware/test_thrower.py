"""Electronic dice at a table: durable before they are seen, never made twice, and open to everybody afterwards."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from controller.errors import IllegalActionError, StorageError
from controller.hardware import fair_dice
from controller.hardware.thrower import FairThrower
from controller.rules import Color

W, B = Color.WHITE, Color.BLACK
Events = list[dict[str, Any]]


def publish(thrower: FairThrower, event: dict[str, Any]) -> None:
    asyncio.run(thrower.publish(event, {}))


def roll_event(seq: int, faces: tuple[int, int], player: Color = W) -> dict[str, Any]:
    roll = sorted(faces, reverse=True)
    source = "electronic"
    return {"type": "roll", "seq": seq, "source": source, "roll_id": seq, "roll": roll, "player": player.value}


class Match:
    """A match on one folder, which can be taken up again as after a power cut."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journal: Events = []
        self.said: list[str] = []
        self.thrower = self.resumed()
        publish(self.thrower, {"type": "match_start", "seq": 1, "match_id": "m1"})

    def resumed(self) -> FairThrower:
        return FairThrower(self.folder, lambda match_id: self.journal, self.said.append)

    def restart(self) -> None:
        self.thrower = self.resumed()
        self.thrower.begin("m1")

    def journalled(self, event: dict[str, Any]) -> None:
        self.journal.append(event)
        publish(self.thrower, event)

    def lines(self) -> Events:
        return fair_dice.read_log((self.folder / "m1.jsonl").read_text())


@pytest.fixture
def match(tmp_path: Path) -> Match:
    return Match(tmp_path / "dice")


def test_the_commitment_is_on_the_disk_and_told_before_the_first_roll(match: Match) -> None:
    (line,) = match.lines()
    assert line["type"] == "commitment"
    assert match.said == [f"the dice of this match are committed to: SHA-256 {line['sha256']}"]
    secret = match.folder / "m1.seed"
    assert fair_dice.commitment(bytes.fromhex(secret.read_text())) == line["sha256"]
    assert secret.stat().st_mode & 0o077 == 0


def test_a_roll_is_on_the_disk_when_it_is_returned_with_the_microseconds_of_the_press(match: Match) -> None:
    faces = match.thrower.throw(3, B, 12.345678)
    newest = match.lines()[-1]
    assert (newest["type"], newest["roll"], newest["roll_id"]) == ("roll", 1, 3)
    assert (newest["player"], newest["entropy_us"], tuple(newest["dice"])) == ("black", 12_345_678, faces)


def test_the_same_roll_asked_again_is_the_same_roll(match: Match) -> None:
    """Feature 72: a retry can never roll twice."""
    faces = match.thrower.throw(3, W, 1.0)
    assert match.thrower.throw(3, W, 2.0) == faces
    assert len(match.lines()) == 2


def test_a_roll_that_was_made_and_not_journalled_before_a_power_cut_comes_again(match: Match) -> None:
    match.journalled(roll_event(3, match.thrower.throw(3, W, 1.0)))
    lost = match.thrower.throw(5, B, 2.0)
    match.restart()
    assert match.thrower.throw(9, B, 77.0) == lost, "the player's second press makes no second roll"
    match.journalled(roll_event(9, lost) | {"roll_id": 9})
    match.thrower.throw(11, W, 80.0)
    assert [line["roll"] for line in match.lines() if line["type"] == "roll"] == [1, 2, 3]


def test_a_roll_that_was_journalled_does_not_come_again_after_a_restart(match: Match) -> None:
    match.journalled(roll_event(3, match.thrower.throw(3, W, 1.0)))
    match.restart()
    match.thrower.throw(5, B, 2.0)
    assert [line["roll_id"] for line in match.lines() if line["type"] == "roll"] == [3, 5]


def test_an_opening_roll_is_known_again_by_its_faces(match: Match) -> None:
    white, black = match.thrower.throw(3, W, 1.0)
    match.journalled({"type": "opening_roll", "seq": 3, "source": "electronic", "white": white, "black": black})
    match.restart()
    match.thrower.throw(4, W, 2.0)
    assert [line["roll"] for line in match.lines() if line["type"] == "roll"] == [1, 2]


def test_half_a_line_left_by_a_power_cut_is_taken_off(match: Match) -> None:
    match.journalled(roll_event(3, match.thrower.throw(3, W, 1.0)))
    with (match.folder / "m1.jsonl").open("a") as stream:
        stream.write('{"type": "roll", "ro')
    match.restart()
    match.thrower.throw(5, B, 2.0)
    assert [line["type"] for line in match.lines()] == ["commitment", "roll", "roll"]


def test_when_the_disk_refuses_nothing_is_shown_and_the_next_press_gets_the_same_roll(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StorageError, match="No space left"):
            match.thrower.throw(3, W, 1.0)
    faces = match.thrower.throw(3, W, 9.0)
    newest = match.lines()[-1]
    assert (tuple(newest["dice"]), newest["entropy_us"]) == (faces, 1_000_000)
    assert len(match.lines()) == 2


def test_withdrawn_and_corrected_rolls_stay_in_the_log_as_voided(match: Match) -> None:
    for seq in (3, 5, 7):
        match.journalled(roll_event(seq, match.thrower.throw(seq, W, float(seq))))
    match.journalled({"type": "roll_withdrawn", "seq": 8, "reason": "thrown too early"})
    match.journalled({"type": "correction", "seq": 9, "of": 5, "why": "wrong play"})
    voids = [line for line in match.lines() if line["type"] == "void"]
    assert [(line["roll"], line["reason"]) for line in voids] == [
        (3, "thrown too early"),
        (2, "corrected: wrong play"),
    ]


def test_rolls_that_a_correction_derives_again_count_and_come_back_with_its_undoing(match: Match) -> None:
    for seq in (3, 5, 7):
        match.journalled(roll_event(seq, match.thrower.throw(seq, W, float(seq))))
    rolls = list(match.journal)
    match.journal += [{"type": "correction", "seq": 8, "of": 4, "why": "wrong play"}, {**rolls[1], "seq": 9}]
    publish(match.thrower, match.journal[-2])
    assert fair_dice.voided(match.lines()) == {3}
    match.journal += [{"type": "correction", "seq": 10, "of": 8, "why": ""}, {**rolls[1], "seq": 11}]
    match.journal.append({**rolls[2], "seq": 12})
    publish(match.thrower, match.journal[-3])
    assert fair_dice.voided(match.lines()) == set()
    assert [line["type"] for line in match.lines()][-2:] == ["void", "counts"]


def test_the_seed_is_revealed_at_the_end_and_the_whole_log_follows_from_it(match: Match) -> None:
    for seq in range(3, 60, 2):
        match.journalled(roll_event(seq, match.thrower.throw(seq, W, seq / 7)))
    assert "seed" not in (match.folder / "m1.jsonl").read_text()
    match.journalled({"type": "match_end", "seq": 61})
    found = fair_dice.verify(match.lines())
    assert (found.problems, found.rolls) == ((), 29)
    assert "the seed of the dice was" in match.said[-1]
    with pytest.raises(IllegalActionError):
        match.thrower.throw(63, W, 99.0)


def test_a_second_match_has_a_seed_of_its_own(match: Match) -> None:
    first = match.lines()[0]["sha256"]
    publish(match.thrower, {"type": "match_start", "seq": 1, "match_id": "m2/../x"})
    second = fair_dice.read_log((match.folder / "m2%2F..%2Fx.jsonl").read_text())[0]
    assert second["match_id"] == "m2/../x"
    assert second["sha256"] != first


@pytest.mark.parametrize("damage", ["seed gone", "other seed", "log no JSON", "log no lines"])
def test_damaged_files_are_said_and_no_roll_is_made_from_them(match: Match, damage: str) -> None:
    match.thrower.throw(3, W, 1.0)
    secret, log = match.folder / "m1.seed", match.folder / "m1.jsonl"
    match damage:
        case "seed gone":
            secret.unlink()
        case "other seed":
            secret.write_text("00" * 32)
        case "log no JSON":
            log.write_text("what?\n")
        case "log no lines":
            log.write_text("[1]\n")
    with pytest.raises(StorageError, match=r"m1\."):
        match.restart()
    with pytest.raises(StorageError):
        match.thrower.throw(5, W, 2.0)


def test_without_a_match_there_is_no_roll(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no match"):
        FairThrower(tmp_path, lambda match_id: []).throw(1, W, 0.0)
