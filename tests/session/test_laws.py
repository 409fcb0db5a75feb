"""Laws of `step`: no event in any state raises, thirty checkers always, the journal tells the state."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from controller.board import START_BOARD, Board, CubeReading
from controller.opponents import decide
from controller.ports import Pressed, Watched
from controller.rules import PROFILES, Color, Roll, legal_plays
from controller.rules.game import Phase
from controller.session import events, facts
from controller.session.clock import SINGLES, ClockSetting
from controller.session.effects import Consult, Emit, RollDice
from controller.session.events import Event
from controller.session.facts import fact_json, fact_of
from controller.session.ledger import replayed
from controller.session.record import record_of
from controller.session.settings import Settings
from controller.session.state import State
from controller.session.step import step
from controller.session.view import snapshot_of
from tests.simulated import observe, thrown

COLORS = st.sampled_from(list(Color))
ROLLS = st.builds(Roll.of, st.integers(1, 6), st.integers(1, 6))
LEVELS = st.integers(0, 4)
CLOCKS = st.sampled_from([ClockSetting(), SINGLES, ClockSetting("turn", delay_s=20.0, flag="game")])
FLAGS = st.sampled_from(["match", "unless_lost", "game", "penalty", "event", "none"])


class Table(RuleBasedStateMachine):
    """Anything may happen at this table, sense or nonsense."""

    def __init__(self) -> None:
        super().__init__()
        self.state = State()
        self.at_s = 0.0
        self.lines: list[dict[str, Any]] = []
        self.rng = random.Random(1)
        self.board = START_BOARD
        self.lying: tuple[Any, ...] = ()

    def happen(self, event: Event) -> None:
        before = self.state
        self.state, effects = step(self.state, event)
        emitted = [effect for effect in effects if isinstance(effect, Emit)]
        for effect in emitted:
            if effect.body["seq"] == 1:
                self.lines.clear()
            self.lines.append(dict(effect.body))
            assert effect.body["seq"] == len(self.lines)
        if not emitted:
            assert self.state.ledger == before.ledger
        for effect in effects:
            if isinstance(effect, RollDice):
                self.dice_fell(effect)
            elif isinstance(effect, Consult):
                self.happen(events.Decided(effect.about, decide(effect.match, effect.level), self.at_s))

    def dice_fell(self, effect: RollDice) -> None:
        first, second = self.rng.randint(1, 6), self.rng.randint(1, 6)
        if effect.opening:
            self.happen(facts.OpeningRolled(at_s=self.at_s, white=first, black=second, source="electronic"))
        else:
            roll = Roll.of(first, second)
            self.happen(
                facts.Rolled(
                    at_s=self.at_s, player=effect.player, roll=roll, source="electronic", roll_id=effect.roll_id
                )
            )

    @initialize(
        rules=st.sampled_from(sorted(PROFILES)),
        length=st.sampled_from([0, 1, 3, 5]),
        clock=CLOCKS,
        flag=FLAGS,
        dice=st.sampled_from(["camera", "keyed", "electronic", "manual"]),
        moves=st.sampled_from(["strict", "legal", "responsible", "condoned"]),
        computer=st.none() | COLORS,
        seed=st.integers(0, 1000),
    )
    def begin(
        self,
        rules: str,
        length: int,
        clock: ClockSetting,
        flag: Any,
        dice: Any,
        moves: Any,
        computer: Color | None,
        seed: int,
    ) -> None:
        self.rng = random.Random(seed)
        self.policy = Settings(
            clock=replace(clock, flag=flag),
            dice=dice,
            moves=moves,
            signals=frozenset({"clock", "dice", "roll", "quiet"}),
            hints="all",
            computer=computer,
            level="easy",
        )
        self.start(rules, length)

    def start(self, rules: str, length: int) -> None:
        self.happen(
            facts.MatchStarted(
                at_s=self.at_s,
                match_id=f"m{len(self.lines)}",
                players=("A", "B"),
                length=length,
                rules=rules,
                settings=self.policy,
            )
        )

    @rule(rules=st.sampled_from(sorted(PROFILES)), length=st.sampled_from([0, 1, 5, 7]))
    def start_another_match(self, rules: str, length: int) -> None:
        self.start(rules, length)

    @rule(length=st.sampled_from([None, 0, 1, 5]))
    def they_play_again(self, length: int | None) -> None:
        self.happen(events.Rematch(f"m{len(self.lines)}r", length, self.at_s))

    @rule(seconds=st.floats(-3, 200))
    def time_passes(self, seconds: float) -> None:
        self.at_s += seconds
        self.happen(events.TimePassed(self.at_s))

    @rule(
        button=st.sampled_from(["clock", "clock", "roll", "double", "take", "drop", "director", "x"]), who=COLORS
    )
    def somebody_presses(self, button: str, who: Color) -> None:
        self.happen(Pressed(button, who, self.at_s))

    @rule(kind=st.sampled_from(["still", "moving", "hand", "lost", "found", "moved", "registered", "help", "x"]))
    def the_watcher_says(self, kind: str) -> None:
        self.happen(Watched(kind, self.at_s))

    @rule(hand=st.booleans(), cube=st.sampled_from([None, "center", "white", "black", "field"]))
    def the_board_is_read(self, hand: bool, cube: str | None) -> None:
        self.at_s += 0.4
        seen = observe(self.board, self.at_s, dice=self.lying, hand=hand, rng=self.rng)
        self.happen(events.Observed(replace(seen, cube=CubeReading(2, cube) if cube else None)))

    @rule(roll=ROLLS, number=st.integers(0, 1))
    def dice_are_thrown(self, roll: Roll, number: int) -> None:
        self.lying = thrown(roll, number, at=(self.rng.uniform(0, 900), 300.0))

    @rule()
    def dice_are_lifted(self) -> None:
        self.lying = ()

    @rule()
    def a_legal_play_is_made(self) -> None:
        game = self.state.ledger.game
        if game is None or game.turn is None or game.phase not in (Phase.TO_ROLL, Phase.TO_PLAY):
            return
        roll = game.roll or Roll.of(self.rng.randint(1, 6), self.rng.randint(1, 6))
        plays = sorted(legal_plays(game.before, roll), key=str)
        if plays:
            self.board = Board.of(self.rng.choice(plays), game.turn)

    @rule(site=st.integers(0, 23), by=st.sampled_from([-1, 1]))
    def a_checker_is_bumped(self, site: int, by: int) -> None:
        points = list(self.board.points)
        to = max(0, min(23, site + by))
        sign = (points[site] > 0) - (points[site] < 0)
        if sign and to != site and points[to] * sign >= 0:
            points[site] -= sign
            points[to] += sign
            self.board = Board(tuple(points), self.board.bar)

    @rule()
    def the_computers_checkers_are_moved(self) -> None:
        announced = self.state.ledger.announced
        if announced is not None:
            self.board = announced.position

    @rule()
    def the_board_is_put_as_the_record_says(self) -> None:
        self.board = self.state.ledger.board

    @rule()
    def the_checkers_are_set_up(self) -> None:
        self.board = START_BOARD

    @rule(roll=ROLLS, who=COLORS)
    def a_roll_is_entered(self, roll: Roll, who: Color) -> None:
        self.happen(facts.Rolled(at_s=self.at_s, player=who, roll=roll, source="keyed"))

    @rule(white=st.integers(0, 7), black=st.integers(1, 6))
    def an_opening_roll_is_entered(self, white: int, black: int) -> None:
        self.happen(facts.OpeningRolled(at_s=self.at_s, white=white, black=black, source="keyed"))

    @rule(who=COLORS, illegal=st.booleans(), roll=st.none() | ROLLS)
    def a_play_is_entered(self, who: Color, illegal: bool, roll: Roll | None) -> None:
        self.happen(
            facts.Played(at_s=self.at_s, player=who, roll=roll, play="x", position=self.board, illegal=illegal)
        )

    @rule(who=COLORS, action=st.sampled_from(["double", "take", "drop", "beaver", "raccoon", "withdraw"]))
    def the_cube_is_turned(self, who: Color, action: Any) -> None:
        self.happen(facts.CubeTurned(at_s=self.at_s, player=who, action=action))

    @rule(who=COLORS, action=st.sampled_from(["offer", "accept", "refuse"]), level=LEVELS)
    def somebody_resigns(self, who: Color, action: Any, level: int) -> None:
        self.happen(facts.Resigned(at_s=self.at_s, player=who, action=action, level=level))

    @rule(who=COLORS)
    def somebody_leaves(self, who: Color) -> None:
        self.happen(facts.Left(at_s=self.at_s, player=who))

    @rule(
        action=st.sampled_from(["hit", "unhit", "start", "pause", "resume", "edit", "restart", "flag"]),
        who=st.none() | COLORS,
        reason=st.sampled_from([None, "break", "director", "x", "match", "game"]),
        reserve=st.none() | st.tuples(st.floats(-5, 500), st.floats(0, 500)),
    )
    def the_clock_is_set(
        self, action: Any, who: Color | None, reason: str | None, reserve: tuple[float, float] | None
    ) -> None:
        self.happen(
            facts.ClockSet(
                at_s=self.at_s,
                action=action,
                player=who,
                reason=reason,
                reserve_s=reserve,
            )
        )

    @rule(white=st.integers(-1, 6), black=st.integers(0, 6))
    def the_score_is_set(self, white: int, black: int) -> None:
        self.happen(facts.ScoreSet(at_s=self.at_s, score=(white, black)))

    @rule(turn=COLORS)
    def the_position_is_set(self, turn: Color) -> None:
        self.happen(facts.PositionSet(at_s=self.at_s, position=self.board, turn=turn))

    @rule(winner=COLORS, points=st.integers(0, 4))
    def a_game_is_awarded(self, winner: Color, points: int) -> None:
        self.happen(
            facts.GameEnded(
                at_s=self.at_s, winner=winner, points=points, kind="single", ending="flag", awarded=True
            )
        )

    @rule()
    def a_game_is_started(self) -> None:
        self.happen(facts.GameStarted(at_s=self.at_s))

    @rule(really=st.integers(0, 9))
    def the_match_is_broken_off(self, really: int) -> None:
        if really == 0:
            self.happen(facts.MatchEnded(at_s=self.at_s, winner=None, score=self.state.ledger.score()))

    @rule()
    def the_board_is_scanned(self) -> None:
        self.happen(events.Scanned(self.at_s))

    @rule(who=COLORS, roll=ROLLS)
    def a_roll_is_withdrawn(self, who: Color, roll: Roll) -> None:
        self.happen(facts.RollWithdrawn(at_s=self.at_s, player=who, roll=roll, reason="cocked"))

    @rule(choice=st.integers(-1, 4))
    def a_question_is_answered(self, choice: int) -> None:
        self.happen(events.Chosen(choice, self.at_s))

    @rule(what=st.sampled_from(["condone", "white", "black", "restart"]))
    def a_wrong_play_is_dealt_with(self, what: str) -> None:
        if what == "condone":
            self.happen(events.Condoned(self.at_s))
        elif what == "restart":
            self.happen(events.Restarted(self.at_s))
        else:
            self.happen(events.PointedOut(Color(what), self.at_s))

    @rule(
        back=st.integers(0, 12),
        content=st.sampled_from(
            [
                None,
                {"play": "8/5 6/5"},
                {"play": "bar/22 x"},
                {"roll": [6, 2]},
                {"roll": [9, 2]},
                {"play": "13/7 8/7", "roll": [6, 1]},
                {"position": START_BOARD.to_json(), "illegal": True},
                {"length": 5},
                {"winner": "white", "points": 2, "kind": "gammon"},
                {"white": 3, "black": 1},
                {"nonsense": [1]},
            ]
        ),
        take_back=st.booleans(),
    )
    def something_is_corrected(self, back: int, content: dict[str, Any] | None, take_back: bool) -> None:
        of = max(0, self.state.ledger.seq - back)
        self.happen(events.Correct(of, content, take_back, at_s=self.at_s))

    @invariant()
    def thirty_checkers(self) -> None:
        for color in Color:
            board = self.state.ledger.board
            assert board.on_board(color) + board.off(color) == 15
            assert board.off(color) >= 0

    @invariant()
    def the_cube_is_a_power_of_two(self) -> None:
        game = self.state.ledger.game
        if game is not None:
            assert game.cube.value & (game.cube.value - 1) == 0
            assert game.cube.owner is None or game.cube.turned or game.cube.value > 1

    @invariant()
    def reserves_are_never_negative_and_stand_still_between_games(self) -> None:
        clock = self.state.ledger.clock
        assert min(clock.reserve_s) >= 0.0
        if not self.state.ledger.playing:
            assert clock.running is None

    @invariant()
    def the_score_is_the_sum_of_the_games(self) -> None:
        match = self.state.ledger.match
        set_by_hand = any(isinstance(entry.fact, facts.ScoreSet) for entry in self.state.ledger.line)
        if match is not None and not set_by_hand:
            for color in Color:
                won = sum(result.points for result in match.results if result.winner is color)
                assert match.score.of(color) == won

    @invariant()
    def everything_can_be_shown(self) -> None:
        snapshot_of(self.state.ledger, self.at_s)
        record_of(self.state.ledger)

    def teardown(self) -> None:
        assert replayed(self.lines) == self.state.ledger
        for entry in self.state.ledger.line:
            assert fact_of(fact_json(entry.fact)) == entry.fact


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=60, stateful_step_count=50)
