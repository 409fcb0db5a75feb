"""What ``barpoint doctor`` looks at besides the board: programs, camera, journal, disk, clock, computer."""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from controller.config import Settings
from controller.errors import BoardError
from controller.hardware.checkup import Finding

LIBRARIES = ("numpy", "opencv-python-headless", "pyserial", "fastapi", "uvicorn")
SLOW_WRITE_S = 0.2
SLOW_WARP_S = 0.03
LITTLE_FREE = 1_000_000_000
NO_FREE = 100_000_000
HOT_C = 75.0
RELEASED = "2026-01-01"
"""No table runs before this day; an earlier clock is wrong."""

THROTTLED = {0: "undervoltage", 1: "capped by heat", 2: "slowed down", 3: "near its heat limit"}
"""Bits of ``vcgencmd get_throttled`` for now; the same 16 bits higher mean: since the start."""


def programs() -> Iterator[Finding]:
    """Yield which Python and libraries run here."""
    known = []
    for name in LIBRARIES:
        try:
            known.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            yield Finding("programs", "fail", f"{name} is not installed", "install Barpoint again")
    yield Finding("programs", "ok", f"Python {platform.python_version()}, {', '.join(known)}")


def camera(settings: Settings) -> Finding:
    """Tell whether the camera of the settings gives pictures, how large and how often."""
    from controller.wiring import camera_source
    from vision.camera import open_source

    cameras = ", ".join(sorted(str(path) for path in Path("/dev").glob("video*"))) or "none"
    name = camera_source(settings)
    if not name:
        state: Literal["ok", "fail"] = "ok" if settings.board.sensors else "fail"
        todo = "" if settings.board.sensors else "plug a USB camera in, or set camera.source or board.sensors"
        return Finding("camera", state, f"no camera is used (found: {cameras})", todo)
    try:
        source = open_source(name)
    except BoardError as error:
        return Finding("camera", "fail", f"{error} (found: {cameras})", "check its cable; set camera.source")
    try:
        times: list[float] = []
        frame = None
        until_s = time.monotonic() + 5.0
        while len(times) < 10 and time.monotonic() < until_s:
            if (seen := source.read()) is not None:
                frame = seen
                times.append(time.monotonic())
            elif not source.live:
                break
    except BoardError as error:
        return Finding("camera", "fail", str(error), "check its cable and that no other program uses it")
    finally:
        source.close()
    if frame is None:
        return Finding("camera", "fail", f"{name} gives no pictures", "check its cable and other programs")
    height, width = frame.image.shape[:2]
    rate = (len(times) - 1) / max(1e-6, times[-1] - times[0])
    text = f"{name} gives {width}x{height} pixels, {rate:.0f} pictures a second"
    if min(height, width) < 480:
        return Finding("camera", "warn", text, "checkers will be too small; use a better camera or mode")
    return Finding("camera", "ok", text)


def speed() -> Finding:
    """Tell whether this computer straightens a picture of the board fast enough."""
    import numpy as np

    from vision.field import Field, rectify

    picture = np.zeros((720, 1280, 3), np.uint8)
    field = Field.of([(240, 60), (1040, 60), (1060, 680), (220, 680)], (1280, 720), "bottom-right")
    rectify(picture, field)
    times = []
    for _ in range(5):
        began_s = time.perf_counter()
        rectify(picture, field)
        times.append(time.perf_counter() - began_s)
    median_s = statistics.median(times)
    text = f"a picture is straightened in {median_s * 1e3:.1f} ms"
    if median_s > SLOW_WARP_S:
        return Finding("speed", "warn", text, "close other programs; use a Raspberry Pi 4 or newer")
    return Finding("speed", "ok", text)


