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
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import segno

from api.announce import announced
from api.app import create_app, create_desk_app
from api.server import Listener, listen, serve_all
from api.tokens import Tokens
from controller.board import START_BOARD, Board
from controller.config import Settings
from controller.errors import BoardError, CameraError, ConfigError
from controller.hardware.attempts import Attempts
from controller.hardware.faults import FaultOrder, make_faults, told
from controller.hardware.gpio import GpioButtons, GpioBuzzer, GpioLed
from controller.hardware.link import LinkState, SerialLink, candidates
from controller.hardware.merged import MergedButtons, MergedWatcher
from controller.hardware.parts import SerialButtons, SerialBuzzer, SerialDice, SerialLights, configure
from controller.hardware.peer import Peer
from controller.hardware.players import FROM_THE_START, Beginning, games
from controller.hardware.sensors import SensorWatcher
from controller.hardware.simavr import EmulatedBoard, VirtualBoard, build, missing
from controller.hardware.simulated import LegibleDice, SimulatedTable
from controller.hardware.thrower import FairThrower
from controller.ports import BoardWatcher, Buttons, Buzzer, DiceSource
from controller.rules import Color
from controller.rules.profiles import profile
from controller.session.clock import ClockSetting
from controller.session.facts import LinkChanged, MatchStarted
from controller.session.settings import Settings as TableRules
from controller.session.snapshot import Snapshot
from controller.storage import Evidence, Journal
from controller.table import Table
from vision.camera import Frame, Source, open_source
from vision.field import Field
from vision.markers import find_field
from vision.simulated import SimulatedCamera, SimulatedSource
from vision.watcher import CameraWatcher, PlayedBack
from vision.wizard import Tapped, Wizard

Say = Callable[[str], None]
"""Prints one line for the person who started the table."""

LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Hosts that nobody else can reach, so that there is nothing to announce."""

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
        faults: what goes wrong with the board and its cable.
    """

    seed: int = 1
    speed: float = 1.0
    faults: tuple[FaultOrder, ...] = ()


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
    profile(settings.match.rules)
    table_rules(settings)
    if simulation is None and not camera_source(settings) and not settings.board.sensors:
        raise CameraError(NO_HARDWARE)
    api = settings.api
    path = Path(settings.table.journal)
    with contextlib.ExitStack() as owned:
        sockets = [listen(api.host, port) for port in (api.port, api.port + 1)]
        for each in sockets:
            owned.callback(each.close)
        path.parent.mkdir(parents=True, exist_ok=True)
        journal = owned.enter_context(contextlib.closing(Journal.open(path)))
        evidence = owned.enter_context(contextlib.closing(Evidence.open(path.with_suffix(".evidence.sqlite"))))
        tokens, token = Tokens.open(path.with_suffix(".tokens.json"))
        known = Table(journal).snapshot()
        parts = _simulated(settings, simulation, known, owned) if simulation else _real(settings, known)
        table = _table(settings, parts, journal, evidence, owned)
        doors = [
            Listener(create_app(table, delay_s=api.delay_s), api.host, api.port),
            Listener(create_desk_app(table, tokens, setup=_wizard(table, parts)), api.host, api.port + 1),
        ]
        _greet(settings, parts, token, say, simulation.faults if simulation else ())
        await _serve(table, parts, settings, doors, sockets)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What differs between a real table and a simulated one.

    Attributes:
        watcher: watches the checkers.
        link: to the board, or None without one.
        now_s: the table's monotonic clock.
        table_s: turns real monotonic time into the table's.
        world: the simulated players, or None at a real table.
        faults: what goes wrong at a simulated table, until all faults are over.
        note: what kind of board this is, for the person who started it.
        cells: the watcher of the sensor array, or None without one.
        dice: the electronic dice, or None.
        camera: the watcher of the camera, or None without one.
        pictures: what it reads from, for the wizard.
    """

    watcher: BoardWatcher
    link: SerialLink | None
    cells: SensorWatcher | None = None
    dice: DiceSource | None = None
    now_s: Callable[[], float] = time.monotonic
    table_s: Callable[[float], float] = float
    world: SimulatedTable | None = None
    faults: Coroutine[Any, Any, None] | None = None
    note: str = ""
    camera: CameraWatcher | None = None
    pictures: Tapped | None = None


def _table(
    settings: Settings, parts: _Parts, journal: Journal, evidence: Evidence, owned: contextlib.ExitStack
) -> Table:
    """Return the table on its parts."""
    link = parts.link
    if link is not None:
        configure(link, brightness=settings.board.brightness, sensors=settings.board.sensors)
    thrower = None
    if settings.dice.mode == "electronic":
        folder = Path(settings.table.journal).with_suffix(".dice")
        thrower = FairThrower(folder, lambda match_id: journal.events(match_id, 0, None))
    table = Table(
        journal,
        table_id=settings.table.id,
        simulated=parts.world is not None,
        watcher=parts.watcher,
        buttons=_buttons(settings, parts, owned),
        dice=parts.dice,
        thrower=thrower,
        lights=SerialLights(link) if link is not None else None,
        buzzer=_buzzer(settings, link, owned),
        evidence=evidence,
        picture_of=parts.camera.picture_of if parts.camera is not None else None,
        now_s=parts.now_s,
    )
    if settings.gpio.led >= 0:
        led = GpioLed(settings.gpio.led)
        owned.callback(led.close)
        table.add_publisher(led)
    if thrower is not None:
        thrower.announce = lambda text: _say_at_table(table, "dice", "ok", text)
        table.add_publisher(thrower)
        if table.match_id and not table.state.ledger.ended:
            thrower.begin(table.match_id)
    if parts.cells is not None:
        parts.cells.tell = lambda state, text: _say_at_table(table, "sensors", state, text)
    return table


def _buttons(settings: Settings, parts: _Parts, owned: contextlib.ExitStack) -> Buttons | None:
    """Return the buttons on the board and on the Raspberry Pi, or None where there are none."""
    sources: list[Buttons] = []
    if parts.link is not None:
        sources.append(SerialButtons(parts.link, parts.table_s))
    pins = {Color.WHITE: settings.gpio.clock_white, Color.BLACK: settings.gpio.clock_black}
    pins = {color: pin for color, pin in pins.items() if pin >= 0}
    if pins:
        own = GpioButtons(pins, parts.now_s)
        owned.callback(own.close)
        sources.append(own)
    if len(sources) > 1:
        return MergedButtons(*sources)
    return sources[0] if sources else None


def _buzzer(settings: Settings, link: SerialLink | None, owned: contextlib.ExitStack) -> Buzzer | None:
    """Return the Raspberry Pi's own buzzer, else the board's, or None."""
    if settings.gpio.buzzer >= 0:
        own = GpioBuzzer(settings.gpio.buzzer)
        owned.callback(own.close)
        return own
    return SerialBuzzer(link) if link is not None else None


def _say_at_table(table: Table, part: str, state: str, text: str) -> None:
    """Put into the match's journal what a part of the table does, as soon as the table has time for it."""

    async def say() -> None:
        table.set_link(part, state)
        with contextlib.suppress(BoardError):
            await table.submit(LinkChanged(part=part, state=state, detail=text))

    task = asyncio.get_running_loop().create_task(say(), name=f"say-{part}")
    _SAYING.add(task)
    task.add_done_callback(_SAYING.discard)


