"""`barpoint convert`."""

from pathlib import Path

import pytest

from controller.cli import main
from controller.records import read_record

DATA = Path(__file__).parents[1] / "records" / "data"


@pytest.mark.parametrize("source", ["club.mat", "site.txt", "club.sgf", "club.json"])
@pytest.mark.parametrize("ending", [".mat", ".txt", ".sgf", ".json"])
def test_every_format_becomes_every_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str, ending: str
) -> None:
    target = tmp_path / f"out{ending}"
    assert main(["convert", str(DATA / source), str(target)]) == 0
    before = read_record((DATA / source).read_bytes(), source).record
    after = read_record(target.read_bytes(), target.name).record
    assert after.score == before.score
    assert [game.turns for game in after.games] == [game.turns for game in before.games]
    assert capsys.readouterr().out == ""


def test_what_is_wrong_or_not_held_is_said_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(DATA / "odd.mat"), str(tmp_path / "odd.mat")]) == 0
    told = capsys.readouterr().err
    assert "odd.mat: line " in told


def test_an_unknown_ending_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(DATA / "club.mat"), str(tmp_path / "out.xg")]) == 1
    assert "must be one of" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_bad_file_leaves_the_target_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad, target = tmp_path / "bad.mat", tmp_path / "out.sgf"
    bad.write_text("nothing\n")
    target.write_text("before")
    assert main(["convert", str(bad), str(target)]) == 1
    assert target.read_text() == "before"
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_folder_that_is_not_there_is_one_line_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", str(DATA / "club.mat"), str(tmp_path / "no" / "out.mat")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
