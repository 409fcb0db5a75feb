"""What the routes of one door work on, and how they get it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from starlette.types import ASGIApp

from api.metrics import Metrics
from api.problems import Problem
from api.stream import Hub
from api.visibility import PublicTable
from controller.errors import IllegalActionError


@dataclass(frozen=True)
class Context:
    """One door's view of one table.

    Attributes:
        table: what this door may see; a delayed view where the event asks for one.
        hub: its live stream.
        metrics: its counters.
    """

    table: PublicTable
    hub: Hub
    metrics: Metrics


@dataclass(frozen=True)
class Shortcut:
    """The way of a live stream past the framework, whose layers would cost memory and time for each viewer.

    Attributes:
        paths: of the streams.
        door: answers them, with the same checks as everything else.
    """

    paths: frozenset[str]
    door: ASGIApp


def context_of(request: Request) -> Context:
    """Return the context for whoever asks; people of the desk, known by their token, see without delay."""
    desk = getattr(request.app.state, "desk", None)
    context: Context = request.app.state.context
    whole: Context | None = getattr(request.app.state, "whole", None)
    if desk is None or whole is None:
        return context
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return whole if scheme.lower() == "bearer" and desk.tokens.person(token) is not None else context


ContextDep = Annotated[Context, Depends(context_of)]


def problem_docs(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the documentation of error answers for OpenAPI: `statuses`, and what every route can answer."""
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemOut"}}}
    told = {
        400: "The request cannot be read.",
        401: "No token, or one that is not known.",
        403: "The role of this token may not do that.",
        404: "There is nothing here.",
        405: "This resource has no such method.",
        408: "The body took too long to arrive.",
        409: "Well formed, but not allowed at this moment.",
        412: "The table has moved on since `If-Match`.",
        413: "The body is too long.",
        415: "This kind of body is not read here.",
        421: "This table does not answer to that host name.",
        422: "The request does not fit its schema.",
        428: "A write names with `If-Match` the event it is based on.",
        429: "Too many requests from this address; `Retry-After` says when.",
        503: "A part of the table does not answer now; `Retry-After` says when.",
    }
    wanted = sorted({400, 421, 429, *statuses})
    return {status: {"description": told[status], "content": content} for status in wanted}


def snapshot_at(table: PublicTable, seq: int | None) -> dict[str, Any]:
    """Return the newest snapshot, or the one after event `seq`, as JSON values.

    Raises:
        Problem: 404 where there is no such event.
    """
    if seq is None:
        return table.snapshot()
    try:
        return table.snapshot_at(seq)
    except IllegalActionError as error:
        raise Problem(404, str(error)) from error


def tag_of(snapshot: Mapping[str, Any]) -> str:
    """Return the entity tag of the table as a snapshot shows it, without quotes."""
    return f"{snapshot['match_id']}:{snapshot['seq']}"


def answer(request: Request, body: Mapping[str, Any] | list[Any], tag: str, link: str = "") -> Response:
    """Return JSON with an entity tag, or 304 when the client has this very version."""
    if same := not_modified(request, tag):
        return same
    headers = {"ETag": f'"{tag}"', "Cache-Control": "no-cache"} | ({"Link": link} if link else {})
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Response(text.encode(), media_type="application/json", headers=headers)


def not_modified(request: Request, tag: str) -> Response | None:
    """Return 304 when the client has the version `tag`, else None."""
    etag = f'"{tag}"'
    known = {part.strip().removeprefix("W/") for part in request.headers.get("if-none-match", "").split(",")}
    if etag not in known and "*" not in known:
        return None
    return Response(status_code=304, headers={"ETag": etag, "Cache-Control": "no-cache"})


NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "Not changed since `If-None-Match`."}}
