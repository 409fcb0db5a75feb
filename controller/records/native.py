"""Barpoint's own match file: JSON that holds everything a record holds; `schema.json` describes it for others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from controller.board import Board
from controller.errors import BoardError, InvalidNotationError
from controller.records.ids import position_id
from controller.records.json_lines import lines_of
from controller.records.record import (
    Action,
    CubeAction,
    CubeWord,
    GameRecord,
    How,
    MatchRecord,
    Note,
    Problem,
    Reading,
    Resign,
    SetUp,
    Turn,
    Written,
)
from controller.records.replay import replay_match
from controller.rules.notation import write_play
from controller.rules.position import Color, Move, Play

FORMAT = "barpoint-match"
VERSION = 1
_LONGEST_S = 10**9

Lines = Mapping[tuple[int, ...], int]
"""Lines of games and actions, as `lines_of` returns them."""


def position_json(board: Board, turn: Color | None) -> dict[str, Any]:
    """Return the JSON of one position, as it stands everywhere.

    The Position ID is written for `turn`, for White where nobody is on turn.
    """
    seen = board.seen_by(turn or Color.WHITE)
    return {**board.to_json(), "position_id": position_id(seen), "turn": turn.value if turn else None}


def board_of_json(data: Any) -> Board:
    """Return the board of a position's JSON; what is off may be missing, and so may the bar.

    Raises:
        InvalidNotationError: it is not that JSON.
        InvalidPositionError: the checkers cannot stand so.
    """
    where = _object(data, "position")
    points = _get(where, "points", list)
    bar = _object(where.get("bar", {}), "bar")
    if not all(type(n) is int for n in points):
        raise InvalidNotationError("points are 24 whole numbers")
    counts = [bar.get(color.value, 0) for color in Color]
    if not all(type(n) is int for n in counts):
        raise InvalidNotationError("the bar holds a whole number of each player")
    return Board(tuple(points), (counts[0], counts[1]))


def write_json(record: MatchRecord) -> Written:
    """Write a match as JSON; nothing is lost."""
    return Written(json.dumps(record_json(record), ensure_ascii=False, indent=1) + "\n")


def record_json(record: MatchRecord) -> dict[str, Any]:
    """Return a match as JSON values."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "players": _pair(record.players),
        "length": record.length,
        "rules": record.rules,
        "crawford": record.crawford,
        "jacoby": record.jacoby,
        "date": record.date or None,
        "tags": [list(tag) for tag in record.tags],
        "comment": record.comment,
        "score": _pair(record.score),
        "games": [_game_json(game) for game in record.games],
    }


def _pair(values: tuple[Any, Any]) -> dict[str, Any]:
    return {"white": values[0], "black": values[1]}


def _game_json(game: GameRecord) -> dict[str, Any]:
    result = None
    if game.winner is not None:
        result = {"winner": game.winner.value, "points": game.points, "how": game.how}
    return {
        "score": _pair(game.score),
        "crawford": game.crawford,
        "comment": game.comment,
        "actions": [_action_json(action) for action in game.actions],
        "result": result,
    }


def _action_json(action: Action) -> dict[str, Any]:
    note = action.note
    beside: dict[str, Any] = {}
    if note.comment:
        beside["comment"] = note.comment
    if note.at:
        beside["at"] = note.at
    if note.clock_s is not None:
        beside["clock_s"] = _pair(note.clock_s)
    if note.used_s is not None:
        beside["used_s"] = note.used_s
    return {**_bare_json(action), **beside}


def _bare_json(action: Action) -> dict[str, Any]:
    match action:
        case Turn():
            data: dict[str, Any] = {"type": "turn", "player": action.player.value, "dice": list(action.dice)}
            data["play"] = None if action.play is None else write_play(action.play)
            data["moves"] = None if action.play is None else [_move_json(move) for move in action.play]
            if action.condoned:
                data["condoned"] = True
            if action.after is not None:
                data["after"] = action.after.to_json()
            return data
        case CubeAction():
            data = {"type": "cube", "player": action.player.value, "action": action.word}
            return {**data, "value": action.value} if action.value else data
        case Resign():
            data = {"type": "resign", "player": action.player.value, "level": action.level}
            return {**data, "accepted": action.accepted}
        case SetUp():
            data = {"type": "set_up", "board": action.board.to_json(), "turn": None, "cube": None}
            data["turn"] = action.turn.value if action.turn else None
            if action.cube_value:
                owner = action.cube_owner.value if action.cube_owner else None
                data["cube"] = {"value": action.cube_value, "owner": owner}
            return data


