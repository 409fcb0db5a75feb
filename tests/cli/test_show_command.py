"""``barpoint show`` and ``barpoint bench``: boards drawn, counts, benchmarks found."""

import json
import random
import re
import xml.etree.ElementTree as ET

import pytest

from controller.cli import main
from controller.cli.bench import benchmarks
from controller.cli.drawing import draw_svg, draw_text
from controller.errors import ConfigError
from controller.rules import START, Position, parse_position

DRAWN_START = """\
O off 0, pips 167
 13 14 15 16 17 18      19 20 21 22 23 24
+-------------------+---+-------------------+
|  X           O    |   |  O              X |
|  X           O    |   |  O              X |
|  X           O    |   |  O                |
|  X                |   |  O                |
|  X                |   |  O                |
|                   |BAR|                   |
|  O                |   |  X                |
|  O                |   |  X                |
|  O           X    |   |  X                |
|  O           X    |   |  X              O |
|  O           X    |   |  X              O |
+-------------------+---+-------------------+
 12 11 10  9  8  7       6  5  4  3  2  1
X off 0, pips 167
"""


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(["show", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def some_positions() -> list[Position]:
    chance = random.Random(3)
    found = [START, parse_position("aO------------------------")]
    for _ in range(40):
        points = [0] * 26
        for _ in range(15):
            points[chance.randint(1, 25)] += 1
        for _ in range(15):
            points[chance.choice([place for place in range(25) if points[place] <= 0])] -= 1
        found.append(Position(tuple(points)))
    return found


def test_the_start_is_drawn_as_players_know_it(capsys):
    status, out, _ = run(capsys, "start")
    assert status == 0
    assert out.startswith(DRAWN_START)


def test_checkers_on_the_bar_and_high_stacks_are_drawn():
    text = draw_text(parse_position("b-----G---------------c--C"))
    assert "| X |" in text
    assert "| O |" in text
    assert re.search(r"\b7\b", text)


def test_every_picture_is_well_formed_and_shows_all_thirty_checkers():
    for position in some_positions():
        root = ET.fromstring(draw_svg(position, "a <title> & more"))
        space = "{http://www.w3.org/2000/svg}"
        circles = root.findall(f"{space}circle")
        hidden = sum(max(0, abs(n) - 5) for n in position.points)
        assert len(circles) + hidden == position.on_board + position.opponent_on_board
        trays = [each for each in root.findall(f"{space}rect") if each.get("class") in ("x", "o")]
        assert len(trays) == position.off + position.opponent_off


def test_svg_is_written_to_the_file_and_json_beside_it(capsys, tmp_path):
    path = tmp_path / "start.svg"
    status, out, _ = run(capsys, "start", "--svg", str(path), "--json")
    assert (status, json.loads(out)["position_id"]) == (0, "4HPwATDgc/ABMA")
    assert path.read_text().startswith("<svg ")


def test_counts_of_a_race_are_shown(capsys):
    board = "-BACA-E------------bcbabe-"
    assert "A race; X on roll wins 76.2 %." in run(capsys, "--", board)[1]
    answer = json.loads(run(capsys, "--json", "--", board)[1])
    assert (answer["keith"], answer["race"]) == ({"own": 50, "opponent": 56}, True)
    assert answer["win_chance"] == pytest.approx(0.762, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "not a position: 'nowhere'"),
        (("--", "-b----F-C---eE---c-e----B-"), "the mover has 16 checkers"),
    ],
)
def test_a_bad_position_is_one_line(capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert (status, out, len(err.splitlines())) == (1, "", 1)
    assert message in err


def test_a_picture_that_cannot_be_written_is_one_line(capsys, tmp_path):
    status, _, err = run(capsys, "start", "--svg", str(tmp_path / "none" / "x.svg"))
    assert (status, len(err.splitlines())) == (1, 1)
    assert "No such file" in err


def test_benchmarks_are_found_in_a_checkout_and_missed_with_a_sentence(capsys, tmp_path):
    assert main(["bench", "--list"]) == 0
    assert "plays" in capsys.readouterr().out.split()
    with pytest.raises(ConfigError, match="run this in a checkout of the project"):
        benchmarks(tmp_path)


def test_an_unknown_benchmark_is_one_line_with_the_known_ones(capsys):
    assert main(["bench", "nothing"]) == 1
    assert "no benchmark is named 'nothing'; there are" in capsys.readouterr().err


def test_a_benchmark_runs_and_prints_json(capfd):
    assert main(["bench", "matches", "--matches", "1", "--profile", "touch-move"]) == 0
    assert json.loads(capfd.readouterr().out)["broken"] == 0
