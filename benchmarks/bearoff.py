"""Claim: the exact one-sided table of all 54,264 home boards is worked out in half a minute, and is right.

Right means: the published effective pip counts, and, where BARPOINT_SHARED names the shared data, the figures of
gnubg's one-sided database within its own rounding (it keeps each chance in 16 bits).

    python benchmarks/bearoff.py

Prints one JSON line; exit 1 when the claim does not hold.
"""

from __future__ import annotations

import json
import os
import sys
import time
from itertools import combinations_with_replacement
from pathlib import Path

from controller.rules.bearoff import effective_pips, mean_rolls, rolls_to_bear_off

LONGEST_S = 30.0
ROUNDING = 4 / 65536
PUBLISHED = {
    (10, 0, 0, 0, 0, 0): 36.0,
    (15, 0, 0, 0, 0, 0): 57.0,
    (5, 4, 0, 0, 0, 0): 36.02,
    (0, 0, 0, 0, 0, 15): 100.2,
}


def all_boards() -> list[tuple[int, ...]]:
    """Return every way to put up to fifteen checkers on six points."""
    boards = []
    for places in combinations_with_replacement(range(7), 15):
        boards.append(tuple(places.count(point) for point in range(1, 7)))
    return boards


def difference_from_shared() -> float | None:
    """Return the largest difference from a chance of the shared data, or None without it."""
    path = Path(os.environ.get("BARPOINT_SHARED", "")) / "rules" / "race.json"
    if not path.is_file():
        return None
    worst = 0.0
    for row in json.loads(path.read_text())["bearoff"]:
        for rolls, chance in enumerate(rolls_to_bear_off(tuple(row["home"]))):
            worst = max(worst, abs(chance - row["dist_percent"].get(str(rolls), 0.0) / 100))
    return worst


def main() -> int:
    boards = all_boards()
    start = time.process_time()
    means = [mean_rolls(board) for board in boards]
    cpu_s = time.process_time() - start
    published = max(abs(effective_pips(board) - epc) for board, epc in PUBLISHED.items())
    shared = difference_from_shared()
    print(
        json.dumps(
            {
                "benchmark": "bearoff",
                "boards": len(set(boards)),
                "cpu_s": round(cpu_s, 1),
                "us_per_board": round(cpu_s / len(boards) * 1e6, 1),
                "longest_mean_rolls": round(max(means), 4),
                "difference_from_published_epc": round(published, 4),
                "difference_from_shared_chances": shared,
                "claimed": {"cpu_s": LONGEST_S, "chances_within": ROUNDING, "epc_within": 0.05},
            }
        )
    )
    return 0 if cpu_s <= LONGEST_S and published <= 0.05 and (shared or 0.0) <= ROUNDING else 1


if __name__ == "__main__":
    sys.exit(main())
