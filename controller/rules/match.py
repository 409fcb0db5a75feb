"""A match, a money session or a single game as a frozen value: score, Crawford game, end, settlement, rematch.

::

    match = new_match(profile("international"), 7)       # None for a money session, 0 for a single game
    match = next_game(match)                             # with the cube and Crawford that the score demands
    match = with_game(match, some_function(match.game))  # books the score when that game is over
    match.winner, match.score, match.results, crawford_next(match), settlement(match, 5)

`with_game` is the one place where points reach the score.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from controller.errors import IllegalActionError
from controller.rules.game import Game, Phase, new_game
from controller.rules.position import Color
from controller.rules.profiles import LONGEST, Profile
from controller.rules.scoring import Result


class Score(NamedTuple):
    """Points won by White and Black."""

    white: int = 0
    black: int = 0

    def of(self, player: Color) -> int:
        """Return the points of one player."""
        return self.white if player is Color.WHITE else self.black

    def plus(self, player: Color, points: int) -> Score:
        """Return the score with points added for one player."""
        if player is Color.WHITE:
            return Score(self.white + points, self.black)
        return Score(self.white, self.black + points)


_ZERO = Score()


@dataclass(frozen=True, slots=True)
class Match:
    """What two players play at one table until somebody has won it.

    Attributes:
        rules: the rules of all its games.
        kind: ``"match"`` to a length; ``"money"``: a session of games that each stand for themselves, ended by
            the players; ``"single"``: one game, its points the stake, without a match score.
        length: the points that win a match; 0 for money and a single game.
        score: points won so far; points beyond the length count in full.
        results: of all games finished.
        crawford_played: the Crawford game of this match is over or in progress.
        game: the game in progress, the last one when it is over, or None before the first.
        winner: who has won the match or the single game, or None; a money session has none.
        closed: a money session that the players have ended.
    """

    rules: Profile
    kind: Literal["match", "money", "single"]
    length: int
    score: Score = _ZERO
    results: tuple[Result, ...] = ()
    crawford_played: bool = False
    game: Game | None = None
    winner: Color | None = None
    closed: bool = False

    @property
    def over(self) -> bool:
        """Whether no further game belongs to it."""
        return self.winner is not None or self.closed

    @property
    def playing(self) -> bool:
        """Whether a game is in progress."""
        return self.game is not None and self.game.phase is not Phase.OVER

    def away(self, player: Color) -> int | None:
        """Return how many points `player` still needs, at least 0, or None without a match score."""
        return max(0, self.length - self.score.of(player)) if self.kind == "match" else None


def new_match(
    rules: Profile,
    length: int | None = -1,
    *,
    score: Score | tuple[int, int] = (0, 0),
    crawford_played: bool = False,
) -> Match:
    """Return a match that begins, or goes on from a score that was reached elsewhere.

    Args:
        rules: the rules it is played by.
        length: points to win; 0 for a single game, None for a money session, -1 for the default of the rules.
        score: White's and Black's points to start from.
        crawford_played: whether the Crawford game was played on the way to that score.

    Raises:
        IllegalActionError: a length that the rules do not play, or a score that ends the match already.
    """
    if length is None:
        if not rules.money:
            raise IllegalActionError(f"{rules.name} rules know no money play")
        return Match(rules, "money", 0, Score(*score))
    if length == -1:
        length = rules.default_length
    if length == 0:
        if not rules.single_game:
            raise IllegalActionError(f"{rules.name} rules know no single game; a match to 1 is one game")
        return Match(rules, "single", 0)
    if rules.lengths is not None and length not in rules.lengths:
        known = ", ".join(map(str, rules.lengths)) or "none, only a single game"
        raise IllegalActionError(f"no match to {length} under {rules.name} rules; lengths are: {known}")
    if not 1 <= length <= LONGEST:
        raise IllegalActionError(f"a match is played to 1 to {LONGEST} points, got {length}")
    if max(score) >= length or min(score) < 0:
        raise IllegalActionError(f"a match to {length} cannot go on from {score[0]}-{score[1]}")
    return Match(rules, "match", length, Score(*score), crawford_played=crawford_played)


def cube_in_play(match: Match) -> bool:
    """Tell whether the games of this match have a cube: the rules say so, and one-point matches never do."""
    rules = match.rules
    if not rules.cube or match.kind != "match":
        return rules.cube
    if rules.cube_lengths is not None:
        return match.length in rules.cube_lengths
    return match.length > 1


def crawford_next(match: Match) -> bool:
    """Tell whether the next game is the Crawford game.

    It is the first game at whose beginning a player needs exactly one point; there is one in a match at most.
    """
    if match.kind != "match" or not match.rules.crawford or match.crawford_played or not cube_in_play(match):
        return False
    return match.length - max(match.score) == 1


def next_game(match: Match) -> Match:
    """Begin the next game, with the cube and the Crawford rule as the score demands.

    Raises:
        IllegalActionError: the match is over, or a game is in progress.
    """
    if match.over:
        raise IllegalActionError("the match is over")
    if match.playing:
        raise IllegalActionError("a game is in progress")
    crawford = crawford_next(match)
    white, black = match.away(Color.WHITE), match.away(Color.BLACK)
    game = new_game(
        match.rules,
        money=match.kind == "money",
        cube_in_use=cube_in_play(match),
        crawford=crawford,
        away=None if white is None or black is None else (white, black),
    )
    return replace(match, game=game, crawford_played=match.crawford_played or crawford)


def with_game(match: Match, game: Game) -> Match:
    """Return the match with its game in progress replaced by a later state of it, booked when it is over.

    Raises:
        IllegalActionError: no game is in progress.
    """
    if not match.playing:
        raise IllegalActionError("no game is in progress")
    match = replace(match, game=game)
    return match if game.result is None else _booked(match, game.result)


def add_result(match: Match, result: Result) -> Match:
    """Book a game that was played elsewhere, or that a record holds without its plays.

    Raises:
        IllegalActionError: the match is over, or a game is in progress.
    """
    match = next_game(match)
    if match.game is None:
        raise IllegalActionError("no game is in progress")
    return with_game(match, replace(match.game, phase=Phase.OVER, offer=None, result=result))


def _booked(match: Match, result: Result) -> Match:
    score = match.score.plus(result.winner, result.points)
    won = match.kind == "single" or (match.kind == "match" and score.of(result.winner) >= match.length)
    return replace(
        match,
        score=score,
        results=(*match.results, result),
        winner=result.winner if won or (result.match_lost and match.kind != "money") else None,
        closed=match.kind == "money" and result.match_lost,
    )


def close_session(match: Match) -> Match:
    """End a money session between two games.

    Raises:
        IllegalActionError: this is no money session, it has ended, or a game is in progress.
    """
    if match.kind != "money":
        raise IllegalActionError("only a money session is ended by the players")
    if match.over or match.playing:
        raise IllegalActionError("the session is over" if match.over else "a game is in progress")
    return replace(match, closed=True)


def settlement(match: Match, stake: int) -> dict[Color, int]:
    """Return what each player gets, negative for what he pays.

    Args:
        match: a money session or a single game.
        stake: what one point is worth, in the smallest coin.

    Raises:
        IllegalActionError: a match to a length is not settled by points.
    """
    if match.kind == "match":
        raise IllegalActionError("a match is not settled by points")
    balance = (match.score.white - match.score.black) * stake
    return {Color.WHITE: balance, Color.BLACK: -balance}


def rematch(match: Match, length: int | None = -1) -> Match:
    """Return a new match of the same players.

    Args:
        match: the match that is over.
        length: of the new match, as for `new_match`; -1 for the same as before.

    Raises:
        IllegalActionError: the match is not over, or its rules know no rematch or none of another length.
    """
    if not match.over:
        raise IllegalActionError("the match is not over")
    same = None if match.kind == "money" else match.length
    if match.rules.rematch == "none":
        raise IllegalActionError(f"{match.rules.name} rules know no rematch")
    if length not in (-1, same) and match.rules.rematch == "same":
        raise IllegalActionError("a rematch is played to the same length")
    return new_match(match.rules, same if length == -1 else length)
