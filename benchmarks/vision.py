"""Claim: a gate costs at most 0.3 and a full reading at most 3 times decoding and rectifying a picture.

A full reading is that of checkers, bar, dice and cube; a board on which nothing happens costs a tenth of a core.

The floor, decoding a 1280x720 JPEG and one warp of the field, is measured in the same run, in turns with the rest,
on one thread; CPU time counts and the median of all rounds, one for each turn of a game of random plays that the
simulated camera draws, ten pictures a second, as JPEGs of another process. Beside it: the memory of this one, and
a reliability table of confidences over positions drawn by the simulated camera.

    python benchmarks/vision.py [--rounds N] [--boards N]

Prints one JSON line for speed and one for reliability; exit 1 when a claim does not hold.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != here]
    runpy.run_path(str(here / "_sight.py"), run_name="__main__")
