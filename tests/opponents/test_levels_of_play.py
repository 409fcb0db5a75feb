"""The built-in player: legal, the same for the same position, better from level to level, and fair."""

from __future__ import annotations

import asyncio
import inspect
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from controller.errors import IllegalActionError
from controller.opponents import LEVELS, decide, gnubg
from controller.opponents.estimate import Chances, Worth, chances, equity, value_after
from controller.opponents.player import doubles, leads_after_crawford, takes, worth_of
from controller.opponents.seat import Seat
from controller.rules import (
    PROFILES,
    Color,
    Match,
    Pass,
    Resign,
    Roll,
    act_in,
    new_match,
    next_game,
    parse_position,
    profile,
)
from controller.rules.actions import Double, MakePlay, RollDice, RollOpening
from controller.rules.game import Cube, Phase, game_at, must_pass, plays

START = parse_position("-b----E-C---eE---c-e----B-")
QUICK = [name for name, level in LEVELS.items() if not level.replies]


def at(text: str, *, rules: str = "international", length: int = 0, score: tuple[int, int] = (0, 0)) -> Match:
    """Return a match in which White is to roll or double in this position."""
    in_force = profile(rules)
    match = next_game(new_match(in_force, None if length == 0 and in_force.money else length, score=score))
    assert match.game is not None
    set_up = game_at(in_force, parse_position(text), Color.WHITE, money=match.kind == "money")
    return replace(match, game=replace(set_up, away=match.game.away, crawford=match.game.crawford))


def random_turns(rules: str, seed: int, turns: int) -> Iterator[Match]:
    """Yield a match before each play of a game between quick players."""
    chance = random.Random(seed)
    in_force = profile(rules)
    match = next_game(new_match(in_force, in_force.default_length))
    for _ in range(turns):
        game = match.game
        if game is None or not match.playing:
            return
        if game.phase is Phase.OPENING:
            match = act_in(match, RollOpening(chance.randint(1, 6), chance.randint(1, 6)))
        elif game.phase is Phase.TO_ROLL:
            match = act_in(match, RollDice(Roll.of(chance.randint(1, 6), chance.randint(1, 6))))
        elif must_pass(game):
            match = act_in(match, Pass())
        else:
            yield match
            after = decide(match, chance.choice(QUICK)).after
            assert after is not None
            match = act_in(match, MakePlay(plays(game)[after]))


@pytest.mark.parametrize("rules", PROFILES)
def test_every_level_makes_a_legal_play_under_all_rules(rules: str) -> None:
    matches = list(random_turns(rules, 5, 120))
    for match in matches[::6]:
        for level in QUICK:
            assert decide(match, level).after in plays(match.game)
    for level in LEVELS:
        assert decide(matches[-1], level).after in plays(matches[-1].game)


def test_the_same_position_is_played_the_same_and_nobody_asks_for_chance() -> None:
    for match in list(random_turns("match-play", 7, 40))[::5]:
        assert [decide(match, level) for level in QUICK] == [decide(match, level) for level in QUICK]
    source = inspect.getsource(inspect.getmodule(decide))  # type: ignore[arg-type]  # a function has a module
    assert "import random" not in source


def test_a_better_level_wins_points_from_a_weaker_one() -> None:
    points = sum(won("medium", "beginner", seed) - won("beginner", "medium", seed) for seed in range(12))
    assert points > 8


def won(white: str, black: str, seed: int) -> int:
    """Return what White wins in a game between two levels."""
    chance = random.Random(seed)
    match = next_game(new_match(profile("international", cube=False), None))
    levels = {Color.WHITE: white, Color.BLACK: black}
    while match.playing and match.game is not None:
        game = match.game
        pair = chance.randint(1, 6), chance.randint(1, 6)
        if game.phase is Phase.OPENING:
            match = act_in(match, RollOpening(*pair))
        elif game.phase is Phase.TO_ROLL:
            match = act_in(match, RollDice(Roll.of(*pair)))
        elif must_pass(game):
            match = act_in(match, Pass())
        else:
            assert game.turn is not None
            after = decide(match, levels[game.turn]).after
            assert after is not None
            match = act_in(match, MakePlay(plays(game)[after]))
    result = match.results[-1]
    return result.points if result.winner is Color.WHITE else -result.points


