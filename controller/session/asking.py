"""What is said to the players: which play was made, what stands on the board, what is wrong with it."""

from __future__ import annotations

from controller.board import Board, Site
from controller.reconcile import TALL, Choice, Completed, Unexplained
from controller.rules import Color, write_play
from controller.rules.game import Phase
from controller.session import facts, plays
from controller.session.effects import Buzz
from controller.session.standing import wrong_sites
from controller.session.state import Draft

NOTHING_MOVED = "nothing moved"
"""The answer that the board still stands as the record says."""


def ask_play(draft: Draft, choices: tuple[Choice, ...], sites: tuple[Site, ...], bars: tuple[Color, ...]) -> None:
    """Ask which play was made; buttons and displays choose."""
    answers = tuple(dict.fromkeys(_answer(choice) for choice in choices))
    ask(draft, "play", "Which play was made?", answers, sites, bars)


def _answer(choice: Choice) -> facts.Choice:
    if choice.kind == "play":
        return facts.Choice(text=write_play(choice.play), position=choice.board, roll=choice.roll)
    return facts.Choice(text={"part": "not finished", "unmoved": NOTHING_MOVED}[choice.kind])


def ask(
    draft: Draft,
    about: str,
    text: str,
    choices: tuple[facts.Choice, ...],
    sites: tuple[Site, ...] = (),
    bars: tuple[Color, ...] = (),
) -> None:
    """Ask once; the same question is not asked again."""
    open_one = draft.ledger.question
    if isinstance(open_one, facts.Asked) and open_one.choices == choices and open_one.about == about:
        return
    newest = draft.sight.newest
    draft.commit(
        facts.Asked(
            at_s=draft.at_s,
            about=about,  # type: ignore[arg-type]  # one of the words of `Asked.about`, as all callers pass it
            text=text,
            player=plays.game_of(draft).turn,
            sites=sites,
            bars=bars,
            choices=choices,
            frame=newest.frame if newest is not None else None,
        )
    )


def too_tall(choices: tuple[Choice, ...]) -> bool:
    """Tell whether choices differ only in stacks too tall to be counted: another look would tell no more."""
    first, *others = [choice.board.points for choice in choices]
    pairs = [pair for other in others for pair in zip(first, other, strict=True) if pair[0] != pair[1]]
    return bool(pairs) and all(min(abs(a), abs(b)) >= TALL and a * b > 0 for a, b in pairs)


def as_choice(play: Completed) -> Choice:
    """Return a whole play as one choice of a question."""
    return Choice("play", play.board, play.play, play.rolls, play.probability)


def wrong_places(draft: Draft) -> tuple[tuple[Site, ...], tuple[Color, ...]]:
    """Return the sites and sides of the bar where what stands there is not explained."""
    verdict = draft.sight.verdict
    if isinstance(verdict, Unexplained) and not _nobody_rolled(draft):
        return verdict.sites, verdict.bars
    return wrong_sites(draft.ledger.board, draft.evidence())


def _nobody_rolled(draft: Draft) -> bool:
    """Tell whether no roll has been made that could be played: then nothing should have moved."""
    return plays.game_of(draft).phase is Phase.TO_ROLL and draft.ledger.settings.dice in ("electronic", "keyed")


def put_right(draft: Draft) -> None:
    """Close a call about a wrong board that stands right again."""
    question = draft.ledger.question
    about_board = isinstance(question, facts.Asked) and question.about == "position"
    if isinstance(question, facts.IllegalSeen) or about_board:
        audience = question.audience if isinstance(question, facts.IllegalSeen) else "table"
        draft.commit(facts.Settled(at_s=draft.at_s, how="put right", audience=audience))


def say_wrong(draft: Draft, audience: str, stood: Board | None = None) -> None:
    """Call a wrong play, once for each board; the clock goes back to the player who has to put it right.

    Args:
        draft: the state in the making.
        audience: who is told, as in `IllegalSeen`.
        stood: what stood there, where the opponent has moved on already.
    """
    sites, bars = wrong_places(draft)
    nearest, position = _nearest(draft)
    mover = plays.on_turn(draft)
    open_one = draft.ledger.question
    if isinstance(open_one, facts.IllegalSeen) and (open_one.sites, open_one.bars) == (sites, bars):
        if audience == open_one.audience and draft.ledger.clock.running is not mover.opponent:
            return
        if audience == open_one.audience == "director":
            return
    newest = draft.sight.newest
    draft.commit(
        facts.IllegalSeen(
            at_s=draft.at_s,
            player=mover,
            sites=sites,
            bars=bars,
            nearest=nearest,
            nearest_position=position,
            stands=stood or plays.stands(draft),
            audience="director" if audience == "director" else "table",
            frame=newest.frame if newest is not None else None,
        )
    )
    if audience == "table":
        if draft.ledger.settings.sound:
            draft.effects.append(Buzz("wrong"))
        if draft.ledger.clock.running is mover.opponent and stood is None:
            draft.commit(facts.ClockSet(at_s=draft.at_s, action="start", player=mover, reason="illegal play"))


def _nearest(draft: Draft) -> tuple[str | None, Board | None]:
    """Return the legal play that fits best, and what would stand there: as before, where nobody has rolled."""
    verdict = draft.sight.verdict
    if _nobody_rolled(draft):
        return None, draft.ledger.board
    if draft.ledger.settings.tournament:
        return None, None  # naming a legal play would be a hint
    if isinstance(verdict, Unexplained) and verdict.nearest is not None:
        return write_play(verdict.nearest.play), verdict.nearest.board
    return None, None
