"""The player whom the computer plays: asked when he has to act, thrown for, announced, and moved by hand.

The table throws his dice and says his play; whoever sits on the other side moves his checkers for him. His turn
ends by itself as soon as the board shows the play that was announced, exactly that one.
"""

from __future__ import annotations

from controller.board import START_BOARD, Board
from controller.errors import IllegalActionError
from controller.ports import Pressed
from controller.reconcile import Completed, Evidence, Unexplained
from controller.rules import Color, write_play
from controller.rules.cube import why_not_double
from controller.rules.game import Game, Phase, must_pass
from controller.session import facts, plays
from controller.session.asking import put_right
from controller.session.doubts import doubtful
from controller.session.effects import Buzz, Consult, RollDice
from controller.session.events import Decided
from controller.session.judging import next_turn
from controller.session.ledger import Ledger
from controller.session.sighting import clear_roll, fresh_dice, look_again
from controller.session.standing import wrong_sites
from controller.session.state import Draft


def act(draft: Draft) -> None:
    """Ask the computer for what it has to do next, or throw its dice; once for each thing to do."""
    game, player = draft.ledger.game, draft.ledger.settings.computer
    if player is None or game is None or not draft.ledger.playing:
        return
    opening = game.phase is Phase.OPENING
    if opening and (not draft.sight.seen or draft.sight.restless or not _set_up(draft)):
        return
    if not opening and game.to_act is not player:
        return
    question = _about(draft.ledger, game)
    if draft.sight.consulted == question or draft.ledger.announced is not None:
        return
    draft.look(consulted=question)
    if opening:
        draft.effects.append(RollDice(draft.ledger.seq + 1, player, draft.at_s, opening=True))
    elif game.phase is Phase.TO_ROLL and game.resignation is None and why_not_double(game) is not None:
        draft.effects.append(RollDice(draft.ledger.seq + 1, player, draft.at_s))
    elif game.phase is Phase.TO_PLAY and game.resignation is None and must_pass(game):
        plays.commit_dance(draft)
        next_turn(draft)
    elif draft.ledger.match is not None:
        draft.effects.append(Consult(question, draft.ledger.match, draft.ledger.settings.level))


def _set_up(draft: Draft) -> bool:
    return wrong_sites(START_BOARD, Evidence.of(draft.sight.seen)) == ((), ())


def _about(ledger: Ledger, game: Game) -> str:
    """Return a name of what there is to decide: the same thing has the same name."""
    offer = "" if game.offer is None else f"{game.offer.kind} {game.offer.value}"
    resigns = "" if game.resignation is None else f"resigns {game.resignation.level}"
    ties = ledger.seq if game.phase is Phase.OPENING else 0
    turn = f"{ledger.game_number}.{game.turns} {game.phase.value} {game.roll} {game.cube.value}"
    return f"{turn} {offer}{resigns} {ties}"


def decided(draft: Draft, event: Decided) -> None:
    """Carry out what the computer decided; an answer to something that is over is forgotten.

    Raises:
        IllegalActionError: it decided something that is not allowed.
    """
    game, player = draft.ledger.game, draft.ledger.settings.computer
    if (
        game is None
        or player is None
        or draft.ledger.announced is not None
        or event.about != draft.sight.consulted
    ):
        return
    if not draft.ledger.playing or event.about != _about(draft.ledger, game):
        return
    action, at_s = event.decision.action, draft.at_s
    if action == "roll":
        draft.effects.append(RollDice(draft.ledger.seq + 1, player, at_s))
    elif action == "play":
        _announce(draft, game, player, event)
    elif action == "accept" or action == "refuse":  # noqa: PLR1714 - mypy follows it
        level = game.resignation.level if game.resignation is not None else 1
        draft.commit(facts.Resigned(at_s=at_s, player=player, action=action, level=level))
    else:
        value = game.offer.value if game.offer is not None else game.cube.value * 2
        draft.commit(facts.CubeTurned(at_s=at_s, player=player, action=action, value=value))


