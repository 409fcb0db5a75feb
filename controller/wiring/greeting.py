"""What the person who started the table is told: addresses, token, QR code."""

from __future__ import annotations

import socket
from collections.abc import Callable

import segno

from controller.config import Settings
from controller.hardware.faults import FaultOrder, told
from controller.wiring.parts import Parts

Say = Callable[[str], None]
"""Prints one line for the person who started the table."""

LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Hosts that nobody else can reach, so that there is nothing to announce."""


def greet(
    settings: Settings, parts: Parts, token: str | None, say: Say, faults: tuple[FaultOrder, ...] = ()
) -> None:
    """Print where the pages are, and at the first start the desk's token."""
    host = reachable(settings.api.host)
    address = f"http://{host}:{settings.api.port}/"
    if parts.world is not None:
        say("SIMULATED: no real board, no real players.")
        say(f"The board is {parts.note}.")
        for order in faults:
            say(f"Fault on order: {told(order)}.")
    say(f"Watch the game at   {address}")
    say(f"The desk is at      http://{host}:{settings.api.port + 1}/desk")
    if token is not None:
        say(f"The desk's token, shown only once:  {token}")
    say(_shown(address))
    if token is not None:
        say("The token once more, for a phone's camera; it stands in no address, so that no browser keeps it:")
        say(_shown(token))


def _shown(text: str) -> str:
    """Return a text as a QR code for the terminal."""
    return "\n".join("  " + line for line in _drawn(segno.make(text, error="m")))


def _drawn(code: segno.QRCode) -> list[str]:
    """Return a QR code as lines of half blocks, dark on light terminals and light on dark ones alike."""
    rows = [[False, *map(bool, row), False] for row in code.matrix]
    blank = [False] * len(rows[0])
    rows = [blank, *rows, blank] + ([blank] if len(rows) % 2 else [])
    glyphs = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    return [
        "".join(glyphs[a, b] for a, b in zip(rows[i], rows[i + 1], strict=True))
        for i in range(0, len(rows) - 1, 2)
    ]


def reachable(host: str) -> str:
    """Return the address under which others reach what listens on `host`."""
    return own_address() if host in ("0.0.0.0", "::") else host


def own_address() -> str:
    """Return this computer's address in the local network, without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