_SAYING: set[asyncio.Task[None]] = set()
"""Sentences under way; the event loop alone would not keep them."""


def _real(settings: Settings, known: Snapshot) -> _Parts:
    """Return the parts of a table whose camera is real, or a recording."""
    port = settings.board.port
    link = None if port == "none" else SerialLink(lambda: candidates(port))
    cells = SensorWatcher(link) if settings.board.sensors and link is not None else None
    dice = SerialDice(link) if link is not None else None
    if cells is not None and not camera_source(settings):
        return _Parts(cells, link, cells, dice)
    source: Source = open_source(camera_source(settings))
    if not source.live:
        source = PlayedBack(source)
    pictures, stands = Tapped(source), _stands(known)
    camera = CameraWatcher(pictures, _field_finder(settings, stands), stands)
    watcher = MergedWatcher(camera, cells) if cells is not None else camera
    return _Parts(watcher, link, cells, dice, camera=camera, pictures=pictures)


def _simulated(settings: Settings, simulation: Simulation, known: Snapshot, owned: contextlib.ExitStack) -> _Parts:
    """Return the parts of a simulated table; its players go on where the journal ends."""
    began_s = time.monotonic()

    def table_s(real_s: float) -> float:
        return began_s + (real_s - began_s) * simulation.speed

    def now_s() -> float:
        return table_s(time.monotonic())

    lack = missing()
    if not lack:
        build()
    board: VirtualBoard = Peer() if lack else EmulatedBoard()
    owned.callback(board.close)
    note = f"the protocol's simulated peer ({lack})" if lack else "the real firmware, in simavr"
    link = SerialLink(board.devices, board.open)
    beginning = Beginning(known.board, known.turn, known.roll) if _going_on(known) else FROM_THE_START
    dice = LegibleDice(SerialDice(link))
    told_by = dice.told if settings.dice.mode == "electronic" else None
    moments = games(simulation.seed + known.seq, beginning=beginning, told=told_by)
    world = SimulatedTable(moments, board, simulation.speed, cells=settings.board.sensors)
    faults = make_faults(board, simulation.faults) if simulation.faults else None
    cells = SensorWatcher(link, now_s) if settings.board.sensors else None
    if cells is not None and settings.camera.source == "none":
        return _Parts(cells, link, cells, dice, now_s, table_s, world, faults, note)
    camera = SimulatedCamera(seed=simulation.seed)
    source = SimulatedSource(camera, lambda: world.scene, settings.camera.frames_hz, now_s)

    def finder(frame: Frame) -> Field:
        size = frame.image.shape[1], frame.image.shape[0]
        return Field.of(camera.corners_px, size, "bottom-right")

    pictures = Tapped(source)
    eyes = CameraWatcher(pictures, finder, beginning.board, now_s)
    watcher = MergedWatcher(eyes, cells, now_s=now_s) if cells is not None else eyes
    return _Parts(watcher, link, cells, dice, now_s, table_s, world, faults, note, eyes, pictures)


