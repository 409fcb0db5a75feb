"""A position as a picture by URL."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from api.context import NOT_MODIFIED, ContextDep, not_modified, problem_docs, snapshot_at, tag_of
from api.drawing import View, draw_svg
from api.routes.table import Seq

router = APIRouter(prefix="/api/v1", tags=["pictures"])

Player = Annotated[Literal["white", "black"], Query(description="Who sits at the bottom.")]
Home = Annotated[Literal["right", "left"], Query(description="Where the home boards lie.")]
Theme = Annotated[Literal["dark", "light", "contrast"], Query(description="Colors.")]
Width = Annotated[int, Query(ge=100, le=4000, description="Width in pixels; the height follows.")]

_SVG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}}


@router.get("/position.svg", response_class=Response, responses=problem_docs(404, 422) | NOT_MODIFIED | _SVG)
async def position_svg(
    request: Request,
    context: ContextDep,
    seq: Seq = None,
    bottom: Player = "white",
    home: Home = "right",
    theme: Theme = "dark",
    width: Width = 800,
) -> Response:
    """Draw the position, now or after event `seq`; with `seq` the address keeps its picture."""
    snapshot = snapshot_at(context.table, seq)
    tag = f"{tag_of(snapshot)}:{bottom}:{home}:{theme}:{width}"
    if same := not_modified(request, tag):
        return same
    text = draw_svg(snapshot, View(bottom, home, theme, width))
    return Response(
        text.encode(), media_type="image/svg+xml", headers={"ETag": f'"{tag}"', "Cache-Control": "no-cache"}
    )
