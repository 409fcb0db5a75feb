"""`barpoint run` and `simulate`: one clear line for each thing that is wrong, nothing lost by a kill."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BARPOINT = [sys.executable, "-m", "controller"]
ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    """Return a port whose next one is free too."""
    while True:
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            port: int = one.getsockname()[1]
            try:
                two.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def run(folder: Path, *args: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **settings}
    command = [*BARPOINT, *args]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def assert_one_line(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    last = done.stderr.strip().splitlines()
    assert len(last) == 1, done.stderr
    for word in words:
        assert word in last[0]


def test_without_hardware_it_says_so_and_what_to_do(tmp_path: Path) -> None:
    done = run(tmp_path, "run", BARPOINT_CAMERA_SOURCE="none", BARPOINT_BOARD_PORT="none")
    assert_one_line(done, "no camera", "barpoint simulate")
    assert list(tmp_path.iterdir()) == []


def test_a_port_in_use_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = run(tmp_path, "simulate", BARPOINT_API_PORT=port)
    assert_one_line(done, port, "in use")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("BARPOINT_MATCH_RULES", "chess", ["chess", "international"]),
        ("BARPOINT_TURN_SIGNALS", "shout", ["shout", "clock"]),
        ("BARPOINT_API_PORT", "many", ["BARPOINT_API_PORT", "whole number"]),
    ],
)
def test_a_wrong_setting_is_one_line_and_nothing_is_written(
    tmp_path: Path, setting: str, value: str, words: list[str]
) -> None:
    assert_one_line(run(tmp_path, "simulate", **{setting: value}), *words)
    assert list(tmp_path.iterdir()) == []


def test_a_journal_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    with sqlite3.connect(journal) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = journal.read_bytes()
    port = str(free_port())
    done = run(tmp_path, "simulate", BARPOINT_TABLE_JOURNAL=str(journal), BARPOINT_API_PORT=port)
    assert_one_line(done, "newer")
    assert journal.read_bytes() == before


def test_help_names_every_command(tmp_path: Path) -> None:
    done = run(tmp_path, "--help")
    assert done.returncode == 0
    for command in ("run", "simulate", "follow", "read", "plays", "convert", "check", "dice", "rules", "bench"):
        assert command in done.stdout
        assert run(tmp_path, command, "--help").returncode == 0


@contextmanager
def simulated(folder: Path, port: int, seed: int) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "BARPOINT_API_PORT": str(port)}
    command = [*BARPOINT, "simulate", "--speed", "1", "--seed", str(seed)]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
        assert process.stdout is not None
        process.stdout.close()


def get(port: int, path: str) -> Any:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/{path}", timeout=60) as answer:
        return json.load(answer)


def plays(port: int) -> list[dict[str, Any]]:
    try:
        return [event for event in get(port, "events?limit=500") if event["type"] == "play"]
    except OSError:
        return []


def wait_for_plays(port: int, process: subprocess.Popen[str], count: int) -> list[dict[str, Any]]:
    until_s = time.monotonic() + 240
    while len(found := plays(port)) < count:
        assert process.poll() is None, "the table ended by itself"
        assert time.monotonic() < until_s, f"only {len(found)} plays were recorded in time"
        time.sleep(0.3)
    return found


@pytest.mark.xdist_group("simulate")
def test_a_killed_table_goes_on_from_the_last_committed_event(tmp_path: Path) -> None:
    port = free_port()
    with simulated(tmp_path, port, seed=11) as process:
        wait_for_plays(port, process, 2)
        assert get(port, "snapshot")["simulated"] is True
        process.kill()
        process.wait(timeout=60)
    with sqlite3.connect(tmp_path / "journal/barpoint.sqlite") as connection:
        kept = [json.loads(body) for (body,) in connection.execute("SELECT body FROM event ORDER BY seq")]
    with simulated(tmp_path, port, seed=11) as process:
        after = wait_for_plays(port, process, sum(event["type"] == "play" for event in kept) + 1)
        events = get(port, "events?limit=500")
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    for old, new in zip(kept, events, strict=False):
        assert (old["seq"], old["type"], old.get("play")) == (new["seq"], new["type"], new.get("play"))
    assert len(after) >= sum(event["type"] == "play" for event in kept) + 1
    assert sum(event["type"] == "match_start" for event in events) == 1
