"""Which concrete parts make this table: the composition root.

A table is a journal, a camera and a board link behind the ports of `controller.ports`, and the two doors of the
API. The simulated table is made of the same parts; only what the camera looks at, and who presses the buttons, is
simulated.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import segno

from api.app import create_app, create_desk_app
from api.server import Listener, listen, serve_all
from api.tokens import Tokens
from controller.board import START_BOARD, Board
from controller.config import Settings
from controller.errors import CameraError, ConfigError
from controller.hardware.players import FROM_THE_START, Beginning, games
from controller.hardware.simulated import SimulatedTable
from controller.rules.profiles import profile
from controller.session.clock import ClockSetting
from controller.session.facts import MatchStarted
from controller.session.settings import Settings as TableRules
from controller.session.snapshot import Snapshot
from controller.storage import Evidence, Journal
from controller.table import Table
from vision.camera import Frame, Source, open_source
from vision.field import Field
from vision.simulated import SimulatedCamera, SimulatedSource
from vision.watcher import CameraWatcher, PlayedBack

Say = Callable[[str], None]
"""Prints one line for the person who started the table."""

NO_HARDWARE = (
    "no camera and no board found: plug in a USB camera or a Barpoint board, or set camera.source in "
    "barpoint.toml; "
    "`barpoint simulate` shows a simulated game"
)


@dataclass(frozen=True, slots=True)
class Simulation:
    """How the simulated evening goes.

    Attributes:
        seed: makes the evening.
        speed: how much faster than real players.
    """

    seed: int = 1
    speed: float = 1.0


def camera_source(settings: Settings) -> str:
    """Return the camera that is meant: a name for `open_source`, or an empty text where there is none."""
    source = settings.camera.source
    if source == "none":
        return ""
    if source != "auto":
        return source
    if importlib.util.find_spec("picamera2") is not None:
        return "pi"
    return "usb:0" if Path("/dev/video0").exists() else ""


async def run_table(settings: Settings, simulation: Simulation | None, say: Say) -> None:
    """Run one table until the process is told to stop.

    Args:
        settings: of the table.
        simulation: the simulated evening, or None for real hardware.
        say: prints for the person who started it.

    Raises:
        BoardError: no hardware, a port in use, a journal that is locked or damaged, a setting that does not fit.
    """
    rules = profile(settings.match.rules)
    source_name = "simulated" if simulation is not None else camera_source(settings)
    if not source_name:
        raise CameraError(NO_HARDWARE)
    api = settings.api
    sockets = [listen(api.host, api.port), listen(api.host, api.port + 1)]
    path = Path(settings.table.journal)
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as owned:
        for each in sockets:
            owned.callback(each.close)
        journal = owned.enter_context(contextlib.closing(Journal.open(path)))
        evidence = owned.enter_context(contextlib.closing(Evidence.open(path.with_suffix(".evidence.sqlite"))))
        tokens, token = Tokens.open(path.with_suffix(".tokens.json"))
        parts = (
            _simulated(settings, simulation, journal)
            if simulation is not None
            else _real(settings, source_name, journal)
        )
        table = Table(
            journal,
            table_id=settings.table.id,
            simulated=simulation is not None,
            watcher=parts.watcher,
            buttons=parts.world,
            evidence=evidence,
            now_s=parts.now_s,
        )
        doors = [
            Listener(create_app(table, delay_s=api.delay_s), api.host, api.port),
            Listener(create_desk_app(table, tokens), api.host, api.port + 1),
        ]
        _greet(settings, simulation is not None, token, say)
        await _serve(table, parts, settings, rules.name, doors, sockets)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What differs between a real table and a simulated one."""

    watcher: CameraWatcher
    now_s: Callable[[], float]
    world: SimulatedTable | None = None


def _real(settings: Settings, source_name: str, journal: Journal) -> _Parts:
    """Return the parts of a table whose camera is real, or a recording."""
    source: Source = open_source(source_name)
    if not source.live:
        source = PlayedBack(source)
    known = Table(journal).snapshot()
    return _Parts(CameraWatcher(source, _field_finder(settings), _stands(known)), time.monotonic)


def _simulated(settings: Settings, simulation: Simulation, journal: Journal) -> _Parts:
    """Return the parts of a simulated table; its players go on where the journal ends."""
    began_s = time.monotonic()

    def now_s() -> float:
        return began_s + (time.monotonic() - began_s) * simulation.speed

    known = Table(journal).snapshot()
    beginning = Beginning(known.board, known.turn, known.roll) if _going_on(known) else FROM_THE_START
    seed = simulation.seed + known.seq
    world = SimulatedTable(games(seed, beginning=beginning), now_s, simulation.speed)
    camera = SimulatedCamera(seed=simulation.seed)
    source = SimulatedSource(camera, lambda: world.scene, settings.camera.frames_hz, now_s)

    def find_field(frame: Frame) -> Field:
        size = frame.image.shape[1], frame.image.shape[0]
        return Field.of(camera.corners_px, size, "bottom-right")

    return _Parts(CameraWatcher(source, find_field, beginning.board, now_s), now_s, world)