def _move_json(move: Move) -> dict[str, Any]:
    return {"from": move.source, "to": move.target, "hit": move.hit}


def read_json(text: str) -> Reading:
    """Read a match from JSON and replay it; a game that cannot be read is named, and the rest goes on.

    Raises:
        InvalidNotationError: the text is no JSON, or no match of a version that is known; names line and reason.
    """
    text = text.removeprefix("\ufeff")
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidNotationError(f"line {error.lineno}: no JSON: {error.msg}") from None
    except RecursionError:
        raise InvalidNotationError("line 1: no match: nested too deeply") from None
    try:
        problems, record = _record(data, lines_of(text))
    except BoardError as error:
        raise InvalidNotationError(f"line 1: no match: {error}") from None
    replayed = replay_match(record)
    return Reading(replayed.record, (*problems, *replayed.problems))


def _record(data: Any, lines: Lines) -> tuple[list[Problem], MatchRecord]:
    top = _object(data, "match")
    if top.get("format") != FORMAT:
        raise InvalidNotationError(f"the format is {top.get('format')!r}, not {FORMAT!r}")
    if top.get("version") != VERSION:
        raise InvalidNotationError(f"the version is {top.get('version')!r}, this program knows {VERSION}")
    problems: list[Problem] = []
    games = []
    for number, game in enumerate(_get(top, "games", list), start=1):
        games.append(_game(game, number, lines, problems))
    tags = [(_text(each, 0), _text(each, 1)) for each in _get(top, "tags", list, [])]
    jacoby = top.get("jacoby")
    record = MatchRecord(
        players=_names(top.get("players")),
        length=_whole(top, "length", 0, 32767),
        rules=_get(top, "rules", str, "international"),
        crawford=_get(top, "crawford", bool, True),
        jacoby=jacoby if isinstance(jacoby, bool) else None,
        date=top["date"] if isinstance(top.get("date"), str) else "",
        tags=tuple(tags),
        comment=_get(top, "comment", str, ""),
        games=tuple(games),
    )
    return problems, record


def _game(data: Any, number: int, lines: Lines, problems: list[Problem]) -> GameRecord:
    """Return one game; its actions end before the first that cannot be read."""
    actions: list[Action] = []
    line = lines.get((number - 1,), 0)
    game = GameRecord(line=line)
    where = ""
    try:
        whole = _object(data, "game")
        score = _object(whole.get("score", {}), "score")
        white, black = (_whole(score, color.value, 0, 10**6, 0) for color in Color)
        crawford, comment = _get(whole, "crawford", bool, False), _get(whole, "comment", str, "")
        game = GameRecord(score=(white, black), crawford=crawford, comment=comment, line=line)
        if whole.get("result") is not None:
            game = _with_result(game, _object(whole["result"], "result"))
        for action in _get(whole, "actions", list):
            where = f"action {len(actions) + 1}: "
            line = lines.get((number - 1, len(actions)), line)
            actions.append(replace(_action(_object(action, "action")), line=line))
    except BoardError as error:
        problems.append(Problem(reason=f"{where}{error}", game=number, line=line))
    return replace(game, actions=tuple(actions))


def _with_result(game: GameRecord, told: Mapping[str, Any]) -> GameRecord:
    how: How | None = next((each for each in get_args(How) if each == told.get("how")), None)
    if how is None:
        raise InvalidNotationError(
            f"a game ends by one of {', '.join(get_args(How))}, got {told.get('how')!r:.40}"
        )
    return replace(game, winner=_color(told, "winner"), points=_whole(told, "points", 0, 10**6), how=how)


