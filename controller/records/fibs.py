"""The ``board:`` line of FIBS, which GNU Backgammon's external interface speaks too."""

from __future__ import annotations

from dataclasses import dataclass, replace

from controller.errors import InvalidNotationError
from controller.rules.position import Position, Roll

UNLIMITED = 9999
"""What FIBS writes as the length of an unlimited match."""

_VALUES = 52


@dataclass(frozen=True, slots=True, kw_only=True)
class FibsBoard:
    """One board as FIBS tells it to one player, called "you" there.

    Attributes:
        position: the checkers as you count.
        players: your name and the opponent's.
        length: match length, 0 for unlimited.
        score: your points and the opponent's.
        your_turn: True when you are on turn, False when the opponent is, None when the game is over.
        dice: your roll and the opponent's, None where not rolled.
        cube_value: what the cube shows.
        may_double: whether you and the opponent may double.
        was_doubled: a double is on offer.
        color: 1 when you play O, -1 when you play X.
        direction: -1 when you move from 24 to 1 in FIBS's numbering, 1 the other way.
        can_move: how many checkers you can move.
        forced: FIBS's field of that name, meaning "forced move".
        did_crawford: the Crawford game has been played.
        redoubles: how many redoubles of a cube are allowed.
        off: your and the opponent's checkers borne off.
    """

    position: Position
    players: tuple[str, str] = ("You", "Opponent")
    length: int = 0
    score: tuple[int, int] = (0, 0)
    your_turn: bool | None = True
    dice: tuple[Roll | None, Roll | None] = (None, None)
    cube_value: int = 1
    may_double: tuple[bool, bool] = (True, True)
    was_doubled: bool = False
    color: int = 1
    direction: int = -1
    can_move: int = 0
    forced: int = 0
    did_crawford: bool = False
    redoubles: int = 0

    @property
    def off(self) -> tuple[int, int]:
        """Your and the opponent's checkers borne off."""
        return self.position.off, self.position.opponent_off

    def fibs_points(self) -> tuple[int, ...]:
        """Return the 26 numbers as FIBS counts: O positive, X negative, places in its own numbering."""
        points = self.position.points if self.direction == -1 else tuple(reversed(self.position.points))
        return tuple(self.color * n for n in points)


def write_fibs_board(board: FibsBoard) -> str:
    """Write a ``board:`` line of 52 values.

    Raises:
        InvalidNotationError: a name is empty or holds a colon.
    """
    for name in board.players:
        if not name or ":" in name:
            raise InvalidNotationError(f"FIBS cannot hold the name {name!r}: it must not be empty or hold ':'")
    turn = 0 if board.your_turn is None else board.color if board.your_turn else -board.color
    bars = board.position.points[25], -board.position.points[0]
    values = (
        *board.players,
        board.length or UNLIMITED,
        *board.score,
        *board.fibs_points(),
        turn,
        *(board.dice[0] or (0, 0)),
        *(board.dice[1] or (0, 0)),
        board.cube_value,
        *(int(may) for may in board.may_double),
        int(board.was_doubled),
        board.color,
        board.direction,
        *((0, 25) if board.direction == -1 else (25, 0)),
        *board.off,
        *bars,
        board.can_move,
        board.forced,
        int(board.did_crawford),
        board.redoubles,
    )
    return "board:" + ":".join(str(value) for value in values)


def parse_fibs_board(text: str) -> FibsBoard:
    """Read a ``board:`` line.

    Raises:
        InvalidNotationError: not 52 values, or one that cannot be.
        InvalidPositionError: more than fifteen checkers of a side.
    """
    values = text.strip().removeprefix("board:").split(":")
    if len(values) != _VALUES:
        raise InvalidNotationError(f"a FIBS board has {_VALUES} values, got {len(values)}")
    try:
        numbers = [int(value) for value in values[2:]]
    except ValueError:
        raise InvalidNotationError("a FIBS board holds only numbers after the two names") from None
    color, direction = numbers[38], numbers[39]
    if color not in (1, -1) or direction not in (1, -1):
        raise InvalidNotationError(f"FIBS color and direction are 1 or -1, got {color} and {direction}")
    points = tuple(color * n for n in numbers[3:29])
    position = Position(points if direction == -1 else tuple(reversed(points)))
    length = 0 if numbers[0] == UNLIMITED else numbers[0]
    board = FibsBoard(
        position=position,
        players=(values[0], values[1]),
        length=length,
        score=(numbers[1], numbers[2]),
        your_turn=None if numbers[29] == 0 else numbers[29] == color,
        dice=(_roll(numbers[30], numbers[31]), _roll(numbers[32], numbers[33])),
        cube_value=numbers[34],
        may_double=(bool(numbers[35]), bool(numbers[36])),
        was_doubled=bool(numbers[37]),
        color=color,
        direction=direction,
    )
    return replace(
        board, can_move=numbers[46], forced=numbers[47], did_crawford=bool(numbers[48]), redoubles=numbers[49]
    )


def _roll(first: int, second: int) -> Roll | None:
    return Roll.of(first, second) if first or second else None
