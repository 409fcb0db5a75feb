"""GNU Backgammon as an opponent: a process of its own that is asked what it would do, and answers in text.

It is never linked and never needed: whatever it cannot answer in time, the built-in player does.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile

from controller.errors import BoardError, DeviceError, IllegalActionError
from controller.ports import Decision
from controller.records.xgid import Xgid, write_xgid
from controller.rules import Color, Move, Position, apply_play, parse_steps
from controller.rules.cube import why_not_double
from controller.rules.game import Game, Phase, must_pass, plays
from controller.rules.match import Match

PLIES = {"hard": 0, "expert": 2}
"""How many turns ahead it looks at the levels that it plays."""

ANSWER_S = 20.0
"""How long it may think; two plies take less than a second on a Raspberry Pi 4."""

_PLAY = re.compile(r"^ *1\. Cube(?:ful|less) \S+ +(\S.*?) +M?Eq\.: ", re.MULTILINE)
_EQUITY = re.compile(r"^\d\. (No (?:re)?double|(?:Re)?[Dd]ouble, (?:pass|take)) +([+-][\d.]+)", re.MULTILINE)


def program() -> str | None:
    """Return where GNU Backgammon is installed, or None."""
    return shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}:/usr/games")


def plays_level(match: Match, level: str) -> bool:
    """Tell whether it plays this level, under rules that it knows."""
    rules = match.rules
    known = rules.must_use == "strict" and (rules.gammon, rules.backgammon) == (2, 3) and match.kind != "single"
    return level in PLIES and known and match.length <= 64


def decide(match: Match, level: str) -> Decision:
    """Return what GNU Backgammon does for the player who has to act.

    Raises:
        IllegalActionError: nobody has to act, or it is a resignation, which it is not asked about.
        DeviceError: it is not installed, does not answer, or its answer cannot be read.
    """
    game = match.game
    if game is None or game.to_act is None or game.turn is None or game.resignation is not None:
        raise IllegalActionError("there is nothing to ask GNU Backgammon")
    if game.phase is Phase.TO_PLAY:
        if must_pass(game):
            return Decision("play", game.before)
        return Decision("play", _read_play(_ask(match, game.turn, level), game))
    if game.phase is Phase.TO_ROLL and why_not_double(game) is not None:
        return Decision("roll")
    equities = {
        name.lower().replace("re", ""): float(n) for name, n in _EQUITY.findall(_ask(match, game.turn, level))
    }
    taken, dropped = equities.get("double, take"), equities.get("double, pass")
    if game.phase is Phase.OFFERED:
        if taken is None or dropped is None:
            raise DeviceError("gnubg: its answer about the double cannot be read")
        return Decision("take" if taken <= dropped else "drop")
    none = equities.get("no double")
    if taken is None or dropped is None or none is None:
        return Decision("roll")
    return Decision("double" if min(taken, dropped) > none else "roll")


def _ask(match: Match, asking: Color, level: str) -> str:
    """Return what it says about the position, seen from the player on turn."""
    path = program()
    if path is None:
        raise DeviceError("gnubg is not installed")
    plies = PLIES.get(level, 0)
    lines = (
        "set threads 1",
        "set output winpc off",
        "set output matchpc off",
        f"set evaluation chequerplay evaluation plies {plies}",
        f"set evaluation cubedecision evaluation plies {plies}",
        f"set xgid {xgid_of(match, asking)}",
        "hint 1",
        "quit",
        "y",
    )
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "LC_ALL": "C.UTF-8", "PATH": "/usr/games:/usr/bin:/bin"}
        try:
            done = subprocess.run(
                [path, "-t", "-q", "-r"],
                input="\n".join(lines) + "\n",
                capture_output=True,
                text=True,
                errors="replace",
                env=environment,
                cwd=home,
                timeout=ANSWER_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DeviceError(f"gnubg: {error}") from None
    return done.stdout


def xgid_of(match: Match, asking: Color) -> str:
    """Return the game as an XGID whose player at the bottom is `asking`; a double on offer is not offered yet."""
    game = match.game
    assert game is not None
    owner = game.cube.owner
    return write_xgid(
        Xgid(
            bottom=game.before,
            dice=None if game.roll is None else (game.roll.high, game.roll.low),
            cube_value=game.cube.value,
            cube_owner=None if owner is None else "bottom" if owner is asking else "top",
            length=match.length,
            score=(match.score.of(asking), match.score.of(asking.opponent)),
            crawford=game.crawford,
            jacoby=game.money and match.rules.jacoby,
            beavers=game.money and match.rules.beavers,
        )
    )


def _read_play(said: str, game: Game) -> Position:
    """Return where its best play leads.

    Raises:
        DeviceError: there is none, or it is no legal play here.
    """
    found = _PLAY.search(said)
    if found is None:
        raise DeviceError("gnubg: no play in its answer")
    try:
        steps = [Move(source, target) for source, target in parse_steps(found[1])]
        after = apply_play(game.before, tuple(steps))
    except BoardError as error:
        raise DeviceError(f"gnubg: its play cannot be read: {error}") from None
    if after not in plays(game):
        raise DeviceError(f"gnubg: {found[1]} is no legal play")
    return after
