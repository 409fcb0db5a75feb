"""One suite a port, on every implementation: simulated board, real firmware in simavr, gpiozero, and a real board.

A real board is tried where BARPOINT_PORT names its port; nobody sees its lights or presses its buttons here, so it
is asked what it shows.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from controller.board import START_BOARD, Board, Observation, Site
from controller.hardware.gpio import GpioButtons, GpioBuzzer
from controller.hardware.link import SerialLink
from controller.hardware.merged import MergedButtons, MergedWatcher
from controller.hardware.parts import SerialButtons, SerialBuzzer, SerialDice, SerialLights, configure
from controller.hardware.sensors import SensorWatcher
from controller.hardware.simulated import LegibleDice
from controller.ports import BoardWatcher, Buttons, Buzzer, DiceSource, Light, PointLights, Pressed, Watched
from controller.protocol import Button, State, StateReply
from controller.rules import Color, Roll
from tests.hardware.mock_pins import MockPins
from tests.hardware.rigs import LINKED, REAL, Rig
from tests.hardware.waiting import run, wait_for

RED, BLUE = (200, 0, 0), (0, 0, 180)
ROLL_IDS = itertools.count(200)
W, B = Color.WHITE, Color.BLACK


@pytest.fixture(scope="module")
def rigs() -> Iterator[Callable[[str], Rig]]:
    """Boards by kind, each started once."""
    started: dict[str, Rig] = {}

    def rig(kind: str) -> Rig:
        if kind not in started:
            started[kind] = Rig(kind)
        return started[kind]

    yield rig
    for each in started.values():
        each.close()


def shows(link: SerialLink) -> StateReply:
    return link.ask(State()).result(timeout=10)


# ---- PointLights


@pytest.fixture(params=LINKED)
def lights(request: pytest.FixtureRequest, rigs: Callable[[str], Rig]) -> tuple[PointLights, Rig]:
    rig = rigs(request.param)
    return SerialLights(rig.link), rig


def test_exactly_the_sites_asked_for_and_the_turn_light_are_lit(lights: tuple[PointLights, Rig]) -> None:
    sink, rig = lights
    run(sink.show({Site(6): Light(RED), Site(24): Light(BLUE)}, W))
    wait_for(lambda: set(rig.lit) == {5, 23, *range(36, 44)}, timeout_s=30)
    assert (rig.lit[5], rig.lit[23]) == (RED, BLUE)
    run(sink.show({Site(1): Light(RED)}, B))
    wait_for(lambda: set(rig.lit) == {0, *range(44, 52)}, timeout_s=30)
    run(sink.show({}))
    wait_for(lambda: not rig.lit, timeout_s=30)


def test_a_blinking_light_comes_on(lights: tuple[PointLights, Rig]) -> None:
    sink, rig = lights
    run(sink.show({Site(12): Light(RED, "blink")}))
    wait_for(lambda: rig.lit.get(11) == RED, timeout_s=30)
    run(sink.show({}))
    wait_for(lambda: not rig.lit, timeout_s=30)


@pytest.mark.parametrize("kind", [*LINKED, *REAL])
def test_the_board_draws_more_current_with_lights_on_and_keeps_the_cap(
    kind: str, rigs: Callable[[str], Rig]
) -> None:
    rig = rigs(kind)
    sink = SerialLights(rig.link)
    run(sink.show({Site(6): Light(RED)}, W))
    some = shows(rig.link).drawn_ma
    run(sink.show({Site(site): Light((255, 255, 255)) for site in range(1, 25)}, W))
    most = shows(rig.link).drawn_ma
    run(sink.show({}))
    assert shows(rig.link).drawn_ma < some < most <= 1000


# ---- DiceSource


@pytest.fixture(params=[*((kind, wrap) for kind in LINKED for wrap in (False, True)), *((k, False) for k in REAL)])
def dice(request: pytest.FixtureRequest, rigs: Callable[[str], Rig]) -> Iterator[tuple[DiceSource, Rig]]:
    kind, wrapped = request.param
    rig = rigs(kind)
    rig.rolled.clear()
    source = SerialDice(rig.link, roll_ms=150)
    yield (LegibleDice(source) if wrapped else source), rig
    run(source.clear())


def settled(rig: Rig, faces: bytes) -> None:
    wait_for(lambda: (now := shows(rig.link)).dice == faces and not now.rolling, timeout_s=30)
    if rig.board is not None:
        board = rig.board
        wait_for(lambda: board.dice == faces, timeout_s=30)


def test_dice_end_on_exactly_the_roll_on_the_players_own_pair(dice: tuple[DiceSource, Rig]) -> None:
    source, rig = dice
    run(source.show(101, Roll(6, 1), W))
    settled(rig, bytes([6, 1, 0, 0]))
    run(source.show(102, Roll(4, 4), B))
    settled(rig, bytes([0, 0, 4, 4]))
    run(source.clear())
    settled(rig, bytes(4))


def test_the_same_roll_shown_again_does_not_tumble_again(dice: tuple[DiceSource, Rig]) -> None:
    source, rig = dice
    roll_id = next(ROLL_IDS)
    for _ in range(3):
        run(source.show(roll_id, Roll(5, 2), B))
    settled(rig, bytes([0, 0, 5, 2]))
    time.sleep(0.3)
    assert [event.roll_id for event in rig.rolled] == [roll_id]


# ---- Buttons


@dataclass
class Fingers:
    """A source of presses and what presses it: once cleanly, or with a bouncing contact."""

    buttons: Buttons
    press: Callable[[Color], None]
    bounce: Callable[[Color], None] | None
    steady: bool = True
    """Whether its clock runs evenly; an emulated chip's stands still when the computer is busy."""


