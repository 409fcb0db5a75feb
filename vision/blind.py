"""Learn the board from a single picture whose position is not known.

Checkers on the grid of slots give the geometry and two colors of checkers; then what is believed to
stand there and what the board looks like are worked out from each other in turn, as long as that changes anything.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from controller.board import BarReading, Board, Observation, SiteReading
from controller.errors import CalibrationError
from vision.calibration import BARS, BELIEVED_DISC, PITCH, Calibration, Grid, learn, sample, settle
from vision.checkers import Floats, Found, Plane, Slots, fit, known_slots, log_colors
from vision.columns import agreement, column_likelihoods, evidence
from vision.discs import View
from vision.field import Field, Picture, rectify
from vision.heat import field_heat
from vision.jointly import marginals

CORNER_SHARE = 0.003
"""How far corners given by hand are off, as a share of the picture's width, one standard deviation."""

LUMINANCE = (0.114, 0.587, 0.299)
"""How bright blue, green and red look: White is the side with the lighter checkers."""

ROUNDS = 3
"""How often belief and looks are worked out from each other."""


def calibrate_blind(frame_bgr: Picture, field: Field) -> Calibration:
    """Learn the board from one picture without knowing what stands there.

    Raises:
        CalibrationError: nothing that looks like two sides' checkers lies on the field.
    """
    field, slots = _register(frame_bgr, field)
    grid = _first_belief(frame_bgr, field, slots)
    calibration = learn(frame_bgr, field, slots, _board(grid, field), certain=False)
    for _ in range(ROUNDS):
        view = View.of(frame_bgr, calibration)
        calibration = replace(calibration, doubted=agreement(view, calibration))
        new = _belief(view, calibration)
        if min((new > 0).sum(), (new < 0).sum()) == 0:
            break
        doubted = calibration.doubted
        calibration = learn(frame_bgr, field, slots, _board(new, field), certain=False)
        calibration = replace(calibration, doubted=doubted)
        if np.array_equal(new, grid):
            break
        grid = new
    return calibration


def _register(frame_bgr: Picture, field: Field) -> tuple[Field, Slots]:
    """Return field and slots that fit the checkers that the net finds."""
    slots = Slots()
    found = field_heat(rectify(frame_bgr, field), field)
    tried = []
    for width in BARS:
        wider = field.with_(bar=(0.5 - width / 2, 0.5 + width / 2))
        logits = settle(found, slots.seen(wider), wider, 0.12)[1]
        tried.append((float(np.maximum(logits, -2).sum()), wider))
    field = max(tried, key=lambda t: t[0])[1]
    for reach in (0.3, 0.2, 0.16):
        found = field_heat(rectify(frame_bgr, field), field)
        xy, logits = settle(found, slots.seen(field), field, reach)
        where = known_slots(_runs(logits).tolist())
        if len(where) < 3:
            break
        weight = 1 / (1 + np.exp(-np.clip(logits[tuple(where.T)], -6, 6)))
        corner_px = CORNER_SHARE * frame_bgr.shape[1]
        picture_xy = field.to_picture(xy[tuple(where.T)])
        field, slots = fit(field, slots, Found(where, picture_xy, weight), corner_px)
        slots = replace(slots, radius=float(np.clip(slots.pitch / PITCH, 0.42, 0.5)))
    return field, slots


def _runs(logits: Floats) -> Grid:
    """Return how many checkers follow one another from the rim, for each point; shape ``(2, 12)``."""
    gain = np.cumsum(np.clip(logits, -6, 6), axis=2)
    best = gain.argmax(axis=2) + 1
    return np.where(gain.max(axis=2) > 0, best, 0)


def _first_belief(frame_bgr: Picture, field: Field, slots: Slots) -> Grid:
    """Return what may stand there by roundness and two colors alone."""
    flat = rectify(frame_bgr, field)
    colors = log_colors(flat)
    radius = slots.radius_px(field)
    found, logits = settle(field_heat(flat, field), slots.seen(field), field)
    runs = _runs(logits)
    where = known_slots(runs.tolist())
    if len(where) < 2:
        raise CalibrationError("nothing that looks like checkers lies on the field")
    discs = sample(colors, found, radius * BELIEVED_DISC)
    tones = np.median(discs[tuple(where.T)], axis=1).astype(np.float32)
    bright = _two_heaps(tones)
    grid = np.zeros((2, 12), np.int64)
    for row, column in {(int(r), int(c)) for r, c, _ in where}:
        mine = (where[:, 0] == row) & (where[:, 1] == column)
        share = bright[mine].mean()
        grid[row, column] = runs[row, column] * (1 if share >= 0.5 else -1)
    return grid


def _two_heaps(tones: Plane) -> npt.NDArray[np.bool_]:
    """Return which colors belong to the brighter of two heaps."""
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 1e-3)
    cv2.setRNGSeed(1)
    _, labels, centers = cv2.kmeans(tones, 2, None, criteria, 5, cv2.KMEANS_PP_CENTERS)
    light = np.exp(centers) @ np.array(LUMINANCE)
    return np.asarray(labels.ravel() == int(np.argmax(light)))


def _belief(view: View, calibration: Calibration) -> Grid:
    """Return the likeliest count of each point with the looks learned so far."""
    likely = column_likelihoods(evidence(view, calibration).looks)
    sites = []
    for site in range(1, 25):
        row, column = calibration.field.place(site)
        sites.append(SiteReading(tuple(float(v) for v in likely[row, column]), True))
    chances, _ = marginals(Observation(0.0, tuple(sites), (BarReading(), BarReading())))
    grid = np.zeros((2, 12), np.int64)
    for site in range(1, 25):
        grid[calibration.field.place(site)] = np.clip(int(chances[site - 1].argmax()) - 15, -5, 5)
    return grid


def _board(grid: Grid, field: Field) -> Board:
    """Return the board of a believed grid; a believed side never has more than fifteen checkers."""
    left = {1: 15, -1: 15}
    points = [0] * 24
    for site in range(1, 25):
        count = int(grid[field.place(site)])
        sign = 1 if count > 0 else -1
        points[site - 1] = sign * min(abs(count), left[sign])
        left[sign] -= abs(points[site - 1])
    return Board(tuple(points))
