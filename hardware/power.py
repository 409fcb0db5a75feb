"""The power budget: what each part draws at most from the 5 V supply, and the fuses that follow.

Run ``python hardware/generate.py`` to renew the tables in README.md.
"""

from __future__ import annotations

from dataclasses import dataclass

CAP_MA = 1000
"""Of all lights together; the firmware scales them down to it (`configure` in controller/hardware/parts.py)."""

LIGHTS = 52
LIGHT_MA = 60
CELLS = 192
PIPS = 28
FUSES_A = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.5)
SUPPLIES_A = (2.0, 3.0, 4.0, 5.0, 8.0)


@dataclass(frozen=True)
class Draw:
    """A part of the board and what it draws at most, milliamperes."""

    part: str
    kit_b_ma: int
    kit_c_ma: int
    why: str


DRAWS = (
    Draw(
        "lights",
        CAP_MA,
        CAP_MA,
        f"cap of the firmware; {LIGHTS} x {LIGHT_MA} mA = {LIGHTS * LIGHT_MA / 1000:.1f} A without it",
    ),
    Draw("dice", PIPS * 12, PIPS * 12, f"{PIPS} LEDs of 12 mA, all four dice showing more than they can"),
    Draw("Mega 2560", 80, 80, "from USB, not from this supply; counted for a supply that feeds both"),
    Draw("buzzer, buttons", 30, 30, "piezo at its loudest"),
    Draw("sensor array", 0, CELLS * 6, f"{CELLS} x 6 mA typical (SS49E), always on"),
    Draw("multiplexers", 0, 5, "12 x CD74HC4067, almost nothing"),
)


def total_ma(kit: str) -> int:
    """Return what kit ``"b"`` or ``"c"`` draws at most, milliamperes."""
    return sum(draw.kit_b_ma if kit == "b" else draw.kit_c_ma for draw in DRAWS)


def fuse_a(load_ma: float) -> float:
    """Return the smallest usual fuse that carries a load for ever: three quarters of what is printed on it."""
    return next(fuse for fuse in FUSES_A if fuse * 0.75 >= load_ma / 1000)


def supply_a(load_ma: float) -> float:
    """Return the smallest usual supply with a quarter in hand."""
    return next(supply for supply in SUPPLIES_A if supply * 0.8 >= load_ma / 1000)


def table() -> str:
    """Return the tables of README.md."""
    lines = ["| part | kit B | kit C | why |", "|---|---|---|---|"]
    lines += [f"| {d.part} | {d.kit_b_ma} mA | {d.kit_c_ma} mA | {d.why} |" for d in DRAWS]
    b, c = total_ma("b"), total_ma("c")
    lines.append(f"| **together** | **{b} mA** | **{c} mA** | |")
    lines.append(f"| supply, 5 V | {supply_a(b):g} A | {supply_a(c):g} A | a quarter in hand |")
    lines.append(
        f"| main fuse | {fuse_a(b):g} A | {fuse_a(c):g} A | right behind the supply; carries 75 % for ever |"
    )
    lights = fuse_a(CAP_MA)
    lines.append(
        f"| fuse of the lights | {lights:g} A | {lights:g} A | blows when the cap fails and all 52 are white |"
    )
    cells = fuse_a(CELLS * 6)
    lines.append(f"| fuse of the array | none | {cells:g} A | |")
    return "\n".join(lines)
