"""What people with bad intentions or broken programs send: clear problems, bounded memory, an unmoved table."""

from __future__ import annotations

import gc
import gzip
import http.client
import json
import random
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from api.app import create_app, create_desk_app
from api.door import Limits, Rate, host_allowed
from api.server import listen
from api.tokens import Person, Role, Tokens
from controller.errors import DeviceError
from tests.api.scripted import ScriptedTable
from tests.api.serving import Served

TOKENS = Tokens({})
TOKEN = TOKENS.add(Person("admin", Role.ADMIN))
AUTH = {"Authorization": f"Bearer {TOKEN}"}


class Site:
    """A desk door with small limits."""

    def __init__(self) -> None:
        self.table = ScriptedTable()
        limits = Limits(body_bytes=20_000, body_s=1.0, burst=100_000, per_s=100_000, streams=3, guesses=10_000)
        self.served = Served(create_desk_app(self.table, TOKENS, limits=limits))
        self.served.call(self.table.play_many(3))
        self.client = httpx.Client(base_url=self.served.url, timeout=60)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.client.close()
    made.served.close()


def is_problem(response: httpx.Response, *statuses: int) -> bool:
    """Tell whether an answer is a problem document of one of these statuses that hides what runs here."""
    assert response.status_code in statuses, response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == response.status_code
    assert "Traceback" not in response.text
    assert "/api/" not in body["detail"]
    return bool(body["detail"])


def raw(site: Site, request: bytes, wait_s: float = 5.0) -> bytes:
    """Send bytes as they are and return the answer's head and whatever comes with it."""
    with socket.create_connection(("127.0.0.1", site.served.ports[0]), timeout=wait_s) as connection:
        connection.sendall(request)
        answer = b""
        try:
            while piece := connection.recv(65536):
                answer += piece
                if b"\r\n\r\n" in answer and b"}" in answer:
                    break
        except TimeoutError:
            pass
        return answer


def test_a_body_that_is_too_long_is_refused_whether_it_says_so_or_not(site: Site) -> None:
    long = json.dumps({"reason": "x" * 30_000})
    assert is_problem(site.client.post("/api/v1/desk/end_match", content=long, headers=AUTH), 413)

    def pieces() -> Iterator[bytes]:
        for _ in range(60):
            yield b"x" * 1000

    assert is_problem(site.client.post("/api/v1/desk/end_match", content=pieces(), headers=AUTH), 413)


def test_a_file_is_sent_whole_to_whoever_sends_a_body_along(site: Site) -> None:
    whole = site.client.get("/static/js/board.js").content
    assert site.client.request("GET", "/static/js/board.js", content=b"x" * 30_000).content == whole
    head = b"GET /static/js/board.js HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"
    with socket.create_connection(("127.0.0.1", site.served.ports[0]), timeout=30) as connection:
        connection.sendall(head)
        answer = b""
        while not answer.endswith(whole):
            piece = connection.recv(65536)
            assert piece, answer[:200]
            answer += piece


def test_a_body_that_drips_is_given_up(site: Site) -> None:
    head = (
        f"POST /api/v1/desk/end_match HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
    )
    began = time.monotonic()
    answer = raw(site, head.encode())
    assert b" 408 " in answer.split(b"\r\n")[0]
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[" * 15_000,
        b'{"a":' * 3000,
        b'{"players": NaN}',
        b'{"length": 1e999}',
        b'{"length": ' + b"9" * 5000 + b"}",
        b'"text"',
        b"null",
        b'{"players":{"white":"\\ud800","black":"b"},"length":1}',
    ],
)
def test_a_broken_body_is_a_clear_problem(site: Site, body: bytes) -> None:
    headers = {**AUTH, "Content-Type": "application/json"}
    assert is_problem(site.client.post("/api/v1/desk/start_match", content=body, headers=headers), 400, 422)


PACKED = gzip.compress(b'{"reason":"x"}', mtime=0)
"""A packed body; it says when it was packed, and tests of two processes must have the same names."""


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ('{"reason":"x"}'.encode("utf-16"), {"Content-Type": "application/json; charset=utf-16"}),
        (b'{"reason":"caf\xe9"}', {"Content-Type": "application/json; charset=latin-1"}),
        (PACKED, {"Content-Type": "application/json", "Content-Encoding": "gzip"}),
        (b"reason=x", {"Content-Type": "application/x-www-form-urlencoded"}),
        (b'--b\r\nContent-Disposition: form-data; name="reason"\r\n\r\nx\r\n--b--\r\n',
         {"Content-Type": "multipart/form-data; boundary=b"}),
        (b"<reason>x</reason>", {"Content-Type": "application/xml"}),
        (b'{"reason":"x"}', {"Content-Type": "text/plain"}),
        (b'{"reason":"x","reason\\u0000":"y"}', {"Content-Type": "application/json"}),
    ],
)  # fmt: skip
def test_another_encoding_is_a_clear_problem(site: Site, body: bytes, headers: dict[str, str]) -> None:
    before = site.table.snapshot().seq
    answer = site.client.post("/api/v1/desk/end_match", content=body, headers=AUTH | headers)
    assert is_problem(answer, 400, 409, 415, 422)  # UTF-16 is JSON too; then the table refuses
    assert site.table.snapshot().seq == before


