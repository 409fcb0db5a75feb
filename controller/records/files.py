"""Match files by their ending: bytes in, a record out, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from controller.errors import InvalidNotationError
from controller.records.mat_read import read_mat
from controller.records.mat_write import write_mat
from controller.records.native import read_json, write_json
from controller.records.record import MatchRecord, Reading, Written
from controller.records.sgf_read import read_sgf
from controller.records.sgf_write import write_sgf

_FORMATS: Mapping[str, tuple[Callable[[str], Reading], Callable[[MatchRecord], Written]]] = {
    ".mat": (read_mat, write_mat),
    ".txt": (read_mat, write_mat),
    ".sgf": (read_sgf, write_sgf),
    ".json": (read_json, write_json),
}
ENDINGS = tuple(_FORMATS)
"""The endings of the match files that can be read and written."""

LARGEST = 32 << 20
"""Bytes of the largest file that is read; a match of a whole evening with its analysis has a few million."""


def decoded(data: bytes) -> str:
    """Return the text of a file: UTF-8 or UTF-16 by its mark, else UTF-8, else Latin-1, which takes all bytes."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _ending_of(name: str) -> str:
    ending = "." + name.rpartition(".")[2].lower()
    if ending not in _FORMATS:
        raise InvalidNotationError(f"{name}: the ending must be one of {', '.join(ENDINGS)}")
    return ending


def read_record(data: bytes, name: str) -> Reading:
    """Read a match file.

    Args:
        data: its bytes.
        name: its name; the ending tells the format.

    Raises:
        InvalidNotationError: an ending that is none of `ENDINGS`, or nothing in it that can be read; the message
            names file, line and reason.
    """
    ending = _ending_of(name)
    if len(data) > LARGEST:
        raise InvalidNotationError(f"{name}: line 1: {len(data)} bytes are more than a match file has")
    try:
        return _FORMATS[ending][0](decoded(data))
    except InvalidNotationError as error:
        raise InvalidNotationError(f"{name}: {error}") from None


def write_record(record: MatchRecord, name: str) -> Written:
    """Write a match for a file whose name ends in one of `ENDINGS`, to be encoded as UTF-8.

    Raises:
        InvalidNotationError: another ending.
    """
    return _FORMATS[_ending_of(name)][1](record)
