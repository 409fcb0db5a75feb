"""The wire on the real ELF: nothing lost, nothing doubled, whatever the cable, the host or the supply does."""

import random
from collections import Counter
from collections.abc import Callable

import pytest
from emulated import Bench, Host, Noise

from controller.errors import FirmwareMismatchError
from controller.protocol import (
    LIGHT_COUNT,
    MAJOR,
    Booted,
    Button,
    ButtonChanged,
    DiceShow,
    Edge,
    FrameDecoder,
    Hello,
    HelloReply,
    LightsSet,
    LightsShow,
    Overflow,
    Ping,
    PingReply,
    Refusal,
    Refused,
    State,
    Stats,
    check_version,
    decode_message,
    encode_message,
)

REQUESTS = 10_000
PER_BATCH = 10


def test_ten_thousand_interleaved_requests_with_refreshes_of_52_lights_lose_and_double_nothing(
    host: Host, bench: Bench
) -> None:
    rng = random.Random(1)
    before = host.ask(Stats())
    decoder = FrameDecoder()
    tokens: Counter[int] = Counter()
    shown: Counter[int] = Counter()
    for batch in range(REQUESTS // PER_BATCH):
        picture = LightsSet(0, rng.randbytes(LIGHT_COUNT * 3))
        stream = encode_message(picture, 0) + encode_message(LightsShow(batch, bytes(7), 1000, 0, 100), 1)
        for at in range(PER_BATCH - 2):  # these arrive while the frame goes out
            stream += encode_message(Ping(batch * PER_BATCH + at), 2 + at)
        bench.send(stream)
        answered = 0
        end_s = bench.now_s + 0.1
        while answered < PER_BATCH and bench.now_s < end_s:
            bench.run(0.001)
            for frame in decoder.feed(bench.receive()):
                message = decode_message(frame)
                answered += not isinstance(message, ButtonChanged)
                if isinstance(message, PingReply):
                    tokens[message.token] += 1
                elif frame.kind == LightsShow.KIND | 0x80:
                    shown[frame.seq] += 1
        assert answered == PER_BATCH
    assert len(tokens) == REQUESTS * (PER_BATCH - 2) // PER_BATCH
    assert set(tokens.values()) == {1}
    assert shown == {1: REQUESTS // PER_BATCH}
    after = host.ask(Stats())
    assert after.executed - before.executed == REQUESTS + 1
    assert (after.damaged, after.overlong, after.overruns, after.ring_full, after.repeated) == (0, 0, 0, 0, 0)
    assert after.light_frames - before.light_frames >= REQUESTS // PER_BATCH
    assert bench.overruns == 0


def test_the_small_chip_loses_nothing_either_when_it_is_asked_while_lights_go_out(
    new_bench: Callable[..., Bench],
) -> None:
    bench = new_bench("atmega328p")
    host = Host(bench)
    host.greet()
    rng = random.Random(3)
    before = host.ask(Stats())
    for turn in range(300):
        host.ask(LightsSet(0, rng.randbytes(LIGHT_COUNT * 3)))
        host.ask(LightsShow(turn, bytes(7), 1000, 0, 100))
        assert host.ask(Ping(turn)).token == turn
    after = host.ask(Stats())
    assert after.executed - before.executed == 901
    assert (after.damaged, after.overruns, after.ring_full, after.repeated) == (0, 0, 0, 0)
    assert (bench.overruns, host.exchange.counters.resent) == (0, 0)


@pytest.mark.parametrize("seed", [1, 2])
def test_with_flipped_bits_and_dropped_bytes_every_clock_press_arrives_once_and_in_order(
    bench: Bench, seed: int
) -> None:
    host = Host(bench, step_s=0.0005, tries=60)
    host.greet()
    host.noise = Noise(seed, bit_share=0.001, drop_share=0.002)
    rng = random.Random(seed)
    expected: list[tuple[Button, Edge]] = []
    for _ in range(70):
        button = rng.choice((Button.CLOCK_WHITE, Button.CLOCK_BLACK))
        for edge in (Edge.PRESSED, Edge.RELEASED):
            bench.button(button, edge is Edge.PRESSED)
            expected.append((button, edge))
            if rng.random() < 0.3:
                host.ask(LightsSet(0, rng.randbytes(60)))
            host.run(rng.uniform(0.03, 0.09))
    host.run_until(lambda: len(host.of(ButtonChanged)) >= len(expected), most_s=3.0)
    host.run(0.5)
    seen = [(event.button, event.edge) for event in host.of(ButtonChanged) if isinstance(event, ButtonChanged)]
    assert seen == expected
    assert host.noise.flipped > 40
    assert host.noise.dropped > 5
    assert host.exchange.damage > 0
    assert host.of(Overflow) == []


def test_presses_that_found_no_room_are_told_and_never_silently_lost(bench: Bench) -> None:
    host = Host(bench)
    host.greet()
    for _ in range(60):  # nobody listens: 120 events, the board has room for 64
        bench.button(Button.CLOCK_WHITE, True)
        bench.run(0.04)
        bench.button(Button.CLOCK_WHITE, False)
        bench.run(0.04)
    bench.receive()
    host.run(3.0)
    told = len(host.of(ButtonChanged))
    lost = sum(event.presses for event in host.of(Overflow) if isinstance(event, Overflow))
    assert told + lost == 120
    assert lost > 0
    numbers = [event.number for _, event in host.events]
    assert numbers == list(range(len(numbers)))


def test_events_of_a_silent_time_come_when_the_host_is_back(host: Host, bench: Bench) -> None:
    bench.run(3.0)
    bench.button(Button.CLOCK_BLACK, True)
    bench.run(5.0)
    host.run(0.6)
    [press] = host.of(ButtonChanged)
    assert press.edge is Edge.PRESSED
    reply = host.ask(Ping(9))
    assert 4.9e6 < reply.at_us - press.at_us < 5.8e6


def test_half_a_frame_of_an_old_host_costs_the_new_one_nothing(host: Host, bench: Bench) -> None:
    for cut in (1, 3, 30, 100):
        bench.send(encode_message(LightsSet(0, bytes(120)), 77)[:cut])
        bench.run(0.02)
        fresh = Host(bench)
        assert fresh.ask(Hello(MAJOR, 0)).boot_id == 1
        assert fresh.exchange.counters.resent == 0


def test_words_of_a_modem_probe_do_no_harm(host: Host, bench: Bench) -> None:
    bench.send(b"AT\r\nAT+GCAP\r\n" * 20)
    host.run(0.05)
    fresh = Host(bench)
    assert fresh.ask(Hello(MAJOR, 0)).boot_id == 1


def test_a_reset_shows_itself_by_a_refusal_and_a_new_boot_id(host: Host, bench: Bench) -> None:
    host.ask(DiceShow(4, bytes((1, 2, 3, 4))))
    bench.reset()
    host.run(0.05)
    answer = host.answer(State())
    assert isinstance(answer, Refused)
    assert answer.reason is Refusal.HELLO_FIRST
    assert host.greet().boot_id == 2
    assert [event.boot for event in host.of(Booted)] == [1, 2]
    assert host.ask(State()).roll_id == 0


def test_a_request_under_way_at_a_reset_is_answered_by_the_next_boot(host: Host, bench: Bench) -> None:
    host.exchange.ask(Hello(MAJOR, 0), bench.now_s)
    host.step()
    bench.reset()
    host.run_until(lambda: host.exchange.pending is None, most_s=1.0)
    assert host.of(Booted)[-1].boot == 2


def test_another_major_version_is_refused_with_both_named(host: Host) -> None:
    reply = host.ask(Hello(MAJOR + 1, 0))
    assert isinstance(reply, HelloReply)
    check_version(reply)
    refused = host.answer(State())
    assert isinstance(refused, Refused)
    assert refused.reason is Refusal.VERSION
    other = HelloReply.decode(bytes((MAJOR + 1,)) + reply.encode()[1:])
    with pytest.raises(FirmwareMismatchError, match=rf"{MAJOR + 1}\.0.*{MAJOR}\.0"):
        check_version(other)


def test_thirty_resets_have_thirty_boot_ids(host: Host, bench: Bench) -> None:
    boots = []
    for turn in range(30):
        (bench.reset, bench.brown_out, bench.power_on)[turn % 3]()
        boots.append(host.greet().boot_id)
    assert boots == list(range(2, 32))


def test_dice_are_lit_within_five_ms_of_the_request(host: Host, bench: Bench) -> None:
    rng = random.Random(9)
    worst = 0.0
    for roll_id in range(1, 101):
        if roll_id % 2:  # a frame of lights is on its way out
            host.ask(LightsShow(roll_id, bytes(7), 1000, 0, 100))
        else:
            host.run(rng.random() * 0.01)
        began = bench.cycle
        host.ask(DiceShow(roll_id, bytes(rng.randint(1, 6) for _ in range(4))))
        if bench.dice_cycle > began:
            worst = max(worst, (bench.dice_cycle - began) / 16e6)
    assert 0 < worst <= 0.005


def test_the_clock_of_the_board_keeps_time_while_lights_and_sensors_run(host: Host, bench: Bench) -> None:
    first = host.ask(Ping(1)).at_us
    began_s = bench.now_s
    for generation in range(100):
        host.ask(LightsShow(generation, bytes(7), 1000, 0, 100))
        host.run(0.03)
    last = host.ask(Ping(2)).at_us
    assert abs((last - first) - (bench.now_s - began_s) * 1e6) < 2500
