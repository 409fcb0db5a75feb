"""Claim: each level of the built-in player wins points from the one below it, and none sees the dice to come.

Pairs of levels play money games without a cube, every dice sequence twice with the sides exchanged, so that luck
counts for both; what the better level wins is in points a game, with its standard error. ``--gnubg`` lets GNU
Backgammon (0 plies) play the built-in levels too, for information. Dice are counted: none is favored.

    python benchmarks/opponents.py [--games N] [--pair STRONGER WEAKER] [--gnubg LEVEL]

Prints one JSON line for each pair; exit 1 when a level loses to the one below it by more than luck explains.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable

from controller.opponents import LEVELS, gnubg
from controller.opponents.player import LEVELS as SKILLS
from controller.opponents.player import decide
from controller.rules import Color, Position, Roll, act_in, new_match, next_game, profile
from controller.rules.actions import MakePlay, Pass, RollDice, RollOpening
from controller.rules.game import Phase, must_pass, plays
from controller.rules.match import Match

Player = Callable[[Match], Position]
RULES = profile("international", cube=False)


def own(level: str) -> Player:
    """Return the built-in player of one level."""
    return lambda match: decide(match, level).after or Position(())


def gnu(match: Match) -> Position:
    """Play as GNU Backgammon does without looking ahead."""
    return gnubg.decide(match, "hard").after or Position(())


def play_game(players: dict[Color, Player], seed: int, faces: Counter[int]) -> int:
    """Play one game; return what White won, negative for what he lost."""
    chance = random.Random(seed)

    def roll() -> tuple[int, int]:
        pair = chance.randint(1, 6), chance.randint(1, 6)
        faces.update(pair)
        return pair

    match = next_game(new_match(RULES, None))
    while match.playing and match.game is not None:
        game = match.game
        if game.phase is Phase.OPENING:
            match = act_in(match, RollOpening(*roll()))
        elif game.phase is Phase.TO_ROLL:
            match = act_in(match, RollDice(Roll.of(*roll())))
        elif must_pass(game):
            match = act_in(match, Pass())
        else:
            assert game.turn is not None
            match = act_in(match, MakePlay(plays(game)[players[game.turn](match)]))
    result = match.results[-1]
    return result.points if result.winner is Color.WHITE else -result.points


def compare(one: str, other: str, games: int, seed: int, players: dict[str, Player]) -> dict[str, object]:
    """Let two players play `games` games, each dice sequence once from either side."""
    start = time.process_time()
    faces: Counter[int] = Counter()
    won = []
    for pair in range(games // 2):
        sides = {Color.WHITE: players[one], Color.BLACK: players[other]}
        first = play_game(sides, seed + pair, faces)
        second = -play_game({Color.WHITE: players[other], Color.BLACK: players[one]}, seed + pair, Counter())
        won.append((first + second) / 2)
    total = sum(faces.values())
    spread = sum((count - total / 6) ** 2 / (total / 6) for count in faces.values())
    return {
        "benchmark": "opponents",
        "stronger": one,
        "weaker": other,
        "games": 2 * len(won),
        "points_per_game": round(statistics.fmean(won), 3),
        "standard_error": round(statistics.stdev(won) / math.sqrt(len(won)), 3),
        "dice_chi_square_5": round(spread, 2),
        "cpu_s": round(time.process_time() - start, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, help="of levels that do not look at replies")
    parser.add_argument("--deep-games", type=int, default=40, help="of levels that look at replies")
    parser.add_argument("--pair", nargs=2, choices=list(LEVELS), metavar=("STRONGER", "WEAKER"))
    parser.add_argument("--gnubg", choices=list(LEVELS), metavar="LEVEL")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    names = list(LEVELS)
    pairs = [tuple(args.pair)] if args.pair else list(zip(names[1:], names, strict=False))
    players: dict[str, Player] = {name: own(name) for name in names} | {"gnubg": gnu}
    if args.gnubg:
        pairs = [("gnubg", args.gnubg)]
    lost = False
    for one, other in pairs:
        deep = one == "gnubg" or any(SKILLS[name].replies for name in (one, other) if name in SKILLS)
        line = compare(one, other, args.deep_games if deep else args.games, args.seed, players)
        print(json.dumps(line), flush=True)
        lost = lost or float(str(line["points_per_game"])) < -2 * float(str(line["standard_error"]))
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
