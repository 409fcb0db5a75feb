"""A table on a real journal: durable before shown, the same after a restart."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from controller.board import START_BOARD, Board, Observation, Site
from controller.config import Settings as Config
from controller.errors import IllegalActionError, StorageError
from controller.ports import Light, Pressed, Watched
from controller.rules import Color, Roll
from controller.session import events, facts
from controller.session.clock import SINGLES, ClockSetting
from controller.session.settings import Settings
from controller.storage import Evidence, Journal
from controller.table import Table
from controller.wiring.evening import keep_a_match
from controller.wiring.running import say_what_was_dropped
from tests.hardware.virtual import VirtualClock, run_virtually
from tests.simulated import after, observe, thrown

W, B = Color.WHITE, Color.BLACK


class Watcher:
    """Yields what a test puts in, and remembers what it was told."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Observation | Watched] = asyncio.Queue()
        self.confirmed: list[Board] = []
        self.closed = False

    async def watch(self) -> AsyncIterator[Observation | Watched]:
        while True:
            yield await self.queue.get()

    def confirm(self, board: Board) -> None:
        self.confirmed.append(board)

    def read_again(self) -> None:
        """Take note of nothing: a test puts in every reading."""

    async def close(self) -> None:
        self.closed = True


class Presses:
    def __init__(self) -> None:
        self.queue: asyncio.Queue[Pressed] = asyncio.Queue()

    async def presses(self) -> AsyncIterator[Pressed]:
        while True:
            yield await self.queue.get()


class Lights:
    def __init__(self) -> None:
        self.shown: list[tuple[dict[Site, Light], Color | None]] = []

    async def show(self, lights: Mapping[Site, Light], turn: Color | None = None) -> None:
        self.shown.append((dict(lights), turn))


