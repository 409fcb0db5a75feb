"""Matches, money sessions and single games: score, Crawford, end, settlement, rematch."""

import json
from pathlib import Path

import pytest

from controller.errors import IllegalActionError
from controller.rules import (
    Color,
    Double,
    Match,
    Result,
    crawford_next,
    new_match,
    next_game,
    profile,
    rematch,
    settlement,
)
from controller.rules.match import add_result, close_session, cube_in_play, with_game

WHITE, BLACK = Color.WHITE, Color.BLACK


def won(player: Color, points: int) -> Result:
    return Result(player, points, "single", "resignation")


def played(length: int | None, *games: tuple[Color, int], rules: str = "international", **keys) -> Match:
    match = new_match(profile(rules, **keys), length)
    for player, points in games:
        match = add_result(match, won(player, points))
    return match


def test_points_are_added_and_the_length_ends_the_match():
    match = played(5, (WHITE, 2), (BLACK, 4), (WHITE, 2))
    assert (match.score, match.winner) == ((4, 4), None)
    over = add_result(match, won(BLACK, 1))
    assert (over.score, over.winner, over.over) == ((4, 5), BLACK, True)
    with pytest.raises(IllegalActionError, match="the match is over"):
        next_game(over)


def test_points_beyond_the_length_count_in_full():
    assert played(5, (WHITE, 4), (WHITE, 2)).score == (6, 0)


def test_the_game_after_the_first_match_point_is_the_crawford_game_and_only_that():
    match = played(5, (WHITE, 3), (BLACK, 2), (WHITE, 1))
    assert crawford_next(match)
    crawford = next_game(match)
    assert crawford.game.crawford
    after = with_game(crawford, _lost(crawford, WHITE))
    assert after.score == (4, 3)
    assert not crawford_next(after)
    assert not next_game(after).game.crawford
    second = add_result(after, won(BLACK, 1))
    assert second.score == (4, 4)
    assert not next_game(second).game.crawford


def _lost(match: Match, loser: Color):
    from controller.rules.ending import accept_resignation, resign

    return accept_resignation(resign(match.game, loser, 1))


def test_the_crawford_rule_can_be_switched_off():
    assert not crawford_next(played(5, (WHITE, 4), crawford=False))


def test_there_is_no_crawford_game_without_a_cube_or_for_money():
    assert not crawford_next(played(1))
    assert not crawford_next(played(3, (WHITE, 2), rules="shesh-besh"))
    assert not crawford_next(played(None, (WHITE, 4)))


def test_one_point_matches_have_no_cube_and_touch_move_only_three_and_five_point_matches_have():
    assert [cube_in_play(played(n)) for n in (1, 3, 5, 7)] == [False, True, True, True]
    assert [cube_in_play(played(n, rules="touch-move")) for n in (1, 3, 5)] == [False, True, True]
    assert cube_in_play(played(0, rules="match-play", cube=True))
    assert not cube_in_play(played(0, rules="match-play"))
    assert not cube_in_play(played(5, rules="shesh-besh"))


def test_a_game_is_told_how_many_points_each_player_needs():
    assert next_game(played(7, (WHITE, 2))).game.away == (5, 7)
    assert next_game(played(None)).game.away is None


@pytest.mark.parametrize(
    ("rules", "length", "message"),
    [
        ("shesh-besh", 9, "no match to 9 under shesh-besh rules; lengths are: 1, 3, 5, 7"),
        ("touch-move", 7, "no match to 7 under touch-move rules; lengths are: 1, 3, 5"),
        ("touch-move", None, "touch-move rules know no money play"),
        ("touch-move", 0, "touch-move rules know no single game"),
        ("old-english", 3, "no match to 3 under old-english rules; lengths are: none, only a single game"),
        ("international", 100, "a match is played to 1 to 99 points, got 100"),
        ("international", -2, "a match is played to 1 to 99 points, got -2"),
    ],
)
def test_a_length_that_the_rules_do_not_play_is_refused(rules, length, message):
    with pytest.raises(IllegalActionError, match=message):
        new_match(profile(rules), length)


