"""The turn in progress: commit, call a wrong play, ask; most often wait.

A play is committed only on an exact verdict and an end-of-turn signal. Until then the verdict is provisional and
is revised with every reading, forwards and backwards.
"""

from __future__ import annotations

from controller.board import SITES, Board, Site
from controller.errors import IllegalActionError
from controller.ports import Pressed
from controller.reconcile import Ambiguous, Choice, Completed, InProgress, Obscured, Unexplained, Unmoved
from controller.rules import Color
from controller.rules.game import Phase
from controller.session import facts, plays
from controller.session.asking import as_choice, ask, ask_play, put_right, too_tall, wrong_places
from controller.session.calling import call_wrong, stand_or_ask, window_closed
from controller.session.doubts import OneSite, doubtful, one_site_apart, one_site_short
from controller.session.effects import ReadAgain, Refuse, RollDice
from controller.session.replies import REPLY_S, answer_pending, recovered, reply_begun, roll_missed, unclaimed
from controller.session.sighting import end_turn, look_again, overtaken, read_dice, verdict_after
from controller.session.standing import MOST_MOVED
from controller.session.state import Draft, on_field
from controller.session.touch import goes_on_to

LATE_S = 2.0
"""How much older than the end of a turn the newest picture may stay before the table says that it waits."""


ASK_LATE_S = 8.0
"""After how long the table asks what was played instead of waiting for a picture."""


CLEARER_S = 1.0
"""How long an unclear board must stand still after the end of a turn before it is asked about: hands come back for
the dice, and the next picture may be clearer."""


BLOCKED_S = 3.0
"""How long sites that matter may be hidden after a turn has ended before the table says so."""


AT_ONCE_S = 2.0
"""How long a wrong play must stand still to be called at once: players try a checker here and there."""


def judge(draft: Draft) -> None:
    """Act on the newest verdict."""
    sight = draft.sight
    _in_time_again(draft)
    if sight.verdict is None or sight.restless or not draft.ledger.playing:
        return
    if sight.overrun:
        text = "More turns have been played than could be followed. What stands on the board, and who is on roll?"
        ask(draft, "position", text, ())
        return
    if isinstance(sight.verdict, Ambiguous | InProgress | Unmoved) and overtaken(draft):
        _followed_or_asked(draft)
        return
    if isinstance(sight.verdict, Ambiguous | Obscured) and sight.shown:
        _have_read_again(draft)
    match sight.verdict:
        case Completed() as verdict:
            _completed(draft, verdict)
        case Unexplained() as verdict if not _position_asked(draft):
            _unexplained(draft, verdict)
        case Unmoved() | InProgress() as verdict:
            _unfinished(draft, verdict)
        case Ambiguous(choices=choices, sites=sites, bars=bars):
            draft.look(options=tuple(choice for choice in choices if choice.kind == "play"))
            _replied(draft)
            if draft.sight.shown and (too_tall(choices) or draft.sight.stood_for_s >= CLEARER_S):
                ask_play(draft, choices, sites, bars)
        case Obscured(sites=sites, choices=choices):
            _obscured(draft, sites, choices)


def _position_asked(draft: Draft) -> bool:
    """Tell whether what stands on the board has been asked about: no later play answers that."""
    question = draft.ledger.question
    return isinstance(question, facts.Asked) and question.about == "position"


def say_when_late(draft: Draft) -> None:
    """Say that the pictures are older than the end of the turn that waits for them, and ask in the end."""
    sight = draft.sight
    if not sight.waiting or sight.watched_s >= sight.ended_at_s:
        return
    late_s = draft.at_s - sight.ended_at_s
    camera = dict(draft.ledger.links).get("camera", "ok")
    if late_s >= LATE_S and camera not in ("late", "lost"):
        text = f"The turn has ended {late_s:.0f} s ago, and the camera has not shown it yet."
        draft.commit(facts.LinkChanged(at_s=draft.at_s, part="camera", state="late", detail=text))
    if late_s >= ASK_LATE_S and draft.ledger.question is None:
        ask_play(draft, _stood_before(draft), (), ())


