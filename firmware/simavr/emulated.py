"""The emulated board for tests and benchmarks: the real ELF in virtual time, and a host that talks to it.

Everything is deterministic: time passes only in `Bench.run`, and noise comes from a generator with a seed.
`build` makes the ELFs and the library; both come from this folder's C sources and libsimavr.
"""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from controller.protocol import (
    CELL_COUNT,
    DIE_COUNT,
    LIGHT_COUNT,
    MAJOR,
    MINOR,
    Event,
    Exchange,
    Hello,
    HelloReply,
    Message,
    Refused,
    Request,
)

FIRMWARE = Path(__file__).resolve().parents[1]
BUILT = FIRMWARE / "build"
CYCLES_PER_S = 16_000_000
EMPTY_MV, WHITE_MV, BLACK_MV, OPEN_MV, SHORT_MV = 2500, 3600, 1400, 0, 5000
EEPROM_BYTES = {"atmega2560": 4096, "atmega328p": 1024}
FACES = {0: 0, 1: 1, 2: 2, 3: 3, 6: 4, 7: 5, 14: 6}
"""Face of a die by its lit lines."""

Rgb = tuple[int, int, int]
ReplyT = TypeVar("ReplyT", bound=Message)


class RefusedError(AssertionError):
    """The board refused a request of a test."""


@dataclass(frozen=True)
class LightTiming:
    """What was seen on the data line of the lights; times in cycles of 62.5 ns."""

    bits: int
    frames: int
    partial: int
    crowded: int
    zero_min: int
    zero_max: int
    one_min: int
    one_max: int
    period_min: int
    low_max: int


class _LightTiming(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in LightTiming.__dataclass_fields__]


def build(*targets: str) -> Path:
    """Make the named targets of the firmware's Makefile; return the folder of what was built."""
    done = subprocess.run(["make", "-C", str(FIRMWARE), *targets], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"make {' '.join(targets)} failed:\n{done.stdout}\n{done.stderr}")
    return BUILT


