"""The journal on a real disk: durable, append-only, chained, one writer."""

import shutil
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from controller.errors import StorageError
from controller.storage import SCHEMA_VERSION, Journal


def _filled(path: Path, count: int = 3) -> Journal:
    journal = Journal.open(path)
    for number in range(1, count + 1):
        journal.append({"type": "play", "number": number}, match_id="m1")
    return journal


def _copy(path: Path, folder: Path) -> Path:
    """Copy the files of an open journal as a power cut would leave them."""
    folder.mkdir()
    for name in (path.name, path.name + "-wal"):
        shutil.copy(path.with_name(name), folder / name)
    return folder / path.name


def test_events_come_back_numbered_and_in_order(tmp_path: Path) -> None:
    journal = _filled(tmp_path / "j.sqlite")
    assert [e["seq"] for e in journal.events("m1")] == [1, 2, 3]
    assert [e["number"] for e in journal.events("m1", after=1, limit=1)] == [2]
    journal.append({"type": "play"}, match_id="m2")
    journal.close()
    again = Journal.open(tmp_path / "j.sqlite")
    assert again.matches() == ["m1", "m2"]
    assert again.last_seq("m1") == 3
    assert again.append({"seq": 4}, {"seq": 5}, match_id="m1") == 5
    assert again.written_at("m1", 5) is not None
    assert again.written_at("m1", 6) is None
    again.close()


def test_a_number_that_does_not_follow_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    journal = _filled(tmp_path / "j.sqlite")
    with pytest.raises(StorageError, match="does not follow"):
        journal.append({"seq": 4}, {"seq": 6}, match_id="m1")
    assert journal.last_seq("m1") == 3
    journal.close()


@pytest.mark.parametrize("statement", ["UPDATE event SET body = '{}'", "DELETE FROM event", "DELETE FROM match"])
def test_the_database_itself_refuses_to_change_the_past(tmp_path: Path, statement: str) -> None:
    _filled(tmp_path / "j.sqlite").close()
    connection = sqlite3.connect(tmp_path / "j.sqlite")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET body = json_set(body, '$.number', 9) WHERE seq = 2",
        "UPDATE event SET body = json_set(body, '$.number', 9) WHERE seq = 3",
        "DELETE FROM event WHERE seq = 2",
    ],
)
def test_a_changed_past_is_found_at_opening(tmp_path: Path, statement: str) -> None:
    _filled(tmp_path / "j.sqlite").close()
    connection = sqlite3.connect(tmp_path / "j.sqlite")
    connection.executescript("DROP TRIGGER event_is_final; DROP TRIGGER event_stays;" + statement)
    connection.close()
    with pytest.raises(StorageError, match=r"changed at event m1:[23]"):
        Journal.open(tmp_path / "j.sqlite")


def test_a_journal_from_a_newer_version_is_refused(tmp_path: Path) -> None:
    _filled(tmp_path / "j.sqlite").close()
    connection = sqlite3.connect(tmp_path / "j.sqlite")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.commit()
    connection.close()
    with pytest.raises(StorageError, match="newer Barpoint"):
        Journal.open(tmp_path / "j.sqlite")


def test_a_file_that_is_no_journal_is_refused_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, only notes that somebody needs\n" * 40)
    with pytest.raises(StorageError, match=r"notes\.txt"):
        Journal.open(path)
    assert path.read_text().startswith("not a database")
    with pytest.raises(StorageError, match="no such journal"):
        Journal.open(tmp_path / "none.sqlite", read_only=True)
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE t (x)")
    other.commit()
    other.close()
    with pytest.raises(StorageError, match="not a Barpoint journal"):
        Journal.open(tmp_path / "other.sqlite")


def test_only_one_process_writes_and_others_may_read(tmp_path: Path) -> None:
    journal = _filled(tmp_path / "j.sqlite")
    code = (
        "import sys; from controller.storage import Journal; from controller.errors import StorageError\n"
        "try: Journal.open(sys.argv[1])\n"
        "except StorageError as e: print(e)\n"
        "print(len(Journal.open(sys.argv[1], read_only=True).events('m1')))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "j.sqlite")], capture_output=True, text=True, check=True
    ).stdout
    assert "only one process may write" in out
    assert out.endswith("3\n")
    journal.close()
    Journal.open(tmp_path / "j.sqlite").close()


def test_a_last_record_torn_at_any_byte_is_dropped_and_said(tmp_path: Path) -> None:
    journal = _filled(tmp_path / "j.sqlite", count=2)
    wal = tmp_path / "j.sqlite-wal"
    before = wal.stat().st_size
    journal.append({"type": "play", "number": 3}, match_id="m1")
    after = wal.stat().st_size
    whole = _copy(tmp_path / "j.sqlite", tmp_path / "whole")
    data = (whole.parent / "j.sqlite-wal").read_bytes()
    journal.close()
    for size in [before, *range(before + 1, after, 97), after - 1, after]:
        (whole.parent / "j.sqlite-wal").write_bytes(data[:size])
        main = whole.read_bytes()
        torn = Journal.open(whole)
        assert [e["number"] for e in torn.events("m1")] == ([1, 2, 3] if size == after else [1, 2])
        assert (torn.notice is not None) == (before < size < after)
        torn.close()
        whole.write_bytes(main)


def test_a_damaged_byte_in_the_last_record_drops_that_record_only(tmp_path: Path) -> None:
    journal = _filled(tmp_path / "j.sqlite", count=2)
    wal = tmp_path / "j.sqlite-wal"
    before = wal.stat().st_size
    journal.append({"type": "play", "number": 3}, match_id="m1")
    copy = _copy(tmp_path / "j.sqlite", tmp_path / "copy")
    journal.close()
    data = bytearray((copy.parent / "j.sqlite-wal").read_bytes())
    data[before + 1000] ^= 0x40
    (copy.parent / "j.sqlite-wal").write_bytes(data)
    damaged = Journal.open(copy)
    assert [e["number"] for e in damaged.events("m1")] == [1, 2]
    assert damaged.notice is not None
    assert damaged.append({"type": "play", "number": 3}, match_id="m1") == 3
    damaged.close()


def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path) -> None:
    code = textwrap.dedent("""
        import resource, sys
        from controller.storage import Journal
        from controller.errors import StorageError
        journal = Journal.open(sys.argv[1])
        for number in range(3):
            journal.append({"number": number}, match_id="m1")
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limit[1]))
        kept = 3
        try:
            while kept < 1000:
                journal.append({"number": kept, "text": "x" * 5000}, match_id="m1")
                kept += 1
        except StorageError as error:
            print("said", error)
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        journal.append({"number": kept}, match_id="m1")
        assert [e["number"] for e in journal.events("m1", limit=None)] == list(range(kept + 1))
        print("kept", kept + 1)
    """)
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "j.sqlite")], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "said" in run.stdout
    journal = Journal.open(tmp_path / "j.sqlite")
    assert len(journal.events("m1", limit=None)) == int(run.stdout.split()[-1])
    journal.close()


def test_a_folder_that_cannot_be_written_gives_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="file"):
        Journal.open(tmp_path / "file" / "j.sqlite")
