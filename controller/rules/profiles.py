"""Rule profiles: the rule sets that an event can play by, as frozen values.

`profile(name)` returns one of the seven named profiles; `profile(name, jacoby=True)` or
`with_keys(base, {"jacoby": "on"})` overrides single keys and checks them. `KEYS` tells for every key what it
accepts; settings and pages are built from it. The sources of the profiles stand in `Profile.source`.

Example:
    >>> profile("touch-move").backgammon
    2
    >>> profile("international", crawford=False).crawford
    False
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from controller.errors import RulesError
from controller.rules.plays import MustUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One rule set; every attribute but the first two is a key that an event may override.

    Attributes:
        name: how commands and settings call it.
        source: where its rules are published, in words.
        opening: ``"both_dice"``: each player rolls one die and the higher begins; ``"white_first"``: White
            begins every game and rolls both dice.
        roll_again: the winner of the opening roll rolls anew, so that his first roll may be a double and he may
            double before it.
        automatic_doubles: how many equal opening rolls a game double the cube, in money play; 0 for none.
        must_use: whether the first number may be played so that the second cannot be (`MustUse`).
        may_pass: ``"forced"``: only when there is no legal play; ``"any_time"``: always, which is flagged when
            a legal play existed.
        commit: ``"explicit"``: the player ends his turn; ``"each_checker"``: a moved checker is final and the
            turn ends by itself; ``"last_die"``: the last playable die ends the turn.
        undo: ``"until_end_turn"``, ``"none"``, or ``"while_dice_left"``.
        gammon: what a gammon counts, 1 or 2.
        backgammon: what a backgammon counts, 1 to 3.
        cube: the doubling cube is in use.
        cube_lengths: the match lengths with a cube, or None for all but one-point matches.
        cube_cap: the highest value of the cube.
        dead_cube: a cube that gains its owner nothing may be turned all the same.
        crawford: no doubling in the one game after a player first stands one point before the end.
        jacoby: in money play gammons and backgammons count only when the cube was turned.
        beavers: in money play a double may be answered by turning the cube again and keeping it.
        raccoons: in money play a beaver may be answered by turning the cube once more.
        lengths: the match lengths that are played, or None for any.
        default_length: the match length where none is named; 0 is a single game.
        single_game: one game without a match score may be played.
        money: money sessions may be played.
        clock: ``"none"``, ``"turn"`` (a time for the whole turn), or ``"delay"`` (delay and reserve).
        turn_times_s: the times for a whole turn an event may choose from, seconds; no clock is always a choice.
        delay_s: free time of each turn, seconds, with clock ``"delay"``.
        reserve_s_per_point: reserve for each point of the match length, seconds, with clock ``"delay"``.
        flag: what running out of time costs: ``"none"``, ``"game"``, ``"match"``, or ``"event"`` (the director
            says which).
        leaving: what leaving the table costs: the ``"match"``, or the game as a ``"resignation"``.
        rematch: ``"none"``, ``"same"`` (same players, colors and length), or ``"free"`` (any length).
        opponents: the built-in opponents offered, weakest first; empty for any that is installed.
        rating: ``"none"``, ``"elo"`` (start 1000), or ``"fibs"`` (start 1500, or Elo by the event's choice).
        hints: the most that a display shows: ``"off"``, ``"points"`` (where a touched checker can go),
            ``"checkers"`` (which checkers can move), or ``"all"`` (both, player's choice).
        illegal_plays: who may raise an illegal play: ``"strict"`` (the table says so at once),
            ``"legal"`` (must be corrected), ``"responsible"`` (the opponent may), or ``"condone"``.
        correction_window: when an illegal play stands: after the opponent's ``"roll"`` or double, or with the
            ``"turn"`` that made it.
        dice_on_checkers: a die that lies flat on a checker counts.
    """

    name: str
    source: str
    opening: Literal["both_dice", "white_first"] = "both_dice"
    roll_again: bool = False
    automatic_doubles: int = 0
    must_use: MustUse = "strict"
    may_pass: Literal["forced", "any_time"] = "forced"
    commit: Literal["explicit", "each_checker", "last_die"] = "explicit"
    undo: Literal["until_end_turn", "none", "while_dice_left"] = "until_end_turn"
    gammon: int = 2
    backgammon: int = 3
    cube: bool = True
    cube_lengths: tuple[int, ...] | None = None
    cube_cap: int = 64
    dead_cube: bool = True
    crawford: bool = True
    jacoby: bool = False
    beavers: bool = False
    raccoons: bool = False
    lengths: tuple[int, ...] | None = None
    default_length: int = 7
    single_game: bool = True
    money: bool = True
    clock: Literal["none", "turn", "delay"] = "none"
    turn_times_s: tuple[int, ...] = ()
    delay_s: int = 12
    reserve_s_per_point: int = 120
    flag: Literal["none", "game", "match", "event"] = "event"
    leaving: Literal["match", "resignation"] = "resignation"
    rematch: Literal["none", "same", "free"] = "free"
    opponents: tuple[str, ...] = ()
    rating: Literal["none", "elo", "fibs"] = "fibs"
    hints: Literal["off", "points", "checkers", "all"] = "off"
    illegal_plays: Literal["strict", "legal", "responsible", "condone"] = "legal"
    correction_window: Literal["turn", "roll"] = "roll"
    dice_on_checkers: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return all keys as JSON values, name and source first."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


