"""Pictures and readings beside the journal, within their budget."""

from pathlib import Path

import pytest

from controller.errors import StorageError
from controller.storage import Evidence


def test_what_was_seen_at_an_event_can_be_looked_up(tmp_path: Path) -> None:
    evidence = Evidence.open(tmp_path / "e.sqlite")
    evidence.keep("m1", 4, "f01.jpg", b"\xff\xd8 first", {"dice": [3, 2]})
    evidence.keep("m1", 5, "f02.jpg", b"\xff\xd8 second", {"dice": [5, 2]})
    evidence.close()
    again = Evidence.open(tmp_path / "e.sqlite")
    (item,) = again.of_event("m1", 4)
    assert (item.frame, item.reading) == ("f01.jpg", {"dice": [3, 2]})
    assert again.picture(item.number) == b"\xff\xd8 first"
    assert again.of_event("m2", 4) == []
    again.close()


def test_the_budget_holds_and_the_oldest_go_first(tmp_path: Path) -> None:
    evidence = Evidence.open(tmp_path / "e.sqlite", budget_bytes=50_000)
    for number in range(100):
        evidence.keep("m1", number, f"f{number}.jpg", b"x" * 4_000, {})
        assert evidence.used_bytes <= 50_000
    assert not evidence.of_event("m1", 0)
    assert evidence.of_event("m1", 99)
    evidence.close()
    reopened = Evidence.open(tmp_path / "e.sqlite", budget_bytes=10_000)
    reopened.keep("m1", 100, "f100.jpg", b"x" * 4_000, {})
    assert reopened.used_bytes <= 10_000
    assert (tmp_path / "e.sqlite").stat().st_size < 200_000
    reopened.close()


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "e.sqlite").write_text("only text " * 100)
    with pytest.raises(StorageError, match=r"e\.sqlite"):
        Evidence.open(tmp_path / "e.sqlite")
