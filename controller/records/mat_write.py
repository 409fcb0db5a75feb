"""Writing ``.mat`` in the layout of GNU Backgammon, so that it and XG open the file without a word.

Those programs take only what their rules allow. So an illegal play that stands, and a play that only the rules of
the record allow, is written as the position after it (``Illegal play (...)``), which both read; a last play that
they would count otherwise is written so too, and the line ``Wins N points`` behind it counts as a resignation.
What has no place among the lines of play stands in the header (`controller.records.mat_notes`).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from controller.board import START_BOARD, Board
from controller.records import mat_notes
from controller.records.mat_lines import line_name
from controller.records.record import Action, CubeAction, GameRecord, MatchRecord, Resign, SetUp, Turn, Written
from controller.records.replay import Moment, ReplayedGame, replay_match
from controller.records.snowie import illegal_play
from controller.rules.plays import legal_plays
from controller.rules.position import START, Color, Move, Play
from controller.rules.scoring import win_kind

_RIGHT_NAME = 32
_LEFT_CELL = 27
_LONGEST_COMMENT = 400

COUNTS = {"single": 1, "gammon": 2, "backgammon": 3}
"""What a game counts by the common rules, which other programs know."""


def write_mat(record: MatchRecord) -> Written:
    """Write a match; `Written.lost` names what programs that read it will not see as it was."""
    replayed = replay_match(record)
    record = replayed.record
    notes: list[str] = []
    lost: list[str] = []
    body: list[str] = []
    for number, game in enumerate(replayed.games, start=1):
        sheet = _Sheet(number, game, record)
        body += [f" Game {number}", _score_line(record, game.game), *sheet.lines(), ""]
        notes += sheet.notes
        lost += sheet.lost
    if any(names != clean for names, clean in zip(record.players, _line_names(record), strict=True)):
        lost.append("names are cut to 31 bytes and lose colons on the lines of play; the header holds them whole")
    text = "\n".join((*_header(record, notes), f" {record.length} point match", "", *body))
    return Written(text + "\n", tuple(lost))


def _line_names(record: MatchRecord) -> tuple[str, str]:
    return line_name(record.players[0], 0), line_name(record.players[1], 1)


def _score_line(record: MatchRecord, game: GameRecord) -> str:
    left, right = _line_names(record)
    begin = f" {left} : {game.score[0]}".ljust(_RIGHT_NAME)
    return f"{begin}{'' if begin.endswith('  ') else '  '}{right} : {game.score[1]}"


def _header(record: MatchRecord, notes: Sequence[str]) -> list[str]:
    """Return tags, comment and notes, and a blank line behind them."""
    tags = [*record.tags, ("Player 1", record.players[0]), ("Player 2", record.players[1])]
    if record.date:
        tags.append(("EventDate", record.date.replace("-", ".")))
    if record.rules != "international":
        tags.append(("Rules", record.rules))
    if not record.crawford:
        tags.append(("Crawford", "Off"))
    if record.jacoby is not None:
        tags.append(("Jacoby", "On" if record.jacoby else "Off"))
    lines = [f'; [{name} "{" ".join(text.split())}"]' for name, text in tags]
    for line in record.comment.splitlines():
        pieces = [line[at : at + _LONGEST_COMMENT] for at in range(0, len(line), _LONGEST_COMMENT)]
        lines += [f"; {piece}" for piece in pieces if piece.strip()]
    lines += [f'; [{mat_notes.NOTE} "{note}"]' for note in notes]
    return [*lines, ""]


class _Sheet:
    """The lines of one game; used once."""

    def __init__(self, number: int, replayed: ReplayedGame, record: MatchRecord) -> None:
        self.number = number
        self.replayed = replayed
        self.game = replayed.game
        self.record = record
        self.notes = list(mat_notes.notes_of(number, self.game))
        self.lost: list[str] = []
        self.rows: list[list[str]] = []
        self.seen: Board | None = START_BOARD
        self.cube = 1
        self.turned = False
        self.counted: int | None = None
        self.lost_from = 0

    def lines(self) -> list[str]:
        """Return the lines of play and the line with the result."""
        head = self._set_up_line()
        moments = self.replayed.moments
        for at, moment in enumerate(moments, start=1):
            match moment.action:
                case Turn():
                    self._turn(at, moment, moment.action)
                case CubeAction():
                    self._cube(at, moments, moment.action)
                case Resign() | SetUp() as action:
                    self.notes.append(mat_notes.inserted(self.number, at, action))
                    self._report(action)
        result = self._result(head)
        return [*head, *(_row(n, *row) for n, row in enumerate(self.rows, start=1)), *result]

    def _say_lost(self, what: str) -> None:
        self.lost.append(f"game {self.number}: {what}")

    def _report(self, action: Action) -> None:
        if isinstance(action, SetUp):
            self._say_lost("a position set up by hand is kept as a note, the next play as an illegal one")
        elif isinstance(action, Resign) and not action.accepted:
            self._say_lost("a refused resignation is kept as a note")

    def _set_up_line(self) -> list[str]:
        """Return XG's line for a game that begins otherwise than usual.

        The line knows no centered cube above 1, which automatic doubles leave; it is written as Black's then,
        for the points to come out right, and the note beside it tells how it was.
        """
        begun = itertools.takewhile(lambda action: isinstance(action, SetUp), self.game.actions)
        first = next((each for each in reversed(list(begun)) if isinstance(each, SetUp)), None)
        if first is None or (first.board == START_BOARD and first.cube_value <= 1):
            return []
        self.seen = first.board
        self.cube = max(first.cube_value, 1)
        power = self.cube.bit_length() - 1
        sign = "-" if first.cube_owner is Color.WHITE and power else ""
        return [f"; Set Pos={first.board.seen_by(Color.WHITE)}/{sign}{power}"]

    def _add(self, player: Color, cell: str) -> None:
        side = 0 if player is Color.WHITE else 1
        if side == 0 or not self.rows or self.rows[-1][1]:
            self.rows.append(["", ""])
        self.rows[-1][side] = cell

    def _turn(self, at: int, moment: Moment, turn: Turn) -> None:
        """Write one roll and its play."""
        dice = f"{turn.dice[0]}{turn.dice[1]}:"
        before, after = moment.before, moment.after
        if self.lost_from or before is None or (after is None and turn.play is not None):
            if not self.lost_from:
                self._add(turn.player, dice)
                self.lost_from = at
            return
        if turn.play is None and turn.after is None:
            self._add(turn.player, dice)
            self.lost_from = 0 if after is not None else at
            return
        assert after is not None
        ends = self._last_turn(at) and self.game.how == "borne_off"
        if self._plain(before, turn) and not (ends and self._value_of(after) != self.game.points):
            self._add(turn.player, f"{dice} {_spelled(turn.play or ())}".rstrip())
            self.counted = self._value_of(after) if ends else None
        else:
            self._add(turn.player, f"{dice} {self._as_illegal(after, turn, moment)}")
            if turn.condoned and turn.after is None:
                self.notes.append(mat_notes.played(self.number, at, turn))
                self._say_lost(f"the illegal play {turn} stands as a position, its moves are kept as a note")
        self.seen = after

    def _last_turn(self, at: int) -> bool:
        return not any(isinstance(action, Turn) for action in self.game.actions[at:])

    def _plain(self, before: Board, turn: Turn) -> bool:
        """Whether a program that knows the common rules takes this play."""
        if turn.play is None or turn.condoned or before != self.seen:
            return False
        position = before.seen_by(turn.player)
        legal = legal_plays(position, turn.roll)
        return _after(position.points, turn.play) in {end.points for end in legal} if turn.play else not legal

    def _as_illegal(self, after: Board, turn: Turn, moment: Moment) -> str:
        return illegal_play(after, turn.player, self.record.length, moment.cube_value, moment.cube_owner)

    def _value_of(self, after: Board) -> int:
        """Return what a program that knows the common rules counts for the game that ends so, 0 for no end."""
        winner = next((color for color in Color if not after.on_board(color)), None)
        if winner is None:
            return 0
        count = COUNTS[win_kind(after.seen_by(winner))]
        return self.cube * (1 if self.record.length == 0 and not self.turned else count)

    def _cube(self, at: int, moments: Sequence[Moment], action: CubeAction) -> None:
        value = moments[at - 1].cube_value
        if self._unanswered_beaver(at, moments):
            self.notes.append(mat_notes.replaced(self.number, at, action))
            self._say_lost("a beaver that was not taken stands as a take, and is kept as a note")
            action = replace(action, word="take")
        elif self._untellable_drop(at, moments):
            self.notes.append(mat_notes.inserted(self.number, at, action))
            return
        words = {"double": "Doubles", "beaver": "Beavers", "raccoon": "Raccoons", "take": "Takes", "drop": "Drops"}
        previous = moments[at - 2].action if at > 1 else None
        if action.word == "take" and isinstance(previous, CubeAction) and previous.word == "beaver":
            if self._unanswered_beaver(at - 1, moments):
                self.notes.append(mat_notes.inserted(self.number, at, action))
            else:
                self.cube *= 2
            return
        if action.word in ("take", "beaver", "raccoon"):
            self.cube, self.turned = self.cube * 2, True
        offered = f" => {value * (4 if action.word in ('beaver', 'raccoon') else 2)}"
        self._add(action.player, f" {words[action.word]}{'' if action.word in ('take', 'drop') else offered}")
        if action.word == "drop":
            self.counted = self.cube

    def _unanswered_beaver(self, at: int, moments: Sequence[Moment]) -> bool:
        """Whether this is a beaver that no roll follows: GNU Backgammon would look for it in the next game."""
        beaver = moments[at - 1].action
        if not isinstance(beaver, CubeAction) or beaver.word != "beaver":
            return False
        following = [moment.action for moment in moments[at : at + 2]]
        words = [each.word if isinstance(each, CubeAction) else "" for each in following]
        if words[:1] == ["raccoon"]:
            return False
        return words[:1] != ["take"] or len(following) < 2 or not isinstance(following[1], Turn)

    def _untellable_drop(self, at: int, moments: Sequence[Moment]) -> bool:
        """Whether this is the double or the drop of a game whose points a reader would count otherwise."""
        previous = moments[at - 2].action if at > 1 else None
        beavered = isinstance(previous, CubeAction) and previous.word == "beaver"
        action = moments[at - 1].action
        raised = isinstance(action, CubeAction) and action.word == "raccoon"
        told = self.cube * 2 if raised else self.cube
        if self.game.how != "drop" or (told == self.game.points and (raised or not beavered)):
            return False
        rest = [moment.action for moment in moments[at - 1 :]]
        return len(rest) <= 2 and all(isinstance(action, CubeAction) for action in rest)

    def _result(self, head: Sequence[str]) -> list[str]:
        """Return the line with the result, empty while the game is unfinished."""
        game = self.game
        if self.lost_from:
            rest = [str(action) for action in game.actions[self.lost_from - 1 :] if isinstance(action, Turn)]
            self._say_lost(f"from action {self.lost_from} on the plays cannot be made; they are kept as a comment")
            self.notes.append(f"{self.number}.0 comment not written: {'; '.join(rest)}"[:900])
        if game.winner is None:
            return []
        told = self.counted if self.counted is not None else self._resigned(game.points)
        if game.how in ("flag", "left", "director") or told != game.points:
            self.notes.append(mat_notes.ended(self.number, game))
        if told != game.points:
            self._say_lost(f"its {game.points} points cannot be told; a reader will count {told}")
        if not game.points:
            return []
        begun = [] if self.rows or head else [f"; Set Pos={START}/0"]
        words = f"Wins {game.points} point{'' if game.points == 1 else 's'}"
        if game.winner is Color.WHITE:
            return [*begun, f"      {words}"]
        if self.rows and self.rows[-1][0] == " Drops":
            self.rows[-1][1] = f" {words}"
            return []
        return [*begun, " " * 34 + words]

    def _resigned(self, points: int) -> int:
        """Return the points that a reader takes from a resignation worth `points`."""
        if not points:
            return 0
        return self.cube * (1 if points <= self.cube else 2 if points <= 2 * self.cube else 3)


def _row(number: int, left: str, right: str) -> str:
    if not right:
        return f"{number:3}) {left}".rstrip()
    return (
        f"{number:3}) {left:<{_LEFT_CELL}} {right}"
        if len(left) <= _LEFT_CELL - 1
        else f"{number:3}) {left}  {right}"
    )


def _spelled(play: Play) -> str:
    return " ".join(f"{move.source}/{move.target}{'*' if move.hit else ''}" for move in play)


def _after(points: tuple[int, ...], play: Sequence[Move]) -> tuple[int, ...]:
    """Return the places after moves that are known to be possible."""
    there = list(points)
    for source, target, _ in play:
        there[source] -= 1
        if target:
            there[0] -= there[target] == -1
            there[target] = 1 if there[target] == -1 else there[target] + 1
    return tuple(there)
