"""Writing ``.sgf`` (GM[6]) as GNU Backgammon writes it.

What the format has no property for stands in private ones, which readers skip: ``XT`` the time of an action,
``XU`` the seconds used for it, ``XM`` the moves of a condoned play, ``XI`` an action that is neither move nor cube
(a refused resignation), ``XE`` an ending that ``RE`` cannot tell. Tags of the match without a property stand in
the game comment ``GC`` as ``; [Name "text"]``.
"""

from __future__ import annotations

from controller.board import Board
from controller.records import mat_notes
from controller.records.mat_write import COUNTS
from controller.records.record import CubeAction, GameRecord, MatchRecord, Note, Resign, SetUp, Turn, Written
from controller.records.replay import Moment, ReplayedGame, replay_match
from controller.records.sgf_nodes import escaped
from controller.records.sgf_read import TAGS
from controller.rules.position import Color
from controller.rules.scoring import win_kind

_LETTER = {Color.WHITE: "W", Color.BLACK: "B"}


def write_sgf(record: MatchRecord) -> Written:
    """Write a match, one game a tree."""
    replayed = replay_match(record)
    lost: list[str] = []
    trees = []
    for number, game in enumerate(replayed.games, start=1):
        nodes = [_root(replayed.record, game.game, number)]
        odd = _counted_otherwise(replayed.record, game)
        for moment in game.moments:
            nodes.append(_node(moment, as_position=odd and moment is game.moments[-1]))
            if isinstance(moment.action, Resign) and not moment.action.accepted:
                lost.append(f"game {number}: a refused resignation stands in a private property")
        if game.game.how in ("flag", "left", "director"):
            lost.append(f"game {number}: that it ended by {game.game.how} stands in a private property")
        if odd:
            nodes[0] = nodes[0].replace(_result(game.game), _result(game.game, given=True))
        trees.append("(" + "\n".join(node for node in nodes if node) + ")\n")
    return Written("".join(trees), tuple(lost))


def _root(record: MatchRecord, game: GameRecord, number: int) -> str:
    white, black = game.score
    fields = [
        "FF[4]GM[6]CA[UTF-8]AP[Barpoint]",
        f"MI[length:{record.length}][game:{number - 1}][ws:{white}][bs:{black}]",
        f"PW[{escaped(record.players[0])}]PB[{escaped(record.players[1])}]",
    ]
    if record.date:
        fields.append(f"DT[{record.date}]")
    names = {tag: name for name, tag in TAGS.items()}
    with_property = {tag: text for tag, text in reversed(record.tags) if tag in names}
    if number == 1:
        fields += [f"{names[tag]}[{escaped(text)}]" for tag, text in with_property.items()]
        fields.append(_game_comment(record, with_property))
    rules = _rules(record, game)
    if rules:
        fields.append(f"RU[{rules}]")
    if game.comment:
        fields.append(f"C[{escaped(game.comment)}]")
    return ";" + "".join(fields) + _result(game)


def _game_comment(record: MatchRecord, with_property: dict[str, str]) -> str:
    """Return the game comment of the first game: tags without a property, then the comment of the match."""
    tags = [tag for tag in record.tags if with_property.get(tag[0]) != tag[1]]
    if record.rules != "international":
        tags.append(("Rules", record.rules))
    if record.jacoby is False:
        tags.append(("Jacoby", "Off"))
    if record.length == 0 and not record.crawford:
        tags.append(("Crawford", "Off"))
    lines = [f'; [{name} "{" ".join(text.split())}"]' for name, text in tags]
    lines += record.comment.splitlines()
    return f"GC[{escaped(chr(10).join(lines))}]" if lines else ""


def _rules(record: MatchRecord, game: GameRecord) -> str:
    if record.length == 0:
        return "Jacoby" if record.jacoby else ""
    if not record.crawford:
        return ""
    return "Crawford:CrawfordGame" if game.crawford else "Crawford"


def _counted_otherwise(record: MatchRecord, replayed: ReplayedGame) -> bool:
    """Whether programs that know the common rules would count a game played to its end otherwise.

    Its last play is written as the position after it then, and its result as one that was given.
    """
    game, last = replayed.game, replayed.moments[-1] if replayed.moments else None
    if game.winner is None or game.how != "borne_off" or last is None or last.after is None:
        return False
    count = COUNTS[win_kind(last.after.seen_by(game.winner))]
    single = record.length == 0 and record.jacoby and last.cube_owner is None
    return isinstance(last.action, Turn) and game.points != last.cube_value * (1 if single else count)


def _result(game: GameRecord, *, given: bool = False) -> str:
    if game.winner is None:
        return ""
    mark = "R" if given or game.how not in ("borne_off", "drop") else ""
    told = f"RE[{_LETTER[game.winner]}+{game.points}{mark}]"
    if game.how in ("flag", "left", "director"):
        told += f"XE[{game.how} {game.winner.value} {game.points}]"
    return told


def _node(moment: Moment, *, as_position: bool) -> str:
    action = moment.action
    match action:
        case Turn():
            return _turn_node(action, moment.after, as_position=as_position)
        case CubeAction():
            word = action.word if action.word in ("take", "drop") else "double"
            return f";{_LETTER[action.player]}[{word}]{_note(action.note)}"
        case SetUp():
            turn = f"PL[{_LETTER[action.turn]}]" if action.turn else ""
            cube = ""
            if action.cube_value:
                owner = action.cube_owner.value[0] if action.cube_owner else "c"
                cube = f"CP[{owner}]CV[{action.cube_value}]"
            return f";{turn}{_checkers(action.board)}{cube}{_note(action.note)}"
        case Resign():
            return f";XI[{mat_notes.words_of(action)}]{_note(action.note)}"


def _turn_node(turn: Turn, after: Board | None, *, as_position: bool) -> str:
    letter = _LETTER[turn.player]
    dice = f"{turn.dice[0]}{turn.dice[1]}"
    if (turn.condoned or as_position) and after is not None:
        moves = (
            ""
            if turn.play is None or not turn.condoned
            else " ".join(f"{m.source}/{m.target}" for m in turn.play) or "-"
        )
        stands = f";PL[{letter}]{_checkers(after)}" + (f"XM[{moves}]" if moves else "")
        return f";PL[{letter}]DI[{dice}]{_note(turn.note)}\n{stands}"
    if turn.play is None:
        return f";PL[{letter}]DI[{dice}]{_note(turn.note)}"
    moves = "".join(_place(turn.player, m.source) + _place(turn.player, m.target) for m in turn.play)
    return f";{letter}[{dice}{moves}]{_note(turn.note)}"


def _place(player: Color, point: int) -> str:
    if point in (0, 25):
        return "y" if point else "z"
    return chr(ord("a") - 1 + (point if player is Color.WHITE else 25 - point))


def _checkers(board: Board) -> str:
    """Return the properties that clear the board and set all checkers."""
    text = "AE[a:y]"
    for name, sign, bar in (("AW", 1, board.bar[0]), ("AB", -1, board.bar[1])):
        letters = [chr(ord("a") + at) * max(sign * n, 0) for at, n in enumerate(board.points)]
        values = "".join(f"[{letter}]" for letter in "".join(letters) + "y" * bar)
        text += f"{name}{values}" if values else ""
    return text


def _note(note: Note) -> str:
    text = f"C[{escaped(note.comment)}]" if note.comment else ""
    if note.clock_s is not None:
        text += f"WL[{note.clock_s[0]!r}]BL[{note.clock_s[1]!r}]"
    if note.used_s is not None:
        text += f"XU[{note.used_s!r}]"
    return text + (f"XT[{escaped(note.at)}]" if note.at else "")
