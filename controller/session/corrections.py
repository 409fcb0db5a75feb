"""Corrections: any earlier event says something else, and everything after it is derived again.

The journal keeps what it had: a `Corrected` fact takes the line from there on out of the record, and the facts
that hold instead are added with new numbers. Undoing a correction is another one, by which what the first had
taken out holds again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from controller.board import Board, point_at, site_at
from controller.errors import IllegalActionError, InvalidPositionError, RulesError
from controller.rules import (
    Color,
    Move,
    Play,
    Point,
    Position,
    Roll,
    apply_move,
    legal_plays,
    parse_steps,
    write_play,
)
from controller.rules.game import Phase
from controller.rules.plays import accepted_plays
from controller.session import facts, plays
from controller.session.effects import Confirm
from controller.session.events import Correct
from controller.session.facts import Fact, fact_json, fact_of
from controller.session.ledger import Change, Entry, Ledger
from controller.session.sighting import clear_roll
from controller.session.standing import moves_between
from controller.session.state import Draft, Sight, on_field

REPEATED = (
    facts.MatchStarted
    | facts.GameStarted
    | facts.SetUp
    | facts.OpeningRolled
    | facts.Rolled
    | facts.RollWithdrawn
    | facts.Played
    | facts.CubeTurned
    | facts.Resigned
    | facts.GameEnded
    | facts.MatchEnded
    | facts.ClockSet
    | facts.PositionSet
    | facts.ScoreSet
    | facts.Left
)
"""Facts that are derived again; questions and calls of the old line are history."""


PLAY_NAMES = frozenset({"play", "position", "roll", "illegal"})
"""What a play can be corrected by."""


def correct(draft: Draft, order: Correct) -> None:
    """Change the record as `order` says and derive everything after it again, or undo the correction it names.

    It is done twice: a first time to see how many events follow, as the correction says which they are.

    Raises:
        IllegalActionError: no such event holds, or the new content is not allowed there; then nothing changes.
        InvalidNotationError: the new content cannot be read.
    """
    rehearsal = Draft(draft.state)
    _carry_out(rehearsal, order, 0)
    _carry_out(draft, order, rehearsal.ledger.seq)


def _carry_out(draft: Draft, order: Correct, until: int) -> None:
    change = next((change for change in draft.ledger.changes if change.seq == order.of), None)
    if change is None:
        _change(draft, order, until)
    else:
        _undo(draft, order, change, until)
    draft.effects.append(Confirm(draft.ledger.board))


def _undo(draft: Draft, order: Correct, change: Change, until: int) -> None:
    """Let hold again what a correction took out, and after it what has happened since."""
    if order.content is not None or order.take_back:
        raise IllegalActionError("a correction is undone as a whole; correct the event itself instead")
    after = since(draft.ledger, change)
    if after is None:
        raise IllegalActionError(f"what correction {change.seq} says was corrected again; undo that first")
    kept = len([entry for entry in lasting(change.before) if entry.seq < change.fact.of])
    cut = lasting(draft.ledger.line)[kept:]
    of = cut[0].seq if cut else draft.ledger.seq + 1
    _begin(draft, order, of, until, undoes=change.seq)
    _repeat(draft, (*lasting(change.before)[kept:], *after))


def lasting(line: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Return the facts of a line that are derived again."""
    return tuple(entry for entry in line if isinstance(entry.fact, REPEATED))


def since(ledger: Ledger, change: Change) -> tuple[Entry, ...] | None:
    """Return what has happened since a correction, or None when what it says does not hold as it stands."""
    kept = [entry for entry in change.before if entry.seq < change.fact.of]
    then, now = lasting((*kept, *change.derived)), lasting(ledger.line)
    same = len(now) >= len(then) and all(_alike(a.fact, b.fact) for a, b in zip(then, now, strict=False))
    return now[len(then) :] if same else None


def _alike(one: Fact, other: Fact) -> bool:
    """Tell whether two facts say the same, however the moves of a play are written."""
    if isinstance(one, facts.Played) and isinstance(other, facts.Played):
        return (one.player, one.roll, one.position) == (other.player, other.roll, other.position)
    return one == other


def _begin(draft: Draft, order: Correct, of: int, until: int, undoes: int | None = None) -> None:
    """Take everything from event `of` on out of the record, and forget what was seen of the turn in progress."""
    draft.commit(
        facts.Corrected(
            at_s=order.at_s,
            of=of,
            until=until,
            undoes=undoes,
            by=order.by,
            why=order.why,
            take_back=order.take_back,
        )
    )
    draft.sight = Sight(seen=draft.sight.seen, raw=draft.sight.raw, looks=draft.sight.looks, since_s=draft.at_s)


def _repeat(draft: Draft, entries: tuple[Entry, ...]) -> None:
    """Derive events again; say how many do not fit any more."""
    lost = sum(not _again(draft, entry.fact) for entry in lasting(entries))
    if lost:
        text = f"{lost} later events do not fit any more. Set the position to go on from."
        draft.commit(facts.Asked(at_s=draft.at_s, about="position", text=text))


