"""The rules decide how the table handles a match, unless a setting says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.config import Settings, load_settings
from controller.errors import ConfigError
from controller.rules import Color, new_match
from controller.rules.profiles import PROFILES, profile
from controller.session.facts import MatchStarted, fact_json, fact_of
from controller.session.settings import Settings as TableRules
from controller.wiring import match_started, table_rules


def loaded(tmp_path: Path, text: str = "", **environment: str) -> Settings:
    path = tmp_path / "barpoint.toml"
    path.write_text(text)
    return load_settings(path, environment)


def begun(tmp_path: Path, text: str = "", **environment: str) -> MatchStarted:
    return match_started(loaded(tmp_path, text, **environment), 1)


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_begins_a_match_of_its_own_length(tmp_path: Path, name: str) -> None:
    started = begun(tmp_path, f"[match]\nrules = '{name}'")
    rules = profile(name)
    assert started.length == rules.default_length
    assert new_match(rules, started.length).length == rules.default_length
    assert fact_of(fact_json(started)) == started


@pytest.mark.parametrize(
    ("name", "moves", "hints", "clock", "flag"),
    [
        ("shesh-besh", "strict", "points", "none", "none"),
        ("old-english", "strict", "points", "none", "none"),
        ("touch-move", "strict", "checkers", "turn", "game"),
        ("match-play", "strict", "all", "none", "none"),
        ("classic", "legal", "off", "none", "none"),
        ("international", "legal", "off", "none", "event"),
        ("tournament", "legal", "off", "delay", "match"),
    ],
)
def test_the_profile_is_what_the_table_uses(
    tmp_path: Path, name: str, moves: str, hints: str, clock: str, flag: str
) -> None:
    rules = table_rules(loaded(tmp_path, f"[match]\nrules = '{name}'"))
    assert (rules.moves, rules.hints, rules.clock.kind, rules.clock.flag) == (moves, hints, clock, flag)
    assert rules.tournament is (name == "tournament")


def test_single_keys_hold_instead_of_the_profile_and_stand_in_the_match(tmp_path: Path) -> None:
    text = "[rules]\nhints = 'all'\nillegal_plays = 'responsible'\nlengths = [3, 5]\n"
    text += "default_length = 3\nclock = 'delay'\n"
    started = begun(tmp_path, text, BARPOINT_RULES_DELAY_S="8", BARPOINT_RULES_RESERVE_S_PER_POINT="90")
    assert (started.settings.hints, started.settings.moves, started.length) == ("all", "responsible", 3)
    assert (started.settings.clock.delay_s, started.settings.clock.reserve_s(3, (0, 0))) == (8.0, 270.0)
    assert started.keys["lengths"] == [3, 5]
    assert fact_of(fact_json(started)) == started


def test_a_setting_of_the_table_stands_over_the_rules(tmp_path: Path) -> None:
    text = (
        "[match]\nrules = 'touch-move'\nlength = 5\n[turn]\nmoves_policy = 'condoned'\nhints = 'off'\n"
        "early_roll = 'withdrawn'\nsound = false\n[clock]\nkind = '20'\n"
    )
    started = begun(tmp_path, text)
    rules = started.settings
    assert (started.length, rules.moves, rules.hints) == (5, "condoned", "off")
    assert (rules.early_roll, rules.sound) == ("withdrawn", False)
    assert (rules.clock.kind, rules.clock.delay_s, rules.clock.flag) == ("turn", 20.0, "game")
    assert table_rules(loaded(tmp_path, "[match]\nrules='touch-move'\n[clock]\nkind='none'")).clock.kind == "none"
    delay = table_rules(loaded(tmp_path, "[clock]\nkind='delay'\ndelay_s=5\nminutes_a_point=1.5")).clock
    assert (delay.delay_s, delay.reserve_s_per_point, delay.reserve_s_per_scored) == (5.0, 90.0, 45.0)


def test_whom_the_computer_plays_is_set_for_the_match(tmp_path: Path) -> None:
    rules = table_rules(loaded(tmp_path, "[match]\nrules='match-play'\ncomputer='black'"))
    assert (rules.computer, rules.level) == (Color.BLACK, "beginner")
    assert table_rules(loaded(tmp_path, "[match]\ncomputer='white'\nlevel='expert'")).level == "expert"
    assert table_rules(loaded(tmp_path)).computer is TableRules().computer is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[rules]\njacobi = true", ["barpoint.toml", "[rules]", "jacobi", "jacoby"]),
        ("[rules]\nhints = 'some'", ["barpoint.toml", "hints", "points"]),
        ("[match]\nrules = 'mine'", ["barpoint.toml", "mine", "international"]),
        ("[match]\nrules = 'touch-move'\n[clock]\nkind = '30'", ["clock.kind", "20, 40"]),
        ("[clock]\nkind = 'fast'", ["clock.kind", "delay"]),
        ("[match]\nrules = 'touch-move'\ncomputer = 'black'\nlevel = 'medium'", ["match.level", "easy, hard"]),
        ("[match]\ncomputer = 'black'\nlevel = 'wizard'", ["match.level", "beginner", "expert"]),
        ("[match]\nrules = 'touch-move'\nlength = 7", ["match.length", "1, 3, 5"]),
        ("[match]\nlength = 100", ["match.length", "99"]),
    ],
)
def test_what_does_not_fit_the_rules_is_named_with_what_does(tmp_path: Path, text: str, names: list[str]) -> None:
    with pytest.raises(ConfigError) as error:
        begun(tmp_path, text)
    assert all(name in str(error.value) for name in names), str(error.value)


def test_a_wrong_key_of_the_environment_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"environment.*jacobi"):
        begun(tmp_path, BARPOINT_RULES_JACOBI="on")
