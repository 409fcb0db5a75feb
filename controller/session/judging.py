"""The turn in progress: commit, call a wrong play, ask; most often wait.

A play is committed only on an exact verdict and an end-of-turn signal. Until then the verdict is provisional and
is revised with every reading, forwards and backwards.
"""

from __future__ import annotations

from controller.board import SITES, Board, Site
from controller.errors import IllegalActionError
from controller.ports import Pressed
from controller.reconcile import (
    TALL,
    Ambiguous,
    Choice,
    Completed,
    Evidence,
    InProgress,
    Obscured,
    Unexplained,
    Unmoved,
)
from controller.reconcile.lines import first_plays, recover
from controller.rules import Color, Roll, write_play
from controller.rules.game import Phase
from controller.rules.plays import accepted_plays
from controller.session import facts, plays
from controller.session.doubts import doubtful
from controller.session.effects import Buzz, Refuse, RollDice
from controller.session.sighting import (
    end_turn,
    look_again,
    read_dice,
    thresholds,
    verdict_after,
)
from controller.session.standing import only_opponent_moved, out_of_step, standing_board, wrong_sites
from controller.session.state import Draft, on_field
from controller.session.touch import goes_on_to

LATE_S = 2.0
"""How much older than the end of a turn the newest picture may stay before the table says that it waits."""

ASK_LATE_S = 8.0
"""After how long the table asks what was played instead of waiting for a picture."""

REPLY_S = 2.0
"""How long an unclear board must stand still before the opponent, who has rolled, is taken to be next."""

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
        _ask(draft, "position", text, ())
        return
    match sight.verdict:
        case Completed() as verdict:
            _completed(draft, verdict)
        case Unexplained() if not _position_asked(draft):
            _unexplained(draft)
        case Unmoved() | InProgress() as verdict:
            _unfinished(draft, verdict)
        case Ambiguous(choices=choices, sites=sites, bars=bars):
            draft.look(options=tuple(choice for choice in choices if choice.kind == "play"))
            _replied(draft)
            if draft.sight.shown and (_too_tall(choices) or stood_for_s(draft) >= CLEARER_S):
                ask_play(draft, choices, sites, bars)
        case Obscured(sites=sites, choices=choices):
            _obscured(draft, sites, choices)


def _position_asked(draft: Draft) -> bool:
    """Tell whether what stands on the board has been asked about: no later play answers that."""
    question = draft.ledger.question
    return isinstance(question, facts.Asked) and question.about == "position"


def _too_tall(choices: tuple[Choice, ...]) -> bool:
    """Tell whether choices differ only in stacks too tall to be counted: another look would tell no more."""
    first, *others = [choice.board.points for choice in choices]
    pairs = [pair for other in others for pair in zip(first, other, strict=True) if pair[0] != pair[1]]
    return bool(pairs) and all(min(abs(a), abs(b)) >= TALL and a * b > 0 for a, b in pairs)


def stood_for_s(draft: Draft) -> float:
    """Return for how long the board has been seen to stand as it does since the turn ended, seconds."""
    return draft.sight.looked_s - max(draft.sight.since_s, draft.sight.ended_at_s)


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
    return () if last is None else (_as_choice(last),)


def next_turn(draft: Draft) -> None:
    """After a play: carry out what the next player asked for early, and read the same board as his turn."""
    if not draft.ledger.playing:
        draft.look(wants=None)
        return
    if draft.ledger.computers_turn:
        return
    serve(draft)
    read_dice(draft)
    look_again(draft)
    judge(draft)


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
        call_wrong(draft, final=True)
        return
    if draft.sight.ended is None and draft.sight.reply is not None:
        end_turn(draft, "roll", draft.sight.looked_s)
    all_off = verdict.board.on_board(plays.on_turn(draft)) == 0
    won = all_off and stood_for_s(draft) >= draft.ledger.settings.quiet_s
    by_itself = won or (game.rules.commit != "explicit" and game.phase is Phase.TO_PLAY)
    if by_itself or draft.sight.shown:
        if _not_an_answer(draft, verdict.board):
            _ask_which(draft)
            return
        if _doubtful(draft, verdict.board):
            _doubted(draft, verdict)
            return
        if _may_be_bumped(draft, verdict):
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
    if not _answer_pending(draft):
        return False
    question = draft.ledger.question
    if isinstance(question, facts.Asked):
        return board not in [choice.position for choice in question.choices]
    return board not in [choice.board for choice in draft.sight.options]


def _doubtful(draft: Draft, board: Board) -> bool:
    """Tell whether a wrong play could hide behind the one that leads to `board`."""
    begun = draft.sight.begun
    return doubtful(draft.ledger.board, board, draft.evidence(), Evidence.of(begun) if begun else None)


