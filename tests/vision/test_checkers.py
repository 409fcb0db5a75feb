"""Slots: where the tops of checkers are seen, and fitting them to checkers that were found."""

import numpy as np

from vision.checkers import Found, Slots, fit, known_slots
from vision.field import Field

SIZE = (1280, 720)
TRUE = Field.of([(400.0, 120.0), (900.0, 130.0), (1080.0, 640.0), (230.0, 650.0)], SIZE).with_(
    bar=(0.455, 0.545), lens=-0.06
)
TRUE_SLOTS = Slots(height=0.23, radius=0.475, gap=0.02, pitch=0.97)
COUNTS = [[5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2], [-5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2]]


def test_known_slots_list_every_checker_once() -> None:
    where = known_slots(COUNTS)
    assert len(where) == 30
    assert len({tuple(w) for w in where.tolist()}) == 30


def test_a_stack_never_has_more_than_five_slots_on_the_surface() -> None:
    assert len(known_slots([[8] + [0] * 11, [0] * 12])) == 5


def test_fitting_finds_corners_bar_and_height_again() -> None:
    where = known_slots(COUNTS)
    tops = TRUE.to_picture(TRUE_SLOTS.seen(TRUE)[tuple(where.T)])
    rng = np.random.default_rng(4)
    found = Found(where, tops + rng.normal(0, 0.4, tops.shape), np.ones(len(where)))
    guess = Field.of([(x + 2.0, y - 1.5) for x, y in TRUE.corners_px], SIZE)
    field, slots = fit(guess, Slots(), found, 3.0)
    off = field.to_picture(slots.seen(field)[tuple(where.T)]) - tops
    assert np.abs(off).mean() < 0.8
    assert np.abs(np.array(field.corners_px) - np.array(TRUE.corners_px)).max() < 4.0


def test_a_checker_found_in_the_wrong_place_does_not_spoil_the_fit() -> None:
    where = known_slots(COUNTS)
    tops = TRUE.to_picture(TRUE_SLOTS.seen(TRUE)[tuple(where.T)])
    wrong = tops.copy()
    wrong[3] += (35.0, -20.0)
    field, slots = fit(TRUE, TRUE_SLOTS, Found(where, wrong, np.ones(len(where))), 1.0)
    off = field.to_picture(slots.seen(field)[tuple(where.T)]) - tops
    assert np.abs(off).max() < 2.0
