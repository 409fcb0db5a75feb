"""Reading ``.mat`` match texts of any dialect; what cannot be read is named and the rest goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from controller.board import START_BOARD, Board
from controller.errors import InvalidNotationError, InvalidPositionError
from controller.records import mat_notes
from controller.records.mat_lines import (
    Cell,
    cells_of,
    dice_of,
    game_number,
    is_comment,
    length_of,
    line_name,
    rating_of,
    right_column_of,
    scores_of,
    tag_of,
    turn_number,
)
from controller.records.record import (
    Action,
    CubeAction,
    CubeWord,
    GameRecord,
    How,
    MatchRecord,
    Problem,
    Reading,
    SetUp,
    Turn,
)
from controller.records.replay import replay_match
from controller.records.snowie import board_of_snowie
from controller.records.written import moves_of
from controller.rules.position import Color, Play, parse_position

_COLORS = (Color.WHITE, Color.BLACK)
_CUBE_WORDS: tuple[tuple[str, CubeWord], ...] = (
    ("double", "double"),
    ("redouble", "double"),
    ("take", "take"),
    ("accept", "take"),
    ("drop", "drop"),
    ("reject", "drop"),
    ("pass", "drop"),
    ("beaver", "beaver"),
    ("raccoon", "raccoon"),
)
_GIVING_UP = ("los", "resign", "concede")
_SET_UP = re.compile(r";\s*Set Pos=(\S{26})/(-?\d{1,2})")
_NO_MOVES = (
    "",
    "cannot move",
    "can't move",
    "no play",
    "no move",
    "(no play)",
    "(no move)",
    "dances",
    "-",
    "--",
    "---",
)
_PAST_END = 100_000


def read_mat(text: str) -> Reading:
    """Read a match text and replay it.

    Raises:
        InvalidNotationError: there is no game in it; the message names a line.
    """
    reader = _MatReader()
    for line, content in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        reader.take(line, content)
    record = reader.finish()
    replayed = replay_match(record, fill_forced=True)
    told = [problem for problem in replayed.problems if not reader.is_guessed(problem)]
    problems = sorted((*reader.problems, *told), key=lambda each: each.line or _PAST_END)
    return Reading(replayed.record, tuple(problems))


class _MatReader:
    """Takes the lines of a file one after the other; used once."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.tags: list[tuple[str, str]] = []
        self.comments: list[str] = []
        self.length: int | None = None
        self.games: list[GameRecord] = []
        self.names: tuple[str, str] | None = None
        self.right_column = 32
        self.open = False
        self.scores_seen = False
        self.begun = False
        self.swapped = False
        self.actions: list[Action] = []
        self.game = GameRecord()
        self.number = 0
        self.claims: list[tuple[Color, int, bool]] = []
        self.guessed: set[int] = set()
        self.lines = 0

    def take(self, line: int, content: str) -> None:
        """Take one line, counted from 1."""
        self.lines = line
        if not content.strip() or content.strip() == "\x1a":
            return
        if is_comment(content):
            self._comment(line, content)
            return
        number = game_number(content)
        if number is not None:
            self._begin(line, number)
            return
        length = length_of(content)
        if length is not None and not self.open:
            self.length = length if self.length is None else self.length
            return
        scores = scores_of(content)
        if scores is not None and self._is_scores(scores):
            self._scores(line, content, scores)
        elif self.open:
            self._cells(line, content)
        elif turn_number(content) is not None:
            self._fault(line, "a turn stands here before the line of a game")
            self._begin(line, 1)
            self._cells(line, content)
        elif self.length is not None:
            self._fault(line, f"not understood: {_short(content)}")
        else:
            self.comments.append(content.strip())

    def finish(self) -> MatchRecord:
        """Return what was read, not yet replayed.

        Raises:
            InvalidNotationError: there is no game.
        """
        self._close()
        if not self.games:
            raise InvalidNotationError(f"line {max(self.lines, 1)}: the file ends and no game has begun")
        if self.length is None:
            self._fault(1, "no line names the length of the match; it is taken for a money session")
        tags = dict(self.tags)
        players = (
            _full_name(tags.get("Player 1"), self.names, 0),
            _full_name(tags.get("Player 2"), self.names, 1),
        )
        jacoby = {"on": True, "off": False}.get(tags.get("Jacoby", "").lower())
        record = MatchRecord(
            players=players,
            length=self.length or 0,
            rules=tags.get("Rules", "international"),
            crawford=tags.get("Crawford", "On").lower() != "off",
            jacoby=jacoby,
            date=_iso_date(tags.get("EventDate", "") or tags.get("Date", "")),
            tags=tuple(tag for tag in self.tags if tag[0] not in mat_notes.OWN_TAGS),
            comment="\n".join(self.comments),
            games=tuple(self.games),
        )
        return mat_notes.with_notes(record, [text for name, text in self.tags if name == mat_notes.NOTE])

    def is_guessed(self, problem: Problem) -> bool:
        """Tell whether a problem is only that a winner's column, lost in tabs, was taken for the other one."""
        return problem.game in self.guessed and " has won, the record says " in problem.reason

    def _fault(self, line: int, reason: str, action: str = "", player: Color | None = None) -> None:
        game = len(self.games) + 1 if self.open else 0
        self.problems.append(Problem(reason=reason, line=line, game=game, player=player, action=action))

    def _comment(self, line: int, content: str) -> None:
        tag = tag_of(content)
        set_up = _SET_UP.match(content.lstrip())
        if tag is not None:
            self.tags.append(tag)
        elif set_up is not None and self.open:
            self._set_up(line, set_up[1], int(set_up[2]))
        else:
            text = content.strip().lstrip(";#").strip()
            if text:
                self.comments.append(text)

    def _set_up(self, line: int, points: str, cube: int) -> None:
        """Take XG's line for a game that begins from another position."""
        try:
            board = Board.of(parse_position(points), Color.WHITE)
        except (InvalidNotationError, InvalidPositionError) as error:
            self._fault(line, f"the set-up position cannot stand: {error}")
            return
        self.begun = True
        if board == START_BOARD and cube == 0:
            return
        owner = None if cube == 0 else Color.BLACK if cube > 0 else Color.WHITE
        value = 1 << min(abs(cube), 15)
        self.actions.append(SetUp(board=board, cube_value=value, cube_owner=owner, line=line))

    def _begin(self, line: int, number: int) -> None:
        """Begin the next game."""
        self._close()
        score = self.games[-1].score_after if self.games else (0, 0)
        self.game = GameRecord(score=score, line=line)
        self.open, self.scores_seen, self.number, self.swapped = True, False, 0, False
        if number != len(self.games) + 1 and self.games:
            self._fault(line, f"game {number} follows game {len(self.games)}")

    def _is_scores(self, scores: tuple[tuple[str, int], tuple[str, int]]) -> bool:
        """Tell a score line from a line of play."""
        if not self.open:
            return self.length is not None
        if not self.scores_seen and not self.actions:
            return True
        names = rating_of(scores[0][0])[0], rating_of(scores[1][0])[0]
        return self.names is not None and names in (self.names, self.names[::-1])

    def _scores(self, line: int, content: str, scores: tuple[tuple[str, int], tuple[str, int]]) -> None:
        if not self.open or self.scores_seen or self.actions:
            self._fault(line, "the line of the next game is missing")
            self._begin(line, len(self.games) + (2 if self.open else 1))
        self.scores_seen = True
        self.right_column = right_column_of(content)
        names, ratings = zip(*(rating_of(name) for name, _ in scores), strict=True)
        points = (scores[0][1], scores[1][1])
        if self.names is None:
            self.names = (names[0], names[1])
            self.tags += [(f"Player {at} Rating", text) for at, text in enumerate(ratings, start=1) if text]
        elif names == self.names[::-1] and names != self.names:
            self.swapped, points = True, points[::-1]
        elif names != self.names:
            self._fault(line, f"the players were {self.names[0]} and {self.names[1]} before")
        self.game = replace(self.game, score=points, line=self.game.line or line)

    def _cells(self, line: int, content: str) -> None:
        number = turn_number(content)
        if not self.scores_seen:
            self._fault(line, "the line with the players and the score is missing")
            self.scores_seen = True
        if number is not None:
            if number not in (self.number + 1, 1 if not self.number else -1):
                self._fault(line, f"turn {number} follows turn {self.number}")
            self.number = number
        if self._named(content):
            return
        if "\t" in content and number is None:
            self.guessed.add(len(self.games) + 1)
        for cell in cells_of(content, self.right_column):
            self._cell(line, cell, number is None)

    def _named(self, content: str) -> bool:
        """Take a line that names the winner or loser, such as ``Ann wins 2 points``; tell whether it is one."""
        text = re.sub(r"^\s*(?:\d{1,4}\s*\))?\s*", "", content)
        for side, name in enumerate(self.names or ()):
            word = text[len(name) :].strip().lower()
            if name and text.startswith(name) and word.startswith(("wins", *_GIVING_UP)):
                player = _COLORS[side]
                self._claim(player if word.startswith("wins") else player.opponent, word, sure=True)
                return True
        return False

    def _cell(self, line: int, cell: Cell, unnumbered: bool) -> None:
        player = _COLORS[cell.side ^ self.swapped]
        rolled = dice_of(cell.text)
        if rolled is not None:
            self._turn(line, player, *rolled, cell.text)
            return
        low = cell.text.lower()
        word = next((cube for text, cube in _CUBE_WORDS if low.startswith(text)), None)
        if word is not None:
            value = re.search(r"(\d{1,5})", cell.text)
            offered = int(value[1]) if value and word in ("double", "beaver", "raccoon") else 0
            self.actions.append(CubeAction(player=player, word=word, value=offered, line=line))
        elif low.startswith(("win", "won")):
            self._claim(player, cell.text, sure=True)
        elif low.startswith(_GIVING_UP):
            self._claim(player.opponent, cell.text, sure=not unnumbered and not low.startswith("resign"))
        else:
            self._fault(line, f"not understood: {_short(cell.text)}", player=player)

    def _claim(self, winner: Color, text: str, sure: bool) -> None:
        """Take a line that says who has won; one without a number or a column of its own is less sure."""
        number = re.search(r"(\d{1,6})", text)
        self.claims.append((winner, int(number[1]) if number else 0, sure))

    def _turn(self, line: int, player: Color, dice: tuple[int, int], moves: str, cell: str) -> None:
        low = moves.lower()
        if low.startswith("illegal play"):
            self._illegal_play(line, player, dice, moves)
            return
        play: Play | None = None
        if low in _NO_MOVES:
            play = ()
        elif not low.startswith("??"):
            try:
                play = moves_of(moves)
            except InvalidNotationError as error:
                self._fault(line, str(error), cell, player)
        self.actions.append(Turn(player=player, dice=dice, play=play, line=line))

    def _illegal_play(self, line: int, player: Color, dice: tuple[int, int], moves: str) -> None:
        """Take an illegal play that stands, written as the position after it."""
        try:
            after = board_of_snowie(moves)
        except (InvalidNotationError, InvalidPositionError) as error:
            self._fault(line, f"the position after an illegal play cannot be read: {error}", player=player)
            self.actions.append(Turn(player=player, dice=dice, play=None, line=line))
            return
        self.actions.append(Turn(player=player, dice=dice, condoned=True, after=after, line=line))

    def _close(self) -> None:
        """Close the game that is open."""
        if not self.open:
            return
        sure = [claim for claim in self.claims if claim[2]] or self.claims
        winner, points, how = None, 0, None
        if sure:
            claimed, points, _ = sure[-1]
            points = points or max((claim[1] for claim in self.claims), default=0) or 1
            if self.actions or self.begun:
                winner, how = claimed, "resignation"
            else:
                self._fault(self.game.line, "the game has a result but nothing was played; it does not count")
                points = 0
        self.games.append(
            replace(
                self.game, actions=tuple(_with_takes(self.actions)), winner=winner, points=points, how=_how(how)
            )
        )
        self.open, self.begun, self.actions, self.claims = False, False, [], []


