"""On which lines of a native match file its games and actions begin, for whoever has to mend one by hand."""

from __future__ import annotations

import json
import re

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,\n]')


def lines_of(text: str) -> dict[tuple[int, ...], int]:
    r"""Return the line, from 1, of each game ``(game,)`` and each of its actions ``(game, action)``, from 0.

    Args:
        text: a file that is known to be JSON.

    Example:
        >>> lines_of('{"games": [\n {"actions": [{},\n {}]}]}')
        {(0,): 2, (0, 0): 2, (0, 1): 3}
    """
    found: dict[tuple[int, ...], int] = {}
    inside: list[str | int] = []
    line, word = 1, ""
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign == "\n":
            line += 1
        elif sign in "{[":
            place = tuple(part for part in inside if isinstance(part, int))
            names = [part for part in inside if isinstance(part, str)]
            if sign == "{" and names in (["games"], ["games", "actions"]) and len(place) == len(names):
                found[place] = line
            inside.append(0 if sign == "[" else "")
        elif sign in "}]":
            inside.pop()
        elif sign == "," and isinstance(inside[-1], int):
            inside[-1] += 1
        elif sign == ":":
            inside[-1] = json.loads(word)
        elif sign[0] == '"':
            word = sign
    return found
