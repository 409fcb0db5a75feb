"""Plays that break the rules, as people make them: a pip too far, a number skipped, a hit checker left."""

from __future__ import annotations

import random

from controller.board import Board
from controller.rules import Color, Move, Play, Roll, apply_move, legal_plays

Turn = tuple[Board, Color, Roll, Board]
"""The board before a turn, whose it was, what he rolled, and the board after it."""


def is_illegal(turn: Turn) -> bool:
    """Tell whether a turn breaks the rules; to stay where one stands is right where nothing can be played."""
    before, mover, roll, after = turn
    legal = {Board.of(position, mover) for position in legal_plays(before.seen_by(mover), roll)}
    return after not in legal and (bool(legal) or after != before)


def wrong_play(rng: random.Random, board: Board, mover: Color, roll: Roll, play: Play) -> Board | None:
    """Return the board after a play that breaks the rules, or None when this roll offers none.

    It can be told from every legal one: a wrong play that differs only in stacks of five and more is seen by no
    camera.

    Args:
        rng: draws the kind of mistake.
        board: the board before it.
        mover: who makes it.
        roll: what he has rolled.
        play: the legal play that he gets wrong.
    """
    legal = {_visible(after.points) for after in legal_plays(board.seen_by(mover), roll)}
    kinds = [_one_pip_off, _skipped, _hit_left]
    rng.shuffle(kinds)
    for kind in kinds:
        wrong = kind(rng, board, mover, play)
        if wrong is not None and _visible(wrong.seen_by(mover).points) not in legal and wrong != board:
            return wrong
    return None


def without_hit(board: Board, mover: Color) -> Board:
    """Return the board while a hit checker is still in the hand, or beside the board."""
    white, black = board.bar
    bar = (white, max(0, black - 1)) if mover is Color.WHITE else (max(0, white - 1), black)
    return Board(board.points, bar)


def hides_in_stacks(before: Board, after: Board) -> bool:
    """Tell whether a change hides in stacks that a camera cannot count."""
    pairs = zip(after.points, before.points, strict=True)
    return any(now != then and abs(now) >= 5 and abs(then) >= 5 for now, then in pairs)


def _visible(points: tuple[int, ...]) -> tuple[int, ...]:
    """Return counts as a camera can tell them: five and more look alike."""
    return tuple(max(-5, min(5, n)) for n in points)


def _one_pip_off(rng: random.Random, board: Board, mover: Color, play: Play) -> Board | None:
    position = board.seen_by(mover)
    for move in play[:-1]:
        position = apply_move(position, move)
    last = play[-1]
    for off in rng.sample([-1, 1], 2):
        target = last.target + off
        if 1 <= target < last.source and position.points[target] >= -1 and target <= 24:
            return Board.of(apply_move(position, Move(last.source, target)), mover)
    return None


def _skipped(rng: random.Random, board: Board, mover: Color, play: Play) -> Board | None:
    del rng
    if len(play) < 2:
        return None
    position = board.seen_by(mover)
    for move in play[:-1]:
        position = apply_move(position, move)
    return Board.of(position, mover)


def _hit_left(rng: random.Random, board: Board, mover: Color, play: Play) -> Board | None:
    del rng
    if not any(move.hit for move in play):
        return None
    position = board.seen_by(mover)
    for move in play:
        position = apply_move(position, move)
    return without_hit(Board.of(position, mover), mover)
