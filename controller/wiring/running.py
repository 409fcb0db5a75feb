"""A table from its start to its end: parts, doors and tasks in order."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from api.announce import announced
from api.app import create_app, create_desk_app
from api.server import Listener, listen, serve_all
from api.tokens import Tokens
from controller.config import Settings
from controller.errors import CameraError, IllegalActionError
from controller.session.facts import LinkChanged
from controller.storage import Evidence, Journal
from controller.table import Table
from controller.wiring.assembly import table_on, tell_link, wizard
from controller.wiring.club import club_link
from controller.wiring.evening import keep_a_match, match_started
from controller.wiring.greeting import LOOPBACK, Say, greet, reachable
from controller.wiring.parts import Parts
from controller.wiring.real import NO_HARDWARE, camera_source, real_parts
from controller.wiring.simulated import Simulation, simulated_parts

if TYPE_CHECKING:
    from api.mqtt import MqttLink


async def run_table(settings: Settings, simulation: Simulation | None, say: Say) -> None:
    """Run one table until the process is told to stop.

    Args:
        settings: of the table.
        simulation: the simulated evening, or None for real hardware.
        say: prints for the person who started it.

    Raises:
        BoardError: no hardware, a port in use, a journal that is locked or damaged, a setting that does not fit.
    """
    match_started(settings, 0)
    if simulation is None and not camera_source(settings) and not settings.board.sensors:
        raise CameraError(NO_HARDWARE)
    api = settings.api
    path = Path(settings.table.journal)
    with contextlib.ExitStack() as owned:
        sockets = [listen(api.host, port) for port in (api.port, api.port + 1)]
        for each in sockets:
            owned.callback(each.close)
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = path.with_suffix(".evidence.sqlite")
        journal = owned.enter_context(contextlib.closing(Journal.open(path)))
        evidence = owned.enter_context(
            contextlib.closing(Evidence.open(kept, settings.table.evidence_mb * 1_000_000))
        )
        tokens, token = Tokens.open(path.with_suffix(".tokens.json"))
        known = Table(journal).snapshot()
        parts = simulated_parts(settings, simulation, known, owned) if simulation else real_parts(settings, known)
        table = table_on(settings, parts, journal, evidence, owned)
        club = club_link(settings, table, journal)
        viewers = create_app(table, delay_s=api.delay_s, sight=path.with_suffix(".viewers.json"))
        desk = create_desk_app(table, tokens, viewers=viewers, setup=wizard(table, parts))
        doors = [Listener(viewers, api.host, api.port), Listener(desk, api.host, api.port + 1)]
        greet(settings, parts, token, say, simulation.faults if simulation else ())
        await say_what_was_dropped(table, journal, say)
        await serve(table, parts, settings, doors, sockets, club)


async def say_what_was_dropped(table: Table, journal: Journal, say: Say) -> None:
    """Say that an unfinished last event was dropped when the journal was opened, here and in the match itself."""
    if journal.notice is None:
        return
    say(f"Note: {journal.notice}.")
    with contextlib.suppress(IllegalActionError):
        await table.submit(LinkChanged(part="journal", state="recovered", detail=journal.notice))


async def serve(
    table: Table,
    parts: Parts,
    settings: Settings,
    doors: list[Listener],
    sockets: list[socket.socket],
    club: MqttLink | None = None,
) -> None:
    """Run the table, its players and its doors until one of them ends."""
    work = {"table": table.run(), "matches": keep_a_match(table, settings)}
    if club is not None:
        work["club"] = club.run()
    if parts.world is not None:
        work["players"] = parts.world.run()
    if settings.api.host not in LOOPBACK:
        work["announcing"] = _announce(settings, table.simulated)
    tasks = [asyncio.create_task(job, name=name) for name, job in work.items()]
    faults = asyncio.create_task(parts.faults, name="faults") if parts.faults is not None else None
    serving = asyncio.create_task(serve_all(doors, sockets), name="doors")
    if parts.link is not None:
        tell_link(table, parts.link)
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
