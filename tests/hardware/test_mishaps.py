"""What befalls a board in the middle of a roll or a frame, on the real firmware in simavr."""

from __future__ import annotations

import os
import pty
from collections.abc import Iterator

import pytest

from controller.errors import LinkError
from controller.hardware.link import SerialLink, open_serial
from controller.hardware.parts import SerialDice, configure
from controller.hardware.simavr import EmulatedBoard, build
from controller.protocol import DiceRoll, State, encode_message
from controller.rules import Color, Roll
from tests.hardware.waiting import run, wait_for

ROLL_MS = 2000


@pytest.fixture
def board() -> Iterator[EmulatedBoard]:
    build()
    board = EmulatedBoard()
    yield board
    board.close()


@pytest.fixture
def link(board: EmulatedBoard) -> Iterator[SerialLink]:
    link = SerialLink(board.devices, board.open, bauds=(250_000,))
    configure(link, brightness=50, sensors=False)
    yield link
    link.close()


def test_a_board_reset_or_browned_out_in_mid_roll_shows_the_roll_that_was_journalled(
    board: EmulatedBoard, link: SerialLink
) -> None:
    link.start()
    wait_for(lambda: link.state.kind == "ok", timeout_s=30)
    dice = SerialDice(link, roll_ms=ROLL_MS)
    for roll_id, order in enumerate(("reset", "brownout"), start=5):
        run(dice.show(roll_id, Roll(6, 3), Color.BLACK))
        wait_for(lambda: link.ask(State()).result(timeout=20).rolling == 1, timeout_s=30)
        before = board.resets
        board.order(order)
        wait_for(lambda before=before: board.resets > before, timeout_s=30)  # type: ignore[misc]  # bound at once
        wait_for(lambda: board.dice == bytes([0, 0, 6, 3]) and not _rolling(link), timeout_s=30)
        assert link.ask(State()).result(timeout=20).roll_id == roll_id


def _rolling(link: SerialLink) -> bool:
    try:
        return bool(link.ask(State()).result(timeout=20).rolling)
    except LinkError:
        return True


def test_half_a_frame_left_by_another_program_does_not_disturb_the_next_one(
    board: EmulatedBoard, link: SerialLink
) -> None:
    (device,) = board.devices()
    port = open_serial(device, 250_000)
    whole = encode_message(DiceRoll(1, bytes([1, 1, 0, 0]), 0), 1)
    port.write(whole[: len(whole) // 2])
    port.close()
    link.start()
    wait_for(lambda: link.state.kind == "ok", timeout_s=30)
    assert link.ask(State()).result(timeout=20).dice == bytes(4)


def test_a_port_that_another_program_has_open_is_said_to_be_taken() -> None:
    near, far = pty.openpty()
    try:
        first = open_serial(os.ttyname(far), 250_000)
        with pytest.raises(LinkError, match="another program uses it"):
            open_serial(os.ttyname(far), 250_000)
        first.close()
        open_serial(os.ttyname(far), 250_000).close()
    finally:
        os.close(near)
        os.close(far)
