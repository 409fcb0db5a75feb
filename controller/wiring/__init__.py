"""Which concrete parts make this table: the composition root.

A table is a journal, a camera and a board link behind the ports of `controller.ports`, and the two doors of the
API. The simulated table is made of the same parts; only what the camera looks at, and who presses the buttons, is
simulated.

`real` and `simulated` make the `parts`; `assembly` puts the table together on them; `evening` says what is played;
`running` starts, serves and stops it all; `greeting` tells the person who started it.
"""

from controller.wiring.evening import match_started, table_rules
from controller.wiring.greeting import Say, own_address, reachable
from controller.wiring.real import NO_HARDWARE, camera_source
from controller.wiring.running import run_table
from controller.wiring.simulated import Simulation

__all__ = [
    "NO_HARDWARE",
    "Say",
    "Simulation",
    "camera_source",
    "match_started",
    "own_address",
    "reachable",
    "run_table",
    "table_rules",
]