def _change(draft: Draft, order: Correct, until: int) -> None:
    """Let an event say something else, or take it out."""
    line = draft.ledger.line
    index = next((i for i, entry in enumerate(line) if entry.seq == order.of), None)
    if index is None:
        raise IllegalActionError(f"event {order.of} is not in the record")
    only_back = order.take_back and order.content is None
    index = _hit_before(line, index) if only_back else _roll_before(line, index, order.content)
    first, later = line[index], line[index + 1 :]
    if isinstance(first.fact, facts.MatchStarted) and order.content is None:
        raise IllegalActionError("the start of a match cannot be taken out; end the match instead")
    if isinstance(first.fact, facts.GameEnded) and not first.fact.awarded and order.content is None:
        raise IllegalActionError("the end of a game follows from what came before it; correct that")
    paused = draft.ledger.clock.paused
    _begin(draft, order, first.seq, until)
    if order.content is not None:
        _commit_changed(draft, first, line, order)
        if first.seq != order.of and not order.take_back:
            later = tuple(entry for entry in later if entry.seq != order.of)
            _again(draft, _changed_play(draft.ledger, line, order))
    if order.take_back:
        _stop_in_between(draft, first.fact.at_s, paused)
        _leave_dice(draft)
    else:
        _repeat(draft, later if order.content is not None else _without_answer(first.fact, later))


def _stop_in_between(draft: Draft, taken_s: float, paused: str | None) -> None:
    """Let nobody's time run from what is taken back, which happened at `taken_s`, until now.

    Args:
        draft: the state in the making.
        taken_s: when the first event happened that is taken back.
        paused: why the clocks stood still before the correction; then they stand still after it, too.
    """
    if draft.ledger.clock.running is None:
        return
    stays = paused not in (None, "concession", "game over")
    draft.commit(facts.ClockSet(at_s=taken_s, action="pause", reason=paused if stays else "contest"))
    if not stays:
        draft.commit(facts.ClockSet(at_s=draft.at_s, action="resume"))


def _leave_dice(draft: Draft) -> None:
    """Take the dice that lie there for those of the roll on the table, or else for old ones: none counts twice."""
    newest, game = draft.sight.newest, draft.ledger.game
    lying = on_field(newest.dice) if newest is not None else ()
    if game is not None and game.roll is not None and clear_roll(lying) == game.roll:
        draft.look(dice=lying)
    else:
        draft.look(old_dice=lying)


