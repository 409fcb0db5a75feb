"""A table in the middle of an evening: the real one, on a simulated board and a simulated camera, in virtual time.

The program is put together as it is at a real table, down to the thread of its link, so that a scenario proves
what runs there and nothing has to be done a second time here; virtual time keeps it exact, and fast.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import weakref
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.board import SITES, Board, Observation
from controller.errors import IllegalActionError
from controller.hardware.link import SerialLink
from controller.hardware.parts import (
    BUTTONS,
    TURN_LIGHTS,
    SerialButtons,
    SerialBuzzer,
    SerialDice,
    SerialLights,
    configure,
)
from controller.hardware.peer import Faults, Peer
from controller.opponents.seat import Seat
from controller.ports import Pressed, Watched
from controller.protocol import Pattern, ResetCause
from controller.rules import Color
from controller.session.buttons import MEANT
from controller.session.effects import ShowDice, ShowLights
from controller.session.events import Event, Observed
from controller.session.facts import fact_of
from controller.session.ledger import Ledger, apply
from controller.session.state import State
from controller.session.step import shown
from controller.storage import Journal
from controller.table import Table
from controller.wiring.assembly import tell_link
from tests.hardware.virtual import VirtualClock, VirtualLink, virtual_loop

AT_ONCE_S = 1e-6
"""So long everything takes that needs no time."""

LOOKS_EVERY_S = 0.25
"""How often the camera says that the board is at rest."""

SAME_BUTTON = {what: button for button, what in MEANT.items()}
"""A board has three buttons for each player: whoever has to answer says yes and no with two of them."""

MEANINGS = {meaning: button for button, meaning in BUTTONS.items()}


class Camera:
    """Sees what it is shown; a `BoardWatcher`.

    Attributes:
        lag_s: how late its pictures arrive.
        rereads: whether it reads a board again when it is asked to.
        corrected: what it reads then; None when that is what it has read before.
    """

    def __init__(self, clock: VirtualClock) -> None:
        self.lag_s = 0.0
        self.rereads = True
        self.corrected: Observation | None = None
        self._clock = clock
        self._coming: asyncio.Queue[tuple[float, Observation | Watched]] = asyncio.Queue()
        self._rests: Observation | None = None

    def see(self, seen: Observation | Watched, *, in_s: float = 0.0) -> None:
        """Take a picture, now or in a moment."""
        if isinstance(seen, Observation):
            self._rests = None if seen.hand else seen
        elif seen.kind != "still":
            self._rests = None
        self._coming.put_nowait((self._clock.now + in_s + self.lag_s, seen))

    async def watch(self) -> AsyncIterator[Observation | Watched]:
        """Yield pictures when they arrive, in the order in which they were taken."""
        while True:
            arrives_s, seen = await self._coming.get()
            await asyncio.sleep(arrives_s - self._clock.now)
            yield seen

    async def look_on(self, duration_s: float, kind: str) -> None:
        """Say a few times a second how the board looks, for so long."""
        end_s = self._clock.now + duration_s
        while (left_s := end_s - self._clock.now) > 0:
            await asyncio.sleep(min(left_s, LOOKS_EVERY_S))
            self.see(Watched(kind, self._clock.now))

    def confirm(self, board: Board) -> None:
        """Know already what stands on the board."""

    def read_again(self) -> None:
        """Read the board at rest once more."""
        if self.rereads and self._rests is not None:
            seen = replace(self.corrected or self._rests, at_s=self._clock.now + AT_ONCE_S / 10)
            self.see(seen, in_s=AT_ONCE_S / 10)

    async def close(self) -> None:
        """Go on: it has its own plug."""


class Throws:
    """The electronic dice's rolls, known beforehand (`Thrower`).

    Attributes:
        coming: what they will show, one after the other.
        then: what they will show when nothing else is left.
    """

    def __init__(self) -> None:
        self.coming: list[tuple[int, int]] = []
        self.then = (1, 1)

    def throw(self, roll_id: int, player: Color, pressed_s: float) -> tuple[int, int]:
        """Return what is written."""
        return self.coming.pop(0) if self.coming else self.then

    def lines(self) -> list[dict[str, Any]]:
        """Return nothing: such rolls have no log."""
        return []


class Display:
    """A publisher that keeps what it was told.

    Attributes:
        lines: the journal of the match in progress.
        queue: events that nobody has asked for yet.
        replayed: what the journal tells, followed line by line.
        lost: events after which there were not thirty checkers.
    """

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.queue: list[dict[str, Any]] = []
        self.replayed = Ledger()
        self.lost: list[str] = []

    async def publish(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        """Take one event."""
        body = dict(event)
        if body["seq"] == 1:
            self.lines.clear()
            self.replayed = Ledger()
        self.lines.append(body)
        self.queue.append(body)
        self.replayed = apply(self.replayed, fact_of(body))
        board = self.replayed.board
        self.lost += [str(body) for color in Color if board.on_board(color) + board.off(color) != 15]


class _Heard(Table):
    """A table of which can be heard why something was refused; another one writes it into its log."""

    def __init__(self, journal: Journal, refused: list[str], **ports: Any) -> None:
        super().__init__(journal, **ports)
        self._refused = refused

    async def _happen(self, event: Event) -> str | None:
        refused = await super()._happen(event)
        if refused is not None:
            self._refused.append(refused)
        return refused


class World:
    """The table, its board and its camera.

    Attributes:
        clock: the time, which passes in `let` alone.
        peer: the simulated board.
        watcher: sees what `happen` shows it.
        throws: what the electronic dice will show.
        display: what the table has told.
        refused: why it has refused something.
        table: the table as it runs now.
    """

    def __init__(self) -> None:
        self.clock = clock = VirtualClock()
        self.peer = Peer(clock.now_s, sleep=clock.sleep)
        self.throws = Throws()
        self.display = Display()
        self.refused: list[str] = []
        self._owned = contextlib.ExitStack()
        self._program = contextlib.ExitStack()
        weakref.finalize(self, self._owned.close)
        folder = self._owned.enter_context(tempfile.TemporaryDirectory())
        self._journal = self._owned.enter_context(
            contextlib.closing(Journal.open(Path(folder) / "journal.sqlite"))
        )
        self._runner = self._owned.enter_context(asyncio.Runner(loop_factory=lambda: virtual_loop(clock)))
        self._owned.enter_context(self._program)
        self.watcher = Camera(clock)
        self._runner.run(self._switch_on())

    def close(self) -> None:
        """End the evening; one that is forgotten ends by itself."""
        self._owned.close()

    async def _switch_on(self) -> None:
        """Put the program together on the board and the journal, and let it run."""
        self.link: SerialLink = VirtualLink(self.peer, self.clock)
        configure(self.link, brightness=96, sensors=False)
        self.table: Table = _Heard(
            self._journal,
            self.refused,
            watcher=self.watcher,
            buttons=SerialButtons(self.link),
            dice=SerialDice(self.link),
            thrower=self.throws,
            lights=SerialLights(self.link),
            buzzer=SerialBuzzer(self.link),
            opponent=Seat("own"),
            publishers=[self.display],
            now_s=self.clock.now_s,
        )
        assert self.table.state.ledger == self.display.replayed, "the journal does not tell the state"
        tell_link(self.table, self.link)
        self._running = asyncio.create_task(self.table.run())
        self._program.callback(_end, self._runner, self.table, self._running)
        self.link.start()
        self._program.callback(self.link.close)
        await asyncio.sleep(AT_ONCE_S)

    def restart(self) -> None:
        """Switch everything off and on again."""
        self._program.close()
        self.peer.reset(ResetCause.POWER_ON)
        self._runner.run(self._switch_on())

    def let(self, duration_s: float, look_on: str | None = None) -> None:
        """Let time pass; a camera that looks on says meanwhile that the board is ``"still"`` or ``"moving"``."""
        if look_on is not None:
            self._runner.run(self.watcher.look_on(duration_s, look_on))
            duration_s = AT_ONCE_S
        self._runner.run(asyncio.sleep(duration_s))
        if self._running.done():
            self._running.result()

    def check(self) -> None:
        """Check the laws: thirty checkers, a journal that tells the state, a board that shows it.

        Raises:
            AssertionError: one does not.
        """
        assert not self.display.lost, f"not thirty checkers: {self.display.lost}"
        assert self.display.replayed == self.state.ledger, "the journal does not tell the state"
        if self.link.state.kind != "ok" or self.peer.faults != Faults():
            return
        for wanted in shown(self.state):
            match wanted:
                case ShowLights(lights=lights, turn=turn):
                    assert self.lit() == [site for site, _ in lights], (
                        f"the board lights {self.lit()}, not {lights}"
                    )
                    assert self.turn_light() is turn, f"the board's turn light is {self.turn_light()}, not {turn}"
                case ShowDice(roll=roll, player=player):
                    assert self.dice_shown() == {player: tuple(roll)}, f"the dice show {self.dice_shown()}"

    def tick(self) -> float:
        """Let a moment pass; return the time."""
        self.let(0.01)
        return self.clock.now

    def happen(self, event: Event) -> None:
        """Let one event happen, in front of the camera, at the board or at the desk, and all that comes of it."""
        match event:
            case Observed(observation=seen):
                self.watcher.see(seen)
            case Watched():
                self.watcher.see(event)
            case Pressed(button=button, player=player) if button != "director":
                self.peer.press(MEANINGS[SAME_BUTTON.get(button, button), player])
            case _:
                self._runner.run(self._command(event))
        self.let(AT_ONCE_S)

    async def _command(self, event: Event) -> None:
        with contextlib.suppress(IllegalActionError):  # it has been heard
            await self.table.submit(event)

    # what can be seen and heard

    @property
    def state(self) -> State:
        """What the session makes of it."""
        return self.table.state

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The journal of the match in progress."""
        return self.display.lines

    @property
    def queue(self) -> list[dict[str, Any]]:
        """Events that nobody has asked for yet."""
        return self.display.queue

    def lit(self) -> list[int]:
        """Return the sites at which the board shows a light, one that runs to another site among them."""
        lights, running = self.peer.lights, {chase.origin + 1 for chase in self.peer.chases}
        return [site for site in SITES if site in running or any(lights[3 * site - 3 : 3 * site])]

    def turn_light(self) -> Color | None:
        """Return at whose edge the board shows the turn light."""
        lights = self.peer.lights
        lit = [color for color, strip in TURN_LIGHTS.items() if all(any(lights[3 * i : 3 * i + 3]) for i in strip)]
        assert len(lit) < 2, "both turn lights are lit"
        return lit[0] if lit else None

    def dice_shown(self) -> dict[Color, tuple[int, int]]:
        """Return what the board's dice show, and on whose side."""
        one, two, three, four = self.peer.dice
        sides = {Color.WHITE: (one, two), Color.BLACK: (three, four)}
        return {color: faces for color, faces in sides.items() if any(faces)}

    def sounds(self) -> list[str]:
        """Return what has sounded since this was asked last."""
        sounded = [Pattern(pattern).name.lower() for pattern in self.peer.buzzed]
        self.peer.buzzed.clear()
        return sounded


def _end(runner: asyncio.Runner, table: Table, running: asyncio.Task[None]) -> None:
    """End a table."""

    async def end() -> None:
        await table.close()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    runner.run(end())
