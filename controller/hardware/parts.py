"""The board's parts behind the table's ports: lights, dice, buttons and buzzer on one link."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

from controller.board import Site
from controller.hardware.link import SerialLink
from controller.ports import Light, Pressed
from controller.protocol import (
    Button,
    ButtonChanged,
    Buzz,
    ChaseSet,
    Config,
    DiceRoll,
    DiceShow,
    Edge,
    Event,
    LightsSet,
    LightsShow,
    Pattern,
)
from controller.rules import Color, Roll

LIGHTS = 52
POINT_LIGHTS = range(24)
TURN_LIGHTS = {Color.WHITE: range(36, 44), Color.BLACK: range(44, 52)}
TURN_RGB = (0, 70, 20)
"""Where each group lies along the chain: firmware/protocol.toml, ``[lights]``."""

CHASES = 4
BLINK_MS = 800
STEP_MS = 90
ROLL_MS = 700

BUTTONS = {
    Button.CLOCK_WHITE: ("clock", Color.WHITE),
    Button.CLOCK_BLACK: ("clock", Color.BLACK),
    Button.ROLL_WHITE: ("roll", Color.WHITE),
    Button.ROLL_BLACK: ("roll", Color.BLACK),
    Button.DOUBLE_WHITE: ("double", Color.WHITE),
    Button.DOUBLE_BLACK: ("double", Color.BLACK),
}


class SerialLights:
    """The lights under the points and at the players' edges (`PointLights`)."""

    def __init__(self, link: SerialLink) -> None:
        self._link = link
        self._generation = 0

    async def show(self, lights: Mapping[Site, Light], turn: Color | None = None) -> None:
        """Light exactly these sites and the turn light of `turn`; every other light goes out."""
        rgb = bytearray(3 * LIGHTS)
        blink = bytearray(7)
        chases: list[ChaseSet] = []
        for site, light in lights.items():
            index = site - 1
            if light.effect == "chase" and light.towards is not None and len(chases) < CHASES:
                chases.append(ChaseSet(len(chases), index, light.towards - 1, *light.rgb))
                continue
            rgb[3 * index : 3 * index + 3] = bytes(light.rgb)
            if light.effect == "blink":
                blink[index // 8] |= 1 << index % 8
        for index in TURN_LIGHTS[turn] if turn is not None else ():
            rgb[3 * index : 3 * index + 3] = bytes(TURN_RGB)
        self._generation = (self._generation + 1) % 65536
        running = (1 << len(chases)) - 1
        show = LightsShow(self._generation, bytes(blink), BLINK_MS, running, STEP_MS)
        self._link.want("lights", LightsSet(0, bytes(rgb)), *chases, show)


class SerialDice:
    """The electronic dice, a pair for each player (`DiceSource`)."""

    def __init__(self, link: SerialLink, roll_ms: int = ROLL_MS) -> None:
        self._link = link
        self._roll_ms = roll_ms
        self._shown: tuple[int, bytes] = (0, bytes(4))

    async def show(self, roll_id: int, roll: Roll, player: Color) -> None:
        """Let the player's dice tumble and end on exactly this roll; the same `roll_id` again only shows it."""
        faces = bytes(roll)
        dice = faces + bytes(2) if player is Color.WHITE else bytes(2) + faces
        if self._shown == (roll_id, dice):
            return
        self._shown = roll_id, dice
        self._link.want("dice", DiceRoll(roll_id, dice, self._roll_ms))

    async def clear(self) -> None:
        """Put out all dice."""
        self._shown = 0, bytes(4)
        self._link.want("dice", DiceShow(0, bytes(4)))


class SerialButtons:
    """The players' buttons (`Buttons`); a press counts from its first edge on the board's own clock.

    Args:
        link: to the board.
        table_s: turns the link's monotonic time into the table's, which may run faster at a simulated table.
    """

    def __init__(self, link: SerialLink, table_s: Callable[[float], float] = float) -> None:
        self._table_s = table_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._early: list[Pressed] = []
        self._queue: asyncio.Queue[Pressed] = asyncio.Queue()
        link.on_event(self._happened)

    def _happened(self, event: Event, at_s: float) -> None:
        if not isinstance(event, ButtonChanged) or event.edge is not Edge.PRESSED:
            return
        button, player = BUTTONS[event.button]
        press = Pressed(button, player, self._table_s(at_s))
        if self._loop is None:
            self._early.append(press)
        else:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, press)

    async def presses(self) -> AsyncIterator[Pressed]:
        """Yield each press exactly once, in order, until cancelled."""
        self._loop = asyncio.get_running_loop()
        early, self._early = self._early, []
        try:
            for press in early:
                yield press
            while True:
                yield await self._queue.get()
        finally:
            self._loop = None


class SerialBuzzer:
    """The sounder (`Buzzer`)."""

    def __init__(self, link: SerialLink) -> None:
        self._link = link

    async def play(self, pattern: str) -> None:
        """Play ``"ok"``, ``"wrong"``, ``"call"`` or ``"flag"``; the board's silent mode ignores it."""
        self._link.ask(Buzz(Pattern[pattern.upper()]))


def configure(
    link: SerialLink, *, brightness: int, sensors: bool, silent: bool = False, limit_ma: int = 1000
) -> None:
    """Set the board up; kept over resets by the link.

    Args:
        link: to the board.
        brightness: of all lights, 0 to 255.
        sensors: whether a sensor array is fitted.
        silent: whether the buzzer stays quiet.
        limit_ma: cap on the current of all lights, milliamperes.
    """
    link.want("config", Config(brightness, limit_ma, int(silent), int(sensors)))


__all__ = ["SerialButtons", "SerialBuzzer", "SerialDice", "SerialLights", "configure"]
