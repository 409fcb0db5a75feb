"""The scenario language: an evening at the table as readable text, and the runner that plays it.

A scenario is a file of lines; ``#`` begins a comment. The runner keeps the physical table (checkers, dice, cube)
and lets a noise-free camera look at it, so a line says what people do, and ``expect`` says what the table must do.

What people do::

    match 5 dice=camera moves=legal clock=delay rules=international     a match begins (0 for money)
    position -b----E-C---eE---c-e----B- white      set the checkers up (seen from White) and go on from there
    opening 6 1            White and Black throw one die each (entered, where dice=keyed)
    electronic 13 65       what the electronic dice will show next, in an opening White's die first
    roll white 31          throw two dice (or press the button, or enter them, as the match has it)
    move white 13/10 6/5   move checkers, hit ones to the bar, hand away, the camera looks
    slide white 24/22      the same without a look
    put 13 -3 14 0         make site 13 hold three black checkers and site 14 none; no look
    bar white 1            make White's side of the bar hold one checker; no look
    hand                   a hand comes over the board
    look                   the camera looks at the board at rest; "look hidden 4 5" with sites hidden
    lift white             White takes his dice off; the camera looks
    cube field 2           the cube lies at "center", "white", "black" or "field", this value up; the camera looks
    press clock white      buttons: clock, roll, double, take, drop, director
    wait 3                 seconds go by
    camera lost            what the watcher reports: lost, found, moved, registered, help
    lag 3                  from now on pictures arrive so many seconds after they were taken
    choose 1               answer the question with its first choice
    restart                the power goes: everything is built again from the journal
    command NAME key=value ...    a command of the desk, see ``COMMANDS``

What the table must do, in order; events of type ``clock`` and ``link`` may come in between::

    expect play player=white play="13/10 6/5" roll=31
    expect nothing         no other event has come
    expect refused         the last line was refused
    expect lights 4 8      exactly these sites are lit ("none" for no light)
    expect turn black      whose turn light is on
    expect clock white=108 black=120 running=black paused=none
    expect state phase=moving score=1-0 roll=31 cube=2 owner=white game=1 crawford=yes board=TEXT
    expect buzz wrong      the sounder has sounded; "none" for silence
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from controller.board import START_BOARD, Board, CubeReading, DieReading
from controller.opponents import decide
from controller.ports import Pressed, Watched
from controller.rules import Color, Roll, parse_position, parse_roll
from controller.session import events, facts
from controller.session.clock import DOUBLES, ClockSetting
from controller.session.effects import Buzz, Consult, Emit, Refuse, RollDice, ShowLights
from controller.session.events import Event
from controller.session.ledger import replayed
from controller.session.lights import lights_of
from controller.session.settings import Settings
from controller.session.state import State
from controller.session.step import step
from controller.session.view import snapshot_of
from tests.simulated import after, observe, thrown

CLOCKS = {
    "none": ClockSetting(),
    "delay": ClockSetting("delay"),
    "doubles": DOUBLES,
    "20": ClockSetting("turn", delay_s=20.0, flag="game"),
    "40": ClockSetting("turn", delay_s=40.0, flag="game"),
}
SILENT = ("clock", "link")
"""Types of events that may come between expected ones."""


class ScenarioError(AssertionError):
    """A line of a scenario that did not hold; names file, line and what came instead."""


@dataclass
class Scenario:
    """One evening in the making.

    Attributes:
        state: what the session makes of it.
        board: where the checkers really stand.
        dice: the dice that lie on the table, by whose they are.
        cube: where the cube lies, None where it is not seen.
        at_s: time.
        lines: the journal of the match in progress.
        queue: events that no ``expect`` has met yet.
        refused: why the last line was refused.
        buzzed: what has sounded and was not expected yet.
        next_roll: what the electronic dice will show.
        coming_rolls: what they will show before that, one after the other.
        at_rest: nothing has moved since the camera looked last.
        lag_s: how long pictures take to arrive.
        coming: what the camera has seen and the table has not been told yet, with the time of its arrival.
    """

    state: State = field(default_factory=State)
    board: Board = START_BOARD
    dice: dict[Color, tuple[DieReading, ...]] = field(default_factory=dict)
    cube: CubeReading | None = None
    at_s: float = 0.0
    lines: list[dict[str, Any]] = field(default_factory=list)
    queue: list[dict[str, Any]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    buzzed: list[str] = field(default_factory=list)
    next_roll: tuple[int, int] = (1, 1)
    coming_rolls: list[tuple[int, int]] = field(default_factory=list)
    throws: int = 0
    at_rest: bool = False
    lag_s: float = 0.0
    coming: list[tuple[float, Event]] = field(default_factory=list)

    # what people do

    def happen(self, event: Event) -> None:
        """Let one event happen, at once or, if the camera saw it, when its picture arrives."""
        if isinstance(event, Watched | events.Observed):
            self.at_rest = event.kind == "still" if isinstance(event, Watched) else not event.observation.hand
            self.coming.append((self.at_s + self.lag_s, event))
            self.arrive()
        else:
            self.arrive()
            self.step(event)

    def arrive(self) -> None:
        """Let the pictures happen that have arrived by now, in the order in which they were taken."""
        while self.coming and self.coming[0][0] <= self.at_s:
            self.step(self.coming.pop(0)[1])

    def step(self, event: Event) -> None:
        """Let one event happen now, and check the laws that hold in every state."""
        self.state, effects = step(self.state, event)
        for effect in effects:
            match effect:
                case Emit(body=body):
                    if body["seq"] == 1:
                        self.lines.clear()
                    self.lines.append(dict(body))
                    self.queue.append(dict(body))
                case Refuse(reason=reason):
                    self.refused.append(reason)
                case Buzz(pattern=pattern):
                    self.buzzed.append(pattern)
                case RollDice():
                    self._answer_dice(effect)
                case Consult():
                    decision = decide(effect.match, effect.level)
                    self.happen(events.Decided(effect.about, decision, self.at_s))
                case _:
                    pass
        for color in Color:
            board = self.state.ledger.board
            assert board.on_board(color) + board.off(color) == 15

    def _answer_dice(self, effect: RollDice) -> None:
        first, second = self.coming_rolls.pop(0) if self.coming_rolls else self.next_roll
        if effect.opening:
            self.happen(facts.OpeningRolled(at_s=self.at_s, white=first, black=second, source="electronic"))
        else:
            roll = Roll.of(first, second)
            self.happen(
                facts.Rolled(
                    at_s=self.at_s, player=effect.player, roll=roll, source="electronic", roll_id=effect.roll_id
                )
            )

    def match(self, length: str, *options: str) -> None:
        chosen = dict(option.split("=", 1) for option in options)
        rules = chosen.pop("rules", "international")
        names = tuple(chosen.pop("players", "Ann,Bob").split(","))
        score = chosen.pop("score", "0-0")
        fields: dict[str, Any] = {"dice": "camera"}
        keys: dict[str, str] = {}
        flag = chosen.pop("flag", None)
        for name, value in chosen.items():
            if name == "signals":
                fields[name] = frozenset(value.split(","))
            elif name == "clock":
                fields[name] = replace(CLOCKS[value], **({"flag": flag} if flag else {}))
            elif name in ("tournament", "sound", "next_game"):
                fields[name] = value == "yes"
            elif name == "computer":
                fields[name] = Color(value)
            elif name in ("quiet_s", "alert_after_s"):
                fields[name] = float(value)
            elif name in Settings.__dataclass_fields__:
                fields[name] = value
            else:
                keys[name] = value
        self.board, self.dice = START_BOARD, {}
        white, black = (int(n) for n in score.split("-"))
        self.happen(
            facts.MatchStarted(
                at_s=self.at_s,
                match_id=f"match-{self.throws}-{len(self.lines)}",
                players=(names[0], names[1]),
                length=int(length),
                rules=rules,
                keys=keys,
                settings=Settings(**fields),
                score=(white, black),
            )
        )

    def position(self, text: str, turn: str) -> None:
        self.board = Board.of(parse_position(text), Color.WHITE)
        self.happen(facts.PositionSet(at_s=self.at_s, position=self.board, turn=Color(turn)))

    def opening(self, white: str, black: str) -> None:
        mode = self.state.ledger.settings.dice
        if mode == "camera":
            for player, face in ((Color.WHITE, white), (Color.BLACK, black)):
                self.throw(player, Roll.of(int(face), int(face)))
                self.dice[player] = self.dice[player][:1]
            self.look()
        elif mode == "electronic":
            self.next_roll = (int(white), int(black))
            self.press("roll", "white")
        else:
            self.happen(facts.OpeningRolled(at_s=self.tick(), white=int(white), black=int(black), source="keyed"))

    def electronic(self, *rolls: str) -> None:
        self.coming_rolls += [(int(first), int(second)) for first, second in rolls]

    def roll(self, player: str, text: str, *how: str) -> None:
        mode, roll = self.state.ledger.settings.dice, parse_roll(text)
        if mode == "camera":
            self.throw(Color(player), roll)
            if "unseen" not in how:
                self.look()
        elif mode == "electronic":
            self.next_roll = (roll.high, roll.low)
            self.press("roll", player)
        else:
            self.happen(facts.Rolled(at_s=self.tick(), player=Color(player), roll=roll, source="keyed"))

    def throw(self, player: Color, roll: Roll) -> None:
        self.throws += 1
        number = 0 if player is Color.WHITE else 1
        x = 150.0 + 400 * number + 83 * (self.throws % 4)
        self.dice[player] = thrown(roll, number, at=(x, 250.0 + 31 * (self.throws % 5)))

    def move(self, player: str, *text: str) -> None:
        self.slide(player, *text)
        self.look()

    def slide(self, player: str, *text: str) -> None:
        self.happen(Watched("moving", self.tick()))
        self.board = after(self.board, Color(player), " ".join(text))

    def put(self, *pairs: str) -> None:
        points = list(self.board.points)
        for site, count in zip(pairs[::2], pairs[1::2], strict=True):
            points[int(site) - 1] = int(count)
        self.happen(Watched("moving", self.tick()))
        self.board = Board(tuple(points), self.board.bar)

    def bar(self, player: str, count: str) -> None:
        white, black = self.board.bar
        self.happen(Watched("moving", self.tick()))
        bar = (int(count), black) if player == "white" else (white, int(count))
        self.board = Board(self.board.points, bar)

    def hand(self) -> None:
        self.happen(Watched("hand", self.tick()))
        self.happen(events.Observed(observe(self.board, self.tick(), hand=True)))

    def look(self, *hidden: str) -> None:
        dice = [die for player in Color for die in self.dice.get(player, ())]
        sites = frozenset(int(site) for site in hidden if site != "hidden")
        seen = observe(self.board, self.tick(), dice=dice, hidden=sites)
        self.happen(events.Observed(replace(seen, cube=self.cube)))

    def lift(self, player: str) -> None:
        self.dice.pop(Color(player), None)
        self.look()

    def put_cube(self, at: str, value: str) -> None:
        self.cube = CubeReading(int(value), at)
        self.look()

    def press(self, button: str, player: str) -> None:
        self.happen(Pressed(button, Color(player), self.tick()))

    def wait(self, seconds: str) -> None:
        end_s = self.at_s + float(seconds)
        while self.at_s < end_s - 1e-9:
            self.at_s = min(end_s, self.at_s + 0.25)
            self.happen(events.TimePassed(self.at_s))
            self.happen(Watched("still" if self.at_rest else "moving", self.at_s))

    def camera(self, kind: str) -> None:
        self.happen(Watched(kind, self.tick(), detail=f"the camera is {kind}"))

    def lag(self, seconds: str) -> None:
        self.lag_s = float(seconds)

    def choose(self, number: str) -> None:
        self.happen(events.Chosen(int(number) - 1, self.tick()))

    def restart(self) -> None:
        ledger = replayed(self.lines)
        assert ledger == self.state.ledger, "the journal does not tell the state"
        self.state = State(ledger, at_s=self.at_s)
        self.happen(events.Restarted(self.tick()))

    def command(self, name: str, *options: str) -> None:
        self.happen(COMMANDS[name](self, dict(option.split("=", 1) for option in options)))

    def tick(self) -> float:
        self.at_s += 0.01
        return self.at_s

    def event(self, kind: str, back: int) -> dict[str, Any]:
        """Return the last event of a type that still holds, the one before it for ``back`` 2, and so on."""
        ledger = self.state.ledger
        seqs = {entry.seq for entry in ledger.line} | {change.seq for change in ledger.changes}
        found = [body for body in self.lines if body["type"] == kind and body["seq"] in seqs]
        return found[-back]

    # what the table must do

    def expect(self, what: str, *options: str) -> None:
        checks: dict[str, Callable[..., None]] = {
            "nothing": self.expect_nothing,
            "refused": self.expect_refused,
            "lights": self.expect_lights,
            "turn": self.expect_turn,
            "clock": self.expect_clock,
            "state": self.expect_state,
            "buzz": self.expect_buzz,
        }
        if what in checks and not (what == "clock" and any(o.startswith("action=") for o in options)):
            checks[what](*options)
            return
        while self.queue and self.queue[0]["type"] in SILENT and self.queue[0]["type"] != what:
            self.queue.pop(0)
        assert self.queue, f"expected {what}, but nothing came"
        body = self.queue.pop(0)
        assert body["type"] == what, f"expected {what}, got {_short(body)}"
        for option in options:
            name, value = option.split("=", 1)
            assert _text(name, body.get(name)) == value, f"expected {name}={value}, got {_short(body)}"

    def expect_nothing(self) -> None:
        left = [_short(body) for body in self.queue if body["type"] not in SILENT]
        assert not left, f"expected nothing more, got {left}"
        self.queue.clear()

    def expect_refused(self, *words: str) -> None:
        assert self.refused, "expected a refusal"
        reason = self.refused.pop()
        assert all(word in reason for word in words), f"refused because {reason!r}"
        self.refused.clear()

    def lights(self) -> ShowLights:
        return lights_of(self.state)

    def expect_lights(self, *sites: str) -> None:
        lit = [str(site) for site, _ in self.lights().lights]
        assert lit == ([] if sites == ("none",) else list(sites)), f"lit are {lit}"

    def expect_turn(self, player: str) -> None:
        turn = self.lights().turn
        assert (turn.value if turn else "none") == player, f"the turn light is {turn}"

    def expect_clock(self, *options: str) -> None:
        clock = snapshot_of(self.state.ledger, self.at_s).clock
        assert clock is not None, "there is no clock"
        shown = {
            "white": clock.reserve_s[0],
            "black": clock.reserve_s[1],
            "delay": clock.delay_s,
            "running": clock.running.value if clock.running else "none",
            "paused": clock.paused or "none",
        }
        for option in options:
            name, value = option.split("=", 1)
            there = shown[name]
            right = abs(there - float(value)) < 0.6 if isinstance(there, float) else there == value
            assert right, f"the clock shows {shown}"

    def expect_state(self, *options: str) -> None:
        now = snapshot_of(self.state.ledger, self.at_s)
        shown = {
            "phase": now.phase,
            "score": f"{now.score[0]}-{now.score[1]}",
            "roll": str(now.roll) if now.roll else "none",
            "cube": str(now.cube_value),
            "owner": now.cube_owner.value if now.cube_owner else "none",
            "game": str(now.game),
            "crawford": "yes" if now.crawford else "no",
            "turn": now.turn.value if now.turn else "none",
            "question": "none" if now.question is None else now.question["type"],
            "board": str(now.board.seen_by(Color.WHITE)),
            "camera": now.link.get("camera", "none"),
        }
        for option in options:
            name, value = option.split("=", 1)
            assert shown[name] == value, f"expected {name}={value}, the state is {shown}"

    def expect_buzz(self, pattern: str) -> None:
        silent = pattern == "none" and not self.buzzed
        assert silent or pattern in self.buzzed, f"sounded: {self.buzzed}"
        self.buzzed.clear()


def _text(name: str, value: Any) -> str:
    """Return a JSON value as a scenario writes it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ("" if name == "roll" else ",").join(str(n) for n in value)
    return str(value)


