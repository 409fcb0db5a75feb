"""Who owes whom how much, once a money session or a single game is over."""

from __future__ import annotations

import pytest

from controller.rules import Color
from controller.session import facts
from controller.session.ledger import Ledger, apply
from controller.session.snapshot import snapshot_json
from controller.session.view import snapshot_of

WHITE, BLACK = Color.WHITE, Color.BLACK


def played(length: int, *won: tuple[Color, int], rules: str = "international", closed: bool = True) -> Ledger:
    """Return a match whose games were awarded, and which was closed then."""
    told: list[facts.Fact] = [facts.MatchStarted(match_id="m", players=("Ann", "Bob"), length=length, rules=rules)]
    for winner, points in won:
        end = facts.GameEnded(winner=winner, points=points, kind="single", ending="flag", awarded=True)
        told += [facts.GameStarted(), end]
    if closed:
        told.append(facts.MatchEnded(winner=None, score=(0, 0), reason="closed"))
    ledger = Ledger()
    for fact in told:
        ledger = apply(ledger, fact)
    return ledger


def settled(ledger: Ledger) -> object:
    return snapshot_json(snapshot_of(ledger, 0.0))["settlement"]


def test_a_money_session_is_settled_once_it_is_closed() -> None:
    won = ((WHITE, 4), (BLACK, 2), (BLACK, 8))
    assert settled(played(0, *won)) == {"white": -6, "black": 6}
    assert settled(played(0, *won, closed=False)) is None


def test_a_session_in_which_both_won_as_much_is_settled_too() -> None:
    assert settled(played(0, (WHITE, 2), (BLACK, 2))) == {"white": 0, "black": 0}


def test_a_single_game_is_settled_when_it_is_over() -> None:
    assert settled(played(0, (BLACK, 2), rules="match-play", closed=False)) == {"white": -2, "black": 2}


@pytest.mark.parametrize("closed", [False, True])
def test_a_match_to_a_length_is_not_settled_by_points(closed: bool) -> None:
    assert settled(played(5, (WHITE, 5), closed=closed)) is None


def test_no_match_is_not_settled() -> None:
    assert settled(Ledger()) is None
