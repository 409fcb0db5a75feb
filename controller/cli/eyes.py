"""The eyes of the offline commands: pictures in, settled observations and other happenings out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from controller.board import START_BOARD, Board, Observation
from controller.errors import CalibrationError, CameraError
from controller.ports import Watched
from vision.camera import Frame, FrameHealth, Source, open_source
from vision.cube import read_cube
from vision.field import Field, check_picture
from vision.markers import find_field
from vision.moved import SHIFT_RADII, Anchor
from vision.reader import adapt, calibrate, read
from vision.settle import Gate

CHECKER_SHARE = 0.035
"""A checker's radius is about this share of the playing surface's width."""

Corners = Sequence[tuple[float, float]]


def parse_corners(text: str) -> Corners:
    """Read ``x,y,x,y,x,y,x,y``.

    Raises:
        CalibrationError: not eight numbers.
    """
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 8:
        raise CalibrationError(f"corners are eight numbers x,y,x,y,x,y,x,y, got {text!r}")
    return list(zip(numbers[::2], numbers[1::2], strict=True))


class Eyes:
    """A recording that begins at the start position, and what has been learned of its board.

    Args:
        source: the pictures, the first one taken.
        first: that picture.
        field: where the board lies in it.

    Raises:
        CalibrationError: the first picture does not show the start position.
    """

    def __init__(self, source: Source, first: Frame, field: Field) -> None:
        self._source = source
        self._first = first
        self._calibration = calibrate(first.image, field, START_BOARD)
        self._anchor = Anchor(self._calibration.field, first.image)
        self._gate = Gate(self._calibration.field, first.image)
        self._health = FrameHealth()
        self._confirmed = START_BOARD

    @classmethod
    def open(cls, path: Path, corners: Corners | None, white_home: str | None) -> Eyes:
        """Open a recording and calibrate on its first picture.

        Raises:
            CameraError: no such recording, or nothing in it.
            CalibrationError: corners that cannot be, or a first picture that does not show the start position.
        """
        if not path.exists():
            raise CameraError(f"{path}: no such folder or video")
        source = open_source(str(path))
        first = source.read()
        if first is None:
            raise CameraError(f"{path}: holds no picture")
        check_picture(first.image)
        if corners is None:
            return cls(source, first, find_field(first.image, START_BOARD, white_home))
        size = (first.image.shape[1], first.image.shape[0])
        return cls(source, first, Field.of(corners, size, white_home))

    def frames(self) -> Iterator[Frame]:
        """Yield all pictures, the first again."""
        yield self._first
        while (frame := self._source.read()) is not None:
            yield frame

    def see(self, frame: Frame) -> tuple[Observation | Watched, ...]:
        """Return what a picture shows once the board is still, and what is wrong with it."""
        trouble = self._health.check(frame, frame.at_s)
        found: list[Observation | Watched] = [trouble] if trouble is not None else []
        if not self._health.usable:
            return tuple(found)
        shift = self._anchor.check(frame.image)
        if shift.state == "moved" and _apart(shift.field, self._calibration.field) > SHIFT_RADII:
            found.append(Watched("moved", frame.at_s, shift.detail, frame.name))
            self._calibration = replace(self._calibration, field=shift.field)
            self._gate.restart(shift.field)
        look = self._gate.look(frame)
        if look.state == "settled" and look.fresh:
            found.append(self.read(frame))
        return tuple(found)

    def read(self, frame: Frame) -> Observation:
        """Read a picture of a still board: checkers, dice and cube."""
        field = self._calibration.field
        white_at_bottom = (field.white_home or "bottom").startswith("bottom")
        cube = read_cube(frame.image, field, self._first.image, white_at_bottom)
        return replace(read(frame.image, self._calibration, frame.at_s, frame.name), cube=cube)

    def confirm(self, board: Board, frame: Frame) -> None:
        """Learn from a picture that shows `board` for certain, so that slow changes are followed."""
        if board != self._confirmed:
            self._calibration = adapt(self._calibration, frame.image, board)
            self._confirmed = board

    def close(self) -> None:
        """Close the recording."""
        self._source.close()


def _apart(one: Field, other: Field) -> float:
    """Return how far corners of two fields lie apart at most, in checker radii."""
    far = max(math.dist(a, b) for a, b in zip(one.corners_px, other.corners_px, strict=True))
    width = math.dist(one.corners_px[0], one.corners_px[1])
    return far / (width * CHECKER_SHARE)
