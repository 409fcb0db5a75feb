"""What the table needs from the outside world, in the table's words.

Each port has several implementations (camera, sensor array, simulated board, serial link); one contract-test
suite runs on all of them. Everything here is asynchronous and is called on the table's event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from controller.board import Board, Observation, Site
from controller.rules.match import Match
from controller.rules.position import Color, Position, Roll


@dataclass(frozen=True, slots=True)
class Watched:
    """What a watcher reports besides readings.

    Attributes:
        kind: ``"moving"`` (something moves), ``"hand"`` (a hand rests on the board), ``"lost"`` (no or frozen
            pictures), ``"found"`` (pictures again), ``"moved"`` (camera or board was moved), ``"registered"``
            (found again after a move), ``"help"`` (cannot go on alone; `detail` says what to do), ``"still"``
            (the board is at rest and looks as it was read last; said a few times a second).
        at_s: monotonic time at which the picture or scan was taken, not of its arrival.
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
        """Yield a settled reading whenever the board comes to rest, and what else happens, until closed.

        While nothing changes, ``"still"`` is yielded a few times a second: a turn that ends is judged only on a
        picture that was taken after its end.
        """

    def confirm(self, board: Board) -> None:
        """Tell what stands on the board for certain, so that slow drift is followed on the right sites."""

    def read_again(self) -> None:
        """Read the board once more if it is still at rest; `watch` yields what it says, changed or not."""

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


@dataclass(frozen=True, slots=True)
class Decision:
    """What a player does whom the computer plays.

    Attributes:
        action: ``"roll"``, ``"double"``, ``"take"``, ``"drop"``, ``"accept"`` or ``"refuse"`` (a resignation), or
            ``"play"``.
        after: where the checkers stand after the play, as he counts; None with any other action.
    """

    action: Literal["roll", "double", "take", "drop", "accept", "refuse", "play"]
    after: Position | None = None


class Opponent(Protocol):
    """Plays for the player whom nobody sits for."""

    async def decide(self, match: Match, level: str) -> Decision:
        """Return what the player who has to act does; it may think for a few seconds.

        Args:
            match: all that lies on the table.
            level: how well it plays, a name of `controller.opponents.LEVELS`.
        """


Part = Literal["link", "lights", "dice", "buttons"]
"""What somebody who sets up a table can try out."""

Corners = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]
"""The four outer corners of the playing surface in pixels of the capture, clockwise, the first two being the ends
of one row of twelve points."""


BarEdges = tuple[tuple[float, float], tuple[float, float]]
"""Where the two edges of the bar cross the middle of the field, half way between its rows, in pixels of the
capture; the first is the one nearer to the first corner."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture as it is shown on a page.

    Attributes:
        jpeg: the file.
        width_px: of the capture, in whose pixels corners are given.
        height_px: of the capture.
        name: names the picture in events.
    """

    jpeg: bytes
    width_px: int
    height_px: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, in plain words.

    Attributes:
        what: such as ``"light"`` or ``"corners"``.
        ok: whether it will do.
        text: one sentence; what to do where it will not.
    """

    what: str
    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class Calibrated:
    """How the camera sees the board.

    Attributes:
        corners: in pixels of the capture, or None while they are not known.
        white_home: where White's home board lies, as in ``--white-home``, or ``"auto"``.
        findings: how good it is.
        bar: in pixels of the capture, or None while they are not known.
    """

    corners: Corners | None
    white_home: str
    findings: tuple[Finding, ...]
    bar: BarEdges | None = None


class Setup(Protocol):
    """What the wizard works on: the camera, its calibration, and parts that can be tried out."""

    async def picture(self) -> Picture | None:
        """Return the newest capture as it is, or None without a camera."""

    async def settled_picture(self) -> Picture | None:
        """Return the last settled picture with the reading drawn over it, or None."""

    async def calibration(self) -> Calibrated:
        """Say what holds now."""

    async def calibrate(self, corners: Corners | None, white_home: str, bar: BarEdges | None = None) -> Calibrated:
        """Calibrate with these corners and edges of the bar, or look for them; what comes out holds from now on.

        Raises:
            CalibrationError: they do not fit the board; then nothing changes.
            CameraError: there is no picture.
        """

    async def marker_sheet(self) -> str:
        """Return the sheet of corner markers to print, as an SVG document."""

    async def attempt(self, part: Part) -> Finding:
        """Try out one part of the board: ask the link, walk a light around, roll the dice, wait for a button."""
