"""Whose dice are whose: by their set, and by the half of the field onto which each player throws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from controller.board import DieReading
from controller.ports import Pressed
from controller.rules import Color, Roll
from controller.session import events, facts
from controller.session.step import step
from controller.session.throwers import Habit, Habits, learned, of_one_throw, owner, thrown_by, told_apart
from tests.scenarios.runner import Scenario
from tests.simulated import die, observe, thrown

WHITE, BLACK = Color.WHITE, Color.BLACK


def alike(values: tuple[int, int], half: int, at: tuple[float, float] = (200.0, 300.0)) -> tuple[DieReading, ...]:
    """Return two dice on one half that could be anybody's."""
    x, y = at[0] + 500 * half, at[1]
    first, second = values
    return (die(first, (x, y), dice_set=None, half=half), die(second, (x + 60, y + 25), dice_set=None, half=half))


def after_throws(*halves: tuple[int, ...]) -> Habits:
    """Return what is known after White's and Black's throws onto these halves."""
    habits: Habits = (Habit(), Habit())
    for player, thrown_onto in zip((WHITE, BLACK), halves, strict=True):
        for half in thrown_onto:
            habits = learned(habits, player, alike((6, 1), half))
    return habits


def test_players_who_keep_to_different_halves_are_told_apart_by_them() -> None:
    habits = after_throws((0, 0), (1, 1))
    left, right = alike((3, 1), 0), alike((3, 1), 1)
    assert (owner(habits, left[0]), owner(habits, right[0])) == (WHITE, BLACK)
    assert thrown_by(habits, BLACK, (*left, *right)) == right
    assert of_one_throw(habits, *left)
    assert not of_one_throw(habits, left[0], right[0])


def test_one_throw_is_no_habit_and_nobody_is_told_apart_on_one_half() -> None:
    dice = alike((3, 1), 0)
    for habits in (after_throws((0,), (1, 1)), after_throws((0, 0), (0, 0)), after_throws((0, 0, 1), (1, 1))):
        assert owner(habits, dice[0]) is None
        assert thrown_by(habits, WHITE, dice) == thrown_by(habits, BLACK, dice) == dice


def test_one_throw_among_many_onto_the_other_half_is_no_new_habit() -> None:
    habits = after_throws((0,) * 10 + (1,), (1, 1))
    assert owner(habits, alike((3, 1), 0)[0]) is WHITE


def test_the_set_of_a_die_tells_more_than_the_half_it_lies_on() -> None:
    habits = after_throws((0, 0), (1, 1))
    for player, number in ((WHITE, 0), (BLACK, 1)):
        habits = learned(habits, player, thrown(Roll(3, 1), number))
    assert owner(habits, die(4, (100.0, 100.0), dice_set=1, half=0)) is BLACK


def test_the_opening_tells_whose_half_is_whose_though_both_dice_look_alike() -> None:
    dice = (die(6, (200.0, 300.0), dice_set=None, half=0), die(2, (700.0, 300.0), dice_set=None, half=1))
    white, black = told_apart((Habit(), Habit()), BLACK, Roll(6, 2), dice)
    assert (white.halves, black.halves) == ((0, 1), (1, 0))


def evening() -> Scenario:
    """Return a table at which each player has thrown twice onto his own half, with dice that look alike."""
    table = Scenario()
    table.match("3", "dice=camera")
    table.look()
    see(table, die(6, (200.0, 300.0), dice_set=None, half=0), die(2, (700.0, 300.0), dice_set=None, half=1))
    table.slide("white", "24/18", "13/11")
    turn(table, "white", (6, 2), (), ended=True)
    turn(table, "black", (5, 3), ("8/3", "6/3"))
    turn(table, "white", (6, 1), ("8/2", "6/5"))
    assert [line["play"] for line in table.lines if line["type"] == "play"] == [
        "24/18 13/11",
        "8/3 6/3",
        "8/2 6/5",
    ]
    return table


def see(table: Scenario, *dice: DieReading, sharpness: float = 9.0) -> None:
    table.happen(events.Observed(observe(table.board, table.tick(), dice=dice, sharpness=sharpness)))


def turn(
    table: Scenario, player: str, values: tuple[int, int], play: tuple[str, ...], *, ended: bool = False
) -> None:
    """Throw, play and end a turn by the clock."""
    dice = alike(values, 0 if player == "white" else 1, (200.0 + 17 * len(table.lines), 300.0))
    if not ended:
        see(table, *dice)
        table.slide(player, *play)
        see(table, *dice)
    table.press("clock", player)
    see(table)


def turns(table: Scenario) -> list[dict[str, Any]]:
    return [line for line in table.lines if line["type"] == "play"]


def types(table: Scenario) -> list[str]:
    return [str(body["type"]) for body in table.lines if body["type"] != "clock"]


def test_dice_on_the_opponents_half_are_his_though_the_own_ones_were_not_seen() -> None:
    table = evening()
    table.slide("black", "13/8", "6/3")
    see(table, *alike((4, 2), 0))
    assert types(table)[-1] == "play"
    see(table, *alike((4, 2), 0))
    assert [line for line in table.lines if line["type"] == "roll"][-1]["roll"] == [6, 1]
    table.wait("4")
    question = table.lines[-1]
    assert question["type"] == "question"
    assert [choice["text"] for choice in question["choices"]] == ["13/8 6/3"]
    table.choose("1")
    played, rolled = table.lines[-2:]
    assert (played["player"], played["play"]) == ("black", "13/8 6/3")
    assert (rolled["player"], rolled["roll"]) == ("white", [4, 2])