def _without_answer(taken_out: Fact, later: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Return the later facts without the answer to a double or resignation that is taken out."""
    if not isinstance(taken_out, facts.CubeTurned | facts.Resigned):
        return later
    answers = ("take", "drop", "beaver", "raccoon", "accept", "refuse")
    for index, entry in enumerate(later):
        if type(entry.fact) is type(taken_out) and getattr(entry.fact, "action", "") in answers:
            return (*later[:index], *later[index + 1 :])
    return later


def _hit_before(line: tuple[Entry, ...], index: int) -> int:
    """Return where to cut to take a play back: before the button that ended its turn."""
    while index > 0:
        fact = line[index - 1].fact
        if not isinstance(fact, facts.ClockSet) or fact.action not in ("hit", "unhit", "start"):
            break
        index -= 1
    return index


def _roll_before(line: tuple[Entry, ...], index: int, content: Mapping[str, Any] | None) -> int:
    """Return where to cut: at the roll of the turn, when a play is given another roll."""
    fact = line[index].fact
    if not isinstance(fact, facts.Played) or content is None or "roll" not in content:
        return index
    for earlier in range(index - 1, -1, -1):
        kind = line[earlier].fact
        if isinstance(kind, facts.Rolled | facts.OpeningRolled):
            return earlier
        if isinstance(kind, facts.Played | facts.GameStarted | facts.CubeTurned):
            return index
    return index


def _commit_changed(draft: Draft, first: Entry, line: tuple[Entry, ...], order: Correct) -> None:
    """Commit the first fact of the new line."""
    content = dict(order.content or {})
    if first.seq != order.of:
        rolled = Roll.of(*content["roll"])
        draft.commit(_with_roll(first.fact, rolled))
    elif isinstance(first.fact, facts.Played):
        draft.commit(_changed_play(draft.ledger, line, order))
    else:
        _known(first.fact.type, content, first.fact.__dataclass_fields__)
        awarded = {"awarded": True} if isinstance(first.fact, facts.GameEnded) else {}
        draft.commit(fact_of({**fact_json(first.fact), **content, **awarded, "at_s": first.fact.at_s}))


def _known(what: str, content: Mapping[str, Any], names: Collection[str]) -> None:
    """Refuse content with a name that an event of type `what` does not have: a slip would change nothing."""
    unknown = sorted(set(content) - set(names))
    if unknown:
        raise IllegalActionError(f"an event of type {what} has no {', '.join(unknown)}")


def _with_roll(fact: Fact, roll: Roll) -> Fact:
    if isinstance(fact, facts.OpeningRolled):
        high_first = fact.white > fact.black
        white, black = (roll.high, roll.low) if high_first else (roll.low, roll.high)
        return replace(fact, white=white, black=black)
    assert isinstance(fact, facts.Rolled)
    return replace(fact, roll=roll)


def _changed_play(ledger: Ledger, line: tuple[Entry, ...], order: Correct) -> facts.Played:
    """Return the play that the order describes by notation, by position, or by its roll alone."""
    old = next(entry.fact for entry in line if entry.seq == order.of)
    assert isinstance(old, facts.Played)
    content = dict(order.content or {})
    _known(old.type, content, PLAY_NAMES)
    game = ledger.game
    if game is None or game.turn is None:
        raise IllegalActionError("nobody is on turn there")
    roll = game.roll or (Roll.of(*content["roll"]) if content.get("roll") else old.roll)
    before, mover = game.before, game.turn
    if "position" in content:
        board = _board_of(content["position"])
    elif "play" in content:
        board = Board.of(_after_steps(before, str(content["play"])), mover)
    else:
        board = _same_moves(ledger.board, old, mover) or old.position
    after = board.seen_by(mover)
    legal = roll is None or after in _accepted(before, roll, ledger)
    illegal = bool(content.get("illegal", False))
    if not legal and not illegal:
        raise IllegalActionError(f"that is no legal play of {roll}; mark it illegal to record it all the same")
    return _play_to(ledger, old, board, roll, illegal=not legal)


def _board_of(position: Mapping[str, Any]) -> Board:
    found = fact_of({"type": "position_set", "position": dict(position), "turn": "white"})
    assert isinstance(found, facts.PositionSet)
    return found.position


def _after_steps(before: Position, text: str) -> Position:
    """Return the position after steps in notation.

    Raises:
        IllegalActionError: a step has no checker, or its target is held.
    """
    try:
        for source, target in parse_steps(text):
            before = apply_move(before, Move(source, target))
    except InvalidPositionError as error:
        raise IllegalActionError(f"{text!r} cannot be played: {error}") from None
    return before


def _accepted(before: Position, roll: Roll, ledger: Ledger) -> dict[Position, Play]:
    found = accepted_plays(before, roll, ledger.rules.must_use)
    return found or ({before: ()} if not legal_plays(before, roll, ledger.rules.must_use) else found)


def _play_to(ledger: Ledger, old: facts.Played, board: Board, roll: Roll | None, *, illegal: bool) -> facts.Played:
    """Return an old play with another result, roll or player; the rules or its moves tell how checkers went."""
    game = ledger.game
    assert game is not None
    assert game.turn is not None
    before, mover = game.before, game.turn
    after = board.seen_by(mover)
    legal = _accepted(before, roll, ledger) if roll is not None else {}
    if after not in legal and old.moves and _same_moves(ledger.board, old, mover) == board:
        return replace(old, player=mover, roll=roll, position=board, illegal=illegal, roll_certain=True)
    moves = legal.get(after, moves_between(before, after))
    text = plays.UNKNOWN_PLAY if moves is None else write_play(moves)
    return replace(
        old,
        player=mover,
        roll=roll,
        position=board,
        play=text,
        moves=plays.moved(moves or (), mover),
        illegal=illegal,
        roll_certain=True,
    )


def _same_moves(board: Board, old: facts.Played, mover: Color) -> Board | None:
    """Return the board after the moves of an old play, or None when they cannot be made there."""
    if not old.moves and old.position != board:
        return board if old.play == "Cannot Move" else None
    position = board.seen_by(mover)
    try:
        for move in old.moves:
            position = apply_move(position, Move(_point(move.source, mover), _point(move.target, mover)))
    except InvalidPositionError:
        return None
    return Board.of(position, mover)


def _point(place: int, mover: Color) -> int:
    return place if place in (0, 25) else int(point_at(site_at(Point(place), Color.WHITE), mover))


def _again(draft: Draft, fact: Fact) -> bool:
    """Commit a fact of the old line once more where it still fits; tell whether it did, or is told anyway.

    The ends of games and matches that were won follow from what comes before them.
    """
    if isinstance(fact, facts.GameEnded) and not fact.awarded:
        return True
    if isinstance(fact, facts.MatchEnded) and (fact.reason == "won" or draft.ledger.ended):
        return True
    try:
        if isinstance(fact, facts.Played):
            fact = _rebased(draft.ledger, fact)
        draft.commit(fact)
    except RulesError:
        return False
    return True


def _rebased(ledger: Ledger, old: facts.Played) -> facts.Played:
    """Return an old play on the corrected board: the same result where it is legal still, else the same moves.

    Raises:
        IllegalActionError: it is not this player's turn any more.
    """
    game = ledger.game
    if game is None or game.turn is not old.player or game.phase not in (Phase.TO_ROLL, Phase.TO_PLAY):
        raise IllegalActionError("it is another player's turn")
    roll = game.roll or old.roll
    same = _same_moves(ledger.board, old, old.player)
    boards = [board for board in (old.position, same) if board is not None]
    for board in boards:
        if roll is None or board.seen_by(old.player) in _accepted(game.before, roll, ledger):
            changed = _play_to(ledger, old, board, roll, illegal=False)
            return replace(changed, roll_certain=old.roll_certain)
    return _play_to(ledger, old, boards[-1], roll, illegal=True)
