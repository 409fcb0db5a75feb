"""Match texts: every dialect read, one strict layout written."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from controller.board import Board
from controller.errors import InvalidNotationError
from controller.records import (
    CubeAction,
    GameRecord,
    MatchRecord,
    Note,
    Reading,
    Resign,
    SetUp,
    Turn,
    read_mat,
    read_record,
    write_mat,
)
from controller.rules import START, Color, Move, write_play

DATA = Path(__file__).parent / "data"
W, B = Color.WHITE, Color.BLACK


def text_of(*rows: str, length: int = 7) -> str:
    head = [f" {length} point match", "", " Game 1", " Ann : 0                        Bob : 0"]
    return "\n".join([*head, *rows, ""])


def only_game(reading: Reading) -> GameRecord:
    (game,) = reading.record.games
    return game


def plays(game: GameRecord) -> list[str]:
    return [write_play(a.play or ()) if isinstance(a, Turn) else str(a) for a in game.actions]


def turn(player: Color, dice: tuple[int, int], *moves: tuple[int, int]) -> Turn:
    return Turn(player=player, dice=dice, play=tuple(Move(*move) for move in moves))


OPENING = (turn(W, (3, 1), (8, 5), (6, 5)), turn(B, (4, 2), (8, 4), (6, 4)))


def record_of(*actions: object, **values: object) -> MatchRecord:
    result = {name: values.pop(name) for name in ("winner", "points", "how") if name in values}
    game = GameRecord(actions=actions, **result)
    return MatchRecord(**{"players": ("Ann", "Bob"), "length": 7, "games": (game,), **values})


@pytest.mark.needs_shared
def test_every_real_file_gives_the_known_score_of_each_game(shared: Path) -> None:
    folder = shared / "formats" / "matches"
    known = json.loads((folder / "index.json").read_text())
    assert len(known) == 21
    for entry in known:
        reading = read_record((folder / entry["file"]).read_bytes(), entry["file"])
        games = reading.record.games
        if entry["per_game"] == "-":
            assert reading.record.score == (0, 2)
            continue
        told = [each.rstrip("r") for each in entry["per_game"].split()]
        ours = [f"{'X' if g.winner is W else 'O'}+{g.points}" if g.winner else "unfinished" for g in games]
        assert ours == told, entry["file"]
        assert reading.record.length == entry["match_length"]
        left, right = entry["final_score"].split(", ")
        assert reading.record.score == (int(left.rpartition(" ")[2]), int(right.rpartition(" ")[2]))
        assert reading.record.players == (left.rpartition(" ")[0], right.rpartition(" ")[0])


@pytest.mark.needs_shared
def test_only_the_files_known_to_be_wrong_have_problems(shared: Path) -> None:
    folder = shared / "formats" / "matches"
    files = sorted(path for path in folder.iterdir() if path.suffix in (".mat", ".txt", ".sgf"))
    wrong = {}
    for file in files:
        problems = read_record(file.read_bytes(), file.name).problems
        assert all(problem.line and problem.reason for problem in problems)
        if problems:
            wrong[file.name[:2]] = [problem.game for problem in problems]
    assert wrong == {"10": [1], "19": [2, 3], "20": [12], "21": [9]}


@pytest.mark.parametrize("name", ["club.mat", "site.txt", "latin.txt"])
def test_the_own_samples_of_all_dialects_are_read_without_a_problem(name: str) -> None:
    reading = read_record((DATA / name).read_bytes(), name)
    assert reading.problems == ()
    assert all(game.winner is not None for game in reading.record.games)


def test_names_in_latin_letters_are_read_from_old_files() -> None:
    assert read_record((DATA / "latin.txt").read_bytes(), "latin.txt").record.players == ("André", "Jürgen")


def test_the_layout_is_the_one_of_gnubg() -> None:
    record = record_of(
        *OPENING,
        CubeAction(player=W, word="double", value=2),
        CubeAction(player=B, word="take"),
        turn(W, (6, 6), (24, 18), (24, 18), (13, 7), (13, 7)),
        turn(B, (6, 4), (8, 2), (6, 2)),
        winner=B,
        points=4,
        how="resignation",
        tags=(("Site", "Home"),),
        date="2026-11-29",
    )
    assert write_mat(record).text.splitlines() == [
        '; [Site "Home"]',
        '; [Player 1 "Ann"]',
        '; [Player 2 "Bob"]',
        '; [EventDate "2026.11.29"]',
        "",
        " 7 point match",
        "",
        " Game 1",
        " Ann : 0                        Bob : 0",
        "  1) 31: 8/5 6/5                 42: 8/4 6/4",
        "  2)  Doubles => 2                Takes",
        "  3) 66: 24/18 24/18 13/7 13/7   64: 8/2 6/2",
        "                                  Wins 4 points",
        "",
    ]


def test_the_left_cell_is_empty_when_the_right_player_begins() -> None:
    record = record_of(turn(B, (3, 1), (8, 5), (6, 5)))
    assert "  1)                             31: 8/5 6/5" in write_mat(record).text.splitlines()


def test_a_drop_on_the_left_has_the_result_on_its_own_line() -> None:
    doubles = (CubeAction(player=B, word="double", value=2), CubeAction(player=W, word="drop"))
    text = write_mat(record_of(*OPENING, turn(W, (6, 5), (24, 13)), *doubles)).text
    assert "  3)  Drops                       Wins 1 point" in text.splitlines()


def test_a_drop_on_the_right_has_the_result_on_the_next_line() -> None:
    doubles = (CubeAction(player=W, word="double", value=2), CubeAction(player=B, word="drop"))
    lines = write_mat(record_of(*OPENING, *doubles)).text.splitlines()
    at = lines.index("  2)  Doubles => 2                Drops")
    assert lines[at + 1] == "      Wins 1 point"


@pytest.mark.parametrize("name", ["", "a:b", ":", "x" * 40, "Ł" * 20, 'say "hi"', "Game 1", "1) 31: 8/5"])
def test_strange_names_come_back_whole(name: str) -> None:
    record = record_of(*OPENING, players=(name, "Bob"))
    written = write_mat(record)
    left = next(line for line in written.text.splitlines() if line.endswith("Bob : 0"))
    assert left.count(":") == 2
    assert not left.startswith("  :")
    assert read_mat(written.text).record.players == (name, "Bob")


def test_clock_comments_and_refused_resignations_are_kept_as_notes() -> None:
    note = Note(
        comment='He said "7 point match"\n\\ and moved', at="2026-11-29T18:30:00+01:00", clock_s=(80.25, 3)
    )
    noted = replace(OPENING[1], note=replace(note, used_s=12.5))
    refused = Resign(player=W, level=2, accepted=False)
    record = record_of(OPENING[0], noted, refused, turn(W, (6, 5), (24, 13)), comment="A fine evening")
    written = write_mat(record)
    assert any("refused resignation" in lost for lost in written.lost)
    back = read_mat(written.text).record.without_lines()
    again = read_mat(write_mat(back).text).record.without_lines()
    assert back == again
    assert back.games[0].actions[1].note == noted.note
    assert back.games[0].actions[2] == refused
    assert back.comment == "A fine evening"


def test_an_illegal_play_that_stands_is_written_as_the_position_after_it() -> None:
    illegal = replace(turn(W, (2, 1), (13, 6)), condoned=True)
    record = record_of(*OPENING, illegal, turn(B, (6, 5), (24, 13)))
    written = write_mat(record)
    assert "21: Illegal play (" in written.text
    assert any("illegal play" in lost for lost in written.lost)
    back = read_mat(written.text)
    assert plays(only_game(back)) == ["8/5 6/5", "8/4 6/4", "13/6", "24/13"]
    assert only_game(back).actions[2].condoned
    assert [problem.reason for problem in back.problems] == ["13/6 is no move with 21"]


def test_a_play_that_cannot_be_made_ends_the_lines_of_play_but_not_the_result() -> None:
    record = record_of(*OPENING, turn(W, (2, 1), (20, 18)), turn(B, (6, 5), (24, 13)), winner=W, points=1)
    written = write_mat(record)
    assert "20/18" not in written.text.split("point match")[1]
    assert any("cannot be made" in lost for lost in written.lost)
    back = read_mat(written.text)
    assert (only_game(back).winner, only_game(back).points) == (W, 1)


def test_a_game_from_a_position_set_up_comes_back() -> None:
    board = SetUp(board=Board((0,) * 5 + (2,) + (0,) * 12 + (-2,) + (0,) * 5))
    record = record_of(replace(board, turn=B), turn(B, (2, 1), (6, 4), (4, 3)))
    back = read_mat(write_mat(record).text).record.without_lines()
    assert back.games[0].actions[0] == replace(board, turn=B)
    assert plays(back.games[0])[1] == "6/3"


@pytest.mark.parametrize(
    ("moves", "play"),
    [
        ("13/7 8/7", "13/7 8/7"),
        ("8/7 13/7", "13/7 8/7"),
        ("13-7 8-7", "13/7 8/7"),
        ("13 / 7  8/7", "13/7 8/7"),
        ("13/7 8/7 {forced?}", "13/7 8/7"),
        ("13/6", "13/6"),
        ("13/7/6", "13/6"),
        ("13/7 7/6", "13/6"),
    ],
)
def test_moves_are_read_in_all_spellings(moves: str, play: str) -> None:
    reading = read_mat(text_of(f"  1) 61: {moves}"))
    assert plays(only_game(reading)) == [play]
    assert reading.problems == ()


@pytest.mark.parametrize("words", ["", "Cannot Move", "cannot move", "No Play", "---"])
def test_a_dance_is_read_in_all_spellings(words: str) -> None:
    rows = (
        "  1) 31: 8/5 6/5                 66: 24/18 24/18 13/7 13/7",
        "  2) 55: 8/3 8/3 6/1 6/1          64: 8/2 8/4",
    )
    reading = read_mat(text_of(*rows, f"  3) 66: {words}                            31: 6/5 8/5"))
    assert only_game(reading).turns == 6


@pytest.mark.parametrize(
    "line",
    [
        "      Wins 2 points",
        "   Wins 2 points and the match",
        "  3)  Wins 2 point                     ",
        "  3)                              Resigns\n      Wins 2 points",
        "  3)                              Losses 2 point",
        "  3)                              Concedes 2 points",
        " Losses 2 point\n\n      Wins 2 point and the match",
        "  3)  Wins 2 point                 Losses 2 point",
    ],
)
def test_a_resignation_is_read_in_all_spellings(line: str) -> None:
    rows = ("  1) 31: 8/5 6/5                 42: 8/4 6/4", "  2) 65: 24/18 18/13              64: 24/14")
    game = only_game(read_mat(text_of(*rows, line)))
    assert (game.winner, game.points, game.how) == (W, 2, "resignation")


def test_the_column_of_the_result_tells_the_winner() -> None:
    game = only_game(read_mat(text_of("  1) 31: 8/5 6/5                 42: 8/4 6/4", " " * 34 + "Wins 1 point")))
    assert (game.winner, game.points) == (B, 1)


def test_tabs_may_stand_between_the_cells() -> None:
    reading = read_mat(text_of("1)\t31: 8/5 6/5\t42: 8/4 6/4", "2)\tDoubles => 2\tTakes", "3)\t65: 24/13"))
    assert [action.player for action in only_game(reading).actions] == [W, B, W, B, W]
    assert reading.problems == ()


def test_free_text_before_the_match_is_kept_as_its_comment() -> None:
    reading = read_mat("Played at the club\nby two friends\n\n" + text_of("  1) 31: 8/5 6/5"))
    assert reading.record.comment == "Played at the club\nby two friends"


def test_a_resigned_game_counts_in_full_though_the_site_writes_what_was_needed() -> None:
    rows = ("  1) 31: 8/5 6/5                 42: 8/4 6/4", "  2)  Doubles => 2                Takes")
    game = only_game(read_mat(text_of(*rows, "      Wins 1 point and the match", length=1)))
    assert game.points == 2


def test_a_missing_line_of_a_game_is_found_by_its_score_line() -> None:
    club = (DATA / "club.mat").read_text()
    without = club.replace(" Game 2\n", "")
    reading = read_mat(without)
    assert len(reading.record.games) == len(read_mat(club).record.games)
    assert any("next game is missing" in problem.reason for problem in reading.problems)


def test_one_bad_game_leaves_the_others_as_they_are() -> None:
    club = (DATA / "club.mat").read_text()
    whole = read_mat(club).record
    bad = club.replace("  2) ", "  2) xx: yy zz   ", 1)
    reading = read_mat(bad)
    (number,) = {problem.game for problem in reading.problems}
    for at, (game, right) in enumerate(zip(reading.record.games, whole.games, strict=True), start=1):
        assert at == number or game.actions == right.actions
    assert all(problem.line for problem in reading.problems)


@pytest.mark.parametrize("text", ["", "\n\n", "hello", "7 point match\n", '; [Site "x"]\n\n 7 point match\n'])
def test_a_file_without_a_game_is_refused_with_a_line(text: str) -> None:
    with pytest.raises(InvalidNotationError, match=r"line \d+: the file ends"):
        read_mat(text)


def test_a_file_of_an_unknown_ending_is_refused() -> None:
    with pytest.raises(InvalidNotationError, match="ending"):
        read_record(b"", "match.xg")


def test_the_start_position_of_the_line_for_an_early_resignation_is_no_set_up() -> None:
    record = record_of(Resign(player=B, level=1), winner=W, points=1, how="resignation")
    text = write_mat(record).text
    assert f"; Set Pos={START}/0" in text
    back = read_mat(text).record
    assert (back.games[0].winner, back.games[0].points) == (W, 1)
    assert not any(isinstance(action, SetUp) for action in back.games[0].actions)


@pytest.mark.parametrize(
    ("head", "length"),
    [
        ("7 point match", 7),
        ("7-point match", 7),
        ("Match to 7 points", 7),
        ("Money session", 0),
        ("5 Points Match", 5),
    ],
)
def test_the_length_is_read_in_all_spellings(head: str, length: int) -> None:
    text = text_of("  1) 31: 8/5 6/5").replace(" 7 point match", head)
    assert read_mat(text).record.length == length


def test_ratings_behind_names_become_tags() -> None:
    text = text_of("  1) 31: 8/5 6/5").replace("Ann : 0", "Ann,1666 : 0")
    record = read_mat(text).record
    assert record.players == ("Ann", "Bob")
    assert record.tag("Player 1 Rating") == "1666"


@pytest.mark.parametrize(
    "line", ["  3) Ann wins 2 points", "Bob resigns 2 points", "   Ann Wins 2 points and the match"]
)
def test_a_result_may_name_the_player(line: str) -> None:
    game = only_game(read_mat(text_of("  1) 31: 8/5 6/5                 42: 8/4 6/4", line)))
    assert (game.winner, game.points) == (W, 2)


def test_players_who_change_columns_keep_their_points() -> None:
    lines = "  1)  31: 8/5 6/5                42: 8/4 6/4\n      Wins {} points\n"
    first = " Game 1\n Ann : 0                        Bob : 0\n" + lines.format(1)
    games = first + " Game 2\n Bob : 0                        Ann : 1\n" + lines.format(2)
    reading = read_mat(" 5 point match\n\n" + games)
    assert reading.problems == ()
    assert [game.winner for game in reading.record.games] == [W, B]
    assert reading.record.score == (1, 2)


def test_a_first_game_without_its_line_is_read() -> None:
    reading = read_mat(text_of("  1) 31: 8/5 6/5                 42: 8/4 6/4").replace(" Game 1\n", ""))
    assert only_game(reading).turns == 2
    assert reading.record.players == ("Ann", "Bob")
    assert "next game is missing" in reading.problems[0].reason


ODD_LINES = (
    ("  1) 31: 8/5, 6/5                42: 8/4, 6/4", "commas between moves"),
    ("  1) (31) 8/5 6/5                (42) 8/4 6/4", "dice in brackets"),
    ("  1. 31: 8/5 6/5                 42: 8/4 6/4", "a point behind the number"),
    ("  1)\t31: 8/5 6/5\t42: 8/4 6/4", "tabs between the cells"),
    ("  1) 31: 8/5 6/5" + " " * 40 + "42: 8/4 6/4", "columns wider than any program writes"),
)


@pytest.mark.parametrize("line", [line for line, _ in ODD_LINES], ids=[name for _, name in ODD_LINES])
def test_lines_of_odd_dialects_are_read(line: str) -> None:
    reading = read_mat(f" 3 point match\n\n Game 1\n Ann : 0                        Bob : 0\n{line}\n")
    assert reading.problems == ()
    assert [str(action) for action in reading.record.games[0].actions] == ["31: 8/5 6/5", "42: 8/4 6/4"]


def test_a_winner_whose_column_is_lost_in_tabs_is_told_by_the_play() -> None:
    lines = ["  1) 31: 8/5 6/5\t Doubles => 2", "  2)  Drops", "\tWins 1 point"]
    for last, winner in ((lines[2], Color.BLACK), ("\t\t\t\t\tWins 1 point", Color.BLACK)):
        text = "\n".join(["3 point match", "Game 1", "Ann : 0\tBob : 0", *lines[:2], last])
        reading = read_mat(text)
        assert reading.problems == ()
        assert reading.record.games[0].winner is winner
