"""The whole table killed with SIGKILL and started again: every open page says so and goes on without a reload."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.serving import free_ports

PATHS = ("/", "/tv", "/overlay", "/desk")


class Program:
    """`barpoint simulate` on its own journal."""

    def __init__(self, folder: Path) -> None:
        self.port = free_ports(2)
        self._folder = folder
        self.token = ""
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        settings = {
            "BARPOINT_API_PORT": str(self.port),
            "BARPOINT_API_HOST": "127.0.0.1",
            "BARPOINT_TABLE_JOURNAL": str(self._folder / "evening.sqlite"),
        }
        command = [sys.executable, "-m", "controller", "simulate", "--speed", "4"]
        self._process = subprocess.Popen(
            command, env=os.environ | settings, cwd=self._folder, text=True, stdout=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"shown only once:\s+(\S+)", line):
                self.token = found[1]
            if "▀▀▀▀▀▀▀" in line:
                return
        raise AssertionError("the table did not start")

    def kill(self) -> None:
        """Take away the process and the emulated board, without a word to either."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def open(self, browser: Browser, path: str) -> Page:
        page = browser.new_context(locale="en").new_page()
        page.add_init_script(f"sessionStorage.setItem('token', '{self.token}')")
        page.goto(f"http://127.0.0.1:{self.port + (path == '/desk')}{path}")
        return page


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    made = Program(tmp_path)
    yield made
    made.kill()


def seq(page: Page) -> int:
    return int(page.locator("body").get_attribute("data-seq") or -1)


def wait_for_more(page: Page, than: int) -> None:
    for _ in range(1200):
        if seq(page) > than:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"nothing new after event {than}")


def test_pages_outlive_a_killed_table(browser: Browser, program: Program) -> None:
    pages = {path: program.open(browser, path) for path in PATHS}
    for page in pages.values():
        wait_for_more(page, 2)
        page.evaluate("document.body.dataset.notReloaded = 'yes'")
    program.kill()
    for page in pages.values():
        page.locator("body[data-conn=offline]").wait_for(state="attached")
        expect(page.locator(".badge")).to_contain_text("Offline since")
    last = max(seq(page) for page in pages.values())
    match = pages["/"].locator("#match").inner_text()
    program.start()
    for page in pages.values():
        page.locator("body[data-conn=live]").wait_for(state="attached", timeout=60_000)
        wait_for_more(page, last)
        assert page.locator("body").get_attribute("data-not-reloaded") == "yes"
    assert pages["/"].locator("#match").inner_text() == match
    for page in pages.values():
        page.context.close()
