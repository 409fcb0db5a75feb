"""The log of the electronic dice, with which anybody can check afterwards that nobody chose a roll."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request, Response

from api.context import NOT_MODIFIED, Context, ContextDep, answer, not_modified, problem_docs, tag_of
from api.problems import Problem
from api.schemas import DiceOut

router = APIRouter(prefix="/api/v1", tags=["dice"])

_LOG: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
}


def _lines(context: Context) -> list[dict[str, Any]]:
    lines = context.table.rolls()
    if lines is None:
        raise Problem(404, "this table has no electronic dice")
    return lines


@router.get("/dice", response_model=DiceOut, responses=problem_docs(404) | NOT_MODIFIED)
async def dice(request: Request, context: ContextDep) -> Response:
    """Say what the electronic dice committed to before the match, and the seed when it is over."""
    lines = _lines(context)
    first = next((line for line in lines if line["type"] == "commitment"), {})
    last = next((line for line in lines if line["type"] == "reveal"), {})
    rolls = sum(line["type"] == "roll" for line in lines)
    body = {
        "match_id": first.get("match_id"),
        "commitment_sha256": first.get("sha256"),
        "rolls": rolls,
        "seed": last.get("seed"),
        "log": "/api/v1/dice.jsonl",
    }
    return answer(request, body, f"{tag_of(context.table.snapshot())}:{len(lines)}")


@router.get("/dice.jsonl", response_class=Response, responses=problem_docs(404) | NOT_MODIFIED | _LOG)
async def dice_log(request: Request, context: ContextDep) -> Response:
    """Return the log as `barpoint dice verify` reads it."""
    lines = _lines(context)
    tag = f"{tag_of(context.table.snapshot())}:{len(lines)}:log"
    if same := not_modified(request, tag):
        return same
    text = "".join(json.dumps(line) + "\n" for line in lines)
    headers = {
        "ETag": f'"{tag}"',
        "Cache-Control": "no-cache",
        "Content-Disposition": 'attachment; filename="dice.jsonl"',
    }
    return Response(text.encode(), media_type="application/x-ndjson", headers=headers)
