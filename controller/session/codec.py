"""Frozen values as JSON and back, by their declared types: one codec for facts, settings and clocks."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Hashable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, TypeVar

from controller.board import Board
from controller.errors import InvalidNotationError
from controller.rules import Roll

T = TypeVar("T")


def to_json(value: Any) -> Any:
    """Return a value as JSON values: dataclasses as objects, enums as words, tuples and sets as lists.

    Example:
        >>> to_json(Roll.of(1, 6))
        [6, 1]
    """
    if isinstance(value, Board):
        found: Any = value.to_json()
    elif isinstance(value, Enum):
        found = value.value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        found = {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    elif isinstance(value, Mapping):
        found = {str(key): to_json(item) for key, item in value.items()}
    elif isinstance(value, frozenset):
        found = sorted(to_json(item) for item in value)
    else:
        found = [to_json(item) for item in value] if isinstance(value, tuple | list) else value
    return found


def of_json(kind: type[T], data: Mapping[str, Any]) -> T:
    """Return the frozen value of class `kind` that `data` describes; names that it does not have are ignored.

    Raises:
        InvalidNotationError: a value is missing or of the wrong type.
    """
    hints = _hints(typing.cast(Hashable, kind))
    try:
        values = {name: _value(hint, data[name]) for name, hint in hints.items() if name in data}
        return kind(**values)
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise InvalidNotationError(f"no {kind.__name__}: {error}") from None
    except ValueError as error:
        raise InvalidNotationError(f"no {kind.__name__}: {' '.join(str(error).split())}") from None


@lru_cache(maxsize=256)
def _hints(kind: Hashable) -> dict[str, Any]:
    assert isinstance(kind, type)
    names = {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    return {name: hint for name, hint in typing.get_type_hints(kind).items() if name in names}


def _value(hint: Any, data: Any) -> Any:
    """Return one JSON value as the type its field declares."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        kinds = [kind for kind in args if kind is not type(None)]
        found = None if data is None else _value(kinds[0], data)
    elif origin is typing.Literal:
        if data not in args:
            raise ValueError(f"{data!r} is none of {', '.join(map(str, args))}")
        found = data
    elif origin in (tuple, frozenset):
        found = _sequence(origin, args, data)
    else:
        found = _single(hint, data)
    return found


def _single(hint: Any, data: Any) -> Any:
    """Return one JSON value as a class that is no container."""
    if hint is Board:
        bar = data.get("bar", {})
        found: Any = Board(
            tuple(int(n) for n in data["points"]), (int(bar.get("white", 0)), int(bar.get("black", 0)))
        )
    elif hint is Roll:
        found = Roll.of(*data)
    elif isinstance(hint, type) and issubclass(hint, Enum):
        found = hint(data)
    elif isinstance(hint, type) and dataclasses.is_dataclass(hint):
        found = of_json(hint, data)
    elif hint is float:
        found = _number(data)
    else:
        if hint in (int, str, bool) and type(data) is not hint:
            raise TypeError(f"expected {hint.__name__}, got {data!r}")
        found = data
    return found


def _number(data: Any) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise TypeError(f"expected a number, got {data!r}")
    return float(data)


def _sequence(origin: Any, kinds: tuple[Any, ...], data: Any) -> Any:
    if isinstance(data, str) or not hasattr(data, "__iter__"):
        raise TypeError(f"expected a list, got {data!r}")
    if origin is frozenset or (len(kinds) == 2 and kinds[1] is Ellipsis):
        return origin(_value(kinds[0], item) for item in data)
    if len(data) != len(kinds):
        raise ValueError(f"expected {len(kinds)} values, got {len(data)}")
    return tuple(_value(kind, item) for kind, item in zip(kinds, data, strict=True))
