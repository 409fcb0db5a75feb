"""Wiring pictures and maps as SVG, drawn from firmware/pins.toml and the cell map of the controller."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Protocol

INK, FAINT, PAPER = "#1f2430", "#8a8f9c", "#ffffff"
COLORS = {"in": "#1a7f5a", "out": "#b4451f", "analog": "#2f5fb3", "serial": "#7a3fa0"}
KINDS = {"in": "input with pull-up", "out": "output", "analog": "analog input", "serial": "serial"}
MUX_COLORS = tuple(f"hsl({mux * 150 % 360},{70 - mux % 2 * 30}%,{86 - mux % 3 * 5}%)" for mux in range(12))
ROW, TOP, GAP = 19, 96, 26


class Pins(Protocol):
    """A group of pins; `Group` of firmware/generate_pins.py is one."""

    name: str
    port: str
    bit: int
    direction: str
    wires: tuple[str, ...]
    printed: tuple[str, ...]
    note: str


class Drawing:
    """Elements of one picture."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._width, self._height, self._title = width, height, title
        self._parts: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, fill: str = PAPER, line: str = INK) -> None:
        """Add a rectangle with round corners."""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
            f'rx="4" fill="{fill}" stroke="{line}"/>'
        )

    def line(self, points: Sequence[tuple[float, float]], color: str = INK, width: float = 1.6) -> None:
        """Add a line through points."""
        way = " ".join(f"{x:g},{y:g}" for x, y in points)
        self._parts.append(f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="{width:g}"/>')

    def shape(self, points: Sequence[tuple[float, float]], fill: str) -> None:
        """Add a filled shape."""
        way = " ".join(f"{x:g},{y:g}" for x, y in points)
        self._parts.append(f'<polygon points="{way}" fill="{fill}"/>')

    def disc(self, x: float, y: float, radius: float, fill: str, line: str = INK) -> None:
        """Add a disc."""
        self._parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{line}"/>')

    def text(self, x: float, y: float, words: str, size: int = 12, at: str = "start", color: str = INK) -> None:
        """Add a line of text; `at` is where its anchor lies: ``start``, ``middle`` or ``end``."""
        weight = ' font-weight="bold"' if size > 13 else ""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{at}" fill="{color}"{weight}>'
            f"{escape(words)}</text>"
        )

    def svg(self) -> str:
        """Return the picture."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self._width}" height="{self._height}" '
            f'viewBox="0 0 {self._width} {self._height}" font-family="DejaVu Sans, sans-serif" role="img" '
            f'aria-label="{escape(self._title)}">'
        )
        title = f"<title>{escape(self._title)}</title>"
        ground = f'<rect width="{self._width}" height="{self._height}" fill="{PAPER}"/>'
        return "\n".join([head, title, ground, *self._parts, "</svg>", ""])


def wiring(title: str, groups: Sequence[Pins]) -> str:
    """Return the wiring of one board: its pins on the left, what hangs on them on the right."""
    rows = sum(len(group.wires) * ROW + GAP + 16 for group in groups)
    drawing = Drawing(880, TOP + rows + 30, f"Wiring of the {title}")
    drawing.text(24, 34, f"Wiring: {title}", 18)
    for at, (kind, words) in enumerate(KINDS.items()):
        drawing.line([(24 + at * 190, 58), (52 + at * 190, 58)], COLORS[kind], 3)
        drawing.text(60 + at * 190, 62, words)
    drawing.box(24, TOP - 12, 190, rows + 8, "#eef1f6")
    y = float(TOP)
    for group in groups:
        y = _group(drawing, group, y)
    return drawing.svg()


def _group(drawing: Drawing, group: Pins, y: float) -> float:
    """Draw one group from `y` on; return where the next one begins."""
    color = COLORS[group.direction]
    height = len(group.wires) * ROW + 10
    drawing.text(36, y + 12, group.name.replace("_", " "), 12, color=FAINT)
    y += 16
    drawing.box(420, y, 200, height, "#fbf7ee", color)
    for at, (printed, wire) in enumerate(zip(group.printed, group.wires, strict=True)):
        middle = y + 5 + (at + 0.5) * ROW
        port = f"P{group.port}{group.bit + at}"
        drawing.text(160, middle + 4, printed, 13, "end")
        drawing.text(204, middle + 4, port, 10, "end", FAINT)
        drawing.disc(214, middle, 4, color, color)
        drawing.line([(214, middle), (420, middle)], color)
        drawing.disc(420, middle, 3, color, color)
        drawing.text(430, middle + 4, wire.replace("_", " "), 12)
    for at, words in enumerate(_folded(group.note, 34)):
        drawing.text(632, y + 15 + at * 15, words, 11)
    return y + height + GAP - 10


def _folded(words: str, width: int) -> list[str]:
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def power(supply: float, main: float, lights: float, cells: float) -> str:
    """Return how the supply, its fuses and the parts hang together."""
    drawing = Drawing(880, 430, "Power and ground")
    drawing.text(24, 34, "Power and ground, kit C (kit B: without the array)", 18)
    drawing.box(24, 90, 130, 70, "#eef1f6")
    drawing.text(89, 120, "5 V supply", 13, "middle")
    drawing.text(89, 140, f"{supply:g} A", 13, "middle")
    red, black = "#b4451f", INK
    drawing.line([(154, 105), (200, 105)], red, 3)
    _fuse(drawing, 200, 105, f"main fuse {main:g} A")
    drawing.line([(260, 105), (330, 105)], red, 3)
    drawing.line([(330, 105), (330, 255)], red, 3)
    branches = (
        (105, f"fuse {lights:g} A", "shunt 0.05 ohm, INA180A2", "52 lights", "1000 uF across the strip's start"),
        (180, f"fuse {cells:g} A", "", "192 Hall sensors, 12 mux", "100 nF at each mux"),
        (255, "", "", "dice: 2 x ULN2803 and LEDs", "180 ohm per LED"),
        (330, "", "", "buzzer (through 100 ohm)", "from its pin; no supply of its own"),
    )
    for y, fuse, between, name, note in branches:
        feeds = name.startswith(("52", "192", "dice"))
        if feeds:
            drawing.line([(330, y), (390, y)], red, 3)
        if fuse:
            _fuse(drawing, 390, y, fuse)
        if feeds:
            drawing.line([(450 if fuse else 390, y), (640, y)], red, 3)
        if between:
            drawing.box(465, y - 13, 160, 26, "#fbf7ee")
            drawing.text(545, y + 4, between, 10, "middle")
        drawing.box(640, y - 24, 216, 48, "#fbf7ee")
        drawing.text(650, y - 4, name, 12)
        drawing.text(650, y + 13, note, 10, color=FAINT)
        drawing.line([(856, y), (868, y), (868, 395)], black, 2)
    drawing.line([(89, 160), (89, 395), (868, 395)], black, 3)
    drawing.text(
        24,
        415,
        "ground: one star point at the supply; also the Mega's GND. The Mega and the Pi live from "
        "the Pi's own supply; their 5 V is not connected here.",
        11,
    )
    drawing.box(170, 215, 130, 60, "#eef1f6")
    drawing.text(235, 240, "Mega 2560", 13, "middle")
    drawing.text(235, 260, "5 V from USB", 11, "middle")
    drawing.line([(235, 275), (235, 395)], black, 2)
    return drawing.svg()


def _fuse(drawing: Drawing, x: float, y: float, words: str) -> None:
    drawing.box(x, y - 9, 60, 18, "#ffffff", "#b4451f")
    drawing.line([(x, y), (x + 60, y)], "#b4451f", 1.5)
    drawing.text(x + 30, y - 15, words, 11, "middle")


def cell_map(slots: int, bar_slots: int, tray_slots: int, per_mux: int = 16) -> str:
    """Return the field from above with its cells, numbered and colored by mux, and the lights of the points."""
    pitch, left, top = 44, 60, 124
    bar_x, tray_x = left + 6 * pitch, left + 13 * pitch + 26
    bottom = top + 13 * 30
    drawing = Drawing(tray_x + 130, bottom + 120, "Cells and lights of the board")
    drawing.text(24, 34, "Cells (number; color: mux) and lights, as White sits", 18)
    drawing.text(
        24,
        58,
        "Cell = mux x 16 + channel. Point p has cells 6(p-1) to 6(p-1)+5, the first at the rim. "
        "Light p-1 lies at the rim of point p.",
        11,
    )
    drawing.box(left - 14, top - 14, 13 * pitch + 28, 13 * 30 + 28, "#f7f3ea")
    for point in range(1, 25):
        column = 12 - point if point <= 12 else point - 13
        x = left + (column + (column >= 6)) * pitch + pitch / 2
        up = point > 12
        for slot in range(slots):
            y = top + 16 + slot * 29 if up else bottom - 16 - slot * 29
            _cell(drawing, x, y, (point - 1) * slots + slot, per_mux)
        edge = top - 26 if up else bottom + 34
        drawing.text(x, edge, str(point), 12, "middle")
        drawing.disc(x, top - 14 if up else bottom + 14, 4, "#2fbf71")
    first = 24 * slots
    for at in range(bar_slots):
        for side, x in ((0, bar_x + 11), (1, bar_x + 33)):
            _cell(drawing, x, top + 40 + at * 44, first + side * bar_slots + at, per_mux, 9)
    drawing.text(bar_x + 22, top + 16, "bar W B", 10, "middle")
    first += 2 * bar_slots
    for at in range(tray_slots):
        y = top + at * 25
        for side, x in ((0, tray_x + 20), (1, tray_x + 62)):
            _cell(drawing, x, y + 10, first + side * tray_slots + at, per_mux, 10)
    drawing.text(tray_x + 41, top - 18, "trays W B", 11, "middle")
    for mux in range(12):
        x = 24 + mux * 58
        drawing.box(x, bottom + 66, 52, 22, MUX_COLORS[mux], FAINT)
        drawing.text(x + 26, bottom + 81, f"mux {mux}", 11, "middle")
    drawing.text(
        24,
        bottom + 110,
        "Lights 24-27 bar (White, Black), 28-35 trays, 36-43 White's turn light, 44-51 "
        "Black's; one chain in this order.",
        11,
    )
    return drawing.svg()


def _cell(drawing: Drawing, x: float, y: float, number: int, per_mux: int, radius: float = 13) -> None:
    drawing.disc(x, y, radius, MUX_COLORS[number // per_mux], FAINT)
    drawing.text(x, y + 3.5, str(number), 9 if radius > 10 else 8, "middle")


def geometry(pitch_mm: float, gap_mm: float) -> str:
    """Return one point cut through: checkers, magnets, board and sensors."""
    scale, left, floor = 7.0, 70.0, 210.0
    drawing = Drawing(880, 330, "Magnet and sensor, cut through one point")
    drawing.text(24, 34, "One point cut through: magnets in the checkers, sensors under the field", 18)
    width = 2.6 * pitch_mm * scale
    thick = gap_mm - 1.0
    drawing.box(left - 30, floor, width + 60, thick * scale, "#e3c9a0")
    drawing.text(left + width - 180, floor + thick * scale / 2 + 4, f"field, {thick:g} mm wood", 12)
    drawing.box(left - 30, floor + gap_mm * scale + 4, width + 60, 10, "#3f7f5f")
    for slot in range(2):
        x = left + (slot + 0.5) * pitch_mm * scale
        for layer in range(2 if slot == 0 else 1):
            y = floor - (layer + 1) * 10 * scale
            drawing.box(x - 19 * scale, y, 38 * scale, 10 * scale, "#f5f1e8" if slot == 0 else "#4a3b32")
            for into in (0, 7):
                drawing.box(x - 7.5 * scale, y + into * scale, 15 * scale, 3 * scale, "#b9bec9")
            pole = "N outside" if slot == 0 else "S outside"
            drawing.text(x, y + 5.5 * scale, f"15 x 3 mm, {pole}", 11, "middle", INK if slot == 0 else PAPER)
        drawing.box(x - 2 * scale, floor + gap_mm * scale - 10, 4 * scale, 14, "#2b2f3a")
        drawing.text(x, floor + gap_mm * scale + 32, "SS49E", 11, "middle")
    first, second = (left + (slot + 0.5) * pitch_mm * scale for slot in range(2))
    y = floor + gap_mm * scale + 52
    drawing.line([(first, y), (second, y)], FAINT)
    drawing.text((first + second) / 2, y + 16, f"pitch = checker = {pitch_mm:g} mm", 12, "middle")
    drawing.line([(left - 45, floor), (left - 45, floor + gap_mm * scale)], FAINT)
    drawing.text(left - 64, floor - 8, f"gap {gap_mm:g} mm", 11)
    return drawing.svg()


def pin_table(title: str, groups: Iterable[Pins]) -> str:
    """Return the pins of one board as a table."""
    lines = [f"**{title}**", "", "| pin | port | for | wire | kind | how |", "|---|---|---|---|---|---|"]
    for group in groups:
        for at, (printed, wire) in enumerate(zip(group.printed, group.wires, strict=True)):
            note = group.note if at == 0 else ""
            port = f"P{group.port}{group.bit + at}"
            name = group.name.replace("_", " ")
            lines.append(
                f"| {printed} | {port} | {name} | {wire.replace('_', ' ')} | {KINDS[group.direction]} | {note} |"
            )
    return "\n".join(lines)