def _with_takes(actions: list[Action]) -> Iterator[Action]:
    """Yield the actions with the takes of beavers, which the layout leaves out before the next roll."""
    beaver: CubeAction | None = None
    for action in actions:
        if beaver is not None and isinstance(action, Turn):
            yield CubeAction(player=beaver.player.opponent, word="take", line=beaver.line)
        beaver = action if isinstance(action, CubeAction) and action.word == "beaver" else None
        yield action


def _how(word: str | None) -> How | None:
    return "resignation" if word else None


def _short(text: str) -> str:
    """Return text for a message, cut where it is long."""
    text = " ".join(text.split())
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _full_name(tag: str | None, names: tuple[str, str] | None, side: int) -> str:
    """Return a player's name: the one of the header where the score line holds a cut or cleaned form of it."""
    name = names[side] if names else ""
    return tag if tag is not None and (not name or line_name(tag, side) == name) else name


def _iso_date(text: str) -> str:
    """Return a date as ISO 8601; empty where it is none."""
    found = re.fullmatch(r"\s*(\d{4})[-./](\d{1,2})[-./](\d{1,2})\s*", text)
    if found is None or not (1 <= int(found[2]) <= 12 and 1 <= int(found[3]) <= 31):
        return ""
    return f"{int(found[1]):04}-{int(found[2]):02}-{int(found[3]):02}"
