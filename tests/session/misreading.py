"""A camera that misreads a site, at the table of a scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controller.board import DieReading, Observation
from controller.session import events
from tests.scenarios.runner import Scenario
from tests.simulated import observe


def misread(seen: Observation, site: int, count: int, by: float) -> Observation:
    """Return a reading in which a site looks as if it held `count`, by `by` likelier than what stands there."""
    reading = seen.sites[site - 1]
    values = list(reading.log_likelihoods)
    values[reading.best + 15], values[count + 15] = min(0.0, -by), min(0.0, by)
    sites = list(seen.sites)
    sites[site - 1] = replace(reading, log_likelihoods=tuple(values))
    return replace(seen, sites=tuple(sites))


def see(
    table: Scenario, site: int, count: int, by: float, dice: Sequence[DieReading] = (), *, once: bool = False
) -> None:
    """Let the camera look and misread one site; `once`: not when it is asked to read the board again."""
    right = observe(table.board, table.tick(), dice=dice)
    table.watcher.corrected = right if once else None
    table.happen(events.Observed(misread(right, site, count, by)))


def types(table: Scenario) -> list[str]:
    return [str(body["type"]) for body in table.lines if body["type"] != "clock"]