def _going_on(known: Snapshot) -> bool:
    """Tell whether a game is in progress after the newest event of the journal."""
    return known.phase in ("rolling", "moving", "offered") and known.turn is not None


def _stands(known: Snapshot) -> Board:
    """Return what stands on the board when the table starts: the game in progress, else the start position."""
    return known.board if _going_on(known) else START_BOARD


def _field_finder(settings: Settings, known: Board) -> Callable[[Frame], Field]:
    """Return what finds the playing surface: the corners of the settings, else markers or the position itself."""
    numbers = settings.camera.corners
    if len(numbers) not in (0, 8):
        raise ConfigError(
            f"camera.corners holds {len(numbers)} numbers; accepted: 8 numbers x,y,x,y,x,y,x,y, or none"
        )
    corners = list(zip(numbers[::2], numbers[1::2], strict=True))
    home = None if settings.camera.white_home == "auto" else settings.camera.white_home

    def finder(frame: Frame) -> Field:
        if not corners:
            return find_field(frame.image, known, home)
        return Field.of(corners, (frame.image.shape[1], frame.image.shape[0]), home)

    return finder


def _wizard(table: Table, parts: _Parts) -> Wizard | None:
    """Return what the wizard's page works on, or None without a camera."""
    camera, pictures = parts.camera, parts.pictures
    if camera is None or pictures is None:
        return None
    lights = SerialLights(parts.link) if parts.link is not None else None
    attempts = Attempts(parts.link, lights, parts.dice)
    return Wizard(
        pictures,
        lambda: _stands(table.snapshot()),
        lambda: camera.calibration,
        camera.register,
        attempts.attempt,
    )


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
        dice=settings.dice.mode,
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
    table: Table, parts: _Parts, settings: Settings, doors: list[Listener], sockets: list[socket.socket]
) -> None:
    """Run the table, its players and its doors until one of them ends."""
    work = {"table": table.run(), "matches": _keep_a_match(table, settings)}
    if parts.world is not None:
        work["players"] = parts.world.run()
    if settings.api.host not in LOOPBACK:
        work["announcing"] = _announce(settings, table.simulated)
    tasks = [asyncio.create_task(job, name=name) for name, job in work.items()]
    faults = asyncio.create_task(parts.faults, name="faults") if parts.faults is not None else None
    serving = asyncio.create_task(serve_all(doors, sockets), name="doors")
    if parts.link is not None:
        _tell_link(table, parts.link)
        parts.link.start()
    try:
        await asyncio.wait([*tasks, serving], return_when=asyncio.FIRST_COMPLETED)
        for task in (*tasks, serving):
            if task.done() and not task.cancelled() and (error := task.exception()) is not None:
                raise error
        await serving
    finally:
        for door in doors:
            door.app.state.context.hub.close()
        under_way = [*tasks, *([faults] if faults is not None else [])]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        if parts.link is not None:
            await asyncio.to_thread(parts.link.close)
        await table.close()


async def _announce(settings: Settings, simulated: bool) -> None:
    """Tell the network that the table is here, as long as it is."""
    api = settings.api
    async with announced(settings.table.id, reachable(api.host), api.port, api.port + 1, simulated):
        await asyncio.Event().wait()


def _tell_link(table: Table, link: SerialLink) -> None:
    """Let the table know how the link to its board is."""
    loop = asyncio.get_running_loop()

    def tell(state: LinkState) -> None:
        loop.call_soon_threadsafe(table.set_link, "board", state.kind)

    link.on_state(tell)


async def _keep_a_match(table: Table, settings: Settings) -> None:
    """Begin the match of the settings when none is in progress, and the next one when it is over."""
    number = 0
    while True:
        if table.snapshot().phase in ("waiting", "match_over"):
            number += 1
            await table.submit(match_started(settings, number))
        await asyncio.sleep(2.0)


def _greet(
    settings: Settings, parts: _Parts, token: str | None, say: Say, faults: tuple[FaultOrder, ...] = ()
) -> None:
    """Print where the pages are, and at the first start the desk's token."""
    host = reachable(settings.api.host)
    address = f"http://{host}:{settings.api.port}/"
    if parts.world is not None:
        say("SIMULATED: no real board, no real players.")
        say(f"The board is {parts.note}.")
        for order in faults:
            say(f"Fault on order: {told(order)}.")
    say(f"Watch the game at   {address}")
    say(f"The desk is at      http://{host}:{settings.api.port + 1}/desk")
    if token is not None:
        say(f"The desk's token, shown only once:  {token}")
    say("\n".join("  " + line for line in _drawn(segno.make(address, error="m"))))


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


def reachable(host: str) -> str:
    """Return the address under which others reach what listens on `host`."""
    return own_address() if host in ("0.0.0.0", "::") else host


def own_address() -> str:
    """Return this computer's address in the local network, without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