def test_without_a_length_each_profile_plays_its_own():
    kinds = {name: (m.kind, m.length) for name in ("touch-move", "old-english") if (m := new_match(profile(name)))}
    assert kinds == {"touch-move": ("match", 1), "old-english": ("single", 0)}


def test_a_match_goes_on_from_a_score_but_not_from_its_end():
    match = new_match(profile(), 5, score=(4, 2), crawford_played=True)
    assert not crawford_next(match)
    assert crawford_next(new_match(profile(), 5, score=(4, 2)))
    with pytest.raises(IllegalActionError, match="a match to 5 cannot go on from 5-2"):
        new_match(profile(), 5, score=(5, 2))


def test_a_single_game_ends_with_its_game_and_shows_its_stake():
    match = played(0, (BLACK, 6), rules="match-play")
    assert (match.winner, match.score) == (BLACK, (0, 6))
    assert settlement(match, 10) == {WHITE: -60, BLACK: 60}


def test_a_money_session_goes_on_until_the_players_close_it_and_is_settled():
    match = played(None, (WHITE, 4), (BLACK, 1), (WHITE, 2))
    assert not match.over
    assert next_game(match).game.money
    closed = close_session(match)
    assert closed.over
    assert settlement(closed, 5) == {WHITE: 25, BLACK: -25}
    with pytest.raises(IllegalActionError, match="the match is over"):
        next_game(closed)


def test_a_session_is_not_closed_in_the_middle_of_a_game_and_a_match_not_at_all():
    with pytest.raises(IllegalActionError, match="a game is in progress"):
        close_session(next_game(played(None)))
    with pytest.raises(IllegalActionError, match="only a money session"):
        close_session(played(5))
    with pytest.raises(IllegalActionError, match="a match is not settled by points"):
        settlement(played(5), 5)


def test_whoever_loses_the_match_by_leaving_loses_it_at_any_score():
    match = add_result(played(5, (WHITE, 4)), Result(BLACK, 0, "single", "left", match_lost=True))
    assert (match.winner, match.score) == (BLACK, (4, 0))


def test_a_game_is_not_begun_twice_nor_continued_before_it_begins():
    with pytest.raises(IllegalActionError, match="a game is in progress"):
        next_game(next_game(played(5)))
    from controller.rules import act_in

    with pytest.raises(IllegalActionError, match="no game is in progress"):
        act_in(played(5), Double())


def test_a_rematch_keeps_length_where_the_source_says_so():
    over = played(3, (WHITE, 3), rules="shesh-besh")
    assert rematch(over) == new_match(profile("shesh-besh"), 3)
    with pytest.raises(IllegalActionError, match="a rematch is played to the same length"):
        rematch(over, 5)
    assert rematch(played(3, (WHITE, 3)), 7).length == 7
    assert rematch(close_session(played(None))).kind == "money"
    with pytest.raises(IllegalActionError, match="the match is not over"):
        rematch(played(3))
    with pytest.raises(IllegalActionError, match="touch-move rules know no rematch"):
        rematch(played(1, (WHITE, 1), rules="touch-move"))


@pytest.mark.needs_shared
def test_all_hand_made_match_cases_hold(shared: Path):
    cases = json.loads((shared / "rules" / "tricky.json").read_text())["match"]
    assert len(cases) == 8
    for case in cases:
        if case["name"] == "length-1":
            game = next_game(played(1)).game
            assert (game.cube_in_use, game.crawford) == (False, False)
            continue
        past = case.get("was_crawford", case.get("was_crawford_played", False))
        rules = profile(crawford=case.get("crawford", True))
        match = new_match(rules, case["length"], score=tuple(case["before"]), crawford_played=past)
        first, second = case["game_points"]
        match = add_result(match, won(WHITE if first else BLACK, first or second))
        assert list(match.score) == case["after"], case["name"]
        assert match.over == case.get("match_over", False), case["name"]
        if not match.over:
            assert next_game(match).game.crawford == (case["next_game"] == "crawford"), case["name"]