def _going_on(known: Snapshot) -> bool:
    """Tell whether a game is in progress after the newest event of the journal."""
    return known.phase in ("rolling", "moving", "offered") and known.turn is not None


def _stands(known: Snapshot) -> Board:
    """Return what stands on the board when the table starts: the game in progress, else the start position."""
    return known.board if _going_on(known) else START_BOARD


def _field_finder(settings: Settings) -> Callable[[Frame], Field]:
    """Return what finds the playing surface: the corners of the settings."""
    numbers = settings.camera.corners
    if len(numbers) != 8:
        raise ConfigError("camera.corners must hold the 8 numbers x,y,x,y,x,y,x,y of the field's corners")
    corners = list(zip(numbers[::2], numbers[1::2], strict=True))
    home = None if settings.camera.white_home == "auto" else settings.camera.white_home

    def find_field(frame: Frame) -> Field:
        return Field.of(corners, (frame.image.shape[1], frame.image.shape[0]), home)

    return find_field


def table_rules(settings: Settings) -> TableRules:
    """Return how the table handles what happens at it, from the settings."""
    accepted = {"clock", "dice", "roll", "quiet"}
    wrong = set(settings.turn.signals) - accepted
    if wrong:
        raise ConfigError(f"turn.signals has {', '.join(sorted(wrong))}; accepted: {', '.join(sorted(accepted))}")
    kind = settings.clock.kind
    clock = ClockSetting()
    if kind == "delay":
        per_point = settings.clock.minutes_a_point * 60
        clock = ClockSetting("delay", settings.clock.delay_s, per_point, per_point / 2)
    elif kind in ("20", "40"):
        clock = ClockSetting("turn", float(kind), flag="game")
    return TableRules(
        signals=frozenset(s for s in ("clock", "dice", "roll", "quiet") if s in settings.turn.signals),
        quiet_s=settings.turn.quiet_s,
        moves=settings.turn.moves_policy,
        clock=clock,
        hints="all" if settings.turn.hints else "off",
        tournament=settings.match.rules == "tournament",
    )


def match_started(settings: Settings, number: int) -> MatchStarted:
    """Return the beginning of the match that the settings describe."""
    match = settings.match
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return MatchStarted(
        match_id=f"{settings.table.id}-{stamp}-{number}",
        players=(match.white, match.black),
        length=match.length,
        rules=match.rules,
        settings=table_rules(settings),
    )


async def _serve(
    table: Table,
    parts: _Parts,
    settings: Settings,
    rules: str,
    doors: list[Listener],
    sockets: list[socket.socket],
) -> None:
    """Run the table, its players and its doors until one of them ends."""
    tasks = [asyncio.create_task(table.run(), name="table")]
    tasks.append(asyncio.create_task(_keep_a_match(table, settings), name="matches"))
    if parts.world is not None:
        tasks.append(asyncio.create_task(parts.world.run(), name="players"))
    serving = asyncio.create_task(serve_all(doors, sockets), name="doors")
    try:
        await asyncio.wait([*tasks, serving], return_when=asyncio.FIRST_COMPLETED)
        for task in (*tasks, serving):
            if task.done() and not task.cancelled() and (error := task.exception()) is not None:
                raise error
        await serving
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await table.close()


async def _keep_a_match(table: Table, settings: Settings) -> None:
    """Begin the match of the settings when none is in progress, and the next one when it is over."""
    number = 0
    while True:
        if table.snapshot().phase in ("waiting", "match_over"):
            number += 1
            await table.submit(match_started(settings, number))
        await asyncio.sleep(2.0)


def _greet(settings: Settings, simulated: bool, token: str | None, say: Say) -> None:
    """Print where the pages are, and at the first start the desk's token."""
    host = settings.api.host if settings.api.host not in ("0.0.0.0", "::") else own_address()
    address = f"http://{host}:{settings.api.port}/"
    if simulated:
        say("SIMULATED: no real board, no real players.")
    say(f"Watch the game at   {address}")
    say(f"The desk is at      http://{host}:{settings.api.port + 1}/desk")
    if token is not None:
        say(f"The desk's token, shown only once:  {token}")
    code = segno.make(address, error="m")
    say("\n".join("  " + line for line in _drawn(code)))


def _drawn(code: segno.QRCode) -> list[str]:
    """Return a QR code as lines of half blocks, dark on light terminals and light on dark ones alike."""
    rows = [[False, *map(bool, row), False] for row in code.matrix]
    blank = [False] * len(rows[0])
    rows = [blank, *rows, blank] + ([blank] if len(rows) % 2 else [])
    glyphs = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    return [
        "".join(glyphs[a, b] for a, b in zip(rows[i], rows[i + 1], strict=True))
        for i in range(0, len(rows) - 1, 2)
    ]


def own_address() -> str:
    """Return this computer's address in the local network, without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
