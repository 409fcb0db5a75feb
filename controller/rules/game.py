"""One game as a frozen value: opening, turns, touch-move steps, undo; every function returns a new game.

A game is seen from the player on turn: `Game.position` is his view (White's before anybody is on turn), and
`Game.seen_by(color)` turns it. Nothing here throws dice: rolls come in as values.

The course of a game::

    new_game -> OPENING --roll_opening--> TO_PLAY (or TO_ROLL where the starter rolls anew)
    TO_ROLL --roll--> TO_PLAY --play | play_to | step... end_turn | pass_turn | condone--> TO_ROLL (opponent)
    TO_ROLL --double (module cube)--> OFFERED --take | drop | beaver--> ...
    any but OVER --resign, flag, leave (module ending)--> ...

Whatever is not allowed raises `IllegalActionError` with one sentence that says why. The same as values, for
journals and records, is in `controller.rules.actions`; the score around games is in `controller.rules.match`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Literal

from controller.errors import IllegalActionError, InvalidPositionError
from controller.rules.plays import MustUse, accepted_plays, legal_plays, steps_towards
from controller.rules.position import START, Color, Move, Play, Position, Roll, apply_move, apply_play
from controller.rules.profiles import Profile
from controller.rules.scoring import Result, counted_kind, game_points, win_kind


class Phase(Enum):
    """What a game waits for."""

    OPENING = "opening"
    TO_ROLL = "to_roll"
    OFFERED = "offered"
    TO_PLAY = "to_play"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Cube:
    """The doubling cube.

    Attributes:
        value: 1, 2, 4, ...; the value that was agreed, not one on offer.
        owner: who may turn it next, or None for centered.
        turned: whether a player has doubled in this game (automatic doubles do not count).
    """

    value: int = 1
    owner: Color | None = None
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """A double on offer; the other player answers.

    Attributes:
        by: who offers.
        kind: a double, the beaver that answers it, or the raccoon that answers a beaver.
        value: what the cube would show.
    """

    by: Color
    kind: Literal["double", "beaver", "raccoon"]
    value: int


@dataclass(frozen=True, slots=True)
class Resignation:
    """A resignation on offer: `player` gives up a game of `level` 1, 2 or 3 times the cube."""

    player: Color
    level: int


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn that was committed last.

    Attributes:
        player: whose turn it was.
        roll: its roll.
        before: where the checkers stood, seen from him.
        after: where they stand now, seen from him.
        play: the moves that were made; empty also for a condoned play.
        how: ``"played"``; ``"danced"`` (there was no legal play); ``"passed"`` (there was one, and the rules let
            him pass); ``"condoned"`` (an illegal play that stands).
    """

    player: Color
    roll: Roll
    before: Position
    after: Position
    play: Play
    how: Literal["played", "danced", "passed", "condoned"]


@dataclass(frozen=True, slots=True)
class Game:
    """A game in progress or finished.

    Attributes:
        rules: the rules it is played by.
        phase: what it waits for.
        turn: the player on turn; None in the opening.
        before: the position at the beginning of this turn, seen from him (White in the opening).
        turns: number of turns begun, 1 for the first.
        roll: his roll, or None before it.
        moves: the moves he has made of it so far, not yet committed.
        cube: the doubling cube.
        cube_in_use: a cube lies on the table in this game.
        crawford: this is the Crawford game: no doubling.
        money: money play: Jacoby, beavers and automatic doubles hold where the rules say so.
        away: the points that White and Black still need, or None without a match score.
        automatic: how many automatic doubles there have been.
        offer: the double on offer, or None.
        resignation: the resignation on offer, or None.
        last_turn: the turn that was committed last, or None.
        result: how the game ended, or None.
    """

    rules: Profile
    phase: Phase = Phase.OPENING
    turn: Color | None = None
    before: Position = START
    turns: int = 0
    roll: Roll | None = None
    moves: Play = ()
    cube: Cube = Cube()
    cube_in_use: bool = True
    crawford: bool = False
    money: bool = False
    away: tuple[int, int] | None = None
    automatic: int = 0
    offer: Offer | None = None
    resignation: Resignation | None = None
    last_turn: Turn | None = None
    result: Result | None = None

    @property
    def position(self) -> Position:
        """What stands on the board now, seen from the player on turn, moves not yet committed included."""
        return apply_play(self.before, self.moves)

    def seen_by(self, player: Color) -> Position:
        """Return what stands on the board now, seen from `player`."""
        return self.position if player is (self.turn or Color.WHITE) else self.position.turned()

    @property
    def to_act(self) -> Color | None:
        """Who has to act now; None in the opening, when both roll, and when the game is over."""
        if self.phase is Phase.OVER:
            return None
        if self.resignation is not None:
            return self.resignation.player.opponent
        if self.offer is not None:
            return self.offer.by.opponent
        return self.turn


