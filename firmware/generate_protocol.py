"""Generate the protocol of the board from ``protocol.toml``: the C header, the Python module, the golden table.

Usage::

    python firmware/generate_protocol.py                      # write both committed files
    python firmware/generate_protocol.py --check              # exit 1 when a committed file is not current
    python firmware/generate_protocol.py --golden IN OUT      # golden frames as a C table, for the host tests
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "protocol.toml"
HEADER = HERE / "src" / "protocol_gen.h"
MODULE = HERE.parent / "controller" / "protocol" / "_generated.py"

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


# ---- C ----------------------------------------------------------------------------------------------------


def c_header(protocol: Protocol) -> str:
    """Return the C header: constants, one struct per message, one reader and one writer each."""
    return "\n".join([*_c_constants(protocol), *_c_messages(protocol), "#endif", ""])


def _c_constants(protocol: Protocol) -> Iterator[str]:
    yield "/* Generated from protocol.toml by generate_protocol.py; do not edit. */"
    yield "#ifndef PROTOCOL_GEN_H"
    yield "#define PROTOCOL_GEN_H"
    yield ""
    yield "#include <stdbool.h>"
    yield "#include <stdint.h>"
    yield "#include <string.h>"
    yield ""
    for name, value in protocol.numbers.items():
        yield f"#define PROTOCOL_{name.upper()} {value}UL"
    for name, value in protocol.limits.items():
        yield f"#define {name.upper()} {value}"
    for name, group in protocol.lights.items():
        yield f"#define LIGHT_{name.upper()} {group['first']}"
        yield f"#define LIGHT_{name.upper()}_COUNT {group['count']}"
    for name, value in protocol.parts.items():
        yield f"#define PART_{name.upper()} 0x{value:04x}u"
    for enum, members in protocol.enums.items():
        yield ""
        yield f"enum {enum} {{"
        yield from (f"    {enum.upper()}_{name.upper()} = {value}," for name, value in members.items())
        yield "};"
    yield ""
    yield "enum kind {"
    yield from (f"    KIND_{m.name.upper()} = 0x{m.kind:02X}," for m in protocol.messages)
    yield "};"
    yield ""
    yield "enum payload_size {"
    yield from (f"    SIZE_{m.name.upper()} = {m.size}," for m in protocol.messages)
    yield "};"


def _c_messages(protocol: Protocol) -> Iterator[str]:
    for message in protocol.messages:
        yield ""
        yield f"/* {message.doc} */"
        yield f"struct {message.name} {{"
        if not message.fields:
            yield "    uint8_t unused;"
        for field in message.fields:
            unit = f", {field.unit}" if field.unit else ""
            yield f"    {_c_member(field)} /* {field.doc}{unit} */"
        yield "};"
        yield ""
        yield from _c_reader(message)
        yield ""
        yield from _c_writer(message)
    yield ""


def _c_member(field: FieldDef) -> str:
    if field.tail:
        return f"const uint8_t *{field.name}; uint8_t {field.name}_count;"
    array = f"[{field.count}]" if field.count else ""
    return f"uint{field.size * 8}_t {field.name}{array};"


def _c_reader(message: MessageDef) -> Iterator[str]:
    yield "/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */"
    yield f"static inline uint8_t {message.name}_read("
    yield f"    struct {message.name} *m, const uint8_t *p, uint8_t length) {{"
    if not message.fields:
        yield "    (void)p;"
        yield "    (void)length;"
        yield "    m->unused = 0;"
        yield "    return 0;"
        yield "}"
        return
    yield f"    if (length < SIZE_{message.name.upper()}) return REFUSAL_LENGTH;"
    offset = 0
    for field in message.fields:
        if field.tail:
            yield f"    m->{field.name} = p + {offset};"
            yield f"    m->{field.name}_count = (uint8_t)(length - {offset});"
            yield f"    if (m->{field.name}_count > {field.most} || m->{field.name}_count % {field.stride} != 0)"
            yield "        return REFUSAL_LENGTH;"
        elif field.count:
            yield f"    for (uint8_t i = 0; i < {field.count}; i++) {{"
            at = f"p + {offset} + {field.size} * i"
            yield f"        m->{field.name}[i] = {_c_load(field.size, at)};"
            yield from (f"    {line}" for line in _c_range(field, f"m->{field.name}[i]"))
            yield "    }"
        else:
            yield f"    m->{field.name} = {_c_load(field.size, f'p + {offset}')};"
            yield from _c_range(field, f"m->{field.name}")
        offset += field.fixed_size
    yield "    return 0;"
    yield "}"


def _c_load(size: int, at: str) -> str:
    if size == 1:
        return f"*({at})"
    parts = (f"(uint{size * 8}_t)(({at})[{i}]) << {8 * i}" for i in range(size))
    return f"(uint{size * 8}_t)({' | '.join(parts)})"


def _c_range(field: FieldDef, value: str) -> Iterator[str]:
    checks = []
    if field.minimum > 0:
        checks.append(f"{value} < {field.minimum}")
    if field.maximum < 256**field.size - 1:
        checks.append(f"{value} > {field.maximum}")
    if checks:
        yield f"    if ({' || '.join(checks)}) return REFUSAL_RANGE;"


def _c_writer(message: MessageDef) -> Iterator[str]:
    yield "/* Returns the length of the payload. */"
    yield f"static inline uint8_t {message.name}_write(const struct {message.name} *m, uint8_t *p) {{"
    if not message.fields:
        yield "    (void)m;"
        yield "    (void)p;"
        yield "    return 0;"
        yield "}"
        return
    offset = 0
    tail = ""
    for field in message.fields:
        if field.tail:
            yield f"    memcpy(p + {offset}, m->{field.name}, m->{field.name}_count);"
            tail = f" - {field.fixed_size} + m->{field.name}_count"
        elif field.count:
            yield f"    for (uint8_t i = 0; i < {field.count}; i++) {{"
            for i in range(field.size):
                shift = f" >> {8 * i}" if i else ""
                yield f"        p[{offset} + {field.size} * i + {i}] = (uint8_t)(m->{field.name}[i]{shift});"
            yield "    }"
        else:
            for i in range(field.size):
                shift = f" >> {8 * i}" if i else ""
                yield f"    p[{offset + i}] = (uint8_t)(m->{field.name}{shift});"
        offset += field.fixed_size
    size = f"SIZE_{message.name.upper()}"
    yield f"    return (uint8_t)({size}{tail});" if tail else f"    return {size};"
    yield "}"


# ---- Python -----------------------------------------------------------------------------------------------


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def py_module(protocol: Protocol) -> str:
    """Return the Python module: constants, enums, one frozen dataclass per message."""
    return "\n".join([*_py_head(protocol), *_py_messages(protocol), *_py_tables(protocol), ""])


def _py_head(protocol: Protocol) -> Iterator[str]:
    yield '"""Messages of the board, generated from firmware/protocol.toml: do not edit."""'
    yield ""
    yield "from __future__ import annotations"
    yield ""
    yield "from dataclasses import dataclass"
    yield "from enum import IntEnum, IntFlag"
    yield "from typing import ClassVar"
    yield ""
    yield "from controller.protocol.codec import HEADER, Event, Field, Message, Request"
    yield ""
    for name, value in protocol.numbers.items():
        yield f"{name.upper()} = {value}"
    for name, value in protocol.limits.items():
        yield f"{name.upper()} = {value}"
    for name, group in protocol.lights.items():
        yield f"LIGHT_{name.upper()} = range({group['first']}, {group['first'] + group['count']})"
    for enum, members in protocol.enums.items():
        yield from ("", "", f"class {_camel(enum)}(IntEnum):")
        yield f'    """Values of the table ``{enum}``."""'
        yield ""
        yield from (f"    {name.upper()} = {value}" for name, value in members.items())
    yield from ("", "", "class Parts(IntFlag):")
    yield '    """What a build of the firmware drives."""'
    yield ""
    yield from (f"    {name.upper()} = 0x{value:04X}" for name, value in protocol.parts.items())


def _py_messages(protocol: Protocol) -> Iterator[str]:
    # A reply stands before its request in the module, so that the request can name it.
    for message in sorted(protocol.messages, key=lambda m: m.role == "request"):
        yield from _py_message(message)


def _py_message(message: MessageDef) -> Iterator[str]:
    base = "Message"
    if message.role == "event":
        base = "Event"
    elif message.role == "request":
        base = f"Request[{_camel(message.reply) if message.reply else 'Message'}]"
    own = message.fields[len(EVENT_HEADER) :] if message.role == "event" else message.fields
    yield from ("", "", "@dataclass(frozen=True, slots=True)", f"class {_camel(message.name)}({base}):")
    if not own:
        yield f'    """{message.doc}"""'
    else:
        yield f'    """{message.doc}'
        yield ""
        yield "    Attributes:"
        for field in own:
            unit = f", in {field.unit}" if field.unit else ""
            yield f"        {field.name}: {field.doc}{unit}."
        yield '    """'
    yield ""
    yield f"    KIND: ClassVar[int] = 0x{message.kind:02X}"
    if message.role == "request":
        reply = _camel(message.reply) if message.reply else "None"
        yield f"    REPLY: ClassVar[type[Message] | None] = {reply}"
    if len(own) == 1 and message.role != "event":
        yield f"    FIELDS: ClassVar[tuple[Field, ...]] = ({_py_field(own[0])},)"
    elif own:
        yield "    FIELDS: ClassVar[tuple[Field, ...]] = ("
        if message.role == "event":
            yield "        *HEADER,"
        yield from (f"        {_py_field(field)}," for field in own)
        yield "    )"
    else:
        yield "    FIELDS: ClassVar[tuple[Field, ...]] = ()"
    if own:
        yield ""
    for field in own:
        yield f"    {field.name}: {_py_type(field)}"


