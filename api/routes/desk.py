"""Commands of the desk over HTTP: a token in the header, a base in `If-Match`, a name in `Idempotency-Key`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import Field

from api.commands import COMMANDS, Body, Command
from api.context import problem_docs
from api.desk import Desk
from api.problems import Problem
from api.schemas import LegalPlayOut, PersonOut, Player, ReceiptOut, TokenOut
from api.tokens import Person, Role
from controller.board import Board, site_at
from controller.errors import IllegalActionError
from controller.rules import Color, Play, Point, legal_plays, parse_roll, write_play

bearer = HTTPBearer(auto_error=False, description="The token that `barpoint run` shows at its first start.")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
IfMatch = Annotated[
    str | None, Header(max_length=200, description='The `ETag` this is based on, as in `"MATCH:17"`; `*` for any.')
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        max_length=120, description="The id of the event this shall become; a retry with it is not done twice."
    ),
]

_WRITES = problem_docs(401, 403, 408, 409, 412, 413, 422, 428, 503)


def desk_of(request: Request) -> Desk:
    """Return the desk of the application that answers this request."""
    desk: Desk = request.app.state.desk
    return desk


DeskDep = Annotated[Desk, Depends(desk_of)]


def admitted(role: Role) -> Callable[..., Awaitable[Person]]:
    """Return a dependency that admits whoever has `role` or more."""

    async def admit(request: Request, desk: DeskDep, credentials: Credentials) -> Person:
        client = request.client.host if request.client else "-"
        return desk.admit(credentials.credentials if credentials else None, client, role)

    return admit


Anybody = Annotated[Person, Depends(admitted(Role.VIEWER))]
Scorer = Annotated[Person, Depends(admitted(Role.SCORER))]
Admin = Annotated[Person, Depends(admitted(Role.ADMIN))]
RollText = Annotated[str, Query(pattern=r"^[1-6][1-6]$", description="Two faces.", examples=["61"])]
AtSeq = Annotated[int | None, Query(ge=0, le=10**12, description="After this event; without it: now.")]


def _receipt(desk: Desk, body: dict[str, Any]) -> Response:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    headers = {"ETag": desk.tag(), "Cache-Control": "no-store"}
    return Response(text.encode(), media_type="application/json", headers=headers)


def _handler(command: Command) -> Callable[..., Awaitable[Response]]:
    async def handle(
        body: Body,
        desk: DeskDep,
        person: Person,
        if_match: IfMatch = None,
        idempotency_key: IdempotencyKey = None,
    ) -> Response:
        return _receipt(desk, await desk.give(command, body, person, if_match, idempotency_key))

    handle.__annotations__["body"] = command.body
    handle.__annotations__["person"] = Annotated[Person, Depends(admitted(command.role))]
    handle.__doc__ = command.body.__doc__
    return handle


def desk_router() -> APIRouter:
    """Return the router with one route a command, and those for people and tokens."""
    router = APIRouter(prefix="/api/v1/desk", tags=["desk"])
    for command in COMMANDS:
        router.add_api_route(
            f"/{command.name}",
            _handler(command),
            methods=["POST"],
            response_model=ReceiptOut,
            responses=_WRITES,
            name=command.name,
            operation_id=f"desk_{command.name}",
            description=f"{command.body.__doc__}\n\nRole: {command.role.name.lower()} or higher.",
        )
    _add_people(router)
    _add_legal_plays(router)
    return router


def _add_legal_plays(router: APIRouter) -> None:
    @router.get("/legal_plays", response_model=list[LegalPlayOut], responses=problem_docs(401, 403, 404, 422))
    async def legal(
        desk: DeskDep, _: Scorer, player: Player, roll: RollText, seq: AtSeq = None
    ) -> list[dict[str, Any]]:
        """List what may be played with a roll, now or after event `seq`; for the desk, it would help a player."""
        try:
            board = (desk.table.snapshot() if seq is None else desk.table.snapshot_at(seq)).board
        except IllegalActionError as error:
            raise Problem(404, str(error)) from error
        color = Color(player)
        found = legal_plays(board.seen_by(color), parse_roll(roll))
        return [_legal(Board.of(after, color), play, color) for after, play in found.items()]


def _legal(after: Board, play: Play, player: Color) -> dict[str, Any]:
    def place(point: int, end: str) -> int | str:
        return end if point in (0, 25) else int(site_at(Point(point), player))

    moves = [{"from": place(m.source, "bar"), "to": place(m.target, "off"), "hit": m.hit} for m in play]
    bar = {"white": after.bar[0], "black": after.bar[1]}
    return {"play": write_play(play), "moves": moves, "points": list(after.points), "bar": bar}


class NewToken(Body):
    """Make a token for a person."""

    name: str = Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f]+$", examples=["Eve"])
    role: Literal["scorer", "director", "admin"]


def _add_people(router: APIRouter) -> None:
    reads = problem_docs(401, 403)

    @router.get("/me", response_model=PersonOut, responses=reads)
    async def me(person: Anybody) -> dict[str, str]:
        """Say whose token this is and what it may do."""
        return {"name": person.name, "role": person.role.name.lower()}

    @router.get("/people", response_model=list[PersonOut], responses=reads)
    async def people(desk: DeskDep, _: Admin) -> list[dict[str, str]]:
        """List everybody who has a token; the tokens themselves are not kept."""
        return [{"name": person.name, "role": person.role.name.lower()} for person in desk.tokens.people]

    @router.post("/people", response_model=TokenOut, status_code=201, responses=_WRITES)
    async def add(body: NewToken, desk: DeskDep, _: Admin) -> dict[str, str]:
        """Make a token; it is told in this answer and never again."""
        token = desk.tokens.add(Person(body.name, Role[body.role.upper()]))
        return {"name": body.name, "role": body.role, "token": token}

    @router.delete("/people/{name}", status_code=204, responses=reads | problem_docs(404, 409, 422))
    async def remove(name: str, desk: DeskDep, person: Admin) -> Response:
        """Withdraw all tokens of a person; nobody can withdraw their own."""
        if name == person.name:
            raise Problem(409, "nobody can withdraw their own token")
        if not desk.tokens.remove(name):
            raise Problem(404, "nobody of that name has a token")
        return Response(status_code=204)