def _action(data: Mapping[str, Any]) -> Action:
    kind = data.get("type")
    note = _note(data)
    if kind == "set_up":
        turn = None if data.get("turn") is None else _color(data, "turn")
        cube = _object(data.get("cube") or {}, "cube")
        owner = None if cube.get("owner") is None else _color(cube, "owner")
        value = _whole(cube, "value", 0, 1 << 15, 0)
        return SetUp(
            board=board_of_json(data.get("board")), turn=turn, cube_value=value, cube_owner=owner, note=note
        )
    player = _color(data, "player")
    if kind == "turn":
        return _turn(data, player, note)
    if kind == "cube":
        word: CubeWord | None = next((each for each in get_args(CubeWord) if each == data.get("action")), None)
        if word is None:
            raise InvalidNotationError(f"no action of the cube: {data.get('action')!r}")
        return CubeAction(player=player, word=word, value=_whole(data, "value", 0, 1 << 15, 0), note=note)
    if kind == "resign":
        accepted = _get(data, "accepted", bool, True)
        return Resign(player=player, level=_whole(data, "level", 0, 3, 0), accepted=accepted, note=note)
    raise InvalidNotationError(f"no type of action: {kind!r}")


def _turn(data: Mapping[str, Any], player: Color, note: Note) -> Turn:
    dice = _get(data, "dice", list)
    if len(dice) != 2 or any(type(die) is not int or not 1 <= die <= 6 for die in dice):
        raise InvalidNotationError(f"dice are two faces of 1 to 6, got {dice!r}")
    moves = data.get("moves")
    play: Play | None = None
    if moves is not None:
        play = tuple(_move(_object(move, "move")) for move in _get(data, "moves", list))
    after = None if data.get("after") is None else board_of_json(data["after"])
    condoned = _get(data, "condoned", bool, False)
    return Turn(player=player, dice=(dice[0], dice[1]), play=play, condoned=condoned, after=after, note=note)


def _move(data: Mapping[str, Any]) -> Move:
    source, target = _whole(data, "from", 1, 25), _whole(data, "to", 0, 25)
    if source == target:
        raise InvalidNotationError(f"a move goes from a point to another, got {source}/{target}")
    return Move(source, target, _get(data, "hit", bool, False))


def _note(data: Mapping[str, Any]) -> Note:
    clock = data.get("clock_s")
    reserves = None
    if clock is not None:
        white, black = (_seconds(_object(clock, "clock_s").get(color.value)) for color in Color)
        reserves = (white, black)
    used = None if data.get("used_s") is None else _seconds(data["used_s"])
    return Note(
        comment=_get(data, "comment", str, ""), at=_get(data, "at", str, ""), clock_s=reserves, used_s=used
    )


def _seconds(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < _LONGEST_S:
        raise InvalidNotationError("a time is a number of seconds")
    return float(value)


def _object(data: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise InvalidNotationError(f"{what} is an object, got {type(data).__name__}")
    return data


def _get(data: Mapping[str, Any], key: str, kind: type[Any], default: Any = None) -> Any:
    value = data.get(key, default)
    if not isinstance(value, kind):
        raise InvalidNotationError(f"{key} is {_KINDS[kind]}, got {value!r:.40}")
    return value


_KINDS = {list: "a list", str: "a text", bool: "true or false"}


def _whole(data: Mapping[str, Any], key: str, low: int, high: int, default: int | None = None) -> int:
    value = data.get(key, default)
    if type(value) is not int or not low <= value <= high:
        raise InvalidNotationError(f"{key} is a whole number of {low} to {high}, got {value!r:.40}")
    return value


def _color(data: Mapping[str, Any], key: str) -> Color:
    value = data.get(key)
    if value not in ("white", "black"):
        raise InvalidNotationError(f"{key} is white or black, got {value!r:.40}")
    return Color(value)


def _names(data: Any) -> tuple[str, str]:
    both = _object(data, "players")
    white, black = (_get(both, color.value, str) for color in Color)
    return white, black


def _text(data: Any, at: int) -> str:
    if not isinstance(data, list) or len(data) != 2 or not isinstance(data[at], str):
        raise InvalidNotationError("a tag is a list of name and text")
    return str(data[at])
