"""The two documents that describe the API: OpenAPI for requests, AsyncAPI for streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from api.commands import COMMANDS
from api.context import problem_docs
from api.routes.table import event_types
from api.schemas import EventOut, PlayExample, ProblemOut, SnapshotOut

Told = dict[str, Any]
"""A part of a document, as JSON."""

_TEMPLATE = "#/components/schemas/{model}"
_ABOUT = (
    "One table: what stands on it, what happened, and a live stream. Numbers of events are gapless within a "
    "match; unknown types and fields are to be ignored. Errors are problem details (RFC 9457)."
)


def openapi_document(app: FastAPI, routes: Sequence[BaseRoute]) -> Told:
    """Return the OpenAPI document, with what FastAPI cannot know of: the stream and the shape of problems."""
    made = get_openapi(title=app.title, version=app.version, routes=routes, description=_ABOUT)
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    schemas["ProblemOut"] = ProblemOut.model_json_schema(ref_template=_TEMPLATE)
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    made["paths"]["/api/v1/live"] = {"get": _stream()}
    for methods in made["paths"].values():
        if "get" in methods:
            methods["head"] = _head(methods["get"])
    return made


def _head(get: Told) -> Told:
    """Return the operation that answers like `get` without a body."""
    told = {
        status: {name: part for name, part in answer.items() if name != "content"}
        for status, answer in get["responses"].items()
    }
    summary = f"{get['summary']}: the head alone"
    description = "The status and headers of the GET, without its body."
    names = {"summary": summary, "description": description, "operationId": f"{get['operationId']}_head"}
    return {**get, **names, "responses": told}


def _stream() -> Told:
    number = {"type": "integer", "minimum": 0, "maximum": 10**15 - 1}
    told = "Number of the last event that the reader has; the stream goes on after it."
    return {
        "tags": ["table"],
        "summary": "Live",
        "operationId": "live",
        "description": "Server-Sent Events: `snapshot` on joining, then `event` and `snapshot` for whatever "
        "happens, and a `beat` at times; its silence means that the server is gone. See the AsyncAPI document.",
        "parameters": [
            {"name": "Last-Event-ID", "in": "header", "required": False, "schema": number, "description": told},
            {"name": "after", "in": "query", "required": False, "schema": number, "description": told},
        ],
        "responses": {
            "200": {
                "description": "The stream; it ends only with the connection.",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            },
            **{str(status): told for status, told in problem_docs(503).items()},
        },
    }


@dataclass(frozen=True)
class _Part:
    """What an AsyncAPI document says of one stream."""

    channels: Told
    operations: Told
    messages: Told
    schemas: Told


def asyncapi_document(app: FastAPI, desk: bool) -> Told:
    """Return the AsyncAPI 3 document: the live stream, a club's broker and, at the desk's door, its socket."""
    parts = [_live(), _club(), *([_desk()] if desk else [])]

    def all_of(kind: str) -> Told:
        return {name: told for part in parts for name, told in getattr(part, kind).items()}

    return {
        "asyncapi": "3.0.0",
        "info": {"title": app.title, "version": app.version, "description": _ABOUT},
        "defaultContentType": "application/json",
        "channels": all_of("channels"),
        "operations": all_of("operations"),
        "components": {"messages": all_of("messages"), "schemas": all_of("schemas")},
        "x-event-types": event_types(),
    }


def _live() -> _Part:
    """Return the stream of Server-Sent Events."""
    schemas: Told = {}
    for model in (EventOut, SnapshotOut):
        schema = model.model_json_schema(ref_template=_TEMPLATE)
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    schemas["Beat"] = {
        "type": "object",
        "required": ["seq", "state", "since", "at", "every_s"],
        "properties": {
            "seq": {"type": "integer"},
            "state": {"enum": ["live", "stale"]},
            "since": {"type": "string", "format": "date-time"},
            "at": {"type": "string", "format": "date-time"},
            "every_s": {"type": "number"},
        },
    }
    messages = {
        "event": _message("One numbered event.", "EventOut", PlayExample),
        "snapshot": _message("The table after the newest event.", "SnapshotOut"),
        "beat": _message("A sign of life.", "Beat"),
    }
    told = "Server-Sent Events; the id of a message is its event's number."
    channels = {"live": _channel("/api/v1/live", told, tuple(messages))}
    return _Part(channels, {"show": _operation("send", "live")}, messages, schemas)


def _club() -> _Part:
    """Return the topics of the table on the broker of its club."""
    schemas = {
        "ClubEvent": {
            "type": "object",
            "required": ["event_id", "match_id", "seq", "type", "at", "body"],
            "properties": {
                "event_id": {"type": "string", "description": "Match and number; whoever gets it twice knows it."},
                "match_id": {"type": "string"},
                "seq": {"type": "integer", "minimum": 1},
                "type": {"type": "string"},
                "at": {"type": ["string", "null"], "format": "date-time"},
                "body": {"$ref": "#/components/schemas/EventOut"},
            },
        },
        "ClubAck": {
            "type": "object",
            "required": ["match_id", "seq"],
            "properties": {"match_id": {"type": "string"}, "seq": {"type": "integer", "minimum": 0}},
        },
        "Presence": {"enum": ["online", "offline"]},
    }
    messages = {
        "club_event": _message("One event of a match, in order; again where the hub did not get it.", "ClubEvent"),
        "club_ack": _message("Up to where the hub has stored a match without a gap.", "ClubAck"),
        "club_status": _message("Whether the table is there; plain text.", "Presence"),
    }
    channels = {
        "club_event": _topic("event", "club_event", "Every event, QoS 1."),
        "club_state": _topic("state", "snapshot", "The newest snapshot, QoS 1, retained."),
        "club_status": _topic("status", "club_status", "QoS 1, retained; `offline` is the table's last will."),
        "club_ack": _topic("ack", "club_ack", "From the hub alone: QoS 1, retained."),
    }
    operations = {name: _operation("receive" if name == "club_ack" else "send", name) for name in channels}
    return _Part(channels, operations, messages, schemas)


def _desk() -> _Part:
    """Return the socket of the desk."""
    commands = "A command; its bodies are those of OpenAPI's `/api/v1/desk`."
    messages = {
        "desk_message": _message("What happened, how it stands, or the reply to a command.", "DeskMessage"),
        "desk_token": _message("The first message: who is there.", "DeskToken"),
        "desk_command": _message(commands, "DeskCommand"),
    }
    told = "WebSocket; the first message holds the token, nothing is sent before it."
    channels = {"desk": _channel("/api/v1/desk/socket", told, tuple(messages))}
    operations = {
        "desk_told": _operation("send", "desk", "desk_message"),
        "desk_asked": _operation("receive", "desk", "desk_token", "desk_command"),
    }
    return _Part(channels, operations, messages, _desk_schemas())


def _desk_schemas() -> Told:
    """Return the shapes of the desk's socket."""
    snapshot, event = ({"$ref": f"#/components/schemas/{name}"} for name in ("SnapshotOut", "EventOut"))
    return {
        "DeskMessage": {
            "type": "object",
            "required": ["kind"],
            "properties": {
                "kind": {"enum": ["welcome", "event", "snapshot", "reply"]},
                "event": event,
                "snapshot": snapshot,
                "tag": {"type": "string", "description": "The entity tag for `if_match`."},
                "id": {"type": ["integer", "null"], "description": "Of the command that is answered."},
                "seq": {"type": "integer"},
                "event_id": {"type": "string"},
                "problem": {"type": "object", "required": ["status", "detail"]},
            },
        },
        "DeskToken": {"type": "object", "required": ["token"], "properties": {"token": {"type": "string"}}},
        "DeskCommand": {
            "type": "object",
            "required": ["id", "command"],
            "properties": {
                "id": {"type": "integer"},
                "command": {"enum": [command.name for command in COMMANDS]},
                "body": {"type": "object"},
                "if_match": {"type": "string"},
                "key": {"type": "string", "description": "As `Idempotency-Key`."},
            },
        },
    }


def _message(summary: str, schema: str, example: Told | None = None) -> Told:
    made: Told = {"summary": summary, "payload": {"$ref": f"#/components/schemas/{schema}"}}
    return made | ({"examples": [{"payload": example}]} if example else {})


def _channel(address: str, description: str, names: Sequence[str]) -> Told:
    return {
        "address": address,
        "description": description,
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
    }


def _topic(kind: str, message: str, description: str) -> Told:
    """Return one topic of a table on the broker of its club."""
    made = _channel(f"barpoint/v1/{{club}}/tables/{{table}}/{kind}", f"MQTT 5. {description}", (message,))
    parameters = {"club": {"description": "`club.id` of the settings."}, "table": {"description": "`table.id`."}}
    return made | {"parameters": parameters}


def _operation(action: str, channel: str, *messages: str) -> Told:
    """Return what this table does on a channel, seen from the table."""
    told: Told = {"action": action, "channel": {"$ref": f"#/channels/{channel}"}}
    if messages:
        told["messages"] = [{"$ref": f"#/channels/{channel}/messages/{name}"} for name in messages]
    return told
