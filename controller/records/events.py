"""From the events of a table or of `barpoint follow` to a match record.

Events are the JSON objects of DESIGN.md: ``opening_roll``, ``roll``, ``play``, ``cube``, ``game_end`` and so on.
What a record has no use for (questions, links, lights) is skipped, and so are fields that are not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, get_args

from controller.board import START_BOARD, Board
from controller.errors import BoardError, InvalidNotationError
from controller.records.native import board_of_json
from controller.records.record import (
    PLAIN,
    Action,
    CubeAction,
    CubeWord,
    GameRecord,
    How,
    MatchRecord,
    Note,
    Resign,
    SetUp,
    Turn,
)
from controller.records.replay import replay_match, rules_text
from controller.records.written import moves_of
from controller.rules.notation import NO_PLAY
from controller.rules.plays import legal_plays
from controller.rules.position import ALL_ROLLS, Color, Position
from controller.rules.profiles import PROFILES, Profile, profile

Event = Mapping[str, Any]


def record_from_events(
    events: Iterable[Event],
    players: tuple[str, str] = ("White", "Black"),
    length: int = 0,
    rules: str = "international",
    *,
    date: str = "",
    tags: tuple[tuple[str, str], ...] = (),
) -> MatchRecord:
    """Return the record of a line of events.

    Args:
        events: in order, with their numbers ``seq`` where corrections are among them.
        players: White's and Black's names, unless a ``match_start`` names them.
        length: match length, 0 for money, unless a ``match_start`` tells it.
        rules: name of the rule profile, unless a ``match_start`` tells it.
        date: day of the match, ISO 8601, or empty.
        tags: more about the match, such as ``("Event", "Club evening")``.
    """
    builder = RecordBuilder(players, length, rules, date=date, tags=tags)
    for event in events:
        builder.add(event)
    return builder.record()


class RecordBuilder:
    """Collects the events of one match; `record` may be asked for at any time."""

    def __init__(
        self,
        players: tuple[str, str] = ("White", "Black"),
        length: int = 0,
        rules: str = "international",
        *,
        date: str = "",
        tags: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._match = MatchRecord(
            players=players, length=length, rules=rules, crawford=_rules(rules, {}).crawford, date=date, tags=tags
        )
        self._events: list[Event] = []

    def add(self, event: Event) -> None:
        """Take the next event; a ``correction`` takes all events from the number it names out again."""
        if event.get("type") == "correction" and isinstance(event.get("of"), int):
            first = event["of"]
            self._events = [each for each in self._events if not _number(each) >= first]
        else:
            self._events.append(event)

    def record(self) -> MatchRecord:
        """Return what the events so far amount to."""
        folder = _Folder(self._match)
        for event in self._events:
            folder.take(event)
        return replay_match(folder.finish()).record


def _number(event: Event) -> int:
    number = event.get("seq")
    return number if isinstance(number, int) else -1


def _rules(name: str, keys: Mapping[str, Any]) -> Profile:
    base = name if name in PROFILES else "international"
    try:
        return profile(base, **keys)
    except (BoardError, TypeError):
        return profile(base)


class _Folder:
    """Folds events into games; used once."""

    def __init__(self, match: MatchRecord) -> None:
        self.match = match
        self.rules = _rules(match.rules, {})
        self.games: list[GameRecord] = []
        self.actions: list[Action] = []
        self.score = (0, 0)
        self.open = False
        self.number = 0
        self.ties = 0
        self.offered: Resign | None = None
        self.rolled: Turn | None = None

    def take(self, event: Event) -> None:
        """Take one event."""
        kind = event.get("type")
        number = event.get("game")
        if isinstance(number, int) and number > self.number and kind in _PLAYING:
            if self.number:
                self._close()
            self.number = number
        handler = getattr(self, f"_on_{kind}", None) if isinstance(kind, str) else None
        if handler is not None:
            handler(event)

    def finish(self) -> MatchRecord:
        """Return the match, not yet replayed."""
        self._close()
        return replace(self.match, games=tuple(self.games))

    def _close(self, **result: Any) -> None:
        if self.open or result:
            game = GameRecord(score=self.score, actions=tuple(self.actions), **result)
            self.games.append(game)
            self.score = game.score_after
        self.open, self.actions, self.ties, self.offered, self.rolled = False, [], 0, None, None

    def _act(self, action: Action) -> None:
        self.open, self.rolled = True, None
        self.actions.append(action)

    def _keep_roll(self) -> None:
        """Keep a roll that no play followed, as when a player resigns after it."""
        if self.rolled is not None:
            self._act(self.rolled)

    def _on_roll(self, event: Event) -> None:
        player, roll = _color(event.get("player")), _dice(event.get("roll"))
        if player is not None and roll is not None:
            self.rolled = Turn(player=player, dice=roll, note=_note(event))

    def _on_roll_withdrawn(self, _: Event) -> None:
        self.rolled = None

    def _on_match_start(self, event: Event) -> None:
        names, keys = event.get("players"), event.get("keys") or {}
        name = str(event.get("rules", self.match.rules))
        self.rules = _rules(name, keys)
        length = event.get("length", self.match.length)
        self.match = replace(
            self.match,
            players=_pair(names, str) or self.match.players,
            length=length if isinstance(length, int) else self.match.length,
            rules=rules_text(name, keys),
            crawford=self.rules.crawford,
            jacoby=None if length else self.rules.jacoby,
        )
        self.score = _pair(event.get("score"), int) or self.score
        if _board(event.get("position")) != START_BOARD:
            self._set_up(event, PLAIN)

    def _set_up(self, event: Event, note: Note) -> None:
        """Keep a position that was set up, once: the table says again where a match began."""
        board, turn = _board(event.get("position")), _color(event.get("turn"))
        last = self.actions[-1] if self.actions else None
        repeated = isinstance(last, SetUp) and (last.board, last.turn) == (board, turn)
        if board is not None and not repeated:
            self._act(SetUp(board=board, turn=turn, note=note))

    def _on_game_start(self, _: Event) -> None:
        if self.actions and not all(isinstance(action, SetUp) for action in self.actions):
            self._close()
        self.open = True

    def _on_opening_roll(self, event: Event) -> None:
        self.open = True
        dice = _dice([event.get("white"), event.get("black")])
        if dice is None:
            return
        tie = dice[0] == dice[1]
        if not tie and not self.rules.roll_again:
            self.rolled = Turn(player=Color.WHITE if dice[0] > dice[1] else Color.BLACK, dice=dice)
        if tie and self.match.length == 0 and self.ties < self.rules.automatic_doubles:
            self.ties += 1
            self._act(SetUp(board=START_BOARD, cube_value=1 << self.ties))

    def _on_play(self, event: Event) -> None:
        """Keep a turn; a dance of which nobody saw the dice is kept with a roll that plays nothing there."""
        player, roll, text = _color(event.get("player")), _dice(event.get("roll")), event.get("play")
        board, note = _board(event.get("position")), _note(event)
        if player is not None and roll is None and text == NO_PLAY and board is not None:
            roll = _dancing(board.seen_by(player), self.rules)
            note = replace(note, comment=note.comment or "danced, no dice were seen")
        elif event.get("roll_certain") is False:
            note = replace(note, comment=note.comment or "roll worked out from the play")
        if player is None or roll is None:
            return
        turn = Turn(player=player, dice=roll, note=note)
        try:
            turn = replace(turn, play=moves_of("" if text in (None, NO_PLAY) else str(text)))
        except InvalidNotationError:
            turn = replace(turn, condoned=board is not None, after=board)
        if event.get("illegal") and board is not None:
            turn = replace(turn, condoned=True, after=board)
        self._act(turn)

    def _on_cube(self, event: Event) -> None:
        player, word = _color(event.get("player")), event.get("action", event.get("cube"))
        if word == "withdraw" and self.actions and isinstance(self.actions[-1], CubeAction):
            self.actions.pop()
        known: CubeWord | None = next((each for each in get_args(CubeWord) if each == word), None)
        if player is not None and known is not None:
            value = event.get("value")
            offered = value if isinstance(value, int) and known not in ("take", "drop") else 0
            self._act(CubeAction(player=player, word=known, value=offered, note=_note(event)))

    def _on_resignation(self, event: Event) -> None:
        player, level = _color(event.get("player")), event.get("level", 1)
        if event.get("action") == "offer" and player is not None and level in (1, 2, 3):
            self.offered = Resign(player=player, level=level, note=_note(event))
        elif self.offered is not None:
            accepted = event.get("action") == "accept"
            if accepted:
                self._keep_roll()
            rolled = self.rolled
            self._act(replace(self.offered, accepted=accepted))
            self.offered, self.rolled = None, rolled

    def _on_position_set(self, event: Event) -> None:
        why = event.get("why")
        note = _note(event)
        self._set_up(event, replace(note, comment=note.comment or (why if isinstance(why, str) else "")))

    def _on_set_up(self, event: Event) -> None:
        self._set_up(event, _note(event))

    def _on_score_set(self, event: Event) -> None:
        self.score = _pair(event.get("score"), int) or self.score

    def _on_game_end(self, event: Event) -> None:
        winner, points = _color(event.get("winner")), event.get("points")
        if winner is None or not isinstance(points, int):
            return
        self._keep_roll()
        ending = "director" if event.get("awarded") else event.get("ending")
        how: How | None = next((each for each in get_args(How) if each == ending), None)
        if event.get("awarded") and not self.open and self.games:
            self.games[-1] = replace(self.games[-1], winner=winner, points=points, how=how)
            self.score = self.games[-1].score_after
            return
        self._close(winner=winner, points=points, how=how or _ending_of(self.actions))


_PLAYING = frozenset(("opening_roll", "roll", "play", "cube", "game_start"))


def _ending_of(actions: list[Action]) -> How:
    """Return how a game ended by its last action, where the event does not tell."""
    last = actions[-1] if actions else None
    if isinstance(last, CubeAction) and last.word == "drop":
        return "drop"
    return "borne_off" if isinstance(last, Turn) else "resignation"


def _dancing(position: Position, rules: Profile) -> tuple[int, int]:
    """Return a roll that cannot be played from `position`, or the last of all where each can."""
    dances = (roll for roll in ALL_ROLLS if not legal_plays(position, roll, rules.must_use))
    high, low = next(dances, ALL_ROLLS[-1])
    return high, low


def _color(value: Any) -> Color | None:
    return Color(value) if value in ("white", "black") else None


def _dice(value: Any) -> tuple[int, int] | None:
    pair = _pair(value, int)
    return pair if pair is not None and all(1 <= die <= 6 for die in pair) else None


def _board(value: Any) -> Board | None:
    try:
        return board_of_json(value) if isinstance(value, dict) else None
    except BoardError:
        return None


def _pair(value: Any, kind: type[Any] | tuple[type[Any], ...]) -> tuple[Any, Any] | None:
    """Return White's and Black's part of a list or an object, or None."""
    both = [value.get(color.value) for color in Color] if isinstance(value, dict) else value
    if not isinstance(both, list | tuple) or len(both) != 2 or not all(isinstance(each, kind) for each in both):
        return None
    return both[0], both[1]


def _note(event: Event) -> Note:
    clock = event.get("clock_s")
    if clock is None and isinstance(event.get("clock"), dict):
        clock = event["clock"].get("reserve_s")
    reserves = _pair(clock, (int, float)) if clock is not None else None
    used, comment, at = event.get("time_s"), event.get("comment"), event.get("at")
    return Note(
        comment=comment if isinstance(comment, str) else "",
        at=at if isinstance(at, str) else "",
        clock_s=(float(reserves[0]), float(reserves[1])) if reserves else None,
        used_s=float(used) if isinstance(used, int | float) and not isinstance(used, bool) else None,
    )
