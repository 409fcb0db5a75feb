"""A table on a real broker: retained snapshot, presence, no gap whatever dies, and a table that never waits."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiomqtt
import jsonschema_rs
import pytest

import api.mqtt
from api.app import create_app
from api.documents import asyncapi_document
from api.mqtt import MqttLink, broker_of, topic_of
from controller.errors import ConfigError
from controller.session.facts import MatchEnded, MatchStarted, OpeningRolled, ScoreSet
from controller.storage import Journal
from controller.table import Table
from tests.api.broker import DEPLOY, Broker, Reader, wait_until
from tests.api.serving import Served


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    made = Broker(tmp_path)
    yield made
    made.close()


class Evening:
    """A real table with a real journal, its viewers' door, and its link to the broker."""

    def __init__(self, folder: Path, port: int, **reach: Any) -> None:
        self.journal = Journal.open(folder / "journal.sqlite")
        self.table = Table(self.journal, simulated=True)
        self.served = Served(create_app(self.table))
        self.told: list[str] = []
        self.link = self.served.call(self._link(port, reach))
        self._task = self.served.call(self._start())

    async def _link(self, port: int, reach: dict[str, Any]) -> MqttLink:
        broker = broker_of(f"mqtt://127.0.0.1:{port}", **reach)
        link = MqttLink(self.table, self.journal, broker, "club", self.told.append)
        self.table.add_publisher(link)
        return link

    async def _start(self) -> Any:
        return self.served.loop.create_task(self.link.run())

    def give(self, event: Any) -> None:
        self.served.call(self.table.submit(event))

    def begin(self, match_id: str) -> None:
        self.give(MatchStarted(match_id=match_id, players=("Ann", "Bob"), length=5))

    def note(self, count: int) -> int:
        """Let `count` more things happen; return the number of the newest."""
        for _ in range(count):
            self.give(ScoreSet(score=(self.table.snapshot().seq % 4, 1), why="test"))
        return self.table.snapshot().seq

    async def _stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def close(self) -> None:
        self.served.call(self._stop())
        self.served.close()
        self.journal.close()


@pytest.fixture
def evening(tmp_path: Path, broker: Broker) -> Iterator[Evening]:
    made = Evening(tmp_path, broker.port)
    yield made
    made.close()


def test_every_event_comes_once_in_order_and_the_snapshot_is_kept(broker: Broker, evening: Evening) -> None:
    reader = Reader(broker.port)
    wait_until(lambda: reader.statuses[-1:] == ["online"], "the table is not there")
    evening.begin("M1")
    newest = evening.note(30)
    wait_until(lambda: len(reader.events) >= newest, "events are missing")
    assert reader.numbers("M1") == list(range(1, newest + 1))
    wait_until(lambda: reader.states[-1:] and reader.states[-1]["seq"] == newest, "no newest snapshot")
    late = Reader(broker.port)
    wait_until(lambda: late.states and late.statuses, "nothing was retained")
    assert late.retained == {"state", "status"}
    assert late.states[-1]["seq"] == newest
    assert late.events == []
    for one in (reader, late):
        one.close()


def test_messages_are_what_the_document_says(broker: Broker, evening: Evening) -> None:
    reader = Reader(broker.port)
    evening.begin("M1")
    newest = evening.note(3)
    wait_until(lambda: len(reader.events) >= newest and reader.states[-1:], "events are missing")
    wait_until(lambda: reader.states[-1]["seq"] == newest, "no newest snapshot")
    document = asyncapi_document(evening.served.apps[0], desk=False)
    for name, told in (("club_event", reader.events), ("snapshot", reader.states)):
        reference = document["components"]["messages"][name]["payload"]["$ref"]
        schema = {"$ref": reference, "components": document["components"]}
        validator = jsonschema_rs.validator_for(schema)
        for payload in told:
            validator.validate(payload)
    event = reader.events[-1]
    assert event["event_id"] == f"M1:{newest}"
    assert event["body"] == evening.table.events(newest - 1, 1)[0]
    addresses = {channel["address"] for channel in document["channels"].values()}
    assert topic_of("{club}", "{table}", "event") in addresses
    reader.close()


