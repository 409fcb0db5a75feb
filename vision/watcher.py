"""The camera as a `BoardWatcher`: pictures in, settled readings and what else happens out.

`CameraWatcher` runs `vision.eyes.Eyes`, which is plain and synchronous, beside the table's event loop, in one
thread of its own.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import cv2

from controller.board import START_BOARD, Board, Observation
from controller.errors import CalibrationError
from controller.ports import Watched
from vision.calibration import Calibration, calibrate
from vision.camera import Frame, FrameHealth, Source
from vision.eyes import Eyes
from vision.field import Field

STILL_S = 0.2
"""How often it is said that nothing has changed."""

EVIDENCE_WIDTH_PX = 640
"""How wide the pictures are that are kept beside the journal."""

FindField = Callable[[Frame], Field]
"""Finds the playing surface in the first picture, or raises `CalibrationError`."""


class PlayedBack:
    """A recording as if it were happening now: pictures come at their pace, with the time of the table's clock.

    It waits for whoever looks at it: pictures never come faster one after the other than they were taken.

    Args:
        source: a folder or a video.
        now_s: the table's monotonic clock.
    """

    live = False

    def __init__(self, source: Source, now_s: Callable[[], float] = time.monotonic) -> None:
        self._source = source
        self._now_s = now_s
        self._began_s: float | None = None
        self._closed = threading.Event()

    def read(self) -> Frame | None:
        """Wait until the next picture is due and return it; None at the end."""
        frame = self._source.read()
        if frame is None:
            return None
        early_s = 0.0 if self._began_s is None else self._began_s + frame.at_s - self._now_s()
        if self._closed.wait(max(0.0, early_s)):
            return None
        if early_s <= 0.0:
            self._began_s = self._now_s() - frame.at_s
        return replace(frame, at_s=self._now_s())

    def close(self) -> None:
        """End the recording."""
        self._closed.set()
        self._source.close()


class CameraWatcher:
    """Watches the board through a camera.

    It waits for the start position (or another known one), calibrates itself on it, and reads the board whenever
    it comes to rest.

    Args:
        source: where pictures come from; closed by `close`.
        find_field: finds the playing surface in the first good picture.
        known: what stands on the board at the beginning.
        now_s: the table's monotonic clock.
    """

    def __init__(
        self,
        source: Source,
        find_field: FindField,
        known: Board = START_BOARD,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._now_s = now_s
        self._source = source
        self._find_field = find_field
        self._known = known
        self._health = FrameHealth()
        self._eyes: Eyes | None = None
        self._waiting_for = ""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="eyes")
        self._closed = False
        self._said_s = 0.0
        self._seen_s = 0.0
        self._unread = False

    async def watch(self) -> AsyncIterator[Observation | Watched]:
        """Yield settled readings and what else happens, until the source ends or the watcher is closed."""
        loop = asyncio.get_running_loop()
        while not self._closed:
            frame, seen = await loop.run_in_executor(self._thread, self._next)
            for item in seen:
                yield item
            if frame is None and not self._source.live and not self._unread:
                return

    def _next(self) -> tuple[Frame | None, Sequence[Observation | Watched]]:
        """Take one picture and look at it; a recording has no other than the one it has shown."""
        if self._unread and self._eyes is not None and not self._source.live:
            return self._eyes.settled, self._read_shown(self._eyes)
        frame = self._source.read()
        if self._eyes is None:
            return frame, self._begin(frame)
        if frame is None:
            return frame, self._eyes.missing(self._now_s()) if self._source.live else self._until(self._now_s())
        until = () if self._source.live else self._until(frame.at_s)
        seen = self._look(self._eyes, frame)
        if until and any(isinstance(item, Observation) for item in seen):
            until = (*until, Watched("moving", frame.at_s))  # between two single pictures nobody saw what moved
        return frame, (*until, *(seen or self._still(self._eyes, frame)))

    def _look(self, eyes: Eyes, frame: Frame) -> tuple[Observation | Watched, ...]:
        """Look at a picture; one of a board at rest is read, though nothing changed, when that was asked for."""
        seen = eyes.see(frame)
        asked, self._unread = self._unread, False
        if asked and not seen and eyes.well and eyes.state == "settled":
            return (eyes.read(frame),)
        return seen

    def _read_shown(self, eyes: Eyes) -> tuple[Observation, ...]:
        """Read the picture once more that a recording shows until now, if the board is at rest on it."""
        self._unread, shown = False, eyes.settled
        if shown is None or not eyes.well or eyes.state != "settled":
            return ()
        return (eyes.read(replace(shown, at_s=self._now_s())),)

    def _until(self, at_s: float) -> tuple[Watched, ...]:
        """Say of a recording that its last picture held until now: between single pictures nobody looks."""
        eyes, self._seen_s, last_s = self._eyes, at_s, self._seen_s
        if eyes is None or not eyes.well or eyes.state != "settled" or at_s - last_s < STILL_S:
            return ()
        return (Watched("still", at_s),)

    def _still(self, eyes: Eyes, frame: Frame) -> tuple[Watched, ...]:
        """Say now and then what a picture shows that brings nothing new: so it is known how old pictures are."""
        if frame.at_s - self._said_s < STILL_S or not eyes.well:
            return ()
        self._said_s = frame.at_s
        return (Watched("still" if eyes.state == "settled" else eyes.state, frame.at_s, frame=frame.name),)

    def _begin(self, frame: Frame | None) -> tuple[Observation | Watched, ...]:
        """Calibrate on the first picture that shows the known position; say once what is in the way."""
        trouble = self._health.check(frame, self._now_s() if frame is None else frame.at_s)
        said = (trouble,) if trouble is not None else ()
        if frame is None or not self._health.usable:
            return said
        try:
            eyes = Eyes(calibrate(frame.image, self._find_field(frame), self._known), frame)
        except CalibrationError as error:
            if str(error) == self._waiting_for:
                return said
            self._waiting_for = str(error)
            waiting = f"Waiting for the position it starts from: {error}"
            return *said, Watched("help", frame.at_s, waiting, frame.name)
        self._eyes = eyes
        registered = Watched("registered", frame.at_s, "The board was found.", frame.name)
        return *said, registered, eyes.read(frame)

    @property
    def calibration(self) -> Calibration | None:
        """What the board looks like by now, or None before it was found."""
        eyes = self._eyes
        return eyes.calibration if eyes is not None else None

    def register(self, field: Field) -> None:
        """Calibrate anew on the next picture, with the board at `field` and the position confirmed last on it."""
        if not self._closed:
            self._thread.submit(self._register, field)

    def _register(self, field: Field) -> None:
        self._find_field = lambda _: field
        self._eyes = None

    def picture_of(self, name: str) -> bytes | None:
        """Return the settled picture of that name as a small JPEG, or None when it is gone."""
        eyes = self._eyes
        frame = eyes.settled if eyes is not None else None
        if frame is None or frame.name != name:
            return None
        height = round(frame.image.shape[0] * EVIDENCE_WIDTH_PX / frame.image.shape[1])
        small = cv2.resize(frame.image, (EVIDENCE_WIDTH_PX, height), interpolation=cv2.INTER_AREA)
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return data.tobytes() if done else None

    def confirm(self, board: Board) -> None:
        """Tell what stands on the board for certain; done in the watcher's thread, in its turn."""
        if not self._closed:
            self._thread.submit(self._confirm, board)

    def _confirm(self, board: Board) -> None:
        self._known = board
        if self._eyes is not None:
            self._eyes.confirm_settled(board)

    def read_again(self) -> None:
        """Read the next picture even where it shows what the last one did, if the board is at rest on it."""
        self._unread = True

    async def close(self) -> None:
        """Release the camera and end the thread."""
        self._closed = True
        self._source.close()
        await asyncio.get_running_loop().run_in_executor(None, self._end)

    def _end(self, *_: Any) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)