def _in_time_again(draft: Draft) -> None:
    """Say that the pictures have caught up with the end of the turn."""
    if not draft.sight.waiting and dict(draft.ledger.links).get("camera") == "late":
        draft.commit(facts.LinkChanged(at_s=draft.at_s, part="camera", state="ok", detail="The camera keeps up."))


def _stood_before(draft: Draft) -> tuple[Choice, ...]:
    """Return the play that stood there when the board was seen last, as the one choice there is."""
    last = draft.sight.standing
    return () if last is None else (as_choice(last),)


def next_turn(draft: Draft) -> None:
    """After a play: carry out what the next player asked for early, and read the same board as his turn."""
    if not draft.ledger.playing:
        draft.look(wants=None)
        return
    if draft.ledger.computers_turn:
        return
    serve(draft)
    if _roll_held(draft):
        return
    read_dice(draft)
    look_again(draft)
    judge(draft)


def _roll_held(draft: Draft) -> bool:
    """Tell whether the player on turn has thrown, and his roll waits for its turn: it tells what he may play."""
    game, held = plays.game_of(draft), draft.sight.held[:1]
    rolled = any(isinstance(each, facts.Rolled) and each.player is game.turn for each in held)
    return game.phase is Phase.TO_ROLL and rolled


def serve(draft: Draft) -> None:
    """Carry out a roll or double that the player now on turn asked for before the last play was recorded."""
    wants = draft.sight.wants
    if wants is None or not draft.ledger.playing:
        return
    game = plays.game_of(draft)
    if game.turn is not wants.player or game.phase is not Phase.TO_ROLL:
        return
    draft.look(wants=None)
    if isinstance(wants, facts.Rolled):
        draft.commit(wants)
        if draft.ledger.settings.early_roll == "withdrawn":
            _withdraw(draft, wants)
    elif wants.button == "double":
        try:
            value = game.cube.value * 2
            draft.commit(facts.CubeTurned(at_s=wants.at_s, player=wants.player, action="double", value=value))
        except IllegalActionError as error:
            draft.effects.append(Refuse(str(error)))
    elif draft.ledger.settings.dice == "electronic":
        draft.effects.append(RollDice(draft.ledger.seq + 1, wants.player, wants.at_s))


def _withdraw(draft: Draft, rolled: facts.Rolled) -> None:
    """Take back a roll that was thrown before the turn of the other player had ended; it stays in the record."""
    reason = "thrown too early"
    draft.commit(facts.RollWithdrawn(at_s=draft.at_s, player=rolled.player, roll=rolled.roll, reason=reason))
    newest = draft.sight.newest
    draft.look(dice=(), old_dice=on_field(newest.dice) if newest is not None else ())


def _completed(draft: Draft, verdict: Completed) -> None:
    game = plays.game_of(draft)
    if not goes_on_to(game, draft.sight.final, verdict.board):
        _call_wrong(draft, final=True)
        return
    if draft.sight.ended is None and draft.sight.reply is not None:
        end_turn(draft, "roll", draft.sight.looked_s)
    all_off = verdict.board.on_board(plays.on_turn(draft)) == 0
    won = all_off and draft.sight.stood_for_s >= draft.ledger.settings.quiet_s
    by_itself = won or (game.rules.commit != "explicit" and game.phase is Phase.TO_PLAY)
    if by_itself or draft.sight.shown:
        if _not_an_answer(draft, verdict.board):
            _ask_which(draft)
            return
        rivals = _one_site_apart(draft, verdict.board)
        if _doubtful(draft, verdict) or any(rival.overlooked for rival in rivals):
            _doubted(draft, verdict)
            return
        if _may_be_bumped(draft, verdict):
            return
        short = draft.sight.read_once and one_site_short(draft.ledger.board, verdict.board)
        if short or (rivals and draft.sight.looked_once):
            draft.look(options=(as_choice(verdict),))
            _have_read_again(draft)
            return
        plays.commit_completed(draft, verdict)
        next_turn(draft)
    else:
        if game.rules.undo != "until_end_turn" and game.phase is Phase.TO_PLAY:
            draft.look(final=verdict.play)
        put_right(draft)


