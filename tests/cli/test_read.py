"""``barpoint read``: the contract of its lines, and one clear line for bad input."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.board import START_BOARD, Scene
from controller.cli import main
from vision.simulated import SimulatedCamera

CAMERA = SimulatedCamera(seed=8)
CORNERS = ",".join(f"{v:.1f}" for xy in CAMERA.corners_px for v in xy)


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pictures") / "start.png"
    cv2.imwrite(str(path), CAMERA.picture(Scene(START_BOARD)))
    return path


def test_one_line_a_picture_with_24_sites(start: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = ["--known", str(start), "--position", "start"]
    assert main(["read", str(start), str(start), "--corners", CORNERS, *known, "--json"]) == 0
    lines = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert len(lines) == 2
    sites = lines[0]["sites"]
    assert [s["site"] for s in sites] == list(range(1, 25))
    assert {"color", "count", "confidence", "seen"} <= set(sites[0])
    signed = [s["count"] * {"white": 1, "black": -1, None: 0}[s["color"]] for s in sites]
    assert tuple(signed) == START_BOARD.points
    assert lines[0]["bar"] == {"white": 0, "black": 0, "seen": True}
    assert lines[0]["hand"] is False
    assert lines[0]["image"] == str(start)


def test_a_position_may_come_from_a_file(start: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "position.json"
    file.write_text(json.dumps(START_BOARD.to_json()))
    known = ["--known", str(start), "--position", str(file)]
    assert main(["read", str(start), "--corners", CORNERS, "--white-home", "bottom-right", *known]) == 0
    assert "6:W5" in capsys.readouterr().out


def test_debug_saves_pictures_of_the_steps(
    start: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = ["--known", str(start)]
    assert main(["read", str(start), "--corners", CORNERS, *known, "--debug", str(tmp_path / "steps")]) == 0
    saved = sorted(p.name for p in (tmp_path / "steps").iterdir())
    assert saved[0] == "start-1-field.png"
    assert len(saved) >= 5
    assert all(cv2.imread(str(tmp_path / "steps" / name)) is not None for name in saved)


@pytest.mark.parametrize(
    ("name", "content"),
    [("empty.jpg", b""), ("text.jpg", b"not a picture"), ("cut.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF")],
)
def test_what_is_no_picture_gets_one_line(
    name: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert main(["read", str(path), "--corners", CORNERS]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert name in error


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["missing.jpg"], "No such file"),
        (["--corners", "1,2,3"], "eight numbers"),
        (["--corners", "9000,0,9100,0,9100,90,9000,90"], "outside"),
        (["--corners", "100,100,900,600,900,100,100,600"], "cross"),
        (["--corners", CORNERS, "--white-home", "north"], "bottom-right"),
        (["--corners", CORNERS, "--known", "START", "--position", "sixteen"], "sixteen"),
    ],
)
def test_bad_input_gets_one_line_and_exit_1(
    arguments: list[str], complaint: str, start: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(start) if a == "START" else a for a in arguments]
    images = [] if arguments[0] == "missing.jpg" else [str(start)]
    assert main(["read", *images, *given]) == 1
    captured = capsys.readouterr()
    assert complaint in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_sixteen_checkers_are_refused(start: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "many.json"
    file.write_text(json.dumps({"points": [16] + [0] * 23, "bar": {"white": 0, "black": 0}}))
    assert main(["read", str(start), "--corners", CORNERS, "--known", str(start), "--position", str(file)]) == 1
    assert "16 checkers" in capsys.readouterr().err


def test_a_tiny_picture_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tiny.png"
    cv2.imwrite(str(path), np.zeros((4, 4, 3), np.uint8))
    assert main(["read", str(path), "--corners", "0,0,3,0,3,3,0,3"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
