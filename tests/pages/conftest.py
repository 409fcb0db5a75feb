"""One browser for all page tests, and a table with both its doors behind real servers."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from api.app import create_app, create_desk_app
from api.door import Limits
from api.tokens import Person, Role, Tokens
from controller.ports import Setup
from tests.api.scripted import ScriptedTable, with_clock
from tests.api.serving import Served
from tests.pages.camera import DrawnSetup

CHROMIUM = os.environ.get("BARPOINT_CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LIMITS = Limits(burst=100_000, per_s=100_000, streams=1000)
expect.set_options(timeout=20_000)

PHONE, LAPTOP, TV = (390, 844), (1366, 768), (1920, 1080)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of one module in one process, in a row: the browser keeps an event loop running."""
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield opened
        opened.close()


class Hall:
    """A table, its viewers' door and its desk's door, a drawn camera, and the browser's windows on them."""

    def __init__(self, browser: Browser, setup: Setup | None = None) -> None:
        self.table = ScriptedTable(names=("Ann <b>Lee</b>", "Bob"))
        self.drawn = DrawnSetup()
        self.setup = setup or self.drawn
        self.tokens = Tokens({})
        self.token = self.tokens.add(Person("Eve", Role.ADMIN))
        self.served = self._serve(())
        self.call(self.table.play_many(6))
        self.call(self.table.put({"type": "clock"}, clock=with_clock()))
        self.browser = browser
        self.contexts: list[BrowserContext] = []
        self.complaints: list[str] = []
        self.allowed: set[str] = set()
        self.hosts: set[str] = set()

    def _serve(self, ports: tuple[int, ...]) -> Served:
        viewers = create_app(self.table, limits=LIMITS, beat_s=1.0)
        desk = create_desk_app(self.table, self.tokens, viewers=viewers, setup=self.setup, limits=LIMITS)
        return Served(viewers, desk, ports=ports)

    def call(self, work: Any) -> Any:
        """Let something happen at the table."""
        return self.served.call(work)

    def stop(self) -> None:
        """Stop the server; the table stays what it is, and pages may say that nobody answers."""
        self.allow("net::ERR_")
        self.served.close()
        self.table.publishers.clear()

    def allow(self, part: str) -> None:
        """Let the browser complain of what a test brings about: its complaint has these words."""
        self.allowed.add(part)

    def start_again(self) -> None:
        """Serve the same table on the same ports."""
        self.served = self._serve(self.served.ports)

    def url(self, path: str) -> str:
        door = 1 if path.startswith(("/desk", "/setup")) else 0
        return self.served.url_of(door) + path

    def open(
        self, path: str, size: tuple[int, int] = LAPTOP, scheme: Any = "dark", lang: str = "en", **options: Any
    ) -> Page:
        """Open a page in a fresh window; the desk's pages have a token."""
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, locale=lang, **options
        )
        self.contexts.append(context)
        if path.startswith(("/desk", "/setup")):
            context.add_init_script(f"sessionStorage.setItem('token', '{self.token}')")
        page = context.new_page()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.hosts.update(_host(request.url)))
        page.goto(self.url(path))
        return page

    def _heard(self, message: Any) -> None:
        wanted = any(part in message.text for part in self.allowed)
        if message.type in ("error", "warning") and not wanted:
            self.complaints.append(message.text)

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        self.served.close()


def _host(url: str) -> list[str]:
    """Return the host of an address; what the page made itself has none."""
    parts = urlsplit(url)
    return [] if parts.scheme in ("blob", "data") else [parts.hostname or "-"]


@pytest.fixture
def hall(browser: Browser) -> Iterator[Hall]:
    """A hall; none of its pages may complain or ask another host."""
    made = Hall(browser)
    yield made
    made.close()
    assert made.complaints == []
    assert made.hosts <= {"127.0.0.1"}


def wait_for_seq(page: Page, seq: int) -> None:
    """Wait until a page has drawn the snapshot after event `seq`, or a newer one."""
    page.locator("body[data-seq]").wait_for(state="attached")
    until = 400
    while int(page.locator("body").get_attribute("data-seq") or -1) < seq and until:
        page.wait_for_timeout(50)
        until -= 1
    assert int(page.locator("body").get_attribute("data-seq") or -1) >= seq


def drawn_ms(page: Page) -> dict[int, int]:
    """Return when a page drew each event, milliseconds since 1970."""
    text = page.locator("body").get_attribute("data-drawn") or ""
    return {int(seq): int(at) for seq, _, at in (part.partition(":") for part in text.split())}


TURN_AROUND = """async () => {
  const start = performance.now();
  await fetch("/healthz");
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - start;
}"""


def turn_around_ms(page: Page) -> float:
    """Return what this machine takes now for one small answer and one picture on the screen, the median of 5."""
    return statistics.median(float(page.evaluate(TURN_AROUND)) for _ in range(5))


def lateness_ms(hall: Hall, page: Page, plays: int, play: Callable[[], int]) -> float:
    """Let several plays happen one by one and return how late the page drew them, the median."""
    seqs = []
    for _ in range(plays):
        seqs.append(play())
        wait_for_seq(page, seqs[-1])
    drawn = drawn_ms(page)
    return statistics.median(drawn[seq] - hall.table.put_at[seq] * 1000 for seq in seqs if seq in drawn)
