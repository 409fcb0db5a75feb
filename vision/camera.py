"""Where pictures come from: a folder, a video, a USB or Pi camera; and whether they can be trusted.

A source gives one `Frame` after the other and never an old one twice. `FrameHealth` looks at what comes and says
``lost`` when nothing comes, the same picture comes again and again, or all is black.
"""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.errors import CameraError
from controller.ports import Watched

Image = NDArray[np.uint8]

PICTURE_ENDINGS = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
VIDEO_ENDINGS = frozenset({".mp4", ".avi", ".mkv", ".mov", ".webm", ".m4v", ".mjpeg", ".mpg"})
MAX_PIXELS = 64_000_000
"""Larger pictures come from no camera that watches a board; decoding them would fill a small computer."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture.

    Attributes:
        image: shape ``(height_px, width_px, 3)``, 8 bit, blue green red.
        at_s: when it was taken, seconds, monotonic; for files the time within the recording.
        name: file name or running number, for the record.
    """

    image: Image
    at_s: float
    name: str


class Source(Protocol):
    """Something that gives pictures."""

    def read(self) -> Frame | None:
        """Return the next picture, or None: a recording is over, or a camera gave nothing new in time."""

    def close(self) -> None:
        """Release camera and threads; calling it again does nothing."""

    @property
    def live(self) -> bool:
        """Tell whether None from `read` means "nothing new yet" and not "the end"."""


def read_image(path: Path) -> Image:
    """Return the picture stored in a file as an 8-bit BGR array.

    Raises:
        CameraError: missing, a folder, no picture, cut short, or too large; one line that names the file.
    """
    if path.is_dir():
        raise CameraError(f"{path}: is a folder, a picture is needed")
    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        raise CameraError(f"{path}: cannot be read ({error.strerror or error})") from error
    try:
        image = decode_image(data)
    except CameraError as error:
        raise CameraError(f"{path}: {error}") from None
    return image


def decode_image(data: NDArray[np.uint8]) -> Image:
    """Return the picture in `data`, the bytes of a picture file.

    Raises:
        CameraError: not a picture, cut short, or too large.
    """
    if data.size == 0:
        raise CameraError("empty, not a picture")
    raw = data.tobytes()
    if raw[:2] == b"\xff\xd8" and b"\xff\xd9" not in raw[-4096:]:
        raise CameraError("JPEG picture is cut short")
    try:
        image = cv2.imdecode(data, cv2.IMREAD_COLOR)
    except cv2.error:
        image = None
    if image is None or image.size == 0:
        raise CameraError("not a picture that can be read")
    if image.shape[0] * image.shape[1] > MAX_PIXELS:
        raise CameraError(f"{image.shape[1]}x{image.shape[0]} pixels are too many")
    return np.asarray(image, np.uint8)


def picture_files(folder: Path) -> tuple[Path, ...]:
    """Return the picture files of a folder in name order.

    Raises:
        CameraError: no such folder, or no picture in it.
    """
    if not folder.is_dir():
        raise CameraError(f"{folder}: no such folder")
    files = tuple(sorted(p for p in folder.iterdir() if p.suffix.lower() in PICTURE_ENDINGS and p.is_file()))
    if not files:
        raise CameraError(f"{folder}: holds no pictures ({', '.join(sorted(PICTURE_ENDINGS))})")
    return files


class FolderSource:
    """The pictures of a folder in name order, as if taken `interval_s` apart."""

    live = False

    def __init__(self, folder: Path, interval_s: float = 1.0) -> None:
        self._files = picture_files(folder)
        self._interval_s = interval_s
        self._next = 0

    def read(self) -> Frame | None:
        """Return the next picture, None after the last.

        Raises:
            CameraError: a file is no picture; the next call goes on behind it.
        """
        if self._next >= len(self._files):
            return None
        index, self._next = self._next, self._next + 1
        path = self._files[index]
        return Frame(read_image(path), index * self._interval_s, path.name)

    def close(self) -> None:
        """End the recording."""
        self._next = len(self._files)


class VideoSource:
    """The frames of a video file with their times in it."""

    live = False

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise CameraError(f"{path}: no such file")
        self._capture = cv2.VideoCapture(str(path))
        self._count = 0
        fps = self._capture.get(cv2.CAP_PROP_FPS) if self._capture.isOpened() else 0.0
        self._fps = fps if 0.1 < fps < 1000 else 25.0
        self._first = self._grab()
        if self._first is None:
            self._capture.release()
            raise CameraError(f"{path}: not a video that can be read")

    def _grab(self) -> Image | None:
        ok, image = self._capture.read()
        return np.asarray(image, np.uint8) if ok and image is not None else None

    def read(self) -> Frame | None:
        """Return the next frame, None after the last."""
        image, self._first = (self._first, None) if self._first is not None else (self._grab(), None)
        if image is None:
            return None
        index, self._count = self._count, self._count + 1
        return Frame(image, index / self._fps, f"{index:06d}")

    def close(self) -> None:
        """Close the file."""
        self._capture.release()


