"""A record played again by the rules: what stood on the board, what was not legal, and what each game was worth.

Nothing stops a replay. An illegal play that can be made stands as a condoned one; where the position is lost
(a play that is not recorded or cannot be made), the rest of that game is kept unchecked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, assert_never

from controller.board import START_BOARD, Board
from controller.errors import RulesError
from controller.records.checkers import forced_play, judge
from controller.records.record import (
    Action,
    CubeAction,
    GameRecord,
    How,
    MatchRecord,
    Problem,
    Resign,
    SetUp,
    Turn,
)
from controller.rules.plays import accepted_plays, next_steps
from controller.rules.position import Color, Play, Position, Roll
from controller.rules.profiles import PROFILES, Profile, profile
from controller.rules.scoring import game_points, win_kind


@dataclass(frozen=True, slots=True)
class Moment:
    """One action and what stood around it.

    Attributes:
        action: the action as it counts: single steps, hits marked, condoned where it was illegal.
        before: the checkers before it, or None where the position is lost.
        after: the checkers after it, or None where the position is lost.
        cube_value: what the cube showed before it.
        cube_owner: who owned it then.
    """

    action: Action
    before: Board | None
    after: Board | None
    cube_value: int
    cube_owner: Color | None


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """One game, replayed.

    Attributes:
        game: the game with what counts: plays in single steps, winner and points as the rules give them.
        moments: its actions, one after the other.
        problem: its first illegal action, or None.
        over: whether the actions themselves end it: the last checker off, or a drop.
    """

    game: GameRecord
    moments: tuple[Moment, ...]
    problem: Problem | None
    over: bool


@dataclass(frozen=True, slots=True)
class ReplayedMatch:
    """A match, replayed: `record` is the match with what counts, `games` the same game by game."""

    record: MatchRecord
    games: tuple[ReplayedGame, ...]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The first illegal action of each game that has one."""
        return tuple(game.problem for game in self.games if game.problem is not None)


def rules_of(record: MatchRecord) -> Profile:
    """Return the rules that a record names, those of tournament players where it names none that we know."""
    name, *words = record.rules.split() or ["international"]
    keys: dict[str, Any] = dict(word.split("=", 1) for word in words if "=" in word)
    keys["jacoby"] = record.length == 0 and bool(record.jacoby)
    try:
        return profile(name, **keys)
    except RulesError:
        return profile(name if name in PROFILES else "international", jacoby=keys["jacoby"])


def rules_text(base: str, keys: Mapping[str, Any]) -> str:
    """Return the name of a profile and the keys that differ from it, as `MatchRecord.rules` holds them."""
    usual = profile(base if base in PROFILES else "international")
    words = [base]
    for key, value in keys.items():
        if key not in ("jacoby", "crawford") and getattr(usual, key, value) != value:
            words.append(f"{key}={_word(value)}")
    return " ".join(words)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return ",".join(str(each) for each in value)
    return "any" if value is None else str(value)


def replay_match(record: MatchRecord, *, fill_forced: bool = False) -> ReplayedMatch:
    """Replay all games of a record.

    Args:
        record: the match.
        fill_forced: a turn without moves is a play where only one is legal, as the ``.mat`` layout means it.
    """
    rules = rules_of(record)
    games: list[ReplayedGame] = []
    crawford_played = False
    score: tuple[int, int] | None = None
    for number, game in enumerate(record.games, start=1):
        crawford = record.crawford and not crawford_played and _match_point(game.score, record.length)
        crawford_played = crawford_played or crawford
        replayer = _Replayer(rules, record, replace(game, crawford=crawford), number, fill_forced)
        replayed = replayer.run()
        if score is not None and score != game.score and replayed.problem is None:
            reason = f"the score before the game is {_score(game.score)}, it should be {_score(score)}"
            replayed = replace(replayed, problem=Problem(reason=reason, line=game.line, game=number))
        games.append(replayed)
        score = replayed.game.score_after
    return ReplayedMatch(replace(record, games=tuple(each.game for each in games)), tuple(games))


