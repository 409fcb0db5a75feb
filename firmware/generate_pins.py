"""Generate ``src/avr/pins_gen.h`` from ``pins.toml``.

Usage::

    python firmware/generate_pins.py            # write the committed header
    python firmware/generate_pins.py --check    # exit 1 when it is not current
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "pins.toml"
HEADER = HERE / "src" / "avr" / "pins_gen.h"
MACROS = {"atmega2560": "__AVR_ATmega2560__", "atmega328p": "__AVR_ATmega328P__"}
DIRECTIONS = ("in", "out", "analog", "serial")


class PinError(ValueError):
    """``pins.toml`` contradicts itself; the message says where."""


@dataclass(frozen=True)
class Group:
    """Neighbouring pins of one port.

    Attributes:
        name: what they are for.
        port: its letter.
        bit: the first bit.
        direction: ``"in"``, ``"out"``, ``"analog"`` or ``"serial"``.
        wires: what is connected, from `bit` on.
        printed: what stands beside each pin on the Arduino board.
        note: how it is connected.
    """

    name: str
    port: str
    bit: int
    direction: str
    wires: tuple[str, ...]
    printed: tuple[str, ...]
    note: str


@dataclass(frozen=True)
class Chip:
    """All pins of one chip."""

    name: str
    title: str
    groups: tuple[Group, ...]


def load(path: Path) -> tuple[Chip, ...]:
    """Return the checked pins of each chip.

    Raises:
        PinError: two wires share a pin, a group leaves its port, or a pin has no printed name.
    """
    chips = []
    for name, source in tomllib.loads(path.read_text(encoding="utf-8")).items():
        groups = tuple(
            Group(
                name=group["name"],
                port=group["port"],
                bit=group["bit"],
                direction=group["direction"],
                wires=tuple(group["wires"]),
                printed=tuple(group["printed"]),
                note=group["note"],
            )
            for group in source["group"]
        )
        chips.append(Chip(name, source["title"], groups))
        _check(chips[-1])
    return tuple(chips)


def _check(chip: Chip) -> None:
    taken: dict[tuple[str, int], str] = {}
    for group in chip.groups:
        where = f"pins.toml: {chip.name} {group.name}"
        if group.direction not in DIRECTIONS:
            raise PinError(f"{where}: direction is one of {', '.join(DIRECTIONS)}, got {group.direction}")
        if len(group.wires) != len(group.printed):
            raise PinError(f"{where}: {len(group.wires)} wires, {len(group.printed)} printed names")
        for offset in range(len(group.wires)):
            pin = (group.port, group.bit + offset)
            if pin[1] > 7:
                raise PinError(f"{where}: port {group.port} has no bit {pin[1]}")
            if pin in taken:
                raise PinError(f"{where}: P{pin[0]}{pin[1]} already belongs to {taken[pin]}")
            taken[pin] = group.name
    printed = [p for g in chip.groups for p in g.printed]
    if len(set(printed)) != len(printed):
        raise PinError(f"pins.toml: {chip.name}: a printed name stands twice")


def header(chips: tuple[Chip, ...]) -> str:
    """Return the C header: for the firmware the registers of its chip, for the test bench the pins of both."""
    return "\n".join([*_lines(chips), ""])


def _lines(chips: tuple[Chip, ...]) -> Iterator[str]:
    yield "/* Generated from pins.toml by generate_pins.py; do not edit. */"
    yield "#ifndef PINS_GEN_H"
    yield "#define PINS_GEN_H"
    for chip in chips:
        yield from ("", f"/* {chip.title} */")
        for group in chip.groups:
            stem = f"{chip.name}_{group.name}".upper()
            yield f"#define {stem}_LETTER '{group.port}'"
            yield f"#define {stem}_BIT {group.bit}"
            yield f"#define {stem}_COUNT {len(group.wires)}"
    for number, chip in enumerate(chips):
        yield from ("", f"#{'elif' if number else 'if'} defined({MACROS[chip.name]})")
        for group in chip.groups:
            stem = group.name.upper()
            yield f"#define {stem}_PORT PORT{group.port}"
            yield f"#define {stem}_DDR DDR{group.port}"
            yield f"#define {stem}_PIN PIN{group.port}"
            yield f"#define {stem}_BIT {group.bit}"
            mask = ((1 << len(group.wires)) - 1) << group.bit
            yield f"#define {stem}_MASK 0x{mask:02x}u"
    yield from ("", "#endif", "#endif")


def main(arguments: list[str]) -> int:
    """Run the generator; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the committed header is current")
    options = parser.parse_args(arguments)
    text = header(load(SOURCE))
    if HEADER.exists() and HEADER.read_text(encoding="utf-8") == text:
        return 0
    if options.check:
        print("firmware/src/avr/pins_gen.h is not current: run firmware/generate_pins.py", file=sys.stderr)
        return 1
    HEADER.write_text(text, encoding="utf-8")
    print("wrote firmware/src/avr/pins_gen.h")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
