"""Messages of the board, generated from firmware/protocol.toml: do not edit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import ClassVar

from controller.protocol.codec import HEADER, Event, Field, Message, Request

MAJOR = 1
MINOR = 0
MAX_PAYLOAD = 160
MAX_REPLY = 64
BAUD = 250000
EVENT_WINDOW = 4
EVENT_RESEND_MS = 50
LINK_LOST_MS = 2000
HEARTBEAT_MS = 500
LIGHT_COUNT = 52
CELL_COUNT = 192
CELLS_PER_MUX = 16
MUX_COUNT = 12
BUTTON_COUNT = 6
DIE_COUNT = 4
CHASE_COUNT = 4
BLINK_BYTES = 7
SNAPSHOT_BYTES = 48
LIGHT_POINTS = range(0, 24)
LIGHT_BAR_WHITE = range(24, 26)
LIGHT_BAR_BLACK = range(26, 28)
LIGHT_TRAY_WHITE = range(28, 32)
LIGHT_TRAY_BLACK = range(32, 36)
LIGHT_TURN_WHITE = range(36, 44)
LIGHT_TURN_BLACK = range(44, 52)


class Chip(IntEnum):
    """Values of the table ``chip``."""

    ATMEGA2560 = 1
    ATMEGA328P = 2
    HOST = 3


class ResetCause(IntEnum):
    """Values of the table ``reset_cause``."""

    POWER_ON = 0
    EXTERNAL = 1
    BROWN_OUT = 2
    WATCHDOG = 3
    ASSERTION = 4


class Calibration(IntEnum):
    """Values of the table ``calibration``."""

    NONE = 0
    VALID = 1
    DAMAGED = 2


class Button(IntEnum):
    """Values of the table ``button``."""

    CLOCK_WHITE = 0
    CLOCK_BLACK = 1
    ROLL_WHITE = 2
    ROLL_BLACK = 3
    DOUBLE_WHITE = 4
    DOUBLE_BLACK = 5


class Edge(IntEnum):
    """Values of the table ``edge``."""

    RELEASED = 0
    PRESSED = 1


class Cell(IntEnum):
    """Values of the table ``cell``."""

    EMPTY = 0
    WHITE = 1
    BLACK = 2
    FAULT = 3


class Fault(IntEnum):
    """Values of the table ``fault``."""

    CELL_OPEN = 1
    CELL_SHORT = 2
    CELL_STUCK = 3
    BUTTON_STUCK = 4
    LIGHT_DARK = 5
    LIGHTS_UNMEASURED = 6
    EEPROM_FAILED = 7


class Pattern(IntEnum):
    """Values of the table ``pattern``."""

    QUIET = 0
    OK = 1
    WRONG = 2
    CALL = 3
    FLAG = 4


class Refusal(IntEnum):
    """Values of the table ``refusal``."""

    UNKNOWN = 1
    LENGTH = 2
    RANGE = 3
    VERSION = 4
    HELLO_FIRST = 5
    BUSY = 6
    UNSUPPORTED = 7


class Parts(IntFlag):
    """What a build of the firmware drives."""

    LIGHTS = 0x0001
    DICE = 0x0002
    BUTTONS = 0x0004
    BUZZER = 0x0008
    SENSORS = 0x0010
    CURRENT_SENSE = 0x0020


@dataclass(frozen=True, slots=True)
class HelloReply(Message):
    """Answer hello.

    Attributes:
        major: protocol version of the board.
        minor: additive revision.
        chip: which one the build is for.
        parts: bits of the table parts.
        lights: length of the chain.
        cells: sensor cells; 0 without the array.
        buttons: contacts.
        max_payload: longest request payload, bytes.
        event_depth: events the board can hold.
        boot_id: differs after every reset.
        reset_cause: why the board last started.
        calibration: what was found in EEPROM.
        oldest_event: number of the oldest event not yet acknowledged.
        uptime_ms: since the reset, in ms.
        build: first eight digits of the source revision; 0 when unknown.
    """

    KIND: ClassVar[int] = 0x81
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("major", 1, 0, 255),
        Field("minor", 1, 0, 255),
        Field("chip", 1, 1, 3, enum=Chip),
        Field("parts", 2, 0, 65535),
        Field("lights", 1, 0, 255),
        Field("cells", 1, 0, 255),
        Field("buttons", 1, 0, 255),
        Field("max_payload", 1, 0, 255),
        Field("event_depth", 1, 0, 255),
        Field("boot_id", 4, 0, 4294967295),
        Field("reset_cause", 1, 0, 4, enum=ResetCause),
        Field("calibration", 1, 0, 2, enum=Calibration),
        Field("oldest_event", 2, 0, 65535),
        Field("uptime_ms", 4, 0, 4294967295),
        Field("build", 4, 0, 4294967295),
    )

    major: int
    minor: int
    chip: Chip
    parts: int
    lights: int
    cells: int
    buttons: int
    max_payload: int
    event_depth: int
    boot_id: int
    reset_cause: ResetCause
    calibration: Calibration
    oldest_event: int
    uptime_ms: int
    build: int


@dataclass(frozen=True, slots=True)
class PingReply(Message):
    """Answer ping.

    Attributes:
        token: of the request.
        at_us: board time when the request was read; wraps after 71.6 minutes, in us.
    """

    KIND: ClassVar[int] = 0x82
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("token", 4, 0, 4294967295),
        Field("at_us", 4, 0, 4294967295),
    )

    token: int
    at_us: int


@dataclass(frozen=True, slots=True)
class StatsReply(Message):
    """Answer stats.

    Attributes:
        executed: requests carried out, repeats not counted.
        repeated: repeated requests answered from the cache.
        refused: requests refused.
        damaged: frames with a wrong checksum or stuffing.
        overlong: frames longer than allowed.
        overruns: bytes the receiver lost.
        ring_full: bytes lost because the receive ring was full.
        events: events made.
        events_lost: events that found no room; each is told by an overflow event.
        events_resent: events sent more than once.
        light_frames: frames sent down the chain.
        passes: complete sensor passes.
        pass_us: length of the last sensor pass, in us.
        loop_us: longest turn of the main loop, in us.
        links_lost: times the host fell silent.
        stack_free: never touched between data and stack, in bytes.
    """

    KIND: ClassVar[int] = 0x83
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("executed", 4, 0, 4294967295),
        Field("repeated", 2, 0, 65535),
        Field("refused", 2, 0, 65535),
        Field("damaged", 2, 0, 65535),
        Field("overlong", 2, 0, 65535),
        Field("overruns", 2, 0, 65535),
        Field("ring_full", 2, 0, 65535),
        Field("events", 4, 0, 4294967295),
        Field("events_lost", 2, 0, 65535),
        Field("events_resent", 2, 0, 65535),
        Field("light_frames", 4, 0, 4294967295),
        Field("passes", 4, 0, 4294967295),
        Field("pass_us", 2, 0, 65535),
        Field("loop_us", 2, 0, 65535),
        Field("links_lost", 2, 0, 65535),
        Field("stack_free", 2, 0, 65535),
    )

    executed: int
    repeated: int
    refused: int
    damaged: int
    overlong: int
    overruns: int
    ring_full: int
    events: int
    events_lost: int
    events_resent: int
    light_frames: int
    passes: int
    pass_us: int
    loop_us: int
    links_lost: int
    stack_free: int


@dataclass(frozen=True, slots=True)
class StateReply(Message):
    """Answer state.

    Attributes:
        generation: of the lights shown.
        roll_id: of the dice shown; 0 when none.
        dice: White's two dice, Black's two; 0 dark; final values.
        rolling: 1 while the dice still tumble.
        changes: cell changes since the reset, modulo 65536.
        brightness: as configured.
        limit_ma: as configured, in mA.
        drawn_ma: computed for the lights now shown, in mA.
        silent: as configured.
        pressed: bit n: button n is held.
    """

    KIND: ClassVar[int] = 0x84
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("generation", 2, 0, 65535),
        Field("roll_id", 4, 0, 4294967295),
        Field("dice", 1, 0, 6, count=4),
        Field("rolling", 1, 0, 1),
        Field("changes", 2, 0, 65535),
        Field("brightness", 1, 0, 255),
        Field("limit_ma", 2, 0, 65535),
        Field("drawn_ma", 2, 0, 65535),
        Field("silent", 1, 0, 1),
        Field("pressed", 1, 0, 255),
    )

    generation: int
    roll_id: int
    dice: bytes
    rolling: int
    changes: int
    brightness: int
    limit_ma: int
    drawn_ma: int
    silent: int
    pressed: int


@dataclass(frozen=True, slots=True)
class ConfigReply(Message):
    """Answer config."""

    KIND: ClassVar[int] = 0x85
    FIELDS: ClassVar[tuple[Field, ...]] = ()


@dataclass(frozen=True, slots=True)
class SelfTestReply(Message):
    """Answer self_test."""

    KIND: ClassVar[int] = 0x86
    FIELDS: ClassVar[tuple[Field, ...]] = ()


@dataclass(frozen=True, slots=True)
class LightsSetReply(Message):
    """Answer lights_set."""

    KIND: ClassVar[int] = 0x90
    FIELDS: ClassVar[tuple[Field, ...]] = ()


@dataclass(frozen=True, slots=True)
class ChaseSetReply(Message):
    """Answer chase_set."""

    KIND: ClassVar[int] = 0x91
    FIELDS: ClassVar[tuple[Field, ...]] = ()


@dataclass(frozen=True, slots=True)
class LightsShowReply(Message):
    """Answer lights_show.

    Attributes:
        generation: of the request.
    """

    KIND: ClassVar[int] = 0x92
    FIELDS: ClassVar[tuple[Field, ...]] = (Field("generation", 2, 0, 65535),)

    generation: int


@dataclass(frozen=True, slots=True)
class DiceShowReply(Message):
    """Answer dice_show.

    Attributes:
        roll_id: of the dice now shown.
    """

    KIND: ClassVar[int] = 0x98
    FIELDS: ClassVar[tuple[Field, ...]] = (Field("roll_id", 4, 0, 4294967295),)

    roll_id: int


@dataclass(frozen=True, slots=True)
class DiceRollReply(Message):
    """Answer dice_roll.

    Attributes:
        roll_id: of the dice now tumbling or shown.
    """

    KIND: ClassVar[int] = 0x99
    FIELDS: ClassVar[tuple[Field, ...]] = (Field("roll_id", 4, 0, 4294967295),)

    roll_id: int


@dataclass(frozen=True, slots=True)
class SnapshotReply(Message):
    """Answer snapshot.

    Attributes:
        changes: cell changes since the reset, modulo 65536.
        cells: two bits per cell of table cell, cell 0 in the lowest bits of byte 0.
    """

    KIND: ClassVar[int] = 0xA0
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("changes", 2, 0, 65535),
        Field("cells", 1, 0, 255, count=48),
    )

    changes: int
    cells: bytes


@dataclass(frozen=True, slots=True)
class RawReply(Message):
    """Answer raw.

    Attributes:
        mux: of the request.
        counts: newest conversion, 1023 is the supply.
    """

    KIND: ClassVar[int] = 0xA1
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("mux", 1, 0, 11),
        Field("counts", 2, 0, 1023, count=16),
    )

    mux: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BaselinesReply(Message):
    """Answer baselines.

    Attributes:
        mux: of the request.
        counts: empty voltage of each cell.
    """

    KIND: ClassVar[int] = 0xA2
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("mux", 1, 0, 11),
        Field("counts", 2, 0, 1023, count=16),
    )

    mux: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CalibrateReply(Message):
    """Answer calibrate."""

    KIND: ClassVar[int] = 0xA3
    FIELDS: ClassVar[tuple[Field, ...]] = ()


@dataclass(frozen=True, slots=True)
class BuzzReply(Message):
    """Answer buzz."""

    KIND: ClassVar[int] = 0xA8
    FIELDS: ClassVar[tuple[Field, ...]] = ()


@dataclass(frozen=True, slots=True)
class Booted(Event):
    """The board has started; always event 0.

    Attributes:
        boot_id: differs after every reset.
        reset_cause: why.
        calibration: what was found in EEPROM.
    """

    KIND: ClassVar[int] = 0xC1
    FIELDS: ClassVar[tuple[Field, ...]] = (
        *HEADER,
        Field("boot_id", 4, 0, 4294967295),
        Field("reset_cause", 1, 0, 4, enum=ResetCause),
        Field("calibration", 1, 0, 2, enum=Calibration),
    )

    boot_id: int
    reset_cause: ResetCause
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class ButtonChanged(Event):
    """A button was pressed or let go; at_us is the first edge of the bounce.

    Attributes:
        button: which.
        edge: what happened.
    """

    KIND: ClassVar[int] = 0xC2
    FIELDS: ClassVar[tuple[Field, ...]] = (
        *HEADER,
        Field("button", 1, 0, 5, enum=Button),
        Field("edge", 1, 0, 1, enum=Edge),
    )

    button: Button
    edge: Edge


@dataclass(frozen=True, slots=True)
class CellChanged(Event):
    """A cell settled on something else; a trigger, the snapshot is the truth.

    Attributes:
        index: mux x 16 + channel.
        before: what it was.
        after: what it is.
        changes: the counter of snapshot after this change.
    """

    KIND: ClassVar[int] = 0xC3
    FIELDS: ClassVar[tuple[Field, ...]] = (
        *HEADER,
        Field("index", 1, 0, 191),
        Field("before", 1, 0, 3, enum=Cell),
        Field("after", 1, 0, 3, enum=Cell),
        Field("changes", 2, 0, 65535),
    )

    index: int
    before: Cell
    after: Cell
    changes: int


@dataclass(frozen=True, slots=True)
class Rolled(Event):
    """The dice have come to rest.

    Attributes:
        roll_id: of the roll.
        dice: as shown.
    """

    KIND: ClassVar[int] = 0xC4
    FIELDS: ClassVar[tuple[Field, ...]] = (
        *HEADER,
        Field("roll_id", 4, 0, 4294967295),
        Field("dice", 1, 0, 6, count=4),
    )

    roll_id: int
    dice: bytes


@dataclass(frozen=True, slots=True)
class FaultChanged(Event):
    """Something is broken, or works again.

    Attributes:
        fault: what.
        index: of the part, see table fault.
        active: 1 broken, 0 works again.
    """

    KIND: ClassVar[int] = 0xC5
    FIELDS: ClassVar[tuple[Field, ...]] = (
        *HEADER,
        Field("fault", 1, 1, 7, enum=Fault),
        Field("index", 1, 0, 255),
        Field("active", 1, 0, 1),
    )

    fault: Fault
    index: int
    active: int


@dataclass(frozen=True, slots=True)
class Overflow(Event):
    """Events found no room and are gone; read snapshot and state.

    Attributes:
        presses: button events lost.
        others: other events lost.
    """

    KIND: ClassVar[int] = 0xC6
    FIELDS: ClassVar[tuple[Field, ...]] = (
        *HEADER,
        Field("presses", 2, 0, 65535),
        Field("others", 2, 0, 65535),
    )

    presses: int
    others: int


@dataclass(frozen=True, slots=True)
class Calibrated(Event):
    """Calibration ended and both copies are in EEPROM.

    Attributes:
        good: cells learned.
        bad: cells that did not read empty; each has a fault event.
    """

    KIND: ClassVar[int] = 0xC7
    FIELDS: ClassVar[tuple[Field, ...]] = (
        *HEADER,
        Field("good", 1, 0, 255),
        Field("bad", 1, 0, 255),
    )

    good: int
    bad: int


@dataclass(frozen=True, slots=True)
class SelfTested(Event):
    """The self-test ended; what it found came before as fault events.

    Attributes:
        measured: 1 when the current of the lights could be measured.
        dark: lights that drew no current.
        stuck: buttons held down.
        cells: cells with a fault.
    """

    KIND: ClassVar[int] = 0xC8
    FIELDS: ClassVar[tuple[Field, ...]] = (
        *HEADER,
        Field("measured", 1, 0, 1),
        Field("dark", 1, 0, 255),
        Field("stuck", 1, 0, 255),
        Field("cells", 1, 0, 255),
    )

    measured: int
    dark: int
    stuck: int
    cells: int


@dataclass(frozen=True, slots=True)
class Refused(Message):
    """The request was not carried out.

    Attributes:
        kind: of the request.
        reason: why.
    """

    KIND: ClassVar[int] = 0xFF
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("kind", 1, 0, 255),
        Field("reason", 1, 1, 7, enum=Refusal),
    )

    kind: int
    reason: Refusal


@dataclass(frozen=True, slots=True)
class Hello(Request[HelloReply]):
    """Introduce the host. The board answers even when the major versions differ, and then refuses the rest.

    Attributes:
        major: protocol version of the host.
        minor: additive revision.
    """

    KIND: ClassVar[int] = 0x01
    REPLY: ClassVar[type[Message] | None] = HelloReply
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("major", 1, 0, 255),
        Field("minor", 1, 0, 255),
    )

    major: int
    minor: int


@dataclass(frozen=True, slots=True)
class Ping(Request[PingReply]):
    """Be heard, and read the board's clock.

    Attributes:
        token: comes back unchanged.
    """

    KIND: ClassVar[int] = 0x02
    REPLY: ClassVar[type[Message] | None] = PingReply
    FIELDS: ClassVar[tuple[Field, ...]] = (Field("token", 4, 0, 4294967295),)

    token: int


@dataclass(frozen=True, slots=True)
class Stats(Request[StatsReply]):
    """Read the counters; all start at 0 with a reset and stop at their greatest value."""

    KIND: ClassVar[int] = 0x03
    REPLY: ClassVar[type[Message] | None] = StatsReply
    FIELDS: ClassVar[tuple[Field, ...]] = ()


@dataclass(frozen=True, slots=True)
class State(Request[StateReply]):
    """Read what the board shows now."""

    KIND: ClassVar[int] = 0x04
    REPLY: ClassVar[type[Message] | None] = StateReply
    FIELDS: ClassVar[tuple[Field, ...]] = ()


@dataclass(frozen=True, slots=True)
class Config(Request[ConfigReply]):
    """Set brightness, current cap, silence and sensors; not kept over a reset, the host sends it again.

    Attributes:
        brightness: scales every light, 255 is full.
        limit_ma: cap on the current of all lights, in mA.
        silent: 1: the buzzer stays quiet.
        sensors: 1: a sensor array is fitted; report its cells and faults.
    """

    KIND: ClassVar[int] = 0x05
    REPLY: ClassVar[type[Message] | None] = ConfigReply
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("brightness", 1, 0, 255),
        Field("limit_ma", 2, 100, 3200),
        Field("silent", 1, 0, 1),
        Field("sensors", 1, 0, 1),
    )

    brightness: int
    limit_ma: int
    silent: int
    sensors: int


@dataclass(frozen=True, slots=True)
class SelfTest(Request[SelfTestReply]):
    """Measure the current of every light alone, look for stuck buttons and cells; ends with event self_tested."""

    KIND: ClassVar[int] = 0x06
    REPLY: ClassVar[type[Message] | None] = SelfTestReply
    FIELDS: ClassVar[tuple[Field, ...]] = ()


@dataclass(frozen=True, slots=True)
class LightsSet(Request[LightsSetReply]):
    """Prepare the colors of some lights; nothing changes before lights_show.

    Attributes:
        first: index of the first light.
        rgb: red, green, blue of each light.
    """

    KIND: ClassVar[int] = 0x10
    REPLY: ClassVar[type[Message] | None] = LightsSetReply
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("first", 1, 0, 51),
        Field("rgb", 1, 0, 255, count=3, tail=True, stride=3, most=156),
    )

    first: int
    rgb: bytes


@dataclass(frozen=True, slots=True)
class ChaseSet(Request[ChaseSetReply]):
    """Prepare one running light between two lights along the points; the bar and trays are their ends.

    Attributes:
        slot: which chase.
        origin: light where it starts.
        target: light where it ends.
        red: 0 to 255.
        green: 0 to 255.
        blue: 0 to 255.
    """

    KIND: ClassVar[int] = 0x11
    REPLY: ClassVar[type[Message] | None] = ChaseSetReply
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("slot", 1, 0, 3),
        Field("origin", 1, 0, 35),
        Field("target", 1, 0, 35),
        Field("red", 1, 0, 255),
        Field("green", 1, 0, 255),
        Field("blue", 1, 0, 255),
    )

    slot: int
    origin: int
    target: int
    red: int
    green: int
    blue: int


@dataclass(frozen=True, slots=True)
class LightsShow(Request[LightsShowReply]):
    """Show what was prepared, all at once.

    Attributes:
        generation: comes back in state.
        blink: bit n of byte n / 8: light n blinks.
        blink_ms: one period: half on, half off, in ms.
        chases: bit n: chase slot n runs.
        step_ms: time per step of a chase, in ms.
    """

    KIND: ClassVar[int] = 0x12
    REPLY: ClassVar[type[Message] | None] = LightsShowReply
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("generation", 2, 0, 65535),
        Field("blink", 1, 0, 255, count=7),
        Field("blink_ms", 2, 100, 5000),
        Field("chases", 1, 0, 15),
        Field("step_ms", 2, 20, 1000),
    )

    generation: int
    blink: bytes
    blink_ms: int
    chases: int
    step_ms: int


@dataclass(frozen=True, slots=True)
class DiceShow(Request[DiceShowReply]):
    """Show dice at once, without a roll; four zeros put them out.

    Attributes:
        roll_id: of the roll; 0 for none.
        dice: White's two dice, Black's two; 0 dark.
    """

    KIND: ClassVar[int] = 0x18
    REPLY: ClassVar[type[Message] | None] = DiceShowReply
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("roll_id", 4, 0, 4294967295),
        Field("dice", 1, 0, 6, count=4),
    )

    roll_id: int
    dice: bytes


@dataclass(frozen=True, slots=True)
class DiceRoll(Request[DiceRollReply]):
    """Tumble the dice that have a value and end on it, with event rolled; a roll_id known changes nothing.

    Attributes:
        roll_id: of the roll.
        dice: White's two dice, Black's two; 0 stays dark.
        duration_ms: how long they tumble, in ms.
    """

    KIND: ClassVar[int] = 0x19
    REPLY: ClassVar[type[Message] | None] = DiceRollReply
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("roll_id", 4, 1, 4294967295),
        Field("dice", 1, 0, 6, count=4),
        Field("duration_ms", 2, 0, 3000),
    )

    roll_id: int
    dice: bytes
    duration_ms: int


@dataclass(frozen=True, slots=True)
class Snapshot(Request[SnapshotReply]):
    """Read every cell."""

    KIND: ClassVar[int] = 0x20
    REPLY: ClassVar[type[Message] | None] = SnapshotReply
    FIELDS: ClassVar[tuple[Field, ...]] = ()


@dataclass(frozen=True, slots=True)
class Raw(Request[RawReply]):
    """Read the voltages of one mux, for the calibration page.

    Attributes:
        mux: cells mux x 16 to mux x 16 + 15.
    """

    KIND: ClassVar[int] = 0x21
    REPLY: ClassVar[type[Message] | None] = RawReply
    FIELDS: ClassVar[tuple[Field, ...]] = (Field("mux", 1, 0, 11),)

    mux: int


@dataclass(frozen=True, slots=True)
class Baselines(Request[BaselinesReply]):
    """Read the calibrated empty voltages of one mux.

    Attributes:
        mux: cells mux x 16 to mux x 16 + 15.
    """

    KIND: ClassVar[int] = 0x22
    REPLY: ClassVar[type[Message] | None] = BaselinesReply
    FIELDS: ClassVar[tuple[Field, ...]] = (Field("mux", 1, 0, 11),)

    mux: int


@dataclass(frozen=True, slots=True)
class Calibrate(Request[CalibrateReply]):
    """Learn the empty voltage of every cell of an empty board and keep it; ends with event calibrated."""

    KIND: ClassVar[int] = 0x23
    REPLY: ClassVar[type[Message] | None] = CalibrateReply
    FIELDS: ClassVar[tuple[Field, ...]] = ()


@dataclass(frozen=True, slots=True)
class Buzz(Request[BuzzReply]):
    """Play a pattern; silent mode ignores it.

    Attributes:
        pattern: which.
    """

    KIND: ClassVar[int] = 0x28
    REPLY: ClassVar[type[Message] | None] = BuzzReply
    FIELDS: ClassVar[tuple[Field, ...]] = (Field("pattern", 1, 0, 4, enum=Pattern),)

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class EventsAck(Request[Message]):
    """Confirm all events up to a number; gets no reply.

    Attributes:
        boot: low half of the boot id the events belong to.
        number: of the newest event taken in order.
    """

    KIND: ClassVar[int] = 0x3F
    REPLY: ClassVar[type[Message] | None] = None
    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("boot", 2, 0, 65535),
        Field("number", 2, 0, 65535),
    )

    boot: int
    number: int


MESSAGES: dict[int, type[Message]] = {
    0x01: Hello,
    0x81: HelloReply,
    0x02: Ping,
    0x82: PingReply,
    0x03: Stats,
    0x83: StatsReply,
    0x04: State,
    0x84: StateReply,
    0x05: Config,
    0x85: ConfigReply,
    0x06: SelfTest,
    0x86: SelfTestReply,
    0x10: LightsSet,
    0x90: LightsSetReply,
    0x11: ChaseSet,
    0x91: ChaseSetReply,
    0x12: LightsShow,
    0x92: LightsShowReply,
    0x18: DiceShow,
    0x98: DiceShowReply,
    0x19: DiceRoll,
    0x99: DiceRollReply,
    0x20: Snapshot,
    0xA0: SnapshotReply,
    0x21: Raw,
    0xA1: RawReply,
    0x22: Baselines,
    0xA2: BaselinesReply,
    0x23: Calibrate,
    0xA3: CalibrateReply,
    0x28: Buzz,
    0xA8: BuzzReply,
    0x3F: EventsAck,
    0xC1: Booted,
    0xC2: ButtonChanged,
    0xC3: CellChanged,
    0xC4: Rolled,
    0xC5: FaultChanged,
    0xC6: Overflow,
    0xC7: Calibrated,
    0xC8: SelfTested,
    0xFF: Refused,
}
"""Every message by its kind."""

__all__ = [
    "BAUD",
    "BLINK_BYTES",
    "BUTTON_COUNT",
    "CELLS_PER_MUX",
    "CELL_COUNT",
    "CHASE_COUNT",
    "DIE_COUNT",
    "EVENT_RESEND_MS",
    "EVENT_WINDOW",
    "HEARTBEAT_MS",
    "LIGHT_BAR_BLACK",
    "LIGHT_BAR_WHITE",
    "LIGHT_COUNT",
    "LIGHT_POINTS",
    "LIGHT_TRAY_BLACK",
    "LIGHT_TRAY_WHITE",
    "LIGHT_TURN_BLACK",
    "LIGHT_TURN_WHITE",
    "LINK_LOST_MS",
    "MAJOR",
    "MAX_PAYLOAD",
    "MAX_REPLY",
    "MESSAGES",
    "MINOR",
    "MUX_COUNT",
    "SNAPSHOT_BYTES",
    "Baselines",
    "BaselinesReply",
    "Booted",
    "Button",
    "ButtonChanged",
    "Buzz",
    "BuzzReply",
    "Calibrate",
    "CalibrateReply",
    "Calibrated",
    "Calibration",
    "Cell",
    "CellChanged",
    "ChaseSet",
    "ChaseSetReply",
    "Chip",
    "Config",
    "ConfigReply",
    "DiceRoll",
    "DiceRollReply",
    "DiceShow",
    "DiceShowReply",
    "Edge",
    "EventsAck",
    "Fault",
    "FaultChanged",
    "Hello",
    "HelloReply",
    "LightsSet",
    "LightsSetReply",
    "LightsShow",
    "LightsShowReply",
    "Overflow",
    "Parts",
    "Pattern",
    "Ping",
    "PingReply",
    "Raw",
    "RawReply",
    "Refusal",
    "Refused",
    "ResetCause",
    "Rolled",
    "SelfTest",
    "SelfTestReply",
    "SelfTested",
    "Snapshot",
    "SnapshotReply",
    "State",
    "StateReply",
    "Stats",
    "StatsReply",
]
