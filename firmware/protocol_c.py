"""Write the protocol as a C header, and golden frames as C tests."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protocol_source import FieldDef, MessageDef, Protocol


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
