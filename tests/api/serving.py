"""A real server on a free port, in a thread of its own, for tests that speak HTTP or use a browser."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import FastAPI

from api.server import listen, make_server
from api.stream import Hub
from controller.errors import DeviceError

T = TypeVar("T")


def free_ports(count: int) -> int:
    """Return the first of `count` ports in a row that are free just now."""
    for first in range(20_000 + os.getpid() % 10_000, 60_000, count):
        probes = []
        try:
            probes = [listen("127.0.0.1", port) for port in range(first, first + count)]
        except DeviceError:
            continue
        finally:
            for probe in probes:
                probe.close()
        return first
    raise AssertionError("no ports are free")


class Served:
    """One or more applications and the table behind them, running until `close`.

    `call` runs a coroutine on the server's loop, which is the table's: what happens at the table happens there.
    """

    def __init__(self, *apps: FastAPI, ports: tuple[int, ...] = ()) -> None:
        self.apps = apps
        self.loop = asyncio.new_event_loop()
        self.sockets: list[socket.socket] = [listen("127.0.0.1", port) for port in (ports or (0,) * len(apps))]
        self.ports = tuple(sock.getsockname()[1] for sock in self.sockets)
        self._servers = [make_server(app) for app in apps]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        while not all(server.started for server in self._servers):
            self.call(asyncio.sleep(0.01))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.ports[0]}"

    def url_of(self, index: int) -> str:
        return f"http://127.0.0.1:{self.ports[index]}"

    def hub(self, index: int = 0) -> Hub:
        hub: Hub = self.apps[index].state.context.hub
        return hub

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._serve())
        self.loop.close()

    async def _serve(self) -> None:
        await asyncio.gather(
            *(server.serve(sockets=[sock]) for server, sock in zip(self._servers, self.sockets, strict=True))
        )

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)

    def close(self) -> None:
        for server in self._servers:
            server.should_exit = True
        self._thread.join(15)
        assert not self._thread.is_alive(), "the server did not stop"
        for sock in self.sockets:
            sock.close()
