"""Sources of pictures and the trust in them."""

import contextlib
import threading
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.errors import CameraError
from vision.camera import (
    FolderSource,
    Frame,
    FrameHealth,
    LiveSource,
    PiGrabber,
    VideoSource,
    decode_image,
    frames,
    open_source,
    read_image,
)


def noise(seed: int, size: tuple[int, int] = (90, 160)) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 255, (*size, 3), np.uint8)


def test_folder_gives_its_pictures_in_name_order(tmp_path: Path) -> None:
    for name in ("b.png", "a.jpg", "notes.txt"):
        if name.endswith("txt"):
            (tmp_path / name).write_text("no picture")
        else:
            cv2.imwrite(str(tmp_path / name), noise(1))
    seen = list(frames(open_source(str(tmp_path), interval_s=0.5)))
    assert [(f.name, f.at_s) for f in seen] == [("a.jpg", 0.0), ("b.png", 0.5)]


def test_folder_goes_on_behind_a_file_that_is_no_picture(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"not a picture")
    cv2.imwrite(str(tmp_path / "b.png"), noise(1))
    source = FolderSource(tmp_path)
    with pytest.raises(CameraError, match=r"a\.jpg: not a picture"):
        source.read()
    frame = source.read()
    assert frame is not None
    assert frame.name == "b.png"


def test_empty_folder_missing_path_and_single_picture_are_one_clear_line(tmp_path: Path) -> None:
    picture = tmp_path / "one.png"
    with pytest.raises(CameraError, match="holds no pictures"):
        open_source(str(tmp_path))
    with pytest.raises(CameraError, match="no such"):
        open_source(str(tmp_path / "nowhere"))
    cv2.imwrite(str(picture), noise(1))
    with pytest.raises(CameraError, match="one picture"):
        open_source(str(picture))
    with pytest.raises(CameraError, match="is a folder"):
        read_image(tmp_path)


def test_picture_cut_short_is_refused() -> None:
    data = cv2.imencode(".jpg", noise(3))[1]
    with pytest.raises(CameraError, match="cut short"):
        decode_image(data[: len(data) // 2])


@settings(max_examples=30)
@given(st.binary(max_size=300))
def test_any_bytes_give_a_picture_or_a_camera_error(data: bytes) -> None:
    with contextlib.suppress(CameraError):
        assert decode_image(np.frombuffer(data, np.uint8)).ndim == 3


def test_video_gives_frames_with_their_time(tmp_path: Path) -> None:
    path = tmp_path / "play.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (160, 90))
    for seed in range(3):
        writer.write(noise(seed))
    writer.release()
    assert [round(f.at_s, 3) for f in frames(VideoSource(path))] == [0.0, 0.1, 0.2]
    (tmp_path / "bad.mp4").write_bytes(b"no video")
    with pytest.raises(CameraError, match="not a video"):
        open_source(str(tmp_path / "bad.mp4"))


def test_pi_camera_without_its_library_says_what_to_install() -> None:
    with pytest.raises(CameraError, match="picamera2"):
        PiGrabber()


class FakeCamera:
    """Gives numbered pictures, then fails."""

    def __init__(self, pictures: int, gate: threading.Semaphore) -> None:
        self.left, self.gate, self.released, self.locks = pictures, gate, False, 0

    def grab(self) -> np.ndarray | None:
        if not self.gate.acquire(timeout=2.0) or self.left == 0:
            return None
        self.left -= 1
        return noise(self.left)

    def lock(self) -> tuple[str, ...]:
        self.locks += 1
        return ("exposure",)

    def release(self) -> None:
        self.released = True


def test_lost_camera_is_opened_again_and_locked_again() -> None:
    gate = threading.Semaphore(0)
    opened: list[FakeCamera] = []

    def opener() -> FakeCamera:
        opened.append(FakeCamera(2, gate))
        return opened[-1]

    source = LiveSource(opener, timeout_s=2.0, warm_up_s=0.0, retry_s=0.01)
    gate.release(2)
    first = source.read()
    gate.release(3)
    second = source.read()
    gate.release(9)
    source.close()
    assert first is not None
    assert second is not None
    assert second.at_s > first.at_s
    assert source.locked == ("exposure",)
    assert all(camera.released for camera in opened)


def test_nothing_new_from_a_camera_is_none_not_the_last_picture() -> None:
    gate = threading.Semaphore(2)
    source = LiveSource(lambda: FakeCamera(2, gate), timeout_s=0.5, warm_up_s=0.0)
    assert source.read() is not None
    assert source.read() is None
    gate.release(1)
    source.close()


def checked(health: FrameHealth, images: list[np.ndarray | None]) -> list[tuple[str | None, bool]]:
    out = []
    for second, image in enumerate(images):
        frame = None if image is None else Frame(image, float(second), str(second))
        watched = health.check(frame, float(second))
        out.append((watched.kind if watched else None, health.usable))
    return out


def test_frozen_pictures_are_lost_and_the_next_new_one_is_found() -> None:
    a, b = noise(1), noise(2)
    assert checked(FrameHealth(), [a, a, a, a, b]) == [
        (None, True),
        (None, False),
        ("lost", False),
        (None, False),
        ("found", True),
    ]


def test_black_and_plain_pictures_are_lost_at_once() -> None:
    black, white = np.zeros((90, 160, 3), np.uint8), np.full((90, 160, 3), 255, np.uint8)
    assert [k for k, _ in checked(FrameHealth(), [noise(1), black, noise(2), white, noise(3)])] == [
        None,
        "lost",
        "found",
        "lost",
        "found",
    ]


def test_no_picture_for_too_long_is_lost() -> None:
    assert [k for k, _ in checked(FrameHealth(max_age_s=2.0), [noise(1), None, None, None, noise(2)])] == [
        None,
        None,
        "lost",
        None,
        "found",
    ]


def test_old_picture_is_never_usable() -> None:
    health = FrameHealth(max_age_s=2.0)
    watched = health.check(Frame(noise(1), 0.0, "old"), 5.0)
    assert watched is not None
    assert watched.kind == "lost"
    assert not health.usable