class Grabber(Protocol):
    """An opened camera: what `LiveSource` asks of a driver."""

    def grab(self) -> Image | None:
        """Wait for the next picture and return it; None when the camera failed."""

    def lock(self) -> tuple[str, ...]:
        """Fix exposure, gain, white balance and focus as they are; return the names of those that obeyed."""

    def release(self) -> None:
        """Close the camera."""


class LiveSource:
    """The newest picture of a camera, grabbed in a thread of its own; opens a lost camera again by itself.

    Args:
        opener: opens the camera; called again after each failure.
        timeout_s: how long `read` waits for a new picture.
        warm_up_s: how long automatic exposure and white balance may settle before they are locked.
        retry_s: pause between two tries to open a lost camera.
    """

    live = True

    def __init__(
        self,
        opener: Callable[[], Grabber],
        timeout_s: float = 1.0,
        warm_up_s: float = 2.0,
        retry_s: float = 2.0,
    ) -> None:
        self._opener = opener
        self._timeout_s, self._warm_up_s, self._retry_s = timeout_s, warm_up_s, retry_s
        self._changed = threading.Condition()
        self._newest: Frame | None = None
        self._stopped = threading.Event()
        self.locked: tuple[str, ...] = ()
        first = opener()
        self._thread = threading.Thread(target=self._run, args=(first,), name="camera", daemon=True)
        self._thread.start()

    def _run(self, grabber: Grabber) -> None:
        current: Grabber | None = grabber
        number = 0
        while not self._stopped.is_set():
            if current is None:
                current = self._reopened()
                continue
            number = self._grab_all(current, number)
            current.release()
            current = None
        if current is not None:
            current.release()

    def _reopened(self) -> Grabber | None:
        self._stopped.wait(self._retry_s)
        if self._stopped.is_set():
            return None
        try:
            return self._opener()
        except CameraError:
            return None

    def _grab_all(self, grabber: Grabber, number: int) -> int:
        """Publish pictures until the camera fails; the warm-up pictures are dropped."""
        warm_at_s = time.monotonic() + self._warm_up_s
        warm = False
        while not self._stopped.is_set():
            image = grabber.grab()
            if image is None:
                break
            now_s = time.monotonic()
            if not warm and now_s < warm_at_s:
                continue
            if not warm:
                warm, self.locked = True, grabber.lock()
                continue
            number += 1
            with self._changed:
                self._newest = Frame(image, now_s, f"{number:06d}")
                self._changed.notify_all()
        return number

    def read(self) -> Frame | None:
        """Return the newest picture not yet given, or None when none came within the timeout."""
        with self._changed:
            if self._newest is None:
                self._changed.wait(self._timeout_s)
            frame, self._newest = self._newest, None
            return frame

    def close(self) -> None:
        """Stop the thread and release the camera."""
        self._stopped.set()
        self._thread.join(timeout=5.0)


class UsbGrabber:
    """A USB camera through OpenCV."""

    def __init__(self, device: int | str, size: tuple[int, int] = (1280, 720)) -> None:
        self._capture = cv2.VideoCapture(device)
        if not self._capture.isOpened():
            raise CameraError(f"camera {device}: cannot be opened; is it plugged in, and free?")
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)

    def grab(self) -> Image | None:
        """Wait for the next picture."""
        ok, image = self._capture.read()
        return np.asarray(image, np.uint8) if ok and image is not None and image.size else None

    def lock(self) -> tuple[str, ...]:
        """Fix what the driver lets us fix, at the values it has now."""
        capture = self._capture
        done = []
        exposure, gain = capture.get(cv2.CAP_PROP_EXPOSURE), capture.get(cv2.CAP_PROP_GAIN)
        # Video4Linux: 1 is manual exposure, 3 automatic; other drivers take 0.25 for manual.
        if capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, 1) or capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, 0.25):
            capture.set(cv2.CAP_PROP_EXPOSURE, exposure)
            done.append("exposure")
        if gain >= 0 and capture.set(cv2.CAP_PROP_GAIN, gain):
            done.append("gain")
        if capture.set(cv2.CAP_PROP_AUTO_WB, 0):
            done.append("white balance")
        if capture.set(cv2.CAP_PROP_AUTOFOCUS, 0):
            done.append("focus")
        return tuple(done)

    def release(self) -> None:
        """Close the camera."""
        self._capture.release()