def new_game(
    rules: Profile,
    *,
    money: bool = False,
    cube_in_use: bool | None = None,
    crawford: bool = False,
    away: tuple[int, int] | None = None,
) -> Game:
    """Return a game before its first roll; `match.next_game` calls it with what the score demands.

    Args:
        rules: the rules it is played by.
        money: money play.
        cube_in_use: whether there is a cube; None for what the rules say.
        crawford: whether this is the Crawford game.
        away: the points that White and Black still need, or None.
    """
    game = Game(
        rules,
        cube_in_use=rules.cube if cube_in_use is None else cube_in_use,
        crawford=crawford,
        money=money,
        away=away,
    )
    if rules.opening == "white_first":
        return replace(game, phase=Phase.TO_ROLL, turn=Color.WHITE, turns=1)
    return game


def game_at(
    rules: Profile, position: Position, turn: Color, *, cube: Cube | None = None, money: bool = False
) -> Game:
    """Return a game that goes on from a set-up position, seen from `turn`, who is to roll or double."""
    return Game(
        rules,
        phase=Phase.TO_ROLL,
        turn=turn,
        before=position,
        turns=2,
        cube=cube or Cube(),
        cube_in_use=rules.cube,
        money=money,
    )


def require(game: Game, *phases: Phase) -> None:
    """Refuse an action in the wrong phase.

    Raises:
        IllegalActionError: the game is over, a resignation waits for its answer, or it waits for something else.
    """
    if game.phase is Phase.OVER:
        raise IllegalActionError("the game is over")
    if game.resignation is not None:
        raise IllegalActionError("a resignation waits for its answer")
    if game.phase not in phases:
        waits = {
            Phase.OPENING: "the opening roll has not been made",
            Phase.TO_ROLL: "the dice have not been rolled",
            Phase.OFFERED: "a double waits for its answer",
            Phase.TO_PLAY: "the dice have been rolled",
        }
        raise IllegalActionError(waits[game.phase])


def on_turn(game: Game) -> Color:
    """Return the player on turn.

    Raises:
        IllegalActionError: nobody is, before the opening roll.
    """
    if game.turn is None:
        raise IllegalActionError("the opening roll has not been made")
    return game.turn


def roll_opening(game: Game, white: int, black: int) -> Game:
    """Roll one die each: the higher begins, with both numbers or with a new roll as the rules say.

    Equal dice are rolled again; in money play they double the cube first while automatic doubles are left.

    Raises:
        IllegalActionError: the opening is over.
        InvalidNotationError: a die does not show 1 to 6.
    """
    require(game, Phase.OPENING)
    roll_made = Roll.of(white, black)
    if white == black:
        value = game.cube.value * 2
        automatic = game.money and game.cube_in_use and game.automatic < game.rules.automatic_doubles
        if not automatic or value > game.rules.cube_cap:
            return game
        return replace(game, cube=replace(game.cube, value=value), automatic=game.automatic + 1)
    starter = Color.WHITE if white > black else Color.BLACK
    before = game.before if starter is Color.WHITE else game.before.turned()
    if game.rules.roll_again:
        return replace(game, phase=Phase.TO_ROLL, turn=starter, before=before, turns=1)
    return replace(game, phase=Phase.TO_PLAY, turn=starter, before=before, turns=1, roll=roll_made)


