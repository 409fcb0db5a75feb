"""Electronic dice at a table: every roll on the disk before it is seen, none ever made twice.

Beside the journal lies one folder with two files a match: ``<match>.jsonl``, the log that is published and that
``barpoint dice verify`` replays, and ``<match>.seed``, the secret, readable by the table's own user alone until
the last line of the log reveals it.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from controller.errors import StorageError
from controller.hardware.fair_dice import FairDice, commitment
from controller.rules import Color

JournalOf = Callable[[str], Iterable[Mapping[str, Any]]]
"""Returns the journalled events of a match, oldest first."""

Announce = Callable[[str], None]
"""Takes a sentence about the dice that everybody at the table may know; it must not wait for anything."""


class RollLog:
    """The roll log of one match on the disk.

    Args:
        folder: where the logs lie; made when missing.
        match_id: names the match.

    Raises:
        StorageError: it cannot be read or written, or does not fit its secret.
    """

    def __init__(self, folder: Path, match_id: str) -> None:
        name = quote(match_id, safe="")
        self.path = folder / f"{name}.jsonl"
        self._secret = folder / f"{name}.seed"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.dice = FairDice(match_id, self._seed(), self._lines())
        except (OSError, ValueError) as error:
            raise StorageError(f"{self.path}: the dice of this match cannot be used: {error}") from None
        first = self.dice.lines[0]
        if first.get("sha256") != commitment(self.dice.seed):
            raise StorageError(f"{self._secret}: is not the seed that {self.path.name} committed to")
        self.save()

    def _seed(self) -> bytes:
        """Return the secret, drawn once and durable before its commitment is."""
        if self._secret.exists():
            return bytes.fromhex(self._secret.read_text(encoding="ascii"))
        if self.path.exists():
            raise OSError(f"{self._secret.name} is missing")
        seed = secrets.token_bytes(32)
        beside = self._secret.with_suffix(".new")
        with contextlib.suppress(FileNotFoundError):
            beside.unlink()
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as stream:
            stream.write(seed.hex())
            stream.flush()
            os.fsync(stream.fileno())
        beside.rename(self._secret)
        _sync_folder(self._secret.parent)
        return seed

    def _lines(self) -> list[dict[str, Any]]:
        """Return the lines that are whole; a power cut may have left half a line at the end."""
        raw = self.path.read_bytes() if self.path.exists() else b""
        whole = raw[: raw.rfind(b"\n") + 1]
        self._length = len(whole)
        lines = [json.loads(line) for line in whole.splitlines()]
        if not all(isinstance(line, dict) and "type" in line for line in lines):
            raise ValueError("a line of the log is damaged")
        self._saved = len(lines)
        return lines

    def save(self) -> None:
        """Append what is not on the disk yet, and return when it is.

        Raises:
            StorageError: it could not be written; the next call tries again.
        """
        unsaved = self.dice.lines[self._saved :]
        if not unsaved:
            return
        data = "".join(json.dumps(line) + "\n" for line in unsaved).encode()
        try:
            new = not self.path.exists()
            with open(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644), "r+b") as stream:
                stream.truncate(self._length)
                stream.seek(self._length)
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            if new:
                _sync_folder(self.path.parent)
        except OSError as error:
            raise StorageError(f"{self.path}: the roll log cannot be written: {error.strerror}") from None
        self._length += len(data)
        self._saved = len(self.dice.lines)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class FairThrower:
    """Throws the electronic dice of a table (`Thrower`), and follows its events as a `Publisher`.

    Args:
        folder: where the logs lie.
        journal_of: tells what a match's journal holds, to find out after a power cut whether the newest roll of
            the log has become a roll of the game.
        announce: tells the table the commitment before the first roll, and the seed after the match.
    """

    def __init__(self, folder: Path, journal_of: JournalOf, announce: Announce | None = None) -> None:
        self._folder = folder
        self._journal_of = journal_of
        self.announce = announce
        self._log: RollLog | None = None
        self._open_roll: int | None = None

    @property
    def log(self) -> RollLog | None:
        """The log of the match in progress or the last one, None before the first."""
        return self._log

    def lines(self) -> list[dict[str, Any]]:
        """Return the log of the match as it is published; the seed stands in it only after the match."""
        return [] if self._log is None else [dict(line) for line in self._log.dice.lines]

    def begin(self, match_id: str) -> None:
        """Take up a match: commit to a seed before its first roll, or go on where its log ends.

        Raises:
            StorageError: its log cannot be used.
        """
        self._log, self._open_roll = None, None
        self._log = log = RollLog(self._folder, match_id)
        rolls = [line for line in log.dice.lines if line["type"] == "roll"]
        taken = not rolls or any(_is_roll(event, rolls[-1]) for event in self._journal_of(match_id))
        self._open_roll = None if taken else int(rolls[-1]["roll"])
        if self.announce is not None and not rolls:
            self.announce(f"the dice of this match are committed to: SHA-256 {log.dice.lines[0]['sha256']}")

    def throw(self, roll_id: int, player: Color, pressed_s: float) -> tuple[int, int]:
        """Return two fair faces, durable; a roll that was made and never journalled comes again.

        Raises:
            StorageError: no match has begun, or the log cannot be written; nothing may be shown then.
        """
        if self._log is None:
            raise StorageError("the electronic dice have no match to roll for")
        dice = self._log.dice
        number = self._known(roll_id) or self._open_roll or dice.rolls + 1
        if number > dice.rolls:
            self._open_roll = number
        faces = dice.roll(number, player, round(pressed_s * 1e6), roll_id)
        self._log.save()
        return faces

    def _known(self, roll_id: int) -> int | None:
        assert self._log is not None
        for line in self._log.dice.lines:
            if line["type"] == "roll" and line.get("roll_id") == roll_id:
                return int(line["roll"])
        return None

    async def publish(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        """Follow the match: its beginning, rolls that do not count, and its end."""
        kind = event.get("type")
        if kind == "match_start":
            self.begin(str(event["match_id"]))
        if self._log is None:
            return
        if kind in ("roll", "opening_roll") and event.get("source") == "electronic":
            self._open_roll = None
        elif kind == "roll_withdrawn":
            self._mark(self._log, str(event.get("reason", "")))
        elif kind == "correction":
            self._mark(self._log, f"corrected: {event.get('why', '')}")
        elif kind == "match_end":
            self._reveal()

    def _mark(self, log: RollLog, reason: str) -> None:
        """Note which rolls count no more, or again, as the journal has them; one not journalled yet still may."""
        if log.dice.lines[-1]["type"] == "reveal":
            return
        rolls = [line for line in log.dice.lines if line["type"] == "roll"]
        counting = _counting(self._journal_of(log.dice.match_id), rolls) | {self._open_roll}
        for line in rolls:
            log.dice.mark(line["roll"], counts=line["roll"] in counting, reason=reason)
        log.save()

    def _reveal(self) -> None:
        assert self._log is not None
        line = self._log.dice.reveal()
        self._log.save()
        if self.announce is not None:
            self.announce(f"the seed of the dice was {line['seed']}; the log is {self._log.path.name}")


def _counting(journal: Iterable[Mapping[str, Any]], rolls: Sequence[Mapping[str, Any]]) -> set[int | None]:
    """Return the numbers of those rolls of a log that the journal holds, corrected and withdrawn ones left out."""
    held: list[Mapping[str, Any]] = []
    for event in journal:
        if event["type"] == "correction":
            held = [other for other in held if other["seq"] < event["of"]]
        elif event["type"] in ("roll", "opening_roll", "roll_withdrawn"):
            held.append(event)
    counting: set[int | None] = set()
    newest = None
    for event in held:
        if event["type"] == "roll_withdrawn":
            counting.discard(newest)
        else:
            made = (line["roll"] for line in rolls if _is_roll(event, line) and line["roll"] not in counting)
            newest = next(made, None)
            counting.add(newest)
    return counting


def _is_roll(event: Mapping[str, Any], line: Mapping[str, Any]) -> bool:
    """Tell whether a journalled event is the roll of a line of the log."""
    if event.get("source") != "electronic":
        return False
    if event.get("type") == "roll":
        return event.get("roll_id") == line.get("roll_id")
    faces = [event.get("white"), event.get("black")]
    return event.get("type") == "opening_roll" and event["seq"] >= line["roll_id"] and faces == line["dice"]
