"""Games that end away from the board: resignation, time run out, a player who leaves."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from controller.errors import IllegalActionError
from controller.rules.game import Game, Phase, Resignation
from controller.rules.position import Color
from controller.rules.scoring import KINDS, Ending, Result, counted_kind, game_points

FlagOutcome = Literal["game", "match", "goes_on"]
"""What a director may decide when time has run out: the game or the match is lost, or play goes on."""


def resign(game: Game, player: Color, level: int) -> Game:
    """Offer to give up the game at `level` times the cube: 1 single, 2 gammon, 3 backgammon.

    Either player may, at any time of the game; while a double is on offer the cube counts as before it.

    Raises:
        IllegalActionError: the game is over, a resignation waits already, no such level, or a level that
            counts no more than a lower one under these rules.
    """
    _require_running(game)
    if game.resignation is not None:
        raise IllegalActionError("a resignation waits for its answer")
    _check_level(game, level)
    return replace(game, resignation=Resignation(player, level))


def refuse_resignation(game: Game) -> Game:
    """Refuse the resignation on offer; the game goes on where it was.

    Raises:
        IllegalActionError: no resignation is on offer.
    """
    _resignation_of(game)
    return replace(game, resignation=None)


def withdraw_resignation(game: Game) -> Game:
    """Take back a resignation that was not answered yet.

    Raises:
        IllegalActionError: no resignation is on offer.
    """
    return refuse_resignation(game)


def accept_resignation(game: Game) -> Game:
    """Accept the resignation on offer; the game is over.

    Raises:
        IllegalActionError: no resignation is on offer.
    """
    offered = _resignation_of(game)
    return _over(game, _lost(game, offered.player, offered.level, "resignation"))


def flag(game: Game, player: Color, outcome: FlagOutcome | None = None) -> Game:
    """Let the time of `player` have run out, with the outcome that the rules give it.

    Where the game is lost, it is lost at the value the cube shows, not the one on offer; it counts as a gammon
    when the opponent has borne off at least one checker and `player` none.

    Args:
        game: the game in progress.
        player: whose time has run out.
        outcome: the director's decision, needed where the rules leave it to the event, else None.

    Raises:
        IllegalActionError: the game is over, the rules know no clock, or the decision is missing or not open.
    """
    _require_running(game)
    fixed = game.rules.flag
    if fixed == "none":
        raise IllegalActionError(f"{game.rules.name} rules know no clock")
    if fixed == "event":
        if outcome is None:
            raise IllegalActionError("the director decides what running out of time costs: game, match or goes_on")
    elif outcome is not None and outcome != fixed:
        raise IllegalActionError(f"running out of time costs the {fixed} under {game.rules.name} rules")
    outcome = fixed if fixed != "event" else outcome
    if outcome == "goes_on":
        return game
    if outcome == "match":
        return _over(game, Result(player.opponent, 0, "single", "flag", match_lost=True))
    seen = game.seen_by(player)
    level = 2 if seen.opponent_off and not seen.off else 1
    return _over(game, _lost(game, player, level, "flag"))


def leave(game: Game, player: Color, level: int = 1) -> Game:
    """Let `player` have left the table: he loses the match, or the game as if he had resigned it.

    Args:
        game: the game in progress.
        player: who left.
        level: what he gives up where leaving is a resignation; the opponent or the director says.

    Raises:
        IllegalActionError: the game is over, or no such level.
    """
    _require_running(game)
    if game.rules.leaving == "match":
        return _over(game, Result(player.opponent, 0, "single", "left", match_lost=True))
    _check_level(game, level)
    return _over(game, _lost(game, player, level, "left"))


def _require_running(game: Game) -> None:
    if game.phase is Phase.OVER:
        raise IllegalActionError("the game is over")


def _resignation_of(game: Game) -> Resignation:
    _require_running(game)
    if game.resignation is None:
        raise IllegalActionError("no resignation is on offer")
    return game.resignation


def _check_level(game: Game, level: int) -> None:
    """Refuse a level that does not exist or that counts no more than the one below."""
    if level not in (1, 2, 3):
        raise IllegalActionError(f"a resignation is of level 1, 2 or 3, got {level}")
    counts = (1, game.rules.gammon, game.rules.backgammon)
    if level > 1 and counts[level - 1] == counts[level - 2]:
        raise IllegalActionError(f"a {KINDS[level - 1]} does not count more under {game.rules.name} rules")


def _lost(game: Game, player: Color, level: int, ending: Ending) -> Result:
    money, turned, kind = game.money, game.cube.turned, KINDS[level - 1]
    return Result(
        winner=player.opponent,
        points=game_points(game.rules, kind, game.cube.value, money=money, cube_turned=turned),
        kind=counted_kind(game.rules, kind, money=money, cube_turned=turned),
        ending=ending,
    )


def _over(game: Game, result: Result) -> Game:
    return replace(game, phase=Phase.OVER, offer=None, resignation=None, result=result)
