"""Legal results straight from the rule text, with no thought for speed: the yardstick of `legal_plays`."""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules import Move, Position, Roll, apply_move


def single_moves(position: Position, die: int) -> Iterator[Position]:
    """Yield the positions after one checker has moved by `die`, each legal move by itself."""
    points = position.points
    for source in range(1, 26):
        if points[source] <= 0 or (points[25] and source != 25):
            continue
        target = source - die
        if target > 0:
            if points[target] >= -1:
                yield apply_move(position, Move(source, target))
        elif all(points[place] <= 0 for place in range(7, 26)) and (
            target == 0 or all(points[place] <= 0 for place in range(source + 1, 7))
        ):
            yield apply_move(position, Move(source, 0))


def sequences(
    position: Position, dice: tuple[int, ...], used: tuple[int, ...] = ()
) -> Iterator[tuple[int, Position]]:
    """Yield how many dice a sequence in this order uses, and where it ends; it stops at the first that cannot."""
    if not dice or position.on_board == 0:
        yield len(used), position
        return
    moved = False
    for after in single_moves(position, dice[0]):
        moved = True
        yield from sequences(after, dice[1:], (*used, dice[0]))
    if not moved:
        yield len(used), position


def results(position: Position, roll: Roll, must_use: str = "strict") -> set[Position]:
    """Return the results of all legal plays of a roll; none when there is no legal play."""
    if roll.is_double:
        ends = list(sequences(position, (roll.high,) * 4))
        most = max(used for used, _ in ends)
        return {end for used, end in ends if used == most} if most else set()
    high_first = list(sequences(position, (roll.high, roll.low)))
    low_first = list(sequences(position, (roll.low, roll.high)))
    both = {end for used, end in (*high_first, *low_first) if used == 2}
    only_high = {end for used, end in high_first if used == 1}
    only_low = {end for used, end in low_first if used == 1}
    if not both:
        return only_high or only_low
    return both | only_high | only_low if must_use == "old_english" else both
