"""The link finds the board, keeps it, loses it and finds it again; nothing is lost, nothing comes twice."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from controller.board import Color, Site
from controller.errors import LinkError
from controller.hardware.link import LOST_AFTER_S, BoardClock, LinkState, SerialLink
from controller.hardware.parts import SerialButtons, SerialDice, SerialLights, configure
from controller.hardware.peer import Peer
from controller.hardware.simavr import EmulatedBoard, build
from controller.ports import Light, Pressed
from controller.protocol import MAJOR, Button, ButtonChanged, Config, Edge, Event, Ping, PingReply, Raw
from controller.rules import Roll
from tests.hardware.virtual import VirtualClock, run_virtually, virtual_link
from tests.hardware.waiting import run, wait_for


class Host:
    """A link to a simulated board, and what it reported."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.presses: list[Button] = []
        self.states: list[LinkState] = []
        self.link = SerialLink(peer.devices, peer.open, bauds=(250_000,))
        self.link.on_event(self._happened)
        self.link.on_state(self.states.append)

    def _happened(self, event: Event, at_s: float) -> None:
        if isinstance(event, ButtonChanged) and event.edge is Edge.PRESSED:
            self.presses.append(event.button)

    def wait_ok(self) -> None:
        wait_for(lambda: self.link.state.kind == "ok")


@pytest.fixture
def host() -> Iterator[Host]:
    host = Host(Peer())
    host.link.start()
    yield host
    host.link.close()


def test_connected_means_that_the_board_answers() -> None:
    peer = Peer()
    peer.faults.silent = True
    host = Host(peer)
    host.link.start()
    wait_for(lambda: any("does not answer" in state.detail for state in host.states), timeout_s=30)
    assert host.link.state.kind == "searching"
    peer.faults.silent = False
    host.wait_ok()
    host.link.close()


def test_a_board_of_another_major_version_is_refused_with_both_versions_named() -> None:
    host = Host(Peer(major=MAJOR + 1))
    host.link.start()
    wait_for(lambda: host.link.state.kind == "mismatch")
    host.link.close()
    assert f"{MAJOR + 1}." in host.link.state.detail
    assert f"{MAJOR}." in host.link.state.detail


def test_a_request_is_answered_and_one_the_board_cannot_do_is_refused(host: Host) -> None:
    host.wait_ok()
    answer = host.link.ask(Ping(77)).result(timeout=20)
    assert isinstance(answer, PingReply)
    assert answer.token == 77
    with pytest.raises(LinkError, match="refused"):
        host.link.ask(Raw(0)).result(timeout=20)


def test_every_press_arrives_once_and_in_order_over_a_bad_cable(host: Host) -> None:
    host.wait_ok()
    host.peer.faults.drop_ppm = 3000
    host.peer.faults.garble_ppm = 3000
    expected = [Button(i % 6) for i in range(40)]
    for button in expected:
        host.peer.press(button)
        time.sleep(0.04)
    wait_for(lambda: len(host.presses) >= len(expected), timeout_s=30)
    time.sleep(0.2)
    assert host.presses == expected


def test_after_a_reset_the_whole_wanted_state_is_sent_again(host: Host) -> None:
    host.wait_ok()
    configure(host.link, brightness=50, sensors=True)
    lights, dice = SerialLights(host.link), SerialDice(host.link)
    run(lights.show({Site(6): Light((255, 0, 0), "blink")}, Color.WHITE))
    run(dice.show(4, Roll(6, 1), Color.BLACK))
    shown = wait_until_shown(host.peer)
    host.peer.reset()
    assert host.peer.lights != shown
    wait_for(lambda: host.peer.lights == shown and host.peer.dice == bytes([0, 0, 6, 1]))
    wait_for(lambda: host.peer.config == Config(50, 1000, 0, 1))


def wait_until_shown(peer: Peer) -> bytes:
    wait_for(lambda: peer.lights[15:18] == bytes([255, 0, 0]) and peer.dice == bytes([0, 0, 6, 1]))
    return peer.lights


