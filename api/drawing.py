"""A position as one SVG file, for chats, reports and pages without JavaScript; it needs nothing beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

UNIT = 40
RADIUS = 18
STEP = 36
RIM = 26
BAR = 42
TRAY = 46
FIELD_HEIGHT = 430
STRIP = 34
VISIBLE = 5
WIDTH = 2 * RIM + 2 * TRAY + 12 * UNIT + BAR
HEIGHT = FIELD_HEIGHT + 2 * RIM + 2 * STRIP
TOP = STRIP + RIM
BOTTOM = TOP + FIELD_HEIGHT
MIDDLE = TOP + FIELD_HEIGHT / 2
FIELD_X = RIM + TRAY

Theme = Literal["dark", "light", "contrast"]

_DOTS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


@dataclass(frozen=True, slots=True)
class Colors:
    """The colors of one theme, as SVG writes them."""

    page: str
    text: str
    soft: str
    accent: str
    frame: str
    field: str
    tray: str
    bar: str
    light: str
    dark: str
    number: str


THEMES: Mapping[str, Colors] = {
    "dark": Colors(
        "#17130f", "#f3e9da", "#b9a892", "#f0b64a", "#58391f", "#24433f", "#1b2d2b", "#4a2f1a", "#d8b888",
        "#96452f", "#e9d3ae",
    ),
    "light": Colors(
        "#fbf7ef", "#2b2118", "#6d5c49", "#0b6fb8", "#925f37", "#f1e4cb", "#dcc7a0", "#754824", "#d3a364",
        "#8e4631", "#fff3dd",
    ),
    "contrast": Colors(
        "#000", "#fff", "#fff", "#ff0", "#222", "#000", "#000", "#222", "#8a8a8a", "#4a4a4a", "#fff",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class View:
    """How the board is seen.

    Attributes:
        bottom: the player at the bottom.
        home: the side on which both home boards lie.
        theme: colors.
        width_px: width of the picture on a page; the height follows.
    """

    bottom: Literal["white", "black"] = "white"
    home: Literal["right", "left"] = "right"
    theme: Theme = "dark"
    width_px: int = 800

    def number(self, site: int) -> int:
        """Return the number of a site as the bottom player counts."""
        return site if self.bottom == "white" else 25 - site

    def x(self, site: int) -> float:
        """Return the middle of a site's column."""
        number = self.number(site)
        column = 12 - number if number <= 12 else number - 13
        if self.home == "left":
            column = 11 - column
        return FIELD_X + column * UNIT + (BAR if column >= 6 else 0) + UNIT / 2

    def up(self, site: int) -> bool:
        """Tell whether a site's point hangs from the upper rim."""
        return self.number(site) > 12


def draw_svg(snapshot: Mapping[str, Any], view: View) -> str:
    """Return the drawing of one snapshot (its JSON values) as an SVG document.

    Names of players are escaped; whatever they hold is shown as text.
    """
    colors = THEMES[view.theme]
    height_px = round(view.width_px * HEIGHT / WIDTH)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{view.width_px}" '
        f'height="{height_px}" role="img" font-family="system-ui, DejaVu Sans, sans-serif" font-weight="600">',
        f"<title>{_title(snapshot)}</title>",
        _rect(0, 0, WIDTH, HEIGHT, colors.page),
        *_board(view, colors),
        *_checkers(snapshot, view, colors),
        *_cube(snapshot, view),
        *_dice(snapshot, view),
        *_arrows(snapshot, view, colors),
        *_strips(snapshot, view, colors),
        "</svg>",
    ]
    return "".join(parts)


def _title(snapshot: Mapping[str, Any]) -> str:
    players = snapshot["players"]
    return escape(f"{players['white']} – {players['black']}, {snapshot['position']['position_id']}")


def _rect(x: float, y: float, width: float, height: float, fill: str, more: str = "") -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"{more}/>'


def _text(x: float, y: float, size: float, fill: str, text: str, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}" '
        f'dominant-baseline="central">{escape(text)}</text>'
    )


