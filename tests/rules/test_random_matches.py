"""Random matches of every profile through random legal actions: the laws hold, and a replay gives the same."""

import random
from dataclasses import replace

import pytest
from random_match import Odd, check_laws, random_match

from controller.errors import IllegalActionError
from controller.rules import (
    PROFILES,
    AcceptResignation,
    Action,
    Beaver,
    Color,
    Double,
    Drop,
    EndTurn,
    Flag,
    Game,
    Leave,
    MakeStep,
    Match,
    Move,
    Pass,
    Raccoon,
    RefuseResignation,
    Resign,
    Roll,
    RollDice,
    RollOpening,
    Take,
    TakeBack,
    act,
    act_in,
    allowed,
    new_match,
    next_game,
    profile,
)
from controller.rules.actions import MakePlay, WithdrawDouble, WithdrawRoll
from controller.rules.match import close_session


@pytest.mark.parametrize("name", PROFILES)
def test_laws_hold_in_random_matches_of_every_profile(name):
    for seed in range(5):
        check_laws(random_match(profile(name), seed, longest=3, money_games=2))


def test_laws_hold_with_every_switch_of_money_play_on():
    rules = profile(jacoby=True, beavers=True, raccoons=True, automatic_doubles=2, roll_again=True, cube_cap=16)
    for seed in range(8):
        check_laws(random_match(rules, seed, length=None, odd=Odd(double=0.3, raise_again=0.6)))


def test_laws_hold_where_players_often_leave_pass_and_play_illegally():
    for name in ("old-english", "touch-move", "tournament"):
        for seed in range(6):
            check_laws(
                random_match(profile(name), seed, longest=3, odd=Odd(leave=0.01, pass_early=0.2, condone=0.1))
            )


def test_the_same_seed_gives_the_same_match_and_its_actions_give_it_again():
    for name in PROFILES:
        played = random_match(profile(name), 5, longest=3)
        assert random_match(profile(name), 5, longest=3).games == played.games
        assert replayed(played) == played.match


def replayed(played) -> Match:
    start = played.match
    length = None if start.kind == "money" else start.length
    match = new_match(start.rules, length)
    for actions in played.games:
        match = next_game(match)
        for action in actions:
            match = act_in(match, action)
    return close_session(match) if start.closed and not match.over else match


ANY_ACTION = (
    RollOpening(3, 1),
    RollDice(Roll.of(6, 4)),
    WithdrawRoll(),
    MakePlay((Move(6, 1), Move(1, 0))),
    MakeStep(8, 5),
    TakeBack(),
    EndTurn(),
    Pass(),
    Double(),
    WithdrawDouble(),
    Take(),
    Drop(),
    Beaver(),
    Raccoon(),
    Resign(Color.WHITE, 1),
    AcceptResignation(),
    RefuseResignation(),
    Flag(Color.WHITE),
    Leave(Color.BLACK),
)


def refusal(game: Game, action: Action) -> str | None:
    """Return why an action is refused, or None when it is done."""
    try:
        act(game, action)
    except IllegalActionError as error:
        return str(error)
    return None


def test_any_action_in_any_state_is_done_or_refused_with_a_sentence():
    chance = random.Random(8)
    for name in PROFILES:
        played = random_match(profile(name), 3, longest=1)
        states = [state for state in played.states if state.game is not None]
        for state in chance.sample(states, 30):
            for action in ANY_ACTION:
                reason = refusal(state.game, action)
                assert reason is None or len(reason) > 10


def test_allowed_names_exactly_the_actions_that_are_not_refused():
    chance = random.Random(9)
    answers = (Double(), Take(), Drop(), Beaver(), Raccoon(), AcceptResignation(), RefuseResignation())
    for name in ("international", "old-english", "touch-move", "match-play"):
        played = random_match(profile(name), 4, longest=1)
        states = [state for state in played.states if state.game is not None]
        for state in chance.sample(states, 60):
            for action in answers:
                assert (refusal(state.game, action) is None) == (type(action) in allowed(state.game))


def test_a_game_is_a_value_that_no_action_changes():
    match = next_game(new_match(profile(), 3))
    before = replace(match)
    act_in(match, RollOpening(3, 1))
    assert match == before
    assert hash(match.game) == hash(before.game)