def _score(score: tuple[int, int]) -> str:
    return f"{score[0]}-{score[1]}"


def _match_point(score: tuple[int, int], length: int) -> bool:
    """Whether just one player stands one point before the end of a match of more than one point."""
    return length > 1 and sum(points == length - 1 for points in score) == 1


class _Replayer:
    """Replays one game; used once."""

    def __init__(
        self, rules: Profile, record: MatchRecord, game: GameRecord, number: int, fill_forced: bool
    ) -> None:
        self.rules = rules
        self.record = record
        self.game = game
        self.number = number
        self.fill_forced = fill_forced
        self.board: Board | None = START_BOARD
        self.position: Position | None = START_BOARD.seen_by(Color.WHITE)
        self.view = Color.WHITE
        self.on_roll: Color | None = Color.WHITE if rules.opening == "white_first" else None
        self.value = 1
        self.owner: Color | None = None
        self.doubled = False
        self.offer: CubeAction | None = None
        self.winner: Color | None = None
        self.points = 0
        self.how: How | None = None
        self.turns = 0
        self.problem: Problem | None = None

    def run(self) -> ReplayedGame:
        """Replay all actions and work out the result."""
        moments = []
        played = [at for at, each in enumerate(self.game.actions) if not isinstance(each, Resign)]
        last = played[-1] if played else -1
        for at, written in enumerate(self.game.actions):
            before, value, owner = self.board, self.value, self.owner
            if self.how is not None:
                self._fault(written, "the game is over")
            action = self._act(written, at == last)
            moments.append(Moment(action, before, self.board, value, owner))
        over = self.how in ("borne_off", "drop")
        winner, points, how = self._result()
        actions = tuple(moment.action for moment in moments)
        game = replace(self.game, actions=actions, winner=winner, points=points, how=how)
        return ReplayedGame(game, tuple(moments), self.problem, over)

    def _act(self, action: Action, last: bool) -> Action:
        """Replay one action; return it as it counts."""
        match action:
            case Turn():
                return self._turn(action, last)
            case CubeAction():
                self._cube(action)
                return replace(action, value=self.offer.value) if self.offer is not None else action
            case Resign():
                self._resign(action)
            case SetUp():
                self._set_up(action)
            case _:
                assert_never(action)
        return action

    def _fault(self, action: Action, reason: str) -> None:
        """Keep the first illegal action of the game."""
        if self.problem is None:
            self.problem = Problem(
                reason=reason,
                line=action.line,
                game=self.number,
                turn=max(self.turns, 1),
                player=None if isinstance(action, SetUp) else action.player,
                action=str(action),
            )

    def _seen_by(self, player: Color) -> Position | None:
        if self.position is not None and self.view is not player:
            self.position = self.position.turned()
        self.view = player
        return self.position

    def _stand(self, position: Position | None, player: Color) -> None:
        """Let `position` stand, as `player` counts; None when it is lost."""
        self.position, self.view = position, player
        self.board = None if position is None else Board.of(position, player)

    def _turn(self, turn: Turn, last: bool) -> Turn:
        """Replay one roll and play; return it in single steps."""
        self.turns += 1
        self._check_turn(turn)
        self.on_roll = turn.player.opponent
        before = self._seen_by(turn.player)
        if turn.after is not None:
            return self._stood(turn, before, turn.after.seen_by(turn.player))
        if before is None:
            return turn
        play = turn.play
        if play is None or (not play and last and not turn.condoned):
            play = self._unrecorded(turn, before, last)
        if play is None:
            if not last:
                self._fault(turn, "the play is not recorded")
                self._stand(None, turn.player)
            return replace(turn, play=None)
        if not play and self.fill_forced and not turn.condoned:
            play = forced_play(before, turn.roll, self.rules.must_use) or ()
        return self._play(turn, before, play)

    def _stood(self, turn: Turn, before: Position | None, after: Position) -> Turn:
        """Replay a play of which the position after it is recorded; moves that do not lead there are left out."""
        play = None
        if before is not None:
            accepted = accepted_plays(before, turn.roll, self.rules.must_use)
            may_pass = not accepted or self.rules.may_pass == "any_time"
            play = () if after == before and may_pass else accepted.get(after)
        if play is None:
            self._fault(turn, "an illegal play that stands")
        self._stand(after, turn.player)
        self._borne_off(turn.player)
        if play is not None:
            return replace(turn, play=play, condoned=False, after=None)
        if before is None or not turn.play:
            return replace(turn, play=None, condoned=True)
        judged = judge(before, turn.roll, turn.play, self.rules.must_use)
        if judged.after != after:
            return replace(turn, play=None, condoned=True)
        return replace(turn, play=judged.play, condoned=True, after=None)

    def _unrecorded(self, turn: Turn, before: Position, last: bool) -> Play | None:
        """Return what a turn without moves is: a dance, the only play, or None when it cannot be told."""
        if turn.play is not None and self.rules.may_pass == "any_time":
            return ()
        forced = forced_play(before, turn.roll, self.rules.must_use)
        if forced == () or (forced is not None and self.fill_forced):
            return forced
        if last and self.game.winner is not None:
            return None
        return turn.play

    def _play(self, turn: Turn, before: Position, play: Play) -> Turn:
        judged = judge(before, turn.roll, play, self.rules.must_use)
        passed = self.rules.may_pass == "any_time" and self._begun(before, turn.roll, judged.play)
        illegal = bool(judged.reason) and not passed
        if illegal:
            self._fault(turn, judged.reason)
        elif turn.condoned:
            self._fault(turn, "an illegal play that stands")
        self._stand(judged.after, turn.player)
        self._borne_off(turn.player)
        return replace(turn, play=judged.play, condoned=illegal and judged.after is not None)

    def _begun(self, before: Position, roll: Roll, play: Play) -> bool:
        """Whether the moves begin a legal play, whose rest is passed; no move at all does."""
        for at, move in enumerate(play):
            going_on = next_steps(before, roll, play[:at], self.rules.must_use)
            if (move.source, move.target) not in [step[:2] for step in going_on]:
                return False
        return True

    def _check_turn(self, turn: Turn) -> None:
        if self.offer is not None:
            if self.offer.word == "double":
                self._fault(turn, "the double has not been answered")
            self._agree(self.offer)
        if self.on_roll is not None and self.on_roll is not turn.player and not self._shut_out(self.on_roll):
            self._fault(turn, f"it is the turn of {self.on_roll.value}")
        opens = self.turns == 1 and self.rules.opening == "both_dice" and not self.rules.roll_again
        if opens and turn.dice[0] == turn.dice[1] and self.position is not None and not self._was_set_up():
            self._fault(turn, "the first roll of a game cannot be a double")

    def _shut_out(self, player: Color) -> bool:
        """Whether no roll lets `player` move: he need not throw the dice then."""
        seen = self._seen_by(player)
        return seen is not None and seen.points[25] > 0 and all(seen.points[place] < -1 for place in range(19, 25))

    def _was_set_up(self) -> bool:
        return any(isinstance(action, SetUp) for action in self.game.actions[:1])

    def _borne_off(self, player: Color) -> None:
        """End the game when the last checker of `player` is off."""
        position = self._seen_by(player)
        if position is None or position.on_board or self.how is not None:
            return
        rules = self.rules
        kind = win_kind(position)
        points = game_points(rules, kind, self.value, money=self.record.length == 0, cube_turned=self.doubled)
        if self.record.length == 0 and self.record.jacoby is None and not self.doubled:
            points = self.value if self.game.points == self.value else points
        self._end(player, points, "borne_off")

    def _end(self, winner: Color, points: int, how: How) -> None:
        if self.how is None:
            self.winner, self.points, self.how = winner, points, how

    def _agree(self, offer: CubeAction) -> None:
        """Let the value on offer hold."""
        self.value = offer.value or self.value * 2
        self.owner = offer.player.opponent if offer.word != "beaver" else offer.player
        self.doubled = True
        self.offer = None

    def _cube(self, action: CubeAction) -> None:
        match action.word:
            case "double":
                self._double(action)
            case "beaver" | "raccoon":
                self._raise(action)
            case "take":
                if self._answers(action) and self.offer is not None:
                    self._agree(self.offer)
            case "drop":
                if self._answers(action):
                    self._end(action.player.opponent, self.value, "drop")
                    self.offer = None
            case _:
                assert_never(action.word)

    def _double(self, action: CubeAction) -> None:
        reason = self._why_no_double(action)
        if reason:
            self._fault(action, reason)
        self._offer(action)

    def _offer(self, action: CubeAction) -> None:
        right = self.value * 2
        if action.value and action.value != right:
            self._fault(action, f"the cube goes to {right}, not to {action.value}")
        self.offer = replace(action, value=right)

    def _why_no_double(self, action: CubeAction) -> str:
        """Say why this player may not double now; empty when he may."""
        reasons = (
            (self.offer is not None, "a double waits for its answer"),
            (self.game.crawford, "nobody may double in the Crawford game"),
            (self.record.length == 1, "the cube is not in use"),
            (self.owner is action.player.opponent, f"the cube belongs to {action.player.opponent.value}"),
            (self.on_roll is action.player.opponent, f"it is the turn of {action.player.opponent.value}"),
            (self.on_roll is None and not self.rules.roll_again, "nobody may double before the first roll"),
        )
        return next((reason for holds, reason in reasons if holds), "")

    def _raise(self, action: CubeAction) -> None:
        """Answer a double with a beaver, or a beaver with a raccoon."""
        offer = self.offer
        answers = "double" if action.word == "beaver" else "beaver"
        if offer is None or offer.word != answers or offer.player is action.player:
            self._fault(action, f"there is no {answers} to answer")
            return
        if self.record.length:
            self._fault(action, "beavers are for money play")
        self._agree(offer)
        self._offer(action)

    def _answers(self, action: CubeAction) -> bool:
        if self.offer is None or self.offer.player is action.player:
            self._fault(action, "there is no double to answer")
            return False
        return True

    def _resign(self, action: Resign) -> None:
        if action.accepted:
            level = action.level or 1
            self._end(
                action.player.opponent, self._resigned(self.game.points or level * self.value), "resignation"
            )

    def _resigned(self, points: int) -> int:
        """Return the whole of a resignation, of which sites write only what the winner still needed."""
        return self.value * min(max(-(-points // self.value), 1), 3)

    def _set_up(self, action: SetUp) -> None:
        self._stand(action.board.seen_by(Color.WHITE), Color.WHITE)
        if action.turn is not None:
            self.on_roll = action.turn
        if action.cube_value:
            self.value, self.owner = action.cube_value, action.cube_owner
            self.doubled = action.cube_owner is not None

    def _result(self) -> tuple[Color | None, int, How | None]:
        """Return winner, points and how: by the actions where they end the game, else as the record says."""
        stated = self.game
        if self.how is None and stated.winner is None:
            return None, 0, None
        if self.how is None and stated.how in (None, "resignation"):
            return stated.winner, self._resigned(stated.points), "resignation"
        if self.how is None:
            return stated.winner, stated.points, stated.how
        if self.winner is not None and stated.winner not in (None, self.winner) and self.problem is None:
            reason = f"{self.winner.value} has won, the record says {self.winner.opponent.value}"
            self.problem = Problem(reason=reason, line=stated.line, game=self.number)
        if stated.how in ("flag", "left", "director"):
            return stated.winner, stated.points, stated.how
        return self.winner, self.points, self.how
