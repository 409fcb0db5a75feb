"""The host's side of the conversation, without a port and without a clock.

One request is under way at a time and is sent again until its reply comes; events are handed out exactly once and
in order, whatever the wire loses or doubles. Whoever owns a port moves bytes in and out and says what time it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller.errors import FirmwareMismatchError, LinkTimeoutError
from controller.protocol._generated import MAJOR, MESSAGES, MINOR, EventsAck, Hello, HelloReply, Refused
from controller.protocol.codec import Event, Message, ProtocolError, Request
from controller.protocol.frames import DELIMITER, Frame, FrameDecoder, decode_message, encode_message

_EVENT_KINDS = range(0xC1, 0xFF)
_WRAP = 0x10000


@dataclass(slots=True)
class Counters:
    """What the wire did to us.

    Attributes:
        resent: requests sent more than once.
        doubled: events that came again and were left out.
        early: events that came before one that was lost, and were left for later.
        strange: undamaged frames that are no message of this version.
    """

    resent: int = 0
    doubled: int = 0
    early: int = 0
    strange: int = 0


@dataclass(slots=True)
class _Pending:
    request: Request[Message]
    seq: int
    frame: bytes
    due_s: float
    tries: int = 0


def check_version(reply: HelloReply) -> None:
    """Accept the board's protocol, or say what does not fit.

    Raises:
        FirmwareMismatchError: the major versions differ.
    """
    if reply.major != MAJOR:
        raise FirmwareMismatchError(
            f"the board speaks protocol {reply.major}.{reply.minor}, this controller {MAJOR}.{MINOR}; "
            "flash the firmware that belongs to this controller (barpoint flash)"
        )


class Exchange:
    """Requests with retries, events once and in order.

    Args:
        timeout_s: how long a reply may take before the request is sent again.
        tries: how often a request is sent before the link counts as dead.
    """

    def __init__(self, timeout_s: float = 0.1, tries: int = 4) -> None:
        self.counters = Counters()
        self.boot: int | None = None
        self._timeout_s = timeout_s
        self._tries = tries
        self._decoder = FrameDecoder()
        self._seq = 0
        self._pending: _Pending | None = None
        self._out = bytearray()
        self._expected = 0

    @property
    def damage(self) -> int:
        """Frames and stretches that arrived damaged."""
        return self._decoder.damage.damaged + self._decoder.damage.overlong

    @property
    def pending(self) -> Request[Message] | None:
        """The request under way."""
        return self._pending.request if self._pending else None

    def ask(self, request: Request[Message], now_s: float) -> None:
        """Begin a request; the one under way, if any, is given up."""
        self._seq = (self._seq + 1) % 256
        frame = encode_message(request, self._seq)
        self._pending = _Pending(request, self._seq, frame, now_s)

    def poll(self, now_s: float) -> bytes:
        """Return the bytes to send now.

        Raises:
            LinkTimeoutError: the request under way was sent often enough; it is given up.
        """
        pending = self._pending
        if pending is not None and now_s >= pending.due_s:
            if pending.tries == self._tries:
                self._pending = None
                name = type(pending.request).__name__
                raise LinkTimeoutError(f"{name}: no answer after {self._tries} tries; is the board on?")
            self.counters.resent += pending.tries > 0
            pending.tries += 1
            pending.due_s = now_s + self._timeout_s
            # A leading delimiter ends whatever damage, or the host before us, left half open.
            fresh = pending.tries == 1 and not isinstance(pending.request, Hello)
            self._out += (b"" if fresh else DELIMITER) + pending.frame
        out = bytes(self._out)
        self._out.clear()
        return out

    def next_due_s(self) -> float | None:
        """Return when `poll` has something to send again, or None while nothing is under way."""
        return self._pending.due_s if self._pending else None

    def feed(self, data: bytes) -> list[Message]:
        """Take bytes from the wire; return the reply or refusal of the request under way, and new events."""
        taken: list[Message] = []
        for frame in self._decoder.feed(data):
            if frame.kind in _EVENT_KINDS:
                taken.extend(self._event(frame))
            else:
                taken.extend(self._reply(frame))
        return taken

    def _reply(self, frame: Frame) -> list[Message]:
        pending = self._pending
        if pending is None or frame.seq != pending.seq:
            return []
        try:
            message = decode_message(frame)
        except ProtocolError:
            self.counters.strange += 1
            return []
        if isinstance(message, Refused):
            if message.kind != pending.request.KIND:
                return []
        elif frame.kind != pending.request.KIND | 0x80:
            return []
        self._pending = None
        if isinstance(message, HelloReply) and isinstance(pending.request, Hello):
            self._adopt(message)
        return [message]

    def _adopt(self, reply: HelloReply) -> None:
        boot = reply.boot_id % _WRAP
        if boot != self.boot:
            self.boot, self._expected = boot, reply.oldest_event

    def _event(self, frame: Frame) -> list[Message]:
        try:
            head = Event.decode(frame.payload)
        except ProtocolError:
            self.counters.strange += 1
            return []
        if head.boot != self.boot:
            if head.number != 0:
                return []  # a boot we know nothing of: hello will say where to begin
            self.boot, self._expected = head.boot, 0
        ahead = (head.number - self._expected) % _WRAP
        if ahead:
            if ahead < _WRAP // 2:
                self.counters.early += 1
                return []
            self.counters.doubled += 1
        else:
            self._expected = (self._expected + 1) % _WRAP
        self._acknowledge()
        return [] if ahead else self._decoded(frame)

    def _decoded(self, frame: Frame) -> list[Message]:
        if frame.kind not in MESSAGES:
            self.counters.strange += 1
            return []
        try:
            return [decode_message(frame)]
        except ProtocolError:
            self.counters.strange += 1
            return []

    def _acknowledge(self) -> None:
        number = (self._expected - 1) % _WRAP
        self._out += encode_message(EventsAck(self.boot or 0, number), number % 256)
