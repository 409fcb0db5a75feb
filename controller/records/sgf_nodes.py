"""The tree of an ``.sgf`` file, reduced to the main line of each game: nodes with properties and lines."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

_GAME = re.compile(r"\(\s*;(?=[^()]{0,600}?\bGM\s*\[)")
_NAME = re.compile(r"[A-Za-z]{1,20}")
_VALUE = re.compile(r"\s*\[([^\]\\]*(?:\\.[^\]\\]*)*)\]", re.DOTALL)
_SPACE = re.compile(r"\s*")
_ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Node:
    """One node: its properties, values still as written without the escapes, and the line it begins on."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)

    def first(self, name: str) -> str:
        """Return the first value of a property, empty where there is none."""
        return next(iter(self.values.get(name, ())), "")


@dataclass(frozen=True, slots=True)
class Tree:
    """The main line of one game, and where it cannot be read further: line and reason, or None."""

    line: int
    nodes: tuple[Node, ...]
    damage: tuple[int, str] | None


def trees_of(text: str) -> Iterator[Tree]:
    """Yield the games of a file; a damaged one ends where it cannot be read, and the next is found again."""
    starts = [found.start() for found in _GAME.finditer(text)]
    breaks = [found.start() for found in re.finditer("\n", text)]
    for start, end in itertools.pairwise([*starts, len(text)]):
        yield _tree(text, start, end, breaks)


def _tree(text: str, start: int, end: int, breaks: list[int]) -> Tree:
    nodes: list[Node] = []
    at = start
    damage = None
    while True:
        space = _SPACE.match(text, at, end)
        at = space.end() if space else at
        sign = text[at] if at < end else ""
        if sign == "(":
            at += 1
        elif sign == ";":
            nodes.append(Node(bisect_right(breaks, at - 1) + 1))
            at += 1
        elif sign == ")":
            break
        else:
            after = _property(text, at, end, nodes[-1]) if nodes and sign else None
            if after is None:
                reason = f"a property cannot be read at {text[at : at + 20]!r}" if sign else "the game has no end"
                damage = (bisect_right(breaks, at - 1) + 1, reason)
                break
            at = after
    return Tree(bisect_right(breaks, start - 1) + 1, tuple(nodes), damage)


def _property(text: str, at: int, end: int, node: Node) -> int | None:
    """Read one property into `node`; return where it ends, or None when there is none."""
    name = _NAME.match(text, at, end)
    if name is None:
        return None
    at = name.end()
    values = node.values.setdefault("".join(c for c in name[0] if c.isupper()), [])
    found = _VALUE.match(text, at, end)
    if found is None:
        return None
    while found is not None:
        values.append(_ESCAPE.sub(lambda each: "" if each[1][0] in "\r\n" else each[1], found[1]))
        at = found.end()
        found = _VALUE.match(text, at, end)
    return at


def escaped(text: str) -> str:
    """Return text as a property value holds it."""
    return text.replace("\\", "\\\\").replace("]", "\\]")
