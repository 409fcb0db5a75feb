"""The WebSocket of the desk: everything that happens, the director's part too, and commands back.

The first message must be ``{"token": "…"}``; nothing is sent before it. Then messages of the kinds ``event``,
``snapshot`` and ``reply`` follow; a command is ``{"id": 1, "command": "cube", "body": {…}}``, with ``if_match``
and ``key`` where wanted.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from api.commands import COMMANDS
from api.desk import Desk
from api.problems import Problem
from api.tokens import Person, Role
from controller.errors import BoardError
from controller.rules.profiles import PROFILES
from controller.session.snapshot import snapshot_json

MOST_SOCKETS = 50
LONGEST_MESSAGE = 64 * 1024
_BY_NAME = {command.name: command for command in COMMANDS}


class DeskSockets:
    """All open sockets of one desk; a publisher of the table."""

    def __init__(self, desk: Desk, has_camera: bool) -> None:
        self._desk = desk
        self._has_camera = has_camera
        self._wakes: set[asyncio.Event] = set()
        desk.table.add_publisher(self)

    async def publish(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        """Wake every socket; each fetches what it has not sent yet."""
        for wake in self._wakes:
            wake.set()

    async def serve(self, socket: WebSocket) -> None:
        """Serve one socket until it goes."""
        if not same_origin(socket) or len(self._wakes) >= MOST_SOCKETS:
            await socket.close(1008, "only this table's own pages, and not too many of them")
            return
        await socket.accept()
        person = await self._who(socket)
        if person is None:
            return
        wake = asyncio.Event()
        self._wakes.add(wake)
        sending = asyncio.create_task(self._send(socket, wake))
        try:
            await socket.send_json(self._welcome(person))
            wake.set()
            while True:
                await socket.send_json({"kind": "reply", **await self._answer(await _read(socket), person)})
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            self._wakes.discard(wake)
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await sending

    def _welcome(self, person: Person) -> dict[str, Any]:
        """Return the first message to somebody: who they are, and what this table has."""
        role = person.role.name.lower()
        told = {"name": person.name, "role": role, "camera": self._has_camera, "rules": sorted(PROFILES)}
        return {"kind": "welcome", **told}

    async def _who(self, socket: WebSocket) -> Person | None:
        """Return whose token the first message holds, or close the socket."""
        try:
            async with asyncio.timeout(10):
                first = await _read(socket)
            token = first.get("token")
            client = socket.client.host if socket.client else "-"
            return self._desk.admit(token if isinstance(token, str) else None, client, Role.SCORER)
        except HTTPException as error:
            await socket.close(4400 + error.status_code % 100, str(error.detail)[:120])
        except TimeoutError:
            await socket.close(4408, "the first message holds the token")
        except (WebSocketDisconnect, RuntimeError):
            pass
        return None

    async def _send(self, socket: WebSocket, wake: asyncio.Event) -> None:
        """Send what is new whenever something happens; one that reads slowly gets events later, never a queue."""
        sent = max(0, self._desk.table.snapshot().seq - 50)
        match_id = self._desk.table.snapshot().match_id
        while True:
            await wake.wait()
            wake.clear()
            now = self._desk.table.snapshot()
            if now.match_id != match_id or now.seq < sent:
                match_id, sent = now.match_id, 0
            for event in self._desk.table.events(sent, 500):
                if event["seq"] <= now.seq:
                    await socket.send_json({"kind": "event", "event": event})
                    sent = event["seq"]
            await socket.send_json({"kind": "snapshot", "snapshot": snapshot_json(now), "tag": self._desk.tag()})

    async def _answer(self, asked: Mapping[str, Any], person: Person) -> dict[str, Any]:
        """Carry out one command and return the reply; what goes wrong is a problem document in it."""
        number = asked.get("id")
        command = _BY_NAME.get(str(asked.get("command")))
        try:
            if command is None:
                raise Problem(404, "there is no such command")
            if person.role < command.role:
                raise Problem(403, f"this needs the role {command.role.name.lower()}")
            body = command.body.model_validate(asked.get("body") or {})
            base, key = asked.get("if_match"), asked.get("key")
            receipt = await self._desk.give(
                command, body, person, str(base) if base else None, str(key)[:120] if key else None
            )
        except ValidationError as error:
            first = error.errors()[0]
            where = "/".join(str(part) for part in first["loc"])
            return {"id": number, "problem": {"status": 422, "detail": f"{where}: {first['msg']}"}}
        except HTTPException as error:
            return {"id": number, "problem": {"status": error.status_code, "detail": str(error.detail)}}
        except BoardError as error:
            return {"id": number, "problem": {"status": 409, "detail": str(error)}}
        told = {"seq": receipt["seq"], "event_id": receipt["event_id"], "tag": self._desk.tag()}
        return {"id": number, **told}


def same_origin(socket: WebSocket) -> bool:
    """Tell whether a page of this very server opens the socket; a program without an Origin is no page."""
    origin = socket.headers.get("origin")
    return origin is None or origin.partition("://")[2] == socket.headers.get("host")


async def _read(socket: WebSocket) -> dict[str, Any]:
    """Return the next message as an object; what is none is answered like an empty one."""
    text = await socket.receive_text()
    if len(text) > LONGEST_MESSAGE:
        raise WebSocketDisconnect(1009)
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}
