"""The buttons on the real ELF: one press is one event, timed by its first edge."""

import random
from collections.abc import Callable

import pytest
from emulated import Bench, Host

from controller.protocol import Button, ButtonChanged, Edge, Fault, FaultChanged, Ping, State


def board_us(host: Host) -> float:
    """Return the board's clock minus virtual time, in microseconds; the host knows it by its round trips."""
    reply = host.ask(Ping(1))
    return reply.at_us - host.bench.now_s * 1e6


@pytest.mark.parametrize("chip", ["atmega2560", "atmega328p"])
def test_each_button_is_told_by_name_when_pressed_and_let_go(new_bench: Callable[..., Bench], chip: str) -> None:
    bench = new_bench(chip)
    host = Host(bench)
    host.greet()
    for button in Button:
        bench.button(button, True)
        host.run(0.04)
        assert host.ask(State()).pressed == 1 << button
        bench.button(button, False)
        host.run(0.04)
    seen = [(event.button, event.edge) for event in host.of(ButtonChanged) if isinstance(event, ButtonChanged)]
    assert seen == [(button, edge) for button in Button for edge in (Edge.PRESSED, Edge.RELEASED)]


def test_ten_ms_of_bounce_are_one_press_timed_by_the_first_edge(host: Host, bench: Bench) -> None:
    rng = random.Random(10)
    offset_us = board_us(host)
    for press in range(40):
        host.run(0.05 + rng.random() * 0.01)
        first_s = bench.now_s
        bench.button(Button.CLOCK_WHITE, True)
        closed = True
        while bench.now_s < first_s + 0.010:
            host.run(rng.uniform(0.00005, 0.004))
            closed = not closed
            bench.button(Button.CLOCK_WHITE, closed)
        bench.button(Button.CLOCK_WHITE, True)
        host.run(0.05)
        bench.button(Button.CLOCK_WHITE, False)
        host.run(0.05)
        presses = [event for event in host.of(ButtonChanged) if event.edge is Edge.PRESSED]
        assert len(presses) == press + 1
        # The clock of the host is known to half a round trip, about 1 ms.
        assert abs(presses[-1].at_us - offset_us - first_s * 1e6) < 1500


def test_a_press_reaches_the_host_within_ten_ms(host: Host, bench: Bench) -> None:
    rng = random.Random(11)
    latencies = []
    for _ in range(60):
        host.run(0.04 + rng.random() * 0.02)
        host.events.clear()
        bench.button(Button.CLOCK_BLACK, True)
        latencies.append(host.run_until(lambda: bool(host.events), most_s=0.1))
        host.run(0.04)
        bench.button(Button.CLOCK_BLACK, False)
    assert max(latencies) <= 0.010


def test_both_clock_buttons_at_once_are_two_presses(host: Host, bench: Bench) -> None:
    bench.button(Button.CLOCK_WHITE, True)
    bench.button(Button.CLOCK_BLACK, True)
    host.run(0.05)
    pressed = [event.button for event in host.of(ButtonChanged) if isinstance(event, ButtonChanged)]
    assert sorted(pressed) == [Button.CLOCK_WHITE, Button.CLOCK_BLACK]


def test_a_button_held_through_a_reset_is_no_new_press(host: Host, bench: Bench) -> None:
    bench.button(Button.ROLL_WHITE, True)
    host.run(0.05)
    bench.reset()
    host.greet()
    host.run(0.2)
    assert len(host.of(ButtonChanged)) == 1
    bench.button(Button.ROLL_WHITE, False)
    host.run(0.05)
    assert host.of(ButtonChanged)[-1].edge is Edge.RELEASED


def test_a_button_held_for_ten_seconds_is_reported_as_stuck(bench: Bench) -> None:
    host = Host(bench, step_s=0.005)
    host.greet()
    bench.button(Button.DOUBLE_BLACK, True)
    host.run(9.5)
    assert host.of(FaultChanged) == []
    host.run(1.0)
    [fault] = host.of(FaultChanged)
    assert (fault.fault, fault.index, fault.active) == (Fault.BUTTON_STUCK, Button.DOUBLE_BLACK, 1)