@pytest.fixture(params=["peer", "simavr", "gpio", "merged"])
def fingers(request: pytest.FixtureRequest, rigs: Callable[[str], Rig]) -> Iterator[Fingers]:
    clocks = {W: Button.CLOCK_WHITE, B: Button.CLOCK_BLACK}
    with ExitStack() as owned:
        if request.param in ("gpio", "merged"):
            pins = owned.enter_context(MockPins())
            own = GpioButtons({W: 5, B: 6})
            owned.callback(own.close)
            numbers = {W: 5, B: 6}
            source: Buttons = own
            if request.param == "merged":
                source = MergedButtons(SerialButtons(rigs("peer").link), own)
            yield Fingers(source, lambda c: pins.press(numbers[c]), lambda c: pins.bounce(numbers[c]))
            return
        rig = rigs(request.param)
        yield Fingers(
            SerialButtons(rig.link), lambda color: rig.press(clocks[color]), None, request.param != "simavr"
        )


def test_each_press_comes_once_in_order_and_at_its_time(fingers: Fingers) -> None:
    expected = [W, B, B, W, B]
    found: list[Pressed] = []
    times: list[tuple[float, float]] = []

    async def pressing() -> None:
        for color in expected:
            await asyncio.sleep(0.25)
            began_s = time.monotonic()
            await asyncio.to_thread(fingers.press, color)
            times.append((began_s, time.monotonic()))

    async def evening() -> None:
        presses = fingers.buttons.presses()
        task = asyncio.create_task(pressing())
        async with asyncio.timeout(30):
            async for press in presses:
                found.append(press)
                if len(found) == len(expected):
                    break
        await task

    asyncio.run(evening())
    assert [(press.button, press.player) for press in found] == [("clock", color) for color in expected]
    for press, (began_s, _) in zip(found, times, strict=True):
        assert press.at_s <= time.monotonic()
        assert began_s - 0.05 <= press.at_s or not fingers.steady, "the clocks of host and board are mapped"
    assert [press.at_s for press in found] == sorted(press.at_s for press in found)


def test_a_bouncing_contact_is_one_press_at_its_first_edge(fingers: Fingers) -> None:
    if fingers.bounce is None:
        return  # the firmware's own contacts are tried in tests/firmware, edge by edge
    bounce = fingers.bounce
    found: list[Pressed] = []

    async def evening() -> float:
        presses = fingers.buttons.presses()
        first = asyncio.ensure_future(anext(presses))
        await asyncio.sleep(0.05)
        began_s = time.monotonic()
        await asyncio.to_thread(bounce, W)
        found.append(await asyncio.wait_for(first, 10))
        second = asyncio.ensure_future(anext(presses))
        await asyncio.sleep(0.2)
        assert not second.done(), "one press, not two"
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        return began_s

    began_s = asyncio.run(evening())
    assert found[0].player is W
    assert began_s <= found[0].at_s < began_s + 0.1


