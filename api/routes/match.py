"""The match on the table and its games, and the record of it to keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request, Response

from api.context import NOT_MODIFIED, ContextDep, answer, not_modified, problem_docs, tag_of
from api.problems import Problem
from api.schemas import EventOut, GameOut, MatchOut
from api.visibility import PublicTable
from controller.errors import IllegalActionError
from controller.records import write_record

router = APIRouter(prefix="/api/v1", tags=["match"])

_TYPES = {
    "mat": "text/plain; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "sgf": "application/x-go-sgf; charset=utf-8",
    "json": "application/json",
}
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "text/plain": {"schema": {"type": "string"}},
            "application/x-go-sgf": {"schema": {"type": "string"}},
            "application/json": {"schema": {"type": "object"}},
        }
    }
}


def line_of(table: PublicTable) -> list[dict[str, Any]]:
    """Return all events of the match that hold; a correction takes back what came from its event on."""
    line: list[dict[str, Any]] = []
    for event in _all_events(table):
        if event["type"] == "correction":
            of = event.get("of", event["seq"])
            line = [other for other in line if other["seq"] < of]
        line.append(event)
    return line


def _all_events(table: PublicTable) -> Iterator[dict[str, Any]]:
    after = 0
    while page := table.events(after, 500):
        yield from page
        after = page[-1]["seq"]


def games_of(line: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one summary a game, oldest first."""
    games: dict[int, dict[str, Any]] = {}
    for event in line:
        number = event.get("game")
        if not isinstance(number, int) or number < 1:
            continue
        blank = {"winner": None, "points": None, "kind": None, "plays": 0}
        game = games.setdefault(number, {"game": number, "first_seq": event["seq"], "last_seq": 0, **blank})
        game["last_seq"] = event["seq"]
        if event["type"] == "play":
            game["plays"] += 1
        elif event["type"] == "game_end":
            game |= {name: event.get(name) for name in ("winner", "points", "kind")}
    return list(games.values())


@router.get("/match", response_model=MatchOut, responses=problem_docs() | NOT_MODIFIED)
async def match(request: Request, context: ContextDep) -> Response:
    """Say who plays for what, how it stands, and where each game begins."""
    now = context.table.snapshot()
    names = ("match_id", "seq", "phase", "players", "length", "rules", "crawford", "score", "settlement", "game")
    body = {name: now[name] for name in names} | {"games": games_of(line_of(context.table))}
    return answer(request, body, tag_of(now))


Number = Annotated[int, Path(ge=1, le=1000, description="Number of the game, from 1.")]


@router.get("/games/{game}", response_model=GameOut, responses=problem_docs(404, 422) | NOT_MODIFIED)
async def game(request: Request, context: ContextDep, game: Number) -> Response:
    """Say how one game went."""
    found = next((one for one in games_of(line_of(context.table)) if one["game"] == game), None)
    if found is None:
        raise Problem(404, f"there is no game {game}")
    return answer(request, found, f"{tag_of(context.table.snapshot())}:{game}")


@router.get("/games/{game}/events", response_model=list[EventOut], responses=problem_docs(404, 422) | NOT_MODIFIED)
async def game_events(request: Request, context: ContextDep, game: Number) -> Response:
    """List the events of one game that hold, corrections made."""
    found: list[Mapping[str, Any]] = [event for event in line_of(context.table) if event.get("game") == game]
    if not found:
        raise Problem(404, f"there is no game {game}")
    return answer(request, found, f"{tag_of(context.table.snapshot())}:{game}")


@router.get(
    "/record.{ending}", response_class=Response, responses=problem_docs(404, 409, 422) | NOT_MODIFIED | _FILES
)
async def record(request: Request, context: ContextDep, ending: Literal["mat", "txt", "sgf", "json"]) -> Response:
    """Return the match as a file for XG, GNU Backgammon and other programs."""
    now = context.table.snapshot()
    if now["phase"] == "waiting":
        raise Problem(404, "there is no match yet")
    tag = f"{tag_of(now)}:{ending}"
    if same := not_modified(request, tag):
        return same
    try:
        written = write_record(context.table.record(), f"match.{ending}")
    except IllegalActionError as error:
        raise Problem(409, str(error)) from error
    headers = {
        "Content-Disposition": f'attachment; filename="{_file_name(now["match_id"])}.{ending}"',
        "ETag": f'"{tag}"',
        "Cache-Control": "no-cache",
    }
    return Response(written.text.encode(), media_type=_TYPES[ending], headers=headers)


def _file_name(match_id: str) -> str:
    return "".join(char for char in match_id if char.isalnum() or char in "-_")[:40] or "match"
