"""What viewers may see: later where the event says so, gapless, and across the start of the next match."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from api.visibility import PublicTable, without_aids
from controller.errors import IllegalActionError
from controller.session.facts import MatchStarted
from tests.api.scripted import ScriptedTable


class Clock:
    """A clock that stands still until it is told; sleeping on it yields to others."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Seen:
    """Collects what a door passes on."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    async def publish(self, event: Any, snapshot: Any) -> None:
        self.events.append({**event, "match_id": snapshot["match_id"], "snapshot": snapshot["seq"]})


def test_a_delayed_door_shows_everything_later_and_nothing_sooner() -> None:
    async def scenario() -> None:
        table = ScriptedTable()
        public = PublicTable(table, delay_s=0.2)
        seen = Seen()
        public.add_publisher(seen)
        newest = await table.play_many(3)
        assert public.up_to == 0
        assert public.snapshot()["seq"] == 0
        assert public.events() == []
        assert not public.whole
        with pytest.raises(IllegalActionError):
            public.snapshot_at(1)
        with pytest.raises(IllegalActionError):
            public.record()
        await asyncio.sleep(0.4)
        assert [event["seq"] for event in seen.events] == list(range(1, newest + 1))
        assert public.snapshot()["seq"] == newest
        assert public.whole
        public.record()

    asyncio.run(scenario())


def test_what_happened_before_the_start_is_shown_one_delay_after_it() -> None:
    async def scenario() -> None:
        clock = Clock()
        table = ScriptedTable()
        newest = await table.play_many(3)
        public = PublicTable(table, delay_s=60, now_s=clock)
        assert public.up_to == 0
        clock.now += 61
        assert public.up_to == newest

    asyncio.run(scenario())


def test_a_delayed_viewer_sees_the_old_match_to_its_end_while_the_next_has_begun() -> None:
    async def scenario() -> None:
        table = ScriptedTable()
        public = PublicTable(table, delay_s=0.3)
        seen = Seen()
        public.add_publisher(seen)
        last = await table.play_many(2)
        old = table.snapshot().match_id
        await asyncio.sleep(0.15)
        await table.submit(MatchStarted(at_s=0, match_id="NEXT", players=("C", "D"), length=3))
        await table.play()
        await asyncio.sleep(0.2)
        assert public.snapshot()["match_id"] == old
        assert public.snapshot()["seq"] == last
        assert [event["seq"] for event in public.events(0, 500)] == list(range(1, last + 1))
        assert public.snapshot_at(2)["match_id"] == old
        await asyncio.sleep(0.3)
        assert public.snapshot()["match_id"] == "NEXT"
        assert public.whole
        assert seen.events[-1]["match_id"] == "NEXT"

    asyncio.run(scenario())


def test_aids_are_taken_out_at_any_depth() -> None:
    told = {"a": [{"equity": 1, "b": {"hints": 2, "c": 3}}], "win_chance": 0.5}
    assert without_aids(told) == {"a": [{"b": {"c": 3}}]}
    assert without_aids("hint") == "hint"


def test_hidden_events_keep_their_numbers() -> None:
    async def scenario() -> None:
        table = ScriptedTable()
        public = PublicTable(table)
        seen = Seen()
        public.add_publisher(seen)
        await table.play()
        await table.put({"type": "illegal", "audience": "director", "sites": [3]})
        newest = await table.play()
        assert [event["seq"] for event in public.events(0, 500)] == list(range(1, newest + 1))
        assert [event["seq"] for event in seen.events] == list(range(1, newest + 1))
        hidden = [event for event in public.events(0, 500) if event["type"] == "withheld"]
        assert len(hidden) == 1
        assert "sites" not in hidden[0]

    asyncio.run(scenario())
