"""What the API needs from a table: a Protocol that `controller.table.Table` satisfies."""

from __future__ import annotations

from typing import Any, Protocol

from controller.ports import Publisher
from controller.records import MatchRecord
from controller.session.events import Event
from controller.session.snapshot import Snapshot


class TableSource(Protocol):
    """One table, as displays and the desk see it; everything is called on the table's event loop."""

    @property
    def table_id(self) -> str:
        """Name of the table: lower-case letters, digits and dashes."""

    @property
    def simulated(self) -> bool:
        """Whether nothing of this table is a real board."""

    @property
    def tournament(self) -> bool:
        """Whether the match on the table is played under tournament conditions."""

    def snapshot(self) -> Snapshot:
        """Return the table after the newest durable event."""

    def snapshot_at(self, seq: int) -> Snapshot:
        """Return the table after event `seq`.

        Raises:
            IllegalActionError: there is no such event.
        """

    def events(self, after: int = 0, limit: int = 100) -> list[dict[str, Any]]:
        """Return up to `limit` events with a number above `after`, oldest first, as JSON values."""

    def record(self) -> MatchRecord:
        """Return the match as a record, corrections made."""

    def rolls(self) -> list[dict[str, Any]] | None:
        """Return the published log of the electronic dice of this match, or None without such dice."""

    def add_publisher(self, publisher: Publisher) -> None:
        """Call `publisher` after each durable event from now on."""


class DeskSource(TableSource, Protocol):
    """A table that also takes commands."""

    async def submit(self, event: Event) -> int:
        """Let one event happen and return its number.

        Raises:
            IllegalActionError: it is not allowed now; the message says why.
        """
