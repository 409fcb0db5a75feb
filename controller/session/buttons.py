"""Buttons: clock, roll, double, take, drop, and the call for the director.

A board has three for each player, so the first three say more than their names where they can mean nothing else.
Whoever has something to answer says yes with his double button and no with his roll button. A player who presses
double or roll when he may do neither makes a wish, and the other one agrees with the same button: double takes the
last step of the record back, as often as they like, and roll puts it back.
"""

from __future__ import annotations

from dataclasses import replace

from controller.errors import IllegalActionError
from controller.ports import Pressed
from controller.reconcile import Evidence
from controller.rules import ALL_ROLLS, Color, legal_plays
from controller.rules.game import Phase
from controller.session import computer, facts, plays
from controller.session.asking import NOTHING_MOVED
from controller.session.corrections import correct, since
from controller.session.effects import Buzz, Refuse, RollDice
from controller.session.events import Correct
from controller.session.judging import judge, next_turn, serve, want
from controller.session.opening import look_at_opening
from controller.session.scanning import go_on_from
from controller.session.sighting import end_turn, held_back
from controller.session.standing import only_opponent_moved
from controller.session.state import Draft

MEANT = {"double": "take", "roll": "drop"}
"""What the buttons of a player mean who has something to answer."""

AGREE_S = 5.0
"""How long the other player has to agree with a wish."""

BOTH = "both players"
"""Who corrects when they agree."""

STEPS = facts.OpeningRolled | facts.Rolled | facts.Played | facts.CubeTurned | facts.Resigned
"""What is taken back one by one."""


def pressed(draft: Draft, press: Pressed) -> None:
    """Act on one press, or hold it while the end of the turn before waits for its picture.

    Raises:
        IllegalActionError: it means nothing allowed now; the message says why.
    """
    if not _comes_first(draft, press) and draft.ledger.playing and held_back(draft, press):
        return
    if computer.pressed(draft, press):
        return
    if press.button in MEANT and _has_to_answer(draft) is press.player:
        press = replace(press, button=MEANT[press.button])
    match press.button:
        case "clock":
            _clock(draft, press)
        case "roll" | "double":
            if not _agreed(draft, press):
                _act_or_wish(draft, press)
        case "take" | "drop":
            _answer(draft, press)
        case "director":
            _call_director(draft, press)
        case _:
            raise IllegalActionError(f"there is no button {press.button!r}")


def _comes_first(draft: Draft, press: Pressed) -> bool:
    """Tell whether a press is never held: a call for the director, or the answer to a question about a play."""
    question = draft.ledger.question
    asked = isinstance(question, facts.Asked) and question.about == "play" and question.player is press.player
    return press.button == "director" or (asked and press.button != "clock")


def _has_to_answer(draft: Draft) -> Color | None:
    """Return who has to answer a double, a resignation, or a question about his play, or None."""
    question, game = draft.ledger.question, draft.ledger.game
    if game is None or not draft.ledger.playing:
        return None
    if game.resignation is not None:
        return game.resignation.player.opponent
    if game.offer is not None:
        return game.offer.by.opponent
    if isinstance(question, facts.Asked) and question.about == "play" and question.choices:
        return question.player
    return None


def _act_or_wish(draft: Draft, press: Pressed) -> None:
    """Roll or double; a press that may do neither is refused, and remembered as a wish.

    Whoever presses right after the other one has tried in vain answers him, and wishes for nothing.
    """
    try:
        if press.button == "roll":
            _roll(draft, press)
        else:
            _double(draft, press)
    except IllegalActionError as error:
        before = draft.sight.wish
        answers = before is not None and _tries(draft, before) and press.at_s - before.at_s <= AGREE_S
        draft.look(wish=before if answers else press)
        draft.effects.append(Refuse(str(error)))


def _tries(draft: Draft, press: Pressed) -> bool:
    """Tell whether a press is what its player may do before his roll: then it is no wish, whatever came of it."""
    game = draft.ledger.game
    return game is not None and game.phase is Phase.TO_ROLL and game.turn is press.player


