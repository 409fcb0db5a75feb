"""Readings in, a verdict out: dice old and new, the roll on the table, the signals that readings give."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from controller.board import BarReading, Board, DieReading, Observation, SiteReading
from controller.ports import Pressed
from controller.reconcile import (
    DEFAULT,
    Ambiguous,
    Completed,
    InProgress,
    Unexplained,
    Unmoved,
    Verdict,
    reconcile,
    roll_log_likelihoods,
)
from controller.rules import Color, Roll
from controller.rules.game import Game, Phase
from controller.session import facts, plays
from controller.session.settings import Signal
from controller.session.standing import only_opponent_moved, wrong_sites
from controller.session.state import Draft, Sight, on_field, same_die
from controller.session.throwers import of_one_throw, owner, thrown_by

Reading = TypeVar("Reading", SiteReading, BarReading)

DICE_SURE = 3.0
"""By how much, in natural logarithms, a roll must beat every other one to be recorded from a picture alone."""


KEEPS_UP_S = 1.0
"""A camera that keeps up shows what was no longer ago; it says something a few times a second."""

UNSEEN_S = 0.6
"""Nobody moves a checker between two pictures that are no farther apart, unless one of them shows it."""

MOST_HELD = 16
"""How many presses and rolls are held at most; more are no game but somebody playing with the buttons."""


def take_in(draft: Draft, seen: Observation) -> None:
    """Keep a reading as the newest of its source; what it hides is kept from the one before, if nothing moved.

    Dice of earlier turns that do not lie there any more are forgotten. A die on a checker counts where the rules
    say so.
    """
    if draft.ledger.rules.dice_on_checkers:
        seen = replace(seen, dice=tuple(replace(d, cocked=d.cocked and not d.on_checker) for d in seen.dice))
    sight, others = draft.sight, [other for other in draft.sight.seen if other.source != seen.source]
    raw = (*(last for last in sight.raw if last.source != seen.source), seen)
    same = any(last.source == seen.source and _alike(last, seen) for last in sight.raw)
    before = next((other for other in sight.seen if other.source == seen.source), None)
    if before is not None and not sight.restless:
        seen = _together(before, seen, moved=seen.at_s - sight.watched_s > UNSEEN_S)
    lying = _lying_still(sight, seen)
    if seen.at_s < sight.told_s:
        lying = list(on_field(seen.dice))  # a late picture of what somebody has told already
    untouched = same and not sight.restless
    answer = untouched and sight.again == "asked"
    draft.look(
        seen=(*others, seen),
        raw=raw,
        restless=False,
        old_dice=tuple(lying),
        same_since_s=sight.same_since_s if same else seen.at_s,
        again="read" if untouched and sight.again else "",
        looks=sight.looks + (not answer) if same else 1,
    )
    watched(draft, seen.at_s, still=True)


def _lying_still(sight: Sight, seen: Observation) -> list[DieReading]:
    """Return the dice of earlier turns that lie there still; one of a throw may have been nudged, not both."""
    dice = on_field(seen.dice)
    stayed = [die for die in sight.old_dice if any(same_die(die, each) for each in seen.dice)]
    gone = [die for die in sight.old_dice if die not in stayed]
    new = [die for die in dice if not any(same_die(die, each) for each in stayed)]

    def nudged(die: DieReading) -> bool:
        partners = [each for each in stayed if of_one_throw(sight.habits, die, each)]
        before = [
            each.value for each in gone if any(of_one_throw(sight.habits, each, other) for other in partners)
        ]
        return die.value in before

    return [*stayed, *(die for die in new if nudged(die))]


def _together(before: Observation, seen: Observation, *, moved: bool) -> Observation:
    """Return what a reading says with the one before; `moved`: something may have moved between them.

    Where both look alike, what the new one hides is kept from the old one.
    """
    if _alike(before, seen):
        sites = tuple(new if new.seen else old for new, old in zip(seen.sites, before.sites, strict=True))
        return replace(
            seen, sites=sites, bar=(_either(seen.bar[0], before.bar[0]), _either(seen.bar[1], before.bar[1]))
        )
    return seen if moved else _both(before, seen)


def _both(one: Observation, other: Observation) -> Observation:
    """Return what two readings of one board say together: nothing moves while a camera that keeps up sees none."""
    sites = tuple(_added(old, new) for old, new in zip(one.sites, other.sites, strict=True))
    return replace(other, sites=sites, bar=(_added(one.bar[0], other.bar[0]), _added(one.bar[1], other.bar[1])))


def _added(old: Reading, new: Reading) -> Reading:
    """Return what two readings of one place say together; a place that is hidden now stays hidden."""
    if not new.seen:
        return new
    pairs = zip(old.log_likelihoods, new.log_likelihoods, strict=True)
    return replace(new, log_likelihoods=tuple([a + b for a, b in pairs]))


def watched(draft: Draft, at_s: float, *, still: bool) -> None:
    """Note that a picture taken at `at_s` has come; `still`: it shows the board at rest, as it was read last."""
    sight = draft.sight
    looked_s = max(sight.looked_s, at_s) if still else sight.looked_s
    draft.look(watched_s=max(sight.watched_s, at_s), looked_s=looked_s)


def _either(new: BarReading, old: BarReading) -> BarReading:
    return new if new.seen else old


def _alike(one: Observation, other: Observation) -> bool:
    """Tell whether two readings show the same checkers wherever both see them."""
    pairs = zip(one.sites, other.sites, strict=True)
    return all(a.best == b.best for a, b in pairs if a.seen and b.seen) and all(
        a.best == b.best for a, b in zip(one.bar, other.bar, strict=True) if a.seen and b.seen
    )


def held_back(draft: Draft, event: Pressed | facts.Rolled) -> bool:
    """Hold a press or an entered roll whose turn cannot have begun yet for the table; tell whether it was.

    Where the pictures are late, the other player's presses and rolls follow on a play that has not been seen yet.
    The player whose turn ends may still take that back.
    """
    sight, game = draft.sight, plays.game_of(draft)
    if event is draft.due or len(sight.held) >= MOST_HELD:
        return False
    turn = sight.opener if game.phase is Phase.OPENING else game.turn
    late = math.isfinite(sight.watched_s) and event.at_s - sight.watched_s > KEEPS_UP_S
    other = event.player is not turn and turn is not None
    if isinstance(event, facts.Rolled):
        early = sight.waiting or (late and not other and game.phase is Phase.TO_PLAY)
    else:
        first_turn = game.phase is Phase.OPENING and event.button == "clock"
        early = other and (sight.waiting or late or first_turn or of_next_turn(draft, event))
    if early or sight.held:
        draft.look(held=(*sight.held, event))
    return early or bool(sight.held)


def of_next_turn(draft: Draft, event: Pressed | facts.Rolled) -> bool:
    """Tell whether a press ends the turn after the one in progress, which has ended but is not recorded yet.

    The other player's throw has been seen.
    """
    sight, game = draft.sight, draft.ledger.game
    if game is None or sight.ended is None or sight.reply is None:
        return False
    return isinstance(event, Pressed) and event.button == "clock" and event.player is not game.turn


def fresh_dice(draft: Draft) -> tuple[DieReading, ...]:
    """Return the dice on the field that did not lie there before this turn; none where no camera reads dice."""
    newest = draft.sight.newest
    if newest is None or draft.ledger.settings.dice != "camera":
        return ()
    old, habits = draft.sight.old_dice, draft.sight.habits
    lying = on_field(newest.dice)
    fresh = [die for die in lying if not any(same_die(die, other) for other in old)]

    def with_one(die: DieReading) -> bool:
        return any(of_one_throw(habits, die, other) for other in fresh)

    # both dice of a player are thrown together, even if one came to rest where it lay
    return tuple(die for die in lying if die in fresh or with_one(die))


def clear_roll(dice: Iterable[DieReading], *, opening: bool = False) -> Roll | None:
    """Return the roll that two dice show for certain, or None."""
    thrown = tuple(dice)
    if len(thrown) != 2:
        return None
    if not opening and len({die.dice_set for die in thrown} - {None}) > 1:
        return None
    weights = sorted(roll_log_likelihoods(thrown, opening=opening).items(), key=lambda item: -item[1])
    return weights[0][0] if weights[0][1] - weights[1][1] >= DICE_SURE else None


def read_dice(draft: Draft) -> None:
    """Take rolls and lifted dice from the newest reading."""
    if draft.ledger.settings.dice != "camera" or not draft.ledger.playing:
        return
    game = plays.game_of(draft)
    thrown = fresh_dice(draft)
    if game.phase is Phase.TO_ROLL and game.resignation is None:
        _read_roll(draft, thrown)
    elif game.phase is Phase.TO_PLAY:
        _watch_dice(draft, thrown, game.roll)


def _read_roll(draft: Draft, thrown: tuple[DieReading, ...]) -> None:
    """Record the roll that lies on the table, unless it must be the opponent's."""
    mover = plays.on_turn(draft)
    thrown = thrown_by(draft.sight.habits, mover, thrown) or thrown
    roll = clear_roll(thrown)
    if roll is None or (draft.sight.reply is not None and thrown != draft.sight.reply_dice):
        return  # after the opponent's reply, dice belong to a turn that is not open yet
    thrower = _thrower(draft, thrown, roll)
    if thrower is mover.opponent and _of_last_turn(draft):
        draft.look(old_dice=(*draft.sight.old_dice, *thrown))
    elif thrower is mover.opponent:
        _replied_with(draft, roll, thrown)
    elif thrower is None:
        draft.look(unclaimed=roll)
    elif draft.sight.passed_by:
        draft.look(overrun=True)
    else:
        draft.look(dice=thrown, reply=None, reply_dice=())  # what was taken for a reply is his own throw
        draft.commit(facts.Rolled(at_s=draft.at_s, player=mover, roll=roll, source="camera"))