class Display:
    """A publisher that checks that the journal had the event before."""

    def __init__(self, journal: Journal, match_id: str) -> None:
        self.got: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = []
        self._journal = journal
        self._match_id = match_id

    async def publish(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        assert self._journal.last_seq(self._match_id) >= event["seq"]
        assert snapshot["seq"] == event["seq"]
        self.got.append((event, snapshot))


class Broken:
    async def publish(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        raise RuntimeError("this display is broken")


class Dice:
    def __init__(self) -> None:
        self.shown: list[tuple[int, Roll, Color]] = []

    async def show(self, roll_id: int, roll: Roll, player: Color) -> None:
        self.shown.append((roll_id, roll, player))

    async def clear(self) -> None:
        self.shown.clear()

    def throw(self, roll_id: int, player: Color, pressed_s: float) -> tuple[int, int]:
        return (6, 1) if roll_id == 3 else (4, 2)


def started(**settings: Any) -> facts.MatchStarted:
    return facts.MatchStarted(match_id="m1", players=("Ann", "Bob"), length=5, settings=Settings(**settings))


def test_a_play_goes_from_the_watcher_to_journal_lights_and_displays(tmp_path: Path) -> None:
    async def evening() -> None:
        journal = Journal.open(tmp_path / "j.sqlite")
        watcher, presses, lights, display = Watcher(), Presses(), Lights(), Display(journal, "m1")
        evidence = Evidence.open(tmp_path / "e.sqlite")
        table = Table(
            journal,
            watcher=watcher,
            buttons=presses,
            lights=lights,
            evidence=evidence,
            picture_of=lambda name: b"\xff\xd8" + name.encode(),
            publishers=[Broken(), display],
            simulated=True,
        )
        running = asyncio.create_task(table.run())
        await table.submit(started())
        board = after(START_BOARD, W, "13/7 8/7")
        at_s = table.state.at_s
        watcher.queue.put_nowait(observe(START_BOARD, at_s + 1, dice=thrown(Roll(6, 1))))
        watcher.queue.put_nowait(observe(board, at_s + 2, dice=thrown(Roll(6, 1))))
        await asyncio.sleep(0.1)
        presses.queue.put_nowait(Pressed("clock", W, at_s + 3))
        for _ in range(100):
            if watcher.confirmed:
                break
            watcher.queue.put_nowait(observe(board, at_s + 4, dice=thrown(Roll(6, 1))))
            await asyncio.sleep(0.02)
        assert watcher.confirmed == [board]
        assert [event["type"] for event, _ in display.got] == ["match_start", "game_start", "opening_roll", "play"]
        event, snapshot = display.got[-1]
        assert (event["play"], event["roll"]) == ("13/7 8/7", [6, 1])
        assert snapshot["position"]["points"] == list(board.points)
        assert lights.shown[-1][1] is B
        assert table.snapshot().simulated
        assert table.snapshot_at(2).board == START_BOARD
        assert table.snapshot_at(4).last_play is not None
        with pytest.raises(IllegalActionError):
            table.snapshot_at(99)
        assert table.record().games[0].turns == 1
        assert evidence.of_event("m1", 3)
        await table.close()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert watcher.closed
        journal.close()
        evidence.close()

    asyncio.run(evening())


def test_everything_is_there_again_after_a_restart(tmp_path: Path) -> None:
    async def before() -> Table:
        journal = Journal.open(tmp_path / "j.sqlite")
        table = Table(journal, now_s=lambda: 100.0)
        await table.submit(started(clock=ClockSetting("delay"), dice="keyed"))
        await table.submit(facts.OpeningRolled(white=3, black=1, source="keyed"))
        await table.submit(
            facts.Played(player=W, roll=Roll(3, 1), play="8/5 6/5", position=after(START_BOARD, W, "8/5 6/5"))
        )
        await table.submit(facts.CubeTurned(player=B, action="double"))
        await table.submit(facts.CubeTurned(player=W, action="take"))
        await table.submit(facts.Rolled(player=B, roll=Roll(6, 2), source="keyed"))
        journal.close()
        return table

    async def again() -> Table:
        journal = Journal.open(tmp_path / "j.sqlite")
        table = Table(journal, now_s=lambda: 5.0)
        with pytest.raises(IllegalActionError, match="in progress"):
            await table.submit(started())
        await table.submit(events.Restarted())
        journal.close()
        return table

    old, new = asyncio.run(before()), asyncio.run(again())
    was, now = old.snapshot(), new.snapshot()
    assert (now.board, now.turn, now.roll, now.cube_value) == (was.board, was.turn, was.roll, 2)
    assert now.clock is not None
    assert now.clock.paused == "restart"
    assert now.clock.running is None


def test_a_journal_that_cannot_be_written_stops_the_event_not_the_table(tmp_path: Path) -> None:
    class Failing:
        def append(self, *events: Mapping[str, Any], match_id: str) -> int:
            raise StorageError("disk full")

        def events(self, match_id: str, after: int = 0, limit: int | None = 100) -> list[dict[str, Any]]:
            return []

        def matches(self) -> list[str]:
            return []

    async def evening() -> None:
        table = Table(Failing())
        with pytest.raises(StorageError):
            await table.submit(started())
        assert table.snapshot().phase == "waiting"

    asyncio.run(evening())


def test_lights_and_dice_show_the_game_again_after_somebody_tried_them(tmp_path: Path) -> None:
    async def evening() -> None:
        journal, lights, dice = Journal.open(tmp_path / "j.sqlite"), Lights(), Dice()
        table = Table(journal, lights=lights, dice=dice, thrower=dice)
        await table.submit(started(dice="electronic"))
        await table.submit(Pressed("roll", W, table.state.at_s + 1))
        before, thrown_ = lights.shown[-1], dice.shown[-1]
        lights.shown.clear()
        dice.shown.clear()
        await table.show_again()
        assert lights.shown == [before]
        assert dice.shown == [thrown_]
        journal.close()

    asyncio.run(evening())


def test_an_electronic_roll_is_durable_before_it_is_shown(tmp_path: Path) -> None:
    async def evening() -> None:
        journal = Journal.open(tmp_path / "j.sqlite")
        dice = Dice()
        table = Table(journal, dice=dice, thrower=dice)
        await table.submit(started(dice="electronic"))
        await table.submit(Pressed("roll", W, 1.0))
        assert table.snapshot().roll == Roll(6, 1)
        assert dice.shown == [(3, Roll(6, 1), W)]
        assert table.events(2)[0]["source"] == "electronic"
        with pytest.raises(IllegalActionError):
            await table.submit(Pressed("roll", W, 2.0))
        journal.close()

    asyncio.run(evening())


def test_a_client_never_authors_clock_values(tmp_path: Path) -> None:
    """Report 39, feature 65: a client poisoned the clocks of everybody; the table stamps what a desk sends."""

    async def evening() -> None:
        now = [50.0]
        journal = Journal.open(tmp_path / "j.sqlite")
        table = Table(journal, now_s=lambda: now[0])
        await table.submit(started(dice="keyed", clock=ClockSetting("delay", delay_s=10.0)))
        await table.submit(facts.OpeningRolled(at_s=-9e9, white=3, black=1, source="keyed"))
        now[0] = 65.0
        await table.submit(facts.ClockSet(at_s=9e9, action="pause", reason="break"))
        clock = table.snapshot().clock
        assert clock is not None
        assert clock.reserve_s == (595.0, 600.0)
        journal.close()

    asyncio.run(evening())


def test_what_was_rolled_can_be_looked_up_when_the_dice_are_lifted(tmp_path: Path) -> None:
    """Report 31, features 19 and 37: 32 or 52? The dice were lifted and nobody had seen them."""

    async def evening() -> None:
        journal, evidence = Journal.open(tmp_path / "j.sqlite"), Evidence.open(tmp_path / "e.sqlite")
        watcher = Watcher()
        table = Table(journal, watcher=watcher, evidence=evidence)
        running = asyncio.create_task(table.run())
        await table.submit(started())
        at_s = table.state.at_s
        watcher.queue.put_nowait(observe(START_BOARD, at_s + 1, dice=thrown(Roll(5, 2))))
        watcher.queue.put_nowait(observe(START_BOARD, at_s + 2))
        for _ in range(200):
            await asyncio.sleep(0.01)
            kept = evidence.of_event("m1", 2)
            if len(kept) == 2:
                break
        assert [[die["value"] for die in item.reading["dice"]] for item in kept] == [[5, 2], []]
        await table.close()
        await asyncio.gather(running, return_exceptions=True)
        journal.close()
        evidence.close()

    asyncio.run(evening())


def test_time_travel_shows_every_moment_of_a_corrected_match(tmp_path: Path) -> None:
    async def evening() -> None:
        journal = Journal.open(tmp_path / "j.sqlite")
        table = Table(journal)
        await table.submit(started(dice="keyed"))
        await table.submit(facts.OpeningRolled(white=3, black=1, source="keyed"))
        board = after(START_BOARD, W, "8/5 6/5")
        await table.submit(facts.Played(player=W, roll=Roll(3, 1), play="8/5 6/5", position=board))
        await table.submit(events.Correct(of=4, content={"play": "24/20"}))
        for _ in range(60):
            await table.submit(facts.ScoreSet(score=(1, 0)))
        assert table.snapshot_at(4).board == board
        assert table.snapshot_at(5).board == START_BOARD
        assert table.snapshot_at(6).board == after(START_BOARD, W, "24/20")
        assert table.snapshot_at(61).score == (1, 0)
        again = Table(journal)
        assert again.snapshot_at(4) == table.snapshot_at(4)
        assert again.state.ledger == table.state.ledger
        assert [event["seq"] for event in again.events(60, 3)] == [61, 62, 63]
        journal.close()

    asyncio.run(evening())


def test_after_a_match_the_same_players_play_again_unless_the_desk_starts_another(tmp_path: Path) -> None:
    async def evening(clock: VirtualClock) -> None:
        journal = Journal.open(tmp_path / "j.sqlite")
        table = Table(journal, now_s=clock.now_s)
        keeping = asyncio.create_task(keep_a_match(table, Config()))
        await asyncio.sleep(1.0)
        assert table.snapshot().players == ("White", "Black")
        await table.submit(started(dice="keyed"))
        assert table.match_id == "m1"
        await table.submit(facts.OpeningRolled(white=3, black=1))
        await table.submit(facts.ScoreSet(score=(4, 4)))
        await table.submit(facts.Resigned(player=W, action="offer"))
        await table.submit(facts.Resigned(player=B, action="accept"))
        assert table.snapshot().phase == "match_over"
        await asyncio.sleep(3.0)
        again = table.snapshot()
        assert table.match_id != "m1"
        assert (again.players, again.length, again.score, again.game) == (("Ann", "Bob"), 5, (0, 0), 1)
        keeping.cancel()
        journal.close()

    run_virtually(evening)


def test_an_event_that_a_power_cut_tore_is_said_to_whoever_starts_the_table_and_in_the_match(
    tmp_path: Path,
) -> None:
    """Report 53."""

    async def evening() -> None:
        journal = Journal.open(tmp_path / "j.sqlite")
        table = Table(journal)
        await table.submit(started(dice="keyed"))
        await table.submit(facts.OpeningRolled(white=3, black=1))
        for ending in ("", "-wal"):
            data = (tmp_path / f"j.sqlite{ending}").read_bytes()
            (tmp_path / f"cut.sqlite{ending}").write_bytes(data[:-100] if ending else data)
        journal.close()
        said: list[str] = []
        cut = Journal.open(tmp_path / "cut.sqlite")
        again = Table(cut)
        await say_what_was_dropped(again, cut, said.append)
        assert [event["type"] for event in again.events()] == ["match_start", "game_start", "link"]
        assert "was dropped" in said[0]
        assert again.snapshot().link["journal"] == "recovered"
        cut.close()
        whole = Journal.open(tmp_path / "cut.sqlite")
        await say_what_was_dropped(Table(whole), whole, said.append)
        assert len(said) == 1
        whole.close()

    asyncio.run(evening())


def test_a_step_of_the_system_clock_by_six_hours_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Feature 60: time at the table is monotonic; only what is written beside an event is the time of day."""

    async def evening() -> None:
        journal = Journal.open(tmp_path / "j.sqlite")
        table = Table(journal)
        await table.submit(started(dice="keyed", clock=SINGLES))
        await table.submit(facts.OpeningRolled(white=3, black=1))
        true_time = time.time
        for hours in (6, -6):
            monkeypatch.setattr(time, "time", lambda hours=hours: true_time() + 3600 * hours)
            await table.submit(facts.ClockSet(action="pause", reason="break"))
            await table.submit(facts.ClockSet(action="resume"))
            await table.submit(events.TimePassed(0.0))
            clock = table.snapshot().clock
            assert clock is not None
            assert clock.running is Color.WHITE
            assert clock.reserve_s == (600.0, 600.0)
            assert clock.delay_s > 2.0
        journal.close()

    asyncio.run(evening())


def test_whoever_starts_a_match_the_table_keeps_its_dice_and_signals(tmp_path: Path) -> None:
    async def evening() -> None:
        journal = Journal.open(tmp_path / "j.sqlite")
        made = Settings(dice="electronic", signals=frozenset({"clock"}), quiet_s=9.0, hints="all")
        table = Table(journal, made=made)
        await table.submit(started(hints="points"))
        settings = table.state.ledger.settings
        assert (settings.dice, settings.signals, settings.quiet_s) == ("electronic", frozenset({"clock"}), 9.0)
        assert settings.hints == "points"
        journal.close()

    asyncio.run(evening())
