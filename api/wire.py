"""HTTP on the socket: uvicorn's protocol, with an end to how long a request's head may be and may take.

Without it one connection could fill the memory with header lines, and a thousand that never finish theirs could
hold all file descriptors.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 32 * 1024
"""Longest head of a request: request line and header lines."""

HEAD_S = 10.0
"""Longest time a head may take to arrive, from the connection or its first byte on."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection."""

    _head_bytes = 0
    _heads = 0
    _in_head = True
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes, as long as they are not too many for a head."""
        self._heads = 0
        super().data_received(data)
        if self._in_head and self._heads == 0:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
                self._stop_waiting()
                self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """Begin to wait for the head of the next request on this connection."""
        super().on_message_begin()
        self._await_head()

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._in_head = False
        self._head_bytes = 0
        self._heads += 1
        self._stop_waiting()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """What comes next is a head again."""
        self._in_head = True
        super().on_message_complete()

    def _await_head(self) -> None:
        self._stop_waiting()
        self._timer = asyncio.get_running_loop().call_later(HEAD_S, self._give_up)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
