"""Where the start position lies among places that look like checkers."""

import cv2
import numpy as np

from vision.lattice import SLOTS, Guesses, Tops, likeliest

SIZE = (1280, 720)
BAR, HEIGHT = 1.0, 11.5
VIEWS = {
    "straight": [(200, 60), (1000, 60), (1000, 680), (200, 680)],
    "tilted": [(380, 60), (900, 60), (1130, 640), (150, 640)],
    "turned": [(1000, 80), (1060, 640), (330, 700), (420, 60)],
}


def tops_of(corners: list[tuple[int, int]], seed: int, strays: int, missed: int) -> Tops:
    """Return tops of a start position whose field has these corners, nudged, with some missed and some strays."""
    random = np.random.default_rng(seed)
    lattice = np.array([(0, 0), (12 + BAR, 0), (12 + BAR, HEIGHT), (0, HEIGHT)], np.float32)
    matrix = cv2.getPerspectiveTransform(lattice, np.array(corners, np.float32))
    guess = Guesses(matrix[None], np.array([BAR]), np.array([HEIGHT]))
    slots = guess.slots()[0] + random.normal(0, 0.03, (len(SLOTS), 2))
    seen = cv2.perspectiveTransform(slots[None].astype(np.float32), matrix)[0]
    beside = cv2.perspectiveTransform((slots + np.array([0.5, 0]))[None].astype(np.float32), matrix)[0]
    keep = random.permutation(len(seen))[missed:]
    wide = 2 * np.linalg.norm(beside - seen, axis=1)
    xy = np.concatenate([seen[keep], random.uniform((0, 0), SIZE, (strays, 2))])
    column_px = np.concatenate([wide[keep], np.full(strays, float(wide.mean()))])
    return Tops.of(xy, random.uniform(0.5, 6, len(xy)), column_px)


def error_columns(guesses: Guesses, corners: list[tuple[int, int]]) -> float:
    """Return how far the worst corner of the best guess is off, in columns."""
    true = np.array(corners, float)
    off = min(np.linalg.norm(np.roll(guesses.corners()[0], k, axis=0) - true, axis=1).max() for k in range(4))
    return float(off / (np.linalg.norm(true[1] - true[0]) / (12 + BAR)))


def test_the_start_position_is_found_from_any_side() -> None:
    for seed, (name, corners) in enumerate(VIEWS.items()):
        guesses, scores = likeliest(tops_of(corners, seed, strays=0, missed=0), SIZE)
        assert error_columns(guesses, corners) < 0.6, name
        assert scores[0] > 25, name


def test_checkers_that_are_missed_and_things_that_are_none_do_not_hide_it() -> None:
    for seed, (name, corners) in enumerate(VIEWS.items()):
        guesses, _ = likeliest(tops_of(corners, seed, strays=25, missed=4), SIZE)
        assert error_columns(guesses, corners) < 0.8, name


def test_the_home_boards_lie_on_the_right_of_what_is_found() -> None:
    corners = VIEWS["tilted"]
    half_turned = corners[2:] + corners[:2]
    guesses, _ = likeliest(tops_of(half_turned, 1, strays=0, missed=0), SIZE)
    assert np.abs(guesses.corners()[0] - np.array(half_turned)).max() < 30


def test_strewn_things_give_no_start_position_worth_a_look() -> None:
    random = np.random.default_rng(4)
    xy = random.uniform((0, 0), SIZE, (60, 2))
    _, scores = likeliest(Tops.of(xy, np.full(60, 3.0), np.full(60, 45.0)), SIZE)
    assert not len(scores) or scores[0] < 12


def test_of_two_tops_at_one_place_the_surer_one_stays() -> None:
    tops = Tops.of(np.array([(100.0, 100), (108, 100), (160, 100)]), np.array([1.0, 3, 2]), np.full(3, 40.0))
    assert tops.xy[:, 0].tolist() == [108, 160]


def test_too_few_rows_of_checkers_give_nothing() -> None:
    tops = Tops.of(np.array([(100.0, 100), (400, 300)]), np.array([4.0, 4]), np.full(2, 40.0))
    assert len(likeliest(tops, SIZE)[0]) == 0
