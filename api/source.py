"""What the API needs from a table: a Protocol that `controller.table.Table` satisfies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from controller.ports import Publisher
from controller.records import MatchRecord
from controller.session.events import Event
from controller.session.snapshot import Snapshot


class TableSource(Protocol):
    """One table, as displays and the desk see it; everything is called on the table's event loop."""

    @property
    def table_id(self) -> str:
        """Name of the table: lower-case letters, digits and dashes."""

    @property
    def simulated(self) -> bool:
        """Whether nothing of this table is a real board."""

    def snapshot(self) -> Snapshot:
        """Return the table after the newest durable event."""

    def snapshot_at(self, seq: int) -> Snapshot:
        """Return the table after event `seq`.

        Raises:
            IllegalActionError: there is no such event.
        """

    def events(self, after: int = 0, limit: int = 100) -> list[dict[str, Any]]:
        """Return up to `limit` events with a number above `after`, oldest first, as JSON values."""

    def record(self) -> MatchRecord:
        """Return the match as a record, corrections made."""

    def add_publisher(self, publisher: Publisher) -> None:
        """Call `publisher` after each durable event from now on."""


class DeskSource(TableSource, Protocol):
    """A table that also takes commands."""

    async def submit(self, event: Event) -> int:
        """Let one event happen and return its number.

        Raises:
            IllegalActionError: it is not allowed now; the message says why.
        """


Part = Literal["link", "lights", "dice", "buttons"]
"""What the wizard can try out."""

Corners = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]
"""The four outer corners of the playing surface in pixels of the capture, clockwise, the first two being the ends
of one row of twelve points."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture as it is shown on a page.

    Attributes:
        jpeg: the file.
        width_px: of the capture, which corners are given in.
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
    """

    corners: Corners | None
    white_home: str
    findings: tuple[Finding, ...]


class SetupSource(Protocol):
    """What the wizard works on: the camera, its calibration, and parts that can be tried out."""

    async def picture(self) -> Picture | None:
        """Return the newest capture as it is, or None without a camera."""

    async def settled_picture(self) -> Picture | None:
        """Return the last settled picture with the reading drawn over it, or None."""

    async def calibration(self) -> Calibrated:
        """Say what holds now."""

    async def calibrate(self, corners: Corners | None, white_home: str) -> Calibrated:
        """Calibrate with these corners, or look for them; what comes out holds from now on.

        Raises:
            CalibrationError: they do not fit the board; then nothing changes.
            CameraError: there is no picture.
        """

    async def marker_sheet(self) -> str:
        """Return the sheet of corner markers to print, as an SVG document."""

    async def attempt(self, part: Part) -> Finding:
        """Try out one part of the board: ask the link, walk a light around, roll the dice, wait for a button."""
