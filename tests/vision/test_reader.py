"""Reading pictures: right where it is sure, silent where it sees nothing."""

import random
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.board import START_BOARD, Board, Observation, Scene
from controller.errors import CalibrationError
from vision.calibration import POINTS, by_tint, from_tint
from vision.columns import column_likelihoods
from vision.discs import Clipped, View, round_evidence
from vision.field import Field, Picture
from vision.hidden import hiding, with_rims
from vision.jointly import likeliest, marginals
from vision.news import news
from vision.reader import adapt, calibrate, calibrate_blind, read
from vision.settle import Foreign
from vision.simulated import SimulatedCamera

CAMERA = SimulatedCamera(seed=5)
START = CAMERA.picture(Scene(START_BOARD))
SIZE = (START.shape[1], START.shape[0])
FIELD = Field.of(CAMERA.corners_px, SIZE, "bottom-right")
CALIBRATION = calibrate(START, FIELD, START_BOARD)


def any_board(seed: int) -> Board:
    """Return a board with no more than five checkers on a point."""
    rng = random.Random(seed)
    points = [0] * 24
    for sign in (1, -1):
        left = 15
        free = [i for i in range(24) if points[i] == 0]
        rng.shuffle(free)
        for i in free:
            count = min(left, rng.randint(1, 5))
            points[i] = sign * count
            left -= count
            if left == 0:
                break
    return Board(tuple(points))


def wrong_sites(observation: Observation, board: Board) -> list[int]:
    chances, _ = marginals(observation)
    return [i + 1 for i in range(24) if int(chances[i].argmax()) - 15 != board.points[i]]


def test_the_calibrated_position_reads_as_itself() -> None:
    observation = read(START, CALIBRATION, 1.0, "f000.jpg")
    assert wrong_sites(observation, START_BOARD) == []
    assert observation.frame == "f000.jpg"
    assert not observation.hand
    assert likeliest(observation) == START_BOARD


@pytest.mark.parametrize("seed", range(4))
def test_other_positions_are_read_after_calibrating_on_the_start(seed: int) -> None:
    board = any_board(seed)
    assert len(wrong_sites(read(CAMERA.picture(Scene(board)), CALIBRATION), board)) <= 1


def test_light_may_change_by_half() -> None:
    board = any_board(11)
    picture = CAMERA.picture(Scene(board)).astype(np.float32)
    for gain in (np.array([0.55] * 3), np.array([0.75, 0.95, 1.12])):
        changed = np.clip(picture * gain, 0, 255).astype(np.uint8)
        assert len(wrong_sites(read(changed, CALIBRATION), board)) <= 1


@pytest.mark.parametrize("seed", range(3))
def test_grain_that_strong_light_burns_out_makes_no_other_checker(seed: int) -> None:
    grain = 0.9 * np.exp(0.3 * np.sin(np.arange(SIZE[0]) / 3))[:, None]
    calibration = calibrate(np.clip(START * grain, 0, 255).astype(np.uint8), FIELD, START_BOARD)
    board = any_board(seed)
    bright = np.clip(CAMERA.picture(Scene(board)) * grain * 2, 0, 255).astype(np.uint8)
    assert len(wrong_sites(read(bright, calibration), board)) <= 1


def test_a_color_at_the_limit_of_the_camera_may_be_brighter_than_it_looks() -> None:
    pixels = np.full((3, POINTS, 3), 120, np.uint8)
    pixels[1, :9] = 255
    pixels[2, 0, 2] = 251
    off = by_tint(np.full((3, POINTS, 3), -0.2, np.float32))
    left = from_tint(Clipped.of(pixels).visible(off))
    assert np.allclose(left[:, 0], -0.2, atol=1e-5)
    assert np.allclose(left[:, 1, :9], 0, atol=1e-5)
    assert np.allclose(left[:, 1, 9:], -0.2, atol=1e-5)
    assert np.allclose(left[:, 2, 0], (-0.2, -0.2, 0), atol=1e-5)
    assert np.allclose(Clipped.of(pixels).visible(-off), -off, atol=1e-5)
    assert np.allclose(
        Clipped.of(pixels).part(np.array([0, 2])).visible(off[:, [0, 2]]),
        by_tint(np.moveaxis(left[:, [0, 2]], 0, -1)),
        atol=1e-5,
    )


@pytest.mark.parametrize("noise", [0.5, 3.0])
def test_noise_is_no_news_on_dark_wood_either(noise: float) -> None:
    picture = CAMERA.picture(Scene(START_BOARD))
    noisy = picture + np.random.default_rng(3).normal(0, noise, picture.shape)
    view = View.of(np.clip(noisy, 0, 255).astype(np.uint8), CALIBRATION)
    assert news(view.flat, view.change, view.noise, CALIBRATION.bases[1]).mean() < 0.003


def test_what_is_confirmed_is_learned() -> None:
    board = any_board(7)
    picture = CAMERA.picture(Scene(board))
    learned = adapt(CALIBRATION, picture, board)
    assert learned.known.sum() > CALIBRATION.known.sum()
    assert wrong_sites(read(picture, learned), board) == []


def test_one_picture_alone_is_read_for_the_most_part() -> None:
    observation = read(START, calibrate_blind(START, FIELD))
    assert len(wrong_sites(observation, START_BOARD)) <= 4


