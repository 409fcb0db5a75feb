"""The host's side of the conversation: retries, events once and in order, versions."""

import random

import pytest

from controller.errors import FirmwareMismatchError, LinkTimeoutError
from controller.protocol import (
    MAJOR,
    MINOR,
    Booted,
    Button,
    ButtonChanged,
    Calibration,
    Chip,
    Edge,
    Event,
    EventsAck,
    Exchange,
    Frame,
    FrameDecoder,
    Hello,
    HelloReply,
    Message,
    Ping,
    PingReply,
    Refusal,
    Refused,
    ResetCause,
    check_version,
    decode_message,
    encode_frame,
    encode_message,
)


def sent_by(exchange: Exchange, now_s: float) -> list[tuple[int, Message]]:
    return [(f.seq, decode_message(f)) for f in FrameDecoder().feed(exchange.poll(now_s))]


def hello_reply(major: int = MAJOR, boot_id: int = 0x50007, oldest_event: int = 4) -> HelloReply:
    return HelloReply(
        major=major,
        minor=MINOR,
        chip=Chip.ATMEGA2560,
        parts=0x3F,
        lights=52,
        cells=192,
        buttons=6,
        max_payload=160,
        event_depth=24,
        boot_id=boot_id,
        reset_cause=ResetCause.POWER_ON,
        calibration=Calibration.VALID,
        oldest_event=oldest_event,
        uptime_ms=10,
        build=0,
    )


def press(number: int, boot: int = 7) -> ButtonChanged:
    return ButtonChanged(boot, number, 1000 * number, Button.CLOCK_WHITE, Edge.PRESSED)


def feed_event(exchange: Exchange, event: Event) -> list[Message]:
    return exchange.feed(encode_message(event, event.number % 256))


def greeted(oldest_event: int = 4) -> Exchange:
    exchange = Exchange()
    exchange.ask(Hello(MAJOR, MINOR), 0.0)
    [(seq, _)] = sent_by(exchange, 0.0)
    exchange.feed(encode_message(hello_reply(oldest_event=oldest_event), seq))
    return exchange


def test_a_request_is_sent_again_unchanged_until_its_reply_comes() -> None:
    exchange = Exchange(timeout_s=0.1)
    exchange.ask(Ping(5), 1.0)
    first = sent_by(exchange, 1.0)
    assert sent_by(exchange, 1.05) == []
    assert sent_by(exchange, 1.1) == first == [(1, Ping(5))]
    assert exchange.feed(encode_message(PingReply(5, 77), 1)) == [PingReply(5, 77)]
    assert exchange.pending is None
    assert sent_by(exchange, 9.0) == []
    assert exchange.counters.resent == 1


def test_a_request_without_answer_is_a_timeout_that_names_it() -> None:
    exchange = Exchange(timeout_s=0.1, tries=3)
    exchange.ask(Ping(5), 0.0)
    for now_s in (0.0, 0.1, 0.2):
        exchange.poll(now_s)
    with pytest.raises(LinkTimeoutError, match="Ping: no answer after 3 tries"):
        exchange.poll(0.31)
    assert exchange.pending is None


def test_a_reply_to_an_older_request_is_left_out() -> None:
    exchange = Exchange()
    exchange.ask(Ping(1), 0.0)
    exchange.ask(Ping(2), 0.0)
    assert exchange.feed(encode_message(PingReply(1, 5), 1)) == []
    assert exchange.feed(encode_message(PingReply(2, 6), 2)) == [PingReply(2, 6)]


def test_a_refusal_ends_the_request_it_belongs_to() -> None:
    exchange = Exchange()
    exchange.ask(Ping(1), 0.0)
    other = Refused(Hello.KIND, Refusal.HELLO_FIRST)
    mine = Refused(Ping.KIND, Refusal.HELLO_FIRST)
    assert exchange.feed(encode_message(other, 1) + encode_message(mine, 1)) == [mine]
    assert exchange.pending is None


def test_events_are_handed_out_once_and_acknowledged() -> None:
    exchange = greeted(oldest_event=4)
    assert feed_event(exchange, press(4)) == [press(4)]
    assert sent_by(exchange, 0.0) == [(4, EventsAck(7, 4))]
    assert feed_event(exchange, press(4)) == []
    assert sent_by(exchange, 0.0) == [(4, EventsAck(7, 4))]  # the first acknowledgement may be lost
    assert exchange.counters.doubled == 1


def test_an_event_after_a_lost_one_waits_until_the_lost_one_came_again() -> None:
    exchange = greeted(oldest_event=4)
    assert feed_event(exchange, press(5)) == []
    assert sent_by(exchange, 0.0) == []
    assert [*feed_event(exchange, press(4)), *feed_event(exchange, press(5))] == [press(4), press(5)]


def test_event_numbers_may_wrap() -> None:
    exchange = greeted(oldest_event=0xFFFF)
    assert feed_event(exchange, press(0xFFFF)) == [press(0xFFFF)]
    assert feed_event(exchange, press(0)) == [press(0)]
    assert feed_event(exchange, press(0xFFFF)) == []


def test_after_a_reset_the_first_event_begins_a_new_count() -> None:
    exchange = greeted(oldest_event=4)
    booted = Booted(8, 0, 5, 0x50008, ResetCause.WATCHDOG, Calibration.VALID)
    assert feed_event(exchange, press(1, boot=8)) == []  # not before we know where it begins
    assert feed_event(exchange, booted) == [booted]
    assert feed_event(exchange, press(1, boot=8)) == [press(1, boot=8)]


def test_a_board_that_was_on_before_us_says_where_its_events_begin() -> None:
    exchange = Exchange()
    assert feed_event(exchange, press(9)) == []
    exchange.ask(Hello(MAJOR, MINOR), 0.0)
    seq = sent_by(exchange, 0.0)[-1][0]
    exchange.feed(encode_message(hello_reply(oldest_event=9), seq))
    assert feed_event(exchange, press(9)) == [press(9)]


def test_an_event_of_a_later_minor_version_is_acknowledged_and_left_out() -> None:
    exchange = greeted(oldest_event=4)
    strange = encode_frame(Frame(0xD0, 4, press(4).encode()))
    assert exchange.feed(strange) == []
    assert exchange.counters.strange == 1
    assert feed_event(exchange, press(5)) == [press(5)]


def test_another_major_version_is_refused_with_both_versions_named() -> None:
    with pytest.raises(FirmwareMismatchError, match=r"protocol 2\.0, this controller 1\.0"):
        check_version(hello_reply(major=2))
    check_version(hello_reply())


def test_hello_ends_what_the_host_before_left_half_sent() -> None:
    exchange = Exchange()
    for now_s in (0.0, 5.0):  # on the first port, and later on another
        exchange.ask(Hello(MAJOR, MINOR), now_s)
        assert exchange.poll(now_s)[:1] == b"\x00"
    exchange.ask(Ping(1), 6.0)
    assert exchange.poll(6.0)[:1] != b"\x00"


def test_noise_between_frames_never_raises_and_loses_only_what_it_hit() -> None:
    rng = random.Random(7)
    exchange = greeted(oldest_event=0)
    taken: list[Message] = []
    for number in range(300):
        while not any(isinstance(m, ButtonChanged) and m.number == number for m in taken):
            stream = bytearray(encode_message(press(number), number % 256))
            if rng.random() < 0.5:
                stream[rng.randrange(len(stream))] ^= 1 << rng.randrange(8)
            taken += exchange.feed(rng.randbytes(rng.randrange(30)) + b"\x00" + bytes(stream))
    assert taken == [press(number) for number in range(300)]
