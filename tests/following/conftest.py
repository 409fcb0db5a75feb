"""The simulated eyes are those of the tests of reconciling."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "reconcile"))