def journal(settings: Settings) -> Iterator[Finding]:
    """Yield whether the journal can be written, quickly, and whether what it holds is sound."""
    path = Path(settings.table.journal)
    folder = path.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Finding("journal", "fail", f"{folder} cannot be written", "set table.journal, or the folder's owner")
        return
    try:
        median_s = statistics.median(_write_s(folder) for _ in range(3))
    except OSError as error:
        yield Finding(
            "journal", "fail", f"{folder} cannot be written: {error.strerror}", "make room; check the card"
        )
        return
    text = f"{folder} takes a line in {median_s * 1e3:.0f} ms"
    slow = Finding("journal", "warn", text, "use a better memory card, or a USB disk")
    yield slow if median_s > SLOW_WRITE_S else Finding("journal", "ok", text)
    if path.exists():
        yield _sound(path)
    free = shutil.disk_usage(folder).free
    text = f"{free / 1e9:.1f} GB free"
    if free < LITTLE_FREE:
        yield Finding("disk", "fail" if free < NO_FREE else "warn", text, "delete old evidence and logs")
    else:
        yield Finding("disk", "ok", text)


def _sound(path: Path) -> Finding:
    from controller.storage import Journal

    try:
        book = Journal.open(path, read_only=True)
        try:
            book.verify()
            matches = len(book.matches())
        finally:
            book.close()
    except BoardError as error:
        return Finding("journal", "fail", str(error), "keep the file and ask; barpoint writes no more into it")
    return Finding("journal", "ok", f"{path.name} holds {matches} matches, every event in its place")


def _write_s(folder: Path) -> float:
    probe = folder / f".barpoint-doctor-{os.getpid()}"
    began_s = time.perf_counter()
    try:
        with probe.open("wb") as stream:
            stream.write(bytes(4096))
            stream.flush()
            os.fsync(stream.fileno())
        return time.perf_counter() - began_s
    finally:
        probe.unlink(missing_ok=True)


def clock() -> Finding:
    """Tell whether the computer knows what time it is."""
    today = time.strftime("%Y-%m-%d %H:%M:%S %z")
    if today < RELEASED:
        return Finding("clock", "fail", f"the clock says {today}", "connect to the network, or set the clock")
    if output_of("timedatectl", "show", "-p", "NTPSynchronized", "--value") == "no":
        return Finding("clock", "warn", f"{today}, not set by the network", "records may carry a wrong date")
    return Finding("clock", "ok", today)


def computer() -> Iterator[Finding]:
    """Yield what kind of computer this is, how hot, and whether its supply is strong enough."""
    model = _text(Path("/proc/device-tree/model")).rstrip("\0")
    cores = os.cpu_count() or 1
    yield Finding("computer", "ok", f"{model or platform.machine()}, {cores} cores, {platform.platform()}")
    celsius = _celsius()
    if celsius is not None:
        hot = Finding("heat", "warn", f"{celsius:.0f} °C", "give it air or a fan: beyond 80 °C it slows down")
        yield hot if celsius > HOT_C else Finding("heat", "ok", f"{celsius:.0f} °C")
    throttled = output_of("vcgencmd", "get_throttled").removeprefix("throttled=")
    if throttled:
        yield supply(int(throttled, 16))


def supply(bits: int) -> Finding:
    """Tell what ``vcgencmd get_throttled`` means.

    Example:
        >>> supply(0).state, supply(0x50005).text
        ('ok', 'now: undervoltage, slowed down')
    """
    now = [name for bit, name in THROTTLED.items() if bits >> bit & 1]
    before = [name for bit, name in THROTTLED.items() if bits >> (bit + 16) & 1]
    todo = "use the official supply and its own cable, and cool it"
    if now:
        return Finding("supply", "fail", f"now: {', '.join(now)}", todo)
    if before:
        return Finding("supply", "warn", f"since the start: {', '.join(before)}", todo)
    return Finding("supply", "ok", "never too weak or too hot since the start")


def _celsius() -> float | None:
    text = output_of("vcgencmd", "measure_temp").removeprefix("temp=").removesuffix("'C")
    if text:
        return float(text)
    raw = _text(Path("/sys/class/thermal/thermal_zone0/temp")).strip()
    return int(raw) / 1000 if raw.lstrip("-").isdigit() else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def output_of(*command: str) -> str:
    """Return what a program prints, or nothing where it is not there or fails."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
