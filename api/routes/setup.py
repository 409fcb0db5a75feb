"""The wizard and the desk's picture: what the camera sees, where the corners are, whether the parts answer."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import Field, StrictFloat

from api.commands import Body
from api.context import problem_docs
from api.problems import Problem
from api.routes.desk import admitted
from api.schemas import CalibratedOut, FindingOut
from api.tokens import Person, Role
from controller.ports import Calibrated, Part, Setup

router = APIRouter(prefix="/api/v1/setup", tags=["setup"])

_READS = problem_docs(401, 403, 404, 422, 503)
_WRITES = problem_docs(401, 403, 404, 408, 409, 413, 422, 503)

Scorer = Annotated[Person, Depends(admitted(Role.SCORER))]
Director = Annotated[Person, Depends(admitted(Role.DIRECTOR))]
Home = Literal["auto", "bottom-right", "bottom-left", "top-right", "top-left"]
Pixel = Annotated[StrictFloat, Field(ge=0, le=20_000)]


def setup_of(request: Request) -> Setup:
    """Return the camera and board of this table.

    Raises:
        Problem: 404 where the table has none to set up.
    """
    setup: Setup | None = request.app.state.setup
    if setup is None:
        raise Problem(404, "this table has no camera and no board to set up")
    return setup


SetupDep = Annotated[Setup, Depends(setup_of)]


class CalibrateIn(Body):
    """Corners in pixels of the capture, clockwise from one end of a row of twelve points; null looks for them."""

    corners: list[tuple[Pixel, Pixel]] | None = Field(
        default=None, min_length=4, max_length=4, examples=[[[102, 80], [1180, 75], [1210, 690], [80, 700]]]
    )
    white_home: Home = "auto"
    bar: list[tuple[Pixel, Pixel]] | None = Field(
        default=None,
        min_length=2,
        max_length=2,
        description="Where both edges of the bar cross the middle of the field, first the one nearer to the first "
        "corner; null takes the usual width. Only with corners.",
        examples=[[[612, 392], [668, 392]]],
    )


@router.get(
    "/picture.jpg",
    response_class=Response,
    responses=_READS | {200: {"content": {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def picture(
    _: Scorer,
    setup: SetupDep,
    kind: Annotated[Literal["capture", "settled"], Query(description="As it is, or with the reading over it.")] = (
        "capture"
    ),
) -> Response:
    """Return what the camera sees now, or the last settled picture with the reading drawn over it."""
    found = await (setup.picture() if kind == "capture" else setup.settled_picture())
    if found is None:
        return Response(status_code=204, headers={"Cache-Control": "no-store"})
    headers = {"Cache-Control": "no-store", "X-Picture-Size": f"{found.width_px}x{found.height_px}"}
    return Response(found.jpeg, media_type="image/jpeg", headers=headers)


async def _out(setup: Setup, calibrated: Calibrated) -> dict[str, Any]:
    found = await setup.picture()
    return {
        "corners": calibrated.corners,
        "bar": calibrated.bar,
        "white_home": calibrated.white_home,
        "findings": [dataclasses.asdict(finding) for finding in calibrated.findings],
        "width_px": found.width_px if found else None,
        "height_px": found.height_px if found else None,
    }


@router.get("/calibration", response_model=CalibratedOut, responses=_READS)
async def calibration(_: Scorer, setup: SetupDep) -> dict[str, Any]:
    """Say how the camera sees the board now, and how well."""
    return await _out(setup, await setup.calibration())


@router.post("/calibration", response_model=CalibratedOut, responses=_WRITES)
async def calibrate(_: Director, setup: SetupDep, body: CalibrateIn) -> dict[str, Any]:
    """Calibrate on the picture of now; where the corners do not fit, nothing changes."""
    corners = None
    if body.corners is not None:
        first, second, third, fourth = body.corners
        corners = (first, second, third, fourth)
    bar = (body.bar[0], body.bar[1]) if body.bar is not None else None
    return await _out(setup, await setup.calibrate(corners, body.white_home, bar))


@router.get(
    "/markers.svg",
    response_class=Response,
    responses=_READS | {200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}},
)
async def markers(_: Scorer, setup: SetupDep) -> Response:
    """Return the sheet of corner markers to print at its true size."""
    return Response((await setup.marker_sheet()).encode(), media_type="image/svg+xml")


@router.post("/attempts/{part}", response_model=FindingOut, responses=_WRITES)
async def attempt(_: Director, setup: SetupDep, part: Part) -> dict[str, Any]:
    """Try out one part of the board and say in plain words what came of it."""
    return dataclasses.asdict(await setup.attempt(part))
