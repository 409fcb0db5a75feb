"""The wheel holds exactly what it should and works in an environment of its own, away from the checkout."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.packaging, pytest.mark.xdist_group("packaging")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(ROOT)], check=True)
    (path,) = out.glob("*.whl")
    return path


def test_wheel_holds_the_three_packages_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"controller", "vision", "api"}
    assert {"controller/py.typed", "vision/py.typed", "api/py.typed"} <= set(names)
    assert any(name.startswith("api/static/") for name in names)
    assert {
        "vision/checker_net.onnx",
        "vision/dice_net.onnx",
        "vision/dice_finder.onnx",
        "controller/records/schema.json",
    } <= set(names)


def test_installed_wheel_lists_the_plays_of_an_opening_roll(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "env"
    venv.create(home, with_pip=True)
    subprocess.run([home / "bin/pip", "install", "--quiet", str(wheel)], check=True)
    empty = tmp_path / "empty"
    empty.mkdir()
    done = subprocess.run(
        [home / "bin/barpoint", "plays", "start", "31"], cwd=empty, capture_output=True, text=True, check=True
    )
    assert len(done.stdout.splitlines()) == 16
    assert any(line.startswith("8/5 6/5 ") for line in done.stdout.splitlines())
    help_text = subprocess.run(
        [home / "bin/barpoint", "--help"], cwd=empty, capture_output=True, text=True, check=True
    )
    assert "simulate" in help_text.stdout