@dataclass(frozen=True, slots=True)
class Key:
    """What one key of a profile accepts.

    Attributes:
        kind: ``"switch"``, ``"choice"``, ``"number"``, ``"numbers"`` or ``"names"``.
        choices: the words of a choice.
        low: smallest number.
        high: largest number.
        optional: None (any) is accepted for numbers.
    """

    kind: Literal["switch", "choice", "number", "numbers", "names"]
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    optional: bool = False

    @property
    def accepts(self) -> str:
        """The accepted values in words, for an error message or a form."""
        if self.kind == "switch":
            return "on or off"
        if self.kind == "choice":
            return " or ".join(self.choices)
        if self.kind == "names":
            return "names separated by commas"
        amount = f"{self.low} to {self.high}"
        if self.kind == "number":
            return f"a number, {amount}"
        return f"numbers, {amount}, separated by commas" + (", or any" if self.optional else "")


LONGEST = 99
"""The longest match; formats that other programs read hold no more."""


def _choice(*words: str) -> Key:
    return Key("choice", choices=words)


_SWITCH = Key("switch")
_LENGTHS = Key("numbers", low=1, high=LONGEST, optional=True)

KEYS: Mapping[str, Key] = {
    "opening": _choice("both_dice", "white_first"),
    "roll_again": _SWITCH,
    "automatic_doubles": Key("number", low=0, high=6),
    "must_use": _choice("strict", "old_english"),
    "may_pass": _choice("forced", "any_time"),
    "commit": _choice("explicit", "each_checker", "last_die"),
    "undo": _choice("until_end_turn", "none", "while_dice_left"),
    "gammon": Key("number", low=1, high=2),
    "backgammon": Key("number", low=1, high=3),
    "cube": _SWITCH,
    "cube_lengths": _LENGTHS,
    "cube_cap": Key("number", low=2, high=4096),
    "dead_cube": _SWITCH,
    "crawford": _SWITCH,
    "jacoby": _SWITCH,
    "beavers": _SWITCH,
    "raccoons": _SWITCH,
    "lengths": _LENGTHS,
    "default_length": Key("number", low=0, high=LONGEST),
    "single_game": _SWITCH,
    "money": _SWITCH,
    "clock": _choice("none", "turn", "delay"),
    "turn_times_s": Key("numbers", low=1, high=3600),
    "delay_s": Key("number", low=0, high=600),
    "reserve_s_per_point": Key("number", low=0, high=3600),
    "flag": _choice("none", "game", "match", "event"),
    "leaving": _choice("match", "resignation"),
    "rematch": _choice("none", "same", "free"),
    "opponents": Key("names"),
    "rating": _choice("none", "elo", "fibs"),
    "hints": _choice("off", "points", "checkers", "all"),
    "illegal_plays": _choice("strict", "legal", "responsible", "condone"),
    "correction_window": _choice("turn", "roll"),
    "dice_on_checkers": _SWITCH,
}
"""Every key that may be overridden, with what it accepts."""

_SHESH_BESH = Profile(
    name="shesh-besh",
    source="the rules page of an app from Israel",
    cube=False,
    crawford=False,
    lengths=(1, 3, 5, 7),
    default_length=1,
    single_game=False,
    money=False,
    flag="none",
    rematch="same",
    rating="none",
    hints="points",
    illegal_plays="strict",
    correction_window="turn",
)
_OLD_ENGLISH = Profile(
    name="old-english",
    source="the rules of TrayGames",
    opening="white_first",
    must_use="old_english",
    may_pass="any_time",
    cube=False,
    crawford=False,
    lengths=(),
    default_length=0,
    money=False,
    flag="none",
    rematch="none",
    rating="none",
    hints="points",
    illegal_plays="strict",
    correction_window="turn",
)
_TOUCH_MOVE = Profile(
    name="touch-move",
    source="the house rules of an online site",
    commit="each_checker",
    undo="none",
    backgammon=2,
    cube_lengths=(3, 5),
    lengths=(1, 3, 5),
    default_length=1,
    single_game=False,
    money=False,
    clock="turn",
    turn_times_s=(20, 40),
    flag="game",
    leaving="match",
    rematch="none",
    opponents=("easy", "hard"),
    rating="elo",
    hints="checkers",
    illegal_plays="strict",
    correction_window="turn",
)
_MATCH_PLAY = Profile(
    name="match-play",
    source="the app of EU Studio",
    commit="last_die",
    undo="while_dice_left",
    cube=False,
    lengths=(1, 3, 5, 7, 11),
    default_length=0,
    money=False,
    flag="none",
    rematch="none",
    opponents=("beginner", "easy", "medium", "hard", "expert"),
    rating="none",
    hints="all",
    illegal_plays="strict",
    correction_window="turn",
)
_CLASSIC = Profile(
    name="classic",
    source="an article with the complete rules",
    gammon=1,
    backgammon=1,
    cube=False,
    crawford=False,
    default_length=0,
    money=False,
    flag="none",
    rematch="none",
    rating="none",
)
_INTERNATIONAL = Profile(
    name="international",
    source="the rules that tournament players mean: cube, Crawford, gammon and backgammon",
)
_TOURNAMENT = replace(
    _INTERNATIONAL,
    name="tournament",
    source="international, with the table procedures of the tournament federations",
    clock="delay",
    flag="match",
)

