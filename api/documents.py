"""The two documents that describe the API: OpenAPI for requests, AsyncAPI for streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from api.context import problem_docs
from api.routes.table import event_types
from api.schemas import EventOut, PlayExample, ProblemOut, SnapshotOut

_TEMPLATE = "#/components/schemas/{model}"
_ABOUT = (
    "One table: what stands on it, what happened, and a live stream. Numbers of events are gapless within a "
    "match; unknown types and fields are to be ignored. Errors are problem details (RFC 9457)."
)


def openapi_document(app: FastAPI, routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """Return the OpenAPI document, with what FastAPI cannot know of: the stream and the shape of problems."""
    made = get_openapi(title=app.title, version=app.version, routes=routes, description=_ABOUT)
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    schemas["ProblemOut"] = ProblemOut.model_json_schema(ref_template=_TEMPLATE)
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    made["paths"]["/api/v1/live"] = {"get": _live()}
    for methods in made["paths"].values():
        if "get" in methods:
            methods["head"] = _head(methods["get"])
    return made


def _head(get: dict[str, Any]) -> dict[str, Any]:
    """Return the operation that answers like `get` without a body."""
    told = {
        status: {name: part for name, part in answer.items() if name != "content"}
        for status, answer in get["responses"].items()
    }
    summary = f"{get['summary']}: the head alone"
    description = "The status and headers of the GET, without its body."
    names = {"summary": summary, "description": description, "operationId": f"{get['operationId']}_head"}
    return {**get, **names, "responses": told}


def _live() -> dict[str, Any]:
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


def asyncapi_document(app: FastAPI, desk: bool) -> dict[str, Any]:
    """Return the AsyncAPI 3 document of the live stream and, at the desk's door, of its socket."""
    schemas: dict[str, Any] = {}
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
    channels = {"live": _channel("/api/v1/live", "Server-Sent Events; the id of a message is its event's number.")}
    operations = {"watch": _receive("live")}
    if desk:
        channels["desk"] = _channel("/api/v1/desk/socket", "WebSocket; the first message holds the token.")
        operations["steer"] = _receive("desk")
    return {
        "asyncapi": "3.0.0",
        "info": {"title": app.title, "version": app.version, "description": _ABOUT},
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": {"messages": messages, "schemas": schemas},
        "x-event-types": event_types(),
    }


def _message(summary: str, schema: str, example: dict[str, Any] | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"summary": summary, "payload": {"$ref": f"#/components/schemas/{schema}"}}
    return made | ({"examples": [{"payload": example}]} if example else {})


def _channel(address: str, description: str) -> dict[str, Any]:
    names = ("event", "snapshot", "beat")
    return {
        "address": address,
        "description": description,
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
    }


def _receive(channel: str) -> dict[str, Any]:
    return {"action": "receive", "channel": {"$ref": f"#/channels/{channel}"}}
