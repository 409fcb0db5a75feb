"""The lights on the real ELF: exact colors, exact timing, the current cap, effects, self-test."""

import random
from collections.abc import Callable

import pytest
from emulated import CYCLES_PER_S, Bench, Host, LightTiming, Rgb

from controller.protocol import (
    LIGHT_COUNT,
    LIGHT_TURN_BLACK,
    LIGHT_TURN_WHITE,
    ChaseSet,
    Config,
    Fault,
    FaultChanged,
    LightsSet,
    LightsShow,
    Ping,
    SelfTest,
    SelfTested,
    Stats,
)

NS_PER_CYCLE = 1e9 / CYCLES_PER_S
BLACK: Rgb = (0, 0, 0)


def show(host: Host, lights: list[Rgb], generation: int = 1, **effects: object) -> None:
    host.ask(LightsSet(0, bytes(channel for light in lights for channel in light)))
    shown = {"blink": bytes(7), "blink_ms": 1000, "chases": 0, "step_ms": 100} | effects
    assert host.ask(LightsShow(generation=generation, **shown)).generation == generation
    host.run(0.004)


def assert_datasheet(timing: LightTiming) -> None:
    """The limits that hold for the WS2812B of every revision, and a gap that none takes for a latch."""
    assert timing.bits == timing.frames * LIGHT_COUNT * 24
    assert timing.partial == timing.crowded == 0
    assert timing.zero_min * NS_PER_CYCLE >= 250
    assert timing.zero_max * NS_PER_CYCLE <= 380
    assert timing.one_min * NS_PER_CYCLE >= 650
    assert timing.one_max * NS_PER_CYCLE <= 950
    assert timing.period_min * NS_PER_CYCLE >= 1060
    assert timing.low_max * NS_PER_CYCLE < 5000


@pytest.mark.parametrize("chip", ["atmega2560", "atmega328p"])
def test_each_light_shows_exactly_its_color_and_no_other_light_glows(
    new_bench: Callable[..., Bench], chip: str
) -> None:
    bench = new_bench(chip)
    host = Host(bench)
    host.greet()
    bench.light_timing()
    for light in range(LIGHT_COUNT):
        lights = [BLACK] * LIGHT_COUNT
        lights[light] = (255 - light, 1 + light, 128 ^ light)
        show(host, lights)
        assert bench.lights == lights
    assert_datasheet(bench.light_timing())


def test_any_picture_arrives_bit_for_bit_while_requests_come_in(host: Host, bench: Bench) -> None:
    rng = random.Random(52)
    host.ask(Config(255, 3200, 0, 0))
    bench.light_timing()
    for generation in range(60):
        lights = [(rng.randrange(256), rng.randrange(256), rng.randrange(256)) for _ in range(LIGHT_COUNT)]
        host.ask(LightsSet(0, bytes(channel for light in lights for channel in light)))
        host.ask(LightsShow(generation, bytes(7), 1000, 0, 100))
        for token in range(3):  # these arrive while the frame goes out
            host.ask(Ping(token))
        host.run(0.003)
        assert bench.lights == lights
    timing = bench.light_timing()
    assert timing.frames >= 60
    assert_datasheet(timing)
    assert bench.overruns == 0


@pytest.mark.parametrize("limit_ma", [100, 500, 1000, 2000])
def test_an_all_white_frame_keeps_the_current_cap(host: Host, bench: Bench, limit_ma: int) -> None:
    host.ask(Config(255, limit_ma, 0, 0))
    show(host, [(255, 255, 255)] * LIGHT_COUNT)
    assert limit_ma * 0.8 - 10 <= bench.lights_ma <= limit_ma
    assert len(set(bench.lights)) == 1
    assert len(set(bench.lights[0])) == 1


def test_brightness_dims_every_light_alike(host: Host, bench: Bench) -> None:
    host.ask(Config(63, 1000, 0, 0))
    show(host, [(200, 100, 0)] * LIGHT_COUNT)
    assert set(bench.lights) == {(50, 25, 0)}


