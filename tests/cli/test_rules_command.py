"""``barpoint rules``: the list and one profile, in words and as JSON."""

import json

import pytest

from controller.cli import main
from controller.rules import PROFILES


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(["rules", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_without_a_name_all_profiles_are_listed_with_their_sources(capsys):
    status, out, _ = run(capsys)
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == list(PROFILES)
    assert all(rules.source in out for rules in PROFILES.values())
    assert "(default)" in out


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_printed_with_source_and_differences(capsys, name):
    status, out, _ = run(capsys, name)
    assert status == 0
    assert out.startswith(f"{name}: {PROFILES[name].source}\n")
    assert ("Different from international" in out) == (name != "international")


def test_differences_are_those_of_the_source(capsys):
    _, out, _ = run(capsys, "touch-move")
    after = out[out.index("Different from international") :]
    assert "A backgammon counts no more than a gammon." in after
    assert "Only matches to 3, 5 have a cube." in after
    assert "The higher begins" not in after


def test_json_holds_every_key(capsys):
    answer = json.loads(run(capsys, "old-english", "--json")[1])
    assert answer["opening"] == "white_first"
    assert "must_use" in answer["differences"]
    assert [json.loads(line)["name"] for line in run(capsys, "--json")[1].splitlines()] == list(PROFILES)


def test_an_unknown_name_is_one_line_with_the_known_ones(capsys):
    status, out, err = run(capsys, "fevga")
    assert (status, out, len(err.splitlines())) == (1, "", 1)
    assert "no rules are named 'fevga'; there are shesh-besh, old-english" in err
