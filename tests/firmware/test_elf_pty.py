"""The real ELF in real time behind a pseudo terminal, spoken to by the real pyserial.

Nothing here depends on how fast the machine is: waits end with what they wait for, or fail after many seconds.
"""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue

import pytest
import serial

from controller.errors import LinkTimeoutError
from controller.protocol import (
    BAUD,
    MAJOR,
    Booted,
    ButtonChanged,
    Cell,
    CellChanged,
    Config,
    DiceRoll,
    DiceShow,
    Event,
    Exchange,
    Hello,
    HelloReply,
    Message,
    Ping,
    Rolled,
    State,
    StateReply,
)

PATIENCE_S = 30.0


class Emulator:
    """The program barpoint-simavr: orders in, lines about the board out."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [str(folder / "barpoint-simavr"), *options, str(folder / "barpoint-atmega2560.elf")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._lines: Queue[str] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.running = True
        self.port = self.wait_for("port")[0]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.strip())

    def order(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait_for(self, word: str, *values: str) -> list[str]:
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            try:
                name, *rest = self._lines.get(timeout=1.0).split()
            except Empty:
                continue
            if name == word and (not values or rest == list(values)):
                return rest
        raise AssertionError(f"the emulator never said {word} {' '.join(values)}")

    def close(self) -> str:
        assert self.process.stderr is not None
        self.running = False
        if self.process.poll() is None:
            self.order("quit")
        self.process.wait(PATIENCE_S)
        self._reader.join()
        complaints = self.process.stderr.read()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()
        return complaints


class Talker:
    """A host on a real serial port."""

    def __init__(self, port: str) -> None:
        self.port = serial.Serial(port, BAUD, timeout=0.01, exclusive=True)
        self.exchange = Exchange(timeout_s=0.2, tries=100)
        self.events: list[Event] = []

    def _take(self) -> list[Message]:
        out = self.exchange.poll(time.monotonic())
        if out:
            self.port.write(out)
        taken = self.exchange.feed(self.port.read(256))
        self.events += [message for message in taken if isinstance(message, Event)]
        return [message for message in taken if not isinstance(message, Event)]

    def ask(self, request: object) -> Message:
        self.exchange.ask(request, time.monotonic())  # type: ignore[arg-type] - any request
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            for answer in self._take():
                return answer
        raise AssertionError(f"no answer to {request}")

    def wait_for(self, kind: type[Event]) -> Event:
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            for event in self.events:
                if isinstance(event, kind):
                    return event
            self._take()
        raise AssertionError(f"no {kind.__name__} came")

    def talk_on(self) -> None:
        """Ask until the port fails."""
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            self.ask(Ping(1))

    def close(self) -> None:
        self.port.close()


@pytest.fixture
def start(built: Path) -> Iterator[Callable[..., Emulator]]:
    """Start emulators; all of them have ended afterwards."""
    started: list[Emulator] = []

    def make(*options: str) -> Emulator:
        started.append(Emulator(built, *options))
        return started[-1]

    yield make
    for emulator in started:
        if emulator.running:
            emulator.close()


def test_a_real_serial_port_greets_rolls_presses_and_feels_a_checker(start: Callable[..., Emulator]) -> None:
    emulator = start()
    talker = Talker(emulator.port)
    assert isinstance(talker.ask(Hello(MAJOR, 0)), HelloReply)
    talker.wait_for(Booted)
    talker.ask(Config(255, 1000, 0, 1))
    talker.ask(DiceRoll(1, bytes((5, 3, 0, 0)), 200))
    talker.wait_for(Rolled)
    emulator.wait_for("dice", "5", "3", "0", "0")
    emulator.order("press 1")
    talker.wait_for(ButtonChanged)
    emulator.order("cell 88 white")
    changed = talker.wait_for(CellChanged)
    assert isinstance(changed, CellChanged)
    assert (changed.index, changed.after) == (88, Cell.WHITE)
    talker.close()


def test_the_cable_out_and_in_again_under_another_name_loses_no_press_and_no_dice(
    start: Callable[..., Emulator],
) -> None:
    emulator = start()
    talker = Talker(emulator.port)
    talker.ask(Hello(MAJOR, 0))
    talker.ask(DiceShow(9, bytes((0, 0, 6, 4))))
    talker.wait_for(Booted)
    emulator.order("unplug")
    with pytest.raises(serial.SerialException):
        talker.talk_on()
    talker.close()
    emulator.order("press 0")
    emulator.order("plug")
    again = Talker(emulator.wait_for("port")[0])
    again.exchange = talker.exchange  # it knows which events have been taken
    assert isinstance(again.ask(Hello(MAJOR, 0)), HelloReply)
    assert isinstance(again.wait_for(ButtonChanged), ButtonChanged)
    state = again.ask(State())
    assert isinstance(state, StateReply)
    assert (state.roll_id, state.dice) == (9, bytes((0, 0, 6, 4)))
    again.close()


def test_a_second_program_cannot_open_the_port(start: Callable[..., Emulator]) -> None:
    emulator = start()
    talker = Talker(emulator.port)
    with pytest.raises(serial.SerialException, match="exclusively lock"):
        serial.Serial(emulator.port, BAUD, exclusive=True)
    assert isinstance(talker.ask(Hello(MAJOR, 0)), HelloReply)
    talker.close()


def test_a_garbled_cable_in_real_time_delivers_every_request(start: Callable[..., Emulator]) -> None:
    emulator = start()
    talker = Talker(emulator.port)
    talker.ask(Hello(MAJOR, 0))
    emulator.order("garble 2000")
    emulator.order("drop 2000")
    for roll_id in range(1, 31):
        talker.ask(DiceShow(roll_id, bytes((roll_id % 7, 1, 2, 3))))
    state = talker.ask(State())
    assert isinstance(state, StateReply)
    assert state.roll_id == 30
    talker.close()


def test_a_slow_line_and_a_silent_one_are_told_apart(start: Callable[..., Emulator]) -> None:
    emulator = start()
    talker = Talker(emulator.port)
    talker.ask(Hello(MAJOR, 0))
    emulator.order("slow 150")
    time.sleep(0.3)
    began_s = time.monotonic()
    talker.exchange = Exchange(timeout_s=5.0)
    assert isinstance(talker.ask(State()), StateReply)
    assert time.monotonic() - began_s >= 0.3
    emulator.order("silent 1")
    time.sleep(0.5)
    talker.exchange = Exchange(timeout_s=0.2, tries=3)
    with pytest.raises(LinkTimeoutError):
        talker.ask(State())
    talker.close()


def test_the_eeprom_file_carries_the_boot_count_from_run_to_run(
    start: Callable[..., Emulator], tmp_path: Path
) -> None:
    image = tmp_path / "eeprom.bin"
    boots = []
    for _ in range(3):
        emulator = start("--eeprom", str(image))
        talker = Talker(emulator.port)
        reply = talker.ask(Hello(MAJOR, 0))
        assert isinstance(reply, HelloReply)
        boots.append(reply.boot_id)
        talker.close()
        assert emulator.close() == ""
    assert boots == sorted(set(boots))


def test_the_emulator_says_what_it_cannot_do_and_how_it_is_used(
    built: Path, start: Callable[..., Emulator]
) -> None:
    program = str(built / "barpoint-simavr")
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr[:22]) == (2, "usage: barpoint-simavr")
    done = subprocess.run([program, "nothing.elf"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "cannot run nothing.elf" in done.stderr
    emulator = start()
    emulator.order("cell 999 white")
    emulator.order("dance")
    assert emulator.close().count("cannot do") == 2
