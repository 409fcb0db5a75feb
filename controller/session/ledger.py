"""The record as a value: what the facts of a match add up to. `apply` is the only way to change it.

Replaying the journal is folding `apply` over its facts; a correction cuts the line of facts before the wrong one,
and the facts that hold instead follow it in the journal like any others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from controller.board import START_BOARD, Board
from controller.errors import IllegalActionError
from controller.rules import ALL_ROLLS, Color, Roll, cube, ending, legal_plays
from controller.rules import game as games
from controller.rules import match as matches
from controller.rules.game import Game, Phase
from controller.rules.match import Match, Score
from controller.rules.profiles import Profile, profile
from controller.rules.scoring import Result
from controller.session import clock as clocks
from controller.session import facts
from controller.session.clock import Clock
from controller.session.facts import Fact, fact_json, fact_of
from controller.session.settings import Settings
from controller.session.snapshot import LastPlay, SiteMove, position_json

BEFORE_PLAY = (
    facts.MatchStarted | facts.GameStarted | facts.LinkChanged | facts.CameraChanged | facts.Asked | facts.Settled
)
"""What may come before anything is played."""


def roll_that_dances(game: Game) -> Roll:
    """Return a roll that the player on turn cannot play, for a dance whose dice nobody saw or threw.

    Raises:
        IllegalActionError: every roll can be played.
    """
    for roll in ALL_ROLLS:
        if not legal_plays(game.before, roll, game.rules.must_use):
            return roll
    raise IllegalActionError("every roll can be played here")


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact that holds, with its number in the journal."""

    seq: int
    fact: Fact


