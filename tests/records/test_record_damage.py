"""A thousand damaged files: no crash, no hang, and every answer names line and reason."""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.errors import InvalidNotationError
from controller.records import read_record, write_record

DATA = Path(__file__).parent / "data"
SAMPLES = ("club.mat", "odd.mat", "site.txt", "latin.txt", "club.sgf", "club.json")
Damage = Callable[[random.Random, bytes], bytes]


def flipped(chance: random.Random, data: bytes) -> bytes:
    found = bytearray(data)
    for _ in range(chance.randint(1, 20)):
        found[chance.randrange(len(found))] = chance.randrange(256)
    return bytes(found)


def swapped_figures(chance: random.Random, data: bytes) -> bytes:
    found = bytearray(data)
    figures = [at for at, byte in enumerate(found) if chr(byte).isdigit()]
    for at in chance.sample(figures, min(4, len(figures))):
        found[at] = ord(chance.choice("0123456789"))
    return bytes(found)


def dropped(chance: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    for _ in range(chance.randint(1, 4)):
        if len(lines) > 1:
            del lines[chance.randrange(len(lines))]
    return b"".join(lines)


def doubled(chance: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    lines[at:at] = [lines[at]] * chance.randint(1, 3)
    return b"".join(lines)


def reordered(chance: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    for _ in range(chance.randint(1, 5)):
        first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[first], lines[second] = lines[second], lines[first]
    return b"".join(lines)


def cut(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data))]


DAMAGES: tuple[Damage, ...] = (flipped, swapped_figures, dropped, doubled, reordered, cut)


def test_a_thousand_damaged_files_are_answered_with_line_and_reason() -> None:
    samples = {name: (DATA / name).read_bytes() for name in SAMPLES}
    longest_s = 0.0
    for seed in range(1000):
        chance = random.Random(seed)
        name = SAMPLES[seed % len(SAMPLES)]
        data = samples[name]
        for _ in range(chance.randint(1, 2)):
            data = chance.choice(DAMAGES)(chance, data) or b"\n"
        start = time.process_time()
        check_answer(data, name, again=seed % 10 == 0)
        longest_s = max(longest_s, time.process_time() - start)
    assert longest_s < 5.0


def check_answer(data: bytes, name: str, *, again: bool) -> None:
    """Check that a file is read with named problems or refused by name; what was read can be written."""
    refused = ""
    try:
        reading = read_record(data, name)
    except InvalidNotationError as error:
        refused = str(error)
    if refused:
        assert "line " in refused
        return
    for problem in reading.problems:
        assert problem.reason
        assert problem.line, problem
        assert "\n" not in str(problem)
    if again:
        for ending in (".mat", ".sgf", ".json"):
            write_record(reading.record, f"x{ending}")


@pytest.mark.parametrize(
    "text",
    [
        b"\x00" * 1000,
        b"(" * 10_000,
        b"(;GM[6]" * 200,
        b"(;GM[6]AE[a:y]AW[" + b"a][" * 500 + b"a])",
        b"1) " * 5000,
        b" 7 point match\n Game 1\n" * 300,
        b" 7 point match\n Game 1\n A : 0  B : 0\n" + b"  1) 31: 8/5 6/5   42: 8/4 6/4\n" * 2000,
        b" 99999999999999999999 point match\n Game 1\n A : 99999999999999999999  B : 0\n  1) 31: 8/5\n",
        b"[" * 200_000,
        json.dumps({"format": "barpoint-match", "version": 1}).encode(),
    ],
)
@pytest.mark.parametrize("name", ["x.mat", "x.sgf", "x.json"])
def test_hostile_files_are_answered_in_time(text: bytes, name: str) -> None:
    start = time.process_time()
    check_answer(text, name, again=False)
    assert time.process_time() - start < 10.0
