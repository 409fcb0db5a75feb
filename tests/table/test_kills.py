"""A killed table goes on from what it had made durable; the benchmark's own code, a few times."""

from __future__ import annotations

import random
from pathlib import Path

from benchmarks import kills


def test_a_killed_table_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    rng = random.Random(4)
    script, ledgers = kills.script_of(4, 80)
    path = tmp_path / "journal.sqlite"
    reached = count = 0
    while count < 10 or reached < 20:  # a busy machine needs more of them
        count += 1
        said, torn = kills.kill_once(path, script, ledgers, rng.uniform(0.0, 0.02 * min(count, 20)))
        lost, doubled, differing, there = kills.check(path, said, ledgers)
        assert (lost, doubled, differing, torn) == (0, 0, 0, False)
        assert there >= reached
        reached = there


def test_a_power_cut_within_the_last_record_drops_that_record_only(tmp_path: Path) -> None:
    cuts, failures = kills.cut_everywhere(tmp_path, seed=2, stride=67)
    assert cuts > 40
    assert failures == 0
