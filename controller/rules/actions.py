"""Everything that can happen in a game as frozen values, for journals, records and generators.

`act(game, action)` calls the function that the action stands for; `allowed(game)` lists the kinds of action that
are allowed now. A list of actions replayed from `new_game` gives the same game again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from controller.errors import IllegalActionError
from controller.rules import cube, ending
from controller.rules import game as games
from controller.rules.ending import FlagOutcome
from controller.rules.game import Game, Phase
from controller.rules.match import Match, with_game
from controller.rules.position import Color, Play, Position, Roll


@dataclass(frozen=True, slots=True)
class RollOpening:
    """Both players roll one die."""

    white: int
    black: int


@dataclass(frozen=True, slots=True)
class RollDice:
    """The player on turn rolls."""

    roll: Roll


@dataclass(frozen=True, slots=True)
class WithdrawRoll:
    """The roll does not count."""


@dataclass(frozen=True, slots=True)
class MakePlay:
    """The player on turn makes a whole play, or the rest of one."""

    play: Play


@dataclass(frozen=True, slots=True)
class MakeStep:
    """The player on turn moves one checker by one die."""

    source: int
    target: int


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The player on turn takes back his last step, or all of them."""

    all_moves: bool = False


@dataclass(frozen=True, slots=True)
class EndTurn:
    """The player on turn commits his steps."""


@dataclass(frozen=True, slots=True)
class Pass:
    """The player on turn ends it without a play."""


@dataclass(frozen=True, slots=True)
class Condone:
    """An illegal play stands; the position is seen from the player on turn."""

    after: Position


@dataclass(frozen=True, slots=True)
class Double:
    """The player on turn doubles."""


@dataclass(frozen=True, slots=True)
class WithdrawDouble:
    """The double does not count."""


@dataclass(frozen=True, slots=True)
class Take:
    """The double is taken."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The double is dropped."""


@dataclass(frozen=True, slots=True)
class Beaver:
    """The double is taken and the cube turned once more."""


@dataclass(frozen=True, slots=True)
class Raccoon:
    """The beaver is taken and the cube turned once more."""


@dataclass(frozen=True, slots=True)
class Resign:
    """A player offers to give up a game of level 1, 2 or 3."""

    player: Color
    level: int


@dataclass(frozen=True, slots=True)
class AcceptResignation:
    """The resignation is accepted."""


@dataclass(frozen=True, slots=True)
class RefuseResignation:
    """The resignation is refused."""


@dataclass(frozen=True, slots=True)
class Flag:
    """The time of a player has run out."""

    player: Color
    outcome: FlagOutcome | None = None


@dataclass(frozen=True, slots=True)
class Leave:
    """A player has left the table."""

    player: Color
    level: int = 1


DiceAction = RollOpening | RollDice | WithdrawRoll
PlayAction = MakePlay | MakeStep | TakeBack | EndTurn | Pass | Condone
CubeAction = Double | WithdrawDouble | Take | Drop | Beaver | Raccoon
EndingAction = Resign | AcceptResignation | RefuseResignation | Flag | Leave
Action = DiceAction | PlayAction | CubeAction | EndingAction


def act(game: Game, action: Action) -> Game:
    """Return the game after an action.

    Raises:
        IllegalActionError: the action is not allowed now; the message says why.

    Example:
        >>> from controller.rules.profiles import profile
        >>> game = act(games.new_game(profile()), RollOpening(white=3, black=1))
        >>> game.turn, game.roll
        (<Color.WHITE: 'white'>, Roll(high=3, low=1))
    """
    if isinstance(action, DiceAction):
        return _dice(game, action)
    if isinstance(action, PlayAction):
        return _play(game, action)
    if isinstance(action, CubeAction):
        return _CUBE[type(action)](game)
    return _ending(game, action)


_CUBE = {
    Double: cube.double,
    WithdrawDouble: cube.withdraw_double,
    Take: cube.take,
    Drop: cube.drop,
    Beaver: cube.beaver,
    Raccoon: cube.raccoon,
}


def _dice(game: Game, action: DiceAction) -> Game:
    match action:
        case RollOpening(white, black):
            return games.roll_opening(game, white, black)
        case RollDice(roll):
            return games.roll(game, roll)
        case WithdrawRoll():
            return games.withdraw_roll(game)
        case _:
            assert_never(action)


def _play(game: Game, action: PlayAction) -> Game:
    match action:
        case MakePlay(play):
            after = games.play(game, play)
        case MakeStep(source, target):
            after = games.step(game, source, target)
        case TakeBack(all_moves):
            after = games.take_back(game, all_moves=all_moves)
        case EndTurn():
            after = games.end_turn(game)
        case Pass():
            after = games.pass_turn(game)
        case Condone(position):
            after = games.condone(game, position)
        case _:
            assert_never(action)
    return after


def _ending(game: Game, action: EndingAction) -> Game:
    match action:
        case Resign(player, level):
            after = ending.resign(game, player, level)
        case AcceptResignation():
            after = ending.accept_resignation(game)
        case RefuseResignation():
            after = ending.refuse_resignation(game)
        case Flag(player, outcome):
            after = ending.flag(game, player, outcome)
        case Leave(player, level):
            after = ending.leave(game, player, level)
        case _:
            assert_never(action)
    return after


def act_in(match: Match, action: Action) -> Match:
    """Return the match after an action in its game in progress, booked when that game is over.

    Raises:
        IllegalActionError: no game is in progress, or the action is not allowed now.
    """
    if match.game is None:
        raise IllegalActionError("no game is in progress")
    return with_game(match, act(match.game, action))


def allowed(game: Game) -> tuple[type[Action], ...]:
    """Return the kinds of action by the players that are allowed now; directors may do more.

    Resigning is always among them while the game runs and no resignation waits.
    """
    if game.phase is Phase.OVER:
        return ()
    if game.resignation is not None:
        return (AcceptResignation, RefuseResignation)
    kinds: list[type[Action]] = [Resign]
    if game.phase is Phase.OPENING:
        kinds.append(RollOpening)
    elif game.phase is Phase.TO_ROLL:
        kinds += [RollDice, Double] if cube.may_double(game) else [RollDice]
    elif game.phase is Phase.OFFERED:
        kinds += [Take, Drop]
        kinds += [Beaver] if cube.may_beaver(game) else []
        kinds += [Raccoon] if cube.may_raccoon(game) else []
    elif games.must_pass(game):
        kinds.append(Pass)
    else:
        kinds += _moving(game)
    return tuple(kinds)


def _moving(game: Game) -> list[type[Action]]:
    """Return the kinds of action of a player who has a legal play."""
    left = games.steps(game)
    kinds: list[type[Action]] = [MakePlay]
    if left:
        kinds.append(MakeStep)
    if game.moves and game.position in games.plays(game):
        kinds.append(EndTurn)
    if game.rules.may_pass == "any_time":
        kinds.append(Pass)
    if game.moves and game.rules.undo != "none" and (left or game.rules.undo == "until_end_turn"):
        kinds.append(TakeBack)
    return kinds