PROFILES: Mapping[str, Profile] = {
    each.name: each
    for each in (_SHESH_BESH, _OLD_ENGLISH, _TOUCH_MOVE, _MATCH_PLAY, _CLASSIC, _INTERNATIONAL, _TOURNAMENT)
}
"""The named profiles, the default of all commands being ``international``."""

DEFAULT = _INTERNATIONAL


def profile(name: str = "international", **keys: Any) -> Profile:
    """Return a named profile, with single keys overridden.

    Raises:
        RulesError: no such profile, no such key, or a value that the key does not accept; the message names
            the accepted ones.
    """
    if name not in PROFILES:
        raise RulesError(f"no rules are named {name!r}; there are {', '.join(PROFILES)}")
    return with_keys(PROFILES[name], keys)


def with_keys(base: Profile, keys: Mapping[str, Any]) -> Profile:
    """Return `base` with single keys overridden, each given as a value or as the text of a settings file.

    The key ``pass`` is accepted for ``may_pass``.

    Raises:
        RulesError: no such key, or a value that it does not accept; the message names the accepted ones.

    Example:
        >>> with_keys(DEFAULT, {"jacoby": "on", "lengths": "3,5"}).lengths
        (3, 5)
    """
    values = {}
    for name, value in keys.items():
        field = "may_pass" if name == "pass" else name
        if field not in KEYS:
            raise RulesError(f"rules have no key {name!r}; there are {', '.join(KEYS)}")
        values[field] = _read(name, KEYS[field], value)
    return _consistent(replace(base, **values), values)


def _consistent(rules: Profile, given: Mapping[str, Any]) -> Profile:
    """Return `rules` with what was not `given` fitted to what was.

    A gammon raises the backgammon to its worth; lengths that leave the default length out replace it.

    Raises:
        RulesError: two given keys contradict each other, or the cube's cap is no power of two.
    """
    if rules.cube_cap & (rules.cube_cap - 1):
        raise RulesError(f"cube_cap is a power of two, got {rules.cube_cap}")
    if rules.backgammon < rules.gammon:
        if "backgammon" in given:
            raise RulesError(f"backgammon counts {rules.backgammon}, less than gammon, {rules.gammon}")
        rules = replace(rules, backgammon=rules.gammon)
    length, lengths = rules.default_length, rules.lengths
    fits = rules.single_game if length == 0 else lengths is None or length in lengths
    if fits:
        return rules
    if "default_length" in given:
        raise RulesError(f"default_length is {length}, which lengths or single_game rule out")
    if lengths == () and not rules.single_game:
        raise RulesError("lengths and single_game leave nothing to play")
    return replace(rules, default_length=0 if lengths == () else min(lengths or (1,)))


def _read(name: str, key: Key, value: Any) -> Any:
    """Return `value` as the type of its key.

    Raises:
        RulesError: the key does not accept it.
    """
    refused = RulesError(f"{name} accepts {key.accepts}, got {value!r}")
    if key.kind == "switch":
        words = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}
        answer = value if isinstance(value, bool) else words.get(str(value).lower())
        if answer is None:
            raise refused
        return answer
    if key.kind == "choice":
        if value not in key.choices:
            raise refused
        return value
    if key.kind == "number":
        return _number(value, key, refused)
    if key.optional and (value is None or value == "any"):
        return None
    parts = [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        raise refused
    if key.kind == "names":
        return tuple(str(part) for part in parts)
    return tuple(_number(part, key, refused) for part in parts)


def _number(value: Any, key: Key, refused: RulesError) -> int:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not key.low <= value <= key.high:
        raise refused
    return value