def test_the_cable_out_and_in_again_under_another_name_changes_nothing(host: Host) -> None:
    host.wait_ok()
    dice = SerialDice(host.link)
    run(dice.show(9, Roll(5, 5), Color.WHITE))
    wait_for(lambda: host.peer.dice == bytes([5, 5, 0, 0]))
    host.peer.press(Button.CLOCK_WHITE)
    wait_for(lambda: host.presses == [Button.CLOCK_WHITE])
    host.peer.unplug()
    wait_for(lambda: host.link.state.kind == "lost")
    with pytest.raises(LinkError):
        host.link.ask(Ping(1)).result(timeout=20)
    host.peer.plug()
    host.wait_ok()
    wait_for(lambda: host.peer.dice == bytes([5, 5, 0, 0]))
    host.peer.press(Button.CLOCK_BLACK)
    wait_for(lambda: host.presses == [Button.CLOCK_WHITE, Button.CLOCK_BLACK])
    assert "simulated:1" in host.link.state.device


def test_a_silent_board_is_noticed_within_two_seconds() -> None:
    async def evening(clock: VirtualClock) -> float:
        peer = Peer(clock.now_s, sleep=clock.sleep)
        with virtual_link(peer, clock) as link:
            await asyncio.sleep(1.0)
            assert link.state.kind == "ok"
            peer.faults.silent, began_s = True, clock.now
            while link.state.kind == "ok":
                await asyncio.sleep(0.05)
            assert link.state.kind == "lost"
            return clock.now - began_s

    assert run_virtually(evening) <= LOST_AFTER_S


def test_all_that_is_wanted_is_sent_without_a_pause_in_between() -> None:
    async def evening(clock: VirtualClock) -> None:
        peer = Peer(clock.now_s, sleep=clock.sleep)
        with virtual_link(peer, clock) as link:
            await SerialLights(link).show({Site(6): Light((255, 0, 0), "chase", Site(4))}, Color.BLACK)
            await SerialDice(link).show(4, Roll(6, 1), Color.BLACK)
            configure(link, brightness=50, sensors=False)
            await asyncio.sleep(1e-6)
            assert [(chase.origin, chase.target) for chase in peer.chases] == [(5, 3)]
            assert peer.dice == bytes([0, 0, 6, 1])
            assert peer.config == Config(50, 1000, 0, 0)

    run_virtually(evening)


def test_a_second_program_is_told_that_the_port_is_taken(host: Host) -> None:
    host.wait_ok()
    other = SerialLink(host.peer.devices, host.peer.open, bauds=(250_000,))
    told: list[LinkState] = []
    other.on_state(told.append)
    other.start()
    wait_for(lambda: any("another program" in state.detail for state in told))
    other.close()


def test_lights_are_shown_newest_first_when_they_change_faster_than_the_wire(host: Host) -> None:
    host.wait_ok()
    lights = SerialLights(host.link)
    for step in range(200):
        run(lights.show({Site(1): Light((step % 256, 0, 0))}, None))
    wait_for(lambda: host.peer.lights[0] == 199)