def test_chances_are_chances_and_what_is_certain_is_certain() -> None:
    for match in list(random_turns("international", 3, 200))[::4]:
        assert match.game is not None
        found = chances(match.game.position)
        assert 0 <= found.gammon <= found.win <= 1
        assert 0 <= found.lost_gammon <= 1 - found.win <= 1
    assert value_after(parse_position("------------------------o-"), Worth()) == 2.0
    assert value_after(parse_position("------------------------o-"), Worth(0.0, 0.0)) == 1.0
    assert equity(Chances(0.5, 0.2, 0.1), Worth()) == pytest.approx(0.1)
    assert equity(Chances(0.5, 0.2, 0.1).turned(), Worth()) == pytest.approx(-0.1)


def test_clear_decisions_of_the_cube() -> None:
    ahead = at("-BB------------------bbbb-")
    assert doubles(at("-BB------------------bbbb-"))
    offered = act_in(ahead, Double())
    assert (decide(offered, "beginner").action, decide(offered, "medium").action) == ("take", "drop")
    even = act_in(at("-b----E-C---eE---c-e----B-"), Double())
    assert takes(even)
    assert not doubles(at("-b----E-C---eE---c-e----B-"))
    assert decide(at("-b----E-C---eE---c-e----B-"), "beginner").action == "roll"


def test_the_score_counts_for_the_cube() -> None:
    behind = at("-b----E-C---eE---c-e----B-", length=5, score=(2, 4))
    crawford = replace(behind, game=replace(behind.game, crawford=True))
    assert not doubles(crawford)
    after_crawford = replace(behind, game=replace(behind.game, crawford=False), crawford_played=True)
    assert doubles(after_crawford)
    assert decide(after_crawford, "beginner").action == "roll"
    at_the_end = replace(behind, game=replace(behind.game, crawford=False, away=(1, 3)))
    assert not doubles(at_the_end)
    assert leads_after_crawford(3) > leads_after_crawford(2)


def test_gammons_count_as_the_rules_and_the_score_let_them() -> None:
    text = "-b----E-C---eE---c-e----B-"
    assert worth_of(at(text), Color.WHITE) == Worth(1.0, 1.0)
    jacoby = at(text)
    jacoby = replace(jacoby, rules=profile(jacoby=True), game=replace(jacoby.game, rules=profile(jacoby=True)))
    assert worth_of(jacoby, Color.WHITE) == Worth(0.0, 0.0)
    turned = replace(jacoby, game=replace(jacoby.game, cube=Cube(2, Color.BLACK, turned=True)))
    assert worth_of(turned, Color.WHITE) == Worth(1.0, 1.0)
    assert worth_of(at(text, length=5, score=(4, 2)), Color.WHITE) == Worth(0.0, 1.0)
    assert worth_of(at(text, rules="classic", length=5), Color.WHITE) == Worth(0.0, 0.0)


def test_a_resignation_is_accepted_when_it_is_worth_as_much_as_playing_on() -> None:
    lost = at("-------------O----------b-")
    for level, action in ((1, "refuse"), (2, "accept")):
        offered = act_in(lost, Resign(Color.WHITE, level))
        assert decide(offered, "medium").action == action


def test_nobody_decides_where_there_is_nothing_to_decide() -> None:
    with pytest.raises(IllegalActionError):
        decide(new_match(profile(), 3), "medium")
    with pytest.raises(IllegalActionError, match="wizard"):
        decide(at("-b----E-C---eE---c-e----B-"), "wizard")


@pytest.mark.parametrize("level", ["hard", "expert"])
def test_gnubg_plays_legal_plays_and_answers_doubles(level: str) -> None:
    for match in list(random_turns("international", 11, 60))[::12]:
        assert gnubg.plays_level(match, level)
        assert gnubg.decide(match, level).after in plays(match.game)
    even, won_race = at("-b----E-C---eE---c-e----B-"), at("-BB------------------bbbb-")
    assert gnubg.decide(even, level).action == "roll"
    assert gnubg.decide(act_in(even, Double()), level).action == "take"
    assert gnubg.decide(act_in(won_race, Double()), level).action == "drop"
    assert gnubg.decide(at("--A--A------------------a-"), level).action == "double"


def test_gnubg_is_not_asked_about_rules_that_it_does_not_know() -> None:
    for rules in ("old-english", "touch-move", "classic"):
        assert not gnubg.plays_level(next_game(new_match(profile(rules), profile(rules).default_length)), "hard")
    assert not gnubg.plays_level(at("-b----E-C---eE---c-e----B-"), "medium")


@pytest.mark.parametrize("engine", ["own", "auto"])
def test_the_seat_decides_whoever_thinks(engine: Any) -> None:
    match = act_in(next_game(new_match(profile(), 1)), RollOpening(3, 1))
    decision = asyncio.run(Seat(engine).decide(match, "hard"))
    assert str(decision.after) == "-b---BD-B---eE---c-e----B-"