class PiGrabber:
    """A Raspberry Pi camera through picamera2."""

    def __init__(self, size: tuple[int, int] = (2304, 1296)) -> None:
        try:
            module = importlib.import_module("picamera2")
        except ImportError as error:
            raise CameraError(
                "a Pi camera needs picamera2: sudo apt install python3-picamera2, "
                "and a virtual environment made with --system-site-packages"
            ) from error
        try:
            self._camera: Any = module.Picamera2()
            # picamera2 names the byte order backwards: RGB888 arrives as blue, green, red.
            self._camera.configure(self._camera.create_video_configuration({"size": size, "format": "RGB888"}))
            self._camera.start()
        except (RuntimeError, IndexError, OSError) as error:
            raise CameraError(f"Pi camera: {error}; does `rpicam-hello` show a picture?") from error

    def grab(self) -> Image | None:
        """Wait for the next picture."""
        try:
            return np.asarray(self._camera.capture_array("main"), np.uint8)
        except (RuntimeError, OSError, TimeoutError):
            return None

    def lock(self) -> tuple[str, ...]:
        """Fix exposure, gain, white balance and lens at the values of the last picture."""
        now = self._camera.capture_metadata()
        controls: dict[str, Any] = {"AeEnable": False, "AwbEnable": False}
        controls |= {k: now[k] for k in ("ExposureTime", "AnalogueGain", "ColourGains") if k in now}
        done = ["exposure", "gain", "white balance"]
        if "LensPosition" in now:
            controls |= {"AfMode": 0, "LensPosition": now["LensPosition"]}
            done.append("focus")
        self._camera.set_controls(controls)
        return tuple(done)

    def release(self) -> None:
        """Stop the camera."""
        self._camera.stop()
        self._camera.close()


def open_source(name: str, interval_s: float = 1.0) -> Source:
    """Return the source that `name` means.

    Args:
        name: a folder, a video file, ``pi``, ``usb:0`` or ``usb:/dev/video2``.
        interval_s: time between the pictures of a folder.

    Raises:
        CameraError: nothing of that name, or it cannot be opened.
    """
    if name == "pi":
        return LiveSource(PiGrabber)
    if name.startswith("usb:"):
        device = name.removeprefix("usb:")
        return LiveSource(lambda: UsbGrabber(int(device) if device.isdigit() else device))
    path = Path(name)
    if path.is_dir():
        return FolderSource(path, interval_s)
    if not path.exists():
        raise CameraError(f"{name}: no such folder, video or camera (pi, usb:0)")
    if path.suffix.lower() in PICTURE_ENDINGS:
        raise CameraError(f"{name}: is one picture, a folder or a video is needed")
    return VideoSource(path)


def frames(source: Source) -> Iterator[Frame]:
    """Yield what a recording holds, to its end."""
    while (frame := source.read()) is not None:
        yield frame


FROZEN_REPEATS = 2
"""So many exact repeats of a picture mean a frozen camera: sensor noise never repeats itself even once."""

BLACK_LEVEL = 12.0
"""A picture whose 99th percentile of gray stays below this shows nothing: cap on, light off, dead sensor."""

FLAT_SPREAD = 1.5
"""A picture whose gray levels vary less than this is one plain color, no board."""


class FrameHealth:
    """Tells whether the pictures that arrive can be trusted.

    Call `check` for every picture and for every timeout; it reports a loss once and a recovery once.
    """

    def __init__(self, max_age_s: float = 2.0) -> None:
        self._max_age_s = max_age_s
        self._last_good_s: float | None = None
        self._thumb: Image | None = None
        self._repeats = 0
        self._lost = False
        self.usable = False

    def check(self, frame: Frame | None, now_s: float) -> Watched | None:
        """Look at one picture, or at the absence of one.

        Args:
            frame: the newest picture, None when the source gave nothing.
            now_s: the present, on the clock of `Frame.at_s`.

        Returns:
            ``lost`` or ``found`` when that changed. `usable` then tells whether `frame` may be read.
        """
        trouble = self._trouble(frame, now_s)
        self.usable = frame is not None and not trouble and self._repeats == 0
        name = frame.name if frame is not None else None
        if trouble and not self._lost:
            self._lost = True
            return Watched("lost", now_s, trouble, name)
        if self.usable and self._lost:
            self._lost = False
            return Watched("found", now_s, "pictures arrive again", name)
        return None

    def _trouble(self, frame: Frame | None, now_s: float) -> str:
        if frame is None:
            self._last_good_s = now_s if self._last_good_s is None else self._last_good_s
            age_s = now_s - self._last_good_s
            return f"no picture for {age_s:.1f} s" if age_s >= self._max_age_s else ""
        gray = thumbnail(frame.image)
        same = self._thumb is not None and self._thumb.shape == gray.shape and bool((self._thumb == gray).all())
        self._repeats = self._repeats + 1 if same else 0
        self._thumb = gray
        if np.percentile(gray, 99) < BLACK_LEVEL:
            return "the picture is black: lens cap, light or camera"
        if float(gray.std()) < FLAT_SPREAD:
            return "the picture shows one plain color"
        if now_s - frame.at_s >= self._max_age_s:
            return f"the picture is {now_s - frame.at_s:.1f} s old"
        if self._repeats >= FROZEN_REPEATS:
            return "the camera is frozen: the same picture again and again"
        if not same:
            self._last_good_s = now_s
        return ""


def thumbnail(image: Image) -> Image:
    """Return every n-th pixel of the green channel, about 160 wide: unsmoothed, so that sensor noise stays in."""
    step = max(1, image.shape[1] // 160)
    return np.ascontiguousarray(image[::step, ::step, 1])
