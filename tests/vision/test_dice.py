"""Dice are found and read; what is no die is not."""

import json
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from controller.board import DieReading
from vision.checkers import log_colors
from vision.dice import (
    Found,
    _color,
    _lift,
    _peaks,
    _seen_again,
    _squares,
    _without_sides,
    active_roll,
    find_dice,
    read_dice,
    suspected,
    take_closeup,
)
from vision.field import Field, Picture, rectify
from vision.light import Unlit, coarse, light
from vision.news import NEWS_STEP, Base
from vision.news import news as what_is_new
from vision.training.dice_scenes import PIPS, draw_scene

SIZE = (800, 640)
CORNERS = [(80.0, 60.0), (720.0, 60.0), (720.0, 580.0), (80.0, 580.0)]
FIELD = Field.of(CORNERS, SIZE, "bottom-right")


def board(seed: int = 0) -> np.ndarray:
    """Return an empty board from above."""
    image = np.full((SIZE[1], SIZE[0], 3), (45, 60, 85), np.uint8)
    cv2.rectangle(image, (80, 60), (720, 580), (70, 120, 70), -1)
    for k in range(12):
        x = 80 + k * 50 + (40 if k >= 6 else 0)
        color = (190, 205, 215) if k % 2 else (50, 50, 150)
        cv2.fillPoly(image, [np.array([(x, 60), (x + 50, 60), (x + 25, 260)])], color)
        cv2.fillPoly(image, [np.array([(x, 580), (x + 50, 580), (x + 25, 380)])], color)
    noise = np.random.default_rng(seed).normal(0, 2, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def with_die(image: np.ndarray, xy: tuple[int, int], value: int, turn: float, dark: bool = False) -> np.ndarray:
    """Return the picture with a die of 18 px seen from above."""
    scale, edge = 8, 18
    face = np.zeros((40 * scale, 40 * scale, 4), np.uint8)
    body, pip = ((40, 40, 45), (235, 235, 235)) if dark else ((235, 240, 240), (25, 25, 25))
    box = cv2.boxPoints(((20 * scale, 20 * scale), (edge * scale, edge * scale), math.degrees(turn)))
    cv2.fillPoly(face, [box.astype(np.int32)], (*body, 255))
    c, s = math.cos(turn), math.sin(turn)
    for u, v in PIPS[value]:
        x, y = 20 + 0.26 * edge * (c * u - s * v), 20 + 0.26 * edge * (s * u + c * v)
        cv2.circle(face, (int(x * scale), int(y * scale)), int(0.1 * edge * scale), (*pip, 255), -1)
    small = cv2.resize(face, (40, 40), interpolation=cv2.INTER_AREA).astype(float)
    out = image.copy()
    x0, y0 = xy[0] - 20, xy[1] - 20
    alpha = small[..., 3:] / 255
    part = out[y0 : y0 + 40, x0 : x0 + 40]
    part[:] = (part * (1 - alpha) + small[..., :3]).clip(0, 255).astype(np.uint8)
    return out


def news(image: Picture, bare: Picture, field: Field = FIELD) -> np.ndarray:
    """Return where a picture shows what another one of the same board does not."""
    flat, before = rectify(image, field), log_colors(rectify(bare, field))
    change = light(coarse(flat), Unlit.of(before, np.full(flat.shape[:2], 0.04, np.float32)))
    return what_is_new(flat, change, 3.0, Base.of(before, 0.03))


@pytest.mark.parametrize("dark", [False, True], ids=["light dice", "dark dice"])
@pytest.mark.parametrize("roll", [(1, 2), (3, 4), (5, 6)])
def test_flat_dice_are_read_wherever_they_lie(roll: tuple[int, int], dark: bool) -> None:
    image = with_die(with_die(board(), (500, 320), roll[0], 0.4, dark), (600, 350), roll[1], 1.1, dark)
    dice = [d for d in read_dice(image, FIELD, 20.0, news(image, board(1))) if d.half is not None]
    assert sorted(d.value for d in dice) == sorted(roll)
    assert all(d.half == 1 and not d.cocked for d in dice)
    for d, at in zip(sorted(dice, key=lambda d: d.xy_px), [(500, 320), (600, 350)], strict=True):
        assert math.dist(d.xy_px, at) < 6


def test_a_die_is_news_where_strong_light_brings_the_board_to_the_limit_of_the_camera() -> None:
    bare = np.full((SIZE[1], SIZE[0], 3), (130, 190, 230), np.uint8)
    bare[:, np.arange(SIZE[0]) % 160 < 48] = (40, 60, 90)
    played = bare.copy()
    played[300:330, 480:510] = (225, 228, 230)
    bright = np.clip(played * 1.6, 0, 255).astype(np.uint8)
    found = news(bright, bare)
    x, y = (int(v) // NEWS_STEP for v in FIELD.to_field(np.array([[495.0, 315.0]]))[0])
    assert found[y - 2 : y + 3, x - 2 : x + 3].all()
    found[y - 9 : y + 10, x - 9 : x + 10] = 0
    assert found.mean() < 0.1


def test_empty_board_shows_no_dice() -> None:
    assert read_dice(board(2), FIELD, 20.0, news(board(2), board(1))) == ()


def test_die_beside_the_board_is_on_no_half() -> None:
    image = with_die(board(), (300, 605), 4, 0.2)
    assert all(d.half is None for d in read_dice(image, FIELD))


def test_die_on_a_checker_is_cocked() -> None:
    image = board()
    cv2.circle(image, (500, 320), 24, (230, 230, 225), -1, cv2.LINE_AA)
    image = with_die(image, (500, 320), 5, 0.3, dark=True)
    x, y = FIELD.to_field([(500, 320)])[0]
    found = [d for d in read_dice(image, FIELD, occupied=[(float(x), float(y), 22.0)]) if d.half is not None]
    assert found
    assert all(d.cocked for d in found)


def test_what_lies_below_a_side_face_is_none_itself() -> None:
    field = Field.of([(330, 120), (950, 120), (1060, 640), (220, 640)], (1280, 720), "bottom-right")
    top = Found(360.0, 300.0, 20.0, 0.8, 0.1, (0.0,) * 6)
    side = replace(top, **_below(top, field), score=0.7)
    nearer = replace(side, **_below(side, field), score=0.75)
    assert set(_without_sides([top, side, nearer], field)) == {top, nearer}


def _below(find: Found, field: Field) -> dict[str, float]:
    """Return where a side face of a die is seen."""
    lift = _lift(find, field)
    step = -lift / np.hypot(*lift) * (np.hypot(*lift) + find.size) / 2
    return {"x": find.x + float(step[0]), "y": find.y + float(step[1])}


def test_a_second_look_confirms_a_die_and_halves_what_is_not_there() -> None:
    image = take_closeup(with_die(board(), (500, 320), 5, 0.4), FIELD, (0, 0, 700, 600))
    sure = max(_peaks(image), key=lambda find: find.score)
    again = _seen_again(image, sure)
    assert math.hypot(again.x - sure.x, again.y - sure.y) < 4
    assert np.argmax(again.faces) == np.argmax(sure.faces)
    nothing = replace(sure, x=100.0, y=100.0)
    assert _seen_again(np.full_like(image, 90), nothing).score == sure.score / 2


def test_net_reads_drawn_scenes_it_never_saw() -> None:
    rng = np.random.default_rng(987654)
    right = found = total = 0
    for _ in range(60):
        tile, dice = draw_scene(rng)
        finds = find_dice([((0, 0, *tile.shape[1::-1]), tile)])
        for die in dice:
            if not (12 < die.x < 84 and 12 < die.y < 84) or die.visible < 0.9 or die.cocked:
                continue
            total += 1
            near = [f for f in finds if math.hypot(f.x - die.x, f.y - die.y) < die.size / 2]
            found += bool(near)
            right += bool(near) and int(np.argmax(near[0].faces)) + 1 == die.value
    assert total > 20
    assert found / total > 0.8
    assert right / total > 0.7


def test_dice_that_lie_open_are_suspected_and_little_else_is() -> None:
    rng = np.random.default_rng(4321)
    asked = inside = bare = looks = 0
    for _ in range(90):
        tile, dice = draw_scene(rng)
        boxes = suspected(tile)
        if not dice:
            bare, looks = bare + 1, looks + bool(boxes)
        assert all(min(b) >= 0 and max(b) <= len(tile) for b in boxes), "what the rim cuts off is whole elsewhere"
        for die in dice:
            if min(die.x, die.y) > 12 and max(die.x, die.y) < 84 and die.visible > 0.9 and not die.cocked:
                asked += 1
                inside += any(b[0] < die.x < b[2] and b[1] < die.y < b[3] for b in boxes)
    assert inside > 0.9 * asked > 18
    assert looks < 0.5 * bare > 4


@given(st.lists(st.tuples(st.integers(-30, 700), st.integers(-30, 500), st.integers(1, 190), st.integers(1, 190))))
def test_every_part_of_a_spot_lies_well_within_a_square(
    spots: list[tuple[int, int, int, int]],
) -> None:
    size = (720, 560)
    boxes = [(x, y, x + w, y + h) for x, y, w, h in spots]
    looks = _squares(boxes, size, 96, 60)
    assert all((r - x, b - y) == (96, 96) and min(x, y) >= 0 for x, y, r, b in looks)
    for left, top, right, bottom in boxes:
        for x, y in ((left, top), (right - 1, bottom - 1), ((left + right) // 2, (top + bottom) // 2)):
            if 0 <= x < size[0] and 0 <= y < size[1]:
                assert any(
                    a + (6 if a > 0 else 0) <= x < c - (6 if c < size[0] else 0)
                    and b + (6 if b > 0 else 0) <= y < d - (6 if d < size[1] else 0)
                    for a, b, c, d in looks
                )


@example("noise", 5)
@settings(max_examples=8)
@given(st.sampled_from(["noise", "black", "white"]), st.integers(0, 2**31))
def test_pictures_without_dice_give_no_sure_die(kind: str, seed: int) -> None:
    shape = (SIZE[1], SIZE[0], 3)
    image = {
        "noise": np.random.default_rng(seed).integers(0, 256, shape, np.uint8),
        "black": np.zeros(shape, np.uint8),
        "white": np.full(shape, 255, np.uint8),
    }[kind]
    assert active_roll(read_dice(image, FIELD)) is None


@pytest.mark.parametrize("size", [(64, 64), (4000, 3000)])
def test_tiny_and_huge_pictures_are_read_without_harm(size: tuple[int, int]) -> None:
    w, h = size
    field = Field.of([(w * 0.1, h * 0.1), (w * 0.9, h * 0.1), (w * 0.9, h * 0.9), (w * 0.1, h * 0.9)], size)
    assert isinstance(read_dice(np.zeros((h, w, 3), np.uint8), field), tuple)


def die(half: int | None, dice_set: int, cocked: bool = False) -> DieReading:
    return DieReading((0.0, 0.0), (0.0,) * 6, cocked, half, dice_set)


def test_active_roll_is_the_pair_of_one_set_on_one_half() -> None:
    a, b, idle, other = die(0, 0), die(0, 0), die(None, 1), die(1, 1)
    assert active_roll([a, idle, b, idle]) == (a, b)
    assert active_roll([a, b, other]) == (a, b)
    assert active_roll([a, die(0, 0, cocked=True)]) is None
    assert active_roll([a, b, other, die(1, 1)]) is None


@pytest.mark.needs_shared
@pytest.mark.parametrize("name", ["seq01", "seq05"])
def test_rendered_dice_are_read(shared: Path, name: str) -> None:
    folder = shared / "vision" / "renders" / name
    corners = json.loads((folder / "f000.json").read_text())["corners_px"]["field"]
    start = cv2.imread(str(folder / "f000.jpg"))
    names = ("far_left", "far_right", "near_right", "near_left")
    field = Field.of([corners[k] for k in names], (start.shape[1], start.shape[0]))
    right = total = 0
    for path in sorted(folder.glob("f0*.json"))[1:9]:
        truth = json.loads(path.read_text())
        if not truth["settled"]:
            continue
        image = cv2.imread(str(path.with_suffix(".jpg")))
        dice = read_dice(image, field, None, news(image, start, field))
        for d in truth["dice"]:
            if d["location"].startswith("field") and d["cocked"] is None and d["visible_frac"] > 0.95:
                total += 1
                right += any(math.dist(r.xy_px, d["center_px"]) < 12 and r.value == d["value"] for r in dice)
    assert right >= 0.9 * total


def test_dice_are_found_in_the_parts_that_changed_alone() -> None:
    image = with_die(with_die(board(), (150, 320), 3, 0.4), (650, 330), 6, 1.1, dark=True)
    new = news(image, board(1))
    assert new.mean() < 0.02
    everywhere, there = read_dice(image, FIELD, 20.0), read_dice(image, FIELD, 20.0, new)
    assert sorted(d.value for d in there) == [3, 6] == sorted(d.value for d in everywhere if d.half is not None)
    assert read_dice(image, FIELD, 20.0, np.zeros_like(new)) == ()


def test_several_threads_look_at_once() -> None:
    picture = board()
    parts = [[((0, 0, 0, 0), picture[: 200 + 40 * n, : 300 + 60 * n])] for n in range(6)]
    alone = [find_dice(part) for part in parts]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(5):
            assert list(threads.map(find_dice, parts)) == alone


@pytest.mark.parametrize("size", [0.5, 2.7, 13.0, 20.0, 147.0])
def test_a_find_of_any_size_and_place_has_a_color(size: float) -> None:
    picture = np.full((40, 40, 3), 200, np.uint8)
    for x in np.linspace(-30, 70, 41):
        for y in np.linspace(-30, 70, 41):
            assert len(_color(picture, x, y, size)) == 3
