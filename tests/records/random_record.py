"""Random matches as the events that a table would send, and as records made of them."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.board import Board
from controller.records import MatchRecord, record_from_events
from controller.rules import (
    AcceptResignation,
    Action,
    Beaver,
    Double,
    Drop,
    Match,
    Raccoon,
    RefuseResignation,
    Resign,
    RollDice,
    RollOpening,
    Take,
    WithdrawRoll,
    write_play,
)
from controller.rules.profiles import KEYS

sys.path.insert(0, str(Path(__file__).parents[1] / "rules"))

from random_match import Odd, Played, random_match  # a helper of the tests of the rules

__all__ = ["Odd", "Played", "events_of", "random_match", "record_of"]

_WORDS = {Double: "double", Beaver: "beaver", Raccoon: "raccoon", Take: "take", Drop: "drop"}
_ANSWERS = {Resign: "offer", AcceptResignation: "accept", RefuseResignation: "refuse"}


def record_of(played: Played, players: tuple[str, str] = ("Ann", "Bob")) -> MatchRecord:
    """Return the record of a random match, made of its events."""
    return record_from_events(events_of(played, players))


def events_of(played: Played, players: tuple[str, str] = ("Ann", "Bob")) -> Iterator[dict[str, Any]]:
    """Yield the events of a random match as a table sends them."""
    match = played.match
    length = match.length if match.kind == "match" else 0
    keys = {key: getattr(match.rules, key) for key in KEYS}
    yield {
        "type": "match_start",
        "players": list(players),
        "length": length,
        "rules": match.rules.name,
        "keys": keys,
    }
    at = 0
    for actions in played.games:
        at += 1
        yield {"type": "game_start"}
        for action in actions:
            before, after = played.states[at], played.states[at + 1]
            at += 1
            yield from _events(before, action, after)


def _events(before: Match, action: Action, after: Match) -> Iterator[dict[str, Any]]:
    old, new = before.game, after.game
    assert old is not None
    assert new is not None
    kind = type(action)
    if isinstance(action, RollOpening):
        yield {"type": "opening_roll", "white": action.white, "black": action.black}
    elif isinstance(action, RollDice):
        yield {"type": "roll", "player": old.turn.value, "roll": list(action.roll)}
    elif isinstance(action, WithdrawRoll):
        yield {"type": "roll_withdrawn"}
    elif kind in (Take, Drop):
        yield {
            "type": "cube",
            "player": old.offer.by.opponent.value,
            "action": _WORDS[kind],
            "value": old.offer.value,
        }
    elif kind in _WORDS:
        yield {"type": "cube", "player": new.offer.by.value, "action": _WORDS[kind], "value": new.offer.value}
    elif kind in _ANSWERS:
        offer = new.resignation or old.resignation
        answers = {"type": "resignation", "action": _ANSWERS[kind], "level": offer.level}
        yield {**answers, "player": offer.player.value if kind is Resign else offer.player.opponent.value}
    if new.last_turn is not old.last_turn:
        turn = new.last_turn
        board = Board.of(turn.after, turn.player)
        illegal = turn.how == "condoned"
        play = "" if illegal else write_play(turn.play)
        who = {"type": "play", "player": turn.player.value, "roll": list(turn.roll), "play": play}
        yield {**who, "position": board.to_json(), "illegal": illegal}
    if new.result is not None:
        result = new.result
        told = {
            "winner": result.winner.value,
            "points": result.points,
            "kind": result.kind,
            "ending": result.ending,
        }
        yield {"type": "game_end", **told}
