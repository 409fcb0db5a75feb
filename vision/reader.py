"""Read a picture: how likely is every count at every site and on the bar."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from controller.board import BarReading, Board, Observation, SiteReading
from vision import calibration as calibration_
from vision.bar import bar_odds, bar_places, read_bar
from vision.blind import calibrate_blind
from vision.calibration import Calibration, calibrate
from vision.checkers import Floats, log_colors
from vision.columns import column_likelihoods, evidence
from vision.dice import Disc, read_dice
from vision.discs import View, level
from vision.field import Picture, rectify
from vision.hidden import Covered, covered
from vision.light import coarse, light
from vision.news import news
from vision.settle import Foreign

__all__ = ["adapt", "calibrate", "calibrate_blind", "read"]


def read(
    frame_bgr: Picture,
    calibration: Calibration,
    at_s: float = 0.0,
    frame: str | None = None,
    foreign: Foreign | None = None,
) -> Observation:
    """Return what a picture shows.

    Args:
        frame_bgr: the picture, of the size the calibration was made with.
        calibration: what the board looks like.
        at_s: monotonic time of the picture.
        frame: its name.
        foreign: what the gate found over the board; looked for when None.

    Raises:
        CalibrationError: the picture has another size.
    """
    view = View.of(frame_bgr, calibration)
    on_bar = bar_places(view, calibration)
    seen = evidence(view, calibration, on_bar)
    likely = column_likelihoods(seen.looks)
    hidden = covered(frame_bgr, view, calibration) if foreign is None else Covered.of(foreign)
    sites = []
    for site in range(1, 25):
        row, column = calibration.field.place(site)
        values = tuple(likely[row, column].tolist())
        sites.append(SiteReading() if hidden.sites[site - 1] else SiteReading(values, True))
    odds = bar_odds(view, calibration, on_bar, seen.others, seen.usual)
    bar = (BarReading(), BarReading()) if hidden.bar else read_bar(odds)
    dice = read_dice(
        frame_bgr,
        calibration.field,
        calibration.slots.radius_px(calibration.field),
        news(view.flat, view.change, view.noise, *calibration.bases) if calibration.certain else None,
        _occupied(sites, on_bar[odds.max(axis=0, initial=-np.inf) > 0], calibration),
    )
    return Observation(at_s, tuple(sites), bar, dice, hand=hidden.hand, frame=frame)


def _occupied(sites: Sequence[SiteReading], on_bar: Floats, calibration: Calibration) -> list[Disc]:
    """Return the discs in the rectified picture on which checkers are seen, on points and on the bar."""
    field = calibration.field
    centers, radius = calibration.slots.seen(field).tolist(), calibration.slots.radius_px(field)
    tops = [
        centers[row][column][slot]
        for site, reading in enumerate(sites, start=1)
        if reading.seen
        for row, column in (field.place(site),)
        for slot in range(min(abs(reading.best), 5))
    ]
    return [(x, y, radius) for x, y in (*tops, *on_bar.tolist())]


def adapt(calibration: Calibration, frame_bgr: Picture, board: Board) -> Calibration:
    """Return the calibration with what a settled picture teaches whose position is certain.

    Args:
        calibration: what is known so far.
        frame_bgr: a settled picture without a hand.
        board: what stands there for certain.
    """
    flat = rectify(frame_bgr, calibration.field)
    shown = level(log_colors(flat), light(coarse(flat), calibration.unlit))
    return calibration_.adapt(calibration, frame_bgr, shown, board)
