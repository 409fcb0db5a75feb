"""Plays as text, in the mover's own numbering: ``13/7* 8/5(2) bar/22 6/off``."""

from __future__ import annotations

import itertools
import re

from controller.errors import InvalidNotationError
from controller.rules.position import Move, Play, Roll

NO_PLAY = "Cannot Move"
"""How a dance is written where a text is needed."""

_PART = re.compile(r"(bar|\d+)((?:\*?/(?:off|\d+))+\*?)(?:\((\d)\))?", re.IGNORECASE)


def write_play(play: Play) -> str:
    """Write a play: steps of one checker joined, hits marked, equal moves counted, rear checker first.

    Moves that one checker could have made are written as one, whatever their order in the play: only the
    resulting position counts. Of two checkers from one point the one that made more moves comes first.

    Example:
        >>> write_play((Move(24, 18), Move(18, 13, hit=True)))
        '24/13*'
        >>> write_play((Move(8, 5), Move(6, 5), Move(8, 5), Move(6, 5)))
        '8/5(2) 6/5(2)'
    """
    if not play:
        return NO_PLAY
    grouped: dict[tuple[int, ...], list[list[Move]]] = {}
    for path in _paths(play):
        grouped.setdefault((path[0].source, *(move.target for move in path)), []).append(path)
    parts = []
    for paths in sorted(grouped.values(), key=_rear_first):
        hits = [any(move.hit for move in same) for same in zip(*paths, strict=True)]
        text = _path_text(paths[0], hits)
        parts.append(text + (f"({len(paths)})" if len(paths) > 1 else ""))
    return " ".join(parts)


def _rear_first(paths: list[list[Move]]) -> tuple[int, int, int]:
    path = paths[0]
    return (-path[0].source, -len(path), -path[-1].target)


def _paths(play: Play) -> list[list[Move]]:
    """Join the moves of one checker, so that each path is what one checker did."""
    paths: list[list[Move]] = []
    for move in sorted(play, key=lambda move: -move.source):
        longer = next((path for path in paths if path[-1].target == move.source), None)
        if longer is None:
            paths.append([move])
        else:
            longer.append(move)
    return paths


def _path_text(path: list[Move], hits: list[bool]) -> str:
    """Write what one checker did; points in between are written only where it hit."""
    text = "bar" if path[0].source == 25 else str(path[0].source)
    for move, hit in zip(path[:-1], hits, strict=False):
        if hit:
            text += f"/{move.target}*"
    last = path[-1]
    return text + "/" + ("off" if last.target == 0 else str(last.target)) + ("*" if hits[-1] else "")


def parse_steps(text: str) -> list[tuple[int, int]]:
    """Read the (from, to) pairs of a play, repeats spelled out; hits and dice are not judged here.

    Accepts what programs write: ``bar``, ``Bar`` or ``25``, ``off``, ``Off`` or ``0``, ``(2)`` counts, hits
    marked or not, points in between written or not. No play may be written ``Cannot Move`` or left empty.

    Raises:
        InvalidNotationError: names the part that is not a move.
    """
    if not text.strip() or text.strip().lower() in ("cannot move", "no play", "(no play)"):
        return []
    steps: list[tuple[int, int]] = []
    for part in text.split():
        match = _PART.fullmatch(part)
        if match is None:
            raise InvalidNotationError(f"not a move: {part!r}")
        stops = [match[1].lower(), *re.findall(r"off|\d+", match[2].lower())]
        places = [25 if s == "bar" else 0 if s == "off" else int(s) for s in stops]
        pairs = list(itertools.pairwise(places))
        if any(not 0 <= b < a <= 25 for a, b in pairs):
            raise InvalidNotationError(f"not a move: {part!r}")
        steps.extend(pairs * int(match[3] or 1))
    return steps


def parse_roll(text: str) -> Roll:
    """Read a roll written as two digits, with or without something between them: ``63``, ``6-3``, ``6 3``.

    Raises:
        InvalidNotationError: not two faces of 1 to 6.
    """
    match = re.fullmatch(r"\s*([1-6])\s*[-, x]?\s*([1-6])\s*", text)
    if match is None:
        raise InvalidNotationError(f"not a roll: {text!r}; write two faces, as in 63")
    return Roll.of(int(match[1]), int(match[2]))
