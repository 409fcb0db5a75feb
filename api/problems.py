"""Errors as RFC 9457 problem details: the only shape in which this API says no."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.types import Send

from controller.errors import (
    BoardError,
    CalibrationError,
    ConfigError,
    DeviceError,
    IllegalActionError,
    InvalidNotationError,
    InvalidPositionError,
    StorageError,
)

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"

_STATUS: tuple[tuple[type[BoardError], int], ...] = (
    (IllegalActionError, 409),
    (InvalidPositionError, 422),
    (InvalidNotationError, 422),
    (ConfigError, 422),
    (CalibrationError, 422),
    (DeviceError, 503),
    (StorageError, 503),
)


class Problem(HTTPException):
    """An error that a client gets as problem details.

    Attributes:
        status_code: the HTTP status.
        detail: one sentence for a person.
        fields: further members of the problem document.
    """

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None, **fields: Any) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.fields = fields


def body_of(status: int, detail: str, fields: Mapping[str, Any] | None = None) -> bytes:
    """Return one problem document as JSON bytes."""
    document = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return json.dumps(document | dict(fields or {}), ensure_ascii=False).encode()


def response(
    status: int, detail: str, headers: Mapping[str, str] | None = None, fields: Mapping[str, Any] | None = None
) -> Response:
    """Return a problem as a response; it is never cached."""
    return Response(
        body_of(status, detail, fields),
        status,
        {"Cache-Control": "no-store", **(headers or {})},
        media_type=MEDIA_TYPE,
    )


async def send_problem(send: Send, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
    """Answer on the bare ASGI interface, for what stands outside the application."""
    body = body_of(status, detail)
    pairs = {
        "content-type": MEDIA_TYPE,
        "content-length": str(len(body)),
        "cache-control": "no-store",
        **(headers or {}),
    }
    start = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in pairs.items()]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})


def install(app: FastAPI) -> None:
    """Make `app` answer every error as problem details."""
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(BoardError, _board_error)
    app.add_exception_handler(Exception, _bug)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    fields = error.fields if isinstance(error, Problem) else {}
    headers = dict(error.headers or {})
    if error.status_code == 405 and (allowed := methods_of(request.app, request.url.path)):
        headers["Allow"] = ", ".join(sorted(allowed))
    return response(error.status_code, str(error.detail), headers, fields)


def methods_of(app: FastAPI, path: str) -> set[str]:
    """Return every method that some route of `app` has for a path; the router alone tells only those of one."""
    found: set[str] = set()
    for route in iter_route_contexts(app.router.routes):
        pattern, methods = getattr(route, "path_regex", None), getattr(route, "methods", None)
        if pattern is not None and methods and pattern.match(path):
            found |= methods
    return found | ({"HEAD"} if "GET" in found else set())


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = [
        {"at": "/".join(str(part) for part in item["loc"]), "message": str(item["msg"])[:200]}
        for item in error.errors()[:20]
    ]
    first = f"{found[0]['at']}: {found[0]['message']}" if found else "the request does not fit its schema"
    return response(422, first, fields={"errors": found})


async def _board_error(_: Request, error: Exception) -> Response:
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 400)
    headers = {"Retry-After": "5"} if status == 503 else {}
    return response(status, " ".join(str(error).split()), headers)


async def _bug(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return response(500, "something went wrong here; the log of the table says what")