def _doubted(draft: Draft, verdict: Completed) -> None:
    """Wait for a better look at a play behind which a wrong one could hide; ask when there is none."""
    choice = _as_choice(verdict)
    draft.look(options=(choice,))
    if stood_for_s(draft) >= BLOCKED_S:
        hidden = tuple(
            site for site, reading in zip(SITES, draft.sight.seen[-1].sites, strict=True) if not reading.seen
        )
        ask_play(draft, (choice,), hidden, ())


def _may_be_bumped(draft: Draft, verdict: Completed) -> bool:
    """Tell whether another play stood there before, and only a bumped checker may have made this one of it.

    Where the roll is known that is no legal play; else it has to stand there for a while, as a checker that was
    bumped is put right.
    """
    earlier = draft.sight.earlier
    if earlier is None or plays.game_of(draft).roll is not None or stood_for_s(draft) >= BLOCKED_S:
        return False
    draft.look(options=tuple(_as_choice(each) for each in (verdict, earlier)))
    return True


def _as_choice(play: Completed) -> Choice:
    return Choice("play", play.board, play.play, play.rolls, play.probability)


def _replied(draft: Draft) -> None:
    """Take the opponent's roll as the end of a turn that is not clear, once the board has stood still."""
    if draft.sight.ended is None and draft.sight.reply is not None and stood_for_s(draft) >= REPLY_S:
        end_turn(draft, "roll", draft.sight.looked_s)


def put_right(draft: Draft) -> None:
    """Close a call about a wrong board that stands right again."""
    question = draft.ledger.question
    about_board = isinstance(question, facts.Asked) and question.about == "position"
    if isinstance(question, facts.IllegalSeen) or about_board:
        audience = question.audience if isinstance(question, facts.IllegalSeen) else "table"
        draft.commit(facts.Settled(at_s=draft.at_s, how="put right", audience=audience))


def _unfinished(draft: Draft, verdict: Unmoved | InProgress) -> None:
    game = plays.game_of(draft)
    if _taken_back(draft, verdict):
        call_wrong(draft, final=True)
        return
    if isinstance(verdict, InProgress) and game.rules.undo == "none" and game.roll is not None:
        draft.look(final=verdict.done)
    if game.rules.may_pass == "any_time" and draft.sight.shown and game.phase is Phase.TO_PLAY:
        plays.commit_pass(draft, verdict)
        next_turn(draft)
        return
    if game.phase is Phase.TO_ROLL:
        _replied(draft)
    question = draft.ledger.question
    stands = verdict.board if isinstance(verdict, InProgress) else draft.ledger.board
    called = isinstance(question, facts.IllegalSeen) and question.stands == stands
    if called and _window_closed(draft):
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
        call_wrong(draft)


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
    _ask(draft, "play", "The turn has ended and nothing has moved. Was there no legal play?", choices)


def _unexplained(draft: Draft) -> None:
    if _first_time(draft, "reply") and _reply_begun(draft):
        return
    if "choice" in draft.sight.tried:
        _ask_which(draft)
        return
    if _window_closed(draft):
        return
    long = stood_for_s(draft) >= (AT_ONCE_S if _called_at_once(draft) else draft.ledger.settings.alert_after_s)
    if (draft.sight.shown or long) and _first_time(draft, "line") and _recovered(draft):
        return
    if _doubted_before(draft):
        ask_play(draft, draft.sight.options, (), ())
        return
    stands_still = draft.ledger.question is None and stood_for_s(draft) >= REPLY_S
    if _answer_pending(draft) and not long and not stands_still:
        return
    speaks = draft.ledger.settings.moves in ("strict", "legal") or draft.sight.reply is not None
    if draft.sight.shown or (long and speaks):
        call_wrong(draft)
    elif (board := plays.stands(draft)) is not None:
        draft.look(stood=board)


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


def _answer_pending(draft: Draft) -> bool:
    """Tell whether a play was not clear and the opponent has rolled: whatever moves now is not that play."""
    question = draft.ledger.question
    asked = isinstance(question, facts.Asked) and question.about == "play"
    unclear = asked or (question is None and bool(draft.sight.options))
    return unclear and _reply_roll(draft) is not None


def _first_time(draft: Draft, what: str) -> bool:
    """Tell whether an explanation has not been looked for in these readings yet; looking takes a while."""
    if what in draft.sight.tried:
        return False
    draft.look(tried=draft.sight.tried | {what})
    return True


