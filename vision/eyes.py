"""The eyes: one picture after the other in, settled readings and what else happens out.

Offline commands and the table's watcher look through the same eyes. A picture is judged for its health, then by
the gate; only a still and changed one is read, and before that it is compared with where the board was last.
"""

from __future__ import annotations

import math
from dataclasses import replace

from controller.board import Board, Observation
from controller.ports import Watched
from vision.calibration import Calibration
from vision.camera import Frame, FrameHealth
from vision.cube import read_cube
from vision.field import Field
from vision.moved import SHIFT_RADII, Anchor
from vision.reader import adapt, read
from vision.sets import Pair, told_apart
from vision.settle import Foreign, Gate, Look, overview

CHECKER_SHARE = 0.035
"""A checker's radius is about this share of the playing surface's width."""

UNCLEAR_MOST = 3
"""After so many still pictures in which the board is not found where it was, somebody is asked for help."""

DOUBT = 3.0
"""A picture whose reading of any site speaks this strongly against a board, natural logarithm, teaches nothing."""


class Eyes:
    """Looks at the pictures of one calibrated camera, in order of time.

    Args:
        calibration: what the board looks like.
        first: the picture it was learned from, with the cube in the middle.
    """

    def __init__(self, calibration: Calibration, first: Frame) -> None:
        self._calibration = calibration
        self._centered = overview(first.image, calibration.field)
        self._anchor = Anchor(calibration.field, first.image)
        self._gate = Gate(calibration.field, first.image)
        self._health = FrameHealth()
        self._confirmed: Board | None = calibration.board
        self._state = "settled"
        self._unclear = 0
        self._settled: tuple[Frame, Observation] | None = None
        self._sets: Pair | None = None

    @property
    def calibration(self) -> Calibration:
        """What the board looks like by now, and where it is."""
        return self._calibration

    @property
    def settled(self) -> Frame | None:
        """The last picture that was read."""
        return self._settled[0] if self._settled is not None else None

    @property
    def state(self) -> str:
        """What the gate said of the last good picture: ``"moving"``, ``"hand"`` or ``"settled"``."""
        return self._state

    @property
    def well(self) -> bool:
        """Whether the last picture was good, and one has been read."""
        return self._health.usable and self._settled is not None

    def missing(self, now_s: float) -> tuple[Watched, ...]:
        """Return what is to be said when no picture came until `now_s`."""
        trouble = self._health.check(None, now_s)
        return (trouble,) if trouble is not None else ()

    def see(self, frame: Frame) -> tuple[Observation | Watched, ...]:
        """Return what a picture shows; nothing when it shows what the last one did."""
        trouble = self._health.check(frame, frame.at_s)
        found: list[Observation | Watched] = [trouble] if trouble is not None else []
        if not self._health.usable:
            return tuple(found)
        look = self._gate.look(frame)
        if look.fresh and look.state != "moving":
            look = self._where(frame, look, found)
        changed, self._state = look.state != self._state, look.state
        if look.state != "settled":
            if changed:
                found.append(Watched(look.state, frame.at_s, frame=frame.name))
        elif look.fresh or changed:
            found.append(self.read(frame, look.foreign))
        return tuple(found)

    def _where(self, frame: Frame, look: Look, found: list[Observation | Watched]) -> Look:
        """Find the board again when something moved it; return how the gate looks then."""
        shift = self._anchor.check(frame.image, clear=look.state == "settled")
        self._unclear = self._unclear + 1 if shift.state == "unclear" and look.state == "settled" else 0
        if self._unclear == UNCLEAR_MOST:
            found.append(Watched("help", frame.at_s, shift.detail, frame.name))
        if shift.state != "moved" or _apart(shift.field, self._calibration.field) <= SHIFT_RADII:
            return look
        found.append(Watched("moved", frame.at_s, shift.detail, frame.name))
        self._calibration = replace(self._calibration, field=shift.field)
        self._gate.restart(shift.field)
        return self._gate.look(frame)

    def read(self, frame: Frame, foreign: Foreign | None = None) -> Observation:
        """Read a picture of a still board: checkers, dice and cube.

        Args:
            frame: the picture.
            foreign: what the gate found over the board; looked for when None.
        """
        field = self._calibration.field
        white_at_bottom = (field.white_home or "bottom").startswith("bottom")
        view = foreign.view if foreign is not None else overview(frame.image, field)
        cube = read_cube(view, field, self._centered, white_at_bottom)
        seen = read(frame.image, self._calibration, frame.at_s, frame.name, foreign)
        dice, self._sets = told_apart(seen.dice, self._sets)
        seen = replace(seen, dice=dice, cube=cube)
        self._settled = frame, seen
        return seen

    def confirm(self, board: Board, frame: Frame) -> None:
        """Learn from a picture that shows `board` for certain, so that slow changes are followed."""
        if board != self._confirmed:
            self._calibration = adapt(self._calibration, frame.image, board)
            self._confirmed = board

    def confirm_settled(self, board: Board) -> None:
        """Learn from the last picture that was read, where nothing in it speaks against `board`."""
        if self._settled is None:
            return
        frame, seen = self._settled
        if all(
            max(site.log_likelihoods) - site.of(n) < DOUBT
            for site, n in zip(seen.sites, board.points, strict=True)
        ):
            self.confirm(board, frame)


def _apart(one: Field, other: Field) -> float:
    """Return how far corners of two fields lie apart at most, in checker radii."""
    far = max(math.dist(a, b) for a, b in zip(one.corners_px, other.corners_px, strict=True))
    width = math.dist(one.corners_px[0], one.corners_px[1])
    return far / (width * CHECKER_SHARE)
