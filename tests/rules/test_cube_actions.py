"""The doubling cube: who may double when, takes and drops, beavers and raccoons, the cap, dead cubes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from controller.errors import IllegalActionError
from controller.rules import (
    START,
    Beaver,
    Color,
    Cube,
    Drop,
    Phase,
    Raccoon,
    Take,
    allowed,
    game_at,
    new_game,
    parse_roll,
    profile,
)
from controller.rules import game as games
from controller.rules.cube import (
    beaver,
    double,
    drop,
    is_dead,
    may_beaver,
    may_double,
    raccoon,
    take,
    why_not_double,
    withdraw_double,
)

CENTERED = Cube()


def in_play(money: bool = False, cube: Cube = CENTERED, **keys):
    return game_at(profile(**keys), START, Color.WHITE, cube=cube, money=money)


def test_a_take_gives_the_cube_to_the_taker_and_the_doubler_rolls():
    game = take(double(in_play()))
    assert game.cube == Cube(2, Color.BLACK, turned=True)
    assert (game.phase, game.turn, game.to_act) == (Phase.TO_ROLL, Color.WHITE, Color.WHITE)


def test_while_a_double_is_on_offer_the_other_player_acts_and_nothing_else_goes():
    game = double(in_play())
    assert (game.to_act, game.offer.value, game.cube) == (Color.BLACK, 2, Cube())
    with pytest.raises(IllegalActionError, match="a double waits for its answer"):
        games.roll(game, parse_roll("31"))
    with pytest.raises(IllegalActionError, match="a double waits for its answer"):
        double(game)


def test_a_drop_costs_the_value_before_the_double():
    game = drop(double(in_play(cube=Cube(4, Color.WHITE, turned=True))))
    assert (game.result.winner, game.result.points, game.result.ending) == (Color.WHITE, 4, "drop")


def test_only_the_owner_redoubles():
    owned = in_play(cube=Cube(2, Color.BLACK, turned=True))
    assert why_not_double(owned) == "the opponent owns the cube"
    assert may_double(replace(owned, turn=Color.BLACK))


def test_nobody_doubles_after_the_roll_or_answers_what_is_not_on_offer():
    rolled = games.roll(in_play(), parse_roll("31"))
    assert why_not_double(rolled) == "the dice have been rolled"
    for answer in (take, drop, beaver, raccoon, withdraw_double):
        with pytest.raises(IllegalActionError, match="no double is on offer"):
            answer(in_play())


def test_nobody_doubles_in_the_first_turn_unless_the_starter_rolls_again():
    white_first = new_game(profile("old-english", cube=True))
    assert why_not_double(white_first) == "there is no doubling in the first turn"
    again = games.roll_opening(new_game(profile(roll_again=True)), 3, 1)
    assert may_double(again)


def test_the_second_player_may_double_in_his_first_turn():
    game = games.play_to(games.roll_opening(new_game(profile()), 3, 1), next(iter(_first_results())))
    assert may_double(game)


def _first_results():
    return games.plays(games.roll_opening(new_game(profile()), 3, 1))


def test_there_is_no_doubling_without_a_cube_or_in_the_crawford_game():
    assert why_not_double(in_play(cube=Cube(), name="shesh-besh")) == "there is no cube in this game"
    assert why_not_double(replace(in_play(), crawford=True)) == "there is no doubling in the Crawford game"
    with pytest.raises(IllegalActionError, match="there is no doubling in the Crawford game"):
        double(replace(in_play(), crawford=True))


def test_the_cube_goes_up_to_its_cap():
    at_cap = in_play(cube=Cube(64, Color.WHITE, turned=True))
    assert why_not_double(at_cap) == "the cube stands at 64 and goes up to 64"
    assert may_double(in_play(cube=Cube(64, Color.WHITE, turned=True), cube_cap=128))


def test_a_dead_cube_may_be_turned_unless_the_event_forbids_it():
    dead = replace(in_play(cube=Cube(2, Color.WHITE, turned=True)), away=(2, 5))
    assert is_dead(dead, Color.WHITE)
    assert not is_dead(dead, Color.BLACK)
    assert may_double(dead)
    forbidden = replace(dead, rules=profile(dead_cube=False))
    assert why_not_double(forbidden) == "the cube is dead: its value already wins the match"


def test_a_beaver_takes_turns_the_cube_again_and_keeps_it():
    game = beaver(double(in_play(money=True, beavers=True)))
    assert (game.offer.kind, game.offer.value, game.to_act) == ("beaver", 4, Color.WHITE)
    taken = take(game)
    assert taken.cube == Cube(4, Color.BLACK, turned=True)
    assert (taken.phase, taken.turn) == (Phase.TO_ROLL, Color.WHITE)


def test_dropping_a_beaver_costs_what_the_double_had_made_of_the_cube():
    game = drop(beaver(double(in_play(money=True, beavers=True))))
    assert (game.result.winner, game.result.points) == (Color.BLACK, 2)


def test_a_raccoon_turns_the_cube_once_more_and_the_beaver_keeps_it():
    game = raccoon(beaver(double(in_play(money=True, beavers=True, raccoons=True))))
    assert (game.offer.kind, game.offer.value, game.to_act) == ("raccoon", 8, Color.BLACK)
    assert take(game).cube == Cube(8, Color.BLACK, turned=True)
    dropped = drop(game)
    assert (dropped.result.winner, dropped.result.points) == (Color.WHITE, 4)


def test_beavers_and_raccoons_are_for_money_play_where_the_event_has_them():
    offered = double(in_play(beavers=True))
    assert allowed(offered)[1:] == (Take, Drop)
    with pytest.raises(IllegalActionError, match="a beaver is for money play"):
        beaver(offered)
    with pytest.raises(IllegalActionError, match="there are no beavers in this event"):
        beaver(double(in_play(money=True)))
    with pytest.raises(IllegalActionError, match="a raccoon answers a beaver, and none is on offer"):
        raccoon(double(in_play(money=True, beavers=True, raccoons=True)))
    with pytest.raises(IllegalActionError, match="there are no raccoons in this event"):
        raccoon(beaver(double(in_play(money=True, beavers=True))))
    money = double(in_play(money=True, beavers=True, raccoons=True))
    assert Beaver in allowed(money)
    assert Raccoon in allowed(beaver(money))


def test_a_beaver_goes_no_higher_than_the_cap():
    game = double(in_play(money=True, beavers=True, cube_cap=2))
    assert not may_beaver(game)
    with pytest.raises(IllegalActionError, match="the cube goes up to 2"):
        beaver(game)


def test_a_double_not_meant_is_withdrawn_before_its_answer_only():
    assert withdraw_double(double(in_play())) == in_play()
    with pytest.raises(IllegalActionError, match="the double has been answered"):
        withdraw_double(beaver(double(in_play(money=True, beavers=True))))


@pytest.mark.needs_shared
def test_all_hand_made_cube_cases_hold(shared: Path):
    cases = json.loads((shared / "rules" / "tricky.json").read_text())["cube"]
    owners = {"centre": None, "me": Color.WHITE, "opponent": Color.BLACK}
    for case in cases:
        if "may_double" not in case:
            continue
        value = case.get("cube", 1)
        cube = Cube(value, owners[case.get("owner", "centre")], turned=value > 1)
        game = replace(
            in_play(cube=cube),
            turns=case.get("turn", 3),
            crawford=case.get("crawford_game", False),
            cube_in_use=case.get("cube_enabled", True),
        )
        if case.get("rolled"):
            game = games.roll(game, parse_roll("31"))
        assert may_double(game) == case["may_double"], case["name"]


@pytest.mark.needs_shared
def test_the_clock_of_an_offer_is_that_of_the_answering_player(shared: Path):
    cases = json.loads((shared / "rules" / "tricky.json").read_text())["cube"]
    (case,) = [case for case in cases if case.get("event") == "double offered"]
    assert case["clock_of"] == "answering player"
    assert double(in_play(name="touch-move")).to_act is Color.BLACK
