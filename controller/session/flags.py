"""What a fallen flag costs at this event."""

from __future__ import annotations

from controller.ports import Pressed
from controller.rules import Color
from controller.rules.game import Game
from controller.session import clock as clocks
from controller.session import facts
from controller.session.effects import Buzz
from controller.session.ledger import Ledger
from controller.session.state import Draft

PENALTY_POINTS = 2
"""What overstepping cost at the 1996 World Cup; each further five minutes cost one more."""


GRACE_S = 0.15
"""How late the word of a button that was pressed in time may come: debouncing, wire and event loop together."""


def let_flags_fall(draft: Draft) -> bool:
    """Record a flag that has fallen, once, with what it costs; tell whether one has.

    A press that still waits for its picture stops the clock when it was made. While the table asks what stands on
    the board, it cannot say whose clock should run, and calls nobody's flag.
    """
    clock, question = draft.ledger.clock, draft.ledger.question
    if isinstance(question, facts.Asked) and question.about == "position":
        return False
    pressed_s = (press.at_s for press in draft.sight.held if isinstance(press, Pressed))
    fallen = clocks.fallen(clock, min([draft.at_s - GRACE_S, *pressed_s]))
    if fallen is None or fallen is draft.ledger.settings.computer:
        return False  # the computer's checkers are moved by the other player, in his own time
    instant_s = clocks.flag_at_s(clock)
    at_s = draft.at_s if instant_s is None else instant_s
    outcome = outcome_of(draft.ledger, fallen)
    draft.commit(facts.ClockSet(at_s=at_s, action="flag", player=fallen, reason=outcome))
    if outcome == "penalty":
        points = PENALTY_POINTS if draft.ledger.clock.penalties == 1 else 1
        draft.commit(
            facts.ScoreSet(at_s=at_s, score=_with_points(draft.ledger, fallen.opponent, points), why="time")
        )
    if draft.ledger.settings.sound:
        draft.effects.append(Buzz("flag"))
    return True


def outcome_of(ledger: Ledger, player: Color) -> str:
    """Return what the flag of `player` costs: ``match``, ``game``, ``penalty``, ``event`` or ``nothing``.

    With ``"unless_lost"`` (BIBA 2013) it costs nothing when the opponent can no longer win. Penalty points that
    would end the match lose it.
    """
    flag = ledger.clock.setting.flag
    game = ledger.game
    if flag == "none" or game is None:
        return "nothing"
    if flag == "unless_lost":
        return "nothing" if _cannot_lose(ledger, game, player) else "match"
    if flag == "penalty":
        white, black = _with_points(ledger, player.opponent, PENALTY_POINTS)
        length = ledger.started.length if ledger.started is not None else 0
        return "match" if length and max(white, black) >= length else "penalty"
    return flag


def _with_points(ledger: Ledger, player: Color, points: int) -> tuple[int, int]:
    white, black = ledger.score()
    return (white + points, black) if player is Color.WHITE else (white, black + points)


def _cannot_lose(ledger: Ledger, game: Game, player: Color) -> bool:
    """Tell whether `player` wins the match with this game and the opponent cannot win it any more.

    Counted carefully: every checker of the player stands on his 1-point, where each turn bears off two at least,
    and the opponent bears off four a turn at most.
    """
    match = ledger.match
    away = match.away(player) if match is not None else None
    if away is None or away > game.cube.value:
        return False
    seen = game.seen_by(player)
    if seen.points[1] != seen.on_board:
        return False
    mine = -(-seen.on_board // 2)
    his = -(-seen.opponent_on_board // 4)
    return mine <= his if game.turn is player else mine < his
