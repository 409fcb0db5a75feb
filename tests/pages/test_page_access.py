"""No page keeps anybody out: axe-core finds no serious violation, and the keyboard reaches everything."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.pages.conftest import LAPTOP, PHONE, TV, Hall, wait_for_seq

THEMES = ("dark", "light", "contrast")
PAGES = ("/", "/tv", "/overlay", "/report", "/desk", "/setup")


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    ("size", "lang", "themes"),
    [(LAPTOP, "en", THEMES), (PHONE, "he", ("light", "dark")), (TV, "en", ("light", "dark"))],
)
def test_axe_finds_no_serious_violation(
    hall: Hall, path: str, size: tuple[int, int], lang: str, themes: tuple[str, ...]
) -> None:
    page = hall.open(path, size, lang=lang)
    page.locator("body[data-ready]" if path == "/setup" else "body[data-seq]").wait_for(state="attached")
    if path == "/desk":
        for summary in page.locator("summary").all():
            summary.click()
    for theme in themes:
        page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
        found = Axe().run(page).response["violations"]
        serious = [violation for violation in found if violation["impact"] in ("serious", "critical")]
        told = [(v["id"], [node["html"][:160] for node in v["nodes"][:3]]) for v in serious]
        assert told == [], f"{path} in {theme}"


def test_the_keyboard_reaches_every_control_of_the_viewer(hall: Hall) -> None:
    page = hall.open("/", PHONE)
    wait_for_seq(page, hall.table.snapshot().seq)
    page.locator(".moves button").first.wait_for()
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {"step-first", "step-back", "moves", "flip", "mirror", "theme", "language"} <= reached


def test_language_and_theme_are_chosen_and_kept(hall: Hall) -> None:
    page = hall.open("/")
    wait_for_seq(page, hall.table.snapshot().seq)
    page.locator("#language").select_option("ro")
    expect(page.locator("#badge")).to_have_text("În direct")
    page.locator("#theme").select_option("contrast")
    page.reload()
    expect(page.locator("#badge")).to_have_text("În direct")
    expect(page.locator("html")).to_have_attribute("data-theme", "contrast")
    expect(page.locator("html")).to_have_attribute("lang", "ro")


def test_motion_is_left_out_for_those_who_asked_for_less(hall: Hall) -> None:
    page = hall.open("/", reduced_motion="reduce")
    wait_for_seq(page, hall.table.snapshot().seq)
    newest = int(hall.call(hall.table.play()))
    wait_for_seq(page, newest)
    assert page.evaluate("document.getAnimations().length") == 0
