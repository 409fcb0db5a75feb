"""What a Hall sensor under the board sees of a magnet in a checker: a disc as two sheets of magnetic charge.

A model, not a measurement. Run ``python hardware/generate.py`` to renew the table in README.md.
"""

from __future__ import annotations

import functools
import math

REMANENCE_T = 1.19
"""N35, the middle of 1.17 to 1.21 T."""

MV_PER_GAUSS = 1.4
COUNTS_PER_MV = 1024 / 5000
"""SS49E at 5 V, typical; 10 bit converter with the 5 V supply as its reference."""

ON_COUNTS = 60
OFF_COUNTS = 35
"""Of the firmware: firmware/src/core/sensors.h."""

CHECKER_MM = 10.0
"""Thickness of a checker: a second one lies so much higher."""

SIZES = ((8, 3, 5), (10, 3, 5), (15, 3, 5), (15, 3, 7), (20, 3, 5), (20, 3, 3))
"""Diameter, height and gap from magnet to chip, millimetres."""

RINGS, SECTORS = 12, 36


def counts_at(diameter_mm: float, height_mm: float, gap_mm: float, aside_mm: float) -> float:
    """Return what the converter reads beyond its baseline.

    Args:
        diameter_mm: of the magnet.
        height_mm: of the magnet.
        gap_mm: from its lower face to the chip's sensing plane.
        aside_mm: from its axis to the chip.
    """
    tesla = _sheet(diameter_mm, gap_mm, aside_mm) - _sheet(diameter_mm, gap_mm + height_mm, aside_mm)
    return tesla * 10_000 * MV_PER_GAUSS * COUNTS_PER_MV


@functools.lru_cache(maxsize=4096)
def _sheet(diameter_mm: float, away_mm: float, aside_mm: float) -> float:
    """Return the vertical field below one evenly charged disc, tesla."""
    total = 0.0
    step = diameter_mm / 2 / RINGS
    for ring in range(RINGS):
        radius = (ring + 0.5) * step
        area = radius * step * 2 * math.pi / SECTORS
        for sector in range(SECTORS):
            angle = 2 * math.pi * (sector + 0.5) / SECTORS
            across = radius * math.cos(angle) - aside_mm
            distance = math.sqrt(across**2 + (radius * math.sin(angle)) ** 2 + away_mm**2)
            total += away_mm / distance**3 * area
    return REMANENCE_T / (4 * math.pi) * total


def checker_counts(diameter_mm: float, height_mm: float, gap_mm: float, aside_mm: float, layer: int = 0) -> float:
    """Return what a checker gives that has a magnet in each face, both with the same pole outside.

    It may lie with either face down. The upper magnet points the other way and takes away a little.

    Args:
        diameter_mm: of each magnet.
        height_mm: of each magnet.
        gap_mm: from the lower magnet of a checker on the field to the chip.
        aside_mm: from its axis to the chip.
        layer: 0 on the field, 1 on top of another checker.
    """
    lower = gap_mm + layer * CHECKER_MM
    upper = lower + CHECKER_MM - height_mm
    return counts_at(diameter_mm, height_mm, lower, aside_mm) - counts_at(diameter_mm, height_mm, upper, aside_mm)


def reach_mm(diameter_mm: float, height_mm: float, gap_mm: float) -> float:
    """Return how far from the chip a checker may stand and is still felt."""
    aside = 0.0
    while checker_counts(diameter_mm, height_mm, gap_mm, aside + 0.5) >= ON_COUNTS:
        aside += 0.5
    return aside


def worst_reverse(diameter_mm: float, height_mm: float, gap_mm: float) -> float:
    """Return the strongest reading of the other color that a checker standing aside gives; negative."""
    return min(checker_counts(diameter_mm, height_mm, gap_mm, aside) for aside in range(8, 40))


def table() -> str:
    """Return the table of README.md."""
    lines = [
        "| magnet in each face, gap to the chip | above the chip (one magnet alone) | felt within | "
        "reads as the other color, at worst | a second checker on top adds | the next slot, 40 mm away |",
        "|---|---|---|---|---|---|",
    ]
    for diameter, height, gap in SIZES:
        middle = checker_counts(diameter, height, gap, 0)
        alone = counts_at(diameter, height, gap, 0)
        second = checker_counts(diameter, height, gap, 0, layer=1)
        far = checker_counts(diameter, height, gap, 40)
        worst = worst_reverse(diameter, height, gap)
        reach = reach_mm(diameter, height, gap)
        lines.append(
            f"| {diameter} x {height} mm, {gap} mm | {middle:.0f} ({alone:.0f}) counts | {reach:.1f} mm | "
            f"{worst:.0f} | {second:.0f} | {far:.1f} |"
        )
    return "\n".join(lines)
