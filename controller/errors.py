"""Everything that Barpoint raises on purpose.

What people do at a table (a hand in the way, a wrong play) is a value, never an exception. The second
parent of each class lets a plain ``except ValueError`` or ``except TimeoutError`` work.
"""

from __future__ import annotations


class BoardError(Exception):
    """Be the root of all errors raised on purpose; the message is one line for a person."""


class RulesError(BoardError):
    """A caller broke the rules of backgammon."""


class InvalidPositionError(RulesError, ValueError):
    """A position that cannot stand: not fifteen checkers a side, both sides on a point."""


class InvalidNotationError(RulesError, ValueError):
    """A text that is no play, roll, position or record."""


class IllegalActionError(RulesError, ValueError):
    """A well-formed play, cube action or resignation that is not allowed here."""


class DeviceError(BoardError):
    """Something plugged in failed."""


class LinkError(DeviceError, ConnectionError):
    """The serial port is gone, or frames are damaged too often."""


class LinkTimeoutError(DeviceError, TimeoutError):
    """No answer in time."""


class FirmwareMismatchError(DeviceError):
    """The protocol versions of controller and firmware differ; the message names both."""


class CameraError(DeviceError, OSError):
    """No frames, or a picture that cannot be read."""


class CalibrationError(BoardError, ValueError):
    """Corners, colors or sensors do not fit the board."""


class StorageError(BoardError, OSError):
    """The journal cannot be read or written: locked, damaged, full, or from a newer version."""


class ConfigError(BoardError, ValueError):
    """A wrong setting; the message names the file, the key and the accepted values."""
