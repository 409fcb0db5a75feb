"""Setting up a camera on a drawn table: corners that fit are taken, others are refused with what to do."""

from __future__ import annotations

import asyncio

import cv2
import numpy as np
import pytest

from controller.board import START_BOARD, Board, Scene
from controller.errors import CalibrationError, CameraError
from controller.ports import BarEdges, Corners, Finding, Part
from controller.rules import Color, Move, Point, apply_play
from vision.camera import Frame
from vision.field import Field
from vision.markers import find_markers
from vision.simulated import SimulatedCamera
from vision.wizard import Tapped, Wizard, _field, marker_sheet


class Still:
    """A source that gives one picture again and again."""

    live = True

    def __init__(self, frame: Frame | None) -> None:
        self.frame = frame

    def read(self) -> Frame | None:
        return self.frame

    def close(self) -> None:
        self.frame = None


class Bench:
    """A wizard before a drawn table."""

    def __init__(self, seen: bool = True) -> None:
        self.camera = camera = SimulatedCamera(seed=5)
        self.picture = camera.picture(Scene(START_BOARD))
        self.known = START_BOARD
        source = Tapped(Still(Frame(self.picture, 1.0, "f001") if seen else None))
        source.read()
        self.corners: Corners = tuple(camera.corners_px)  # type: ignore[assignment]  # always four
        self.adopted: list[Field] = []
        self.wizard = Wizard(source, lambda: self.known, lambda: None, self.adopted.append, self._attempt)

    async def _attempt(self, part: Part) -> Finding:
        return Finding(part, True, "answers")


def test_true_corners_calibrate_and_every_finding_is_good() -> None:
    bench = Bench()
    found = asyncio.run(bench.wizard.calibrate(bench.corners, "bottom-right"))
    assert [finding.text for finding in found.findings if not finding.ok] == []
    assert len(bench.adopted) == 1
    assert found.corners is not None
    assert np.abs(np.array(found.corners) - np.array(bench.corners)).max() < 8


def test_corners_beside_the_board_are_refused_and_nothing_changes() -> None:
    bench = Bench()
    away: Corners = ((10.0, 10.0), (310.0, 10.0), (310.0, 210.0), (10.0, 210.0))
    with pytest.raises(CalibrationError):
        asyncio.run(bench.wizard.calibrate(away, "bottom-right"))
    assert bench.adopted == []
    assert asyncio.run(bench.wizard.calibration()).corners is None


def test_corners_that_are_roughly_right_are_moved_to_the_board() -> None:
    bench = Bench()
    first, second, third, fourth = bench.corners
    rough: Corners = ((first[0] + 6, first[1] - 5), second, (third[0] - 7, third[1] + 4), fourth)
    found = asyncio.run(bench.wizard.calibrate(rough, "bottom-right"))
    assert found.corners is not None
    assert np.abs(np.array(found.corners) - np.array(bench.corners)).max() < 8


def test_without_a_picture_it_says_so() -> None:
    bench = Bench(seen=False)
    assert asyncio.run(bench.wizard.picture()) is None
    assert not asyncio.run(bench.wizard.calibration()).findings[0].ok
    with pytest.raises(CameraError):
        asyncio.run(bench.wizard.calibrate(bench.corners, "auto"))


def test_the_reading_is_drawn_over_the_picture() -> None:
    bench = Bench()
    asyncio.run(bench.wizard.calibrate(bench.corners, "bottom-right"))
    plain, drawn = asyncio.run(bench.wizard.picture()), asyncio.run(bench.wizard.settled_picture())
    assert plain is not None
    assert drawn is not None
    assert (plain.width_px, plain.height_px) == (drawn.width_px, drawn.height_px)
    assert plain.jpeg != drawn.jpeg


def test_the_printed_markers_are_found_again() -> None:
    sheet = np.full((1400, 1000), 255, np.uint8)
    for part in marker_sheet().split("<rect ")[1:]:
        x, y, width, height = (
            float(part.split(f'{name}="')[1].split('"')[0]) for name in ("x", "y", "width", "height")
        )
        sheet[round(y * 4.5) : round((y + height) * 4.5), round(x * 4.5) : round((x + width) * 4.5)] = 0
    assert set(find_markers(cv2.cvtColor(sheet, cv2.COLOR_GRAY2BGR))) == {0, 1, 2, 3}


def true_bar(bench: Bench) -> tuple[BarEdges, tuple[float, float]]:
    """Return where the edges of the bar are seen, and as shares of the field's width."""
    look = bench.camera.look
    half = look.bar_w_mm / look.width_mm / 2
    field = Field.of(bench.corners, (1280, 720)).with_(bar=(0.5 - half, 0.5 + half))
    (x0, y0), (x1, y1) = field.to_picture([(x, field.center_px[1]) for x in field.bar_px])
    return ((float(x0), float(y0)), (float(x1), float(y1))), field.bar


def test_the_edges_of_the_bar_are_where_the_calibration_begins() -> None:
    bench = Bench()
    edges, shares = true_bar(bench)
    found = asyncio.run(bench.wizard.calibrate(bench.corners, "bottom-right", edges))
    assert np.abs(np.array(bench.adopted[0].bar) - np.array(shares)).max() < 0.01
    assert found.bar is not None
    assert np.abs(np.array(found.bar) - np.array(edges)).max() < 8
    given = _field(bench.picture, bench.corners, "bottom-right", START_BOARD, edges)
    assert given.bar == pytest.approx(shares, abs=0.005)


@pytest.mark.parametrize("off_px", [(-260.0, 0.0), (0.0, 400.0), (60.0, -60.0)])
def test_edges_beside_the_bar_are_refused_and_nothing_changes(off_px: tuple[float, float]) -> None:
    bench = Bench()
    ((x0, y0), (x1, y1)), _ = true_bar(bench)
    with pytest.raises(CalibrationError, match="bar"):
        asyncio.run(
            bench.wizard.calibrate(bench.corners, "bottom-right", ((x0 + off_px[0], y0), (x1 + off_px[1], y1)))
        )
    assert bench.adopted == []


def test_a_play_under_way_is_not_taken_for_wrong_corners() -> None:
    bench = Bench()
    asyncio.run(bench.wizard.calibrate(bench.corners, "bottom-right"))
    bench.known = Board.of(
        apply_play(START_BOARD.seen_by(Color.WHITE), (Move(Point(13), Point(7)), Move(Point(8), Point(7)))),
        Color.WHITE,
    )
    found = asyncio.run(bench.wizard.calibration())
    wrong = next(finding for finding in found.findings if not finding.ok)
    assert "record" in wrong.text
    assert "corners" not in wrong.text
