"""What stands on the board when no legal play explains it: read straight from the evidence, or not at all."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from controller.board import START_BOARD, Board, Site
from controller.errors import InvalidPositionError
from controller.reconcile import DEFAULT, TALL, Evidence
from controller.rules import Color, Move, Play, Position

SURE = 3.0
"""By how much, in natural logarithms, the count of each site must beat every other one that can be told apart."""

ALIKE = 0.5
"""Counts whose logarithms differ by less than this cannot be told apart: five checkers and more."""

MOST_BOARDS = 64
"""How many boards are looked through at most; more are left by no readable picture."""

MOST_MOVED = 4
"""How many checkers one player can move in one turn."""


def standing_board(before: Board, mover: Color, evidence: Evidence) -> Board | None:
    """Return what stands on the board, or None when that is not certain.

    A count is taken as unchanged unless it is contradicted: a sixth checker on top of five looks like five. Of
    the boards that are left, exactly one must be what one player can do in one turn, right or wrong.
    """
    if evidence.hand:
        return None
    known = (-before.bar[1], *before.points, before.bar[0])
    options = [_counts(row, count) for row, count in zip(evidence.rows, known, strict=True)]
    if math.prod(map(len, options)) > MOST_BOARDS:
        return None
    boards = []
    for counts in itertools.product(*options):
        try:
            board = Board(tuple(counts[1:25]), (counts[25], -counts[0]))
        except InvalidPositionError:
            continue
        if _one_turn_apart(before.seen_by(mover), board.seen_by(mover)):
            boards.append(board)
    if len(boards) != 1 or _may_be_on_a_stack(
        before.seen_by(mover), boards[0].seen_by(mover), evidence.rows_of(mover)
    ):
        return None
    return boards[0]


def _may_be_on_a_stack(before: Position, after: Position, rows: Sequence[tuple[float, ...]]) -> bool:
    """Tell whether a checker that is gone may as well stand on a stack at home that is too tall to be counted."""
    home = zip(rows[1:7], after.points[1:7], strict=True)
    return after.off > before.off and any(n >= TALL and abs(row[n] - row[n + 1]) < ALIKE for row, n in home)


def _counts(row: tuple[float, ...], known: int) -> list[int]:
    """Return the counts that one place may hold: the one before if no other looks as likely, else all likely ones.

    On a stack too tall to be counted others do and tell nothing. One turn makes none higher by more than it moves.
    """
    likely = [n for n in range(-15, 16) if row[n] > -SURE and abs(n) <= abs(known) + MOST_MOVED]
    told = [n for n in likely if n != known and min(abs(n), abs(known)) < TALL]
    if row[known] > -SURE and all(row[n] < row[known] - ALIKE / 10 for n in told):
        return [known]
    return likely


def _one_turn_apart(before: Position, after: Position) -> bool:
    """Tell whether one player can have done this in one turn, right or wrong: four checkers, and what they hit."""
    pairs = list(zip(before.points, after.points, strict=True))
    left = sum(max(0, max(b, 0) - max(a, 0)) for b, a in pairs)
    came = sum(max(0, max(a, 0) - max(b, 0)) for b, a in pairs)
    hit = sum(max(0, max(-b, 0) - max(-a, 0)) for b, a in pairs[1:])
    appeared = sum(max(0, max(-a, 0) - max(-b, 0)) for b, a in pairs[1:])
    borne_off = before.on_board - after.on_board
    barred = before.points[0] - after.points[0]
    home = all(count <= 0 for count in after.points[7:])
    off = borne_off == 0 or (borne_off > 0 and home)  # one that is gone from elsewhere is misread, or in a hand
    return left <= MOST_MOVED and left == came + borne_off and off and not appeared and hit == barred


def out_of_step(before: Board, mover: Color, evidence: Evidence) -> bool:
    """Tell whether more has changed than a wrong turn and a bumped checker could do: the game was not followed."""
    left, appeared = _changes(before, mover, evidence)
    return left + appeared > 4


def only_opponent_moved(before: Board, mover: Color, evidence: Evidence) -> bool:
    """Tell whether the board shows that the player who is not on turn has moved, and the other one has not."""
    left, appeared = _changes(before, mover, evidence)
    return appeared > 0 and left == 0


def _changes(before: Board, mover: Color, evidence: Evidence) -> tuple[int, int]:
    """Return how many of the mover's checkers left their places, and how many of the opponent's came to others.

    Only what contradicts the board before counts as a change.
    """
    known = (-before.bar[1], *before.points, before.bar[0])
    likeliest = evidence.likeliest
    now = [
        best if row[count] < -SURE else count
        for row, count, best in zip(evidence.rows, known, likeliest, strict=True)
    ]
    sign = 1 if mover is Color.WHITE else -1
    left = sum(max(0, max(sign * b, 0) - max(sign * a, 0)) for b, a in zip(known, now, strict=True))
    appeared = sum(
        max(0, max(-sign * a, 0) - max(-sign * b, 0)) for b, a in zip(known[1:25], now[1:25], strict=True)
    )
    return left, appeared


def wrong_sites(board: Board, evidence: Evidence) -> tuple[tuple[Site, ...], tuple[Color, ...]]:
    """Return the sites and the sides of the bar where what is seen contradicts `board`."""
    points = (-board.bar[1], *board.points, board.bar[0])
    places = evidence.misfits(points, Color.WHITE, DEFAULT.site_noise)
    bars = tuple(color for color, place in ((Color.WHITE, 25), (Color.BLACK, 0)) if place in places)
    return tuple(Site(place) for place in range(1, 25) if place in places), bars


def nearly(board: Board, evidence: Evidence) -> bool:
    """Tell whether `board` is seen but for one place, which is misread then: a stray checker shows at two."""
    sites, bars = wrong_sites(board, evidence)
    return len(sites) + len(bars) <= 1


def mirrored(board: Board) -> Board:
    """Return the board with left and right changed: as when the checkers are set up the wrong way."""
    points = board.points
    return Board((*reversed(points[:12]), *reversed(points[12:])), board.bar)


def looks_mirrored(evidence: Evidence) -> bool:
    """Tell whether the start position stands there with left and right changed."""
    return wrong_sites(mirrored(START_BOARD), evidence) == ((), ())


def moves_between(before: Position, after: Position) -> Play | None:
    """Return moves that lead from one position to the other, rear checker first, or None when there are none.

    For the text of a play that no rule allows; how far each checker went is not judged.

    Example:
        >>> from controller.rules import START, apply_play
        >>> moves_between(START, apply_play(START, (Move(13, 6), Move(8, 6))))
        (Move(source=13, target=6, hit=False), Move(source=8, target=6, hit=False))
    """
    own_before = [max(n, 0) for n in before.points]
    own_after = [max(n, 0) for n in after.points]
    own_after[0] = after.off - before.off
    own_before[0] = 0
    sources = [p for p in range(25, 0, -1) for _ in range(max(0, own_before[p] - own_after[p]))]
    targets = [p for p in range(25, -1, -1) for _ in range(max(0, own_after[p] - own_before[p]))]
    if len(sources) != len(targets) or any(t >= s for s, t in zip(sources, targets, strict=True)):
        return None
    return tuple(
        Move(s, t, hit=t > 0 and before.points[t] < 0 <= after.points[t])
        for s, t in zip(sources, targets, strict=True)
    )
