"""One game at a simulated table, as people play it, and what the session makes of it."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, fields, replace

from controller.board import START_BOARD, Board, DieReading
from controller.ports import Pressed, Watched
from controller.rules import Color, Move, Play, Position, Roll, apply_move, legal_plays
from controller.rules.game import Phase
from controller.session import events, facts
from controller.session.clock import ClockSetting
from controller.session.effects import Emit, ReadAgain, Refuse
from controller.session.events import Event
from controller.session.settings import Settings
from controller.session.state import State
from controller.session.step import step
from tests.handling.camera import Camera
from tests.handling.wrong import Turn, hides_in_stacks, is_illegal, without_hit, wrong_play

SETS_ALIKE = 0.3
"""How often both players throw dice of one color."""

STILL_S = 0.25
"""How often a camera says that nothing has changed."""


@dataclass
class Counts:
    """What happened in some games.

    Attributes:
        games: games played to their end.
        turns: turns played.
        wrong: plays recorded that were not made.
        missed: turns made that were never recorded.
        asked: turns in which the table asked, though nobody had made a wrong play, and turns that the director
            passed over when he answered.
        false_calls: legal turns in which the table called a wrong play.
        illegal: wrong plays made.
        illegal_reported: of these, called, asked about, or recorded as illegal.
        illegal_absorbed: of these, recorded as a legal play.
    """

    games: int = 0
    turns: int = 0
    wrong: int = 0
    missed: int = 0
    asked: int = 0
    false_calls: int = 0
    illegal: int = 0
    illegal_reported: int = 0
    illegal_absorbed: int = 0

    def add(self, other: Counts) -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


def _liking(after: Position) -> float:
    """Return how much a casual player likes a position: points made, few blots, no heaps, checkers off."""
    points = after.points
    blots = sum(n == 1 for n in points[1:19])
    made = sum(n >= 2 for n in points[2:9])
    heaps = sum(max(0, n - 3) for n in points[1:25])
    return 2.0 * after.off - 0.8 * blots + 0.8 * made - 0.6 * heaps - 0.5 * points[0]


class Evening:
    """One game at one table, played out event by event.

    Attributes:
        counts: what happened.
        state: what the session makes of it.
        emitted: every journal line.
        refused: why the last event was refused.
        at_rest: nothing has moved since the camera looked last.
        lies: the board as it lies there then.
        unread: the table has asked to have it read again.
        unsaid: the table has said nothing of the wrong play of the turn before, whose pictures came late.
        coming: what the camera has seen and the table has not been told yet, with the time of its arrival.
    """

    def __init__(
        self,
        seed: int,
        *,
        illegal: float = 0.02,
        dice: str | None = None,
        policy: str = "legal",
        lag_s: float = 0.0,
        noise: str = "measured",
    ) -> None:
        self.rng = random.Random(seed)
        self.camera = Camera.of(noise, self.rng)
        self.camera.again.seed(seed)
        self.dice_mode = dice or self.rng.choice(["camera", "camera", "keyed"])
        self.sets_alike = self.rng.random() < SETS_ALIKE
        self.sets_known = False
        self.illegal_rate = illegal
        self.policy = policy
        self.lag_s = lag_s
        self.at_rest = False
        self.lies = START_BOARD
        self.unread = False
        self.coming: list[tuple[float, Event]] = []
        self.counts = Counts()
        self.state = State()
        self.emitted: list[dict[str, object]] = []
        self.refused: list[str] = []
        self.at_s = 10.0
        self.board = START_BOARD
        self.truth: list[Board] = []
        self.recorded = 0
        self.lying: dict[Color, tuple[DieReading, ...]] = {}
        self.called = False
        self.questions = 0
        self.passed_over = 0
        self.open = False
        self.unsaid = False
        self.made: list[Turn] = []
        self.next_roll = Roll(6, 5)
        settings = Settings(
            dice=self.dice_mode,  # type: ignore[arg-type]  # one of the modes it was drawn from
            moves=policy,  # type: ignore[arg-type]  # what a benchmark or test names
            clock=ClockSetting("delay"),
        )
        self.do(
            facts.MatchStarted(
                at_s=self.at_s, match_id=f"m{seed}", players=("A", "B"), length=1, settings=settings
            )
        )

    # the table

    def do(self, event: Event) -> None:
        """Let one event happen, at once or, if the camera saw it, when its picture arrives."""
        if isinstance(event, Watched | events.Observed):
            self.at_rest = event.kind == "still" if isinstance(event, Watched) else not event.observation.hand
            delay_s = self.rng.uniform(0.3, 1.0) * self.lag_s if self.lag_s else 0.0
            due_s = max([self.at_s + delay_s, *(due_s for due_s, _ in self.coming[-1:])])
            self.coming.append((due_s, event))
            self.arrive()
        else:
            self.arrive()
            self.step(event)

    def arrive(self) -> None:
        """Let the pictures happen that have arrived by now, in the order in which they were taken."""
        while self.coming and self.coming[0][0] <= self.at_s:
            self.step(self.coming.pop(0)[1])

    def step(self, event: Event) -> None:
        """Let one event happen now and compare what is recorded with what was played."""
        self.state, effects = step(self.state, event)
        self.refused = [effect.reason for effect in effects if isinstance(effect, Refuse)]
        self.unread |= any(isinstance(effect, ReadAgain) for effect in effects)
        for effect in effects:
            if isinstance(effect, Emit):
                self.emitted.append(dict(effect.body))
                newest = effect.ledger.line[-1] if effect.ledger.line else None
                if newest is not None and newest.seq == effect.body["seq"]:  # a correction takes lines away
                    self._check(newest.fact)

    def _check(self, fact: object) -> None:
        if isinstance(fact, facts.Asked):
            self.questions += 1
        if isinstance(fact, facts.IllegalSeen):
            self.called = True
        if isinstance(fact, facts.Played):
            made = self.truth[self.recorded] if self.recorded < len(self.truth) else None
            self.counts.wrong += fact.position != made
            self.recorded += 1

    def wait(self, low: float = 0.4, high: float = 1.2) -> None:
        self.passes(low, high)
        self._watched()
        self.do(events.TimePassed(self.at_s))

    def passes(self, low: float, high: float) -> None:
        """Let some time go by, in which the camera says now and then whether anything moves."""
        end_s = self.at_s + self.rng.uniform(low, high)
        while end_s - self.at_s > STILL_S:
            self.at_s += STILL_S
            self._watched()
        self.at_s = end_s

    def _watched(self) -> None:
        asked, self.unread = self.unread, False
        if asked and self.at_rest:
            self.do(events.Observed(self.camera.reread(self.lies, self.at_s, self._dice_seen())))
        else:
            self.do(Watched("still" if self.at_rest else "moving", self.at_s))

    def look(self, board: Board | None = None) -> None:
        """Let the camera read the board at rest."""
        self.passes(0.2, 0.6)
        self.unread, self.lies = False, board or self.board
        self.do(events.Observed(self.camera.look(self.lies, self.at_s, self._dice_seen())))

    def _dice_seen(self) -> list[DieReading]:
        """Return the dice on the board as eyes tell them: with their sets once both were seen together."""
        dice = [die for lying in self.lying.values() for die in lying]
        self.sets_known |= len(dice) > 2 and len({die.dice_set for die in dice}) > 1
        if self.sets_alike or (not self.sets_known and len({die.dice_set for die in dice}) < 2):
            return [replace(die, dice_set=None) for die in dice]
        return dice

    def reach(self) -> None:
        """Let a hand come over the board."""
        self.at_s += self.rng.uniform(0.1, 0.3)
        self.do(Watched("moving", self.at_s))
        if self.rng.random() < 0.4:
            self.do(events.Observed(self.camera.look(self.board, self.at_s, hand=True)))

    def press(self, button: str, player: Color) -> None:
        self.passes(0.05, 0.4)
        self.do(Pressed(button, player, self.at_s))

    # dice

    def throw(self, player: Color, roll: Roll) -> None:
        """Throw two dice, or enter the roll."""
        if self.dice_mode == "keyed":
            self.passes(0.3, 0.3)
            self.do(facts.Rolled(at_s=self.at_s, player=player, roll=roll, source="keyed"))
            return
        rng, number = self.rng, 0 if player is Color.WHITE else 1
        x, y = rng.uniform(100, 400) + 500 * number, rng.uniform(250, 350)
        faces = [roll.high, roll.low]
        rng.shuffle(faces)
        self.lying[player] = tuple(
            DieReading((x + 70 * i, y + rng.uniform(-40, 40)), self._face(face), False, number, number)
            for i, face in enumerate(faces)
        )

    def _face(self, face: int) -> tuple[float, ...]:
        return tuple(0.0 if n == face else -self.rng.uniform(4.5, 9) for n in range(1, 7))

    def lift_dice(self, player: Color) -> None:
        self.lying.pop(player, None)

    # a game

    def play(self, longest: int = 400) -> Counts:
        """Play one game; return what happened."""
        rng = self.rng
        self.look()
        self.wait(1.0 + self.lag_s, 1.2 + self.lag_s)
        white, black = rng.sample(range(1, 7), 2)
        mover = Color.WHITE if white > black else Color.BLACK
        roll = Roll.of(white, black)
        if self.dice_mode == "keyed":
            self.do(facts.OpeningRolled(at_s=self.at_s, white=white, black=black, source="keyed"))
        else:
            self._throw_opening(white, black)
        self.look()
        early = False
        for _ in range(longest):
            early = self._turn(mover, roll, dice_known=early)
            if self.board.on_board(mover) == 0:
                self.counts.games += 1
                break
            mover = mover.opponent
            if early:
                roll = self.next_roll
                self._key_again(mover, roll)
            else:
                roll = Roll.of(rng.randint(1, 6), rng.randint(1, 6))
                self.wait()
                self.throw(mover, roll)
                if rng.random() < 0.95:
                    self.look()
        self.look()
        self.wait(6.0 + self.lag_s, 7.0 + self.lag_s)
        self.lag_s = 0.0  # all pictures have arrived, and nobody plays on
        self._settle(mover, early=True)
        self.counts.missed += len(self.truth) - self.recorded
        return self.counts

    def _key_again(self, mover: Color, roll: Roll) -> None:
        """Enter a roll again that was thrown too early and refused; the display says that it is missing."""
        game = self.state.ledger.game
        missing = game is not None and game.turn is mover and game.phase is Phase.TO_ROLL
        if self.dice_mode == "keyed" and missing and self.state.ledger.question is None:
            self.throw(mover, roll)

    def _throw_opening(self, white: int, black: int) -> None:
        for player, face, x in ((Color.WHITE, white, 200.0), (Color.BLACK, black, 800.0)):
            number = 0 if player is Color.WHITE else 1
            self.lying[player] = (DieReading((x, 300.0), self._face(face), False, number, number),)

    def _turn(self, mover: Color, roll: Roll, *, dice_known: bool) -> bool:
        """Play one turn; return whether the opponent has rolled already."""
        rng = self.rng
        self.counts.turns += 1
        self.called, asked_before, before = False, self.questions, self.board
        self.passed_over, recorded_before = 0, self.recorded
        self.open = isinstance(self.state.ledger.question, facts.Asked)
        plays = legal_plays(before.seen_by(mover), roll)
        wrong = bool(plays) and rng.random() < self.illegal_rate
        target, play = self._choose(before, mover, roll)
        if plays and rng.random() < 0.12:
            self._try(mover, roll)
        if rng.random() < 0.05:
            self._nudge()
        illegal_board = wrong_play(rng, before, mover, roll, play) if wrong else None
        if self.policy == "condoned" and illegal_board is not None and hides_in_stacks(before, illegal_board):
            illegal_board = None
        if illegal_board is not None:
            self.counts.illegal += 1
            early = self._wrong_turn(mover, illegal_board, target)
        else:
            self._move(mover, play)
            self.board = target
            self.truth.append(target)
            early = self._finish(mover)
            if self.called:
                self.counts.false_calls += 1
        self.made.append((before, mover, roll, self.truth[-1]))
        self._settle(mover, early)
        if self.unsaid and (self.called or self.questions > asked_before):
            self.counts.illegal_reported += 1
        self.unsaid = False
        if illegal_board is not None:
            self._count_report(illegal_board, recorded_before, asked_before)
        asked = illegal_board is None and self.questions > asked_before
        self.counts.asked += max(asked, self.passed_over)
        return early

    def _choose(self, board: Board, mover: Color, roll: Roll) -> tuple[Board, Play]:
        plays = legal_plays(board.seen_by(mover), roll)
        if not plays:
            return board, ()
        options = sorted(plays.items(), key=lambda item: str(item[0]))
        weights = [math.exp(_liking(after)) for after, _ in options]
        after, play = self.rng.choices(options, weights)[0]
        return Board.of(after, mover), play

    def _move(self, mover: Color, play: Play) -> None:
        """Move the checkers of a play as people do; the last reading is not taken here."""
        rng = self.rng
        moves = self._some_order(mover, play)
        position = self.board.seen_by(mover)
        at_once = rng.random() < 0.25
        for index, move in enumerate(moves):
            self.reach()
            sloppy = move.target > 0 and position.points[move.target] == -1 and rng.random() < 0.4
            position = apply_move(position, move)
            board = Board.of(position, mover)
            if at_once or index == len(moves) - 1:
                if sloppy and rng.random() < 0.5:
                    self.look(without_hit(board, mover))
                    self.reach()
                continue
            if rng.random() < 0.45:
                self.look(without_hit(board, mover) if sloppy else board)

    def _some_order(self, mover: Color, play: Play) -> list[Move]:
        """Return the moves in an order that can be made, by chance another one than the rules name."""
        moves = list(play)
        for _ in range(3):
            shuffled = self.rng.sample(moves, len(moves))
            position = self.board.seen_by(mover)
            try:
                for move in shuffled:
                    position = apply_move(position, Move(move.source, move.target))
            except ValueError:
                continue
            goal = self.board.seen_by(mover)
            for move in moves:
                goal = apply_move(goal, move)
            if position == goal:
                return shuffled
        return moves

    def _try(self, mover: Color, roll: Roll) -> None:
        """Try another play, or half of one, look at it, and take it back."""
        before = self.board
        board, play = self._choose(before, mover, roll)
        shown = before.seen_by(mover)
        for move in play[: self.rng.randint(1, len(play))]:
            self.reach()
            shown = apply_move(shown, move)
        self.look(Board.of(shown, mover))
        self.wait(0.5, 2.5)
        self.reach()
        if self.rng.random() < 0.5:
            self.look(before)
        del board

    def _nudge(self) -> None:
        """Bump a checker to the next point and put it right."""
        rng = self.rng
        sites = [site for site in range(1, 24) if self.board.points[site - 1]]
        site = rng.choice(sites)
        points = list(self.board.points)
        sign = 1 if points[site - 1] > 0 else -1
        if points[site] * sign < 0:
            return
        points[site - 1] -= sign
        points[site] += sign
        self.reach()
        self.look(Board(tuple(points), self.board.bar))
        self.wait(0.3, 1.5)
        self.reach()
        self.look()

    def _finish(self, mover: Color) -> bool:
        """End the turn by clock, lifted dice, or because the opponent goes on; return whether he has rolled."""
        rng = self.rng
        style = rng.random()
        if style < 0.12 and self.board.on_board(mover) > 0:
            if rng.random() < 0.7:
                self.look()
                self.wait(0.6, 1.0)
            self._early_roll(mover)
            return True
        if style < 0.45 and self.dice_mode == "camera":
            if rng.random() < 0.5:
                self.look()
            self.reach()
            self.lift_dice(mover)
            self.look()
            return False
        if rng.random() < 0.6:
            self.look()
        self.press("clock", mover)
        if rng.random() < 0.7:
            self.look()
        else:
            self.wait(0.6, 1.0)
            self.look()
        self.reach()
        self.lift_dice(mover)
        self.look()
        return False

    def _early_roll(self, mover: Color) -> None:
        """Let the opponent roll before the turn has ended."""
        rng = self.rng
        self.next_roll = Roll.of(rng.randint(1, 6), rng.randint(1, 6))
        self.throw(mover.opponent, self.next_roll)
        if rng.random() < 0.7:
            self.look()
            self.lift_dice(mover)
        else:
            self.lift_dice(mover)
            self.look()

    def _settle(self, mover: Color, early: bool) -> None:
        """Answer what the table asks, and make sure that the turn was seen; nobody waits for a slow camera."""
        for _ in range(4):
            question = self.state.ledger.question
            if self.recorded >= len(self.truth) or (self.lag_s and not isinstance(question, facts.Asked)):
                break
            if isinstance(question, facts.Asked):
                self.passes(1.0, 1.0)
                if self.recorded >= len(self.truth) or self.state.ledger.question is not question:
                    continue
                right = [i for i, c in enumerate(question.choices) if c.position == self.truth[self.recorded]]
                if right and not is_illegal(self.made[self.recorded]):
                    self.do(events.Chosen(right[0], self.at_s))
                    continue
                missing = self.recorded
                self._director_enters()
                if self.recorded > missing:
                    continue
            if self.called and not early and self._still_his(mover):
                self.press("clock", mover)
            self.wait(0.6, 1.0)
            self.look()
        question = self.state.ledger.question
        if self.recorded < len(self.truth) and (
            isinstance(question, facts.Asked) or (question and not self.lag_s)
        ):
            self.passes(1.0, 1.0)
            self._director_enters()
            if self.recorded < len(self.truth):
                self._director_sets_up(mover.opponent, early)

    def _director_sets_up(self, turn: Color, early: bool) -> None:
        """Let the director say what stands on the board, and who is on roll, where no play can be entered."""
        self.do(facts.PositionSet(at_s=self.at_s, position=self.board, turn=turn, why="director"))
        if self.refused:
            return
        self.passed_over = len(self.truth) - self.recorded
        self.recorded = len(self.truth)
        if early:
            self.do(facts.Rolled(at_s=self.at_s, player=turn, roll=self.next_roll, source="keyed"))

    def _director_enters(self) -> None:
        """Let the director enter what was played and not recorded, where the table's choices do not hold it."""
        for before, mover, roll, board in self.made[self.recorded :]:
            game = self.state.ledger.game
            if game is None or game.turn is not mover or game.phase not in (Phase.TO_PLAY, Phase.TO_ROLL):
                return
            if game.roll is None:
                self.do(facts.Rolled(at_s=self.at_s, player=mover, roll=roll, source="keyed"))
            elif game.roll != roll:
                self._director_corrects(roll)
            illegal = is_illegal((before, mover, roll, board))
            recorded = self.recorded
            self.do(
                facts.Played(
                    at_s=self.at_s, player=mover, roll=roll, play="entered", position=board, illegal=illegal
                )
            )
            if self.recorded == recorded:
                return

    def _director_corrects(self, roll: Roll) -> None:
        """Let the director change the newest roll on record, where the opponent's was taken for it."""
        seq = next(e.seq for e in reversed(self.state.ledger.line) if isinstance(e.fact, facts.Rolled))
        self.do(events.Correct(of=seq, content={"roll": [roll.high, roll.low]}, at_s=self.at_s))

    def _still_his(self, mover: Color) -> bool:
        game = self.state.ledger.game
        return game is not None and game.turn is mover and game.phase in (Phase.TO_PLAY, Phase.TO_ROLL)

    # wrong plays

    def _wrong_turn(self, mover: Color, illegal: Board, right: Board) -> bool:
        """Make a wrong play and end the turn; it is put right, or the opponent rolls on."""
        rng = self.rng
        lost = any(
            illegal.on_board(color) < right.on_board(color) and illegal.off(color) > self.board.off(color)
            for color in (mover.opponent,)
        )
        stands = (
            not lost
            and not hides_in_stacks(self.board, illegal)
            and (self.policy == "condoned" or rng.random() < 0.3)
        )
        self.reach()
        self.look(illegal)
        self.truth.append(illegal if stands else right)
        recorded, asked = self.recorded, self.questions
        self.press("clock", mover)
        if rng.random() < 0.5:
            self.look(illegal)
        self.wait(0.6, 1.0)
        early = False
        if stands:
            self.board = illegal
            if self.recorded == recorded:
                self._early_roll(mover)
                self.wait(0.6, 1.0)
                early = True
        else:
            for _ in range(6):  # nobody knows that it was wrong before the table says so
                if self.called or self.questions > asked:
                    break
                self.wait(0.6, 1.0)
                self.look(illegal)
            self.board = right
            self.wait(1.0, 3.0)
            self.reach()
            self.look()
            self.press("clock", mover)
            self.look()
        return early

    def _count_report(self, illegal: Board, recorded: int, asked: int) -> None:
        """Count what the table made of a wrong play; a late camera shows it when the next turn has begun.

        Args:
            illegal: what stood there.
            recorded: how many turns were recorded before it.
            asked: how many questions had been asked before it.
        """
        lines = [entry.fact for entry in self.state.ledger.line]
        last = next((fact for fact in reversed(lines) if isinstance(fact, facts.Played)), None)
        as_legal = self.recorded > recorded and last is not None and last.position == illegal and not last.illegal
        self.counts.illegal_absorbed += as_legal
        said = self.called or self.questions > asked or self.open
        reported = said or bool(last and last.illegal and self.recorded > recorded)
        self.counts.illegal_reported += reported
        self.unsaid = self.lag_s > 0 and not reported
