"""Following a game picture by picture: certain plays in order, questions otherwise, never a wrong play."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from evenings import Turn, dice, followed, game, in_order, pictures, plays, truth
from random_games import one_pip_off
from simulated_eyes import dice_reading, die_reading, observe, site_reading

from controller.board import SITES, START_BOARD, Board, CubeReading, Site
from controller.following import beginning, ended, for_record, reminded, resumed, step
from controller.following.tracks import Ply, Track, stretches, told
from controller.reconcile.settings import DEFAULT
from controller.rules import Color, Roll, apply_move, legal_plays
from controller.rules.profiles import profile

GAMES = [game(seed) for seed in (1, 2, 3)]


@pytest.mark.parametrize("turns", GAMES, ids=["1", "2", "3"])
def test_a_whole_game_is_followed_to_its_end(turns: list) -> None:
    """Feature 38: recorded pictures are replayed through the same verdicts."""
    _, events = followed(list(pictures(turns)))
    assert plays(events) == truth(turns)
    rolls = [tuple(e["roll"] or ()) for e in events if e["type"] == "play"]
    assert sum(roll == turn.roll for roll, turn in zip(rolls, turns, strict=True)) >= 0.97 * len(turns)
    assert events[0]["type"] == "opening_roll"
    assert events[-1]["type"] == "game_end"
    assert events[-1]["winner"] == turns[-1].player.value


@pytest.mark.parametrize("turns", GAMES, ids=["1", "2", "3"])
def test_a_blurred_view_asks_more_and_says_nothing_wrong(turns: list) -> None:
    _, events = followed(list(pictures(turns[:25], noise=0.25)))
    assert in_order(plays(events), truth(turns))


@pytest.mark.parametrize("turns", GAMES, ids=["1", "2", "3"])
def test_without_dice_what_the_board_determines_is_right(turns: list) -> None:
    seen = [replace(picture, dice=()) for picture in pictures(turns[:30])]
    _, events = followed(seen)
    assert in_order(plays(events), truth(turns))
    assert len(plays(events)) >= 18


def test_pictures_with_a_hand_change_nothing() -> None:
    turns = game(4, 12)
    seen = []
    for picture, turn in zip(list(pictures(turns))[1:], turns, strict=True):
        seen += [observe(turn.before, hand=True), observe(turn.after, hand=True), picture]
    _, events = followed([observe(START_BOARD), *seen])
    assert plays(events) == truth(turns)


def test_a_picture_seen_again_is_no_turn() -> None:
    turns = game(5, 15)
    seen = [picture for picture in pictures(turns) for _ in range(3)]
    _, events = followed(seen)
    assert plays(events) == truth(turns)


@pytest.mark.parametrize("seed", range(3))
def test_missed_pictures_are_recovered_or_asked(seed: int) -> None:
    """Feature 39: two plays missed while the camera was blocked."""
    turns = game(seed + 20, 25)
    rng = random.Random(seed)
    seen = [p for p in pictures(turns) if p.frame == "start" or rng.random() > 0.1]
    _, events = followed(seen)
    assert in_order(plays(events), truth(turns))
    assert len(plays(events)) >= 0.7 * len(turns)


@pytest.mark.parametrize("seed", range(3))
def test_misread_dice_never_make_a_wrong_play(seed: int) -> None:
    turns = game(seed + 30, 25)
    rng = random.Random(seed)
    seen = []
    for picture, turn in zip(list(pictures(turns))[1:], turns, strict=True):
        lying = picture.dice
        if rng.random() < 0.15:
            wrong = replace(turn, roll=Roll.of(rng.randint(1, 6), rng.randint(1, 6)))
            lying = dice(wrong, rng)
        seen.append(replace(picture, dice=lying))
    _, events = followed([observe(START_BOARD), *seen])
    assert in_order(plays(events), truth(turns))
    assert len(plays(events)) >= 0.8 * len(turns)


def standing(points: dict[int, int]) -> Board:
    """A board late in a game: sites and their signed counts; all other checkers are off."""
    return Board(tuple(points.get(site, 0) for site in SITES))


def stands(turns: list, site: Site) -> bool:
    """Whether a few checkers stand on a site from the start to the last turn."""
    return 0 < abs(START_BOARD.at(site)) < 5 and all(t.after.at(site) == START_BOARD.at(site) for t in turns)


def test_one_count_misread_for_good_does_not_poison_later_plays() -> None:
    """Report 10: one misread piece blocked all later moves."""
    turns, at = next(
        (g, site) for g in (game(seed, 10) for seed in range(60)) for site in SITES if stands(g, site)
    )
    count = START_BOARD.at(at)
    seen = []
    for number, picture in enumerate(pictures(turns)):
        sites = list(picture.sites)
        if number > 3:
            sites[at - 1] = site_reading(count + (1 if count > 0 else -1), random.Random(2), 0.02, visible=8)
        seen.append(replace(picture, sites=tuple(sites)))
    _, events = followed(seen)
    assert plays(events) == truth(turns)
    assert any(at in e["sites"] for e in events if e["type"] in ("question", "illegal"))


@pytest.mark.parametrize("seed", range(8))
def test_an_illegal_play_is_reported_and_not_absorbed(seed: int) -> None:
    """Report 30: nobody saw two illegal plays in the first five filmed matches."""
    rng = random.Random(seed)
    turns = game(seed + 40, 12)
    last = turns[-1]
    wrong = one_pip_off(last.after, last.player, rng)
    legal = {Board.of(p, last.player) for p in legal_plays(last.before.seen_by(last.player), last.roll)}
    if wrong is None or wrong in legal or max(map(abs, wrong.points)) > 5:
        return
    seen = list(pictures(turns[:-1]))
    state, _ = followed(seen)
    _, events = step(state, observe(wrong, rng=rng, dice=dice(last, rng), frame="wrong"))
    assert not [e for e in events if e["type"] == "play" and e["frame"] == "wrong"]
    assert [e for e in events if e["type"] in ("illegal", "question") and e["frame"] == "wrong"]


@pytest.mark.parametrize("seed", range(3))
def test_plays_that_make_up_for_an_illegal_one_are_asked_about(seed: int) -> None:
    """Black enters by hitting on 3 and plays two single pips beside; a later play of other dice would fit."""
    before = Board((-1, 0, 1, -2, 0, 5, -2, 3, 1, 0, 0, -3, 3, 0, 0, 0, -1, -1, -3, -1, 2, 0, 0, 0), (0, 1))
    wrong = Board((-1, 0, -1, -2, 0, 5, -2, 3, 1, 0, 0, -3, 3, 0, 0, 0, 0, -2, -2, -2, 2, 0, 0, 0), (1, 0))
    reply = Board((-1, 0, -1, -2, 0, 5, -2, 3, 1, 0, 0, -2, 3, 0, 0, 0, -1, -1, -2, -3, 2, 0, 0, 0), (1, 0))
    entered = Board((-1, 0, -1, -2, 0, 5, -2, 4, 1, 0, 0, -2, 2, 0, 0, 0, -1, -1, -2, -3, 2, 0, 1, 0))
    turns = [
        Turn(Color.BLACK, Roll(3, 1), before, wrong),
        Turn(Color.WHITE, Roll(6, 6), wrong, wrong),
        Turn(Color.BLACK, Roll(5, 2), wrong, reply),
        Turn(Color.WHITE, Roll(5, 2), reply, entered),
    ]
    rng = random.Random(seed)
    seen = [observe(before, noise=0.12, rng=rng, frame="before")]
    for number, turn in enumerate(turns[:3]):
        seen.append(observe(turn.after, noise=0.12, rng=rng, dice=dice(turn, rng), frame=str(number)))
    seen.append(observe(entered, noise=0.12, rng=rng, frame="entered"))
    state = replace(beginning(), tracks=(Track(before, Color.BLACK, 0.0),), turns=9)
    _, events = followed(seen, state)
    assert next(e["frame"] for e in events if e["type"] != "play") == "0"
    assert in_order(plays(events), truth(turns[1:]))


def ply(doubt: float, *, agreed: bool = True, gap: bool = False) -> Ply:
    """A turn of which nothing matters but how well it was seen."""
    return Ply(Color.WHITE, START_BOARD, START_BOARD, (), (Roll(6, 5),), True, "0", agreed, doubt, gap)


@pytest.mark.parametrize(
    ("stretch", "certain"),
    [
        ([ply(0.0)], True),
        ([ply(0.0, agreed=False)], True),
        ([ply(5.0), ply(3.0), ply(0.0)], True),
        ([ply(math.inf), ply(0.0)], True),
        ([ply(9.0), ply(0.0)], True),
        ([ply(9.0), ply(8.0), ply(0.0)], False),
        ([ply(math.inf), ply(3.0), ply(math.inf), ply(0.0)], False),
        ([ply(9.0, agreed=False), ply(0.0)], False),
        ([ply(9.0), ply(0.0, agreed=False)], False),
        ([ply(0.0, gap=True)], False),
    ],
)
def test_a_board_seen_well_tells_only_so_much_of_what_came_before(stretch: list, certain: bool) -> None:
    assert told(stretch, DEFAULT) is certain


def test_a_stretch_ends_with_each_board_that_was_seen_well() -> None:
    plies = [ply(0.0), ply(9.0), ply(0.0, agreed=False), ply(math.inf)]
    assert [end for end, _ in stretches(plies, DEFAULT)] == [1, 3, 4]


def test_half_a_play_with_its_dice_is_no_play() -> None:
    """Report 12: half of a play was stored."""
    turns = game(7, 6)
    state, _ = followed(list(pictures(turns)))
    rng = random.Random(1)
    roll = Roll(6, 5)
    mover = turns[-1].player.opponent
    position = turns[-1].after.seen_by(mover)
    play = max(legal_plays(position, roll).values(), key=len)
    half = Board.of(apply_move(position, play[0]), mover)
    thrown = dice(replace(turns[-1], player=mover, roll=roll), rng)
    _, events = step(state, observe(half, dice=thrown, frame="half"))
    assert not [e for e in events if e["type"] == "play"]


def test_a_dance_needs_new_dice_and_is_otherwise_known_by_the_next_play() -> None:
    turns = next(g for g in (game(seed) for seed in range(60)) if any(t.before == t.after for t in g))
    at = next(i for i, t in enumerate(turns) if t.before == t.after)
    whole = list(pictures(turns[: at + 3]))
    _, events = followed(whole[: at + 2])
    assert len(plays(events)) == at + 1
    blind = [replace(p, dice=()) if i == at + 1 else p for i, p in enumerate(whole)]
    _, events = followed(blind[: at + 2])
    assert len(plays(events)) == at
    _, events = followed(blind)
    assert plays(events) == truth(turns[: at + 3])


def test_a_dance_that_is_the_last_thing_seen_is_asked_about() -> None:
    turns = next(g for g in (game(seed) for seed in range(60)) if any(t.before == t.after for t in g))
    at = next(i for i, t in enumerate(turns) if t.before == t.after)
    whole = list(pictures(turns[: at + 1]))
    state, events = followed([*whole[:-1], replace(whole[-1], dice=())])
    assert len(plays(events)) == at
    (question,) = ended(state)
    assert question["type"] == "question"
    assert question["player"] == turns[at].player.value
    offered = [[each["play"] for each in choice["plays"]] for choice in question["choices"]]
    assert ["Cannot Move"] in offered
    assert [] in offered


def test_courses_that_are_still_open_when_the_pictures_end_are_named() -> None:
    """Stacks too tall to be counted and a die that was hardly readable: 5/1 5/off, 5/2 5/1 or 5/3 5/1?"""
    before = standing({6: 2, 5: 2, 3: 5, 2: 5, 15: -1, 20: -5})
    borne_off = standing({6: 2, 3: 5, 2: 5, 1: 1, 15: -1, 20: -5})
    replied = standing({6: 2, 3: 5, 2: 5, 1: 1, 20: -5, 23: -1})
    unclear = (die_reading(4), die_reading(5, 30.0, sure=2.0))
    state = replace(beginning(), tracks=(Track(before, Color.WHITE, 0.0),), turns=9)
    reply = observe(replied, dice=dice_reading((5, 3), 200.0, Color.BLACK), frame="reply")
    state, events = followed([observe(borne_off, dice=unclear, frame="unclear"), reply], state)
    assert plays(events) == []
    (question,) = ended(state)
    assert question["frame"] == "unclear"
    offered = [[each["play"] for each in choice["plays"]] for choice in question["choices"]]
    assert offered[0] == ["5/1 5/off", "10/2"]
    assert len(offered) == 3


@pytest.mark.parametrize("cut", [1, 8, 400])
def test_nothing_is_asked_at_the_end_when_all_is_certain(cut: int) -> None:
    state, _ = followed(list(pictures(GAMES[0][:cut])))
    assert ended(state) == ()


def test_the_board_tidied_after_the_end_is_no_play_and_a_new_game_follows() -> None:
    first, second = GAMES[0], game(9, 6)
    seen = list(pictures(first))
    tidied = list(START_BOARD.points)
    tidied[5] = 3
    between = [observe(Board((0,) * 24), frame="empty"), observe(Board(tuple(tidied)), frame="half set up")]
    _, events = followed([*seen, *between, *pictures(second)])
    assert plays(events) == truth([*first, *second])
    assert [e["game"] for e in events if e["type"] == "play"] == [1] * len(first) + [2] * len(second)
    assert [e["type"] for e in events].count("question") <= 3


def test_a_board_set_up_again_in_mid_game_is_asked_about() -> None:
    first, second = game(10, 12), game(11, 6)
    _, events = followed([*pictures(first), *pictures(second)])
    assert plays(events) == truth([*first, *second])
    assert any("set up again" in e.get("reason", "") for e in events)


def test_a_site_seen_again_after_it_was_hidden_tells_which_play_it_was() -> None:
    """What was hidden was not read: that it is empty is no repetition of anything."""
    before = standing({6: 4, 8: 1, 21: -1, 22: -3, 24: -3})
    after, reply = standing({6: 4, 8: 1, 24: -3}), standing({6: 4, 2: 1, 24: -3})
    unclear = (die_reading(6, half=0, dice_set=1), die_reading(6, 30.0, half=0, dice_set=1, sure=0.1))
    state = replace(beginning(), tracks=(Track(before, Color.BLACK, 0.0),), turns=9)
    state, asked = step(state, observe(after, hidden={22}, dice=unclear, frame="hidden"))
    assert [e["type"] for e in asked] == ["obscured"]
    _, events = step(state, observe(reply, dice=dice_reading((5, 1), 200.0), frame="seen"))
    assert [e["play"] for e in events] == ["4/off 3/off(3)", "8/2"]


def test_a_play_seen_badly_is_certain_once_every_course_after_it_was_seen_well() -> None:
    """The reply is open, 5/off or 5/1 onto a tall stack, but each of the two was played after 8/2."""
    before = standing({13: 4, 8: 1, 20: -1, 24: -7})
    without_blot, replied = standing({13: 4, 20: -1, 24: -7}), standing({13: 4, 2: 1, 24: -7})
    unclear = (die_reading(3, 200.0, half=0), die_reading(2, 230.0, half=0, sure=1.5))
    state = replace(beginning(), tracks=(Track(before, Color.WHITE, 0.0),), turns=9)
    state, asked = step(state, observe(without_blot, dice=dice_reading((5, 1)), frame="blot missed"))
    assert [e["type"] for e in asked] == ["question"]
    state, events = step(state, observe(replied, dice=unclear, frame="reply"))
    assert [e.get("play") for e in events] == ["8/2", None]
    offered = {choice["plays"][-1]["play"] for choice in events[-1]["choices"]}
    assert {"5/off", "5/1"} <= offered


def test_a_view_of_something_else_makes_no_plays() -> None:
    rng = random.Random(4)
    noise = []
    for number in range(15):
        points = [0] * 24
        for color in (1, -1):
            for _ in range(15):
                at = rng.choice([i for i, n in enumerate(points) if n * color >= 0])
                points[at] += color
        noise.append(observe(Board(tuple(points)), rng=rng, frame=str(number)))
    _, events = followed([observe(START_BOARD), *noise])
    assert plays(events) == []


@pytest.mark.parametrize("cut", [1, 5, 14])
def test_a_journal_takes_up_where_it_ended(cut: int) -> None:
    turns = game(12, 20)
    seen = list(pictures(turns))
    _, whole = followed(seen)
    _, events = followed(seen[: cut + 1])
    state, frame = resumed(beginning(), events)
    after = next((i for i, p in enumerate(seen) if p.frame == frame), 0)
    state = reminded(state, seen[after])
    _, more = followed(seen[after + 1 :], state)
    assert plays([*events, *more]) == plays(whole)


def test_white_begins_every_game_where_the_rules_say_so() -> None:
    state = beginning(profile("old-english"))
    assert {track.turn for track in state.tracks} == {Color.WHITE}
    after = Board.of(
        apply_move(
            START_BOARD.seen_by(Color.BLACK),
            next(iter(legal_plays(START_BOARD.seen_by(Color.BLACK), Roll(6, 5)).values()))[0],
        ),
        Color.BLACK,
    )
    _, events = followed([observe(START_BOARD), observe(after)], state)
    assert plays(events) == []


def test_a_cube_at_the_opponents_end_was_doubled_and_taken_before_the_roll() -> None:
    turns = game(13, 8)
    seen = list(pictures(turns))
    holder = turns[4].player.opponent
    turned = [replace(p, cube=CubeReading(None, holder.value if i > 4 else "center")) for i, p in enumerate(seen)]
    state, events = followed(turned)
    assert plays(events) == truth(turns)
    kinds = [(e["type"], e["player"], e.get("action")) for e in events]
    at = kinds.index(("cube", holder.opponent.value, "double"))
    assert kinds[at + 1 : at + 3] == [("cube", holder.value, "take"), ("play", holder.opponent.value, None)]
    assert (state.cube, state.cube_owner) == (2, holder)
    assert [e["type"] for e in events].count("cube") == 2


def test_a_game_that_ends_after_the_cube_was_turned_may_have_been_dropped() -> None:
    turns = game(13, 8)
    doubler = turns[-1].player.opponent
    seen = [replace(p, cube=CubeReading(None, "center")) for p in pictures(turns)]
    turned = replace(seen[-1], cube=CubeReading(None, doubler.opponent.value), frame="turned")
    state, events = followed([*seen, turned])
    assert plays(events) == truth(turns)
    dropped = {"plays": [], "cube": "drop", "winner": doubler.value, "points": 1}
    (question,) = ended(state)
    assert (question["frame"], question["choices"]) == ("turned", [dropped])
    _, events = step(state, replace(observe(START_BOARD), cube=CubeReading(None, "center"), frame="again"))
    assert [e["choices"] for e in events] == [[dropped]]


def test_a_record_holds_a_roll_for_every_play() -> None:
    turns = game(14, 12)
    _, events = followed([replace(p, dice=()) for p in pictures(turns)])
    kept = [for_record(e) for e in events if e["type"] == "play"]
    assert all(len(e["roll"]) == 2 for e in kept)
