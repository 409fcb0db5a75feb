"""Two sets of dice are told apart one by one once they were seen together."""

from __future__ import annotations

from controller.board import START_BOARD, Color, DieReading, Scene, SceneDie
from vision.calibration import calibrate
from vision.camera import Frame
from vision.eyes import Eyes
from vision.field import Field
from vision.sets import told_apart
from vision.simulated import SimulatedCamera

IVORY, BROWN = (205.0, 128.0, 140.0), (62.0, 142.0, 150.0)


def die(color: tuple[float, float, float], dice_set: int | None = None) -> DieReading:
    return DieReading((0.0, 0.0), (0.0,) * 6, half=1, dice_set=dice_set, color=color)


def numbers(dice: tuple[DieReading, ...]) -> list[int | None]:
    return [each.dice_set for each in dice]


def test_one_set_has_no_number_before_both_were_seen() -> None:
    dice, known = told_apart([die(IVORY), die(IVORY)], None)
    assert (numbers(dice), known) == ([None, None], None)


def test_both_sets_seen_together_are_known_again_one_by_one_and_in_other_light() -> None:
    _, known = told_apart([die(IVORY, 0), die(BROWN, 1), die(BROWN, 1)], None)
    dim = (168.0, 131.0, 146.0)
    assert numbers(told_apart([die(dim), die(dim)], known)[0]) == [0, 0]
    assert numbers(told_apart([die(BROWN)], known)[0]) == [1]


def test_two_dice_of_two_colors_teach_nothing_as_one_of_them_may_lie_in_the_shade() -> None:
    dice, known = told_apart([die(IVORY, 0), die(BROWN, 1)], None)
    assert (numbers(dice), known) == ([0, 1], None)


def test_a_color_between_the_two_stays_untold() -> None:
    _, known = told_apart([die(IVORY, 0), die(IVORY, 0), die(BROWN, 1)], None)
    assert numbers(told_apart([die((130.0, 135.0, 145.0))], known)[0]) == [None]


def test_what_is_known_follows_the_light_slowly() -> None:
    _, known = told_apart([die(IVORY, 0), die(BROWN, 1), die(BROWN, 1)], None)
    _, after = told_apart([die((105.0, 128.0, 140.0), 0), die(BROWN, 1), die(BROWN, 1)], known)
    assert after is not None
    assert 170.0 < after[0][0] < 180.0


def test_no_dice_and_dice_without_a_color_teach_nothing() -> None:
    assert told_apart([], None) == ((), None)
    colorless = DieReading((0.0, 0.0), (0.0,) * 6, half=1)
    assert numbers(told_apart([colorless], (IVORY, BROWN))[0]) == [None]


def test_eyes_know_a_set_alone_once_they_have_seen_both() -> None:
    camera = SimulatedCamera(seed=5)
    white = (SceneDie(5, Color.WHITE, 0.66, 0.45, 20.0), SceneDie(2, Color.WHITE, 0.74, 0.55, 50.0))
    black = (SceneDie(3, Color.BLACK, 0.25, 0.45, 35.0), SceneDie(6, Color.BLACK, 0.33, 0.55, 10.0))
    start = camera.picture(Scene(START_BOARD))
    field = Field.of(camera.corners_px, (start.shape[1], start.shape[0]), "bottom-right")
    eyes = Eyes(calibrate(start, field, START_BOARD), Frame(start, 0.0, "start"))
    seen = [
        numbers(eyes.read(Frame(camera.picture(Scene(START_BOARD, dice)), at_s, "dice")).dice)
        for at_s, dice in enumerate((black, (*white, *black), black, white), start=1)
    ]
    assert [sorted(each, key=str) for each in seen] == [[None, None], [0, 0, 1, 1], [1, 1], [0, 0]]
