"""``barpoint follow``: a drawn game and the rendered ones, bad input, and a journal that goes on after a kill."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from recording import PLAYED, record

from controller.cli import main


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, list]:
    folder = tmp_path_factory.mktemp("recording")
    corners, boards = record(folder)
    return folder, corners, boards


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, list[dict], str]:
    """Run `barpoint follow`; return its status, its events and its errors."""
    try:
        status = main(["follow", *map(str, args)])
    except SystemExit as stop:
        status = int(stop.code or 0)
    out, err = capsys.readouterr()
    return status, [json.loads(line) for line in out.splitlines()], err


def test_a_drawn_game_is_followed(recording, capsys) -> None:
    folder, corners, boards = recording
    status, events, errors = run(capsys, folder, "--corners", corners, "--white-home", "bottom-right", "--json")
    assert (status, errors) == (0, "")
    plays = [e for e in events if e["type"] == "play"]
    assert [(e["player"], e["play"]) for e in plays] == [(c.value, text) for c, _, text in PLAYED]
    assert [tuple(e["position"]["points"]) for e in plays] == [board.points for board in boards]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    assert {"seq", "type", "game", "player", "roll", "play", "position", "frame", "confidence"} <= set(plays[0])
    assert plays[0]["position"]["turn"] == "black"
    assert all(0.9 < e["confidence"] <= 1 for e in plays)


def test_a_recording_that_ends_under_a_hand_says_so(recording, capsys, tmp_path: Path) -> None:
    folder, corners, _ = recording
    for name in ("f000.png", "f001.png", "f002.png", "f003.png"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    _, events, _ = run(capsys, tmp_path, "--corners", corners, "--white-home", "bottom-right", "--json")
    assert [(e["type"], e["frame"]) for e in events][-2:] == [("play", "f002.png"), ("obscured", "f003.png")]


def test_the_record_is_written_whole(recording, capsys, tmp_path: Path) -> None:
    folder, corners, _ = recording
    out = tmp_path / "game.mat"
    status, _, _ = run(capsys, folder, "--corners", corners, "--white-home", "bottom-right", "--mat", out)
    assert status == 0
    text = out.read_text()
    assert "Game 1" in text
    assert "8/5 6/5" in text
    assert list(tmp_path.iterdir()) == [out]


def test_a_second_run_on_the_same_journal_adds_nothing(recording, capsys, tmp_path: Path) -> None:
    folder, corners, _ = recording
    args = (folder, "--corners", corners, "--white-home", "bottom-right", "--journal", tmp_path / "journal.db")
    _, first, _ = run(capsys, *args)
    assert [e["type"] for e in first].count("play") == len(PLAYED)
    status, second, _ = run(capsys, *args)
    assert status == 0
    assert [e for e in second if e["type"] == "play"] == []


def test_a_killed_run_goes_on_from_the_last_committed_event(recording, capsys, tmp_path: Path) -> None:
    folder, corners, boards = recording
    args = [str(folder), "--corners", corners, "--white-home", "bottom-right", "--journal", str(tmp_path / "j.db")]
    command = [sys.executable, "-m", "controller", "follow", *args]
    before: list[dict] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            before.append(json.loads(line))
            if before[-1]["type"] == "play":
                os.kill(process.pid, signal.SIGKILL)
                break
    status, after, _ = run(capsys, *args)
    assert status == 0
    plays = [e for e in [*before, *after] if e["type"] == "play"]
    seen = {e["seq"]: tuple(e["position"]["points"]) for e in plays}
    assert len(seen) <= len(boards)
    assert [seen[seq] for seq in sorted(seen)][-1] == boards[-1].points
    assert len({e["seq"] for e in [*before, *after]}) == len([*before, *after])


class TestBadInput:
    """One clear line, exit 1 or 2, nothing written."""

    def refused(self, capsys, tmp_path: Path, *args: object, status: int = 1) -> str:
        out = tmp_path / "out.mat"
        found, events, errors = run(capsys, *args, "--mat", out)
        assert found == status
        assert events == []
        assert not out.exists()
        if status == 1:
            assert len(errors.splitlines()) == 1
        assert "Traceback" not in errors
        return errors

    def test_no_such_folder(self, capsys, tmp_path: Path) -> None:
        assert "nowhere" in self.refused(capsys, tmp_path, tmp_path / "nowhere")

    def test_a_folder_without_pictures(self, capsys, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        assert "no pictures" in self.refused(capsys, tmp_path, tmp_path / "empty")

    def test_a_picture_that_is_none(self, capsys, tmp_path: Path) -> None:
        folder = tmp_path / "broken"
        folder.mkdir()
        (folder / "f000.jpg").write_bytes(b"this is no picture")
        assert "f000.jpg" in self.refused(capsys, tmp_path, folder, "--corners", "0,0,9,0,9,9,0,9")

    @pytest.mark.parametrize(
        "corners",
        ["1,2,3", "a,b,c,d,e,f,g,h", "0,0,9000,0,9000,9000,0,9000", "100,100,900,600,900,100,100,600"],
        ids=["too few", "no numbers", "outside", "crossing"],
    )
    def test_corners_that_cannot_be(self, recording, capsys, tmp_path: Path, corners: str) -> None:
        errors = self.refused(capsys, tmp_path, recording[0], "--corners", corners)
        assert "corners" in errors

    def test_a_side_that_is_none(self, recording, capsys, tmp_path: Path) -> None:
        self.refused(capsys, tmp_path, recording[0], "--white-home", "left", status=2)

    def test_rules_nobody_knows(self, recording, capsys, tmp_path: Path) -> None:
        assert "chess" in self.refused(capsys, tmp_path, recording[0], "--rules", "chess")

    def test_a_first_picture_that_is_no_start_position(self, capsys, tmp_path: Path) -> None:
        import cv2
        import numpy as np

        folder = tmp_path / "table"
        folder.mkdir()
        cv2.imwrite(str(folder / "f000.png"), np.full((720, 1280, 3), 90, np.uint8))
        self.refused(capsys, tmp_path, folder, "--corners", "200,100,1080,100,1080,620,200,620")

    def test_a_journal_from_a_newer_version(self, recording, capsys, tmp_path: Path) -> None:
        folder, corners, _ = recording
        path = tmp_path / "journal.db"
        run(capsys, folder, "--corners", corners, "--white-home", "bottom-right", "--journal", path)
        with sqlite3.connect(path) as database:
            database.execute("PRAGMA user_version = 99")
        database.close()
        before = path.read_bytes()
        errors = self.refused(capsys, tmp_path, folder, "--corners", corners, "--journal", path)
        assert "newer" in errors
        assert path.read_bytes() == before

    def test_a_record_that_cannot_be_written(self, recording, capsys, tmp_path: Path) -> None:
        status, _, errors = run(capsys, recording[0], "--mat", tmp_path / "no" / "such" / "folder" / "x.mat")
        assert status == 1
        assert "no such folder" in errors


@pytest.mark.needs_shared
def test_the_beginning_of_a_rendered_game_is_followed(shared: Path, capsys, tmp_path: Path) -> None:
    source = shared / "vision" / "renders" / "seq06"
    record_of = json.loads((source / "sequence.json").read_text())["frames"][:10]
    for frame in record_of:
        (tmp_path / frame["file"]).symlink_to(source / frame["file"])
    field = json.loads((source / "f000.json").read_text())["corners_px"]["field"]
    ring = [field[name] for name in ("near_right", "near_left", "far_left", "far_right")]
    corners = ",".join(f"{v:.1f}" for xy in ring for v in xy)
    status, events, _ = run(capsys, tmp_path, "--corners", corners, "--white-home", "top-left")
    assert status == 0
    truth = [tuple(f["position24"]) for f in record_of if f.get("play") and f["settled"]]
    found = [tuple(e["position"]["points"]) for e in events if e["type"] == "play"]
    rest = iter(truth)
    assert all(position in rest for position in found)
    assert len(found) >= len(truth) - 1
