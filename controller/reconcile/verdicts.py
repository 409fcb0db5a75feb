"""What reconciling can say about the board, as values."""

from __future__ import annotations

from dataclasses import dataclass

from controller.board import Board, Site
from controller.rules.position import Color, Play, Roll


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that may have happened since the last certain board.

    Attributes:
        kind: ``"play"`` (a whole legal play, or a dance), ``"part"`` (some of its moves) or ``"unmoved"``.
        board: what would stand there.
        play: the moves that lead to it.
        rolls: the rolls that allow it, likeliest first; empty for ``"unmoved"``.
        probability: 0 to 1, all other explanations counted, wrong plays among them.
    """

    kind: str
    board: Board
    play: Play
    rolls: tuple[Roll, ...]
    probability: float

    @property
    def roll(self) -> Roll | None:
        """The likeliest roll, or None where nothing was rolled."""
        return self.rolls[0] if self.rolls else None


@dataclass(frozen=True, slots=True)
class Completed:
    """A whole legal play stands on the board; it counts once the turn ends.

    Attributes:
        play: the moves; empty for a dance.
        roll: the roll it was made with, or None where several allow it and the dice do not tell.
        rolls: every roll that allows it, likeliest first.
        board: what stands there now.
        probability: 0 to 1.
        margin: natural logarithm of how much likelier it is than the second-best explanation.
    """

    play: Play
    roll: Roll | None
    rolls: tuple[Roll, ...]
    board: Board
    probability: float
    margin: float


@dataclass(frozen=True, slots=True)
class Unmoved:
    """Nothing has moved, or everything was put back."""

    probability: float
    margin: float


@dataclass(frozen=True, slots=True)
class InProgress:
    """Some of the moves of a legal play have been made.

    Attributes:
        done: the moves made so far.
        board: what stands there now.
        probability: 0 to 1.
    """

    done: Play
    board: Board
    probability: float


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """More than one explanation is likely: ask.

    Attributes:
        choices: the explanations to choose from, likeliest first.
        sites: where they differ.
        bars: whose sides of the bar they differ on.
    """

    choices: tuple[Choice, ...]
    sites: tuple[Site, ...]
    bars: tuple[Color, ...] = ()


@dataclass(frozen=True, slots=True)
class Unexplained:
    """No legal play, no part of one, and not nothing: the evidence contradicts them all.

    Attributes:
        sites: where the nearest legal play is contradicted.
        bars: whose sides of the bar contradict it.
        nearest: the legal play that fits best, to walk the players to; None where there is none.
    """

    sites: tuple[Site, ...]
    bars: tuple[Color, ...] = ()
    nearest: Choice | None = None


@dataclass(frozen=True, slots=True)
class Obscured:
    """What could tell the explanations apart is out of sight, or a hand is over the board.

    Attributes:
        sites: the hidden sites that matter; empty when a hand is there.
        choices: what stood to choose from, likeliest first.
    """

    sites: tuple[Site, ...]
    choices: tuple[Choice, ...] = ()


Verdict = Completed | Unmoved | InProgress | Ambiguous | Unexplained | Obscured
