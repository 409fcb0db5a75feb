"""The table put together on its parts."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from controller.config import Settings
from controller.errors import BoardError
from controller.hardware.attempts import Attempts
from controller.hardware.gpio import GpioButtons, GpioBuzzer, GpioLed
from controller.hardware.link import LinkState, SerialLink
from controller.hardware.merged import MergedButtons
from controller.hardware.parts import SerialButtons, SerialBuzzer, SerialLights, configure
from controller.hardware.thrower import FairThrower
from controller.opponents.seat import Seat
from controller.ports import Buttons, Buzzer, Finding, Part
from controller.rules import Color
from controller.session.facts import LinkChanged
from controller.storage import Evidence, Journal
from controller.table import Table
from controller.wiring.evening import table_rules
from controller.wiring.parts import Parts, stands
from vision.wizard import Wizard


def table_on(
    settings: Settings, parts: Parts, journal: Journal, evidence: Evidence, owned: contextlib.ExitStack
) -> Table:
    """Return the table on its parts."""
    link = parts.link
    if link is not None:
        configure(link, brightness=settings.board.brightness, sensors=settings.board.sensors)
    thrower = None
    if settings.dice.mode == "electronic" or settings.match.computer != "none":
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
        opponent=Seat(settings.match.engine),
        made=table_rules(settings),
        evidence=evidence,
        picture_of=parts.camera.picture_of if parts.camera is not None else None,
        now_s=parts.now_s,
    )
    if parts.hearing is not None:
        table.add_publisher(parts.hearing)
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


def _buttons(settings: Settings, parts: Parts, owned: contextlib.ExitStack) -> Buttons | None:
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


def tell_link(table: Table, link: SerialLink) -> None:
    """Let the table know how the link to its board is, and say in the match when it is lost or back again."""
    loop = asyncio.get_running_loop()
    said = dict(table.state.ledger.links).get("board", "ok")

    def say(state: LinkState) -> None:
        nonlocal said
        table.set_link("board", state.kind)
        if state.kind not in ("searching", said):
            said = state.kind
            _say_at_table(table, "board", state.kind, state.detail)

    def tell(state: LinkState) -> None:
        loop.call_soon_threadsafe(say, state)

    link.on_state(tell)


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


def wizard(table: Table, parts: Parts) -> Wizard | None:
    """Return what the wizard's page works on, or None without a camera."""
    camera, pictures = parts.camera, parts.pictures
    if camera is None or pictures is None:
        return None
    lights = SerialLights(parts.link) if parts.link is not None else None
    attempts = Attempts(parts.link, lights, parts.dice)

    async def attempt(part: Part) -> Finding:
        found = await attempts.attempt(part)
        await table.show_again()
        return found

    return Wizard(
        pictures,
        lambda: stands(table.snapshot()),
        lambda: camera.calibration,
        camera.register,
        attempt,
    )