def test_a_blinking_light_goes_on_and_off_without_further_requests(host: Host, bench: Bench) -> None:
    show(host, [(9, 9, 9)] * LIGHT_COUNT, blink=bytes((0b100, 0, 0, 0, 0, 0, 0)), blink_ms=200)
    seen = []
    for _ in range(40):
        host.run(0.01)
        seen.append(bench.lights[2])
        assert bench.lights[3] == (9, 9, 9)
    assert 16 <= seen.count((9, 9, 9)) <= 24
    assert 16 <= seen.count(BLACK) <= 24


def test_a_chase_runs_from_point_to_point(host: Host, bench: Bench) -> None:
    host.ask(ChaseSet(0, 12, 7, 0, 0, 200))  # White's 13-point to the 8-point
    show(host, [BLACK] * LIGHT_COUNT, chases=1, step_ms=40)
    path: list[int] = []
    for _ in range(120):
        host.run(0.002)
        lit = [light for light, rgb in enumerate(bench.lights) if rgb != BLACK]
        assert len(lit) <= 1
        if lit and (not path or path[-1] != lit[0]):
            path += lit
    assert path == [12, 11, 10, 9, 8, 7]


def test_a_silent_host_shows_on_the_board_after_two_seconds_and_a_word_ends_it(host: Host, bench: Bench) -> None:
    show(host, [(0, 50, 0)] * LIGHT_COUNT)
    last_word = bench.now_s
    bench.run(1.9)
    assert bench.lights == [(0, 50, 0)] * LIGHT_COUNT
    bench.run(0.15)
    assert bench.now_s - last_word < 2.1
    turn = set(LIGHT_TURN_WHITE) | set(LIGHT_TURN_BLACK)
    assert all(bench.lights[light] == BLACK for light in set(range(LIGHT_COUNT)) - turn)
    assert any(bench.lights[light] != BLACK for light in turn)
    host.ask(Ping(1))
    host.run(0.01)
    assert bench.lights == [(0, 50, 0)] * LIGHT_COUNT
    assert host.ask(Stats()).links_lost == 1


def self_test(host: Host) -> tuple[SelfTested, list[FaultChanged]]:
    host.ask(SelfTest())
    host.run_until(lambda: bool(host.of(SelfTested)), most_s=6.0)
    [done] = host.of(SelfTested)
    assert isinstance(done, SelfTested)
    return done, [event for event in host.of(FaultChanged) if isinstance(event, FaultChanged)]


@pytest.mark.parametrize("chip", ["atmega2560", "atmega328p"])
def test_self_test_names_a_dead_light(new_bench: Callable[..., Bench], chip: str) -> None:
    bench = new_bench(chip)
    host = Host(bench)
    host.greet()
    bench.kill_light(17)
    done, faults = self_test(host)
    assert (done.measured, done.dark) == (1, 1)
    assert [(event.fault, event.index) for event in faults] == [(Fault.LIGHT_DARK, 17)]


def test_self_test_names_every_light_behind_a_broken_joint(host: Host, bench: Bench) -> None:
    bench.break_chain(48)
    done, faults = self_test(host)
    assert done.dark == 4
    assert [event.index for event in faults] == [48, 49, 50, 51]


def test_self_test_of_a_sound_board_finds_nothing_and_restores_the_lights(host: Host, bench: Bench) -> None:
    show(host, [(0, 0, 70)] * LIGHT_COUNT)
    done, faults = self_test(host)
    assert (done.measured, done.dark, done.stuck, done.cells, faults) == (1, 0, 0, 0, [])
    host.run(0.01)
    assert bench.lights == [(0, 0, 70)] * LIGHT_COUNT


def test_self_test_says_when_no_light_could_be_measured(host: Host, bench: Bench) -> None:
    bench.break_chain(0)  # the same to the board as a missing current sense
    done, faults = self_test(host)
    assert done.measured == 0
    assert [event.fault for event in faults] == [Fault.LIGHTS_UNMEASURED]


def test_self_test_names_a_stuck_button(host: Host, bench: Bench) -> None:
    bench.button(4, True)
    done, faults = self_test(host)
    assert done.stuck == 1
    assert [(event.fault, event.index) for event in faults] == [(Fault.BUTTON_STUCK, 4)]
