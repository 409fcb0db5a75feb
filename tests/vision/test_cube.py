"""Where the doubling cube lies, or that it is not certain."""

import cv2
import numpy as np
import pytest

from controller.board import CubeReading
from vision.cube import read_cube
from vision.field import Field
from vision.settle import overview

SIZE = (800, 640)
FIELD = Field.of([(80.0, 60.0), (720.0, 60.0), (720.0, 580.0), (80.0, 580.0)], SIZE, "bottom-right")


def board(cube: tuple[int, int] | None, checkers: tuple[tuple[int, int], ...] = (), seed: int = 0) -> np.ndarray:
    """Return a board from above with a cube of 27 px and checkers of radius 24."""
    image = np.full((SIZE[1], SIZE[0], 3), (45, 60, 85), np.uint8)
    cv2.rectangle(image, (80, 60), (720, 580), (70, 120, 70), -1)
    cv2.rectangle(image, (378, 60), (422, 580), (45, 60, 85), -1)
    for x, y in checkers:
        cv2.circle(image, (x, y), 23, (225, 230, 230), -1, cv2.LINE_AA)
    if cube is not None:
        x, y = cube
        cv2.rectangle(image, (x - 14, y - 14), (x + 13, y + 13), (220, 230, 235), -1)
        cv2.putText(image, "2", (x - 6, y + 7), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (20, 20, 20), 2)
    noise = np.random.default_rng(seed).normal(0, 2, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


CENTERED = overview(board((400, 320)), FIELD)


def test_cube_that_stays_is_centered_whatever_is_played() -> None:
    assert read_cube(
        overview(board((400, 320), ((150, 90), (600, 550)), 1), FIELD), FIELD, CENTERED
    ) == CubeReading(None, "center")


@pytest.mark.parametrize(
    ("y", "white_at_bottom", "owner"), [(540, True, "white"), (100, True, "black"), (540, False, "black")]
)
def test_cube_at_an_end_of_the_bar_belongs_to_who_sits_there(y: int, white_at_bottom: bool, owner: str) -> None:
    seen = read_cube(overview(board((400, y), seed=2), FIELD), FIELD, CENTERED, white_at_bottom)
    assert seen == CubeReading(None, owner)


def test_cube_that_stays_is_centered_after_the_camera_moved() -> None:
    shift = np.array([[1.0, 0, 14], [0, 1, -9]])
    moved = cv2.warpAffine(board((400, 320), seed=5), shift, SIZE, borderMode=cv2.BORDER_REPLICATE)
    field = FIELD.with_(corners_px=tuple((x + 14, y - 9) for x, y in FIELD.corners_px))
    assert read_cube(overview(moved, field), field, CENTERED) == CubeReading(None, "center")


@pytest.mark.parametrize("gain", [0.6, 0.8, 1.15])
def test_cube_that_stays_is_centered_in_other_light(gain: float) -> None:
    picture = np.clip(board((400, 320), seed=6) * gain, 0, 255).astype(np.uint8)
    assert read_cube(overview(picture, FIELD), FIELD, CENTERED) == CubeReading(None, "center")


def test_checker_on_the_bar_is_no_cube() -> None:
    seen = read_cube(overview(board(None, ((400, 470),), 3), FIELD), FIELD, CENTERED)
    assert seen is None


@pytest.mark.parametrize("level", [0, 255])
def test_plain_pictures_make_no_claim_of_an_owner(level: int) -> None:
    seen = read_cube(overview(np.full((SIZE[1], SIZE[0], 3), level, np.uint8), FIELD), FIELD, CENTERED)
    assert seen is None or seen.at == "center"


def test_noise_makes_no_claim_of_an_owner() -> None:
    noise = np.random.default_rng(4).integers(0, 256, (SIZE[1], SIZE[0], 3), np.uint8)
    seen = read_cube(overview(noise, FIELD), FIELD, CENTERED)
    assert seen is None or seen.at == "center"
