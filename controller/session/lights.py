"""What the table shows by light: whose turn it is, what is asked or wrong, and in lessons what can be moved.

In tournament mode a light tells nothing that is not public already: `lights_of` then looks at the turn and at
what the table has called for, and never asks which plays are legal.
"""

from __future__ import annotations

from dataclasses import replace

from controller.board import SITES, Board, Site, SiteReading, point_at, site_at
from controller.ports import Light
from controller.reconcile import InProgress, Verdict
from controller.rules import BAR, OFF, Color, Point
from controller.rules.game import Game, Phase, steps
from controller.session import facts
from controller.session.effects import ShowLights
from controller.session.standing import SURE, moves_between
from controller.session.state import State

WRONG = (255, 0, 0)
QUESTION = (255, 160, 0)
FROM = (255, 255, 255)
TO = (0, 160, 255)


def lights_of(state: State) -> ShowLights:
    """Return what is to be lit for a state."""
    ledger = state.ledger
    game = ledger.game
    turn = game.to_act if game is not None and ledger.playing else None
    lit: dict[Site, Light] = {}
    if ledger.question is not None:
        lit = _called(ledger.question, walk_back=not ledger.settings.tournament)
    elif ledger.announced is not None:
        lit = _announced(ledger.announced, _stands(state))
    elif ledger.settings.shown_hints != "off" and game is not None and ledger.playing:
        lit = _hints(_as_it_stands(game, state.sight.verdict), ledger.settings.shown_hints, _touched(state))
    return ShowLights(tuple(sorted(lit.items())), turn)


def _called(question: facts.Asked | facts.IllegalSeen, *, walk_back: bool) -> dict[Site, Light]:
    """Return the lights of what is asked or called wrong: the sites named, and where their checkers should be."""
    if isinstance(question, facts.Asked):
        return {site: Light(QUESTION, "blink") for site in question.sites}
    if question.audience == "director":
        return {}
    lit = {site: Light(WRONG, "blink") for site in question.sites}
    if walk_back and question.stands is not None and question.nearest_position is not None:
        for source, target in misplaced(question.stands, question.nearest_position):
            lit[source] = Light(WRONG, "chase", towards=target)
    return lit


def misplaced(stands: Board, right: Board) -> list[tuple[Site, Site]]:
    """Return from which site to which site checkers of one color have to go to stand right."""
    ways = []
    for sign in (1, -1):
        surplus = [max(0, sign * s) - max(0, sign * r) for s, r in zip(stands.points, right.points, strict=True)]
        sources = [site for site in SITES for _ in range(surplus[site - 1])]
        targets = [site for site in SITES for _ in range(-surplus[site - 1])]
        ways += list(zip(sources, targets, strict=False))
    return ways


def _stands(state: State) -> Board:
    """Return what stands on the board, moves that have been made of a play included."""
    verdict = state.sight.verdict
    return verdict.board if isinstance(verdict, InProgress) else state.ledger.board


def _announced(announced: facts.Announced, stands: Board) -> dict[Site, Light]:
    """Return the lights of the computer's play: each checker that is still to be moved runs to its place."""
    player = announced.player
    moves = moves_between(stands.seen_by(player), announced.position.seen_by(player)) or ()
    lit: dict[Site, Light] = {}
    for move in moves:
        target = None if move.target == OFF else site_at(Point(move.target), player)
        if move.source != BAR:
            lit[site_at(Point(move.source), player)] = Light(FROM, "blink" if target is None else "chase", target)
        if target is not None:
            lit.setdefault(target, Light(TO))
    return lit


def _as_it_stands(game: Game, verdict: Verdict | None) -> Game:
    """Return the game with the moves that have been made of its play already."""
    made = isinstance(verdict, InProgress) and game.roll is not None
    return replace(game, moves=verdict.done) if made and isinstance(verdict, InProgress) else game


def _touched(state: State) -> Site | None:
    """Return from where the player on turn has lifted a checker that he holds in his hand, or None."""
    ledger, seen = state.ledger, state.sight.newest
    if seen is None or ledger.game is None or ledger.game.turn is None:
        return None
    sign = 1 if ledger.game.turn is Color.WHITE else -1
    pairs = zip(SITES, seen.sites, _stands(state).points, strict=True)
    other = [(site, reading.best, count) for site, reading, count in pairs if _differs(reading, count)]
    if len(other) != 1 or other[0][1] != other[0][2] - sign or sign * other[0][2] <= 0:
        return None
    return other[0][0]


def _differs(reading: SiteReading, count: int) -> bool:
    """Tell whether a site looks otherwise than with `count` checkers."""
    if not reading.seen or reading.best == count:
        return False
    return reading.log_likelihoods[count + 15] < reading.log_likelihoods[reading.best + 15] - SURE


def _hints(game: Game, level: str, touched: Site | None) -> dict[Site, Light]:
    """Return the teaching lights: checkers that can move, points that can be reached, or both.

    With a checker in the hand the points are those that it can reach.
    """
    if game.phase is not Phase.TO_PLAY or game.turn is None or game.resignation is not None:
        return {}
    found = steps(game)
    lit: dict[Site, Light] = {}
    if level in ("points", "all"):
        source = None if touched is None else point_at(touched, game.turn)
        targets = {target for start, target, _ in found if source in (None, start)} - {OFF}
        lit.update({site_at(Point(target), game.turn): Light(TO) for target in targets})
    if level in ("checkers", "all"):
        sources = {source for source, _, _ in found} - {BAR}
        lit.update({site_at(Point(source), game.turn): Light(FROM) for source in sources})
    return lit
