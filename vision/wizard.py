"""Setting up a camera by hand: the picture as it is, corners given or found, and what they are worth.

`Wizard` satisfies `controller.ports.Setup`. It works on a copy of what the watcher sees, so that a page may look
and try while a match goes on; only a calibration that fits is handed on.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence

import cv2
import numpy as np

from controller.board import Board, Observation
from controller.errors import CalibrationError, CameraError
from controller.ports import BarEdges, Calibrated, Corners, Finding, Part, Picture
from vision.calibration import Calibration, calibrate
from vision.camera import Frame, Image, Source
from vision.field import FIELD_WIDTH_PX, MARGIN_PX, Field
from vision.marker_sheet import MARKER_MM, PAGE_MM, PLACES
from vision.markers import MARKER_IDS, find_field
from vision.reader import read

DARK, BRIGHT = 45.0, 215.0
"""Mean gray of a playing surface that is too dark or too bright to tell colors apart."""

BURNT_SHARE = 0.04
"""Share of the playing surface that may be pure white: reflections hide what lies there."""

NARROW_PX = 14.0
"""A column narrower than this in the picture shows too little of a checker."""

WIDEST_BAR = 0.25
"""Widest bar as a share of the field."""

_UNLIKE_BOARD = "The corners do not fit the position on the board: look at points {sites}."
_UNLIKE_RECORD = "Points {sites} do not look as the record has them; look again when nobody is making a play."

BLURRED = 12.0
"""Variance of the Laplacian of a picture that is out of focus."""


class Tapped:
    """A source of pictures that remembers the newest one.

    Attributes:
        newest: the picture read last, or None.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.newest: Frame | None = None

    @property
    def live(self) -> bool:
        """Tell whether None from `read` means "nothing new yet"."""
        return self._source.live

    def read(self) -> Frame | None:
        """Return the next picture, or None."""
        frame = self._source.read()
        if frame is not None:
            self.newest = frame
        return frame

    def close(self) -> None:
        """Release the camera."""
        self._source.close()


class Wizard:
    """Sets up one camera.

    Args:
        source: what the watcher reads from.
        known: returns what stands on the board.
        current: returns the watcher's calibration, or None before it has one.
        adopt: hands a field that fits to the watcher; called on the event loop.
        attempt: tries out a part of the board.
    """

    def __init__(
        self,
        source: Tapped,
        known: Callable[[], Board],
        current: Callable[[], Calibration | None],
        adopt: Callable[[Field], None],
        attempt: Callable[[Part], Awaitable[Finding]],
    ) -> None:
        self._source = source
        self._known = known
        self._current = current
        self._adopt = adopt
        self._attempt = attempt
        self._made: Calibration | None = None
        self._drawn: tuple[str, Picture] | None = None

    async def picture(self) -> Picture | None:
        """Return the newest capture as it is, or None without a camera."""
        frame = self._source.newest
        return None if frame is None else await asyncio.to_thread(_jpeg, frame.image, frame.name)

    async def settled_picture(self) -> Picture | None:
        """Return the newest capture with the reading drawn over it, or the plain one before a calibration."""
        frame, calibration = self._source.newest, self._calibration()
        if frame is None or calibration is None:
            return await self.picture()
        if self._drawn is None or self._drawn[0] != frame.name:
            drawn = await asyncio.to_thread(_with_reading, frame, calibration)
            self._drawn = frame.name, drawn
        return self._drawn[1]

    def _calibration(self) -> Calibration | None:
        return self._made or self._current()

    async def calibration(self) -> Calibrated:
        """Say how the camera sees the board now."""
        frame, calibration = self._source.newest, self._calibration()
        if frame is None:
            return Calibrated(None, "auto", (Finding("camera", False, "The camera gives no picture."),))
        if calibration is None:
            text = "The corners of the board are not known yet."
            return Calibrated(None, "auto", (Finding("corners", False, text),))
        return await asyncio.to_thread(
            _judged, frame, calibration, calibration.field, self._known(), _UNLIKE_RECORD
        )

    async def calibrate(self, corners: Corners | None, white_home: str, bar: BarEdges | None = None) -> Calibrated:
        """Calibrate with these corners and edges of the bar, or look for them.

        Raises:
            CalibrationError: they do not fit the board; then nothing changes.
            CameraError: there is no picture.
        """
        frame = self._source.newest
        if frame is None:
            raise CameraError("the camera gives no picture; is it plugged in?")
        home = None if white_home == "auto" else white_home
        known = self._known()
        given = await asyncio.to_thread(_field, frame.image, corners, home, known, bar)
        made = await asyncio.to_thread(calibrate, frame.image, given, known)
        if made.round_full[0] <= 0:
            raise CalibrationError("no checkers are seen within these corners; drag them to the playing surface")
        judged = await asyncio.to_thread(_judged, frame, made, given, known)
        wrong = next(
            (finding for finding in judged.findings if finding.what == "position" and not finding.ok), None
        )
        if wrong is not None:
            raise CalibrationError(wrong.text)
        self._made = made
        self._drawn = None
        self._adopt(made.field)
        return judged

    async def marker_sheet(self) -> str:
        """Return the four corner markers to print, as an SVG document with its true size."""
        return marker_sheet()

    async def attempt(self, part: Part) -> Finding:
        """Try out one part of the board."""
        return await self._attempt(part)


