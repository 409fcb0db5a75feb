"""Settings: one TOML file, every key overridable by an environment variable ``BARPOINT_<SECTION>_<KEY>``.

`deploy/barpoint.toml` is the documented sample. A wrong key or value is a `ConfigError` that names the file, the
key and what is accepted.
"""

from __future__ import annotations

import dataclasses
import os
import tomllib
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from controller.errors import ConfigError, RulesError
from controller.rules.profiles import KEYS, profile

WhiteHome = Literal["auto", "bottom-right", "bottom-left", "top-right", "top-left"]


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Which table this is and where its journal lives.

    Attributes:
        id: letters, digits and dashes.
        journal: the file.
        evidence_mb: how much of the disk pictures and readings may take beside it, millions of bytes; the oldest
            go first.
    """

    id: str = "table-1"
    journal: str = "journal/barpoint.sqlite"
    evidence_mb: int = 2000


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """Where the pictures come from.

    Attributes:
        source: ``auto`` (first USB camera, else none), ``none``, ``usb:0``, ``pi``, ``simulated``, or the path
            of a folder of frames or of a video.
        corners: eight numbers x,y,x,y,x,y,x,y in pixels, or empty: found by markers or the start position.
        white_home: where White's home board lies in the rectified picture.
        frames_hz: how many pictures a second are looked at.
    """

    source: str = "auto"
    corners: tuple[float, ...] = ()
    white_home: WhiteHome = "auto"
    frames_hz: float = 8.0


@dataclass(frozen=True, slots=True)
class BoardSettings:
    """The Barpoint board on the serial port.

    Attributes:
        port: ``auto``, ``none``, ``simulated`` or a device such as ``/dev/ttyACM0``.
        sensors: whether the sensor array is read.
        brightness: of all lights, 0 to 255.
    """

    port: str = "auto"
    sensors: bool = False
    brightness: int = 96


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """The match that starts when the table starts.

    Attributes:
        rules: name of a rule profile.
        length: points to win; 0 for money play or a single game, -1 for what the rules say.
        white: name of the player with the lighter checkers.
        black: name of the other player.
        computer: whom the computer plays: ``none``, ``white`` or ``black``.
        level: how well it plays, a name that `barpoint rules` offers; empty for the weakest that the rules offer.
        engine: ``auto`` (GNU Backgammon for the best levels where it is installed), ``own`` or ``gnubg``.
    """

    rules: str = "international"
    length: int = -1
    white: str = "White"
    black: str = "Black"
    computer: Literal["none", "white", "black"] = "none"
    level: str = ""
    engine: Literal["auto", "own", "gnubg"] = "auto"


@dataclass(frozen=True, slots=True)
class DiceSettings:
    """Where rolls come from.

    Attributes:
        mode: ``camera`` (real dice, read), ``electronic`` (the table's own), ``keyed`` (real dice, entered at a
            page) or ``manual`` (real dice, told by the play alone).
    """

    mode: Literal["camera", "electronic", "keyed", "manual"] = "camera"


@dataclass(frozen=True, slots=True)
class GpioSettings:
    """Parts wired straight to the Raspberry Pi, by BCM number; -1 for a part that is not there.

    Attributes:
        clock_white: White's clock button, to ground.
        clock_black: Black's.
        led: status light.
        buzzer: active buzzer.
    """

    clock_white: int = -1
    clock_black: int = -1
    led: int = -1
    buzzer: int = -1


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """What ends a turn and what the table does about a wrong play.

    Attributes:
        signals: any of ``clock``, ``dice``, ``roll``, ``quiet``.
        quiet_s: seconds without any change that count as the end of a turn.
        moves_policy: ``strict``, ``legal``, ``responsible`` or ``condoned``; ``rules``: as the rules say.
        hints: teaching lights: ``off``, ``points``, ``checkers`` or ``all``; ``rules``: as the rules say. A
            tournament has none.
        early_roll: a roll thrown before the opponent's turn has ended ``stands``, or is ``withdrawn`` and thrown
            again.
        sound: whether the table may sound.
    """

    signals: tuple[str, ...] = ("clock", "dice")
    quiet_s: float = 4.0
    moves_policy: Literal["rules", "strict", "legal", "responsible", "condoned"] = "rules"
    hints: Literal["rules", "off", "points", "checkers", "all"] = "rules"
    early_roll: Literal["stands", "withdrawn"] = "stands"
    sound: bool = True


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """The clock.

    Attributes:
        kind: ``rules`` (as the rules say), ``none``, ``delay`` (simple delay and a reserve), or how many seconds a
            whole turn may last.
        delay_s: free time of each turn with a delay, seconds; -1: as the rules say.
        minutes_a_point: reserve for each point of the match; -1: as the rules say.
    """

    kind: str = "rules"
    delay_s: float = -1.0
    minutes_a_point: float = -1.0


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """Where the pages are served.

    Attributes:
        host: address to listen on; ``0.0.0.0`` for the whole network.
        port: of the pages for viewers; the desk listens on the next one.
        delay_s: how long viewers see the game later than the table.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ClubSettings:
    """The club that this table belongs to.

    Attributes:
        broker: ``mqtt://HOST[:PORT]`` or ``mqtts://HOST[:PORT]`` of its MQTT 5 broker; empty: none.
        id: name of the club in the broker's topics.
        username: at the broker; empty: the table's name.
        password: at the broker.
        ca: file with the certificate that signed the broker's; empty: those of the system.
    """

    broker: str = ""
    id: str = "club"
    username: str = ""
    password: str = ""
    ca: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a table, one section a part; `rules` are single keys of the profile that hold instead."""

    table: TableSettings = field(default_factory=TableSettings)
    camera: CameraSettings = field(default_factory=CameraSettings)
    board: BoardSettings = field(default_factory=BoardSettings)
    gpio: GpioSettings = field(default_factory=GpioSettings)
    dice: DiceSettings = field(default_factory=DiceSettings)
    match: MatchSettings = field(default_factory=MatchSettings)
    rules: Mapping[str, Any] = field(default_factory=dict)
    turn: TurnSettings = field(default_factory=TurnSettings)
    clock: ClockSettings = field(default_factory=ClockSettings)
    api: ApiSettings = field(default_factory=ApiSettings)
    club: ClubSettings = field(default_factory=ClubSettings)


def load_settings(path: Path | None, environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of a file, or the defaults without one, with the environment over them.

    Args:
        path: a TOML file, or None for the defaults.
        environment: by default the process's own.

    Raises:
        ConfigError: the file cannot be read, a key is unknown, or a value is not accepted.
    """
    tables = _read(path) if path is not None else {}
    environment = os.environ if environment is None else environment
    hints = typing.get_type_hints(Settings)
    where = str(path) if path is not None else "the defaults"
    _refuse_unknown(tables, hints, where, "section")
    sections = {}
    for name, kind in hints.items():
        table = tables.get(name, {})
        if not isinstance(table, dict):
            raise ConfigError(f"{where}: [{name}] must be a table")
        if name != "rules":
            sections[name] = _section(name, kind, table, where, environment)
    sections["rules"] = _rules(sections["match"].rules, tables.get("rules", {}), where, environment)
    return Settings(**sections)


