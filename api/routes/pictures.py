"""A position as a picture by its address, for chats, reports and pages without JavaScript."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, Response

from api.context import NOT_MODIFIED, ContextDep, not_modified, problem_docs, snapshot_at, tag_of
from api.drawing import View, draw_svg
from api.raster import WIDEST_PX, Rasters
from api.routes.table import Seq

router = APIRouter(prefix="/api/v1", tags=["pictures"])

Player = Annotated[Literal["white", "black"], Query(description="Who sits at the bottom.")]
Home = Annotated[Literal["right", "left"], Query(description="Where the home boards lie.")]
Theme = Annotated[Literal["dark", "light", "contrast"], Query(description="Colors.")]
Width = Annotated[int, Query(ge=100, le=4000, description="Width in pixels; the height follows.")]
PngWidth = Annotated[int, Query(ge=100, le=WIDEST_PX, description="Width in pixels; the height follows.")]

_SVG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}}
_PNG: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}
}


class Asked:
    """Which picture is asked for: a snapshot and how it is drawn; with `seq` the address keeps its picture."""

    def __init__(
        self,
        context: ContextDep,
        seq: Seq = None,
        bottom: Player = "white",
        home: Home = "right",
        theme: Theme = "dark",
    ) -> None:
        self.snapshot = snapshot_at(context.table, seq)
        self.look = bottom, home, theme

    def tag(self, width: int, kind: str) -> str:
        """Return what tells this picture from all others."""
        return ":".join((tag_of(self.snapshot), *self.look, str(width), kind))

    def svg(self, width: int) -> str:
        """Return the picture, so many pixels wide."""
        return draw_svg(self.snapshot, View(*self.look, width))


AskedDep = Annotated[Asked, Depends()]


@router.get("/position.svg", response_class=Response, responses=problem_docs(404, 422) | NOT_MODIFIED | _SVG)
async def position_svg(request: Request, asked: AskedDep, width: Width = 800) -> Response:
    """Draw the position, now or after event `seq`; with `seq` the address keeps its picture."""
    tag = asked.tag(width, "svg")
    return not_modified(request, tag) or _picture(asked.svg(width).encode(), "image/svg+xml", tag)


@router.get("/position.png", response_class=Response, responses=problem_docs(404, 422, 503) | NOT_MODIFIED | _PNG)
async def position_png(request: Request, asked: AskedDep, width: PngWidth = 1200) -> Response:
    """Draw the same picture as `position.svg`, for chats and programs that take no SVG."""
    tag = asked.tag(width, "png")
    if same := not_modified(request, tag):
        return same
    rasters: Rasters = request.app.state.rasters
    return _picture(await rasters.png(tag, width, lambda: asked.svg(width)), "image/png", tag)


def _picture(body: bytes, media_type: str, tag: str) -> Response:
    return Response(body, media_type=media_type, headers={"ETag": f'"{tag}"', "Cache-Control": "no-cache"})
