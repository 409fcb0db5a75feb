"""Print flash and RAM of each ELF against its budget; exit 1 when one is over.

RAM is what is taken before the first call (data, bss and noinit); the rest is for the stack.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Budget:
    """What a chip has, in bytes, and how much of its RAM may be static, 0 to 1."""

    flash: int
    ram: int
    ram_share: float
    boot_loader: int


BUDGETS = {
    "atmega2560": Budget(flash=256 * 1024, ram=8 * 1024, ram_share=0.60, boot_loader=8 * 1024),
    "atmega328p": Budget(flash=32 * 1024, ram=2 * 1024, ram_share=0.75, boot_loader=2 * 1024),
}


def sections(elf: Path) -> dict[str, int]:
    """Return the size of each section of an ELF, in bytes."""
    listing = subprocess.run(["avr-size", "-A", elf], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listing.splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) == 3 and row[0].startswith(".")}


def report(elf: Path) -> tuple[str, bool]:
    """Return one line about an ELF, and whether it keeps its budget."""
    chip = elf.stem.removeprefix("barpoint-")
    budget = BUDGETS[chip]
    size = sections(elf)
    flash = size.get(".text", 0) + size.get(".data", 0)
    ram = size.get(".data", 0) + size.get(".bss", 0) + size.get(".noinit", 0)
    flash_limit = budget.flash - budget.boot_loader
    ram_limit = int(budget.ram * budget.ram_share)
    fits = flash <= flash_limit and ram <= ram_limit
    line = (
        f"{chip}: flash {flash} of {flash_limit} B ({flash / flash_limit:.0%}), "
        f"RAM {ram} of {budget.ram} B ({ram / budget.ram:.1%}, at most {budget.ram_share:.0%})"
    )
    return line + ("" if fits else "  OVER BUDGET"), fits


def main(arguments: list[str]) -> int:
    """Report on each ELF named; return the exit code."""
    reports = [report(Path(name)) for name in arguments]
    for line, _ in reports:
        print(line)
    return 0 if all(fits for _, fits in reports) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