def _library(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    library.bench_new.restype = ctypes.c_void_p
    for name in ("bench_cycle", "bench_lights_cycle", "bench_dice_cycle"):
        getattr(library, name).restype = ctypes.c_uint64
    for name in ("bench_receive", "bench_unsent"):
        getattr(library, name).restype = ctypes.c_size_t
    for name in ("bench_run_until", "bench_hang"):
        getattr(library, name).restype = ctypes.c_bool
    return library


class Bench:
    """One board in emulation.

    Args:
        chip: ``"atmega2560"`` or ``"atmega328p"``.
        eeprom: what its EEPROM holds at the start; blank when None.
        elf: another firmware than the one that `build` made for that chip.
    """

    def __init__(self, chip: str = "atmega2560", eeprom: bytes | None = None, elf: Path | None = None) -> None:
        self.chip = chip
        self._c = _library(BUILT / "libbench.so")
        elf = elf or BUILT / f"barpoint-{chip}.elf"
        pointer = self._c.bench_new(str(elf).encode(), chip.encode())
        if not pointer:
            raise AssertionError(f"cannot run {elf}")
        self._board = ctypes.c_void_p(pointer)
        if eeprom is not None:
            self._c.bench_eeprom_set(self._board, eeprom, ctypes.c_size_t(len(eeprom)))
            self.power_on()

    def close(self) -> None:
        """Free the emulated chip."""
        self._c.bench_free(self._board)

    @property
    def now_s(self) -> float:
        """Virtual time since the start."""
        return self.cycle / CYCLES_PER_S

    @property
    def cycle(self) -> int:
        """Cycles since the start."""
        return int(self._c.bench_cycle(self._board))

    def run(self, duration_s: float) -> None:
        """Let virtual time pass."""
        self.run_until(self.cycle + round(duration_s * CYCLES_PER_S))

    def run_until(self, cycle: int) -> None:
        """Let virtual time pass up to a cycle."""
        if not self._c.bench_run_until(self._board, ctypes.c_uint64(cycle)):
            raise AssertionError("the emulated chip has crashed")

    def send(self, data: bytes) -> None:
        """Put bytes on the wire to the chip."""
        self._c.bench_send(self._board, data, ctypes.c_size_t(len(data)))

    def receive(self) -> bytes:
        """Take the bytes that have arrived from the chip."""
        buffer = ctypes.create_string_buffer(4096)
        count = self._c.bench_receive(self._board, buffer, None, ctypes.c_size_t(4096))
        return buffer.raw[:count]

    @property
    def unsent(self) -> int:
        """Bytes still on the wire to the chip."""
        return int(self._c.bench_unsent(self._board))

    @property
    def overruns(self) -> int:
        """Bytes the chip did not fetch in time."""
        return int(self._c.bench_overruns(self._board))

    def button(self, button: int, closed: bool) -> None:
        """Close or open a contact."""
        self._c.bench_button(self._board, ctypes.c_uint8(button), ctypes.c_bool(closed))

    def cell(self, cell: int, millivolts: int) -> None:
        """Set the voltage of one sensor."""
        self._c.bench_cell(self._board, ctypes.c_uint8(cell), ctypes.c_uint16(millivolts))

    def cells(self, millivolts: Iterable[int]) -> None:
        """Set the voltages of all sensors."""
        for cell, one in zip(range(CELL_COUNT), millivolts, strict=True):
            self.cell(cell, one)

    def kill_light(self, light: int, dead: bool = True) -> None:
        """Let one light die, or live again."""
        self._c.bench_light_dead(self._board, ctypes.c_uint8(light), ctypes.c_bool(dead))

    def break_chain(self, light: int) -> None:
        """Break the joint in front of a light; 255 mends it."""
        self._c.bench_chain_broken(self._board, ctypes.c_uint8(light))

    @property
    def lights(self) -> list[Rgb]:
        """What glows now."""
        rgb = ctypes.create_string_buffer(LIGHT_COUNT * 3)
        self._c.bench_lights(self._board, rgb)
        return [cast(Rgb, tuple(rgb.raw[i : i + 3])) for i in range(0, LIGHT_COUNT * 3, 3)]

    @property
    def lights_ma(self) -> int:
        """Current of what glows now: 1 mA per light, 20 mA per full channel."""
        return int(self._c.bench_lights_ma(self._board))

    @property
    def lights_cycle(self) -> int:
        """When the last frame of the lights ended."""
        return int(self._c.bench_lights_cycle(self._board))

    def light_timing(self) -> LightTiming:
        """Return what was seen on the data line since the last call."""
        timing = _LightTiming()
        self._c.bench_light_timing(self._board, ctypes.byref(timing))
        return LightTiming(*(int(getattr(timing, name)) for name in LightTiming.__dataclass_fields__))

    @property
    def dice(self) -> tuple[int, ...]:
        """The faces shown, White's two and Black's two; KeyError when the pips are no face."""
        lines = ctypes.create_string_buffer(DIE_COUNT)
        self._c.bench_dice(self._board, lines)
        return tuple(FACES[line] for line in lines.raw[:DIE_COUNT])

    @property
    def dice_cycle(self) -> int:
        """When the dice last changed."""
        return int(self._c.bench_dice_cycle(self._board))

    @property
    def dice_changes(self) -> int:
        """How often the dice have changed."""
        return int(self._c.bench_dice_changes(self._board))

    @property
    def tone_hz(self) -> int:
        """What the buzzer sounds, 0 for silence."""
        return int(self._c.bench_tone_hz(self._board))

    def power_on(self) -> None:
        """Switch the supply off and on: RAM is lost, EEPROM stays."""
        self._c.bench_reset(self._board, 0)

    def reset(self) -> None:
        """Pull the reset line, as opening the port does."""
        self._c.bench_reset(self._board, 1)

    def brown_out(self) -> None:
        """Let the supply sag: as `power_on`, with another cause."""
        self._c.bench_reset(self._board, 2)

    @property
    def resets(self) -> int:
        """Resets of any cause since the start."""
        return int(self._c.bench_resets(self._board))

    def hang(self) -> None:
        """Send the firmware into an endless loop."""
        assert self._c.bench_hang(self._board)

    @property
    def eeprom(self) -> bytes:
        """What the EEPROM holds."""
        buffer = ctypes.create_string_buffer(EEPROM_BYTES[self.chip])
        self._c.bench_eeprom_get(self._board, buffer, ctypes.c_size_t(len(buffer.raw)))
        return buffer.raw

    @eeprom.setter
    def eeprom(self, content: bytes) -> None:
        self._c.bench_eeprom_set(self._board, content, ctypes.c_size_t(len(content)))


class Noise:
    """What a bad cable does to bytes under way.

    Args:
        bit_share: share of bits flipped, 0 to 1.
        drop_share: share of bytes dropped.
    """

    def __init__(self, seed: int, bit_share: float, drop_share: float) -> None:
        self._rng = random.Random(seed)
        self._bit_share = bit_share
        self._drop_share = drop_share
        self.flipped = 0
        self.dropped = 0

    def spoil(self, data: bytes) -> bytes:
        """Return what arrives of `data`."""
        out = bytearray()
        for byte in data:
            if self._rng.random() < self._drop_share:
                self.dropped += 1
                continue
            spoiled = byte
            for bit in range(8):
                if self._rng.random() < self._bit_share:
                    spoiled ^= 1 << bit
                    self.flipped += 1
            out.append(spoiled)
        return bytes(out)


class Host:
    """Talks to a `Bench` in virtual time through the same `Exchange` that the controller uses.

    Args:
        bench: the board.
        noise: spoils the bytes in both directions, or None for a good cable.
        step_s: how often the host looks at the wire.
        tries: how often a request is sent before it counts as lost.
    """

    def __init__(self, bench: Bench, noise: Noise | None = None, step_s: float = 0.00025, tries: int = 4) -> None:
        self.bench = bench
        self.exchange = Exchange(timeout_s=0.1, tries=tries)
        self.events: list[tuple[float, Event]] = []
        self.noise = noise
        self.step_s = step_s
        self._answer: Message | None = None

    def step(self) -> None:
        """Move bytes both ways and let one step of time pass."""
        out = self.exchange.poll(self.bench.now_s)
        if out:
            self.bench.send(self.noise.spoil(out) if self.noise else out)
        self.bench.run(self.step_s)
        data = self.bench.receive()
        if not data:
            return
        for message in self.exchange.feed(self.noise.spoil(data) if self.noise else data):
            if isinstance(message, Event):
                self.events.append((self.bench.now_s, message))
            else:
                self._answer = message

    def run(self, duration_s: float) -> None:
        """Keep talking for a while."""
        end_s = self.bench.now_s + duration_s
        while self.bench.now_s < end_s:
            self.step()

    def run_until(self, done: Callable[[], bool], most_s: float = 5.0) -> float:
        """Keep talking until something holds; return how long it took."""
        began_s = self.bench.now_s
        while not done():
            if self.bench.now_s - began_s > most_s:
                raise AssertionError(f"nothing happened within {most_s} s of virtual time")
            self.step()
        return self.bench.now_s - began_s

    def answer(self, request: Request[ReplyT]) -> Message:
        """Ask and return the reply or the refusal."""
        self._answer = None
        self.exchange.ask(cast("Request[Message]", request), self.bench.now_s)
        while self._answer is None:
            self.step()
        return self._answer

    def ask(self, request: Request[ReplyT]) -> ReplyT:
        """Ask and return the reply.

        Raises:
            RefusedError: the board refused it.
            LinkTimeoutError: no answer came.
        """
        answer = self.answer(request)
        if isinstance(answer, Refused):
            raise RefusedError(f"{request}: {answer.reason.name}")
        return cast(ReplyT, answer)

    def greet(self) -> HelloReply:
        """Say hello until the board has started."""
        self.run(0.05)
        return self.ask(Hello(MAJOR, MINOR))

    def of(self, kind: type[Event]) -> list[Event]:
        """Return the events of one kind that have come, in order."""
        return [event for _, event in self.events if isinstance(event, kind)]
