"""Reading ``.sgf`` (GM[6]): one game a tree; a damaged game is named and the rest goes on."""

from __future__ import annotations

import re
from dataclasses import replace

from controller.board import START_BOARD, Board
from controller.errors import InvalidNotationError, InvalidPositionError
from controller.records import mat_notes
from controller.records.mat_lines import tag_of
from controller.records.record import (
    Action,
    CubeAction,
    GameRecord,
    How,
    MatchRecord,
    Note,
    Problem,
    Reading,
    SetUp,
    Turn,
)
from controller.records.replay import replay_match
from controller.records.sgf_nodes import Node, Tree, trees_of
from controller.records.written import moves_of
from controller.rules.position import Color, Move, Play

_COLORS = {"W": Color.WHITE, "B": Color.BLACK}
_OWNERS = {"w": Color.WHITE, "b": Color.BLACK}
TAGS = {
    "EV": "Event",
    "RO": "Round",
    "PC": "Site",
    "AN": "Transcriber",
    "WR": "Player 1 Rating",
    "BR": "Player 2 Rating",
}
"""Properties of the root that are tags of a record."""

_MOVE = re.compile(r"([1-6])([1-6])((?:[a-z]{2})*)")
_RESULT = re.compile(r"([WB])\+(\d{1,6})?(R?)")
_PAST_END = 10**9


def read_sgf(text: str) -> Reading:
    """Read an SGF collection of backgammon games and replay it.

    Raises:
        InvalidNotationError: there is no backgammon game in it; the message names a line.
    """
    problems: list[Problem] = []
    games: list[GameRecord] = []
    record = MatchRecord()
    for tree in trees_of(text.removeprefix("\ufeff")):
        if tree.nodes and tree.nodes[0].first("GM").strip() != "6":
            problems.append(Problem(reason="not a backgammon game, left out", line=tree.line))
            continue
        if not games and tree.nodes:
            record = _head(tree.nodes[0])
        reader = _TreeReader(tree, len(games) + 1, record)
        games.append(reader.game())
        problems += reader.problems
    if not games:
        raise InvalidNotationError("line 1: no game tree with GM[6] begins in this file")
    notes = [text for name, text in record.tags if name == mat_notes.NOTE]
    tags = tuple(tag for tag in record.tags if tag[0] not in mat_notes.OWN_TAGS)
    record = mat_notes.with_notes(replace(record, tags=tags, games=tuple(games)), notes)
    replayed = replay_match(record)
    found = sorted((*problems, *replayed.problems), key=lambda each: each.line or _PAST_END)
    return Reading(replayed.record, tuple(found))


def _head(root: Node) -> MatchRecord:
    """Return what the root of the first game says about the match."""
    tags = [(TAGS[name], root.first(name)) for name in TAGS if root.first(name)]
    comments = []
    for line in root.first("GC").splitlines():
        tag = tag_of(line) if line.lstrip(" ;").startswith("[") else None
        if tag is not None:
            tags.append(tag)
        elif line.strip(" ;"):
            comments.append(line.strip().removeprefix(";").strip())
    known = dict(tags)
    rules = " ".join(root.values.get("RU", []))
    length = _field(root, "length")
    jacoby = True if "Jacoby" in rules else {"off": False, "on": True}.get(known.get("Jacoby", "").lower())
    date = root.first("DT").strip()
    return MatchRecord(
        players=(root.first("PW"), root.first("PB")),
        length=length,
        rules=known.get("Rules", "international"),
        crawford="Crawford" in rules if length else known.get("Crawford", "On").lower() != "off",
        jacoby=jacoby,
        date=date if re.fullmatch(r"\d{4}-\d\d-\d\d", date) else "",
        tags=tuple(tags),
        comment="\n".join(comments),
    )


def _field(root: Node, name: str) -> int:
    """Return a number of the match information, 0 where there is none."""
    for value in root.values.get("MI", []):
        key, _, number = value.partition(":")
        if key.strip() == name and re.fullmatch(r"\d{1,6}", number.strip()):
            return int(number)
    return 0