def _of_last_turn(draft: Draft) -> bool:
    """Tell whether the opponent's dice may be those of his last turn: it was recorded without them.

    Who is closed out may throw and press the clock before any picture shows it.
    """
    last = draft.ledger.line[-1].fact
    return isinstance(last, facts.Played) and last.roll is None and _unmoved(draft)


def _unmoved(draft: Draft) -> bool:
    """Tell whether nothing that is seen contradicts the board with which the turn began."""
    board, mover = draft.ledger.board, plays.on_turn(draft)
    return not draft.evidence().misfits(board.seen_by(mover).points, mover, DEFAULT.site_noise)


def _replied_with(draft: Draft, roll: Roll, dice: tuple[DieReading, ...]) -> None:
    """Note the opponent's roll; if he had moved before it was thrown, it belongs to a later turn."""
    if draft.sight.reply is None and draft.sight.moved_on:
        draft.look(overrun=True)
    if draft.sight.reply != roll:
        newest = draft.sight.newest
        beside = tuple(die for die in on_field(newest.dice) if die not in dice) if newest is not None else ()
        draft.look(reply_s=draft.sight.looked_s, beside_reply=beside)
    draft.look(reply=roll, reply_dice=dice)


def _thrower(draft: Draft, thrown: tuple[DieReading, ...], roll: Roll) -> Color | None:
    """Return who threw dice that lie there in a turn whose own dice nobody has seen; None where it must be asked.

    Whose dice they are tells; where that is not known, or cannot be seen, the play that stands on the board does.
    Who has not moved has not played either; and dice that were thrown after a play do not tell which one it was.
    A play of another roll that is seen together with them for the first time may be a wrong one of theirs. What is
    thrown after those is the opponent's.
    """
    mover, unclaimed = plays.on_turn(draft), draft.sight.unclaimed
    owners = {owner(draft.sight.habits, die) for die in thrown}
    if None not in owners:
        return mover.opponent if owners == {mover.opponent} else mover
    if _unmoved(draft):
        return mover
    if unclaimed not in (None, roll):
        return mover.opponent
    again = unclaimed == roll
    standing = draft.sight.standing
    stood = draft.sight.options if standing is None else (standing,)
    if stood and not again:
        return mover.opponent if any(roll not in each.rolls for each in stood if each.play) else mover
    told = _rolls_told(verdict_after(draft, draft.ledger.board, mover, None))
    mine = all(roll in rolls for rolls in told) if told else not again
    return mover if mine else None