def _py_field(field: FieldDef) -> str:
    extra = ""
    if field.tail:
        extra = f", count={field.least}, tail=True, stride={field.stride}, most={field.most}"
    elif field.count:
        extra = f", count={field.count}"
    if field.enum:
        extra += f", enum={_camel(field.enum)}"
    return f'Field("{field.name}", {field.size}, {field.minimum}, {field.maximum}{extra})'


def _py_type(field: FieldDef) -> str:
    if field.tail or (field.count and field.size == 1):
        return "bytes"
    if field.count:
        return "tuple[int, ...]"
    return _camel(field.enum) if field.enum else "int"


def _py_tables(protocol: Protocol) -> Iterator[str]:
    yield ""
    yield ""
    yield "MESSAGES: dict[int, type[Message]] = {"
    yield from (f"    0x{m.kind:02X}: {_camel(m.name)}," for m in protocol.messages)
    yield "}"
    yield '"""Every message by its kind."""'
    names = [name.upper() for name in (*protocol.numbers, *protocol.limits)]
    names += [f"LIGHT_{name.upper()}" for name in protocol.lights]
    names += [_camel(name) for name in (*protocol.enums, "parts", *(m.name for m in protocol.messages))]
    yield ""
    yield "__all__ = ["
    yield from (f'    "{name}",' for name in sorted([*names, "MESSAGES"], key=_all_order))
    yield "]"


