"""The pins of a Raspberry Pi that is not there."""

from __future__ import annotations

import time
from types import TracebackType

import gpiozero
from gpiozero.pins.mock import MockFactory


class MockPins:
    """gpiozero's mock factory for a while, with fingers on its pins."""

    def __enter__(self) -> MockPins:
        self._before = gpiozero.Device.pin_factory
        gpiozero.Device.pin_factory = self._factory = MockFactory()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._factory.reset()
        gpiozero.Device.pin_factory = self._before

    def press(self, pin: int) -> None:
        """Close a contact to ground for a while."""
        self._factory.pin(pin).drive_low()
        time.sleep(0.06)
        self._factory.pin(pin).drive_high()

    def bounce(self, pin: int) -> None:
        """Close a contact that opens again a few times before it holds, and once more when it is let go."""
        contact = self._factory.pin(pin)
        for _ in range(4):
            contact.drive_low()
            time.sleep(0.001)
            contact.drive_high()
            time.sleep(0.0005)
        contact.drive_low()
        time.sleep(0.06)
        for _ in range(3):
            contact.drive_high()
            contact.drive_low()
        contact.drive_high()

    def blip(self, pin: int) -> None:
        """Disturb a contact for an instant."""
        self._factory.pin(pin).drive_low()
        self._factory.pin(pin).drive_high()

    def was_high(self, pin: int) -> bool:
        """Tell whether an output was switched on at some time."""
        return any(state.state for state in self._factory.pin(pin).states)

    def is_high(self, pin: int) -> bool:
        """Tell whether an output is on now."""
        return bool(self._factory.pin(pin).state)
