"""What a scenario expects of the table: of its events, of its state, and of what its board really shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from controller.rules import Color
from tests.scenarios.world import World

SILENT = ("clock", "link")
"""Types of events that may come between expected ones."""


def expect(table: World, what: str, *options: str) -> None:
    """Check one line.

    Raises:
        AssertionError: it does not hold; says what is there instead.
    """
    if what in CHECKS and not (what == "clock" and any(option.startswith("action=") for option in options)):
        CHECKS[what](table, *options)
    else:
        _event(table, what, *options)


def _event(table: World, what: str, *options: str) -> None:
    queue = table.queue
    while queue and queue[0]["type"] in SILENT and queue[0]["type"] != what:
        queue.pop(0)
    assert queue, f"expected {what}, but nothing came"
    body = queue.pop(0)
    assert body["type"] == what, f"expected {what}, got {_short(body)}"
    for option in options:
        name, value = option.split("=", 1)
        assert _text(name, body.get(name)) == value, f"expected {name}={value}, got {_short(body)}"


def nothing(table: World) -> None:
    """Check that no other event has come."""
    left = [_short(body) for body in table.queue if body["type"] not in SILENT]
    assert not left, f"expected nothing more, got {left}"
    table.queue.clear()


def _refused(table: World, *words: str) -> None:
    assert table.refused, "expected a refusal"
    reason = table.refused.pop()
    assert all(word in reason for word in words), f"refused because {reason!r}"
    table.refused.clear()


def _lights(table: World, *sites: str) -> None:
    lit = [str(site) for site in table.lit()]
    assert lit == ([] if sites == ("none",) else list(sites)), f"lit are {lit}"


def _turn(table: World, player: str) -> None:
    turn = table.turn_light()
    assert (turn.value if turn else "none") == player, f"the turn light is {turn}"


def _dice(table: World, player: str, roll: str = "") -> None:
    shown = {color.value: "".join(str(face) for face in faces) for color, faces in table.dice_shown().items()}
    assert shown == ({} if player == "none" else {player: roll}), f"the dice show {shown}"


def _buzz(table: World, pattern: str) -> None:
    sounded = table.sounds()
    assert (pattern in sounded) if pattern != "none" else not sounded, f"sounded: {sounded}"


def _clock(table: World, *options: str) -> None:
    clock = table.table.snapshot().clock
    assert clock is not None, "there is no clock"
    shown = {
        "white": clock.reserve_s[0],
        "black": clock.reserve_s[1],
        "delay": clock.delay_s,
        "running": clock.running.value if clock.running else "none",
        "paused": clock.paused or "none",
    }
    for option in options:
        name, value = option.split("=", 1)
        there = shown[name]
        right = abs(there - float(value)) < 0.6 if isinstance(there, float) else there == value
        assert right, f"the clock shows {shown}"


def _state(table: World, *options: str) -> None:
    now = table.table.snapshot()
    shown = {
        "phase": now.phase,
        "score": f"{now.score[0]}-{now.score[1]}",
        "roll": str(now.roll) if now.roll else "none",
        "cube": str(now.cube_value),
        "owner": now.cube_owner.value if now.cube_owner else "none",
        "game": str(now.game),
        "crawford": "yes" if now.crawford else "no",
        "turn": now.turn.value if now.turn else "none",
        "question": "none" if now.question is None else now.question["type"],
        "board": str(now.board.seen_by(Color.WHITE)),
        "camera": now.link.get("camera", "none"),
        "link": now.link.get("board", "none"),
    }
    for option in options:
        name, value = option.split("=", 1)
        assert shown[name] == value, f"expected {name}={value}, the state is {shown}"


CHECKS: dict[str, Callable[..., None]] = {
    "nothing": nothing,
    "refused": _refused,
    "lights": _lights,
    "turn": _turn,
    "dice": _dice,
    "buzz": _buzz,
    "clock": _clock,
    "state": _state,
}
"""What can be expected besides an event of some type."""


def _text(name: str, value: Any) -> str:
    """Return a JSON value as a scenario writes it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ("" if name == "roll" else ",").join(str(n) for n in value)
    return str(value)


def _short(body: dict[str, Any]) -> str:
    hidden = ("settings", "position", "keys", "nearest_position", "stands", "moves")
    return str({name: value for name, value in body.items() if name not in hidden and value is not None})
