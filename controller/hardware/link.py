"""The serial link to the Barpoint board: found, greeted, kept alive, and found again for ever.

One thread owns the port. What the table wants the board to show is kept by name and sent again, whole, whenever
the board has started anew; so a reset (opening a port resets most boards) is an ordinary event. "Connected" means
that the board answers, never that a port is open.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import serial
from serial.tools import list_ports

from controller.errors import BoardError, FirmwareMismatchError, LinkError, LinkTimeoutError
from controller.protocol import (
    MAJOR,
    MINOR,
    Booted,
    Event,
    Exchange,
    Hello,
    HelloReply,
    Message,
    Ping,
    PingReply,
    Refusal,
    Refused,
    Request,
    check_version,
)

BAUDS = (250_000, 115_200, 500_000)
"""Rates that are tried, the usual one first."""

STABLE_NAME = "/dev/backgammon-board"
"""The name that our udev rule gives the board."""

HEARTBEAT_S = 0.5
LOST_AFTER_S = 2.0
"""The board shows a lost link after the same time."""

BOOT_S = 3.0
"""How long a board may need to start after its port was opened: bootloaders wait up to two seconds."""

BACK_OFF_S = (0.25, 0.5, 1.0, 2.0)

R = TypeVar("R", bound=Message)


class Port(Protocol):
    """An open port; a pyserial port is one."""

    def read(self, size: int = 1) -> bytes:
        """Return what has arrived, waiting a few milliseconds for the first byte."""

    def write(self, data: bytes) -> int | None:
        """Send bytes."""

    def close(self) -> None:
        """Close the port."""


Opener = Callable[[int], Port]
"""Opens the board's port at a rate, or raises `LinkError`."""


def candidates(name: str) -> list[str]:
    """Return the ports that `name` may mean, the surest first.

    Args:
        name: ``auto``, or a device.
    """
    if name != "auto":
        return [name]
    found = [STABLE_NAME] if Path(STABLE_NAME).exists() else []
    found += sorted(str(path) for path in Path("/dev/serial/by-id").glob("*"))
    found += sorted(port.device for port in list_ports.comports() if port.vid is not None)
    real: OrderedDict[Path, str] = OrderedDict()
    for device in found:
        real.setdefault(Path(device).resolve(), device)
    return list(real.values())


def open_serial(device: str, baud: int) -> Port:
    """Open a serial port for us alone, with the shortest latency the driver can give.

    Raises:
        LinkError: it is gone, in use or not allowed; says what to do.
    """
    port = serial.Serial()
    port.port, port.baudrate, port.timeout, port.write_timeout = device, baud, 0.005, 1.0
    port.exclusive = True
    try:
        port.open()
    except serial.SerialException as error:
        raise LinkError(_why_not(device, error)) from error
    with contextlib.suppress(OSError, ValueError, NotImplementedError, AttributeError):
        port.set_low_latency_mode(True)
    return _SerialPort(port)


def _why_not(device: str, error: Exception) -> str:
    text = str(error)
    if "ermission denied" in text:
        return f"{device}: not allowed; add yourself to the group dialout and log in again"
    if "xclusive" in text or "busy" in text or "Resource temporarily unavailable" in text:
        return f"{device}: another program uses it"
    if "No such file" in text:
        return f"{device}: not there; is the cable in?"
    return f"{device}: cannot be opened ({text})"


class _SerialPort:
    """A pyserial port that reads all there is."""

    def __init__(self, port: serial.Serial) -> None:
        self._port = port

    def read(self, size: int = 1) -> bytes:
        """Return what has arrived, at least one byte if one comes in time."""
        data: bytes = self._port.read(max(size, self._port.in_waiting))
        return data

    def write(self, data: bytes) -> int | None:
        """Send bytes."""
        sent: int | None = self._port.write(data)
        return sent

    def close(self) -> None:
        """Close the port."""
        self._port.close()


@dataclass(frozen=True, slots=True)
class LinkState:
    """How the link is.

    Attributes:
        kind: ``"searching"``, ``"ok"``, ``"lost"`` or ``"mismatch"``.
        detail: one plain sentence.
        device: the port, once one was tried.
    """

    kind: str
    detail: str
    device: str = ""


