"""SGF and JSON, and the way from one format to the next and back."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema_rs
import pytest
from random_record import Odd, random_match, record_of

import controller.records
from controller.errors import InvalidNotationError
from controller.records import (
    ENDINGS,
    MatchRecord,
    Note,
    read_json,
    read_mat,
    read_record,
    read_sgf,
    record_json,
    write_json,
    write_mat,
    write_sgf,
)
from controller.records.schema import schema
from controller.rules import Color, profile

DATA = Path(__file__).parent / "data"
PUBLISHED = Path(controller.records.__file__).parent / "schema.json"


def sorted_tags(record: MatchRecord) -> MatchRecord:
    return replace(record.without_lines(), tags=tuple(sorted(record.tags)))


def check_way_around(record: MatchRecord) -> None:
    """Check .mat -> .json -> .sgf -> .mat: the same record, the same text."""
    first = read_mat(write_mat(record).text).record
    as_json = read_json(write_json(first).text).record
    assert as_json == first.without_lines()
    as_sgf = read_sgf(write_sgf(as_json).text).record
    assert sorted_tags(as_sgf) == sorted_tags(first)
    last = read_mat(write_mat(as_sgf).text).record
    assert sorted_tags(last) == sorted_tags(first)


@pytest.mark.needs_shared
def test_the_real_files_go_all_the_way_around(shared: Path) -> None:
    for file in sorted((shared / "formats" / "matches").iterdir()):
        if file.suffix in ENDINGS and file.name != "index.json":
            check_way_around(read_record(file.read_bytes(), file.name).record)


def test_the_own_samples_go_all_the_way_around() -> None:
    for file in sorted(DATA.iterdir()):
        if file.name != "ids.json":
            check_way_around(read_record(file.read_bytes(), file.name).record)


def test_the_three_samples_of_one_match_are_one_match() -> None:
    mat, sgf, own = (
        read_record((DATA / name).read_bytes(), name) for name in ("club.mat", "club.sgf", "club.json")
    )
    assert sorted_tags(mat.record) == sorted_tags(sgf.record) == sorted_tags(own.record)


def test_random_records_with_everything_in_them_go_all_the_way_around() -> None:
    odd = Odd(double=0.2, raise_again=0.5, resign=0.05, condone=0.03, leave=0.01)
    rules = profile("international", beavers=True, raccoons=True, automatic_doubles=1)
    for seed in range(12):
        check_way_around(record_of(random_match(rules, seed, length=None, odd=odd)))


def test_notes_beside_actions_are_kept_by_all_formats() -> None:
    record = read_mat((DATA / "club.mat").read_text()).record.without_lines()
    game = record.games[0]
    note = Note(comment="Why?\n[\\] (;W[31])", at="2026-11-29T20:15:00+01:00", clock_s=(12.5, 0.1), used_s=3.25)
    actions = (replace(game.actions[0], note=note), *game.actions[1:])
    record = replace(record, games=(replace(game, actions=actions, comment="First game"), *record.games[1:]))
    for read, write in ((read_mat, write_mat), (read_sgf, write_sgf), (read_json, write_json)):
        back = read(write(record).text).record
        assert sorted_tags(back) == sorted_tags(record)


def test_the_published_schema_is_current() -> None:
    assert json.loads(PUBLISHED.read_text()) == schema()


def test_what_is_written_fits_the_schema() -> None:
    validator = jsonschema_rs.Draft202012Validator(schema())
    odd = Odd(double=0.2, raise_again=0.5, resign=0.05, condone=0.03, leave=0.01)
    rules = profile("international", beavers=True, automatic_doubles=2)
    for seed in range(6):
        data = record_json(record_of(random_match(rules, seed, length=None, odd=odd)))
        validator.validate(data)


def test_nothing_is_lost_in_json() -> None:
    for seed in range(10):
        record = record_of(random_match(profile("touch-move"), seed))
        assert read_json(write_json(record).text).record == record


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "line 1: no JSON"),
        ('{\n"a": }', "line 2: no JSON"),
        ("[]", "match is an object"),
        ("{}", "the format is None"),
        ('{"format": "barpoint-match", "version": 2}', "this program knows 1"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_text_that_is_no_match_is_refused_with_line_and_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidNotationError, match=reason):
        read_json(text)


def test_a_bad_game_of_json_leaves_the_others() -> None:
    data = json.loads((DATA / "club.json").read_text())
    data["games"][3]["actions"][3]["dice"] = [7, 1]
    reading = read_json(json.dumps(data))
    assert len(reading.record.games[3].actions) == 3
    assert reading.record.games[2].winner is not None
    assert "action 4: dice are two faces" in str(reading.problems[0])


def test_a_damaged_game_of_sgf_leaves_the_others() -> None:
    text = (DATA / "club.sgf").read_text()
    damaged = text.replace(";B[", ";B(", 1)
    reading = read_sgf(damaged)
    whole = read_sgf(text).record
    assert reading.record.games[1] == whole.games[1]
    assert reading.problems[0].game == 1
    assert reading.problems[0].line > 0


def test_games_of_other_kinds_are_left_out() -> None:
    text = "(;FF[4]GM[1]SZ[19];B[aa])\n" + (DATA / "club.sgf").read_text()
    reading = read_sgf(text)
    assert len(reading.record.games) == 4
    assert [problem.line for problem in reading.problems] == [1]


def test_a_roll_and_an_illegal_position_are_read_as_gnubg_writes_them() -> None:
    text = (
        "(;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[A]PB[B]\n;W[31hefe]\n;PL[B]DI[21]\n"
        ";PL[B]AE[a:y]AW[e:f][e][f][f][f][h][h][m][m][m][m][m][x][x]AB[s][s][s][s][s][q][q][q][l][l][l][l][l][a][b]\n"
        ";PL[W]DI[64])"
    )
    game = read_sgf(text).record.games[0]
    assert [action.player for action in game.actions] == [Color.WHITE, Color.BLACK, Color.WHITE]
    assert game.actions[1].condoned
    assert game.actions[2].play is None
