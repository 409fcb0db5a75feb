"""What a finished game is worth: single, gammon or backgammon, times the cube."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from controller.rules.position import Color, Position
from controller.rules.profiles import Profile

Kind = Literal["single", "gammon", "backgammon"]
"""How a game was won, by the rules in force: where a backgammon counts no more than a gammon, it is one."""

Ending = Literal["borne_off", "drop", "resignation", "flag", "left"]
"""What ended a game."""

KINDS: tuple[Kind, ...] = ("single", "gammon", "backgammon")
"""The kinds by level: a resignation of level 1 gives a single game, of 3 a backgammon."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended.

    Attributes:
        winner: who won it.
        points: what it adds to his score; 0 when the whole match was lost by flag or by leaving.
        kind: single, gammon or backgammon, as it counted.
        ending: what ended it.
        match_lost: the loser has lost the match with it, whatever the score.
    """

    winner: Color
    points: int
    kind: Kind
    ending: Ending
    match_lost: bool = False


def win_kind(position: Position) -> Kind:
    """Return how the mover has won, or would win now, judged by where the opponent's checkers stand.

    A gammon: the opponent has borne off none. A backgammon: he also has a checker on the bar or in the
    mover's home board.

    Example:
        >>> from controller.rules.position import parse_position
        >>> win_kind(parse_position("a-----------------------n-"))
        'backgammon'
    """
    if position.opponent_off:
        return "single"
    if any(position.points[place] < 0 for place in range(7)):
        return "backgammon"
    return "gammon"


def counted_kind(rules: Profile, kind: Kind, *, money: bool = False, cube_turned: bool = False) -> Kind:
    """Return what `kind` counts as under `rules`, with the Jacoby rule applied in money play."""
    if money and rules.jacoby and not cube_turned:
        return "single"
    if kind == "backgammon" and rules.backgammon == rules.gammon:
        kind = "gammon"
    return "single" if kind == "gammon" and rules.gammon == 1 else kind


def game_points(
    rules: Profile, kind: Kind, cube: int = 1, *, money: bool = False, cube_turned: bool = False
) -> int:
    """Return the points of a game won by bearing off or by resignation.

    Args:
        rules: says what gammons and backgammons count.
        kind: how it was won on the board.
        cube: the value of the cube, 1 without one.
        money: whether this is money play, where the Jacoby rule may hold.
        cube_turned: whether a player has doubled in this game.

    Example:
        >>> from controller.rules.profiles import profile
        >>> game_points(profile("touch-move"), "backgammon", 4)
        8
    """
    counts = {"single": 1, "gammon": rules.gammon, "backgammon": rules.backgammon}
    return cube * counts[counted_kind(rules, kind, money=money, cube_turned=cube_turned)]
