"""Touch-move: each checker that was set down is final (rules/RULES.md, reading 6)."""

from __future__ import annotations

from controller.board import Board
from controller.rules import Play, Position, Roll
from controller.rules.game import Game, Phase
from controller.rules.plays import next_steps
from controller.rules.position import Move, apply_move, apply_play


def goes_on_to(game: Game, final: Play, board: Board) -> bool:
    """Tell whether the moves that are final can be completed to what stands on `board`."""
    if not final or game.turn is None or game.roll is None or game.phase is not Phase.TO_PLAY:
        return True
    target = board.seen_by(game.turn)
    return _reaches(game.before, game.roll, final, apply_play(game.before, final), target, game)


def _reaches(before: Position, roll: Roll, made: Play, at: Position, target: Position, game: Game) -> bool:
    if at == target:
        return True
    for source, to, _ in next_steps(before, roll, made, game.rules.must_use):
        move = Move(source, to, to > 0 and at.points[to] == -1)
        if _reaches(before, roll, (*made, move), apply_move(at, move), target, game):
            return True
    return False
