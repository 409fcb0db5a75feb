"""A table with a computer on one side: asked in the background, its play durable before it is shown."""

from __future__ import annotations

import asyncio
from pathlib import Path

from controller.board import START_BOARD
from controller.opponents.seat import Seat
from controller.ports import Decision
from controller.rules import Color
from controller.rules.match import Match
from controller.session import facts
from controller.session.settings import Settings
from controller.storage import Journal
from controller.table import Table
from tests.simulated import after, observe
from tests.table.test_table import Lights, Watcher

W, B = Color.WHITE, Color.BLACK
STARTED = facts.MatchStarted(
    match_id="m1", players=("Ann", "Computer"), length=1, settings=Settings(computer=B, level="medium")
)


class Dice:
    """The table's dice, always the same."""

    def __init__(self) -> None:
        self.thrown: list[int] = []

    def throw(self, roll_id: int, player: Color, pressed_s: float) -> tuple[int, int]:
        self.thrown.append(roll_id)
        return 1, 3

    def lines(self) -> list[dict[str, object]]:
        return []


class Slow:
    """Thinks until it is told to stop, then plays as the seat does."""

    def __init__(self) -> None:
        self.told = asyncio.Event()
        self.asked = 0

    async def decide(self, match: Match, level: str) -> Decision:
        self.asked += 1
        await self.told.wait()
        return await Seat("own").decide(match, level)


async def until(table: Table, kind: str) -> None:
    for _ in range(200):
        if any(entry.fact.type == kind for entry in table.state.ledger.line):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"no {kind} in {[entry.fact.type for entry in table.state.ledger.line]}")


def test_the_computer_thinks_while_the_table_goes_on_and_its_checkers_are_moved(tmp_path: Path) -> None:
    async def evening() -> None:
        journal = Journal.open(tmp_path / "j.sqlite")
        watcher, lights, dice, slow = Watcher(), Lights(), Dice(), Slow()
        table = Table(journal, watcher=watcher, lights=lights, thrower=dice, opponent=slow)
        running = asyncio.create_task(table.run())
        await table.submit(STARTED)
        watcher.queue.put_nowait(observe(START_BOARD, table.state.at_s + 1))
        await until(table, "opening_roll")
        assert table.snapshot().announced is None
        await table.submit(facts.LinkChanged(part="hub", state="ok"))
        slow.told.set()
        await until(table, "announced")
        announced = table.snapshot().announced
        assert announced is not None
        assert (announced.player, announced.text) == (B, "8/5 6/5")
        await asyncio.sleep(0.05)
        assert [int(site) for site in lights.shown[-1][0]] == [17, 19, 20]
        watcher.queue.put_nowait(observe(after(START_BOARD, B, "8/5 6/5"), table.state.at_s + 2))
        await until(table, "play")
        assert table.snapshot().announced is None
        assert table.snapshot().turn is W
        assert (dice.thrown, slow.asked) == ([3], 1)
        await table.close()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        journal.close()

    asyncio.run(evening())


def test_after_a_power_cut_the_computer_is_asked_again_and_its_announced_play_still_holds(tmp_path: Path) -> None:
    async def evening() -> None:
        journal = Journal.open(tmp_path / "j.sqlite")
        for waits in (True, False):
            watcher, slow = Watcher(), Slow()
            if not waits:
                slow.told.set()
            table = Table(journal, watcher=watcher, thrower=Dice(), opponent=slow)
            running = asyncio.create_task(table.run())
            if waits:
                await table.submit(STARTED)
            watcher.queue.put_nowait(observe(START_BOARD, table.state.at_s + 1))
            await until(table, "opening_roll" if waits else "announced")
            await asyncio.sleep(0.1)
            assert slow.asked == 1
            await table.close()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        announced = Table(journal).snapshot().announced
        assert announced is not None
        assert announced.text == "8/5 6/5"
        journal.close()

    asyncio.run(evening())
