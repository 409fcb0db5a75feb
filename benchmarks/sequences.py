"""Claim: rendered games are followed without a wrong play, whether the dice are told, seen or hidden.

The settled pictures of each sequence are read by the eyes of a table and followed as `barpoint follow` does it.
With the dice ``told``, readings of the true dice take the place of those seen; with the dice ``hidden`` there are
none, so that a dance is told only by what comes after it.

    python benchmarks/sequences.py [DIR] [--sequence NAME]... [--dice told|seen|hidden]... [--noise]

DIR holds folders of pictures with their truth (by default ../shared/vision/renders). Prints one JSON line for each
sequence and way: plays, right (recorded as played, in order), wrong (recorded and not played), asked (played and
not recorded: asked about, or open at the end), determined (all plays; with the dice hidden those that are the same
in every line of legal plays that shows the boards seen, five and more checkers on a point looking alike) and how
many of these are right; exit 1 when a play was wrong.

With ``--noise`` it prints instead one line on how often single sites are read wrong, for `benchmarks/evenings.py`:
counts that look wrong as long as they stand, those of them taken for the other player's and lone checkers taken
for none, and other single readings.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != here]
    runpy.run_path(str(here / "_sequences.py"), run_name="__main__")
