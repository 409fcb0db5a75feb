"""Messages check their ranges on both ways; the generated files are current and the source is checked."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.errors import DeviceError
from controller.protocol import (
    MESSAGES,
    Button,
    ButtonChanged,
    CellChanged,
    Config,
    DiceRoll,
    Edge,
    Hello,
    LightsSet,
    Message,
    ProtocolError,
    to_json,
)
from controller.protocol.codec import Field

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
GENERATOR = FIRMWARE / "generate_protocol.py"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The generator, which lies beside the firmware and not in a package."""
    monkeypatch.syspath_prepend(str(FIRMWARE))
    return importlib.import_module("generate_protocol")


def values_of(field: Field) -> st.SearchStrategy[object]:
    one = st.sampled_from(field.enum) if field.enum else st.integers(field.minimum, field.maximum)
    if field.tail:
        steps = st.integers(-(-(field.count or 0) // field.stride), field.most // field.stride)
        return steps.flatmap(lambda n: st.binary(min_size=n * field.stride, max_size=n * field.stride))
    if field.count is None:
        return one
    many = st.lists(one, min_size=field.count, max_size=field.count)
    return many.map(bytes) if field.size == 1 else many.map(tuple)


messages = st.sampled_from(list(MESSAGES.values())).flatmap(
    lambda kind: st.builds(kind, **{field.name: values_of(field) for field in kind.FIELDS})
)


@given(messages)
def test_decoding_what_was_encoded_gives_the_same_message(message: Message) -> None:
    assert type(message).decode(message.encode()) == message


@given(messages, st.binary(min_size=1, max_size=9))
def test_fields_that_a_later_minor_version_appends_are_left_out(message: Message, appended: bytes) -> None:
    if not any(field.tail for field in message.FIELDS):
        assert type(message).decode(message.encode() + appended) == message


@given(messages, st.integers(1, 200))
def test_a_payload_that_is_too_short_is_no_message(message: Message, missing: int) -> None:
    payload = message.encode()
    if payload and not any(field.tail for field in message.FIELDS):
        with pytest.raises(ProtocolError):
            type(message).decode(payload[: max(0, len(payload) - missing)])


@given(st.sampled_from(list(MESSAGES.values())), st.binary(max_size=160))
def test_any_payload_gives_a_message_or_a_protocol_error(kind: type[Message], payload: bytes) -> None:
    try:
        message = kind.decode(payload)
    except ProtocolError:
        return
    assert payload.startswith(message.encode())


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: LightsSet(52, b"\x01\x02\x03"), "LightsSet.first is 0 to 51, got 52"),
        (lambda: LightsSet(0, b"\x01\x02"), "LightsSet.rgb is 3 to 156 bytes in steps of 3"),
        (lambda: LightsSet(0, bytes(159)), "LightsSet.rgb is 3 to 156 bytes"),
        (lambda: DiceRoll(1, bytes((1, 2, 3, 7)), 600), "DiceRoll.dice is 0 to 6, got 7"),
        (lambda: DiceRoll(1, bytes((1, 2, 3)), 600), "DiceRoll.dice has 4 values"),
        (lambda: DiceRoll(0, bytes(4), 600), "DiceRoll.roll_id is 1 to 4294967295"),
        (lambda: Config(255, 50, 0, 0), "Config.limit_ma is 100 to 3200, got 50"),
        (lambda: Hello(-1, 0), "Hello.major is 0 to 255"),
    ],
)
def test_a_value_outside_its_range_is_refused_by_name(make: object, complaint: str) -> None:
    assert callable(make)
    with pytest.raises(ProtocolError, match=complaint):
        make()


def test_an_unknown_value_of_a_table_is_a_protocol_error() -> None:
    payload = ButtonChanged(1, 2, 3, Button.ROLL_BLACK, Edge.PRESSED).encode()
    with pytest.raises(ProtocolError, match="Button has no value 99"):
        ButtonChanged.decode(payload[:-2] + bytes((99, 1)))
    with pytest.raises(ProtocolError, match="0 to 191"):
        CellChanged.decode(payload[:8] + bytes((192, 0, 0, 0, 0)))


def test_a_protocol_error_is_one_of_our_device_errors() -> None:
    assert issubclass(ProtocolError, DeviceError)
    assert issubclass(ProtocolError, ValueError)


def test_a_message_is_plain_json_for_a_log_line() -> None:
    event = ButtonChanged(1, 2, 3, Button.ROLL_BLACK, Edge.PRESSED)
    assert to_json(event) == {
        "message": "ButtonChanged",
        "boot": 1,
        "number": 2,
        "at_us": 3,
        "button": 3,
        "edge": 1,
    }


def test_generated_files_are_current() -> None:
    done = subprocess.run([sys.executable, GENERATOR, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_generator_gives_the_same_files_every_time(made: ModuleType) -> None:
    protocol = made.load(made.SOURCE)
    assert made.c_header(protocol) == made.c_header(made.load(made.SOURCE))
    assert made.py_module(protocol) == made.py_module(made.load(made.SOURCE))


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("id = 0x02", "id = 0x01", "two messages share a kind"),
        ("id = 0x3F", "id = 0x40", "a request is 0x01 to 0x3f"),
        ("id = 0xC2", "id = 0x82", "an event is 0xc1 to 0xfe"),
        ("max = 3200", "max = 70000", "its range does not fit u16"),
        ("max_count = 156", "max_count = 300", "lights_set: 301 bytes, at most 160"),
        ("tray_white = { first = 28", "tray_white = { first = 29", "a gap or an overlap at 2[89]"),
    ],
)
def test_a_source_that_contradicts_itself_is_refused(
    made: ModuleType, tmp_path: Path, before: str, after: str, complaint: str
) -> None:
    text = made.SOURCE.read_text(encoding="utf-8")
    assert before in text
    source = tmp_path / "protocol.toml"
    source.write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=complaint):
        made.load(source)
