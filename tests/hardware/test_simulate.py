"""`barpoint simulate` with electronic dice and the sensor array, on a bad cable, killed and started again."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from controller.errors import StorageError
from controller.hardware import fair_dice
from controller.storage import Journal
from tests.hardware.waiting import wait_for

SETTINGS = """
[table]
journal = "{journal}"
[camera]
source = "none"
[board]
sensors = true
[dice]
mode = "electronic"
[api]
port = {port}
"""


def free_port() -> int:
    """Return a port that is free, and the next one too."""
    while True:
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            port = int(one.getsockname()[1])
            try:
                two.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def events(journal: Path) -> list[dict[str, Any]]:
    try:
        book = Journal.open(journal, read_only=True)
    except StorageError:
        return []  # not there, or being made
    try:
        matches = book.matches()
        return book.events(matches[0], 0, None) if matches else []
    finally:
        book.close()


def sight(happened: list[dict[str, Any]]) -> str:
    """Return how the sensor array was after some events."""
    states = [event["state"] for event in happened if event["type"] == "link" and event["part"] == "camera"]
    return str(states[-1]) if states else "ok"


def wait_until_played(journal: Path, plays: int) -> None:
    wait_for(lambda: sum(event["type"] == "play" for event in events(journal)) >= plays, timeout_s=90)


def test_a_simulated_evening_goes_on_after_a_kill_and_every_roll_is_in_the_log(tmp_path: Path) -> None:
    journal = tmp_path / "x.sqlite"
    config = tmp_path / "barpoint.toml"
    config.write_text(SETTINGS.format(journal=journal, port=free_port()))
    call = [sys.executable, "-m", "controller", "simulate", "--config", str(config), "--speed", "4"]
    for wanted, faults in ((2, "drop=200,garble=200"), (4, "unplug@3+1")):
        with subprocess.Popen([*call, "--fault", faults], stdout=subprocess.PIPE, text=True) as process:
            try:
                wait_until_played(journal, wanted)
            finally:
                process.send_signal(signal.SIGKILL)
            said = process.stdout.read() if process.stdout is not None else ""
        assert "Fault on order:" in said
    happened = events(journal)
    assert not any(event["type"] == "illegal" for event in happened)
    for number, event in enumerate(happened):
        if event["type"] == "question" and event["about"] != "start":
            assert sight(happened[:number]) in ("late", "lost"), "only what could not be seen is asked"
    told = [event["detail"] for event in happened if event["type"] == "link" and event["part"] == "dice"]
    (log,) = (tmp_path / "x.dice").glob("*.jsonl")
    lines = fair_dice.read_log(log.read_text())
    assert told[0] == f"the dice of this match are committed to: SHA-256 {lines[0]['sha256']}"
    rolls = [sorted(line["dice"]) for line in lines if line["type"] == "roll"]
    shown = [
        sorted(event["roll"] if event["type"] == "roll" else (event["white"], event["black"]))
        for event in happened
        if event["type"] in ("roll", "opening_roll")
    ]
    assert shown == rolls[: len(shown)]
    assert len(rolls) - len(shown) in (0, 1), "at most the roll that was being made when the table was killed"