def roll(game: Game, rolled: Roll) -> Game:
    """Roll the dice of the player on turn.

    Raises:
        IllegalActionError: he has rolled already, or something else must happen first.
    """
    require(game, Phase.TO_ROLL)
    return replace(game, phase=Phase.TO_PLAY, roll=rolled, moves=())


def withdraw_roll(game: Game) -> Game:
    """Take back a roll that does not count (cocked dice, thrown too early); moves made of it are undone.

    Raises:
        IllegalActionError: there is no roll on the table.
    """
    require(game, Phase.TO_PLAY)
    opening = game.turns == 1 and game.rules.opening == "both_dice" and not game.rules.roll_again
    if not opening:
        return replace(game, phase=Phase.TO_ROLL, roll=None, moves=())
    before = game.before if game.turn is Color.WHITE else game.before.turned()
    return replace(game, phase=Phase.OPENING, turn=None, before=before, turns=0, roll=None, moves=())


@lru_cache(maxsize=64)
def _legal(before: Position, rolled: Roll, must_use: MustUse) -> Mapping[Position, Play]:
    """Return the legal plays of a turn, worked out once; several functions ask while the turn lasts."""
    return legal_plays(before, rolled, must_use)


@lru_cache(maxsize=64)
def _accepted(before: Position, rolled: Roll, must_use: MustUse) -> Mapping[Position, Play]:
    """Return what a board may show at the end of a turn, worked out once."""
    return accepted_plays(before, rolled, must_use)


def _roll_of(game: Game) -> Roll:
    require(game, Phase.TO_PLAY)
    if game.roll is None:
        raise IllegalActionError("the dice have not been rolled")
    return game.roll


def plays(game: Game) -> dict[Position, Play]:
    """Return the legal plays of the roll on the table, as `legal_plays` does, from the beginning of the turn.

    Raises:
        IllegalActionError: there is no roll on the table.
    """
    return dict(_legal(game.before, _roll_of(game), game.rules.must_use))


def steps(game: Game) -> list[tuple[int, int, int]]:
    """Return the single steps (from, to, die) that continue the moves made so far to some legal play.

    Raises:
        IllegalActionError: there is no roll on the table.
    """
    rolled, must_use = _roll_of(game), game.rules.must_use
    legal = _legal(game.before, rolled, must_use)
    return steps_towards(legal, game.before, rolled, game.moves, must_use)


def play_to(game: Game, after: Position) -> Game:
    """Make the legal play that leads to `after`, seen from the player on turn, and end his turn.

    A last checker borne off with one number wins also where both numbers could be used.

    Raises:
        IllegalActionError: no legal play leads there.
    """
    found = _accepted(game.before, _roll_of(game), game.rules.must_use).get(after)
    if found is None:
        raise IllegalActionError(f"no legal play of {game.roll} leads to {after}")
    return _commit(game, after, found, "played")


def play(game: Game, made: Iterable[Move]) -> Game:
    """Make a whole play, or the rest of one of which some steps were made, and end the turn.

    Hits are worked out here, whatever the moves say.

    Raises:
        IllegalActionError: it is no legal play of the roll.
    """
    rolled = _roll_of(game)
    moves = list(game.moves)
    at = game.position
    for move in made:
        hit = move.target > 0 and at.points[move.target] == -1
        moves.append(Move(move.source, move.target, hit))
        try:
            at = apply_move(at, move)
        except InvalidPositionError as error:
            raise IllegalActionError(f"no play of {rolled}: {error}") from None
    if not moves:
        return pass_turn(game)
    if at not in _accepted(game.before, rolled, game.rules.must_use):
        raise IllegalActionError(f"these moves are no legal play of {rolled}")
    return _commit(game, at, tuple(moves), "played")