def _not_an_answer(draft: Draft, board: Board) -> bool:
    """Tell whether a turn was not clear, the opponent has rolled since, and `board` is none of what it left open.

    Then it is the opponent who moves, or something was bumped: the player himself is not moving any more.
    """
    if not answer_pending(draft):
        return False
    question = draft.ledger.question
    if isinstance(question, facts.Asked):
        return board not in [choice.position for choice in question.choices]
    return board not in [choice.board for choice in draft.sight.options]


def _doubtful(draft: Draft, verdict: Completed) -> bool:
    """Tell whether a wrong play could hide behind the one that stands there; none wins the game."""
    wins = verdict.board.on_board(plays.on_turn(draft)) == 0
    if unclaimed(draft) or (roll_missed(draft) and verdict.play and not wins):
        return True
    return doubtful(draft.ledger.board, verdict.board, draft.evidence(), draft.sight.begun)


def _doubted(draft: Draft, verdict: Completed) -> None:
    """Wait for a better look at a play behind which a wrong one could hide; ask when there is none.

    What stood there before may be it, too: this one may be made by a checker that was bumped.
    """
    choices = tuple(as_choice(each) for each in (verdict, draft.sight.earlier) if each is not None)
    draft.look(options=choices)
    _have_read_again(draft)
    if draft.sight.stood_for_s >= BLOCKED_S:
        hidden = tuple(
            site for site, reading in zip(SITES, draft.sight.seen[-1].sites, strict=True) if not reading.seen
        )
        ask_play(draft, choices, hidden, ())


def _may_be_bumped(draft: Draft, verdict: Completed) -> bool:
    """Tell whether another play stood there before, and only a bumped checker may have made this one of it.

    Where the roll is known that is no legal play; else it has to stand there for a while, as a checker that was
    bumped is put right.
    """
    earlier = draft.sight.earlier
    if earlier is None or plays.game_of(draft).roll is not None or draft.sight.stood_for_s >= BLOCKED_S:
        return False
    draft.look(options=tuple(as_choice(each) for each in (verdict, earlier)))
    return True


def _one_site_apart(draft: Draft, board: Board) -> list[OneSite]:
    """Return what tells the play that leads to `board` from those from which one site alone tells it."""
    game, mover = plays.game_of(draft), plays.on_turn(draft)
    if game.roll is None:
        return []
    before, must_use = draft.ledger.board, draft.thresholds.must_use
    return one_site_apart(before, board, mover, game.roll, draft.evidence(), must_use)


def _have_read_again(draft: Draft) -> None:
    """Have the board read once more as it lies there, and not again: what deceives two readings deceives all."""
    if not draft.sight.again and not draft.sight.unchanged:
        draft.look(again="asked")
        draft.effects.append(ReadAgain())


def _replied(draft: Draft) -> None:
    """Take the opponent's roll as the end of a turn that is not clear, once the board has stood still."""
    if draft.sight.ended is None and draft.sight.reply is not None and draft.sight.stood_for_s >= REPLY_S:
        end_turn(draft, "roll", draft.sight.looked_s)


