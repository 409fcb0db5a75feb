"""The gate: moving, a hand, or settled. The board is a small drawing of our own."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.camera import Frame
from vision.field import Field
from vision.settle import Gate, find_foreign, overview

SIZE = (640, 400)
FIELD = Field.of([(120.0, 60.0), (520.0, 60.0), (520.0, 350.0), (120.0, 350.0)], SIZE, "bottom-right")


def drawn(checkers: list[tuple[int, int, tuple[int, int, int]]], seed: int = 0) -> np.ndarray:
    """Return a board from above with checkers, as (x, y, color), and sensor noise."""
    image = np.full((SIZE[1], SIZE[0], 3), (70, 90, 110), np.uint8)
    cv2.rectangle(image, (95, 35), (545, 375), (30, 45, 70), -1)
    cv2.rectangle(image, (120, 60), (520, 350), (60, 120, 60), -1)
    for k in range(12):
        x = 120 + k * 31 + (28 if k >= 6 else 0)
        color = (180, 200, 210) if k % 2 else (40, 40, 150)
        cv2.fillPoly(image, [np.array([(x, 60), (x + 31, 60), (x + 15, 180)])], color)
        cv2.fillPoly(image, [np.array([(x, 350), (x + 31, 350), (x + 15, 230)])], color)
    for x, y, color in checkers:
        cv2.circle(image, (x, y), 14, color, -1, cv2.LINE_AA)
    noise = np.random.default_rng(seed).normal(0, 2.5, image.shape)
    return np.clip(cv2.GaussianBlur(image, (3, 3), 0) + noise, 0, 255).astype(np.uint8)


WHITE, BLACK = (215, 230, 235), (35, 35, 40)
START = [(136, 75 + 28 * k, WHITE) for k in range(5)] + [(350, 335 - 28 * k, BLACK) for k in range(3)]


def with_arm(image: np.ndarray, color: tuple[int, int, int], to: tuple[int, int]) -> np.ndarray:
    image = image.copy()
    cv2.line(image, (to[0] + 40, 399), to, color, 46, cv2.LINE_AA)
    return image


@pytest.mark.parametrize(
    "color", [(120, 150, 210), (60, 60, 60), (240, 240, 240)], ids=["skin", "dark sleeve", "glove"]
)
def test_resting_arm_is_a_hand_whatever_its_color(color: tuple[int, int, int]) -> None:
    gate = Gate(FIELD, drawn(START))
    look = gate.look(Frame(with_arm(drawn(START, 1), color, (400, 250)), 0.0, "arm"))
    assert look.state == "hand"
    assert look.foreign is not None
    under = [s for s in range(1, 25) if look.foreign.hides(s)]
    assert 13 not in under
    assert set(under) <= {1, 2, 3, 4, 5, 6}
    assert under


def test_checkers_in_new_places_and_dice_are_no_hand() -> None:
    gate = Gate(FIELD, drawn(START))
    moved = [*START[2:], (198, 75, WHITE), (229, 75, WHITE), (300, 335, BLACK)]
    image = drawn(moved, 2)
    cv2.rectangle(image, (420, 200), (430, 210), (245, 245, 245), -1)
    assert gate.look(Frame(image, 0.0, "play")).state == "settled"


@pytest.mark.parametrize("gains", [(0.5, 0.5, 0.5), (1.3, 1.3, 1.3), (0.7, 0.95, 1.15), (1.15, 1.0, 0.75)])
def test_other_light_is_no_hand(gains: tuple[float, float, float]) -> None:
    gate = Gate(FIELD, drawn(START))
    image = np.clip(drawn(START, 3) * np.array(gains), 0, 255).astype(np.uint8)
    assert gate.look(Frame(image, 0.0, "light")).state == "settled"


def test_shadow_over_half_the_board_is_no_hand() -> None:
    gate = Gate(FIELD, drawn(START))
    edge = 1 / (1 + np.exp(-(np.linspace(0, 1, SIZE[0]) - 0.5) * 60))
    image = (drawn(START, 4) * (1 - 0.5 * edge)[None, :, None]).astype(np.uint8)
    assert gate.look(Frame(image, 0.0, "shadow")).state == "settled"


def test_the_edge_of_a_shadow_is_no_hand_where_the_board_is_plain_and_checkers_have_moved() -> None:
    gate = Gate(FIELD, drawn(START))
    image = drawn([*START[1:], (198, 200, WHITE), (300, 210, BLACK), (420, 205, WHITE)], 4)
    for x in (150, 250, 470):
        cv2.rectangle(image, (x, 198), (x + 10, 208), (245, 245, 245), -1)
    edge = 1 / (1 + np.exp(-(np.linspace(0, 1, SIZE[1]) - 0.5) * 30))
    shaded = (image * (1 - 0.5 * edge)[:, None, None]).astype(np.uint8)
    assert gate.look(Frame(shaded, 0.0, "shadow")).state == "settled"


def test_video_settles_only_after_nothing_moved_for_a_while() -> None:
    gate = Gate(FIELD, drawn(START))
    states = []
    for k in range(20):
        x = 198 + 12 * min(k, 8)
        image = drawn([*START, (x, 200, WHITE)], k)
        states.append(gate.look(Frame(image, k * 0.1, str(k))).state)
    assert states[3:12] == ["moving"] * 9
    assert states[-1] == "settled"


@pytest.mark.parametrize(("dx", "dy"), [(19, 8), (-30, 12)])
def test_what_was_known_of_the_board_stays_known_after_the_camera_moved(dx: int, dy: int) -> None:
    """A cube was put beside the rim and checkers were played next to it; against the start both are one thing."""

    def with_cube(image: np.ndarray) -> np.ndarray:
        return cv2.rectangle(image, (521, 190), (575, 240), (240, 240, 240), -1)

    played = [(505, 75 + 28 * k, WHITE) for k in range(9)]
    shift = np.array([[1, 0, dx], [0, 1, dy]], np.float32)
    corners = [(x + dx, y + dy) for x, y in FIELD.corners_px]
    gate = Gate(FIELD, drawn(START))
    assert gate.look(Frame(with_cube(drawn(START, 1)), 0.0, "cube")).state == "settled"
    assert gate.look(Frame(with_cube(drawn(played, 2)), 1.0, "played")).state == "settled"
    gate.restart(Field.of(corners, SIZE, "bottom-right"))
    for arm, state in ((False, "settled"), (True, "hand")):
        image = with_cube(drawn(played, 3))
        image = with_arm(image, (120, 150, 210), (400, 250)) if arm else image
        moved = cv2.warpAffine(image, shift, SIZE, borderMode=cv2.BORDER_REPLICATE)
        assert gate.look(Frame(moved, 2.0 + arm, "moved")).state == state


def test_unchanged_board_is_not_looked_at_again() -> None:
    gate = Gate(FIELD, drawn(START))
    assert gate.look(Frame(drawn(START, 1), 0.0, "a")).fresh
    assert not gate.look(Frame(drawn(START, 2), 1.0, "b")).fresh


def test_a_board_that_fell_into_shadow_is_looked_at_again() -> None:
    gate = Gate(FIELD, drawn(START))
    gate.look(Frame(drawn(START, 1), 0.0, "a"))
    played = drawn([*START, (198, 200, (90, 160, 90))], 2)
    shade = np.linspace(1.0, 0.4, SIZE[0])
    look = gate.look(Frame((played * shade[None, :, None]).astype(np.uint8), 1.0, "b"))
    assert look.fresh
    assert look.state == "settled"


@settings(max_examples=12)
@given(st.sampled_from(["noise", "black", "white"]), st.integers(0, 2**31))
def test_any_picture_gets_an_answer(kind: str, seed: int) -> None:
    shape = (SIZE[1], SIZE[0], 3)
    image = {
        "noise": np.random.default_rng(seed).integers(0, 256, shape, np.uint8),
        "black": np.zeros(shape, np.uint8),
        "white": np.full(shape, 255, np.uint8),
    }[kind]
    found = find_foreign(overview(image, FIELD), [overview(drawn(START), FIELD)], FIELD)
    assert len(found.hidden) == 24
    assert all(0 <= share <= 1 for share in found.hidden)


@pytest.mark.needs_shared
@pytest.mark.parametrize("name", ["seq01", "seq04", "seq06", "seq08"])
def test_rendered_hands_are_hands_and_settled_frames_are_settled(shared: Path, name: str) -> None:
    folder = shared / "vision" / "renders" / name
    record = json.loads((folder / "sequence.json").read_text())["frames"]
    corners = json.loads((folder / "f000.json").read_text())["corners_px"]["field"]
    ring = [corners[k] for k in ("far_left", "far_right", "near_right", "near_left")]
    start = cv2.imread(str(folder / "f000.jpg"))
    gate = Gate(Field.of(ring, (start.shape[1], start.shape[0])), start)
    for frame in record[1:12]:
        look = gate.look(Frame(cv2.imread(str(folder / frame["file"])), float(frame["frame"]), frame["file"]))
        assert look.state == ("settled" if frame["settled"] else "hand"), frame["file"]
