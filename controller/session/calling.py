"""Wrong plays: who is told, when one stands, and when it must be put right."""

from __future__ import annotations

from controller.reconcile import Completed, Unexplained, Unmoved
from controller.rules.plays import accepted_plays
from controller.session import facts, plays
from controller.session.asking import ask, say_wrong, wrong_places
from controller.session.replies import REPLY_S, answer_pending, others_roll, reply_roll
from controller.session.sighting import overtaken
from controller.session.standing import out_of_step, standing_board
from controller.session.state import Draft


def call_wrong(draft: Draft, *, final: bool = False) -> bool:
    """Deal with a turn that ended on a board no legal play explains, as the event's moves policy says.

    It may be recorded as it stands; tell whether it was.

    Args:
        draft: the state in the making.
        final: a checker that a touch-move rule had made final was moved again; that is never condoned.
    """
    if _legal_after_all(draft):
        return True
    asked = isinstance(draft.ledger.question, facts.Asked) and reply_roll(draft) is not None
    unclear = asked or answer_pending(draft) or others_roll(draft) or overtaken(draft) or draft.sight.passed_by
    if unclear or out_of_step(draft.ledger.board, plays.on_turn(draft), draft.evidence()):
        ask(draft, "position", "What stands on the board does not follow from the game.", (), *wrong_places(draft))
        return False
    policy = draft.ledger.settings.moves
    may_stand = not final and not isinstance(draft.sight.verdict, Unmoved)
    if may_stand and _stands_with_its_turn(draft) and plays.let_stand(draft):
        return True
    if policy == "condoned" and may_stand:
        return stand_or_ask(draft, may_stand=draft.sight.shown)
    say_wrong(draft, "director" if policy == "responsible" else "table")
    rolled_on = draft.sight.wants is not None or draft.sight.reply is not None
    if rolled_on and may_stand and not _misread_perhaps(draft) and plays.let_stand(draft):
        return True
    if policy != "responsible":
        draft.look(ended=None, wants=None)
    return False


def _misread_perhaps(draft: Draft) -> bool:
    """Tell whether one place alone, read once, makes a wrong play of a legal one."""
    verdict = draft.sight.verdict
    one = isinstance(verdict, Unexplained) and len(verdict.sites) + len(verdict.bars) == 1
    return one and draft.sight.read_once


def window_closed(draft: Draft) -> bool:
    """Tell whether a wrong play that was called stands now: the opponent has rolled, and nobody touches it."""
    rolled_on = draft.sight.reply is not None and draft.sight.stood_for_s >= REPLY_S
    return isinstance(draft.ledger.question, facts.IllegalSeen) and rolled_on


def stand_or_ask(draft: Draft, *, may_stand: bool = True) -> bool:
    """Record what stands on the board as a wrong play, or ask what stands there; tell whether it was recorded."""
    if may_stand and plays.let_stand(draft):
        return True
    ask(draft, "position", "What stands on the board cannot be read for certain.", (), *wrong_places(draft))
    return False


def _stands_with_its_turn(draft: Draft) -> bool:
    """Tell whether a wrong play stands because its turn has ended, where the rules leave no longer to correct it.

    Where the table calls wrong plays, that is when the player ends his turn again on the board that was called.
    """
    if draft.ledger.rules.correction_window != "turn" or draft.sight.ended not in ("clock", "dice", "roll"):
        return False
    question = draft.ledger.question
    called = isinstance(question, facts.IllegalSeen) and question.stands == plays.stands(draft)
    return called or draft.ledger.settings.moves == "responsible"


def _legal_after_all(draft: Draft) -> bool:
    """Record the play of a last checker borne off with one number, which wins though both could be used."""
    game = plays.game_of(draft)
    if game.roll is None or not draft.sight.shown:
        return False
    mover = plays.on_turn(draft)
    board = standing_board(draft.ledger.board, mover, draft.evidence())
    if board is None:
        return False
    play = accepted_plays(game.before, game.roll, game.rules.must_use).get(board.seen_by(mover))
    if play is None:
        return False
    plays.commit_completed(draft, Completed(play, game.roll, (game.roll,), board, 1.0, 0.0))
    return True