def _all_order(name: str) -> tuple[bool, str]:
    """Order constants before classes, as the linter sorts ``__all__``."""
    return not name.isupper(), name


# ---- golden frames ----------------------------------------------------------------------------------------


def golden_table(protocol: Protocol, source: Path) -> str:
    """Return the golden frames of a TOML file as C tests: each is read, compared field by field, and written."""
    golden = tomllib.loads(source.read_text(encoding="utf-8"))
    by_name = {m.name: m for m in protocol.messages}
    lines = ["/* Generated from frames.toml by generate_protocol.py; do not edit. */", ""]
    for number, frame in enumerate(golden["frame"]):
        lines.extend(_golden_case(number, frame, by_name[frame["message"]]))
    lines.append("static void golden_messages(void) {")
    lines.extend(f"    golden_{number}();" for number in range(len(golden["frame"])))
    lines.append("}")
    lines.append("static const struct { const char *bytes; uint8_t length; } golden_damaged[] = {")
    for case in golden["damaged"]:
        data = bytes.fromhex(case["bytes"])
        lines.append(f"    {{{_c_string(data)}, {len(data)}}}, /* {case['why']} */")
    lines.extend(["};", ""])
    return "\n".join(lines)


def _c_string(data: bytes) -> str:
    return '"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'


def _golden_case(number: int, frame: dict[str, Any], message: MessageDef) -> Iterator[str]:
    data = bytes.fromhex(frame["bytes"])
    yield f"static void golden_{number}(void) {{"
    yield f"    const struct frame *frame = golden_decode({_c_string(data)}, {len(data)});"
    yield f"    CHECK(frame->kind == KIND_{message.name.upper()} && frame->seq == {frame['seq']});"
    yield f"    struct {message.name} m;"
    yield f"    CHECK({message.name}_read(&m, frame->payload, frame->length) == 0);"
    for field in message.fields:
        value = frame["fields"][field.name]
        if field.tail:
            tail = bytes(value)
            yield f"    CHECK(m.{field.name}_count == {len(tail)});"
            yield f"    CHECK(memcmp(m.{field.name}, {_c_string(tail)}, {len(tail)}) == 0);"
        elif field.count:
            yield from (f"    CHECK(m.{field.name}[{i}] == {one}u);" for i, one in enumerate(value))
        else:
            yield f"    CHECK(m.{field.name} == {value}u);"
    yield "    uint8_t payload[256];"
    yield f"    uint8_t length = {message.name}_write(&m, payload);"
    yield f"    golden_encode(frame->kind, {frame['seq']}, payload, length, {_c_string(data)}, {len(data)});"
    yield "}"
    yield ""


# ---- command line -----------------------------------------------------------------------------------------


def main(arguments: list[str]) -> int:
    """Run the generator; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the committed files are current")
    parser.add_argument("--golden", nargs=2, type=Path, metavar=("IN", "OUT"), help="golden frames as a C table")
    options = parser.parse_args(arguments)
    protocol = load(SOURCE)
    if options.golden:
        source, target = options.golden
        target.write_text(golden_table(protocol, source), encoding="utf-8")
        return 0
    outputs = {HEADER: c_header(protocol), MODULE: py_module(protocol)}
    stale = [p for p, text in outputs.items() if not p.exists() or p.read_text(encoding="utf-8") != text]
    if options.check:
        for path in stale:
            print(
                f"{path.relative_to(HERE.parent)} is not current: run firmware/generate_protocol.py",
                file=sys.stderr,
            )
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(outputs[path], encoding="utf-8")
        print(f"wrote {path.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
