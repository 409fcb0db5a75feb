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

from controller.errors import ConfigError

WhiteHome = Literal["auto", "bottom-right", "bottom-left", "top-right", "top-left"]


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Which table this is and where its journal lives."""

    id: str = "table-1"
    journal: str = "journal/barpoint.sqlite"


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
    """The match that starts when the table starts."""

    rules: str = "international"
    length: int = 5
    white: str = "White"
    black: str = "Black"


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
        moves_policy: ``legal``, ``responsible`` or ``condoned``.
        hints: whether teaching hints are lit; a tournament has none.
    """

    signals: tuple[str, ...] = ("clock", "dice")
    quiet_s: float = 4.0
    moves_policy: Literal["legal", "responsible", "condoned"] = "legal"
    hints: bool = False


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """The clock: ``none``, ``delay`` (simple delay and a reserve), ``20`` or ``40`` seconds a turn."""

    kind: Literal["none", "delay", "20", "40"] = "none"
    delay_s: float = 12.0
    minutes_a_point: float = 2.0


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
class Settings:
    """All settings of a table, one section a part."""

    table: TableSettings = field(default_factory=TableSettings)
    camera: CameraSettings = field(default_factory=CameraSettings)
    board: BoardSettings = field(default_factory=BoardSettings)
    gpio: GpioSettings = field(default_factory=GpioSettings)
    dice: DiceSettings = field(default_factory=DiceSettings)
    match: MatchSettings = field(default_factory=MatchSettings)
    turn: TurnSettings = field(default_factory=TurnSettings)
    clock: ClockSettings = field(default_factory=ClockSettings)
    api: ApiSettings = field(default_factory=ApiSettings)


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
        sections[name] = _section(name, kind, table, where, environment)
    return Settings(**sections)


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
