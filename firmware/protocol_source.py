"""Read and check ``protocol.toml``, the one place where the messages of the board are written by hand."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SIZES = {"u8": 1, "u16": 2, "u32": 4}
EVENT_HEADER = (
    {"name": "boot", "type": "u16", "doc": "low half of the boot id"},
    {"name": "number", "type": "u16", "doc": "0 after a reset, one more each"},
    {"name": "at_us", "type": "u32", "unit": "us", "doc": "board time"},
)


class SourceError(ValueError):
    """``protocol.toml`` contradicts itself; the message says where."""


@dataclass(frozen=True)
class FieldDef:
    """One field as written in the source."""

    name: str
    kind: str
    doc: str
    minimum: int
    maximum: int
    count: int
    tail: bool
    least: int
    most: int
    stride: int
    enum: str
    unit: str

    @property
    def size(self) -> int:
        """Bytes of one value."""
        return SIZES[self.kind]

    @property
    def fixed_size(self) -> int:
        """Bytes that are always there."""
        return self.least if self.tail else self.size * max(self.count, 1)


@dataclass(frozen=True)
class MessageDef:
    """One message as written in the source: a request, a reply, an event or the refusal."""

    name: str
    kind: int
    doc: str
    fields: tuple[FieldDef, ...]
    role: str
    reply: str = ""

    @property
    def size(self) -> int:
        """Bytes of the smallest payload."""
        return sum(field.fixed_size for field in self.fields)

    @property
    def largest(self) -> int:
        """Bytes of the greatest payload."""
        return sum(field.most if field.tail else field.fixed_size for field in self.fields)


@dataclass(frozen=True)
class Protocol:
    """The whole source, checked."""

    numbers: dict[str, int]
    limits: dict[str, int]
    lights: dict[str, dict[str, int]]
    parts: dict[str, int]
    enums: dict[str, dict[str, int]]
    messages: tuple[MessageDef, ...]


def load(path: Path) -> Protocol:
    """Return the checked contents of the source.

    Raises:
        SourceError: two messages share a kind, a range does not fit its type, a payload is too long.
    """
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    enums: dict[str, dict[str, int]] = raw["enum"]
    messages: list[MessageDef] = []
    for request in raw["request"]:
        answers = not request.get("no_reply", False)
        reply = f"{request['name']}_reply" if answers else ""
        _require(0x01 <= request["id"] <= 0x3F, f"{request['name']}: a request is 0x01 to 0x3f")
        messages.append(_message(request, request["id"], request["fields"], "request", enums, reply))
        if answers:
            about = {"name": reply, "doc": f"Answer {request['name']}."}
            messages.append(_message(about, request["id"] | 0x80, request["reply"], "reply", enums))
    for event in raw["event"]:
        _require(0xC1 <= event["id"] <= 0xFE, f"{event['name']}: an event is 0xc1 to 0xfe")
        messages.append(_message(event, event["id"], [*EVENT_HEADER, *event["fields"]], "event", enums))
    messages.extend(_message(a, a["id"], a["fields"], "answer", enums) for a in raw["answer"])
    protocol = Protocol(raw["protocol"], raw["limits"], raw["lights"], raw["parts"], enums, tuple(messages))
    _check(protocol)
    return protocol


def _message(
    source: dict[str, Any],
    kind: int,
    fields: list[dict[str, Any]],
    role: str,
    enums: dict[str, dict[str, int]],
    reply: str = "",
) -> MessageDef:
    made = tuple(_field(f, enums) for f in fields)
    _require(all(not f.tail for f in made[:-1]), f"{source['name']}: only the last field may be a tail")
    return MessageDef(source["name"], kind, source["doc"], made, role, reply)


def _field(source: dict[str, Any], enums: dict[str, dict[str, int]]) -> FieldDef:
    top = 256 ** SIZES[source["type"]] - 1
    enum = source.get("enum", "")
    members = enums[enum].values() if enum else ()
    made = FieldDef(
        name=source["name"],
        kind=source["type"],
        doc=source["doc"],
        minimum=min(members) if enum else source.get("min", 0),
        maximum=max(members) if enum else source.get("max", top),
        count=source.get("count", 0),
        tail=source.get("tail", False),
        least=source.get("min_count", 0),
        most=source.get("max_count", 0),
        stride=source.get("stride", 1),
        enum=enum,
        unit=source.get("unit", ""),
    )
    _require(0 <= made.minimum <= made.maximum <= top, f"{made.name}: its range does not fit {made.kind}")
    _require(not made.tail or made.kind == "u8", f"{made.name}: a tail is u8")
    return made


def _check(protocol: Protocol) -> None:
    kinds = [m.kind for m in protocol.messages]
    _require(len(set(kinds)) == len(kinds), "two messages share a kind")
    for message in protocol.messages:
        limit = protocol.numbers["max_payload" if message.role == "request" else "max_reply"]
        _require(message.largest <= limit, f"{message.name}: {message.largest} bytes, at most {limit}")
    ends = sorted((group["first"], group["count"]) for group in protocol.lights.values())
    for (first, count), (following, _) in zip(ends, [*ends[1:], (protocol.limits["light_count"], 0)], strict=True):
        _require(first + count == following, f"the lights have a gap or an overlap at {following}")


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise SourceError(f"protocol.toml: {complaint}")