def _unfinished(draft: Draft, verdict: Unmoved | InProgress) -> None:
    game = plays.game_of(draft)
    if _taken_back(draft, verdict):
        _call_wrong(draft, final=True)
        return
    if isinstance(verdict, InProgress) and game.rules.undo == "none" and game.roll is not None:
        draft.look(final=verdict.done)
    if game.rules.may_pass == "any_time" and draft.sight.shown and game.phase is Phase.TO_PLAY:
        plays.commit_pass(draft, verdict)
        next_turn(draft)
        return
    if game.phase is Phase.TO_ROLL:
        _replied(draft)
        _won_unseen(draft)
    called = _called(draft, verdict.board if isinstance(verdict, InProgress) else draft.ledger.board)
    if called and window_closed(draft):
        _close_window(draft)
        return
    if not draft.sight.shown:
        draft.look(stood=verdict.board if isinstance(verdict, InProgress) else None)
        if not called:
            put_right(draft)
        return
    if draft.sight.ended == "roll" and draft.sight.wants is not None:
        if called and plays.let_stand(draft):
            next_turn(draft)
            return
        draft.look(ended=None, wants=None)
        draft.effects.append(Refuse(f"{plays.on_turn(draft).value} has not finished the turn"))
    elif game.phase is Phase.TO_ROLL and isinstance(verdict, Unmoved):
        _nothing_seen(draft)
    else:
        _call_wrong(draft)


def _called(draft: Draft, stands: Board) -> bool:
    """Tell whether what stands there has been called wrong; where that was not certain, its sites tell."""
    question = draft.ledger.question
    if not isinstance(question, facts.IllegalSeen):
        return False
    if question.stands is not None:
        return question.stands == stands
    return wrong_places(draft) == (question.sites, question.bars)


def _taken_back(draft: Draft, verdict: Unmoved | InProgress) -> bool:
    """Tell whether moves were taken back that the rules had made final."""
    final = draft.sight.final
    if isinstance(verdict, Unmoved):
        return bool(final)
    return not goes_on_to(plays.game_of(draft), final, verdict.board)


def _nothing_seen(draft: Draft) -> None:
    """The turn ended, no roll was seen and nothing has moved: a dance, or the roll was missed."""
    if draft.ledger.settings.dice in ("electronic", "keyed"):
        draft.look(ended=None)
        return
    choices = (facts.Choice(text="Cannot Move", position=draft.ledger.board), facts.Choice(text="not rolled yet"))
    ask(draft, "play", "The turn has ended and nothing has moved. Was there no legal play?", choices)


def _won_unseen(draft: Draft) -> None:
    """Ask whether the last checkers were borne off, when the board rather looks like it and no roll was seen.

    Nothing would follow that tells: nobody rolls any more.
    """
    sight, mover = draft.sight, plays.on_turn(draft)
    if sight.looked_s - sight.same_since_s < BLOCKED_S or draft.ledger.question is not None:
        return
    if draft.ledger.board.on_board(mover) > MOST_MOVED or draft.ledger.settings.dice in ("electronic", "keyed"):
        return

    def fit(board: Board) -> float:
        return draft.evidence().score(board.seen_by(mover).points, mover)

    match verdict_after(draft, draft.ledger.board, mover, None):
        case Ambiguous(choices=choices, sites=sites, bars=bars):
            won = [choice.board for choice in choices if choice.board.on_board(mover) == 0]
            if won and fit(won[0]) > fit(draft.ledger.board):
                ask_play(draft, choices, sites, bars)


def _followed(draft: Draft) -> bool:
    """Record a turn on which others have followed already, or ask which it was; tell whether some turn was one."""
    if _first_time(draft, "reply") and reply_begun(draft):
        next_turn(draft)
        return True
    if "choice" in draft.sight.tried:
        _ask_which(draft)
        return True
    return False


def _followed_or_asked(draft: Draft) -> None:
    """Record a turn on which others have followed already, or ask what stands there: more than this turn shows."""
    if not _position_asked(draft) and not _followed(draft) and draft.sight.shown:
        _call_wrong(draft)


def _unexplained(draft: Draft, verdict: Unexplained) -> None:
    if _followed(draft):
        return
    if window_closed(draft):
        _close_window(draft)
        return
    patience_s = AT_ONCE_S if _called_at_once(draft) else draft.ledger.settings.alert_after_s
    long = draft.sight.stood_for_s >= patience_s
    if (draft.sight.shown or long) and _first_time(draft, "line") and recovered(draft):
        next_turn(draft)
        return
    if _doubted_before(draft):
        ask_play(draft, draft.sight.options, *wrong_places(draft))
        return
    if _seen_whole(draft):
        _ask_which(draft, *wrong_places(draft))
        return
    if _may_clear_up(draft, verdict, long=long):
        return
    speaks = draft.ledger.settings.moves in ("strict", "legal") or draft.sight.reply is not None
    if draft.sight.shown or (long and speaks):
        _call_wrong(draft)
    elif not overtaken(draft) and (board := plays.stands(draft)) is not None:
        draft.look(stood=board)


