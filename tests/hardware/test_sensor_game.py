"""Whole games with the sensor array alone: no camera, electronic dice, and the exact record at the end."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.board import Board
from controller.hardware import fair_dice
from controller.hardware.link import SerialLink
from controller.hardware.parts import SerialButtons, SerialDice, SerialLights, configure
from controller.hardware.peer import Peer
from controller.hardware.players import FROM_THE_START, Beginning, Moment, games
from controller.hardware.sensors import SLOTS, SensorWatcher, place_of
from controller.hardware.simavr import EmulatedBoard, VirtualBoard, build
from controller.hardware.simulated import LegibleDice, SimulatedTable
from controller.hardware.thrower import FairThrower
from controller.protocol import Cell
from controller.rules import Color
from controller.session import facts
from controller.session.settings import Settings
from controller.storage import Journal
from controller.table import Table
from tests.hardware.virtual import VirtualClock, run_virtually, virtual_link

Turn = tuple[str, Board]


@dataclass
class Evening:
    """What really happened, and what the table wrote down."""

    truth: list[Turn] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)

    def noting(self, moments: Iterator[Moment]) -> Iterator[Moment]:
        """Pass moments on until the game is over, and note the board at each press of a clock."""
        over = False
        for moment in moments:
            yield moment
            if over:
                return
            if moment.press == "clock":
                self.truth.append((moment.player.value, moment.scene.board))
                over = moment.scene.board.off(moment.player) == 15

    @property
    def plays(self) -> list[Turn]:
        return [
            (event["player"], facts.fact_of(event).position)  # type: ignore[union-attr]  # a play has a position
            for event in self.of("play")
        ]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == kind]


@dataclass(frozen=True)
class Plan:
    """How an evening goes.

    Attributes:
        seed: of players and dice.
        beginning: where they start.
        dying: when which cell breaks, seconds from the start, or None.
        speed: how much faster than people.
    """

    seed: int
    beginning: Beginning = FROM_THE_START
    dying: tuple[float, int] | None = None
    speed: float = 1.0


async def play_on(
    plan: Plan, folder: Path, link: SerialLink, board: VirtualBoard, now_s: Callable[[], float]
) -> Evening:
    """Play one game on the sensor array alone, on a link that has been started."""
    evening = Evening()
    dice = LegibleDice(SerialDice(link, roll_ms=200))
    watcher = SensorWatcher(link, now_s)
    (folder / "dice").mkdir()
    (folder / "dice/m1.seed").write_text(f"{plan.seed:064x}")
    with contextlib.closing(Journal.open(folder / "j.sqlite")) as journal:
        thrower = FairThrower(folder / "dice", lambda match_id: journal.events(match_id, 0, None))
        table = Table(
            journal,
            watcher=watcher,
            buttons=SerialButtons(link),
            dice=dice,
            thrower=thrower,
            lights=SerialLights(link),
            publishers=[thrower],
            now_s=now_s,
        )

        def tell(state: str, text: str) -> None:
            said = facts.LinkChanged(part="sensors", state=state, detail=text)
            tasks.append(asyncio.create_task(table.submit(said), name="told"))

        watcher.tell = tell
        moments = games(plan.seed, hesitation=0.3, beginning=plan.beginning, told=dice.told)
        world = SimulatedTable(evening.noting(moments), board, plan.speed, cells=True)
        tasks: list[asyncio.Task[Any]] = [asyncio.create_task(table.run())]
        await asyncio.sleep(0.1)
        await table.submit(
            facts.MatchStarted(
                match_id="m1",
                players=("Ann", "Bob"),
                length=5,
                settings=Settings(dice="electronic"),
                position=None if plan.beginning.turn is None else plan.beginning.board,
                turn=plan.beginning.turn,
            )
        )
        if plan.dying is not None:
            at_s, cell = plan.dying
            asyncio.get_running_loop().call_later(at_s, board.set_cell, cell, Cell.FAULT)
        await asyncio.wait_for(world.run(), 1_500)
        await asyncio.sleep(3.0 / plan.speed)
        evening.events = journal.events("m1", 0, None)
        assert thrower.log is not None
        thrower.log.dice.reveal()
        evening.log = thrower.log.dice.lines
        await table.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return evening


def play(folder: Path, plan: Plan) -> Evening:
    """Play on the simulated board in virtual time."""

    async def virtually(clock: VirtualClock) -> Evening:
        peer = Peer(clock.now_s, sleep=clock.sleep)
        with virtual_link(peer, clock) as link:
            configure(link, brightness=50, sensors=True)
            return await play_on(plan, folder, link, peer, clock.now_s)

    return run_virtually(virtually)


def check_record(evening: Evening) -> None:
    """The table wrote down exactly what happened; its rolls are those of the published log."""
    assert evening.plays == evening.truth
    assert not any(event["illegal"] for event in evening.of("play"))
    rolled = [sorted(line["dice"], reverse=True) for line in evening.log if line["type"] == "roll"]
    shown = [
        sorted((event["white"], event["black"]), reverse=True)
        if event["type"] == "opening_roll"
        else event["roll"]
        for event in evening.events
        if event["type"] in ("opening_roll", "roll")
    ]
    assert rolled == shown
    assert fair_dice.verify(evening.log).problems == ()
    ended = evening.of("game_end")
    winners = [player for player, board in evening.truth if board.off(Color(player)) == 15]
    assert [event["winner"] for event in ended] == winners


STACKS = {6: 8, 8: 4, 13: 2, 24: 1, 19: -8, 17: -4, 12: -2, 1: -1}
STACKED = Board(tuple(STACKS.get(site, 0) for site in range(1, 25)))


def test_a_whole_game_on_the_sensor_array_alone_gives_the_exact_record(tmp_path: Path) -> None:
    evening = play(tmp_path, Plan(seed=3))
    check_record(evening)
    moves = [move for event in evening.of("play") for move in event["moves"]]
    assert any(move["hit"] for move in moves), "choose a seed whose game has hits"
    assert any(move["source"] == 25 for move in moves), "choose a seed whose game has entries from the bar"
    assert sum(move["target"] == 0 for move in moves) >= 15


def test_a_cell_that_dies_is_named_and_a_game_with_stacks_higher_than_the_slots_goes_on(tmp_path: Path) -> None:
    cell = 30
    evening = play(tmp_path, Plan(11, Beginning(STACKED, Color.WHITE, None), dying=(40.0, cell)))
    check_record(evening)
    assert max(abs(n) for _, board in evening.truth for n in board.points) > SLOTS
    told = [event for event in evening.of("link") if event["part"] == "sensors"]
    assert [(event["state"], event["detail"]) for event in told] == [
        ("failing", f"{place_of(cell)} does not answer; the game goes on without it")
    ]
    assert 0 < told[0]["seq"] < evening.of("play")[-1]["seq"]


ENDGAME = Board((2, 0, 0, 0, 1, *[0] * 14, -1, 0, 0, 0, -2))


def test_an_endgame_on_the_sensor_array_of_the_real_firmware_gives_the_exact_record(tmp_path: Path) -> None:
    """The real ELF in simavr, in real time, the chip reset in the middle."""
    build()
    board = EmulatedBoard()
    link = SerialLink(board.devices, board.open, bauds=(250_000,))
    configure(link, brightness=50, sensors=True)
    link.start()

    async def really() -> Evening:
        asyncio.get_running_loop().call_later(2.0, board.reset)
        return await play_on(
            Plan(7, Beginning(ENDGAME, Color.WHITE, None), speed=5.0), tmp_path, link, board, time.monotonic
        )

    try:
        evening = asyncio.run(really())
        assert board.resets >= 1
    finally:
        link.close()
        board.close()
    check_record(evening)
