"""Turns on which the opponent has moved already, and plays that were missed."""

from __future__ import annotations

from controller.board import SITES, Board
from controller.reconcile import (
    Ambiguous,
    Choice,
    Completed,
    InProgress,
    Obscured,
)
from controller.reconcile.lines import first_plays, recover
from controller.rules import Roll
from controller.session import facts, plays
from controller.session.asking import say_wrong
from controller.session.sighting import end_turn, thresholds, verdict_after
from controller.session.state import Draft

REPLY_S = 2.0
"""How long an unclear board must stand still before the opponent, who has rolled, is taken to be next."""


def reply_begun(draft: Draft) -> bool:
    """Record the turn that stood there before, when the opponent has moved on top of it; tell whether he has.

    Exactly one turn must lead, with a reply or part of one, from the last certain board to what is seen; where
    several do, more of the reply may tell. While the opponent's roll is not known, only a turn that was seen to
    stand there counts.
    """
    mode = draft.ledger.settings.dice
    known = reply_roll(draft) is not None
    if not known and mode != "manual" and not (mode == "camera" and draft.sight.shown):
        return False
    fitting = [first for first in _first_turns(draft) if _replied_to(draft, first.board)]
    stood = [first for first in fitting if first.board in _stood_boards(draft)]
    told = known and _in_sight(draft, *[first.board for first in fitting])
    fitting = stood or (fitting if told else [])
    if len(fitting) > 1:
        draft.look(options=tuple(fitting), tried=draft.sight.tried | {"choice"})
        return False
    if fitting:
        return _commit_before_reply(draft, fitting[0])
    return _wrong_before_reply(draft)


def reply_roll(draft: Draft) -> Roll | None:
    """Return what the opponent has thrown before this turn was committed, or None where that is not known."""
    other = plays.on_turn(draft).opponent
    entered = (draft.sight.wants, *draft.sight.held)
    rolls = [each.roll for each in entered if isinstance(each, facts.Rolled) and each.player is other]
    return rolls[0] if rolls else draft.sight.reply


def _first_turns(draft: Draft) -> list[Choice]:
    """Return the turns after which a reply can have left what is seen."""
    game = plays.game_of(draft)
    firsts = first_plays(game.before, plays.on_turn(draft), draft.evidence(), thresholds(draft), game.roll)
    return [first.choice(1.0) for first in firsts]


def _stood_boards(draft: Draft) -> list[Board]:
    """Return what may have stood there on the last reading before the opponent moved."""
    standing = draft.sight.standing
    return [standing.board] if standing is not None else [choice.board for choice in draft.sight.options]


def _commit_before_reply(draft: Draft, first: Choice) -> bool:
    """Record the one turn that the opponent's move leaves; that has ended it if nothing has before."""
    standing = draft.sight.standing
    seen = standing is not None and standing.board == first.board
    if draft.sight.ended is None:
        end_turn(draft, "roll", draft.sight.looked_s)
    if standing is None or not seen:
        roll = first.rolls[0] if len(first.rolls) == 1 else None
        standing = Completed(first.play, roll, first.rolls, first.board, first.probability, 0.0)
    plays.commit_completed(draft, standing)
    return True


def _wrong_before_reply(draft: Draft) -> bool:
    """Let a wrong play stand on which the opponent has moved on already; it is called if it was not before."""
    question = draft.ledger.question
    called = question.stands if isinstance(question, facts.IllegalSeen) else None
    board = called or draft.sight.stood
    if board is None or not plays.within_one_turn(draft, board) or not _replied_to(draft, board):
        return False
    if called is None:
        say_wrong(draft, "director" if draft.ledger.settings.moves == "responsible" else "table", board)
    plays.commit_illegal(draft, board)
    return True


def _replied_to(draft: Draft, board: Board) -> bool:
    """Tell whether a reply of the opponent to `board` is seen: a whole play, or part of one of his roll."""
    reply = reply_roll(draft)
    verdict = verdict_after(draft, board, plays.on_turn(draft).opponent, reply)
    match verdict:
        case Completed():
            return bool(verdict.play)
        case InProgress():
            return reply is not None
        case Ambiguous(choices=choices) | Obscured(choices=choices) if choices:
            if reply is not None:
                return any(choice.kind != "unmoved" for choice in choices)
            return all(choice.kind == "play" and choice.play for choice in choices)
    return False


def answer_pending(draft: Draft) -> bool:
    """Tell whether a play was not clear and the opponent has rolled: whatever moves now is not that play."""
    question = draft.ledger.question
    asked = isinstance(question, facts.Asked) and question.about == "play"
    unclear = asked or (question is None and bool(draft.sight.options))
    return unclear and reply_roll(draft) is not None


def recovered(draft: Draft) -> bool:
    """Record the missed play when exactly one line of two plays leads to what stands there; tell whether.

    Where a question is open the end of the turn was seen, and was not clear: what came later does not answer it.
    While a site is hidden, more may have happened than two plays.
    """
    if draft.ledger.settings.dice not in ("camera", "manual") or isinstance(draft.ledger.question, facts.Asked):
        return False
    if draft.evidence().hidden.intersection(SITES):
        return False
    game = plays.game_of(draft)
    dice = draft.sight.newest.dice if draft.sight.newest is not None and draft.sight.reply is not None else ()
    line = recover(
        draft.ledger.board,
        plays.on_turn(draft),
        draft.readings(dice),
        settings=thresholds(draft),
        first_roll=game.roll,
    )
    if line is None or not line.second.play or not (line.first.play or draft.sight.reply):
        return False
    stood = _stood_boards(draft)
    if stood and line.first.board not in stood:
        return False
    rolls = line.first.best_rolls
    known = rolls[0] if len(rolls) == 1 else None
    first = Completed(line.first.play, known, rolls, line.first.board, 1.0, 0.0)
    plays.commit_completed(draft, first)
    return True


def _in_sight(draft: Draft, *boards: Board) -> bool:
    """Tell whether every site is seen at which one of the boards differs from the last certain one."""
    hidden = draft.evidence().hidden
    before = draft.ledger.board.points
    pairs = [zip(SITES, before, board.points, strict=True) for board in boards]
    return not any(site in hidden for pair in pairs for site, old, new in pair if old != new)
