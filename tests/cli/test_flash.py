"""`barpoint flash` says in one line what is missing, and writes with avrdude what make has built."""

from __future__ import annotations

import os
import pty
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli import flash, main
from controller.errors import DeviceError


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that is the whole PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "firmware"
    (folder / "build").mkdir(parents=True)
    (folder / "Makefile").write_text("all:\n")
    (folder / "build/barpoint-atmega2560.hex").write_text(":00000001FF\n")
    return folder


@pytest.fixture
def port() -> Iterator[str]:
    near, far = pty.openpty()
    yield os.ttyname(far)
    os.close(near)
    os.close(far)


def test_missing_sources_are_said(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="in a clone of Barpoint"):
        flash.build(tmp_path, "atmega2560")


def test_missing_tools_are_named_with_the_command_that_installs_them(sources: Path, tools: Path) -> None:
    program(tools, "make", "exit 0")
    with pytest.raises(
        DeviceError, match=r"avr-gcc, avr-objcopy; .*apt-get install gcc-avr avr-libc binutils-avr"
    ):
        flash.build(sources, "atmega2560")
    with pytest.raises(DeviceError, match="apt-get install avrdude"):
        flash.need("avrdude")


def test_the_compilers_last_word_is_passed_on(sources: Path, tools: Path) -> None:
    for name in flash.BUILDERS:
        program(tools, name, "echo 'main.c:3: error: no semicolon' >&2; exit 2")
    with pytest.raises(DeviceError, match="no semicolon"):
        flash.build(sources, "atmega2560")


def test_a_port_that_is_not_there_or_not_allowed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DeviceError, match="not there"):
        flash.usable_port(str(tmp_path / "ttyACM9"))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    (tmp_path / "ttyACM0").touch()
    with pytest.raises(DeviceError, match="dialout"):
        flash.usable_port(str(tmp_path / "ttyACM0"))


def test_no_board_and_several_boards_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.hardware.link.candidates", lambda name: [])
    with pytest.raises(DeviceError, match="no board found"):
        flash.usable_port("auto")
    monkeypatch.setattr("controller.hardware.link.candidates", lambda name: ["/dev/ttyACM0", "/dev/ttyUSB0"])
    with pytest.raises(DeviceError, match="--port"):
        flash.usable_port("auto")


def test_avrdude_gets_part_port_and_image(sources: Path, tools: Path, port: str) -> None:
    program(tools, "avrdude", f'echo "$@" > {tools}/called')
    image = sources / "build/barpoint-atmega2560.hex"
    flash.write(flash.command(image, "atmega2560", flash.usable_port(port)), "atmega2560")
    called = (tools / "called").read_text()
    assert f"-c wiring -p m2560 -P {port} -b 115200 -D -U flash:w:{image}:i" in called


@pytest.mark.parametrize(
    ("said", "chip", "means"),
    [
        ("avrdude: Device signature = 0x1e950f (probably m328p)", "atmega2560", "use --chip atmega328p"),
        ("avrdude: Device signature = 0x1e9801", "atmega328p", "use --chip atmega2560"),
        ("avrdude: Device signature = 0x1e9587 (probably m32u4)", "atmega2560", "1e9587"),
        ("avrdude: stk500_recv(): programmer is not responding", "atmega328p", "--baud 57600"),
        ("avrdude: stk500v2_ReceiveMessage(): timeout", "atmega2560", "does not answer"),
        ("avrdude: ser_open(): can't open device: Permission denied", "atmega2560", "dialout"),
        ("avrdude: verification error, first mismatch at byte 0x0000", "atmega2560", "another cable"),
        ("avrdude: something new", "atmega2560", "something new"),
        ("", "atmega2560", "no reason given"),
    ],
)
def test_what_avrdude_says_is_put_in_plain_words(tools: Path, said: str, chip: str, means: str) -> None:
    program(tools, "avrdude", f'echo "{said}" >&2; exit 1')
    with pytest.raises(DeviceError) as error:
        flash.write(["avrdude"], chip)
    assert means in str(error.value)


def test_a_dry_run_says_what_would_be_written(
    sources: Path, tools: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (*flash.BUILDERS, "avrdude"):
        program(tools, name, "exit 0")
    monkeypatch.setattr("controller.hardware.simavr.FIRMWARE", sources)
    assert main(["flash", "--dry-run", "--port", "/dev/ttyACM0"]) == 0
    assert "avrdude -c wiring -p m2560 -P /dev/ttyACM0" in capsys.readouterr().out
