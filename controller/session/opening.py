"""Before the first play of a game: the checkers are set up, both roll one die, and somebody begins.

A picture of two dice does not tell whose they are, so the checkers that move tell who began: the higher die was
his. A keyed or electronic opening roll tells it at once.

A start position that is set up wrong is said. Who rolls all the same plays from what stands there; it can be put
right until the player who began begins his second turn, and stands from then on. What may be part of a first play
is no wrong set-up, unless the players are seen to roll and have not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from controller.board import START_BOARD, Board, DieReading, Observation
from controller.ports import Pressed
from controller.reconcile import Completed, Evidence, InProgress, Unexplained, Unmoved, Verdict, reconcile
from controller.rules import Color, Roll
from controller.session import facts
from controller.session.corrections import correct
from controller.session.doubts import changed_sites, newly_unclear
from controller.session.events import Correct
from controller.session.judging import judge
from controller.session.scanning import whole_board
from controller.session.sighting import clear_roll, fresh_dice, look_again, read_dice
from controller.session.standing import looks_mirrored, nearly, wrong_sites
from controller.session.state import NUDGE_PX, Draft, on_field
from controller.session.throwers import told_apart

WRONG_START_S = 4.0
"""How long a wrong start position must have stood before the players are told."""

AS_IT_STANDS = "play from here"
"""The answer to a wrong start position that lets it stand."""


def between_games(draft: Draft, seen: Observation) -> None:
    """Begin the next game when the checkers stand in the start position again; tidying before that is no play."""
    match = draft.ledger.match
    if match is None or match.over or draft.ledger.ended or not draft.ledger.settings.next_game or seen.hand:
        return
    if any(not site.seen for site in seen.sites) or wrong_sites(START_BOARD, Evidence.of(seen)) != ((), ()):
        return
    draft.commit(facts.GameStarted(at_s=draft.at_s))
    draft.new_turn()


def look_at_opening(draft: Draft) -> None:
    """Read the board before the first play: a tie, a beginning, or checkers that are not set up right."""
    seen = draft.sight.seen
    evidence = Evidence.of(seen)
    if clear_roll(fresh_dice(draft), opening=True) is not None:
        begin_as_set_up(draft)
    untouched = wrong_sites(draft.ledger.board, evidence) == ((), ())
    to_begin = untouched and draft.sight.opener is None and not _stirred(draft)
    thrown = any(on_field(each.dice) for each in seen)
    as_good = untouched or (not thrown and nearly(draft.ledger.board, evidence))
    if to_begin or (draft.sight.begun is None and as_good):
        draft.look(begun=evidence)
    roll = _read_opening(draft, again=to_begin)
    if untouched:
        if draft.sight.ended == "quiet":
            draft.look(ended=None)
        _set_up(draft, roll)
        return
    begun = _beginning(draft, draft.sight.opening) or _begun_as_set_up(draft)
    if begun is None:
        _not_set_up(draft)
    else:
        _begin(draft, *begun)


def _stirred(draft: Draft) -> bool:
    """Tell whether some site has come to look otherwise than in the start position, if only a little."""
    evidence, begun = draft.evidence(), draft.sight.begun
    unclear = begun is not None and newly_unclear(evidence, begun)
    return unclear or bool(changed_sites(draft.ledger.board, evidence))


def _read_opening(draft: Draft, *, again: bool) -> Roll | None:
    """Note the opening roll and return it if it lies there; once there is one, others count only where `again`.

    What is thrown after somebody has pressed the clock, or when a site has come to look otherwise, is a reply to a
    first play, though none was seen for certain.
    """
    sight, dice = draft.sight, fresh_dice(draft)
    roll = clear_roll(dice, opening=True)
    if roll is None:
        return None
    if again or sight.opening is None:
        draft.look(opening=roll, dice=dice, reply=None)
        if roll != sight.opening:
            draft.look(opening_s=sight.looked_s)
    elif roll not in (sight.opening, sight.reply) and not _lie_there(dice, sight.dice):
        draft.look(reply=roll, reply_dice=dice, reply_s=sight.looked_s)
    return roll if roll == draft.sight.opening else None


def _lie_there(dice: Sequence[DieReading], before: Sequence[DieReading]) -> bool:
    """Tell whether each die lies where one lay before: then they are the same, read otherwise."""
    return all(any(math.dist(die.xy_px, other.xy_px) < NUDGE_PX for other in before) for die in dice)


def _begin(draft: Draft, starter: Color, roll: Roll) -> None:
    """Record the opening roll, the higher die of which was thrown by `starter`, and judge what he has played."""
    at_s = draft.at_s
    if draft.sight.opener not in (None, starter):
        at_s = max(draft.sight.ended_at_s, draft.sight.opening_s) if _clock_started(draft) else at_s
        _pressed_later(draft)
    white, black = (roll.high, roll.low) if starter is Color.WHITE else (roll.low, roll.high)
    source = "camera" if draft.sight.opening is not None else "play"
    draft.look(habits=told_apart(draft.sight.habits, starter, roll, draft.sight.dice))
    draft.commit(facts.OpeningRolled(at_s=at_s, white=white, black=black, source=source))
    read_dice(draft)
    look_again(draft)
    judge(draft)


def _pressed_later(draft: Draft) -> None:
    """Set a press of the other player aside: it did not end the first turn; it ended a later one, if any."""
    sight = draft.sight
    if sight.opener is not None:
        held = () if _clock_started(draft) else (Pressed("clock", sight.opener, sight.ended_at_s),)
        draft.look(opener=None, ended=None, held=(*held, *sight.held))


def _clock_started(draft: Draft) -> bool:
    """Tell whether a press started the clock of the other player, who began: the lower die does so by US rule 3.3.

    A picture taken after it shows nothing but the first turn.
    """
    return draft.sight.shown and not _replied(draft)


def _replied(draft: Draft) -> bool:
    """Tell whether another roll than the opening one lay there when the clock was pressed."""
    return draft.sight.reply is not None and draft.sight.reply_s <= draft.sight.ended_at_s


def _set_up(draft: Draft, roll: Roll | None) -> None:
    """The start position stands right; equal dice are a tie."""
    question = draft.ledger.question
    if isinstance(question, facts.Asked) and question.about == "start":
        draft.commit(facts.Settled(at_s=draft.at_s, how="the checkers are set up right"))
    if roll is not None and roll.is_double:
        draft.commit(facts.OpeningRolled(at_s=draft.at_s, white=roll.high, black=roll.low))
        draft.new_turn()
    else:
        draft.look(since_s=draft.sight.looked_s)


def _beginning(draft: Draft, roll: Roll | None) -> tuple[Color, Roll] | None:
    """Return who began with which roll, or None while that is not certain.

    A checker moved by one die may as well have been bumped; only a whole play tells, or the end of the turn. Of a
    play to a stack too tall to be counted one site alone tells, which may be misread: it is looked at twice.
    """
    found = dict[Color, Roll]()
    ended, opener = draft.sight.shown, draft.sight.opener
    seen_to_move = draft.sight.looks > 1 or len(changed_sites(draft.ledger.board, draft.evidence())) > 1
    for starter in Color:
        verdict, over = _first_play(draft, starter, roll), ended and opener in (None, starter)
        if isinstance(verdict, Completed) and verdict.play and (over or (roll is not None and seen_to_move)):
            found[starter] = roll or verdict.roll or verdict.rolls[0]
        elif isinstance(verdict, InProgress) and verdict.done and roll is not None and ended:
            found[starter] = roll
    if not found and opener is not None and roll is not None and ended:
        # he ended a turn on a board that no play of this roll explains: the first, or his reply to it
        return opener.opponent if _replied(draft) else opener, roll
    if opener in found:
        found = {opener: found[opener]}
    return next(iter(found.items())) if len(found) == 1 else None


def _first_play(draft: Draft, starter: Color, roll: Roll | None) -> Verdict:
    """Return what the newest readings say if `starter` began."""
    dice = draft.evidence(fresh_dice(draft))
    return reconcile(draft.ledger.board, starter, roll, dice, settings=draft.thresholds, opening=True)


def _not_set_up(draft: Draft) -> None:
    """Tell the players where the checkers are not set up right, once it has stood and nothing else explains it."""
    evidence = Evidence.of(draft.sight.seen)
    wrong = wrong_sites(draft.ledger.board, evidence)
    if wrong != draft.sight.wrong_start:
        draft.look(wrong_start=wrong, since_s=draft.sight.looked_s)
    if draft.sight.looked_s - draft.sight.since_s < WRONG_START_S or draft.ledger.question is not None:
        return
    may_be_play = any(not isinstance(_first_play(draft, who, draft.sight.opening), Unexplained) for who in Color)
    if may_be_play and draft.sight.opening is not None:
        return
    seen_to_roll = draft.ledger.settings.dice in ("camera", "electronic") and draft.sight.opening is None
    stands = whole_board(evidence) if seen_to_roll or not may_be_play else None
    text = "The checkers are not set up right."
    if looks_mirrored(evidence):
        text, stands = "The board is set up the wrong way round: left and right are changed.", None
    choices = () if stands is None else (facts.Choice(text=AS_IT_STANDS, position=stands),)
    sites, bars = wrong
    draft.commit(facts.Asked(at_s=draft.at_s, about="start", text=text, sites=sites, bars=bars, choices=choices))


def begin_as_set_up(draft: Draft) -> None:
    """Begin from the wrong set-up that has been said, where it stands there still when the players roll."""
    stands = _said_to_stand(draft)
    if stands is not None and wrong_sites(stands, Evidence.of(draft.sight.seen)) == ((), ()):
        draft.commit(facts.SetUp(at_s=draft.at_s, position=stands))
        draft.look(begun=Evidence.of(draft.sight.seen))


def _begun_as_set_up(draft: Draft) -> tuple[Color, Roll] | None:
    """Return who began with which roll, if he has played from the wrong set-up that has been said."""
    stands = _said_to_stand(draft)
    if stands is None:
        return None
    as_set_up = Draft(draft.state)
    as_set_up.commit(facts.SetUp(at_s=draft.at_s, position=stands))
    as_set_up.look(begun=None)
    begun = _beginning(as_set_up, draft.sight.opening)
    if begun is not None:
        draft.commit(facts.SetUp(at_s=draft.at_s, position=stands))
        draft.look(begun=None)
    return begun


def _said_to_stand(draft: Draft) -> Board | None:
    """Return the wrong set-up that the players have been told about, if it could be read, or None."""
    question = draft.ledger.question
    if not isinstance(question, facts.Asked) or question.about != "start" or not question.choices:
        return None
    return question.choices[0].position


def put_right_in_time(draft: Draft) -> None:
    """Put the record right when players put a wrong set-up right, while they may; it was played from before."""
    number = draft.ledger.set_up
    if number is None or not isinstance(draft.sight.verdict, Unexplained):
        return
    order = Correct(of=number, by="the players", why="the checkers were set up right", at_s=draft.at_s)
    mended = Draft(draft.state)
    correct(mended, order)
    look_again(mended)
    fits = isinstance(mended.sight.verdict, Unmoved | InProgress | Completed)
    if fits and not isinstance(mended.ledger.question, facts.Asked):
        correct(draft, order)
        look_again(draft)
