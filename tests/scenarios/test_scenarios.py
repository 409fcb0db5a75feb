"""Every scenario of this folder, played."""

import re
from pathlib import Path

import pytest

from tests.scenarios.runner import FAULTS, ScenarioError, run

FOLDER = Path(__file__).parent
SCENARIOS = sorted(FOLDER.glob("*.board"))


@pytest.mark.parametrize("path", SCENARIOS, ids=[path.stem for path in SCENARIOS])
def test_the_evening_goes_as_it_is_written(path: Path) -> None:
    run(path)


def test_every_report_that_concerns_the_table_has_a_scenario() -> None:
    named = " ".join(path.read_text(encoding="utf-8") for path in SCENARIOS)
    missing = [report for report in REPORTS if not re.search(rf"report: {report}\b", named)]
    assert not missing


def test_every_feature_that_concerns_the_table_has_a_test_that_names_it() -> None:
    tests = FOLDER.parent
    texts = [path.read_text(encoding="utf-8") for path in (*tests.rglob("*.py"), *SCENARIOS)]
    named = {
        int(number)
        for text in texts
        for numbers in re.findall(r"[Ff]eatures?:? ((?:\d+|, | and )+)", text)
        for number in re.findall(r"\d+", numbers)
    }
    assert not set(FEATURES) - named


def test_there_are_at_least_sixty_scenarios() -> None:
    assert len(SCENARIOS) >= 60


def test_every_fault_of_the_wire_is_played() -> None:
    lines = {line for path in SCENARIOS for line in path.read_text(encoding="utf-8").splitlines()}
    assert not FAULTS.keys() - lines


def test_a_scenario_that_does_not_hold_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.board"
    path.write_text("match 1 dice=keyed\nexpect match_start\nexpect game_start\nexpect play\n")
    with pytest.raises(ScenarioError, match=r"wrong\.board:4"):
        run(path)


REPORTS = (
    1,
    3,
    4,
    5,
    6,
    9,
    10,
    11,
    12,
    14,
    19,
    21,
    22,
    23,
    25,
    29,
    30,
    33,
    34,
    35,
    37,
    38,
    40,
    42,
    43,
    44,
    50,
    51,
    53,
    56,
    57,
)
"""Numbers of the public reports of issues at tables that are played here."""

FEATURES = (*range(19, 66), *range(71, 78), 98)
"""Numbers of the features of a table: sight as evidence, verdicts, rules, clock, dice, lights, the director."""