class _TreeReader:
    """Reads one game; used once."""

    def __init__(self, tree: Tree, number: int, record: MatchRecord) -> None:
        self.tree = tree
        self.number = number
        self.record = record
        self.problems: list[Problem] = []
        self.actions: list[Action] = []
        self.dice: Turn | None = None

    def game(self) -> GameRecord:
        """Return the game, not yet replayed."""
        for node in self.tree.nodes:
            self._node(node)
        self._throw()
        if self.tree.damage is not None:
            self.problems.append(Problem(reason=self.tree.damage[1], line=self.tree.damage[0], game=self.number))
        root = self.tree.nodes[0] if self.tree.nodes else Node(self.tree.line)
        winner, points, how = self._ending(root)
        return GameRecord(
            score=(_field(root, "ws"), _field(root, "bs")),
            actions=tuple(self.actions),
            winner=winner,
            points=points,
            how=how,
            comment=root.first("C"),
            line=self.tree.line,
        )

    def _ending(self, root: Node) -> tuple[Color | None, int, How | None]:
        told = mat_notes.told_ending(root.first("XE"))
        if told is not None:
            return told
        found = _RESULT.match(root.first("RE").strip())
        if found is None:
            return None, 0, None
        return _COLORS[found[1]], int(found[2] or 1), "resignation" if found[3] else None

    def _fault(self, node: Node, reason: str) -> None:
        self.problems.append(Problem(reason=reason, line=node.line, game=self.number))

    def _node(self, node: Node) -> None:
        try:
            if {"AE", "AW", "AB"} & node.values.keys():
                self._stones(node)
            elif {"CP", "CO", "CV"} & node.values.keys() and "GM" not in node.values:
                self._cube_set(node)
            if "DI" in node.values:
                self._rolled(node)
            for name, player in _COLORS.items():
                if name in node.values:
                    self._act(node, player, node.first(name).strip().lower())
            if "XI" in node.values:
                self._throw()
                self.actions.append(
                    replace(mat_notes.action_of(node.first("XI")), note=_note(node), line=node.line)
                )
        except (InvalidNotationError, InvalidPositionError, ValueError) as error:
            self._fault(node, str(error) or "the node cannot be read")

    def _throw(self) -> None:
        """Keep a roll that no play followed."""
        if self.dice is not None:
            self.actions.append(self.dice)
        self.dice = None

    def _rolled(self, node: Node) -> None:
        self._throw()
        found = re.fullmatch(r"([1-6])([1-6])", node.first("DI").strip())
        player = _COLORS.get(node.first("PL").strip().upper()[:1])
        if found is None or player is None:
            raise InvalidNotationError(f"not a roll: {node.first('DI')!r} of {node.first('PL')!r}")
        self.dice = Turn(player=player, dice=(int(found[1]), int(found[2])), note=_note(node), line=node.line)

    def _act(self, node: Node, player: Color, text: str) -> None:
        found = _MOVE.fullmatch(text)
        if found is not None:
            dice = (int(found[1]), int(found[2]))
            if self.dice is not None and self.dice.player is player:
                self.dice = None
            self._throw()
            play = _play_of(found[3], player)
            self.actions.append(Turn(player=player, dice=dice, play=play, note=_note(node), line=node.line))
            return
        self._throw()
        if text == "double":
            offered = self.actions[-1] if self.actions else None
            word = offered.word if isinstance(offered, CubeAction) and offered.player is not player else ""
            raised = {"double": "beaver", "beaver": "raccoon"}
            self._cube(node, player, raised.get(word, "double"))
        elif text in ("take", "drop"):
            self._cube(node, player, text)
        elif text:
            raise InvalidNotationError(f"not a move, a roll or a cube action: {text[:40]!r}")

    def _cube(self, node: Node, player: Color, word: str) -> None:
        action = mat_notes.action_of(f"{player.value} {word}")
        self.actions.append(replace(action, note=_note(node), line=node.line))

    def _stones(self, node: Node) -> None:
        """Take checkers that were set up; after a roll without a play they are where its illegal play led."""
        whole = node.values.get("AE") == ["a:y"]
        board = _set_up(START_BOARD if whole else self._standing(), node)
        if self.dice is not None:
            moves = node.first("XM")
            told = replace(self.dice, after=board, condoned=True)
            self.actions.append(replace(told, after=None, play=moves_of(moves.strip("-"))) if moves else told)
            self.dice = None
            return
        turn = _COLORS.get(node.first("PL").strip().upper()[:1])
        value, owner = _cube_of(node)
        self.actions.append(
            SetUp(board=board, turn=turn, cube_value=value, cube_owner=owner, note=_note(node), line=node.line)
        )

    def _cube_set(self, node: Node) -> None:
        value, owner = _cube_of(node)
        self.actions.append(SetUp(board=self._standing(), cube_value=value, cube_owner=owner, line=node.line))

    def _standing(self) -> Board:
        """Return what stands on the board after the actions so far; a set-up may change only a part of it."""
        game = GameRecord(actions=tuple(self.actions))
        moments = replay_match(replace(self.record, games=(game,))).games[0].moments
        return next((moment.after for moment in reversed(moments) if moment.after is not None), START_BOARD)