def test_a_name_with_markup_is_kept_as_text(site: Site) -> None:
    names = {"white": "<script>alert(1)</script>", "black": '"><img src=x onerror=alert(1)>'}
    answer = site.client.post("/api/v1/desk/start_match", json={"players": names, "length": 3}, headers=AUTH)
    assert answer.json()["snapshot"]["players"] == names
    picture = site.client.get("/api/v1/position.svg").text
    assert "<script" not in picture
    assert "<img" not in picture


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/....//app.py",
        "/static//etc/passwd",
        "/static/%00",
        "/api/v1/record.mat/../../x",
        "/api/v1/games/%2e%2e",
    ],
)
def test_no_path_leaves_the_pages_folder(site: Site, path: str) -> None:
    answer = raw(site, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert answer.split(b" ", 2)[1] in (b"400", b"404", b"422")
    assert b"create_app" not in answer
    assert b"root:" not in answer


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1.nip.io:80", "[::1"])
def test_a_foreign_host_name_is_not_answered(site: Site, host: str) -> None:
    answer = raw(site, f"GET /api/v1/position HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert answer.split(b" ", 2)[1] in (b"400", b"421")


def test_addresses_and_given_names_are_answered() -> None:
    assert host_allowed("[::1]:8080", ())
    assert host_allowed("Barpoint.local:80", ("barpoint.local",))
    assert not host_allowed("barpoint.local", ())


@pytest.mark.parametrize(
    ("path", "statuses"),
    [
        ("/api/v1/position?seq=-1", (422,)),
        ("/api/v1/position?seq=1e3", (422,)),
        ("/api/v1/position?seq=99999", (404,)),
        ("/api/v1/position?seq=" + "9" * 4000, (422,)),
        ("/api/v1/events?limit=0", (422,)),
        ("/api/v1/events?after=x", (422,)),
        ("/api/v1/record.exe", (422,)),
        ("/api/v1/games/0", (422,)),
        ("/api/v1/games/900", (404,)),
        ("/api/v1/events/99999", (404,)),
        ("/api/v1/events/0", (422,)),
        ("/api/v1/position.svg?theme=<x>", (422,)),
        ("/api/v1/nothing", (404,)),
        ("/nothing", (404,)),
    ],
)
def test_what_is_not_there_or_not_right_is_a_problem(site: Site, path: str, statuses: tuple[int, ...]) -> None:
    assert is_problem(site.client.get(path), *statuses)


def test_a_head_that_never_ends_is_cut_off(site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.served.ports[0]), timeout=30) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        sent = 0
        try:
            while sent < 20_000_000:
                sent += connection.send(b"X-More: " + b"a" * 60_000 + b"\r\n")
        except OSError:
            pass
    assert sent < 20_000_000
    assert site.client.get("/healthz").status_code == 200


def test_a_head_that_takes_too_long_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.wire.HEAD_S", 0.3)
    with socket.create_connection(("127.0.0.1", site.served.ports[0]), timeout=30) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost:")
        assert connection.recv(100) == b""


def test_one_connection_serves_many_requests(site: Site) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", site.served.ports[0], timeout=30)
    for _ in range(50):
        connection.request("GET", "/api/v1/position", headers={"X-Padding": "y" * 2000})
        response = connection.getresponse()
        response.read()
        assert response.status == 200
    connection.close()


def test_random_bytes_never_stop_the_server(site: Site) -> None:
    chance = random.Random(7)
    for _ in range(60):
        junk = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 400)))
        start = chance.choice(
            [b"", b"GET / HTTP/1.1\r\n", b"POST /api/v1/desk/cube HTTP/1.1\r\nHost: localhost\r\n"]
        )
        with socket.create_connection(("127.0.0.1", site.served.ports[0]), timeout=30) as connection:
            connection.sendall(start + junk)
    assert site.client.get("/healthz").status_code == 200


