"""A simulated board that speaks the protocol, for computers without simavr and for tests of faults.

It does what the firmware does as far as the wire can tell: answers each request once, keeps events until they are
acknowledged and sends them again, starts anew with another boot id. Faults of cable and board can be asked for.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from controller.errors import LinkError
from controller.protocol import (
    MAJOR,
    MINOR,
    Booted,
    Button,
    ButtonChanged,
    Buzz,
    Calibrate,
    Calibration,
    Cell,
    CellChanged,
    ChaseSet,
    Chip,
    Config,
    DiceRoll,
    DiceShow,
    Edge,
    Event,
    EventsAck,
    Fault,
    FaultChanged,
    Frame,
    FrameDecoder,
    Hello,
    HelloReply,
    LightsSet,
    LightsShow,
    Message,
    Parts,
    Ping,
    PingReply,
    ProtocolError,
    Refusal,
    Refused,
    Request,
    ResetCause,
    Rolled,
    SelfTest,
    SelfTested,
    Snapshot,
    SnapshotReply,
    State,
    StateReply,
    Stats,
    StatsReply,
    decode_message,
    encode_frame,
    encode_message,
)

RESEND_S = 0.05
WINDOW = 4
DEPTH = 32


@dataclass
class Faults:
    """What is wrong with the cable or the board.

    Attributes:
        drop_ppm: lost bytes per million, both ways.
        garble_ppm: bytes with a flipped bit per million, both ways.
        silent: the board hears, but nothing comes back.
        slow_s: every answer comes this much later.
    """

    drop_ppm: int = 0
    garble_ppm: int = 0
    silent: bool = False
    slow_s: float = 0.0


class Peer:
    """The simulated board. Thread-safe: the link's thread talks to it, others press its buttons.

    Args:
        now_s: monotonic clock.
        seed: of its faults.
        major: protocol version it claims to speak.
        sleep: lets time pass where the wire is slow or quiet.
    """

    def __init__(
        self,
        now_s: Callable[[], float] = time.monotonic,
        seed: int = 1,
        major: int = MAJOR,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.sleep = sleep
        self.faults = Faults()
        self.lights = bytes(156)
        self.chases: tuple[ChaseSet, ...] = ()
        self.dice = bytes(4)
        self.config: Config | None = None
        self.buzzed: list[int] = []
        self._now_s = now_s
        self._major = major
        self._rng = random.Random(seed)
        self._lock = threading.RLock()
        self._cells = [Cell.EMPTY] * 192
        self._boots = 0
        self._port: PeerPort | None = None
        self._plugged = True
        self._generation = 0
        self.reset(ResetCause.POWER_ON)

    def reset(self, cause: ResetCause = ResetCause.EXTERNAL) -> None:
        """Start anew, as after a reset or a brown-out; dice and lights go out, the calibration stays."""
        with self._lock:
            self._boots += 1
            self._boot_id = (self._boots << 16 | self._rng.getrandbits(16)) & 0xFFFFFFFF
            self._started_s = self._now_s()
            self._events: deque[Event] = deque()
            self._number = 0
            self._sent_s: dict[int, float] = {}
            self._cached: tuple[int, bytes, bytes] | None = None
            self._greeted = False
            self._decoder = FrameDecoder()
            self._prepared = bytearray(156)
            self._prepared_chases: dict[int, ChaseSet] = {}
            self._roll_id = 0
            self._changes = 0
            self.lights, self.chases, self.dice, self.config = bytes(156), (), bytes(4), None
            self._emit(Booted(0, 0, 0, self._boot_id, cause, Calibration.VALID))

    def press(self, button: Button) -> None:
        """Press and let go one button."""
        with self._lock:
            self._emit(ButtonChanged(0, 0, 0, button, Edge.PRESSED))
            self._emit(ButtonChanged(0, 0, 0, button, Edge.RELEASED))

    def set_cell(self, index: int, cell: Cell) -> None:
        """Put a checker on a cell, or take it away, or break the cell; a broken one stays broken."""
        with self._lock:
            before = self._cells[index]
            if before is cell or before is Cell.FAULT:
                return
            self._cells[index] = cell
            self._changes = (self._changes + 1) % 65536
            self._emit(CellChanged(0, 0, 0, index, before, cell, self._changes))
            if cell is Cell.FAULT:
                self._emit(FaultChanged(0, 0, 0, Fault.CELL_OPEN, index, 1))

    def order(self, line: str) -> None:
        """Do something to wire or chip: ``drop PPM``, ``garble PPM``, ``silent 0|1``, ``slow MS``, ``reset``."""
        word, _, value = line.partition(" ")
        with self._lock:
            match word:
                case "drop":
                    self.faults.drop_ppm = int(value)
                case "garble":
                    self.faults.garble_ppm = int(value)
                case "silent":
                    self.faults.silent = value == "1"
                case "slow":
                    self.faults.slow_s = int(value) / 1000
                case "reset":
                    self.reset()

    def unplug(self) -> None:
        """Pull the cable out."""
        with self._lock:
            self._plugged = False

    def plug(self) -> None:
        """Put the cable in again; it comes back under another name, and most boards start anew."""
        with self._lock:
            self._plugged = True
            self._generation += 1
            self.reset(ResetCause.EXTERNAL)

    def devices(self) -> list[str]:
        """Return the name the board has now, or none while the cable is out."""
        with self._lock:
            return [f"simulated:{self._generation}"] if self._plugged else []

    def open(self, device: str, baud: int) -> PeerPort:
        """Open the board's port.

        Raises:
            LinkError: it is not there, or another program has it.
        """
        with self._lock:
            if device not in self.devices():
                raise LinkError(f"{device}: not there; is the cable in?")
            if self._port is not None:
                raise LinkError(f"{device}: another program uses it")
            self._port = PeerPort(self, device)
            return self._port

    def close(self) -> None:
        """End the board; nothing has to be done."""

    def release(self) -> None:
        """Give the port free."""
        with self._lock:
            self._port = None

    def present(self, device: str) -> bool:
        """Tell whether the board is still plugged in under that name."""
        return device in self.devices()

    def hear(self, data: bytes) -> bytes:
        """Take bytes and return what is sent back."""
        with self._lock:
            out = b"".join(self._frame(frame) for frame in self._decoder.feed(self._spoil(data)))
            return b"" if self.faults.silent else self._spoil(out)

    def tell(self) -> bytes:
        """Return the events that are due, in frames."""
        with self._lock:
            now_s = self._now_s()
            out = b""
            for event in list(self._events)[:WINDOW]:
                if now_s - self._sent_s.get(event.number, -1.0) >= RESEND_S:
                    self._sent_s[event.number] = now_s
                    out += encode_message(event, event.number % 256)
            return b"" if self.faults.silent else self._spoil(out)

    def _spoil(self, data: bytes) -> bytes:
        faults = self.faults
        if not (faults.drop_ppm or faults.garble_ppm):
            return data
        out = bytearray()
        for byte in data:
            if self._rng.random() * 1e6 < faults.drop_ppm:
                continue
            garbled = self._rng.random() * 1e6 < faults.garble_ppm
            out.append(byte ^ (1 << self._rng.randrange(8)) if garbled else byte)
        return bytes(out)

    def _emit(self, event: Event) -> None:
        if len(self._events) >= DEPTH:
            return
        at_us = int((self._now_s() - self._started_s) * 1e6) % (1 << 32)
        self._events.append(replace(event, boot=self._boot_id % 65536, number=self._number, at_us=at_us))
        self._number = (self._number + 1) % 65536

    def _frame(self, frame: Frame) -> bytes:
        """Answer one frame; a repeated request is answered from memory and not carried out again."""
        if self._cached is not None and self._cached[:2] == (frame.seq, bytes([frame.kind]) + frame.payload):
            return self._cached[2]
        try:
            message = decode_message(frame)
        except ProtocolError:
            return encode_message(Refused(frame.kind, Refusal.UNKNOWN), frame.seq)
        if isinstance(message, EventsAck):
            self._acknowledge(message)
            return b""
        if not isinstance(message, Request):
            return b""
        answer = self._answer(message)
        payload = encode_frame(Frame(answer.KIND, frame.seq, answer.encode()))
        self._cached = frame.seq, bytes([frame.kind]) + frame.payload, payload
        return payload

    def _acknowledge(self, ack: EventsAck) -> None:
        if ack.boot != self._boot_id % 65536:
            return
        while self._events and (ack.number - self._events[0].number) % 65536 < 32768:
            self._sent_s.pop(self._events.popleft().number, None)

    def _answer(self, request: Request[Message]) -> Message:
        if isinstance(request, Hello):
            self._greeted = request.major == self._major
            return self._hello()
        if not self._greeted:
            return Refused(request.KIND, Refusal.HELLO_FIRST)
        known = self._report(request)
        if known is not None:
            return known
        self._do(request)
        reply = request.REPLY
        if reply is None or len(reply.FIELDS) > 1:
            return Refused(request.KIND, Refusal.UNSUPPORTED)
        given = {"generation": self._shown, "roll_id": self._roll_id}
        return reply(**{field.name: given[field.name] for field in reply.FIELDS})

    def _report(self, request: Request[Message]) -> Message | None:
        """Answer a request that only asks, or return None for one that changes something."""
        if isinstance(request, Ping):
            return PingReply(request.token, int((self._now_s() - self._started_s) * 1e6) % (1 << 32))
        if isinstance(request, Snapshot):
            return self._snapshot()
        if isinstance(request, Stats):
            counts = dict.fromkeys((field.name for field in StatsReply.FIELDS), 0)
            return StatsReply(**{**counts, "events": self._number, "stack_free": 1000})
        if isinstance(request, State):
            return self._state()
        return None

    def _state(self) -> StateReply:
        config = self.config or Config(96, 1000, 0, 0)
        return StateReply(
            generation=self._shown,
            roll_id=self._roll_id,
            dice=self.dice,
            rolling=0,
            changes=self._changes,
            brightness=config.brightness,
            limit_ma=config.limit_ma,
            drawn_ma=min(config.limit_ma, sum(self.lights) * 20 // 255),
            silent=config.silent,
            pressed=0,
        )

    _shown = 0

    def _do(self, request: Request[Message]) -> None:
        """Carry out what changes the board."""
        if isinstance(request, Config):
            self.config = request
        elif isinstance(request, LightsSet):
            self._prepared[3 * request.first : 3 * request.first + len(request.rgb)] = request.rgb
        elif isinstance(request, ChaseSet):
            self._prepared_chases[request.slot] = request
        elif isinstance(request, LightsShow):
            self._shown, self.lights = request.generation, bytes(self._prepared)
            prepared = self._prepared_chases.items()
            self.chases = tuple(chase for slot, chase in sorted(prepared) if request.chases >> slot & 1)
        elif isinstance(request, DiceShow):
            self._roll_id, self.dice = request.roll_id, request.dice
        elif isinstance(request, DiceRoll) and request.roll_id != self._roll_id:
            self._roll_id, self.dice = request.roll_id, request.dice
            self._emit(Rolled(0, 0, 0, request.roll_id, request.dice))
        elif isinstance(request, Buzz):
            self.buzzed.append(int(request.pattern))
        elif isinstance(request, SelfTest):
            broken = sum(cell is Cell.FAULT for cell in self._cells)
            self._emit(SelfTested(0, 0, 0, 1, 0, 0, broken))
        elif isinstance(request, Calibrate):
            self._cells = [cell if cell is not Cell.FAULT else Cell.EMPTY for cell in self._cells]

    def _hello(self) -> HelloReply:
        parts = Parts.LIGHTS | Parts.DICE | Parts.BUTTONS | Parts.BUZZER | Parts.SENSORS
        oldest = self._events[0].number if self._events else self._number
        return HelloReply(
            major=self._major,
            minor=MINOR,
            chip=Chip.HOST,
            parts=int(parts),
            lights=52,
            cells=192,
            buttons=6,
            max_payload=160,
            event_depth=DEPTH,
            boot_id=self._boot_id,
            reset_cause=ResetCause.EXTERNAL,
            calibration=Calibration.VALID,
            oldest_event=oldest,
            uptime_ms=int((self._now_s() - self._started_s) * 1000),
            build=0,
        )

    def _snapshot(self) -> SnapshotReply:
        packed = bytearray(48)
        for index, cell in enumerate(self._cells):
            packed[index // 4] |= cell << 2 * (index % 4)
        return SnapshotReply(self._changes, bytes(packed))


class PeerPort:
    """The simulated board's open port."""

    def __init__(self, peer: Peer, device: str) -> None:
        self._peer = peer
        self._device = device
        self._incoming = bytearray()

    def _check(self) -> None:
        if not self._peer.present(self._device):
            raise OSError("device reports readiness to read but returned no data: the cable is out")

    def read(self, size: int = 1) -> bytes:
        """Return what has arrived, waiting a few milliseconds for the first byte."""
        self._check()
        self._incoming += self._peer.tell()
        if not self._incoming:
            self._peer.sleep(0.004)
        data = bytes(self._incoming)
        self._incoming.clear()
        return data

    def write(self, data: bytes) -> int | None:
        """Send bytes."""
        self._check()
        if self._peer.faults.slow_s:
            self._peer.sleep(self._peer.faults.slow_s)
        self._incoming += self._peer.hear(data)
        return len(data)

    def close(self) -> None:
        """Close the port."""
        self._peer.release()
