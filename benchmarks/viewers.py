"""Claim: one process shows one table to thousands, at a fraction of what the usual ways cost.

    python benchmarks/viewers.py [--quick] [--rounds N] [--most N]

All servers send the same content to all viewers, one update a second, on loopback; the server has one core, the
load generator (C where a compiler is, else Python) another. Rounds of all servers are interleaved, since the speed
of a virtual machine drifts: only the ratios count. Prints JSON lines:

* ``same``: the same number of viewers on every server: p99, CPU a message, memory a viewer (medians of rounds);
* ``capacity``: the most viewers at p99 < 250 ms, on a ladder of sizes, with ``ratio`` over the naive WebSocket.
  Where ours reaches the top of the ladder (a process may have only so many files), the ratio is only a lower
  bound; then the ladders are climbed again with half of the server's core taken away from all of them;
* ``stalled``: what the others still receive when a tenth of all viewers stop reading;
* ``latency``: the age of a message at the socket with 200 viewers, of a real table whose journal is on the disk:
  from when the event was ``durable``, and from when the journal began to write it.

``load`` is the machine's one-minute load average before and after: above half the cores, the figures are others'.

Peers: a naive WebSocket broadcast, FastAPI's own EventSourceResponse, and nginx with nchan where it is installed.
Exit 1 when a ratio that was promised does not hold.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
LIMIT_MS = 250.0
LATE_MS = 20.0
NCHAN = Path("/usr/lib/nginx/modules/ngx_nchan_module.so")
CORES = sorted(os.sched_getaffinity(0))
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Kind:
    """One way to serve viewers: how they connect, and the sizes to try."""

    name: str
    wire: str
    path: str
    ladder: tuple[int, ...]


LADDER = (1000, 1500, 2000, 3000, 4000, 5000, 7000, 9000, 12000, 15000, 18000)
OURS = Kind("ours", "sse", "/api/v1/live", LADDER)
NAIVE = Kind("naive", "ws", "/live", LADDER)
EVENT_SOURCE = Kind("event_source", "sse", "/live", (100, 200, 300, 500, 750, 1000, 1500))
DURABLE = Kind("durable", "sse", "/api/v1/live", ())
WRITTEN = Kind("written", "sse", "/api/v1/live", ())
NCHAN_KIND = Kind("nchan", "sse", "/sub", LADDER)


@dataclass(frozen=True)
class Run:
    """What one run of one server measured.

    Attributes:
        held: everybody got (nearly) every update, and p99 was below the limit.
        p50_ms: median age of a message when it was read.
        p99_ms: 99th percentile of it.
        rate: messages a viewer and second.
        cpu_us: CPU time of the server a message, microseconds.
        kb: private memory of the server a viewer, KiB.
    """

    held: bool
    p50_ms: float
    p99_ms: float
    rate: float
    cpu_us: float
    kb: float


def built(folder: Path) -> list[str]:
    """Return the command of the load generator, compiled into `folder` where there is a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return [sys.executable, str(HERE / "_viewers_load.py")]
    target = folder / "viewers_load"
    subprocess.run([compiler, "-O2", "-o", str(target), str(HERE / "viewers_load.c")], check=True)
    return [str(target)]


