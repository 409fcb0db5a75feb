"""The camera as a watcher: a board at rest is read when it came to rest, and once more when that is asked for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from controller.board import START_BOARD, Board, Observation
from controller.rules import Color
from tests.simulated import after
from vision.camera import Frame
from vision.field import Field
from vision.simulated import Scene, SimulatedCamera
from vision.watcher import CameraWatcher

PLAYED = after(START_BOARD, Color.WHITE, "13/7 8/7")


@dataclass
class Pictures:
    """A camera that takes ten pictures a second of boards that follow each other."""

    boards: list[Board]
    camera: SimulatedCamera = field(default_factory=lambda: SimulatedCamera(seed=5))
    live: bool = True
    recorded: bool = False
    taken: int = 0
    over_s: float = 0.0
    watcher: CameraWatcher | None = None
    asks: tuple[int, ...] = ()

    def read(self) -> Frame | None:
        """Take the next picture; before those in `asks` the watcher is asked to read the board once more."""
        self.live = not self.recorded and self.taken < len(self.boards)
        if self.taken == len(self.boards):
            self.over_s = 1.0
            return None
        if self.taken in self.asks and self.watcher is not None:
            self.watcher.read_again()
        image = self.camera.picture(Scene(self.boards[self.taken]))
        self.taken += 1
        return Frame(image, self.taken / 10, str(self.taken))

    def close(self) -> None:
        """Hold nothing."""


def readings(boards: list[Board], *asks: int, recorded: bool = False, from_s: float = 99.0) -> list[str | None]:
    """Return the names of the pictures that are read; at the first news from `from_s` on one is asked for anew."""
    pictures = Pictures(boards, asks=asks, recorded=recorded, live=not recorded)

    def finder(frame: Frame) -> Field:
        size = frame.image.shape[1], frame.image.shape[0]
        return Field.of(pictures.camera.corners_px, size, "bottom-right")

    async def evening() -> list[str | None]:
        pictures.watcher = CameraWatcher(pictures, finder, now_s=lambda: pictures.taken / 10 + pictures.over_s)
        seen, asked = list[str | None](), False
        async for item in pictures.watcher.watch():
            if isinstance(item, Observation):
                seen.append(item.frame)
            if item.at_s >= from_s and not asked:
                asked = True
                pictures.watcher.read_again()
        await pictures.watcher.close()
        return seen

    return asyncio.run(evening())


def test_a_board_at_rest_is_read_once_more_for_each_time_that_is_asked_for() -> None:
    boards = [START_BOARD] * 12
    unasked = readings(boards)
    assert readings(boards, 7, 10) == [*unasked, "8", "11"]


def test_what_is_asked_for_while_something_moves_is_the_reading_that_follows_anyway() -> None:
    boards = [*[START_BOARD] * 8, *[PLAYED] * 6]
    assert readings(boards, 8) == readings(boards)


@pytest.mark.parametrize("from_s", [0.4, 1.5])
def test_of_a_recording_the_picture_is_read_again_that_it_shows_to_the_end(from_s: float) -> None:
    boards = [START_BOARD] * 8
    unasked = readings(boards, recorded=True)
    asked = readings(boards, recorded=True, from_s=from_s)
    assert asked == [*unasked, unasked[-1]]
