"""Make ``data/legal_plays.jsonl``, the sample for clones without the shared data.

Positions come from random games and from random set-ups near the end; the answers come from gvformat.legality,
an engine of others, and the script stops where ours differs. Run it again only when rows are to be added:

    python tests/rules/make_sample.py
"""

from __future__ import annotations

import json
import random
from pathlib import Path

from gvformat.legality import legal_plays as peer_plays

from controller.rules import START, Move, Position, Roll, apply_play, legal_plays

DATA = Path(__file__).parent / "data" / "legal_plays.jsonl"


def peer_results(position: Position, roll: Roll) -> list[str]:
    """Return the sorted results of gvformat.legality as board texts."""
    own = [0, *(max(0, n) for n in position.points[1:])]
    other = [max(0, -n) for n in position.points]
    plays, _ = peer_plays(own, other, roll.high, roll.low)
    return sorted({str(apply_play(position, _in_order(position, play))) for play in plays if play})


def _in_order(position: Position, play: tuple[tuple[int, int], ...]) -> tuple[Move, ...]:
    """Return the moves of an unordered play so that each checker is there when it moves."""
    left, held, moves = list(play), list(position.points), []
    while left:
        source, target = next(move for move in left if held[move[0]] > 0)
        left.remove((source, target))
        held[source] -= 1
        held[target] = max(0, held[target]) + 1
        moves.append(Move(source, target))
    return tuple(moves)


def played_positions(chance: random.Random) -> list[Position]:
    """Return the positions of one random game."""
    found, position = [], START
    while position.opponent_on_board:
        found.append(position)
        roll = Roll.of(chance.randint(1, 6), chance.randint(1, 6))
        plays = sorted(legal_plays(position, roll), key=str)
        position = (chance.choice(plays) if plays else position).turned()
    return found


def constructed_position(chance: random.Random) -> Position:
    """Return a random set-up with few checkers of the mover, so that bars and bear-offs are common."""
    points = [0] * 26
    for _ in range(chance.randint(2, 6)):
        points[chance.choice([25, *range(1, 8), chance.randint(8, 24)])] += 1
    for _ in range(chance.randint(2, 14)):
        place = chance.choice([place for place in range(25) if points[place] <= 0])
        points[place] -= 1
    return Position(tuple(points))


def main() -> None:
    chance = random.Random(20)
    positions = [chance.choice(played_positions(chance)) for _ in range(90)]
    positions += [constructed_position(chance) for _ in range(90)]
    with DATA.open("w", encoding="utf-8") as out:
        for position in positions:
            roll = Roll.of(chance.randint(1, 6), chance.randint(1, 6))
            results = peer_results(position, roll)
            if results != sorted(map(str, legal_plays(position, roll))):
                raise SystemExit(f"engines differ: {position} {roll}")
            out.write(json.dumps({"board": str(position), "dice": list(roll), "results": results}) + "\n")


if __name__ == "__main__":
    main()
