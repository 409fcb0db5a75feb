"""A moved camera is noticed and the field found again; darkness and play are no move."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.field import Field
from vision.moved import SHIFT_RADII, Anchor

SIZE = (640, 400)
FIELD = Field.of([(120.0, 60.0), (520.0, 60.0), (520.0, 350.0), (120.0, 350.0)], SIZE, "bottom-right")
START = [(136, 75 + 28 * k, (215, 230, 235)) for k in range(5)] + [
    (350, 335 - 28 * k, (35, 35, 40)) for k in range(3)
]
LATER = [(198, 75, (215, 230, 235)), (229, 75, (215, 230, 235)), (300, 335, (35, 35, 40)), (480, 75, (35, 35, 40))]


def drawn(checkers: list[tuple[int, int, tuple[int, int, int]]], seed: int = 0) -> np.ndarray:
    """Return a board from above, and sensor noise."""
    image = np.full((SIZE[1], SIZE[0], 3), (70, 90, 110), np.uint8)
    cv2.rectangle(image, (95, 35), (545, 375), (30, 45, 70), -1)
    cv2.rectangle(image, (120, 60), (520, 350), (60, 120, 60), -1)
    cv2.rectangle(image, (306, 60), (334, 350), (30, 45, 70), -1)
    for k in range(12):
        x = 120 + k * 31 + (28 if k >= 6 else 0)
        color = (180, 200, 210) if k % 2 else (40, 40, 150)
        cv2.fillPoly(image, [np.array([(x, 60), (x + 31, 60), (x + 15, 180)])], color)
        cv2.fillPoly(image, [np.array([(x, 350), (x + 31, 350), (x + 15, 230)])], color)
    for x, y, color in checkers:
        cv2.circle(image, (x, y), 14, color, -1, cv2.LINE_AA)
    noise = np.random.default_rng(seed).normal(0, 2.5, image.shape)
    return np.clip(cv2.GaussianBlur(image, (3, 3), 0) + noise, 0, 255).astype(np.uint8)


def moves() -> dict[str, np.ndarray]:
    turn = cv2.getRotationMatrix2D((300, 210), 2.0, 1.0)
    zoom = cv2.getRotationMatrix2D((300, 210), 0.0, 1.05)
    return {
        "small shift": np.array([[1, 0, 3.4], [0, 1, 1.5]]),
        "shift": np.array([[1, 0, 6.0], [0, 1, 3.0]]),
        "far shift": np.array([[1, 0, 33.0], [0, 1, -12.0]]),
        "turn": turn,
        "zoom": zoom,
    }


@pytest.mark.parametrize("name", moves())
@pytest.mark.parametrize("gain", [0.5, 1.0, 1.3])
def test_moved_camera_is_noticed_and_the_corners_found_again(name: str, gain: float) -> None:
    matrix = moves()[name]
    picture = cv2.warpAffine(drawn(LATER, 1), matrix, SIZE, borderMode=cv2.BORDER_REPLICATE)
    shift = Anchor(FIELD, drawn(START)).check(np.clip(picture * gain, 0, 255).astype(np.uint8))
    assert shift.state == "moved"
    expected = np.array(FIELD.corners_px) @ matrix[:, :2].T + matrix[:, 2]
    assert np.abs(np.array(shift.field.corners_px) - expected).max() < 1.5
    assert shift.residual_px < 1.5


def test_played_checkers_and_a_hand_are_no_move() -> None:
    anchor = Anchor(FIELD, drawn(START))
    picture = drawn(LATER, 2)
    assert anchor.check(picture).state == "same"
    cv2.line(picture, (430, 399), (400, 250), (120, 150, 210), 46)
    assert anchor.check(picture, clear=False).state == "same"


def test_shift_below_the_limit_is_no_move() -> None:
    picture = cv2.warpAffine(drawn(START, 3), np.array([[1, 0, 1.5], [0, 1, 1.0]]), SIZE)
    shift = Anchor(FIELD, drawn(START)).check(picture)
    assert shift.state == "same"
    assert 0 < shift.radii < SHIFT_RADII


@pytest.mark.parametrize("level", [0, 128, 255])
def test_black_and_plain_pictures_are_unclear_not_moved(level: int) -> None:
    plain = np.full((SIZE[1], SIZE[0], 3), level, np.uint8)
    assert Anchor(FIELD, drawn(START)).check(plain).state == "unclear"


def test_noise_and_another_size_are_unclear() -> None:
    anchor = Anchor(FIELD, drawn(START))
    noise = np.random.default_rng(5).integers(0, 256, (SIZE[1], SIZE[0], 3), np.uint8)
    assert anchor.check(noise).state == "unclear"
    assert anchor.check(noise[:100, :120].copy()).state == "unclear"


@pytest.mark.needs_shared
def test_rendered_board_is_found_again_after_a_nudge(shared: Path) -> None:
    folder = shared / "vision" / "renders" / "seq04"
    corners = json.loads((folder / "f000.json").read_text())["corners_px"]["field"]
    start, later = (cv2.imread(str(folder / name)) for name in ("f000.jpg", "f012.jpg"))
    ring = [corners[k] for k in ("near_left", "far_left", "far_right", "near_right")]
    anchor = Anchor(Field.of(ring, (start.shape[1], start.shape[0])), start)
    assert anchor.check(later).state == "same"
    matrix = cv2.getRotationMatrix2D((600, 380), 2.0, 1.02)
    shift = anchor.check(cv2.warpAffine(later, matrix, (start.shape[1], start.shape[0])))
    assert shift.state == "moved"
    expected = np.array(anchor.field.corners_px) @ matrix[:, :2].T + matrix[:, 2]
    assert np.abs(np.array(shift.field.corners_px) - expected).max() < 3.0
