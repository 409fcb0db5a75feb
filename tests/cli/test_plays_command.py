"""``barpoint plays``: one position, a batch, and every way of giving it bad input."""

import json

import pytest

from controller.cli import main

START = "-b----E-C---eE---c-e----B-"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:0:0:7:10"


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(["plays", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_roll_is_answered_with_a_line_for_each_play(capsys):
    status, out, _ = run(capsys, "start", "31")
    lines = out.splitlines()
    assert (status, len(lines)) == (0, 16)
    assert "8/5 6/5                          -b---BD-B---eE---c-e----B-" in lines


@pytest.mark.parametrize("position", ["4HPwATDgc/ABMA", "4HPwATDgc/ABMA:cAkAAAAAAAAA", XGID, XGID[5:], START])
def test_every_spelling_of_the_start_gives_the_same_plays(capsys, position):
    assert run(capsys, "--", position, "3-1") == run(capsys, "start", "13")


def test_a_dance_is_one_line(capsys):
    status, out, _ = run(capsys, "--", "-----E-----------A-bbbbbbA", "65")
    assert (status, out.split()) == (0, ["Cannot", "Move", "-----E-----------A-bbbbbbA"])


def test_json_holds_plays_and_first_steps(capsys):
    _, out, _ = run(capsys, "start", "65", "--json")
    answer = json.loads(out)
    assert answer["dice"] == [6, 5]
    assert len(answer["plays"]) == 7
    assert [24, 18, 6] in answer["first_steps"]


def test_the_rules_decide_what_is_legal(capsys):
    board = "-bA---A-----------------e-"
    assert len(run(capsys, "--rules", "old-english", "--", board, "52")[1].splitlines()) == 2
    assert len(run(capsys, "--", board, "52")[1].splitlines()) == 1


def test_a_batch_answers_every_row_with_results_sorted_and_moves_beside_them(capsys, tmp_path):
    rows = [
        {"id": "a", "board": START, "dice": [1, 3]},
        {"id": 7, "board": "-----E-----------A-bbbbbbA", "dice": [6, 5]},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n\n".join(map(json.dumps, rows)) + "\n")
    status, out, _ = run(capsys, "--batch", str(path), "--json")
    first, second = map(json.loads, out.splitlines())
    assert (status, first["id"], len(first["results"])) == (0, "a", 16)
    assert first["results"] == sorted(first["results"])
    assert first["moves"][first["results"].index("-b---BD-B---eE---c-e----B-")] == "8/5 6/5"
    assert second == {"id": 7, "results": [], "moves": [], "first_steps": []}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", "line 2: "),
        ("[1]", "line 2: a row is a JSON object with id, board and dice"),
        ('{"id": 1, "dice": [3, 1]}', "line 2: no key 'board'"),
        ('{"id": 1, "board": "abc", "dice": [3, 1]}', "line 2: a board text has 26 characters, got 3"),
        ('{"id": 1, "board": 5, "dice": [3, 1]}', "line 2: board is a text of 26 characters"),
        (f'{{"id": 1, "board": "{START}", "dice": [7, 1]}}', "line 2: a die shows 1 to 6, got 7 and 1"),
        (f'{{"id": 1, "board": "{START}", "dice": [true, 1]}}', "line 2: dice are two numbers, as in [6, 3]"),
        ('{"id": 1, "board": "-b----F-C---eE---c-e----B-", "dice": [3, 1]}', "line 2: the mover has 16 checkers"),
    ],
)
def test_a_bad_row_is_named_in_one_line_and_nothing_is_printed(capsys, tmp_path, row, message):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"id": 0, "board": START, "dice": [3, 1]}) + "\n" + row + "\n")
    status, out, err = run(capsys, "--batch", str(path), "--json")
    assert (status, out) == (1, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_batch_that_is_no_text_or_no_file_is_one_line(capsys, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    assert run(capsys, "--batch", str(path), "--json")[2].endswith("rows.jsonl: not UTF-8 text\n")
    assert "No such file" in run(capsys, "--batch", str(tmp_path / "none"), "--json")[2]
    assert "Is a directory" in run(capsys, "--batch", str(tmp_path), "--json")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere", "31"), "not a position: 'nowhere'"),
        (("start", "77"), "not a roll: '77'"),
        (("start", "31", "--rules", "fevga"), "no rules are named 'fevga'; there are shesh-besh"),
        (("--", "-b----F-C---eE---c-e----B-", "31"), "the mover has 16 checkers on the board, a side has 15"),
        (("XGID=1:2", "31"), "an XGID has 10 fields"),
        (("4HPwATDgc/ABM?", "31"), "Position ID"),
    ],
)
def test_bad_input_is_one_clear_line_and_status_1(capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert (status, out, len(err.splitlines())) == (1, "", 1)
    assert message in err


@pytest.mark.parametrize("arguments", [(), ("start",), ("start", "31", "--batch", "rows")])
def test_wrong_usage_is_status_2(capsys, arguments):
    with pytest.raises(SystemExit) as exit_:
        main(["plays", *arguments])
    assert exit_.value.code == 2
