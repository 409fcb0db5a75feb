"""A check-up of the board: does it answer, how well, and what does its self-test name?"""

from __future__ import annotations

import queue
import statistics
import time
from dataclasses import dataclass
from typing import Literal, TypeVar

from controller.errors import BoardError
from controller.hardware.link import SerialLink
from controller.hardware.parts import BUTTONS
from controller.hardware.sensors import place_of
from controller.protocol import (
    Button,
    Calibrate,
    Calibrated,
    Calibration,
    Event,
    Fault,
    FaultChanged,
    HelloReply,
    Message,
    Parts,
    Ping,
    ResetCause,
    SelfTest,
    SelfTested,
    Stats,
    StatsReply,
)

ANSWER_S = 12.0
"""How long a board may need to be found and to answer: ports and rates are tried, and it starts anew."""

TEST_S = 15.0
PINGS = 20
SLOW_S = 0.020
"""A median round trip beyond this makes clock presses and dice feel late."""

LIGHT_GROUPS = (
    (24, "point {}"),
    (26, "White's bar, light {}"),
    (28, "Black's bar, light {}"),
    (32, "White's tray, light {}"),
    (36, "Black's tray, light {}"),
    (44, "White's turn light, light {}"),
    (52, "Black's turn light, light {}"),
)
"""Where the groups of the chain end, and their names: firmware/protocol.toml, ``[lights]``."""

