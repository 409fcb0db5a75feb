"""Turns on which the opponent has moved already, and plays that were missed."""

from __future__ import annotations

import math

from controller.board import SITES, Board
from controller.reconcile import Ambiguous, Choice, Completed, InProgress, Obscured, Unmoved
from controller.reconcile.lines import before_last, first_plays, recover
from controller.rules import Color, Roll
from controller.session import facts, plays
from controller.session.asking import say_wrong
from controller.session.doubts import clearly_changed, contradicted
from controller.session.sighting import end_turn, replies, verdict_after
from controller.session.standing import only_opponent_moved
from controller.session.state import Draft

REPLY_S = 2.0
"""How long an unclear board must stand still before the opponent, who has rolled, is taken to be next."""


def reply_begun(draft: Draft) -> bool:
    """Record the turn that stood there before, when the opponent has moved on top of it; tell whether he has.

    Exactly one turn must lead, with a reply or part of one, from the last certain board to what is seen; where
    several do, more of the reply may tell. Only a turn that was seen to stand there counts, if one was, or if the
    opponent's roll is not known. Where a wrong play stood there, the legal one must explain more than that.
    """
    mode = draft.ledger.settings.dice
    known = bool(replies(draft))
    coming = draft.sight.held[:1] if draft.sight.ended is None else ()
    if coming and coming[0].player is plays.on_turn(draft):
        return False  # his own roll, or the end of his turn, comes next
    if draft.sight.reply is not None and draft.sight.same_since_s < draft.sight.reply_s:
        return False  # nothing has changed since his roll was seen
    if unclaimed(draft) or (not known and mode != "manual" and not (mode == "camera" and draft.sight.shown)):
        return False
    firsts, wrong = _first_turns(draft), _wrong_board(draft)
    fits = _reply_fits(draft, *[first.board for first in firsts])
    fitting = [first for first in firsts if first.board in fits]
    stood = _stood_boards(draft)
    if stood or not known or not _in_sight(draft, *[first.board for first in fitting]):
        fitting = [first for first in fitting if first.board in stood]
    question = draft.ledger.question
    if isinstance(question, facts.Asked) and question.about == "play":
        asked = [choice.position for choice in question.choices]
        fitting = [first for first in fitting if first.board in asked]
    least = -math.inf if wrong is None else _reply_fits(draft, wrong).get(wrong, -math.inf)
    least = max([least, *(fits[first.board] - draft.thresholds.margin for first in fitting)])
    fitting = [first for first in fitting if fits[first.board] >= least]
    unseen = [first for first in fitting if first.play and first.board not in stood]
    if len(fitting) > 1 or (unseen and roll_missed(draft)):
        draft.look(options=tuple(fitting), tried=draft.sight.tried | {"choice"})
        return False
    if fitting:
        return _commit_before_reply(draft, fitting[0])
    return _wrong_before_reply(draft)


def unclaimed(draft: Draft) -> bool:
    """Tell whether dice were seen that may have been those of this turn, though another play stands there."""
    return draft.sight.unclaimed is not None and plays.game_of(draft).roll is None


def roll_missed(draft: Draft) -> bool:
    """Tell whether the camera, which reads the dice, has not seen those of this turn.

    A play tells its roll, but a wrong play of one roll is often a legal one of another.
    """
    return draft.ledger.settings.dice == "camera" and plays.game_of(draft).roll is None


def others_roll(draft: Draft) -> bool:
    """Tell whether a roll that was read from the table may be the opponent's: it is he who has moved."""
    board, mover = draft.ledger.board, plays.on_turn(draft)
    return draft.ledger.settings.dice == "camera" and only_opponent_moved(board, mover, draft.evidence())


def reply_roll(draft: Draft) -> Roll | None:
    """Return what the opponent has thrown before this turn was committed, or None where that is not known."""
    return next(iter(replies(draft)), None)


def _first_turns(draft: Draft) -> list[Choice]:
    """Return the turns after which the replies can have left what is seen.

    Who was passed by had not moved before the replies.
    """
    game, mover = plays.game_of(draft), plays.on_turn(draft)
    firsts = first_plays(game.before, mover, draft.evidence(), draft.thresholds, game.roll, replies(draft))
    return [first.choice(1.0) for first in firsts if not (first.play and draft.sight.passed_by)]


def _stood_boards(draft: Draft) -> list[Board]:
    """Return what may have stood there before the opponent moved: what was seen last may be made by his move."""
    return _seen_whole(draft) or [choice.board for choice in draft.sight.options]


def _seen_whole(draft: Draft) -> list[Board]:
    """Return the boards after a whole play that were clearly seen in this turn, if any was."""
    if draft.sight.standing is None:
        return []
    return [each.board for each in (draft.sight.standing, draft.sight.earlier) if each is not None]


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


def _wrong_board(draft: Draft) -> Board | None:
    """Return what stood there last when no legal play explained it, or was called as a wrong play."""
    question = draft.ledger.question
    called = question.stands if isinstance(question, facts.IllegalSeen) else None
    return called or draft.sight.stood


