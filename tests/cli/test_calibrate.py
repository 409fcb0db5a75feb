"""`barpoint calibrate` finds a board by itself, says how good it is, and makes the sheet of markers at scale."""

import subprocess
from pathlib import Path

import cv2
import pytest

from controller.board import START_BOARD, Scene
from controller.cli import main
from vision.markers import find_markers
from vision.simulated import SimulatedCamera


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("calibrate") / "start.png"
    cv2.imwrite(str(path), SimulatedCamera(seed=4).picture(Scene(START_BOARD)))
    return path


def test_a_board_with_markers_is_found_and_judged(picture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "--source", str(picture)]) == 0
    out = capsys.readouterr().out
    assert "contrast" in out
    assert 'white_home = "bottom-right"' in out
    corners = [float(v) for v in out.split("corners = [")[1].split("]")[0].split(",")]
    true = [v for corner in SimulatedCamera(seed=4).corners_px for v in corner]
    assert max(abs(a - b) for a, b in zip(corners, true, strict=True)) < 10


@pytest.mark.parametrize("corners", ["1,2,3", "0,0,5000,0,5000,500,0,500", "100,100,900,600,900,100,100,600"])
def test_corners_that_cannot_be_are_one_clear_line(
    picture: Path, corners: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "--source", str(picture), "--corners", corners]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_the_marker_sheet_has_the_four_markers_at_their_true_size(tmp_path: Path) -> None:
    sheet = tmp_path / "markers.pdf"
    assert main(["calibrate", "--markers", str(sheet)]) == 0
    subprocess.run(
        ["pdftoppm", "-r", "100", "-png", "-singlefile", str(sheet), str(tmp_path / "page")], check=True
    )
    image = cv2.imread(str(tmp_path / "page.png"))
    found = find_markers(image)
    assert sorted(found) == [0, 1, 2, 3]
    for corners in found.values():
        side_mm = float(((corners[0] - corners[1]) ** 2).sum()) ** 0.5 / 100 * 25.4
        assert side_mm == pytest.approx(36, abs=0.6)


def test_a_sheet_of_another_kind_or_place_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "--markers", str(tmp_path / "markers.doc")]) == 1
    assert main(["calibrate", "--markers", str(tmp_path / "none/markers.pdf")]) == 1
    assert capsys.readouterr().err.count("\n") == 2
