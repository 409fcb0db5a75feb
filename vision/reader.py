"""Read a picture: how likely is every count at every site and on the bar."""

from __future__ import annotations

from controller.board import Board, Observation, SiteReading
from vision import calibration as calibration_
from vision.bar import read_bar
from vision.blind import calibrate_blind
from vision.calibration import Calibration, calibrate
from vision.columns import column_likelihoods, evidence
from vision.discs import View
from vision.field import Picture

__all__ = ["adapt", "calibrate", "calibrate_blind", "read"]


def read(frame_bgr: Picture, calibration: Calibration, at_s: float = 0.0, frame: str | None = None) -> Observation:
    """Return what a picture shows.

    Args:
        frame_bgr: the picture, of the size the calibration was made with.
        calibration: what the board looks like.
        at_s: monotonic time of the picture.
        frame: its name.

    Raises:
        CalibrationError: the picture has another size.
    """
    view = View.of(frame_bgr, calibration)
    seen = evidence(view, calibration)
    likely = column_likelihoods(seen.looks)
    sites = []
    for site in range(1, 25):
        row, column = calibration.field.place(site)
        sites.append(SiteReading(tuple(float(v) for v in likely[row, column]), True))
    return Observation(at_s, tuple(sites), read_bar(view, calibration, seen.usual), frame=frame)


def adapt(calibration: Calibration, frame_bgr: Picture, board: Board) -> Calibration:
    """Return the calibration with what a settled picture teaches whose position is certain.

    Args:
        calibration: what is known so far.
        frame_bgr: a settled picture without a hand.
        board: what stands there for certain.
    """
    view = View.of(frame_bgr, calibration)
    return calibration_.adapt(calibration, view.level, board)