@dataclass(frozen=True, slots=True)
class Change:
    """A correction in force, with what is needed to undo it.

    Attributes:
        seq: its number.
        fact: what it says.
        before: the facts that held before it.
        derived: the facts that were derived again with it.
    """

    seq: int
    fact: facts.Corrected
    before: tuple[Entry, ...] = field(repr=False)
    derived: tuple[Entry, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Ledger:
    """A match as the journal tells it.

    Attributes:
        seq: number of the last fact, 0 before the first.
        started: how the match began, or None before it.
        match: score and game as the rules see them.
        clock: both clocks.
        line: the facts that hold, corrected ones left out.
        changes: the corrections in force, oldest first.
        question: what is open: a question or a wrong play, or None.
        last_play: the play committed last.
        announced: what the computer plays, while its checkers are not moved yet.
        before_hit: the clock before the button that ended the turn now on the board, to take that back.
        turn_used_s: what White's and Black's clock had used when this turn began.
        links: states of the parts of the table, by name.
        ended: the match has been closed by a `MatchEnded`.
    """

    seq: int = 0
    started: facts.MatchStarted | None = None
    match: Match | None = None
    clock: Clock = field(default_factory=Clock)
    line: tuple[Entry, ...] = ()
    changes: tuple[Change, ...] = ()
    question: facts.Asked | facts.IllegalSeen | None = None
    last_play: LastPlay | None = None
    announced: facts.Announced | None = None
    before_hit: Clock | None = None
    turn_used_s: tuple[float, float] = (0.0, 0.0)
    links: tuple[tuple[str, str], ...] = ()
    ended: bool = False

    @property
    def game(self) -> Game | None:
        """The game in progress or the last one."""
        return self.match.game if self.match is not None else None

    @property
    def playing(self) -> bool:
        """Whether a game is in progress."""
        return self.match is not None and self.match.playing and not self.ended

    @property
    def set_up(self) -> int | None:
        """Number of the event that says this game was set up wrong, while that can be put right, else None.

        That is until the player who began begins his second turn.
        """
        game, turns = self.game, 0
        for entry in reversed(self.line):
            if isinstance(entry.fact, facts.SetUp):
                open_still = turns < 2 or (turns == 2 and game is not None and game.roll is None)
                return entry.seq if open_still and self.playing else None
            if isinstance(entry.fact, facts.GameStarted | facts.PositionSet):
                return None
            turns += isinstance(entry.fact, facts.Played)
        return None

    @property
    def first_turn(self) -> bool:
        """Whether nobody has played yet in this game."""
        begun = (
            entry.fact for entry in reversed(self.line) if isinstance(entry.fact, facts.Played | facts.GameStarted)
        )
        return not isinstance(next(begun, None), facts.Played)

    @property
    def untouched(self) -> bool:
        """Whether a match is in progress in which nobody has rolled, played or decided anything yet."""
        return self.playing and all(isinstance(entry.fact, BEFORE_PLAY) for entry in self.line)

    @property
    def next_play(self) -> LastPlay | None:
        """What the computer plays while its checkers are not moved yet, as a play."""
        if self.announced is None or self.game is None:
            return None
        return LastPlay(
            self.announced.player, self.game.roll, self.announced.play, _site_moves(self.announced.moves)
        )

    @property
    def computers_turn(self) -> bool:
        """Whether the turn in progress is the computer's, from its roll to the last checker."""
        game = self.game
        return self.playing and game is not None and game.turn is not None and game.turn is self.settings.computer

    @property
    def settings(self) -> Settings:
        """How the table handles what happens."""
        return self.started.settings if self.started is not None else Settings()

    @property
    def rules(self) -> Profile:
        """The rules in force."""
        return self.match.rules if self.match is not None else profile()

    @property
    def board(self) -> Board:
        """What stands on the board for certain."""
        return START_BOARD if self.game is None else Board.of(self.game.seen_by(Color.WHITE), Color.WHITE)

    @property
    def game_number(self) -> int:
        """Number of the game in progress or the last one, from 1; 0 before the first."""
        if self.match is None or self.match.game is None:
            return 0
        return len(self.match.results) + (1 if self.match.playing else 0)

    def score(self) -> tuple[int, int]:
        """White's and Black's points."""
        return (0, 0) if self.match is None else (self.match.score.white, self.match.score.black)


def replayed(bodies: Iterable[Mapping[str, Any]]) -> Ledger:
    """Return the ledger that journal lines add up to, in their order.

    Raises:
        RulesError: a line that describes no fact, or one that cannot follow the ones before it.
    """
    ledger = Ledger()
    for body in bodies:
        ledger = apply(ledger, fact_of(body))
    return ledger


def body_of(ledger: Ledger, fact: Fact) -> dict[str, Any]:
    """Return the journal line of a fact that has just been applied: its JSON, number, game and position."""
    body = {"seq": ledger.seq, **fact_json(fact)}
    if ledger.game_number:
        body["game"] = ledger.game_number
    if isinstance(
        fact,
        facts.Played | facts.GameStarted | facts.SetUp | facts.PositionSet | facts.Corrected | facts.OpeningRolled,
    ):
        turn = ledger.game.turn if ledger.game is not None and ledger.playing else None
        body["position"] = position_json(ledger.board, turn)
    return body


def apply(ledger: Ledger, fact: Fact) -> Ledger:
    """Return the ledger after one more fact; a new match counts its facts from 1 again.

    Raises:
        IllegalActionError: the fact cannot follow the ones before it.
    """
    seq = 1 if isinstance(fact, facts.MatchStarted) and ledger.started is not None else ledger.seq + 1
    if isinstance(fact, facts.Corrected):
        return replace(_cut(ledger, fact), seq=seq)
    after = _changed(ledger, fact)
    after = _clock_follows(ledger, after, fact.at_s)
    entry = Entry(seq, fact)
    return replace(after, seq=seq, line=(*after.line, entry), changes=_with_derived(after.changes, entry))


def _with_derived(changes: tuple[Change, ...], entry: Entry) -> tuple[Change, ...]:
    """Return the corrections with `entry` added to the newest one, where it was derived again with it."""
    if not changes or entry.seq > changes[-1].fact.until:
        return changes
    return (*changes[:-1], replace(changes[-1], derived=(*changes[-1].derived, entry)))


def _cut(ledger: Ledger, fact: facts.Corrected) -> Ledger:
    """Return the ledger as it was before event `fact.of`; what the table's parts do is not undone.

    A correction that undoes another one may take nothing out.
    """
    kept = [entry for entry in ledger.line if entry.seq < fact.of]
    if len(kept) == len(ledger.line) and fact.undoes is None:
        raise IllegalActionError(f"event {fact.of} is not in the record any more")
    before = Ledger()
    for entry in kept:
        before = replace(apply(before, entry.fact), seq=entry.seq)
    line = tuple(kept)
    in_force = (change for change in ledger.changes if change.seq != fact.undoes)
    changes = (*in_force, Change(ledger.seq + 1, fact, ledger.line))
    return replace(before, line=line, changes=changes, links=ledger.links, question=None)


def _changed(ledger: Ledger, fact: Fact) -> Ledger:
    """Return the ledger with what the fact itself says."""
    match fact:
        case facts.MatchStarted():
            after = _match_started(ledger, fact)
        case facts.ClockSet():
            after = _clock_set(ledger, fact)
        case facts.Asked() | facts.IllegalSeen():
            after = replace(ledger, question=fact)
        case facts.Settled():
            after = replace(ledger, question=None)
        case facts.LinkChanged():
            links = {**dict(ledger.links), fact.part: fact.state}
            after = replace(ledger, links=tuple(sorted(links.items())))
        case facts.CameraChanged():
            links = {**dict(ledger.links), "camera": fact.state}
            after = replace(ledger, links=tuple(sorted(links.items())))
        case facts.MatchEnded():
            if ledger.match is None or ledger.ended:
                raise IllegalActionError("no match is in progress")
            after = replace(ledger, ended=True, question=None, clock=clocks.stopped(ledger.clock, fact.at_s))
        case facts.SightBlocked():
            after = ledger
        case facts.Announced():
            after = replace(ledger, announced=_announced(ledger, fact))
        case _:
            after = _played_on(ledger, fact)
    return after


def _announced(ledger: Ledger, fact: facts.Announced) -> facts.Announced:
    game = ledger.game
    if game is None or not ledger.playing or game.phase is not Phase.TO_PLAY or game.turn is not fact.player:
        raise IllegalActionError(f"it is not {fact.player.value}'s to play")
    return fact


def _match_started(ledger: Ledger, fact: facts.MatchStarted) -> Ledger:
    if ledger.match is not None and not ledger.ended:
        raise IllegalActionError("a match is in progress at this table")
    rules = profile(fact.rules, **fact.keys)
    level = fact.settings.level
    if fact.settings.computer is not None and rules.opponents and level not in rules.opponents:
        raise IllegalActionError(
            f"{rules.name} rules offer the opponents {', '.join(rules.opponents)}, not {level}"
        )
    length = None if fact.length == 0 and rules.money else fact.length
    match = matches.new_match(rules, length, score=fact.score)
    clock = clocks.new_clock(fact.settings.clock, fact.length, fact.score)
    corrected = ledger if ledger.started is None else Ledger()
    return replace(corrected, started=fact, match=match, clock=clock)


def _played_on(ledger: Ledger, fact: Fact) -> Ledger:
    """Return the ledger after a fact of the game itself."""
    if ledger.match is None or ledger.ended:
        raise IllegalActionError("no match is in progress")
    match fact:
        case facts.GameStarted():
            match = matches.next_game(ledger.match)
            return replace(ledger, match=match, question=None, last_play=None, announced=None, before_hit=None)
        case facts.GameEnded():
            return replace(ledger, match=_game_ended(ledger.match, fact), question=None, announced=None)
        case facts.ScoreSet():
            return replace(ledger, match=_score_set(ledger.match, Score(*fact.score)))
    game = ledger.match.game
    if game is None or not ledger.match.playing:
        raise IllegalActionError("no game is in progress")
    after = replace(ledger, match=matches.with_game(ledger.match, _game_after(game, fact)), announced=None)
    if isinstance(fact, facts.Played):
        last = LastPlay(fact.player, fact.roll if fact.roll_certain else None, fact.play, _site_moves(fact.moves))
        return replace(after, last_play=last, question=None, before_hit=None)
    if isinstance(fact, facts.SetUp | facts.PositionSet | facts.CubeTurned | facts.Rolled | facts.OpeningRolled):
        return replace(after, question=None)
    return after


def _site_moves(moves: Iterable[facts.Moved]) -> tuple[SiteMove, ...]:
    return tuple(
        SiteMove("bar" if m.source == 25 else m.source, "off" if m.target == 0 else m.target, m.hit) for m in moves
    )


_CUBE = {
    "double": cube.double,
    "take": cube.take,
    "drop": cube.drop,
    "beaver": cube.beaver,
    "raccoon": cube.raccoon,
    "withdraw": cube.withdraw_double,
}


def _game_after(game: Game, fact: Fact) -> Game:
    match fact:
        case facts.SetUp(position=position):
            games.require(game, Phase.OPENING)
            after = replace(game, before=position.seen_by(Color.WHITE))
        case facts.OpeningRolled(white=white, black=black):
            after = games.roll_opening(game, white, black)
        case facts.Rolled(player=player, roll=roll):
            _require_turn(game, player)
            after = games.roll(game, roll)
        case facts.RollWithdrawn():
            after = games.withdraw_roll(game)
        case facts.Played():
            after = _after_play(game, fact)
        case facts.CubeTurned(player=player, action=action):
            if game.to_act is not player and action != "withdraw":
                raise IllegalActionError(f"it is not {player.value}'s to {action}")
            after = _CUBE[action](game)
        case facts.Resigned():
            after = _after_resignation(game, fact)
        case facts.PositionSet(position=position, turn=turn):
            after = _at_position(game, position, turn)
        case facts.Left(player=player, level=level):
            after = ending.leave(game, player, level)
        case _:
            raise IllegalActionError(f"{fact.type} is no event of a game")
    return after


def _after_resignation(game: Game, fact: facts.Resigned) -> Game:
    if fact.action == "offer":
        return ending.resign(game, fact.player, fact.level)
    return ending.accept_resignation(game) if fact.action == "accept" else ending.refuse_resignation(game)


def _require_turn(game: Game, player: Color) -> None:
    if game.turn is not player:
        raise IllegalActionError(f"it is not {player.value}'s turn")


def _after_play(game: Game, fact: facts.Played) -> Game:
    """Return the game after a whole turn, however it was made."""
    _require_turn(game, fact.player)
    if game.phase is Phase.TO_ROLL:
        game = games.roll(game, fact.roll or roll_that_dances(game))
    elif game.roll is not None and fact.roll is not None and fact.roll != game.roll:
        raise IllegalActionError(f"the roll on the table is {game.roll}, not {fact.roll}")
    after = fact.position.seen_by(fact.player)
    if fact.illegal:
        return games.condone(game, after)
    if after == game.before:
        return games.pass_turn(game)
    if game.rules.may_pass == "any_time" and after not in games.plays(game):
        return games.condone(game, after)
    return games.play_to(replace(game, moves=()), after)


def _at_position(game: Game, position: Board, turn: Color) -> Game:
    seen = position.seen_by(turn)
    if seen.on_board == 0 or seen.opponent_on_board == 0:
        raise IllegalActionError("a game cannot go on when a side has borne off everything")
    return replace(
        game,
        phase=Phase.TO_ROLL,
        turn=turn,
        before=seen,
        turns=max(2, game.turns),
        roll=None,
        moves=(),
        offer=None,
        resignation=None,
    )


def _game_ended(match: Match, fact: facts.GameEnded) -> Match:
    """Return the match with its last game counted as the fact says, which mostly is what it counted already."""
    game = match.game
    if game is None:
        raise IllegalActionError("no game has been played")
    result = Result(fact.winner, fact.points, fact.kind, fact.ending)
    if not match.playing:
        booked = match.results[-1]
        same = (booked.winner, booked.points, booked.kind, booked.ending)
        if not fact.awarded or same == (fact.winner, fact.points, fact.kind, fact.ending):
            return match
        score = match.score.plus(booked.winner, -booked.points)
        match = replace(match, score=score, results=match.results[:-1], winner=None, closed=False)
    match = replace(match, game=replace(game, phase=Phase.TO_ROLL, result=None))
    over = replace(game, phase=Phase.OVER, offer=None, resignation=None, result=result)
    return matches.with_game(match, over)


def _score_set(match: Match, score: Score) -> Match:
    """Return the match with another score; the Crawford game and the points still needed follow it."""
    if min(score) < 0 or (match.kind == "match" and max(score) >= match.length):
        raise IllegalActionError(f"a match to {match.length} cannot go on from {score.white}-{score.black}")
    game = match.game
    in_crawford = game is not None and game.crawford and match.playing
    match = replace(match, score=score, crawford_played=match.crawford_played and not in_crawford)
    if game is None or not match.playing:
        return match
    crawford = matches.crawford_next(match)
    away = (match.away(Color.WHITE), match.away(Color.BLACK))
    known = None if away[0] is None or away[1] is None else (away[0], away[1])
    game = replace(game, crawford=crawford, away=known)
    return replace(match, game=game, crawford_played=match.crawford_played or crawford)


def _clock_set(ledger: Ledger, fact: facts.ClockSet) -> Ledger:
    if fact.action == "flag" and fact.player is not None:
        return _flagged(ledger, fact, fact.player)
    if fact.action in ("hit", "unhit", "start", "resume") and not ledger.playing:
        raise IllegalActionError("no game is in progress")
    clock = _clock_after(ledger, fact)
    before_hit = ledger.before_hit
    if fact.action in ("hit", "unhit", "start"):
        before_hit = ledger.clock if fact.action == "hit" else None
    return replace(ledger, clock=clock, before_hit=before_hit)


def _clock_after(ledger: Ledger, fact: facts.ClockSet) -> Clock:
    clock, at_s = ledger.clock, fact.at_s
    match fact.action:
        case "hit" if fact.player is not None:
            after = clocks.started(clock, fact.player.opponent, at_s)
        case "unhit" if ledger.before_hit is not None:
            after = clocks.charged(ledger.before_hit, at_s)
        case "start" if fact.player is not None:
            after = clocks.started(clocks.resumed(clock, at_s), fact.player, at_s)
        case "pause":
            after = clocks.paused(clock, fact.reason or "director", at_s)
        case "resume":
            after = clocks.resumed(clock, at_s)
        case "edit" if fact.reserve_s is not None:
            after = clocks.edited(clock, fact.reserve_s, at_s)
        case "restart":
            after = clocks.restarted(clock)
        case _:
            raise IllegalActionError(f"the clock cannot do {fact.action!r} now")
    return after


def _flagged(ledger: Ledger, fact: facts.ClockSet, player: Color) -> Ledger:
    """Return the ledger after a flag, with the game or match lost where that is what it costs."""
    clock = clocks.charged(ledger.clock, fact.at_s)
    clock = replace(clock, flagged=player, penalties=clock.penalties + (fact.reason == "penalty"))
    after = replace(ledger, clock=clock)
    game = ledger.game
    if game is None or ledger.match is None or not ledger.playing or fact.reason not in ("game", "match"):
        return after
    open_rules = replace(game, rules=replace(game.rules, flag="event"))
    lost = ending.flag(open_rules, player, "game" if fact.reason == "game" else "match")
    return replace(after, match=matches.with_game(ledger.match, replace(lost, rules=game.rules)))


def _clock_follows(before: Ledger, after: Ledger, at_s: float) -> Ledger:
    """Return the ledger with the clock of whoever has to act now running, when that has just changed."""
    if after.clock.setting.kind == "none" or after.game is None:
        return after
    then = before.game.to_act if before.game is not None and before.playing else None
    now = after.game.to_act if after.playing else None
    clock = after.clock
    if now is None:
        stands = then is None and after.playing
        return after if stands else replace(after, clock=clocks.stopped(clock, at_s), before_hit=None)
    resigning = after.game.resignation is not None
    resigned = before.game is not None and before.game.resignation is not None
    if resigning and not resigned:
        return replace(after, clock=clocks.paused(clock, "concession", at_s))
    if resigned and not resigning:
        return replace(after, clock=clocks.resumed(clock, at_s) if clock.paused == "concession" else clock)
    if then is now:
        return after
    if clock.running is not now:
        clock = clocks.started(clock, now, at_s)
    return replace(after, clock=clock, turn_used_s=clock.used_s)