def _announce(draft: Draft, game: Game, player: Color, event: Decided) -> None:
    after = event.decision.after
    play = None if after is None else plays.legal(game, after)
    if after is None or play is None:
        raise IllegalActionError("the computer decided on no legal play")
    draft.commit(
        facts.Announced(
            at_s=draft.at_s,
            player=player,
            play=write_play(play),
            moves=plays.moved(play, player),
            position=Board.of(after, player),
        )
    )
    look(draft)


def look(draft: Draft, *, confirmed: bool = False) -> None:
    """Read the board while the computer's checkers are moved: done, under way, or moved some other way.

    Args:
        draft: the state in the making.
        confirmed: somebody says that they have been moved.
    """
    announced = draft.ledger.announced
    if draft.ledger.settings.dice == "camera":
        _read_reply(draft)
    if announced is None or not draft.sight.seen or draft.sight.restless:
        return
    look_again(draft)
    target = announced.position
    if wrong_sites(target, draft.evidence()) == ((), ()):
        put_right(draft)
        if confirmed or _seen_to_be_made(draft, target):
            _commit(draft, announced)
        return
    other = isinstance(draft.sight.verdict, Completed | Unexplained)
    if other and draft.sight.stood_for_s >= draft.ledger.settings.alert_after_s:
        _call_wrong(draft, announced)
    elif not other:
        put_right(draft)


def _read_reply(draft: Draft) -> None:
    """Keep what the other player has thrown already: it is his roll as soon as this turn is over."""
    thrown = fresh_dice(draft)
    roll = clear_roll(thrown)
    if roll is not None:
        draft.look(reply=roll, reply_dice=thrown)


def _seen_to_be_made(draft: Draft, target: Board) -> bool:
    """Tell whether the board shows the play, and not just nothing against it; the next roll says so too."""
    if draft.sight.reply is not None:
        return True
    moved = wrong_sites(draft.ledger.board, draft.evidence()) != ((), ())
    return moved and not doubtful(draft.ledger.board, target, draft.evidence())


def _commit(draft: Draft, announced: facts.Announced) -> None:
    game = plays.game_of(draft)
    play = plays.legal(game, announced.position.seen_by(announced.player)) or ()
    rolls = (game.roll,) if game.roll is not None else ()
    plays.commit_completed(draft, Completed(play, game.roll, rolls, announced.position, 1.0, 0.0))
    next_turn(draft)


def _call_wrong(draft: Draft, announced: facts.Announced) -> None:
    """Say where the checkers stand otherwise than the computer plays; once for each board."""
    sites, bars = wrong_sites(announced.position, draft.evidence())
    question = draft.ledger.question
    if isinstance(question, facts.IllegalSeen) and (question.sites, question.bars) == (sites, bars):
        return
    draft.commit(
        facts.IllegalSeen(
            at_s=draft.at_s,
            player=announced.player,
            sites=sites,
            bars=bars,
            nearest=announced.play,
            nearest_position=announced.position,
            stands=plays.stands(draft),
        )
    )
    if draft.ledger.settings.sound:
        draft.effects.append(Buzz("wrong"))


def pressed(draft: Draft, press: Pressed) -> bool:
    """Act on a press that concerns the computer; tell whether there is nothing else to do about it.

    Roll, double or clock say that its checkers have been moved: the board must show just that.

    Raises:
        IllegalActionError: nobody presses for the computer, or its checkers do not stand there yet.
    """
    computer = draft.ledger.settings.computer
    if computer is None or press.button == "director" or not draft.ledger.playing:
        return False
    if press.player is computer:
        raise IllegalActionError(f"the computer plays {computer.value}; it needs no button")
    if not draft.ledger.computers_turn or press.button not in ("roll", "double", "clock"):
        return False
    announced = draft.ledger.announced
    if announced is None:
        raise IllegalActionError("it is the computer's turn")
    if press.button != "clock":
        draft.look(wants=press)
    look(draft, confirmed=True)
    if draft.ledger.computers_turn:
        raise IllegalActionError(f"{computer.value} plays {announced.play}; move the checkers for it first")
    return True
