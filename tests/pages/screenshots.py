"""Pictures of every page for the README: ``python -m tests.pages.screenshots FOLDER [URL]``.

Starts `barpoint simulate` in an empty folder, lets some plays happen, and takes each page at the sizes that
people use. With URL (of the viewers' door) it takes the pictures of a table that runs already.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Error, FloatRect, Page, sync_playwright

from tests.api.serving import free_ports
from tests.pages.conftest import CHROMIUM, FLAGS, LAPTOP, PHONE, TV

PLAYS = 12


@dataclass(frozen=True)
class Shot:
    """One picture: file name, path of the page, size, theme and language."""

    name: str
    path: str
    size: tuple[int, int]
    theme: str = "dark"
    lang: str = "en"
    full: bool = False


SHOTS = (
    Shot("viewer-phone", "/", PHONE),
    Shot("viewer-laptop", "/", LAPTOP, "light"),
    Shot("viewer-tv", "/", TV),
    Shot("viewer-hebrew", "/", PHONE, "light", "he"),
    Shot("tv", "/tv", TV),
    Shot("overlay", "/overlay", TV),
    Shot("report", "/report", LAPTOP, "light", full=True),
    Shot("desk", "/desk", LAPTOP, full=True),
    Shot("desk-phone", "/desk", PHONE, "light", full=True),
    Shot("setup", "/setup", LAPTOP),
)


@contextmanager
def simulated() -> Iterator[tuple[str, str]]:
    """Run the simulated table; yield its address and the desk's token."""
    port = free_ports(2)
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "BARPOINT_API_PORT": str(port),
            "BARPOINT_API_HOST": "127.0.0.1",
            "BARPOINT_TABLE_JOURNAL": f"{folder}/evening.sqlite",
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "controller", "simulate", "--speed", "1"],
            env=os.environ | settings, stdout=subprocess.PIPE, text=True, cwd=folder,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            token = ""
            for line in process.stdout:
                if found := re.search(r"(barpoint_\S+)", line):
                    token = found[1]
                    break
            yield f"http://127.0.0.1:{port}", token
        finally:
            process.terminate()
            process.wait(20)


def take(browser: Browser, shot: Shot, address: str, token: str, folder: Path) -> None:
    """Take one picture."""
    door = address
    if shot.path in ("/desk", "/setup"):
        host, _, port = address.rpartition(":")
        door = f"{host}:{int(port) + 1}"
    context = browser.new_context(
        viewport={"width": shot.size[0], "height": shot.size[1]}, locale=shot.lang,
        color_scheme="light" if shot.theme == "light" else "dark",
    )  # fmt: skip
    context.add_init_script(f"sessionStorage.setItem('token', {token!r})")
    page = context.new_page()
    page.goto(door + shot.path)
    page.locator("body[data-ready]" if shot.path == "/setup" else "body[data-seq]").wait_for(state="attached")
    wait_until_still(page)
    if shot.path == "/setup":
        wait_until_nobody_plays(page)
    page.screenshot(
        path=folder / f"{shot.name}.png", full_page=shot.full, omit_background=shot.path == "/overlay",
        clip=around(page) if shot.path == "/overlay" else None,
    )  # fmt: skip
    context.close()


def wait_until_nobody_plays(page: Page) -> None:
    """Look again until no hand is over the board and no play is half made; then the wizard has nothing to say."""
    for _ in range(60):
        if page.locator(".findings li[data-ok=false]").count() == 0:
            return
        page.reload()
        page.locator("body[data-ready]").wait_for(state="attached")
        wait_until_still(page)


def around(page: Page) -> FloatRect:
    """Return where the overlay lies, with a margin; around it there is nothing."""
    box = page.locator("#overlay section").bounding_box()
    assert box is not None
    return {"x": box["x"] - 20, "y": box["y"] - 20, "width": box["width"] + 40, "height": box["height"] + 40}


def wait_until_still(page: Page) -> None:
    """Give fonts, pictures and moving checkers a moment."""
    page.wait_for_timeout(900)


def main(folder: Path, address: str | None) -> None:
    """Take all pictures into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        if address is not None:
            for shot in SHOTS:
                take(browser, shot, address, os.environ.get("BARPOINT_TOKEN", ""), folder)
        else:
            with simulated() as (address, token):
                _let_them_play(browser, address)
                for shot in SHOTS:
                    take(browser, shot, address, token, folder)
        browser.close()


def _let_them_play(browser: Browser, address: str) -> None:
    page = browser.new_page()
    for _ in range(60):
        with suppress(Error):
            page.goto(address)
            break
        page.wait_for_timeout(500)
    until = time.monotonic() + 300
    while page.locator(".moves button").count() < PLAYS and time.monotonic() < until:
        page.wait_for_timeout(500)
    page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