def test_a_throw_of_which_one_die_lies_where_an_old_one_lay_is_a_throw() -> None:
    table = evening()
    old = alike((4, 2), 1)
    see(table, *old)
    table.slide("black", "13/9", "13/11")
    see(table, *old)
    table.press("clock", "black")
    see(table, *old)
    white = alike((3, 1), 0)
    see(table, *old, *white)
    table.slide("white", "8/5", "6/5")
    see(table, *old, *white)
    table.press("clock", "white")
    see(table, *old)
    assert types(table)[-1] == "play"
    see(table, old[0], die(5, (800.0, 280.0), dice_set=None, half=1))
    assert (table.lines[-1]["player"], table.lines[-1]["roll"]) == ("black", [5, 4])


def test_an_old_die_that_is_nudged_is_no_throw() -> None:
    table = evening()
    old = alike((4, 2), 1)
    see(table, *old)
    table.slide("black", "13/9", "13/11")
    see(table, *old)
    table.press("clock", "black")
    see(table, *old)
    nudged = replace(old[1], xy_px=(old[1].xy_px[0] + 40.0, old[1].xy_px[1]))
    white = alike((3, 1), 0)
    see(table, *old, *white)
    table.slide("white", "8/5", "6/5")
    table.press("clock", "white")
    see(table, old[0], nudged)
    assert types(table)[-1] == "play"


def test_dice_thrown_after_the_reply_are_no_old_ones_once_it_is_played() -> None:
    table = evening()
    white, black = alike((4, 2), 0), alike((6, 3), 1)
    table.move("black", "13/8", "6/3")
    see(table, *white)
    table.wait("4")
    assert types(table)[-1] == "question"
    table.slide("white", "8/4", "6/4")
    see(table, *white)
    see(table, *white, *black)
    table.choose("1")
    see(table, *black)
    played, rolled = table.lines[-2:]
    assert (played["player"], played["play"]) == ("white", "8/4 6/4")
    assert (rolled["player"], rolled["roll"]) == ("black", [6, 3])


def test_dice_seen_after_a_closed_out_player_pressed_the_clock_are_those_of_that_turn() -> None:
    table = evening()
    table.position("aBBBBBB----------------b--", "black")
    black, white = alike((6, 2), 1), alike((2, 1), 0)
    see(table)
    table.press("clock", "black")
    see(table)
    assert (turns(table)[-1]["play"], turns(table)[-1]["roll"]) == ("Cannot Move", None)
    see(table, *black)
    see(table, *white)
    table.slide("white", "6/4", "6/5")
    see(table, *white)
    table.press("clock", "white")
    see(table)
    assert [(line["player"], line["play"]) for line in turns(table)[-2:]] == [
        ("black", "Cannot Move"),
        ("white", "6/5 6/4"),
    ]


def test_a_reply_that_looks_halfway_like_another_play_of_the_turn_before_is_asked_about() -> None:
    table = evening()
    table.position("--BBda---Ba-aD---b-bBbBAb-", "white")
    see(table)
    table.slide("white", "13/12*", "12/9")
    see(table)
    see(table)
    reply = alike((2, 1), 1)
    see(table, *reply)
    table.slide("black", "15/13")
    see(table, *reply)
    table.slide("black", "bar/24")
    see(table, *reply, sharpness=12.0)
    table.wait("4")
    question = table.lines[-1]
    assert question["type"] == "question"
    assert [choice["text"] for choice in question["choices"]] == ["13/10*/9", "13/12*/9"]
    table.choose("2")
    assert turns(table)[-1]["play"] == "13/12*/9"


def test_what_is_thrown_after_a_wrong_play_is_not_its_roll_though_it_fits() -> None:
    table = Scenario()
    table.match("3", "dice=camera")
    table.look()
    see(table, die(4, (200.0, 300.0), dice_set=None, half=0), die(6, (700.0, 300.0), dice_set=None, half=1))
    table.slide("black", "13/7", "13/9")
    turn(table, "black", (6, 4), (), ended=True)
    table.slide("white", "13/9")
    own, reply = alike((4, 3), 0), alike((3, 1), 1)
    see(table, *own)
    table.press("clock", "white")
    see(table, *own)
    for _ in range(3):
        see(table, *reply)
        table.wait("2")
    assert [line["player"] for line in turns(table)] == ["black"]
    assert table.lines[-1]["type"] == "question"


@pytest.mark.parametrize("seen_after_the_play", [False, True])
def test_a_throw_taken_for_the_opponents_is_none_of_his_when_a_later_play_turns_out_to_be_of_it(
    seen_after_the_play: bool,
) -> None:
    table = Scenario()
    table.match("3")
    table.look()
    table.opening("5", "1")
    table.slide("white", "24/18")
    table.press("clock", "white")
    table.look()
    sight = replace(table.state.sight, reply=Roll.of(5, 5), reply_dice=alike((5, 5), 0))
    state = replace(table.state, sight=sight)
    table.slide("black", "8/3(2)", "6/1*(2)")
    at_s = table.tick()
    looks = [events.Observed(observe(table.board, at_s + wait_s)) for wait_s in (0.0, 0.5, 1.0, 2.0, 4.0)]
    for event in (looks[0], Pressed("clock", BLACK, at_s + 0.1), *looks[1:]):
        state, _ = step(state, event)
    assert isinstance(state.ledger.question, facts.Asked)
    made = [choice.position for choice in state.ledger.question.choices].index(table.board)
    if seen_after_the_play:
        state = replace(state, sight=replace(state.sight, reply_s=at_s + 4.0))
    state, _ = step(state, events.Chosen(made, at_s + 5.0))
    after = [entry.fact for entry in state.ledger.line if isinstance(entry.fact, facts.Played | facts.Rolled)][1:]
    made_by = [(fact.player, fact.roll) for fact in after]
    five_five = Roll.of(5, 5)
    assert made_by == [(BLACK, five_five)] + [(WHITE, five_five)] * seen_after_the_play
