"""Committing a turn: what is said about a play, and what follows from it."""

from __future__ import annotations

from controller.board import Board, site_at
from controller.errors import IllegalActionError
from controller.reconcile import Completed, InProgress, Unmoved
from controller.rules import BAR, OFF, Color, Play, Point, Position, Roll, write_play
from controller.rules.game import Game, Phase
from controller.rules.notation import NO_PLAY
from controller.rules.plays import accepted_plays
from controller.session import clock as clocks
from controller.session import facts
from controller.session.effects import ClearDice, Confirm
from controller.session.standing import moves_between, standing_board, wrong_sites
from controller.session.state import Draft
from controller.session.throwers import learned

UNKNOWN_PLAY = "????"
"""How records write a play whose moves are not known."""


def moved(play: Play, mover: Color) -> tuple[facts.Moved, ...]:
    """Return the moves of a play by sites."""

    def place(point: int) -> int:
        return point if point in (BAR, OFF) else int(site_at(Point(point), mover))

    return tuple(facts.Moved(source=place(m.source), target=place(m.target), hit=m.hit) for m in play)


def legal(game: Game, after: Position) -> Play | None:
    """Return the play of the roll on the table that leads to `after`, as the mover counts, or None."""
    if game.roll is None:
        return None
    return accepted_plays(game.before, game.roll, game.rules.must_use).get(after)


def commit_completed(draft: Draft, verdict: Completed) -> None:
    """Record the whole legal play that stands on the board; the turn is over."""
    game = game_of(draft)
    known = game.roll or verdict.roll
    roll = known or (verdict.rolls[0] if verdict.rolls else None)
    closed_out = not verdict.play and known is None
    _commit(
        draft,
        game,
        board=verdict.board,
        roll=None if closed_out else roll,
        text=write_play(verdict.play),
        play=verdict.play,
        certain=known is not None,
        confidence=verdict.probability,
    )


def commit_choice(draft: Draft, choice: facts.Choice) -> None:
    """Record the play that somebody chose as the answer to a question."""
    game = game_of(draft)
    if choice.position is None:
        raise IllegalActionError(f"{choice.text!r} is no play")
    before = game.before
    play = moves_between(before, choice.position.seen_by(on_turn(draft))) or ()
    roll = game.roll or choice.roll
    _commit(draft, game, board=choice.position, roll=roll, text=choice.text, play=play, certain=roll is not None)


def commit_dance(draft: Draft) -> None:
    """Record the turn of a closed-out player, who need not roll."""
    game = game_of(draft)
    _commit(draft, game, board=draft.ledger.board, roll=game.roll, text=NO_PLAY, play=())


def commit_pass(draft: Draft, verdict: Unmoved | InProgress) -> None:
    """Record a turn that was ended without a whole play, as rules let a player do who has one."""
    play = verdict.done if isinstance(verdict, InProgress) else ()
    board = verdict.board if isinstance(verdict, InProgress) else draft.ledger.board
    game = game_of(draft)
    _commit(draft, game, board=board, roll=game.roll, text=write_play(play), play=play)


def commit_illegal(draft: Draft, board: Board) -> None:
    """Record an illegal play that stands: the game goes on from what is on the board."""
    game = game_of(draft)
    play = moves_between(game.before, board.seen_by(on_turn(draft)))
    text = UNKNOWN_PLAY if play is None else write_play(play)
    roll = game.roll or (draft.sight.standing.roll if draft.sight.standing else None)
    if roll is None and game.phase is Phase.TO_ROLL:
        raise IllegalActionError("an illegal play can stand only when its roll is known")
    _commit(draft, game, board=board, roll=roll, text=text, play=play or (), illegal=True)


def within_one_turn(draft: Draft, board: Board) -> bool:
    """Tell whether no more checkers were moved than one roll allows; if more, turns were missed."""
    game = game_of(draft)
    before, after = game.before.points, board.seen_by(on_turn(draft)).points
    left = sum(max(0, max(0, b) - max(0, a)) for b, a in zip(before[1:], after[1:], strict=True))
    roll = game.roll or (draft.sight.standing.roll if draft.sight.standing else None)
    return left <= (2 if roll is not None and not roll.is_double else 4)


