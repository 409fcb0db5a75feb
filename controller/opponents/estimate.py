"""What a position is worth: chances to win, and to win or lose a gammon, by a small net that played itself.

The net has 196 inputs (Tesauro 1995: four for each count on a point, bars and checkers off), one hidden layer and
three outputs; `controller.opponents.learn` made its weights. Everything here is plain Python: what each count on
each point adds to the hidden layer is worked out once.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from controller.rules import Position
from controller.rules.scoring import win_kind

Vector = tuple[float, ...]


class Chances(NamedTuple):
    """Chances of the player on roll.

    Attributes:
        win: to win at all.
        gammon: to win a gammon or more.
        lost_gammon: to lose a gammon or more.
    """

    win: float
    gammon: float
    lost_gammon: float

    def turned(self) -> Chances:
        """Return the same for the other player."""
        return Chances(1 - self.win, self.lost_gammon, self.gammon)


@dataclass(frozen=True, slots=True)
class Net:
    """The weights, ready to be added up.

    Attributes:
        places: for each point 1 to 24 and each count from -15 to 15 what it adds to the hidden layer.
        bars: what each count on the mover's and the other bar adds.
        off: what each checker off adds, mover's and other's.
        bias: of the hidden layer.
        outputs: weights of the three outputs.
        output_bias: of the outputs.
    """

    places: tuple[tuple[Vector, ...], ...]
    bars: tuple[Vector, Vector]
    off: tuple[Vector, Vector]
    bias: Vector
    outputs: tuple[Vector, Vector, Vector]
    output_bias: Vector


@lru_cache(maxsize=1)
def net() -> Net:
    """Return the weights that come with the package."""
    told = json.loads(resources.files("controller.opponents").joinpath("weights.json").read_text("ascii"))
    scale = told["scale"]
    rows = [tuple(n / scale for n in row) for row in told["first"]]
    places = tuple(
        tuple(_counted(rows[8 * place : 8 * place + 8], count) for count in range(-15, 16)) for place in range(24)
    )
    half, part = 0.5, 1 / 15
    second = list(zip(*told["second"], strict=True))
    return Net(
        places,
        (tuple(half * n for n in rows[192]), tuple(half * n for n in rows[193])),
        (tuple(part * n for n in rows[194]), tuple(part * n for n in rows[195])),
        tuple(n / scale for n in told["first_bias"]),
        (_scaled(second[0], scale), _scaled(second[1], scale), _scaled(second[2], scale)),
        tuple(n / scale for n in told["second_bias"]),
    )


def _scaled(row: tuple[int, ...], scale: int) -> Vector:
    return tuple(n / scale for n in row)


def _counted(rows: list[Vector], count: int) -> Vector:
    """Return what `count` checkers on a point add: units for one, two, three, and half of each more."""
    mine = rows[:4] if count > 0 else rows[4:]
    n = abs(count)
    units = (float(n >= 1), float(n >= 2), float(n >= 3), max(0, n - 3) / 2)
    return tuple(sum(unit * row[at] for unit, row in zip(units, mine, strict=True)) for at in range(len(rows[0])))


@lru_cache(maxsize=65536)
def chances(position: Position) -> Chances:
    """Return the chances of the player on roll; a game that is over is certain."""
    if position.opponent_on_board == 0:
        return Chances(0.0, 0.0, float(position.off == 0))
    weights, points = net(), position.points
    added = [weights.bias]
    places = weights.places
    added += [places[at - 1][points[at] + 15] for at in range(1, 25) if points[at]]
    mine, other = weights.bars
    added += [tuple(points[25] * n for n in mine)] if points[25] else []
    added += [tuple(-points[0] * n for n in other)] if points[0] else []
    off, gone = position.off, 15 - position.opponent_on_board
    added += [tuple(off * n for n in weights.off[0])] if off else []
    added += [tuple(gone * n for n in weights.off[1])] if gone else []
    hidden = [_sigmoid(sum(column)) for column in zip(*added, strict=True)]
    win, gammon, lost = (
        _sigmoid(bias + sum(map(float.__mul__, hidden, row)))
        for row, bias in zip(weights.outputs, weights.output_bias, strict=True)
    )
    return _possible(position, win, gammon, lost)


def _possible(position: Position, win: float, gammon: float, lost: float) -> Chances:
    """Return chances that do not contradict each other or what is off already."""
    no_gammon, no_loss = position.opponent_on_board < 15, position.off > 0
    return Chances(win, 0.0 if no_gammon else min(gammon, win), 0.0 if no_loss else min(lost, 1 - win))


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-min(max(value, -30.0), 30.0)))


@dataclass(frozen=True, slots=True)
class Worth:
    """What a gammon is worth beyond a plain game, to the player on roll and to the other; 0 for nothing."""

    mine: float = 1.0
    other: float = 1.0

    def turned(self) -> Worth:
        """Return the same for the other player."""
        return Worth(self.other, self.mine)


def equity(found: Chances, worth: Worth) -> float:
    """Return what the player on roll wins on average, in units of the cube, with the cube where it is."""
    return 2 * found.win - 1 + worth.mine * found.gammon - worth.other * found.lost_gammon


def value_after(after: Position, worth: Worth) -> float:
    """Return what a play that leads to `after`, as its player counts, is worth to him."""
    if after.on_board == 0:
        return 1.0 + (worth.mine if win_kind(after) != "single" else 0.0)
    return -equity(chances(after.turned()), worth.turned())