CELL_FAULTS = {
    Fault.CELL_OPEN: "has no contact",
    Fault.CELL_SHORT: "is shorted",
    Fault.CELL_STUCK: "does not read empty",
}

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a check-up.

    Attributes:
        part: what was looked at.
        state: ``"ok"``, ``"warn"`` (works, but not as it should) or ``"fail"``.
        text: what was found, one plain sentence.
        todo: what to do about it; empty when it is in order.
    """

    part: str
    state: Literal["ok", "warn", "fail"]
    text: str
    todo: str = ""


def light_name(index: int) -> str:
    """Return where a light of the chain lies, in words.

    Example:
        >>> light_name(0), light_name(25), light_name(44)
        ('point 1', "White's bar, light 2", "Black's turn light, light 1")
    """
    first = 0
    for end, name in LIGHT_GROUPS:
        if index < end:
            return name.format(index - first + 1)
        first = end
    return f"light {index}, which no Barpoint board has"


def fault_name(fault: Fault, index: int) -> str:
    """Return a fault in words."""
    if fault in CELL_FAULTS:
        return f"{place_of(index)} {CELL_FAULTS[fault]}"
    match fault:
        case Fault.BUTTON_STUCK:
            name, player = BUTTONS[Button(index)]
            return f"{player.value.capitalize()}'s {name} button is held down"
        case Fault.LIGHT_DARK:
            return f"the light at {light_name(index)} stays dark"
        case Fault.LIGHTS_UNMEASURED:
            return "the lights cannot be measured (no current shunt)"
    return "the board cannot keep its calibration (EEPROM)"


class Checkup:
    """Checks one board.

    Args:
        link: to the board, not started yet; it is started here and closed by its owner.
        answer_s: how long the board may need to answer.
    """

    def __init__(self, link: SerialLink, answer_s: float = ANSWER_S) -> None:
        self._link = link
        self._answer_s = answer_s
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        link.on_event(lambda event, at_s: self._events.put(event))

    def run(self, *, sensors: bool) -> list[Finding]:
        """Return what was found; takes a few seconds.

        Args:
            sensors: whether a sensor array is fitted.
        """
        self._link.start()
        until_s = time.monotonic() + self._answer_s
        while self._link.state.kind != "ok" and time.monotonic() < until_s:
            time.sleep(0.05)
        state = self._link.state
        if state.kind != "ok" or self._link.board is None:
            return [Finding("board", "fail", state.detail, _remedy(state.kind))]
        found = [Finding("board", "ok", f"{state.detail}, {_described(self._link.board)}")]
        try:
            found += self._conversation()
            found += self._self_test()
        except BoardError as error:
            found.append(Finding("board", "fail", f"the board stopped answering: {error}", _remedy("lost")))
        if sensors:
            found += _array(self._link.board)
        return found

    def calibrate(self) -> Finding:
        """Let the board learn the empty voltage of every cell; nothing may lie on it.

        Raises:
            BoardError: it does not answer.
        """
        self._link.ask(Calibrate()).result(timeout=self._answer_s)
        done, faults = self._until(Calibrated)
        if done is None:
            return Finding("cells", "fail", "the calibration did not end", "reset the board and try again")
        if done.bad:
            return Finding("cells", "fail", "; ".join(faults), "take everything off these cells, or check them")
        return Finding("cells", "ok", f"{done.good} cells learned what empty is")

    def _conversation(self) -> list[Finding]:
        trips = []
        for token in range(PINGS):
            began_s = time.monotonic()
            self._link.ask(Ping(token)).result(timeout=self._answer_s)
            trips.append(time.monotonic() - began_s)
        median_s = statistics.median(trips)
        text = (
            f"{PINGS} questions answered, {median_s * 1e3:.1f} ms at the median, {max(trips) * 1e3:.0f} ms at most"
        )
        slow = Finding("wire", "warn", text, "use another cable or USB port; do not share it with a camera")
        found = [slow if median_s > SLOW_S else Finding("wire", "ok", text)]
        stats: Message = self._link.ask(Stats()).result(timeout=self._answer_s)
        if isinstance(stats, StatsReply):
            found.append(_counted(stats))
        return found

    def _self_test(self) -> list[Finding]:
        self._link.ask(SelfTest()).result(timeout=self._answer_s)
        done, faults = self._until(SelfTested)
        if done is None:
            return [Finding("self-test", "fail", "the self-test did not end", "reset the board and try again")]
        found = [Finding("self-test", "fail", name, "check this part and its wire") for name in faults]
        if not found:
            lights = "all lights draw current" if done.measured else "lights not measured"
            found.append(Finding("self-test", "ok", f"{lights}, no button is stuck, no cell is broken"))
        if not done.measured:
            unmeasured = fault_name(Fault.LIGHTS_UNMEASURED, 0)
            found = [each for each in found if each.text != unmeasured]
            found.append(Finding("lights", "warn", unmeasured, "look whether all 52 light up, or fit the shunt"))
        return found

    def _until(self, kind: type[E]) -> tuple[E | None, list[str]]:
        """Return the event that ends a test, and the faults that came before it."""
        faults: list[str] = []
        until_s = time.monotonic() + TEST_S
        while (left_s := until_s - time.monotonic()) > 0:
            try:
                event = self._events.get(timeout=left_s)
            except queue.Empty:
                break
            if isinstance(event, FaultChanged):
                name = fault_name(event.fault, event.index)
                faults = [each for each in faults if each != name] + ([name] if event.active else [])
            elif isinstance(event, kind):
                return event, faults
        return None, faults


def _described(board: HelloReply) -> str:
    """Return what kind of board it is, in words."""
    parts = ", ".join(part.name.lower() for part in Parts if part.name and board.parts & part)
    cause = ResetCause(board.reset_cause).name.lower().replace("_", " ")
    return f"{board.chip.name.lower()}, build {board.build:08x}, with {parts}; last started by {cause}"


def _counted(stats: StatsReply) -> Finding:
    """Return what the board's own counters say."""
    wrong = {
        "damaged frames": stats.damaged,
        "bytes lost": stats.overruns + stats.ring_full,
        "events lost": stats.events_lost,
    }
    text = ", ".join(f"{count} {name}" for name, count in wrong.items() if count)
    if text:
        return Finding(
            "counters", "warn", f"since its start the board counts {text}", "use a shorter, shielded cable"
        )
    return Finding("counters", "ok", f"no frame damaged and no byte lost in {stats.executed} requests")


def _array(board: HelloReply) -> list[Finding]:
    if not board.parts & Parts.SENSORS:
        return [Finding("cells", "fail", "this board has no sensor array", "set board.sensors = false")]
    if board.calibration is Calibration.VALID:
        return [Finding("cells", "ok", f"{board.cells} cells, calibrated")]
    kind = "not calibrated" if board.calibration is Calibration.NONE else "their calibration is damaged"
    todo = "take all checkers off and run barpoint doctor --calibrate-cells"
    return [Finding("cells", "warn", f"{board.cells} cells, {kind}", todo)]


def _remedy(kind: str) -> str:
    if kind == "mismatch":
        return "run barpoint flash"
    return "check cable and power; run barpoint flash on a new board; set board.port in barpoint.toml"
