"""The real firmware in emulation: the program ``barpoint-simavr`` as a board behind a pseudo terminal.

The program links simavr and is built on the user's computer from ``firmware/``; it runs beside us as a process of
its own. Where the folder or a tool is missing, `missing` says what, and `controller.hardware.peer` takes over.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Protocol

from controller.errors import DeviceError, LinkError
from controller.hardware.link import Port, open_serial
from controller.protocol import Button, Cell

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
ELF = FIRMWARE / "build/barpoint-atmega2560.elf"
PROGRAM = FIRMWARE / "build/barpoint-simavr"


class VirtualBoard(Protocol):
    """A board that is not real: the firmware in simavr, or the simulated peer."""

    lights: bytes
    dice: bytes

    def press(self, button: Button) -> None:
        """Press and let go one button."""

    def set_cell(self, index: int, cell: Cell) -> None:
        """Put a checker on a cell, or take it away, or break the cell."""

    def order(self, line: str) -> None:
        """Do something to wire or chip: ``drop PPM``, ``garble PPM``, ``silent 0|1``, ``slow MS``, ``reset``."""

    def devices(self) -> list[str]:
        """Return the name the board has now, or none while the cable is out."""

    def open(self, device: str, baud: int) -> Port:
        """Open the board's port."""

    def unplug(self) -> None:
        """Pull the cable out."""

    def plug(self) -> None:
        """Put the cable in again; it comes back under another name."""

    def close(self) -> None:
        """End the board."""


def missing() -> str:
    """Return what is missing to run the firmware in emulation, or an empty text."""
    if not (FIRMWARE / "Makefile").exists():
        return "the firmware's sources are not installed with the program"
    if PROGRAM.exists() and ELF.exists():
        return ""
    tools = [tool for tool in ("make", "gcc", "avr-gcc", "pkg-config") if shutil.which(tool) is None]
    if tools:
        return f"not installed: {', '.join(tools)}"
    if subprocess.run(["pkg-config", "--exists", "simavr"], check=False).returncode:
        return "not installed: libsimavr-dev"
    return ""


def build() -> None:
    """Build the firmware and the emulator where they are not current.

    Raises:
        DeviceError: something is missing, or the compiler refuses.
    """
    if (lack := missing()) != "":
        raise DeviceError(f"the firmware cannot be emulated: {lack}")
    if shutil.which("make") is None or shutil.which("avr-gcc") is None:
        return
    done = subprocess.run(
        ["make", "-s", "-C", str(FIRMWARE), "all", "simavr"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["make failed"])[-1]
        raise DeviceError(f"the firmware cannot be built: {last}")


class EmulatedBoard:
    """The firmware in simavr, in real time.

    Args:
        eeprom: file that keeps the board's EEPROM, or None to begin with a new board.

    Raises:
        DeviceError: the program does not start.
    """

    def __init__(self, eeprom: Path | None = None) -> None:
        self.lights = bytes(156)
        self.dice = bytes(4)
        self.tone_hz = 0
        self.resets = 0
        self._broken: set[int] = set()
        self._device: str | None = None
        self._known = threading.Condition()
        options = ["--eeprom", str(eeprom)] if eeprom is not None else []
        try:
            self._process = subprocess.Popen(
                [str(PROGRAM), *options, str(ELF)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=1,
            )
        except OSError as error:
            raise DeviceError(f"{PROGRAM.name} does not start: {error.strerror}") from error
        self._reader = threading.Thread(target=self._read, name="simavr", daemon=True)
        self._reader.start()
        with self._known:
            if not self._known.wait_for(lambda: self._device is not None, timeout=15.0):
                self.close()
                raise DeviceError(f"{PROGRAM.name} did not open a terminal")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            word, _, rest = line.strip().partition(" ")
            with self._known:
                if word == "port":
                    self._device = rest
                elif word == "lights":
                    self.lights = bytes.fromhex(rest)
                elif word == "dice":
                    self.dice = bytes(map(int, rest.split()))
                elif word == "tone":
                    self.tone_hz = int(rest)
                elif word == "reset":
                    self.resets += 1
                self._known.notify_all()

    def order(self, line: str) -> None:
        """Do something to the board; see ``firmware/simavr/board.c`` for the words."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def press(self, button: Button) -> None:
        """Press one button and let it go a twentieth of a second of the chip's time later."""
        self.order(f"tap {int(button)}")

    def set_cell(self, index: int, cell: Cell) -> None:
        """Put a checker on a cell, or take it away, or break the cell; a broken one stays broken."""
        if index in self._broken:
            return
        if cell is Cell.FAULT:
            self._broken.add(index)
        self.order(f"cell {index} {'open' if cell is Cell.FAULT else cell.name.lower()}")

    def devices(self) -> list[str]:
        """Return the name of the board's terminal, or none while the cable is out."""
        return [self._device] if self._device is not None else []

    def open(self, device: str, baud: int) -> Port:
        """Open the board's terminal with pyserial.

        Raises:
            LinkError: it is not there, or another program has it.
        """
        if device not in self.devices():
            raise LinkError(f"{device}: not there; is the cable in?")
        return open_serial(device, baud)

    def unplug(self) -> None:
        """Pull the cable out."""
        with self._known:
            self._device = None
        self.order("unplug")

    def plug(self) -> None:
        """Put the cable in again; it comes back under another name."""
        self.order("plug")

    def reset(self) -> None:
        """Press the chip's reset button."""
        self.order("reset")

    def close(self) -> None:
        """End the emulation."""
        self.order("quit")
        try:
            self._process.wait(timeout=3.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(timeout=3.0)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
