"""An observation as JSON, to be kept beside the journal as evidence."""

from __future__ import annotations

from typing import Any

from controller.board import SITES, Observation


def observation_json(seen: Observation) -> dict[str, Any]:
    """Return a reading as JSON values: per site the likeliest count and all log-likelihoods, dice and cube."""
    return {
        "at_s": seen.at_s,
        "source": seen.source,
        "frame": seen.frame,
        "hand": seen.hand,
        "sites": [
            {
                "site": site,
                "count": reading.best if reading.seen else None,
                "confidence": round(reading.confidence, 4),
                "log_likelihoods": _rounded(reading.log_likelihoods) if reading.seen else None,
            }
            for site, reading in zip(SITES, seen.sites, strict=True)
        ],
        "bar": [
            {
                "count": reading.best if reading.seen else None,
                "log_likelihoods": _rounded(reading.log_likelihoods) if reading.seen else None,
            }
            for reading in seen.bar
        ],
        "dice": [
            {
                "value": die.value,
                "xy": [round(n, 1) for n in die.xy_px],
                "cocked": die.cocked,
                "half": die.half,
                "dice_set": die.dice_set,
                "log_likelihoods": _rounded(die.log_likelihoods),
            }
            for die in seen.dice
        ],
        "cube": None if seen.cube is None else {"value": seen.cube.value, "at": seen.cube.at},
    }


def _rounded(values: tuple[float, ...]) -> list[float]:
    return [round(value, 2) for value in values]