def _short(body: dict[str, Any]) -> str:
    hidden = ("settings", "position", "keys", "nearest_position", "stands", "moves")
    return str({name: value for name, value in body.items() if name not in hidden and value is not None})


def _correction(table: Scenario, options: dict[str, str]) -> Event:
    of = table.event(options.pop("of", "play"), int(options.pop("back", "1")))["seq"]
    take_back = options.pop("take_back", "no") == "yes"
    content: dict[str, Any] = {}
    for name, value in options.items():
        if name == "roll":
            roll = parse_roll(value)
            content[name] = [roll.high, roll.low]
        elif name in ("illegal", "awarded"):
            content[name] = value == "yes"
        elif name in ("points", "white", "black", "length"):
            content[name] = int(value)
        else:
            content[name] = value
    return events.Correct(of=of, content=content or None, take_back=take_back, at_s=table.tick())


COMMANDS: dict[str, Callable[[Scenario, dict[str, str]], Event]] = {
    "correct": _correction,
    "condone": lambda table, _: events.Condoned(table.tick()),
    "scan": lambda table, _: events.Scanned(table.tick()),
    "point_out": lambda table, o: events.PointedOut(Color(o["player"]), table.tick()),
    "start_game": lambda table, _: facts.GameStarted(at_s=table.tick()),
    "end_match": lambda table, o: facts.MatchEnded(
        at_s=table.tick(), winner=None, score=table.state.ledger.score(), reason=o.get("reason", "")
    ),
    "cube": lambda table, o: facts.CubeTurned(at_s=table.tick(), player=Color(o["player"]), action=o["action"]),
    "resign": lambda table, o: facts.Resigned(
        at_s=table.tick(), player=Color(o["player"]), action=o["action"], level=int(o.get("level", "1"))
    ),
    "leave": lambda table, o: facts.Left(at_s=table.tick(), player=Color(o["player"])),
    "score": lambda table, o: facts.ScoreSet(at_s=table.tick(), score=(int(o["white"]), int(o["black"]))),
    "pause": lambda table, o: facts.ClockSet(at_s=table.tick(), action="pause", reason=o["reason"]),
    "resume": lambda table, _: facts.ClockSet(at_s=table.tick(), action="resume"),
    "edit_clock": lambda table, o: facts.ClockSet(
        at_s=table.tick(), action="edit", reserve_s=(float(o["white"]), float(o["black"]))
    ),
    "withdraw_roll": lambda table, o: facts.RollWithdrawn(
        at_s=table.tick(), player=Color(o["player"]), roll=parse_roll(o["roll"]), reason=o["reason"]
    ),
    "award": lambda table, o: facts.GameEnded(
        at_s=table.tick(),
        winner=Color(o["winner"]),
        points=int(o["points"]),
        kind=o.get("kind", "single"),
        ending="resignation",
        awarded=True,
    ),
}
"""Commands of the desk by name; each makes an event of its options."""

VERBS = {"cube": "put_cube"}


def run(path: Path) -> Scenario:
    """Play a scenario.

    Raises:
        ScenarioError: names the line that did not hold.
    """
    table = Scenario()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        words = shlex.split(line, comments=True)
        if not words:
            continue
        try:
            if words[0] != "expect":
                assert not table.refused, f"the line before was refused: {table.refused}"
            getattr(table, VERBS.get(words[0], words[0]))(*words[1:])
        except (AssertionError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise ScenarioError(f"{path.name}:{number}: {line.strip()!r}: {error!r}") from error
    try:
        table.expect_nothing()
        assert not table.refused, f"refused: {table.refused}"
        assert replayed(table.lines) == table.state.ledger, "the journal does not tell the state"
    except AssertionError as error:
        raise ScenarioError(f"{path.name}: at the end: {error}") from error
    return table