def _field(image: Image, corners: Corners | None, home: str | None, known: Board, bar: BarEdges | None) -> Field:
    if corners is None:
        return find_field(image, known, home)
    field = Field.of(corners, (image.shape[1], image.shape[0]), home)
    return field if bar is None else field.with_(bar=_bar_shares(field, bar))


def _bar_shares(field: Field, bar: BarEdges) -> tuple[float, float]:
    """Return the edges of the bar as shares of the field's width.

    Raises:
        CalibrationError: they are no edges of a bar on this field.
    """
    left, right = (float(x - MARGIN_PX) / FIELD_WIDTH_PX for x, _ in field.to_field(bar))
    if not 0.2 <= left <= right <= 0.8 or right - left > WIDEST_BAR:
        raise CalibrationError(
            "the edges of the bar lie beside it; drag them to where the two halves of the board end"
        )
    return left, right


def _jpeg(image: Image, name: str) -> Picture:
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 85])
    if not done:
        raise CameraError("the picture cannot be shown")
    return Picture(data.tobytes(), image.shape[1], image.shape[0], name)


def _with_reading(frame: Frame, calibration: Calibration) -> Picture:
    """Draw the field, and on each point how many checkers of which color are seen there."""
    image = frame.image.copy()
    field = calibration.field
    outline = np.rint(np.array(field.corners_px)).astype(np.int32)
    cv2.polylines(image, [outline], True, (74, 182, 240), 2, cv2.LINE_AA)
    seen = read(frame.image, calibration, frame.at_s, frame.name)
    size = max(0.4, image.shape[1] / 1800)
    for site, reading in enumerate(seen.sites, start=1):
        text = "?" if not reading.seen else f"{abs(reading.best)}" if reading.best else ""
        if not text:
            continue
        x0, y0, x1, y1 = field.columns()[site - 1]
        row, _ = field.place(site)
        rim = y0 + 0.16 * (y1 - y0) if row == 0 else y1 - 0.16 * (y1 - y0)
        x, y = field.to_picture([[(x0 + x1) / 2, rim]])[0]
        color = (255, 255, 255) if reading.best > 0 else (40, 40, 40)
        _label(image, text, (float(x), float(y)), color, size)
    return _jpeg(image, frame.name)


def _label(image: Image, text: str, at: tuple[float, float], color: Sequence[int], size: float) -> None:
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 2)
    origin = round(at[0] - width / 2), round(at[1] + height / 2)
    edge = tuple(255 - part for part in color)
    cv2.putText(image, text, origin, cv2.FONT_HERSHEY_SIMPLEX, size, edge, 5, cv2.LINE_AA)
    cv2.putText(image, text, origin, cv2.FONT_HERSHEY_SIMPLEX, size, tuple(color), 2, cv2.LINE_AA)