def _rolls_told(verdict: Verdict) -> list[tuple[Roll, ...]]:
    """Return the rolls of each whole play between which a verdict leaves the choice."""
    match verdict:
        case Completed(play=play, rolls=rolls) if play:
            return [rolls]
        case Ambiguous(choices=choices):
            return [choice.rolls for choice in choices if choice.kind == "play" and choice.play]
    return []


def _watch_dice(draft: Draft, thrown: tuple[DieReading, ...], roll: Roll | None) -> None:
    """Notice that the dice of this turn were lifted, and that the opponent has thrown his."""
    sight = draft.sight
    if not sight.dice:
        own = thrown_by(sight.habits, plays.on_turn(draft), thrown)
        if clear_roll(own) == roll:
            draft.look(dice=own)
        return
    newest = sight.newest
    lying = [die for die in newest.dice if die.half is not None] if newest is not None else []
    mine = [die for die in lying if _of_this_turn(draft, die, lying)]
    others = tuple(die for die in thrown if die not in mine)
    reply = clear_roll(others)
    if mine and sight.ended == "dice" and sight.reply is not None and sight.ended_at_s < sight.looked_s:
        draft.look(overrun=True)
    if reply is not None:
        _replied_with(draft, reply, others)
    opening = sight.opening is not None
    lifted = len(mine) < len(sight.dice) if opening else not mine
    if lifted and (sight.ended is None or sight.ended_at_s > sight.looked_s):
        _ended_before(draft)
        end_turn(draft, "dice", draft.sight.looked_s)


