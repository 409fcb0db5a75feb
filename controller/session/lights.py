"""What the table shows by light: whose turn it is, what is asked or wrong, and in lessons what can be moved.

In tournament mode a light tells nothing that is not public already: `lights_of` then looks at the turn and at
what the table has called for, and never asks which plays are legal.
"""

from __future__ import annotations

from controller.board import SITES, Board, Site, site_at
from controller.ports import Light
from controller.rules import BAR, OFF, Point
from controller.rules.game import Game, Phase, steps
from controller.session import facts
from controller.session.effects import ShowLights
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
    elif ledger.settings.shown_hints != "off" and game is not None and ledger.playing:
        lit = _hints(game, ledger.settings.shown_hints)
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


def _hints(game: Game, level: str) -> dict[Site, Light]:
    """Return the teaching lights: checkers that can move, points that can be reached, or both."""
    if game.phase is not Phase.TO_PLAY or game.turn is None or game.resignation is not None:
        return {}
    lit: dict[Site, Light] = {}
    if level in ("points", "all"):
        targets = {target for _, target, _ in steps(game)} - {OFF}
        lit.update({site_at(Point(target), game.turn): Light(TO) for target in targets})
    if level in ("checkers", "all"):
        sources = {source for source, _, _ in steps(game)} - {BAR}
        lit.update({site_at(Point(source), game.turn): Light(FROM) for source in sources})
    return lit
