"""Parts on the Raspberry Pi's own pins, on gpiozero's mock factory."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

import pytest

from controller.errors import DeviceError
from controller.hardware.gpio import GpioButtons, GpioBuzzer, GpioLed
from controller.ports import Pressed
from controller.rules import Color
from tests.hardware.mock_pins import MockPins
from tests.hardware.waiting import run, wait_for


@pytest.fixture
def pins() -> Iterator[MockPins]:
    with MockPins() as pins:
        yield pins


def test_the_status_light_blinks_while_the_table_asks_something(pins: MockPins) -> None:
    led = GpioLed(17)
    assert pins.is_high(17)
    run(led.publish({}, {"question": {"text": "Which play was made?"}}))
    wait_for(lambda: not pins.is_high(17))
    run(led.publish({}, {"question": None}))
    wait_for(lambda: pins.is_high(17))
    led.close()


def test_silence_keeps_the_buzzer_quiet(pins: MockPins) -> None:
    buzzer = GpioBuzzer(13, silent=True)
    run(buzzer.play("flag"))
    assert not pins.was_high(13)
    buzzer.close()


def test_a_disturbance_is_no_press(pins: MockPins) -> None:
    async def evening() -> bool:
        buttons = GpioButtons({Color.WHITE: 5})
        press: asyncio.Future[Pressed] = asyncio.ensure_future(anext(buttons.presses()))
        await asyncio.sleep(0.02)
        pins.blip(5)
        await asyncio.sleep(0.1)
        came = press.done()
        press.cancel()
        await asyncio.gather(press, return_exceptions=True)
        buttons.close()
        return came

    assert not asyncio.run(evening())


def test_without_gpiozero_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpiozero", None)
    with pytest.raises(DeviceError, match=r"barpoint\[gpio\]"):
        GpioLed(17)


def test_a_pin_that_cannot_be_used_is_named(pins: MockPins) -> None:
    first = GpioLed(17)
    with pytest.raises(DeviceError, match="GPIO17"):
        GpioBuzzer(17)
    first.close()