def _note(node: Node) -> Note:
    clocks = [node.first(name).strip() for name in ("WL", "BL")]
    try:
        clock = (float(clocks[0]), float(clocks[1])) if all(clocks) else None
    except ValueError:
        clock = None
    used = node.first("XU")
    seconds = float(used) if re.fullmatch(r"\d{1,9}(\.\d{1,20})?", used) else None
    return Note(comment=node.first("C"), at=node.first("XT"), clock_s=clock, used_s=seconds)


def _play_of(letters: str, player: Color) -> Play:
    """Return the moves of letter pairs, which count absolutely: a is White's ace point, y the bar, z off.

    Raises:
        InvalidNotationError: a pair is no move.
    """
    moves = []
    for source, target in zip(letters[::2], letters[1::2], strict=True):
        if source == "z" or target in ("y", source):
            raise InvalidNotationError(f"not a move: {source}{target}")
        moves.append(Move(25 if source == "y" else _point(source, player), _point(target, player)))
    return tuple(moves)


def _point(letter: str, player: Color) -> int:
    if letter == "z":
        return 0
    place = ord(letter) - ord("a") + 1
    return place if player is Color.WHITE else 25 - place


def _set_up(board: Board, node: Node) -> Board:
    points = list(board.points)
    bar = list(board.bar)
    for letter in _places(node.values.get("AE", [])):
        if letter == "y":
            bar = [0, 0]
        else:
            points[ord(letter) - ord("a")] = 0
    for name, side in (("AW", 0), ("AB", 1)):
        for letter in _places(node.values.get(name, [])):
            if letter == "y":
                bar[side] += 1
            else:
                points[ord(letter) - ord("a")] += 1 - 2 * side
    return Board(tuple(points), (bar[0], bar[1]))


def _places(values: list[str]) -> list[str]:
    """Return the letters a to y that values name, ranges spelled out.

    Raises:
        InvalidNotationError: a value is no place.
    """
    places = []
    for value in values:
        first, _, last = value.strip().lower().partition(":")
        if not re.fullmatch("[a-y]", first) or not re.fullmatch("[a-y]?", last):
            raise InvalidNotationError(f"not a place: {value[:20]!r}")
        places += [chr(n) for n in range(ord(first), ord(last or first) + 1)]
    return places


def _cube_of(node: Node) -> tuple[int, Color | None]:
    value = node.first("CV").strip()
    owner = _OWNERS.get((node.first("CP") or node.first("CO")).strip().lower()[:1])
    return (int(value) if re.fullmatch(r"\d{1,5}", value) else 0), owner
