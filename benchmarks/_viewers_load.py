"""The load generator of viewers.py where no C compiler is; arguments and output as in viewers_load.c."""

from __future__ import annotations

import json
import re
import resource
import selectors
import socket
import sys
import time

_MARK = re.compile(rb'"t": ?(\d+)[^\d]')
_UPGRADE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)


def main(kind: str, port: int, path: str, viewers: int, stalled: int, seconds: float) -> None:
    """Open the connections, say READY, wait for a line, measure, print one JSON line."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{_UPGRADE if kind == 'ws' else ''}\r\n".encode()
    kept = [_dial(port, request, small=True) for _ in range(stalled)]
    waiting = selectors.DefaultSelector()
    rest: dict[int, bytes] = {}
    for _ in range(viewers):
        opened = _dial(port, request, small=False)
        opened.recv(1)
        opened.setblocking(False)
        waiting.register(opened, selectors.EVENT_READ)
        rest[opened.fileno()] = b""
    waiting.register(sys.stdin, selectors.EVENT_READ)
    print("READY", flush=True)
    ages_ms: list[float] = []
    ends_s: float | None = None
    lost = 0
    while ends_s is None or time.monotonic() < ends_s:
        for key, _ in waiting.select(0.02):
            if key.fileobj is sys.stdin:
                waiting.unregister(sys.stdin)
                ages_ms.clear()
                ends_s = time.monotonic() + seconds
                continue
            connection = key.fileobj
            assert isinstance(connection, socket.socket)
            found = connection.recv(65536)
            if not found:
                waiting.unregister(connection)
                lost += 1
                continue
            data = rest[key.fd] + found
            now_ns = time.monotonic_ns()
            end = 0
            for match in _MARK.finditer(data):
                ages_ms.append((now_ns - int(match[1])) / 1e6)
                end = match.end()
            rest[key.fd] = data[max(end, len(data) - 40) :]
    ages_ms.sort()

    def at(share: float) -> float:
        return round(ages_ms[min(len(ages_ms) - 1, int(share * len(ages_ms)))], 2) if ages_ms else -1.0

    told = {"opened": viewers, "lost": lost, "refused": 0, "received": len(ages_ms)}
    print(json.dumps({**told, "p50_ms": at(0.5), "p99_ms": at(0.99), "max_ms": at(1.0)}))
    for jammed in kept:
        jammed.close()


def _dial(port: int, request: bytes, *, small: bool) -> socket.socket:
    connection = socket.socket()
    if small:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", port))
    connection.sendall(request)
    return connection


if __name__ == "__main__":
    kind, port, path, viewers, stalled, seconds = sys.argv[1:]
    main(kind, int(port), path, int(viewers), int(stalled), float(seconds))
