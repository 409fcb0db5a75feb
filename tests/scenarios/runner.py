"""The scenario language: an evening at the table as readable text, and the runner that plays it.

A scenario is a file of lines; ``#`` begins a comment. A line says what people do, and ``expect`` says what the
table must do. What lies on the table (checkers, dice, cube) is kept here. The table is the real one, on a board
that is simulated, whose buttons are pressed and whose lights, dice and sounds are looked at: so a scenario proves
the wire too, and nothing carries out effects a second time (`tests.scenarios.world`).

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
    press clock white      the board's buttons: clock, roll, double; take and drop are the double and roll button
                           of whoever has to answer; the director is called at the desk
    wait 3                 seconds go by
    camera lost            what the watcher reports: lost, found, moved, registered, help
    lag 3                  from now on pictures arrive so many seconds after they were taken
    choose 1               answer the question with its first choice
    restart                the power goes: the board starts anew, everything else is built again from the journal
    cable out              a fault of the wire, see ``FAULTS``: the board's cable comes out, "cable in" ends it
    command NAME key=value ...    a command of the desk, see ``COMMANDS``

What the table must do, in order; events of type ``clock`` and ``link`` may come in between::

    expect play player=white play="13/10 6/5" roll=31
    expect nothing         no other event has come
    expect refused         the last line was refused
    expect lights 4 8      exactly these sites are lit ("none" for no light)
    expect turn black      whose turn light is on
    expect dice black 62   what the board's dice show, and to whom; "none" where they are out
    expect clock white=108 black=120 running=black paused=none
    expect state phase=moving score=1-0 roll=31 cube=2 owner=white game=1 crawford=yes link=ok board=TEXT
    expect buzz wrong      the sounder has sounded; "none" for silence

After each line the laws of `World.check` hold, one of which is that the board shows what the game is at.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.board import START_BOARD, Board, CubeReading, DieReading
from controller.hardware.peer import Faults, Peer
from controller.ports import Pressed, Watched
from controller.rules import Color, Roll, parse_position, parse_roll
from controller.session import events, facts
from controller.session.clock import DOUBLES, ClockSetting
from controller.session.events import Event
from controller.session.settings import Settings
from tests.scenarios.checks import expect, nothing
from tests.scenarios.world import World
from tests.simulated import after, observe, thrown

CLOCKS = {
    "none": ClockSetting(),
    "delay": ClockSetting("delay"),
    "doubles": DOUBLES,
    "20": ClockSetting("turn", delay_s=20.0, flag="game"),
    "40": ClockSetting("turn", delay_s=40.0, flag="game"),
}


class ScenarioError(AssertionError):
    """A line of a scenario that did not hold; names file, line and what came instead."""


class Scenario(World):
    """One evening in the making: what lies on the table, and what people do with it.

    Attributes:
        board: where the checkers really stand.
        dice: the dice that lie on the table, by whose they are.
        cube: where the cube lies, None where it is not seen.
        at_rest: nothing has moved since the camera looked last.
    """

    def __init__(self) -> None:
        super().__init__()
        self.board = START_BOARD
        self.dice: dict[Color, tuple[DieReading, ...]] = {}
        self.cube: CubeReading | None = None
        self.at_rest = False
        self._throws = 0
        self._matches = 0

    def happen(self, event: Event) -> None:
        """Let one event happen."""
        if isinstance(event, Watched):
            self.at_rest = event.kind == "still"
        elif isinstance(event, events.Observed):
            self.at_rest = not event.observation.hand
        super().happen(event)

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
        self._matches += 1
        white, black = (int(n) for n in score.split("-"))
        self.happen(
            facts.MatchStarted(
                match_id=f"match-{self._matches}",
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
        self.happen(facts.PositionSet(position=self.board, turn=Color(turn)))

    def opening(self, white: str, black: str) -> None:
        mode = self.state.ledger.settings.dice
        if mode == "camera":
            for player, face in ((Color.WHITE, white), (Color.BLACK, black)):
                self.throw(player, Roll.of(int(face), int(face)))
                self.dice[player] = self.dice[player][:1]
            self.look()
        elif mode == "electronic":
            self.throws.then = (int(white), int(black))
            self.press("roll", "white")
        else:
            self.happen(facts.OpeningRolled(white=int(white), black=int(black), source="keyed"))

    def electronic(self, *rolls: str) -> None:
        self.throws.coming += [(int(first), int(second)) for first, second in rolls]

    def roll(self, player: str, text: str, *how: str) -> None:
        mode, roll = self.state.ledger.settings.dice, parse_roll(text)
        if mode == "camera":
            self.throw(Color(player), roll)
            if "unseen" not in how:
                self.look()
        elif mode == "electronic":
            self.throws.then = (roll.high, roll.low)
            self.press("roll", player)
        else:
            self.happen(facts.Rolled(player=Color(player), roll=roll, source="keyed"))

    def throw(self, player: Color, roll: Roll) -> None:
        self._throws += 1
        number = 0 if player is Color.WHITE else 1
        x = 150.0 + 400 * number + 83 * (self._throws % 4)
        self.dice[player] = thrown(roll, number, at=(x, 250.0 + 31 * (self._throws % 5)))

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
        self.let(float(seconds), look_on="still" if self.at_rest else "moving")

    def camera(self, kind: str) -> None:
        self.happen(Watched(kind, self.tick(), detail=f"the camera is {kind}"))

    def lag(self, seconds: str) -> None:
        self.watcher.lag_s = float(seconds)

    def choose(self, number: str) -> None:
        self.happen(events.Chosen(int(number) - 1, self.tick()))

    def fault(self, words: str) -> None:
        FAULTS[words](self.peer)
        self.tick()

    def command(self, name: str, *options: str) -> None:
        self.tick()
        self.happen(COMMANDS[name](self, dict(option.split("=", 1) for option in options)))

    def event(self, kind: str, back: int) -> dict[str, Any]:
        """Return the last event of a type that still holds, the one before it for ``back`` 2, and so on."""
        ledger = self.state.ledger
        seqs = {entry.seq for entry in ledger.line} | {change.seq for change in ledger.changes}
        found = [body for body in self.lines if body["type"] == kind and body["seq"] in seqs]
        return found[-back]


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
    return events.Correct(of=of, content=content or None, take_back=take_back)


COMMANDS: dict[str, Callable[[Scenario, dict[str, str]], Event]] = {
    "correct": _correction,
    "condone": lambda table, _: events.Condoned(),
    "scan": lambda table, _: events.Scanned(),
    "point_out": lambda table, o: events.PointedOut(Color(o["player"])),
    "start_game": lambda table, _: facts.GameStarted(),
    "end_match": lambda table, o: facts.MatchEnded(
        winner=None, score=table.state.ledger.score(), reason=o.get("reason", "")
    ),
    "cube": lambda table, o: facts.CubeTurned(player=Color(o["player"]), action=o["action"]),
    "resign": lambda table, o: facts.Resigned(
        player=Color(o["player"]), action=o["action"], level=int(o.get("level", "1"))
    ),
    "leave": lambda table, o: facts.Left(player=Color(o["player"])),
    "score": lambda table, o: facts.ScoreSet(score=(int(o["white"]), int(o["black"]))),
    "pause": lambda table, o: facts.ClockSet(action="pause", reason=o["reason"]),
    "resume": lambda table, _: facts.ClockSet(action="resume"),
    "edit_clock": lambda table, o: facts.ClockSet(action="edit", reserve_s=(float(o["white"]), float(o["black"]))),
    "withdraw_roll": lambda table, o: facts.RollWithdrawn(
        player=Color(o["player"]), roll=parse_roll(o["roll"]), reason=o["reason"]
    ),
    "award": lambda table, o: facts.GameEnded(
        winner=Color(o["winner"]),
        points=int(o["points"]),
        kind=o.get("kind", "single"),
        ending="resignation",
        awarded=True,
    ),
}
"""Commands of the desk by name; each makes an event of its options."""


def _spoiled(**faults: Any) -> Callable[[Peer], None]:
    """Return what gives a board's wire exactly these faults."""

    def spoil(board: Peer) -> None:
        board.faults = Faults(**faults)

    return spoil


