"""Renew the computed tables of README.md and the pictures beside it.

Usage::

    python hardware/generate.py            # write them
    python hardware/generate.py --check    # exit 1 and name what is not current
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

from controller.hardware.sensors import BAR_SLOTS, CELLS, SLOTS, TRAY_SLOTS, place_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
README = HERE / "README.md"
CELLS_A_MUX = 16


def _load(path: Path) -> ModuleType:
    """Return a module that lies in no package."""
    spec = importlib.util.spec_from_file_location(f"barpoint_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


cameras, magnets, power, pictures = (
    _load(HERE / f"{name}.py") for name in ("cameras", "magnets", "power", "pictures")
)
pins = _load(ROOT / "firmware/generate_pins.py")


def cell_table() -> str:
    """Return which cells hang on which mux, in words."""
    lines = ["| mux | cells | channel 0 | channel 15 |", "|---|---|---|---|"]
    for mux in range(CELLS // CELLS_A_MUX):
        first, last = mux * CELLS_A_MUX, mux * CELLS_A_MUX + CELLS_A_MUX - 1
        lines.append(f"| {mux} | {first} to {last} | {place_of(first)} | {place_of(last)} |")
    return "\n".join(lines)


def blocks() -> dict[str, str]:
    """Return the computed parts of README.md by name."""
    chips = pins.load(pins.SOURCE)
    return {
        "cameras": cameras.table(),
        "pins": "\n\n".join(pictures.pin_table(chip.title, chip.groups) for chip in chips),
        "power": power.table(),
        "magnets": magnets.table(),
        "cells": cell_table(),
    }


def drawings() -> dict[str, str]:
    """Return the pictures by file name."""
    found = {
        f"wiring-{chip.name}.svg": pictures.wiring(chip.title, chip.groups) for chip in pins.load(pins.SOURCE)
    }
    load = power.total_ma("c")
    found["power.svg"] = pictures.power(
        power.supply_a(load),
        power.fuse_a(load),
        power.fuse_a(power.CAP_MA),
        power.fuse_a(power.CELLS * 6),
    )
    found["cells.svg"] = pictures.cell_map(SLOTS, BAR_SLOTS, TRAY_SLOTS)
    found["magnet.svg"] = pictures.geometry(40, 5)
    return found


def filled(text: str) -> str:
    """Return README.md with its computed parts renewed.

    Raises:
        ValueError: a part has no place in it.
    """
    for name, block in blocks().items():
        place = re.compile(rf"(<!-- computed: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        if place.search(text) is None:
            raise ValueError(f"README.md has no place for {name}")
        escaped = block.replace("\\", r"\\")
        text = place.sub(rf"\g<1>{escaped}\n\g<2>", text)
    return text


def stale() -> list[str]:
    """Return the names of files that are not current."""
    text = README.read_text(encoding="utf-8")
    found = [] if filled(text) == text else [README.name]
    for name, drawing in drawings().items():
        path = HERE / name
        if not path.exists() or path.read_text(encoding="utf-8") != drawing:
            found.append(name)
    return found


def main(arguments: list[str]) -> int:
    """Write or check everything."""
    parser = argparse.ArgumentParser(description="Renew tables and pictures of hardware/")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when something is not current")
    if parser.parse_args(arguments).check:
        for name in (old := stale()):
            sys.stderr.write(f"hardware/{name} is not current: run python hardware/generate.py\n")
        return 1 if old else 0
    README.write_text(filled(README.read_text(encoding="utf-8")), encoding="utf-8")
    for name, drawing in drawings().items():
        (HERE / name).write_text(drawing, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