def test_one_address_holds_only_so_many_streams(site: Site) -> None:
    held = []
    for _ in range(3):
        connection = http.client.HTTPConnection("127.0.0.1", site.served.ports[0], timeout=30)
        connection.request("GET", "/api/v1/live")
        held.append((connection, connection.getresponse()))
    answer = site.client.get("/api/v1/live")
    assert is_problem(answer, 429)
    assert int(answer.headers["Retry-After"]) > 0
    for connection, response in held:
        response.close()
        connection.close()


def test_too_many_requests_are_told_when_to_come_back() -> None:
    served = Served(create_app(ScriptedTable(), limits=Limits(burst=5, per_s=0.5)))
    with httpx.Client(base_url=served.url) as client:
        answers = [client.get("/healthz") for _ in range(8)]
    served.close()
    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 3
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 3


def test_counting_clients_takes_bounded_memory() -> None:
    now = [0.0]
    rate = Rate(2, 1, 100, lambda: now[0])
    for number in range(1000):
        assert rate.wait_s(f"client {number}") == 0
    assert len(rate._buckets) == 100
    assert [rate.wait_s("one") for _ in range(3)] == [0, 0, 1]
    now[0] = 1.0
    assert rate.wait_s("one") == 0


def test_every_answer_forbids_what_pages_do_not_need(site: Site) -> None:
    for path in ("/", "/tv", "/desk", "/static/js/board.js", "/api/v1/position", "/nothing"):
        headers = site.client.get(path).headers
        assert headers["Content-Security-Policy"].startswith("default-src 'self'")
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "unsafe" not in headers["Content-Security-Policy"]


def test_a_port_in_use_is_one_clear_line() -> None:
    taken = listen("127.0.0.1", 0)
    with pytest.raises(DeviceError, match=r"port \d+ on 127.0.0.1 is in use"):
        listen("127.0.0.1", taken.getsockname()[1])
    taken.close()
    with pytest.raises(DeviceError, match="cannot listen"):
        listen("203.0.113.7", 0)
    with pytest.raises(DeviceError, match="cannot listen"):
        listen("127.0.0.1", 70_000)


def resident_kb() -> int:
    """Return the memory of this process, server included."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


def junk(chance: random.Random) -> tuple[str, str, bytes, dict[str, str]]:
    """Return one senseless request."""
    text = "".join(chr(chance.choice((chance.randrange(32, 127), chance.randrange(160, 800)))) for _ in range(40))
    path = chance.choice(
        ["/api/v1/position", "/api/v1/events", "/api/v1/desk/start_match", "/api/v1/desk/correct",
         "/api/v1/desk/sight", "/api/v1/position.svg", "/api/v1/record.mat", "/static/js/board.js",
         "/api/v1/games/1", "/desk", "/nothing"]
    )  # fmt: skip
    method = chance.choice(["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"])
    query = f"?{quote(text[:10])}={quote(text[10:30])}&seq={chance.randrange(-9, 9 * 10**18)}"
    bodies = [
        b"", text.encode(), json.dumps({text: [text] * 50}).encode(), b"[" * chance.randrange(9000),
        json.dumps({"players": {"white": text, "black": text}, "length": chance.randrange(-9, 99)}).encode(),
        bytes(chance.randrange(256) for _ in range(chance.randrange(4000))), b"x" * 25_000,
    ]  # fmt: skip
    headers = {
        "Content-Type": chance.choice(["application/json", "text/plain", quote(text)]),
        "X-Junk": quote(text) * 20,
    }
    if chance.random() < 0.5:
        headers |= AUTH
    return method, path + query, chance.choice(bodies), headers


def test_senseless_requests_leave_memory_and_table_as_they_are(site: Site) -> None:
    chance = random.Random(11)
    sizes = []
    for _ in range(4):
        for _ in range(120):
            method, path, body, headers = junk(chance)
            answer = site.client.request(method, path, content=body, headers=headers)
            assert answer.status_code < 500, (method, path, answer.text)
            if answer.status_code >= 400 and method != "HEAD":
                assert answer.headers["Content-Type"] == "application/problem+json", (method, path)
        before = site.table.snapshot().seq
        site.served.call(site.table.play())
        assert site.client.get("/api/v1/snapshot").json()["seq"] == site.table.snapshot().seq > before
        gc.collect()
        sizes.append(resident_kb())
    assert sizes[-1] - sizes[0] < 8_000, sizes


def test_the_table_is_as_it_was_after_all_that(site: Site, tmp_path: Path) -> None:
    before = site.client.get("/api/v1/snapshot").json()
    site.served.call(site.table.play())
    assert site.client.get("/api/v1/snapshot").json()["seq"] > before["seq"]
