"""`barpoint check`."""

import json
from pathlib import Path

import pytest

from controller.cli import main

DATA = Path(__file__).parents[1] / "records" / "data"


def test_a_clean_match_is_told_game_by_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(DATA / "club.mat")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Ann Lee - Bob, match to 5, score ")
    assert [line.split(":")[0] for line in lines[1:]] == ["game 1", "game 2", "game 3", "game 4"]


def test_json_has_the_agreed_shape(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(DATA / "club.mat"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["length"] == 5
    assert told["players"] == ["Ann Lee", "Bob"]
    assert told["score"] == [sum(g["points"] for g in told["games"] if g["winner"] == who) for who in (0, 1)]
    for game in told["games"]:
        assert game["winner"] in (0, 1)
        assert game["turns"] > 0
        assert game["problems"] == []


def test_an_illegal_play_is_named_with_line_and_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    match = tmp_path / "wrong.mat"
    match.write_text(
        " 3 point match\n\n Game 1\n Ann : 0                        Bob : 0\n"
        "  1) 31: 8/5 6/5                 42: 8/4 6/4\n  2) 65: 24/18 24/20\n"
    )
    assert main(["check", str(match), "--json"]) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    (problem,) = game["problems"]
    assert problem == {
        "line": 6,
        "turn": 3,
        "player": "white",
        "action": "65: 24/20 24/18",
        "reason": "24/20 is no move with 65",
    }
    assert main(["check", str(match)]) == 0
    assert "line 6, game 1, turn 3, white 65: 24/20 24/18: 24/20 is no move with 65" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content"),
    [("none.mat", None), ("empty.mat", b""), ("text.sgf", b"hello"), ("text.json", b"{"), ("a.xg", b"x")],
)
def test_what_cannot_be_read_is_one_line_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert main(["check", str(tmp_path / name)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert name in told.err


def test_a_file_is_needed() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check"])
    assert ended.value.code == 2
