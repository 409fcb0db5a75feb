"""Whether the process lives, whether the table does, and what is counted."""

from __future__ import annotations

from fastapi import APIRouter, Response

from api.context import ContextDep, problem_docs
from api.problems import Problem
from api.schemas import HealthOut

router = APIRouter(tags=["health"])


@router.get("/healthz", response_model=HealthOut, responses=problem_docs())
async def healthz() -> Response:
    """Answer as long as the process does."""
    return Response(b'{"status":"ok"}', media_type="application/json", headers={"Cache-Control": "no-store"})


@router.get("/readyz", response_model=HealthOut, responses=problem_docs(503))
async def readyz(context: ContextDep) -> Response:
    """Answer 200 while the table is live, 503 while something it lives on is away."""
    state = context.hub.state()
    if state["state"] != "live":
        raise Problem(503, f"the table is stale since {state['since']}", {"Retry-After": "5"})
    return Response(b'{"status":"ready"}', media_type="application/json", headers={"Cache-Control": "no-store"})


@router.get(
    "/metrics",
    response_class=Response,
    responses=problem_docs() | {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(context: ContextDep) -> Response:
    """Return counters and gauges in the text format of Prometheus."""
    text = context.metrics.text()
    return Response(text, media_type="text/plain; version=0.0.4", headers={"Cache-Control": "no-store"})
