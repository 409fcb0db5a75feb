"""Before the first play of a game: the checkers are set up, both roll one die, and somebody begins.

A picture of two dice does not tell whose they are, so the checkers that move tell who began: the higher die was
his. A keyed or electronic opening roll tells it at once.
"""

from __future__ import annotations

from controller.board import START_BOARD, Observation
from controller.ports import Pressed
from controller.reconcile import Completed, Evidence, InProgress, reconcile
from controller.rules import Color, Roll
from controller.rules.game import Phase
from controller.session import facts, plays
from controller.session.judging import judge
from controller.session.sighting import clear_roll, fresh_dice, look_again, read_dice, thresholds
from controller.session.standing import looks_mirrored, nearly, wrong_sites
from controller.session.state import Draft, Sets, Sight, on_field

WRONG_START_S = 4.0
"""How long a wrong start position must have stood before the players are told."""


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
    untouched = wrong_sites(draft.ledger.board, evidence) == ((), ())
    thrown = any(on_field(each.dice) for each in seen)
    if untouched or (draft.sight.begun is None and not thrown and nearly(draft.ledger.board, evidence)):
        draft.look(begun=evidence)
    dice = fresh_dice(draft)
    roll = clear_roll(dice, opening=True)
    if roll is not None and (untouched or draft.sight.opening is None):
        draft.look(opening=roll, dice=dice)
    if untouched:
        if draft.sight.ended == "quiet":
            draft.look(ended=None)
        _set_up(draft, roll)
        return
    begun = _beginning(draft, draft.sight.opening)
    if begun is None:
        _not_set_up(draft)
        return
    starter, rolled = begun
    if draft.sight.opener not in (None, starter):
        _pressed_later(draft)
    white, black = (rolled.high, rolled.low) if starter is Color.WHITE else (rolled.low, rolled.high)
    source = "camera" if draft.sight.opening is not None else "play"
    draft.look(sets=_told_apart(draft.sight, starter, rolled))
    draft.commit(facts.OpeningRolled(at_s=draft.at_s, white=white, black=black, source=source))
    read_dice(draft)
    look_again(draft)
    judge(draft)


def _told_apart(sight: Sight, starter: Color, roll: Roll) -> Sets:
    """Return whose dice are whose after each player threw one of his own: the higher one is the starter's."""
    numbers = {die.value: die.dice_set for die in sight.dice}
    his, other = numbers.get(roll.high), numbers.get(roll.low)
    if his is None or other is None or his == other:
        return sight.sets
    return (his, other) if starter is Color.WHITE else (other, his)


def _pressed_later(draft: Draft) -> None:
    """Keep a press for a later turn: the pictures show that the other player had begun before it."""
    sight = draft.sight
    if sight.opener is not None:
        press = Pressed("clock", sight.opener, sight.ended_at_s)
        draft.look(opener=None, ended=None, held=(press, *sight.held))


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

    A checker moved by one die may as well have been bumped; only a whole play tells, or the end of the turn.
    """
    found = []
    ended = draft.sight.shown
    for starter in Color:
        if ended and draft.sight.opener not in (None, starter):
            continue
        verdict = reconcile(
            draft.ledger.board,
            starter,
            roll,
            draft.evidence(fresh_dice(draft)),
            settings=thresholds(draft),
            opening=True,
        )
        if isinstance(verdict, Completed) and verdict.play and (roll is not None or ended):
            found.append((starter, roll or verdict.roll or verdict.rolls[0]))
        elif isinstance(verdict, InProgress) and verdict.done and roll is not None and ended:
            found.append((starter, roll))
    if not found and draft.sight.opener is not None and roll is not None and ended:
        return draft.sight.opener, roll  # he ended his turn on a board that no play of his roll explains
    return found[0] if len(found) == 1 else None


def _not_set_up(draft: Draft) -> None:
    """Tell the players where the checkers are not set up right, once nothing else explains it."""
    if draft.sight.looked_s - draft.sight.since_s < WRONG_START_S or draft.ledger.question is not None:
        return
    if draft.ledger.game is None or plays.game_of(draft).phase is not Phase.OPENING:
        return
    evidence = Evidence.of(draft.sight.seen)
    sites, bars = wrong_sites(draft.ledger.board, evidence)
    text = "The checkers are not set up right."
    if looks_mirrored(evidence):
        text = "The board is set up the wrong way round: left and right are changed."
    draft.commit(facts.Asked(at_s=draft.at_s, about="start", text=text, sites=sites, bars=bars))