def _rules(base: str, table: Mapping[str, Any], where: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the keys that hold instead of those of the profile `base`, as values.

    Raises:
        ConfigError: there is no such profile or key, or a value is not accepted.
    """
    prefix = "BARPOINT_RULES_"
    told = {
        name.removeprefix(prefix).lower(): text for name, text in environment.items() if name.startswith(prefix)
    }
    try:
        profile(base)
    except RulesError as error:
        raise ConfigError(f"{where}: match.rules: {error}") from None
    values: dict[str, Any] = {}
    for place, given in ((f"{where}: [rules]", table), (f"environment: {prefix}*", told)):
        try:
            rules = profile(base, **{**values, **given})
        except RulesError as error:
            raise ConfigError(f"{place}: {error}") from None
        names = {"may_pass" if name == "pass" else name for name in given}
        values.update({name: getattr(rules, name) for name in KEYS if name in names})
    return values


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as stream:
            return tomllib.load(stream)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: is not TOML: {error}") from None


def _refuse_unknown(table: Mapping[str, Any], known: Mapping[str, Any], where: str, what: str) -> None:
    for key in table:
        if key not in known:
            raise ConfigError(f"{where}: unknown {what} {key!r}; accepted: {', '.join(known)}")


def _section(name: str, kind: Any, table: dict[str, Any], where: str, environment: Mapping[str, str]) -> Any:
    """Return one section's value from its table and the environment."""
    hints = typing.get_type_hints(kind)
    _refuse_unknown(table, hints, f"{where} [{name}]", "key")
    values = {key: _value(hints[key], given, f"{where}: {name}.{key}") for key, given in table.items()}
    prefix = f"BARPOINT_{name.upper()}_"
    for variable, text in environment.items():
        if variable.startswith(prefix):
            key = variable.removeprefix(prefix).lower()
            if key not in hints:
                raise ConfigError(f"environment: unknown key {variable}; accepted: {', '.join(hints)}")
            values[key] = _value(hints[key], _from_text(hints[key], text), f"environment: {variable}")
    return dataclasses.replace(kind(), **values)


def _from_text(kind: Any, text: str) -> Any:
    """Return the value that a text of the environment stands for; what does not fit stays a text."""
    if typing.get_origin(kind) is tuple:
        item = typing.get_args(kind)[0]
        return [_from_text(item, part.strip()) for part in text.split(",") if part.strip()]
    if kind is bool:
        return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(
            text.lower(), text
        )
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            return text
    return text


def _value(kind: Any, given: Any, where: str) -> Any:
    """Return a value that fits a field's type.

    Raises:
        ConfigError: it does not; the message says what is accepted.
    """
    if typing.get_origin(kind) is Literal:
        accepted = typing.get_args(kind)
        if str(given) not in accepted:
            raise ConfigError(f"{where} is {given!r}; accepted: {', '.join(accepted)}")
        return str(given)
    if typing.get_origin(kind) is tuple:
        if not isinstance(given, list):
            raise ConfigError(f"{where} is {given!r}; accepted: a list")
        return tuple(_value(typing.get_args(kind)[0], item, where) for item in given)
    if kind is float and type(given) is int:
        return float(given)
    if type(given) is not kind:
        names = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
        raise ConfigError(f"{where} is {given!r}; accepted: {names[kind]}")
    return given
