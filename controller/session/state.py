"""The state of a table: the record (`Ledger`), and what has been seen since its last fact (`Sight`)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from controller.board import Board, DieReading, Observation, Site
from controller.errors import IllegalActionError
from controller.ports import Pressed
from controller.reconcile import (
    DEFAULT,
    Ambiguous,
    Choice,
    Completed,
    Evidence,
    InProgress,
    Obscured,
    Verdict,
    reconcile,
)
from controller.reconcile.settings import Settings as Thresholds
from controller.rules import Color, Play, Roll
from controller.session import facts
from controller.session.effects import Effect, Emit
from controller.session.facts import Fact
from controller.session.ledger import Ledger, apply, body_of
from controller.session.settings import Signal
from controller.session.standing import nearly
from controller.session.throwers import Habit, Habits, owner

TWICE_S = 2.0
"""How long what one wrong reading could have made of something else waits to be read again."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What is seen of the turn in progress; never in the journal, and seen again after a restart.

    Attributes:
        seen: what the newest readings of each source say, those together between which nothing moved.
        raw: the newest reading of each source alone.
        begun: what the readings said that show the board with which this turn began; None where it was not seen.
        same_since_s: since when readings have all shown the same checkers, in the time of the pictures.
        verdict: what it says, or None before the first reading.
        since_s: since when the board has looked like that, in the time of the pictures.
        wrong_start: before the first roll, the sites and sides of the bar that do not show the start position.
        looked_s: when the newest picture was taken on which the board was at rest and looked as it was read.
        watched_s: when the newest picture of any kind was taken.
        told_s: when somebody last said at the desk what was played or what stands there.
        restless: something moves, or a hand is there, since the newest reading.
        ended: the signal that ended the turn, or None.
        ended_at_s: when it came.
        dice: the dice of the roll on the table, where they lay.
        old_dice: dice that lay there before this turn.
        habits: how White and Black throw, as far as their plays have told.
        unclaimed: a roll seen in this turn of which it could not be told who threw it.
        moved_on: the opponent has moved, and his roll was not seen before that.
        passed_by: the opponent has made a whole play, and the player on turn had not moved.
        reply: the opponent's roll, thrown before this turn was committed.
        reply_dice: the dice of that roll.
        reply_s: when the picture was taken that showed them first.
        beside_reply: the other dice that lay there then; what came later is thrown in a later turn.
        standing: the whole play that was seen last in this turn.
        earlier: the whole play that stood there before that one, if no reading between them showed it taken back.
        stood: what stood there last in this turn when no legal play explained it.
        options: the plays between which the newest reading left the choice, if it was not clear; once the
            opponent has thrown, those before that.
        tried: what was looked for in these readings already: ``"reply"``, ``"line"``; ``"choice"`` when several
            plays fit the reply.
        again: whether the board will be read once more as it lies there (``"asked"``), or has been (``"read"``).
        looks: how many looks in turn have shown the same checkers; what was read again at once is the same look.
        overrun: the player on turn has thrown again, after a reply, before this turn was committed; or the other
            one has moved, and pressed the clock or was followed by a throw.
        final: moves that a touch-move rule has made final.
        wants: a roll or double asked for, or a roll entered, before this turn was committed.
        opening: the two dice that were thrown for the first turn of the game.
        opening_s: when the picture was taken that showed them first.
        consulted: what the computer was asked last in this turn, or thrown for.
        opener: who said, by a button, that he made the first play of the game.
        held: presses and entered rolls that came before the pictures of their turn, in order.
        wish: the newest press of a double or roll button that could not mean what it says.
    """

    seen: tuple[Observation, ...] = ()
    raw: tuple[Observation, ...] = ()
    begun: Evidence | None = None
    same_since_s: float = -math.inf
    verdict: Verdict | None = None
    since_s: float = 0.0
    wrong_start: tuple[tuple[Site, ...], tuple[Color, ...]] = ((), ())
    looked_s: float = -math.inf
    watched_s: float = -math.inf
    told_s: float = -math.inf
    restless: bool = False
    ended: Signal | None = None
    ended_at_s: float = 0.0
    dice: tuple[DieReading, ...] = ()
    old_dice: tuple[DieReading, ...] = ()
    habits: Habits = (Habit(), Habit())
    unclaimed: Roll | None = None
    moved_on: bool = False
    passed_by: bool = False
    reply: Roll | None = None
    reply_dice: tuple[DieReading, ...] = ()
    reply_s: float = -math.inf
    beside_reply: tuple[DieReading, ...] = ()
    standing: Completed | None = None
    earlier: Completed | None = None
    stood: Board | None = None
    options: tuple[Choice, ...] = ()
    tried: frozenset[str] = frozenset()
    again: Literal["", "asked", "read"] = ""
    looks: int = 0
    overrun: bool = False
    final: Play = ()
    wants: Pressed | facts.Rolled | None = None
    opening: Roll | None = None
    opening_s: float = -math.inf
    consulted: str = ""
    opener: Color | None = None
    held: tuple[Pressed | facts.Rolled, ...] = ()
    wish: Pressed | None = None

    @property
    def newest(self) -> Observation | None:
        """The newest reading of any source."""
        return max(self.seen, key=lambda seen: seen.at_s, default=None)

    @property
    def unchanged(self) -> bool:
        """Whether the newest reading shows the same checkers as the one before."""
        return self.newest is not None and self.same_since_s < self.newest.at_s

    @property
    def read_once(self) -> bool:
        """Whether one reading alone, a moment old, says how the board stands."""
        return not self.unchanged and len(self.seen) == 1 and self.stood_for_s < TWICE_S

    @property
    def looked_once(self) -> bool:
        """Whether one look alone, a moment old, says how the board stands."""
        return self.looks < 2 and len(self.seen) == 1 and self.stood_for_s < TWICE_S

    @property
    def stood_for_s(self) -> float:
        """For how long the board has been seen to stand as it does since the turn ended, seconds."""
        return self.looked_s - max(self.since_s, self.ended_at_s)

    @property
    def shown(self) -> bool:
        """Whether a signal has ended the turn and the board was seen at rest on a picture taken after it."""
        return self.ended is not None and bool(self.seen) and self.looked_s >= self.ended_at_s

    @property
    def waiting(self) -> bool:
        """Whether a signal has ended the turn, and no picture taken after it shows the board at rest yet."""
        return self.ended is not None and bool(self.seen) and self.looked_s < self.ended_at_s

    @property
    def undecided(self) -> bool:
        """Whether a turn has ended of which no picture tells yet what was played: what came later has to wait."""
        return self.waiting or (self.ended is not None and "choice" in self.tried)


@dataclass(frozen=True, slots=True)
class State:
    """Everything a table knows.

    Attributes:
        ledger: the record; what the journal holds and nothing else.
        sight: what has been seen since.
        at_s: monotonic time of the newest event.
    """

    ledger: Ledger = field(default_factory=Ledger)
    sight: Sight = field(default_factory=Sight)
    at_s: float = 0.0


def on_field(dice: Iterable[DieReading]) -> tuple[DieReading, ...]:
    """Return the dice that lie flat on the field; cocked ones and those beside it do not count."""
    return tuple(die for die in dice if die.half is not None and not die.cocked)


def same_die(one: DieReading, other: DieReading) -> bool:
    """Tell whether two readings may be of one die that has not been thrown in between."""
    if one.dice_set is not None and other.dice_set is not None and one.dice_set != other.dice_set:
        return False
    (x, y), (u, v) = one.xy_px, other.xy_px
    return abs(x - u) < NUDGE_PX and abs(y - v) < NUDGE_PX and one.value == other.value


NUDGE_PX = 20.0
"""How far a die may seem to move between two pictures and still be the same throw: less than its own size."""


def left_over(sight: Sight, thrower: Color | None) -> tuple[DieReading, ...]:
    """Return the dice on the field that belong to the turn in progress, `thrower`'s, or to one before it.

    Where his own were not seen, those belong to it that lay there when the opponent threw.
    """
    newest = sight.newest
    if newest is None:
        return sight.old_dice
    lying = [die for die in on_field(newest.dice) if die not in sight.reply_dice]
    if not sight.dice and sight.reply is None:
        others = [die for die in lying if thrower is not None and owner(sight.habits, die) is thrower.opponent]
        known = (*sight.old_dice, *(die for die in lying if die not in others))
    else:
        known = (*sight.dice, *sight.old_dice, *(() if sight.dice else sight.beside_reply))
    return tuple(die for die in lying if any(same_die(die, other) for other in known))


def _shows(verdict: Verdict | None, board: Board) -> bool:
    """Tell whether `board` is what the newest readings show, or one of the things they may show."""
    match verdict:
        case Completed(board=seen):
            return seen == board
        case Ambiguous(choices=choices) | Obscured(choices=choices):
            return board in [choice.board for choice in choices]
    return False


class Draft:
    """A state in the making within one `step`, and the effects on the way there."""

    def __init__(self, state: State) -> None:
        self.ledger = state.ledger
        self.sight = state.sight
        self.at_s = state.at_s
        self.effects: list[Effect] = []
        self.due: Pressed | facts.Rolled | None = None
        self._weighed: tuple[tuple[tuple[Observation, ...], Evidence | None, Board], Evidence] | None = None

    @property
    def state(self) -> State:
        """The state as far as it has been made."""
        return State(self.ledger, self.sight, self.at_s)

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds of reconciling under the rules in force."""
        return replace(DEFAULT, must_use=self.ledger.rules.must_use)

    def evidence(self, dice: Iterable[DieReading] = ()) -> Evidence:
        """Return what the newest readings say, with no other dice than `dice`.

        What a reading said wrongly when the turn began, and says still, speaks neither for a change nor against
        one.
        """
        kept = tuple(dice)
        lying = tuple(die for each in self.sight.seen for die in each.dice if die in kept)
        weighed = self._without_dice()
        return replace(weighed, dice=lying) if lying else weighed

    def _without_dice(self) -> Evidence:
        """Return what the newest readings say of the checkers, worked out once for what has not changed."""
        basis = self.sight.seen, self.sight.begun, self.ledger.board
        if self._weighed is None or any(a is not b for a, b in zip(self._weighed[0], basis, strict=True)):
            seen, begun, board = basis
            found = Evidence.of([replace(each, dice=()) for each in seen])
            if begun is not None:
                found = found.relative_to(begun, board.seen_by(Color.WHITE).points)
            self._weighed = basis, found
        return self._weighed[1]

    def commit(self, fact: Fact) -> None:
        """Add one fact to the record, and the ends of game and match that follow from it.

        Raises:
            IllegalActionError: it cannot follow; then nothing has changed.
        """
        playing = self.ledger.playing
        if self.ledger.started is None and not isinstance(fact, facts.MatchStarted):
            raise IllegalActionError("no match is in progress")
        before = self.ledger.started
        self.ledger = apply(self.ledger, fact)
        started = self.ledger.started or before
        match_id = started.match_id if started is not None else ""
        self.effects.append(Emit(body_of(self.ledger, fact), match_id, self.ledger))
        match = self.ledger.match
        if match is None or self.ledger.ended:
            return
        if playing and not match.playing and match.results and not isinstance(fact, facts.GameEnded):
            last = match.results[-1]
            self.commit(
                facts.GameEnded(
                    at_s=fact.at_s, winner=last.winner, points=last.points, kind=last.kind, ending=last.ending
                )
            )
        elif match.over and isinstance(fact, facts.GameEnded | facts.ScoreSet):
            self.commit(facts.MatchEnded(at_s=fact.at_s, winner=match.winner, score=self.ledger.score()))

    def look(self, **changes: object) -> None:
        """Change what is seen of the turn in progress."""
        self.sight = replace(self.sight, **changes)  # type: ignore[arg-type]  # names are checked by `replace`

    def _shown_but_for_one(self) -> bool:
        """Tell whether the board of the record is seen but for one misread place, not changed by the next play."""
        board, evidence, game = self.ledger.board, self.evidence(), self.ledger.game
        if not nearly(board, evidence) or game is None or game.turn is None:
            return False
        verdict = reconcile(board, game.turn, None, evidence, settings=self.thresholds)
        return not (isinstance(verdict, Completed | InProgress) and verdict.board != board)

    def new_turn(self, *, stands: bool = False) -> None:
        """Forget what was seen of the turn that has just been committed; its dice may lie there still.

        What the next player threw before is his roll now.

        Args:
            stands: somebody has said that the board of the record is what stands there now; what was thrown before
                is read anew, and what was held is told by it.
        """
        sight = self.sight
        game = self.ledger.game
        board = self.ledger.board
        shown = (not stands and _shows(sight.verdict, board)) or self._shown_but_for_one()
        wants = None if stands else sight.wants
        doubtful = stands and self.ledger.first_turn  # the opening roll may have been taken for the other one's
        if not stands and wants is None and sight.reply is not None and game is not None and game.turn is not None:
            wants = facts.Rolled(at_s=self.at_s, player=game.turn, roll=sight.reply, source="camera")
        self.sight = Sight(
            seen=sight.seen,
            raw=sight.raw,
            looks=sight.looks,
            begun=Evidence.of(sight.seen) if shown else None,
            since_s=sight.looked_s if math.isfinite(sight.looked_s) else self.at_s,
            looked_s=sight.looked_s,
            watched_s=sight.watched_s,
            told_s=sight.told_s,
            dice=() if stands else sight.reply_dice,
            old_dice=left_over(sight, None if game is None or game.turn is None else game.turn.opponent),
            habits=(Habit(), Habit()) if doubtful else sight.habits,
            wants=wants,
            held=() if stands else sight.held,
        )