def _ended_before(draft: Draft) -> None:
    """Keep a press that came after the end of this turn, as its pictures show, for a later one."""
    sight = draft.sight
    if sight.ended == "clock" and "dice" in draft.ledger.settings.signals:
        press = Pressed("clock", plays.on_turn(draft), sight.ended_at_s)
        draft.look(held=(press, *sight.held))


def _of_this_turn(draft: Draft, die: DieReading, lying: list[DieReading]) -> bool:
    """Tell whether a die may be one of this turn's, nudged perhaps; sets and halves tell, else where it lay."""
    dice = draft.sight.dice
    sets = {each.dice_set for each in dice}
    if len(sets) > 1:
        return any(same_die(die, each) for each in dice)
    if die.dice_set is not None and None not in sets:
        return die.dice_set in sets
    thrower = owner(draft.sight.habits, die)
    if thrower is not None and draft.sight.opening is None:
        return thrower is plays.on_turn(draft)
    if any(same_die(die, each) for each in dice):
        return True
    return sorted((each.half or 0, each.value) for each in lying) == sorted(
        (each.half or 0, each.value) for each in dice
    )


def end_turn(draft: Draft, signal: Signal, at_s: float) -> bool:
    """Take a signal as the end of the turn, where this event has it; the readings are weighed anew."""
    if signal not in draft.ledger.settings.signals:
        return False
    draft.look(ended=signal, ended_at_s=at_s)
    look_again(draft)
    return True


def replies(draft: Draft) -> tuple[Roll, ...]:
    """Return what has been thrown by turns since the player on turn moved, the opponent's roll first.

    A roll that came after the newest picture tells nothing about it, unless it is the first, which ends the turn.
    """
    thrower, rolls = plays.on_turn(draft).opponent, list[Roll]()
    for each in (draft.sight.wants, *draft.sight.held):
        late = bool(rolls) and each is not None and each.at_s > draft.sight.looked_s
        if isinstance(each, facts.Rolled) and each.player is thrower and not late:
            rolls.append(each.roll)
            thrower = thrower.opponent
    return tuple(rolls) if rolls or draft.sight.reply is None else (draft.sight.reply,)


def overtaken(draft: Draft) -> bool:
    """Tell whether the opponent had played, too, when the newest picture was taken: it shows several turns."""
    other, looked_s = plays.on_turn(draft).opponent, draft.sight.looked_s
    ended = [each for each in draft.sight.held if isinstance(each, Pressed) and each.button == "clock"]
    return len(replies(draft)) > 1 or any(each.player is other and each.at_s <= looked_s for each in ended)