class BoardClock:
    """Maps the board's microseconds, which wrap after 71.6 minutes, to the host's monotonic seconds.

    Of the last round trips the shortest one says best where the two clocks stand against each other. A trip that
    contradicts it tells that one of the clocks stood still, as in a suspended computer: older ones are forgotten.
    """

    SLACK_S = 0.002

    def __init__(self, keep: int = 16) -> None:
        self._trips: deque[tuple[float, float, int]] = deque(maxlen=keep)

    def add(self, sent_s: float, received_s: float, at_us: int) -> None:
        """Take one round trip: the board read its clock between sending and receiving."""
        if self._trips:
            slack_s = min(self._trips)[0] / 2 + self.SLACK_S
            expected_s = self._unbounded_s(at_us)
            if not sent_s - slack_s <= expected_s <= received_s + slack_s:
                self._trips.clear()
        self._trips.append((received_s - sent_s, (sent_s + received_s) / 2, at_us))

    def clear(self) -> None:
        """Forget everything: the board has started anew."""
        self._trips.clear()

    def host_s(self, at_us: int, now_s: float) -> float:
        """Return the host's time of a moment on the board, never later than `now_s`."""
        return min(now_s, self._unbounded_s(at_us)) if self._trips else now_s

    def _unbounded_s(self, at_us: int) -> float:
        _, host_s, board_us = min(self._trips)
        ahead = (at_us - board_us) % (1 << 32)
        if ahead >= 1 << 31:
            ahead -= 1 << 32
        return host_s + ahead / 1e6