# ---- Buzzer


@pytest.fixture(params=["peer", "simavr", "gpio"])
def buzzer(
    request: pytest.FixtureRequest, rigs: Callable[[str], Rig]
) -> Iterator[tuple[Callable[[bool], Buzzer], Callable[[], bool]]]:
    """A maker of buzzers, silent or not, and an ear."""
    if request.param != "gpio":
        rig = rigs(request.param)

        def linked(silent: bool) -> Buzzer:
            configure(rig.link, brightness=255, sensors=True, silent=silent)
            return SerialBuzzer(rig.link)

        yield linked, lambda: rig.sounded
        configure(rig.link, brightness=255, sensors=True)
        return
    with MockPins() as pins, ExitStack() as owned:

        def wired(silent: bool) -> Buzzer:
            made = GpioBuzzer(13, silent=silent)
            owned.callback(made.close)
            return made

        yield wired, lambda: pins.was_high(13)


def test_every_pattern_sounds(buzzer: tuple[Callable[[bool], Buzzer], Callable[[], bool]]) -> None:
    make, sounded = buzzer
    sink = make(False)
    for pattern in ("ok", "wrong", "call", "flag"):
        run(sink.play(pattern))
    wait_for(sounded, timeout_s=30)
    with pytest.raises(KeyError):
        run(sink.play("fanfare"))


# ---- BoardWatcher


class Still(BoardWatcher):
    """A camera that sees the board only once, and settles on what it sees."""

    async def watch(self) -> AsyncIterator[Observation | Watched]:
        await asyncio.Event().wait()
        yield Watched("lost", 0.0)

    def confirm(self, board: Board) -> None:
        """Take note of nothing."""

    def read_again(self) -> None:
        """See what was seen."""

    async def close(self) -> None:
        """Hold nothing."""


@pytest.fixture(params=["peer", "simavr", "merged"])
def watcher(request: pytest.FixtureRequest, rigs: Callable[[str], Rig]) -> tuple[Callable[[], BoardWatcher], Rig]:
    if request.param == "merged":
        rig = rigs("peer")
        return lambda: MergedWatcher(SensorWatcher(rig.link), Still(), patience_s=0.2), rig
    rig = rigs(request.param)
    return lambda: SensorWatcher(rig.link), rig


def test_a_settled_reading_comes_after_each_change_and_movement_is_told_before(
    watcher: tuple[Callable[[], BoardWatcher], Rig],
) -> None:
    make, rig = watcher
    points = list(START_BOARD.points)
    points[12] -= 1
    points[6] += 1
    moved = Board(tuple(points))
    seen: list[Observation | Watched] = []

    async def evening() -> None:
        rig.put(START_BOARD)
        eyes = make()
        async with asyncio.timeout(30):
            async for item in eyes.watch():
                seen.append(item)
                if reads(item, START_BOARD):
                    eyes.confirm(START_BOARD)
                    await asyncio.to_thread(rig.put, moved)
                if reads(item, moved):
                    break
        await eyes.close()

    asyncio.run(evening())
    rig.clear_cells()
    readings = [item for item in seen if isinstance(item, Observation)]
    assert all(len(item.sites) == 24 and len(item.bar) == 2 for item in readings)
    assert len({item.source for item in readings}) == 1
    started = next(i for i, item in enumerate(seen) if reads(item, START_BOARD))
    assert any(isinstance(item, Watched) and item.kind == "moving" for item in seen[started:])
    times = [item.at_s for item in readings]
    assert times == sorted(times)


def test_a_board_at_rest_is_read_once_more_when_that_is_asked_for(
    watcher: tuple[Callable[[], BoardWatcher], Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.hardware.sensors.REREAD_S", math.inf)
    make, rig = watcher
    readings = 0

    async def evening() -> None:
        nonlocal readings
        rig.put(START_BOARD)
        eyes = make()
        async with asyncio.timeout(30):
            async for item in eyes.watch():
                if reads(item, START_BOARD):
                    readings += 1
                    eyes.read_again()
                if readings == 3:
                    break
        await eyes.close()

    asyncio.run(evening())
    rig.clear_cells()
    assert readings == 3


def reads(item: Observation | Watched, board: Board) -> bool:
    return isinstance(item, Observation) and tuple(site.best for site in item.sites) == board.points
