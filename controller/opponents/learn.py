"""How the weights of the built-in player were made: it played against itself and learned from every turn.

    python -m controller.opponents.learn OUT [--games N] [--rate FROM TO] [--resume WEIGHTS] [--seed N]

Nothing but the rules goes in. The weights of the package saw 42,000 games at a rate falling from 0.1 to 0.02, and
10,000 more (``--resume``) from 0.02 to 0.002. The method is temporal difference learning (Sutton 1988; Tesauro
1995): after each play the estimate for the position before it is moved towards the estimate for the position
after it, and at the end of a game towards what the game was. Needs numpy; playing needs the weights alone.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from controller.rules import START, Position, Roll, legal_plays

Floats = npt.NDArray[np.float32]

PARTS = ("first", "first_bias", "second", "second_bias")
"""Names of the weights, in the file and in `Learner`."""

SCALE = 4096
"""Weights are kept as whole numbers, in parts of one by this."""


def unit_table() -> Floats:
    """Return the inputs of one point for every count from -15 to 15; shape ``(31, 8)``, mover's four first."""
    table = np.zeros((31, 8), np.float32)
    for count in range(-15, 16):
        first, n = (0, count) if count > 0 else (4, -count)
        table[count + 15, first : first + 4] = (n >= 1, n >= 2, n >= 3, max(0, n - 3) / 2)
    return table


UNITS = unit_table()


def inputs(positions: Sequence[Position]) -> Floats:
    """Return the inputs of positions seen from the player on roll; shape ``(n, 196)``."""
    points = np.array([position.points for position in positions])
    found = np.empty((len(positions), 196), np.float32)
    found[:, :192] = UNITS[points[:, 1:25] + 15].reshape(len(positions), 192)
    found[:, 192] = points[:, 25] / 2
    found[:, 193] = -points[:, 0] / 2
    own = np.maximum(points[:, 1:], 0).sum(axis=1)
    other = np.maximum(-points[:, :25], 0).sum(axis=1)
    found[:, 194] = (15 - own) / 15
    found[:, 195] = (15 - other) / 15
    return found


def sigmoid(value: Floats) -> Floats:
    """Return the logistic function of each value."""
    return (1 / (1 + np.exp(-value))).astype(np.float32)


class Learner:
    """One hidden layer; three chances for the player on roll: to win, to win a gammon, to lose one."""

    def __init__(self, hidden: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.first = rng.normal(0, 0.1, (196, hidden)).astype(np.float32)
        self.first_bias = np.zeros(hidden, np.float32)
        self.second = rng.normal(0, 0.1, (hidden, 3)).astype(np.float32)
        self.second_bias = np.array([0.0, -1.0, -1.0], np.float32)

    def chances(self, found: Floats) -> tuple[Floats, Floats]:
        """Return the hidden layer and the chances."""
        hidden = sigmoid(found @ self.first + self.first_bias)
        return hidden, sigmoid(hidden @ self.second + self.second_bias)

    def learn(self, found: Floats, target: Floats, rate: float) -> None:
        """Move the estimate for one position towards `target`."""
        hidden, chances = self.chances(found[None])
        error = (target - chances[0]) * rate
        back = (self.second @ error) * hidden[0] * (1 - hidden[0])
        self.second += np.outer(hidden[0], error)
        self.second_bias += error
        active = np.flatnonzero(found)
        self.first[active] += np.outer(found[active], back)
        self.first_bias += back

    def to_json(self) -> dict[str, Any]:
        """Return the weights as whole numbers."""
        return {"scale": SCALE} | {
            name: np.rint(getattr(self, name) * SCALE).astype(int).tolist() for name in PARTS
        }


def lost(position: Position) -> Floats:
    """Return the chances of a player whose opponent has borne off everything."""
    return np.array([0.0, 0.0, 1.0 if position.off == 0 else 0.0], np.float32)


def play_game(learner: Learner, chance: random.Random, rate: float) -> None:
    """Play one game of the learner against itself, learning."""
    position = START
    while True:
        roll = Roll.of(chance.randint(1, 6), chance.randint(1, 6))
        ends = [end.turned() for end in legal_plays(position, roll)] or [position.turned()]
        over = next((end for end in ends if end.opponent_on_board == 0), None)
        if over is not None:
            after, chances = over, lost(over)
        else:
            _, found = learner.chances(inputs(ends))
            best = int(np.argmin(2 * found[:, 0] + found[:, 1] - found[:, 2]))
            after, chances = ends[best], found[best]
        target = np.array([1 - chances[0], chances[2], chances[1]], np.float32)
        learner.learn(inputs([position])[0], target, rate)
        if over is not None:
            return
        position = after


def resumed(path: Path) -> Learner:
    """Return a learner with the weights of a file."""
    told = json.loads(path.read_text())
    learner = Learner(len(told["first_bias"]), 0)
    for name in PARTS:
        setattr(learner, name, np.array(told[name], np.float32) / told["scale"])
    return learner


def main() -> int:
    """Learn, and write the weights every thousand games."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--games", type=int, default=60_000)
    parser.add_argument("--hidden", type=int, default=40)
    parser.add_argument("--rate", type=float, nargs=2, default=(0.1, 0.005), metavar=("FROM", "TO"))
    parser.add_argument("--resume", type=Path, metavar="WEIGHTS", help="go on from these")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    learner = Learner(args.hidden, args.seed) if args.resume is None else resumed(args.resume)
    chance, start = random.Random(args.seed), time.time()
    first, last = args.rate
    for game in range(1, args.games + 1):
        play_game(learner, chance, first * (last / first) ** (game / args.games))
        if game % 1000 == 0 or game == args.games:
            args.out.write_text(json.dumps(learner.to_json(), separators=(",", ":")) + "\n")
            sys.stderr.write(f"{game} games, {time.time() - start:.0f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