def _pinned(core: int) -> dict[str, Any]:
    """Return what pins a child to one core, where there is more than one."""
    chosen = CORES[core % len(CORES)]
    return {"preexec_fn": lambda: os.sched_setaffinity(0, {chosen})}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def serving(kind: Kind, folder: Path, rate_hz: float, pad_bytes: int) -> Iterator[tuple[int, list[int]]]:
    """Run a server; yield its port and the processes whose cost counts."""
    port = _free_port()
    script = [sys.executable, str(HERE / "_viewers_servers.py")]
    options = [str(port), str(rate_hz), str(pad_bytes)]
    started: list[subprocess.Popen[bytes]] = []
    try:
        if kind.name == "nchan":
            config = folder / "nginx.conf"
            config.write_text(_nginx_config(port, folder))
            master = subprocess.Popen(["nginx", "-c", str(config), "-p", str(folder)], **_pinned(0))
            started.append(master)
            _wait_for(port)
            started.append(subprocess.Popen([*script, "feed", *options], **_pinned(1)))
            yield port, [master.pid, *_children(master.pid)]
        else:
            server = subprocess.Popen([*script, kind.name, *options], **_pinned(0))
            started.append(server)
            _wait_for(port)
            yield port, [server.pid]
    finally:
        for process in reversed(started):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for(port: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("the server did not start")


def _nginx_config(port: int, folder: Path) -> str:
    return f"""
load_module {NCHAN};
daemon off; worker_processes 1; worker_rlimit_nofile 20000; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 19500; }}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; keepalive_requests 1000000;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    nchan_channel_id table; nchan_message_buffer_length 2; nchan_subscriber_first_message newest;
    location = /pub {{ nchan_publisher; }}
    location = /sub {{ nchan_subscriber eventsource; }}
  }}
}}
"""


def _children(pid: int) -> list[int]:
    time.sleep(0.2)
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


def _cpu_s(pids: list[int]) -> float:
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def _private_kb(pids: list[int]) -> int:
    total = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Private_"):
                total += int(line.split()[1])
    return total


@contextlib.contextmanager
def halved(wanted: bool) -> Iterator[None]:
    """Keep the server's core half busy with something else, where that is wanted."""
    if not wanted:
        yield
        return
    rival = subprocess.Popen([sys.executable, "-c", "while True: pass"], **_pinned(0))
    try:
        yield
    finally:
        rival.kill()
        rival.wait()


def run(
    kind: Kind, load: list[str], viewers: int, *, seconds: float = 4.0, rate_hz: float = 1.0, stalled: int = 0,
    pad_bytes: int = 0, half: bool = False,
) -> Run:  # fmt: skip
    """Serve `viewers` for a while and measure."""
    with (
        tempfile.TemporaryDirectory() as name,
        serving(kind, Path(name), rate_hz, pad_bytes) as (port, pids),
        halved(half),
    ):
        before_kb = _private_kb(pids)
        arguments = [kind.wire, str(port), kind.path, str(viewers), str(stalled), str(seconds)]
        client = subprocess.Popen(
            [*load, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **_pinned(1)
        )
        assert client.stdin is not None
        assert client.stdout is not None
        try:
            assert client.stdout.readline() == "READY\n"
            time.sleep(1.5)
            kb = (_private_kb(pids) - before_kb) / max(1, viewers)
            before_s = _cpu_s(pids)
            client.stdin.write("GO\n")
            client.stdin.flush()
            told = json.loads(client.stdout.readline())
            cpu_s = _cpu_s(pids) - before_s
        finally:
            client.kill()
            client.wait()
            client.stdin.close()
            client.stdout.close()
    received = max(1, told["received"])
    rate = told["received"] / viewers / seconds
    whole = told["opened"] - told["lost"] >= viewers and rate >= 0.7 * rate_hz
    held = whole and 0 <= told["p99_ms"] < LIMIT_MS
    return Run(held, told["p50_ms"], told["p99_ms"], rate, cpu_s / received * 1e6, kb)


def tell(**facts: Any) -> None:
    """Print one JSON line."""
    print(json.dumps(facts), flush=True)


def compare(kinds: list[Kind], load: list[str], viewers: int, rounds: int) -> dict[str, dict[str, float]]:
    """Measure all kinds with the same number of viewers, in turn; EventSourceResponse gets what it can hold."""
    runs: dict[str, list[Run]] = {kind.name: [] for kind in kinds}
    for _ in range(rounds):
        for kind in kinds:
            runs[kind.name].append(run(kind, load, min(viewers, 300) if kind is EVENT_SOURCE else viewers))
    found = {}
    for name, made in runs.items():
        found[name] = {
            field: round(statistics.median(getattr(one, field) for one in made), 2)
            for field in ("p50_ms", "p99_ms", "cpu_us", "kb")
        }
        tell(
            figure="same",
            server=name,
            viewers=min(viewers, 300) if name == "event_source" else viewers,
            **found[name],
        )
    return found


def capacities(kinds: list[Kind], load: list[str], most: int, half: bool = False) -> dict[str, int]:
    """Climb each kind's ladder in turn until a size fails twice; return the last that held."""
    held = {kind.name: 0 for kind in kinds}
    climbing = {kind.name: [size for size in kind.ladder if size <= most] for kind in kinds}
    while any(climbing.values()):
        for kind in kinds:
            if not climbing[kind.name]:
                continue
            size = climbing[kind.name].pop(0)
            if run(kind, load, size, half=half).held or run(kind, load, size, half=half).held:
                held[kind.name] = size
            else:
                climbing[kind.name] = []
    return held


def main() -> int:
    """Run everything and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small numbers, no capacities: half a minute")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds (default 3)")
    parser.add_argument("--most", type=int, default=18_000, help="never more viewers than this (default 18000)")
    options = parser.parse_args()
    kinds = [NAIVE, EVENT_SOURCE, OURS]
    if shutil.which("nginx") and NCHAN.exists():
        kinds.append(NCHAN_KIND)
    promises: list[tuple[str, float, bool]] = []
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        load = built(Path(name))
        same = compare(kinds, load, 500 if options.quick else 3000, 1 if options.quick else options.rounds)
        promises += _cpu_promises(same)
        if not options.quick:
            held = capacities(kinds, load, options.most)
            top = max(size for size in LADDER if size <= options.most)
            half = held["ours"] >= top
            if half:
                tell(
                    figure="ceiling", server="ours", viewers=top, over_naive_at_least=round(top / held["naive"], 2)
                )
                held = capacities(kinds, load, options.most, half=True)
            promises += _capacity_promises(held, half)
        promises.append(_stalled(load))
        promises.append(_latency(load))
    tell(figure="load", before=before, after=os.getloadavg()[0], cores=len(CORES))
    for what, value, kept in promises:
        tell(promise=what, value=round(value, 3), kept=kept)
    return 0 if all(kept for _, _, kept in promises) else 1


def _cpu_promises(same: dict[str, dict[str, float]]) -> list[tuple[str, float, bool]]:
    ours = same["ours"]["cpu_us"]
    tell(figure="cpu", naive_over_ours=round(same["naive"]["cpu_us"] / ours, 2),
         event_source_over_ours=round(same["event_source"]["cpu_us"] / ours, 2))  # fmt: skip
    if "nchan" not in same:
        return []
    ratio = ours / same["nchan"]["cpu_us"]
    return [("CPU a message over nchan's <= 1.1", ratio, ratio <= 1.1)]


def _capacity_promises(held: dict[str, int], half: bool) -> list[tuple[str, float, bool]]:
    for name, size in held.items():
        tell(
            figure="capacity",
            server=name,
            viewers=size,
            limit_ms=LIMIT_MS,
            half_a_core=half,
            ratio=round(size / max(1, held["naive"]), 2),
        )
    over_naive = held["ours"] / max(1, held["naive"])
    over_sse = held["ours"] / max(1, held["event_source"])
    return [
        ("capacity over the naive WebSocket >= 3", over_naive, over_naive >= 3),
        ("capacity over EventSourceResponse >= 20", over_sse, over_sse >= 20),
    ]


def _latency(load: list[str]) -> tuple[str, float, bool]:
    """Measure how old a message is at the sockets of 200 viewers; the median of three rounds."""
    p99_ms = {}
    for kind in (DURABLE, WRITTEN):
        made = [run(kind, load, 200, seconds=8.0, rate_hz=5.0) for _ in range(3)]
        p50_ms = statistics.median(one.p50_ms for one in made)
        p99_ms[kind] = statistics.median(one.p99_ms for one in made)
        tell(figure="latency", since=kind.name, viewers=200, p50_ms=p50_ms, p99_ms=p99_ms[kind], limit_ms=LATE_MS)
    found = p99_ms[DURABLE]
    return f"p99 from durable to socket <= {LATE_MS:g} ms", found, found <= LATE_MS


def _stalled(load: list[str]) -> tuple[str, float, bool]:
    """Compare what good viewers receive beside a tenth that stopped reading; large updates jam those soon."""
    rates = {}
    for stalled in (0, 20):
        made = [run(OURS, load, 200, rate_hz=10.0, stalled=stalled, pad_bytes=20_000) for _ in range(2)]
        rates[stalled] = max(one.rate for one in made)
    ratio = rates[20] / rates[0]
    tell(figure="stalled", viewers=200, stalled=20, rate_without=round(rates[0], 2), rate_with=round(rates[20], 2))
    return "rate beside stalled viewers >= 0.98", ratio, ratio >= 0.98


if __name__ == "__main__":
    sys.exit(main())
