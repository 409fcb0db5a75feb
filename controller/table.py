"""A session on real ports: what happens in, what is to be done out, and the journal in between.

An event is durable before anybody sees it: `Table` appends what `step` emits to the journal, and only then adopts
the new state, lights, shows and publishes. After a crash the state is what the journal says.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any, Protocol

from controller.board import Board, Observation
from controller.errors import BoardError, IllegalActionError, StorageError
from controller.ports import (
    BoardWatcher,
    Buttons,
    Buzzer,
    DiceSource,
    Opponent,
    PointLights,
    Publisher,
    Watched,
)
from controller.records.record import MatchRecord
from controller.rules import Color, Roll
from controller.session import facts
from controller.session.effects import (
    Buzz,
    ClearDice,
    Confirm,
    Consult,
    Effect,
    Emit,
    ReadAgain,
    Refuse,
    RollDice,
    ShowDice,
    ShowLights,
)
from controller.session.events import Correct, Decided, Event, Observed, Restarted, TimePassed
from controller.session.facts import fact_of
from controller.session.ledger import Ledger, apply
from controller.session.reading import observation_json
from controller.session.record import record_of
from controller.session.settings import Settings
from controller.session.snapshot import Snapshot, snapshot_json
from controller.session.state import State
from controller.session.step import shown, step
from controller.session.view import snapshot_of

TICK_S = 0.25
"""How often time passes for the session: a flag is called at most this late, and charged exactly."""

MARK_EVERY = 50
"""Every how many events a ledger is kept in memory, so that time travel replays no more than that."""

_log = logging.getLogger(__name__)


class JournalPort(Protocol):
    """What a table needs of a journal; `controller.storage.Journal` is one."""

    def append(self, *events: Mapping[str, Any], match_id: str) -> int:
        """Make events durable, all or none; return the number of the last one."""

    def events(self, match_id: str, after: int = 0, limit: int | None = 100) -> list[dict[str, Any]]:
        """Return the events with numbers above `after`."""

    def matches(self) -> list[str]:
        """Return the ids of all matches, oldest first."""


class EvidencePort(Protocol):
    """Where settled frames are kept; `controller.storage.Evidence` is one."""

    def keep(self, match_id: str, seq: int, frame: str, picture: bytes, reading: Mapping[str, Any]) -> None:
        """Keep one settled frame after event `seq`."""


class Thrower(Protocol):
    """Where electronic rolls come from."""

    def throw(self, roll_id: int, player: Color, pressed_s: float) -> tuple[int, int]:
        """Return two fair faces, durable; a roll that was made and never journalled comes again.

        Args:
            roll_id: names the roll; the same one again gives the same faces.
            player: who pressed the button.
            pressed_s: when he pressed it, the table's monotonic time.
        """

    def lines(self) -> list[dict[str, Any]]:
        """Return the log of this match's rolls as it is published: nothing in it tells a roll to come."""


PictureOf = Callable[[str], bytes | None]
"""Returns the JPEG bytes of a frame by its name, or None when it is gone."""


