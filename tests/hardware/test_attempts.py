"""What the wizard tries out really happens on the board: simulated, and the real firmware in simavr."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from controller.hardware.attempts import Attempts
from controller.hardware.parts import SerialDice, SerialLights
from controller.ports import Finding, Part
from controller.protocol import Button
from tests.hardware.rigs import LINKED, Rig
from tests.hardware.waiting import wait_for


@pytest.fixture(params=LINKED)
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    made = Rig(request.param)
    yield made
    made.close()


def attempts_on(rig: Rig) -> Attempts:
    return Attempts(rig.link, SerialLights(rig.link), SerialDice(rig.link))


async def attempt(rig: Rig, part: Part) -> tuple[Finding, set[int], set[bytes]]:
    """Try out a part; return what is said, which lights were on meanwhile, and what the dice showed."""
    lit: set[int] = set()
    dice: set[bytes] = set()
    task = asyncio.create_task(attempts_on(rig).attempt(part))
    while not task.done():
        lit |= rig.lit.keys()
        assert rig.board is not None
        dice.add(bytes(rig.board.dice))
        await asyncio.sleep(0.005)
    return await task, lit, dice


def test_a_light_walks_over_every_point(rig: Rig) -> None:
    found, lit, _ = asyncio.run(attempt(rig, "lights"))
    assert found.ok
    assert len(lit) >= 24
    wait_for(lambda: not rig.lit)


def test_the_dice_show_what_is_said(rig: Rig) -> None:
    found, _, dice = asyncio.run(attempt(rig, "dice"))
    assert found.ok
    assert "6 and 1" in found.text
    assert len([shown for shown in dice if any(shown)]) >= 1


def test_the_button_that_was_pressed_is_named(rig: Rig) -> None:
    async def scenario() -> Finding:
        task = asyncio.create_task(attempts_on(rig).attempt("buttons"))
        await asyncio.sleep(0.2)
        await asyncio.to_thread(rig.press, Button.DOUBLE_BLACK)
        return await task

    found = asyncio.run(scenario())
    assert found == Finding("buttons", True, "Black's double button was pressed.")


def test_the_link_says_where_the_board_is(rig: Rig) -> None:
    found, _, _ = asyncio.run(attempt(rig, "link"))
    assert found.ok
    assert "protocol 1.0" in found.text


def test_without_a_board_it_says_what_to_set() -> None:
    for part in ("link", "lights", "dice", "buttons"):
        found = asyncio.run(Attempts(None, None, None).attempt(part))
        assert not found.ok
        assert "board.port" in found.text


def test_no_press_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.hardware.attempts.PRESS_WITHIN_S", 0.1)
    rig = Rig("peer")
    found, _, _ = asyncio.run(attempt(rig, "buttons"))
    assert not found.ok
    assert "No button" in found.text
    rig.close()