def test_a_killed_broker_loses_nothing_once_it_is_back(broker: Broker, evening: Evening) -> None:
    hub = Reader(broker.port, acks=True)
    evening.begin("M1")
    evening.note(20)
    wait_until(lambda: hub.gapless("M1") >= 10, "events are missing")
    broker.kill()
    wait_until(lambda: evening.told[-1:] == ["lost"], "nobody noticed that the broker is gone")
    newest = evening.note(20)
    broker.start()
    wait_until(lambda: hub.gapless("M1") == newest, "events are missing after the restart")
    wait_until(lambda: hub.states[-1:] and hub.states[-1]["seq"] == newest, "no newest snapshot after the restart")
    assert evening.told[-1] == "ok"
    hub.close()


def test_what_the_broker_lost_is_sent_again_when_the_hub_is_silent(
    broker: Broker, evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api.mqtt, "SILENT_S", 0.3)
    evening.link._silent_s = 0.3
    hub = Reader(broker.port, acks=True)
    evening.begin("M1")
    first = evening.note(5)
    wait_until(lambda: hub.gapless("M1") == first, "events are missing")
    hub.close()
    newest = evening.note(5)
    wait_until(lambda: evening.link._at is not None and evening.link._at.seq == newest, "nothing was sent")
    again = Reader(broker.port, acks=True)
    wait_until(lambda: set(again.numbers("M1")) >= set(range(first + 1, newest + 1)), "nothing was sent again")
    again.close()


def test_a_hub_that_is_away_gets_no_more_than_a_window(
    broker: Broker, evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api.mqtt, "WINDOW", 10)
    monkeypatch.setattr(api.mqtt, "SILENT_S", 0.3)
    evening.link._silent_s = 0.3
    hub = Reader(broker.port, acks=True)
    evening.begin("M1")
    first = evening.table.snapshot().seq
    wait_until(lambda: hub.gapless("M1") == first, "events are missing")
    hub.close()
    watch = Reader(broker.port)
    newest = evening.note(40)
    wait_until(lambda: len(set(watch.numbers("M1"))) >= 10, "nothing was sent")
    time.sleep(0.3)
    assert max(watch.numbers("M1")) <= first + 10
    watch.close()
    hub = Reader(broker.port, acks=True)
    hub.events.extend({"match_id": "M1", "seq": seq} for seq in range(1, first + 1))
    wait_until(lambda: hub.gapless("M1") == newest, "the window did not move on")
    hub.close()


def test_matches_follow_one_another_without_a_gap(broker: Broker, evening: Evening) -> None:
    hub = Reader(broker.port, acks=True)
    evening.begin("M1")
    shown = evening.note(4)
    wait_until(lambda: hub.gapless("M1") == shown, "events are missing")
    broker.kill()
    evening.give(MatchEnded(winner=None, score=(1, 0), reason="time"))
    last = evening.table.snapshot().seq
    evening.begin("M2")
    newest = evening.note(3)
    broker.start()
    wait_until(lambda: hub.gapless("M2") == newest, "the second match is missing")
    assert hub.gapless("M1") == last
    hub.close()


class AnswersLate:
    """A client of which Python 3.11 tells each time that a message was sent, not that sending was cancelled."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def publish(self, *args: Any, **options: Any) -> None:
        self.asked.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)


def test_a_cancellation_that_comes_with_an_answer_is_not_lost(evening: Evening) -> None:
    evening.begin("M1")
    evening.note(5)

    async def cancelled_in_time() -> bool:
        client: Any = AnswersLate()
        link = MqttLink(evening.table, evening.journal, broker_of("mqtt://127.0.0.1"), "club")
        task = asyncio.create_task(link._send(client))
        await client.asked.wait()
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=5)
        return task in done

    assert evening.served.call(cancelled_in_time())


def test_a_table_stops_though_its_broker_hangs(broker: Broker, evening: Evening) -> None:
    wait_until(lambda: evening.told[-1:] == ["ok"], "the table is not there")
    broker.freeze()
    evening.served.call(evening._stop())
    assert evening._task.done()


def test_a_broker_that_is_away_never_blocks_the_table(tmp_path: Path) -> None:
    evening = Evening(tmp_path, 9)
    evening.begin("M1")
    evening.give(OpeningRolled(white=6, black=1))
    began = evening.table.snapshot().seq
    assert evening.note(50) == began + 50
    wait_until(lambda: evening.told[-1:] == ["lost"], "nobody said so")
    evening.close()


TABLE = """
import asyncio, sys
from pathlib import Path
from api.mqtt import MqttLink, broker_of
from controller.storage import Journal
from controller.table import Table

