"""Parts wired straight to the Raspberry Pi: clock buttons, a status light and a buzzer, through gpiozero.

gpiozero is loaded only when a pin is set. Its callbacks come in a thread of its own; they note the time of the
edge and hand over to the event loop, where bounce is told from presses.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from controller.errors import DeviceError
from controller.ports import Pressed
from controller.rules import Color

BOUNCE_S = 0.020
"""An edge so soon after another one of the same button is bounce."""

LOOKS_S = (0.005, 0.010, 0.015, 0.020)
"""When a contact is looked at after its first edge; closed at one of them, it was a press and no disturbance."""

PATTERNS = {"ok": (0.06, 0.0, 1), "wrong": (0.35, 0.15, 2), "call": (0.15, 0.1, 4), "flag": (1.2, 0.0, 1)}
"""On time, off time in seconds and number of beeps."""


def _gpiozero() -> Any:
    """Return the library.

    Raises:
        DeviceError: it is not installed.
    """
    try:
        return importlib.import_module("gpiozero")
    except ImportError:
        raise DeviceError(
            "[gpio] sets pins, but gpiozero is not installed: pip install 'barpoint[gpio]'"
        ) from None


def _device(kind: str, pin: int, **options: Any) -> Any:
    """Return one gpiozero device.

    Raises:
        DeviceError: the library, the pins of this computer or this pin cannot be used.
    """
    library = _gpiozero()
    try:
        return getattr(library, kind)(pin, **options)
    except (library.GPIOZeroError, OSError, RuntimeError) as error:
        raise DeviceError(f"GPIO{pin} cannot be used as {kind}: {error or type(error).__name__}") from None


class GpioButtons:
    """Clock buttons to ground on the Pi's own pins (`Buttons`).

    Args:
        pins: BCM number of each player's clock button; a player may have none.
        now_s: the table's monotonic clock, read in gpiozero's thread at each edge.
    """

    def __init__(self, pins: Mapping[Color, int], now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._queue: asyncio.Queue[Pressed] = asyncio.Queue()
        self._edge_s = dict.fromkeys(pins, float("-inf"))
        self._contacts = {color: _device("Button", pin, pull_up=True) for color, pin in pins.items()}
        for color, contact in self._contacts.items():
            contact.when_pressed = self._noting(color, closed=True)
            contact.when_released = self._noting(color, closed=False)

    def _noting(self, color: Color, *, closed: bool) -> Callable[[], None]:
        def noted() -> None:
            at_s = self._now_s()
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._edge, color, closed, at_s)

        return noted

    def _edge(self, color: Color, closed: bool, at_s: float) -> None:
        quiet = at_s - self._edge_s[color] >= BOUNCE_S
        self._edge_s[color] = at_s
        if closed and quiet and self._loop is not None:
            self._loop.call_later(LOOKS_S[0], self._look, color, at_s, 0)

    def _look(self, color: Color, at_s: float, look: int) -> None:
        """Take a contact that is closed some milliseconds after its first edge as pressed at that edge."""
        assert self._loop is not None
        if self._contacts[color].is_pressed:
            self._queue.put_nowait(Pressed("clock", color, at_s))
        elif look + 1 < len(LOOKS_S):
            self._loop.call_later(LOOKS_S[look + 1] - LOOKS_S[look], self._look, color, at_s, look + 1)

    async def presses(self) -> AsyncIterator[Pressed]:
        """Yield each press exactly once, in order, until cancelled."""
        self._loop = asyncio.get_running_loop()
        while True:
            yield await self._queue.get()

    def close(self) -> None:
        """Give the pins free."""
        self._loop = None
        for contact in self._contacts.values():
            contact.close()


class GpioLed:
    """A status light (`Publisher`): on while the table runs, blinking while it asks or calls a wrong play.

    Args:
        pin: BCM number.
    """

    def __init__(self, pin: int) -> None:
        self._light = _device("LED", pin)
        self._light.on()
        self._asks = False

    async def publish(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        """Show whether a question is open."""
        asks = snapshot.get("question") is not None
        if asks == self._asks:
            return
        self._asks = asks
        if asks:
            self._light.blink(on_time=0.3, off_time=0.3)
        else:
            self._light.on()

    def close(self) -> None:
        """Put it out and give the pin free."""
        self._light.close()


class GpioBuzzer:
    """An active buzzer on one pin (`Buzzer`).

    Args:
        pin: BCM number.
        silent: whether it stays quiet.
    """

    def __init__(self, pin: int, *, silent: bool = False) -> None:
        self._buzzer = _device("Buzzer", pin)
        self._silent = silent

    async def play(self, pattern: str) -> None:
        """Play ``"ok"``, ``"wrong"``, ``"call"`` or ``"flag"``; silent mode ignores it."""
        on_s, off_s, times = PATTERNS[pattern]
        if not self._silent:
            self._buzzer.beep(on_time=on_s, off_time=off_s, n=times)

    def close(self) -> None:
        """Stop the sound and give the pin free."""
        self._buzzer.close()
