"""Serving the doors: sockets of our own, so that a port in use is one clear line, and streams that end at stop."""

from __future__ import annotations

import asyncio
import errno
import gc
import socket
from collections.abc import Sequence
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from api.context import Context, Shortcut
from api.desk_socket import LONGEST_MESSAGE
from api.wire import BoundedProtocol
from controller.errors import DeviceError

SEND_BUFFER_BYTES = 32 * 1024
"""What the kernel may hold back for one viewer: with its default of megabytes a stalled phone would look fine
for an hour while it falls behind."""


@dataclass(frozen=True)
class Listener:
    """One application on one port.

    Attributes:
        app: what is served.
        host: address to listen on.
        port: port to listen on; 0 picks a free one.
    """

    app: FastAPI
    host: str
    port: int


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on `host` and `port`.

    Raises:
        DeviceError: the port is in use, not allowed, or the address is not one of this computer's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    server = socket.socket(family, socket.SOCK_STREAM)
    try:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        server.bind((host, port))
        server.listen(4096)
    except (OSError, OverflowError) as error:
        server.close()
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise DeviceError(f"port {port} on {host} is in use; stop what uses it or choose another") from error
        raise DeviceError(f"cannot listen on {host}:{port}: {error}") from error
    server.setblocking(False)
    return server


def settle_memory() -> None:
    """Keep the garbage collector from walking what lives as long as the process, viewer by viewer."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 100, 1000)


class _Server(uvicorn.Server):
    """A server that ends the live streams before it waits for open connections."""

    def __init__(self, config: uvicorn.Config, context: Context | None) -> None:
        super().__init__(config)
        self._context = context

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._context is not None:
            self._context.hub.close()
        await super().shutdown(sockets)


def outermost(app: FastAPI) -> ASGIApp:
    """Return what the server calls: live streams go straight to their door, everything else through `app`."""
    shortcut: Shortcut | None = getattr(app.state, "shortcut", None)
    if shortcut is None:
        return app

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        short = scope["type"] == "http" and scope["path"] in shortcut.paths
        await (shortcut.door if short else app)(scope, receive, send)

    return call


def make_server(app: FastAPI) -> _Server:
    """Return a server for `app` with the settings measured best: no deflate, no log line a request."""
    config = uvicorn.Config(
        outermost(app),
        http=BoundedProtocol,
        log_level="warning",
        ws_max_size=LONGEST_MESSAGE,
        access_log=False,
        ws_per_message_deflate=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=30,
        lifespan="off",
    )
    return _Server(config, getattr(app.state, "context", None))


async def serve(app: FastAPI, host: str, port: int) -> None:
    """Serve one application until the process is told to stop.

    Raises:
        DeviceError: see `listen`.
    """
    await serve_all([Listener(app, host, port)])


async def serve_all(listeners: Sequence[Listener], sockets: Sequence[socket.socket] | None = None) -> None:
    """Serve several applications until the process is told to stop.

    Args:
        listeners: what to serve where.
        sockets: those already opened with `listen`, in the same order; without them they are opened here.

    Raises:
        DeviceError: see `listen`.
    """
    opened = list(sockets) if sockets is not None else [listen(one.host, one.port) for one in listeners]
    servers = [make_server(one.app) for one in listeners]
    settle_memory()
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(server.serve(sockets=[opened_socket]))
            for server, opened_socket in zip(servers, opened, strict=True)
        ]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for server in servers:
            server.should_exit = True
