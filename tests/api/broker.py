"""The real Mosquitto, with the settings that we ship, on a free port; and a reader of what a table tells it."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import aiomqtt

from tests.api.serving import free_ports

DEPLOY = Path(__file__).parents[2] / "deploy"
MOSQUITTO = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin") or "mosquitto"


class Broker:
    """One Mosquitto; `kill` and `start` take it down and up again on the same port."""

    def __init__(self, folder: Path, config: str | None = None) -> None:
        self.port = free_ports(1)
        text = config if config is not None else (DEPLOY / "mosquitto.conf").read_text()
        self._config = folder / "mosquitto.conf"
        own = f"user {getpass.getuser()}\n"  # root's broker would else read no file of this test
        self._config.write_text(own + text.replace("listener 1883 ", f"listener {self.port} "))
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen([MOSQUITTO, "-c", str(self._config)], stderr=subprocess.PIPE)
        for _ in range(400):
            if self._process.poll() is not None:
                assert self._process.stderr is not None
                with self._process.stderr as said:
                    raise AssertionError(said.read().decode())
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.025)
        raise AssertionError("mosquitto did not start")

    def kill(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        assert self._process.stderr is not None
        self._process.stderr.close()

    def freeze(self) -> None:
        """Let it answer no more, though its connections stay open."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()


class Reader:
    """Collects all messages of a club in a thread; comes back when the broker does.

    With `acks` it behaves as a hub: it says on the topic `ack` what it has, gapless from 1.
    """

    def __init__(
        self, port: int, acks: bool = False, user: str | None = None, password: str | None = None
    ) -> None:
        self._port, self._acks, self._user, self._password = port, acks, user, password
        self.events: list[dict[str, Any]] = []
        self.states: list[dict[str, Any]] = []
        self.statuses: list[str] = []
        self.retained: set[str] = set()
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._task = self._loop.create_task(self._read())
        with contextlib.suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._task)
        self._loop.close()

    async def _read(self) -> None:
        while not self._closed:
            with contextlib.suppress(aiomqtt.MqttError):
                async with aiomqtt.Client(
                    "127.0.0.1", self._port, protocol=aiomqtt.ProtocolVersion.V5, username=self._user,
                    password=self._password, timeout=2.0,
                ) as client:  # fmt: skip
                    await client.subscribe("barpoint/v1/club/tables/+/+", qos=1)
                    async for message in client.messages:
                        await self._take(client, message)
                        if self._closed:  # Python 3.11 may lose a cancellation that comes with an answer
                            return
            await asyncio.sleep(0.1)

    async def _take(self, client: aiomqtt.Client, message: aiomqtt.Message) -> None:
        topic, payload = str(message.topic), bytes(message.payload)  # type: ignore[arg-type]  # always bytes here
        kind = topic.rpartition("/")[2]
        if message.retain:
            self.retained.add(kind)
        if kind == "status":
            self.statuses.append(payload.decode())
        elif kind == "state":
            self.states.append(json.loads(payload))
        elif kind == "event":
            event = json.loads(payload)
            self.events.append(event)
            if self._acks:
                stored = {"match_id": event["match_id"], "seq": self.gapless(event["match_id"])}
                await client.publish(topic.replace("/event", "/ack"), json.dumps(stored), qos=1, retain=True)

    def numbers(self, match_id: str) -> list[int]:
        """Return the numbers of the events of a match as they came."""
        return [event["seq"] for event in self.events if event["match_id"] == match_id]

    def gapless(self, match_id: str) -> int:
        """Return up to which number there is no gap."""
        have = set(self.numbers(match_id))
        seq = 0
        while seq + 1 in have:
            seq += 1
        return seq

    def close(self) -> None:
        self._closed = True
        task = self._task
        if task is not None:
            self._loop.call_soon_threadsafe(task.cancel)
        self._thread.join(10)
        assert not self._thread.is_alive(), "the reader did not stop"


def wait_until(what: Any, told: str, seconds: float = 30.0) -> None:
    """Wait until `what()` is true."""
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, told
        time.sleep(0.02)
