"""What is on the table now, at any event before, and everything that happened: read only."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from api.context import NOT_MODIFIED, Context, ContextDep, answer, problem_docs, snapshot_at, tag_of
from api.problems import Problem
from api.schemas import EventOut, PositionOut, SnapshotOut, TableOut

router = APIRouter(prefix="/api/v1", tags=["table"])

Seq = Annotated[
    int | None, Query(ge=0, le=10**12, description="As it was after this event; without it: now.", examples=[17])
]
After = Annotated[int, Query(ge=0, le=10**12, description="Events with a higher number.", examples=[0])]
Limit = Annotated[int, Query(ge=1, le=500, description="At most so many.", examples=[100])]


@router.get("/table", response_model=TableOut, responses=problem_docs(422) | NOT_MODIFIED)
async def table(request: Request, context: ContextDep) -> Response:
    """Say which table this is, whether it is live, and where everything else is."""
    return answer(request, *_table(context))


def _table(context: Context) -> tuple[dict[str, Any], str]:
    now = context.table.snapshot()
    state = context.hub.state()
    links = {
        name: f"/api/v1/{name}" for name in ("position", "snapshot", "events", "live", "match", "openapi.json")
    }
    if context.table.rolls() is not None:
        links["dice"] = "/api/v1/dice"
    body = {
        "table_id": context.table.table_id,
        "simulated": context.table.simulated,
        "match_id": now["match_id"],
        "seq": now["seq"],
        "phase": now["phase"],
        "state": state["state"],
        "since": state["since"],
        "delay_s": context.table.delay_s,
        "links": links,
    }
    return body, f"{tag_of(now)}:{state['state']}:{body['delay_s']:g}"


@router.get("/position", response_model=PositionOut, responses=problem_docs(404, 422) | NOT_MODIFIED)
async def position(request: Request, context: ContextDep, seq: Seq = None) -> Response:
    """Say where all checkers stand, now or after event `seq`."""
    found = snapshot_at(context.table, seq)
    return answer(request, found["position"], tag_of(found))


@router.get("/snapshot", response_model=SnapshotOut, responses=problem_docs(404, 422) | NOT_MODIFIED)
async def snapshot(request: Request, context: ContextDep, seq: Seq = None) -> Response:
    """Say everything about the game at one moment: what the live stream sends, for one look."""
    found = snapshot_at(context.table, seq)
    return answer(request, found, tag_of(found))


@router.get("/events", response_model=list[EventOut], responses=problem_docs(422) | NOT_MODIFIED)
async def events(request: Request, context: ContextDep, after: After = 0, limit: Limit = 100) -> Response:
    """List what happened, oldest first; `Link: rel="next"` leads to the following page."""
    page = context.table.events(after, limit)
    match_id = context.table.snapshot()["match_id"]
    last = page[-1]["seq"] if page else after
    link = f'</api/v1/events?after={last}&limit={limit}>; rel="next"' if len(page) == limit else ""
    return answer(request, page, f"{match_id}:{after}:{limit}:{last}", link)


Number = Annotated[int, Path(ge=1, le=10**12, description="Number of the event in its match, from 1.")]


@router.get("/events/{seq}", response_model=EventOut, responses=problem_docs(404, 422) | NOT_MODIFIED)
async def event(request: Request, context: ContextDep, seq: Number) -> Response:
    """Say what happened at one number; corrections stand in the line as events of their own."""
    found = context.table.events(seq - 1, 1)
    if not found or found[0]["seq"] != seq:
        raise Problem(404, f"there is no event {seq}; the newest is {context.table.up_to}")
    return answer(request, found[0], f"{context.table.snapshot()['match_id']}:{seq}:event")


@router.get("/tables", response_model=list[TableOut], responses=problem_docs() | NOT_MODIFIED)
async def tables(request: Request, context: ContextDep) -> Response:
    """List the tables of this server: the one."""
    body, tag = _table(context)
    return answer(request, [body], tag)


def event_types() -> list[dict[str, Any]]:
    """Return what each type of event means, for the AsyncAPI document."""
    told = {
        "opening_roll": "the roll that decides who begins",
        "roll": "a roll on the table",
        "play": "a play that stands on the board; `Cannot Move` is a dance",
        "cube": "double, take or drop",
        "game_end": "winner, points and kind of a game",
        "match_end": "winner of the match",
        "question": "what is unclear, and which sites",
        "illegal": "no legal play explains the board: sites and the nearest legal play",
        "obscured": "the board cannot be seen",
        "camera_moved": "camera or board was moved",
        "correction": "the line from event `of` on is derived again and follows with new numbers",
        "clock": "the clocks changed",
        "link": "a part of the table came or went",
    }
    return [{"type": name, "means": means} for name, means in told.items()]
