"""Moves as programs and people write them, in all their spellings; whether they can be made is not asked here."""

from __future__ import annotations

import itertools
import re

from controller.errors import InvalidNotationError
from controller.rules.notation import parse_steps
from controller.rules.position import Move, Play

_STOPS = re.compile(r"(?:bar|off|\d{1,2})(?:/(?:bar|off|\d{1,2}))+")


def moves_of(text: str) -> Play:
    """Read the moves of one play, steps in the order written and hits not yet known.

    Besides what `parse_steps` reads: ``13-7``, ``b/22``, ``6/o``, spaces around the stroke, notes in braces, and
    moves that no play can hold, such as backwards, for people do make them.

    Raises:
        InvalidNotationError: names the part that is not a move.
    """
    try:
        return tuple(Move(source, target) for source, target in parse_steps(text))
    except InvalidNotationError:
        return tuple(move for part in _plain(text).split() for move in _part(part))


def _part(part: str) -> Play:
    body, _, count = part.replace("*", "").rstrip(")").partition("(")
    if not _STOPS.fullmatch(body) or not re.fullmatch(r"[1-4]?", count):
        raise InvalidNotationError(f"not a move: {part!r}")
    stops = [25 if stop == "bar" else 0 if stop == "off" else int(stop) for stop in body.split("/")]
    steps = [Move(source, target) for source, target in itertools.pairwise(stops)]
    if any(source == target or not source or max(source, target) > 25 for source, target, _ in steps):
        raise InvalidNotationError(f"not a move: {part!r}")
    return tuple(steps * int(count or 1))


def _plain(text: str) -> str:
    """Return moves with what some programs write otherwise put into the usual shape."""
    text = re.sub(r"\{[^}]*\}|[,;]", " ", text.lower())
    text = re.sub(r"\s*/\s*", "/", text)
    text = re.sub(r"(?<![\w/])(\d{1,2}|bar|b)-(?=\d|bar|off|o\b)", r"\1/", text)
    text = re.sub(r"(?<!\w)b/", "bar/", text)
    text = re.sub(r"/(?:o|home)(?!\w)", "/off", text)
    return re.sub(r"\s*\(\s*(\d)\s*\)", r"(\1)", text)
