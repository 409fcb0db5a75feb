"""Trying out the parts of a board from the wizard: one sentence each about what happened."""

from __future__ import annotations

import asyncio

from controller.board import SITES
from controller.errors import LinkError
from controller.hardware.link import SerialLink
from controller.ports import DiceSource, Finding, Light, Part, PointLights
from controller.protocol import Button, ButtonChanged, Edge, Event, Ping
from controller.rules import Color, Roll

PRESS_WITHIN_S = 10.0
ROLL_ID = 0xFFFFFFFF
"""Of the trial roll; no roll of a match has it."""


class Attempts:
    """Tries out one part after the other.

    Args:
        link: to the board, or None where there is none.
        lights: the board's lights.
        dice: the board's electronic dice.
    """

    def __init__(self, link: SerialLink | None, lights: PointLights | None, dice: DiceSource | None) -> None:
        self._link = link
        self._lights = lights
        self._dice = dice
        self._waiting: asyncio.Future[Button] | None = None
        if link is not None:
            link.on_event(self._happened)

    async def attempt(self, part: Part) -> Finding:
        """Try out one part of the board."""
        if self._link is None or self._lights is None or self._dice is None:
            return Finding(part, False, "No board is set up; set board.port in the settings.")
        if self._link.state.kind != "ok":
            return Finding(part, False, f"The board does not answer: {self._link.state.detail}.")
        try:
            return await self._tried(part, self._link, self._lights, self._dice)
        except LinkError as error:
            return Finding(part, False, f"The link was lost meanwhile: {error}.")

    async def _tried(self, part: Part, link: SerialLink, lights: PointLights, dice: DiceSource) -> Finding:
        if part == "link":
            await asyncio.wrap_future(link.ask(Ping(1)))
            return Finding(part, True, f"{link.state.detail[0].upper()}{link.state.detail[1:]}.")
        if part == "lights":
            for site in SITES:
                await lights.show({site: Light((60, 160, 60))})
                await asyncio.sleep(0.08)
            await lights.show({})
            return Finding(part, True, "A light has walked from point 1 to point 24; did every point light up?")
        if part == "dice":
            await dice.show(ROLL_ID, Roll(6, 1), Color.WHITE)
            await asyncio.sleep(2.0)
            await dice.clear()
            return Finding(part, True, "White's dice have shown 6 and 1.")
        return await self._pressed()

    async def _pressed(self) -> Finding:
        """Wait for any button, and say which one it was."""
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(PRESS_WITHIN_S):
                button = await self._waiting
        except TimeoutError:
            return Finding("buttons", False, f"No button was pressed within {PRESS_WITHIN_S:.0f} seconds.")
        kind, _, side = button.name.partition("_")
        return Finding("buttons", True, f"{side.capitalize()}'s {kind.lower()} button was pressed.")

    def _happened(self, event: Event, _: float) -> None:
        """Take one event in the link's thread."""
        waiting = self._waiting
        if isinstance(event, ButtonChanged) and event.edge is Edge.PRESSED and waiting is not None:
            waiting.get_loop().call_soon_threadsafe(_settle, waiting, event.button)


def _settle(waiting: asyncio.Future[Button], button: Button) -> None:
    if not waiting.done():
        waiting.set_result(button)
