"""Reading and checking a 13-point match, beside gvformat's reader of the same text in the same run.

Prints one JSON line: the median times in milliseconds, their ratio, and the bar of 150 ms.

    python benchmarks/records.py [FILE] [--rounds N] [--gnubg COUNT]

Without FILE the match is a random one of our own. gvformat reads the lines and places the checkers; we also check
every action by the rules. With ``--gnubg COUNT`` that many random matches of every profile are written, imported
by the real gnubg and compared; one more JSON line for each profile tells how many came out the same, and the exit
is 1 unless all did.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import gvformat.mat
import gvformat.mat_parser

from controller.records import MatchRecord, read_record, write_mat
from controller.rules.profiles import PROFILES, profile

TESTS = Path(__file__).resolve().parents[1] / "tests"
BAR_MS = 150.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--gnubg", type=int, default=0, metavar="COUNT")
    args = parser.parse_args()
    sys.path[:0] = [str(TESTS / "records"), str(TESTS / "rules")]
    name = args.file.name if args.file else "random.mat"
    data = args.file.read_bytes() if args.file else random_thirteen()
    print(json.dumps(timed(name, data, args.rounds)))
    failed = False
    for profile_name in PROFILES if args.gnubg else ():
        line = imported(profile_name, args.gnubg)
        print(json.dumps(line), flush=True)
        failed = failed or line["same_score"] != args.gnubg or line["with_complaints"] != 0
    return 1 if failed else 0


def random_thirteen() -> bytes:
    """Return a 13-point match with at least nine games, as a text."""
    made = importlib.import_module("random_record")
    quiet = made.Odd(double=0.03, condone=0.0, resign=0.0, leave=0.0)
    for seed in range(1000):
        played = made.random_match(profile("international"), seed, length=13, odd=quiet)
        record: MatchRecord = made.record_of(played)
        if len(record.games) >= 9:
            return write_mat(record).text.encode()
    raise AssertionError("no such match in a thousand")


def median_ms(call: Callable[[], object], rounds: int) -> float:
    """Return the median time of one call, milliseconds."""
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def timed(name: str, data: bytes, rounds: int) -> dict[str, object]:
    """Return our time and gvformat's for one file."""
    text = data.decode()
    reading = read_record(data, name)
    ours = median_ms(lambda: read_record(data, name), rounds)
    theirs = median_ms(lambda: gvformat.mat.mat_to_data(gvformat.mat_parser.parse_mat_file(text)), rounds)
    return {
        "benchmark": "records",
        "file": name,
        "length": reading.record.length,
        "games": len(reading.record.games),
        "turns": sum(game.turns for game in reading.record.games),
        "read_and_check_ms": round(ours, 1),
        "gvformat_read_ms": round(theirs, 1),
        "ratio": round(theirs / ours, 2),
        "bar_ms": BAR_MS,
        "holds": ours <= BAR_MS,
    }


def imported(name: str, count: int) -> dict[str, object]:
    """Write random matches of one profile, let gnubg import them, and count those with the same score.

    The matches are those of `benchmarks/matches.py`; one gnubg process opens a hundred of them.
    """
    made, peer = importlib.import_module("random_record"), importlib.import_module("gnubg_peer")
    start = time.perf_counter()
    same = complaints = 0
    other: list[int] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for first in range(0, count, 100):
            seeds = range(first, min(first + 100, count))
            played = (made.random_match(profile(name), seed, longest=5, money_games=2) for seed in seeds)
            records = [made.record_of(each) for each in played]
            files = [folder / f"{seed}.mat" for seed in seeds]
            for file, record in zip(files, records, strict=True):
                file.write_text(write_mat(record).text, encoding="utf-8")
            for seed, record, answer in zip(seeds, records, peer.ask(files, folder), strict=True):
                complaints += bool(answer.complaints)
                same += answer.results() == results(record)
                other += [seed] if answer.complaints or answer.results() != results(record) else []
            for file in files:
                file.unlink()
    return {
        "benchmark": "records",
        "profile": name,
        "matches": count,
        "same_score": same,
        "with_complaints": complaints,
        "seeds_not_same": other[:10],
        "s": round(time.perf_counter() - start, 1),
    }


def results(record: MatchRecord) -> list[tuple[str, int] | None]:
    """Return winner and points of each game as gnubg names them, None where nothing was scored."""
    names = {"white": "X", "black": "O"}
    return [(names[g.winner.value], g.points) if g.winner and g.points else None for g in record.games]


if __name__ == "__main__":
    sys.exit(main())
