"""Frames: where a message begins and ends in a stream of bytes, and whether it arrived undamaged.

A frame is ``COBS(kind | seq | payload | crc) 0x00``: a zero byte stands only between frames, so that the receiver
is in step again one frame after any damage. The CRC-16 is CCITT-FALSE over kind, seq and payload, low byte first.
"""

from __future__ import annotations

from binascii import crc_hqx
from dataclasses import dataclass

from controller.protocol._generated import MAX_PAYLOAD, MESSAGES
from controller.protocol.codec import Message, ProtocolError

DELIMITER = b"\x00"
_HEAD = 2
_CRC = 2
_LONGEST = _HEAD + MAX_PAYLOAD + _CRC + 1  # one byte of stuffing: no frame is longer than 254


@dataclass(frozen=True, slots=True)
class Frame:
    """One undamaged frame.

    Attributes:
        kind: which message, see ``MESSAGES``.
        seq: number of a request, repeated in its reply; of an event, the low byte of its number.
        payload: the fields of the message.
    """

    kind: int
    seq: int
    payload: bytes = b""


def cobs_encode(data: bytes) -> bytes:
    """Return `data` without zero bytes, by consistent overhead byte stuffing.

    Example:
        >>> cobs_encode(bytes.fromhex("110022")).hex()
        '02110222'
    """
    out = bytearray()
    for block in data.split(DELIMITER):
        rest = block
        while len(rest) >= 254:
            out.append(255)
            out += rest[:254]
            rest = rest[254:]
        out.append(len(rest) + 1)
        out += rest
    return bytes(out)


def cobs_decode(data: bytes) -> bytes | None:
    """Return the bytes that `data` stands for, or None when it is no stuffing.

    Example:
        >>> cobs_decode(bytes.fromhex("02110222")).hex()
        '110022'
    """
    out = bytearray()
    at, end = 0, len(data)
    while at < end:
        code = data[at]
        after = at + code
        if code == 0 or after > end:
            return None
        out += data[at + 1 : after]
        at = after
        if code < 255 and at < end:
            out.append(0)
    return bytes(out)


def encode_frame(frame: Frame) -> bytes:
    """Return the bytes of one frame with its delimiter.

    Raises:
        ProtocolError: the payload is longer than any message.
    """
    if len(frame.payload) > MAX_PAYLOAD:
        raise ProtocolError(f"a payload is at most {MAX_PAYLOAD} bytes, got {len(frame.payload)}")
    body = bytes((frame.kind, frame.seq)) + frame.payload
    return cobs_encode(body + crc_hqx(body, 0xFFFF).to_bytes(_CRC, "little")) + DELIMITER


def encode_message(message: Message, seq: int) -> bytes:
    """Return the bytes of one frame that holds `message`."""
    return encode_frame(Frame(message.KIND, seq, message.encode()))


def decode_message(frame: Frame) -> Message:
    """Return the message that a frame holds.

    Raises:
        ProtocolError: no message is of that kind, the payload is too short, or a value is outside its range.
    """
    try:
        message = MESSAGES[frame.kind]
    except KeyError as error:
        raise ProtocolError(f"no message is of kind 0x{frame.kind:02x}") from error
    return message.decode(frame.payload)


@dataclass(slots=True)
class Damage:
    """What a decoder had to leave out.

    Attributes:
        damaged: frames with a wrong checksum, wrong stuffing, or too short to be one.
        overlong: stretches without a delimiter longer than any frame.
    """

    damaged: int = 0
    overlong: int = 0


class FrameDecoder:
    """Finds the frames in a stream of bytes that arrives in any pieces.

    Example:
        >>> decoder = FrameDecoder()
        >>> stream = encode_frame(Frame(0x02, 7, b"abcd"))
        >>> decoder.feed(stream[:3]), decoder.feed(stream[3:])
        ([], [Frame(kind=2, seq=7, payload=b'abcd')])
    """

    def __init__(self) -> None:
        self.damage = Damage()
        self._begun = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes and return the frames that they complete, in order; never raises."""
        *complete, rest = data.split(DELIMITER)
        frames: list[Frame] = []
        for piece in complete:
            self._take(piece)
            frame = self._finish()
            if frame is not None:
                frames.append(frame)
        self._take(rest)
        return frames

    def _take(self, piece: bytes) -> None:
        if self._skipping:
            return
        if len(self._begun) + len(piece) > _LONGEST:
            self._begun.clear()
            self._skipping = True
            self.damage.overlong += 1
            return
        self._begun += piece

    def _finish(self) -> Frame | None:
        stuffed, skipped = bytes(self._begun), self._skipping
        self._begun.clear()
        self._skipping = False
        if skipped or not stuffed:
            return None
        body = cobs_decode(stuffed)
        # The CRC of data that is followed by its own CRC, high byte first, is zero.
        if body is None or len(body) < _HEAD + _CRC or crc_hqx(body[:-2] + body[:-3:-1], 0xFFFF) != 0:
            self.damage.damaged += 1
            return None
        return Frame(body[0], body[1], body[_HEAD:-_CRC])
