"""From the ledger to a match record, which every format writes."""

from __future__ import annotations

from dataclasses import replace

from controller.records.record import Action as Written
from controller.records.record import CubeAction, GameRecord, MatchRecord, Note, Resign, SetUp, Turn
from controller.rules import ALL_ROLLS, Color, Move, Play, Roll, legal_plays
from controller.session import facts
from controller.session.facts import Fact
from controller.session.ledger import Ledger
from controller.session.plays import UNKNOWN_PLAY


def record_of(ledger: Ledger) -> MatchRecord:
    """Return everything of a match that a record can hold: what has been corrected is not in it."""
    started = ledger.started
    if started is None:
        return MatchRecord()
    rules = ledger.rules
    games: list[GameRecord] = []
    score = started.score
    for entry in ledger.line:
        fact = entry.fact
        if isinstance(fact, facts.GameStarted):
            games.append(GameRecord(score=score))
        elif isinstance(fact, facts.GameEnded) and games:
            games[-1] = replace(games[-1], winner=fact.winner, points=fact.points, how=fact.ending)
            score = games[-1].score_after
        elif isinstance(fact, facts.ScoreSet):
            score = fact.score
            if games and games[-1].winner is None:
                games[-1] = replace(games[-1], score=score)
        elif games:
            games[-1] = replace(games[-1], actions=_with(games[-1].actions, fact))
    return MatchRecord(
        players=started.players,
        length=started.length,
        rules=started.rules,
        crawford=rules.crawford,
        jacoby=rules.jacoby if started.length == 0 else None,
        games=_with_crawford(tuple(games), started.length, crawford=rules.crawford),
    )


def _with_crawford(games: tuple[GameRecord, ...], length: int, *, crawford: bool) -> tuple[GameRecord, ...]:
    """Mark the Crawford game: the first at whose beginning a player needs one point."""
    if not crawford or length < 2:
        return games
    for number, game in enumerate(games):
        if length - max(game.score) == 1:
            return (*games[:number], replace(game, crawford=True), *games[number + 1 :])
    return games


def _with(actions: tuple[Written, ...], fact: Fact) -> tuple[Written, ...]:
    """Return the actions of a game with what one more fact adds."""
    added: tuple[Written, ...] = ()
    match fact:
        case facts.Played():
            added = (_turn(fact),)
        case facts.CubeTurned(action="withdraw"):
            actions = actions[:-1]
        case facts.CubeTurned(player=player, action=action, value=value):
            offers = action in ("double", "beaver", "raccoon")
            word = "double" if action == "withdraw" else action
            added = (CubeAction(player=player, word=word, value=value if offers else 0),)
        case facts.Resigned(player=player, action="accept", level=level):
            added = (Resign(player=player.opponent, level=level),)
        case facts.Resigned(player=player, action="refuse", level=level):
            added = (Resign(player=player.opponent, level=level, accepted=False),)
        case facts.PositionSet(position=position, turn=turn):
            added = (SetUp(board=position, turn=turn),)
    return (*actions, *added)


def _turn(fact: facts.Played) -> Turn:
    """Return a turn; a dance whose dice nobody saw is written with a roll that plays nothing there."""
    note = Note()
    roll = fact.roll
    if roll is None:
        roll, note = _dancing(fact), Note(comment="danced, no dice were seen")
    elif not fact.roll_certain:
        note = Note(comment="roll worked out from the play")
    return Turn(
        player=fact.player,
        dice=(roll.high, roll.low),
        play=None if fact.play == UNKNOWN_PLAY else _play(fact),
        condoned=fact.illegal,
        after=fact.position if fact.illegal else None,
        note=note,
    )


def _dancing(fact: facts.Played) -> Roll:
    position = fact.position.seen_by(fact.player)
    return next((roll for roll in ALL_ROLLS if not legal_plays(position, roll)), ALL_ROLLS[-1])


def _play(fact: facts.Played) -> Play:
    def point(place: int) -> int:
        return place if place in (0, 25) or fact.player is Color.WHITE else 25 - place

    return tuple(Move(point(move.source), point(move.target), move.hit) for move in fact.moves)