FAULTS: dict[str, Callable[[Peer], None]] = {
    "cable out": Peer.unplug,
    "cable in": Peer.plug,
    "board restarts": Peer.reset,
    "noise on the line": _spoiled(drop_ppm=2000, garble_ppm=2000),
    "silence on the line": _spoiled(silent=True),
    "line good": _spoiled(),
}
"""Faults of the wire, and their ends; what was spoiled is made good within a second after."""

VERBS = {"cube": "put_cube"}


def play(table: Scenario, words: list[str]) -> None:
    """Play one line.

    Raises:
        AssertionError: it does not hold, or the table has refused the line before.
    """
    verb, *options = words
    if verb == "expect":
        expect(table, *options)
        return
    assert not table.refused, f"the line before was refused: {table.refused}"
    if " ".join(words) in FAULTS:
        table.fault(" ".join(words))
        return
    getattr(table, VERBS.get(verb, verb))(*options)
    table.check()


def run(path: Path) -> None:
    """Play a scenario.

    Raises:
        ScenarioError: names the line that did not hold.
    """
    with contextlib.closing(Scenario()) as table:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            words = shlex.split(line, comments=True)
            try:
                if words:
                    play(table, words)
            except (AssertionError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
                raise ScenarioError(f"{path.name}:{number}: {line.strip()!r}: {error!r}") from error
        try:
            nothing(table)
            assert not table.refused, f"refused: {table.refused}"
        except AssertionError as error:
            raise ScenarioError(f"{path.name}: at the end: {error}") from error