def step(game: Game, source: int, target: int) -> Game:
    """Move one checker by one die, as touch-move and displays do.

    Where the rules make each checker final, or the last die ends the turn, the turn ends with the last step.

    Raises:
        IllegalActionError: the step begins no legal play.
    """
    continues = any(found[:2] == (source, target) for found in steps(game))
    if not continues and not _wins_at_once(game, source, target):
        raise IllegalActionError(f"no legal play of {game.roll} goes on with {source}/{target or 'off'}")
    hit = target > 0 and game.position.points[target] == -1
    game = replace(game, moves=(*game.moves, Move(source, target, hit)))
    if game.position.on_board == 0 or (game.rules.commit != "explicit" and not steps(game)):
        return end_turn(game)
    return game


def _wins_at_once(game: Game, source: int, target: int) -> bool:
    """Tell whether the step bears off the last checker, leaving a number that could be played another way."""
    if target != 0 or game.moves or game.before.points[source] != 1:
        return False
    after = apply_move(game.before, Move(source, target))
    return after.on_board == 0 and after in _accepted(game.before, _roll_of(game), game.rules.must_use)


def take_back(game: Game, *, all_moves: bool = False) -> Game:
    """Take back the last step, or all steps, of the turn that is not committed yet.

    Raises:
        IllegalActionError: nothing was moved, or the rules do not let a player undo.
    """
    require(game, Phase.TO_PLAY)
    if not game.moves:
        raise IllegalActionError("nothing has been moved")
    if game.rules.undo == "none":
        raise IllegalActionError(f"a moved checker is final under {game.rules.name} rules")
    if game.rules.undo == "while_dice_left" and not steps(game):
        raise IllegalActionError("moves can be taken back only while a die is left to play")
    return replace(game, moves=() if all_moves else game.moves[:-1])


def end_turn(game: Game) -> Game:
    """Commit the steps made as the play of this turn.

    Raises:
        IllegalActionError: they are no whole legal play.
    """
    if not game.moves:
        return pass_turn(game)
    if game.position not in _accepted(game.before, _roll_of(game), game.rules.must_use):
        raise IllegalActionError(f"these moves are no whole play of {game.roll}")
    return _commit(game, game.position, game.moves, "played")


def must_pass(game: Game) -> bool:
    """Tell whether the roll on the table has no legal play."""
    return game.phase is Phase.TO_PLAY and not _legal(game.before, _roll_of(game), game.rules.must_use)


def pass_turn(game: Game) -> Game:
    """End a turn without a play, or, where the rules let a player pass at any time, without the rest of one.

    Raises:
        IllegalActionError: there is a legal play and the rules demand it.
    """
    rolled = _roll_of(game)
    if must_pass(game):
        return _commit(game, game.before, (), "danced")
    if game.moves and game.position in _accepted(game.before, rolled, game.rules.must_use):
        return end_turn(game)
    if game.rules.may_pass == "forced":
        raise IllegalActionError(f"there is a legal play of {rolled}, and it must be made")
    return _commit(game, game.position, game.moves, "passed")


def condone(game: Game, after: Position) -> Game:
    """Let an illegal play stand: the game goes on from what stands on the board, seen from the player on turn.

    Raises:
        IllegalActionError: there is no roll on the table, or the opponent would have no checker left.
    """
    _roll_of(game)
    if after.opponent_on_board == 0:
        raise IllegalActionError("the opponent cannot bear off in this turn")
    return _commit(game, after, (), "condoned")


def _commit(
    game: Game, after: Position, made: Play, how: Literal["played", "danced", "passed", "condoned"]
) -> Game:
    """End the turn with `after` on the board: the game is won, or the opponent is on turn."""
    player = on_turn(game)
    last = Turn(player, _roll_of(game), game.before, after, made, how)
    if after.on_board == 0:
        kind = win_kind(after)
        money, turned = game.money, game.cube.turned
        result = Result(
            winner=player,
            points=game_points(game.rules, kind, game.cube.value, money=money, cube_turned=turned),
            kind=counted_kind(game.rules, kind, money=money, cube_turned=turned),
            ending="borne_off",
        )
        return replace(game, phase=Phase.OVER, before=after, moves=(), last_turn=last, result=result)
    return replace(
        game,
        phase=Phase.TO_ROLL,
        turn=player.opponent,
        before=after.turned(),
        turns=game.turns + 1,
        roll=None,
        moves=(),
        last_turn=last,
    )