def _board(view: View, colors: Colors) -> list[str]:
    field = 12 * UNIT + BAR
    parts = [
        _rect(0, STRIP, WIDTH, FIELD_HEIGHT + 2 * RIM, colors.frame, ' rx="10"'),
        _rect(FIELD_X, TOP, field, FIELD_HEIGHT, colors.field),
        _rect(RIM + 4, TOP, TRAY - 10, FIELD_HEIGHT, colors.tray, ' rx="4"'),
        _rect(FIELD_X + field + 6, TOP, TRAY - 10, FIELD_HEIGHT, colors.tray, ' rx="4"'),
    ]
    for site in range(1, 25):
        x, wide = view.x(site), UNIT / 2 - 1
        rim, tip = (TOP, TOP + 180) if view.up(site) else (BOTTOM, BOTTOM - 180)
        shade = colors.light if site % 2 else colors.dark
        parts.append(f'<path d="M{x - wide:g} {rim}L{x:g} {tip}L{x + wide:g} {rim}Z" fill="{shade}"/>')
        y = TOP - RIM / 2 if view.up(site) else BOTTOM + RIM / 2
        parts.append(_text(x, y, 15, colors.number, str(view.number(site))))
    parts.append(_rect(FIELD_X + 6 * UNIT, TOP - 4, BAR, FIELD_HEIGHT + 8, colors.bar, ' rx="3"'))
    return parts


def _checkers(snapshot: Mapping[str, Any], view: View, colors: Colors) -> list[str]:
    position = snapshot["position"]
    parts = []
    for site, count in enumerate(position["points"], start=1):
        player = "white" if count > 0 else "black"
        for level in range(min(abs(count), VISIBLE)):
            x, y = _place(site, level, view)
            label = str(abs(count)) if level == VISIBLE - 1 and abs(count) > VISIBLE else ""
            parts.append(_checker(player, x, y, label))
    tray = FIELD_X + 12 * UNIT + BAR + 6 if view.home == "right" else RIM + 4
    for player in ("white", "black"):
        below = player == view.bottom
        for level in range(min(position["bar"][player], 4)):
            y = MIDDLE + (-1 if below else 1) * (34 + level * STEP)
            label = str(position["bar"][player]) if level == 3 and position["bar"][player] > 4 else ""
            parts.append(_checker(player, FIELD_X + 6 * UNIT + BAR / 2, y, label))
        off = position["off"][player]
        fill, edge = _shade(player)
        for level in range(off):
            y = BOTTOM - 16 - level * 12 if below else TOP + 5 + level * 12
            parts.append(_rect(tray + 4, y, TRAY - 18, 11, fill, f' stroke="{edge}" rx="2"'))
        if off:
            y = BOTTOM - 22 - off * 12 if below else TOP + 20 + off * 12
            parts.append(_text(tray + (TRAY - 10) / 2, y, 15, colors.number, str(off)))
    return parts


def _place(site: int, level: int, view: View) -> tuple[float, float]:
    away = min(level, VISIBLE) * STEP + RADIUS + 2
    return view.x(site), TOP + away if view.up(site) else BOTTOM - away


def _shade(player: str) -> tuple[str, str]:
    return ("#efe3cc", "#7d6844") if player == "white" else ("#262b36", "#8b96ad")


def _checker(player: str, x: float, y: float, label: str) -> str:
    fill, edge = _shade(player)
    drawn = f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS}" fill="{fill}" stroke="{edge}" stroke-width="2"/>'
    if player == "black":
        drawn += f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{edge}"/>' if not label else ""
    else:
        drawn += (
            f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS - 6}" fill="none" stroke="#b99f76" stroke-width="1.5"/>'
        )
    return drawn + (_text(x, y, 17, "#2b2118" if player == "white" else "#f4f6fb", label) if label else "")


def _right_hand(player: str, view: View) -> float:
    return FIELD_X + 3 * UNIT + (6 * UNIT + BAR if player == view.bottom else 0)


def _cube(snapshot: Mapping[str, Any], view: View) -> list[str]:
    cube = snapshot["cube"]
    offered = cube["offered_by"]
    x = RIM + 4 + (TRAY - 10) / 2 if view.home == "right" else FIELD_X + 12 * UNIT + BAR + 6 + (TRAY - 10) / 2
    y: float = MIDDLE
    value = 64 if cube["value"] == 1 else cube["value"]
    if offered:
        x, value = _right_hand("black" if offered == "white" else "white", view), cube["value"] * 2
    elif cube["owner"]:
        y = BOTTOM - 28 if cube["owner"] == view.bottom else TOP + 28
    elif snapshot["crawford"]:
        return []
    return [
        _rect(x - 16, y - 16, 32, 32, "#fbf6ea", ' stroke="#3b2a17" stroke-width="2" rx="5"'),
        _text(x, y, 17, "#23180c", str(value)),
    ]


