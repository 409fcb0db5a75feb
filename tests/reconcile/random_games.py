"""Positions as games reach them, for laws that must hold everywhere."""

from __future__ import annotations

import random
from collections.abc import Iterator

from controller.board import START_BOARD, Board
from controller.rules import Color, Roll, legal_plays


def turns(seed: int, games: int = 1) -> Iterator[tuple[Board, Color, Roll]]:
    """Yield every turn of random games: the board before it, who is on roll, and the roll."""
    rng = random.Random(seed)
    for _ in range(games):
        board, mover = START_BOARD, rng.choice(list(Color))
        while not (board.off(Color.WHITE) == 15 or board.off(Color.BLACK) == 15):
            roll = Roll.of(rng.randint(1, 6), rng.randint(1, 6))
            yield board, mover, roll
            results = list(legal_plays(board.seen_by(mover), roll))
            if results:
                board = Board.of(rng.choice(results), mover)
            mover = mover.opponent


def one_pip_off(board: Board, mover: Color, rng: random.Random) -> Board | None:
    """Return the board with one checker of `mover` a pip beside where it should be, or None where none can be."""
    points = list(board.points)
    sign = 1 if mover is Color.WHITE else -1
    sources = [i for i, n in enumerate(points) if n * sign > 0]
    rng.shuffle(sources)
    for source in sources:
        for step in rng.sample((-1, 1), 2):
            target = source + step
            if 0 <= target < 24 and points[target] * sign >= 0:
                points[source] -= sign
                points[target] += sign
                return Board(tuple(points), board.bar)
    return None