def _agreed(draft: Draft, press: Pressed) -> bool:
    """Take the last step back, or put it back, where the other player has just wished for it; tell whether."""
    wish = draft.sight.wish
    if wish is None or (wish.button, wish.player) != (press.button, press.player.opponent):
        return False
    if _tries(draft, wish):
        return False
    of = _last_step(draft) if press.button == "double" else _last_taken_back(draft)
    if of is None or press.at_s - wish.at_s > AGREE_S:
        return False
    back, why = press.button == "double", f"both pressed {press.button}"
    correct(draft, Correct(of=of, take_back=back, by=BOTH, why=why, at_s=draft.at_s))
    return True


def _last_step(draft: Draft) -> int | None:
    """Return the number of the newest step that the players can take back, or None.

    Raises:
        IllegalActionError: it is a roll of the table's own dice, which nobody throws again.
    """
    entry = next((entry for entry in reversed(draft.ledger.line) if isinstance(entry.fact, STEPS)), None)
    if entry is not None and getattr(entry.fact, "source", "") == "electronic":
        raise IllegalActionError("a roll of the table's own dice stands; the director can withdraw it")
    return None if entry is None else entry.seq


def _last_taken_back(draft: Draft) -> int | None:
    """Return the number of the correction by which the players took a step back, if nothing has happened since."""
    backs = [change for change in draft.ledger.changes if change.fact.by == BOTH and change.fact.take_back]
    return backs[-1].seq if backs and since(draft.ledger, backs[-1]) == () else None


def _clock(draft: Draft, press: Pressed) -> None:
    game = plays.game_of(draft)
    clock = draft.ledger.clock
    if clock.paused in ("director", "concession"):
        raise IllegalActionError(f"the clocks stand still: {clock.paused}")
    if clock.paused is not None:
        draft.commit(facts.ClockSet(at_s=press.at_s, action="resume", player=press.player))
        return
    if game.phase is Phase.OPENING:
        draft.look(opener=press.player, ended="clock", ended_at_s=press.at_s)
        if draft.sight.shown and not draft.sight.restless:
            look_at_opening(draft)
        return
    if game.phase is Phase.OFFERED or game.turn is not press.player:
        if _has_played(draft, press):
            draft.look(overrun=True)
            judge(draft)
            return
        raise IllegalActionError(f"{press.player.value}'s clock does not run")
    if draft.ledger.before_hit is not None and draft.sight.ended == "clock":
        draft.commit(facts.ClockSet(at_s=press.at_s, action="unhit", player=press.player))
        draft.look(ended=None)
        return
    if game.phase is Phase.TO_ROLL and draft.ledger.settings.dice in ("electronic", "keyed"):
        _closed_out(draft, press)
        return
    _hit(draft, press)
    end_turn(draft, "clock", press.at_s)
    judge(draft)


def _has_played(draft: Draft, press: Pressed) -> bool:
    """Tell whether a player whose turn it is not has moved, as the board shows, and ends a turn of his."""
    game = plays.game_of(draft)
    if game.phase not in (Phase.TO_ROLL, Phase.TO_PLAY) or game.turn is press.player or not draft.sight.seen:
        return False
    return only_opponent_moved(draft.ledger.board, plays.on_turn(draft), draft.evidence())


def _hit(draft: Draft, press: Pressed) -> None:
    if draft.ledger.clock.setting.kind != "none":
        draft.commit(facts.ClockSet(at_s=press.at_s, action="hit", player=press.player))


def _closed_out(draft: Draft, press: Pressed) -> None:
    """Let a player end his turn without a roll, when no roll could be played (US clock rules 3.4).

    Raises:
        IllegalActionError: some roll could be played.
    """
    game = plays.game_of(draft)
    if any(legal_plays(game.before, roll, game.rules.must_use) for roll in ALL_ROLLS):
        raise IllegalActionError(f"{press.player.value} has not rolled")
    draft.look(ended="clock", ended_at_s=press.at_s)
    plays.commit_dance(draft)
    next_turn(draft)


