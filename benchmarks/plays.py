"""Claim: `legal_plays` is at least twice as fast as gvformat.legality, and its slowest row stays fast.

Both answer the same rows, in rounds that take turns, inputs prepared before; process CPU time counts, and the
best round. The time of one row is its best of all rounds, so that a pause of the garbage collector is not taken
for the cost of the row it happens to meet; the worst with such pauses is printed beside it.

Rows are those of the shared data where BARPOINT_SHARED names it, else positions of random games. bgsage and
OpenSpiel are measured too where they are installed, for information.

    python benchmarks/plays.py [--rounds N] [--rows N]

Prints one JSON line; exit 1 when the claim does not hold.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import importlib
import importlib.util
import json
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from controller.rules import START, Position, Roll, apply_play, legal_plays, parse_position
from controller.rules.position import Move

RATIO, P99_MS, WORST_MS = 2.0, 3.0, 25.0
"""What is claimed: speed against gvformat.legality, and milliseconds of CPU time for one row."""

Row = tuple[Position, Roll]
Call = Callable[[], object]


def shared_rows() -> list[Row] | None:
    """Return the rows of the shared data, or None without it."""
    path = Path(os.environ.get("BARPOINT_SHARED", "")) / "rules" / "legal_positions.jsonl.gz"
    if not path.is_file():
        return None
    with gzip.open(path, "rt") as lines:
        rows = [json.loads(line) for line in lines]
    return [(parse_position(row["board"]), Roll.of(*row["dice"])) for row in rows]


def random_rows(count: int, seed: int = 1) -> list[Row]:
    """Return positions and rolls of random games from the start."""
    chance = random.Random(seed)
    rows: list[Row] = []
    position = START
    while len(rows) < count:
        roll = Roll.of(chance.randint(1, 6), chance.randint(1, 6))
        rows.append((position, roll))
        found = sorted(legal_plays(position, roll), key=str)
        position = (chance.choice(found) if found else position).turned()
        if position.opponent_on_board == 0:
            position = START
    return rows


def gvformat_calls(rows: Sequence[Row]) -> list[Call]:
    """Return one call of gvformat.legality for each row."""
    from gvformat.legality import legal_plays as peer  # noqa: PLC0415 - measured only when this script runs

    calls: list[Call] = []
    for position, roll in rows:
        own = [max(0, n) for n in position.points]
        other = [max(0, -n) for n in position.points]
        own[0] = 0
        calls.append(lambda own=own, other=other, roll=roll: peer(own, other, roll.high, roll.low))  # type: ignore[misc]  # defaults bind the loop's values
    return calls


def same_results(rows: Sequence[Row], calls: Sequence[Call]) -> bool:
    """Tell whether both engines reach the same positions on every row."""
    for (position, roll), call in zip(rows, calls, strict=True):
        answer: Any = call()
        plays, _ = answer
        theirs = {apply_play(position, _ordered(position, play)) for play in plays if play}
        if theirs != set(legal_plays(position, roll)):
            return False
    return True


def _ordered(position: Position, play: Sequence[tuple[int, int]]) -> tuple[Move, ...]:
    """Return the moves of an unordered play in an order in which every checker is there when it moves."""
    left, moves, held = list(play), [], list(position.points)
    while left:
        source, target = next(move for move in left if held[move[0]] > 0)
        left.remove((source, target))
        held[source] -= 1
        held[target] = max(0, held[target]) + 1
        moves.append(Move(source, target))
    return tuple(moves)


def timed_round(calls: Sequence[Call]) -> list[int]:
    """Return the CPU time of each call, nanoseconds."""
    gc.collect()
    clock = time.process_time_ns
    times = []
    for call in calls:
        start = clock()
        call()
        times.append(clock() - start)
    return times


def peers(rows: Sequence[Row]) -> dict[str, list[Call]]:
    """Return the calls of all engines that are installed, ours first."""
    engines: dict[str, list[Call]] = {
        "barpoint": [lambda p=position, r=roll: legal_plays(p, r) for position, roll in rows],  # type: ignore[misc]  # defaults bind the loop's values
        "gvformat": gvformat_calls(rows),
    }
    if importlib.util.find_spec("bgsage"):
        bgsage = importlib.import_module("bgsage")
        boards = [[abs(position.points[0]), *position.points[1:]] for position, _ in rows]
        engines["bgsage"] = [
            lambda b=board, r=roll: bgsage.possible_moves(b, r.high, r.low)  # type: ignore[misc]  # defaults bind the loop's values
            for board, (_, roll) in zip(boards, rows, strict=True)
        ]
    if importlib.util.find_spec("pyspiel"):
        engines["open_spiel"] = [state.legal_actions for state in open_spiel_states(len(rows))]
    return engines


def open_spiel_states(count: int, seed: int = 1) -> list[Any]:
    """Return states of random games of OpenSpiel, which takes no position from outside."""
    chance = random.Random(seed)
    game = importlib.import_module("pyspiel").load_game("backgammon")
    states: list[Any] = []
    state = game.new_initial_state()
    while len(states) < count:
        if state.is_terminal():
            state = game.new_initial_state()
        elif not state.is_chance_node():
            states.append(state.clone())
        state.apply_action(chance.choice(state.legal_actions()))
    return states


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=5000)
    args = parser.parse_args()
    shared = shared_rows()
    rows = (shared or random_rows(args.rows))[: args.rows]
    engines = peers(rows)
    agree = same_results(rows, engines["gvformat"])
    rounds: dict[str, list[list[int]]] = {name: [] for name in engines}
    for _ in range(args.rounds):
        for name, calls in engines.items():
            rounds[name].append(timed_round(calls))
    best = {name: min(map(sum, times)) for name, times in rounds.items()}
    per_row = sorted(min(times) / 1e6 for times in zip(*rounds["barpoint"], strict=True))
    p99, worst = per_row[len(per_row) * 99 // 100], per_row[-1]
    ratio = best["gvformat"] / best["barpoint"]
    print(
        json.dumps(
            {
                "benchmark": "plays",
                "rows": len(rows),
                "from": "shared" if shared else "random games",
                "same_results": agree,
                "us_per_row": {name: round(ns / len(rows) / 1000, 1) for name, ns in best.items()},
                "ratio_to_gvformat": round(ratio, 2),
                "p99_ms": round(p99, 3),
                "worst_ms": round(worst, 3),
                "worst_with_pauses_ms": round(max(max(times) for times in rounds["barpoint"]) / 1e6, 3),
                "claimed": {"ratio": RATIO, "p99_ms": P99_MS, "worst_ms": WORST_MS},
            }
        )
    )
    return 0 if agree and ratio >= RATIO and p99 <= P99_MS and worst <= WORST_MS else 1


if __name__ == "__main__":
    sys.exit(main())
