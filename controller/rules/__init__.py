"""The rules of backgammon as plain values and functions; nothing here knows that a board exists.

The package needs nothing but the standard library and can be used alone. Everything is a frozen value, and every
function returns a new one:

>>> from controller.rules import *
>>> len(legal_plays(START, Roll.of(3, 1)))
16
>>> match = next_game(new_match(profile("international"), 5))
>>> match = act_in(match, RollOpening(white=3, black=1))
>>> match = act_in(match, MakePlay((Move(8, 5), Move(6, 5))))
>>> match = act_in(act_in(match, Double()), Drop())
>>> match.score, match.results[0].ending
(Score(white=0, black=1), 'drop')
>>> win_kind(parse_position("a-----------------------n-"))
'backgammon'
>>> first_steps(parse_position("------------b-------A--ef-"), Roll.of(5, 3))
[(20, 15, 5)]
"""

from controller.rules.actions import (
    AcceptResignation,
    Action,
    Beaver,
    Condone,
    Double,
    Drop,
    EndTurn,
    Flag,
    Leave,
    MakePlay,
    MakeStep,
    Pass,
    Raccoon,
    RefuseResignation,
    Resign,
    RollDice,
    RollOpening,
    Take,
    TakeBack,
    WithdrawDouble,
    WithdrawRoll,
    act,
    act_in,
    allowed,
)
from controller.rules.game import Cube, Game, Offer, Phase, Resignation, Turn, game_at, new_game
from controller.rules.match import (
    Match,
    Score,
    crawford_next,
    new_match,
    next_game,
    rematch,
    settlement,
    with_game,
)
from controller.rules.notation import parse_roll, parse_steps, write_play
from controller.rules.plays import accepted_plays, first_steps, legal_plays, next_steps
from controller.rules.position import (
    ALL_ROLLS,
    BAR,
    OFF,
    START,
    Color,
    Move,
    Play,
    Point,
    Position,
    Roll,
    apply_move,
    apply_play,
    parse_position,
)
from controller.rules.profiles import PROFILES, Profile, profile, with_keys
from controller.rules.scoring import Result, game_points, win_kind

__all__ = [
    "ALL_ROLLS",
    "BAR",
    "OFF",
    "PROFILES",
    "START",
    "AcceptResignation",
    "Action",
    "Beaver",
    "Color",
    "Condone",
    "Cube",
    "Double",
    "Drop",
    "EndTurn",
    "Flag",
    "Game",
    "Leave",
    "MakePlay",
    "MakeStep",
    "Match",
    "Move",
    "Offer",
    "Pass",
    "Phase",
    "Play",
    "Point",
    "Position",
    "Profile",
    "Raccoon",
    "RefuseResignation",
    "Resign",
    "Resignation",
    "Result",
    "Roll",
    "RollDice",
    "RollOpening",
    "Score",
    "Take",
    "TakeBack",
    "Turn",
    "WithdrawDouble",
    "WithdrawRoll",
    "accepted_plays",
    "act",
    "act_in",
    "allowed",
    "apply_move",
    "apply_play",
    "crawford_next",
    "first_steps",
    "game_at",
    "game_points",
    "legal_plays",
    "new_game",
    "new_match",
    "next_game",
    "next_steps",
    "parse_position",
    "parse_roll",
    "parse_steps",
    "profile",
    "rematch",
    "settlement",
    "win_kind",
    "with_game",
    "with_keys",
    "write_play",
]
