"""What hardware/ tells a builder follows from firmware and controller, and its arithmetic holds."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from controller.hardware.link import STABLE_NAME
from controller.hardware.sensors import CELLS

ROOT = Path(__file__).resolve().parents[2]
HARDWARE = ROOT / "hardware"


@pytest.fixture(scope="module")
def generate() -> Iterator[ModuleType]:
    sys.path.insert(0, str(HARDWARE))
    yield importlib.import_module("generate")
    sys.path.remove(str(HARDWARE))


def test_tables_and_pictures_agree_with_firmware_and_controller(generate: ModuleType) -> None:
    assert generate.stale() == [], "run python hardware/generate.py"


def test_a_pin_that_moves_makes_them_stale(
    generate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = tmp_path / "pins.toml"
    text = (ROOT / "firmware/pins.toml").read_text(encoding="utf-8")
    moved.write_text(text.replace('"D5"', '"D6"', 1), encoding="utf-8")
    monkeypatch.setattr(generate.pins, "SOURCE", moved)
    assert generate.stale() == ["README.md", "wiring-atmega2560.svg"]


def test_every_pin_of_the_firmware_stands_in_table_and_picture() -> None:
    readme = (HARDWARE / "README.md").read_text(encoding="utf-8")
    for chip, source in tomllib.loads((ROOT / "firmware/pins.toml").read_text(encoding="utf-8")).items():
        picture = "".join(ET.parse(HARDWARE / f"wiring-{chip}.svg").getroot().itertext())
        for group in source["group"]:
            for printed, wire in zip(group["printed"], group["wires"], strict=True):
                assert re.search(rf"\| {printed} \| P\w\d \| .* \| {wire.replace('_', ' ')} \|", readme)
                assert printed in picture
                assert wire.replace("_", " ") in picture


def test_the_map_shows_every_cell_once() -> None:
    words = [text.strip() for text in ET.parse(HARDWARE / "cells.svg").getroot().itertext()]
    numbers = [int(word) for word in words if word.isdigit()]
    points = list(range(1, 25))
    assert sorted(numbers) == sorted([*range(CELLS), *points])


def test_the_whole_field_is_in_the_picture_at_the_heights_of_the_table(generate: ModuleType) -> None:
    cameras = generate.cameras
    for board in cameras.BOARDS:
        for camera in cameras.CAMERAS:
            height_mm = cameras.least_height_mm(board, camera)
            assert cameras.pixels(camera, height_mm, board.width_mm) <= camera.width_px / 1.09
            assert cameras.pixels(camera, height_mm, board.height_mm) <= camera.height_px / 1.09
            lower = cameras.pixels(camera, height_mm * 0.8, 1.1 * board.width_mm)
            along = cameras.pixels(camera, height_mm * 0.8, 1.1 * board.height_mm)
            assert lower > camera.width_px or along > camera.height_px, "no lower height would do"


def test_the_model_of_a_magnet_agrees_with_the_formula_on_its_axis(generate: ModuleType) -> None:
    magnets = generate.magnets
    for diameter, height, gap in magnets.SIZES:
        radius = diameter / 2
        far = (gap + height) / (radius**2 + (gap + height) ** 2) ** 0.5
        near = gap / (radius**2 + gap**2) ** 0.5
        gauss = magnets.REMANENCE_T / 2 * (far - near) * 10_000
        expected = gauss * magnets.MV_PER_GAUSS * magnets.COUNTS_PER_MV
        assert magnets.counts_at(diameter, height, gap, 0) == pytest.approx(expected, rel=0.02)


def test_thresholds_caps_and_numbers_are_those_of_the_firmware(generate: ModuleType) -> None:
    headers = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "firmware/src/core").glob("*.h"))
    for name, value in (
        ("CELL_ON_COUNTS", generate.magnets.ON_COUNTS),
        ("CELL_OFF_COUNTS", generate.magnets.OFF_COUNTS),
    ):
        found = re.search(rf"#define {name} (\d+)", headers)
        assert found is not None
        assert int(found[1]) == value
    assert generate.power.CELLS == CELLS


def test_fuses_carry_what_they_must_and_the_lights_fuse_blows_without_the_cap(generate: ModuleType) -> None:
    power = generate.power
    for kit in ("b", "c"):
        load = power.total_ma(kit)
        assert power.supply_a(load) * 1000 > load
        assert load / 1000 < power.fuse_a(load) <= power.supply_a(load)
    assert 1.9 * power.fuse_a(power.CAP_MA) < power.LIGHTS * power.LIGHT_MA / 1000


def test_the_udev_rule_gives_the_name_that_the_link_looks_for() -> None:
    rules = (ROOT / "deploy/99-barpoint.rules").read_text(encoding="utf-8")
    lines = [line for line in rules.splitlines() if line and not line.startswith("#")]
    assert f'SYMLINK+="{STABLE_NAME.removeprefix("/dev/")}"' in rules
    for needed in ('ENV{ID_MM_DEVICE_IGNORE}="1"', 'GROUP="dialout"', 'MODE="0660"'):
        assert needed in rules
    part = r'[A-Z]+(\{[\w/]+\})?(==|!=|\+=|=)"[^"]*"'
    assert all(re.fullmatch(rf"{part}(, {part})*", line) for line in lines)
    labels = set(re.findall(r'LABEL="(\w+)"', rules))
    assert set(re.findall(r'GOTO="(\w+)"', rules)) == labels