def look_again(draft: Draft) -> None:
    """Work out anew what the newest readings say about the turn in progress."""
    if not draft.sight.seen or not draft.ledger.playing:
        return
    game = plays.game_of(draft)
    if game.phase not in (Phase.TO_ROLL, Phase.TO_PLAY):
        return
    fresh = thrown_by(draft.sight.habits, plays.on_turn(draft), fresh_dice(draft))
    dice = tuple(die for die in fresh if die not in draft.sight.reply_dice)
    verdict = _waiting(draft, game, dice) or reconcile(
        draft.ledger.board,
        plays.on_turn(draft),
        game.roll,
        draft.evidence(dice),
        settings=draft.thresholds,
        turn_ended=draft.sight.shown,
    )
    if overtaken(draft):
        draft.look(verdict=verdict, tried=frozenset(), since_s=_since_s(draft, verdict))
        return
    standing = None if isinstance(verdict, Unmoved | InProgress) else draft.sight.standing
    clear = isinstance(verdict, Completed | InProgress) and draft.sight.reply is None
    draft.look(
        verdict=verdict,
        tried=frozenset(),
        standing=verdict if isinstance(verdict, Completed) else standing,
        earlier=_stood_earlier(draft.sight, verdict),
        moved_on=draft.sight.reply is None and _moved_on(draft, verdict),
        passed_by=isinstance(verdict, Unexplained) and (draft.sight.passed_by or _passed_by(draft)),
        options=() if clear or isinstance(verdict, Unmoved) else draft.sight.options,
        stood=None if isinstance(verdict, Completed) else draft.sight.stood,
        since_s=_since_s(draft, verdict),
    )


def _moved_on(draft: Draft, verdict: Verdict) -> bool:
    """Tell whether the opponent has moved on top of a whole play that stood there."""
    last = draft.sight.standing
    stood = [choice.board for choice in draft.sight.options] if last is None else [last.board]
    return isinstance(verdict, Unexplained) and any(_moved_from(draft, board) for board in stood)


def _passed_by(draft: Draft) -> bool:
    """Tell whether the opponent has made a whole play on the board with which the turn of the other one began.

    Where the other one's roll is known, or has to be entered, the turn is his, and the opponent moves out of turn.
    """
    board, mover, sight = draft.ledger.board, plays.on_turn(draft), draft.sight
    told = plays.game_of(draft).roll is not None or draft.ledger.settings.dice not in ("camera", "manual")
    if told or sight.standing is not None or sight.options:
        return False
    if not only_opponent_moved(board, mover, draft.evidence()):
        return False
    return isinstance(verdict_after(draft, board, mover.opponent, None), Completed)


def _moved_from(draft: Draft, board: Board) -> bool:
    """Tell whether a play of the opponent, or a part of one, leads from `board` to what is seen."""
    match verdict_after(draft, board, plays.on_turn(draft).opponent, None):
        case Completed(play=play):
            return bool(play)
        case Ambiguous(choices=choices):
            return all(choice.kind != "unmoved" for choice in choices)
        case other:
            return isinstance(other, InProgress)


def _stood_earlier(sight: Sight, verdict: Verdict) -> Completed | None:
    """Return the whole play that stood there before the one there is now, with nothing between the two."""
    if isinstance(verdict, Unmoved | InProgress):
        return None
    last, earlier = sight.standing, sight.earlier
    if not isinstance(verdict, Completed) or last is None or last.board == verdict.board:
        return earlier
    return None if earlier is not None and earlier.board == verdict.board else last


def _waiting(draft: Draft, game: Game, dice: tuple[DieReading, ...]) -> Unmoved | None:
    """Return `Unmoved` without weighing all rolls, when nobody has rolled and the board stands as it did."""
    if game.phase is not Phase.TO_ROLL or dice or draft.sight.shown:
        return None
    return Unmoved(1.0, 0.0) if wrong_sites(draft.ledger.board, draft.evidence()) == ((), ()) else None


def verdict_after(draft: Draft, board: Board, mover: Color, roll: Roll | None) -> Verdict:
    """Return what the newest readings say if `board` stood there and `mover` were on turn."""
    return reconcile(board, mover, roll, draft.evidence(), settings=draft.thresholds)


def _since_s(draft: Draft, verdict: Verdict) -> float:
    """Return since when the board has looked as `verdict` says."""
    return draft.sight.since_s if _stands(draft.sight, verdict) else draft.sight.looked_s


def _stands(sight: Sight, verdict: Verdict) -> bool:
    """Tell whether the board stands as it did: the verdict says so, or the reading where no verdict is clear."""
    unclear = isinstance(sight.verdict, Ambiguous | Unexplained) and isinstance(verdict, Ambiguous | Unexplained)
    return _same(sight.verdict, verdict) or (unclear and sight.unchanged)


def _same(one: Verdict | None, other: Verdict) -> bool:
    """Tell whether two verdicts say the same about the checkers."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Completed | InProgress) and isinstance(other, Completed | InProgress):
        return one.board == other.board
    if isinstance(one, Unexplained) and isinstance(other, Unexplained):
        return (one.sites, one.bars) == (other.sites, other.bars)
    return True