def _judged(
    frame: Frame, calibration: Calibration, given: Field, known: Board, unlike: str = _UNLIKE_BOARD
) -> Calibrated:
    """Say what a calibration is worth on a picture whose position is known; `unlike` is said where it differs."""
    field = calibration.field
    seen = read(frame.image, calibration, frame.at_s, frame.name)
    findings = (
        _corners_finding(given, field),
        _position_finding(seen, known, unlike),
        *_picture_findings(frame.image, field),
    )
    first, second, third, fourth = ((float(x), float(y)) for x, y in field.corners_px)
    return Calibrated((first, second, third, fourth), field.white_home or "auto", findings, _bar_edges(field))


def _bar_edges(field: Field) -> BarEdges:
    """Return where the edges of the bar cross the middle of the field in the picture."""
    (x0, y0), (x1, y1) = field.to_picture([(x, field.center_px[1]) for x in field.bar_px])
    return (float(x0), float(y0)), (float(x1), float(y1))


def _column_px(field: Field) -> float:
    """Return the width of a column in the picture, where it is narrowest."""
    corners = field.corners_px
    return min(math.dist(corners[0], corners[1]), math.dist(corners[2], corners[3])) / 13


def _corners_finding(given: Field, field: Field) -> Finding:
    worst = max(math.dist(a, b) for a, b in zip(given.corners_px, field.corners_px, strict=True))
    if worst <= _column_px(field) / 2:
        return Finding(
            "corners", True, f"The corners fit the board; they were moved by {worst:.0f} pixels at most."
        )
    return Finding("corners", False, f"A corner was {worst:.0f} pixels beside the board; look at it again.")


def _position_finding(seen: Observation, known: Board, unlike: str) -> Finding:
    wrong = [
        site
        for site, (reading, count) in enumerate(zip(seen.sites, known.points, strict=True), start=1)
        if reading.seen and reading.of(reading.best) - reading.of(count) > 3.0
    ]
    if not wrong:
        return Finding("position", True, "The checkers are read as they stand.")
    sites = ", ".join(map(str, wrong[:6]))
    return Finding("position", False, unlike.format(sites=sites))


def _picture_findings(image: Image, field: Field) -> list[Finding]:
    """Judge light, focus and size on the playing surface alone."""
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(np.array(field.corners_px)).astype(np.int32), 255)
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    inside = gray[mask > 0]
    mean, burnt = float(inside.mean()), float((inside >= 254).mean())
    sharp = float(cv2.Laplacian(gray, cv2.CV_64F)[mask > 0].var())
    light = "The light is good."
    if mean < DARK:
        light = "It is too dark; more light on the board helps."
    elif mean > BRIGHT:
        light = "It is too bright; less light or a shorter exposure helps."
    elif burnt > BURNT_SHARE:
        light = f"{burnt:.0%} of the board only reflects light; move the lamp or the camera."
    focus = "The picture is sharp." if sharp >= BLURRED else "The picture is blurred; turn the camera's focus."
    wide = _column_px(field)
    size = "The board is large enough in the picture."
    if wide < NARROW_PX:
        size = f"A point is only {wide:.0f} pixels wide; bring the camera nearer or use a larger picture."
    return [
        Finding("light", light == "The light is good.", light),
        Finding("focus", sharp >= BLURRED, focus),
        Finding("size", wide >= NARROW_PX, size),
    ]


def marker_sheet() -> str:
    """Return an A4 sheet with the four markers of a frame, each with the corner it belongs to."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    width, height = PAGE_MM
    cell = MARKER_MM / 6
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="6">'
    ]
    for number, place in zip(MARKER_IDS, PLACES, strict=True):
        left, top = 30 + (number % 2) * 85, 30 + (number // 2) * 85
        cells = cv2.aruco.generateImageMarker(dictionary, number, 6)
        for row in range(6):
            for column in range(6):
                if cells[row, column] == 0:
                    x, y = left + column * cell, top + row * cell
                    parts.append(f'<rect x="{x:g}" y="{y:g}" width="{cell:g}" height="{cell:g}"/>')
        parts.append(f'<text x="{left}" y="{top + MARKER_MM + 10}">{place}, as White sits</text>')
    parts.append(f'<text x="30" y="{height - 40}">Print at 100 %: a marker is {MARKER_MM} mm wide.</text></svg>')
    return "".join(parts)
