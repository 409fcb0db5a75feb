"""The doubling cube: double, take, drop, redouble, beaver, raccoon; who may do what, and when.

Each function takes a `Game` and returns the game after it. `why_not_double` answers with a sentence instead of
an exception, for displays that show or hide a button.
"""

from __future__ import annotations

from dataclasses import replace

from controller.errors import IllegalActionError
from controller.rules.game import Cube, Game, Offer, Phase, on_turn, require
from controller.rules.position import Color
from controller.rules.scoring import Result


def why_not_double(game: Game) -> str | None:
    """Return why the player on turn may not double now, as one sentence, or None when he may."""
    try:
        require(game, Phase.TO_ROLL)
    except IllegalActionError as error:
        return str(error)
    player, cube, rules = on_turn(game), game.cube, game.rules
    against = (
        (not game.cube_in_use, "there is no cube in this game"),
        (game.crawford, "there is no doubling in the Crawford game"),
        (game.turns == 1 and not rules.roll_again, "there is no doubling in the first turn"),
        (cube.owner not in (None, player), "the opponent owns the cube"),
        (cube.value * 2 > rules.cube_cap, f"the cube stands at {cube.value} and goes up to {rules.cube_cap}"),
        (not rules.dead_cube and is_dead(game, player), "the cube is dead: its value already wins the match"),
    )
    return next((reason for holds, reason in against if holds), None)


def may_double(game: Game) -> bool:
    """Tell whether the player on turn may double now."""
    return why_not_double(game) is None


def is_dead(game: Game, player: Color) -> bool:
    """Tell whether turning the cube gains `player` nothing: its value already gives him the points he needs."""
    if game.away is None:
        return False
    return game.cube.value >= game.away[0 if player is Color.WHITE else 1]


def double(game: Game) -> Game:
    """Offer a double, or a redouble by the owner of the cube.

    Raises:
        IllegalActionError: says why the player on turn may not.
    """
    reason = why_not_double(game)
    if reason is not None:
        raise IllegalActionError(reason)
    offer = Offer(on_turn(game), "double", game.cube.value * 2)
    return replace(game, phase=Phase.OFFERED, offer=offer)


def _offer_of(game: Game) -> Offer:
    require(game, Phase.OFFERED, Phase.TO_ROLL, Phase.TO_PLAY, Phase.OPENING)
    if game.offer is None:
        raise IllegalActionError("no double is on offer")
    return game.offer


def withdraw_double(game: Game) -> Game:
    """Take back a double that was not allowed or not meant, before it is answered.

    Raises:
        IllegalActionError: no double is on offer, or it was answered with a beaver.
    """
    if _offer_of(game).kind != "double":
        raise IllegalActionError("the double has been answered")
    return replace(game, phase=Phase.TO_ROLL, offer=None)


def take(game: Game) -> Game:
    """Take the double, beaver or raccoon on offer; the player on turn then rolls.

    Raises:
        IllegalActionError: no double is on offer.
    """
    offer = _offer_of(game)
    owner = offer.by.opponent if offer.kind == "double" else game.cube.owner
    return replace(game, phase=Phase.TO_ROLL, offer=None, cube=Cube(offer.value, owner, turned=True))


def drop(game: Game) -> Game:
    """Drop the double, beaver or raccoon on offer, which loses the game at the value before it.

    Raises:
        IllegalActionError: no double is on offer.
    """
    offer = _offer_of(game)
    result = Result(offer.by, game.cube.value, "single", "drop")
    return replace(game, phase=Phase.OVER, offer=None, result=result)


def beaver(game: Game) -> Game:
    """Take a double and turn the cube once more, keeping it; the doubler answers.

    Raises:
        IllegalActionError: no double is on offer, this is no money play, the rules know no beavers, or the
            cube goes no higher.
    """
    return _raise_again(game, "double", "beaver", game.rules.beavers)


def raccoon(game: Game) -> Game:
    """Answer a beaver by turning the cube once more; the beaver's owner answers and keeps the cube.

    Raises:
        IllegalActionError: no beaver is on offer, this is no money play, the rules know no raccoons, or the
            cube goes no higher.
    """
    return _raise_again(game, "beaver", "raccoon", game.rules.raccoons)


def may_beaver(game: Game) -> bool:
    """Tell whether the double on offer may be answered with a beaver."""
    return _may_raise(game, "double", game.rules.beavers)


def may_raccoon(game: Game) -> bool:
    """Tell whether the beaver on offer may be answered with a raccoon."""
    return _may_raise(game, "beaver", game.rules.raccoons)


def _may_raise(game: Game, answers: str, switch: bool) -> bool:
    offer = game.offer
    if offer is None or game.resignation is not None or offer.kind != answers or not game.money:
        return False
    return switch and offer.value * 2 <= game.rules.cube_cap


def _raise_again(game: Game, answers: str, kind: str, switch: bool) -> Game:
    """Take what is on offer and turn the cube once more."""
    offer = _offer_of(game)
    if offer.kind != answers:
        raise IllegalActionError(f"a {kind} answers a {answers}, and none is on offer")
    if not game.money:
        raise IllegalActionError(f"a {kind} is for money play")
    if not switch:
        raise IllegalActionError(f"there are no {kind}s in this event")
    if offer.value * 2 > game.rules.cube_cap:
        raise IllegalActionError(f"the cube goes up to {game.rules.cube_cap}")
    player = offer.by.opponent
    owner = player if answers == "double" else game.cube.owner
    raised = Offer(player, "beaver" if kind == "beaver" else "raccoon", offer.value * 2)
    return replace(game, offer=raised, cube=Cube(offer.value, owner, turned=True))
