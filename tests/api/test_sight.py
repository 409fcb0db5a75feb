"""What viewers may see is decided at the desk, while the table runs, and no other door tells more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.app import create_app, create_desk_app
from api.door import Limits
from api.tokens import Person, Role, Tokens
from api.visibility import PublicTable, Sight
from controller.errors import ConfigError, IllegalActionError
from controller.session.facts import MatchStarted
from tests.api.scripted import ScriptedTable
from tests.api.serving import Served
from tests.api.test_live_stream import Stream
from tests.api.test_visibility import Clock, Seen

LIMITS = Limits(burst=100_000, per_s=100_000)


class Hall:
    """A table and both its doors."""

    def __init__(self, kept: Path, delay_s: float = 0.0) -> None:
        self.table = ScriptedTable()
        tokens = Tokens({})
        self.of = {role: tokens.add(Person(role.name.lower(), role)) for role in list(Role)[1:]}
        viewers = create_app(self.table, limits=LIMITS, delay_s=delay_s, sight=kept)
        self.served = Served(viewers, create_desk_app(self.table, tokens, viewers=viewers, limits=LIMITS))
        self.viewer = httpx.Client(base_url=self.served.url)
        self.desk = httpx.Client(base_url=self.served.url_of(1))

    def decide(self, body: dict[str, Any], role: Role = Role.DIRECTOR) -> httpx.Response:
        return self.desk.put("/api/v1/desk/sight", json=body, headers=self.as_(role))

    def as_(self, role: Role) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.of[role]}"}

    def close(self) -> None:
        self.viewer.close()
        self.desk.close()
        self.served.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    made = Hall(tmp_path / "viewers.json")
    yield made
    made.close()


def test_a_delay_decided_at_the_desk_holds_for_everybody_without_a_token(hall: Hall) -> None:
    before = hall.served.call(hall.table.play_many(2))
    assert hall.decide({"delay_s": 600}).json() == {
        "delay_s": 600.0, "aids": False, "tournament": False, "waiting": 0,
    }  # fmt: skip
    newest = hall.served.call(hall.table.play_many(2))
    for door in (hall.viewer, hall.desk):
        assert door.get("/api/v1/snapshot").json()["seq"] == before
        assert door.get("/api/v1/events?limit=500").json()[-1]["seq"] == before
        assert door.get(f"/api/v1/snapshot?seq={newest}").status_code == 404
        assert door.get("/api/v1/record.mat").status_code == 409
        assert door.get("/api/v1/table").json()["delay_s"] == 600
    known = hall.desk.get("/api/v1/snapshot", headers=hall.as_(Role.SCORER)).json()
    assert known["seq"] == newest
    wrong = hall.desk.get("/api/v1/snapshot", headers={"Authorization": "Bearer wrong"}).json()
    assert wrong["seq"] == before
    assert hall.desk.get("/api/v1/desk/sight", headers=hall.as_(Role.SCORER)).json()["waiting"] == newest - before


def test_ending_the_delay_shows_all_that_waited_in_order(hall: Hall) -> None:
    hall.decide({"delay_s": 600})
    seen = Seen()
    hall.served.apps[0].state.context.table.add_publisher(seen)
    newest = hall.served.call(hall.table.play_many(3))
    assert seen.events == []
    hall.decide({"delay_s": 0})
    hall.served.call(asyncio.sleep(0.05))
    newest = hall.served.call(hall.table.play_many(1)) or newest
    assert [event["seq"] for event in seen.events] == list(range(1, newest + 1))
    assert hall.viewer.get("/api/v1/snapshot").json()["seq"] == newest


def test_only_a_director_decides_and_only_what_can_be(hall: Hall) -> None:
    assert hall.decide({"delay_s": 60}, Role.SCORER).status_code == 403
    assert hall.desk.put("/api/v1/desk/sight", json={"delay_s": 60}).status_code == 401
    assert hall.decide({"delay_s": 3601}).status_code == 422
    assert hall.decide({"delay_s": -1}).status_code == 422
    assert hall.viewer.get("/api/v1/table").json()["delay_s"] == 0


def test_viewers_of_a_tournament_never_see_a_hint(hall: Hall) -> None:
    assert hall.decide({"delay_s": 0, "aids": True}).status_code == 200
    hall.served.call(hall.table.play())
    hinted = {"type": "play", "play": "13/7", "hint": "24/18 is better", "equity": 0.1}
    hall.served.call(hall.table.put(hinted))
    assert hall.viewer.get("/api/v1/events?limit=500").json()[-1]["hint"]
    hall.table.tournament = True
    hall.served.call(hall.table.put(hinted))
    for door in (hall.viewer, hall.desk):
        event = door.get("/api/v1/events?limit=500").json()[-1]
        assert "hint" not in event
        assert "equity" not in event
    refused = hall.decide({"delay_s": 900, "aids": True})
    assert refused.status_code == 409
    assert "tournament" in refused.json()["detail"]


def test_a_decision_outlives_a_power_cut(tmp_path: Path) -> None:
    kept = tmp_path / "viewers.json"
    first = Hall(kept)
    first.decide({"delay_s": 300})
    first.close()
    second = Hall(kept)
    assert second.viewer.get("/api/v1/table").json()["delay_s"] == 300
    second.close()
    kept.write_text("{")
    with pytest.raises(ConfigError, match="viewers may see"):
        PublicTable(ScriptedTable(), path=kept)


def test_a_match_that_begins_before_the_old_one_was_shown_breaks_nothing() -> None:
    async def scenario() -> None:
        clock = Clock()
        table = ScriptedTable()
        newest = await table.play_many(2)
        old = table.snapshot().match_id
        public = PublicTable(table, delay_s=60, now_s=clock)
        await table.submit(MatchStarted(at_s=0, match_id="NEXT", players=("C", "D"), length=3))
        assert public.snapshot()["seq"] == 0
        assert public.events() == []
        clock.now += 61
        assert (public.snapshot()["match_id"], public.snapshot()["seq"]) == (old, newest)
        with pytest.raises(IllegalActionError):
            public.record()
        public._task and public._task.cancel()

    asyncio.run(scenario())


def test_a_shorter_delay_counts_from_when_it_happened() -> None:
    async def scenario() -> None:
        clock = Clock()
        table = ScriptedTable()
        public = PublicTable(table, delay_s=60, now_s=clock)
        seen = Seen()
        public.add_publisher(seen)
        newest = await table.play()
        clock.now += 30
        await asyncio.sleep(0)
        assert seen.events == []
        public.see(Sight(20))
        await asyncio.sleep(0.01)
        assert seen.events[-1]["seq"] == newest

    asyncio.run(scenario())


def test_a_stream_takes_up_what_becomes_visible_without_an_event() -> None:
    table = ScriptedTable()
    asyncio.run(table.play_many(3))
    served = Served(create_app(table, delay_s=1.0, limits=LIMITS))
    stream = Stream(served.url)
    assert stream.next("snapshot")["data"]["seq"] == 0
    assert stream.next("snapshot")["data"]["seq"] == table.snapshot().seq
    stream.close()
    served.close()


ROLLS = [
    {"type": "commitment", "match_id": "01TESTMATCH", "sha256": "ab" * 32},
    {"type": "roll", "roll": 1, "dice": [3, 1], "roll_id": 0},
    {"type": "roll", "roll": 2, "dice": [6, 6], "roll_id": 50},
    {"type": "reveal", "seed": "cd" * 32},
]


def test_the_log_of_the_dice_is_shown_as_late_as_the_game(hall: Hall) -> None:
    assert hall.viewer.get("/api/v1/dice").status_code == 404
    hall.table.log = ROLLS
    hall.served.call(hall.table.play_many(2))
    told = hall.viewer.get("/api/v1/dice").json()
    assert (told["commitment_sha256"], told["seed"], told["rolls"]) == ("ab" * 32, "cd" * 32, 2)
    hall.decide({"delay_s": 600})
    hall.served.call(hall.table.play())
    told = hall.viewer.get("/api/v1/dice").json()
    assert (told["seed"], told["rolls"]) == (None, 1)
    assert "reveal" not in hall.viewer.get("/api/v1/dice.jsonl").text
    known = hall.desk.get("/api/v1/dice.jsonl", headers=hall.as_(Role.SCORER)).text
    assert len(known.splitlines()) == 4
