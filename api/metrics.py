"""Counters and gauges in the text format that Prometheus reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

_HELP = {
    "barpoint_requests_total": "Requests answered, by method and status.",
    "barpoint_rate_limited_total": "Requests refused because their address sent too many.",
    "barpoint_commands_total": "Desk commands, by whether they were taken.",
    "barpoint_viewers": "Open live streams.",
    "barpoint_messages_total": "Frames handed to live streams.",
    "barpoint_dropped_viewers_total": "Live streams ended because they did not drain.",
    "barpoint_event_seq": "Number of the newest event.",
    "barpoint_live": "1 while the table is live, 0 while it is stale.",
}


class Metrics:
    """What one door counts; gauges are read when somebody asks."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._gauges: dict[str, Callable[[], float]] = {}

    def count(self, name: str, labels: str = "") -> None:
        """Add one to a counter; `labels` is the text between the braces."""
        self._counts[name, labels] += 1

    def count_response(self, method: str, status: int) -> None:
        """Count one answered request; methods nobody knows share one label, so that labels stay few."""
        known = method if method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH") else "other"
        self.count("barpoint_requests_total", f'method="{known}",status="{status}"')

    def gauge(self, name: str, read: Callable[[], float]) -> None:
        """Show what `read` returns under `name`."""
        self._gauges[name] = read

    def text(self) -> str:
        """Return everything in the Prometheus text format 0.0.4."""
        lines = []
        by_name: dict[str, list[str]] = {}
        for (name, labels), value in sorted(self._counts.items()):
            by_name.setdefault(name, []).append(f"{name}{{{labels}}} {value}" if labels else f"{name} {value}")
        for name, read in sorted(self._gauges.items()):
            by_name.setdefault(name, []).append(f"{name} {read():g}")
        for name, rows in sorted(by_name.items()):
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {_HELP.get(name, name)}", f"# TYPE {name} {kind}", *rows]
        return "\n".join(lines) + "\n"