def test_the_real_firmware_in_simavr_shows_dice_and_lights_and_keeps_every_press() -> None:
    """The same link, lights, dice and buttons on the real ELF, the cable pulled in between."""
    build()
    board = EmulatedBoard()
    link = SerialLink(board.devices, board.open)
    presses: list[tuple[Button, float]] = []

    def happened(event: Event, at_s: float) -> None:
        if isinstance(event, ButtonChanged) and event.edge is Edge.PRESSED:
            presses.append((event.button, at_s))

    link.on_event(happened)
    configure(link, brightness=255, sensors=False)
    run(SerialLights(link).show({Site(6): Light((200, 10, 0))}, None))
    run(SerialDice(link, roll_ms=200).show(3, Roll(6, 2), Color.WHITE))
    link.start()
    try:
        wait_for(lambda: link.state.kind == "ok", timeout_s=30)
        wait_for(lambda: board.dice == bytes([6, 2, 0, 0]), timeout_s=30)
        wait_for(lambda: any(board.lights[15:18]), timeout_s=30)
        board.press(Button.CLOCK_WHITE)
        wait_for(lambda: len(presses) == 1, timeout_s=30)
        board.unplug()
        wait_for(lambda: link.state.kind == "lost", timeout_s=30)
        board.press(Button.CLOCK_BLACK)
        board.plug()
        wait_for(lambda: link.state.kind == "ok", timeout_s=30)
        wait_for(lambda: len(presses) == 2, timeout_s=30)
        wait_for(lambda: board.dice == bytes([6, 2, 0, 0]), timeout_s=30)
    finally:
        link.close()
        board.close()
    assert [button for button, _ in presses] == [Button.CLOCK_WHITE, Button.CLOCK_BLACK]
    assert presses[0][1] < presses[1][1]


def test_buttons_tell_whose_they_are() -> None:
    async def evening() -> list[Pressed]:
        peer = Peer()
        link = SerialLink(peer.devices, peer.open, bauds=(250_000,))
        buttons = SerialButtons(link)
        link.start()
        for button in (Button.ROLL_BLACK, Button.CLOCK_WHITE, Button.DOUBLE_BLACK):
            peer.press(button)
        found: list[Pressed] = []
        async with asyncio.timeout(20):
            async for press in buttons.presses():
                found.append(press)
                if len(found) == 3:
                    break
        await asyncio.to_thread(link.close)
        return found

    found = asyncio.run(evening())
    assert [(press.button, press.player) for press in found] == [
        ("roll", Color.BLACK),
        ("clock", Color.WHITE),
        ("double", Color.BLACK),
    ]


def clock_with(offset_us: int, trips: list[tuple[float, float]]) -> BoardClock:
    clock = BoardClock()
    for sent_s, received_s in trips:
        clock.add(sent_s, received_s, (int((sent_s + received_s) / 2 * 1e6) + offset_us) % (1 << 32))
    return clock


@pytest.mark.parametrize("offset_us", [0, 123_456_789, (1 << 32) - 5_000_000])
def test_a_moment_on_the_board_is_mapped_to_the_host_over_the_wrap_of_its_counter(offset_us: int) -> None:
    clock = clock_with(offset_us, [(100.0, 100.002), (100.5, 100.7), (101.0, 101.004)])
    at_us = (int(103.25 * 1e6) + offset_us) % (1 << 32)
    assert clock.host_s(at_us, now_s=104.0) == pytest.approx(103.25, abs=0.002)
    earlier_us = (int(99.0 * 1e6) + offset_us) % (1 << 32)
    assert clock.host_s(earlier_us, now_s=104.0) == pytest.approx(99.0, abs=0.002)


def test_a_clock_that_stood_still_is_mapped_anew_by_the_next_round_trip() -> None:
    clock = clock_with(0, [(100.0, 100.001), (100.5, 100.504)])
    clock.add(101.0, 101.02, int(100.4 * 1e6))
    assert clock.host_s(int(100.6 * 1e6), now_s=105.0) == pytest.approx(101.21, abs=0.02)


def test_a_press_is_never_dated_into_the_future() -> None:
    clock = clock_with(0, [(10.0, 10.001)])
    assert clock.host_s(20_000_000, now_s=11.0) == 11.0


def test_closing_ends_the_thread_at_once() -> None:
    host = Host(Peer())
    host.link.start()
    host.wait_ok()
    host.link.close()
    assert not any(thread.name == "board-link" and thread.is_alive() for thread in threading.enumerate())


def test_wait_for_says_what_did_not_happen() -> None:
    never: Callable[[], bool] = lambda: False  # noqa: E731 - a named function would say less
    with pytest.raises(AssertionError):
        wait_for(never, timeout_s=0.05)
