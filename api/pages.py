"""The pages as they are sent: their files, with the parts that they share, and a preview for chats."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from fastapi import Request, Response

from api.context import Context, not_modified

STATIC = Path(__file__).parent / "static"

_PART = re.compile(r"<!--part:([a-z]+)-->")


def page_text(name: str, preview: Mapping[str, str]) -> str:
    """Return the HTML of one page.

    Args:
        name: its file below `STATIC`.
        preview: values for the part ``preview``; they are escaped here.
    """

    def part(found: re.Match[str]) -> str:
        text = (STATIC / "parts" / f"{found[1]}.html").read_text(encoding="utf-8")
        if found[1] != "preview":
            return text
        return text.format_map({key: escape(value) for key, value in preview.items()})

    return _PART.sub(part, (STATIC / name).read_text(encoding="utf-8"))


def preview_of(snapshot: Mapping[str, Any], address: str) -> dict[str, str]:
    """Return what a chat shows of a link to the table.

    Args:
        snapshot: as viewers may see it.
        address: of the server, as the reader wrote it; the door answers to its own names alone.
    """
    players, score = snapshot["players"], snapshot["score"]
    names = f"{players['white'] or 'White'} – {players['black'] or 'Black'}"
    length = f"Match to {snapshot['length']}" if snapshot["length"] else "Money game"
    simulated = "SIMULATED. " if snapshot["simulated"] else ""
    return {
        "title": f"{names}  {score['white']}–{score['black']}",
        "told": f"{simulated}{length}, game {snapshot['game']}",
        "address": address,
        "seq": str(snapshot["seq"]),
        "position": f"Position {snapshot['position']['position_id']}",
    }


def page(name: str) -> Any:
    """Return the endpoint of one page."""

    async def endpoint(request: Request) -> Response:
        context: Context = request.app.state.context
        host = request.headers.get("host", "localhost")
        preview = preview_of(context.table.snapshot(), f"{request.url.scheme}://{host}")
        body = page_text(name, preview).encode()
        tag = hashlib.sha256(body).hexdigest()[:20]
        if same := not_modified(request, tag):
            return same
        headers = {"ETag": f'"{tag}"', "Cache-Control": "no-cache"}
        return Response(body, media_type="text/html", headers=headers)

    return endpoint
