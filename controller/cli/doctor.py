"""``barpoint doctor``: what is plugged in, answering, lit, seen, fast enough; what to do about the rest."""

from __future__ import annotations

import argparse
import dataclasses
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controller.cli.run import add_config, config_path

if TYPE_CHECKING:
    from controller.config import Settings
    from controller.hardware.checkup import Finding

SIGNS = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL"}


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command."""
    doctor = commands.add_parser("doctor", help="check everything that is plugged in, and say what to do")
    add_config(doctor)
    doctor.add_argument("--json", action="store_true", help="print one JSON object")
    doctor.add_argument("--bundle", type=Path, metavar="FILE", help="also write a zip to send, secrets masked")
    doctor.add_argument("--simulate", action="store_true", help="check a simulated board instead of a real one")
    doctor.add_argument(
        "--calibrate-cells",
        action="store_true",
        help="let the sensor array learn what empty is; take all checkers off first",
    )
    doctor.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from controller.cli import checks
    from controller.config import load_settings
    from controller.hardware.checkup import Finding

    path = config_path(args)
    settings = load_settings(path)
    found: list[Finding] = [*checks.programs(), *checks.computer(), checks.clock(), *checks.journal(settings)]
    found.append(checks.speed())
    if args.simulate:
        found.append(Finding("camera", "ok", "not looked at: the board is simulated"))
    else:
        found.append(checks.camera(settings))
    found += _board(settings, simulate=args.simulate, calibrate=args.calibrate_cells)
    if args.json:
        print(json.dumps(_report(found), ensure_ascii=False))
    else:
        print(_plainly(found))
    if args.bundle is not None:
        _write_bundle(args.bundle, found, path)
        if not args.json:
            print(f"Written: {args.bundle}. Look into it before you send it; secrets are masked.")
    return 1 if any(each.state == "fail" for each in found) else 0


def _board(settings: Settings, *, simulate: bool, calibrate: bool) -> list[Finding]:
    """Return what the board says about itself."""
    from controller.hardware.checkup import Checkup, Finding
    from controller.hardware.link import SerialLink, candidates
    from controller.hardware.parts import configure
    from controller.hardware.peer import Peer
    from controller.hardware.simavr import EmulatedBoard, VirtualBoard, build, missing

    sensors = settings.board.sensors or calibrate
    board: VirtualBoard | None = None
    if simulate:
        if not (lack := missing()):
            build()
        board = Peer() if lack else EmulatedBoard()
        link = SerialLink(board.devices, board.open)
    elif settings.board.port == "none":
        return [Finding("board", "ok", "no board is used (board.port is none)")]
    else:
        link = SerialLink(lambda: candidates(settings.board.port))
    configure(link, brightness=settings.board.brightness, sensors=sensors)
    try:
        checkup = Checkup(link)
        found = checkup.run(sensors=sensors)
        if calibrate and link.state.kind == "ok":
            found = [each for each in found if each.part != "cells"]
            found.append(checkup.calibrate())
        return found
    finally:
        link.close()
        if board is not None:
            board.close()


def _report(found: Sequence[Finding]) -> dict[str, Any]:
    from importlib.metadata import version

    worst = max((each.state for each in found), key=["ok", "warn", "fail"].index)
    return {
        "barpoint": version("barpoint"),
        "state": worst,
        "findings": [dataclasses.asdict(each) for each in found],
    }


def _plainly(found: Sequence[Finding]) -> str:
    """Return the findings as lines; what to do stands below what is wrong."""
    width = max(len(each.part) for each in found)
    lines = []
    for each in found:
        lines.append(f"{SIGNS[each.state]}  {each.part:{width}}  {each.text}")
        if each.todo:
            lines.append(f"{'':{width + 8}}-> {each.todo}")
    wrong = sum(each.state != "ok" for each in found)
    lines.append("All in order." if not wrong else f"{wrong} of {len(found)} lines need a look.")
    return "\n".join(lines)


def _write_bundle(path: Path, found: Sequence[Finding], config: Path | None) -> None:
    """Write the report, the settings and what the system says, without secrets.

    Raises:
        StorageError: the file cannot be written.
    """
    from controller.cli.masking import masked
    from controller.errors import StorageError

    texts = {
        "report.txt": _plainly(found),
        "report.json": json.dumps(_report(found), ensure_ascii=False, indent=1),
        "settings.toml": config.read_text(encoding="utf-8") if config is not None else "# the defaults\n",
        **_system(),
    }
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, text in texts.items():
                bundle.writestr(name, masked(text))
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from None


def _system() -> dict[str, str]:
    """Return what the computer's own programs say about devices, network links and the table's last hours."""
    from controller.cli.checks import output_of

    commands = {
        "usb.txt": ("lsusb",),
        "links.txt": ("ip", "-brief", "link"),
        "log.txt": ("journalctl", "-u", "barpoint", "-n", "300", "--no-pager"),
        "kernel.txt": ("dmesg", "--level", "err,warn"),
    }
    said = {name: output_of(*command) for name, command in commands.items()}
    return {name: text for name, text in said.items() if text}