class SerialLink:
    """Keeps one board connected.

    Args:
        devices: returns the ports to try now, the surest first.
        opener: opens a device at a rate.
        bauds: rates to try on each.
        now_s: monotonic clock, shared with the table.
        sleep: lets time pass between two looks for the board; by default so long, or until the link is closed.
    """

    def __init__(
        self,
        devices: Callable[[], Sequence[str]],
        opener: Callable[[str, int], Port] = open_serial,
        bauds: Iterable[int] = BAUDS,
        now_s: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self._devices = devices
        self._opener = opener
        self._bauds = tuple(bauds)
        self._now_s = now_s
        self._exchange = Exchange()
        self._wanted: OrderedDict[str, tuple[Request[Message], ...]] = OrderedDict()
        self._unsent: OrderedDict[str, None] = OrderedDict()
        self._asked: queue.SimpleQueue[tuple[Request[Message], Future[Message]]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._sleep = sleep or self._stopped.wait
        self._event_listeners: list[Callable[[Event, float], None]] = []
        self._state_listeners: list[Callable[[LinkState], None]] = []
        self._restored_listeners: list[Callable[[], None]] = []
        self._boot_id: int | None = None
        self._restoring = False
        self.clock = BoardClock()
        self.state = LinkState("searching", "looking for the board")
        self.board: HelloReply | None = None
        self._thread = threading.Thread(target=self._run, name="board-link", daemon=True)

    def start(self) -> None:
        """Begin to look for the board."""
        self._thread.start()

    def close(self) -> None:
        """Leave the board alone and end the thread."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def on_event(self, listener: Callable[[Event, float], None]) -> None:
        """Call `listener` in the link's thread with each event and the host's time of it, once and in order."""
        self._event_listeners.append(listener)

    def on_state(self, listener: Callable[[LinkState], None]) -> None:
        """Call `listener` in the link's thread whenever the link's state changes."""
        self._state_listeners.append(listener)

    def on_restored(self, listener: Callable[[], None]) -> None:
        """Call `listener` in the link's thread when a board that started anew has been told all that is wanted."""
        self._restored_listeners.append(listener)

    def want(self, name: str, *requests: Request[Message], once: Sequence[Request[Message]] | None = None) -> None:
        """Keep the board in a state: sent now, and again whenever the board has started anew.

        Args:
            name: what it is about, such as ``"lights"``; a newer wish of that name replaces the older one.
            requests: what brings the board into that state.
            once: what to send now instead, such as an animation that ends in that state.
        """
        with self._lock:
            self._wanted[name] = requests
            self._unsent[name] = None
        for request in once or ():
            self.ask(request)

    def ask(self, request: Request[R]) -> Future[R]:
        """Send one request; the answer comes as a future, or `LinkError` when the link is lost before it came."""
        future: Future[R] = Future()
        self._asked.put((request, future))  # type: ignore[arg-type]  # the reply of its own kind resolves it
        return future

    def _run(self) -> None:
        failures = 0
        while not self._stopped.is_set():
            if self._connect():
                failures = 0
            self._fail_waiting()
            self._sleep(BACK_OFF_S[min(failures, len(BACK_OFF_S) - 1)])
            failures += 1

    def _connect(self) -> bool:
        """Try all ports and rates once; return True when the board answered on one and was lost again."""
        trouble = "no board found: is its cable in?"
        for device in self._devices():
            for baud in self._bauds:
                if self._stopped.is_set():
                    return False
                try:
                    port = self._opener(device, baud)
                except LinkError as error:
                    trouble = str(error)
                    break
                try:
                    hello = self._greet(port)
                    check_version(hello)
                    self._serve(port, device, hello)
                    return True
                except FirmwareMismatchError as error:
                    self._tell(LinkState("mismatch", str(error), device))
                    return False
                except LinkTimeoutError:
                    trouble = f"{device}: does not answer; is the board on, and flashed?"
                    if self.state.kind == "ok":
                        self._tell(LinkState("lost", trouble, device))
                        return True
                except (BoardError, OSError, serial.SerialException) as error:
                    self._tell(LinkState("lost", f"{device}: {error}", device))
                    return self.board is not None
                finally:
                    with contextlib.suppress(OSError, serial.SerialException):
                        port.close()
        self._tell(LinkState("lost" if self.board is not None else "searching", trouble))
        return False

    def _greet(self, port: Port) -> HelloReply:
        """Say hello until the board, which may still be starting, answers.

        Raises:
            LinkTimeoutError: it did not.
        """
        until_s = self._now_s() + BOOT_S
        while True:
            self._exchange.ask(Hello(MAJOR, MINOR), self._now_s())
            try:
                while self._exchange.pending is not None:
                    for message in self._pump(port):
                        if isinstance(message, HelloReply):
                            return message
            except LinkTimeoutError:
                if self._now_s() >= until_s or self._stopped.is_set():
                    raise

    def _pump(self, port: Port) -> list[Message]:
        """Move bytes once; hand out events and return what answers the request under way."""
        out = self._exchange.poll(self._now_s())
        if out:
            port.write(out)
        answers = []
        for message in self._exchange.feed(port.read()):
            if isinstance(message, Event):
                self._happened(message)
            else:
                answers.append(message)
        return answers

    def _happened(self, event: Event) -> None:
        now_s = self._now_s()
        at_s = self.clock.host_s(event.at_us, now_s)
        for listener in self._event_listeners:
            listener(event, at_s)
        if isinstance(event, Booted) and event.boot_id != self._boot_id:
            self._boot_id = None

    def _serve(self, port: Port, device: str, hello: HelloReply) -> None:
        """Keep the conversation going until the link is lost.

        Raises:
            LinkError: the board fell silent or the port is gone.
        """
        self._adopt(hello)
        version = f"protocol {hello.major}.{hello.minor}"
        self._tell(LinkState("ok", f"the board answers on {device}, {version}", device))
        beat_s = self._now_s()
        while not self._stopped.is_set():
            if self._boot_id is None:
                self._adopt(self._greet(port))
            wanted, asked = self._next_wanted(), None
            for request in wanted:
                self._one(port, request)
            self._tell_restored()
            if not self._unsent:  # what the board shall be comes before what is asked of it
                with contextlib.suppress(queue.Empty):
                    asked = self._asked.get_nowait()
            if asked is not None:
                self._answer(port, *asked)
            elif self._now_s() >= beat_s:
                beat_s = self._now_s() + HEARTBEAT_S
                self._beat(port)
            elif not self._unsent:
                self._pump(port)

    def _adopt(self, hello: HelloReply) -> None:
        """Take a board as it introduces itself; one that has started anew gets everything that is wanted."""
        self.board = hello
        if hello.boot_id != self._boot_id:
            self._boot_id = hello.boot_id
            self._restoring = True
            self.clock.clear()
        with self._lock:
            self._unsent = OrderedDict.fromkeys(self._wanted)

    def _tell_restored(self) -> None:
        if self._restoring and not self._unsent:
            self._restoring = False
            for listener in self._restored_listeners:
                listener()

    def _next_wanted(self) -> tuple[Request[Message], ...]:
        """Return what brings the board into one wanted state it has not been told of since it started."""
        with self._lock:
            if not self._unsent:
                return ()
            name, _ = self._unsent.popitem(last=False)
            return self._wanted[name]

    def _answer(self, port: Port, request: Request[Message], future: Future[Message]) -> None:
        """Send what was asked and resolve its future.

        Raises:
            LinkError: the link was lost; whoever waits is told.
        """
        try:
            answer = self._one(port, request)
        except (BoardError, OSError, serial.SerialException) as error:
            future.set_exception(LinkError(str(error)))
            raise
        if isinstance(answer, Refused):
            future.set_exception(LinkError(f"the board refused {type(request).__name__}: {answer.reason.name}"))
        else:
            future.set_result(answer)

    def _one(self, port: Port, request: Request[Message]) -> Message:
        """Send one request and return its answer; a board that started anew meanwhile is greeted first.

        Raises:
            LinkTimeoutError: none came.
        """
        while True:
            self._exchange.ask(request, self._now_s())
            answers: list[Message] = []
            while not answers:
                answers = self._pump(port)
            answer = answers[0]
            if not (isinstance(answer, Refused) and answer.reason is Refusal.HELLO_FIRST):
                return answer
            self._adopt(self._greet(port))

    def _beat(self, port: Port) -> None:
        sent_s = self._now_s()
        answer = self._one(port, Ping(int(sent_s * 1000) % (1 << 32)))
        if isinstance(answer, PingReply):
            self.clock.add(sent_s, self._now_s(), answer.at_us)

    def _fail_waiting(self) -> None:
        """Tell whoever waits for an answer that none will come."""
        with contextlib.suppress(queue.Empty):
            while True:
                _, future = self._asked.get_nowait()
                future.set_exception(LinkError(self.state.detail))

    def _tell(self, state: LinkState) -> None:
        if state == self.state:
            return
        self.state = state
        for listener in self._state_listeners:
            listener(state)
