"""A short game drawn by the simulated camera, as a folder of pictures."""

from __future__ import annotations

from pathlib import Path

import cv2

from controller.board import START_BOARD, Board, Scene, SceneDie
from controller.rules import Color, Roll, legal_plays, write_play
from vision.simulated import SimulatedCamera

PLAYED = (
    (Color.WHITE, Roll(3, 1), "8/5 6/5"),
    (Color.BLACK, Roll(6, 5), "24/13"),
    (Color.WHITE, Roll(6, 2), "24/18 13/11"),
    (Color.BLACK, Roll(4, 1), "13/9 6/5"),
)
"""The turns of the recording."""


def after(board: Board, player: Color, roll: Roll, text: str) -> Board:
    """The board after one written play."""
    plays = legal_plays(board.seen_by(player), roll)
    return next(Board.of(position, player) for position, play in plays.items() if write_play(play) == text)


def record(folder: Path, *, hand: bool = True) -> tuple[str, list[Board]]:
    """Draw the game into a folder; return `--corners` and the board after each turn."""
    camera = SimulatedCamera(seed=1)
    scenes = [Scene(START_BOARD)]
    boards: list[Board] = []
    board = START_BOARD
    for number, (player, roll, text) in enumerate(PLAYED):
        if hand:
            scenes.append(Scene(board, hand=(0.45, 0.5), hand_of=player))
        board = after(board, player, roll, text)
        boards.append(board)
        at = 0.72 if player is Color.WHITE else 0.22
        dice = tuple(
            SceneDie(value, player, at + 0.09 * i + 0.01 * number, 0.47 + 0.03 * i, 20.0 + 37 * number)
            for i, value in enumerate(roll)
        )
        scenes.append(Scene(board, dice))
    for number, scene in enumerate(scenes):
        cv2.imwrite(str(folder / f"f{number:03d}.png"), camera.picture(scene))
    return ",".join(f"{v:.1f}" for xy in camera.corners_px for v in xy), boards
