"""The JSON Schema of Barpoint's match file, from which ``schema.json`` is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from controller.records.native import FORMAT, VERSION
from controller.records.record import CubeWord, How
from controller.rules.position import Color


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the match file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Barpoint match",
        "description": "A backgammon match or money session. Points are counted as the player who moves does: "
        "25 is the bar, 0 is off. A board counts as White does, White's checkers positive.",
        **_closed(
            format={"const": FORMAT},
            version={"const": VERSION},
            players=_both({"type": "string"}),
            length=_number(0, 32767),
            rules={"type": "string"},
            crawford={"type": "boolean"},
            jacoby={"type": ["boolean", "null"]},
            date={"type": ["string", "null"]},
            tags={"type": "array", "items": {"type": "array", "prefixItems": [{"type": "string"}] * 2}},
            comment={"type": "string"},
            score=_both(_number(0, None)),
            games={"type": "array", "items": {"$ref": "#/$defs/game"}},
        ),
        "$defs": dict(_definitions()),
    }


def _closed(optional: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    """Return an object that holds these properties and no others."""
    required = [name for name in properties if name not in optional]
    named = {
        "from" if name == "source" else "to" if name == "target" else name: v for name, v in properties.items()
    }
    names = {"source": "from", "target": "to"}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": named,
        "required": [names.get(name, name) for name in required],
    }


def _both(value: dict[str, Any]) -> dict[str, Any]:
    return _closed(white=value, black=value)


def _number(low: int, high: int | None) -> dict[str, Any]:
    return {"type": "integer", "minimum": low} | ({} if high is None else {"maximum": high})


def _definitions() -> Iterator[tuple[str, Any]]:
    color = {"enum": [each.value for each in Color]}
    optional_color = {"enum": [*color["enum"], None]}
    beside: dict[str, Any] = {
        "comment": {"type": "string"},
        "at": {"type": "string"},
        "clock_s": _both({"type": "number"}),
    }
    beside["used_s"] = {"type": "number"}
    notes = tuple(beside)
    result = _closed(winner=color, points=_number(0, None), how={"enum": list(get_args(How))})
    yield (
        "game",
        _closed(
            score=_both(_number(0, None)),
            crawford={"type": "boolean"},
            comment={"type": "string"},
            actions={"type": "array", "items": {"anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in _TYPES]}},
            result={"anyOf": [result, {"type": "null"}]},
        ),
    )
    board = _closed(
        ("off",),
        points={"type": "array", "items": _number(-15, 15), "minItems": 24, "maxItems": 24},
        bar=_both(_number(0, 15)),
        off=_both(_number(0, 15)),
    )
    move = _closed(source=_number(1, 25), target=_number(0, 25), hit={"type": "boolean"})
    yield (
        "turn",
        _closed(
            (*notes, "condoned", "after"),
            type={"const": "turn"},
            player=color,
            dice={"type": "array", "items": _number(1, 6), "minItems": 2, "maxItems": 2},
            play={"type": ["string", "null"]},
            moves={"anyOf": [{"type": "array", "items": move}, {"type": "null"}]},
            condoned={"type": "boolean"},
            after=board,
            **beside,
        ),
    )
    words = {"enum": list(get_args(CubeWord))}
    cube = _closed(
        (*notes, "value"), type={"const": "cube"}, player=color, action=words, value=_number(1, 1 << 15), **beside
    )
    yield "cube", cube
    level, accepted = _number(0, 3), {"type": "boolean"}
    yield (
        "resign",
        _closed(notes, type={"const": "resign"}, player=color, level=level, accepted=accepted, **beside),
    )
    stands = {"anyOf": [_closed(value=_number(1, 1 << 15), owner=optional_color), {"type": "null"}]}
    yield (
        "set_up",
        _closed(notes, type={"const": "set_up"}, board=board, turn=optional_color, cube=stands, **beside),
    )


_TYPES = ("turn", "cube", "resign", "set_up")
