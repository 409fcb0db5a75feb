"""From a state to the snapshot that everybody may see."""

from __future__ import annotations

from collections.abc import Mapping

from controller.rules import Color, settlement
from controller.rules.game import Phase
from controller.session import clock as clocks
from controller.session import facts
from controller.session.facts import fact_json
from controller.session.ledger import Ledger
from controller.session.snapshot import Snapshot

PHASES = {
    Phase.OPENING: "opening",
    Phase.TO_ROLL: "rolling",
    Phase.TO_PLAY: "moving",
    Phase.OFFERED: "offered",
    Phase.OVER: "game_over",
}


def phase_of(ledger: Ledger) -> str:
    """Return the phase as a word of `Snapshot.phase`."""
    game = ledger.game
    if ledger.match is None or game is None:
        return "waiting"
    if ledger.ended or ledger.match.over:
        return "match_over"
    if game.resignation is not None and ledger.playing:
        return "offered"
    return PHASES[game.phase] if ledger.playing else "game_over"


def settlement_of(ledger: Ledger) -> tuple[int, int] | None:
    """Return what White and Black get for a money session or a single game that is over, in points; else None."""
    match = ledger.match
    if match is None or match.kind == "match" or phase_of(ledger) != "match_over":
        return None
    due = settlement(match, stake=1)
    return due[Color.WHITE], due[Color.BLACK]


def snapshot_of(
    ledger: Ledger, at_s: float, *, link: Mapping[str, str] | None = None, simulated: bool = False
) -> Snapshot:
    """Return what everybody may see of a table at `at_s`; what only the director may know is left out."""
    game, match, started = ledger.game, ledger.match, ledger.started
    question = ledger.question
    if isinstance(question, facts.IllegalSeen) and question.audience == "director":
        question = None
    playing = game if ledger.playing else None
    return Snapshot(
        seq=ledger.seq,
        match_id=started.match_id if started else "",
        phase=phase_of(ledger),
        players=started.players if started else ("White", "Black"),
        length=match.length if match else 0,
        score=ledger.score(),
        game=ledger.game_number,
        rules=match.rules.name if match else "international",
        crawford=bool(game and game.crawford),
        board=ledger.board,
        turn=playing.turn if playing else None,
        roll=playing.roll if playing else None,
        cube_value=game.cube.value if game else 1,
        cube_owner=game.cube.owner if game else None,
        offered_by=playing.offer.by if playing and playing.offer else None,
        last_play=ledger.last_play,
        announced=ledger.next_play,
        clock=clocks.seen_at(ledger.clock, at_s),
        question=fact_json(question) if question else None,
        link={**dict(ledger.links), **(link or {})},
        simulated=simulated,
        settlement=settlement_of(ledger),
    )
