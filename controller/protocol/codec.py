"""Turn messages into payloads and back, with range checks on both ways.

The messages themselves are generated from ``firmware/protocol.toml`` into `_generated`; this module is what they
stand on. Integers are little endian.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any, ClassVar, Generic, Self, TypeVar

from controller.errors import LinkError


class ProtocolError(LinkError, ValueError):
    """A value that does not fit its field, or a payload that is no such message."""


@dataclass(frozen=True, slots=True)
class Field:
    """How one field lies in the payload.

    Attributes:
        name: as in the dataclass.
        size: bytes of one value: 1, 2 or 4.
        minimum: smallest value allowed.
        maximum: greatest value allowed.
        count: how many values; None for one plain value.
        tail: the field holds all bytes that are left, at least `count`, a multiple of `stride`.
        stride: see `tail`.
        most: greatest number of bytes of a tail.
        enum: the type of the value, or None for an int.
    """

    name: str
    size: int
    minimum: int
    maximum: int
    count: int | None = None
    tail: bool = False
    stride: int = 1
    most: int = 0
    enum: type[IntEnum] | None = None

    def check(self, owner: str, value: object) -> None:
        """Raise `ProtocolError` unless `value` fits this field."""
        if self.tail:
            self._check_tail(owner, value)
            return
        if self.count is None:
            self._check_one(owner, value)
            return
        if not isinstance(value, tuple | bytes) or len(value) != self.count:
            raise ProtocolError(f"{owner}.{self.name} has {self.count} values, got {value!r}")
        for one in value:
            self._check_one(owner, one)

    def _check_one(self, owner: str, value: object) -> None:
        if not isinstance(value, int) or not self.minimum <= value <= self.maximum:
            raise ProtocolError(f"{owner}.{self.name} is {self.minimum} to {self.maximum}, got {value!r}")

    def _check_tail(self, owner: str, value: object) -> None:
        least = self.count or 0
        if not isinstance(value, bytes) or not least <= len(value) <= self.most or len(value) % self.stride:
            raise ProtocolError(
                f"{owner}.{self.name} is {least} to {self.most} bytes in steps of {self.stride}, got {value!r}"
            )

    def write(self, value: Any) -> bytes:
        """Return a checked value as bytes."""
        if isinstance(value, bytes):
            return value
        if self.count is not None:
            return b"".join(int(one).to_bytes(self.size, "little") for one in value)
        return int(value).to_bytes(self.size, "little")

    def read(self, payload: bytes, offset: int) -> tuple[object, int]:
        """Return the value at `offset` and the offset behind it; too short a payload gives a short value."""
        if self.tail:
            return payload[offset:], len(payload)
        if self.count is None:
            end = offset + self.size
            value = int.from_bytes(payload[offset:end], "little")
            return (_member(self.enum, value) if self.enum else value), end
        end = offset + self.size * self.count
        if self.size == 1:
            return payload[offset:end], end
        starts = range(offset, end, self.size)
        return tuple(int.from_bytes(payload[at : at + self.size], "little") for at in starts), end


def _member(enum: type[IntEnum], value: int) -> IntEnum:
    try:
        return enum(value)
    except ValueError as error:
        raise ProtocolError(f"{enum.__name__} has no value {value}") from error


@dataclass(frozen=True, slots=True)
class Message:
    """Something that is said on the wire; every kind is a generated subclass."""

    KIND: ClassVar[int]
    FIELDS: ClassVar[tuple[Field, ...]]

    def __post_init__(self) -> None:
        for field in self.FIELDS:
            field.check(type(self).__name__, getattr(self, field.name))

    def encode(self) -> bytes:
        """Return the payload of this message."""
        return b"".join(field.write(getattr(self, field.name)) for field in self.FIELDS)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message that `payload` holds; bytes behind the last known field are left out.

        Raises:
            ProtocolError: the payload is too short, or a value is outside its range.
        """
        values: dict[str, Any] = {}
        offset = 0
        for field in cls.FIELDS:
            values[field.name], offset = field.read(payload, offset)
        if offset > len(payload):
            raise ProtocolError(f"{cls.__name__} needs {offset} bytes, got {len(payload)}")
        return cls(**values)


ReplyT_co = TypeVar("ReplyT_co", bound=Message, covariant=True)


@dataclass(frozen=True, slots=True)
class Request(Message, Generic[ReplyT_co]):
    """Something the host asks; the type parameter is the reply."""

    REPLY: ClassVar[type[Message] | None]


HEADER: tuple[Field, ...] = (
    Field("boot", 2, 0, 0xFFFF),
    Field("number", 2, 0, 0xFFFF),
    Field("at_us", 4, 0, 0xFFFFFFFF),
)
"""The fields that every event begins with."""


@dataclass(frozen=True, slots=True)
class Event(Message):
    """Something that happened on the board.

    Attributes:
        boot: low half of the boot id; numbers begin again with every boot.
        number: 0 after a reset, one more with each event, modulo 65536.
        at_us: board time in microseconds; wraps after 71.6 minutes.
    """

    KIND: ClassVar[int] = 0
    FIELDS: ClassVar[tuple[Field, ...]] = HEADER

    boot: int
    number: int
    at_us: int


def to_json(message: Message) -> Mapping[str, object]:
    """Return a message as plain values for a log line: its name, then its fields."""
    values: dict[str, object] = {"message": type(message).__name__}
    for field in fields(message):
        value = getattr(message, field.name)
        values[field.name] = list(value) if isinstance(value, bytes | tuple) else int(value)
    return values