def _dice(snapshot: Mapping[str, Any], view: View) -> list[str]:
    if not snapshot["roll"]:
        return []
    player = snapshot["position"]["turn"] or "white"
    fill, ink = ("#fffdf6", "#221a10") if player == "white" else ("#262b36", "#ffffff")
    parts = []
    for face, x in zip(snapshot["roll"], (-26, 26), strict=True):
        centre = _right_hand(player, view) + x
        parts.append(
            _rect(centre - 18, MIDDLE - 18, 36, 36, fill, f' stroke="{_shade(player)[1]}" stroke-width="2" rx="7"')
        )
        for dx, dy in _DOTS[face]:
            parts.append(f'<circle cx="{centre + dx * 10:g}" cy="{MIDDLE + dy * 10:g}" r="3.6" fill="{ink}"/>')
    return parts


def _arrows(snapshot: Mapping[str, Any], view: View, colors: Colors) -> list[str]:
    play = snapshot["last_play"]
    if not play or not play["moves"]:
        return []
    head = (
        '<defs><marker id="head" viewBox="0 0 10 10" refX="5" refY="5" markerWidth="4" markerHeight="4" '
        f'orient="auto"><path d="M0 0L10 5L0 10Z" fill="{colors.accent}"/></marker></defs>'
    )
    parts = [head]
    for move in play["moves"]:
        x1, y1 = _end(move["from"], play["player"], snapshot, view, 0)
        x2, y2 = _end(move["to"], play["player"], snapshot, view, -1)
        bend = 26 if y1 + y2 < 2 * MIDDLE else -26
        path = f"M{x1:g} {y1:g}Q{(x1 + x2) / 2:g} {(y1 + y2) / 2 + bend:g} {x2:g} {y2:g}"
        parts.append(
            f'<path d="{path}" fill="none" stroke="{colors.accent}" stroke-width="4" stroke-linecap="round" '
            'marker-end="url(#head)"/>'
        )
    return parts


def _end(place: int | str, player: str, snapshot: Mapping[str, Any], view: View, more: int) -> tuple[float, float]:
    """Return where an arrow begins (`more` 0, above what is left) or ends (`more` -1, on the top checker)."""
    if place == "bar":
        return FIELD_X + 6 * UNIT + BAR / 2, MIDDLE + (-34 if player == view.bottom else 34)
    if place == "off":
        x = FIELD_X + 12 * UNIT + BAR + TRAY / 2 if view.home == "right" else RIM + TRAY / 2
        return x, BOTTOM - 100 if player == view.bottom else TOP + 100
    count = abs(snapshot["position"]["points"][int(place) - 1])
    return _place(int(place), max(0, min(count, VISIBLE) + more), view)


def _strips(snapshot: Mapping[str, Any], view: View, colors: Colors) -> list[str]:
    parts = []
    for player in ("white", "black"):
        y = HEIGHT - STRIP / 2 if player == view.bottom else STRIP / 2
        fill, edge = _shade(player)
        turn = "▸ " if snapshot["position"]["turn"] == player else ""
        name = snapshot["players"][player][:40]
        parts.append(f'<circle cx="20" cy="{y:g}" r="9" fill="{fill}" stroke="{edge}" stroke-width="2"/>')
        parts.append(_text(38, y, 17, colors.text, f"{turn}{name}", "start"))
        length = f" / {snapshot['length']}" if snapshot["length"] else ""
        parts.append(_text(WIDTH - 96, y, 14, colors.soft, f"{snapshot['pips'][player]} pips", "end"))
        parts.append(_text(WIDTH - 14, y, 17, colors.accent, f"{snapshot['score'][player]}{length}", "end"))
    if snapshot["simulated"]:
        parts.append(_text(WIDTH / 2, STRIP / 2, 14, colors.accent, "SIMULATED"))
    return parts
