"""The parts of a table whose camera and board are real, or a recording."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

from controller.board import Board
from controller.config import Settings
from controller.errors import ConfigError
from controller.hardware.link import SerialLink, candidates
from controller.hardware.merged import MergedWatcher
from controller.hardware.parts import SerialDice
from controller.hardware.sensors import SensorWatcher
from controller.session.snapshot import Snapshot
from controller.wiring.parts import Parts, stands
from vision.camera import Frame, Source, open_source
from vision.field import Field
from vision.markers import find_field
from vision.watcher import CameraWatcher, PlayedBack
from vision.wizard import Tapped

NO_HARDWARE = (
    "no camera and no board found: plug in a USB camera or a Barpoint board, or set camera.source in "
    "barpoint.toml; "
    "`barpoint simulate` shows a simulated game"
)


def camera_source(settings: Settings) -> str:
    """Return the camera that is meant: a name for `open_source`, or an empty text where there is none."""
    source = settings.camera.source
    if source == "none":
        return ""
    if source != "auto":
        return source
    if importlib.util.find_spec("picamera2") is not None:
        return "pi"
    return "usb:0" if Path("/dev/video0").exists() else ""


def real_parts(settings: Settings, known: Snapshot) -> Parts:
    """Return the parts of a table whose camera is real, or a recording."""
    port = settings.board.port
    link = None if port == "none" else SerialLink(lambda: candidates(port))
    cells = SensorWatcher(link) if settings.board.sensors and link is not None else None
    dice = SerialDice(link) if link is not None else None
    if cells is not None and not camera_source(settings):
        return Parts(cells, link, cells, dice)
    source: Source = open_source(camera_source(settings))
    if not source.live:
        source = PlayedBack(source)
    pictures, standing = Tapped(source), stands(known)
    camera = CameraWatcher(pictures, _field_finder(settings, standing), standing)
    watcher = MergedWatcher(camera, cells) if cells is not None else camera
    return Parts(watcher, link, cells, dice, camera=camera, pictures=pictures)


def _field_finder(settings: Settings, known: Board) -> Callable[[Frame], Field]:
    """Return what finds the playing surface: the corners of the settings, else markers or the position itself."""
    numbers = settings.camera.corners
    if len(numbers) not in (0, 8):
        raise ConfigError(
            f"camera.corners holds {len(numbers)} numbers; accepted: 8 numbers x,y,x,y,x,y,x,y, or none"
        )
    corners = list(zip(numbers[::2], numbers[1::2], strict=True))
    home = None if settings.camera.white_home == "auto" else settings.camera.white_home

    def finder(frame: Frame) -> Field:
        if not corners:
            return find_field(frame.image, known, home)
        return Field.of(corners, (frame.image.shape[1], frame.image.shape[0]), home)

    return finder
