"""Pictures as PNG: an SVG document drawn by resvg, in a process of its own.

Drawing takes tenths of a second during which resvg lets nothing else of its process run; the table must not wait
for that. Run as a program (``python -m api.raster WIDTH``) it draws what it reads and writes the picture.
"""

from __future__ import annotations

import asyncio
import sys
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from api.problems import Problem

WIDEST_PX = 2000
KEPT = 16
"""Pictures kept; a link in a chat is opened by many at once."""

MOST_WAITING = 8
LONGEST_S = 20.0

FONTS = Path("/usr/share/fonts/truetype/dejavu")
"""Debian's DejaVu; without it whatever fonts the system has are searched, which takes longer."""


class Rasters:
    """Draws one picture at a time and keeps the newest."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._lock = asyncio.Lock()
        self._waiting = 0

    async def png(self, tag: str, width_px: int, svg: Callable[[], str]) -> bytes:
        """Return the picture `tag`.

        Args:
            tag: names it; the same tag is the same picture.
            width_px: its width; the height follows.
            svg: makes the document, where it has to be drawn.

        Raises:
            Problem: 503 when too many wait, or it could not be drawn.
        """
        if self._waiting >= MOST_WAITING:
            raise Problem(503, "too many pictures are being drawn; try again soon", {"Retry-After": "5"})
        self._waiting += 1
        try:
            async with self._lock:
                if tag not in self._kept:
                    self._kept[tag] = await _drawn(svg(), width_px)
                    while len(self._kept) > KEPT:
                        self._kept.popitem(last=False)
                return self._kept[tag]
        finally:
            self._waiting -= 1


async def _drawn(svg: str, width_px: int) -> bytes:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "api.raster", str(width_px), stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        async with asyncio.timeout(LONGEST_S):
            picture, _ = await process.communicate(svg.encode())
    except TimeoutError:
        picture = b""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0 or not picture:
        raise Problem(503, "the picture could not be drawn; ask for it as .svg", {"Retry-After": "5"})
    return picture


def draw(svg: str, width_px: int) -> bytes:
    """Return an SVG document as a PNG file; it takes tenths of a second."""
    import resvg_py  # noqa: PLC0415 - only the process that draws needs it

    found = FONTS.is_dir()
    return resvg_py.svg_to_bytes(
        svg_string=svg, width=width_px, skip_system_fonts=found, font_dirs=[str(FONTS)] if found else None,
        sans_serif_family="DejaVu Sans", font_family="DejaVu Sans",
    )  # fmt: skip


if __name__ == "__main__":
    sys.stdout.buffer.write(draw(sys.stdin.buffer.read().decode(), int(sys.argv[1])))
