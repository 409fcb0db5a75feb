"""The rules of backgammon as plain values and functions; nothing here knows that a board exists."""

from controller.rules.notation import parse_roll, parse_steps, write_play
from controller.rules.plays import first_steps, legal_plays
from controller.rules.position import (
    ALL_ROLLS,
    BAR,
    OFF,
    START,
    Color,
    Move,
    Play,
    Point,
    Position,
    Roll,
    apply_move,
    apply_play,
    parse_position,
)

__all__ = [
    "ALL_ROLLS",
    "BAR",
    "OFF",
    "START",
    "Color",
    "Move",
    "Play",
    "Point",
    "Position",
    "Roll",
    "apply_move",
    "apply_play",
    "first_steps",
    "legal_plays",
    "parse_position",
    "parse_roll",
    "parse_steps",
    "write_play",
]
