"""A game that goes on from what stands on the board: read, checked, and asked about before it counts."""

from __future__ import annotations

from controller.board import SITES, Board, Site
from controller.errors import IllegalActionError, InvalidPositionError
from controller.reconcile import TALL, Evidence
from controller.rules import Color
from controller.rules.position import CHECKERS
from controller.rules.setup import faults_of_points
from controller.session import facts
from controller.session.effects import Confirm
from controller.session.standing import ALIKE, SURE, wrong_sites
from controller.session.state import Draft

NOT_THIS = "no, leave it"
"""The last answer to the question whether the game goes on from the board."""


def scan(draft: Draft) -> None:
    """Ask whether the game goes on from what stands on the board, or say every reason why it cannot.

    Raises:
        IllegalActionError: no match is in progress, or the board has not been seen at rest.
    """
    sight = draft.sight
    if draft.ledger.match is None or draft.ledger.ended or draft.ledger.match.over:
        raise IllegalActionError("no match is in progress")
    if not sight.seen or sight.restless:
        raise IllegalActionError("the board has not been seen at rest yet; take your hands away and scan again")
    draft.commit(_question(draft, *_read(Evidence.of(sight.seen))))


def whole_board(evidence: Evidence) -> Board | None:
    """Return what stands on the board where it is seen clearly with all thirty checkers on it, else None."""
    boards = [
        board for board, _ in _read(evidence)[0] if not board.off(Color.WHITE) and not board.off(Color.BLACK)
    ]
    return boards[0] if len(boards) == 1 else None


def _read(evidence: Evidence) -> tuple[list[tuple[Board, str]], list[str], tuple[Site, ...]]:
    """Return what may stand on the board, with words for what is not seen; else why not, and what is unclear."""
    counts = evidence.likeliest
    unclear = tuple(site for site in SITES if not _clear(evidence, site, counts[site]))
    wrong = [f"site {site} cannot be read" for site in unclear]
    wrong += [fault.message for fault in faults_of_points(counts, ("White", "Black"))]
    boards = [] if wrong else _boards(counts)
    if not wrong and not boards:
        wrong = ["checkers are missing, and several stacks are too tall to be counted: set the position by hand"]
    return boards, wrong, unclear


def _question(
    draft: Draft, boards: list[tuple[Board, str]], wrong: list[str], unclear: tuple[Site, ...]
) -> facts.Asked:
    if wrong:
        text = f"The game cannot go on from this board: {'; '.join(wrong)}."
        return facts.Asked(at_s=draft.at_s, about="scan", text=text, sites=unclear)
    choices = [
        facts.Choice(text=f"{turn.value} to roll{more}", position=board)
        for board, more in boards
        for turn in Color
    ]
    return facts.Asked(
        at_s=draft.at_s,
        about="scan",
        text="Does the game go on from what stands on the board?",
        choices=(*choices, facts.Choice(text=NOT_THIS)),
    )


def _clear(evidence: Evidence, site: Site, count: int) -> bool:
    """Tell whether no other count of a site is likely but those that look alike."""
    row = evidence.rows[site]
    rivals = [row[n] for n in range(-CHECKERS, CHECKERS + 1) if n != count and row[n] < row[count] - ALIKE / 10]
    alike = sum(row[n] >= row[count] - ALIKE / 10 for n in range(-CHECKERS, CHECKERS + 1))
    tall = abs(count) >= TALL
    return site not in evidence.hidden and (tall or alike == 1) and max(rivals, default=-SURE) <= row[count] - SURE


def _boards(counts: tuple[int, ...]) -> list[tuple[Board, str]]:
    """Return what may stand there, with words for what is not seen: off, or on the one stack too tall to count."""
    boards = [(_board(counts), "")]
    for color, sign in ((Color.WHITE, 1), (Color.BLACK, -1)):
        missing = CHECKERS - sum(max(0, n * sign) for n in counts)
        tall = [place for place in range(1, 25) if counts[place] * sign >= TALL]
        if missing == 0 or not tall:
            continue
        if len(tall) > 1 or len(boards) > 1:
            return []
        higher = list(counts)
        higher[tall[0]] += sign * missing
        name = color.value.capitalize()
        off, stack = f", {name} has {missing} off", f", {name} has {abs(higher[tall[0]])} on site {tall[0]}"
        boards = [(boards[0][0], off), (_board(tuple(higher)), stack)]
    return boards


def _board(counts: tuple[int, ...]) -> Board:
    return Board(tuple(counts[1:25]), (counts[25], -counts[0]))


def go_on_from(draft: Draft, answer: facts.Choice) -> None:
    """Go on from the position that was scanned and confirmed.

    Raises:
        IllegalActionError: the board has changed since it was scanned.
    """
    if answer.position is None:
        draft.commit(facts.Settled(at_s=draft.at_s, how=answer.text))
        return
    if wrong_sites(answer.position, Evidence.of(draft.sight.seen)) != ((), ()):
        raise IllegalActionError("the board has changed since it was scanned; scan it again")
    turn = Color(answer.text.split()[0])
    try:
        if not draft.ledger.playing:
            draft.commit(facts.GameStarted(at_s=draft.at_s))
        draft.commit(facts.PositionSet(at_s=draft.at_s, position=answer.position, turn=turn, why="scanned"))
    except InvalidPositionError as error:
        raise IllegalActionError(str(error)) from error
    draft.effects.append(Confirm(draft.ledger.board))
    draft.new_turn()
