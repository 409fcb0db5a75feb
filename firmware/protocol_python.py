"""Write the protocol as a Python module."""

from __future__ import annotations

from collections.abc import Iterator

from protocol_source import EVENT_HEADER, FieldDef, MessageDef, Protocol


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