def let_stand(draft: Draft) -> bool:
    """Record the wrong play that stands on the board, if it can be read for certain; tell whether it was."""
    board, hidden = stands(draft), draft.evidence().hidden
    if board is None or hidden or draft.sight.restless or not within_one_turn(draft, board):
        return False
    try:
        commit_illegal(draft, board)
    except IllegalActionError:
        return False
    return True


def stands(draft: Draft) -> Board | None:
    """Return what stands on the board, legal or not, or None when that is not certain.

    A half-made play may look like a wrong one, and the other way round.
    """
    verdict = draft.sight.verdict
    evidence = draft.evidence()
    if not draft.sight.seen:
        return draft.ledger.board if isinstance(verdict, Unmoved) else None
    standing = standing_board(draft.ledger.board, on_turn(draft), evidence)
    if isinstance(verdict, InProgress) and wrong_sites(verdict.board, evidence) == ((), ()):
        return verdict.board if standing == verdict.board else None
    return standing if standing == draft.ledger.board or not isinstance(verdict, Unmoved) else None


def game_of(draft: Draft) -> Game:
    """Return the game in progress.

    Raises:
        IllegalActionError: there is none.
    """
    game = draft.ledger.game
    if game is None or not draft.ledger.playing:
        raise IllegalActionError("no game is in progress")
    return game


def on_turn(draft: Draft) -> Color:
    """Return who is on turn.

    Raises:
        IllegalActionError: nobody is.
    """
    turn = game_of(draft).turn
    if turn is None:
        raise IllegalActionError("the opening roll has not been made")
    return turn


def _commit(
    draft: Draft,
    game: Game,
    *,
    board: Board,
    roll: Roll | None,
    text: str,
    play: Play,
    certain: bool = True,
    illegal: bool = False,
    confidence: float = 1.0,
) -> None:
    """Record one turn and begin the next."""
    mover = on_turn(draft)
    _claim_throw(draft, game, roll)
    newest = draft.sight.newest
    at_s = draft.sight.ended_at_s if draft.sight.ended else draft.at_s
    if game.resignation is not None:
        draft.commit(facts.Resigned(at_s=at_s, player=game.resignation.player.opponent, action="refuse"))
    draft.commit(
        facts.Played(
            at_s=at_s,
            player=mover,
            roll=roll,
            play=text,
            position=board,
            moves=moved(play, mover),
            illegal=illegal,
            roll_certain=certain or roll is None,
            confidence=round(confidence, 6),
            frame=newest.frame if newest is not None else None,
            time_s=_time_used_s(draft, mover, at_s),
        )
    )
    sight = draft.sight
    if play and not illegal and sight.dice and sight.opening is None:
        draft.look(habits=learned(sight.habits, mover, sight.dice))
    draft.effects.append(Confirm(board))
    if draft.ledger.settings.dice == "electronic" or mover is draft.ledger.settings.computer:
        draft.effects.append(ClearDice())
    draft.new_turn()


def _claim_throw(draft: Draft, game: Game, roll: Roll | None) -> None:
    """Take what was thought to be the opponent's throw for the mover's own.

    It is the roll of his play, of which no other was seen, and lay there before that play did.
    """
    sight = draft.sight
    if game.roll is None and roll is not None and sight.reply == roll and sight.reply_s < sight.same_since_s:
        draft.look(reply=None, reply_dice=(), old_dice=(*sight.old_dice, *sight.reply_dice))


def _time_used_s(draft: Draft, mover: Color, at_s: float) -> float | None:
    if draft.ledger.settings.clock.kind == "none":
        return None
    index = 0 if mover is Color.WHITE else 1
    used_s = clocks.charged(draft.ledger.clock, at_s).used_s[index]
    return round(used_s - draft.ledger.turn_used_s[index], 3)