def _reply_begun(draft: Draft) -> bool:
    """Record the turn that stood there before, when the opponent has moved on top of it; tell whether he has.

    Exactly one turn must lead, with a reply or part of one, from the last certain board to what is seen; where
    several do, more of the reply may tell. While the opponent's roll is not known, only a turn that was seen to
    stand there counts.
    """
    mode = draft.ledger.settings.dice
    known = _reply_roll(draft) is not None
    if not known and mode != "manual" and not (mode == "camera" and draft.sight.shown):
        return False
    fitting = [first for first in _first_turns(draft) if _replied_to(draft, first.board)]
    stood = [first for first in fitting if first.board in _stood_boards(draft)]
    told = known and _in_sight(draft, *[first.board for first in fitting])
    fitting = stood or (fitting if told else [])
    if len(fitting) > 1:
        draft.look(options=tuple(fitting), tried=draft.sight.tried | {"choice"})
        return True
    if fitting:
        return _commit_before_reply(draft, fitting[0])
    return _wrong_before_reply(draft)


def _reply_roll(draft: Draft) -> Roll | None:
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
    next_turn(draft)
    return True


def _wrong_before_reply(draft: Draft) -> bool:
    """Let a wrong play stand on which the opponent has moved on already; it is called if it was not before."""
    question = draft.ledger.question
    called = question.stands if isinstance(question, facts.IllegalSeen) else None
    board = called or draft.sight.stood
    if board is None or not plays.within_one_turn(draft, board) or not _replied_to(draft, board):
        return False
    if called is None:
        _say_wrong(draft, "director" if draft.ledger.settings.moves == "responsible" else "table", board)
    plays.commit_illegal(draft, board)
    next_turn(draft)
    return True


def _replied_to(draft: Draft, board: Board) -> bool:
    """Tell whether a reply of the opponent to `board` is seen: a whole play, or part of one of his roll."""
    reply = _reply_roll(draft)
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


def _ask_which(draft: Draft) -> None:
    """Ask which of several turns was made when the board stands still and the reply does not tell."""
    if stood_for_s(draft) >= REPLY_S and draft.ledger.question is None:
        ask_play(draft, draft.sight.options[: thresholds(draft).choices], (), ())


def _window_closed(draft: Draft) -> bool:
    """Let a wrong play stand that was called, when the opponent has rolled and nobody touches it; tell whether."""
    rolled_on = draft.sight.reply is not None and stood_for_s(draft) >= REPLY_S
    if not isinstance(draft.ledger.question, facts.IllegalSeen) or not rolled_on:
        return False
    if plays.let_stand(draft):
        next_turn(draft)
    else:
        _ask(draft, "position", "What stands on the board cannot be read for certain.", (), *_wrong(draft))
    return True


def _recovered(draft: Draft) -> bool:
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
    next_turn(draft)
    return True


def _in_sight(draft: Draft, *boards: Board) -> bool:
    """Tell whether every site is seen at which one of the boards differs from the last certain one."""
    hidden = draft.evidence().hidden
    before = draft.ledger.board.points
    pairs = [zip(SITES, before, board.points, strict=True) for board in boards]
    return not any(site in hidden for pair in pairs for site, old, new in pair if old != new)


def _obscured(draft: Draft, sites: tuple[Site, ...], choices: tuple[Choice, ...]) -> None:
    if not draft.sight.shown or stood_for_s(draft) < BLOCKED_S or draft.ledger.question is not None:
        return
    draft.commit(facts.SightBlocked(at_s=draft.at_s, sites=sites))
    ask_play(draft, choices, sites, ())


def ask_play(draft: Draft, choices: tuple[Choice, ...], sites: tuple[Site, ...], bars: tuple[Color, ...]) -> None:
    """Ask which play was made; buttons and displays choose."""
    words = {"part": "not finished", "unmoved": "nothing moved"}
    answers = []
    for choice in choices:
        if choice.kind == "play":
            roll = choice.rolls[0] if choice.rolls else None
            answers.append(facts.Choice(text=write_play(choice.play), position=choice.board, roll=roll))
        else:
            answers.append(facts.Choice(text=words[choice.kind]))
    _ask(draft, "play", "Which play was made?", tuple(answers), sites, bars)


def _ask(
    draft: Draft,
    about: str,
    text: str,
    choices: tuple[facts.Choice, ...],
    sites: tuple[Site, ...] = (),
    bars: tuple[Color, ...] = (),
) -> None:
    """Ask once; the same question is not asked again."""
    open_one = draft.ledger.question
    if isinstance(open_one, facts.Asked) and open_one.choices == choices and open_one.about == about:
        return
    newest = draft.sight.newest
    draft.commit(
        facts.Asked(
            at_s=draft.at_s,
            about=about,  # type: ignore[arg-type]  # one of the words of `Asked.about`, as all callers pass it
            text=text,
            player=plays.game_of(draft).turn,
            sites=sites,
            bars=bars,
            choices=choices,
            frame=newest.frame if newest is not None else None,
        )
    )


