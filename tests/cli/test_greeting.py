"""What a person sees at the start: where the pages are, and the token, for eyes and for a phone's camera."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import cv2
import numpy as np

from controller.config import Settings
from controller.wiring.greeting import greet
from controller.wiring.parts import Parts

HALVES = {"█": (255, 255), "▀": (255, 0), "▄": (0, 255), " ": (0, 0)}


def decoded(drawn: str) -> str:
    """Return the text of a QR code in half blocks, as the camera of a phone sees it."""
    lines = [line[2:] for line in drawn.splitlines()]
    rows = [[HALVES[glyph][half] for glyph in line] for line in lines for half in (0, 1)]
    picture = np.kron(np.array(rows, np.uint8), np.ones((8, 8), np.uint8))
    text, _, _ = cv2.QRCodeDetector().detectAndDecode(cv2.copyMakeBorder(picture, 40, 40, 40, 40, 0, value=255))
    return str(text)


def greeted(token: str | None) -> list[str]:
    said: list[str] = []
    parts = cast(Parts, SimpleNamespace(world=None, note=""))
    greet(Settings(), parts, token, said.append)
    return said


def test_the_address_and_the_token_can_be_scanned() -> None:
    said = greeted("barpoint_Ab-3_xYz0123456789")
    codes = [text for text in said if "▀" in text]
    assert [decoded(code) for code in codes] == ["http://127.0.0.1:8080/", "barpoint_Ab-3_xYz0123456789"]


def test_without_a_new_token_nothing_is_said_of_it() -> None:
    said = greeted(None)
    assert not any("token" in text for text in said)
    assert len([text for text in said if "▀" in text]) == 1