def _wrong_before_reply(draft: Draft) -> bool:
    """Let a wrong play stand on which the opponent has moved on already; it is called if it was not before."""
    board = _wrong_board(draft)
    if board is None or not plays.within_one_turn(draft, board) or not _reply_fits(draft, board):
        return False
    question = draft.ledger.question
    if not isinstance(question, facts.IllegalSeen) or question.stands is None:
        say_wrong(draft, "director" if draft.ledger.settings.moves == "responsible" else "table", board)
    plays.commit_illegal(draft, board)
    return True


def _reply_fits(draft: Draft, *boards: Board) -> dict[Board, float]:
    """Return how well the replies to each board explain what is seen, 0.0 at best; only those that do at all."""
    rolls, replier = replies(draft), plays.on_turn(draft).opponent
    if not rolls:
        found = {board: _fit_untold(draft, board, replier) for board in boards}
        return {board: fit for board, fit in found.items() if fit > -math.inf}
    last = replier if len(rolls) % 2 else replier.opponent
    fits: dict[Board, float] = {}
    for board, origins in before_last(boards, replier, rolls, draft.evidence(), draft.thresholds).items():
        fit = _last_fit(draft, board, last, rolls[-1])
        if fit > -math.inf:
            fits |= {origin: max(fit, fits.get(origin, fit)) for origin in origins}
    return fits


def _last_fit(draft: Draft, board: Board, replier: Color, reply: Roll) -> float:
    """Return how well a play of `replier`, or part of one of his roll, explains what is seen after `board`.

    No site that has changed since the last certain board may speak against it: two plays explain much.
    """
    verdict, later = verdict_after(draft, board, replier, reply), len(replies(draft)) > 1
    match verdict:
        case Completed(board=seen) if verdict.play or later:
            told = [seen]
        case InProgress(board=seen):
            told = [seen]
        case Unmoved() if later:
            told = [board]
        case Ambiguous(choices=choices) | Obscured(choices=choices):
            told = [each.board for each in choices if each.kind != "unmoved"]
        case _:
            told = []
    evidence = draft.evidence()
    told = [each for each in told if not contradicted(draft.ledger.board, each, evidence)]
    return max((evidence.score(each.seen_by(replier).points, replier) for each in told), default=-math.inf)


def _fit_untold(draft: Draft, board: Board, replier: Color) -> float:
    """Return how well a whole play of `replier`, whose roll is not known, explains what is seen after `board`.

    Unless `board` was seen to stand there, each site tells clearly that he has played: a hit checker that is not
    on the bar was rather left in a hand than brought in onto a site that is hard to read, or a stack too tall to
    be counted.
    """
    match verdict_after(draft, board, replier, None):
        case Completed(board=seen):
            told = [seen]
        case Ambiguous(choices=choices) | Obscured(choices=choices) if all(
            each.kind == "play" for each in choices
        ):
            told = [each.board for each in choices]
        case _:
            return -math.inf
    evidence, stood = draft.evidence(), board in _seen_whole(draft)
    if any(each == board or not (stood or clearly_changed(board, each, evidence)) for each in told):
        return -math.inf
    return max((evidence.score(each.seen_by(replier).points, replier) for each in told), default=-math.inf)


def answer_pending(draft: Draft) -> bool:
    """Tell whether a play was not clear and the opponent has rolled: whatever moves now is not that play."""
    question = draft.ledger.question
    asked = isinstance(question, facts.Asked) and question.about == "play"
    unclear = asked or (question is None and bool(draft.sight.options))
    return unclear and reply_roll(draft) is not None


def recovered(draft: Draft) -> bool:
    """Record the missed play when exactly one line of two plays leads to what stands there; tell whether.

    Where a question is open, or a wrong play was called, the end of the turn was seen: what came later does not
    tell another one.
    While a site is hidden, more may have happened than two plays.
    """
    if draft.ledger.settings.dice not in ("camera", "manual") or draft.ledger.question is not None:
        return False
    if unclaimed(draft) or others_roll(draft) or draft.evidence().hidden.intersection(SITES):
        return False
    game = plays.game_of(draft)
    dice = draft.sight.newest.dice if draft.sight.newest is not None and draft.sight.reply is not None else ()
    line = recover(
        draft.ledger.board,
        plays.on_turn(draft),
        draft.evidence(dice),
        settings=draft.thresholds,
        first_roll=game.roll,
    )
    if line is None or not line.second.play or not (line.first.play or draft.sight.reply):
        return False
    stood = _stood_boards(draft)
    if (stood and line.first.board not in stood) or (line.first.play and draft.sight.passed_by):
        return False
    first, second = line.first.board, line.second.board
    told = draft.sight.reply is not None or first in _seen_whole(draft)
    if not told and not clearly_changed(first, second, draft.evidence()):
        return False
    rolls = line.first.best_rolls
    known = rolls[0] if len(rolls) == 1 else None
    plays.commit_completed(draft, Completed(line.first.play, known, rolls, first, 1.0, 0.0))
    return True


def _in_sight(draft: Draft, *boards: Board) -> bool:
    """Tell whether every site is seen at which one of the boards differs from the last certain one."""
    hidden = draft.evidence().hidden
    before = draft.ledger.board.points
    pairs = [zip(SITES, before, board.points, strict=True) for board in boards]
    return not any(site in hidden for pair in pairs for site, old, new in pair if old != new)
