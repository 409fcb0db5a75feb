"""The cube as the camera sees it: evidence that needs a confirmation, never an action by itself."""

from __future__ import annotations

from controller.rules import Color
from controller.rules.cube import why_not_double
from controller.rules.game import Phase
from controller.session import facts, plays
from controller.session.buttons import answer_double
from controller.session.sighting import clear_roll, fresh_dice, read_dice
from controller.session.state import Draft


def look_at_cube(draft: Draft) -> None:
    """Ask whether a double was meant when the cube lies in the field; picked up only, it is no double yet."""
    newest = draft.sight.newest
    game = plays.game_of(draft)
    if newest is None or game.phase is not Phase.TO_ROLL or game.turn is None:
        return
    question = draft.ledger.question
    asked = isinstance(question, facts.Asked) and question.about == "cube"
    offered = newest.cube is not None and newest.cube.at == "field" and why_not_double(game) is None
    if offered and question is None:
        choices = (facts.Choice(text="double"), facts.Choice(text="no double"))
        text = f"Does {game.turn.value} double?"
        draft.commit(facts.Asked(at_s=draft.at_s, about="cube", text=text, player=game.turn, choices=choices))
    elif asked and newest.cube is not None and newest.cube.at != "field":
        draft.commit(facts.Settled(at_s=draft.at_s, how="the cube was put back"))


def look_while_offered(draft: Draft) -> None:
    """Take dice thrown after a double as the answer: a take when the cube has changed sides, else ask."""
    newest = draft.sight.newest
    offer = plays.game_of(draft).offer
    if newest is None or offer is None or clear_roll(fresh_dice(draft)) is None:
        return
    answering: Color = offer.by.opponent
    if newest.cube is not None and newest.cube.at == answering.value:
        answer_double(draft, answering, take=True, at_s=draft.at_s)
        read_dice(draft)
    elif draft.ledger.question is None:
        choices = (facts.Choice(text="take"), facts.Choice(text="drop"))
        text = f"Dice were thrown: did {answering.value} take the double?"
        draft.commit(facts.Asked(at_s=draft.at_s, about="answer", text=text, player=answering, choices=choices))
