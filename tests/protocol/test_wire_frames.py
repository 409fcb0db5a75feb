"""The frame decoder takes any split of the stream and survives any damage."""

import random
import tomllib
from binascii import crc_hqx
from pathlib import Path
from typing import Any

import pytest
from cobs import cobs as other_cobs
from hypothesis import given
from hypothesis import strategies as st

from controller.protocol import (
    MAX_PAYLOAD,
    MESSAGES,
    Frame,
    FrameDecoder,
    ProtocolError,
    decode_message,
    encode_frame,
    encode_message,
)
from controller.protocol.frames import cobs_decode, cobs_encode

GOLDEN: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parent / "golden" / "frames.toml").read_text(encoding="utf-8")
)
FUZZED_BYTES = 6_000_000

frames = st.builds(
    Frame,
    kind=st.integers(0, 255),
    seq=st.integers(0, 255),
    payload=st.binary(max_size=MAX_PAYLOAD),
)


def golden_fields(golden: dict[str, Any]) -> dict[str, Any]:
    message = next(m for m in MESSAGES.values() if m.__name__.lower() == golden["message"].replace("_", ""))
    values = dict(golden["fields"])
    for field in message.FIELDS:
        if field.tail or (field.count and field.size == 1):
            values[field.name] = bytes(values[field.name])
        elif field.count:
            values[field.name] = tuple(values[field.name])
    return {"message": message, "values": values}


@pytest.mark.parametrize("golden", GOLDEN["frame"], ids=lambda g: g["message"])
def test_golden_frame_is_read_and_written(golden: dict[str, Any]) -> None:
    expected = golden_fields(golden)
    [frame] = FrameDecoder().feed(bytes.fromhex(golden["bytes"]))
    message = decode_message(frame)
    assert message == expected["message"](**expected["values"])
    assert frame.seq == golden["seq"]
    assert encode_message(message, golden["seq"]).hex() == golden["bytes"]


def test_every_message_has_a_golden_frame() -> None:
    named = {golden["message"].replace("_", "") for golden in GOLDEN["frame"]}
    assert named == {message.__name__.lower() for message in MESSAGES.values()}


@pytest.mark.parametrize("golden", GOLDEN["damaged"], ids=lambda g: g["why"])
def test_damaged_frame_is_counted_and_the_next_one_is_read(golden: dict[str, Any]) -> None:
    decoder = FrameDecoder()
    good = Frame(0x02, 9, b"good")
    assert decoder.feed(bytes.fromhex(golden["bytes"])) == []
    assert decoder.damage.damaged + decoder.damage.overlong == 1
    assert decoder.feed(encode_frame(good)) == [good]


@given(st.lists(frames, max_size=6), st.lists(st.integers(1, 40), min_size=1))
def test_a_stream_of_frames_survives_any_split(sent: list[Frame], sizes: list[int]) -> None:
    stream = b"".join(encode_frame(frame) for frame in sent)
    decoder = FrameDecoder()
    received: list[Frame] = []
    at = 0
    while at < len(stream):
        for size in sizes:
            received += decoder.feed(stream[at : at + size])
            at += size
    assert received == sent


@given(st.binary(max_size=700))
def test_stuffing_agrees_with_another_implementation(data: bytes) -> None:
    assert cobs_encode(data) == other_cobs.encode(data)
    assert cobs_decode(cobs_encode(data)) == data
    assert 0 not in cobs_encode(data)


def test_checksum_has_the_published_check_value() -> None:
    assert crc_hqx(b"123456789", 0xFFFF) == 0x29B1


@given(frames, st.data())
def test_a_frame_with_flipped_bits_is_never_taken_for_the_one_sent(frame: Frame, data: st.DataObject) -> None:
    stream = bytearray(encode_frame(frame))
    body = 8 * (len(stream) - 1)
    for bit in data.draw(st.sets(st.integers(0, body - 1), min_size=1, max_size=3)):
        stream[bit // 8] ^= 1 << bit % 8
    assert frame not in FrameDecoder().feed(bytes(stream))


def test_half_a_frame_of_an_old_host_does_not_disturb_the_first_frame_of_a_new_one() -> None:
    frame = Frame(0x02, 1, b"ping")
    decoder = FrameDecoder()
    decoder.feed(encode_frame(Frame(0x10, 8, bytes(60)))[:20])
    assert decoder.feed(b"\x00" + encode_frame(frame)) == [frame]


def test_too_long_a_payload_cannot_be_sent() -> None:
    with pytest.raises(ProtocolError, match="at most 160"):
        encode_frame(Frame(0x10, 0, bytes(MAX_PAYLOAD + 1)))


def test_millions_of_random_bytes_with_frames_between_never_raise() -> None:
    rng = random.Random(20260704)
    decoder = FrameDecoder()
    good = Frame(0x02, 3, b"\x01\x00\x02\x03")
    fed = found = sent = 0
    while fed < FUZZED_BYTES:
        noise = rng.randbytes(rng.randrange(1, 4000))
        if rng.random() < 0.5:  # short stretches, so that most end as frames of a plausible length
            noise = noise.replace(b"\x01", b"\x00").replace(b"\x02", b"\x00").replace(b"\x03", b"\x00")
        piece = noise + b"\x00" + encode_frame(good)
        cut = rng.randrange(len(piece))
        received = decoder.feed(piece[:cut]) + decoder.feed(piece[cut:])
        for frame in received:
            if frame.kind in MESSAGES:
                try:
                    decode_message(frame)
                except ProtocolError:
                    continue
        sent += 1
        found += good in received
        fed += len(piece)
    assert found == sent
    assert decoder.damage.damaged > 1000
    assert decoder.damage.overlong > 1000
