"""What a match text has no place for, kept in its header as ``; [Note "game.action key text"]``.

Programs skip header tags that they do not know, while a comment among the lines of play would be taken for a
move. Actions are counted from 1 in each game; 0 is the game itself. Keys:

========== ==========================================================================================
comment    free text beside the action, or about the game
at         when it happened, ISO 8601 with a time zone
clock      both reserves after it, White's first, in seconds
used       the time the player used for it, in seconds
play       the moves of a condoned illegal play, which stands as a position among the lines of play
insert     an action that has no line of play: ``white resign 2 refused``, ``black double 4``,
           ``set_up`` with the 26 places as White counts, who is on roll, and value and owner of the cube
is         what an action really was whose line of play had to be another, in the same words
ended      how the game ended where that is not to be seen, who won and the points: ``flag white 2``
========== ==========================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import get_args

from controller.board import Board
from controller.errors import InvalidNotationError
from controller.records.record import (
    Action,
    CubeAction,
    CubeWord,
    GameRecord,
    How,
    MatchRecord,
    Resign,
    SetUp,
    Turn,
)
from controller.records.written import moves_of
from controller.rules.position import Color, parse_position

NOTE = "Note"
OWN_TAGS = frozenset((NOTE, "Rules", "Player 1", "Player 2", "EventDate", "Jacoby", "Crawford"))
"""Tags that are fields of a record and not among its `tags`."""

_NOTE = re.compile(r"(\d{1,5})\.(\d{1,6}) (\w+) (.*)", re.DOTALL)
_INSERT = re.compile(r"(white|black) (\w+)(?: (\d{1,5}))?( refused)?")
_SET_UP = re.compile(r"set_up (\S{26}) (white|black|-) (\d{1,5}) (white|black|-)")
_ENDED = re.compile(r"(\w+) (white|black) (\d{1,6})")
_PIECE = 400
"""A note is cut into pieces of this many characters: a reader may take only 1,023 bytes of a line."""


def notes_of(number: int, game: GameRecord) -> Iterator[str]:
    """Yield the notes of one game, the game's own first; inserted actions are the writer's affair."""
    if game.comment:
        yield from _pieces(f"{number}.0 comment ", game.comment)
    for at, action in enumerate(game.actions, start=1):
        note = action.note
        if note.comment:
            yield from _pieces(f"{number}.{at} comment ", note.comment)
        if note.at:
            yield f"{number}.{at} at {note.at}"
        if note.clock_s is not None:
            yield f"{number}.{at} clock {note.clock_s[0]!r} {note.clock_s[1]!r}"
        if note.used_s is not None:
            yield f"{number}.{at} used {note.used_s!r}"


def ended(number: int, game: GameRecord) -> str:
    """Return the note that tells how a game ended."""
    winner = game.winner.value if game.winner else "nobody"
    return f"{number}.0 ended {game.how} {winner} {game.points}"


def inserted(number: int, at: int, action: CubeAction | Resign | SetUp) -> str:
    """Return the note that stands for an action without a line of play."""
    return f"{number}.{at} insert {words_of(action)}"


def replaced(number: int, at: int, action: CubeAction) -> str:
    """Return the note that says what an action really was."""
    return f"{number}.{at} is {words_of(action)}"


def words_of(action: CubeAction | Resign | SetUp) -> str:
    """Return an action in the words that `action_of` reads."""
    if isinstance(action, SetUp):
        turn = action.turn.value if action.turn else "-"
        owner = action.cube_owner.value if action.cube_owner else "-"
        places = action.board.seen_by(Color.WHITE)
        return f"set_up {places} {turn} {action.cube_value} {owner}"
    if isinstance(action, Resign):
        words = f"resign {action.level}" + ("" if action.accepted else " refused")
    else:
        words = f"{action.word} {action.value}" if action.value else action.word
    return f"{action.player.value} {words}"


def played(number: int, at: int, turn: Turn) -> str:
    """Return the note with the moves of a condoned play."""
    moves = " ".join(f"{move.source}/{move.target}" for move in turn.play or ())
    return f"{number}.{at} play {moves}"


def _pieces(head: str, text: str) -> Iterator[str]:
    for at in range(0, len(text), _PIECE):
        piece = text[at : at + _PIECE].replace("\\", "\\\\")
        yield head + piece.replace("\r", "\\r").replace("\n", "\\n")


def _whole(piece: str) -> str:
    """Undo the escapes of a piece."""
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "r": "\r"}.get(found[1], found[1]), piece)


def with_notes(record: MatchRecord, texts: Sequence[str]) -> MatchRecord:
    """Return a record with its notes back in place; a note that fits nowhere joins the comment of the match."""
    games = [list(game.actions) for game in record.games]
    heads = list(record.games)
    strange = []
    parsed = [(found, text) for text in texts for found in [_NOTE.fullmatch(text)]]
    ordered = sorted(parsed, key=lambda each: each[0] is not None and each[0][3] != "insert")
    for found, text in ordered:
        try:
            if found is None or not 1 <= int(found[1]) <= len(games):
                raise InvalidNotationError(text)
            at = int(found[1]) - 1
            if int(found[2]) == 0:
                heads[at] = _told(heads[at], found[3], found[4])
            elif found[3] == "insert":
                _insert(games[at], int(found[2]) - 1, action_of(found[4]))
            else:
                _place(games[at], int(found[2]) - 1, found[3], found[4])
        except (InvalidNotationError, ValueError):
            strange.append(text)
    comment = "\n".join(part for part in (record.comment, *strange) if part)
    whole = tuple(_with_lines(head, actions) for head, actions in zip(heads, games, strict=True))
    return replace(record, games=whole, comment=comment)


def _with_lines(game: GameRecord, actions: Sequence[Action]) -> GameRecord:
    """Return a game with these actions; an inserted one stands on the line of the action before it."""
    line = game.line
    placed = []
    for action in actions:
        line = action.line or line
        placed.append(action if action.line else replace(action, line=line))
    return replace(game, actions=tuple(placed))


def _insert(actions: list[Action], at: int, action: Action) -> None:
    """Insert an action; a position set up that a line of the game tells already is only told more fully."""
    there = actions[at] if at < len(actions) else None
    if isinstance(there, SetUp) and isinstance(action, SetUp) and there.board == action.board:
        actions[at] = action
    else:
        actions.insert(at, action)


def _told(game: GameRecord, key: str, text: str) -> GameRecord:
    """Return a game with a note about the whole of it."""
    if key == "comment":
        return replace(game, comment=game.comment + _whole(text))
    told = told_ending(text) if key == "ended" else None
    if told is None:
        raise InvalidNotationError(text)
    return replace(game, winner=told[0], points=told[1], how=told[2])


def told_ending(text: str) -> tuple[Color, int, How] | None:
    """Return winner, points and how of words such as ``flag white 2``, or None."""
    found = _ENDED.fullmatch(text)
    hows: dict[str, How] = {each: each for each in get_args(How)}
    return (Color(found[2]), int(found[3]), hows[found[1]]) if found and found[1] in hows else None


def action_of(text: str) -> Action:
    """Return the action that words name, such as ``white resign 2 refused``.

    Raises:
        InvalidNotationError: they name none.
    """
    set_up = _SET_UP.fullmatch(text)
    if set_up is not None:
        turn, owner = (None if word == "-" else Color(word) for word in (set_up[2], set_up[4]))
        board = Board.of(parse_position(set_up[1]), Color.WHITE)
        return SetUp(board=board, turn=turn, cube_value=int(set_up[3]), cube_owner=owner)
    found = _INSERT.fullmatch(text)
    if found is None:
        raise InvalidNotationError(text)
    player, word, number = Color(found[1]), found[2], int(found[3] or 0)
    if word == "resign" and number <= 3:
        return Resign(player=player, level=number, accepted=not found[4])
    words: dict[str, CubeWord] = {each: each for each in get_args(CubeWord)}
    if word not in words:
        raise InvalidNotationError(text)
    return CubeAction(player=player, word=words[word], value=number)


def _place(actions: list[Action], at: int, key: str, text: str) -> None:
    """Put a note beside an action."""
    if at >= len(actions):
        raise InvalidNotationError(text)
    action = actions[at]
    note = action.note
    if key == "comment":
        actions[at] = replace(action, note=replace(note, comment=note.comment + _whole(text)))
    elif key == "at":
        actions[at] = replace(action, note=replace(note, at=text))
    elif key == "clock":
        white, black = (float(word) for word in text.split())
        actions[at] = replace(action, note=replace(note, clock_s=(white, black)))
    elif key == "is":
        actions[at] = replace(action_of(text), note=note)
    elif key == "used":
        actions[at] = replace(action, note=replace(note, used_s=float(text)))
    elif key == "play" and isinstance(action, Turn):
        actions[at] = replace(action, play=moves_of(text), condoned=True, after=None)
    else:
        raise InvalidNotationError(text)
