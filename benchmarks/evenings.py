"""Claim: whole games with human-like handling and a camera's noise are recorded without one wrong play.

Simulated players move in any order, slide, try and take back, nudge, reply early, are sloppy with the bar, and
make a wrong play in one of fifty turns; readings are as noisy as `benchmarks/sequences.py --noise` measured them
on rendered sequences, or blurred, or harsher than that. What the session records is compared with what was played.

    python benchmarks/evenings.py [--games N] [--seed S] [--policy legal|responsible|condoned] [--noise NAME]

Prints one JSON line: games, turns, wrong (plays recorded that were not made), missed (turns neither recorded nor
asked about), asked (legal turns in which the table asked), false_calls (legal turns called wrong), illegal
(wrong plays made), illegal_reported, illegal_absorbed (recorded as legal plays); exit 1 when a play was wrong or
missed, a wrong play was absorbed or not reported, or more than 1 % of the turns were asked about.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import sys
import time
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--policy", choices=("legal", "responsible", "condoned"), default="legal")
    parser.add_argument(
        "--noise", choices=("measured", "blurred", "harsh"), default="measured", help="of readings"
    )
    parser.add_argument("--verbose", action="store_true", help="name the games in which something was not right")
    args = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    handling = importlib.import_module("tests.handling")
    counts, start = handling.Counts(), time.process_time()
    for number in range(args.games):
        seed = args.seed * 1_000_003 + number
        game = handling.Evening(seed, policy=args.policy, noise=args.noise).play()
        counts.add(game)
        unreported = game.illegal - game.illegal_reported
        if args.verbose and (game.wrong or game.missed or game.illegal_absorbed or unreported):
            print(json.dumps({"seed": seed, **dataclasses.asdict(game)}), file=sys.stderr)
    seconds = time.process_time() - start
    print(
        json.dumps(
            {
                "benchmark": "evenings",
                **dataclasses.asdict(counts),
                "asked_share": round(counts.asked / max(1, counts.turns), 5),
                "cpu_s": round(seconds, 1),
            }
        )
    )
    failed = counts.wrong or counts.missed or counts.illegal_absorbed or counts.illegal_reported < counts.illegal
    return 1 if failed or counts.asked > 0.01 * counts.turns else 0


if __name__ == "__main__":
    sys.exit(main())
