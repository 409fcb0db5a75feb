"""A recording as the offline commands take it: its pictures in order, seen through the eyes of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from controller.board import START_BOARD
from controller.errors import CalibrationError, CameraError
from vision.calibration import calibrate
from vision.camera import Frame, Source, open_source
from vision.eyes import Eyes
from vision.field import Field, check_picture
from vision.markers import find_field

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


class Recording:
    """Pictures that begin at the start position, and the eyes that look at them.

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
        self.eyes = Eyes(calibrate(first.image, field, START_BOARD), first)

    @classmethod
    def open(cls, path: Path, corners: Corners | None, white_home: str | None) -> Recording:
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

    def close(self) -> None:
        """Close the recording."""
        self._source.close()