def test_a_hand_hides_sites_and_is_said() -> None:
    picture = CAMERA.picture(Scene(START_BOARD, hand=(0.3, 0.3)))
    observation = read(picture, CALIBRATION)
    assert observation.hand
    assert any(not site.seen for site in observation.sites)
    assert all(set(site.log_likelihoods) == {0.0} for site in observation.sites if not site.seen)


def test_what_the_net_rules_out_hides_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(view: Picture, bases: Sequence[Picture], field: Field) -> Foreign:
        return Foreign(view, True, np.ones(view.shape[:2], np.uint8), (1.0,) * 24, (1.0, 1.0))

    hand = CAMERA.picture(Scene(START_BOARD, hand=(0.3, 0.3)))
    usual = {i for i, site in enumerate(read(hand, CALIBRATION).sites) if not site.seen}
    monkeypatch.setattr("vision.hidden.find_foreign", everything)
    assert sum(not site.seen for site in read(START, CALIBRATION).sites) <= 2
    assert usual <= {i for i, site in enumerate(read(hand, CALIBRATION).sites) if not site.seen} != set(range(24))


def test_a_lamp_in_a_dark_checker_leaves_its_edge_dark() -> None:
    points = [0] * 24
    points[5], points[18] = -1, 2
    picture = CAMERA.picture(Scene(Board(tuple(points)))).copy()
    slots, field = CALIBRATION.slots, CALIBRATION.field
    (x, y), (across, _) = field.to_picture(
        slots.seen(field)[field.place(6)][0] + np.array([(0.0, 0.0), (0.8 * slots.radius_px(field), 0.0)])
    ).tolist()
    cv2.circle(picture, (round(x), round(y)), round(across - x), (190, 190, 190), -1)
    assert read(picture, CALIBRATION).sites[5].best == -1


def test_a_hand_in_a_single_picture_hides_sites_below_it_and_no_others() -> None:
    picture = CAMERA.picture(Scene(START_BOARD, hand=(0.3, 0.3)))
    hidden = {
        i + 1 for i, site in enumerate(read(picture, calibrate_blind(picture, FIELD)).sites) if not site.seen
    }
    known = {i + 1 for i, site in enumerate(read(picture, CALIBRATION).sites) if not site.seen}
    assert known <= hidden
    assert len(hidden - known) <= 2


def test_what_may_hide_the_board_does_where_it_hangs_together_with_what_surely_does() -> None:
    logit = np.full((100, 100), -5.0, np.float32)
    logit[:40, :40], logit[40:70, 10:20] = 1.0, -1.0
    logit[70:, 60:], logit[5:15, 80:90] = -1.0, 1.0
    covered = hiding(logit, 25.0**2) > 0
    assert covered[:40, :40].all()
    assert covered[40:70, 10:20].all()
    assert covered.sum() == 40 * 40 + 30 * 10


def test_a_site_at_the_rim_of_what_hides_its_neighbor_is_hidden_too() -> None:
    shares = [0.0] * 24
    shares[10], shares[11], shares[12], shares[20], shares[21], shares[22] = 0.1, 0.7, 0.1, 0.1, 0.4, 0.02
    raised = with_rims(shares, [0.0] * 24)
    assert raised[10] == 0.7
    assert [raised[site] for site in (12, 20, 21, 22)] == [0.1, 0.1, 0.4, 0.02]


def test_a_site_is_hidden_by_who_reaches_over_the_rim_at_its_end() -> None:
    columns, ends = [0.0] * 24, [0.0] * 24
    ends[3], ends[8], columns[4] = 0.8, 0.6, 0.1
    covered = with_rims(columns, ends)
    assert covered[3] == covered[4] == 0.8
    assert sum(share > 0 for share in covered) == 2


def test_checkers_that_look_very_different_do_not_make_an_empty_slot_uncertain() -> None:
    mean, spread = CALIBRATION.round_full
    various = replace(CALIBRATION, round_full=(mean, 2 * spread))
    odd, empty = np.array(mean - 2 * spread), mean - 6 * spread
    assert round_evidence(odd, empty, various) > round_evidence(odd, empty, CALIBRATION) > 0
    full, bare = np.array(mean), np.array(empty)
    assert round_evidence(bare, empty, various) < -4 < 4 < round_evidence(full, empty, various)


def test_more_than_five_is_never_claimed_beyond_five() -> None:
    looks = np.zeros((7, 4))
    looks[:5, 1] = 9.0
    likely = column_likelihoods(looks)
    assert likely[15 + 5] == likely[15 + 6] == likely[15 + 15] == likely.max()


@settings(max_examples=12)
@given(
    kind=st.sampled_from(["noise", "black", "white", "grey", "stripes"]),
    seed=st.integers(0, 1000),
)
def test_nonsense_never_crashes(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (SIZE[1], SIZE[0], 3)
    picture = {
        "noise": rng.integers(0, 256, shape, np.uint8),
        "black": np.zeros(shape, np.uint8),
        "white": np.full(shape, 255, np.uint8),
        "grey": np.full(shape, int(rng.integers(256)), np.uint8),
        "stripes": np.tile(rng.integers(0, 256, (1, SIZE[0], 3), np.uint8), (SIZE[1], 1, 1)),
    }[kind]
    observation = read(picture, CALIBRATION)
    assert all(np.isfinite(site.log_likelihoods).all() for site in observation.sites)


def test_a_picture_of_another_size_is_refused() -> None:
    with pytest.raises(CalibrationError, match="found in"):
        read(np.zeros((480, 640, 3), np.uint8), CALIBRATION)
