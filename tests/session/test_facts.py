"""Facts as JSON and back; replay of a corrected journal."""

from __future__ import annotations

import pytest

from controller.board import START_BOARD, Site
from controller.errors import InvalidNotationError
from controller.rules import Color, Roll
from controller.session import facts
from controller.session.clock import SINGLES
from controller.session.facts import Fact, fact_json, fact_of
from controller.session.settings import Settings

W = Color.WHITE
EXAMPLES: list[Fact] = [
    facts.MatchStarted(
        match_id="m",
        players=("A", "B"),
        length=7,
        keys={"jacoby": True},
        settings=Settings(clock=SINGLES, signals=frozenset({"quiet"})),
        position=START_BOARD,
        turn=W,
    ),
    facts.Played(
        at_s=0.1 + 0.2,
        player=W,
        roll=Roll(6, 1),
        play="13/7 8/7",
        position=START_BOARD,
        moves=(facts.Moved(source=13, target=7), facts.Moved(source=25, target=7, hit=True)),
        time_s=3.25,
    ),
    facts.Asked(about="play", text="?", sites=(Site(3),), choices=(facts.Choice(text="x", position=START_BOARD),)),
    facts.ClockSet(action="edit", reserve_s=(1.5, 2.0)),
    facts.IllegalSeen(player=W, bars=(W,), stands=START_BOARD),
]


@pytest.mark.parametrize("fact", EXAMPLES, ids=lambda fact: fact.type)
def test_a_fact_comes_back_from_its_json_as_it_was(fact: Fact) -> None:
    assert fact_of(fact_json(fact)) == fact


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"type": "no such thing"},
        {"type": "roll", "player": "white"},
        {"type": "roll", "player": "green", "roll": [1, 2]},
        {"type": "roll", "player": "white", "roll": [7, 2]},
        {"type": "play", "player": "white", "roll": None, "play": 3, "position": {}},
        {"type": "clock", "action": "explode"},
        {"type": "score_set", "score": [1]},
        {"type": "score_set", "score": "12"},
        {"type": "position_set", "turn": "white", "position": {"points": [16] + [0] * 23}},
    ],
)
def test_a_line_that_is_no_event_is_refused_with_a_reason(body: dict[str, object]) -> None:
    with pytest.raises(InvalidNotationError):
        fact_of(body)


def test_unknown_names_are_ignored_so_that_fields_may_be_added() -> None:
    body = {**fact_json(EXAMPLES[1]), "seq": 4, "game": 1, "weather": "fine"}
    assert fact_of(body) == EXAMPLES[1]
