"""``barpoint flash``: build the firmware and write it into the board."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from controller.errors import DeviceError

CHIPS = {
    "atmega2560": ("m2560", "wiring", 115_200, "Arduino Mega 2560"),
    "atmega328p": ("m328p", "arduino", 115_200, "Arduino Uno or Nano"),
}
"""avrdude's name of the part and of its boot loader, the boot loader's rate, and the board."""

BUILDERS = ("make", "avr-gcc", "avr-objcopy")
PACKAGES = {"make": "make", "avr-gcc": "gcc-avr avr-libc", "avr-objcopy": "binutils-avr", "avrdude": "avrdude"}
SIGNATURES = {"1e9801": "atmega2560", "1e950f": "atmega328p"}
FLASH_S = 120.0


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command."""
    flash = commands.add_parser("flash", help="build the firmware and write it into the board")
    flash.add_argument("--port", default="auto", metavar="DEVICE", help="the board's port (default: found)")
    flash.add_argument("--chip", choices=tuple(CHIPS), default="atmega2560", help="(default: atmega2560)")
    flash.add_argument("--baud", type=int, metavar="N", help="the boot loader's rate; 57600 on an older Nano")
    flash.add_argument("--dry-run", action="store_true", help="build, and say what would be written where")
    flash.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from controller.hardware.simavr import FIRMWARE

    image = build(FIRMWARE, args.chip)
    print(f"Built: {image.name}, {CHIPS[args.chip][3]}")
    need("avrdude")
    if args.dry_run:
        print("Would run:", " ".join(command(image, args.chip, args.port, args.baud)))
        return 0
    port = usable_port(args.port)
    write(command(image, args.chip, port, args.baud), args.chip)
    print(f"Written to {port}; waiting for the board to answer.")
    print(_answer(port))
    return 0


def need(*tools: str) -> None:
    """Make sure that programs are installed.

    Raises:
        DeviceError: one is not; names it and the command that installs it.
    """
    lacking = [tool for tool in tools if shutil.which(tool) is None]
    if lacking:
        packages = " ".join(PACKAGES[tool] for tool in lacking)
        raise DeviceError(f"not installed: {', '.join(lacking)}; install with: sudo apt-get install {packages}")


def build(folder: Path, chip: str) -> Path:
    """Build the firmware and return the image for a chip.

    Raises:
        DeviceError: sources or tools are missing, or the compiler refuses.
    """
    if not (folder / "Makefile").exists():
        raise DeviceError(
            "the firmware's sources are not installed with the program: run this in a clone of Barpoint"
        )
    need(*BUILDERS)
    done = subprocess.run(["make", "-s", "-C", str(folder), "all"], capture_output=True, text=True, check=False)
    image = folder / f"build/barpoint-{chip}.hex"
    if done.returncode or not image.exists():
        last = (done.stderr.strip().splitlines() or ["make failed"])[-1]
        raise DeviceError(f"the firmware cannot be built: {last}")
    return image


def usable_port(name: str) -> str:
    """Return the port to write to, once it is sure that we may.

    Raises:
        DeviceError: there is none, or several, or it is taken or not allowed; says what to do.
    """
    from controller.hardware.link import candidates, open_serial

    found = candidates(name)
    if not found:
        raise DeviceError("no board found: is its cable in? Does the cable carry data, and not only power?")
    if len(found) > 1 and not found[0].endswith("backgammon-board"):
        raise DeviceError(f"several ports found: {', '.join(found)}; choose one with --port")
    port = found[0]
    if not Path(port).exists():
        raise DeviceError(f"{port}: not there; is the cable in?")
    if not os.access(port, os.R_OK | os.W_OK):
        raise DeviceError(f"{port}: not allowed; sudo usermod -aG dialout $USER, then log in again")
    open_serial(port, 115_200).close()
    return port


def command(image: Path, chip: str, port: str, baud: int | None = None) -> list[str]:
    """Return the call of avrdude.

    Example:
        >>> " ".join(command(Path("a.hex"), "atmega328p", "/dev/ttyUSB0", 57600))
        'avrdude -c arduino -p m328p -P /dev/ttyUSB0 -b 57600 -D -U flash:w:a.hex:i'
    """
    part, loader, usual, _ = CHIPS[chip]
    rate = str(baud or usual)
    return ["avrdude", "-c", loader, "-p", part, "-P", port, "-b", rate, "-D", "-U", f"flash:w:{image}:i"]


def write(call: Sequence[str], chip: str) -> None:
    """Write the image.

    Raises:
        DeviceError: it was not written; says why in plain words.
    """
    try:
        done = subprocess.run(call, capture_output=True, text=True, timeout=FLASH_S, check=False)
    except subprocess.TimeoutExpired:
        raise DeviceError("the boot loader stopped answering; press the board's reset button, try again") from None
    if done.returncode:
        raise DeviceError(explained(done.stderr + done.stdout, chip))


def explained(said: str, chip: str) -> str:
    """Return in plain words why avrdude failed.

    Example:
        >>> explained("Device signature = 0x1e950f (probably m328p)", "atmega2560")
        'this board has another chip, atmega328p: use --chip atmega328p'
    """
    signature = re.search(r"signature = (?:0x)?([0-9a-f ]{6,8})", said, re.IGNORECASE)
    if signature is not None:
        code = signature[1].replace(" ", "").lower()
        other = SIGNATURES.get(code)
        if other is not None and other != chip:
            return f"this board has another chip, {other}: use --chip {other}"
        if other is None:
            return f"this board has another chip (signature {code}), which the firmware does not fit"
    if re.search(r"permission denied", said, re.IGNORECASE):
        return "the port is not allowed; sudo usermod -aG dialout $USER, then log in again"
    if re.search(r"not in sync|timeout|not responding|programmer is not", said, re.IGNORECASE):
        return (
            "the boot loader does not answer: is it the right board (--chip)? An older Nano needs --baud 57600; "
            "else press reset just before"
        )
    if re.search(r"verification error|verification mismatch|content mismatch", said, re.IGNORECASE):
        return "what was written does not read back: use another cable and try again"
    last = (said.strip().splitlines() or ["no reason given"])[-1].removeprefix("avrdude: ")
    return f"avrdude failed: {last}"


def _answer(port: str) -> str:
    """Return what the board says about itself with its new firmware."""
    from controller.hardware.link import SerialLink

    link = SerialLink(lambda: [port])
    link.start()
    try:
        until_s = time.monotonic() + 12.0
        while link.state.kind != "ok" and time.monotonic() < until_s:
            time.sleep(0.05)
        if link.state.kind != "ok" or link.board is None:
            raise DeviceError(f"written, but {link.state.detail}")
        return f"{link.state.detail}, build {link.board.build:08x}. Now run: barpoint doctor"
    finally:
        link.close()