def call_wrong(draft: Draft, *, final: bool = False) -> None:
    """Deal with a turn that ended on a board no legal play explains, as the event's moves policy says.

    Args:
        draft: the state in the making.
        final: a checker that a touch-move rule had made final was moved again; that is never condoned.
    """
    if _legal_after_all(draft):
        return
    asked = isinstance(draft.ledger.question, facts.Asked) and _reply_roll(draft) is not None
    unclear = asked or _answer_pending(draft) or _others_roll(draft)
    if unclear or out_of_step(draft.ledger.board, plays.on_turn(draft), draft.evidence()):
        _ask(draft, "position", "What stands on the board does not follow from the game.", (), *_wrong(draft))
        return
    policy = draft.ledger.settings.moves
    may_stand = not final and not isinstance(draft.sight.verdict, Unmoved)
    if may_stand and _stands_with_its_turn(draft) and plays.let_stand(draft):
        next_turn(draft)
        return
    if policy == "condoned" and may_stand:
        if draft.sight.shown and plays.let_stand(draft):
            next_turn(draft)
        else:
            _ask(draft, "position", "What stands on the board cannot be read for certain.", (), *_wrong(draft))
        return
    _say_wrong(draft, "director" if policy == "responsible" else "table")
    rolled_on = draft.sight.wants is not None or draft.sight.reply is not None
    if rolled_on and may_stand and plays.let_stand(draft):
        next_turn(draft)
    elif policy != "responsible":
        draft.look(ended=None, wants=None)


def _others_roll(draft: Draft) -> bool:
    """Tell whether a roll that was read from the table may be the opponent's: it is he who has moved."""
    board, mover = draft.ledger.board, plays.on_turn(draft)
    return draft.ledger.settings.dice == "camera" and only_opponent_moved(board, mover, draft.evidence())


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
    next_turn(draft)
    return True


def _nearest(draft: Draft) -> tuple[str | None, Board | None]:
    verdict = draft.sight.verdict
    if draft.ledger.settings.tournament:
        return None, None  # naming a legal play would be a hint
    if isinstance(verdict, Unexplained) and verdict.nearest is not None:
        return write_play(verdict.nearest.play), verdict.nearest.board
    return None, None


def _wrong(draft: Draft) -> tuple[tuple[Site, ...], tuple[Color, ...]]:
    verdict = draft.sight.verdict
    if isinstance(verdict, Unexplained):
        return verdict.sites, verdict.bars
    return wrong_sites(draft.ledger.board, draft.evidence())


def _say_wrong(draft: Draft, audience: str, stood: Board | None = None) -> None:
    """Call a wrong play, once for each board; the clock goes back to the player who has to put it right.

    Args:
        draft: the state in the making.
        audience: who is told, as in `IllegalSeen`.
        stood: what stood there, where the opponent has moved on already.
    """
    sites, bars = _wrong(draft)
    nearest, position = _nearest(draft)
    mover = plays.on_turn(draft)
    open_one = draft.ledger.question
    if isinstance(open_one, facts.IllegalSeen) and (open_one.sites, open_one.bars) == (sites, bars):
        if audience == open_one.audience and draft.ledger.clock.running is not mover.opponent:
            return
        if audience == open_one.audience == "director":
            return
    newest = draft.sight.newest
    draft.commit(
        facts.IllegalSeen(
            at_s=draft.at_s,
            player=mover,
            sites=sites,
            bars=bars,
            nearest=nearest,
            nearest_position=position,
            stands=stood or plays.stands(draft),
            audience="director" if audience == "director" else "table",
            frame=newest.frame if newest is not None else None,
        )
    )
    if audience == "table":
        if draft.ledger.settings.sound:
            draft.effects.append(Buzz("wrong"))
        if draft.ledger.clock.running is mover.opponent and stood is None:
            draft.commit(facts.ClockSet(at_s=draft.at_s, action="start", player=mover, reason="illegal play"))


def want(draft: Draft, press: Pressed | facts.Rolled) -> None:
    """Keep a roll or double that came before the last play was recorded; it ends that turn where it may."""
    draft.look(wants=press)
    if draft.sight.ended is None and not end_turn(draft, "roll", press.at_s):
        draft.look(wants=None)
        draft.effects.append(Refuse(f"{plays.on_turn(draft).value} has not ended the turn"))
        return
    judge(draft)
