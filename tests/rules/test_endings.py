"""What games are worth, resignations, time run out, players who leave."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from controller.errors import IllegalActionError
from controller.rules import (
    START,
    Color,
    Cube,
    Phase,
    Position,
    game_at,
    game_points,
    parse_roll,
    profile,
    win_kind,
)
from controller.rules import game as games
from controller.rules.cube import double
from controller.rules.ending import accept_resignation, flag, leave, refuse_resignation, resign

NAMES = {"000": "shesh-besh", "001": "old-english", "002": "touch-move", "003": "match-play", "004": "classic"}


def running(rules: str = "international", cube: int = 1, position: Position = START, money: bool = False, **keys):
    owned = Cube(cube, None, turned=cube > 1)
    return game_at(profile(rules, **keys), position, Color.WHITE, cube=owned, money=money)


def position_with(own_off: int, other_off: int) -> Position:
    points = [0] * 26
    points[6], points[19] = 15 - own_off, -(15 - other_off)
    return Position(tuple(points))


def lost_position(case: dict) -> Position:
    """Return a position seen from the winner, all his checkers off, as a scoring case describes the loser."""
    points = [0] * 26
    points[0] = -case.get("loser_bar", 0)
    points[1] = -case.get("loser_in_winner_home", 0)
    points[7] = -case.get("loser_on_winner_7", 0)
    points[24] = -(15 - case["loser_off"] + points[0] + points[1] + points[7])
    return Position(tuple(points))


@pytest.mark.needs_shared
def test_all_hand_made_scoring_cases_hold(shared: Path):
    cases = json.loads((shared / "rules" / "tricky.json").read_text())["scoring"]
    assert len(cases) == 14
    for case in cases:
        for name, value in case["value"].items():
            assert scored(case, name) == value, (case["name"], name)


def scored(case: dict, name: str) -> int:
    money = name.startswith("money")
    rules = profile("international", jacoby=True) if money else profile(NAMES[name])
    if case.get("end") == "drop":
        game = game_at(replace(rules, cube=True), START, Color.WHITE, cube=Cube(case["cube_before"], Color.WHITE))
        return _dropped(game)
    if case.get("end") == "timeout":
        position = position_with(case["loser_off"], case["winner_off"])
        game = game_at(rules, position, Color.WHITE, cube=Cube(case["cube"]))
        return flag(game, Color.WHITE).result.points
    kind = win_kind(lost_position(case))
    cube = case.get("cube", 1)
    return game_points(rules, kind, cube, money=money, cube_turned=case.get("cube_turned", cube > 1))


def _dropped(game) -> int:
    from controller.rules.cube import drop

    return drop(double(game)).result.points


def test_one_checker_off_saves_the_gammon_even_with_others_on_the_bar():
    assert win_kind(lost_position({"loser_off": 1, "loser_bar": 2})) == "single"
    assert win_kind(lost_position({"loser_off": 0})) == "gammon"
    assert win_kind(lost_position({"loser_off": 0, "loser_bar": 1})) == "backgammon"
    assert win_kind(lost_position({"loser_off": 0, "loser_in_winner_home": 1})) == "backgammon"
    assert win_kind(lost_position({"loser_off": 0, "loser_on_winner_7": 1})) == "gammon"


def test_each_profile_counts_gammons_and_backgammons_as_its_source_says():
    worth = {
        name: [game_points(profile(name), kind) for kind in ("single", "gammon", "backgammon")]
        for name in NAMES.values()
    }
    assert worth == {
        "shesh-besh": [1, 2, 3],
        "old-english": [1, 2, 3],
        "touch-move": [1, 2, 2],
        "match-play": [1, 2, 3],
        "classic": [1, 1, 1],
    }


def test_jacoby_counts_gammons_only_when_the_cube_was_turned_and_only_for_money():
    rules = profile(jacoby=True)
    assert game_points(rules, "gammon", 1, money=True) == 1
    assert game_points(rules, "gammon", 2, money=True, cube_turned=True) == 4
    assert game_points(rules, "gammon", 1, money=False) == 2


def test_a_game_borne_off_is_won_at_the_kind_that_counts_times_the_cube():
    board = Position((-1, 1, *[0] * 22, -14, 0))
    for rules, kind, points in (
        ("international", "backgammon", 12),
        ("touch-move", "gammon", 8),
        ("classic", "single", 4),
    ):
        game = replace(running(rules, cube=4, position=board), cube_in_use=True)
        won = games.play_to(games.roll(game, parse_roll("21")), Position((-1, *[0] * 23, -14, 0)))
        assert (won.result.kind, won.result.points, won.result.winner) == (kind, points, Color.WHITE)


@pytest.mark.parametrize(("level", "kind", "points"), [(1, "single", 2), (2, "gammon", 4), (3, "backgammon", 6)])
def test_an_accepted_resignation_counts_its_level_times_the_cube(level, kind, points):
    game = resign(running(cube=2), Color.BLACK, level)
    assert game.to_act is Color.WHITE
    over = accept_resignation(game)
    assert (over.result.winner, over.result.points, over.result.kind) == (Color.WHITE, points, kind)
    assert over.result.ending == "resignation"


def test_a_refused_resignation_leaves_the_game_as_it_was():
    game = running()
    assert refuse_resignation(resign(game, Color.WHITE, 1)) == game


def test_while_a_resignation_waits_nothing_else_goes():
    game = resign(running(), Color.WHITE, 2)
    with pytest.raises(IllegalActionError, match="a resignation waits for its answer"):
        games.roll(game, parse_roll("31"))
    with pytest.raises(IllegalActionError, match="a resignation waits for its answer"):
        resign(game, Color.BLACK, 1)
    with pytest.raises(IllegalActionError, match="no resignation is on offer"):
        accept_resignation(running())


def test_a_resignation_while_a_double_waits_counts_the_cube_before_it():
    over = accept_resignation(resign(double(running(cube=1)), Color.BLACK, 1))
    assert over.result.points == 1


@pytest.mark.parametrize(
    ("rules", "level", "message"),
    [
        ("touch-move", 3, "a backgammon does not count more under touch-move rules"),
        ("classic", 2, "a gammon does not count more under classic rules"),
        ("international", 4, "a resignation is of level 1, 2 or 3, got 4"),
    ],
)
def test_a_level_that_does_not_exist_cannot_be_resigned(rules, level, message):
    with pytest.raises(IllegalActionError, match=message):
        resign(running(rules), Color.WHITE, level)


def test_running_out_of_time_under_touch_move_loses_the_game_and_the_match_goes_on():
    over = flag(running("touch-move", cube=2), Color.WHITE)
    assert (over.result.points, over.result.ending, over.result.match_lost) == (2, "flag", False)


def test_running_out_of_time_is_a_gammon_only_when_the_opponent_has_begun_to_bear_off():
    assert flag(running("touch-move", position=position_with(0, 1)), Color.WHITE).result.points == 2
    assert flag(running("touch-move", position=position_with(1, 9)), Color.WHITE).result.points == 1
    assert flag(running("touch-move", position=position_with(0, 0)), Color.WHITE).result.points == 1


def test_running_out_of_time_while_answering_a_double_counts_the_cube_as_it_was():
    offered = double(running("touch-move", cube=2))
    over = flag(offered, Color.BLACK)
    assert (over.result.points, over.offer, over.phase) == (2, None, Phase.OVER)


def test_running_out_of_time_loses_the_match_in_a_tournament():
    assert flag(running("tournament"), Color.BLACK).result.match_lost


def test_the_director_decides_about_time_where_the_rules_leave_it_to_the_event():
    game = running("international")
    with pytest.raises(IllegalActionError, match="the director decides"):
        flag(game, Color.WHITE)
    assert flag(game, Color.WHITE, "goes_on") == game
    assert flag(game, Color.WHITE, "game").result.points == 1
    assert flag(game, Color.WHITE, "match").result.match_lost
    with pytest.raises(IllegalActionError, match="costs the match under tournament rules"):
        flag(running("tournament"), Color.WHITE, "game")
    with pytest.raises(IllegalActionError, match="shesh-besh rules know no clock"):
        flag(running("shesh-besh"), Color.WHITE)


def test_leaving_loses_the_match_or_resigns_the_game_as_the_rules_say():
    assert leave(running("touch-move"), Color.WHITE).result.match_lost
    over = leave(running("international", cube=2), Color.WHITE, level=2)
    assert (over.result.winner, over.result.points, over.result.match_lost) == (Color.BLACK, 4, False)


def test_nothing_happens_in_a_game_that_is_over():
    over = leave(running(), Color.WHITE)
    for action in (
        lambda: games.roll(over, parse_roll("31")),
        lambda: double(over),
        lambda: resign(over, Color.BLACK, 1),
        lambda: flag(over, Color.BLACK, "game"),
        lambda: leave(over, Color.BLACK),
    ):
        with pytest.raises(IllegalActionError, match="the game is over"):
            action()
