"""What viewers may see of the table, decided at the desk while it runs."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import Field, StrictBool, StrictFloat

from api.commands import Body
from api.context import Context, problem_docs
from api.routes.desk import admitted
from api.schemas import SightOut
from api.tokens import Person, Role
from api.visibility import Sight

router = APIRouter(prefix="/api/v1/desk", tags=["desk"])

Scorer = Annotated[Person, Depends(admitted(Role.SCORER))]
Director = Annotated[Person, Depends(admitted(Role.DIRECTOR))]


class SightIn(Body):
    """Let viewers see the table later, or with aids."""

    delay_s: StrictFloat = Field(ge=0, le=3600, examples=[900])
    aids: StrictBool = False


def viewers_of(request: Request) -> Context:
    """Return the viewers' context, whoever asks."""
    context: Context = request.app.state.context
    return context


ViewersDep = Annotated[Context, Depends(viewers_of)]


def _out(context: Context) -> dict[str, Any]:
    table = context.table
    return {
        "delay_s": table.delay_s,
        "aids": table.sight.aids,
        "tournament": table.tournament,
        "waiting": table.waiting,
    }


@router.get("/sight", response_model=SightOut, responses=problem_docs(401, 403))
async def sight(context: ViewersDep, _: Scorer) -> dict[str, Any]:
    """Say what viewers may see."""
    return _out(context)


@router.put("/sight", response_model=SightOut, responses=problem_docs(401, 403, 408, 409, 413, 422, 503))
async def decide(body: SightIn, context: ViewersDep, _: Director) -> dict[str, Any]:
    """Decide what viewers may see from now on; a longer delay takes nothing back that they have seen."""
    context.table.see(Sight(body.delay_s, body.aids))
    return _out(context)