def _may_clear_up(draft: Draft, verdict: Unexplained, *, long: bool) -> bool:
    """Tell whether a later picture may explain what this one does not; `long`: it has looked like this for long.

    Where a turn was not clear, the opponent is moving. And a checker that stands wrong shows at two places: one
    alone may be misread on one picture.
    """
    if draft.sight.read_once and len(verdict.sites) + len(verdict.bars) == 1:
        return True
    stands_still = draft.ledger.question is None and draft.sight.stood_for_s >= REPLY_S
    return answer_pending(draft) and not long and not stands_still


def _call_wrong(draft: Draft, *, final: bool = False) -> None:
    """Deal with a wrong play; where it is recorded as it stands, the next turn begins."""
    if call_wrong(draft, final=final):
        next_turn(draft)


def _close_window(draft: Draft) -> None:
    """Let the wrong play stand that was called, or ask what stands there."""
    if stand_or_ask(draft):
        next_turn(draft)


def _called_at_once(draft: Draft) -> bool:
    """Tell whether the wrong play that stands there is called before the turn ends; a lifted checker is none."""
    if draft.ledger.settings.moves != "strict":
        return False
    board, mover = plays.stands(draft), plays.on_turn(draft)
    return board is not None and board.off(mover) == draft.ledger.board.off(mover)


def _doubted_before(draft: Draft) -> bool:
    """Tell whether a whole play was seen after the end of the turn and only waited for a better look."""
    standing, options = draft.sight.standing, draft.sight.options
    return draft.sight.shown and standing is not None and [standing.board] == [choice.board for choice in options]


def _seen_whole(draft: Draft) -> bool:
    """Tell whether a whole play stood there before the opponent rolled, which a later picture contradicts.

    Something may have been bumped or misread since, or the play have been changed: it is the one choice that is
    offered, and no wrong play is recorded for it.
    """
    standing = draft.sight.standing
    if standing is None or (draft.sight.wants is None and draft.sight.reply is None):
        return False
    draft.look(options=(as_choice(standing),))
    return True


def _first_time(draft: Draft, what: str) -> bool:
    """Tell whether an explanation has not been looked for in these readings yet; looking takes a while."""
    if what in draft.sight.tried:
        return False
    draft.look(tried=draft.sight.tried | {what})
    return True


def _ask_which(draft: Draft, sites: tuple[Site, ...] = (), bars: tuple[Color, ...] = ()) -> None:
    """Ask which of several turns was made when the board stands still and the reply does not tell."""
    if draft.sight.stood_for_s >= REPLY_S and draft.ledger.question is None:
        ask_play(draft, draft.sight.options[: draft.thresholds.choices], sites, bars)


def _obscured(draft: Draft, sites: tuple[Site, ...], choices: tuple[Choice, ...]) -> None:
    if not draft.sight.shown or draft.sight.stood_for_s < BLOCKED_S or draft.ledger.question is not None:
        return
    draft.commit(facts.SightBlocked(at_s=draft.at_s, sites=sites))
    ask_play(draft, choices, sites, ())


def want(draft: Draft, press: Pressed | facts.Rolled) -> None:
    """Keep a roll or double that came before the last play was recorded; it ends that turn where it may."""
    draft.look(wants=press)
    if draft.sight.ended is None and not end_turn(draft, "roll", press.at_s):
        draft.look(wants=None)
        draft.effects.append(Refuse(f"{plays.on_turn(draft).value} has not ended the turn"))
        return
    judge(draft)