def _roll(draft: Draft, press: Pressed) -> None:
    game = plays.game_of(draft)
    electronic = draft.ledger.settings.dice == "electronic" or draft.ledger.settings.computer is not None
    if game.phase is Phase.OPENING:
        if electronic:
            draft.effects.append(RollDice(draft.ledger.seq + 1, press.player, press.at_s, opening=True))
        return
    if game.phase is Phase.TO_ROLL and game.turn is press.player and game.resignation is None:
        draft.look(wants=press)
        serve(draft)
        return
    if game.phase is Phase.TO_PLAY and game.turn is not press.player:
        want(draft, press)
        return
    raise IllegalActionError(f"{press.player.value} may not roll now")


def _double(draft: Draft, press: Pressed) -> None:
    game = plays.game_of(draft)
    if game.phase is Phase.TO_PLAY and game.turn is not press.player:
        want(draft, press)
        return
    if game.turn is not press.player:
        raise IllegalActionError(f"it is not {press.player.value}'s turn")
    value = game.cube.value * 2
    draft.commit(facts.CubeTurned(at_s=press.at_s, player=press.player, action="double", value=value))


def _answer(draft: Draft, press: Pressed) -> None:
    """Take or drop a double, accept or refuse a resignation, or choose the first or second answer."""
    game = plays.game_of(draft)
    yes = press.button == "take"
    if game.resignation is not None:
        _require(press.player is game.resignation.player.opponent, press)
        draft.commit(
            facts.Resigned(
                at_s=press.at_s,
                player=press.player,
                action="accept" if yes else "refuse",
                level=game.resignation.level,
            )
        )
    elif game.offer is not None:
        _require(press.player is game.offer.by.opponent, press)
        answer_double(draft, press.player, take=yes, at_s=press.at_s)
    else:
        choose(draft, 0 if yes else 1)


def _require(allowed: bool, press: Pressed) -> None:
    if not allowed:
        raise IllegalActionError(f"it is not {press.player.value}'s to answer")


def answer_double(draft: Draft, player: Color, *, take: bool, at_s: float) -> None:
    """Record the answer to the double on offer."""
    offer = plays.game_of(draft).offer
    value = offer.value if offer is not None else 0
    draft.commit(facts.CubeTurned(at_s=at_s, player=player, action="take" if take else "drop", value=value))


def choose(draft: Draft, choice: int) -> None:
    """Act on the answer to the open question.

    Raises:
        IllegalActionError: no question is open, or it has no such choice.
    """
    question = draft.ledger.question
    if not isinstance(question, facts.Asked) or not 0 <= choice < len(question.choices):
        raise IllegalActionError("there is no such choice to make now")
    answer = question.choices[choice]
    if question.about == "scan":
        go_on_from(draft, answer)
        return
    game = plays.game_of(draft)
    if question.about == "start" and answer.position is not None:
        draft.commit(facts.SetUp(at_s=draft.at_s, position=answer.position))
    elif question.about == "answer" and game.offer is not None:
        answer_double(draft, game.offer.by.opponent, take=answer.text == "take", at_s=draft.at_s)
    elif question.about == "cube" and answer.text == "double" and game.turn is not None:
        value = game.cube.value * 2
        draft.commit(facts.CubeTurned(at_s=draft.at_s, player=game.turn, action="double", value=value))
    elif answer.position is not None:
        plays.commit_choice(draft, answer)
        next_turn(draft)
    else:
        draft.commit(facts.Settled(at_s=draft.at_s, how=answer.text))
        draft.look(ended=None, wants=None)
        if answer.text == NOTHING_MOVED:
            draft.look(begun=Evidence.of(draft.sight.seen))  # whatever looks otherwise is misread


def _call_director(draft: Draft, press: Pressed) -> None:
    if draft.ledger.clock.setting.kind != "none" and draft.ledger.clock.paused is None:
        draft.commit(facts.ClockSet(at_s=press.at_s, action="pause", player=press.player, reason="director"))
    draft.commit(facts.LinkChanged(at_s=press.at_s, part="director", state="called", detail=press.player.value))
    if draft.ledger.settings.sound:
        draft.effects.append(Buzz("call"))
