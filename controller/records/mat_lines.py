"""The lines of a match text, taken apart: header tags, score lines, and the cells of both players.

There is no formal definition of ``.mat``; every program writes its own. So nothing here counts columns where it
can be helped: a cell is known by how it begins (two dice and a colon, or a word of the game), and its player by
its place among the cells of the line, then by how far it stands from the turn number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORDS = (
    r"(?:re)?doubles?|takes?|accepts?|drops?|rejects?|passes|beavers?|raccoons?"
    r"|wins?|won|los(?:es?|t|ses?)|resigns?|resigned|concedes?|conceded"
)
_START = re.compile(
    rf"(?<!\S)(?:[1-6]\s?[-,]?\s?[1-6]\s*:|\([1-6][-,]?[1-6]\):?(?=\s|$)"
    rf"|[1-6][1-6](?=\s+(?:bar|25|[0-9]{{1,2}})/)|(?:{_WORDS})\b)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\s*(\d{1,4})\s*(?:\)|\.(?=\s))")
_TAG = re.compile(r'\[\s*([^"\]]*?)\s*"(.*)"\s*\]\s*$')
_LENGTH = re.compile(
    r"\s*(?:(\d{1,6})\s*-?\s*points?\s+match|match\s+to\s+(\d{1,6})|(?:unlimited|money)\s+(?:match|game|session))\b",
    re.IGNORECASE,
)
_GAME = re.compile(r"\s*Game\s+(?:no\.?\s*|#\s*)?(\d{1,6})\b[^:]*:?\s*$", re.IGNORECASE)
_RATED = re.compile(r"(.*?)\s*,\s*(\d{1,5}(?:\.\d+)?)")
_SCORES = re.compile(r"\s*(.*?)\s*:\s*(\d{1,6})(?:\s+|\s*[-,|]\s*)(.*?)\s*:\s*(\d{1,6})\s*$")
_DICE = re.compile(r"\(?([1-6])\s?[-,]?\s?([1-6])\s*\)?:?\s*(.*)$", re.DOTALL)
_TAB = 8
_LONGEST_NAME = 31
_LEFT_COLUMN = 6
_NEAR = 8
"""A cell at most this far behind its turn number is the left player's."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one player did, as written; `side` is 0 for the left player and 1 for the right."""

    side: int
    text: str


def tag_of(line: str) -> tuple[str, str] | None:
    """Return name and text of a header line such as ``; [Site "Home"]``, or None."""
    found = _TAG.search(line)
    return (found[1], found[2]) if found is not None and found[1] else None


def is_comment(line: str) -> bool:
    """Whether a line is a comment or a header tag."""
    return line.lstrip()[:1] in (";", "#")


def length_of(line: str) -> int | None:
    """Return the match length of a line such as ``7 point match``, or None."""
    found = _LENGTH.match(line)
    return int(found[1] or found[2] or 0) if found else None


def game_number(line: str) -> int | None:
    """Return the number of a line such as ``Game 3``, or None."""
    found = _GAME.match(line)
    return int(found[1]) if found else None


def scores_of(line: str) -> tuple[tuple[str, int], tuple[str, int]] | None:
    """Return both names and scores of a line such as ``Ann : 0    Bob : 2``, or None."""
    if _NUMBER.match(line):
        return None
    found = _SCORES.match(line.expandtabs(_TAB))
    if found is None:
        return None
    return (found[1], int(found[2])), (found[3], int(found[4]))


def rating_of(name: str) -> tuple[str, str]:
    """Return a name without the rating that some servers write behind it, and the rating or an empty text."""
    found = _RATED.fullmatch(name)
    return (found[1], found[2]) if found and found[1] else (name, "")


def turn_number(line: str) -> int | None:
    """Return the number before the bracket at the beginning of a line, or None."""
    found = _NUMBER.match(line)
    return int(found[1]) if found else None


def cells_of(line: str, right_column: int) -> tuple[Cell, ...]:
    """Return what the players did on one line, left before right.

    Args:
        line: a line with or without a turn number.
        right_column: where the cells of the right player begin in this file, as far as is known.
    """
    line = line.expandtabs(_TAB).rstrip()
    number = _NUMBER.match(line)
    begin = number.end() if number else 0
    starts = [found.start() for found in _START.finditer(line, begin)]
    if "(" in line:
        starts = [at for at in starts if not _in_brackets(line, at)]
    if not starts:
        return _unknown_cells(line, begin, right_column, number is not None)
    cells: list[Cell] = []
    if line[begin : starts[0]].strip():
        cells.append(Cell(0, line[begin : starts[0]].strip()))
    for start, end in zip(starts, [*starts[1:], len(line)], strict=True):
        cells.append(Cell(0, line[start:end].strip()))
    first = line[begin:].find(cells[0].text) + begin
    side = _side(first, begin, right_column, number is not None)
    return (Cell(side, cells[0].text), *(Cell(1, cell.text) for cell in cells[1:]))


def _in_brackets(line: str, at: int) -> bool:
    return line.rfind("(", 0, at) > line.rfind(")", 0, at) and line.find(")", at) >= 0


def _side(start: int, begin: int, right_column: int, numbered: bool) -> int:
    """Tell by its place whose the first cell of a line is."""
    near = numbered and start - begin <= _NEAR
    return 0 if near or start < (_LEFT_COLUMN + right_column) // 2 else 1


def _unknown_cells(line: str, begin: int, right_column: int, numbered: bool) -> tuple[Cell, ...]:
    """Return cells that begin with nothing known, split where two spaces stand."""
    parts = [(found.start(), found[0]) for found in re.finditer(r"\S+(?: \S+)*", line[begin:])]
    if len(parts) == 1:
        start, text = parts[0]
        return (Cell(_side(begin + start, begin, right_column, numbered), text),)
    return tuple(Cell(min(at, 1), text) for at, (_, text) in enumerate(parts))


def dice_of(cell: str) -> tuple[tuple[int, int], str] | None:
    """Return the dice and the rest of a cell that begins with a roll, or None."""
    found = _DICE.match(cell) if _START.match(cell) else None
    return ((int(found[1]), int(found[2])), found[3].strip()) if found else None


def right_column_of(line: str) -> int:
    """Return where the right player's name begins on a score line."""
    found = _SCORES.match(line.expandtabs(_TAB))
    return max(found.start(3), 12) if found else 32


def line_name(name: str, side: int) -> str:
    """Return a name as a score line can hold it: no colon, not empty, at most 31 bytes.

    GNU Backgammon 1.07 aborts on an empty name and on a colon inside one, and cuts the rest off.
    """
    plain = " ".join("".join(" " if c == ":" or not c.isprintable() else c for c in name).split())
    cut = plain.encode()[:_LONGEST_NAME].decode(errors="ignore").strip()
    return cut or ("White", "Black")[side]
