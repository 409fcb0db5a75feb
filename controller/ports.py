"""What the table needs from the outside world, in the table's words.

Each port has several implementations (camera, sensor array, simulated board, serial link); one contract-test
suite runs on all of them. Everything here is asynchronous and is called on the table's event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from controller.board import Board, Observation, Site
from controller.rules.position import Color, Roll


@dataclass(frozen=True, slots=True)
class Watched:
    """What a watcher reports besides readings.

    Attributes:
        kind: ``"moving"`` (something moves), ``"hand"`` (a hand rests on the board), ``"lost"`` (no or frozen
            pictures), ``"found"`` (pictures again), ``"moved"`` (camera or board was moved), ``"registered"``
            (found again after a move), ``"help"`` (cannot go on alone; `detail` says what to do).
        at_s: monotonic time.
        detail: one plain sentence.
        frame: name of the picture, if any.
    """

    kind: str
    at_s: float
    detail: str = ""
    frame: str | None = None


class BoardWatcher(Protocol):
    """Watches the checkers and dice: a camera, the sensor array, or both."""

    def watch(self) -> AsyncIterator[Observation | Watched]:
        """Yield a settled reading whenever the board comes to rest, and what else happens, until closed."""

    def confirm(self, board: Board) -> None:
        """Tell what stands on the board for certain, so that slow drift is followed on the right sites."""

    async def close(self) -> None:
        """Release the camera or port."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button was pressed.

    Attributes:
        button: ``"clock"``, ``"roll"``, ``"double"``, ``"take"``, ``"drop"`` or ``"director"``.
        player: whose button it is.
        at_s: monotonic time of the first edge of the press.
    """

    button: str
    player: Color
    at_s: float


class Buttons(Protocol):
    """Clock and roll buttons of both players."""

    def presses(self) -> AsyncIterator[Pressed]:
        """Yield each press exactly once, in order, until closed."""


class DiceSource(Protocol):
    """Electronic dice."""

    async def show(self, roll_id: int, roll: Roll, player: Color) -> None:
        """Animate and end on exactly this roll; the same `roll_id` again only shows it."""

    async def clear(self) -> None:
        """Put out all dice."""


@dataclass(frozen=True, slots=True)
class Light:
    """How one site is lit.

    Attributes:
        rgb: red, green and blue, 0 to 255.
        effect: ``"steady"``, ``"blink"`` or ``"chase"``.
        towards: the site a chase runs to.
    """

    rgb: tuple[int, int, int]
    effect: str = "steady"
    towards: Site | None = None


class PointLights(Protocol):
    """Lights under the points, the bar and the trays."""

    async def show(self, lights: Mapping[Site, Light], turn: Color | None = None) -> None:
        """Light exactly these sites and the turn light of `turn`; every other light goes out."""


class Buzzer(Protocol):
    """A sounder."""

    async def play(self, pattern: str) -> None:
        """Play ``"ok"``, ``"wrong"``, ``"call"`` or ``"flag"``; silent mode ignores it."""


class Publisher(Protocol):
    """Whoever wants to know: displays, viewers, the club hub."""

    async def publish(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        """Send one event, already durable in the journal, with the snapshot it leads to (JSON values)."""
