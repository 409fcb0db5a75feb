"""Faults on order: what can be ordered, what is refused, and that the board does it."""

from __future__ import annotations

import asyncio

import pytest

from controller.errors import ConfigError
from controller.hardware.faults import make_faults, parse_faults, told
from controller.protocol import Cell


class Board:
    """Notes what is done to it."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def order(self, line: str) -> None:
        self.done.append(line)

    def set_cell(self, index: int, cell: Cell) -> None:
        self.done.append(f"cell {index} {cell.name}")

    def unplug(self) -> None:
        self.done.append("unplug")

    def plug(self) -> None:
        self.done.append("plug")


def test_faults_begin_and_end_in_time() -> None:
    board = Board()
    orders = parse_faults("drop=1000, unplug@0.05+0.1, silent@0.1+0.1, cell=37@0.3, reset@0.35")
    asyncio.run(make_faults(board, orders))
    assert board.done == [
        "drop 1000",
        "unplug",
        "silent 1",
        "plug",
        "silent 0",
        "cell 37 FAULT",
        "reset",
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("fire", "accepted: drop, garble"),
        ("drop", "needs a value"),
        ("reset=3", "needs no value"),
        ("reset@5+3", "has no end"),
        ("cell=192", "0 to 191"),
        ("drop=1000@", "drop=1000@"),
        ("", "is no fault"),
    ],
)
def test_what_cannot_be_ordered_is_said(text: str, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_faults(text)
    assert says in str(error.value)


def test_an_order_is_told_in_words() -> None:
    (order,) = parse_faults("unplug@30")
    assert told(order) == "the cable comes out, after 30 s, for 5 s"
    (order,) = parse_faults("cell=37@5")
    assert told(order) == "cell 2 of point 7 breaks, after 5 s"
