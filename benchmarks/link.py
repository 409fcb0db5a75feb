"""Claim: the board answers faster than a player can notice; all times are virtual, on the real ELF in simavr.

    python benchmarks/link.py [--rounds N]

Prints one JSON line per figure with its median, its worst case and the limit that the worst case must keep; exit 1
when one does not hold, 2 when simavr or the AVR compiler is not installed. The floor in the same run is the time
that the bytes alone take at 250000 baud, or the debounce and confirmation times that are there on purpose.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "firmware" / "simavr"))

from emulated import CYCLES_PER_S, EMPTY_MV, WHITE_MV, Bench, Host, build

from controller.protocol import (
    CELL_COUNT,
    LIGHT_COUNT,
    Button,
    Config,
    DiceShow,
    LightsSet,
    LightsShow,
    Ping,
    Stats,
    encode_message,
)

BYTE_MS = 10 / 250_000 * 1e3
PASS_MS = 193 * 13 * 64 / 16e6 * 1e3
"""One conversion of 13 ADC clocks for each cell and one for the current of the lights."""


@dataclass(frozen=True)
class Figure:
    """One measured time.

    Attributes:
        name: what was measured.
        limit_ms: what the worst case must keep, or None for a figure without a promise.
        floor_ms: what it would be if the firmware took no time at all.
        measure: yields one time in milliseconds per round.
    """

    name: str
    limit_ms: float | None
    floor_ms: float
    measure: Callable[[Host, int], Iterator[float]]


def press(host: Host, rounds: int) -> Iterator[float]:
    """From the first edge of a clock button to its event at the host, every other time while lights go out."""
    rng = random.Random(1)
    for generation in range(rounds):
        host.run(0.04 + rng.random() * 0.02)
        host.events.clear()
        if generation % 2:
            host.ask(LightsShow(generation, bytes(7), 1000, 0, 100))
        host.bench.button(Button.CLOCK_WHITE, True)
        yield host.run_until(lambda: bool(host.events)) * 1e3
        host.run(0.04)
        host.bench.button(Button.CLOCK_WHITE, False)


def dice(host: Host, rounds: int) -> Iterator[float]:
    """From the first byte of the request to lit pips, every other time while a frame of lights goes out."""
    rng = random.Random(2)
    shown = (0, 0, 0, 0)
    for roll_id in range(1, rounds + 1):
        if roll_id % 2:
            host.ask(LightsShow(roll_id, bytes(7), 1000, 0, 100))
        else:
            host.run(rng.random() * 0.01)
        rolled = shown
        while rolled == shown:
            rolled = (rng.randint(1, 6), rng.randint(1, 6), 0, 0)
        shown = rolled
        began = host.bench.cycle
        host.ask(DiceShow(roll_id, bytes(rolled)))
        yield (host.bench.dice_cycle - began) / CYCLES_PER_S * 1e3


def cell(host: Host, rounds: int) -> Iterator[float]:
    """From the voltage of a cell that settles to its event at the host."""
    rng = random.Random(3)
    host.ask(Config(255, 1000, 0, 1))
    host.run(0.08)
    for index in rng.sample(range(CELL_COUNT), min(rounds, CELL_COUNT)):
        host.run(rng.random() * 0.02)
        host.events.clear()
        host.bench.cell(index, WHITE_MV)
        yield host.run_until(lambda: bool(host.events)) * 1e3
        host.bench.cell(index, EMPTY_MV)
        host.run(0.06)


def sensor_pass(host: Host, rounds: int) -> Iterator[float]:
    """One pass over all 192 cells, as the board itself measures it, with a frame of lights somewhere in it."""
    rng = random.Random(5)
    for generation in range(rounds):
        host.run(rng.random() * 0.012)
        host.ask(LightsShow(generation, bytes(7), 1000, 0, 100))
        host.run(0.0125)
        yield host.ask(Stats()).pass_us / 1e3


def ping(host: Host, rounds: int) -> Iterator[float]:
    """One round trip."""
    for token in range(rounds):
        began_s = host.bench.now_s
        host.ask(Ping(token))
        yield (host.bench.now_s - began_s) * 1e3


def picture(host: Host, rounds: int) -> Iterator[float]:
    """From the first byte of a picture of 52 lights to the last bit on their chain."""
    rng = random.Random(4)
    for generation in range(rounds):
        host.run(rng.random() * 0.01)
        began = host.bench.cycle
        host.ask(LightsSet(0, rng.randbytes(LIGHT_COUNT * 3)))
        host.ask(LightsShow(generation, bytes(7), 1000, 0, 100))
        host.run(0.004)
        yield (host.bench.lights_cycle - began) / CYCLES_PER_S * 1e3


FIGURES = (
    Figure("button_edge_to_host_event", 10.0, 5.0 + 16 * BYTE_MS, press),
    Figure("dice_lit_after_request", 5.0, len(encode_message(DiceShow(1, bytes(4)), 1)) * BYTE_MS, dice),
    Figure("changed_cell_confirmed", 60.0, 2 * PASS_MS, cell),
    Figure("sensor_pass_192_cells_with_lights", 12.0, PASS_MS, sensor_pass),
    Figure("ping_round_trip", None, 26 * BYTE_MS, ping),
    Figure("picture_of_52_lights", None, 190 * BYTE_MS + LIGHT_COUNT * 0.027, picture),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60, help="measurements per figure")
    options = parser.parse_args()
    try:
        build("all", "simavr")
    except (AssertionError, OSError) as error:
        print(f"link: cannot build the emulated board: {error}", file=sys.stderr)
        return 2
    all_hold = True
    for figure in FIGURES:
        host = Host(Bench(), step_s=0.0001)
        host.greet()
        times_ms = list(figure.measure(host, options.rounds))
        host.bench.close()
        holds = figure.limit_ms is None or max(times_ms) <= figure.limit_ms
        all_hold = all_hold and holds
        print(
            json.dumps(
                {
                    "benchmark": "link",
                    "figure": figure.name,
                    "virtual_time": True,
                    "rounds": len(times_ms),
                    "floor_ms": round(figure.floor_ms, 2),
                    "median_ms": round(statistics.median(times_ms), 2),
                    "worst_ms": round(max(times_ms), 2),
                    "limit_ms": figure.limit_ms,
                    "holds": holds,
                }
            ),
            flush=True,
        )
    return 0 if all_hold else 1


if __name__ == "__main__":
    sys.exit(main())