class Table:
    """Runs one table. Everything is called on one event loop.

    `made` says where its rolls come from and what ends a turn, whoever starts a match.

    Attributes:
        table_id: name of the table.
        simulated: nothing of it is a real board.
    """

    def __init__(
        self,
        journal: JournalPort,
        *,
        table_id: str = "table-1",
        simulated: bool = False,
        watcher: BoardWatcher | None = None,
        buttons: Buttons | None = None,
        dice: DiceSource | None = None,
        thrower: Thrower | None = None,
        lights: PointLights | None = None,
        buzzer: Buzzer | None = None,
        opponent: Opponent | None = None,
        made: Settings | None = None,
        evidence: EvidencePort | None = None,
        picture_of: PictureOf | None = None,
        publishers: Iterable[Publisher] = (),
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.table_id = table_id
        self.simulated = simulated
        self._journal = journal
        self._watcher = watcher
        self._buttons = buttons
        self._dice = dice
        self._thrower = thrower
        self._lights = lights
        self._buzzer = buzzer
        self._opponent = opponent
        self._made = made
        self._thinking: set[asyncio.Task[None]] = set()
        self._evidence = evidence
        self._picture_of = picture_of
        self._publishers = list(publishers)
        self._now_s = now_s
        self._lock = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self._link: dict[str, str] = {}
        self._marks: list[Ledger] = []
        self._state = State(self._resumed(), at_s=now_s())

    def _resumed(self) -> Ledger:
        """Return the record as the journal tells it, the newest match."""
        matches = self._journal.matches()
        if not matches:
            return Ledger()
        ledger = Ledger()
        for body in self._journal.events(matches[-1], 0, None):
            ledger = apply(ledger, fact_of(body))
            self._mark(ledger)
        return ledger

    def _mark(self, ledger: Ledger) -> None:
        if ledger.seq == 1:
            self._marks.clear()
        if ledger.seq % MARK_EVERY == 0:
            self._marks.append(ledger)

    @property
    def state(self) -> State:
        """Everything the table knows after the newest durable event."""
        return self._state

    @property
    def match_id(self) -> str:
        """The match in progress or the last one, empty before the first."""
        started = self._state.ledger.started
        return started.match_id if started is not None else ""

    @property
    def tournament(self) -> bool:
        """Whether the match on the table is played under tournament conditions: no hint to anybody."""
        return self._state.ledger.settings.tournament

    def rolls(self) -> list[dict[str, Any]] | None:
        """Return the published log of the electronic dice of this match, or None without such dice."""
        return None if self._thrower is None else self._thrower.lines()

    def snapshot(self) -> Snapshot:
        """Return the table after the newest durable event, clocks as they stand now."""
        return self._snapshot(self._state.ledger, self._now_s())

    def snapshot_at(self, seq: int) -> Snapshot:
        """Return the table after event `seq` of this match.

        Raises:
            IllegalActionError: there is no such event.
        """
        newest = self._state.ledger
        if not 0 <= seq <= newest.seq:
            raise IllegalActionError(f"there is no event {seq}; the newest is {newest.seq}")
        if seq == newest.seq:
            return self.snapshot()
        ledger = max((m for m in self._marks if m.seq <= seq), key=lambda m: m.seq, default=Ledger())
        for body in self._journal.events(self.match_id, ledger.seq, seq - ledger.seq) if seq > ledger.seq else ():
            ledger = apply(ledger, fact_of(body))
        at_s = ledger.line[-1].fact.at_s if ledger.line else 0.0
        return self._snapshot(ledger, at_s)

    def events(self, after: int = 0, limit: int = 100) -> list[dict[str, Any]]:
        """Return events of this match with a number above `after`, at most `limit`, oldest first."""
        return self._journal.events(self.match_id, after, limit) if self.match_id else []

    def record(self) -> MatchRecord:
        """Return the match as a record, corrections made."""
        return record_of(self._state.ledger)

    def add_publisher(self, publisher: Publisher) -> None:
        """Call `publisher` after each durable event from now on."""
        self._publishers.append(publisher)

    def set_link(self, part: str, state: str) -> None:
        """Say what a part of the table does, where no event of the match is due for it."""
        self._link[part] = state

    async def show_again(self) -> None:
        """Let lights and dice show the game, where something else or nothing at all is shown."""
        async with self._lock:
            for effect in shown(self._state):
                await self._carry_out(effect)

    async def submit(self, event: Event) -> int:
        """Let one event happen, as the desk commands; return the number of the newest event.

        Raises:
            IllegalActionError: it is not allowed now; the message says why.
            StorageError: the journal could not be written; then nothing has happened.
        """
        if isinstance(event, facts.MatchStarted):
            event = self._as_made(event)
        if not isinstance(event, Observed | Watched):
            event = replace(event, at_s=self._now_s())
        async with self._lock:
            refused = await self._happen(event)
        if refused is not None:
            raise IllegalActionError(refused)
        return self._state.ledger.seq

    def _as_made(self, started: facts.MatchStarted) -> facts.MatchStarted:
        """Return the beginning of a match with what belongs to this table and its event, not to a match."""
        if self._made is None:
            return started
        own = {name: getattr(self._made, name) for name in ("dice", "signals", "quiet_s", "early_roll", "sound")}
        return replace(started, settings=replace(started.settings, **own))

    async def run(self) -> None:
        """Serve the ports until `close`, or until this task is cancelled."""
        async with self._lock:
            await self._happen(Restarted(self._now_s()))
        await self.show_again()
        self._tasks = [asyncio.create_task(self._tick(), name="table-time")]
        if self._watcher is not None:
            self._tasks.append(asyncio.create_task(self._watch(self._watcher), name="table-watch"))
        if self._buttons is not None:
            self._tasks.append(asyncio.create_task(self._listen(self._buttons), name="table-buttons"))
        try:
            await asyncio.gather(*self._tasks)
        finally:
            for task in self._tasks:
                task.cancel()

    async def close(self) -> None:
        """Stop serving and release the watcher; the journal is its owner's to close."""
        under_way = [*self._tasks, *self._thinking]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        self._tasks = []
        if self._watcher is not None:
            await self._watcher.close()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            await self._try(TimePassed(self._now_s()))

    async def _watch(self, watcher: BoardWatcher) -> None:
        async for seen in watcher.watch():
            if isinstance(seen, Watched):
                self._link["camera"] = "lost" if seen.kind == "lost" else "ok"
                await self._try(seen)
            else:
                await self._try(Observed(seen))
                await self._keep(seen)

    async def _listen(self, buttons: Buttons) -> None:
        async for press in buttons.presses():
            await self._try(press)

    async def _try(self, event: Event) -> None:
        """Let something happen that nobody waits for; a failing disk is said and tried again with the next."""
        try:
            async with self._lock:
                refused = await self._happen(event)
            if refused is not None:
                _log.info("%s: %s", type(event).__name__, refused)
            if self._link.get("journal") == "failing":
                self._link["journal"] = "ok"
        except StorageError as error:
            self._link["journal"] = "failing"
            _log.error("%s", error)

    async def _happen(self, event: Event) -> str | None:
        """Decide, make durable, adopt, act; return why it was refused, or None."""
        if isinstance(event, Observed | Correct):  # what takes long keeps nobody else waiting
            state, effects = await asyncio.to_thread(step, self._state, event)
        else:
            state, effects = step(self._state, event)
        emitted = [effect for effect in effects if isinstance(effect, Emit)]
        if emitted:
            for match_id, group in groupby(emitted, lambda effect: effect.match_id):
                bodies = [effect.body for effect in group]
                await asyncio.to_thread(self._journal.append, *bodies, match_id=match_id)
        self._state = state
        for effect in effects:
            await self._carry_out(effect)
        return next((effect.reason for effect in effects if isinstance(effect, Refuse)), None)

    async def _carry_out(self, effect: Effect) -> None:
        try:
            match effect:
                case Emit():
                    await self._publish(effect)
                case ShowLights(lights=lights, turn=turn) if self._lights is not None:
                    await self._lights.show(dict(lights), turn)
                case RollDice():
                    await self._throw(effect)
                case Consult() if self._opponent is not None:
                    self._consult(self._opponent, effect)
                case ShowDice(roll_id=roll_id, roll=roll, player=player) if self._dice is not None:
                    await self._dice.show(roll_id, roll, player)
                case ClearDice() if self._dice is not None:
                    await self._dice.clear()
                case Buzz(pattern=pattern) if self._buzzer is not None:
                    await self._buzzer.play(pattern)
                case Confirm(board=board) if self._watcher is not None:
                    self._confirm(self._watcher, board)
                case ReadAgain() if self._watcher is not None:
                    self._watcher.read_again()
        except StorageError:
            raise
        except BoardError as error:
            _log.warning("%s", error)

    def _confirm(self, watcher: BoardWatcher, board: Board) -> None:
        watcher.confirm(board)

    async def _throw(self, effect: RollDice) -> None:
        """Throw the electronic dice; the roll is durable before it is shown."""
        if self._thrower is None:
            _log.warning("this table has no electronic dice")
            return
        first, second = self._thrower.throw(effect.roll_id, effect.player, effect.pressed_s)
        at_s = self._now_s()
        if effect.opening:
            rolled: Event = facts.OpeningRolled(at_s=at_s, white=first, black=second, source="electronic")
        else:
            roll = Roll.of(first, second)
            rolled = facts.Rolled(
                at_s=at_s, player=effect.player, roll=roll, source="electronic", roll_id=effect.roll_id
            )
        await self._happen(rolled)

    def _consult(self, opponent: Opponent, effect: Consult) -> None:
        """Let the computer think while the table goes on; what it decides is an event like any other."""

        async def think() -> None:
            decision = await opponent.decide(effect.match, effect.level)
            await self._try(Decided(effect.about, decision, self._now_s()))

        task = asyncio.get_running_loop().create_task(think(), name="opponent")
        self._thinking.add(task)
        task.add_done_callback(self._thinking.discard)

    async def _publish(self, effect: Emit) -> None:
        self._mark(effect.ledger)
        snapshot = snapshot_json(self._snapshot(effect.ledger, self._now_s()))
        for publisher in self._publishers:
            try:
                await publisher.publish(effect.body, snapshot)
            except Exception:  # whatever a display does wrong, the game goes on
                _log.exception("a publisher failed")

    def _snapshot(self, ledger: Ledger, at_s: float) -> Snapshot:
        return snapshot_of(ledger, at_s, link=self._link, simulated=self.simulated)

    async def _keep(self, seen: Observation) -> None:
        """Keep the settled frame as evidence; the game goes on without it when the disk refuses."""
        if self._evidence is None or not self.match_id or seen.hand:
            return
        frame = seen.frame or f"{seen.source}-{seen.at_s:.3f}"
        picture = self._picture_of(frame) if self._picture_of is not None else None
        try:
            await asyncio.to_thread(
                self._evidence.keep,
                self.match_id,
                self._state.ledger.seq,
                frame,
                picture or b"",
                observation_json(seen),
            )
            self._link.pop("evidence", None)
        except StorageError as error:
            self._link["evidence"] = "failing"
            _log.error("%s", error)
