"""From the ledger to a match record, which every format writes."""

from __future__ import annotations

from controller.records.events import record_from_events
from controller.records.record import MatchRecord
from controller.session.facts import fact_json
from controller.session.ledger import Ledger


def record_of(ledger: Ledger) -> MatchRecord:
    """Return everything of a match that a record can hold: what has been corrected is not in it."""
    if ledger.started is None:
        return MatchRecord()
    return record_from_events(fact_json(entry.fact) for entry in ledger.line)
