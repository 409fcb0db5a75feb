"""Write the protocol as a page for people."""

from __future__ import annotations

from collections.abc import Iterator

from protocol_source import MessageDef, Protocol


def description(protocol: Protocol) -> str:
    """Return the protocol as a page for people."""
    return "\n".join([*_md_head(protocol), *_md_messages(protocol), ""])


def _md_head(protocol: Protocol) -> Iterator[str]:
    numbers = protocol.numbers
    yield f"# Protocol of the Barpoint board, version {numbers['major']}.{numbers['minor']}"
    yield ""
    yield "Generated from `protocol.toml` by `generate_protocol.py`; do not edit. How the messages work together"
    yield "stands in [README.md](README.md). Integers are little endian."
    yield ""
    yield f"{numbers['baud']} baud, 8N1. A payload is at most {numbers['max_payload']} bytes to the board and"
    yield f"{numbers['max_reply']} bytes from it."
    yield ""
    yield "## Lights"
    yield ""
    yield "| group | index |"
    yield "|---|---|"
    for name, group in protocol.lights.items():
        yield f"| {name} | {group['first']} to {group['first'] + group['count'] - 1} |"
    yield ""
    yield "## Tables"
    yield ""
    yield "| table | values |"
    yield "|---|---|"
    for enum, members in {"parts (bits)": protocol.parts, **protocol.enums}.items():
        yield f"| {enum} | {', '.join(f'{value} {name}' for name, value in members.items())} |"


def _md_messages(protocol: Protocol) -> Iterator[str]:
    titles = {"request": "Requests and their replies", "event": "Events", "answer": "Refusal"}
    for role, title in titles.items():
        yield from ("", f"## {title}")
        for message in protocol.messages:
            if message.role != role:
                continue
            yield from _md_message(message)
            replies = (reply for reply in protocol.messages if reply.name == message.reply)
            for reply in replies:
                yield from _md_fields(f"Reply 0x{reply.kind:02X}", reply)


def _md_message(message: MessageDef) -> Iterator[str]:
    yield from ("", f"### {message.name} (0x{message.kind:02X})", "", message.doc)
    yield from _md_fields("Payload", message)


def _md_fields(title: str, message: MessageDef) -> Iterator[str]:
    yield ""
    if not message.fields:
        yield f"{title}: empty."
        return
    yield f"| {title} | type | range | meaning |"
    yield "|---|---|---|---|"
    for field in message.fields:
        kind = field.kind + (f" x {field.count}" if field.count else "")
        if field.tail:
            kind = f"{field.kind} x {field.least} to {field.most}, by {field.stride}"
        limits = f"table {field.enum}" if field.enum else f"{field.minimum} to {field.maximum}"
        unit = f", {field.unit}" if field.unit else ""
        yield f"| {field.name} | {kind} | {limits} | {field.doc}{unit} |"
