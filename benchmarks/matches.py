"""Claim: thousands of random matches of every profile, through random legal actions, break no law.

The laws: thirty checkers; a score that is the sum of its games; a cube that is a power of two, owned and turned
only as allowed; exactly one Crawford game where a game begins one point before the end; a match that ends when
it must. Matches come from the seeded generator of the tests, so a seed that fails can be played again.

    python benchmarks/matches.py [--matches N] [--profile NAME]

Prints one JSON line for each profile; exit 1 when a law is broken.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from pathlib import Path

from controller.rules import PROFILES, profile


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--profile", choices=list(PROFILES))
    parser.add_argument("--seed", type=int, default=0, help="seed of the first match")
    args = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "rules"))
    generator = importlib.import_module("random_match")
    broken = 0
    for name in [args.profile] if args.profile else PROFILES:
        start = time.process_time()
        games = actions = 0
        failed = []
        for seed in range(args.seed, args.seed + args.matches):
            played = generator.random_match(profile(name), seed, longest=5, money_games=2)
            games += len(played.games)
            actions += sum(map(len, played.games))
            try:
                generator.check_laws(played)
            except AssertionError:
                failed.append(seed)
        broken += len(failed)
        print(
            json.dumps(
                {
                    "benchmark": "matches",
                    "profile": name,
                    "matches": args.matches,
                    "games": games,
                    "actions": actions,
                    "broken": len(failed),
                    "seeds_broken": failed[:10],
                    "cpu_s": round(time.process_time() - start, 1),
                }
            ),
            flush=True,
        )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
