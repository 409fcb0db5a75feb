"""The journal and the evidence on disk, so that a match survives a power cut.

The journal is one SQLite file in write-ahead mode with ``synchronous=FULL``: `Journal.append` returns when the
events are on the disk. Rows are never changed: triggers refuse it, and each row carries the SHA-256 of the one
before, so that a changed past is found at the next start. The evidence (pictures and readings) lies in a second
file with a budget; losing it loses no match.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import sqlite3
import struct
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from controller.errors import StorageError

SCHEMA_VERSION = 1
NO_PREVIOUS = "0" * 64
"""What the first event of a match names as the hash of its predecessor."""

_JOURNAL_SCHEMA = f"""
CREATE TABLE event (
    match_id TEXT NOT NULL,
    seq INTEGER NOT NULL CHECK (seq > 0),
    at TEXT NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)),
    prev_sha256 TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (match_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE match (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    match_id TEXT NOT NULL UNIQUE,
    at TEXT NOT NULL
) STRICT;
CREATE TRIGGER event_is_final BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER event_stays BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER match_is_final BEFORE UPDATE ON match
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER match_stays BEFORE DELETE ON match
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
PRAGMA user_version = {SCHEMA_VERSION};
"""

_EVIDENCE_SCHEMA = """
CREATE TABLE IF NOT EXISTS evidence (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    match_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    frame TEXT NOT NULL,
    at TEXT NOT NULL,
    reading TEXT NOT NULL,
    picture BLOB NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS evidence_of_event ON evidence (match_id, seq);
"""


@contextlib.contextmanager
def _said_plainly(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system say into one `StorageError` line that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(f"{path}: {error}") from error
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(f"{path}: {error.strerror or error}") from error


def _canonical(event: Mapping[str, Any]) -> str:
    return json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _hash(previous: str, match_id: str, seq: int, at: str, body: str) -> str:
    return hashlib.sha256("\n".join((previous, match_id, str(seq), at, body)).encode()).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Journal:
    """The append-only list of what happened, match by match, each with events numbered 1, 2, 3, ...

    Safe to use from several threads; one process at a time may write.

    Attributes:
        path: the file.
        notice: one plain sentence when an unfinished last record was dropped at opening, else None.
    """

    def __init__(
        self, path: Path, connection: sqlite3.Connection, lock: IO[str] | None, notice: str | None
    ) -> None:
        self.path = path
        self.notice = notice
        self._connection = connection
        self._lock_file = lock
        self._guard = threading.Lock()
        self._tips: dict[str, tuple[int, str]] = {}

    @classmethod
    def open(cls, path: Path | str, *, read_only: bool = False) -> Journal:
        """Open or create a journal and check that its past is unchanged.

        Raises:
            StorageError: another process writes it, it comes from a newer version, it is no journal, an event
                was changed, or the disk refuses.
        """
        path = Path(path)
        if read_only and not path.exists():
            raise StorageError(f"{path}: no such journal")
        with _said_plainly(path), contextlib.ExitStack() as undo:
            lock = None
            if not read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
                lock = _lock(path)
                undo.callback(lock.close)
            notice = _torn_tail(path)
            connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5.0)
            undo.callback(connection.close)
            _prepare(connection, path, read_only=read_only)
            journal = cls(path, connection, lock, notice)
            journal.verify()
            undo.pop_all()
            return journal

    def append(self, *events: Mapping[str, Any], match_id: str) -> int:
        """Make events durable, all or none, and return the number of the last one.

        An event that carries ``seq`` must carry the next number; others are given it.

        Raises:
            StorageError: a wrong number, the disk is full or failing; then nothing was written.
        """
        with self._guard, _said_plainly(self.path):
            seq, previous = self._tip(match_id)
            rows, at = [], _now()
            for event in events:
                seq += 1
                if event.get("seq", seq) != seq:
                    raise StorageError(f"{self.path}: event {event['seq']} does not follow {match_id}:{seq - 1}")
                body = _canonical({**event, "seq": seq})
                sha256 = _hash(previous, match_id, seq, at, body)
                rows.append((match_id, seq, at, body, previous, sha256))
                previous = sha256
            with self._transaction():
                if rows and rows[0][1] == 1:
                    self._connection.execute("INSERT INTO match (match_id, at) VALUES (?, ?)", (match_id, at))
                self._connection.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._tips[match_id] = (seq, previous)
            return seq

    def events(self, match_id: str, after: int = 0, limit: int | None = 100) -> list[dict[str, Any]]:
        """Return the events with numbers above `after`, at most `limit` of them, as they were appended."""
        with self._guard, _said_plainly(self.path):
            rows = self._connection.execute(
                "SELECT body FROM event WHERE match_id = ? AND seq > ? ORDER BY seq LIMIT ?",
                (match_id, after, -1 if limit is None else limit),
            ).fetchall()
        return [json.loads(body) for (body,) in rows]

    def written_at(self, match_id: str, seq: int) -> str | None:
        """Return when an event was written, as RFC 3339 in UTC, or None when there is no such event."""
        with self._guard, _said_plainly(self.path):
            row = self._connection.execute(
                "SELECT at FROM event WHERE match_id = ? AND seq = ?", (match_id, seq)
            ).fetchone()
        return None if row is None else str(row[0])

    def matches(self) -> list[str]:
        """Return the ids of all matches, oldest first."""
        with self._guard, _said_plainly(self.path):
            return [row[0] for row in self._connection.execute("SELECT match_id FROM match ORDER BY number")]

    def last_seq(self, match_id: str) -> int:
        """Return the number of the last event of a match, 0 when there is none."""
        with self._guard, _said_plainly(self.path):
            return self._tip(match_id)[0]

    def verify(self) -> None:
        """Check the hash chain of every match.

        Raises:
            StorageError: names the first event that was changed, removed or put in.
        """
        with self._guard, _said_plainly(self.path):
            expected, previous, current = 1, NO_PREVIOUS, None
            rows = self._connection.execute(
                "SELECT match_id, seq, at, body, prev_sha256, sha256 FROM event ORDER BY match_id, seq"
            )
            for match_id, seq, at, body, prev_sha256, sha256 in rows:
                if match_id != current:
                    expected, previous, current = 1, NO_PREVIOUS, match_id
                right = _hash(previous, match_id, seq, at, body)
                if seq != expected or prev_sha256 != previous or sha256 != right:
                    raise StorageError(f"{self.path}: the journal was changed at event {match_id}:{seq}")
                expected, previous = seq + 1, sha256

    def close(self) -> None:
        """Close the file and let others write it."""
        with self._guard:
            self._connection.close()
            if self._lock_file is not None:
                self._lock_file.close()

    def _tip(self, match_id: str) -> tuple[int, str]:
        if match_id not in self._tips:
            row = self._connection.execute(
                "SELECT seq, sha256 FROM event WHERE match_id = ? ORDER BY seq DESC LIMIT 1", (match_id,)
            ).fetchone()
            self._tips[match_id] = (0, NO_PREVIOUS) if row is None else (row[0], row[1])
        return self._tips[match_id]

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # a full disk has already rolled it back
                self._connection.execute("ROLLBACK")
            raise


def _lock(path: Path) -> IO[str]:
    """Take the lock file of a journal; the system frees it when the process ends, however it ends."""
    lock = open(path.with_name(path.name + ".lock"), "a+", encoding="ascii")  # noqa: SIM115  # held by the journal
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        owner = lock.read().strip() or "another process"
        lock.close()
        raise StorageError(f"{path}: in use by {owner}; only one process may write a journal") from None
    lock.truncate(0)
    lock.write(f"process {os.getpid()}")
    lock.flush()
    return lock


def _prepare(connection: sqlite3.Connection, path: Path, *, read_only: bool) -> None:
    """Set the connection up, create the tables in a new file, refuse a file that is not ours."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA_VERSION:
        raise StorageError(
            f"{path}: written by a newer Barpoint (journal version {version}, this one reads {SCHEMA_VERSION})"
        )
    if version == 0 and connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        raise StorageError(f"{path}: a database, but not a Barpoint journal")
    if read_only:
        if version == 0:
            raise StorageError(f"{path}: empty, not a journal")
        connection.execute("PRAGMA query_only = ON")
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    if version == 0:
        connection.executescript("BEGIN IMMEDIATE;" + _JOURNAL_SCHEMA + "COMMIT;")


_WAL_HEADER = 32
_FRAME_HEADER = 24


def _torn_tail(path: Path) -> str | None:
    """Return one sentence when the write-ahead file ends in a record that was never finished.

    SQLite drops such a tail by itself, without a word; a director wants to know. The file is a header of 32
    bytes and frames of 24 bytes and one page each; the frames of one commit carry the salt of the header, and
    the last one of them the new size of the database (https://www.sqlite.org/fileformat2.html#walformat).
    """
    wal = path.with_name(path.name + "-wal")
    try:
        data = wal.read_bytes()
    except FileNotFoundError:
        return None
    if not data:
        return None
    if len(data) < _WAL_HEADER:
        return f"{path}: an unfinished last record ({len(data)} bytes) was dropped"
    magic, _, page_size = struct.unpack_from(">III", data, 0)
    order = ">" if magic & 1 else "<"
    salt, sums = data[16:24], _wal_sums(data[:24], order, (0, 0))
    committed, at = _WAL_HEADER, _WAL_HEADER
    if struct.unpack_from(">II", data, 24) != sums:
        return f"{path}: an unfinished last record ({len(data)} bytes) was dropped"
    step = _FRAME_HEADER + page_size
    while at + step <= len(data) and data[at + 8 : at + 16] == salt:
        sums = _wal_sums(data[at : at + 8], order, sums)
        sums = _wal_sums(data[at + _FRAME_HEADER : at + step], order, sums)
        if struct.unpack_from(">II", data, at + 16) != sums:
            break
        at += step
        if struct.unpack_from(">I", data, at - step + 4)[0]:
            committed = at
    ours = data[at + 8 : at + 16] == salt or len(data) % step != _WAL_HEADER % step
    if at == committed and (at == len(data) or not ours):
        return None
    return f"{path}: an unfinished last record ({len(data) - committed} bytes) was dropped"


def _wal_sums(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """Continue the running checksum of a write-ahead file over `data`, a multiple of eight bytes."""
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One settled frame that was kept.

    Attributes:
        number: names it in `Evidence.picture`.
        match_id: the match it belongs to.
        seq: number of the last event before it.
        frame: name of the picture.
        at: when it was kept, RFC 3339 in UTC.
        reading: what was read in it, JSON values.
    """

    number: int
    match_id: str
    seq: int
    frame: str
    at: str
    reading: dict[str, Any]


class Evidence:
    """Pictures and readings beside the journal, within a disk budget; the oldest go first."""

    def __init__(self, path: Path, connection: sqlite3.Connection, budget_bytes: int) -> None:
        self.path = path
        self.budget_bytes = budget_bytes
        self._connection = connection
        self._guard = threading.Lock()
        self._bytes = int(connection.execute("SELECT coalesce(sum(bytes), 0) FROM evidence").fetchone()[0])

    @classmethod
    def open(cls, path: Path | str, budget_bytes: int = 2_000_000_000) -> Evidence:
        """Open or create the store; one that is too large for a smaller budget is cut at the next frame.

        Raises:
            StorageError: it is no such store, or the disk refuses.
        """
        path = Path(path)
        with _said_plainly(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5.0)
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.executescript(_EVIDENCE_SCHEMA)
                return cls(path, connection, budget_bytes)
            except BaseException:
                connection.close()
                raise

    def keep(self, match_id: str, seq: int, frame: str, picture: bytes, reading: Mapping[str, Any]) -> None:
        """Keep one settled frame after event `seq`; drop the oldest ones when the budget is used up.

        Raises:
            StorageError: the disk is full or failing; the match goes on without this frame.
        """
        text = _canonical(reading)
        size = len(picture) + len(text.encode())
        with self._guard, _said_plainly(self.path):
            self._make_room(size)
            self._connection.execute(
                "INSERT INTO evidence (match_id, seq, frame, at, reading, picture, bytes)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (match_id, seq, frame, _now(), text, picture, size),
            )
            self._bytes += size

    def of_event(self, match_id: str, seq: int) -> Sequence[EvidenceItem]:
        """Return what was kept after event `seq` of a match, oldest first."""
        with self._guard, _said_plainly(self.path):
            rows: Iterable[tuple[int, str, int, str, str, str]] = self._connection.execute(
                "SELECT id, match_id, seq, frame, at, reading FROM evidence"
                " WHERE match_id = ? AND seq = ? ORDER BY id",
                (match_id, seq),
            ).fetchall()
        return [EvidenceItem(*row[:5], json.loads(row[5])) for row in rows]

    def picture(self, number: int) -> bytes | None:
        """Return the JPEG bytes of one item, or None when it has been dropped."""
        with self._guard, _said_plainly(self.path):
            row = self._connection.execute("SELECT picture FROM evidence WHERE id = ?", (number,)).fetchone()
        return None if row is None else bytes(row[0])

    @property
    def used_bytes(self) -> int:
        """How much of the budget is used."""
        return self._bytes

    def close(self) -> None:
        """Close the file."""
        with self._guard:
            self._connection.close()

    def _make_room(self, size: int) -> None:
        """Drop the oldest frames until `size` more bytes fit; pages that come free are used again."""
        while self._bytes + size > self.budget_bytes:
            row = self._connection.execute("SELECT id, bytes FROM evidence ORDER BY id LIMIT 1").fetchone()
            if row is None:
                return
            self._connection.execute("DELETE FROM evidence WHERE id = ?", (row[0],))
            self._bytes -= row[1]
