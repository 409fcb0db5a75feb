"""HEAD answers like GET, without the body, wherever something can be read."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from api.app import create_desk_app
from api.door import Limits
from api.tokens import Person, Role, Tokens
from tests.api.scripted import ScriptedTable
from tests.api.serving import Served
from tests.pages.camera import DrawnSetup

TOKENS = Tokens({})
TOKEN = TOKENS.add(Person("admin", Role.ADMIN))
TABLE = ScriptedTable()
APP = create_desk_app(TABLE, TOKENS, setup=DrawnSetup(), limits=Limits(burst=100_000, per_s=100_000))
FILLED = {"{game}": "1", "{seq}": "3", "{ending}": "mat"}
QUERY = {"/api/v1/desk/legal_plays": "?player=white&roll=31", "/api/v1/position.png": "?width=120"}
PAGES = ("/", "/tv", "/overlay", "/report", "/desk", "/setup", "/sw.js", "/static/js/board.js")
READ = sorted(path for path, methods in APP.openapi()["paths"].items() if "get" in methods)


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    served = Served(APP)
    served.call(TABLE.play_many(5))
    TABLE.log = [{"type": "commitment", "match_id": "01TESTMATCH", "sha256": "ab" * 32}]
    with httpx.Client(base_url=served.url, headers={"Authorization": f"Bearer {TOKEN}"}) as made:
        yield made
    served.close()


@pytest.mark.parametrize("path", [path for path in (*READ, *PAGES) if not path.endswith("/live")])
def test_head_tells_what_get_would(client: httpx.Client, path: str) -> None:
    address = path
    for name, value in FILLED.items():
        address = address.replace(name, value)
    address += QUERY.get(path, "")
    got, told = client.get(address), client.head(address)
    assert got.status_code == told.status_code == 200
    assert got.content
    assert told.content == b""
    if path != "/metrics":
        changing = {"date"}
        assert {k: v for k, v in told.headers.items() if k not in changing} == {
            k: v for k, v in got.headers.items() if k not in changing
        }


def test_head_of_the_stream_ends_at_once(client: httpx.Client) -> None:
    told = client.head("/api/v1/live")
    assert told.status_code == 200
    assert told.headers["Content-Type"].startswith("text/event-stream")
    assert told.headers["X-Accel-Buffering"] == "no"
    assert client.head("/api/v1/live", headers={"Last-Event-ID": "x"}).status_code == 400


def test_what_is_only_written_has_no_head(client: httpx.Client) -> None:
    answer = client.head("/api/v1/desk/cube")
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"
    assert client.delete("/api/v1/position").headers["Allow"] == "GET, HEAD"


def test_every_read_is_documented_with_its_head() -> None:
    for path in READ:
        methods = APP.openapi()["paths"][path]
        assert methods["head"]["operationId"] == f"{methods['get']['operationId']}_head"
        assert all("content" not in answer for answer in methods["head"]["responses"].values()), path


def test_heads_are_counted_as_such(client: httpx.Client) -> None:
    client.head("/healthz")
    assert 'barpoint_requests_total{method="HEAD",status="200"}' in client.get("/metrics").text
