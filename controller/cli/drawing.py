"""A position drawn as text for a terminal, and as SVG for a page; both seen from the player on roll, below."""

from __future__ import annotations

from xml.sax.saxutils import escape

from controller.rules import Position

ROWS = 5
"""Checkers drawn on a point before a number says how many there are."""

_TOP, _BOTTOM = range(13, 25), range(12, 0, -1)


def draw_text(position: Position) -> str:
    """Draw a position with letters: X the player on roll, who sits below, O the opponent.

    Example:
        >>> from controller.rules import START
        >>> print(draw_text(START).splitlines()[1])
         13 14 15 16 17 18      19 20 21 22 23 24
    """
    top = [_column(position.points[point]) for point in _TOP]
    bottom = [_column(position.points[point]) for point in _BOTTOM]
    bars = (_column(position.points[25]), _column(position.points[0]))
    edge = "+" + "-" * 19 + "+---+" + "-" * 19 + "+"
    lines = [f"O off {position.opponent_off}, pips {position.opponent_pips}", _numbers(_TOP), edge]
    lines += [_row(top, bars[0], row) for row in range(ROWS)]
    lines.append("|" + " " * 19 + "|BAR|" + " " * 19 + "|")
    lines += [_row(bottom, bars[1], row) for row in reversed(range(ROWS))]
    lines += [edge, _numbers(_BOTTOM), f"X off {position.off}, pips {position.pips}"]
    return "\n".join(lines)


def _column(count: int) -> list[str]:
    """Return what stands on one point, rim first; the last place tells a number beyond the rows."""
    letter = "X" if count > 0 else "O"
    cells = [letter] * min(abs(count), ROWS) + [" "] * (ROWS - min(abs(count), ROWS))
    if abs(count) > ROWS:
        cells[-1] = str(abs(count))
    return cells


def _numbers(points: range) -> str:
    text = [f"{point:>3}" for point in points]
    return "".join(text[:6]) + " " * 5 + "".join(text[6:])


def _row(columns: list[list[str]], bar: list[str], row: int) -> str:
    cells = [f"{column[row]:>3}" for column in columns]
    return "|" + "".join(cells[:6]) + f" |{bar[row]:^3}|" + "".join(cells[6:]) + " |"


_POINT_PX, _BAR_PX, _TRAY_PX, _EDGE_PX, _DEEP_PX = 40, 40, 50, 20, 220
_HEIGHT_PX = 2 * _DEEP_PX + 60
_WIDTH_PX = 12 * _POINT_PX + _BAR_PX + _TRAY_PX + 3 * _EDGE_PX
_STYLE = (
    "text{font:12px sans-serif;text-anchor:middle}.b{fill:#2f4f3a}.f{fill:#e8dcc0}.d{fill:#b0553a}"
    ".l{fill:#cbb98f}.x{fill:#fafafa;stroke:#222}.o{fill:#222;stroke:#eee}.n{fill:#fff}.xn{fill:#222}.on{fill:#fff}"
)


def draw_svg(position: Position, title: str = "Position") -> str:
    """Draw a position as an SVG picture of its own: light checkers for the player on roll, dark for the other."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH_PX} {_HEIGHT_PX}" role="img">',
        f"<title>{escape(title)}: on roll {position.pips} pips, opponent {position.opponent_pips} pips</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="b" width="{_WIDTH_PX}" height="{_HEIGHT_PX}" rx="8"/>',
    ]
    for left in (_EDGE_PX, _EDGE_PX + 6 * _POINT_PX + _BAR_PX):
        height = _HEIGHT_PX - 2 * _EDGE_PX
        parts.append(f'<rect class="f" x="{left}" y="{_EDGE_PX}" width="{6 * _POINT_PX}" height="{height}"/>')
    for point in range(1, 25):
        parts += _svg_point(point, position.points[point])
    middle = _EDGE_PX + 6 * _POINT_PX + _BAR_PX / 2
    parts += _svg_stack(middle, position.points[25], at_top=True, start_px=60)
    parts += _svg_stack(middle, position.points[0], at_top=False, start_px=60)
    tray = _WIDTH_PX - _EDGE_PX - _TRAY_PX / 2
    parts += _svg_tray(tray, position.opponent_off, at_top=True) + _svg_tray(tray, position.off, at_top=False)
    return "\n".join([*parts, "</svg>", ""])


def _x_px(point: int) -> float:
    """Return the middle of a point: 1 is at the lower right, 24 at the upper right."""
    column = point - 13 if point > 12 else 12 - point
    return _EDGE_PX + column * _POINT_PX + (_BAR_PX if column > 5 else 0) + _POINT_PX / 2


def _svg_point(point: int, count: int) -> list[str]:
    x, half, at_top = _x_px(point), _POINT_PX / 2, point > 12
    rim = _EDGE_PX if at_top else _HEIGHT_PX - _EDGE_PX
    tip = rim + (_DEEP_PX if at_top else -_DEEP_PX)
    number_y = 14 if at_top else _HEIGHT_PX - 6
    shade = "d" if point % 2 else "l"
    return [
        f'<path class="{shade}" d="M{x - half:g} {rim}L{x + half:g} {rim}L{x:g} {tip}Z"/>',
        f'<text class="n" x="{x:g}" y="{number_y}">{point}</text>',
        *_svg_stack(x, count, at_top=at_top),
    ]


def _svg_stack(x: float, count: int, *, at_top: bool, start_px: int = 0) -> list[str]:
    """Return the checkers of one point, at most five drawn, with their number on the last where there are more."""
    radius = _POINT_PX / 2 - 1
    kind = "x" if count > 0 else "o"
    parts, y = [], 0.0
    for row in range(min(abs(count), ROWS)):
        far = _EDGE_PX + start_px + radius + 1 + row * 2 * (radius + 1)
        y = far if at_top else _HEIGHT_PX - far
        parts.append(f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>')
    if abs(count) > ROWS:
        parts.append(f'<text class="{kind}n" x="{x:g}" y="{y + 4:g}">{abs(count)}</text>')
    return parts


def _svg_tray(x: float, off: int, *, at_top: bool) -> list[str]:
    """Return the checkers borne off, lying on edge in the tray beside the board, and their number."""
    kind = "o" if at_top else "x"
    parts = []
    for row in range(off):
        y = _EDGE_PX + row * 12 if at_top else _HEIGHT_PX - _EDGE_PX - 11 - row * 12
        parts.append(f'<rect class="{kind}" x="{x - 18:g}" y="{y}" width="36" height="11" rx="2"/>')
    number_y = 14 if at_top else _HEIGHT_PX - 6
    return [*parts, f'<text class="n" x="{x:g}" y="{number_y}">{off}</text>']
