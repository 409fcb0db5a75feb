"""Whole games as a camera would see them, picture by picture, for following."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simulated_eyes import die_reading, observe

from controller.board import START_BOARD, Board, DieReading, Observation
from controller.following import Following, beginning, step
from controller.rules import Color, Roll, legal_plays


@dataclass(frozen=True)
class Turn:
    """One turn of a game that was played."""

    player: Color
    roll: Roll
    before: Board
    after: Board


def game(seed: int, most: int = 400) -> list[Turn]:
    """A random game to its end, or its first turns; the opening is no double."""
    rng = random.Random(seed)
    board, player = START_BOARD, rng.choice(list(Color))
    turns: list[Turn] = []
    while len(turns) < most and 15 not in (board.off(Color.WHITE), board.off(Color.BLACK)):
        roll = Roll.of(*(rng.sample(range(1, 7), 2) if not turns else (rng.randint(1, 6), rng.randint(1, 6))))
        results = sorted(legal_plays(board.seen_by(player), roll), key=lambda p: p.points)
        after = Board.of(_sensible(results, rng), player) if results else board
        turns.append(Turn(player, roll, board, after))
        board, player = after, player.opponent
    return turns


def _sensible(results: Sequence[Any], rng: random.Random) -> Any:
    """A play that builds no towers where another does as well: people do not either."""
    low = [p for p in results if max(p.points[1:25]) <= 5]
    return rng.choice(low or list(results))


def dice(turn: Turn, rng: random.Random, sure: float = 7.0) -> tuple[DieReading, ...]:
    """The dice of a turn, thrown somewhere on the player's right."""
    half, look = (1, 0) if turn.player is Color.WHITE else (0, 1)
    readings = [die_reading(v, sure=sure, half=half, dice_set=look) for v in turn.roll]
    return tuple(replace(d, xy_px=(rng.uniform(0, 600), rng.uniform(0, 400))) for d in readings)


def pictures(turns: Sequence[Turn], seed: int = 1, noise: float = 0.08) -> Iterator[Observation]:
    """The start, then the settled picture after each turn, its dice still lying."""
    rng = random.Random(seed)
    yield observe(START_BOARD, noise=noise, rng=rng, frame="start")
    for number, turn in enumerate(turns, start=1):
        yield observe(turn.after, noise=noise, rng=rng, dice=dice(turn, rng), frame=f"t{number}")


def followed(
    seen: Sequence[Observation], state: Following | None = None
) -> tuple[Following, list[dict[str, Any]]]:
    """What following the pictures gives."""
    state = state or beginning()
    events: list[dict[str, Any]] = []
    for picture in seen:
        state, found = step(state, picture)
        events += found
    return state, events


def plays(events: Sequence[dict[str, Any]]) -> list[tuple[str, tuple[int, ...]]]:
    """Who played, and where the checkers stood then."""
    return [(e["player"], tuple(e["position"]["points"])) for e in events if e["type"] == "play"]


def truth(turns: Sequence[Turn]) -> list[tuple[str, tuple[int, ...]]]:
    """The same of a game that was played."""
    return [(t.player.value, t.after.points) for t in turns]


def in_order(found: Sequence[Any], whole: Sequence[Any]) -> bool:
    """Whether everything found is in the whole, in order: nothing wrong, perhaps something left out."""
    rest = iter(whole)
    return all(item in rest for item in found)
