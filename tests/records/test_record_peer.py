"""The real GNU Backgammon opens what we write, and sees the same in what it and we both read."""

from pathlib import Path

import pytest
from gnubg_peer import Answer, ask
from random_record import Odd, random_match, record_of

from controller.board import START_BOARD
from controller.records import (
    CubeAction,
    GameRecord,
    MatchRecord,
    Resign,
    Turn,
    position_id,
    read_record,
    replay_match,
    write_record,
)
from controller.records.replay import ReplayedMatch
from controller.rules import Color, Move, profile
from controller.rules.profiles import PROFILES

DATA = Path(__file__).parent / "data"
NAMES = {Color.WHITE: "X", Color.BLACK: "O"}


def results(record: MatchRecord) -> list[tuple[str, int] | None]:
    return [(NAMES[game.winner], game.points) if game.winner and game.points else None for game in record.games]


def check_positions(replayed: ReplayedMatch, answer: Answer) -> None:
    """Compare the position before every play, and the last one.

    After a position that was set up, the program's Python interface no longer says whose view it gives; the plays
    that follow in such a game were legal to it, or it had complained.
    """
    for game, theirs in zip(replayed.games, answer.match["games"], strict=True):
        boards = [action["board"] for action in theirs["game"] if action["action"] == "move"]
        ours = []
        for moment in game.moments:
            turn = moment.action
            if isinstance(turn, Turn) and (turn.condoned or moment.after is None):
                break
            if isinstance(turn, Turn) and turn.play is not None:
                ours.append(position_id(moment.before.seen_by(turn.player)))
        else:
            assert len(boards) == len(ours)
        assert boards[: len(ours)] == ours
    last = next((m.after for m in reversed(replayed.games[-1].moments)), START_BOARD)
    if last is not None:
        assert answer.position in {position_id(last.seen_by(color)) for color in Color}


@pytest.mark.needs_shared
def test_gnubg_and_we_see_the_same_in_the_real_files_it_reads_cleanly(shared: Path, tmp_path: Path) -> None:
    folder = shared / "formats" / "matches"
    files = [f for f in sorted(folder.iterdir()) if f.suffix in (".mat", ".txt", ".sgf") and f.name[:2] != "13"]
    clean = 0
    for file, answer in zip(files, ask(files, tmp_path), strict=True):
        if answer.complaints:
            continue
        clean += 1
        record = read_record(file.read_bytes(), file.name).record
        assert answer.results() == results(record), file.name
        assert answer.score_after() == record.score, file.name
        check_positions(replay_match(record), answer)
    assert clean >= 12


@pytest.mark.needs_shared
@pytest.mark.parametrize("ending", [".mat", ".sgf"])
def test_the_real_files_written_again_open_without_a_word(shared: Path, tmp_path: Path, ending: str) -> None:
    folder = shared / "formats" / "matches"
    files = [f for f in sorted(folder.iterdir()) if f.suffix in (".mat", ".txt", ".sgf")]
    check_written([read_record(file.read_bytes(), file.name).record for file in files], tmp_path, ending)


@pytest.mark.parametrize("ending", [".mat", ".sgf"])
def test_the_own_samples_written_again_open_without_a_word(tmp_path: Path, ending: str) -> None:
    files = [path for path in sorted(DATA.iterdir()) if path.name != "ids.json"]
    check_written([read_record(file.read_bytes(), file.name).record for file in files], tmp_path, ending)


def check_written(records: list[MatchRecord], folder: Path, ending: str) -> None:
    """Write records, let gnubg open them, and compare results and positions."""
    files = []
    for at, record in enumerate(records):
        files.append(folder / f"written{at}{ending}")
        files[-1].write_text(write_record(record, files[-1].name).text, encoding="utf-8")
    for file, record, answer in zip(files, records, ask(files, folder), strict=True):
        assert answer.complaints == [], file.read_text()
        replayed = replay_match(record)
        assert answer.results() == results(replayed.record), file.read_text()
        check_positions(replayed, answer)


def test_random_matches_of_every_profile_open_with_the_same_score(tmp_path: Path) -> None:
    records, files = [], []
    for at in range(125):
        rules, longest = list(PROFILES)[at % len(PROFILES)], 3 if at % 4 == 0 else 1
        records.append(record_of(random_match(profile(rules), 5000 + at, longest=longest, money_games=1)))
        files.append(tmp_path / f"random{at}{'.sgf' if at % 5 == 4 else '.mat'}")
        files[-1].write_text(write_record(records[-1], files[-1].name).text, encoding="utf-8")
    for file, record, answer in zip(files, records, ask(files, tmp_path), strict=True):
        assert answer.complaints == [], file.read_text()
        assert answer.results() == results(record), file.read_text()
        again = read_record(file.read_bytes(), file.name).record
        assert again.without_lines() == record.without_lines()


def test_money_sessions_with_every_switch_open_with_the_same_score(tmp_path: Path) -> None:
    odd = Odd(double=0.25, raise_again=0.5, resign=0.03, condone=0.02, leave=0.003)
    keys = (
        {"jacoby": True},
        {"beavers": True, "raccoons": True},
        {"automatic_doubles": 2},
        {"jacoby": True, "beavers": True, "raccoons": True, "automatic_doubles": 3},
        {"roll_again": True, "may_pass": "any_time"},
    )
    records, files = [], []
    for at in range(30):
        rules = profile("international", **keys[at % len(keys)])
        records.append(record_of(random_match(rules, 7000 + at, length=None, odd=odd)))
        files.append(tmp_path / f"money{at}{'.sgf' if at % 2 else '.mat'}")
        files[-1].write_text(write_record(records[-1], files[-1].name).text, encoding="utf-8")
    for file, record, answer in zip(files, records, ask(files, tmp_path), strict=True):
        assert answer.complaints == [], file.read_text()
        assert answer.results() == results(record), file.read_text()
        again = read_record(file.read_bytes(), file.name).record
        assert again.without_lines() == record.without_lines()


def test_records_that_would_stop_gnubg_open_all_the_same(tmp_path: Path) -> None:
    opening = Turn(player=Color.WHITE, dice=(3, 1), play=(Move(8, 5), Move(6, 5)))
    wrong = Turn(player=Color.BLACK, dice=(2, 1), play=(Move(20, 18),))
    won = {"winner": Color.WHITE, "points": 2, "how": "resignation"}
    doubled = (
        CubeAction(player=Color.BLACK, word="double", value=2),
        CubeAction(player=Color.WHITE, word="drop"),
    )
    games = (
        GameRecord(actions=(opening, wrong), **won),
        GameRecord(actions=(opening, *doubled), score=(2, 0)),
        GameRecord(actions=(Resign(player=Color.BLACK, level=2),), score=(2, 1), **won),
    )
    records = [
        MatchRecord(players=players, length=length, games=games)
        for players in (("", ""), (":", "a:b"), ("x" * 60, "y" * 60), ("Game 1", '"'), ("Ø" * 31, "ß" * 40))
        for length in (0, 25)
    ]
    check_written(records, tmp_path, ".mat")
