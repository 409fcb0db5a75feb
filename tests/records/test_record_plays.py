"""Written plays judged: the same answer as the rules give, and a reason that a player would give."""

import random

import pytest

from controller.records.checkers import judge
from controller.records.written import moves_of
from controller.rules import ALL_ROLLS, START, Move, Position, Roll, legal_plays, parse_position, write_play
from controller.rules.plays import accepted_plays


def positions(count: int) -> list[tuple[Position, Roll]]:
    """Return positions of random games, with a roll each."""
    chance = random.Random(1)
    found: list[tuple[Position, Roll]] = []
    position = START
    while len(found) < count:
        roll = chance.choice(ALL_ROLLS)
        found.append((position, roll))
        ends = list(legal_plays(position, roll)) or [position]
        position = chance.choice(ends).turned()
        if not position.on_board or not position.opponent_on_board:
            position = START
    return found


def test_every_legal_play_is_judged_legal_however_it_is_written() -> None:
    chance = random.Random(2)
    for position, roll in positions(150):
        for end, play in legal_plays(position, roll).items():
            shuffled = tuple(chance.sample(play, len(play)))
            for moves in (play, shuffled, moves_of(write_play(play)) if play else ()):
                judged = judge(position, roll, moves, "strict")
                assert (judged.after, judged.reason) == (end, ""), (str(position), roll, moves)


def test_random_moves_are_judged_as_the_rules_do() -> None:
    chance = random.Random(3)
    for position, roll in positions(1500):
        moves = tuple(
            Move(source, max(0, source - chance.choice((*roll, chance.randint(1, 6)))))
            for source in chance.choices(range(1, 26), k=chance.choice((1, 2, 2, 2, 4)))
        )
        judged = judge(position, roll, moves, "strict")
        legal = judged.after is not None and judged.after in accepted_plays(position, roll)
        assert (not judged.reason) == legal, (str(position), roll, moves)


@pytest.mark.parametrize(
    ("board", "roll", "moves", "reason"),
    [
        (str(START), (6, 5), "13/7", "more of 65 must be played"),
        (str(START), (6, 5), "13/7 24/20", "24/20 is no move with 65"),
        (str(START), (6, 5), "24/19 13/7", "point 19 is held by the opponent"),
        (str(START), (6, 5), "20/14 13/8", "there is no checker on point 20"),
        (str(START), (6, 5), "", "could be played"),
        ("-b----E-C---dD---c-e----BA", (6, 3), "13/7 8/5", "a checker on the bar must enter first"),
        ("-b----E-C---eE---c-e----A-", (6, 5), "6/off 8/3", "a checker cannot be borne off"),
        ("-------------------bbbbbbA", (6, 3), "bar/22", "point 22 is held by the opponent"),
        (str(START), (6, 5), "24/18 24/18", "65 is used more than once"),
    ],
)
def test_an_illegal_play_gets_its_reason(board: str, roll: tuple[int, int], moves: str, reason: str) -> None:
    judged = judge(parse_position(board), Roll.of(*roll), moves_of(moves), "strict")
    assert reason in judged.reason


def test_a_hit_on_the_way_that_is_not_written_is_found() -> None:
    position = parse_position("------------------a------A")
    blocked = parse_position("-----------------a-c-----A")
    assert judge(position, Roll.of(5, 2), moves_of("bar/18"), "strict").play[-1].hit
    judged = judge(blocked, Roll.of(6, 2), moves_of("bar/17"), "strict")
    assert judged.reason == ""
