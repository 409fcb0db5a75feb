"""Every language says everything, and everything that is said is in the languages."""

from __future__ import annotations

import json
import re

import pytest

from api.app import STATIC

LANGUAGES = sorted(path.stem for path in (STATIC / "lang").glob("*.json"))
ENGLISH = json.loads((STATIC / "lang" / "en.json").read_text(encoding="utf-8"))


def fields(text: str) -> list[str]:
    return sorted(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_text_with_its_values(language: str) -> None:
    words = json.loads((STATIC / "lang" / f"{language}.json").read_text(encoding="utf-8"))
    assert words.keys() == ENGLISH.keys()
    for key, text in words.items():
        assert text.strip(), key
        assert fields(text) == fields(ENGLISH[key]), key
    assert words["text.direction"] == ("rtl" if language == "he" else "ltr")


def test_five_languages_are_there() -> None:
    assert LANGUAGES == ["de", "en", "es", "he", "ro"]


def test_every_text_that_a_page_asks_for_exists() -> None:
    asked = set()
    for path in (*STATIC.glob("*.html"), *STATIC.glob("js/*.js")):
        text = path.read_text(encoding="utf-8")
        asked |= set(re.findall(r'data-t(?:-label)?="([\w. -]+)"', text))
        asked |= set(re.findall(r"""\bt\("([\w. ]+)\"""", text))
    assert asked
    assert asked <= ENGLISH.keys()


def test_no_page_names_another_host_or_holds_a_script_of_its_own() -> None:
    for path in STATIC.rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        for address in re.findall(r"https?://[\w.-]+", text):
            assert address == "http://www.w3.org", path
    for path in STATIC.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=", text), path
