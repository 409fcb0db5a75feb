"""Faults on order at a simulated board: ``drop=1000,garble=500,unplug@30+5,reset@60``.

A fault is a word, a value after ``=`` where it has one, and when it begins after ``@``, seconds from the start;
one that lasts ends so many seconds later as stand after ``+``. Without ``@`` it holds from the start.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Protocol

from controller.errors import ConfigError
from controller.hardware.sensors import CELLS, place_of
from controller.protocol import Cell

WORDS = {
    "drop": "lost bytes per million, both ways",
    "garble": "bytes with a flipped bit per million, both ways",
    "slow": "milliseconds that every answer comes later",
    "silent": "the board hears, but nothing comes back",
    "unplug": "the cable comes out",
    "reset": "the board starts anew",
    "cell": "a sensor cell of this number breaks",
}
VALUED = ("drop", "garble", "slow", "cell")
LASTING = ("drop", "garble", "slow", "silent", "unplug")
UNPLUGGED_S = 5.0
"""How long a cable is out when nothing else is said."""

_FAULT = re.compile(r"(?P<word>[a-z]+)(=(?P<value>\d+))?(@(?P<at>\d+(\.\d+)?))?(\+(?P<lasts>\d+(\.\d+)?))?")


@dataclass(frozen=True, slots=True)
class FaultOrder:
    """One fault.

    Attributes:
        word: one of `WORDS`.
        value: how much, or which; 1 where it has none.
        at_s: when it begins, seconds from the start.
        lasts_s: when it ends after that, or None: never, or at once.
    """

    word: str
    value: int = 1
    at_s: float = 0.0
    lasts_s: float | None = None


def parse_faults(text: str) -> tuple[FaultOrder, ...]:
    """Return the faults that a text orders, in the order of time.

    Example:
        >>> parse_faults("reset@60,drop=1000")
        (FaultOrder(word='drop', value=1000, at_s=0.0, lasts_s=None),
         FaultOrder(word='reset', value=1, at_s=60.0, lasts_s=None))

    Raises:
        ConfigError: a fault is unknown, has no value where it needs one, or one where it needs none.
    """
    return tuple(sorted((_parse(part.strip()) for part in text.split(",")), key=lambda each: each.at_s))


def _parse(part: str) -> FaultOrder:
    found = _FAULT.fullmatch(part)
    if found is None or found["word"] not in WORDS:
        raise ConfigError(f"{part!r} is no fault; accepted: {', '.join(WORDS)}, as in drop=1000 or unplug@30+5")
    word = found["word"]
    if (found["value"] is not None) != (word in VALUED):
        lack = "a value" if word in VALUED else "no value"
        raise ConfigError(f"{part!r}: {word} needs {lack} ({WORDS[word]})")
    if found["lasts"] is not None and word not in LASTING:
        raise ConfigError(f"{part!r}: {word} has no end")
    value = int(found["value"] or 1)
    if word == "cell" and value >= CELLS:
        raise ConfigError(f"{part!r}: cells are 0 to {CELLS - 1}")
    lasts_s = float(found["lasts"]) if found["lasts"] else (UNPLUGGED_S if word == "unplug" else None)
    return FaultOrder(word, value, float(found["at"] or 0.0), lasts_s)


def told(order: FaultOrder) -> str:
    """Return a fault in words, for the person who ordered it."""
    what = WORDS[order.word]
    if order.word == "cell":
        what = f"{place_of(order.value)} breaks"
    elif order.word in VALUED:
        what = f"{order.value} {what}"
    until = f", for {order.lasts_s:g} s" if order.lasts_s is not None else ""
    return f"{what}, after {order.at_s:g} s{until}"


class FaultyBoard(Protocol):
    """A board that is not real and on which something can go wrong."""

    def order(self, line: str) -> None:
        """Do something to the wire or the chip: ``drop``, ``garble``, ``silent``, ``slow`` or ``reset``."""

    def set_cell(self, index: int, cell: Cell) -> None:
        """Break a cell, or put something on it."""

    def unplug(self) -> None:
        """Pull the cable out."""

    def plug(self) -> None:
        """Put the cable in again."""


def begin(board: FaultyBoard, order: FaultOrder) -> None:
    """Let a fault begin."""
    if order.word == "cell":
        board.set_cell(order.value, Cell.FAULT)
    elif order.word == "unplug":
        board.unplug()
    else:
        board.order("reset" if order.word == "reset" else f"{order.word} {order.value}")


def end(board: FaultyBoard, order: FaultOrder) -> None:
    """Let a fault end."""
    if order.word == "unplug":
        board.plug()
    else:
        board.order(f"{order.word} 0")


async def make_faults(board: FaultyBoard, orders: tuple[FaultOrder, ...]) -> None:
    """Let all faults begin and end in time; runs until the last one is over."""

    async def make(order: FaultOrder) -> None:
        await asyncio.sleep(order.at_s)
        begin(board, order)
        if order.lasts_s is not None:
            await asyncio.sleep(order.lasts_s)
            end(board, order)

    async with asyncio.TaskGroup() as group:
        for order in orders:
            group.create_task(make(order))