async def main():
    journal = Journal.open(Path(sys.argv[2]))
    table = Table(journal)
    await MqttLink(table, journal, broker_of(f"mqtt://127.0.0.1:{sys.argv[1]}"), "club").run()

asyncio.run(main())
"""


def test_a_table_that_dies_is_offline_by_its_last_will_and_one_that_stops_by_its_own_word(
    broker: Broker, tmp_path: Path
) -> None:
    reader = Reader(broker.port)
    for stop in (subprocess.Popen.kill, subprocess.Popen.terminate):
        reader.statuses.clear()
        process = subprocess.Popen([sys.executable, "-c", TABLE, str(broker.port), str(tmp_path / "j.sqlite")])
        wait_until(lambda: reader.statuses[-1:] == ["online"], "the table is not there")
        stop(process)
        process.wait(20)
        wait_until(lambda: reader.statuses[-1:] == ["offline"], "the table is said to be there still")
    reader.close()


def test_the_access_list_keeps_a_table_to_its_own_topics(tmp_path: Path) -> None:
    passwords, access = tmp_path / "passwd", tmp_path / "acl"
    access.write_text((DEPLOY / "mosquitto.acl").read_text())
    for number, user in enumerate(("hub", "table-1", "table-2")):
        create = ["-c"] if number == 0 else []
        subprocess.run(["mosquitto_passwd", "-b", *create, str(passwords), user, f"{user}-secret"], check=True)
    for file in (passwords, access):
        file.chmod(0o644)
    tmp_path.chmod(0o755)
    config = (
        "per_listener_settings true\nlistener 1883 127.0.0.1\nallow_anonymous false\n"
        f"password_file {passwords}\nacl_file {access}\n"
    )
    broker = Broker(tmp_path, config)
    hub = Reader(broker.port, acks=True, user="hub", password="hub-secret")
    evening = Evening(tmp_path, broker.port, password="table-1-secret")
    evening.begin("M1")
    newest = evening.note(3)
    wait_until(lambda: hub.gapless("M1") == newest, "the table's own events are refused")
    wait_until(lambda: evening.link._acked is not None and evening.link._acked.seq == newest, "no acknowledgement")

    async def forge() -> None:
        async with aiomqtt.Client(
            "127.0.0.1", broker.port, username="table-2", password="table-2-secret",
            protocol=aiomqtt.ProtocolVersion.V5,
        ) as client:  # fmt: skip
            await client.publish(
                topic_of("club", "table-1", "event"), json.dumps({"seq": 99, "match_id": "M1"}), qos=1
            )

    evening.served.call(forge())
    newest = evening.note(2)
    wait_until(lambda: hub.gapless("M1") == newest, "events are missing")
    assert 99 not in hub.numbers("M1")
    evening.close()
    hub.close()
    broker.close()


@pytest.mark.parametrize("address", ["", "hub", "http://hub", "mqtt://", "mqtt://hub:x", "mqtt://u:p@hub"])
def test_an_address_that_is_none_is_told(address: str) -> None:
    with pytest.raises(ConfigError, match=r"club\.broker"):
        broker_of(address)


def test_addresses_of_brokers() -> None:
    assert (broker_of("mqtt://hub.local").port, broker_of("mqtts://hub.local").port) == (1883, 8883)
    assert broker_of("mqtts://hub:99").tls
    assert "secret" not in repr(broker_of("mqtt://hub", password="secret"))
