"""A match on paper: who played, every action in order, how each game ended; frozen values without rules.

White is the left player of a ``.mat`` and ``O`` of an ``.sgf``, Black the right player and ``X``. Nothing here
says whether an action is legal: `controller.records.replay` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from controller.board import Board
from controller.rules.notation import write_play
from controller.rules.position import Color, Play, Roll

Dice = tuple[int, int]
"""Two faces in the order they were written or thrown."""

CubeWord = Literal["double", "beaver", "raccoon", "take", "drop"]
How = Literal["borne_off", "drop", "resignation", "flag", "left", "director"]
"""What ended a game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What may stand beside any action.

    Attributes:
        comment: free text of any length.
        at: wall-clock time with a time zone, ISO 8601, or empty.
        clock_s: White's and Black's reserve after the action, seconds, or None.
        used_s: time the player used for it, seconds, or None.
    """

    comment: str = ""
    at: str = ""
    clock_s: tuple[float, float] | None = None
    used_s: float | None = None


PLAIN = Note()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One roll and what was played with it.

    Attributes:
        player: who rolled.
        dice: both faces, in the order written.
        play: the moves in the player's own points; empty for a dance or a pass; None when the record does not
            tell, as after ``????`` or a resignation that followed the roll.
        condoned: an illegal play that stands on the board.
        after: where the checkers stand after a condoned play that no moves describe.
        note: what stands beside it.
        line: line of the file it was read from, 0 for none; not part of the value.
    """

    player: Color
    dice: Dice
    play: Play | None = None
    condoned: bool = False
    after: Board | None = None
    note: Note = PLAIN
    line: int = field(default=0, compare=False)

    @property
    def roll(self) -> Roll:
        """The roll, the higher die first."""
        return Roll.of(*self.dice)

    def __str__(self) -> str:
        first, second = self.dice
        return f"{first}{second}: {'????' if self.play is None else write_play(self.play)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CubeAction:
    """A double, beaver or raccoon, or the answer to one.

    Attributes:
        player: who acts.
        word: what he does.
        value: the value that is offered, with ``double``, ``beaver`` and ``raccoon``; 0 where it is not written.
        note: what stands beside it.
        line: line of the file it was read from, 0 for none; not part of the value.
    """

    player: Color
    word: CubeWord
    value: int = 0
    note: Note = PLAIN
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.word} to {self.value}" if self.value else self.word


@dataclass(frozen=True, slots=True, kw_only=True)
class Resign:
    """A resignation that was offered; an accepted one ends the game.

    Attributes:
        player: who gives up.
        level: 1 single, 2 gammon, 3 backgammon; 0 where the record does not tell.
        accepted: False for one that was refused.
        note: what stands beside it.
        line: line of the file it was read from, 0 for none; not part of the value.
    """

    player: Color
    level: int = 0
    accepted: bool = True
    note: Note = PLAIN
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        kind = ("the game", "a single game", "a gammon", "a backgammon")[self.level]
        return f"resigns {kind}" + ("" if self.accepted else ", refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """The checkers were set up by hand, at the beginning of a game or in its course.

    Attributes:
        board: where they stand.
        turn: who is on roll, or None when it stays as it was.
        cube_value: what the cube shows, 0 for no change.
        cube_owner: who owns it, when `cube_value` is given; None for centered.
        note: what stands beside it.
        line: line of the file it was read from, 0 for none; not part of the value.
    """

    board: Board
    turn: Color | None = None
    cube_value: int = 0
    cube_owner: Color | None = None
    note: Note = PLAIN
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return "set-up position"


Action = Turn | CubeAction | Resign | SetUp


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """One game.

    Attributes:
        score: White's and Black's points before it.
        actions: everything that happened, in order.
        winner: who won it, or None while it is unfinished.
        points: what it added to the winner's score.
        how: what ended it, or None while it is unfinished.
        crawford: whether it is the Crawford game.
        comment: free text about the game.
        line: line of the file where it begins, 0 for none; not part of the value.
    """

    score: tuple[int, int] = (0, 0)
    actions: tuple[Action, ...] = ()
    winner: Color | None = None
    points: int = 0
    how: How | None = None
    crawford: bool = False
    comment: str = ""
    line: int = field(default=0, compare=False)

    @property
    def score_after(self) -> tuple[int, int]:
        """White's and Black's points after it."""
        white, black = self.score
        if self.winner is None:
            return white, black
        return (white + self.points, black) if self.winner is Color.WHITE else (white, black + self.points)

    @property
    def turns(self) -> int:
        """How many rolls were thrown."""
        return sum(isinstance(action, Turn) for action in self.actions)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """A match or a money session.

    Attributes:
        players: White's and Black's names.
        length: match length, 0 for money.
        rules: name of the rule profile, and behind it the keys that differ, as in ``classic gammon=2``.
        crawford: the Crawford rule is in force.
        jacoby: the Jacoby rule is in force (money play); None where the record does not tell.
        date: day of the match, ISO 8601, or empty.
        tags: everything else that is known, as pairs of name and text in the order written.
        comment: free text about the match.
        games: the games in order.
    """

    players: tuple[str, str] = ("", "")
    length: int = 0
    rules: str = "international"
    crawford: bool = True
    jacoby: bool | None = None
    date: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    comment: str = ""
    games: tuple[GameRecord, ...] = ()

    @property
    def score(self) -> tuple[int, int]:
        """White's and Black's points after the last game."""
        return self.games[-1].score_after if self.games else (0, 0)

    def tag(self, name: str) -> str:
        """Return the text of a tag, empty where there is none; names differ by more than case."""
        return next((text for key, text in self.tags if key.lower() == name.lower()), "")

    def without_lines(self) -> MatchRecord:
        """Return the record without the line numbers of the file it came from."""
        games = tuple(
            replace(game, line=0, actions=tuple(replace(action, line=0) for action in game.actions))
            for game in self.games
        )
        return replace(self, games=games)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong in a record, for a person.

    Attributes:
        reason: one plain sentence.
        line: line of the file, from 1; 0 where there is no file or no line.
        game: number of the game, from 1; 0 when it concerns the whole file.
        turn: number of the roll within the game, from 1; 0 when it concerns no turn.
        player: whose action it is, or None.
        action: the action as written, or empty.
    """

    reason: str
    line: int = 0
    game: int = 0
    turn: int = 0
    player: Color | None = None
    action: str = ""

    def __str__(self) -> str:
        return ", ".join(self._places()) + f": {self.reason}" if self._places() else self.reason

    def _places(self) -> list[str]:
        return list(self._each_place())

    def _each_place(self) -> Iterator[str]:
        if self.line:
            yield f"line {self.line}"
        if self.game:
            yield f"game {self.game}"
        if self.turn:
            yield f"turn {self.turn}"
        if self.player is not None:
            yield self.player.value + (f" {self.action}" if self.action else "")


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading a file gave.

    Attributes:
        record: everything that could be read.
        problems: what is wrong, in the order of the file; the first illegal action of each game is among them.
    """

    record: MatchRecord
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """A record in some format.

    Attributes:
        text: the file.
        lost: what the format cannot hold, one plain sentence each.
    """

    text: str
    lost: tuple[str, ...] = ()
